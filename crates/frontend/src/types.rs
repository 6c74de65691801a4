//! Types while they are being inferred, and unification.
//!
//! ```text
//! [x + 1 for x in xs]     xs : []?0    1 : ?1 (a number)    x : ?0    unify ?0 and ?1, result []?0
//! ```
//!
//! A variable carries the *classes* it must belong to (`1` is a number, `x < y` needs an order); they are checked when it
//! gets a type and handed on when it meets another variable. Each binding remembers the expression that made it, so that a
//! clash can say where both types came from. Sizes are no part of these types: they are handled in [`crate::signature`].

use terrace_base::{ScalarType, Span};

/// A type that may still have unknown parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Scalar(ScalarType),
    Tuple(Vec<Ty>),
    Array(Box<Ty>),
    /// A type name declared in the function's brackets, by its position there.
    Param(usize),
    Var(TyVar),
    /// The type of something wrong that was reported already; fits everything.
    Error,
}

/// A part of a type that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TyVar(u32);

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

    pub(crate) fn and(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
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
        let mut all = self;
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

    fn missing_in(self, ty: ScalarType) -> Classes {
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

    fn without(self, other: Classes) -> Classes {
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
        } else if self.has(Classes::INT) {
            "an integer"
        } else if self.has(Classes::NUM) {
            "a number"
        } else if self.has(Classes::BITS) {
            "an integer or a truth value"
        } else if self.has(Classes::SCALAR) {
            "a number or a truth value"
        } else if self.has(Classes::ORD) {
            "something with an order (`t: Ord`)"
        } else {
            "something that can be compared (`t: Eq`)"
        }
    }
}

/// Why two types do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clash {
    /// They differ in form.
    Different,
    /// A type does not belong to a class it must belong to.
    Class(Classes, Ty),
    /// A type would contain itself.
    Infinite,
}

#[derive(Clone, Debug)]
enum State {
    Free { classes: Classes, origin: Span },
    Bound { ty: Ty, span: Span },
}

/// The variables of one function and what is known about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unifier {
    vars: Vec<State>,
    /// The classes of the declared type names.
    pub(crate) params: Vec<(String, Classes)>,
}

impl Unifier {
    pub(crate) fn fresh(&mut self, classes: Classes, origin: Span) -> Ty {
        self.vars.push(State::Free { classes, origin });
        Ty::Var(TyVar(self.vars.len() as u32 - 1))
    }

    fn state(&self, var: TyVar) -> &State {
        &self.vars[var.0 as usize]
    }

    /// The type with bound variables followed at the top.
    pub(crate) fn head(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(v) = ty
            && let State::Bound { ty: next, .. } = self.state(*v)
        {
            ty = next;
        }
        ty.clone()
    }

