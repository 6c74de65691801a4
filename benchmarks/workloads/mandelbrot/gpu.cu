// Mandelbrot: a thread per pixel, blocks as rows of pixels and as squares.
#include "peer.cuh"

__device__ int escape_time(int bound, float cr, float ci) {
    float re = cr, im = ci;
    int steps = 0;
    while (steps < bound && __fmaf_rn(re, re, im * im) <= 4.0f) {
        const float next = __fmaf_rn(re, re, -(im * im)) + cr;
        im = __fmaf_rn(2.0f * re, im, ci);
        re = next;
        steps++;
    }
    return steps;
}

__global__ void picture(int n, int bound, int* out) {
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    const float step = 2.5f / float(n);
    if (i < n && j < n) out[int64_t(i) * n + j] = escape_time(bound, float(j) * step - 1.875f, float(i) * step - 1.25f);
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1), count = n * n;
    int32_t* out = array<int32_t>(count);
    const auto size = [=] { return count; };
    const auto blocks = [=](unsigned along, unsigned size) { return unsigned(along + size - 1) / size; };
    measure("cuda", "rows of 256", [=] { picture<<<dim3(blocks(n, 256), unsigned(n)), 256>>>(int(n), 256, out); }, out, size, count);
    measure("cuda", "squares of 16", [=] { picture<<<dim3(blocks(n, 16), blocks(n, 16)), dim3(16, 16)>>>(int(n), 256, out); }, out, size, count);
}
