package source

import "bytes"

// Signals tell what the bytes of a piece of source hint at.
type Signals uint8

// The signals.
const (
	// Removes: an entry leaves a container that can outlive the call, or counts
	// down.
	Removes Signals = 1 << iota
	// Starts: a thread, a task or a callback is started.
	Starts
	// Frees: something is given back.
	Frees
	// Stores: an entry of a container is written.
	Stores
	// Awaits: a coroutine can be interrupted.
	Awaits
	// Told: a comment or the configuration tells something about the code.
	Told
)

// Decisive reports whether a rule can fire because of code with the signals: it
// removes or gives back, starts a thread of control, or writes entries while other
// coroutines run.
func (s Signals) Decisive() bool {
	return s&(Removes|Starts|Frees|Told) != 0 || s&(Stores|Awaits) == Stores|Awaits
}

// SignalsOf looks at source in one pass. It goes by words of the language and its
// library, does not know strings from code, and errs on the side of a signal too
// much: the name of a container tells only whether it is a new one that never
// leaves its function.
//
// Words are names that the configuration has something to tell about.
func SignalsOf(src []byte, words []string) Signals {
	s := calls(src)
	for _, word := range words {
		if bytes.Contains(src, []byte(word)) {
			s |= Told
		}
	}
	if bytes.Contains(src, []byte("kvrace:")) {
		s |= Told
	}
	if s&Starts == 0 && namesThread(src) {
		s |= Starts
	}
	if s&Removes == 0 && deletes(src) {
		s |= Removes
	}
	if s&(Removes|Stores) != Removes|Stores {
		s |= assignments(src)
	}
	if bytes.Contains(src, []byte("await ")) || bytes.Contains(src, []byte("async for")) || bytes.Contains(src, []byte("async with")) {
		s |= Awaits
	}
	return s
}

// calls returns the signals of the calls in src.
func calls(src []byte) Signals {
	var s Signals
	for at := 0; s != Removes|Starts|Frees|Stores; {
		paren := bytes.IndexByte(src[at:], '(')
		if paren < 0 {
			break
		}
		paren += at
		at = paren + 1
		word := wordBefore(src, paren)
		switch before := paren - len(word); string(word) {
		case "Timer", "Process", "ProcessPoolExecutor", "submit", "start_new_thread", "start_soon",
			"create_task", "ensure_future", "run_coroutine_threadsafe", "run_in_executor", "to_thread",
			"call_soon", "call_soon_threadsafe", "call_later", "call_at", "add_done_callback":
			s |= Starts
		case "gather": // a word of numeric libraries, too
			if string(wordBefore(src, max(before-1, 0))) == "asyncio" {
				s |= Starts
			}
		case "pop", "popitem", "popleft", "remove", "discard", "clear", "difference_update",
			"intersection_update", "symmetric_difference_update", "__delitem__":
			if before > 0 && src[before-1] == '.' && !constant(src[at:]) && outlives(src, before-1) {
				s |= Removes
			}
		case "add", "append", "setdefault", "appendleft", "insert":
			s |= Stores
		default:
			if s&Frees == 0 && givesBack(word) {
				s |= Frees
			}
		}
	}
	return s
}

// removerRef reports whether an expression is a method that removes an entry, as a
// value: drop = self.rows.pop.
func removerRef(expr []byte) bool {
	expr = bytes.TrimLeft(expr[:min(len(expr), window)], " ")
	end := 0
	for end < len(expr) && (isWord(expr[end]) || expr[end] == '.') {
		end++
	}
	if end < len(expr) && expr[end] == '(' {
		return false
	}
	dot := bytes.LastIndexByte(expr[:end], '.')
	if dot <= 0 {
		return false
	}
	switch string(expr[dot+1 : end]) {
	case "pop", "popitem", "popleft", "remove", "discard", "clear":
		return true
	}
	return false
}

// constant reports whether a key is a string literal or None: what is removed by
// such a key is a setting and not a request.
func constant(key []byte) bool {
	key = bytes.TrimLeft(key, " \t\r\n")
	return len(key) > 0 && (key[0] == '"' || key[0] == '\'') || bytes.HasPrefix(key, []byte("None"))
}

