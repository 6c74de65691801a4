//! What every CUDA text starts with: the few words of the kernel language that CUDA C does not have.
//!
//! ```text
//! a + b on i64      terrace_add(a, b)        wraps; plain `+` on signed integers may not
//! a / b             terrace_div(a, b)        rounds towards minus infinity, 0 where the divisor is
//! min on floats     terrace_min(a, b)        the total order: -0 before +0, NaN last
//! f64 to i32        terrace_to_int<int>(x)   saturates, NaN gives 0
//! check             terrace_fail(…)          keeps the least (check, index) of the launch
//! publish, await    terrace_store_release, terrace_await
//! send, receive     terrace_send, terrace_receive: a value and its flag in one word
//! wide loads        terrace_load_wide<4>(&x[0], &xs[q])
//! atomic            terrace_combine_min(&bins[i], x)
//! atomic add        terrace_atomic_add, or terrace_ticket where nothing was written that it could announce
//! ```
//!
//! A fence empties the first-level cache of its multiprocessor, so there are as few as possible: a release is a store with
//! that meaning (of 4 or 8 bytes), and a ticket needs no order at all.
//!
//! The text also compiles for a CPU, under the simulator of the test kit, which brings its own meaning for the words of
//! CUDA and defines `TERRACE_CUDA_SIM`. There a loop that waits must give way in every turn; `__nanosleep` does.
//!
//! The error record: word 0 is a lock, 1 the launch that failed, 2 the check, 3 the index, 4 to 6 the values. The index is
//! written before the check, so a thread that reads a check and then an index without the lock sees a pair that is never
//! smaller than what will be there in the end, and may leave if its own pair is larger. Where the threads of a block share a
//! point, several may fail with one pair; then the least values are kept.

