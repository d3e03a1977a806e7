package flow

import (
	"slices"
	"strings"
)

// releaseVerbs are the verbs of calls that give something back, with those of
// the calls that take it.
var releaseVerbs = map[string][]string{
	"free":       {"alloc", "allocate", "malloc", "reserve", "get", "new"},
	"dealloc":    {"alloc", "allocate"},
	"deallocate": {"alloc", "allocate"},
	"release":    {"acquire", "alloc", "allocate", "reserve", "take", "protect", "checkout", "open"},
	"unpin":      {"pin"},
	"unlock":     {"lock"},
	"unmap":      {"map", "mmap"},
	"unprotect":  {"protect"},
	"deregister": {"register"},
	"unregister": {"register"},
}

// tells are words after which a verb says when or whether, and takes nothing: can_alloc,
// update_after_alloc.
var tells = map[string]bool{"is": true, "num": true, "has": true, "can": true, "should": true, "after": true, "before": true, "on": true}

// notVerbs are words before which a verb of release is none: num_free, is_free.
var notVerbs = map[string]bool{"is": true, "num": true, "get": true, "has": true, "can": true, "total": true, "mem": true, "set": true, "on": true}

// ReleaseVerb returns the verb of a method name that gives something back, such
// as free_buffer, lookup_unpin, dec_lock_ref or ref_count_down.
func ReleaseVerb(name string) (string, bool) {
	first, last := ends(name)
	switch {
	case notVerbs[first]:
		return "", false
	case releaseVerbs[first] != nil:
		return first, true
	case releaseVerbs[last] != nil:
		return last, true
	case (first == "dec" || first == "decref" || first == "decr") && strings.Contains(name, "ref"), strings.HasSuffix(name, "count_down"):
		return "dec", true
	}
	return "", false
}

// ends returns the first and the last word of a name.
func ends(name string) (first, last string) {
	name = strings.Trim(name, "_")
	first, _, _ = strings.Cut(name, "_")
	return first, name[strings.LastIndexByte(name, '_')+1:]
}

// Released returns what a method name says that it gives back, beside its verb:
// lookup for lookup_unpin. It is "" for the name of a release that says nothing.
func Released(name string) string {
	verb, ok := ReleaseVerb(name)
	if !ok {
		return ""
	}
	var rest []string
	for _, p := range strings.Split(strings.Trim(name, "_"), "_") {
		if p != verb {
			rest = append(rest, p)
		}
	}
	return strings.Join(rest, "_")
}

// Acquired returns what a method name says that it takes, beside the counterpart of a
// verb of release: receive_slot for alloc_receive_slot and free. It may be "".
func Acquired(name, verb string) string {
	first, last := ends(name)
	words := strings.Split(strings.Trim(name, "_"), "_")
	for _, v := range releaseVerbs[verb] {
		switch v {
		case first:
			return strings.Join(words[1:], "_")
		case last:
			return strings.Join(words[:len(words)-1], "_")
		}
	}
	return ""
}

// Acquires reports whether a method name is the counterpart of a verb of release:
// alloc_buffer for free.
func Acquires(name, verb string) bool {
	first, last := ends(name)
	if verb == "dec" {
		return strings.HasPrefix(first, "inc") && strings.Contains(name, "ref") || strings.HasSuffix(name, "count_up")
	}
	words := strings.Split(strings.Trim(name, "_"), "_")
	for _, v := range releaseVerbs[verb] {
		if first == v || last == v && !slices.ContainsFunc(words[:len(words)-1], func(w string) bool { return tells[w] }) {
			return true
		}
	}
	return false
}

// Gets reports whether a method name says that its result is what is taken, whatever it
// is handed: get_slot, new_page.
func Gets(name string) bool {
	first, _ := ends(name)
	return first == "get" || first == "new"
}
