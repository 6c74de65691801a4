// Implicit steps: a thread per line of a grid and strike, strikes side by side in memory, so that neighbouring threads read neighbouring numbers whatever the line's direction.
#include "peer.cuh"

/// A line of `size` cells, `step` apart, of which the first is at `at`; what it is multiplied with lies `apart` apart.
__host__ __device__ inline void solve(int64_t size, const double* r, int64_t apart, double* d, double* c, int64_t at, int64_t step) {
    double before = 0.0, last = d[at];
    for (int64_t i = 1; i < size - 1; i++) {
        const int64_t q = at + i * step;
        const double k = r[i * apart], below = 1.0 / (1.0 + 2.0 * k - k * before);
        before = k * below;
        last = (d[q] + k * last) * below;
        c[q] = before, d[q] = last;
    }
    double after = d[at + (size - 1) * step];
    for (int64_t i = size - 2; i > 0; i--) {
        const int64_t q = at + i * step;
        after = d[q] + c[q] * after;
        d[q] = after;
    }
}

int main(int argc, char** argv) {
    const int64_t steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4), count = argument(argc, argv, 5);
    const int64_t cells = n * m;
    double *along = array<double>(cells), *across = array<double>(cells), *u = array<double>(cells * count), *v = array<double>(cells * count);
    double *c = array<double>(cells * count), *out = array<double>(count);
    each(cells, [=] __device__(int64_t i) {
        along[i] = 0.25 + double(hash(i) % 64) / 128.0;
        across[i] = 0.125 + double(hash(i + 77) % 64) / 256.0;
    });
    measure("cuda", "a thread per line", [=] {
        each(cells * count, [=] __device__(int64_t q) {
            const int64_t s = q % count, j = q / count % m;
            const double strike = double(m) * (0.25 + 0.5 * double(s) / double(count));
            u[q] = max(double(j) - strike, 0.0);
        });
        for (int64_t t = 0; t < steps; t++) {
            each(cells * count, [=] __device__(int64_t q) {
                const int64_t cell = q / count, i = cell / m, up = m * count;
                v[q] = i == 0 || i == n - 1 ? u[q] : u[q] + across[cell] * (u[q - up] - 2.0 * u[q] + u[q + up]);
            });
            each(n * count, [=] __device__(int64_t line) {
                const int64_t i = line / count;
                solve(m, along + i * m, 1, v, c, i * m * count + line % count, count);
            });
            each(cells * count, [=] __device__(int64_t q) {
                const int64_t cell = q / count, j = cell % m;
                u[q] = j == 0 || j == m - 1 ? v[q] : v[q] + along[cell] * (v[q - count] - 2.0 * v[q] + v[q + count]);
            });
            each(m * count, [=] __device__(int64_t line) {
                const int64_t j = line / count;
                solve(n, across + j, m, u, c, line, m * count);
            });
        }
        each(count, [=] __device__(int64_t s) { out[s] = u[(n / 2 * m + m / 2) * count + s]; });
    }, out, [=] { return count; }, count);
}
