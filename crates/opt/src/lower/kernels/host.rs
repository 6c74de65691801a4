//! The host program of one function.
//!
//! Statements go over in order. What matters is where a scalar is at each moment ([`Home`]): a host slot, a cell on the
//! device, or nowhere yet (*delayed*: a read of a column or arithmetic on device scalars that every kernel repeats for
//! itself). Control flow needs its condition on the host; see [`super::scalars`] for how that is brought about.
//!
//! ```text
//! let s_4 : i64 = reduce grid …        alloc cell s_4; launch … (s_4)
//! let t_5 : i64 = add s_4 1            (delayed)
//! let b_6 : bool = lt t_5 n_0          (delayed)
//! if b_6 { … }                         read s_4; t_5 = s_4 + 1; b_6 = t_5 < n_0; if b_6 { … }
//! ```
//!
//! A block of memory is a buffer slot; a column is nothing at all here, its block is. Results of branches, loop states and
//! arguments of calls share buffers and cells by `alias`, never by copying.

use super::build::{Builder, Finished};
use super::host_expr::{OnHost, hint};
use super::host_loop::{self, Rounds};
use super::overwrite::Overwrites;
use super::scalars::only_on_device;
use super::{Lowered, Target, free, limit};
use crate::analysis::homes::Homes;
use crate::options::TileSizes;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{Scalar, ScalarType, Span};
use terrace_ir::flat::visit::walk;
use terrace_ir::flat::{Body, Expr, Stmt, Type};
use terrace_ir::kernel::Kernel;
use terrace_ir::{Atom, FuncId, ValueId, mem};
use terrace_plan::host::{HostExpr, HostFunction, HostStmt, SlotId, SlotInfo, SlotType};

/// Where a scalar is.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// On the host.
    pub host: Option<SlotId>,
    /// On the device.
    pub cell: Option<SlotId>,
    /// Not computed yet: every kernel that uses it computes it.
    pub delayed: Option<Expr>,
}

/// One function while it is lowered.
pub struct Host<'a> {
    /// The whole program.
    pub program: &'a mem::Program,
    /// The function.
    pub function: &'a mem::Function,
    /// Its number.
    pub id: FuncId,
    /// The homes that have to agree between paths.
    pub homes: &'a Homes,
    /// How work is cut.
    pub tiles: TileSizes,
    /// For which kind of device.
    pub device: terrace_plan::Target,
    /// The kernels of the program so far.
    pub kernels: Vec<Kernel>,
    /// The kernels by their text without the name.
    pub(super) texts: BTreeMap<String, usize>,
    pub(super) names: BTreeMap<String, usize>,
    pub(super) slots: Vec<SlotInfo>,
    pub(super) at: BTreeMap<ValueId, Home>,
    pub(super) totals: BTreeMap<ValueId, SlotId>,
    pub(super) overwrites: Option<Overwrites>,
    blocks: BTreeMap<ValueId, SlotId>,
    block_info: BTreeMap<ValueId, (String, ScalarType)>,
    capacity: BTreeMap<ValueId, HostExpr>,
    /// Pairs of slots that may hold one buffer.
    shares: Vec<(SlotId, SlotId)>,
    pub(super) stmts: Vec<HostStmt>,
}

