// Radix sort: checks and times of radix_sort.cuh beside cub::DeviceRadixSort.
#if __has_include(<cub/cub.cuh>)
#include <cub/cub.cuh>
#define HAVE_CUB 1
#endif

#include "bench.cuh"
#include "radix_sort.cuh"

template <class Shape>
struct Sort {
    unsigned n;
    size_t tiles;
    Buffer<unsigned> counts, counter, words, room;
    explicit Sort(unsigned n)
        : n(n), tiles((size_t(n) + Shape::tile - 1) / Shape::tile), counts(SORT_PASSES * DIGITS), counter(1), words(SortSpace::word_count(tiles)), room(n) {}
    /// `in` is kept; the result is in `out`. `passes` below four leaves the result unsorted: for timing the parts.
    void run(const unsigned* in, unsigned* out, int passes = SORT_PASSES) {
        if (tiles == 0) return;
        counts.clear();
        count_digits_kernel<512><<<132 * 4, 512>>>(in, n, counts.data);
        start_digits_kernel<128><<<1, 128>>>(counts.data);
        const unsigned* from = in;
        for (int pass = 0; pass < passes; pass++) {
            unsigned* to = pass % 2 ? out : room.data;
            words.clear();
            counter.clear();
            sort_kernel<Shape><<<unsigned(tiles), Shape::threads>>>(from, to, n, pass * DIGIT_BITS, counts.data + pass * DIGITS, counter.data,
                                                                     SortSpace{words.data, unsigned(tiles)});
            from = to;
        }
        CUDA_TRY(cudaGetLastError());
    }
};

struct Draw {
    int kind; // 0: all bits, 1: few values, 2: all the same, 3: already sorted, 4: one digit in use
    __host__ __device__ unsigned operator()(size_t i) const {
        const unsigned x = scramble(i);
        return kind == 0 ? x : kind == 1 ? x % 5 * 0x12345678u : kind == 2 ? 0xdeadbeefu : kind == 3 ? unsigned(i) : x & 0x00ff0000u;
    }
};

/// The reference: std::sort of a host copy.
static void put_reference(const Buffer<unsigned>& in, Buffer<unsigned>& want) {
    std::vector<unsigned> keys = in.host();
    std::vector<size_t> counts(65537, 0);
    std::vector<unsigned> other(keys.size());
    if (keys.size() < 1000000) {
        std::sort(keys.begin(), keys.end());
    } else {
        for (int shift : {0, 16}) { // counting sort by halves: std::sort takes too long here
            std::fill(counts.begin(), counts.end(), 0);
            for (unsigned key : keys) counts[((key >> shift) & 65535) + 1]++;
            for (int d = 0; d < 65536; d++) counts[d + 1] += counts[d];
            for (unsigned key : keys) other[counts[(key >> shift) & 65535]++] = key;
            keys.swap(other);
        }
    }
    if (!keys.empty()) CUDA_TRY(cudaMemcpy(want.data, keys.data(), keys.size() * 4, cudaMemcpyHostToDevice));
}

template <class Shape>
void measure(Report& report, const char* shape, const Buffer<unsigned>& in, const Buffer<unsigned>& want, Best& best) {
    const std::string name = std::string("sort ") + shape;
    const size_t tile = Shape::tile;
    for (size_t n : {size_t(0), size_t(1), size_t(2), size_t(31), tile - 1, tile, tile + 1, 9 * tile + 7, 521 * tile + 5, size_t(1000003)})
        for (int kind = 0; kind < 5; kind++)
            report.part(name, [&] {
                Buffer<unsigned> small(n), out(n + 1), right(n);
                fill(small, Draw{kind});
                put_reference(small, right);
                Sort<Shape> sort{unsigned(n)};
                sort.run(small.data, out.data);
                unsigned last;
                CUDA_TRY(cudaMemcpy(&last, out.data + n, 4, cudaMemcpyDeviceToHost));
                report.check(differences(out, right, n) == 0 && last == 0xa5a5a5a5u, name + text(" n=%zu kind=%d", n, kind));
            });
    report.part(name, [&] {
        Buffer<unsigned> out(in.count);
        Sort<Shape> sort{unsigned(in.count)};
        for (int k = 0; k < 2; k++) {
            out.poison();
            sort.run(in.data, out.data);
            report.check(differences(out, want, in.count) == 0, name + " full size");
        }
        const double ms = median_ms([&] { sort.run(in.data, out.data); });
        report.variant("u32 2^27", shape, ms);
        report.variant("u32 2^27, counting only", shape, median_ms([&] { sort.run(in.data, out.data, 0); }));
        best.take(shape, ms);
    });
}

int run_section(Report& report) {
    report.part("sort", [&] {
        const size_t n = size_t(1) << 27;
        Buffer<unsigned> in(n), out(n), want(n);
        fill(in, Draw{0});
        put_reference(in, want);
        Best best;
        measure<SortShape<384, 20, Rank::match, 3>>(report, "384x20 match, 3 blocks", in, want, best);
        measure<SortShape<256, 32, Rank::ballots, 3>>(report, "256x32 ballots, 3 blocks", in, want, best);
        measure<SortShape<384, 20, Rank::marks, 3>>(report, "384x20 marks, 3 blocks", in, want, best);
        measure<SortShape<256, 32, Rank::marks, 3>>(report, "256x32 marks, 3 blocks", in, want, best);
        measure<SortShape<320, 32, Rank::marks, 2>>(report, "320x32 marks, 2 blocks", in, want, best);
        measure<SortShape<320, 32, Rank::marks, 3>>(report, "320x32 marks, 3 blocks", in, want, best);
        measure<SortShape<256, 40, Rank::marks, 3>>(report, "256x40 marks, 3 blocks", in, want, best);
        measure<SortShape<384, 28, Rank::marks, 2>>(report, "384x28 marks, 2 blocks", in, want, best);
        double peer = 1e30;
        report.part("cub sort", [&] {
#ifdef HAVE_CUB
            size_t bytes = 0;
            CUDA_TRY(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data, out.data, n));
            Buffer<char> room(bytes);
            peer = median_ms([&] { CUDA_TRY(cub::DeviceRadixSort::SortKeys(room.data, bytes, in.data, out.data, n)); });
            report.check(differences(out, want, n) == 0, "cub sort");
#else
            throw std::runtime_error("no CUB headers found");
#endif
        });
        report.result("u32 2^27", best.name, best.ms, "cub::DeviceRadixSort", peer, 36.0 * n);
    });
    return report.failed != 0;
}
SECTION("sort")
