#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a trace for symbolize.sh: symbolize_trace.py PROGRAM FUNCTION FILE

A task asleep in the first function of PROGRAM whose name has FUNCTION in it, as the
module writes it: the return address is an offset in the file.
"""
import os
import re
import subprocess
import sys

from traces import (BATCH, FREQ, GOMAXPROCS, GO_CREATE, GO_START, PROC_START, PROC_STOP, STACK,
                    header, rec, string)

GO_SLEEP = 19


def tool(*args):
    return subprocess.run(args, check=True, capture_output=True, text=True).stdout


program, function, out = sys.argv[1:]
symbol = re.search(rf"^([0-9a-f]+) \S \S*{function}\S*$", tool("nm", program), re.M)
address = int(symbol[1], 16)
for offset, at, size in re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)",
                                   tool("readelf", "-lW", program)):
    if int(at, 16) <= address < int(at, 16) + int(size, 16):
        address += int(offset, 16) - int(at, 16)
        break
build_id = re.search(r"Build ID: (\w+)", tool("readelf", "-n", program))[1]
names = ["?", "gotrace", f"{os.path.basename(program)}+{address + 1:#x}",
         f"{program} [build-id {build_id}]", "cashier"]
root = (5, 5, 1, 1)
with open(out, "wb") as f:
    f.write(header("1.21") + rec(BATCH, 0, 1000) + rec(GO_CREATE, 1, 1, 2, 0)
            + rec(GOMAXPROCS, 1, 1, 0) + rec(GOMAXPROCS, 1, 1, 0) + rec(PROC_START, 1, 1)
            + rec(GO_START, 1, 1, 1) + rec(GO_SLEEP, 1000, 1) + rec(PROC_STOP, 1000)
            + rec(FREQ, 10**9) + rec(STACK, 1, 2, 2**20, 3, 4, 1, *root) + rec(STACK, 2, 1, *root)
            + b"".join(string(i + 1, n.encode()) for i, n in enumerate(names)))
