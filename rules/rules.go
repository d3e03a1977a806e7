// Package rules lists the rules.
package rules

import (
	"github.com/kvrace/kvrace/rules/abortnotpropagated"
	"github.com/kvrace/kvrace/rules/checkthenact"
	"github.com/kvrace/kvrace/rules/clearbeforeconclude"
	"github.com/kvrace/kvrace/rules/conditionalcleanup"
	"github.com/kvrace/kvrace/rules/counterimbalance"
	"github.com/kvrace/kvrace/rules/doublerelease"
	"github.com/kvrace/kvrace/rules/inconsistentlock"
	"github.com/kvrace/kvrace/rules/iteratewhilemutated"
	"github.com/kvrace/kvrace/rules/lostupdate"
	"github.com/kvrace/kvrace/rules/maskedmissing"
	"github.com/kvrace/kvrace/rules/missedowner"
	"github.com/kvrace/kvrace/rules/missingterminalstatus"
	"github.com/kvrace/kvrace/rules/nodeadline"
	"github.com/kvrace/kvrace/rules/partialcleanup"
	"github.com/kvrace/kvrace/rules/pollignoresconclusion"
	"github.com/kvrace/kvrace/rules/resourceleak"
	"github.com/kvrace/kvrace/rules/rule"
	"github.com/kvrace/kvrace/rules/statusregisteredlate"
	"github.com/kvrace/kvrace/rules/statusresurrection"
	"github.com/kvrace/kvrace/rules/terminaloverwrite"
	"github.com/kvrace/kvrace/rules/threaddeath"
	"github.com/kvrace/kvrace/rules/unhandledmessage"
)

// All are all rules, sorted by ID.
var All = []*rule.Rule{
	conditionalcleanup.Rule,
	pollignoresconclusion.Rule,
	missingterminalstatus.Rule,
	abortnotpropagated.Rule,
	terminaloverwrite.Rule,
	statusresurrection.Rule,
	clearbeforeconclude.Rule,
	nodeadline.Rule,
	missedowner.Rule,
	maskedmissing.Rule,
	statusregisteredlate.Rule,
	checkthenact.Rule,
	iteratewhilemutated.Rule,
	inconsistentlock.Rule,
	lostupdate.Rule,
	threaddeath.Rule,
	unhandledmessage.Rule,
	partialcleanup.Rule,
	resourceleak.Rule,
	doublerelease.Rule,
	counterimbalance.Rule,
}
