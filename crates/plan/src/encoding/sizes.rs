//! Sizes as bytes: the terms over a common denominator, each a coefficient and powers of variables and operations.
//!
//! ```text
//! (n^2 + n)/2        2   1 (n 2)   1 (n 1)
//! ```
//!
//! Reading computes the size again by the operations of the algebra, which gives the one canonical form.

use super::{Coded, Reader, Writer};
use terrace_algebra::{Atom, Size, SizeVar};

impl Coded for Size {
    fn put(&self, to: &mut Writer) {
        let terms: Vec<_> = self.terms().collect();
        integer(self.denominator(), to);
        terms.len().put(to);
        for (monomial, coefficient) in terms {
            integer(coefficient, to);
            monomial.factors().len().put(to);
            for (atom, exponent) in monomial.factors() {
                put_atom(atom, to);
                exponent.put(to);
            }
        }
    }

    fn get(from: &mut Reader<'_>) -> Option<Size> {
        let denominator = i64::get(from)?;
        let mut sum = Size::zero();
        for _ in 0..usize::get(from)? {
            let mut term = Size::from(i64::get(from)?);
            for _ in 0..usize::get(from)? {
                let atom = from.inside(get_atom)?;
                let exponent = u32::get(from)?;
                term = &term * &atom.pow(exponent);
            }
            sum = &sum + &term;
        }
        sum.floor_div(denominator)
    }
}

/// A number of 64 bits; sizes with larger ones are not encoded.
fn integer(value: i128, to: &mut Writer) {
    let small = i64::try_from(value);
    to.complete &= small.is_ok();
    small.unwrap_or(0).put(to);
}

fn put_atom(atom: &Atom, to: &mut Writer) {
    match atom {
        Atom::Var(SizeVar(number)) => {
            to.bytes.push(0);
            number.put(to);
        }
        Atom::FloorDiv(size, by) => {
            to.bytes.push(1);
            size.put(to);
            by.put(to);
        }
        Atom::Min(sizes) => {
            to.bytes.push(2);
            sizes.put(to);
        }
        Atom::Max(sizes) => {
            to.bytes.push(3);
            sizes.put(to);
        }
        Atom::Pow2(size) => {
            to.bytes.push(4);
            size.put(to);
        }
        _ => to.complete = false,
    }
}

fn get_atom(from: &mut Reader<'_>) -> Option<Size> {
    Some(match from.take(1)?[0] {
        0 => Size::var(SizeVar(u32::get(from)?)),
        1 => Size::get(from)?.floor_div(i64::get(from)?)?,
        2 => Size::min_of(&Vec::get(from)?),
        3 => Size::max_of(&Vec::get(from)?),
        4 => Size::pow2(&Size::get(from)?),
        _ => return None,
    })
}
