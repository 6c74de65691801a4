//! Which facts matter for a question.
//!
//! From the atoms of a question we walk to the facts that mention them, from there to further atoms, nearest first, until nothing is left or
//! there are enough facts. On the way come what holds of an operation by its meaning (`2*floor(n/2) <= n`) and the laws of functions
//! at the arguments that occur, which become facts there:
//!
//! ```text
//! asked  i < n          taken   i <= m,  and from there   m <= n - 1   and   m <= k(i),  but not   j <= q
//! ```
//!
//! Bounds by huge constants (every 64-bit integer has two) are ranges only: nothing is ever cancelled with them.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::claim::Claim;
use crate::compact::{Poly, Product};
use crate::expr::{Atom, Size};
use crate::facts::{Kind, Law};
use crate::store::Store;

const MAX_LINES: usize = 80;
/// Facts taken at one atom: so many of the newest, and so many of the oldest.
const NEWEST: usize = 24;
const OLDEST: usize = 8;
/// A constant bound beyond this is a range and no more.
const HUGE: u128 = 1 << 40;

/// The facts for one question.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Polynomials that are never negative.
    pub(crate) lines: Vec<Arc<Poly>>,
    /// Polynomials that are never zero.
    pub(crate) differing: Vec<Arc<Poly>>,
    /// The facts they come from.
    pub(crate) facts: Vec<usize>,
    /// The atoms in all of this.
    pub(crate) atoms: Vec<u32>,
}

struct Walk {
    gathered: Gathered,
    seen: Vec<bool>,
    taken: Vec<bool>,
    queue: VecDeque<u32>,
}

impl Store {
    /// What is known about the atoms of some polynomial. Laws may turn out to be equations and change the polynomial: see
    /// [`Store::solutions`].
    pub(crate) fn gather(&mut self, goal: &Poly) -> Gathered {
        let mut walk = Walk {
            gathered: Gathered::default(),
            seen: vec![false; self.table.len() + 1],
            taken: vec![false; self.facts.len()],
            queue: VecDeque::new(),
        };
        walk.visit(&goal.atoms());
        while let Some(id) = walk.queue.pop_front() {
            self.use_laws(id);
            let first = walk.gathered.facts.len();
            walk.take(self, self.facts_with(id));
            walk.gathered.lines.extend(self.table.meant(id).iter().cloned());
            for at in first..walk.gathered.facts.len() {
                let form = &self.facts[walk.gathered.facts[at]].now;
                if form.kind == Kind::Zero {
                    // An equation may turn `k(i)` into `k(j)`: facts about the latter are wanted as well.
                    for atom in form.lines.first().map(|line| line.atoms()).unwrap_or_default() {
                        walk.take(self, self.facts_inside(atom));
                    }
                }
            }
            if walk.gathered.lines.len() > MAX_LINES {
                walk.gathered.lines.truncate(MAX_LINES);
                break;
            }
            for at in first..walk.gathered.facts.len() {
                for line in &self.facts[walk.gathered.facts[at]].now.lines {
                    walk.visit(&line.atoms());
                }
            }
            walk.visit(self.table.parts(id));
        }
        walk.gathered.atoms = (1..).zip(&walk.seen[1..]).filter(|(_, seen)| **seen).map(|(id, _)| id).collect();
        walk.gathered
    }

    /// The laws of an application become facts.
    fn use_laws(&mut self, id: u32) {
        let Atom::Apply { fun, args } = self.table.atom(id) else {
            return;
        };
        let unused = self.unused_laws(*fun, id);
        if unused.is_empty() {
            return;
        }
        let (atom, args) = (self.table.atom(id).clone(), args.clone());
        for law in unused {
            match self.laws[law].law.clone() {
                Law::NonNegative => {
                    self.use_law(id, law, Some(&Claim::Le(Size::zero(), Size::atom(atom.clone()))));
                }
                Law::Claim { params, guards, claim } if params.len() == args.len() => {
                    let place = |size: &Size| {
                        size.substitute_all(&|var| params.iter().position(|p| *p == var).map(|p| args[p].clone()))
                    };
                    if guards.iter().all(|guard| self.holds_inside(&guard.map(&place))) {
                        self.use_law(id, law, Some(&claim.map(&place)));
                    } else {
                        self.reject_law(id, law);
                    }
                }
                Law::Claim { .. } | Law::Nondecreasing(_) => {}
            }
        }
    }
}

impl Walk {
    fn visit(&mut self, atoms: &[u32]) {
        for id in atoms {
            let place = *id as usize;
            if self.seen.len() <= place {
                self.seen.resize(place + 1, false);
            }
            if !self.seen[place] {
                self.seen[place] = true;
                self.queue.push_back(*id);
            }
        }
    }

    fn take(&mut self, store: &Store, places: &[u32]) {
        let newest = places.iter().rev().take(NEWEST);
        let oldest = places.iter().take(OLDEST.min(places.len().saturating_sub(NEWEST)));
        for at in newest.chain(oldest).map(|at| *at as usize) {
            if self.taken.len() <= at {
                self.taken.resize(at + 1, false);
            }
            if std::mem::replace(&mut self.taken[at], true) {
                continue;
            }
            let form = &store.facts[at].now;
            self.gathered.facts.push(at);
            match form.kind {
                Kind::NonZero => self.gathered.differing.extend(form.lines.iter().cloned()),
                _ => self.gathered.lines.extend(form.lines.iter().filter(|line| !only_range(line)).cloned()),
            }
        }
    }
}

/// Whether a line bounds one atom by a huge constant.
fn only_range(line: &Poly) -> bool {
    match line.terms() {
        [(Product::ONE, bound), (product, 1 | -1)] => bound.unsigned_abs() >= HUGE && product.single().is_some(),
        _ => false,
    }
}
