// Prefix sums with CUB: i32, f32 and i64.
#include "peer.cuh"

#include <cub/device/device_scan.cuh>

template <class T>
void scan(int64_t n, int64_t bias, T over) {
    T *xs = array<T>(n), *out = array<T>(n);
    each(n, [=] __device__(int64_t i) { xs[i] = T(hash(i) % (bias + 8) - bias) / over; });
    size_t bytes = 0;
    CUDA(cub::DeviceScan::InclusiveSum(nullptr, bytes, xs, out, n));
    char* room = array<char>(bytes);
    measure("cub", "DeviceScan", [=]() mutable { CUDA(cub::DeviceScan::InclusiveSum(room, bytes, xs, out, n)); }, out, [=] { return n; }, n);
}

int main(int argc, char** argv) {
    const std::string type = argc > 1 ? argv[1] : "";
    const int64_t n = argument(argc, argv, 2);
    if (type == "i32") scan<int32_t>(n, 7, 1);
    else if (type == "f32") scan<float>(n, 7, 8.0f);
    else fprintf(stderr, "scan of i32 or f32, not of `%s`\n", type.c_str());
}
