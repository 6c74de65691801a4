// PageRank: pulled along the transposed links (counting sort with a histogram per thread, then a sum per page and step), or pushed along
// the links as they are into an array per thread. The transposition is part of the work, as in the program.
#include "peer.h"

static int64_t n, steps, count, *off;
static int32_t *to, *from;
static int64_t *in_off;
static double *rank, *share, *next, *pushed, *inverse;
static int32_t *histograms;
static int threads;

static const double damping = 0.85;

static void transpose(void) {
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        int32_t *own = histograms + (int64_t)t * n;
        memset(own, 0, (size_t)n * 4);
        const int64_t lo = n * t / threads, hi = n * (t + 1) / threads;
        for (int64_t q = off[lo]; q < off[hi]; q++) own[to[q]]++;
#pragma omp barrier
#pragma omp single
        {
            int64_t sum = 0;
            for (int64_t p = 0; p < n; p++) {
                in_off[p] = sum;
                for (int u = 0; u < threads; u++) {
                    const int32_t c = histograms[u * n + p];
                    histograms[u * n + p] = (int32_t)sum;
                    sum += c;
                }
            }
            in_off[n] = sum;
        }
        for (int64_t p = lo; p < hi; p++)
            for (int64_t q = off[p]; q < off[p + 1]; q++) from[own[to[q]]++] = (int32_t)p;
    }
}

static double begin_step(void) {
    double lost = 0;
#pragma omp parallel for reduction(+ : lost) schedule(static)
    for (int64_t p = 0; p < n; p++) {
        if (inverse[p] == 0) lost += rank[p];
        share[p] = rank[p] * inverse[p];
    }
    return (1.0 - damping + damping * lost) / (double)n;
}

static void begin(void) {
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < n; p++) {
        rank[p] = 1.0 / (double)n;
        inverse[p] = off[p + 1] > off[p] ? 1.0 / (double)(off[p + 1] - off[p]) : 0;
    }
}

static void pull(void) {
    begin();
    transpose();
    for (int64_t s = 0; s < steps; s++) {
        const double base = begin_step();
#pragma omp parallel for schedule(dynamic, 1024)
        for (int64_t p = 0; p < n; p++) {
            double sum = 0;
            for (int64_t q = in_off[p]; q < in_off[p + 1]; q++) sum += share[from[q]];
            rank[p] = base + damping * sum;
        }
    }
}

static void push(void) {
    begin();
    for (int64_t s = 0; s < steps; s++) {
        const double base = begin_step();
#pragma omp parallel num_threads(threads)
        {
            const int t = omp_get_thread_num();
            double *own = pushed + (int64_t)t * n;
            memset(own, 0, (size_t)n * 8);
#pragma omp for schedule(dynamic, 1024)
            for (int64_t p = 0; p < n; p++)
                for (int64_t q = off[p]; q < off[p + 1]; q++) own[to[q]] += share[p];
#pragma omp for schedule(static)
            for (int64_t p = 0; p < n; p++) {
                double sum = 0;
                for (int u = 0; u < threads; u++) sum += pushed[u * n + p];
                rank[p] = base + damping * sum;
            }
        }
    }
}

static void check(void) { CHECKSUM(rank, n); }

int main(int argc, char **argv) {
    const char *shape = argc > 1 ? argv[1] : "";
    const int power = !strcmp(shape, "power");
    n = argument(argc, argv, 2);
    const int64_t most = power ? argument(argc, argv, 3) : 0;
    steps = argument(argc, argv, power ? 4 : 3);
    threads = omp_get_max_threads();
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + (power ? most / (1 + hash(i) % most) : hash(i) % 17);
    count = off[n];
    to = array((size_t)count * 4), from = array((size_t)count * 4), in_off = array(((size_t)n + 1) * 8);
    rank = array((size_t)n * 8), share = array((size_t)n * 8), next = array((size_t)n * 8), inverse = array((size_t)n * 8);
    histograms = array((size_t)(threads * n) * 4), pushed = array((size_t)(threads * n) * 8);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) {
            const int64_t t = hash((seed + 7919 * j) % 2147483647) % n;
            to[off[i] + j] = (int32_t)(power ? t * t / n : t);
        }
    }
    measure("c", "transposed, pulled", pull, check);
    POISON(rank, n);
    measure("c", "pushed into an array per thread", push, check);
}
