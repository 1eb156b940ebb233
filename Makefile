# SPDX-License-Identifier: GPL-2.0
# gotrace: what people type. The module's objects are in Kbuild.

# KVER says the kernel to build the module for:
#   nothing		the running one, or KDIR=folder of its headers
#   6.1, newest, ...	Debian's, fetched into the cache (selftests/fetch)
#   anything else	/lib/modules/$(KVER)/build
FETCH	:= selftests/fetch/fetch.sh

ifdef KVER
  ifneq ($(filter $(KVER),$(shell $(FETCH) --kernels)),)
    KDIR = $(shell $(FETCH) kernel $(KVER))/build
    # Debian's headers name the compiler of their suite, and options that
    # this machine's may not know; BTF needs a vmlinux that is not there.
    KMAKE = CC=$(CC) CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= \
	    CONFIG_DEBUG_INFO_BTF_MODULES= \
	    PAHOLE_VERSION='$$(CONFIG_PAHOLE_VERSION)'
  endif
  KNAME := $(KVER)
else ifdef KDIR
  KNAME := $(notdir $(KDIR:/build=))
else
  KNAME := $(shell uname -r)
endif
KDIR	?= /lib/modules/$(KNAME)/build
CC	:= gcc

# The module is built in a folder of its own for each kernel, of links to the
# sources: neither the tree nor another kernel's objects are touched.
KMOD	:= build/kmod-$(KNAME)
KSRC	:= Kbuild VERSION kmod uapi
GMOD	:= build/guest-$(KNAME)

# The kernels that the tests run with: an older one has not what the module
# needs, a newer one may have changed (kmod/compat.h).
OLDEST	:= 5.10
NEWEST	:= 7.3

.DEFAULT_GOAL := all

all: modules tools ## Build the module and the tools

modules: ## Build gotrace.ko; for another kernel with KVER= or KDIR=
	@test -e "$(KDIR)/Makefile" || { \
		echo "No kernel headers in '$(KDIR)'." >&2; \
		echo "Install linux-headers-$(KNAME), or say KDIR=, or KVER=6.1 to build for a guest." >&2; \
		exit 1; }
	@selftests/vm/link-sources.sh $(KMOD) $(KSRC)
	@v=$$($(MAKE) -s --no-print-directory -C "$(KDIR)" $(KMAKE) kernelversion); \
	printf '%s\n' $(OLDEST) "$$v" | sort -V -C || { \
		echo "gotrace needs Linux $(OLDEST) or newer, and '$(KDIR)' is of $$v." >&2; exit 1; }; \
	$(MAKE) -C "$(KDIR)" M=$(CURDIR)/$(KMOD) $(KMAKE) modules && exit; \
	printf '%s\n' "$$v" $(NEWEST).999 | sort -V -C || \
		echo "gotrace knows Linux up to $(NEWEST), and does not build for $$v: kmod/compat.h is where to tell it what changed." >&2; \
	exit 1

# What a guest needs beside gotrace.ko (selftests/vm/vm.sh).
guest-module:
	@selftests/vm/link-sources.sh $(GMOD) selftests/vm/module
	$(MAKE) -C "$(KDIR)" M=$(CURDIR)/$(GMOD)/selftests/vm/module $(KMAKE) modules

tools: ## Build the gotrace command
	$(MAKE) -C tools

selftests: ## Build the tests' programs
	$(MAKE) -C selftests

man: tools ## Make the manual pages, in build/man
	$(MAKE) -C tools man

install: install-module install-system install-tools ## Install all of it (DESTDIR=, PREFIX=, KVER=)

install-module: modules
	$(MAKE) -C "$(KDIR)" M=$(CURDIR)/$(KMOD) $(KMAKE) \
		INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates \
		CONFIG_MODULE_SIG_ALL= modules_install
	# kbuild leaves depmod out where the headers come without System.map.
	$(if $(DESTDIR),,depmod $$(modinfo -F vermagic $(KMOD)/gotrace.ko | cut -d" " -f1))

# The device's rights: who administers a machine has them in /etc, a package
# somewhere else.
CONFDIR	?= /etc

install-system:
	install -D -m 644 system/gotrace.sysusers $(DESTDIR)$(CONFDIR)/sysusers.d/gotrace.conf
	install -D -m 644 system/gotrace.rules $(DESTDIR)$(CONFDIR)/udev/rules.d/60-gotrace.rules
	install -D -m 644 system/gotrace.modprobe $(DESTDIR)$(CONFDIR)/modprobe.d/gotrace.conf
	# Where there is no systemd, the device stays root's.
	$(if $(DESTDIR),,-systemd-sysusers && udevadm control --reload)

install-tools: tools
	$(MAKE) -C tools install

deb: ## Make Debian packages, in build/deb
	@debian/build.sh

check-deb: deb ## Install them in a fresh Debian, build the module by dkms, load it in a guest
	@selftests/deb.sh

check-browser: ## Use the page of gotrace view in a headless Chromium, also with ten million events
	@selftests/browser.sh

check: ## Run all tests, in guests; T=name for one, KVER=, HOST=1, ALLOW_SKIP=1
	@selftests/run.sh $(T)

check-debug: ## Run them in kernels with checkers: KASAN and the rest, and KCSAN; T=, KVER=
	@selftests/debug.sh $(T)

soak: ## Sessions without end under full load, for SOAK_MINUTES (60); KVER=
	@selftests/soak/run.sh

reliability: ## Put together docs/reliability.md from what these left
	@selftests/reliability.sh

check-matrix: ## Run the tests that need the module in each kernel known; T=name for one, KVER=
	@selftests/matrix.sh $(T)

fuzz: ## Fuzz what reads traces, for SECONDS (3600)
	@mkdir -p build/fuzz
	cd build/fuzz && $(CURDIR)/selftests/fuzz/run.sh $(or $(SECONDS),3600)
	@sed 's/^stat::number_of_executed_units: */# figure: traces read by the fuzzer /' build/fuzz/run.log | \
		bash -c '. selftests/figures.sh && figures_keep host "make fuzz"'

demo: ## Trace a real workload and print what to open
	@selftests/demo.sh

events: ## Record a trace with every event there is, and write docs/events.md
	@selftests/events/run.sh

formats: ## Open every output with another program, and write docs/formats.md; TRACE=
	@selftests/formats.sh

bench: ## Count what tracing costs, beside ftrace
	@selftests/bench.sh

bench-read: ## Measure how fast traces are read, beside Go's parser, and write docs/reading.md
	@selftests/bench-read.sh

lint: ## Check style and headers: sparse, shellcheck, checkpatch, uapi alone
	@selftests/lint.sh

deps: ## Install the Debian packages that building and testing need
	@selftests/fetch/deps.sh

clean: ## Remove what was built; the cache of fetched packages stays
	rm -rf build

help: ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: all modules tools man selftests install install-module install-system \
	install-tools deb check-deb check-browser check check-matrix check-debug soak \
	reliability fuzz demo events formats bench bench-read lint deps clean help
