//! Sequential loops of the host program become kernels.
//!
//! The host program is executed statement by statement, which is nothing beside a launch over a million elements and everything in a loop that
//! launches none. A loop whose rounds consist of scalar work, and of launches over one tile, becomes one kernel of one tile: the
//! C compiler then sees the whole loop.
//!
//! ```text
//! loop { go = i < n } while go do {           c = cell; launch f_loop tiles [1] (i, x, n, xs, c)
//!   launch k tiles [1] (x, i, xs, t)          read c -> x'
//!   i = i + 1
//!   x = t
//! }
//! ```
//!
//! Host slots and cells become variables; a buffer becomes a parameter. Kernels that the loop launched become part of its text. After each
//! check that may fail the rest of the round is skipped, so that the check that is reported is the one that the host would
//! have met first.
//!
//! Declined: GPUs, where one thread is slower than the host; rounds that allocate, call, pass guards or exchange buffers; launches over several
//! tiles or phases; two slots that may share one buffer that is written.

use super::build::Finished;
use super::host::Host;
use super::host_expr::hint;
use super::tidy;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{IdVec, Scalar, ScalarType, Span, UnOp};
use terrace_ir::check::CheckId;
use terrace_ir::kernel::{Array, ArrayId, Expr, Kept, Kernel, Local, LocalId, Param, ParamId, ParamKind, Stmt};
use terrace_plan::Target;
use terrace_plan::host::{Argument, HostExpr, HostStmt, SlotId, SlotType};

/// More statements than this in one loop stay with the host.
const LONGEST: usize = 4000;
/// How many values a check of a kernel can show.
const SHOWN: usize = 3;

/// A loop of the host program.
pub(super) struct Rounds<'a> {
    /// Run before each test.
    pub(super) cond: &'a [HostStmt],
    /// Whether to go on.
    pub(super) test: &'a HostExpr,
    /// A round.
    pub(super) body: &'a [HostStmt],
}

/// Emits a kernel in place of a loop, if it can be one. `state` are the slots that the loop would leave values in; what comes back are the
/// slots that have them instead.
pub(super) fn compile(
    host: &mut Host<'_>,
    state: &[SlotId],
    rounds: &Rounds<'_>,
    name: &str,
    span: Span,
) -> Option<BTreeMap<SlotId, SlotId>> {
    let mut region = Region::new(host);
    let fits = host.device == Target::C
        && region.accepts(rounds.cond)
        && region.accepts(rounds.body)
        && !asks_the_device(rounds.test)
        && region.size <= LONGEST
        && region.buffers_are_apart();
    if !fits {
        return None;
    }
    let outs: Vec<SlotId> = state.iter().copied().filter(|s| region.scalar(*s).is_some()).collect();
    let mut live = Live::default();
    live.rounds(host, rounds);
    // What the loop may leave as it was has to go in.
    live.entering.extend(&outs);
    region.single = single_definitions(rounds.body).into_iter().filter(|s| !live.entering.contains(s)).collect();
    region.enter(&live.entering);
    let mut stmts = region.rounds(rounds);
    let mut declared = std::mem::take(&mut region.declared);
    declared.append(&mut stmts);
    let mut stmts = declared;
    let (mut read, mut after, mut cells) = (Vec::new(), BTreeMap::new(), Vec::new());
    for slot in outs {
        let (value, ty) = (region.local(slot), region.scalar(slot).unwrap_or(ScalarType::I64));
        cells.push((slot, ty, region.params.len()));
        let param = region.param(slot, ParamKind::CellOut(ty), Argument::Slot(slot));
        stmts.push(Stmt::StoreCell(param, Expr::Local(value)));
    }
    tidy::tidy(&mut stmts);
    let Region { params, mut args, locals, arrays, .. } = region;
    for (slot, ty, at) in cells {
        let info = host.slot(slot).clone();
        let cell = host.new_slot(&info.name, SlotType::Cell(ty));
        host.emit(HostStmt::AllocCell { to: cell });
        args[at] = Argument::Slot(cell);
        let to = match info.ty {
            SlotType::Host(_) => {
                let to = host.new_slot(&info.name, info.ty);
                read.push((cell, to));
                to
            }
            _ => cell,
        };
        after.insert(slot, to);
    }
    let kernel = Kernel {
        name: name.to_string(),
        params,
        locals,
        arrays,
        phases: vec![stmts],
        block: 1,
        resident: 1,
        small: None,
        span,
    };
    host.launch(Finished { kernel, args }, vec![hint(1)]);
    if !read.is_empty() {
        host.emit(HostStmt::Read { cells: read });
    }
    Some(after)
}

