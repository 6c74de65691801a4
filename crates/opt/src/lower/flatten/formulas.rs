//! Formulas: integers and lengths that the shape analysis gives over what is at hand.
//!
//! ```text
//! [[f(i, j) for j < i + 1] for i < n]       the count has the shape at(i) + 1
//!
//! as recipe          Closed(i0 + 1)         i0 stands for the index in dimension 0
//! as dimension       [n][i < n: i + 1]      points below row i: i (i + 1) / 2; nothing is stored
//! ```
//!
//! A symbol of a shape is looked up: the position of a parallel body is an index of the context, a length or an integer is
//! what its value is held as. Where all of these are scalars of the host or indices, the formula is a recipe. A recipe of
//! this kind that is the length of a dimension makes it a closed one, if the dimensions around are regular or closed and the
//! algebra can add the lengths up.

use super::build::size_of;
use super::rep::{Context, Ix, Rep};
use super::{Env, Flattener};
use crate::analysis::closed::{self, is_plain};
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::{Descriptor, Expr};
use terrace_ir::shape::{Shape, Step, Symbol, SymbolId};
use terrace_ir::{Atom, ValueId, size_var};

/// The variable that stands for the index in a dimension.
pub(super) fn index_var(d: usize) -> SizeVar {
    SizeVar(u32::MAX - d as u32)
}

/// The variable that stands for the position of a row among rows of closed lengths.
pub(super) const ROW: SizeVar = SizeVar(u32::MAX - 64);

/// Over the position of a row what is given over the only index around.
pub(super) fn by_row(size: &Size) -> Size {
    size.substitute(index_var(0), &Size::var(ROW))
}

/// The dimension whose index a variable stands for.
pub(super) fn index_of(var: SizeVar) -> Option<usize> {
    let d = (u32::MAX - var.0) as usize;
    (d < 64).then_some(d)
}

impl Ix {
    /// The recipe as a size over scalars of the host and indices, if it is one.
    pub(super) fn as_size(&self) -> Option<Size> {
        Some(match self {
            Ix::Atom(a) => size_of(*a),
            Ix::Index(d) => Size::var(index_var(*d)),
            Ix::Position(0) => Size::var(index_var(0)),
            Ix::Position(_) | Ix::Read(..) => return None,
            Ix::Binary(op, a, b) => {
                let (a, b) = (a.as_size()?, b.as_size()?);
                match op {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => a * b,
                    _ => return None,
                }
            }
            Ix::Closed(size, vars) if vars.is_empty() => size.clone(),
            Ix::Closed(..) => return None,
        })
    }

    /// A size in which some variables are recipes.
    pub(super) fn closed(size: &Size, vars: Vec<(SizeVar, Ix)>) -> Ix {
        let known: BTreeMap<SizeVar, Size> = vars.iter().filter_map(|(v, ix)| Some((*v, ix.as_size()?))).collect();
        let size = size.substitute_all(&|v| known.get(&v).cloned());
        let vars: Vec<_> = vars.into_iter().filter(|(v, _)| !known.contains_key(v)).collect();
        match size.as_constant() {
            Some(c) if vars.is_empty() => Ix::int(c),
            _ => Ix::Closed(size, vars),
        }
    }
}

