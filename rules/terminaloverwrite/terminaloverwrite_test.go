package terminaloverwrite_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/terminaloverwrite"
)

func Test(t *testing.T) { ruletest.Run(t, terminaloverwrite.Rule) }
