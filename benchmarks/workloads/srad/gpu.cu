// Anisotropic diffusion: in every step the sums of each image by some blocks and atomic additions, the coefficients, the new image; a thread per cell.
#include "peer.cuh"

__global__ void add_up(int64_t cells, int64_t parts, const float* images, double* sums) {
    const int64_t image = blockIdx.x / parts, part = blockIdx.x % parts;
    double s = 0, q = 0;
    for (int64_t k = part * blockDim.x + threadIdx.x; k < cells; k += parts * blockDim.x) {
        const double x = images[image * cells + k];
        s += x, q += x * x;
    }
    s = block_sum(s);
    q = block_sum(q);
    if (threadIdx.x == 0) atomicAdd(sums + 2 * image, s), atomicAdd(sums + 2 * image + 1, q);
}

__host__ __device__ inline void around(const float* x, int64_t n, int64_t m, int64_t i, int64_t j, float& up, float& down, float& left, float& right) {
    const float h = *x;
    up = (i > 0 ? x[-m] : h) - h, down = (i + 1 < n ? x[m] : h) - h;
    left = (j > 0 ? x[-1] : h) - h, right = (j + 1 < m ? x[1] : h) - h;
}

int main(int argc, char** argv) {
    const int64_t steps = argument(argc, argv, 2), b = argument(argc, argv, 3), n = argument(argc, argv, 4), m = argument(argc, argv, 5);
    const int64_t cells = n * m, all = b * cells;
    float *given = array<float>(all), *c = array<float>(all), *even = array<float>(all), *odd = array<float>(all);
    double* sums = array<double>(2 * b);
    each(all, [=] __device__(int64_t q) {
        const int64_t i = q % cells / m, j = q % m, di = 2 * i - n, dj = 2 * j - m;
        const bool middle = (di < 0 ? -di : di) < n / 2 && (dj < 0 ? -dj : dj) < m / 2;
        given[q] = (middle ? 3.0f : 1.0f) + float(hash(q) % 64) / 128.0f;
    });
    const int64_t parts = b >= 512 ? 1 : (132 * 8 + b - 1) / b;
    float* last = steps % 2 == 1 ? odd : even;
    measure("cuda", "three kernels per step", [=] {
        for (int64_t t = 0; t < steps; t++) {
            const float* x = t == 0 ? given : t % 2 == 0 ? even : odd;
            float* to = t % 2 == 0 ? odd : even;
            CUDA(cudaMemsetAsync(sums, 0, size_t(16 * b)));
            add_up<<<unsigned(b * parts), 256>>>(cells, parts, x, sums);
            each(all, [=] __device__(int64_t q) {
                const double mean = sums[2 * (q / cells)] / double(cells);
                const float noise = float((sums[2 * (q / cells) + 1] / double(cells) - mean * mean) / (mean * mean)), h = x[q];
                float up, down, left, right;
                around(x + q, n, m, q % cells / m, q % m, up, down, left, right);
                const float gradient = (up * up + down * down + left * left + right * right) / (h * h), laplacian = (up + down + left + right) / h;
                const float scale = 1.0f + 0.25f * laplacian;
                const float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
                c[q] = min(max(1.0f / (1.0f + (variation - noise) / (noise * (1.0f + noise))), 0.0f), 1.0f);
            });
            each(all, [=] __device__(int64_t q) {
                const int64_t i = q % cells / m, j = q % m;
                float up, down, left, right;
                around(x + q, n, m, i, j, up, down, left, right);
                const float own = c[q], below = i + 1 < n ? c[q + m] : own, beside = j + 1 < m ? c[q + 1] : own;
                to[q] = x[q] + 0.125f * (own * up + below * down + own * left + beside * right);
            });
        }
    }, last, [=] { return all; }, all);
}
