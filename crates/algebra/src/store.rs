//! The stack of facts behind the assumptions.
//!
//! A fact is kept in the form in which the search wants it: polynomials over numbered atoms, filed under these atoms, and its constant
//! ranges learned. That happens once, when it is assumed; a question only walks from atom to atom. Everything is logged, so that releasing a
//! scope takes back what was done in it, and costs what was done:
//!
//! ```text
//! assume  2*i <= n      the line n - 2*i, filed under i and n
//! assume  n <= 7        n is at most 7, and so i at most 3
//! release               i and n have no bounds, as before
//! ```
//!
//! Equations are used up in `equations`, and which facts matter for a question is found in `gather`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::claim::Claim;
use crate::compact::Poly;
use crate::equations::{Solved, solve_for};
use crate::expr::{Atom, Size, SizeFun};
use crate::facts::{Kind, Law, Mark, prepare};
use crate::ranges::Table;
use crate::refute::Kept;

pub(crate) const DEFAULT_BUDGET: u32 = 240;
/// How many facts one new fact may make to narrow ranges again.
const MAX_SPREAD: usize = 120;
/// How many of the newest facts about an atom are looked at for that.
const SPREAD_AT: usize = 24;
/// How many sets of facts are remembered.
const MAX_STATES: usize = 1 << 14;

/// Where a fact comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Source {
    /// It was assumed.
    Client,
    /// A law at the arguments of some application.
    Law(usize),
}

/// One assumption.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) claim: Claim,
    pub(crate) note: Option<u32>,
    pub(crate) source: Source,
    pub(crate) now: Form,
    /// Whether it is known that it does not contradict those before it.
    pub(crate) examined: bool,
    log: usize,
    changes: usize,
}

/// A fact with the equations used.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) kind: Kind,
    pub(crate) size: Size,
    /// Never negative, or never zero.
    pub(crate) lines: Vec<Arc<Poly>>,
}

#[derive(Clone, Debug)]
pub(crate) struct LawEntry {
    pub(crate) fun: SizeFun,
    pub(crate) law: Law,
    /// A number that no other law had before.
    serial: u64,
}

/// A change to take back.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    Filed(u32),
    FiledInside(u32),
    Rewritten(usize, Form),
    Solved,
    Value(usize, Size),
    Used(u32, u64),
}

/// What makes one set of facts of another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Fact(Claim),
    Law(SizeFun, Law),
    Budget(u32),
}

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) facts: Vec<Fact>,
    /// Facts by the numbers of their atoms.
    with: Vec<Vec<u32>>,
    /// Facts by the atoms inside applications and sums.
    inside: Vec<Vec<u32>>,
    pub(crate) laws: Vec<LawEntry>,
    laws_of: BTreeMap<SizeFun, Vec<usize>>,
    serials: u64,
    /// Laws that are facts already at some application.
    used: BTreeSet<(u32, u64)>,
    /// Laws whose guards could not be shown, and where.
    unproved: BTreeMap<(u32, u64), u64>,
    pub(crate) solved: Vec<Solved>,
    pub(crate) solved_at: BTreeMap<Atom, usize>,
    pub(crate) log: Vec<Undo>,
    pub(crate) table: Table,
    /// The names of the sets of facts from the first to the present one.
    history: Vec<u64>,
    last_state: u64,
    /// The sets that were made from others by one more assumption: one that is made again has its old name.
    states: BTreeMap<(u64, Step), u64>,
    pub(crate) budget: u32,
    /// Where a contradiction was found: how many facts and laws there were.
    absurd: Option<(usize, usize)>,
    /// All facts before this one are examined for contradictions.
    pub(crate) examined: usize,
    /// Steps of all questions so far.
    pub(crate) steps: u64,
    /// How many guards of laws are being proved, one inside another.
    pub(crate) nesting: u32,
    pub(crate) memo: BTreeMap<(Kind, Poly), (bool, u64)>,
    /// Questions that took long and failed, with the facts under which they did.
    pub(crate) hopeless: BTreeMap<(Kind, Poly), Vec<u64>>,
    pub(crate) kept: Kept,
}

