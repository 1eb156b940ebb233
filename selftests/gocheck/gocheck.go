// SPDX-License-Identifier: GPL-2.0

// Gocheck asks one version of Go's trace tool whether it is content with
// files: its parser, and every page of its viewer that a user can click to.
//
// It is built from a copy of cmd/trace in that version's own tree (build.sh),
// because internal/trace can only be imported there and cmd/trace is a main
// package. Its main is renamed goMain and runs as it is, up to the point where
// it would serve http; there serve_*.go of ours visits the pages in process.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

const (
	gtChild = "GOCHECK_CHILD"
	gtSkip  = "GOCHECK_SKIP"
)

func main() {
	if os.Getenv(gtChild) != "" {
		// A tool that calls itself without end must not eat the machine.
		debug.SetMaxStack(64 << 20)
		gtPath = os.Args[1]
		goMain()
		gtComplain("the tool's main returned")
	}
	skip := flag.String("skip", "", "visit no page whose path begins so")
	flag.Usage = func() {
		fmt.Fprintf(os.Stderr, "Usage: gocheck [-skip PATH] FILE...\n"+
			"Prints a line for each file; exits with 1 if %s's trace tool\n"+
			"has a complaint about one.\n", runtime.Version())
		os.Exit(2)
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
	}
	os.Setenv(gtSkip, *skip)
	rc := 0
	for _, file := range flag.Args() {
		if !gtCheck(file) {
			rc = 1
		}
	}
	os.Exit(rc)
}

// Each file in a process of its own: the tool caches what it parsed in
// globals, calls os.Exit, and dies of what it does not expect.
func gtCheck(file string) bool {
	const limit = 10 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()

	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var out, words bytes.Buffer
	cmd := exec.CommandContext(ctx, self, file)
	cmd.Env = append(os.Environ(), gtChild+"=1")
	cmd.Stdout = &out
	cmd.Stderr = &words
	err = cmd.Run()

	what := strings.TrimSpace(out.String())
	if err == nil {
		fmt.Printf("ok %s %s: %s\n", runtime.Version(), file, what)
		return true
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("not done after %v", limit)
	}
	what = gtWhy(what, words.String(), err)
	fmt.Printf("REFUSED %s %s: %s\n", runtime.Version(), file, what)
	return false
}

var gtLogTime = regexp.MustCompile(`(?m)^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d `)

// The complaint: ours, else a panic with the first places that led there, else
// the tool's last words.
func gtWhy(out, words string, err error) string {
	if out != "" {
		return out
	}
	words = strings.TrimSpace(gtLogTime.ReplaceAllString(words, ""))
	lines := strings.Split(words, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic:") || strings.HasPrefix(l, "fatal error:") ||
			strings.Contains(l, "stack exceeds") {
			end := i + 16
			if end > len(lines) {
				end = len(lines)
			}
			return strings.Join(lines[i:end], "\n\t")
		}
	}
	if words == "" {
		var e *exec.ExitError
		if errors.As(err, &e) {
			return e.String()
		}
		return err.Error()
	}
	return lines[len(lines)-1]
}

// The child's file. The tool is called as "trace FILE" and sees the same.
var gtPath string

func gtComplain(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}
