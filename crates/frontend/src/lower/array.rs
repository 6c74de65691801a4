//! Comprehensions and ranges.
//!
//! ```text
//! [f(x, y) for x in xs, y in ys]        check zip; map (x, y) in xs, ys { f(x, y) }
//! [f(i) for i < n]                      check length; generate n (i) { f(i) }
//! [f(x) for x in xs if c(x)]            filter xs (x) { c(x) }, then map
//! ```

use super::body::{I64, Lower};
use crate::typed::{Expr, Generator, GeneratorKind, Kind, Pattern, PatternKind};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{self, Type};

/// The sources of a comprehension as arrays of one length.
struct Sources<'a> {
    arrays: Vec<Atom>,
    patterns: Vec<Source<'a>>,
    checks: Vec<CheckId>,
}

enum Source<'a> {
    Pattern(&'a Pattern),
    Counter(crate::typed::LocalId),
}

impl<'a> Lower<'_, 'a> {
    pub(super) fn comprehension(
        &mut self,
        body: &'a Expr,
        generators: &'a [Generator],
        filter: Option<&'a Expr>,
        span: Span,
    ) -> Atom {
        if let ([Generator { kind: GeneratorKind::Count { var, bound }, .. }], None) = (generators, filter) {
            let count = self.expr(bound);
            let (count, after) = self.count(count, bound.span);
            let name = self.local_name(*var).to_string();
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
        // What a filter gives is new already; a comprehension without one is a copy, whoever looks at it.
        if let (true, [Source::Pattern(pattern)], [array]) =
            (filter.is_some(), &sources.patterns[..], &sources.arrays[..])
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

    fn sources(&mut self, generators: &'a [Generator]) -> Sources<'a> {
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
            Source::Counter(var) => self.local_name(*var).to_string(),
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

    fn filtered(&mut self, sources: Sources<'a>, filter: &'a Expr, span: Span) -> Sources<'a> {
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

    pub(super) fn range(&mut self, from: &'a Expr, to: &'a Expr, span: Span) -> Atom {
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