/// The text.
pub const PREAMBLE: &str = r#"// Kernels written by the Terrace compiler.
#ifndef TERRACE_CUDA_SIM
#define TERRACE_ALIGNED(p) __builtin_assume(((size_t)(p) & 15) == 0)
template <class T> __device__ __forceinline__ T terrace_load_volatile(const T* p) { return *(const volatile T*)p; }
template <class T, class V> __device__ __forceinline__ void terrace_store_release(T* p, V v) {
    if (sizeof(T) == 8) asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(p), "l"((unsigned long long)(T)v) : "memory");
    else asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"((unsigned int)(T)v) : "memory");
}
__device__ __forceinline__ void terrace_store_word(unsigned long long* p, unsigned long long v) {
    asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(p), "l"(v));
}
__device__ __forceinline__ unsigned long long terrace_load_word(const unsigned long long* p) {
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}
template <int BYTES> struct terrace_vector { typedef unsigned char type; };
template <> struct terrace_vector<2> { typedef unsigned short type; };
template <> struct terrace_vector<4> { typedef unsigned int type; };
template <> struct terrace_vector<8> { typedef uint2 type; };
template <> struct terrace_vector<16> { typedef uint4 type; };
template <int N, class T> __device__ __forceinline__ void terrace_load_wide(T* to, const T* from) {
    typedef typename terrace_vector<N * (int)sizeof(T)>::type V;
    const V v = __ldcs((const V*)from);
    T part[N];
    memcpy(part, &v, sizeof v);
#pragma unroll
    for (int i = 0; i < N; i++) to[i] = part[i];
}
template <int N, class T> __device__ __forceinline__ void terrace_store_wide(T* to, const T* from) {
    typedef typename terrace_vector<N * (int)sizeof(T)>::type V;
    T part[N];
#pragma unroll
    for (int i = 0; i < N; i++) part[i] = from[i];
    V v;
    memcpy(&v, part, sizeof v);
    __stcs((V*)to, v);
}
__device__ __forceinline__ float terrace_rough_reciprocal(float b) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(b));
    return y;
}
__device__ __forceinline__ float terrace_rough_inverse_root(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define TERRACE_ALIGNED(p) (void)0
// A GPU may be wrong by a unit in the last place here, up or down, and knows no subnormal numbers. Its inverse roots are better where it matters, so these are as near as can be.
static inline float terrace_rough_reciprocal(float b) {
    const unsigned int bits = __float_as_uint((float)(1.0 / b));
    const float y = __uint_as_float(bits + (bits * 2654435761u >> 16) % 3u - 1u);
    return fabsf(y) < 0x1p-126f ? 0.0f : y;
}
static inline float terrace_rough_inverse_root(float x) { return (float)(1.0 / sqrt((double)x)); }
static inline void terrace_store_word(unsigned long long* p, unsigned long long v) { terrace_store_release(p, v); }
static inline unsigned long long terrace_load_word(const unsigned long long* p) { return terrace_load_volatile(p); }
template <int N, class T> static inline void terrace_load_wide(T* to, const T* from) { memcpy(to, from, N * sizeof(T)); }
template <int N, class T> static inline void terrace_store_wide(T* to, const T* from) { memcpy(to, from, N * sizeof(T)); }
#endif
// Quotients and roots, rounded as IEEE says, with one branch for the rare cases of all of them. Where all numbers are between 2^-60 and 2^60 no step
// under- or overflows: an approximation, refined, and corrected by its exact remainder. A divisor whose significand is all ones is a rare case too: the
// refinement of its reciprocal may end one unit beside it (Peter Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990).
__device__ __forceinline__ float terrace_near_quotient(float a, float b) {
    float y = terrace_rough_reciprocal(b);
    y = fmaf(y, fmaf(-b, y, 1.0f), y);
    float q = a * y;
    q = fmaf(fmaf(-b, q, a), y, q);
    return fmaf(fmaf(-b, q, a), y, q);
}
__device__ __forceinline__ float terrace_near_root(float x) {
    const float y = terrace_rough_inverse_root(x);
    const float s = x * y;
    return fmaf(fmaf(-s, s, x), 0.5f * y, s);
}
template <int N> __device__ __forceinline__ void terrace_divide(float* q, const float* a, const float* b) {
    unsigned int far = 0, ones = ~0u;
#pragma unroll
    for (int i = 0; i < N; i++) {
        q[i] = terrace_near_quotient(a[i], b[i]);
        ones = min(ones, (__float_as_uint(b[i]) + 1u) << 9);
        far = max(far, max(__float_as_uint(a[i]) * 2u - 0x43000000u, __float_as_uint(b[i]) * 2u - 0x43000000u));
    }
    if (far >= 0x78000000u || ones == 0u) {
#pragma unroll
        for (int i = 0; i < N; i++) q[i] = a[i] / b[i];
    }
}
template <int N> __device__ __forceinline__ void terrace_roots(float* y, const float* x) {
    unsigned int far = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        y[i] = terrace_near_root(x[i]);
        far = max(far, __float_as_uint(x[i]) - 0x21800000u);
    }
    if (far >= 0x3c000000u) {
#pragma unroll
        for (int i = 0; i < N; i++) y[i] = sqrtf(x[i]);
    }
}
// A value for other blocks and the sign that it is there are one word, or two with the sign in each: nothing has to be fenced.
template <class T> __device__ __forceinline__ void terrace_send(unsigned long long* p, T v, int flag) {
    unsigned int half[(sizeof(T) + 3) / 4];
    half[0] = 0;
    memcpy(half, &v, sizeof(T));
#pragma unroll
    for (int i = 0; i < (int)(sizeof(T) + 3) / 4; i++) terrace_store_word(p + i, (unsigned long long)flag << 32 | half[i]);
}
template <class T> __device__ __forceinline__ int terrace_peek(const unsigned long long* p, T& v) {
    unsigned int half[(sizeof(T) + 3) / 4];
    int flag = -1;
#pragma unroll
    for (int i = 0; i < (int)(sizeof(T) + 3) / 4; i++) {
        const unsigned long long word = terrace_load_word(p + i);
        half[i] = (unsigned int)word;
        flag &= (int)(word >> 32);
    }
    memcpy(&v, half, sizeof(T));
    return flag;
}
template <class T> __device__ __forceinline__ int terrace_receive(const unsigned long long* p, T& v) {
    int flag = terrace_peek(p, v);
    while (flag == 0) {
#ifdef TERRACE_CUDA_SIM
        __nanosleep(32);
#endif
        flag = terrace_peek(p, v);
    }
    return flag;
}

