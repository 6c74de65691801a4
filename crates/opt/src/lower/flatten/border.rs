//! Borders: where values cross into another body or function, and must have an agreed form.
//!
//! ```text
//! if c then xs else ys        both branches give the leaves of one form: start, len, count, base
//! loop xs = … do …            the state has the form of its label, before and after every iteration
//! ```
//!
//! A value is brought into the form that both sides have agreed on ([`Form`]): usually it has it already, and its leaves are only
//! listed; rows that must be packed are copied, a value that is the same everywhere but was computed at every point is read
//! at the first one.

use super::build::{Scope, size_of};
use super::form::{Form, How};
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Flattener, Result};
use terrace_base::ScalarType;
use terrace_ir::flat::{self, Level};
use terrace_ir::{Atom, ValueId};

impl Flattener<'_> {
    /// The form in which a value of the function being translated crosses borders within `cx`.
    pub(super) fn form_of(&self, value: Atom, cx: &Context) -> Form {
        let form = match value {
            Atom::Const(c) => Form::Same(c.ty()),
            Atom::Var(v) => match self.labels.of(self.source, &self.pattern).and_then(|l| l.values.get(&v)) {
                Some(form) => form.clone(),
                None if cx.depth() == 0 => Form::view(&self.source().values[v].ty),
                None => Form::per_point(&self.source().values[v].ty),
            },
        };
        if cx.depth() == 0 { form.once() } else { form }
    }

    /// The scalars and columns that a value is in a form.
    pub(super) fn border(&mut self, rep: &Rep, form: &Form, cx: &Context, scope: &Scope) -> Result<Vec<Atom>> {
        let mut leaves = Vec::new();
        self.border_leaves(rep, form, cx, scope, &mut leaves)?;
        Ok(leaves)
    }

    fn border_leaves(
        &mut self,
        rep: &Rep,
        form: &Form,
        cx: &Context,
        scope: &Scope,
        out: &mut Vec<Atom>,
    ) -> Result<()> {
        match (rep, form) {
            (Rep::Scalar(ix, ty), Form::Same(_)) => out.push(self.at_any(ix, *ty, cx, scope)?),
            (Rep::Scalar(ix, ty), _) => out.push(self.column(cx, ix, *ty, "x")?.into()),
            (Rep::Tuple(parts), Form::Tuple(forms)) => {
                for (part, form) in parts.iter().zip(forms) {
                    self.border_leaves(part, form, cx, scope, out)?;
                }
            }
            (Rep::Array(_), _) if self.level != Level::Grid => {
                return self.limit("an array that leaves a branch or loop of sequential code");
            }
            (Rep::Array(arr), Form::Array(how, elem)) => {
                let arr = match how {
                    How::Whole | How::View => {
                        let once = self.same_array(arr, cx)?;
                        if *how == How::Whole { self.whole(&once)? } else { once }
                    }
                    _ => self.unzipped(cx, arr, "x")?,
                };
                let here = if how.is_same() { Self::host() } else { cx.clone() };
                let whole = here.depth() == 0 && arr.start.is_zero() && arr.len == Ix::Atom(arr.count);
                // The rows that are meant are equally long; others of the base need not be.
                let arr = match !whole && has_other_rows(&arr.elem, elem) {
                    true => self.rebuilt_array(&arr, &here)?,
                    false => arr,
                };
                match how {
                    How::Whole => {}
                    How::View => {
                        let host = Self::host();
                        out.push(self.at_any(&arr.start, ScalarType::I64, &host, scope)?);
                        out.push(self.at_any(&arr.len, ScalarType::I64, &host, scope)?);
                    }
                    How::Packed => {
                        let arr = self.packed(&arr, cx)?;
                        out.extend([self.at_any(&arr.len, ScalarType::I64, cx, scope)?, arr.count]);
                        return self.base_leaves(&arr.elem, elem, arr.count, out);
                    }
                    How::Regular => {
                        out.push(self.column(cx, &arr.start, ScalarType::I64, "start")?.into());
                        out.push(self.at_any(&arr.len, ScalarType::I64, cx, scope)?);
                    }
                    How::Irregular => {
                        out.push(self.column(cx, &arr.start, ScalarType::I64, "start")?.into());
                        out.push(self.column(cx, &arr.len, ScalarType::I64, "len")?.into());
                    }
                }
                out.push(arr.count);
                return self.base_leaves(&arr.elem, elem, arr.count, out);
            }
            _ => unreachable!("a form fits the type"),
        }
        Ok(())
    }

    pub(super) fn base_leaves(&mut self, elem: &Elem, form: &Form, count: Atom, out: &mut Vec<Atom>) -> Result<()> {
        match (elem, form) {
            (Elem::Scalar(column, _), _) => out.push((*column).into()),
            (Elem::Tuple(parts), Form::Tuple(forms)) => {
                for (part, form) in parts.iter().zip(forms) {
                    self.base_leaves(part, form, count, out)?;
                }
            }
            (Elem::Zip(_), _) => unreachable!("zipped arrays were given one base"),
            (Elem::Row { .. }, Form::Array(..)) => {
                let line = Self::line(count);
                let row = self.element(elem, &Ix::Position(0), None);
                self.border_leaves(&row, form, &line, &Scope::default(), out)?;
            }
            _ => unreachable!("a form fits the type"),
        }
        Ok(())
    }

    /// A scalar that is the same at all points of `cx`; anything if there are none.
    pub(super) fn at_any(&mut self, ix: &Ix, ty: ScalarType, cx: &Context, scope: &Scope) -> Result<Atom> {
        if cx.depth() == 0 || (ix.innermost().is_none() && (!ix.reads() || self.has_points(cx))) {
            return Ok(self.ix(ix, scope));
        }
        let ix = match ix.innermost() {
            None => ix.clone(),
            // The first point is at position 0, whatever its indices are.
            Some(_) => Ix::read(self.column(cx, ix, ty, "same")?, Ix::int(0)),
        };
        if self.has_points(cx) {
            return Ok(self.ix(&ix, scope));
        }
        let any = self.any_point(cx);
        let then = self.body(|s| Ok(vec![s.ix(&ix, scope)]))?;
        let otherwise = self.body(|s| Ok(vec![s.zero(ty)]))?;
        Ok(self.let_scalar("same", ty, flat::Expr::If { cond: any, then, otherwise }))
    }

    pub(super) fn zero(&mut self, ty: ScalarType) -> Atom {
        match ty {
            ScalarType::I64 => Atom::int(0),
            ScalarType::Bool => Atom::Const(terrace_base::Scalar::Bool(false)),
            _ => self.let_scalar("zero", ty, flat::Expr::Convert(ty, Atom::int(0))),
        }
    }

    /// An array that is the same at all points of `cx`, at the host.
    fn same_array(&mut self, arr: &Arr, cx: &Context) -> Result<Arr> {
        let host = Self::host();
        let scope = Scope::default();
        if cx.depth() == 0 || super::lifted::is_uniform(&Rep::Array(arr.clone())) {
            return self.unzipped(&host, arr, "x");
        }
        let arr = self.unzipped(cx, arr, "x")?;
        let start = Ix::Atom(self.at_any(&arr.start, ScalarType::I64, cx, &scope)?);
        // Without points there are no elements, whatever length they would have.
        let len = self.at_any(&arr.len, ScalarType::I64, cx, &scope)?;
        let len = if self.has_points(cx) { len } else { self.unless_empty(len, cx) };
        Ok(Arr { start, len: Ix::Atom(len), dim: None, count: arr.count, total: None, elem: arr.elem })
    }

    /// A length, or 0 if there are no points.
    fn unless_empty(&mut self, len: Atom, cx: &Context) -> Atom {
        if len == Atom::int(0) {
            return len;
        }
        let cond = self.any_point(cx);
        let then = flat::Body { stmts: Vec::new(), results: vec![len] };
        let otherwise = flat::Body { stmts: Vec::new(), results: vec![Atom::int(0)] };
        let v = self.scalar_value("len", ScalarType::I64);
        self.known_after_if(&[v], cond, &then, &otherwise);
        self.push(vec![v], flat::Expr::If { cond, then, otherwise });
        v.into()
    }

    /// An array at the host that is its whole base.
    pub(super) fn whole(&mut self, arr: &Arr) -> Result<Arr> {
        let arr = self.unzipped(&Self::host(), arr, "x")?;
        if arr.start.is_zero() && arr.len == Ix::Atom(arr.count) {
            return Ok(arr);
        }
        self.rebuilt_array(&arr, &Self::host())
    }

    /// Equally long arrays, one after the other.
    fn packed(&mut self, arr: &Arr, cx: &Context) -> Result<Arr> {
        let mut arr = arr.clone();
        if arr.len.uniform().is_none() {
            arr.len = Ix::Atom(self.at_any(&arr.len.clone(), ScalarType::I64, cx, &Scope::default())?);
            arr.dim = None;
        }
        let apart = arr.len.uniform().and_then(|len| self.distance(&arr.start, &cx.position(), len));
        if let Some(len) = apart {
            arr.len = Ix::Atom(len);
        }
        let all = apart.is_some();
        let wanted = arr.len.uniform().map(|m| self.known(cx.total()) * self.known(m));
        // A prefix of the rows of a base starts where the base does.
        if all && wanted == Some(self.known(arr.count)) {
            return Ok(arr);
        }
        self.rebuilt_array(&arr, cx)
    }

    /// The same array with elements of its own.
    pub(super) fn rebuilt_array(&mut self, arr: &Arr, cx: &Context) -> Result<Arr> {
        let scope = Scope::default();
        let inner = self.iterate(cx, &scope, arr)?;
        // By index, not by position: a prefix has the positions of the whole, and would be taken for it.
        let item = self.item(arr, &Ix::Index(cx.depth()), None, None);
        let elem = self.stored(&inner, &scope, &item, "x")?;
        Ok(self.collected(cx, &inner, elem))
    }

    /// Fresh values for what crosses a border, and the value that they make up.
    pub(super) fn fresh_border(&mut self, form: &Form, cx: &Context) -> (Vec<ValueId>, Rep) {
        let mut binds = Vec::new();
        self.fresh_leaves(form, cx.total(), &mut binds);
        let leaves: Vec<Atom> = binds.iter().map(|v| Atom::Var(*v)).collect();
        let rep = self.rep_at(form, &leaves, cx, &cx.position());
        (binds, rep)
    }

    fn fresh_leaves(&mut self, form: &Form, points: Atom, out: &mut Vec<ValueId>) {
        match form {
            Form::Same(s) => out.push(self.scalar_value("x", *s)),
            Form::Each(s) => out.push(self.column_value("x", *s, size_of(points))),
            Form::Tuple(parts) => parts.iter().for_each(|p| self.fresh_leaves(p, points, out)),
            Form::Array(how, elem) => {
                let i64 = ScalarType::I64;
                let mut packed = None;
                match how {
                    How::Whole => {}
                    How::View => out.extend([self.scalar_value("start", i64), self.scalar_value("len", i64)]),
                    How::Packed => {
                        let len = self.scalar_value("len", i64);
                        packed = Some(self.known(points) * size_of(len.into()));
                        out.push(len);
                    }
                    How::Regular => {
                        out.push(self.column_value("start", i64, size_of(points)));
                        out.push(self.scalar_value("len", i64));
                    }
                    How::Irregular => {
                        out.push(self.column_value("start", i64, size_of(points)));
                        out.push(self.column_value("len", i64, size_of(points)));
                    }
                }
                let count = self.scalar_value("count", i64);
                out.push(count);
                self.fun.known.extend(packed.map(|size| (count, size)));
                self.fresh_leaves(elem, count.into(), out);
            }
        }
    }

    /// The value that crossed a border as `leaves`, at position `at` of them.
    pub(super) fn rep_at(&self, form: &Form, leaves: &[Atom], _cx: &Context, at: &Ix) -> Rep {
        rep_from(form, &mut leaves.iter().copied(), at)
    }
}

