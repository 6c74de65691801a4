// Black-Scholes prices. With -ffast-math the compiler takes the vector forms of exp and log from its library; plain, and with stores that
// go past the cache through a small buffer.
#include "peer.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

static int64_t n;
static double *stock, *strike, *years, *call, *put;
static const double rate = 0.02, volatility = 0.3;

static inline double below(double d) {
    const double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    const double poly =
        k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = 0.3989422804014327 * exp(-0.5 * d * d) * poly;
    return d > 0.0 ? 1.0 - tail : tail;
}

static inline __attribute__((always_inline)) void price(int64_t i, double *c, double *p) {
    const double spread = volatility * sqrt(years[i]);
    const double d1 = (log(stock[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / spread;
    const double d2 = d1 - spread, now = strike[i] * exp(-rate * years[i]);
    const double n1 = below(d1), n2 = below(d2);
    *c = stock[i] * n1 - now * n2;
    *p = now * (1.0 - n2) - stock[i] * (1.0 - n1);
}

static void plain(void) {
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) price(i, call + i, put + i);
}

#ifdef __AVX512F__
enum { PART = 256 };

static void streaming(void) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n / PART; b++) {
        double c[PART] __attribute__((aligned(64))), p[PART] __attribute__((aligned(64)));
#pragma omp simd
        for (int k = 0; k < PART; k++) price(b * PART + k, c + k, p + k);
        for (int k = 0; k < PART; k += 8) {
            _mm512_stream_pd(call + b * PART + k, _mm512_load_pd(c + k));
            _mm512_stream_pd(put + b * PART + k, _mm512_load_pd(p + k));
        }
    }
    for (int64_t i = n / PART * PART; i < n; i++) price(i, call + i, put + i);
    _mm_sfence();
}
#endif

static void check(void) {
    CHECKSUM(call, n);
    CHECKSUM(put, n);
}

static double between(double low, double high, int64_t i) {
    return low + (high - low) * ((double)(hash(i) % 65536) / 65536.0);
}

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    stock = array((size_t)n * 8), strike = array((size_t)n * 8), years = array((size_t)n * 8);
    call = array((size_t)n * 8), put = array((size_t)n * 8);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        stock[i] = between(5.0, 30.0, i), strike[i] = between(1.0, 100.0, i + 77), years[i] = between(0.25, 10.0, i + 777);
        call[i] = put[i] = NAN;
    }
    measure("c", "plain", plain, check);
#ifdef __AVX512F__
    POISON(call, n);
    POISON(put, n);
    measure("c", "streaming stores", streaming, check);
#endif
}
