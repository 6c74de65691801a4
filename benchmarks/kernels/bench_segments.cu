// Sums of rows: checks and times of segmented_reduce.cuh beside cub::DeviceSegmentedReduce.
#if __has_include(<cub/cub.cuh>)
#include <cub/cub.cuh>
#define HAVE_CUB 1
#endif

#include "bench.cuh"
#include "ragged_data.cuh"
#include "segmented_reduce.cuh"

template <class Shape>
struct Sums {
    int rows, elements;
    size_t tiles;
    Buffer<Word> words;
    Buffer<unsigned> counter;
    Sums(int rows, int elements)
        : rows(rows), elements(elements), tiles((size_t(rows) + elements + Shape::tile - 1) / Shape::tile),
          words(LookBack<float>::word_count(tiles)), counter(1) {}
    void run(const float* data, const int* offsets, float* out) {
        if (tiles == 0) return;
        words.clear();
        counter.clear();
        segmented_reduce_kernel<PlainElements<float>, Plus, Shape><<<unsigned(tiles), Shape::threads>>>(
            PlainElements<float>{data}, offsets, out, rows, elements, counter.data, LookBack<float>{words.data, unsigned(tiles)});
        CUDA_TRY(cudaGetLastError());
    }
};

struct Draw {
    bool small;
    __host__ __device__ float operator()(size_t i) const {
        return small ? (int(scramble(i) % 3) - 1) * 0.125f : (scramble(i) >> 8) * (1.0f / (1 << 24));
    }
};

static std::vector<double> reference(const std::vector<int>& offsets, const std::vector<float>& data) {
    std::vector<double> sums(offsets.size() - 1);
    on_all_cores(sums.size(), [&](size_t from, size_t to) {
        for (size_t i = from; i < to; i++) {
            double sum = 0;
            for (int j = offsets[i]; j < offsets[i + 1]; j++) sum += data[j];
            sums[i] = sum;
        }
    });
    return sums;
}

static bool close(const std::vector<float>& got, const std::vector<double>& want, double tolerance) {
    for (size_t i = 0; i < want.size(); i++)
        if (!(std::fabs(got[i] - want[i]) <= tolerance * std::fabs(want[i]))) return false;
    return true;
}

template <class Shape>
void check_awkward(Report& report, const char* shape) {
    for (const Rows& shape_rows : awkward_rows()) {
        const std::string name = std::string("rows ") + shape + ", " + shape_rows.name;
        report.part(name, [&] {
            const int rows = shape_rows.rows(), elements = shape_rows.elements();
            Buffer<float> data(elements), out(rows + 1), again(rows + 1);
            Buffer<int> offsets(shape_rows.offsets);
            fill(data, Draw{true});
            Sums<Shape> sums(rows, elements);
            sums.run(data.data, offsets.data, out.data);
            sums.run(data.data, offsets.data, again.data);
            const std::vector<float> got = out.host();
            unsigned last;
            memcpy(&last, &got[rows], 4);
            report.check(close(got, reference(shape_rows.offsets, data.host()), 0), name);
            report.check(last == 0xa5a5a5a5u, name + " writes past the end");
            report.check(differences(out, again, rows) == 0, name + " same bits");
        });
    }
}

struct Case {
    const Rows& shape;
    const Buffer<int>& offsets;
    const Buffer<float>& data;
    const std::vector<double>& want;
};

template <class Shape>
void measure(Report& report, const char* shape, const Case& on, Best& best) {
    const std::string name = std::string("rows ") + shape + ", " + on.shape.name;
    report.part(name, [&] {
        const int rows = on.shape.rows();
        Buffer<float> out(rows), again(rows);
        Sums<Shape> sums(rows, on.shape.elements());
        sums.run(on.data.data, on.offsets.data, out.data);
        report.check(close(out.host(), on.want, 1e-5), name);
        for (int k = 0; k < 3; k++) {
            again.poison();
            sums.run(on.data.data, on.offsets.data, again.data);
            report.check(differences(out, again, rows) == 0, name + " same bits");
        }
        const double ms = median_ms([&] { sums.run(on.data.data, on.offsets.data, out.data); });
        report.variant(on.shape.name, shape, ms);
        best.take(shape, ms);
    });
}

using A = SegmentShape<128, 4, 16, 8>;
using B = SegmentShape<64, 4, 32, 16>;
using C = SegmentShape<128, 4, 16, 7, true>;
using D = SegmentShape<64, 4, 32, 14, true>;
using E = SegmentShape<128, 2, 32, 9, true>;
using F = SegmentShape<128, 2, 32, 10>;
using G = SegmentShape<256, 4, 8, 4>;
using H = SegmentShape<32, 4, 32, 28>;

static void one(Report& report, const Rows& shape) {
    const int rows = shape.rows(), elements = shape.elements();
    Buffer<int> offsets(shape.offsets);
    Buffer<float> data(elements), out(rows);
    fill(data, Draw{false});
    const std::vector<double> want = reference(shape.offsets, data.host());
    const Case on{shape, offsets, data, want};
    Best best;
    measure<A>(report, "128x16, 16", on, best);
    measure<B>(report, "64x16, 32", on, best);
    measure<C>(report, "128x16, 16, early", on, best);
    measure<D>(report, "64x16, 32, early", on, best);
    measure<E>(report, "128x8, 32, early", on, best);
    measure<F>(report, "128x8, 32", on, best);
    measure<G>(report, "256x16, 8", on, best);
    measure<H>(report, "32x16, 32", on, best);
    double peer = 1e30;
    report.part("cub rows " + shape.name, [&] {
#ifdef HAVE_CUB
        size_t bytes = 0;
        CUDA_TRY(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, data.data, out.data, rows, offsets.data, offsets.data + 1));
        Buffer<char> room(bytes);
        peer = median_ms([&] { CUDA_TRY(cub::DeviceSegmentedReduce::Sum(room.data, bytes, data.data, out.data, rows, offsets.data, offsets.data + 1)); });
#else
        throw std::runtime_error("no CUB headers found");
#endif
    });
    report.result(shape.name, best.name, best.ms, "cub::SegmentedReduce", peer, 4.0 * elements + 8.0 * rows);
}

int run_section(Report& report) {
    check_awkward<A>(report, "128x16, 16");
    check_awkward<B>(report, "64x16, 32");
    check_awkward<C>(report, "128x16, 16, early");
    check_awkward<D>(report, "64x16, 32, early");
    check_awkward<E>(report, "128x8, 32, early");
    check_awkward<F>(report, "128x8, 32");
    check_awkward<G>(report, "256x16, 8");
    check_awkward<H>(report, "32x16, 32");
    check_awkward<SegmentShape<64, 1, 1>>(report, "64x4, 1");
    const long long n = 1ll << 28;
    report.part("rows of 4", [&] { one(report, equal_rows("f32 2^28, rows of 4", 1 << 26, 4)); });
    report.part("rows of 64", [&] { one(report, equal_rows("f32 2^28, rows of 64", 1 << 22, 64)); });
    report.part("rows of 4096", [&] { one(report, equal_rows("f32 2^28, rows of 4096", 1 << 16, 4096)); });
    report.part("power law", [&] { one(report, power_law("f32 2^28, power law, one 2^26", 1 << 22, n, 1 << 26)); });
    report.part("half empty", [&] { one(report, half_empty("f32 2^28, half empty", 1 << 23, n)); });
    return report.failed != 0;
}
SECTION("rows")
