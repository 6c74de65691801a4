"""Letters of words of sentences with awkward-array's three levels and with numba's loops."""

from peer import counted, hash_of, measure


def main(words, sizes):
    import awkward as ak
    import numba
    import numpy as np

    n = sizes[0]
    seed = hash_of(counted(n))
    lengths = sizes[1] // (1 + seed % sizes[1]) if words[0] == "power" else seed % 21
    sentence = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(counted(n), lengths)
    key = hash_of((seed[row] + 7919 * (np.arange(sentence[-1]) - sentence[row])) % 2147483647)
    sizes_of_words = 1 + key % 9
    word = np.concatenate([[0], np.cumsum(sizes_of_words)])
    of = np.repeat(np.arange(len(key)), sizes_of_words)
    text = (97 + hash_of((key[of] + 104729 * (np.arange(word[-1]) - word[of])) % 2147483647) % 26).astype(np.uint8)
    parts = [lambda r, k=k: r[k] for k in range(6)]

    inner = ak.contents.ListOffsetArray(ak.index.Index64(word), ak.contents.NumpyArray(text))
    sentences = ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(sentence), inner))

    def with_awkward():
        number = ak.num(sentences, axis=1)
        sizes = ak.num(sentences, axis=2)
        is_vowel = (sentences == 97) | (sentences == 101) | (sentences == 105) | (sentences == 111) | (sentences == 117)
        vowels = ak.sum(ak.sum(is_vowel, axis=2), axis=1)
        palindromes = ak.sum(ak.all(sentences == sentences[..., ::-1], axis=2), axis=1)
        letters = ak.sum(sizes, axis=1)
        out = number, letters, vowels, ak.fill_none(ak.max(sizes, axis=1), 0), palindromes, letters / np.maximum(1, number)
        return [ak.to_numpy(column) for column in out]

    measure("awkward", "three levels", with_awkward, *parts)

    @numba.njit(parallel=True)
    def loops(sentence, word, text):
        n = len(sentence) - 1
        number, letters, vowels = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
        longest, palindromes, mean = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
        for s in numba.prange(n):
            for w in range(sentence[s], sentence[s + 1]):
                size, count = word[w + 1] - word[w], 0
                for q in range(word[w], word[w + 1]):
                    c = text[q]
                    count += c == 97 or c == 101 or c == 105 or c == 111 or c == 117
                i, j = word[w], word[w + 1] - 1
                while i < j and text[i] == text[j]:
                    i, j = i + 1, j - 1
                letters[s] += size
                vowels[s] += count
                longest[s] = max(longest[s], size)
                palindromes[s] += i >= j
            number[s] = sentence[s + 1] - sentence[s]
            mean[s] = letters[s] / max(1, number[s])
        return number, letters, vowels, longest, palindromes, mean

    measure("numba", "parallel loops", lambda: loops(sentence, word, text), *parts)
