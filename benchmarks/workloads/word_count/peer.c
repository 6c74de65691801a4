// Counting words: a table per thread, open addressing, keyed by the word's bytes; the tables are merged and the words put in order. Another
// way cuts the text into words and sorts them by their first eight bytes as a number, then by the rest.
#include "peer.h"

typedef struct {
    const uint8_t *at;
    uint64_t head; // The first eight bytes, the first one highest.
    int64_t size, times;
} word;

static int64_t length, found, letters;
static uint8_t *text, *out;
static int64_t *sizes, *times;
static word *words;
static int threads;

static inline int space(uint8_t c) { return c == 32 || (c >= 9 && c <= 13); }

static inline uint64_t head_of(const uint8_t *at, int64_t size) {
    uint64_t head = 0;
    if (at + 8 <= text + length) {
        memcpy(&head, at, 8);
        head = __builtin_bswap64(head);
        return size >= 8 ? head : size == 0 ? 0 : head >> (64 - 8 * size) << (64 - 8 * size);
    }
    for (int64_t k = 0; k < 8; k++) head = head << 8 | (k < size ? at[k] : 0);
    return head;
}

static int by_text(const void *p, const void *q) {
    const word *a = p, *b = q;
    if (a->head != b->head) return a->head < b->head ? -1 : 1;
    const int64_t least = a->size < b->size ? a->size : b->size;
    const int c = least > 8 ? memcmp(a->at + 8, b->at + 8, (size_t)least - 8) : 0;
    return c ? c : (a->size > b->size) - (a->size < b->size);
}

typedef struct {
    word *slots;
    int64_t room, used;
} table;

static inline uint64_t mixed(const word *w) {
    uint64_t h = w->head ^ (uint64_t)w->size * 0x9e3779b97f4a7c15u;
    for (int64_t k = 8; k < w->size; k++) h = (h ^ w->at[k]) * 0x100000001b3u;
    h *= 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static void put(table *t, const word *w);

static void grow(table *t) {
    table bigger = {calloc((size_t)t->room * 2, sizeof(word)), t->room * 2, 0};
    for (int64_t k = 0; k < t->room; k++)
        if (t->slots[k].times) put(&bigger, &t->slots[k]);
    free(t->slots);
    *t = bigger;
}

static void put(table *t, const word *w) {
    if (2 * t->used >= t->room) grow(t);
    for (uint64_t k = mixed(w);; k++) {
        word *s = &t->slots[k & (uint64_t)(t->room - 1)];
        if (s->times == 0) {
            *s = *w;
            t->used++;
            return;
        }
        if (s->head == w->head && s->size == w->size && (w->size <= 8 || !memcmp(s->at + 8, w->at + 8, (size_t)w->size - 8))) {
            s->times += w->times;
            return;
        }
    }
}

static void write_out(int64_t count) {
    found = count, letters = 0;
    for (int64_t k = 0; k < count; k++) {
        memcpy(out + letters, words[k].at, (size_t)words[k].size);
        letters += words[k].size;
        sizes[k] = words[k].size;
        times[k] = words[k].times;
    }
}

static void tables(void) {
    table ts[64];
    const int used = threads < 64 ? threads : 64;
#pragma omp parallel num_threads(used)
    {
        const int t = omp_get_thread_num();
        int64_t at = length * t / used, end = length * (t + 1) / used;
        // A word belongs to the thread in whose part it begins.
        while (at > 0 && at < length && !space(text[at - 1])) at++;
        table own = {calloc(1 << 14, sizeof(word)), 1 << 14, 0};
        while (at < end) {
            if (space(text[at])) {
                at++;
                continue;
            }
            const int64_t from = at;
            while (at < length && !space(text[at])) at++;
            const word w = {text + from, head_of(text + from, at - from), at - from, 1};
            put(&own, &w);
        }
        ts[t] = own;
    }
    for (int t = 1; t < used; t++) {
        for (int64_t k = 0; k < ts[t].room; k++)
            if (ts[t].slots[k].times) put(&ts[0], &ts[t].slots[k]);
        free(ts[t].slots);
    }
    int64_t count = 0;
    for (int64_t k = 0; k < ts[0].room; k++)
        if (ts[0].slots[k].times) words[count++] = ts[0].slots[k];
    free(ts[0].slots);
    qsort(words, (size_t)count, sizeof(word), by_text);
    write_out(count);
}

static void sorted(void) {
    int64_t count = 0;
    for (int64_t at = 0; at < length;) {
        if (space(text[at])) {
            at++;
            continue;
        }
        const int64_t from = at;
        while (at < length && !space(text[at])) at++;
        words[count++] = (word){text + from, head_of(text + from, at - from), at - from, 1};
    }
    qsort(words, (size_t)count, sizeof(word), by_text);
    int64_t last = -1;
    for (int64_t k = 0; k < count; k++)
        if (last >= 0 && by_text(&words[last], &words[k]) == 0) words[last].times++;
        else words[++last] = words[k];
    write_out(last + 1);
}

static void check(void) {
    CHECKSUM(out, letters);
    CHECKSUM(times, found);
}

static int64_t spelled(int64_t k, uint8_t *to) {
    const int64_t seed = hash(k), size = 2 + seed % 8;
    if (to) {
        for (int64_t j = 0; j < size; j++) to[j] = (uint8_t)(97 + hash((seed + 7919 * j) % 2147483647) % 26);
        to[size] = seed % 11 == 0 ? 10 : 32;
    }
    return size + 1;
}

int main(int argc, char **argv) {
    const int prose = argc > 1 && !strcmp(argv[1], "prose");
    const int64_t n = argument(argc, argv, 2), known = prose ? argument(argc, argv, 3) : 0;
    threads = omp_get_max_threads();
    text = array((size_t)n * 10), out = array((size_t)n * 10), sizes = array((size_t)n * 8), times = array((size_t)n * 8);
    words = array((size_t)n * sizeof(word));
    for (int64_t i = 0; i < n; i++) {
        const int64_t h = prose ? hash(i) % known : hash(i);
        length += spelled(prose ? h * h / known * h / known : h, text + length);
    }
    measure("c", "a table per thread", tables, check);
    POISON(out, letters);
    measure("c", "sorted, one thread", sorted, check);
}
