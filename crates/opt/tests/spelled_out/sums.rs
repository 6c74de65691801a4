//! Enums of numbers.

use super::check;

#[test]
fn enums_of_numbers() {
    let shape = "<circle(f64) | rect(f64, f64) | nothing>";
    check(
        &format!(
            "entry f(ss_0 : []{shape}, k_1 : i64) -> ([]f64, []{shape}, []bool) {{
               let areas_2 : []f64 = map (s_3 : {shape}) in ss_0 {{
                 let a_4 : f64 = match s_3 {{
                   circle(r_5 : f64) {{ let b_6 : f64 = r_5 * r_5 => b_6 }}
                   rect(w_7 : f64, h_8 : f64) {{ let c_9 : f64 = w_7 * h_8 => c_9 }}
                   nothing {{ => -1.0 }}
                 }}
                 => a_4
               }}
               let all_10 : []{shape} = map (x_11 : f64) in areas_2 {{
                 let big_12 : bool = x_11 > 4.0
                 let t_13 : {shape} = if big_12 {{
                   let c_14 : {shape} = variant circle(x_11) of {shape}
                   => c_14
                 }} else {{
                   let n_15 : bool = x_11 < 0.0
                   let u_16 : {shape} = if n_15 {{
                     let v_17 : {shape} = variant nothing of {shape} => v_17
                   }} else {{
                     let w_18 : {shape} = variant rect(x_11, 1.0) of {shape} => w_18
                   }}
                   => u_16
                 }}
                 => t_13
               }}
               let turned_19 : []{shape} = rotate ss_0 by k_1
               let order_20 : []bool = map (a_21 : {shape}, b_22 : {shape}) in ss_0, turned_19 {{
                 let p_23 : bool = precedes a_21 b_22
                 => p_23
               }}
               let r_24 : ([]f64, []{shape}, []bool) = (areas_2, all_10, order_20)
               => r_24
             }}"
        ),
        &[
            "[circle@0(1.5), rect@1(2.0, 3.0), nothing@2, circle@0(4.0), rect@1(2.0, -0.0), rect@1(2.0, 0.0)], 1",
            "[circle@0(nan), nothing@2, nothing@2], -1",
            "[], 3",
        ],
    );
}

#[test]
fn enums_in_enums_and_arms_with_arrays() {
    let inner = "<a | b((i64, bool))>";
    let outer = format!("<one({inner}) | two(i64, {inner})>");
    check(
        &format!(
            "entry f(x_0 : {outer}, xs_1 : []i64) -> (i64, []i64, {outer}, <only(i64)>) {{
               let n_2 : i64 = match x_0 {{
                 one(y_3 : {inner}) {{
                   let k_4 : i64 = match y_3 {{ a {{ => 1 }} b(t_5 : (i64, bool)) {{ let j_6 : i64 = t_5.0 => j_6 }} }}
                   => k_4
                 }}
                 two(i_7 : i64, z_8 : {inner}) {{ => i_7 }}
               }}
               let ys_9 : []i64 = match x_0 {{
                 one(y_10 : {inner}) {{ => xs_1 }}
                 two(i_11 : i64, z_12 : {inner}) {{ let r_13 : []i64 = replicate 2 i_11 => r_13 }}
               }}
               let flag_14 : (i64, bool) = (n_2, true)
               let in_15 : {inner} = variant b(flag_14) of {inner}
               let new_16 : {outer} = variant two(n_2, in_15) of {outer}
               let only_17 : <only(i64)> = variant only(n_2) of <only(i64)>
               let m_18 : i64 = match only_17 {{ only(v_19 : i64) {{ let w_20 : i64 = v_19 + 1 => w_20 }} }}
               let r_21 : (i64, []i64, {outer}, <only(i64)>) = (m_18, ys_9, new_16, only_17)
               => r_21
             }}"
        ),
        &["one@0(a@0), [1, 2, 3]", "one@0(b@1((7, true))), []", "two@1(5, b@1((7, false))), [1]"],
    );
}
