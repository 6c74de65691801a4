//! `flatten`, `partition_by` and `reshape`: the same elements in other rows.
//!
//! Packed rows stand one after the other, so these change descriptors and no element:
//!
//! ```text
//! flatten       rows off[q] … off[q + 1], elements from start on      elements off[start] … off[start + len]
//! partition     elements, sizes                                        rows of `off`, the scanned sizes
//! reshape       n * m elements                                         rows of m, from q * m on
//! ```
//!
//! Rows that are views of something else are packed first; that is one copy of what is viewed, never a search for the row that an element is in.
//! In parallel code all of it happens at every point of the context at once, with recipes for starts and lengths.
//!
//! Declined: arrays of arrays that exist for one thread only.

use super::build::{Scope, size_of};
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_ir::core::Expr;
use terrace_ir::flat::{Descriptor, Level};
use terrace_ir::{Atom, ValueId};

impl Flattener<'_> {
    /// What an expression that only regroups elements gives; nothing for others.
    pub(super) fn regrouped(
        &mut self,
        expr: &Expr,
        name: &str,
        env: &Env,
        cx: &Context,
        scope: &Scope,
    ) -> Result<Option<Rep>> {
        let arr = match expr {
            Expr::Flatten(rows) => {
                let rows = self.array(*rows, env);
                self.flattened(&rows, name, cx, scope)?
            }
            Expr::Partition { sizes, array } => {
                let (sizes, array) = (self.array(*sizes, env), self.array(*array, env));
                self.partitioned(&sizes, &array, name, cx, scope)?
            }
            Expr::Reshape { array, dims } => {
                let array = self.array(*array, env);
                let dims: Vec<Ix> = dims.iter().map(|d| self.length_recipe(*d, env)).collect();
                self.reshaped(&array, &dims, name, cx, scope)?
            }
            _ => return Ok(None),
        };
        let rep = Rep::Array(arr);
        Ok(Some(if cx.depth() == 0 { self.force(rep, scope) } else { rep }))
    }

    fn length_recipe(&self, atom: Atom, env: &Env) -> Ix {
        match self.rep(atom, env) {
            Rep::Scalar(ix, _) => ix,
            _ => unreachable!("the verifier of Core wants a scalar here"),
        }
    }

    /// Whether the elements of all points stand one after the other, in order.
    fn is_packed(&self, arr: &Arr, cx: &Context) -> bool {
        if matches!(arr.elem, Elem::Zip(_)) {
            return false;
        }
        let here = cx.position();
        if cx.depth() == 0 {
            return arr.start.is_zero();
        }
        let off = arr.dim.as_ref().filter(|d| d.depth == cx.depth()).and_then(|d| match &d.descriptor {
            Descriptor::Irregular { off, .. } => Some(*off),
            _ => None,
        });
        let by_offsets = off.is_some_and(|off| {
            arr.start == Ix::read(off, here.clone()) && arr.len == Inner::Packed(off).len(here.clone())
        });
        by_offsets || arr.len.uniform().is_some_and(|m| arr.start == here.mul(Ix::Atom(m)))
    }

    /// The same array, its elements one after the other.
    fn packed_elements(&mut self, arr: &Arr, name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        if self.is_packed(arr, cx) {
            return Ok(arr.clone());
        }
        let level = cx.depth() + scope.positions.len();
        let inner = self.iterate(cx, scope, arr)?;
        let item = self.item_in(&inner, arr, level);
        let elem = self.stored(&inner, scope, &item, name)?;
        Ok(self.collected(cx, &inner, elem))
    }

    fn flattened(&mut self, rows: &Arr, name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        let Elem::Row { inner, count, elem } = &rows.elem else { unreachable!("rows are arrays") };
        let start = rows.start.clone();
        let whole = start.is_zero() && rows.len == Ix::Atom(rows.count);
        let (from, len) = match inner {
            _ if !inner.is_packed() => {
                let packed = self.with_packed_rows(rows, name, cx, scope)?;
                return self.flattened(&packed, name, cx, scope);
            }
            Inner::Packed(off) if whole && self.has_rows_of(*off, rows.count) => {
                (Ix::int(0), Ix::Atom(self.fun.totals.get(off).copied().expect("offsets have a total")))
            }
            Inner::Regular(m) => {
                let len = match rows.len.uniform() {
                    Some(n) => Ix::Atom(self.host_product(n, *m)),
                    None => rows.len.clone().mul(Ix::Atom(*m)),
                };
                (inner.start(start), len)
            }
            _ => {
                let end = inner.start(start.clone().add(rows.len.clone()));
                let from = if start.is_zero() { Ix::int(0) } else { inner.start(start) };
                (from.clone(), end.sub(from))
            }
        };
        // Rows that stand there once have no more elements than their base; a view may have one row many times.
        let once = cx.depth() == 0 || self.is_packed(rows, cx);
        let total = if once { self.bound_of(*count) } else { None };
        Ok(Arr { start: from, len, dim: None, count: *count, total, elem: (**elem).clone() })
    }

    /// Whether offsets are for so many rows and no more, and their total is known.
    fn has_rows_of(&self, off: ValueId, rows: Atom) -> bool {
        self.fun.totals.contains_key(&off) && self.has_length(off, &(size_of(rows) + 1))
    }

    /// The same rows, one after the other.
    fn with_packed_rows(&mut self, rows: &Arr, name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        if self.level != Level::Grid {
            return self.limit("an array of arrays inside sequential code");
        }
        let level = cx.depth() + scope.positions.len();
        let inner = self.iterate(cx, scope, rows)?;
        let Rep::Array(row) = self.item_in(&inner, rows, level) else { unreachable!("rows are arrays") };
        let deeper = self.iterate(&inner, scope, &row)?;
        let item = self.item_in(&deeper, &row, level + 1);
        let elem = self.stored(&deeper, scope, &item, name)?;
        let row = self.collected(&inner, &deeper, elem);
        let elem = self.stored(&inner, scope, &Rep::Array(row), name)?;
        Ok(self.collected(cx, &inner, elem))
    }

    fn partitioned(&mut self, sizes: &Arr, array: &Arr, name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        if self.level != Level::Grid {
            return self.limit("an array of arrays inside sequential code");
        }
        let array = self.unzipped(cx, array, name)?;
        let level = cx.depth() + scope.positions.len();
        let inner = self.iterate(cx, scope, sizes)?;
        let Rep::Scalar(size, _) = self.item_in(&inner, sizes, level) else { unreachable!("sizes are numbers") };
        let total = self.total_bound(&array, cx);
        let (off, _) = self.offsets(&inner, &size, total.clone())?;
        let at = inner.position();
        let here = Ix::read(off, at.clone());
        let start = match self.is_packed(&array, cx) {
            true => here,
            false => {
                let first = Ix::read(off, self.packed_start(&inner));
                array.start.clone().add(here.sub(first))
            }
        };
        let len = Inner::Packed(off).len(at);
        let row = Arr { start, len, dim: None, count: array.count, total, elem: array.elem };
        let elem = self.stored(&inner, scope, &Rep::Array(row), name)?;
        Ok(self.collected(cx, &inner, elem))
    }

    fn reshaped(&mut self, array: &Arr, dims: &[Ix], name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        let uniform: Option<Vec<Atom>> = dims.iter().map(|d| self.uniform_length(d, cx, scope)).collect();
        let Some(dims) = uniform.filter(|_| cx.depth() == 0 || self.level == Level::Grid) else {
            return self.cut(array, dims, name, cx, scope);
        };
        let array = self.packed_elements(array, name, cx, scope)?;
        let mut counts = vec![match cx.depth() {
            0 => dims[0],
            _ => self.host_product(cx.total(), dims[0]),
        }];
        for (k, d) in dims.iter().enumerate().skip(1) {
            counts.push(self.host_product(counts[k - 1], *d));
        }
        let last = dims.len() - 1;
        let mut elem = array.elem;
        for k in (1..dims.len()).rev() {
            let count = if k == last { array.count } else { counts[k] };
            elem = Elem::Row { inner: Inner::Regular(dims[k]), count, elem: Box::new(elem) };
        }
        let total = self.bound_of(counts[0]);
        let start = cx.position().mul(Ix::Atom(dims[0]));
        Ok(Arr { start, len: Ix::Atom(dims[0]), dim: None, count: counts[0], total, elem })
    }

    /// A length that is the same at all points.
    fn uniform_length(&mut self, len: &Ix, cx: &Context, scope: &Scope) -> Option<Atom> {
        match cx.depth() {
            0 => Some(self.ix(len, scope)),
            _ => len.uniform().filter(|_| self.options.regularity),
        }
    }

    /// Rows of different lengths at different points, as views.
    fn cut(&mut self, array: &Arr, dims: &[Ix], name: &str, cx: &Context, scope: &Scope) -> Result<Arr> {
        let array = self.unzipped(cx, array, name)?;
        let level = cx.depth() + scope.positions.len();
        let rows = Arr { start: Ix::int(0), len: dims[0].clone(), dim: None, ..array.clone() };
        let inner = self.iterate(cx, scope, &rows)?;
        let len = dims[1..].iter().cloned().reduce(Ix::mul).expect("two lengths or more");
        let start = array.start.clone().add(Ix::Index(level).mul(len.clone()));
        let row = Arr { start, len, dim: None, ..array };
        let rep = match &dims[1..] {
            [_] => Rep::Array(row),
            more => Rep::Array(self.cut(&row, more, name, &inner, scope)?),
        };
        let elem = self.stored(&inner, scope, &rep, name)?;
        Ok(self.collected(cx, &inner, elem))
    }
}
