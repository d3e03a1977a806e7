package pollignoresconclusion_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/pollignoresconclusion"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, pollignoresconclusion.Rule) }
