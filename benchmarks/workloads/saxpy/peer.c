// a * x + y: plain, and with stores that go past the cache.
#include "peer.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

static int64_t n;
static float a, *xs, *ys, *out;

static void plain(void) {
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) out[i] = fmaf(a, xs[i], ys[i]);
}

#ifdef __AVX512F__
static void streaming(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n / 16; i++) {
        __m512 r = _mm512_fmadd_ps(_mm512_set1_ps(a), _mm512_load_ps(xs + 16 * i), _mm512_load_ps(ys + 16 * i));
        _mm512_stream_ps(out + 16 * i, r);
    }
    for (int64_t i = n / 16 * 16; i < n; i++) out[i] = fmaf(a, xs[i], ys[i]);
    _mm_sfence();
}
#endif

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    a = 1.5f;
    xs = array((size_t)n * 4), ys = array((size_t)n * 4), out = array((size_t)n * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        xs[i] = (float)(hash(i) % 64) / 8.0f;
        ys[i] = (float)(hash(i + 77) % 64) / 8.0f;
        out[i] = NAN;
    }
    measure("c", "plain", plain, check);
#ifdef __AVX512F__
    POISON(out, n);
    measure("c", "streaming stores", streaming, check);
#endif
}
