// Errors of the Heston model: a thread per pair of a candidate and a quote, then a block per candidate that adds up.
#include "peer.cuh"

#include <thrust/complex.h>

using complex = thrust::complex<double>;

struct Candidate {
    double speed, level, wildness, rho, start;
};

__host__ __device__ inline double part(int64_t i) { return double(hash(i) % 64) / 128.0; }

__global__ void add_rows(int64_t m, const double* rows, double* out) {
    double s = 0;
    for (int64_t j = threadIdx.x; j < m; j += blockDim.x) s += rows[blockIdx.x * m + j];
    s = block_sum(s);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}

int main(int argc, char** argv) {
    const int64_t points = argument(argc, argv, 2), quotes = argument(argc, argv, 3), candidates = argument(argc, argv, 4);
    const double h = 64.0 / double(points);
    Candidate* all = array<Candidate>(candidates);
    double *strike = array<double>(quotes), *years = array<double>(quotes), *price = array<double>(quotes);
    double *squares = array<double>(candidates * quotes), *out = array<double>(candidates);
    each(candidates, [=] __device__(int64_t k) {
        const int64_t c = 5 * k;
        all[k] = {1.0 + 2.0 * part(c), 0.04 + 0.1 * part(c + 1), 0.3 + part(c + 2), -0.8 + part(c + 3), 0.02 + 0.1 * part(c + 4)};
    });
    each(quotes, [=] __device__(int64_t q) { strike[q] = 0.75 + part(q), years[q] = 0.25 + 2.0 * part(q + 77), price[q] = 0.5 * part(q + 777); });
    measure("cuda", "a thread per pair", [=] {
        each(candidates * quotes, [=] __device__(int64_t k) {
            const Candidate c = all[k / quotes];
            const int64_t j = k % quotes;
            const double variance = c.wildness * c.wildness, t = years[j], x = -log(strike[j]);
            const double scale = c.speed * c.level / variance, first = c.start / variance;
            double s = 0;
            for (int64_t p = 0; p < points; p++) {
                const double u = (double(p) + 0.5) * h, weight = h / (u * u + 0.25);
                const complex b(c.speed - 0.5 * c.rho * c.wildness, -c.rho * c.wildness * u);
                const complex d = thrust::sqrt(b * b + variance * (u * u + 0.25));
                const complex less = b - d, g = less / (b + d), decay = thrust::exp(-t * d), rest = 1.0 - g * decay;
                const complex whole = scale * (t * less - 2.0 * thrust::log(rest / (1.0 - g))) + first * less * (1.0 - decay) / rest + complex(0.0, u * x);
                s += weight * thrust::exp(whole).real();
            }
            const double e = 1.0 - sqrt(strike[j]) / 3.14159265358979323846 * s - price[j];
            squares[k] = e * e;
        });
        add_rows<<<unsigned(candidates), 256>>>(quotes, squares, out);
    }, out, [=] { return candidates; }, candidates);
}
