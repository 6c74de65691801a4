//! Borders: where values cross into another body or function, and must have an agreed form.
//!
//! The form depends on the type alone ([`Shape`]). At the host an array is its length and its base from the start on; per
//! point of a context it is two columns, starts and lengths, the number of elements of its base, and the base, so a view stays
//! a view. Entries have the layouts of `plan::layout`: rows that leave an entry are packed.

use super::build::{Scope, size_of};
use super::rep::{Arr, Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::core::{self, ArrayType, Expr, StmtKind};
use terrace_ir::flat::{self, Level};
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::layout::{DimLayout, Layout};

/// A type without sizes: all that the form of a value at a border depends on.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Scalar(ScalarType),
    Tuple(Vec<Shape>),
    Array(Box<Shape>),
}

impl Shape {
    pub(super) fn of_type(ty: &core::Type) -> Shape {
        match ty {
            core::Type::Scalar(s) => Shape::Scalar(*s),
            core::Type::Tuple(ts) => Shape::Tuple(ts.iter().map(Shape::of_type).collect()),
            core::Type::Array(a) => Shape::Array(Box::new(Shape::of_type(&a.elem))),
            core::Type::Sum(_) => unreachable!("refused before translation"),
        }
    }

    fn of_elem(elem: &Elem) -> Shape {
        match elem {
            Elem::Scalar(_, s) => Shape::Scalar(*s),
            Elem::Tuple(parts) => Shape::Tuple(parts.iter().map(Shape::of_elem).collect()),
            Elem::Row { elem, .. } => Shape::Array(Box::new(Shape::of_elem(elem))),
            Elem::Zip(arrays) => Shape::Tuple(arrays.iter().map(|a| Shape::of_elem(&a.elem)).collect()),
        }
    }

    pub(super) fn of(rep: &Rep) -> Shape {
        match rep {
            Rep::Scalar(_, s) => Shape::Scalar(*s),
            Rep::Tuple(parts) => Shape::Tuple(parts.iter().map(Shape::of).collect()),
            Rep::Array(arr) => Shape::Array(Box::new(Shape::of_elem(&arr.elem))),
        }
    }
}

