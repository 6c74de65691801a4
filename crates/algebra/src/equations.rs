//! Equations among the facts, used up as substitutions.
//!
//! An equation that can be solved for a variable or an application is a substitution, made at once in everything that is known:
//!
//! ```text
//! i <= n - 1,  n = p*b      becomes   i <= p*b - 1,  with n replaced by p*b in later facts and questions
//! k(i) <= n,  i = 0         becomes   k(0) <= n
//! ```
//!
//! No value has a solved atom in it, so that one pass replaces all of them. Every change is logged (`store`): where the equation is
//! released, the facts have their old forms again. Other equations remain as two inequalities. Declined: solving for products or floors.

use crate::claim::Claim;
use crate::expr::{Atom, Size};
use crate::facts::{Kind, prepare};
use crate::store::{Store, Undo};

const MAX_REWRITES: usize = 8;

/// An atom that an equation defines.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub(crate) atom: Atom,
    pub(crate) value: Size,
    /// The equation.
    fact: usize,
}

impl Store {
    /// An atom is replaced by a value from here on.
    pub(crate) fn solve(&mut self, fact: usize, atom: Atom, value: Size, open: &mut Vec<(usize, Kind, Size)>) {
        for at in 0..self.solved.len() {
            let other = &self.solved[at];
            if other.value.mentions(&atom) {
                let changed = other.value.replace_atom(&atom, &value);
                let old = std::mem::replace(&mut self.solved[at].value, changed);
                self.log.push(Undo::Value(at, old));
            }
            let other = &self.solved[at];
            if other.atom.parts().iter().any(|part| part.mentions(&atom)) {
                // `k(i)` is solved and `i` becomes `j`: then `k(j)` is known.
                let place = Size::atom(other.atom.clone()).replace_atom(&atom, &value);
                if let Some(again) = prepare(&Claim::Eq(place, other.value.clone())) {
                    open.push((other.fact, again.0, again.1));
                }
            }
        }
        if let Some(id) = self.table.number(&atom) {
            let mut touched: Vec<u32> = self.facts_with(id).to_vec();
            touched.extend(self.facts_inside(id));
            touched.sort_unstable();
            touched.dedup();
            for at in touched.into_iter().rev() {
                let form = &self.facts[at as usize].now;
                if form.size.mentions(&atom) && !form.lines.is_empty() {
                    open.push((at as usize, form.kind, form.size.clone()));
                }
            }
        }
        self.solved_at.insert(atom.clone(), self.solved.len());
        self.solved.push(Solved { atom, value, fact });
        self.log.push(Undo::Solved);
    }

    /// The size with solved atoms replaced, where it has some.
    pub(crate) fn substituted(&self, size: &Size) -> Option<Size> {
        let mut changed: Option<Size> = None;
        for _ in 0..MAX_REWRITES {
            let now = changed.as_ref().unwrap_or(size);
            if self.solved.is_empty() || !self.has_solved(now) {
                break;
            }
            changed = Some(now.rewrite(&|atom| self.solved_at.get(atom).map(|at| self.solved[*at].value.clone())));
        }
        changed
    }

    fn has_solved(&self, size: &Size) -> bool {
        let mut factors = size.terms.keys().flat_map(|monomial| monomial.factors());
        factors.any(|(atom, _)| {
            self.solved_at.contains_key(atom) || atom.parts().into_iter().any(|part| self.has_solved(part))
        })
    }

    /// How many substitutions there are.
    pub(crate) fn solutions(&self) -> usize {
        self.solved.len()
    }
}

/// A variable, else an application, that an equation `size = 0` defines, and its value.
pub(crate) fn solve_for(size: &Size) -> Option<(Atom, Size)> {
    if size.atoms().into_iter().any(open) {
        return None;
    }
    let mut best: Option<(bool, Atom, Size)> = None;
    for (monomial, factor) in size.terms() {
        let [(atom, 1)] = monomial.factors() else {
            continue;
        };
        let variable = matches!(atom, Atom::Var(_));
        let simple = variable || matches!(atom, Atom::Apply { .. });
        if factor.abs() != 1 || !simple || best.as_ref().is_some_and(|(v, a, _)| (*v, a) > (variable, atom)) {
            continue;
        }
        let rest = size - &(Size::atom(atom.clone()) * Size::from_i128(factor));
        if !rest.mentions(atom) && !atom.parts().iter().any(|p| p.mentions(atom)) {
            best = Some((variable, atom.clone(), if factor > 0 { -rest } else { rest }));
        }
    }
    best.map(|(_, atom, value)| (atom, value))
}

/// Whether an atom has the variable of a sum in it.
fn open(atom: &Atom) -> bool {
    let mut open = false;
    Size::atom(atom.clone()).visit_atoms(&mut |a| open |= matches!(a, Atom::Bound(_)));
    open
}
