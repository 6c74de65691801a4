//! Core: what prints reads back, and the rules bite.

use terrace_algebra::{Size, SizeVar, sum};
use terrace_base::{BinOp, Scalar, ScalarType, Span, UnOp};
use terrace_ir::check::{CheckId, CheckInfo, CheckKind};
use terrace_ir::core::parse::{erase_spans, parse};
use terrace_ir::core::print::print;
use terrace_ir::core::verify::verify;
use terrace_ir::core::*;
use terrace_ir::{Atom, FuncId, ValueId};
use terrace_plan::data::Data;

/// A valid program whose text is exactly what the printer writes.
fn check(text: &str) {
    let text = text.trim_start();
    let program = parse(text).unwrap();
    assert_eq!(print(&program), text);
    verify(&program).unwrap();
}

/// A program that breaks a rule; the message contains all of the words.
fn check_fault(text: &str, words: &[&str]) {
    let message = verify(&parse(text).unwrap()).unwrap_err();
    for word in words {
        assert!(message.contains(word), "{message:?} does not say {word:?}");
    }
}

#[test]
fn spmv() {
    check(
        "
check 0 : index

entry spmv(rows_0 : [n_20][](i32, f64), v_1 : []f64) -> [n_20]f64 {
  let n_20 : i64 = length rows_0
  let out_2 : [n_20]f64 = map (row_3 : [](i32, f64)) in rows_0 {
    let products_4 : []f64 = map (pair_5 : (i32, f64)) in row_3 {
      let j_6 : i32 = pair_5.0
      let x_7 : f64 = pair_5.1
      let k_8 : i64 = i64(j_6)
      let m_9 : i64 = length v_1
      let low_10 : bool = k_8 >= 0
      let high_11 : bool = k_8 < m_9
      let ok_12 : bool = low_10 & high_11
      check 0 index ok_12 (k_8, m_9)
      let y_13 : f64 = v_1[k_8] after 0
      let z_14 : f64 = x_7 * y_13
      => z_14
    }
    let sum_15 : f64 = reduce (a_16 : f64, b_17 : f64) in products_4 from 0.0 { let c_18 : f64 = a_16 + b_17; => c_18 }
    => sum_15
  }
  => out_2
}

test \"small \\\"one\\\"\" spmv_test(rows_0 : [][](i32, f64)) -> bool with ([[(1i32, -0.5), (0i32, inf)], []]) {
  let v_1 : []f64 = [1.0, 2.5e-9] of f64
  let r_2 : []f64 = call spmv(rows_0, v_1)
  let n_3 : i64 = length r_2
  let ok_4 : bool = n_3 == 2
  => ok_4
}
",
    );
}

#[test]
fn every_expression() {
    check(
        "
check 0 : size \"n + 1\"
check 1 : assert \"a < b\"
check 2 : length

def helper^1(x_0 : f32, t_1 : (bool,)) -> (bool,) {
  let a_2 : f32 = neg x_0
  let b_3 : f32 = fma(a_2, x_0, 1.5f32)
  let c_4 : f32 = b_3 min a_2
  let d_5 : f32 = sqrt c_4
  => t_1
}

def \"odd name\"() -> () {
  let unit_0 : () = ()
  => unit_0
}

def all(n_0 : i64, xs_1 : [n_0]f32, ys_2 : [i_3 < n_0][i_3 + 1]i64, s_4 : [s99 < _][s99]bool) -> [2*n_0]f32 {
  check 2 length true (n_0)
  let is_5 : [n_0]i64 = iota n_0 after 2
  let two_6 : i64 = 2
  let m_7 : i64 = n_0 << two_6
  let rest_8 : i64 = m_7 % 3 after 2
  let part_9 : []f32 = xs_1[0 .. rest_8]
  let copies_10 : [][]f32 = replicate rest_8 part_9
  let both_11 : []f32 = concat(part_9, xs_1)
  let pairs_12 : [n_0](f32, i64) = zip(xs_1, is_5)
  let kept_13 : [](f32, i64) = filter (p_14 : (f32, i64)) in pairs_12 {
    let x_15 : f32 = p_14.0
    let is_16 : bool = x_15 != nanf32
    => is_16
  }
  let rows_17 : [i_3 < n_0][i_3 + 1]i64 = generate (i_18 : i64) < n_0 {
    let m_19 : i64 = i_18 + 1
    let row_20 : [m_19]i64 = iota m_19
    => row_20
  }
  let scanned_21 : [n_0]i64 = scan (a_22 : i64, b_23 : i64) in is_5 from -9223372036854775808 { let c_24 : i64 = a_22 max b_23; => c_24 }
  let sums_25 : []i64 = map (r_26 : []i64, k_27 : i64) in ys_2, is_5 { => k_27 }
  let less_28 : bool = m_7 < n_0
  let chosen_29 : f32 = if less_28 { => 0.0f32 } else {
    check 1 assert less_28 ()
    let x_30 : f32 = both_11[0] after 1
    => x_30
  }
  let counted_31 : i64 = loop s_32 : i64 = 0 for k_33 < n_0 do { let t_34 : i64 = s_32 + k_33; => t_34 }
  let pair_35 : (i64, f32) = (counted_31, chosen_29)
  let last_36 : (i64, f32) = loop s_37 : (i64, f32) = pair_35 while { let go_38 : bool = less_28; => go_38 } do {
    let u_39 : (bool,) = (less_28,)
    let v_40 : (bool,) = call helper^1(chosen_29, u_39)
    => s_37
  }
  let w_41 : [2*n_0]f32 = ascribe both_11 : [2*n_0]f32 check 0
  => w_41
}
",
    );
}

