// Letters of words of sentences: sentences are shared out dynamically; all letters of a sentence lie behind each other, so vowels are
// counted over the whole sentence by vectors, and words are only looked at for palindromes and lengths.
#include "peer.h"

static int64_t n, *sentence, *word;
static uint8_t *text;
static int64_t *words, *letters, *vowels, *longest, *palindromes;
static double *mean;

static inline int is_vowel(uint8_t c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

static void rest_of(int64_t s, int64_t count) {
    const int64_t from = sentence[s], to = sentence[s + 1];
    int64_t most = 0, same = 0;
    for (int64_t w = from; w < to; w++) {
        const int64_t size = word[w + 1] - word[w];
        most = size > most ? size : most;
        int64_t i = word[w], j = word[w + 1] - 1;
        while (i < j && text[i] == text[j]) i++, j--;
        same += i >= j;
    }
    const int64_t all = word[to] - word[from];
    words[s] = to - from, letters[s] = all, vowels[s] = count, longest[s] = most, palindromes[s] = same;
    mean[s] = (double)all / (double)(to > from ? to - from : 1);
}

static void by_sentence(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t s = 0; s < n; s++) {
        int64_t count = 0;
        for (int64_t q = word[sentence[s]]; q < word[sentence[s + 1]]; q++) count += is_vowel(text[q]);
        rest_of(s, count);
    }
}

static void by_word(void) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t s = 0; s < n; s++) {
        int64_t count = 0;
        for (int64_t w = sentence[s]; w < sentence[s + 1]; w++)
            for (int64_t q = word[w]; q < word[w + 1]; q++) count += 0x104111 >> (text[q] - 'a') & 1;
        rest_of(s, count);
    }
}

static void check(void) {
    CHECKSUM(words, n);
    CHECKSUM(letters, n);
    CHECKSUM(vowels, n);
    CHECKSUM(longest, n);
    CHECKSUM(palindromes, n);
    CHECKSUM(mean, n);
}

int main(int argc, char **argv) {
    const int power = argc > 1 && !strcmp(argv[1], "power");
    n = argument(argc, argv, 2);
    const int64_t most = power ? argument(argc, argv, 3) : 0;
    sentence = array(((size_t)n + 1) * 8);
    sentence[0] = 0;
    for (int64_t i = 0; i < n; i++) sentence[i + 1] = sentence[i] + (power ? most / (1 + hash(i) % most) : hash(i) % 21);
    word = array(((size_t)sentence[n] + 1) * 8), text = array((size_t)sentence[n] * 9 + 1);
    word[0] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < sentence[i + 1] - sentence[i]; j++) {
            const int64_t seed = hash((hash(i) + 7919 * j) % 2147483647), at = word[sentence[i] + j];
            for (int64_t k = 0; k < 1 + seed % 9; k++) text[at + k] = (uint8_t)(97 + hash((seed + 104729 * k) % 2147483647) % 26);
            word[sentence[i] + j + 1] = at + 1 + seed % 9;
        }
    const size_t bytes = (size_t)n * 8;
    words = array(bytes), letters = array(bytes), vowels = array(bytes), longest = array(bytes), palindromes = array(bytes), mean = array(bytes);
    measure("c", "vowels by sentence", by_sentence, check);
    POISON(vowels, n);
    POISON(palindromes, n);
    measure("c", "vowels by word", by_word, check);
}
