// Sparse matrix times vector, f64 with 32-bit columns: segmented_reduce.cuh over products, beside cuSPARSE.
#ifndef NO_CUSPARSE
#include <cusparse.h>
#endif

#include "bench.cuh"
#include "ragged_data.cuh"
#include "segmented_reduce.cuh"

struct UniformColumns {
    int n;
    __host__ __device__ int operator()(size_t j) const { return int((unsigned long long)scramble(j) * n >> 32); }
};
struct StencilColumns {
    int n, side;
    __host__ __device__ int operator()(size_t j) const {
        const int i = int(j / 27), k = int(j % 27);
        const int c = i + ((k / 9 - 1) * side + (k / 3 % 3 - 1)) * side + (k % 3 - 1);
        return c < 0 ? c + n : c >= n ? c - n : c;
    }
};
struct Draw {
    uint64_t seed;
    __host__ __device__ double operator()(size_t j) const { return int(scramble(j + seed)) * (1.0 / 2147483648.0); }
};

struct Matrix {
    const Rows& shape;
    Buffer<int> offsets, columns;
    Buffer<double> entries, vector;
    std::vector<double> want, magnitude;

    Matrix(const Rows& rows, bool stencil) : shape(rows), offsets(rows.offsets), columns(rows.elements()), entries(rows.elements()), vector(rows.rows()) {
        const int n = rows.rows();
        if (stencil) fill(columns, StencilColumns{n, 126});
        else fill(columns, UniformColumns{n});
        fill(entries, Draw{5});
        fill(vector, Draw{9});
        const std::vector<int> c = columns.host();
        const std::vector<double> e = entries.host(), v = vector.host();
        want.resize(n);
        magnitude.resize(n);
        on_all_cores(n, [&](size_t from, size_t to) {
            for (size_t i = from; i < to; i++) {
                double sum = 0, size = 0;
                for (int j = shape.offsets[i]; j < shape.offsets[i + 1]; j++) sum += e[j] * v[c[j]], size += std::fabs(e[j] * v[c[j]]);
                want[i] = sum;
                magnitude[i] = size;
            }
        });
    }
    bool right(const std::vector<double>& got) const {
        for (size_t i = 0; i < want.size(); i++)
            if (!(std::fabs(got[i] - want[i]) <= 1e-12 * magnitude[i])) return false;
        return true;
    }
};

template <class Shape>
void measure(Report& report, const char* shape, const Matrix& matrix, Best& best) {
    const std::string name = std::string("spmv ") + shape + ", " + matrix.shape.name;
    report.part(name, [&] {
        const int rows = matrix.shape.rows(), elements = matrix.shape.elements();
        const size_t tiles = (size_t(rows) + elements + Shape::tile - 1) / Shape::tile;
        Buffer<Word> words(LookBack<double>::word_count(tiles));
        Buffer<unsigned> counter(1);
        Buffer<double> out(rows), again(rows);
        auto run = [&](double* to) {
            if (tiles == 0) return;
            words.clear();
            counter.clear();
            segmented_reduce_kernel<MatrixProducts<double>, Plus, Shape><<<unsigned(tiles), Shape::threads>>>(
                MatrixProducts<double>{matrix.entries.data, matrix.columns.data, matrix.vector.data}, matrix.offsets.data, to, rows, elements,
                counter.data, LookBack<double>{words.data, unsigned(tiles)});
            CUDA_TRY(cudaGetLastError());
        };
        run(out.data);
        report.check(matrix.right(out.host()), name);
        for (int k = 0; k < 3; k++) {
            again.poison();
            run(again.data);
            report.check(differences(out, again, rows) == 0, name + " same bits");
        }
        if (elements < 10000000) return;
        const double ms = median_ms([&] { run(out.data); });
        report.variant(matrix.shape.name, shape, ms);
        best.take(shape, ms);
    });
}

