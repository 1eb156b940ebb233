#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace symbolize where the guests' tests do not come: names in C++, and debug
# files from a debuginfod server, asked if and only if DEBUGINFOD_URLS is set.
set -u
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"

work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server; rm -rf "$said" "$work"' EXIT
cd "$work" || exit 1
unset DEBUGINFOD_URLS
export DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_TIMEOUT=5

cat > prog.cc <<'CC'
#include <string>
namespace shop {
template <typename T> struct Till {
	__attribute__((noinline)) T pay(const std::string &who, T sum) const
	{
		return sum + who.size();	// line: pay
	}
};
}
int main(int argc, char **argv)
{
	return shop::Till<long>().pay(argv[0], argc);
}
CC
line=$(grep -n "line: pay" prog.cc | cut -d: -f1)

# trace FILE: of a task asleep in the first function of FILE called pay.
trace() {
	"$here/symbolize_trace.py" "$work/$1" pay "$work/$1.trace"
}
# place FILE: its function, file and line after symbolize.
place() {
	run 0 gotrace symbolize "$work/$1.trace" -o "$work/$1.named" &&
		gotrace dump --json "$work/$1.named" | grep GoSleep |
		grep -o '"fn":"[^"]*","file":"[^"]*","line":[0-9]*' | head -n 1 > "$said/out"
}

run 0 g++ -O1 -g -o cpp prog.cc && trace cpp && place cpp &&
	prints '"fn":"shop::Till<long>::pay(std::' && prints "prog.cc\",\"line\":$line"
ok "a method of a template is called as people write it"
strip -o mangled --strip-debug cpp
run 0 trace mangled && place mangled && prints '"fn":"shop::Till<long>::pay(std::'
ok "by the symbol table alone, too"

# ---- debuginfod: the program is stripped, its debug information elsewhere

mkdir debug bin
objcopy --only-keep-debug cpp debug/cpp.debug
trace cpp
strip -o bin/cpp cpp
rm cpp
mv bin/cpp cpp
id=$(readelf -n cpp | sed -n 's/.*Build ID: //p')
place cpp && prints '"fn":"cpp+0x'
ok "stripped: an offset"

port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
url=http://127.0.0.1:$port
debuginfod -v -F -d :memory: -p "$port" debug > server.log 2>&1 &
server=$!
for _ in {1..100}; do
	! curl -sfo /dev/null "$url/buildid/$id/debuginfo" || break
	sleep 0.1
done
run 0 curl -sfo /dev/null "$url/buildid/$id/debuginfo"
ok "the server has it"
asked() { grep -c "GET /buildid/$id/debuginfo" server.log; }
before=$(asked)
place cpp && prints '"fn":"cpp+0x' && is "$(asked)" "$before" "questions to the server"
ok "without DEBUGINFOD_URLS nobody asks it"
export DEBUGINFOD_URLS=$url
place cpp && prints '"fn":"shop::Till<long>::pay(std::' && prints "prog.cc\",\"line\":$line" &&
	[ "$(asked)" -gt "$before" ]
ok "with it, function, file and line come from there"
kill $server
wait $server
server=
rm -rf "$DEBUGINFOD_CACHE_PATH"
place cpp && prints '"fn":"cpp+0x'
ok "a server that does not answer leaves the offset"
tap_done
