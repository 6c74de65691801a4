//! What fusion decides, whatever the language: which operator moves into which.
//!
//! The engine sees the statements of one body as *places*, each with a [`Node`]: what it binds, what it uses and how, whether it is a map, a
//! filter or a reduction, whether it may stop the program. It keeps the users of every value up to date, so that a step costs no more than
//! the statements that it touches, and works through a list of places until none can change.
//!
//! ```text
//! t = map f xs          users of t: {s}, in place            s = reduce add (map f xs)
//! s = reduce add t      →  t moves into s
//! ```
//!
//! The rules, in the order in which they are tried:
//! - results of a map that one operator reads at its own position move there, together with what they are computed from (results are looked at
//!   in groups with the same users, so a result that is used elsewhere does not hold back the others);
//! - results with several users, or read at other positions, are computed anew by each user if they are cheap and memory traffic shrinks;
//! - a filter that one operator consumes becomes a mask of that operator;
//! - two maps, or two reductions, over equal spaces become one.
//!
//! A map with checks moves only as a whole, to one place, and past nothing that may stop or that may rely on its checks.

use super::refusal::{Reason, Refusal};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::Span;
use terrace_ir::ValueId;

/// How a statement uses a value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Uses {
    /// How often it reads an element at its own position.
    pub in_place: usize,
    /// How often it reads an element at another position.
    pub elsewhere: usize,
    /// How often it mentions the value in another way.
    pub whole: usize,
    /// Whether the type of something that it binds mentions it.
    pub in_type: bool,
}

/// What the engine can do with a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A column per result, computed point by point.
    Map,
    /// The number of points kept, and columns of what is kept.
    Filter,
    /// Points are combined.
    Reduce,
    /// May take in producers, is none itself.
    Consumer,
    /// Takes no part.
    Other,
}

/// What the engine knows about a statement.
pub(super) struct Node {
    pub binds: Vec<ValueId>,
    pub uses: BTreeMap<ValueId, Uses>,
    pub kind: Kind,
    /// Whether it may stop the program.
    pub stops: bool,
    /// Whether it may be wrong to run it before a check that comes earlier.
    pub relies: bool,
    /// Operators that may become one with it have the same key.
    pub family: Option<String>,
}

/// How the points of a producer and of a consumer belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meeting {
    /// They are the same.
    Equal,
    /// Every point of the consumer has its point of the producer, under the same position; neither has more of them.
    SamePositions,
    /// An element of the producer can be computed for any position.
    AnyPosition,
    /// They are not related.
    Apart(Reason),
}

/// What it costs to compute results of a producer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Work {
    /// Why it must not be done twice.
    pub dear: Option<Reason>,
    /// How many elements are read.
    pub reads: usize,
    /// How many of them at positions that are computed.
    pub gathers: usize,
}

/// What a language has for fusion. A place is a statement with the scalars that were computed for it.
pub(super) trait Language {
    /// A statement.
    type Stmt: Clone;

    /// What a place is to the engine.
    fn node(&self, place: &[Self::Stmt]) -> Node;
    /// How the points of a map and of a user belong together.
    fn meeting(&self, producer: &[Self::Stmt], consumer: &[Self::Stmt]) -> Meeting;
    /// What it takes to compute some results of a map.
    fn work(&self, producer: &[Self::Stmt], results: &[ValueId]) -> Work;
    /// What must not be done twice and is needed both for some results and for others.
    fn shared(&self, producer: &[Self::Stmt], some: &[ValueId], others: &[ValueId]) -> Option<Reason>;
    /// Makes the consumer compute results of a map itself; without `copy`, the map goes.
    fn absorb(&mut self, producer: &[Self::Stmt], results: &[ValueId], consumer: &mut Vec<Self::Stmt>, copy: bool);
    /// Takes results, and what only they needed, from a map.
    fn forget(&mut self, producer: &mut Vec<Self::Stmt>, results: &[ValueId]);
    /// One operator for two of a family; the second may read results of the first in place.
    fn join(&mut self, first: &[Self::Stmt], second: &[Self::Stmt]) -> Vec<Self::Stmt>;
    /// Whether a user of what a filter keeps can be the filter's own business; `true`: it stands where the filter stood.
    fn masks(&self, filter: &[Self::Stmt], consumer: &[Self::Stmt]) -> Result<bool, Reason>;
    /// Whether a consumer with a mask can also count what is kept.
    fn counts(&self, filter: &[Self::Stmt], consumer: &[Self::Stmt]) -> bool;
    /// The consumer over all points, with a mask, or the filter that does the consumer's work.
    fn mask(&mut self, filter: &[Self::Stmt], consumer: &[Self::Stmt], count: bool) -> Vec<Self::Stmt>;
    /// The name of a value, for people.
    fn name(&self, value: ValueId) -> String;
    /// Where a place came from.
    fn span(&self, place: &[Self::Stmt]) -> Span;
}

