// Quicksort in place: tasks within one array, or rows side by side. The input is copied inside the measured time, as it must survive.
#include "peer.h"

enum { SMALL = 24, TASK = 8192 };

static int64_t n, m, *xs, *out;

static void insertion(int64_t *a, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        const int64_t x = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

static inline int64_t middle(int64_t a, int64_t b, int64_t c) {
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/// Hoare's partition; the ends of both parts come back in `left` and `right`.
static inline void part(int64_t *a, int64_t count, int64_t *left, int64_t *right) {
    const int64_t p = middle(a[0], a[count / 2], a[count - 1]);
    int64_t i = 0, j = count - 1;
    while (i <= j) {
        while (a[i] < p) i++;
        while (a[j] > p) j--;
        if (i <= j) {
            const int64_t t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    *left = j + 1;
    *right = i;
}

static void sort(int64_t *a, int64_t count) {
    while (count > SMALL) {
        int64_t left, right;
        part(a, count, &left, &right);
        if (left < count - right) {
            sort(a, left);
            a += right, count -= right;
        } else {
            sort(a + right, count - right);
            count = left;
        }
    }
    insertion(a, count);
}

static void sort_tasks(int64_t *a, int64_t count) {
    if (count <= TASK) {
        sort(a, count);
        return;
    }
    int64_t left, right;
    part(a, count, &left, &right);
#pragma omp task
    sort_tasks(a, left);
    sort_tasks(a + right, count - right);
}

static void one(void) {
    memcpy(out, xs, (size_t)n * 8);
#pragma omp parallel
#pragma omp single
    sort_tasks(out, n);
}

static void rows(void) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t r = 0; r < n; r++) {
        memcpy(out + r * m, xs + r * m, (size_t)m * 8);
        sort(out + r * m, m);
    }
}

static void check(void) { CHECKSUM(out, n * m); }

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    n = argument(argc, argv, 2);
    m = strcmp(what, "rows") ? 1 : argument(argc, argv, 3);
    xs = array((size_t)(n * m) * 8), out = array((size_t)(n * m) * 8);
    for (int64_t i = 0; i < n * m; i++) xs[i] = hash(i);
    POISON(out, n * m);
    if (strcmp(what, "rows")) measure("c", "quicksort in place, tasks", one, check);
    else measure("c", "quicksort in place, rows side by side", rows, check);
}
