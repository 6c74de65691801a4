//! Arithmetic that C and OpenCL C both have to be told: the same text, so the same bits.
//!
//! ```text
//! add_i32(a, b)     wraps; plain `+` on signed integers may not
//! div_i64(a, b)     rounds towards minus infinity, 0 where the divisor is
//! min_f64(a, b)     the total order: -0 before +0, NaN last
//! ordinal_f64(x)    the place in that order as an unsigned integer
//! i32_of_f64(x)     saturates, NaN gives 0
//! exp_f64(x)        the steps of `terrace_base::elementary`, which vectorise
//! ```
//!
//! A dialect defines `HELPER` and the names of `stdint.h`, and per float type `bits_of_f32` and `f32_of_bits`; then it takes the parts that its
//! device can compile: one without `double` leaves `TERRACE_FLOAT(f64, …)` and [`ELEMENTARY`] out.

/// Integers.
pub const INTEGERS: &str = r#"/* T: the type; U: an unsigned type at least as wide as int; W: the width. */
#define TERRACE_INTEGER(N, T, U, W)                                                                    \
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
    HELPER T rem_##N(T a, T b) { return b == 0 ? (T)0 : sub_##N(a, mul_##N(div_##N(a, b), b)); }

TERRACE_INTEGER(i8, int8_t, uint32_t, 8)
TERRACE_INTEGER(i16, int16_t, uint32_t, 16)
TERRACE_INTEGER(i32, int32_t, uint32_t, 32)
TERRACE_INTEGER(i64, int64_t, uint64_t, 64)
TERRACE_INTEGER(u8, uint8_t, uint32_t, 8)
TERRACE_INTEGER(u16, uint16_t, uint32_t, 16)
TERRACE_INTEGER(u32, uint32_t, uint32_t, 32)
TERRACE_INTEGER(u64, uint64_t, uint64_t, 64)

HELPER uint32_t ordinal_bool(bool x) { return x; }
HELPER uint32_t ordinal_i8(int8_t x) { return (uint8_t)x ^ 0x80u; }
HELPER uint32_t ordinal_i16(int16_t x) { return (uint16_t)x ^ 0x8000u; }
HELPER uint32_t ordinal_i32(int32_t x) { return (uint32_t)x ^ 0x80000000u; }
HELPER uint64_t ordinal_i64(int64_t x) { return (uint64_t)x ^ ((uint64_t)1 << 63); }
HELPER uint32_t ordinal_u8(uint8_t x) { return x; }
HELPER uint32_t ordinal_u16(uint16_t x) { return x; }
HELPER uint32_t ordinal_u32(uint32_t x) { return x; }
HELPER uint64_t ordinal_u64(uint64_t x) { return x; }

"#;

/// A macro for each float type: conversions to integers, the total order, the remainder.
pub const FLOATS: &str = r#"/* F, FT: the float; U: its bits. LEAST: the least value of an integer type. */
#define TERRACE_OF_FLOAT(N, T, U, W, LEAST, F, FT)                                                     \
    HELPER T N##_of_##F(FT x) {                                                                        \
        const FT end = LEAST < 0 ? -(FT)LEAST : 2 * (FT)((U)1 << (W - 1));                             \
        if (x != x) return 0;                                                                          \
        if (x >= end) return (T)~(T)LEAST;                                                             \
        if (x <= (FT)LEAST) return LEAST;                                                              \
        return (T)x;                                                                                   \
    }
