//! A plan as bytes, so that a program need not be compiled again.
//!
//! Every type is written as its parts in order, an enumeration as the number of its variant before them, a list as its length before
//! them. Integers take seven bits per byte, small ones first; scalars go by their bits, so that no float is rounded.
//!
//! ```text
//! Compute { to: s_3, expr: Slot(s_300) }        00 03  01 ac 02
//! ```
//!
//! What is read is not trusted: a variant that does not exist, a length that runs behind the end, bytes that are left over or nesting
//! that no program has give nothing, and the caller compiles. Whether the bytes are those that were written is the business of whoever kept
//! them, and so is that compiler and reader are of one build: the encoding has no version beside [`VERSION`](crate::VERSION).
//!
//! Declined: lengths by formulas that are not made of polynomials, divisions, minima and maxima. A plan with one is not encoded.

mod sizes;

use crate::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotInfo, SlotType};
use crate::layout::{DimLayout, Layout};
use crate::messages;
use crate::ranges::{Ranges, Small, Step};
use crate::threshold::Threshold;
use crate::{CheckText, Entry, KernelParam, KernelText, Plan, Target};
use terrace_base::{BinOp, FileId, Scalar, ScalarType, Span, UnOp};

/// How deeply what is read may nest.
const DEEPEST: usize = 400;

/// The bytes of a plan; none where it holds something that has no encoding.
pub fn encode(plan: &Plan) -> Option<Vec<u8>> {
    let mut out = Writer { bytes: Vec::new(), complete: true };
    plan.put(&mut out);
    // What cannot be read back is not worth keeping, and what reads back as something else would be a wrong answer.
    let same = |bytes: &Vec<u8>| {
        decode(bytes).is_some_and(|read| {
            let mut again = Writer { bytes: Vec::new(), complete: true };
            read.put(&mut again);
            again.bytes == *bytes
        })
    };
    Some(out.bytes).filter(|bytes| out.complete && same(bytes))
}

/// The plan that bytes stand for; none where they are not exactly one.
pub fn decode(bytes: &[u8]) -> Option<Plan> {
    let mut from = Reader { bytes, depth: 0 };
    let plan = Plan::get(&mut from)?;
    (from.bytes.is_empty() && plan.version == crate::VERSION).then_some(plan)
}

struct Writer {
    bytes: Vec<u8>,
    complete: bool,
}

struct Reader<'b> {
    bytes: &'b [u8],
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    /// Runs one level deeper.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = if self.depth > DEEPEST { None } else { read(self) };
        self.depth -= 1;
        found
    }
}