// namesThread reports whether the name of a thread class, or of one of an
// executor of threads, is used. An import under the same name is no use.
func namesThread(src []byte) bool {
	word := []byte("Thread")
	for at := 0; ; {
		hit := bytes.Index(src[at:], word)
		if hit < 0 {
			return false
		}
		hit += at
		at = hit + len(word)
		if hit > 0 && isWord(src[hit-1]) {
			continue
		}
		line := lineAround(src, hit)
		if !bytes.HasPrefix(line, []byte("from ")) && !bytes.HasPrefix(line, []byte("import ")) || bytes.Contains(line, []byte(" as ")) {
			return true
		}
	}
}

// deletes reports whether a del statement removes an entry.
func deletes(src []byte) bool {
	word := []byte("del ")
	for at := 0; ; {
		hit := bytes.Index(src[at:], word)
		if hit < 0 {
			return false
		}
		hit += at
		at = hit + len(word)
		if hit > 0 && isWord(src[hit-1]) {
			continue
		}
		line := src[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		for n, b := range line {
			if b == '[' && n > 0 && !constant(line[n+1:]) && outlives(src, at+n) {
				return true
			}
		}
	}
}

// outlives reports whether the container whose expression ends at end can outlive
// the call that works on it.
func outlives(src []byte, end int) bool {
	word := wordBefore(src, end)
	if len(word) == 0 {
		return true // an element, or the result of a call
	}
	if start := end - len(word); start > 0 && src[start-1] == '.' {
		root := wordBefore(src, start-1)
		if n := start - 1 - len(root); n > 0 && src[n-1] == '.' {
			return true
		}
		return string(root) != "os" && string(root) != "sys" // os.environ, sys.modules
	}
	switch string(word) {
	case "os", "shutil": // os.remove(file)
		return false
	}
	return !fleeting(src, word)
}

// fleeting reports whether all that binds a name, as far as one can see, is the
// display or the constructor of a new container inside of a function.
func fleeting(src, name []byte) bool {
	bound := false
	for at := 0; ; {
		hit := bytes.Index(src[at:], name)
		if hit < 0 {
			return bound
		}
		hit += at
		at = hit + len(name)
		if hit > 0 && (isWord(src[hit-1]) || src[hit-1] == '.') || at < len(src) && isWord(src[at]) {
			continue
		}
		if hit > 1 && src[hit-1] == '*' && src[hit-2] == '*' {
			return true // what a call passes by name is a new dict each time
		}
		value, ok := assigned(src[at:])
		switch {
		case !ok:
		case hit == 0 || src[hit-1] != ' ' && src[hit-1] != '\t' || !fresh(value):
			return false // a variable of the module, an argument, or another name of something
		default:
			bound = true
		}
	}
}

// assigned returns what is assigned to the name that rest follows.
func assigned(rest []byte) ([]byte, bool) {
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) > 0 && rest[0] == ':' { // an annotation
		end := bytes.IndexAny(rest, "=\n")
		if end < 0 {
			return nil, false
		}
		rest = rest[end:]
	}
	if len(rest) < 2 || rest[0] != '=' || rest[1] == '=' {
		return nil, false
	}
	return bytes.TrimLeft(rest[1:], " "), true
}

// fresh reports whether an expression makes a new container.
func fresh(expr []byte) bool {
	if len(expr) == 0 {
		return false
	}
	if expr[0] == '{' || expr[0] == '[' {
		return true
	}
	n := 0
	for n < len(expr) && (isWord(expr[n]) || expr[n] == '.') {
		n++
	}
	if n == len(expr) || expr[n] != '(' {
		return false
	}
	switch string(wordBefore(expr, n)) {
	case "dict", "list", "set", "deque", "defaultdict", "OrderedDict", "Counter", "sorted", "copy", "deepcopy", "split", "vars":
		return true
	}
	return false
}

// window is how far a comprehension is followed, in bytes.
const window = 400

