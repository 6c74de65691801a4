//! Claims about sizes, written by hand: true ones pass, and each kind of false one is found.

use super::{data, program, show};
use crate::core::{Options, run};
use std::sync::Arc;
use terrace_algebra::{Size, SizeFun, SizeVar};
use terrace_base::{IdVec, Span};
use terrace_ir::shape::{
    FunctionShapes, POSITIONS, Parallel, Regularity, Shape, Shapes, Step, Symbol, SymbolId, position,
};
use terrace_ir::{FuncId, ValueId};

/// The claims about one function, as they are put together.
struct Claims(FunctionShapes);

impl Claims {
    fn new() -> Claims {
        let symbols = (0..POSITIONS).map(Symbol::Position).collect();
        Claims(FunctionShapes { symbols, ..FunctionShapes::default() })
    }

    fn symbol(&mut self, symbol: Symbol) -> u32 {
        let known = self.0.symbols.enumerate().find(|(_, s)| **s == symbol).map(|(id, _)| id);
        let id: SymbolId = known.unwrap_or_else(|| self.0.symbols.push(symbol));
        id.index() as u32
    }

    /// The length of a value.
    fn len(&mut self, value: usize) -> Size {
        let symbol = Symbol::Length(ValueId::new(value), Vec::new());
        Size::var(SizeVar(self.symbol(symbol)))
    }

    /// The length of a row.
    fn row(&mut self, value: usize, at: Size) -> Size {
        let symbol = Symbol::Length(ValueId::new(value), vec![Step::Element]);
        Size::apply(SizeFun(self.symbol(symbol)), vec![at])
    }

    fn int(&mut self, value: usize) -> Size {
        let symbol = Symbol::Integer(ValueId::new(value), Vec::new());
        Size::var(SizeVar(self.symbol(symbol)))
    }

    fn counter(&mut self, first: usize) -> Size {
        let symbol = Symbol::Counter(ValueId::new(first));
        Size::var(SizeVar(self.symbol(symbol)))
    }

    fn value(&mut self, value: usize, shape: Shape) {
        self.0.values.insert(ValueId::new(value), shape);
    }

    fn parallel(&mut self, value: usize, depth: usize, length: Size, regularity: Regularity) {
        let (value, span, reason) = (ValueId::new(value), Span::none(), String::new());
        self.0.parallel.push(Parallel {
            value,
            operator: "iota",
            span,
            depth,
            length,
            regularity,
            reason,
            cause: None,
        });
    }
}

fn array(length: Size, elem: Shape) -> Shape {
    Shape::Array(length, Box::new(elem))
}

/// Runs the first function in checking mode: its result, or what is wrong.
fn check(text: &str, args: &str, claim: impl FnOnce(&mut Claims), expected: &str) {
    let mut claims = Claims::new();
    claim(&mut claims);
    let mut functions = IdVec::new();
    functions.push(claims.0);
    let options = Options { verify: Some(Arc::new(Shapes { functions })), ..Options::default() };
    let (result, _) = run(&program(text), FuncId::new(0), data(args), &options);
    let found = match result {
        Ok(value) => show(&value),
        Err(failure) => {
            assert_eq!(failure.code, if failure.kind == "claim" { "T0998" } else { failure.code });
            failure.message.replace("the compiler claims that ", "")
        }
    };
    assert_eq!(found, expected, "{args}\n{text}");
}

const TWICE: &str = "
entry f(xs_0 : []i64) -> []i64 {
  let n_1 : i64 = length xs_0
  let ks_2 : []i64 = iota n_1
  let ys_3 : []i64 = map (k_4 : i64) in ks_2 { let y_5 : i64 = k_4 + k_4; => y_5 }
  => ys_3
}";

#[test]
fn lengths_and_integers() {
    let claim = |length: fn(&mut Claims) -> Size, elem: fn(&mut Claims) -> Size, inside: fn(&mut Claims) -> Size| {
        move |c: &mut Claims| {
            let (n, k) = (c.len(0), c.counter(4));
            c.value(0, array(n.clone(), Shape::Integer(Size::constant(5))));
            c.value(1, Shape::Integer(n.clone()));
            c.value(2, array(n, Shape::Integer(position(0))));
            let ys = array(length(c), Shape::Integer(elem(c)));
            c.value(3, ys);
            c.value(4, Shape::Integer(k));
            let y = Shape::Integer(inside(c));
            c.value(5, y);
        }
    };
    let twice = |_: &mut Claims| position(0) * 2;
    let inside = |c: &mut Claims| c.counter(4) * 2;
    let len: fn(&mut Claims) -> Size = |c| c.len(0);
    check(TWICE, "[5, 5, 5]", claim(len, twice, inside), "[0, 2, 4]");
    check(TWICE, "[]", claim(len, twice, inside), "[]");
    check(TWICE, "[5, 6]", claim(len, twice, inside), "`xs_0[1]` is 5, but it is 6");
    check(
        TWICE,
        "[5, 5]",
        claim(|c| c.int(1) + Size::one(), twice, inside),
        "the length of `ys_3` is n_1 + 1 = 3, but it is 2",
    );
    check(TWICE, "[5, 5]", claim(len, |_| position(0), inside), "`ys_3[1]` is p0 = 1, but it is 2");
    check(TWICE, "[5, 5, 5]", claim(len, twice, |c| c.counter(4)), "`y_5` is at(k_4) = 1, but it is 2");
    // After the map no counter runs.
    check(
        TWICE,
        "[5]",
        claim(|c| c.counter(4), twice, inside),
        "the length of `ys_3` is at(k_4), where at(k_4) does not exist, but it is 1",
    );
}

