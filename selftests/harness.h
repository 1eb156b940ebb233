/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kselftest's harness, with tests that may take SLOWER times as long (run.sh), on
 * kernels with checkers.
 */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include <kselftest_harness.h>

static int gt_harness_run(int argc, char **argv)
{
	const char *slower = getenv("SLOWER");
	struct __fixture_metadata *f;
	struct __test_metadata *t;

	for (f = slower ? __fixture_list : NULL; f; f = f->next)
		for (t = f->tests; t; t = t->next)
			t->timeout *= atoi(slower);
	return test_harness_run(argc, argv);
}

/* What TEST_HARNESS_MAIN calls. */
#define test_harness_run gt_harness_run

#endif /* SELFTESTS_HARNESS_H */
