// The temperature of a chip: a thread per cell, a kernel per step, two grids in turn.
#include "peer.cuh"

__global__ void step_of(int32_t n, int32_t m, const float* from, const float* power, float* to, float step, float across, float along, float up) {
    const int32_t j = blockIdx.x % ((m + 31) / 32) * 32 + threadIdx.x % 32, i = blockIdx.x / ((m + 31) / 32) * 8 + threadIdx.x / 32;
    if (i >= n || j >= m) return;
    const float* row = from + int64_t(i) * m;
    const float here = row[j], above = i > 0 ? row[j - m] : here, below = i + 1 < n ? row[j + m] : here;
    const float left = j > 0 ? row[j - 1] : here, right = j + 1 < m ? row[j + 1] : here;
    to[int64_t(i) * m + j] = here + step * (power[int64_t(i) * m + j] + (above + below - 2.0f * here) * along
                                            + (left + right - 2.0f * here) * across + (80.0f - here) * up);
}

int main(int argc, char** argv) {
    const int64_t steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4);
    float *given = array<float>(n * m), *power = array<float>(n * m), *a = array<float>(n * m), *b = array<float>(n * m);
    each(n * m, [=] __device__(int64_t i) {
        given[i] = 323.0f + float(hash(i) % 64) / 8.0f;
        power[i] = float(hash(i + 77) % 64) / 8192.0f;
    });
    const double height = 2.0e-5, width = 1.6e-5, thickness = 0.0005;
    const float step = float(0.001 / (3.0e6 / (0.5 * thickness * 1.75e6)) / (0.5 * 1.75e6 * thickness * width * height));
    const float across = float(200.0 * thickness * height / width), along = float(200.0 * thickness * width / height);
    const float up = float(100.0 * height * width / thickness);
    const unsigned blocks = unsigned((m + 31) / 32 * ((n + 7) / 8));
    float* last = steps % 2 == 1 ? a : b;
    measure("cuda", "a thread per cell, a kernel per step", [=] {
        const float* from = given;
        for (int64_t s = 0; s < steps; s++) {
            float* to = s % 2 == 0 ? a : b;
            step_of<<<blocks, 256>>>(int32_t(n), int32_t(m), from, power, to, step, across, along, up);
            from = to;
        }
    }, last, [=] { return n * m; }, n * m);
}
