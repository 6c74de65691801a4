//! One operator over rows, in another version.
//!
//! Every version is made from the flat one:
//!
//! ```text
//! flat    reduce grid [n][off] (i, j | p, q) { … }
//! outer   map grid [n] (i | p) { reduce thread [off[p + 1] - off[p]] (j | _) { let q = off[p] + j  … } }
//! block   the same, with `reduce block`
//! seq     reduce thread [n][off] (i, j | p, q) { … }
//! ```
//!
//! A filter of rows in the outer version packs each row into a local array. Its bound is the row's length, so the rows of all
//! threads fit where the old rows were, one after the other, and nothing is allocated per thread; the kept elements are then
//! moved together (Munksgaard's thesis, section 4.6, expands to rows times longest row; this never does).
//!
//! A version that does not exist for an operator is the flat one: `block` exists for reductions of rows, `outer` for
//! reductions, scans, maps and filters over several dimensions, `seq` for everything.

use crate::analysis::closed;
use crate::options::Strategy;
use terrace_algebra::{Assumptions, Size};
use terrace_base::{BinOp, IdVec, ScalarType, Span};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Operator, Rows, ScanForm, Space, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var};

/// Statements under construction.
pub(super) struct Writer<'a> {
    /// The function's values.
    pub values: &'a mut IdVec<ValueId, Value>,
    /// What was written.
    pub out: Vec<Stmt>,
    /// Where it comes from.
    pub span: Span,
}

/// Whether rows that a formula gives lengths lie where the formula says, one after the other. One that may be negative is a length only where its check holds,
/// and in a row of its own a check does not keep other rows from being written.
fn have_places(op: &Op) -> bool {
    let last = op.space.len() - 1;
    let index = |d: usize| size_var(op.indices[d]);
    let length = |d: usize| closed::length(&op.space[d], &index);
    match (&op.space[last], length(last)) {
        (Descriptor::Closed { .. }, Some(own)) => {
            let mut known = Assumptions::new();
            (0..last).for_each(|d| length(d).iter().for_each(|n| known.assume_index(index(d), n)));
            known.prove_le(&Size::zero(), &own).is_yes()
        }
        _ => true,
    }
}