const ROWS: &str = "
entry f(xss_0 : [][]f64) -> [][]f64 {
  let out_1 : [][]f64 = map (xs_2 : []f64) in xss_0 {
    let ys_3 : []f64 = map (x_4 : f64) in xs_2 { => x_4 }
    => ys_3
  }
  => out_1
}";

#[test]
fn row_lengths_are_functions() {
    let rows = |at: fn() -> Size| {
        move |c: &mut Claims| {
            let (n, own, row, k) = (c.len(0), c.row(0, position(0)), c.row(0, at()), c.counter(2));
            c.value(0, array(n.clone(), array(own, Shape::Other)));
            c.value(1, array(n, array(row, Shape::Other)));
            let here = c.row(0, k);
            c.value(2, array(here.clone(), Shape::Other));
            c.value(3, array(here.clone(), Shape::Other));
            c.parallel(3, 1, here, Regularity::PositionDependent);
        }
    };
    check(ROWS, "[[1.0], [2.0, 3.0]]", rows(|| position(0)), "[[1.0], [2.0, 3.0]]");
    let wrong = "the length of `out_1[0]` is len(xss_0)(-p0 + 1) = 2, but it is 1";
    check(ROWS, "[[1.0], [2.0, 3.0]]", rows(|| Size::one() - position(0)), wrong);
    let beyond = |c: &mut Claims| {
        let (n, row) = (c.len(0), c.row(0, position(0) + Size::one()));
        c.value(1, array(n, array(row, Shape::Other)));
    };
    let wrong = "the length of `out_1[1]` is len(xss_0)(p0 + 1), where len(xss_0) does not exist, but it is 1";
    check(ROWS, "[[1.0], [2.0]]", beyond, wrong);
    // Where it does not matter, it need not exist.
    let guarded = |c: &mut Claims| {
        let (n, next) = (c.len(0), c.row(0, position(0) + Size::one()));
        let row = Size::split(&position(0), &(n.clone() - Size::one()), &next, &Size::one());
        c.value(1, array(n, array(row, Shape::Other)));
    };
    check(ROWS, "[[1.0], [2.0]]", guarded, "[[1.0], [2.0]]");
}

#[test]
fn regularity() {
    let regular = |c: &mut Claims| {
        let length = c.len(2);
        c.parallel(3, 1, length, Regularity::Regular);
    };
    check(ROWS, "[[1.0], [2.0]]", regular, "[[1.0], [2.0]]");
    let wrong = "all runs of this `iota` are equally long, but they run over 1 and 2";
    check(ROWS, "[[1.0], [2.0, 3.0]]", regular, wrong);
    let formula = |c: &mut Claims| {
        let length = c.counter(2) + Size::one();
        c.parallel(3, 1, length, Regularity::PositionDependent);
    };
    check(ROWS, "[[1.0], [2.0, 3.0]]", formula, "[[1.0], [2.0, 3.0]]");
    let wrong = "`iota` runs over at(xs_2) + 1 = 2 elements, but it runs over 3";
    check(ROWS, "[[1.0], [2.0, 3.0, 4.0]]", formula, wrong);
    let irregular = |c: &mut Claims| c.parallel(3, 1, Size::zero(), Regularity::Irregular);
    check(ROWS, "[[1.0], [2.0, 3.0]]", irregular, "[[1.0], [2.0, 3.0]]");
}

const LOOPS: &str = "
entry f(n_0 : i64, ks_1 : []i64) -> []i64 {
  let out_2 : []i64 = map (k_3 : i64) in ks_1 {
    let last_4 : i64 = loop s_5 : i64 = 0 for i_6 < n_0 do {
      let m_7 : i64 = i_6 * k_3
      let js_8 : []i64 = iota m_7
      let t_9 : i64 = length js_8
      => t_9
    }
    => last_4
  }
  => out_2
}";

#[test]
fn runs_in_one_iteration_are_compared() {
    let claim = |c: &mut Claims| {
        let m = c.int(7);
        c.parallel(8, 1, m.clone(), Regularity::Regular);
        c.value(8, array(m, Shape::Integer(position(0))));
    };
    // Another length in every iteration, the same for all elements.
    check(LOOPS, "3, [2, 2]", claim, "[4, 4]");
    let wrong = "all runs of this `iota` are equally long, but they run over 2 and 3";
    check(LOOPS, "2, [2, 3]", claim, wrong);
    let state = |c: &mut Claims| c.value(5, Shape::Integer(Size::zero()));
    check(LOOPS, "2, [2]", state, "[2]");
    check(LOOPS, "3, [2]", state, "`s_5` is 0, but it is 2");
}

