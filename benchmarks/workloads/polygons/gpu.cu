// Shapes with holes: areas by a thread per shape, covered places by a thread per place that looks at every side.
#include "peer.cuh"

struct Shapes {
    int64_t *ring_of, *corner;
    double *x, *y;
};

static Shapes made(int64_t n) {
    Shapes s{};
    s.ring_of = offsets_of(n, [=] __device__(int64_t i) { return 1 + hash(i) / 1024 % 4; });
    const int64_t rings = last_of(s.ring_of, n);
    int64_t *sizes = array<int64_t>(rings), *seeds = array<int64_t>(rings), *places = array<int64_t>(rings);
    each_element(n, s.ring_of, [=] __device__(int64_t shape, int64_t r, int64_t q) {
        const int64_t seed = hash(shape);
        seeds[q] = seed, places[q] = r;
        sizes[q] = r == 0 ? 3 + hash(seed + 1) % 38 : 3 + hash((seed + r) % 2147483647) % 6;
    });
    s.corner = offsets_of(rings, [=] __device__(int64_t r) { return sizes[r]; });
    const int64_t corners = last_of(s.corner, rings);
    double *x = array<double>(corners), *y = array<double>(corners);
    each_element(rings, s.corner, [=] __device__(int64_t ring, int64_t j, int64_t q) {
        const int64_t seed = seeds[ring], r = places[ring], size = sizes[ring];
        const double far = r == 0 ? 16.0 + double(hash((seed + 31 * j) % 2147483647) % 16) : 3.0;
        const double t = 8.0 * double(r == 0 ? j : size - 1 - j) / double(size);
        const double dx = t < 2 ? t - 1 : t < 4 ? 1.0 : t < 6 ? 5 - t : -1.0, dy = t < 2 ? -1.0 : t < 4 ? t - 3 : t < 6 ? 1.0 : 7 - t;
        x[q] = double(seed % 1024) + floor(far * dx * 8) / 8 + 6.0 * double(r > 1 ? r - 1 : 0);
        y[q] = double(hash(seed) % 1024) + floor(far * dy * 8) / 8;
    });
    s.x = x, s.y = y;
    return s;
}

int main(int argc, char** argv) {
    const int64_t n = argument(argc, argv, 2);
    const Shapes s = made(n);
    if (std::string(argv[1]) == "areas") {
        double* out = array<double>(n);
        measure("cuda", "a thread per shape", [=] {
            each(n, [=] __device__(int64_t shape) {
                double twice = 0;
                for (int64_t r = s.ring_of[shape]; r < s.ring_of[shape + 1]; r++) {
                    int64_t j = s.corner[r + 1] - 1;
                    for (int64_t i = s.corner[r]; i < s.corner[r + 1]; j = i++) twice += s.x[j] * s.y[i] - s.x[i] * s.y[j];
                }
                out[shape] = 0.5 * twice;
            });
        }, out, [=] { return n; }, n);
        return 0;
    }
    const int64_t m = argument(argc, argv, 3);
    int64_t* out = array<int64_t>(m);
    measure("cuda", "a thread per place", [=] {
        each(m, [=] __device__(int64_t p) {
            const double u = double(hash(p) % 4096) / 4.0 + 0.0625, v = double(hash(p + 99999) % 4096) / 4.0 + 0.0625;
            int64_t count = 0;
            for (int64_t shape = 0; shape < n; shape++) {
                bool odd = false;
                for (int64_t r = s.ring_of[shape]; r < s.ring_of[shape + 1]; r++) {
                    int64_t j = s.corner[r + 1] - 1;
                    for (int64_t i = s.corner[r]; i < s.corner[r + 1]; j = i++)
                        if ((s.y[j] > v) != (s.y[i] > v) && u < s.x[j] + (s.x[i] - s.x[j]) * (v - s.y[j]) / (s.y[i] - s.y[j])) odd = !odd;
                }
                count += odd;
            }
            out[p] = count;
        });
    }, out, [=] { return m; }, m);
}
