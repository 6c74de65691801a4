// Filters: the sum of what stays (`filter_sum`), what stays (`keep`), and what stays over its sum (`shares`).
//
// What stays is written in two passes over fixed chunks: count, add up the counts, write. A chunk is packed without branches into a small
// buffer and copied from there, because a store without a branch may touch one element beyond the chunk's own place.
#include "peer.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { CHUNK = 16384, PART = 1024 };

static int64_t n, kept;
static double limit, total, *xs, *out;
static int64_t *counts;
static double *sums;

static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void sum_plain(void) {
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
    for (int64_t i = 0; i < n; i++) s += xs[i] > limit ? xs[i] : 0.0;
    total = s;
}

/// The compiler adds into one vector, and every addition waits for the one before; 32 sums keep several in flight.
static void sum_lanes(void) {
    const int64_t chunks = (n + CHUNK - 1) / CHUNK;
    double all = 0;
#pragma omp parallel for reduction(+ : all) schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t end = least(n, (c + 1) * CHUNK);
        double s[32] = {0};
        int64_t i = c * CHUNK;
        for (; i + 32 <= end; i += 32) {
#pragma omp simd
            for (int l = 0; l < 32; l++) s[l] += xs[i + l] > limit ? xs[i + l] : 0.0;
        }
        for (; i < end; i++) s[0] += xs[i] > limit ? xs[i] : 0.0;
        for (int l = 0; l < 32; l++) all += s[l];
    }
    total = all;
}

static void count_chunks(int with_sums) {
    const int64_t chunks = (n + CHUNK - 1) / CHUNK;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        const int64_t end = least(n, (c + 1) * CHUNK);
        int64_t k = 0;
        double s = 0;
        if (with_sums) {
#pragma omp simd reduction(+ : k, s)
            for (int64_t i = c * CHUNK; i < end; i++) {
                k += xs[i] > limit;
                s += xs[i] > limit ? xs[i] : 0.0;
            }
        } else {
#pragma omp simd reduction(+ : k)
            for (int64_t i = c * CHUNK; i < end; i++) k += xs[i] > limit;
        }
        counts[c] = k;
        sums[c] = s;
    }
    int64_t k = 0;
    double s = 0;
    for (int64_t c = 0; c < chunks; c++) {
        int64_t own = counts[c];
        counts[c] = k;
        k += own;
        s += sums[c];
    }
    kept = k;
    total = s;
}

static inline int64_t pack_scalar(const double *from, int64_t count, double *to) {
    int64_t k = 0;
    for (int64_t i = 0; i < count; i++) {
        to[k] = from[i];
        k += from[i] > limit;
    }
    return k;
}

#ifdef __AVX512F__
static inline int64_t pack_vector(const double *from, int64_t count, double *to) {
    const __m512d least = _mm512_set1_pd(limit);
    int64_t k = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m512d x = _mm512_loadu_pd(from + i);
        const __mmask8 stays = _mm512_cmp_pd_mask(x, least, _CMP_GT_OQ);
        _mm512_storeu_pd(to + k, _mm512_maskz_compress_pd(stays, x));
        k += __builtin_popcount(stays);
    }
    return k + pack_scalar(from + i, count - i, to + k);
}
#endif

typedef int64_t pack(const double *, int64_t, double *);

static inline __attribute__((always_inline)) void write_chunks(pack *pack_part, int divide) {
    const int64_t chunks = (n + CHUNK - 1) / CHUNK;
    const double by = total;
#pragma omp parallel for schedule(static)
    for (int64_t c = 0; c < chunks; c++) {
        double part[PART + 8];
        int64_t at = counts[c];
        const int64_t end = least(n, (c + 1) * CHUNK);
        for (int64_t i = c * CHUNK; i < end; i += PART) {
            const int64_t k = pack_part(xs + i, least(PART, end - i), part);
            if (divide) {
#pragma omp simd
                for (int64_t j = 0; j < k; j++) out[at + j] = part[j] / by;
            } else {
#pragma omp simd
                for (int64_t j = 0; j < k; j++) out[at + j] = part[j];
            }
            at += k;
        }
    }
}

static void keep_scalar(void) { count_chunks(0), write_chunks(pack_scalar, 0); }
static void shares_scalar(void) { count_chunks(1), write_chunks(pack_scalar, 1); }
#ifdef __AVX512F__
static void keep_vector(void) { count_chunks(0), write_chunks(pack_vector, 0); }
static void shares_vector(void) { count_chunks(1), write_chunks(pack_vector, 1); }
#endif

static void check_total(void) { CHECKSUM(&total, 1); }
static void check_kept(void) { CHECKSUM(out, kept); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    n = argument(argc, argv, 2);
    const int64_t percent = argc > 3 ? argument(argc, argv, 3) : 0, values = percent ? 100 : 64;
    limit = percent ? (double)(100 - percent) / 8.0 - 0.0625 : 3.9375;
    xs = array((size_t)n * 8), out = array((size_t)n * 8);
    counts = array(((size_t)n / CHUNK + 1) * 8), sums = array(((size_t)n / CHUNK + 1) * 8);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) xs[i] = (double)(hash(i) % values) / 8.0, out[i] = NAN;
    if (!strcmp(what, "filter_sum")) {
        measure("c", "reduction", sum_plain, check_total);
        total = NAN;
        measure("c", "32 sums", sum_lanes, check_total);
    } else if (!strcmp(what, "keep")) {
        measure("c", "two passes", keep_scalar, check_kept);
#ifdef __AVX512F__
        POISON(out, n);
        measure("c", "two passes, compress", keep_vector, check_kept);
#endif
    } else if (!strcmp(what, "shares")) {
        measure("c", "two passes", shares_scalar, check_kept);
#ifdef __AVX512F__
        POISON(out, n);
        measure("c", "two passes, compress", shares_vector, check_kept);
#endif
    }
}
