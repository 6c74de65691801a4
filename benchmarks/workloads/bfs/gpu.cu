// Breadth-first search by waves: a thread per node of the wave claims its neighbours. The size of the wave stays on the device; the host looks only now and then whether a wave
// was empty. The second way looks at the nodes of all levels in every wave, and needs no list of the wave.
#include "peer.cuh"

const int WAVES = 32;

int main(int argc, char** argv) {
    const bool grid = argc > 1 && std::string(argv[1]) == "grid";
    const int64_t side = argument(argc, argv, 2), n = grid ? side * side : side;
    int64_t* off = offsets_of(n, [=] __device__(int64_t i) {
        const int64_t x = i % side, y = i / side;
        return grid ? int64_t(x > 0) + (x + 1 < side) + (y > 0) + (y + 1 < side) : hash(i) % 17;
    });
    int32_t* to = array<int32_t>(last_of(off, n));
    each(n, [=] __device__(int64_t i) {
        int64_t q = off[i];
        if (grid) {
            const int64_t x = i % side, y = i / side;
            if (x > 0) to[q++] = int32_t(i - 1);
            if (x + 1 < side) to[q++] = int32_t(i + 1);
            if (y > 0) to[q++] = int32_t(i - side);
            if (y + 1 < side) to[q++] = int32_t(i + side);
        } else {
            for (; q < off[i + 1]; q++) to[q] = int32_t(hash((hash(i) + 7919 * (q - off[i])) % 2147483647) % n);
        }
    });
    int32_t *far = array<int32_t>(n), *queue = array<int32_t>(n);
    // ends[d]: where the nodes of distance d end in the queue.
    int32_t* ends = array<int32_t>(n + WAVES + 2);
    const auto sums = [=] {
        int64_t* wide = array<int64_t>(n);
        each(n, [=] __device__(int64_t i) { wide[i] = far[i]; });
        return std::vector<Sums>{sums_of(wide, n)};
    };
    measure("cuda", "a queue, a thread per node of the wave", [=] {
        each(n, [=] __device__(int64_t i) {
            far[i] = i == 1 ? 0 : -1;
            if (i == 1) queue[0] = 1, ends[0] = 0, ends[1] = 1;
        });
        for (int32_t d = 0;; d += WAVES) {
            for (int32_t now = d; now < d + WAVES; now++) {
                each(1, [=] __device__(int64_t) { ends[now + 2] = ends[now + 1]; });
                each(132 * 1024, [=] __device__(int64_t thread) {
                    const int32_t last = ends[now + 1];
                    for (int32_t k = ends[now] + int32_t(thread); k < last; k += 132 * 1024) {
                        const int32_t a = queue[k];
                        for (int64_t q = off[a]; q < off[a + 1]; q++) {
                            const int32_t b = to[q];
                            if (far[b] < 0 && atomicCAS(far + b, -1, now + 1) == -1) queue[atomicAdd(ends + now + 2, 1)] = b;
                        }
                    }
                });
            }
            if (last_of(ends, d + WAVES) == last_of(ends, d + WAVES + 1)) break;
        }
    }, sums);
    int32_t* changed = array<int32_t>(1);
    if (!grid) {
        measure("cuda", "all nodes in every wave", [=] {
            each(n, [=] __device__(int64_t i) { far[i] = i == 1 ? 0 : -1; });
            for (int32_t now = 0;; now++) {
                CUDA(cudaMemsetAsync(changed, 0, 4));
                each(n, [=] __device__(int64_t a) {
                    if (far[a] != now) return;
                    for (int64_t q = off[a]; q < off[a + 1]; q++)
                        if (far[to[q]] < 0) far[to[q]] = now + 1, *changed = 1;
                });
                if (last_of(changed, 0) == 0) break;
            }
        }, sums);
    }
}
