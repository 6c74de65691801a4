//! Indices, slices and strided slices: read, and replaced.
//!
//! ```text
//! m[a..b, j]                   slice m a b, then map (row) { row[j] }
//! xs[off; c by s]              check: every position exists; strided xs off (c by s)
//! m with [i, j] = v            check: both exist; update m [i, j] v
//! m with [a..b, j] = vs        check: as many as rows; map (row, v) in m[a..b], vs { row with [j] = v },
//!                              which replace the rows
//! ```
//!
//! What stands between the brackets of an update is evaluated once, from left to right, after the array and before the value;
//! then it is checked. Strided slices that are replaced must not overlap themselves.

use super::body::{BOOL, I64, Lower};
use crate::typed::{Expr, Place, Subscript, SubscriptKind};
use terrace_base::{BinOp, Span};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{self, Strides, Type};

/// What stands between brackets, evaluated.
enum Spot {
    At(Atom, Span),
    /// Bounds that were not written are those of the array.
    Slice {
        from: Option<Atom>,
        to: Option<Atom>,
        step: Option<Atom>,
        span: Span,
    },
}

/// A slice of an array of some length, after its checks.
struct Cut {
    start: Atom,
    end: Atom,
    count: Atom,
    stride: Atom,
    checks: Vec<CheckId>,
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn read_place(&mut self, array: Atom, place: &'a Place, span: Span) -> Atom {
        match place {
            Place::Subscripts(subscripts) => self.index(array, subscripts, span),
            Place::Strided { span: inside, offset, dims } => {
                let (strides, mut checks) = self.strides(offset, dims);
                checks.push(self.within(array, &strides, *inside));
                let ty = (0..dims.len()).fold(self.elem_type(array), |ty, _| Type::array(ty));
                self.emit_after("part", ty, core::Expr::Strided { array, strides }, span, checks)
            }
        }
    }

    fn strides(&mut self, offset: &'a Expr, dims: &'a [(Expr, Expr)]) -> (Strides, Vec<CheckId>) {
        let place = offset.span;
        let offset = self.expr(offset);
        let offset = self.as_i64(offset, place);
        let mut checks = Vec::new();
        let mut counted = Vec::new();
        for (count, stride) in dims {
            let (count_span, stride_span) = (count.span, stride.span);
            let (count, stride) = (self.expr(count), self.expr(stride));
            let (count, after) = self.count(count, count_span);
            checks.extend(after);
            counted.push((count, self.as_i64(stride, stride_span)));
        }
        (Strides { offset, dims: counted }, checks)
    }

    /// Checks that every position exists.
    fn within(&mut self, array: Atom, strides: &Strides, span: Span) -> CheckId {
        let extent = core::Expr::Extent(strides.clone());
        let extent = self.emit("reach", Type::Tuple(vec![I64, I64]), extent, span);
        let (low, high) = (self.project(extent, 0, span), self.project(extent, 1, span));
        let len = self.length(array, span);
        let least = self.binary("ok", BinOp::Le, Atom::int(0), low, span);
        let greatest = self.binary("ok", BinOp::Lt, high, len, span);
        let ok = self.binary("ok", BinOp::And, least, greatest, span);
        self.check(CheckKind::Strided, ok, vec![low, high, len], span)
    }

    fn index(&mut self, array: Atom, subscripts: &'a [Subscript], span: Span) -> Atom {
        let Some((first, rest)) = subscripts.split_first() else {
            return array;
        };
        match &first.kind {
            SubscriptKind::At(at) => {
                let place = at.span;
                let at = self.expr(at);
                let elem = self.element(array, at, place, span);
                self.index(elem, rest, span)
            }
            SubscriptKind::Slice { from, to, step } => {
                let part = self.slice(array, from.as_deref(), to.as_deref(), step.as_deref(), first.span);
                let whole =
                    |s: &Subscript| matches!(&s.kind, SubscriptKind::Slice { from: None, to: None, step: None });
                if rest.iter().all(whole) {
                    return part;
                }
                let elem = self.elem_type(part);
                let lambda = self.lambda(vec![("row".to_string(), elem)], |l, row| l.index(row[0], rest, span));
                let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
                self.emit("out", ty, core::Expr::Map { lambda, arrays: vec![part] }, span)
            }
        }
    }

