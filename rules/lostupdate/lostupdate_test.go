package lostupdate_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/lostupdate"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, lostupdate.Rule) }
