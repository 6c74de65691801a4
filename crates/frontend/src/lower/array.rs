//! Comprehensions, indices, slices and ranges.
//!
//! ```text
//! [f(x, y) for x in xs, y in ys]        check zip; map (x, y) in xs, ys { f(x, y) }
//! [f(i) for i < n]                      check length; generate n (i) { f(i) }
//! [f(x) for x in xs if c(x)]            filter xs (x) { c(x) }, then map
//! m[a..b, j]                            slice m a b, then map (row) { row[j] }
//! ```

use super::body::{I64, Lower};
use crate::typed::{Expr, Generator, GeneratorKind, Kind, Pattern, PatternKind, Subscript, SubscriptKind};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{self, Type};

/// The sources of a comprehension as arrays of one length.
struct Sources<'e> {
    arrays: Vec<Atom>,
    patterns: Vec<Source<'e>>,
    checks: Vec<CheckId>,
}

enum Source<'e> {
    Pattern(&'e Pattern),
    Counter(crate::typed::LocalId),
}

impl Lower<'_, '_> {
    pub(super) fn comprehension(
        &mut self,
        body: &Expr,
        generators: &[Generator],
        filter: Option<&Expr>,
        span: Span,
    ) -> Atom {
        if let ([Generator { kind: GeneratorKind::Count { var, bound }, .. }], None) = (generators, filter) {
            let count = self.expr(bound);
            let (count, after) = self.count(count, bound.span);
            let name = self.checked.locals[var.index()].name.clone();
            let lambda = self.lambda(vec![(name, I64)], |l, params| {
                l.set_local(*var, params[0]);
                l.expr(body)
            });
            let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
            return self.emit_after("out", ty, core::Expr::Generate { lambda, count }, span, after);
        }
        let mut sources = self.sources(generators);
        if let Some(filter) = filter {
            sources = self.filtered(sources, filter, span);
        }
        if let ([Source::Pattern(pattern)], [array]) = (&sources.patterns[..], &sources.arrays[..])
            && let (PatternKind::Name(bound), Kind::Local(used)) = (&pattern.kind, &body.kind)
            && bound == used
        {
            return *array;
        }
        let params = self.source_params(&sources);
        let lambda = self.lambda(params, |l, params| {
            l.bind_sources(&sources.patterns, params, body.span);
            l.expr(body)
        });
        let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
        let map = core::Expr::Map { lambda, arrays: sources.arrays };
        self.emit_after("out", ty, map, span, sources.checks)
    }

