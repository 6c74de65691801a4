// Convex hull by recursion. The ends and the first two halves are found in parallel; below, a call finds the farthest point and splits in one
// pass, large calls as tasks. A call hands its corners back behind each other in memory that its points occupied.
#include "peer.h"

typedef struct {
    double x, y;
} point;

static int64_t n, found;
static double *xs, *ys, *out_x, *out_y;
static point *room, *hull;
static int threads;

static inline double turn(point a, point b, point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
static inline int before(point a, point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

/// Points [0, count) lie to the left of a side; `to` takes the corners between its ends, and their number is returned.
static int64_t corners(point a, point b, point *p, int64_t count, point *to) {
    if (count == 0) return 0;
    int64_t at = 0;
    double best = turn(a, b, p[0]);
    for (int64_t i = 1; i < count; i++) {
        const double d = turn(a, b, p[i]);
        if (d > best) best = d, at = i;
    }
    const point far = p[at];
    // A point is to the left of at most one of the new sides: the first ones go to the front, the others to the back.
    int64_t front = 0, back = count;
    for (int64_t i = 0; i < back;) {
        const point q = p[i];
        if (turn(a, far, q) > 0) p[i++] = p[front], p[front++] = q;
        else if (turn(far, b, q) > 0) p[i] = p[--back], p[back] = q;
        else i++;
    }
    const int64_t behind = count - back;
    int64_t first, second;
    if (count > 20000) {
        point *spare = malloc((size_t)(behind + 1) * sizeof(point));
#pragma omp task shared(first)
        first = corners(a, far, p, front, to);
        second = corners(far, b, p + back, behind, spare);
#pragma omp taskwait
        to[first] = far;
        memcpy(to + first + 1, spare, (size_t)second * sizeof(point));
        free(spare);
    } else {
        first = corners(a, far, p, front, to);
        to[first] = far;
        second = corners(far, b, p + back, behind, to + first + 1);
    }
    return first + 1 + second;
}

static void quickhull(void) {
    point least = {xs[0], ys[0]}, greatest = least;
    static int64_t starts[257][2];
    memset(starts, 0, sizeof starts);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int64_t lo = n * t / threads, hi = n * (t + 1) / threads;
        point a = {xs[lo], ys[lo]}, b = a;
        for (int64_t i = lo; i < hi; i++) {
            const point q = {xs[i], ys[i]};
            if (before(q, a)) a = q;
            if (before(b, q)) b = q;
        }
#pragma omp critical
        {
            if (before(a, least)) least = a;
            if (before(greatest, b)) greatest = b;
        }
#pragma omp barrier
        int64_t above = 0, below = 0;
        for (int64_t i = lo; i < hi; i++) {
            const double d = turn(least, greatest, (point){xs[i], ys[i]});
            above += d > 0;
            below += d < 0;
        }
        starts[t + 1][0] = above, starts[t + 1][1] = below;
#pragma omp barrier
#pragma omp single
        for (int u = 0; u < threads; u++)
            for (int k = 0; k < 2; k++) starts[u + 1][k] += starts[u][k];
        point *up = room + starts[t][0], *down = room + starts[threads][0] + starts[t][1];
        for (int64_t i = lo; i < hi; i++) {
            const point q = {xs[i], ys[i]};
            const double d = turn(least, greatest, q);
            if (d > 0) *up++ = q;
            else if (d < 0) *down++ = q;
        }
#pragma omp barrier
#pragma omp single
        {
            const int64_t above_all = starts[threads][0], below_all = starts[threads][1];
            int64_t first, second;
            point *spare = malloc((size_t)(below_all + 1) * sizeof(point));
#pragma omp task shared(first)
            first = corners(least, greatest, room, above_all, hull + 1);
            second = corners(greatest, least, room + above_all, below_all, spare);
#pragma omp taskwait
            hull[0] = least;
            hull[first + 1] = greatest;
            memcpy(hull + first + 2, spare, (size_t)second * sizeof(point));
            free(spare);
            found = first + 2 + second;
        }
    }
}

static void check(void) {
    for (int64_t i = 0; i < found; i++) out_x[i] = hull[i].x, out_y[i] = hull[i].y;
    CHECKSUM(out_x, found);
    CHECKSUM(out_y, found);
}

int main(int argc, char **argv) {
    const int parabola = argc > 1 && !strcmp(argv[1], "parabola");
    n = argument(argc, argv, 2);
    const int64_t width = parabola ? argument(argc, argv, 3) : 0;
    threads = omp_get_max_threads() < 256 ? omp_get_max_threads() : 256;
    xs = array((size_t)n * 8), ys = array((size_t)n * 8), out_x = array((size_t)n * 8), out_y = array((size_t)n * 8);
    room = array((size_t)n * sizeof(point)), hull = array(((size_t)n + 2) * sizeof(point));
    for (int64_t i = 0; i < n; i++) {
        xs[i] = (double)(parabola ? hash(i) % width : hash(i) % 1048576);
        ys[i] = parabola ? xs[i] * xs[i] : (double)(hash(i + 77777777) % 1048576);
    }
    measure("c", "recursion in place, tasks", quickhull, check);
}
