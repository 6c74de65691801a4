//! Rows that are filtered and then only reduced: everything that is asked of what is kept is found in one pass over the row.
//!
//! ```text
//! let kept = filter (x) in row { p x }             let all = map (x) in row {
//! let n = length kept                                let k = p x
//! let s = reduce add kept from 0.0          →        => (i64(k), if k { x } else { 0.0 })
//!                                                  }
//!                                                  let both = reduce (a, b) in all from (0, 0.0) { => (a.0 + b.0, a.1 + b.1) }
//! ```
//!
//! An element that is not kept is the neutral element, so `kept` is never stored, in no version and on no device.
//!
//! The place of the greatest or least of what is kept (`argmax`: the greatest pair of an element and its negated position) is a
//! position in `kept`, which no longer exists. It is counted along: a part of the row has the ordinal of its best element, that
//! element's place among those kept in this part, and how many are kept. Of two parts, the second one's places begin where the first one's
//! end:
//!
//! ```text
//! (o1, p1, n1) with (o2, p2, n2)  =  (o2, n1 + p2, n1 + n2) if o1 < o2, else (o1, p1, n1 + n2)
//! ```
//!
//! A part in which nothing is kept has the least ordinal and place 0, which is also right where the least ordinal is the best one.
//! Declined: a single reduction of a filter (Flat gives it a mask), filters with another use, predicates and elements that may fail, and
//! filters at the host, where long sums are better added up side by side.

use super::spell_out_views::build::{Build, I64};
use super::total::is_total_body;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, UnOp, neutral, ordinal_type};
use terrace_ir::core::visit::{count_uses, free_values_of_lambda, walk};
use terrace_ir::core::{Body, Expr, Function, Lambda, Program, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};

/// Rewrites in all functions.
pub fn reduce_filtered(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let known = Known::of(function);
        let mut body = std::mem::replace(&mut function.body, Body { stmts: Vec::new(), result: Atom::int(0) });
        inside(&mut body, &mut function.values, &known, false);
        function.body = body;
    }
}

fn inside(body: &mut Body, values: &mut IdVec<ValueId, Value>, known: &Known, parallel: bool) {
    for stmt in &mut body.stmts {
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            let parallel = parallel || matches!(expr, Expr::Map { .. } | Expr::Generate { .. });
            expr.bodies_mut().into_iter().for_each(|b| inside(b, values, known, parallel));
        }
    }
    if !parallel {
        return;
    }
    let filters: Vec<ValueId> = body.stmts.iter().filter_map(|s| filter(s).map(|(value, ..)| value)).collect();
    for value in filters {
        if let Some(asked) = Asked::of(body, value, values, known) {
            asked.answer(body, values);
        }
    }
}

fn filter(stmt: &Stmt) -> Option<(ValueId, &Lambda, Atom)> {
    match &stmt.kind {
        StmtKind::Let { value, expr: Expr::Filter { predicate, array }, .. } => Some((*value, predicate, *array)),
        _ => None,
    }
}

/// What a function says about its values.
struct Known {
    /// Tuples of constants.
    constants: BTreeMap<ValueId, Vec<Scalar>>,
    /// How often values are used.
    uses: BTreeMap<ValueId, usize>,
    /// Which components of a value are looked at, where nothing else is done with it.
    parts: BTreeMap<ValueId, BTreeSet<usize>>,
}

impl Known {
    fn of(function: &Function) -> Known {
        let mut constants = BTreeMap::new();
        let mut parts: BTreeMap<ValueId, Vec<usize>> = BTreeMap::new();
        walk(&function.body, &mut |stmt| match &stmt.kind {
            StmtKind::Let { value, expr: Expr::Tuple(all), .. } => {
                let all: Option<Vec<Scalar>> = all.iter().map(|a| a.constant()).collect();
                constants.extend(all.map(|all| (*value, all)));
            }
            StmtKind::Let { expr: Expr::Project(Atom::Var(of), k), .. } => parts.entry(*of).or_default().push(*k),
            _ => {}
        });
        let uses = count_uses(&function.body);
        let only = parts.into_iter().filter(|(v, all)| uses.get(v) == Some(&all.len()));
        let parts = only.map(|(v, all)| (v, all.into_iter().collect())).collect();
        Known { constants, uses, parts }
    }
}

