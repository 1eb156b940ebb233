#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the trace for export.sh: export_trace.py FILE

A second of two CPUs: every name is one that a careless writer makes a broken file of, and
there are CPU samples, user tasks, regions, logs, a heap. Task 10 wakes 11 and the other way
round; 12 runs all the time.
"""
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP, GO_CREATE,
                    GO_START, GO_UNBLOCK, TASK_CREATE, REGION, LOG, SAMPLE, header, num,
                    rec, string)

GO_SCHED, BLOCK_NET, BLOCK_SYNC, GO_WAITING = 17, 27, 25, 31
HEAP_ALLOC, HEAP_GOAL, TASK_END = 33, 34, 46
QUOTED, RAW, HOG = 10, 11, 2**40 + 12
NAMES = {1: b"?", 2: b"gotrace", QUOTED: b'q"uo\'te,d;\\ \t\n</script>',
         RAW: b"\xff\xc0\x80\xed\xa0\x80\x1b[0m\x00\x7f\xc3\xa9", 12: b"hog",
         20: b"syscall.read", 21: b"syscall.futex", 22: b'f"<\xfe>', 23: b"re\ngion",
         24: b"ta;sk", 25: b"key\x01", 26: b"irq"}
# Names' stacks, and the strings that say of which process their tasks are.
NAME, PROCESS = 2**20, 2**21
PROCESSES = {QUOTED: QUOTED, RAW: QUOTED, 12: 12}
STACKS = {NAME + QUOTED: [QUOTED], NAME + RAW: [RAW], NAME + 12: [12], 40: [22, 20, QUOTED], 41: [21, RAW],
          42: [22, 12], 43: [26]}

events = [[], []]
seq = {}


def put(us, p, typ, *args, tail=b""):
    events[p].append((int(us * 1000), typ, args, tail))


def step(g):
    seq[g] = seq.get(g, 0) + 1
    return seq[g]


def start(us, p, g):
    put(us, p, GO_START, g, step(g))


def wake(us, p, g, stk):
    put(us, p, GO_UNBLOCK, g, step(g), stk)


for g, stk in (QUOTED, QUOTED), (RAW, RAW), (HOG, 12):
    put(0, 0, GO_CREATE, g, NAME + stk, 0)
    if g != HOG:
        put(0, 0, GO_WAITING, g)
        step(g)
put(1, 0, GOMAXPROCS, 2, 0)
put(2, 0, GOMAXPROCS, 2, 0)
put(10, 0, PROC_START, 1)
put(10, 1, PROC_START, 2)
start(11, 1, HOG)
wake(20, 0, QUOTED, 43)
start(21, 0, QUOTED)
put(22, 0, TASK_CREATE, 7, 0, 24, 0)
samples = []
for i in range(1000):
    t = 100 + 990 * i
    put(t, 0, REGION, 0, 0, 20, 40)
    put(t + 1, 0, HEAP_ALLOC, 1000 + i)
    put(t + 5, 0, REGION, 7, 0, 23, 40)
    put(t + 6, 0, LOG, 7, 25, 0, tail=num(len(b"me\"ss\xff")) + b"me\"ss\xff")
    wake(t + 100, 0, RAW, 40)
    put(t + 200, 0, BLOCK_NET, 40)
    start(t + 210, 0, RAW)
    put(t + 220, 0, REGION, 0, 0, 21, 41)
    samples.append((t + 300, 0, RAW, 41))
    samples.append((t + 310, 1, HOG, 42))
    wake(t + 400, 0, QUOTED, 41)
    put(t + 450, 0, BLOCK_SYNC if i % 2 else GO_SCHED, 41)
    start(t + 460, 0, QUOTED)
    put(t + 470, 0, REGION, 7, 1, 23, 0)
    put(t + 480, 0, REGION, 0, 1, 20, 0)
    if i % 2:
        wake(t + 490, 0, RAW, 40)
    put(t + 500, 0, GO_SCHED, 0)
    start(t + 510, 0, RAW)
    put(t + 520, 0, REGION, 0, 1, 21, 0)
    put(t + 530, 0, BLOCK_SYNC, 41)
    start(t + 540, 0, QUOTED)
put(995000, 0, TASK_END, 7, 0)
put(999000, 0, GO_SCHED, 0)
put(999000, 0, PROC_STOP)
put(1000000, 1, GO_SCHED, 0)
put(1000000, 1, PROC_STOP)

out = header("1.21")
for p, evs in enumerate(events):
    last = 10**6
    out += rec(BATCH, p, last)
    for ticks, typ, args, tail in evs:
        ticks += 10**6
        out += rec(typ, ticks - last, *args) + tail
        last = ticks
for t, p, g, stk in samples:
    out += rec(SAMPLE, 0, t * 1000 + 10**6, p, g, stk)
out += rec(FREQ, 10**9)
for i, name in NAMES.items():
    out += string(i, name)
for i, process in PROCESSES.items():
    out += string(PROCESS + i, b"%d" % process)
for i, frames in STACKS.items():
    out += rec(STACK, i, len(frames), *[v for f in frames for v in (f, f, 1, 1)])
with open(sys.argv[1], "wb") as f:
    f.write(out)
