//! Loops: what stays the same, what grows evenly, and what is only bounded.
//!
//! At first every size in the state is taken to stay what it was at the start. The body is walked, and every size that comes out
//! different gets a name of its own: from then on nothing is assumed of it. This is repeated until nothing changes (002 does it once, which is
//! wrong for `(a, b, c) -> (b, c, a)`: each of the three must be given up in turn). At the end only true assumptions are left:
//!
//! ```text
//! loop xs = row while … do bubble(xs)        keeps its length, however often it runs
//! loop (i, s) = (0, 1) for k < n do (i + 2, s * 3)       i is 2*k, s is just s
//! loop (lo, hi) = (0, n) while lo < hi do …              0 <= lo, hi <= n are kept by every step
//! ```
//!
//! The last line: bounds that hold at the start are tried as invariants, all at once, and those that a step does not keep are dropped. Rounds are
//! bounded; after the last one everything that may change has a name and no bounds. What was given up is remembered per loop, so that walking an
//! outer loop again does not start over.

use super::arrays::settled;
use super::deps::Deps;
use super::symbols::{at_place, build, size_at, symbol_at};
use super::truth::Truth;
use super::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Claim, Size};
use terrace_base::{ScalarType, Span};
use terrace_ir::core::{Body, Expr, LoopForm, StmtKind, Type};
use terrace_ir::shape::{POSITIONS, Shape, Step, SymbolId, as_symbol};
use terrace_ir::{Atom, ValueId};

const ROUNDS: usize = 6;
const DEEP: usize = 6;
const MOST_INVARIANTS: usize = 24;

type Place = (Vec<Step>, bool);

/// What earlier rounds found out about a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopMemory {
    /// Places whose size has a name of its own, and what it may depend on.
    named: BTreeMap<Place, Deps>,
    /// Lengths of rows that may differ from row to row; those of the other named places are as long as the first row.
    uneven: BTreeSet<Place>,
    /// Places whose size grows by the same in every step.
    growing: BTreeMap<Place, Size>,
    not_growing: BTreeSet<Place>,
    /// Invariants that did not hold.
    dropped: BTreeSet<Claim>,
    /// Invariants that the last round showed to be kept.
    verified: BTreeSet<Claim>,
    data: Deps,
    /// Whether invariants are no longer tried.
    hopeless: bool,
    seen: bool,
}

/// What one round over a loop's body found.
struct Round {
    changed: bool,
    cond: Truth,
    cond_deps: Deps,
}

impl<'p> Walk<'p> {
    pub(super) fn repeated(
        &mut self,
        value: ValueId,
        state: ValueId,
        init: Atom,
        form: &'p LoopForm,
        body: &'p Body,
        span: Span,
    ) -> (Shape, Deps) {
        let start = self.shape(init);
        let mut memory = self.loops.remove(&state).unwrap_or_default();
        if !memory.seen {
            memory.seen = true;
            memory.data = self.data_or_size(init);
            self.name_what_moves(state, body, &start, &mut memory);
        }
        memory.data = memory.data.and(self.data_or_size(init));
        let count = match form {
            LoopForm::For { count, .. } => Some(self.integer(*count)),
            LoopForm::While(_) => None,
        };
        self.loop_depth += 1;
        let rounds = if self.loop_depth > DEEP { 2 } else { ROUNDS };
        let mut done = None;
        for round in 0..rounds {
            if round + 1 == rounds {
                self.give_up(state, &mut memory);
            }
            let found = self.round(state, &start, form, count.as_ref(), body, span, &mut memory);
            let changed = found.changed;
            done = Some(found);
            if !changed {
                break;
            }
        }
        self.loop_depth -= 1;
        let found = done.expect("at least one round");
        let result = self.after(value, state, &start, count.as_ref(), &found, &memory);
        self.loops.insert(state, memory);
        result
    }

