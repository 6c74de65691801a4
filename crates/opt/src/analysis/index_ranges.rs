//! Index ranges: for every integer of a kernel, an interval that is known when the kernel is launched.
//!
//! At a launch the scalar arguments and the number of tiles are numbers, so an interval need not be a formula in unknown sizes: it is a list
//! of steps ([`terrace_plan::ranges`]) that the executor computes with the arguments at hand. Here the steps are written down:
//!
//! ```text
//! let q = tile * 256 + thread                  q        [0, tiles - 1] * 256 + [0, 255]
//! let row = quotient(q, m)                     row      max(q, 0) / max(m, 1)
//! let x = off[row]                             x        any i64: nothing is known of what memory holds
//! for k = 0 .. m                               k        from 0 to m, where the loop has ended
//! ```
//!
//! A variable that is assigned in a loop is assumed to stay where it starts, together with the others of the same loop, and that what the loop
//! assigns lies there becomes a condition of the launch. A binary search passes (`mid` is between `lo` and `hi`), a sum does not:
//!
//! ```text
//! lo = 0; hi = n; while … { mid = (lo + hi) / 2; … lo = mid … hi = mid }       lo, hi and mid in [0, n], if [0, n] holds ([0, n] + [0, n]) / 2
//! s = 0; while … { s = s + 1 }                                                 [0, 1] is not in [0, 0]: s is any number of its type
//! ```
//!
//! What cancels in a difference does not count, so an index within a row is known by what was added to the start of the row:
//!
//! ```text
//! start = row * 9; q = start + k; i = q - row * 9                              i        where k is, however large q may be
//! ```
//!
//! Whether a condition is worth having is asked of typical sizes, a grid of 2^28 points: an index that does not fit then (a hash, a product of three sizes)
//! is left alone, since one condition that fails makes the whole launch wide.
//!
//! Declined: what a condition around a use says about it, and elements of buffers.
//!
//! P. Cousot and R. Cousot, "Static determination of dynamic properties of programs", 1976, with the widening replaced by a guess and a proof.

use super::components::components;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{ArrayId, Expr, Kernel, LocalId, ParamKind, Stmt};
use terrace_plan::ranges::{INDEX_LIMIT, Interval, Ranges, Step, binary};

const I64: ScalarType = ScalarType::I64;

/// What scalar arguments are when conditions are tried: two of them make a grid of 2^28 points.
const TYPICAL: i64 = 1 << 14;
/// The positions that they are tried with, where a tile has a known number of them.
const TYPICAL_POSITION: i64 = 1 << 28;
/// The numbers of tiles elsewhere.
const TYPICAL_TILE: i64 = 1 << 12;
/// Shifts by an unknown amount are tried with amounts up to this.
const TYPICAL_SHIFT: i64 = 10;

/// How far sums are followed through variables, and how many terms they may have.
const MOST_NESTED: usize = 16;
const MOST_TERMS: usize = 16;

/// What can be assigned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Local(LocalId),
    Array(ArrayId),
}

/// What is assigned.
#[derive(Clone, Copy)]
enum Source<'k> {
    Expr(&'k Expr),
    Counter(&'k Expr, &'k Expr, &'k Expr),
    Anything,
}

impl<'k> Source<'k> {
    fn exprs(self) -> Vec<&'k Expr> {
        match self {
            Source::Expr(e) => vec![e],
            Source::Counter(from, to, step) => vec![from, to, step],
            Source::Anything => Vec::new(),
        }
    }
}

/// The intervals of a kernel.
pub struct IndexRanges<'k> {
    kernel: &'k Kernel,
    ranges: Ranges,
    /// The intervals at typical sizes.
    typical: Vec<Interval>,
    places: BTreeMap<Step, usize>,
    sources: BTreeMap<Place, Vec<Source<'k>>>,
    known: BTreeMap<Place, usize>,
}

