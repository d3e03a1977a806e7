package partialcleanup_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/partialcleanup"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, partialcleanup.Rule) }
