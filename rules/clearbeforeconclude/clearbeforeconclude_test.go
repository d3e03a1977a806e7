package clearbeforeconclude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kvrace/kvrace/rules/clearbeforeconclude"
	"github.com/kvrace/kvrace/rules/ruletest"
)

func Test(t *testing.T) { ruletest.Run(t, clearbeforeconclude.Rule) }

// board is a program that ends a job in some way.
const board = `import threading


class Board:
    def __init__(self, wire):
        self.wire = wire
        self.idle = threading.Event()
        self.lock = threading.Lock()
        self.ends = threading.Lock()
        self.rows = {}
        self.jobs = {}
        threading.Thread(target=self._hear, daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            with self.lock:
                if not self.rows:
                    self.idle.set()

    def _hear(self):
        while True:
            number = self.wire.recv()
            job = self.jobs.get(number)
            if job is not None:
                job.fail("lost")


class Job:
    def __init__(self, board: Board, number, row):
        self.board = board
        self.number = number
        self.verdict = None
        with board.lock:
            board.rows[number] = row
        board.jobs[number] = self

    def _end(self, verdict):
        with self.board.ends:
            self.verdict = verdict

    def _end_last(self, verdict):
        if not self.board.rows:
            self.board.wire.idle()
        self.verdict = verdict

    def fail(self, why):
FAIL

    def state(self):
        with self.board.ends:
            if self.verdict is not None:
                return self.verdict
            with self.board.lock:
                return self.board.rows[self.number].state

    def clear(self):
        with self.board.lock:
            self.board.rows.pop(self.number, None)
        self.board.jobs.pop(self.number, None)
`

// TestUnpatched holds that nothing is suggested where no order of the statements is right.
func TestUnpatched(t *testing.T) {
	for name, fail := range map[string]string{
		"another lock under one that is acquired": "self.board.lock.acquire()\nself.board.rows.pop(self.number, None)\nself.board.lock.release()\nself._end(why)",
		"out of a lock that is acquired":          "self.board.lock.acquire()\nself.board.rows.pop(self.number, None)\nself.board.lock.release()\nwith self.board.ends:\n    self.verdict = why",
		"somebody waits for the entry to go":      "with self.board.lock:\n    self.board.rows.pop(self.number, None)\nself.board.idle.wait()\nself.verdict = 'over' if self.board.word else 'cut'",
		"the conclusion asks what is left":        "self.board.rows.pop(self.number, None)\nself._end_last(why)",
		"something asks what is left":             "self.board.rows.pop(self.number, None)\nself.board.wire.report(len(self.board.rows))\nself.verdict = 'over' if self.board.wire.bye() else 'cut'",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "board.py")
			body := "        " + strings.ReplaceAll(fail, "\n", "\n        ")
			if err := os.WriteFile(path, []byte(strings.Replace(board, "FAIL", body, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			run := ruletest.Check(t, path, clearbeforeconclude.Rule)
			if len(run.Findings) == 0 {
				t.Fatal("nothing is found")
			}
			for _, f := range run.Findings {
				for _, p := range f.Patches {
					t.Errorf("%s: %s\n%s", f.Message, p.Description, p.Diff)
				}
			}
		})
	}
}
