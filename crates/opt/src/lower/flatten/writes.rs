//! Operators that write: update, scatter, hist, sort.
//!
//! All points of the context write into one base, so a position is absolute: where the row of the point starts, and the
//! index within it. An update inside parallel code is then one write per point, and costs no more:
//!
//! ```text
//! [update row[i] = 0 for (row, i) in …]     scatter grid [n] into base distinct (p) { => off[p] + i, 0 }
//! [hist add 0 m is vs for (is, vs) in …]    hist grid [n][off] bins n*m (p, q)      { => p*m + is[q], vs[q] }
//! [sort row for row in rows]                sort grid [n][off] (q) { => x[q] };     x[off[p] + order[q]]
//! ```
//!
//! What is written to must have rows of its own that lie side by side, at all levels of nesting that the write goes through;
//! otherwise it is copied first ([`Flattener::writable`]). Where elements are arrays themselves, a sort moves their
//! descriptors, and so does a write of rows of the very same base. A row that is written over one of the same
//! length is written element by element. In all other cases the rows that stay and the rows that are written are copied into
//! a new base, which costs as much as the result is large.
//!
//! Declined: operators of histograms that work on arrays, and keys that contain arrays.

use super::build::{Scope, size_of};
use super::form::{Form, How};
use super::merge::Alternative;
use super::plain::zip;
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::core::{Expr, Lambda, Strides};
use terrace_ir::flat::{self, Level, OpKind, SortForm};
use terrace_ir::{Atom, ValueId};

/// Where something is written, at each point of a space.
struct Target<'a> {
    scope: &'a Scope,
    /// The points that write.
    points: &'a Context,
    /// No two of them write one element.
    distinct: bool,
    name: &'a str,
}

