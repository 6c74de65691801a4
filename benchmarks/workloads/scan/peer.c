// Prefix sums in two passes: the sums of parts, then their prefixes. Parts are one per thread, or small enough that the second pass finds
// its part in the cache.
#include "peer.h"

static int64_t n, *xs, *out, *sums;

static int64_t sum_of(int64_t from, int64_t to) {
    int64_t s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t i = from; i < to; i++) s += xs[i];
    return s;
}

static void write_from(int64_t s, int64_t from, int64_t to) {
    for (int64_t i = from; i < to; i++) out[i] = s += xs[i];
}

static void per_thread(void) {
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t from = n * t / threads, to = n * (t + 1) / threads;
        sums[t] = sum_of(from, to);
#pragma omp barrier
        int64_t before = 0;
        for (int k = 0; k < t; k++) before += sums[k];
        write_from(before, from, to);
    }
}

/// Threads walk over the array together, a piece in the cache at a time: it is read from memory once.
enum { PIECE = 1 << 16 };

static void by_pieces(void) {
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        int64_t before = 0;
        int64_t *mine = sums;
        for (int64_t at = 0; at < n; at += (int64_t)PIECE * threads) {
            const int64_t from = at + (int64_t)PIECE * t < n ? at + (int64_t)PIECE * t : n;
            const int64_t to = from + PIECE < n ? from + PIECE : n;
            mine[t] = sum_of(from, to);
#pragma omp barrier
            int64_t own = before;
            for (int k = 0; k < threads; k++) {
                if (k < t) own += mine[k];
                before += mine[k];
            }
            mine = mine == sums ? sums + 1024 : sums;
            write_from(own, from, to);
        }
    }
}

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    xs = array((size_t)n * 8), out = array((size_t)n * 8), sums = array(2048 * 8);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) xs[i] = hash(i) % 16 - 7, out[i] = -1;
    measure("c", "a part per thread", per_thread, check);
    POISON(out, n);
    measure("c", "pieces in the cache", by_pieces, check);
}
