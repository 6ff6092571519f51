package ragtest_test

import (
	"testing"

	"github.com/ragomega/ragomega/fixtures"
	"github.com/ragomega/ragomega/ragtest"
	"github.com/ragomega/ragomega/ragtest/lexical"
)

func init() {
	for name, m := range map[string]ragtest.Metric{
		"id_context_precision": ragtest.IDContextPrecision, "id_context_recall": ragtest.IDContextRecall,
		"exact_match": ragtest.ExactMatch, "string_presence": ragtest.StringPresence,
	} {
		plays[name] = func(*testing.T, *fixtures.Judge, vector) ragtest.Metric { return m }
	}
	plays["string_similarity"] = playSimilarity
	plays["non_llm_context_precision"] = playTextContextPrecision
	plays["non_llm_context_recall"] = playTextContextRecall
	plays["bleu_score"] = playBLEU
	plays["rouge_score"] = playROUGE
	plays["chrf_score"] = playChrF
	plays["quoted_spans"] = playQuotedSpans
}

type alikeParams struct {
	By        string  `json:"distance_measure"`
	Threshold float64 `json:"threshold"`
}

// byWord picks the similarity that Ragas' word means. Its type has no name here.
func byWord[S any](t *testing.T, word string, levenshtein, hamming, jaro, jaroWinkler S) S {
	t.Helper()
	switch word {
	case "levenshtein":
		return levenshtein
	case "hamming":
		return hamming
	case "jaro":
		return jaro
	case "jaro_winkler":
		return jaroWinkler
	}
	t.Fatalf("no similarity is called %q", word)
	return levenshtein
}

func playSimilarity(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p alikeParams
	v.params(t, &p)
	return byWord(t, p.By, ragtest.LevenshteinSimilarity, ragtest.HammingSimilarity, ragtest.JaroSimilarity, ragtest.JaroWinklerSimilarity)
}

func playTextContextPrecision(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p alikeParams
	v.params(t, &p)
	by := byWord(t, p.By, ragtest.LevenshteinSimilarity, ragtest.HammingSimilarity, ragtest.JaroSimilarity, ragtest.JaroWinklerSimilarity)
	return ragtest.TextContextPrecision.Threshold(p.Threshold).By(by)
}

func playTextContextRecall(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p alikeParams
	v.params(t, &p)
	by := byWord(t, p.By, ragtest.LevenshteinSimilarity, ragtest.HammingSimilarity, ragtest.JaroSimilarity, ragtest.JaroWinklerSimilarity)
	return ragtest.TextContextRecall.Threshold(p.Threshold).By(by)
}

func playBLEU(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p struct {
		Tokenize       string  `json:"tokenize"`
		Smooth         string  `json:"smooth_method"`
		SmoothValue    float64 `json:"smooth_value"`
		Lowercase      bool    `json:"lowercase"`
		EffectiveOrder bool    `json:"use_effective_order"`
	}
	v.params(t, &p)
	tokenize := map[string]lexical.Tokenizer{"": nil, "13a": lexical.Tokens13a, "char": lexical.Characters, "none": lexical.Fields}
	smooth := map[string]lexical.Smoothing{"": lexical.SmoothExp}
	for s := lexical.SmoothExp; s <= lexical.SmoothNone; s++ {
		smooth[s.String()] = s
	}
	by, okBy := tokenize[p.Tokenize]
	how, okHow := smooth[p.Smooth]
	if !okBy || !okHow {
		t.Fatalf("unknown: %s", v.Params)
	}
	return ragtest.BLEU.With("vector", lexical.BLEU{Tokenize: by, Smooth: how, SmoothValue: p.SmoothValue, Lowercase: p.Lowercase, EffectiveOrder: p.EffectiveOrder})
}

func playROUGE(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p struct {
		Type string `json:"rouge_type"`
		Mode string `json:"mode"`
	}
	v.params(t, &p)
	m := ragtest.ROUGEL
	switch p.Type {
	case "rouge1":
		m = ragtest.ROUGE1
	case "rouge2":
		m = ragtest.ROUGE2
	case "rougeL":
	default:
		t.Fatalf("unknown: %s", v.Params)
	}
	switch p.Mode {
	case "fmeasure":
		return m
	case "precision":
		return m.Precision()
	case "recall":
		return m.Recall()
	}
	t.Fatalf("unknown: %s", v.Params)
	return nil
}

func playChrF(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p struct {
		CharOrder        int     `json:"char_order"`
		WordOrder        int     `json:"word_order"`
		Beta             float64 `json:"beta"`
		RemoveWhitespace *bool   `json:"remove_whitespace"`
		EpsSmoothing     bool    `json:"eps_smoothing"`
	}
	v.params(t, &p)
	return ragtest.ChrF.With("vector", lexical.ChrF{
		CharOrder: p.CharOrder, WordOrder: p.WordOrder, Beta: p.Beta, EpsilonSmoothing: p.EpsSmoothing,
		KeepWhitespace: p.RemoveWhitespace != nil && !*p.RemoveWhitespace,
	})
}

func playQuotedSpans(t *testing.T, _ *fixtures.Judge, v vector) ragtest.Metric {
	var p struct {
		Casefold *bool `json:"casefold"`
		Words    int   `json:"min_span_words"`
	}
	v.params(t, &p)
	m := ragtest.QuotedSpans
	if p.Casefold != nil && !*p.Casefold {
		m = m.Exact()
	}
	if p.Words > 0 {
		m = m.Words(p.Words)
	}
	return m
}