    /// The type with bound variables followed everywhere.
    pub(crate) fn resolve(&self, ty: &Ty) -> Ty {
        match self.head(ty) {
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|p| self.resolve(p)).collect()),
            Ty::Array(elem) => Ty::array(self.resolve(&elem)),
            other => other,
        }
    }

    /// The expression that gave a variable its type.
    pub(crate) fn origin(&self, ty: &Ty) -> Option<Span> {
        let mut ty = ty;
        let mut found = None;
        while let Ty::Var(v) = ty {
            match self.state(*v) {
                State::Bound { ty: next, span } => {
                    found = Some(*span);
                    ty = next;
                }
                State::Free { .. } => return None,
            }
        }
        found
    }

    /// Makes two types equal; `span` is the expression that demands it.
    pub(crate) fn unify(&mut self, a: &Ty, b: &Ty, span: Span) -> Result<(), Clash> {
        match (self.head(a), self.head(b)) {
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Var(x), Ty::Var(y)) if x == y => Ok(()),
            (Ty::Var(x), other) | (other, Ty::Var(x)) => self.bind(x, other, span),
            (Ty::Scalar(x), Ty::Scalar(y)) if x == y => Ok(()),
            (Ty::Param(x), Ty::Param(y)) if x == y => Ok(()),
            (Ty::Array(x), Ty::Array(y)) => self.unify(&x, &y, span),
            (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(&ys).try_for_each(|(x, y)| self.unify(x, y, span))
            }
            _ => Err(Clash::Different),
        }
    }

    fn bind(&mut self, var: TyVar, ty: Ty, span: Span) -> Result<(), Clash> {
        if self.occurs(var, &ty) {
            return Err(Clash::Infinite);
        }
        let State::Free { classes, .. } = *self.state(var) else { unreachable!("heads of types are free variables") };
        self.require(&ty, classes)?;
        self.vars[var.0 as usize] = State::Bound { ty, span };
        Ok(())
    }

    fn occurs(&self, var: TyVar, ty: &Ty) -> bool {
        match self.head(ty) {
            Ty::Var(v) => v == var,
            Ty::Tuple(parts) => parts.iter().any(|p| self.occurs(var, p)),
            Ty::Array(elem) => self.occurs(var, &elem),
            _ => false,
        }
    }

    /// Makes a type belong to classes.
    pub(crate) fn require(&mut self, ty: &Ty, classes: Classes) -> Result<(), Clash> {
        if classes == Classes::NONE {
            return Ok(());
        }
        let head = self.head(ty);
        let missing = match &head {
            Ty::Error => Classes::NONE,
            Ty::Var(v) => {
                if let State::Free { classes: all, .. } = &mut self.vars[v.0 as usize] {
                    *all = all.and(classes);
                }
                let all = match self.state(*v) {
                    State::Free { classes, .. } => *classes,
                    State::Bound { .. } => Classes::NONE,
                };
                if all.has(Classes::INT) && all.has(Classes::FLOAT) { classes } else { Classes::NONE }
            }
            Ty::Scalar(s) => classes.missing_in(*s),
            Ty::Param(k) => {
                let declared = self.params.get(*k).map_or(Classes::NONE, |p| p.1);
                classes.without(declared.implied())
            }
            Ty::Tuple(parts) => {
                let inner = Classes(classes.0 & (Classes::EQ.0 | Classes::ORD.0));
                for part in parts {
                    self.require(part, inner)?;
                }
                classes.without(inner)
            }
            Ty::Array(elem) => {
                let inner = Classes(classes.0 & (Classes::EQ.0 | Classes::ORD.0));
                self.require(elem, inner)?;
                classes.without(inner)
            }
        };
        if missing == Classes::NONE { Ok(()) } else { Err(Clash::Class(missing, head)) }
    }

    /// Gives every number that is still open its default; returns where variables without one came from.
    pub(crate) fn default_all(&mut self) -> Vec<Span> {
        let mut open = Vec::new();
        for k in 0..self.vars.len() {
            if let State::Free { classes, origin } = self.vars[k] {
                let ty = if classes.has(Classes::FLOAT) {
                    Ty::Scalar(ScalarType::F64)
                } else if classes.has(Classes::NUM) || classes.has(Classes::INT) {
                    Ty::I64
                } else {
                    open.push(origin);
                    Ty::Error
                };
                self.vars[k] = State::Bound { ty, span: origin };
            }
        }
        open
    }

    /// The type as a person would write it; unknown parts are described.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        match self.head(ty) {
            Ty::Scalar(s) => s.name().to_string(),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.show(p)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Array(elem) => format!("[]{}", self.show(&elem)),
            Ty::Param(k) => self.params.get(k).map_or("?".to_string(), |p| p.0.clone()),
            Ty::Var(v) => match self.state(v) {
                State::Free { classes, .. } if classes.has(Classes::FLOAT) => "{float}".to_string(),
                State::Free { classes, .. } if classes.has(Classes::INT) => "{integer}".to_string(),
                State::Free { classes, .. } if classes.has(Classes::NUM) => "{number}".to_string(),
                _ => "_".to_string(),
            },
            Ty::Error => "_".to_string(),
        }
    }
}