/// A reduction of what is kept.
struct Reduction {
    value: ValueId,
    /// What is reduced of an element; the element itself if there is no map.
    element: Option<Lambda>,
    neutral: Neutral,
    how: How,
}

enum Neutral {
    Atom(Atom),
    Tuple(Vec<Scalar>),
}

enum How {
    /// By an operator.
    Combined(Lambda),
    /// The best element with its place.
    Place(Place),
}

/// The best pair of an element and its position.
struct Place {
    greatest: bool,
    /// Whether the pair has the negated position.
    negated: bool,
    /// Whether the element itself is asked for.
    element: bool,
    ty: ScalarType,
}

/// Everything that is asked of what a filter keeps.
struct Asked {
    filter: ValueId,
    lengths: Vec<ValueId>,
    reductions: Vec<Reduction>,
    /// Statements that go: maps and positions.
    gone: BTreeSet<ValueId>,
}

impl Asked {
    fn of(body: &Body, filter_value: ValueId, values: &IdVec<ValueId, Value>, known: &Known) -> Option<Asked> {
        let at = body.stmts.iter().position(|s| filter(s).is_some_and(|(v, ..)| v == filter_value))?;
        let (_, predicate, _) = filter(&body.stmts[at])?;
        if !is_total_body(&predicate.body, values) || !values[filter_value].ty.elem()?.is_flat() {
            return None;
        }
        let mut asked =
            Asked { filter: filter_value, lengths: Vec::new(), reductions: Vec::new(), gone: BTreeSet::new() };
        // Arrays as long as what is kept, with what an element is; and how often their uses were understood.
        let mut arrays: BTreeMap<ValueId, Option<&Lambda>> = BTreeMap::from([(filter_value, None)]);
        let mut positions: BTreeSet<ValueId> = BTreeSet::new();
        let mut seen: BTreeMap<ValueId, usize> = BTreeMap::new();
        for stmt in &body.stmts[at + 1..] {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            match expr {
                Expr::Length(Atom::Var(of)) if arrays.contains_key(of) || positions.contains(of) => {
                    *seen.entry(*of).or_default() += 1;
                    asked.lengths.push(*value);
                }
                Expr::Iota(Atom::Var(n)) if asked.lengths.contains(n) => {
                    positions.insert(*value);
                }
                Expr::Map { lambda, arrays: from } => {
                    let own = |a: &Atom| a.var().is_some_and(|v| v == filter_value);
                    let place = |a: &Atom| a.var().is_some_and(|v| positions.contains(&v));
                    let fits = match from.as_slice() {
                        [x] => own(x),
                        [x, i] => own(x) && place(i),
                        _ => false,
                    };
                    if fits && is_total_body(&lambda.body, values) && values[*value].ty.elem()?.is_flat() {
                        from.iter().filter_map(|a| a.var()).for_each(|v| *seen.entry(v).or_default() += 1);
                        arrays.insert(*value, Some(lambda));
                    }
                }
                Expr::Reduce { operator, neutral, array: Atom::Var(of) } if arrays.contains_key(of) => {
                    let made = asked.reduction(*value, arrays[of], operator, *neutral, values, known);
                    *seen.entry(*of).or_default() += 1;
                    asked.reductions.push(made?);
                }
                _ => {}
            }
        }
        let understood = |v: &ValueId| seen.get(v).copied().unwrap_or(0) == known.uses.get(v).copied().unwrap_or(0);
        if !arrays.keys().chain(&positions).all(understood) {
            return None;
        }
        let places = asked.reductions.iter().any(|r| matches!(r.how, How::Place(_)));
        let several = asked.reductions.len() + usize::from(!asked.lengths.is_empty()) > 1;
        if !several && !places {
            return None;
        }
        asked.gone = arrays.into_keys().chain(positions).filter(|v| *v != filter_value).collect();
        Some(asked)
    }

