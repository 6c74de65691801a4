//! Branches: what both sides agree on is known, the rest gets a name with bounds.
//!
//! ```text
//! if c then xs else reverse(xs)      [len(xs)] on both sides: a branch that keeps a shape keeps it (002, Cond-shape)
//! if n == m then xs else ys          len(ys) on both sides, since len(xs) is len(ys) where the branch is taken
//! if c then 3 else n                 a new integer between min(3, n) and max(3, n), which depends on what c depends on
//! ```
//!
//! What a branch establishes ends with it. Which of two sizes was chosen, by what condition, is remembered: a proof may go by cases.

use super::deps::Deps;
use super::knowledge::LONGEST;
use super::symbols::{build, size_at};
use super::truth::Truth;
use super::walk::{Limits, Walk};
use terrace_algebra::{Atom as SizeAtom, Claim, Size};
use terrace_ir::core::{Body, Lambda};
use terrace_ir::shape::{POSITIONS, Shape, Step, as_symbol};
use terrace_ir::{Atom, ValueId};

/// Pieces of formulas are multiplied out: only short ones are worth it.
const MOST_TERMS: usize = 16;

/// What a branch gives, as far as it can be said outside.
struct Branch {
    shape: Shape,
    data: Deps,
    truth: Truth,
    /// The condition under which it runs.
    cond: Truth,
    /// A variant that cannot be.
    dead: bool,
    /// An integer that is at least zero, or at most the greatest length, shown with what is known inside.
    from_zero: bool,
    is_length: bool,
}

impl<'p> Walk<'p> {
    pub(super) fn branches(
        &mut self,
        value: ValueId,
        cond: Atom,
        then: &'p Body,
        otherwise: &'p Body,
    ) -> (Shape, Deps) {
        let truth = self.truth(cond);
        let deps = self.data(cond);
        let yes = self.branch(truth.clone(), then, |_| false);
        let no = self.branch(truth.negate(), otherwise, |_| false);
        let meant = match (&yes.truth, &no.truth) {
            (t, Truth::Known(false)) => truth.clone().and(t.clone()),
            (Truth::Known(true), t) => truth.clone().or(t.clone()),
            (t, Truth::Known(true)) => truth.negate().or(t.clone()),
            (Truth::Known(false), t) => truth.negate().and(t.clone()),
            _ => Truth::Unknown,
        };
        self.truths.insert(value, meant);
        self.merge(value, vec![yes, no], deps)
    }

    pub(super) fn matched(&mut self, value: ValueId, of: Atom, arms: &'p [Lambda]) -> (Shape, Deps) {
        let shape = self.shape(of);
        let deps = self.data(of);
        let fields = |tag: usize| match &shape {
            Shape::Sum(variants) => variants.get(tag).cloned().unwrap_or_default(),
            _ => Vec::new(),
        };
        let mut branches = Vec::new();
        for (tag, arm) in arms.iter().enumerate() {
            let fields = fields(tag);
            let span = self.function.span;
            let branch = self.branch(Truth::Unknown, &arm.body, |walk| {
                for (k, param) in arm.params.iter().enumerate() {
                    let shape = match fields.get(k) {
                        Some(shape) => shape.clone(),
                        None => walk.fresh(*param, walk.type_of(*param), deps),
                    };
                    walk.bind(*param, shape, deps, span);
                }
                // No value of this variant was ever made.
                fields.len() < arm.params.len()
            });
            branches.push(branch);
        }
        self.merge(value, branches, deps)
    }

    fn branch(&mut self, cond: Truth, body: &'p Body, enter: impl FnOnce(&mut Self) -> bool) -> Branch {
        let (branch, _) = self.inside(|walk| {
            let outer = std::mem::replace(&mut walk.dead, false);
            let never = enter(walk) || walk.known.proves(&cond.negate());
            walk.known.learn(&if never { Truth::Known(false) } else { cond.clone() });
            let (shape, data) = walk.sometimes(|walk| walk.body(body));
            let dead = never | std::mem::replace(&mut walk.dead, outer);
            let scope = walk.scope;
            let truth = walk.truth(body.result).keep(&|size| !walk.is_lost(size, scope));
            let shape = walk.known.resolve_shape(&shape);
            let from_zero = shape.integer().is_some_and(|size| walk.known.never_negative(size));
            let short = |size| walk.known.proves_claim(&Claim::Le(Size::clone(size), Size::big(LONGEST)));
            let is_length = from_zero && shape.integer().is_some_and(short);
            Branch { shape, data, truth, cond, dead, from_zero, is_length }
        });
        branch
    }

