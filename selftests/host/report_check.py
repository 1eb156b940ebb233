#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Is a report true? report_check.py DUMP REPORT [STATS]

DUMP is what `gotrace dump --order time --json` prints of a trace, REPORT what
`gotrace report --json` does, and STATS what `goprint -stats` does. From DUMP the
same sums are made again, here in the plainest way; and in REPORT those must hold
that always do.
"""
import collections
import json
import re
import sys

REASONS = {"GoSleep": "sleep", "GoBlockNet": "net", "GoBlockSelect": "select",
           "GoBlockSync": "sync", "GoBlockCond": "cond", "GoBlockRecv": "recv",
           "GoBlockSend": "send", "GoSysBlock": "syscall", "GoBlockGC": "gc",
           "GoBlock": "other", "GoWaiting": "before", "GoInSyscall": "before"}
bad = 0


def same(what, report, here):
    global bad
    if report != here:
        print(f"{what}: the report says {report}, the events {here}")
        bad += 1


def load(path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


class Sums:
    def __init__(self):
        self.ns = collections.Counter()
        self.n = collections.Counter()


class Trace:
    def __init__(self, events, kernel):
        self.kernel = kernel
        self.tasks = collections.defaultdict(Sums)
        self.cpus = collections.defaultdict(Sums)
        self.calls = collections.defaultdict(Sums)
        self.pairs = collections.Counter()
        self.state, self.since, self.on, self.last_p = {}, {}, {}, {}
        self.cpu_state, self.cpu_since, self.last = {}, {}, {}
        self.open, self.in_call, self.first_region = {}, {}, set()
        self.running, self.opened, self.initial = {}, False, set()
        self.has_calls = False
        self.created, self.called, self.slept_until = {}, {}, {}
        self.end = events[-1]["time"]
        for e in events:
            self.event(e)
        for p in self.last:
            self.entry(p, None)
        for g in list(self.state):
            self.to(g, None, self.end)
            self.end_unseen(g)
            if self.open.get(g):
                self.end_call(g, self.end)
        for p in list(self.cpu_state):
            self.cpu(p, None, self.end)

    def to(self, g, state, now):
        """The state of a G: its sum is made, and it is in the next."""
        if g in self.state:
            ns = now - self.since[g]
            self.tasks[g].ns[self.state[g]] += ns
            if self.state[g] in REASONS.values():
                self.slept_until[g] = now
                if self.in_call.get(g):
                    self.calls[self.in_call[g]].ns["asleep"] += ns
        self.state[g], self.since[g] = state, now
        if state is None:
            del self.state[g]

    def cpu(self, p, state, now):
        old = self.cpu_state.get(p, "stopped")
        self.cpus[p].ns[old] += now - self.cpu_since.get(p, 0)
        self.cpu_state[p], self.cpu_since[p] = state, now

    def count(self, g, p, what):
        self.tasks[g].n[what] += 1
        self.cpus[p].n[what] += 1

    def end_call(self, g, now):
        name, since = self.open.pop(g)
        self.calls[name].ns["total"] += now - since

    def call_of(self, e, g):
        """The call that a G falls asleep in: its region, or its first one's stack."""
        if self.open.get(g):
            return self.open[g][0]
        calls = [f["fn"][8:] for f in e.get("frames") or [] if f["fn"].startswith("syscall.")]
        if not calls or (self.has_calls and g not in self.initial - self.first_region):
            return None
        self.called[g] = calls[0]
        return calls[0]

    def end_unseen(self, g):
        """Its first call began before the trace: it lasted to the end of its sleep."""
        if self.has_calls and g in self.called and g in self.initial - self.first_region:
            self.open[g] = (self.called[g], self.created[g])
            self.end_call(g, self.slept_until[g])
        self.first_region.add(g)

    def entry(self, p, e):
        """A GoSysCall before this event was an entry, unless it belongs to a GoSysBlock."""
        last = self.last.get(p)
        if not last or last["event"] != "GoSysCall" or not self.kernel or (
                e and e["event"] == "GoSysBlock" and e["ticks"] == last["ticks"]):
            return
        call = [f["fn"][8:] for f in last["frames"] if f["fn"].startswith("syscall.")][0]
        self.calls[call].n["calls"] += 1
        self.tasks[last["g"]].n["calls"] += 1

    def region(self, e, g, now):
        name = e["args"]["name_text"]
        if not self.kernel or not name.startswith("syscall."):
            return
        self.has_calls = True
        if e["args"]["mode"] == 0:
            self.end_unseen(g)
            self.open[g] = (name[8:], now)
            self.calls[name[8:]].n["calls"] += 1
            self.tasks[g].n["calls"] += 1
        elif self.open.get(g):
            self.end_call(g, now)
        elif g in self.initial and g not in self.first_region:
            self.open[g] = (name[8:], self.created[g])
            self.end_call(g, now)
            self.first_region.add(g)

    def woken(self, e, g, by, now):
        frames = e.get("frames")
        irq = self.kernel and frames and frames[0]["fn"] == "irq"
        self.tasks[g].n["woken"] += 1
        self.tasks[g].n["woken_by_irq"] += bool(irq)
        self.cpus[e["p"]].n["wakes"] += 1
        if irq or by == g:
            by = 0
        if by:
            self.tasks[by].n["wakes"] += 1
        self.pairs[by, g] += 1
        self.to(g, "runnable", now)

    def event(self, e):
        name, p, g, now = e["event"], e["p"], e["g"], e["time"]
        if name != "CPUSample" and p != -1:
            self.cpu_state.setdefault(p, "stopped")
        if name == "GoCreate":
            g = e["args"]["newg"]
            self.to(g, "runnable", now)
            self.created[g] = now
            if not self.opened:
                self.initial.add(g)
        elif name in ("GoWaiting", "GoInSyscall"):
            self.to(g, "before", now)
        elif name in ("GoStart", "GoStartLocal", "GoStartLabel"):
            self.to(g, "running", now)
            self.cpu(p, "running", now)
            self.count(g, p, "runs")
            if self.last_p.get(g, p) != p:
                self.count(g, p, "migrations")
            self.last_p[g] = p
        elif name in REASONS:
            self.to(g, REASONS[name], now)
            self.tasks[g].n[REASONS[name]] += 1
            self.in_call[g] = self.call_of(e if name != "GoSysBlock" else self.last[p], g)
            self.cpu(p, "idle" if self.running.get(p) else "stopped", now)
        elif name in ("GoSched", "GoPreempt"):
            self.to(g, "runnable", now)
            self.count(g, p, "yields" if name == "GoSched" else "preempts")
            self.cpu(p, "idle" if self.running.get(p) else "stopped", now)
        elif name in ("GoEnd", "GoStop"):
            if self.open.get(g):
                self.end_call(g, now)
            self.end_unseen(g)
            self.to(g, None, now)
            self.cpu(p, "idle" if self.running.get(p) else "stopped", now)
        elif name in ("GoUnblock", "GoUnblockLocal"):
            self.woken(e, e["args"]["g"], g, now)
        elif name.startswith("GoSysExit"):
            self.woken(e, g, 0, now)
        elif name == "ProcStart":
            self.opened = True
            self.running[p] = True
            if self.cpu_state[p] != "running":
                self.cpu(p, "idle", now)
        elif name == "ProcStop":
            self.running[p] = False
            self.cpu(p, "stopped", now)
            last = self.last.get(p)
            # Its closing steps were no yield.
            if self.kernel and last["event"] == "GoSched" and last["ticks"] == e["ticks"]:
                self.tasks[last["g"]].n["yields"] -= 1
                self.cpus[p].n["yields"] -= 1
        elif name == "UserRegion" and g:
            self.region(e, g, now)
        if name != "CPUSample":
            self.entry(p, e)
            self.last[p] = e


