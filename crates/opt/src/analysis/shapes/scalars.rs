//! Integers that carry their value, and booleans that carry their meaning.
//!
//! Program integers wrap; sizes do not. `a + b` is the sum of two sizes only where the ranges show that the sum fits the type, else it is
//! an integer of which nothing is known but its range:
//!
//! ```text
//! let n = length xs       n is len(xs), at most 2^47
//! let m = n * 2           fits: m is 2*len(xs)
//! let k = a * b           any i64s: k is just k
//! ```
//!
//! Division by a positive constant is exact where the dividend is one symbol or everything in it is near: a machine computes formulas in 64 bits, and what wraps
//! inside a division stays wrong (`x % 5` is `x - 5*floor(x/5)`, but `(n - x % 5) / 3` has `2*x` inside once factors are taken modulo 3).
//! Elsewhere, and by a positive unknown, the quotient is a name with its defining bounds, `q*b <= a < q*b + b`.

use super::deps::Deps;
use super::knowledge::LONGEST;
use super::symbols::{applied, is_integer, range_of};
use super::truth::Truth;
use super::walk::{Limits, Walk};
use terrace_algebra::{Claim, Size};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::core::{Expr, Type};
use terrace_ir::shape::{Shape, as_symbol};
use terrace_ir::{Atom, ValueId};

/// Beyond every sum of two integers.
const FAR: i128 = 1 << 100;

/// Below this a few integers can be added and scaled without leaving 64 bits.
const NEAR: i128 = 1 << 50;

impl<'p> Walk<'p> {
    /// The shape of scalar work; none for anything else.
    pub(super) fn scalar(&mut self, value: ValueId, expr: &'p Expr, operands: Deps) -> Option<(Shape, Deps)> {
        let found = match expr {
            Expr::Atom(atom) => {
                if let Some(truth) = self.boolean(value).then(|| self.truth(*atom)) {
                    self.truths.insert(value, truth);
                }
                return Some((self.shape(*atom), operands));
            }
            Expr::Unary(op, a) => self.unary(value, *op, *a),
            Expr::Binary(op, a, b) => self.binary(value, *op, *a, *b),
            Expr::Convert(to, a) => self.converted(value, *to, *a),
            Expr::Precedes(..) | Expr::Fma(..) => None,
            Expr::Disjoint(strides) => {
                if self.apart(strides) {
                    self.truths.insert(value, Truth::Known(true));
                }
                None
            }
            _ => return None,
        };
        let shape = match self.type_of(value) {
            Type::Scalar(ty) if is_integer(*ty) => {
                Shape::Integer(found.unwrap_or_else(|| self.own(value, &[], Some(*ty), operands)))
            }
            _ => Shape::Other,
        };
        Some((shape, operands))
    }

    fn boolean(&self, value: ValueId) -> bool {
        *self.type_of(value) == Type::Scalar(ScalarType::Bool)
    }

    fn range(&self, value: ValueId) -> Option<(i128, i128)> {
        self.type_of(value).scalar().and_then(range_of)
    }

    /// The size, if no value of the type could be another one.
    fn if_fits(&self, value: ValueId, size: Size) -> Option<Size> {
        let (low, high) = self.range(value)?;
        if self.known.fits(&size, (low, high)) {
            return Some(size);
        }
        // What is at most the number of elements of an array fits too.
        let small = high >= LONGEST && size.degree() > 1 && self.known.fits(&size, (low, FAR)) && {
            let at_most = |total: &&Size| self.known.proves_claim(&Claim::Le(size.clone(), Size::clone(total)));
            self.noted_last().any(|total| at_most(&total))
        };
        small.then_some(size)
    }

    /// An integer of which only bounds are known.
    pub(super) fn bounded(&mut self, value: ValueId, deps: Deps, low: Option<Size>, high: Option<Size>) -> Size {
        let ty = self.type_of(value).scalar();
        let size = self.own(value, &[], ty, deps);
        self.limit(&size, low, high);
        size
    }

    /// Bounds of a size that is a symbol at positions `p0`, `p1`, ….
    pub(super) fn limit(&mut self, size: &Size, low: Option<Size>, high: Option<Size>) {
        let Some((symbol, args)) = as_symbol(size) else { return };
        // Where an array is empty, bounds of its elements may contradict each other.
        let least = low.clone().unwrap_or_else(Size::zero);
        let guard: Vec<Claim> = match (&high, args.is_empty()) {
            (Some(high), false) => vec![Claim::Le(least, high.clone())],
            _ => Vec::new(),
        };
        if let Some(low) = &low {
            self.known.assume_where(&Claim::Le(low.clone(), size.clone()), &[symbol], &guard);
        }
        if let Some(high) = &high {
            self.known.assume_where(&Claim::Le(size.clone(), high.clone()), &[symbol], &guard);
        }
        self.limits.insert(symbol, Limits { low, high });
    }

