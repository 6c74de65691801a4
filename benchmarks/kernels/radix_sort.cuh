// Radix sort of 32-bit unsigned keys, eight bits per pass, each pass reading and writing the keys once.
//
// Idea. One kernel counts the digits of all four passes in one reading; then each pass moves every key to its place: the digit's
// start, plus how many keys of that digit lie in earlier tiles, plus the rank inside the tile. Only the middle term needs other tiles.
//
//     tile         31 12 33 11 32        digit = last
//     rank          0  0  0  1  1        among equal digits, in order: lanes by matching, warps by counters in shared memory
//     sorted tile  31 11 12 32 33        in shared memory, so that equal digits are stored as runs
//     out[start[digit] + earlier tiles[digit] + ..]
//
// Matching: the lanes of a warp that hold the same digit are found by eight ballots, by `__match_any_sync`, or by or-ing one's own
// bit into a word per digit (`Rank`); measured, the last is fastest. Of the lanes found, the highest adds their number to the counter.
//
// Look-back: one thread per digit, tiles counted in base 8: t = (a, b, c, d).
//
//     earlier = tops[a] + sum of supers before b + sum of groups before c + sum of tiles before d       (at most 7 + 7 + 7 + 1 loads)
//
// All these loads are independent, where a walk back over tiles is a chain of as many round trips as it has steps. A word is a
// count and a bit "here"; a top, which other tiles wait for in turn, comes once per 512 tiles. Counts are exact, so the result is too.
//
// Traffic: 4 + 4 * 8 bytes per key: 2^27 keys are 4.8 GB. What bounds it: shared memory, whose pipe a profiler showed
// 82 per cent busy before one of the eight random words per key and pass was saved; with ballots, which need fewer, the ranking's
// instructions. `__match_any_sync` is the slowest by far: its unit was 86 per cent busy. Larger tiles mean longer runs to store.
//
// Declines: n is below 2^31; no values beside the keys; signed and float keys are a change of bits at the first load and last store.
// After Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs"; the look-back is ours.
#pragma once
#include "device_words.cuh"

constexpr int DIGITS = 256, DIGIT_BITS = 8, SORT_PASSES = 4;

enum class Rank { ballots, match, marks };

template <int THREADS, int KEYS, Rank RANK = Rank::ballots, int MIN_BLOCKS = 1>
struct SortShape {
    static constexpr int threads = THREADS, keys = KEYS, tile = THREADS * KEYS, min_blocks = MIN_BLOCKS;
    static constexpr Rank rank = RANK;
};

/// The words of one pass: a count per tile (group, super, top) and digit, zero when the pass begins.
struct SortSpace {
    unsigned* words;
    unsigned tiles;

    __host__ __device__ static size_t levels(size_t tiles, int level) {
        return level == 0 ? tiles : (tiles >> (3 * level)) + 1;
    }
    __host__ __device__ static size_t word_count(size_t tiles) {
        return DIGITS * (levels(tiles, 0) + levels(tiles, 1) + levels(tiles, 2) + levels(tiles, 3));
    }
    __device__ unsigned* at(int level, unsigned index, int digit) const {
        size_t skip = 0;
        for (int k = 0; k < level; k++) skip += levels(tiles, k);
        return words + DIGITS * (skip + index) + digit;
    }
};

constexpr unsigned HERE = 1u << 31;

/// Up to seven consecutive entries of one level, for one digit; those beyond `count` read as zero.
struct Counts {
    unsigned word[7];

    __device__ void read(const SortSpace& space, int level, unsigned first, unsigned count, int digit) {
        const unsigned* at = space.at(level, first, digit);
#pragma unroll
        for (unsigned k = 0; k < 7; k++) word[k] = k < count ? load_word(at + k * DIGITS) : HERE;
    }
    __device__ bool here() const {
        unsigned all = HERE;
#pragma unroll
        for (int k = 0; k < 7; k++) all &= word[k];
        return all != 0;
    }
    __device__ unsigned sum() const {
        unsigned sum = 0;
#pragma unroll
        for (int k = 0; k < 7; k++) sum += word[k] & ~HERE;
        return sum;
    }
    /// The sum, once all entries are there. They have been read once before.
    __device__ unsigned wait(const SortSpace& space, int level, unsigned first, unsigned count, int digit) {
        while (!here()) read(space, level, first, count, digit);
        return sum();
    }
};

