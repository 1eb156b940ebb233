// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
)

// How many pages of one path are visited at most; those that are, are spread
// evenly over the links of the page they are on.
var gtLimit = map[string]int{
	"/jsontrace":  24,
	"/trace":      48, // only a frame for /jsontrace
	"/goroutine":  100,
	"/userregion": 60,
	"/usertask":   60,
}

const gtLimitOther = 12

// Nearly every page costs a pass over all events, /jsontrace several: a big
// trace cannot have all of its pages looked at.
func gtBound(events int) {
	const small = 50000
	for path, n := range gtLimit {
		if n = n * small / (events + 1); n < gtLimit[path] {
			gtLimit[path] = max(n, 6)
		}
	}
}

// The pages are found as a user finds them: by the links on others. Only what
// scripts of a page fetch has to be named.
type gtCrawl struct {
	mux   http.Handler
	seen  map[string]bool
	count map[string]int
	todo  []string
	log   bytes.Buffer
	pages int
}

// Visits all pages and gives their number; a page that fails ends the program.
func gtVisit(mux http.Handler, more ...string) int {
	c := &gtCrawl{mux: mux, seen: map[string]bool{}, count: map[string]int{}}
	// The handlers of what scripts fetch tell of errors only in the log.
	log.SetOutput(&c.log)
	for _, u := range append([]string{"/"}, more...) {
		c.add(u)
	}
	for len(c.todo) > 0 {
		u := c.todo[0]
		c.todo = c.todo[1:]
		c.visit(u)
	}
	return c.pages
}

func (c *gtCrawl) add(u string) {
	path, _, _ := strings.Cut(u, "?")
	limit, ok := gtLimit[path]
	if !ok {
		limit = gtLimitOther
	}
	if c.seen[u] || c.count[path] >= limit || gtSkipped(u) {
		return
	}
	c.seen[u] = true
	c.count[path]++
	c.todo = append(c.todo, u)
}

// What -skip names. For foreign files only: the MMU's data needs two Gomaxprocs,
// which every file of ours has.
func gtSkipped(u string) bool {
	skip := os.Getenv(gtSkip)
	return skip != "" && strings.HasPrefix(u, skip)
}

// Pages that draw a profile need graphviz; their data does not.
var gtProfile = regexp.MustCompile(`^/(region)?(io|block|syscall|sched)$`)

var gtHref = regexp.MustCompile(`href=["']([^"']*)["']`)

func (c *gtCrawl) visit(u string) {
	c.pages++
	body, ctype := c.get(u)
	path, query, _ := strings.Cut(u, "?")
	switch {
	case path == "/trace":
		// The frame's script asks for the same thing as json.
		if query != "" {
			query = "?" + query
		}
		c.add("/jsontrace" + query)
		return
	case path == "/jsontrace", strings.Contains(u, "mode=plot"), path == "/mmuPlot":
		if !json.Valid(body) {
			gtComplain("%s: not valid JSON (%d bytes)", u, len(body))
		}
		return
	case gtProfile.MatchString(path):
		// A profile is gzip; anything else is an error's text.
		if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			gtComplain("%s: %s", u, gtHead(body))
		}
		return
	case !strings.Contains(ctype, "html"):
		return
	}
	c.follow(u, body)
}

// follow adds the links of a page, for each path as many as may be, spread.
func (c *gtCrawl) follow(base string, body []byte) {
	from, err := url.Parse(base)
	if err != nil {
		gtComplain("%s: %v", base, err)
	}
	links := map[string][]string{}
	var paths []string
	for _, m := range gtHref.FindAllSubmatch(body, -1) {
		to, err := from.Parse(html.UnescapeString(string(m[1])))
		if err != nil {
			gtComplain("%s: bad link %q: %v", base, m[1], err)
		}
		if to.Host != "" || strings.HasPrefix(to.Path, "/static") {
			continue
		}
		// 1.27 shows what belongs to no task under a task 0, and links to
		// pages of it that it then cannot draw: its fault in every trace.
		if q := to.Query(); q.Get("focustask") == "0" || q.Get("taskid") == "0" {
			continue
		}
		to.Fragment = ""
		if gtProfile.MatchString(to.Path) && to.Query().Get("raw") == "" {
			q := to.Query()
			q.Set("raw", "1")
			to.RawQuery = q.Encode()
		}
		if links[to.Path] == nil {
			paths = append(paths, to.Path)
		}
		links[to.Path] = append(links[to.Path], to.RequestURI())
	}
	for _, p := range paths {
		l := links[p]
		// A quarter of the limit for one page leaves room for others.
		n := gtLimitOther
		if gtLimit[p] != 0 {
			n = gtLimit[p]
		}
		if base != "/goroutines" && base != "/userregions" && base != "/usertasks" {
			n = (n + 3) / 4
		}
		if n > len(l) {
			n = len(l)
		}
		for i := 0; i < n; i++ {
			c.add(l[i*len(l)/n])
		}
	}
}

// What a test wants to see on pages: beside NAME.trace, in NAME.pages, a line
// each, a page and a regular expression for its text.
func gtExpect(mux http.Handler) {
	wanted, err := os.ReadFile(strings.TrimSuffix(gtPath, ".trace") + ".pages")
	if os.IsNotExist(err) {
		return
	}
	if err != nil {
		gtComplain("%v", err)
	}
	c := &gtCrawl{mux: mux}
	log.SetOutput(&c.log)
	for _, line := range strings.Split(strings.TrimSpace(string(wanted)), "\n") {
		u, pattern, ok := strings.Cut(line, " ")
		re, err := regexp.Compile(pattern)
		if !ok || err != nil {
			gtComplain("%q: no page and regular expression: %v", line, err)
		}
		body, _ := c.get(u)
		if text := gtText(body); !re.MatchString(text) {
			gtComplain("%s: no %q in: %.2000s", u, pattern, text)
		}
	}
}

var gtTag = regexp.MustCompile(`(?s)<(style|script).*?</(style|script)>|<[^>]*>`)

// The words of a page, with a space between them.
func gtText(body []byte) string {
	return strings.Join(strings.Fields(html.UnescapeString(gtTag.ReplaceAllString(string(body), " "))), " ")
}

func (c *gtCrawl) get(u string) (body []byte, ctype string) {
	c.log.Reset()
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if r := recover(); r != nil {
				gtComplain("%s: panic: %v\n%s", u, r, gtStack())
			}
		}()
		c.mux.ServeHTTP(w, httptest.NewRequest("GET", u, nil))
	}()
	body = w.Body.Bytes()
	if w.Code != http.StatusOK {
		gtComplain("%s: status %d: %s", u, w.Code, gtHead(body))
	}
	if c.log.Len() > 0 {
		gtComplain("%s: %s", u, gtHead(gtLogTime.ReplaceAll(c.log.Bytes(), nil)))
	}
	ctype = w.Header().Get("Content-Type")
	if ctype == "" {
		ctype = http.DetectContentType(body)
	}
	return body, ctype
}

func gtHead(b []byte) string {
	s := strings.TrimSpace(string(b))
	if len(s) > 400 {
		s = s[:400] + "..."
	}
	return fmt.Sprintf("%q", s)
}

// The frames between the panic and the request.
func gtStack() string {
	lines := strings.Split(string(debug.Stack()), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+14 < len(lines) {
			return "\t" + strings.Join(lines[i+2:i+14], "\n\t")
		}
	}
	return strings.Join(lines, "\n")
}
