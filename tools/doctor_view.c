// SPDX-License-Identifier: GPL-2.0
/* What names and looking at traces need; see doctor.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

void check_symbols(struct finding *f)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char path[4096];

	if (urls && *urls) {
		if (find_file(path, sizeof(path),
			      "{/usr,}/lib{64,/*,}/libdebuginfod.so.1")) {
			found(f, DOCTOR_OK, "debuginfod, from %s", urls);
		} else {
			found(f, DOCTOR_NOTE, "$DEBUGINFOD_URLS is set, but there is no libdebuginfod");
			todo_install(f, "libdebuginfod1");
		}
		return;
	}
	if (find_file(path, sizeof(path), "/usr/lib/debug/.build-id/??")) {
		found(f, DOCTOR_OK, "of some programs, in /usr/lib/debug");
		return;
	}
	found(f, DOCTOR_NOTE, "none: functions of stripped programs stay offsets");
	todo(f, "export DEBUGINFOD_URLS=https://debuginfod.debian.net, or your distribution's");
	todo(f, "or install the -dbgsym packages of what you trace");
}

void check_kptr(struct finding *f)
{
	char line[16];

	/* Names come from the kernel itself. */
	if (first_line(line, sizeof(line), "/proc/sys/kernel/kptr_restrict") &&
	    atoi(line) >= 2) {
		found(f, DOCTOR_NOTE, "kptr_restrict is %s: what --raw shows cannot be found in /proc/kallsyms",
		      line);
		todo(f, "sysctl kernel.kptr_restrict=1");
	} else {
		found(f, DOCTOR_OK, "of the kernel, for who has CAP_SYSLOG and says --raw");
	}
}

/* The minor number of Go 1.N; -1 if that is no Go. */
static int go_minor(const char *go)
{
	char command[4200], line[256] = "", *at;
	int minor = -1;
	FILE *p;

	snprintf(command, sizeof(command), "'%s' version 2>/dev/null", go);
	p = popen(command, "re");
	if (!p)
		return -1;
	if (fgets(line, sizeof(line), p) && (at = strstr(line, " go1.")))
		minor = atoi(at + strlen(" go1."));
	pclose(p);
	return minor;
}

void check_go(struct finding *f)
{
	char go[4096] = "go";
	bool here = in_path("go");
	int minor = -1;

	if (here || find_file(go, sizeof(go), "/usr/{lib/go-1.??,local/go}/bin/go"))
		minor = go_minor(go);
	if (minor < 0) {
		found(f, DOCTOR_MISSING, "no Go to open traces with");
		todo_install(f, "golang-go");
		todo(f, "or from https://go.dev/dl; 1.21 or later");
	} else if (minor < 19) {
		found(f, DOCTOR_MISSING, "Go 1.%d is too old for these traces", minor);
		todo(f, "1.21 or later, from backports or https://go.dev/dl");
	} else if (minor < 21) {
		found(f, DOCTOR_NOTE, "Go 1.%d opens what was recorded with --format 1.19",
		      minor);
		todo(f, "1.21 or later, from backports or https://go.dev/dl, for the rest");
	} else if (!here) {
		found(f, DOCTOR_NOTE, "Go 1.%d is not in $PATH", minor);
		todo(f, "%s tool trace FILE", go);
	} else {
		found(f, DOCTOR_OK, "Go 1.%d: go tool trace FILE", minor);
	}
}

void check_graphviz(struct finding *f)
{
	if (in_path("dot")) {
		found(f, DOCTOR_OK, "there");
		return;
	}
	found(f, DOCTOR_NOTE, "not there: the viewer's profile pages stay empty");
	todo_install(f, "graphviz");
}
