package report

// A KeyGroup is the containers of one component that are indexed by the same
// value: what the map command prints, and what a reader needs to judge a
// finding.
type KeyGroup struct {
	Component  string      `json:"component"`
	Key        string      `json:"key"` // as the component's code calls it; empty for containers used as a whole
	Containers []Container `json:"containers"`
	// Entrypoints are those that reach one of the containers, by name.
	Entrypoints []Entrypoint `json:"entrypoints"`
	// Statuses are the values of the group's status map, if it has one.
	Statuses []Status `json:"statuses"`
}

// A Container is one keyed container of a group.
type Container struct {
	Name    string   `json:"name"`  // attribute or global
	Owner   string   `json:"owner"` // class or module that holds it
	Type    string   `json:"type"`  // dict, set, list, deque and so on; empty when not known
	Created Location `json:"created"`
	// The accesses are sorted by location.
	Inserts  []Access `json:"inserts"`
	Reads    []Access `json:"reads"`
	Removals []Access `json:"removals"`
}

// An Access is one operation on an entry of a container.
type Access struct {
	Location
	Kind AccessKind `json:"kind"`
	// Key is the key as the source writes it; empty for an access to the whole
	// container.
	Key      string `json:"key,omitempty"`
	Function string `json:"function"`
	// Entrypoints are the qualified names of those that reach it.
	Entrypoints []string `json:"entrypoints"`
	// Locks are those held at the access.
	Locks []string `json:"locks"`
	// Guard is the source text of the condition that dominates the access;
	// empty when there is none.
	Guard string `json:"guard,omitempty"`
}

// An Entrypoint is a function in which a thread of control begins.
type Entrypoint struct {
	Name string `json:"name"` // qualified
	Role string `json:"role"` // thread, pool, task, callback, hook and so on
	// Many reports whether several threads can run it at a time.
	Many   bool       `json:"many"`
	Spawns []Location `json:"spawns"` // where it is started; none for a hook
}

// A Status is one value of a status map.
type Status struct {
	Container string   `json:"container"`
	Value     string   `json:"value"`
	Terminal  bool     `json:"terminal"` // whether the poller lets go of the request
	Writers   []Access `json:"writers"`
	Readers   []Access `json:"readers"`
}