static void all_shapes(Report& report, const Matrix& matrix, Best& best) {
    measure<SegmentShape<128, 2, 8, 7>>(report, "128x8, 8", matrix, best);
    measure<SegmentShape<64, 2, 16, 14>>(report, "64x8, 16", matrix, best);
    measure<SegmentShape<128, 1, 16, 8, true>>(report, "128x4, 16, early", matrix, best);
    measure<SegmentShape<256, 1, 8, 4, true>>(report, "256x4, 8, early", matrix, best);
    measure<SegmentShape<128, 2, 8, 6, true>>(report, "128x8, 8, early", matrix, best);
    measure<SegmentShape<64, 2, 16, 12, true>>(report, "64x8, 16, early", matrix, best);
    measure<SegmentShape<128, 2, 4, 6, true>>(report, "128x8, 4, early", matrix, best);
    measure<SegmentShape<128, 1, 16, 10>>(report, "128x4, 16", matrix, best);
}

#ifndef NO_CUSPARSE
static void try_sparse(cusparseStatus_t status, const char* what) {
    if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(std::string(what) + ": " + cusparseGetErrorString(status));
}
#define SPARSE_TRY(call) try_sparse((call), #call)

static void measure_cusparse(Report& report, const Matrix& matrix, Best& best) {
    const int rows = matrix.shape.rows(), elements = matrix.shape.elements();
    struct Way { cusparseSpMVAlg_t algorithm; const char* name; bool prepared; };
    for (const Way& way : {Way{CUSPARSE_SPMV_CSR_ALG1, "cuSPARSE alg1", false}, Way{CUSPARSE_SPMV_CSR_ALG2, "cuSPARSE alg2", false},
                           Way{CUSPARSE_SPMV_CSR_ALG1, "cuSPARSE alg1 prepared", true}, Way{CUSPARSE_SPMV_CSR_ALG2, "cuSPARSE alg2 prepared", true}})
        report.part(way.name, [&] {
            Buffer<double> out(rows);
            cusparseHandle_t handle;
            SPARSE_TRY(cusparseCreate(&handle));
            cusparseSpMatDescr_t a;
            cusparseDnVecDescr_t x, y;
            SPARSE_TRY(cusparseCreateCsr(&a, rows, rows, elements, matrix.offsets.data, matrix.columns.data, matrix.entries.data,
                                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
            SPARSE_TRY(cusparseCreateDnVec(&x, rows, matrix.vector.data, CUDA_R_64F));
            SPARSE_TRY(cusparseCreateDnVec(&y, rows, out.data, CUDA_R_64F));
            const double one = 1, zero = 0;
            size_t bytes = 0;
            SPARSE_TRY(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F, way.algorithm, &bytes));
            Buffer<char> room(bytes);
            if (way.prepared)
                SPARSE_TRY(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F, way.algorithm, room.data));
            auto run = [&] {
                SPARSE_TRY(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F, way.algorithm, room.data));
            };
            run();
            report.check(matrix.right(out.host()), std::string(way.name) + " " + matrix.shape.name);
            const double ms = median_ms(run);
            report.variant(matrix.shape.name, way.name, ms);
            best.take(way.name, ms);
            cusparseDestroySpMat(a);
            cusparseDestroyDnVec(x);
            cusparseDestroyDnVec(y);
            cusparseDestroy(handle);
        });
}
#else
static void measure_cusparse(Report&, const Matrix&, Best&) {}
#endif

static void one(Report& report, const Rows& shape, bool stencil) {
    Matrix matrix(shape, stencil);
    Best best, peer;
    all_shapes(report, matrix, best);
    measure_cusparse(report, matrix, peer);
    report.result(shape.name, best.name, best.ms, peer.name, peer.ms, 12.0 * shape.elements() + 20.0 * shape.rows());
}

int run_section(Report& report) {
    for (const Rows& shape : awkward_rows())
        report.part("spmv " + shape.name, [&] {
            Matrix matrix(shape, false);
            Best none;
            all_shapes(report, matrix, none);
        });
    report.part("27", [&] { one(report, equal_rows("f64 2M rows of 27", 2000000, 27), false); });
    report.part("27 stencil", [&] { one(report, equal_rows("f64 126^3 rows of 27, stencil", 126 * 126 * 126, 27), true); });
    report.part("power law", [&] { one(report, power_law("f64 power law, 4M rows, 70M", 4000000, 70000000, 694000), false); });
    report.part("half empty", [&] { one(report, half_empty("f64 2M rows, half empty, 40M", 2000000, 40000000), false); });
    return report.failed != 0;
}
SECTION("spmv")
