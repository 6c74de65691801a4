//! The symbols of one function: names for what is not known.
//!
//! Every unknown length or integer is named after the place where it can be seen (see [`terrace_ir::shape`]). A symbol is made when its
//! value is bound, and belongs to the body in which that happens: outside of it the value does not exist, and neither may the
//! symbol. Beside its place a symbol has the set of things it may depend on.

use super::deps::Deps;
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeFun, SizeVar};
use terrace_base::{IdVec, ScalarType};
use terrace_ir::ValueId;
use terrace_ir::core::Type;
use terrace_ir::shape::{POSITIONS, Shape, Step, Symbol, SymbolId, position, symbols_of};

#[derive(Clone, Copy, Debug)]
struct About {
    deps: Deps,
    scope: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Symbols {
    pub(super) table: IdVec<SymbolId, Symbol>,
    numbers: BTreeMap<Symbol, SymbolId>,
    about: IdVec<SymbolId, About>,
}

impl Symbols {
    pub(super) fn new() -> Symbols {
        let mut symbols = Symbols { table: IdVec::new(), numbers: BTreeMap::new(), about: IdVec::new() };
        for k in 0..POSITIONS {
            symbols.make(Symbol::Position(k), Deps::NONE, 0);
        }
        symbols
    }

    /// The number of a symbol that belongs to the body at depth `scope`.
    pub(super) fn make(&mut self, symbol: Symbol, deps: Deps, scope: usize) -> SymbolId {
        if let Some(id) = self.numbers.get(&symbol) {
            self.about[*id] = About { deps, scope };
            return *id;
        }
        let id = self.table.push(symbol.clone());
        self.about.push(About { deps, scope });
        self.numbers.insert(symbol, id);
        id
    }

    pub(super) fn find(&self, symbol: &Symbol) -> Option<SymbolId> {
        self.numbers.get(symbol).copied()
    }

    /// Adds to what a symbol may depend on; whether that was news.
    pub(super) fn depend(&mut self, symbol: SymbolId, deps: Deps) -> bool {
        let about = &mut self.about[symbol];
        let news = !about.deps.covers(deps);
        about.deps = about.deps.and(deps);
        news
    }

    pub(super) fn deps_of_symbol(&self, symbol: SymbolId) -> Deps {
        self.about[symbol].deps
    }

    /// What a size may depend on.
    pub(super) fn deps(&self, size: &Size) -> Deps {
        symbols_of(size).into_iter().map(|s| self.about[s].deps).collect()
    }

    /// What any size in a shape may depend on.
    pub(super) fn deps_of_shape(&self, shape: &Shape) -> Deps {
        let mut all = Deps::NONE;
        shape.sizes(0, &mut |_, size| all = all.and(self.deps(size)));
        all
    }

    /// Whether a size mentions symbols of bodies at least as deep as `scope`, other than one.
    pub(super) fn is_inside(&self, size: &Size, scope: usize, except: Option<SymbolId>) -> bool {
        symbols_of(size).into_iter().any(|s| Some(s) != except && self.about[s].scope >= scope)
    }
}

/// A symbol at its place, with the positions of the arrays around as arguments.
pub(super) fn at_place(symbol: SymbolId, path: &[Step]) -> Size {
    let arity = path.iter().filter(|s| **s == Step::Element).count();
    applied(symbol, (0..arity).map(position).collect())
}

pub(super) fn applied(symbol: SymbolId, args: Vec<Size>) -> Size {
    let number = symbol.index() as u32;
    if args.is_empty() { Size::var(SizeVar(number)) } else { Size::apply(SizeFun(number), args) }
}

/// Gives `see` every integer and every array of a type, with the way to it: `None` for the length of an array.
pub(super) fn places(ty: &Type, path: &mut Vec<Step>, see: &mut dyn FnMut(&[Step], Option<ScalarType>)) {
    match ty {
        Type::Scalar(s) if is_integer(*s) => see(path, Some(*s)),
        Type::Scalar(_) => {}
        Type::Tuple(types) => {
            for (k, ty) in types.iter().enumerate() {
                within(path, Step::Field(k), |path| places(ty, path, see));
            }
        }
        Type::Sum(variants) => {
            for (tag, variant) in variants.iter().enumerate() {
                for (k, ty) in variant.fields.iter().enumerate() {
                    within(path, Step::Variant(tag, k), |path| places(ty, path, see));
                }
            }
        }
        Type::Array(array) => {
            see(path, None);
            within(path, Step::Element, |path| places(&array.elem, path, see));
        }
    }
}

/// A shape of a type's form from a size for every place.
pub(super) fn build(
    ty: &Type,
    path: &mut Vec<Step>,
    size: &mut dyn FnMut(&[Step], Option<ScalarType>) -> Size,
) -> Shape {
    match ty {
        Type::Scalar(s) if is_integer(*s) => Shape::Integer(size(path, Some(*s))),
        Type::Scalar(_) => Shape::Other,
        Type::Tuple(types) => {
            let part = |(k, ty)| within(path, Step::Field(k), |path| build(ty, path, size));
            Shape::Tuple(types.iter().enumerate().map(part).collect())
        }
        Type::Sum(variants) => {
            let mut all = Vec::new();
            for (tag, variant) in variants.iter().enumerate() {
                let field = |(k, ty)| within(path, Step::Variant(tag, k), |path| build(ty, path, size));
                all.push(variant.fields.iter().enumerate().map(field).collect());
            }
            Shape::Sum(all)
        }
        Type::Array(array) => {
            let length = size(path, None);
            let elem = within(path, Step::Element, |path| build(&array.elem, path, size));
            Shape::Array(length, Box::new(elem))
        }
    }
}

/// The size at a place of a shape.
pub(super) fn size_at<'s>(shape: &'s Shape, path: &[Step]) -> Option<&'s Size> {
    match shape.part(path)? {
        Shape::Integer(size) | Shape::Array(size, _) => Some(size),
        _ => None,
    }
}

pub(super) fn within<R>(path: &mut Vec<Step>, step: Step, go: impl FnOnce(&mut Vec<Step>) -> R) -> R {
    path.push(step);
    let result = go(path);
    path.pop();
    result
}

pub(super) fn is_integer(ty: ScalarType) -> bool {
    range_of(ty).is_some()
}

/// The least and the greatest value of an integer type.
pub(super) fn range_of(ty: ScalarType) -> Option<(i128, i128)> {
    Some(match ty {
        ScalarType::I8 => (i8::MIN.into(), i8::MAX.into()),
        ScalarType::I16 => (i16::MIN.into(), i16::MAX.into()),
        ScalarType::I32 => (i32::MIN.into(), i32::MAX.into()),
        ScalarType::I64 => (i64::MIN.into(), i64::MAX.into()),
        ScalarType::U8 => (0, u8::MAX.into()),
        ScalarType::U16 => (0, u16::MAX.into()),
        ScalarType::U32 => (0, u32::MAX.into()),
        ScalarType::U64 => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// The symbol of a place in a value.
pub(super) fn symbol_at(value: ValueId, path: &[Step], integer: bool) -> Symbol {
    if integer { Symbol::Integer(value, path.to_vec()) } else { Symbol::Length(value, path.to_vec()) }
}
