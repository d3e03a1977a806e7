package report

import "fmt"

// Severity ranks how much a finding matters. The zero value is SeverityError.
type Severity int

// The severities, most severe first.
const (
	SeverityError Severity = iota
	SeverityWarning
	SeverityNote
)

// Confidence ranks how sure a finding is. The zero value is Possible.
type Confidence int

// The confidences, least sure first.
const (
	// Possible: the pattern holds, and a search has excluded every schedule that shows it.
	Possible Confidence = iota
	// Likely: the pattern holds, and nothing is said against it.
	Likely
	// Confirmed: a schedule was found, and replayed on the code as it is and as patched.
	Confirmed
)

// Role says what a related location is to its finding.
type Role int

// The roles.
const (
	RoleContext     Role = iota // anything else that the message speaks of
	RoleGuard                   // the condition that can be false
	RoleRival                   // what another entrypoint does
	RoleSpawn                   // where a thread starts
	RoleSibling                 // where a parallel class does it right
	RoleConsequence             // where the consequence shows
	RoleOther                   // a further place with the same cause
)

// Verdict says how a witness search ended.
type Verdict int

// The verdicts.
const (
	VerdictBound    Verdict = iota // nothing is known: the bound was reached, or the model lacks something
	VerdictFound                   // a schedule violates the property
	VerdictExcluded                // no schedule within the model does
)

// Safety says whether a patch may be applied without review.
type Safety int

// The safeties.
const (
	// SafetyReview marks a patch that changes what the program does on
	// schedules without the fault.
	SafetyReview Safety = iota
	// SafetySafe marks a patch that changes only faulty schedules.
	SafetySafe
)

// Suppressor says what held a finding back.
type Suppressor int

// The suppressors.
const (
	SuppressedInSource   Suppressor = iota // a comment beside the code
	SuppressedByBaseline                   // the baseline, or a former revision, has it too
)

// AccessKind says what an access does to an entry.
type AccessKind int

// The access kinds.
const (
	ReadStrict      AccessKind = iota // d[k]
	ReadTolerant                      // d.get(k)
	Contains                          // k in d
	Insert                            // d[k] = v for a new key
	Upsert                            // creates or changes: setdefault, +=, a defaultdict read
	RemoveStrict                      // del d[k], d.pop(k), d.remove(k)
	RemoveTolerant                    // d.pop(k, None), d.discard(k)
	IterateLive                       // for x in d
	IterateSnapshot                   // for x in list(d)
	Drain                             // takes every entry
	Rebind                            // puts another container in its place
)

var (
	severityNames   = [...]string{"error", "warning", "note"}
	confidenceNames = [...]string{"possible", "likely", "confirmed"}
	roleNames       = [...]string{"context", "guard", "rival", "spawn", "sibling", "consequence", "other"}
	verdictNames    = [...]string{"bound", "found", "excluded"}
	safetyNames     = [...]string{"review", "safe"}
	accessKindNames = [...]string{"read-strict", "read-tolerant", "contains", "insert", "upsert", "remove-strict",
		"remove-tolerant", "iterate-live", "iterate-snapshot", "drain", "rebind"}
)

func (s Severity) String() string   { return severityNames[s] }
func (c Confidence) String() string { return confidenceNames[c] }
func (r Role) String() string       { return roleNames[r] }
func (v Verdict) String() string    { return verdictNames[v] }
func (s Safety) String() string     { return safetyNames[s] }
func (k AccessKind) String() string { return accessKindNames[k] }

// MarshalText returns the name of the value, as in the JSON format.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText returns the name of the value, as in the JSON format.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns the name of the value, as in the JSON format.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// MarshalText returns the name of the value, as in the JSON format.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// MarshalText returns the name of the value, as in the JSON format.
func (s Safety) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText returns the name of the value, as in the JSON format.
func (k AccessKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText accepts the names that MarshalText writes.
func (s *Severity) UnmarshalText(b []byte) error {
	return parseName(s, severityNames[:], b, "severity")
}

// UnmarshalText accepts the names that MarshalText writes.
func (c *Confidence) UnmarshalText(b []byte) error {
	return parseName(c, confidenceNames[:], b, "confidence")
}

// UnmarshalText accepts the names that MarshalText writes.
func (r *Role) UnmarshalText(b []byte) error { return parseName(r, roleNames[:], b, "role") }

// UnmarshalText accepts the names that MarshalText writes.
func (v *Verdict) UnmarshalText(b []byte) error { return parseName(v, verdictNames[:], b, "verdict") }

// UnmarshalText accepts the names that MarshalText writes.
func (s *Safety) UnmarshalText(b []byte) error { return parseName(s, safetyNames[:], b, "safety") }

// UnmarshalText accepts the names that MarshalText writes.
func (k *AccessKind) UnmarshalText(b []byte) error {
	return parseName(k, accessKindNames[:], b, "access kind")
}

// parseName sets *v to the index of name b among names.
func parseName[T ~int](v *T, names []string, b []byte, what string) error {
	for i, name := range names {
		if name == string(b) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("unknown %s %q", what, b)
}