    fn sources<'e>(&mut self, generators: &'e [Generator]) -> Sources<'e> {
        let mut out = Sources { arrays: Vec::new(), patterns: Vec::new(), checks: Vec::new() };
        for generator in generators {
            match &generator.kind {
                GeneratorKind::In { pattern, array } => {
                    let array = self.expr(array);
                    out.arrays.push(array);
                    out.patterns.push(Source::Pattern(pattern));
                }
                GeneratorKind::Count { var, bound } => {
                    let count = self.expr(bound);
                    let (count, after) = self.count(count, bound.span);
                    let ty = Type::array(I64);
                    let iota = self.emit_after("ids", ty, core::Expr::Iota(count), bound.span, after);
                    out.arrays.push(iota);
                    out.patterns.push(Source::Counter(*var));
                }
            }
        }
        let spans: Vec<Span> = generators.iter().map(|g| g.span).collect();
        out.checks = self.same_lengths(&out.arrays, &spans);
        out
    }

    /// Checks that arrays which are taken in step have one length.
    pub(super) fn same_lengths(&mut self, arrays: &[Atom], spans: &[Span]) -> Vec<CheckId> {
        let mut checks = Vec::new();
        let Some((first, rest)) = arrays.split_first() else {
            return checks;
        };
        // An array zipped with itself needs no check.
        let others: Vec<(Atom, Span)> =
            rest.iter().copied().zip(spans[1..].iter().copied()).filter(|(a, _)| a != first).collect();
        if others.is_empty() {
            return checks;
        }
        let wanted = self.length(*first, spans[0]);
        for (array, span) in others {
            let found = self.length(array, span);
            let ok = self.binary("ok", BinOp::Eq, wanted, found, span);
            checks.push(self.check(CheckKind::Zip, ok, vec![wanted, found], span));
        }
        checks
    }

    fn source_params(&self, sources: &Sources<'_>) -> Vec<(String, Type)> {
        let name = |source: &Source<'_>| match source {
            Source::Pattern(pattern) => self.pattern_name(pattern),
            Source::Counter(var) => self.checked.locals[var.index()].name.clone(),
        };
        // After a filter of several arrays there is one array of tuples.
        if sources.arrays.len() < sources.patterns.len() {
            return vec![("elem".to_string(), self.elem_type(sources.arrays[0]))];
        }
        sources.patterns.iter().zip(&sources.arrays).map(|(p, a)| (name(p), self.elem_type(*a))).collect()
    }

    fn bind_sources(&mut self, patterns: &[Source<'_>], params: &[Atom], span: Span) {
        for (k, source) in patterns.iter().enumerate() {
            let ignored = matches!(source, Source::Pattern(Pattern { kind: PatternKind::Wildcard, .. }));
            if ignored {
                continue;
            }
            let atom = match params {
                [tuple] if patterns.len() > 1 => self.project(*tuple, k, span),
                _ => params[k],
            };
            match source {
                Source::Pattern(pattern) => self.bind(pattern, atom, span),
                Source::Counter(var) => self.set_local(*var, atom),
            }
        }
    }

    fn filtered<'e>(&mut self, sources: Sources<'e>, filter: &Expr, span: Span) -> Sources<'e> {
        let Sources { mut arrays, patterns, mut checks } = sources;
        if arrays.len() > 1 {
            let elem = Type::Tuple(arrays.iter().map(|a| self.elem_type(*a)).collect());
            let zip = core::Expr::Zip(std::mem::take(&mut arrays));
            let zipped = self.emit_after("zipped", Type::array(elem), zip, span, std::mem::take(&mut checks));
            arrays.push(zipped);
        }
        let mut out = Sources { arrays, patterns, checks };
        let params = self.source_params(&out);
        let predicate = self.lambda(params, |l, params| {
            l.bind_sources(&out.patterns, params, filter.span);
            l.expr(filter)
        });
        let array = out.arrays[0];
        let ty = Type::array(self.elem_type(array));
        let kept = core::Expr::Filter { predicate, array };
        out.arrays = vec![self.emit_after("kept", ty, kept, span, std::mem::take(&mut out.checks))];
        out
    }

    pub(super) fn index(&mut self, array: Atom, subscripts: &[Subscript], span: Span) -> Atom {
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

    fn element(&mut self, array: Atom, at: Atom, place: Span, span: Span) -> Atom {
        let index = self.as_i64(at, place);
        let len = self.length(array, span);
        let low = self.binary("ok", BinOp::Le, Atom::int(0), index, place);
        let high = self.binary("ok", BinOp::Lt, index, len, place);
        let ok = self.binary("ok", BinOp::And, low, high, place);
        let check = self.check(CheckKind::Index, ok, vec![index, len], span);
        let ty = self.elem_type(array);
        self.emit_after("t", ty, core::Expr::Index { array, index }, span, vec![check])
    }

    fn slice(&mut self, array: Atom, from: Option<&Expr>, to: Option<&Expr>, step: Option<&Expr>, span: Span) -> Atom {
        if from.is_none() && to.is_none() && step.is_none() {
            return array;
        }
        let bound = |l: &mut Self, e: Option<&Expr>| {
            e.map(|e| {
                let atom = l.expr(e);
                l.as_i64(atom, e.span)
            })
        };
        let (from, to) = (bound(self, from), bound(self, to));
        let stride = bound(self, step);
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
        let ty = Type::array(self.elem_type(array));
        match stride {
            None => {
                let slice = core::Expr::Slice { array, from: start, to: end };
                self.emit_after("part", ty, slice, span, vec![check])
            }
            Some(stride) => self.strided(array, start, end, stride, check, span),
        }
    }

    fn strided(&mut self, array: Atom, start: Atom, end: Atom, stride: Atom, check: CheckId, span: Span) -> Atom {
        let positive = self.binary("ok", BinOp::Lt, Atom::int(0), stride, span);
        let kind = CheckKind::Assert("the step of a slice is positive".to_string());
        let step_check = self.check(kind, positive, Vec::new(), span);
        // ceil((end - start) / stride), which cannot overflow: both ends lie within the array.
        let distance = self.binary("t", BinOp::Sub, end, start, span);
        let before = self.binary("t", BinOp::Sub, distance, Atom::int(1), span);
        let steps = core::Expr::Binary(BinOp::Div, before, stride);
        let steps = self.emit_after("t", I64, steps, span, vec![step_check]);
        let count = self.binary("count", BinOp::Add, steps, Atom::int(1), span);
        self.mark_length(count);
        let elem = self.elem_type(array);
        let lambda = self.lambda(vec![("k".to_string(), I64)], |l, k| {
            let offset = l.binary("t", BinOp::Mul, k[0], stride, span);
            let index = l.binary("at", BinOp::Add, start, offset, span);
            l.emit_after("t", elem.clone(), core::Expr::Index { array, index }, span, vec![check, step_check])
        });
        let generate = core::Expr::Generate { lambda, count };
        self.emit_after("part", Type::array(elem), generate, span, vec![check, step_check])
    }

    pub(super) fn range(&mut self, from: &Expr, to: &Expr, span: Span) -> Atom {
        let (start, end) = (self.expr(from), self.expr(to));
        let ty = self.scalar_type(start);
        let low = self.as_i64(start, from.span);
        let high = self.as_i64(end, to.span);
        let from_zero = low == Atom::int(0);
        let count = if from_zero { high } else { self.binary("count", BinOp::Sub, high, low, span) };
        let (count, after) = self.count(count, span);
        if from_zero && ty == ScalarType::I64 {
            return self.emit_after("ids", Type::array(I64), core::Expr::Iota(count), span, after);
        }
        let lambda = self.lambda(vec![("k".to_string(), I64)], |l, k| {
            let value = if from_zero { k[0] } else { l.binary("t", BinOp::Add, low, k[0], span) };
            l.convert(ty, value, span)
        });
        let generate = core::Expr::Generate { lambda, count };
        self.emit_after("ids", Type::array(Type::Scalar(ty)), generate, span, after)
    }
}
