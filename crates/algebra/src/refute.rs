//! A cheap look for a counterexample, so that hopeless questions end early.
//!
//! Before the search spends its budget, some valuations are tried that satisfy the facts and not the goal. Each attempt starts from the
//! lower ends of the ranges, changed a little, and is repaired: a violated fact moves one of its atoms just far enough.
//!
//! ```text
//! 0 <= i < n   asked  i + 2 <= n      i = 0, n = 0   violates i < n, so n = 1; there the claim is false: unknown
//! ```
//!
//! Minima, floors and the like have the values that their parts give them; sums and functions are free within what is known of them. So
//! a counterexample may not be a real one. That is no harm: it can only turn a yes into unknown.

use std::sync::Arc;

use crate::compact::{Poly, Product};
use crate::ranges::{Meaning, Table};

const ATTEMPTS: u64 = 8;
const REPAIRS: usize = 24;

struct Attempt<'t> {
    table: &'t Table,
    /// The atoms that matter, parts before the whole.
    atoms: &'t [u32],
    /// The values of all atoms; those that do not matter are zero.
    values: Vec<i128>,
    dice: u64,
}

/// Whether there seems to be a valuation where the facts hold and all of the goals are negative.
pub(crate) fn refuted(table: &Table, facts: &[Arc<Poly>], differing: &[Arc<Poly>], goals: &[Poly]) -> bool {
    let opposites: Vec<Poly> = goals.iter().filter_map(|g| g.negated().plus_constant(-1)).collect();
    let constraints: Vec<&Poly> = facts.iter().map(|fact| &**fact).chain(&opposites).collect();
    let atoms = involved(table, constraints.iter().copied().chain(differing.iter().map(|d| &**d)));
    if atoms.is_empty() {
        return false;
    }
    opposites.len() == goals.len()
        && (0..ATTEMPTS).any(|seed| {
            let mut attempt = Attempt { table, atoms: &atoms, values: vec![0; table.len()], dice: seed };
            attempt.start(seed);
            attempt.repair(&constraints, differing).unwrap_or(false)
        })
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
    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    fn start(&mut self, seed: u64) {
        for id in self.atoms {
            let at = *id as usize - 1;
            let range = self.table.product(Product::atom(*id));
            let more = if seed == 0 { 0 } else { i128::from(self.roll(2 + seed)) };
            self.values[at] = match (range.low, range.high) {
                (Some(low), high) => low.saturating_add(more).min(high.unwrap_or(i128::MAX)),
                (None, Some(high)) => high.saturating_sub(more),
                (None, None) => more - i128::from(seed / 2),
            };
        }
    }

    fn free(&self, id: u32) -> bool {
        matches!(self.table.meaning(id), Meaning::Plain | Meaning::Other)
    }

    /// Parts have lower numbers than the whole, so one round is enough.
    fn settle(&mut self) -> Option<()> {
        for id in self.atoms {
            self.values[*id as usize - 1] = match self.table.meaning(*id) {
                Meaning::Plain | Meaning::Other => continue,
                Meaning::Floor(inner, by) => self.value(inner)?.div_euclid(*by),
                Meaning::Below(test) => i128::from(self.value(test)? < 0),
                Meaning::Least(args) => {
                    args.iter().map(|a| self.value(a)).collect::<Option<Vec<_>>>()?.into_iter().min()?
                }
                Meaning::Greatest(args) => {
                    args.iter().map(|a| self.value(a)).collect::<Option<Vec<_>>>()?.into_iter().max()?
                }
            };
        }
        Some(())
    }

    fn value(&self, poly: &Poly) -> Option<i128> {
        poly.terms().iter().try_fold(0i128, |sum, (product, factor)| {
            let term = product.atoms().try_fold(*factor, |p, id| p.checked_mul(self.values[id as usize - 1]))?;
            sum.checked_add(term)
        })
    }

    fn repair(&mut self, constraints: &[&Poly], differing: &[Arc<Poly>]) -> Option<bool> {
        for _ in 0..REPAIRS {
            self.settle()?;
            let mut violated = None;
            for constraint in constraints {
                let value = self.value(constraint)?;
                if value < 0 {
                    violated = Some((*constraint, value));
                    break;
                }
            }
            let Some((constraint, value)) = violated else {
                let differ = differing.iter().all(|d| self.value(d).is_some_and(|v| v != 0));
                if differ {
                    return Some(true);
                }
                let at = self.atoms[self.roll(self.atoms.len() as u64) as usize] as usize - 1;
                self.values[at] = self.values[at].saturating_add(1);
                continue;
            };
            self.move_one(constraint, value)?;
        }
        Some(false)
    }

    /// Moves one atom of a violated constraint far enough, or one inside by a little.
    fn move_one(&mut self, constraint: &Poly, value: i128) -> Option<()> {
        let atoms = constraint.atoms();
        let id = atoms[self.roll(atoms.len() as u64) as usize];
        if self.free(id) {
            let slope = constraint.quotient(Product::atom(id));
            let slope = self.value(&slope)?;
            if slope != 0 {
                let steps = value.checked_neg()?.checked_add(slope.checked_abs()? - 1)? / slope.abs();
                let moved = self.values[id as usize - 1].checked_add(steps * slope.signum())?;
                self.values[id as usize - 1] = moved;
                return Some(());
            }
        }
        let at = self.atoms[self.roll(self.atoms.len() as u64) as usize] as usize - 1;
        self.values[at] = self.values[at].saturating_add(if self.roll(2) == 0 { 1 } else { -1 });
        Some(())
    }
}
