#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPU samples of programs whose profile is known, and beside perf's.
# vm: timeout=400
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/command.sh
. "$here/command.sh"

src=$here/prog_profile.c
build() {
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls "$@" "$src" ||
		{ echo "Bail out! gcc fails"; exit 1; }
}
build -o prog
build -DLIBRARY -DTAG=one -fPIC -shared -o one.so
build -DLIBRARY -DTAG=two -fPIC -shared -o two.so
line() { grep -n "line: $1 " "$src" | cut -d: -f1; }
hz=199

# samples NAME ROOT: of the tasks of that name, in the order of time, a line each:
# TIME P G KERNEL USER LEAF LINE STACK, with the numbers of frames of each kind
# and what the innermost user frame is, "-" for none.
samples() {
	[ -e "$said/$1.json" ] || gotrace dump --json "$1.trace" | grep '"event":"CPUSample"' > "$said/$1.json"
	python3 -c '
import json, sys
out = []
for line in sys.stdin:
    e = json.loads(line)
    f = e.get("frames", [])
    if not f or f[-1]["fn"] != sys.argv[1]:
        continue
    user = [x for x in f[:-1] if "/" in x["file"] or x["file"] == "[anon]" or x["fn"] == "?"]
    kernel = [x for x in f[:-1] if x not in user and "+0x" in x["fn"]]
    leaf = user[0] if user else {"fn": "-", "line": 0}
    out.append((e["time"], e["p"], e["g"], len(kernel), len(user), leaf["fn"], leaf["line"],
                ";".join(x["fn"] for x in f)))
for s in sorted(out):
    print(*s)' "$2" < "$said/$1.json" > "$said/samples"
}
# of REGEX [FIELD]: how many of the samples have that for a LEAF, or that field.
of() { awk -v re="^($1)$" -v f="${2:-6}" '$f ~ re { n++ } END { print n + 0 }' "$said/samples"; }
all() { wc -l < "$said/samples"; }
# percent N OF MIN [MAX]
percent() {
	awk -v n="$1" -v of="$2" -v min="$3" -v max="${4:-100}" 'BEGIN {
		p = of ? 100 * n / of : -1
		if (p >= min && p <= max)
			exit 0
		print n " of " of ": not " min " to " max " percent"
		exit 1
	}' >> "$said/err"
}
# between FROM TO: only the samples after the end of the first call, before the
# beginning of the other.
between() {
	local from to
	from=$(awk -v c="name=syscall.$1" '$4 == "UserRegion" && $6 == "mode=1" && $7 == c { print $1; exit }' "$said/text")
	to=$(awk -v c="name=syscall.$2" '$4 == "UserRegion" && $6 == "mode=0" && $7 == c { print $1; exit }' "$said/text")
	samples "$3" pr_profile
	awk -v from="${from:-0}" -v to="${to:-0}" '$1 > from && $1 < to' "$said/samples" > "$said/some"
	mv "$said/some" "$said/samples"
}

# ---- what is sampled

run 0 gotrace record -F $hz -o phases.trace -- ./prog phases 800 && says "0 kernel events lost" &&
	ms=$(cat "$said/out") && gotrace dump phases.trace > "$said/text" &&
	says ", $(grep -c ' CPUSample ' "$said/text") CPU samples, "
ok "record -F"
between getppid getpgrp phases && percent "$(of hot)" "$(all)" 85 && is "$(of 'warm|first')" 0 "others"
ok "all in hot() while it is what runs"
awk '$6 == "hot"' "$said/samples" > "$said/hot" && grep -qE ' hot;phase;phases;main(;.*)?;pr_profile$' "$said/hot" &&
	! grep -vE ' ([^ ]*;)?hot;phase;phases;main(;.*)?;pr_profile$' "$said/hot" >> "$said/err"
