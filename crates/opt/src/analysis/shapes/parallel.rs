//! Shapes of the operators with a body: map, generate, filter, reduce, scan, histogram.
//!
//! A body runs at a position, its *counter*. The arrays it runs over give its parameters their shapes at that position; the shape of its
//! result, read as a function of the position, is the shape of an element of the whole (000, section 4.3.3: instantiation and generalisation):
//!
//! ```text
//! map (row) in rows { map (x) in row { x * x } }     row : [len(rows, c)]     result [len(rows, c)]
//!                                                    so the whole is [n][len(rows, p0)], the shape of rows
//! ```
//!
//! What the body establishes whenever it runs holds at every position: an equation about `len(rows, c)` becomes one about all rows. A length that
//! exists only inside, but does not depend on the counter, is the same for all rows: the rows are as long as the first.

use super::arrays::settled;
use super::deps::Deps;
use super::symbols::{applied, at_place, build, size_at, symbol_at};
use super::truth::Truth;
use super::walk::{Around, Fact, Limits, Walk, positions_below};
use terrace_algebra::{Claim, Size, SizeFun, SizeVar, sum};
use terrace_base::{BinOp, Scalar, Span};
use terrace_ir::core::{Expr, Lambda, StmtKind};
use terrace_ir::shape::{POSITIONS, Shape, Step, Symbol, SymbolId, as_symbol, position};
use terrace_ir::{Atom, ValueId};

/// What left a body: the shape of its result under names that exist outside, and what is known of those.
pub(super) struct Exported {
    pub(super) shape: Shape,
    pub(super) limits: Vec<(Size, Limits)>,
    pub(super) data: Deps,
}

impl<'p> Walk<'p> {
    pub(super) fn in_parallel(&mut self, value: ValueId, expr: &'p Expr, operands: Deps, span: Span) -> (Shape, Deps) {
        match expr {
            Expr::Map { lambda, arrays } => {
                let length = arrays.first().map_or_else(Size::zero, |a| self.length(*a));
                self.found_parallel(value, "map", &length, span);
                let shapes: Vec<(Shape, Deps)> = arrays.iter().map(|a| (self.shape(*a), self.data(*a))).collect();
                self.mapped(value, lambda, length, span, &|counter, k| {
                    let (shape, data) = &shapes[k];
                    (shape.element(counter).unwrap_or(Shape::Other), *data)
                })
            }
            Expr::Generate { lambda, count } => {
                let length = self.integer(*count);
                self.found_parallel(value, "generate", &length, span);
                self.mapped(value, lambda, length, span, &|counter, _| (Shape::Integer(counter.clone()), Deps::NONE))
            }
            Expr::Filter { predicate, array } => {
                let length = self.length(*array);
                self.found_parallel(value, "filter", &length, span);
                self.filtered(value, predicate, *array, length, operands, span)
            }
            Expr::Reduce { operator, neutral, array } => {
                let length = self.length(*array);
                self.found_parallel(value, "reduce", &length, span);
                let source = self.shape(*array);
                let (shape, data) = self.combined((value, &[]), operator, *neutral, &source, operands, span);
                match self.summed(operator, *neutral, &source) {
                    Some(total) => (Shape::Integer(total), data),
                    None => (shape, data),
                }
            }
            Expr::Scan { operator, neutral, array } => {
                let length = self.length(*array);
                self.found_parallel(value, "scan", &length, span);
                let source = self.shape(*array);
                if let Some(prefix) = self.prefixes(operator, *neutral, &source) {
                    self.operator(operator, None, operands, span);
                    return (Shape::Array(length, Box::new(Shape::Integer(prefix))), operands);
                }
                let (shape, data) =
                    self.combined((value, &[Step::Element]), operator, *neutral, &source, operands, span);
                (Shape::Array(length, Box::new(shape)), data)
            }
            Expr::Hist { operator, neutral, count, values, indices } => {
                let length = self.length(*indices);
                self.found_parallel(value, "hist", &length, span);
                let source = self.shape(*values);
                let (shape, data) =
                    self.combined((value, &[Step::Element]), operator, *neutral, &source, operands, span);
                (Shape::Array(self.integer(*count), Box::new(shape)), data)
            }
            _ => (self.fresh(value, self.type_of(value), operands), operands),
        }
    }