#[test]
fn proved_checks() {
    check(
        "
check 0 : index
check 1 : size \"n\"

def f(n_0 : i64, xs_1 : []f64) -> f64 {
  let ok_2 : bool = n_0 > 0
  proved 0 index ok_2 (n_0, 0)
  let ys_3 : [n_0]f64 = ascribe xs_1 : [n_0]f64 proved 1
  let y_4 : f64 = ys_3[0] after 0, 1
  => y_4
}
",
    );
}

#[test]
fn operators_that_move_elements() {
    check(
        "
check 0 : strided
check 1 : overlap
check 2 : partition
check 3 : empty \"minimum\"
check 4 : positive \"the size of a window\"

def moves(n_0 : i64, xs_1 : *[n_0]f64, m_2 : *[][]f64, is_3 : []i64) -> []f64 {
  let reach_4 : (i64, i64) = extent [0; n_0 by 2, 3 by -1]
  let low_5 : i64 = reach_4.0
  let high_6 : i64 = reach_4.1
  check 0 strided true (low_5, high_6, n_0)
  let part_7 : [n_0]f64 = strided xs_1[1; n_0 by 2] after 0
  let rows_8 : [][]f64 = strided xs_1[0; n_0 by 2, 3 by -1] after 0
  let apart_9 : bool = disjoint [0; n_0 by 2, 3 by -1]
  check 1 overlap apart_9 ()
  let one_10 : [n_0]f64 = update xs_1[3] = 2.5
  let deep_11 : [][]f64 = update m_2[1, n_0] = 2.5
  let row_12 : [][]f64 = update m_2[1] = one_10
  let many_13 : []f64 = update xs_1[0; n_0 by 2, 3 by -1] = rows_8 after 0, 1
  let put_14 : []f64 = scatter many_13 is_3 part_7
  let counts_15 : [n_0]f64 = hist (a_16 : f64, b_17 : f64) in is_3, put_14 < n_0 from 0.0 { let c_18 : f64 = a_16 + b_17; => c_18 }
  let sorted_19 : [][]f64 = sort m_2 by is_3
  let before_20 : bool = precedes one_10 part_7
  let flat_21 : []f64 = flatten m_2
  check 2 partition before_20 (n_0, 4)
  let cut_22 : [][]f64 = partition flat_21 by is_3 after 2
  let box_23 : [][][]f64 = reshape flat_21 to (n_0, 2, 3)
  check 4 positive before_20 (n_0)
  let windows_24 : [][]f64 = slide flat_21 size n_0 step 1 after 4
  check 3 empty before_20 ()
  let p_25 : []f64 = pad xs_1 left 1 right n_0 clamp after 3
  let p_26 : []f64 = pad xs_1 left 1 right n_0 wrap
  let p_27 : []f64 = pad xs_1 left 1 right n_0 mirror
  let p_28 : [][]f64 = pad m_2 left 1 right n_0 constant p_27
  let r_29 : []f64 = rotate xs_1 by -1
  let t_30 : [][]f64 = transpose m_2
  => counts_15
}
",
    );
}

