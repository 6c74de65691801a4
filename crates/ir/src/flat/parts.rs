//! What an expression of Flat or Mem is made of: the one list that every walk uses.
//!
//! ```text
//! map grid [off_1] (i_2 | p_3) { => x_4 }      Column off_1, Bind i_2, Bind p_3, Body …
//! ```
//!
//! [`Expr::parts`] and [`Expr::parts_mut`] are the same walk by shared and by exclusive reference, written once as macros.
//! An expression that is added to the language is added here, and all walks know it. What a value's own type, bound and
//! place mention is here too ([`Value::mentioned`]).

use super::note::Note;
use super::visit::substitute;
use super::{Body, Descriptor, Expr, Op, OpKind, Operator, Rows, Type, Value};
use crate::{Atom, ValueId, replaced_in_size, value_of};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;

/// One thing that an expression is made of.
pub enum Part<'a> {
    /// An operand.
    Use(&'a Atom),
    /// A column that is read or written to, or that describes a dimension or where rows go.
    Column(&'a ValueId),
    /// A size.
    Size(&'a Size),
    /// A formal index of a closed-form dimension.
    Around(&'a ValueId),
    /// A value bound for the expression's bodies.
    Bind(&'a ValueId),
    /// A body.
    Body(&'a Body),
}

/// One thing that an expression is made of, to change.
pub enum PartMut<'a> {
    /// An operand.
    Use(&'a mut Atom),
    /// A column that is read or written to, or that describes a dimension or where rows go.
    Column(&'a mut ValueId),
    /// A size.
    Size(&'a mut Size),
    /// A formal index of a closed-form dimension.
    Around(&'a mut ValueId),
    /// A value bound for the expression's bodies.
    Bind(&'a mut ValueId),
    /// A body.
    Body(&'a mut Body),
}

macro_rules! parts_of_descriptor {
    ($descriptor:expr, $part:ident, $f:expr) => {
        match $descriptor {
            Descriptor::Regular(a) => $f($part::Use(a)),
            Descriptor::Closed { around, length } => {
                for v in around {
                    $f($part::Around(v));
                }
                $f($part::Size(length));
            }
            Descriptor::PerAncestor { lengths, base, .. } => {
                $f($part::Column(lengths));
                $f($part::Column(base));
            }
            Descriptor::Irregular { off, start } => {
                $f($part::Column(off));
                if let Some(start) = start {
                    $f($part::Column(start));
                }
            }
        }
    };
}

// The same walk, by shared and by exclusive reference.
macro_rules! parts_of_expr {
    ($expr:expr, $part:ident, $f:expr, $op:ident) => {{
        let f = $f;
        match $expr {
            Expr::Atom(a) | Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Take(a) => f($part::Use(a)),
            Expr::Binary(_, a, b) => {
                f($part::Use(a));
                f($part::Use(b));
            }
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => {
                f($part::Use(a));
                f($part::Use(b));
                f($part::Use(c));
            }
            Expr::Size(s) => f($part::Size(s)),
            Expr::Read { column, at } => {
                f($part::Column(column));
                f($part::Use(at));
            }
            Expr::Check { cond, values, .. } => {
                f($part::Use(cond));
                for a in values {
                    f($part::Use(a));
                }
            }
            Expr::If { cond, then, otherwise } => {
                f($part::Use(cond));
                f($part::Body(then));
                f($part::Body(otherwise));
            }
            Expr::Loop { state, cond, body } => {
                for (v, a) in state {
                    f($part::Use(a));
                    f($part::Bind(v));
                }
                f($part::Body(cond));
                f($part::Body(body));
            }
            Expr::Call { args, .. } | Expr::Keep { args, .. } => {
                for a in args {
                    f($part::Use(a));
                }
            }
            Expr::MemoryLimit => {}
            Expr::Guard { quantity, .. } => f($part::Use(quantity)),
            Expr::Literal(items) => {
                for a in items {
                    f($part::Use(a));
                }
            }
            Expr::Concat(columns) => {
                for v in columns {
                    f($part::Column(v));
                }
            }
            Expr::Op(op) => op.$op(f),
            Expr::Alloc { count, .. } => f($part::Size(count)),
        }
    }};
}

macro_rules! parts_of_operator {
    ($operator:expr, $neutral:expr, $part:ident, $f:expr) => {{
        for a in $neutral {
            $f($part::Use(a));
        }
        let Operator { left, right, body } = $operator;
        for v in left {
            $f($part::Bind(v));
        }
        for v in right {
            $f($part::Bind(v));
        }
        $f($part::Body(body));
    }};
}

macro_rules! parts_of_op {
    ($op:expr, $part:ident, $f:expr) => {{
        let f = $f;
        let Op { space, indices, positions, body, kind, .. } = $op;
        for d in space {
            parts_of_descriptor!(d, $part, f);
        }
        for v in indices {
            f($part::Bind(v));
        }
        for v in positions {
            f($part::Bind(v));
        }
        match kind {
            OpKind::Map { rows } => match rows {
                Some(Rows::From(rows)) => f($part::Column(rows)),
                Some(Rows::Apart(length)) => f($part::Use(length)),
                None => {}
            },
            OpKind::Reduce { operator, neutral, .. } | OpKind::Scan { operator, neutral, .. } => {
                parts_of_operator!(operator, neutral, $part, f);
            }
            OpKind::Hist { operator, neutral, count } => {
                f($part::Use(count));
                parts_of_operator!(operator, neutral, $part, f);
            }
            OpKind::Scatter { dest, .. } => {
                for v in dest {
                    f($part::Column(v));
                }
            }
            OpKind::Pack | OpKind::Sort { .. } => {}
        }
        f($part::Body(body));
    }};
}

impl Descriptor {
    /// Gives `f` every part.
    pub fn parts<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        parts_of_descriptor!(self, Part, f)
    }

    /// Gives `f` every part, to change.
    pub fn parts_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        parts_of_descriptor!(self, PartMut, f)
    }

    /// The values that it mentions.
    pub fn values(&self) -> BTreeSet<ValueId> {
        let mut out = BTreeSet::new();
        self.parts(&mut |part| collect_use(&part, &mut out));
        if let Descriptor::Closed { around, .. } = self {
            around.iter().for_each(|v| {
                out.remove(v);
            });
        }
        out
    }

    /// Replaces values by operands.
    pub fn substitute(&mut self, map: &BTreeMap<ValueId, Atom>) {
        self.parts_mut(&mut |part| substitute_part(part, map));
    }
}

impl Op {
    /// Gives `f` every part: the space, what is bound, the operator, the body.
    pub fn parts<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        parts_of_op!(self, Part, f)
    }

    /// Gives `f` every part, to change.
    pub fn parts_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        parts_of_op!(self, PartMut, f)
    }

    /// The word under which it is counted.
    pub fn name(&self) -> &'static str {
        match self.kind {
            OpKind::Map { .. } => "map",
            OpKind::Reduce { .. } => "reduce",
            OpKind::Scan { .. } => "scan",
            OpKind::Pack => "pack",
            OpKind::Scatter { .. } => "scatter",
            OpKind::Hist { .. } => "hist",
            OpKind::Sort { .. } => "sort",
        }
    }
}

impl Expr {
    /// Gives `f` every part.
    pub fn parts<'a>(&'a self, f: &mut dyn FnMut(Part<'a>)) {
        parts_of_expr!(self, Part, f, parts)
    }

    /// Gives `f` every part, to change.
    pub fn parts_mut<'a>(&'a mut self, f: &mut dyn FnMut(PartMut<'a>)) {
        parts_of_expr!(self, PartMut, f, parts_mut)
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

    /// The values that it binds for its bodies: indices, positions, operands of an operator, loop state.
    pub fn binders(&self) -> Vec<ValueId> {
        let mut out = Vec::new();
        self.parts(&mut |part| {
            if let Part::Bind(v) = part {
                out.push(*v)
            }
        });
        out
    }

    /// The values that it mentions itself, as often as it does; those of its bodies do not count.
    pub fn operands(&self) -> Vec<ValueId> {
        let mut out = Vec::new();
        self.parts(&mut |part| match part {
            Part::Use(a) => out.extend(a.var()),
            Part::Column(v) => out.push(*v),
            Part::Size(s) => out.extend(s.vars().into_iter().map(value_of)),
            Part::Around(_) | Part::Bind(_) | Part::Body(_) => {}
        });
        out
    }

    /// The operator, if it is one.
    pub fn op(&self) -> Option<&Op> {
        match self {
            Expr::Op(op) => Some(op),
            _ => None,
        }
    }
}

pub(super) fn collect_use(part: &Part<'_>, out: &mut BTreeSet<ValueId>) {
    match part {
        Part::Use(a) => out.extend(a.var()),
        Part::Column(v) => {
            out.insert(**v);
        }
        Part::Size(s) => out.extend(s.vars().into_iter().map(value_of)),
        Part::Around(_) | Part::Bind(_) | Part::Body(_) => {}
    }
}

impl<A: Note> Value<A> {
    /// The values that its type, bound and place mention.
    pub fn mentioned(&self) -> BTreeSet<ValueId> {
        let length = match &self.ty {
            Type::Column { length, .. } => Some(length),
            _ => None,
        };
        let sizes = length.into_iter().chain(&self.bound);
        // A size function is a column.
        let vars = sizes.flat_map(|s| {
            let columns = s.funs().into_iter().map(|f| ValueId::new(f.0 as usize));
            s.vars().into_iter().map(value_of).chain(columns)
        });
        vars.chain(self.at.place().map(|p| p.values()).unwrap_or_default()).collect()
    }

    /// Replaces values in its type, bound and place.
    pub fn substitute(&mut self, map: &BTreeMap<ValueId, Atom>) {
        self.ty.substitute(map);
        if let Some(bound) = &mut self.bound {
            *bound = replaced_in_size(bound, map);
        }
        if let Some(place) = self.at.place_mut() {
            replace_value(&mut place.block, map);
            place.index = place.index.map(&|s| replaced_in_size(s, map));
        }
    }
}

impl Type {
    /// Replaces values in the length, where the replacement is a value or an integer.
    pub fn substitute(&mut self, map: &BTreeMap<ValueId, Atom>) {
        if let Type::Column { length, .. } = self {
            *length = replaced_in_size(length, map);
        }
    }
}

pub(super) fn replace(atom: &mut Atom, map: &BTreeMap<ValueId, Atom>) {
    if let Atom::Var(v) = atom
        && let Some(new) = map.get(v)
    {
        *atom = *new;
    }
}

// A column cannot become a constant: such a replacement is for another use of the value.
pub(super) fn replace_value(value: &mut ValueId, map: &BTreeMap<ValueId, Atom>) {
    if let Some(Atom::Var(new)) = map.get(value) {
        *value = *new;
    }
}

pub(super) fn substitute_part(part: PartMut<'_>, map: &BTreeMap<ValueId, Atom>) {
    match part {
        PartMut::Use(a) => replace(a, map),
        PartMut::Column(v) | PartMut::Around(v) => replace_value(v, map),
        PartMut::Size(s) => *s = replaced_in_size(s, map),
        PartMut::Body(b) => substitute(b, map),
        PartMut::Bind(_) => {}
    }
}
