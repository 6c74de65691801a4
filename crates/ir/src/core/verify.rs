//! The rules of Core. This list is the specification; everything below checks it.
//!
//! Names and scope:
//! 1. Every value is bound once in its function, by a parameter, a `let`, a lambda, a loop's state or a loop's counter.
//! 2. An operand is bound before its use, in the same body or in one around it.
//! 3. A value's name is a word, and function names are distinct: the text must read back.
//! 4. A size in a type mentions only integer values that the function binds somewhere, and positions of array types around it, which
//!    are no values that the function binds. (A parameter `[n]f64` may mention the `n`
//!    that the body's first statement takes from its length.) A size function `k3` is the array of integers number 3 of the function,
//!    where the function binds it.
//!
//! Types (equal up to stated sizes):
//! 5. What is bound has the type of its expression. Scalar operations take operands of one type that the operation has.
//! 6. Positions, counts and loop counters are `i64`; conditions and predicates are `bool`.
//! 7. Components of a literal or concatenation have one type; `zip`, `map`, `concat` take at least one array.
//! 8. A lambda has a parameter per array (`generate`: one `i64`; `reduce` and `scan`: two), of its element type.
//! 9. The operator of `reduce` and `scan` has the type (t, t) -> t, where t is the element type, and so has the neutral element.
//! 10. Both branches of an `if` have one type; a loop's body gives the type of its state, and so does its first value.
//! 11. A call has an argument per parameter, of its type; a function's body has the type of its result.
//! 12. A test gives a `bool`, and has an argument of the right type for every parameter.
//!
//! Checks:
//! 13. A check that is mentioned is in the program's list. Its condition is a `bool`; its values are as many as its kind shows,
//!     all integers.
//! 14. A check named by `after` stands before, in the same body or in one around it, or inside an operator or loop that does (an ascription
//!     counts as its check).
//!
//! Operators that move elements:
//! 15. Strides have at least one dimension. `strided` and `update` with strides nest the elements of the array once per
//!     dimension; `extent` gives `(i64, i64)`, `disjoint` a `bool`.
//! 16. `update` takes at least one index and goes one dimension deeper per index; the value has the type found there.
//! 17. `scatter` and `hist` take an array of `i64` indices. The values of `scatter` are elements of the array. The operator of
//!     `hist` has the type (t, t) -> t, where t is the type of a value, and so has the neutral element; the result is `[]t`.
//! 18. `sort` takes two arrays, `partition` an array of `i64` sizes; `flatten` and `transpose` take arrays of arrays.
//! 19. `reshape` takes at least two lengths, and adds a dimension for each but the first. What `pad` adds has the type of an
//!     element.
//! 20. `precedes` takes two operands of one type.
//!
//! Sums and parameters:
//! 21. A sum has at least one variant; the names of its variants are distinct words.
//! 22. A variant has a value per field, of its type. `match` takes a sum and has an arm per variant, with a parameter per
//!     field of its type; all arms give one type.
//! 23. A function says of every parameter whether it is consumed.
//!
//! Declined: whether a consumed value is used again (that is a rule of the type checker), whether sizes that are stated are
//! true, and whether checks suffice. That is what the interpreter finds.

mod array;
mod sum;

use super::print::{first_line, print_type, value_name};
use super::visit::{bound_values, checks_of};
use super::{Body, Expr, Function, Lambda, LoopForm, Program, Role, Stmt, StmtKind, Type};
use crate::check::CheckId;
use crate::fault::{Fault, require};
use crate::text::is_word;
use crate::{Atom, ValueId, value_of};
use std::collections::BTreeSet;
use terrace_base::ScalarType;
use terrace_plan::data::Data;

/// Checks all rules; the message names the function, the statement and the rule.
pub fn verify(program: &Program) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for function in &program.functions {
        if !names.insert(&function.name) {
            return Err(format!("two functions are called {}", function.name));
        }
    }
    for function in &program.functions {
        let mut checker = Checker { program, function, bound: BTreeSet::new(), all: BTreeSet::new() };
        checker.function().map_err(|fault| fault.in_function(&function.name))?;
    }
    Ok(())
}

#[derive(Clone, Default)]
struct Scope {
    values: BTreeSet<ValueId>,
    checks: BTreeSet<CheckId>,
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    bound: BTreeSet<ValueId>,
    all: BTreeSet<ValueId>,
}

const I64: Type = Type::Scalar(ScalarType::I64);
const BOOL: Type = Type::Scalar(ScalarType::Bool);

