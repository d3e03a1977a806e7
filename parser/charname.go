package parser

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/runenames"
)

// characterNamed returns the character that \N{name} stands for: a name of the
// Unicode standard or an alias of a control character, in any case.
func characterNamed(name string) (rune, bool) {
	name = strings.ToUpper(name)
	if hex, ok := strings.CutPrefix(name, "CJK UNIFIED IDEOGRAPH-"); ok {
		return ideograph(hex)
	}
	if letters, ok := strings.CutPrefix(name, "HANGUL SYLLABLE "); ok {
		return syllable(letters)
	}
	if r, ok := otherNames[name]; ok {
		return r, true
	}
	index := characterNames()
	hash := nameHash(name)
	i, _ := slices.BinarySearch(index, uint64(hash)<<32)
	for ; i < len(index) && uint32(index[i]>>32) == hash; i++ {
		if r := rune(uint32(index[i])); runenames.Name(r) == name {
			return r, true
		}
	}
	return 0, false
}

// ideograph returns the Chinese character with the given code point.
func ideograph(hex string) (rune, bool) {
	r, err := strconv.ParseUint(hex, 16, 32)
	ok := err == nil && len(hex) >= 4 && hex[0] != '0' && unicode.In(rune(r), unicode.Unified_Ideograph, cjkExtensionI)
	return rune(r), ok
}

// The short names of the letters that Hangul syllables consist of, from
// section 3.12 of the Unicode standard.
var (
	leads  = [...]string{"G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P", "H"}
	vowels = [...]string{"A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE", "WI", "YU", "EU", "YI", "I"}
	tails  = [...]string{"", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M", "B", "BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H"}
)

// syllable returns the Hangul syllable with the given letters.
func syllable(letters string) (rune, bool) {
	for l, lead := range leads {
		rest, ok := strings.CutPrefix(letters, lead)
		if !ok {
			continue
		}
		for v, vowel := range vowels {
			tail, ok := strings.CutPrefix(rest, vowel)
			if t := slices.Index(tails[:], tail); ok && t >= 0 {
				return rune(0xAC00 + (l*len(vowels)+v)*len(tails) + t), true
			}
		}
	}
	return 0, false
}

// characterNames returns the hash of each other name and its character, in 32
// bits each, sorted. It is built on first use, as few files need it; a map
// would keep megabytes.
var characterNames = sync.OnceValue(func() []uint64 {
	var index []uint64
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if name := runenames.Name(r); name != "" && name[0] != '<' {
			index = append(index, uint64(nameHash(name))<<32|uint64(r))
		}
	}
	slices.Sort(index)
	return index
})

func nameHash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// otherNames holds the aliases of characters without a name, and the names that
// Unicode 15.1 added.
var otherNames = map[string]rune{
	"NULL": 0x00, "NUL": 0x00, "START OF HEADING": 0x01, "SOH": 0x01, "START OF TEXT": 0x02, "STX": 0x02,
	"END OF TEXT": 0x03, "ETX": 0x03, "END OF TRANSMISSION": 0x04, "EOT": 0x04, "ENQUIRY": 0x05, "ENQ": 0x05,
	"ACKNOWLEDGE": 0x06, "ACK": 0x06, "ALERT": 0x07, "BEL": 0x07, "BACKSPACE": 0x08, "BS": 0x08,
	"CHARACTER TABULATION": 0x09, "HORIZONTAL TABULATION": 0x09, "HT": 0x09, "TAB": 0x09,
	"LINE FEED": 0x0A, "NEW LINE": 0x0A, "END OF LINE": 0x0A, "LF": 0x0A, "NL": 0x0A, "EOL": 0x0A,
	"LINE TABULATION": 0x0B, "VERTICAL TABULATION": 0x0B, "VT": 0x0B, "FORM FEED": 0x0C, "FF": 0x0C,
	"CARRIAGE RETURN": 0x0D, "CR": 0x0D, "SHIFT OUT": 0x0E, "LOCKING-SHIFT ONE": 0x0E, "SO": 0x0E,
	"SHIFT IN": 0x0F, "LOCKING-SHIFT ZERO": 0x0F, "SI": 0x0F, "DATA LINK ESCAPE": 0x10, "DLE": 0x10,
	"DEVICE CONTROL ONE": 0x11, "DC1": 0x11, "DEVICE CONTROL TWO": 0x12, "DC2": 0x12,
	"DEVICE CONTROL THREE": 0x13, "DC3": 0x13, "DEVICE CONTROL FOUR": 0x14, "DC4": 0x14,
	"NEGATIVE ACKNOWLEDGE": 0x15, "NAK": 0x15, "SYNCHRONOUS IDLE": 0x16, "SYN": 0x16,
	"END OF TRANSMISSION BLOCK": 0x17, "ETB": 0x17, "CANCEL": 0x18, "CAN": 0x18, "END OF MEDIUM": 0x19, "EOM": 0x19, "EM": 0x19,
	"SUBSTITUTE": 0x1A, "SUB": 0x1A, "ESCAPE": 0x1B, "ESC": 0x1B,
	"INFORMATION SEPARATOR FOUR": 0x1C, "FILE SEPARATOR": 0x1C, "FS": 0x1C,
	"INFORMATION SEPARATOR THREE": 0x1D, "GROUP SEPARATOR": 0x1D, "GS": 0x1D,
	"INFORMATION SEPARATOR TWO": 0x1E, "RECORD SEPARATOR": 0x1E, "RS": 0x1E,
	"INFORMATION SEPARATOR ONE": 0x1F, "UNIT SEPARATOR": 0x1F, "US": 0x1F, "SP": 0x20, "DELETE": 0x7F, "DEL": 0x7F,
	"BREAK PERMITTED HERE": 0x82, "BPH": 0x82, "NO BREAK HERE": 0x83, "NBH": 0x83, "INDEX": 0x84, "IND": 0x84,
	"NEXT LINE": 0x85, "NEL": 0x85, "START OF SELECTED AREA": 0x86, "SSA": 0x86, "END OF SELECTED AREA": 0x87, "ESA": 0x87,
	"CONTROL SEQUENCE INTRODUCER": 0x9B, "CSI": 0x9B, "STRING TERMINATOR": 0x9C, "ST": 0x9C,
	"OPERATING SYSTEM COMMAND": 0x9D, "OSC": 0x9D, "PRIVACY MESSAGE": 0x9E, "PM": 0x9E,
	"APPLICATION PROGRAM COMMAND": 0x9F, "APC": 0x9F, "NBSP": 0xA0, "SHY": 0xAD,
	"BYTE ORDER MARK": 0xFEFF, "BOM": 0xFEFF, "ZWNBSP": 0xFEFF,
	"IDEOGRAPHIC DESCRIPTION CHARACTER SURROUND FROM RIGHT": 0x2FFC, "IDEOGRAPHIC DESCRIPTION CHARACTER SURROUND FROM LOWER RIGHT": 0x2FFD,
	"IDEOGRAPHIC DESCRIPTION CHARACTER HORIZONTAL REFLECTION": 0x2FFE, "IDEOGRAPHIC DESCRIPTION CHARACTER ROTATION": 0x2FFF,
	"IDEOGRAPHIC DESCRIPTION CHARACTER SUBTRACTION": 0x31EF,
	"ZWSP": 0x200B, "ZWNJ": 0x200C, "ZWJ": 0x200D, "LRM": 0x200E, "RLM": 0x200F,
}
