// Steps to 1, element by element: with a branch, without, and all lanes of a vector in step.
#include "peer.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

static int64_t n, *ns, *out;

static void branching(void) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < n; i++) {
        int64_t x = ns[i], k = 0;
        while (x != 1) {
            if (x & 1) x = 3 * x + 1;
            else x >>= 1;
            k++;
        }
        out[i] = k;
    }
}

static void selecting(void) {
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t i = 0; i < n; i++) {
        int64_t x = ns[i], k = 0;
        while (x != 1) {
            const int64_t up = 3 * x + 1, down = x >> 1, odd = -(x & 1);
            x = (up & odd) | (down & ~odd);
            k++;
        }
        out[i] = k;
    }
}

#ifdef __AVX512F__
static void lanes(void) {
    const __m512i one = _mm512_set1_epi64(1);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n / 8; i++) {
        __m512i x = _mm512_loadu_si512(ns + 8 * i), k = _mm512_setzero_si512();
        __mmask8 live = _mm512_cmpneq_epi64_mask(x, one);
        while (live) {
            const __mmask8 odd = _mm512_test_epi64_mask(x, one);
            const __m512i up = _mm512_add_epi64(_mm512_add_epi64(x, x), _mm512_add_epi64(x, one));
            const __m512i next = _mm512_mask_mov_epi64(_mm512_srai_epi64(x, 1), odd, up);
            x = _mm512_mask_mov_epi64(x, live, next);
            k = _mm512_mask_add_epi64(k, live, k, one);
            live = _mm512_cmpneq_epi64_mask(x, one);
        }
        _mm512_storeu_si512(out + 8 * i, k);
    }
    for (int64_t i = n / 8 * 8; i < n; i++) {
        int64_t x = ns[i], k = 0;
        for (; x != 1; k++) x = x & 1 ? 3 * x + 1 : x >> 1;
        out[i] = k;
    }
}
#endif

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    ns = array((size_t)n * 8), out = array((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) ns[i] = i + 1;
    POISON(out, n);
    measure("c", "branch", branching, check);
    POISON(out, n);
    measure("c", "select", selecting, check);
#ifdef __AVX512F__
    POISON(out, n);
    measure("c", "vector intrinsics", lanes, check);
#endif
}
