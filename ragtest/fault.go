package ragtest

import (
	"fmt"
	"strings"
)

// Fault is the surface of a RAG system that broke.
type Fault string

// The faults, in the order in which they are looked for: what comes first makes
// what follows worse.
const (
	RetrievalMiss  Fault = "retrieval miss"         // the contexts lack what a good answer needs
	WrongSource    Fault = "wrong source"           // the answer is drawn from contexts that are wrong, such as a stale document
	BadRanking     Fault = "ranking"                // what is useful was found, and stands behind what is not
	Evasive        Fault = "evasive"                // the answer commits itself to nothing, though the contexts would let it
	ReaderInvents  Fault = "reader invents"         // the answer says what the contexts do not
	OffTopic       Fault = "off topic"              // the answer is to another question
	IgnoresContext Fault = "evidence ignored"       // the contexts have what the answer needs, and the answer is without it
	NoFault        Fault = "none"                   // every score that was asked for is there, and none is low
	Undiagnosed    Fault = "not enough to diagnose" // no score is low, and some are missing
)

// Faults returns all of them.
func Faults() []Fault {
	return []Fault{RetrievalMiss, WrongSource, BadRanking, Evasive, ReaderInvents, OffTopic, IgnoresContext, Undiagnosed, NoFault}
}

// Quadrant places an answer by whether it is faithful and whether it is relevant.
type Quadrant string

// The quadrants. An answer that is relevant and not faithful does most harm, as
// its reader has no reason to doubt it.
const (
	FaithfulRelevant     Quadrant = "faithful and relevant"
	FaithfulIrrelevant   Quadrant = "faithful, not relevant"
	UnfaithfulRelevant   Quadrant = "not faithful, relevant: the highest risk"
	UnfaithfulIrrelevant Quadrant = "neither faithful nor relevant"
	NoQuadrant           Quadrant = "unknown" // one of the two scores is missing
)

// Thresholds say below what a score is low. 0 leaves a metric out.
type Thresholds struct {
	ContextRecall, ContextPrecision, Faithfulness, AnswerRelevance, AnswerCorrectness float64
}

// Diagnosis says which surface of the system broke, and what to turn.
type Diagnosis struct {
	Sample   string
	Fault    Fault
	Also     []Fault // what else is low; it may follow from Fault
	Quadrant Quadrant
	Evidence []string // what shows it: scores, claims, ranks
	Lever    string   // what to try
}

// levers say what to try first.
var levers = map[Fault]string{
	RetrievalMiss:  "tune the retriever: more chunks (k), other chunk sizes, another embedding model, and look whether the document is in the index",
	WrongSource:    "look at the source: a stale or wrong document is in the index, or a newer one is not",
	BadRanking:     "rerank what is retrieved, or fetch more and cut later: what is far down is soon not read",
	Evasive:        "tell the model to answer what the contexts answer, and only then that it may not know",
	ReaderInvents:  "force the reader to keep to the contexts: ask for citations, give it fewer and shorter contexts, lower the temperature",
	OffTopic:       "look at the prompt, and at what becomes of the question before it is asked",
	IgnoresContext: "the reader leaves out what it was given: put the contexts nearer to the question, give it fewer, or ask for all that applies",
}

// String is the diagnosis in a few lines: the fault, its quadrant, what shows it, and
// what to try.
func (d Diagnosis) String() string {
	var b strings.Builder
	b.WriteString(d.Line())
	for _, e := range d.Evidence {
		b.WriteString("\n  " + e)
	}
	if d.Lever != "" {
		b.WriteString("\n  try: " + d.Lever)
	}
	return b.String()
}

// Line is the diagnosis in one line.
func (d Diagnosis) Line() string {
	line := fmt.Sprintf("%s: %s", d.Sample, d.Fault)
	if len(d.Also) > 0 {
		var also []string
		for _, f := range d.Also {
			also = append(also, string(f))
		}
		line += " (also " + strings.Join(also, ", ") + ")"
	}
	if d.Quadrant != NoQuadrant {
		line += "; " + string(d.Quadrant)
	}
	return line
}

// Diagnoses are those of the samples of a report.
type Diagnoses []Diagnosis

// Count returns how many samples have each fault first.
func (all Diagnoses) Count() map[Fault]int {
	n := map[Fault]int{}
	for _, d := range all {
		n[d.Fault]++
	}
	return n
}

// String counts the faults, and has a line for each sample with one.
func (all Diagnoses) String() string {
	n := all.Count()
	var counts, lines []string
	for _, f := range Faults() {
		if n[f] > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", f, n[f]))
		}
	}
	for _, d := range all {
		if d.Fault != NoFault {
			lines = append(lines, "\n  "+d.Line())
		}
	}
	return strings.Join(counts, ", ") + strings.Join(lines, "")
}