    fn reduction(
        &self,
        value: ValueId,
        element: Option<&Lambda>,
        operator: &Lambda,
        start: Atom,
        values: &IdVec<ValueId, Value>,
        known: &Known,
    ) -> Option<Reduction> {
        if !is_total_body(&operator.body, values) || !values[value].ty.is_flat() {
            return None;
        }
        let tuple = start.var().and_then(|v| known.constants.get(&v)).cloned();
        let neutral = tuple.map_or(Neutral::Atom(start), Neutral::Tuple);
        let position = element.and_then(|l| l.params.get(1).copied());
        let uses_position = |l: &Lambda| position.is_some_and(|p| count_uses(&l.body).contains_key(&p));
        let how = match element {
            Some(lambda) if uses_position(lambda) => {
                let mut place = place_of(lambda, operator, values)?;
                let Neutral::Tuple(bound) = &neutral else { return None };
                let op = if place.greatest { BinOp::Max } else { BinOp::Min };
                let first = terrace_base::neutral(op, place.ty)?;
                if UnOp::Ordinal.apply(first) != UnOp::Ordinal.apply(bound[0]) {
                    return None;
                }
                place.element = known.parts.get(&value).is_none_or(|parts| parts.contains(&0));
                How::Place(place)
            }
            _ => How::Combined(operator.clone()),
        };
        Some(Reduction { value, element: element.cloned(), neutral, how })
    }

    /// Writes one pass over the row where the filter stood, and further ones where something is only known later.
    fn answer(self, body: &mut Body, values: &mut IdVec<ValueId, Value>) {
        let mut early = Vec::new();
        let mut late: BTreeMap<ValueId, Reduction> = BTreeMap::new();
        let Some(at) = body.stmts.iter().position(|s| filter(s).is_some_and(|(v, ..)| v == self.filter)) else {
            return;
        };
        let behind: BTreeSet<ValueId> = body.stmts[at..]
            .iter()
            .filter_map(|s| match &s.kind {
                StmtKind::Let { value, .. } => Some(*value),
                StmtKind::Check { .. } => None,
            })
            .collect();
        for r in self.reductions {
            let mut needs: BTreeSet<ValueId> = r.element.iter().flat_map(free_values_of_lambda).collect();
            if let How::Combined(operator) = &r.how {
                needs.extend(free_values_of_lambda(operator));
            }
            if let Neutral::Atom(a) = &r.neutral {
                needs.extend(a.var());
            }
            match needs.is_disjoint(&behind) {
                true => early.push(r),
                false => drop(late.insert(r.value, r)),
            }
        }
        let now: BTreeSet<ValueId> = early.iter().map(|r| r.value).collect();
        let mut out = Vec::with_capacity(body.stmts.len());
        let mut row: Option<(Lambda, Atom)> = None;
        for stmt in std::mem::take(&mut body.stmts) {
            let span = stmt.span;
            let StmtKind::Let { value, after, .. } = &stmt.kind else {
                out.push(stmt);
                continue;
            };
            if let Some((v, predicate, array)) = filter(&stmt)
                && v == self.filter
            {
                let mut build = Build::new(values, span, after.clone());
                pass(&mut build, predicate, array, &early, &self.lengths);
                out.extend(build.stmts);
                row = Some((predicate.clone(), array));
            } else if let (Some(r), Some((predicate, array))) = (late.remove(value), &row) {
                let mut build = Build::new(values, span, Vec::new());
                pass(&mut build, predicate, *array, &[r], &[]);
                out.extend(build.stmts);
            } else if !self.gone.contains(value) && !self.lengths.contains(value) && !now.contains(value) {
                out.push(stmt);
            }
        }
        body.stmts = out;
    }
}

/// Whether pairs of an element and its position, perhaps negated, are compared as wholes.
fn place_of(lambda: &Lambda, operator: &Lambda, values: &IdVec<ValueId, Value>) -> Option<Place> {
    let defined = |body: &Body, a: Atom| {
        body.stmts.iter().find_map(|s| match &s.kind {
            StmtKind::Let { value, expr, .. } if a == Atom::Var(*value) => Some(expr.clone()),
            _ => None,
        })
    };
    let position = *lambda.params.get(1)?;
    let Expr::Tuple(pair) = defined(&lambda.body, lambda.body.result)? else { return None };
    let [element, place] = pair[..] else { return None };
    let negated = match place {
        Atom::Var(v) if v == position => false,
        place => matches!(defined(&lambda.body, place)?, Expr::Unary(UnOp::Neg, Atom::Var(v)) if v == position)
            .then_some(true)?,
    };
    // The position occurs nowhere else.
    if count_uses(&lambda.body).get(&position) != Some(&1) {
        return None;
    }
    let ty = match element {
        Atom::Var(v) => values[v].ty.scalar()?,
        Atom::Const(c) => c.ty(),
    };
    let [a, b] = operator.params[..] else { return None };
    let Expr::If { cond, then, otherwise } = defined(&operator.body, operator.body.result)? else { return None };
    let picks = |body: &Body, v: ValueId| body.stmts.is_empty() && body.result == Atom::Var(v);
    if !picks(&then, b) || !picks(&otherwise, a) {
        return None;
    }
    let Expr::Precedes(x, y) = defined(&operator.body, cond)? else { return None };
    let greatest = match (x, y) {
        (Atom::Var(x), Atom::Var(y)) if (x, y) == (a, b) => true,
        (Atom::Var(x), Atom::Var(y)) if (x, y) == (b, a) => false,
        _ => return None,
    };
    Some(Place { greatest, negated, element: false, ty })
}

