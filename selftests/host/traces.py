#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write traces for dump_test.sh: traces.py DIR

NAME.trace is a trace, NAME.want what `gotrace dump` prints of it, and NAME.err,
where there is one, what it has to say on stderr while it exits with 1. What
differs between the versions of the format is here; what Go's own parsers say
to broken traces is in selftests/cases.
"""
import os
import sys

BATCH, FREQ, STACK, GOMAXPROCS, PROC_START, PROC_STOP, GC_START, GC_DONE, \
    STW_START, STW_DONE, SWEEP_START, SWEEP_DONE, GO_CREATE, GO_START, \
    GO_END = range(1, 16)
GO_BLOCK, GO_UNBLOCK, GO_SYSCALL, GO_SYSEXIT, GO_SYSBLOCK = 20, 21, 28, 29, 30
TIMER_G, FUTILE, STRING, START_LABEL, BLOCK_GC = 35, 36, 37, 41, 42
TASK_CREATE, REGION, LOG, SAMPLE = 45, 47, 48, 49
NO_P = 2**64 - 1


def num(v):
    out = b""
    v &= 2**64 - 1
    while v >= 0x80:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def header(version):
    return f"go {version} trace".encode().ljust(16, b"\0")


def rec(typ, *args, base=1):
    """A record; base: how many arguments the bits 0 mean (2 in Go 1.5)."""
    n = len(args) - base
    body = b"".join(map(num, args))
    if n < 3:
        return bytes([typ | n << 6]) + body
    return bytes([typ | 3 << 6]) + num(len(body)) + body


def rec15(typ, *args):
    return rec(typ, *args, base=2)


def string(i, text):
    return bytes([STRING]) + num(i) + num(len(text)) + text


def log(*args, message=b""):
    return rec(LOG, *args) + num(len(message)) + message


# A trace that needs one thing more, or has one thing too many, to be none.
def simple(extra=b"", version="1.21"):
    return (header(version) + rec(BATCH, 0, 1000) + extra +
            rec(PROC_START, 0, 1) + rec(FREQ, 10**9))


SIMPLE = "0 0 0 ProcStart thread=1\n"

CASES = []


def case(name, trace, want, err=None):
    CASES.append((name, trace, want, err))


# Go 1.5: a sequence number before each time, no strings, PCs for frames.
case("v1_5", header("1.5") + rec15(BATCH, 3, 40, 1000)
     + rec15(GOMAXPROCS, 1, 0, 4, 0)
     + rec15(GC_START, 1, 1, 0) + rec15(STW_START, 1, 1) + rec15(STW_DONE, 1, 1)
     + rec15(SWEEP_START, 1, 1, 7) + rec15(SWEEP_DONE, 1, 1)
     + rec15(GC_DONE, 1, 1)
     + rec15(GO_CREATE, 1, 4, 9, 4198400, 7) + rec15(GO_START, 1, 10, 9)
     + rec15(FUTILE, 1, 1)
     + rec15(GO_BLOCK, 1, 9, 7) + rec15(GO_UNBLOCK, 1, 10, 9, 0)
     + rec15(GO_SYSEXIT, 1, 0, 9, 55, 1030)
     + rec15(STACK, 7, 2, 4096, 8192) + rec15(TIMER_G, 9, 0)
     + rec15(FREQ, 500000000, 0),
     """\
