package cache

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// squeeze makes "X-API-Key", "api_key" and "apiKey" the same name.
func squeeze(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// credentials are query parameters that are secrets, or that prove one.
var credentials = []string{
	"apikey", "xapikey", "subscriptionkey", "accesskey", "accesskeyid", "accesstoken", "authtoken", "idtoken", "refreshtoken",
	"sessiontoken", "securitytoken", "jwt", "sig", "signature", "secret", "clientsecret", "password", "passwd",
	"passphrase", "authorization", "credential", "credentials", "awsaccesskeyid",
	"xamzsignature", "xamzcredential", "xamzsecuritytoken", "xgoogsignature", "xgoogcredential",
}

// ambiguous are query parameters that are secrets to one API and data to
// another.
var ambiguous = []string{"key", "code", "token", "auth", "session"}

func isCredential(param string) bool { return slices.Contains(credentials, squeeze(param)) }
func isAmbiguous(param string) bool  { return slices.Contains(ambiguous, squeeze(param)) }

// secretFields are fields of a JSON body that carry what others carry in a
// header. They are not compared.
var secretFields = []string{"apikey", "accesstoken"}

// isSecretField reports whether the value of a JSON field is not to be written,
// although it is compared.
func isSecretField(name string) bool {
	return isCredential(name) || isAmbiguous(name) || strings.Contains(squeeze(name), "password") || strings.Contains(squeeze(name), "secret")
}

// isSecretHeader reports whether a request header is kept from everybody, also
// from [Transport.Normalize].
func isSecretHeader(name string) bool {
	n := squeeze(name)
	if n == "openaiorganization" || n == "openaiproject" {
		return true
	}
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password", "credential", "session", "signature"} {
		if strings.Contains(n, part) {
			return true
		}
	}
	return false
}

// shortestSecret is the length from which a secret is looked for in texts. What
// is shorter, such as "none" or "ollama", is no secret and stands everywhere.
const shortestSecret = 10

// secretsOf returns what must not be written because of req.
func secretsOf(req *http.Request, body []byte) []string {
	var all []string
	add := func(s string) {
		if len(s) >= shortestSecret && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	for name, values := range req.Header {
		if !isSecretHeader(name) {
			continue
		}
		for _, v := range values {
			add(v)
			if scheme, token, ok := strings.Cut(v, " "); ok && squeeze(name) != "cookie" {
				add(strings.TrimSpace(token))
				if strings.EqualFold(scheme, "basic") {
					user, _ := base64.StdEncoding.DecodeString(token)
					name, password, _ := strings.Cut(string(user), ":")
					add(name)
					add(password)
				}
			}
		}
	}
	for _, c := range req.Cookies() {
		add(c.Value)
	}
	if u := req.URL.User; u != nil {
		add(u.Username())
		password, _ := u.Password()
		add(password)
	}
	for _, p := range splitQuery(req.URL.RawQuery) {
		if p.secret() {
			add(p.value)
		}
	}
	if isPlainJSON(body) {
		for _, m := range members(body) {
			if slices.Contains(secretFields, squeeze(m.name)) {
				add(unquoted(m.value))
			}
		}
	}
	// The longest first, as one may be part of another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// hide takes secrets out of a text.
func hide(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "…")
	}
	return text
}

// repeats reports whether a secret stands in text.
func repeats(text []byte, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(s string) bool { return bytes.Contains(text, []byte(s)) })
}

// withoutSecrets returns an address without its credentials.
func withoutSecrets(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	all := splitQuery(u.RawQuery)
	open := slices.DeleteFunc(slices.Clone(all), param.secret)
	if u.User == nil && len(open) == len(all) {
		return address
	}
	u.User, u.RawQuery = nil, joinQuery(open)
	return u.String()
}

// param is one parameter of a query, in its order. Unlike [url.Values] it loses
// nothing that is spelled wrong.
type param struct{ name, value, raw string }

func (p param) secret() bool { return isCredential(p.name) || isAmbiguous(p.name) }

func splitQuery(query string) []param {
	var all []param
	for raw := range strings.SplitSeq(query, "&") {
		if raw == "" {
			continue
		}
		name, value, _ := strings.Cut(raw, "=")
		n, errName := url.QueryUnescape(name)
		v, errValue := url.QueryUnescape(value)
		if errName != nil || errValue != nil {
			n, v = name, value
		} else {
			raw = url.QueryEscape(n) + "=" + url.QueryEscape(v)
		}
		all = append(all, param{n, v, raw})
	}
	return all
}

func joinQuery(all []param) string {
	raw := make([]string, len(all))
	for i, p := range all {
		raw[i] = p.raw
	}
	return strings.Join(raw, "&")
}
