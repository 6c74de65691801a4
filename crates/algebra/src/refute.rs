//! A cheap look for a counterexample, so that hopeless questions end early.
//!
//! Before the search spends its budget, some valuations are tried that satisfy the facts and not the goal. Each attempt starts from the
//! lower ends of the ranges, changed a little, and is repaired: a violated fact moves one of its atoms just far enough.
//!
//! ```text
//! 0 <= i < n   asked  i + 2 <= n      i = 0, n = 0   violates i < n, so n = 1; there the claim is false: unknown
//! ```
//!
//! What was found is kept, and tried again at the next questions, which mostly have the same facts: then a hopeless question costs a few
//! evaluations. In the same way a valuation that satisfies the facts shows that they do not contradict each other.
//!
//! Minima, floors and the like have the values that their parts give them; sums and functions are free within what is known of them. So
//! a counterexample may not be a real one. That is no harm: it can only turn a yes into unknown.

use std::sync::Arc;

use crate::compact::{Poly, Product};
use crate::ranges::{Meaning, Table};

const ATTEMPTS: u64 = 8;
const REPAIRS: usize = 24;
/// How many valuations are kept.
const MAX_KEPT: usize = 8;
/// How often a kept valuation is repaired where it already contradicts the goal.
const FEW_REPAIRS: usize = 3;
/// How many atoms of a violated fact are tried.
const MOVES: usize = 3;
/// How deep in minima and the like an atom is moved.
const MAX_DEPTH: u32 = 3;

/// Valuations that satisfied the facts of some question, the latest last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    found: Vec<Vec<(u32, i128)>>,
    /// Room for the values of all atoms.
    values: Vec<i128>,
}

/// Ranges that begin below this are taken to have no beginning.
const SMALL: i128 = -16;

struct Attempt<'t> {
    table: &'t Table,
    /// The atoms that matter, parts before the whole.
    atoms: Vec<u32>,
    /// The values of all atoms; only those that matter mean something.
    values: Vec<i128>,
    /// What must not be negative, the goals' opposites first.
    constraints: Vec<&'t Poly>,
    differing: &'t [Arc<Poly>],
    goals: usize,
    dice: u64,
}

/// Whether there seems to be a valuation where the facts hold and all of the goals are negative. Without effort only the kept ones are tried.
pub(crate) fn refuted(
    table: &Table,
    kept: &mut Kept,
    (facts, differing): (&[Arc<Poly>], &[Arc<Poly>]),
    goals: &[Poly],
    effort: bool,
) -> bool {
    let opposites: Vec<Poly> = goals.iter().filter_map(|g| g.negated().plus_constant(-1)).collect();
    if opposites.len() != goals.len() || (!effort && kept.found.is_empty()) {
        return false;
    }
    let constraints: Vec<&Poly> = opposites.iter().chain(facts.iter().map(|fact| &**fact)).collect();
    let atoms = involved(table, constraints.iter().copied().chain(differing.iter().map(|d| &**d)));
    if atoms.is_empty() {
        return false;
    }
    let mut values = std::mem::take(&mut kept.values);
    values.resize(values.len().max(table.len()), 0);
    let mut attempt = Attempt { table, atoms, values, constraints, differing, goals: goals.len(), dice: 0 };
    let again = kept.found.iter().rposition(|old| attempt.again(old, effort));
    let found = again.is_some() || effort && (0..ATTEMPTS).any(|seed| attempt.start(seed));
    if found {
        let new = attempt.atoms.iter().map(|id| (*id, attempt.values[*id as usize - 1])).collect();
        if let Some(at) = again {
            kept.found.remove(at);
        } else if kept.found.len() >= MAX_KEPT {
            kept.found.remove(0);
        }
        kept.found.push(new);
    }
    kept.values = attempt.values;
    found
}

