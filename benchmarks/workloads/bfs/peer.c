// Breadth-first search: one queue and one thread, or waves in which threads claim nodes by compare-and-swap and collect what they found.
#include "peer.h"

static int64_t n, *off, *far;
static int32_t *to, *queue, *found;
static int threads;

static void one_queue(void) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) far[i] = -1;
    int64_t head = 0, tail = 0;
    queue[tail++] = 1;
    far[1] = 0;
    while (head < tail) {
        const int32_t a = queue[head++];
        for (int64_t q = off[a]; q < off[a + 1]; q++)
            if (far[to[q]] < 0) far[to[q]] = far[a] + 1, queue[tail++] = to[q];
    }
}

static void waves(void) {
    int64_t size = 1, next = 0;
    queue[0] = 1;
#pragma omp parallel num_threads(threads)
    {
        int32_t *own = malloc((size_t)n * 4);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) far[i] = i == 1 ? 0 : -1;
        for (int64_t step = 1; size > 0; step++) {
            int64_t count = 0;
            // A small wave is not worth sharing.
            if (size < 1024) {
#pragma omp single nowait
                for (int64_t k = 0; k < size; k++)
                    for (int64_t q = off[queue[k]]; q < off[queue[k] + 1]; q++)
                        if (far[to[q]] < 0) far[to[q]] = step, own[count++] = to[q];
            } else {
#pragma omp for schedule(dynamic, 256) nowait
                for (int64_t k = 0; k < size; k++)
                    for (int64_t q = off[queue[k]]; q < off[queue[k] + 1]; q++) {
                        int64_t expected = -1;
                        if (far[to[q]] < 0 && __atomic_compare_exchange_n(&far[to[q]], &expected, step, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                            own[count++] = to[q];
                    }
            }
            const int64_t at = count ? __atomic_fetch_add(&next, count, __ATOMIC_RELAXED) : 0;
            memcpy(found + at, own, (size_t)count * 4);
#pragma omp barrier
#pragma omp single
            {
                int32_t *t = queue;
                queue = found, found = t;
                size = next;
                next = 0;
            }
        }
        free(own);
    }
}

static void check(void) { CHECKSUM(far, n); }

int main(int argc, char **argv) {
    const int grid = argc > 1 && !strcmp(argv[1], "grid");
    const int64_t side = argument(argc, argv, 2);
    n = grid ? side * side : side;
    threads = omp_get_max_threads();
    off = array(((size_t)n + 1) * 8);
    off[0] = 0;
    const int64_t most = grid ? 4 * n : 16 * n;
    to = array((size_t)most * 4), far = array((size_t)n * 8), queue = array((size_t)n * 4), found = array((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = off[i];
        if (grid) {
            const int64_t x = i % side, y = i / side;
            if (x > 0) to[at++] = (int32_t)(i - 1);
            if (x + 1 < side) to[at++] = (int32_t)(i + 1);
            if (y > 0) to[at++] = (int32_t)(i - side);
            if (y + 1 < side) to[at++] = (int32_t)(i + side);
        } else {
            const int64_t seed = hash(i);
            for (int64_t j = 0; j < seed % 17; j++) to[at++] = (int32_t)(hash((seed + 7919 * j) % 2147483647) % n);
        }
        off[i + 1] = at;
    }
    measure("c", "one queue, one thread", one_queue, check);
    POISON(far, n);
    measure("c", "waves", waves, check);
}
