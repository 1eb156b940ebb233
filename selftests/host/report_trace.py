#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write the trace for report.sh: report_trace.py FILE

40 ms of two CPUs, as the kernel module would write them; times in ms. CPU 1 loses
events from 28 to 34.

    player/10  asleep since before, an interrupt wakes it at 4; receives from server
               6 to 16, is preempted, moves to CPU 0, has to reclaim memory 21 to 25,
               waits for a futex 27.5 to 31
    hog/11     always wants to run, has CPU 0 at first, then CPU 1
    server/12  asleep since before, woken at 8; reads from a disk, wakes player in
               sendto, yields, and again wakes player, makes child, sleeps
    child/13   made at 32, wakes server, ends
"""
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP,
                    GC_START, GC_DONE, STW_START, STW_DONE, GO_CREATE, GO_START,
                    GO_END, GO_BLOCK, GO_UNBLOCK, GO_SYSCALL, GO_SYSEXIT,
                    GO_SYSBLOCK, BLOCK_GC, REGION, LOG, header, num, rec, string)

GO_SCHED, GO_PREEMPT, GO_SLEEP = 17, 18, 19
BLOCK_SELECT, BLOCK_SYNC, BLOCK_NET, GO_WAITING = 24, 25, 27, 31
ASSIST_START, ASSIST_DONE = 43, 44
PLAYER, HOG, SERVER, CHILD = 10, 11, 12, 13
FUTEX = 24
NAMES = {1: "?", 2: "gotrace", 3: "irq", PLAYER: "player", HOG: "hog", SERVER: "server",
         CHILD: 'a "child"', 20: "syscall.recvfrom", 21: "syscall.read",
         22: "syscall.sendto", 23: "syscall.clock_nanosleep", FUTEX: "syscall.futex",
         30: "shrink_node"}
# Stacks: the innermost frame first.
IRQ, RECV, READ, SEND, SLEEP, PFUTEX, SFUTEX, RECLAIM = range(40, 48)
STACKS = {PLAYER: [PLAYER], HOG: [HOG], SERVER: [SERVER], CHILD: [CHILD],
          IRQ: [3], RECV: [20, PLAYER], READ: [21, SERVER], SEND: [22, SERVER],
          SLEEP: [23, SERVER], PFUTEX: [FUTEX, PLAYER], SFUTEX: [FUTEX, SERVER],
          RECLAIM: [30, PLAYER]}

events = [[], []]
seq = {}


def put(ms, p, typ, *args, tail=b""):
    events[p].append((int(ms * 1000000), typ, args, tail))


def step(g):
    seq[g] = seq.get(g, 0) + 1
    return seq[g]


def start(ms, p, g):
    put(ms, p, GO_START, g, step(g))


def wake(ms, p, g, stk):
    put(ms, p, GO_UNBLOCK, g, step(g), stk)


def region(begin, end, p, name, stk):
    put(begin, p, REGION, 0, 0, name, stk)
    return lambda: put(end, p, REGION, 0, 1, name, 0)


for who in PLAYER, SERVER, HOG:
    put(0, 0, GO_CREATE, who, who, 0)
    if who != HOG:
        put(0, 0, GO_WAITING, who)
        step(who)
put(0.5, 0, GOMAXPROCS, 2, 0)
put(0.6, 0, GOMAXPROCS, 2, 0)
put(1, 0, PROC_START, 1)
start(1, 0, HOG)
put(1, 1, PROC_START, 2)

wake(4, 1, PLAYER, IRQ)
start(5, 1, PLAYER)
received = region(6, 16, 1, 20, RECV)
put(7, 1, BLOCK_NET, RECV)
wake(8, 1, SERVER, IRQ)
start(8.5, 1, SERVER)
has_read = region(9, 11, 1, 21, READ)
put(9.5, 1, GO_SYSCALL, READ)
put(9.5, 1, GO_SYSBLOCK)
put(9.5, 1, PROC_STOP)
put(9.5, 1, PROC_START, 3)
put(10, 0, GO_SYSEXIT, SERVER, step(SERVER), 0)
start(10.5, 1, SERVER)
has_read()
sent = region(12, 14, 1, 22, SEND)
wake(13, 1, PLAYER, SEND)
sent()
put(15, 1, GO_SCHED, SERVER)
start(15.5, 1, PLAYER)
received()
put(17, 1, GO_PREEMPT, PLAYER)
start(17, 1, SERVER)
put(18, 1, GO_BLOCK, SERVER)

put(20, 0, GO_PREEMPT, HOG)
start(20.5, 0, PLAYER)
put(21, 0, ASSIST_START, RECLAIM)
start(21, 1, HOG)
put(21.5, 1, GC_START, 0, 0)
put(22, 0, BLOCK_GC, RECLAIM)
put(23.5, 1, GC_DONE)
wake(24, 0, PLAYER, IRQ)
start(24.5, 0, PLAYER)
put(25, 0, ASSIST_DONE)
put(26, 0, STW_START, 0)
put(26.5, 0, STW_DONE)
locked = region(27, 35, 0, FUTEX, PFUTEX)
put(27.5, 0, BLOCK_SYNC, PFUTEX)

put(28, 1, GO_SCHED, 0)
put(28, 1, PROC_STOP)
wake(30, 0, SERVER, IRQ)
start(30.5, 0, SERVER)
wake(31, 0, PLAYER, SFUTEX)
put(32, 0, GO_CREATE, CHILD, CHILD, SERVER)
put(33, 0, GO_SLEEP, SLEEP)
start(33.5, 0, PLAYER)
text = b"lost 7 events on cpu 1 in 6000000 ns"
put(34, 1, LOG, 0, 2, 0, tail=num(len(text)) + text)
put(34, 1, PROC_START, 2)
start(34, 1, HOG)
locked()
put(36, 1, GO_PREEMPT, HOG)
start(36, 1, CHILD)
wake(37, 1, SERVER, CHILD)
put(38, 1, GO_END)
start(38, 1, SERVER)
put(39, 1, BLOCK_SELECT, SERVER)
put(40, 0, GO_SCHED, 0)
put(40, 0, PROC_STOP)
put(40, 1, PROC_STOP)

out = header("1.21")
for p, evs in enumerate(events):
    last = 10**6
    out += rec(BATCH, p, last)
    for ticks, typ, args, tail in evs:
        ticks += 10**6
        out += rec(typ, ticks - last, *args) + tail
        last = ticks
out += rec(FREQ, 10**9)
for i, name in NAMES.items():
    out += string(i, name.encode())
for i, frames in STACKS.items():
    out += rec(STACK, i, len(frames), *[v for f in frames for v in (f, f, 1, 1)])
with open(sys.argv[1], "wb") as f:
    f.write(out)