fn column(atom: Atom) -> ValueId {
    atom.var().expect("a column is a value")
}

fn rep_from(form: &Form, leaves: &mut dyn Iterator<Item = Atom>, at: &Ix) -> Rep {
    let mut next = || leaves.next().expect("as many leaves as the form has");
    match form {
        Form::Same(s) => Rep::Scalar(Ix::Atom(next()), *s),
        Form::Each(s) => Rep::Scalar(Ix::read(column(next()), at.clone()), *s),
        Form::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| rep_from(p, leaves, at)).collect()),
        Form::Array(how, elem) => {
            let (start, len) = match how {
                How::Whole => (Ix::int(0), None),
                How::View => (Ix::Atom(next()), Some(Ix::Atom(next()))),
                How::Packed => {
                    let len = Ix::Atom(next());
                    (at.clone().mul(len.clone()), Some(len))
                }
                How::Regular => (Ix::read(column(next()), at.clone()), Some(Ix::Atom(next()))),
                How::Irregular => (Ix::read(column(next()), at.clone()), Some(Ix::read(column(next()), at.clone()))),
            };
            let count = next();
            let elem = base_from(elem, leaves);
            let len = len.unwrap_or(Ix::Atom(count));
            Rep::Array(Arr { start, len, dim: None, count, total: None, elem })
        }
    }
}

