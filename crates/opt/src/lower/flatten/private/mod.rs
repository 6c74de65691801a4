//! Loops that a thread runs on arrays of its own.
//!
//! A loop that only reads and updates elements of its state (`linear.rs`) has nothing to do side by side within a turn. So no host
//! need repeat it: each point runs all of its turns, in the place where its rows will lie.
//!
//! ```text
//! [loop xs = row for i < n do xs with [i] = f(xs, i) for row in rows]
//!
//! let out = map grid [k] rows off (p) {
//!   let own = map thread [len] { row[j] }                    a copy of the first state
//!   let done = loop i = 0, xs = own while i < n do … { scatter thread [1] into xs { => i, f } }
//!   => done
//! }
//! ```
//!
//! Each point stops when it wants to. Rows of rows are held as one local array; their lengths must be the same everywhere. All arrays
//! of a state must be known to be equally long at each point, since an operator stores its rows side by side. Otherwise the host repeats the loop
//! (`loops.rs`).

mod branches;
mod linear;

pub(super) use linear::runs_alone as runs_in_place;

use super::build::{Scope, size_of};
use super::form::Form;
use super::loops::Turns;
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_algebra::Size;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::core::{Body, LoopForm};
use terrace_ir::flat::{self, Descriptor, OpKind, Rows};
use terrace_ir::shape::Shape;
use terrace_ir::{Atom, ValueId};

/// How long the arrays of a state are.
#[derive(Clone)]
struct Lengths {
    /// As this one, at each point.
    rows: Arr,
    /// Of rows within rows, from the outside in: the same everywhere.
    within: Vec<Atom>,
    /// The same as sizes of the shape analysis, where it has any.
    sizes: Vec<Size>,
}

