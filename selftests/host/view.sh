#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# gotrace view: who may ask, and that what the page gets is what the report and the
# export say (view_check.py). The page itself is looked at by `make check-browser`.
# Needs no module and no guest. TAP on stdout.
set -u

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"
tmp=$said

canned=$("$top/selftests/fetch/fetch.sh" go 1.21)/src/internal/trace/testdata || { echo "Bail out! no Go"; exit 1; }
make -s -C "$top/tools" sanitize > /dev/null || exit 1
san=$top/build/san/gotrace
known=$PWD/known.trace
python3 "$here/report_trace.py" "$known" && python3 "$here/export_trace.py" "$PWD/odd.trace" || exit 1

pid='' url=''
# serve COMMAND...: until stops, or the next one; its address is in $url.
serve() {
	[ -z "$pid" ] || kill "$pid"
	: > "$tmp/url"
	"$@" > "$tmp/url" 2> "$tmp/log" < "${input:-/dev/null}" &
	pid=$!
	for _ in {1..100}; do
		[ ! -s "$tmp/url" ] || break
		kill -0 $pid 2> /dev/null || break
		sleep 0.1
	done
	url=$(cat "$tmp/url")
	[[ $url =~ ^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$ ]] || { cat "$tmp/log" "$tmp/url" > "$tmp/err"; return 1; }
}
# stops SIGNAL STATUS
stops() {
	local rc=0
	kill -"$1" "$pid"
	wait "$pid" || rc=$?
	pid=''
	cp "$tmp/log" "$tmp/err"
	is $rc "$2" "exit code after SIG$1" && [ ! -s "$tmp/log" ]
}
trap '[ -z "$pid" ] || kill $pid 2> /dev/null; rm -rf "$said"' EXIT

# http STATUS CURL-OPTION...
http() {
	local want=$1 got
	shift
	got=$(curl -s -o "$tmp/out" -D "$tmp/head" -w '%{http_code}' "$@" 2> "$tmp/err")
	is "$got" "$want" "HTTP status of $*"
}