/// Lowers a function.
pub fn lower_function(shared: &mut super::Shared<'_>, target: &dyn Target, id: FuncId) -> Lowered<HostFunction> {
    let program = shared.program;
    let function = &program.functions[id];
    let mut block_info = BTreeMap::new();
    for value in function.values.iter() {
        if let (Some(place), Some(elem)) = (&value.at, value.ty.elem()) {
            block_info.entry(place.block).or_insert((value.name.clone(), elem));
        }
    }
    element_types(function, &mut block_info);
    let mut host = Host {
        program,
        function,
        id,
        homes: &shared.homes,
        tiles: shared.tiles,
        device: shared.device,
        kernels: std::mem::take(&mut shared.kernels),
        texts: std::mem::take(&mut shared.texts),
        names: std::mem::take(&mut shared.names),
        slots: Vec::new(),
        at: BTreeMap::new(),
        totals: BTreeMap::new(),
        overwrites: Overwrites::of(program, function, &shared.borders),
        blocks: BTreeMap::new(),
        block_info,
        capacity: BTreeMap::new(),
        shares: Vec::new(),
        stmts: Vec::new(),
    };
    let lowered = host.whole(target);
    let Host { kernels, texts, names, .. } = host;
    shared.texts = texts;
    shared.kernels = kernels;
    shared.names = names;
    lowered
}

/// What is in blocks in which no column says that it lives.
fn element_types(function: &mem::Function, known: &mut BTreeMap<ValueId, (String, ScalarType)>) {
    walk(&function.body, &mut |stmt| match &stmt.expr {
        Expr::Alloc { elem, .. } => {
            for block in &stmt.binds {
                known.entry(*block).or_insert_with(|| (function.values[*block].name.clone(), *elem));
            }
        }
        Expr::Loop { state, .. } => {
            for ((v, init), bind) in state.iter().zip(&stmt.binds) {
                let from = init.var().and_then(|b| known.get(&b)).cloned();
                for to in [v, bind] {
                    if let (true, Some(info)) = (function.values[*to].ty == Type::Block, &from) {
                        known.entry(*to).or_insert_with(|| info.clone());
                    }
                }
            }
        }
        _ => {}
    });
}

impl<'a> Host<'a> {
    fn whole(&mut self, target: &dyn Target) -> Lowered<HostFunction> {
        let function = self.function;
        let mut params = Vec::new();
        for p in &function.params {
            match &function.values[*p].ty {
                Type::Scalar(ty) => {
                    let on_device = self.homes.function(self.id).device.contains(p);
                    params.push(self.scalar_slot(*p, *ty, on_device));
                }
                Type::Block => params.push(self.block_slot(*p)),
                Type::Column { .. } => {}
            }
        }
        // A caller may have given one buffer twice.
        self.shares = params.iter().zip(params.iter().skip(1)).map(|(a, b)| (*a, *b)).collect();
        self.stmts(target, &function.body.stmts)?;
        let mut results = Vec::new();
        for (i, a) in function.body.results.iter().enumerate() {
            match a {
                Atom::Var(v) if function.values[*v].ty == Type::Block => results.push(self.block(*v)?),
                Atom::Var(v) if function.values[*v].ty.is_column() => {}
                a => {
                    let on_device = self.homes.function(self.id).results.get(i).copied().unwrap_or(false);
                    results.push(self.hand_on(a, on_device)?);
                }
            }
        }
        let mut body = std::mem::take(&mut self.stmts);
        host_loop::forget_unread(&mut body, &results);
        free::insert_frees(&mut body, &self.slots, &params, &results);
        Ok(HostFunction { name: function.name.clone(), slots: std::mem::take(&mut self.slots), params, results, body })
    }

    // Slots.

    /// What a slot holds.
    pub fn slot(&self, id: SlotId) -> &SlotInfo {
        &self.slots[id.index()]
    }

    pub(super) fn new_slot(&mut self, name: &str, ty: SlotType) -> SlotId {
        self.slots.push(SlotInfo { name: name.to_string(), ty });
        SlotId::new(self.slots.len() - 1)
    }

    pub(super) fn emit(&mut self, stmt: HostStmt) {
        self.note_sharing(&stmt);
        self.stmts.push(stmt);
    }

    fn note_sharing(&mut self, stmt: &HostStmt) {
        match stmt {
            HostStmt::Alias { to, from } => self.shares.push((*to, *from)),
            HostStmt::Call { args, results, .. } => {
                let pairs = results.iter().flat_map(|r| args.iter().chain(results).map(|a| (*r, *a)));
                self.shares.extend(pairs);
            }
            _ => {}
        }
    }