template <class T> struct terrace_unsigned { typedef T type; };
template <> struct terrace_unsigned<signed char> { typedef unsigned int type; };
template <> struct terrace_unsigned<short> { typedef unsigned int type; };
template <> struct terrace_unsigned<int> { typedef unsigned int type; };
template <> struct terrace_unsigned<long long> { typedef unsigned long long type; };
template <> struct terrace_unsigned<unsigned char> { typedef unsigned int type; };
template <> struct terrace_unsigned<unsigned short> { typedef unsigned int type; };

#define TERRACE_DEVICE template <class T> __device__ __forceinline__
#define TERRACE_WRAP(x) ((typename terrace_unsigned<T>::type)(x))
TERRACE_DEVICE T terrace_add(T a, T b) { return (T)(TERRACE_WRAP(a) + TERRACE_WRAP(b)); }
TERRACE_DEVICE T terrace_sub(T a, T b) { return (T)(TERRACE_WRAP(a) - TERRACE_WRAP(b)); }
TERRACE_DEVICE T terrace_mul(T a, T b) { return (T)(TERRACE_WRAP(a) * TERRACE_WRAP(b)); }
TERRACE_DEVICE T terrace_neg(T a) { return (T)(TERRACE_WRAP(0) - TERRACE_WRAP(a)); }
TERRACE_DEVICE T terrace_abs(T a) { return a < (T)0 ? terrace_neg(a) : a; }
TERRACE_DEVICE T terrace_div(T a, T b) {
    if (b == (T)0) return (T)0;
    if ((T)-1 < (T)0 && b == (T)-1) return terrace_neg(a);
    T q = (T)(a / b);
    return q * b != a && (a < (T)0) != (b < (T)0) ? (T)(q - 1) : q;
}
TERRACE_DEVICE T terrace_rem(T a, T b) { return b == (T)0 ? (T)0 : terrace_sub(a, terrace_mul(terrace_div(a, b), b)); }
TERRACE_DEVICE T terrace_shl(T a, T b) { return (T)(TERRACE_WRAP(a) << (b & (T)(sizeof(T) * 8 - 1))); }
TERRACE_DEVICE T terrace_shr(T a, T b) { return (T)(a >> (b & (T)(sizeof(T) * 8 - 1))); }
TERRACE_DEVICE T terrace_min(T a, T b) { return b < a ? b : a; }
TERRACE_DEVICE T terrace_max(T a, T b) { return a < b ? b : a; }

// Zero, without the compiler's knowledge: blocks have one dimension. NVRTC 12.9 to 13.3 make one instruction of
// `max(min(x, a), 0) == a` for sm_90, and take the wrong branch after it.
__device__ __forceinline__ int terrace_zero() { return (int)threadIdx.z; }

__device__ __forceinline__ bool terrace_before(double a, double b) {
    if (a != a) return false;
    if (b != b) return true;
    if (a == 0.0 && b == 0.0) return __double_as_longlong(a) < 0 && __double_as_longlong(b) >= 0;
    return a < b;
}
__device__ __forceinline__ float terrace_min(float a, float b) { return terrace_before(b, a) ? b : a; }
__device__ __forceinline__ float terrace_max(float a, float b) { return terrace_before(a, b) ? b : a; }
__device__ __forceinline__ double terrace_min(double a, double b) { return terrace_before(b, a) ? b : a; }
__device__ __forceinline__ double terrace_max(double a, double b) { return terrace_before(a, b) ? b : a; }
__device__ __forceinline__ double terrace_rem(double a, double b) {
    double r = fmod(a, b);
    if (r == 0.0) return copysign(r, b);
    return (r < 0.0) != (b < 0.0) ? r + b : r;
}
__device__ __forceinline__ float terrace_rem(float a, float b) {
    float r = fmodf(a, b);
    if (r == 0.0f) return copysignf(r, b);
    return (r < 0.0f) != (b < 0.0f) ? r + b : r;
}

template <class T> __device__ __forceinline__ T terrace_to_int(double x) {
    const bool is_signed = (T)-1 < (T)0;
    const double end = ldexp(1.0, (int)(sizeof(T) * 8) - (is_signed ? 1 : 0));
    const T least = is_signed ? (T)(1ull << (sizeof(T) * 8 - 1)) : (T)0;
    if (x != x) return (T)0;
    if (x >= end) return (T)~least;
    if (x <= (is_signed ? -end : 0.0)) return least;
    return (T)x;
}
__device__ __forceinline__ bool terrace_to_bool(double x) { return x != 0.0 && x == x; }

