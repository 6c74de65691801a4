// Run-length decoding: the lengths of each thread's runs are added up, then every thread fills its part. Threads share out the runs, or,
// where a few runs are long, the elements of the result.
#include "peer.h"

static int64_t n, total, *size, *start;
static int32_t *value, *out;
static int threads;

enum { MOST = 256 };
static int64_t sums[MOST + 1];

static int64_t share_of_runs(int t) { return n * t / threads; }

static void by_runs(void) {
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int64_t lo = share_of_runs(t), hi = share_of_runs(t + 1);
        int64_t sum = 0;
        for (int64_t r = lo; r < hi; r++) sum += size[r];
        sums[t + 1] = sum;
#pragma omp barrier
#pragma omp single
        for (int u = 0; u < threads; u++) sums[u + 1] += sums[u];
        int32_t *to = out + sums[t];
        for (int64_t r = lo; r < hi; r++) {
            const int32_t v = value[r];
            const int64_t s = size[r];
            for (int64_t k = 0; k < s; k++) to[k] = v;
            to += s;
        }
    }
    total = sums[threads];
}

static void by_elements(void) {
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int64_t lo = share_of_runs(t), hi = share_of_runs(t + 1);
        int64_t sum = 0;
        for (int64_t r = lo; r < hi; r++) start[r] = sum, sum += size[r];
        sums[t + 1] = sum;
#pragma omp barrier
#pragma omp single
        for (int u = 0; u < threads; u++) sums[u + 1] += sums[u];
        for (int64_t r = lo; r < hi; r++) start[r] += sums[t];
        if (t == threads - 1) start[n] = sums[threads];
#pragma omp barrier
        const int64_t from = start[n] * t / threads, to = start[n] * (t + 1) / threads;
        int64_t a = 0, b = n;
        while (a + 1 < b) {
            const int64_t middle = (a + b) / 2;
            if (start[middle] <= from) a = middle;
            else b = middle;
        }
        for (int64_t at = from; at < to; a++) {
            const int64_t end = start[a + 1] < to ? start[a + 1] : to;
            const int32_t v = value[a];
            for (; at < end; at++) out[at] = v;
        }
    }
    total = start[n];
}

static void check(void) { CHECKSUM(out, total); }

int main(int argc, char **argv) {
    const int power = argc > 1 && !strcmp(argv[1], "power");
    n = argument(argc, argv, 2);
    const int64_t most = power ? argument(argc, argv, 3) : 0;
    threads = omp_get_max_threads() < MOST ? omp_get_max_threads() : MOST;
    size = array((size_t)n * 8), value = array((size_t)n * 4), start = array(((size_t)n + 1) * 8);
    for (int64_t i = 0; i < n; i++) {
        value[i] = (int32_t)(hash(i) % 1000);
        size[i] = power ? most / (1 + hash(i + 77777777) % most) : hash(i + 77777777) % 9;
        total += size[i];
    }
    out = array((size_t)total * 4);
    measure("c", "threads share runs", by_runs, check);
    POISON(out, total);
    measure("c", "threads share elements", by_elements, check);
}
