//! Core: walks and copies.

use std::collections::BTreeMap;
use terrace_ir::core::parse::parse;
use terrace_ir::core::print::print;
use terrace_ir::core::verify::verify;
use terrace_ir::core::visit::*;
use terrace_ir::core::{Expr, StmtKind};
use terrace_ir::{Atom, FuncId, ValueId};

const TEXT: &str = "
check 0 : index

def f(n_0 : i64, xs_1 : [n_0]f64) -> [n_0]f64 {
  let ys_2 : [n_0]f64 = map (x_3 : f64) in xs_1 {
    check 0 index true (n_0, n_0)
    let one_4 : [n_0]f64 = ascribe xs_1 : [n_0]f64 check 0
    let y_5 : f64 = x_3 + x_3
    => y_5
  }
  => ys_2
}
";

#[test]
fn free_bound_and_used() {
    let program = parse(TEXT).unwrap();
    let f = &program.functions[FuncId::new(0)];
    let show = |vs: Vec<ValueId>| vs.iter().map(|v| v.index()).collect::<Vec<_>>();
    assert_eq!(show(bound_values(&f.body)), [2, 3, 4, 5]);
    assert_eq!(show(free_values(&f.body).into_iter().collect()), [0, 1]);
    let StmtKind::Let { expr: Expr::Map { lambda, .. }, .. } = &f.body.stmts[0].kind else { panic!("no map") };
    assert_eq!(show(free_values(&lambda.body).into_iter().collect()), [0, 1, 3]);
    assert_eq!(show(free_values_of_lambda(lambda).into_iter().collect()), [0, 1]);
    assert_eq!(count_uses(&f.body)[&ValueId::new(3)], 2);
    assert!(has_checks(&f.body));
    assert_eq!(count_operators(&program), BTreeMap::from([("map", 1)]));
}

#[test]
fn substitution_reaches_sizes() {
    let mut program = parse(TEXT).unwrap();
    let f = &mut program.functions[FuncId::new(0)];
    let map = BTreeMap::from([(ValueId::new(0), Atom::int(7))]);
    substitute_with_types(&mut f.body, &mut f.values, &map);
    let text = print(&program);
    assert!(text.contains("let ys_2 : [7]f64 = map"), "{text}");
    assert!(text.contains("check 0 index true (7, 7)"), "{text}");
    assert!(text.contains("let one_4 : [7]f64 = ascribe xs_1 : [7]f64 check 0"), "{text}");
}

const ARMS: &str = "
def f(s_0 : <a(i64) | b>, is_1 : []i64, xs_2 : []f64, n_3 : i64) -> []f64 {
  let h_4 : []f64 = hist (x_5 : f64, y_6 : f64) in is_1, xs_2 < n_3 from 0.0 { => x_5 }
  let k_7 : [i_12 < n_3][k1(i_12)]f64 = match s_0 {
    a(v_8 : i64) { let w_9 : [][]f64 = strided xs_2[v_8; n_3 by 2, 1 by 1]; => w_9 }
    b { let w_10 : [][]f64 = reshape h_4 to (n_3, 1); => w_10 }
  }
  let p_11 : []f64 = pad xs_2 left 0 right 0 constant 1.0
  => h_4
}
";

#[test]
fn operators_and_arms_are_walked_and_copied() {
    let mut program = parse(ARMS).unwrap();
    verify(&program).unwrap();
    let f = &program.functions[FuncId::new(0)];
    let show = |vs: Vec<ValueId>| vs.iter().map(|v| v.index()).collect::<Vec<_>>();
    assert_eq!(show(bound_values(&f.body)), [4, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(show(free_values(&f.body).into_iter().collect()), [0, 1, 2, 3]);
    let counts = [("hist", 1), ("match", 1), ("pad", 1), ("reshape", 1), ("strided", 1)];
    assert_eq!(count_operators(&program), BTreeMap::from(counts));
    let f = &mut program.functions[FuncId::new(0)];
    let map = BTreeMap::from([(ValueId::new(1), Atom::Var(ValueId::new(90)))]);
    f.values[ValueId::new(7)].ty.substitute(&map);
    assert!(print(&program).contains("let k_7 : [i_12 < n_3][k90(i_12)]f64"), "{program}");
    let f = &mut program.functions[FuncId::new(0)];
    f.values[ValueId::new(7)].ty = f.values[ValueId::new(7)].ty.without_sizes();
    let mut copy = f.body.clone();
    refresh(&mut copy, &mut f.values);
    f.body.stmts.extend(copy.stmts);
    verify(&program).unwrap();
    assert!(
        print(&program).contains("a(v_17 : i64) { let w_18 : [][]f64 = strided xs_2[v_17; n_3 by 2, 1 by 1]"),
        "{program}"
    );
}

#[test]
fn a_refreshed_body_can_stand_twice() {
    let mut program = parse(TEXT).unwrap();
    let f = &mut program.functions[FuncId::new(0)];
    let mut copy = f.body.clone();
    let map = refresh(&mut copy, &mut f.values);
    assert_eq!(map.len(), 4);
    f.body.stmts.extend(copy.stmts);
    f.body.result = copy.result;
    verify(&program).unwrap();
    let text = print(&program);
    assert!(text.contains("let y_9 : f64 = x_7 + x_7"), "{text}");
}

#[test]
fn a_body_moves_to_another_function() {
    let mut program = parse(&format!("{TEXT}\ndef g(zs_0 : []f64) -> []f64 {{ => zs_0 }}")).unwrap();
    let f = program.functions[FuncId::new(0)].clone();
    let g = &mut program.functions[FuncId::new(1)];
    let mut map = BTreeMap::from([(f.params[0], Atom::int(3)), (f.params[1], Atom::Var(g.params[0]))]);
    g.body = copy_body(&f.body, &f.values, &mut g.values, &mut map);
    verify(&program).unwrap();
    let text = print(&program);
    assert!(text.contains("let ys_1 : [3]f64 = map (x_2 : f64) in zs_0"), "{text}");
}
