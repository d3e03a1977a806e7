package unhandledmessage_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/unhandledmessage"
)

func Test(t *testing.T) { ruletest.Run(t, unhandledmessage.Rule) }
