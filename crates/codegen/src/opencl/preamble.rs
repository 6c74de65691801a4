//! What every OpenCL text starts with: the few words of the kernel language that OpenCL C does not have.
//!
//! ```text
//! add_i32(a, b)          wraps: arithmetic is in `shared::arithmetic`, the same text as for C
//! div_f32(a, b)          rounded to the nearest; a device that cannot do so divides in f64
//! shuffle_up(…)          a value from another lane, through local memory
//! combine_min_f32(…)     combines with what is there, whoever else does
//! send, receive          the same, with the value beside the flag
//! publish, await         a fence and an atomic exchange; atomic reads and a fence
//! terrace_fail(…)        a check that failed: the least (check, index) of the launch is kept
//! ```
//!
//! OpenCL 1.2 has atomic operations on 4 bytes and, by an extension, on 8. An element of one or two bytes is changed as part of its
//! word of four, to which its neighbours belong; whatever is not there natively is tried until nobody comes between.
//!
//! The record of errors is as in CUDA; its lock is the first half of word 0, so that no device needs atomic operations on 8 bytes for it.
//! The index is written before the check, so a thread that reads both without the lock sees a pair that is never smaller than what will be there in
//! the end, and may leave if its own pair is larger.
//!
//! The standard says little about work-groups that talk to each other while they run. What is asked for here: a work-group that
//! has started is not held up for ever by others that wait for it, and fences with `volatile` or atomic accesses are
//! seen in order. A work-group waits only for such as took their ticket before it.

use crate::shared::arithmetic::{ELEMENTARY, FLOATS, INTEGERS};

/// The text.
pub fn text() -> String {
    let with_f64 = ["TERRACE_FLOAT(f64, double, uint64_t, fmod, copysign)\n", ELEMENTARY].concat();
    [
        HEAD,
        INTEGERS,
        FLOATS,
        "TERRACE_FLOAT(f32, float, uint32_t, fmod, copysign)\n#ifdef cl_khr_fp64\n",
        &with_f64,
        TAIL,
    ]
    .concat()
}

/// Before arithmetic.
const HEAD: &str = r#"/* Kernels written by the Terrace compiler. */
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#define HELPER static
#define int8_t char
#define int16_t short
#define int32_t int
#define int64_t long
#define uint8_t uchar
#define uint16_t ushort
#define uint32_t uint
#define uint64_t ulong
#define INT64_C(n) n##L
#define UINT64_C(n) n##UL
#define INT8_MIN (-128)
#define INT16_MIN (-32768)
#define INT32_MIN (-2147483647 - 1)
#define INT64_MIN (-9223372036854775807L - 1)

HELPER float f32_of_bits(uint32_t bits) { return as_float(bits); }
HELPER uint32_t bits_of_f32(float x) { return as_uint(x); }
#ifdef cl_khr_fp64
HELPER double f64_of_bits(uint64_t bits) { return as_double(bits); }
HELPER uint64_t bits_of_f64(double x) { return as_ulong(x); }
#endif

"#;

/// After it.
const TAIL: &str = r#"
HELPER double sqrt_f64(double x) { return sqrt(x); }
#else
HELPER float exp_f32(float x) { return exp(x); }
HELPER float log_f32(float x) { return log(x); }
#endif

/* The runtime defines TERRACE_ROUNDED where the device rounds these to the nearest. */
#if !defined(TERRACE_ROUNDED) && defined(cl_khr_fp64)
HELPER float div_f32(float a, float b) { return (float)((double)a / (double)b); }
HELPER float sqrt_f32(float x) { return (float)sqrt((double)x); }
#else
HELPER float div_f32(float a, float b) { return a / b; }
HELPER float sqrt_f32(float x) { return sqrt(x); }
#endif

#define MEET barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#ifdef __NV_CL_C_VERSION
#define FENCE asm volatile("membar.gl;" ::: "memory")
#else
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
/* An element that another work-group may have written during this launch. */
#define FRESH(T, p, at) (((volatile __global const T *)(p))[at])

