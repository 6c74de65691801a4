// Escape times: one pixel after the other, and sixteen or thirty-two side by side until all of them have left. Products are contracted as
// Terrace contracts them, so that the counts are equal; the compiler must not contract others.
#pragma GCC optimize("no-fast-math", "fp-contract=off")
#include "peer.h"

static int64_t n;
static int32_t bound, *out;

static inline float part(int64_t k, float step, float low) { return fmaf((float)k, step, -low); }

static void pixels(void) {
    const float step = 2.5f / (float)n;
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const float cre = part(j, step, 1.875f), cim = part(i, step, 1.25f);
            float re = cre, im = cim;
            int32_t steps = 0;
            while (steps < bound && fmaf(re, re, im * im) <= 4.0f) {
                const float next = fmaf(re, re, -(im * im)) + cre;
                im = fmaf(2.0f * re, im, cim);
                re = next;
                steps++;
            }
            out[i * n + j] = steps;
        }
    }
}

#define SIDE_BY_SIDE(NAME, LANES)                                                                          \
    static void NAME(void) {                                                                               \
        const float step = 2.5f / (float)n;                                                                \
        _Pragma("omp parallel for schedule(dynamic, 8)") for (int64_t i = 0; i < n; i++) {                 \
            const float cim = part(i, step, 1.25f);                                                        \
            for (int64_t j = 0; j < n; j += LANES) {                                                       \
                float cre[LANES], re[LANES], im[LANES];                                                    \
                int32_t steps[LANES];                                                                      \
                for (int l = 0; l < LANES; l++) {                                                          \
                    cre[l] = re[l] = part(j + l, step, 1.875f);                                            \
                    im[l] = cim;                                                                           \
                    steps[l] = 0;                                                                          \
                }                                                                                          \
                for (int32_t k = 0; k < bound; k++) {                                                      \
                    int32_t active = 0;                                                                    \
                    _Pragma("omp simd reduction(| : active)") for (int l = 0; l < LANES; l++) {            \
                        const int32_t stays = fmaf(re[l], re[l], im[l] * im[l]) <= 4.0f;                   \
                        const float next = fmaf(re[l], re[l], -(im[l] * im[l])) + cre[l];                  \
                        const float rise = fmaf(2.0f * re[l], im[l], cim);                                 \
                        re[l] = stays ? next : re[l];                                                      \
                        im[l] = stays ? rise : im[l];                                                      \
                        steps[l] += stays;                                                                 \
                        active |= stays;                                                                   \
                    }                                                                                      \
                    if (!active) break;                                                                    \
                }                                                                                          \
                const int64_t room = n - j < LANES ? n - j : LANES;                                        \
                for (int64_t l = 0; l < room; l++) out[i * n + j + l] = steps[l];                          \
            }                                                                                              \
        }                                                                                                  \
    }

SIDE_BY_SIDE(sixteen, 16)
SIDE_BY_SIDE(thirty_two, 32)

static void check(void) { CHECKSUM(out, n * n); }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    bound = 256;
    out = array((size_t)(n * n) * 4);
    POISON(out, n * n);
    measure("c", "pixel by pixel", pixels, check);
    POISON(out, n * n);
    measure("c", "16 side by side", sixteen, check);
    POISON(out, n * n);
    measure("c", "32 side by side", thirty_two, check);
}
