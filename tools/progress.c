// SPDX-License-Identifier: GPL-2.0
/* What people are told; see progress.h. */
#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "dev.h"

static bool drawn;

/* 912 B, 45.1 KiB, 1.2 GiB */
static const char *human_bytes(char *out, size_t size, uint64_t bytes)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double v = bytes;
	size_t unit = 0;

	if (bytes < 1024) {
		snprintf(out, size, "%" PRIu64 " B", bytes);
		return out;
	}
	for (v /= 1024; v >= 1024 && unit < 3; v /= 1024)
		unit++;
	snprintf(out, size, "%.1f %s", v, units[unit]);
	return out;
}

void progress_draw(const struct gotrace_status *st, uint64_t ns,
		   uint64_t bytes)
{
	char size[32];

	/* \033[K: clear what a longer line before has left behind. */
	fprintf(stderr, "\r%.1f s  %" PRIu64 " events  %s  %" PRIu64 " lost\033[K",
		(double)ns / 1e9, (uint64_t)st->events,
		human_bytes(size, sizeof(size), bytes),
		dev_events_lost(st->lost));
	fflush(stderr);
	drawn = true;
}

void progress_clear(void)
{
	if (drawn)
		fputs("\r\033[K", stderr);
	drawn = false;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void progress_reading(void *arg, uint64_t done, uint64_t total)
{
	static uint64_t last;
	uint64_t now = now_ns();
	char size[32];

	/* Short work needs no line: the first time only the clock starts. */
	if (!last)
		last = now;
	if (now - last < PROGRESS_NS || !isatty(STDERR_FILENO))
		return;
	last = now;
	fprintf(stderr, "\rgotrace %s: %3.0f %% of %s\033[K", (char *)arg,
		total ? 100.0 * (double)done / (double)total : 0.0,
		human_bytes(size, sizeof(size), total));
	fflush(stderr);
	drawn = true;
}

void progress_losses(const struct gotrace_status *st)
{
	uint64_t lost = dev_events_lost(st->lost);

	fprintf(stderr, "%" PRIu64 " kernel events lost\n", lost);
	for (unsigned int i = 0; i < GOTRACE_LOST_CAUSES; i++)
		if (st->lost[i])
			fprintf(stderr, "  %" PRIu64 " %s\n",
				(uint64_t)st->lost[i], dev_lost_words(i));
}

void progress_summary(const char *name, const struct gotrace_status *st,
		      uint64_t ns, uint64_t bytes)
{
	char size[32];

	fprintf(stderr, "%s: %" PRIu64 " events, %s, %.3f s", name,
		(uint64_t)st->events,
		human_bytes(size, sizeof(size), bytes), (double)ns / 1e9);
	if (st->samples)
		fprintf(stderr, ", %" PRIu64 " CPU samples",
			(uint64_t)st->samples);
	if (st->events)
		fprintf(stderr, ", %.2f bytes an event",
			(double)bytes / (double)st->events);
	fputc('\n', stderr);
	progress_losses(st);
}