/* Values from other lanes of a warp of 32. The whole work-group comes along. */
HELPER uint64_t terrace_exchanged(__local uint64_t *exchange, uint64_t x, int from) {
    barrier(CLK_LOCAL_MEM_FENCE);
    exchange[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return exchange[from];
}
HELPER uint64_t shuffle_up(__local uint64_t *exchange, uint64_t x, int64_t by) {
    const int own = (int)get_local_id(0), lane = own & 31;
    return terrace_exchanged(exchange, x, lane < (int)by ? own : own - (int)by);
}
HELPER uint64_t shuffle_down(__local uint64_t *exchange, uint64_t x, int64_t by) {
    const int own = (int)get_local_id(0), lane = own & 31;
    return terrace_exchanged(exchange, x, lane + (int)by > 31 ? own : own + (int)by);
}
HELPER uint64_t shuffle_lane(__local uint64_t *exchange, uint64_t x, int64_t lane) {
    return terrace_exchanged(exchange, x, ((int)get_local_id(0) & ~31) | ((int)lane & 31));
}

HELPER bool terrace_stopped(volatile __global uint64_t *err, int64_t launch) {
    const uint64_t failed = err[1];
    return failed != 0 && failed < (uint64_t)launch;
}
HELPER bool terrace_less(volatile __global uint64_t *err, uint64_t check, int64_t index, int64_t a, int64_t b, int64_t c) {
    if (err[2] != check) return check < err[2];
    const int64_t mine[4] = {index, a, b, c};
    for (int i = 0; i < 4; i++) {
        const int64_t theirs = (int64_t)err[3 + i];
        if (mine[i] != theirs) return mine[i] < theirs;
    }
    return false;
}
HELPER bool terrace_recorded(volatile __global uint64_t *err, int64_t launch, uint64_t check, int64_t index) {
    if (err[1] != (uint64_t)launch) return false;
    FENCE;
    const uint64_t found = err[2];
    FENCE;
    return found < check || (found == check && (int64_t)err[3] < index);
}
HELPER void terrace_fail(volatile __global uint64_t *err, int64_t launch, uint64_t check, int64_t index, int64_t a, int64_t b,
                         int64_t c) {
    volatile __global uint32_t *lock = (volatile __global uint32_t *)err;
    if (terrace_recorded(err, launch, check, index)) return;
    for (bool done = false; !done;) {
        if (atomic_cmpxchg(lock, 0u, 1u) == 0u) {
            FENCE;
            if (err[1] == 0 || terrace_less(err, check, index, a, b, c)) {
                err[3] = (uint64_t)index;
                err[4] = (uint64_t)a;
                err[5] = (uint64_t)b;
                err[6] = (uint64_t)c;
                FENCE;
                err[2] = check;
                FENCE;
                err[1] = (uint64_t)launch;
            }
            FENCE;
            atomic_xchg(lock, 0u);
            done = true;
        }
    }
}

HELPER void terrace_publish(volatile __global int32_t *flags, int64_t at, int32_t value) {
    FENCE;
    atomic_xchg(&flags[at], value);
}
HELPER int32_t terrace_await(volatile __global int32_t *flags, int64_t at) {
    int32_t value = atomic_add(&flags[at], 0);
    while (value == 0) value = atomic_add(&flags[at], 0);
    FENCE;
    return value;
}
/* Equal places among the 32 threads of a warp, numbered: each takes a bit of the place's mark. The whole work-group comes along. */
HELPER uint32_t terrace_rank(volatile __local uint32_t *counts, volatile __local uint32_t *marks, int64_t at) {
    const uint32_t lane = (uint32_t)get_local_id(0) & 31u;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_or(&marks[at], 1u << lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t same = marks[at], old = counts[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 31u - clz(same)) {
        counts[at] = old + popcount(same);
        marks[at] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return old + popcount(same & ((1u << lane) - 1u));
}
/* Counts of earlier tiles. The highest bit of a word says that it is there. */
HELPER void terrace_announce(volatile __global int32_t *words, int64_t at, int32_t count) {
    atomic_xchg(&words[at], count | INT32_MIN);
}
HELPER int64_t terrace_counts(volatile __global int32_t *words, int64_t first, int64_t count) {
    int64_t sum = 0;
    for (int64_t k = 0; k < count; k++) {
        int32_t word = atomic_add(&words[(first + k) * 256], 0);
        while (word == 0) word = atomic_add(&words[(first + k) * 256], 0);
        sum += word & 0x7fffffff;
    }
    return sum;
}
HELPER int64_t terrace_earlier(volatile __global int32_t *words, volatile __global int64_t *tops, int64_t tiles, int64_t tile,
                               int64_t column, int32_t own) {
    const int64_t d = tile & 7, c = tile >> 3 & 7, b = tile >> 6 & 7, a = tile >> 9;
    volatile __global int32_t *groups = words + tiles * 256, *supers = groups + ((tiles >> 3) + 1) * 256;
    int64_t sum = terrace_counts(words + column, tile - d, d);
    if (d == 7) terrace_announce(groups, (tile >> 3) * 256 + column, (int32_t)sum + own);
    sum += terrace_counts(groups + column, (tile >> 3) - c, c);
    if (d == 7 && c == 7) terrace_announce(supers, (tile >> 6) * 256 + column, (int32_t)sum + own);
    sum += terrace_counts(supers + column, (tile >> 6) - b, b);
    if (a > 0) {
        int64_t top = tops[a * 256 + column];
        while (top == 0) {
            FENCE;
            top = tops[a * 256 + column];
        }
        sum += top & ~INT64_MIN;
    }
    if (d == 7 && c == 7 && b == 7) tops[(a + 1) * 256 + column] = (sum + own) | INT64_MIN;
    return sum;
}
HELPER void terrace_send(volatile __global int32_t *words, int64_t at, uint64_t bits, int32_t count, int32_t flag) {
    words[at] = (int32_t)bits;
    if (count == 2) words[at + 2] = (int32_t)(bits >> 32);
    terrace_publish(words, at + 1, flag);
}
HELPER int32_t terrace_peek(volatile __global int32_t *words, int64_t at) {
    const int32_t flag = atomic_add(&words[at + 1], 0);
    FENCE;
    return flag;
}
HELPER int32_t terrace_receive(volatile __global int32_t *words, int64_t at) { return terrace_await(words, at + 1); }
HELPER uint64_t terrace_received(volatile __global int32_t *words, int64_t at, int32_t count) {
    return (uint32_t)words[at] | (count == 2 ? (uint64_t)(uint32_t)words[at + 2] << 32 : 0);
}
#define TERRACE_FETCH_ADD(N, T, ADD)                                                                   \
    HELPER T fetch_add_##N(volatile __global T *p, int64_t at, T v) {                                  \
        FENCE;                                                                                         \
        const T old = ADD(&p[at], v);                                                                  \
        FENCE;                                                                                         \
        return old;                                                                                    \
    }
TERRACE_FETCH_ADD(i32, int32_t, atomic_add)
TERRACE_FETCH_ADD(u32, uint32_t, atomic_add)

/* Atomic operations whose order does not matter: on global memory and, of 4 and 8 bytes, on local memory. */
#define TERRACE_NATIVE(N, T, WORD)                                                                     \
    HELPER void combine_##WORD##_##N(volatile __global T *p, int64_t at, T v) { atomic_##WORD(&p[at], v); } \
    HELPER void gather_##WORD##_##N(volatile __local T *p, int64_t at, T v) { atomic_##WORD(&p[at], v); }
/* In a word of 4 bytes, with its neighbours: B bytes of bits U. No macro passes WORD on: some are macros themselves. */
#define TERRACE_TRIED_IN(NAME, SPACE, N, T, B, U, WORD, TO, OF)                                        \
    HELPER void NAME##_##WORD##_##N(volatile SPACE T *p, int64_t at, T v) {                            \
        volatile SPACE uint32_t *word = (volatile SPACE uint32_t *)p + at * B / 4;                     \
        const uint32_t shift = (uint32_t)(at * B % 4) * 8, mask = (~0u >> (32 - 8 * B)) << shift;      \
        uint32_t old = *word, seen = old;                                                              \
        do {                                                                                           \
            old = seen;                                                                                \
            const U part = (U)((old & mask) >> shift);                                                 \
            const U next = TO(WORD##_##N(OF(part), v));                                                \
            if (next == part) return;                                                                  \
            seen = atomic_cmpxchg(word, old, (old & ~mask) | (uint32_t)next << shift);                 \
        } while (seen != old);                                                                         \
    }
#define TERRACE_TRIED_WIDE_IN(NAME, SPACE, N, T, WORD, TO, OF)                                         \
    HELPER void NAME##_##WORD##_##N(volatile SPACE T *p, int64_t at, T v) {                            \
        volatile SPACE uint64_t *word = (volatile SPACE uint64_t *)p + at;                             \
        uint64_t old = *word, seen = old;                                                              \
        do {                                                                                           \
            old = seen;                                                                                \
            const uint64_t next = TO(WORD##_##N(OF(old), v));                                          \
            if (next == old) return;                                                                   \
            seen = atom_cmpxchg(word, old, next);                                                      \
        } while (seen != old);                                                                         \
    }
#define TERRACE_BITWISE(N, T)                                                                          \
    HELPER T and_##N(T a, T b) { return (T)(a & b); }                                                  \
    HELPER T or_##N(T a, T b) { return (T)(a | b); }                                                   \
    HELPER T xor_##N(T a, T b) { return (T)(a ^ b); }
#define TERRACE_SMALL(N, T, B, U)                                                                      \
    TERRACE_BITWISE(N, T)                                                                              \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, add, (U), (T))                                     \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, mul, (U), (T))                                     \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, min, (U), (T))                                     \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, max, (U), (T))                                     \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, and, (U), (T))                                     \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, or, (U), (T))                                      \
    TERRACE_TRIED_IN(combine, __global, N, T, B, U, xor, (U), (T))