// givesBack reports whether the name of a call gives something back, as
// free_buffer, lookup_unpin or dec_lock_ref do.
func givesBack(name []byte) bool {
	name = bytes.Trim(name, "_")
	first, last := name, name
	if n := bytes.IndexByte(name, '_'); n > 0 {
		first, last = name[:n], name[bytes.LastIndexByte(name, '_')+1:]
	}
	return frees(first) || frees(last) || bytes.HasPrefix(first, []byte("dec")) && bytes.Contains(name, []byte("ref")) ||
		bytes.HasSuffix(name, []byte("count_down"))
}

func frees(verb []byte) bool {
	switch string(verb) {
	case "free", "dealloc", "deallocate", "release", "unpin", "unlock", "unmap", "unprotect", "deregister", "unregister":
		return true
	}
	return false
}

// assignments returns the signals of the assignments in src: one outside of a
// constructor that empties an attribute, or one that filters it, removes.
func assignments(src []byte) Signals {
	var s Signals
	for at := 0; s != Removes|Stores; {
		eq := bytes.IndexByte(src[at:], '=')
		if eq < 0 {
			break
		}
		eq += at
		at = eq + 1
		if at == len(src) || src[at] == '=' || eq == 0 {
			continue
		}
		if removerRef(src[at:]) {
			s |= Removes
		}
		end := eq
		counts := src[eq-1] == '-'
		if counts || src[eq-1] == '+' || src[eq-1] == '|' {
			end--
		}
		for end > 0 && src[end-1] == ' ' {
			end--
		}
		if end > 0 && src[end-1] == ']' {
			s |= Stores
			if counts {
				s |= Removes
			}
			continue
		}
		name := wordBefore(src, end)
		if start := end - len(name); len(name) == 0 || start == 0 || src[start-1] != '.' {
			continue
		}
		expr := bytes.TrimLeft(src[at:min(len(src), at+window)], " ")
		if goesThrough(expr, name) || swaps(src, end, name) || empty(expr) && !constructs(src[:end]) {
			s |= Removes
		}
	}
	return s
}

// empty reports whether an expression makes a container with nothing in it.
func empty(expr []byte) bool {
	if !fresh(expr) {
		return false
	}
	rest := bytes.TrimLeft(expr, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.")
	if bytes.HasPrefix(expr, []byte("defaultdict")) || bytes.Contains(expr[:len(expr)-len(rest)], []byte(".defaultdict")) {
		return true
	}
	return len(rest) > 1 && (rest[1] == ')' || rest[1] == ']' || rest[1] == '}')
}

// constructs reports whether code ends in a constructor.
func constructs(src []byte) bool {
	def := bytes.LastIndex(src, []byte("def "))
	return def >= 0 && bytes.HasPrefix(src[def+len("def "):], []byte("__init__"))
}

// goesThrough reports whether an expression makes a container out of what is in
// the attribute with the given name.
func goesThrough(expr, name []byte) bool {
	return fresh(expr) && bytes.Contains(expr, []byte("for ")) && mentions(expr, name)
}

// mentions reports whether source mentions an attribute with the given name.
func mentions(src, name []byte) bool {
	for {
		hit := bytes.Index(src, name)
		if hit < 0 {
			return false
		}
		after := hit + len(name)
		if hit > 0 && src[hit-1] == '.' && (after == len(src) || !isWord(src[after])) {
			return true
		}
		src = src[after:]
	}
}

// swaps reports whether an assignment to several targets, the last of which ends
// at end, takes the old value of the attribute with the given name.
func swaps(src []byte, end int, name []byte) bool {
	line := lineAround(src, end)
	eq := bytes.IndexByte(line, '=')
	if eq < 0 || bytes.IndexByte(line[:eq], ',') < 0 {
		return false
	}
	return mentions(line[eq:], name)
}

// wordBefore returns the identifier that ends at end, or nothing.
func wordBefore(src []byte, end int) []byte {
	start := end
	for start > 0 && isWord(src[start-1]) {
		start--
	}
	return src[start:end]
}

// lineAround returns the line that holds offset at.
func lineAround(src []byte, at int) []byte {
	start := bytes.LastIndexByte(src[:at], '\n') + 1
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return src[start : at+n]
	}
	return src[start:]
}
