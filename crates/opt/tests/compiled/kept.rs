//! Elements that stay, in every width: sizes around a vector, a group of points and a tile, with all, none and some of them kept.
//!
//! Processors with wide vectors pack a vector at a time, others element by element. The test runs itself once more with a compiler that is not
//! allowed to use wide vectors, so that both are seen.

use super::{array, load};
use std::process::Command;
use terrace_base::Scalar;
use terrace_opt::options::TileSizes;
use terrace_plan::data::Data;

const COLUMNS: &str = "
entry keep(limit_0 : i32, n_1 : i64, xs_2 : i32[n_1]) -> (i64, u8[k_3], i64, i16[k_3], i64, f32[k_3], i64, f64[k_3], i64, bool[k_3])
  takes i32, [length]i32
  gives ([length]u8, [length]i16, [length]f32, [length]f64, [length]bool)
{
  let k_3 : i64 <= n_1, a_4 : u8[k_3] <= n_1, b_5 : i16[k_3] <= n_1, c_6 : f32[k_3] <= n_1, d_7 : f64[k_3] <= n_1, e_8 : bool[k_3] <= n_1 = pack grid [n_1] (i_9 | p_10) {
    let x_11 : i32 = xs_2[p_10]
    let keep_12 : bool = x_11 < limit_0
    let a_13 : u8 = u8(x_11)
    let b_14 : i16 = i16(x_11)
    let c_15 : f32 = f32(x_11)
    let d_16 : f64 = f64(x_11)
    let e_17 : bool = x_11 > 3i32
    => keep_12, a_13, b_14, c_15, d_16, e_17
  }
  => k_3, a_4, k_3, b_5, k_3, c_6, k_3, d_7, k_3, e_8
}
";

fn column<T: Into<Scalar>>(kept: &[i32], of: impl Fn(i32) -> T) -> Data {
    Data::Array(kept.iter().map(|x| Data::Scalar(of(*x).into())).collect())
}

#[test]
fn columns_of_every_width() {
    let sizes = [0, 1, 2, 7, 8, 9, 15, 16, 17, 64, 65, 255, 256, 257, 1000, 16384, 16385 + 300];
    for tiles in [TileSizes::TINY, TileSizes::NORMAL] {
        let loaded = load(COLUMNS, tiles);
        for n in sizes.into_iter().filter(|n| tiles == TileSizes::NORMAL || *n < 300) {
            let xs: Vec<i32> = (0..n).map(|i| (i * 37 + i / 8) % 10).collect();
            for limit in [0, 1, 5, 9, 10] {
                let kept: Vec<i32> = xs.iter().copied().filter(|x| *x < limit).collect();
                let expected = Data::Tuple(vec![
                    column(&kept, |x| x as u8),
                    column(&kept, |x| x as i16),
                    column(&kept, |x| x as f32),
                    column(&kept, f64::from),
                    column(&kept, |x| x > 3),
                ]);
                let (found, _) = loaded.call(0usize, &[Data::Scalar(limit.into()), array(&xs)]).expect("runs");
                assert_eq!(found, expected, "{n} elements, those below {limit}");
            }
        }
    }
}

#[test]
fn columns_of_every_width_without_wide_vectors() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let mut again = Command::new(std::env::current_exe().expect("this test"));
    again.args(["--exact", "kept::columns_of_every_width"]).env("TERRACE_CC", "cc -mno-avx512f");
    let output = again.output().expect("ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
