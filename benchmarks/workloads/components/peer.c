// Connected components by a union of trees whose root is the least node: one thread with path halving, or all threads, hooking roots by
// compare-and-swap.
#include "peer.h"

static int64_t n, *off, *root;
static int32_t *to, *parent;

static inline int32_t find(int32_t a) {
    while (parent[a] != a) parent[a] = parent[parent[a]], a = parent[a];
    return a;
}

static void write_roots(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        int32_t a = (int32_t)i;
        while (parent[a] != a) a = parent[a];
        root[i] = a;
    }
}

static void one_thread(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) parent[i] = (int32_t)i;
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = off[i]; q < off[i + 1]; q++) {
            const int32_t a = find((int32_t)i), b = find(to[q]);
            if (a < b) parent[b] = a;
            else parent[a] = b;
        }
    write_roots();
}

static inline int32_t find_shared(int32_t a) {
    for (;;) {
        const int32_t p = __atomic_load_n(&parent[a], __ATOMIC_RELAXED);
        if (p == a) return a;
        const int32_t g = __atomic_load_n(&parent[p], __ATOMIC_RELAXED);
        if (p != g) {
            int32_t expected = p;
            __atomic_compare_exchange_n(&parent[a], &expected, g, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
        a = p;
    }
}

static void all_threads(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) parent[i] = (int32_t)i;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int64_t q = off[i]; q < off[i + 1]; q++)
            for (;;) {
                int32_t a = find_shared((int32_t)i), b = find_shared(to[q]);
                if (a == b) break;
                if (a < b) {
                    const int32_t t = a;
                    a = b, b = t;
                }
                int32_t expected = a;
                if (__atomic_compare_exchange_n(&parent[a], &expected, b, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
            }
    write_roots();
}

static void check(void) { CHECKSUM(root, n); }

int main(int argc, char **argv) {
    const int chains = argc > 1 && !strcmp(argv[1], "chains");
    n = argument(argc, argv, 2);
    off = array(((size_t)n + 1) * 8), to = array((size_t)n * 4), parent = array((size_t)n * 4), root = array((size_t)n * 8);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        off[i + 1] = off[i];
        if (chains ? seed % 1000 != 0 : seed % 2 != 0) to[off[i + 1]++] = (int32_t)(chains ? (i + 7919) % n : hash(seed) % n);
    }
    measure("c", "one thread", one_thread, check);
    POISON(root, n);
    measure("c", "all threads", all_threads, check);
}
