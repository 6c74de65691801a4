// Scan: checks and times of scan.cuh beside cub::DeviceScan.
#if __has_include(<cub/cub.cuh>)
#include <cub/cub.cuh>
#define HAVE_CUB 1
#endif

#include "bench.cuh"
#include "scan.cuh"

template <class T, class Shape>
struct Scan {
    size_t n, tiles;
    Buffer<Word> words;
    Buffer<unsigned> counter;
    explicit Scan(size_t n)
        : n(n), tiles((n + Shape::template tile<T>() - 1) / Shape::template tile<T>()), words(LookBack<T>::word_count(tiles)), counter(1) {}
    void run(const T* in, T* out) {
        if (tiles == 0) return;
        words.clear();
        counter.clear();
        scan_kernel<T, Plus, Shape><<<unsigned(tiles), Shape::threads>>>(in, out, n, counter.data, LookBack<T>{words.data, unsigned(tiles)});
        CUDA_TRY(cudaGetLastError());
    }
};

template <class T>
struct Draw {
    bool small; // exactly summable in any order
    __host__ __device__ T operator()(size_t i) const;
};
template <>
__host__ __device__ int Draw<int>::operator()(size_t i) const { return int(scramble(i)); }
template <>
__host__ __device__ float Draw<float>::operator()(size_t i) const {
    return small ? (int(scramble(i) % 3) - 1) * 0.125f : (scramble(i) >> 8) * (1.0f / (1 << 24));
}

/// Integers wrap; floats are added in double and rounded once per element.
template <class T>
std::vector<T> reference(const std::vector<T>& in) {
    std::vector<T> out(in.size());
    double sum = 0;
    unsigned wrapped = 0;
    for (size_t i = 0; i < in.size(); i++) {
        if constexpr (std::is_same<T, int>::value) out[i] = int(wrapped += unsigned(in[i]));
        else out[i] = T(sum += in[i]);
    }
    return out;
}

template <class T, class Shape>
void check_sizes(Report& report, const std::string& name) {
    const size_t tile = Shape::template tile<T>();
    for (size_t n : {size_t(0), size_t(1), size_t(2), size_t(3), size_t(31), size_t(1000), tile - 1, tile, tile + 1, 33 * tile + 7,
                     1027 * tile + 5, size_t(1000003)})
        report.part(name + text(" n=%zu", n), [&] {
            Buffer<T> in(n), out(n + 1), again(n + 1);
            fill(in, Draw<T>{true});
            Scan<T, Shape> scan(n);
            scan.run(in.data, out.data);
            scan.run(in.data, again.data);
            const std::vector<T> got = out.host();
            T poison;
            memset(&poison, 0xa5, sizeof poison);
            report.check(memcmp(got.data(), reference(in.host()).data(), n * sizeof(T)) == 0 || n == 0, name + text(" n=%zu", n));
            report.check(memcmp(&got[n], &poison, sizeof poison) == 0, name + text(" writes past n=%zu", n));
            report.check(differences(out, again, n) == 0, name + text(" same bits n=%zu", n));
        });
}

template <class T, class Shape>
void measure(Report& report, const std::string& type, const char* shape, const Buffer<T>& in, const Buffer<T>& want, Best& best, bool takes_part) {
    const std::string name = "scan " + type + " " + shape;
    check_sizes<T, Shape>(report, name);
    report.part(name, [&] {
        const size_t n = in.count;
        Buffer<T> out(n), again(n);
        Scan<T, Shape> scan(n);
        scan.run(in.data, out.data);
        report.check(far_apart(out, want, n, std::is_same<T, int>::value ? 0 : 1e-5) == 0, name + " full size");
        for (int k = 0; k < 3; k++) {
            again.poison();
            scan.run(in.data, again.data);
            report.check(differences(out, again, n) == 0, name + " same bits");
        }
        const double ms = median_ms([&] { scan.run(in.data, out.data); });
        report.variant(type + " 2^28", shape, ms);
        if (takes_part) best.take(shape, ms);
    });
}

template <class T>
void all(Report& report, const std::string& type) {
    const size_t n = size_t(1) << 28;
    Buffer<T> in(n), out(n);
    fill(in, Draw<T>{false});
    const Buffer<T> want(reference(in.host()));
    Best best;
    measure<T, ScanShape<256, 4, 5>>(report, type, "256x16, 5 blocks", in, want, best, true);
    measure<T, ScanShape<256, 8, 4>>(report, type, "256x32, 4 blocks", in, want, best, true);
    measure<T, ScanShape<256, 12, 3>>(report, type, "256x48, 3 blocks", in, want, best, true);
    measure<T, ScanShape<384, 12, 2>>(report, type, "384x48, 2 blocks", in, want, best, true);
    measure<T, ScanShape<256, 16, 2>>(report, type, "256x64, 2 blocks", in, want, best, true);
    measure<T, ScanShape<512, 16, 1>>(report, type, "512x64, 1 block", in, want, best, true);
    measure<T, ScanShape<512, 20, 1>>(report, type, "512x80, 1 block", in, want, best, true);
    measure<T, ScanShape<512, 16, 1, false>>(report, type, "512x64, 1, blockIdx", in, want, best, false);
    double peer = 1e30;
    report.part("cub scan " + type, [&] {
#ifdef HAVE_CUB
        size_t bytes = 0;
        CUDA_TRY(cub::DeviceScan::InclusiveSum(nullptr, bytes, in.data, out.data, n));
        Buffer<char> room(bytes);
        peer = median_ms([&] { CUDA_TRY(cub::DeviceScan::InclusiveSum(room.data, bytes, in.data, out.data, n)); });
#else
        throw std::runtime_error("no CUB headers found");
#endif
    });
    report.result(type + " 2^28", best.name, best.ms, "cub::DeviceScan", peer, 8.0 * n);
}

int run_section(Report& report) {
    report.part("scan i32", [&] { all<int>(report, "i32"); });
    report.part("scan f32", [&] { all<float>(report, "f32"); });
    return report.failed != 0;
}
SECTION("scan")
