// Sorting u32 with CUB: one array, and rows of 0 to 256 elements.
#include "peer.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

__device__ uint32_t element(int64_t i) { return uint32_t(2 * hash(i)) ^ uint32_t(hash(i + 77) % 65536); }

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int64_t n = argument(argc, argv, 2);
    size_t bytes = 0;
    if (what == "one") {
        uint32_t *xs = array<uint32_t>(n), *out = array<uint32_t>(n);
        each(n, [=] __device__(int64_t i) { xs[i] = element(i); });
        CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, xs, out, n));
        char* room = array<char>(bytes);
        measure("cub", "DeviceRadixSort", [=]() mutable { CUDA(cub::DeviceRadixSort::SortKeys(room, bytes, xs, out, n)); }, out, [=] { return n; }, n);
        return 0;
    }
    int64_t *lengths = array<int64_t>(n + 1), *off = array<int64_t>(n + 1);
    each(n + 1, [=] __device__(int64_t i) { lengths[i] = i < n ? hash(i) % 257 : 0; });
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, lengths, off, n + 1));
    char* scan_room = array<char>(bytes);
    CUDA(cub::DeviceScan::ExclusiveSum(scan_room, bytes, lengths, off, n + 1));
    const int64_t count = host(off + n, 1)[0];
    uint32_t *xs = array<uint32_t>(count), *out = array<uint32_t>(count);
    each(n, [=] __device__(int64_t i) {
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) xs[off[i] + j] = element((hash(i) + 7919 * j) % 2147483647);
    });
    const auto size = [=] { return count; };
    CUDA(cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, xs, out, count, n, off, off + 1));
    char* room = array<char>(bytes);
    measure("cub", "DeviceSegmentedSort", [=]() mutable { CUDA(cub::DeviceSegmentedSort::SortKeys(room, bytes, xs, out, count, n, off, off + 1)); }, out, size, count);
    CUDA(cub::DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, xs, out, count, n, off, off + 1));
    char* more = array<char>(bytes);
    measure("cub", "DeviceSegmentedRadixSort", [=]() mutable {
        CUDA(cub::DeviceSegmentedRadixSort::SortKeys(more, bytes, xs, out, count, n, off, off + 1));
    }, out, size, count);
}
