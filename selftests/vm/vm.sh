#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot a kernel in an emulated machine and run one command in it.
set -eu -o pipefail

usage() {
	cat <<-'USAGE'
	Usage: vm.sh [OPTION...] -- COMMAND [ARG...]

	Runs COMMAND as root in a guest that sees this machine's files (read-only,
	changes are lost), streams its output, and exits with its status; 124 when
	time ran out, 125 when the guest failed: panic, no status, or a console
	that shows WARNING, BUG, Oops, lockdep, RCU, KASAN and the like.

	  -k, --kernel TAG   what fetch.sh knows, or a folder of that form (6.1)
	  -s, --smp N        CPUs (2)
	  -m, --mem SIZE     memory (1G)
	  -t, --timeout SEC  until the guest is ended (120), every CPU's
	                     stack on its console
	  -q, --quiet SEC    it is also ended when COMMAND prints nothing for so long
	  -a, --append ARGS  more kernel command line, may be repeated
	  -o, --out DIR      host folder, read-write as /out in the guest
	  -e, --env N=V      more environment, may be repeated
	  -C, --chdir DIR    where COMMAND runs (/out with --out, else /tmp)
	  -l, --log FILE     keep the console there
	      --no-tsc       let the kernel doubt the TSC, as it does by itself
	      --tcg MODE     multi: CPUs run side by side, and tracepoints are
	                     kept on, so that attaching to them patches no code
	                     (module/tracepoints_on.c says why); single: CPUs run
	                     in turns (multi)
	      --icount       one CPU, 1 ns of guest time = 1 instruction; the guest
	                     has only busybox and what --pack names; results
	                     repeat. Files left in /out come back at the end.
	      --pack FILE    for --icount: FILE and the libraries it needs, may
	                     be repeated
	      --show         show the console when all went well, too
	      --allow-bad    do not judge the console (tests of ours that plant
	                     a bug)

	In COMMAND's environment: GOTRACE_SRC, GOTRACE_KO (gotrace.ko for this
	kernel, from make modules KVER=TAG), GOTRACE_BIN, GOTRACE_TESTS, PATH.
	USAGE
}

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/console.sh
. "$here/console.sh"
say() { printf 'vm: %s\n' "$*" >&2; }
usage_error() { say "$*, see --help"; exit 2; }

kernel=${KERNEL:-6.1} smp=2 mem=1G timeout=120 quiet='' append='' out='' cwd='' log=''
tsc='tsc=reliable' tcg=multi icount=0 show=0 judge=1 pack=() envs=()
while [ $# -gt 0 ]; do
	case $1 in
	-h|--help) usage; exit 0;;
	--no-tsc) tsc=; shift; continue;;
	--icount) icount=1; shift; continue;;
	--show) show=1; shift; continue;;
	--allow-bad) judge=0; shift; continue;;
	--) shift; break;;
	-*) [ $# -ge 2 ] || usage_error "$1 needs a value";;
	*) break;;
	esac
	case $1 in
	-k|--kernel) kernel=$2;;
	-s|--smp) smp=$2;;
	-m|--mem) mem=$2;;
	-t|--timeout) timeout=$2;;
	-q|--quiet) quiet=$2;;
	-a|--append) append+=" $2";;
	-o|--out) out=$2;;
	-e|--env) envs+=("$2");;
	-C|--chdir) cwd=$2;;
	-l|--log) log=$2;;
	--tcg) tcg=$2;;
	--pack) pack+=("$2");;
	*) usage_error "unknown option $1";;
	esac
	shift 2
