package component_test

import (
	"testing"

	"github.com/kvrace/kvrace/parser/facts/component"
)

// TestMade holds what can meet on the object that an entrypoint makes: nothing, as
// long as nobody else gets to know it.
func TestMade(t *testing.T) {
	for _, tt := range []struct {
		name, parts, serve string
		want               component.Parallelism
	}{
		{"a new object for each run", "{}", "conn = Conn(ws)\n        await conn.run()", component.Ordered},
		{"handed on", "{}", "conn = Conn(ws)\n        self.last = conn\n        await self.last.run()", component.AtAwait},
		{"kept before", "{}", "conn = self.spare\n        await conn.run()", component.AtAwait},
		{"a container that is stored in it", "{}", "conn = Conn(ws)\n        conn.parts = self.shared\n        await conn.run()", component.AtAwait},
		{"a container that is passed in", "parts", "conn = Conn(ws, self.shared)\n        await conn.run()", component.AtAwait},
	} {
		t.Run(tt.name, func(t *testing.T) {
			comps := components(t, `
import asyncio

class Conn:
    def __init__(self, ws, parts=None):
        self.ws = ws
        self.parts = `+tt.parts+`

    async def run(self):
        while True:
            part = await self.ws.receive()
            self.parts[part] = 1
            await self.ws.send(1)
            self.parts.pop(part, None)

class Server:
    def __init__(self):
        self.last: "Conn | None" = None
        self.spare = Conn(None)
        self.shared = {}

    async def serve(self, ws):
        `+tt.serve+`

class Door:
    def __init__(self, server: Server):
        self.server = server

    async def accept(self, sock):
        while True:
            asyncio.create_task(self.server.serve(await sock.accept()))
`)
			steps := 0
			for _, c := range comps {
				for _, g := range c.Groups {
					for _, l := range g.Locs {
						for _, a := range c.Accesses(l) {
							if a.Entry.Name() != "Server.serve" {
								continue
							}
							steps++
							if got := c.Meet(a.Entry, a); got != tt.want {
								t.Errorf("%s in %s: parallelism of two runs is %d, want %d", l.Name, c.Class.Name, got, tt.want)
							}
						}
					}
				}
			}
			if steps == 0 {
				t.Error("no step to ask about")
			}
		})
	}
}