def check_task(row, t, trace):
    who = f"task {row['id']}"
    reasons = sorted(set(REASONS.values()))
    same(f"{who}: life", row["life_ns"], sum(t.ns.values()))
    same(f"{who}: life in its parts", row["life_ns"], row["running_ns"] +
         row["runnable_ns"] + row["asleep_ns"] + row["untraced_ns"])
    same(f"{who}: running", row["running_ns"], t.ns["running"])
    same(f"{who}: runnable", row["runnable_ns"] + row["untraced_ns"], t.ns["runnable"])
    same(f"{who}: asleep in its parts", row["asleep_ns"],
         sum(row[f"sleep_{r}_ns"] for r in reasons))
    for r in reasons:
        same(f"{who}: asleep {r}", row[f"sleep_{r}_ns"], t.ns[r])
        if r != "before":
            same(f"{who}: sleeps {r}", row[f"sleeps_{r}"], t.n[r])
    for what in ("runs", "yields", "preempts", "migrations", "woken", "woken_by_irq", "wakes"):
        same(f"{who}: {what}", row[what], t.n[what])
    if trace.kernel:
        same(f"{who}: calls", row["calls"], t.n["calls"])
    if row["wait_max_held_ns"]:
        assert row["wait_max_held_ns"] <= row["wait_max_ns"]


