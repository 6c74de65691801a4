"""MD5 from its definition, checked against the known sum of nothing: python reference.py CASE WORDS"""

import json
import math
import sys

from plain import checksum, hash_of


def md5(word):
    message = bytes(word) + b"\x80"
    message += b"\0" * ((56 - len(message)) % 64) + (8 * len(word)).to_bytes(8, "little")
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476]
    shifts = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]
    for at in range(0, len(message), 64):
        block = [int.from_bytes(message[at + 4 * k:at + 4 * k + 4], "little") for k in range(16)]
        a, b, c, d = state
        for i in range(64):
            f, k = [((b & c) | (~b & d), i), ((d & b) | (~d & c), 5 * i + 1), (b ^ c ^ d, 3 * i + 5), (c ^ (b | (~d & 0xFFFFFFFF)), 7 * i)][i // 16]
            x = (a + f + int(abs(math.sin(i + 1)) * 2 ** 32) + block[k % 16]) & 0xFFFFFFFF
            s = shifts[i // 16][i % 4]
            a, d, c, b = d, c, b, (b + (x << s | x >> (32 - s))) & 0xFFFFFFFF
        state = [(x + y) & 0xFFFFFFFF for x, y in zip(state, (a, b, c, d))]
    return tuple(state)


def main(case, n):
    words = [[97 + hash_of(256 * i + j) % 26 for j in range(20 + hash_of(i) % 181 if i % 64 == 63 else 4 + hash_of(i) % 8)] for i in range(n)]
    sums = [md5(w) for w in words]
    if case == "found":
        wanted = {sums[hash_of(k) % n] for k in range(4)}
        columns = [[i for i in range(n) if sums[i] in wanted]]
    else:
        columns = [list(c) for c in zip(*sums)]
    print(json.dumps({"checksums": [checksum(c) for c in columns]}))


assert md5([]) == (0xD98C1DD4, 0x04B2008F, 0x980980E9, 0x7E42F8EC)
main(sys.argv[1], *map(int, sys.argv[2:]))
