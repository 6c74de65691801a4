//! Which facts matter for a question, and the equations among them used up.
//!
//! From the atoms of a question we walk to the facts that mention them, from there to further atoms, nearest first, until nothing is left or
//! there are enough facts. On the way come what holds of an operation by its meaning (`2*floor(n/2) <= n`) and the laws of functions
//! at the arguments that occur.
//!
//! An equation that can be solved for a variable or an application is a substitution, made everywhere before the search begins:
//!
//! ```text
//! n = p*b,  i <= n - 1      asked  i < p*b       becomes   i <= p*b - 1     asked  i <= p*b - 1
//! ```
//!
//! Other equations remain as two inequalities. Declined: solving for products or floors.

use std::collections::{BTreeSet, VecDeque};

use crate::claim::Claim;
use crate::expr::{Atom, Size, SizeFun};
use crate::facts::{Assumptions, Kind, Law, prepare, reduce, tighten};

const MAX_FACTS: usize = 64;
/// Facts taken at one atom: so many of the newest, and so many of the oldest.
const NEWEST: usize = 24;
const OLDEST: usize = 8;
const ROUNDS: usize = 3;

/// Where a fact comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    Fact(usize),
    Law(usize),
    Meaning,
}

#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) source: Source,
    pub(crate) kind: Kind,
    pub(crate) size: Size,
}

/// The facts for one question, after substitution; none is an equation.
pub(crate) struct Gathered {
    pub(crate) facts: Vec<Given>,
    pub(crate) solved: Vec<(Atom, Size, Source)>,
    pub(crate) nondecreasing: BTreeSet<(SizeFun, usize)>,
    /// All facts and laws that were looked at.
    pub(crate) sources: BTreeSet<Source>,
    /// The facts contradict each other plainly.
    pub(crate) absurd: bool,
}

struct Walk<'a> {
    known: &'a Assumptions,
    allowed: &'a dyn Fn(Source) -> bool,
    seen: BTreeSet<Atom>,
    taken: BTreeSet<usize>,
    found: Vec<Given>,
    nondecreasing: BTreeSet<(SizeFun, usize)>,
    sources: BTreeSet<Source>,
}

impl Gathered {
    /// What is known about the atoms of a goal; `allowed` leaves out facts for an explanation.
    pub(crate) fn about(known: &Assumptions, goal: &Size, allowed: &dyn Fn(Source) -> bool) -> Gathered {
        let mut walk = Walk {
            known,
            allowed,
            seen: BTreeSet::new(),
            taken: BTreeSet::new(),
            found: Vec::new(),
            nondecreasing: BTreeSet::new(),
            sources: BTreeSet::new(),
        };
        walk.visit(goal.atoms().into_iter().cloned().collect());
        let mut gathered = walk.solve();
        for _ in 1..ROUNDS {
            if gathered.solved.is_empty() {
                break;
            }
            // Substitution makes new atoms, of which more may be known.
            let goal = gathered.substitute(goal);
            let sizes = gathered.facts.iter().map(|f| &f.size).chain([&goal]);
            let new: BTreeSet<&Atom> = sizes.flat_map(Size::atoms).filter(|a| !walk.seen.contains(a)).collect();
            if new.is_empty() {
                break;
            }
            walk.visit(new.into_iter().cloned().collect());
            gathered = walk.solve();
        }
        gathered
    }

    /// A size with the solved atoms replaced.
    pub(crate) fn substitute(&self, size: &Size) -> Size {
        substitute(&self.solved, size)
    }
}

fn substitute(solved: &[(Atom, Size, Source)], size: &Size) -> Size {
    solved.iter().fold(size.clone(), |size, (atom, value, _)| size.replace_atom(atom, value))
}