impl Flattener<'_> {
    pub(super) fn write(&mut self, expr: &Expr, name: &str, env: &Env, cx: &Context, scope: &Scope) -> Result<Rep> {
        match expr {
            Expr::Update { array, indices, value } => {
                let (array, value) = (self.array(*array, env), self.rep(*value, env));
                let path: Vec<Ix> = indices.iter().map(|i| self.recipe_of(*i, env)).collect();
                let points = if cx.depth() == 0 { Self::line(Atom::int(1)) } else { cx.clone() };
                let target = Target { scope, points: &points, distinct: true, name };
                self.write_into(&array, &path, &value, cx, &target)
            }
            Expr::UpdateStrided { array, strides, values } => {
                let (array, values) = (self.array(*array, env), self.rep(*values, env));
                self.update_strided(&array, strides, &values, name, env, cx, scope)
            }
            Expr::Scatter { array, indices, values } => {
                let (array, indices, values) =
                    (self.array(*array, env), self.array(*indices, env), self.array(*values, env));
                let level = cx.depth() + scope.positions.len();
                let points = self.iterate(cx, scope, &zip(vec![indices.clone(), values.clone()]))?;
                let at = self.scalar_item(&points, &indices, level);
                let item = self.item_in(&points, &values, level);
                let distinct = matches!(indices.elem, Elem::Scalar(c, _) if self.fun.distinct.contains(&c));
                let target = Target { scope, points: &points, distinct, name };
                self.write_into(&array, &[at], &item, cx, &target)
            }
            Expr::Hist { operator, neutral, count, indices, values } => {
                let neutral = self.rep(*neutral, env);
                let both = zip(vec![self.array(*indices, env), self.array(*values, env)]);
                let count = self.counted(*count, env, cx)?;
                self.hist(operator, &neutral, &count, &both, name, env, cx, scope)
            }
            Expr::Sort { keys, array } => {
                let itself = keys == array;
                let (keys, array) = (self.array(*keys, env), self.array(*array, env));
                if let (true, Elem::Scalar(_, ty)) = (itself, &keys.elem) {
                    return self.sort_scalars(&keys, *ty, name, cx, scope);
                }
                self.sort(&keys, &array, name, cx, scope)
            }
            _ => unreachable!("scalar and structural expressions are translated elsewhere"),
        }
    }

    fn recipe_of(&self, atom: Atom, env: &Env) -> Ix {
        match self.rep(atom, env) {
            Rep::Scalar(ix, _) => ix,
            _ => unreachable!("the verifier of Core wants a scalar here"),
        }
    }

    fn scalar_item(&mut self, points: &Context, arr: &Arr, level: usize) -> Ix {
        match self.item_in(points, arr, level) {
            Rep::Scalar(ix, _) => ix,
            _ => unreachable!("the verifier of Core wants integers here"),
        }
    }

    /// The slice's positions are those of a space of as many dimensions as it has.
    #[allow(clippy::too_many_arguments)]
    fn update_strided(
        &mut self,
        array: &Arr,
        strides: &Strides,
        values: &Rep,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let mut points = cx.clone();
        let mut at = self.recipe_of(strides.offset, env);
        let mut item = values.clone();
        for (_, stride) in &strides.dims {
            let Rep::Array(arr) = &item else { unreachable!("values are nested as deep as the slice") };
            let level = points.depth() + scope.positions.len();
            let inner = self.iterate(&points, scope, arr)?;
            at = at.add(Ix::Index(level).mul(self.recipe_of(*stride, env)));
            item = self.item_in(&inner, &arr.clone(), level);
            points = inner;
        }
        let target = Target { scope, points: &points, distinct: true, name };
        self.write_into(array, &[at], &item, cx, &target)
    }

    /// The array with `item` written, at every point of the target, to the element that `path` leads to.
    fn write_into(&mut self, array: &Arr, path: &[Ix], item: &Rep, cx: &Context, target: &Target<'_>) -> Result<Rep> {
        let mut array = self.writable(array, path.len(), cx, target)?;
        let (first, rest) = path.split_first().expect("an index per dimension");
        let at = array.start.clone().add(first.clone());
        array.elem = self.write_below(&array.elem, array.count, rest, &at, item, target)?;
        Ok(Rep::Array(array))
    }

    fn write_below(
        &mut self,
        elem: &Elem,
        count: Atom,
        path: &[Ix],
        at: &Ix,
        item: &Rep,
        target: &Target<'_>,
    ) -> Result<Elem> {
        let Some((index, rest)) = path.split_first() else {
            return self.write_elements(elem, count, at, item, target);
        };
        let Elem::Row { inner, count, elem } = elem else { unreachable!("an index per dimension") };
        let at = inner.start(at.clone()).add(index.clone());
        let elem = self.write_below(elem, *count, rest, &at, item, target)?;
        Ok(Elem::Row { inner: inner.clone(), count: *count, elem: Box::new(elem) })
    }

    /// The same array with rows that lie side by side in a base of their own, `levels` deep.
    fn writable(&mut self, arr: &Arr, levels: usize, cx: &Context, target: &Target<'_>) -> Result<Arr> {
        let arr = match self.level {
            Level::Grid => self.unzipped(cx, arr, target.name)?,
            _ if matches!(arr.elem, Elem::Zip(_)) => return self.limit("a write to zipped arrays in sequential code"),
            _ => arr.clone(),
        };
        let inner = self.iterate(cx, target.scope, &arr)?;
        let whole = arr.len == Ix::Atom(arr.count) || self.known(arr.count) == self.known(inner.total());
        let packed = arr.start == self.packed_start(&inner) && whole;
        if packed && has_own_rows(&arr.elem, levels - 1) {
            return Ok(arr);
        }
        let seen_late = cx.depth() > 0 && arr.start.column_at(cx.depth() - 1).is_some();
        if levels == 1 && is_flat(&arr.elem) && seen_late {
            return self.apart(&arr, cx, &inner, target.name);
        }
        let level = cx.depth() + target.scope.positions.len();
        let item = self.item_in(&inner, &arr, level);
        let elem = if levels > 1 {
            let item = self.with_totals(item, &inner);
            self.merge(&inner, target.scope, &[(None, item)], target.name)?
        } else {
            self.moved(&inner, target.scope, &item, target.name)?
        };
        Ok(self.collected(cx, &inner, elem))
    }

    /// Rows whose places are only known when the program runs, as after a border: they are looked at, which costs as much as
    /// there are points, and copied only if they are not apart and in order, or fill less than half of their base.
    fn apart(&mut self, arr: &Arr, cx: &Context, inner: &Context, name: &str) -> Result<Arr> {
        let scope = Scope::default();
        let start = self.column(cx, &arr.start, ScalarType::I64, "start")?;
        let len = self.column(cx, &arr.len, ScalarType::I64, "len")?;
        let in_order = self.are_in_order(start, len, arr.count, cx.total())?;
        let twice = self.binary("twice", BinOp::Add, inner.total(), inner.total());
        let dense = self.binary("dense", BinOp::Le, arr.count, twice);
        let cond = self.binary("apart", BinOp::And, in_order, dense);
        let mut results = vec![start.into(), arr.count];
        let mut columns = Vec::new();
        columns_of(&arr.elem, &mut columns);
        results.extend(columns.iter().map(|c| Atom::Var(*c)));
        let then = flat::Body { stmts: Vec::new(), results };
        let item = self.item(arr, &Ix::Index(cx.depth()), None, None);
        let packed = self.packed_start(inner);
        let otherwise = self.body(|s| {
            let mut copies = vec![s.column(cx, &packed, ScalarType::I64, "start")?];
            let elem = s.moved(inner, &scope, &item, name)?;
            columns_of(&elem, &mut copies);
            let mut results: Vec<Atom> = copies.into_iter().map(Atom::Var).collect();
            results.insert(1, inner.total());
            Ok(results)
        })?;
        let start = self.column_value("start", ScalarType::I64, size_of(cx.total()));
        let count = self.scalar_value("count", ScalarType::I64);
        let mut binds = vec![start, count];
        for column in columns {
            let elem = self.scalar_type(column.into());
            binds.push(self.column_value(name, elem, size_of(count.into())));
        }
        self.push(binds.clone(), flat::Expr::If { cond, then, otherwise });
        let elem = Self::elem_of(&item, &mut binds.into_iter().skip(2));
        Ok(Arr { start: Ix::read(start, cx.position()), count: count.into(), elem, ..arr.clone() })
    }

    /// Whether each row ends before the next one starts.
    fn are_in_order(&mut self, start: ValueId, len: ValueId, count: Atom, rows: Atom) -> Result<Atom> {
        let operator = self.operator(BinOp::And, ScalarType::Bool);
        let kind = OpKind::Reduce { operator, neutral: vec![Atom::Const(Scalar::Bool(true))], masked: false };
        let in_order = self.scalar_value("in_order", ScalarType::Bool);
        let here = Ix::Position(0);
        let next = here.clone().add(Ix::int(1));
        let end = Ix::read(start, here.clone()).add(Ix::read(len, here));
        let last = Ix::Binary(BinOp::Eq, Box::new(next.clone()), Box::new(Ix::Atom(rows)));
        self.op(&Scope::default(), &Self::line(rows), vec![in_order], kind, |s, scope| {
            let cond = s.ix(&last, scope);
            let otherwise = s.body(|s| Ok(vec![s.ix(&Ix::read(start, next), scope)]))?;
            let limit = s.scalar_value("limit", ScalarType::I64);
            let then = flat::Body { stmts: Vec::new(), results: vec![count] };
            s.push(vec![limit], flat::Expr::If { cond, then, otherwise });
            let end = s.ix(&end, scope);
            Ok(vec![s.binary("ends", BinOp::Le, end, limit.into())])
        })?;
        Ok(in_order.into())
    }

    /// Values at the points of `inner` in columns of their own; arrays stay where they are.
    fn moved(&mut self, inner: &Context, scope: &Scope, rep: &Rep, name: &str) -> Result<Elem> {
        if matches!(rep, Rep::Array(_)) {
            return self.stored(inner, scope, rep, name);
        }
        if let Rep::Tuple(parts) = rep {
            let parts = parts.iter().map(|p| self.moved(inner, scope, p, name));
            return Ok(Elem::Tuple(parts.collect::<Result<_>>()?));
        }
        self.merge(inner, scope, &[(None, rep.clone())], name)
    }

    /// Writes values at absolute positions of a base of `count` elements.
    fn write_elements(&mut self, elem: &Elem, count: Atom, at: &Ix, item: &Rep, target: &Target<'_>) -> Result<Elem> {
        let mut scalars = Vec::new();
        scalars_of(elem, item, &mut scalars);
        let written = self.scatter(at, &scalars, target)?;
        let mut written = written.into_iter();
        self.rebuild(elem, count, at, item, target, &mut written)
    }

    /// One scatter of several scalars.
    fn scatter(&mut self, at: &Ix, scalars: &[(ValueId, Ix)], target: &Target<'_>) -> Result<Vec<ValueId>> {
        if scalars.is_empty() {
            return Ok(Vec::new());
        }
        let binds: Vec<ValueId> = scalars
            .iter()
            .map(|(column, _)| {
                let mut value = self.fun.values[*column].clone();
                value.name = target.name.to_string();
                self.fun.values.push(value)
            })
            .collect();
        let dest = scalars.iter().map(|(column, _)| *column).collect();
        let kind = OpKind::Scatter { dest, distinct: target.distinct };
        self.op(target.scope, target.points, binds.clone(), kind, |s, scope| {
            let mut results = vec![s.ix(at, scope)];
            results.extend(scalars.iter().map(|(_, ix)| s.ix(ix, scope)));
            Ok(results)
        })?;
        Ok(binds)
    }

    fn rebuild(
        &mut self,
        elem: &Elem,
        count: Atom,
        at: &Ix,
        item: &Rep,
        target: &Target<'_>,
        written: &mut impl Iterator<Item = ValueId>,
    ) -> Result<Elem> {
        match (elem, item) {
            (Elem::Scalar(_, ty), _) => Ok(Elem::Scalar(written.next().expect("one column per scalar"), *ty)),
            (Elem::Tuple(parts), Rep::Tuple(items)) => {
                let both = parts.iter().zip(items);
                let parts = both.map(|(e, i)| self.rebuild(e, count, at, i, target, written));
                Ok(Elem::Tuple(parts.collect::<Result<_>>()?))
            }
            (Elem::Row { .. }, Rep::Array(_)) if self.level != Level::Grid => {
                self.limit("an array of arrays inside sequential code")
            }
            (Elem::Row { inner, count: below, elem }, Rep::Array(row)) => {
                self.write_row((inner, *below, elem), count, at, row, target)
            }
            _ => unreachable!("the verifier of Core wants a value of the element's type"),
        }
    }

    /// Writes rows over rows of a base of `count` rows.
    fn write_row(
        &mut self,
        (inner, below, elem): (&Inner, Atom, &Elem),
        count: Atom,
        at: &Ix,
        row: &Arr,
        target: &Target<'_>,
    ) -> Result<Elem> {
        let mut row = self.unzipped(target.points, row, target.name)?;
        // The label says that rows stay as they are only where the one that is written is as long as the others.
        if let (Inner::Regular(m), Some(Form::Array(How::Packed, _))) = (inner, self.row_form(&Self::host())) {
            (row.len, row.dim) = (Ix::Atom(*m), None);
        }
        if let (Inner::Regular(m), Some(len)) = (inner, row.len.uniform())
            && self.known(*m) == self.known(len)
        {
            let level = target.points.depth() + target.scope.positions.len();
            let points = self.iterate(target.points, target.scope, &row)?;
            let at = inner.start(at.clone()).add(Ix::Index(level));
            let item = self.item_in(&points, &row, level);
            let deeper = Target { points: &points, ..*target };
            let elem = self.write_elements(elem, below, &at, &item, &deeper)?;
            return Ok(Elem::Row { inner: inner.clone(), count: below, elem: Box::new(elem) });
        }
        let line = Self::line(count);
        let here = Ix::Position(0);
        if same_base(elem, &row.elem) {
            let start = self.column(&line, &inner.start(here.clone()), ScalarType::I64, "start")?;
            let len = self.column(&line, &inner.len(here), ScalarType::I64, "len")?;
            let written = self.scatter(at, &[(start, row.start.clone()), (len, row.len.clone())], target)?;
            let inner = Inner::Views { start: written[0], len: written[1] };
            return Ok(Elem::Row { inner, count: below, elem: Box::new(elem.clone()) });
        }
        let winner = self.winner(at, count, target)?;
        let from = Ix::read(winner, here.clone());
        let start = self.column(target.points, &row.start, ScalarType::I64, "start")?;
        let len = self.column(target.points, &row.len, ScalarType::I64, "len")?;
        let new = Arr {
            start: Ix::read(start, from.clone()),
            len: row.len.uniform().map_or_else(|| Ix::read(len, from.clone()), Ix::Atom),
            dim: None,
            count: row.count,
            total: self.total_bound(&row, target.points),
            elem: row.elem,
        };
        let old = Elem::Row { inner: inner.clone(), count: below, elem: Box::new(elem.clone()) };
        let old = self.element(&old, &here, Some(1));
        let hit = Ix::Binary(BinOp::Ge, Box::new(from), Box::new(Ix::int(0)));
        let alternatives: [Alternative; 2] = [(Some(hit), Rep::Array(new)), (None, old)];
        let rows = self.row_form(&line).filter(|form| matches!(form, Form::Array(_, elem) if elem.is_flat()));
        self.merge_as(&line, &Scope::default(), &alternatives, target.name, rows.as_ref())
    }

    /// Which point writes each element of a base, and -1 where none does.
    fn winner(&mut self, at: &Ix, count: Atom, target: &Target<'_>) -> Result<ValueId> {
        let line = Self::line(count);
        let none = self.column_value("nobody", ScalarType::I64, size_of(count));
        self.op(&Scope::default(), &line, vec![none], OpKind::Map { rows: None }, |_, _| Ok(vec![Atom::int(-1)]))?;
        let own = target.points.position();
        let named = Target { name: "winner", ..*target };
        Ok(self.scatter(at, &[(none, own)], &named)?[0])
    }

    #[allow(clippy::too_many_arguments)]
    fn hist(
        &mut self,
        lambda: &Lambda,
        neutral: &Rep,
        count: &Arr,
        both: &Arr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let bins = self.iterate(cx, scope, count)?;
        let first = self.packed_start(&bins);
        let level = cx.depth() + scope.positions.len();
        let points = self.iterate(cx, scope, both)?;
        let Rep::Tuple(mut pair) = self.item_in(&points, both, level) else { unreachable!("a zip has tuples") };
        let (value, bin) = (pair.pop().expect("values"), pair.pop().expect("indices"));
        let Rep::Scalar(bin, _) = bin else { unreachable!("a bin is an integer") };
        let bin = first.add(bin);
        if !self.combines_alike(lambda, neutral, env, cx) {
            let sorted = self.bin_by_bin(&bin, &value, &points, &bins, name)?;
            let rep = self.reduce(lambda, neutral, &sorted, name, env, &bins, scope)?;
            let elem = self.stored(&bins, scope, &rep, name)?;
            return Ok(Rep::Array(self.collected(cx, &bins, elem)));
        }
        let operator = self.operator_of(lambda, neutral, env)?;
        let mut start = Vec::new();
        self.scalars(neutral, scope, &mut start);
        let types: Vec<ScalarType> = start.iter().map(|a| self.scalar_type(*a)).collect();
        let binds: Vec<ValueId> = types.iter().map(|ty| self.column_value(name, *ty, size_of(bins.total()))).collect();
        binds.iter().for_each(|v| self.bound_local(*v, &bins));
        let kind = OpKind::Hist { operator, neutral: start, count: bins.total() };
        self.op(scope, &points, binds.clone(), kind, |s, scope| {
            let mut results = vec![s.ix(&bin, scope)];
            s.scalars(&value, scope, &mut results);
            Ok(results)
        })?;
        let elem = Self::elem_of(neutral, &mut binds.into_iter());
        Ok(Rep::Array(self.collected(cx, &bins, elem)))
    }

    /// The values of each bin, in the order of the points: one row per bin.
    fn bin_by_bin(&mut self, bin: &Ix, value: &Rep, points: &Context, bins: &Context, name: &str) -> Result<Arr> {
        let scope = Scope::default();
        let counts = self.column_value("counts", ScalarType::I64, size_of(bins.total()));
        let operator = self.operator(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Hist { operator, neutral: vec![Atom::int(0)], count: bins.total() };
        self.op(&scope, points, vec![counts], kind, |s, scope| Ok(vec![s.ix(bin, scope), Atom::int(1)]))?;
        let (off, _) = self.offsets(bins, &Ix::read(counts, bins.position()), self.bound_of(points.total()))?;
        // Bins are numbered row by row, so points sorted by bin within their row are sorted by bin altogether.
        let order = self.column_value("order", ScalarType::I64, size_of(points.total()));
        self.op(&scope, points, vec![order], OpKind::Sort { form: SortForm::Order }, |s, scope| {
            Ok(vec![s.ix(bin, scope)])
        })?;
        let elem = self.stored(points, &scope, value, name)?;
        let last = points.depth() - 1;
        let row = points.position().sub(Ix::Index(last));
        let from = row.add(Ix::read(order, points.position()));
        let item = self.element(&elem, &from, None);
        let elem = self.stored(points, &scope, &item, name)?;
        let here = bins.position();
        Ok(Arr {
            start: Ix::read(off, here.clone()),
            len: Inner::Packed(off).len(here),
            dim: None,
            count: points.total(),
            total: self.bound_of(points.total()),
            elem,
        })
    }

    /// Scalars that are sorted by themselves.
    fn sort_scalars(&mut self, keys: &Arr, ty: ScalarType, name: &str, cx: &Context, scope: &Scope) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        let points = self.iterate(cx, scope, keys)?;
        let key = self.item_in(&points, keys, level);
        let sorted = self.column_value(name, ty, size_of(points.total()));
        self.bound_local(sorted, &points);
        self.op(scope, &points, vec![sorted], OpKind::Sort { form: SortForm::Keys }, |s, scope| {
            let mut keys = Vec::new();
            s.scalars(&key, scope, &mut keys);
            Ok(keys)
        })?;
        Ok(Rep::Array(self.collected(cx, &points, Elem::Scalar(sorted, ty))))
    }

    fn sort(&mut self, keys: &Arr, array: &Arr, name: &str, cx: &Context, scope: &Scope) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        let points = self.iterate(cx, scope, &zip(vec![keys.clone(), array.clone()]))?;
        let key = self.item_in(&points, keys, level);
        if has_arrays(&key) {
            return self.limit("sorting by keys that contain arrays");
        }
        let order = self.column_value("order", ScalarType::I64, size_of(points.total()));
        self.bound_local(order, &points);
        self.op(scope, &points, vec![order], OpKind::Sort { form: SortForm::Order }, |s, scope| {
            let mut keys = Vec::new();
            s.scalars(&key, scope, &mut keys);
            Ok(if keys.is_empty() { vec![Atom::int(0)] } else { keys })
        })?;
        let at = Ix::read(order, Ix::Position(level));
        let item = self.item(array, &at, None, None);
        let elem = self.stored(&points, scope, &item, name)?;
        Ok(Rep::Array(self.collected(cx, &points, elem)))
    }
}

