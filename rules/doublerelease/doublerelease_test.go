package doublerelease_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/doublerelease"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, doublerelease.Rule) }
