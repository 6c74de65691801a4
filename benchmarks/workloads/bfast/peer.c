// Breaks in time series: one series per thread at a time. Values that are there are gathered first with their regressors, so that all later loops
// run over dense arrays; of the normal equations only the lower half is added up, and solved by Cholesky's method. The second way uses all
// values with a weight of 0 for gaps, so that the first loop needs no gathering.
#include "peer.h"

enum { K = 8 };
static int64_t m, n, history;
static double *regressors, *series, *means;
static int64_t *when;
static const double boundary = 1.5;

static void solve(double a[K][K], double *b) {
    for (int j = 0; j < K; j++) {
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < K; i++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < K; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = K - 1; i >= 0; i--) {
        for (int k = i + 1; k < K; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/// The sums behind the fit; `sums` has room for a number more than there are values.
static void finish(int64_t s, int64_t seen, int64_t past, const int64_t *at, const double *ys, const double *fit, double *sums) {
    double squares = 0, total = 0;
    sums[0] = 0;
    for (int64_t q = 0; q < seen; q++) {
        const double *x = regressors + at[q] * K;
        double r = ys[at[q]];
        for (int k = 0; k < K; k++) r -= x[k] * fit[k];
        if (q < past) squares += r * r;
        sums[q + 1] = sums[q] + r;
    }
    const double scale = 1.0 / (sqrt(squares / (double)(past - K)) * sqrt((double)past));
    const int64_t width = past / 4;
    when[s] = -1;
    for (int64_t q = past; q < seen; q++) {
        const double moving = (sums[q + 1] - sums[q + 1 - width]) * scale;
        total += moving;
        if (when[s] < 0) {
            const double grown = log((double)(q + 1) / (double)past);
            if (fabs(moving) > boundary * sqrt(grown > 1.0 ? grown : 1.0)) when[s] = at[q];
        }
    }
    means[s] = seen > past ? total / (double)(seen - past) : 0.0;
}

static inline void add(double a[K][K], double *b, const double *x, double y) {
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) a[i][j] += x[i] * x[j];
    for (int i = 0; i < K; i++) b[i] += x[i] * y;
}

static void gathered(void) {
#pragma omp parallel
    {
        int64_t *at = malloc((size_t)n * 8);
        double *sums = malloc((size_t)(n + 1) * 8);
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < m; s++) {
            const double *ys = series + s * n;
            int64_t seen = 0, past = 0;
            for (int64_t t = 0; t < n; t++) {
                at[seen] = t;
                const int there = ys[t] == ys[t];
                seen += there, past += there && t < history;
            }
            double a[K][K] = {{0}}, b[K] = {0};
            for (int64_t q = 0; q < past; q++) add(a, b, regressors + at[q] * K, ys[at[q]]);
            solve(a, b);
            finish(s, seen, past, at, ys, b, sums);
        }
        free(at), free(sums);
    }
}

static void in_place(void) {
#pragma omp parallel
    {
        int64_t *at = malloc((size_t)n * 8);
        double *sums = malloc((size_t)(n + 1) * 8);
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < m; s++) {
            const double *ys = series + s * n;
            int64_t seen = 0, past = 0;
            double a[K][K] = {{0}}, b[K] = {0};
            for (int64_t t = 0; t < n; t++) {
                if (ys[t] != ys[t]) continue;
                at[seen++] = t;
                if (t < history) past++, add(a, b, regressors + t * K, ys[t]);
            }
            solve(a, b);
            finish(s, seen, past, at, ys, b, sums);
        }
        free(at), free(sums);
    }
}

static double wave(int64_t k, int64_t t) {
    const double angle = 2.0 * M_PI * (double)(k / 2) * (double)t / 23.0;
    return k % 2 ? cos(angle) : sin(angle);
}

static void check(void) {
    CHECKSUM(when, m);
    CHECKSUM(means, m);
}

int main(int argc, char **argv) {
    m = argument(argc, argv, 2), n = argument(argc, argv, 3), history = n / 2;
    regressors = array((size_t)(n * K) * 8), series = array((size_t)(m * n) * 8), means = array((size_t)m * 8), when = array((size_t)m * 8);
    for (int64_t t = 0; t < n; t++)
        for (int k = 0; k < K; k++) regressors[t * K + k] = k == 0 ? 1.0 : k == 1 ? (double)t / (double)n : wave(k, t);
#pragma omp parallel for
    for (int64_t i = 0; i < m; i++)
        for (int64_t t = 0; t < n; t++) {
            const int64_t h = hash(i * n + t);
            const double risen = i % 3 == 0 && t > 3 * n / 4 ? 1.0 : 0.0;
            series[i * n + t] = h % 8 < 3 ? NAN : 2.0 + regressors[t * K + 2] + (double)(h / 8 % 64) / 64.0 + risen;
        }
    POISON(when, m);
    POISON(means, m);
    measure("c", "gathered", gathered, check);
    POISON(when, m);
    POISON(means, m);
    measure("c", "in place", in_place, check);
}
