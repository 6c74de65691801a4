// Sum of every row of a ragged array, or of what is computed from its elements (a sparse matrix times a vector), in one kernel.
//
// Idea. Tiles are cut by ragged_tiles.cuh; a tile is walked in windows of E elements, and in a window all threads work on
// elements, four consecutive ones each, whatever the rows are. A byte per element says "a row ends after me".
//
//     elements   1  2  3  4 | 5  6  7  8        rows [1 2] [3 4 5 6 7] [] [8 ..
//     ends       0  1  0  0 | 0  0  1  0
//     lanes      sums inside the lane; what is open after the last end goes to the next lanes by a segmented shuffle scan
//     sums at    .  3  .  .   .  .  25 .        one shared slot per element; only the slots of ends are written
//     rows       out[0] = sums[1], out[1] = sums[6], out[2] = 0 (empty): read back by row, so stores are coalesced
//
// What crosses borders, each in a fixed order: lane to lane by shuffles, 128 elements to the next in a register, warp to warp
// through shared memory, window to window in `carry`, tile to tile by look_back.cuh with `join`. Only the first row that ends in a tile
// can have begun in an earlier tile; it alone waits for the look-back. A window in which no row ends (a long row) is a plain sum:
// no flags, no shared memory, no barrier.
//
// Association: fixed by the shape and by where a row lies in the element array; the same on every run. It is not a function of
// the row alone: the same row elsewhere in the array may be added in another order.
//
// Traffic: elements once, offsets once from memory and once more from cache, results once. For f32: 4 bytes per element and 8
// per row. What bounds it: device memory for long rows; instructions (about 12 per element) and barriers for short ones;
// for a sparse matrix, the gathers of the vector, 32 bytes of second-level cache traffic for 8 used.
//
// Declines: the operator must have a neutral element (lanes beyond the ends of a tile hold it).
#pragma once
#include "look_back.cuh"
#include "ragged_tiles.cuh"

/// THREADS per block, CHUNKS times 128 elements per warp and window, WINDOWS windows' worth of items per tile. EARLY: the
/// elements of the next window are asked for before this one is summed, at the price of the registers that hold them.
template <int THREADS, int CHUNKS, int WINDOWS, int MIN_BLOCKS = 1, bool EARLY = false>
struct SegmentShape {
    static constexpr bool early = EARLY;
    static constexpr int threads = THREADS, chunks = CHUNKS, min_blocks = MIN_BLOCKS;
    static constexpr int window = THREADS * CHUNKS * 4, tile = window * WINDOWS;
};

/// Four elements at a multiple of four, as they lie in memory.
template <class T>
struct Four {
    Wide<T> part[4 / Wide<T>::COUNT];
    __device__ void load(const T* at) {
#pragma unroll
        for (int k = 0; k < 4 / Wide<T>::COUNT; k++) part[k] = load_wide(at + k * Wide<T>::COUNT);
    }
    __device__ T operator[](int k) const { return part[k / Wide<T>::COUNT].at[k % Wide<T>::COUNT]; }
};

/// Elements as they are. A source loads in two steps: `load` asks for what lies in order, `values` for what follows from it.
template <class T>
struct PlainElements {
    using Value = T;
    using Raw = Four<T>;
    const T* data;
    __device__ T at(size_t j) const { return data[j]; }
    __device__ void load(size_t j, Raw& raw) const { raw.load(data + j); }
    __device__ void values(const Raw& raw, T* x) const {
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] = raw[k];
    }
};

/// Products of matrix entries with the vector's elements in their columns.
template <class T>
struct MatrixProducts {
    using Value = T;
    const T* entries;
    const int* columns;
    const T* vector;
    __device__ T at(size_t j) const { return entries[j] * __ldg(vector + columns[j]); }
    struct Raw {
        Four<int> column;
        Four<T> entry;
    };
    __device__ void load(size_t j, Raw& raw) const {
        raw.column.load(columns + j);
        raw.entry.load(entries + j);
    }
    __device__ void values(const Raw& raw, T* x) const {
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] = raw.entry[k] * __ldg(vector + raw.column[k]);
    }
};

template <class T, class Shape>
struct SegmentShared {
    static constexpr int WARPS = Shape::threads / 32;
    T sums[Shape::window];
    unsigned ends[Shape::window / 4];
    T warp_tail[WARPS], warp_old[WARPS];
    int warp_first[WARPS];
    T first_row;
    Corner<int> corners[2];
    unsigned ticket;
};

