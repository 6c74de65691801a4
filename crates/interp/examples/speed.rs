//! How fast the reference interpreter is: nanoseconds per element and operation, as a table.
//!
//! ```text
//! $ cargo run --release -p terrace-interp --example speed
//! map x * x + 1.0                 23 ns
//! ```
//!
//! Each program takes a size `n`, makes its input with cheap operators, and runs one operation on it; the time of the input
//! alone is taken off. The goal is 100 ns per element and operation: enough to run every test at real sizes.

use std::io::Write;
use std::time::Instant;
use terrace_base::Scalar;
use terrace_interp::core::call;
use terrace_ir::FuncId;
use terrace_plan::data::Data;

/// What is measured, and how it is written; `xs_1` has `n_0` numbers, `is_2` has `n_0` positions, the result is `r_9`.
const OPERATIONS: &[(&str, &str)] = &[
    ("map x * x + 1.0", "let r_9 : []f64 = map (x_3 : f64) in xs_1 { let y_4 : f64 = x_3 * x_3 let z_5 : f64 = y_4 + 1.0; => z_5 }"),
    (
        "map of two arrays",
        "let r_9 : []f64 = map (x_3 : f64, i_4 : i64) in xs_1, is_2 { let y_5 : f64 = f64(i_4) let z_6 : f64 = x_3 * y_5; => z_6 }",
    ),
    ("generate xs[i]", "let r_9 : []f64 = generate (i_3 : i64) < n_0 { let x_4 : f64 = xs_1[i_3]; => x_4 }"),
    (
        "generate xs[i], checked",
        "let r_9 : []f64 = generate (i_3 : i64) < n_0 {
           let low_4 : bool = 0 <= i_3 let high_5 : bool = i_3 < n_0 let ok_6 : bool = low_4 & high_5
           check 0 index ok_6 (i_3, n_0)
           let x_7 : f64 = xs_1[i_3] after 0
           => x_7
         }",
    ),
    ("sum", "let r_9 : f64 = reduce (a_3 : f64, b_4 : f64) in xs_1 from 0.0 { let c_5 : f64 = a_3 + b_4; => c_5 }"),
    ("scan", "let r_9 : []f64 = scan (a_3 : f64, b_4 : f64) in xs_1 from 0.0 { let c_5 : f64 = a_3 + b_4; => c_5 }"),
    ("filter", "let r_9 : []f64 = filter (x_3 : f64) in xs_1 { let c_4 : bool = x_3 < 0.5; => c_4 }"),
    ("zip", "let r_9 : [](f64, i64) = zip(xs_1, is_2)"),
    ("sort of floats", "let r_9 : []f64 = sort xs_1 by xs_1"),
    ("sort by integers", "let r_9 : []f64 = sort xs_1 by is_2"),
    (
        "sort by pairs",
        "let k_3 : [](i64, f64) = zip(is_2, xs_1) let r_9 : []f64 = sort xs_1 by k_3",
    ),
    ("scatter", "let r_9 : []f64 = scatter xs_1 is_2 xs_1"),
    (
        "hist",
        "let r_9 : []f64 = hist (a_3 : f64, b_4 : f64) in is_2, xs_1 < n_0 from 0.0 { let c_5 : f64 = a_3 + b_4; => c_5 }",
    ),
    (
        "loop of updates",
        "let r_9 : []f64 = loop s_3 : []f64 = xs_1 for i_4 < n_0 do { let t_5 : []f64 = update s_3[i_4] = 1.0; => t_5 }",
    ),
    (
        "while with one number",
        "let r_9 : i64 = loop s_3 : i64 = 0 while { let c_4 : bool = s_3 < n_0; => c_4 } do { let t_5 : i64 = s_3 + 1; => t_5 }",
    ),
    (
        "while with two numbers",
        "let init_3 : (i64, f64) = (0, 0.0)
         let r_9 : (i64, f64) = loop s_4 : (i64, f64) = init_3 while { let i_5 : i64 = s_4.0 let c_6 : bool = i_5 < n_0; => c_6 } do {
           let i_7 : i64 = s_4.0 let x_8 : f64 = s_4.1
           let j_10 : i64 = i_7 + 1 let y_11 : f64 = x_8 + 1.0
           let t_12 : (i64, f64) = (j_10, y_11)
           => t_12
         }",
    ),
    ("map with a call", "let r_9 : []f64 = map (x_3 : f64) in xs_1 { let y_4 : f64 = call square(x_3); => y_4 }"),
    (
        "map with an if",
        "let r_9 : []f64 = map (x_3 : f64) in xs_1 {
           let c_4 : bool = x_3 < 0.5 let y_5 : f64 = if c_4 { => 0.0 } else { let t_6 : f64 = x_3 * x_3; => t_6 }
           => y_5
         }",
    ),
    (
        "rows of 10, summed",
        "let m_3 : i64 = n_0 / 10
         let rows_4 : [][]f64 = reshape xs_1 to (m_3, 10)
         let r_9 : []f64 = map (row_5 : []f64) in rows_4 {
           let s_6 : f64 = reduce (a_7 : f64, b_8 : f64) in row_5 from 0.0 { let c_10 : f64 = a_7 + b_8; => c_10 }
           => s_6
         }",
    ),
    ("rotate", "let r_9 : []f64 = rotate xs_1 by 3"),
    ("slide", "let r_9 : [][]f64 = slide xs_1 size 3 step 1"),
];

fn text(operation: &str) -> String {
    format!(
        "check 0 : index
         entry f(n_0 : i64) -> i64 {{
           let xs_1 : []f64 = generate (i_20 : i64) < n_0 {{
             let a_21 : i64 = i_20 * 7919 let b_22 : i64 = a_21 % 1000003 let c_23 : f64 = f64(b_22) let d_24 : f64 = c_23 / 1000003.0
             => d_24
           }}
           let is_2 : []i64 = generate (i_30 : i64) < n_0 {{ let a_31 : i64 = i_30 * 7919 let b_32 : i64 = a_31 % n_0; => b_32 }}
           {operation}
           let n_40 : i64 = length xs_1
           let n_41 : i64 = length is_2
           => n_40
         }}
         def square(x_0 : f64) -> f64 {{ let y_1 : f64 = x_0 * x_0; => y_1 }}"
    )
}

/// The least of a few runs, in nanoseconds.
fn time(operation: &str, n: i64) -> f64 {
    let program = terrace_ir::core::parse::parse(&text(operation)).expect("the program is one");
    terrace_ir::core::verify::verify(&program).expect("the program is right");
    let run = || {
        let start = Instant::now();
        let result = call(&program, FuncId::new(0), vec![Data::Scalar(Scalar::I64(n))]);
        assert_eq!(result, Ok(Data::Scalar(Scalar::I64(n))));
        start.elapsed().as_nanos() as f64
    };
    (0..9).map(|_| run()).fold(f64::INFINITY, f64::min)
}

fn main() -> std::io::Result<()> {
    let n = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1_000_000);
    let only = std::env::args().nth(2).unwrap_or_default();
    let input = time("", n);
    let mut out = std::io::stdout();
    for (name, operation) in OPERATIONS.iter().filter(|(name, _)| name.contains(&only)) {
        writeln!(out, "{name:<26} {:>5.0} ns", (time(operation, n) - input) / n as f64)?;
    }
    Ok(())
}