impl Walk<'_> {
    fn visit(&mut self, start: Vec<Atom>) {
        self.seen.extend(start.iter().cloned());
        let mut queue: VecDeque<Atom> = start.into();
        while let Some(atom) = queue.pop_front() {
            let first = self.found.len();
            if let Some(places) = self.known.facts_with.get(&atom) {
                self.take(places);
            }
            self.found.extend(meaning(&atom).into_iter().map(|size| Given {
                source: Source::Meaning,
                kind: Kind::NonNegative,
                size: tighten(&size),
            }));
            self.laws(&atom);
            let mut at = first;
            while at < self.found.len() {
                if self.found[at].kind == Kind::Zero {
                    // An equation may turn `k(i)` into `k(j)`: facts about the latter are wanted as well.
                    for atom in self.found[at].size.clone().atoms() {
                        if let Some(places) = self.known.facts_inside.get(atom) {
                            self.take(places);
                        }
                    }
                }
                at += 1;
            }
            if self.found.len() > MAX_FACTS {
                self.found.truncate(MAX_FACTS);
                break;
            }
            let parts = atom.parts();
            for next in self.found[first..].iter().map(|f| &f.size).chain(parts).flat_map(Size::atoms) {
                if !self.seen.contains(next) {
                    self.seen.insert(next.clone());
                    queue.push_back(next.clone());
                }
            }
        }
    }

    fn take(&mut self, places: &[usize]) {
        let newest = places.iter().rev().take(NEWEST);
        let oldest = places.iter().take(OLDEST.min(places.len().saturating_sub(NEWEST)));
        for at in newest.chain(oldest) {
            if self.taken.insert(*at) && (self.allowed)(Source::Fact(*at)) {
                let fact = &self.known.facts[*at];
                self.found.push(Given { source: Source::Fact(*at), kind: fact.kind, size: fact.size.clone() });
            }
        }
    }

    fn laws(&mut self, atom: &Atom) {
        let Atom::Apply { fun, args } = atom else {
            return;
        };
        for (at, law) in self.known.laws_of(*fun) {
            if !(self.allowed)(Source::Law(at)) {
                continue;
            }
            self.sources.insert(Source::Law(at));
            match law {
                Law::NonNegative => {
                    let size = Size::atom(atom.clone());
                    self.found.push(Given { source: Source::Law(at), kind: Kind::NonNegative, size });
                }
                Law::Nondecreasing(arg) => {
                    self.nondecreasing.insert((*fun, *arg));
                }
                Law::Claim { params, guards, claim } if params.len() == args.len() => {
                    let place = |size: &Size| {
                        size.substitute_all(&|var| params.iter().position(|p| *p == var).map(|p| args[p].clone()))
                    };
                    let guards: Vec<Claim> = guards.iter().map(|guard| guard.map(&place)).collect();
                    if guards.iter().all(|guard| self.known.holds_inside(guard, self.allowed))
                        && let Some((kind, size)) = prepare(&claim.map(&place))
                    {
                        self.found.push(Given { source: Source::Law(at), kind, size });
                    }
                }
                Law::Claim { .. } => {}
            }
        }
    }

    /// The facts so far with their equations solved and used.
    fn solve(&self) -> Gathered {
        let mut solved: Vec<(Atom, Size, Source)> = Vec::new();
        let mut facts = Vec::new();
        let mut absurd = false;
        for given in self.found.iter().filter(|g| g.kind == Kind::Zero) {
            let size = reduce(&substitute(&solved, &given.size));
            if let Some((atom, value)) = solve_for(&size) {
                solved.push((atom, value, given.source));
            } else {
                let claim = Claim::Eq(size.clone(), Size::zero());
                absurd |= prepare(&claim).is_some_and(|(_, size)| size.is_constant());
                for size in [size.clone(), -size].into_iter().filter(|s| !s.is_constant()) {
                    facts.push(Given { source: given.source, kind: Kind::NonNegative, size: tighten(&size) });
                }
            }
        }
        for given in self.found.iter().filter(|g| g.kind != Kind::Zero) {
            let size = substitute(&solved, &given.size);
            let claim = match given.kind {
                Kind::NonZero => Claim::Ne(size, Size::zero()),
                _ => Claim::Le(Size::zero(), size),
            };
            if let Some((kind, size)) = prepare(&claim) {
                absurd |= size.is_constant();
                facts.push(Given { source: given.source, kind, size });
            }
        }
        let mut sources = self.sources.clone();
        sources.extend(self.found.iter().map(|g| g.source));
        Gathered { facts, solved, nondecreasing: self.nondecreasing.clone(), sources, absurd }
    }
}

/// A variable, else an application, that an equation `size = 0` defines, and its value.
fn solve_for(size: &Size) -> Option<(Atom, Size)> {
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

/// Sizes that are never negative by what an atom means.
fn meaning(atom: &Atom) -> Vec<Size> {
    let itself = Size::atom(atom.clone());
    match atom {
        Atom::FloorDiv(inner, by) => {
            let rest = &**inner - itself * *by;
            vec![rest.clone(), -rest + (*by - 1)]
        }
        Atom::Min(args) => args.iter().map(|arg| arg - &itself).collect(),
        Atom::Max(args) => args.iter().map(|arg| &itself - arg).collect(),
        // Also where the exponent is negative and the power zero.
        Atom::Pow2(exponent) => vec![itself - &**exponent - 1],
        _ => Vec::new(),
    }
}
