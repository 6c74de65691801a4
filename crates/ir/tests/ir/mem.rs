//! Mem: places print and read back, the rules bite, erasing gives Flat.

use terrace_ir::flat::parse::parse;
use terrace_ir::flat::print::print;
use terrace_ir::mem::Program;
use terrace_ir::mem::erase::erase;
use terrace_ir::mem::verify::verify;

const PLACED: &str = "
def g(b_0 : block, n_1 : i64, xs_2 : f64[n_1] @ b_0 + 3 {n_1 by 2}) -> (block, f64[n_1]) {
  let b_3 : block = alloc f64 2*n_1
  let ys_4 : f64[n_1] <= n_1 @ b_3 + n_1 - 1 {n_1 by -1} = map grid [n_1] (i_5 | p_6) { let x_7 : f64 = xs_2[p_6]; => x_7 }
  let c_8 : block, zs_9 : f64[n_1] @ c_8 + 0 {n_1 by 1} = if true { => b_3, ys_4 } else { => b_0, xs_2 }
  let same_10 : block = c_8
  let d_11 : block, ws_12 : f64[n_1] @ d_11 + 0 {n_1 by 1} = loop e_13 : block = c_8, vs_14 : f64[n_1] @ e_13 + 0 {n_1 by 1} = zs_9 while { => false } do { => e_13, vs_14 }
  let h_15 : block, us_16 : f64[n_1] = call g(same_10, n_1, ws_12)
  => h_15, us_16
}
";

#[test]
fn places_print_and_read_back() {
    let program: Program = parse(PLACED).unwrap();
    assert_eq!(print(&program), PLACED.trim_start());
    verify(&program).unwrap();
    assert!(parse::<()>(PLACED).unwrap_err().contains("places belong to Mem"));
}

#[test]
fn erasing_gives_flat() {
    let program: Program = parse(PLACED).unwrap();
    assert_eq!(
        print(&erase(&program)),
        "def g(n_1 : i64, xs_2 : f64[n_1]) -> (f64[n_1]) {
  let ys_4 : f64[n_1] <= n_1 = map grid [n_1] (i_5 | p_6) { let x_7 : f64 = xs_2[p_6]; => x_7 }
  let zs_9 : f64[n_1] = if true { => ys_4 } else { => xs_2 }
  let ws_12 : f64[n_1] = loop vs_14 : f64[n_1] = zs_9 while { => false } do { => vs_14 }
  let us_16 : f64[n_1] = call g(n_1, ws_12)
  => us_16
}
"
    );
}

#[test]
fn rules() {
    for (body, words) in [
        ("let ys_1 : i64[3] = [1, 2, 3]", "the column ys_1 has no place"),
        ("let ys_1 : i64[3] @ n_0 + 0 {3 by 1} = [1, 2, 3]", "ys_1 is not in a block"),
        (
            "let b_2 : block = alloc f64 3 let ys_1 : i64[3] @ b_2 + 0 {3 by 1} = [1, 2, 3]",
            "allocated for another type",
        ),
        (
            "let ys_1 : i64[3] @ b_2 + 0 {3 by 1} = [1, 2, 3] let b_2 : block = alloc i64 3",
            "b_2, which is not bound here",
        ),
        (
            "let b_2 : block = alloc i64 3 let ys_1 : i64[3] @ b_2 + k_9 {3 by 1} = [1, 2, 3]",
            "s9, which is not bound here",
        ),
        ("let b_2 : block = alloc i64 3 let ys_1 : i64[3] @ b_2 + 0 {} = [1, 2, 3]", "has no dimension"),
        ("let b_2 : block = alloc i64 3 let y_1 : i64 @ b_2 + 0 {1 by 1} = 5", "y_1 is no column and has no place"),
        ("let b_2 : block = alloc i64 k_9", "a size mentions s9"),
    ] {
        let program: Program = parse(&format!("def f(n_0 : i64) -> (i64) {{ {body} => n_0 }}")).unwrap();
        let message = verify(&program).unwrap_err();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
    }
}

#[test]
fn what_a_function_owns_prints_and_reads_back() {
    let text = "def f(b_0 : block, n_1 : i64, xs_2 : f64[n_1] @ b_0 + 0 {n_1 by 1}) -> (block, f64[n_1])\n  owns xs_2\n{\n  => b_0, xs_2\n}\n";
    let program: Program = parse(text).unwrap();
    assert_eq!(print(&program), text);
    verify(&program).unwrap();
    let wrong: Program = parse(&text.replace("owns xs_2", "owns n_1")).unwrap();
    assert!(verify(&wrong).unwrap_err().contains("owns columns among its parameters, not n_1"));
}
