// Words that blocks send to each other, and the few machine idioms the kernels share.
//
// Idea. A block that finishes a tile tells later blocks one number. If the number and the bit that says "it is here" travel in
// one aligned 64-bit word, then one plain store publishes both and one plain load sees both or neither: no fence, no second
// flag, no order between two addresses to argue about. A 64-bit number is sent as two such words, each with its own half and
// its own "here" bit; the reader waits for both. A word goes from absent (zero) to present exactly once per launch, so two
// halves can never belong to different values.
//
//     word:   bits 0..31  half of the value      bit 32  here      bit 33  closed (used by segmented sums only)
//
// The loads that wait are volatile: relaxed, never kept in a register or in the first-level cache, and single-copy atomic for
// aligned scalars of up to 64 bits. Nothing else is handed over between blocks, so relaxed is enough.
//
// Tickets. A block takes its tile number from an atomic counter instead of blockIdx. Then a tile that somebody waits for has
// a number below that of the waiting tile, so its block is already running, whatever order the machine starts blocks in.
//
// Kernels. Each template is a device function that is given its shared memory as a struct, and a `__global__` function of two
// lines around it; a host emulation writes its own two lines.
//
// Declines: nothing here is inline assembly, and this is the only file that would need to know if it became so.
#pragma once

constexpr unsigned WHOLE_WARP = 0xffffffffu;

using Word = unsigned long long;

__device__ inline int lane_index() { return threadIdx.x & 31; }
__device__ inline int warp_index() { return threadIdx.x >> 5; }
__device__ inline unsigned lanes_below(int lane) { return (1u << lane) - 1u; }

#if defined(TERRACE_CUDA_SIM)
template <class W>
__device__ inline W load_word(const W* at) { return terrace_load_volatile(at); }
template <class W>
__device__ inline void store_word(W* at, W w) { terrace_store_release(at, w); }
#else
template <class W>
__device__ inline W load_word(const W* at) { return *static_cast<const volatile W*>(at); }
template <class W>
__device__ inline void store_word(W* at, W w) { *static_cast<volatile W*>(at) = w; }
#endif

/// Sixteen bytes of consecutive elements: one wide load or store per thread.
template <class T>
struct alignas(16) Wide {
    static constexpr int COUNT = 16 / sizeof(T);
    T at[COUNT];
};

/// Loads or stores 16 bytes that will not be used again soon. The address is a multiple of 16.
template <class T>
__device__ inline Wide<T> load_wide(const T* at) {
    uint4 raw = __ldcs(reinterpret_cast<const uint4*>(at));
    Wide<T> wide;
    memcpy(&wide, &raw, 16);
    return wide;
}
template <class T>
__device__ inline void store_wide(T* at, const Wide<T>& wide) {
    uint4 raw;
    memcpy(&raw, &wide, 16);
    __stcs(reinterpret_cast<uint4*>(at), raw);
}

/// The tile of this block, the same in all threads. `slot` is in shared memory.
__device__ inline unsigned take_ticket(unsigned* counter, unsigned* slot) {
    if (threadIdx.x == 0) *slot = atomicAdd(counter, 1u);
    __syncthreads();
    return *slot;
}

/// A sum of some consecutive elements; `closed` says that a row ended among them and the value is what came after that end.
template <class T>
struct Partial {
    T value;
    bool closed;
};

template <class T, class Op>
__device__ inline Partial<T> join(const Partial<T>& left, const Partial<T>& right) {
    Partial<T> both;
    both.value = right.closed ? right.value : Op::apply(left.value, right.value);
    both.closed = left.closed || right.closed;
    return both;
}

/// How a `Partial<T>` is laid out in words.
template <class T>
struct Mail {
    static constexpr int WORDS = (sizeof(T) + 3) / 4;
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a value is sent as one or two halves");

    __device__ static void publish(Word* slot, const Partial<T>& p) {
        unsigned half[WORDS];
        memcpy(half, &p.value, sizeof(T));
        const Word tag = (Word(1) << 32) | (Word(p.closed ? 1 : 0) << 33);
        for (int k = 0; k < WORDS; k++) store_word(slot + k, tag | half[k]);
    }
    /// True, and `p` is set, if the value is there.
    __device__ static bool peek(const Word* slot, Partial<T>& p) {
        unsigned half[WORDS];
        bool here = true, closed = false;
        for (int k = 0; k < WORDS; k++) {
            const Word w = load_word(slot + k);
            here = here && ((w >> 32) & 1);
            closed = (w >> 33) & 1;
            half[k] = unsigned(w);
        }
        memcpy(&p.value, half, sizeof(T));
        p.closed = closed;
        return here;
    }
};

/// Sum over lanes 0..count of a warp in a tree fixed by `count`; the result is right in lane 0. All lanes take part.
template <class T, class Op>
__device__ inline Partial<T> fold_lanes(Partial<T> p, int count) {
    const int lane = lane_index();
    for (int d = 1; d < 32; d *= 2) {
        Partial<T> q;
        q.value = __shfl_down_sync(WHOLE_WARP, p.value, d);
        q.closed = __shfl_down_sync(WHOLE_WARP, int(p.closed), d) != 0;
        if (lane + d < count) p = join<T, Op>(p, q);
    }
    return p;
}

/// The same for plain values over all 32 lanes; right in every lane where the operator commutes, in lane 0 always.
template <class T, class Op>
__device__ inline T fold_warp(T v) {
#pragma unroll
    for (int d = 1; d < 32; d *= 2) v = Op::apply(v, __shfl_down_sync(WHOLE_WARP, v, d));
    return __shfl_sync(WHOLE_WARP, v, 0);
}

struct Plus {
    template <class T>
    __device__ static T apply(T a, T b) { return a + b; }
    template <class T>
    __device__ static T neutral() { return T(0); }
};