    /// The element at a position, which is checked.
    pub(super) fn element(&mut self, array: Atom, at: Atom, place: Span, span: Span) -> Atom {
        let (index, check) = self.checked_index(array, at, place, span);
        let ty = self.elem_type(array);
        self.emit_after("t", ty, core::Expr::Index { array, index }, span, vec![check])
    }

    fn checked_index(&mut self, array: Atom, at: Atom, place: Span, span: Span) -> (Atom, CheckId) {
        let index = self.as_i64(at, place);
        let len = self.length(array, span);
        let check = self.check_index(index, len, place, span);
        (index, check)
    }

    /// Checks that a position exists.
    pub(super) fn check_index(&mut self, index: Atom, len: Atom, place: Span, span: Span) -> CheckId {
        let low = self.binary("ok", BinOp::Le, Atom::int(0), index, place);
        let high = self.binary("ok", BinOp::Lt, index, len, place);
        let ok = self.binary("ok", BinOp::And, low, high, place);
        self.check(CheckKind::Index, ok, vec![index, len], span)
    }

    fn slice(
        &mut self,
        array: Atom,
        from: Option<&'a Expr>,
        to: Option<&'a Expr>,
        step: Option<&'a Expr>,
        span: Span,
    ) -> Atom {
        if from.is_none() && to.is_none() && step.is_none() {
            return array;
        }
        let (from, to) = (self.bound(from), self.bound(to));
        let stride = self.bound(step);
        let (start, end, check) = self.check_slice(array, from, to, span);
        let ty = Type::array(self.elem_type(array));
        match stride {
            None => {
                let slice = core::Expr::Slice { array, from: start, to: end };
                self.emit_after("part", ty, slice, span, vec![check])
            }
            Some(stride) => self.stepped(array, start, end, stride, check, span),
        }
    }

    fn bound(&mut self, bound: Option<&'a Expr>) -> Option<Atom> {
        bound.map(|e| {
            let atom = self.expr(e);
            self.as_i64(atom, e.span)
        })
    }

    fn check_slice(&mut self, array: Atom, from: Option<Atom>, to: Option<Atom>, span: Span) -> (Atom, Atom, CheckId) {
        let len = self.length(array, span);
        let start = from.unwrap_or(Atom::int(0));
        let end = to.unwrap_or(len);
        let mut ok = self.binary("ok", BinOp::Le, Atom::int(0), if from.is_some() { start } else { end }, span);
        if from.is_some() && to.is_some() {
            let ordered = self.binary("ok", BinOp::Le, start, end, span);
            ok = self.binary("ok", BinOp::And, ok, ordered, span);
        }
        let fits = self.binary("ok", BinOp::Le, if to.is_some() { end } else { start }, len, span);
        ok = self.binary("ok", BinOp::And, ok, fits, span);
        let check = self.check(CheckKind::Slice, ok, vec![start, end, len], span);
        (start, end, check)
    }

    /// How many elements a slice with a step has, after the check that the step is positive.
    fn steps(&mut self, start: Atom, end: Atom, stride: Atom, span: Span) -> (Atom, Option<CheckId>) {
        let check = self.check_positive(stride, "the step of a slice", span);
        // ceil((end - start) / stride), which cannot overflow: both ends lie within the array.
        let distance = self.binary("t", BinOp::Sub, end, start, span);
        let before = self.binary("t", BinOp::Sub, distance, Atom::int(1), span);
        let steps = core::Expr::Binary(BinOp::Div, before, stride);
        let steps = self.emit_after("t", I64, steps, span, check.into_iter().collect());
        let count = self.binary("count", BinOp::Add, steps, Atom::int(1), span);
        self.mark_length(count);
        (count, check)
    }

