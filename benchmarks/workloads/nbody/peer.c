// All pairs of bodies: a body per thread and turn, the others side by side in vectors; or 16 bodies side by side, the others in turn.
#include "peer.h"

static int64_t n;
static float *x, *y, *z, *mass, *ax, *ay, *az;

static void others_side_by_side(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
#pragma omp simd reduction(+ : sx, sy, sz)
        for (int64_t j = 0; j < n; j++) {
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float squared = dx * dx + dy * dy + dz * dz + 0.0001f;
            const float strength = mass[j] / (squared * sqrtf(squared));
            sx += dx * strength, sy += dy * strength, sz += dz * strength;
        }
        ax[i] = sx, ay[i] = sy, az[i] = sz;
    }
}

enum { WIDE = 32 };

static void bodies_side_by_side(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i += WIDE) {
        float sx[WIDE] = {0}, sy[WIDE] = {0}, sz[WIDE] = {0};
        for (int64_t j = 0; j < n; j++) {
#pragma omp simd
            for (int l = 0; l < WIDE; l++) {
                const float dx = x[j] - x[i + l], dy = y[j] - y[i + l], dz = z[j] - z[i + l];
                const float squared = dx * dx + dy * dy + dz * dz + 0.0001f;
                const float strength = mass[j] / (squared * sqrtf(squared));
                sx[l] += dx * strength, sy[l] += dy * strength, sz[l] += dz * strength;
            }
        }
        for (int l = 0; l < WIDE && i + l < n; l++) ax[i + l] = sx[l], ay[i + l] = sy[l], az[i + l] = sz[l];
    }
}

static void check(void) {
    CHECKSUM(ax, n);
    CHECKSUM(ay, n);
    CHECKSUM(az, n);
}

static float unit(int64_t i) { return (float)(hash(i) % 4096) / 4096.0f; }

int main(int argc, char **argv) {
    n = argument(argc, argv, 1);
    float **all[] = {&x, &y, &z, &mass, &ax, &ay, &az};
    for (int k = 0; k < 7; k++) {
        *all[k] = array((size_t)(n + WIDE) * 4);
        memset(*all[k], 0, (size_t)(n + WIDE) * 4);
    }
    for (int64_t i = 0; i < n; i++) x[i] = unit(4 * i), y[i] = unit(4 * i + 1), z[i] = unit(4 * i + 2), mass[i] = unit(4 * i + 3);
    POISON(ax, n);
    measure("c", "others side by side", others_side_by_side, check);
    POISON(ax, n);
    measure("c", "bodies side by side", bodies_side_by_side, check);
}