0 3 0 Gomaxprocs procs=4 stk=0
2 3 0 GCStart stk=0
4 3 0 STWStart
6 3 0 STWDone
8 3 0 GCSweepStart stk=7 frames=pc:4096;pc:8192
10 3 0 GCSweepDone
12 3 0 GCDone
20 3 0 GoCreate newg=9 newstk=4198400 stk=7 frames=pc:4096;pc:8192
40 3 9 GoStart g=9
42 3 9 FutileWakeup
60 3 9 GoBlock stk=7 frames=pc:4096;pc:8192
80 3 0 GoUnblock g=9 stk=0
80 3 9 GoSysExit g=9 seq=55 ts=1030
""")

# 1.7: no sequence numbers, strings, the counters of G; sweeps without sizes.
V1_7 = (rec(GC_START, 0, 0, 0) + rec(SWEEP_START, 1, 0)
        + rec(GO_CREATE, 1, 9, 7, 0) + rec(GO_START, 1, 9, 1)
        + rec(GO_UNBLOCK, 1, 9, 2, 0)
        + string(1, b"main.f") + string(2, b"f.go")
        + rec(STACK, 7, 1, 4096, 1, 2, 33) + rec(FREQ, 10**9))
V1_7_WANT = """\
0 0 0 GCStart seq=0 stk=0
1 0 0 GCSweepStart stk=0
2 0 0 GoCreate newg=9 newstk=7 newframes=main.f stk=0
3 0 9 GoStart g=9 seq=1
4 0 9 GoUnblock g=9 seq=2 stk=0
"""
case("v1_7", header("1.7") + rec(BATCH, 0, 1000) + V1_7
     + rec(BATCH, 0, 1010) + rec(STW_START, 0) + rec(SWEEP_DONE, 0),
     V1_7_WANT + "10 0 0 STWStart\n10 0 9 GCSweepDone\n")
case("v1_8", header("1.8") + rec(BATCH, 0, 1000)
     + rec(START_LABEL, 0, 5, 1, 1) + rec(BLOCK_GC, 0, 0) + string(1, b"GC")
     + rec(FREQ, 10**9),
     "0 0 5 GoStartLabel g=5 seq=1 label=GC\n0 0 5 GoBlockGC stk=0\n")
case("v1_9", header("1.9") + rec(BATCH, 0, 1000) + V1_7
     + rec(BATCH, 0, 1010) + rec(STW_START, 0) + rec(SWEEP_DONE, 0, 64, 32),
     V1_7_WANT
     + "10 0 0 STWStart\n10 0 9 GCSweepDone swept=64 reclaimed=32\n")
for minor in (10, 11, 19, 21):
    case(f"v1_{minor}", header(f"1.{minor}") + rec(BATCH, 0, 1000) + V1_7
         + rec(BATCH, 0, 1010) + rec(STW_START, 0, 1),
         V1_7_WANT + "10 0 0 STWStart kind=1\n")
case("v1_11_user", header("1.11") + rec(BATCH, 0, 0)
     + rec(TASK_CREATE, 0, 1, 0, 1, 0) + rec(REGION, 5, 1, 0, 1, 0)
     + log(5, 1, 1, 0, message=b"a b\\c\n\xc3\xa9") + log(5, 1, 0, 0)
     + string(1, b"#name") + rec(FREQ, 10**6),
     """\
0 0 0 UserTaskCreate task=1 parent=0 name=\\x23name stk=0
5000 0 0 UserRegion task=1 mode=0 name=\\x23name stk=0
10000 0 0 UserLog task=1 key=\\x23name stk=0 message=a\\x20b\\x5cc\\x0aé
15000 0 0 UserLog task=1 key= stk=0 message=
""")
# A sample's time and P are its own, and may be before all others.
case("v1_19_sample", header("1.19") + rec(BATCH, 1, 1000)
     + rec(SAMPLE, 0, 900, 2, 8, 0) + rec(SAMPLE, 7, 950, NO_P, 0, 0)
     + rec(PROC_START, 3, 1) + rec(FREQ, 10**9),
     """\
0 2 8 CPUSample ts=900 p=2 g=8 stk=0
50 -1 0 CPUSample ts=950 p=-1 g=0 stk=0
110 1 0 ProcStart thread=1
""")
# G is remembered from batch to batch of its P; times may run backwards.
case("g_of_p", header("1.21") + rec(BATCH, 0, 1000) + rec(GO_START, 0, 5, 1)
     + rec(BATCH, 1, 900) + rec(GO_START, 0, 6, 1) + rec(GO_SYSCALL, -10, 0)
     + rec(BATCH, 0, 1100) + rec(GO_SYSCALL, 0, 0) + rec(GO_END, 1)
     + rec(PROC_STOP, 0) + rec(BATCH, 1, 1200) + rec(GO_SYSBLOCK, 0)
     + rec(PROC_STOP, 0) + rec(FREQ, 10**9),
     """\
