// MD5 of many words: a thread per word, the rounds unrolled by macros.
#include "peer.cuh"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

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

struct Sum {
    uint32_t a, b, c, d;
};

__host__ __device__ inline Sum md5(const uint8_t* word, int64_t size) {
    Sum now{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    const int64_t blocks = (size + 8) / 64 + 1;
    for (int64_t q = 0; q < blocks; q++) {
        uint32_t m[16];
#pragma unroll
        for (int k = 0; k < 16; k++) {
            m[k] = 0;
#pragma unroll
            for (int byte = 0; byte < 4; byte++) {
                const int64_t at = 64 * q + 4 * k + byte;
                m[k] |= uint32_t(at < size ? word[at] : at == size ? 128 : 0) << (8 * byte);
            }
        }
        if (q == blocks - 1) m[14] = uint32_t(8 * size);
        uint32_t a = now.a, b = now.b, c = now.c, d = now.d;
        ROUNDS
        now.a += a, now.b += b, now.c += c, now.d += d;
    }
    return now;
}

int main(int argc, char** argv) {
    const bool searching = argc > 1 && std::string(argv[1]) == "found";
    const int64_t n = argument(argc, argv, 2);
    int64_t* off = offsets_of(n, [=] __device__(int64_t i) { return i % 64 == 63 ? 20 + hash(i) % 181 : 4 + hash(i) % 8; });
    uint8_t* text = array<uint8_t>(last_of(off, n));
    each_element(n, off, [=] __device__(int64_t r, int64_t j, int64_t q) { text[q] = uint8_t(97 + hash(256 * r + j) % 26); });
    if (!searching) {
        uint32_t* sums = array<uint32_t>(4 * n);
        measure("cuda", "a thread per word", [=] {
            each(n, [=] __device__(int64_t i) {
                const Sum s = md5(text + off[i], off[i + 1] - off[i]);
                sums[i] = s.a, sums[n + i] = s.b, sums[2 * n + i] = s.c, sums[3 * n + i] = s.d;
            });
        }, [=] { return std::vector<Sums>{sums_of(sums, n), sums_of(sums + n, n), sums_of(sums + 2 * n, n), sums_of(sums + 3 * n, n)}; });
        return 0;
    }
    Sum* wanted = array<Sum>(4);
    each(4, [=] __device__(int64_t k) {
        const int64_t i = hash(k) % n;
        wanted[k] = md5(text + off[i], off[i + 1] - off[i]);
    });
    uint8_t* is_found = array<uint8_t>(n);
    int64_t *numbers = array<int64_t>(n), *count = array<int64_t>(1);
    size_t bytes = 0;
    const thrust::counting_iterator<int64_t> all(0);
    CUDA(cub::DeviceSelect::Flagged(nullptr, bytes, all, is_found, numbers, count, int(n)));
    char* room = array<char>(bytes);
    measure("cuda", "a thread per word, then DeviceSelect", [=] {
        each(n, [=] __device__(int64_t i) {
            const Sum s = md5(text + off[i], off[i + 1] - off[i]);
            bool is = false;
            for (int k = 0; k < 4; k++) is |= s.a == wanted[k].a && s.b == wanted[k].b && s.c == wanted[k].c && s.d == wanted[k].d;
            is_found[i] = is;
        });
        size_t size = bytes;
        CUDA(cub::DeviceSelect::Flagged(room, size, all, is_found, numbers, count, int(n)));
    }, numbers, [=] { return last_of(count, 0); }, n);
}
