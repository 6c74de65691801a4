//! `exp` and `log` as sums and products, the same bits everywhere they are computed by this recipe.
//!
//! A library's function is a call, and a loop with a call in it is no vector code. These are straight lines of additions,
//! multiplications, bits and choices: the C printer writes the same steps (`exp_f64`, `log_f64` of its preamble), and its compiler
//! puts eight of them side by side. A test of the printer compares the two.
//!
//! ```text
//! exp x    x = k ln 2 + r, |r| <= ln 2 / 2      2^k (1 + r + r^2 / 2! + … + r^13 / 13!)
//! log x    x = 2^e (1 + f), sqrt 1/2 <= 1 + f < sqrt 2, s = f / (2 + f)      e ln 2 + 2 (s + s^3 / 3 + … + s^23 / 23)
//! ```
//!
//! The series are cut where the next term is below a quarter of the last bit; the error is less than one unit in the last place. Of
//! `f32` the results are those of `f64`, rounded. Declined: `sin`, `pow` and the others, which stay calls of the library.

const LN_2_LOW: f64 = 2.319_046_813_846_299_6e-17;
/// 1.5 * 2^52: a number of moderate size that is added to this loses its fraction.
const WHOLE: f64 = 6_755_399_441_055_744.0;
const FACTORIALS: [f64; 12] = [
    6_227_020_800.0,
    479_001_600.0,
    39_916_800.0,
    3_628_800.0,
    362_880.0,
    40_320.0,
    5_040.0,
    720.0,
    120.0,
    24.0,
    6.0,
    2.0,
];

/// `e` to the power of `x`.
pub fn exp(x: f64) -> f64 {
    // What is not a number stays so.
    let y = x.clamp(-746.0, 710.0);
    let t = y.mul_add(std::f64::consts::LOG2_E, WHOLE);
    let k = t - WHOLE;
    let r = k.mul_add(-LN_2_LOW, k.mul_add(-std::f64::consts::LN_2, y));
    let sum = FACTORIALS.iter().skip(1).fold(1.0 / FACTORIALS[0], |sum, f| r.mul_add(sum, 1.0 / f));
    let sum = r.mul_add(r.mul_add(sum, 1.0), 1.0);
    // In two steps, so that a result below the least normal number is rounded once.
    let n = t.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(2048);
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
    let sum = (1..11).rev().fold(2.0 / 23.0, |sum: f64, n| sum.mul_add(z, 2.0 / f64::from(2 * n + 1)));
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
