// Integrals by recursion: a call per interval, peaks shared out dynamically; or an own stack of intervals instead of calls.
#include "peer.h"

static int64_t n, *pieces;
static double *middle_of, *width_of, *out;
static double tolerance;

static inline double height(int64_t p, double x) { return 1.0 / ((x - middle_of[p]) * (x - middle_of[p]) + width_of[p]); }
static inline double simpson(int64_t p, double from, double to) {
    return (to - from) / 6.0 * (height(p, from) + 4.0 * height(p, (from + to) / 2.0) + height(p, to));
}

static double integral(int64_t p, double from, double to, double whole, double tol, int64_t *count) {
    const double middle = (from + to) / 2.0, left = simpson(p, from, middle), right = simpson(p, middle, to);
    const double wrong = left + right - whole;
    if (fabs(wrong) <= 15.0 * tol) {
        ++*count;
        return left + right + wrong / 15.0;
    }
    return integral(p, from, middle, left, tol / 2, count) + integral(p, middle, to, right, tol / 2, count);
}

static void calls(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t p = 0; p < n; p++) {
        int64_t count = 0;
        out[p] = integral(p, 0, 1, simpson(p, 0, 1), tolerance, &count);
        pieces[p] = count;
    }
}

typedef struct {
    double from, to, at_from, at_middle, at_to, tol;
} piece;

// Heights are handed down, so that an interval takes two new ones.
static void own_stack(void) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t p = 0; p < n; p++) {
        piece stack[128];
        int top = 1;
        double sum = 0;
        int64_t count = 0;
        stack[0] = (piece){0, 1, height(p, 0), height(p, 0.5), height(p, 1), tolerance};
        while (top > 0) {
            const piece i = stack[--top];
            const double middle = (i.from + i.to) / 2, h = i.to - i.from;
            const double a = height(p, (i.from + middle) / 2), b = height(p, (middle + i.to) / 2);
            const double whole = h / 6 * (i.at_from + 4 * i.at_middle + i.at_to);
            const double both = h / 12 * (i.at_from + 4 * a + 2 * i.at_middle + 4 * b + i.at_to), wrong = both - whole;
            if (fabs(wrong) <= 15 * i.tol) {
                sum += both + wrong / 15;
                count++;
            } else {
                stack[top++] = (piece){middle, i.to, i.at_middle, b, i.at_to, i.tol / 2};
                stack[top++] = (piece){i.from, middle, i.at_from, a, i.at_middle, i.tol / 2};
            }
        }
        out[p] = sum;
        pieces[p] = count;
    }
}

static void check(void) {
    CHECKSUM(out, n);
    CHECKSUM(pieces, n);
}

int main(int argc, char **argv) {
    const int even = argc > 1 && !strcmp(argv[1], "even");
    n = argument(argc, argv, 2);
    tolerance = even ? 0.000001 : 0.0001;
    const size_t bytes = (size_t)n * 8;
    middle_of = array(bytes), width_of = array(bytes), out = array(bytes), pieces = array(bytes);
    for (int64_t i = 0; i < n; i++) {
        const int64_t h = hash(i);
        middle_of[i] = (double)(h % 1024) / 1024.0 + (even ? 0 : 0.0001);
        width_of[i] = even ? 0.0009765625 : h / 1024 % 50 == 0 ? 0.000001 : 1.0;
    }
    measure("c", "calls", calls, check);
    POISON(out, n);
    measure("c", "an own stack", own_stack, check);
}
