#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Hold what gotrace view says against gotrace report and export.

view_check.py URL GOTRACE TRACE   all questions, the same figures
view_check.py --known URL         what report_trace.py's trace has
view_check.py --odd URL           questions that make no sense
view_check.py --gone URL          who asks and is gone
"""
import collections
import json
import random
import socket
import struct
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

RUNNING, RUNNABLE, ASLEEP, UNTRACED, IDLE, STOPPED = 0, 1, 2, 3, 9, 10
SEG = struct.Struct("<ddIIIIBBBBBBBB")
BUCKETS = 512
CUT = 64


def ask(url, name, **params):
    q = urllib.parse.urlencode({k.rstrip("_"): v for k, v in params.items()})
    with urllib.request.urlopen(f"{url}api/{name}?{q}", timeout=20) as r:
        return r.read()


def get(url, name, **params):
    return json.loads(ask(url, name, **params))


def lines(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def tiles(url, tracks, level, count):
    data = ask(url, "tiles", level=level, tile=0, count=count, tracks=",".join(map(str, tracks)))
    at, out = 0, {}
    for track in tracks:
        out[track] = []
        for tile in range(count):
            n, zero = struct.unpack_from("<II", data, at)
            at += 8
            assert zero == 0 and n <= 2 * BUCKETS + 2, n
            segs = [SEG.unpack_from(data, at + i * SEG.size) for i in range(n)]
            at += n * SEG.size
            out[track].append(segs)
    assert at == len(data)
    return out


def same_rows(a, b, what):
    # Equals may come in another order.
    a, b = (sorted(json.dumps(r, sort_keys=True) for r in x) for x in (a, b))
    for x, y in zip(a, b):
        x, y = json.loads(x), json.loads(y)
        assert x == y, (what, x, {k: (v, y.get(k)) for k, v in x.items() if v != y.get(k)})
    assert len(a) == len(b), what


def check_tables(url, gotrace, path, end):
    n = 0
    rng = random.Random(1)
    windows = [None]
    for _ in range(2):
        a, b = sorted(rng.sample(range(1, end), 2)) if end > 3 else (1, 2)
        windows.append((a, b))
    for by in "task", "comm", "cpu", "syscall", "stack", "waker":
        for w in windows if end > 3 else windows[:1]:
            args = [gotrace, "report", "--json", "--by", by]
            if w:
                args += ["--from", f"{w[0] / 10**9:.9f}", "--to", f"{w[1] / 10**9:.9f}"]
            want = subprocess.run(args + [path], stdout=subprocess.PIPE, check=False).stdout
            if w:
                # As the report has read them.
                first = json.loads(want.split(b"\n")[0])
                got = ask(url, "report", by=by, from_=first["from_ns"], to=first["to_ns"])
                same_rows(lines(want), lines(got), f"{by} {w}")
            else:
                got = ask(url, "report", by=by)
                assert want == got, by
            n += got.count(b"\n")
    return n


def check_tiles(url, trace):
    """At every level, shares make up the whole, and boxes are records."""
    end, tasks = trace["end"], trace["tasks"]
    sums = {t[9]: t[3:7] for t in tasks}
    tracks = sorted(sums, key=lambda t: -sum(sums[t]))[:20]
    seen = 0
    for level in range(0, 45, 4):
        count = max(1, -(-(end + 1) // (BUCKETS << level)))
        if count > 60:
            continue
        got = tiles(url, tracks, level, count)
        for track in tracks:
            ns = [0.0] * 4
            slack = 2 * len(got[track])
            for n, segs in enumerate(got[track]):
                size = BUCKETS << level
                before = None
                for s in segs:
                    start, stop = s[:2]
                    assert stop >= start and (before is None or start >= before), (level, s, before)
                    before = stop
                    seen += 1
                    # Shares are rounded; a box may go on in the next tile.
                    slack += 2 if s[5] == 1 and not s[8] & CUT else (stop - start) / 500 + 2
                    inside = min(stop, (n + 1) * size) - max(start, n * size)
                    for c in range(4):
                        ns[c] += inside * s[10 + c] / 255
            for c in range(4):
                assert abs(ns[c] - sums[track][c]) <= slack, (level, track, c, ns, sums[track])
        # A few of the boxes, as they are told when they are clicked on.
        for track in tracks[:5]:
            for s in [s for segs in got[track] for s in segs if s[5] == 1 and not s[8] & CUT][:3]:
                r = get(url, "slice", track=track, index=s[2])
                assert (r["start"], r["end"]) == (s[0], s[1]) and r["g"]["i"] == s[3], (r, s)
    return seen


def folded(gotrace, path, profile):
    out = subprocess.run([gotrace, "export", "-f", "folded", "-p", profile, path],
                         stdout=subprocess.PIPE, check=False).stdout.decode(errors="surrogateescape")
    sums = collections.Counter()
    for line in out.splitlines():
        stack, ns = line.rsplit(" ", 1)
        sums[stack.count(";") + 1, stack.endswith("]") and stack.rsplit(";[", 1)[1]] += int(ns)
    return sums


def check_flame(url, gotrace, path):
    """By depth and reason: names are written in other ways there."""
    total = 0
    for profile in "cpu", "offcpu", "sched":
        want = folded(gotrace, path, profile)
        got = collections.Counter()
        for s in get(url, "flame", what=profile)["stacks"]:
            reason = s.get("reason")
            if s["ns"]:
                got[max(1, len(s["f"])) + (reason is not None), reason is not None and reason + "]"] += s["ns"]
        if profile != "offcpu":
            # A name may end in "]", too.
            want, got = (collections.Counter({n: sum(v for k, v in c.items() if k[0] == n)
                                              for n in {k[0] for k in c}}) for c in (want, got))
        assert want == got, (profile, want, got)
        total += sum(got.values())
    return total


def check_hists(url):
    rows = [r for r in lines(ask(url, "report", by="comm")) if r["row"] == "comm"]
    calls = [r for r in lines(ask(url, "report", by="syscall")) if r["row"] == "syscall"]
    h = get(url, "hists")
    waits = {w["name"]: w for w in h["waits"]}
    for r in rows:
        if not r["waits"]:
            continue
        w = waits[r["name"]]
        assert [w[k] for k in ("n", "p50", "p90", "p99", "max")] == [
            r[k] for k in ("waits", "wait_p50_ns", "wait_p90_ns", "wait_p99_ns", "wait_max_ns")], (w, r)
        assert w["at"] == r["wait_max_at_ns"]
        longest = get(url, "slice", g=w["g"], time=w["at"])
        assert longest["kind"] == "runnable" and longest["end"] - longest["start"] == w["max"], longest
        assert sum(b[2] for b in w["buckets"]) == w["n"] and all(b[0] < b[1] for b in w["buckets"])
    assert h["all"]["n"] == sum(r["waits"] for r in rows)
    timed = {r["name"]: r for r in calls if r["call_p50_ns"] is not None}
    for c in h["calls"]:
        r = timed[c["name"].removeprefix("syscall.")]
        assert (c["p50"], c["p99"], c["max"]) == (r["call_p50_ns"], r["call_p99_ns"], r["call_max_ns"])
    assert len(h["calls"]) == len(timed)
    return len(waits) + len(timed)


def check_wakes(url, end):
    rows = [r for r in lines(ask(url, "report", by="waker")) if r["row"] == "waker"]
    want = sum(r["wakes"] for r in rows)
    got = get(url, "wakes", from_=0, to=end + 1)
    assert got["n"] == want, (got["n"], want)
    for at, by, g, _, ran, _, _ in got["wakes"][:5]:
        s = get(url, "slice", g=g, time=at - 1)
        if s["kind"] != "asleep":
            continue
        assert s["end"] == at and s["wake"]["ran"] == ran and (s["wake"]["by"] or {"i": 0})["i"] == by, s
    return want


def check_active(url, end):
    """Who was active in a third of the time, as the report has it."""
    w = (end // 3, end // 3 * 2)
    if w[0] == w[1]:
        return
    rows = lines(ask(url, "report", by="task", from_=w[0], to=w[1]))[1:]
    want = sorted([r["running_ns"], r["runnable_ns"]] for r in rows if r["running_ns"] + r["runnable_ns"])
    got = sorted(a[1:] for a in get(url, "active", from_=w[0], to=w[1]))
    assert got == want, (got, want)


def check_all(url, gotrace, path):
    trace = get(url, "trace")
    some = get(url, "marks", max=7)
    assert some["n"] == trace["marks"] and len(some["marks"]) <= 8 and (len(some["marks"]) > 3 or some["n"] < 8), some
    for t in trace["tasks"]:
        assert sum(t[3:7]) == t[8] - t[7], t
    check_active(url, trace["end"])
    print(f"{check_tables(url, gotrace, path, trace['end'])} rows, "
          f"{check_tiles(url, trace)} pieces, {check_flame(url, gotrace, path)} ns of stacks, "
          f"{check_hists(url)} histograms, {check_wakes(url, trace['end'])} wake-ups")


def check_known(url):
    ms = 10**6
    t = get(url, "trace")
    by_id = {x[1]: x for x in t["tasks"]}
    assert t["lost"] == 7 and t["losses"] == [[1, 28 * ms, 34 * ms, 7]], t["losses"]
    player, server = by_id["10"], by_id["12"]
    s = get(url, "slice", g=player[0], time=8 * ms)
    assert (s["kind"], s["reason"], s["start"], s["end"]) == ("asleep", "net", 7 * ms, 13 * ms), s
    assert [f["fn"] for f in s["stack"]] == ["syscall.recvfrom", "player"], s["stack"]
    assert s["name"] == "syscall.recvfrom" and s["call"] == "syscall.recvfrom"
    w = s["wake"]
    assert w["by"]["name"] == "server" and not w["irq"] and w["at"] == 13 * ms, w
    assert [f["fn"] for f in w["stack"]] == ["syscall.sendto", "server"], w
    assert w["ran"] == 15.5 * ms and s["after"]["kind"] == "runnable"
    # It had to wait then, and for whom.
    s = get(url, "slice", track=s["track"], index=s["after"]["i"])
    assert (s["kind"], s["end"] - s["start"]) == ("runnable", 2.5 * ms), s
    assert s["holder"]["name"] == "server" and s["held"] == 2 * ms, s
    s = get(url, "slice", g=player[0], time=int(17.5 * ms))
    assert s["kind"] == "runnable" and s["wake"] is None and s["holder"]["name"] == "hog", s
    s = get(url, "slice", g=player[0], time=5 * ms - 1)
    assert s["wake"]["irq"] and s["wake"]["by"] is None, s
    # Who made the child, and what it led to.
    s = get(url, "slice", g=by_id["13"][0], time=33 * ms)
    assert s["wake"]["created"] and s["wake"]["by"]["name"] == "server", s
    chain = get(url, "chain", g=player[0], time=14 * ms)
    assert [(c["g"]["name"], c["by"] and c["by"]["name"], c["irq"]) for c in chain][:2] == [
        ("player", "server", False), ("server", None, False)], chain
    assert chain[0]["slept"] == 6 * ms and chain[0]["reason"] == "net"
    # On a CPU: the task's record.
    cpu0 = next(c for c in t["cpus"] if c["id"] == 0)
    s = get(url, "slice", track=cpu0["track"], time=18 * ms)
    assert s["g"]["name"] == "hog" and s["kind"] == "running" and s["track"] == by_id["11"][9], s
    s = get(url, "slice", track=server[10], time=9 * ms)
    assert s["kind"] == "call" and s["name"] == "syscall.read" and s["asleep"] == ms // 2, s
    marks = get(url, "marks")
    assert [m["text"] for m in marks["marks"]] == ["lost 7 events on cpu 1 in 6000000 ns"], marks
    # Found by the name of a call, both ways, and by a function of a stack.
    hit = get(url, "find", text="recvfrom", time=0)
    assert hit["g"]["name"] == "player" and hit["start"] == 6 * ms, hit
    hit = get(url, "find", text="recvfrom", time=hit["start"])
    assert hit["start"] == 7 * ms, hit
    assert get(url, "find", text="recvfrom", time=hit["start"], back=1)["start"] == 6 * ms
    assert get(url, "find", text="shrink_node", time=0)["kind"] == "asleep"
    assert get(url, "find", text="lost 7", time=0)["what"] == "log"
    assert get(url, "find", text="no such thing", time=0) is None
    assert get(url, "flame", what="offcpu", g=player[0])["stacks"]
    one = sum(s["ns"] for s in get(url, "flame", what="offcpu", g=player[0])["stacks"])
    assert one == player[5], (one, player)
    part = sum(s["ns"] for s in get(url, "flame", what="offcpu", g=player[0], named=1, from_=8 * ms, to=9 * ms)["stacks"])
    assert part == ms, part


def check_odd(url):
    big = 2**64
    for name, params in [
            ("slice", {}), ("slice", {"track": 0}), ("slice", {"track": 99999}), ("slice", {"track": -1}),
            ("slice", {"track": 1, "index": 10**9}), ("slice", {"track": 1, "index": big}), ("slice", {"g": 99}),
            ("slice", {"track": "1x"}), ("slice", {"track": ""}), ("tiles", {"level": 99, "tracks": 1}),
            ("tiles", {"level": -1, "tracks": 1}), ("tiles", {"tracks": "a"}), ("tiles", {"tracks": "1,,2"}),
            ("tiles", {"tracks": "0"}), ("tiles", {"tracks": big}), ("tiles", {"tile": 2**62, "tracks": 1}),
            ("tiles", {"count": 65, "tracks": 1}), ("tiles", {"count": 64, "tracks": ",".join(["1"] * 33)}),
            ("report", {"by": "cat"}), ("report", {"by": "task", "from_": 5, "to": 4}),
            ("report", {"by": "task", "from_": 10**15, "to": 10**16}), ("report", {"by": "task", "sort": "x"}),
            ("flame", {}), ("flame", {"what": "x"}), ("flame", {"what": "cpu", "g": big}),
            ("chain", {}), ("chain", {"g": 1, "max": 10**6}), ("wakes", {"from_": "x"}), ("find", {}), ("find", {"text": ""}),
            ("hists", {"from_": 3, "to": 3}), ("marks", {"from_": 9, "to": 1})]:
        try:
            ask(url, name, **params)
            raise AssertionError(f"{name} {params} was answered")
        except urllib.error.HTTPError as e:
            assert e.code == 400, (name, params, e.code)
            assert e.headers["Content-Type"].startswith("text/plain") and e.read().startswith(b"what is wrong is ")
    # What makes sense at the edges.
    assert len(ask(url, "tiles", level=44, tile=2**8, count=64, tracks=1)) == 64 * 8
    assert ask(url, "tiles", tracks="") == b""
    assert get(url, "slice", track=1, time=2**62)["after"] is None
    assert get(url, "wakes", from_=0, to=2**61)["n"] > 0


def check_gone(url):
    """Who asks and does not wait for the answer."""
    host, port = urllib.parse.urlparse(url).netloc.split(":")
    path = urllib.parse.urlparse(url).path
    for i in range(40):
        s = socket.create_connection((host, int(port)))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        what = "api/tiles?level=0&count=64&tracks=" + ",".join(["1"] * 30) if i % 2 else "view.js"
        s.sendall(f"GET {path}{what} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode() * 20)
        if i % 4 > 1:
            s.recv(10)
        s.close()
    # More at a time than it takes: it goes on when they are gone.
    many = [socket.create_connection((host, int(port))) for _ in range(100)]
    for s in many:
        s.close()
    assert get(url, "trace")["tasks"]


if sys.argv[1] == "--gone":
    check_gone(sys.argv[2])
elif sys.argv[1] == "--known":
    check_known(sys.argv[2])
elif sys.argv[1] == "--odd":
    check_odd(sys.argv[2])
else:
    check_all(*sys.argv[1:4])