done
[ $# -gt 0 ] || usage_error "no command"
[[ $timeout =~ ^[0-9]+$ ]] || usage_error "--timeout wants seconds"
[[ ${quiet:=$timeout} =~ ^[0-9]+$ ]] || usage_error "--quiet wants seconds"
[[ $tcg =~ ^(single|multi)$ ]] || usage_error "--tcg wants single or multi"
[ ${#pack[@]} = 0 ] || [ $icount = 1 ] || usage_error "--pack goes with --icount"

case $kernel in
*/*) kdir=$kernel;;
*) kdir=$("$top/selftests/fetch/fetch.sh" kernel "$kernel");;
esac
[ -e "$kdir/vmlinuz" ] || { say "no kernel in $kdir"; exit 2; }
for c in qemu-system-x86_64 busybox cpio; do
	command -v $c > /dev/null ||
		{ say "needs $c; selftests/fetch/deps.sh installs it"; exit 2; }
done

# Kernels with checkers (fetch/debug.sh) need more memory for the same. Their ACPI
# interpreter is so slow that it gives up on the table of interrupts, without which
# devices have none: the BIOS's other table will do. The kernel's own data races must
# not end the guest.
case $(basename "$kernel") in
*-kasan|*-kcsan)
	mem=$((2 * ${mem%[GM]}))${mem##*[0-9]}
	append=" pci=noacpi$append"
	[[ $kernel != *-kcsan ]] || append=" panic_on_warn=0$append";;
esac

run=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-vm.XXXXXX")
pid='' cat_pid=''
# shellcheck disable=SC2317	# called by the trap
cleanup() {
	# Their own ids only; timeout hands the signal on to QEMU.
	[ -z "$pid" ] || kill "$pid" 2> /dev/null || true
	[ -z "$cat_pid" ] || kill "$cat_pid" 2> /dev/null || true
	rm -rf "$run"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# ---- the initramfs

mode=host
[ $icount = 0 ] || mode=pack
if [ -n "$out" ]; then
	mkdir -p "$out"
	out=$(readlink -f "$out")
	: "${cwd:=/out}"
fi
: "${cwd:=/tmp}"

i=$run/initramfs
mkdir -p "$i/bin" "$i/vm/modules"
cp "$(command -v busybox)" "$i/bin/busybox"
cp "$here/init" "$i/init"
cp "$here/stage2" "$i/vm/"
chmod 755 "$i/init"
# A packed guest has no use for 9p and overlay.
if [ $mode = pack ]; then
	grep -Ev '^(9p|9pnet|9pnet_virtio|netfs|fscache|overlay)\.ko$' \
		"$kdir/modules.order" > "$i/vm/modules.order" || true	# none left
else
	cp "$kdir/modules.order" "$i/vm/"
fi
while read -r ko; do
	cp "$kdir/modules/$ko" "$i/vm/modules/"
done < "$i/vm/modules.order"
if [ $mode = host ] && [ "$tcg" = multi ]; then
	case $kernel in
	*/*) for=(KVER= KDIR="$kdir/build");;
	*) for=(KVER="$kernel");;
	esac
	mkdir -p "$top/build"
	env -u MAKEFLAGS flock "$top/build/guest-module.lock" \
		make -s -C "$top" guest-module "${for[@]}" > "$run/make.log" 2>&1 ||
		{ cat "$run/make.log" >&2; say "cannot build guest-module"; exit 2; }
	cp "$top/build/guest-$(basename "$kernel")/selftests/vm/module/tracepoints_on.ko" \
		"$i/vm/modules/"
	echo tracepoints_on.ko >> "$i/vm/modules.order"
fi

cat > "$i/vm/vm.conf" <<EOC
VM_MODE=$mode
VM_OUT=${out:+1}
VM_CWD='$cwd'
VM_DEADLINE=$(($(date +%s) + timeout))
VM_ICOUNT=$icount
VM_TSC=${tsc:+1}
EOC

bin=$top/build/bin
{
	if [ $mode = pack ]; then echo '#!/bin/busybox sh'; else echo '#!/bin/bash'; fi
	printf 'export %s=%q\n' \
		GOTRACE_SRC "$top" \
		GOTRACE_KO "$top/build/kmod-$(basename "$kernel")/gotrace.ko" \
		GOTRACE_BIN "$bin" \
		GOTRACE_TESTS "$top/build/selftests" \
		GOTRACE_CACHE "${kdir%/kernel/*}" \
		PATH "$bin:$top/build/selftests:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	for e in ${envs[@]+"${envs[@]}"}; do
		printf 'export %s=%q\n' "${e%%=*}" "${e#*=}"
	done
	printf '%q ' "$@"
	echo
} > "$i/vm/command"
chmod 755 "$i/vm/command"

# pack_file FILE: at the same path, with its interpreter and libraries.
pack_file() {
	local f
	for f in "$1" $(ldd "$1" 2> /dev/null | grep -o '/[^ ]*'); do
		mkdir -p "$i${f%/*}"
		cp -L "$f" "$i$f"
	done
}
for f in ${pack[@]+"${pack[@]}"}; do
	[ -f "$f" ] || usage_error "--pack $f: no such file"
	pack_file "$(realpath -s "$f")"
done
( cd "$i" && find . | cpio -o -H newc --quiet ) > "$run/initrd"
rm -rf "$i"

# ---- the machine

console=$run/console
[ -z "$log" ] || console=$log
: > "$console"
args=(
	-display none -nodefaults -no-user-config -no-reboot
	-cpu max -m "$mem"
	-kernel "$kdir/vmlinuz" -initrd "$run/initrd"
	-append "console=ttyS0 loglevel=7 oops=panic panic_on_warn=1 panic=-1 unknown_nmi_panic panic_print=0x40 mitigations=off $tsc$append"
	-serial "file:$console" -monitor "pipe:$run/monitor"
	-device virtio-serial-pci
	-chardev "file,id=out,path=$run/fifo,append=on"
	-device "virtserialport,chardev=out,name=gotrace.out"
	-chardev "file,id=status,path=$run/status"
	-device "virtserialport,chardev=status,name=gotrace.status"
)
if [ $icount = 1 ]; then
	smp=1
	args+=(-accel tcg -icount "shift=0,sleep=off" -rtc "base=2024-01-01,clock=vm"
		-chardev "file,id=files,path=$run/files"
		-device "virtserialport,chardev=files,name=gotrace.files")
else
	args+=(-accel "tcg,thread=$tcg"
		-fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap"
		-device "virtio-9p-pci,fsdev=host,mount_tag=host")
	[ -z "$out" ] || args+=(
		-fsdev "local,id=out,path=$out,security_model=none,multidevs=remap"
		-device "virtio-9p-pci,fsdev=out,mount_tag=out")
fi
args+=(-smp "$smp")

# The command's output comes by a fifo: QEMU's own stdio would go by our stdin,
# and reopening our stdout would fail where that is a socket.
mkfifo "$run/fifo" "$run/monitor.in" "$run/monitor.out"
cat "$run/fifo" &
cat_pid=$!
timeout --foreground -k 5 $((timeout + 30)) \
	qemu-system-x86_64 "${args[@]}" < /dev/null \
	> /dev/null 2> "$run/qemu.err" &
pid=$!
# Opened for both, so that no open waits.
exec 3<> "$run/monitor.in" 4<> "$run/monitor.out"

# The fifo's mtime is that of the last write into it. A guest out of time gets
# an NMI: the kernel panics, with every CPU's stack on the console, and ends.
end=$(($(date +%s) + timeout)) late=''
while kill -0 "$pid" 2> /dev/null; do
	now=$(date +%s)
	if [ "$now" -ge "$end" ]; then
		late="time-out after $timeout s"
	elif [ "$now" -ge $(($(stat -c %Y "$run/fifo") + quiet)) ]; then
		late="nothing printed for $quiet s"
	else
		sleep 0.2
		continue
	fi
	echo nmi >&3
	for _ in {1..50}; do
		kill -0 "$pid" 2> /dev/null || break
		sleep 0.2
	done
	kill "$pid" 2> /dev/null || true
	break
done
rc=0
wait "$pid" || rc=$?
pid=
exec 3>&- 4>&-
# QEMU that never opened the fifo leaves cat waiting.
: 2> /dev/null 1<> "$run/fifo"
wait $cat_pid || true
cat_pid=

# ---- the verdict

status=$(sed -n 's/^exit \([0-9]*\) .*/\1/p' "$run/status" 2> /dev/null || true)
if [ $mode = pack ] && [ -n "$out" ] && [ -s "$run/files" ]; then
	tar -x -C "$out" --no-same-owner < "$run/files"
fi

console_tail() { console_lines "$console" | tail -n "${1:-60}" | sed 's/^/console| /' >&2; }
if [ -n "$late" ]; then
	say "$late; the console's end:"
	console_tail 200
	exit 124
fi
if [ $judge = 1 ] && console_bad "$console" > "$run/bad"; then
	say "the console shows what it must not (kernel $kernel):"
	sed 's/^/console| /' "$run/bad" >&2
	exit 125
fi
if [ -z "$status" ]; then
	say "the guest ended without a status (qemu: $rc); the console's end:"
	console_tail 200
	cat "$run/qemu.err" >&2
	exit 125
fi
[ $show = 0 ] || console_tail 1000
exit "$status"
