module github.com/kvrace/kvrace

go 1.26.0

require (
	github.com/sergi/go-diff v1.4.0
	golang.org/x/text v0.44.0
)
