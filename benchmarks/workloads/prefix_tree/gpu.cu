// A prefix tree of sorted words: what each word shares with the one before, where its nodes begin (CUB's scan), and its nodes; a thread per word each time. The words are
// sorted on the host before.
#include "peer.cuh"

#include <cub/device/device_scan.cuh>

int main(int argc, char** argv) {
    const bool is_long = argc > 1 && std::string(argv[1]) == "long_words";
    const int64_t n = argument(argc, argv, 2), letters = is_long ? 26 : argument(argc, argv, 3);
    std::vector<std::string> words;
    words.resize(size_t(n));
    for (int64_t i = 0; i < n; i++) {
        const int64_t departs = is_long ? hash(i) % 160 : 0, size = is_long ? departs + 1 + hash(i + 77) % 40 : 4 + hash(i) % 8;
        std::string& word = words[size_t(i)];
        for (int64_t j = 0; j < size; j++) word += char(97 + (j < departs ? hash(j) % 26 : hash(256 * i + j) % letters));
    }
    std::sort(words.begin(), words.end());
    std::vector<int64_t> places{0};
    std::string whole;
    for (const std::string& word : words) whole += word, places.push_back(int64_t(whole.size()));
    const int64_t total = places.back();
    int64_t* off = array<int64_t>(n + 1);
    uint8_t* text = array<uint8_t>(total);
    CUDA(cudaMemcpy(off, places.data(), places.size() * 8, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(text, whole.data(), whole.size(), cudaMemcpyHostToDevice));
    int64_t *known = array<int64_t>(n), *fresh = array<int64_t>(n + 1), *first = array<int64_t>(n + 1);
    uint8_t* letter = array<uint8_t>(total);
    int64_t *above = array<int64_t>(total), *depth = array<int64_t>(total);
    size_t bytes = 0;
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, fresh, first, int(n) + 1));
    char* room = array<char>(bytes);
    measure("cuda", "three passes, a thread per word", [=] {
        each(n + 1, [=] __device__(int64_t i) {
            if (i == n) {
                fresh[n] = 0;
                return;
            }
            int64_t k = 0;
            if (i > 0) {
                const int64_t a = off[i - 1], b = off[i], most = min(b - a, off[i + 1] - b);
                while (k < most && text[a + k] == text[b + k]) k++;
            }
            known[i] = k;
            fresh[i] = off[i + 1] - off[i] - k;
        });
        size_t size = bytes;
        CUDA(cub::DeviceScan::ExclusiveSum(room, size, fresh, first, int(n) + 1));
        each(n, [=] __device__(int64_t i) {
            const int64_t k = known[i];
            int64_t j = i - 1;
            while (j > 0 && known[j] >= k) j--;
            int64_t up = k > 0 ? first[j] + k - 1 - known[j] : -1, at = first[i];
            for (int64_t d = k; d < off[i + 1] - off[i]; d++, at++) {
                letter[at] = text[off[i] + d], above[at] = up, depth[at] = d;
                up = at;
            }
        });
    }, [=] {
        const int64_t nodes = last_of(first, n);
        return std::vector<Sums>{sums_of(letter, nodes), sums_of(above, nodes), sums_of(depth, nodes)};
    });
}
