// Pack (filter): keep the elements that satisfy a predicate, in order, in one pass.
//
// Idea. Where an element goes is the number of kept elements before it: a scan of ones and zeros that never reaches memory.
//
//     tile      5 -1  3 -7 | -2  8  9  4        keep positive
//     counts    lanes: 2, 3   tile: 5           scanned in registers; four rows share one word, a byte each (a row keeps <= 128)
//     gathered  5 3 8 9 4                       in shared memory, then stored to out[before ..] without gaps
//
// The tile's count is published before the elements are gathered, so that later tiles wait as little as possible. Counts
// are exact, so any order of look-back would do; the one of look_back.cuh is used because its chain is short.
//
// Traffic: each element read once, each kept element written once: 2^28 elements of 4 bytes, half kept, are 1.61 GB. What
// bounds it: as for the scan, the life of a tile, so the bytes a multiprocessor holds: here in shared memory, up to 160 KB.
//
// Declines: n is below 2^31 here (counts are 32 bits); `in` starts at a multiple of 16 bytes; the producer of the elements
// and the predicate are one functor (`Keep`), which is where fusion puts them.
#pragma once
#include "look_back.cuh"

template <int THREADS, int ROWS, int MIN_BLOCKS = 1>
struct PackShape {
    static constexpr int threads = THREADS, rows = ROWS, min_blocks = MIN_BLOCKS;
    template <class T>
    __host__ __device__ static constexpr int tile() { return THREADS * ROWS * (16 / int(sizeof(T))); }
};

template <class T, class Shape>
struct PackShared {
    unsigned ticket, tile_before;
    unsigned warp_total[Shape::threads / 32];
    T gathered[Shape::template tile<T>()];
};

template <class T, class Keep, class Shape>
__device__ inline void pack_tile(PackShared<T, Shape>& shared, const T* in, T* out, unsigned* kept_count, size_t n, Keep keep,
                                 unsigned* counter, const LookBack<unsigned>& space) {
    constexpr int V = Wide<T>::COUNT, ROWS = Shape::rows, WARPS = Shape::threads / 32;
    constexpr int TILE = Shape::template tile<T>(), PACKED = (ROWS + 3) / 4;
    static_assert(32 * V <= 255, "a row's count fits a byte");

    const unsigned tile = take_ticket(counter, &shared.ticket);
    const int lane = lane_index(), warp = warp_index();
    const size_t base = size_t(tile) * TILE;
    const int mine = warp * (ROWS * 32 * V) + lane * V;
    const bool full = base + TILE <= n;
    const int left = full ? TILE : int(n - base);

    Wide<T> x[ROWS];
    unsigned kept = 0, lanes[PACKED];
    static_assert(ROWS * V <= 32, "one bit per element of a thread");
    if (full) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) x[r] = load_wide(in + base + mine + r * 32 * V);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < V; k++) kept |= unsigned(keep(x[r].at[k]) ? 1 : 0) << (r * V + k);
    } else {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int k = 0; k < V; k++) {
                const int p = mine + r * 32 * V + k;
                x[r].at[k] = p < left ? in[base + p] : T();
                if (p < left && keep(x[r].at[k])) kept |= 1u << (r * V + k);
            }
    }

#pragma unroll
    for (int g = 0; g < PACKED; g++) lanes[g] = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const unsigned own = __popc((kept >> (r * V)) & ((1u << V) - 1));
        lanes[r / 4] |= own << (8 * (r % 4));
    }
    unsigned rows_total[PACKED];
#pragma unroll
    for (int g = 0; g < PACKED; g++) {
        const unsigned own = lanes[g];
        unsigned s = own;
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const unsigned y = __shfl_up_sync(WHOLE_WARP, s, d);
            if (lane >= d) s += y;
        }
        rows_total[g] = __shfl_sync(WHOLE_WARP, s, 31);
        lanes[g] = s - own;
    }
    unsigned warp_sum = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) warp_sum += (rows_total[r / 4] >> (8 * (r % 4))) & 255;
    if (lane == 0) shared.warp_total[warp] = warp_sum;
    __syncthreads();

    unsigned at = 0, total = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp) at = total;
        total += shared.warp_total[w];
    }
    const Partial<unsigned> own = {total, false};
    if (threadIdx.x == 0) space.publish(tile, own);

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        unsigned to = at + ((lanes[r / 4] >> (8 * (r % 4))) & 255);
#pragma unroll
        for (int k = 0; k < V; k++)
            if ((kept >> (r * V + k)) & 1) shared.gathered[to++] = x[r].at[k];
        at += (rows_total[r / 4] >> (8 * (r % 4))) & 255;
    }
    if (warp == 0) {
        const Partial<unsigned> earlier = look_back<unsigned, Plus>(space, tile, own, true);
        if (lane == 0) {
            shared.tile_before = earlier.value;
            if (base + left == n) *kept_count = earlier.value + total;
        }
    }
    __syncthreads();

    T* to = out + shared.tile_before;
    for (unsigned p = threadIdx.x; p < total; p += Shape::threads) to[p] = shared.gathered[p];
}

template <class T, class Keep, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::min_blocks)
pack_kernel(const T* in, T* out, unsigned* kept_count, size_t n, Keep keep, unsigned* counter, LookBack<unsigned> space) {
    __shared__ PackShared<T, Shape> shared;
    pack_tile<T, Keep, Shape>(shared, in, out, kept_count, n, keep, counter, space);
}
