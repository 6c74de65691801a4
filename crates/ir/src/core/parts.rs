//! What a Core expression is made of: the one list that every walk uses.
//!
//! ```text
//! loop s_1 : i64 = a_0 for i_2 < n_3 { … }      Use a_0, Use n_3, Bind s_1, Bind i_2, Body …
//! ```
//!
//! [`Expr::parts`] and [`Expr::parts_mut`] are the same walk by shared and by exclusive reference, written once as a macro.
//! An expression that is added to the language is added here, and all walks know it.

use super::{Body, Expr, Lambda, LoopForm, PadMode, Strides, Type};
use crate::{Atom, ValueId, replaced_in_size, size_var, value_of};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;

/// One thing that an expression is made of.
pub enum Part<'a> {
    /// An operand.
    Use(&'a Atom),
    /// A type written in the expression.
    Type(&'a Type),
    /// A value bound for the expression's bodies.
    Bind(&'a ValueId),
    /// A body.
    Body(&'a Body),
}

/// One thing that an expression is made of, to change.
pub enum PartMut<'a> {
    /// An operand.
    Use(&'a mut Atom),
    /// A type written in the expression.
    Type(&'a mut Type),
    /// A value bound for the expression's bodies.
    Bind(&'a mut ValueId),
    /// A body.
    Body(&'a mut Body),
}

macro_rules! parts_of_strides {
    ($strides:expr, $part:ident, $f:expr) => {{
        let Strides { offset, dims } = $strides;
        $f($part::Use(offset));
        for (count, stride) in dims {
            $f($part::Use(count));
            $f($part::Use(stride));
        }
    }};
}

// The same walk, by shared and by exclusive reference.
macro_rules! parts_of_expr {
    ($expr:expr, $part:ident, $f:expr) => {{
        let f = $f;
        match $expr {
            Expr::Atom(a) | Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Project(a, _) => f($part::Use(a)),
            Expr::Length(a) | Expr::Iota(a) | Expr::Flatten(a) | Expr::Transpose(a) => f($part::Use(a)),
            Expr::Binary(_, a, b)
            | Expr::Precedes(a, b)
            | Expr::Sort { keys: a, array: b }
            | Expr::Partition { sizes: a, array: b }
            | Expr::Rotate { by: a, array: b } => {
                f($part::Use(a));
                f($part::Use(b));
            }
            Expr::Fma(a, b, c)
            | Expr::Scatter { array: a, indices: b, values: c }
            | Expr::Slide { size: a, step: b, array: c } => {
                f($part::Use(a));
                f($part::Use(b));
                f($part::Use(c));
            }
            Expr::Tuple(items) | Expr::Concat(items) | Expr::Zip(items) => {
                for a in items {
                    f($part::Use(a));
                }
            }
            Expr::ArrayLiteral { elem, elems } => {
                f($part::Type(elem));
                for a in elems {
                    f($part::Use(a));
                }
            }
            Expr::Index { array, index } => {
                f($part::Use(array));
                f($part::Use(index));
            }
            Expr::Slice { array, from, to } => {
                f($part::Use(array));
                f($part::Use(from));
                f($part::Use(to));
            }
            Expr::Replicate { count, value } => {
                f($part::Use(count));
                f($part::Use(value));
            }
            Expr::Strided { array, strides } => {
                f($part::Use(array));
                parts_of_strides!(strides, $part, f);
            }
            Expr::Extent(strides) | Expr::Disjoint(strides) => parts_of_strides!(strides, $part, f),
            Expr::Update { array, indices, value } => {
                f($part::Use(array));
                for a in indices {
                    f($part::Use(a));
                }
                f($part::Use(value));
            }
            Expr::UpdateStrided { array, strides, values } => {
                f($part::Use(array));
                parts_of_strides!(strides, $part, f);
                f($part::Use(values));
            }
            Expr::Hist { operator, neutral, count, indices, values } => {
                f($part::Use(neutral));
                f($part::Use(count));
                f($part::Use(indices));
                f($part::Use(values));
                let Lambda { params, body } = operator;
                for v in params {
                    f($part::Bind(v));
                }
                f($part::Body(body));
            }
            Expr::Reshape { array, dims } => {
                f($part::Use(array));
                for a in dims {
                    f($part::Use(a));
                }
            }
            Expr::Pad { left, right, mode, array } => {
                f($part::Use(left));
                f($part::Use(right));
                if let PadMode::Constant(a) = mode {
                    f($part::Use(a));
                }
                f($part::Use(array));
            }
            Expr::Variant { ty, fields, .. } => {
                f($part::Type(ty));
                for a in fields {
                    f($part::Use(a));
                }
            }
            Expr::Match { value, arms } => {
                f($part::Use(value));
                for Lambda { params, body } in arms {
                    for v in params {
                        f($part::Bind(v));
                    }
                    f($part::Body(body));
                }
            }
            Expr::Map { lambda, arrays } => {
                for a in arrays {
                    f($part::Use(a));
                }
                let Lambda { params, body } = lambda;
                for v in params {
                    f($part::Bind(v));
                }
                f($part::Body(body));
            }
            Expr::Generate { lambda, count: a } | Expr::Filter { predicate: lambda, array: a } => {
                f($part::Use(a));
                let Lambda { params, body } = lambda;
                for v in params {
                    f($part::Bind(v));
                }
                f($part::Body(body));
            }
            Expr::Reduce { operator, neutral, array } | Expr::Scan { operator, neutral, array } => {
                f($part::Use(neutral));
                f($part::Use(array));
                let Lambda { params, body } = operator;
                for v in params {
                    f($part::Bind(v));
                }
                f($part::Body(body));
            }
            Expr::If { cond, then, otherwise } => {
                f($part::Use(cond));
                f($part::Body(then));
                f($part::Body(otherwise));
            }
            Expr::Loop { state, init, form, body } => {
                f($part::Use(init));
                match form {
                    LoopForm::While(cond) => {
                        f($part::Bind(state));
                        f($part::Body(cond));
                    }
                    LoopForm::For { index, count } => {
                        f($part::Use(count));
                        f($part::Bind(state));
                        f($part::Bind(index));
                    }
                }
                f($part::Body(body));
            }
            Expr::Call { args, .. } => {
                for a in args {
                    f($part::Use(a));
                }
            }
            Expr::Ascribe { value, ty, .. } => {
                f($part::Use(value));
                f($part::Type(ty));
            }
        }
    }};
}

impl Expr {
    /// Gives `f` every part, operands first, bodies in order of evaluation.
    pub fn parts<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        parts_of_expr!(self, Part, f)
    }

    /// Gives `f` every part, to change.
    pub fn parts_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        parts_of_expr!(self, PartMut, f)
    }

    /// The bodies directly in it.
    pub fn bodies(&self) -> Vec<&Body> {
        let mut out = Vec::new();
        self.parts(&mut |part| {
            if let Part::Body(b) = part {
                out.push(b)
            }
        });
        out
    }

    /// The bodies directly in it, to change.
    pub fn bodies_mut(&mut self) -> Vec<&mut Body> {
        let mut out = Vec::new();
        self.parts_mut(&mut |part| {
            if let PartMut::Body(b) = part {
                out.push(b)
            }
        });
        out
    }

    /// Its own operands; those of its bodies do not count.
    pub fn operands(&self) -> Vec<Atom> {
        let mut out = Vec::new();
        self.parts(&mut |part| {
            if let Part::Use(a) = part {
                out.push(*a)
            }
        });
        out
    }

    /// The values that it binds for its bodies: parameters, loop state and counter.
    pub fn binders(&self) -> Vec<ValueId> {
        let mut out = Vec::new();
        self.parts(&mut |part| {
            if let Part::Bind(v) = part {
                out.push(*v)
            }
        });
        out
    }

    /// The word under which operators are counted; `None` for scalar work.
    pub fn operator_name(&self) -> Option<&'static str> {
        Some(match self {
            Expr::Iota(_) => "iota",
            Expr::Replicate { .. } => "replicate",
            Expr::Strided { .. } => "strided",
            Expr::Update { .. } | Expr::UpdateStrided { .. } => "update",
            Expr::Scatter { .. } => "scatter",
            Expr::Hist { .. } => "hist",
            Expr::Sort { .. } => "sort",
            Expr::Flatten(_) => "flatten",
            Expr::Partition { .. } => "partition",
            Expr::Reshape { .. } => "reshape",
            Expr::Slide { .. } => "slide",
            Expr::Pad { .. } => "pad",
            Expr::Rotate { .. } => "rotate",
            Expr::Transpose(_) => "transpose",
            Expr::Match { .. } => "match",
            Expr::Concat(_) => "concat",
            Expr::Zip(_) => "zip",
            Expr::Map { .. } => "map",
            Expr::Generate { .. } => "generate",
            Expr::Filter { .. } => "filter",
            Expr::Reduce { .. } => "reduce",
            Expr::Scan { .. } => "scan",
            Expr::Loop { .. } => "loop",
            Expr::If { .. } => "if",
            Expr::Call { .. } => "call",
            _ => return None,
        })
    }
}

impl Type {
    /// Gives `f` every size that is stated.
    pub fn sizes<'a>(&'a self, f: &mut dyn FnMut(&'a Size)) {
        match self {
            Type::Scalar(_) => {}
            Type::Tuple(ts) => ts.iter().for_each(|t| t.sizes(f)),
            Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).for_each(|t| t.sizes(f)),
            Type::Array(a) => {
                a.length.iter().for_each(&mut *f);
                a.elem.sizes(f);
            }
        }
    }

    /// Gives `f` every size that is stated, to change.
    pub fn sizes_mut(&mut self, f: &mut dyn FnMut(&mut Size)) {
        match self {
            Type::Scalar(_) => {}
            Type::Tuple(ts) => ts.iter_mut().for_each(|t| t.sizes_mut(f)),
            Type::Sum(variants) => variants.iter_mut().flat_map(|v| &mut v.fields).for_each(|t| t.sizes_mut(f)),
            Type::Array(a) => {
                a.length.iter_mut().for_each(&mut *f);
                a.elem.sizes_mut(f);
            }
        }
    }

    /// The values that its sizes mention, size functions included, without the positions it binds itself.
    pub fn free_values(&self) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        self.sizes(&mut |s| {
            out.extend(s.vars().into_iter().map(value_of));
            out.extend(s.funs().into_iter().map(|f| ValueId::new(f.0 as usize)));
        });
        let mut positions = BTreeSet::new();
        self.positions(&mut positions);
        out.difference(&positions).copied().collect()
    }

    /// The values that stand for positions in it.
    pub fn positions(&self, out: &mut BTreeSet<ValueId>) {
        match self {
            Type::Scalar(_) => {}
            Type::Tuple(ts) => ts.iter().for_each(|t| t.positions(out)),
            Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).for_each(|t| t.positions(out)),
            Type::Array(a) => {
                out.extend(a.position.map(value_of));
                a.elem.positions(out);
            }
        }
    }

    /// Replaces values in its sizes, where the replacement is a value or an integer; positions are renamed.
    pub fn substitute(&mut self, map: &BTreeMap<ValueId, Atom>) {
        self.sizes_mut(&mut |s| *s = replaced_in_size(s, map));
        self.rename_positions(map);
    }

    fn rename_positions(&mut self, map: &BTreeMap<ValueId, Atom>) {
        match self {
            Type::Scalar(_) => {}
            Type::Tuple(ts) => ts.iter_mut().for_each(|t| t.rename_positions(map)),
            Type::Sum(variants) => {
                variants.iter_mut().flat_map(|v| &mut v.fields).for_each(|t| t.rename_positions(map))
            }
            Type::Array(a) => {
                if let Some(Atom::Var(new)) = a.position.and_then(|p| map.get(&value_of(p))) {
                    a.position = Some(size_var(*new));
                }
                a.elem.rename_positions(map);
            }
        }
    }
}