impl Writer<'_> {
    /// Writes an operator in the version that a strategy other than a mixture asks for, or the flat one.
    pub(super) fn version(&mut self, mut op: Op, binds: Vec<ValueId>, strategy: Strategy) {
        let rows = op.space.len() > 1;
        match (strategy, &op.kind) {
            (Strategy::Seq, _) => {
                op.level = Level::Thread;
                self.push(binds, Expr::Op(Box::new(op)));
            }
            (Strategy::Outer, OpKind::Reduce { .. }) if rows => self.reduce_rows(op, binds, Level::Thread),
            (Strategy::Block, OpKind::Reduce { .. }) if rows => self.reduce_rows(op, binds, Level::Block),
            (Strategy::Outer, OpKind::Map { rows: None } | OpKind::Scan { .. })
                if rows && !binds.is_empty() && have_places(&op) =>
            {
                self.map_rows(op, binds);
            }
            (Strategy::Outer, OpKind::Pack) if rows && have_places(&op) => self.pack_rows(op, binds),
            _ => self.push(binds, Expr::Op(Box::new(op))),
        }
    }

    /// Adds a statement.
    pub(super) fn push(&mut self, binds: Vec<ValueId>, expr: Expr) {
        self.out.push(Stmt { binds, expr, span: self.span });
    }

    /// A new value.
    pub(super) fn value(&mut self, name: &str, ty: Type, bound: Option<Size>) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty, bound, at: () })
    }

    /// A new integer.
    pub(super) fn int(&mut self, name: &str) -> ValueId {
        self.value(name, Type::Scalar(ScalarType::I64), None)
    }

    /// A statement that binds one value.
    pub(super) fn stmt(&self, bind: ValueId, expr: Expr) -> Stmt {
        Stmt { binds: vec![bind], expr, span: self.span }
    }

    /// The operator over its last dimension alone, inside a body over the others. `binds` are its results there.
    fn inner(&mut self, op: &Op, level: Level, binds: Vec<ValueId>) -> Vec<Stmt> {
        let outer = op.space.len() - 1;
        let point = op.positions[outer - 1];
        let (start, len) = (self.int("start"), self.int("len"));
        let mut stmts = Vec::new();
        match &op.space[outer] {
            Descriptor::Regular(m) => {
                stmts.push(self.stmt(start, Expr::Binary(BinOp::Mul, point.into(), *m)));
                stmts.push(self.stmt(len, Expr::Atom(*m)));
            }
            dim @ Descriptor::Closed { .. } => {
                let index = |d: usize| size_var(op.indices[d]);
                let before = closed::start(&op.space, &index).expect("rows of closed lengths have closed starts");
                let length = closed::length(dim, &index).expect("a closed length");
                stmts.push(self.stmt(start, Expr::Size(before)));
                stmts.push(self.stmt(len, Expr::Size(length)));
            }
            Descriptor::Irregular { off, .. } => {
                let (next, end) = (self.int("next"), self.int("end"));
                stmts.push(self.stmt(start, Expr::Read { column: *off, at: point.into() }));
                stmts.push(self.stmt(next, Expr::Binary(BinOp::Add, point.into(), Atom::int(1))));
                stmts.push(self.stmt(end, Expr::Read { column: *off, at: next.into() }));
                stmts.push(self.stmt(len, Expr::Binary(BinOp::Sub, end.into(), start.into())));
            }
            Descriptor::PerAncestor { .. } => unreachable!("not made by the flattener"),
        }
        let position = self.int("t");
        let mut body = op.body.clone();
        let here = Expr::Binary(BinOp::Add, start.into(), op.indices[outer].into());
        body.stmts.insert(0, self.stmt(op.positions[outer], here));
        let row = Op {
            level,
            space: Space::from([Descriptor::Regular(len.into())]),
            indices: vec![op.indices[outer]],
            positions: vec![position],
            body,
            kind: op.kind.clone(),
        };
        for b in &binds {
            if self.values[*b].ty.is_column() {
                let length = Size::var(size_var(len));
                self.values[*b].bound = Some(length.clone());
                if !matches!(op.kind, OpKind::Pack) {
                    let elem = self.values[*b].ty.elem().expect("a column");
                    self.values[*b].ty = Type::Column { elem, length };
                }
            }
        }
        stmts.push(Stmt { binds, expr: Expr::Op(Box::new(row)), span: self.span });
        stmts
    }

    fn outer(&mut self, op: &Op, stmts: Vec<Stmt>, results: Vec<Atom>, rows: Option<Rows>, binds: Vec<ValueId>) {
        let dims = op.space.len() - 1;
        let outer = Op {
            level: Level::Grid,
            space: op.space[..dims].to_vec(),
            indices: op.indices[..dims].to_vec(),
            positions: op.positions[..dims].to_vec(),
            body: Body { stmts, results },
            kind: OpKind::Map { rows },
        };
        self.push(binds, Expr::Op(Box::new(outer)));
    }

    fn reduce_rows(&mut self, op: Op, binds: Vec<ValueId>, level: Level) {
        let inside: Vec<ValueId> = binds
            .iter()
            .map(|b| {
                let (name, ty) = (self.values[*b].name.clone(), self.values[*b].ty.elem().expect("a column"));
                self.value(&name, Type::Scalar(ty), None)
            })
            .collect();
        let stmts = self.inner(&op, level, inside.clone());
        self.outer(&op, stmts, inside.into_iter().map(Atom::Var).collect(), None, binds);
    }

    fn local(&mut self, like: ValueId, length: Size) -> ValueId {
        let (name, elem) = (self.values[like].name.clone(), self.values[like].ty.elem().expect("a column"));
        self.value(&name, Type::Column { elem, length }, None)
    }

    fn map_rows(&mut self, op: Op, binds: Vec<ValueId>) {
        let rows = match op.space.last() {
            Some(Descriptor::Regular(length)) => Rows::Apart(*length),
            _ => {
                let points = self.points(&op);
                Rows::From(self.starts(&op, points))
            }
        };
        let inside: Vec<ValueId> = binds.iter().map(|b| self.local(*b, Size::zero())).collect();
        let stmts = self.inner(&op, Level::Thread, inside.clone());
        self.outer(&op, stmts, inside.into_iter().map(Atom::Var).collect(), Some(rows), binds);
    }

    fn pack_rows(&mut self, op: Op, binds: Vec<ValueId>) {
        let (off, columns) = binds.split_first().expect("a pack binds its offsets");
        let Type::Column { length, .. } = self.values[*off].ty.clone() else { unreachable!("offsets are a column") };
        let points = length - 1;
        let rows = self.starts(&op, points.clone());
        let total = self.int("room");
        let at = self.atom_of(&points);
        self.push(vec![total], Expr::Read { column: rows, at });
        self.values[total].bound = self.values[*columns.first().unwrap_or(off)].bound.clone();

        let kept = self.int("kept");
        let mut inside = vec![kept];
        let locals: Vec<ValueId> = columns.iter().map(|c| self.local(*c, Size::var(size_var(kept)))).collect();
        inside.extend(&locals);
        let stmts = self.inner(&op, Level::Thread, inside.clone());
        let count = self.value("kept", Type::Column { elem: ScalarType::I64, length: points.clone() }, None);
        let room = Size::var(size_var(total));
        let mut outer_binds = vec![count];
        let stored: Vec<ValueId> = columns
            .iter()
            .map(|c| {
                let v = self.local(*c, room.clone());
                self.values[v].bound = self.values[*c].bound.clone();
                v
            })
            .collect();
        outer_binds.extend(&stored);
        self.outer(&op, stmts, inside.into_iter().map(Atom::Var).collect(), Some(Rows::From(rows)), outer_binds);
        self.offsets(*off, count, at);
        self.gather(&op, *off, rows, &stored, columns);
    }

    /// `off` becomes the scanned numbers in `count`.
    fn offsets(&mut self, off: ValueId, count: ValueId, points: Atom) {
        let (a, b, c) = (self.int("a"), self.int("b"), self.int("c"));
        let add = self.stmt(c, Expr::Binary(BinOp::Add, a.into(), b.into()));
        let operator =
            Operator { left: vec![a], right: vec![b], body: Body { stmts: vec![add], results: vec![c.into()] } };
        let (i, p, n) = (self.int("i"), self.int("p"), self.int("n"));
        let read = self.stmt(n, Expr::Read { column: count, at: p.into() });
        let scan = Op {
            level: Level::Grid,
            space: Space::from([Descriptor::Regular(points)]),
            indices: vec![i],
            positions: vec![p],
            body: Body { stmts: vec![read], results: vec![n.into()] },
            kind: OpKind::Scan { operator, neutral: vec![Atom::int(0)], form: ScanForm::Offsets },
        };
        self.push(vec![off], Expr::Op(Box::new(scan)));
    }

    /// Moves rows that lie at `rows` together.
    fn gather(&mut self, op: &Op, off: ValueId, rows: ValueId, from: &[ValueId], to: &[ValueId]) {
        if to.is_empty() {
            return;
        }
        let outer = op.space.len() - 1;
        let mut space = op.space[..outer].to_vec();
        space.push(Descriptor::Irregular { off, start: None });
        let indices: Vec<ValueId> = (0..=outer).map(|_| self.int("i")).collect();
        let positions: Vec<ValueId> = (0..=outer).map(|_| self.int("p")).collect();
        let (start, at) = (self.int("start"), self.int("at"));
        let mut stmts = vec![
            self.stmt(start, Expr::Read { column: rows, at: positions[outer - 1].into() }),
            self.stmt(at, Expr::Binary(BinOp::Add, start.into(), indices[outer].into())),
        ];
        let mut results = Vec::new();
        for column in from {
            let elem = self.values[*column].ty.elem().expect("a column");
            let x = self.value("x", Type::Scalar(elem), None);
            stmts.push(self.stmt(x, Expr::Read { column: *column, at: at.into() }));
            results.push(Atom::Var(x));
        }
        let body = Body { stmts, results };
        let map = Op { level: Level::Grid, space, indices, positions, body, kind: OpKind::Map { rows: None } };
        self.push(to.to_vec(), Expr::Op(Box::new(map)));
    }

    /// The number of points of the outer dimensions.
    fn points(&mut self, op: &Op) -> Size {
        let mut size = Size::one();
        let outer = op.space.len() - 1;
        if let Some(size) = closed::count(&op.space[..outer], &|d| size_var(op.indices[d])) {
            return size;
        }
        for (k, dim) in op.space[..outer].iter().enumerate() {
            size = match dim {
                Descriptor::Regular(Atom::Const(c)) => size * c.as_i64().unwrap_or(0),
                Descriptor::Regular(Atom::Var(v)) => size * Size::var(size_var(*v)),
                Descriptor::Closed { .. } => closed::count(&op.space[..=k], &|d| size_var(op.indices[d]))
                    .expect("closed dimensions have closed ones around them"),
                Descriptor::Irregular { off, .. } => {
                    let total = self.int("total");
                    let at = self.atom_of(&size);
                    self.push(vec![total], Expr::Read { column: *off, at });
                    Size::var(size_var(total))
                }
                Descriptor::PerAncestor { .. } => unreachable!("not made by the flattener"),
            };
        }
        size
    }

    /// An operand with the value of a size.
    pub(super) fn atom_of(&mut self, size: &Size) -> Atom {
        if let Some(c) = size.as_constant() {
            return Atom::int(c);
        }
        if let Some(v) = size.as_var() {
            return terrace_ir::value_of(v).into();
        }
        let v = self.int("n");
        self.push(vec![v], Expr::Size(size.clone()));
        v.into()
    }

    /// The lengths of the rows of the last dimension, a closed one, added up one after the other.
    fn scanned_lengths(&mut self, op: &Op, points: Size) -> ValueId {
        let outer = op.space.len() - 1;
        let column = |length: Size| Type::Column { elem: ScalarType::I64, length };
        let lengths = self.value("len", column(points.clone()), None);
        let indices: Vec<ValueId> = (0..outer).map(|_| self.int("i")).collect();
        let positions: Vec<ValueId> = (0..outer).map(|_| self.int("p")).collect();
        let length = closed::length(&op.space[outer], &|d| size_var(indices[d])).expect("a closed length");
        let len = self.int("len");
        let body = Body { stmts: vec![self.stmt(len, Expr::Size(length))], results: vec![len.into()] };
        let space = op.space[..outer].to_vec();
        let map = Op { level: Level::Grid, space, indices, positions, body, kind: OpKind::Map { rows: None } };
        self.push(vec![lengths], Expr::Op(Box::new(map)));
        let n = self.atom_of(&points);
        let (i, p, at) = (self.int("i"), self.int("p"), self.int("len"));
        let (left, right, both) = (self.int("a"), self.int("b"), self.int("c"));
        let add = self.stmt(both, Expr::Binary(BinOp::Add, left.into(), right.into()));
        let body = Body { stmts: vec![add], results: vec![both.into()] };
        let operator = Operator { left: vec![left], right: vec![right], body };
        let read = self.stmt(at, Expr::Read { column: lengths, at: p.into() });
        let scan = Op {
            level: Level::Grid,
            space: Space::from([Descriptor::Regular(n)]),
            indices: vec![i],
            positions: vec![p],
            body: Body { stmts: vec![read], results: vec![at.into()] },
            kind: OpKind::Scan { operator, neutral: vec![Atom::int(0)], form: ScanForm::Offsets },
        };
        let starts = self.value("start", column(points + 1), None);
        self.push(vec![starts], Expr::Op(Box::new(scan)));
        starts
    }

    /// A column with the start of each row of the last dimension, and the total.
    fn starts(&mut self, op: &Op, points: Size) -> ValueId {
        let outer = op.space.len() - 1;
        if let Descriptor::Irregular { off, .. } = &op.space[outer] {
            return *off;
        }
        if outer > 1 && !matches!(op.space[outer], Descriptor::Regular(_)) {
            return self.scanned_lengths(op, points);
        }
        let length = points + 1;
        let n = self.atom_of(&length);
        let starts = self.value("start", Type::Column { elem: ScalarType::I64, length }, None);
        let (i, p, at) = (self.int("i"), self.int("p"), self.int("at"));
        let expr = match &op.space[outer] {
            Descriptor::Regular(m) => Expr::Binary(BinOp::Mul, p.into(), *m),
            Descriptor::Closed { .. } => {
                let before = closed::start(&op.space, &|d| size_var(if d == 0 { p } else { op.indices[d] }));
                Expr::Size(before.expect("rows of closed lengths have closed starts"))
            }
            _ => unreachable!("irregular rows have offsets"),
        };
        let body = Body { stmts: vec![self.stmt(at, expr)], results: vec![at.into()] };
        let map = Op {
            level: Level::Grid,
            space: Space::from([Descriptor::Regular(n)]),
            indices: vec![i],
            positions: vec![p],
            body,
            kind: OpKind::Map { rows: None },
        };
        self.push(vec![starts], Expr::Op(Box::new(map)));
        starts
    }
}