    /// Runs `go` in a parallel body at its counter, a position below `length`.
    fn at_counter<R>(
        &mut self,
        first: ValueId,
        length: &Size,
        go: impl FnOnce(&mut Self, Around, &Size) -> R,
    ) -> (R, Vec<Fact>) {
        let source = Deps::body(self.function.params.len(), self.around.len());
        self.inside(|walk| {
            let counter = walk.symbols.make(Symbol::Counter(first), Deps::of(source), walk.scope);
            walk.known.is_counter(counter);
            let at = applied(counter, Vec::new());
            walk.known.assume(&Claim::Le(Size::zero(), at.clone()));
            walk.known.assume(&Claim::Lt(at.clone(), length.clone()));
            let around = Around { counter, source };
            walk.around.push(around);
            // A body may run for no element at all: what never comes back in it does not stop the rest.
            let dead = walk.dead;
            let result = walk.sometimes(|walk| go(walk, around, &at));
            walk.dead = dead;
            walk.around.pop();
            result
        })
    }

    fn mapped(
        &mut self,
        value: ValueId,
        lambda: &'p Lambda,
        length: Size,
        span: Span,
        param: &dyn Fn(&Size, usize) -> (Shape, Deps),
    ) -> (Shape, Deps) {
        let Some(first) = lambda.params.first() else {
            return (self.fresh(value, self.type_of(value), Deps::NONE), Deps::NONE);
        };
        let ((exported, counter), established) = self.at_counter(*first, &length, |walk, around, at| {
            for (k, p) in lambda.params.iter().enumerate() {
                let (shape, data) = param(at, k);
                walk.bind(*p, shape, data.and(Deps::of(around.source)), span);
            }
            let (shape, data) = walk.body(&lambda.body);
            (walk.export(value, &shape, data, around), around.counter)
        });
        self.everywhere(established, counter, &length);
        self.set_limits(exported.limits);
        let shape = exported.shape.over(SizeVar(counter.index() as u32), length);
        (shape, exported.data)
    }

    /// The shape of a parallel body's result, with names that exist outside of it for what exists only inside.
    fn export(&mut self, value: ValueId, shape: &Shape, data: Deps, around: Around) -> Exported {
        let mut limits = Vec::new();
        let outside = self.scope - 1;
        let elem = match self.type_of(value).elem() {
            Some(elem) => elem.clone(),
            None => return Exported { shape: Shape::Other, limits, data },
        };
        let shape = build(&elem, &mut vec![Step::Element], &mut |path, integer| {
            let size = match size_at(shape, &path[1..]) {
                Some(size) => self.known.resolve(size),
                None => return self.own_outside(value, path, integer.is_some(), Deps::NONE, around, true, outside),
            };
            if !self.symbols.is_inside(&size, self.scope, Some(around.counter)) {
                return size;
            }
            let deps = self.symbols.deps(&size);
            // The first row stands for all only where it has the same places.
            let above = (1..path.len()).filter(|k| path[*k] == Step::Element);
            let uneven =
                above.filter_map(|k| size_at(shape, &path[1..k])).any(|n| self.symbols.deps(n).has(around.source));
            let varies = uneven || deps.has(around.source);
            let name = self.own_outside(value, path, integer.is_some(), deps, around, varies, outside);
            let kept = self.outer_limits(&size, integer.is_some(), around);
            let symbol = as_symbol(&name).expect("a name is a symbol").0;
            limits.push((at_place(symbol, path), kept));
            name
        });
        Exported { shape, limits, data: data.without(around.source) }
    }

