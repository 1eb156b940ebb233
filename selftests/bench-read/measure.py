#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""measure.py OUT COMMAND...: the seconds that the command takes, and its largest
resident size in MiB; its output goes to OUT, and its exit status becomes ours.
MAP_LIMIT=BYTES in the environment is the most that it may map."""
import os
import resource
import subprocess
import sys
import time


def limit():
    if "MAP_LIMIT" in os.environ:
        n = int(os.environ["MAP_LIMIT"])
        resource.setrlimit(resource.RLIMIT_AS, (n, n))


with open(sys.argv[1], "wb") as out:
    start = time.monotonic()
    child = subprocess.Popen(sys.argv[2:], stdout=out, stderr=subprocess.DEVNULL, preexec_fn=limit)
    _, status, used = os.wait4(child.pid, 0)
    print(f"{time.monotonic() - start:.2f} {used.ru_maxrss / 1024:.0f}")
sys.exit(os.waitstatus_to_exitcode(status) & 255)