impl Flattener<'_> {
    /// The loop as one operator, if a thread can run it.
    pub(super) fn private_loop(
        &mut self,
        turns: &Turns<'_>,
        init: &Rep,
        env: &Env,
        cx: &Context,
    ) -> Result<Option<Rep>> {
        if !linear::runs_alone(turns.state, turns.form, turns.body, &self.source().values) {
            return Ok(None);
        }
        let form = self.form_of(Atom::Var(turns.state), cx);
        let shape = self.analysis.shapes.functions[self.source].values.get(&turns.state);
        let mut lengths = None;
        if !self.lengths_of(init, &form, shape, cx, &mut lengths)? {
            return Ok(None);
        }
        let Some(lengths) = lengths else { return Ok(None) };
        let inner = self.iterate(cx, &Scope::default(), &lengths.rows)?;
        let mut totals = vec![inner.total()];
        let mut step = Atom::int(1);
        for len in &lengths.within {
            totals.push(self.host_product(totals[totals.len() - 1], *len));
            step = self.host_product(step, *len);
        }
        let rows = self.row_starts(cx, &inner, &lengths, step)?;
        let name = self.source().values[turns.value].name.clone();
        let mut binds = Vec::new();
        let result = self.collected_state(init, cx, &inner, &lengths.within, &totals, &name, &mut binds);
        let outer = env.clone();
        self.op(&Scope::default(), cx, binds, OpKind::Map { rows: Some(rows) }, |s, scope| {
            let own = s.own_state(init, &inner, &lengths, scope, &name)?;
            let done = s.thread_loop(turns.state, own, turns.form, turns.body, &outer, scope)?;
            let mut leaves = Vec::new();
            s.own_leaves(&done, scope, &mut leaves);
            Ok(leaves)
        })?;
        Ok(Some(result))
    }

    /// Whether all arrays of a state are equally long at each point, with rows of one length within; the first one decides. Lengths are equal
    /// where they are held as one, or where the shape analysis has one size for them.
    fn lengths_of(
        &mut self,
        rep: &Rep,
        form: &Form,
        shape: Option<&Shape>,
        cx: &Context,
        found: &mut Option<Lengths>,
    ) -> Result<bool> {
        match (rep, form) {
            (Rep::Tuple(parts), Form::Tuple(forms)) => {
                for (k, (part, form)) in parts.iter().zip(forms).enumerate() {
                    let shape = match shape {
                        Some(Shape::Tuple(shapes)) => shapes.get(k),
                        _ => None,
                    };
                    if !self.lengths_of(part, form, shape, cx, found)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Rep::Array(arr), Form::Array(how, _)) => {
                let mut within = Vec::new();
                let mut elem = &arr.elem;
                while let Elem::Row { inner, elem: below, .. } = elem {
                    let (Inner::Regular(len) | Inner::Rows { len, .. }) = inner else { return Ok(false) };
                    within.push(*len);
                    elem = below;
                }
                if !holds_scalars(elem) {
                    return Ok(false);
                }
                let sizes = shape.map(array_sizes).unwrap_or_default();
                let mut rows = arr.clone();
                rows.len = self.length_in(arr.len.clone(), how.is_regular(), cx)?;
                rows.dim = rows.dim.filter(|_| rows.len == arr.len);
                let Some(first) = found else {
                    *found = Some(Lengths { rows, within, sizes });
                    return Ok(true);
                };
                let proved = |k: usize| first.sizes.get(k).is_some_and(|size| sizes.get(k) == Some(size));
                let same = |a: Atom, b: Atom| self.known(a) == self.known(b);
                let equal = match (first.rows.len.uniform(), rows.len.uniform()) {
                    (Some(a), Some(b)) => same(a, b),
                    _ => first.rows.len == rows.len,
                };
                let within_equal = first.within.len() == within.len()
                    && first.within.iter().zip(&within).enumerate().all(|(k, (a, b))| same(*a, *b) || proved(k + 1));
                if !(equal || proved(0)) || !within_equal {
                    return Ok(false);
                }
                // Of two that are equal, the one that asks no column.
                if !equal && first.rows.len.uniform().is_none() && rows.len.uniform().is_some() {
                    first.rows = rows;
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    /// Where the rows of each point start, and where the last ones end.
    fn row_starts(&mut self, cx: &Context, inner: &Context, lengths: &Lengths, step: Atom) -> Result<Rows> {
        Ok(match inner.space.last() {
            Some(Descriptor::Irregular { off, start: None }) if lengths.within.is_empty() => Rows::From(*off),
            Some(Descriptor::Regular(len)) => Rows::Apart(self.host_product(*len, step)),
            _ => Rows::From(self.offsets(cx, &lengths.rows.len.clone().mul(Ix::Atom(step)), None)?.0),
        })
    }

    /// The state after the loop, at every point, in columns that are bound.
    #[allow(clippy::too_many_arguments)]
    fn collected_state(
        &mut self,
        rep: &Rep,
        cx: &Context,
        inner: &Context,
        within: &[Atom],
        totals: &[Atom],
        name: &str,
        binds: &mut Vec<ValueId>,
    ) -> Rep {
        match rep {
            Rep::Scalar(_, ty) => {
                let v = self.column_value(name, *ty, size_of(cx.total()));
                binds.push(v);
                Rep::Scalar(Ix::read(v, cx.position()), *ty)
            }
            Rep::Tuple(parts) => Rep::Tuple(
                parts.iter().map(|p| self.collected_state(p, cx, inner, within, totals, name, binds)).collect(),
            ),
            Rep::Array(arr) => {
                let mut scalars = Vec::new();
                scalar_types(&arr.elem, &mut scalars);
                let length = size_of(totals[totals.len() - 1]);
                let columns: Vec<ValueId> =
                    scalars.into_iter().map(|ty| self.column_value(name, ty, length.clone())).collect();
                binds.extend(&columns);
                let elem = flat_elem(&arr.elem, &mut columns.into_iter());
                Rep::Array(self.collected(cx, inner, in_rows(elem, within, &totals[1..])))
            }
        }
    }

    /// The state before the loop, of one point, in local arrays.
    fn own_state(&mut self, rep: &Rep, inner: &Context, lengths: &Lengths, scope: &Scope, name: &str) -> Result<Rep> {
        Ok(match rep {
            Rep::Scalar(ix, ty) => Rep::Scalar(Ix::Atom(self.ix(ix, scope)), *ty),
            Rep::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.own_state(p, inner, lengths, scope, name));
                Rep::Tuple(parts.collect::<Result<_>>()?)
            }
            Rep::Array(arr) => {
                let len = match inner.space.last() {
                    Some(Descriptor::Regular(len)) => *len,
                    _ => self.ix(&lengths.rows.len, scope),
                };
                let mut own = Self::line(len);
                let mut item = self.item(arr, &Ix::Index(scope.positions.len()), None, None);
                for within in &lengths.within {
                    let Rep::Array(row) = &item else { unreachable!("rows were found within rows") };
                    item = self.item(row, &Ix::Index(scope.positions.len() + own.depth()), None, None);
                    own.space.push(Descriptor::Regular(*within));
                    own.totals.push(self.binary("total", BinOp::Mul, own.total(), *within));
                }
                let elem = self.stored(&own, scope, &item, name)?;
                let elem = in_rows(elem, &lengths.within, &own.totals[1..]);
                Rep::Array(Arr { start: Ix::int(0), len: Ix::Atom(len), dim: None, count: len, total: None, elem })
            }
        })
    }

    /// A loop within a thread, whose state has local arrays.
    pub(super) fn thread_loop(
        &mut self,
        state: ValueId,
        init: Rep,
        form: &LoopForm,
        body: &Body,
        env: &Env,
        scope: &Scope,
    ) -> Result<Rep> {
        let mut first = Vec::new();
        self.own_leaves(&init, scope, &mut first);
        let mut env = env.clone();
        let counter = self.counter_of(form, &mut env, scope);
        let (mut slots, rep) = self.own_like(&init, &first);
        env.insert(state, rep);
        let cond = self.goes_on(form, counter, &env, scope)?;
        let body = self.body(|s| {
            let next = s.plain_body(body, &mut env.clone(), scope)?;
            let mut leaves = Vec::new();
            s.own_leaves(&next, scope, &mut leaves);
            leaves.extend(counter.map(|(i, _)| s.binary("next", BinOp::Add, i.into(), Atom::int(1))));
            Ok(leaves)
        })?;
        let (mut binds, result) = self.own_like(&init, &first);
        if let Some((i, _)) = counter {
            slots.push(i);
            first.push(Atom::int(0));
            binds.push(self.scalar_value("i", ScalarType::I64));
        }
        let state = slots.into_iter().zip(first).collect();
        self.push(binds, flat::Expr::Loop { state, cond, body });
        Ok(result)
    }

    /// The scalars and local arrays that a value in a thread is.
    fn own_leaves(&mut self, rep: &Rep, scope: &Scope, out: &mut Vec<Atom>) {
        match rep {
            Rep::Scalar(ix, _) => out.push(self.ix(ix, scope)),
            Rep::Tuple(parts) => parts.iter().for_each(|p| self.own_leaves(p, scope, out)),
            Rep::Array(arr) => {
                let mut columns = Vec::new();
                own_columns(&arr.elem, &mut columns);
                out.extend(columns.into_iter().map(Atom::Var));
            }
        }
    }

    /// New values of the types of the leaves, and the value that they are.
    fn own_like(&mut self, rep: &Rep, leaves: &[Atom]) -> (Vec<ValueId>, Rep) {
        let values: Vec<ValueId> = leaves
            .iter()
            .map(|leaf| match leaf {
                Atom::Var(v) if self.fun.values[*v].ty.is_column() => {
                    let value = self.fun.values[*v].clone();
                    self.fun.values.push(value)
                }
                scalar => self.scalar_value("x", self.scalar_type(*scalar)),
            })
            .collect();
        let rep = replaced(rep, &mut values.iter().copied());
        (values, rep)
    }
}

/// The lengths of an array and of its rows, from the outside in.
fn array_sizes(mut shape: &Shape) -> Vec<Size> {
    let mut sizes = Vec::new();
    while let Shape::Array(size, elem) = shape {
        sizes.push(size.clone());
        shape = elem;
    }
    sizes
}

/// Whether elements are scalars, or tuples of them, wherever they lie.
pub(super) fn holds_scalars(elem: &Elem) -> bool {
    match elem {
        Elem::Scalar(..) => true,
        Elem::Tuple(parts) => parts.iter().all(holds_scalars),
        Elem::Zip(arrays) => arrays.iter().all(|a| holds_scalars(&a.elem)),
        Elem::Row { .. } => false,
    }
}

fn scalar_types(elem: &Elem, out: &mut Vec<ScalarType>) {
    match elem {
        Elem::Scalar(_, ty) => out.push(*ty),
        Elem::Tuple(parts) => parts.iter().for_each(|p| scalar_types(p, out)),
        Elem::Zip(arrays) => arrays.iter().for_each(|a| scalar_types(&a.elem, out)),
        Elem::Row { elem, .. } => scalar_types(elem, out),
    }
}

fn own_columns(elem: &Elem, out: &mut Vec<ValueId>) {
    match elem {
        Elem::Scalar(column, _) => out.push(*column),
        Elem::Tuple(parts) => parts.iter().for_each(|p| own_columns(p, out)),
        Elem::Row { elem, .. } => own_columns(elem, out),
        Elem::Zip(_) => unreachable!("local arrays have one base"),
    }
}

/// The innermost elements, in other columns.
fn flat_elem(elem: &Elem, columns: &mut impl Iterator<Item = ValueId>) -> Elem {
    match elem {
        Elem::Scalar(_, ty) => Elem::Scalar(columns.next().expect("one column per scalar"), *ty),
        Elem::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| flat_elem(p, columns)).collect()),
        Elem::Zip(arrays) => Elem::Tuple(arrays.iter().map(|a| flat_elem(&a.elem, columns)).collect()),
        Elem::Row { elem, .. } => flat_elem(elem, columns),
    }
}

