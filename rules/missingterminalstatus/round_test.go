package missingterminalstatus_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/checker"
	"github.com/kvrace/kvrace/rules/missingterminalstatus"
	"github.com/kvrace/kvrace/rules/rule"
)

// TestRound checks where a round that raises is offered to finish first, and that it is
// not where what is behind its loop is not all that a round ends with.
func TestRound(t *testing.T) {
	src, err := os.ReadFile("testdata/raise_in_poll_loop_racy.py")
	if err != nil {
		t.Fatal(err)
	}
	const (
		start  = "        moving = []\n"
		loop   = "        for transfer in self.transfers:\n"
		raise  = "                raise RuntimeError(\"transfer %r failed\" % transfer.rid)  # want \"round|transfers\"\n"
		done   = "            if state == \"done\":\n                self.answer(transfer.rid, None)\n"
		keep   = "                moving.append(transfer)\n"
		stored = "        self.transfers = moving\n"
	)
	for _, tt := range []struct {
		name     string
		old, new string
		offered  bool
	}{
		{"as it is", stored, stored, true},
		{"an elif", "            if state == \"done\"", "            elif state == \"done\"", true},
		{"logged before", raise, "                print(transfer.rid)\n" + raise, true},
		{"over a copy", loop, strings.Replace(loop, "self.transfers", "list(self.transfers)", 1), true},
		{"assignments behind", stored, stored + "        self.waiting = len(moving)\n", true},
		{"what was raised already", raise, strings.Replace(raise, "RuntimeError(\"transfer %r failed\" % transfer.rid)", "transfer.link.error", 1), false},
		{"raised from", raise, strings.Replace(raise, "transfer.rid)", "transfer.rid) from None", 1), false},
		{"the answer is used", stored, stored + "        return moving\n", false},
		{"left early", loop, loop + "            if not transfer.link:\n                return\n", false},
		{"stopped early", keep, keep + "            if len(moving) > 8:\n                break\n", false},
		{"an else", stored, "        else:\n            print(moving)\n" + stored, false},
		{"a call behind that may raise", stored, stored + "        self.answer(None, len(moving))\n", false},
		{"a call in what is stored", stored, "        self.transfers = self.answer(None, moving)\n", false},
		{"nothing stored", stored, "        print(moving)\n", false},
		{"stored only at times", stored, "        if moving:\n            self.transfers = moving\n", false},
		{"kept before", "            state = transfer.poll()\n", "            state = transfer.poll()\n            moving.append(transfer)\n", false},
		{"something else kept", keep, "                moving.append((transfer, state))\n", false},
		{"not empty before", start, "        moving = list(self.transfers)\n", false},
		{"counted behind", keep, keep + "            self.polled = transfer.rid\n", false},
		{"another loop around", "    def round(self):\n", "    def round(self):\n        while self.transfers:\n            self.once()\n\n    def once(self):\n", true},
		{"polled where it is asked", "            state = transfer.poll()\n            if state == \"failed\"", "            if (state := transfer.poll()) == \"failed\"", true},
		{"something given back", done, done + "                self.answer.pool.free(transfer.rid)\n", false},
		{"a generator", keep, keep + "                yield transfer\n", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(string(src), tt.old, tt.new, 1)
			if tt.old != tt.new && text == string(src) {
				t.Fatal("nothing is replaced")
			}
			check(t, text, tt.offered)
		})
	}
	noted := strings.Replace(string(src), "        self.transfers = []\n", "        self.transfers = []\n        self.busy = {}\n", 1)
	noted = strings.Replace(noted, "Transfer(rid, link))\n", "Transfer(rid, link))\n        self.busy[rid] = link\n", 1)
	const drops = "self.busy.pop(transfer.rid, None)\n"
	t.Run("noted when it is done", func(t *testing.T) {
		check(t, strings.Replace(noted, done, done+"                "+drops, 1), false)
	})
	t.Run("noted before", func(t *testing.T) {
		asked := "            if state == \"failed\":\n"
		check(t, strings.Replace(noted, asked, "            if state == \"done\":\n                "+drops+asked, 1), false)
	})
	t.Run("noted of each", func(t *testing.T) {
		check(t, strings.Replace(noted, loop, loop+"            "+drops, 1), true)
	})
	t.Run("finally", func(t *testing.T) {
		head, body, _ := strings.Cut(string(src), start)
		body = strings.ReplaceAll(start+body, "\n        ", "\n            ")
		check(t, head+"        try:\n    "+strings.TrimRight(body, " ")+"        finally:\n            print(self.transfers)\n", false)
	})
	t.Run("dropped by who catches it", func(t *testing.T) {
		check(t, string(src)+"\n    def drop(self, transfer):\n        self.transfers.remove(transfer)\n", false)
	})
}

func check(t *testing.T, text string, offered bool) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run, err := checker.Run(context.Background(), checker.Options{
		Rules: []*rule.Rule{missingterminalstatus.Rule}, NoWitness: true, Files: []checker.File{{Name: "a.py", Path: name}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Errors) > 0 {
		t.Fatal(run.Errors)
	}
	has := false
	for _, f := range run.Findings {
		for _, p := range f.Patches {
			has = has || p.Verified
		}
	}
	if has != offered {
		t.Errorf("%d findings, a verified patch is offered: %v\n%s", len(run.Findings), has, text)
	}
}
