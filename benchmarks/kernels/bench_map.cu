// Map over ragged rows: checks and times of ragged_map.cuh beside a search per thread, the simplest correct way.
#include "bench.cuh"
#include "ragged_data.cuh"
#include "ragged_map.cuh"

struct ScaleShift {
    __host__ __device__ float operator()(float row, float x) const { return row * x + 1.0f; }
};

__global__ void search_per_thread(const int* offsets, const float* values, const float* data, float* out, int rows, int elements) {
    const int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= elements) return;
    int lo = 0, hi = rows;
    while (lo < hi) {
        const int mid = lo + (hi - lo) / 2;
        if (offsets[mid + 1] <= q) lo = mid + 1;
        else hi = mid;
    }
    out[q] = ScaleShift()(values[lo], data[q]);
}

struct Draw {
    __host__ __device__ float operator()(size_t i) const { return (scramble(i) >> 8) * (1.0f / (1 << 24)); }
};

template <class Shape>
void run_map(const Buffer<int>& offsets, const Buffer<float>& values, const Buffer<float>& data, Buffer<float>& out, int rows, int elements) {
    const size_t tiles = (size_t(rows) + elements + Shape::tile - 1) / Shape::tile;
    if (tiles == 0) return;
    ragged_map_kernel<float, float, float, ScaleShift, Shape>
        <<<unsigned(tiles), Shape::threads>>>(offsets.data, values.data, data.data, out.data, rows, elements, ScaleShift());
    CUDA_TRY(cudaGetLastError());
}

static std::vector<float> reference(const Rows& shape, const std::vector<float>& values, const std::vector<float>& data) {
    std::vector<float> out(data.size());
    on_all_cores(values.size(), [&](size_t from, size_t to) {
        for (size_t i = from; i < to; i++)
            for (int j = shape.offsets[i]; j < shape.offsets[i + 1]; j++) out[j] = ScaleShift()(values[i], data[j]);
    });
    return out;
}

struct Case {
    const Rows& shape;
    Buffer<int> offsets;
    Buffer<float> values, data;
    Buffer<float> want;
    explicit Case(const Rows& rows) : shape(rows), offsets(rows.offsets), values(rows.rows()), data(rows.elements()), want(rows.elements()) {
        fill(values, Draw());
        fill(data, Draw());
        const std::vector<float> out = reference(rows, values.host(), data.host());
        if (!out.empty()) CUDA_TRY(cudaMemcpy(want.data, out.data(), out.size() * 4, cudaMemcpyHostToDevice));
    }
};

template <class Shape>
void measure(Report& report, const char* shape, Case& on, Best& best, bool timed) {
    const std::string name = std::string("map ") + shape + ", " + on.shape.name;
    report.part(name, [&] {
        const int rows = on.shape.rows(), elements = on.shape.elements();
        Buffer<float> out(elements + 1);
        run_map<Shape>(on.offsets, on.values, on.data, out, rows, elements);
        report.check(differences(out, on.want, elements) == 0, name);
        unsigned last;
        CUDA_TRY(cudaMemcpy(&last, out.data + elements, 4, cudaMemcpyDeviceToHost));
        report.check(last == 0xa5a5a5a5u, name + " writes past the end");
        if (!timed) return;
        const double ms = median_ms([&] { run_map<Shape>(on.offsets, on.values, on.data, out, rows, elements); });
        report.variant(on.shape.name, shape, ms);
        best.take(shape, ms);
    });
}

static void all_shapes(Report& report, Case& on, Best& best, bool timed) {
    measure<MapShape<256, 2, 8, 6>>(report, "256x8, 8", on, best, timed);
    measure<MapShape<256, 2, 16, 6>>(report, "256x8, 16", on, best, timed);
    measure<MapShape<128, 2, 16, 12>>(report, "128x8, 16", on, best, timed);
    measure<MapShape<128, 2, 32, 12>>(report, "128x8, 32", on, best, timed);
    measure<MapShape<64, 2, 32, 24>>(report, "64x8, 32", on, best, timed);
    measure<MapShape<64, 2, 64, 24>>(report, "64x8, 64", on, best, timed);
}

static void one(Report& report, const Rows& shape) {
    Case on(shape);
    Best best;
    all_shapes(report, on, best, true);
    const int rows = shape.rows(), elements = shape.elements();
    double peer = 1e30;
    report.part("search per thread " + shape.name, [&] {
        Buffer<float> out(elements);
        auto run = [&] {
            search_per_thread<<<(elements + 255) / 256, 256>>>(on.offsets.data, on.values.data, on.data.data, out.data, rows, elements);
            CUDA_TRY(cudaGetLastError());
        };
        run();
        report.check(differences(out, on.want, elements) == 0, "search per thread " + shape.name);
        peer = median_ms(run);
    });
    report.result(shape.name, best.name, best.ms, "search per thread", peer, 8.0 * elements + 8.0 * rows);
}

int run_section(Report& report) {
    for (const Rows& shape : awkward_rows())
        report.part("map " + shape.name, [&] {
            Case on(shape);
            Best none;
            all_shapes(report, on, none, false);
            measure<MapShape<64, 1, 1>>(report, "64x4, 1", on, none, false);
        });
    const long long n = 1ll << 28;
    report.part("rows of 4", [&] { one(report, equal_rows("f32 2^28, rows of 4", 1 << 26, 4)); });
    report.part("rows of 64", [&] { one(report, equal_rows("f32 2^28, rows of 64", 1 << 22, 64)); });
    report.part("rows of 4096", [&] { one(report, equal_rows("f32 2^28, rows of 4096", 1 << 16, 4096)); });
    report.part("power law", [&] { one(report, power_law("f32 2^28, power law, one 2^26", 1 << 22, n, 1 << 26)); });
    report.part("half empty", [&] { one(report, half_empty("f32 2^28, half empty", 1 << 23, n)); });
    return report.failed != 0;
}
SECTION("map")
