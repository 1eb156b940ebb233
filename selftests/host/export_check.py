#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Does an exported file say what the report says?

    export_check.py FORMAT REPORT FILE [PROFILE]

REPORT is what gotrace report --json said of the same trace. FILE is, for pprof, what
`go tool pprof -raw` printed of it. Prints what both sides agree on, or what is wrong, and
exits with 1 then.
"""
import bisect
import csv
import decimal
import json
import re
import sqlite3
import subprocess
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


class Slices:
    """The slices of each track, from their begins and ends."""

    def __init__(self):
        self.open, self.done = {}, []

    def begin(self, track, time, name):
        self.open.setdefault(track, []).append((time, name))

    def end(self, track, time):
        if not self.open.get(track):
            sys.exit(f"track {track} ends at {time} what has not begun")
        begin, name = self.open[track].pop()
        self.done.append((track, begin, time, name))

    def finish(self, time):
        for track, left in self.open.items():
            self.done += [(track, begin, time, name) for begin, name in left]


def fields(packet):
    """A packet of protoc's text, its scalars by their paths."""
    path, out = [], {}
    for line in packet.split("\n"):
        line = line.strip()
        if line.endswith(" {"):
            path.append(line[:-2])
        elif line == "}":
            path.pop()
        elif line:
            key, value = line.split(": ", 1)
            out.setdefault(".".join(path + [key]), value)
    return out


def check_perfetto(rows, path):
    trace, tasks, calls = rows
    with open(path, encoding="utf-8") as f:
        packets = [fields(p) for p in re.split(r"^packet \{\n|^\}\n", f.read(), flags=re.M) if p]
    end = trace["end_ns"]
    threads, names, parents = {}, {}, {}
    of_process = {}
    ftrace, events = [], []
    samples = 0
    for p in packets:
        uuid = p.get("track_descriptor.uuid")
        if "track_descriptor.thread.tid" in p:
            threads[uuid] = int(p["track_descriptor.thread.tid"])
            of_process[threads[uuid]] = int(p["track_descriptor.thread.pid"])
        if "track_descriptor.name" in p:
            names[uuid] = p["track_descriptor.name"]
            parents[uuid] = p.get("track_descriptor.parent_uuid")
        if "ftrace_events.event.timestamp" in p:
            ftrace.append((int(p["ftrace_events.event.timestamp"]), p))
        if "track_event.type" in p:
            events.append((int(p["timestamp"]), p))
        samples += "perf_sample.cpu" in p
    slices = Slices()
    flows, ends = set(), set()
    for time, p in sorted(events, key=lambda e: e[0]):
        typ, track = p["track_event.type"], p["track_event.track_uuid"]
        if track not in threads and track not in names:
            sys.exit(f"track {track} was not described")
        if typ == "TYPE_SLICE_BEGIN":
            slices.begin(track, time, p["track_event.name"])
        elif typ == "TYPE_SLICE_END":
            slices.end(track, time)
        flows.add(p.get("track_event.flow_ids"))
        ends.add(p.get("track_event.terminating_flow_ids"))
    slices.finish(end)
    untraced = {(threads[parents[t]], begin) for t, begin, _, name in slices.done
                if name == '"untraced"'}

    running, runnable = {}, {}
    since, on_cpu = {}, set()
    key = "ftrace_events.event.sched_"
    for time, p in sorted(ftrace, key=lambda e: e[0]):
        woken = int(p.get(key + "waking.pid", 0))
        if woken:
            since[woken] = time
            continue
        prev, nxt = int(p[key + "switch.prev_pid"]), int(p[key + "switch.next_pid"])
        if prev:
            on_cpu.remove(prev)
            running[prev] = running.get(prev, 0) + time - since.pop(prev)
            if p[key + "switch.prev_state"] == "0":
                since[prev] = time
        if nxt:
            begin = since.pop(nxt, time)
            if (nxt, begin) not in untraced:
                runnable[nxt] = runnable.get(nxt, 0) + time - begin
            since[nxt] = time
            on_cpu.add(nxt)
    for t in tasks:
        tid = t["id"] if t["id"] < 2**31 else None
        # Who did nothing all the time is not described.
        process = of_process.get(tid, None if t["runs"] else t.get("process"))
        if tid and t.get("process") and process != t["process"]:
            sys.exit(f"{tid} is of process {process}, says the report {t['process']}")
    for tid, begin in since.items():
        if tid not in on_cpu and (tid, begin) not in untraced:
            runnable[tid] = runnable.get(tid, 0) + end - begin
    for t in tasks:
        if t["id"] < 2**31 and running.get(t["id"], 0) != t["running_ns"]:
            sys.exit(f"{t['id']} ran {running.get(t['id'], 0)} ns, says the report {t['running_ns']}")
    same("running", sum(running.values()), sum(t["running_ns"] for t in tasks))
    for t in tasks:
        # Who was asleep before looks runnable to the report until the trace says so.
        ran, told = runnable.get(t["id"], 0), t["runnable_ns"]
        if t["id"] < 2**31 and (ran > told or (ran < told and not t["sleep_before_ns"])):
            sys.exit(f"{t['id']} was runnable for {ran} ns, says the report {told}")
    print(f"runnable {sum(runnable.values())}", end=" ")
    same("calls", sum(e - b for t, b, e, _ in slices.done if t in threads),
         sum(c["total_ns"] for c in calls if c["total_ns"]))
    same("flows", len(flows - {None}), sum(t["wakes"] for t in tasks))
    if ends - flows:
        sys.exit("flows end that did not begin")
    print(f"samples {samples}", end=" ")


