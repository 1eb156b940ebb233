// SPDX-License-Identifier: GPL-2.0

// Goprint prints what Go 1.21's own reader makes of a trace, an object a line,
// with the names of `gotrace dump --json`; or, with -make, writes a trace of
// itself at work. It is built together with that reader (build.sh).
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

func read(file string) error {
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
	for _, ev := range res.Events {
		if err := show(out, ev); err != nil {
			return err
		}
	}
	return w.Flush()
}

func main() {
	mk := flag.Int("make", 0, "write a trace of that many rounds of work into FILE")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Usage: goprint [-make ROUNDS] FILE")
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
		err = read(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
