// Letters of words of sentences: a thread per sentence; and a thread per word that adds to its sentence, which long sentences need.
#include "peer.cuh"

struct Found {
    int64_t *number, *letters, *vowels, *longest, *palindromes;
    double* mean;
};

__host__ __device__ inline bool is_vowel(uint8_t c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

__host__ __device__ inline bool same_backwards(const uint8_t* text, int64_t i, int64_t j) {
    while (i < j && text[i] == text[j]) i++, j--;
    return i >= j;
}

int main(int argc, char** argv) {
    const bool power = argc > 1 && std::string(argv[1]) == "power";
    const int64_t n = argument(argc, argv, 2), most = power ? argument(argc, argv, 3) : 1;
    int64_t* sentence = offsets_of(n, [=] __device__(int64_t i) { return power ? most / (1 + hash(i) % most) : hash(i) % 21; });
    const int64_t words = last_of(sentence, n);
    int64_t* key = array<int64_t>(words);
    each_element(n, sentence, [=] __device__(int64_t s, int64_t j, int64_t q) { key[q] = hash((hash(s) + 7919 * j) % 2147483647); });
    int64_t* word = offsets_of(words, [=] __device__(int64_t w) { return 1 + key[w] % 9; });
    uint8_t* text = array<uint8_t>(last_of(word, words));
    each_element(words, word, [=] __device__(int64_t w, int64_t j, int64_t q) {
        text[q] = uint8_t(97 + hash((key[w] + 104729 * j) % 2147483647) % 26);
    });
    const Found f{array<int64_t>(n), array<int64_t>(n), array<int64_t>(n), array<int64_t>(n), array<int64_t>(n), array<double>(n)};
    const auto sums = [=] {
        return std::vector<Sums>{sums_of(f.number, n), sums_of(f.letters, n), sums_of(f.vowels, n), sums_of(f.longest, n), sums_of(f.palindromes, n),
                                 sums_of(f.mean, n)};
    };
    const auto finish = [=] {
        each(n, [=] __device__(int64_t s) {
            f.number[s] = sentence[s + 1] - sentence[s];
            f.letters[s] = word[sentence[s + 1]] - word[sentence[s]];
            f.mean[s] = double(f.letters[s]) / double(max(int64_t(1), f.number[s]));
        });
    };
    measure("cuda", "a thread per sentence", [=] {
        each(n, [=] __device__(int64_t s) {
            int64_t vowels = 0, longest = 0, palindromes = 0;
            for (int64_t w = sentence[s]; w < sentence[s + 1]; w++) {
                for (int64_t q = word[w]; q < word[w + 1]; q++) vowels += is_vowel(text[q]);
                longest = max(longest, word[w + 1] - word[w]);
                palindromes += same_backwards(text, word[w], word[w + 1] - 1);
            }
            f.vowels[s] = vowels, f.longest[s] = longest, f.palindromes[s] = palindromes;
        });
        finish();
    }, sums);
    typedef unsigned long long wide;
    measure("cuda", "a thread per word, atomic sums", [=] {
        each(n, [=] __device__(int64_t s) { f.vowels[s] = f.longest[s] = f.palindromes[s] = 0; });
        each(words, [=] __device__(int64_t w) {
            int64_t low = 0, high = n;
            while (high - low > 1) {
                const int64_t middle = (low + high) / 2;
                (sentence[middle] <= w ? low : high) = middle;
            }
            wide vowels = 0;
            for (int64_t q = word[w]; q < word[w + 1]; q++) vowels += is_vowel(text[q]);
            if (vowels > 0) atomicAdd((wide*)(f.vowels + low), vowels);
            if (word[w + 1] - word[w] > f.longest[low]) atomicMax((wide*)(f.longest + low), wide(word[w + 1] - word[w]));
            if (same_backwards(text, word[w], word[w + 1] - 1)) atomicAdd((wide*)(f.palindromes + low), wide(1));
        });
        finish();
    }, sums);
}
