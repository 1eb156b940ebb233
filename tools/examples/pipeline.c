// SPDX-License-Identifier: LGPL-2.1 OR MIT
/*
 * pipeline: orders go through three stages, each a few threads with a queue in
 * front of it. What one wants to know of such a program is how long an order
 * takes, and where it spends that time.
 *
 *	cc -g -fno-omit-frame-pointer -pthread pipeline.c -o pipeline \
 *		$(pkg-config --cflags --libs libgotrace)
 *	gotrace record -- ./pipeline [ORDERS]
 *	go tool trace trace.out
 *
 * There, "User-defined tasks" has the latencies of orders, and of the part of an
 * order that is packing; one click on, what each order did, thread by thread,
 * with its messages. "User-defined regions" has the times of the stages, of which
 * an order is in one at a time, and of waiting in front of them.
 */
#include <err.h>
#include <gotrace.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKERS	2	/* of each stage */
#define ITEMS	3	/* of an order, at most */

struct order {
	struct order *next;
	int number;
	int items;
	int64_t task;
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct order *first, **last;
	int closed;
};

struct stage {
	const char *name;
	void (*work)(struct order *order);
	struct queue in;
	struct queue *out;	/* NULL: it is the last one */
	pthread_t workers[WORKERS];
};

static void queue_init(struct queue *q)
{
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->filled, NULL);
	q->first = NULL;
	q->last = &q->first;
	q->closed = 0;
}

static void queue_put(struct queue *q, struct order *order)
{
	order->next = NULL;
	pthread_mutex_lock(&q->lock);
	*q->last = order;
	q->last = &order->next;
	pthread_cond_signal(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

static void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = 1;
	pthread_cond_broadcast(&q->filled);
	pthread_mutex_unlock(&q->lock);
}

/* NULL when it is closed and empty. */
static struct order *queue_get(struct queue *q)
{
	struct order *order;

	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->closed)
		pthread_cond_wait(&q->filled, &q->lock);
	order = q->first;
	if (order) {
		q->first = order->next;
		if (!q->first)
			q->last = &q->first;
	}
	pthread_mutex_unlock(&q->lock);
	return order;
}

static void compute(long rounds)
{
	volatile long x = 0;

	while (rounds--)
		x += rounds;
}

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* --- the stages --- */

static void check(struct order *order)
{
	compute(20000);
	if (order->number % 5 == 0)
		gotrace_logf(order->task, "check", "order %d is looked at twice", order->number);
}

/* Item by item: a region each, inside the stage's. */
static void pack(struct order *order)
{
	int64_t task = gotrace_task_create(order->task, "packing");
	int i;

	for (i = 0; i < order->items; i++) {
		int64_t region = gotrace_region_begin(task, "pack item");

		compute(50000);
		gotrace_region_end(region);
	}
	gotrace_task_end(task);
}

static void ship(struct order *order)
{
	sleep_ms(2);
	gotrace_logf(order->task, "ship", "order %d, %d items", order->number, order->items);
}

static void *work(void *arg)
{
	struct stage *stage = arg;

	for (;;) {
		int64_t region = gotrace_region_begin(0, "wait for an order");
		struct order *order = queue_get(&stage->in);

		gotrace_region_end(region);
		if (!order)
			return NULL;
		region = gotrace_region_begin(order->task, stage->name);
		stage->work(order);
		gotrace_region_end(region);
		if (stage->out) {
			queue_put(stage->out, order);
		} else {
			gotrace_task_end(order->task);
			free(order);
		}
	}
}

static struct order *order_new(int number)
{
	struct order *order = calloc(1, sizeof(*order));

	if (!order)
		errx(1, "no memory");
	order->number = number;
	order->items = 1 + number % ITEMS;
	order->task = gotrace_task_create(0, "order");
	return order;
}

int main(int argc, char **argv)
{
	static struct stage stages[] = {
		{ .name = "check", .work = check },
		{ .name = "pack", .work = pack },
		{ .name = "ship", .work = ship },
	};
	const int n = sizeof(stages) / sizeof(stages[0]);
	int orders = argc > 1 ? atoi(argv[1]) : 40, i, j;

	if (argc > 2 || orders <= 0) {
		fprintf(stderr, "usage: pipeline [ORDERS]\n");
		return 2;
	}
	for (i = 0; i < n; i++) {
		queue_init(&stages[i].in);
		stages[i].out = i + 1 < n ? &stages[i + 1].in : NULL;
	}
	for (i = 0; i < n; i++)
		for (j = 0; j < WORKERS; j++)
			if (pthread_create(&stages[i].workers[j], NULL, work, &stages[i]))
				errx(1, "cannot make a thread");
	for (i = 1; i <= orders; i++) {
		queue_put(&stages[0].in, order_new(i));
		sleep_ms(1);
	}
	for (i = 0; i < n; i++) {
		queue_close(&stages[i].in);
		for (j = 0; j < WORKERS; j++)
			pthread_join(stages[i].workers[j], NULL);
	}
	return 0;
}
