// Package rules lists the rules.
package rules

import (
	"github.com/kvrace/kvrace/rules/conditionalcleanup"
	"github.com/kvrace/kvrace/rules/pollignoresconclusion"
	"github.com/kvrace/kvrace/rules/rule"
)

// All are all rules, sorted by ID.
var All = []*rule.Rule{
	conditionalcleanup.Rule,
	pollignoresconclusion.Rule,
}
