//! What every C text starts with: the few words of the kernel language that C does not have.
//!
//! ```text
//! add_i32(a, b)     wraps; plain `+` on signed integers may not
//! div_i64(a, b)     rounds towards minus infinity, 0 where the divisor is
//! min_f64(a, b)     the total order: -0 before +0, NaN last
//! ordinal_f64(x)    the place in that order as an unsigned integer
//! i32_of_f64(x)     saturates, NaN gives 0
//! exp_f64(x)        the steps of `terrace_base::elementary`, which vectorise
//! store_kept_64(…)  elements that stay, packed by vectors where the processor can
//! atomic_min_f32    combines with what is there, whoever else does
//! terrace_fail(…)   a check that failed: the least (check, index) of the launch is kept
//! ```
//!
//! The error record: word 0 is a lock, 1 the launch that failed, 2 the check, 3 the index, 4 to 6 the values. A thread that
//! cannot take the lock waits: failing is rare, and the record decides what is reported.

/// The text.
pub const PREAMBLE: &str = r#"/* Kernels written by the Terrace compiler. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wtype-limits"
#define UNLIKELY(c) __builtin_expect(c, 0)
#define HELPER static inline __attribute__((unused, always_inline))

/* The lanes of a reduction. */
typedef float f32x16 __attribute__((vector_size(64)));
/* The compiler must not compute a pointer again with every use. */
#define KEPT(x) __asm__("" : "+r"(x))
/* The compiler must not take a vector from memory again. */
#ifdef __AVX512F__
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif
typedef double f64x8 __attribute__((vector_size(64)));

/* T: the type; U: an unsigned type at least as wide as int; W: the width; LEAST: the least value. */
#define TERRACE_INTEGER(N, T, U, W, LEAST)                                                             \
    HELPER T add_##N(T a, T b) { return (T)((U)a + (U)b); }                                            \
    HELPER T sub_##N(T a, T b) { return (T)((U)a - (U)b); }                                            \
    HELPER T mul_##N(T a, T b) { return (T)((U)a * (U)b); }                                            \
    HELPER T neg_##N(T a) { return (T)((U)0 - (U)a); }                                                 \
    HELPER T abs_##N(T a) { return a < (T)0 ? neg_##N(a) : a; }                                        \
    HELPER T min_##N(T a, T b) { return b < a ? b : a; }                                               \
    HELPER T max_##N(T a, T b) { return a < b ? b : a; }                                               \
    HELPER T shl_##N(T a, T b) { return (T)((U)a << ((U)b & (W - 1))); }                               \
    HELPER T shr_##N(T a, T b) { return (T)(a >> ((U)b & (W - 1))); }                                  \
    HELPER T div_##N(T a, T b) {                                                                       \
        if (b == 0) return 0;                                                                          \
        if ((T)-1 < (T)0 && b == (T)-1) return neg_##N(a);                                             \
        T q = (T)(a / b);                                                                              \
        return (T)(q * b) != a && (a < (T)0) != (b < (T)0) ? (T)(q - 1) : q;                           \
    }                                                                                                  \
    HELPER T rem_##N(T a, T b) { return b == 0 ? (T)0 : sub_##N(a, mul_##N(div_##N(a, b), b)); }       \
    HELPER T N##_of_f64(double x) {                                                                    \
        const double end = LEAST < 0 ? -(double)LEAST : 2.0 * (double)((U)1 << (W - 1));               \
        if (x != x) return 0;                                                                          \
        if (x >= end) return (T)~(T)LEAST;                                                             \
        if (x <= (double)LEAST) return LEAST;                                                          \
        return (T)x;                                                                                   \
    }

TERRACE_INTEGER(i8, int8_t, uint32_t, 8, INT8_MIN)
TERRACE_INTEGER(i16, int16_t, uint32_t, 16, INT16_MIN)
TERRACE_INTEGER(i32, int32_t, uint32_t, 32, INT32_MIN)
TERRACE_INTEGER(i64, int64_t, uint64_t, 64, INT64_MIN)
TERRACE_INTEGER(u8, uint8_t, uint32_t, 8, 0)
TERRACE_INTEGER(u16, uint16_t, uint32_t, 16, 0)
TERRACE_INTEGER(u32, uint32_t, uint32_t, 32, 0)
TERRACE_INTEGER(u64, uint64_t, uint64_t, 64, 0)

