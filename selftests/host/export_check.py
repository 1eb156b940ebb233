#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does an exported file say what the report says?

    export_check.py FORMAT REPORT FILE [PROFILE]

REPORT is what gotrace report --json said of the same trace. FILE is, for pprof, what
`go tool pprof -raw` printed of it. Prints what both sides agree on, or what is wrong, and
exits with 1 then.
"""
import json
import re
import sys


def report(path):
    with open(path, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    return rows[0], [r for r in rows if r["row"] == "task"], [r for r in rows if r["row"] == "syscall"]


def profile_total(profile, rows):
    trace, tasks, calls = rows
    sums = {"cpu": ["running"], "offcpu": ["asleep"], "sched": ["runnable"],
            "sync": ["sleep_" + r for r in ("send", "recv", "select", "sync", "cond")],
            "net": ["sleep_net"], "syscall": ["sleep_syscall"]}[profile]
    if profile == "syscall" and trace["kernel"]:
        return sum(c["total_ns"] for c in calls)
    return sum(t[s + "_ns"] for t in tasks for s in sums)


def same(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, the report has {want}")
    print(f"{what} {got}", end=" ")


def check_folded(rows, path, profile):
    total = 0
    reasons = {}
    with open(path, "rb") as f:
        for line in f.read().split(b"\n")[:-1]:
            stack, ns = line.rsplit(b" ", 1)
            if re.search(rb"[\x00-\x20\x7f]", stack) or b"" in stack.split(b";"):
                sys.exit(f"not a stack: {line!r}")
            total += int(ns)
            reason = stack.split(b";")[-1].decode("latin1")
            reasons[reason] = reasons.get(reason, 0) + int(ns)
    same(profile, total, profile_total(profile, rows))
    if profile == "offcpu":
        for r in "net", "sync", "select", "before", "other", "syscall":
            same(r, reasons.get(f"[{r}]", 0), sum(t[f"sleep_{r}_ns"] for t in rows[1]))


def check_pprof(rows, path, profile):
    with open(path, encoding="utf-8") as f:
        raw = f.read()
    total = 0
    for line in raw.split("Samples:\n")[1].split("\nLocations")[0].split("\n")[1:]:
        m = re.match(r"\s*-?\d+\s+(-?\d+): [\d ]+$", line)
        if m:
            total += int(m[1])
        elif not re.match(r"\s+reason:\[[a-z]+\]$", line):
            sys.exit(f"not a sample: {line!r}")
    same(profile, total, profile_total(profile, rows))


def main():
    rows = report(sys.argv[2])
    globals()["check_" + sys.argv[1]](rows, *sys.argv[3:])
    print()


main()
