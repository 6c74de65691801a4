//! Where the points of a loop leave their results, each when it is done.
//!
//! A scalar goes to a column with one element per point. A row goes to the end of a base that grows: its start and its length go to
//! columns with one element per point, and so do those of rows inside rows to the columns of the base that they are elements of.
//!
//! ```text
//! put the rows of points 4 and 2             ids [4, 2], lengths [2, 3], elements a b c d e
//!   start[4] = fill, start[2] = fill + 2     one scatter over the points
//!   base[fill + q] = …                       one scatter over the elements, after growing the base if they do not fit
//! ```
//!
//! A base that is too small is replaced by one of at least twice its capacity, so all copying together is proportional to the
//! results. No two points write one place.

use super::build::{Scope, size_of};
use super::form::Form;
use super::rep::{Context, Elem, Inner, Ix, Rep};
use super::{Flattener, Result};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::flat::{self, OpKind};
use terrace_ir::{Atom, ValueId};

/// Columns that results are written to.
#[derive(Clone)]
pub(super) enum Store {
    Scalar(ValueId),
    Tuple(Vec<Store>),
    /// Rows of a base with room for `room` elements, of which `fill` are there.
    Rows {
        start: ValueId,
        len: ValueId,
        fill: Atom,
        room: Atom,
        base: Box<Store>,
    },
}

impl Store {
    /// All of it, in order.
    pub(super) fn leaves(&self) -> Vec<Atom> {
        match self {
            Store::Scalar(column) => vec![(*column).into()],
            Store::Tuple(parts) => parts.iter().flat_map(Store::leaves).collect(),
            Store::Rows { start, len, fill, room, base } => {
                let mut out = vec![(*start).into(), (*len).into(), *fill, *room];
                out.extend(base.leaves());
                out
            }
        }
    }

    /// The columns with one element per point.
    fn columns(&self) -> Vec<ValueId> {
        match self {
            Store::Scalar(column) => vec![*column],
            Store::Tuple(parts) => parts.iter().flat_map(Store::columns).collect(),
            Store::Rows { start, len, .. } => vec![*start, *len],
        }
    }

    /// The same with other columns.
    fn with_columns(&self, columns: &mut impl Iterator<Item = ValueId>) -> Store {
        let mut next = || columns.next().expect("as many columns");
        match self {
            Store::Scalar(_) => Store::Scalar(next()),
            Store::Tuple(parts) => Store::Tuple(parts.iter().map(|p| p.with_columns(columns)).collect()),
            Store::Rows { fill, room, base, .. } => {
                Store::Rows { start: next(), len: next(), fill: *fill, room: *room, base: base.clone() }
            }
        }
    }
}

