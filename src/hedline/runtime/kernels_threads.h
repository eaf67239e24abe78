/* A small pool of threads: one job at a time, its parts numbered. Included by kernels.c only. */
#ifndef HEDLINE_THREADS_H
#define HEDLINE_THREADS_H
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define MAX_THREADS 16
#define MIN_WORK 200000 /* multiply-adds below which a second thread costs more than it gives */

typedef void (*Job)(void *task, int part, int parts);

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    int threads, parts, started, generation, running, born[MAX_THREADS];
    Job job;
    void *task;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 1, 1, 1, 0, 0, {0}, NULL, NULL};

static pthread_mutex_t pool_user = PTHREAD_MUTEX_INITIALIZER; /* one parallel job at a time */

static void *worker(void *argument) {
    int part = (int)(intptr_t)argument;
    pthread_mutex_lock(&pool.lock);
    int seen = pool.born[part]; /* jobs posted since then wait for this thread */
    for (;;) {
        while (pool.generation == seen) pthread_cond_wait(&pool.wake, &pool.lock);
        seen = pool.generation;
        if (part >= pool.parts) continue;
        Job job = pool.job;
        void *task = pool.task;
        int parts = pool.parts;
        pthread_mutex_unlock(&pool.lock);
        job(task, part, parts);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0) pthread_cond_signal(&pool.done);
    }
    return NULL;
}

/* most: parts the task has room for. */
static void run_parallel(Job job, void *task, double work, int most) {
    if (pool.threads <= 1 || most <= 1 || work < MIN_WORK || pthread_mutex_trylock(&pool_user) != 0) {
        job(task, 0, 1); /* small, or another Python thread holds the pool: do it here */
        return;
    }
    pthread_mutex_lock(&pool.lock);
    pool.job = job;
    pool.task = task;
    int parts = pool.parts = pool.threads < most ? pool.threads : most;
    pool.running = parts - 1;
    pool.generation++;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    job(task, 0, parts);
    pthread_mutex_lock(&pool.lock);
    while (pool.running > 0) pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool_user);
}

/* Scratch memory that a thread keeps from one call to the next: fresh pages cost as much as the work in them. */
#define KEPT ((size_t)1 << 25)
enum { OF_CALL, OF_PART, SLOTS };
typedef struct {
    void *memory[SLOTS];
    size_t size[SLOTS];
} Arena;
static pthread_key_t arena_key;
static int arena_ready = 0;

static void arena_free(void *arena) {
    for (int slot = 0; slot < SLOTS; slot++) free(((Arena *)arena)->memory[slot]);
    free(arena);
}

/* At least `size` bytes, aligned to a cache line, until the slot is given back; NULL when memory is short. */
static void *borrow(int slot, Py_ssize_t size) {
    Arena *arena = arena_ready ? pthread_getspecific(arena_key) : NULL;
    if (!arena) {
        arena = arena_ready ? calloc(1, sizeof(Arena)) : NULL;
        if (!arena || pthread_setspecific(arena_key, arena) != 0) {
            free(arena);
            return NULL;
        }
    }
    size_t wanted = (size_t)size + 64;
    if (arena->size[slot] < wanted) {
        free(arena->memory[slot]);
        arena->memory[slot] = malloc(wanted);
        arena->size[slot] = arena->memory[slot] ? wanted : 0;
    }
    return arena->memory[slot] ? (void *)(((uintptr_t)arena->memory[slot] + 63) / 64 * 64) : NULL;
}

static void give_back(int slot) {
    Arena *arena = pthread_getspecific(arena_key);
    if (!arena || arena->size[slot] <= KEPT) return;
    free(arena->memory[slot]);
    arena->memory[slot] = NULL;
    arena->size[slot] = 0;
}

static void after_fork(void) { /* a forked child has none of the threads */
    pthread_mutex_init(&pool.lock, NULL);
    pthread_mutex_init(&pool_user, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.threads = pool.started = 1;
    pool.generation = pool.running = 0;
}

static void set_threads(int threads) {
    if (threads < 1) threads = 1;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    pthread_mutex_lock(&pool_user);
    pthread_mutex_lock(&pool.lock);
    while (pool.started < threads) {
        pthread_t thread;
        pool.born[pool.started] = pool.generation;
        if (pthread_create(&thread, NULL, worker, (void *)(intptr_t)pool.started) != 0) break;
        pthread_detach(thread);
        pool.started++;
    }
    pool.threads = threads < pool.started ? threads : pool.started;
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&pool_user);
}

#endif
