package page_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/ragomega/ragomega/cmd/ragtest/internal/page"
	"github.com/ragomega/ragomega/ragtest"
)

// opened opens a page in Chromium, and returns what became of it and what the
// console said.
func opened(t *testing.T, text, fragment string) (dom, console string) {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("opens the page in Chromium, and there is none here")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--enable-logging=stderr", "--virtual-time-budget=2000", "--dump-dom", "file://"+file+fragment)
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil {
		t.Skipf("Chromium does not run here: %v\n%s", err, log.String())
	}
	var said []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "CONSOLE") {
			said = append(said, line)
		}
	}
	return out.String(), strings.Join(said, "")
}

// What would run does not, and neither does the policy have anything to forbid.
func TestHostilePageInChromium(t *testing.T) {
	g := NewWithT(t)
	records, o := hostile()
	dom, console := opened(t, written(t, records, o), "#s3")
	g.Expect(console).To(BeEmpty())
	g.Expect(dom).To(ContainSubstring(`<title>RAG test report: &lt;script&gt;document.title="owned"&lt;/script&gt;</title>`))
	g.Expect(dom).NotTo(ContainSubstring("<title>owned"))
	g.Expect(dom).NotTo(ContainSubstring("<img"))
}

// A link to a sample opens its section, and the points are one stop of the tab key.
func TestScriptInChromium(t *testing.T) {
	g := NewWithT(t)
	records, samples := generated(3)
	dom, console := opened(t, written(t, records, page.Options{Samples: samples}), "#s2")
	g.Expect(console).To(BeEmpty())
	g.Expect(regexp.MustCompile(`<details class="sample" id="(\w+)" open="">`).FindAllStringSubmatch(dom, -1)).To(HaveExactElements(HaveExactElements(Not(BeEmpty()), Equal("s2"))))
	g.Expect(strings.Count(dom, `tabindex="0"`)).To(Equal(3), "of the tables that scroll, and of the first point")
}

// The style applies, which a wrong digest in the policy would forbid, and so does
// the script: an injected line of its own shows that inline scripts that are not the
// page's are refused.
func TestPolicyInChromium(t *testing.T) {
	g := NewWithT(t)
	text := written(t, []ragtest.Record{record("a", "faithfulness", 1)}, page.Options{})
	injected := strings.Replace(text, "</body>", `<script>document.title="owned"</script><img src="data:," onerror="document.title='owned'"></body>`, 1)
	dom, console := opened(t, injected, "")
	g.Expect(dom).NotTo(ContainSubstring("<title>owned"))
	g.Expect(console).To(ContainSubstring("Content Security Policy"))
}

// Of many rows the first hundred are shown, of those that are chosen and in their
// order, until all are asked for.
func TestManyRowsInChromium(t *testing.T) {
	g := NewWithT(t)
	var records []ragtest.Record
	for i := range 150 {
		records = append(records, record(fmt.Sprintf("s%03d", i), "faithfulness", float64(i)/150))
	}
	text := written(t, records, page.Options{})
	text = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(text, "")
	dom, console := opened(t, strings.Replace(text, "</body>", `<script>
		const said = [], more = document.querySelector(".more");
		const shown = () => [...document.querySelectorAll("#table tbody tr")].filter((r) => r.offsetParent !== null).map((r) => r.cells[0].textContent);
		const count = () => { const names = shown(); said.push(names.length + " " + names[0] + " " + names.at(-1)); };
		count();
		const head = document.querySelectorAll("#table thead button")[1];
		head.click(); head.click(); count();
		said.push(more.textContent);
		const only = document.getElementById("f-only");
		only.value = "lo"; only.dispatchEvent(new Event("change")); count();
		said.push("more " + !more.hidden);
		only.value = ""; only.dispatchEvent(new Event("change"));
		more.click(); count();
		said.push("more " + !more.hidden);
		document.title = said.join("; ");
	</script></body>`, 1), "")
	g.Expect(console).To(BeEmpty())
	g.Expect(dom).To(ContainSubstring("<title>100 s000 s099; 100 s149 s050; Show all 150 rows; 75 s074 s000; more false; 150 s149 s000; more false</title>"))
}

// Sorting has the worst first and what was not measured last, filters keep what fits,
// and a section of many is read when it is opened. The lines that press the buttons
// take the place of the policy, which would refuse them.
func TestControlsInChromium(t *testing.T) {
	g := NewWithT(t)
	records := []ragtest.Record{
		record("b", "faithfulness", 0.5), unmeasured("d", "faithfulness", "refused", "no"), record("a", "faithfulness", 1),
		record("c", "faithfulness", 0.2, ragtest.Verdict{Claim: `It "flies" & swims.`}),
	}
	records[0].Tags, records[3].Tags = []string{"birds"}, []string{"birds", "fish"}
	text := written(t, records, page.Options{})
	text = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(text, "")
	text = strings.Replace(text, "const few = 100;", "const few = 0;", 1)
	dom, console := opened(t, strings.Replace(text, "</body>", `<script>
		const said = [], names = () => [...document.querySelectorAll("#table tbody tr")].filter((r) => !r.hidden).map((r) => r.cells[0].textContent).join("");
		const press = (to) => document.querySelectorAll("#table thead button")[to].click();
		const choose = (id, value) => { const f = document.getElementById(id); f.value = value; f.dispatchEvent(new Event("change")); };
		press(1); said.push("worst " + names());
		press(1); said.push("best " + names());
		press(0); said.push("name " + names());
		document.querySelector("button[data-tag]").click(); said.push("tag " + names());
		choose("f-only", "lo"); said.push("low " + names());
		choose("f-tag", ""); choose("f-only", "none"); said.push("lost " + names());
		choose("f-only", "");
		document.querySelector(".bytag button[data-tag=none]").click(); said.push("untagged " + names());
		choose("f-tag", "");
		const closed = document.querySelectorAll(".sample .metric").length;
		location.hash = "#s4c1";
		const find = document.getElementById("f-text");
		find.value = '"FLIES" & sw'; find.dispatchEvent(new Event("input"));
		setTimeout(() => {
			said.push("text " + names() + " " + document.getElementById("f-count").textContent);
			said.push("sections " + closed + " " + document.querySelectorAll(".sample .metric").length + " " + document.activeElement.id);
			document.title = said.join("; ");
		}, 1000);
	</script></body>`, 1), "")
	g.Expect(console).To(BeEmpty())
	g.Expect(dom).To(ContainSubstring("<title>worst cbad; best abcd; name abcd; tag bc; low c; lost d; untagged ad; text c 1 of 4; sections 0 1 s4c1</title>"))
}