    fn unary(&mut self, value: ValueId, op: UnOp, a: Atom) -> Option<Size> {
        match op {
            UnOp::Not if self.boolean(value) => {
                let truth = self.truth(a).negate();
                self.truths.insert(value, truth);
                None
            }
            UnOp::Neg => {
                self.range(value)?;
                let size = -self.integer(a);
                self.if_fits(value, size)
            }
            UnOp::Abs => {
                self.range(value)?;
                let size = self.integer(a);
                self.if_fits(value, Size::max_of(&[size.clone(), -size]))
            }
            _ => None,
        }
    }

    fn converted(&mut self, value: ValueId, to: ScalarType, a: Atom) -> Option<Size> {
        if self.boolean(value) {
            let truth = self.truth(a);
            self.truths.insert(value, truth);
        }
        range_of(to)?;
        match self.shape(a) {
            Shape::Integer(size) => self.if_fits(value, size),
            Shape::Other => {
                // A boolean becomes 0 or 1.
                let boolean = match a {
                    Atom::Var(v) => self.boolean(v),
                    Atom::Const(c) => c.ty() == ScalarType::Bool,
                };
                let deps = self.data(a);
                boolean.then(|| self.bounded(value, deps, Some(Size::zero()), Some(Size::one())))
            }
            _ => None,
        }
    }

    fn binary(&mut self, value: ValueId, op: BinOp, a: Atom, b: Atom) -> Option<Size> {
        if self.boolean(value) {
            let truth = self.comparison(op, a, b);
            self.truths.insert(value, truth);
            return None;
        }
        let ty = self.type_of(value).scalar().filter(|ty| is_integer(*ty))?;
        let deps = self.data_or_size(a).and(self.data_or_size(b));
        let (a, b) = (self.integer(a), self.integer(b));
        if let Some(known) = self.known.computed((op, ty), &a, &b) {
            return Some(known);
        }
        let found = self.integer_result(value, op, &a, &b, deps).unwrap_or_else(|| {
            let named = self.own(value, &[], Some(ty), deps);
            self.remember_exact(value, op, &a, &b, &named);
            named
        });
        if as_symbol(&found).is_some() {
            self.known.compute((op, ty), &a, &b, found.clone());
        }
        Some(found)
    }

    /// What a sum or difference of 64-bit integers is unless it wraps.
    fn remember_exact(&mut self, value: ValueId, op: BinOp, a: &Size, b: &Size, named: &Size) {
        let exact = match op {
            BinOp::Add => a + b,
            BinOp::Sub => a - b,
            _ => return,
        };
        if self.type_of(value).scalar() != Some(ScalarType::I64) {
            return;
        }
        let above = !self.known.fits(&exact, (-FAR, i64::MAX.into()));
        let below = !self.known.fits(&exact, (i64::MIN.into(), FAR));
        if let Some((symbol, _)) = as_symbol(named) {
            self.known.may_wrap(symbol, exact, above, below);
        }
    }

    fn integer_result(&mut self, value: ValueId, op: BinOp, a: &Size, b: &Size, deps: Deps) -> Option<Size> {
        match op {
            BinOp::Add => self.if_fits(value, a + b),
            BinOp::Sub => self.if_fits(value, a - b),
            BinOp::Mul => self.if_fits(value, a * b),
            BinOp::Min => Some(Size::min_of(&[a.clone(), b.clone()])),
            BinOp::Max => Some(Size::max_of(&[a.clone(), b.clone()])),
            BinOp::Div => match b.as_constant().filter(|_| self.is_near(a) || as_symbol(a).is_some()) {
                Some(by) => self.if_fits(value, a.floor_div(by)?),
                None => self.quotient(value, a, b, deps),
            },
            BinOp::Rem => match b.as_constant().filter(|_| self.is_near(a)) {
                Some(by) => self.if_fits(value, a.floor_mod(by)?),
                None => self.remainder(value, a, b, deps),
            },
            BinOp::Shl => {
                let power = match b.as_constant() {
                    Some(by @ 0..=62) => Size::constant(1 << by),
                    Some(_) => return None,
                    None if self.known.fits(b, (0, 62)) => Size::pow2(b),
                    None => return None,
                };
                self.if_fits(value, a * power)
            }
            BinOp::Shr => match b.as_constant() {
                Some(by @ 0..=62) => self.integer_result(value, BinOp::Div, a, &Size::constant(1 << by), deps),
                _ if self.known.never_negative(a) => {
                    Some(self.bounded(value, deps, Some(Size::zero()), Some(a.clone())))
                }
                _ => None,
            },
            BinOp::And => {
                let mask = [a, b].into_iter().find(|s| s.as_constant().is_some_and(|c| c >= 0)).cloned()?;
                Some(self.bounded(value, deps, Some(Size::zero()), Some(mask)))
            }
            _ => None,
        }
    }

