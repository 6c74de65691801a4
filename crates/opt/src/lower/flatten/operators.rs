//! Array operators: each adds one dimension to the space around it.
//!
//! The space around is the context (`cx`, at the host level) or nothing at all (inside a thread, where `scope` has the
//! indices of the operator bodies around). Either way the new dimension is the last one, and its index is at `level`.
//! Operators that put arrays together are in `merge.rs`.

use super::build::{Scope, size_of};
use super::form::Form;
use super::formulas::{ROW, by_row, index_var};
use super::plain::{is_scalar_body, is_thread_body, zip};
use super::rep::{Arr, Context, Dim, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use crate::analysis::closed;
use terrace_algebra::{Size, SizeFun};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::core::{Expr, Lambda};
use terrace_ir::flat::{self, Descriptor, Level, OpKind, Operator, ScanForm, Space};
use terrace_ir::{Atom, ValueId};

impl Flattener<'_> {
    pub(super) fn array_operator(
        &mut self,
        expr: &Expr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        if let Some(rep) = self.regrouped(expr, name, env, cx, scope)? {
            return Ok(rep);
        }
        let level = cx.depth() + scope.positions.len();
        match expr {
            Expr::Map { lambda, arrays } => {
                let arrays: Vec<Arr> = arrays.iter().map(|a| self.array_in(*a, env, cx)).collect::<Result<_>>()?;
                let lead = if arrays.len() == 1 { arrays[0].clone() } else { zip(arrays.clone()) };
                let inner = self.iterate(cx, scope, &lead)?;
                let items = arrays.iter().map(|a| self.item_in(&inner, a, level)).collect();
                self.map_over(lambda, items, name, env, cx, &inner, scope)
            }
            Expr::Generate { lambda, count } => {
                let count = self.counted(*count, env, cx)?;
                let inner = self.iterate(cx, scope, &count)?;
                let index = Rep::Scalar(Ix::Index(level), ScalarType::I64);
                self.map_over(lambda, vec![index], name, env, cx, &inner, scope)
            }
            Expr::Iota(count) => {
                let count = self.counted(*count, env, cx)?;
                let inner = self.iterate(cx, scope, &count)?;
                let elem = self.stored(&inner, scope, &Rep::Scalar(Ix::Index(level), ScalarType::I64), name)?;
                if let (0, Elem::Scalar(column, _)) = (level, &elem) {
                    self.fun.distinct.insert(*column);
                }
                Ok(Rep::Array(self.collected(cx, &inner, elem)))
            }
            Expr::Replicate { count, value } => {
                let count = self.counted(*count, env, cx)?;
                let value = self.rep(*value, env);
                let inner = self.iterate(cx, scope, &count)?;
                let elem = self.stored(&inner, scope, &value, name)?;
                Ok(Rep::Array(self.collected(cx, &inner, elem)))
            }
            Expr::Filter { predicate, array } => {
                let array = self.array_in(*array, env, cx)?;
                self.filter(predicate, &array, name, env, cx, scope)
            }
            Expr::Reduce { operator, neutral, array } => {
                let array = self.array_in(*array, env, cx)?;
                let neutral = self.rep(*neutral, env);
                self.reduce(operator, &neutral, &array, name, env, cx, scope)
            }
            Expr::Scan { operator, neutral, array } => {
                let array = self.array_in(*array, env, cx)?;
                let neutral = self.rep(*neutral, env);
                self.scan(operator, &neutral, &array, name, env, cx, scope)
            }
            Expr::Concat(arrays) => {
                let arrays: Vec<Arr> = arrays.iter().map(|a| self.array(*a, env)).collect();
                let rows = self.row_form(cx);
                self.concat(&arrays, name, rows.as_ref(), cx, scope)
            }
            Expr::ArrayLiteral { elems, .. } => {
                let elems: Vec<Rep> = elems.iter().map(|a| self.rep(*a, env)).collect();
                let rows = self.row_form(cx);
                self.literal(expr, elems, name, rows.as_ref(), cx, scope)
            }
            _ => self.write(expr, name, env, cx, scope),
        }
    }

    /// The form of the elements of the array that is being translated.
    pub(super) fn row_form(&self, cx: &Context) -> Option<Form> {
        match self.form_of(Atom::Var(self.binding?), cx) {
            Form::Array(_, elem) => Some(*elem),
            _ => None,
        }
    }

    /// An array of which only the length matters.
    pub(super) fn counted(&mut self, count: Atom, env: &Env, cx: &Context) -> Result<Arr> {
        let Rep::Scalar(len, _) = self.rep(count, env) else { unreachable!("a count is a scalar") };
        let same = self.form_of(count, cx).is_same();
        let len = self.length_in(len, same, cx)?;
        Ok(Arr { start: Ix::int(0), len, dim: None, count: Atom::int(0), total: None, elem: Elem::Tuple(Vec::new()) })
    }

    /// An array that is iterated over.
    fn array_in(&mut self, array: Atom, env: &Env, cx: &Context) -> Result<Arr> {
        let mut arr = self.array(array, env);
        let same = matches!(self.form_of(array, cx), Form::Array(how, _) if how.is_regular());
        let len = self.length_in(arr.len.clone(), same, cx)?;
        if len != arr.len {
            (arr.len, arr.dim) = (len, None);
        }
        Ok(arr)
    }

    /// A length; where it is known to be the same at all points, the scalar that it is.
    pub(super) fn length_in(&mut self, len: Ix, same: bool, cx: &Context) -> Result<Ix> {
        let wanted = same && self.options.regularity && cx.depth() > 0 && len.uniform().is_none();
        Ok(if wanted { Ix::Atom(self.at_any(&len, ScalarType::I64, cx, &Scope::default())?) } else { len })
    }

    /// The space with one more dimension, the positions in `arr`.
    pub(super) fn iterate(&mut self, cx: &Context, scope: &Scope, arr: &Arr) -> Result<Context> {
        let mut inner = cx.clone();
        if cx.depth() == 0 {
            let len = at_least_none(self.ix(&arr.len.clone(), scope));
            inner.space.push(Descriptor::Regular(len));
            inner.totals.push(len);
            return Ok(inner);
        }
        let outer = cx.total();
        let fixed = match &arr.len {
            Ix::Atom(len) => Some(*len),
            len if len.innermost().is_none() && !len.reads() => Some(self.ix(len, scope)),
            _ => None,
        };
        if let (true, Some(len)) = (self.options.regularity, fixed.map(at_least_none)) {
            inner.space.push(Descriptor::Regular(len));
            inner.totals.push(self.host_product(outer, len));
            return Ok(inner);
        }
        if let Some(Dim { depth, descriptor }) = &arr.dim
            && *depth == cx.depth()
            && let Descriptor::Irregular { off, .. } = descriptor
        {
            let total = self.fun.totals.get(off).copied().expect("offsets have a total");
            inner.space.push(descriptor.clone());
            inner.totals.push(total);
            return Ok(inner);
        }
        if self.options.regularity
            && let Some((descriptor, total)) = self.closed_dimension(cx, &arr.len)
        {
            inner.space.push(descriptor);
            inner.totals.push(total);
            return Ok(inner);
        }
        let total = self.total_bound(arr, cx);
        let (off, total) = self.offsets(cx, &arr.len, total)?;
        inner.space.push(Descriptor::Irregular { off, start: None });
        inner.totals.push(total);
        Ok(inner)
    }

    /// An upper bound of the number of elements that an array has at all points together. An array of a level further out
    /// is there once per point, and its own total says nothing about that.
    pub(super) fn total_bound(&self, arr: &Arr, cx: &Context) -> Option<Size> {
        match (cx.depth(), arr.len.uniform()) {
            (0, _) => arr.total.clone(),
            (_, Some(len)) => self.bound_of(len).zip(self.bound_of(cx.total())).map(|(a, b)| a * b),
            (depth, None) => arr.total.clone().filter(|_| arr.level() == Some(depth - 1)),
        }
    }

    /// The value with the totals that its arrays have in a context.
    pub(super) fn with_totals(&self, rep: Rep, cx: &Context) -> Rep {
        match rep {
            Rep::Array(mut arr) => {
                arr.total = self.total_bound(&arr, cx);
                Rep::Array(arr)
            }
            Rep::Tuple(parts) => Rep::Tuple(parts.into_iter().map(|p| self.with_totals(p, cx)).collect()),
            scalar => scalar,
        }
    }

    pub(super) fn host_product(&mut self, a: Atom, b: Atom) -> Atom {
        if a == Atom::int(1) {
            return b;
        }
        let v = self.binary("total", BinOp::Mul, a, b);
        if let Atom::Var(id) = v {
            self.note_host_arithmetic(id, BinOp::Mul, a, b);
            self.fun.known.insert(id, self.known(a) * self.known(b));
        }
        v
    }

    /// Where the rows of the last dimension start, by position in the others, when everything is packed.
    pub(super) fn packed_start(&mut self, inner: &Context) -> Ix {
        let outer = match inner.depth() {
            1 => return Ix::int(0),
            d => Ix::Position(d - 2),
        };
        match inner.space.last().expect("a dimension") {
            Descriptor::Regular(len) => outer.mul(Ix::Atom(*len)),
            Descriptor::Irregular { off, .. } => Ix::read(*off, outer),
            Descriptor::Closed { .. } => {
                let start = closed::start(&inner.space, &index_var)
                    .expect("a closed dimension is made where the starts are closed");
                Ix::closed(&start, Vec::new())
            }
            Descriptor::PerAncestor { .. } => unreachable!("not made by the flattener"),
        }
    }

    /// The element of `arr` at the current index of the last dimension of `inner`.
    pub(super) fn item_in(&mut self, inner: &Context, arr: &Arr, level: usize) -> Rep {
        if let Elem::Zip(arrays) = &arr.elem {
            let arrays = arrays.clone();
            return Rep::Tuple(arrays.iter().map(|a| self.item_in(inner, a, level)).collect());
        }
        let packed = inner.depth() == level + 1 && arr.start == self.packed_start(inner);
        let at = if packed { Ix::Position(level) } else { arr.start.clone().add(Ix::Index(level)) };
        let whole = packed && self.has_rows(&arr.elem, inner.total());
        let item = self.element(&arr.elem, &at, whole.then_some(inner.depth()));
        if packed { self.no_two_alike(item, &arr.elem) } else { item }
    }

    /// Whether offsets of rows are for just so many rows: a prefix starts where the whole does, and has fewer.
    fn has_rows(&self, elem: &Elem, count: Atom) -> bool {
        match elem {
            Elem::Row { inner: Inner::Packed(off), .. } => self.has_length(*off, &(size_of(count) + 1)),
            Elem::Tuple(parts) => parts.iter().all(|p| self.has_rows(p, count)),
            _ => true,
        }
    }

    /// The array, in `cx`, whose elements are the points of `inner`.
    pub(super) fn collected(&mut self, cx: &Context, inner: &Context, elem: Elem) -> Arr {
        let start = self.packed_start(inner);
        let outer = cx.position();
        let last = inner.space.last().expect("a dimension").clone();
        let len = match &last {
            Descriptor::Regular(len) => Ix::Atom(*len),
            Descriptor::Irregular { off, .. } => Inner::Packed(*off).len(outer),
            dim @ Descriptor::Closed { .. } => {
                Ix::closed(&closed::length(dim, &index_var).expect("a closed dimension"), Vec::new())
            }
            Descriptor::PerAncestor { .. } => unreachable!("not made by the flattener"),
        };
        let dim = match last {
            Descriptor::Regular(_) | Descriptor::Closed { .. } => None,
            descriptor => Some(Dim { depth: cx.depth(), descriptor }),
        };
        let total = self.bound_of(inner.total());
        Arr { start, len, dim, count: inner.total(), total, elem }
    }

    #[allow(clippy::too_many_arguments)]
    fn map_over(
        &mut self,
        lambda: &Lambda,
        items: Vec<Rep>,
        name: &str,
        env: &Env,
        cx: &Context,
        inner: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        if self.level == Level::Grid && scope.positions.is_empty() {
            let index = Ix::Index(inner.depth() - 1);
            self.counters.extend(lambda.params.first().map(|p| (*p, index)));
        }
        let types = &self.source().values;
        let elem = if is_scalar_body(&lambda.body, types) && self.flat_result(&lambda.body) {
            let forms = self.forms(&lambda.body);
            let mut binds = Vec::new();
            let elem = self.fresh_elem(&forms, name, inner, &mut binds);
            self.op(scope, inner, binds, OpKind::Map { rows: None }, |s, scope| {
                let rep = s.apply(lambda, items, env, scope)?;
                let mut leaves = Vec::new();
                s.scalars(&rep, scope, &mut leaves);
                Ok(leaves)
            })?;
            elem
        } else if self.level == Level::Grid {
            let mut env = env.clone();
            for (param, item) in lambda.params.iter().zip(items) {
                let item = self.by_formula(*param, item, &env, inner);
                env.insert(*param, item);
            }
            let rep = self.point_body(lambda, &mut env, inner)?;
            self.stored(inner, scope, &rep, name)?
        } else {
            return self.limit("an array of arrays inside sequential code");
        };
        Ok(Rep::Array(self.collected(cx, inner, elem)))
    }

    fn flat_result(&self, body: &terrace_ir::core::Body) -> bool {
        body.result.var().is_none_or(|v| self.source().values[v].ty.is_flat())
    }

    /// The scalar type, or tuple of them, that a body gives.
    fn forms(&self, body: &terrace_ir::core::Body) -> terrace_ir::core::Type {
        match body.result {
            Atom::Const(c) => terrace_ir::core::Type::Scalar(c.ty()),
            Atom::Var(v) => self.source().values[v].ty.clone(),
        }
    }

    fn fresh_elem(
        &mut self,
        ty: &terrace_ir::core::Type,
        name: &str,
        inner: &Context,
        binds: &mut Vec<ValueId>,
    ) -> Elem {
        match ty {
            terrace_ir::core::Type::Scalar(s) => {
                let v = self.column_value(name, *s, size_of(inner.total()));
                self.bound_local(v, inner);
                binds.push(v);
                Elem::Scalar(v, *s)
            }
            terrace_ir::core::Type::Tuple(ts) => {
                Elem::Tuple(ts.iter().map(|t| self.fresh_elem(t, name, inner, binds)).collect())
            }
            terrace_ir::core::Type::Array(_) | terrace_ir::core::Type::Sum(_) => {
                unreachable!("asked for flat types only")
            }
        }
    }

    /// Inside a thread, a result is a local array: its length bounds it.
    pub(super) fn bound_local(&mut self, v: ValueId, inner: &Context) {
        if self.level != Level::Grid {
            self.set_bound(v, Some(size_of(inner.total())));
        }
    }

    /// Values at the points of `inner` as elements of a base: columns, and rows.
    pub(super) fn stored(&mut self, inner: &Context, scope: &Scope, rep: &Rep, name: &str) -> Result<Elem> {
        let last = inner.depth() - 1 + scope.positions.len();
        match rep {
            Rep::Scalar(ix, ty) => {
                // A prefix has the positions of the whole, and fewer of them.
                let existing = ix.column_at(last).filter(|c| self.has_length(*c, &size_of(inner.total())));
                if let Some(c) = existing {
                    return Ok(Elem::Scalar(c, *ty));
                }
                let v = self.column_value(name, *ty, size_of(inner.total()));
                self.bound_local(v, inner);
                self.op(scope, inner, vec![v], OpKind::Map { rows: None }, |s, scope| Ok(vec![s.ix(ix, scope)]))?;
                Ok(Elem::Scalar(v, *ty))
            }
            Rep::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.stored(inner, scope, p, name));
                Ok(Elem::Tuple(parts.collect::<Result<_>>()?))
            }
            Rep::Array(_) if self.level != Level::Grid => self.limit("an array of arrays inside sequential code"),
            Rep::Array(arr) => {
                let arr = self.unzipped(inner, arr, name)?;
                let at = Ix::Position(last);
                let packed = match &arr.start {
                    Ix::Read(off, p) if **p == at && arr.len == Inner::Packed(*off).len(at.clone()) => Some(*off),
                    _ => None,
                };
                let packed = packed.filter(|off| self.has_length(*off, &(size_of(inner.total()) + 1)));
                let closed = match (arr.start.as_size(), arr.len.as_size()) {
                    (Some(start), Some(len)) if last == 0 && len.vars().contains(&index_var(0)) => Some((start, len)),
                    _ => None,
                };
                let apart = arr.len.uniform().and_then(|len| self.distance(&arr.start, &at, len));
                let how = match (packed, arr.len.uniform()) {
                    _ if closed.is_some() => {
                        let (start, len) = closed.expect("looked at just now");
                        Inner::Closed { var: ROW, start: by_row(&start), len: by_row(&len) }
                    }
                    (Some(off), _) => Inner::Packed(off),
                    (None, _) if let Some(len) = apart => Inner::Regular(len),
                    (None, Some(len)) if self.options.regularity => {
                        Inner::Rows { start: self.column(inner, &arr.start, ScalarType::I64, "start")?, len }
                    }
                    _ => Inner::Views {
                        start: self.column(inner, &arr.start, ScalarType::I64, "start")?,
                        len: self.column(inner, &arr.len, ScalarType::I64, "len")?,
                    },
                };
                Ok(Elem::Row { inner: how, count: arr.count, elem: Box::new(arr.elem) })
            }
        }
    }

    /// The length of rows that start where those before them end, by the name that it has there: the same length may have two.
    pub(super) fn distance(&self, start: &Ix, at: &Ix, len: Atom) -> Option<Atom> {
        match start {
            start if *start == at.clone().mul(Ix::Atom(len)) => Some(len),
            Ix::Binary(BinOp::Mul, of, by) if **of == *at => {
                by.uniform().filter(|by| self.known(*by) == self.known(len))
            }
            _ => None,
        }
    }

    /// The same array with one base.
    pub(super) fn unzipped(&mut self, cx: &Context, arr: &Arr, name: &str) -> Result<Arr> {
        if !matches!(arr.elem, Elem::Zip(_)) {
            return Ok(arr.clone());
        }
        let scope = Scope::default();
        let inner = self.iterate(cx, &scope, arr)?;
        let item = self.item_in(&inner, arr, cx.depth());
        let elem = self.stored(&inner, &scope, &item, name)?;
        Ok(self.collected(cx, &inner, elem))
    }

    /// The recipes of an element's scalars, and of its rows' starts and lengths.
    pub(super) fn recipes(rep: &Rep, out: &mut Vec<(Ix, ScalarType)>) {
        match rep {
            Rep::Scalar(ix, ty) => out.push((ix.clone(), *ty)),
            Rep::Tuple(parts) => parts.iter().for_each(|p| Self::recipes(p, out)),
            Rep::Array(arr) => {
                out.push((arr.start.clone(), ScalarType::I64));
                if arr.len.uniform().is_none() {
                    out.push((arr.len.clone(), ScalarType::I64));
                }
            }
        }
    }

    /// Elements whose recipes' values are in `columns`.
    pub(super) fn elem_of(rep: &Rep, columns: &mut impl Iterator<Item = ValueId>) -> Elem {
        let mut next = || columns.next().expect("one column per recipe");
        match rep {
            Rep::Scalar(_, ty) => Elem::Scalar(next(), *ty),
            Rep::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| Self::elem_of(p, columns)).collect()),
            Rep::Array(arr) => {
                let inner = match arr.len.uniform() {
                    Some(len) => Inner::Rows { start: next(), len },
                    None => Inner::Views { start: next(), len: next() },
                };
                Elem::Row { inner, count: arr.count, elem: Box::new(arr.elem.clone()) }
            }
        }
    }

    /// Keeps the points of `space` where `keep` holds. Gives the number kept, and the scanned numbers per row where the space
    /// has several dimensions.
    pub(super) fn pack(
        &mut self,
        scope: &Scope,
        inner: &Context,
        rep: &Rep,
        name: &str,
        keep: impl FnOnce(&mut Self, &Scope) -> Result<Atom>,
    ) -> Result<(Atom, Option<ValueId>, Elem)> {
        let mut recipes = Vec::new();
        Self::recipes(rep, &mut recipes);
        let rows = inner.totals.len().checked_sub(2).map(|d| inner.totals[d]);
        let bound = match self.level {
            Level::Grid => self.bound_of(inner.total()),
            _ => Some(size_of(inner.total())),
        };
        let count = self.scalar_value("kept", ScalarType::I64);
        self.set_bound(count, bound.clone());
        let (first, length) = match rows {
            None => (count, size_of(count.into())),
            Some(rows) => {
                let off = self.column_value("off", ScalarType::I64, size_of(rows) + 1);
                self.fun.totals.insert(off, count.into());
                // The number kept is `off[rows]`: nothing that is bound yet, so the size says just that.
                (off, Size::apply(SizeFun(off.index() as u32), vec![size_of(rows)]))
            }
        };
        let columns: Vec<ValueId> = recipes
            .iter()
            .map(|(_, ty)| {
                let v = self.column_value(name, *ty, length.clone());
                self.set_bound(v, bound.clone());
                v
            })
            .collect();
        let mut binds = vec![first];
        binds.extend(&columns);
        self.op(scope, inner, binds, OpKind::Pack, |s, scope| {
            let mut results = vec![keep(s, scope)?];
            results.extend(recipes.iter().map(|(ix, _)| s.ix(ix, scope)));
            Ok(results)
        })?;
        if let Some(rows) = rows {
            self.push(vec![count], flat::Expr::Read { column: first, at: rows });
        }
        let elem = Self::elem_of(rep, &mut columns.into_iter());
        Ok((count.into(), rows.map(|_| first), elem))
    }

    fn filter(
        &mut self,
        predicate: &Lambda,
        arr: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        let inner = self.iterate(cx, scope, arr)?;
        let item = self.item_in(&inner, arr, level);
        let types = &self.source().values;
        let (count, off, elem) = if is_scalar_body(&predicate.body, types) {
            let args = vec![item.clone()];
            self.pack(scope, &inner, &item, name, |s, scope| {
                let rep = s.apply(predicate, args, env, scope)?;
                let mut leaves = Vec::new();
                s.scalars(&rep, scope, &mut leaves);
                Ok(leaves[0])
            })?
        } else if self.level == Level::Grid {
            let mut env = env.clone();
            self.counters.extend(predicate.params.first().map(|p| (*p, Ix::Index(inner.depth() - 1))));
            env.extend(predicate.params.iter().copied().zip([item.clone()]));
            let Rep::Scalar(flag, _) = self.lifted_body(&predicate.body, &mut env, &inner)? else {
                unreachable!("a predicate is a scalar")
            };
            let flags = self.column(&inner, &flag, ScalarType::Bool, "keep")?;
            let at = Ix::read(flags, inner.position());
            self.pack(scope, &inner, &item, name, |s, scope| Ok(s.ix(&at, scope)))?
        } else {
            return self.limit("parallel code in the condition of a sequential filter");
        };
        let mut kept = cx.clone();
        kept.space.push(match off {
            None => Descriptor::Regular(count),
            Some(off) => Descriptor::Irregular { off, start: None },
        });
        kept.totals.push(count);
        Ok(Rep::Array(self.collected(cx, &kept, elem)))
    }

    pub(super) fn operator_of(&mut self, lambda: &Lambda, like: &Rep, env: &Env) -> Result<Operator> {
        let types = &self.source().values;
        if !is_thread_body(&lambda.body, types) || !self.flat_result(&lambda.body) {
            return self.limit("a reduction whose operator works on arrays");
        }
        let mut recipes = Vec::new();
        Self::recipes(like, &mut recipes);
        let side = |s: &mut Self, name: &str| -> (Vec<ValueId>, Rep) {
            let values: Vec<_> = recipes.iter().map(|(_, ty)| s.scalar_value(name, *ty)).collect();
            let rep = Self::scalars_like(like, &mut values.iter().copied());
            (values, rep)
        };
        let (left, l) = side(self, "a");
        let (right, r) = side(self, "b");
        let level = std::mem::replace(&mut self.level, Level::Thread);
        let body = self.body(|s| {
            let rep = s.apply(lambda, vec![l, r], env, &Scope::default())?;
            let mut leaves = Vec::new();
            s.scalars(&rep, &Scope::default(), &mut leaves);
            Ok(leaves)
        });
        self.level = level;
        Ok(Operator { left, right, body: body? })
    }

    fn scalars_like(rep: &Rep, values: &mut impl Iterator<Item = ValueId>) -> Rep {
        match rep {
            Rep::Scalar(_, ty) => Rep::Scalar(Ix::Atom(values.next().expect("one value per scalar").into()), *ty),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| Self::scalars_like(p, values)).collect()),
            Rep::Array(_) => unreachable!("an operator works on scalars"),
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn reduce(
        &mut self,
        lambda: &Lambda,
        neutral: &Rep,
        arr: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        if !self.combines_alike(lambda, neutral, env, cx) {
            return self.reduce_rowwise(lambda, neutral, arr, name, env, cx, scope);
        }
        let operator = self.operator_of(lambda, neutral, env)?;
        let inner = self.iterate(cx, scope, arr)?;
        let item = self.item_in(&inner, arr, level);
        let mut start = Vec::new();
        self.scalars(neutral, scope, &mut start);
        let types: Vec<ScalarType> = start.iter().map(|a| self.scalar_type(*a)).collect();
        let binds: Vec<ValueId> = types
            .iter()
            .map(|ty| match cx.depth() {
                0 => self.scalar_value(name, *ty),
                _ => self.column_value(name, *ty, size_of(cx.total())),
            })
            .collect();
        let kind = OpKind::Reduce { operator, neutral: start, masked: false };
        self.op(scope, &inner, binds.clone(), kind, |s, scope| {
            let mut leaves = Vec::new();
            s.scalars(&item, scope, &mut leaves);
            Ok(leaves)
        })?;
        let at = cx.position();
        let mut results = binds.into_iter();
        Ok(Self::rebuilt(neutral, &mut |ty| {
            let v = results.next().expect("one result per scalar");
            let ix = if cx.depth() == 0 { Ix::Atom(v.into()) } else { Ix::read(v, at.clone()) };
            Rep::Scalar(ix, ty)
        }))
    }

    fn rebuilt(like: &Rep, leaf: &mut impl FnMut(ScalarType) -> Rep) -> Rep {
        match like {
            Rep::Scalar(_, ty) => leaf(*ty),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| Self::rebuilt(p, leaf)).collect()),
            Rep::Array(_) => unreachable!("only scalars are rebuilt"),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn scan(
        &mut self,
        lambda: &Lambda,
        neutral: &Rep,
        arr: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        if !self.combines_alike(lambda, neutral, env, cx) {
            return self.scan_rowwise(lambda, neutral, arr, name, env, cx, scope);
        }
        let operator = self.operator_of(lambda, neutral, env)?;
        let inner = self.iterate(cx, scope, arr)?;
        let item = self.item_in(&inner, arr, level);
        let mut start = Vec::new();
        self.scalars(neutral, scope, &mut start);
        let types: Vec<ScalarType> = start.iter().map(|a| self.scalar_type(*a)).collect();
        let binds: Vec<ValueId> = types.iter().map(|ty| self.column_value(name, *ty, size_of(inner.total()))).collect();
        binds.iter().for_each(|v| self.bound_local(*v, &inner));
        let kind = OpKind::Scan { operator, neutral: start, form: ScanForm::Inclusive };
        self.op(scope, &inner, binds.clone(), kind, |s, scope| {
            let mut leaves = Vec::new();
            s.scalars(&item, scope, &mut leaves);
            Ok(leaves)
        })?;
        let elem = Self::elem_of(neutral, &mut binds.into_iter());
        Ok(Rep::Array(self.collected(cx, &inner, elem)))
    }

    /// The space of one dimension with as many points.
    pub(super) fn line(total: Atom) -> Context {
        Context { space: Space::from([Descriptor::Regular(total)]), totals: vec![total] }
    }
}

/// A length; a negative one, which a check will not let pass, is none.
fn at_least_none(len: Atom) -> Atom {
    match len {
        Atom::Const(c) if c.as_i64().is_some_and(|n| n < 0) => Atom::int(0),
        len => len,
    }
}