#[test]
fn sums() {
    check(
        "
def area(s_0 : <circle(f64) | rect(f64, f64) | nothing>) -> f64 {
  let a_1 : f64 = match s_0 {
    circle(r_2 : f64) {
      let q_3 : f64 = r_2 * r_2
      let a_4 : f64 = q_3 * 3.0
      => a_4
    }
    rect(w_5 : f64, h_6 : f64) { let a_7 : f64 = w_5 * h_6; => a_7 }
    nothing { => 0.0 }
  }
  => a_1
}

def nested(x_0 : f64, n_1 : i64) -> []<left([n_1]<a | b>) | right_2((i64, bool))> {
  let b_2 : <a | b> = variant b of <a | b>
  let bs_3 : [n_1]<a | b> = replicate n_1 b_2
  let l_4 : <left([]<a | b>) | right_2((i64, bool))> = variant left(bs_3) of <left([]<a | b>) | right_2((i64, bool))>
  let ls_5 : []<left([]<a | b>) | right_2((i64, bool))> = [l_4] of <left([]<a | b>) | right_2((i64, bool))>
  => ls_5
}

test \"all\" t(ss_0 : []<circle(f64) | true | other_1>) -> bool with ([circle@0(-1.5), true@1, other_1@2]) {
  => true
}
",
    );
}

#[test]
fn sizes_read_back() {
    let (n, m) = (Size::var(SizeVar(0)), Size::var(SizeVar(1)));
    let i = SizeVar(7);
    let apply = |x: &Size| Size::apply(terrace_algebra::SizeFun(3), vec![x.clone(), n.clone()]);
    let sizes = [
        Size::zero(),
        Size::constant(-4),
        &n * &m * 3 - &n + 1,
        n.pow(3) - m.pow(2),
        sum(i, &n, &(Size::var(i) + 1)),
        sum(i, &n, &(apply(&Size::var(i)) * Size::var(i))),
        sum(i, &n, &sum(SizeVar(8), &Size::var(i), &apply(&Size::var(SizeVar(8))))),
        (&n + 5).floor_div(2).unwrap(),
        n.floor_div(2).unwrap().pow(2) + (&n * &n + &m).floor_div(3).unwrap(),
        Size::max_of(&[Size::min_of(&[n.clone(), &m + 1]), Size::constant(7)]),
        n.floor_mod(32).unwrap(),
        Size::split(&(&n * 2), &(&m + 3), &(&n * &m), &Size::constant(9)),
    ];
    for size in sizes {
        let array = ArrayType { length: Some(size), position: None, elem: Type::Scalar(ScalarType::I64) };
        let mut program = parse("def f(n_0 : i64, m_1 : i64, xs_2 : []i64) -> i64 { => n_0 }").unwrap();
        program.functions[FuncId::new(0)].values[ValueId::new(2)].ty = Type::Array(Box::new(array));
        assert_eq!(parse(&print(&program)).unwrap(), program, "{program}");
    }
}

#[test]
fn a_function_says_of_every_parameter_whether_it_is_consumed() {
    let mut program = parse("def f(x_0 : i64) -> i64 { => x_0 }").unwrap();
    program.functions[FuncId::new(0)].consumed.clear();
    assert!(verify(&program).unwrap_err().contains("whether it is consumed"));
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: Span::new(terrace_base::FileId::new(0), 3, 5) }
}

