// Sparse product by rows (Gustavson): the products of a row are added up in a dense array of the matrix's width, or in a small hash table
// as large as the row may become; then its columns are sorted. Rows are counted first, so that results go where they belong at once.
#include "peer.h"

static int64_t n, *a_off, *b_off, *c_off, room;
static int32_t *a_col, *b_col, *c_col;
static double *a_val, *b_val, *c_val;
static int threads;

// Short rows by insertion, others by digits of 11 bits.
static void sort_row(int32_t *x, int64_t count, int32_t *spare) {
    if (count <= 48) {
        for (int64_t i = 1; i < count; i++) {
            const int32_t v = x[i];
            int64_t j = i;
            for (; j > 0 && x[j - 1] > v; j--) x[j] = x[j - 1];
            x[j] = v;
        }
        return;
    }
    if (count <= 512) {
        const int32_t p = x[count / 2];
        int64_t i = 0, j = count - 1;
        while (i <= j) {
            while (x[i] < p) i++;
            while (x[j] > p) j--;
            if (i <= j) {
                const int32_t t = x[i];
                x[i++] = x[j], x[j--] = t;
            }
        }
        sort_row(x, j + 1, spare);
        sort_row(x + i, count - i, spare);
        return;
    }
    int32_t *from = x, *to = spare;
    for (int shift = 0; shift < 31 && (n - 1) >> shift; shift += 11) {
        int32_t places[2049] = {0};
        for (int64_t k = 0; k < count; k++) places[(from[k] >> shift & 2047) + 1]++;
        for (int k = 0; k < 2048; k++) places[k + 1] += places[k];
        for (int64_t k = 0; k < count; k++) to[places[from[k] >> shift & 2047]++] = from[k];
        int32_t *t = from;
        from = to, to = t;
    }
    if (from != x) memcpy(x, from, (size_t)count * 4);
}

static void dense(void) {
#pragma omp parallel num_threads(threads)
    {
        double *sum = calloc((size_t)n, 8);
        int64_t *seen = malloc((size_t)n * 8);
        int32_t *spare = malloc((size_t)n * 4);
        memset(seen, 0xff, (size_t)n * 8);
        // How many columns each row of the product has.
#pragma omp for schedule(dynamic, 64)
        for (int64_t r = 0; r < n; r++) {
            int64_t count = 0;
            for (int64_t q = a_off[r]; q < a_off[r + 1]; q++)
                for (int64_t p = b_off[a_col[q]]; p < b_off[a_col[q] + 1]; p++)
                    if (seen[b_col[p]] != r) seen[b_col[p]] = r, count++;
            c_off[r + 1] = count;
        }
#pragma omp single
        {
            for (int64_t r = 0; r < n; r++) c_off[r + 1] += c_off[r];
            if (c_off[n] > room) exit(3);
        }
        memset(seen, 0xff, (size_t)n * 8);
#pragma omp for schedule(dynamic, 64)
        for (int64_t r = 0; r < n; r++) {
            int32_t *cols = c_col + c_off[r];
            int64_t count = 0;
            for (int64_t q = a_off[r]; q < a_off[r + 1]; q++) {
                const double x = a_val[q];
                for (int64_t p = b_off[a_col[q]]; p < b_off[a_col[q] + 1]; p++) {
                    const int32_t j = b_col[p];
                    if (seen[j] != r) seen[j] = r, cols[count++] = j, sum[j] = x * b_val[p];
                    else sum[j] += x * b_val[p];
                }
            }
            sort_row(cols, count, spare);
            for (int64_t k = 0; k < count; k++) c_val[c_off[r] + k] = sum[cols[k]];
        }
        free(sum);
        free(seen);
        free(spare);
    }
}