#define TERRACE_FLOAT(F, FT, U, FMOD, COPYSIGN)                                                        \
    TERRACE_OF_FLOAT(i8, int8_t, uint32_t, 8, INT8_MIN, F, FT)                                         \
    TERRACE_OF_FLOAT(i16, int16_t, uint32_t, 16, INT16_MIN, F, FT)                                     \
    TERRACE_OF_FLOAT(i32, int32_t, uint32_t, 32, INT32_MIN, F, FT)                                     \
    TERRACE_OF_FLOAT(i64, int64_t, uint64_t, 64, INT64_MIN, F, FT)                                     \
    TERRACE_OF_FLOAT(u8, uint8_t, uint32_t, 8, 0, F, FT)                                               \
    TERRACE_OF_FLOAT(u16, uint16_t, uint32_t, 16, 0, F, FT)                                            \
    TERRACE_OF_FLOAT(u32, uint32_t, uint32_t, 32, 0, F, FT)                                            \
    TERRACE_OF_FLOAT(u64, uint64_t, uint64_t, 64, 0, F, FT)                                            \
    HELPER bool bool_of_##F(FT x) { return x != 0 && x == x; }                                         \
    HELPER U ordinal_##F(FT x) {                                                                       \
        const U sign = (U)1 << (sizeof(U) * 8 - 1), bits = bits_of_##F(x);                             \
        return (bits ^ (-(bits >> (sizeof(U) * 8 - 1)) | sign)) | -(U)(x != x);                        \
    }                                                                                                  \
    /* Without branches, so that loops become vector code. Of equal numbers only zeros differ in their bits. */\
    HELPER FT min_##F(FT a, FT b) {                                                                    \
        const FT one = b < a ? b : a, either = F##_of_bits(bits_of_##F(a) | bits_of_##F(b));           \
        const FT less = a == b ? either : one;                                                         \
        return (a != a) & (b == b) ? b : less;                                                         \
    }                                                                                                  \
    HELPER FT max_##F(FT a, FT b) {                                                                    \
        const FT one = a < b ? b : a, both = F##_of_bits(bits_of_##F(a) & bits_of_##F(b));             \
        const FT more = a == b ? both : one;                                                           \
        return (b != b) & (a == a) ? b : more;                                                         \
    }                                                                                                  \
    HELPER FT rem_##F(FT a, FT b) {                                                                    \
        FT r = FMOD(a, b);                                                                             \
        if (r == 0) return COPYSIGN((FT)0, b);                                                         \
        return (r < 0) != (b < 0) ? r + b : r;                                                         \
    }

"#;

/// `exp`, `log` and `cosh`.
pub const ELEMENTARY: &str = r#"/* exp, log and cosh without a branch or a call, step by step as the interpreter computes them. */
HELPER double exp_over_f64(double x, uint64_t halvings) {
    const double low = x < -746.0 ? -746.0 : x, y = low > 711.0 ? 711.0 : low;
    const double whole = 6755399441055744.0, t = fma(y, 1.4426950408889634, whole), k = t - whole;
    const double r = fma(k, -2.3190468138462996e-17, fma(k, -0.6931471805599453, y));
    double p = 2.5100375860441218e-08;
    p = fma(r, p, 2.7620075916237706e-07), p = fma(r, p, 2.755726848025142e-06), p = fma(r, p, 2.480152132229249e-05);
    p = fma(r, p, 0.00019841269863040583), p = fma(r, p, 0.0013888888917196768), p = fma(r, p, 0.008333333333330065);
    p = fma(r, p, 0.041666666666624164), p = fma(r, p, 0.16666666666666669), p = fma(r, p, 0.5000000000000001);
    p = fma(r, fma(r, p, 1.0), 1.0);
    const uint64_t n = bits_of_f64(t) - bits_of_f64(whole) + (2048 - halvings), halved = n >> 1;
    return p * f64_of_bits((halved - 1) << 52) * f64_of_bits((n - halved - 1) << 52);
}
HELPER double exp_f64(double x) { return exp_over_f64(x, 0); }
HELPER double log_f64(double x) {
    const bool tiny = x < 2.2250738585072014e-308;
    const double y = tiny ? x * 18014398509481984.0 : x;
    const uint64_t biased = (bits_of_f64(y) - UINT64_C(0x3fe6a09e667f3bcd) + (UINT64_C(1024) << 52)) >> 52;
    const double m = f64_of_bits(bits_of_f64(y) - ((biased - 1024) << 52));
    const double e = f64_of_bits(UINT64_C(0x4330000000000000) + biased) - (4503599627371520.0 + (tiny ? 54.0 : 0.0));
    const double f = m - 1.0, s = f / (2.0 + f), z = s * s, halved = 0.5 * f * f;
    double p = 0.14616449731154732;
    p = fma(z, p, 0.15331721596825484), p = fma(z, p, 0.18182889125373952), p = fma(z, p, 0.2222221113479354);
    p = fma(z, p, 0.2857142862597549), p = fma(z, p, 0.39999999999899505), p = fma(z, p, 0.666666666666667);
    const double value = fma(e, 0.6931471805599453, f - (halved - fma(s, halved + z * p, e * 2.3190468138462996e-17)));
    const double finite = x < INFINITY ? value : x, other = x == 0.0 ? -INFINITY : f64_of_bits(UINT64_C(0x7ff8000000000000));
    return x > 0.0 ? finite : other;
}
HELPER double cosh_f64(double x) { const double over_2 = exp_over_f64(fabs(x), 1); return over_2 + 0.25 / over_2; }
HELPER float exp_f32(float x) { return (float)exp_f64((double)x); }
HELPER float log_f32(float x) { return (float)log_f64((double)x); }
HELPER float cosh_f32(float x) { return (float)cosh_f64((double)x); }

