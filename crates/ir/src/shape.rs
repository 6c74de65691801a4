//! What is known about the sizes of a program's values.
//!
//! A [`Shape`] is a type in which every array has a length and every integer a value, each a size of the algebra:
//!
//! ```text
//! rows : [n][len(rows, p0)]f64      rows of any length: row p0 has as many elements as it has
//! xs   : [n]i64(p0)                 0, 1, 2, …: element p0 is p0
//! kept : [len(kept)]i64             nothing else is known of a filter's result
//! ```
//!
//! What is not known gets a name, and the name says where to look: a [`Symbol`] is *the length, or the integer, at a place in a value*.
//! A place below an array depends on positions: its symbol is a size function with one argument for each array passed on the way.
//! So every size can be evaluated wherever the values are at hand, and an interpreter can check each one.
//!
//! Inside a shape the positions of the arrays around are the symbols `p0`, `p1`, … from the outermost one on: equal shapes are equal
//! Rust values. An element's shape is found by putting an index for `p0` ([`Shape::element`]), an array's by putting `p0` for the
//! position of a parallel body ([`Shape::over`]).

use crate::{FuncId, ValueId};
use std::collections::BTreeMap;
use terrace_algebra::{Atom, Size, SizeFun, SizeVar};
use terrace_base::{IdVec, Span};

terrace_base::define_id!(
    /// A symbol of a function; the number of its size variable or size function.
    SymbolId
);

/// One step on the way from a value to a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A component of a tuple.
    Field(usize),
    /// An element of an array; which one is an argument of the symbol.
    Element,
    /// A field of a variant of a sum: the tag and the number of the field.
    Variant(usize, usize),
}

/// What a size variable or size function stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// The position in the `n`-th array around, inside shapes.
    Position(usize),
    /// The position of the parallel body that has this value as its first parameter.
    Counter(ValueId),
    /// The length of the array at a place.
    Length(ValueId, Vec<Step>),
    /// The integer at a place.
    Integer(ValueId, Vec<Step>),
}

/// The symbols `p0`, `p1`, … come first in every table, this many.
pub const POSITIONS: usize = 16;

/// A type with a length for every array and a value for every integer.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// An integer of any width.
    Integer(Size),
    /// A boolean or a float.
    Other,
    /// A tuple.
    Tuple(Vec<Shape>),
    /// An array: its length, and the shape of element `p0`.
    Array(Size, Box<Shape>),
    /// The fields of each variant.
    Sum(Vec<Vec<Shape>>),
}

/// `p0`, `p1`, … as sizes.
pub fn position(depth: usize) -> Size {
    Size::var(SizeVar(depth as u32))
}

impl Shape {
    /// Changes every size; `depth` is the number of arrays around it in the shape.
    pub fn map(&self, depth: usize, change: &dyn Fn(usize, &Size) -> Size) -> Shape {
        let all = |shapes: &[Shape]| shapes.iter().map(|s| s.map(depth, change)).collect();
        match self {
            Shape::Integer(value) => Shape::Integer(change(depth, value)),
            Shape::Other => Shape::Other,
            Shape::Tuple(parts) => Shape::Tuple(all(parts)),
            Shape::Array(length, elem) => Shape::Array(change(depth, length), Box::new(elem.map(depth + 1, change))),
            Shape::Sum(variants) => Shape::Sum(variants.iter().map(|fields| all(fields)).collect()),
        }
    }

    /// Gives `see` every size with the number of arrays around it.
    pub fn sizes<'a>(&'a self, depth: usize, see: &mut dyn FnMut(usize, &'a Size)) {
        match self {
            Shape::Integer(value) => see(depth, value),
            Shape::Other => {}
            Shape::Tuple(parts) => parts.iter().for_each(|p| p.sizes(depth, see)),
            Shape::Array(length, elem) => {
                see(depth, length);
                elem.sizes(depth + 1, see);
            }
            Shape::Sum(variants) => variants.iter().flatten().for_each(|f| f.sizes(depth, see)),
        }
    }

    /// The shape of the element at `index`, if this is an array.
    pub fn element(&self, index: &Size) -> Option<Shape> {
        let Shape::Array(_, elem) = self else { return None };
        // Below an index the arrays around are one fewer.
        Some(elem.map(1, &|_, size| {
            size.substitute_all(&|var| match var.0 as usize {
                0 => Some(index.clone()),
                k if k < POSITIONS => Some(position(k - 1)),
                _ => None,
            })
        }))
    }