ok "with its callers"
awk -v l="$(line hot)" '$7 != l && $7 != l - 1' "$said/hot" > "$said/out"
! [ -s "$said/out" ]
ok "at its line"
between getpgrp getuid phases && percent "$(of warm)" "$(all)" 85 && is "$(of 'hot|first')" 0 "others"
ok "all in warm() while it is what runs"
between getuid getgid phases && percent "$(of first)" "$(all)" 85 && is "$(of 'hot|warm|before')" 0 "others"
ok "a function's first instruction is not the one before it"
samples phases pr_profile && percent "$(all)" $((ms * hz / 1000)) 60 110
ok "as many as its time says"
is "$(of 0 3)" 0 "without a G"
ok "each knows its G"

# ---- beside perf

# perf starts first and ends last, so it may have some more.
if command -v perf > /dev/null; then
	run 0 perf record -q -e cpu-clock -F $hz -g -a -o "$said/perf.data" -- \
		gotrace record -F $hz -o perf.trace -- ./prog mix 2000 &&
		perf script -i "$said/perf.data" --comm pr_profile -F comm,ip,sym > "$said/script" 2> "$said/err"
	# A sample is a paragraph: the name, then the frames, leaf first.
	awk '/^[^ \t]/ { n++; seen = 0 } /^[ \t]/ && !seen && ($2 == "hot" || $2 == "warm") { c[$2]++; seen = 1 }
		END { print n + 0, c["hot"] + 0, c["warm"] + 0 }' "$said/script" > "$said/perf"
	read -r n hot warm < "$said/perf"
	samples perf pr_profile
	echo "# perf: $n samples, $hot in hot, $warm in warm; ours: $(all), $(of hot), $(of warm)"
	percent "$(all)" "$n" 85 110
	ok "as many as perf's"
	percent "$(of hot)" "$(all)" $((100 * hot / n - 8)) $((100 * hot / n + 8)) &&
		percent "$(of warm)" "$(all)" $((100 * warm / n - 8)) $((100 * warm / n + 8))
	ok "in the same functions"
else
	tap_ok "beside perf # SKIP no perf: linux-perf"
fi

# ---- whose frames

for kind in none:00 kernel:10 user:01 both:11; do
	run 0 gotrace record -F 997 --stacks ${kind%:*} -o "kind_${kind%:*}.trace" -- \
		sh -c 'dd if=/dev/zero of=/dev/null bs=16M count=100 & exec ./prog mix 300'
	samples "kind_${kind%:*}" pr_profile
	[ "$(all)" -gt 20 ] && user=$(of '[1-9][0-9]*' 5)
	samples "kind_${kind%:*}" dd
	[ "$(all)" -gt 20 ] && is "$((!!$(of '[1-9][0-9]*' 4)))$((!!user))" "${kind#*:}" "kernel's and user's"
	ok "--stacks ${kind%:*}"
done
run 0 gotrace record -F 997 --depth 4 --no-symbols -o depth.trace -- dd if=/dev/zero of=/dev/null bs=16M count=60 &&
	samples depth dd && ! awk 'split($8, f, ";") > 4' "$said/samples" | grep . >> "$said/err" &&
	percent "$(of '[1-3]' 4)" "$(all)" 40
ok "--depth"
run 0 gotrace record -F 997 -o calls.trace -- dd if=/dev/zero of=/dev/null bs=16M count=60 &&
	samples calls dd &&
	percent "$(of '([^;]*\+0x[0-9a-f]+;)+syscall\.read;.*;dd' 8)" "$(all)" 40
ok "in a call: the kernel's frames, the call and who called"

# ---- user frames without system calls

./prog silent &
pid=$!
sleep 0.5
run 0 gotrace record -F $hz -o silent.trace -- sleep 1.5
ok "record beside a program that calls nothing"
samples silent pr_profile && [ "$(all)" -gt 50 ] && percent "$(of hot)" "$(all)" 90 && is "$(of 'warm|-')" 0 "others" &&
	grep -qE ' hot;silent;main(;.*)?;pr_profile$' "$said/samples"
ok "its frames are known"
run 0 gotrace record -F $hz --syscalls off -o off.trace -- sleep 1.5
samples off pr_profile && [ "$(all)" -gt 50 ] && percent "$(of hot)" "$(all)" 90
ok "--syscalls off: they are, too"
kill $pid
wait $pid 2> /dev/null