    /// The shape of what comes out of one of several branches.
    fn merge(&mut self, value: ValueId, branches: Vec<Branch>, cond: Deps) -> (Shape, Deps) {
        let data = branches.iter().map(|b| b.data).collect::<Deps>().and(cond);
        let live: Vec<&Branch> = branches.iter().filter(|b| !b.dead).collect();
        self.dead |= live.is_empty();
        let live = if live.is_empty() { branches.iter().collect() } else { live };
        let ty = self.type_of(value).clone();
        let mut choices = Vec::new();
        let mut shape = build(&ty, &mut Vec::new(), &mut |path, integer| {
            let there = live.iter().filter(|b| !in_empty(&b.shape, path));
            let sizes: Vec<(Size, &Truth)> =
                there.filter_map(|b| Some((size_at(&b.shape, path)?.clone(), &b.cond))).collect();
            if sizes.is_empty() {
                return self.own(value, path, integer, data);
            }
            if let Some(same) = self.agreed(&sizes) {
                return same;
            }
            if let Some(known) = self.chosen_before(&sizes).or_else(|| self.pieces(&sizes)) {
                return known;
            }
            let deps: Deps = sizes.iter().map(|(s, _)| self.symbols.deps(s)).collect::<Deps>().and(cond);
            let limits: Vec<Limits> = sizes.iter().map(|(s, _)| self.said_outside(s)).collect();
            let low = limits.iter().map(|l| l.low.clone()).collect::<Option<Vec<_>>>();
            let high = limits.iter().map(|l| l.high.clone()).collect::<Option<Vec<_>>>();
            let own = self.own(value, path, integer, deps);
            self.limit(&own, low.map(|l| Size::min_of(&l)), high.map(|h| Size::max_of(&h)));
            if live.iter().all(|b| b.from_zero) {
                self.known.assume(&Claim::Le(Size::zero(), own.clone()));
            }
            if live.iter().all(|b| b.is_length) {
                self.known.assume(&Claim::Le(own.clone(), Size::big(LONGEST)));
            }
            if let [(then, c), (otherwise, _)] = sizes.as_slice()
                && let Some((symbol, args)) = as_symbol(&own)
                && args.is_empty()
                && [then, otherwise]
                    .iter()
                    .all(|s| !self.symbols.is_inside(s, self.scope + 1, None) && !self.is_chosen(s))
            {
                choices.push((symbol, ((*c).clone(), then.clone(), otherwise.clone())));
            }
            own
        });
        self.chosen_here.extend(choices.iter().map(|(symbol, _)| *symbol));
        self.choices.extend(choices);
        mark_never_made(&mut shape, &live);
        (shape, data)
    }

    /// The name of the same choice between the same sizes made before: `m` of a matrix without rows is 0 wherever it is asked for.
    fn chosen_before(&self, sizes: &[(Size, &Truth)]) -> Option<Size> {
        let [(then, cond), (otherwise, _)] = sizes else { return None };
        if !cond.is_exact() {
            return None;
        }
        let same = |(c, t, o): &(Truth, Size, Size)| c == *cond && t == then && o == otherwise;
        let (symbol, _) = self.choices.iter().rev().take(64).find(|(_, choice)| same(choice))?;
        let size = super::symbols::applied(*symbol, Vec::new());
        (!self.symbols.is_inside(&size, self.scope + 1, None)).then_some(size)
    }

