//! A kernel under construction.
//!
//! A [`Builder`] collects parameters, locals and statements of one kernel, and knows how to get at every value of the Flat
//! function around it. A value of the host level is found where it lives: a host scalar becomes a parameter, a cell a
//! pointer, and a *delayed* device scalar (`off[n]`, arithmetic on cells) is computed once, at the start of the phase:
//!
//! ```text
//! let t_9 : i64 = off_1[n_0]                     kernel k(off: i64[], n: i64, …) {
//! let out = map grid [t_9] { … }                   let t = off[n]
//!                                                  …
//! ```
//!
//! One buffer is one parameter, however many columns lie in it, so that no two parameters of a launch overlap.

use super::expr::{int, local};
use super::host::{Home, Host};
use super::sizes::{self, Arithmetic};
use super::{Lowered, limit};
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar, SumAtom};
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_ir::flat::{Expr as FlatExpr, Operator, Type};
use terrace_ir::kernel::{Array, ArrayId, Expr, Kept, Kernel, Local, LocalId, Param, ParamId, ParamKind, Stmt};
use terrace_ir::{Atom, ValueId, value_of};
use terrace_plan::host::{Argument, HostExpr, SlotId, SlotType};

/// A kernel and what it is launched with.
pub struct Finished {
    /// The kernel.
    pub kernel: Kernel,
    /// One per parameter.
    pub args: Vec<Argument>,
}

/// What becomes of the checks of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// They are made, and what fails is recorded.
    Report,
    /// They are made, and where one fails the variable is set to 1; nothing is recorded.
    Note(LocalId),
    /// They are known to hold.
    Assume,
}

#[derive(Clone, Copy, Default)]
struct Uses {
    read: bool,
    written: bool,
}

/// A kernel under construction.
pub struct Builder<'h> {
    /// The host function that launches it.
    pub host: &'h Host<'h>,
    name: String,
    block: u32,
    resident: u32,
    span: Span,
    params: IdVec<ParamId, Param>,
    uses: BTreeMap<ParamId, Uses>,
    args: Vec<Argument>,
    by_slot: BTreeMap<SlotId, ParamId>,
    locals: IdVec<LocalId, Local>,
    arrays: IdVec<ArrayId, Array>,
    phases: Vec<Vec<Stmt>>,
    prelude: Vec<Stmt>,
    in_prelude: bool,
    current: Vec<Stmt>,
    env: BTreeMap<ValueId, Expr>,
    uniform: BTreeMap<ValueId, Expr>,
    bound: Vec<(SizeVar, Expr)>,
    index: Expr,
    checks: Checks,
    steady: bool,
    has_borders: bool,
}

