// Package patch makes suggested fixes into checked diffs.
//
// An [Edit] replaces a range of bytes. An [Editor] builds the edits of a
// Python file that a fix is made of, such as moving a statement or putting
// some under a lock. Edits are applied in memory by [Apply], shown as a diff
// by [Unified], proved by [Check] and written to disk by [WriteFile]. Nothing
// here decides what to change: rules do.
package patch
