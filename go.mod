module github.com/kvrace/kvrace

go 1.26