    /// A symbol for a place in the array that a parallel body makes, at the counter; the first row stands for all where they do not vary.
    #[allow(clippy::too_many_arguments)]
    fn own_outside(
        &mut self,
        value: ValueId,
        path: &[Step],
        integer: bool,
        deps: Deps,
        around: Around,
        varies: bool,
        scope: usize,
    ) -> Size {
        let symbol = self.symbols.make(symbol_at(value, path, integer), deps.without(around.source), scope);
        let arity = path.iter().filter(|s| **s == Step::Element).count();
        let first = if varies { applied(around.counter, Vec::new()) } else { Size::zero() };
        let rest = (1..arity).map(|k| position(k - 1));
        applied(symbol, std::iter::once(first).chain(rest).collect())
    }

    /// Bounds of a size that can be said outside, with `p0` for the counter and the positions inside moved up by one.
    fn outer_limits(&mut self, size: &Size, integer: bool, around: Around) -> Limits {
        let outer = |walk: &Self, bound: Option<Size>| {
            let bound = walk.known.resolve(&bound?);
            let said = !walk.symbols.is_inside(&bound, walk.scope, Some(around.counter));
            said.then(|| lifted(&bound, around.counter))
        };
        let known = as_symbol(size).and_then(|(s, args)| {
            let plain = args.iter().enumerate().all(|(k, a)| *a == position(k));
            self.limits.get(&s).filter(|_| plain).cloned()
        });
        let known = known.unwrap_or_default();
        let low = outer(self, known.low).or_else(|| {
            let from_zero = integer && self.known.never_negative(size);
            from_zero.then(Size::zero)
        });
        Limits { low, high: outer(self, known.high) }
    }

    fn set_limits(&mut self, limits: Vec<(Size, Limits)>) {
        for (size, Limits { low, high }) in limits {
            self.assume_own_range(&size);
            self.limit(&size, low, high);
        }
    }

    /// The range of a symbol that was made inside a body, stated outside.
    fn assume_own_range(&mut self, size: &Size) {
        let Some((symbol, _)) = as_symbol(size) else { return };
        let (value, path, integer) = match &self.symbols.table[symbol] {
            Symbol::Length(value, path) => (*value, path.clone(), None),
            Symbol::Integer(value, path) => (*value, path.clone(), scalar_at(self.type_of(*value), path)),
            _ => return,
        };
        let deps = self.symbols.deps_of_symbol(symbol);
        self.own(value, &path, integer, deps);
    }

    /// What held in every run of a parallel body holds at every position.
    fn everywhere(&mut self, established: Vec<Fact>, counter: SymbolId, length: &Size) {
        let mention = |size: &Size| size.vars().contains(&SizeVar(counter.index() as u32));
        for Fact { claim, ranges } in established {
            let (a, b) = claim.sides();
            let inside = |s: &Size| self.symbols.is_inside(s, self.scope + 1, Some(counter));
            if inside(a) || inside(b) || ranges.iter().any(inside) || !(mention(a) || mention(b)) {
                continue;
            }
            let claim = claim.map(&|size| lifted(size, counter));
            let inner = ranges.iter().map(|size| lifted(size, counter));
            let ranges = std::iter::once(length.clone()).chain(inner).collect();
            self.assume_fact(Fact { claim, ranges });
        }
    }

    fn filtered(
        &mut self,
        value: ValueId,
        predicate: &'p Lambda,
        array: Atom,
        length: Size,
        operands: Deps,
        span: Span,
    ) -> (Shape, Deps) {
        let source = self.shape(array);
        let data = self.data(array);
        let ((truth, deps, counter), _) = self.at_counter(predicate.params[0], &length, |walk, around, at| {
            let shape = source.element(at).unwrap_or(Shape::Other);
            walk.bind(predicate.params[0], shape, data.and(Deps::of(around.source)), span);
            let (_, deps) = walk.body(&predicate.body);
            let outside = |size: &Size| !walk.symbols.is_inside(size, walk.scope, Some(around.counter));
            let truth = walk.truth(predicate.body.result).keep(&outside);
            (truth, deps.without(around.source), around.counter)
        });
        let deps = operands.and(deps);
        let kept = self.own(value, &[], None, deps);
        self.limit(&kept, Some(Size::zero()), Some(length.clone()));
        let shape = self.forget_positions(value, &source, kept, 1, deps);
        self.refine(&source, &shape, &truth, counter);
        (shape, deps)
    }