#define TERRACE_WORD(N, T)                                                                             \
    TERRACE_NATIVE(N, T, add)                                                                          \
    TERRACE_TRIED_IN(combine, __global, N, T, 4, uint32_t, mul, (uint32_t), (T))                       \
    TERRACE_TRIED_IN(gather, __local, N, T, 4, uint32_t, mul, (uint32_t), (T))                         \
    TERRACE_NATIVE(N, T, min)                                                                          \
    TERRACE_NATIVE(N, T, max)                                                                          \
    TERRACE_NATIVE(N, T, and)                                                                          \
    TERRACE_NATIVE(N, T, or)                                                                           \
    TERRACE_NATIVE(N, T, xor)
#define TERRACE_LONG(N, T)                                                                             \
    TERRACE_FETCH_ADD(N, T, atom_add)                                                                  \
    TERRACE_BITWISE(N, T)                                                                              \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, add, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, add, (uint64_t), (T))                                 \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, mul, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, mul, (uint64_t), (T))                                 \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, min, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, min, (uint64_t), (T))                                 \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, max, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, max, (uint64_t), (T))                                 \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, and, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, and, (uint64_t), (T))                                 \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, or, (uint64_t), (T))                                \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, or, (uint64_t), (T))                                  \
    TERRACE_TRIED_WIDE_IN(combine, __global, N, T, xor, (uint64_t), (T))                               \
    TERRACE_TRIED_WIDE_IN(gather, __local, N, T, xor, (uint64_t), (T))
