// Sparse matrix times vector: 64-bit offsets, 32-bit columns. Work is split by rows, or by elements with the rows that cross a border
// added up afterwards; a row is summed by a loop that the compiler may vectorise with gathers, or by four sums by hand.
#include "peer.h"

static int64_t n, count, *off;
static int32_t *col;
static double *val, *v, *out;

static inline double row_gather(int64_t from, int64_t to) {
    double s = 0;
#pragma omp simd reduction(+ : s)
    for (int64_t q = from; q < to; q++) s += val[q] * v[col[q]];
    return s;
}

static inline double row_four(int64_t from, int64_t to) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t q = from;
    for (; q + 4 <= to; q += 4) {
        s0 += val[q] * v[col[q]];
        s1 += val[q + 1] * v[col[q + 1]];
        s2 += val[q + 2] * v[col[q + 2]];
        s3 += val[q + 3] * v[col[q + 3]];
    }
    for (; q < to; q++) s0 += val[q] * v[col[q]];
    return (s0 + s1) + (s2 + s3);
}

typedef double row_sum(int64_t, int64_t);

static inline __attribute__((always_inline)) void by_rows(row_sum *sum) {
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t r = 0; r < n; r++) out[r] = sum(off[r], off[r + 1]);
}

/// The last row that starts at or before an element.
static int64_t row_of(int64_t at) {
    int64_t lo = 0, hi = n;
    while (lo + 1 < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (off[mid] <= at) lo = mid;
        else hi = mid;
    }
    return lo;
}

enum { MOST = 256 };
static double carried[MOST];
static int64_t carried_row[MOST];

static inline __attribute__((always_inline)) void by_elements(row_sum *sum) {
    int threads = 1;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads() < MOST ? omp_get_num_threads() : MOST;
        const int t = omp_get_thread_num();
        if (t < threads) {
            const int64_t lo = count * t / threads, hi = count * (t + 1) / threads;
            const int64_t first = t == 0 ? 0 : row_of(lo), last = t + 1 == threads ? n : row_of(hi);
            carried[t] = 0;
            carried_row[t] = -1;
            // Row r is written by the thread in whose share it begins; a part of a row begun earlier is carried.
            int64_t r = first;
            if (t > 0 && off[r] < lo) {
                const int64_t end = off[r + 1] < hi ? off[r + 1] : hi;
                carried[t] = sum(lo, end);
                carried_row[t] = r;
                r++;
            }
            for (; r < last; r++) out[r] = sum(off[r], off[r + 1]);
            if (last < n && r == last && off[last] < hi) out[last] = sum(off[last], hi);
        }
    }
    for (int t = 1; t < threads; t++)
        if (carried_row[t] >= 0) out[carried_row[t]] += carried[t];
}

static void rows_gather(void) { by_rows(row_gather); }
static void rows_four(void) { by_rows(row_four); }
static void elements_gather(void) { by_elements(row_gather); }
static void elements_four(void) { by_elements(row_four); }

static void check(void) { CHECKSUM(out, n); }

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

static int64_t length(const char *shape, int64_t i, int64_t a, int64_t b) {
    if (!strcmp(shape, "banded")) return 27;
    if (!strcmp(shape, "power")) return 4 + a / (1 + hash(i) % a);
    if (!strcmp(shape, "half_empty")) return hash(i) % 2 == 0 ? 0 : 1 + hash(i + 77777777) % 79;
    return i == n / 2 ? b : a;
}

int main(int argc, char **argv) {
    const char *shape = argc > 1 ? argv[1] : "";
    const int is_banded = !strcmp(shape, "banded");
    const int64_t side = argument(argc, argv, 2), a = argc > 3 ? atoll(argv[3]) : 0, b = argc > 4 ? atoll(argv[4]) : 0;
    n = is_banded ? side * side * side : side;
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + length(shape, i, a, b);
    count = off[n];
    col = array((size_t)count * 4), val = array((size_t)count * 8), v = array((size_t)n * 8), out = array((size_t)n * 8);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n; i++) {
        v[i] = (double)(hash(i + 5) % 64) / 8.0;
        out[i] = NAN;
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) {
            const int64_t q = off[i] + j;
            if (is_banded) {
                const int64_t step = (j / 9 - 1) * side * side + (j / 3 % 3 - 1) * side + j % 3 - 1;
                col[q] = (int32_t)lesser(greater(i + step, 0), n - 1);
                val[q] = (double)((i + 5 * j) % 64) / 8.0;
            } else {
                const int64_t at = (seed + 7919 * j) % 2147483647;
                col[q] = (int32_t)(hash(at) % n);
                val[q] = (double)(at % 64) / 8.0;
            }
        }
    }
    measure("c", "by rows, gather", rows_gather, check);
    POISON(out, n);
    measure("c", "by rows, four sums", rows_four, check);
    POISON(out, n);
    measure("c", "by elements, gather", elements_gather, check);
    POISON(out, n);
    measure("c", "by elements, four sums", elements_four, check);
}
