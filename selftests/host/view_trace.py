#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a long trace for view.sh: view_trace.py THOUSANDS FILE

As many thousand events, of two tasks on two CPUs that wake each other.
"""
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP, GO_CREATE, GO_START,
                    GO_UNBLOCK, header, num, rec, string)

GO_SCHED, BLOCK_RECV, GO_WAITING = 17, 23, 31
A, B = 10, 11
seq = {A: 0, B: 0}


def step(g):
    seq[g] += 1
    return seq[g]


body = [[], []]
last = [1000, 1000]
now = 1000


def put(p, typ, *args):
    body[p].append(rec(typ, now - last[p], *args))
    last[p] = now


for g in A, B:
    put(0, GO_CREATE, g, g, 0)
    step(g)
put(0, GO_WAITING, B)
step(B)
for _ in range(2):
    put(0, GOMAXPROCS, 2, 0)
put(0, PROC_START, 1)
put(1, PROC_START, 2)
put(0, GO_START, A, seq[A])
step(A)
for i in range(int(sys.argv[1]) * 1000 // 3):
    p, g, other = (0, A, B) if i % 2 == 0 else (1, B, A)
    now += 1000
    put(p, GO_UNBLOCK, other, seq[other], 20)
    step(other)
    now += 500
    put(1 - p, GO_START, other, seq[other])
    step(other)
    now += 700
    put(p, BLOCK_RECV, 21)
p = 1 - p
now += 10
put(p, GO_SCHED, 0)
for p in 0, 1:
    put(p, PROC_STOP)
out = header("1.21")
for p in 0, 1:
    out += rec(BATCH, p, 1000) + b"".join(body[p])
out += rec(FREQ, 10**9)
for i, name in {1: b"?", 2: b"gotrace", A: b"ping", B: b"pong", 20: b"syscall.write", 21: b"syscall.read"}.items():
    out += string(i, name)
for i, frames in {A: [A], B: [B], 20: [20, A], 21: [21, B]}.items():
    out += rec(STACK, i, len(frames), *[v for f in frames for v in (f, f, 1, 1)])
with open(sys.argv[2], "wb") as f:
    f.write(out)
