//! How sizes print.
//!
//! Terms of higher degree come first, the first positive one before all, and the constant last; a denominator stands once, behind the whole: `(n^2 + n)/2`, `2*n*m - 3`,
//! `n + floor(k/2)`, `2^(n - i)`, `[i < 3]*m` (`m` where `i < 3`, else zero), `sum(i < n: k(i))`. The caller names variables and functions;
//! without names they are `s3` and `k3`. The variables of sums are `i j k ...` from the outside in, passing over letters that the caller's
//! names use. Printing is for readers and dumps: nothing parses it back.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;

use crate::expr::{Atom, HeldOp, Monomial, Size, SizeFun, SizeVar};

type Namer<'a, T> = &'a dyn Fn(T) -> String;

/// A size together with the names of its variables; prints with `{}`.
pub struct Shown<'a> {
    size: &'a Size,
    vars: Namer<'a, SizeVar>,
    funs: Namer<'a, SizeFun>,
}

fn plain_var(var: SizeVar) -> String {
    format!("s{}", var.0)
}

fn plain_fun(fun: SizeFun) -> String {
    format!("k{}", fun.0)
}

impl Size {
    /// The size with the caller's names for variables.
    pub fn display<'a>(&'a self, vars: Namer<'a, SizeVar>) -> Shown<'a> {
        Shown { size: self, vars, funs: &plain_fun }
    }

    /// The size with the caller's names for variables and functions.
    pub fn display_with<'a>(&'a self, vars: Namer<'a, SizeVar>, funs: Namer<'a, SizeFun>) -> Shown<'a> {
        Shown { size: self, vars, funs }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(&plain_var).fmt(f)
    }
}

impl fmt::Debug for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut taken: BTreeSet<String> = self.size.vars().into_iter().map(self.vars).collect();
        taken.extend(self.size.funs().into_iter().map(self.funs));
        let text = Text { vars: self.vars, funs: self.funs, taken, bound: Vec::new() }.whole(self.size);
        f.write_str(&text)
    }
}

struct Text<'a> {
    vars: Namer<'a, SizeVar>,
    funs: Namer<'a, SizeFun>,
    taken: BTreeSet<String>,
    /// The variables of the sums around, outermost first.
    bound: Vec<u64>,
}

impl Text<'_> {
    /// The free letter at a depth of nesting.
    fn letter(&self, depth: usize) -> String {
        let letters = "ijklpqruvwxyz".chars().map(String::from);
        let mut names = letters.chain((1u64..).map(|n| format!("i{n}"))).filter(|name| !self.taken.contains(name));
        names.nth(depth).unwrap_or_default()
    }

    fn whole(&mut self, size: &Size) -> String {
        match size.denominator() {
            1 => self.numerator(size),
            den if size.terms.len() == 1 => format!("{}/{den}", self.numerator(size)),
            den => format!("({})/{den}", self.numerator(size)),
        }
    }

    fn numerator(&mut self, size: &Size) -> String {
        let mut terms: Vec<(&Monomial, i128)> = size.terms().collect();
        terms.sort_by_key(|(m, _)| Reverse(m.degree()));
        // `n - i` reads better than `-i + n`.
        if let Some(first) = terms.iter().position(|(m, c)| *c > 0 && m.degree() > 0) {
            terms[..=first].rotate_right(1);
        }
        let mut text = String::new();
        for (monomial, coefficient) in terms {
            text += match (text.is_empty(), coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let mut factors: Vec<String> = monomial.factors().iter().map(|(a, e)| self.power(a, *e)).collect();
            if coefficient.unsigned_abs() != 1 || factors.is_empty() {
                factors.insert(0, coefficient.unsigned_abs().to_string());
            }
            text += &factors.join("*");
        }
        if text.is_empty() { "0".to_string() } else { text }
    }

    fn power(&mut self, atom: &Atom, exponent: u32) -> String {
        match exponent {
            1 => self.atom(atom),
            _ => format!("{}^{exponent}", self.atom(atom)),
        }
    }

    /// `[i < c]` for `i - c`: what is subtracted stands on the right.
    fn condition(&mut self, test: &Size) -> String {
        let mut part = |sign: i128| {
            let terms = test.terms.iter().filter(|(_, c)| **c * sign > 0).map(|(m, c)| (m.clone(), *c * sign));
            self.whole(&Size { terms: terms.collect(), den: 1 })
        };
        format!("[{} < {}]", part(1), part(-1))
    }

    fn list(&mut self, sizes: &[Size], between: &str) -> String {
        sizes.iter().map(|s| self.whole(s)).collect::<Vec<_>>().join(between)
    }

    fn atom(&mut self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => (self.vars)(*var),
            Atom::Bound(name) => match self.bound.iter().rposition(|b| b == name) {
                Some(depth) => self.letter(depth),
                None => format!("i'{name}"),
            },
            Atom::Apply { fun, args } => {
                format!("{}({})", (self.funs)(*fun), self.list(args, ", "))
            }
            Atom::FloorDiv(inner, by) => match inner.as_atom() {
                Some(atom) => format!("floor({}/{by})", self.atom(atom)),
                None => format!("floor(({})/{by})", self.whole(inner)),
            },
            Atom::Min(args) => format!("min({})", self.list(args, ", ")),
            Atom::Max(args) => format!("max({})", self.list(args, ", ")),
            Atom::Sum(sum) => {
                let upper = self.whole(&sum.upper);
                let letter = self.letter(self.bound.len());
                self.bound.push(sum.bound);
                let body = self.whole(&sum.body);
                self.bound.pop();
                format!("sum({letter} < {upper}: {body})")
            }
            Atom::Pow2(exponent) => match exponent.as_atom() {
                Some(atom @ (Atom::Var(_) | Atom::Bound(_) | Atom::Apply { .. })) => format!("2^{}", self.atom(atom)),
                _ => format!("2^({})", self.whole(exponent)),
            },
            Atom::Below(test) => self.condition(test),
            Atom::Held { op: HeldOp::Add, args } => format!("[{}]", self.list(args, " + ")),
            Atom::Held { op: HeldOp::Div, args } => format!("[({})]", self.list(args, ")/(")),
            Atom::Held { op: HeldOp::Mul, args } => format!("[({})]", self.list(args, ")*(")),
        }
    }
}
