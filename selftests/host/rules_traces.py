#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write traces for validate.sh: rules_traces.py DIR

DIR/NAME.trace breaks one rule of Go's tools, and only that one. A line on standard
output for each:

    NAME WHO SKIP RULE...

RULE is what `gotrace validate` must call it, WHO minds: old (Go 1.21 refuses it),
new (the newest does), both, none (only a warning), good (nothing is wrong), and SKIP
a page of the viewers that is not to be asked for, "-" for none.
"""
import os
import sys

from traces import (BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP,
                    GC_START, STW_START, STW_DONE, SWEEP_START, GO_CREATE,
                    GO_START, GO_END, GO_BLOCK, GO_UNBLOCK, GO_SYSCALL,
                    GO_SYSEXIT, GO_SYSBLOCK, FUTILE, STRING, START_LABEL,
                    TASK_CREATE, REGION, LOG, SAMPLE, header, rec, string, num)

GO_SCHED, GO_WAITING, IN_SYSCALL = 17, 31, 32
START_LOCAL, SYSEXIT_LOCAL, ASSIST_START, ASSIST_DONE = 38, 40, 43, 44
TASK_END, HEAP_ALLOC = 46, 33

# One G, running on P 0; strings and stacks; a second G that sleeps, a third that waits.
NAMES = (string(1, b"main.f") + string(2, b"f.go") + string(3, b"main.g") +
         rec(STACK, 1, 1, 11, 1, 2, 5) + rec(STACK, 2, 2, 12, 3, 2, 7, 11, 1, 2, 5))
FREQUENCY = rec(FREQ, 10**9)


def create(g, stk=1):
    return rec(GO_CREATE, 1, g, stk, 0)


CREATES = create(1) + create(2) + rec(GO_WAITING, 1, 2) + create(3)
STARTED = rec(PROC_START, 1, 7) + rec(GO_START, 1, 1, 1)
PROCS = rec(GOMAXPROCS, 1, 2, 0)
STOPPED = rec(GO_SCHED, 1, 2) + rec(PROC_STOP, 1)
P1 = rec(BATCH, 1, 1000)
P1_LATER = rec(BATCH, 1, 2000)


def trace(middle=b"", version="1.21", before=b"", creates=CREATES, started=STARTED,
          procs=PROCS + PROCS, stopped=STOPPED, after=b"", names=NAMES, ticks=1000):
    return (header(version) + before + rec(BATCH, 0, ticks) + names + creates +
            started + procs + middle + stopped + after + FREQUENCY)


def region(mode, stk=2, task=0, name=3):
    return rec(REGION, 1, task, mode, name, stk)


CASES = [
    # name, who, skip, rules, trace
    ("good", "good", "-", "", trace(region(0) + region(1))),
    ("string_before_batch", "none", "-", "string-before-batch",
     trace(before=string(9, b"early"))),
    ("string_id", "new", "-", "string-id", trace(names=NAMES + string(2**64 - 3, b"x"))),
    ("stack_id", "none", "-", "stack-id",
     trace(names=NAMES + rec(STACK, 2**32 + 9, 1, 13, 3, 2, 9))),
    ("pc_twice", "none", "-", "pc-twice",
     trace(names=NAMES + rec(STACK, 3, 1, 11, 3, 2, 9))),
    ("frame", "new", "-", "frame-incomplete",
     trace(rec(GO_SYSCALL, 1, 3), names=NAMES + rec(STACK, 3, 2, 13, 3, 2, 9, 14, 1, 2, 0))),
    ("futile", "new", "-", "futile-wakeup", trace(rec(FUTILE, 1))),
    ("sysexit_local", "both", "-", "sysexit-local sysexit-without-call",
     trace(rec(SYSEXIT_LOCAL, 1, 2, 0))),
    ("p_large", "none", "/", "p-large",
     trace(after=rec(BATCH, 1000000, 5000) + rec(PROC_START, 1, 9) + rec(PROC_STOP, 1))),
    ("no_gomaxprocs", "new", "/mmu", "gomaxprocs-none",
     trace(rec(GO_SCHED, 1, 2) + rec(GO_START, 1, 1, 2), procs=b"")),
    ("one_gomaxprocs", "none", "/mmu", "gomaxprocs-once", trace(procs=PROCS)),
    ("waiting_late", "new", "-", "initial-late",
     trace(create(4) + rec(GO_WAITING, 1, 4))),
    ("label_early", "new", "-", "label-early",
     trace(started=rec(PROC_START, 1, 7) + rec(START_LABEL, 1, 1, 1, 3))),
    ("label_empty", "new", "-", "label-empty",
     trace(rec(GO_SCHED, 1, 2) + rec(START_LABEL, 1, 1, 2, 0))),
    ("no_proc_start", "new", "-", "start-without-proc",
     trace(started=rec(GO_START, 1, 1, 1), stopped=rec(GO_SCHED, 1, 2))),
    ("thread_twice", "new", "-", "thread-twice",
     trace(after=P1_LATER + rec(PROC_START, 1, 7) + rec(PROC_STOP, 1),
           stopped=rec(HEAP_ALLOC, 5000, 1) + STOPPED)),
    ("g_large", "new", "-", "g-large", trace(create(2**63 + 5))),
    ("newstk_zero", "old", "-", "newstk-empty", trace(create(4, 0))),
    ("create_in_region", "old", "-", "create-in-region",
     trace(rec(TASK_CREATE, 1, 5, 0, 3, 2) + region(0, task=5) + create(4) +
           region(1, task=5) + rec(GO_SCHED, 1, 2) + rec(GO_START, 1, 4, 1) +
           rec(GO_SCHED, 1, 2) + rec(GO_START, 1, 1, 2) + rec(TASK_END, 1, 5, 2))),
    ("local_elsewhere", "none", "-", "local-elsewhere",
     trace(after=P1_LATER + rec(PROC_START, 1, 8) + rec(START_LOCAL, 1, 3) +
           rec(GO_SCHED, 1, 2) + rec(PROC_STOP, 1))),
    ("death_in_assist", "new", "-", "death-inside",
     trace(rec(ASSIST_START, 1, 2), stopped=rec(GO_END, 1) + rec(PROC_STOP, 1))),
    ("sysblock_alone", "new", "-", "sysblock-without-call",
     trace(stopped=rec(GO_SYSBLOCK, 1) + rec(PROC_STOP, 1),
           after=rec(BATCH, 0, 5000) + rec(GO_SYSEXIT, 1, 1, 2, 0))),
    ("sysblock_not_next", "new", "-", "sysblock-without-call",
     trace(rec(GO_SYSCALL, 1, 2) + rec(HEAP_ALLOC, 1, 5),
           stopped=rec(GO_SYSBLOCK, 1) + rec(PROC_STOP, 1),
           after=rec(BATCH, 0, 5000) + rec(GO_SYSEXIT, 1, 1, 2, 0))),
    ("sysblock_start", "new", "-", "sysblock-then-start",
     trace(rec(GO_SYSCALL, 1, 2) + rec(GO_SYSBLOCK, 1) + rec(GO_START, 1, 3, 1))),
    ("sysblock_no_stop", "none", "-", "sysblock-without-stop",
     trace(rec(GO_SYSCALL, 1, 2) + rec(GO_SYSBLOCK, 1) + rec(HEAP_ALLOC, 1, 5),
           stopped=rec(PROC_STOP, 1))),
    ("unblock_in_call", "new", "-", "unblock-in-call",
     trace(rec(GO_SYSCALL, 1, 2) + rec(GO_SYSBLOCK, 1) + rec(PROC_STOP, 1) +
           rec(PROC_START, 1, 8) + rec(GO_UNBLOCK, 1, 1, 2, 2),
           stopped=rec(PROC_STOP, 1))),
    ("sysexit_of_sleeper", "both", "-", "sysexit-without-call",
     trace(rec(GO_SYSEXIT, 1, 2, 2, 0))),
    ("in_syscall", "none", "/", "in-syscall-returns",
     trace(rec(GO_SYSEXIT, 1, 2, 2, 0),
           creates=create(1) + create(2) + rec(IN_SYSCALL, 1, 2))),
    ("stw_idle", "new", "-", "stw-idle",
     trace(rec(GO_SCHED, 1, 2) + rec(STW_START, 1, 1) + rec(STW_DONE, 1),
           stopped=rec(PROC_STOP, 1))),
    ("stw_other", "new", "-", "stw-other-g",
     trace(rec(STW_START, 1, 1) + rec(GO_SCHED, 1, 2) + rec(GO_START, 1, 3, 1) +
           rec(STW_DONE, 1))),
    ("assist_idle", "both", "-", "assist-idle",
     trace(rec(GO_SCHED, 1, 2) + rec(ASSIST_START, 1, 2) + rec(ASSIST_DONE, 1),
           stopped=rec(PROC_STOP, 1))),
    ("assist_end", "new", "-", "assist-end", trace(rec(ASSIST_DONE, 1))),
    ("region_end", "good", "-", "", trace(region(1))),
    ("task_end", "good", "-", "", trace(rec(TASK_END, 1, 5, 2))),
    ("region_idle", "both", "-", "region-idle",
     trace(rec(GO_SCHED, 1, 2) + region(0) + region(1), stopped=rec(PROC_STOP, 1))),
    ("region_stack", "old", "-", "region-stack", trace(region(0, stk=0) + region(1))),
    ("task_zero", "new", "-", "task-zero",
     trace(rec(TASK_CREATE, 1, 0, 0, 3, 2) + rec(TASK_END, 1, 0, 2))),
    ("end_running", "old", "-", "end-running", trace(stopped=b"")),
    ("end_gc", "old", "-", "end-gc", trace(rec(GC_START, 1, 0, 2))),
    ("end_stw", "old", "-", "end-stw", trace(rec(STW_START, 1, 1))),
    ("end_sweep", "old", "-", "end-sweep", trace(rec(SWEEP_START, 1, 2))),
    ("time_negative", "none", "/", "time-negative", trace(ticks=2**64 - 5000)),
    ("version", "new", "/", "version", trace(version="1.10", procs=PROCS)),
    # What the readers refuse.
    ("string_unknown", "new", "-", "bytes", trace(region(0, name=99) + region(1, name=99))),
    ("newstk_unknown", "both", "-", "bytes", trace(create(4, 99))),
    ("frequency_none", "both", "-", "bytes", trace()[:-len(FREQUENCY)]),
    ("message_cut", "new", "-", "bytes", trace() + rec(LOG, 0, 0, 1, 0) + num(5) + b"abc"),
    ("p_31_bits", "new", "-", "bytes", trace(after=rec(BATCH, 2**31, 5000))),
    ("batch_length", "new", "-", "bytes",
     trace(after=bytes([BATCH | 3 << 6, 2, 0, 127]))),
    ("number_long", "both", "-", "bytes",
     trace(bytes([PROC_STOP]) + b"\x80" * 9 + b"\x02")),
    ("sample_early", "old", "-", "order",
     trace(rec(SAMPLE, 0, 1000, 0, 9, 2) + create(9))),
    ("g_twice", "both", "-", "order", trace(create(3))),
    ("unblock_of_running", "both", "-", "order", trace(rec(GO_UNBLOCK, 1, 1, 2, 2))),
    ("block_idle", "both", "-", "order",
     trace(rec(GO_SCHED, 1, 2), stopped=rec(GO_BLOCK, 1, 2) + rec(PROC_STOP, 1))),
    ("proc_twice", "both", "-", "order", trace(rec(PROC_START, 1, 3))),
    ("proc_stop_running", "both", "-", "order", trace(stopped=rec(PROC_STOP, 1))),
    ("start_on_busy", "both", "-", "order", trace(rec(GO_START, 1, 3, 1))),
    ("gc_number", "both", "-", "order", trace(rec(GC_START, 1, 1, 2))),
    ("stw_twice", "both", "-", "order",
     trace(rec(STW_START, 1, 1) + rec(STW_START, 1, 1) + rec(STW_DONE, 1))),
    ("sweep_none", "both", "-", "order", trace(rec(12, 1, 1, 1))),
    ("assist_twice", "both", "-", "order",
     trace(rec(ASSIST_START, 1, 2) + rec(ASSIST_START, 1, 2))),
    ("task_twice", "both", "-", "order",
     trace(rec(TASK_CREATE, 1, 5, 0, 3, 2) + rec(TASK_CREATE, 1, 5, 0, 3, 2))),
    ("region_other", "both", "-", "order", trace(region(0) + region(1, name=1))),
    ("region_mode", "both", "-", "order", trace(region(2))),
    ("start_before_create", "both", "-", "order",
     trace(after=P1 + rec(PROC_START, 1, 8) + rec(GO_UNBLOCK, 0, 2, 2, 0) +
           rec(GO_START, 0, 2, 3) + rec(GO_SCHED, 0, 2) + rec(PROC_STOP, 0))),
    ("call_ends_before_it_blocks", "both", "-", "order",
     trace(rec(GO_SYSCALL, 1, 2) + rec(GO_SYSBLOCK, 1) + rec(PROC_STOP, 1) +
           rec(GO_SYSEXIT, 1, 1, 2, 900), stopped=b"")),
    ("call_ends_that_is_none", "both", "-", "order", trace(rec(GO_SYSEXIT, 1, 2, 2, 1005))),
]


def main():
    for name, who, skip, rules, data in CASES:
        with open(os.path.join(sys.argv[1], name + ".trace"), "wb") as f:
            f.write(data)
        print(name, who, skip, rules)


if __name__ == "__main__":
    main()
