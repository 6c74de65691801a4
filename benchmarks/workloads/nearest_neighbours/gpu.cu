// The nearest points: a thread per place and part of the points keeps a list of the k nearest, and lists are merged, some at a time.
#include "peer.cuh"

const int MOST = 16, MERGED = 32;

struct Near {
    float far;
    int32_t which;
};

/// Among equal distances the point that comes first counts.
__host__ __device__ inline void keep(Near* best, int k, float far, int32_t which) {
    if (!(far < best[k - 1].far || (far == best[k - 1].far && which < best[k - 1].which))) return;
    int j = k - 1;
    for (; j > 0 && (far < best[j - 1].far || (far == best[j - 1].far && which < best[j - 1].which)); j--) best[j] = best[j - 1];
    best[j] = {far, which};
}

int main(int argc, char** argv) {
    const int k = int(argument(argc, argv, 2));
    const int64_t n = argument(argc, argv, 3), places = argument(argc, argv, 4);
    if (k > MOST) return 2;
    float *x = array<float>(n), *y = array<float>(n), *px = array<float>(places), *py = array<float>(places);
    each(n, [=] __device__(int64_t i) { x[i] = float(hash(2 * i) % 2048) / 8.0f, y[i] = float(hash(2 * i + 1) % 2048) / 8.0f; });
    each(places, [=] __device__(int64_t i) {
        const int64_t at = i + 77777777;
        px[i] = float(hash(2 * at) % 2048) / 8.0f, py[i] = float(hash(2 * at + 1) % 2048) / 8.0f;
    });
    int64_t parts = 1;
    while (parts * places < 132 * 1024 && parts * 64 < n) parts *= MERGED;
    Near *lists = array<Near>(places * parts * k), *merged = array<Near>(places * parts * k);
    float* far = array<float>(places * k);
    int64_t* which = array<int64_t>(places * k);
    measure("cuda", "a thread per place and part, lists merged", [=] {
        each(places * parts, [=] __device__(int64_t q) {
            // Neighbouring threads have neighbouring points where there are several parts.
            const int64_t p = q / parts, part = q % parts;
            Near best[MOST];
            for (int j = 0; j < k; j++) best[j] = {INFINITY, INT32_MAX};
            const float u = px[p], v = py[p];
            for (int64_t i = part; i < n; i += parts) {
                const float dx = x[i] - u, dy = y[i] - v;
                keep(best, k, dx * dx + dy * dy, int32_t(i));
            }
            for (int j = 0; j < k; j++) lists[q * k + j] = best[j];
        });
        Near *from = lists, *to = merged;
        for (int64_t left = parts; left > 1; left /= MERGED) {
            each(places * (left / MERGED), [=] __device__(int64_t q) {
                Near best[MOST];
                for (int j = 0; j < k; j++) best[j] = {INFINITY, INT32_MAX};
                for (int64_t i = q * MERGED * k; i < (q + 1) * MERGED * k; i++) keep(best, k, from[i].far, from[i].which);
                for (int j = 0; j < k; j++) to[q * k + j] = best[j];
            });
            std::swap(from, to);
        }
        each(places * k, [=] __device__(int64_t q) { far[q] = from[q].far, which[q] = from[q].which; });
    }, [=] { return std::vector<Sums>{sums_of(far, places * k), sums_of(which, places * k)}; });
}