impl Flattener<'_> {
    /// A value held as formulas where the shape analysis has them; `rep` is what it is held as otherwise.
    pub(super) fn by_formula(&mut self, value: ValueId, rep: Rep, env: &Env, cx: &Context) -> Rep {
        let shapes = &self.analysis.shapes.functions[self.source];
        let Some(shape) = shapes.values.get(&value) else { return rep };
        if !self.options.regularity || cx.depth() == 0 {
            return rep;
        }
        self.shaped(shape, rep, env)
    }

    fn shaped(&mut self, shape: &Shape, rep: Rep, env: &Env) -> Rep {
        match (shape, rep) {
            (Shape::Integer(size), Rep::Scalar(ix, ScalarType::I64)) if ix.as_size().is_none() => {
                Rep::Scalar(self.formula(size, env).unwrap_or(ix), ScalarType::I64)
            }
            (Shape::Tuple(shapes), Rep::Tuple(parts)) => {
                Rep::Tuple(shapes.iter().zip(parts).map(|(s, p)| self.shaped(s, p, env)).collect())
            }
            (Shape::Array(size, _), Rep::Array(mut arr)) => {
                let known = arr.len.as_size().is_some() || arr.dim.is_some();
                if let Some(len) = self.formula(size, env).filter(|_| !known) {
                    arr.len = len;
                }
                Rep::Array(arr)
            }
            (_, rep) => rep,
        }
    }

    /// The recipe of a size of the shape analysis: over scalars of the host and indices only.
    fn formula(&mut self, size: &Size, env: &Env) -> Option<Ix> {
        // What is said of code that nothing reaches may be anything, and the host computes formulas whether or not something does.
        if !is_plain(size) || size.terms().any(|(_, c)| i64::try_from(c).is_err()) {
            return None;
        }
        let mut known = BTreeMap::new();
        for var in size.vars() {
            known.insert(var, self.symbol(var, env)?);
        }
        let size = size.substitute_all(&|v| known.get(&v).cloned());
        let ix = Ix::closed(&size, Vec::new());
        Some(match ix.innermost() {
            None => Ix::Atom(self.ix(&ix, &super::build::Scope::default())),
            Some(_) => ix,
        })
    }

    fn symbol(&self, var: SizeVar, env: &Env) -> Option<Size> {
        let shapes = &self.analysis.shapes.functions[self.source];
        let (value, path, length) = match shapes.symbols.get(SymbolId::new(var.0 as usize))? {
            Symbol::Counter(value) => return self.counters.get(value)?.as_size(),
            Symbol::Length(value, path) => (value, path, true),
            Symbol::Integer(value, path) => (value, path, false),
            Symbol::Position(_) => return None,
        };
        let mut rep = env.get(value)?;
        for step in path {
            rep = match (rep, step) {
                (Rep::Tuple(parts), Step::Field(k)) => parts.get(*k)?,
                _ => return None,
            };
        }
        match rep {
            Rep::Array(arr) if length => arr.len.as_size(),
            Rep::Scalar(ix, ScalarType::I64) if !length => ix.as_size(),
            _ => None,
        }
    }

    /// A dimension whose length is a formula over the indices of the dimensions around, with the number of its points.
    pub(super) fn closed_dimension(&mut self, cx: &Context, len: &Ix) -> Option<(Descriptor, Atom)> {
        let length = len.as_size()?;
        let depth = length.vars().into_iter().filter_map(index_of).max()? + 1;
        if depth > cx.depth() {
            return None;
        }
        let mut space = cx.space.clone();
        let known = self.fun.closed.iter().find(|(s, l, _)| *s == space && *l == length);
        let descriptor = match known {
            Some((.., descriptor)) => descriptor.clone(),
            None => {
                let around: Vec<ValueId> = (0..depth).map(|_| self.scalar_value("i", ScalarType::I64)).collect();
                let named = length.substitute_all(&|v| index_of(v).map(|d| Size::var(size_var(around[d]))));
                let descriptor = Descriptor::Closed { around, length: named };
                self.fun.closed.push((space.clone(), length, descriptor.clone()));
                descriptor
            }
        };
        space.push(descriptor.clone());
        let total = closed::count(&space, &index_var)?;
        let v = self.scalar_value("total", ScalarType::I64);
        self.fun.host_known.insert(v);
        self.push(vec![v], Expr::Size(total.clone().maximum(&Size::zero())));
        self.fun.known.insert(v, total);
        closed::start(&space, &index_var)?;
        Some((descriptor, v.into()))
    }
}