    /// The slots that may hold the buffer that a slot holds.
    pub(super) fn may_share(&self, slot: SlotId) -> BTreeSet<SlotId> {
        let mut same = BTreeSet::from([slot]);
        loop {
            let before = same.len();
            for (a, b) in &self.shares {
                if same.contains(a) || same.contains(b) {
                    same.extend([*a, *b]);
                }
            }
            if same.len() == before {
                return same;
            }
        }
    }

    fn scalar_slot(&mut self, v: ValueId, ty: ScalarType, on_device: bool) -> SlotId {
        let name = self.function.values[v].name.clone();
        let slot = self.new_slot(&name, if on_device { SlotType::Cell(ty) } else { SlotType::Host(ty) });
        let home = if on_device {
            Home { cell: Some(slot), ..Home::default() }
        } else {
            Home { host: Some(slot), ..Home::default() }
        };
        self.at.insert(v, home);
        slot
    }

    fn block_slot(&mut self, block: ValueId) -> SlotId {
        if let Some(slot) = self.blocks.get(&block) {
            return *slot;
        }
        let fallback = (self.function.values[block].name.clone(), ScalarType::I64);
        let (name, elem) = self.block_info.get(&block).cloned().unwrap_or(fallback);
        let slot = self.new_slot(&name, SlotType::Buffer(elem));
        self.blocks.insert(block, slot);
        slot
    }

    fn block(&self, block: ValueId) -> Lowered<SlotId> {
        self.buffer_of_block(block)
    }

    /// The slot of a block.
    pub fn buffer_of_block(&self, block: ValueId) -> Lowered<SlotId> {
        match self.blocks.get(&block) {
            Some(slot) => Ok(*slot),
            None => {
                let name = &self.function.values[block].name;
                Err(limit(self.function.span, format!("the block `{name}_{block}` is not at hand")))
            }
        }
    }

    /// The slot of the block that a column lives in.
    pub fn buffer(&self, column: ValueId) -> Lowered<SlotId> {
        match &self.function.values[column].at {
            Some(place) => self.buffer_of_block(place.block),
            None => Err(limit(self.function.span, format!("column {column} has no place"))),
        }
    }

    /// How many elements the block of a column was allocated for, if that is known.
    pub fn capacity(&self, column: ValueId) -> Option<&HostExpr> {
        self.capacity.get(&self.function.values[column].at.as_ref()?.block)
    }

    /// Where a scalar is at this moment.
    pub fn home(&self, v: ValueId) -> Option<&Home> {
        self.at.get(&v)
    }

    /// A number that is computed now, once.
    pub fn computed(&mut self, name: &str, expr: HostExpr) -> HostExpr {
        let to = self.new_slot(name, SlotType::Host(ScalarType::I64));
        self.emit(HostStmt::Compute { to, expr });
        HostExpr::Slot(to)
    }

    /// A new buffer for the operator at hand; freed after its last use.
    pub fn scratch(&mut self, name: &str, elem: ScalarType, count: HostExpr, span: Span) -> SlotId {
        let to = self.new_slot(name, SlotType::Buffer(elem));
        self.emit(HostStmt::Alloc { to, count, span });
        to
    }

    /// Every byte of a buffer becomes zero.
    pub fn zero(&mut self, buffer: SlotId) {
        self.emit(HostStmt::Zero { buffer });
    }

    /// A new cell, in which the value will be.
    pub fn result_cell(&mut self, v: ValueId) -> SlotId {
        let ty = self.function.values[v].ty.elem().unwrap_or(ScalarType::I64);
        let slot = self.scalar_slot(v, ty, true);
        self.emit(HostStmt::AllocCell { to: slot });
        slot
    }

