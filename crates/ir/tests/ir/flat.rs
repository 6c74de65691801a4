//! Flat: what prints reads back, the rules bite, copies are fresh.

use std::collections::BTreeMap;
use terrace_algebra::Size;
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::parse::{erase_spans, parse};
use terrace_ir::flat::print::print;
use terrace_ir::flat::verify::verify;
use terrace_ir::flat::visit::*;
use terrace_ir::flat::*;
use terrace_ir::{Atom, FuncId, ValueId, size_var};

/// A valid program whose text is exactly what the printer writes.
fn check(text: &str) -> Program {
    let text = text.trim_start();
    let program: Program = parse(text).unwrap();
    assert_eq!(print(&program), text);
    verify(&program).unwrap();
    program
}

const SPMV: &str = "
check 0 : index

entry spmv(
  n_0 : i64,
  off_1 : i64[n_0 + 1],
  t_30 : i64,
  col_2 : i32[t_30],
  val_3 : f64[t_30],
  m_4 : i64,
  v_5 : f64[m_4],
) -> (i64, f64[n_0])
  takes [length][off](i32, f64), [length]f64
  gives [length]f64
{
  let out_6 : f64[n_0] = reduce grid [n_0][off_1] (i_7, j_8 | p_9, q_10 <= t_30) by c_13 : f64 = a_11 + b_12 from 0.0 {
    let c_14 : i32 = col_2[q_10]
    let k_15 : i64 = i64(c_14)
    let ok_16 : bool = k_15 < m_4
    check 0 index ok_16 (k_15, m_4)
    let x_17 : f64 = v_5[k_15]
    let y_18 : f64 = val_3[q_10]
    let z_19 : f64 = x_17 * y_18
    => z_19
  }
  => n_0, out_6
}
";

#[test]
fn spmv() {
    let program = check(SPMV);
    assert_eq!(count_operators(&program), BTreeMap::from([(("reduce", Level::Grid), 1)]));
}

#[test]
fn every_expression() {
    check(
        "
check 0 : division

def quicksort^(n_0 : i64, xs_1 : f64[n_0]) -> (i64, f64[m_3], i64[n_0 + 1]) {
  let budget_2 : i64 = memory_limit
  let m_3 : i64 <= n_0, small_4 : f64[m_3] <= n_0 = pack grid [n_0] (i_5 | p_6) {
    let x_7 : f64 = xs_1[p_6]
    let keep_8 : bool = x_7 < 0.5
    => keep_8, x_7
  }
  let lens_9 : i64[n_0] = map grid [n_0] (i_10 | p_11) { => i_10 }
  let off_12 : i64[n_0 + 1] = scan grid [n_0] (i_13 | p_14) by c_17 : i64 = a_15 + b_16 from 0 offsets { => i_13 }
  let top_18 : f64 = reduce grid [n_0] (i_19 | p_20) by c_23 : f64 = a_21 max b_22 from -inf masked { let x_24 : f64 = xs_1[p_20]; => true, x_24 }
  let total_25 : i64 = off_12[n_0]
  let start_26 : i64[n_0] = map grid [n_0] (i_27 | p_28) { => 0 }
  let seg_29 : f64[total_25] = scan grid [n_0][off_12 at start_26] (i_30, j_31 | p_32, q_33) by (a_34 : f64 | b_35 : f64) { => b_35 } from 0.0 inclusive { => 1.0 }
  let tri_36 : f64[(n_0^2 + n_0)/2] = map grid [n_0][(i_37) i_37 + 1] (i_37, j_38 | p_39, q_40) { => 1.0 }
  let formal_41 : f64[n_0^2] = map grid [n_0][(k_42) n_0] (i_43, j_44 | p_45, q_46) { => 1.0 }
  let per_47 : f64[total_25] = map grid [n_0][per 1 lens_9 from off_12] (i_48, j_49 | p_50, q_51) { => 1.0 }
  let rows_52 : f64[total_25] = map grid [n_0] (i_53 | p_54) rows off_12 {
    let len_55 : i64 = lens_9[p_54]
    let local_56 : f64[len_55] <= n_0 = map block [len_55] (i_57 | p_58) {
      let part_59 : f64, q_66 : i64 = reduce thread [4] (i_60 | p_61) by (a_62 : f64, b_63 : i64 | c_64 : f64, d_65 : i64) { => a_62, b_63 } from 0.0, 0 { => 1.0, 2 }
      => part_59
    }
    => local_56
  }
  let n32_67 : i32 = i32(n_0)
  let chosen_68 : i32 = select(true, n32_67, 5i32)
  let even_69 : i64 = size floor(n_0/2)
  let neg_70 : f64 = fma(top_18, top_18, -1.0)
  let root_71 : f64 = sqrt neg_70
  let items_72 : f64[3] = [root_71, 1.0, 2.0]
  let none_73 : i32[0] = []
  let again_74 : f64[3] = items_72
  let go_75 : bool = n_0 > 1
  let k_76 : i64, ys_77 : f64[k_76] = if go_75 {
    let k_78 : i64, ys_79 : f64[k_78], o_80 : i64[k_78 + 1] = call quicksort^(m_3, small_4)
    => k_78, ys_79
  } else { => 3, items_72 }
  let () = if go_75 { check 0 division go_75 (n_0) } else {}
  let s_81 : i64, zs_82 : f64[s_81] = loop s_83 : i64 = k_76, zs_84 : f64[s_83] <= 2*n_0 = ys_77 while { let go_85 : bool = s_83 > 0; => go_85 } do { => 0, small_4 }
  => m_3, small_4, off_12
}

test \"a test\" t(n_0 : i64, x_1 : f32[n_0]) -> (bool)
  with ([1.5f32, 2.0f32])
  takes [length]f32
  gives bool
{
  => true
}
",
    );
}

