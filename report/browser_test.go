package report

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A tab is a browser tab that shows one report and notes what it should not do.
type tab struct {
	context.Context
	url string

	mu     sync.Mutex
	wrongs []string
}

func (b *tab) wrong(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.wrongs = append(b.wrongs, fmt.Sprintf(format, args...))
}

// newBrowser starts a headless browser for a test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	needConsumers(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// open serves the page of run and opens it in a new tab of the given width.
func open(t *testing.T, parent context.Context, run *Run, width int64, scheme string) *tab {
	t.Helper()
	html := written(t, Format{Write: HTML}, run)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(html)
	}))
	t.Cleanup(server.Close)
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	b := &tab{Context: ctx, url: server.URL + "/"}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		call(t, b, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted})
	}
	call(t, b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
	call(t, b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	b.do(t, chromedp.Navigate(b.url))
	t.Cleanup(func() {
		for _, wrong := range b.wrongs {
			t.Error(wrong)
		}
	})
	return b
}

// call runs one command of the protocol.
func call[P, R any](t *testing.T, b *tab, cmd cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(b, cmd, params)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// listen notes errors, messages, dialogs and requests. It must not wait.
func (b *tab) listen(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		b.wrong("console %s: %v", e.Type, e.Args)
	case *runtime.EventExceptionThrown:
		b.wrong("exception: %+v", e.ExceptionDetails)
	case *log.EventEntryAdded:
		b.wrong("log: %s %s", e.Entry.Text, e.Entry.URL)
	case *page.EventJavascriptDialogOpening:
		b.wrong("dialog: %s", e.Message)
	case *network.EventRequestWillBeSent:
		if e.Request.URL != b.url && !strings.HasSuffix(e.Request.URL, "/favicon.ico") {
			b.wrong("request for %s", e.Request.URL)
		}
	}
}

func (b *tab) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// get runs one action and returns its value.
func get[T any](t *testing.T, b *tab, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, 30*time.Second)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// eval returns the value of a JavaScript expression, waiting for a promise.
func eval[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	return get(t, b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// screenshot keeps a picture of the page in the directory KVRACE_SCREENSHOTS.
func (b *tab) screenshot(t *testing.T, name string) {
	t.Helper()
	dir := os.Getenv("KVRACE_SCREENSHOTS")
	picture := get(t, b, chromedp.FullScreenshot(90))
	if len(picture) < 5000 {
		t.Errorf("%s: a picture of %d bytes shows nothing", name, len(picture))
	}
	if dir != "" {
		writeFile(t, filepath.Join(dir, name+".jpg"), picture)
	}
}

const shownFindings = `Array.from(document.querySelectorAll(".finding")).filter(f => f.offsetParent !== null).map(f => f.dataset.rule).join(" ")`

func TestConsumerBrowserFilters(t *testing.T) {
	b := open(t, newBrowser(t), exampleRun(t), 1280, "light")
	expect := func(step, want string) {
		t.Helper()
		if got := eval[string](t, b, shownFindings); got != want {
			t.Errorf("%s: shows %q, want %q", step, got, want)
		}
	}
	status := func(step, want string) {
		t.Helper()
		if got := eval[string](t, b, `document.getElementById("shown").textContent`); got != want {
			t.Errorf("%s: says %q, want %q", step, got, want)
		}
	}
	expect("at first", "KV101 KV102")
	status("at first", "2 shown")
	b.do(t, chromedp.KeyEvent("/"))
	if got := eval[string](t, b, `document.activeElement.id`); got != "q" {
		t.Errorf("after / the focus is on %q", got)
	}
	// The protocol sends the character of a key whose default was prevented.
	b.do(t, chromedp.Evaluate[chromedp.Void](`document.getElementById("q").value = ""`), chromedp.KeyEvent("FabricManager pump"), chromedp.Sleep(50*time.Millisecond))
	expect("searched", "KV101")
	status("searched", "1 of 2 shown")
	b.do(t, chromedp.KeyEvent(kb.Escape))
	expect("cleared", "KV101 KV102")
	b.do(t, chromedp.SetValue("#severity", "warning"), chromedp.Evaluate[chromedp.Void](`document.getElementById("severity").dispatchEvent(new Event("change"))`))
	expect("severity chosen", "KV102")
	b.do(t, chromedp.SetValue("#confidence", "confirmed"), chromedp.Evaluate[chromedp.Void](`document.getElementById("confidence").dispatchEvent(new Event("change"))`))
	expect("nothing left", "")
	if !eval[bool](t, b, `!document.getElementById("none").hidden`) {
		t.Error("nothing says that no finding matches")
	}
	b.do(t, chromedp.KeyEvent(kb.Escape))
	expect("cleared again", "KV101 KV102")
	b.do(t, chromedp.Click("#collapse"), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("o"))
	if got := eval[string](t, b, `Array.from(document.querySelectorAll(".finding > details")).map(d => d.open).join(" ")`); got != "false true" {
		t.Errorf("after closing all and opening the second: %q", got)
	}
}

func TestConsumerBrowserCopies(t *testing.T) {
	parent := newBrowser(t)
	for _, ex := range exampleRuns[:2] {
		run := ex.run(t)
		b := open(t, parent, run, 1280, "light")
		b.do(t, chromedp.Click(".patch .copy", chromedp.NodeVisible), chromedp.Sleep(100*time.Millisecond))
		if got, want := eval[string](t, b, `navigator.clipboard.readText()`), run.Findings[0].Patches[0].Diff; got != want {
			t.Errorf("%s: copied patch\n%q\nwant\n%q", ex.name, got, want)
		}
		if got := eval[string](t, b, `document.querySelector(".patch .copy").textContent`); got != "Copied" {
			t.Errorf("%s: the button says %q", ex.name, got)
		}
		b.do(t, chromedp.Evaluate[chromedp.Void](`document.querySelector(".script").open = true`), chromedp.Click(".script .copy", chromedp.NodeVisible), chromedp.Sleep(100*time.Millisecond))
		if got, want := eval[string](t, b, `navigator.clipboard.readText()`), run.Findings[0].Reproducer; got != want {
			t.Errorf("%s: copied reproducer\n%q\nwant\n%q", ex.name, got, want)
		}
	}
}

// TestConsumerBrowserShows opens each page in both schemes and two widths and
// asks axe-core for violations.
func TestConsumerBrowserShows(t *testing.T) {
	parent := newBrowser(t)
	axe, err := os.ReadFile(os.Getenv("KVRACE_AXE"))
	if err != nil {
		t.Fatalf("KVRACE_AXE must name axe.min.js: %v", err)
	}
	for _, ex := range append(exampleRuns, struct {
		name string
		run  func(testing.TB) *Run
	}{"many", func(testing.TB) *Run { return many(60) }}) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 375} {
				name := fmt.Sprintf("%s-%s-%d", ex.name, scheme, width)
				b := open(t, parent, ex.run(t), width, scheme)
				if over := eval[int](t, b, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
					t.Errorf("%s: the page is %d pixels too wide", name, over)
				}
				b.screenshot(t, name)
				b.do(t, chromedp.Evaluate[chromedp.Void](string(axe)+"; null"))
				violations := eval[[]string](t, b, `axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
					.then(r => r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 120) + " " + n.failureSummary)))`)
				for _, v := range violations {
					t.Errorf("%s: axe: %s", name, v)
				}
			}
		}
	}
}

// TestConsumerBrowserWithoutScript checks that the page can be read, and shows
// no dead control, where scripts do not run.
func TestConsumerBrowserWithoutScript(t *testing.T) {
	b := open(t, newBrowser(t), exampleRun(t), 1280, "light")
	call(t, b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.do(t, chromedp.Navigate(b.url))
	b.screenshot(t, "example-noscript")
	text := get(t, b, chromedp.Text("main"))
	for _, want := range []string{"routes[ticket] is removed on every STOP", "self.routes.pop(ticket, None)", "7 missing -> continue"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q cannot be read", want)
		}
	}
	for _, dead := range []string{"Copy patch", "Open all"} {
		if strings.Contains(text, dead) {
			t.Errorf("%q is shown and does nothing", dead)
		}
	}
}

func TestConsumerBrowserPrints(t *testing.T) {
	b := open(t, newBrowser(t), many(60), 1280, "light")
	pdf := get(t, b, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if dir := os.Getenv("KVRACE_SCREENSHOTS"); dir != "" {
		writeFile(t, filepath.Join(dir, "many.pdf"), pdf)
	}
	if len(pdf) < 20_000 {
		t.Errorf("a document of %d bytes does not hold 60 findings", len(pdf))
	}
}
