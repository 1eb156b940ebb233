#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Are they the same? compare.py GOPRINT DUMP

GOPRINT is what goprint says of a trace, DUMP what `gotrace dump --order time
--rows --json` does: the same events in the same order with the same times,
arguments, stacks and texts. Go leaves open which of two events of two Ps comes
first when they have one time and neither needs the other, and even changes its
mind from run to run; so only there the order may differ.
"""
import itertools
import json
import sys

# Go forgets which ones these were once they are in order.
LOCAL = {"GoStartLocal": "GoStart", "GoUnblockLocal": "GoUnblock",
         "GoSysExitLocal": "GoSysExit"}


def go_event(e):
    if e["event"] == "CPUSample":
        e["args"] = e["args"][1:]
    # A copy of the GoCreate's new stack, and no stack of the event's own.
    if e["event"] in ("GoStart", "GoStartLabel"):
        e["frames"], e["stk"] = None, 0
    # What it calls the kinds is not in the trace.
    if e["event"] == "STWStart":
        e["sargs"] = None
    return e


def our_event(e):
    args = list(e["args"].items())
    name = LOCAL.get(e["event"], e["event"])
    texts = [v for k, v in args if k.endswith("_text")]
    if name == "UserLog":
        texts.append(e["message"])
    values = [v % 2**64 for k, v in args if not k.endswith("_text")]
    if name == "CPUSample":
        values = values[1:]
    if e["event"] == "GoSysExitLocal":
        values.insert(1, 0)
    return {"event": name, "time": e["time"], "p": e["p"], "g": e["g"],
            "args": values, "sargs": texts, "stk": e.get("stk", 0),
            "frames": e.get("frames"), "off": e["off"]}


def differs(go, ours):
    for key in ("event", "time", "p", "g", "stk", "off"):
        if go[key] != ours[key]:
            return key
    if go["args"][:len(ours["args"])] != ours["args"]:
        return "args"
    if (go["sargs"] or []) != ours["sargs"]:
        return "sargs"
    for a, b in itertools.zip_longest(go["frames"] or [], ours["frames"] or []):
        if not a or not b or a["pc"] != b["pc"] or a["line"] != b["line"] or \
           a["fn"] != b["fn"] or a["file"] != b["file"]:
            return "frames"
    return None


def times(events):
    for _, group in itertools.groupby(events, key=lambda e: e["time"]):
        yield list(group)


def load(path, convert):
    with open(path, encoding="utf-8") as f:
        for line in f:
            yield convert(json.loads(line))


def main():
    n = ties = 0
    go = times(load(sys.argv[1], go_event))
    ours = times(load(sys.argv[2], our_event))
    for a, b in itertools.zip_longest(go, ours, fillvalue=[]):
        if [e["off"] for e in a] != [e["off"] for e in b]:
            ties += 1
            a.sort(key=lambda e: e["off"])
            # Of one P, the order must be right all the same. A sample is not
            # where its P's events are, nor a GoSysExit (a row of its own).
            offs = {}
            for e in b:
                if e["event"] == "CPUSample" or e["p"] > 1000000:
                    continue
                if e["off"] < offs.get(e["p"], 0):
                    sys.exit(f"out of order on its P: {e}")
                offs[e["p"]] = e["off"]
            b.sort(key=lambda e: e["off"])
        for x, y in itertools.zip_longest(a, b):
            if not x or not y:
                sys.exit(f"only one has it: Go {x}, gotrace {y}")
            key = differs(x, y)
            if key:
                sys.exit(f"{key} differs: Go {x}, gotrace {y}")
            n += 1
    if not n:
        sys.exit("no events")
    print(f"{n} events, {ties} times with another order")


if __name__ == "__main__":
    main()