#[test]
fn built_by_hand() {
    let v = ValueId::new;
    let (f64, int) = (Type::Scalar(ScalarType::F64), Type::Scalar(ScalarType::I64));
    let value = |name: &str, ty: &Type| Value { name: name.into(), ty: ty.clone() };
    let add = Expr::Binary(BinOp::Add, Atom::Var(v(5)), Atom::Var(v(4)));
    let operator = Lambda {
        params: vec![v(4), v(5)],
        body: Body {
            stmts: vec![stmt(StmtKind::Let { value: v(6), expr: add, after: vec![] })],
            result: Atom::Var(v(6)),
        },
    };
    let reduce = Expr::Reduce { operator, neutral: Atom::Const(Scalar::F64(-0.0)), array: Atom::Var(v(0)) };
    let cond = Atom::Const(Scalar::Bool(true));
    let check = StmtKind::Check { check: CheckId::new(1), cond, values: vec![], proved: false };
    let function = Function {
        name: "total".into(),
        role: Role::Test { name: "t".into(), arguments: vec![Data::Array(vec![Data::Scalar(Scalar::F64(1e300))])] },
        values: [
            value("xs", &Type::array(f64.clone())),
            value("never_bound", &int),
            value("t", &f64),
            value("positive", &Type::Scalar(ScalarType::Bool)),
            value("a'", &f64),
            value("b", &f64),
            value("", &f64),
            value("u", &f64),
            value("also_not", &int),
        ]
        .into_iter()
        .collect(),
        params: vec![v(0)],
        source: "f".to_string(),
        consumed: vec![false],
        result: Type::Scalar(ScalarType::Bool),
        body: Body {
            stmts: vec![
                stmt(check),
                stmt(StmtKind::Let { value: v(2), expr: reduce, after: vec![CheckId::new(1)] }),
                stmt(StmtKind::Let { value: v(7), expr: Expr::Unary(UnOp::Abs, Atom::Var(v(2))), after: vec![] }),
                stmt(StmtKind::Let {
                    value: v(3),
                    expr: Expr::Binary(BinOp::Gt, Atom::Var(v(7)), Atom::Const(Scalar::F64(0.5))),
                    after: vec![],
                }),
            ],
            result: Atom::Var(v(3)),
        },
        span: Span::new(terrace_base::FileId::new(0), 0, 9),
    };
    let info = |kind| CheckInfo { kind, span: Span::new(terrace_base::FileId::new(1), 0, 1) };
    let mut program = Program {
        functions: [function].into_iter().collect(),
        checks: [info(CheckKind::Depth), info(CheckKind::Assert("say \"why\"\n\\".into()))].into_iter().collect(),
    };
    verify(&program).unwrap();
    let back = parse(&print(&program)).unwrap();
    assert_ne!(back, program);
    erase_spans(&mut program);
    assert_eq!(back, program);
    assert_eq!(program.functions[FuncId::new(0)].values.len(), 8);
}

