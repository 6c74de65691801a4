"""Counting words with a dictionary."""

from plain import case_and_sizes, hash_of, report


def spelled(k):
    seed = hash_of(k)
    letters = [chr(97 + hash_of((seed + 7919 * j) % 2147483647) % 26) for j in range(2 + seed % 8)]
    return "".join(letters) + ("\n" if seed % 11 == 0 else " ")


def document(case, sizes):
    pieces = []
    for i in range(sizes[0]):
        h = hash_of(i)
        if case == "prose":
            h %= sizes[1]
            h = h * h // sizes[1] * h // sizes[1]
        pieces.append(spelled(h))
    return "".join(pieces)


if __name__ == "__main__":
    case, sizes = case_and_sizes()
    times = {}
    for word in document(case, sizes).split():
        times[word] = times.get(word, 0) + 1
    order = sorted(times)
    report(list("".join(order).encode()), [times[w] for w in order])
