package resourceleak_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/resourceleak"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, resourceleak.Rule) }
