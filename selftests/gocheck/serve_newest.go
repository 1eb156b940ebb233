// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"internal/trace"
	"internal/trace/testtrace"
	"internal/trace/version"
	"net/http"
	"os"
)

// gtServe stands where the newest Go's main would serve its pages: the file has
// gone through the reader and the summarizer, and is split. It does not return.
func gtServe(mux http.Handler, parsed *parsedTrace) error {
	// The viewer goes on with what it could read. We do not.
	if parsed.err != nil {
		gtComplain("reader: %v", parsed.err)
	}
	g, switches := gtValidate(parsed.events)
	half := len(parsed.events) / 2
	n := fmt.Sprint(half)
	gtBound(2 * half)
	pages := gtVisit(mux,
		// What the pages' scripts fetch, the view that has no link when
		// the trace is split, and a window of time.
		"/mmu?mode=plot&flags=stw%7Cbackground%7Cassist",
		"/mmu?mode=plot&flags=perProc%7Cstw%7Cbackground%7Cassist%7Csweep",
		"/jsontrace?start=0&end="+n,
		"/jsontrace?view=thread&start=0&end="+n)
	gtExpect(mux)
	fmt.Printf("%d events, %d goroutines, %d switches, %d pages\n",
		len(parsed.events), g, switches, pages)
	os.Exit(0)
	return nil
}

func gtValidate(events []trace.Event) (goroutines, switches int) {
	v := testtrace.NewValidator()
	// Files of the old format are judged by that format's rules.
	v.GoVersion = version.Go121
	g := map[trace.GoID]bool{}
	for i, ev := range events {
		if err := v.Event(ev); err != nil {
			gtComplain("validator: event %d: %v\n\t%v", i, err, ev)
		}
		if ev.Kind() == trace.EventStateTransition {
			st := ev.StateTransition()
			if st.Resource.Kind == trace.ResourceGoroutine {
				from, to := st.Goroutine()
				g[st.Resource.Goroutine()] = true
				if from == trace.GoRunnable && to == trace.GoRunning {
					switches++
				}
			}
		}
	}
	return len(g), switches
}