/// A loop on its way to a kernel.
struct Region<'h, 'a> {
    host: &'h Host<'a>,
    /// The buffers, and whether they are read and written.
    buffers: BTreeMap<SlotId, (bool, bool)>,
    size: usize,
    variables: BTreeMap<SlotId, LocalId>,
    /// Slots that get their value at one place, which declares them.
    single: BTreeSet<SlotId>,
    declared: Vec<Stmt>,
    by_buffer: BTreeMap<SlotId, ParamId>,
    params: IdVec<ParamId, Param>,
    args: Vec<Argument>,
    locals: IdVec<LocalId, Local>,
    arrays: IdVec<ArrayId, Array>,
}

impl<'h, 'a> Region<'h, 'a> {
    fn new(host: &'h Host<'a>) -> Region<'h, 'a> {
        Region {
            host,
            buffers: BTreeMap::new(),
            size: 0,
            variables: BTreeMap::new(),
            single: BTreeSet::new(),
            declared: Vec::new(),
            by_buffer: BTreeMap::new(),
            params: IdVec::new(),
            args: Vec::new(),
            locals: IdVec::new(),
            arrays: IdVec::new(),
        }
    }

    /// The type of a slot that becomes a variable.
    fn scalar(&self, slot: SlotId) -> Option<ScalarType> {
        match self.host.slot(slot).ty {
            SlotType::Host(ty) | SlotType::Cell(ty) => Some(ty),
            SlotType::Buffer(_) => None,
        }
    }

    // What can be part of a kernel.

    fn accepts(&mut self, stmts: &[HostStmt]) -> bool {
        // A cell is written only where it is new: then nobody sees it under another name.
        let mut fresh = BTreeSet::new();
        stmts.iter().all(|s| self.accepts_one(s, &mut fresh))
    }

    fn accepts_one(&mut self, stmt: &HostStmt, fresh: &mut BTreeSet<SlotId>) -> bool {
        self.size += 1;
        match stmt {
            HostStmt::Compute { expr, .. } => !asks_the_device(expr),
            HostStmt::Check { cond, values, .. } => {
                values.len() <= SHOWN && !values.iter().chain([cond]).any(asks_the_device)
            }
            HostStmt::If { cond, then, otherwise } => {
                !asks_the_device(cond) && self.accepts(then) && self.accepts(otherwise)
            }
            HostStmt::While { cond, test, body } => !asks_the_device(test) && self.accepts(cond) && self.accepts(body),
            HostStmt::AllocCell { to } => {
                fresh.insert(*to);
                true
            }
            HostStmt::WriteCell { cell, value } => fresh.contains(cell) && !asks_the_device(value),
            HostStmt::Alias { to, from } => self.scalar(*to).is_some() && self.scalar(*from).is_some(),
            HostStmt::Read { .. } => true,
            HostStmt::Launch { kernel, tiles, args } => {
                let kernel = &self.host.kernels[*kernel];
                let one = kernel.phases.len() == 1 && *tiles == [hint(1)] && !runs_functions(&kernel.phases[0]);
                self.size += kernel.locals.len();
                one && kernel.params.iter().zip(args).all(|(param, arg)| self.accepts_argument(param, arg, fresh))
            }
            HostStmt::Guard { .. }
            | HostStmt::Alloc { .. }
            | HostStmt::Free { .. }
            | HostStmt::Zero { .. }
            | HostStmt::Copies { .. }
            | HostStmt::Call { .. } => false,
        }
    }

    fn accepts_argument(&mut self, param: &Param, arg: &Argument, fresh: &BTreeSet<SlotId>) -> bool {
        let slot = match arg {
            Argument::Value(expr) => return !asks_the_device(expr),
            Argument::Slot(slot) => *slot,
        };
        let (read, written) = match param.kind {
            ParamKind::Scalar(_) | ParamKind::CellIn(_) => return true,
            ParamKind::CellOut(_) => return fresh.contains(&slot),
            ParamKind::Input(_) => (true, false),
            ParamKind::Output(_) => (false, true),
            ParamKind::Scratch(_) => (true, true),
        };
        let uses = self.buffers.entry(slot).or_default();
        *uses = (uses.0 | read, uses.1 | written);
        true
    }