#define TERRACE_FLOAT(N, T, U, FMOD, COPYSIGN)                                                         \
    HELPER T N##_of_bits(U bits) { T x; memcpy(&x, &bits, sizeof x); return x; }                       \
    HELPER bool before_##N(T a, T b) {                                                                 \
        if (a != a) return false;                                                                      \
        if (b != b) return true;                                                                       \
        return a < b || (a == b && signbit(a) && !signbit(b));                                         \
    }                                                                                                  \
    HELPER U ordinal_##N(T x) {                                                                        \
        const U sign = (U)1 << (sizeof(U) * 8 - 1);                                                    \
        U bits;                                                                                        \
        memcpy(&bits, &x, sizeof x);                                                                   \
        return (bits ^ (-(bits >> (sizeof(U) * 8 - 1)) | sign)) | -(U)(x != x);                        \
    }                                                                                                  \
    HELPER T min_##N(T a, T b) { return before_##N(b, a) ? b : a; }                                    \
    HELPER T max_##N(T a, T b) { return before_##N(a, b) ? b : a; }                                    \
    HELPER T rem_##N(T a, T b) {                                                                       \
        T r = FMOD(a, b);                                                                              \
        if (r == 0) return COPYSIGN((T)0, b);                                                          \
        return (r < 0) != (b < 0) ? r + b : r;                                                         \
    }

TERRACE_FLOAT(f32, float, uint32_t, fmodf, copysignf)
TERRACE_FLOAT(f64, double, uint64_t, fmod, copysign)
HELPER uint32_t ordinal_bool(bool x) { return x; }
HELPER uint32_t ordinal_i8(int8_t x) { return (uint8_t)x ^ 0x80u; }
HELPER uint32_t ordinal_i16(int16_t x) { return (uint16_t)x ^ 0x8000u; }
HELPER uint32_t ordinal_i32(int32_t x) { return (uint32_t)x ^ 0x80000000u; }
HELPER uint64_t ordinal_i64(int64_t x) { return (uint64_t)x ^ ((uint64_t)1 << 63); }
HELPER uint32_t ordinal_u8(uint8_t x) { return x; }
HELPER uint32_t ordinal_u16(uint16_t x) { return x; }
HELPER uint32_t ordinal_u32(uint32_t x) { return x; }
HELPER uint64_t ordinal_u64(uint64_t x) { return x; }

/* exp and log without a branch or a call, step by step as the interpreter computes them. */
HELPER uint64_t bits_of_f64(double x) { uint64_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
HELPER double exp_f64(double x) {
    const double low = x < -746.0 ? -746.0 : x, y = low > 710.0 ? 710.0 : low;
    const double whole = 6755399441055744.0, t = fma(y, 1.4426950408889634, whole), k = t - whole;
    const double r = fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, y));
    double p = 2.5100375860441218e-08;
    p = fma(r, p, 2.7620075916237706e-07), p = fma(r, p, 2.755726848025142e-06), p = fma(r, p, 2.480152132229249e-05);
    p = fma(r, p, 0.00019841269863040583), p = fma(r, p, 0.0013888888917196768), p = fma(r, p, 0.008333333333330065);
    p = fma(r, p, 0.041666666666624164), p = fma(r, p, 0.16666666666666669), p = fma(r, p, 0.5000000000000001);
    p = fma(r, fma(r, p, 1.0), 1.0);
    const uint64_t n = bits_of_f64(t) - bits_of_f64(whole) + 2048, half = n >> 1;
    return p * f64_of_bits((half - 1) << 52) * f64_of_bits((n - half - 1) << 52);
}
HELPER double log_f64(double x) {
    const bool tiny = x < 2.2250738585072014e-308;
    const double y = tiny ? x * 18014398509481984.0 : x;
    const uint64_t biased = (bits_of_f64(y) - UINT64_C(0x3fe6a09e667f3bcd) + (UINT64_C(1024) << 52)) >> 52;
    const double m = f64_of_bits(bits_of_f64(y) - ((biased - 1024) << 52));
    const double e = f64_of_bits(UINT64_C(0x4330000000000000) + biased) - (4503599627371520.0 + (tiny ? 54.0 : 0.0));
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
    double p = 0.14616449731154732;
    p = fma(z, p, 0.15331721596825484), p = fma(z, p, 0.18182889125373952), p = fma(z, p, 0.2222221113479354);
    p = fma(z, p, 0.2857142862597549), p = fma(z, p, 0.39999999999899505), p = fma(z, p, 0.666666666666667);
    const double value = fma(e, 0.6931471805599453, f - (half - fma(s, half + z * p, e * 2.3190468138462996e-17)));
    const double finite = x < INFINITY ? value : x, other = x == 0.0 ? -INFINITY : f64_of_bits(UINT64_C(0x7ff8000000000000));
    return x > 0.0 ? finite : other;
}
HELPER float exp_f32(float x) { return (float)exp_f64((double)x); }
HELPER float log_f32(float x) { return (float)log_f64((double)x); }

