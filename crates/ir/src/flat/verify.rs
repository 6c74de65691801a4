//! The rules of Flat. This list is the specification; everything below checks it (and so does Mem, which has more).
//!
//! Names and scope:
//! 1. Every value is bound once in its function: by a parameter, a statement, an operator (indices, positions, operands of its
//!    combining operator) or a loop's state. Names are words, and function names are distinct.
//! 2. A value is bound before it is used, in the same body or in one around it. So are the values that the type and the bound of a
//!    bound value mention, where values of the same statement, operator or loop may mention each other.
//!    Types of parameters and results may mention anything that the function binds.
//! 3. Sizes mention integers. Only integers and columns have a bound.
//!
//! Types (of scalars, and of the elements of columns; lengths are not compared):
//! 4. What is bound has the type of its expression, one value each. Scalar operations take operands of one type that has them.
//! 5. Positions, offsets, counts and sizes are `i64`; conditions are `bool`. A literal's items have one type.
//! 6. Branches give what the `if` binds. A loop's first values, its state, its next state and what it binds agree.
//! 7. A call has an argument per parameter and a bound value per result, of its type.
//!    A thread's call (`keep`) has an argument per parameter, and binds a scalar per result: of its type, or an `i64` for a column. What is
//!    taken is an `i64`.
//! 8. A check is in the program's list, has a `bool` and as many integers as its kind shows, and binds nothing.
//!    A guard names a threshold of the program and has an `i64`; names of thresholds are distinct.
//!
//! Operators:
//! 9. At the host level an operator is `grid` or `thread`; in a grid body `block` or `thread`; in a block body, a thread body or a
//!    combining operator `thread`. Calls, guards and the memory limit stand at the host level only,
//!    `keep` and `take` within operators only.
//! 10. A space has at least one dimension; there is one index and one position per dimension, all `i64`.
//! 11. Within bodies every dimension is regular. A closed-form length mentions formal indices of dimensions around it, and values in
//!     scope; a per-ancestor dimension depends on at least one and only on dimensions around it.
//! 12. `map` binds a column per result. Results are scalars; with `rows`, an `i64` column, they may also be columns.
//! 13. `reduce` binds, per combined value, a scalar (one dimension) or a column (more). If masked, the body's first result is a
//!     `bool` that is not combined.
//! 14. `scan` binds a column per value. The form `offsets` has one dimension.
//! 15. A combining operator has as many left operands, right operands and results as there are values, and so has the neutral
//!     element; all of the values' types.
//! 16. `pack` has a `bool` as first result; it binds an `i64` (one dimension) or an `i64` column (more), then a column per value.
//! 17. `scatter` has an `i64` as first result, and then one value per destination, of its type; it binds a column per destination.
//! 18. `hist` has an `i64` as first result, then values; it binds a column per value. Its count is an `i64`.
//! 19. `sort` has a key, and binds an `i64` column.
//! 20. Whole columns are concatenated at the host level only; they have one type.
//!
//! Borders:
//! 21. The body's results have the types of the function's results.
//! 22. Parameters and results of entries and tests are the slots of their layouts; a test has an argument per layout. What a function
//!     owns are columns among its parameters.
//! 23. There are no blocks and no `alloc` (they belong to Mem).

use super::note::Note;
use super::print::{first_line, print_type, value_name};
use super::visit::bound_values;
use super::{Body, Expr, Function, Level, Program, Role, Stmt, Type};
use crate::check::CheckId;
use crate::fault::{Fault, require};
use crate::text::is_word;
use crate::{Atom, ValueId, value_of};
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{IdVec, ScalarType};
use terrace_plan::layout::{Layout, Slot};

mod operator;

/// Checks all rules; the message names the function, the statement and the rule.
pub fn verify(program: &Program) -> Result<(), String> {
    rules(program)
}

/// The rules that Flat and Mem share: all but the last.
pub(crate) fn rules<A: Note>(program: &Program<A>) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for function in &program.functions {
        if !names.insert(&function.name) {
            return Err(format!("two functions are called {}", function.name));
        }
    }
    let mut names = BTreeSet::new();
    for threshold in &program.thresholds {
        if !names.insert(&threshold.name) {
            return Err(format!("two thresholds are called {}", threshold.name));
        }
    }
    for function in &program.functions {
        let mut checker = Checker { program, function, bound: BTreeSet::new(), all: BTreeSet::new() };
        checker.function().map_err(|fault| fault.in_function(&function.name))?;
    }
    Ok(())
}

type Scope = BTreeSet<ValueId>;

/// What surrounds a statement: nothing at the host level, else the level of the innermost operator.
type Around = Option<Level>;

struct Checker<'a, A> {
    program: &'a Program<A>,
    function: &'a Function<A>,
    bound: BTreeSet<ValueId>,
    all: BTreeSet<ValueId>,
}