    /// Whether nothing in a size is far from zero, so that formulas with its parts do not wrap.
    fn is_near(&self, size: &Size) -> bool {
        size.atoms().into_iter().all(|atom| self.known.fits(&Size::from(atom.clone()), (-NEAR, NEAR)))
    }

    fn quotient(&mut self, value: ValueId, a: &Size, b: &Size, deps: Deps) -> Option<Size> {
        let ty = self.type_of(value).scalar()?;
        if !self.known.proves_claim(&Claim::Le(Size::one(), b.clone())) {
            return None;
        }
        let positive = self.known.never_negative(a);
        let (low, high) = if positive { (Some(Size::zero()), Some(a.clone())) } else { (None, None) };
        let q = self.bounded(value, deps, low, high);
        self.known.assume(&Claim::Le(&q * b, a.clone()));
        self.known.assume(&Claim::Lt(a.clone(), &q * b + b));
        self.lasting(BinOp::Div, ty, a, b, &q);
        if let Some(r) = self.divided.get(&(BinOp::Rem, ty, a.clone(), b.clone())).cloned() {
            self.known.assume(&Claim::Eq(applied(r, Vec::new()), a - &q * b));
        }
        Some(q)
    }

    fn remainder(&mut self, value: ValueId, a: &Size, b: &Size, deps: Deps) -> Option<Size> {
        let ty = self.type_of(value).scalar()?;
        if !self.known.proves_claim(&Claim::Le(Size::one(), b.clone())) {
            return None;
        }
        let r = self.bounded(value, deps, Some(Size::zero()), Some(b - 1));
        if self.known.never_negative(a) {
            self.known.assume(&Claim::Le(r.clone(), a.clone()));
        }
        self.lasting(BinOp::Rem, ty, a, b, &r);
        if let Some(q) = self.divided.get(&(BinOp::Div, ty, a.clone(), b.clone())).cloned() {
            self.known.assume(&Claim::Eq(r.clone(), a - applied(q, Vec::new()) * b));
        }
        Some(r)
    }

    /// A quotient or a remainder is a number that its operands determine: a condition may speak of it outside the branch in which
    /// it was computed (`size < 1 || n % size != 0`).
    fn lasting(&mut self, op: BinOp, ty: ScalarType, a: &Size, b: &Size, result: &Size) {
        if let Some((symbol, _)) = as_symbol(result) {
            self.divided.retain(|_, known| *known != symbol);
            self.divided.insert((op, ty, a.clone(), b.clone()), symbol);
        }
    }

    /// Whether a size mentions what exists only in a body at least as deep as `scope`, other than quotients and remainders.
    pub(super) fn is_lost(&self, size: &Size, scope: usize) -> bool {
        terrace_ir::shape::symbols_of(size).into_iter().any(|s| {
            let itself = applied(s, Vec::new());
            if !self.symbols.is_inside(&itself, scope, None) {
                return false;
            }
            let of = self.divided.iter().find(|(_, symbol)| **symbol == s);
            of.is_none_or(|((_, _, a, b), _)| {
                self.symbols.is_inside(a, scope, None) || self.symbols.is_inside(b, scope, None)
            })
        })
    }

    fn comparison(&mut self, op: BinOp, a: Atom, b: Atom) -> Truth {
        if matches!(op, BinOp::And | BinOp::Or) {
            let (a, b) = (self.truth(a), self.truth(b));
            return if op == BinOp::And { a.and(b) } else { a.or(b) };
        }
        let (Shape::Integer(a), Shape::Integer(b)) = (self.shape(a), self.shape(b)) else {
            return Truth::Unknown;
        };
        Truth::Claim(match op {
            BinOp::Eq => Claim::Eq(a, b),
            BinOp::Ne => Claim::Ne(a, b),
            BinOp::Lt => Claim::Lt(a, b),
            BinOp::Le => Claim::Le(a, b),
            BinOp::Gt => Claim::Lt(b, a),
            BinOp::Ge => Claim::Le(b, a),
            _ => return Truth::Unknown,
        })
    }
}
