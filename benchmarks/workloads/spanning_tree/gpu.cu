// Minimum spanning tree after Borůvka: in every round each tree takes its lightest edge by an atomic minimum over weight and place in one word, trees are joined, and roots are
// looked for again. The host asks after each round whether any edge was taken.
#include "peer.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

int main(int argc, char** argv) {
    const bool grid = argc > 1 && std::string(argv[1]) == "grid";
    const int64_t side = argument(argc, argv, 2), links = grid ? 2 : argument(argc, argv, 3), n = grid ? side * side : side, edges = n * links;
    int32_t *from = array<int32_t>(edges), *to = array<int32_t>(edges), *weight = array<int32_t>(edges);
    each(edges, [=] __device__(int64_t i) {
        const int64_t v = i / links, seed = hash(i);
        from[i] = int32_t(v);
        if (grid) {
            const bool inside = i % 2 == 0 ? v % side + 1 < side : v / side + 1 < side;
            to[i] = int32_t(inside ? (i % 2 == 0 ? v + 1 : v + side) : v);
            weight[i] = int32_t(seed % 1000000);
        } else {
            to[i] = int32_t(seed % n);
            weight[i] = int32_t(hash((seed + 7919) % 2147483647) % 1000000);
        }
    });
    typedef unsigned long long word;
    const word none = ~0ull;
    int32_t *root = array<int32_t>(n), *next = array<int32_t>(n), *changed = array<int32_t>(1);
    word *lightest = array<word>(n), *total = array<word>(1);
    uint8_t* taken = array<uint8_t>(edges);
    int64_t *places = array<int64_t>(edges), *count = array<int64_t>(1), *sum = array<int64_t>(1);
    size_t bytes = 0;
    const thrust::counting_iterator<int64_t> all(0);
    CUDA(cub::DeviceSelect::Flagged(nullptr, bytes, all, taken, places, count, int(edges)));
    char* room = array<char>(bytes);
    measure("cuda", "rounds after Borůvka", [=] {
        each(edges, [=] __device__(int64_t e) {
            taken[e] = 0;
            if (e < n) root[e] = int32_t(e), lightest[e] = none;
            if (e == 0) *total = 0;
        });
        for (;;) {
            CUDA(cudaMemsetAsync(changed, 0, 4));
            each(edges, [=] __device__(int64_t e) {
                const int32_t a = root[from[e]], b = root[to[e]];
                if (a == b) return;
                const word key = word(weight[e]) << 32 | word(e);
                if (key < lightest[a]) atomicMin(lightest + a, key);
                if (key < lightest[b]) atomicMin(lightest + b, key);
            });
            each(n, [=] __device__(int64_t a) {
                next[a] = root[a];
                const word key = lightest[a];
                if (root[a] != a || key == none) return;
                const int64_t e = int64_t(key & 0xffffffffull);
                const int32_t x = root[from[e]], y = root[to[e]], other = x == a ? y : x;
                // Two trees that take the same edge: the lesser one stays a root.
                next[a] = lightest[other] == key && a < other ? int32_t(a) : other;
                if (!taken[e]) taken[e] = 1;
                *changed = 1;
            });
            if (last_of(changed, 0) == 0) break;
            each(n, [=] __device__(int64_t a) {
                int32_t r = next[a];
                while (next[r] != r) r = next[r];
                root[a] = r;
                lightest[a] = none;
            });
        }
        each(edges, [=] __device__(int64_t e) {
            if (taken[e]) atomicAdd(total, word(weight[e]));
        });
        size_t size = bytes;
        CUDA(cub::DeviceSelect::Flagged(room, size, all, taken, places, count, int(edges)));
        each(1, [=] __device__(int64_t) { *sum = int64_t(*total); });
    }, [=] { return std::vector<Sums>{sums_of(sum, 1), sums_of(places, last_of(count, 0))}; });
}
