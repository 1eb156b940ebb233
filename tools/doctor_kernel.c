// SPDX-License-Identifier: GPL-2.0
/* What recording needs of the kernel, the module and who asks; see doctor.h. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dev.h"
#include "doctor.h"

/* Where installed modules lie, below /lib/modules/RELEASE. */
#define MODULE "{updates,updates/dkms,extra,extra/dkms}/gotrace.ko*"

static char release[80];	/* of the kernel */
static bool loaded;		/* the module is */
static char module_file[4096];	/* that would be loaded; "" if there is none */

/* A word of the kernel's configuration. True too where nobody kept it. */
static bool has_config(const char *name)
{
	FILE *f = open_file("/boot/config-%s", release);
	char line[256];
	bool has = false;

	if (!f)
		return true;
	while (!has && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "=\n")] = '\0';
		has = !strcmp(line, name);
	}
	fclose(f);
	return has;
}

void check_kernel(struct finding *f)
{
	static const char *const needed[] = {
		"CONFIG_MODULES", "CONFIG_TRACEPOINTS",
		"CONFIG_HAVE_SYSCALL_TRACEPOINTS",
	};
	unsigned int major = 0, minor = 0;
	struct utsname u;
	char arch[80];

	first_line(release, sizeof(release), "/proc/sys/kernel/osrelease");
	if (!first_line(arch, sizeof(arch), "/proc/sys/kernel/arch")) {
		uname(&u);	/* before 6.1 */
		snprintf(arch, sizeof(arch), "%s", u.machine);
	}
	if (sscanf(release, "%u.%u", &major, &minor) != 2) {
		found(f, DOCTOR_MISSING, "/proc does not say which kernel this is");
		todo(f, "mount -t proc proc /proc");
		return;
	}
	if (strcmp(arch, "x86_64")) {
		found(f, DOCTOR_MISSING, "%s on %s, and the module is for x86_64",
		      release, arch);
		todo(f, "record elsewhere; a trace can be looked at here");
		return;
	}
	if (major < 5 || (major == 5 && minor < 10)) {
		found(f, DOCTOR_MISSING, "%s, and the module wants 5.10 or later",
		      release);
		todo(f, "boot a newer kernel");
		return;
	}
	if (!exists("/proc/modules")) {
		found(f, DOCTOR_MISSING, "%s cannot load modules", release);
		todo(f, "boot a kernel with CONFIG_MODULES, or a guest with one: make demo");
		return;
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (has_config(needed[i]))
			continue;
		found(f, DOCTOR_MISSING, "%s was built without %s", release,
		      needed[i]);
		todo(f, "boot one that has it, as distributions' kernels do");
		return;
	}
	found(f, DOCTOR_OK, "%s on %s", release, arch);
}

static void check_loaded(struct finding *f)
{
	char version[80];

	loaded = true;
	if (!exists(GOTRACE_DEVICE)) {
		found(f, DOCTOR_MISSING, "loaded, but there is no " GOTRACE_DEVICE);
		todo(f, "in a container: let it have the host's device");
	} else if (first_line(version, sizeof(version),
			      "/sys/module/gotrace/version") &&
		   strcmp(version, GOTRACE_VERSION)) {
		found(f, DOCTOR_NOTE, "loaded is version %s, this command is "
		      GOTRACE_VERSION, version);
		todo(f, "rmmod gotrace; gotrace record loads the one installed");
	} else {
		found(f, DOCTOR_OK, "loaded");
	}
}

/* Does depmod know it? Else modprobe does not. */
static bool in_modules_dep(void)
{
	FILE *f = open_file("/lib/modules/%s/modules.dep", release);
	char line[4096];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, "/gotrace.ko");
	if (f)
		fclose(f);
	return found;
}

static void no_module(struct finding *f)
{
	char other[4096], *end, *name;

	if (find_file(other, sizeof(other), "/var/lib/dkms/gotrace/*/build/make.log")) {
		found(f, DOCTOR_MISSING, "DKMS could not build it for %s", release);
		todo(f, "see %s", other);
		return;
	}
	if (find_file(other, sizeof(other), "/lib/modules/*/" MODULE)) {
		name = strstr(other, "/lib/modules/") + strlen("/lib/modules/");
		end = strchr(name, '/');
		found(f, DOCTOR_MISSING, "it is there for kernel %.*s, but %s runs",
		      (int)(end - name), name, release);
		todo(f, exists("/var/lib/dkms/gotrace") ?
		     "dkms autoinstall -k %s, once its headers are there" :
		     "make && make install in the sources, for %s", release);
		return;
	}
	found(f, DOCTOR_MISSING, "not installed");
	todo(f, "install gotrace-dkms (make deb), or make && make install in the sources");
}