impl<'k> IndexRanges<'k> {
    /// Of all variables of a kernel.
    pub fn of(kernel: &'k Kernel) -> IndexRanges<'k> {
        let mut sources = BTreeMap::new();
        kernel.phases.iter().for_each(|phase| collect(phase, &mut sources));
        let mut all = IndexRanges {
            kernel,
            ranges: Ranges::default(),
            typical: Vec::new(),
            places: BTreeMap::new(),
            sources,
            known: BTreeMap::new(),
        };
        let reads = |sources: &Vec<Source<'k>>| sources.iter().flat_map(|s| s.exprs()).flat_map(mentions).collect();
        let reads = all.sources.iter().map(|(place, sources)| (*place, reads(sources))).collect();
        for component in components(&reads) {
            all.solve(&component);
        }
        all
    }

    /// The step that holds the values of an expression.
    pub fn range(&mut self, e: &Expr) -> usize {
        let ty = self.kernel.type_of(e);
        if !(ty.is_int() || ty == ScalarType::Bool) || ty == ScalarType::U64 {
            return self.any(I64);
        }
        match e {
            Expr::Const(c) => match c.as_i64() {
                Some(n) => self.step(Step::Between(n, n)),
                None => self.any(ty),
            },
            Expr::Local(l) => self.place(Place::Local(*l), ty),
            Expr::Element(a, _) => self.place(Place::Array(*a), ty),
            Expr::Param(p) if matches!(self.kernel.params[*p].kind, ParamKind::Scalar(_)) => {
                self.step(Step::Param(p.index()))
            }
            Expr::Tile => self.step(Step::Tile),
            Expr::Thread => self.step(Step::Between(0, i64::from(self.kernel.block) - 1)),
            Expr::Unary(UnOp::Neg, x) => self.minus(ty, 0, x),
            Expr::Unary(UnOp::Not, x) if ty.is_signed() => self.minus(ty, -1, x),
            Expr::Unary(UnOp::Abs, x) => {
                let (x, negated) = (self.range(x), self.minus(ty, 0, x));
                self.step(Step::Binary(BinOp::Max, ty, x, negated))
            }
            Expr::Binary(BinOp::Sub, ..) if ty == I64 && self.without_cancelled(e).is_some() => {
                let rest = self.without_cancelled(e).unwrap_or_default();
                rest.iter().fold(self.step(Step::Between(0, 0)), |sum, (op, e)| {
                    let e = self.range(e);
                    self.step(Step::Binary(*op, I64, sum, e))
                })
            }
            Expr::Binary(op, a, b) if !op.is_comparison() && ty.is_int() => {
                let (a, b) = (self.range(a), self.range(b));
                self.step(Step::Binary(*op, ty, a, b))
            }
            Expr::Exact(op, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                self.step(Step::Binary(*op, ty, a, b))
            }
            Expr::Quotient(a, b) => {
                let (a, b) = (self.at_least(0, ty, a), self.at_least(1, ty, b));
                self.step(Step::Binary(BinOp::Div, ty, a, b))
            }
            Expr::Convert(to, x) if to.is_int() => {
                let from = self.kernel.type_of(x);
                if from.is_float() || from == ScalarType::U64 {
                    return self.any(ty);
                }
                let x = self.range(x);
                self.step(Step::Fit(*to, x))
            }
            Expr::Select(_, x, y) => {
                let (x, y) = (self.range(x), self.range(y));
                self.step(Step::Either(x, y))
            }
            Expr::Shuffle(_, x, _) => self.range(x),
            _ => self.any(ty),
        }
    }

    /// The step of an `i64` expression that fits in 32 bits at typical sizes.
    pub fn may_be_small(&mut self, e: &Expr) -> Option<usize> {
        if self.kernel.type_of(e) != I64 {
            return None;
        }
        let step = self.range(e);
        self.typical[step].is_small(INDEX_LIMIT).then_some(step)
    }

    /// Whether a variable gets all its values from expressions that may be small, and the step of all of them.
    pub fn small_local(&mut self, local: LocalId) -> Option<usize> {
        let sources = self.sources.get(&Place::Local(local))?.clone();
        for source in sources {
            match source {
                Source::Expr(_) => {}
                Source::Counter(from, to, step) => {
                    for e in [from, to, step] {
                        self.may_be_small(e)?;
                    }
                }
                Source::Anything => return None,
            }
        }
        self.may_be_small(&Expr::Local(local))
    }

    /// Makes it a condition that a shift is by less than 32.
    pub fn shift_is_short(&mut self, by: usize) {
        let short = self.step(Step::Between(0, 31));
        self.contain(by, short);
    }

    /// The conditions: that these steps are small, and what was assumed.
    pub fn conditions(mut self, small: &BTreeSet<usize>) -> Ranges {
        let constant = |step: &usize| matches!(self.ranges.steps[*step], Step::Between(..));
        self.ranges.small = small.iter().filter(|s| !constant(s)).copied().collect();
        used_only(&self.ranges)
    }

    /// The terms of a sum that are left when some cancel; none where nothing does. Sums wrap, so the rest is the same number.
    fn without_cancelled(&self, e: &Expr) -> Option<Vec<(BinOp, Expr)>> {
        let mut terms = Vec::new();
        self.terms(e, BinOp::Add, MOST_NESTED, &mut terms);
        let before = terms.len();
        let mut rest: Vec<(BinOp, Expr)> = Vec::new();
        for (op, term) in terms {
            match rest.iter().position(|(other, e)| *other != op && *e == term && self.stays(&term)) {
                Some(at) => drop(rest.remove(at)),
                None => rest.push((op, term)),
            }
        }
        (rest.len() < before).then_some(rest)
    }

    fn terms(&self, e: &Expr, op: BinOp, depth: usize, to: &mut Vec<(BinOp, Expr)>) {
        let against = if op == BinOp::Add { BinOp::Sub } else { BinOp::Add };
        let depth = if to.len() < MOST_TERMS { depth } else { 0 };
        match (e, self.only_value(e)) {
            (Expr::Binary(BinOp::Add, a, b), _) if depth > 0 => {
                self.terms(a, op, depth - 1, to);
                self.terms(b, op, depth - 1, to);
            }
            (Expr::Binary(BinOp::Sub, a, b), _) if depth > 0 => {
                self.terms(a, op, depth - 1, to);
                self.terms(b, against, depth - 1, to);
            }
            (Expr::Local(_), Some(value)) if depth > 0 => self.terms(value, op, depth - 1, to),
            _ => to.push((op, e.clone())),
        }
    }

    /// What a variable that is assigned once is assigned, if that is still what it was.
    fn only_value(&self, e: &Expr) -> Option<&'k Expr> {
        let Expr::Local(l) = e else { return None };
        match self.sources.get(&Place::Local(*l))?.as_slice() {
            [Source::Expr(value)] if self.stays(value) => Some(value),
            _ => None,
        }
    }

