// SPDX-License-Identifier: GPL-2.0

// Goprint prints what Go 1.21's own reader makes of a trace, an object a line,
// with the names of `gotrace dump --json`; with -stats, what each goroutine did
// for how long, an object a line too; or, with -make, writes a trace of itself at
// work. It is built together with that reader (build.sh).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

type frame struct {
	PC   uint64 `json:"pc"`
	Fn   string `json:"fn"`
	File string `json:"file"`
	Line int    `json:"line"`
}

type line struct {
	Event  string    `json:"event"`
	Time   int64     `json:"time"`
	P      int       `json:"p"`
	G      uint64    `json:"g"`
	Args   [3]uint64 `json:"args"`
	SArgs  []string  `json:"sargs"`
	Stk    uint64    `json:"stk"`
	Frames []frame   `json:"frames"`
	Off    int       `json:"off"`
}

func show(out *json.Encoder, ev *Event) error {
	l := line{
		Event: EventDescriptions[ev.Type].Name, Time: ev.Ts, P: ev.P, G: ev.G,
		Args: ev.Args, SArgs: ev.SArgs, Stk: ev.StkID, Off: ev.Off,
	}
	for _, f := range ev.Stk {
		l.Frames = append(l.Frames, frame{f.PC, f.Fn, f.File, f.Line})
	}
	return out.Encode(l)
}

// In ns. What a goroutine is not yet doing, or not any more, Go notes as time 0,
// which is also when the trace begins.
type stats struct {
	G       uint64 `json:"g"`
	Name    string `json:"name"`
	Created int64  `json:"created"`
	Total   int64  `json:"total"`
	Exec    int64  `json:"exec"`
	Sched   int64  `json:"sched"`
	IO      int64  `json:"io"`
	Block   int64  `json:"block"`
	Syscall int64  `json:"syscall"`
}

func showStats(out *json.Encoder, events []*Event) error {
	for _, g := range GoroutineStats(events) {
		s := stats{g.ID, g.Name, g.CreationTime, g.TotalTime, g.ExecTime,
			g.SchedWaitTime, g.IOTime, g.BlockTime, g.SyscallTime}
		if err := out.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

func read(file string, statsOnly bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// Parse() wants the program for the names of Go 1.5's frames.
	_, res, err := parse(bytes.NewReader(data), "")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(w)
	if statsOnly {
		if err := showStats(out, res.Events); err != nil {
			return err
		}
		return w.Flush()
	}
	for _, ev := range res.Events {
		if err := show(out, ev); err != nil {
			return err
		}
	}
	return w.Flush()
}

func main() {
	mk := flag.Int("make", 0, "write a trace of that many rounds of work into FILE")
	st := flag.Bool("stats", false, "print what each goroutine did, not the events")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Usage: goprint [-make ROUNDS] [-stats] FILE")
		os.Exit(2)
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
	}
	var err error
	if *mk > 0 {
		err = record(flag.Arg(0), *mk)
	} else {
		err = read(flag.Arg(0), *st)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
