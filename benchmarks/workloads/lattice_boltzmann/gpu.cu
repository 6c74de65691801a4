// Lattice Boltzmann: a thread per cell, a kernel per step, nine grids read and nine written.
#include "peer.cuh"

struct Lattice {
    int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
};

__global__ void step_of(int32_t n, int32_t m, const uint8_t* solid, const float* from, float* to) {
    constexpr Lattice l;
    const int32_t j = blockIdx.x % ((m + 31) / 32) * 32 + threadIdx.x % 32, i = blockIdx.x / ((m + 31) / 32) * 8 + threadIdx.x / 32;
    if (i >= n || j >= m) return;
    const int64_t cells = int64_t(n) * m, here = int64_t(i) * m + j;
    float g[9];
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const int32_t y = i - l.dy[k], x = j - l.dx[k];
        g[k] = from[k * cells + int64_t(y < 0 ? y + n : y >= n ? y - n : y) * m + (x < 0 ? x + m : x >= m ? x - m : x)];
    }
    if (solid[here]) {
#pragma unroll
        for (int k = 0; k < 9; k++) to[k * cells + here] = g[l.opposite[k]];
        return;
    }
    const float density = g[0] + g[1] + g[2] + g[3] + g[4] + g[5] + g[6] + g[7] + g[8];
    const float x = (g[1] - g[3] + g[5] - g[6] - g[7] + g[8]) / density, y = (g[2] - g[4] + g[5] + g[6] - g[7] - g[8]) / density;
    const float still = 1.0f - 1.5f * (x * x + y * y);
#pragma unroll
    for (int k = 0; k < 9; k++) {
        const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36, along = 3.0f * (float(l.dx[k]) * x + float(l.dy[k]) * y);
        to[k * cells + here] = g[k] + 1.25f * (weight * density * (still + along + 0.5f * along * along) - g[k]);
    }
}

int main(int argc, char** argv) {
    const int64_t steps = argument(argc, argv, 2), n = argument(argc, argv, 3), m = argument(argc, argv, 4), cells = n * m;
    uint8_t* solid = array<uint8_t>(cells);
    float *given = array<float>(9 * cells), *a = array<float>(9 * cells), *b = array<float>(9 * cells);
    each(cells, [=] __device__(int64_t i) {
        constexpr Lattice l;
        solid[i] = hash(i) % 100 == 0;
        for (int k = 0; k < 9; k++) {
            const float weight = k == 0 ? 4.0f / 9 : k < 5 ? 1.0f / 9 : 1.0f / 36;
            given[k * cells + i] = weight * (1.0f + 0.25f * float(l.dx[k]) + float(hash(9 * i + k) % 64) / 4096.0f);
        }
    });
    const unsigned blocks = unsigned((m + 31) / 32 * ((n + 7) / 8));
    const float* last = steps % 2 == 1 ? a : b;
    measure("cuda", "a thread per cell, a kernel per step", [=] {
        const float* from = given;
        for (int64_t s = 0; s < steps; s++) {
            float* to = s % 2 == 0 ? a : b;
            step_of<<<blocks, 256>>>(int32_t(n), int32_t(m), solid, from, to);
            from = to;
        }
    }, [=] {
        // The program keeps the nine numbers of a cell together.
        float* turned = array<float>(9 * cells);
        each(9 * cells, [=] __device__(int64_t q) { turned[q] = last[q % 9 * cells + q / 9]; });
        return std::vector<Sums>{sums_of(turned, 9 * cells)};
    });
}
