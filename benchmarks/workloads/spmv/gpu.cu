// Sparse matrix times vector: a warp per row and eight threads per row with 64-bit offsets, and cuSPARSE with 32-bit offsets (it takes
// no mixture of widths). Columns have 32 bits everywhere. -DNO_CUSPARSE leaves the library out.
#include "peer.cuh"

#include <cub/device/device_scan.cuh>
#ifndef NO_CUSPARSE
#include <cusparse.h>
#endif

template <int LANES>
__global__ void group_per_row(int64_t n, const int64_t* off, const int32_t* col, const double* val, const double* v, double* out) {
    const int64_t r = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    double s = 0;
    if (r < n)
        for (int64_t q = off[r] + lane; q < off[r + 1]; q += LANES) s = fma(val[q], __ldg(v + col[q]), s);
    for (int step = LANES / 2; step > 0; step /= 2) s += __shfl_down_sync(0xffffffffu, s, step, LANES);
    if (r < n && lane == 0) out[r] = s;
}

enum Shape { BANDED, POWER, HALF_EMPTY, HUGE_ROW };

__device__ int64_t row_length(Shape shape, int64_t n, int64_t i, int64_t a, int64_t b) {
    if (shape == BANDED) return 27;
    if (shape == POWER) return 4 + a / (1 + hash(i) % a);
    if (shape == HALF_EMPTY) return hash(i) % 2 == 0 ? 0 : 1 + hash(i + 77777777) % 79;
    return i == n / 2 ? b : a;
}

__global__ void fill_rows(Shape shape, int64_t n, int64_t side, const int64_t* off, int32_t* col, double* val) {
    for (int64_t i = blockIdx.x; i < n; i += gridDim.x) {
        const int64_t seed = hash(i);
        for (int64_t j = threadIdx.x; j < off[i + 1] - off[i]; j += blockDim.x) {
            const int64_t q = off[i] + j;
            if (shape == BANDED) {
                const int64_t at = i + (j / 9 - 1) * side * side + (j / 3 % 3 - 1) * side + j % 3 - 1;
                col[q] = int32_t(at < 0 ? 0 : at > n - 1 ? n - 1 : at);
                val[q] = double((i + 5 * j) % 64) / 8.0;
            } else {
                const int64_t at = (seed + 7919 * j) % 2147483647;
                col[q] = int32_t(hash(at) % n);
                val[q] = double(at % 64) / 8.0;
            }
        }
    }
}

#ifndef NO_CUSPARSE
static void sparse(int64_t n, int64_t count, int32_t* off, int32_t* col, double* val, double* v, double* out) {
    const auto ok = [](cusparseStatus_t s, const char* what) {
        if (s != CUSPARSE_STATUS_SUCCESS) fprintf(stderr, "%s: %s\n", what, cusparseGetErrorString(s));
        return s == CUSPARSE_STATUS_SUCCESS;
    };
    cusparseHandle_t handle;
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t from, to;
    if (!ok(cusparseCreate(&handle), "cusparseCreate")) return;
    if (!ok(cusparseCreateCsr(&matrix, n, n, count, off, col, val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                              CUDA_R_64F), "cusparseCreateCsr")) return;
    if (!ok(cusparseCreateDnVec(&from, n, v, CUDA_R_64F), "from") || !ok(cusparseCreateDnVec(&to, n, out, CUDA_R_64F), "to")) return;
    const double one = 1, zero = 0;
    for (cusparseSpMVAlg_t alg : {CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}) {
        size_t bytes = 0;
        if (!ok(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F, alg, &bytes),
                "cusparseSpMV_bufferSize")) return;
        char* room = array<char>(bytes);
        measure("cusparse", alg == CUSPARSE_SPMV_CSR_ALG1 ? "algorithm 1" : "algorithm 2", [=] {
            ok(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F, alg, room), "cusparseSpMV");
        }, out, [=] { return n; }, n);
    }
}
#endif

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    const Shape shape = name == "banded" ? BANDED : name == "power" ? POWER : name == "half_empty" ? HALF_EMPTY : HUGE_ROW;
    const int64_t side = argument(argc, argv, 2), a = argc > 3 ? atoll(argv[3]) : 0, b = argc > 4 ? atoll(argv[4]) : 0;
    const int64_t n = shape == BANDED ? side * side * side : side;
    int64_t *lengths = array<int64_t>(n + 1), *off = array<int64_t>(n + 1);
    each(n + 1, [=] __device__(int64_t i) { lengths[i] = i < n ? row_length(shape, n, i, a, b) : 0; });
    size_t bytes = 0;
    CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, lengths, off, n + 1));
    char* room = array<char>(bytes);
    CUDA(cub::DeviceScan::ExclusiveSum(room, bytes, lengths, off, n + 1));
    const int64_t count = host(off + n, 1)[0];
    int32_t *col = array<int32_t>(count), *narrow = array<int32_t>(n + 1);
    double *val = array<double>(count), *v = array<double>(n), *out = array<double>(n);
    each(n + 1, [=] __device__(int64_t i) { narrow[i] = int32_t(off[i]); });
    each(n, [=] __device__(int64_t i) { v[i] = double(hash(i + 5) % 64) / 8.0; });
    fill_rows<<<132 * 64, 128>>>(shape, n, side, off, col, val);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    fprintf(stderr, "%s: %lld rows, %lld elements\n", name.c_str(), (long long)n, (long long)count);
    const auto size = [=] { return n; };
    measure("cuda", "a warp per row", [=] {
        group_per_row<32><<<unsigned((n * 32 + 255) / 256), 256>>>(n, off, col, val, v, out);
    }, out, size, n);
    measure("cuda", "eight threads per row", [=] {
        group_per_row<8><<<unsigned((n * 8 + 255) / 256), 256>>>(n, off, col, val, v, out);
    }, out, size, n);
#ifndef NO_CUSPARSE
    if (count < (int64_t(1) << 31)) sparse(n, count, narrow, col, val, v, out);
#endif
}
