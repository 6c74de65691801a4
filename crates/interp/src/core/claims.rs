//! Does a value have the shape that was inferred for it?
//!
//! A [`Shape`] has a size for every length and every integer. A size is made of symbols, and each symbol says where in the
//! values of the running function its number is to be found, so a claim is checked by looking:
//!
//! ```text
//! ys : [len(xs)]i64(2*p0)      against xs = [7, 8], ys = [0, 3]
//!     the length is len(xs) = 2: it is 2, good
//!     element 1 is 2*1 = 2: it is 3, so the claim is false
//! ```
//!
//! A size that leaves 64 bits, or takes too long to add up, says nothing, and a symbol that stands for the very place that is
//! looked at is not a claim. A size that depends on a place which does not exist (an element beyond the end) is a false claim:
//! nobody could use it. A size may mention a value that is computed later, such as `m` of a parameter `rows: [n][m]f64`: then the
//! claim waits for it.
//!
//! Large values are sampled: about 10,000 elements are looked at, the first and the last of every array among them.

use super::value::Value;
use std::cell::Cell;
use std::collections::BTreeSet;
use terrace_algebra::{Size, SizeFun, SizeVar};
use terrace_ir::ValueId;
use terrace_ir::shape::{FunctionShapes, POSITIONS, Shape, Step, Symbol, SymbolId, as_symbol, position};

/// How many elements of a value are looked at, more or less.
const SAMPLE: usize = 10_000;

/// What the symbols of a running function stand for.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) shapes: &'a FunctionShapes,
    /// The values of the function, by number.
    pub(super) slots: &'a [Value],
    /// Where the parallel bodies are, by the number of their first parameter; negative for those that do not run.
    pub(super) counters: &'a [i64],
    /// Which values are computed, by number.
    pub(super) bound: &'a [bool],
}

/// What is known about the number that a size should be.
pub(super) enum Number {
    /// It is this.
    Right,
    /// It is another one: a numerator and a denominator.
    Wrong(i64, i128),
    /// Too large, or too long to add up.
    Unknown,
    /// Something that the size mentions does not exist.
    Missing(SymbolId),
    /// A value that the size mentions is not computed yet.
    Later(ValueId),
}

/// A claim that is false.
pub(super) struct Broken {
    /// The steps and positions on the way to the place.
    pub(super) place: String,
    pub(super) claim: Claim,
}

/// What was claimed of a place.
pub(super) enum Claim {
    /// An array, a tuple, a number: it is something else.
    Form,
    /// A length (else an integer) is this size, and what is there is `found`.
    Size { length: bool, size: Size, wanted: Number, found: i128 },
}

impl Scope<'_> {
    /// Whether `found` is the number that a size is, where `positions` are the positions in the arrays around.
    pub(super) fn compare(&self, size: &Size, positions: &[i64], found: i128) -> Number {
        let missing: Cell<Option<(SymbolId, Absent)>> = Cell::new(None);
        // A fraction has no value, but it is not a number for certain.
        let (whole, by) = size.as_integer_form();
        let value = |otherwise: i64| {
            let look = |symbol: usize, args: &[i64]| {
                let id = SymbolId::new(symbol);
                self.symbol(id, args, positions).map_or_else(
                    |absent| {
                        missing.set(Some((id, absent)));
                        Some(otherwise)
                    },
                    |found| i64::try_from(found).ok(),
                )
            };
            whole.eval_with(&|SizeVar(n)| look(n as usize, &[]), &|SizeFun(n), args| look(n as usize, args))
        };
        // What does not exist does not matter where the size has one value whatever it might be.
        match (value(0), missing.get()) {
            (first, Some((id, absent))) if value(7) != first => match absent {
                Absent::Forever => Number::Missing(id),
                Absent::Yet(value) => Number::Later(value),
            },
            (Some(n), _) if found.checked_mul(by) == Some(i128::from(n)) => Number::Right,
            (Some(n), _) => Number::Wrong(n, by),
            (None, _) => Number::Unknown,
        }
    }

    fn symbol(&self, id: SymbolId, args: &[i64], positions: &[i64]) -> Result<i128, Absent> {
        if id.index() < POSITIONS {
            return positions.get(id.index()).map(|k| i128::from(*k)).ok_or(Absent::Forever);
        }
        match self.shapes.symbols.get(id).ok_or(Absent::Forever)? {
            Symbol::Position(k) => positions.get(*k).map(|k| i128::from(*k)).ok_or(Absent::Forever),
            Symbol::Counter(v) => match self.counters.get(v.index()) {
                Some(k) if *k >= 0 => Ok(i128::from(*k)),
                _ => Err(Absent::Forever),
            },
            Symbol::Length(v, path) => match self.place(*v, path, args)? {
                Value::Array(array) => Ok(array.len() as i128),
                _ => Err(Absent::Forever),
            },
            Symbol::Integer(v, path) => match self.place(*v, path, args)? {
                Value::Scalar(s) => s.as_i128().ok_or(Absent::Forever),
                _ => Err(Absent::Forever),
            },
        }
    }

    /// The part of a value at the end of a path.
    fn place(&self, value: ValueId, path: &[Step], args: &[i64]) -> Result<&Value, Absent> {
        if self.bound.get(value.index()) == Some(&false) {
            return Err(Absent::Yet(value));
        }
        let mut at = self.slots.get(value.index()).ok_or(Absent::Forever)?;
        let mut args = args.iter();
        for step in path {
            at = match (step, at) {
                (Step::Field(k), Value::Tuple(_)) => at.as_tuple().get(*k),
                (Step::Element, Value::Array(array)) => {
                    let index = args.next().and_then(|k| usize::try_from(*k).ok());
                    index.and_then(|k| array.items().get(k))
                }
                (Step::Variant(tag, field), Value::Variant(_)) if at.as_variant().0 == *tag => {
                    at.as_variant().1.get(*field)
                }
                _ => None,
            }
            .ok_or(Absent::Forever)?;
        }
        Ok(at)
    }

    /// Compares a value with a shape; `id` is the value that it is bound to. Gives the values that must be computed before all can be
    /// said.
    pub(super) fn check(&self, id: ValueId, value: &Value, shape: &Shape) -> Result<BTreeSet<ValueId>, Box<Broken>> {
        let mut walk = Walk { scope: self, id, positions: Vec::new(), path: Vec::new(), later: BTreeSet::new() };
        walk.check(value, shape, SAMPLE)?;
        Ok(walk.later)
    }
}

