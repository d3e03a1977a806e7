package suppress

import "bytes"

// comments returns the comments of a Python file, from the # to the end of
// the line. It knows strings and nothing else. An f-string that nests its own
// kind of quote (PEP 701) looks like several strings side by side, which is
// wrong only if a # stands between them.
func comments(src []byte) []span {
	var found []span
	for i := 0; i < len(src); {
		switch src[i] {
		case '#':
			end := lineEnd(src, i)
			found = append(found, span{i, end})
			i = end
		case '"', '\'':
			i = stringEnd(src, i)
		default:
			i++
		}
	}
	return found
}

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexAny(src[at:], "\r\n"); n >= 0 {
		return at + n
	}
	return len(src)
}

// stringEnd returns the offset after the string literal whose first quote is
// at. A backslash keeps the next quote from ending it, in raw strings too. A
// single-quoted string ends at the end of its line at the latest.
func stringEnd(src []byte, at int) int {
	quote := src[at]
	triple := bytes.HasPrefix(src[at:], []byte{quote, quote, quote})
	i := at + 1
	if triple {
		i = at + 3
	}
	for i < len(src) {
		switch c := src[i]; {
		case c == '\\' && bytes.HasPrefix(src[i+1:], []byte("\r\n")):
			i += 3
		case c == '\\':
			i += 2
		case triple && bytes.HasPrefix(src[i:], []byte{quote, quote, quote}):
			return i + 3
		case !triple && c == quote:
			return i + 1
		case !triple && (c == '\n' || c == '\r'):
			return i
		default:
			i++
		}
	}
	return len(src)
}
