package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestTableHasMediansAndRatios(t *testing.T) {
	g := NewWithT(t)
	ours := subject{name: "ragomega, test binary", ours: true, phases: []string{cold}}
	peer := subject{name: "Peer 1.0", phases: []string{cold}}
	took := func(wall, cpu, calls int) map[string]figures {
		return map[string]figures{cold: {time.Duration(wall) * time.Second, time.Duration(cpu) * time.Second, calls, 8}}
	}
	table := newTable(2, 0)
	for _, seconds := range []int{3, 1, 2} {
		table.add(ours, took(seconds, 1, 8))
		table.add(peer, took(10*seconds, 25, 7+seconds))
	}
	g.Expect(table.String()).To(Equal(`### 2 samples, judge's latency 0s

| runner | phase | wall s | CPU s | calls | unique requests |
|---|---|---|---|---|---|
| ragomega, test binary | cold | 2.00 (1.00-3.00) | 1.00 (1.00-1.00) | 8 | 8 |
| Peer 1.0 | cold | 20.00 (10.00-30.00) | 25.00 (25.00-25.00) | 8-10 | 8 |

| peer ÷ ragomega | phase | CPU, test binary | wall, test binary |
|---|---|---|---|
| Peer 1.0 | cold | 25 | 10 |
`))
	g.Expect(table.check()).To(Succeed())
}

func TestTableKnowsWhatOursMayAsk(t *testing.T) {
	for name, wrong := range map[string]map[string]figures{
		"a request was paid twice":  {cold: {calls: 9, unique: 8}, warm: {}},
		"nothing was asked at all":  {cold: {}, warm: {}},
		"something is asked again":  {cold: {calls: 8, unique: 8}, warm: {calls: 1, unique: 1}},
		"a request was asked twice": {cold: {calls: 8, unique: 8}, warm: {calls: 2, unique: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			table := newTable(2, 0)
			table.add(subject{name: "ragomega", ours: true, phases: []string{cold, warm}}, wrong)
			NewWithT(t).Expect(table.check()).To(HaveOccurred())
		})
	}
}
