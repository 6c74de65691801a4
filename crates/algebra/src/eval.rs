//! Sizes as numbers.
//!
//! Given the values of variables and functions, a size has a value: `(n^2 + n)/2` at `n = 4` is 10. The arithmetic is exact in 128 bits, and
//! an answer is given only where every step fits: `None` means that something has no value, that a number is out of range (the result must
//! fit 64 bits), or that a sum is too long to add up. Sums are added term by term here, so this is also the yardstick of their closed forms;
//! a sum with a negative upper end is zero.
//!
//! Machines compute in words that wrap. A polynomial whose value fits is right there even where a term does not fit: `x^2 - (x - 1)*(x + 1)` is 1
//! for every `x`. [`Size::eval_wrapping`] reads a size in this way.

use crate::expr::{Atom, HeldOp, Size, SizeFun, SizeVar};
use crate::power::MAX_SHIFT;

const MAX_WORK: u32 = 1 << 22;

impl Size {
    /// The value, where all variables have one and nothing overflows; applications have none.
    pub fn eval(&self, env: &dyn Fn(SizeVar) -> Option<i64>) -> Option<i64> {
        self.eval_with(env, &|_, _| None)
    }

    /// The value under an environment for variables and functions.
    pub fn eval_with(
        &self,
        env: &dyn Fn(SizeVar) -> Option<i64>,
        funs: &dyn Fn(SizeFun, &[i64]) -> Option<i64>,
    ) -> Option<i64> {
        let mut evaluation = Evaluation { env, funs, bound: Vec::new(), fuel: MAX_WORK, wraps: false };
        i64::try_from(evaluation.size(self)?).ok()
    }

    /// The value, where terms of a polynomial may wrap on the way to it.
    pub fn eval_wrapping(&self, env: &dyn Fn(SizeVar) -> Option<i64>) -> Option<i64> {
        let mut evaluation = Evaluation { env, funs: &|_, _| None, bound: Vec::new(), fuel: MAX_WORK, wraps: true };
        i64::try_from(evaluation.size(self)?).ok()
    }
}

struct Evaluation<'a> {
    env: &'a dyn Fn(SizeVar) -> Option<i64>,
    funs: &'a dyn Fn(SizeFun, &[i64]) -> Option<i64>,
    bound: Vec<(u64, i128)>,
    fuel: u32,
    /// Whether products and sums may leave the range on the way.
    wraps: bool,
}

impl Evaluation<'_> {
    fn size(&mut self, size: &Size) -> Option<i128> {
        let mut sum: i128 = 0;
        for (monomial, coefficient) in &size.terms {
            // A condition that fails rules out its branch, which may have no value there.
            let mut conditions = monomial.0.iter().filter(|(atom, _)| matches!(atom, Atom::Below(_)));
            if conditions.any(|(atom, _)| self.atom(atom) == Some(0)) {
                continue;
            }
            let mut product = *coefficient;
            for (atom, exponent) in &monomial.0 {
                let factor = self.atom(atom)?;
                product = match self.wraps {
                    true => product.wrapping_mul(factor.wrapping_pow(*exponent)),
                    false => product.checked_mul(factor.checked_pow(*exponent)?)?,
                };
            }
            sum = if self.wraps { sum.wrapping_add(product) } else { sum.checked_add(product)? };
        }
        (sum % size.den == 0).then_some(sum / size.den)
    }

    fn all(&mut self, sizes: &[Size]) -> Option<Vec<i128>> {
        sizes.iter().map(|s| self.size(s)).collect()
    }

    fn atom(&mut self, atom: &Atom) -> Option<i128> {
        self.fuel = self.fuel.checked_sub(1)?;
        match atom {
            Atom::Var(var) => (self.env)(*var).map(i128::from),
            Atom::Bound(name) => self.bound.iter().rev().find(|(n, _)| n == name).map(|(_, v)| *v),
            Atom::Apply { fun, args } => {
                let args = self.all(args)?.into_iter().map(|v| i64::try_from(v).ok()).collect::<Option<Vec<_>>>()?;
                (self.funs)(*fun, &args).map(i128::from)
            }
            Atom::FloorDiv(inner, by) => self.size(inner)?.checked_div_euclid(i128::from(*by)),
            Atom::Min(args) => self.all(args)?.into_iter().min(),
            Atom::Max(args) => self.all(args)?.into_iter().max(),
            Atom::Held { op: HeldOp::Add, args } => self.all(args)?.into_iter().try_fold(0, i128::checked_add),
            Atom::Held { op: HeldOp::Mul, args } => self.all(args)?.into_iter().try_fold(1, i128::checked_mul),
            Atom::Held { op: HeldOp::Div, args } => {
                let values = self.all(args)?;
                values[0].checked_div(values[1])
            }
            Atom::Pow2(exponent) => match self.size(exponent)? {
                ..=-1 => Some(0),
                shift @ 0..=MAX_SHIFT => Some(1 << shift),
                _ => None,
            },
            Atom::Below(size) => self.size(size).map(|value| i128::from(value < 0)),
            Atom::Sum(sum) => {
                let upper = self.size(&sum.upper)?;
                let mut total: i128 = 0;
                let mut at = 0;
                while at < upper {
                    self.bound.push((sum.bound, at));
                    let term = self.size(&sum.body);
                    self.bound.pop();
                    total = total.checked_add(term?)?;
                    at += 1;
                }
                Some(total)
            }
        }
    }
}
