// Package patch makes suggested fixes into checked diffs.
//
// An [Edit] replaces a range of bytes. Edits are applied in memory by [Apply],
// shown as a diff by [Unified], proved by [Check] and written to disk by
// [WriteFile]. Nothing here prints or decides what to change: rules do.
package patch
