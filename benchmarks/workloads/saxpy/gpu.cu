// a * x + y: a grid-stride loop, plain and four elements wide.
#include "peer.cuh"

__global__ void plain(int64_t n, float a, const float* xs, const float* ys, float* out) {
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += int64_t(gridDim.x) * blockDim.x)
        out[i] = fmaf(a, xs[i], ys[i]);
}

__global__ void wide(int64_t n, float a, const float4* xs, const float4* ys, float4* out) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 x = xs[i], y = ys[i];
    out[i] = make_float4(fmaf(a, x.x, y.x), fmaf(a, x.y, y.y), fmaf(a, x.z, y.z), fmaf(a, x.w, y.w));
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1) / 4 * 4;
    float *xs = array<float>(n), *ys = array<float>(n), *out = array<float>(n);
    each(n, [=] __device__(int64_t i) {
        xs[i] = float(hash(i) % 64) / 8.0f;
        ys[i] = float(hash(i + 77) % 64) / 8.0f;
    });
    const auto count = [=] { return n; };
    measure("cuda", "grid stride", [=] { plain<<<132 * 16, 512>>>(n, 1.5f, xs, ys, out); }, out, count, n);
    measure("cuda", "four wide", [=] {
        wide<<<unsigned((n / 4 + 255) / 256), 256>>>(n / 4, 1.5f, (const float4*)xs, (const float4*)ys, (float4*)out);
    }, out, count, n);
}
