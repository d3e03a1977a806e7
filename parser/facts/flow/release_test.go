package flow

import "testing"

func TestAcquires(t *testing.T) {
	tests := []struct {
		name, verb string
		want       bool
	}{
		{"alloc", "free", true},
		{"alloc_buffer", "free", true},
		{"receive_slot_alloc", "free", true},
		{"get_slot", "free", true},
		{"pre_allocate", "free", true},
		{"can_alloc", "free", false},
		{"num_alloc", "free", false},
		{"tell_after_alloc", "free", false},
		{"before_register", "unregister", false},
		{"alloc_after_register", "free", true},
		{"pin", "unlock", false},
	}
	for _, tt := range tests {
		if got := Acquires(tt.name, tt.verb); got != tt.want {
			t.Errorf("Acquires(%q, %q) = %v, want %v", tt.name, tt.verb, got, tt.want)
		}
	}
}

func TestAcquired(t *testing.T) {
	for name, want := range map[string]string{"alloc_receive_slot": "receive_slot", "slot_alloc": "slot", "alloc": "", "other": ""} {
		if got := Acquired(name, "free"); got != want {
			t.Errorf("Acquired(%q) = %q, want %q", name, got, want)
		}
	}
}