#[test]
fn proved_checks_are_looked_at() {
    let text = "
check 0 : index
check 1 : size \"n\"
entry f(n_0 : i64, xs_1 : []f64) -> f64 {
  let ok_2 : bool = n_0 < 3
  proved 0 index ok_2 (n_0, 3)
  let ys_3 : [n_0]f64 = ascribe xs_1 : [n_0]f64 proved 1
  let y_4 : f64 = 1.5
  => y_4
}";
    let nothing = |_: &mut Claims| {};
    check(text, "1, [2.0]", nothing, "1.5");
    check(text, "3, [2.0]", nothing, "the check 0 (index) always holds, but it fails with 3, 3");
    let wrong = "the check 1 (size) always holds, but at [] there are 1 elements and not 2";
    check(text, "2, [2.0]", nothing, wrong);
    // Without checking mode nobody looks.
    let (result, _) = run(&program(text), FuncId::new(0), data("3, [2.0]"), &Options::default());
    assert_eq!(show(&result.expect("nobody looks")), "1.5");
}

#[test]
fn false_claims_come_before_errors_of_the_program() {
    let text = "
check 0 : division
check 1 : index
entry f(xs_0 : []i64) -> []i64 {
  let out_1 : []i64 = map (x_2 : i64) in xs_0 {
    let ok_3 : bool = x_2 != 0
    check 0 division ok_3 (x_2)
    let fine_4 : bool = x_2 != 7
    proved 1 index fine_4 (x_2, 7)
    => x_2
  }
  => out_1
}";
    let nothing = |_: &mut Claims| {};
    check(text, "[0, 7]", nothing, "the check 1 (index) always holds, but it fails with 7, 7");
    check(text, "[0, 8]", nothing, "division of 0 by zero");
    check(text, "[1, 8]", nothing, "[1, 8]");
}

#[test]
fn variants_tuples_and_calls() {
    let text = "
entry f(s_0 : <some(i64) | none>, p_1 : (i64, []f64)) -> i64 {
  let r_2 : i64 = match s_0 {
    some(v_3 : i64) { => v_3 }
    none { => 0 }
  }
  let xs_4 : []f64 = p_1.1
  let n_5 : i64 = call g(xs_4)
  let t_6 : i64 = n_5 + r_2
  => t_6
}
def g(xs_0 : []f64) -> i64 {
  let n_1 : i64 = length xs_0
  => n_1
}";
    let claim = |c: &mut Claims| {
        let v = ValueId::new;
        let some = c.symbol(Symbol::Integer(v(0), vec![Step::Variant(0, 0)]));
        let field = c.symbol(Symbol::Integer(v(1), vec![Step::Field(0)]));
        let (some, field) = (Size::var(SizeVar(some)), Size::var(SizeVar(field)));
        c.value(0, Shape::Sum(vec![vec![Shape::Integer(some.clone())], vec![]]));
        c.value(3, Shape::Integer(some));
        c.value(1, Shape::Tuple(vec![Shape::Integer(field.clone()), array(field.clone(), Shape::Other)]));
        c.value(5, Shape::Integer(field));
    };
    check(text, "some@0(4), (2, [1.0, 2.0])", claim, "6");
    check(text, "none@1, (2, [1.0, 2.0])", claim, "2");
    check(text, "none@1, (3, [1.0, 2.0])", claim, "the length of `p_1.1` is p_1.0 = 3, but it is 2");
}

#[test]
fn a_claim_waits_for_what_it_mentions() {
    let text = "
entry f(rows_0 : [][]f64, m_1 : i64) -> []i64 {
  let out_2 : []i64 = map (row_3 : []f64) in rows_0 {
    let k_4 : i64 = length row_3
    => k_4
  }
  let w_5 : i64 = m_1 + 1
  => out_2
}";
    let claim = |c: &mut Claims| {
        let (n, k, w) = (c.len(0), c.int(4), c.int(5));
        c.value(0, array(n, array(w, Shape::Other)));
        c.value(3, array(k, Shape::Other));
    };
    check(text, "[[1.0], [2.0]], 0", claim, "[1, 1]");
    check(text, "[[1.0], [2.0, 3.0]], 0", claim, "the length of `rows_0[1]` is w_5 = 1, but it is 2");
    let wrong = |c: &mut Claims| {
        let k = c.int(4) + Size::one();
        c.value(3, array(k, Shape::Other));
    };
    check(text, "[[1.0], [2.0]], 0", wrong, "the length of `row_3` is k_4 + 1 = 2, but it is 1");
}

#[test]
fn large_values_are_sampled_and_the_last_element_is_looked_at() {
    let text = "
entry f(n_0 : i64) -> i64 {
  let ks_1 : []i64 = iota n_0
  let last_2 : i64 = n_0 - 1
  let new_3 : []i64 = update ks_1 [last_2] = 0
  => n_0
}";
    let claim = |c: &mut Claims| {
        let n = c.int(0);
        c.value(1, array(n.clone(), Shape::Integer(position(0))));
        c.value(3, array(n, Shape::Integer(position(0))));
    };
    check(text, "100000", claim, "`new_3[99999]` is p0 = 99999, but it is 0");
}
