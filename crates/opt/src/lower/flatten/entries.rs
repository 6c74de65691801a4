//! Entries: parameters and results in the layouts of `plan::layout`.
//!
//! ```text
//! rows : [][]f64         rows_len, rows_off : i64[rows_len + 1], rows_count, rows : f64[rows_count]
//! grid : [n][m]f64       grid_len, grid_row_len, grid : f64[grid_len * grid_row_len]
//! ```
//!
//! Every length is a scalar of its own, known to the host. Rows that leave an entry are packed.

use super::build::{Scope, size_of};
use super::rep::{Arr, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::core::{self, ArrayType, Expr, StmtKind};
use terrace_ir::flat;
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::layout::{DimLayout, Layout};

impl Flattener<'_> {
    /// The parameters of an entry.
    #[allow(clippy::type_complexity)]
    pub(super) fn entry_params(&mut self, function: &core::Function) -> Result<(Vec<ValueId>, Vec<Layout>, Env)> {
        let (mut params, mut layouts, mut env) = (Vec::new(), Vec::new(), Env::new());
        for param in &function.params {
            let info = &function.values[*param];
            let first = params.len();
            let mut reader = EntryReader { function, param: *param, params: &mut params, first };
            let (rep, layout) = match &info.ty {
                core::Type::Array(a) => {
                    let n = self.entry_scalar(&mut reader, &format!("{}_len", info.name));
                    let (elem, layout) = self.entry_elem(&mut reader, a, n.into(), size_of(n.into()), 0, &info.name)?;
                    let arr = Arr {
                        start: Ix::int(0),
                        len: Ix::Atom(n.into()),
                        dim: None,
                        count: n.into(),
                        total: None,
                        elem,
                    };
                    (Rep::Array(arr), Layout::Array(DimLayout::Length, Box::new(layout)))
                }
                other => self.entry_flat(&mut reader, other, &info.name)?,
            };
            layouts.push(layout);
            env.insert(*param, rep);
        }
        Ok((params, layouts, env))
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
                let (elem, layout) = self.entry_elem(reader, a, n.into(), size_of(n.into()), 0, name)?;
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
        reader.params.push(v);
        v
    }

    /// The elements of an array of type `ty` that has `n` of them, `depth` dimensions inside. `length` is `n` over parameters.
    fn entry_elem(
        &mut self,
        reader: &mut EntryReader<'_>,
        ty: &ArrayType,
        n: Atom,
        length: Size,
        depth: usize,
        name: &str,
    ) -> Result<(Elem, Layout)> {
        self.entry_base(reader, &ty.elem, ty.position, (n, length), depth, name)
    }

    fn entry_base(
        &mut self,
        reader: &mut EntryReader<'_>,
        ty: &core::Type,
        position: Option<SizeVar>,
        (n, length): (Atom, Size),
        depth: usize,
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
                    .map(|t| self.entry_base(reader, t, position, (n, length.clone()), depth, name))
                    .collect::<Result<_>>()?;
                let (elems, layouts) = parts.into_iter().unzip();
                Ok((Elem::Tuple(elems), Layout::Tuple(layouts)))
            }
            core::Type::Array(a) => {
                let (inner, count, total, dim) = match &a.length {
                    None => {
                        let off = self.column_value(&format!("{name}_off"), ScalarType::I64, length + 1);
                        reader.params.push(off);
                        let count = self.entry_scalar(reader, &format!("{name}_count"));
                        self.fun.totals.insert(off, count.into());
                        let total = size_of(count.into());
                        (Inner::Packed(off), Atom::Var(count), total, DimLayout::Irregular { packed: true })
                    }
                    Some(row) if !row.funs().is_empty() => return self.limit("a size function of an entry"),
                    Some(row) if position.is_some_and(|p| row.vars().contains(&p)) => {
                        self.entry_closed(reader, row, position, n, depth)?
                    }
                    Some(_) => {
                        let m = self.entry_scalar(reader, &format!("{name}_row_len"));
                        let count = self.binary("count", BinOp::Mul, n, m.into());
                        if let Atom::Var(v) = count {
                            self.fun.host_known.insert(v);
                        }
                        (Inner::Regular(m.into()), count, length * size_of(m.into()), DimLayout::Length)
                    }
                };
                let (elem, layout) = self.entry_elem(reader, a, count, total, depth + 1, name)?;
                Ok((Elem::Row { inner, count, elem: Box::new(elem) }, Layout::Array(dim, Box::new(layout))))
            }
            core::Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    /// A dimension whose lengths are a function of the position.
    fn entry_closed(
        &mut self,
        reader: &mut EntryReader<'_>,
        length: &Size,
        position: Option<SizeVar>,
        n: Atom,
        depth: usize,
    ) -> Result<(Inner, Atom, Size, DimLayout)> {
        let index = self.scalar_value("i", ScalarType::I64);
        let var = size_var(index);
        let first = reader.params[reader.first];
        if depth > 0 {
            return self.limit("a row length that depends on a position further out");
        }
        let rename = |to_index: Size, to_length: Size| {
            length.substitute_all(&|v| match v {
                v if Some(v) == position => Some(to_index.clone()),
                v if reader.is_length_of_this(v) => Some(to_length.clone()),
                _ => None,
            })
        };
        let len = rename(Size::var(var), size_of(first.into()));
        let layout = rename(Size::var(SizeVar(depth as u32)), Size::var(SizeVar(100)));
        let known = length.vars().iter().all(|v| Some(*v) == position || reader.is_length_of_this(*v));
        if !known {
            return self.limit("a row length that depends on another parameter");
        }
        let start = terrace_algebra::sum(var, &Size::var(var), &len);
        let total = terrace_algebra::sum(var, &size_of(n), &len);
        let count = self.scalar_value("count", ScalarType::I64);
        self.push(vec![count], flat::Expr::Size(total.clone()));
        self.fun.host_known.insert(count);
        Ok((Inner::Closed { var, start, len }, count.into(), total, DimLayout::Closed(layout)))
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
                Layout::Array(DimLayout::Length, Box::new(self.result_base(&arr.elem, n, out)?))
            }
        })
    }

    fn result_base(&mut self, elem: &Elem, n: Atom, out: &mut Vec<Atom>) -> Result<Layout> {
        Ok(match elem {
            Elem::Scalar(column, ty) => {
                out.push((*column).into());
                Layout::Scalar(*ty)
            }
            Elem::Tuple(parts) => {
                Layout::Tuple(parts.iter().map(|p| self.result_base(p, n, out)).collect::<Result<_>>()?)
            }
            Elem::Zip(_) => unreachable!("zipped arrays were given one base"),
            Elem::Row { inner: Inner::Packed(off), count, elem } => {
                out.push((*off).into());
                out.push(*count);
                let elem = self.result_base(elem, *count, out)?;
                Layout::Array(DimLayout::Irregular { packed: true }, Box::new(elem))
            }
            Elem::Row { inner: Inner::Regular(m), count, elem } => {
                out.push(*m);
                Layout::Array(DimLayout::Length, Box::new(self.result_base(elem, *count, out)?))
            }
            Elem::Row { .. } => {
                let line = Self::line(n);
                let row = self.element(elem, &Ix::Position(0), None);
                let packed = self.merge(&line, &Scope::default(), &[(None, row)], "x")?;
                self.result_base(&packed, n, out)?
            }
        })
    }
}

struct EntryReader<'f> {
    function: &'f core::Function,
    param: ValueId,
    params: &'f mut Vec<ValueId>,
    first: usize,
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
