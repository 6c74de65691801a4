// Radix sort from the lowest digit: every thread counts its part, offsets are added up digit by digit, every thread moves its part. Digits
// of 8 and 11 bits, written straight to their place or through a buffer of one cache line per digit.
#include "peer.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

enum { MOST = 64, WIDEST = 1 << 11, LINE = 16 };

static int64_t n;
static uint32_t *xs, *out, *other;
static int64_t counts[MOST][WIDEST];

static inline __attribute__((always_inline)) void one_pass(const uint32_t *from, uint32_t *to, int shift, int bits, int buffered) {
    const int digits = 1 << bits;
    const uint32_t mask = (uint32_t)digits - 1;
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), threads = omp_get_num_threads();
        const int64_t lo = n * t / threads, hi = n * (t + 1) / threads;
        int64_t *mine = counts[t];
        memset(mine, 0, sizeof counts[0]);
        for (int64_t i = lo; i < hi; i++) mine[from[i] >> shift & mask]++;
#pragma omp barrier
#pragma omp single
        {
            int64_t at = 0;
            for (int d = 0; d < digits; d++)
                for (int k = 0; k < threads; k++) {
                    const int64_t own = counts[k][d];
                    counts[k][d] = at;
                    at += own;
                }
        }
        if (!buffered) {
            for (int64_t i = lo; i < hi; i++) to[mine[from[i] >> shift & mask]++] = from[i];
        } else {
            static __thread uint32_t lines[WIDEST][LINE] __attribute__((aligned(64)));
            static __thread int64_t first[WIDEST];
            for (int d = 0; d < digits; d++) first[d] = mine[d];
            for (int64_t i = lo; i < hi; i++) {
                const uint32_t x = from[i];
                const uint32_t d = x >> shift & mask;
                const int64_t at = mine[d]++;
                lines[d][at % LINE] = x;
                if (at % LINE != LINE - 1) continue;
                uint32_t *line = to + at - (LINE - 1);
                if (first[d] <= at - (LINE - 1)) {
#ifdef __AVX512F__
                    _mm512_stream_si512((void *)line, _mm512_load_si512(lines[d]));
#else
                    memcpy(line, lines[d], sizeof lines[d]);
#endif
                } else {
                    for (int64_t q = first[d]; q <= at; q++) to[q] = lines[d][q % LINE];
                }
            }
            for (int d = 0; d < digits; d++) {
                const int64_t line = mine[d] / LINE * LINE;
                for (int64_t q = line > first[d] ? line : first[d]; q < mine[d]; q++) to[q] = lines[d][q % LINE];
            }
#ifdef __AVX512F__
            _mm_sfence();
#endif
        }
    }
}

static inline __attribute__((always_inline)) void four_passes(int buffered) {
    one_pass(xs, other, 0, 8, buffered);
    one_pass(other, out, 8, 8, buffered);
    one_pass(out, other, 16, 8, buffered);
    one_pass(other, out, 24, 8, buffered);
}

static inline __attribute__((always_inline)) void three_passes(int buffered) {
    one_pass(xs, out, 0, 11, buffered);
    one_pass(out, other, 11, 11, buffered);
    one_pass(other, out, 22, 10, buffered);
}

static void bytes(void) { four_passes(0); }
static void bytes_buffered(void) { four_passes(1); }
static void eleven(void) { three_passes(0); }
static void eleven_buffered(void) { three_passes(1); }

static void check(void) { CHECKSUM(out, n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    if (omp_get_max_threads() > MOST) omp_set_num_threads(MOST);
    xs = array((size_t)n * 4), out = array((size_t)n * 4), other = array((size_t)n * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) xs[i] = (uint32_t)(2 * hash(i)) ^ (uint32_t)(hash(i + 77) % 65536);
    void (*ways[])(void) = {bytes, bytes_buffered, eleven, eleven_buffered};
    const char *names[] = {"8 bits", "8 bits, buffered", "11 bits", "11 bits, buffered"};
    for (int k = 0; k < 4; k++) {
        POISON(out, n);
        measure("c", names[k], ways[k], check);
    }
}
