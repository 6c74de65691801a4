// Integrals by recursion: a thread per integral, with a stack of its own.
#include "peer.cuh"

struct Piece {
    double from, to, first, middle, last, tolerance;
};

__host__ __device__ inline double height(double m, double w, double x) { return 1.0 / ((x - m) * (x - m) + w); }

int main(int argc, char** argv) {
    const bool even = argc > 1 && std::string(argv[1]) == "even";
    const int64_t n = argument(argc, argv, 2);
    const double tolerance = even ? 0.000001 : 0.0001;
    double *middle = array<double>(n), *width = array<double>(n), *out = array<double>(n);
    int64_t* pieces = array<int64_t>(n);
    each(n, [=] __device__(int64_t i) {
        const int64_t h = hash(i);
        middle[i] = double(h % 1024) / 1024.0 + (even ? 0.0 : 0.0001);
        width[i] = even ? 0.0009765625 : h / 1024 % 50 == 0 ? 0.000001 : 1.0;
    });
    measure("cuda", "a thread per integral, an own stack", [=] {
        each(n, [=] __device__(int64_t i) {
            const double m = middle[i], w = width[i];
            Piece stack[64];
            stack[0] = {0.0, 1.0, height(m, w, 0.0), height(m, w, 0.5), height(m, w, 1.0), tolerance};
            int top = 1;
            double sum = 0;
            int64_t count = 0;
            while (top > 0) {
                const Piece p = stack[--top];
                const double c = (p.from + p.to) / 2, size = p.to - p.from;
                const double a = height(m, w, (p.from + c) / 2), b = height(m, w, (c + p.to) / 2);
                const double whole = size / 6 * (p.first + 4 * p.middle + p.last);
                const double both = size / 12 * (p.first + 4 * a + 2 * p.middle + 4 * b + p.last);
                if (fabs(both - whole) <= 15 * p.tolerance) {
                    sum += both + (both - whole) / 15;
                    count++;
                } else {
                    stack[top++] = {c, p.to, p.middle, b, p.last, p.tolerance / 2};
                    stack[top++] = {p.from, c, p.first, a, p.middle, p.tolerance / 2};
                }
            }
            out[i] = sum;
            pieces[i] = count;
        });
    }, [=] { return std::vector<Sums>{sums_of(out, n), sums_of(pieces, n)}; });
}
