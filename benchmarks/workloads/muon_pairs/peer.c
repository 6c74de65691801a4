// Masses of muon pairs: events are shared out, pairs are made by two loops, a histogram per thread; or the masses of a muon with the ones
// behind it go into a small buffer first, so that the loop over them holds only arithmetic.
#include "peer.h"

enum { BINS = 121, MOST = 256, LONGEST = 64 };
static int64_t n, *off, bins[BINS];
static double *pt, *eta, *phi;

static inline double mass(int64_t a, int64_t b) {
    return sqrt(2.0 * pt[a] * pt[b] * (cosh(eta[a] - eta[b]) - cos(phi[a] - phi[b])));
}

static inline int bin_of(double m) {
    const int k = (int)m;
    return k < BINS - 1 ? k : BINS - 1;
}

static void direct(void) {
    int64_t all[BINS] = {0};
#pragma omp parallel for schedule(dynamic, 512) reduction(+ : all[:BINS])
    for (int64_t e = 0; e < n; e++)
        for (int64_t a = off[e]; a < off[e + 1]; a++)
            for (int64_t b = a + 1; b < off[e + 1]; b++) all[bin_of(mass(a, b))]++;
    memcpy(bins, all, sizeof bins);
}

// cosh by one exponential, cosines in a loop of their own.
static void buffered(void) {
    int64_t all[BINS] = {0};
#pragma omp parallel for schedule(dynamic, 512) reduction(+ : all[:BINS])
    for (int64_t e = 0; e < n; e++)
        for (int64_t a = off[e]; a < off[e + 1]; a++) {
            double m[LONGEST];
            const int64_t count = off[e + 1] - a - 1;
            for (int64_t k = 0; k < count; k++) {
                const double x = exp(eta[a] - eta[a + 1 + k]);
                m[k] = 0.5 * (x + 1.0 / x);
            }
            for (int64_t k = 0; k < count; k++) m[k] -= cos(phi[a] - phi[a + 1 + k]);
            for (int64_t k = 0; k < count; k++) m[k] = sqrt(2.0 * pt[a] * pt[a + 1 + k] * m[k]);
            for (int64_t k = 0; k < count; k++) all[bin_of(m[k])]++;
        }
    memcpy(bins, all, sizeof bins);
}

static void check(void) { CHECKSUM(bins, BINS); }

int main(int argc, char **argv) {
    const int64_t below = argc > 1 && !strcmp(argv[1], "many") ? 51 : 5;
    n = argument(argc, argv, 2);
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + hash(i) % below;
    const size_t bytes = (size_t)off[n] * 8;
    pt = array(bytes), eta = array(bytes), phi = array(bytes);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) {
            const int64_t a = hash((seed + 7919 * j) % 2147483647), b = hash(a), c = hash(b), q = off[i] + j;
            pt[q] = 3.0 + (double)(a % 400) / 8.0;
            eta[q] = (double)(b % 4001) / 1000.0 - 2.0;
            phi[q] = (double)(c % 6283) / 1000.0 - 3.1415;
        }
    }
    measure("c", "two loops", direct, check);
    POISON(bins, BINS);
    measure("c", "masses in a buffer", buffered, check);
}