__device__ __forceinline__ bool terrace_stopped(const unsigned long long* err, long long launch) {
#ifdef TERRACE_CUDA_SIM
    const unsigned long long failed = terrace_load_volatile(&err[1]);
#else
    // Earlier launches are over, and what this one records is not asked for: a copy in the nearest cache will do.
    const unsigned long long failed = err[1];
#endif
    return failed != 0 && failed < (unsigned long long)launch;
}
__device__ __forceinline__ bool terrace_recorded(const unsigned long long* err, long long launch, unsigned long long check,
                                                 long long index) {
    if (terrace_load_volatile(&err[1]) != (unsigned long long)launch) return false;
    __threadfence();
    const unsigned long long found = terrace_load_volatile(&err[2]);
    __threadfence();
    return found < check || (found == check && (long long)terrace_load_volatile(&err[3]) < index);
}
__device__ __forceinline__ bool terrace_less(const unsigned long long* err, unsigned long long check, long long index,
                                             long long a, long long b, long long c) {
    if (terrace_load_volatile(&err[2]) != check) return check < terrace_load_volatile(&err[2]);
    const long long mine[4] = {index, a, b, c};
    for (int i = 0; i < 4; i++) {
        const long long theirs = (long long)terrace_load_volatile(&err[3 + i]);
        if (mine[i] != theirs) return mine[i] < theirs;
    }
    return false;
}
__device__ __noinline__ void terrace_fail(unsigned long long* err, long long launch, unsigned long long check,
                                          long long index, long long a, long long b, long long c) {
    if (terrace_recorded(err, launch, check, index)) return;
    for (bool done = false; !done;) {
        if (atomicCAS(&err[0], 0ull, 1ull) == 0ull) {
            __threadfence();
            if (terrace_load_volatile(&err[1]) == 0ull || terrace_less(err, check, index, a, b, c)) {
                terrace_store_release(&err[3], (unsigned long long)index);
                terrace_store_release(&err[4], (unsigned long long)a);
                terrace_store_release(&err[5], (unsigned long long)b);
                terrace_store_release(&err[6], (unsigned long long)c);
                terrace_store_release(&err[2], check);
                terrace_store_release(&err[1], (unsigned long long)launch);
            }
            __threadfence();
            atomicExch(&err[0], 0ull);
            done = true;
        } else {
            __nanosleep(64);
        }
    }
}

/* The place of a value in the total order of its type. */
template <class T> __device__ __forceinline__ unsigned int terrace_ordinal(T x) {
    return ((unsigned int)x ^ ((T)-1 < (T)0 ? 1u << (sizeof(T) * 8 - 1) : 0u)) & (~0u >> (32 - sizeof(T) * 8));
}
__device__ __forceinline__ unsigned long long terrace_ordinal(unsigned long long x) { return x; }
__device__ __forceinline__ unsigned long long terrace_ordinal(long long x) {
    return (unsigned long long)x ^ (1ull << 63);
}
__device__ __forceinline__ unsigned int terrace_ordinal(float x) {
    unsigned int bits;
    memcpy(&bits, &x, sizeof x);
    return x != x ? ~0u : bits ^ ((unsigned int)((int)bits >> 31) | 1u << 31);
}
__device__ __forceinline__ unsigned long long terrace_ordinal(double x) {
    unsigned long long bits;
    memcpy(&bits, &x, sizeof x);
    return x != x ? ~0ull : bits ^ ((unsigned long long)((long long)bits >> 63) | 1ull << 63);
}
template <class T> __device__ __forceinline__ T terrace_await(const T* p) {
    T value = terrace_load_volatile(p);
    while (value == (T)0) {
        __nanosleep(32);
        value = terrace_load_volatile(p);
    }
    __threadfence();
    return value;
}
template <class T> __device__ __forceinline__ T terrace_ticket(T* p, T v) { return atomicAdd(p, v); }
__device__ __forceinline__ long long terrace_ticket(long long* p, long long v) {
    return (long long)atomicAdd((unsigned long long*)p, (unsigned long long)v);
}
__device__ __forceinline__ int terrace_atomic_add(int* p, int v) {
    __threadfence();
    int old = atomicAdd(p, v);
    __threadfence();
    return old;
}
__device__ __forceinline__ unsigned int terrace_atomic_add(unsigned int* p, unsigned int v) {
    __threadfence();
    unsigned int old = atomicAdd(p, v);
    __threadfence();
    return old;
}
__device__ __forceinline__ unsigned long long terrace_atomic_add(unsigned long long* p, unsigned long long v) {
    __threadfence();
    unsigned long long old = atomicAdd(p, v);
    __threadfence();
    return old;
}
__device__ __forceinline__ long long terrace_atomic_add(long long* p, long long v) {
    return (long long)terrace_atomic_add((unsigned long long*)p, (unsigned long long)v);
}

