package ragtest

import "testing"

func TestTestOf(t *testing.T) {
	for function, want := range map[string]string{
		"example.com/p.TestX":              "TestX",
		"example.com/p_test.TestX.func2.1": "TestX",
		"example.com/p.ExampleT_M":         "ExampleT_M",
		"example.com/p.BenchmarkX":         "BenchmarkX",
		"example.com/p.TestMain":           "",
		"example.com/p.helper":             "",
		"example.com/p.TestT.Method":       "",
	} {
		if got := testOf(function); got != want {
			t.Errorf("testOf(%q) is %q, want %q", function, got, want)
		}
	}
}
