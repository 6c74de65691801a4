// Particles in boxes: coordinates in five arrays, box after box. For each particle a loop over the particles of each neighbouring box, by vectors
// with the exponential of the vector library, or the particles of all neighbours are first gathered into one array per box, so that
// loops are long even where boxes are small.
#include "peer.h"

#pragma omp declare simd notinbranch
extern double exp(double);

static int64_t side, boxes, count, *off, *near_off;
static int32_t *near;
static double *v, *x, *y, *z, *q, *out[4];
static const double factor = 2.0 * 0.5 * 0.5;

static inline void pull(int64_t a, int64_t from, int64_t to, const double *v_, const double *x_, const double *y_, const double *z_, const double *q_, double *sum) {
    const double va = v[a], xa = x[a], ya = y[a], za = z[a];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t b = from; b < to; b++) {
        const double distance = va + v_[b] - (xa * x_[b] + ya * y_[b] + za * z_[b]);
        const double potential = q_[b] * exp(-factor * distance), force = 2.0 * potential;
        s0 += potential, s1 += force * (xa - x_[b]), s2 += force * (ya - y_[b]), s3 += force * (za - z_[b]);
    }
    sum[0] += s0, sum[1] += s1, sum[2] += s2, sum[3] += s3;
}

static void box_by_box(void) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t i = 0; i < boxes; i++)
        for (int64_t a = off[i]; a < off[i + 1]; a++) {
            double sum[4] = {0};
            for (int64_t k = near_off[i]; k < near_off[i + 1]; k++) pull(a, off[near[k]], off[near[k] + 1], v, x, y, z, q, sum);
            for (int k = 0; k < 4; k++) out[k][a] = sum[k];
        }
}

static void gathered(void) {
    int64_t most = 1;
    for (int64_t i = 0; i < boxes; i++) most = off[i + 1] - off[i] > most ? off[i + 1] - off[i] : most;
#pragma omp parallel
    {
        double *room = malloc((size_t)(27 * most) * 5 * sizeof *room), *all[5], *source[5] = {v, x, y, z, q};
        for (int k = 0; k < 5; k++) all[k] = room + k * 27 * most;
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < boxes; i++) {
            int64_t n = 0;
            for (int64_t k = near_off[i]; k < near_off[i + 1]; k++) {
                const int64_t from = off[near[k]], some = off[near[k] + 1] - from;
                for (int c = 0; c < 5; c++) memcpy(all[c] + n, source[c] + from, (size_t)some * sizeof **all);
                n += some;
            }
            for (int64_t a = off[i]; a < off[i + 1]; a++) {
                double sum[4] = {0};
                pull(a, 0, n, all[0], all[1], all[2], all[3], all[4], sum);
                for (int k = 0; k < 4; k++) out[k][a] = sum[k];
            }
        }
        free(room);
    }
}

static void check(void) {
    for (int k = 0; k < 4; k++) CHECKSUM(out[k], count);
}
static int outside(int64_t a) { return a < 0 || a >= side; }

int main(int argc, char **argv) {
    const int equal = argc > 1 && !strcmp(argv[1], "equal");
    side = argument(argc, argv, 2), boxes = side * side * side;
    const int64_t n = argument(argc, argv, 3);
    off = array((size_t)(boxes + 1) * 8), near_off = array((size_t)(boxes + 1) * 8), near = array((size_t)boxes * 27 * 4);
    off[0] = near_off[0] = 0;
    for (int64_t i = 0; i < boxes; i++) {
        off[i + 1] = off[i] + (equal ? n : hash(i + 77) % (2 * n + 1));
        int64_t to = near_off[i];
        for (int64_t k = 0; k < 27; k++) {
            const int64_t a = i / side / side + k / 9 - 1, b = i / side % side + k / 3 % 3 - 1, c = i % side + k % 3 - 1;
            if (!outside(a) && !outside(b) && !outside(c)) near[to++] = (int32_t)((a * side + b) * side + c);
        }
        near_off[i + 1] = to;
    }
    count = off[boxes];
    double **all[5] = {&v, &x, &y, &z, &q};
    for (int k = 0; k < 5; k++) *all[k] = array((size_t)count * 8);
    for (int k = 0; k < 4; k++) out[k] = array((size_t)count * 8);
    for (int64_t i = 0; i < boxes; i++)
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++)
            for (int k = 0; k < 5; k++) (*all[k])[off[i] + j] = (k == 0) + (double)(hash(5 * (1000 * i + j) + k) % 64) / 64.0;
    for (int k = 0; k < 4; k++) POISON(out[k], count);
    measure("c", "box by box", box_by_box, check);
    for (int k = 0; k < 4; k++) POISON(out[k], count);
    measure("c", "neighbours gathered", gathered, check);
}
