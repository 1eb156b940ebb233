#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Trace redis-server under redis-benchmark into a file: run by demo.sh, in the
# guest or on the machine itself.
#
# run.sh REDIS OUT		the folder that demo/fetch.sh printed; the trace
set -eu

redis=$1 out=$2
port=16379
# Only redis may see its libraries: the rest of the machine has its own.
libs=LD_LIBRARY_PATH=$redis/lib

# The server's own folder; it is told to keep nothing.
dir=$(mktemp -d)
env "$libs" "$redis/bin/redis-server" --port $port --bind 127.0.0.1 --dir "$dir" \
	--save '' --appendonly no > "$dir/log" 2>&1 &
server=$!
trap 'kill $server 2> /dev/null; wait $server 2> /dev/null; rm -rf "$dir"' EXIT

i=0
until env "$libs" "$redis/bin/redis-cli" -p $port ping > /dev/null 2>&1; do
	i=$((i + 1))
	if [ $i = 100 ] || ! kill -0 $server 2> /dev/null; then
		cat "$dir/log" >&2
		echo "demo: redis-server does not answer" >&2
		exit 1
	fi
	sleep 0.1
done

# 20 clients, 16,000 requests, and at most ten seconds of it. The benchmark draws
# its progress on one line: only its results are shown.
rc=0
gotrace record -F 99 -o "$out" -d 10 -- \
	env "$libs" "$redis/bin/redis-benchmark" -p $port -c 20 -n 8000 \
	-t set,get -q > "$dir/benchmark" || rc=$?
tr '\r' '\n' < "$dir/benchmark" | grep 'requests per second' || true
exit $rc
