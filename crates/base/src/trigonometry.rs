//! `sin`, `cos` and `cosh` as sums and products, as in [`crate::elementary`]: the same bits wherever they are computed by this recipe.
//!
//! ```text
//! sin x, cos x    x = k pi/2 + r + rest, |r| <= pi/4       one of r - r^3 / 3! + …  and  1 - r^2 / 2 + …, by k, with a sign
//! cosh x          e^|x| / 2 + 1 / (2 e^|x|)
//! ```
//!
//! `pi/2` is the sum of three numbers of 33 bits and one of 53, so that `k` times each of the three is exact; what is left of `x` is known to about 2^-132, also next to a
//! multiple of `pi/2`. The sums are polynomials that agree with the functions at as many Chebyshev points as they have coefficients. The results are wrong by less than
//! one unit in the last place, those of `cosh` by less than two.
//!
//! Declined: arguments of [`FAR`] and more. They need more of `pi`, and are left to the library: the C text looks whether there are any only after a loop
//! (`codegen::vector::turning`).

use crate::elementary;
use std::f64::consts::FRAC_2_PI;

/// Up to here an argument is turned back here.
pub const FAR: f64 = 1_048_576.0;
/// 1.5 * 2^52: a number of moderate size that is added to this loses its fraction.
const WHOLE: f64 = 6_755_399_441_055_744.0;
/// `pi/2`, the sum of these.
const QUARTER: [f64; 4] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_711_166_5e-21, 8.478_427_660_368_9e-32];
/// `(sin r - r) / r^3` as a polynomial in `r^2`, highest power first.
const SIN: [f64; 6] = [
    1.591_810_123_027_412e-10,
    -2.505_113_145_542_794_6e-08,
    2.755_731_610_068_303e-06,
    -0.000_198_412_698_367_549_7,
    0.008_333_333_333_330_946,
    -0.166_666_666_666_666_66,
];
/// `(cos r - 1 + r^2 / 2) / r^4`, likewise.
const COS: [f64; 6] = [
    -1.138_261_486_855_632_5e-11,
    2.087_614_602_468_974_7e-09,
    -2.755_731_727_056_032_6e-07,
    2.480_158_729_876_343_3e-05,
    -0.001_388_888_888_888_739_5,
    0.041_666_666_666_666_664,
];

/// `a - b`, and how much that is less than the true difference.
fn difference(a: f64, b: f64) -> (f64, f64) {
    let d = a - b;
    let seen = a - d;
    (d, (a - (d + seen)) + (seen - b))
}

/// The sine of an argument that is not far, turned back by some quarters.
fn turned(x: f64, quarters: u64) -> f64 {
    let t = x.mul_add(FRAC_2_PI, WHOLE);
    let k = t - WHOLE;
    let (d, below) = difference((-k).mul_add(QUARTER[0], x), k * QUARTER[1]);
    let (e, further) = difference(d, k * QUARTER[2]);
    let low = (-k).mul_add(QUARTER[3], below + further);
    let r = e + low;
    let rest = (e - r) + low;
    let z = r * r;
    let sum = |all: [f64; 6]| all.into_iter().reduce(|sum, c| z.mul_add(sum, c)).unwrap_or(0.0);
    let sine = r + (z * r).mul_add(sum(SIN), (-0.5 * z).mul_add(rest, rest));
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cosine = most + (((1.0 - most) - half) + (z * z).mul_add(sum(COS), -(r * rest)));
    let n = t.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_add(quarters);
    let value = if n & 1 == 1 { cosine } else { sine };
    f64::from_bits(value.to_bits() ^ (n & 2) << 62)
}

/// The sine.
pub fn sin(x: f64) -> f64 {
    let is_near = x.abs() <= FAR;
    if x == 0.0 {
        x
    } else if is_near {
        turned(x, 0)
    } else {
        x.sin()
    }
}

/// The cosine.
pub fn cos(x: f64) -> f64 {
    if x.abs() <= FAR { turned(x, 1) } else { x.cos() }
}

/// The hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    // Half of the exponential, which is finite for longer.
    let half = elementary::exp_over(x.abs(), 1);
    half + 0.25 / half
}

#[cfg(test)]
mod tests {
    use super::{cos, cosh, sin};
    use std::f64::consts::FRAC_PI_2;

    /// Units in the last place between two numbers.
    fn apart(a: f64, b: f64) -> u64 {
        if a == b || (a.is_nan() && b.is_nan()) { 0 } else { (a.to_bits() as i64).abs_diff(b.to_bits() as i64) }
    }

    fn close(x: f64) {
        assert!(apart(sin(x), x.sin()) <= 1, "sin {x:e}: {:e} and not {:e}", sin(x), x.sin());
        assert!(apart(cos(x), x.cos()) <= 1, "cos {x:e}: {:e} and not {:e}", cos(x), x.cos());
        assert!(apart(cosh(x), x.cosh()) <= 2, "cosh {x:e}: {:e} and not {:e}", cosh(x), x.cosh());
    }

    #[test]
    fn close_to_the_library() {
        for i in 0..200_000u64 {
            close(f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i << 7)));
            close((i as f64 - 100_000.0) / 137.0);
            close((i as f64 - 100_000.0) * 10.7);
        }
    }

    #[test]
    fn close_beside_multiples_of_a_quarter() {
        for k in -670_000..670_000 {
            let x = f64::from(k) * FRAC_PI_2;
            close(x);
            if k % 64 == 0 {
                close(f64::from_bits(x.to_bits() + 1));
                close(f64::from_bits(x.to_bits().wrapping_sub(1)));
            }
        }
    }

    #[test]
    fn at_the_edges() {
        for x in [0.0, f64::INFINITY, f64::NAN, 5e-324, f64::MAX, super::FAR, 1.0e-300, 710.4, 710.5, 709.9, 22.0] {
            close(x);
            close(-x);
        }
        assert!(sin(-0.0).is_sign_negative() && cos(0.0) == 1.0 && cosh(0.0) == 1.0);
    }
}