impl Default for Store {
    fn default() -> Store {
        Store {
            facts: Vec::new(),
            with: Vec::new(),
            inside: Vec::new(),
            laws: Vec::new(),
            laws_of: BTreeMap::new(),
            serials: 0,
            used: BTreeSet::new(),
            unproved: BTreeMap::new(),
            solved: Vec::new(),
            solved_at: BTreeMap::new(),
            log: Vec::new(),
            table: Table::default(),
            history: vec![0],
            last_state: 0,
            states: BTreeMap::new(),
            budget: DEFAULT_BUDGET,
            absurd: None,
            examined: 0,
            steps: 0,
            nesting: 0,
            memo: BTreeMap::new(),
            hopeless: BTreeMap::new(),
            kept: Kept::default(),
        }
    }
}

impl Store {
    pub(crate) fn set_budget(&mut self, steps: u32) {
        self.budget = steps;
        self.new_state(Step::Budget(steps));
    }

    /// A set has a greater name than those it was made from.
    fn new_state(&mut self, step: Step) {
        if self.states.len() >= MAX_STATES {
            self.states.clear();
        }
        let next = self.last_state + 1;
        let state = *self.states.entry((self.state(), step)).or_insert(next);
        self.last_state = self.last_state.max(state);
        self.history.push(state);
    }

    /// The name of the present set of facts: one that comes back after a release, or by the same assumptions, has its old name.
    pub(crate) fn state(&self) -> u64 {
        self.history.last().copied().unwrap_or(0)
    }

    /// Whether all facts of a state are among the present ones.
    pub(crate) fn has_state(&self, state: u64) -> bool {
        self.history.binary_search(&state).is_ok()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { facts: self.facts.len(), laws: self.laws.len(), state: self.state() }
    }

    pub(crate) fn release(&mut self, mark: Mark) {
        while self.facts.len() > mark.facts
            && let Some(fact) = self.facts.pop()
        {
            self.table.undo(fact.changes);
            self.take_back(fact.log);
        }
        while self.laws.len() > mark.laws
            && let Some(entry) = self.laws.pop()
        {
            if let Some(places) = self.laws_of.get_mut(&entry.fun) {
                places.pop();
            }
            if entry.law == Law::NonNegative
                && let Some(count) = self.table.nonnegative.get_mut(&entry.fun)
            {
                *count -= 1;
                if *count == 0 {
                    self.table.nonnegative.remove(&entry.fun);
                }
            }
        }
        self.examined = self.examined.min(self.facts.len());
        let still = |(facts, laws): &(usize, usize)| *facts <= self.facts.len() && *laws <= self.laws.len();
        self.absurd = self.absurd.filter(still);
        if let Ok(at) = self.history.binary_search(&mark.state) {
            self.history.truncate(at + 1);
        }
    }

    fn take_back(&mut self, keep: usize) {
        while self.log.len() > keep
            && let Some(undo) = self.log.pop()
        {
            match undo {
                Undo::Filed(id) => drop(self.with[id as usize].pop()),
                Undo::FiledInside(id) => drop(self.inside[id as usize].pop()),
                // The fact itself may be gone already.
                Undo::Rewritten(at, form) => {
                    if let Some(fact) = self.facts.get_mut(at) {
                        fact.now = form;
                    }
                }
                Undo::Solved => {
                    if let Some(solved) = self.solved.pop() {
                        self.solved_at.remove(&solved.atom);
                    }
                }
                Undo::Value(at, value) => self.solved[at].value = value,
                Undo::Used(id, serial) => drop(self.used.remove(&(id, serial))),
            }
        }
    }

    /// Whether the facts are known to contradict each other.
    pub(crate) fn is_absurd(&self) -> bool {
        self.absurd.is_some() || self.table.is_empty()
    }

    pub(crate) fn set_absurd(&mut self) {
        if self.absurd.is_none() {
            self.absurd = Some((self.facts.len(), self.laws.len()));
        }
    }

    pub(crate) fn add_law(&mut self, fun: SizeFun, law: Law) {
        if law == Law::NonNegative {
            *self.table.nonnegative.entry(fun).or_insert(0) += 1;
        }
        self.laws_of.entry(fun).or_default().push(self.laws.len());
        self.serials += 1;
        self.new_state(Step::Law(fun, law.clone()));
        self.laws.push(LawEntry { fun, law, serial: self.serials });
    }