impl Checker<'_> {
    fn name(&self, v: ValueId) -> String {
        value_name(&self.function.values, v)
    }

    fn shown(&self, ty: &Type) -> String {
        print_type(&self.function.values, ty)
    }

    fn function(&mut self) -> Result<(), Fault> {
        let function = self.function;
        require(function.consumed.len() == function.params.len(), || {
            "a function says of every parameter whether it is consumed".into()
        })?;
        self.all = function.params.iter().copied().chain(bound_values(&function.body)).collect();
        let mut scope = Scope::default();
        for p in &function.params {
            self.bind(*p, &mut scope)?;
        }
        let found = self.body(&function.body, &scope)?;
        self.same(&found, &function.result, "the body and the result of the function")?;
        self.well_formed(&function.result)?;
        if let Role::Test { arguments, .. } = &function.role {
            self.same(&function.result, &BOOL, "the result of a test")?;
            require(arguments.len() == function.params.len(), || "a test has an argument per parameter".into())?;
            for (p, a) in function.params.iter().zip(arguments) {
                require(fits(a, &function.values[*p].ty), || {
                    format!("the argument for {} has another type", self.name(*p))
                })?;
            }
        }
        Ok(())
    }

    fn bind(&mut self, v: ValueId, scope: &mut Scope) -> Result<(), Fault> {
        let Some(value) = self.function.values.get(v) else {
            return Err(format!("value {v} is not in the function's table").into());
        };
        require(self.bound.insert(v), || format!("{} is bound twice", self.name(v)))?;
        require(is_word(&value.name), || format!("the name {:?} is not a word", value.name))?;
        self.well_formed(&value.ty)?;
        scope.values.insert(v);
        Ok(())
    }

    fn well_formed(&self, ty: &Type) -> Result<(), Fault> {
        self.variants(ty)?;
        let mut positions = BTreeSet::new();
        ty.positions(&mut positions);
        for v in positions {
            require(!self.all.contains(&v), || format!("the position {} is also a value", self.name(v)))?;
        }
        let mut names = BTreeSet::new();
        let mut functions = BTreeSet::new();
        ty.sizes(&mut |s| {
            names.extend(s.vars().into_iter().map(value_of));
            functions.extend(s.funs().into_iter().map(|f| ValueId::new(f.0 as usize)));
        });
        for v in ty.free_values() {
            let known = self.function.values.get(v).filter(|_| self.all.contains(&v)).map(|x| &x.ty);
            let integer = known.and_then(Type::scalar).is_some_and(|s| s.is_int());
            require(integer || !names.contains(&v), || {
                format!("the type {} mentions {}, which is no integer of the function", self.shown(ty), self.name(v))
            })?;
            let table = known.is_none_or(|t| integers(t) && t.elem().is_some());
            require(table || !functions.contains(&v), || {
                format!("the type {} mentions {}, which is no array of integers", self.shown(ty), self.name(v))
            })?;
        }
        Ok(())
    }

    fn same(&self, found: &Type, wanted: &Type, what: &str) -> Result<(), Fault> {
        require(found.same_form(wanted), || {
            format!("{what}: found {}, wanted {}", self.shown(found), self.shown(wanted))
        })
    }

    fn body(&mut self, body: &Body, scope: &Scope) -> Result<Type, Fault> {
        let mut scope = scope.clone();
        for stmt in &body.stmts {
            let (program, function) = (self.program, self.function);
            self.stmt(stmt, &mut scope).map_err(|f| f.in_stmt(|| first_line(program, function, stmt)))?;
        }
        self.atom(&body.result, &scope)
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope) -> Result<(), Fault> {
        match &stmt.kind {
            StmtKind::Let { value, expr, after } => {
                for check in after {
                    require(scope.checks.contains(check), || {
                        format!("check {check} of `after` does not stand before")
                    })?;
                }
                let found = self.expr(expr, scope)?;
                self.bind(*value, scope)?;
                self.same(&found, &self.function.values[*value].ty, "what is bound")?;
                // Of two branches only one runs.
                if !matches!(expr, Expr::If { .. } | Expr::Match { .. }) {
                    scope.checks.extend(checks_of(expr));
                }
            }
            StmtKind::Check { check, cond, values, .. } => {
                self.check_exists(*check)?;
                self.same(&self.atom(cond, scope)?, &BOOL, "a check's condition")?;
                let count = self.program.checks[*check].kind.value_count();
                require(values.len() == count, || format!("a check of this kind shows {count} values"))?;
                for v in values {
                    let integer = self.atom(v, scope)?.scalar().is_some_and(|s| s.is_int());
                    require(integer, || "a check shows integers".into())?;
                }
                scope.checks.insert(*check);
            }
        }
        Ok(())
    }

    fn check_exists(&self, check: CheckId) -> Result<(), Fault> {
        require(self.program.checks.get(check).is_some(), || format!("there is no check {check}"))
    }

    fn atom(&self, atom: &Atom, scope: &Scope) -> Result<Type, Fault> {
        match atom {
            Atom::Const(c) => Ok(Type::Scalar(c.ty())),
            Atom::Var(v) => {
                require(scope.values.contains(v), || format!("{} is not bound here", self.name(*v)))?;
                Ok(self.function.values[*v].ty.clone())
            }
        }
    }

    fn scalar(&self, atom: &Atom, scope: &Scope) -> Result<ScalarType, Fault> {
        let ty = self.atom(atom, scope)?;
        ty.scalar().ok_or_else(|| format!("a scalar is wanted here, not {}", self.shown(&ty)).into())
    }

    fn elem(&self, atom: &Atom, scope: &Scope) -> Result<Type, Fault> {
        let ty = self.atom(atom, scope)?;
        ty.elem().cloned().ok_or_else(|| format!("an array is wanted here, not {}", self.shown(&ty)).into())
    }

    fn expect(&self, atom: &Atom, wanted: &Type, what: &str, scope: &Scope) -> Result<(), Fault> {
        self.same(&self.atom(atom, scope)?, wanted, what)
    }

    fn lambda(&mut self, lambda: &Lambda, params: &[Type], scope: &Scope) -> Result<Type, Fault> {
        let (found, wanted) = (lambda.params.len(), params.len());
        require(found == wanted, || format!("a lambda with {wanted} parameters is wanted here, not {found}"))?;
        let mut scope = scope.clone();
        for (p, ty) in lambda.params.iter().zip(params) {
            self.bind(*p, &mut scope)?;
            self.same(&self.function.values[*p].ty, ty, "a lambda's parameter")?;
        }
        self.body(&lambda.body, &scope)
    }

    fn combine(&mut self, operator: &Lambda, neutral: &Atom, array: &Atom, scope: &Scope) -> Result<Type, Fault> {
        let elem = self.elem(array, scope)?;
        self.expect(neutral, &elem, "the neutral element", scope)?;
        let found = self.lambda(operator, &[elem.clone(), elem.clone()], scope)?;
        self.same(&found, &elem, "the operator's result")?;
        Ok(elem)
    }

    fn alike(&self, atoms: &[Atom], scope: &Scope) -> Result<Type, Fault> {
        let [first, rest @ ..] = atoms else {
            return Err("at least one array is wanted here".into());
        };
        let ty = self.atom(first, scope)?;
        rest.iter().try_for_each(|a| self.expect(a, &ty, "a component", scope))?;
        Ok(ty)
    }

    fn expr(&mut self, expr: &Expr, scope: &Scope) -> Result<Type, Fault> {
        Ok(match expr {
            Expr::Atom(a) => self.atom(a, scope)?,
            Expr::Unary(op, a) => {
                let s = self.scalar(a, scope)?;
                Type::Scalar(op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?)
            }
            Expr::Binary(op, a, b) => {
                let s = self.scalar(a, scope)?;
                self.expect(b, &Type::Scalar(s), "the second operand", scope)?;
                Type::Scalar(op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?)
            }
            Expr::Fma(a, b, c) => {
                let s = self.scalar(a, scope)?;
                require(s.is_float(), || "fma is for floats".into())?;
                self.expect(b, &Type::Scalar(s), "the second operand", scope)?;
                self.expect(c, &Type::Scalar(s), "the third operand", scope)?;
                Type::Scalar(s)
            }
            Expr::Convert(to, a) => {
                self.scalar(a, scope)?;
                Type::Scalar(*to)
            }
            Expr::Tuple(parts) => Type::Tuple(parts.iter().map(|a| self.atom(a, scope)).collect::<Result<_, _>>()?),
            Expr::Project(a, field) => match self.atom(a, scope)? {
                Type::Tuple(parts) if *field < parts.len() => parts[*field].clone(),
                ty => return Err(format!("{} has no component {field}", self.shown(&ty)).into()),
            },
            Expr::ArrayLiteral { elem, elems } => {
                self.well_formed(elem)?;
                elems.iter().try_for_each(|a| self.expect(a, elem, "an element", scope))?;
                Type::array(elem.clone())
            }
            Expr::Length(a) => {
                self.elem(a, scope)?;
                I64
            }
            Expr::Index { array, index } => {
                self.expect(index, &I64, "an index", scope)?;
                self.elem(array, scope)?
            }
            Expr::Slice { array, from, to } => {
                self.expect(from, &I64, "the start of a slice", scope)?;
                self.expect(to, &I64, "the end of a slice", scope)?;
                Type::array(self.elem(array, scope)?)
            }
            Expr::Iota(n) => {
                self.expect(n, &I64, "a count", scope)?;
                Type::array(I64)
            }
            Expr::Replicate { count, value } => {
                self.expect(count, &I64, "a count", scope)?;
                Type::array(self.atom(value, scope)?)
            }
            Expr::Concat(parts) => {
                self.alike(parts, scope)?;
                Type::array(self.elem(&parts[0], scope)?)
            }
            Expr::Zip(parts) => {
                require(!parts.is_empty(), || "at least one array is wanted here".into())?;
                let elems = parts.iter().map(|a| self.elem(a, scope)).collect::<Result<_, _>>()?;
                Type::array(Type::Tuple(elems))
            }
            Expr::Map { lambda, arrays } => {
                require(!arrays.is_empty(), || "at least one array is wanted here".into())?;
                let elems = arrays.iter().map(|a| self.elem(a, scope)).collect::<Result<Vec<_>, _>>()?;
                Type::array(self.lambda(lambda, &elems, scope)?)
            }
            Expr::Generate { lambda, count } => {
                self.expect(count, &I64, "a count", scope)?;
                Type::array(self.lambda(lambda, &[I64], scope)?)
            }
            Expr::Filter { predicate, array } => {
                let elem = self.elem(array, scope)?;
                let found = self.lambda(predicate, std::slice::from_ref(&elem), scope)?;
                self.same(&found, &BOOL, "the predicate's result")?;
                Type::array(elem)
            }
            Expr::Reduce { operator, neutral, array } => self.combine(operator, neutral, array, scope)?,
            Expr::Scan { operator, neutral, array } => Type::array(self.combine(operator, neutral, array, scope)?),
            Expr::If { cond, then, otherwise } => {
                self.expect(cond, &BOOL, "a condition", scope)?;
                let ty = self.body(then, scope)?;
                let other = self.body(otherwise, scope)?;
                self.same(&other, &ty, "the second branch")?;
                ty
            }
            Expr::Loop { state, init, form, body } => self.repeat(*state, init, form, body, scope)?,
            Expr::Call { function, args } => {
                let Some(callee) = self.program.functions.get(*function) else {
                    return Err(format!("there is no function {function}").into());
                };
                let (found, wanted) = (args.len(), callee.params.len());
                require(found == wanted, || format!("{} takes {wanted} arguments, not {found}", callee.name))?;
                for (p, a) in callee.params.iter().zip(args) {
                    self.expect(a, &callee.values[*p].ty.without_sizes(), "an argument", scope)?;
                }
                callee.result.without_sizes()
            }
            Expr::Ascribe { value, ty, check, .. } => {
                self.check_exists(*check)?;
                self.well_formed(ty)?;
                self.expect(value, ty, "what is ascribed", scope)?;
                ty.clone()
            }
            Expr::Variant { ty, tag, fields } => self.variant(ty, *tag, fields, scope)?,
            Expr::Match { value, arms } => self.cases(value, arms, scope)?,
            moved => self.array(moved, scope)?,
        })
    }

    fn repeat(
        &mut self,
        state: ValueId,
        init: &Atom,
        form: &LoopForm,
        body: &Body,
        scope: &Scope,
    ) -> Result<Type, Fault> {
        let first = self.atom(init, scope)?;
        if let LoopForm::For { count, .. } = form {
            self.expect(count, &I64, "a loop's count", scope)?;
        }
        let mut scope = scope.clone();
        self.bind(state, &mut scope)?;
        let ty = &self.function.values[state].ty;
        self.same(&first, ty, "the first value of a loop's state")?;
        match form {
            LoopForm::While(cond) => {
                let found = self.body(cond, &scope)?;
                self.same(&found, &BOOL, "a loop's condition")?;
            }
            LoopForm::For { index, .. } => {
                self.bind(*index, &mut scope)?;
                self.same(&self.function.values[*index].ty, &I64, "a loop's counter")?;
            }
        }
        let found = self.body(body, &scope)?;
        self.same(&found, ty, "a loop's next state")?;
        Ok(ty.clone())
    }
}

/// Whether a type is an integer, or any number of arrays around it.
fn integers(ty: &Type) -> bool {
    match ty {
        Type::Array(a) => integers(&a.elem),
        Type::Scalar(s) => s.is_int(),
        _ => false,
    }
}

fn fits(data: &Data, ty: &Type) -> bool {
    match (data, ty) {
        (Data::Scalar(s), Type::Scalar(t)) => s.ty() == *t,
        (Data::Tuple(parts), Type::Tuple(types)) => {
            parts.len() == types.len() && parts.iter().zip(types).all(|(p, t)| fits(p, t))
        }
        (Data::Array(items), Type::Array(a)) => items.iter().all(|i| fits(i, &a.elem)),
        (Data::Variant(d), Type::Sum(variants)) => variants.get(d.tag).is_some_and(|v| {
            let fields = &d.fields;
            v.name == d.name && v.fields.len() == fields.len() && fields.iter().zip(&v.fields).all(|(f, t)| fits(f, t))
        }),
        _ => false,
    }
}
