//go:build !unix

// Package peak tells how much memory a process has had at once at the most.
package peak

import "os"

// Self returns 0: the system is not asked here.
func Self() int64 { return 0 }

// Of returns 0: the system is not asked here.
func Of(*os.ProcessState) int64 { return 0 }
