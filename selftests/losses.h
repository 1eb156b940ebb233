/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was lost, as STATUS and as the trace has it, and readers who lose nothing
 * although they die.
 */
#ifndef SELFTESTS_LOSSES_H
#define SELFTESTS_LOSSES_H

#include "device.h"
#include "trace.h"

#include <sys/uio.h>

#define GT_MAX_CPUS	64

/* STATUS with each CPU's part. */
struct gt_losses {
	struct gotrace_status st;
	struct gotrace_cpu_status cpus[GT_MAX_CPUS];
};

GT_HELPER int gt_losses_ask(int ctl, struct gt_losses *l)
{
	memset(&l->st, 0, sizeof(l->st));
	l->st.size = sizeof(l->st);
	l->st.cpus_addr = (uintptr_t)l->cpus;
	l->st.cpus_len = GT_MAX_CPUS;
	l->st.cpu_size = sizeof(l->cpus[0]);
	return gt_ioctl(ctl, GOTRACE_IOC_STATUS, &l->st);
}

/*
 * What the trace says of its gaps, in UserLogs "lost N events on cpu C in T ns",
 * against the last STATUS. 0, or 1 after a line about the difference.
 */
GT_HELPER int gt_losses_differ(const struct gt_losses *l, const void *trace, size_t len)
{
	uint64_t lost[GT_MAX_CPUS] = { 0 }, gaps[GT_MAX_CPUS] = { 0 }, sum = 0;
	struct gt_record r;
	struct gt_walk w;
	int ret = gt_walk_init(&w, trace, len);
	unsigned int i;

	while (!ret && (ret = gt_walk_next(&w, &r)) > 0) {
		unsigned long long n, ns;
		unsigned int cpu;
		char text[128];

		ret = 0;
		if (r.type != GT_USER_LOG || r.text_len >= sizeof(text))
			continue;
		memcpy(text, r.text, r.text_len);
		text[r.text_len] = 0;
		if (sscanf(text, "lost %llu events on cpu %u in %llu ns", &n,
			   &cpu, &ns) != 3 || cpu >= GT_MAX_CPUS || !n || !ns) {
			printf("# odd message: %s\n", text);
			return 1;
		}
		lost[cpu] += n;
		gaps[cpu]++;
		sum += n;
	}
	for (i = 0; i < l->st.cpus_len; i++) {
		if (lost[i] == l->cpus[i].lost[GOTRACE_LOST_BUFFER] &&
		    gaps[i] == l->cpus[i].dark)
			continue;
		printf("# CPU %u: %ju lost in %ju gaps in the trace, STATUS says %llu in %llu\n",
		       i, (uintmax_t)lost[i], (uintmax_t)gaps[i],
		       l->cpus[i].lost[GOTRACE_LOST_BUFFER],
		       l->cpus[i].dark);
		ret = 1;
	}
	if (sum != l->st.lost[GOTRACE_LOST_BUFFER]) {
		printf("# %ju lost in the trace, STATUS says %llu\n",
		       (uintmax_t)sum, l->st.lost[GOTRACE_LOST_BUFFER]);
		ret = 1;
	}
	return ret;
}

/* Where a reader that dies leaves its bytes; who comes next goes on behind them. */
struct gt_shared {
	uint64_t len;		/* set at the end of file */
	char data[64 << 20];
};

GT_HELPER void gt_read_at_random(int ctl, struct gt_shared *shared, unsigned int seed)
{
	struct gotrace_status st;
	int fd = gt_open(O_RDONLY);

	if (fd < 0 || gt_status(ctl, &st))
		_exit(-fd);
	for (;;) {
		char *to = shared->data + st.bytes_read;
		size_t half = rand_r(&seed) % (rand_r(&seed) % 4 ? 500 : 30000);
		struct iovec v[2] = { { to, half }, { to + half, half + 1 } };
		long n = gt_err(readv(fd, v, 2));

		if (n > 0 && (st.bytes_read += n) < sizeof(shared->data) - (1 << 20))
			continue;
		shared->len = st.bytes_read;
		_exit(n ? 1 : 0);
	}
}

#endif /* SELFTESTS_LOSSES_H */