/// The atoms in polynomials and those that their values follow from, in order.
fn involved<'p>(table: &Table, polys: impl Iterator<Item = &'p Poly>) -> Vec<u32> {
    let mut seen = vec![false; table.len() + 1];
    let mut found: Vec<u32> = Vec::new();
    for poly in polys {
        for (product, _) in poly.terms() {
            found.extend(product.atoms().filter(|id| !std::mem::replace(&mut seen[*id as usize], true)));
        }
    }
    let mut at = 0;
    while at < found.len() {
        if !matches!(table.meaning(found[at]), Meaning::Plain | Meaning::Other) {
            let parts = table.parts(found[at]).iter().copied();
            found.extend(parts.filter(|id| !std::mem::replace(&mut seen[*id as usize], true)));
        }
        at += 1;
    }
    found.sort_unstable();
    found
}

impl Attempt<'_> {
    fn roll(&mut self, sides: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) as usize % sides.max(1)
    }

    /// Tries a valuation that was found before; atoms that it does not have are at their lower ends.
    fn again(&mut self, old: &[(u32, i128)], effort: bool) -> bool {
        let mut old = old.iter().peekable();
        for at in 0..self.atoms.len() {
            let id = self.atoms[at];
            while old.next_if(|(other, _)| *other < id).is_some() {}
            let value = match old.next_if(|(other, _)| *other == id) {
                Some((_, value)) => *value,
                None => 0,
            };
            self.values[id as usize - 1] = self.within(id, value);
        }
        self.dice = 1;
        let repairs = match self.goals_fail() {
            Some(true) => FEW_REPAIRS,
            _ if effort => REPAIRS,
            _ => return false,
        };
        self.repair(repairs).unwrap_or(false)
    }

    fn goals_fail(&mut self) -> Option<bool> {
        self.settle()?;
        for at in 0..self.goals {
            if self.value(self.constraints[at])? < 0 {
                return Some(false);
            }
        }
        Some(true)
    }

    fn start(&mut self, seed: u64) -> bool {
        self.dice = seed;
        for at in 0..self.atoms.len() {
            let id = self.atoms[at];
            let value = match self.table.product(Product::atom(id)).low {
                Some(low) if low >= SMALL => low.saturating_add(self.some(seed)),
                _ => self.some(seed) - i128::from(seed / 2),
            };
            self.values[id as usize - 1] = self.within(id, value);
        }
        self.repair(REPAIRS).unwrap_or(false)
    }

    fn some(&mut self, seed: u64) -> i128 {
        if seed == 0 { 0 } else { self.roll(2 + seed as usize) as i128 }
    }

    fn within(&self, id: u32, value: i128) -> i128 {
        let range = self.table.product(Product::atom(id));
        let value = range.high.map_or(value, |high| value.min(high));
        range.low.map_or(value, |low| value.max(low))
    }

    fn free(&self, id: u32) -> bool {
        matches!(self.table.meaning(id), Meaning::Plain | Meaning::Other)
    }

    /// Parts have lower numbers than the whole, so one round is enough.
    fn settle(&mut self) -> Option<()> {
        for at in 0..self.atoms.len() {
            let id = self.atoms[at];
            let value = match self.table.meaning(id) {
                Meaning::Plain | Meaning::Other => continue,
                Meaning::Floor(inner, by) => self.value(inner)?.div_euclid(*by),
                Meaning::Below(test) => i128::from(self.value(test)? < 0),
                Meaning::Least(args) => self.best(args, i128::min)?,
                Meaning::Greatest(args) => self.best(args, i128::max)?,
            };
            self.values[id as usize - 1] = value;
        }
        Some(())
    }

    fn best(&self, args: &[Poly], pick: fn(i128, i128) -> i128) -> Option<i128> {
        let mut best = None;
        for arg in args {
            let value = self.value(arg)?;
            best = Some(best.map_or(value, |other| pick(other, value)));
        }
        best
    }

    fn value(&self, poly: &Poly) -> Option<i128> {
        poly.terms().iter().try_fold(0i128, |sum, (product, factor)| {
            let term = product.atoms().try_fold(*factor, |p, id| p.checked_mul(self.values[id as usize - 1]))?;
            sum.checked_add(term)
        })
    }

    fn repair(&mut self, repairs: usize) -> Option<bool> {
        for left in (0..=repairs).rev() {
            self.settle()?;
            let mut violated = None;
            for constraint in &self.constraints {
                let value = self.value(constraint)?;
                if value < 0 {
                    violated = Some((*constraint, value));
                    break;
                }
            }
            if violated.is_none() {
                let inside = |id: &u32| self.free(*id) || self.within(*id, self.at(*id)) == self.at(*id);
                let differ = |d: &Arc<Poly>| self.value(d).is_some_and(|v| v != 0);
                if self.atoms.iter().all(inside) && self.differing.iter().all(differ) {
                    return Some(true);
                }
            }
            if left == 0 {
                break;
            }
            match violated {
                Some((constraint, value)) => self.move_one(constraint, value)?,
                None => self.nudge(1),
            }
        }
        Some(false)
    }

    fn at(&self, id: u32) -> i128 {
        self.values[id as usize - 1]
    }

    fn nudge(&mut self, by: i128) {
        let at = self.roll(self.atoms.len());
        let id = self.atoms[at];
        self.values[id as usize - 1] = self.within(id, self.at(id).saturating_add(by));
    }

    /// Moves one atom of a violated constraint far enough, or some atom by a little.
    fn move_one(&mut self, constraint: &Poly, value: i128) -> Option<()> {
        if !self.shift(constraint, value.checked_neg()?, MAX_DEPTH)? {
            let by = if self.roll(2) == 0 { 1 } else { -1 };
            self.nudge(by);
        }
        Some(())
    }

    /// Changes the value of a polynomial at least so far, by moving one atom; one that is made of others is moved by its parts.
    fn shift(&mut self, poly: &Poly, by: i128, depth: u32) -> Option<bool> {
        let atoms = poly.atoms();
        if atoms.is_empty() {
            return Some(false);
        }
        let mut outside: Option<(u32, i128)> = None;
        for _ in 0..MOVES {
            let id = atoms[self.roll(atoms.len())];
            let slope = self.value(&poly.quotient(Product::atom(id)))?;
            if slope == 0 {
                continue;
            }
            let far = by.checked_abs()?.checked_add(slope.checked_abs()? - 1)? / slope.abs();
            let delta = far * by.signum() * slope.signum();
            let moved = self.at(id).checked_add(delta)?;
            if !self.free(id) {
                if depth > 0 && self.shift_parts(id, delta, moved, depth - 1)? {
                    return Some(true);
                }
            } else if self.within(id, moved) == moved {
                self.values[id as usize - 1] = moved;
                return Some(true);
            } else {
                outside = Some((id, moved));
            }
        }
        if let Some((id, moved)) = outside {
            self.values[id as usize - 1] = self.within(id, moved);
        }
        Some(outside.is_some())
    }

    fn shift_parts(&mut self, id: u32, delta: i128, target: i128, depth: u32) -> Option<bool> {
        let table = self.table;
        match table.meaning(id) {
            Meaning::Floor(inner, by) => self.shift(inner, delta.checked_mul(*by)?, depth),
            Meaning::Least(args) | Meaning::Greatest(args) => {
                let arg = &args[self.roll(args.len())];
                let more = target.checked_sub(self.value(arg)?)?;
                if more.signum() == delta.signum() { self.shift(arg, more, depth) } else { Some(false) }
            }
            Meaning::Below(test) => {
                let value = self.value(test)?;
                match (target > 0, value < 0) {
                    (true, false) => self.shift(test, value.checked_neg()?.checked_sub(1)?, depth),
                    (false, true) => self.shift(test, value.checked_neg()?, depth),
                    _ => Some(false),
                }
            }
            Meaning::Plain | Meaning::Other => Some(false),
        }
    }
}