/// Left to right over the warps' values, in every thread.
template <int WARPS, class T, class Op>
__device__ inline T fold_warps(T before, const T* values) {
#pragma unroll
    for (int w = 0; w < WARPS; w++) before = Op::apply(before, values[w]);
    return before;
}

/// The elements of one window. Writes `sums` at ends; the sum at the first end of a warp still lacks what earlier warps hold.
template <class T, class Op, class Shape>
__device__ inline void sum_window(SegmentShared<T, Shape>& shared, const T (&x)[Shape::chunks][4]) {
    constexpr int CHUNKS = Shape::chunks;
    const int lane = lane_index(), warp = warp_index();
    // What is open after the chunks so far: `old`, the same in all lanes, then what the lanes hold, if `spread`.
    T old = Op::template neutral<T>(), open = old;
    bool spread = false;
    int first = -1;
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        const int quad = (warp * CHUNKS + c) * 32 + lane;
        const unsigned ends = shared.ends[quad];
        const unsigned lanes = __ballot_sync(WHOLE_WARP, ends != 0);
        if (lanes == 0) {
            open = Op::apply(open, Op::apply(Op::apply(x[c][0], x[c][1]), Op::apply(x[c][2], x[c][3])));
            spread = true;
            continue;
        }
        shared.ends[quad] = 0;
        T tail = x[c][0];
#pragma unroll
        for (int k = 1; k < 4; k++) tail = ((ends >> (8 * (k - 1))) & 1) ? x[c][k] : Op::apply(tail, x[c][k]);
        if ((ends >> 24) & 1) tail = Op::template neutral<T>();

        const unsigned upto = lanes & (lanes_below(lane) | (1u << lane));
        const int reach = upto != 0 ? lane - (31 - __clz(int(upto))) : lane;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const T left = __shfl_up_sync(WHOLE_WARP, tail, d);
            if (d <= reach) tail = Op::apply(left, tail);
        }
        T acc = __shfl_up_sync(WHOLE_WARP, tail, 1);
        if (lane == 0) acc = Op::template neutral<T>();
        if (spread) old = Op::apply(old, fold_warp<T, Op>(open));
        if ((lanes & lanes_below(lane)) == 0) {
            acc = Op::apply(old, acc);
            if (first < 0 && ends != 0) shared.warp_first[warp] = quad * 4 + (__ffs(int(ends)) - 1) / 8;
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            acc = Op::apply(acc, x[c][k]);
            if ((ends >> (8 * k)) & 1) {
                shared.sums[quad * 4 + k] = acc;
                acc = Op::template neutral<T>();
            }
        }
        first = 0;
        old = __shfl_sync(WHOLE_WARP, tail, 31);
        open = Op::template neutral<T>();
        spread = false;
    }
    if (spread) old = Op::apply(old, fold_warp<T, Op>(open));
    if (lane == 0) {
        shared.warp_tail[warp] = old;
        if (first < 0) shared.warp_first[warp] = -1;
    }
}

/// Asks for the elements of the window at `from` that lie in whole fours between j0 and j1.
template <class Source, class Shape>
__device__ inline void load_window(const Source& source, int from, int j0, int j1, typename Source::Raw (&raw)[Shape::chunks]) {
#pragma unroll
    for (int c = 0; c < Shape::chunks; c++) {
        const int j = from + ((warp_index() * Shape::chunks + c) * 32 + lane_index()) * 4;
        if (j >= j0 && j + 4 <= j1) source.load(j, raw[c]);
    }
}

