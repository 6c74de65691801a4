// The vocabulary: what the words of CUDA C mean to a host compiler.
//
// Most words mean nothing here (`__device__`) or what a C function means (`__popc`). Those that let threads notice each
// other go to the scheduler. They take the line of their caller as a hidden last argument, to tell barriers apart:
//
//     __syncthreads();                    becomes    __syncthreads(17), a meeting of the whole block
//     __shfl_down_sync(m, x, 1);          becomes    a meeting of the lanes in m that carries the bits of x
//     atomicAdd(&a, 1);                   becomes    perhaps somebody else, a += 1, perhaps somebody else
//     __shared__ float s[32];             becomes    a static array in the section that is copied from block to block
//
// Overloads are those of CUDA and no more, so that text which compiles here compiles there: `atomicAdd` knows no
// `long long`, `min` does not mix widths. `__activemask` is the calling lane alone, which independent scheduling allows.
//
// Declined: `extern __shared__` (say TERRACE_DYNAMIC_SHARED(type, name)), PTX, half precision, and rounding modes other
// than to nearest (and towards zero for conversions to integers).
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("terrace_shared"), used, aligned(16)))
#define TERRACE_DYNAMIC_SHARED(type, name) \
    type* name = reinterpret_cast<type*>(terrace_sim::machine.block->dynamic_shared)
#define TERRACE_SIM_LINE unsigned line = __builtin_LINE()

static const int warpSize = 32;

// Vectors.
#define TERRACE_SIM_VECTORS(type, name, align2, align4)                                                      \
    struct alignas(align2) name##2 { type x, y; };                                                          \
    struct alignas(align4) name##4 { type x, y, z, w; };                                                    \
    static inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                 \
    static inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
TERRACE_SIM_VECTORS(int, int, 8, 16)
TERRACE_SIM_VECTORS(unsigned, uint, 8, 16)
TERRACE_SIM_VECTORS(float, float, 8, 16)
TERRACE_SIM_VECTORS(double, double, 16, 16)
TERRACE_SIM_VECTORS(long long, longlong, 16, 16)
TERRACE_SIM_VECTORS(unsigned long long, ulonglong, 16, 16)
TERRACE_SIM_VECTORS(short, short, 4, 8)
TERRACE_SIM_VECTORS(unsigned short, ushort, 4, 8)
TERRACE_SIM_VECTORS(signed char, char, 2, 4)
TERRACE_SIM_VECTORS(unsigned char, uchar, 2, 4)

