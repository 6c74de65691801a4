//! The naive twin of an Lmad: its positions, listed, in all small models of some assumptions.
//!
//! Text has the form of paper 004, `n + 1 + {c : n*b - b} {b : 1}`, with sizes as in the head of `naive`. Assumptions are chains such as
//! `0 <= k < p`, separated by semicolons; `n := p*b` replaces a variable everywhere.
#![allow(dead_code, reason = "each test file uses a part")]

use crate::naive::{Env, Tree, eval, grid, parse, var};
use terrace_algebra::{Assumptions, Lmad, Size};

/// Assumptions, for the prover and for evaluation.
pub(crate) struct Given {
    replaced: Vec<(u8, Tree)>,
    facts: Vec<(Tree, String, Tree)>,
    pub(crate) known: Assumptions,
}

pub(crate) fn given(text: &str) -> Given {
    let mut given = Given { replaced: Vec::new(), facts: Vec::new(), known: Assumptions::new() };
    for part in text.split(';').map(str::trim).filter(|p| !p.is_empty()) {
        match part.split_once(":=") {
            Some((name, tree)) => given.replaced.push((name.trim().as_bytes()[0], parse(tree))),
            None => given.facts.extend(comparisons(part)),
        }
    }
    for (a, operator, b) in &given.facts {
        let (a, b) = (given.size(a), given.size(b));
        match operator.as_str() {
            "<=" => given.known.assume_le(&a, &b),
            "<" => given.known.assume_lt(&a, &b),
            _ => given.known.assume_eq(&a, &b),
        }
    }
    given
}

/// `a <= b < c` as its neighbouring comparisons.
fn comparisons(chain: &str) -> Vec<(Tree, String, Tree)> {
    let mut sides = vec![String::new()];
    let mut operators: Vec<String> = Vec::new();
    for c in chain.chars() {
        match c {
            '<' => operators.push("<".into()),
            '=' if sides.last().is_some_and(String::is_empty) => operators.last_mut().expect("an operator").push('='),
            '=' => operators.push("=".into()),
            ' ' => continue,
            _ => {
                sides.last_mut().expect("a side").push(c);
                continue;
            }
        }
        if sides.len() == operators.len() {
            sides.push(String::new());
        }
    }
    let sides: Vec<Tree> = sides.iter().map(|s| parse(s)).collect();
    sides.windows(2).zip(operators).map(|(pair, o)| (pair[0].clone(), o, pair[1].clone())).collect()
}

impl Given {
    fn size(&self, tree: &Tree) -> Size {
        self.replaced.iter().fold(tree.size(), |s, (name, by)| s.substitute(var(*name), &by.size()))
    }

    /// An Lmad from text.
    pub(crate) fn lmad(&self, text: &str) -> Lmad {
        let (offset, dims) = text.split_once('{').unwrap_or((text, ""));
        let pair = |dim: &str| {
            let (count, stride) = dim.split_once(':').expect("count : stride");
            (self.size(&parse(count)), self.size(&parse(stride)))
        };
        let dims = dims.split('{').map(|d| d.trim().trim_end_matches('}')).filter(|d| !d.is_empty());
        Lmad::new(self.size(&parse(offset.trim().trim_end_matches('+'))), dims.map(pair))
    }

    /// The values of the named variables for which the assumptions hold; an equation gives the value of a variable that is not named.
    pub(crate) fn models(&self, names: &str, most: i64) -> Vec<Env> {
        let mut all = grid(names.as_bytes(), 0..=most);
        for env in &mut all {
            for (a, operator, b) in &self.facts {
                if let (Tree::Var(name), "=") = (a, operator.as_str()) {
                    env[usize::from(name - b'a')] = b.value(env);
                }
            }
            for (name, tree) in self.replaced.iter().rev() {
                env[usize::from(name - b'a')] = tree.value(env);
            }
        }
        all.retain(|env| self.facts.iter().all(|f| holds(f, env)));
        all
    }
}

fn holds((a, operator, b): &(Tree, String, Tree), env: &Env) -> bool {
    let (a, b) = (a.value(env), b.value(env));
    match operator.as_str() {
        "<=" => a <= b,
        "<" => a < b,
        _ => a == b,
    }
}

/// The positions in order, for one assignment of the variables.
pub(crate) fn positions(lmad: &Lmad, env: &Env) -> Vec<i64> {
    let number = |size: &Size| eval(size, env).expect("a number");
    let mut all = vec![number(&lmad.offset)];
    for dim in &lmad.dims {
        let (count, stride) = (number(&dim.count), number(&dim.stride));
        all = all.iter().flat_map(|at| (0..count).map(move |i| at + i * stride)).collect();
    }
    all
}

/// Whether the lists have a position in common.
pub(crate) fn meet(a: &[i64], b: &[i64]) -> bool {
    a.iter().any(|at| b.contains(at))
}

/// Whether a position is listed twice.
pub(crate) fn repeats(list: &[i64]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|w| w[0] == w[1])
}
