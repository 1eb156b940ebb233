#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Chrome exports in the trace viewer that comes with Go, in a headless Chromium.

    traceviewer.py STATIC GOTRACE TRACE...

STATIC is Go's cmd/trace/static. The viewer imports each export, as it would a file that
somebody opens, and says what it found in its model: that is compared with the file and
with the report. TAP on stdout.
"""
import collections
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

PAGE = b"""<!DOCTYPE html>
<script src="/static/webcomponents.min.js"></script>
<link rel="import" href="/static/trace_viewer_full.html">
<script>
const say = (what) => fetch('/found', { method: 'POST', body: JSON.stringify(what) });
window.onerror = (text) => say({ error: text });
document.addEventListener('WebComponentsReady', async () => {
	try {
		const text = await (await fetch('/trace.json')).text(), model = new tr.Model();
		const options = new tr.importer.ImportOptions();
		options.shiftWorldToZero = false;
		await new tr.importer.Import(model, options).importTraces([text]);
		const viewer = document.createElement('tr-ui-timeline-view');
		const container = document.createElement('track-view-container');
		container.id = 'track_view_container';
		Polymer.dom(viewer).appendChild(container);
		document.body.appendChild(viewer);
		viewer.model = model;
		const rows = model.getAllThreads().map((t) => ({
			process: t.parent.name, tid: t.tid, name: t.name,
			slices: t.sliceGroup.slices.filter((s) => s.duration).length,
			nested: t.sliceGroup.slices.filter((s) => s.parentSlice && s.duration).length,
			ms: t.sliceGroup.slices.reduce((a, s) => a + (s.didNotFinish ? NaN : s.duration), 0),
			samples: t.sliceGroup.slices.filter((s) => s.title === 'CPU sample' && s.startStackFrame).length,
		}));
		say({
			warnings: model.importWarnings.map((w) => w.message), rows,
			arrows: model.flowEvents.length,
			bound: model.flowEvents.filter((f) => f.startSlice && f.endSlice).length,
			own: model.flowEvents.filter((f) => f.startSlice && f.endSlice &&
				f.endSlice.start === f.start + f.duration).length,
			async: model.getAllThreads().reduce((a, t) => a + t.asyncSliceGroup.slices.length, 0),
			counters: Object.values(model.processes).flatMap((p) => Object.values(p.counters).map((c) => c.name)),
			tracks: document.querySelectorAll('tr-ui-timeline-view').length,
		});
	} catch (e) {
		say({ error: e.stack || String(e) });
	}
});
</script>
<body></body>
"""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync"]
points = failed = 0


def ok(what, good, why=""):
    global points, failed
    points += 1
    if not good:
        failed += 1
        print("#", str(why).replace("\n", "\n# "))
    print("ok" if good else "not ok", points, what)


def is_(what, got, want):
    ok(f"{what}: {want}", got == want, f"it has {got}, not {want}")


def view(static, trace):
    """What the viewer says of the trace."""
    found, done = [], threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def reply(self, data, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            if self.path == "/":
                self.reply(PAGE, "text/html")
            elif self.path == "/trace.json":
                self.reply(trace, "application/json")
            elif self.path.startswith("/static/"):
                with open(os.path.join(static, os.path.basename(self.path)), "rb") as f:
                    self.reply(f.read(), "text/javascript" if self.path.endswith("js") else "text/html")
            else:
                self.send_error(404)

        def do_POST(self):
            found.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.reply(b"", "text/plain")
            done.set()

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(["chromium", *FLAGS, f"--user-data-dir={profile}",
                                    f"http://127.0.0.1:{server.server_port}/"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done.wait(180)
        browser.terminate()
        browser.wait()
    server.shutdown()
    return found[0] if found else {"error": "the viewer said nothing for 180 s"}


def check(static, gotrace, path):
    trace = subprocess.run([gotrace, "export", "-f", "chrome", path], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL).stdout
    report = [json.loads(line) for line in subprocess.run(
        [gotrace, "report", "--json", path], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.splitlines()]
    tasks = [r for r in report if r["row"] == "task"]
    events = json.loads(trace)["traceEvents"]
    name = os.path.basename(path)
    found = view(static, trace)
    if "error" in found:
        ok(f"{name}: the viewer opens it", False, found["error"])
        return
    is_(f"{name}: it imports with warnings", found["warnings"], [])
    ns = collections.Counter()
    for row in found["rows"]:
        ns[row["process"]] += round(row["ms"] * 1e6)
    want = {"CPUs": sum(t["running_ns"] for t in tasks),
            "tasks" if report[0]["kernel"] else "goroutines":
            sum(t[s + "_ns"] for t in tasks for s in ("running", "runnable", "asleep", "untraced"))}
    for process, total in want.items():
        lost = sum(round(e["dur"] * 1e3) for e in events
                   if process == "CPUs" and e["name"] == "events lost")
        is_(f"{name}: ns on the rows of {process}", ns[process], total + lost)
    is_(f"{name}: slices in others, where there can be none",
        [r for r in found["rows"] if r["process"] in ("CPUs", "tasks", "goroutines") and r["nested"]], [])
    arrows = sum(e["ph"] == "s" for e in events)
    is_(f"{name}: arrows", found["arrows"], arrows)
    is_(f"{name}: arrows that end where a run begins", found["own"], arrows)
    is_(f"{name}: samples with a stack", sum(r["samples"] for r in found["rows"]),
        sum(e["name"] == "CPU sample" and "sf" in e for e in events))
    is_(f"{name}: user tasks", found["async"], sum(e["ph"] == "b" for e in events))
    ids = {r["tid"]: r["name"] for r in found["rows"] if r["process"] in ("tasks", "goroutines")}
    wrong = [t["id"] for t in tasks if ids.get(t["id"], t["name"]) != t["name"]]
    is_(f"{name}: tasks with another name", wrong, [])


def main():
    for path in sys.argv[3:]:
        check(sys.argv[1], sys.argv[2], path)
    print(f"1..{points}")
    sys.exit(failed > 0)


main()