    /// The laws of a function that are not yet facts about an application of it, with their numbers.
    pub(crate) fn unused_laws(&self, fun: SizeFun, id: u32) -> Vec<usize> {
        let Some(places) = self.laws_of.get(&fun) else {
            return Vec::new();
        };
        let unused = |at: &usize| {
            let key = (id, self.laws[*at].serial);
            !matches!(self.laws[*at].law, Law::Nondecreasing(_))
                && !self.used.contains(&key)
                && self.unproved.get(&key) != Some(&self.state())
        };
        places.iter().copied().filter(unused).collect()
    }

    pub(crate) fn is_nondecreasing(&self, fun: SizeFun, arg: usize) -> bool {
        let places = self.laws_of.get(&fun).into_iter().flatten();
        places.into_iter().any(|at| self.laws[*at].law == Law::Nondecreasing(arg))
    }

    /// Whether a function does not fall where some argument grows.
    pub(crate) fn has_order(&self, fun: SizeFun) -> bool {
        let places = self.laws_of.get(&fun).into_iter().flatten();
        places.into_iter().any(|at| matches!(self.laws[*at].law, Law::Nondecreasing(_)))
    }

    /// A law becomes a fact at one application; `None` where it says nothing there.
    pub(crate) fn use_law(&mut self, id: u32, law: usize, claim: Option<&Claim>) {
        let key = (id, self.laws[law].serial);
        let at = self.facts.len();
        if let Some(claim) = claim {
            self.add(claim, None, Source::Law(law));
        }
        // What holds anyway is no fact: nothing to take it back with.
        if self.facts.len() > at {
            self.used.insert(key);
            self.log.push(Undo::Used(key.0, key.1));
        } else {
            self.reject_law(id, law);
        }
    }

    /// A law is of no use at an application with the present facts.
    pub(crate) fn reject_law(&mut self, id: u32, law: usize) {
        let state = self.state();
        self.unproved.insert((id, self.laws[law].serial), state);
    }

    /// The facts about an atom, oldest first.
    pub(crate) fn facts_with(&self, id: u32) -> &[u32] {
        self.with.get(id as usize).map_or(&[], Vec::as_slice)
    }

