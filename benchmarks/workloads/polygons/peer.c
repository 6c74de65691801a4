// Shapes with holes: areas by the corner formula, a loop per ring; places are shared out, and each walks the sides of all shapes, with a
// test of the side's heights before the division, or with the sides' slopes computed once and the test by vectors without branches.
#include "peer.h"

static int64_t n, m, *ring_of, *corner;
static double *x, *y, *px, *py, *area, *x2, *y2;
static int64_t *covers;

static void areas(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t s = 0; s < n; s++) {
        double twice = 0;
        for (int64_t r = ring_of[s]; r < ring_of[s + 1]; r++) {
            const int64_t from = corner[r], to = corner[r + 1];
            for (int64_t i = from; i + 1 < to; i++) twice += x[i] * y[i + 1] - x[i + 1] * y[i];
            twice += x[to - 1] * y[from] - x[from] * y[to - 1];
        }
        area[s] = 0.5 * twice;
    }
}

static inline int crosses(double u, double v, double ax, double ay, double bx, double by) {
    return (ay > v) != (by > v) && u < ax + (bx - ax) * (v - ay) / (by - ay);
}

static void with_branches(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t p = 0; p < m; p++) {
        int64_t count = 0;
        for (int64_t s = 0; s < n; s++) {
            int odd = 0;
            for (int64_t r = ring_of[s]; r < ring_of[s + 1]; r++) {
                const int64_t from = corner[r], to = corner[r + 1];
                for (int64_t i = from, j = to - 1; i < to; j = i++) odd ^= crosses(px[p], py[p], x[j], y[j], x[i], y[i]);
            }
            count += odd;
        }
        covers[p] = count;
    }
}

static void with_vectors(void) {
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < ring_of[n]; r++)
        for (int64_t i = corner[r]; i < corner[r + 1]; i++) {
            const int64_t next = i + 1 == corner[r + 1] ? corner[r] : i + 1;
            x2[i] = x[next], y2[i] = y[next];
        }
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t p = 0; p < m; p++) {
        const double u = px[p], v = py[p];
        int64_t count = 0;
        for (int64_t s = 0; s < n; s++) {
            int64_t found = 0;
            const int64_t from = corner[ring_of[s]], to = corner[ring_of[s + 1]];
#pragma omp simd reduction(+ : found)
            for (int64_t i = from; i < to; i++)
                found += (int64_t)((y[i] > v) != (y2[i] > v)) & (int64_t)(u < x[i] + (x2[i] - x[i]) * (v - y[i]) / (y2[i] - y[i]));
            count += found & 1;
        }
        covers[p] = count;
    }
}

static void check_areas(void) { CHECKSUM(area, n); }
static void check_covers(void) { CHECKSUM(covers, m); }

static double eighth(double v) { return floor(v * 8.0) / 8.0; }

static void around(int64_t j, int64_t size, double *dx, double *dy) {
    const double t = 8.0 * (double)j / (double)size;
    if (t < 2) *dx = t - 1, *dy = -1;
    else if (t < 4) *dx = 1, *dy = t - 3;
    else if (t < 6) *dx = 5 - t, *dy = 1;
    else *dx = -1, *dy = 7 - t;
}

static int64_t ring_size(int64_t seed, int64_t r) { return r == 0 ? 3 + hash(seed + 1) % 38 : 3 + hash((seed + r) % 2147483647) % 6; }

int main(int argc, char **argv) {
    const int only_areas = argc > 1 && !strcmp(argv[1], "areas");
    n = argument(argc, argv, 2);
    m = only_areas ? 0 : argument(argc, argv, 3);
    ring_of = array(((size_t)n + 1) * 8);
    ring_of[0] = 0;
    for (int64_t i = 0; i < n; i++) ring_of[i + 1] = ring_of[i] + 1 + hash(i) / 1024 % 4;
    corner = array(((size_t)ring_of[n] + 1) * 8);
    corner[0] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < ring_of[i + 1] - ring_of[i]; r++) corner[ring_of[i] + r + 1] = corner[ring_of[i] + r] + ring_size(hash(i), r);
    const size_t bytes = (size_t)corner[ring_of[n]] * 8;
    x = array(bytes), y = array(bytes), x2 = array(bytes), y2 = array(bytes);
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t r = 0; r < ring_of[i + 1] - ring_of[i]; r++) {
            const int64_t size = ring_size(seed, r), from = corner[ring_of[i] + r];
            for (int64_t j = 0; j < size; j++) {
                const double far = r == 0 ? 16.0 + (double)(hash((seed + 31 * j) % 2147483647) % 16) : 3.0;
                double dx, dy;
                around(r == 0 ? j : size - 1 - j, size, &dx, &dy);
                x[from + j] = (double)(seed % 1024) + eighth(far * dx) + 6.0 * (double)(r > 1 ? r - 1 : 0);
                y[from + j] = (double)(hash(seed) % 1024) + eighth(far * dy);
            }
        }
    }
    area = array((size_t)n * 8), covers = array((size_t)m * 8), px = array((size_t)m * 8), py = array((size_t)m * 8);
    for (int64_t p = 0; p < m; p++) {
        px[p] = (double)(hash(p) % 4096) / 4.0 + 0.0625;
        py[p] = (double)(hash(p + 99999) % 4096) / 4.0 + 0.0625;
    }
    if (only_areas) {
        measure("c", "a loop per ring", areas, check_areas);
        return 0;
    }
    measure("c", "sides with branches", with_branches, check_covers);
    POISON(covers, m);
    measure("c", "sides by vectors", with_vectors, check_covers);
}