impl Flattener<'_> {
    /// The scalars and columns that a value is at a border.
    pub(super) fn border(&mut self, rep: &Rep, cx: &Context, scope: &Scope) -> Result<(Vec<Atom>, Shape)> {
        let mut leaves = Vec::new();
        self.border_leaves(rep, cx, scope, &mut leaves)?;
        Ok((leaves, Shape::of(rep)))
    }

    fn border_leaves(&mut self, rep: &Rep, cx: &Context, scope: &Scope, out: &mut Vec<Atom>) -> Result<()> {
        match rep {
            Rep::Scalar(ix, ty) => out.push(match cx.depth() {
                0 => self.ix(ix, scope),
                _ => self.column(cx, ix, *ty, "x")?.into(),
            }),
            Rep::Tuple(parts) => return parts.iter().try_for_each(|p| self.border_leaves(p, cx, scope, out)),
            Rep::Array(_) if self.level != Level::Grid => {
                return self.limit("an array that leaves a branch or loop of sequential code");
            }
            Rep::Array(arr) if cx.depth() == 0 => {
                let arr = self.whole(arr)?;
                out.push(arr.count);
                self.base_leaves(&arr.elem, arr.count, out)?;
            }
            Rep::Array(arr) => {
                let arr = self.unzipped(cx, arr, "x")?;
                out.push(self.column(cx, &arr.start, ScalarType::I64, "start")?.into());
                out.push(self.column(cx, &arr.len, ScalarType::I64, "len")?.into());
                out.push(arr.count);
                self.base_leaves(&arr.elem, arr.count, out)?;
            }
        }
        Ok(())
    }

    fn base_leaves(&mut self, elem: &Elem, count: Atom, out: &mut Vec<Atom>) -> Result<()> {
        match elem {
            Elem::Scalar(column, _) => out.push((*column).into()),
            Elem::Tuple(parts) => return parts.iter().try_for_each(|p| self.base_leaves(p, count, out)),
            Elem::Zip(_) => unreachable!("zipped arrays were given one base"),
            Elem::Row { inner, count: below, elem } => {
                let line = Self::line(count);
                let at = Ix::Position(0);
                out.push(self.column(&line, &inner.start(at.clone()), ScalarType::I64, "start")?.into());
                out.push(self.column(&line, &inner.len(at), ScalarType::I64, "len")?.into());
                out.push(*below);
                self.base_leaves(elem, *below, out)?;
            }
        }
        Ok(())
    }

    /// An array at the host that is its whole base.
    fn whole(&mut self, arr: &Arr) -> Result<Arr> {
        let arr = self.unzipped(&Self::host(), arr, "x")?;
        if arr.start.is_zero() && arr.len == Ix::Atom(arr.count) {
            return Ok(arr);
        }
        let host = Self::host();
        let scope = Scope::default();
        let inner = self.iterate(&host, &scope, &arr)?;
        let item = self.item(&arr, &Ix::Index(0), None, None);
        let elem = self.stored(&inner, &scope, &item, "x")?;
        Ok(self.collected(&host, &inner, elem))
    }

    /// Fresh values for what crosses a border, and the value that they make up.
    pub(super) fn fresh_border(&mut self, shape: &Shape, cx: &Context) -> (Vec<ValueId>, Rep) {
        let mut binds = Vec::new();
        self.fresh_leaves(shape, cx, &mut binds);
        let leaves: Vec<Atom> = binds.iter().map(|v| Atom::Var(*v)).collect();
        let rep = self.rep_at(shape, &leaves, cx, &cx.position());
        (binds, rep)
    }

    fn fresh_leaves(&mut self, shape: &Shape, cx: &Context, out: &mut Vec<ValueId>) {
        let points = size_of(cx.total());
        match shape {
            Shape::Scalar(s) if cx.depth() == 0 => out.push(self.scalar_value("x", *s)),
            Shape::Scalar(s) => out.push(self.column_value("x", *s, points)),
            Shape::Tuple(parts) => parts.iter().for_each(|p| self.fresh_leaves(p, cx, out)),
            Shape::Array(elem) => {
                if cx.depth() > 0 {
                    out.push(self.column_value("start", ScalarType::I64, points.clone()));
                    out.push(self.column_value("len", ScalarType::I64, points));
                }
                let count = self.scalar_value("count", ScalarType::I64);
                out.push(count);
                self.fresh_base(elem, size_of(count.into()), out);
            }
        }
    }

    fn fresh_base(&mut self, shape: &Shape, count: Size, out: &mut Vec<ValueId>) {
        match shape {
            Shape::Scalar(s) => out.push(self.column_value("x", *s, count)),
            Shape::Tuple(parts) => parts.iter().for_each(|p| self.fresh_base(p, count.clone(), out)),
            Shape::Array(elem) => {
                out.push(self.column_value("start", ScalarType::I64, count.clone()));
                out.push(self.column_value("len", ScalarType::I64, count));
                let below = self.scalar_value("count", ScalarType::I64);
                out.push(below);
                self.fresh_base(elem, size_of(below.into()), out);
            }
        }
    }

    /// The value that crossed a border as `leaves`, at position `at` of them.
    pub(super) fn rep_at(&self, shape: &Shape, leaves: &[Atom], cx: &Context, at: &Ix) -> Rep {
        self.rep_from(shape, &mut leaves.iter().copied(), cx, at)
    }

    fn rep_from(&self, shape: &Shape, leaves: &mut dyn Iterator<Item = Atom>, cx: &Context, at: &Ix) -> Rep {
        let mut next = || leaves.next().expect("as many leaves as the shape has");
        match shape {
            Shape::Scalar(s) if cx.depth() == 0 => Rep::Scalar(Ix::Atom(next()), *s),
            Shape::Scalar(s) => Rep::Scalar(Ix::read(column(next()), at.clone()), *s),
            Shape::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.rep_from(p, leaves, cx, at)).collect()),
            Shape::Array(elem) => {
                let (start, len) = match cx.depth() {
                    0 => (Ix::int(0), None),
                    _ => (Ix::read(column(next()), at.clone()), Some(Ix::read(column(next()), at.clone()))),
                };
                let count = next();
                let elem = base_from(elem, leaves);
                let len = len.unwrap_or(Ix::Atom(count));
                Rep::Array(Arr { start, len, dim: None, count, total: None, elem })
            }
        }
    }

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
            core::Type::Sum(_) => unreachable!("refused before translation"),
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
            core::Type::Sum(_) => unreachable!("refused before translation"),
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

fn column(atom: Atom) -> ValueId {
    atom.var().expect("a column is a value")
}

fn base_from(shape: &Shape, leaves: &mut dyn Iterator<Item = Atom>) -> Elem {
    let mut next = || leaves.next().expect("as many leaves as the shape has");
    match shape {
        Shape::Scalar(s) => Elem::Scalar(column(next()), *s),
        Shape::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| base_from(p, leaves)).collect()),
        Shape::Array(elem) => {
            let inner = Inner::Views { start: column(next()), len: column(next()) };
            let count = next();
            Elem::Row { inner, count, elem: Box::new(base_from(elem, leaves)) }
        }
    }
}
