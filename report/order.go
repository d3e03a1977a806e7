package report

import "slices"

// bySeverity returns the findings most severe and most certain first, for
// consumers that show only so many; equal ones keep their order.
func bySeverity(findings []Finding) []*Finding {
	sorted := make([]*Finding, len(findings))
	for i := range findings {
		sorted[i] = &findings[i]
	}
	slices.SortStableFunc(sorted, func(a, b *Finding) int {
		if a.Severity != b.Severity {
			return int(a.Severity - b.Severity)
		}
		return int(b.Confidence - a.Confidence)
	})
	return sorted
}
