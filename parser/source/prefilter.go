package source

import "bytes"

// Candidate reports whether the bytes of a file hold a word without which no
// rule can fire inside it: something that starts a thread, a task or a
// callback, or something that removes an entry from a container. It looks at
// words of the language and its library only, in one pass that stops at the
// first hit, and does not know strings from code, so it errs on the side of
// true.
//
// A file without such a word can still be part of a finding elsewhere, as the
// base class or the caller of a candidate: see [Graph.Closure].
func Candidate(src []byte) bool {
	for _, word := range decisiveWords {
		if hasWord(src, word) {
			return true
		}
	}
	for at := 0; ; {
		paren := bytes.IndexByte(src[at:], '(')
		if paren < 0 {
			return false
		}
		paren += at
		at = paren + 1
		if decisiveCall(wordBefore(src, paren)) {
			return true
		}
	}
}

// wordBefore returns the identifier that ends at end, or nothing.
func wordBefore(src []byte, end int) []byte {
	start := end
	for start > 0 && isWord(src[start-1]) {
		start--
	}
	return src[start:end]
}

// decisiveWords make a file a candidate wherever they begin an identifier or a
// statement. "Thread" covers imports under another name, base classes and the
// names of executors.
var decisiveWords = [...][]byte{[]byte("del "), []byte("Thread"), []byte("async def")}

// decisiveCall reports whether a call of word makes a file a candidate.
func decisiveCall(word []byte) bool {
	switch string(word) {
	case "Timer", "Process", "ProcessPoolExecutor", "submit", "start_new_thread", "start_soon",
		"create_task", "ensure_future", "run_coroutine_threadsafe", "run_in_executor", "to_thread",
		"call_soon", "call_soon_threadsafe", "call_later", "call_at", "gather", "add_done_callback":
		return true
	case "pop", "popitem", "popleft", "remove", "discard", "clear", "difference_update",
		"intersection_update", "symmetric_difference_update", "__delitem__", "delattr":
		return true
	}
	return false
}

// hasWord reports whether word occurs in src at the start of an identifier.
func hasWord(src, word []byte) bool {
	for at := 0; ; {
		hit := bytes.Index(src[at:], word)
		if hit < 0 {
			return false
		}
		hit += at
		if hit == 0 || !isWord(src[hit-1]) {
			return true
		}
		at = hit + len(word)
	}
}