/// How many operators of a family are looked at before a new one.
const NEAR: usize = 4;

/// A producer with fewer users than this is looked at again when one of them changes.
const FEW: usize = 8;

pub(super) struct Engine<'a, L: Language> {
    language: &'a mut L,
    places: Vec<Option<(Vec<L::Stmt>, Node)>>,
    users: BTreeMap<ValueId, BTreeSet<usize>>,
    homes: BTreeMap<ValueId, usize>,
    stopping: BTreeSet<usize>,
    relying: BTreeSet<usize>,
    families: BTreeMap<String, BTreeSet<usize>>,
    returned: BTreeSet<ValueId>,
    queue: BTreeSet<usize>,
    /// What comes after the queue: places that have changed. In a chain of operators, pairs become one, then pairs of pairs: nothing grows
    /// by one small step after the other.
    next: BTreeSet<usize>,
}

/// What is to be done with results that have the same users.
enum Plan {
    Move(usize),
    MoveUp(usize),
    Copy(Vec<usize>),
}

impl<'a, L: Language> Engine<'a, L> {
    /// An engine for the statements of a body with these results.
    pub(super) fn new(language: &'a mut L, stmts: Vec<L::Stmt>, returned: BTreeSet<ValueId>) -> Self {
        let mut engine = Engine {
            language,
            places: stmts.iter().map(|_| None).collect(),
            users: BTreeMap::new(),
            homes: BTreeMap::new(),
            stopping: BTreeSet::new(),
            relying: BTreeSet::new(),
            families: BTreeMap::new(),
            returned,
            queue: BTreeSet::new(),
            next: BTreeSet::new(),
        };
        for (at, stmt) in stmts.into_iter().enumerate() {
            engine.put(at, vec![stmt]);
        }
        engine
    }

    /// Fuses until nothing more can be fused.
    pub(super) fn run(mut self) -> Vec<L::Stmt> {
        while let Some(at) = self.following() {
            let changed = match self.node(at).map(|n| n.kind) {
                Some(Kind::Map) => self.produce(at) || self.neighbours(at),
                Some(Kind::Filter) => self.filter(at),
                Some(Kind::Reduce) => self.neighbours(at),
                _ => false,
            };
            if changed && self.places[at].is_some() {
                self.next.insert(at);
            }
        }
        self.places.into_iter().flatten().flat_map(|(stmts, _)| stmts).collect()
    }

    fn following(&mut self) -> Option<usize> {
        if self.queue.is_empty() {
            self.queue = std::mem::take(&mut self.next);
        }
        self.queue.pop_first()
    }

    /// What could not be fused with whom, and why.
    pub(super) fn refusals(&self) -> Vec<Refusal> {
        let mut out = Vec::new();
        for at in 0..self.places.len() {
            match self.node(at).map(|n| n.kind) {
                Some(Kind::Map) => {
                    for (users, results) in self.groups(at) {
                        if let Err((user, reason)) = self.plan(at, &users, &results) {
                            out.push(self.refusal(at, results[0], user, reason));
                        }
                    }
                }
                Some(Kind::Filter) => {
                    if let Err((user, reason)) = self.plan_filter(at) {
                        let node = self.node(at).expect("a filter is there");
                        out.push(self.refusal(at, node.binds[node.binds.len().min(2) - 1], user, reason));
                    }
                }
                _ => {}
            }
        }
        out
    }

    fn refusal(&self, at: usize, result: ValueId, user: Option<usize>, reason: Reason) -> Refusal {
        let consumer = user.and_then(|u| self.places[u].as_ref()).map(|(place, node)| {
            (node.binds.first().map(|b| self.language.name(*b)).unwrap_or_default(), self.language.span(place))
        });
        let span = self.language.span(self.place(at));
        Refusal { producer: (self.language.name(result), span), consumer, reason }
    }

