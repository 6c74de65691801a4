// The temperature of a chip: two grids that change roles. Each row is a loop without tests but for its two ends, which the compiler vectorises;
// rows are shared among threads once per step, or steps are taken in pairs on strips that fit the cache, whose borders are computed twice.
#include "peer.h"

static int64_t steps, n, m;
static float *given, *power, *grid, *other, *out;
static float step, across, along, up;

static inline float heated(float here, float top, float bottom, float left, float right, float p) {
    return here + step * (p + (top + bottom - 2.0f * here) * along + (left + right - 2.0f * here) * across + (80.0f - here) * up);
}

static inline void row(const float *restrict top, const float *restrict mid, const float *restrict bottom, const float *restrict p, float *restrict to) {
    to[0] = heated(mid[0], top[0], bottom[0], mid[0], mid[m > 1], p[0]);
#pragma omp simd
    for (int64_t j = 1; j < m - 1; j++) to[j] = heated(mid[j], top[j], bottom[j], mid[j - 1], mid[j + 1], p[j]);
    if (m > 1) to[m - 1] = heated(mid[m - 1], top[m - 1], bottom[m - 1], mid[m - 2], mid[m - 1], p[m - 1]);
}

static int64_t within(int64_t i) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static void by_steps(void) {
    float *a = given, *b = grid, *c = other;
#pragma omp parallel firstprivate(a, b, c)
    for (int64_t s = 0; s < steps; s++) {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) row(a + within(i - 1) * m, a + i * m, a + within(i + 1) * m, power + i * m, b + i * m);
        float *next = s == 0 ? c : a;
        a = b, b = next;
    }
    out = steps % 2 ? grid : other;
    if (steps == 0) out = given;
}

/// Two steps at once: three rows of the first step are kept, and each thread makes the rows just outside of its strip again.
static void by_pairs(void) {
    float *a = given, *b = grid, *c = other;
    if (steps % 2) return by_steps();
#pragma omp parallel firstprivate(a, b, c)
    {
        float *kept = malloc((size_t)m * 3 * sizeof *kept);
        for (int64_t s = 0; s < steps; s += 2) {
            const int64_t threads = omp_get_num_threads(), t = omp_get_thread_num();
            const int64_t lo = n * t / threads, hi = n * (t + 1) / threads;
            int64_t done = within(lo - 1) - 1;
            for (int64_t i = lo; i < hi; i++) {
                for (; done < within(i + 1); done++) {
                    const int64_t r = done + 1;
                    row(a + within(r - 1) * m, a + r * m, a + within(r + 1) * m, power + r * m, kept + r % 3 * m);
                }
                row(kept + within(i - 1) % 3 * m, kept + i % 3 * m, kept + within(i + 1) % 3 * m, power + i * m, b + i * m);
            }
#pragma omp barrier
            float *next = s == 0 ? c : a;
            a = b, b = next;
        }
        free(kept);
    }
    out = steps / 2 % 2 ? grid : other;
    if (steps == 0) out = given;
}

static void check(void) { CHECKSUM(out, n * m); }

int main(int argc, char **argv) {
    steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    const double height = 2.0e-5, width = 1.6e-5, thickness = 0.0005;
    step = (float)(0.001 / (3.0e6 / (0.5 * thickness * 1.75e6)) / (0.5 * 1.75e6 * thickness * width * height));
    across = (float)(2.0 * 100.0 * thickness * height / width), along = (float)(2.0 * 100.0 * thickness * width / height);
    up = (float)(100.0 * height * width / thickness);
    const size_t bytes = (size_t)(n * m) * sizeof(float);
    given = array(bytes), power = array(bytes), grid = array(bytes), other = array(bytes);
#pragma omp parallel for
    for (int64_t i = 0; i < n * m; i++) {
        given[i] = 323.0f + (float)(hash(i) % 64) / 8.0f;
        power[i] = (float)(hash(i + 77) % 64) / 8192.0f;
        grid[i] = other[i] = NAN;
    }
    measure("c", "step by step", by_steps, check);
    POISON(grid, n * m);
    POISON(other, n * m);
    measure("c", "two steps at once", by_pairs, check);
}