    /// A name for a kernel: function, operator, what it binds.
    pub fn kernel_name(&mut self, what: &str, binds: &[ValueId]) -> String {
        let mut name = format!("{}_{what}", self.function.name);
        if let Some(v) = binds.first() {
            name = format!("{name}_{}", self.function.values[*v].name);
        }
        super::unique(&mut self.names, &name)
    }

    /// Launches a kernel; one number of tiles per phase.
    pub fn launch(&mut self, finished: Finished, tiles: Vec<HostExpr>) {
        // Versions of a nest, and tests of one entry, often need the same kernel.
        let text = format!("{:?}", Kernel { name: String::new(), ..finished.kernel.clone() });
        let kernel = match self.texts.get(&text) {
            Some(old) => *old,
            None => {
                self.kernels.push(finished.kernel);
                self.texts.insert(text, self.kernels.len() - 1);
                self.kernels.len() - 1
            }
        };
        self.emit(HostStmt::Launch { kernel, tiles, args: finished.args });
    }

    // Statements.

    fn stmts(&mut self, target: &dyn Target, stmts: &[Stmt]) -> Lowered<()> {
        let mut rest = stmts;
        while let Some(first) = rest.first() {
            match target.several(self, rest)? {
                0 => {
                    self.stmt(target, first)?;
                    rest = &rest[1..];
                }
                n => rest = &rest[n..],
            }
        }
        Ok(())
    }

    /// Emits a statement.
    pub(super) fn stmt(&mut self, target: &dyn Target, stmt: &Stmt) -> Lowered<()> {
        self.before_overwriting(stmt)?;
        match &stmt.expr {
            Expr::Op(op) => {
                self.note_copies(op, &stmt.binds, stmt.span)?;
                target.operator(self, op, &stmt.binds, stmt.span)
            }
            Expr::Alloc { count, .. } => self.alloc(stmt, count),
            Expr::Check { check, cond, values } => self.check(stmt.span, *check, cond, values),
            Expr::If { cond, then, otherwise } => self.branch(target, stmt, cond, then, otherwise),
            Expr::Loop { state, cond, body } => self.looped(target, stmt, state, cond, body),
            Expr::Call { function, args } => self.call(stmt, *function, args),
            Expr::Literal(items) => self.literal(stmt, items),
            Expr::Guard { threshold, quantity } => {
                let [v] = stmt.binds.as_slice() else { return Ok(()) };
                let quantity = self.host_atom(quantity, stmt.span)?;
                let to = self.scalar_slot(*v, ScalarType::Bool, false);
                self.emit(HostStmt::Guard { to, threshold: threshold.index(), quantity });
                Ok(())
            }
            Expr::Concat(columns) => {
                let [v] = stmt.binds.as_slice() else { return Ok(()) };
                target.concat(self, *v, columns, stmt.span)
            }
            Expr::MemoryLimit => {
                let [v] = stmt.binds.as_slice() else { return Ok(()) };
                let to = self.scalar_slot(*v, ScalarType::I64, false);
                self.emit(HostStmt::Compute { to, expr: HostExpr::MemoryLimit });
                Ok(())
            }
            expr => {
                let [v] = stmt.binds.as_slice() else { return Ok(()) };
                match &self.function.values[*v].ty {
                    Type::Scalar(_) => self.scalar(*v, expr),
                    Type::Block => {
                        if let Expr::Atom(Atom::Var(from)) = expr {
                            let slot = self.block(*from)?;
                            self.blocks.insert(*v, slot);
                        }
                        Ok(())
                    }
                    Type::Column { .. } => Ok(()),
                }
            }
        }
    }

    fn alloc(&mut self, stmt: &Stmt, count: &Size) -> Lowered<()> {
        let [block] = stmt.binds.as_slice() else { return Ok(()) };
        let count = self.size_on_host(count, stmt.span)?;
        let to = self.block_slot(*block);
        self.capacity.insert(*block, count.clone());
        self.emit(HostStmt::Alloc { to, count, span: stmt.span });
        Ok(())
    }