    fn node(&self, at: usize) -> Option<&Node> {
        self.places[at].as_ref().map(|(_, node)| node)
    }

    fn place(&self, at: usize) -> &[L::Stmt] {
        self.places[at].as_ref().map_or(&[], |(place, _)| place)
    }

    fn uses(&self, at: usize, value: ValueId) -> Uses {
        self.node(at).and_then(|n| n.uses.get(&value)).copied().unwrap_or_default()
    }

    /// The places that mention a value other than in a type.
    fn users_of(&self, value: ValueId) -> Vec<usize> {
        let users = self.users.get(&value).into_iter().flatten().copied();
        users
            .filter(|u| {
                let uses = self.uses(*u, value);
                uses.in_place + uses.elsewhere + uses.whole > 0
            })
            .collect()
    }

    fn take(&mut self, at: usize) -> Vec<L::Stmt> {
        let Some((place, node)) = self.places[at].take() else { return Vec::new() };
        for v in node.uses.keys() {
            let Some(users) = self.users.get_mut(v) else { continue };
            users.remove(&at);
            // Whoever made it has a user less, or another one: what was refused may be possible now. With many users that is unlikely, and
            // asking again each time would take the square of their number.
            if users.len() < FEW {
                self.next.extend(self.homes.get(v));
            }
        }
        node.binds.iter().for_each(|v| {
            self.homes.remove(v);
        });
        self.stopping.remove(&at);
        self.relying.remove(&at);
        if let Some(others) = node.family.as_ref().and_then(|f| self.families.get_mut(f)) {
            others.remove(&at);
        }
        self.queue.remove(&at);
        self.next.remove(&at);
        place
    }

    fn put(&mut self, at: usize, place: Vec<L::Stmt>) {
        let node = self.language.node(&place);
        for v in node.uses.keys() {
            self.users.entry(*v).or_default().insert(at);
        }
        for v in &node.binds {
            self.homes.insert(*v, at);
        }
        if node.stops {
            self.stopping.insert(at);
        }
        if node.relies {
            self.relying.insert(at);
        }
        if let Some(family) = &node.family {
            let members = self.families.entry(family.clone()).or_default();
            members.insert(at);
            self.next.extend(members.range(at + 1..).next());
        }
        self.queue.remove(&at);
        self.next.insert(at);
        self.places[at] = Some((place, node));
    }

    fn stops_between(&self, from: usize, to: usize) -> bool {
        self.stopping.range(from + 1..to).next().is_some()
    }

    /// The results of a map by the places that use them.
    fn groups(&self, at: usize) -> BTreeMap<Vec<usize>, Vec<ValueId>> {
        let mut out: BTreeMap<Vec<usize>, Vec<ValueId>> = BTreeMap::new();
        let binds = self.node(at).map(|n| n.binds.clone()).unwrap_or_default();
        for v in binds {
            out.entry(self.users_of(v)).or_default().push(v);
        }
        out.remove(&Vec::new());
        out
    }

    /// Whether a place can stand at an earlier one: all that it needs, except `but`, is bound before, and nothing in between stops.
    fn can_rise(&self, from: usize, to: usize, but: &[ValueId], types: bool) -> bool {
        let Some(node) = self.node(from) else { return false };
        let bound = |v: &ValueId| but.contains(v) || self.homes.get(v).is_none_or(|home| *home < to);
        let only_type = |uses: &Uses| uses.in_place + uses.elsewhere + uses.whole == 0;
        !self.stops_between(to, from) && node.uses.iter().all(|(v, uses)| bound(v) || (!types && only_type(uses)))
    }

