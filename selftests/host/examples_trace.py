#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the trace for examples.sh: examples_trace.py FILE

Two CPUs, times in ms. hog/11 runs on CPU 0 all the time. player/10 on CPU 1 makes
three turns, each ended by clock_nanosleep, of 2, 25 and 2 ms. In the second it
waits 6 for server/12, and after it was preempted 12 for the CPU that server has.
"""
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP,
                    GO_CREATE, GO_START, GO_BLOCK, GO_UNBLOCK, REGION,
                    header, rec, string)

GO_PREEMPT, GO_SLEEP, BLOCK_NET, GO_WAITING = 18, 19, 27, 31
PLAYER, HOG, SERVER = 10, 11, 12
NANOSLEEP, RECVFROM = 100, 101
NAMES = {PLAYER: "player", HOG: "hog", SERVER: "server",
         NANOSLEEP: "syscall.clock_nanosleep", RECVFROM: "syscall.recvfrom"}

events = [[], []]
seq = {}


def put(ms, p, typ, *args):
    events[p].append((int(ms * 1000000), typ, args))


def step(g):
    seq[g] = seq.get(g, 0) + 1
    return seq[g]


def start(ms, p, g):
    put(ms, p, GO_START, g, step(g))


def wake(ms, p, g):
    put(ms, p, GO_UNBLOCK, g, step(g), 0)


def region(ms, mode, name):
    put(ms, 1, REGION, 0, mode, name, 0 if mode else name)


for n, g in enumerate((PLAYER, HOG, SERVER)):
    put(n / 1e5, 0, GO_CREATE, g, g, 0)
    if g != HOG:
        put(n / 1e5 + 1e-6, 0, GO_WAITING, g)
        step(g)
for ms in 0.5, 0.55:
    put(ms, 0, GOMAXPROCS, 2, 0)
put(0.6, 0, PROC_START, 1)
start(1, 0, HOG)
put(60, 0, GO_PREEMPT, 0)
put(61, 0, PROC_STOP)

put(1, 1, PROC_START, 2)
wake(5, 1, PLAYER)
start(6, 1, PLAYER)
for begin, asleep, woken in (6.5, 7, 10), (14, 15, 20), (47, 48, 50):
    if begin == 47:
        region(23, 0, RECVFROM)
        put(24, 1, BLOCK_NET, RECVFROM)
        wake(25, 1, SERVER)
        start(26, 1, SERVER)
        wake(30, 1, PLAYER)
        put(31, 1, GO_BLOCK, 0)
        start(32, 1, PLAYER)
        region(33, 1, RECVFROM)
        put(34, 1, GO_PREEMPT, 0)
        wake(34.5, 1, SERVER)
        start(35, 1, SERVER)
        put(45, 1, GO_BLOCK, 0)
        start(46, 1, PLAYER)
    region(begin, 0, NANOSLEEP)
    put(asleep, 1, GO_SLEEP, NANOSLEEP)
    wake(woken, 1, PLAYER)
    start(woken + 1, 1, PLAYER)
    region(woken + 2, 1, NANOSLEEP)
region(54, 0, NANOSLEEP)
put(55, 1, GO_SLEEP, NANOSLEEP)
put(56, 1, PROC_STOP)

out = header("1.21")
for p, evs in enumerate(events):
    last = 10**6
    out += rec(BATCH, p, last)
    for ticks, typ, args in evs:
        ticks += 10**6 + 1
        out += rec(typ, ticks - last, *args)
        last = ticks
out += rec(FREQ, 10**9)
for i, name in NAMES.items():
    out += string(i, name.encode())
    out += rec(STACK, i, 1, i, i, 0, 0)
with open(sys.argv[1], "wb") as f:
    f.write(out)
