package parser

import (
	"bytes"
	"testing"
)

func TestEncode(t *testing.T) {
	for encoding, text := range map[string]string{
		"": "s = 'ü€'", "utf-8": "s = 'ü€'", "iso-8859-1": "s = 'ü\u0085'", "cp1252": "s = '€'", "koi8-r": "s = 'привет'",
		"shift-jis": "s = '日本'", "gbk": "s = '中文'", "ascii": "s = 'a'", "iso-8859-15": "s = '€'",
	} {
		got, err := Encode(encoding, []byte(text))
		if err != nil {
			t.Errorf("%s: %v", encoding, err)
			continue
		}
		if encoding == "" || encoding == "utf-8" {
			if string(got) != text {
				t.Errorf("%s: %q became %q", encoding, text, got)
			}
			continue
		}
		back, err := decode(encoding, got)
		if err != nil || !bytes.Equal(back, []byte(text)) {
			t.Errorf("%s: %q became %q and %q (%v)", encoding, text, got, back, err)
		}
	}
	for encoding, text := range map[string]string{"iso-8859-1": "s = '€'", "ascii": "s = 'ü'", "no-such": "s"} {
		if got, err := Encode(encoding, []byte(text)); err == nil {
			t.Errorf("%s: %q became %q", encoding, text, got)
		}
	}
	if got := DeclaredEncoding([]byte("\xef\xbb\xbf# x\n# vim: set fileencoding=Latin-1 :\n")); got != "iso-8859-1" {
		t.Errorf("declared %q", got)
	}
}
