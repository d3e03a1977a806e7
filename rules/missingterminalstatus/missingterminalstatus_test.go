package missingterminalstatus_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/missingterminalstatus"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, missingterminalstatus.Rule) }
