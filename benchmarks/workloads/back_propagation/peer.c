// A training step: sums over the columns of the weights are taken row by row into one array of sums per thread; then one pass changes all weights.
#include "peer.h"

static int64_t n, h;
static float *input, *weights, *changes, *outwards, *moved, *changed, *sums, *blame, error;
static const float target = 0.1f;

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

static inline __attribute__((always_inline)) void step(int64_t h) {
    const int most = omp_get_max_threads();
    const int64_t apart = (h + 31) / 16 * 16;
    memset(sums, 0, (size_t)(most * apart) * 4);
#pragma omp parallel
    {
        float *mine = sums + omp_get_thread_num() * apart;
        if (h == 16) {
            float s[16] = {0};
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 0; j < 16; j++) s[j] += input[i] * weights[i * 16 + j];
            memcpy(mine, s, sizeof s);
#pragma omp barrier
        } else {
#pragma omp for schedule(static)
            for (int64_t i = 0; i < n; i++) {
                const float x = input[i], *restrict row = weights + i * h;
#pragma omp simd
                for (int64_t j = 0; j < h; j++) mine[j] += x * row[j];
            }
        }
#pragma omp single
        {
            float out = 0;
            for (int64_t j = 0; j < h; j++) {
                float s = 0;
                for (int t = 0; t < most; t++) s += sums[t * apart + j];
                blame[j] = sigmoid(s);
                out += blame[j] * outwards[j];
            }
            out = sigmoid(out);
            error = out * (1.0f - out) * (target - out);
            for (int64_t j = 0; j < h; j++) blame[j] = blame[j] * (1.0f - blame[j]) * error * outwards[j];
        }
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const float x = input[i], *restrict w = weights + i * h, *restrict c = changes + i * h;
            float *restrict to = moved + i * h, *restrict change = changed + i * h;
#pragma omp simd
            for (int64_t j = 0; j < h; j++) {
                const float d = 0.3f * blame[j] * x + 0.3f * c[j];
                change[j] = d, to[j] = w[j] + d;
            }
        }
    }
}

static void any_width(void) { step(h); }
static void sixteen(void) { step(16); }
static void check(void) {
    CHECKSUM(moved, n * h);
    CHECKSUM(changed, n * h);
    CHECKSUM(&error, 1);
}

int main(int argc, char **argv) {
    n = argument(argc, argv, 2), h = argument(argc, argv, 3);
    const size_t bytes = (size_t)(n * h) * 4;
    input = array((size_t)n * 4), weights = array(bytes), changes = array(bytes), moved = array(bytes), changed = array(bytes);
    outwards = array((size_t)h * 4), blame = array((size_t)h * 4), sums = array((size_t)(omp_get_max_threads() * (h + 32)) * 4);
    for (int64_t i = 0; i < n; i++) input[i] = (float)(hash(i) % 16 - 8) / 8192.0f;
    for (int64_t j = 0; j < h; j++) outwards[j] = (float)(hash(j + 777) % 16 - 8) / 64.0f;
#pragma omp parallel for
    for (int64_t i = 0; i < n * h; i++) {
        weights[i] = (float)(hash(i) % 64 - 32) / 64.0f;
        changes[i] = (float)(hash(i + 77) % 64 - 32) / 1024.0f;
        moved[i] = changed[i] = NAN;
    }
    measure("c", "row by row", any_width, check);
    POISON(moved, n * h);
    POISON(changed, n * h);
    if (h == 16) measure("c", "row by row, sixteen nodes", sixteen, check);
}