    /// Checks that a number is at least 1, where that is not plain.
    pub(super) fn check_positive(&mut self, number: Atom, what: &str, span: Span) -> Option<CheckId> {
        if matches!(number, Atom::Const(s) if s.as_i64().is_some_and(|n| n > 0)) {
            return None;
        }
        let positive = self.binary("ok", BinOp::Lt, Atom::int(0), number, span);
        Some(self.check(CheckKind::Positive(what.to_string()), positive, vec![number], span))
    }

    fn stepped(&mut self, array: Atom, start: Atom, end: Atom, stride: Atom, check: CheckId, span: Span) -> Atom {
        let (count, step_check) = self.steps(start, end, stride, span);
        let checks: Vec<CheckId> = [check].into_iter().chain(step_check).collect();
        let elem = self.elem_type(array);
        let lambda = self.lambda(vec![("k".to_string(), I64)], |l, k| {
            let offset = l.binary("t", BinOp::Mul, k[0], stride, span);
            let index = l.binary("at", BinOp::Add, start, offset, span);
            l.emit_after("t", elem.clone(), core::Expr::Index { array, index }, span, checks.clone())
        });
        let generate = core::Expr::Generate { lambda, count };
        self.emit_after("part", Type::array(elem), generate, span, checks)
    }

    /// `array with [place] = value`.
    pub(super) fn update(&mut self, array: &'a Expr, place: &'a Place, value: &'a Expr, span: Span) -> Atom {
        let array = self.expr(array);
        match place {
            Place::Subscripts(subscripts) => {
                let spots: Vec<Spot> = subscripts.iter().map(|s| self.spot(s)).collect();
                let value_span = value.span;
                let value = self.expr(value);
                self.replace(array, &spots, value, value_span, span)
            }
            Place::Strided { span: inside, offset, dims } => {
                let (strides, mut checks) = self.strides(offset, dims);
                let value_span = value.span;
                let values = self.expr(value);
                checks.push(self.within(array, &strides, *inside));
                let apart = self.emit("ok", BOOL, core::Expr::Disjoint(strides.clone()), *inside);
                checks.push(self.check(CheckKind::Overlap, apart, Vec::new(), *inside));
                let counts: Vec<Atom> = strides.dims.iter().map(|d| d.0).collect();
                let (values, check) = self.check_shape(values, &counts, value_span);
                checks.push(check);
                let ty = self.type_of(array).without_sizes();
                self.emit_after("new", ty, core::Expr::UpdateStrided { array, strides, values }, span, checks)
            }
        }
    }

    fn spot(&mut self, subscript: &'a Subscript) -> Spot {
        match &subscript.kind {
            SubscriptKind::At(at) => {
                let place = at.span;
                let at = self.expr(at);
                Spot::At(self.as_i64(at, place), place)
            }
            SubscriptKind::Slice { from, to, step } => {
                let (from, to) = (self.bound(from.as_deref()), self.bound(to.as_deref()));
                Spot::Slice { from, to, step: self.bound(step.as_deref()), span: subscript.span }
            }
        }
    }

    /// Checks that nested arrays have these lengths; gives the array whose rows were checked and the outermost check.
    fn check_shape(&mut self, values: Atom, counts: &[Atom], span: Span) -> (Atom, CheckId) {
        let found = self.length(values, span);
        let ok = self.binary("ok", BinOp::Eq, counts[0], found, span);
        let check = self.check(CheckKind::Places, ok, vec![counts[0], found], span);
        if counts.len() == 1 {
            return (values, check);
        }
        let elem = self.elem_type(values);
        let lambda = self.lambda(vec![("row".to_string(), elem)], |l, row| l.check_shape(row[0], &counts[1..], span).0);
        let ty = self.type_of(values).without_sizes();
        (self.emit("rows", ty, core::Expr::Map { lambda, arrays: vec![values] }, span), check)
    }

