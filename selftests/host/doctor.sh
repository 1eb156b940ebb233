#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace doctor on made-up systems: what is broken in each is what it finds, and
# every one of its messages is seen. The verdict itself is held against the truth
# in doctor_test.sh.
# shellcheck disable=SC2016	# a $ is meant
set -u

top=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$top/selftests/command.sh"
rel=6.1.0-99-amd64
sys=$said/sys
all=$said/all
gotrace=$(command -v gotrace)

put() { mkdir -p "$sys${1%/*}" && printf '%s\n' "${2-}" > "$sys$1"; }
gone() { rm -rf "${sys:?}$1"; }
program() { put "/bin/$1" "#!/bin/sh
echo ${2-}"; chmod 755 "$sys/bin/$1"; }

# A system on which all is well; each case breaks it.
well() {
	rm -rf "$sys"
	put /proc/sys/kernel/osrelease $rel
	put /proc/sys/kernel/arch x86_64
	put /proc/sys/kernel/kptr_restrict 0
	put /proc/self/status 'CapEff:	000001ffffffffff'
	put /proc/self/uid_map '         0          0 4294967295'
	put /proc/modules
	put /boot/config-$rel 'CONFIG_MODULES=y
CONFIG_TRACEPOINTS=y
CONFIG_HAVE_SYSCALL_TRACEPOINTS=y'
	put /lib/modules/$rel/build/Makefile
	put /lib/modules/$rel/updates/dkms/gotrace.ko 'ELF'
	put /lib/modules/$rel/modules.dep 'updates/dkms/gotrace.ko:'
	put /sys/module/module/parameters/sig_enforce N
	put /sys/kernel/security/lockdown '[none] integrity confidentiality'
	put /sys/devices/system/clocksource/clocksource0/current_clocksource tsc
	put /sys/devices/system/clocksource/clocksource0/available_clocksource 'tsc hpet acpi_pm '
	put /usr/bin/apt-get
	put /usr/lib/debug/.build-id/ab/cd.debug
	for p in gcc make dot; do
		program $p
	done
	program go 'go version go1.21.5 linux/amd64'
	ko='' urls=''
}
no_module() { gone /lib/modules/$rel/updates; put /lib/modules/$rel/modules.dep; }
is_loaded() { put /sys/module/gotrace/version "$(cat "$top/VERSION")"; put /dev/gotrace; }
caps() { put /proc/self/status "CapEff:	$1"; }

# shellcheck disable=SC2120
doctor() {
	env PATH="$sys/bin" GOTRACE_KO="$ko" DEBUGINFOD_URLS="$urls" \
		"$gotrace" doctor --root "$sys" "$@"
}

# finds NAME EXIT CHECK STATE TEXT [TODO]: of that one check.
finds() {
	run "$2" doctor --json &&
		python3 - "$said/out" "${@:3}" <<-'PY' 2>> "$said/err"
			import json, sys
			rows = [json.loads(l) for l in open(sys.argv[1])]
			check, state, text = sys.argv[2:5]
			row, = (r for r in rows if r.get("check") == check)
			assert row["state"] == state, row
			assert text in row["text"], row
			assert all(t in row["todo"] for t in sys.argv[5:]), row
			assert row["todo"] or state != "missing", row
		PY
	ok "$1"
	# shellcheck disable=SC2119
	doctor >> "$all"
}

well
run 0 doctor && [ "$(grep -c '^ok ' "$said/out")" = 12 ] && prints "recording would work"
ok "a system where all is well"
run 0 doctor --json && [ "$(tail -n 1 "$said/out")" = '{"recording":true}' ]
ok "the same in JSON"
finds "all rights" 0 rights ok "all"

# ---- the kernel

well; gone /proc
finds "no /proc" 1 kernel missing "does not say which kernel" "mount -t proc"
well; put /proc/sys/kernel/arch aarch64
finds "another machine" 1 kernel missing "$rel on aarch64" "record elsewhere"
well; put /proc/sys/kernel/osrelease 4.19.0-27-amd64
finds "an old kernel" 1 kernel missing "4.19.0-27-amd64, and the module wants 5.10" "newer kernel"
well; gone /proc/modules
finds "no modules at all" 1 kernel missing "cannot load modules" CONFIG_MODULES
well; put /boot/config-$rel 'CONFIG_MODULES=y
# CONFIG_TRACEPOINTS is not set'
finds "no tracepoints" 1 kernel missing "without CONFIG_TRACEPOINTS" "boot one that has it"

# ---- the module

well; is_loaded
finds "loaded" 0 module ok "loaded"
well; is_loaded; put /sys/module/gotrace/version 0.0.1
finds "another version is loaded" 0 module note "version 0.0.1, this command is" rmmod
well; is_loaded; gone /dev/gotrace
finds "loaded, no device" 1 module missing "no /dev/gotrace" container
well; no_module; ko=$sys/gotrace.ko; put /gotrace.ko
finds "GOTRACE_KO" 0 module ok "record does it, from $ko"
well; ko=/nonexistent.ko
finds "GOTRACE_KO names nothing" 1 module missing '$GOTRACE_KO is /nonexistent.ko: No such file' "name a file"
well; no_module
finds "none" 1 module missing "not installed" gotrace-dkms
well; put /lib/modules/$rel/modules.dep 'kernel/fs/ext4/ext4.ko:'
finds "depmod was forgotten" 1 module missing "modprobe does not know it" "depmod -a"
well; no_module; put /var/lib/dkms/gotrace/0.1.0/build/make.log
finds "DKMS failed" 1 module missing "DKMS could not build it for $rel" make.log
well; no_module; put /lib/modules/6.1.0-98-amd64/updates/gotrace.ko
finds "of another kernel" 1 module missing "there for kernel 6.1.0-98-amd64, but $rel runs" \
	"make install in the sources, for $rel"
put /var/lib/dkms/gotrace/0.1.0/source
finds "of another kernel, by DKMS" 1 module missing "there for kernel 6.1.0-98-amd64" \
	"dkms autoinstall -k $rel"

# ---- building it

well; gone /lib/modules/$rel/build
finds "nothing to build" 0 headers ok "nothing needs to be built"
no_module
finds "no headers" 1 headers missing "no headers of $rel" "apt-get install linux-headers-$rel"
gone /usr/bin/apt-get
finds "no headers, not Debian" 1 headers missing "no headers of $rel" "what Debian calls linux-headers-$rel"
well; no_module; gone /bin/make
finds "no make" 1 headers missing "no gcc or no make" "gcc make"
well; no_module
finds "all to build it" 1 headers ok "gcc and make too"

# ---- signatures, lockdown

var=/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
secure() {
	put /sys/kernel/security/lockdown 'none [integrity] confidentiality'
	put $var
	printf '\x06\x00\x00\x00\x01' > "$sys$var"
}
signed() { put /lib/modules/$rel/updates/dkms/gotrace.ko 'ELF~Module signature appended~'; }
well; secure
finds "Secure Boot, no signature" 1 signature missing \
	"Secure Boot: this kernel loads signed modules only, and this one is not" \
	openssl "mokutil --import mok.pub" "sign-file sha256 mok.key mok.pub $sys/lib/modules/$rel/updates/dkms/gotrace.ko"
finds "integrity allows tracing" 1 lockdown ok "integrity, which allows tracing"
put /var/lib/dkms/mok.pub
finds "Secure Boot, no signature, DKMS's key" 1 signature missing "and this one is not" \
	"mokutil --import /var/lib/dkms/mok.pub" "dkms install --force gotrace/$(cat "$top/VERSION")"
signed
finds "Secure Boot, signed" 0 signature note "Secure Boot: the kernel must know the key" \
	"mokutil --import /var/lib/dkms/mok.pub"
is_loaded
finds "Secure Boot, loaded" 0 signature ok "has taken it"
well; put /sys/module/module/parameters/sig_enforce Y
finds "sig_enforce without Secure Boot" 1 signature missing "this kernel loads signed modules only, and" openssl
no_module
finds "signatures wanted, no module yet" 1 signature missing "signed modules only" "mok.pub gotrace.ko"
well; put /sys/kernel/security/lockdown 'none integrity [confidentiality]'; signed
finds "confidentiality" 1 lockdown missing "does not let itself be traced" "without lockdown="

# ---- rights

well; caps 0000000000000000
finds "nobody" 1 rights missing "neither root nor CAP_PERFMON" RIGHTS
well; put /proc/self/uid_map '0 1000 1'
finds "a container's root" 1 rights missing "user namespace" "outside"
well; caps 0000004000000000
finds "CAP_PERFMON, not loaded" 1 rights missing "only root may" "modules-load.d"
is_loaded
finds "CAP_PERFMON, loaded" 0 rights note "all but CAP_SYSLOG"
caps 0000004400000000
finds "CAP_PERFMON and CAP_SYSLOG" 0 rights ok "all"

# ---- and what is only better so

well; put /sys/devices/system/clocksource/clocksource0/current_clocksource hpet
put /sys/devices/system/clocksource/clocksource0/available_clocksource 'hpet acpi_pm '
finds "no trust in the TSC" 0 clock note "CLOCK_MONOTONIC's (hpet)" tsc=reliable
put /sys/devices/system/clocksource/clocksource0/current_clocksource kvm-clock
put /sys/devices/system/clocksource/clocksource0/available_clocksource 'kvm-clock tsc acpi_pm '
finds "TSC under another clock" 0 clock ok "the TSC"

well; gone /usr/lib/debug
finds "no debug symbols" 0 symbols note "stripped programs" DEBUGINFOD_URLS dbgsym
urls=http://localhost:1
finds "debuginfod without its library" 0 symbols note "no libdebuginfod" "apt-get install libdebuginfod1"
put /usr/lib/x86_64-linux-gnu/libdebuginfod.so.1
finds "debuginfod" 0 symbols ok "debuginfod, from http://localhost:1"
well
finds "debug symbols" 0 symbols ok "/usr/lib/debug"

well; put /proc/sys/kernel/kptr_restrict 2
finds "kptr_restrict" 0 addresses note "kptr_restrict is 2" "sysctl kernel.kptr_restrict=1"
put /proc/sys/kernel/kptr_restrict 1
finds "addresses" 0 addresses ok "CAP_SYSLOG"

well; gone /bin/go
finds "no Go" 0 go missing "no Go to open traces with" "apt-get install golang-go" go.dev
mkdir -p "$sys/usr/lib/go-1.21/bin"; program go 'go version go1.21.9 linux/amd64'
mv "$sys/bin/go" "$sys/usr/lib/go-1.21/bin/go"
finds "Go is not in PATH" 0 go note "Go 1.21 is not in \$PATH" "$sys/usr/lib/go-1.21/bin/go tool trace"
well; program go 'go version go1.19.8 linux/amd64'
finds "Go 1.19" 0 go note "--format 1.19" backports
program go 'go version go1.11.6 linux/amd64'
finds "Go 1.11" 0 go missing "Go 1.11 is too old" backports
program go 'go version devel go1.28-abcdef Mon linux/amd64'
finds "a Go from its sources" 0 go ok "Go 1.28"
well; gone /bin/dot
finds "no graphviz" 0 graphviz note "profile pages" "apt-get install graphviz"

# ---- its words

run 2 doctor extra && says "do not know what to do with 'extra'"
ok "too many words"
run 2 gotrace doctor --root /nonexistent && says "there is no folder '/nonexistent'"
ok "no such root"
if run 1 sh -c '"$0" doctor --json > /dev/full' "$gotrace" && says "cannot write"; then
	tap_ok "a full disk"
else
	tap_not_ok "a full disk" "$(cat "$said/err")"
fi

# Those of the session need one, and a device that may not be opened somebody who
# is not root: they are doctor_test.sh's.
python3 - "$all" "$top"/tools/doctor_*.c > "$said/err" <<'PY'
import re, sys
seen = open(sys.argv[1]).read()
there = 0
for name in sys.argv[2:]:
    source = open(name).read()
    source = source.replace('"\n\t\t\t"', "").replace('" GOTRACE_DEVICE', '/dev/gotrace"')
    source = re.sub(r'void check_session.*?^}', "", source, flags=re.S | re.M)
    for text in re.findall(r'\b(?:found\(f, \w+|todo\(f|todo_install\(f),\s*"((?:[^"\\]|\\.)*)"', source):
        there += 1
        pattern = re.sub(r'%(?:\\\.\\\*)?\w', ".*", re.escape(text).replace("\\%", "%"))
        if not re.search(pattern, seen) and "no permission for" not in text and "usermod" not in text:
            print("nobody saw:", text)
if there < 40:
    print("found only", there, "messages in the sources")
PY
[ ! -s "$said/err" ]
ok "every message was seen"

tap_done