"#;

/// `sin` and `cos`, for C.
pub const TRIGONOMETRY: &str = r#"/* sin and cos, step by step as the interpreter computes them. A loop in which `far` points to something tells it of arguments that are too large, and is vector code;
   elsewhere `far` is nothing, and the library is asked. */
static int64_t *const far = 0;
HELPER double turned_f64(double x, uint64_t quarters) {
    const double whole = 6755399441055744.0, t = fma(x, 0.6366197723675814, whole), k = t - whole;
    const double a = fma(-k, 1.5707963267341256, x), b = k * 6.077100506303966e-11, c = k * 2.0222662487111665e-21;
    const double d = a - b, d_seen = a - d, d_low = (a - (d + d_seen)) + (d_seen - b);
    const double e = d - c, e_seen = d - e, e_low = (d - (e + e_seen)) + (e_seen - c);
    const double low = fma(-k, 8.4784276603689e-32, d_low + e_low), r = e + low, rest = (e - r) + low, z = r * r;
    double p = 1.591810123027412e-10, q = -1.1382614868556325e-11;
    p = fma(z, p, -2.5051131455427946e-08), p = fma(z, p, 2.755731610068303e-06), p = fma(z, p, -0.0001984126983675497);
    p = fma(z, p, 0.008333333333330946), p = fma(z, p, -0.16666666666666666);
    q = fma(z, q, 2.0876146024689747e-09), q = fma(z, q, -2.7557317270560326e-07), q = fma(z, q, 2.4801587298763433e-05);
    q = fma(z, q, -0.0013888888888887395), q = fma(z, q, 0.041666666666666664);
    const double sine = r + fma(z * r, p, fma(-0.5 * z, rest, rest)), halved = 0.5 * z, most = 1.0 - halved;
    const double cosine = most + (((1.0 - most) - halved) + fma(z * z, q, -(r * rest)));
    const uint64_t n = bits_of_f64(t) - bits_of_f64(whole) + quarters;
    return f64_of_bits(bits_of_f64(n & 1 ? cosine : sine) ^ (n & 2) << 62);
}
HELPER bool is_near(double x) { return fabs(x) <= 1048576.0; }
/* Both at once: who wants the sine of a number often wants its cosine, and calls it once. */
static __attribute__((unused, noinline, const)) _Complex double cos_and_sin(double x) {
    if (is_near(x)) return __builtin_complex(turned_f64(x, 1), x == 0.0 ? x : turned_f64(x, 0));
    return __builtin_complex(cos(x), sin(x));
}
HELPER double sin_within(double x, int64_t *is_far) {
    if (!is_far) return __imag__ cos_and_sin(x);
    const double near = turned_f64(x, 0);
    *is_far |= !is_near(x);
    return x == 0.0 ? x : near;
}
HELPER double cos_within(double x, int64_t *is_far) {
    if (!is_far) return __real__ cos_and_sin(x);
    *is_far |= !is_near(x);
    return turned_f64(x, 1);
}
#define sin_f64(x) sin_within(x, far)
#define cos_f64(x) cos_within(x, far)
#define sin_f32(x) ((float)sin_within((double)(x), far))
#define cos_f32(x) ((float)cos_within((double)(x), far))

"#;