#[test]
fn threads_that_call() {
    let text = "
def twice^alone(n_0 : i64, xs_1 : f64[n_0]) -> (i64, f64[n_0]) { => n_0, xs_1 }

entry f(n_0 : i64, xs_1 : f64[n_0]) -> (i64, f64[n_0])
  takes [length]f64
  gives [length]f64
{
  let n_2 : i64[3], h_3 : i64[3] = map grid [3] (i_4 | q_5) {
    let m_6 : i64, h_7 : i64 = keep twice^alone(n_0, xs_1)
    => m_6, h_7
  }
  let off_8 : i64[4] = [0, n_0, n_0, n_0]
  let ys_9 : f64[n_0] = map grid [3] (i_10 | q_11) rows off_8 {
    let h_12 : i64 = h_3[q_11]
    let m_13 : i64 = n_2[q_11]
    let row_14 : f64[m_13] = take h_12
    => row_14
  }
  => n_0, ys_9
}
";
    let program: Program = parse(text).unwrap();
    verify(&program).unwrap();
    let printed = print(&program);
    assert!(printed.contains("= keep twice^alone(n_0, xs_1)") && printed.contains("= take h_12"), "{printed}");
    assert_eq!(parse::<()>(&printed).unwrap(), program);
    check_fault(&text.replace("take h_12", "take xs_1"), "what stands for a column");
    check_fault(&text.replace("keep twice", "call twice"), "host level only");
}

