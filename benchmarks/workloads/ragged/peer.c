// Filter inside rows, then mean and place of the greatest element, in one pass over each row: with branches, and without.
#include "peer.h"

static int64_t n, count, *off, *place;
static double limit = 2.0, *xs, *mean;

static inline void store(int64_t r, double sum, int64_t kept, int64_t best) {
    mean[r] = kept ? sum / (double)kept : 0.0;
    place[r] = best;
}

static void branches(void) {
#pragma omp parallel for schedule(dynamic, 2048)
    for (int64_t r = 0; r < n; r++) {
        double sum = 0, top = -INFINITY;
        int64_t kept = 0, best = -1;
        for (int64_t q = off[r]; q < off[r + 1]; q++) {
            if (xs[q] > limit) {
                if (xs[q] > top) top = xs[q], best = kept;
                sum += xs[q];
                kept++;
            }
        }
        store(r, sum, kept, best);
    }
}

static void selects(void) {
#pragma omp parallel for schedule(dynamic, 2048)
    for (int64_t r = 0; r < n; r++) {
        double sum = 0, top = limit;
        int64_t kept = 0, best = -1;
        for (int64_t q = off[r]; q < off[r + 1]; q++) {
            const double x = xs[q];
            const int stays = x > limit, wins = x > top;
            best = wins ? kept : best;
            top = wins ? x : top;
            sum += stays ? x : 0.0;
            kept += stays;
        }
        store(r, sum, kept, best);
    }
}

static void check(void) {
    CHECKSUM(mean, n);
    CHECKSUM(place, n);
}

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + hash(i) % 41;
    count = off[n];
    xs = array((size_t)count * 8), mean = array((size_t)n * 8), place = array((size_t)n * 8);
#pragma omp parallel for schedule(dynamic, 2048)
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < seed % 41; j++) xs[off[i] + j] = (double)(hash((seed + 7919 * j) % 2147483647) % 64) / 8.0;
        mean[i] = NAN, place[i] = -7;
    }
    measure("c", "branches", branches, check);
    POISON(mean, n);
    POISON(place, n);
    measure("c", "selects", selects, check);
}
