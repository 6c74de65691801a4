//! Types while they are being inferred, and the classes they belong to.
//!
//! ```text
//! [x + 1 for x in xs]     xs : []?0    1 : ?1 (a number)    x : ?0    unify ?0 and ?1, result []?0
//! ```
//!
//! A variable carries the *classes* it must belong to (`1` is a number, `x < y` needs an order). One class has no name in
//! programs: [`Classes::VALUE`], to which everything but functions belongs. Almost every variable has it, which is how a
//! function that is stored in a tuple is found out. Unification itself is in [`crate::unify`]. Sizes are no part of these
//! types: they are handled in [`crate::signature`].

use crate::declared::TypeId;
use terrace_base::ScalarType;

pub(crate) use crate::unify::Unifier;

/// A type that may still have unknown parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Scalar(ScalarType),
    Tuple(Vec<Ty>),
    Array(Box<Ty>),
    /// A type name declared in the function's brackets, by its position there.
    Param(usize),
    /// A record or an enum, with what its declared type names stand for.
    Named(TypeId, Vec<Ty>),
    /// A function; only parameters of functions have such a type.
    Function(Vec<Ty>, Box<Ty>),
    Var(TyVar),
    /// The type of something wrong that was reported already; fits everything.
    Error,
}

/// A part of a type that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TyVar(pub(crate) u32);

impl Ty {
    pub(crate) const BOOL: Ty = Ty::Scalar(ScalarType::Bool);
    pub(crate) const I64: Ty = Ty::Scalar(ScalarType::I64);
    pub(crate) const U8: Ty = Ty::Scalar(ScalarType::U8);

    pub(crate) fn array(elem: Ty) -> Ty {
        Ty::Array(Box::new(elem))
    }

    /// The type with the declared type names replaced.
    pub(crate) fn instantiate(&self, args: &[Ty]) -> Ty {
        match self {
            Ty::Param(k) => args.get(*k).cloned().unwrap_or(Ty::Error),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|p| p.instantiate(args)).collect()),
            Ty::Array(elem) => Ty::array(elem.instantiate(args)),
            Ty::Named(id, parts) => Ty::Named(*id, parts.iter().map(|p| p.instantiate(args)).collect()),
            Ty::Function(params, result) => {
                let params = params.iter().map(|p| p.instantiate(args)).collect();
                Ty::Function(params, Box::new(result.instantiate(args)))
            }
            other => other.clone(),
        }
    }
}

/// A set of built-in classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Classes(u8);

impl Classes {
    pub(crate) const NONE: Classes = Classes(0);
    pub(crate) const NUM: Classes = Classes(1);
    pub(crate) const INT: Classes = Classes(2);
    pub(crate) const FLOAT: Classes = Classes(4);
    pub(crate) const EQ: Classes = Classes(8);
    pub(crate) const ORD: Classes = Classes(16);
    /// Not an array and not a tuple.
    pub(crate) const SCALAR: Classes = Classes(32);
    /// Truth values and integers.
    pub(crate) const BITS: Classes = Classes(64);
    /// Not a function.
    pub(crate) const VALUE: Classes = Classes(128);

    pub(crate) const fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }

    pub(crate) fn both(self, other: Classes) -> Classes {
        Classes(self.0 & other.0)
    }

    /// Whether the type of such a variable is `i64` or `f64` if nothing else is said.
    pub(crate) fn is_number(self) -> bool {
        self.0 & (Classes::NUM.0 | Classes::INT.0 | Classes::FLOAT.0) != 0
    }

    pub(crate) fn has(self, other: Classes) -> bool {
        self.0 & other.0 == other.0
    }

    /// The class with a name that a program can write.
    pub(crate) fn named(name: &str) -> Option<Classes> {
        Some(match name {
            "Num" => Classes::NUM,
            "Int" => Classes::INT,
            "Float" => Classes::FLOAT,
            "Eq" => Classes::EQ,
            "Ord" => Classes::ORD,
            _ => return None,
        })
    }

    /// Everything that membership in the declared class brings along.
    pub(crate) fn implied(self) -> Classes {
        let mut all = self.and(Classes::VALUE);
        if all.has(Classes::INT) {
            all = all.and(Classes::BITS);
        }
        if all.0 & (Classes::INT.0 | Classes::FLOAT.0) != 0 {
            all = all.and(Classes::NUM);
        }
        if all.has(Classes::NUM) {
            all = all.and(Classes::ORD).and(Classes::SCALAR);
        }
        if all.has(Classes::ORD) {
            all = all.and(Classes::EQ);
        }
        all
    }

    pub(crate) fn missing_in(self, ty: ScalarType) -> Classes {
        let mut missing = 0;
        for (class, holds) in [
            (Classes::NUM, ty.is_number()),
            (Classes::INT, ty.is_int()),
            (Classes::FLOAT, ty.is_float()),
            (Classes::BITS, !ty.is_float()),
        ] {
            if self.has(class) && !holds {
                missing |= class.0;
            }
        }
        Classes(missing)
    }

    pub(crate) fn without(self, other: Classes) -> Classes {
        Classes(self.0 & !other.0)
    }

    /// The strictest of the classes, as a program writes it.
    pub(crate) fn name(self) -> Option<&'static str> {
        let all = [
            (Classes::FLOAT, "Float"),
            (Classes::INT, "Int"),
            (Classes::BITS, "Int"),
            (Classes::NUM, "Num"),
            (Classes::SCALAR, "Num"),
            (Classes::ORD, "Ord"),
            (Classes::EQ, "Eq"),
        ];
        all.iter().find(|(class, _)| self.has(*class)).map(|(_, name)| *name)
    }

    /// What a value must be to belong to the strictest of the classes.
    pub(crate) fn wanted(self) -> &'static str {
        if self.has(Classes::FLOAT) {
            "a floating-point number"
        } else if self.has(Classes::INT) || self.has(Classes::NUM.and(Classes::BITS)) {
            "an integer"
        } else if self.has(Classes::NUM) {
            "a number"
        } else if self.has(Classes::BITS) {
            "an integer or a truth value"
        } else if self.has(Classes::SCALAR) {
            "a number or a truth value"
        } else if self.has(Classes::ORD) {
            "something with an order (`t: Ord`)"
        } else if self.has(Classes::EQ) {
            "something that can be compared (`t: Eq`)"
        } else {
            "a value"
        }
    }
}