#[test]
fn operators_that_write() {
    let program = check(
        "
def f(n_0 : i64, off_1 : i64[n_0 + 1], t_2 : i64, xs_3 : f64[t_2], ks_4 : i64[t_2]) -> (f64[t_2], i64[8], i64[t_2]) {
  let ys_5 : f64[t_2], zs_6 : i64[t_2] = scatter grid [t_2] (i_7 | p_8) into xs_3, ks_4 distinct { => p_8, 1.0, i_7 }
  let us_9 : f64[t_2] = scatter grid [n_0][off_1] (i_10, j_11 | p_12, q_13) into ys_5 { let k_14 : i64 = ks_4[q_13]; => k_14, 2.0 }
  let bins_15 : i64[8] = hist grid [t_2] (i_16 | p_17) bins 8 by c_20 : i64 = a_18 + b_19 from 0 { => 3, 1 }
  let rank_21 : i64[t_2] = sort grid [n_0][off_1] (i_22, j_23 | p_24, q_25) { let x_26 : f64 = us_9[q_25]; => x_26, j_23 }
  let () = scatter thread [2] (i_27 | p_28) into { => 0 }
  let all_29 : f64[2*t_2] = concat(xs_3, ys_5)
  let up_30 : f64[t_2] = sort grid [t_2] (i_31 | p_32) keys { let x_33 : f64 = us_9[p_32]; => x_33 }
  => us_9, bins_15, rank_21
}
",
    );
    let counted = [
        ("hist", Level::Grid, 1),
        ("scatter", Level::Grid, 2),
        ("scatter", Level::Thread, 1),
        ("sort", Level::Grid, 2),
    ];
    assert_eq!(count_operators(&program), counted.map(|(name, level, n)| ((name, level), n)).into_iter().collect());
    let f = &program.functions[FuncId::new(0)];
    let scatter = free_values_of_expr(&f.body.stmts[0].expr);
    assert_eq!(scatter.iter().map(|v| v.index()).collect::<Vec<_>>(), [2, 3, 4]);
}

#[test]
fn built_by_hand() {
    let v = ValueId::new;
    let n = Size::var(size_var(v(0)));
    let int = Type::Scalar(ScalarType::I64);
    let column = |length: &Size| Type::Column { elem: ScalarType::I64, length: length.clone() };
    let value = |(name, ty, bound): (&str, &Type, Option<&Size>)| Value {
        name: name.into(),
        ty: ty.clone(),
        bound: bound.cloned(),
        at: (),
    };
    let mut values: Vec<Value> = [
        ("n", &int, None),
        ("off", &column(&(&n + 1)), None),
        ("y", &column(&n), Some(&(&n * 2))),
        ("formal", &int, None),
        ("dead", &int, None),
    ]
    .map(value)
    .to_vec();
    values.extend((5..15).map(|_| value(("i", &int, Some(&n)))));
    values.extend((15..18).map(|_| value(("a", &int, None))));
    let op = Op {
        level: Level::Grid,
        space: vec![
            Descriptor::Regular(Atom::Var(v(0))),
            Descriptor::Closed { around: vec![v(3)], length: Size::var(size_var(v(3))) + 1 },
            Descriptor::PerAncestor { depth: 2, lengths: v(1), base: v(1) },
            Descriptor::Irregular { off: v(1), start: Some(v(1)) },
            Descriptor::Irregular { off: v(1), start: None },
        ],
        indices: (5..10).map(v).collect(),
        positions: (10..15).map(v).collect(),
        body: Body { stmts: vec![], results: vec![Atom::Var(v(14))] },
        kind: OpKind::Scan {
            operator: Operator {
                left: vec![v(15)],
                right: vec![v(16)],
                body: Body {
                    stmts: vec![Stmt {
                        binds: vec![v(17)],
                        expr: Expr::Binary(BinOp::Shr, Atom::Var(v(16)), Atom::int(-3)),
                        span: Span::none(),
                    }],
                    results: vec![Atom::Var(v(17))],
                },
            },
            neutral: vec![Atom::int(i64::MIN)],
            form: ScanForm::Inclusive,
        },
    };
    let stmt = Stmt { binds: vec![v(2)], expr: Expr::Op(Box::new(op)), span: Span::none() };
    let function = Function {
        name: "f^2".into(),
        role: Role::Internal,
        values: values.into_iter().collect(),
        params: vec![v(0), v(1)],
        owned: vec![],
        param_layouts: vec![],
        results: vec![column(&n)],
        result_layout: None,
        body: Body { stmts: vec![stmt], results: vec![Atom::Var(v(2))] },
        span: Span::none(),
    };
    let mut program = Program {
        functions: [function].into_iter().collect(),
        checks: Default::default(),
        thresholds: Default::default(),
    };
    verify(&program).unwrap();
    erase_spans(&mut program);
    assert_eq!(parse(&print(&program)).unwrap(), program, "{program}");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces: Vec<&str> = SPMV.split_inclusive(' ').collect();
    let mut failures = 0;
    for left_out in 0..pieces.len() {
        let short: String = pieces[..left_out].concat();
        let holed: String = short.clone() + &pieces[left_out + 1..].concat();
        for text in [short, holed] {
            failures += usize::from(parse::<()>(&text).is_err());
        }
    }
    assert!(failures > pieces.len(), "{failures} of {}", 2 * pieces.len());
    assert!(parse::<()>("def \"f\"").is_err());
    assert!(parse::<()>("def f(x_99999999999999999999 : i64) -> () {}").is_err());
    assert!(parse::<()>("def f(x_4000000000 : i64) -> () {}").is_err());
    assert!(parse::<()>("def f(x_0 : i64, y_1 : i64[x_0^4000000000]) -> () {}").is_err());
}

