"""Letters of words of sentences, with Python's strings."""

from plain import case_and_sizes, hash_of, report


def spelled(k):
    seed = hash_of(k % 2147483647)
    return "".join(chr(97 + hash_of((seed + 104729 * j) % 2147483647) % 26) for j in range(1 + seed % 9))


def summary(sentence):
    together = "".join(sentence)
    return (len(sentence), len(together), sum(together.count(v) for v in "aeiou"), max(map(len, sentence), default=0),
            sum(word == word[::-1] for word in sentence), len(together) / max(1, len(sentence)))


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    rows = []
    for i in range(sizes[0]):
        seed = hash_of(i)
        length = sizes[1] // (1 + seed % sizes[1]) if case == "power" else seed % 21
        rows.append(summary([spelled(seed + 7919 * j) for j in range(length)]))
    report(*[list(column) for column in zip(*rows)])
