//! Labels: what is the same at all points, found before anything is translated.
//!
//! An abstract interpretation gives every value of Core the [`Form`] in which it crosses borders:
//!
//! ```text
//! [loop xs = row while len(xs) > 1 do halves(xs) for row in rows]      rows : [n][m]f64
//!
//! row   Packed      all rows have length m
//! xs    Regular     len(xs) is the same at all points, now and after every step, since the condition is
//! ```
//!
//! A scalar is the same where its operands are; a length is where a count is, or where the shape analysis has a formula for
//! it over things that are. Where the condition of a branch or loop is the same at all points, both sides may have lengths of
//! their own and the result stays regular; where it is not, a length must have one formula (*Preserving Regularity*, paper
//! 002, section 4; the rules there are iterated to a fixpoint here, since a loop may spoil what its first iteration had).
//! Loops and recursive functions start from the best that is possible.
//!
//! A function has labels for each *pattern*, the forms of its arguments, and is translated once for each. There are at most
//! [`PATTERNS`]; what comes later is taken as if nothing was known of it.

mod sizes;
mod walk;

use super::form::{Form, How};
use super::kept::{runs_alone, whole_form};
use super::lone_points::LonePoints;
use crate::analysis::shapes::Analysis;
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_ir::core::{Program, Role, Type};
use terrace_ir::{FuncId, ValueId};
use walk::Walk;

/// How many versions a function may have.
const PATTERNS: usize = 4;
/// After so many rounds the results of recursive functions are given up.
const ROUNDS: usize = 12;

/// The forms of a function's arguments, and whether it is called at many points at once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    pub(super) lifted: bool,
    /// Whether a thread runs it by itself (`kept.rs`).
    pub(super) alone: bool,
    pub(super) params: Vec<Form>,
}

impl Pattern {
    /// In which a thread calls a function: arrays are parts of their bases.
    pub(super) fn alone(program: &Program, f: FuncId) -> Pattern {
        let function = &program.functions[f];
        let params = function.params.iter().map(|p| Form::view(&function.values[*p].ty));
        Pattern { lifted: false, alone: true, params: params.collect() }
    }

    /// In which a thread runs the body of a map, of which these are the labels of what it is given: the same, at one point.
    pub(super) fn of_point(labels: impl Iterator<Item = Form>) -> Pattern {
        Pattern { lifted: false, alone: true, params: labels.map(Form::of_one).collect() }
    }
}

/// What was found out about a function called in a pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionLabels {
    pub(super) values: BTreeMap<ValueId, Form>,
    /// Nothing if it never comes back.
    pub(super) result: Option<Form>,
}

/// The labels of a whole program.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    functions: BTreeMap<(FuncId, Pattern), FunctionLabels>,
    /// Which version stands for a pattern that has none of its own.
    instead: BTreeMap<(FuncId, Pattern), Pattern>,
}

impl Labels {
    /// Labels everything that entries and tests reach.
    pub(super) fn find(program: &Program, analysis: &Analysis, points: &LonePoints, regularity: bool) -> Labels {
        let mut before = Labels::default();
        for round in 0..ROUNDS {
            let give_up = round + 2 >= ROUNDS;
            let found = Labels::default();
            let mut search = Search { program, analysis, points, regularity, before: &before, found, give_up };
            for (f, function) in program.functions.enumerate() {
                if function.role != Role::Internal {
                    search.function(f, &Labels::entry(program, f, regularity));
                }
            }
            let found = search.found;
            let same = before.functions.len() == found.functions.len()
                && before.functions.iter().zip(&found.functions).all(|(a, b)| a.0 == b.0 && a.1.result == b.1.result);
            before = found;
            if same {
                break;
            }
        }
        before
    }

    /// The pattern in which the host calls an entry.
    pub(super) fn entry(program: &Program, f: FuncId, regularity: bool) -> Pattern {
        let function = &program.functions[f];
        let params = function.params.iter().map(|p| entry_form(&function.values[*p].ty, regularity));
        Pattern { lifted: false, alone: false, params: params.collect() }
    }

    pub(super) fn of(&self, function: FuncId, pattern: &Pattern) -> Option<&FunctionLabels> {
        self.functions.get(&(function, pattern.clone()))
    }

