// Triangles: a thread per link of the upper triangle merges the rows of both ends; and one that looks the elements of the shorter row up in the longer one.
#include "peer.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

int main(int argc, char** argv) {
    const bool power = argc > 1 && std::string(argv[1]) == "power";
    const int64_t n = argument(argc, argv, 2), links = argument(argc, argv, 3), most = n * links;
    // Each link once, from its lesser end; links to oneself are sorted behind all others.
    int64_t *keys = array<int64_t>(most), *sorted = array<int64_t>(most), *found = array<int64_t>(1);
    each(most, [=] __device__(int64_t q) {
        const int64_t i = q / links;
        int64_t t = hash((hash(i) + 7919 * (q % links)) % 2147483647) % n;
        if (power) t = n - 1 - t * t / n;
        keys[q] = i == t ? INT64_MAX : min(i, t) * n + max(i, t);
    });
    size_t sorting = 0, choosing = 0;
    CUDA(cub::DeviceRadixSort::SortKeys(nullptr, sorting, keys, sorted, int(most)));
    CUDA(cub::DeviceSelect::Unique(nullptr, choosing, sorted, keys, found, int(most)));
    char* room = array<char>(std::max(sorting, choosing));
    CUDA(cub::DeviceRadixSort::SortKeys(room, sorting, keys, sorted, int(most)));
    CUDA(cub::DeviceSelect::Unique(room, choosing, sorted, keys, found, int(most)));
    int64_t count = last_of(found, 0);
    if (count > 0 && last_of(keys, count - 1) == INT64_MAX) count--;
    int64_t *off = array<int64_t>(n + 1), *out = array<int64_t>(n);
    int32_t *from = array<int32_t>(count), *to = array<int32_t>(count);
    each(count + 1, [=] __device__(int64_t q) {
        const int64_t a = q < count ? keys[q] / n : n, before = q > 0 ? keys[q - 1] / n : -1;
        for (int64_t r = before + 1; r <= a; r++) off[r] = q;
        if (q < count) from[q] = int32_t(a), to[q] = int32_t(keys[q] % n);
    });
    const auto clear = [=] { CUDA(cudaMemsetAsync(out, 0, size_t(8 * n))); };
    const auto size = [=] { return n; };
    measure("cuda", "a thread per link, rows merged", [=] {
        clear();
        each(count, [=] __device__(int64_t q) {
            const int32_t a = from[q], b = to[q];
            int64_t i = q + 1, j = off[b], found_here = 0;
            const int64_t i_end = off[a + 1], j_end = off[b + 1];
            while (i < i_end && j < j_end) {
                const int32_t x = to[i], y = to[j];
                found_here += x == y;
                i += x <= y, j += y <= x;
            }
            if (found_here > 0) atomicAdd((unsigned long long*)(out + a), (unsigned long long)(found_here));
        });
    }, out, size, n);
    measure("cuda", "a thread per link, the shorter row looked up", [=] {
        clear();
        each(count, [=] __device__(int64_t q) {
            const int32_t a = from[q], b = to[q];
            int64_t i = q + 1, i_end = off[a + 1], j = off[b], j_end = off[b + 1], found_here = 0;
            if (i_end - i > j_end - j) {
                const int64_t k = i, k_end = i_end;
                i = j, i_end = j_end, j = k, j_end = k_end;
            }
            for (; i < i_end; i++) {
                const int32_t x = to[i];
                int64_t low = j, high = j_end;
                while (low < high) {
                    const int64_t middle = (low + high) / 2;
                    if (to[middle] < x) low = middle + 1;
                    else high = middle;
                }
                found_here += low < j_end && to[low] == x;
                j = low;
            }
            if (found_here > 0) atomicAdd((unsigned long long*)(out + a), (unsigned long long)(found_here));
        });
    }, out, size, n);
}