/// Whether no two rows share elements, so many levels deep.
fn has_own_rows(elem: &Elem, levels: usize) -> bool {
    match elem {
        _ if levels == 0 => true,
        Elem::Row { inner, .. } if !inner.is_packed() => false,
        Elem::Row { elem, .. } => has_own_rows(elem, levels - 1),
        _ => true,
    }
}

fn is_flat(elem: &Elem) -> bool {
    match elem {
        Elem::Scalar(..) => true,
        Elem::Tuple(parts) => parts.iter().all(is_flat),
        Elem::Row { .. } | Elem::Zip(_) => false,
    }
}

/// The columns of numbers and tuples of them.
fn columns_of(elem: &Elem, out: &mut Vec<ValueId>) {
    match elem {
        Elem::Scalar(column, _) => out.push(*column),
        Elem::Tuple(parts) => parts.iter().for_each(|p| columns_of(p, out)),
        Elem::Row { .. } | Elem::Zip(_) => {}
    }
}

/// The columns of an element's scalars, and what is written there.
fn scalars_of(elem: &Elem, item: &Rep, out: &mut Vec<(ValueId, Ix)>) {
    match (elem, item) {
        (Elem::Scalar(column, _), Rep::Scalar(ix, _)) => out.push((*column, ix.clone())),
        (Elem::Tuple(parts), Rep::Tuple(items)) => {
            parts.iter().zip(items).for_each(|(part, item)| scalars_of(part, item, out));
        }
        _ => {}
    }
}

fn has_arrays(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(..) => false,
        Rep::Tuple(parts) => parts.iter().any(has_arrays),
        Rep::Array(_) => true,
    }
}

/// Whether two arrays have elements in the same columns.
fn same_base(a: &Elem, b: &Elem) -> bool {
    match (a, b) {
        (Elem::Scalar(a, _), Elem::Scalar(b, _)) => a == b,
        (Elem::Tuple(a), Elem::Tuple(b)) => a.iter().zip(b).all(|(a, b)| same_base(a, b)),
        (Elem::Row { inner: a, elem: x, .. }, Elem::Row { inner: b, elem: y, .. }) => {
            let rows = match (a, b) {
                (Inner::Regular(a), Inner::Regular(b)) => a == b,
                (Inner::Packed(a), Inner::Packed(b)) => a == b,
                (Inner::Rows { start: a, len: x }, Inner::Rows { start: b, len: y }) => a == b && x == y,
                (Inner::Views { start: a, len: x }, Inner::Views { start: b, len: y }) => a == b && x == y,
                _ => false,
            };
            rows && same_base(x, y)
        }
        _ => false,
    }
}
