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
