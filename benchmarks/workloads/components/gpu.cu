// Connected components: every link joins the trees of its two ends, the greater root under the lesser one, by compare-and-swap; then every node looks for its root.
#include "peer.cuh"

__host__ __device__ inline int32_t root_of(int32_t* parent, int32_t a) {
    int32_t up = parent[a];
    while (up != a) {
        const int32_t next = parent[up];
        if (next != up) parent[a] = next;
        a = up, up = next;
    }
    return a;
}

int main(int argc, char** argv) {
    const bool chains = argc > 1 && std::string(argv[1]) == "chains";
    const int64_t n = argument(argc, argv, 2);
    int64_t* off = offsets_of(n, [=] __device__(int64_t i) { return int64_t(chains ? hash(i) % 1000 != 0 : hash(i) % 2 != 0); });
    int32_t *to = array<int32_t>(last_of(off, n)), *parent = array<int32_t>(n);
    int64_t* out = array<int64_t>(n);
    each_element(n, off, [=] __device__(int64_t i, int64_t, int64_t q) { to[q] = int32_t(chains ? (i + 7919) % n : hash(hash(i)) % n); });
    measure("cuda", "trees joined by compare-and-swap", [=] {
        each(n, [=] __device__(int64_t i) { parent[i] = int32_t(i); });
        each(n, [=] __device__(int64_t i) {
            for (int64_t q = off[i]; q < off[i + 1]; q++) {
                int32_t a = root_of(parent, int32_t(i)), b = root_of(parent, to[q]);
                while (a != b) {
                    if (a < b) {
                        const int32_t c = a;
                        a = b, b = c;
                    }
                    const int32_t seen = atomicCAS(parent + a, a, b);
                    if (seen == a) break;
                    a = root_of(parent, seen), b = root_of(parent, b);
                }
            }
        });
        each(n, [=] __device__(int64_t i) {
            int32_t a = int32_t(i);
            while (parent[a] != a) a = parent[a];
            out[i] = a;
        });
    }, out, [=] { return n; }, n);
}
