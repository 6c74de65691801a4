//! `exp` and `log` as sums and products, the same bits everywhere they are computed by this recipe.
//!
//! A library's function is a call, and a loop with a call in it is no vector code. These are straight lines of additions,
//! multiplications, bits and choices: the C printer writes the same steps (`exp_f64`, `log_f64` of its preamble), and its compiler
//! puts eight of them side by side. A test of the printer compares the two.
//!
//! ```text
//! exp x    x = k ln 2 + r, |r| <= ln 2 / 2                                       2^k (1 + r + r^2 / 2! + …)
//! log x    x = 2^e (1 + f), sqrt 1/2 <= 1 + f < sqrt 2, s = f / (2 + f)      e ln 2 + 2 (s + s^3 / 3 + …)
//! ```
//!
//! The sums are polynomials that agree with the functions at as many Chebyshev points of the range as they have coefficients, which takes
//! fewer terms than the series: they are wrong by an eighth of the last bit at most, the whole by less than one unit in the last place. Of
//! `f32` the results are those of `f64`, rounded. [`crate::trigonometry`] has `sin`, `cos` and `cosh`. Declined: `pow` and the others, which stay calls of the library.

const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;
/// 1.5 * 2^52: a number of moderate size that is added to this loses its fraction.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// `(e^r - 1 - r) / r^2` for `|r| <= ln 2 / 2`, highest power first.
const EXP: [f64; 10] = [
    2.510_037_586_044_121_8e-08,
    2.762_007_591_623_770_6e-07,
    2.755_726_848_025_142e-06,
    2.480_152_132_229_249e-05,
    0.000_198_412_698_630_405_83,
    0.001_388_888_891_719_676_8,
    0.008_333_333_333_330_065,
    0.041_666_666_666_624_164,
    0.166_666_666_666_666_69,
    0.500_000_000_000_000_1,
];
/// `(2 atanh s - 2 s) / s^3` as a polynomial in `s^2` for `|s| <= 3 - sqrt 8`, highest power first.
const LOG: [f64; 7] = [
    0.146_164_497_311_547_32,
    0.153_317_215_968_254_84,
    0.181_828_891_253_739_52,
    0.222_222_111_347_935_4,
    0.285_714_286_259_754_9,
    0.399_999_999_998_995_05,
    0.666_666_666_666_667,
];

/// `e` to the power of `x`.
pub fn exp(x: f64) -> f64 {
    exp_over(x, 0)
}

/// `e` to the power of `x`, over a small power of two.
pub(crate) fn exp_over(x: f64, halvings: u64) -> f64 {
    // What is not a number stays so.
    let y = x.clamp(-746.0, 711.0);
    let t = y.mul_add(std::f64::consts::LOG2_E, WHOLE);
    let k = t - WHOLE;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-std::f64::consts::LN_2, y));
    let sum = EXP.into_iter().reduce(|sum, c| r.mul_add(sum, c)).unwrap_or(0.5);
    let sum = r.mul_add(r.mul_add(sum, 1.0), 1.0);
    // In two steps, so that a result below the least normal number is rounded once.
    let n = t.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(2048 - halvings);
    let half = n >> 1;
    let power = |biased: u64| f64::from_bits(biased.wrapping_sub(1) << 52);
    sum * power(half) * power(n.wrapping_sub(half))
}

/// The natural logarithm.
pub fn log(x: f64) -> f64 {
    let tiny = x < f64::MIN_POSITIVE;
    let y = if tiny { x * 18_014_398_509_481_984.0 } else { x };
    let biased = y.to_bits().wrapping_sub(0x3fe6_a09e_667f_3bcd).wrapping_add(1024 << 52) >> 52;
    let m = f64::from_bits(y.to_bits().wrapping_sub(biased.wrapping_sub(1024) << 52));
    let e = f64::from_bits(0x4330_0000_0000_0000 + biased) - (4_503_599_627_371_520.0 + if tiny { 54.0 } else { 0.0 });
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let sum = LOG.into_iter().reduce(|sum, c| z.mul_add(sum, c)).unwrap_or(0.0);
    let half = 0.5 * f * f;
    let rest = s.mul_add(half + z * sum, e * LN_2_LOW);
    let value = e.mul_add(std::f64::consts::LN_2, f - (half - rest));
    if x > 0.0 {
        if x < f64::INFINITY { value } else { x }
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::{exp, log};

    /// Units in the last place between two numbers.
    fn apart(a: f64, b: f64) -> u64 {
        if a == b || (a.is_nan() && b.is_nan()) { 0 } else { (a.to_bits() as i64).abs_diff(b.to_bits() as i64) }
    }

    fn numbers() -> impl Iterator<Item = f64> {
        (0..200_000u64).map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 7)))
    }

    #[test]
    fn close_to_the_library() {
        for x in numbers() {
            assert!(apart(log(x), x.ln()) <= 1, "log {x:e}: {:e} and not {:e}", log(x), x.ln());
            assert!(apart(exp(x), x.exp()) <= 1, "exp {x:e}");
        }
        for i in -750_000..750_000 {
            let x = f64::from(i) / 1003.0;
            assert!(apart(exp(x), x.exp()) <= 1, "exp {x}: {:e} and not {:e}", exp(x), x.exp());
            let near_one = 1.0 + x / 1500.0;
            assert!(apart(log(near_one), near_one.ln()) <= 1, "log {near_one}: {:e}", log(near_one));
        }
    }

    #[test]
    fn at_the_edges() {
        let cases =
            [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX, -1.0, 709.78, -745.1];
        for x in cases {
            assert!(apart(exp(x), x.exp()) <= 1, "exp {x}");
            assert!(apart(log(x), x.ln()) <= 1, "log {x}");
        }
        assert_eq!((exp(0.0), log(1.0)), (1.0, 0.0));
    }
}
