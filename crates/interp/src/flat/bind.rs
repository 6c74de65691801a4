//! Binding and reading: where values meet their types, their bounds and memory.
//!
//! ```text
//! let m : i64 <= n = …      m is at most n, or the compiler is wrong
//! let ys : f64[m] = …       ys has m elements, or the compiler is wrong
//! ```
//!
//! Sizes that have no value yet (a parameter's type may mention what the body binds) are not compared.

use super::frame::{Frame, Value};
use super::machine::{Machine, Outcome, bug};
use super::memory::Memory;
use terrace_base::Scalar;
use terrace_ir::ValueId;
use terrace_ir::flat::Type;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::print::print_size;

impl<'p, A: Note, M: Memory> Machine<'p, A, M> {
    /// An element of a column, by value and from memory.
    #[inline]
    pub(crate) fn read(&mut self, frame: &Frame<'p, A, M>, id: ValueId, at: i64) -> Outcome<Scalar> {
        let (column, place) = frame.column(id)?;
        let found = usize::try_from(at).ok().and_then(|k| column.get(k).map(|s| (k, s)));
        let Some((k, value)) = found else {
            let (name, length) = (frame.name(id), column.len());
            let inside = (0..length as i64).contains(&at);
            return Err(bug(if inside {
                format!("{name} is read at {at}, in a gap between rows")
            } else {
                format!("{name} is read at {at}, but has {length} elements")
            }));
        };
        match self.memory.read(place, k, value) {
            Ok(()) => Ok(value),
            Err(e) => Err(bug(format!("{} at {at}: {e}", frame.name(id)))),
        }
    }

    /// Where a column lives.
    pub(crate) fn place(&self, frame: &Frame<'p, A, M>, id: ValueId) -> Outcome<M::Place> {
        let place = frame.function.values[id].at.place();
        let block = place.and_then(|place| match frame.value(place.block) {
            Value::Block(block) => Some(block),
            _ => None,
        });
        let found = self.memory.place(place, block, &|size| frame.size(size));
        found.map_err(|e| bug(format!("the place of {}: {e}", frame.name(id))))
    }

    /// Whether memory has what a column is.
    pub(crate) fn holds(&self, value: &Value<M>, name: &str) -> Outcome<()> {
        let Value::Column(column, place) = value else {
            return Ok(());
        };
        for (at, item) in column.items().iter().enumerate() {
            if let Some(value) = item {
                let held = self.memory.holds(place, at, *value);
                held.map_err(|e| bug(format!("{name} at {at}: {e}")))?;
            }
        }
        Ok(())
    }

    /// Binds values that exist already. Scalars and blocks first: types and places of columns mention them.
    pub(crate) fn bind_all(
        &mut self,
        frame: &mut Frame<'p, A, M>,
        ids: &[ValueId],
        values: Vec<Value<M>>,
    ) -> Outcome<()> {
        if ids.len() != values.len() {
            return Err(bug(format!("{} values for {}", values.len(), ids.len())));
        }
        let mut columns = Vec::new();
        for (id, value) in ids.iter().zip(values) {
            match value {
                Value::Column(..) => columns.push((*id, value)),
                value => {
                    frame.set(*id, value.clone());
                    columns.push((*id, value));
                }
            }
        }
        columns.into_iter().try_for_each(|(id, value)| self.bind(frame, id, value))
    }

    /// Binds a value that exists already: a column stays where it is, and its new place must say so.
    pub(crate) fn bind(&mut self, frame: &mut Frame<'p, A, M>, id: ValueId, value: Value<M>) -> Outcome<()> {
        match value {
            Value::Scalar(s) => self.bind_scalar(frame, id, s),
            Value::Column(column, _) => {
                let place = self.place(frame, id)?;
                let value = Value::Column(column, place);
                self.fits_value(frame, &value, id)?;
                self.holds(&value, &frame.name(id))?;
                frame.set(id, value);
                Ok(())
            }
            other => {
                self.fits_value(frame, &other, id)?;
                frame.set(id, other);
                Ok(())
            }
        }
    }

    #[inline]
    pub(crate) fn bind_scalar(&mut self, frame: &mut Frame<'p, A, M>, id: ValueId, value: Scalar) -> Outcome<()> {
        let info = &frame.function.values[id];
        if info.ty != Type::Scalar(value.ty()) || info.bound.is_some() {
            self.fits_value(frame, &Value::Scalar(value), id)?;
        }
        frame.set(id, Value::Scalar(value));
        Ok(())
    }

    /// Whether a value is of its type and within its bound, as far as sizes have values.
    pub(crate) fn fits_value(&self, frame: &Frame<'p, A, M>, value: &Value<M>, id: ValueId) -> Outcome<()> {
        let info = &frame.function.values[id];
        self.fits(frame, value, &info.ty, || frame.name(id))?;
        let amount = match value {
            Value::Scalar(s) => s.as_i64(),
            Value::Column(column, _) => Some(column.len() as i64),
            _ => None,
        };
        if let Some((n, bound)) = amount.zip(info.bound.as_ref())
            && let Some(most) = frame.size(bound)
            && n > most
        {
            let text = print_size(&frame.function.values, bound);
            let name = frame.name(id);
            return Err(bug(format!("{name} is {n}, above its bound {text} = {most}")));
        }
        Ok(())
    }

    pub(crate) fn fits(
        &self,
        frame: &Frame<'p, A, M>,
        value: &Value<M>,
        ty: &Type,
        name: impl Fn() -> String,
    ) -> Outcome<()> {
        match (value, ty) {
            (Value::Scalar(s), Type::Scalar(wanted)) if s.ty() == *wanted => Ok(()),
            (Value::Block(_), Type::Block) => Ok(()),
            (Value::Column(column, _), Type::Column { elem, length }) if column.elem() == *elem => {
                match frame.size(length) {
                    Some(n) if n != column.len() as i64 => {
                        let text = print_size(&frame.function.values, length);
                        let (name, found) = (name(), column.len());
                        Err(bug(format!("{name} has {found} elements, its type says {text} = {n}")))
                    }
                    _ => Ok(()),
                }
            }
            _ => Err(bug(format!("{} is of another type", name()))),
        }
    }
}