    /// Integers of the state that the body computes anew are named at once: a round that finds it out would be lost.
    fn name_what_moves(&mut self, state: ValueId, body: &Body, start: &Shape, memory: &mut LoopMemory) {
        let defined = |atom: &Atom| {
            body.stmts.iter().find_map(|s| match &s.kind {
                StmtKind::Let { value, expr, .. } if Some(*value) == atom.var() => Some(expr),
                _ => None,
            })
        };
        let same = |atom: &Atom, path: &[Step]| match (defined(atom), path) {
            (Some(Expr::Project(of, k)), [Step::Field(f)]) => *of == Atom::Var(state) && k == f,
            _ => *atom == Atom::Var(state),
        };
        let deps = memory.data;
        match (start, defined(&body.result)) {
            (Shape::Integer(_), _) if body.result != Atom::Var(state) => {
                memory.named.insert((Vec::new(), true), deps);
            }
            (Shape::Tuple(parts), Some(Expr::Tuple(atoms))) => {
                for (k, (part, atom)) in parts.iter().zip(atoms).enumerate() {
                    let path = vec![Step::Field(k)];
                    if let Shape::Integer(size) = part
                        && !same(atom, &path)
                    {
                        let deps = self.symbols.deps(size);
                        memory.named.insert((path, true), deps);
                    }
                }
            }
            _ => {}
        }
    }

    /// The last round: everything that could still change is named, nothing is assumed to be invariant.
    fn give_up(&mut self, state: ValueId, memory: &mut LoopMemory) {
        let ty = self.type_of(state).clone();
        memory.growing.clear();
        // Dependences may still be on their way around the loop.
        let deps = Deps::everything();
        memory.data = deps;
        super::symbols::places(&ty, &mut Vec::new(), &mut |path, integer| {
            memory.named.insert((path.to_vec(), integer.is_some()), deps);
            memory.not_growing.insert((path.to_vec(), integer.is_some()));
            memory.uneven.insert((path.to_vec(), integer.is_some()));
        });
        memory.hopeless = true;
    }