def check_go(rows, stats):
    """Go's own sums; where it has none of ours, see goroutines.go."""
    n = collections.Counter()
    for g in stats:
        row = rows.get(g["g"])
        # What happens at time 0 has not happened, for Go.
        if not row or not g["created"]:
            continue
        who = f"task {g['g']}, Go's"
        # A task's last moments are lost where Go takes a sum twice.
        same(f"{who} exec", row["running_ns"], g["exec"])
        same(f"{who} io", row["sleep_net_ns"], g["io"])
        same(f"{who} block", sum(row[f"sleep_{r}_ns"] for r in
             ("send", "recv", "select", "sync", "cond")), g["block"])
        same(f"{who} syscall", row["sleep_syscall_ns"], g["syscall"])
        same(f"{who} total", row["life_ns"], g["total"])
        n["all"] += 1
        # GoWaiting does not end a wait, there.
        if not row["sleep_before_ns"]:
            same(f"{who} sched", row["runnable_ns"] + row["untraced_ns"], g["sched"])
            n["sched"] += 1
    return n


def main():
    report = load(sys.argv[2])
    rows = {kind: [r for r in report if r["row"] == kind]
            for kind in ("trace", "task", "comm", "cpu", "syscall", "stack", "waker")}
    whole = rows["trace"][0]
    trace = Trace(load(sys.argv[1]), whole["kernel"])
    tasks = {r["id"]: r for r in rows["task"]}
    same("end", whole["end_ns"], trace.end)
    same("tasks", set(tasks), {g for g, t in trace.tasks.items() if sum(t.ns.values())})
    same("tasks by name", sum(r["tasks"] for r in rows["comm"]), len(tasks))
    for g, row in tasks.items():
        check_task(row, trace.tasks[g], trace)
    for what in ("running_ns", "runnable_ns", "asleep_ns", "waits", "runs", "woken", "calls"):
        same(f"by name, {what}", sum(r[what] for r in rows["comm"]),
             sum(r[what] for r in rows["task"]))
    for row in rows["cpu"]:
        c = trace.cpus[row["cpu"]]
        who = f"cpu {row['cpu']}"
        same(f"{who}: its parts", row["running_ns"] + row["idle_ns"] + row["stopped_ns"],
             trace.end)
        for what, key in (("running", "running_ns"), ("idle", "idle_ns"),
                          ("stopped", "stopped_ns")):
            same(f"{who}: {what}", row[key], c.ns[what])
        for what in ("runs", "yields", "preempts", "migrations", "wakes"):
            same(f"{who}: {what}", row[what], c.n[what])
    for what in ("running_ns", "runs", "preempts", "migrations", "waits"):
        same(f"by cpu, {what}", sum(r[what] for r in rows["cpu"]),
             sum(r[what] for r in rows["task"]))
    same("by stack", sum(r["asleep_ns"] for r in rows["stack"]),
         sum(r["asleep_ns"] for r in rows["task"]))
    pairs = collections.Counter()
    for r in rows["waker"]:
        pairs[r["waker"] or 0, r["woken"]] += r["wakes"]
    same("pairs", pairs, trace.pairs)
    if trace.kernel:
        calls = {r["name"]: r for r in rows["syscall"]}
        for name, c in trace.calls.items():
            same(f"{name}: calls", calls[name]["calls"], c.n["calls"])
            same(f"{name}: total", calls[name]["total_ns"], c.ns["total"])
            same(f"{name}: asleep", calls[name]["asleep_ns"], c.ns["asleep"])
    n = check_go(tasks, load(sys.argv[3])) if len(sys.argv) > 3 else {}
    print(f"{len(tasks)} tasks, {len(rows['cpu'])} CPUs, {len(rows['syscall'])} calls,"
          f" {n.get('all', 0)} as Go has them, of {n.get('sched', 0)} also the waits")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