    /// Whether nothing that is written has a second name here.
    fn buffers_are_apart(&self) -> bool {
        let written = self.buffers.iter().filter(|(_, uses)| uses.1);
        written.into_iter().all(|(slot, _)| {
            let same = self.host.may_share(*slot);
            self.buffers.keys().all(|other| other == slot || !same.contains(other))
        })
    }

    // The kernel.

    fn param(&mut self, slot: SlotId, kind: ParamKind, arg: Argument) -> ParamId {
        self.args.push(arg);
        self.params.push(Param { name: self.host.slot(slot).name.clone(), kind, once: false })
    }

    /// Variables that have a value before the loop.
    fn enter(&mut self, slots: &BTreeSet<SlotId>) {
        for slot in slots {
            let info = self.host.slot(*slot);
            let (kind, arg) = match info.ty {
                SlotType::Host(ty) => (ParamKind::Scalar(ty), Argument::Value(HostExpr::Slot(*slot))),
                SlotType::Cell(ty) => (ParamKind::CellIn(ty), Argument::Slot(*slot)),
                SlotType::Buffer(_) => continue,
            };
            let param = self.param(*slot, kind, arg);
            let local = self.new_local(*slot);
            self.declared.push(Stmt::Let(local, Expr::Param(param)));
        }
    }

    fn new_local(&mut self, slot: SlotId) -> LocalId {
        let (name, ty) = (self.host.slot(slot).name.clone(), self.scalar(slot).unwrap_or(ScalarType::I64));
        let local = self.locals.push(Local { name, ty });
        self.variables.insert(slot, local);
        local
    }

    /// The variable of a slot.
    fn local(&mut self, slot: SlotId) -> LocalId {
        if let Some(local) = self.variables.get(&slot) {
            return *local;
        }
        let local = self.new_local(slot);
        let ty = self.scalar(slot).unwrap_or(ScalarType::I64);
        if let Some(zero) = Scalar::from_le_bytes(ty, &[0; 8][..ty.size_bytes()]) {
            self.declared.push(Stmt::Let(local, Expr::Const(zero)));
        }
        local
    }

    fn set(&mut self, slot: SlotId, value: Expr) -> Stmt {
        if self.single.contains(&slot) && !self.variables.contains_key(&slot) {
            return Stmt::Let(self.new_local(slot), value);
        }
        Stmt::Assign(self.local(slot), value)
    }

    fn expr(&mut self, e: &HostExpr) -> Expr {
        let mut inside = |e: &HostExpr| Box::new(self.expr(e));
        match e {
            HostExpr::Const(c) => Expr::Const(*c),
            HostExpr::Slot(s) => Expr::Local(self.local(*s)),
            HostExpr::Unary(op, a) => super::expr::unary(*op, *inside(a)),
            HostExpr::Binary(op, a, b) => Expr::Binary(*op, inside(a), inside(b)),
            HostExpr::Fma(a, b, c) => Expr::Fma(inside(a), inside(b), inside(c)),
            HostExpr::Convert(ty, a) => Expr::Convert(*ty, inside(a)),
            HostExpr::Select(a, b, c) => Expr::Select(inside(a), inside(b), inside(c)),
            HostExpr::MemoryLimit | HostExpr::Workers => unreachable!("loops that ask the device are declined"),
        }
    }

    /// `cond; go = test; while go { body; cond; go = test }`
    fn rounds(&mut self, rounds: &Rounds<'_>) -> Vec<Stmt> {
        let go = self.locals.push(Local { name: "go".to_string(), ty: ScalarType::Bool });
        let test = |region: &mut Self| -> Vec<Stmt> {
            let (mut out, fails) = region.list(rounds.cond);
            let assign = Stmt::Assign(go, region.expr(rounds.test));
            out.push(if fails { go_unless_failed(vec![assign], go) } else { assign });
            out
        };
        let mut out = vec![Stmt::Let(go, Expr::Const(Scalar::Bool(false)))];
        out.extend(test(self));
        let (mut body, fails) = self.list(rounds.body);
        let again = test(self);
        match fails {
            true => body.push(go_unless_failed(again, go)),
            false => body.extend(again),
        }
        out.push(Stmt::While(Expr::Local(go), body));
        out
    }

