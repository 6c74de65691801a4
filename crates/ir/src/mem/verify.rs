//! The rules of Mem. This list is the specification; everything below checks it.
//!
//! 1. All rules of Flat but the last ([`crate::flat::verify`]): here there are blocks, and `alloc` binds one.
//! 2. Every column that a statement or a loop's state binds has a place. A column that is a parameter or comes from a call may have
//!    none: it then has a block to itself, which only its users know. Scalars and blocks have no place.
//! 3. The block of a place is of type `block` and is bound before the column, or together with it; so are the values in the
//!    index function.
//! 4. Where the block comes from an `alloc` of the function, the column's elements have the type that was allocated.
//! 5. The index function has at least one dimension.
//! 6. Without its places the program is a valid Flat program ([`super::erase`]).
//!
//! Declined: whether places overlap while both columns are in use. That is what the interpreter's two readings find.

use super::{Function, Program};
use crate::ValueId;
use crate::fault::{Fault, require};
use crate::flat::print::{first_line, value_name};
use crate::flat::{Body, Expr, Type, verify as flat};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::ScalarType;

/// Checks all rules; the message names the function, the statement and the rule.
pub fn verify(program: &Program) -> Result<(), String> {
    flat::rules(program)?;
    for function in &program.functions {
        let mut places = Places { program, function, allocated: BTreeMap::new() };
        places.function().map_err(|fault| fault.in_function(&function.name))?;
    }
    flat::verify(&super::erase::erase(program)).map_err(|message| format!("without places: {message}"))
}

struct Places<'a> {
    program: &'a Program,
    function: &'a Function,
    allocated: BTreeMap<ValueId, ScalarType>,
}

impl Places<'_> {
    fn function(&mut self) -> Result<(), Fault> {
        let function = self.function;
        let mut scope = BTreeSet::new();
        self.bind(&function.params, true, &mut scope)?;
        self.body(&function.body, &scope)
    }

    fn body(&mut self, body: &Body, scope: &BTreeSet<ValueId>) -> Result<(), Fault> {
        let mut scope = scope.clone();
        let (program, function) = (self.program, self.function);
        for stmt in &body.stmts {
            let mut inner = scope.clone();
            let fault = |f: Fault| f.in_stmt(|| first_line(program, function, stmt));
            if let (Expr::Alloc { elem, .. }, [block]) = (&stmt.expr, stmt.binds.as_slice()) {
                self.allocated.insert(*block, *elem);
            }
            self.bind(&stmt.expr.binders(), false, &mut inner).map_err(fault)?;
            stmt.expr.bodies().into_iter().try_for_each(|b| self.body(b, &inner)).map_err(fault)?;
            let call = matches!(stmt.expr, Expr::Call { .. });
            self.bind(&stmt.binds, call, &mut scope).map_err(fault)?;
        }
        Ok(())
    }

    fn bind(&self, values: &[ValueId], optional: bool, scope: &mut BTreeSet<ValueId>) -> Result<(), Fault> {
        scope.extend(values);
        for v in values {
            let value = &self.function.values[*v];
            let name = || value_name(&self.function.values, *v);
            let Type::Column { elem, .. } = value.ty else {
                require(value.at.is_none(), || format!("{} is no column and has no place", name()))?;
                continue;
            };
            let Some(place) = &value.at else {
                require(optional, || format!("the column {} has no place", name()))?;
                continue;
            };
            for mentioned in place.values() {
                require(scope.contains(&mentioned), || {
                    format!(
                        "the place of {} mentions {}, which is not bound here",
                        name(),
                        value_name(&self.function.values, mentioned)
                    )
                })?;
            }
            let is_block = self.function.values[place.block].ty == Type::Block;
            require(is_block, || format!("{} is not in a block", name()))?;
            let fits = self.allocated.get(&place.block).is_none_or(|allocated| *allocated == elem);
            require(fits, || format!("the block of {} was allocated for another type", name()))?;
            require(place.index.rank() > 0, || format!("the index function of {} has no dimension", name()))?;
        }
        Ok(())
    }
}