#[test]
fn layouts_read_back() {
    check(
        "
entry f(n_0 : i64, off_1 : i64[n_0 + 1], start_2 : i64[n_0], m_5 : i64, x_3 : bool[n_0], y_4 : f64[n_0]) -> (f64)
  takes [length][off start](bool, [closed s0 + s100]f64)
  gives (f64)
{
  => 1.0
}
",
    );
}

#[test]
fn spans_and_dead_values_are_not_said() {
    let mut program: Program = parse(SPMV).unwrap();
    let same = program.clone();
    let f = &mut program.functions[FuncId::new(0)];
    f.span = Span::new(terrace_base::FileId::new(0), 1, 2);
    f.values.push(f.values[ValueId::new(0)].clone());
    assert_eq!(print(&program), print(&same));
    erase_spans(&mut program);
    assert_eq!(program, same);
}

/// A program that breaks a rule.
fn check_fault(text: &str, words: &str) {
    let message = verify(&parse(text).unwrap()).unwrap_err();
    assert!(message.contains(words), "{message:?} does not say {words:?}");
}

#[test]
fn rules() {
    let op = "(i_5 | p_6)";
    let by = "by (a_7 : i64 | b_8 : i64) { => a_7 } from 0";
    let cases: &[(String, &str)] = &[
        (
            format!("let y_4 : i64[n_0] = map block [n_0] {op} {{ => i_5 }}"),
            "a block operator does not stand at the host level",
        ),
        (
            format!(
                "let y_4 : i64[n_0] = map thread [n_0] {op} {{ let z_9 : i64[3] = map block [3] (j_10 | q_11) {{ => 1 }} => i_5 }}"
            ),
            "a block operator does not stand in a thread body",
        ),
        (
            format!(
                "let y_4 : i64[n_0] = map grid [n_0] {op} {{ let z_9 : i64[3] = map thread [xs_1] (j_10 | q_11) {{ => 1 }} => i_5 }}"
            ),
            "within bodies every dimension is regular",
        ),
        (
            format!("let y_4 : i64[n_0] = map grid [n_0] {op} {{ let z_9 : i64 = memory_limit => i_5 }}"),
            "host level only",
        ),
        (
            format!("let y_4 : i64[n_0] = map grid [n_0] {op} {{ let z_9 : i64 = call f(n_0, xs_1) => i_5 }}"),
            "host level only",
        ),
        (
            format!("let y_4 : i64[n_0] = map grid [n_0][n_0] {op} {{ => i_5 }}"),
            "one index and one position per dimension",
        ),
        (format!("let y_4 : i64[n_0] = map grid {op} {{ => i_5 }}"), "a space has a dimension"),
        (format!("let y_4 : i64[n_0] = map grid [1.0] {op} {{ => i_5 }}"), "the length of a dimension: found f64"),
        (format!("let y_4 : f64[n_0] = map grid [n_0] {op} {{ => i_5 }}"), "what is bound: found a column of i64"),
        (format!("let y_4 : i64[n_0] = map grid [n_0] {op} {{ => xs_1 }}"), "nowhere for rows to go"),
        (format!("let y_4 : i64[n_0] = map grid [n_0] {op} rows n_0 {{ => xs_1 }}"), "a column is wanted here"),
        (format!("let y_4 : i64[n_0] = map grid [n_0] {op} {{ => 1, 2 }}"), "found 2 of them, wanted 1"),
        (format!("let y_4 : i64[n_0] = reduce grid [n_0] {op} {by} {{ => i_5 }}"), "found i64, wanted a column of i64"),
        (
            format!("let y_4 : i64 = reduce grid [n_0] {op} {by} masked {{ => i_5, i_5 }}"),
            "the first result: found i64",
        ),
        (format!("let y_4 : f64 = reduce grid [n_0] {op} {by} {{ => 1.0 }}"), "the neutral element: found i64"),
        (format!("let y_4 : i64 = reduce grid [n_0] {op} {by}, 0 {{ => i_5, i_5 }}"), "the left operands: found 1"),
        (
            format!("let y_4 : i64 = scan grid [n_0] {op} {by} inclusive {{ => i_5 }}"),
            "found a column of i64, wanted i64",
        ),
        (
            format!("let y_4 : i64[n_0] = scan grid [n_0][n_0] (i_5, j_11 | p_6, q_12) {by} offsets {{ => i_5 }}"),
            "offsets has one dimension",
        ),
        (format!("let y_4 : i64[n_0] = pack grid [n_0] {op} {{ => true, i_5 }}"), "found 2 of them, wanted 1"),
        (format!("let y_4 : i64 = pack grid [n_0] {op} {{ => i_5 }}"), "the first result: found i64"),
        (
            format!("let y_4 : i64[n_0] = scatter grid [n_0] {op} into xs_1 {{ => true, i_5 }}"),
            "the first result: found bool",
        ),
        (format!("let y_4 : i64[n_0] = scatter grid [n_0] {op} into xs_1 {{ => i_5, 1.0 }}"), "to the destinations"),
        (format!("let y_4 : i64[n_0] = scatter grid [n_0] {op} into n_0 {{ => i_5, 1 }}"), "a column is wanted here"),
        (format!("let y_4 : i64[n_0] = hist grid [n_0] {op} bins n_0 {by} {{ => 1.0, i_5 }}"), "the first result"),
        (format!("let y_4 : i64[n_0] = hist grid [n_0] {op} bins 1.0 {by} {{ => i_5, i_5 }}"), "the number of bins"),
        (format!("let y_4 : f64[n_0] = hist grid [n_0] {op} bins n_0 {by} {{ => i_5, 1.0 }}"), "the neutral element"),
        (format!("let y_4 : i64[n_0] = sort grid [n_0] {op} {{ }}"), "a sort has a key"),
        (format!("let y_4 : f64[n_0] = sort grid [n_0] {op} {{ => 1.0 }}"), "what is bound: found a column of i64"),
        (
            format!("let y_4 : i64[n_0] = sort grid [n_0] {op} keys {{ => 1.0 }}"),
            "what is bound: found a column of f64",
        ),
        (
            format!("let y_4 : i64[n_0] = map grid [n_0] {op} {{ let z_9 : i64[n_0] = concat(xs_1) => i_5 }}"),
            "host level only",
        ),
        ("let y_4 : i64[0] = concat()".into(), "a concatenation has a column"),
        ("let b_5 : bool[1] = [true] let y_4 : i64[n_0] = concat(xs_1, b_5)".into(), "have one type"),
        (
            "let y_4 : i64[n_0] = map grid [n_0][(i_5, k_7) n_0] (i_5, j_8 | p_6, q_9) { => 1 }".into(),
            "depends on dimensions around it",
        ),
        (
            "let y_4 : i64[n_0] = map grid [n_0][per 2 xs_1 from xs_1] (i_5, j_8 | p_6, q_9) { => 1 }".into(),
            "depends on dimensions around it",
        ),
        ("let y_4 : i64[m_9] = xs_1".into(), "a size mentions s9, which is not bound here"),
        ("let y_4 : i64 <= m_9 = n_0 let m_9 : i64 = 1".into(), "a size mentions m_9, which is not bound here"),
        ("let y_4 : f64 <= n_0 = 1.0".into(), "only integers and columns have a bound"),
        ("let y_4 : f64 = 1.0 let z_5 : i64[y_4] = xs_1".into(), "which is no integer"),
        ("let y_4 : block = alloc f64 n_0".into(), "alloc belongs to Mem"),
        ("let y_4 : i64 = n_0 let y_4 : i64 = n_0".into(), "y_4 is bound twice"),
        ("let y_4 : f64[2] = [1.0, n_0]".into(), "a literal's items have one type"),
        ("let y_4 : i64, z_5 : i64 = if true { => 1, 2 } else { => 1 }".into(), "the second branch"),
        ("let y_4 : i64 = loop s_5 : i64 = 1 while { => 1 } do { => 2 }".into(), "a loop's condition"),
        ("let y_4 : i64 = call f(n_0)".into(), "the arguments: found 1"),
        ("let y_4 : i64 = select(true, xs_1, xs_1)".into(), "a scalar is wanted here"),
        ("check 0 index true (n_0)".into(), "there is no check 0"),
        ("let y_4 : i64 = xs_1[1i32]".into(), "a position: found i32"),
    ];
    for (body, words) in cases {
        check_fault(&format!("def f(n_0 : i64, xs_1 : i64[n_0]) -> (i64) {{ {body} => n_0 }}"), words);
    }
    check_fault("def f() -> (i64) { => 1.0 }", "the results of the function: found f64");
    check_fault("entry f(n_0 : i64) -> (i64) gives i64 { => n_0 }", "the parameters and their layout");
    check_fault("entry f(n_0 : i64) -> (i64) takes i64 { => n_0 }", "an entry has a layout of its result");
    check_fault("test \"t\" f(n_0 : i64) -> (bool) with () takes i64 gives bool { => true }", "an argument per layout");
}

