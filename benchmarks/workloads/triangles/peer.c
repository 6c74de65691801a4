// Triangles: for each edge to a greater node, the two rows of greater neighbours are merged; or the first node's row is marked in an array
// and the other rows look there.
#include "peer.h"

static int64_t n, *off, *up, *out;
static int32_t *to;
static int threads;

// Rows are in order, so the greater neighbours are the end of a row.
static void find_up(void) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t a = 0; a < n; a++) {
        int64_t lo = off[a], hi = off[a + 1];
        while (lo < hi) {
            const int64_t m = (lo + hi) / 2;
            if (to[m] > a) hi = m;
            else lo = m + 1;
        }
        up[a] = lo;
    }
}

static void merged(void) {
    find_up();
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t a = 0; a < n; a++) {
        int64_t found = 0;
        for (int64_t q = up[a]; q < off[a + 1]; q++) {
            const int32_t b = to[q];
            int64_t i = q + 1, j = up[b];
            const int64_t i_end = off[a + 1], j_end = off[b + 1];
            while (i < i_end && j < j_end) {
                const int32_t x = to[i], y = to[j];
                found += x == y;
                i += x <= y;
                j += y <= x;
            }
        }
        out[a] = found;
    }
}

static void marked(void) {
    find_up();
#pragma omp parallel num_threads(threads)
    {
        int32_t *mark = malloc((size_t)n * 4);
        memset(mark, 0xff, (size_t)n * 4);
#pragma omp for schedule(dynamic, 256)
        for (int64_t a = 0; a < n; a++) {
            int64_t found = 0;
            for (int64_t q = up[a]; q < off[a + 1]; q++) mark[to[q]] = (int32_t)a;
            for (int64_t q = up[a]; q < off[a + 1]; q++)
                for (int64_t p = up[to[q]]; p < off[to[q] + 1]; p++) found += mark[to[p]] == (int32_t)a;
            out[a] = found;
        }
        free(mark);
    }
}

static void check(void) { CHECKSUM(out, n); }

static int by_key(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    const int power = argc > 1 && !strcmp(argv[1], "power");
    n = argument(argc, argv, 2);
    const int64_t links = argument(argc, argv, 3);
    threads = omp_get_max_threads();
    int64_t *keys = malloc((size_t)(2 * n * links) * 8), count = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i);
        for (int64_t j = 0; j < links; j++) {
            int64_t t = hash((seed + 7919 * j) % 2147483647) % n;
            if (power) t = n - 1 - t * t / n;
            if (t != i) keys[count++] = i * n + t, keys[count++] = t * n + i;
        }
    }
    qsort(keys, (size_t)count, 8, by_key);
    off = array(((size_t)n + 1) * 8), to = array((size_t)count * 4), up = array((size_t)n * 8), out = array((size_t)n * 8);
    int64_t at = 0, row = 0;
    off[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && keys[k] == keys[k - 1]) continue;
        while (row < keys[k] / n) off[++row] = at;
        to[at++] = (int32_t)(keys[k] % n);
    }
    while (row < n) off[++row] = at;
    free(keys);
    measure("c", "rows merged", merged, check);
    POISON(out, n);
    measure("c", "a row marked", marked, check);
}
