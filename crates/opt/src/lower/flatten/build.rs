//! Emitting Flat: values, statements and operators of the function being built.

use super::Flattener;
use super::formulas::index_of;
use super::rep::{Arr, Context, Dim, Elem, Inner, Ix, Rep};
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, ScanForm, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// The indices and positions of the operator body that is being written; empty at the host level.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) indices: Vec<ValueId>,
    pub(super) positions: Vec<ValueId>,
}

/// The size that an integer operand is.
pub(super) fn size_of(atom: Atom) -> Size {
    match atom {
        Atom::Var(v) => Size::var(size_var(v)),
        Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
    }
}

impl Flattener<'_> {
    pub(super) fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.fun.values.push(Value { name: name.to_string(), ty, bound: None, at: () })
    }

    pub(super) fn scalar_value(&mut self, name: &str, ty: ScalarType) -> ValueId {
        self.value(name, Type::Scalar(ty))
    }

    pub(super) fn column_value(&mut self, name: &str, elem: ScalarType, length: Size) -> ValueId {
        self.value(name, Type::Column { elem, length })
    }

    pub(super) fn set_bound(&mut self, v: ValueId, bound: Option<Size>) {
        self.fun.values[v].bound = bound;
    }

    pub(super) fn push(&mut self, binds: Vec<ValueId>, expr: Expr) {
        let span = self.span;
        self.fun.stmts.last_mut().expect("a body is being written").push(Stmt { binds, expr, span });
    }

    /// Runs `f` and collects the statements that it emits into a body of their own.
    pub(super) fn body(&mut self, f: impl FnOnce(&mut Self) -> super::Result<Vec<Atom>>) -> super::Result<Body> {
        self.fun.stmts.push(Vec::new());
        let results = f(self);
        let stmts = self.fun.stmts.pop().expect("pushed above");
        Ok(Body { stmts, results: results? })
    }

    pub(super) fn let_scalar(&mut self, name: &str, ty: ScalarType, expr: Expr) -> Atom {
        let v = self.scalar_value(name, ty);
        self.push(vec![v], expr);
        Atom::Var(v)
    }

    pub(super) fn binary(&mut self, name: &str, op: BinOp, a: Atom, b: Atom) -> Atom {
        let of = self.scalar_type(a);
        let ty = op.result_type(of).unwrap_or(of);
        if let (Atom::Const(x), Atom::Const(y)) = (a, b)
            && let Some(c) = op.try_apply(x, y)
        {
            return Atom::Const(c);
        }
        self.let_scalar(name, ty, Expr::Binary(op, a, b))
    }

    pub(super) fn scalar_type(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.fun.values[v].ty.elem().expect("a scalar or a column"),
        }
    }

    /// An upper bound of an integer over values that the host knows, if there is one.
    pub(super) fn bound_of(&self, atom: Atom) -> Option<Size> {
        match atom {
            // Bounds are multiplied.
            Atom::Const(c) => Some(Size::constant(c.as_i64().unwrap_or(0).max(0))),
            Atom::Var(v) => {
                self.fun.values[v].bound.clone().or_else(|| self.fun.host_known.contains(&v).then(|| size_of(atom)))
            }
        }
    }

    fn expanded(&self, size: &Size) -> Size {
        size.substitute_all(&|v| self.fun.known.get(&value_of(v)).cloned())
    }

    /// What an integer of the host is, over integers of which no more is known.
    pub(super) fn known(&self, atom: Atom) -> Size {
        atom.var().and_then(|v| self.fun.known.get(&v)).cloned().unwrap_or_else(|| size_of(atom))
    }

    /// The scalar that a recipe gives.
    pub(super) fn ix(&mut self, ix: &Ix, scope: &Scope) -> Atom {
        match ix {
            Ix::Atom(a) => *a,
            Ix::Position(d) => Atom::Var(scope.positions[*d]),
            Ix::Index(d) => Atom::Var(scope.indices[*d]),
            Ix::Read(column, at) => {
                let at = self.ix(at, scope);
                let ty = self.fun.values[*column].ty.elem().expect("a column");
                let name = self.fun.values[*column].name.clone();
                self.let_scalar(&name, ty, Expr::Read { column: *column, at })
            }
            Ix::Binary(op, a, b) => {
                let (a, b) = (self.ix(a, scope), self.ix(b, scope));
                let v = self.binary("k", *op, a, b);
                if scope.positions.is_empty()
                    && let Atom::Var(id) = v
                {
                    self.note_host_arithmetic(id, *op, a, b);
                }
                v
            }
            Ix::Closed(size, vars) => {
                let known: BTreeMap<_, _> = vars.iter().map(|(v, at)| (*v, size_of(self.ix(at, scope)))).collect();
                let size = size.substitute_all(&|v| match index_of(v) {
                    Some(d) => Some(size_of(scope.indices[d].into())),
                    None => known.get(&v).cloned(),
                });
                match size.as_constant() {
                    Some(c) => Atom::int(c),
                    None => {
                        let hosts = |v: &SizeVar| self.fun.host_known.contains(&value_of(*v));
                        let host_known = scope.positions.is_empty() && size.vars().iter().all(hosts);
                        let k = self.scalar_value("k", ScalarType::I64);
                        self.push(vec![k], Expr::Size(size.clone()));
                        if host_known {
                            self.fun.host_known.insert(k);
                        }
                        if scope.positions.is_empty() {
                            self.fun.known.insert(k, size);
                        }
                        k.into()
                    }
                }
            }
        }
    }

    /// What host-level arithmetic on sizes is known by: the host, or a bound.
    pub(super) fn note_host_arithmetic(&mut self, v: ValueId, op: BinOp, a: Atom, b: Atom) {
        let known = |x: Atom, s: &Self| match x {
            Atom::Const(_) => true,
            Atom::Var(v) => s.fun.host_known.contains(&v),
        };
        let (x, y) = (self.known(a), self.known(b));
        let size = match op {
            BinOp::Add => Some(x + y),
            BinOp::Sub => Some(x - y),
            BinOp::Mul => Some(x * y),
            _ => None,
        };
        self.fun.known.extend(size.filter(|_| self.scalar_type(a) == ScalarType::I64).map(|size| (v, size)));
        if known(a, self) && known(b, self) {
            self.fun.host_known.insert(v);
        } else if let (Some(x), Some(y)) = (self.bound_of(a), self.bound_of(b)) {
            let bound = match op {
                BinOp::Add => Some(x + y),
                BinOp::Mul => Some(x * y),
                BinOp::Min => Some(x.minimum(&y)),
                BinOp::Max => Some(x.maximum(&y)),
                _ => None,
            };
            self.set_bound(v, bound);
        }
    }

    /// An operator over the points of `cx`; `f` writes the body and gives its results.
    pub(super) fn op(
        &mut self,
        around: &Scope,
        cx: &Context,
        binds: Vec<ValueId>,
        kind: OpKind,
        f: impl FnOnce(&mut Self, &Scope) -> super::Result<Vec<Atom>>,
    ) -> super::Result<()> {
        let own = self.scope(cx.depth());
        for (position, total) in own.positions.iter().zip(&cx.totals) {
            // How a launch knows the number of points without asking the device.
            let last = self.bound_of(*total).map(|total| total - 1);
            self.set_bound(*position, last);
        }
        let mut scope = around.clone();
        scope.indices.extend(&own.indices);
        scope.positions.extend(&own.positions);
        let level = std::mem::replace(&mut self.level, Level::Thread);
        let body = self.body(|s| f(s, &scope));
        self.level = level;
        let op =
            Op { level, space: cx.space.clone(), indices: own.indices, positions: own.positions, body: body?, kind };
        self.push(binds, Expr::Op(Box::new(op)));
        Ok(())
    }

    pub(super) fn scope(&mut self, depth: usize) -> Scope {
        const NAMES: [&str; 4] = ["i", "j", "k", "l"];
        let indices = (0..depth).map(|d| self.scalar_value(NAMES[d.min(3)], ScalarType::I64)).collect();
        let positions =
            (0..depth).map(|d| self.scalar_value(if d + 1 == depth { "q" } else { "p" }, ScalarType::I64)).collect();
        Scope { indices, positions }
    }

    /// A column of what a recipe gives at every point.
    pub(super) fn column(&mut self, cx: &Context, ix: &Ix, ty: ScalarType, name: &str) -> super::Result<ValueId> {
        let existing = cx.depth().checked_sub(1).and_then(|level| ix.column_at(level));
        if let Some(c) = existing.filter(|c| self.has_length(*c, &size_of(cx.total()))) {
            return Ok(c);
        }
        let v = self.column_value(name, ty, size_of(cx.total()));
        self.op(&Scope::default(), cx, vec![v], OpKind::Map { rows: None }, |s, scope| Ok(vec![s.ix(ix, scope)]))?;
        Ok(v)
    }

    pub(super) fn has_length(&self, column: ValueId, wanted: &Size) -> bool {
        matches!(&self.fun.values[column].ty, Type::Column { length, .. }
            if length == wanted || self.expanded(length) == self.expanded(wanted))
    }

    /// The operator that is one scalar operation.
    pub(super) fn operator(&mut self, op: BinOp, ty: ScalarType) -> Operator {
        let left = self.scalar_value("a", ty);
        let right = self.scalar_value("b", ty);
        let both = self.scalar_value("c", op.result_type(ty).unwrap_or(ty));
        let stmt = Stmt { binds: vec![both], expr: Expr::Binary(op, left.into(), right.into()), span: Span::none() };
        Operator { left: vec![left], right: vec![right], body: Body { stmts: vec![stmt], results: vec![both.into()] } }
    }

    /// Scanned lengths and their total, of what `len` gives at every point.
    pub(super) fn offsets(&mut self, cx: &Context, len: &Ix, bound: Option<Size>) -> super::Result<(ValueId, Atom)> {
        let key = (cx.space.clone(), len.clone());
        if let Some((_, off, total)) = self.fun.offsets.iter().find(|(k, ..)| *k == key) {
            return Ok((*off, *total));
        }
        if let Some(known) = self.offsets_behind(cx, len) {
            return Ok(known);
        }
        let total = cx.total();
        let (line, len) = match cx.depth() {
            1 => (cx.clone(), len.clone()),
            _ => {
                let lens = self.column(cx, len, ScalarType::I64, "len")?;
                let line = Context { space: vec![Descriptor::Regular(total)], totals: vec![total] };
                (line, Ix::read(lens, Ix::Position(0)))
            }
        };
        let off = self.column_value("off", ScalarType::I64, size_of(total) + 1);
        let operator = self.operator(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Scan { operator, neutral: vec![Atom::int(0)], form: ScanForm::Offsets };
        self.op(&Scope::default(), &line, vec![off], kind, |s, scope| Ok(vec![s.ix(&len, scope)]))?;
        let sum = self.scalar_value("total", ScalarType::I64);
        self.push(vec![sum], Expr::Read { column: off, at: total });
        self.set_bound(sum, bound);
        self.fun.offsets.push((key, off, sum.into()));
        self.fun.totals.insert(off, sum.into());
        Ok((off, sum.into()))
    }

    /// The offsets whose differences these lengths are, all of them and in order: new rows as long as old ones lie as the old ones do.
    fn offsets_behind(&self, cx: &Context, len: &Ix) -> Option<(ValueId, Atom)> {
        let own = Ix::Position(cx.depth().checked_sub(1)?);
        let Ix::Binary(BinOp::Sub, _, start) = len else { return None };
        let Ix::Read(off, _) = **start else { return None };
        let is_all = Inner::Packed(off).len(own) == *len && self.has_length(off, &(size_of(cx.total()) + 1));
        self.fun.totals.get(&off).copied().filter(|_| is_all).map(|total| (off, total))
    }

    /// The element of a base at position `q`. Where the points of a space of `aligned` dimensions are the elements of the
    /// base in order, its rows bring their dimension along.
    pub(super) fn element(&self, elem: &Elem, q: &Ix, aligned: Option<usize>) -> Rep {
        match elem {
            Elem::Scalar(column, ty) => Rep::Scalar(Ix::read(*column, q.clone()), *ty),
            Elem::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.element(p, q, aligned)).collect()),
            Elem::Zip(_) => unreachable!("zipped arrays are taken apart by item"),
            Elem::Row { inner, count, elem } => {
                let descriptor = match (inner, aligned) {
                    (Inner::Packed(off), Some(_)) => Some(Descriptor::Irregular { off: *off, start: None }),
                    _ => None,
                };
                Rep::Array(Arr {
                    start: inner.start(q.clone()),
                    len: inner.len(q.clone()),
                    dim: aligned.zip(descriptor).map(|(depth, descriptor)| Dim { depth, descriptor }),
                    count: *count,
                    total: aligned.and_then(|_| self.base_total(inner, *count)),
                    elem: (**elem).clone(),
                })
            }
        }
    }

    /// A bound of the elements of rows of which no two points have the same: those of their base.
    fn base_total(&self, inner: &Inner, count: Atom) -> Option<Size> {
        match inner {
            Inner::Rows { .. } | Inner::Views { .. } => None,
            _ => self.bound_of(count),
        }
    }

    /// Elements of a base of which no two points have the same, with the bound that follows.
    pub(super) fn no_two_alike(&self, rep: Rep, elem: &Elem) -> Rep {
        match (rep, elem) {
            (Rep::Array(arr), Elem::Row { inner, count, .. }) => {
                Rep::Array(Arr { total: self.base_total(inner, *count), ..arr })
            }
            (Rep::Tuple(parts), Elem::Tuple(elems)) => {
                Rep::Tuple(parts.into_iter().zip(elems).map(|(p, e)| self.no_two_alike(p, e)).collect())
            }
            (rep, _) => rep,
        }
    }

    /// Element `j` of an array; `at` is its position in the base where that is known.
    pub(super) fn item(&self, arr: &Arr, j: &Ix, at: Option<&Ix>, aligned: Option<usize>) -> Rep {
        if let Elem::Zip(arrays) = &arr.elem {
            return Rep::Tuple(arrays.iter().map(|a| self.item(a, j, None, None)).collect());
        }
        let q = at.cloned().unwrap_or_else(|| arr.start.clone().add(j.clone()));
        self.element(&arr.elem, &q, aligned)
    }
}
