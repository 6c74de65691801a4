// Pieces of DNA: the number of a piece follows from the one before it by a shift. Short pieces go to a histogram per thread; long ones are
// written out, shared out by their first four letters, and sorted by digits of 11 bits.
#include "peer.h"

enum { SHORT = 8, LONG = 21, BINS = 65536, PARTS = 256, REST = 2 * LONG - 8 };
static int64_t n, *off, *place, pieces, found, *key, *times;
static uint8_t *text;
static int64_t *spectrum_of;
static uint64_t *codes, *shared, *spare;
static int threads;

static void spectrum(void) {
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        int64_t *own = spectrum_of + (int64_t)t * BINS;
        memset(own, 0, BINS * 8);
#pragma omp for schedule(dynamic, 256)
        for (int64_t r = 0; r < n; r++) {
            uint32_t code = 0;
            for (int64_t q = off[r]; q < off[r + 1]; q++) {
                code = (code << 2 | (text[q] >> 1 & 3)) & (BINS - 1);
                if (q - off[r] >= SHORT - 1) own[code]++;
            }
        }
#pragma omp for schedule(static)
        for (int64_t b = 0; b < BINS; b++)
            for (int u = 1; u < threads; u++) spectrum_of[b] += spectrum_of[(int64_t)u * BINS + b];
    }
}

static void sort_codes(uint64_t *x, uint64_t *other, int64_t count) {
    uint64_t *from = x, *to = other;
    int turns = 0;
    for (int shift = 0; shift < REST; shift += 9, turns++) {
        int64_t at[513] = {0};
        for (int64_t k = 0; k < count; k++) at[(from[k] >> shift & 511) + 1]++;
        for (int k = 0; k < 512; k++) at[k + 1] += at[k];
        for (int64_t k = 0; k < count; k++) to[at[from[k] >> shift & 511]++] = from[k];
        uint64_t *t = from;
        from = to, to = t;
    }
    if (from != x) memcpy(x, from, (size_t)count * 8);
}

static void counts(void) {
    static int64_t shares[64][PARTS], begin[PARTS + 1], different[PARTS + 1];
    memset(shares, 0, sizeof shares);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const int64_t lo = n * t / threads, hi = n * (t + 1) / threads;
        int64_t *own = shares[t];
        for (int64_t r = lo; r < hi; r++) {
            uint64_t code = 0;
            int64_t at = place[r];
            for (int64_t q = off[r]; q < off[r + 1]; q++) {
                code = (code << 2 | (text[q] >> 1 & 3)) & ((1ull << (2 * LONG)) - 1);
                if (q - off[r] >= LONG - 1) codes[at++] = code, own[code >> REST]++;
            }
        }
#pragma omp barrier
#pragma omp single
        {
            int64_t sum = 0;
            for (int p = 0; p < PARTS; p++) {
                begin[p] = sum;
                for (int u = 0; u < threads; u++) {
                    const int64_t c = shares[u][p];
                    shares[u][p] = sum;
                    sum += c;
                }
            }
            begin[PARTS] = sum;
        }
        for (int64_t q = place[lo]; q < place[hi]; q++) shared[own[codes[q] >> REST]++] = codes[q];
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
        for (int p = 0; p < PARTS; p++) {
            sort_codes(shared + begin[p], spare + begin[p], begin[p + 1] - begin[p]);
            int64_t count = 0;
            for (int64_t q = begin[p]; q < begin[p + 1]; q++) count += q == begin[p] || shared[q] != shared[q - 1];
            different[p + 1] = count;
        }
#pragma omp single
        {
            different[0] = 0;
            for (int p = 0; p < PARTS; p++) different[p + 1] += different[p];
        }
#pragma omp for schedule(dynamic, 1)
        for (int p = 0; p < PARTS; p++) {
            int64_t at = different[p] - 1;
            for (int64_t q = begin[p]; q < begin[p + 1]; q++)
                if (q == begin[p] || shared[q] != shared[q - 1]) key[++at] = (int64_t)shared[q], times[at] = 1;
                else times[at]++;
        }
    }
    found = different[PARTS];
}

static void check_spectrum(void) { CHECKSUM(spectrum_of, BINS); }
static void check_counts(void) {
    CHECKSUM(key, found);
    CHECKSUM(times, found);
}

int main(int argc, char **argv) {
    const int is_spectrum = argc > 1 && !strcmp(argv[1], "spectrum");
    n = argument(argc, argv, 2);
    const int64_t genome = argument(argc, argv, 3);
    threads = omp_get_max_threads() < 64 ? omp_get_max_threads() : 64;
    off = array(((size_t)n + 1) * 8), place = array(((size_t)n + 1) * 8);
    off[0] = place[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t size = hash(hash(i)) % 200;
        off[i + 1] = off[i] + size;
        place[i + 1] = place[i] + (size >= LONG ? size - LONG + 1 : 0);
    }
    text = array((size_t)off[n] + 1);
#pragma omp parallel for schedule(dynamic, 512)
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) text[off[i] + j] = (uint8_t)"ACTG"[hash((hash(i) + j) % genome) % 4];
    if (is_spectrum) {
        spectrum_of = array((size_t)threads * BINS * 8);
        measure("c", "a histogram per thread", spectrum, check_spectrum);
        return 0;
    }
    pieces = place[n];
    const size_t bytes = (size_t)pieces * 8 + 8;
    codes = array(bytes), shared = array(bytes), spare = array(bytes), key = array(bytes), times = array(bytes);
    measure("c", "shared out, then sorted by digits", counts, check_counts);
}
