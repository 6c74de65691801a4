//! What every C text starts with: the few words of the kernel language that C does not have.
//!
//! ```text
//! add_i32(a, b)     wraps: arithmetic is in `shared::arithmetic`
//! key_f64(x)        the place in the total order as a signed integer
//! store_kept_64(…)  elements that stay, packed by vectors where the processor can
//! atomic_min_f32    combines with what is there, whoever else does
//! terrace_fail(…)   a check that failed: the least (check, index) of the launch is kept
//! ```
//!
//! The error record: word 0 is a lock, 1 the launch that failed, 2 the check, 3 the index, 4 to 6 the values. A thread that
//! cannot take the lock waits: failing is rare, and the record decides what is reported.

use crate::shared::arithmetic::{ELEMENTARY, FLOATS, INTEGERS, TRIGONOMETRY};

/// The text.
pub fn text() -> String {
    let floats = "TERRACE_FLOAT(f32, float, uint32_t, fmodf, copysignf)\nTERRACE_FLOAT(f64, double, uint64_t, fmod, copysign)\n\n";
    [HEAD, INTEGERS, FLOATS, floats, ELEMENTARY, TRIGONOMETRY, KEYS, TAIL].concat()
}

/// Before arithmetic.
const HEAD: &str = r#"/* Kernels written by the Terrace compiler. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wtype-limits"
#define UNLIKELY(c) __builtin_expect(c, 0)
#define HELPER static inline __attribute__((unused, always_inline))

/* The lanes of a reduction. */
typedef float f32x16 __attribute__((vector_size(64)));
typedef double f64x8 __attribute__((vector_size(64)));
typedef int32_t i32x16 __attribute__((vector_size(64)));
typedef int64_t i64x8 __attribute__((vector_size(64)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));
typedef uint64_t u64x8 __attribute__((vector_size(64)));
/* The compiler must not compute a pointer again with every use. */
#define KEPT(x) __asm__("" : "+r"(x))
/* The compiler must not take a vector from memory again. */
#ifdef __AVX512F__
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif

#define TERRACE_BITS(F, FT, U)                                                                         \
    HELPER FT F##_of_bits(U bits) { FT x; memcpy(&x, &bits, sizeof x); return x; }                     \
    HELPER U bits_of_##F(FT x) { U bits; memcpy(&bits, &x, sizeof bits); return bits; }
TERRACE_BITS(f32, float, uint32_t)
TERRACE_BITS(f64, double, uint64_t)

"#;

/// Keys, and what vectors of them combine by.
const KEYS: &str = r#"/* Among signed integers: what stands before another in the total order has the smaller key; all NaNs have one. */
#define TERRACE_KEYS(F, FT, I, IT, U, UT, N, SIGN, NOT_A_NUMBER)                                       \
    HELPER IT key_##F(FT x) {                                                                          \
        const UT bits = bits_of_##F(x);                                                                \
        return x != x ? (IT)NOT_A_NUMBER : (IT)(bits ^ (UT)((IT)bits >> SIGN) >> 1);                   \
    }                                                                                                  \
    HELPER FT F##_of_key(IT key) { return F##_of_bits((UT)key ^ (UT)(key >> SIGN) >> 1); }             \
    HELPER FT min_of_keys_##F(FT a, FT b) { return key_##F(b) < key_##F(a) ? b : a; }                  \
    HELPER FT max_of_keys_##F(FT a, FT b) { return key_##F(a) < key_##F(b) ? b : a; }                  \
    HELPER I##x##N key_##F##x##N(F##x##N x) {                                                        \
        I##x##N bits;                                                                                \
        memcpy(&bits, &x, sizeof bits);                                                                \
        const I##x##N nan = (I##x##N)(x != x), key = bits ^ (I##x##N)((U##x##N)(bits >> SIGN) >> 1); \
        return (key & ~nan) | (nan & NOT_A_NUMBER);                                                    \
    }                                                                                                  \
    HELPER F##x##N F##x##N##_of_key(I##x##N key) {                                                   \
        const I##x##N bits = key ^ (I##x##N)((U##x##N)(key >> SIGN) >> 1);                       \
        F##x##N x;                                                                                     \
        memcpy(&x, &bits, sizeof x);                                                                   \
        return x;                                                                                      \
    }
#define TERRACE_LANES_ORDER(V)                                                                         \
    HELPER V min_##V(V a, V b) { const V less = (V)(b < a); return (b & less) | (a & ~less); }         \
    HELPER V max_##V(V a, V b) { const V less = (V)(a < b); return (b & less) | (a & ~less); }
TERRACE_KEYS(f32, float, i32, int32_t, u32, uint32_t, 16, 31, INT32_C(0x7fc00000))
TERRACE_KEYS(f64, double, i64, int64_t, u64, uint64_t, 8, 63, INT64_C(0x7ff8000000000000))
TERRACE_LANES_ORDER(i32x16)
TERRACE_LANES_ORDER(i64x8)

"#;

/// After it.
const TAIL: &str = r#"/* A run of tiles that writes this much or more stores past the cache, with stores that do not read the line first. */
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

/* Elements of `base` at the indices from `at` on. The processor's instruction for it is faster than loads one by one on some processors, and slower on others. */
#if defined(TERRACE_GATHER) && defined(__AVX512F__)
#define TERRACE_GATHERS(WAY, V, I, CALL, BASE, ALL, SIZE)                                                \
    typedef I terrace_at_##WAY __attribute__((vector_size(sizeof(V) / SIZE * sizeof(I))));             \
    HELPER V gathered_##WAY(const BASE *base, const I *at) {                                           \
        terrace_at_##WAY x;                                                                            \
        memcpy(&x, at, sizeof x);                                                                      \
        return (V)CALL((V){0}, base, x, ALL, SIZE);                                                    \
    }
