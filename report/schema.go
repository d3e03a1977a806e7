package report

import _ "embed"

//go:embed kvrace.schema.json
var jsonSchema string

// JSONSchema returns the JSON Schema (draft 2020-12) of what [JSON], [AuditJSON]
// and [MapJSON] write.
func JSONSchema() string { return jsonSchema }
