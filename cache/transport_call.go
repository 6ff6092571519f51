package cache

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Call is a request as it is compared and recorded. [Transport.Normalize] gets
// one to change; what is sent stays as it was.
type Call struct {
	Method string
	// URL is compared by its path and query. It has no user, and no query
	// parameter that is surely a secret, such as api_key or signature. Those
	// that may be one (key, code, token, auth, session) are still there, and
	// are left out of the comparison afterwards: one that is data must be
	// copied to Also or be renamed.
	URL *url.URL
	// Header is what is sent, to be read. Only the media type in its
	// Content-Type is compared. Credentials and cookies are not in it.
	Header http.Header
	// Body is what is sent.
	Body []byte
	// Also is compared as well, and recorded as it is. It is empty at first:
	// the place for what a header says and the reply depends on.
	//
	//	c.Also["tenant"] = c.Header.Get("X-Tenant")
	Also map[string]string
}

// describe makes the cache's request for x.
func (x *trip) describe() error {
	c := newCall(x.out, x.body)
	if x.t.Normalize != nil {
		x.t.Normalize(c)
	}
	x.secrets = secretsOf(x.out, x.body)
	query := splitQuery(c.URL.RawQuery)
	hidden := slices.DeleteFunc(slices.Clone(query), func(p param) bool { return !isAmbiguous(p.name) })
	query = slices.DeleteFunc(query, param.secret)
	slices.SortStableFunc(query, func(a, b param) int { return strings.Compare(a.name, b.name) })

	d := description{call: c, query: query, kind: mediaType(c.Header.Get("Content-Type"))}
	if (isJSON(d.kind) || d.kind == "") && isPlainJSON(c.Body) {
		d.json = true
		d.fields = slices.DeleteFunc(members(c.Body), func(m member) bool { return slices.Contains(secretFields, squeeze(m.name)) })
	}
	step := d.step()
	r := Request{
		Kind: "transport", Identity: cmp.Or(x.t.Identity, identityOf(x.out)), Body: d.spell(),
		Step: hide(step, x.secrets), About: hide(shortText(cmp.Or(d.about(), step)), x.secrets), Differs: answersDiffer,
	}
	for _, p := range d.parts() {
		p.Value = hide(p.Value, x.secrets)
		r.Parts = append(r.Parts, p)
	}
	x.request = r
	return x.t.distinct(r, hidden)
}

func newCall(req *http.Request, body []byte) *Call {
	u := *req.URL
	u.User = nil
	if slices.ContainsFunc(splitQuery(u.RawQuery), func(p param) bool { return isCredential(p.name) }) {
		u.RawQuery = joinQuery(slices.DeleteFunc(splitQuery(u.RawQuery), func(p param) bool { return isCredential(p.name) }))
	}
	header := req.Header.Clone()
	maps.DeleteFunc(header, func(name string, _ []string) bool { return isSecretHeader(name) })
	if header == nil {
		header = http.Header{}
	}
	return &Call{Method: cmp.Or(req.Method, http.MethodGet), URL: &u, Header: header, Body: slices.Clone(body), Also: map[string]string{}}
}

// distinct refuses two requests that differ in nothing but a parameter which
// was left out because of its name: if it is data, one of the two would get the
// reply of the other.
func (t *Transport) distinct(r Request, hidden []param) error {
	if len(hidden) == 0 {
		return nil
	}
	k, now := r.Key(), digest([]byte(joinQuery(hidden)))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.hidden == nil {
		t.hidden = map[Key]string{}
	}
	if was, ok := t.hidden[k]; ok && was != now {
		return fmt.Errorf("cache: two requests %s differ only in the query parameter %q, which may be a secret and is not compared. "+
			"Let Transport.Normalize delete it from Call.URL if it is one, and copy it to Call.Also if it is data", r.Step, hidden[0].name)
	}
	t.hidden[k] = now
	return nil
}

// identityOf names the host that is asked.
func identityOf(req *http.Request) string {
	name := hostName(req.URL.Host, req.URL.Scheme)
	if as := hostName(req.Host, req.URL.Scheme); req.Host != "" && as != name {
		return name + " as " + as // a virtual host
	}
	return name
}

func hostName(host, scheme string) string {
	u := url.URL{Host: strings.ToLower(host)}
	name, port := u.Hostname(), u.Port()
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(name).IsLoopback():
		return "localhost"
	case scheme == "https" && port == "443", scheme == "http" && port == "80":
		return strings.TrimSuffix(u.Host, ":"+port)
	}
	return u.Host
}

// description is a normalised call, taken apart.
type description struct {
	call   *Call
	query  []param // that is compared, sorted by name
	kind   string  // the media type of the body
	json   bool    // the body is JSON
	fields []member
}

// path is the path as it is sent.
func (d description) path() string {
	return cmp.Or(d.call.URL.Opaque, d.call.URL.EscapedPath(), "/")
}

func (d description) step() string { return d.call.Method + " " + d.path() }

// spell writes what is compared in the one way that is hashed.
func (d description) spell() []byte {
	all := []member{
		{"method", quote(d.call.Method)},
		{"path", quote(d.path())},
		{"transport", []byte("1")}, // the version of this spelling
	}
	if len(d.call.Also) > 0 {
		var also []member
		for _, name := range slices.Sorted(maps.Keys(d.call.Also)) {
			also = append(also, member{name, quote(d.call.Also[name])})
		}
		all = append(all, member{"also", spellObject(also)})
	}
	if len(d.query) > 0 {
		all = append(all, member{"query", quote(joinQuery(d.query))})
	}
	switch b := d.call.Body; {
	case len(b) == 0:
	case d.fields != nil:
		all = append(all, member{"json", spellObject(d.fields)})
	case d.json:
		all = append(all, member{"json", canonical(b)})
	default:
		all = append(all, member{"base64", quote(base64.StdEncoding.EncodeToString(d.bytes()))})
	}
	if len(d.call.Body) > 0 {
		all = append(all, member{"type", quote(d.kind)})
	}
	return spellObject(all)
}

// bytes is a body that is no JSON. The boundary between the parts of a form is
// drawn by lot for every request, and is replaced.
func (d description) bytes() []byte {
	if strings.HasPrefix(d.kind, "multipart/") {
		if _, params, err := mime.ParseMediaType(d.call.Header.Get("Content-Type")); err == nil && params["boundary"] != "" {
			return bytes.ReplaceAll(d.call.Body, []byte("--"+params["boundary"]), []byte("--boundary"))
		}
	}
	return d.call.Body
}
