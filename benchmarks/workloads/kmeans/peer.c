// Clusters by k means: a pass over the points finds the nearest centre and adds the point to its thread's sums. Distances point by point, or,
// where points are wide, with the centres turned so that a vector holds several centres.
#include "peer.h"

static int64_t n, d, k, steps, padded;
static double *points, *centres, *turned, *sums;
static int64_t *counts;
static int threads;

static inline int64_t by_rows(const double *p) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t c = 0; c < k; c++) {
        const double *q = centres + c * d;
        double s = 0;
#pragma omp simd reduction(+ : s)
        for (int64_t j = 0; j < d; j++) s += (p[j] - q[j]) * (p[j] - q[j]);
        if (s < least) least = s, best = c;
    }
    return best;
}

static inline int64_t by_columns(const double *p) {
    double s[1024];
    for (int64_t c = 0; c < padded; c++) s[c] = 0;
    for (int64_t j = 0; j < d; j++) {
        const double x = p[j], *q = turned + j * padded;
#pragma omp simd
        for (int64_t c = 0; c < padded; c++) s[c] += (x - q[c]) * (x - q[c]);
    }
    int64_t best = 0;
    for (int64_t c = 1; c < k; c++)
        if (s[c] < s[best]) best = c;
    return best;
}

typedef int64_t nearest(const double *);

static inline __attribute__((always_inline)) void run(nearest *of) {
    memcpy(centres, points, (size_t)(k * d) * 8);
    for (int64_t s = 0; s < steps; s++) {
        for (int64_t c = 0; c < k; c++)
            for (int64_t j = 0; j < d; j++) turned[j * padded + c] = centres[c * d + j];
#pragma omp parallel num_threads(threads)
        {
            double *own = sums + (int64_t)omp_get_thread_num() * k * d;
            int64_t *own_counts = counts + (int64_t)omp_get_thread_num() * k;
            memset(own, 0, (size_t)(k * d) * 8);
            memset(own_counts, 0, (size_t)k * 8);
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n; i++) {
                const double *p = points + i * d;
                const int64_t c = of(p);
                own_counts[c]++;
                for (int64_t j = 0; j < d; j++) own[c * d + j] += p[j];
            }
        }
        for (int64_t c = 0; c < k; c++) {
            int64_t count = 0;
            for (int t = 0; t < threads; t++) count += counts[t * k + c];
            if (count == 0) continue;
            for (int64_t j = 0; j < d; j++) {
                double sum = 0;
                for (int t = 0; t < threads; t++) sum += sums[(t * k + c) * d + j];
                centres[c * d + j] = sum / (double)count;
            }
        }
    }
}

static void rows(void) { run(by_rows); }
static void columns(void) { run(by_columns); }

static void check(void) { CHECKSUM(centres, k * d); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), d = argument(argc, argv, 2), k = argument(argc, argv, 3), steps = argument(argc, argv, 5);
    const int64_t groups = argument(argc, argv, 4);
    threads = omp_get_max_threads();
    padded = (k + 7) / 8 * 8;
    points = array((size_t)(n * d) * 8), centres = array((size_t)(k * d) * 8), turned = array((size_t)(padded * d) * 8);
    sums = array((size_t)(threads * k * d) * 8), counts = array((size_t)(threads * k) * 8);
    memset(turned, 0, (size_t)(padded * d) * 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++)
            points[i * d + j] = (double)(hash((hash((i % groups + 99991) % 2147483647) + 31 * j) % 2147483647) % 512) +
                                (double)(hash((hash(i) + 7919 * j) % 2147483647) % 256) / 8.0;
    measure("c", "distances by rows", rows, check);
    if (padded > 1024) return 0;
    POISON(centres, k * d);
    measure("c", "several centres at once", columns, check);
}
