// Fourier transforms of many square images: a thread per image, rows and then columns, by an iterative transform of radix 2 over all
// columns of the image side by side, so that both directions are vectors: the image is transposed behind each.
#include "peer.h"

enum { MOST = 64 };
static int64_t n, m;
static float *in_re, *in_im, *out_re, *out_im, root_re[MOST], root_im[MOST];
static int reversed[MOST];

/// Transforms all columns of an image at once: `re` and `im` have m rows of m numbers. The result is left transposed in `to`.
static void columns(const float *re, const float *im, float *to_re, float *to_im) {
    float a[MOST * MOST], b[MOST * MOST];
    for (int64_t r = 0; r < m; r++) {
        memcpy(a + reversed[r] * m, re + r * m, (size_t)m * 4);
        memcpy(b + reversed[r] * m, im + r * m, (size_t)m * 4);
    }
    for (int64_t half = 1; half < m; half *= 2)
        for (int64_t start = 0; start < m; start += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                const float wr = root_re[k * (m / (2 * half))], wi = root_im[k * (m / (2 * half))];
                float *restrict pr = a + (start + k) * m, *restrict pi = b + (start + k) * m;
                float *restrict qr = pr + half * m, *restrict qi = pi + half * m;
#pragma omp simd
                for (int64_t c = 0; c < m; c++) {
                    const float tr = qr[c] * wr - qi[c] * wi, ti = qr[c] * wi + qi[c] * wr;
                    qr[c] = pr[c] - tr, qi[c] = pi[c] - ti;
                    pr[c] += tr, pi[c] += ti;
                }
            }
    for (int64_t r = 0; r < m; r++)
        for (int64_t c = 0; c < m; c++) to_re[c * m + r] = a[r * m + c], to_im[c * m + r] = b[r * m + c];
}

static void images(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = i * m * m;
        columns(in_re + at, in_im + at, out_re + at, out_im + at);
        columns(out_re + at, out_im + at, out_re + at, out_im + at);
    }
}

static void check(void) {
    CHECKSUM(out_re, n * m * m);
    CHECKSUM(out_im, n * m * m);
}

int main(int argc, char **argv) {
    n = argument(argc, argv, 1), m = argument(argc, argv, 2);
    if (m > MOST || (m & (m - 1))) {
        fprintf(stderr, "the side of an image is a power of 2, at most %d\n", MOST);
        return 2;
    }
    const int64_t count = n * m * m;
    in_re = array((size_t)count * 4), in_im = array((size_t)count * 4);
    out_re = array((size_t)count * 4), out_im = array((size_t)count * 4);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < count; i++) in_re[i] = (float)(hash(i) % 8) / 8.0f, in_im[i] = (float)(hash(i + 3) % 8) / 8.0f;
    for (int64_t k = 0; k < m; k++) {
        root_re[k] = (float)cos(-2 * M_PI * (double)k / (double)m), root_im[k] = (float)sin(-2 * M_PI * (double)k / (double)m);
        reversed[k] = 0;
        for (int64_t bit = 1; bit < m; bit *= 2) reversed[k] = 2 * reversed[k] + ((k & bit) != 0);
    }
    POISON(out_re, count);
    measure("c", "a thread per image, radix 2", images, check);
}