/// Keys with this digit in tiles before t. Publishes the sums that this tile closes.
__device__ inline unsigned earlier_keys(const SortSpace& space, unsigned t, int digit, unsigned own) {
    const unsigned d = t & 7, c = (t >> 3) & 7, b = (t >> 6) & 7, a = t >> 9;
    Counts tiles, groups, supers;
    tiles.read(space, 0, t - d, d, digit);
    groups.read(space, 1, (t >> 3) - c, c, digit);
    supers.read(space, 2, (t >> 6) - b, b, digit);
    unsigned top = a > 0 ? load_word(space.at(3, a, digit)) : HERE;

    unsigned sum = tiles.wait(space, 0, t - d, d, digit);
    if (d == 7) store_word(space.at(1, t >> 3, digit), (sum + own) | HERE);
    sum += groups.wait(space, 1, (t >> 3) - c, c, digit);
    if (d == 7 && c == 7) store_word(space.at(2, t >> 6, digit), (sum + own) | HERE);
    sum += supers.wait(space, 2, (t >> 6) - b, b, digit);
    while ((top & HERE) == 0) top = load_word(space.at(3, a, digit));
    sum += top & ~HERE;
    if (d == 7 && c == 7 && b == 7) store_word(space.at(3, a + 1, digit), (sum + own) | HERE);
    return sum;
}

struct CountShared {
    unsigned counts[SORT_PASSES * DIGITS];
};

/// Digits of all passes; `counts` (four times 256) is zero before.
__device__ inline void count_digits_block(CountShared& shared, const unsigned* in, size_t n, unsigned* counts) {
    for (int d = threadIdx.x; d < SORT_PASSES * DIGITS; d += blockDim.x) shared.counts[d] = 0;
    __syncthreads();
    const size_t step = size_t(gridDim.x) * blockDim.x, me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t quads = n / 4;
    for (size_t q = me; q < quads + (n & 3); q += step) {
        Wide<unsigned> keys;
        const int found = q < quads ? 4 : 1;
        if (q < quads) keys = load_wide(in + 4 * q);
        else keys.at[0] = in[4 * quads + (q - quads)];
#pragma unroll
        for (int k = 0; k < 4; k++)
            if (k < found)
#pragma unroll
                for (int pass = 0; pass < SORT_PASSES; pass++)
                    atomicAdd(&shared.counts[pass * DIGITS + ((keys.at[k] >> (DIGIT_BITS * pass)) & (DIGITS - 1))], 1u);
    }
    __syncthreads();
    for (int d = threadIdx.x; d < SORT_PASSES * DIGITS; d += blockDim.x)
        if (shared.counts[d] != 0) atomicAdd(&counts[d], shared.counts[d]);
}

/// Counts to starts, in place; one block of 128 threads, a warp per pass.
__device__ inline void start_digits_block(unsigned* counts) {
    const int lane = lane_index();
    unsigned* mine = counts + warp_index() * DIGITS;
    unsigned before = 0;
    for (int d = lane; d < DIGITS; d += 32) {
        const unsigned own = mine[d];
        unsigned s = own;
        for (int k = 1; k < 32; k *= 2) {
            const unsigned y = __shfl_up_sync(WHOLE_WARP, s, k);
            if (lane >= k) s += y;
        }
        mine[d] = before + s - own;
        before += __shfl_sync(WHOLE_WARP, s, 31);
    }
}

template <class Shape>
struct alignas(16) SortShared {
    static constexpr int WARPS = Shape::threads / 32;
    static constexpr int COUNTERS = WARPS * DIGITS * (Shape::rank == Rank::marks ? 2 : 1);
    unsigned words[Shape::tile > COUNTERS ? Shape::tile : COUNTERS]; // counters (and marks) first, the sorted tile afterwards
    unsigned base[DIGITS];                                           // of a digit in the output, less its start in the tile
    unsigned row_total[DIGITS / 32];
    unsigned ticket;
};

/// Lanes with the same digit. `mark` is a word of this warp and digit, zero when all lanes arrive; it is left set.
template <Rank RANK>
__device__ inline unsigned same_digit(unsigned digit, unsigned* mark, int lane) {
    if (RANK == Rank::match) return __match_any_sync(WHOLE_WARP, digit);
    if (RANK == Rank::marks) {
        atomicOr(mark, 1u << lane);
        __syncwarp();
        return *static_cast<volatile unsigned*>(mark);
    }
    unsigned same = WHOLE_WARP;
#pragma unroll
    for (int bit = 0; bit < DIGIT_BITS; bit++) {
        const bool set = (digit >> bit) & 1;
        const unsigned votes = __ballot_sync(WHOLE_WARP, set);
        same &= votes ^ (set ? 0u : ~0u);
    }
    return same;
}