    /// A list of statements, and whether a check in it may fail.
    fn list(&mut self, stmts: &[HostStmt]) -> (Vec<Stmt>, bool) {
        let mut out = Vec::new();
        for (k, stmt) in stmts.iter().enumerate() {
            if self.one(stmt, &mut out) {
                let (rest, _) = self.list(&stmts[k + 1..]);
                if !rest.is_empty() {
                    out.push(unless_failed(rest));
                }
                return (out, true);
            }
        }
        (out, false)
    }

    fn one(&mut self, stmt: &HostStmt, out: &mut Vec<Stmt>) -> bool {
        match stmt {
            HostStmt::Compute { to, expr } => {
                let value = self.expr(expr);
                out.push(self.set(*to, value));
            }
            HostStmt::WriteCell { cell, value } => {
                let value = self.expr(value);
                out.push(self.set(*cell, value));
            }
            HostStmt::Alias { to, from } => {
                let value = Expr::Local(self.local(*from));
                out.push(self.set(*to, value));
            }
            HostStmt::Read { cells } => {
                for (cell, to) in cells {
                    let value = Expr::Local(self.local(*cell));
                    out.push(self.set(*to, value));
                }
            }
            HostStmt::Check { check, cond, values } => {
                let cond = self.expr(cond);
                let values = values.iter().map(|v| self.expr(v)).collect();
                let index = Expr::Const(Scalar::I64(-1));
                out.push(Stmt::Check { check: CheckId::new(*check as usize), cond, index, values });
                return true;
            }
            HostStmt::If { cond, then, otherwise } => {
                let cond = self.expr(cond);
                let ((then, a), (otherwise, b)) = (self.list(then), self.list(otherwise));
                out.push(Stmt::If(cond, then, otherwise));
                return a || b;
            }
            HostStmt::While { cond, test, body } => {
                let fails = may_fail(self.host, cond) || may_fail(self.host, body);
                out.extend(self.rounds(&Rounds { cond, test, body }));
                return fails;
            }
            HostStmt::Launch { kernel, args, .. } => return self.inline(&self.host.kernels[*kernel], args, out),
            _ => {}
        }
        false
    }

    /// The text of a kernel over one tile.
    fn inline(&mut self, kernel: &Kernel, args: &[Argument], out: &mut Vec<Stmt>) -> bool {
        let mut inside = Inside { params: BTreeMap::new(), locals: BTreeMap::new(), arrays: BTreeMap::new() };
        for ((id, param), arg) in kernel.params.enumerate().zip(args) {
            let place = match (param.kind, arg) {
                (ParamKind::Input(ty) | ParamKind::Output(ty) | ParamKind::Scratch(ty), Argument::Slot(slot)) => {
                    Place::Buffer(self.buffer(*slot, ty))
                }
                (_, Argument::Slot(slot)) => Place::Variable(self.local(*slot)),
                (_, Argument::Value(expr)) => Place::Value(self.expr(expr)),
            };
            inside.params.insert(id, place);
        }
        for (id, local) in kernel.locals.enumerate() {
            inside.locals.insert(id, self.locals.push(local.clone()));
        }
        for (id, array) in kernel.arrays.enumerate() {
            inside.arrays.insert(id, self.arrays.push(array.clone()));
        }
        let mut stmts = kernel.phases[0].clone();
        inside.stmts(&mut stmts);
        let fails = has_check(&stmts);
        out.append(&mut stmts);
        fails
    }

    fn buffer(&mut self, slot: SlotId, ty: ScalarType) -> ParamId {
        if let Some(param) = self.by_buffer.get(&slot) {
            return *param;
        }
        let kind = match self.buffers.get(&slot) {
            Some((true, true)) => ParamKind::Scratch(ty),
            Some((false, true)) => ParamKind::Output(ty),
            _ => ParamKind::Input(ty),
        };
        let param = self.param(slot, kind, Argument::Slot(slot));
        self.by_buffer.insert(slot, param);
        param
    }
}

