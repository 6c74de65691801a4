// A prefix tree of sorted words: how much each word shares with the one before it, where its nodes begin, and then the nodes. In parallel in three
// passes, where the node above is found by going back; or in one pass with the path of the last word, which is sequential.
#include "peer.h"

static int64_t n, *off, *known, *first, *above, *depth, count;
static uint8_t *text, *letter;

static int64_t shared(int64_t i) {
    const uint8_t *a = text + off[i - 1], *b = text + off[i];
    const int64_t x = off[i] - off[i - 1], y = off[i + 1] - off[i], most = x < y ? x : y;
    int64_t k = 0;
    for (; k + 8 <= most; k += 8) {
        uint64_t p, q;
        memcpy(&p, a + k, 8), memcpy(&q, b + k, 8);
        if (p != q) return k + __builtin_ctzll(p ^ q) / 8;
    }
    while (k < most && a[k] == b[k]) k++;
    return k;
}

static void three_passes(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) known[i] = i ? shared(i) : 0;
#pragma omp single
        for (int64_t i = 0, at = 0; i < n; i++) first[i] = at, at += off[i + 1] - off[i] - known[i];
#pragma omp for schedule(dynamic, 1024)
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = known[i], size = off[i + 1] - off[i];
            int64_t maker = i, at = first[i];
            while (maker > 0 && known[maker] >= k) maker--;
            int64_t up = k ? first[maker] + k - 1 - known[maker] : -1;
            for (int64_t d = k; d < size; d++) letter[at] = text[off[i] + d], above[at] = up, depth[at] = d, up = at++;
        }
    }
}

static void one_pass(void) {
    int64_t path[512], at = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = i ? shared(i) : 0, size = off[i + 1] - off[i];
        int64_t up = k ? path[k - 1] : -1;
        for (int64_t d = k; d < size; d++) letter[at] = text[off[i] + d], above[at] = up, depth[at] = d, path[d] = up = at++;
    }
}

static void check(void) {
    CHECKSUM(letter, count);
    CHECKSUM(above, count);
    CHECKSUM(depth, count);
}

static uint8_t *loose;
static int64_t *loose_off;
static int in_order(const void *a, const void *b) {
    const int64_t i = *(const int64_t *)a, j = *(const int64_t *)b, x = loose_off[i + 1] - loose_off[i], y = loose_off[j + 1] - loose_off[j];
    const int c = memcmp(loose + loose_off[i], loose + loose_off[j], (size_t)(x < y ? x : y));
    return c ? c : (x > y) - (x < y);
}

int main(int argc, char **argv) {
    const int is_long = argc > 1 && !strcmp(argv[1], "long_words");
    n = argument(argc, argv, 2);
    const int64_t letters = is_long ? 26 : argument(argc, argv, 3);
    loose_off = malloc((size_t)(n + 1) * 8), off = array((size_t)(n + 1) * 8);
    loose_off[0] = off[0] = 0;
    for (int64_t i = 0; i < n; i++) loose_off[i + 1] = loose_off[i] + (is_long ? hash(i) % 160 + 1 + hash(i + 77) % 40 : 4 + hash(i) % 8);
    loose = malloc((size_t)loose_off[n]), text = array((size_t)loose_off[n]);
    int64_t *order = malloc((size_t)n * 8);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        for (int64_t j = 0; j < loose_off[i + 1] - loose_off[i]; j++)
            loose[loose_off[i] + j] = (uint8_t)(97 + (is_long && j < hash(i) % 160 ? hash(j) % 26 : hash(256 * i + j) % letters));
    }
    qsort(order, (size_t)n, sizeof *order, in_order);
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = loose_off[order[i] + 1] - loose_off[order[i]];
        memcpy(text + off[i], loose + loose_off[order[i]], (size_t)size);
        off[i + 1] = off[i] + size;
    }
    free(loose), free(loose_off), free(order);
    for (int64_t i = 0; i < n; i++) count += off[i + 1] - off[i] - (i ? shared(i) : 0);
    known = array((size_t)n * 8), first = array((size_t)n * 8);
    letter = array((size_t)count), above = array((size_t)count * 8), depth = array((size_t)count * 8);
    POISON(above, count);
    measure("c", "three passes", three_passes, check);
    POISON(above, count);
    measure("c", "one pass, one thread", one_pass, check);
}
