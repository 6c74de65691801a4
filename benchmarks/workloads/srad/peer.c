// Anisotropic diffusion: a step finds the noise, then the coefficients of all cells, then the new image. Only coefficients are kept; differences are
// taken again. Threads share images, or the rows of an image.
#include "peer.h"

static int64_t steps, b, n, m;
static float *images, *out, *shared;
static const float rate = 0.5f;

static void sums(const float *image, int64_t from, int64_t to, double *sum, double *squares) {
    double s = 0, q = 0;
#pragma omp simd reduction(+ : s, q)
    for (int64_t i = from; i < to; i++) s += image[i], q += image[i] * image[i];
    *sum = s, *squares = q;
}

static float noise_of(double sum, double squares) {
    const double mean = sum / (double)(n * m);
    return (float)((squares / (double)(n * m) - mean * mean) / (mean * mean));
}

static inline float coefficient(float here, float up, float down, float left, float right, float noise) {
    up -= here, down -= here, left -= here, right -= here;
    const float gradient = (up * up + down * down + left * left + right * right) / (here * here), laplacian = (up + down + left + right) / here;
    const float scale = 1.0f + 0.25f * laplacian, variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    const float c = 1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise)));
    return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

static int64_t within(int64_t i) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static void coefficients(const float *restrict image, float *restrict c, float noise, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++) {
        const float *a = image + within(i - 1) * m, *r = image + i * m, *z = image + within(i + 1) * m;
        float *to = c + i * m;
        to[0] = coefficient(r[0], a[0], z[0], r[0], r[m > 1], noise);
#pragma omp simd
        for (int64_t j = 1; j < m - 1; j++) to[j] = coefficient(r[j], a[j], z[j], r[j - 1], r[j + 1], noise);
        if (m > 1) to[m - 1] = coefficient(r[m - 1], a[m - 1], z[m - 1], r[m - 2], r[m - 1], noise);
    }
}

static inline float moved(float here, float up, float down, float left, float right, float c, float below, float beside) {
    return here + 0.25f * rate * (c * (up - here) + below * (down - here) + c * (left - here) + beside * (right - here));
}

static void diffuse(const float *restrict image, const float *restrict c, float *restrict to, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++) {
        const float *a = image + within(i - 1) * m, *r = image + i * m, *z = image + within(i + 1) * m, *k = c + i * m, *l = c + within(i + 1) * m;
        float *t = to + i * m;
        t[0] = moved(r[0], a[0], z[0], r[0], r[m > 1], k[0], l[0], k[m > 1]);
#pragma omp simd
        for (int64_t j = 1; j < m - 1; j++) t[j] = moved(r[j], a[j], z[j], r[j - 1], r[j + 1], k[j], l[j], k[j + 1]);
        const int64_t e = m - 1;
        if (m > 1) t[e] = moved(r[e], a[e], z[e], r[e - 1], r[e], k[e], l[e], k[e]);
    }
}

static void over_images(void) {
#pragma omp parallel
    {
        float *room = malloc((size_t)(2 * n * m) * 4), *c = room + n * m;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < b; k++) {
            const float *from = images + k * n * m;
            float *result = out + k * n * m;
            if (steps == 0) memcpy(result, from, (size_t)(n * m) * 4);
            for (int64_t s = 0; s < steps; s++) {
                float *to = (steps - 1 - s) % 2 ? room : result;
                double sum, squares;
                sums(from, 0, n * m, &sum, &squares);
                coefficients(from, c, noise_of(sum, squares), 0, n);
                diffuse(from, c, to, 0, n);
                from = to;
            }
        }
        free(room);
    }
}

static void inside_images(void) {
    float *c = shared, *room = shared + n * m;
    double all[256], squares[256];
    for (int64_t k = 0; k < b; k++) {
        if (steps == 0) memcpy(out + k * n * m, images + k * n * m, (size_t)(n * m) * 4);
#pragma omp parallel
        {
            const int64_t t = omp_get_thread_num(), threads = omp_get_num_threads(), lo = n * t / threads, hi = n * (t + 1) / threads;
            const float *from = images + k * n * m;
            for (int64_t s = 0; s < steps; s++) {
                float *to = (steps - 1 - s) % 2 ? room : out + k * n * m;
                sums(from, lo * m, hi * m, all + t, squares + t);
#pragma omp barrier
                double sum = 0, square = 0;
                for (int64_t q = 0; q < threads; q++) sum += all[q], square += squares[q];
                coefficients(from, c, noise_of(sum, square), lo, hi);
#pragma omp barrier
                diffuse(from, c, to, lo, hi);
                from = to;
#pragma omp barrier
            }
        }
    }
}

static void check(void) { CHECKSUM(out, b * n * m); }
static int64_t distance(int64_t a) { return a < 0 ? -a : a; }

int main(int argc, char **argv) {
    steps = argument(argc, argv, 2), b = argument(argc, argv, 3), n = argument(argc, argv, 4), m = argument(argc, argv, 5);
    images = array((size_t)(b * n * m) * 4), out = array((size_t)(b * n * m) * 4), shared = array((size_t)(2 * n * m) * 4);
    for (int64_t k = 0; k < b; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                const int inside = distance(2 * i - n) < n / 2 && distance(2 * j - m) < m / 2;
                const int64_t q = (k * n + i) * m + j;
                images[q] = (inside ? 3.0f : 1.0f) + (float)(hash(q) % 64) / 128.0f;
            }
    POISON(out, b * n * m);
    measure("c", "over images", over_images, check);
    POISON(out, b * n * m);
    measure("c", "inside an image", inside_images, check);
}