    /// Whether an expression has one value wherever it can be written: all it reads is assigned once, and nothing is from memory.
    fn stays(&self, e: &Expr) -> bool {
        let once = match e {
            Expr::Local(l) => self.sources.get(&Place::Local(*l)).is_some_and(|s| s.len() == 1),
            Expr::Load(..) | Expr::LoadFresh(..) | Expr::Element(..) | Expr::Shuffle(..) | Expr::Failed => false,
            _ => true,
        };
        once && e.children().into_iter().all(|c| self.stays(c))
    }

    fn place(&mut self, place: Place, ty: ScalarType) -> usize {
        match self.known.get(&place) {
            Some(step) => *step,
            None => self.any(ty),
        }
    }

    fn any(&mut self, ty: ScalarType) -> usize {
        let all = Interval::of(ty);
        match (i64::try_from(all.least), i64::try_from(all.most)) {
            (Ok(least), Ok(most)) => self.step(Step::Between(least, most)),
            _ => self.step(Step::Between(i64::MIN, i64::MAX)),
        }
    }

    fn minus(&mut self, ty: ScalarType, from: i64, x: &Expr) -> usize {
        let (from, x) = (self.step(Step::Between(from, from)), self.range(x));
        self.step(Step::Binary(BinOp::Sub, ty, from, x))
    }