// Combining with what is there, whoever else does: what CUDA has, and otherwise trying until nobody comes between. An
// element of one or two bytes is changed as part of its word of four, to which its neighbours belong.
template <int BYTES> struct terrace_word { typedef unsigned int type; };
template <> struct terrace_word<8> { typedef unsigned long long type; };
TERRACE_DEVICE T terrace_bit_and(T a, T b) { return (T)(a & b); }
TERRACE_DEVICE T terrace_bit_or(T a, T b) { return (T)(a | b); }
TERRACE_DEVICE T terrace_bit_xor(T a, T b) { return (T)(a ^ b); }
#define TERRACE_COMBINE(WORD)                                                                          \
    TERRACE_DEVICE void terrace_combine_##WORD(T* p, T v) {                                            \
        typedef typename terrace_word<sizeof(T)>::type W;                                              \
        const int shift = (int)((size_t)p & (sizeof(W) - sizeof(T))) * 8;                              \
        const W mask = (W)((W)~(W)0 >> (sizeof(W) - sizeof(T)) * 8) << shift;                          \
        W* const word = (W*)((size_t)p & ~(size_t)(sizeof(W) - 1));                                    \
        W old = terrace_load_volatile(word);                                                           \
        for (;;) {                                                                                     \
            const W part = (old & mask) >> shift;                                                      \
            T element;                                                                                 \
            memcpy(&element, &part, sizeof(T));                                                        \
            element = terrace_##WORD(element, v);                                                      \
            W next = 0;                                                                                \
            memcpy(&next, &element, sizeof(T));                                                        \
            if (next == part) return;                                                                  \
            const W seen = atomicCAS(word, old, (old & ~mask) | next << shift);                        \
            if (seen == old) return;                                                                   \
            old = seen;                                                                                \
        }                                                                                              \
    }
TERRACE_COMBINE(add)
TERRACE_COMBINE(mul)
TERRACE_COMBINE(min)
TERRACE_COMBINE(max)
TERRACE_COMBINE(bit_and)
TERRACE_COMBINE(bit_or)
TERRACE_COMBINE(bit_xor)
#define TERRACE_COMBINES(T, AS, WORD, NATIVE) \
    __device__ __forceinline__ void terrace_combine_##WORD(T* p, T v) { NATIVE((AS*)p, (AS)v); }
#define TERRACE_COMBINES_ALL(T, AS)               \
    TERRACE_COMBINES(T, AS, add, atomicAdd)       \
    TERRACE_COMBINES(T, T, min, atomicMin)        \
    TERRACE_COMBINES(T, T, max, atomicMax)        \
    TERRACE_COMBINES(T, AS, bit_and, atomicAnd)       \
    TERRACE_COMBINES(T, AS, bit_or, atomicOr)         \
    TERRACE_COMBINES(T, AS, bit_xor, atomicXor)
TERRACE_COMBINES_ALL(int, int)
TERRACE_COMBINES_ALL(unsigned int, unsigned int)
TERRACE_COMBINES_ALL(long long, unsigned long long)
TERRACE_COMBINES_ALL(unsigned long long, unsigned long long)

// The same in shared memory. A sum of 8 bytes is one of its lower half, and of the upper one where something is carried: nobody
// looks before all have met.
#define TERRACE_GATHER(WORD) \
    TERRACE_DEVICE void terrace_gather_##WORD(T* p, T v) { terrace_combine_##WORD(p, v); }