    fn plan(&self, at: usize, users: &[usize], results: &[ValueId]) -> Result<Plan, (Option<usize>, Reason)> {
        let node = self.node(at).expect("a map is there");
        let first = users.first().copied();
        if results.iter().any(|r| self.returned.contains(r)) {
            return Err((first, Reason::Returned));
        }
        let work = self.language.work(self.place(at), results);
        if let (Some(reason), true) = (work.dear, users.len() > 1) {
            return Err((first, reason.in_several(users.len())));
        }
        let mut positions = 0;
        let mut other_positions = false;
        for user in users {
            let fail = |reason| Err((Some(*user), reason));
            let target = self.node(*user).expect("a user is there");
            if target.kind == Kind::Other {
                return fail(Reason::NoOperator);
            }
            let meeting = self.language.meeting(self.place(at), self.place(*user));
            for r in results {
                let uses = self.uses(*user, *r);
                if uses.whole > 0 {
                    return fail(Reason::Whole);
                }
                match meeting {
                    Meeting::Apart(reason) => return fail(reason),
                    Meeting::AnyPosition => {
                        other_positions = true;
                        positions += uses.in_place + uses.elsewhere;
                    }
                    Meeting::Equal | Meeting::SamePositions => {
                        positions += usize::from(uses.in_place > 0) + uses.elsewhere
                    }
                }
                other_positions |= uses.elsewhere > 0;
            }
            if other_positions && !self.any_position(at, *user) {
                return fail(Reason::OtherPosition);
            }
            if node.stops && (users.len() > 1 || other_positions || meeting != Meeting::Equal) {
                return fail(Reason::Checks);
            }
        }
        if let (&[user], false) = (users, other_positions) {
            let others: Vec<ValueId> = node.binds.iter().filter(|b| !results.contains(b)).copied().collect();
            if others.is_empty() {
                return match node.stops {
                    true => self.plan_with_checks(at, user),
                    false => Ok(Plan::Move(user)),
                };
            }
            if node.stops {
                return Err((first, Reason::Checks));
            }
            return match self.language.shared(self.place(at), results, &others) {
                Some(reason) => Err((first, reason)),
                None => Ok(Plan::Copy(users.to_vec())),
            };
        }
        if let Some(reason) = work.dear {
            return Err((first, reason.at_other_positions()));
        }
        if other_positions && work.reads > 1 || work.gathers > 1 {
            return Err((first, Reason::Gathers));
        }
        // What is read and written with the result stored, and with the result computed where it is used.
        let stored = work.reads + results.len() + positions;
        if !other_positions && work.reads * users.len() > stored {
            return Err((first, Reason::Traffic));
        }
        Ok(Plan::Copy(users.to_vec()))
    }

    fn any_position(&self, at: usize, user: usize) -> bool {
        // Asked of the language as if the spaces had nothing in common.
        self.language.meeting(self.place(at), self.place(user)) == Meeting::AnyPosition
            || self.language.meeting(self.place(at), &[]) == Meeting::AnyPosition
    }

    /// A map with checks: down to its user if nothing in between may rely on them, else its user up to it.
    fn plan_with_checks(&self, at: usize, user: usize) -> Result<Plan, (Option<usize>, Reason)> {
        if !self.stops_between(at, user) && self.relying.range(at + 1..user).next().is_none() {
            return Ok(Plan::Move(user));
        }
        let own = &self.node(at).expect("a map is there").binds;
        match self.can_rise(user, at, own, true) {
            true => Ok(Plan::MoveUp(user)),
            false => Err((Some(user), Reason::ChecksBetween)),
        }
    }

    fn produce(&mut self, at: usize) -> bool {
        for (users, results) in self.groups(at) {
            match self.plan(at, &users, &results) {
                Err(_) => continue,
                Ok(Plan::Move(user)) => {
                    let producer = self.take(at);
                    let mut consumer = self.take(user);
                    self.language.absorb(&producer, &results, &mut consumer, false);
                    self.put(user, consumer);
                }
                Ok(Plan::MoveUp(user)) => {
                    let producer = self.take(at);
                    let mut consumer = self.take(user);
                    self.language.absorb(&producer, &results, &mut consumer, false);
                    self.put(at, consumer);
                }
                Ok(Plan::Copy(users)) => {
                    let mut producer = self.take(at);
                    for user in users {
                        let mut consumer = self.take(user);
                        self.language.absorb(&producer, &results, &mut consumer, true);
                        self.put(user, consumer);
                    }
                    self.language.forget(&mut producer, &results);
                    if !self.language.node(&producer).binds.is_empty() {
                        self.put(at, producer);
                    }
                }
            }
            return true;
        }
        false
    }

