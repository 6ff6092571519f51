package lexical_test

import (
	"fmt"
	"strings"

	"github.com/ragomega/ragomega/ragtest/lexical"
)

const (
	answer    = "The library is closed on Sundays."
	reference = "On Sundays the library is closed."
)

func ExampleLevenshtein() {
	fmt.Printf("%.2f\n", lexical.Levenshtein("café", "cafe"))
	fmt.Printf("%.2f\n", lexical.Levenshtein(answer, reference))
	// Output:
	// 0.75
	// 0.30
}

func ExampleLevenshteinDistance() {
	fmt.Println(lexical.LevenshteinDistance("kitten", "sitting"))
	// Output: 3
}

func ExampleHamming() {
	fmt.Printf("%.3f\n", lexical.Hamming("A-1034", "A-1043"))
	// Output: 0.667
}

func ExampleHammingDistance() {
	fmt.Println(lexical.HammingDistance("A-1034", "A-1043-X"))
	// Output: 4
}

func ExampleJaro() {
	fmt.Printf("%.3f\n", lexical.Jaro("MARTHA", "MARHTA"))
	// Output: 0.944
}

func ExampleJaroWinkler() {
	fmt.Printf("%.3f\n", lexical.JaroWinkler("MARTHA", "MARHTA"))
	// Output: 0.961
}

func ExampleBLEU() {
	s := lexical.BLEU{Lowercase: true}.Compare(answer, reference)
	fmt.Printf("%.3f of %d tokens\n", s.Value, s.Answer)
	for _, o := range s.Orders {
		fmt.Println(o.Order, o.Shared, "of", o.Answer)
	}
	// Output:
	// 0.508 of 7 tokens
	// 1 7 of 7
	// 2 4 of 6
	// 3 2 of 5
	// 4 1 of 4
}

func ExampleBLEU_chinese() {
	chinese := lexical.BLEU{Tokenize: lexical.Characters}
	fmt.Printf("%.3f\n", chinese.Compare("图书馆星期日不开放。", "图书馆星期天不开放。").Value)
	// Output: 0.658
}

func ExampleSmoothing() {
	for _, smooth := range []lexical.Smoothing{lexical.SmoothExp, lexical.SmoothFloor, lexical.SmoothAddK, lexical.SmoothNone} {
		s := lexical.BLEU{Smooth: smooth}.Compare("closed on all Sundays", "closed on Sundays")
		fmt.Printf("%v %.3f\n", smooth, s.Value)
	}
	// Output:
	// exp 0.354
	// floor 0.188
	// add-k 0.500
	// none 0.000
}

func ExampleROUGE() {
	words := lexical.ROUGE{N: 1}.Compare(answer, "The library is closing.")
	order := lexical.ROUGE{}.Compare(answer, reference)
	fmt.Printf("ROUGE-1 precision %.2f, recall %.2f, F1 %.2f\n", words.Precision(), words.Recall(), words.F1)
	fmt.Printf("ROUGE-L F1 %.2f\n", order.F1)
	// Output:
	// ROUGE-1 precision 0.67, recall 1.00, F1 0.80
	// ROUGE-L F1 0.67
}

func ExampleROUGE_anyScript() {
	s := lexical.ROUGE{N: 2, Tokenize: lexical.UnicodeWords}.Compare("Библиотека закрыта в воскресенье.", "В воскресенье библиотека закрыта.")
	fmt.Printf("%.3f\n", s.F1)
	// Output: 0.667
}

func ExampleChrF() {
	fmt.Printf("chrF2   %.3f\n", lexical.ChrF{}.Compare(answer, reference).Value)
	fmt.Printf("chrF2++ %.3f\n", lexical.ChrF{WordOrder: 2}.Compare(answer, reference).Value)
	// Output:
	// chrF2   0.785
	// chrF2++ 0.720
}

func ExampleOverlap() {
	o := lexical.ROUGE{N: 1}.Compare("The lift is broken again.", "The lift is open.").Overlap
	fmt.Printf("%d of %d: %.2f\n", o.Shared, o.Reference, o.Recall())
	fmt.Println("missing:", o.Missing.First)
	fmt.Println("extra:  ", o.Extra.First)
	// Output:
	// 3 of 4: 0.75
	// missing: [open]
	// extra:   [broken again]
}

func ExampleTokenizer() {
	lines := func(text string) []string { return strings.Split(text, "\n") }
	o := lexical.ROUGE{Tokenize: lines}.Compare("- milk\n- eggs", "- bread\n- milk\n- eggs")
	fmt.Println(o.Shared, "of", o.Reference, "lines")
	// Output: 2 of 3 lines
}

func ExampleTokens13a() {
	fmt.Printf("%q\n", lexical.Tokens13a("It's $1,000.50, isn't it?"))
	// Output: ["It's" "$" "1,000.50" "," "isn't" "it" "?"]
}

func ExampleUnicodeWords() {
	fmt.Printf("%q\n", lexical.UnicodeWords("It's 3.5 m — Größe!"))
	// Output: ["it's" "3.5" "m" "größe"]
}

func ExampleUnicodeTokens() {
	fmt.Printf("%q\n", lexical.UnicodeTokens("¿Qué? 图书"))
	// Output: ["¿" "Qué" "?" "图" "书"]
}

func ExampleFields() {
	fmt.Printf("%q\n", lexical.Fields(" closed\ton\u00a0Sundays. "))
	// Output: ["closed" "on" "Sundays."]
}

func ExampleCharacters() {
	fmt.Printf("%q\n", lexical.Characters("图书 ok"))
	// Output: ["图" "书" "o" "k"]
}

func ExampleASCIIWords() {
	fmt.Printf("%q\n", lexical.ASCIIWords("The K-mart café's 2nd"))
	// Output: ["the" "k" "mart" "caf" "s" "2nd"]
}

func ExampleStem() {
	fmt.Println(lexical.Stem("relations"), lexical.Stem("related"), lexical.Stem("skies"))
	// Output: relat relat sky
}

func ExampleLower() {
	fmt.Println(lexical.Lower("ΟΔΟΣ"), strings.ToLower("ΟΔΟΣ"))
	// Output: οδος οδοσ
}

func ExampleQuotes() {
	fmt.Printf("%q\n", lexical.Quotes(`The notice says “closed for repairs until May”, and "sorry".`, 3))
	// Output: ["closed for repairs until May"]
}