    /// The value of a size on the host; what it needs is brought there.
    pub fn size_on_host(&mut self, size: &Size, span: Span) -> Lowered<HostExpr> {
        if only_on_device(size) {
            return self.size_by_kernel(size, span);
        }
        let vars: Vec<ValueId> = size.vars().into_iter().map(terrace_ir::value_of).collect();
        self.need(&vars, span)?;
        OnHost { host: self, span }.size(size)
    }

    fn literal(&mut self, stmt: &Stmt, items: &[Atom]) -> Lowered<()> {
        let [column] = stmt.binds.as_slice() else { return Ok(()) };
        if items.is_empty() {
            return Ok(());
        }
        let name = self.kernel_name("literal", &stmt.binds);
        let mut b = Builder::new(self, &name, 1, stmt.span);
        for (i, item) in items.iter().enumerate() {
            let value = b.atom(item)?;
            b.store_once(*column, i as i64, value)?;
        }
        let finished = b.finish();
        self.launch(finished, vec![hint(1)]);
        Ok(())
    }

    fn check(&mut self, span: Span, check: terrace_ir::check::CheckId, cond: &Atom, values: &[Atom]) -> Lowered<()> {
        let on_host = |h: &Self, a: &Atom| match a {
            Atom::Const(_) => true,
            Atom::Var(v) => h.at.get(v).is_some_and(|x| x.host.is_some()),
        };
        if on_host(self, cond) && values.iter().all(|v| on_host(self, v)) {
            let shown = values.iter().map(|v| self.as_i64(v)).collect::<Lowered<Vec<_>>>()?;
            let cond = self.host_atom(cond, span)?;
            self.emit(HostStmt::Check { check: check.index() as u32, cond, values: shown });
            return Ok(());
        }
        let name = self.kernel_name("check", &[]);
        let mut b = Builder::new(self, &name, 1, span);
        b.check_once(check, cond, values)?;
        let finished = b.finish();
        self.launch(finished, vec![hint(1)]);
        Ok(())
    }

    fn as_i64(&mut self, a: &Atom) -> Lowered<HostExpr> {
        let e = self.host_atom(a, self.function.span)?;
        let ty = match a {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.function.values[*v].ty.elem().unwrap_or(ScalarType::I64),
        };
        Ok(if ty == ScalarType::I64 { e } else { HostExpr::Convert(ScalarType::I64, Box::new(e)) })
    }

    /// An operand on the host; it is brought there if it has to be.
    pub fn host_atom(&mut self, a: &Atom, span: Span) -> Lowered<HostExpr> {
        match a {
            Atom::Const(c) => Ok(HostExpr::Const(*c)),
            Atom::Var(v) => {
                self.need(&[*v], span)?;
                match self.at.get(v).and_then(|h| h.host) {
                    Some(slot) => Ok(HostExpr::Slot(slot)),
                    None => Err(limit(span, "a value that the host cannot get")),
                }
            }
        }
    }

    /// A slot with the operand's value: a cell, or a host slot.
    fn hand_on(&mut self, a: &Atom, on_device: bool) -> Lowered<SlotId> {
        if on_device {
            return self.cell_of(a);
        }
        if let HostExpr::Slot(slot) = self.host_atom(a, self.function.span)? {
            return Ok(slot);
        }
        let ty = self.atom_type(a);
        let to = self.new_slot("constant", SlotType::Host(ty));
        let expr = self.host_atom(a, self.function.span)?;
        self.emit(HostStmt::Compute { to, expr });
        Ok(to)
    }

    pub(super) fn atom_type(&self, a: &Atom) -> ScalarType {
        match a {
            Atom::Const(c) => c.ty(),
            Atom::Var(v) => self.function.values[*v].ty.elem().unwrap_or(ScalarType::I64),
        }
    }