/// One pass over the row, and what it says about what was kept.
fn pass(build: &mut Build<'_>, predicate: &Lambda, row: Atom, reductions: &[Reduction], lengths: &[ValueId]) {
    let places = reductions.iter().any(|r| matches!(r.how, How::Place(_)));
    let counts = places || !lengths.is_empty();
    let starts: Vec<Atom> = reductions.iter().map(|r| start(build, r)).collect();
    let row_elem = build.elem(row);
    let mut types = Vec::new();
    let lambda = build.lambda(&[("x", row_elem)], |b, x| {
        let keep = b.apply(predicate, x);
        let mut parts = Vec::new();
        if counts {
            parts.push(b.convert("one", ScalarType::I64, keep));
        }
        for (r, start) in reductions.iter().zip(&starts) {
            element(b, r, *start, keep, x[0], &mut parts);
        }
        types = parts.iter().map(|p| b.ty(*p)).collect();
        tuple(b, parts)
    });
    let ty = if types.len() == 1 { types[0].clone() } else { Type::Tuple(types.clone()) };
    let all = build.bind("all", Type::array(ty.clone()), Expr::Map { lambda, arrays: vec![row] });
    let mut first = Vec::new();
    if counts {
        first.push(Atom::int(0));
    }
    for (r, start) in reductions.iter().zip(&starts) {
        match &r.how {
            How::Combined(_) => first.push(*start),
            How::Place(place) => {
                first.extend([Atom::Const(least(place)), Atom::int(0)]);
                first.extend(
                    place.element.then(|| build.bind("best", Type::Scalar(place.ty), Expr::Project(*start, 0))),
                );
            }
        }
    }
    let from = tuple(build, first);
    let operator = build.lambda(&[("a", ty.clone()), ("b", ty.clone())], |b, p| {
        let part = |b: &mut Build<'_>, of: Atom, k: usize| match types.len() {
            1 => of,
            _ => b.bind("part", types[k].clone(), Expr::Project(of, k)),
        };
        let one: Vec<Atom> = (0..types.len()).map(|k| part(b, p[0], k)).collect();
        let two: Vec<Atom> = (0..types.len()).map(|k| part(b, p[1], k)).collect();
        let both = combined(b, reductions, counts, &one, &two);
        tuple(b, both)
    });
    let total = build.bind("total", ty, Expr::Reduce { operator, neutral: from, array: all });
    let parts: Vec<Atom> = match types.len() {
        1 => vec![total],
        _ => types.iter().enumerate().map(|(k, ty)| build.bind("part", ty.clone(), Expr::Project(total, k))).collect(),
    };
    for length in lengths {
        build.bind_as(*length, Expr::Atom(parts[0]));
    }
    let mut at = usize::from(counts);
    for (r, start) in reductions.iter().zip(&starts) {
        let How::Place(place) = &r.how else {
            build.bind_as(r.value, Expr::Atom(parts[at]));
            at += 1;
            continue;
        };
        let none = build.binary("none", BinOp::Eq, parts[0], Atom::int(0));
        let found = match place.negated {
            true => build.bind("place", I64, Expr::Unary(UnOp::Neg, parts[at + 1])),
            false => parts[at + 1],
        };
        let beyond = build.bind("bound", I64, Expr::Project(*start, 1));
        let found = build.choose("place", none, |_| beyond, |_| found);
        at += 2;
        let best = match place.element {
            true => {
                at += 1;
                parts[at - 1]
            }
            false => Atom::Const(Scalar::zero(place.ty)),
        };
        build.bind_as(r.value, Expr::Tuple(vec![best, found]));
    }
}

