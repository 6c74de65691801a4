//! Running totals of integers are vector scans in the C text; whatever the length of a row, the totals are those of a loop.

use super::{array, check, plan};
use terrace_opt::options::TileSizes;
use terrace_plan::data::Data;

const SCAN: &str = "
entry all(n_0 : i64, xs_1 : i32[n_0]) -> (i64, i32[n_0], i64, i32[n_0])
  takes [length]i32
  gives ([length]i32, [length]i32)
{
  let sums_2 : i32[n_0] = scan grid [n_0] (i_3 | p_4) by (a_5 : i32 | b_6 : i32) { let c_7 : i32 = a_5 + b_6; => c_7 } from 0i32 inclusive {
    let x_8 : i32 = xs_1[p_4]
    let y_9 : i32 = x_8 * 65537i32
    let z_10 : i32 = y_9 + x_8
    => z_10
  }
  let most_11 : i32[n_0] = scan grid [n_0] (i_12 | p_13) by (a_14 : i32 | b_15 : i32) { let c_16 : i32 = a_14 max b_15; => c_16 } from -2147483648i32 inclusive {
    let x_17 : i32 = xs_1[p_13]
    => x_17
  }
  => n_0, sums_2, n_0, most_11
}
";

#[test]
fn totals_of_any_length() {
    for n in [0, 1, 31, 32, 33, 511, 512, 513, 16384, 16385, 3 * 16384, 40_000] {
        let xs: Vec<i32> = (0..n).map(|i| (i * 7919 + 13) % 100_003 - 50_000).collect();
        let mut sum = 0i32;
        let mut most = i32::MIN;
        let sums = xs.iter().map(|x| {
            sum = sum.wrapping_add(x.wrapping_mul(65537).wrapping_add(*x));
            sum
        });
        let sums = array(&sums.collect::<Vec<_>>());
        let most = xs.iter().map(|x| {
            most = most.max(*x);
            most
        });
        check(SCAN, &[array(&xs)], &Data::Tuple(vec![sums, array(&most.collect::<Vec<_>>())]));
    }
}

#[test]
fn they_are_vector_scans() {
    let text: String = plan(SCAN, TileSizes::NORMAL).kernels.iter().map(|k| k.text.as_str()).collect();
    assert!(text.contains("reduction(inscan, + :"), "{text}");
    assert!(text.contains("reduction(inscan, max :"), "{text}");
}
