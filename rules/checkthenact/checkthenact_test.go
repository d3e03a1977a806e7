package checkthenact_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/checkthenact"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, checkthenact.Rule) }
