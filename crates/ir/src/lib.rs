//! What programs are, at each stage of the chain.
//!
//! ```text
//! core ──flatten──▶ flat ──place in memory──▶ mem ──lower──▶ kernel
//! nested, pure      flat columns,             columns have    imperative
//! operators         levels and spaces         a block         functions + host program
//! ```
//!
//! Each language is a module with the same files: `mod.rs` says what a program is, `print.rs` writes it so that a
//! person can read it, `parse.rs` reads that text back, `verify.rs` lists and checks its rules, `visit.rs` walks it.
//! Nothing here rewrites a program; that is the business of `opt`.

pub mod check;
pub mod core;
mod fault;
pub mod flat;
pub mod kernel;
pub mod mem;
pub mod shape;
mod text;

terrace_base::define_id!(
    /// A value bound somewhere in a function of Core, Flat or Mem; printed with its name, as `xs_12`.
    ValueId
);
terrace_base::define_id!(
    /// A function of a program.
    FuncId
);

/// An operand: a value bound earlier, or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// A value bound earlier.
    Var(ValueId),
    /// A scalar constant.
    Const(terrace_base::Scalar),
}

impl Atom {
    /// The constant, if it is one.
    pub fn constant(self) -> Option<terrace_base::Scalar> {
        match self {
            Atom::Var(_) => None,
            Atom::Const(c) => Some(c),
        }
    }

    /// The value, if this is one.
    pub fn var(self) -> Option<ValueId> {
        match self {
            Atom::Var(v) => Some(v),
            Atom::Const(_) => None,
        }
    }

    /// An `i64` constant.
    pub fn int(n: i64) -> Atom {
        Atom::Const(terrace_base::Scalar::I64(n))
    }
}

impl From<ValueId> for Atom {
    fn from(v: ValueId) -> Atom {
        Atom::Var(v)
    }
}

/// The size variable that stands for the integer value `v` in size expressions of the same function.
pub fn size_var(v: ValueId) -> terrace_algebra::SizeVar {
    terrace_algebra::SizeVar(v.index() as u32)
}

/// The value a size variable stands for.
pub fn value_of(s: terrace_algebra::SizeVar) -> ValueId {
    ValueId::new(s.0 as usize)
}

/// A size with values replaced, where the replacement is a value or an integer; other values stay. A size function is an
/// array of integers, and its number that of the array.
pub fn replaced_in_size(
    size: &terrace_algebra::Size,
    map: &std::collections::BTreeMap<ValueId, Atom>,
) -> terrace_algebra::Size {
    use terrace_algebra::{Size, SizeFun};
    if map.is_empty() {
        return size.clone();
    }
    let replaced = size.substitute_all(&|s| match map.get(&value_of(s))? {
        Atom::Var(v) => Some(Size::var(size_var(*v))),
        Atom::Const(c) => c.as_i64().map(Size::constant),
    });
    replaced.substitute_funs(&|fun, args| {
        let new = map.get(&ValueId::new(fun.0 as usize))?.var()?;
        Some(Size::apply(SizeFun(new.index() as u32), args.to_vec()))
    })
}
