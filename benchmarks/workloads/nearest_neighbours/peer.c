// The nearest points: squares of distances are computed by vectors a block at a time; only blocks whose least distance is below the k-th one so far
// are looked at one by one, and their points put in order into a list of k. Threads share places, or for few places points, with a list
// per thread that are merged at the end.
#include "peer.h"

enum { BLOCK = 256, MOST = 64 };
static int64_t k, n, places;
static float *x, *y, *px, *py, *distance;
static int64_t *which;

static int64_t insert(float *best, int64_t *at, int64_t have, float d, int64_t i) {
    if (have == k && !(d < best[k - 1])) return have;
    int64_t j = have < k ? have++ : k - 1;
    for (; j > 0 && d < best[j - 1]; j--) best[j] = best[j - 1], at[j] = at[j - 1];
    best[j] = d, at[j] = i;
    return have;
}

static int64_t search(int64_t from, int64_t to, float qx, float qy, float *best, int64_t *at) {
    int64_t have = 0;
    float d[BLOCK];
    for (int64_t b = from; b < to; b += BLOCK) {
        const int64_t some = to - b < BLOCK ? to - b : BLOCK;
        float least = INFINITY;
#pragma omp simd reduction(min : least)
        for (int64_t i = 0; i < some; i++) {
            const float dx = qx - x[b + i], dy = qy - y[b + i];
            d[i] = dx * dx + dy * dy;
            least = d[i] < least ? d[i] : least;
        }
        if (have == k && !(least < best[k - 1])) continue;
        for (int64_t i = 0; i < some; i++)
            if (have < k || d[i] < best[k - 1]) have = insert(best, at, have, d[i], b + i);
    }
    return have;
}

static void over_places(void) {
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < places; p++) search(0, n, px[p], py[p], distance + p * k, which + p * k);
}

static void over_points(void) {
    static float best[MOST][MOST];
    static int64_t at[MOST][MOST], have[MOST];
    for (int64_t p = 0; p < places; p++) {
        int threads = 1;
#pragma omp parallel num_threads(omp_get_max_threads() < MOST ? omp_get_max_threads() : MOST)
        {
            const int t = omp_get_thread_num();
#pragma omp single
            threads = omp_get_num_threads();
            have[t] = search(n * t / threads, n * (t + 1) / threads, px[p], py[p], best[t], at[t]);
        }
        int64_t all = 0;
        for (int t = 0; t < threads; t++)
            for (int64_t j = 0; j < have[t]; j++) all = insert(distance + p * k, which + p * k, all, best[t][j], at[t][j]);
    }
}

static void check(void) {
    CHECKSUM(distance, places * k);
    CHECKSUM(which, places * k);
}

int main(int argc, char **argv) {
    k = argument(argc, argv, 2), n = argument(argc, argv, 3), places = argument(argc, argv, 4);
    if (k > MOST || k > n) return 2;
    x = array((size_t)n * 4), y = array((size_t)n * 4), px = array((size_t)places * 4), py = array((size_t)places * 4);
    distance = array((size_t)(places * k) * 4), which = array((size_t)(places * k) * 8);
    for (int64_t i = 0; i < n; i++) x[i] = (float)(hash(2 * i) % 2048) / 8.0f, y[i] = (float)(hash(2 * i + 1) % 2048) / 8.0f;
    for (int64_t i = 0; i < places; i++) {
        const int64_t j = i + 77777777;
        px[i] = (float)(hash(2 * j) % 2048) / 8.0f, py[i] = (float)(hash(2 * j + 1) % 2048) / 8.0f;
    }
    POISON(which, places * k);
    measure("c", "over places", over_places, check);
    POISON(which, places * k);
    if (places < 100) measure("c", "over points", over_points, check); // else it is far behind
}