static void hashed(void) {
    int64_t widest = 1;
#pragma omp parallel for reduction(max : widest) schedule(dynamic, 1024)
    for (int64_t r = 0; r < n; r++) {
        int64_t count = 0;
        for (int64_t q = a_off[r]; q < a_off[r + 1]; q++) count += b_off[a_col[q] + 1] - b_off[a_col[q]];
        c_off[r + 1] = count;
        if (count > widest) widest = count;
    }
    // Rows go to places as if no columns met, and are moved together afterwards.
    for (int64_t r = 0; r < n; r++) c_off[r + 1] += c_off[r];
    if (c_off[n] > room) exit(3);
    int64_t most = 16;
    while (most < 2 * widest) most *= 2;
    int64_t *counts = malloc((size_t)n * 8);
#pragma omp parallel num_threads(threads)
    {
        int32_t *keys = malloc((size_t)most * 4), *spare = malloc((size_t)n * 4);
        double *sums = malloc((size_t)most * 8);
        memset(keys, 0xff, (size_t)most * 4);
#pragma omp for schedule(dynamic, 64)
        for (int64_t r = 0; r < n; r++) {
            int32_t *cols = c_col + c_off[r];
            int64_t size = 16, count = 0;
            while (size < 2 * (c_off[r + 1] - c_off[r])) size *= 2;
            for (int64_t q = a_off[r]; q < a_off[r + 1]; q++) {
                const double x = a_val[q];
                for (int64_t p = b_off[a_col[q]]; p < b_off[a_col[q] + 1]; p++) {
                    const int32_t j = b_col[p];
                    int64_t k = (int64_t)((uint32_t)j * 2654435769u >> 7) & (size - 1);
                    while (keys[k] != j && keys[k] >= 0) k = (k + 1) & (size - 1);
                    if (keys[k] < 0) keys[k] = j, sums[k] = x * b_val[p], cols[count++] = j;
                    else sums[k] += x * b_val[p];
                }
            }
            sort_row(cols, count, spare);
            for (int64_t i = 0; i < count; i++) {
                int64_t k = (int64_t)((uint32_t)cols[i] * 2654435769u >> 7) & (size - 1);
                while (keys[k] != cols[i]) k = (k + 1) & (size - 1);
                c_val[c_off[r] + i] = sums[k];
            }
            memset(keys, 0xff, (size_t)size * 4);
            counts[r] = count;
        }
        free(keys);
        free(spare);
        free(sums);
    }
    int64_t at = 0;
    for (int64_t r = 0; r < n; r++) {
        memmove(c_col + at, c_col + c_off[r], (size_t)counts[r] * 4);
        memmove(c_val + at, c_val + c_off[r], (size_t)counts[r] * 8);
        c_off[r] = at;
        at += counts[r];
    }
    c_off[n] = at;
    free(counts);
}

static void check(void) {
    CHECKSUM(c_col, c_off[n]);
    CHECKSUM(c_val, c_off[n]);
}

static void make(int second, int power, int64_t width, int64_t **off, int32_t **col, double **val) {
    *off = array(((size_t)n + 1) * 8);
    (*off)[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i + (second ? 5555555 : 0));
        (*off)[i + 1] = (*off)[i] + (!power ? width : second ? seed % 9 : width / (1 + seed % width));
    }
    *col = array((size_t)(*off)[n] * 4), *val = array((size_t)(*off)[n] * 8);
    for (int64_t i = 0; i < n; i++) {
        const int64_t seed = hash(i + (second ? 5555555 : 0));
        for (int64_t j = 0; j < (*off)[i + 1] - (*off)[i]; j++) {
            const int64_t at = (seed + 7919 * j) % 2147483647;
            (*col)[(*off)[i] + j] = (int32_t)(hash(at) % n);
            (*val)[(*off)[i] + j] = (double)(1 + at % 64) / 8.0;
        }
    }
}

int main(int argc, char **argv) {
    const int power = argc > 1 && !strcmp(argv[1], "power");
    n = argument(argc, argv, 2);
    const int64_t width = argument(argc, argv, 3);
    threads = omp_get_max_threads();
    make(0, power, width, &a_off, &a_col, &a_val);
    make(1, power, width, &b_off, &b_col, &b_val);
    for (int64_t q = 0; q < a_off[n]; q++) room += b_off[a_col[q] + 1] - b_off[a_col[q]];
    c_off = array(((size_t)n + 1) * 8), c_col = array((size_t)room * 4), c_val = array((size_t)room * 8);
    c_off[0] = 0;
    measure("c", "sums in a dense row", dense, check);
    POISON(c_col, room);
    POISON(c_val, room);
    measure("c", "sums in a hash table", hashed, check);
}
