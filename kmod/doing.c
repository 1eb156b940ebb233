// SPDX-License-Identifier: GPL-2.0
/*
 * What the running task is doing, when its entry into the call was not seen or
 * is forgotten.
 */
#include "doing.h"

/*
 * Kept for the next time only while entries are seen, which refresh it: the
 * number alone does not tell a call from the same one of the other ABI.
 */
const struct gt_doing *gt_doing_find(struct gt_cpu *c)
{
	c->doing.goid = gt_options.syscalls == GOTRACE_SYSCALLS_OFF ? 0 : c->cur->goid;
	c->doing.nr = gt_arch_call_nr();
	c->doing.call = gt_call_get();
	c->doing.stack = gt_stack_put2(c->doing.call.name, c->cur->comm);
	return &c->doing;
}