    /// What a predicate says about an element holds of every element that is kept.
    fn refine(&mut self, source: &Shape, kept: &Shape, truth: &Truth, counter: SymbolId) {
        let claims = match truth {
            Truth::Claim(claim) => vec![claim.clone()],
            Truth::All(parts) => parts
                .iter()
                .filter_map(|p| match p {
                    Truth::Claim(claim) => Some(claim.clone()),
                    _ => None,
                })
                .collect(),
            _ => return,
        };
        // Integers of the source that have a name, beside their new name.
        let mut renamed: Vec<(SymbolId, Size)> = Vec::new();
        let (Shape::Array(_, from), Shape::Array(_, to)) = (source, kept) else { return };
        pairs(from, to, &mut |from, to| {
            if let Some((symbol, args)) = as_symbol(from)
                && args == [position(0)]
                && as_symbol(to).is_some_and(|(s, _)| s != symbol)
            {
                renamed.push((symbol, to.clone()));
            }
        });
        let here = applied(counter, Vec::new());
        for claim in claims {
            let claim = claim.map(&|size| {
                size.substitute_funs(&|SizeFun(n), args| {
                    let symbol = SymbolId::new(n as usize);
                    let found = renamed.iter().find(|(s, _)| *s == symbol && args == [here.clone()]);
                    found.map(|(_, to)| to.clone())
                })
            });
            let (a, b) = claim.sides();
            let counter = SizeVar(counter.index() as u32);
            let element = a.vars().into_iter().chain(b.vars()).any(|v| (v.0 as usize) < POSITIONS);
            // A claim that is not about the element says nothing where none is kept.
            if !element || a.vars().contains(&counter) || b.vars().contains(&counter) {
                continue;
            }
            let about: Vec<SymbolId> = renamed.iter().filter_map(|(_, to)| Some(as_symbol(to)?.0)).collect();
            let length = kept.length().cloned().unwrap_or_else(Size::zero);
            self.known.assume_where(&claim, &about, &positions_below(&[length]));
            // Kept as limits too, so that they can leave a body.
            for (size, bound, high, strict) in sided(&claim) {
                if let Some((symbol, _)) = as_symbol(size)
                    && renamed.iter().any(|(_, to)| to == size)
                    && settled(bound)
                {
                    let limits = self.limits.entry(symbol).or_default();
                    match high {
                        true => limits.high = Some(bound - i64::from(strict)),
                        false => limits.low = Some(bound + i64::from(strict)),
                    }
                }
            }
        }
    }

    /// What an operator makes of elements, at a place of the value, which is the value itself or its elements: it keeps a shape that the
    /// neutral element and all elements have, or nothing is known.
    fn combined(
        &mut self,
        (value, place): (ValueId, &[Step]),
        operator: &'p Lambda,
        neutral: Atom,
        source: &Shape,
        operands: Deps,
        span: Span,
    ) -> (Shape, Deps) {
        let candidate = self.common(neutral, source);
        let (shape, deps) = self.operator(operator, candidate.as_ref(), operands, span);
        let deps = operands.and(deps);
        let ty = if place.is_empty() { Some(self.type_of(value)) } else { self.type_of(value).elem() };
        let shape = build(ty.expect("an array"), &mut place.to_vec(), &mut |path, integer| {
            let inside = &path[place.len()..];
            let kept = candidate.as_ref().and_then(|c| size_at(c, inside));
            match (kept.filter(|k| place.is_empty() || settled(k)), size_at(&shape, inside)) {
                (Some(kept), Some(got)) if integer.is_none() && self.known.equal(kept, got) => kept.clone(),
                _ => self.own(value, path, integer, deps),
            }
        });
        (shape, deps)
    }

    /// The shape that the neutral element shares with every element; none where lengths differ.
    fn common(&mut self, neutral: Atom, source: &Shape) -> Option<Shape> {
        let Shape::Array(_, elem) = source else { return None };
        let neutral = self.shape(neutral);
        let mut same = true;
        pairs(elem, &neutral.repeated(Size::one()).part(&[Step::Element]).cloned()?, &mut |a, b| {
            same &= settled(a) && settled(b) && self.known.equal(a, b);
        });
        let has_arrays = lengths(&neutral);
        (same || !has_arrays).then_some(neutral)
    }

