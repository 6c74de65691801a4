// Pack: checks and times of pack.cuh beside cub::DeviceSelect.
#if __has_include(<cub/cub.cuh>)
#include <cub/cub.cuh>
#define HAVE_CUB 1
#endif

#include "bench.cuh"
#include "pack.cuh"

struct Below {
    int bound;
    __host__ __device__ bool operator()(int x) const { return x < bound; }
};

template <class Shape>
struct Pack {
    size_t n, tiles;
    Buffer<Word> words;
    Buffer<unsigned> counter, kept;
    explicit Pack(size_t n)
        : n(n), tiles((n + Shape::template tile<int>() - 1) / Shape::template tile<int>()), words(LookBack<unsigned>::word_count(tiles)), counter(1), kept(1) {}
    void run(const int* in, int* out, Below keep) {
        if (tiles == 0) {
            kept.clear();
            return;
        }
        words.clear();
        counter.clear();
        pack_kernel<int, Below, Shape>
            <<<unsigned(tiles), Shape::threads>>>(in, out, kept.data, n, keep, counter.data, LookBack<unsigned>{words.data, unsigned(tiles)});
        CUDA_TRY(cudaGetLastError());
    }
};

struct Draw {
    __host__ __device__ int operator()(size_t i) const { return int(scramble(i)); }
};

static std::vector<int> reference(const std::vector<int>& in, Below keep) {
    std::vector<int> kept;
    kept.reserve(in.size());
    for (int x : in)
        if (keep(x)) kept.push_back(x);
    return kept;
}

template <class Shape>
bool right(Pack<Shape>& pack, const Buffer<int>& in, Buffer<int>& out, Below keep, const std::vector<int>& want) {
    out.poison();
    pack.run(in.data, out.data, keep);
    const std::vector<int> got = out.host();
    return pack.kept.host()[0] == want.size() && std::equal(want.begin(), want.end(), got.begin()) && got[want.size()] == int(0xa5a5a5a5);
}

template <class Shape>
void measure(Report& report, const char* shape, const Buffer<int>& in, const std::vector<int>& want, Best& best) {
    const size_t tile = Shape::template tile<int>();
    const std::string name = std::string("pack ") + shape;
    for (size_t n : {size_t(0), size_t(1), size_t(2), size_t(31), tile - 1, tile, tile + 1, 33 * tile + 7, 1027 * tile + 5, size_t(1000003)})
        for (int bound : {0, INT32_MIN, INT32_MAX, -2000000000})
            report.part(name, [&] {
                Buffer<int> small(n), out(n + 1);
                fill(small, Draw());
                Pack<Shape> pack(n);
                report.check(right(pack, small, out, Below{bound}, reference(small.host(), Below{bound})), name + text(" n=%zu bound=%d", n, bound));
            });
    report.part(name, [&] {
        Buffer<int> out(in.count + 1);
        Pack<Shape> pack(in.count);
        report.check(right(pack, in, out, Below{0}, want), name + " full size");
        const double ms = median_ms([&] { pack.run(in.data, out.data, Below{0}); });
        report.variant("i32 2^28, half kept", shape, ms);
        best.take(shape, ms);
    });
}

int run_section(Report& report) {
    report.part("pack", [&] {
        const size_t n = size_t(1) << 28;
        Buffer<int> in(n), out(n);
        fill(in, Draw());
        const std::vector<int> want = reference(in.host(), Below{0});
        Best best;
        measure<PackShape<256, 4, 6>>(report, "256x16, 6 blocks", in, want, best);
        measure<PackShape<256, 6, 6>>(report, "256x24, 6 blocks", in, want, best);
        measure<PackShape<256, 8, 5>>(report, "256x32, 5 blocks", in, want, best);
        measure<PackShape<256, 8, 6>>(report, "256x32, 6 blocks", in, want, best);
        measure<PackShape<320, 8, 4>>(report, "320x32, 4 blocks", in, want, best);
        measure<PackShape<192, 8, 7>>(report, "192x32, 7 blocks", in, want, best);
        double peer = 1e30;
        report.part("cub select", [&] {
#ifdef HAVE_CUB
            Buffer<int> count(1);
            size_t bytes = 0;
            CUDA_TRY(cub::DeviceSelect::If(nullptr, bytes, in.data, out.data, count.data, n, Below{0}));
            Buffer<char> room(bytes);
            peer = median_ms([&] { CUDA_TRY(cub::DeviceSelect::If(room.data, bytes, in.data, out.data, count.data, n, Below{0})); });
#else
            throw std::runtime_error("no CUB headers found");
#endif
        });
        report.result("i32 2^28, half kept", best.name, best.ms, "cub::DeviceSelect", peer, 4.0 * n + 4.0 * want.size());
    });
    return report.failed != 0;
}
SECTION("pack")
