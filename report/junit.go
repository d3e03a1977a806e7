package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// JUnit's XML has no specification; ours keeps to the schema of Windy Road
// for Ant's, the strictest in use, and so to what Jenkins, GitLab and Azure
// read: each rule is a test suite, each of its findings a failed case, and a
// rule without findings has one case that passed. What could not be analyzed
// is the suite "analysis", with errors. The time stamp, which the schema wants,
// is always the epoch, so that equal runs give equal bytes.

const junitTimestamp = "1970-01-01T00:00:00"

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Package    string      `xml:"package,attr"`
	ID         int         `xml:"id,attr"`
	Name       string      `xml:"name,attr"`
	Timestamp  string      `xml:"timestamp,attr"`
	Hostname   string      `xml:"hostname,attr"`
	Tests      int         `xml:"tests,attr"`
	Failures   int         `xml:"failures,attr"`
	Errors     int         `xml:"errors,attr"`
	Time       string      `xml:"time,attr"`
	Properties struct{}    `xml:"properties"`
	Cases      []junitCase `xml:"testcase"`
	Out        string      `xml:"system-out"`
	Err        string      `xml:"system-err"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes run as a JUnit test report.
func JUnit(w io.Writer, run *Run) error {
	short := shortFingerprints(run.Findings)
	cases := make(map[string][]junitCase)
	var extra []string // rules with findings that run.Rules does not list
	listed := make(map[string]bool)
	for _, rule := range run.Rules {
		listed[rule.ID] = true
	}
	for i := range run.Findings {
		f := &run.Findings[i]
		if !listed[f.Rule] {
			listed[f.Rule] = true
			extra = append(extra, f.Rule)
		}
		cases[f.Rule] = append(cases[f.Rule], findingCase(f, short[f.Fingerprint]))
	}
	var doc junitSuites
	for _, rule := range run.Rules {
		doc.add(rule.ID, rule.ID+" "+rule.Name, cases[rule.ID])
	}
	for _, id := range extra {
		doc.add(id, id, cases[id])
	}
	doc.add("analysis", "analysis", errorCases(run))

	b := bufio.NewWriter(w)
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(b)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write JUnit report: %w", err)
	}
	b.WriteByte('\n')
	return b.Flush()
}

// add appends a suite; one without cases gets a case that passed.
func (doc *junitSuites) add(id, name string, cases []junitCase) {
	suite := junitSuite{
		Package: "kvrace", ID: len(doc.Suites), Name: visible(name),
		Timestamp: junitTimestamp, Hostname: "localhost", Time: "0", Cases: cases,
	}
	if len(cases) == 0 {
		suite.Cases = []junitCase{{Name: "no findings", Classname: visible(id), Time: "0"}}
	}
	suite.Tests = len(suite.Cases)
	for _, c := range cases {
		if c.Failure != nil {
			suite.Failures++
		} else {
			suite.Errors++
		}
	}
	doc.Suites = append(doc.Suites, suite)
}

func findingCase(f *Finding, fingerprint string) junitCase {
	return junitCase{
		Name:      fmt.Sprintf("%s:%d:%d", visible(f.File), f.Line, f.Column),
		Classname: visible(f.Rule),
		Time:      "0",
		Failure: &junitProblem{
			Message: visible(f.Message),
			Type:    f.Severity.String(),
			Text:    strings.Join(plainDetails(f, fingerprint), "\n"),
		},
	}
}

func errorCases(run *Run) []junitCase {
	var cases []junitCase
	for _, e := range run.Errors {
		cases = append(cases, junitCase{
			Name: visible(e.File), Classname: "analysis", Time: "0",
			Error: &junitProblem{Message: visible(e.Message), Type: "not analyzed", Text: visible(e.Error())},
		})
	}
	return cases
}