fn base_from(form: &Form, leaves: &mut dyn Iterator<Item = Atom>) -> Elem {
    let mut next = || leaves.next().expect("as many leaves as the form has");
    match form {
        Form::Same(s) | Form::Each(s) => Elem::Scalar(column(next()), *s),
        Form::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| base_from(p, leaves)).collect()),
        Form::Array(how, elem) => {
            let inner = match how {
                How::Packed => Inner::Regular(next()),
                How::Regular => Inner::Rows { start: column(next()), len: next() },
                How::Irregular => Inner::Views { start: column(next()), len: column(next()) },
                How::Whole | How::View => unreachable!("the rows of an array are not the same"),
            };
            let count = next();
            Elem::Row { inner, count, elem: Box::new(base_from(elem, leaves)) }
        }
    }
}

/// Whether the form says that rows are equally long where those of the base may not be.
fn has_other_rows(elem: &Elem, form: &Form) -> bool {
    match (elem, form) {
        (Elem::Tuple(parts), Form::Tuple(forms)) => parts.iter().zip(forms).any(|(p, f)| has_other_rows(p, f)),
        (Elem::Row { inner, elem, .. }, Form::Array(how, form)) => {
            let regular = matches!(inner, Inner::Regular(_) | Inner::Rows { .. });
            how.is_regular() && !regular || has_other_rows(elem, form)
        }
        _ => false,
    }
}
