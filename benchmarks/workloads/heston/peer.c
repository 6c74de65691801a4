// Errors of the Heston model: complex numbers of C, and complex numbers by hand with the exponential and the logarithm of the real library.
// Pairs of candidates and quotes are shared among threads.
#include "peer.h"
#include <complex.h>

static int64_t points, quotes, candidates;
static double *node, *weight, *strike, *years, *price, *out;
static double (*candidate)[5];

static double complex characteristic(const double *c, double t, double u) {
    const double speed = c[0], level = c[1], wildness = c[2], rho = c[3], start = c[4], variance = wildness * wildness;
    const double complex b = CMPLX(speed - 0.5 * rho * wildness, -rho * wildness * u);
    const double complex d = csqrt(b * b + variance * (u * u + 0.25)), less = b - d, g = less / (b + d), decay = cexp(-t * d);
    const double complex rest = 1.0 - g * decay;
    return cexp(speed * level / variance * (t * less - 2.0 * clog(rest / (1.0 - g))) + start / variance * less * ((1.0 - decay) / rest));
}

static double by_library(const double *c, int64_t q) {
    const double k = -log(strike[q]);
    double s = 0;
    for (int64_t i = 0; i < points; i++) {
        const double u = node[i];
        s += weight[i] * creal(cexp(CMPLX(0, u * k)) * characteristic(c, years[q], u)) / (u * u + 0.25);
    }
    return s;
}

typedef struct { double re, im; } number;
static inline number mul(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static inline number quo(number a, number b) {
    const double s = 1.0 / (b.re * b.re + b.im * b.im);
    return (number){(a.re * b.re + a.im * b.im) * s, (a.im * b.re - a.re * b.im) * s};
}
static inline number power_of_e(number a) {
    const double r = exp(a.re);
    return (number){r * cos(a.im), r * sin(a.im)};
}

/// The last exponential takes the angle of the payoff's factor with it, so that one pair of sine and cosine is saved.
static double by_hand(const double *c, int64_t q) {
    const double speed = c[0], level = c[1], wildness = c[2], rho = c[3], start = c[4], variance = wildness * wildness, t = years[q];
    const double k = -log(strike[q]), slope = speed * level / variance, spread = start / variance;
    double s = 0;
    for (int64_t i = 0; i < points; i++) {
        const double u = node[i], v = u * u + 0.25;
        const number b = {speed - 0.5 * rho * wildness, -rho * wildness * u}, bb = mul(b, b), x = {bb.re + variance * v, bb.im};
        const double length = sqrt(x.re * x.re + x.im * x.im);
        const double re = sqrt(0.5 * (length + fabs(x.re))), im = 0.5 * fabs(x.im) / re;
        const number d = {x.re >= 0 ? re : im, copysign(x.re >= 0 ? im : re, x.im)};
        const number less = {b.re - d.re, b.im - d.im}, g = quo(less, (number){b.re + d.re, b.im + d.im});
        const number decay = power_of_e((number){-t * d.re, -t * d.im}), gd = mul(g, decay), rest = {1.0 - gd.re, -gd.im};
        const number ratio = quo(rest, (number){1.0 - g.re, -g.im});
        const number logarithm = {0.5 * log(ratio.re * ratio.re + ratio.im * ratio.im), atan2(ratio.im, ratio.re)};
        const number part = mul(less, quo((number){1.0 - decay.re, -decay.im}, rest));
        const double up = slope * (t * less.re - 2.0 * logarithm.re) + spread * part.re;
        const double round = slope * (t * less.im - 2.0 * logarithm.im) + spread * part.im + u * k;
        s += weight[i] * exp(up) * cos(round) / v;
    }
    return s;
}

static inline __attribute__((always_inline)) void all(double (*integral)(const double *, int64_t)) {
    memset(out, 0, (size_t)candidates * sizeof *out);
#pragma omp parallel for collapse(2) schedule(static) reduction(+ : out[:candidates])
    for (int64_t c = 0; c < candidates; c++)
        for (int64_t q = 0; q < quotes; q++) {
            const double d = 1.0 - sqrt(strike[q]) / M_PI * integral(candidate[c], q) - price[q];
            out[c] += d * d;
        }
}

static void library(void) { all(by_library); }
static void hand(void) { all(by_hand); }
static void check(void) { CHECKSUM(out, candidates); }
static double part(int64_t i) { return (double)(hash(i) % 64) / 128.0; }

int main(int argc, char **argv) {
    points = argument(argc, argv, 2), quotes = argument(argc, argv, 3), candidates = argument(argc, argv, 4);
    node = array((size_t)points * 8), weight = array((size_t)points * 8), strike = array((size_t)quotes * 8), years = array((size_t)quotes * 8);
    price = array((size_t)quotes * 8), candidate = array((size_t)candidates * 40), out = array((size_t)candidates * 8);
    for (int64_t i = 0; i < points; i++) weight[i] = 64.0 / (double)points, node[i] = ((double)i + 0.5) * weight[i];
    for (int64_t i = 0; i < quotes; i++) strike[i] = 0.75 + part(i), years[i] = 0.25 + 2.0 * part(i + 77), price[i] = 0.5 * part(i + 777);
    for (int64_t i = 0; i < candidates; i++) {
        const double low[5] = {1.0, 0.04, 0.3, -0.8, 0.02}, wide[5] = {2.0, 0.1, 1.0, 1.0, 0.1};
        for (int k = 0; k < 5; k++) candidate[i][k] = low[k] + wide[k] * part(5 * i + k);
    }
    POISON(out, candidates);
    measure("c", "complex numbers of C", library, check);
    POISON(out, candidates);
    measure("c", "complex numbers by hand", hand, check);
}
