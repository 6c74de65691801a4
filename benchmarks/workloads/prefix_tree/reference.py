"""A prefix tree of sorted words, with a table of all prefixes: python reference.py CASE WORDS [LETTERS]"""

import json
import sys

from plain import checksum, hash_of


def word(case, letters, i):
    if case == "long_words":
        departs = hash_of(i) % 160
        return [97 + (hash_of(j) if j < departs else hash_of(256 * i + j)) % 26 for j in range(departs + 1 + hash_of(i + 77) % 40)]
    return [97 + hash_of(256 * i + j) % letters for j in range(4 + hash_of(i) % 8)]


def main(case, n, letters=26):
    numbers, rows = {(): -1}, []
    for w in sorted(word(case, letters, i) for i in range(n)):
        for d in range(len(w)):
            prefix = tuple(w[:d + 1])
            if prefix not in numbers:
                numbers[prefix] = len(rows)
                rows.append((w[d], numbers[prefix[:-1]], d))
    print(json.dumps({"checksums": [checksum([row[k] for row in rows]) for k in range(3)]}))


main(sys.argv[1], *map(int, sys.argv[2:]))
