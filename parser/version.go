package parser

import "fmt"

// Version is a version of Python 3, by its minor number. The zero value stands
// for [Newest].
type Version uint8

// The versions whose syntax the parser knows.
const (
	Oldest Version = 8  // Python 3.8
	Newest Version = 14 // Python 3.14
)

// ParseVersion returns the version that text, such as "3.8", names.
func ParseVersion(text string) (Version, error) {
	for v := Oldest; v <= Newest; v++ {
		if text == v.String() {
			return v, nil
		}
	}
	return 0, fmt.Errorf("unknown Python version %q, want %s to %s", text, Oldest, Newest)
}

// String returns the version as in "3.8".
func (v Version) String() string {
	if v == 0 {
		v = Newest
	}
	return fmt.Sprintf("3.%d", uint8(v))
}

// Versions that added syntax.
const (
	py39  Version = 9
	py310 Version = 10
	py311 Version = 11
	py312 Version = 12
	py313 Version = 13
	py314 Version = 14
)
