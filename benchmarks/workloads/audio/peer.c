// Frames of a sound: one frame per thread at a time. The transform is Stockham's with tables of roots made once; the second way transforms a frame
// of real numbers as one of half as many complex numbers.
#include "peer.h"

static int64_t size, step, n, frames;
static double *samples, *window, *cosines, *sines, *loud, *bands;
static int64_t *pitch;

/// The transform of m numbers in (re, im), with (tr, ti) as the other side; the roots are those of `size`. Where the result is: 0 or 1.
static int transform(int64_t m, double *re, double *im, double *tr, double *ti) {
    int side = 0;
    for (int64_t half = m / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
        for (int64_t p = 0; p < half; p++) {
            const int64_t root = p * (size / (2 * half));
            const double c = cosines[root], s = -sines[root];
            const double *restrict ar = re + stride * p, *restrict ai = im + stride * p, *restrict br = re + stride * (p + half), *restrict bi = im + stride * (p + half);
            double *restrict xr = tr + stride * 2 * p, *restrict xi = ti + stride * 2 * p, *restrict yr = xr + stride, *restrict yi = xi + stride;
#pragma omp simd
            for (int64_t q = 0; q < stride; q++) {
                const double dr = ar[q] - br[q], di = ai[q] - bi[q];
                xr[q] = ar[q] + br[q], xi[q] = ai[q] + bi[q];
                yr[q] = dr * c - di * s, yi[q] = dr * s + di * c;
            }
        }
        double *swap = re;
        re = tr, tr = swap, swap = im, im = ti, ti = swap;
        side = !side;
    }
    return side;
}

static void whole(const double *x, double *room, double *power) {
    double *re = room, *im = re + size, *tr = im + size, *ti = tr + size;
    for (int64_t k = 0; k < size; k++) re[k] = x[k] * window[k], im[k] = 0;
    if (transform(size, re, im, tr, ti)) re = tr, im = ti;
    for (int64_t k = 0; k <= size / 2; k++) power[k] = re[k] * re[k] + im[k] * im[k];
}

/// Even samples are real parts, odd ones imaginary parts; both transforms are taken apart afterwards.
static void halved(const double *x, double *room, double *power) {
    const int64_t half = size / 2;
    double *re = room, *im = re + half, *tr = im + half, *ti = tr + half;
    for (int64_t k = 0; k < half; k++) re[k] = x[2 * k] * window[2 * k], im[k] = x[2 * k + 1] * window[2 * k + 1];
    if (transform(half, re, im, tr, ti)) re = tr, im = ti;
    for (int64_t k = 0; k <= half; k++) {
        const int64_t a = k % half, b = (half - k) % half;
        const double er = 0.5 * (re[a] + re[b]), ei = 0.5 * (im[a] - im[b]), dr = 0.5 * (im[a] + im[b]), di = 0.5 * (re[b] - re[a]);
        const double c = k == half ? -1.0 : cosines[k], s = k == half ? 0.0 : -sines[k];
        const double zr = er + c * dr - s * di, zi = ei + c * di + s * dr;
        power[k] = zr * zr + zi * zi;
    }
}

static inline __attribute__((always_inline)) void all(void (*spectrum)(const double *, double *, double *)) {
#pragma omp parallel
    {
        double *room = malloc((size_t)size * 5 * 8), *power = room + 4 * size;
#pragma omp for schedule(static)
        for (int64_t f = 0; f < frames; f++) {
            const double *x = samples + f * step;
            double squares = 0;
#pragma omp simd reduction(+ : squares)
            for (int64_t k = 0; k < size; k++) squares += x[k] * x[k];
            loud[f] = sqrt(squares / (double)size);
            spectrum(x, room, power);
            int64_t best = 1;
            for (int64_t k = 2; k <= size / 2; k++)
                if (power[k] > power[best]) best = k;
            pitch[f] = best;
            for (int b = 0; b < 8; b++) {
                const int64_t to = 2 << b < size / 2 + 1 ? 2 << b : size / 2 + 1;
                double s = 0;
                for (int64_t k = 1 << b; k < to; k++) s += power[k];
                bands[8 * f + b] = s;
            }
        }
        free(room);
    }
}

static void by_whole(void) { all(whole); }
static void by_half(void) { all(halved); }
static void check(void) {
    CHECKSUM(loud, frames);
    CHECKSUM(pitch, frames);
    CHECKSUM(bands, 8 * frames);
}

int main(int argc, char **argv) {
    size = argument(argc, argv, 2), step = argument(argc, argv, 3), n = argument(argc, argv, 4);
    frames = n < size ? 0 : (n - size) / step + 1;
    samples = array((size_t)n * 8), window = array((size_t)size * 8), cosines = array((size_t)size * 8), sines = array((size_t)size * 8);
    loud = array((size_t)frames * 8), pitch = array((size_t)frames * 8), bands = array((size_t)frames * 64);
    for (int64_t i = 0; i < n; i++)
        samples[i] = 0.5 * sin(0.05 * (double)i * (1.0 + 20.0 * ((double)i / (double)n))) + (double)(hash(i) % 64 - 32) / 256.0;
    for (int64_t k = 0; k < size; k++) {
        const double angle = 2.0 * M_PI * (double)k / (double)size;
        cosines[k] = cos(angle), sines[k] = sin(angle), window[k] = 0.5 - 0.5 * cos(angle);
    }
    POISON(bands, 8 * frames);
    measure("c", "transforms of whole frames", by_whole, check);
    POISON(bands, 8 * frames);
    measure("c", "transforms of half the length", by_half, check);
}
