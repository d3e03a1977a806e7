//go:build !man

package main

import "github.com/spf13/cobra"

// manCommands returns nothing: see man.go.
func manCommands() []*cobra.Command { return nil }
