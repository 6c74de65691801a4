//! Unification: making two types equal.
//!
//! ```text
//! unify []?0 and []f64      ?0 := f64, because of the expression that demanded it
//! unify ?1 (Num) and ?2     ?1 := ?2, and ?2 must be a number from now on
//! unify ?1 (Num) and bool   a clash: `bool` is not a number
//! ```
//!
//! The classes of a variable are checked when it gets a type and handed on when it meets another variable. Each binding
//! remembers the expression that made it, so that a clash can say where both types came from. There is no backtracking: a
//! clash leaves what was unified before it, and the caller goes on with [`Ty::Error`].

use crate::types::{Classes, Ty, TyVar};
use std::rc::Rc;
use terrace_base::{ScalarType, Span};

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

// Tuples, arrays, records and enums can be compared if their parts can, and have no other class.
const COMPOUND: Classes = Classes::EQ.and(Classes::ORD).and(Classes::VALUE);

/// The variables of one function and what is known about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unifier {
    vars: Vec<State>,
    /// The classes of the type names, declared and inferred.
    pub(crate) params: Vec<(String, Classes)>,
    /// The names of declared types.
    pub(crate) names: Rc<[String]>,
}

impl Unifier {
    /// A new unknown type of a value.
    pub(crate) fn fresh(&mut self, classes: Classes, origin: Span) -> Ty {
        self.fresh_any(classes.and(Classes::VALUE), origin)
    }

    /// A new unknown type, which may turn out to be that of a function.
    pub(crate) fn fresh_any(&mut self, classes: Classes, origin: Span) -> Ty {
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
            Ty::Named(id, args) => Ty::Named(id, args.iter().map(|a| self.resolve(a)).collect()),
            Ty::Function(params, result) => {
                let params = params.iter().map(|p| self.resolve(p)).collect();
                Ty::Function(params, Box::new(self.resolve(&result)))
            }
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
            (Ty::Named(a, xs), Ty::Named(b, ys)) if a == b => {
                xs.iter().zip(&ys).try_for_each(|(x, y)| self.unify(x, y, span))
            }
            (Ty::Function(xs, x), Ty::Function(ys, y)) if xs.len() == ys.len() => {
                xs.iter().zip(&ys).try_for_each(|(x, y)| self.unify(x, y, span))?;
                self.unify(&x, &y, span)
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
            Ty::Named(_, args) => args.iter().any(|a| self.occurs(var, a)),
            Ty::Function(params, result) => params.iter().any(|p| self.occurs(var, p)) || self.occurs(var, &result),
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
                let all = self.classes_of(*v).and(classes);
                // No number has fractions and bits.
                if all.has(Classes::FLOAT) && (all.has(Classes::INT) || all.has(Classes::BITS)) {
                    classes
                } else {
                    if let State::Free { classes, .. } = &mut self.vars[v.0 as usize] {
                        *classes = all;
                    }
                    Classes::NONE
                }
            }
            Ty::Scalar(s) => classes.missing_in(*s),
            Ty::Param(k) => {
                let declared = self.params.get(*k).map_or(Classes::NONE, |p| p.1);
                classes.without(declared.implied())
            }
            Ty::Tuple(parts) | Ty::Named(_, parts) => {
                for part in parts {
                    self.require(part, classes.both(Classes::EQ.and(Classes::ORD)))?;
                }
                classes.without(COMPOUND)
            }
            Ty::Array(elem) => {
                self.require(elem, classes.both(Classes::EQ.and(Classes::ORD)))?;
                classes.without(COMPOUND)
            }
            Ty::Function(..) => classes,
        };
        if missing == Classes::NONE { Ok(()) } else { Err(Clash::Class(missing, head)) }
    }

    /// The classes of a variable that is still open.
    pub(crate) fn classes_of(&self, var: TyVar) -> Classes {
        match self.state(var) {
            State::Free { classes, .. } => *classes,
            State::Bound { .. } => Classes::NONE,
        }
    }

    /// Whether a type is unknown so far and may still turn out to be that of a function.
    pub(crate) fn may_be_function(&self, ty: &Ty) -> bool {
        matches!(self.head(ty), Ty::Var(v) if !self.classes_of(v).has(Classes::VALUE))
    }

    /// The variables of a type that are still open, from left to right, without repetitions.
    pub(crate) fn open_in(&self, ty: &Ty, found: &mut Vec<TyVar>) {
        match self.head(ty) {
            Ty::Var(v) if !found.contains(&v) => found.push(v),
            Ty::Tuple(parts) | Ty::Named(_, parts) => parts.iter().for_each(|p| self.open_in(p, found)),
            Ty::Array(elem) => self.open_in(&elem, found),
            Ty::Function(params, result) => {
                params.iter().for_each(|p| self.open_in(p, found));
                self.open_in(&result, found);
            }
            _ => {}
        }
    }

    /// Gives an open variable a type without asking for its classes.
    pub(crate) fn settle(&mut self, var: TyVar, ty: Ty) {
        if let State::Free { origin, .. } = *self.state(var) {
            self.vars[var.0 as usize] = State::Bound { ty, span: origin };
        }
    }

    /// Gives a variable that must be a number its default; says whether it is one.
    pub(crate) fn default_number(&mut self, var: TyVar) -> bool {
        let classes = self.classes_of(var);
        if classes.is_number() {
            let ty = if classes.has(Classes::FLOAT) { Ty::Scalar(ScalarType::F64) } else { Ty::I64 };
            self.settle(var, ty);
        }
        classes.is_number()
    }

    /// Gives every number that is still open its default; returns where variables without one came from.
    pub(crate) fn default_all(&mut self) -> Vec<Span> {
        let mut open = Vec::new();
        for k in 0..self.vars.len() {
            let var = TyVar(k as u32);
            if let State::Free { origin, .. } = self.vars[k]
                && !self.default_number(var)
            {
                open.push(origin);
                self.settle(var, Ty::Error);
            }
        }
        open
    }

    /// The type in a sentence: in backticks, or what kind of number it must be.
    pub(crate) fn describe(&self, ty: &Ty) -> String {
        match self.head(ty) {
            Ty::Var(v) if self.classes_of(v).is_number() => self.classes_of(v).wanted().to_string(),
            _ => format!("`{}`", self.show(ty)),
        }
    }

    /// Whether something wrong that was reported already is part of a type.
    pub(crate) fn is_broken(&self, ty: &Ty) -> bool {
        match self.head(ty) {
            Ty::Error => true,
            Ty::Tuple(parts) | Ty::Named(_, parts) => parts.iter().any(|p| self.is_broken(p)),
            Ty::Array(elem) => self.is_broken(&elem),
            Ty::Function(params, result) => params.iter().any(|p| self.is_broken(p)) || self.is_broken(&result),
            Ty::Scalar(_) | Ty::Param(_) | Ty::Var(_) => false,
        }
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
            Ty::Named(id, args) => {
                let name = self.names.get(id.index()).map_or("?", String::as_str);
                if args.is_empty() {
                    return name.to_string();
                }
                let args: Vec<String> = args.iter().map(|a| self.show(a)).collect();
                format!("{name}[{}]", args.join(", "))
            }
            Ty::Function(params, result) => {
                let params: Vec<String> = params.iter().map(|p| self.show(p)).collect();
                format!("({}) -> {}", params.join(", "), self.show(&result))
            }
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
