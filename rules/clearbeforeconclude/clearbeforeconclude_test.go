package clearbeforeconclude_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/clearbeforeconclude"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, clearbeforeconclude.Rule) }
