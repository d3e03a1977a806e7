package report

import "testing"

// testGolden compares what formats write for each of the shared runs.
func testGolden(t *testing.T, prefix string, formats []Format) {
	for _, f := range formats {
		for _, ex := range exampleRuns {
			t.Run(f.Name+"/"+ex.name, func(t *testing.T) {
				golden(t, ex.name+"."+prefix+f.Name, written(t, f, ex.run(t)))
			})
		}
	}
}

func TestMaps(t *testing.T) { testGolden(t, "map-", MapFormats) }

func TestAudits(t *testing.T) {
	testGolden(t, "audit-", AuditFormats[1:]) // the page is the same as that of Formats
}