HELPER bool bool_of_f64(double x) { return x != 0 && x == x; }

/* A run of tiles that writes this much or more stores past the cache, with stores that do not read the line first. */
#ifndef TERRACE_STREAM
#define TERRACE_STREAM (INT64_C(1) << 20)
#endif
#if defined(__AVX512F__)
#define TERRACE_WIDE 64
#define TERRACE_STORE_PAST __builtin_ia32_movntdq512
#elif defined(__AVX__)
#define TERRACE_WIDE 32
#define TERRACE_STORE_PAST __builtin_ia32_movntdq256
#elif defined(__SSE2__)
#define TERRACE_WIDE 16
#define TERRACE_STORE_PAST __builtin_ia32_movntdq
#endif
#ifdef TERRACE_WIDE
typedef long long terrace_wide __attribute__((vector_size(TERRACE_WIDE), may_alias));
HELPER void stream_to(void *to, const void *from, size_t bytes) {
    char *t = to;
    const char *f = from;
    size_t at = (size_t)(-(uintptr_t)t & (TERRACE_WIDE - 1));
    if (at > bytes) at = bytes;
    memcpy(t, f, at);
    for (; at + TERRACE_WIDE <= bytes; at += TERRACE_WIDE) {
        terrace_wide x;
        memcpy(&x, f + at, sizeof x);
#ifdef __clang__
        __builtin_nontemporal_store(x, (terrace_wide *)(t + at));
#else
        TERRACE_STORE_PAST((terrace_wide *)(t + at), x);
#endif
    }
    memcpy(t + at, f + at, bytes - at);
}
HELPER void stream_run(void *to, const void *from, size_t bytes) {
    if (((uintptr_t)to | bytes) % TERRACE_WIDE == 0) stream_to(to, from, bytes);
    else memcpy(to, from, bytes);
}
HELPER void streamed(void) { __builtin_ia32_sfence(); }
#else
HELPER void stream_run(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
HELPER void stream_to(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }
HELPER void streamed(void) { }
#endif

/* Of `count` elements, those that stay go to memory one beside the other, and nothing else is written. How many are they? */
#define TERRACE_KEPT_IN_TURN(W)                                                                        \
    typedef uint##W##_t terrace_bits_##W __attribute__((may_alias));                                   \
    HELPER int64_t kept_in_turn_##W(void *to, const void *from, const uint8_t *keep, int64_t count) {  \
        int64_t kept = 0;                                                                              \
        for (int64_t at = 0; at < count; at += 64) {                                                   \
            const terrace_bits_##W *f = (const terrace_bits_##W *)from + at;                           \
            const int64_t end = min_i64(64, count - at);                                               \
            terrace_bits_##W part[64];                                                                 \
            int64_t here = 0;                                                                          \
            for (int64_t i = 0; i < end; i++) {                                                        \
                part[here] = f[i];                                                                     \
                here += keep[at + i];                                                                  \
            }                                                                                          \
            memcpy((terrace_bits_##W *)to + kept, part, (size_t)here * sizeof *part);                  \
            kept += here;                                                                              \
        }                                                                                              \
        return kept;                                                                                   \
    }
TERRACE_KEPT_IN_TURN(8)
TERRACE_KEPT_IN_TURN(16)
TERRACE_KEPT_IN_TURN(32)
TERRACE_KEPT_IN_TURN(64)
#define store_kept_8 kept_in_turn_8
#define store_kept_16 kept_in_turn_16
#ifdef __AVX512F__
HELPER unsigned terrace_stays(const uint8_t *keep) {
    uint64_t bytes;
    memcpy(&bytes, keep, sizeof bytes);
    return (unsigned)((bytes * UINT64_C(0x0102040810204080)) >> 56);
}
/* N: elements of a vector. Storing under a mask costs little; packing and storing at once is slow on some processors. */
#define TERRACE_STORE_KEPT(W, N, T, STAYS, PACK, STORE)                                                \
    typedef T terrace_vector_##W __attribute__((vector_size(64), may_alias));                          \
    HELPER int64_t store_kept_##W(void *to, const void *from, const uint8_t *keep, int64_t count) {    \
        terrace_bits_##W *t = to;                                                                      \
        const terrace_bits_##W *f = from;                                                              \
        int64_t at = 0, kept = 0;                                                                      \
        for (; at + N <= count; at += N) {                                                             \
            const unsigned stays = STAYS(keep + at), number = (unsigned)__builtin_popcount(stays);     \
            terrace_vector_##W x;                                                                      \
            memcpy(&x, f + at, sizeof x);                                                              \
            STORE((void *)(t + kept), PACK(x, x, stays), (1u << number) - 1);                          \
            kept += number;                                                                            \
        }                                                                                              \
        return kept + kept_in_turn_##W(t + kept, f + at, keep + at, count - at);                       \
    }
#define TERRACE_STAYS_16(keep) (terrace_stays(keep) | terrace_stays((keep) + 8) << 8)
TERRACE_STORE_KEPT(32, 16, int, TERRACE_STAYS_16, __builtin_ia32_compresssi512_mask, __builtin_ia32_storedqusi512_mask)
TERRACE_STORE_KEPT(64, 8, long long, terrace_stays, __builtin_ia32_compressdi512_mask, __builtin_ia32_storedqudi512_mask)
#else
#define store_kept_32 kept_in_turn_32
#define store_kept_64 kept_in_turn_64
#endif

HELPER bool within(int64_t x, int64_t end) { return (uint64_t)x < (uint64_t)(end < 0 ? 0 : end); }

/* Atomic operations whose order does not matter. GCC and clang have those of plain bits; the others try until nobody comes between. */
#define TERRACE_ATOMIC_PLAIN(N, T, WORD) \
    HELPER void atomic_##WORD##_##N(T *p, T v) { __atomic_fetch_##WORD(p, v, __ATOMIC_RELAXED); }
#define TERRACE_ATOMIC_TRIED(N, T, WORD)                                                               \
    HELPER void atomic_##WORD##_##N(T *p, T v) {                                                       \
        T old, next;                                                                                   \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                                      \
        do {                                                                                           \
            next = WORD##_##N(old, v);                                                                 \
            if (memcmp(&next, &old, sizeof next) == 0) return;                                         \
        } while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
    }
