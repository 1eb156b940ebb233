#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write traces for order_test.sh: order_traces.py DIR SEED N

N traces of made-up programs, of all versions from 1.7 on, with what makes an
order hard: few ticks for many events, steps of a G on changing Ps, GoSysExits
with a time of their own, samples out of order, futile wake-ups, Batches cut
anywhere. In a third of them an event is left out, written twice, or swapped
with the next, which mostly makes them impossible; Go has to say which.
"""
import os
import random
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP,
                    GC_START, GC_DONE, STW_START, STW_DONE, SWEEP_START,
                    SWEEP_DONE, GO_CREATE, GO_START, GO_END, GO_BLOCK,
                    GO_UNBLOCK, GO_SYSCALL, GO_SYSEXIT, GO_SYSBLOCK, TIMER_G,
                    FUTILE, START_LABEL, BLOCK_GC, TASK_CREATE, REGION, LOG,
                    SAMPLE, NO_P, header, rec, string, num)

GO_STOP, GO_SCHED, GO_PREEMPT, GO_SLEEP = 16, 17, 18, 19
BLOCK_SEND, BLOCK_RECV, BLOCK_SELECT, BLOCK_SYNC, BLOCK_COND, BLOCK_NET = range(22, 28)
GO_WAITING, IN_SYSCALL, HEAP_ALLOC = 31, 32, 33
START_LOCAL, UNBLOCK_LOCAL, ASSIST_START, ASSIST_DONE, TASK_END = 38, 39, 43, 44, 46
FUTILE_BLOCKS = [GO_BLOCK, BLOCK_SEND, BLOCK_RECV, BLOCK_SELECT, BLOCK_SYNC,
                 BLOCK_COND]
BLOCKS = FUTILE_BLOCKS + [GO_SLEEP, BLOCK_NET]


class G:
    def __init__(self, n):
        self.n, self.seq, self.state, self.p = n, 1, "runnable", None
        self.own = self.block = 0
        self.regions, self.assists = [], False
        self.idle = False  # nothing but GoStart and GoPreempt since its wake-up


class Program:
    def __init__(self, rnd):
        self.r = rnd
        self.version = rnd.choice([7, 8, 9, 10, 11, 19, 21])
        self.clock = rnd.choice([1, 1000, 2**40])
        self.step = rnd.choice([1, 1, 3, 50])
        self.ps = rnd.choice([1, 2, 3, 8])
        self.events = [[] for _ in range(self.ps)]  # of each P: (ticks, bytes)
        self.up = [False] * self.ps
        self.cur = [None] * self.ps
        self.sweeps = [False] * self.ps
        self.stw_p = [False] * self.ps
        self.gs, self.samples, self.tasks = [], [], []
        self.gc = self.stw = None
        self.gc_n = self.next_task = 0

    def put(self, p, typ, *args, tail=b""):
        self.events[p].append((self.clock, typ, args, tail))

    def tick(self):
        self.clock += self.r.randint(0, self.step)

    def pick(self, state):
        some = [g for g in self.gs if g.state == state]
        return self.r.choice(some) if some else None

    def count(self, g):
        g.seq += 1
        return g.seq - 1

    def create(self, p):
        g = G(len(self.gs) + 1)
        self.gs.append(g)
        g.p, g.born = p, self.clock
        self.put(p, GO_CREATE, g.n, 1, 2)
        return g

    def begin(self):
        for _ in range(self.r.randint(1, 6)):
            g = self.create(0)
            if self.r.random() < 0.5:
                g.state = "waiting"
                g.block = self.clock
                if self.r.random() < 0.5:
                    g.state = "syscall"
                self.put(0, IN_SYSCALL if g.state == "syscall" else GO_WAITING, g.n)
                self.count(g)
            self.tick()
        self.put(0, GOMAXPROCS, self.ps, 0)

    def start(self, p, g):
        if g.state == "left":
            # It came back from its call a while ago, and says so now.
            self.put(p, GO_SYSEXIT, g.n, self.count(g), g.own)
            g.p = p
            if self.r.random() < 0.5:
                self.tick()
        if self.version >= 8 and self.r.random() < 0.1:
            self.put(p, START_LABEL, g.n, self.count(g), 1)
            g.idle = False
        elif g.p == p and self.r.random() < 0.7:
            self.put(p, START_LOCAL, g.n)
            self.count(g)
        else:
            self.put(p, GO_START, g.n, self.count(g))
        g.state, g.p, self.cur[p] = "running", p, g

    def wake(self, p):
        g = self.pick("waiting")
        if not g:
            return
        if g.p == p and self.r.random() < 0.7:
            self.put(p, UNBLOCK_LOCAL, g.n, 2)
            self.count(g)
        else:
            self.put(p, GO_UNBLOCK, g.n, self.count(g), 2)
        g.state, g.p, g.idle = "runnable", p, True

    def returns(self):
        """A call of some G returns; it has no P yet."""
        g = self.pick("syscall")
        if g:
            g.state = "left"
            g.own = self.r.choice([0, self.clock]) if g.block else 0

    def leave(self, p, g):
        typ, how = self.r.choice(
            [(t, "waiting") for t in BLOCKS] +
            [(GO_SCHED, "runnable"), (GO_PREEMPT, "runnable"), (GO_END, "dead"),
             (GO_STOP, "dead"), (GO_SYSBLOCK, "syscall")] +
            ([(BLOCK_GC, "waiting")] if self.version >= 8 else []))
        if typ == GO_SYSBLOCK:
            self.put(p, GO_SYSCALL, 2)
        if how == "dead" and (g.assists or len(self.gs) < 3):
            return
        if typ in FUTILE_BLOCKS and g.idle and self.r.random() < 0.5:
            self.put(p, FUTILE)
        g.idle = g.idle and typ == GO_PREEMPT
        self.put(p, typ, *([] if typ in (GO_END, GO_SYSBLOCK) else [2]))
        g.state, g.p, self.cur[p] = how, p, None
        g.block = self.clock if how == "syscall" else g.block

    def annotate(self, p, g):
        what = self.r.randint(0, 4)
        if what == 0:
            self.next_task += 1
            self.tasks.append(self.next_task)
            self.put(p, TASK_CREATE, self.next_task, 0, 1, 2)
        elif what == 1 and self.tasks:
            self.put(p, TASK_END, self.tasks.pop(self.r.randrange(len(self.tasks))), 2)
        elif what == 2:
            g.regions.append(self.r.randint(1, 2))
            self.put(p, REGION, 1, 0, g.regions[-1], 2)
        elif what == 3:
            self.put(p, REGION, 1, 1, g.regions.pop() if g.regions else 1, 2)
        else:
            text = b"m" * self.r.randint(0, 3)
            self.put(p, LOG, 1, 1, 2, tail=num(len(text)) + text)

    def machine(self, p):
        """What is not a G's. At one time nothing tells which is first."""
        self.clock += 1
        what = self.r.randint(0, 4)
        if what == 0:
            self.gc = not self.gc
            if self.gc:
                self.put(p, GC_START, self.gc_n, 2)
                self.gc_n += 1
            else:
                self.put(p, GC_DONE)
        elif what == 1 and self.version >= 10:
            self.stw = not self.stw
            self.put(p, *([STW_START, self.r.randint(0, 1)] if self.stw else [STW_DONE]))
        elif what == 1:
            self.stw_p[p] = not self.stw_p[p]
            self.put(p, STW_START if self.stw_p[p] else STW_DONE)
        elif what == 2:
            self.sweeps[p] = not self.sweeps[p]
            if self.sweeps[p]:
                self.put(p, SWEEP_START, 2)
            else:
                self.put(p, SWEEP_DONE, *([1, 1] if self.version >= 9 else []))
        elif what == 3:
            self.put(p, HEAP_ALLOC, self.r.randint(0, 9999))
        elif self.version >= 9 and self.cur[p]:
            g = self.cur[p]
            g.assists = not g.assists
            self.put(p, *([ASSIST_START, 2] if g.assists else [ASSIST_DONE]))

    def sample(self):
        g = self.pick("running")
        if g and self.version >= 19:
            at = self.clock if self.r.random() < 0.9 else self.clock + 1
            self.samples.append((at, self.r.choice([g.p, NO_P]), g.n if g.born < at else 0))

    def do(self):
        p = self.r.randrange(self.ps)
        self.tick()
        self.r.choice([self.sample, self.returns, lambda: None])()
        if not self.up[p]:
            self.put(p, PROC_START, self.r.randint(0, 9))
            self.up[p] = True
            return
        g = self.cur[p]
        if not g:
            if self.r.random() < 0.1:
                self.put(p, PROC_STOP)
                self.up[p] = False
                return
            g = self.pick(self.r.choice(["runnable", "left"]))
            return self.start(p, g) if g else self.wake(p)
        x = self.r.random()
        if x < 0.4:
            return self.leave(p, g)
        g.idle = False
        if x < 0.6:
            self.wake(p)
        elif x < 0.7:
            self.create(p)
        elif x < 0.85:
            self.machine(p)
        elif self.version >= 11:
            self.annotate(p, g)

    def spoil(self):
        """Make one P's list wrong, mostly."""
        events = self.r.choice([e for e in self.events if e])
        at = self.r.randrange(len(events))
        what = self.r.randint(0, 3)
        if what == 0:
            del events[at]
        elif what == 1:
            events.insert(at, events[at])
        elif at + 1 < len(events):
            a, b = events[at:at + 2]
            events[at:at + 2] = [(a[0],) + b[1:], (b[0],) + a[1:]]

    def batch(self, p):
        """Some of a P's events as a Batch, and samples anywhere."""
        n = self.r.randint(0, 40)
        events, self.events[p] = self.events[p][:n], self.events[p][n:]
        last = events[0][0] if events else self.clock
        out = rec(BATCH, p, last)
        for ticks, typ, args, tail in events:
            out += rec(typ, ticks - last, *args) + tail
            last = ticks
            while self.samples and self.r.random() < 0.2:
                at, sp, g = self.samples.pop(self.r.randint(0, min(3, len(self.samples) - 1)))
                out += rec(SAMPLE, 0, at, sp, g, 2)
        return out

    def trace(self):
        for n in (1, 2):
            yield string(n, b"f%d" % n)
            yield rec(STACK, n, 1, n, n, n, 1)
        if self.r.random() < 0.2:
            yield rec(TIMER_G, self.r.randint(1, 3))
        yield rec(FREQ, self.r.choice([10**9, 10**6, 3 * 10**9 + 7]))
        while any(self.events):
            yield self.batch(self.r.randrange(self.ps))
        for at, sp, g in self.samples:
            yield rec(SAMPLE, 0, at, sp, g, 2)

    def write(self, path):
        with open(path, "wb") as f:
            f.write(header(f"1.{self.version}") + rec(BATCH, 0, self.clock))
            f.write(b"".join(self.trace()))


def main():
    where, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for i in range(n):
        program = Program(random.Random(seed + i))
        program.begin()
        for _ in range(program.r.choice([10, 100, 1000])):
            program.do()
        if i % 3 == 0:
            program.spoil()
        program.write(os.path.join(where, f"{seed + i}.trace"))


if __name__ == "__main__":
    main()
