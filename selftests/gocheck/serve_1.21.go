// SPDX-License-Identifier: GPL-2.0

package main

import (
	"fmt"
	"internal/trace"
	"net/http"
	"os"
)

// gtServe stands where Go 1.21's main would serve its pages: the file is parsed
// and split. It does not return.
func gtServe() error {
	events := loader.res.Events
	g := map[uint64]bool{}
	switches := 0
	for _, ev := range events {
		g[ev.G] = true
		if ev.Type == trace.EvGoStart || ev.Type == trace.EvGoStartLabel {
			switches++
		}
	}
	half := len(events) / 2
	n := fmt.Sprint(half)
	gtBound(2 * half)
	pages := gtVisit(http.DefaultServeMux,
		// What the pages' scripts fetch, and a window of time.
		"/mmuPlot?flags=stw%7Cbackground%7Cassist",
		"/mmuPlot?flags=perProc%7Cstw%7Cbackground%7Cassist%7Csweep",
		"/jsontrace?start=0&end="+n)
	gtExpect(http.DefaultServeMux)
	fmt.Printf("%d events, %d goroutines, %d switches, %d pages\n",
		len(events), len(g), switches, pages)
	os.Exit(0)
	return nil
}
