package inconsistentlock_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/inconsistentlock"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, inconsistentlock.Rule) }
