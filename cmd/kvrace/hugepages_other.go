//go:build !linux

package main

// useHugePages does nothing where the system decides alone.
func useHugePages() {}
