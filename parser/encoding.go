package parser

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"

	"github.com/kvrace/kvrace/parser/ast"
)

var utf8BOM = []byte("\xef\xbb\xbf")

// decodeSource sets m.Source and m.Encoding from the bytes of a file, and
// returns the length of its byte order mark. Text that is declared to be in
// another encoding than UTF-8 is converted.
func decodeSource(m *ast.Module, src []byte, f *faults) (bom int) {
	m.Source = src
	if bytes.HasPrefix(src, utf8BOM) {
		bom = len(utf8BOM)
	}
	declared, at := declaredEncoding(src[bom:])
	m.Encoding = normalizeEncoding(declared)
	switch {
	case m.Encoding == "":
	case bom > 0:
		// CPython knows UTF-8 by fewer names when there is a byte order mark.
		if m.Encoding != "utf-8" || strings.EqualFold(declared, "utf8") {
			f.add(ast.Pos(bom+at), fmt.Sprintf("encoding problem: %s with BOM", declared))
		}
	case m.Encoding != "utf-8":
		if text, err := decode(m.Encoding, src); err != nil {
			f.add(ast.Pos(at), fmt.Sprintf("encoding problem: %s: %v", declared, err))
		} else {
			m.Source = text
		}
	}
	checkBytes(m.Source, f)
	return bom
}

// checkBytes reports the first byte that is not UTF-8 and the first NUL.
func checkBytes(src []byte, f *faults) {
	if i := bytes.IndexByte(src, 0); i >= 0 {
		f.add(ast.Pos(i), "source code cannot contain null bytes")
	}
	if utf8.Valid(src) {
		return
	}
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 {
			f.add(ast.Pos(i), fmt.Sprintf("(unicode error) 'utf-8' codec can't decode byte 0x%02x in position %d", src[i], i))
			return
		}
		i += size
	}
}

// declaredEncoding returns the encoding that a comment in one of the first two
// lines declares, and the offset of that line. Only a blank line or a comment
// may precede it.
func declaredEncoding(src []byte) (name string, at int) {
	for range 2 {
		end := len(src)
		if i := bytes.IndexAny(src[at:min(end, at+maxCookieLine)], "\r\n"); i >= 0 {
			end = at + i
		}
		line := bytes.TrimLeft(src[at:end], " \t\f")
		if len(line) > 0 && line[0] != '#' {
			break
		}
		if name := cookie(line); name != "" {
			return name, at
		}
		if end == len(src) {
			break
		}
		at = end + 1
		if src[end] == '\r' && at < len(src) && src[at] == '\n' {
			at++
		}
	}
	return "", 0
}

// cookie returns the encoding that a comment declares, and "" if it declares
// none. The regular expression of PEP 263 is coding[:=][ \t]*([-_.a-zA-Z0-9]+).
func cookie(comment []byte) string {
	for {
		i := bytes.Index(comment, []byte("coding"))
		if i < 0 {
			return ""
		}
		comment = comment[i+len("coding"):]
		if len(comment) == 0 || comment[0] != ':' && comment[0] != '=' {
			continue
		}
		name := bytes.TrimLeft(comment[1:], " \t")
		n := 0
		for n < len(name) && (classes[name[n]]&classWord != 0 && name[n] < utf8.RuneSelf || name[n] == '-' || name[n] == '.') {
			n++
		}
		if n > 0 {
			return string(name[:n])
		}
	}
}

// maxCookieLine is the length of the longest line that may declare an
// encoding.
const maxCookieLine = 4096

// normalizeEncoding returns the name under which Python knows UTF-8 and
// Latin-1, and other names in lower case with single hyphens.
func normalizeEncoding(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '-' || r == '_' })
	enc := strings.Join(words, "-")
	switch {
	case enc == "utf8", enc == "utf-8", strings.HasPrefix(enc, "utf-8-"):
		return "utf-8"
	case enc == "latin", enc == "latin1", enc == "latin-1", enc == "iso-8859-1", enc == "iso8859-1",
		strings.HasPrefix(enc, "latin-1-"), strings.HasPrefix(enc, "iso-8859-1-"):
		return "iso-8859-1"
	}
	return enc
}