trait Coded: Sized {
    fn put(&self, to: &mut Writer);
    fn get(from: &mut Reader<'_>) -> Option<Self>;
}

impl Coded for u64 {
    fn put(&self, to: &mut Writer) {
        let mut rest = *self;
        while rest >= 0x80 {
            to.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        to.bytes.push(rest as u8);
    }

    fn get(from: &mut Reader<'_>) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = from.take(1)?[0];
            let part = u64::from(byte & 0x7f);
            if (part << shift) >> shift != part {
                return None;
            }
            value |= part << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

macro_rules! by_number {
    ($($ty:ident),*) => { $(
        impl Coded for $ty {
            fn put(&self, to: &mut Writer) {
                (*self as u64).put(to);
            }

            fn get(from: &mut Reader<'_>) -> Option<$ty> {
                $ty::try_from(u64::get(from)?).ok()
            }
        }
    )* };
}
by_number!(u32, usize);

impl Coded for i64 {
    fn put(&self, to: &mut Writer) {
        ((*self << 1) ^ (*self >> 63)).cast_unsigned().put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<i64> {
        let bits = u64::get(from)?;
        Some((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }
}

impl Coded for bool {
    fn put(&self, to: &mut Writer) {
        to.bytes.push(u8::from(*self));
    }

    fn get(from: &mut Reader<'_>) -> Option<bool> {
        match from.take(1)?[0] {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Coded for String {
    fn put(&self, to: &mut Writer) {
        self.len().put(to);
        to.bytes.extend_from_slice(self.as_bytes());
    }

    fn get(from: &mut Reader<'_>) -> Option<String> {
        let length = usize::get(from)?;
        String::from_utf8(from.take(length)?.to_vec()).ok()
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, to: &mut Writer) {
        self.len().put(to);
        self.iter().for_each(|item| item.put(to));
    }

    fn get(from: &mut Reader<'_>) -> Option<Vec<T>> {
        let length = usize::get(from)?;
        // Every item takes a byte at least: a length that lies reserves nothing.
        let mut items = Vec::with_capacity(length.min(from.bytes.len()));
        from.inside(|from| {
            for _ in 0..length {
                items.push(T::get(from)?);
            }
            Some(items)
        })
    }
}

impl<T: Coded> Coded for Box<T> {
    fn put(&self, to: &mut Writer) {
        (**self).put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Box<T>> {
        from.inside(T::get).map(Box::new)
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, to: &mut Writer) {
        self.is_some().put(to);
        self.iter().for_each(|it| it.put(to));
    }

    fn get(from: &mut Reader<'_>) -> Option<Option<T>> {
        Some(if bool::get(from)? { Some(T::get(from)?) } else { None })
    }
}

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn put(&self, to: &mut Writer) {
        self.0.put(to);
        self.1.put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<(A, B)> {
        Some((A::get(from)?, B::get(from)?))
    }
}

/// Enumerations that list themselves go by their place in the list.
macro_rules! by_place {
    ($($ty:ident),*) => { $(
        impl Coded for $ty {
            fn put(&self, to: &mut Writer) {
                let place = $ty::ALL.iter().position(|it| it == self);
                to.complete &= place.is_some();
                place.unwrap_or(0).put(to);
            }

            fn get(from: &mut Reader<'_>) -> Option<$ty> {
                $ty::ALL.get(usize::get(from)?).copied()
            }
        }
    )* };
}
by_place!(ScalarType, BinOp, UnOp);

macro_rules! by_id {
    ($($ty:ident),*) => { $(
        impl Coded for $ty {
            fn put(&self, to: &mut Writer) {
                self.index().put(to);
            }

            fn get(from: &mut Reader<'_>) -> Option<$ty> {
                Some($ty::new(u32::get(from)? as usize))
            }
        }
    )* };
}
by_id!(SlotId, FileId);

impl Coded for Scalar {
    fn put(&self, to: &mut Writer) {
        self.ty().put(to);
        self.raw_bits().put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<Scalar> {
        Some(Scalar::from_raw_bits(ScalarType::get(from)?, u64::get(from)?))
    }
}

macro_rules! by_fields {
    ($($ty:ident { $($field:ident),* })*) => { $(
        impl Coded for $ty {
            fn put(&self, to: &mut Writer) {
                let $ty { $($field),* } = self;
                $($field.put(to);)*
            }

            fn get(from: &mut Reader<'_>) -> Option<$ty> {
                Some($ty { $($field: Coded::get(from)?),* })
            }
        }
    )* };
}

macro_rules! by_variant {
    ($($ty:ident { $($number:literal $variant:ident $(($($part:ident),*))? $({$($field:ident),*})?;)* })*) => { $(
        impl Coded for $ty {
            fn put(&self, to: &mut Writer) {
                match self {
                    $($ty::$variant $(($($part),*))? $({$($field),*})? => {
                        to.bytes.push($number);
                        $($($part.put(to);)*)?
                        $($($field.put(to);)*)?
                    })*
                }
            }

            fn get(from: &mut Reader<'_>) -> Option<$ty> {
                Some(match from.take(1)?[0] {
                    $($number => {
                        $($(let $part = Coded::get(from)?;)*)?
                        $($(let $field = Coded::get(from)?;)*)?
                        $ty::$variant $(($($part),*))? $({$($field),*})?
                    })*
                    _ => return None,
                })
            }
        }
    )* };
}

by_fields! {
    Span { file, start, end }
    Plan { version, target, functions, kernels, preamble, alone, entries, checks, thresholds }
    Entry { name, is_test, function, params, consumed, result }
    KernelText { name, text, params, phases, block, small, alone, span }
    Small { kernel, ranges }
    Ranges { steps, small, within }
    Threshold { name, about, value }
    HostFunction { name, slots, params, results, body }
    SlotInfo { name, ty }
}

by_variant! {
    Step { 0 Between(least, most); 1 Param(place); 2 Tile; 3 Binary(op, ty, a, b); 4 Either(a, b); 5 Fit(ty, a); }
    Target { 0 C; 1 Cuda; 2 OpenCl; }
    KernelParam { 0 Buffer(ty); 1 Cell(ty); 2 Scalar(ty); }
    SlotType { 0 Host(ty); 1 Cell(ty); 2 Buffer(ty); }
    Layout { 0 Scalar(ty); 1 Tuple(parts); 2 Array(dim, element); }
    DimLayout { 0 Length; 1 Closed(size); 2 Irregular { packed }; }
    Argument { 0 Slot(slot); 1 Value(expr); }
    HostExpr {
        0 Const(value);
        1 Slot(slot);
        2 Unary(op, a);
        3 Binary(op, a, b);
        4 Fma(a, b, c);
        5 Convert(ty, a);
        6 Select(a, b, c);
        7 MemoryLimit;
        8 Workers;
    }
    HostStmt {
        0 Compute { to, expr };
        1 Guard { to, threshold, quantity };
        2 Alloc { to, count, span };
        3 AllocCell { to };
        4 Alias { to, from };
        5 Free { slot };
        6 Zero { buffer };
        7 Copies { bytes };
        8 WriteCell { cell, value };
        9 Launch { kernel, tiles, args };
        10 Read { cells };
        11 Check { check, cond, values };
        12 If { cond, then, otherwise };
        13 While { cond, test, body };
        14 Call { function, args, results, span };
    }
}

impl Coded for CheckText {
    fn put(&self, to: &mut Writer) {
        self.code.to_string().put(to);
        self.kind.put(to);
        self.text.put(to);
        self.span.put(to);
    }

    fn get(from: &mut Reader<'_>) -> Option<CheckText> {
        let (code, kind) = (String::get(from)?, String::get(from)?);
        let known = messages::code(&kind);
        (known == code).then_some(())?;
        Some(CheckText { code: known, kind, text: String::get(from)?, span: Span::get(from)? })
    }
}

#[cfg(test)]
mod tests;
