//! The values of one call.
//!
//! A frame has a place for every value of its function. Bodies of operators, branches and loops share it: each value is bound
//! in one place of the text, and the next point or round binds it again.

use super::column::Column;
use super::machine::{Outcome, Stop, bug};
use super::memory::Memory;
use std::rc::Rc;
use terrace_algebra::Size;
use terrace_base::Scalar;
use terrace_ir::flat::Function;
use terrace_ir::flat::print::value_name;
use terrace_ir::{Atom, ValueId, value_of};

/// What a value is at run time.
pub(crate) enum Value<M: Memory> {
    /// Not bound yet.
    Unbound,
    Scalar(Scalar),
    Column(Rc<Column>, M::Place),
    Block(M::Block),
}

impl<M: Memory> Clone for Value<M> {
    fn clone(&self) -> Self {
        match self {
            Value::Unbound => Value::Unbound,
            Value::Scalar(s) => Value::Scalar(*s),
            Value::Column(column, place) => Value::Column(Rc::clone(column), place.clone()),
            Value::Block(block) => Value::Block(block.clone()),
        }
    }
}

pub(crate) struct Frame<'p, A, M: Memory> {
    pub(crate) function: &'p Function<A>,
    slots: Vec<Value<M>>,
}

impl<'p, A, M: Memory> Frame<'p, A, M> {
    pub(crate) fn new(function: &'p Function<A>) -> Self {
        let slots = (0..function.values.len()).map(|_| Value::Unbound).collect();
        Frame { function, slots }
    }

    pub(crate) fn name(&self, id: ValueId) -> String {
        value_name(&self.function.values, id)
    }

    #[inline]
    pub(crate) fn set(&mut self, id: ValueId, value: Value<M>) {
        if let Some(slot) = self.slots.get_mut(id.index()) {
            *slot = value;
        }
    }

    #[inline]
    pub(crate) fn set_int(&mut self, id: ValueId, n: i64) {
        self.set(id, Value::Scalar(Scalar::I64(n)));
    }

    pub(crate) fn value(&self, id: ValueId) -> &Value<M> {
        self.slots.get(id.index()).unwrap_or(&Value::Unbound)
    }

    pub(crate) fn get(&self, atom: Atom) -> Outcome<Value<M>> {
        match atom {
            Atom::Const(s) => Ok(Value::Scalar(s)),
            Atom::Var(v) => match self.value(v) {
                Value::Unbound => Err(bug(format!("{} is not bound", self.name(v)))),
                value => Ok(value.clone()),
            },
        }
    }

    #[inline]
    pub(crate) fn scalar(&self, atom: Atom) -> Outcome<Scalar> {
        match atom {
            Atom::Const(s) => Ok(s),
            Atom::Var(v) => match self.value(v) {
                Value::Scalar(s) => Ok(*s),
                _ => Err(self.not_a(v, "scalar")),
            },
        }
    }

    pub(crate) fn column(&self, id: ValueId) -> Outcome<(&Rc<Column>, &M::Place)> {
        match self.value(id) {
            Value::Column(column, place) => Ok((column, place)),
            _ => Err(self.not_a(id, "column")),
        }
    }

    fn not_a(&self, id: ValueId, what: &str) -> Stop {
        match self.value(id) {
            Value::Unbound => bug(format!("{} is not bound", self.name(id))),
            _ => bug(format!("{} is not a {what}", self.name(id))),
        }
    }

    pub(crate) fn int(&self, atom: Atom) -> Outcome<i64> {
        let value = self.scalar(atom)?;
        value.as_i64().ok_or_else(|| bug(format!("{value} is not an integer")))
    }

    pub(crate) fn bool(&self, atom: Atom) -> Outcome<bool> {
        let value = self.scalar(atom)?;
        value.as_bool().ok_or_else(|| bug(format!("{value} is not a bool")))
    }

    /// The value of a size; some of its variables stand for other integers than those of the frame.
    pub(crate) fn size_with(&self, size: &Size, instead: &[(ValueId, i64)]) -> Option<i64> {
        if let Some(n) = size.as_constant() {
            return Some(n);
        }
        size.eval_wrapping(&|var| {
            let id = value_of(var);
            if let Some((_, n)) = instead.iter().find(|(v, _)| *v == id) {
                return Some(*n);
            }
            match self.value(id) {
                Value::Scalar(s) => s.as_i64(),
                _ => None,
            }
        })
    }

    /// The value of a size.
    pub(crate) fn size(&self, size: &Size) -> Option<i64> {
        self.size_with(size, &[])
    }
}