template <class Shape>
__device__ inline void sort_tile(SortShared<Shape>& shared, const unsigned* in, unsigned* out, unsigned n, int shift,
                                 const unsigned* digit_starts, unsigned* counter, const SortSpace& space) {
    constexpr int THREADS = Shape::threads, WARPS = THREADS / 32, KEYS = Shape::keys, TILE = Shape::tile;
    constexpr int MINE = (DIGITS + THREADS - 1) / THREADS; // digits per thread
    const int tid = threadIdx.x, lane = lane_index(), warp = warp_index();
    const unsigned tile = take_ticket(counter, &shared.ticket);
    const unsigned base = tile * unsigned(TILE);
    const bool full = base + TILE <= n;
    const int left = full ? TILE : int(n - base);

    // Places are below 2^16, two in a register: registers decide how many blocks a multiprocessor holds.
    unsigned key[KEYS], place[(KEYS + 1) / 2];
    static_assert(TILE <= 65536, "a place is 16 bits");
    const int mine = warp * (KEYS * 32) + lane;
    // Keys beyond the end get the last digit and the last places of the tile, which are not stored.
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        const int p = mine + k * 32;
        key[k] = full || p < left ? __ldcs(in + base + p) : 0xffffffffu;
    }
    uint4* wide = reinterpret_cast<uint4*>(shared.words);
    for (int q = tid; q < SortShared<Shape>::COUNTERS / 4; q += THREADS) wide[q] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    unsigned* counters = shared.words + warp * DIGITS;
    unsigned* marks = shared.words + (Shape::rank == Rank::marks ? (WARPS + warp) * DIGITS : 0);
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        const unsigned digit = (key[k] >> shift) & (DIGITS - 1);
        const unsigned same = same_digit<Shape::rank>(digit, marks + digit, lane);
        const unsigned old = counters[digit];
        __syncwarp();
        if (lane == 31 - __clz(int(same))) {
            counters[digit] = old + __popc(same);
            if (Shape::rank == Rank::marks) marks[digit] = 0;
        }
        __syncwarp();
        const unsigned rank = old + __popc(same & lanes_below(lane));
        place[k / 2] = k % 2 == 0 ? rank : place[k / 2] | rank << 16;
    }
    __syncthreads();

    unsigned total[MINE], start[MINE]; // of a digit in the tile
#pragma unroll
    for (int m = 0; m < MINE; m++) {
        const int digit = tid + m * THREADS;
        total[m] = start[m] = 0;
        if (digit < DIGITS) {
#pragma unroll
            for (int w = 0; w < WARPS; w++) total[m] += shared.words[w * DIGITS + digit];
            store_word(space.at(0, tile, digit), total[m] | HERE);
            unsigned s = total[m];
#pragma unroll
            for (int d = 1; d < 32; d *= 2) {
                const unsigned y = __shfl_up_sync(WHOLE_WARP, s, d);
                if (lane >= d) s += y;
            }
            start[m] = s - total[m];
            if (lane == 31) shared.row_total[digit / 32] = s;
        }
    }
    __syncthreads();
    // A counter becomes the place of its warp's first key with its digit, so that a key looks up one word and not two.
#pragma unroll
    for (int m = 0; m < MINE; m++) {
        const int digit = tid + m * THREADS;
        if (digit < DIGITS) {
#pragma unroll
            for (int r = 0; r < DIGITS / 32; r++) start[m] += r < digit / 32 ? shared.row_total[r] : 0;
            unsigned next = start[m];
#pragma unroll
            for (int w = 0; w < WARPS; w++) {
                const unsigned own = shared.words[w * DIGITS + digit];
                shared.words[w * DIGITS + digit] = next;
                next += own;
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < KEYS; k++) place[k / 2] += counters[(key[k] >> shift) & (DIGITS - 1)] << (k % 2 * 16);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < KEYS; k++) shared.words[(place[k / 2] >> (k % 2 * 16)) & 65535] = key[k];

#pragma unroll
    for (int m = 0; m < MINE; m++) {
        const int digit = tid + m * THREADS;
        if (digit < DIGITS)
            shared.base[digit] = digit_starts[digit] + earlier_keys(space, tile, digit, total[m]) - start[m];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < KEYS; k++) {
        const int p = tid + k * THREADS;
        const unsigned sorted = shared.words[p];
        if (full || p < left) out[shared.base[(sorted >> shift) & (DIGITS - 1)] + p] = sorted;
    }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::min_blocks)
sort_kernel(const unsigned* __restrict__ in, unsigned* __restrict__ out, unsigned n, int shift,
            const unsigned* __restrict__ digit_starts, unsigned* counter, SortSpace space) {
    __shared__ SortShared<Shape> shared;
    sort_tile<Shape>(shared, in, out, n, shift, digit_starts, counter, space);
}

// Templates so that several files can include this one.
template <int THREADS>
__global__ void __launch_bounds__(THREADS) count_digits_kernel(const unsigned* in, size_t n, unsigned* counts) {
    __shared__ CountShared shared;
    count_digits_block(shared, in, n, counts);
}
template <int THREADS>
__global__ void __launch_bounds__(THREADS) start_digits_kernel(unsigned* counts) { start_digits_block(counts); }