impl<'h> Builder<'h> {
    /// A kernel without statements.
    pub fn new(host: &'h Host<'h>, name: &str, block: u32, span: Span) -> Builder<'h> {
        Builder {
            host,
            name: name.to_string(),
            block,
            resident: 1,
            span,
            params: IdVec::new(),
            uses: BTreeMap::new(),
            args: Vec::new(),
            by_slot: BTreeMap::new(),
            locals: IdVec::new(),
            arrays: IdVec::new(),
            phases: Vec::new(),
            prelude: Vec::new(),
            in_prelude: false,
            current: Vec::new(),
            env: BTreeMap::new(),
            uniform: BTreeMap::new(),
            bound: Vec::new(),
            index: int(0),
            checks: Checks::Report,
            steady: host.device != terrace_plan::Target::C,
            has_borders: false,
        }
    }

    /// What the closure emits has no branches where both sides can be computed. On a GPU nothing ever has.
    pub fn steadily<T>(&mut self, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let saved = std::mem::replace(&mut self.steady, true);
        let outcome = f(self);
        self.steady = saved;
        outcome
    }

    /// Whether conditionals compute both sides now.
    pub fn is_steady(&self) -> bool {
        self.steady
    }

    /// Says that the innermost loops run over points in any order: what only their borders need is done at their borders.
    pub fn split_borders(&mut self) {
        self.has_borders = true;
    }

    /// What the closure emits treats checks like this.
    pub fn with_checks(&mut self, checks: Checks, f: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let saved = std::mem::replace(&mut self.checks, checks);
        let outcome = f(self);
        self.checks = saved;
        outcome
    }

    /// What becomes of checks now.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Asks for so few registers that a multiprocessor holds this many blocks.
    pub fn want_resident(&mut self, blocks: u32) {
        self.resident = blocks;
    }

    /// The source of the operator.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Whether floats reduce in lanes and blocks.
    pub fn target_is_cpu(&self) -> bool {
        self.host.device == terrace_plan::Target::C
    }

    /// Later statements belong to the next phase. Locals do not carry over.
    pub fn next_phase(&mut self) {
        let mut stmts = std::mem::take(&mut self.prelude);
        stmts.append(&mut self.current);
        self.phases.push(stmts);
        self.env.clear();
        self.uniform.clear();
        self.index = int(0);
    }

    /// The kernel and its arguments.
    pub fn finish(mut self) -> Finished {
        self.next_phase();
        if self.target_is_cpu() {
            self.phases.iter_mut().for_each(super::tidy::tidy);
            self.phases.iter_mut().for_each(|p| super::carried::carry(p, &mut self.locals, &self.params));
            self.phases.iter_mut().for_each(|p| super::foreseen::foresee(p, &mut self.locals));
            if self.has_borders {
                self.phases.iter_mut().for_each(|p| super::borders::split(p, &mut self.locals));
            }
            self.phases.iter_mut().for_each(|p| super::straighten::straighten(p, &mut self.locals));
        }
        for (id, u) in &self.uses {
            let kind = &mut self.params[*id].kind;
            let (ParamKind::Input(ty) | ParamKind::Output(ty) | ParamKind::Scratch(ty)) = *kind else { continue };
            *kind = match (u.read, u.written) {
                (true, true) => ParamKind::Scratch(ty),
                (false, true) => ParamKind::Output(ty),
                _ => ParamKind::Input(ty),
            };
        }
        let kernel = Kernel {
            name: self.name,
            params: self.params,
            locals: self.locals,
            arrays: self.arrays,
            phases: self.phases,
            block: self.block,
            resident: self.resident,
            small: None,
            span: self.span,
        };
        Finished { kernel, args: self.args }
    }

    // Statements.

    /// Adds a statement.
    pub fn emit(&mut self, stmt: Stmt) {
        self.current.push(stmt);
    }

    /// What the closure emits, as a list of its own.
    pub fn nested(&mut self, f: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<Vec<Stmt>> {
        let saved = std::mem::take(&mut self.current);
        // The position that checks report is made of variables of its block.
        let index = self.index.clone();
        let outcome = f(self);
        self.index = index;
        let inner = std::mem::replace(&mut self.current, saved);
        outcome.map(|()| inner)
    }

    /// `if cond { a } else { b }`.
    pub fn if_(
        &mut self,
        cond: Expr,
        a: impl FnOnce(&mut Self) -> Lowered<()>,
        b: impl FnOnce(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let then = self.nested(a)?;
        let otherwise = self.nested(b)?;
        if !(then.is_empty() && otherwise.is_empty()) {
            self.emit(Stmt::If(cond, then, otherwise));
        }
        Ok(())
    }

    /// `if cond { a }`.
    pub fn when(&mut self, cond: Expr, a: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        self.if_(cond, a, |_| Ok(()))
    }

    /// A counted loop over small numbers.
    pub fn for_small(
        &mut self,
        name: &str,
        from: Expr,
        to: Expr,
        step: Expr,
        f: impl FnOnce(&mut Self, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let var = self.local(name, ScalarType::I32);
        let body = self.nested(|b| f(b, local(var)))?;
        self.emit(Stmt::For { var, from, to, step, body, simd: false });
        Ok(())
    }

    /// A counted loop; the closure gets the variable.
    pub fn for_(
        &mut self,
        name: &str,
        from: Expr,
        to: Expr,
        step: Expr,
        simd: bool,
        f: impl FnOnce(&mut Self, Expr) -> Lowered<()>,
    ) -> Lowered<()> {
        let var = self.local(name, ScalarType::I64);
        let body = self.nested(|b| f(b, local(var)))?;
        self.emit(Stmt::For { var, from, to, step, body, simd });
        Ok(())
    }

    /// The statements of a loop over neighbouring points, cut at its borders. Says whether inside it reads neighbouring elements only.
    pub fn for_neighbours(&mut self, var: LocalId, count: Expr, body: Vec<Stmt>) -> bool {
        let stmt = Stmt::For { var, from: int(0), to: count, step: int(1), body, simd: true };
        let (parts, beside) = super::borders::neighbours(stmt, &mut self.locals);
        self.current.extend(parts);
        beside
    }

    /// `while cond { body }`.
    pub fn while_(&mut self, cond: Expr, f: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let body = self.nested(f)?;
        self.emit(Stmt::While(cond, body));
        Ok(())
    }

    /// A local variable that nothing is assigned to yet.
    pub fn local(&mut self, name: &str, ty: ScalarType) -> LocalId {
        self.locals.push(Local { name: name.to_string(), ty })
    }

    /// A local variable with a value that stays.
    pub fn let_(&mut self, name: &str, ty: ScalarType, value: Expr) -> Expr {
        if matches!(value, Expr::Const(_) | Expr::Local(_) | Expr::Param(_)) {
            return value;
        }
        let id = self.var(name, ty, value);
        local(id)
    }

    /// A local variable that will change.
    pub fn var(&mut self, name: &str, ty: ScalarType, init: Expr) -> LocalId {
        let id = self.local(name, ty);
        self.emit(Stmt::Let(id, init));
        id
    }

    /// A new value for a variable.
    pub fn set(&mut self, id: LocalId, value: Expr) {
        if value != local(id) {
            self.emit(Stmt::Assign(id, value));
        }
    }

    /// An array of fixed size.
    pub fn array(&mut self, name: &str, elem: ScalarType, count: usize, shared: bool) -> ArrayId {
        self.arrays.push(Array { name: name.to_string(), elem, count, shared })
    }

    // Parameters.

    fn param(&mut self, slot: SlotId, make: impl FnOnce(ScalarType) -> ParamKind) -> ParamId {
        if let Some(id) = self.by_slot.get(&slot) {
            return *id;
        }
        let info = self.host.slot(slot);
        let (SlotType::Host(ty) | SlotType::Cell(ty) | SlotType::Buffer(ty)) = info.ty;
        let id = self.params.push(Param { name: info.name.clone(), kind: make(ty), once: false });
        self.args.push(Argument::Slot(slot));
        self.by_slot.insert(slot, id);
        id
    }

    /// A buffer that is read.
    pub fn input(&mut self, slot: SlotId) -> ParamId {
        let id = self.param(slot, ParamKind::Input);
        self.uses.entry(id).or_default().read = true;
        id
    }

    /// A buffer that is written.
    pub fn output(&mut self, slot: SlotId) -> ParamId {
        let id = self.param(slot, ParamKind::Output);
        self.uses.entry(id).or_default().written = true;
        id
    }

    /// A buffer that is written and read.
    pub fn scratch(&mut self, slot: SlotId) -> ParamId {
        self.input(slot);
        self.output(slot)
    }

    /// A cell that is read.
    pub fn cell_in(&mut self, slot: SlotId) -> ParamId {
        self.param(slot, ParamKind::CellIn)
    }

    /// A cell that is written.
    pub fn cell_out(&mut self, slot: SlotId) -> ParamId {
        self.param(slot, ParamKind::CellOut)
    }

    /// A scalar that the host computes.
    pub fn scalar(&mut self, name: &str, ty: ScalarType, value: HostExpr) -> ParamId {
        if let HostExpr::Slot(slot) = value {
            return self.param(slot, ParamKind::Scalar);
        }
        self.args.push(Argument::Value(value));
        self.params.push(Param { name: name.to_string(), kind: ParamKind::Scalar(ty), once: false })
    }

    // Values of the function around the kernel.

    /// Says what a Flat value is from here on.
    pub fn define(&mut self, v: ValueId, e: Expr) {
        self.env.insert(v, e);
    }

    /// The position that checks report.
    pub fn set_index(&mut self, index: Expr) {
        self.index = index;
    }

    /// The position that checks report.
    pub fn index(&self) -> Expr {
        self.index.clone()
    }

    /// An operand.
    pub fn atom(&mut self, a: &Atom) -> Lowered<Expr> {
        match a {
            Atom::Const(c) => Ok(Expr::Const(*c)),
            Atom::Var(v) => self.value(*v),
        }
    }

    /// A scalar, of the body or of the host level.
    pub fn value(&mut self, v: ValueId) -> Lowered<Expr> {
        if let Some(e) = self.env.get(&v).or_else(|| self.uniform.get(&v)) {
            return Ok(e.clone());
        }
        let e = match self.host.home(v) {
            Some(Home { host: Some(slot), .. }) => Expr::Param(self.param(*slot, ParamKind::Scalar)),
            Some(Home { cell: Some(slot), .. }) => Expr::Param(self.cell_in(*slot)),
            Some(Home { delayed: Some(expr), .. }) => self.delayed(v, &expr.clone())?,
            _ => {
                let name = &self.host.function.values[v].name;
                return Err(limit(self.span, format!("`{name}_{v}` is not at hand in this kernel")));
            }
        };
        self.uniform.insert(v, e.clone());
        Ok(e)
    }

    fn delayed(&mut self, v: ValueId, expr: &FlatExpr) -> Lowered<Expr> {
        let outermost = !self.in_prelude;
        let saved = if outermost {
            self.in_prelude = true;
            let prelude = std::mem::take(&mut self.prelude);
            std::mem::replace(&mut self.current, prelude)
        } else {
            Vec::new()
        };
        let value = self.scalar_expr(expr);
        let result = value.map(|e| {
            let info = &self.host.function.values[v];
            let ty = info.ty.elem().unwrap_or(ScalarType::I64);
            self.let_(&info.name.clone(), ty, e)
        });
        if outermost {
            self.in_prelude = false;
            self.prelude = std::mem::replace(&mut self.current, saved);
        }
        result
    }

    /// The type of a scalar, or of a column's elements.
    pub fn elem(&self, v: ValueId) -> ScalarType {
        self.host.function.values[v].ty.elem().unwrap_or(ScalarType::I64)
    }

    /// Whether a value is a column.
    pub fn is_column(&self, v: ValueId) -> bool {
        matches!(self.host.function.values[v].ty, Type::Column { .. })
    }

    /// The value of a size expression.
    pub fn size(&mut self, s: &Size) -> Lowered<Expr> {
        sizes::size(self, s)
    }

    /// The value of a size expression in which some values stand for something else than usual.
    pub fn size_with(&mut self, s: &Size, with: &[(ValueId, Expr)]) -> Lowered<Expr> {
        let saved = self.env.clone();
        for (v, e) in with {
            self.env.insert(*v, e.clone());
        }
        let out = self.size(s);
        self.env = saved;
        out
    }

    fn address(&mut self, column: ValueId, at: Expr) -> Lowered<(SlotId, Expr)> {
        let function = self.host.function;
        let Some(place) = &function.values[column].at else {
            return Err(limit(self.span, format!("column {column} has no place")));
        };
        let slot = self.host.buffer_of_block(place.block)?;
        let [dim] = place.index.dims.as_slice() else {
            return Err(limit(self.span, "an index function of several dimensions"));
        };
        let stride = self.size(&dim.stride)?;
        let offset = self.size(&place.index.offset)?;
        Ok((slot, super::expr::add(offset, super::expr::mul(at, stride))))
    }

    /// An element of a column, through its place.
    pub fn load(&mut self, column: ValueId, at: Expr) -> Lowered<Expr> {
        let (slot, at) = self.address(column, at)?;
        Ok(Expr::Load(self.input(slot), Box::new(at)))
    }

    /// Says that elements of a column are read once, and that others are read again and again.
    pub fn reads_once(&mut self, column: ValueId) -> Lowered<()> {
        let (slot, _) = self.address(column, int(0))?;
        let param = self.input(slot);
        self.params[param].once = true;
        Ok(())
    }

    /// Writes an element of a column, through its place.
    pub fn store(&mut self, column: ValueId, at: Expr, value: Expr) -> Lowered<()> {
        let (slot, at) = self.address(column, at)?;
        let param = self.output(slot);
        self.emit(Stmt::Store(param, at, value));
        Ok(())
    }

    /// Writes a few elements of a local array to a dense column that begins with its buffer, by one store.
    pub fn store_wide(&mut self, column: ValueId, at: Expr, array: ArrayId, from: Expr, count: usize) -> Lowered<()> {
        let (slot, at) = self.address(column, at)?;
        let buffer = self.output(slot);
        self.emit(Stmt::StoreWide { buffer, at, array, from, count });
        Ok(())
    }

    /// Whether the elements of a column lie one beside the other.
    pub fn is_dense(&self, column: ValueId) -> bool {
        let place = self.host.function.values[column].at.as_ref();
        place.is_some_and(|p| matches!(p.index.dims.as_slice(), [dim] if dim.stride.as_constant() == Some(1)))
    }

    /// The elements of a dense column from a position on, for [`Builder::store_kept`].
    pub fn kept_of(&mut self, column: ValueId, at: Expr) -> Lowered<Kept> {
        let (slot, at) = self.address(column, at)?;
        Ok(Kept::Buffer(self.input(slot), at))
    }

    /// Writes those elements that stay to a dense column, to places before `end`; their number.
    pub fn store_kept(
        &mut self,
        column: ValueId,
        (at, end): (Expr, Expr),
        from: Kept,
        keep: ArrayId,
        count: Expr,
    ) -> Lowered<Expr> {
        let (slot, at) = self.address(column, at)?;
        let (_, end) = self.address(column, end)?;
        let buffer = self.output(slot);
        let into = self.local("kept", ScalarType::I64);
        self.emit(Stmt::StoreKept { into, buffer, at, end, from, keep, count });
        Ok(Expr::Local(into))
    }

    /// Elements that a thread's call has kept go to a column, one beside the other.
    pub fn take(&mut self, column: ValueId, handle: Expr, count: Expr) -> Lowered<()> {
        let (slot, at) = self.address(column, int(0))?;
        let buffer = self.output(slot);
        self.emit(Stmt::Take { buffer, at, handle, count });
        Ok(())
    }

    /// Combines a value with an element of a column, whoever else does.
    pub fn atomic(&mut self, operator: BinOp, column: ValueId, at: Expr, value: Expr) -> Lowered<()> {
        let (slot, at) = self.address(column, at)?;
        let buffer = self.scratch(slot);
        self.emit(Stmt::Atomic { operator, buffer, at, value });
        Ok(())
    }

    /// The operator applied to two tuples; results in locals.
    pub fn combine(&mut self, operator: &Operator, left: &[Expr], right: &[Expr]) -> Lowered<Vec<Expr>> {
        if let (Some(op), [l], [r]) = (operator.as_binary(), left, right) {
            return Ok(vec![super::expr::binary(op, l.clone(), r.clone())]);
        }
        let pairs = operator.left.iter().zip(left).chain(operator.right.iter().zip(right));
        for (v, e) in pairs {
            self.define(*v, e.clone());
        }
        let zeros: Vec<Expr> = left.iter().zip(&operator.left).map(|(_, v)| zero(self.elem(*v))).collect();
        self.body_values(&operator.body, &zeros)
    }
}

/// Zero of a type.
pub fn zero(ty: ScalarType) -> Expr {
    Expr::Const(Scalar::zero(ty))
}

impl Arithmetic for Builder<'_> {
    type Expr = Expr;

    fn int(&mut self, n: i64) -> Expr {
        int(n)
    }

    fn variable(&mut self, v: ValueId) -> Lowered<Expr> {
        if let Some((_, e)) = self.bound.iter().rev().find(|(s, _)| value_of(*s) == v) {
            return Ok(e.clone());
        }
        let e = self.value(v)?;
        Ok(if self.elem_or_i64(v) == ScalarType::I64 { e } else { super::expr::convert(ScalarType::I64, e) })
    }

    fn binary(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        match op {
            BinOp::Add => super::expr::add(a, b),
            BinOp::Sub => super::expr::sub(a, b),
            BinOp::Mul => super::expr::mul(a, b),
            _ => super::expr::binary(op, a, b),
        }
    }

    fn sum(&mut self, sum: &SumAtom) -> Lowered<Expr> {
        let upper = self.size(sum.upper())?;
        let total = self.var("sum", ScalarType::I64, int(0));
        // A variable that no value of the function has.
        let var = SizeVar(u32::MAX - 1 - self.bound.len() as u32);
        let body = sum.body_at(&Size::var(var));
        self.for_("k", int(0), upper, int(1), false, |b, k| {
            b.bound.push((var, k));
            let term = b.size(&body);
            b.bound.pop();
            let term = term?;
            b.set(total, super::expr::add(local(total), term));
            Ok(())
        })?;
        Ok(local(total))
    }

    fn element(&mut self, column: ValueId, at: Expr) -> Lowered<Expr> {
        self.load(column, at)
    }

    fn span(&self) -> Span {
        self.span
    }
}

impl Builder<'_> {
    fn elem_or_i64(&self, v: ValueId) -> ScalarType {
        self.host.function.values.get(v).and_then(|x| x.ty.elem()).unwrap_or(ScalarType::I64)
    }
}

impl Builder<'_> {
    /// The type of a local variable.
    pub fn local_type(&self, id: LocalId) -> ScalarType {
        self.locals[id].ty
    }
}