def check_chrome(rows, path):
    def strict(text):
        raise ValueError(f"{text} is not in JSON")

    with open(path, encoding="utf-8", errors="strict") as f:
        # A float has not the digits for a long trace's ns.
        events = json.load(f, parse_constant=strict, parse_float=decimal.Decimal)["traceEvents"]
    total, runs, ends, seen = {}, {}, {}, {}
    for e in events:
        seen[e["ph"], e["name"]] = seen.get((e["ph"], e["name"]), 0) + 1
        if e["ph"] == "X":
            what = {1: "CPUs", 3: "calls", 4: "regions", 5: "memory", 6: "machine"}.get(e["pid"], e["name"])
            if e["name"] == "events lost":
                what = "lost"
            total[what] = total.get(what, 0) + int(e["dur"] * 1000)
            if what == "CPUs":
                runs.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"]))
        elif e["ph"] in "sf":
            ends.setdefault(e["id"], {})[e["ph"]] = e
    # An arrow begins while somebody runs there, and ends where who was woken begins to.
    for r in runs.values():
        r.sort()
    for i, arrow in ends.items():
        s, f = arrow["s"], arrow["f"]
        k = bisect.bisect_right(runs.get(s["tid"], []), (s["ts"], decimal.Decimal("inf"))) - 1
        if k < 0 or not s["ts"] <= runs[s["tid"]][k][1]:
            sys.exit(f"arrow {i} begins at {s['ts']} on {s['tid']}, where nobody runs")
        k = bisect.bisect_left(runs.get(f["tid"], []), (f["ts"], decimal.Decimal(0)))
        if k == len(runs.get(f["tid"], [])) or runs[f["tid"]][k][0] != f["ts"] or s["ts"] > f["ts"]:
            sys.exit(f"arrow {i} ends at {f['ts']} on {f['tid']}, where nobody begins to run")
    tasks, calls = rows[1:]
    same("CPUs", total.get("CPUs", 0), sum(t["running_ns"] for t in tasks))
    for what in "running", "runnable", "untraced":
        same(what, total.get(what, 0), sum(t[what + "_ns"] for t in tasks))
    for what in "net", "sync", "before", "select":
        same(what, total.get(what, 0), sum(t[f"sleep_{what}_ns"] for t in tasks))
    same("calls", total.get("calls", 0), sum(c["total_ns"] for c in calls if c["total_ns"]))
    # Who was woken last may not have run yet.
    wakes = seen.get(("s", "wake"), 0)
    if not 0 <= sum(t["wakes"] for t in tasks) - wakes <= len(tasks):
        sys.exit(f"{wakes} arrows, the report has {sum(t['wakes'] for t in tasks)} wake-ups")
    print(f"arrows {wakes}", end=" ")
    names = [e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == 2]
    if {n for n in names if n} - {t["name"] for t in tasks}:
        sys.exit(f"names are not the report's: {names}")


def check_csv(rows, path):
    """With Python's reader, and what SQLite makes of it."""
    with open(path, encoding="utf-8", errors="strict", newline="") as f:
        reader = csv.DictReader(f, strict=True)
        table, titles = list(reader), reader.fieldnames
    if any(None in r or None in r.values() for r in table):
        sys.exit("rows are not all as long as the first")
    db = sqlite3.connect(":memory:")
    db.execute("create table t (" + ", ".join(titles) + ")")
    db.executemany("insert into t values (" + ", ".join("?" * len(titles)) + ")",
                   [list(r.values()) for r in table])
    # The same by the program, which reads the file itself.
    dump = subprocess.run(["sqlite3", ":memory:", f".import --csv '{path}' t", ".mode json",
                           "select kind, name, count(*) n from t group by kind, name order by kind, name"],
                          check=True, capture_output=True).stdout
    sums = "select kind, name, count(*) from t group by kind, name order by kind, name"
    if [tuple(r.values()) for r in json.loads(dump or "[]")] != list(db.execute(sums)):
        sys.exit("sqlite3 reads something else than Python")

    def total(where):
        return int(db.execute("select coalesce(sum(cast(duration_ns as integer)), 0) from t where " + where).fetchone()[0])

    def count(where):
        return db.execute("select count(*) from t where " + where).fetchone()[0]
    trace, tasks, calls = rows
    for what in "running", "runnable", "asleep", "untraced":
        same(what, total(f"kind = '{what}'"), sum(t[what + "_ns"] for t in tasks))
    for what in "net", "sync", "select", "before":
        same(what, total(f"kind = 'asleep' and name = '{what}'"), sum(t[f"sleep_{what}_ns"] for t in tasks))
    same("calls", total("kind = 'call'"), sum(c["total_ns"] for c in calls if c["total_ns"]))
    same("wakes", count("kind = 'asleep' and by_id != ''"), sum(t["wakes"] for t in tasks))
    for t in tasks:
        ran = total(f"kind = 'running' and id = '{t['id']}'")
        if ran != t["running_ns"]:
            sys.exit(f"{t['id']} ran {ran} ns, says the report {t['running_ns']}")
    if {r["task"] for r in table if r["task"]} - {t["name"].replace("\0", "\ufffd") for t in tasks}:
        sys.exit("names are not the report's")


def main():
    rows = report(sys.argv[2])
    globals()["check_" + sys.argv[1]](rows, *sys.argv[3:])
    print()


main()