    fn at_least(&mut self, least: i64, ty: ScalarType, x: &Expr) -> usize {
        let (x, least) = (self.range(x), self.step(Step::Between(least, least)));
        self.step(Step::Binary(BinOp::Max, ty, x, least))
    }

    fn source(&mut self, source: Source<'_>, ty: ScalarType) -> usize {
        match source {
            Source::Expr(e) => self.range(e),
            // When the loop has ended, the counter is up to a step further.
            Source::Counter(from, to, step) => {
                let (from, to, step) = (self.range(from), self.range(to), self.range(step));
                let one = self.step(Step::Between(1, 1));
                let last = self.step(Step::Binary(BinOp::Sub, ty, to, one));
                let end = self.step(Step::Binary(BinOp::Add, ty, last, step));
                let end = self.step(Step::Binary(BinOp::Max, ty, from, end));
                self.step(Step::Either(from, end))
            }
            Source::Anything => self.any(ty),
        }
    }

    fn step(&mut self, step: Step) -> usize {
        if let Some(place) = self.places.get(&step) {
            return *place;
        }
        let constant = |s: &usize| match self.ranges.steps[*s] {
            Step::Between(least, most) => Some(Interval::between(least, most)),
            _ => None,
        };
        let folded = match &step {
            Step::Binary(op, ty, a, b) => constant(a).zip(constant(b)).map(|(a, b)| binary(*op, *ty, a, b)),
            Step::Either(a, b) if a == b => return *a,
            Step::Either(a, b) => constant(a).zip(constant(b)).map(|(a, b)| a.or(b)),
            Step::Fit(ty, a) => constant(a).map(|a| a.fit(*ty)),
            _ => None,
        };
        if let Some(Interval { least, most }) = folded
            && let (Ok(least), Ok(most)) = (i64::try_from(least), i64::try_from(most))
        {
            return self.step(Step::Between(least, most));
        }
        let typical = self.typically(&step);
        self.typical.push(typical);
        self.ranges.steps.push(step.clone());
        self.places.insert(step, self.typical.len() - 1);
        self.typical.len() - 1
    }

    fn typically(&self, step: &Step) -> Interval {
        // So many points as a tile has: a constant, or what the host has found best.
        if let Step::Binary(BinOp::Mul, ty, a, b) = step
            && [a, b].into_iter().any(|s| self.ranges.steps[*s] == Step::Tile)
        {
            let computed = binary(BinOp::Mul, *ty, self.typical[*a], self.typical[*b]);
            let constant = [a, b].into_iter().any(|s| matches!(self.ranges.steps[*s], Step::Between(..)));
            let positions = Interval::between(0, TYPICAL_POSITION);
            return if constant || !computed.is_in(positions) { positions } else { computed };
        }
        if let Step::Binary(op @ (BinOp::Shl | BinOp::Shr), ty, a, by) = step {
            let by = self.typical[*by];
            let short = Interval::between(0, TYPICAL_SHIFT);
            let by = if by.is_in(Interval::between(0, 63)) { by } else { short };
            return binary(*op, *ty, self.typical[*a], by);
        }
        let scalar = |_| Some(Interval::exactly(TYPICAL));
        step.interval(&self.typical, Interval::between(0, TYPICAL_TILE), &scalar)
    }