    /// What the closure emits, as a list of its own. Whatever it brings to the host is forgotten afterwards: the code may
    /// not have run.
    pub(super) fn nested(&mut self, f: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<Vec<HostStmt>> {
        let saved = (self.at.clone(), self.totals.clone(), std::mem::take(&mut self.stmts));
        let outcome = f(self);
        let inner = std::mem::replace(&mut self.stmts, saved.2);
        self.at = saved.0;
        self.totals = saved.1;
        outcome.map(|()| inner)
    }

    /// Slots that a branch or a loop leaves its values in.
    fn outgoing(&mut self, binds: &[ValueId]) -> Vec<Option<SlotId>> {
        let function = self.function;
        binds
            .iter()
            .map(|v| match &function.values[*v].ty {
                Type::Scalar(ty) => {
                    let on_device = self.homes.function(self.id).device.contains(v);
                    Some(self.scalar_slot(*v, *ty, on_device))
                }
                Type::Block => Some(self.block_slot(*v)),
                Type::Column { .. } => None,
            })
            .collect()
    }

    /// Puts operands into slots, all at once.
    fn assign(&mut self, slots: &[Option<SlotId>], values: &[Atom], at_once: bool) -> Lowered<()> {
        let mut moves = Vec::new();
        let cells: Vec<Atom> = slots
            .iter()
            .zip(values)
            .filter(|(s, _)| s.is_some_and(|s| matches!(self.slot(s).ty, SlotType::Cell(_))))
            .map(|(_, a)| *a)
            .collect();
        self.materialise_atoms(&cells)?;
        for (slot, a) in slots.iter().zip(values) {
            let Some(to) = *slot else { continue };
            match self.slot(to).ty {
                SlotType::Host(_) => {
                    let expr = self.host_atom(a, self.function.span)?;
                    moves.push(HostStmt::Compute { to, expr });
                }
                SlotType::Cell(_) => {
                    let from = self.cell_of(a)?;
                    moves.push(HostStmt::Alias { to, from });
                }
                SlotType::Buffer(_) => {
                    let Atom::Var(v) = a else { continue };
                    let from = self.block(*v)?;
                    moves.push(HostStmt::Alias { to, from });
                }
            }
        }
        let targets: Vec<SlotId> = slots.iter().flatten().copied().collect();
        let reads = |m: &HostStmt| match m {
            HostStmt::Compute { to, expr: HostExpr::Slot(s) } => (*to, Some(*s)),
            HostStmt::Compute { to, .. } => (*to, None),
            HostStmt::Alias { to, from } => (*to, Some(*from)),
            _ => (targets[0], None),
        };
        let mut second = Vec::new();
        for m in moves {
            let (to, from) = reads(&m);
            match from {
                Some(from) if from == to => {}
                // Another target: take its value before it changes.
                Some(from) if at_once && targets.contains(&from) => {
                    let info = self.slot(from).clone();
                    let temporary = self.new_slot(&info.name, info.ty);
                    let (first, then) = match info.ty {
                        SlotType::Host(_) => (
                            HostStmt::Compute { to: temporary, expr: HostExpr::Slot(from) },
                            HostStmt::Compute { to, expr: HostExpr::Slot(temporary) },
                        ),
                        _ => (HostStmt::Alias { to: temporary, from }, HostStmt::Alias { to, from: temporary }),
                    };
                    self.emit(first);
                    second.push(then);
                }
                _ => second.push(m),
            }
        }
        second.into_iter().for_each(|s| self.emit(s));
        Ok(())
    }

    fn branch(&mut self, target: &dyn Target, stmt: &Stmt, cond: &Atom, then: &Body, otherwise: &Body) -> Lowered<()> {
        let cond = self.host_atom(cond, stmt.span)?;
        let slots = self.outgoing(&stmt.binds);
        // Inside the branches their results do not exist yet.
        let homes: Vec<_> = stmt.binds.iter().filter_map(|v| self.at.remove(v).map(|home| (*v, home))).collect();
        let mut arm = |body: &Body| {
            self.nested(|h| {
                h.stmts(target, &body.stmts)?;
                h.assign(&slots, &body.results, false)
            })
        };
        let a = arm(then)?;
        let b = arm(otherwise)?;
        self.at.extend(homes);
        self.emit(HostStmt::If { cond, then: a, otherwise: b });
        Ok(())
    }

    fn looped(
        &mut self,
        target: &dyn Target,
        stmt: &Stmt,
        state: &[(ValueId, Atom)],
        cond: &Body,
        body: &Body,
    ) -> Lowered<()> {
        let (vars, inits): (Vec<ValueId>, Vec<Atom>) = state.iter().copied().unzip();
        let slots = self.outgoing(&vars);
        self.assign(&slots, &inits, false)?;
        let homes: Vec<(ValueId, Option<Home>)> = vars.iter().map(|v| (*v, self.at.get(v).cloned())).collect();
        let mut test = HostExpr::Const(Scalar::Bool(false));
        let cond = self.nested(|h| {
            h.stmts(target, &cond.stmts)?;
            if let Some(c) = cond.results.first() {
                test = h.host_atom(c, stmt.span)?;
            }
            Ok(())
        })?;
        let body = self.nested(|h| {
            h.stmts(target, &body.stmts)?;
            h.assign(&slots, &body.results, true)
        })?;
        let name = self.kernel_name("loop", &stmt.binds);
        let left: Vec<SlotId> = slots.iter().flatten().copied().collect();
        let rounds = Rounds { cond: &cond, test: &test, body: &body };
        let compiled = host_loop::compile(self, &left, &rounds, &name, stmt.span);
        let moved = match compiled {
            Some(moved) => moved,
            None => {
                self.emit(HostStmt::While { cond, test, body });
                BTreeMap::new()
            }
        };
        let new = |slot: Option<SlotId>| slot.map(|s| moved.get(&s).copied().unwrap_or(s));
        for (bind, (var, home)) in stmt.binds.iter().zip(homes) {
            if let Some(home) = home {
                let home = Home { host: new(home.host), cell: new(home.cell), ..home };
                self.at.insert(*bind, home);
            } else if let Some(slot) = self.blocks.get(&var).copied() {
                self.blocks.insert(*bind, slot);
            }
        }
        Ok(())
    }

    fn call(&mut self, stmt: &Stmt, function: FuncId, args: &[Atom]) -> Lowered<()> {
        let callee = &self.program.functions[function];
        let facts = self.homes.function(function);
        let mut on_host = Vec::new();
        let mut on_device = Vec::new();
        for (p, a) in callee.params.iter().zip(args) {
            if let (Type::Scalar(_), Atom::Var(v)) = (&callee.values[*p].ty, a) {
                if facts.device.contains(p) { on_device.push(*a) } else { on_host.push(*v) }
            }
        }
        self.need(&on_host, stmt.span)?;
        self.materialise_atoms(&on_device)?;
        let mut slots = Vec::new();
        for (p, a) in callee.params.iter().zip(args) {
            match (&callee.values[*p].ty, a) {
                (Type::Scalar(_), a) => slots.push(self.hand_on(a, facts.device.contains(p))?),
                (Type::Block, Atom::Var(v)) => slots.push(self.block(*v)?),
                _ => {}
            }
        }
        let mut results = Vec::new();
        for (i, v) in stmt.binds.iter().enumerate() {
            match &self.function.values[*v].ty {
                Type::Scalar(ty) => {
                    let on_device = facts.results.get(i).copied().unwrap_or(false);
                    results.push(self.scalar_slot(*v, *ty, on_device));
                }
                Type::Block => results.push(self.block_slot(*v)),
                Type::Column { .. } => {}
            }
        }
        self.emit(HostStmt::Call { function: function.index(), args: slots, results, span: stmt.span });
        Ok(())
    }
}
