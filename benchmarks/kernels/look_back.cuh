// Look-back in fixed order: what a tile needs to know about all tiles before it, in one association whatever the timing.
//
// Idea. The usual single-pass scan lets a tile walk back over its predecessors and stop at the first one that has already
// published its prefix. That is fast and right for integers, but which tile that is depends on timing, so a float sum
// changes from run to run. Here nobody adds what happens to be there. Tiles are counted in base 32: tile = (a, b, c).
//
//     tiles[t]     sum of tile t                         published by tile t as soon as it has it
//     groups[g]    sum of the 32 tiles of group g        published by the last tile of the group
//     tops[a]      sum of all tiles before 1024 a        published by the last tile of the 1024 before
//
//     before(a, b, c) = tops[a] + ( (groups[32a] + .. + groups[32a+b-1]) + (tiles[t-c] + .. + tiles[t-1]) )
//
// Both inner sums are trees over the lanes of one warp, fixed by b and c. Every word is a sum over a fixed range in a fixed
// shape, so the result has the same bits on every run. The price is the same as before: a tile needs all earlier tiles to
// have read their data (any scan does), reads at most 31 + 31 + 1 words in three independent loads per lane, and the longest
// chain of messages is tile, group, top, one hop per 1024 tiles.
//
// Sums of rows use the same words with the operator "a row end forgets what was before it" (`join`). A tile whose own group
// already contains a row end never looks further; which tiles those are is a fact of the data and not of the timing.
//
// Traffic: 8 bytes written and about 260 read per tile and 4-byte value, all in the second-level cache. The words must be
// zero when the kernel starts.
#pragma once
#include "device_words.cuh"

/// The words of one launch over `tiles` tiles of partial sums of type T.
template <class T>
struct LookBack {
    Word* words;
    unsigned tiles;

    static constexpr int W = Mail<T>::WORDS;
    __host__ __device__ static size_t word_count(size_t tiles) {
        return W * (tiles + (tiles + 31) / 32 + (tiles + 1023) / 1024 + 1);
    }
    __device__ Word* tile(unsigned t) const { return words + size_t(W) * t; }
    __device__ Word* group(unsigned g) const { return words + size_t(W) * (size_t(tiles) + g); }
    __device__ Word* top(unsigned a) const { return words + size_t(W) * (size_t(tiles) + (tiles + 31) / 32 + a); }

    __device__ void publish(unsigned t, const Partial<T>& own) const { Mail<T>::publish(tile(t), own); }
};

template <class T>
__device__ inline Partial<T> wait_for(const Word* slot, bool here, Partial<T> seen) {
    while (!here) here = Mail<T>::peek(slot, seen);
    return seen;
}

/// The sum of everything before tile t, in every lane; called by one whole warp after `publish`. Tile 0 gets the neutral
/// element. A tile that closes a group calls this even if it does not need the answer (`needed` false).
template <class T, class Op>
__device__ inline Partial<T> look_back(const LookBack<T>& space, unsigned t, const Partial<T>& own, bool needed) {
    const unsigned lane = lane_index();
    const unsigned c = t & 31, b = (t >> 5) & 31, a = t >> 10;
    const bool ends_group = c == 31, ends_top = c == 31 && b == 31;
    Partial<T> before;
    before.value = Op::template neutral<T>();
    before.closed = false;

    if (!needed && own.closed) {
        if (ends_group && lane == 0) Mail<T>::publish(space.group(t >> 5), own);
        if (ends_top && lane == 0) Mail<T>::publish(space.top(a + 1), own);
        return before;
    }

    Partial<T> near = before, far = before, top = before;
    bool near_here = lane >= c, far_here = lane >= b, top_here = a == 0;
    if (!near_here) near_here = Mail<T>::peek(space.tile(t - c + lane), near);
    if (!far_here) far_here = Mail<T>::peek(space.group((a << 5) + lane), far);
    if (!top_here) top_here = Mail<T>::peek(space.top(a), top);

    if (c > 0) {
        near = wait_for<T>(space.tile(t - c + lane), near_here, near);
        __syncwarp();
        near = fold_lanes<T, Op>(near, c);
        before.value = __shfl_sync(WHOLE_WARP, near.value, 0);
        before.closed = __shfl_sync(WHOLE_WARP, int(near.closed), 0) != 0;
    }
    if (ends_group && lane == 0) Mail<T>::publish(space.group(t >> 5), join<T, Op>(before, own));

    const bool outer = !before.closed && (needed || ends_top);
    if (outer && b > 0) {
        far = wait_for<T>(space.group((a << 5) + lane), far_here, far);
        __syncwarp();
        far = fold_lanes<T, Op>(far, b);
        far.value = __shfl_sync(WHOLE_WARP, far.value, 0);
        far.closed = __shfl_sync(WHOLE_WARP, int(far.closed), 0) != 0;
        before = c > 0 ? join<T, Op>(far, before) : far;
    }
    if (outer && a > 0 && !before.closed) {
        top = wait_for<T>(space.top(a), top_here, top);
        __syncwarp();
        before = (b > 0 || c > 0) ? join<T, Op>(top, before) : top;
    }
    if (ends_top && lane == 0) Mail<T>::publish(space.top(a + 1), join<T, Op>(before, own));
    return before;
}