    /// The shape of an array of `length` elements, where `self` is the shape of the element at position `counter`.
    pub fn over(&self, counter: SizeVar, length: Size) -> Shape {
        let elem = self.map(1, &|_, size| {
            size.substitute_all(&|var| match var.0 as usize {
                k if k + 1 < POSITIONS => Some(position(k + 1)),
                _ if var == counter => Some(position(0)),
                _ => None,
            })
        });
        Shape::Array(length, Box::new(elem))
    }

    /// The shape of an array of `length` elements that all have this one.
    pub fn repeated(&self, length: Size) -> Shape {
        self.over(SizeVar(u32::MAX), length)
    }

    /// The length, if it is an array.
    pub fn length(&self) -> Option<&Size> {
        match self {
            Shape::Array(length, _) => Some(length),
            _ => None,
        }
    }

    /// The value, if it is an integer.
    pub fn integer(&self) -> Option<&Size> {
        match self {
            Shape::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The part at the end of a path; elements keep their positions `p0`, `p1`, … counted from `self`.
    pub fn part(&self, path: &[Step]) -> Option<&Shape> {
        let Some((step, rest)) = path.split_first() else { return Some(self) };
        match (self, step) {
            (Shape::Tuple(parts), Step::Field(k)) => parts.get(*k)?.part(rest),
            (Shape::Array(_, elem), Step::Element) => elem.part(rest),
            (Shape::Sum(variants), Step::Variant(tag, field)) => variants.get(*tag)?.get(*field)?.part(rest),
            _ => None,
        }
    }
}

/// The shapes of one function's values.
#[derive(Clone, Debug, Default)]
pub struct FunctionShapes {
    /// What size variables and functions stand for.
    pub symbols: IdVec<SymbolId, Symbol>,
    /// The shape of every value that may be computed.
    pub values: BTreeMap<ValueId, Shape>,
    /// Every parallel operator, in the order of the text.
    pub parallel: Vec<Parallel>,
}

/// What is known about the sizes of a whole program.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    /// One for each function.
    pub functions: IdVec<FuncId, FunctionShapes>,
}

/// How the length of a parallel operator depends on the parallel code around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regularity {
    /// Not at all: it is the same everywhere.
    Regular,
    /// By a formula over the positions around.
    PositionDependent,
    /// In some other way.
    Irregular,
}

/// One parallel operator.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The value it gives.
    pub value: ValueId,
    /// The name of the operator.
    pub operator: &'static str,
    /// Where it stands.
    pub span: Span,
    /// How many parallel bodies of the function are around it.
    pub depth: usize,
    /// Over how many elements it runs.
    pub length: Size,
    /// How that depends on the bodies around.
    pub regularity: Regularity,
    /// Why, in a sentence.
    pub reason: String,
    /// What caused it.
    pub cause: Option<Span>,
}

impl FunctionShapes {
    /// A size as text, with the names of the function's values.
    pub fn show(&self, size: &Size, names: &dyn Fn(ValueId) -> String) -> String {
        let name = |n: u32| self.show_symbol(SymbolId::new(n as usize), names);
        size.display_with(&|SizeVar(n)| name(n), &|SizeFun(n)| name(n)).to_string()
    }

    fn show_symbol(&self, symbol: SymbolId, names: &dyn Fn(ValueId) -> String) -> String {
        let place = |value: ValueId, path: &[Step]| {
            let steps = path.iter().filter_map(|step| match step {
                Step::Field(k) => Some(format!(".{k}")),
                Step::Element => None,
                Step::Variant(tag, field) => Some(format!(".{tag}.{field}")),
            });
            format!("{}{}", names(value), steps.collect::<String>())
        };
        match self.symbols.get(symbol) {
            Some(Symbol::Position(k)) => format!("p{k}"),
            Some(Symbol::Counter(value)) => format!("at({})", names(*value)),
            Some(Symbol::Length(value, path)) => format!("len({})", place(*value, path)),
            Some(Symbol::Integer(value, path)) => place(*value, path),
            None => format!("s{}", symbol.index()),
        }
    }
}

/// The variables and functions of a size, as symbols.
pub fn symbols_of(size: &Size) -> Vec<SymbolId> {
    let vars = size.vars().into_iter().map(|SizeVar(n)| SymbolId::new(n as usize));
    let funs = size.funs().into_iter().map(|SizeFun(n)| SymbolId::new(n as usize));
    vars.chain(funs).collect()
}

/// The symbol and its arguments, where a size is nothing else.
pub fn as_symbol(size: &Size) -> Option<(SymbolId, Vec<Size>)> {
    match size.as_atom()? {
        Atom::Var(SizeVar(n)) => Some((SymbolId::new(*n as usize), Vec::new())),
        Atom::Apply { fun: SizeFun(n), args } => Some((SymbolId::new(*n as usize), args.clone())),
        _ => None,
    }
}
