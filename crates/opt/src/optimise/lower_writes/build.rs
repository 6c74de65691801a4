//! Writing Flat at the host level: fresh values, operators over spaces that exist, the number of their points.

use terrace_algebra::{Atom as SizeAtom, Size, SizeFun, sum};
use terrace_base::{BinOp, IdVec, ScalarType, Span, UnOp, ordinal_type};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, ScanForm, Space, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// Statements that stand in for an operator.
pub(super) struct Writer<'a> {
    pub(super) values: &'a mut IdVec<ValueId, Value>,
    pub(super) stmts: Vec<Stmt>,
    pub(super) span: Span,
}

/// The indices and positions of an operator.
pub(super) struct Point {
    pub(super) indices: Vec<ValueId>,
    pub(super) positions: Vec<ValueId>,
}

impl Point {
    pub(super) fn index(&self) -> Atom {
        self.indices.last().copied().expect("a dimension").into()
    }

    pub(super) fn position(&self) -> Atom {
        self.positions.last().copied().expect("a dimension").into()
    }
}

pub(super) fn size_of(atom: Atom) -> Size {
    match atom {
        Atom::Var(v) => Size::var(size_var(v)),
        Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
    }
}

impl<'a> Writer<'a> {
    pub(super) fn new(values: &'a mut IdVec<ValueId, Value>, span: Span) -> Writer<'a> {
        Writer { values, stmts: Vec::new(), span }
    }

    pub(super) fn value(&mut self, name: &str, ty: Type, bound: Option<Size>) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty, bound, at: () })
    }

    pub(super) fn scalar(&mut self, name: &str, ty: ScalarType) -> ValueId {
        self.value(name, Type::Scalar(ty), None)
    }

    pub(super) fn int(&mut self, name: &str) -> ValueId {
        self.scalar(name, ScalarType::I64)
    }

    /// A column as long as another one.
    pub(super) fn column_like(&mut self, name: &str, elem: ScalarType, like: ValueId) -> ValueId {
        let Value { ty, bound, .. } = self.values[like].clone();
        let Type::Column { length, .. } = ty else { unreachable!("a column is as long as a column") };
        self.value(name, Type::Column { elem, length }, bound)
    }

    /// A column of so many elements.
    pub(super) fn column(&mut self, name: &str, elem: ScalarType, count: Atom) -> ValueId {
        let bound = count.var().and_then(|v| self.values[v].bound.clone());
        self.value(name, Type::Column { elem, length: size_of(count) }, bound)
    }

    pub(super) fn elem(&self, v: ValueId) -> ScalarType {
        self.values[v].ty.elem().expect("a scalar or a column")
    }

    fn type_of(&self, atom: Atom) -> ScalarType {
        match atom {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.elem(v),
        }
    }

    pub(super) fn push(&mut self, binds: Vec<ValueId>, expr: Expr) {
        self.stmts.push(Stmt { binds, expr, span: self.span });
    }

    pub(super) fn bind(&mut self, name: &str, ty: ScalarType, expr: Expr) -> Atom {
        let v = self.scalar(name, ty);
        self.push(vec![v], expr);
        v.into()
    }

    pub(super) fn binary(&mut self, name: &str, op: BinOp, a: Atom, b: Atom) -> Atom {
        if let (Atom::Const(x), Atom::Const(y)) = (a, b)
            && let Some(c) = op.try_apply(x, y)
        {
            return Atom::Const(c);
        }
        let of = self.type_of(a);
        self.bind(name, op.result_type(of).unwrap_or(of), Expr::Binary(op, a, b))
    }

    pub(super) fn read(&mut self, name: &str, column: ValueId, at: Atom) -> Atom {
        let ty = self.elem(column);
        self.bind(name, ty, Expr::Read { column, at })
    }

    /// What `f` writes, as a body of its own.
    pub(super) fn body(&mut self, f: impl FnOnce(&mut Self) -> Vec<Atom>) -> Body {
        let around = std::mem::take(&mut self.stmts);
        let results = f(self);
        Body { stmts: std::mem::replace(&mut self.stmts, around), results }
    }

    /// One of two scalars.
    pub(super) fn choose(
        &mut self,
        name: &str,
        ty: ScalarType,
        cond: Atom,
        then: impl FnOnce(&mut Self) -> Atom,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        let then = self.body(|w| vec![then(w)]);
        let otherwise = self.body(|w| vec![otherwise(w)]);
        self.bind(name, ty, Expr::If { cond, then, otherwise })
    }

    /// An operator over the points that another one has.
    pub(super) fn over(
        &mut self,
        like: &Op,
        kind: OpKind,
        binds: Vec<ValueId>,
        f: impl FnOnce(&mut Self, &Point) -> Vec<Atom>,
    ) {
        let mut fresh = |from: &[ValueId]| -> Vec<ValueId> {
            from.iter().map(|v| self.values.push(self.values[*v].clone())).collect()
        };
        let point = Point { indices: fresh(&like.indices), positions: fresh(&like.positions) };
        self.operator(like.level, like.space.clone(), point, kind, binds, f);
    }

    /// An operator over a space of its own.
    pub(super) fn over_space(
        &mut self,
        level: Level,
        space: Space,
        kind: OpKind,
        binds: Vec<ValueId>,
        f: impl FnOnce(&mut Self, &Point) -> Vec<Atom>,
    ) {
        let point = Point {
            indices: space.iter().map(|_| self.int("i")).collect(),
            positions: space.iter().map(|_| self.int("p")).collect(),
        };
        for (descriptor, position) in space.iter().take(1).zip(&point.positions) {
            if let Descriptor::Regular(Atom::Var(n)) = descriptor {
                self.values[*position].bound = self.values[*n].bound.clone().map(|b| b - 1);
            }
        }
        self.operator(level, space, point, kind, binds, f);
    }

    fn operator(
        &mut self,
        level: Level,
        space: Space,
        point: Point,
        kind: OpKind,
        binds: Vec<ValueId>,
        f: impl FnOnce(&mut Self, &Point) -> Vec<Atom>,
    ) {
        let body = self.body(|w| f(w, &point));
        let Point { indices, positions } = point;
        self.push(binds, Expr::Op(Box::new(Op { level, space, indices, positions, body, kind })));
    }

    /// The operator that is one operation on scalars.
    pub(super) fn combining(&mut self, op: BinOp, ty: ScalarType) -> Operator {
        let (a, b) = (self.scalar("a", ty), self.scalar("b", ty));
        let body = self.body(|w| vec![w.binary("c", op, a.into(), b.into())]);
        Operator { left: vec![a], right: vec![b], body }
    }

    /// The scanned numbers in a column of `count`, and their total at the end.
    pub(super) fn offsets(&mut self, level: Level, numbers: ValueId, count: Atom) -> ValueId {
        let bound = count.var().and_then(|v| self.values[v].bound.clone()).map(|b| b + 1);
        let off = self.value("off", Type::Column { elem: ScalarType::I64, length: size_of(count) + 1 }, bound);
        let operator = self.combining(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Scan { operator, neutral: vec![Atom::int(0)], form: ScanForm::Offsets };
        let line = Space::from([Descriptor::Regular(count)]);
        self.over_space(level, line, kind, vec![off], |w, point| vec![w.read("n", numbers, point.position())]);
        off
    }

    /// The results of an operator's body, each as a column over its points. A column that the body only reads, at its own
    /// position, is taken as it is. Fresh columns are as long as `length` says.
    pub(super) fn columns_of(&mut self, op: Op, length: &Size, bound: Option<Size>) -> Vec<ValueId> {
        let own = op.positions.last().copied().map(Atom::Var);
        let existing = |result: &Atom| {
            let v = result.var()?;
            op.body.stmts.iter().find_map(|s| match &s.expr {
                Expr::Read { column, at } if s.binds == [v] && Some(*at) == own => Some(*column),
                _ => None,
            })
        };
        let found: Vec<Option<ValueId>> = op.body.results.iter().map(existing).collect();
        let (mut binds, mut results, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for (result, found) in op.body.results.iter().zip(found) {
            out.push(found.unwrap_or_else(|| {
                let elem = self.type_of(*result);
                let v = self.value("x", Type::Column { elem, length: length.clone() }, bound.clone());
                binds.push(v);
                results.push(*result);
                v
            }));
        }
        let body = Body { stmts: op.body.stmts, results };
        let op = Op { body, kind: OpKind::Map { rows: None }, ..op };
        if !binds.is_empty() || terrace_ir::flat::visit::has_checks(&op.body) {
            self.push(binds, Expr::Op(Box::new(op)));
        }
        out
    }

    /// How long the row of the last dimension is that a point stands in.
    pub(super) fn row_length(&mut self, space: &Space, indices: &[ValueId], positions: &[ValueId]) -> Atom {
        let last = space.len() - 1;
        match &space[last] {
            Descriptor::Regular(n) => *n,
            Descriptor::Closed { around, length } => {
                let here = length.substitute_all(&|var| {
                    let d = around.iter().position(|v| size_var(*v) == var)?;
                    Some(Size::var(size_var(indices[d])))
                });
                self.bind("len", ScalarType::I64, Expr::Size(here))
            }
            Descriptor::PerAncestor { depth, lengths, .. } => self.read("len", *lengths, positions[depth - 1].into()),
            Descriptor::Irregular { off, .. } => {
                let row: Atom = last.checked_sub(1).map_or(Atom::int(0), |d| positions[d].into());
                let from = self.read("from", *off, row);
                let next = self.binary("next", BinOp::Add, row, Atom::int(1));
                let to = self.read("to", *off, next);
                self.binary("len", BinOp::Sub, to, from)
            }
        }
    }

    /// The number of points of a space.
    pub(super) fn points(&mut self, space: &[Descriptor], positions: &[ValueId]) -> Atom {
        let Some((last, outer)) = space.split_last() else { return Atom::int(1) };
        let rows = |w: &mut Self, depth: usize| w.points(&space[..depth], &positions[..depth]);
        let bound = self.values[positions[outer.len()]].bound.clone().map(|b| b + 1);
        let (name, expr) = match last {
            Descriptor::Regular(n) if outer.is_empty() => return *n,
            Descriptor::Regular(n) => ("points", Expr::Binary(BinOp::Mul, rows(self, outer.len()), *n)),
            Descriptor::Irregular { off, .. } => ("total", Expr::Read { column: *off, at: rows(self, outer.len()) }),
            Descriptor::PerAncestor { depth, base, .. } => {
                ("total", Expr::Read { column: *base, at: rows(self, *depth) })
            }
            Descriptor::Closed { around, length } => {
                let mut total = length.clone();
                for (d, index) in around.iter().enumerate().rev() {
                    let Descriptor::Regular(n) = &space[d] else {
                        return self.counted(space, positions);
                    };
                    total = sum(size_var(*index), &size_of(*n), &total);
                }
                for dimension in &space[around.len()..outer.len()] {
                    let Descriptor::Regular(n) = dimension else { return self.counted(space, positions) };
                    total = total * size_of(*n);
                }
                ("total", Expr::Size(total))
            }
        };
        let v = self.int(name);
        self.values[v].bound = bound;
        self.push(vec![v], expr);
        v.into()
    }

    /// The number of points, by adding the lengths of all rows.
    fn counted(&mut self, space: &[Descriptor], positions: &[ValueId]) -> Atom {
        let outer = space[..space.len() - 1].to_vec();
        let rows = self.points(&outer, &positions[..outer.len()]);
        let lengths = self.column("len", ScalarType::I64, rows);
        self.over_space(Level::Grid, outer, OpKind::Map { rows: None }, vec![lengths], |w, point| {
            vec![w.row_length(&space.to_vec(), &point.indices, &point.positions)]
        });
        let operator = self.combining(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false };
        let total = self.int("total");
        let line = Space::from([Descriptor::Regular(rows)]);
        self.over_space(Level::Grid, line, kind, vec![total], |w, point| vec![w.read("n", lengths, point.position())]);
        total.into()
    }

    /// How many elements a column has.
    pub(super) fn length_of(&mut self, column: ValueId) -> Atom {
        let Value { ty: Type::Column { length, .. }, bound, .. } = self.values[column].clone() else {
            unreachable!("a column has a length")
        };
        let mut size = length;
        // Where a length is an element of a column, it is read there.
        let applied: Vec<(SizeFun, Size)> = size
            .atoms()
            .into_iter()
            .filter_map(|a| match a {
                SizeAtom::Apply { fun, args } => args.first().map(|at| (*fun, at.clone())),
                _ => None,
            })
            .collect();
        for (fun, at) in applied {
            let index = self.atom_of(&at);
            let v = self.read("length", ValueId::new(fun.0 as usize), index);
            size = size.substitute_funs(&|f, args| (f == fun && args == [at.clone()]).then(|| size_of(v)));
        }
        let atom = self.atom_of(&size);
        if let Atom::Var(v) = atom
            && self.values[v].bound.is_none()
            && size.as_var().is_none()
        {
            self.values[v].bound = bound;
        }
        atom
    }

    fn atom_of(&mut self, size: &Size) -> Atom {
        match (size.as_constant(), size.as_var()) {
            (Some(c), _) => Atom::int(c),
            (_, Some(v)) => value_of(v).into(),
            _ => self.bind("n", ScalarType::I64, Expr::Size(size.clone())),
        }
    }

    /// `a` stands strictly before `b` in the total order.
    pub(super) fn precedes(&mut self, a: Atom, b: Atom) -> Atom {
        let ty = self.type_of(a);
        if !ty.is_float() {
            return self.binary("less", BinOp::Lt, a, b);
        }
        let place = |w: &mut Self, x: Atom| match x {
            Atom::Const(c) => Atom::Const(UnOp::Ordinal.apply(c)),
            x => w.bind("place", ordinal_type(ty), Expr::Unary(UnOp::Ordinal, x)),
        };
        let (a, b) = (place(self, a), place(self, b));
        self.binary("before", BinOp::Lt, a, b)
    }
}
