// Counts per bin: a copy of the bins per thread added up at the end, one or four per thread (equal neighbours then do not wait for each
// other), and one set of bins with atomic additions.
#include "peer.h"

static int64_t n, bins;
static int32_t *is, *out, *copies;

static inline __attribute__((always_inline)) void with_copies(int each) {
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        int32_t *mine = copies + (int64_t)t * each * bins;
        memset(mine, 0, (size_t)(each * bins) * 4);
        const int64_t from = n * t / threads, to = n * (t + 1) / threads;
        int64_t i = from;
        if (each == 4) {
            for (; i + 4 <= to; i += 4) {
                mine[is[i]]++;
                mine[bins + is[i + 1]]++;
                mine[2 * bins + is[i + 2]]++;
                mine[3 * bins + is[i + 3]]++;
            }
        }
        for (; i < to; i++) mine[is[i]]++;
#pragma omp barrier
#pragma omp for schedule(static)
        for (int64_t b = 0; b < bins; b++) {
            int32_t s = 0;
            for (int k = 0; k < threads * each; k++) s += copies[k * bins + b];
            out[b] = s;
        }
    }
}

static void one_copy(void) { with_copies(1); }
static void four_copies(void) { with_copies(4); }

static void atomics(void) {
    memset(out, 0, (size_t)bins * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
#pragma omp atomic
        out[is[i]]++;
    }
}

static void check(void) { CHECKSUM(out, bins); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), bins = argument(argc, argv, 2);
    is = array((size_t)n * 4), out = array((size_t)bins * 4);
    copies = array((size_t)bins * 4 * 4 * (size_t)omp_get_max_threads());
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) is[i] = (int32_t)(hash(i) % bins);
    POISON(out, bins);
    measure("c", "a copy per thread", one_copy, check);
    POISON(out, bins);
    measure("c", "four copies per thread", four_copies, check);
    POISON(out, bins);
    measure("c", "atomics", atomics, check);
}