    fn replace(&mut self, array: Atom, spots: &[Spot], value: Atom, value_span: Span, span: Span) -> Atom {
        let ty = self.type_of(array).without_sizes();
        let ats = spots.iter().take_while(|s| matches!(s, Spot::At(..))).count();
        if ats == 0 {
            return self.replace_slice(array, spots, value, value_span, span);
        }
        let (mut indices, mut checks, mut row) = (Vec::new(), Vec::new(), array);
        for (k, spot) in spots[..ats].iter().enumerate() {
            let Spot::At(at, place) = spot else { unreachable!("these were counted") };
            let (index, check) = self.checked_index(row, *at, *place, span);
            indices.push(index);
            checks.push(check);
            if k + 1 < ats || ats < spots.len() {
                let elem = self.elem_type(row);
                row = self.emit_after("row", elem, core::Expr::Index { array: row, index }, span, vec![check]);
            }
        }
        let value = match &spots[ats..] {
            [] => value,
            rest => self.replace_slice(row, rest, value, value_span, span),
        };
        self.emit_after("new", ty, core::Expr::Update { array, indices, value }, span, checks)
    }

    // The first spot is a slice.
    fn replace_slice(&mut self, array: Atom, spots: &[Spot], values: Atom, value_span: Span, span: Span) -> Atom {
        let (Spot::Slice { from, to, step, span: place }, rest) = (&spots[0], &spots[1..]) else {
            unreachable!("indices are handled before")
        };
        let ty = self.type_of(array).without_sizes();
        let whole = from.is_none() && to.is_none() && step.is_none();
        let cut = self.cut(array, *from, *to, *step, *place);
        let mut checks = cut.checks;
        checks.push(self.check_shape(values, &[cut.count], value_span).1);
        let strides = Strides { offset: cut.start, dims: vec![(cut.count, cut.stride)] };
        let simple = |s: &Spot| matches!(s, Spot::Slice { from: None, to: None, step: None, .. });
        let values = if rest.iter().all(simple) {
            values
        } else {
            let read = match step {
                None => core::Expr::Slice { array, from: cut.start, to: cut.end },
                Some(_) => core::Expr::Strided { array, strides: strides.clone() },
            };
            let rows = if whole { array } else { self.emit_after("rows", ty.clone(), read, span, checks.clone()) };
            let params = vec![("row".to_string(), self.elem_type(rows)), ("v".to_string(), self.elem_type(values))];
            let lambda = self.lambda(params, |l, p| l.replace(p[0], rest, p[1], value_span, span));
            let map = core::Expr::Map { lambda, arrays: vec![rows, values] };
            self.emit_after("rows", ty.clone(), map, span, checks.clone())
        };
        if whole {
            return values;
        }
        self.emit_after("new", ty, core::Expr::UpdateStrided { array, strides, values }, span, checks)
    }

    fn cut(&mut self, array: Atom, from: Option<Atom>, to: Option<Atom>, step: Option<Atom>, span: Span) -> Cut {
        if from.is_none() && to.is_none() && step.is_none() {
            let count = self.length(array, span);
            return Cut { start: Atom::int(0), end: count, count, stride: Atom::int(1), checks: Vec::new() };
        }
        let (start, end, check) = self.check_slice(array, from, to, span);
        match step {
            None => {
                let count =
                    if start == Atom::int(0) { end } else { self.binary("count", BinOp::Sub, end, start, span) };
                self.mark_length(count);
                Cut { start, end, count, stride: Atom::int(1), checks: vec![check] }
            }
            Some(stride) => {
                let (count, step_check) = self.steps(start, end, stride, span);
                let checks = [check].into_iter().chain(step_check).collect();
                Cut { start, end, count, stride, checks }
            }
        }
    }
}