    fn contain(&mut self, inner: usize, outer: usize) {
        let pair = (inner, outer);
        if inner != outer && !self.ranges.within.contains(&pair) {
            self.ranges.within.push(pair);
        }
    }

    fn type_of(&self, place: Place) -> ScalarType {
        match place {
            Place::Local(l) => self.kernel.locals[l].ty,
            Place::Array(a) => self.kernel.arrays[a].elem,
        }
    }

    /// The intervals of variables that depend on each other; all that they depend on beside is known.
    fn solve(&mut self, component: &[Place]) {
        let members: BTreeSet<Place> = component.iter().copied().collect();
        let is_inside =
            |s: &Source<'_>| s.exprs().into_iter().any(|e| mentions(e).into_iter().any(|p| members.contains(&p)));
        let all = |places: &[Place], sources: &BTreeMap<Place, Vec<Source<'k>>>| -> Vec<(Place, Source<'k>)> {
            places.iter().flat_map(|p| sources[p].iter().map(move |s| (*p, *s))).collect()
        };
        let (inner, outer): (Vec<_>, Vec<_>) =
            all(component, &self.sources).into_iter().partition(|(_, s)| is_inside(s));
        if inner.is_empty() {
            self.join(&outer);
            return;
        }
        // Where the variables of a type start.
        let mut starts: BTreeMap<ScalarType, usize> = BTreeMap::new();
        for (place, source) in &outer {
            let ty = self.type_of(*place);
            let step = self.source(*source, ty);
            let joined = match starts.get(&ty) {
                Some(other) => self.step(Step::Either(*other, step)),
                None => step,
            };
            starts.insert(ty, joined);
        }
        let carriers: BTreeSet<Place> = outer.iter().map(|(p, _)| *p).collect();
        let mut trusted: BTreeSet<Place> = carriers.clone();
        loop {
            for place in component {
                self.known.remove(place);
            }
            for place in &carriers {
                let ty = self.type_of(*place);
                let step = if trusted.contains(place) { starts[&ty] } else { self.any(ty) };
                self.known.insert(*place, step);
            }
            self.derive(component, &inner);
            let before = trusted.len();
            let mut wanted = Vec::new();
            for (place, source) in &inner {
                let Some(assumed) = self.known.get(place).copied().filter(|_| trusted.contains(place)) else {
                    continue;
                };
                let assigned = self.source(*source, self.type_of(*place));
                if self.typical[assigned].is_in(self.typical[assumed]) && self.typical[assumed].is_small(INDEX_LIMIT) {
                    wanted.push((assigned, assumed));
                } else {
                    trusted.remove(place);
                }
            }
            if trusted.len() == before {
                wanted.into_iter().for_each(|(assigned, assumed)| self.contain(assigned, assumed));
                return;
            }
        }
    }

    /// The variables of a component that get nothing from outside, from those that do.
    fn derive(&mut self, component: &[Place], inner: &[(Place, Source<'k>)]) {
        let mut left: Vec<Place> = component.iter().copied().filter(|p| !self.known.contains_key(p)).collect();
        loop {
            let before = left.len();
            left.retain(|place| {
                let own: Vec<_> = inner.iter().filter(|(p, _)| p == place).copied().collect();
                let waits = |e: &Expr| mentions(e).iter().any(|p| component.contains(p) && !self.known.contains_key(p));
                if own.iter().any(|(_, s)| s.exprs().into_iter().any(waits)) {
                    return true;
                }
                self.join(&own);
                false
            });
            if left.is_empty() || left.len() == before {
                break;
            }
        }
        for place in left {
            let step = self.any(self.type_of(place));
            self.known.insert(place, step);
        }
    }

    fn join(&mut self, assigned: &[(Place, Source<'k>)]) {
        for (place, source) in assigned {
            let step = self.source(*source, self.type_of(*place));
            let step = match self.known.get(place).copied() {
                Some(other) => self.step(Step::Either(other, step)),
                None => step,
            };
            self.known.insert(*place, step);
        }
    }
}

/// The places that an expression reads.
fn mentions(e: &Expr) -> Vec<Place> {
    let mut found: Vec<Place> = e.children().into_iter().flat_map(mentions).collect();
    match e {
        Expr::Local(l) => found.push(Place::Local(*l)),
        Expr::Element(a, _) => found.push(Place::Array(*a)),
        _ => {}
    }
    found
}

fn collect<'k>(stmts: &'k [Stmt], sources: &mut BTreeMap<Place, Vec<Source<'k>>>) {
    for stmt in stmts {
        let mut add = |place, source| sources.entry(place).or_default().push(source);
        match stmt {
            Stmt::Let(l, e) | Stmt::Assign(l, e) => add(Place::Local(*l), Source::Expr(e)),
            Stmt::For { var, from, to, step, .. } => add(Place::Local(*var), Source::Counter(from, to, step)),
            Stmt::SetElement(a, _, e) => add(Place::Array(*a), Source::Expr(e)),
            Stmt::LoadWide { array, .. } | Stmt::AtomicElement { array, .. } => {
                add(Place::Array(*array), Source::Anything);
            }
            Stmt::StoreKept { into, .. } => add(Place::Local(*into), Source::Anything),
            Stmt::AtomicAdd { into, .. } | Stmt::Earlier { into, .. } | Stmt::Await { into, .. } => {
                add(Place::Local(*into), Source::Anything);
            }
            Stmt::Rank { into, counts, marks, .. } => {
                add(Place::Local(*into), Source::Anything);
                add(Place::Array(*counts), Source::Anything);
                add(Place::Array(*marks), Source::Anything);
            }
            Stmt::Receive { value, flag, .. } => {
                add(Place::Local(*value), Source::Anything);
                add(Place::Local(*flag), Source::Anything);
            }
            Stmt::Store(..)
            | Stmt::StoreCell(..)
            | Stmt::StoreRun { .. }
            | Stmt::StoreWide { .. }
            | Stmt::If(..)
            | Stmt::While(..)
            | Stmt::Barrier
            | Stmt::Check { .. }
            | Stmt::Atomic { .. }
            | Stmt::Announce { .. }
            | Stmt::Publish { .. }
            | Stmt::Send { .. } => {}
            // Only on a CPU, whose kernels have no twins.
            Stmt::Run { .. } | Stmt::Take { .. } => {}
        }
        stmt.bodies().into_iter().for_each(|body| collect(body, sources));
    }
}

/// Only the steps that conditions need, in their order.
fn used_only(ranges: &Ranges) -> Ranges {
    let mut used = vec![false; ranges.steps.len()];
    ranges.small.iter().chain(ranges.within.iter().flat_map(|(a, b)| [a, b])).for_each(|s| used[*s] = true);
    for (at, step) in ranges.steps.iter().enumerate().rev() {
        match step {
            Step::Binary(_, _, a, b) | Step::Either(a, b) if used[at] => {
                used[*a] = true;
                used[*b] = true;
            }
            Step::Fit(_, a) if used[at] => used[*a] = true,
            _ => {}
        }
    }
    let mut new = vec![0; used.len()];
    let mut steps = Vec::new();
    for (at, step) in ranges.steps.iter().enumerate().filter(|(at, _)| used[*at]) {
        new[at] = steps.len();
        steps.push(match step {
            Step::Binary(op, ty, a, b) => Step::Binary(*op, *ty, new[*a], new[*b]),
            Step::Either(a, b) => Step::Either(new[*a], new[*b]),
            Step::Fit(ty, a) => Step::Fit(*ty, new[*a]),
            step => step.clone(),
        });
    }
    Ranges {
        steps,
        small: ranges.small.iter().map(|s| new[*s]).collect(),
        within: ranges.within.iter().map(|(a, b)| (new[*a], new[*b])).collect(),
    }
}
