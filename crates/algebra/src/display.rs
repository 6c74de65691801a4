//! How sizes print.
//!
//! Terms of higher degree come first and the constant last; a denominator stands once, behind the whole: `(n^2 + n)/2`, `2*n*m - 3`,
//! `n + floor(k/2)`, `sum(i' < n: k(i'))`. The caller names variables and functions; without names they are `s3` and `k3`. Bound variables
//! are `i' j' k'` from the inside out, which no identifier of the language can be. Printing is for readers and dumps: nothing parses it back.

use std::cmp::Reverse;
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
        f.write_str(&self.whole(self.size))
    }
}

impl Shown<'_> {
    fn whole(&self, size: &Size) -> String {
        match size.denominator() {
            1 => self.numerator(size),
            den if size.terms.len() == 1 => format!("{}/{den}", self.numerator(size)),
            den => format!("({})/{den}", self.numerator(size)),
        }
    }

    fn numerator(&self, size: &Size) -> String {
        let mut terms: Vec<(&Monomial, i128)> = size.terms().collect();
        terms.sort_by_key(|(m, _)| Reverse(m.degree()));
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

    fn power(&self, atom: &Atom, exponent: u32) -> String {
        match exponent {
            1 => self.atom(atom),
            _ => format!("{}^{exponent}", self.atom(atom)),
        }
    }

    fn list(&self, sizes: &[Size], between: &str) -> String {
        sizes.iter().map(|s| self.whole(s)).collect::<Vec<_>>().join(between)
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => (self.vars)(*var),
            Atom::Bound(name) => match name {
                1 => "i'".to_string(),
                2 => "j'".to_string(),
                3 => "k'".to_string(),
                _ => format!("i'{name}"),
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
                let bound = self.atom(&Atom::Bound(sum.bound));
                format!("sum({bound} < {}: {})", self.whole(&sum.upper), self.whole(&sum.body))
            }
            Atom::Held { op: HeldOp::Add, args } => format!("[{}]", self.list(args, " + ")),
            Atom::Held { op: HeldOp::Div, args } => format!("[({})]", self.list(args, ")/(")),
            Atom::Held { op: HeldOp::Mul, args } => format!("[({})]", self.list(args, ")*(")),
        }
    }
}
