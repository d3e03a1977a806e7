package abortnotpropagated_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/abortnotpropagated"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, abortnotpropagated.Rule) }
