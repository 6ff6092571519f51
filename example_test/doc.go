// Package example_test is a complete suite in plain go test: it judges the
// answers of a small RAG assistant (see assistant), and replays what a real
// model said about them, without a key or a network. The folder ginkgo has the
// same as a Ginkgo suite.
package example_test

// Go takes a test file of a package called …_test for an external test, unless
// it has seen a file before that gives the package this name. So no file of this
// folder may sort before doc.go.
