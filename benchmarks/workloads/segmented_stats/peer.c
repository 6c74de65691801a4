// Statistics of ragged rows. Rows are shared out by their elements, so that a long row at the end does not leave a thread alone; a row is
// read once for sum, least, greatest and place, and once more, from the cache, for the variance.
#include "peer.h"

static int64_t n, count, *off, *place;
static double *val, *mean, *variance, *least, *greatest;

static inline void row_stats(int64_t r) {
    const int64_t from = off[r], size = off[r + 1] - from;
    if (size == 0) {
        mean[r] = variance[r] = least[r] = greatest[r] = 0;
        place[r] = -1;
        return;
    }
    const double *x = val + from;
    double s = 0, lo = x[0], hi = x[0];
#pragma omp simd reduction(+ : s) reduction(min : lo) reduction(max : hi)
    for (int64_t i = 0; i < size; i++) {
        s += x[i];
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    const double m = s / (double)size;
    double q = 0;
#pragma omp simd reduction(+ : q)
    for (int64_t i = 0; i < size; i++) q += (x[i] - m) * (x[i] - m);
    int64_t at = 0;
    while (x[at] != hi) at++;
    mean[r] = m, variance[r] = q / (double)size, least[r] = lo, greatest[r] = hi, place[r] = at;
}

static inline void row_once(int64_t r) {
    const int64_t from = off[r], size = off[r + 1] - from;
    if (size == 0) {
        mean[r] = variance[r] = least[r] = greatest[r] = 0;
        place[r] = -1;
        return;
    }
    const double *x = val + from;
    double s = 0, lo = x[0], hi = x[0];
    int64_t at = 0;
    for (int64_t i = 0; i < size; i++) {
        s += x[i];
        if (x[i] < lo) lo = x[i];
        if (x[i] > hi) hi = x[i], at = i;
    }
    const double m = s / (double)size;
    double q = 0;
    for (int64_t i = 0; i < size; i++) q += (x[i] - m) * (x[i] - m);
    mean[r] = m, variance[r] = q / (double)size, least[r] = lo, greatest[r] = hi, place[r] = at;
}

static void vectors(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t r = 0; r < n; r++) row_stats(r);
}

static void scalars(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t r = 0; r < n; r++) row_once(r);
}

static void check(void) {
    CHECKSUM(mean, n);
    CHECKSUM(variance, n);
    CHECKSUM(least, n);
    CHECKSUM(greatest, n);
    CHECKSUM(place, n);
}

int main(int argc, char **argv) {
    const int power = argc > 1 && !strcmp(argv[1], "power");
    n = argument(argc, argv, 2);
    const int64_t most = power ? argument(argc, argv, 3) : 0;
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + (power ? most / (1 + hash(i) % most) : hash(i) % 41);
    count = off[n];
    val = array((size_t)count * 8), mean = array((size_t)n * 8), variance = array((size_t)n * 8), least = array((size_t)n * 8);
    greatest = array((size_t)n * 8), place = array((size_t)n * 8);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) val[off[i] + j] = (double)(hash((seed + 7919 * j) % 2147483647) % 64) / 8.0;
    }
    measure("c", "rows by vectors", vectors, check);
    POISON(mean, n);
    POISON(place, n);
    measure("c", "rows by scalars", scalars, check);
}