impl Flattener<'_> {
    /// A store with nothing in it yet, for `n` points.
    pub(super) fn first_store(&mut self, form: &Form, n: Atom) -> Result<Store> {
        Ok(match form {
            Form::Same(s) | Form::Each(s) => Store::Scalar(self.zeros(*s, n)?),
            Form::Tuple(parts) => Store::Tuple(parts.iter().map(|p| self.first_store(p, n)).collect::<Result<_>>()?),
            Form::Array(_, elem) => Store::Rows {
                start: self.zeros(ScalarType::I64, n)?,
                len: self.zeros(ScalarType::I64, n)?,
                fill: Atom::int(0),
                room: Atom::int(0),
                base: Box::new(self.first_store(elem, Atom::int(0))?),
            },
        })
    }

    fn zeros(&mut self, ty: ScalarType, n: Atom) -> Result<ValueId> {
        let v = self.column_value("out", ty, size_of(n));
        if n == Atom::int(0) {
            self.push(vec![v], flat::Expr::Literal(Vec::new()));
            return Ok(v);
        }
        self.op(&Scope::default(), &Self::line(n), vec![v], OpKind::Map { rows: None }, |_, _| {
            Ok(vec![Atom::Const(Scalar::zero(ty))])
        })?;
        Ok(v)
    }

    /// Fresh values for a store, in the order of its leaves.
    pub(super) fn fresh_store(&mut self, form: &Form, n: Atom) -> Vec<ValueId> {
        match form {
            Form::Same(s) | Form::Each(s) => vec![self.column_value("out", *s, size_of(n))],
            Form::Tuple(parts) => parts.iter().flat_map(|p| self.fresh_store(p, n)).collect(),
            Form::Array(_, elem) => {
                let start = self.column_value("start", ScalarType::I64, size_of(n));
                let len = self.column_value("len", ScalarType::I64, size_of(n));
                let fill = self.scalar_value("fill", ScalarType::I64);
                let room = self.scalar_value("room", ScalarType::I64);
                let mut out = vec![start, len, fill, room];
                out.extend(self.fresh_store(elem, room.into()));
                out
            }
        }
    }

    /// The store that leaves make up.
    pub(super) fn store_of(&self, form: &Form, leaves: &[Atom]) -> Store {
        fn of(form: &Form, leaves: &mut dyn Iterator<Item = Atom>) -> Store {
            let mut next = || leaves.next().expect("as many leaves as the form has");
            let column = |a: Atom| a.var().expect("a column is a value");
            match form {
                Form::Same(_) | Form::Each(_) => Store::Scalar(column(next())),
                Form::Tuple(parts) => Store::Tuple(parts.iter().map(|p| of(p, leaves)).collect()),
                Form::Array(_, elem) => Store::Rows {
                    start: column(next()),
                    len: column(next()),
                    fill: next(),
                    room: next(),
                    base: Box::new(of(elem, leaves)),
                },
            }
        }
        of(form, &mut leaves.iter().copied())
    }

    /// The value that is stored at a position.
    pub(super) fn stored_at(&self, form: &Form, leaves: &[Atom], at: &Ix) -> Rep {
        fn elem(form: &Form, store: &Store) -> Elem {
            match (form, store) {
                (Form::Same(s) | Form::Each(s), Store::Scalar(column)) => Elem::Scalar(*column, *s),
                (Form::Tuple(forms), Store::Tuple(parts)) => {
                    Elem::Tuple(forms.iter().zip(parts).map(|(s, p)| elem(s, p)).collect())
                }
                (Form::Array(_, below), Store::Rows { start, len, room, base, .. }) => Elem::Row {
                    inner: Inner::Views { start: *start, len: *len },
                    count: *room,
                    elem: Box::new(elem(below, base)),
                },
                _ => unreachable!("a store has the form it was made for"),
            }
        }
        let store = self.store_of(form, leaves);
        self.element(&elem(form, &store), at, None)
    }

    /// Writes elements, one per point of `line`, each at the position `at`.
    pub(super) fn put(&mut self, store: &Store, elem: &Elem, line: &Context, at: &Ix) -> Result<Store> {
        let mut values = Vec::new();
        recipes(store, elem, &mut values);
        let dest = store.columns();
        if dest.is_empty() {
            return Ok(store.clone());
        }
        let binds: Vec<ValueId> = dest.iter().map(|v| self.like(*v)).collect();
        let kind = OpKind::Scatter { dest, distinct: true };
        self.op(&Scope::default(), line, binds.clone(), kind, |s, scope| {
            let mut results = vec![s.ix(at, scope)];
            results.extend(values.iter().map(|ix| s.ix(ix, scope)));
            Ok(results)
        })?;
        let written = store.with_columns(&mut binds.into_iter());
        self.put_rows(written, elem)
    }

    /// A fresh column of the same type.
    fn like(&mut self, column: ValueId) -> ValueId {
        let value = self.fun.values[column].clone();
        self.value(&value.name, value.ty)
    }

    /// Writes what rows consist of.
    fn put_rows(&mut self, store: Store, elem: &Elem) -> Result<Store> {
        Ok(match (store, elem) {
            (Store::Tuple(parts), Elem::Tuple(elems)) => {
                let parts = parts.into_iter().zip(elems).map(|(p, e)| self.put_rows(p, e));
                Store::Tuple(parts.collect::<Result<_>>()?)
            }
            (Store::Rows { start, len, fill, room, base }, Elem::Row { count, elem, .. }) => {
                let needed = self.binary("fill", BinOp::Add, fill, *count);
                let (room, base) = self.with_room(&base, fill, room, needed)?;
                let line = Self::line(*count);
                let base = self.put(&base, elem, &line, &Ix::Atom(fill).add(Ix::Position(0)))?;
                Store::Rows { start, len, fill: needed, room, base: Box::new(base) }
            }
            (store, _) => store,
        })
    }

    /// A base with room for as many elements as are needed.
    fn with_room(&mut self, base: &Store, fill: Atom, room: Atom, needed: Atom) -> Result<(Atom, Store)> {
        let small = self.binary("small", BinOp::Lt, room, needed);
        let columns = base.columns();
        let then = self.body(|s| {
            let double = s.binary("double", BinOp::Add, room, room);
            let larger = s.binary("room", BinOp::Max, double, needed);
            let line = Self::line(larger);
            let binds: Vec<ValueId> = columns.iter().map(|v| s.resized(*v, larger)).collect();
            s.op(&Scope::default(), &line, binds.clone(), OpKind::Map { rows: None }, |s, scope| {
                let q = Atom::Var(scope.positions[0]);
                let there = s.binary("there", BinOp::Lt, q, fill);
                let mut results = Vec::new();
                for column in &columns {
                    let ty = s.fun.values[*column].ty.elem().expect("a column");
                    let then =
                        s.body(|s| Ok(vec![s.let_scalar("x", ty, flat::Expr::Read { column: *column, at: q })]))?;
                    let otherwise = flat::Body { stmts: Vec::new(), results: vec![Atom::Const(Scalar::zero(ty))] };
                    let x = s.scalar_value("x", ty);
                    s.push(vec![x], flat::Expr::If { cond: there, then, otherwise });
                    results.push(x.into());
                }
                Ok(results)
            })?;
            let mut leaves = vec![larger];
            leaves.extend(binds.into_iter().map(Atom::Var));
            Ok(leaves)
        })?;
        let mut results = vec![room];
        results.extend(columns.iter().map(|v| Atom::Var(*v)));
        let otherwise = flat::Body { stmts: Vec::new(), results };
        let room = self.scalar_value("room", ScalarType::I64);
        let mut binds = vec![room];
        binds.extend(columns.iter().map(|v| self.resized(*v, room.into())).collect::<Vec<_>>());
        self.push(binds.clone(), flat::Expr::If { cond: small, then, otherwise });
        Ok((room.into(), base.with_columns(&mut binds.into_iter().skip(1))))
    }

    fn resized(&mut self, column: ValueId, length: Atom) -> ValueId {
        let value = self.fun.values[column].clone();
        let elem = value.ty.elem().expect("a column");
        self.column_value(&value.name, elem, size_of(length))
    }
}

/// What is written to the columns of a store for an element: scalars, and where rows start and how long they are.
fn recipes(store: &Store, elem: &Elem, out: &mut Vec<Ix>) {
    let at = Ix::Position(0);
    match (store, elem) {
        (Store::Scalar(_), Elem::Scalar(column, _)) => out.push(Ix::read(*column, at)),
        (Store::Tuple(parts), Elem::Tuple(elems)) => parts.iter().zip(elems).for_each(|(p, e)| recipes(p, e, out)),
        (Store::Rows { fill, .. }, Elem::Row { inner, .. }) => {
            out.push(Ix::Atom(*fill).add(inner.start(at.clone())));
            out.push(inner.len(at));
        }
        _ => unreachable!("an element has the form of its store"),
    }
}