template <class Source, class Op, class Shape>
__device__ inline void segmented_reduce_tile(SegmentShared<typename Source::Value, Shape>& shared, Source source,
                                             const int* offsets, typename Source::Value* out, int rows, int elements,
                                             unsigned* counter, const LookBack<typename Source::Value>& space) {
    using T = typename Source::Value;
    constexpr int THREADS = Shape::threads, WARPS = THREADS / 32, CHUNKS = Shape::chunks, WINDOW = Shape::window, AHEAD = 4;
    const int tid = threadIdx.x, lane = lane_index(), warp = warp_index();

    const unsigned tile = take_ticket(counter, &shared.ticket);
    for (int q = tid; q < WINDOW / 4; q += THREADS) shared.ends[q] = 0;
    find_tile<int>(offsets, rows, elements, int(tile), Shape::tile, shared.corners, WARPS);
    const int first_row = shared.corners[0].row, last_row = shared.corners[1].row;
    const int j0 = shared.corners[0].element, j1 = shared.corners[1].element;
    const bool needs = first_row < last_row && offsets[first_row] < j0;

    // Rows per window if they were spread evenly: how many offsets to ask for before looking at the first.
    const int windows = (j1 - j0) / WINDOW + 1;
    const int rounds = min(AHEAD, (last_row - first_row) / (windows * THREADS) + 1);

    T carry = Op::template neutral<T>(), mine = Op::template neutral<T>();
    bool pending = false;
    int row = first_row;
    int next_end = row < last_row ? offsets[row + 1] : 0;
    int from = j0 & ~3;
    typename Source::Raw raw[CHUNKS];
    if (Shape::early) load_window<Source, Shape>(source, from, j0, j1, raw);
    do {
        const int to = min(from + WINDOW, j1);
        T x[CHUNKS][4];
        if (!Shape::early) load_window<Source, Shape>(source, from, j0, j1, raw);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            const int j = from + ((warp * CHUNKS + c) * 32 + lane) * 4;
            if (j >= j0 && j + 4 <= j1) {
                source.values(raw[c], x[c]);
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++) x[c][k] = j + k >= j0 && j + k < j1 ? source.at(j + k) : Op::template neutral<T>();
            }
        }
        if (Shape::early && to < j1) load_window<Source, Shape>(source, from + WINDOW, j0, j1, raw);
        if (row >= last_row || next_end > to) {
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                mine = Op::apply(mine, Op::apply(Op::apply(x[c][0], x[c][1]), Op::apply(x[c][2], x[c][3])));
            pending = true;
            from += WINDOW;
            continue;
        }

        const int begin = row;
        for (bool more = true; more;) {
            int start[AHEAD], end[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const int q = row + k * THREADS + tid;
                const bool there = k < rounds && q < last_row;
                start[k] = there ? offsets[q] : 0;
                end[k] = there ? offsets[q + 1] : 0x7fffffff;
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (k < rounds && more) {
                    const bool ends_here = end[k] <= to;
                    if (ends_here && end[k] > start[k])
                        reinterpret_cast<unsigned char*>(shared.ends)[end[k] - 1 - from] = 1;
                    const int count = __syncthreads_count(ends_here);
                    row += count;
                    more = count == THREADS;
                }
            }
        }
        next_end = row < last_row ? offsets[row + 1] : 0;

        if (pending) {
            const T old = fold_warp<T, Op>(mine);
            if (lane == 0) shared.warp_old[warp] = old;
        }
        sum_window<T, Op, Shape>(shared, x);
        __syncthreads();
        if (pending) carry = fold_warps<WARPS, T, Op>(carry, shared.warp_old);
        T into = carry;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            if (w == tid) into = carry;
            carry = shared.warp_first[w] >= 0 ? shared.warp_tail[w] : Op::apply(carry, shared.warp_tail[w]);
        }
        if (tid < WARPS && shared.warp_first[tid] >= 0) {
            T& sum = shared.sums[shared.warp_first[tid]];
            sum = Op::apply(into, sum);
        }
        pending = false;
        mine = Op::template neutral<T>();
        __syncthreads();

        for (int q = begin + tid; q < row; q += THREADS) {
            const int start = offsets[q], end = offsets[q + 1];
            const T sum = end > start ? shared.sums[end - 1 - from] : Op::template neutral<T>();
            if (needs && q == first_row) shared.first_row = sum;
            else out[q] = sum;
        }
        from += WINDOW;
    } while (from < j1);

    if (pending) {
        const T old = fold_warp<T, Op>(mine);
        if (lane == 0) shared.warp_old[warp] = old;
    }
    __syncthreads();
    if (warp == 0) {
        if (pending) carry = fold_warps<WARPS, T, Op>(carry, shared.warp_old);
        const Partial<T> own = {carry, first_row < last_row};
        if (lane == 0) space.publish(tile, own);
        if (needs || (tile & 31) == 31) {
            const Partial<T> before = look_back<T, Op>(space, tile, own, needs);
            if (needs && lane == 0) out[first_row] = Op::apply(before.value, shared.first_row);
        }
    }
}

template <class Source, class Op, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::min_blocks)
segmented_reduce_kernel(Source source, const int* __restrict__ offsets, typename Source::Value* __restrict__ out, int rows,
                        int elements, unsigned* counter, LookBack<typename Source::Value> space) {
    __shared__ SegmentShared<typename Source::Value, Shape> shared;
    segmented_reduce_tile<Source, Op, Shape>(shared, source, offsets, out, rows, elements, counter, space);
}