void check_module(struct finding *f)
{
	const char *ko = getenv("GOTRACE_KO");

	if (exists("/sys/module/gotrace")) {
		check_loaded(f);
	} else if (ko && *ko) {
		if (access(ko, R_OK)) {
			found(f, DOCTOR_MISSING, "$GOTRACE_KO is %s: %m", ko);
			todo(f, "name a file gotrace.ko there, or nothing");
			return;
		}
		snprintf(module_file, sizeof(module_file), "%s", ko);
		found(f, DOCTOR_OK, "not loaded; record does it, from %s", ko);
	} else if (!find_file(module_file, sizeof(module_file),
			      "/lib/modules/%s/" MODULE, release)) {
		no_module(f);
	} else if (!in_modules_dep()) {
		found(f, DOCTOR_MISSING, "installed, but modprobe does not know it");
		todo(f, "depmod -a");
	} else {
		found(f, DOCTOR_OK, "installed; record loads it");
	}
}

void check_headers(struct finding *f)
{
	bool headers = exists("/lib/modules/%s/build/Makefile", release);

	if (loaded || *module_file) {
		found(f, DOCTOR_OK, headers ? "there" :
		      "not there, and nothing needs to be built");
	} else if (!headers) {
		char package[100];

		found(f, DOCTOR_MISSING, "no headers of %s to build the module with",
		      release);
		snprintf(package, sizeof(package), "linux-headers-%s", release);
		todo_install(f, package);
	} else if (!in_path("gcc") || !in_path("make")) {
		found(f, DOCTOR_MISSING, "there, but no gcc or no make");
		todo_install(f, "gcc make");
	} else {
		found(f, DOCTOR_OK, "there, gcc and make too");
	}
}

static bool secure_boot(void)
{
	FILE *f = open_file("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
	unsigned char value[5] = { 0 };	/* four of attributes, and the one that says it */
	size_t n = 0;

	if (f) {
		n = fread(value, 1, sizeof(value), f);
		fclose(f);
	}
	return n == sizeof(value) && value[4] == 1;
}

/* A signature is at the end of the file; of a compressed one nobody sees it. */
static bool is_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	char end[sizeof(mark) - 1];
	FILE *f = fopen(path, "re");
	bool is = false;

	if (!f)
		return false;
	if (!fseek(f, -(long)sizeof(end), SEEK_END) &&
	    fread(end, 1, sizeof(end), f) == sizeof(end))
		is = !memcmp(end, mark, sizeof(end));
	fclose(f);
	return is;
}

static bool locked_down(const char *level)
{
	char line[80], word[40];

	snprintf(word, sizeof(word), "[%s]", level);
	return first_line(line, sizeof(line), "/sys/kernel/security/lockdown") &&
	       strstr(line, word);
}

void check_signature(struct finding *f)
{
	char enforce[8] = "", *ko = strstr(module_file, ".ko");
	bool packed = ko && ko[3];

	first_line(enforce, sizeof(enforce), "/sys/module/module/parameters/sig_enforce");
	if (loaded) {
		found(f, DOCTOR_OK, "the kernel has taken it");
		return;
	}
	if (enforce[0] != 'Y' && !locked_down("integrity") &&
	    !locked_down("confidentiality")) {
		found(f, DOCTOR_OK, "this kernel loads modules without one");
		return;
	}
	if (!*module_file || (!packed && !is_signed(module_file)))
		found(f, DOCTOR_MISSING, "%sthis kernel loads signed modules only%s",
		      secure_boot() ? "Secure Boot: " : "",
		      *module_file ? ", and this one is not" : "");
	else
		found(f, DOCTOR_NOTE, "%sthe kernel must know the key that signed the module",
		      secure_boot() ? "Secure Boot: " : "");
	if (exists("/var/lib/dkms/mok.pub")) {
		todo(f, "mokutil --import /var/lib/dkms/mok.pub, once; then reboot, and enroll it in the blue menu");
		if (f->state == DOCTOR_MISSING)
			todo(f, "dkms install --force gotrace/" GOTRACE_VERSION " signs with that key");
		return;
	}
	todo(f, "openssl req -new -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=gotrace/ -outform DER -keyout mok.key -out mok.pub");
	todo(f, "mokutil --import mok.pub, once; then reboot, and enroll it in the blue menu");
	todo(f, "/lib/modules/%s/build/scripts/sign-file sha256 mok.key mok.pub %s", release,
	     *module_file ? module_file : "gotrace.ko");
	todo(f, "or install the package dkms, which does all but the import");
}

