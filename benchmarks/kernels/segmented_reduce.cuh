// Sum of every row of a ragged array, or of what is computed from its elements (a sparse matrix times a vector), in one kernel.
//
// Idea. Tiles are cut by ragged_tiles.cuh; a tile is walked in windows, and in a window all threads work on elements, whatever
// the rows are. Elements are loaded in the order of memory, four per lane and row of a warp, and handed over through shared
// memory so that a lane then holds N consecutive ones: one segmented scan over lanes serves N elements per lane. A byte per
// element says "a row ends after me".
//
//     elements   1  2  3  4 | 5  6  7  8        rows [1 2] [3 4 5 6 7] [] [8 ..        N = 4
//     ends       0  1  0  0 | 0  0  1  0
//     lane       a plain loop; at an end the sum is put where its element was and the next begins
//     sums at    .  3  .  .   .  .  18 .        then 7, still open in the first lane, goes to the next end by a segmented scan: 25
//     rows       out[0] = sums[1], out[1] = sums[6], out[2] = 0 (empty): read back by row, so stores are coalesced
//
// Banks: where lanes work at a stride of N, a slot is moved within its lane's N slots by the lane number (`slot_of`, `unit_of`).
//
// What crosses borders, each in a fixed order: lane to lane by shuffles, warp to warp
// through shared memory, window to window in `carry`, tile to tile by look_back.cuh with `join`. Only the first row that ends in a tile
// can have begun in an earlier tile; it alone waits for the look-back. A window in which no row ends (a long row) is a plain sum:
// no flags, no shared memory, no barrier.
//
// Association: fixed by the shape and by where a row lies in the element array; the same on every run. It is not a function of
// the row alone: the same row elsewhere in the array may be added in another order.
//
// Traffic: elements once, offsets once from memory and once more from cache, results once. For f32: 4 bytes per element and 8
// per row. What bounds it: device memory for long rows; instructions (about 20 per element) and barriers for short ones;
// for a sparse matrix, the gathers of the vector, 32 bytes of second-level cache traffic for 8 used.
//
// Declines: the operator must have a neutral element (lanes beyond the ends of a tile hold it).
#pragma once
#include "look_back.cuh"
#include "ragged_tiles.cuh"

/// THREADS per block, CHUNKS times 4 elements per lane and window, WINDOWS windows' worth of items per tile. EARLY: the elements of
/// the next window are asked for before this one is summed.
template <int THREADS, int CHUNKS, int WINDOWS, int MIN_BLOCKS = 1, bool EARLY = false>
struct SegmentShape {
    static constexpr bool early = EARLY;
    static constexpr int threads = THREADS, chunks = CHUNKS, lane = CHUNKS * 4, min_blocks = MIN_BLOCKS;
    static constexpr int window = THREADS * lane, tile = window * WINDOWS;
    static_assert((CHUNKS & (CHUNKS - 1)) == 0 && lane <= 32, "slots are moved by exclusive or, and ends are bits of a word");
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

/// Where the sum of a row that ends at element e of a window lies.
template <class Shape>
__device__ inline int slot_of(int e) {
    constexpr int N = Shape::lane;
    return (e & ~(N - 1)) | ((e ^ (e / N)) & (N - 1));
}
/// Where sixteen bytes of a window lie on their way from memory's order to lanes.
template <class T, class Shape>
__device__ inline int unit_of(int u) {
    constexpr int U = Shape::lane / Wide<T>::COUNT < 8 ? Shape::lane / Wide<T>::COUNT : 8;
    return (u & ~(U - 1)) | ((u ^ (u >> 3)) & (U - 1));
}

/// The ends of one lane, a byte each.
template <class Shape>
struct alignas(Shape::lane < 16 ? Shape::lane : 16) Ends {
    unsigned of[Shape::chunks];
};

template <class T, class Shape>
struct SegmentShared {
    static constexpr int WARPS = Shape::threads / 32;
    Wide<T> units[Shape::window / Wide<T>::COUNT]; // elements, then sums at the slots of ends
    Ends<Shape> ends[Shape::threads];
    T warp_tail[WARPS], warp_old[WARPS];
    int warp_first[WARPS];
    T first_row;
    Corner<int> corners[2];
    unsigned ticket;
    __device__ T* sums() { return units[0].at; }
};

/// Left to right over the warps' values, in every thread.
template <int WARPS, class T, class Op>
__device__ inline T fold_warps(T before, const T* values) {
#pragma unroll
    for (int w = 0; w < WARPS; w++) before = Op::apply(before, values[w]);
    return before;
}

/// From memory's order, four elements per lane and chunk, to the warp's part of the window.
template <class T, class Shape>
__device__ inline void hand_over(SegmentShared<T, Shape>& shared, const T (&x)[Shape::chunks][4]) {
    constexpr int V = Wide<T>::COUNT, PARTS = 4 / V;
#pragma unroll
    for (int c = 0; c < Shape::chunks; c++)
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
            Wide<T> wide;
#pragma unroll
            for (int v = 0; v < V; v++) wide.at[v] = x[c][p * V + v];
            shared.units[unit_of<T, Shape>(((warp_index() * Shape::chunks + c) * 32 + lane_index()) * PARTS + p)] = wide;
        }
    __syncwarp();
}

