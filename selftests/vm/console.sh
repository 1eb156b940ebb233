# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What a kernel's console must not say. Sourced.

# Anything of these is a failed run, whatever the command said.
CONSOLE_BAD='WARNING:|BUG:|Oops|Call Trace:|Kernel panic|INFO: (rcu|possible|task|trying|suspicious|NMI handler)|rcu: INFO|RCU.*stall|possible circular locking|possible recursive locking|inconsistent lock state|suspicious RCU usage|KASAN|KCSAN:|UBSAN|kmemleak: [1-9]|unregister_netdevice|general protection fault|Unable to handle|refcount_t:|list_(add|del) corruption|sysfs: cannot create|DEBUG_LOCKS|sleeping function called|scheduling while atomic|unable to handle|bad page|Bad page|gotrace: (BUG|bug)|scheduling from'

# Harmless, although it matches.
CONSOLE_FINE='kmemleak: Kernel memory leak detector|kasan: KernelAddressSanitizer initialized|kcsan: enabled|DEBUG_LOCKS_WARN_ON_'

# Modules of ours. Of the kernel's own data races KCSAN finds many.
CONSOLE_OURS='\[(gotrace|faulty)\]'

# What the kernel says of memory that failnth_test.c let be short.
CONSOLE_INJECTED='failnth_test: (vmalloc error|page allocation failure)'
CONSOLE_INJECTED_WARNING='WARNING: .* at kernel/jump_label[.]c:[0-9]* jump_label_(module_notify|del_module)'

# console_lines FILE: without carriage returns and the firmware's colours, and
# without KCSAN's reports in which no function of ours is named, and what was
# injected.
console_lines() {
	tr -d '\r' < "$1" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\x1bc//g' |
		awk -v ours="$CONSOLE_OURS" -v injected="$CONSOLE_INJECTED" \
			-v warning="$CONSOLE_INJECTED_WARNING" '
		function drop() { held = ""; in_report = in_warning = in_shortage = 0 }
		in_shortage {
			in_shortage = !/ pages reserved/
			next
		}
		$0 ~ injected { in_shortage = 1; next }
		/\[ cut here \]/ { in_warning = 1; is_injected = 0 }
		in_warning {
			held = held $0 "\n"
			is_injected = is_injected || $0 ~ warning
			if (/---\[ end trace/) {
				if (!is_injected)
					printf "%s", held
				drop()
			}
			next
		}
		/BUG: KCSAN:/ { in_report = 1; is_ours = 0 }
		in_report {
			held = held $0 "\n"
			is_ours = is_ours || $0 ~ ours
			if (/====================/) {
				if (is_ours)
					printf "%s", held
				drop()
			}
			next
		}
		{ print }
		END { printf "%s", held }'
}

# console_bad FILE: print the part around the first bad line; fails if none.
console_bad() {
	console_lines "$1" | awk -v bad="$CONSOLE_BAD" -v fine="$CONSOLE_FINE" '
		{ line[NR] = $0 }
		# What follows is the dump of a time-out, no bug of the kernel.
		/vm: time-out is near/ { exit }
		!at && $0 ~ bad && $0 !~ fine { at = NR }
		END {
			if (!at)
				exit 1
			for (i = at - 8; i <= at + 70 && i <= NR; i++)
				if (i > 0)
					print line[i]
		}'
}