void check_lockdown(struct finding *f)
{
	if (locked_down("confidentiality")) {
		found(f, DOCTOR_MISSING, "confidentiality: the kernel does not let itself be traced");
		todo(f, "boot without lockdown=confidentiality");
	} else {
		found(f, DOCTOR_OK, locked_down("integrity") ?
		      "integrity, which allows tracing" : "none");
	}
}

/* What the kernel lets this process do. */
static uint64_t capabilities(void)
{
	FILE *f = open_file("/proc/self/status");
	char line[256];
	uint64_t caps = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %" SCNx64, &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps;
}

#define HAS(caps, cap) ((caps) >> (cap) & 1)

/* The numbers are the kernel's for ever, the names newer than some headers. */
#define PERFMON 38

void check_rights(struct finding *f)
{
	uint64_t caps = capabilities();
	unsigned long inside, outside, count;
	char map[80], dev[4096];

	if (first_line(map, sizeof(map), "/proc/self/uid_map") &&
	    sscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
	    (inside || outside || count != UINT32_MAX)) {
		found(f, DOCTOR_MISSING, "in a user namespace, whose root is nobody here");
		todo(f, "ask outside of the container");
		return;
	}
	if (!HAS(caps, PERFMON) && !HAS(caps, CAP_SYS_ADMIN)) {
		found(f, DOCTOR_MISSING, "neither root nor CAP_PERFMON");
		todo(f, "as root; or see RIGHTS in gotrace(4)");
		return;
	}
	if (!loaded && !HAS(caps, CAP_SYS_MODULE)) {
		found(f, DOCTOR_MISSING, "CAP_PERFMON, but the module is not loaded and only root may do it");
		todo(f, "modprobe gotrace as root; echo gotrace > /etc/modules-load.d/gotrace.conf for each boot");
		return;
	}
	if (loaded && find_file(dev, sizeof(dev), GOTRACE_DEVICE) &&
	    faccessat(AT_FDCWD, dev, R_OK | W_OK, AT_EACCESS)) {
		found(f, DOCTOR_MISSING, "CAP_PERFMON, but no permission for %s", dev);
		todo(f, "usermod -a -G gotrace USER, and log in again");
		return;
	}
	if (!HAS(caps, CAP_SYSLOG)) {
		found(f, DOCTOR_NOTE, "all but CAP_SYSLOG, for --raw");
		return;
	}
	found(f, DOCTOR_OK, "all");
}

void check_session(struct finding *f)
{
	struct gotrace_status st = { 0 };
	int fd = -1;

	/* Another system's has no session that we could ask for. */
	if (!*doctor_root)
		fd = open(GOTRACE_DEVICE, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && dev_status(fd, &st))
		st.state = GOTRACE_STATE_NONE;
	if (fd >= 0)
		close(fd);
	switch (st.state) {
	case GOTRACE_STATE_NONE:
		found(f, DOCTOR_OK, "none is in the way");
		break;
	case GOTRACE_STATE_DRAINING:
		found(f, DOCTOR_MISSING, "the last one's trace was not read to its end");
		todo(f, "cat " GOTRACE_DEVICE " >FILE keeps the rest, gotrace record --discard drops it");
		break;
	default:
		found(f, DOCTOR_MISSING, "one is being traced");
		todo(f, "gotrace stop ends it, gotrace status shows it");
		break;
	}
}

void check_clock(struct finding *f)
{
	static const char dir[] = "/sys/devices/system/clocksource/clocksource0";
	char now[80], all[256], words[260];

	first_line(now, sizeof(now), "%s/current_clocksource", dir);
	first_line(all, sizeof(all), "%s/available_clocksource", dir);
	snprintf(words, sizeof(words), " %s ", all);
	/* The kernel takes it from the list when it finds it unstable. */
	if (!strcmp(now, "tsc") || strstr(words, " tsc ")) {
		found(f, DOCTOR_OK, "the TSC");
		return;
	}
	found(f, DOCTOR_NOTE, "the kernel does not trust the TSC: times are CLOCK_MONOTONIC's (%s), which costs more an event",
	      *now ? now : "unknown");
	todo(f, "tsc=reliable on the kernel's command line if you know better, or --clock tsc");
}
