//! Calls from outside: nested values or slots go in, and come out.
//!
//! The border is where the program's promises about its arguments are tested (`border.rs`), and where Mem gets its first
//! blocks: each column that comes in has a block of its own, which is as long as the column.

use super::Failure;
use super::border;
use super::column::Slot;
use super::frame::{Frame, Value};
use super::machine::{Machine, Outcome, Stop, bug, failure};
use super::memory::Memory;
use std::rc::Rc;
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::note::Note;
use terrace_ir::flat::{Function, Type};
use terrace_ir::{Atom, FuncId, ValueId};
use terrace_plan::data::Data;

impl<'p, A: Note, M: Memory> Machine<'p, A, M> {
    /// Calls an entry or a test from outside.
    pub(crate) fn enter(&mut self, id: FuncId, args: &[Data]) -> Result<Data, Box<Failure>> {
        let function = self.function(id)?;
        let wrong = |text: String| Box::new(failure("argument", &text, Vec::new(), function.span));
        let Some(result) = &function.result_layout else {
            return Err(wrong(format!("`{}` is not called from outside", function.name)));
        };
        let wanted = function.param_layouts.len();
        if args.len() != wanted {
            let (name, found) = (&function.name, args.len());
            return Err(wrong(format!("`{name}` takes {wanted}, not {found}")));
        }
        let visible: Vec<ValueId> = visible_params(function);
        let mut slots = Vec::new();
        for (arg, layout) in args.iter().zip(&function.param_layouts) {
            // The elements come last, under the name of the parameter.
            let last = (slots.len() + layout.slots().len()).checked_sub(1);
            let id = last.and_then(|k| visible.get(k));
            let name = id.map_or("", |v| function.values[*v].name.as_str());
            match border::to_slots(arg, layout) {
                Ok(found) => slots.extend(found),
                Err(border::Misfit::Shape(text)) => return Err(wrong(format!("`{name}`: {text}"))),
                Err(border::Misfit::Size { found, wanted, index }) => {
                    let mut miss = failure("parameter", name, vec![found, wanted], function.span);
                    miss.indices = index;
                    return Err(Box::new(miss));
                }
            }
        }
        let results = self.enter_slots(id, slots)?;
        border::from_slots(&results, result)
            .map_err(|text| self.outside(bug(format!("the result: {text}")), function.span))
    }

    /// Calls a function from outside with scalars and columns.
    pub(crate) fn enter_slots(&mut self, id: FuncId, slots: Vec<Slot>) -> Result<Vec<Slot>, Box<Failure>> {
        let function = self.function(id)?;
        let results = self
            .arguments(function, slots)
            .and_then(|args| self.call(id, args, function.span))
            .and_then(|results| {
                results.iter().try_for_each(|value| self.holds(value, "a result"))?;
                Ok(results)
            })
            .map_err(|stop| self.outside(stop, function.span))?;
        let slots = results.into_iter().filter_map(|value| match value {
            Value::Scalar(s) => Some(Slot::Scalar(s)),
            Value::Column(column, _) => Some(Slot::Column(Rc::unwrap_or_clone(column))),
            Value::Block(_) | Value::Unbound => None,
        });
        Ok(slots.collect())
    }

    fn function(&self, id: FuncId) -> Result<&'p Function<A>, Box<Failure>> {
        let found = self.program.functions.get(id);
        found.ok_or_else(|| Box::new(failure("argument", "there is no such function", Vec::new(), Span::none())))
    }

    fn outside(&self, stop: Stop, span: Span) -> Box<Failure> {
        match stop {
            Stop::Failure(failure) => failure,
            Stop::Bug(text) => self.fail(failure("bug", &text, Vec::new(), span)),
            Stop::Point => self.fail(failure("bug", "a point outside operators", Vec::new(), span)),
        }
    }

    /// The arguments of a call from outside: in Mem, each column gets a block of its own.
    fn arguments(&mut self, function: &'p Function<A>, slots: Vec<Slot>) -> Outcome<Vec<Value<M>>> {
        let visible = visible_params(function);
        let wrong = |text: String| {
            let miss = failure("argument", &text, Vec::new(), function.span);
            Err(Stop::Failure(Box::new(miss)))
        };
        if visible.len() != slots.len() {
            return wrong(format!("{} slots for {}", slots.len(), visible.len()));
        }
        let mut frame: Frame<'p, A, M> = Frame::new(function);
        let mut columns = Vec::new();
        for (id, slot) in visible.iter().zip(slots) {
            match (&function.values[*id].ty, slot) {
                (Type::Scalar(ty), Slot::Scalar(s)) if s.ty() == *ty => frame.set(*id, Value::Scalar(s)),
                (Type::Column { elem, .. }, Slot::Column(c)) if c.elem() == *elem => columns.push((*id, c)),
                _ => return wrong(format!("{} is of another type", frame.name(*id))),
            }
        }
        for param in &function.params {
            if function.values[*param].ty != Type::Block {
                continue;
            }
            let lives_here = |id: ValueId| {
                let place = function.values[id].at.place();
                place.is_some_and(|place| place.block == *param)
            };
            let (mut elem, mut count) = (ScalarType::I64, 0);
            for (id, column) in columns.iter().filter(|(id, _)| lives_here(*id)) {
                elem = function.values[*id].ty.elem().unwrap_or(elem);
                count = count.max(column.len());
            }
            let block = self.memory.alloc(elem, count as i64).map_err(bug)?;
            frame.set(*param, Value::Block(block));
        }
        for (id, column) in columns {
            let place = self.place(&frame, id)?;
            let placed = function.values[id].at.place().is_some();
            for (at, item) in column.items().iter().enumerate() {
                if let (true, Some(value)) = (placed, item) {
                    let written = self.memory.write(&place, at, *value);
                    written.map_err(|e| bug(format!("{}: {e}", frame.name(id))))?;
                }
            }
            frame.set(id, Value::Column(Rc::new(column), place));
        }
        function.params.iter().map(|p| frame.get(Atom::Var(*p))).collect()
    }
}

/// The parameters that a caller from outside gives: all but blocks.
fn visible_params<A>(function: &Function<A>) -> Vec<ValueId> {
    let params = function.params.iter().copied();
    params.filter(|p| function.values[*p].ty != Type::Block).collect()
}
