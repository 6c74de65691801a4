//! The total order, sorting, and what is done by sorting.

use super::check;

#[test]
fn the_total_order() {
    let all = ["-inf", "-1.5", "-0.0", "0.0", "5e-324", "1.5", "inf", "nan"];
    let pairs: Vec<String> =
        all.iter().flat_map(|a| all.iter().map(move |b| format!("({a}, {b}, -0.0f32, nanf32, 3, 3)"))).collect();
    check(
        "entry f(ps_0 : [](f64, f64, f32, f32, i64, i64)) -> [](bool, bool, bool) {
           let r_1 : [](bool, bool, bool) = map (p_2 : (f64, f64, f32, f32, i64, i64)) in ps_0 {
             let a_3 : f64 = p_2.0
             let b_4 : f64 = p_2.1
             let x_5 : bool = precedes a_3 b_4
             let c_6 : f32 = p_2.2
             let d_7 : f32 = p_2.3
             let i_8 : i64 = p_2.4
             let t_9 : (i64, f64, f32) = (i_8, a_3, c_6)
             let u_10 : (i64, f64, f32) = (i_8, b_4, d_7)
             let y_11 : bool = precedes t_9 u_10
             let v_12 : (i64, f64) = (i_8, a_3)
             let w_13 : (i64, f64) = (4, b_4)
             let z_14 : bool = precedes w_13 v_12
             let all_15 : (bool, bool, bool) = (x_5, y_11, z_14)
             => all_15
           }
           => r_1
         }",
        &[&format!("[{}]", pairs.join(", "))],
    );
}

#[test]
fn sorting() {
    let text = "entry f(ks_0 : []f64, xs_1 : []i64) -> ([]i64, []f64) {
                  let a_2 : []i64 = sort xs_1 by ks_0
                  let b_3 : []f64 = sort ks_0 by ks_0
                  let c_4 : ([]i64, []f64) = (a_2, b_3)
                  => c_4
                }";
    let many: Vec<i64> = (0..100).map(|i| (i * 37 + 11) % 23).collect();
    let keys: Vec<String> = many.iter().map(|k| format!("{k}.5")).collect();
    let places: Vec<String> = (0..many.len()).map(|k| k.to_string()).collect();
    check(
        text,
        &[
            "[], []",
            "[1.0], [7]",
            "[2.0, 1.0], [0, 1]",
            "[0.0, -0.0, nan, -inf, inf, nan, 0.0, -0.0, 1.0], [0, 1, 2, 3, 4, 5, 6, 7, 8]",
            &format!("[{}], [{}]", keys.join(", "), places.join(", ")),
        ],
    );
    check(
        "entry f(ks_0 : [](i64, bool), rows_1 : [][]i64) -> [][]i64 {
           let a_2 : [][]i64 = sort rows_1 by ks_0
           => a_2
         }",
        &["[(2, true), (1, true), (2, false), (1, true)], [[1], [], [2, 3], [4]]"],
    );
}

#[test]
fn scattering_and_counting() {
    check(
        "entry f(xs_0 : []f64, is_1 : []i64, vs_2 : []f64) -> []f64 {
           let a_3 : []f64 = scatter xs_0 is_1 vs_2
           => a_3
         }",
        &[
            "[0.0, 1.0, 2.0, 3.0], [1, 3, 1], [7.0, 8.0, 9.0]",
            "[0.0, 1.0], [], []",
            "[], [], []",
            "[0.0, 1.0, 2.0], [2, 1, 0, 2, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]",
        ],
    );
    check(
        "entry f(n_0 : i64, is_1 : []i64, vs_2 : []i64) -> ([]i64, []f64) {
           let a_3 : []i64 = hist (x_4 : i64, y_5 : i64) in is_1, vs_2 < n_0 from 0 { let z_6 : i64 = x_4 + y_5 => z_6 }
           let fs_7 : []f64 = map (v_8 : i64) in vs_2 { let g_9 : f64 = f64(v_8) => g_9 }
           let b_10 : []f64 = hist (x_11 : f64, y_12 : f64) in is_1, fs_7 < n_0 from -inf {
             let z_13 : f64 = x_11 max y_12 => z_13
           }
           let c_14 : ([]i64, []f64) = (a_3, b_10)
           => c_14
         }",
        &["4, [1, 3, 1, 0], [7, 8, 9, 5]", "3, [], []", "0, [], []", "2, [1, 1, 1, 1, 1], [1, 2, 3, 4, 5]"],
    );
}
