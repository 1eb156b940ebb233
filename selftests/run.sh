#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run the tests; `make check` comes here. See README.md for how tests are found
# and what they may count on.
set -u -o pipefail

usage() {
	cat <<-'USAGE'
	Usage: run.sh [NAME...]
	Runs all tests, or those whose names contain NAME. Environment:
	  KVER=TAG       the guests' kernel (6.1)
	  HOST=1         load the module here instead of in guests
	  GUESTS=1       only the tests that need the module
	  ALLOW_SKIP=1   do not count skipped points as failures
	  SLOW=1         also what is marked slow
	  LIST=1         only list the tests
	USAGE
}
case ${1:-} in
-h|--help) usage; exit 0;;
esac

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$here")
# shellcheck source=SCRIPTDIR/figures.sh
. "$here/figures.sh"
kver=${KVER:-6.1}
# Kernels with checkers take so many times as long.
case $kver in
*-kasan|*-kcsan) slower=5;;
*) slower=1;;
esac
res=$top/build/check
start=$SECONDS

say() { printf '%s\n' "$*"; }

# ---- what there is

wanted() {
	local w
	[ ${#only[@]} -gt 0 ] || return 0
	for w in "${only[@]}"; do
		[[ $1 != *$w* ]] || return 0
	done
	return 1
}
only=("$@")

# directive FILE: the options on its "vm:" line, which is among the first ten.
directive() { sed -n '1,10s#^.*\<vm:[[:space:]]*\(.*[^ */]\)[ */]*$#\1#p' "$1" | head -n 1; }

host=() guest=()
declare -A prog boot timeout module
for f in "$here"/host/*.sh "$here"/host/*.c; do
	if [ -n "${GUESTS:-}" ] || ! [ -e "$f" ]; then
		continue
	fi
	n=$(basename "$f")
	n=${n%.*}
	wanted "$n" || continue
	host+=("$n")
	case $f in
	*.c) prog[$n]=$top/build/selftests/$n;;
	*) prog[$n]=$f;;
	esac
done
for f in "$here"/*_test.c "$here"/*_test.sh; do
	[ -e "$f" ] || continue
	n=$(basename "$f")
	n=${n%.*}
	wanted "$n" || continue
	case $f in
	*.c) prog[$n]=$top/build/selftests/$n;;
	*) prog[$n]=$f;;
	esac
	# What the guest needs is the key by which tests share a boot.
	boot[$n]='' timeout[$n]=120 module[$n]=yes slow=
	for w in $(directive "$f"); do
		case $w in
		timeout=*) timeout[$n]=${w#*=};;
		module=*) module[$n]=${w#*=};;
		smp=*|mem=*|tcg=*) boot[$n]+=" --${w%%=*} ${w#*=}";;
		append=*) boot[$n]+=" --append ${w#*=}";;
		tsc=off) boot[$n]+=" --no-tsc";;
		only=*) [[ $kver = *${w#only=} ]] || continue 2;;
		alone) boot[$n]+=" --env ALONE=$n";;
		slow) slow=1;;
		*) say "run.sh: $f: unknown word '$w' in its vm: line" >&2; exit 2;;
		esac
	done
	[ -z "$slow" ] || [ -n "${SLOW:-}" ] || [ ${#only[@]} -gt 0 ] || continue
	guest+=("$n")
done
if [ -n "${LIST:-}" ]; then
	printf 'host  %s\n' ${host[@]+"${host[@]}"}
	for n in ${guest[@]+"${guest[@]}"}; do
		say "guest $n timeout=${timeout[$n]} module=${module[$n]}${boot[$n]}"
	done
	exit 0
fi
if [ $((${#host[@]} + ${#guest[@]})) = 0 ]; then
	say "run.sh: no test is called '$*'" >&2
	exit 2
fi

# ---- build

rm -rf "$res"
mkdir -p "$res"
step() {
	"$@" > "$res/build.log" 2>&1 && return
	tail -n 40 "$res/build.log"
	say "not ok: $*"
	say "0 passed, 1 failed"
	exit 1
}
step "$here/fetch/deps.sh"
step make -s -C "$top" tools selftests
if [ ${#guest[@]} -gt 0 ]; then
	if [ -n "${HOST:-}" ]; then
		step make -s -C "$top" modules
		ko=$top/build/kmod-$(uname -r)/gotrace.ko
	else
		step make -s -C "$top" modules KVER="$kver"
	fi
	step "$here/gocheck/build.sh" 1.21
	step "$here/gocheck/build.sh" newest
	go_old=$("$here/gocheck/build.sh" 1.21)
	go_new=$("$here/gocheck/build.sh" newest)
fi

# ---- counting

pass=0 fail=0 skip=0
point_ok() { pass=$((pass + 1)); }
point_bad() {
	fail=$((fail + 1))
	say "not ok - $*"
}

# count_tap NAME RC LOG: the points of one test. Its exit status and its plan
# must agree with them.
count_tap() {
	local name=$1 rc=$2 log=$3 line planned=0 points=0 bad=0 skipped=0 f0=$fail
	while IFS= read -r line; do
		case $line in
		1..*) [[ ! ${line#1..} =~ ^[0-9]+$ ]] || planned=${line#1..};;
		"ok "*"# SKIP"*|"not ok "*"# SKIP"*)
			points=$((points + 1)) skipped=$((skipped + 1))
			skip=$((skip + 1))
			if [ -z "${ALLOW_SKIP:-}" ]; then
				point_bad "$name: skipped: ${line#*ok }"
			fi;;
		"ok "[0-9]*) points=$((points + 1)); point_ok;;
		"not ok "[0-9]*)
			points=$((points + 1)) bad=$((bad + 1))
			point_bad "$name: ${line#not ok }";;
		"Bail out!"*) bad=$((bad + 1)); point_bad "$name: $line";;
		esac
	done < "$log"
	if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
		point_bad "$name: time-out"
	elif [ "$points" = 0 ] && [ "$planned" = 0 ] && [ "$rc" = 0 ]; then
		point_ok
	elif [ "$points" -lt "$planned" ]; then
		point_bad "$name: $points of $planned points reported (exit status $rc)"
	elif [ "$rc" != 0 ] && [ $bad = 0 ] && ! { [ "$rc" = 4 ] && [ $skipped -gt 0 ]; }; then
		point_bad "$name: exit status $rc"
	fi
	[ "$fail" = "$f0" ] || show_log "$log"
}

show_log() {
	tail -n "${LOG_LINES:-60}" "$1" | sed 's/^/    | /'
	say "    | (whole: ${1#"$top"/})"
}

# keep_figures NAME LOG KERNEL: of a test that passed.
keep_figures() {
	if [ $((fail - f0)) = 0 ]; then
		{ cat "$2"; echo "# figure: points of tests passed $((pass - p0))"; } |
			figures_keep "$3" "$1"
	fi
}

summary() { say "# $1: $((pass - p0)) ok, $((fail - f0)) not ok, $2 s"; }

# ---- tests on this machine

# One after another, beside the guests; counted when those are done.
run_host() {
	local n t0 rc pid
	# A test and what it started end by timeout's own signal.
	trap 'kill "$pid" 2> /dev/null; exit 143' TERM
	for n in "$@"; do
		t0=$SECONDS rc=0
		mkdir -p "$res/$n"
		( cd "$res/$n" && GOTRACE_SRC=$top GOTRACE_BIN=$top/build/bin \
			GOTRACE_TESTS=$top/build/selftests \
			PATH=$top/build/bin:$top/build/selftests:$PATH \
			exec timeout -k 10 600 "${prog[$n]}" ) < /dev/null > "$res/$n/log" 2>&1 &
		pid=$!
		wait $pid || rc=$?
		echo "$rc $((SECONDS - t0))" > "$res/$n/rc"
	done
}

count_host() {
	local n rc secs
	for n in "$@"; do
		p0=$pass f0=$fail rc=1 secs='?'
		read -r rc secs < "$res/$n/rc" || true
		count_tap "$n" "$rc" "$res/$n/log"
		keep_figures "$n" "$res/$n/log" host
		summary "$n" "$secs"
	done
}

run_host ${host[@]+"${host[@]}"} &
host_pid=$!
trap '[ -z "$host_pid" ] || kill $host_pid' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- tests that need the module

# judge NAME: both Go's on every trace that the test left, side by side.
judge() {
	local n=$1 t old new
	for t in "$res/$n"/*.trace; do
		[ -e "$t" ] || continue
		"$go_old" "$t" > "$res/go-old" 2>&1 &
		old=$!
		"$go_new" "$t" > "$res/go-new" 2>&1 &
		new=$!
		verdict $old "$res/go-old"
		verdict $new "$res/go-new"
	done
}

verdict() {
	if wait "$1"; then
		point_ok
	else
		point_bad "$n: $(sed "s#$res/##g" "$2")"
	fi
	cat "$2" >> "$res/$n/gocheck"
}

# finished NAME LOG SECONDS: one test's part of a guest's output is complete.
finished() {
	local n=$1 log=$2 rc secs line
	p0=$pass f0=$fail
	read -r _ _ _ rc secs < <(grep '^@@ rc ' "$log") || true
	sed -i '/^@@ \(begin\|rc\|end\) /d' "$log"
	count_tap "$n" "${rc:-1}" "$log"
	while IFS= read -r line; do
		point_bad "$n: ${line#@@ bad "$n" }"
		show_log "$log"
	done < <(grep '^@@ bad ' "$log")
	judge "$n"
	keep_figures "$n" "$log" "$kver"
	summary "$n" "${secs:-?}"
}

# Split a guest's output by test. Sets left to the tests that did not end, the
# first of them being the one that the guest died of.
split_output() {
	local out=$1 n line cur=
	shift
	rm -f "$res"/*/raw
	while IFS= read -r line; do
		case $line in
		"@@ begin "*)
			cur=${line#@@ begin }
			mkdir -p "$res/$cur"
			: > "$res/$cur/log";;
		esac
		[ -z "$cur" ] || printf '%s\n' "$line" >> "$res/$cur/log"
		[ "$line" != "@@ end $cur" ] || cur=
	done < "$out"
	left=()
	for n in "$@"; do
		if grep -q "^@@ end $n\$" "$res/$n/log" 2> /dev/null; then
			finished "$n" "$res/$n/log"
		else
			left+=("$n")
		fi
	done
}

# A guest runs for minutes: say what it is at.
progress() { tee "$1" | sed -u -n 's/^@@ begin /#   /p'; }

# run_guest BOOT-OPTIONS NAME...: the tests in one guest; when it dies, the test
# that it died of has failed, and the others get a new one.
run_guest() {
	local opts=$1 specs total longest secs rc out n i=0
	shift
	left=("$@")
	while [ ${#left[@]} -gt 0 ]; do
		specs=() total=$((60 * slower)) longest=0
		for n in "${left[@]}"; do
			secs=$((timeout[$n] * slower))
			specs+=("$n:$secs:${module[$n]}:${prog[$n]}")
			total=$((total + secs + 15 * slower))
			longest=$((secs > longest ? secs : longest))
		done
		out=$res/guest-$boots-$i.out
		rc=0
		say "# guest $boots${opts:+ ($opts )}: ${left[*]}"
		if [ -n "${HOST:-}" ]; then
			GOTRACE_SRC=$top GOTRACE_KO=$ko GOTRACE_BIN=$top/build/bin \
			GOTRACE_TESTS=$top/build/selftests \
			PATH=$top/build/bin:$top/build/selftests:$PATH \
				"$here/vm/guest-tests.sh" "$res" "${specs[@]}" \
				2> "$out.err" | progress "$out" || rc=$?
		else
			# shellcheck disable=SC2086	# options
			"$here/vm/vm.sh" --kernel "$kver" $opts --env SLOWER=$slower --timeout $total \
				--quiet $((longest + 60 * slower)) \
				--out "$res" --log "$res/guest-$boots-$i.console" \
				-- "$here/vm/guest-tests.sh" /out "${specs[@]}" \
				2> "$out.err" | progress "$out" || rc=$?
		fi
		split_output "$out" "${left[@]}"
		if [ ${#left[@]} -gt 0 ]; then
			n=${left[0]}
			point_bad "$n: the guest ended in it (vm.sh: $rc)"
			[ ! -e "$res/$n/log" ] || show_log "$res/$n/log"
			LOG_LINES=100 show_log "$out.err"
			left=("${left[@]:1}")
		elif [ $rc != 0 ]; then
			point_bad "guest $boots: vm.sh: $rc, after all tests"
			LOG_LINES=100 show_log "$out.err"
		fi
		i=$((i + 1))
	done
	boots=$((boots + 1))
}

boots=0
mapfile -t keys < <(for n in ${guest[@]+"${guest[@]}"}; do echo "${boot[$n]}"; done | sort -u)
for key in ${keys[@]+"${keys[@]}"}; do
	names=()
	for n in "${guest[@]}"; do
		[ "${boot[$n]}" != "$key" ] || names+=("$n")
	done
	run_guest "$key" "${names[@]}"
done

[ ${#host[@]} = 0 ] || say "# on this machine: ${host[*]}"
wait $host_pid
host_pid=
count_host ${host[@]+"${host[@]}"}

say "# $((SECONDS - start)) s; logs and traces in ${res#"$top"/}"
if [ $skip -gt 0 ]; then
	say "$pass passed, $fail failed, $skip skipped"
else
	say "$pass passed, $fail failed"
fi
[ $fail = 0 ]
