//! Entries: parameters and results in the layouts of `plan::layout`.
//!
//! ```text
//! rows : [][]f64         rows_len, rows_off : i64[rows_len + 1], rows_count, rows : f64[rows_count]
//! grid : [n][m]f64       grid_len, grid_row_len, grid : f64[grid_len * grid_row_len]
//! ```
//!
//! Every length is a scalar of its own, known to the host. Rows that leave an entry are packed.

use super::build::{Scope, size_of};
use super::entry_sizes::StatedSizes;
use super::formulas::{ROW, by_row, index_var};
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use crate::analysis::closed;
use terrace_algebra::{Size, SizeVar, sum};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::core::{self, Expr, StmtKind};
use terrace_ir::flat::Descriptor;
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::layout::{DimLayout, Layout};

impl Flattener<'_> {
    /// The parameters of an entry, and the columns among them that it consumes.
    #[allow(clippy::type_complexity)]
    pub(super) fn entry_params(
        &mut self,
        function: &core::Function,
    ) -> Result<(Vec<ValueId>, Vec<ValueId>, Vec<Layout>, Env)> {
        let (mut params, mut layouts, mut env) = (Vec::new(), Vec::new(), Env::new());
        let (mut owned, mut stated) = (Vec::new(), StatedSizes::default());
        for (param, consumed) in function.params.iter().zip(&function.consumed) {
            let info = &function.values[*param];
            let first = params.len();
            let mut reader = EntryReader { function, param: *param, params: &mut params, first, stated: &mut stated };
            let (rep, layout) = self.entry_flat(&mut reader, &info.ty, &info.name)?;
            if let Rep::Scalar(Ix::Atom(n), ScalarType::I64) = rep {
                stated.is(size_var(*param), n);
            }
            layouts.push(layout);
            let columns = params[first..].iter().filter(|v| self.fun.values[**v].ty.is_column());
            owned.extend(columns.filter(|_| *consumed));
            env.insert(*param, rep);
        }
        self.check_stated(stated);
        Ok((params, owned, layouts, env))
    }

    fn entry_flat(&mut self, reader: &mut EntryReader<'_>, ty: &core::Type, name: &str) -> Result<(Rep, Layout)> {
        Ok(match ty {
            core::Type::Scalar(s) => {
                let v = self.scalar_value(name, *s);
                self.fun.host_known.insert(v);
                reader.params.push(v);
                (Rep::Scalar(Ix::Atom(v.into()), *s), Layout::Scalar(*s))
            }
            core::Type::Tuple(ts) => {
                let parts: Vec<_> = ts.iter().map(|t| self.entry_flat(reader, t, name)).collect::<Result<_>>()?;
                let (reps, layouts) = parts.into_iter().unzip();
                (Rep::Tuple(reps), Layout::Tuple(layouts))
            }
            core::Type::Array(a) => {
                let n = self.entry_scalar(reader, &format!("{name}_len"));
                if let Some(size) = &a.length {
                    reader.stated.outermost(size, n.into());
                }
                let mut around = Around::of(n, a.position);
                let (elem, layout) =
                    self.entry_base(reader, &a.elem, &mut around, n.into(), size_of(n.into()), name)?;
                let len = Ix::Atom(n.into());
                let arr = Arr { start: Ix::int(0), len, dim: None, count: n.into(), total: None, elem };
                (Rep::Array(arr), Layout::Array(DimLayout::Length, Box::new(layout)))
            }
            core::Type::Sum(_) => unreachable!("enums were spelled out"),
        })
    }

    fn entry_scalar(&mut self, reader: &mut EntryReader<'_>, name: &str) -> ValueId {
        let v = self.scalar_value(name, ScalarType::I64);
        self.fun.host_known.insert(v);
        self.fun.lengths.insert(v);
        reader.params.push(v);
        v
    }

    /// The elements of an array that has `n` of them, over parameters `length`, below the dimensions `around`.
    fn entry_base(
        &mut self,
        reader: &mut EntryReader<'_>,
        ty: &core::Type,
        around: &mut Around,
        n: Atom,
        length: Size,
        name: &str,
    ) -> Result<(Elem, Layout)> {
        match ty {
            core::Type::Scalar(s) => {
                let v = self.column_value(name, *s, length);
                reader.params.push(v);
                Ok((Elem::Scalar(v, *s), Layout::Scalar(*s)))
            }
            core::Type::Tuple(ts) => {
                let parts: Vec<_> = ts
                    .iter()
                    .map(|t| self.entry_base(reader, t, &mut around.clone(), n, length.clone(), name))
                    .collect::<Result<_>>()?;
                let (elems, layouts) = parts.into_iter().unzip();
                Ok((Elem::Tuple(elems), Layout::Tuple(layouts)))
            }
            core::Type::Array(a) => {
                let by_position = |row: &Size| around.positions.iter().flatten().any(|p| row.vars().contains(p));
                let (inner, count, total, dim) = match &a.length {
                    Some(row) if !row.funs().is_empty() => return self.limit("a size function of an entry"),
                    Some(row) if by_position(row) => self.entry_closed(reader, row, around)?,
                    Some(row) => {
                        let m = self.entry_scalar(reader, &format!("{name}_row_len"));
                        reader.stated.rows(name, row, m.into(), n, around.positions.len());
                        let count = self.host_product(n, m.into());
                        let product = length * size_of(m.into());
                        if let Atom::Var(v) = count {
                            self.fun.known.insert(v, product.clone());
                        }
                        around.cx.space.push(Descriptor::Regular(m.into()));
                        (Inner::Regular(m.into()), count, product, DimLayout::Length)
                    }
                    None => {
                        let off = self.column_value(&format!("{name}_off"), ScalarType::I64, length + 1);
                        reader.params.push(off);
                        let count = self.entry_scalar(reader, &format!("{name}_count"));
                        self.fun.totals.insert(off, count.into());
                        around.cx.space.push(Descriptor::Irregular { off, start: None });
                        let total = size_of(count.into());
                        (Inner::Packed(off), Atom::Var(count), total, DimLayout::Irregular { packed: true })
                    }
                };
                around.cx.totals.push(count);
                around.positions.push(a.position);
                let (elem, layout) = self.entry_base(reader, &a.elem, around, count, total, name)?;
                Ok((Elem::Row { inner, count, elem: Box::new(elem) }, Layout::Array(dim, Box::new(layout))))
            }
            core::Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    /// A dimension whose lengths are a function of the positions around.
    fn entry_closed(
        &mut self,
        reader: &EntryReader<'_>,
        length: &Size,
        around: &mut Around,
    ) -> Result<(Inner, Atom, Size, DimLayout)> {
        let first = reader.params[reader.first];
        let rename = |to_index: &dyn Fn(usize) -> SizeVar, to_length: Size| {
            length.substitute_all(&|v| match around.positions.iter().position(|p| *p == Some(v)) {
                Some(d) => Some(Size::var(to_index(d))),
                None => reader.is_length_of_this(v).then(|| to_length.clone()),
            })
        };
        let len = rename(&index_var, size_of(first.into()));
        let layout = rename(&|d| SizeVar(d as u32), Size::var(SizeVar(100)));
        let known = |v: &SizeVar| around.positions.contains(&Some(*v)) || reader.is_length_of_this(*v);
        if !length.vars().iter().all(known) {
            return self.limit("a row length that depends on another parameter");
        }
        let len = Ix::closed(&len, Vec::new());
        let Some((descriptor, count)) = self.closed_dimension(&around.cx, &len) else {
            return self.limit("a row length that depends on the positions of rows of any length");
        };
        around.cx.space.push(descriptor);
        let total = self.known(count);
        let start = closed::start(&around.cx.space, &index_var).expect("a closed dimension has closed starts");
        let inner = if around.cx.space.len() == 2 {
            let len = len.as_size().expect("a closed length");
            Inner::Closed { var: ROW, start: by_row(&start), len: by_row(&len) }
        } else {
            // A row of rows is found by several indices: where only its position is known, these are looked up.
            let cx =
                Context { space: around.cx.space[..around.cx.totals.len()].to_vec(), totals: around.cx.totals.clone() };
            let start = self.column(&cx, &Ix::closed(&start, Vec::new()), ScalarType::I64, "start")?;
            Inner::Views { start, len: self.column(&cx, &len, ScalarType::I64, "len")? }
        };
        Ok((inner, count, total, DimLayout::Closed(layout)))
    }

    /// The results of an entry; rows are packed.
    pub(super) fn entry_result(&mut self, rep: &Rep) -> Result<(Vec<Atom>, Layout)> {
        let mut leaves = Vec::new();
        let layout = self.result_leaves(rep, &mut leaves)?;
        Ok((leaves, layout))
    }

    fn result_leaves(&mut self, rep: &Rep, out: &mut Vec<Atom>) -> Result<Layout> {
        Ok(match rep {
            Rep::Scalar(ix, ty) => {
                out.push(self.ix(ix, &Scope::default()));
                Layout::Scalar(*ty)
            }
            Rep::Tuple(parts) => {
                Layout::Tuple(parts.iter().map(|p| self.result_leaves(p, out)).collect::<Result<_>>()?)
            }
            Rep::Array(arr) => {
                let arr = self.whole(arr)?;
                let n = self.ix(&arr.len.clone(), &Scope::default());
                out.push(n);
                let slot = Some(out.len() - 1);
                Layout::Array(DimLayout::Length, Box::new(self.result_base(&arr.elem, n, slot, out)?))
            }
        })
    }

    /// The elements of `n` rows. Rows with a formula leave as one only where `slot` says which leaf is the number of rows: of the outermost
    /// dimension, since the formula speaks of the number of a row among all, and below another dimension nobody counts those.
    fn result_base(&mut self, elem: &Elem, n: Atom, slot: Option<usize>, out: &mut Vec<Atom>) -> Result<Layout> {
        Ok(match elem {
            Elem::Scalar(column, ty) => {
                out.push((*column).into());
                Layout::Scalar(*ty)
            }
            Elem::Tuple(parts) => {
                Layout::Tuple(parts.iter().map(|p| self.result_base(p, n, slot, out)).collect::<Result<_>>()?)
            }
            Elem::Zip(_) => unreachable!("zipped arrays were given one base"),
            Elem::Row { inner: Inner::Packed(off), count, elem } => {
                out.push((*off).into());
                out.push(*count);
                let elem = self.result_base(elem, *count, None, out)?;
                Layout::Array(DimLayout::Irregular { packed: true }, Box::new(elem))
            }
            Elem::Row { inner: Inner::Regular(m), count, elem } => {
                let m = self.row_length(*m);
                out.push(m);
                Layout::Array(DimLayout::Length, Box::new(self.result_base(elem, *count, None, out)?))
            }
            Elem::Row { inner: Inner::Closed { var, start, len }, count, elem }
                if slot.is_some() && self.is_packed_closed(*var, start, len, n, *count) =>
            {
                let slot = Size::var(SizeVar(100 + slot.unwrap_or(0) as u32));
                let layout = len.substitute_all(&|v| match v {
                    v if v == *var => Some(Size::var(SizeVar(0))),
                    _ => Some(slot.clone()),
                });
                Layout::Array(DimLayout::Closed(layout), Box::new(self.result_base(elem, *count, None, out)?))
            }
            Elem::Row { .. } => {
                let line = Self::line(n);
                let row = self.element(elem, &Ix::Position(0), None);
                let packed = self.merge(&line, &Scope::default(), &[(None, row)], "x")?;
                self.result_base(&packed, n, slot, out)?
            }
        })
    }

    /// The length of rows that leave. Where there are none, nothing has made sure that it is not negative.
    fn row_length(&mut self, m: Atom) -> Atom {
        let fine = match m {
            Atom::Const(c) => c.as_i64().is_some_and(|n| n >= 0),
            Atom::Var(v) => self.fun.lengths.contains(&v),
        };
        if fine { m } else { self.binary("row_len", BinOp::Max, m, Atom::int(0)) }
    }

    /// Whether the rows of `n` elements lie one after the other, and their lengths are a formula over the index and `n` alone.
    fn is_packed_closed(&self, var: SizeVar, start: &Size, len: &Size, n: Atom, count: Atom) -> bool {
        let before = |upto: &Size| sum(var, upto, len);
        let own = n.var().map(size_var);
        len.vars().into_iter().all(|v| v == var || Some(v) == own)
            && *start == before(&Size::var(var))
            && self.known(count) == before(&size_of(n))
    }
}

/// The dimensions around the elements of an entry's array, and the names of the positions in them.
#[derive(Clone)]
struct Around {
    cx: Context,
    positions: Vec<Option<SizeVar>>,
}

impl Around {
    fn of(n: ValueId, position: Option<SizeVar>) -> Around {
        let cx = Context { space: vec![Descriptor::Regular(n.into())], totals: vec![n.into()] };
        Around { cx, positions: vec![position] }
    }
}

struct EntryReader<'f> {
    function: &'f core::Function,
    param: ValueId,
    params: &'f mut Vec<ValueId>,
    first: usize,
    stated: &'f mut StatedSizes,
}

impl EntryReader<'_> {
    /// Whether the size name is bound, in the prologue, to the length of the parameter being read.
    fn is_length_of_this(&self, var: SizeVar) -> bool {
        self.function.body.stmts.iter().any(|s| {
            matches!(&s.kind, StmtKind::Let { value, expr: Expr::Length(Atom::Var(of)), .. }
                if size_var(*value) == var && *of == self.param)
        })
    }
}
