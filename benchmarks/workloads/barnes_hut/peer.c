// Forces after Barnes and Hut: the tree is built by one thread, splitting bodies in place, its cells one behind the other; the walks are
// shared out, in the order of the bodies or in the order of the tree, in which neighbours take nearly the same way.
#include "peer.h"

typedef struct {
    double x, y, mass, side;
    int64_t cells;
} cell;
typedef struct {
    double x, y, mass;
    int64_t place;
} body;

static int64_t n, count, room;
static double *xs, *ys, *masses, *fx, *fy;
static cell *tree;
static body *bodies;

/// Bodies for which a test holds go to the front; the number of them is returned.
static int64_t split(body *b, int64_t size, int by_y, double at) {
    int64_t front = 0;
    for (int64_t i = 0; i < size; i++)
        if ((by_y ? b[i].y : b[i].x) < at) {
            const body t = b[i];
            b[i] = b[front], b[front++] = t;
        }
    return front;
}

static void build(body *b, int64_t size, double left, double low, double side) {
    if (size == 0) return;
    double mass = 0, x = 0, y = 0;
    for (int64_t i = 0; i < size; i++) mass += b[i].mass, x += b[i].mass * b[i].x, y += b[i].mass * b[i].y;
    if (count == room) exit(3);
    const int64_t own = count++;
    tree[own] = (cell){x / mass, y / mass, mass, 0, 1};
    if (size == 1 || side < 0.0625) return;
    const double half = side / 2;
    const int64_t below = split(b, size, 1, low + half);
    const int64_t first = split(b, below, 0, left + half), third = split(b + below, size - below, 0, left + half);
    build(b, first, left, low, half);
    build(b + first, below - first, left + half, low, half);
    build(b + below, third, left, low + half, half);
    build(b + below + third, size - below - third, left + half, low + half, half);
    tree[own].side = side;
    tree[own].cells = count - own;
}

static inline void force(double bx, double by, double *out_x, double *out_y) {
    double ax = 0, ay = 0;
    for (int64_t i = 0; i < count;) {
        const cell *c = &tree[i];
        const double dx = c->x - bx, dy = c->y - by, far = dx * dx + dy * dy;
        if (4.0 * c->side * c->side < far || c->side == 0) {
            const double pull = c->mass / ((far + 0.01) * sqrt(far + 0.01));
            ax += pull * dx, ay += pull * dy;
            i += c->cells;
        } else i++;
    }
    *out_x = ax, *out_y = ay;
}

static void make_tree(void) {
    for (int64_t i = 0; i < n; i++) bodies[i] = (body){xs[i], ys[i], masses[i], i};
    count = 0;
    build(bodies, n, 0, 0, 1024);
}

static void in_order(void) {
    make_tree();
#pragma omp parallel for schedule(dynamic, 128)
    for (int64_t i = 0; i < n; i++) force(xs[i], ys[i], &fx[i], &fy[i]);
}

static void as_in_the_tree(void) {
    make_tree();
#pragma omp parallel for schedule(dynamic, 128)
    for (int64_t i = 0; i < n; i++) force(bodies[i].x, bodies[i].y, &fx[bodies[i].place], &fy[bodies[i].place]);
}

static void check(void) {
    CHECKSUM(fx, n);
    CHECKSUM(fy, n);
}

int main(int argc, char **argv) {
    const int clustered = argc > 1 && !strcmp(argv[1], "clustered");
    n = argument(argc, argv, 2);
    room = 20 * n + 64;
    const size_t bytes = (size_t)n * 8;
    xs = array(bytes), ys = array(bytes), masses = array(bytes), fx = array(bytes), fy = array(bytes);
    tree = array((size_t)room * sizeof(cell)), bodies = array((size_t)n * sizeof(body));
    for (int64_t i = 0; i < n; i++) {
        int64_t u = hash(i) % 8192, v = hash(i + 77777777) % 8192;
        if (clustered) u = u * u / 8192 * u / 8192, v = v * v / 8192 * v / 8192;
        xs[i] = (double)u / 8.0, ys[i] = (double)v / 8.0, masses[i] = 1.0 + (double)(hash(i + 55555) % 8) / 8.0;
    }
    measure("c", "walks in the order of bodies", in_order, check);
    POISON(fx, n);
    measure("c", "walks in the order of the tree", as_in_the_tree, check);
}