fn unless_failed(stmts: Vec<Stmt>) -> Stmt {
    Stmt::If(Expr::Unary(UnOp::Not, Box::new(Expr::Failed)), stmts, Vec::new())
}

/// The same; a loop whose check has failed does not go on.
fn go_unless_failed(stmts: Vec<Stmt>, go: LocalId) -> Stmt {
    let stop = Stmt::Assign(go, Expr::Const(Scalar::Bool(false)));
    Stmt::If(Expr::Unary(UnOp::Not, Box::new(Expr::Failed)), stmts, vec![stop])
}

fn runs_functions(stmts: &[Stmt]) -> bool {
    stmts
        .iter()
        .any(|s| matches!(s, Stmt::Run { .. } | Stmt::Take { .. }) || s.bodies().into_iter().any(|b| runs_functions(b)))
}

fn has_check(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| matches!(s, Stmt::Check { .. }) || s.bodies().into_iter().any(|b| has_check(b)))
}

fn may_fail(host: &Host<'_>, stmts: &[HostStmt]) -> bool {
    stmts.iter().any(|s| match s {
        HostStmt::Check { .. } => true,
        HostStmt::Launch { kernel, .. } => host.kernels[*kernel].phases.iter().any(|p| has_check(p)),
        HostStmt::If { then, otherwise, .. } => may_fail(host, then) || may_fail(host, otherwise),
        HostStmt::While { cond, body, .. } => may_fail(host, cond) || may_fail(host, body),
        _ => false,
    })
}

fn asks_the_device(e: &HostExpr) -> bool {
    match e {
        HostExpr::Const(_) | HostExpr::Slot(_) => false,
        HostExpr::Unary(_, a) | HostExpr::Convert(_, a) => asks_the_device(a),
        HostExpr::Binary(_, a, b) => asks_the_device(a) || asks_the_device(b),
        HostExpr::Fma(a, b, c) | HostExpr::Select(a, b, c) => [a, b, c].into_iter().any(|e| asks_the_device(e)),
        HostExpr::MemoryLimit | HostExpr::Workers => true,
    }
}

/// What a parameter of an inlined kernel is in the loop's kernel.
enum Place {
    Buffer(ParamId),
    Variable(LocalId),
    Value(Expr),
}

/// Renames the parts of an inlined kernel.
struct Inside {
    params: BTreeMap<ParamId, Place>,
    locals: BTreeMap<LocalId, LocalId>,
    arrays: BTreeMap<ArrayId, ArrayId>,
}

impl Inside {
    fn local(&self, id: &mut LocalId) {
        *id = self.locals[id];
    }

    fn buffer(&self, id: &mut ParamId) {
        if let Some(Place::Buffer(new)) = self.params.get(id) {
            *id = *new;
        }
    }

    fn stmts(&self, stmts: &mut [Stmt]) {
        for s in stmts {
            tidy::own_exprs_mut(s).into_iter().for_each(|e| self.expr(e));
            s.bodies_mut().into_iter().for_each(|b| self.stmts(b));
            match s {
                Stmt::Let(v, _) | Stmt::Assign(v, _) | Stmt::For { var: v, .. } => self.local(v),
                Stmt::Store(p, ..)
                | Stmt::Atomic { buffer: p, .. }
                | Stmt::Announce { words: p, .. }
                | Stmt::Publish { flags: p, .. }
                | Stmt::Send { words: p, .. } => self.buffer(p),
                Stmt::AtomicElement { array, .. } => *array = self.arrays[array],
                Stmt::Rank { into, counts, marks, .. } => {
                    self.local(into);
                    *counts = self.arrays[counts];
                    *marks = self.arrays[marks];
                }
                Stmt::Earlier { into, words, tops, .. } => {
                    self.local(into);
                    self.buffer(words);
                    self.buffer(tops);
                }
                Stmt::Receive { value, flag, words, .. } => {
                    self.local(value);
                    self.local(flag);
                    self.buffer(words);
                }
                Stmt::AtomicAdd { into, buffer: p, .. } | Stmt::Await { into, flags: p, .. } => {
                    self.local(into);
                    self.buffer(p);
                }
                Stmt::SetElement(a, ..) => *a = self.arrays[a],
                Stmt::StoreRun { buffer, array, .. }
                | Stmt::StoreWide { buffer, array, .. }
                | Stmt::LoadWide { buffer, array, .. } => {
                    self.buffer(buffer);
                    *array = self.arrays[array];
                }
                Stmt::StoreKept { into, buffer, from, keep, .. } => {
                    self.local(into);
                    self.buffer(buffer);
                    match from {
                        Kept::Array(array) => *array = self.arrays[array],
                        Kept::Buffer(buffer, _) => self.buffer(buffer),
                    }
                    *keep = self.arrays[keep];
                }
                Stmt::StoreCell(p, value) => {
                    if let Some(Place::Variable(local)) = self.params.get(p) {
                        *s = Stmt::Assign(*local, value.clone());
                    }
                }
                // Loops with these are left to the host.
                Stmt::Run { .. } | Stmt::Take { .. } => {}
                Stmt::If(..) | Stmt::While(..) | Stmt::Barrier | Stmt::Check { .. } => {}
            }
        }
    }

