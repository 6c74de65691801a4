// What the C peers share: the data's hash, the clock, measuring, and one line of JSON per way of doing it.
//
// Data are made by the formulas of the programs, so results can be compared by the checksums that `terrace bench --checksum` prints: the sum
// of all elements, and the sum with element i counted 1 + i % 1021 times. A way is run twice to warm up and then until its time is
// spent (PEER_SECONDS, default 1.5) or 1000 runs are done; its result is poisoned before the first run. PEER_WAY names the only way to run.
// `held` counts the bytes of all arrays: what a program by hand keeps in memory.
#pragma once
#define _GNU_SOURCE
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static inline int64_t hash(int64_t i) {
    int64_t h = (i * 1103515245 + 12345) % 2147483647;
    return (h * h + i) % 2147483647;
}

static inline double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static size_t held;

/// Memory in huge pages where it is worth it, as Terrace's.
static inline void *array(size_t bytes) {
    held += bytes;
    const size_t page = bytes < (1 << 22) ? 64 : 1 << 21;
    const size_t room = (bytes + 64 + page - 1) / page * page;
    void *p = aligned_alloc(page, room);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    if (page > 64) madvise(p, room, MADV_HUGEPAGE);
    return p;
}

static inline int64_t argument(int argc, char **argv, int k) {
    if (k >= argc) {
        fprintf(stderr, "argument %d is missing\n", k);
        exit(2);
    }
    return atoll(argv[k]);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int listed;

/// Runs a way and prints its times; `check` prints the checksums of what it left.
static inline void measure(const char *peer, const char *way, void (*run)(void), void (*check)(void)) {
    static double times[1000];
    const char *only = getenv("PEER_WAY");
    if (only && strcmp(only, way)) return;
    const char *text = getenv("PEER_SECONDS");
    const double limit = 1e3 * (text ? atof(text) : 1.5);
    int n = 0;
    for (int k = 0; k < 2; k++) run();
    const double began = now_ms();
    do {
        const double start = now_ms();
        run();
        times[n++] = now_ms() - start;
    } while (n < 1000 && (n < 3 || now_ms() - began < limit));
    qsort(times, (size_t)n, sizeof times[0], by_size);
    printf("{\"peer\": \"%s\", \"way\": \"%s\", \"median_ms\": %.6f, \"least_ms\": %.6f, \"lower_quartile_ms\": %.6f, "
           "\"upper_quartile_ms\": %.6f, \"runs\": %d, \"held_bytes\": %zu, \"checksums\": [",
           peer, way, times[n / 2], times[0], times[n / 4], times[3 * n / 4], n, held);
    listed = 0;
    check();
    printf("]}\n");
    fflush(stdout);
}

#define CHECKSUM(elements, count)                                                                     \
    do {                                                                                              \
        double sum = 0, weighted = 0;                                                                 \
        for (int64_t i = 0; i < (int64_t)(count); i++) {                                              \
            sum += (double)(elements)[i];                                                             \
            weighted += (double)(elements)[i] * (double)(1 + i % 1021);                               \
        }                                                                                             \
        printf("%s{\"count\": %lld, \"sum\": %.17g, \"weighted\": %.17g}", listed++ ? ", " : "", (long long)(count), sum, weighted); \
    } while (0)

#define POISON(elements, count) memset(elements, 0xa5, (size_t)(count) * sizeof *(elements))
