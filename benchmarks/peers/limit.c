// What the machine can do at most: bytes per second through memory, and multiplications with additions per second, on all threads.
//
//     {"bytes_per_second": 2.4e10, "f32_per_second": 4.0e11, "f64_per_second": 2.0e11}
//
// Bytes: the best of reading an array, of copying one, and of copying with stores that pass the caches, each byte that is read or written counted
// once. Operations: chains of multiply-add on vectors in registers, as many side by side as hide their latency; each counts two.
#include "peer.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { WIDE = 64 };
#elif defined(__AVX__)
enum { WIDE = 32 };
#else
enum { WIDE = 16 };
#endif
typedef float f32s __attribute__((vector_size(WIDE)));
typedef double f64s __attribute__((vector_size(WIDE)));
enum { CHAINS = 12, TURNS = 1000000 };
static const int64_t COUNT = (int64_t)1 << 26;
static double *from, *to, kept;

static void read_all(void) {
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < COUNT; i++) sum += from[i];
    kept += sum;
}

static void copy(void) {
#pragma omp parallel
    {
        const int64_t t = omp_get_thread_num(), all = omp_get_num_threads();
        const int64_t begin = COUNT * t / all, end = COUNT * (t + 1) / all;
        memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof *to);
    }
}

static void stream(void) {
#ifdef __AVX__
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < COUNT; i += 4) _mm256_stream_pd(to + i, _mm256_load_pd(from + i));
#else
    copy();
#endif
}

#define CHAIN(name, type, number)                                                      \
    static void name(void) {                                                           \
        double sum = 0;                                                                \
        _Pragma("omp parallel reduction(+ : sum)") {                                   \
            const number start = (number)omp_get_thread_num();                         \
            type x[CHAINS], a = start - start + (type){0} + (number)0.5, b = a + start; \
            _Pragma("GCC unroll 16") for (int k = 0; k < CHAINS; k++) x[k] = b + (number)k; \
            for (int turn = 0; turn < TURNS; turn++)                                   \
                _Pragma("GCC unroll 16") for (int k = 0; k < CHAINS; k++) x[k] = x[k] * a + b; \
            _Pragma("GCC unroll 16") for (int k = 0; k < CHAINS; k++) sum += x[k][0];  \
        }                                                                              \
        kept += sum;                                                                   \
    }
CHAIN(chain_f32, f32s, float)
CHAIN(chain_f64, f64s, double)

static double best_of(void (*run)(void)) {
    double best = INFINITY;
    run();
    const double began = now_ms();
    for (int k = 0; k < 5 || now_ms() - began < 500; k++) {
        const double start = now_ms(), time = (run(), now_ms() - start);
        best = time < best ? time : best;
    }
    return 1e-3 * best;
}

int main(void) {
    from = array((size_t)COUNT * 8), to = array((size_t)COUNT * 8);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < COUNT; i++) from[i] = (double)(i % 64), to[i] = 0;
    const double bytes = 8.0 * (double)COUNT;
    double speed = bytes / best_of(read_all);
    speed = fmax(speed, 2 * bytes / best_of(copy));
    speed = fmax(speed, 2 * bytes / best_of(stream));
    const double fused = 2.0 * CHAINS * TURNS * omp_get_max_threads();
    const double f32 = WIDE / 4 * fused / best_of(chain_f32), f64 = WIDE / 8 * fused / best_of(chain_f64);
    printf("{\"bytes_per_second\": %.4g, \"f32_per_second\": %.4g, \"f64_per_second\": %.4g, \"kept\": %g}\n", speed, f32, f64, kept);
}
