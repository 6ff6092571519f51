// Package specs is the suite of package example_test for Ginkgo: the same
// answers, the same judge, the same scores. Run it with go test or with
// ginkgo -p.
package specs
