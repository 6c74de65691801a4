// The bandwidth of the device's memory: a copy, counting what is read and what is written.
#include "peer.cuh"

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 1);
    float *from = array<float>(n), *to = array<float>(n);
    each(n, [=] __device__(int64_t i) { from[i] = float(hash(i) % 64) / 8.0f; });
    measure("copy", "device to device", [=] { CUDA(cudaMemcpyAsync(to, from, size_t(n) * 4, cudaMemcpyDeviceToDevice)); }, to, [] { return int64_t(0); }, n);
}