#[test]
fn rules() {
    let f = |body: &str| format!("check 0 : index\ndef f(x_0 : i64, xs_1 : []f64) -> i64 {{ {body} => x_0 }}");
    let cases: &[(&str, &str)] = &[
        ("let a_2 : i64 = b_3 + x_0", "s3 is not bound here"),
        ("let a_2 : i64 = x_0 let a_2 : i64 = x_0", "a_2 is bound twice"),
        ("let a_2 : i64 = x_0 + 1i32", "the second operand: found i32, wanted i64"),
        ("let a_2 : f64 = x_0", "what is bound: found i64, wanted f64"),
        ("let a_2 : bool = not 1.0", "there is no not of f64"),
        ("let a_2 : f64 = xs_1[1i32]", "an index: found i32, wanted i64"),
        ("let a_2 : f64 = x_0[0]", "an array is wanted here, not i64"),
        ("let a_2 : f64 = xs_1[0] after 0", "check 0 of `after` does not stand before"),
        (
            "let a_2 : f64 = if true { check 0 index true (1, 2) => 1.0 } else { => 2.0 } let b_3 : f64 = xs_1[0] after 0",
            "check 0 of `after` does not stand before",
        ),
        ("check 1 index true (1, 2)", "there is no check 1"),
        ("check 0 index true (1)", "shows 2 values"),
        ("proved 0 index true (1)", "shows 2 values"),
        ("let a_2 : [x_0]f64 = ascribe xs_1 : [x_0]f64 proved 7", "there is no check 7"),
        ("check 0 index x_0 (1, 2)", "a check's condition: found i64, wanted bool"),
        ("let a_2 : f64 = if true { => 1.0 } else { => 2.0f32 }", "the second branch: found f32, wanted f64"),
        ("let a_2 : []f64 = map (x_3 : f64, y_4 : f64) in xs_1 { => x_3 }", "a lambda with 1 parameters is wanted"),
        ("let a_2 : []f64 = map (x_3 : f32) in xs_1 { => 1.0 }", "a lambda's parameter: found f32, wanted f64"),
        ("let a_2 : f64 = reduce (a_3 : f64, b_4 : f64) in xs_1 from 0 { => a_3 }", "the neutral element: found i64"),
        (
            "let a_2 : f64 = reduce (a_3 : f64, b_4 : f64) in xs_1 from 0.0 { => x_0 }",
            "the operator's result: found i64",
        ),
        ("let a_2 : []f64 = filter (a_3 : f64) in xs_1 { => a_3 }", "the predicate's result: found f64"),
        ("let a_2 : i64 = loop s_3 : i64 = 1.0 for i_4 < 3 do { => s_3 }", "the first value of a loop's state"),
        ("let a_2 : i64 = loop s_3 : i64 = 1 while { => 1 } do { => s_3 }", "a loop's condition: found i64"),
        ("let a_2 : i64 = loop s_3 : i64 = 1 for i_4 < 3 do { => 2.0 }", "a loop's next state: found f64"),
        ("let a_2 : []f64 = map (x_3 : f64) in xs_1 { => x_3 } let b_4 : f64 = x_3", "x_3 is not bound here"),
        ("let a_2 : (i64, f64) = (1, 2.0) let b_3 : i64 = a_2.2", "has no component 2"),
        ("let a_2 : i64 = call f(x_0)", "f takes 2 arguments, not 1"),
        ("let a_2 : i64 = call f(x_0, x_0)", "an argument: found i64, wanted []f64"),
        ("let a_2 : [y_9]f64 = xs_1", "mentions s9, which is no integer"),
        ("let a_2 : [x_0 < 3][x_0]f64 = [] of []f64", "the position x_0 is also a value"),
        ("let a_2 : f64 = 1.0 let b_3 : [a_2]f64 = xs_1", "mentions a_2, which is no integer"),
        ("let a_2 : [i_9 < x_0][k1(i_9)]f64 = [] of []f64", "mentions xs_1, which is no array of integers"),
    ];
    let moving: &[(&str, &str)] = &[
        ("let a_2 : []f64 = strided xs_1[0;] ", "strides have at least one dimension"),
        ("let a_2 : []f64 = strided xs_1[0; 2 by 1, 2 by 1]", "what is bound: found [][]f64"),
        ("let a_2 : []f64 = strided xs_1[0; 2 by 1.0]", "a stride: found f64"),
        ("let a_2 : []f64 = strided xs_1[true; 2 by 1]", "an offset: found bool"),
        ("let a_2 : i64 = extent [0; 2 by 1]", "what is bound: found (i64, i64)"),
        ("let a_2 : i64 = disjoint [0; 2 by 1]", "what is bound: found bool"),
        ("let a_2 : []f64 = update xs_1[0, 1] = 1.0", "f64 has no element here"),
        ("let a_2 : []f64 = update xs_1[0] = 1", "the new element: found i64, wanted f64"),
        ("let a_2 : []f64 = update xs_1[0.0] = 1.0", "an index: found f64"),
        ("let a_2 : []f64 = update xs_1[0; 1 by 1] = 1.0", "the new elements: found f64, wanted []f64"),
        ("let a_2 : []f64 = scatter xs_1 xs_1 xs_1", "indices: found []f64, wanted []i64"),
        ("let i_3 : []i64 = iota 2 let a_2 : []f64 = scatter xs_1 i_3 i_3", "the new elements: found []i64"),
        (
            "let i_5 : []i64 = iota 2 let a_2 : []f64 = hist (a_3 : f64, b_4 : f64) in i_5, xs_1 < 3 from 0 { => a_3 }",
            "the neutral element: found i64",
        ),
        ("let a_2 : []f64 = hist (a_3 : f64, b_4 : f64) in xs_1, xs_1 < 3 from 0.0 { => a_3 }", "indices: found []f64"),
        ("let a_2 : []f64 = sort xs_1 by x_0", "an array is wanted here, not i64"),
        ("let a_2 : bool = precedes xs_1 x_0", "the second operand: found i64, wanted []f64"),
        ("let a_2 : []f64 = flatten xs_1", "an array of arrays is wanted here, not []f64"),
        ("let a_2 : [][]f64 = transpose xs_1", "an array of arrays is wanted here, not []f64"),
        ("let a_2 : [][]f64 = partition xs_1 by xs_1", "sizes: found []f64"),
        ("let a_2 : []f64 = reshape xs_1 to (x_0,)", "at least two lengths are wanted here"),
        ("let a_2 : [][]f64 = reshape xs_1 to (x_0, 1.0)", "a length: found f64"),
        ("let a_2 : [][]f64 = slide xs_1 size 1.0 step 2", "the length of a window: found f64"),
        ("let a_2 : []f64 = pad xs_1 left 1 right 1 constant x_0", "what is added: found i64, wanted f64"),
        ("let a_2 : []f64 = rotate xs_1 by 1.0", "a distance: found f64"),
        ("let a_2 : <a | a> = variant a of <a | a>", "two variants are called a"),
        ("let a_2 : <a(i64)> = variant a of <a(i64)>", "a holds 1 values, not 0"),
        ("let a_2 : <a(i64)> = variant a(xs_1) of <a(i64)>", "what a variant holds: found []f64, wanted i64"),
        ("let a_2 : <> = variant_3", "not bound here"),
        ("let a_2 : [][]<> = [] of []<>", "a sum has at least one variant"),
        ("let a_2 : i64 = match x_0 { a { => 1 } }", "a sum is wanted here, not i64"),
        (
            "let a_2 : <a | b> = variant a of <a | b> let c_3 : i64 = match a_2 { a { => 1 } }",
            "an arm per variant is wanted here: 2, not 1",
        ),
        (
            "let a_2 : <a | b> = variant a of <a | b> let c_3 : i64 = match a_2 { a { => 1 } b { => 1.0 } }",
            "another arm: found f64, wanted i64",
        ),
        (
            "let a_2 : <a(i64)> = variant a(1) of <a(i64)> let c_3 : i64 = match a_2 { a(x_4 : f64) { => 1 } }",
            "a lambda's parameter: found f64, wanted i64",
        ),
    ];
    for (body, words) in cases.iter().chain(moving) {
        check_fault(&f(body), &["in f", words]);
    }
    check_fault("def f() -> f64 { => 1 }", &["in f:", "the body and the result"]);
    check_fault("def f() -> i64 { => 1 } def f() -> i64 { => 1 }", &["two functions are called f"]);
    check_fault("test \"t\" f(x_0 : i64) -> bool with (1.0) { => true }", &["the argument for x_0"]);
    check_fault("test \"t\" f(x_0 : <a | b>) -> bool with (b@0) { => true }", &["the argument for x_0"]);
    check_fault("test \"t\" f(x_0 : i64) -> i64 with (1) { => x_0 }", &["the result of a test"]);
}

#[test]
fn unreadable_texts_say_where() {
    for (text, words) in [
        ("def f() -> i64 {\n  let x_0 : i64 = \n}", "line 3: an operand is wanted here"),
        ("def f() -> i64 {\n  => 1 ", "`}` is wanted here"),
        ("def f() -> i64 { let x_0 : i64 = call g() => 1 }", "there is no function g"),
        ("def f() -> int { => 1 }", "a scalar type is wanted here"),
        ("def f() -> i64 { => # }", "the sign '#' means nothing"),
        ("def f(x_0 : <a>) -> i64 { let y_1 : i64 = match x_0 { b { => 1 } } => 1 }", "the arm for a is wanted here"),
        ("def f() -> i64 { let y_1 : <a> = variant b of <a> => 1 }", "the type has no variant b"),
        ("def f() -> i64 { let y_1 : *[]i64 = iota 3 => 1 }", "only a function consumes its parameters"),
        ("check 1 : index", "checks are numbered from 0"),
        ("check 0 : assert \"open", "a string without end"),
    ] {
        let message = parse(text).unwrap_err();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
    }
}