    fn expr(&self, e: &mut Expr) {
        e.children_mut().into_iter().for_each(|c| self.expr(c));
        match e {
            Expr::Local(v) => self.local(v),
            Expr::Load(p, _) | Expr::LoadFresh(p, _) => self.buffer(p),
            Expr::Element(a, _) => *a = self.arrays[a],
            Expr::Tile | Expr::Thread => *e = Expr::Const(Scalar::I64(0)),
            Expr::Param(p) => match self.params.get(p) {
                Some(Place::Variable(local)) => *e = Expr::Local(*local),
                Some(Place::Value(value)) => *e = value.clone(),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Which slots a loop needs a value of before it begins.
#[derive(Default)]
struct Live {
    entering: BTreeSet<SlotId>,
    known: BTreeSet<SlotId>,
}

impl Live {
    fn rounds(&mut self, host: &Host<'_>, rounds: &Rounds<'_>) {
        self.stmts(host, rounds.cond);
        self.expr(rounds.test);
        self.maybe(host, rounds.body);
    }

    /// What is set there may not be set afterwards.
    fn maybe(&mut self, host: &Host<'_>, stmts: &[HostStmt]) {
        let known = self.known.clone();
        self.stmts(host, stmts);
        self.known = known;
    }

    fn slot(&mut self, slot: SlotId) {
        if !self.known.contains(&slot) {
            self.entering.insert(slot);
        }
    }

    fn expr(&mut self, e: &HostExpr) {
        match e {
            HostExpr::Slot(s) => self.slot(*s),
            HostExpr::Const(_) | HostExpr::MemoryLimit | HostExpr::Workers => {}
            HostExpr::Unary(_, a) | HostExpr::Convert(_, a) => self.expr(a),
            HostExpr::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            HostExpr::Fma(a, b, c) | HostExpr::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
        }
    }

    fn stmts(&mut self, host: &Host<'_>, stmts: &[HostStmt]) {
        for stmt in stmts {
            match stmt {
                HostStmt::Compute { to, expr } => {
                    self.expr(expr);
                    self.known.insert(*to);
                }
                HostStmt::WriteCell { cell, value } => {
                    self.expr(value);
                    self.known.insert(*cell);
                }
                HostStmt::Alias { to, from } => {
                    self.slot(*from);
                    self.known.insert(*to);
                }
                HostStmt::Read { cells } => {
                    for (cell, to) in cells {
                        self.slot(*cell);
                        self.known.insert(*to);
                    }
                }
                HostStmt::Check { cond, values, .. } => values.iter().chain([cond]).for_each(|e| self.expr(e)),
                HostStmt::If { cond, then, otherwise } => {
                    self.expr(cond);
                    let before = self.known.clone();
                    self.stmts(host, then);
                    let after = std::mem::replace(&mut self.known, before);
                    self.stmts(host, otherwise);
                    self.known = self.known.intersection(&after).copied().collect();
                }
                HostStmt::While { cond, test, body } => self.rounds(host, &Rounds { cond, test, body }),
                HostStmt::Launch { kernel, args, .. } => {
                    let mut set = Vec::new();
                    for (param, arg) in host.kernels[*kernel].params.iter().zip(args) {
                        match (param.kind, arg) {
                            (_, Argument::Value(e)) => self.expr(e),
                            (ParamKind::CellOut(_), Argument::Slot(s)) => set.push(*s),
                            (ParamKind::CellIn(_) | ParamKind::Scalar(_), Argument::Slot(s)) => self.slot(*s),
                            _ => {}
                        }
                    }
                    self.known.extend(set);
                }
                _ => {}
            }
        }
    }
}

/// The slots that one statement of a round computes, and no other.
fn single_definitions(body: &[HostStmt]) -> BTreeSet<SlotId> {
    let mut counts: BTreeMap<SlotId, usize> = BTreeMap::new();
    fn walk(stmts: &[HostStmt], times: usize, counts: &mut BTreeMap<SlotId, usize>) {
        for stmt in stmts {
            match stmt {
                HostStmt::Compute { to, .. } => *counts.entry(*to).or_default() += times,
                // Others are variables in any case.
                HostStmt::Alias { to, .. } | HostStmt::WriteCell { cell: to, .. } => {
                    *counts.entry(*to).or_default() += 2
                }
                HostStmt::Read { cells } => cells.iter().for_each(|(_, to)| *counts.entry(*to).or_default() += 2),
                HostStmt::If { then, otherwise, .. } => {
                    [then, otherwise].into_iter().for_each(|b| walk(b, times, counts))
                }
                HostStmt::While { cond, body, .. } => {
                    // A condition is written twice.
                    walk(cond, 2, counts);
                    walk(body, times, counts);
                }
                _ => {}
            }
        }
    }
    walk(body, 1, &mut counts);
    counts.into_iter().filter(|(_, n)| *n == 1).map(|(slot, _)| slot).collect()
}

/// Leaves out reads of values that nobody looks at.
pub(super) fn forget_unread(body: &mut Vec<HostStmt>, results: &[SlotId]) {
    let mut read: BTreeSet<SlotId> = results.iter().copied().collect();
    needed(body, &mut read);
    sweep(body, &read);
}

fn needed(stmts: &[HostStmt], read: &mut BTreeSet<SlotId>) {
    let mut live = Live::default();
    for stmt in stmts {
        match stmt {
            HostStmt::Compute { expr, .. } | HostStmt::WriteCell { value: expr, .. } => live.expr(expr),
            HostStmt::Alloc { count: expr, .. }
            | HostStmt::Guard { quantity: expr, .. }
            | HostStmt::Copies { bytes: expr } => live.expr(expr),
            HostStmt::Alias { from, .. } => live.slot(*from),
            HostStmt::Check { cond, values, .. } => values.iter().chain([cond]).for_each(|e| live.expr(e)),
            HostStmt::Launch { tiles, args, .. } => {
                tiles.iter().for_each(|e| live.expr(e));
                for arg in args {
                    match arg {
                        Argument::Value(e) => live.expr(e),
                        Argument::Slot(s) => live.slot(*s),
                    }
                }
            }
            HostStmt::Call { args, .. } => args.iter().for_each(|s| live.slot(*s)),
            HostStmt::If { cond, then, otherwise } => {
                live.expr(cond);
                needed(then, read);
                needed(otherwise, read);
            }
            HostStmt::While { cond, test, body } => {
                live.expr(test);
                needed(cond, read);
                needed(body, read);
            }
            HostStmt::Read { cells } => cells.iter().for_each(|(cell, _)| live.slot(*cell)),
            HostStmt::AllocCell { .. } | HostStmt::Free { .. } | HostStmt::Zero { .. } => {}
        }
    }
    read.extend(live.entering);
}

fn sweep(stmts: &mut Vec<HostStmt>, read: &BTreeSet<SlotId>) {
    stmts.retain_mut(|stmt| match stmt {
        HostStmt::Read { cells } => {
            let any = !cells.is_empty();
            cells.retain(|(_, to)| read.contains(to));
            !(any && cells.is_empty())
        }
        HostStmt::If { then, otherwise, .. } => {
            sweep(then, read);
            sweep(otherwise, read);
            true
        }
        HostStmt::While { cond, body, .. } => {
            sweep(cond, read);
            sweep(body, read);
            true
        }
        _ => true,
    });
}