/// A place that does not exist.
#[derive(Clone, Copy)]
enum Absent {
    /// It will not.
    Forever,
    /// It may, when this value is computed.
    Yet(ValueId),
}

struct Walk<'a> {
    scope: &'a Scope<'a>,
    id: ValueId,
    positions: Vec<i64>,
    path: Vec<Step>,
    later: BTreeSet<ValueId>,
}

impl Walk<'_> {
    fn check(&mut self, value: &Value, shape: &Shape, sample: usize) -> Result<(), Box<Broken>> {
        match (shape, value) {
            (Shape::Other, Value::Scalar(s)) if s.as_i128().is_none() => Ok(()),
            (Shape::Integer(size), Value::Scalar(s)) => match s.as_i128() {
                Some(found) => self.compare(size, found, false),
                None => Err(self.broken(Claim::Form)),
            },
            (Shape::Tuple(shapes), Value::Tuple(_)) if shapes.len() == value.as_tuple().len() => {
                self.fields(value.as_tuple(), shapes, sample, Step::Field)
            }
            (Shape::Sum(variants), Value::Bare(_) | Value::Variant(_)) => {
                let (tag, fields) = value.as_variant();
                match variants.get(tag) {
                    Some(shapes) if shapes.len() == fields.len() => {
                        self.fields(fields, shapes, sample, |k| Step::Variant(tag, k))
                    }
                    _ => Err(self.broken(Claim::Form)),
                }
            }
            (Shape::Array(length, elem), Value::Array(array)) => {
                let items = array.items();
                self.compare(length, items.len() as i128, true)?;
                if !states_sizes(elem) || items.is_empty() {
                    return Ok(());
                }
                let count = items.len().min(sample.max(3));
                self.path.push(Step::Element);
                for k in 0..count {
                    let at = if count == items.len() { k } else { k * (items.len() - 1) / (count - 1) };
                    self.positions.push(at as i64);
                    self.check(&items[at], elem, sample / count)?;
                    self.positions.pop();
                }
                self.path.pop();
                Ok(())
            }
            _ => Err(self.broken(Claim::Form)),
        }
    }

    fn fields(
        &mut self,
        values: &[Value],
        shapes: &[Shape],
        sample: usize,
        step: impl Fn(usize) -> Step,
    ) -> Result<(), Box<Broken>> {
        for (k, (value, shape)) in values.iter().zip(shapes).enumerate() {
            self.path.push(step(k));
            self.check(value, shape, sample)?;
            self.path.pop();
        }
        Ok(())
    }

    fn compare(&mut self, size: &Size, found: i128, length: bool) -> Result<(), Box<Broken>> {
        if self.is_itself(size, length) {
            return Ok(());
        }
        match self.scope.compare(size, &self.positions, found) {
            Number::Right | Number::Unknown => Ok(()),
            Number::Later(value) => {
                self.later.insert(value);
                Ok(())
            }
            wanted => Err(self.broken(Claim::Size { length, size: size.clone(), wanted, found })),
        }
    }

    /// Whether a size only says that this place has what it has.
    fn is_itself(&self, size: &Size, length: bool) -> bool {
        let Some((symbol, args)) = as_symbol(size) else { return false };
        let same = match self.scope.shapes.symbols.get(symbol) {
            Some(Symbol::Length(v, path)) => length && *v == self.id && *path == self.path,
            Some(Symbol::Integer(v, path)) => !length && *v == self.id && *path == self.path,
            _ => false,
        };
        same && args.iter().enumerate().all(|(k, arg)| *arg == position(k))
    }

    fn place(&self) -> String {
        let mut positions = self.positions.iter();
        let step = |step: &Step| match step {
            Step::Field(k) => format!(".{k}"),
            Step::Element => format!("[{}]", positions.next().copied().unwrap_or(-1)),
            Step::Variant(tag, field) => format!(".{tag}.{field}"),
        };
        self.path.iter().map(step).collect()
    }

    fn broken(&self, claim: Claim) -> Box<Broken> {
        Box::new(Broken { place: self.place(), claim })
    }
}

fn states_sizes(shape: &Shape) -> bool {
    let mut found = false;
    shape.sizes(0, &mut |_, _| found = true);
    found
}
