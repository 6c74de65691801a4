//! Sines and cosines in loops that look for large arguments only afterwards: the bits of the interpreter, wherever in a loop such an argument stands.

use super::{array, check};
use terrace_base::trigonometry::{FAR, cos, cosh, sin};
use terrace_plan::data::Data;

const ALL: &str = "
entry all(n_0 : i64, xs_1 : f64[n_0]) -> (i64, f64[n_0], i64, f64[n_0], i64, f64[n_0])
  takes [length]f64
  gives ([length]f64, [length]f64, [length]f64)
{
  let sines_2 : f64[n_0], cosines_3 : f64[n_0], others_4 : f64[n_0] = map grid [n_0] (i_5 | p_6) {
    let x_7 : f64 = xs_1[p_6]
    let s_8 : f64 = sin x_7
    let c_9 : f64 = cos x_7
    let h_10 : f64 = cosh c_9
    let more_11 : bool = x_7 > 0.0
    let o_12 : f64 = if more_11 { let y_13 : f64 = cos s_8; => y_13 } else { => h_10 }
    => s_8, c_9, o_12
  }
  => n_0, sines_2, n_0, cosines_3, n_0, others_4
}
";

#[test]
fn large_arguments_anywhere() {
    let far = [1.5 * FAR, -FAR, 1.0e9, -1.0e300, FAR, -1.0e15];
    for n in [0, 1, 7, 8, 64, 513, 16384 + 70, 40_000] {
        for (at, large) in [(n / 2, far[n % 6]), (n.saturating_sub(1), far[(n + 1) % 6]), (n, 0.0)] {
            let mut xs: Vec<f64> = (0..n).map(|i| (i as f64 - 3000.0) / 7.0).collect();
            if let Some(x) = xs.get_mut(at) {
                *x = large;
            }
            let of = |f: &dyn Fn(f64) -> f64| array(&xs.iter().map(|x| f(*x)).collect::<Vec<_>>());
            let others = of(&|x| if x > 0.0 { cos(sin(x)) } else { cosh(cos(x)) });
            check(ALL, &[array(&xs)], &Data::Tuple(vec![of(&sin), of(&cos), others]));
        }
    }
}