    fn state_shape(&mut self, state: ValueId, start: &Shape, index: Option<&Size>, memory: &LoopMemory) -> Shape {
        let ty = self.type_of(state).clone();
        build(&ty, &mut Vec::new(), &mut |path, integer| {
            let place = (path.to_vec(), integer.is_some());
            let first = size_at(start, path).cloned();
            if let (Some(step), Some(first), Some(index)) = (memory.growing.get(&place), &first, index) {
                return first + step * index;
            }
            match (memory.named.get(&place), first) {
                (None, Some(first)) => first,
                (deps, first) => {
                    let even = is_even(&place, first.as_ref(), memory);
                    let own = self.own(state, path, integer, deps.copied().unwrap_or(memory.data));
                    if even { at_first_row(&own) } else { own }
                }
            }
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn round(
        &mut self,
        state: ValueId,
        start: &Shape,
        form: &'p LoopForm,
        count: Option<&Size>,
        body: &'p Body,
        span: Span,
        memory: &mut LoopMemory,
    ) -> Round {
        let dead = self.dead;
        let (found, _) = self.inside(|walk| {
            walk.sometimes(|walk| {
                let index = match form {
                    LoopForm::For { index, .. } => {
                        let at = walk.own(*index, &[], Some(ScalarType::I64), Deps::NONE);
                        walk.known.assume(&Claim::Le(Size::zero(), at.clone()));
                        walk.known.assume(&Claim::Lt(at.clone(), count.cloned().unwrap_or_else(Size::zero)));
                        walk.bind(*index, Shape::Integer(at.clone()), Deps::NONE, span);
                        Some(at)
                    }
                    LoopForm::While(_) => None,
                };
                let shape = walk.state_shape(state, start, index.as_ref(), memory);
                walk.bind(state, shape.clone(), memory.data, span);
                let (cond, cond_deps) = match form {
                    LoopForm::While(cond) => {
                        let (_, deps) = walk.body(cond);
                        (walk.truth(cond.result), deps)
                    }
                    LoopForm::For { .. } => (Truth::Unknown, Deps::NONE),
                };
                let invariants = walk.candidates(state, start, memory, &cond, walk.scope);
                memory.verified.clear();
                invariants.iter().for_each(|claim| walk.known.assume(claim));
                walk.known.learn(&cond);
                let (next, data) = walk.body(body);
                let next = walk.known.resolve_shape(&next);
                let mut changed = walk.compare(state, start, &shape, &next, index.as_ref(), memory);
                for claim in invariants {
                    if walk.kept(state, &claim, &next) {
                        memory.verified.insert(claim);
                    } else {
                        memory.dropped.insert(claim);
                        changed = true;
                    }
                }
                if !memory.data.covers(data) {
                    memory.data = memory.data.and(data);
                    changed = true;
                }
                let scope = walk.scope;
                let said = |walk: &Walk, size: &Size| {
                    terrace_ir::shape::symbols_of(size).iter().all(|s| {
                        walk.belongs(*s, state)
                            || !walk.symbols.is_inside(&super::symbols::applied(*s, Vec::new()), scope, None)
                    })
                };
                let cond = cond.keep(&|size| said(walk, size));
                Round { changed, cond, cond_deps }
            })
        });
        // The body may not run at all.
        self.dead = dead;
        found
    }

    fn belongs(&self, symbol: SymbolId, value: ValueId) -> bool {
        use terrace_ir::shape::Symbol;
        matches!(&self.symbols.table[symbol], Symbol::Length(v, _) | Symbol::Integer(v, _) if *v == value)
    }

    /// Compares the state after a step with the state before it; names what changed.
    fn compare(
        &mut self,
        state: ValueId,
        start: &Shape,
        before: &Shape,
        next: &Shape,
        index: Option<&Size>,
        memory: &mut LoopMemory,
    ) -> bool {
        let ty = self.type_of(state).clone();
        let mut places = Vec::new();
        super::symbols::places(&ty, &mut Vec::new(), &mut |path, integer| {
            places.push((path.to_vec(), integer.is_some()))
        });
        let mut changed = false;
        for place in places {
            let path = &place.0;
            let (Some(old), Some(new)) = (size_at(before, path).cloned(), size_at(next, path).cloned()) else {
                continue;
            };
            let deps = self.symbols.deps(&new);
            if let Some(known) = memory.named.get_mut(&place) {
                if !known.covers(deps) {
                    *known = known.and(deps);
                    changed = true;
                }
                if is_even(&place, size_at(start, path), memory) && !settled(&new) {
                    memory.uneven.insert(place.clone());
                    changed = true;
                }
                let step = &new - &old;
                let even = index.is_some() && !memory.not_growing.contains(&place) && size_at(start, path).is_some();
                if even && !memory.growing.contains_key(&place) {
                    if self.symbols.is_inside(&step, self.scope, None) {
                        memory.not_growing.insert(place);
                    } else {
                        memory.growing.insert(place, step);
                        changed = true;
                    }
                } else if let Some(by) = memory.growing.get(&place).cloned()
                    && !self.known.equal(&step, &by)
                {
                    memory.growing.remove(&place);
                    memory.not_growing.insert(place);
                    changed = true;
                }
                continue;
            }
            if !self.equal(&old, &new) {
                let first = size_at(start, path).map(|s| self.symbols.deps(s)).unwrap_or(Deps::NONE);
                memory.named.insert(place, deps.and(first));
                changed = true;
            }
        }
        changed
    }

    /// Bounds of named sizes that hold at the start and may be kept by every step.
    fn candidates(
        &mut self,
        state: ValueId,
        start: &Shape,
        memory: &LoopMemory,
        cond: &Truth,
        inner: usize,
    ) -> Vec<Claim> {
        if memory.hopeless {
            return Vec::new();
        }
        let mut sizes: Vec<(Size, Size, bool)> = Vec::new();
        for (path, integer) in memory.named.keys() {
            let place = (path.clone(), *integer);
            let symbol = self.symbols.find(&symbol_at(state, path, *integer));
            if let (Some(symbol), Some(first)) = (symbol, size_at(start, path))
                && !path.contains(&Step::Element)
                && !memory.growing.contains_key(&place)
            {
                sizes.push((at_place(symbol, path), first.clone(), *integer));
            }
        }
        let mut claims = Vec::new();
        for (now, first, integer) in &sizes {
            claims.push(Claim::Le(first.clone(), now.clone()));
            claims.push(Claim::Le(now.clone(), first.clone()));
            if *integer && !first.is_zero() && self.known.never_negative(first) {
                claims.push(Claim::Le(Size::zero(), now.clone()));
            }
        }
        let mut guards = Vec::new();
        guards_of(cond, &mut guards);
        let outside = |size: &Size| !self.symbols.is_inside(size, inner, None);
        for (now, first, _) in &sizes {
            for (small, large) in &guards {
                if small == now && outside(large) && self.known.proves_claim(&Claim::Le(first.clone(), large.clone())) {
                    claims.push(Claim::Le(now.clone(), large.clone()));
                }
                if large == now && outside(small) && self.known.proves_claim(&Claim::Le(small.clone(), first.clone())) {
                    claims.push(Claim::Le(small.clone(), now.clone()));
                }
            }
            for (other, other_first, _) in &sizes {
                if now != other && self.known.proves_claim(&Claim::Le(first.clone(), other_first.clone())) {
                    claims.push(Claim::Le(now.clone(), other.clone()));
                }
            }
        }
        claims.retain(|c| !memory.dropped.contains(c));
        claims.truncate(MOST_INVARIANTS);
        claims
    }

    /// Whether a claim about the state holds of the next state too.
    fn kept(&mut self, state: ValueId, claim: &Claim, next: &Shape) -> bool {
        let claim = claim.map(&|size| self.renamed(size, state, next));
        self.known.proves_claim(&claim)
    }

    /// A size with the symbols of a value replaced by the sizes at the same places of a shape.
    fn renamed(&self, size: &Size, value: ValueId, shape: &Shape) -> Size {
        use terrace_ir::shape::Symbol;
        let place = |n: u32| match self.symbols.table.get(SymbolId::new(n as usize)) {
            Some(Symbol::Length(v, path) | Symbol::Integer(v, path)) if *v == value => size_at(shape, path).cloned(),
            _ => None,
        };
        size.substitute_all(&|var| if (var.0 as usize) < POSITIONS { None } else { place(var.0) })
    }

    /// What is known when the loop has ended.
    fn after(
        &mut self,
        value: ValueId,
        state: ValueId,
        start: &Shape,
        count: Option<&Size>,
        found: &Round,
        memory: &LoopMemory,
    ) -> (Shape, Deps) {
        let ending = match count {
            Some(count) => self.symbols.deps(count),
            None => found.cond_deps,
        };
        let mut invariants = self.candidates(state, start, memory, &found.cond, self.scope + 1);
        invariants.retain(|claim| memory.verified.contains(claim));
        let times = count
            .map(|c| if self.known.never_negative(c) { c.clone() } else { Size::max_of(&[Size::zero(), c.clone()]) });
        let ty: Type = self.type_of(value).clone();
        let shape = build(&ty, &mut Vec::new(), &mut |path, integer| {
            let place = (path.to_vec(), integer.is_some());
            let first = size_at(start, path).cloned();
            match (memory.named.get(&place), memory.growing.get(&place), first, &times) {
                (None, _, Some(first), _) => first,
                (_, Some(step), Some(first), Some(times)) => first + step * times,
                (deps, _, _, _) => {
                    let even = is_even(&place, size_at(start, path), memory);
                    let deps = deps.copied().unwrap_or(memory.data).and(ending);
                    let own = self.own(value, path, integer, deps);
                    if even { at_first_row(&own) } else { own }
                }
            }
        });
        for claim in invariants {
            let claim = claim.map(&|size| self.renamed(size, state, &shape));
            self.known.assume(&claim);
            if let Claim::Le(a, b) = &claim {
                for (size, bound, high) in [(a, b, true), (b, a, false)] {
                    if let Some((symbol, args)) = as_symbol(size)
                        && args.is_empty()
                        && self.belongs(symbol, value)
                        && !terrace_ir::shape::symbols_of(bound).iter().any(|s| self.belongs(*s, value))
                    {
                        let limits = self.limits.entry(symbol).or_default();
                        if high { limits.high = Some(bound.clone()) } else { limits.low = Some(bound.clone()) }
                    }
                }
            }
        }
        let ended = found.cond.negate();
        let renamed = rename_truth(&ended, &|size| self.renamed(size, state, &shape));
        self.known.learn(&renamed);
        (shape, memory.data.and(ending))
    }
}

/// Whether a length of rows was the same for all rows so far.
fn is_even(place: &Place, start: Option<&Size>, memory: &LoopMemory) -> bool {
    let (path, integer) = place;
    !integer && path.contains(&Step::Element) && start.is_some_and(settled) && !memory.uneven.contains(place)
}

/// The length of the first row for that of any row.
fn at_first_row(size: &Size) -> Size {
    size.substitute_all(&|var| ((var.0 as usize) < POSITIONS).then(Size::zero))
}

fn rename_truth(truth: &Truth, change: &dyn Fn(&Size) -> Size) -> Truth {
    match truth {
        Truth::Claim(claim) => Truth::Claim(claim.map(change)),
        Truth::All(parts) => Truth::All(parts.iter().map(|p| rename_truth(p, change)).collect()),
        Truth::Any(parts) => Truth::Any(parts.iter().map(|p| rename_truth(p, change)).collect()),
        other => other.clone(),
    }
}

/// The comparisons `a <= b` that a condition implies.
fn guards_of(truth: &Truth, out: &mut Vec<(Size, Size)>) {
    match truth {
        Truth::Claim(Claim::Le(a, b) | Claim::Lt(a, b)) => out.push((a.clone(), b.clone())),
        Truth::All(parts) => parts.iter().for_each(|p| guards_of(p, out)),
        _ => {}
    }
}
