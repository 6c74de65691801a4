//! What every C text starts with: the few words of the kernel language that C does not have.
//!
//! ```text
//! add_i32(a, b)     wraps; plain `+` on signed integers may not
//! div_i64(a, b)     rounds towards minus infinity, 0 where the divisor is
//! min_f64(a, b)     the total order: -0 before +0, NaN last
//! i32_of_f64(x)     saturates, NaN gives 0
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
    HELPER T min_##N(T a, T b) { return before_##N(b, a) ? b : a; }                                    \
    HELPER T max_##N(T a, T b) { return before_##N(a, b) ? b : a; }                                    \
    HELPER T rem_##N(T a, T b) {                                                                       \
        T r = FMOD(a, b);                                                                              \
        if (r == 0) return COPYSIGN((T)0, b);                                                          \
        return (r < 0) != (b < 0) ? r + b : r;                                                         \
    }

TERRACE_FLOAT(f32, float, uint32_t, fmodf, copysignf)
TERRACE_FLOAT(f64, double, uint64_t, fmod, copysign)
HELPER bool bool_of_f64(double x) { return x != 0 && x == x; }
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