    /// The version that a call in this pattern is a call of.
    pub(super) fn version(&self, function: FuncId, pattern: &Pattern) -> Pattern {
        self.instead.get(&(function, pattern.clone())).unwrap_or(pattern).clone()
    }
}

/// One round: everything is labelled once, with what the round before found out about calls.
struct Search<'a> {
    program: &'a Program,
    analysis: &'a Analysis,
    points: &'a LonePoints,
    regularity: bool,
    before: &'a Labels,
    found: Labels,
    give_up: bool,
}

impl Search<'_> {
    /// Labels a function; gives the form of its result, or nothing if it never comes back.
    fn function(&mut self, f: FuncId, pattern: &Pattern) -> Option<Form> {
        let key = (f, pattern.clone());
        let function = &self.program.functions[f];
        let nothing = if pattern.lifted { Form::per_point(&function.result) } else { Form::view(&function.result) };
        let before = match self.give_up {
            true => Some(nothing.clone()),
            false => self.before.functions.get(&key).and_then(|l| l.result.clone()),
        };
        if let Some(labels) = self.found.functions.get(&key) {
            return labels.result.clone();
        }
        self.found.functions.insert(key.clone(), FunctionLabels { values: BTreeMap::new(), result: before.clone() });
        let mut walk = Walk::new(self, f, pattern);
        let result = walk.body(&function.body);
        let values = walk.values;
        let result = match (before, result) {
            _ if self.give_up => Some(nothing),
            (Some(before), Some(now)) => Some(before.join(&now)),
            (before, now) => now.or(before),
        };
        self.found.functions.insert(key, FunctionLabels { values, result: result.clone() });
        result
    }

    /// Labels what a call needs; `lifted` where it stands in parallel code, `alone` where a thread runs that.
    fn call(&mut self, f: FuncId, args: Vec<Form>, lifted: bool, alone: bool) -> Option<Form> {
        let lifted = lifted && !args.iter().all(Form::is_same);
        let result = &self.program.functions[f].result;
        if alone {
            self.function(f, &Pattern::alone(self.program, f));
            return Some(if lifted { Form::per_point(result) } else { whole_form(result) });
        }
        if lifted && runs_alone(self.program, &self.program.functions[f]) {
            self.function(f, &Pattern::alone(self.program, f));
        }
        let wanted = Pattern { lifted, alone: false, params: args };
        let key = (f, wanted.clone());
        let pattern = match self.found.instead.get(&key) {
            Some(pattern) => pattern.clone(),
            None if self.found.functions.contains_key(&key) => wanted,
            None if self.found.functions.keys().filter(|(g, p)| *g == f && !p.alone).count() + 2 < PATTERNS => wanted,
            None => {
                let function = &self.program.functions[f];
                let types = function.params.iter().map(|p| &function.values[*p].ty);
                let any = if lifted { Form::per_point } else { Form::view };
                let pattern = Pattern { lifted, alone: false, params: types.map(any).collect() };
                self.found.instead.insert(key, pattern.clone());
                pattern
            }
        };
        self.function(f, &pattern)
    }
}

/// The form of an entry's parameter.
fn entry_form(ty: &Type, regularity: bool) -> Form {
    match ty {
        Type::Scalar(s) => Form::Same(*s),
        Type::Tuple(ts) => Form::Tuple(ts.iter().map(|t| entry_form(t, regularity)).collect()),
        Type::Array(a) => {
            Form::Array(How::Whole, Box::new(entry_row(&a.elem, a.position.into_iter().collect(), regularity)))
        }
        Type::Sum(_) => Form::Tuple(Vec::new()),
    }
}

fn entry_row(ty: &Type, mut around: Vec<SizeVar>, regularity: bool) -> Form {
    match ty {
        Type::Scalar(s) => Form::Each(*s),
        Type::Tuple(ts) => Form::Tuple(ts.iter().map(|t| entry_row(t, around.clone(), regularity)).collect()),
        Type::Array(a) => {
            let fixed = |size: &Size| size.funs().is_empty() && !size.vars().iter().any(|v| around.contains(v));
            let how = if regularity && a.length.as_ref().is_some_and(fixed) { How::Packed } else { How::Irregular };
            around.extend(a.position);
            Form::Array(how, Box::new(entry_row(&a.elem, around, regularity)))
        }
        Type::Sum(_) => Form::Tuple(Vec::new()),
    }
}
