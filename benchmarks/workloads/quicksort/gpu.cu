// Sorting with CUB: radix sort for one array, segmented sorts for rows.
#include "peer.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const int64_t rows = argument(argc, argv, 2), m = what == "rows" ? argument(argc, argv, 3) : 1, n = rows * m;
    int64_t *xs = array<int64_t>(n), *out = array<int64_t>(n);
    each(n, [=] __device__(int64_t i) { xs[i] = hash(i); });
    const auto size = [=] { return n; };
    size_t bytes = 0;
    if (what != "rows") {
        CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, xs, out, n));
        char* room = array<char>(bytes);
        measure("cub", "DeviceRadixSort", [=]() mutable { CUDA(cub::DeviceRadixSort::SortKeys(room, bytes, xs, out, n)); }, out, size, n);
        return 0;
    }
    int* off = array<int>(rows + 1);
    each(rows + 1, [=] __device__(int64_t i) { off[i] = int(i * m); });
    CUDA(cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, xs, out, int(n), int(rows), off, off + 1));
    char* room = array<char>(bytes);
    measure("cub", "DeviceSegmentedSort", [=]() mutable {
        CUDA(cub::DeviceSegmentedSort::SortKeys(room, bytes, xs, out, int(n), int(rows), off, off + 1));
    }, out, size, n);
    CUDA(cub::DeviceSegmentedRadixSort::SortKeys(nullptr, bytes, xs, out, int(n), int(rows), off, off + 1));
    char* more = array<char>(bytes);
    measure("cub", "DeviceSegmentedRadixSort", [=]() mutable {
        CUDA(cub::DeviceSegmentedRadixSort::SortKeys(more, bytes, xs, out, int(n), int(rows), off, off + 1));
    }, out, size, n);
}
