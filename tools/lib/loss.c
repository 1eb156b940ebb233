// SPDX-License-Identifier: LGPL-2.1 OR MIT
/* Lost events; see loss.h. */
#include "loss.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "trace.h"

/* The module's message is shorter. */
#define TEXT_MAX 100

void gt_losses_exit(struct gt_losses *l)
{
	free(l->all);
	free(l->gaps);
	*l = (struct gt_losses){ 0 };
}

bool gt_losses_add(struct gt_losses *l, const struct gt_event *ev)
{
	struct gt_loss loss = { .p = ev->p, .ticks = ev->ticks };
	char text[TEXT_MAX];
	uint64_t cpu;
	int end = 0;

	if (ev->type != GT_EV_USER_LOG || ev->g || ev->args[0] ||
	    ev->text_len >= sizeof(text))
		return true;
	memcpy(text, ev->text, ev->text_len);
	text[ev->text_len] = '\0';
	sscanf(text, "lost %" SCNu64 " events on cpu %" SCNu64 " in %" SCNu64 " ns%n",
	       &loss.events, &cpu, &loss.ns, &end);
	if (!end || text[end])
		return true;
	loss.key = ev->args[1];
	if (!array_reserve(&l->all, l->n, &l->size, sizeof(*l->all)))
		return false;
	l->all[l->n++] = loss;
	return true;
}

static bool is_ours(const struct gt_loss *loss, const struct gt_trace *t)
{
	struct gt_string key;

	gt_names_string(&t->names, loss->key, &key);
	return key.len == 7 && !memcmp(key.text, "gotrace", 7);
}

static int by_start(const void *a, const void *b)
{
	const struct gt_loss *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

static bool add_gap(struct gt_losses *l, const struct gt_loss *loss)
{
	struct gt_gap *last = l->n_gaps ? &l->gaps[l->n_gaps - 1] : NULL;

	if (last && loss->from <= last->to) {
		if (loss->to > last->to)
			last->to = loss->to;
		return true;
	}
	if (!array_reserve(&l->gaps, l->n_gaps, &l->size_gaps,
			   sizeof(*l->gaps)))
		return false;
	l->gaps[l->n_gaps++] = (struct gt_gap){ loss->from, loss->to };
	return true;
}

bool gt_losses_finish(struct gt_losses *l, const struct gt_trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct gt_loss *loss = &l->all[i];

		if (!is_ours(loss, t))
			continue;
		loss->to = gt_trace_time(t, loss->ticks);
		loss->from = loss->ns < (uint64_t)loss->to ?
			loss->to - (int64_t)loss->ns : 0;
		l->events += loss->events;
		l->all[n++] = *loss;
	}
	l->n = n;
	if (n)
		qsort(l->all, n, sizeof(*l->all), by_start);
	for (size_t i = 0; i < n; i++)
		if (!add_gap(l, &l->all[i]))
			return false;
	return true;
}

bool gt_losses_within(const struct gt_losses *l, int64_t from, int64_t to)
{
	size_t low = 0, high = l->n_gaps, mid;

	/* The first gap that ends behind from. */
	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->gaps[mid].to > from)
			high = mid;
		else
			low = mid + 1;
	}
	return low < l->n_gaps && l->gaps[low].from < to;
}