# One library after another, most likely where it was.
for calls in regions off; do
	run 0 gotrace record -F $hz --syscalls $calls -o libs_$calls.trace -- ./prog libs 500 ./one.so ./two.so ./one.so
	[ "$(sort -u "$said/out" | wc -l)" = 1 ] || echo "# the libraries were not at the same address"
	samples libs_$calls pr_profile
	is "$(awk '$6 ~ /^lib_hot_/ && $6 != last { printf "%s ", last = $6 }' "$said/samples")" \
		"lib_hot_one lib_hot_two lib_hot_one " order && percent "$(of 'lib_hot_(one|two)')" "$(all)" 60
	ok "--syscalls $calls: a library after another one at its address"
done
run 0 gotrace record -F $hz -o fp.trace -- ./prog fp 500 && samples fp pr_profile && percent "$(of bad_fp)" "$(all)" 30 &&
	! awk '$6 == "bad_fp" && $5 != 1' "$said/samples" | grep . >> "$said/err"
ok "a frame pointer that leads nowhere ends the walk and nothing else"
build -Wl,--build-id=none -o no_id
run 0 gotrace record -F $hz -o no_id.trace -- ./no_id mix 500 && samples no_id pr_profile && percent "$(of hot)" "$(all)" 55
ok "a program without a build id is named all the same"

# ---- losses

# The worker does not get to run: nobody but these does, once both are there.
rt=$(cat /proc/sys/kernel/sched_rt_runtime_us)
echo -1 > /proc/sys/kernel/sched_rt_runtime_us
run 3 gotrace record -F 2000 -o overflow.trace -- chrt -f 60 sh -c '
	taskset 1 chrt -f 50 ./prog mix 600 & taskset 2 chrt -f 50 ./prog mix 600 & wait' &&
	says " CPU samples for want of time"
ok "an overflow is counted, and the exit code says so"
echo "$rt" > /proc/sys/kernel/sched_rt_runtime_us
lost=$(sed -n 's/^ *\([0-9]*\) CPU samples for.*/\1/p' "$said/err")
[ "${lost:-0}" -gt 0 ] && samples overflow pr_profile && percent $(($(all) + lost)) 2400 25 130
ok "what is lost and what is there add up"

# Without a reader buffers run out, and then the logs do.
gotrace start -F 5000 --buffer 256K 2> /dev/null
timeout 2 sh -c 'while :; do read -r x < /proc/uptime; done'
./prog mix 2500
run 3 gotrace stop && says " for want of an empty buffer" && says " CPU samples for want of time"
ok "with every buffer full"
timeout 20 cat /dev/gotrace > dark.trace && run 0 gotrace dump dark.trace && prints " CPUSample "
ok "there is a trace all the same"

# ---- what is refused

for hz in 0 10001 -1 many ''; do
	run 2 gotrace record -F "$hz" -o none.trace -- true && says "--freq takes a number from 1 to 10000, not '$hz'" &&
		! [ -e none.trace ]
	ok "-F '$hz'"
done
run 2 gotrace start --sample-event nothing && says "--sample-event takes one of clock, cycles, not 'nothing'"
ok "--sample-event nothing"
if perf stat -x, -e cycles true 2>&1 | grep -q 'not supported'; then
	run 1 gotrace record -F 99 --sample-event cycles -o none.trace -- true &&
		says "cannot start: Operation not supported" && says "try --sample-event clock" && ! [ -e none.trace ] &&
		run 0 gotrace status && prints none
	ok "--sample-event cycles, where the processor has none to count"
	gotrace start 2> /dev/null
	gotrace stop 2> /dev/null
	run 1 gotrace start -F 99 --sample-event cycles --discard && run 0 gotrace status && prints draining &&
		timeout 20 cat /dev/gotrace > kept.trace && run 0 gotrace dump kept.trace
	ok "such a start drops nothing"
else
	run 0 gotrace record -F 999 --sample-event cycles -o cycles.trace -- ./prog mix 500 &&
		samples cycles pr_profile && percent "$(of hot)" "$(all)" 55
	ok "--sample-event cycles"
fi
rm -f prog no_id one.so two.so
tap_done
