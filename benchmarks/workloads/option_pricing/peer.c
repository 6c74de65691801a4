// American put options by binomial trees: one array of values per thread, written in place, since a node only needs its right neighbour of the
// step before. Options are handed out in small portions, as trees differ in height. The second way takes four steps of a tree at a time,
// so that values are read and written a quarter as often.
#include "peer.h"

static int64_t n, most;
static double *strike, *years, *out;
static int64_t *steps;
static const double stock = 60.0, rate = 0.03, volatility = 0.25;

typedef void back(int64_t k, double a, double b, const double *even, const double *odd, double *v);

/// Payoffs are kept in two arrays, of even and of odd distances, so that a step reads them in order.
static inline __attribute__((always_inline)) double price(int64_t i, double *v, double *even, double *odd, back *go) {
    const int64_t k = steps[i];
    const double step = years[i] / (double)k, spread = volatility * sqrt(step), up = exp(spread), down = exp(-spread), growth = exp(rate * step);
    const double p = (growth - down) / (up - down);
    for (int64_t q = 0; q <= 2 * k; q++) {
        const double paid = strike[i] - stock * exp((double)(q - k) * spread);
        (q % 2 ? odd : even)[q / 2] = paid > 0.0 ? paid : 0.0;
    }
    for (int64_t j = 0; j <= k; j++) v[j] = even[j];
    go(k, p / growth, (1.0 - p) / growth, even, odd, v);
    return v[0];
}

static inline void one_step(int64_t k, int64_t t, double a, double b, const double *even, const double *odd, double *v) {
    const double *paid = (t + 1) % 2 ? odd + (t + 1) / 2 : even + (t + 1) / 2;
#pragma omp simd
    for (int64_t j = 0; j < k - t; j++) {
        const double kept = a * v[j + 1] + b * v[j];
        v[j] = kept > paid[j] ? kept : paid[j];
    }
}

static inline void by_steps(int64_t k, double a, double b, const double *even, const double *odd, double *v) {
    for (int64_t t = 0; t < k; t++) one_step(k, t, a, b, even, odd, v);
}

enum { WIDTH = 512 };

/// Trapezoids of up to four steps by WIDTH nodes: a block needs four values beyond its end, which the next block has not yet changed.
static inline void by_fours(int64_t k, double a, double b, const double *even, const double *odd, double *v) {
    int64_t t = 0;
    double w[WIDTH + 4];
    for (; t + 4 <= k; t += 4) {
        for (int64_t from = 0; from < k - t - 3; from += WIDTH) {
            const int64_t to = from + WIDTH < k - t - 3 ? from + WIDTH : k - t - 3;
            memcpy(w, v + from, (size_t)(to - from + 4) * sizeof *w);
            for (int64_t s = 0; s < 4; s++) {
                const int64_t d = t + s + 1;
                const double *paid = (d % 2 ? odd : even) + d / 2 + from;
#pragma omp simd
                for (int64_t j = 0; j < to - from + 3 - s; j++) {
                    const double kept = a * w[j + 1] + b * w[j];
                    w[j] = kept > paid[j] ? kept : paid[j];
                }
            }
            memcpy(v + from, w, (size_t)(to - from) * sizeof *w);
        }
    }
    for (; t < k; t++) one_step(k, t, a, b, even, odd, v);
}

static inline __attribute__((always_inline)) void all(back *go) {
#pragma omp parallel
    {
        double *v = malloc((size_t)(most + 8) * 3 * sizeof *v), *even = v + most + 8, *odd = even + most + 8;
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < n; i++) out[i] = price(i, v, even, odd, go);
        free(v);
    }
}

static void steps_way(void) { all(by_steps); }
static void fours_way(void) { all(by_fours); }
static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    const int equal = argc > 1 && !strcmp(argv[1], "equal");
    n = argument(argc, argv, 2);
    const int64_t size = argument(argc, argv, 3);
    strike = array((size_t)n * 8), years = array((size_t)n * 8), out = array((size_t)n * 8), steps = array((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        strike[i] = 40.0 + (double)(hash(i) % 320) / 8.0;
        years[i] = 0.25 + (double)(hash(i + 77) % 32) / 16.0;
        steps[i] = equal ? size : 8 + size / (1 + hash(i + 777) % 64);
        if (steps[i] > most) most = steps[i];
    }
    POISON(out, n);
    measure("c", "step by step", steps_way, check);
    POISON(out, n);
    measure("c", "four steps at a time", fours_way, check);
}
