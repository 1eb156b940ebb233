# SPDX-License-Identifier: GPL-2.0
# bench's lines to a table, and to the JSON file named by -v json=.
#
# An event is a kernel event as ftrace counted them in the same workload, for
# all tracers. Costs are the CPU time of the loop's own tasks above untraced.

BEGIN {
	# What gotrace promises: instructions and bytes an event.
	limit_added["gotrace-calls"] = limit_added["gotrace-regions"] = 150
	limit_bytes["gotrace-calls"] = 5
	limit_bytes["gotrace-regions"] = 9
	# With stacks, the part of what ftrace takes for the same.
	limit_part["getppid"] = 0.25
	limit_part["ping-pong"] = 0.5
}

/^kernel=/ {
	kernel = substr($0, 8)
	next
}

/^workload=/ {
	for (i = 1; i <= NF; i++) {
		split($i, kv, "=")
		v[kv[1]] = kv[2]
	}
	w = v["workload"]
	t = v["tracer"]
	if (!(w in seen)) {
		seen[w] = 1
		workloads[++nw] = w
	}
	if (t != "untraced" && !(t in known)) {
		known[t] = 1
		tracers[++nt] = t
	}
	ops[w] = v["ops"]
	own[w, t] = v["own_ns"]
	all[w, t] = v["all_ns"]
	bytes[w, t] = v["bytes"]
	lost[w, t] = v["lost"]
	if (t == "ftrace")
		events[w] = v["events"]
	next
}

{ print > "/dev/stderr" }

function ratio(ours, theirs) {
	return ours > 0 ? sprintf("%.2f", ours / theirs) : "-"
}

function judge(w, t, what, value, limit) {
	n_limits++
	if (value > limit)
		n_over++
	printf "%-4s  %-10s %-16s %7.2f %s, limit %g\n",
		(value > limit ? "OVER" : "PASS"), w, t, value, what, limit
}

END {
	if (nw < 2 || !("ftrace" in known)) {
		print "bench: measurements are missing" > "/dev/stderr"
		exit 1
	}
	printf "Linux %s, one CPU; instructions of the workload's own tasks; \"all\" is whatever ran\n", kernel
	for (i = 1; i <= nw; i++) {
		w = workloads[i]
		base = own[w, "untraced"]
		printf "\n%s, %d times, %.2f events each\n", w, ops[w], events[w] / ops[w]
		printf "%-16s %9s %9s %9s %9s %7s %9s %7s %6s\n", "", "each", "added",
			"added all", "per event", "/ftrace", "B/event", "/ftrace", "lost"
		printf "%-16s %9.0f\n", "untraced", base / ops[w]
		fa = (own[w, "ftrace"] - base) / events[w]
		fb = bytes[w, "ftrace"] / events[w]
		for (j = 1; j <= nt; j++) {
			t = tracers[j]
			a = added[w, t] = (own[w, t] - base) / events[w]
			b = per_event[w, t] = bytes[w, t] / events[w]
			printf "%-16s %9.0f %9.0f %9.0f %9.1f %7s %9.2f %7s %6d\n", t,
				own[w, t] / ops[w], (own[w, t] - base) / ops[w],
				(all[w, t] - all[w, "untraced"]) / ops[w],
				a, ratio(a, fa), b, ratio(b, fb), lost[w, t]
			if (lost[w, t] > 0)
				any_lost = 1
		}
	}

	print ""
	for (i = 1; i <= nw; i++)
		for (j = 1; j <= nt; j++) {
			w = workloads[i]
			t = tracers[j]
			if (t == "gotrace-stacks" && (w, "ftrace-stacks") in added)
				judge(w, t, "of ftrace-stacks", added[w, t] / added[w, "ftrace-stacks"],
					limit_part[w])
			if (!(t in limit_added))
				continue
			judge(w, t, "instructions an event", added[w, t], limit_added[t])
			judge(w, t, "bytes an event", per_event[w, t], limit_bytes[t])
		}
	if (n_limits)
		printf "%d of %d limits kept\n", n_limits - n_over, n_limits
	if (any_lost)
		print "Events were lost: the figures of that line are too low."

	printf "{" > json
	for (i = 1; i <= nw; i++) {
		printf "%s\n  \"%s\": {", (i > 1 ? "," : ""), workloads[i] > json
		for (j = 1; j <= nt; j++)
			printf "%s\n    \"%s\": {\"added_per_event\": %.2f, \"bytes_per_event\": %.3f}",
				(j > 1 ? "," : ""), tracers[j],
				added[workloads[i], tracers[j]],
				per_event[workloads[i], tracers[j]] > json
		printf "\n  }" > json
	}
	printf "\n}\n" > json
	exit any_lost
}
