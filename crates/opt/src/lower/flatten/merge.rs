//! Putting arrays together: concatenation, array literals, the two branches of a conditional, the halves of a wave.
//!
//! All of these are one operation, *merge*: at each point one of several alternatives is chosen, and copied.
//!
//! ```text
//! a ++ b        over [len(a) + len(b)]   j < len(a) ? a[j] : b[j - len(a)]
//! [a, b]        over [2][lengths]        k == 0 ? a[j] : b[j]
//! if c …        over [points][lengths]   c[p] ? then[j] : else[rank[p]][j]
//! ```
//!
//! Rows are copied row by row into packed form, so the work is the number of elements that the result has. Rows that are the same at every
//! point are not copied at every point: they are laid one after the other once, and each point has a view.

use super::build::{Scope, size_of};
use super::form::Form;
use super::lifted::is_uniform;
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Flattener, Result};
use terrace_algebra::Size;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::Atom;
use terrace_ir::core::Expr;
use terrace_ir::flat::{self, Descriptor, Level, OpKind};

/// A choice: the condition under which it is taken (the last has none), and the value.
pub(super) type Alternative = (Option<Ix>, Rep);

impl Flattener<'_> {
    pub(super) fn concat(
        &mut self,
        arrays: &[Arr],
        name: &str,
        rows: Option<&Form>,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let level = cx.depth() + scope.positions.len();
        let j = Ix::Index(level);
        let mut before = Ix::int(0);
        let mut total = Some(Size::zero());
        let mut alternatives = Vec::new();
        for (k, arr) in arrays.iter().enumerate() {
            let at = j.clone().sub(before.clone());
            let rep = self.item(arr, &at, None, None);
            before = before.add(arr.len.clone());
            let here = Ix::Binary(BinOp::Lt, Box::new(j.clone()), Box::new(before.clone()));
            alternatives.push(((k + 1 < arrays.len()).then_some(here), rep));
            let bound = if cx.depth() == 0 {
                let len = self.ix(&arr.len.clone(), scope);
                self.bound_of(len)
            } else {
                self.total_bound(arr, cx)
            };
            total = total.zip(bound).map(|(a, b)| a + b);
        }
        let whole = Arr {
            start: Ix::int(0),
            len: before,
            dim: None,
            count: Atom::int(0),
            total,
            elem: Elem::Tuple(Vec::new()),
        };
        let inner = self.iterate(cx, scope, &whole)?;
        let elem = self.merge_as(&inner, scope, &alternatives, name, rows)?;
        Ok(Rep::Array(self.collected(cx, &inner, elem)))
    }

    pub(super) fn literal(
        &mut self,
        expr: &Expr,
        elems: Vec<Rep>,
        name: &str,
        rows: Option<&Form>,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Rep> {
        let Expr::ArrayLiteral { elem: ty, .. } = expr else { unreachable!("called for literals") };
        let level = cx.depth() + scope.positions.len();
        let n = Atom::int(elems.len() as i64);
        let len = Ix::Atom(n);
        let whole = Arr { start: Ix::int(0), len, dim: None, count: n, total: None, elem: Elem::Tuple(Vec::new()) };
        let inner = self.iterate(cx, scope, &whole)?;
        let elem = if elems.is_empty() {
            self.empty_elem(ty)
        } else if cx.depth() == 0 && ty.is_flat() {
            self.literal_columns(&elems, name, &inner, scope)
        } else {
            let last = elems.len() - 1;
            let alternatives: Vec<Alternative> = elems
                .into_iter()
                .enumerate()
                .map(|(k, rep)| {
                    let here = Ix::Binary(BinOp::Eq, Box::new(Ix::Index(level)), Box::new(Ix::int(k as i64)));
                    ((k < last).then_some(here), self.with_totals(rep, cx))
                })
                .collect();
            self.merge_as(&inner, scope, &alternatives, name, rows)?
        };
        Ok(Rep::Array(self.collected(cx, &inner, elem)))
    }

    fn literal_columns(&mut self, elems: &[Rep], name: &str, inner: &Context, scope: &Scope) -> Elem {
        match &elems[0] {
            Rep::Scalar(_, ty) => {
                let mut atoms = Vec::new();
                elems.iter().for_each(|e| self.scalars(e, scope, &mut atoms));
                let v = self.column_value(name, *ty, size_of(inner.total()));
                self.bound_local(v, inner);
                self.push(vec![v], flat::Expr::Literal(atoms));
                Elem::Scalar(v, *ty)
            }
            Rep::Tuple(parts) => {
                let columns = (0..parts.len()).map(|k| {
                    let column: Vec<Rep> = elems
                        .iter()
                        .map(|e| match e {
                            Rep::Tuple(parts) => parts[k].clone(),
                            _ => unreachable!("elements have one type"),
                        })
                        .collect();
                    self.literal_columns(&column, name, inner, scope)
                });
                Elem::Tuple(columns.collect())
            }
            Rep::Array(_) => unreachable!("asked for flat elements only"),
        }
    }

    /// The base of an array without elements.
    pub(super) fn empty_elem(&mut self, ty: &terrace_ir::core::Type) -> Elem {
        let column = |s: &mut Self, elem: ScalarType| {
            let v = s.column_value("none", elem, Size::zero());
            s.push(vec![v], flat::Expr::Literal(Vec::new()));
            v
        };
        match ty {
            terrace_ir::core::Type::Scalar(s) => Elem::Scalar(column(self, *s), *s),
            terrace_ir::core::Type::Tuple(ts) => Elem::Tuple(ts.iter().map(|t| self.empty_elem(t)).collect()),
            terrace_ir::core::Type::Array(a) => {
                let inner = Inner::Views { start: column(self, ScalarType::I64), len: column(self, ScalarType::I64) };
                Elem::Row { inner, count: Atom::int(0), elem: Box::new(self.empty_elem(&a.elem)) }
            }
            terrace_ir::core::Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    /// At each point of `inner` one of several values, copied.
    pub(super) fn merge(
        &mut self,
        inner: &Context,
        scope: &Scope,
        alternatives: &[Alternative],
        name: &str,
    ) -> Result<Elem> {
        self.merge_as(inner, scope, alternatives, name, None)
    }

    /// The same, with rows that the form says are equally long.
    pub(super) fn merge_as(
        &mut self,
        inner: &Context,
        scope: &Scope,
        alternatives: &[Alternative],
        name: &str,
        form: Option<&Form>,
    ) -> Result<Elem> {
        match &alternatives[0].1 {
            Rep::Scalar(_, ty) => {
                let ty = *ty;
                let v = self.column_value(name, ty, size_of(inner.total()));
                self.bound_local(v, inner);
                self.op(scope, inner, vec![v], OpKind::Map { rows: None }, |s, scope| {
                    Ok(vec![s.chosen(alternatives, ty, scope)?])
                })?;
                Ok(Elem::Scalar(v, ty))
            }
            Rep::Tuple(parts) => {
                let parts = (0..parts.len()).map(|k| {
                    let part: Vec<Alternative> = alternatives
                        .iter()
                        .map(|(cond, rep)| match rep {
                            Rep::Tuple(parts) => (cond.clone(), parts[k].clone()),
                            _ => unreachable!("alternatives have one type"),
                        })
                        .collect();
                    let form = match form {
                        Some(Form::Tuple(forms)) => forms.get(k),
                        _ => None,
                    };
                    self.merge_as(inner, scope, &part, name, form)
                });
                Ok(Elem::Tuple(parts.collect::<Result<_>>()?))
            }
            Rep::Array(_) if self.level != Level::Grid => self.limit("an array of arrays inside sequential code"),
            Rep::Array(_) => {
                let arrays: Vec<(Option<Ix>, Arr)> = alternatives
                    .iter()
                    .map(|(cond, rep)| match rep {
                        Rep::Array(arr) => (cond.clone(), arr.clone()),
                        _ => unreachable!("alternatives have one type"),
                    })
                    .collect();
                if inner.depth() > 0 && arrays.iter().all(|(_, a)| is_uniform(&Rep::Array(a.clone()))) {
                    return self.merge_outside(inner, scope, &arrays, name, form);
                }
                let below = match form {
                    Some(Form::Array(_, elem)) => Some(&**elem),
                    _ => None,
                };
                if let Some(len) = self.one_length(inner, scope, &arrays, form)? {
                    let row = counted(Ix::Atom(len));
                    let deeper = self.iterate(inner, scope, &row)?;
                    let items = self.items(&arrays, inner.depth());
                    let elem = self.merge_as(&deeper, scope, &items, name, below)?;
                    return Ok(Elem::Row { inner: Inner::Regular(len), count: deeper.total(), elem: Box::new(elem) });
                }
                let lens: Vec<Alternative> = arrays
                    .iter()
                    .map(|(cond, arr)| (cond.clone(), Rep::Scalar(arr.len.clone(), ScalarType::I64)))
                    .collect();
                let Elem::Scalar(len, _) = self.merge(inner, scope, &lens, "len")? else {
                    unreachable!("a length is a scalar")
                };
                // Each alternative comes with its total in this context.
                let totals = arrays.iter().map(|(_, a)| a.total.clone());
                let bound = totals.reduce(|a, b| a.zip(b).map(|(a, b)| a + b)).flatten();
                let len = Ix::read(len, inner.position());
                let row = Arr { total: bound, ..counted(len) };
                let deeper = self.iterate(inner, scope, &row)?;
                let items = self.items(&arrays, inner.depth());
                let elem = self.merge_as(&deeper, scope, &items, name, below)?;
                let Some(Descriptor::Irregular { off, .. }) = deeper.space.last() else {
                    unreachable!("lengths in a column are not uniform")
                };
                Ok(Elem::Row { inner: Inner::Packed(*off), count: deeper.total(), elem: Box::new(elem) })
            }
        }
    }

    fn items(&self, arrays: &[(Option<Ix>, Arr)], level: usize) -> Vec<Alternative> {
        let item = |arr: &Arr| self.item(arr, &Ix::Index(level), None, None);
        arrays.iter().map(|(cond, arr)| (cond.clone(), item(arr))).collect()
    }

    /// The length that all alternatives have at all points, if there is one.
    fn one_length(
        &mut self,
        inner: &Context,
        scope: &Scope,
        arrays: &[(Option<Ix>, Arr)],
        form: Option<&Form>,
    ) -> Result<Option<Atom>> {
        if !self.options.regularity || !scope.positions.is_empty() {
            return Ok(None);
        }
        let lens: Option<Vec<Atom>> = arrays.iter().map(|(_, a)| a.len.uniform()).collect();
        if let Some(lens) = lens
            && lens.iter().all(|l| self.known(*l) == self.known(lens[0]))
        {
            return Ok(Some(lens[0]));
        }
        match form {
            Some(Form::Array(how, _)) if how.is_regular() => {
                let lens = arrays.iter().map(|(c, a)| (c.clone(), Rep::Scalar(a.len.clone(), ScalarType::I64)));
                let lens: Vec<Alternative> = lens.collect();
                let Elem::Scalar(len, _) = self.merge(inner, scope, &lens, "len")? else {
                    unreachable!("a length is a scalar")
                };
                Ok(Some(self.at_any(&Ix::read(len, inner.position()), ScalarType::I64, inner, scope)?))
            }
            _ => Ok(None),
        }
    }

    /// A choice between arrays that are the same at every point: rows of one base that has each of them once, not copies at every point.
    fn merge_outside(
        &mut self,
        inner: &Context,
        scope: &Scope,
        arrays: &[(Option<Ix>, Arr)],
        name: &str,
        form: Option<&Form>,
    ) -> Result<Elem> {
        // Without points nothing has made sure that a slice lies within its array.
        let any = Ix::Binary(BinOp::Min, Box::new(Ix::Atom(inner.total())), Box::new(Ix::int(1)));
        let there = |(_, arr): &(Option<Ix>, Arr)| {
            let arr = within_base(arr);
            let len = arr.len.clone().mul(any.clone());
            Arr { len, dim: None, ..arr }
        };
        let parts: Vec<Arr> = arrays.iter().map(there).collect();
        let Rep::Array(all) = self.concat(&parts, name, None, &Self::host(), &Scope::default())? else {
            unreachable!("arrays in a row are an array")
        };
        let (mut starts, mut lens): (Vec<Alternative>, Vec<Alternative>) = (Vec::new(), Vec::new());
        let mut before = Ix::int(0);
        for (cond, arr) in arrays {
            starts.push((cond.clone(), Rep::Scalar(before.clone(), ScalarType::I64)));
            lens.push((cond.clone(), Rep::Scalar(arr.len.clone(), ScalarType::I64)));
            before = before.add(within_base(arr).len);
        }
        if let (Some(len), Elem::Scalar(start, _)) =
            (self.one_length(inner, scope, arrays, form)?, self.merge(inner, scope, &starts, "start")?)
        {
            return Ok(Elem::Row { inner: Inner::Rows { start, len }, count: all.count, elem: Box::new(all.elem) });
        }
        let (start, len) = (self.merge(inner, scope, &starts, "start")?, self.merge(inner, scope, &lens, "len")?);
        let (Elem::Scalar(start, _), Elem::Scalar(len, _)) = (start, len) else {
            unreachable!("starts and lengths are scalars")
        };
        Ok(Elem::Row { inner: Inner::Views { start, len }, count: all.count, elem: Box::new(all.elem) })
    }

    fn chosen(&mut self, alternatives: &[Alternative], ty: ScalarType, scope: &Scope) -> Result<Atom> {
        let Some(((cond, rep), rest)) = alternatives.split_first() else {
            unreachable!("there is always a last alternative")
        };
        let Rep::Scalar(ix, _) = rep else { unreachable!("asked for scalars only") };
        let Some(cond) = cond else { return Ok(self.ix(ix, scope)) };
        let cond = self.ix(cond, scope);
        let then = self.body(|s| Ok(vec![s.ix(ix, scope)]))?;
        let otherwise = self.body(|s| Ok(vec![s.chosen(rest, ty, scope)?]))?;
        let v = self.scalar_value("chosen", ty);
        self.push(vec![v], flat::Expr::If { cond, then, otherwise });
        Ok(v.into())
    }
}

/// What there is of an array that is the same at every point. Where no point takes the branch that made it, its length was computed all
/// the same, but its base may have fewer elements, or none; where some point did, this is the array itself.
fn within_base(arr: &Arr) -> Arr {
    if arr.start.is_zero() && arr.len == Ix::Atom(arr.count) {
        return arr.clone();
    }
    let of = |op, a: Ix, b: Ix| Ix::Binary(op, Box::new(a), Box::new(b));
    let start = if arr.start.is_zero() { Ix::int(0) } else { of(BinOp::Max, arr.start.clone(), Ix::int(0)) };
    let rest = Ix::Atom(arr.count).sub(start.clone());
    let len = of(BinOp::Max, of(BinOp::Min, arr.len.clone(), rest), Ix::int(0));
    Arr { start, len, dim: None, ..arr.clone() }
}

/// An array of which only the length matters.
fn counted(len: Ix) -> Arr {
    Arr { start: Ix::int(-1), len, dim: None, count: Atom::int(0), total: None, elem: Elem::Tuple(Vec::new()) }
}
