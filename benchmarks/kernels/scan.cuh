// Inclusive scan in one pass, with the same bits on every run.
//
// Idea. A tile is loaded once into registers, scanned there, told what came before it, and stored once.
//
//     rows of a warp      lane 0        lane 1        ..  lane 31
//       row 0          x0 x1 x2 x3   x4 x5 x6 x7     ..             one 16-byte load per lane and row
//       row 1          ..
//     1. each lane scans its own four;  2. shuffles scan the lane totals of each row;  3. rows are added up in order;
//     4. warps are added up in order;   5. look-back (look_back.cuh) gives what came before the tile;
//     6. element = (before + warps before) + ((rows before + lanes before) + own prefix)
//
// No element passes through shared memory: rows are short enough that shuffles (five per 128 elements) are nearly free.
// The association is fixed by the tile shape (THREADS, ROWS) and the position alone.
//
// Traffic: each element read once and written once, 8 bytes for a 4-byte element: 2^28 elements are 2.15 GB. What bounds it:
// a tile lives 9 to 13 us on an H200 (load, look-back, store), whether it has 4096 elements or 40960, so the speed is the number of bytes that
// a multiprocessor holds meanwhile: tiles as large as the registers allow, and nothing kept beside the elements.
//
// Declines: `in` and `out` must start at multiples of 16 bytes (they may be the same array); exclusive scans are the same kernel
// with a shifted store.
#pragma once
#include "look_back.cuh"

template <int THREADS, int ROWS, int MIN_BLOCKS = 1, bool TICKETS = true>
struct ScanShape {
    static constexpr int threads = THREADS, rows = ROWS, min_blocks = MIN_BLOCKS;
    static constexpr bool tickets = TICKETS;
    template <class T>
    __host__ __device__ static constexpr int tile() { return THREADS * ROWS * (16 / int(sizeof(T))); }
};

template <class T, class Shape>
struct ScanShared {
    unsigned ticket;
    T tile_before;
    T warp_total[Shape::threads / 32];
};

template <class T, class Op, class Shape>
__device__ inline void scan_tile(ScanShared<T, Shape>& shared, const T* in, T* out, size_t n, unsigned* counter,
                                 const LookBack<T>& space) {
    constexpr int V = Wide<T>::COUNT, ROWS = Shape::rows, WARPS = Shape::threads / 32;
    constexpr int TILE = Shape::template tile<T>();

    const unsigned tile = Shape::tickets ? take_ticket(counter, &shared.ticket) : blockIdx.x;
    const int lane = lane_index(), warp = warp_index();
    const size_t base = size_t(tile) * TILE;
    const int mine = warp * (ROWS * 32 * V) + lane * V;
    const bool full = base + TILE <= n;
    const int left = full ? TILE : int(n - base);

    Wide<T> x[ROWS];
    if (full) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) x[r] = load_wide(in + base + mine + r * 32 * V);
    } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < V; k++) {
                const int p = mine + r * 32 * V + k;
                x[r].at[k] = p < left ? in[base + p] : Op::template neutral<T>();
            }
    }

    T rows_before = Op::template neutral<T>();
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int k = 1; k < V; k++) x[r].at[k] = Op::apply(x[r].at[k - 1], x[r].at[k]);
        T s = x[r].at[V - 1];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const T y = __shfl_up_sync(WHOLE_WARP, s, d);
            if (lane >= d) s = Op::apply(y, s);
        }
        const T lanes_before = __shfl_up_sync(WHOLE_WARP, s, 1);
        const T before = lane > 0 ? Op::apply(rows_before, lanes_before) : rows_before;
#pragma unroll
        for (int k = 0; k < V; k++) x[r].at[k] = Op::apply(before, x[r].at[k]);
        rows_before = Op::apply(rows_before, __shfl_sync(WHOLE_WARP, s, 31));
    }
    if (lane == 0) shared.warp_total[warp] = rows_before;
    __syncthreads();

    T warps_before = Op::template neutral<T>(), total = Op::template neutral<T>();
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp) warps_before = total;
        total = Op::apply(total, shared.warp_total[w]);
    }
    if (warp == 0) {
        const Partial<T> own = {total, false};
        if (lane == 0) space.publish(tile, own);
        const Partial<T> earlier = look_back<T, Op>(space, tile, own, true);
        if (lane == 0) shared.tile_before = earlier.value;
    }
    __syncthreads();
    const T start = Op::apply(shared.tile_before, warps_before);

#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int k = 0; k < V; k++) x[r].at[k] = Op::apply(start, x[r].at[k]);
    if (full) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) store_wide(out + base + mine + r * 32 * V, x[r]);
    } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < V; k++) {
                const int p = mine + r * 32 * V + k;
                if (p < left) out[base + p] = x[r].at[k];
            }
    }
}

template <class T, class Op, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::min_blocks)
scan_kernel(const T* in, T* out, size_t n, unsigned* counter, LookBack<T> space) {
    __shared__ ScanShared<T, Shape> shared;
    scan_tile<T, Op, Shape>(shared, in, out, n, counter, space);
}
