// The obvious C for what Python's libraries have no function for, or only one that makes an object of every part: run lengths, words, numbers in
// text. One loop on one core, as one would write it. For other cases there is nothing here.
#include "peer.h"

static int64_t n, found;
static int64_t *xs, *values, *sizes, *starts;
static uint8_t *text, *letters;
static double *numbers;

static void run_lengths(void) {
    found = 0;
    for (int64_t i = 0; i < n;) {
        int64_t j = i + 1;
        while (j < n && xs[j] == xs[i]) j++;
        values[found] = xs[i], sizes[found] = j - i;
        found++;
        i = j;
    }
}

static void check_runs(void) {
    CHECKSUM(values, found);
    CHECKSUM(sizes, found);
}

static int is_space(uint8_t c) { return c == 32 || (c >= 9 && c <= 13); }

static int64_t count_of_letters;

static void words(void) {
    int64_t at = 0;
    found = 0;
    for (int64_t i = 0; i < n;) {
        if (is_space(text[i])) {
            i++;
            continue;
        }
        starts[found++] = at;
        while (i < n && !is_space(text[i])) letters[at++] = text[i++];
    }
    count_of_letters = at;
}

static void check_words(void) { CHECKSUM(letters, count_of_letters); }

static void parse(void) {
    for (int64_t i = 0; i < n; i++) numbers[i] = strtod((char *)text + starts[i], NULL);
}

static void check_numbers(void) { CHECKSUM(numbers, n); }

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    n = argument(argc, argv, 2);
    if (!strcmp(argv[1], "runs")) {
        const int64_t pieces = n;
        n = 0;
        xs = array((size_t)pieces * 8 * 8), values = array((size_t)pieces * 8), sizes = array((size_t)pieces * 8);
        for (int64_t i = 0; i < pieces; i++)
            for (int64_t k = 0; k < 1 + hash(i) % 8; k++) xs[n++] = hash(i) % 5;
        measure("c", "one loop", run_lengths, check_runs);
    } else if (!strcmp(argv[1], "words")) {
        text = array((size_t)n), letters = array((size_t)n), starts = array((size_t)n * 8);
        for (int64_t i = 0; i < n; i++)
            text[i] = hash(i) % 6 == 0 ? (hash(i + 3) % 9 == 0 ? 10 : 32) : (uint8_t)(97 + hash(i + 1) % 26);
        measure("c", "one loop", words, check_words);
    } else if (!strcmp(argv[1], "numbers")) {
        text = array((size_t)n * 16), starts = array((size_t)n * 8), numbers = array((size_t)n * 8);
        int64_t at = 0;
        for (int64_t i = 0; i < n; i++) {
            starts[i] = at;
            at += sprintf((char *)text + at, "%.3f", (double)(hash(i) % 2000000 - 1000000) / 1000.0) + 1;
        }
        measure("c", "strtod", parse, check_numbers);
    }
}
