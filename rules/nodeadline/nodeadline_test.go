package nodeadline_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/nodeadline"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, nodeadline.Rule) }
