package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf compiles a schema.
func schemaOf(t *testing.T, name string, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func storedSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "schema", name))
	if err != nil {
		t.Fatal(err)
	}
	return schemaOf(t, name, text)
}

// validate checks one JSON document.
func validate(t *testing.T, schema *jsonschema.Schema, what string, text []byte) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if err := schema.Validate(doc); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func TestSchemas(t *testing.T) {
	ours := schemaOf(t, "kvrace.schema.json", []byte(JSONSchema()))
	schemas := []struct {
		format string
		write  Format
		schema *jsonschema.Schema
	}{
		{"json", Format{Write: JSON}, ours},
		{"audit json", Format{Write: AuditJSON}, ours},
		{"map json", Format{Write: MapJSON}, ours},
		{"sarif", Format{Write: SARIF}, storedSchema(t, "sarif-schema-2.1.0.json")},
		{"rdjson", Format{Write: RDJSON}, storedSchema(t, "rdf-DiagnosticResult.json")},
	}
	for _, tt := range schemas {
		for _, ex := range exampleRuns {
			validate(t, tt.schema, tt.format+" "+ex.name, written(t, tt.write, ex.run(t)))
		}
	}
}

// TestSchemaRefuses checks that the published schema can fail.
func TestSchemaRefuses(t *testing.T) {
	schema := schemaOf(t, "kvrace.schema.json", []byte(JSONSchema()))
	good := string(written(t, Format{Write: AuditJSON}, exampleRun(t)))
	for _, change := range [][2]string{
		{`"severity": "error"`, `"severity": "fatal"`},
		{`"version": 1`, `"version": 2`},
		{`"line": 32`, `"line": 0`},
		{`"related": [`, `"relations": [`},
		{`"kind": "upsert"`, `"kind": "write"`},
		{`"key_groups": [`, `"key_groups": [1,`},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(doc) == nil {
			t.Errorf("accepted after the change of %s to %s", change[0], change[1])
		}
	}
}
