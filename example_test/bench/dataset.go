// Package bench holds the suite that is measured beside other tools, and the
// samples for all of them. How to run it is in README.md.
package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ragomega/ragomega/ragtest"
)

var (
	towns   = strings.Fields("Aldmoor Birkwater Candle Drennan Eastlow Fernsound Gullhaven Hollin Ivershore Juniper Kelling Larkmere")
	given   = strings.Fields("Agnes Bruno Cora Dennis Elsa Ferdinand Gitta Henrik")
	family  = strings.Fields("Abel Brandt Castor Dahl Ekman Faber Grove Holm")
	stuffs  = strings.Fields("oak larch steel concrete granite ash")
	repairs = strings.Fields("painting heating lighting cleaning dredging")
	sides   = strings.Fields("north south east west")
)

// Samples makes n samples, the same ones every time: three contexts of about 44
// words, an answer of about 89 with one claim that no context supports, and a
// reference of about 44. The last of every ten repeats the one before it, as
// users ask the same question more than once; only its name is another.
func Samples(n int) []ragtest.Sample {
	samples := make([]ragtest.Sample, n)
	for i := range samples {
		if i%10 == 9 {
			samples[i] = samples[i-1]
		} else {
			samples[i] = sample(i)
		}
		samples[i].Name = fmt.Sprintf("landing-%03d", i+1)
	}
	return samples
}

func sample(i int) ragtest.Sample {
	r := rand.New(rand.NewPCG(uint64(i), 1))
	pick := func(words []string) string { return words[r.IntN(len(words))] }
	between := func(low, high int) int { return low + r.IntN(high-low+1) }
	town := fmt.Sprintf("%s %d", towns[i%len(towns)], i+1)
	opened := between(1850, 1960)
	facts := []string{
		fmt.Sprintf("The ferry landing of %s was opened in %d, after %d years of careful planning.", town, opened, between(2, 9)),
		fmt.Sprintf("It was drawn by %s %s, who had built %d smaller landings on other lakes.", pick(given), pick(family), between(2, 20)),
		fmt.Sprintf("Its pier is made of %s, reaches %d metres into the lake and carries %d lamps.", pick(stuffs), between(20, 180), between(4, 40)),
		fmt.Sprintf("The works cost %d thousand crowns, of which the town paid %d thousand.", between(300, 900), between(20, 250)),
		fmt.Sprintf("About %d thousand passengers come every year, most of them between May and September.", between(10, 400)),
		fmt.Sprintf("A storm in %d broke the northern railing, which was mended within %d weeks.", opened+between(3, 30), between(2, 12)),
		fmt.Sprintf("The council of %s has run the landing since %d and pays for its %s.", town, opened+between(31, 60), pick(repairs)),
		fmt.Sprintf("The first boat leaves at %d in the morning, and the last one returns at %d.", between(5, 9), between(17, 23)),
		fmt.Sprintf("Every boat has room for %d bicycles, but on Sundays a bicycle needs its own ticket.", between(6, 60)),
	}
	some := func(k int) []string {
		at := r.Perm(len(facts))[:k]
		slices.Sort(at)
		var text []string
		for _, f := range at {
			text = append(text, facts[f])
		}
		return text
	}
	wrong := fmt.Sprintf("Some say that the landing was moved %d metres to the %s in %d.", between(5, 90), pick(sides), between(1970, 2020))
	return ragtest.Sample{
		UserInput:         fmt.Sprintf("What is there to know about the ferry landing of %s?", town),
		Response:          strings.Join(append(some(5), wrong), " "),
		Reference:         strings.Join(some(3), " "),
		RetrievedContexts: []string{strings.Join(facts[:3], " "), strings.Join(facts[3:6], " "), strings.Join(facts[6:], " ")},
	}
}