serve "$san" view --no-browser "$known"
ok "it says where it is"
port=${url#*1:} port=${port%%/*}
tap_is "it listens on loopback alone" "0100007F:$(printf %04X "$port")" \
	"$(awk -v p=":$(printf %04X "$port")\$" '$4 == "0A" && $2 ~ p { print $2 }' /proc/net/tcp /proc/net/tcp6)"

# ---- Who may ask
base=http://127.0.0.1:$port
token=${url%/} token=${token##*/}
http 200 "$url" && prints '<script src="view.js"' && grep -qi '^content-type: text/html' "$tmp/head"
ok "the page"
grep -qi "^content-security-policy: default-src 'none'; script-src 'self';" "$tmp/head" &&
	grep -qi '^x-content-type-options: nosniff' "$tmp/head" && ! grep -qi '^access-control' "$tmp/head"
ok "nothing else than its own may run in it, and nobody else may read it"
http 200 "${url}view.js" && http 200 "${url}view.css" && http 200 "${url}licenses.txt" && prints "d3-flame-graph"
ok "what it is made of"
cat "$top"/build/view/{index.html,view.js,view.css} > "$tmp/all"
tap_is "it names no other host" "" "$(grep -oE '(https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^"'"'"' ]*' "$tmp/all" | grep -v '^http://www.w3.org/' | sort -u)"
refused() { http 403 "${@:2}" && ! prints '"tasks"'; ok "refused: $1"; }
refused "no word" "$base/api/trace"
refused "another word" "$base/${token/[0-9]/x}/api/trace"
refused "half of it" "$base/${token:0:16}/api/trace"
refused "the word alone" "$base/$token"
refused "more than the word" "$base/${token}0/api/trace"
refused "another name for this host" -H "Host: evil.example:$port" "${url}api/trace"
refused "another port" -H "Host: 127.0.0.1:1" "${url}api/trace"
refused "no name" -0 -H "Host:" "${url}api/trace"
http 200 -H "Host: localhost:$port" "${url}api/trace" && prints '"tasks"'
ok "localhost is a name of it"
http 405 -X POST -d x=1 "${url}api/trace"
ok "nothing can be sent to it"
http 200 -I "${url}view.js"
ok "HEAD"
http 404 "${url}nothing" && http 404 "${url}api/nothing" && http 404 "${url}../../etc/passwd" --path-as-is
ok "what is not there"

# ---- What it says
agrees() {
	local want=$1 trace=$2 rc=0
	python3 "$here/view_check.py" "$url" "$san" "$trace" > "$tmp/out" 2> "$tmp/err" || rc=$?
	figures=$(cat "$tmp/out")
	[ $rc = 0 ] && stops TERM "$want"
}
python3 "$here/view_check.py" --known "$url" > "$tmp/out" 2> "$tmp/err"
ok "the known trace: sleeps, wakers, losses, messages"
python3 "$here/view_check.py" --odd "$url" > "$tmp/out" 2> "$tmp/err"
ok "questions that make no sense"
python3 "$here/view_check.py" --gone "$url" > "$tmp/out" 2> "$tmp/err"
ok "who asks and does not wait for the answer"
agrees 3 "$known"
ok "what it says agrees with report and export: known ($figures)"
for t in odd "$canned"/{http_1_19,stress_1_19,user_task_region_1_21}_good "$top"/selftests/cases/good/full; do
	[ -e "$t" ] || t=$t.trace
	serve "$san" view --no-browser "$t" && agrees 0 "$t"
	ok "agrees: ${t##*/} ($figures)"
done

# ---- Beginning and end
input=$known serve "$san" view --no-browser - && http 200 "${url}api/trace" && prints '"name":"standard input"' && stops TERM 3
ok "standard input"
for sig in INT TERM HUP; do
	serve gotrace view --no-browser "$known" && stops $sig 3
	ok "SIG$sig ends it, and events were lost"
done
serve gotrace view --no-browser "$known"
port=${url#*1:} port=${port%%/*}
run 1 gotrace view --no-browser --port "$port" "$known" && says "cannot listen on 127.0.0.1:$port"
ok "a port that is taken"
stops TERM 3
serve gotrace view --no-browser --port "$port" "$known" && is "${url#*1:}" "$port/${url##*:"$port"/}" "the port" && stops INT 3
ok "a port that was asked for"

head -c 300 "$known" > "$tmp/cut"
run 1 "$san" view --no-browser "$tmp/cut" && says "gotrace view: $tmp/cut: offset" && [ ! -s "$tmp/out" ]
ok "a broken trace has no page"
echo hello > "$tmp/text"
run 1 "$san" view --no-browser "$tmp/text" && says "text: offset 0"
ok "something else"
run 1 "$san" view /nonexistent && says "No such file"
ok "no file"
run 1 env TMPDIR=/nonexistent "$san" view --no-browser "$known" && says "set TMPDIR"
ok "nowhere to put its records"
while read -r text options; do
	# shellcheck disable=SC2086	# words
	run 2 "$san" view $options && says "${text//_/ }"
	ok "wrong usage: $options"
done <<-'USAGE'
	which_trace?
	what_to_do a b
	--port --port 0 x
	--port --port 70000 x
	for_a_file --go -
	Go's_viewer --go --no-browser x
USAGE

# ---- Other programs
mkdir "$tmp/bin"
cat > "$tmp/bin/xdg-open" <<-E
	#!/bin/sh
	stat -c %a "\$1" > $tmp/opened.tmp
	cat "\$1" >> $tmp/opened.tmp
	echo "\$*" > $tmp/arg
	mv $tmp/opened.tmp $tmp/opened
E
cat > "$tmp/bin/go" <<-E
	#!/bin/sh
	echo "\$*"
E
chmod +x "$tmp"/bin/*
serve env DISPLAY=:99 XDG_RUNTIME_DIR="$tmp" PATH="$tmp/bin:$PATH" gotrace view "$known"
for _ in {1..50}; do [ ! -e "$tmp/opened" ] || break; sleep 0.1; done
is "$(head -n 1 "$tmp/opened")" 600 "mode of the file" && grep -qF "url=$url'" "$tmp/opened" &&
	! grep -q "$(basename "$url")" "$tmp/arg" && page=$(cat "$tmp/arg") && [ -e "$page" ] && stops INT 3 && [ ! -e "$page" ]
ok "a browser gets the address in a file that is the user's, for as long as it is good"
rm -f "$tmp/opened"
serve env -u DISPLAY -u WAYLAND_DISPLAY PATH="$tmp/bin:$PATH" gotrace view "$known" && stops INT 3 && [ ! -e "$tmp/opened" ]
ok "none is opened where there is no screen"
run 0 env PATH="$tmp/bin:$PATH" gotrace view --go --port 8000 "$known" &&
	is "$(cat "$tmp/out")" "tool trace -http=127.0.0.1:8000 $known" "go"
ok "--go"
run 1 gotrace view --go /nonexistent && says "No such file"
ok "--go without a file"

# ---- Memory: of tasks and names, not of events
anon() { awk '/^RssAnon/ { print $2 }' "/proc/$pid/status"; }
kb=()
for n in 20 400; do
	python3 "$here/view_trace.py" $n "$tmp/$n.trace"
	serve gotrace view --no-browser "$tmp/$n.trace" && http 200 "${url}api/hists" && http 200 "${url}api/flame?what=offcpu" &&
		kb[n]=$(anon) && stops TERM 0
	ok "a trace of ${n}000 events"
done
tap_num "20 times the events take less than 5 MB more memory (${kb[20]:-0} and ${kb[400]:-0} KB)" "$((kb[400] - kb[20]))" -lt 5000

tap_done
