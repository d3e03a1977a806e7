package report

import (
	"io"
	"testing"
)

// mapFormats are the formats of the map command.
var mapFormats = []Format{
	{Name: "map-json", Write: MapJSON},
	{Name: "map-markdown", Write: MapMarkdown},
	{Name: "map-text", Write: func(w io.Writer, run *Run) error { return MapText(w, run, TextOptions{}) }},
}

func TestMaps(t *testing.T) {
	for _, f := range mapFormats {
		for _, ex := range exampleRuns {
			t.Run(f.Name+"/"+ex.name, func(t *testing.T) {
				golden(t, ex.name+"."+f.Name, written(t, f, ex.run(t)))
			})
		}
	}
}