/// The elements of one window. Writes sums at ends; the sum at the first end of a warp still lacks what earlier warps hold.
template <class T, class Op, class Shape>
__device__ inline void sum_window(SegmentShared<T, Shape>& shared) {
    constexpr int N = Shape::lane, V = Wide<T>::COUNT;
    const int lane = lane_index(), warp = warp_index(), tid = threadIdx.x;
    const Ends<Shape> marks = shared.ends[tid];
    unsigned ends = 0;
#pragma unroll
    for (int c = 0; c < Shape::chunks; c++) ends |= ((marks.of[c] * 0x01020408u) >> 24) << (4 * c); // four bytes to four bits
    T x[N];
#pragma unroll
    for (int u = 0; u < N / V; u++) {
        const Wide<T> wide = shared.units[unit_of<T, Shape>(tid * (N / V) + u)];
#pragma unroll
        for (int v = 0; v < V; v++) x[u * V + v] = wide.at[v];
    }
    const unsigned lanes = __ballot_sync(WHOLE_WARP, ends != 0);
    if (lanes == 0) {
        T sum = x[0];
#pragma unroll
        for (int k = 1; k < N; k++) sum = Op::apply(sum, x[k]);
        sum = fold_warp<T, Op>(sum);
        if (lane == 0) {
            shared.warp_tail[warp] = sum;
            shared.warp_first[warp] = -1;
        }
        return;
    }
    if (ends != 0) shared.ends[tid] = Ends<Shape>{};

    T tail = Op::template neutral<T>();
    const int mine = slot_of<Shape>(tid * N);
#pragma unroll
    for (int k = 0; k < N; k++) {
        tail = Op::apply(tail, x[k]);
        if ((ends >> k) & 1) {
            shared.sums()[mine ^ k] = tail;
            tail = Op::template neutral<T>();
        }
    }
    const unsigned upto = lanes & (lanes_below(lane) | (1u << lane));
    const int reach = upto != 0 ? lane - (31 - __clz(int(upto))) : lane;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T left = __shfl_up_sync(WHOLE_WARP, tail, d);
        if (d <= reach) tail = Op::apply(left, tail);
    }
    const T open = __shfl_up_sync(WHOLE_WARP, tail, 1);
    if (ends != 0) {
        const int first = mine ^ (__ffs(int(ends)) - 1);
        if (lane > 0) shared.sums()[first] = Op::apply(open, shared.sums()[first]);
        if ((lanes & lanes_below(lane)) == 0) shared.warp_first[warp] = first;
    }
    if (lane == 31) shared.warp_tail[warp] = tail;
}

