package report

// The parts of SARIF 2.1.0 that kvrace writes; names and comments as in
// https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html.

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name            string            `json:"name"`
	FullName        string            `json:"fullName,omitempty"`
	Version         string            `json:"version,omitempty"`
	SemanticVersion string            `json:"semanticVersion,omitempty"`
	InformationURI  string            `json:"informationUri"`
	Rules           []sarifDescriptor `json:"rules"`
	Notifications   []sarifDescriptor `json:"notifications"`
}

type sarifDescriptor struct {
	ID               string              `json:"id"`
	Name             string              `json:"name,omitempty"`
	ShortDescription *sarifText          `json:"shortDescription,omitempty"`
	FullDescription  *sarifText          `json:"fullDescription,omitempty"`
	Help             *sarifText          `json:"help,omitempty"`
	HelpURI          string              `json:"helpUri,omitempty"`
	Default          *sarifConfiguration `json:"defaultConfiguration,omitempty"`
	Properties       *sarifRuleBag       `json:"properties,omitempty"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifRuleBag struct {
	Precision       string   `json:"precision"`
	ProblemSeverity string   `json:"problem.severity"`
	Tags            []string `json:"tags"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifResult struct {
	RuleID              string             `json:"ruleId"`
	RuleIndex           *int               `json:"ruleIndex,omitempty"`
	Level               string             `json:"level"`
	Message             sarifText          `json:"message"`
	Locations           []sarifLocation    `json:"locations"`
	RelatedLocations    []sarifLocation    `json:"relatedLocations,omitempty"`
	CodeFlows           []sarifCodeFlow    `json:"codeFlows,omitempty"`
	Fixes               []sarifFix         `json:"fixes,omitempty"`
	PartialFingerprints map[string]string  `json:"partialFingerprints"`
	BaselineState       string             `json:"baselineState,omitempty"`
	Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
	Properties          sarifResultBag     `json:"properties"`
}

type sarifResultBag struct {
	Confidence string   `json:"confidence"`
	Component  string   `json:"component,omitempty"`
	Entrypoint string   `json:"entrypoint,omitempty"`
	Containers []string `json:"containers,omitempty"`
	Key        string   `json:"key,omitempty"`
}

type sarifLocation struct {
	ID       *int          `json:"id,omitempty"`
	Message  *sarifText    `json:"message,omitempty"`
	Physical sarifPhysical `json:"physicalLocation"`
	Logical  []sarifPlace  `json:"logicalLocations,omitempty"`
}

type sarifPlace struct {
	FullyQualifiedName string `json:"fullyQualifiedName"`
	Kind               string `json:"kind"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
	Context  *sarifRegion  `json:"contextRegion,omitempty"`
}

type sarifArtifact struct {
	URI       string `json:"uri"`
	URIBaseID string `json:"uriBaseId"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn,omitempty"`
	EndLine     int        `json:"endLine,omitempty"`
	EndColumn   int        `json:"endColumn,omitempty"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifCodeFlow struct {
	Message     sarifText         `json:"message"`
	ThreadFlows []sarifThreadFlow `json:"threadFlows"`
}

type sarifThreadFlow struct {
	ID        string         `json:"id"`
	Message   sarifText      `json:"message"`
	Locations []sarifFlowLoc `json:"locations"`
}

type sarifFlowLoc struct {
	Location       sarifLocation        `json:"location"`
	State          map[string]sarifText `json:"state,omitempty"`
	ExecutionOrder int                  `json:"executionOrder"`
	Importance     string               `json:"importance"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification,omitempty"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Descriptor sarifReference  `json:"descriptor"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations,omitempty"`
}

type sarifReference struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

type sarifAutomation struct {
	ID string `json:"id"`
}