fn tuple(build: &mut Build<'_>, parts: Vec<Atom>) -> Atom {
    match parts[..] {
        [one] => one,
        _ => {
            let ty = Type::Tuple(parts.iter().map(|p| build.ty(*p)).collect());
            build.bind("parts", ty, Expr::Tuple(parts))
        }
    }
}

/// The neutral element of a reduction, here.
fn start(build: &mut Build<'_>, r: &Reduction) -> Atom {
    match &r.neutral {
        Neutral::Atom(a) => *a,
        Neutral::Tuple(parts) => tuple(build, parts.iter().map(|c| Atom::Const(*c)).collect()),
    }
}

/// The ordinal that no element has, or only the worst one.
fn least(place: &Place) -> Scalar {
    let op = if place.greatest { BinOp::Max } else { BinOp::Min };
    let ty = ordinal_type(place.ty);
    neutral(op, ty).unwrap_or_else(|| Scalar::zero(ty))
}

/// What an element of the row contributes.
fn element(b: &mut Build<'_>, r: &Reduction, start: Atom, keep: Atom, x: Atom, parts: &mut Vec<Atom>) {
    let of = |b: &mut Build<'_>| match &r.element {
        Some(lambda) => {
            let args: Vec<Atom> = lambda.params.iter().map(|_| Atom::int(0)).collect();
            let args = std::iter::once(x).chain(args.into_iter().skip(1)).collect::<Vec<_>>();
            b.apply(lambda, &args)
        }
        None => x,
    };
    match &r.how {
        How::Combined(_) => parts.push(b.choose("kept", keep, of, |_| start)),
        How::Place(place) => {
            let ty = Type::Scalar(place.ty);
            let ordinal = b.choose(
                "ordinal",
                keep,
                |b| {
                    let pair = of(b);
                    let x = b.bind("x", ty.clone(), Expr::Project(pair, 0));
                    b.bind("ordinal", Type::Scalar(ordinal_type(place.ty)), Expr::Unary(UnOp::Ordinal, x))
                },
                |_| Atom::Const(least(place)),
            );
            parts.extend([ordinal, Atom::int(0)]);
            if place.element {
                let worst = b.bind("worst", ty.clone(), Expr::Project(start, 0));
                parts.push(b.choose(
                    "best",
                    keep,
                    |b| {
                        let pair = of(b);
                        b.bind("x", ty.clone(), Expr::Project(pair, 0))
                    },
                    |_| worst,
                ));
            }
        }
    }
}

/// Two parts of a row as one.
fn combined(b: &mut Build<'_>, reductions: &[Reduction], counts: bool, one: &[Atom], two: &[Atom]) -> Vec<Atom> {
    let mut out = Vec::new();
    if counts {
        out.push(b.add("kept", one[0], two[0]));
    }
    for r in reductions {
        let k = out.len();
        match &r.how {
            How::Combined(operator) => out.push(b.apply(operator, &[one[k], two[k]])),
            How::Place(place) => {
                // The first of equals, if that is the pair that stands further out in the order.
                let better = if place.greatest { BinOp::Lt } else { BinOp::Gt };
                let later = match place.greatest == place.negated {
                    true => b.binary("later", better, one[k], two[k]),
                    false => {
                        let worse = b.binary("worse", better, two[k], one[k]);
                        let level = b.bind("level", Type::Scalar(ScalarType::Bool), Expr::Unary(UnOp::Not, worse));
                        let some = b.binary("some", BinOp::Lt, Atom::int(0), two[0]);
                        b.binary("later", BinOp::And, level, some)
                    }
                };
                let best = if place.greatest { BinOp::Max } else { BinOp::Min };
                out.push(b.binary("ordinal", best, one[k], two[k]));
                let behind = b.add("behind", one[0], two[k + 1]);
                out.push(b.choose("place", later, |_| behind, |_| one[k + 1]));
                if place.element {
                    out.push(b.choose("best", later, |_| two[k + 2], |_| one[k + 2]));
                }
            }
        }
    }
    out
}