/// Asks for the elements of the window at `from` that lie in whole fours between j0 and j1.
template <class Source, class Shape>
__device__ inline void load_window(const Source& source, int from, int j0, int j1, typename Source::Raw (&raw)[Shape::chunks]) {
    const int first = from + (warp_index() * Shape::chunks * 32 + lane_index()) * 4;
    if (from >= j0 && from + Shape::window <= j1) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; c++) source.load(first + c * 128, raw[c]);
    } else {
#pragma unroll
        for (int c = 0; c < Shape::chunks; c++) {
            const int j = first + c * 128;
            if (j >= j0 && j + 4 <= j1) source.load(j, raw[c]);
        }
    }
}

/// Their values; the neutral element for what is not between j0 and j1.
template <class Source, class Op, class Shape>
__device__ inline void window_values(const Source& source, int from, int j0, int j1, const typename Source::Raw (&raw)[Shape::chunks],
                                     typename Source::Value (&x)[Shape::chunks][4]) {
    const int first = from + (warp_index() * Shape::chunks * 32 + lane_index()) * 4;
    if (from >= j0 && from + Shape::window <= j1) {
#pragma unroll
        for (int c = 0; c < Shape::chunks; c++) source.values(raw[c], x[c]);
    } else {
#pragma unroll
        for (int c = 0; c < Shape::chunks; c++) {
            const int j = first + c * 128;
            if (j >= j0 && j + 4 <= j1) {
                source.values(raw[c], x[c]);
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++)
                    x[c][k] = j + k >= j0 && j + k < j1 ? source.at(j + k) : Op::template neutral<typename Source::Value>();
            }
        }
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
    shared.ends[tid] = Ends<Shape>{};
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
        window_values<Source, Op, Shape>(source, from, j0, j1, raw, x);
        if (row >= last_row || next_end > to) {
#pragma unroll
            for (int c = 0; c < CHUNKS; c++)
                mine = Op::apply(mine, Op::apply(Op::apply(x[c][0], x[c][1]), Op::apply(x[c][2], x[c][3])));
            pending = true;
            if (Shape::early && to < j1) load_window<Source, Shape>(source, from + WINDOW, j0, j1, raw);
            from += WINDOW;
            continue;
        }

        // A row that is empty ends where the row before it does, so its mark is right too, if that element is in this window.
        const int begin = row, least = max(from, j0);
        for (bool more = true; more;) {
            int end[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                const int q = row + k * THREADS + tid;
                const bool there = k < rounds && q < last_row;
                end[k] = there ? offsets[q + 1] : 0x7fffffff;
            }
#pragma unroll
            for (int k = 0; k < AHEAD; k++) {
                if (k < rounds && more) {
                    const bool ends_here = end[k] <= to;
                    if (ends_here && end[k] > least)
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
        hand_over<T, Shape>(shared, x);
        if (Shape::early && to < j1) load_window<Source, Shape>(source, from + WINDOW, j0, j1, raw);
        sum_window<T, Op, Shape>(shared);
        __syncthreads();
        if (pending) carry = fold_warps<WARPS, T, Op>(carry, shared.warp_old);
        T into = carry;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            if (w == tid) into = carry;
            carry = shared.warp_first[w] >= 0 ? shared.warp_tail[w] : Op::apply(carry, shared.warp_tail[w]);
        }
        if (tid < WARPS && shared.warp_first[tid] >= 0) {
            T& sum = shared.sums()[shared.warp_first[tid]];
            sum = Op::apply(into, sum);
        }
        pending = false;
        mine = Op::template neutral<T>();
        __syncthreads();

        for (int q = begin + tid; q < row; q += THREADS) {
            const int start = offsets[q], end = offsets[q + 1];
            const T sum = end > start ? shared.sums()[slot_of<Shape>(end - 1 - from)] : Op::template neutral<T>();
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