/// Elements in rows of these lengths; `counts` are the numbers of elements of each base.
pub(super) fn in_rows(elem: Elem, within: &[Atom], counts: &[Atom]) -> Elem {
    within.iter().zip(counts).rev().fold(elem, |elem, (len, count)| Elem::Row {
        inner: Inner::Regular(*len),
        count: *count,
        elem: Box::new(elem),
    })
}

/// The same value, its scalars and columns replaced in order.
fn replaced(rep: &Rep, values: &mut impl Iterator<Item = ValueId>) -> Rep {
    match rep {
        Rep::Scalar(_, ty) => Rep::Scalar(Ix::Atom(values.next().expect("one value per leaf").into()), *ty),
        Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| replaced(p, values)).collect()),
        Rep::Array(arr) => Rep::Array(Arr { elem: replaced_elem(&arr.elem, values), ..arr.clone() }),
    }
}

fn replaced_elem(elem: &Elem, values: &mut impl Iterator<Item = ValueId>) -> Elem {
    match elem {
        Elem::Scalar(_, ty) => Elem::Scalar(values.next().expect("one value per leaf"), *ty),
        Elem::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| replaced_elem(p, values)).collect()),
        Elem::Row { inner, count, elem } => {
            Elem::Row { inner: inner.clone(), count: *count, elem: Box::new(replaced_elem(elem, values)) }
        }
        Elem::Zip(_) => unreachable!("local arrays have one base"),
    }
}