    /// Walks an operator on two values of a shape, or of an unknown one; the lengths of its result where they exist outside.
    fn operator(&mut self, operator: &'p Lambda, shape: Option<&Shape>, operands: Deps, span: Span) -> (Shape, Deps) {
        let first = operator.params[0];
        let (result, _) = self.at_counter(first, &Size::big(super::knowledge::LONGEST), |walk, around, _| {
            for p in &operator.params {
                let ty = walk.type_of(*p).clone();
                let deps = operands.and(Deps::of(around.source));
                let given =
                    build(&ty, &mut Vec::new(), &mut |path, integer| match shape.and_then(|s| size_at(s, path)) {
                        Some(size) if integer.is_none() => size.clone(),
                        _ => walk.own(*p, path, integer, deps),
                    });
                walk.bind(*p, given, deps, span);
            }
            let (shape, data) = walk.body(&operator.body);
            (walk.known.resolve_shape(&shape), data.without(around.source))
        });
        result
    }

    /// The sum of an array of integers that cannot wrap.
    fn summed(&mut self, operator: &Lambda, neutral: Atom, source: &Shape) -> Option<Size> {
        let Shape::Array(length, elem) = source else { return None };
        let term = elem.integer()?;
        let limit = adds(operator, neutral)?;
        let total = sum(SizeVar(0), length, term);
        match limit {
            Adding::Plain => self.sum_fits(length, term).then_some(total),
            // A sum that stops at a limit cannot wrap where no term is negative and no term exceeds the limit.
            Adding::UpTo(most) => {
                let (low, high) = self.bounds_over(term, length);
                let positive =
                    low.is_some_and(|low| self.known.never_negative(&low)) || self.terms_positive(term, length);
                let below = high.is_some_and(|h| self.known.proves_claim(&Claim::Le(h, Size::constant(most))))
                    || self.terms_below(term, length, most);
                let reached = || !self.known.proves_claim(&Claim::Le(total.clone(), Size::constant(most)));
                (positive && below).then(|| {
                    if reached() { Size::min_of(&[total.clone(), Size::constant(most)]) } else { total.clone() }
                })
            }
        }
    }

    fn terms_positive(&mut self, term: &Size, length: &Size) -> bool {
        self.below(length, |walk| walk.known.never_negative(term))
    }

    fn terms_below(&mut self, term: &Size, length: &Size, most: i64) -> bool {
        self.below(length, |walk| walk.known.proves_claim(&Claim::Le(term.clone(), Size::constant(most))))
    }

    fn below(&mut self, length: &Size, ask: impl FnOnce(&Self) -> bool) -> bool {
        let mark = self.known.mark();
        self.known.assume(&Claim::Le(Size::zero(), position(0)));
        self.known.assume(&Claim::Lt(position(0), length.clone()));
        let answer = ask(self);
        self.known.release(mark);
        answer
    }

    /// Whether all partial sums of non-negative terms fit 64 bits.
    fn sum_fits(&mut self, length: &Size, term: &Size) -> bool {
        let total = sum(SizeVar(0), length, term);
        self.terms_positive(term, length) && self.known.fits(&total, (0, i64::MAX.into()))
    }

    /// Element `p0` of a scan that adds integers which cannot wrap.
    fn prefixes(&mut self, operator: &Lambda, neutral: Atom, source: &Shape) -> Option<Size> {
        let Shape::Array(length, elem) = source else { return None };
        let term = elem.integer()?;
        let plain = matches!(adds(operator, neutral)?, Adding::Plain);
        (plain && self.sum_fits(length, term)).then(|| sum(SizeVar(0), &(position(0) + 1), term))
    }
}

enum Adding {
    Plain,
    UpTo(i64),
}

