#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# libgotrace as a program gets it: installed, found by pkg-config, in C and C++,
# shared and static; and on a machine without the device.
set -u
here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
# shellcheck source=SCRIPTDIR/../command.sh
. "$here/../command.sh"

dir=$said/lib
mkdir "$dir"
run 0 make -s -C "$top/tools" install DESTDIR="$dir/root" PREFIX=/opt/gotrace LIBDIR=/opt/gotrace/lib64
ok "it is installed"
export PKG_CONFIG_PATH=$dir/root/opt/gotrace/lib64/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dir/root
run 0 pkg-config --cflags --libs libgotrace &&
	is "$(cat "$said/out")" "-I$dir/root/opt/gotrace/include -L$dir/root/opt/gotrace/lib64 -lgotrace " flags &&
	is "$(pkg-config --modversion libgotrace)" "$("$top/build/bin/gotrace" --version | cut -d' ' -f2)" version
ok "pkg-config finds it"
lib=$dir/root/opt/gotrace/lib64

cat > "$dir/use.c" <<'USE'
#include <gotrace.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 300000

static int bad;
#define want(got, wanted) do {							\
	errno = 77;								\
	long long g = got;							\
	if (g != wanted || errno != 77)						\
		bad = printf("line %d: %lld, errno %d\n", __LINE__, g, errno);	\
} while (0)

static void all(void)
{
	want(gotrace_enabled(), 0);
	want(gotrace_task_create(0, "task"), 0);
	want(gotrace_task_create(-5, "task"), 0);
	want(gotrace_task_create(0, 0), 0);
	want(gotrace_task_end(0), 0);
	want(gotrace_task_end(-5), 0);
	want(gotrace_task_end(5), 0);
	want(gotrace_region_begin(0, "region"), 0);
	want(gotrace_region_end(0), 0);
	want(gotrace_region_end(5), 0);
	want(gotrace_log(0, "category", "message"), 0);
	want(gotrace_log(0, 0, "message"), 0);
	want(gotrace_logf(0, "category", "%d", 5), 0);
}

static void *thread(void *arg)
{
	for (int i = 0; i < CALLS; i++) {
		gotrace_region_end(gotrace_region_begin(0, "region"));
		gotrace_logf(0, 0, "%d", i);
	}
	return arg;
}

int main(void)
{
	pthread_t t[4];
	int status, fd;

	all();
	if (!fork()) {
		all();
		_exit(bad != 0);
	}
	if (wait(&status) < 0 || status)
		bad = 1;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], 0, thread, 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], 0);
	/* It holds no descriptor. */
	fd = open("/dev/null", O_RDONLY);
	if (fd != 3)
		bad = printf("descriptor %d\n", fd);
	return bad != 0;
}
USE
cp "$dir/use.c" "$dir/use.cc"
flags=$(pkg-config --cflags --libs libgotrace)

# limited COMMAND...: in a second or two of one CPU, 2.4 million calls of threads.
limited() { ( ulimit -t 4; exec "$@" ); }

if [ -e /dev/gotrace ]; then
	echo "# this machine has the device: what is without it, is not tested here"
else
	# shellcheck disable=SC2086	# flags
	run 0 gcc -std=c99 -D_POSIX_C_SOURCE=200809L -pedantic -Wall -Wextra -Werror -pthread \
		-o "$dir/shared" "$dir/use.c" $flags &&
		LD_LIBRARY_PATH=$lib run 0 limited "$dir/shared"
	ok "shared, without the device: nothing happens, fast"
	readelf -d "$dir/shared" | grep -q 'NEEDED.*\[libgotrace.so.0\]'
	ok "by its soname"
	# shellcheck disable=SC2086	# flags
	run 0 g++ -Wall -Wextra -Werror -pthread -o "$dir/cc" "$dir/use.cc" $flags &&
		LD_LIBRARY_PATH=$lib run 0 limited "$dir/cc"
	ok "from C++"
	# shellcheck disable=SC2046	# flags
	run 0 gcc -static -pthread $(pkg-config --cflags libgotrace) -o "$dir/static" "$dir/use.c" "$lib/libgotrace.a" &&
		run 0 limited "$dir/static"
	ok "static"
	run 0 "$top/build/examples/pipeline" 3
	ok "the example runs without the device"
fi
is "$(nm -D --defined-only "$lib/libgotrace.so" | awk '$2 == "T" && $3 !~ /^gotrace_/')" "" symbols
ok "it has no other symbols"

# ---- the command, without a device too

gotrace=$top/build/bin/gotrace
run 3 "$gotrace" annotate --task t --region r -c c -l m -- sh -c 'exit 3'
ok "annotate: the command's exit code"
run 143 "$gotrace" annotate --task t -- sh -c 'kill $$'
ok "annotate: the signal that killed it, with a task"
run 127 "$gotrace" annotate --region r -- /nonexistent && says "annotate: cannot run /nonexistent: No such file"
ok "annotate: a command that is not there"
run 127 "$gotrace" annotate --task r -- /nonexistent && says "annotate: cannot run /nonexistent: No such file"
ok "annotate: the same, with a task"
run 126 "$gotrace" annotate --region r -- /etc/passwd
ok "annotate: a command that cannot be run"
run 2 "$gotrace" annotate && says "nothing to do" && run 2 "$gotrace" annotate --task t &&
	says "which one?" && run 2 "$gotrace" annotate --category c -- true &&
	run 2 "$gotrace" annotate --region '' -- true && run 2 "$gotrace" annotate --log
ok "annotate: usage"
run 0 env GOTRACE_TASK=abc "$gotrace" annotate --region r -- true && says "is not the number of a task: 'abc'"
ok "annotate: \$GOTRACE_TASK of no sense is told, and the command runs"
run 1 env GOTRACE_TASK=-1 "$gotrace" annotate --log m
ok "annotate: and a message alone fails"
tap_done