    fn neighbours(&mut self, at: usize) -> bool {
        let Some(family) = self.node(at).and_then(|n| n.family.as_ref()) else { return false };
        let before: Vec<usize> = self.families[family].range(..at).rev().take(NEAR).copied().collect();
        for first in before {
            let Some(place) = self.joined_at(first, at) else { continue };
            let one = self.take(first);
            let two = self.take(at);
            let both = self.language.join(&one, &two);
            self.put(place, both);
            return true;
        }
        false
    }

    /// Where two operators of a family can stand as one.
    fn joined_at(&self, first: usize, second: usize) -> Option<usize> {
        let (one, two) = (self.node(first)?, self.node(second)?);
        if one.stops && two.relies {
            return None;
        }
        let shared: Vec<ValueId> = one.binds.iter().filter(|b| two.uses.contains_key(b)).copied().collect();
        let in_place = |v: &ValueId| {
            let uses = self.uses(second, *v);
            one.kind == Kind::Map && uses.elsewhere + uses.whole == 0 && !uses.in_type
        };
        if !shared.iter().all(in_place) {
            return None;
        }
        if self.can_rise(second, first, &shared, true) {
            return Some(first);
        }
        let waits = |v: &ValueId| self.users.get(v).is_none_or(|users| users.range(..second).next().is_none());
        (!one.stops && one.binds.iter().all(waits)).then_some(second)
    }

    fn plan_filter(&self, at: usize) -> Result<(usize, bool), (Option<usize>, Reason)> {
        let node = self.node(at).expect("a filter is there");
        let Some((number, columns)) = node.binds.split_first() else { return Err((None, Reason::NoOperator)) };
        let users: BTreeSet<usize> = columns.iter().flat_map(|c| self.users_of(*c)).collect();
        let first = users.first().copied();
        if columns.iter().any(|c| self.returned.contains(c)) {
            return Err((first, Reason::Returned));
        }
        let Some(user) = first else { return Err((None, Reason::NoOperator)) };
        if users.len() > 1 {
            return Err((users.last().copied(), Reason::FilterUsedTwice));
        }
        let up = self.language.masks(self.place(at), self.place(user)).map_err(|reason| (Some(user), reason))?;
        if up {
            // The types of what the consumer binds become those of what the filter kept.
            return match self.can_rise(user, at, &node.binds, false) {
                true => Ok((user, true)),
                false => Err((Some(user), Reason::ChecksBetween)),
            };
        }
        if node.stops && (self.stops_between(at, user) || self.relying.range(at + 1..user).next().is_some()) {
            return Err((Some(user), Reason::ChecksBetween));
        }
        match self.only_totals(*number, user).is_some() || self.can_count(*number, at, user) {
            true => Ok((user, false)),
            false => Err((Some(user), Reason::Counted)),
        }
    }

    /// Whether nobody needs the number kept before the consumer, which can count along.
    fn can_count(&self, number: ValueId, at: usize, user: usize) -> bool {
        let early = self.users.get(&number).is_some_and(|users| users.range(..user).next().is_some());
        !early && self.language.counts(self.place(at), self.place(user))
    }

    /// The places that only read totals that nobody needs, where nothing else but the user needs the number kept.
    fn only_totals(&self, number: ValueId, user: usize) -> Option<Vec<usize>> {
        if self.returned.contains(&number) {
            return None;
        }
        let others: Vec<usize> = self.users_of(number).into_iter().filter(|u| *u != user).collect();
        let fine = others.iter().all(|u| {
            let node = self.node(*u).expect("a user is there");
            let unread = |b: &ValueId| self.users_of(*b).is_empty() && !self.returned.contains(b);
            node.kind != Kind::Filter
                && !node.stops
                && self.uses(*u, number).whole == 0
                && node.binds.iter().all(unread)
        });
        fine.then_some(others)
    }

    fn filter(&mut self, at: usize) -> bool {
        let Ok((user, up)) = self.plan_filter(at) else { return false };
        let number = self.node(at).expect("a filter is there").binds[0];
        let totals = if up { Some(Vec::new()) } else { self.only_totals(number, user) };
        let count = totals.is_none();
        totals.unwrap_or_default().into_iter().for_each(|total| {
            self.take(total);
        });
        let filter = self.take(at);
        let consumer = self.take(user);
        let one = self.language.mask(&filter, &consumer, count);
        self.put(if up { at } else { user }, one);
        true
    }
}
