package config

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Schema is the JSON schema of kvrace.toml and of the table [tool.kvrace],
// for editors.
//
//go:embed schema.json
var Schema []byte

// Print writes the configuration as a kvrace.toml in which a comment on each
// line says where the value comes from.
func Print(w io.Writer, c *Config) error {
	var doc bytes.Buffer
	enc := toml.NewEncoder(&doc)
	enc.SetTablesInline(false)
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	out := bufio.NewWriter(w)
	table := ""
	for line := range strings.Lines(doc.String()) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "["); ok {
			table = c.tableKey(strings.Trim(name, "[]"), table)
		} else if key, _, ok := strings.Cut(line, " = "); ok {
			line += "  # " + c.origin(table, strings.Trim(key, `'"`))
		}
		fmt.Fprintln(out, line)
	}
	return out.Flush()
}

// tableKey returns the key of a table as Origins has it: a further [[table]]
// of the same name has the next number.
func (c *Config) tableKey(name, previous string) string {
	if name != "resources" {
		return name
	}
	n := 0
	if _, err := fmt.Sscanf(previous, "resources.%d", &n); err == nil {
		n++
	}
	return fmt.Sprintf("resources.%d", n)
}

// origin returns what the comment says about a key of a table.
func (c *Config) origin(table, key string) string {
	if table != "" {
		key = table + "." + key
	}
	for {
		if o, ok := c.Origins[key]; ok {
			return o.String()
		}
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return "default"
		}
		key = key[:i]
	}
}
