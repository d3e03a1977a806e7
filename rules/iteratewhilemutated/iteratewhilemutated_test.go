package iteratewhilemutated_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/iteratewhilemutated"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, iteratewhilemutated.Rule) }