TERRACE_SMALL(i8, int8_t, 1, uint8_t)
TERRACE_SMALL(u8, uint8_t, 1, uint8_t)
TERRACE_SMALL(i16, int16_t, 2, uint16_t)
TERRACE_SMALL(u16, uint16_t, 2, uint16_t)
TERRACE_WORD(i32, int32_t)
TERRACE_WORD(u32, uint32_t)
TERRACE_TRIED_IN(combine, __global, f32, float, 4, uint32_t, min, as_uint, as_float)
TERRACE_TRIED_IN(gather, __local, f32, float, 4, uint32_t, min, as_uint, as_float)
TERRACE_TRIED_IN(combine, __global, f32, float, 4, uint32_t, max, as_uint, as_float)
TERRACE_TRIED_IN(gather, __local, f32, float, 4, uint32_t, max, as_uint, as_float)
#ifdef cl_khr_int64_base_atomics
TERRACE_LONG(i64, int64_t)
TERRACE_LONG(u64, uint64_t)
#ifdef cl_khr_fp64
TERRACE_TRIED_WIDE_IN(combine, __global, f64, double, min, as_ulong, as_double)
TERRACE_TRIED_WIDE_IN(gather, __local, f64, double, min, as_ulong, as_double)
TERRACE_TRIED_WIDE_IN(combine, __global, f64, double, max, as_ulong, as_double)
TERRACE_TRIED_WIDE_IN(gather, __local, f64, double, max, as_ulong, as_double)
#endif
#endif

"#;
