// Map over ragged rows: out[q] = f(value of q's row, data[q]), with the work split by elements.
//
// Idea. The question is only "which row is element q in?". A search per thread costs a dozen dependent loads per element; here a
// tile searches once (ragged_tiles.cuh) and the rest is expansion in shared memory. Each row that begins in the window writes its number
// at its first element, and a running maximum carries it over the others.
//
//     offsets   0  2  2  5        rows [a b] [] [c d e]
//     marks     1  .  3  .  .     row number + 1, written by rows that are not empty
//     maximum   1  1  3  3  3     inside a lane, then by shuffles, then over warps
//
// A window in which no row begins reads the row's value once and streams. Tiles count rows and elements alike, so a million
// empty rows are shared out as well; a tile that has no element ends at once.
//
// Traffic: data and out once, 8 bytes per f32 element, offsets and row values 8 bytes per row. What bounds it: device memory;
// for very short rows also the expansion (about 10 instructions per element).
//
// Declines: a tile has fewer than 2^16 items, so that a mark is 16 bits; data and out start at multiples of 16 bytes.
#pragma once
#include "ragged_tiles.cuh"

template <int THREADS, int CHUNKS, int WINDOWS, int MIN_BLOCKS = 1>
struct MapShape {
    static constexpr int threads = THREADS, chunks = CHUNKS, min_blocks = MIN_BLOCKS;
    static constexpr int window = THREADS * CHUNKS * 4, tile = window * WINDOWS;
    static_assert(tile < 65535, "a mark is 16 bits");
};

struct alignas(8) Marks {
    unsigned short of[4];
};

template <class Shape>
struct MapShared {
    Marks marks[Shape::window / 4];
    unsigned warp_max[Shape::threads / 32];
    Corner<int> corners[2];
};

template <class R, class T, class U, class F, class Shape>
__device__ inline void ragged_map_tile(MapShared<Shape>& shared, const int* offsets, const R* values, const T* data, U* out,
                                       int rows, int elements, F f) {
    static_assert(sizeof(T) == 4 && sizeof(U) == 4, "four elements are one wide load");
    constexpr int THREADS = Shape::threads, WARPS = THREADS / 32, CHUNKS = Shape::chunks, WINDOW = Shape::window, AHEAD = 4;
    const int tid = threadIdx.x, lane = lane_index(), warp = warp_index();
    const Marks none = {{0, 0, 0, 0}};

    for (int q = tid; q < WINDOW / 4; q += THREADS) shared.marks[q] = none;
    find_tile<int>(offsets, rows, elements, int(blockIdx.x), Shape::tile, shared.corners, WARPS);
    const int first_row = shared.corners[0].row, last_row = min(shared.corners[1].row, rows - 1);
    const int j0 = shared.corners[0].element, j1 = shared.corners[1].element;
    if (j0 == j1) return;

    const int windows = (j1 - j0) / WINDOW + 1;
    const int rounds = min(AHEAD, (last_row - first_row) / (windows * THREADS) + 1);
    unsigned carry = 1;
    int row = first_row;
    int next_start = offsets[row];
    for (int from = j0 & ~3; from < j1; from += WINDOW) {
        const int to = min(from + WINDOW, j1);
        Wide<T> x[CHUNKS];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int j = from + ((warp * CHUNKS + c) * 32 + lane) * 4;
            if (j >= j0 && j + 4 <= j1) {
                x[c] = load_wide(data + j);
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++) x[c].at[k] = j + k >= j0 && j + k < j1 ? data[j + k] : T();
            }
        }
        const bool plain = row > last_row || next_start >= to;
        unsigned short number[CHUNKS][4];
        unsigned before[CHUNKS];
        unsigned base = carry;
        if (!plain) {
            for (bool more = true; more;) {
                int start[AHEAD], end[AHEAD];
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    const int q = row + k * THREADS + tid;
                    const bool there = k < rounds && q <= last_row;
                    start[k] = there ? offsets[q] : 0x7fffffff;
                    end[k] = there ? offsets[q + 1] : 0;
                }
#pragma unroll
                for (int k = 0; k < AHEAD; k++) {
                    if (k < rounds && more) {
                        const int q = row + tid;
                        const bool starts_here = start[k] < to;
                        if (starts_here && end[k] > start[k] && start[k] >= j0)
                            reinterpret_cast<unsigned short*>(shared.marks)[start[k] - from] =
                                (unsigned short)(q - first_row + 1);
                        const int count = __syncthreads_count(starts_here);
                        row += count;
                        more = count == THREADS;
                    }
                }
            }
            next_start = row <= last_row ? offsets[row] : 0;

            unsigned warp_top = 0;
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                const int quad = (warp * CHUNKS + c) * 32 + lane;
                const Marks m = shared.marks[quad];
                unsigned top = 0;
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    top = max(top, unsigned(m.of[k]));
                    number[c][k] = (unsigned short)top;
                }
                before[c] = warp_top;
                if (__ballot_sync(WHOLE_WARP, top != 0) != 0) {
                    shared.marks[quad] = none; // a mark left over would be below `carry` and harmless, but would cost the shuffles
#pragma unroll
                    for (int d = 1; d < 32; d *= 2) {
                        const unsigned left = __shfl_up_sync(WHOLE_WARP, top, d);
                        if (lane >= d) top = max(top, left);
                    }
                    const unsigned left = __shfl_up_sync(WHOLE_WARP, top, 1);
                    if (lane > 0) before[c] = max(before[c], left);
                    warp_top = max(warp_top, __shfl_sync(WHOLE_WARP, top, 31));
                }
            }
            if (lane == 0) shared.warp_max[warp] = warp_top;
            __syncthreads();
#pragma unroll
            for (int w = 0; w < WARPS; w++) {
                if (w == warp) base = carry;
                carry = max(carry, shared.warp_max[w]);
            }
        }
        const R steady = values[first_row + int(base) - 1];
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int j = from + ((warp * CHUNKS + c) * 32 + lane) * 4;
            Wide<U> y;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                R value = steady;
                if (!plain) {
                    const unsigned n = max(base, max(before[c], unsigned(number[c][k])));
                    value = __ldg(values + (first_row + int(n) - 1));
                }
                y.at[k] = f(value, x[c].at[k]);
            }
            if (j >= j0 && j + 4 <= j1) {
                store_wide(out + j, y);
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++)
                    if (j + k >= j0 && j + k < j1) out[j + k] = y.at[k];
            }
        }
    }
}

template <class R, class T, class U, class F, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::min_blocks)
ragged_map_kernel(const int* __restrict__ offsets, const R* __restrict__ values, const T* __restrict__ data,
                  U* __restrict__ out, int rows, int elements, F f) {
    __shared__ MapShared<Shape> shared;
    ragged_map_tile<R, T, U, F, Shape>(shared, offsets, values, data, out, rows, elements, f);
}