#define TERRACE_ATOMICS(N, T)                                                                          \
    TERRACE_ATOMIC_PLAIN(N, T, add)                                                                    \
    TERRACE_ATOMIC_PLAIN(N, T, and)                                                                    \
    TERRACE_ATOMIC_PLAIN(N, T, or)                                                                     \
    TERRACE_ATOMIC_PLAIN(N, T, xor)                                                                    \
    TERRACE_ATOMIC_TRIED(N, T, mul)                                                                    \
    TERRACE_ATOMIC_TRIED(N, T, min)                                                                    \
    TERRACE_ATOMIC_TRIED(N, T, max)
TERRACE_ATOMICS(i8, int8_t)
TERRACE_ATOMICS(i16, int16_t)
TERRACE_ATOMICS(i32, int32_t)
TERRACE_ATOMICS(i64, int64_t)
TERRACE_ATOMICS(u8, uint8_t)
TERRACE_ATOMICS(u16, uint16_t)
TERRACE_ATOMICS(u32, uint32_t)
TERRACE_ATOMICS(u64, uint64_t)
TERRACE_ATOMIC_TRIED(f32, float, min)
TERRACE_ATOMIC_TRIED(f32, float, max)
TERRACE_ATOMIC_TRIED(f64, double, min)
TERRACE_ATOMIC_TRIED(f64, double, max)

HELPER bool terrace_stopped(const uint64_t *err, int64_t launch) {
    uint64_t failed = __atomic_load_n(&err[1], __ATOMIC_ACQUIRE);
    return failed != 0 && failed < (uint64_t)launch;
}

static __attribute__((unused, noinline, cold)) void terrace_fail(
    uint64_t *err, int64_t launch, uint64_t check, int64_t index, int64_t a, int64_t b, int64_t c) {
    while (__atomic_exchange_n(&err[0], 1, __ATOMIC_ACQUIRE) != 0) { }
    uint64_t failed = __atomic_load_n(&err[1], __ATOMIC_RELAXED);
    bool less = failed == 0 ||
        (failed == (uint64_t)launch && (check < err[2] || (check == err[2] && index < (int64_t)err[3])));
    if (less) {
        err[2] = check;
        err[3] = (uint64_t)index;
        err[4] = (uint64_t)a;
        err[5] = (uint64_t)b;
        err[6] = (uint64_t)c;
        __atomic_store_n(&err[1], (uint64_t)launch, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&err[0], 0, __ATOMIC_RELEASE);
}

"#;