/// Whether an operator adds `i64`s from 0, perhaps up to a limit.
fn adds(operator: &Lambda, neutral: Atom) -> Option<Adding> {
    if neutral != Atom::Const(Scalar::I64(0)) {
        return None;
    }
    let [a, b] = operator.params.as_slice() else { return None };
    let mut steps = operator.body.stmts.iter().map(|s| match &s.kind {
        StmtKind::Let { value, expr, .. } => Some((*value, expr)),
        StmtKind::Check { .. } => None,
    });
    let (added, expr) = steps.next()??;
    let Expr::Binary(BinOp::Add, x, y) = expr else { return None };
    let both = [Atom::Var(*a), Atom::Var(*b)];
    if !both.contains(x) || !both.contains(y) || x == y {
        return None;
    }
    match steps.next() {
        None => (operator.body.result == Atom::Var(added)).then_some(Adding::Plain),
        Some(step) => {
            let (least, expr) = step?;
            let Expr::Binary(BinOp::Min, x, y) = expr else { return None };
            let limit = [*x, *y].into_iter().find_map(|a| a.constant()?.as_i64())?;
            let uses = [*x, *y].contains(&Atom::Var(added));
            let ends = steps.next().is_none() && operator.body.result == Atom::Var(least);
            // Two numbers up to the limit are added before the least is taken.
            (uses && ends && (0..=i64::MAX / 2).contains(&limit)).then_some(Adding::UpTo(limit))
        }
    }
}

/// A size of a parallel body as one of its result: `p0` for the counter, positions moved up by one.
fn lifted(size: &Size, counter: SymbolId) -> Size {
    size.substitute_all(&|var| match var.0 as usize {
        k if k + 1 < POSITIONS => Some(position(k + 1)),
        k if k == counter.index() => Some(position(0)),
        _ => None,
    })
}

/// Gives `see` the sizes at the places that two shapes share.
pub(super) fn pairs(a: &Shape, b: &Shape, see: &mut dyn FnMut(&Size, &Size)) {
    match (a, b) {
        (Shape::Integer(x), Shape::Integer(y)) => see(x, y),
        (Shape::Array(x, ex), Shape::Array(y, ey)) => {
            see(x, y);
            pairs(ex, ey, see);
        }
        (Shape::Tuple(xs), Shape::Tuple(ys)) => xs.iter().zip(ys).for_each(|(x, y)| pairs(x, y, see)),
        (Shape::Sum(xs), Shape::Sum(ys)) => {
            for (x, y) in xs.iter().zip(ys) {
                x.iter().zip(y).for_each(|(x, y)| pairs(x, y, see));
            }
        }
        _ => {}
    }
}

fn lengths(shape: &Shape) -> bool {
    match shape {
        Shape::Array(..) => true,
        Shape::Tuple(parts) => parts.iter().any(lengths),
        Shape::Sum(variants) => variants.iter().flatten().any(lengths),
        _ => false,
    }
}

/// The sides of a comparison as `(size, bound, whether it is an upper bound, whether strict)`.
fn sided(claim: &Claim) -> Vec<(&Size, &Size, bool, bool)> {
    match claim {
        Claim::Le(a, b) => vec![(a, b, true, false), (b, a, false, false)],
        Claim::Lt(a, b) => vec![(a, b, true, true), (b, a, false, true)],
        Claim::Eq(a, b) => vec![(a, b, true, false), (a, b, false, false)],
        Claim::Ne(..) => Vec::new(),
    }
}

/// The scalar type at a place.
pub(super) fn scalar_at(ty: &terrace_ir::core::Type, path: &[Step]) -> Option<terrace_base::ScalarType> {
    use terrace_ir::core::Type;
    match (ty, path.split_first()) {
        (Type::Scalar(s), None) => Some(*s),
        (Type::Tuple(types), Some((Step::Field(k), rest))) => scalar_at(types.get(*k)?, rest),
        (Type::Array(array), Some((Step::Element, rest))) => scalar_at(&array.elem, rest),
        (Type::Sum(variants), Some((Step::Variant(tag, k), rest))) => {
            scalar_at(variants.get(*tag)?.fields.get(*k)?, rest)
        }
        _ => None,
    }
}