    /// Where a position decides, the size is a formula in pieces: `if i == 0 then 2 else 1`.
    fn pieces(&self, sizes: &[(Size, &Truth)]) -> Option<Size> {
        let [(then, Truth::Claim(cond)), (otherwise, _)] = sizes else { return None };
        let (a, b) = cond.sides();
        let at_counter =
            |s: &Size| s.vars().iter().any(|v| self.around.iter().any(|c| c.counter.index() == v.0 as usize));
        let outside = [then, otherwise, a, b].iter().all(|s| !self.symbols.is_inside(s, self.scope + 1, None));
        let small = then.terms().count() + otherwise.terms().count() <= MOST_TERMS;
        if !outside || !small || !(at_counter(a) || at_counter(b)) {
            return None;
        }
        let above = b + 1;
        Some(match cond {
            Claim::Lt(a, b) => Size::split(a, b, then, otherwise),
            Claim::Le(a, _) => Size::split(a, &above, then, otherwise),
            Claim::Eq(a, b) => self.at_point(a, b, then, otherwise),
            Claim::Ne(a, b) => self.at_point(a, b, otherwise, then),
        })
    }

    /// Whether a size mentions another choice: proofs by cases go one level deep.
    fn is_chosen(&self, size: &Size) -> bool {
        terrace_ir::shape::symbols_of(size).iter().any(|s| self.choices.contains_key(s))
    }

    /// `there` where `a` is `b`, else `elsewhere`.
    fn at_point(&self, a: &Size, b: &Size, there: &Size, elsewhere: &Size) -> Size {
        let up_to = Size::split(a, &(b + 1), there, elsewhere);
        if self.known.proves_claim(&Claim::Le(b.clone(), a.clone())) {
            return up_to;
        }
        Size::split(a, b, elsewhere, &up_to)
    }

    /// The size that all branches give, each under its own condition.
    fn agreed(&mut self, sizes: &[(Size, &Truth)]) -> Option<Size> {
        let outside = |walk: &Self, s: &Size| !walk.symbols.is_inside(s, walk.scope + 1, None);
        sizes
            .iter()
            .map(|(s, _)| s)
            .find(|s| {
                outside(self, s)
                    && sizes.iter().all(|(other, cond)| {
                        if *s == other {
                            return true;
                        }
                        if !outside(self, other) || names_a_place(s) {
                            return false;
                        }
                        let mark = self.known.mark();
                        self.known.assume_truth(cond);
                        let equal = self.equal(s, other);
                        self.known.release(mark);
                        equal
                    })
            })
            .cloned()
    }

    /// Bounds of a size inside a branch that can be said outside.
    fn said_outside(&mut self, size: &Size) -> Limits {
        if !self.symbols.is_inside(size, self.scope + 1, None) {
            return Limits { low: Some(size.clone()), high: Some(size.clone()) };
        }
        let known = as_symbol(size).and_then(|(s, _)| self.limits.get(&s).cloned()).unwrap_or_default();
        let outer = |bound: Option<Size>| bound.filter(|b| !self.symbols.is_inside(b, self.scope + 1, None));
        Limits { low: outer(known.low), high: outer(known.high) }
    }
}

/// Whether a size speaks of one element, which may not exist where another branch runs.
fn names_a_place(size: &Size) -> bool {
    size.atoms().into_iter().any(|atom| match atom {
        SizeAtom::Apply { args, .. } => args.iter().any(|a| a.as_var().is_none_or(|v| v.0 as usize >= POSITIONS)),
        _ => false,
    })
}

/// Whether a place lies below an array without elements.
fn in_empty(shape: &Shape, path: &[Step]) -> bool {
    let arrays = path.iter().enumerate().filter(|(_, step)| **step == Step::Element);
    arrays.into_iter().any(|(k, _)| size_at(shape, &path[..k]).is_some_and(Size::is_zero))
}

/// A variant that no branch makes is made by none of them.
fn mark_never_made(shape: &mut Shape, branches: &[&Branch]) {
    let Shape::Sum(variants) = shape else { return };
    for (tag, fields) in variants.iter_mut().enumerate() {
        let made = branches.iter().any(|b| match &b.shape {
            Shape::Sum(variants) => variants.get(tag).is_none_or(|f| f.len() == fields.len()),
            _ => true,
        });
        if !made {
            fields.clear();
        }
    }
}
