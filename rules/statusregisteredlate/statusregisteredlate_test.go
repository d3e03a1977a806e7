package statusregisteredlate_test

import (
	"testing"

	"github.com/kvrace/kvrace/rules/ruletest"
	"github.com/kvrace/kvrace/rules/statusregisteredlate"
)

func Test(t *testing.T) { ruletest.Run(t, statusregisteredlate.Rule) }