const I64: Type = Type::Scalar(ScalarType::I64);
const BOOL: Type = Type::Scalar(ScalarType::Bool);

fn alike(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Scalar(x), Type::Scalar(y)) => x == y,
        (Type::Column { elem: x, .. }, Type::Column { elem: y, .. }) => x == y,
        (Type::Block, Type::Block) => true,
        _ => false,
    }
}

fn column(elem: ScalarType) -> Type {
    Type::Column { elem, length: Size::zero() }
}

impl<A: Note> Checker<'_, A> {
    fn name(&self, v: ValueId) -> String {
        value_name(&self.function.values, v)
    }

    fn kind(&self, ty: &Type) -> String {
        match ty {
            Type::Column { elem, .. } => format!("a column of {elem}"),
            _ => print_type(&self.function.values, ty),
        }
    }

    fn function(&mut self) -> Result<(), Fault> {
        let function = self.function;
        self.all = function.params.iter().copied().chain(bound_values(&function.body)).collect();
        let mut scope = Scope::new();
        self.bind_all(&function.params, &mut scope, true)?;
        for v in &function.owned {
            let column = function.params.contains(v) && function.values[*v].ty.is_column();
            require(column, || format!("a function owns columns among its parameters, not {}", self.name(*v)))?;
        }
        for ty in &function.results {
            require(A::PLACES || *ty != Type::Block, || "blocks belong to Mem".into())?;
            if let Type::Column { length, .. } = ty {
                self.size(length, &self.all)?;
            }
        }
        let found = self.body(&function.body, &scope, None)?;
        self.match_all(&found, &function.results, "the results of the function")?;
        self.borders()
    }

    fn borders(&self) -> Result<(), Fault> {
        let function = self.function;
        let arguments = match &function.role {
            Role::Internal => return Ok(()),
            Role::Entry => None,
            Role::Test { arguments, .. } => Some(arguments),
        };
        let params = function.params.iter().map(|p| function.values[*p].ty.clone()).collect::<Vec<_>>();
        self.slots(&function.param_layouts, &params, "the parameters")?;
        let Some(result) = &function.result_layout else {
            return Err("an entry has a layout of its result".into());
        };
        self.slots(std::slice::from_ref(result), &function.results, "the results")?;
        let fits = arguments.is_none_or(|a| a.len() == function.param_layouts.len());
        require(fits, || "a test has an argument per layout".into())
    }

    fn slots(&self, layouts: &[Layout], types: &[Type], what: &str) -> Result<(), Fault> {
        let slots = layouts.iter().flat_map(Layout::slots).map(|slot| match slot {
            Slot::Scalar(s) => Type::Scalar(s),
            Slot::Column(s) => column(s),
        });
        let types: Vec<Type> = types.iter().filter(|t| **t != Type::Block).cloned().collect();
        self.match_all(&types, &slots.collect::<Vec<_>>(), &format!("{what} and their layout"))
    }

    fn match_all(&self, found: &[Type], wanted: &[Type], what: &str) -> Result<(), Fault> {
        require(found.len() == wanted.len(), || {
            format!("{what}: found {} of them, wanted {}", found.len(), wanted.len())
        })?;
        found.iter().zip(wanted).try_for_each(|(f, w)| self.same(f, w, what))
    }

    fn same(&self, found: &Type, wanted: &Type, what: &str) -> Result<(), Fault> {
        require(alike(found, wanted), || format!("{what}: found {}, wanted {}", self.kind(found), self.kind(wanted)))
    }

    /// Brings values into scope together. The types of parameters see the whole function.
    fn bind_all(&mut self, values: &[ValueId], scope: &mut Scope, params: bool) -> Result<(), Fault> {
        for v in values {
            require(self.function.values.get(*v).is_some(), || format!("value {v} is not in the function's table"))?;
            require(self.bound.insert(*v), || format!("{} is bound twice", self.name(*v)))?;
            scope.insert(*v);
        }
        for v in values {
            let value = &self.function.values[*v];
            require(is_word(&value.name), || format!("the name {:?} is not a word", value.name))?;
            let visible = if params { &self.all } else { &*scope };
            match &value.ty {
                Type::Column { length, .. } => self.size(length, visible)?,
                Type::Scalar(s) => {
                    require(value.bound.is_none() || s.is_int(), || "only integers and columns have a bound".into())?
                }
                Type::Block => require(A::PLACES && value.bound.is_none(), || "blocks belong to Mem".into())?,
            }
            value.bound.iter().try_for_each(|b| self.size(b, visible))?;
        }
        Ok(())
    }

    fn size(&self, size: &Size, scope: &Scope) -> Result<(), Fault> {
        for v in size.vars().into_iter().map(value_of) {
            require(scope.contains(&v), || format!("a size mentions {}, which is not bound here", self.name(v)))?;
            let integer = matches!(self.function.values[v].ty, Type::Scalar(s) if s.is_int());
            require(integer, || format!("a size mentions {}, which is no integer", self.name(v)))?;
        }
        Ok(())
    }

    fn body(&mut self, body: &Body, scope: &Scope, around: Around) -> Result<Vec<Type>, Fault> {
        let mut scope = scope.clone();
        for stmt in &body.stmts {
            let (program, function) = (self.program, self.function);
            self.stmt(stmt, &mut scope, around).map_err(|f| f.in_stmt(|| first_line(program, function, stmt)))?;
        }
        body.results.iter().map(|a| self.atom(a, &scope)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt, scope: &mut Scope, around: Around) -> Result<(), Fault> {
        let found = self.expr(stmt, scope, around)?;
        self.bind_all(&stmt.binds, scope, false)?;
        let wanted: Vec<Type> = stmt.binds.iter().map(|v| self.function.values[*v].ty.clone()).collect();
        self.match_all(&found, &wanted, "what is bound")
    }

    fn value(&self, v: ValueId, scope: &Scope) -> Result<&Type, Fault> {
        require(scope.contains(&v), || format!("{} is not bound here", self.name(v)))?;
        Ok(&self.function.values[v].ty)
    }

    fn atom(&self, atom: &Atom, scope: &Scope) -> Result<Type, Fault> {
        match atom {
            Atom::Const(c) => Ok(Type::Scalar(c.ty())),
            Atom::Var(v) => Ok(self.value(*v, scope)?.clone()),
        }
    }

    fn atoms(&self, atoms: &[Atom], scope: &Scope) -> Result<Vec<Type>, Fault> {
        atoms.iter().map(|a| self.atom(a, scope)).collect()
    }

    fn scalar(&self, atom: &Atom, scope: &Scope) -> Result<ScalarType, Fault> {
        match self.atom(atom, scope)? {
            Type::Scalar(s) => Ok(s),
            other => Err(format!("a scalar is wanted here, not {}", self.kind(&other)).into()),
        }
    }

    fn column(&self, v: ValueId, scope: &Scope) -> Result<ScalarType, Fault> {
        match self.value(v, scope)? {
            Type::Column { elem, .. } => Ok(*elem),
            other => Err(format!("a column is wanted here, not {}", self.kind(other)).into()),
        }
    }

    fn offsets(&self, v: ValueId, scope: &Scope) -> Result<(), Fault> {
        let elem = self.column(v, scope)?;
        require(elem == ScalarType::I64, || format!("{} must be a column of i64", self.name(v)))
    }

    fn expect(&self, atom: &Atom, wanted: &Type, what: &str, scope: &Scope) -> Result<(), Fault> {
        self.same(&self.atom(atom, scope)?, wanted, what)
    }

    fn expr(&mut self, stmt: &Stmt, scope: &Scope, around: Around) -> Result<Vec<Type>, Fault> {
        let host_only = |what: &str| require(around.is_none(), || format!("{what} stands at the host level only"));
        let one = |s: ScalarType| vec![Type::Scalar(s)];
        Ok(match &stmt.expr {
            Expr::Atom(a) => vec![self.atom(a, scope)?],
            Expr::Unary(op, a) => {
                let s = self.scalar(a, scope)?;
                one(op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?)
            }
            Expr::Binary(op, a, b) => {
                let s = self.scalar(a, scope)?;
                self.expect(b, &Type::Scalar(s), "the second operand", scope)?;
                one(op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?)
            }
            Expr::Fma(a, b, c) => {
                let s = self.scalar(a, scope)?;
                require(s.is_float(), || "fma is for floats".into())?;
                self.expect(b, &Type::Scalar(s), "the second operand", scope)?;
                self.expect(c, &Type::Scalar(s), "the third operand", scope)?;
                one(s)
            }
            Expr::Convert(to, a) => {
                self.scalar(a, scope)?;
                one(*to)
            }
            Expr::Select(c, a, b) => {
                self.expect(c, &BOOL, "a condition", scope)?;
                let s = self.scalar(a, scope)?;
                self.expect(b, &Type::Scalar(s), "the second choice", scope)?;
                one(s)
            }
            Expr::Size(size) => {
                self.size(size, scope)?;
                vec![I64]
            }
            Expr::Read { column, at } => {
                self.expect(at, &I64, "a position", scope)?;
                one(self.column(*column, scope)?)
            }
            Expr::Check { check, cond, values } => {
                self.check(*check, cond, values, scope)?;
                vec![]
            }
            Expr::If { cond, then, otherwise } => {
                self.expect(cond, &BOOL, "a condition", scope)?;
                let found = self.body(then, scope, around)?;
                let other = self.body(otherwise, scope, around)?;
                self.match_all(&other, &found, "the second branch")?;
                found
            }
            Expr::Loop { state, cond, body } => {
                let (values, inits): (Vec<ValueId>, Vec<Atom>) = state.iter().copied().unzip();
                let first = self.atoms(&inits, scope)?;
                let mut scope = scope.clone();
                self.bind_all(&values, &mut scope, false)?;
                let types: Vec<Type> = values.iter().map(|v| self.function.values[*v].ty.clone()).collect();
                self.match_all(&first, &types, "the first values of a loop's state")?;
                let test = self.body(cond, &scope, around)?;
                self.match_all(&test, &[BOOL], "a loop's condition")?;
                let next = self.body(body, &scope, around)?;
                self.match_all(&next, &types, "a loop's next state")?;
                types
            }
            Expr::Call { function, args } => {
                host_only("a call")?;
                let Some(callee) = self.program.functions.get(*function) else {
                    return Err(format!("there is no function {function}").into());
                };
                let wanted: Vec<Type> = callee.params.iter().map(|p| callee.values[*p].ty.clone()).collect();
                self.match_all(&self.atoms(args, scope)?, &wanted, "the arguments")?;
                callee.results.clone()
            }
            Expr::Keep { function, args } => {
                require(around.is_some(), || "a call of a thread stands within an operator".into())?;
                let Some(callee) = self.program.functions.get(*function) else {
                    return Err(format!("there is no function {function}").into());
                };
                let wanted: Vec<Type> = callee.params.iter().map(|p| callee.values[*p].ty.clone()).collect();
                self.match_all(&self.atoms(args, scope)?, &wanted, "the arguments")?;
                let kept = callee.results.iter().filter(|t| **t != Type::Block);
                kept.map(|t| if t.is_column() { I64 } else { t.clone() }).collect()
            }
            Expr::Take(handle) => {
                require(around.is_some(), || "what was kept is taken within an operator".into())?;
                self.expect(handle, &I64, "what stands for a column", scope)?;
                let own = stmt.binds.first().and_then(|v| self.function.values.get(*v)).and_then(|v| v.ty.elem());
                vec![column(own.unwrap_or(ScalarType::I64))]
            }
            Expr::MemoryLimit => {
                host_only("the memory limit")?;
                vec![I64]
            }
            Expr::Guard { threshold, quantity } => {
                host_only("a guard")?;
                let known = self.program.thresholds.get(*threshold).is_some();
                require(known, || format!("there is no threshold {threshold}"))?;
                self.expect(quantity, &I64, "the quantity of a guard", scope)?;
                one(ScalarType::Bool)
            }
            Expr::Literal(items) => {
                let elems = items.iter().map(|a| self.scalar(a, scope)).collect::<Result<Vec<_>, _>>()?;
                let own = stmt.binds.first().and_then(|v| self.function.values.get(*v)).and_then(|v| v.ty.elem());
                let elem = elems.first().copied().or(own).unwrap_or(ScalarType::I64);
                require(elems.iter().all(|e| *e == elem), || "a literal's items have one type".into())?;
                vec![column(elem)]
            }
            Expr::Concat(columns) => {
                host_only("a concatenation of columns")?;
                let elems = columns.iter().map(|v| self.column(*v, scope)).collect::<Result<Vec<_>, _>>()?;
                let Some(elem) = elems.first() else {
                    return Err("a concatenation has a column".into());
                };
                require(elems.iter().all(|e| e == elem), || "concatenated columns have one type".into())?;
                vec![column(*elem)]
            }
            Expr::Op(op) => self.op(op, scope, around)?,
            Expr::Alloc { count, .. } => {
                require(A::PLACES, || "alloc belongs to Mem".into())?;
                self.size(count, scope)?;
                vec![Type::Block]
            }
        })
    }

    fn check(&self, check: CheckId, cond: &Atom, values: &[Atom], scope: &Scope) -> Result<(), Fault> {
        let Some(info) = self.program.checks.get(check) else {
            return Err(format!("there is no check {check}").into());
        };
        self.expect(cond, &BOOL, "a check's condition", scope)?;
        let count = info.kind.value_count();
        require(values.len() == count, || format!("a check of this kind shows {count} values"))?;
        for v in values {
            let integer = self.scalar(v, scope)?.is_int();
            require(integer, || "a check shows integers".into())?;
        }
        Ok(())
    }
}

/// The types of some values of a table.
fn types_of<A>(table: &IdVec<ValueId, super::Value<A>>, values: &[ValueId]) -> Vec<Type> {
    values.iter().map(|v| table[*v].ty.clone()).collect()
}
