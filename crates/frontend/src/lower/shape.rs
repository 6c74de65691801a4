//! Operators that move elements or change shapes: scatter, hist, partition, split, slide, pad, transpose.
//!
//! ```text
//! scatter(xs, is, vs)     check: as many indices as values
//!                         map (i) in is { check: i exists in xs; i }, then scatter
//! split(m, xs)            check: m is positive and divides the length; reshape xs [len / m, m]
//! pad(1, 1, clamp, xs)    check: not empty; pad clamp xs 1 1
//! pad(1, 1, mode, xs)     match mode { clamp: …, wrap: …, mirror: …, constant(v): … }
//! ```
//!
//! Indices are checked inside a map, so that the error names the position of the wrong one.

use super::body::{I64, Lower};
use super::closure::Closure;
use crate::typed::{Expr as Typed, Kind};
use terrace_base::{BinOp, Span};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{Expr, PadMode, Type};
use terrace_plan::messages::LENGTH_LIMIT;

impl<'a> Lower<'_, 'a> {
    /// Indices as `i64`s below a length, each checked.
    fn positions(&mut self, indices: Atom, len: Atom, place: Span) -> Atom {
        let elem = self.elem_type(indices);
        let lambda = self.lambda(vec![("i".to_string(), elem)], |l, i| {
            let index = l.as_i64(i[0], place);
            l.check_index(index, len, place, place);
            index
        });
        self.emit("positions", Type::array(I64), Expr::Map { lambda, arrays: vec![indices] }, place)
    }

    pub(super) fn scatter(&mut self, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let (array, values) = (args[0], args[2]);
        let after = self.same_lengths(&args[1..], &spans[1..]);
        let len = self.length(array, spans[0]);
        let indices = self.positions(args[1], len, spans[1]);
        let ty = self.type_of(array).without_sizes();
        self.emit_after("out", ty, Expr::Scatter { array, indices, values }, span, after)
    }

    /// `hist(op, neutral, count, indices, values)`.
    pub(super) fn hist(&mut self, fun: Closure<'a>, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let (neutral, values) = (args[0], args[3]);
        let (count, mut after) = self.count(args[1], spans[1]);
        after.extend(self.same_lengths(&args[2..], &spans[2..]));
        let indices = self.positions(args[2], count, spans[2]);
        let elem = self.elem_type(values);
        let params = vec![("a".to_string(), elem.clone()), ("b".to_string(), elem.clone())];
        let operator = self.lambda(params, |l, p| l.apply(fun, p, span));
        let hist = Expr::Hist { operator, neutral, count, indices, values };
        self.emit_after("out", Type::array(elem), hist, span, after)
    }

    pub(super) fn partition_by(&mut self, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let (array, place) = (args[1], spans[0]);
        let elem = self.elem_type(args[0]);
        let lambda = self.lambda(vec![("size".to_string(), elem)], |l, size| l.count(size[0], place).0);
        let map = Expr::Map { lambda, arrays: vec![args[0]] };
        let sizes = self.emit("sizes", Type::array(I64), map, place);
        let sum = self.total_size(sizes, place);
        let len = self.length(array, spans[1]);
        let ok = self.binary("ok", BinOp::Eq, sum, len, span);
        let check = self.check(CheckKind::Partition, ok, vec![sum, len], span);
        let ty = Type::array(self.type_of(array).without_sizes());
        self.emit_after("rows", ty, Expr::Partition { sizes, array }, span, vec![check])
    }

    /// The sum of lengths, or one more than the greatest length: many great ones would wrap and come out as a small one.
    fn total_size(&mut self, sizes: Atom, span: Span) -> Atom {
        let params = vec![("a".to_string(), I64), ("b".to_string(), I64)];
        let operator = self.lambda(params, |l, p| {
            let both = l.binary("t", BinOp::Add, p[0], p[1], span);
            l.binary("t", BinOp::Min, both, Atom::int(LENGTH_LIMIT + 1), span)
        });
        let reduce = Expr::Reduce { operator, neutral: Atom::int(0), array: sizes };
        self.emit("total", I64, reduce, span)
    }

    pub(super) fn split(&mut self, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let array = args[1];
        let width = self.as_i64(args[0], spans[0]);
        let positive = self.check_positive(width, "the length of a row", spans[0]);
        let len = self.length(array, spans[1]);
        let rows = Expr::Binary(BinOp::Div, len, width);
        let rows = self.emit_after("rows", I64, rows, span, positive.into_iter().collect());
        self.mark_length(rows);
        let whole = self.binary("whole", BinOp::Mul, rows, width, span);
        let ok = self.binary("ok", BinOp::Eq, whole, len, span);
        let check = self.check(CheckKind::Split, ok, vec![width, len], span);
        let checks = positive.into_iter().chain([check]).collect();
        let ty = Type::array(self.type_of(array).without_sizes());
        self.emit_after("rows", ty, Expr::Reshape { array, dims: vec![rows, width] }, span, checks)
    }

    pub(super) fn slide(&mut self, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let array = args[2];
        let size = self.as_i64(args[0], spans[0]);
        let step = self.as_i64(args[1], spans[1]);
        let size_check = self.check_positive(size, "the length of a window", spans[0]);
        let step_check = self.check_positive(step, "the step between windows", spans[1]);
        let checks = size_check.into_iter().chain(step_check).collect();
        let ty = Type::array(self.type_of(array).without_sizes());
        self.emit_after("windows", ty, Expr::Slide { size, step, array }, span, checks)
    }

    /// `pad(left, right, mode, xs)`; a mode that is written out is not built.
    pub(super) fn pad_expr(&mut self, args: &'a [Typed], span: Span) -> Atom {
        let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
        let (left, right) = (self.argument(&args[0], false), self.argument(&args[1], false));
        if let Kind::Variant { tag, fields } = &args[2].kind {
            let fields: Vec<Atom> = fields.iter().map(|f| self.argument(f, false)).collect();
            let array = self.expr(&args[3]);
            let (counts, checks) = self.pad_counts(left, right, &spans);
            return self.pad_known(*tag, &fields, counts, checks, array, span);
        }
        let mode = self.expr(&args[2]);
        let array = self.expr(&args[3]);
        self.pad(&[left, right, mode, array], &spans, span)
    }

    pub(super) fn pad(&mut self, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        let (mode, array) = (args[2], args[3]);
        let (counts, checks) = self.pad_counts(args[0], args[1], spans);
        if let Some((tag, fields)) = mode.var().and_then(|v| self.variants.get(&v)).cloned() {
            return self.pad_known(tag, &fields, counts, checks, array, span);
        }
        let arms = self.arms(mode, |l, tag, fields| l.pad_known(tag, fields, counts, checks.clone(), array, span));
        let ty = self.type_of(array).without_sizes();
        self.emit("padded", ty, Expr::Match { value: mode, arms }, span)
    }

    fn pad_counts(&mut self, left: Atom, right: Atom, spans: &[Span]) -> ((Atom, Atom), Vec<CheckId>) {
        let (left, mut checks) = self.count(left, spans[0]);
        let (right, more) = self.count(right, spans[1]);
        checks.extend(more);
        ((left, right), checks)
    }

    // The tags are those of `border` in the prelude: clamp, wrap, mirror, constant.
    fn pad_known(
        &mut self,
        tag: usize,
        fields: &[Atom],
        (left, right): (Atom, Atom),
        mut checks: Vec<CheckId>,
        array: Atom,
        span: Span,
    ) -> Atom {
        let mode = match tag {
            0 => PadMode::Clamp,
            1 => PadMode::Wrap,
            2 => PadMode::Mirror,
            _ => PadMode::Constant(fields[0]),
        };
        let plainly = |n: Atom, is: &dyn Fn(i64) -> bool| matches!(n, Atom::Const(s) if s.as_i64().is_some_and(is));
        let nothing = plainly(left, &|n| n == 0) && plainly(right, &|n| n == 0);
        if !matches!(mode, PadMode::Constant(_)) && !nothing {
            let len = self.length(array, span);
            let mut ok = self.binary("some", BinOp::Lt, Atom::int(0), len, span);
            if !plainly(left, &|n| n > 0) && !plainly(right, &|n| n > 0) {
                let added = self.binary("added", BinOp::Add, left, right, span);
                let none = self.binary("none", BinOp::Eq, added, Atom::int(0), span);
                ok = self.binary("ok", BinOp::Or, ok, none, span);
            }
            let kind = self.empty_kind("pad");
            checks.push(self.check(kind, ok, Vec::new(), span));
        }
        let ty = self.type_of(array).without_sizes();
        self.emit_after("padded", ty, Expr::Pad { left, right, mode, array }, span, checks)
    }

    pub(super) fn transpose(&mut self, array: Atom, span: Span) -> Atom {
        let len = self.length(array, span);
        let cond = self.binary("some", BinOp::Lt, Atom::int(0), len, span);
        let row = self.elem_type(array);
        let then = self.body(|l| {
            let first = l.emit("first", row.clone(), Expr::Index { array, index: Atom::int(0) }, span);
            l.length(first, span)
        });
        let otherwise = self.body(|_| Atom::int(0));
        let width = self.emit("width", I64, Expr::If { cond, then, otherwise }, span);
        let lambda = self.lambda(vec![("row".to_string(), row)], |l, row| {
            let n = l.length(row[0], span);
            let ok = l.binary("ok", BinOp::Eq, width, n, span);
            l.check(CheckKind::Rows, ok, vec![width, n], span);
            row[0]
        });
        // The rows that were checked, so that nothing can be transposed before.
        let ty = self.type_of(array).without_sizes();
        let rows = self.emit("rows", ty.clone(), Expr::Map { lambda, arrays: vec![array] }, span);
        self.emit("transposed", ty, Expr::Transpose(rows), span)
    }
}