TERRACE_GATHER(add)
TERRACE_GATHER(mul)
TERRACE_GATHER(min)
TERRACE_GATHER(max)
TERRACE_GATHER(bit_and)
TERRACE_GATHER(bit_or)
TERRACE_GATHER(bit_xor)
__device__ __forceinline__ void terrace_gather_add(unsigned long long* p, unsigned long long v) {
    unsigned int* const half = (unsigned int*)p;
    const unsigned int low = (unsigned int)v;
    const unsigned int old = low == 0 ? 0u : atomicAdd(half, low);
    const unsigned int high = (unsigned int)(v >> 32) + (old + low < old ? 1u : 0u);
    if (high != 0) atomicAdd(half + 1, high);
}
__device__ __forceinline__ void terrace_gather_add(long long* p, long long v) {
    terrace_gather_add((unsigned long long*)p, (unsigned long long)v);
}

// Equal places in a warp, numbered: each lane takes a bit of the place's mark, and the highest one adds all to the count.
__device__ __forceinline__ unsigned int terrace_rank(unsigned int* counts, unsigned int* marks, int at) {
    const unsigned int lane = threadIdx.x & 31u;
    atomicOr(&marks[at], 1u << lane);
    __syncwarp();
    const unsigned int same = terrace_load_volatile(&marks[at]), old = terrace_load_volatile(&counts[at]);
    __syncwarp();
    if ((int)lane == 31 - __clz((int)same)) {
        counts[at] = old + __popc(same);
        marks[at] = 0;
    }
    __syncwarp();
    return old + __popc(same & ((1u << lane) - 1u));
}

// Counts of earlier tiles. The highest bit of a word says that it is there. All words that a tile may have to wait for are asked for
// at once: a walk back over tiles would be a chain of round trips.
template <class T> __device__ __forceinline__ void terrace_tell(T* p, T v) {
#ifdef TERRACE_CUDA_SIM
    __stcg(p, v);
#else
    *(volatile T*)p = v;
#endif
}
__device__ __forceinline__ void terrace_announce(int* p, int count) {
    terrace_tell((unsigned int*)p, (unsigned int)count | 1u << 31);
}
struct terrace_counts {
    unsigned int word[7];
    __device__ __forceinline__ void read(const unsigned int* at, int count) {
#pragma unroll
        for (int k = 0; k < 7; k++) word[k] = k < count ? terrace_load_volatile(at + k * 256) : 1u << 31;
    }
    __device__ __forceinline__ unsigned int wait(const unsigned int* at, int count) {
        for (;;) {
            unsigned int all = ~0u, sum = 0;
#pragma unroll
            for (int k = 0; k < 7; k++) {
                all &= word[k];
                sum += word[k] & ~(1u << 31);
            }
            if (all >> 31) return sum;
            __nanosleep(32);
            read(at, count);
        }
    }
};
__device__ __forceinline__ long long terrace_earlier(int* words, long long* tops, long long tiles, long long tile,
                                                     long long column, int own) {
    const int d = (int)tile & 7, c = (int)(tile >> 3) & 7, b = (int)(tile >> 6) & 7;
    const long long a = tile >> 9;
    unsigned int* const each = (unsigned int*)words + column;
    unsigned int* const groups = each + tiles * 256;
    unsigned int* const supers = groups + ((tiles >> 3) + 1) * 256;
    unsigned long long* const top_at = (unsigned long long*)tops + a * 256 + column;
    terrace_counts near, middle, far;
    near.read(each + (tile - d) * 256, d);
    middle.read(groups + ((tile >> 3) - c) * 256, c);
    far.read(supers + ((tile >> 6) - b) * 256, b);
    unsigned long long top = a > 0 ? terrace_load_volatile(top_at) : 1ull << 63;
    unsigned int sum = near.wait(each + (tile - d) * 256, d);
    if (d == 7) terrace_announce((int*)groups + (tile >> 3) * 256, (int)sum + own);
    sum += middle.wait(groups + ((tile >> 3) - c) * 256, c);
    if (d == 7 && c == 7) terrace_announce((int*)supers + (tile >> 6) * 256, (int)sum + own);
    sum += far.wait(supers + ((tile >> 6) - b) * 256, b);
    while (top >> 63 == 0) {
        __nanosleep(32);
        top = terrace_load_volatile(top_at);
    }
    const long long all = (long long)(top & ~(1ull << 63)) + sum;
    if (d == 7 && c == 7 && b == 7) terrace_tell(top_at + 256, (unsigned long long)(all + own) | 1ull << 63);
    return all;
}

"#;
