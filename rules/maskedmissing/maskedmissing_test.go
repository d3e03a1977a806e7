package maskedmissing_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/maskedmissing"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, maskedmissing.Rule) }
