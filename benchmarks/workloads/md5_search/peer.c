// MD5 of many words: the rounds are unrolled by macros, each word padded into one or more blocks on the stack. The second way takes eight short
// words at a time, one per lane of a vector.
#include "peer.h"

static int64_t n, *off, *numbers, count;
static uint8_t *text;
static uint32_t *sums[4], wanted[4][4];
static int searching;

typedef uint32_t eight __attribute__((vector_size(32)));

#define F(b, c, d) (d ^ (b & (c ^ d)))
#define G(b, c, d) (c ^ (d & (b ^ c)))
#define H(b, c, d) (b ^ c ^ d)
#define I(b, c, d) (c ^ (b | ~d))
#define ROUND(f, a, b, c, d, k, s, t) a += f(b, c, d) + m[k] + t##u, a = (a << s | a >> (32 - s)) + b;
#define FOUR(f, k0, k1, k2, k3, s0, s1, s2, s3, t0, t1, t2, t3) \
    ROUND(f, a, b, c, d, k0, s0, t0) ROUND(f, d, a, b, c, k1, s1, t1) ROUND(f, c, d, a, b, k2, s2, t2) ROUND(f, b, c, d, a, k3, s3, t3)
#define ROUNDS \
    FOUR(F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee) \
    FOUR(F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501) \
    FOUR(F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be) \
    FOUR(F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821) \
    FOUR(G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa) \
    FOUR(G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8) \
    FOUR(G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed) \
    FOUR(G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a) \
    FOUR(H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c) \
    FOUR(H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70) \
    FOUR(H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05) \
    FOUR(H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665) \
    FOUR(I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039) \
    FOUR(I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1) \
    FOUR(I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1) \
    FOUR(I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391)

static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

static void block_of(uint32_t now[4], const uint32_t m[16]) {
    uint32_t a = now[0], b = now[1], c = now[2], d = now[3];
    ROUNDS
    now[0] += a, now[1] += b, now[2] += c, now[3] += d;
}

static void md5(const uint8_t *word, int64_t size, uint32_t now[4]) {
    memcpy(now, start, 16);
    uint32_t m[16];
    int64_t at = 0;
    for (; at + 64 <= size; at += 64) memcpy(m, word + at, 64), block_of(now, m);
    uint8_t rest[64] = {0};
    memcpy(rest, word + at, (size_t)(size - at));
    rest[size - at] = 128;
    if (size - at >= 56) {
        memcpy(m, rest, 64), block_of(now, m);
        memset(rest, 0, 64);
    }
    const uint64_t bits = 8 * (uint64_t)size;
    memcpy(rest + 56, &bits, 8);
    memcpy(m, rest, 64), block_of(now, m);
}

static void keep(int64_t i, const uint32_t now[4]) {
    for (int k = 0; k < 4; k++) sums[k][i] = now[k];
}

static void search(void) {
    if (!searching) return;
    count = 0;
    for (int64_t i = 0; i < n; i++)
        for (int w = 0; w < 4; w++)
            if (sums[0][i] == wanted[w][0] && sums[1][i] == wanted[w][1] && sums[2][i] == wanted[w][2] && sums[3][i] == wanted[w][3]) {
                numbers[count++] = i;
                break;
            }
}

static void one_by_one(void) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (int64_t i = 0; i < n; i++) {
        uint32_t now[4];
        md5(text + off[i], off[i + 1] - off[i], now);
        keep(i, now);
    }
    search();
}

/// Words of up to 55 bytes go to the lanes; longer ones are done at once.
static void by_eights(void) {
#pragma omp parallel
    {
        int64_t waiting[8];
        int many = 0;
        uint32_t lanes[16][8] __attribute__((aligned(32)));
#pragma omp for schedule(dynamic, 1024)
        for (int64_t i = 0; i < n; i++) {
            const int64_t size = off[i + 1] - off[i];
            if (size > 55) {
                uint32_t now[4];
                md5(text + off[i], size, now);
                keep(i, now);
                continue;
            }
            uint8_t block[64] = {0};
            memcpy(block, text + off[i], (size_t)size);
            block[size] = 128;
            uint32_t words[16];
            memcpy(words, block, 64);
            words[14] = 8 * (uint32_t)size;
            for (int k = 0; k < 16; k++) lanes[k][many] = words[k];
            waiting[many++] = i;
            if (many == 8) {
                const eight *m = (const eight *)lanes;
                const eight zero = {0};
                eight a = zero + start[0], b = zero + start[1], c = zero + start[2], d = zero + start[3];
                ROUNDS
                a += start[0], b += start[1], c += start[2], d += start[3];
                for (int k = 0; k < 8; k++) sums[0][waiting[k]] = a[k], sums[1][waiting[k]] = b[k], sums[2][waiting[k]] = c[k], sums[3][waiting[k]] = d[k];
                many = 0;
            }
        }
        for (int k = 0; k < many; k++) {
            uint32_t now[4];
            md5(text + off[waiting[k]], off[waiting[k] + 1] - off[waiting[k]], now);
            keep(waiting[k], now);
        }
    }
    search();
}

static void check(void) {
    if (searching) CHECKSUM(numbers, count);
    else
        for (int k = 0; k < 4; k++) CHECKSUM(sums[k], n);
}

int main(int argc, char **argv) {
    searching = argc > 1 && !strcmp(argv[1], "found");
    n = argument(argc, argv, 2);
    off = array((size_t)(n + 1) * 8), numbers = array((size_t)n * 8);
    for (int k = 0; k < 4; k++) sums[k] = array((size_t)n * 4);
    off[0] = 0;
    for (int64_t i = 0; i < n; i++) off[i + 1] = off[i] + (i % 64 == 63 ? 20 + hash(i) % 181 : 4 + hash(i) % 8);
    text = array((size_t)off[n]);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < off[i + 1] - off[i]; j++) text[off[i] + j] = (uint8_t)(97 + hash(256 * i + j) % 26);
    for (int k = 0; k < 4; k++) {
        const int64_t i = hash(k) % n;
        md5(text + off[i], off[i + 1] - off[i], wanted[k]);
    }
    measure("c", "word by word", one_by_one, check);
    for (int k = 0; k < 4; k++) POISON(sums[k], n);
    measure("c", "eight words at a time", by_eights, check);
}