// Bits.
namespace terrace_sim {
template <class To, class From> static inline To bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "same size");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace terrace_sim
static inline int __float_as_int(float x) { return terrace_sim::bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return terrace_sim::bits<unsigned>(x); }
static inline float __int_as_float(int x) { return terrace_sim::bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return terrace_sim::bits<float>(x); }
static inline long long __double_as_longlong(double x) { return terrace_sim::bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return terrace_sim::bits<double>(x); }
static inline int __double2hiint(double x) { return (int)(terrace_sim::bits<uint64_t>(x) >> 32); }
static inline int __double2loint(double x) { return (int)terrace_sim::bits<uint64_t>(x); }
static inline double __hiloint2double(int hi, int lo) {
    return terrace_sim::bits<double>((uint64_t)(unsigned)hi << 32 | (unsigned)lo);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++) reversed |= (x >> i & 1) << (31 - i);
    return reversed;
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)((((uint64_t)hi << 32 | lo) << (n & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) {
    return (unsigned)(((uint64_t)hi << 32 | lo) >> (n & 31));
}
static inline int __mulhi(int a, int b) { return (int)(((long long)a * b) >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((uint64_t)a * b) >> 32); }
static inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}

// Arithmetic. The `_rn` words are the plain operations: the compiler is told not to contract.
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
static inline float rsqrtf(float a) { return 1.0f / sqrtf(a); }
static inline double rsqrt(double a) { return 1.0 / sqrt(a); }

#define TERRACE_SIM_MIN_MAX(type, less_of, more_of)                                                         \
    static inline type min(type a, type b) { return less_of; }                                              \
    static inline type max(type a, type b) { return more_of; }
TERRACE_SIM_MIN_MAX(int, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(unsigned, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(long, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(unsigned long, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(long long, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(unsigned long long, a < b ? a : b, a < b ? b : a)
TERRACE_SIM_MIN_MAX(float, fminf(a, b), fmaxf(a, b))
TERRACE_SIM_MIN_MAX(double, fmin(a, b), fmax(a, b))

// Float to integer saturates. NaN gives 0 from 32 bits to 32 bits, and the pattern 100..0 otherwise.
#define TERRACE_SIM_TO_INTEGER(word, from, to, low, high, end, nan)                                         \
    static inline to word(from x) {                                                                         \
        if (x != x) return nan;                                                                             \
        return x <= (from)(low) ? (low) : x >= (from)end ? (high) : (to)x;                                  \
    }
TERRACE_SIM_TO_INTEGER(__float2int_rz, float, int, INT32_MIN, INT32_MAX, 0x1p31, 0)
TERRACE_SIM_TO_INTEGER(__float2uint_rz, float, unsigned, 0u, UINT32_MAX, 0x1p32, 0)
TERRACE_SIM_TO_INTEGER(__float2ll_rz, float, long long, INT64_MIN, INT64_MAX, 0x1p63, INT64_MIN)
TERRACE_SIM_TO_INTEGER(__float2ull_rz, float, unsigned long long, 0u, UINT64_MAX, 0x1p64, 1ull << 63)
TERRACE_SIM_TO_INTEGER(__double2int_rz, double, int, INT32_MIN, INT32_MAX, 0x1p31, INT32_MIN)
TERRACE_SIM_TO_INTEGER(__double2uint_rz, double, unsigned, 0u, UINT32_MAX, 0x1p32, 1u << 31)
TERRACE_SIM_TO_INTEGER(__double2ll_rz, double, long long, INT64_MIN, INT64_MAX, 0x1p63, INT64_MIN)
TERRACE_SIM_TO_INTEGER(__double2ull_rz, double, unsigned long long, 0u, UINT64_MAX, 0x1p64, 1ull << 63)
static inline double __ll2double_rn(long long x) { return (double)x; }
static inline double __ull2double_rn(unsigned long long x) { return (double)x; }
static inline float __ll2float_rn(long long x) { return (float)x; }
static inline float __ull2float_rn(unsigned long long x) { return (float)x; }
static inline double __int2double_rn(int x) { return (double)x; }
static inline float __int2float_rn(int x) { return (float)x; }
static inline float __double2float_rn(double x) { return (float)x; }

// The block.
static inline void __syncthreads(TERRACE_SIM_LINE) { terrace_sim::meet_block(terrace_sim::SYNC_THREADS, false, line); }
static inline int __syncthreads_or(int p, TERRACE_SIM_LINE) {
    return (int)terrace_sim::meet_block(terrace_sim::SYNC_THREADS_OR, p != 0, line);
}
static inline int __syncthreads_and(int p, TERRACE_SIM_LINE) {
    return (int)terrace_sim::meet_block(terrace_sim::SYNC_THREADS_AND, p != 0, line);
}
static inline int __syncthreads_count(int p, TERRACE_SIM_LINE) {
    return (int)terrace_sim::meet_block(terrace_sim::SYNC_THREADS_COUNT, p != 0, line);
}

// The warp.
static inline void __syncwarp(unsigned mask = 0xffffffffu, TERRACE_SIM_LINE) {
    terrace_sim::meet_warp(terrace_sim::SYNC_WARP, mask, 0, 0, 32, line);
}
static inline unsigned __activemask() { return 1u << (threadIdx.x & 31); }
static inline unsigned __ballot_sync(unsigned mask, int p, TERRACE_SIM_LINE) {
    return (unsigned)terrace_sim::meet_warp(terrace_sim::BALLOT, mask, p != 0, 0, 32, line);
}
static inline int __any_sync(unsigned mask, int p, TERRACE_SIM_LINE) {
    return (int)terrace_sim::meet_warp(terrace_sim::ANY, mask, p != 0, 0, 32, line);
}
static inline int __all_sync(unsigned mask, int p, TERRACE_SIM_LINE) {
    return (int)terrace_sim::meet_warp(terrace_sim::ALL, mask, p != 0, 0, 32, line);
}

#define TERRACE_SIM_SHUFFLE(type, word, amount, op)                                                         \
    static inline type word(unsigned mask, type value, amount n, int width = 32, TERRACE_SIM_LINE) {        \
        uint64_t sent = 0;                                                                                  \
        memcpy(&sent, &value, sizeof value);                                                                \
        uint64_t got = terrace_sim::meet_warp(terrace_sim::op, mask, sent, (unsigned)n, (unsigned)width, line); \
        memcpy(&value, &got, sizeof value);                                                                 \
        return value;                                                                                       \
    }
#define TERRACE_SIM_SHUFFLES(type)                                                                          \
    TERRACE_SIM_SHUFFLE(type, __shfl_sync, int, SHUFFLE)                                                    \
    TERRACE_SIM_SHUFFLE(type, __shfl_up_sync, unsigned, SHUFFLE_UP)                                         \
    TERRACE_SIM_SHUFFLE(type, __shfl_down_sync, unsigned, SHUFFLE_DOWN)                                     \
    TERRACE_SIM_SHUFFLE(type, __shfl_xor_sync, int, SHUFFLE_XOR)                                            \
    static inline unsigned __match_any_sync(unsigned mask, type value, TERRACE_SIM_LINE) {                  \
        uint64_t sent = 0;                                                                                  \
        memcpy(&sent, &value, sizeof value);                                                                \
        return (unsigned)terrace_sim::meet_warp(terrace_sim::MATCH_ANY, mask, sent, 0, 32, line);           \
    }
TERRACE_SIM_SHUFFLES(int)
TERRACE_SIM_SHUFFLES(unsigned)
TERRACE_SIM_SHUFFLES(long)
TERRACE_SIM_SHUFFLES(unsigned long)
TERRACE_SIM_SHUFFLES(long long)
TERRACE_SIM_SHUFFLES(unsigned long long)
TERRACE_SIM_SHUFFLES(float)
TERRACE_SIM_SHUFFLES(double)

#define TERRACE_SIM_REDUCE(type, word, op)                                                                  \
    static inline type word(unsigned mask, type value, TERRACE_SIM_LINE) {                                  \
        return (type)terrace_sim::meet_warp(terrace_sim::op, mask, (unsigned)value, 0, 32, line);           \
    }
TERRACE_SIM_REDUCE(unsigned, __reduce_add_sync, REDUCE_ADD)
TERRACE_SIM_REDUCE(unsigned, __reduce_min_sync, REDUCE_MIN)
TERRACE_SIM_REDUCE(unsigned, __reduce_max_sync, REDUCE_MAX)
TERRACE_SIM_REDUCE(unsigned, __reduce_and_sync, REDUCE_AND)
TERRACE_SIM_REDUCE(unsigned, __reduce_or_sync, REDUCE_OR)
TERRACE_SIM_REDUCE(unsigned, __reduce_xor_sync, REDUCE_XOR)
TERRACE_SIM_REDUCE(int, __reduce_add_sync, REDUCE_ADD)
TERRACE_SIM_REDUCE(int, __reduce_min_sync, REDUCE_MIN_SIGNED)
TERRACE_SIM_REDUCE(int, __reduce_max_sync, REDUCE_MAX_SIGNED)

// Memory that others may be writing: a spinning loop has one of these in every turn.
static inline void __nanosleep(unsigned, TERRACE_SIM_LINE) { terrace_sim::yield_now(line); }
static inline void __threadfence(TERRACE_SIM_LINE) { terrace_sim::yield_now(line); }
static inline void __threadfence_block(TERRACE_SIM_LINE) { terrace_sim::yield_now(line); }
static inline void __threadfence_system(TERRACE_SIM_LINE) { terrace_sim::yield_now(line); }
[[noreturn]] static inline void __trap(TERRACE_SIM_LINE) {
    terrace_sim::fail("block %u, thread %u: __trap (line %u)", blockIdx.x, threadIdx.x, line);
}

namespace terrace_sim {
template <class T> struct Same { typedef T type; }; // keeps a parameter out of the deduction of T
template <class T> static inline T load(const T* p, unsigned line) {
    yield_perhaps(line);
    return *p;
}
template <class T> static inline void store(T* p, T value, unsigned line) {
    yield_perhaps(line);
    *p = value;
    yield_perhaps(line);
}
} // namespace terrace_sim
#define TERRACE_SIM_LOAD(word)                                                                              \
    template <class T> static inline T word(const T* p, TERRACE_SIM_LINE) { return terrace_sim::load(p, line); }
#define TERRACE_SIM_STORE(word)                                                                             \
    template <class T> static inline void word(T* p, typename terrace_sim::Same<T>::type value, TERRACE_SIM_LINE) { \
        terrace_sim::store<T>(p, value, line);                                                              \
    }
TERRACE_SIM_LOAD(__ldcg)
TERRACE_SIM_LOAD(__ldcv)
TERRACE_SIM_LOAD(terrace_load_volatile)
TERRACE_SIM_LOAD(terrace_load_acquire)
TERRACE_SIM_STORE(__stcg)
TERRACE_SIM_STORE(__stwt)
TERRACE_SIM_STORE(terrace_store_release)
template <class T> static inline T __ldg(const T* p) { return *p; }
template <class T> static inline T __ldca(const T* p) { return *p; }
template <class T> static inline T __ldcs(const T* p) { return *p; }
template <class T> static inline void __stcs(T* p, typename terrace_sim::Same<T>::type value) { *p = value; }
template <class T> static inline void __stwb(T* p, typename terrace_sim::Same<T>::type value) { *p = value; }

// Atomics. One that changes memory counts as progress, so that only fruitless ones are taken for spinning.
#define TERRACE_SIM_ATOMIC(type, word, next)                                                                \
    static inline type word(type* p, type value, TERRACE_SIM_LINE) {                                        \
        terrace_sim::yield_perhaps(line);                                                                   \
        type old = *p, now = (type)(next);                                                                  \
        *p = now;                                                                                           \
        if (memcmp(&old, &now, sizeof old)) terrace_sim::progress();                                        \
        terrace_sim::yield_perhaps(line);                                                                   \
        return old;                                                                                         \
    }
#define TERRACE_SIM_ATOMIC_CAS(type)                                                                        \
    static inline type atomicCAS(type* p, type expected, type value, TERRACE_SIM_LINE) {                    \
        terrace_sim::yield_perhaps(line);                                                                   \
        type old = *p;                                                                                      \
        if (old == expected) {                                                                              \
            *p = value;                                                                                     \
            if (old != value) terrace_sim::progress();                                                      \
        }                                                                                                   \
        terrace_sim::yield_perhaps(line);                                                                   \
        return old;                                                                                         \
    }
TERRACE_SIM_ATOMIC(int, atomicAdd, (unsigned)old + (unsigned)value)
TERRACE_SIM_ATOMIC(unsigned, atomicAdd, old + value)
TERRACE_SIM_ATOMIC(unsigned long long, atomicAdd, old + value)
TERRACE_SIM_ATOMIC(float, atomicAdd, old + value)
TERRACE_SIM_ATOMIC(double, atomicAdd, old + value)
TERRACE_SIM_ATOMIC(int, atomicSub, (unsigned)old - (unsigned)value)
TERRACE_SIM_ATOMIC(unsigned, atomicSub, old - value)
TERRACE_SIM_ATOMIC(unsigned, atomicInc, old >= value ? 0 : old + 1)
TERRACE_SIM_ATOMIC(unsigned, atomicDec, old == 0 || old > value ? value : old - 1)
TERRACE_SIM_ATOMIC(float, atomicExch, value)
#define TERRACE_SIM_ATOMICS(type)                                                                           \
    TERRACE_SIM_ATOMIC(type, atomicExch, value)                                                             \
    TERRACE_SIM_ATOMIC(type, atomicAnd, old & value)                                                        \
    TERRACE_SIM_ATOMIC(type, atomicOr, old | value)                                                         \
    TERRACE_SIM_ATOMIC(type, atomicXor, old ^ value)                                                        \
    TERRACE_SIM_ATOMIC_CAS(type)
TERRACE_SIM_ATOMICS(int)
TERRACE_SIM_ATOMICS(unsigned)
TERRACE_SIM_ATOMICS(unsigned long long)
#define TERRACE_SIM_ATOMIC_ORDERED(type)                                                                    \
    TERRACE_SIM_ATOMIC(type, atomicMin, value < old ? value : old)                                          \
    TERRACE_SIM_ATOMIC(type, atomicMax, value > old ? value : old)
TERRACE_SIM_ATOMIC_ORDERED(int)
TERRACE_SIM_ATOMIC_ORDERED(unsigned)
TERRACE_SIM_ATOMIC_ORDERED(long long)
TERRACE_SIM_ATOMIC_ORDERED(unsigned long long)