// pythonEncodings maps names of Python's codecs to those of the IANA.
var pythonEncodings = map[string]string{
	"ascii": "us-ascii", "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252",
	"cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255", "cp1256": "windows-1256",
	"cp1257": "windows-1257", "cp1258": "windows-1258", "cp866": "ibm866", "cp437": "ibm437",
	"eucjp": "euc-jp", "euckr": "euc-kr", "sjis": "shift_jis", "shift-jis": "shift_jis", "cp932": "shift_jis",
	"latin2": "iso-8859-2", "latin9": "iso-8859-15", "iso8859-15": "iso-8859-15", "gb2312": "gbk", "cp936": "gbk",
	"cp949": "euc-kr",
}

// decode returns the UTF-8 form of text in the named encoding.
func decode(name string, text []byte) ([]byte, error) {
	if iana, ok := pythonEncodings[name]; ok {
		name = iana
	}
	if name == "us-ascii" {
		return text, checkASCII(text)
	}
	enc, err := ianaindex.IANA.Encoding(name)
	if err != nil || enc == nil {
		return nil, fmt.Errorf("unknown encoding")
	}
	if table, ok := enc.(*charmap.Charmap); ok {
		return decodeTable(table, text)
	}
	decoded, err := enc.NewDecoder().Bytes(text)
	if err != nil {
		return nil, err
	}
	if bytes.ContainsRune(decoded, utf8.RuneError) {
		return nil, fmt.Errorf("invalid bytes")
	}
	return decoded, nil
}

// DeclaredEncoding returns the encoding that a file declares, as Module.Encoding
// names it, or "". The form of the file in UTF-8 declares the same.
func DeclaredEncoding(src []byte) string {
	declared, _ := declaredEncoding(bytes.TrimPrefix(src, utf8BOM))
	return normalizeEncoding(declared)
}

// Encode is the opposite of what the parser does to a file that declares another
// encoding than UTF-8: it returns text in the encoding that Module.Encoding names.
// An error tells that the encoding has no form of the text that would be read as
// the same.
func Encode(encoding string, text []byte) ([]byte, error) {
	if encoding == "" || encoding == "utf-8" {
		return text, nil
	}
	name := encoding
	if iana, ok := pythonEncodings[name]; ok {
		name = iana
	}
	encoded := text
	if name != "us-ascii" {
		enc, err := ianaindex.IANA.Encoding(name)
		if err != nil || enc == nil {
			return nil, fmt.Errorf("encoding %s: unknown encoding", encoding)
		}
		if table, ok := enc.(*charmap.Charmap); ok {
			encoded = encodeTable(table, text)
		} else if encoded, err = enc.NewEncoder().Bytes(text); err != nil {
			return nil, fmt.Errorf("encoding %s: %w", encoding, err)
		}
	}
	if again, err := decode(encoding, encoded); err != nil || !bytes.Equal(again, text) {
		return nil, fmt.Errorf("encoding %s: cannot hold the text", encoding)
	}
	return encoded, nil
}

// encodeTable encodes text in an encoding of one byte per character. What it
// cannot hold becomes something else, which the caller notices.
func encodeTable(table *charmap.Charmap, text []byte) []byte {
	var encoded []byte
	for _, r := range string(text) {
		c, ok := table.EncodeRune(r)
		if !ok && r < 0xA0 {
			c = byte(r)
		}
		encoded = append(encoded, c)
	}
	return encoded
}

// decodeTable decodes text in an encoding of one byte per character. The
// tables lack the control characters of the ISO 8859 family.
func decodeTable(table *charmap.Charmap, text []byte) ([]byte, error) {
	decoded := make([]byte, 0, len(text)+len(text)/8)
	for i, c := range text {
		r := table.DecodeByte(c)
		if r == utf8.RuneError {
			if !strings.HasPrefix(table.String(), "ISO 8859") || c >= 0xA0 {
				return nil, fmt.Errorf("byte 0x%02x in position %d is undefined", c, i)
			}
			r = rune(c)
		}
		decoded = utf8.AppendRune(decoded, r)
	}
	return decoded, nil
}

func checkASCII(text []byte) error {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return fmt.Errorf("byte 0x%02x in position %d is not ASCII", c, i)
		}
	}
	return nil
}