    /// The facts that have an atom inside an application or a sum.
    pub(crate) fn facts_inside(&self, id: u32) -> &[u32] {
        self.inside.get(id as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add(&mut self, claim: &Claim, note: Option<u32>, source: Source) {
        let Some((kind, size)) = prepare(claim) else {
            return;
        };
        let at = self.facts.len();
        let now = Form { kind, size: size.clone(), lines: Vec::new() };
        let (log, changes) = (self.log.len(), self.table.changes());
        self.facts.push(Fact { claim: claim.clone(), note, source, now, examined: false, log, changes });
        if source == Source::Client {
            self.new_state(Step::Fact(claim.clone()));
        }
        self.settle(at, kind, size);
    }

    /// Gives a fact the form that it has with the equations; a new equation changes older facts.
    fn settle(&mut self, at: usize, kind: Kind, size: Size) {
        let mut open = vec![(at, kind, size)];
        while let Some((at, kind, size)) = open.pop() {
            let form = match self.substituted(&size) {
                Some(changed) => prepare(&stated(kind, changed)),
                None => Some((kind, size)),
            };
            let Some((kind, size)) = form else {
                self.rewrite(at, Form { kind, size: Size::zero(), lines: Vec::new() });
                continue;
            };
            if size.is_constant() {
                self.set_absurd();
            }
            match solve_for(&size).filter(|_| kind == Kind::Zero) {
                Some((atom, value)) => {
                    self.rewrite(at, Form { kind, size, lines: Vec::new() });
                    self.solve(at, atom, value, &mut open);
                }
                None => self.place(at, kind, size),
            }
        }
    }

    fn rewrite(&mut self, at: usize, form: Form) {
        let old = std::mem::replace(&mut self.facts[at].now, form);
        self.log.push(Undo::Rewritten(at, old));
        self.facts[at].examined = false;
        self.examined = self.examined.min(at);
    }

    /// A fact that is no substitution.
    fn place(&mut self, at: usize, kind: Kind, size: Size) {
        let lines = match (self.table.poly(&size), kind) {
            (Some(poly), Kind::Zero) => vec![Arc::new(poly.negated()), Arc::new(poly)],
            (Some(poly), _) => vec![Arc::new(poly)],
            (None, _) => Vec::new(),
        };
        let known = lines.first().is_some_and(|line| self.is_known(kind, line));
        let (mut filed, mut filed_inside) = (Vec::new(), Vec::new());
        if let Some(line) = lines.first() {
            filed = line.atoms();
            let mut next = 0;
            while next < filed.len() {
                let id = filed[next];
                next += 1;
                let hidden = matches!(self.table.atom(id), Atom::Apply { .. } | Atom::Sum(_));
                let list = if hidden { &mut filed_inside } else { &mut filed };
                for part in self.table.parts(id) {
                    if !list.contains(part) {
                        list.push(*part);
                    }
                }
            }
            let mut next = 0;
            while next < filed_inside.len() {
                for part in self.table.parts(filed_inside[next]) {
                    if !filed_inside.contains(part) {
                        filed_inside.push(*part);
                    }
                }
                next += 1;
            }
        }
        let start = self.table.changes();
        filed.iter().for_each(|id| self.table.refresh(*id));
        if kind != Kind::NonZero {
            lines.iter().for_each(|line| self.table.learn_from(line));
        }
        if known {
            self.rewrite(at, Form { kind, size, lines: Vec::new() });
            return self.spread(start);
        }
        self.rewrite(at, Form { kind, size, lines });
        for id in filed {
            file(&mut self.with, id, at);
            self.log.push(Undo::Filed(id));
        }
        for id in filed_inside {
            file(&mut self.inside, id, at);
            self.log.push(Undo::FiledInside(id));
        }
        self.spread(start);
    }

    /// Whether the same is among the facts.
    fn is_known(&self, kind: Kind, line: &Poly) -> bool {
        let Some(id) = line.terms().last().and_then(|(product, _)| product.atoms().next()) else {
            return false;
        };
        let same = |form: &Form| form.kind == kind && form.lines.first().is_some_and(|other| **other == *line);
        self.facts_with(id).iter().rev().take(SPREAD_AT).any(|at| same(&self.facts[*at as usize].now))
    }

    /// Ranges that follow from ranges that were narrowed.
    fn spread(&mut self, start: usize) {
        let mut fuel = MAX_SPREAD;
        let mut from = start;
        loop {
            if self.table.changes() == from || fuel == 0 || self.table.is_empty() {
                return;
            }
            let changed = self.table.changed_since(from);
            from = self.table.changes();
            for id in changed {
                let lines = self.lines_about(id);
                fuel = fuel.saturating_sub(lines.len());
                lines.iter().for_each(|line| self.table.learn_from(line));
            }
        }
    }

    fn lines_about(&self, id: u32) -> Vec<Arc<Poly>> {
        let atoms = [id].into_iter().chain(self.table.users(id).iter().copied());
        let mut lines: Vec<Arc<Poly>> = atoms.flat_map(|id| self.table.meant(id)).cloned().collect();
        for at in self.facts_with(id).iter().rev().take(SPREAD_AT) {
            let form = &self.facts[*at as usize].now;
            if form.kind != Kind::NonZero {
                lines.extend(form.lines.iter().filter(|line| line.terms().len() > 2 || line.has(id)).cloned());
            }
        }
        lines
    }
}

fn file(filed: &mut Vec<Vec<u32>>, id: u32, at: usize) {
    let place = id as usize;
    if filed.len() <= place {
        filed.resize_with(place + 1, Vec::new);
    }
    filed[place].extend(u32::try_from(at));
}

fn stated(kind: Kind, size: Size) -> Claim {
    match kind {
        Kind::NonNegative => Claim::Le(Size::zero(), size),
        Kind::Zero => Claim::Eq(size, Size::zero()),
        Kind::NonZero => Claim::Ne(size, Size::zero()),
    }
}
