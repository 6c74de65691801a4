// All pairs of bodies: a thread per body that reads the others from memory, and one with tiles of bodies in shared memory.
#include "peer.cuh"

__device__ inline void pull(float4 a, float4 b, float3& sum) {
    const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.0001f)));
    const float strength = b.w / (squared * sqrtf(squared));
    sum.x = fmaf(dx, strength, sum.x), sum.y = fmaf(dy, strength, sum.y), sum.z = fmaf(dz, strength, sum.z);
}

__global__ void plain(int n, const float4* bodies, float* x, float* y, float* z) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = bodies[i];
    float3 sum = {};
    for (int j = 0; j < n; j++) pull(a, bodies[j], sum);
    x[i] = sum.x, y[i] = sum.y, z[i] = sum.z;
}

__global__ void tiled(int n, const float4* bodies, float* x, float* y, float* z) {
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 a = bodies[i < n ? i : 0];
    float3 sum = {};
    for (int at = 0; at < n; at += 256) {
        __syncthreads();
        if (at + threadIdx.x < n) tile[threadIdx.x] = bodies[at + threadIdx.x];
        __syncthreads();
        const int end = min(256, n - at);
        for (int j = 0; j < end; j++) pull(a, tile[j], sum);
    }
    if (i < n) x[i] = sum.x, y[i] = sum.y, z[i] = sum.z;
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1);
    float4* bodies = array<float4>(n);
    float *x = array<float>(n), *y = array<float>(n), *z = array<float>(n);
    each(n, [=] __device__(int64_t i) {
        const auto unit = [](int64_t k) { return float(hash(k) % 4096) / 4096.0f; };
        bodies[i] = make_float4(unit(4 * i), unit(4 * i + 1), unit(4 * i + 2), unit(4 * i + 3));
    });
    const auto size = [=] { return n; };
    const unsigned blocks = unsigned((n + 255) / 256);
    measure("cuda", "plain", [=] { plain<<<blocks, 256>>>(int(n), bodies, x, y, z); }, z, size, n);
    measure("cuda", "tiles in shared memory", [=] { tiled<<<blocks, 256>>>(int(n), bodies, x, y, z); }, z, size, n);
}
