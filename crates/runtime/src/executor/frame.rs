//! A frame: the slots of one call and how far its statements have come.

use terrace_plan::host::{HostExpr, HostFunction, HostStmt, SlotId, SlotType};

use super::Value;
use crate::error::RunError;

/// One call that has not returned.
pub(super) struct Frame<'p> {
    function: &'p HostFunction,
    slots: Vec<Value>,
    cursors: Vec<Cursor<'p>>,
    /// The caller's slots that get the results.
    pub(super) results_to: &'p [SlotId],
}

/// A place in a list of statements.
struct Cursor<'p> {
    list: &'p [HostStmt],
    at: usize,
    after: After<'p>,
}

/// What happens at the end of a list.
#[derive(Clone, Copy)]
pub(super) enum After<'p> {
    /// On with the list outside.
    Nothing,
    /// The loop's test decides.
    Test(Loop<'p>),
    /// The loop's condition runs again.
    Again(Loop<'p>),
}

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Loop<'p> {
    pub(super) cond: &'p [HostStmt],
    pub(super) test: &'p HostExpr,
    pub(super) body: &'p [HostStmt],
}

impl<'p> Frame<'p> {
    pub(super) fn new(function: &'p HostFunction, results_to: &'p [SlotId]) -> Self {
        let cursors = vec![Cursor { list: &function.body, at: 0, after: After::Nothing }];
        Frame { function, slots: vec![Value::Empty; function.slots.len()], cursors, results_to }
    }

    /// The statement to run now; none at the end of a list.
    pub(super) fn next_statement(&mut self) -> Option<&'p HostStmt> {
        let cursor = self.cursors.last_mut()?;
        let statement = cursor.list.get(cursor.at)?;
        cursor.at += 1;
        Some(statement)
    }

    /// Carries out the `Free` statements that come next, of slots other than these.
    pub(super) fn free_ahead(&mut self, keep: &[SlotId]) -> Result<(), RunError> {
        while let Some(cursor) = self.cursors.last_mut() {
            match cursor.list.get(cursor.at) {
                Some(HostStmt::Free { slot }) if !keep.contains(slot) => {
                    cursor.at += 1;
                    self.set(*slot, Value::Empty)?;
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// Leaves the list that ended; none where it was the body.
    pub(super) fn leave_list(&mut self) -> Option<After<'p>> {
        let cursor = self.cursors.pop()?;
        (!self.cursors.is_empty()).then_some(cursor.after)
    }

    /// Goes into a list.
    pub(super) fn enter(&mut self, list: &'p [HostStmt], after: After<'p>) {
        self.cursors.push(Cursor { list, at: 0, after });
    }

    /// What is declared of a slot.
    pub(super) fn ty(&self, slot: SlotId) -> Result<SlotType, RunError> {
        let info = self.function.slots.get(slot.index());
        info.map(|s| s.ty).ok_or_else(|| self.bug(slot, "does not exist"))
    }

    /// What a slot holds.
    pub(super) fn get(&self, slot: SlotId) -> Result<&Value, RunError> {
        self.slots.get(slot.index()).ok_or_else(|| self.bug(slot, "does not exist"))
    }

    /// Lets a slot hold something else; its kind must be the declared one.
    pub(super) fn set(&mut self, slot: SlotId, value: Value) -> Result<(), RunError> {
        let fits = match (self.ty(slot)?, &value) {
            (_, Value::Empty) | (SlotType::Cell(_), Value::Cell(_)) | (SlotType::Buffer(_), Value::Buffer(_)) => true,
            (SlotType::Host(ty), Value::Host(scalar)) => scalar.ty() == ty,
            _ => false,
        };
        if !fits {
            return Err(self.bug(slot, "gets a value of another kind"));
        }
        self.slots[slot.index()] = value;
        Ok(())
    }

    /// The results, each with its slot's type.
    pub(super) fn results(&self) -> Result<Vec<(Value, SlotType)>, RunError> {
        let result = |slot: &SlotId| Ok((self.get(*slot)?.clone(), self.ty(*slot)?));
        self.function.results.iter().map(result).collect()
    }

    fn bug(&self, slot: SlotId, text: &str) -> RunError {
        let name = self.function.slots.get(slot.index()).map_or("?", |s| s.name.as_str());
        RunError::Plan(format!("slot {name}_{slot} of {} {text}", self.function.name))
    }
}