#[test]
fn free_values_and_fresh_copies() {
    let mut program: Program = parse(SPMV).unwrap();
    let f = &mut program.functions[FuncId::new(0)];
    let numbers = |vs: std::collections::BTreeSet<ValueId>| vs.iter().map(|v| v.index()).collect::<Vec<_>>();
    let expr = f.body.stmts[0].expr.clone();
    assert_eq!(numbers(free_values_of_expr(&expr)), [0, 1, 2, 3, 4, 5]);
    let op = expr.op().unwrap();
    assert_eq!(numbers(free_values(&op.body)), [2, 3, 4, 5, 10]);
    assert_eq!(numbers(free_values(&f.body)), [0, 1, 2, 3, 4, 5]);
    assert!(has_checks(&f.body));

    let mut copy = f.body.clone();
    refresh(&mut copy, &mut f.values);
    f.body.stmts.extend(copy.stmts);
    verify(&program).unwrap();
    let text = print(&program);
    assert!(text.contains("q_35 <= t_30"), "{text}");
}

#[test]
fn closed_indices_follow_their_operator() {
    let text = "def f(n_0 : i64) -> () { let y_1 : i64[n_0] = map grid [n_0][(i_2) i_2 + n_0] (i_2, j_3 | p_4, q_5) { => i_2 } }";
    let mut program: Program = parse(text).unwrap();
    let f = &mut program.functions[FuncId::new(0)];
    let mut expr = f.body.stmts[0].expr.clone();
    refresh_expr(&mut expr, &mut f.values);
    substitute_expr(&mut expr, &BTreeMap::from([(ValueId::new(0), Atom::int(8))]));
    f.body.stmts[0].expr = expr;
    verify(&program).unwrap();
    let text = print(&program);
    assert!(text.contains("map grid [8][(i_6) i_6 + 8] (i_6, j_7 | p_8, q_9) { => i_6 }"), "{text}");
}
