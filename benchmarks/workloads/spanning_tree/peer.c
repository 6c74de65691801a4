// Minimum spanning tree: edges sorted by weight (by digits, so that equal weights keep their order) and taken where they join two trees
// (Kruskal); or after Boruvka, all threads, the lightest edge of a root found by compare-and-swap on weight and place in one word.
#include "peer.h"

static int64_t n, m, total, found, *weight, *taken_places;
static int32_t *from, *to, *parent;
static uint8_t *taken;
static uint64_t *keys, *spare, *best;
static int32_t *left_a, *left_b;
static int64_t *left_place;

static inline int32_t find(int32_t a) {
    while (parent[a] != a) parent[a] = parent[parent[a]], a = parent[a];
    return a;
}

static void collect(void) {
    total = found = 0;
    for (int64_t e = 0; e < m; e++)
        if (taken[e]) total += weight[e], taken_places[found++] = e;
}

static void kruskal(void) {
    for (int64_t i = 0; i < n; i++) parent[i] = (int32_t)i;
    memset(taken, 0, (size_t)m);
    for (int64_t e = 0; e < m; e++) keys[e] = (uint64_t)weight[e] << 32 | (uint64_t)e;
    uint64_t *a = keys, *b = spare;
    for (int shift = 32; shift < 54; shift += 11) {
        int64_t at[2049] = {0};
        for (int64_t e = 0; e < m; e++) at[(a[e] >> shift & 2047) + 1]++;
        for (int k = 0; k < 2048; k++) at[k + 1] += at[k];
        for (int64_t e = 0; e < m; e++) b[at[a[e] >> shift & 2047]++] = a[e];
        uint64_t *t = a;
        a = b, b = t;
    }
    for (int64_t k = 0; k < m; k++) {
        const int64_t e = (int64_t)(a[k] & 0xffffffff);
        const int32_t x = find(from[e]), y = find(to[e]);
        if (x != y) {
            taken[e] = 1;
            if (x < y) parent[y] = x;
            else parent[x] = y;
        }
    }
    collect();
}

static inline void offer(int32_t root, uint64_t key) {
    uint64_t now = __atomic_load_n(&best[root], __ATOMIC_RELAXED);
    while (key < now && !__atomic_compare_exchange_n(&best[root], &now, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

static void boruvka(void) {
    int64_t left = 0;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) parent[i] = (int32_t)i;
    memset(taken, 0, (size_t)m);
    for (int64_t e = 0; e < m; e++)
        if (from[e] != to[e]) left_a[left] = from[e], left_b[left] = to[e], left_place[left++] = e;
    while (left > 0) {
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) best[i] = UINT64_MAX;
#pragma omp parallel for schedule(static)
        for (int64_t k = 0; k < left; k++) {
            const uint64_t key = (uint64_t)weight[left_place[k]] << 32 | (uint64_t)left_place[k];
            offer(left_a[k], key);
            offer(left_b[k], key);
        }
        // Both ends of an edge are roots; `find` keeps circles away, so that the order of joining does not matter.
        for (int64_t i = 0; i < n; i++) {
            if (best[i] == UINT64_MAX) continue;
            const int64_t e = (int64_t)(best[i] & 0xffffffff);
            const int32_t x = find(from[e]), y = find(to[e]);
            if (x != y) {
                taken[e] = 1;
                if (x < y) parent[y] = x;
                else parent[x] = y;
            }
        }
        int64_t kept = 0;
        for (int64_t k = 0; k < left; k++) {
            const int32_t x = find(left_a[k]), y = find(left_b[k]);
            if (x != y) left_a[kept] = x, left_b[kept] = y, left_place[kept++] = left_place[k];
        }
        left = kept;
    }
    collect();
}

static void check(void) {
    CHECKSUM(&total, 1);
    CHECKSUM(taken_places, found);
}

int main(int argc, char **argv) {
    const int grid = argc > 1 && !strcmp(argv[1], "grid");
    const int64_t side = argument(argc, argv, 2), links = grid ? 2 : argument(argc, argv, 3);
    n = grid ? side * side : side;
    m = n * links;
    from = array((size_t)m * 4), to = array((size_t)m * 4), weight = array((size_t)m * 8), taken = array((size_t)m);
    parent = array((size_t)n * 4), keys = array((size_t)m * 8), spare = array((size_t)m * 8), best = array((size_t)n * 8);
    left_a = array((size_t)m * 4), left_b = array((size_t)m * 4), left_place = array((size_t)m * 8), taken_places = array((size_t)n * 8);
    for (int64_t i = 0; i < m; i++) {
        const int64_t v = i / links;
        from[i] = (int32_t)v;
        if (grid) {
            const int inside = i % 2 == 0 ? v % side + 1 < side : v / side + 1 < side;
            to[i] = (int32_t)(!inside ? v : i % 2 == 0 ? v + 1 : v + side);
            weight[i] = hash(i) % 1000000;
        } else {
            const int64_t seed = hash(i);
            to[i] = (int32_t)(seed % n);
            weight[i] = hash((seed + 7919) % 2147483647) % 1000000;
        }
    }
    measure("c", "Kruskal, sorted by digits", kruskal, check);
    POISON(taken_places, n);
    measure("c", "Boruvka", boruvka, check);
}