TERRACE_GATHERS(f64x8_i32, f64x8, int, __builtin_ia32_gathersiv8df, double, (char)-1, 8)
TERRACE_GATHERS(f64x8_i64, f64x8, long long, __builtin_ia32_gatherdiv8df, double, (char)-1, 8)
TERRACE_GATHERS(f32x16_i32, f32x16, int, __builtin_ia32_gathersiv16sf, float, (short)-1, 4)
#define GATHERED_f64x8_i32(BASE, AT, ...) gathered_f64x8_i32(BASE, (const int *)(AT))
#define GATHERED_f64x8_i64(BASE, AT, ...) gathered_f64x8_i64(BASE, (const long long *)(AT))
#define GATHERED_f32x16_i32(BASE, AT, ...) gathered_f32x16_i32(BASE, (const int *)(AT))
#else
#define GATHERED_f64x8_i32(BASE, AT, ...) __VA_ARGS__
#define GATHERED_f64x8_i64(BASE, AT, ...) __VA_ARGS__
#define GATHERED_f32x16_i32(BASE, AT, ...) __VA_ARGS__
#endif
#define GATHERED_f32x16_i64(BASE, AT, ...) __VA_ARGS__
#define GATHERED(WAY, BASE, AT, ...) GATHERED_##WAY(BASE, AT, __VA_ARGS__)

/* Of `count` elements, those that stay go to memory one beside the other. How many are they? Only the first `room` places may be written, but those all. */
#define TERRACE_KEPT_IN_TURN(W)                                                                        \
    typedef uint##W##_t terrace_bits_##W __attribute__((may_alias));                                   \
    HELPER int64_t kept_in_turn_##W(                                                                   \
        void *to, int64_t room, const void *from, const uint8_t *keep, int64_t count) {                \
        int64_t kept = 0;                                                                              \
        for (int64_t at = 0; at < count; at += 64) {                                                   \
            const terrace_bits_##W *f = (const terrace_bits_##W *)from + at;                           \
            const int64_t end = min_i64(64, count - at);                                               \
            terrace_bits_##W part[64], *own = (terrace_bits_##W *)to + kept;                           \
            const bool there = room - kept >= 64;                                                      \
            terrace_bits_##W *t = there ? own : part;                                                  \
            int64_t here = 0;                                                                          \
            for (int64_t i = 0; i < end; i++) {                                                        \
                t[here] = f[i];                                                                        \
                here += keep[at + i];                                                                  \
            }                                                                                          \
            if (!there) memcpy(own, part, (size_t)here * sizeof *part);                                \
            kept += here;                                                                              \
        }                                                                                              \
        return kept;                                                                                   \
    }
TERRACE_KEPT_IN_TURN(8)
TERRACE_KEPT_IN_TURN(16)
TERRACE_KEPT_IN_TURN(32)
TERRACE_KEPT_IN_TURN(64)
#ifdef __AVX512BW__
typedef char terrace_bytes __attribute__((vector_size(64), may_alias));
HELPER uint64_t terrace_stays(const uint8_t *keep) {
    terrace_bytes k;
    memcpy(&k, keep, sizeof k);
    return (uint64_t)__builtin_ia32_cvtb2mask512(-k);
}
/* N: elements of a vector. Storing all of a vector costs least, storing under a mask little; packing and storing at once is slow on some processors. */
#define TERRACE_STORE_KEPT(W, N, T, MASK, PACK, STORE)                                                 \
    typedef T terrace_vector_##W __attribute__((vector_size(64), may_alias));                          \
    HELPER int64_t store_kept_##W(                                                                     \
        void *to, int64_t room, const void *from, const uint8_t *keep, int64_t count) {                \
        terrace_bits_##W *t = to;                                                                      \
        const terrace_bits_##W *f = from;                                                              \
        int64_t at = 0, kept = 0;                                                                      \
        for (; at + 64 <= count; at += 64) {                                                           \
            const uint64_t all = terrace_stays(keep + at);                                             \
            const bool there = kept + 64 <= room;                                                      \
            for (int k = 0; k < 64; k += N) {                                                          \
                const MASK stays = (MASK)(all >> k);                                                   \
                const int number = __builtin_popcountll(stays);                                        \
                terrace_vector_##W x;                                                                  \
                memcpy(&x, f + at + k, sizeof x);                                                      \
                x = (terrace_vector_##W)PACK(x, x, stays);                                             \
                if (there) memcpy(t + kept, &x, sizeof x);                                             \
                else STORE((void *)(t + kept), x, (MASK)((number < 64 ? UINT64_C(1) << number : 0) - 1));\
                kept += number;                                                                        \
            }                                                                                          \
        }                                                                                              \
        return kept + kept_in_turn_##W(t + kept, room - kept, f + at, keep + at, count - at);          \
    }
TERRACE_STORE_KEPT(32, 16, int, uint16_t, __builtin_ia32_compresssi512_mask, __builtin_ia32_storedqusi512_mask)
TERRACE_STORE_KEPT(64, 8, long long, uint8_t, __builtin_ia32_compressdi512_mask, __builtin_ia32_storedqudi512_mask)
#else
#define store_kept_32 kept_in_turn_32
#define store_kept_64 kept_in_turn_64
#endif
#ifdef __AVX512VBMI2__
TERRACE_STORE_KEPT(8, 64, char, uint64_t, __builtin_ia32_compressqi512_mask, __builtin_ia32_storedquqi512_mask)
TERRACE_STORE_KEPT(16, 32, short, uint32_t, __builtin_ia32_compresshi512_mask, __builtin_ia32_storedquhi512_mask)
#else
#define store_kept_8 kept_in_turn_8
#define store_kept_16 kept_in_turn_16
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
