package main

import (
	"fmt"
	"regexp"
)

// secretPatterns are the forms of credentials that are known by their looks. A
// password has none.
var secretPatterns = []struct {
	what string
	form *regexp.Regexp
}{
	{"an API key (sk-…)", regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}`)},
	{"a key of AWS", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a key of Google", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}\b`)},
	{"a token of GitHub", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})`)},
	{"a token of GitLab", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"a token of Hugging Face", regexp.MustCompile(`\bhf_[A-Za-z0-9]{30,}`)},
	{"a token of Slack", regexp.MustCompile(`\bxox[abprs]-[A-Za-z0-9-]{10,}`)},
	{"a JSON Web Token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"a bearer token", regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/-]{20,}`)},
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)},
	{"an API key by its name", regexp.MustCompile(`(?i)\b(api[_-]?key|access[_-]?token|client[_-]?secret)["'\\]*\s*[:=]\s*["'\\]*[A-Za-z0-9._~+/-]{16,}`)},
}

var emailPattern = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)

// secretsIn tells what in an exchange looks like a secret, without repeating it.
// Vectors are numbers, whatever letters they happen to be written in.
func secretsIn(x exchange, emails bool) (found []string) {
	for _, field := range []struct{ name, text string }{
		{"about", x.About},
		{"reply", packed.ReplaceAllString(string(x.Reply), `""`)},
		{"served", string(x.Served)},
		{"by", x.Identity},
		{"step", x.Step},
	} {
		for _, p := range secretPatterns {
			if s := p.form.FindString(field.text); s != "" {
				found = append(found, fmt.Sprintf("what looks like %s stands in %q: %s…", p.what, field.name, s[:min(6, len(s))]))
			}
		}
		if !emails {
			continue
		}
		if s := emailPattern.FindString(field.text); s != "" {
			found = append(found, fmt.Sprintf("an address stands in %q: %s…", field.name, s[:min(3, len(s))]))
		}
	}
	return found
}