110 0 5 GoStart g=5 seq=1
10 1 6 GoStart g=6 seq=1
0 1 6 GoSysCall stk=0
210 0 5 GoSysCall stk=0
211 0 5 GoEnd
211 0 0 ProcStop
310 1 6 GoSysBlock
310 1 0 ProcStop
""")
case("padded_number", simple(bytes([PROC_STOP]) + b"\x80" * 9 + b"\x00"),
     "0 0 0 ProcStop\n" + SIMPLE)
case("frequency_twice", header("1.21") + rec(BATCH, 0, 0)
     + rec(FREQ, 10**6) + rec(PROC_STOP, 0) + rec(PROC_STOP, 7)
     + rec(FREQ, 10**9),
     "0 0 0 ProcStop\n7 0 0 ProcStop\n")
case("stack_unknown", header("1.21") + rec(BATCH, 0, 0)
     + rec(GO_SYSCALL, 0, 12) + rec(FREQ, 10**9), "0 0 0 GoSysCall stk=12\n")
# One PC of two functions, a semicolon and a space in a name.
case("frames_escaped", header("1.21") + rec(BATCH, 0, 0)
     + rec(GO_SYSCALL, 0, 1) + string(1, b"a;b c") + string(2, b"?")
     + rec(STACK, 1, 2, 1, 1, 2, 1, 2, 2, 2, 1) + rec(FREQ, 10**9),
     "0 0 0 GoSysCall stk=1 frames=a\\x3bb\\x20c;?\n")
LONG = b"x" * 1000000
case("text_longest", header("1.21") + rec(BATCH, 0, 0)
     + log(0, 0, 1, 0, message=LONG) + string(1, LONG) + rec(FREQ, 10**9),
     f"0 0 0 UserLog task=0 key={LONG.decode()} stk=0 "
     f"message={LONG.decode()}\n")
case("stack_longest", simple(rec(STACK, 1, 500, *[1, 0, 0, 1] * 500)), SIMPLE)
case("stack_old_longer", header("1.10") + rec(BATCH, 0, 1000)
     + rec(STACK, 1, 1000, *[2**63, 0, 0, 1] * 1000) + rec(PROC_START, 0, 1)
     + rec(FREQ, 10**9), SIMPLE)
# Beyond 63 bits Go has no time; here it must only not be undefined.
case("time_wraps", header("1.21") + rec(BATCH, 0, 2**63 - 1)
     + rec(PROC_STOP, 0) + rec(PROC_STOP, 2) + rec(FREQ, 1),
     "-2000000000 0 0 ProcStop\n0 0 0 ProcStop\n")

# What must be refused, and where.
case("text_too_long", simple(string(1, LONG + b"x")), "",
     "offset 20: String has a text of 1000001 bytes, allowed are 1 to 1000000")
case("message_too_long", simple(log(0, 0, 0, 0, message=LONG + b"x")), "",
     "offset 20: UserLog has a text of 1000001 bytes, allowed are up to 1000000")
case("string_empty", simple(string(1, b"")), "",
     "offset 20: String has a text of 0 bytes")
case("string_zero", simple(string(0, b"x")), "",
     "offset 20: String with the id 0")
case("stack_too_long", simple(rec(STACK, 1, 513, *[1, 0, 0, 1] * 513)), "",
     "offset 20: Stack is 2055 bytes long, at most 2048 are allowed")
case("stack_short", simple(rec(STACK, 1, 2, 1, 0, 0, 1)), "",
     "offset 20: Stack has 6 arguments, 10 expected")
case("stack_no_count", simple(rec(STACK, 1)), "",
     "offset 20: Stack has 1 argument, 2 expected")
case("too_new_7", simple(rec(START_LABEL, 0, 5, 1, 1), "1.7"), "",
     "offset 20: GoStartLabel in a trace of version 1.7, but it came with 1.8")
case("too_new_11", simple(rec(SAMPLE, 0, 9, 0, 0, 0), "1.11"), "",
     "offset 20: CPUSample in a trace of version 1.11, but it came with 1.19")
case("args_of_1_10", simple(rec(STW_START, 0, 1), "1.9"), "",
     "offset 20: STWStart has 2 arguments, 1 expected")
case("args_of_1_9", simple(rec(STW_START, 0), "1.10"), "",
     "offset 20: STWStart has 1 argument, 2 expected")
case("args_many", simple(rec(PROC_STOP, 0, 1, 2, 3, 4)), "",
     "offset 20: ProcStop has 5 arguments, 1 expected")
case("batch_length", simple(bytes([BATCH | 0xC0, 2, 0, 0])), "",
     "offset 20: Batch must not have a length")
case("batch_p", simple(rec(BATCH, 2**31, 0)), "",
     "offset 20: Batch of P 2147483648, the largest allowed is 2147483647")
case("frequency_zero", simple(rec(FREQ, 0)), "",
     "offset 20: Frequency of 0 ticks a second")
case("number_11_bytes", simple(bytes([PROC_STOP]) + b"\x80" * 10 + b"\x00"), "",
     "offset 20: ProcStop has a number of more than 64 bits")
case("message_cut", simple() + log(0, 0, 0, 0, message=b"abc")[:-1], SIMPLE,
     "offset 29: the file ends inside this UserLog, at offset 38")
case("header_cut", header("1.21")[:9], "",
     "offset 0: the file ends inside its header")
case("header_1_22", simple(version="1.22"), "",
     "offset 0: a trace in the format of Go 1.22")
case("header_2_1", simple(version="2.1"), "",
     "offset 0: a trace in the format of Go 2.1")
case("header_1_6", simple(version="1.6"), "",
     "offset 0: no Go has written traces with the version 1.6")
case("header_elf", b"\x7fELF" + b"\0" * 60, "",
     "offset 0: not a Go execution trace")
case("string_unknown", simple(rec(REGION, 0, 1, 0, 77, 0)),
     "0 0 0 UserRegion task=1 mode=0 name=#77 stk=0\n" + SIMPLE,
     "offset 20: string 77 is used here, but the trace does not say what it is")
case("frame_unknown", simple(rec(STACK, 1, 1, 1, 78, 0, 1)), SIMPLE,
     "offset 20: string 78 is used here, but the trace does not say what it is")


def main():
    for name, trace, want, err in CASES:
        base = os.path.join(sys.argv[1], name)
        with open(base + ".trace", "wb") as f:
            f.write(trace)
        with open(base + ".want", "w", encoding="utf-8") as f:
            f.write(want)
        if err is not None:
            with open(base + ".err", "w", encoding="utf-8") as f:
                f.write(err)


if __name__ == "__main__":
    main()
