//! Scalars between host and device.
//!
//! [`Host::need`] brings values to the host with *one* read, however many there are. What is only computed from other
//! scalars is not read itself: its sources are, and the host computes it. Whatever else the function will need on the host
//! and is already there to be read comes along, so that one read serves several branches and allocations:
//!
//! ```text
//! let k_3 = reduce …; let m_5 = reduce …           launch …; launch …
//! if k_3 > 0 { … } ; let b = alloc f64 m_5         read k_3, m_5; if k_3 > 0 { … }; alloc b, m_5
//! ```
//!
//! In the other direction, [`Host::cell_of`] puts a value into a cell where a cell is required; delayed values are computed
//! by a kernel of one thread, all that are wanted at one place together.

use super::build::Builder;
use super::host::{Home, Host};
use super::host_expr::{OnHost, hint};
use super::points::{closed_count, count};
use super::{Lowered, limit};
use std::collections::BTreeSet;
use terrace_algebra::{Atom as SizeAtom, Size};
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Descriptor, Expr, Op, OpKind, ScanForm};
use terrace_ir::kernel::Stmt;
use terrace_ir::{Atom, ValueId, size_var, value_of};
use terrace_plan::host::{HostExpr, HostStmt, SlotId, SlotType};

impl Host<'_> {
    /// A scalar statement: computed at once if its operands are on the host, else delayed.
    pub(super) fn scalar(&mut self, v: ValueId, expr: &Expr) -> Lowered<()> {
        if let Expr::Atom(Atom::Var(from)) = expr
            && let Some(home) = self.at.get(from).cloned()
        {
            self.at.insert(v, home);
            return Ok(());
        }
        if self.computable(expr) && operands(expr).iter().all(|o| self.is_on_host(*o)) {
            return self.compute(v, expr);
        }
        self.at.insert(v, Home { delayed: Some(expr.clone()), ..Home::default() });
        Ok(())
    }

    fn is_on_host(&self, v: ValueId) -> bool {
        self.home(v).is_some_and(|h| h.host.is_some())
    }

    /// Whether the host could compute it from its operands.
    fn computable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Read { .. } => false,
            Expr::Size(s) => !only_on_device(s),
            _ => true,
        }
    }

    fn compute(&mut self, v: ValueId, expr: &Expr) -> Lowered<()> {
        let span = self.function.span;
        let value = {
            let at = |a: &Atom| -> Lowered<Box<HostExpr>> {
                match a {
                    Atom::Const(c) => Ok(Box::new(HostExpr::Const(*c))),
                    Atom::Var(v) => match self.home(*v).and_then(|h| h.host) {
                        Some(slot) => Ok(Box::new(HostExpr::Slot(slot))),
                        None => Err(limit(span, "an operand that is not on the host")),
                    },
                }
            };
            match expr {
                Expr::Atom(a) => *at(a)?,
                Expr::Unary(op, a) => HostExpr::Unary(*op, at(a)?),
                Expr::Binary(op, a, b) => HostExpr::Binary(*op, at(a)?, at(b)?),
                Expr::Fma(a, b, c) => HostExpr::Fma(at(a)?, at(b)?, at(c)?),
                Expr::Convert(ty, a) => HostExpr::Convert(*ty, at(a)?),
                Expr::Select(a, b, c) => HostExpr::Select(at(a)?, at(b)?, at(c)?),
                Expr::Size(s) => OnHost { host: self, span }.size(s)?,
                _ => return Err(limit(span, "this on the host")),
            }
        };
        let info = &self.function.values[v];
        let (name, ty) = (info.name.clone(), info.ty.elem().unwrap_or(ScalarType::I64));
        let to = self.new_slot(&name, SlotType::Host(ty));
        self.emit(HostStmt::Compute { to, expr: value });
        self.at.entry(v).or_default().host = Some(to);
        Ok(())
    }

    fn leaves(&self, v: ValueId, out: &mut BTreeSet<ValueId>) {
        let Some(home) = self.home(v) else { return };
        match (&home.host, &home.cell, &home.delayed) {
            (Some(_), _, _) => {}
            (None, Some(_), _) => {
                out.insert(v);
            }
            (None, None, Some(expr)) if self.computable(expr) => {
                operands(expr).into_iter().for_each(|o| self.leaves(o, out));
            }
            _ => {
                out.insert(v);
            }
        }
    }

    fn finish_on_host(&mut self, v: ValueId) -> Lowered<()> {
        let Some(home) = self.home(v).cloned() else { return Ok(()) };
        if home.host.is_some() {
            return Ok(());
        }
        let Some(expr) = home.delayed else { return Ok(()) };
        for o in operands(&expr) {
            self.finish_on_host(o)?;
        }
        self.compute(v, &expr)
    }

    /// Brings values to the host, with one read at most.
    pub fn need(&mut self, values: &[ValueId], span: Span) -> Lowered<()> {
        let mut leaves = BTreeSet::new();
        for v in values {
            if self.home(*v).is_none() {
                let name = &self.function.values[*v].name;
                return Err(limit(span, format!("`{name}_{v}` is not known on the host")));
            }
            self.leaves(*v, &mut leaves);
        }
        if !leaves.is_empty() {
            let others: Vec<ValueId> = self.homes.function(self.id).demanded.iter().copied().collect();
            for v in others {
                self.leaves(v, &mut leaves);
            }
            let leaves: Vec<ValueId> = leaves.into_iter().collect();
            self.materialise(&leaves)?;
            let mut cells: Vec<(SlotId, SlotId)> = Vec::new();
            for v in &leaves {
                let Some(cell) = self.home(*v).and_then(|h| h.cell) else { continue };
                let slot = match cells.iter().find(|(c, _)| *c == cell) {
                    Some((_, slot)) => *slot,
                    None => {
                        let (name, ty) = (self.function.values[*v].name.clone(), self.atom_type(&Atom::Var(*v)));
                        let slot = self.new_slot(&name, SlotType::Host(ty));
                        cells.push((cell, slot));
                        slot
                    }
                };
                self.at.entry(*v).or_default().host = Some(slot);
            }
            self.emit(HostStmt::Read { cells });
        }
        values.iter().try_for_each(|v| self.finish_on_host(*v))
    }

    /// Puts delayed values into cells, with one launch at most.
    pub fn materialise(&mut self, values: &[ValueId]) -> Lowered<()> {
        let missing: Vec<ValueId> = values
            .iter()
            .copied()
            .filter(|v| self.home(*v).is_some_and(|h| h.cell.is_none() && h.host.is_none()))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut cells = Vec::new();
        for v in &missing {
            let (name, ty) = (self.function.values[*v].name.clone(), self.atom_type(&Atom::Var(*v)));
            let slot = self.new_slot(&name, SlotType::Cell(ty));
            self.emit(HostStmt::AllocCell { to: slot });
            cells.push(slot);
        }
        let name = self.kernel_name("scalars", &missing);
        let mut b = Builder::new(self, &name, 1, self.function.span);
        for (v, slot) in missing.iter().zip(&cells) {
            let value = b.value(*v)?;
            let cell = b.cell_out(*slot);
            b.emit(Stmt::StoreCell(cell, value));
        }
        let finished = b.finish();
        self.launch(finished, vec![hint(1)]);
        for (v, slot) in missing.into_iter().zip(cells) {
            self.at.entry(v).or_default().cell = Some(slot);
        }
        Ok(())
    }

    pub(super) fn materialise_atoms(&mut self, atoms: &[Atom]) -> Lowered<()> {
        let values: Vec<ValueId> = atoms.iter().filter_map(|a| a.var()).collect();
        self.materialise(&values)
    }

    /// A cell with the operand's value.
    pub fn cell_of(&mut self, a: &Atom) -> Lowered<SlotId> {
        if let Atom::Var(v) = a {
            self.materialise(&[*v])?;
            if let Some(cell) = self.home(*v).and_then(|h| h.cell) {
                return Ok(cell);
            }
        }
        let value = self.host_atom(a, self.function.span)?;
        let ty = self.atom_type(a);
        let name = a.var().map_or("constant".to_string(), |v| self.function.values[v].name.clone());
        let cell = self.new_slot(&name, SlotType::Cell(ty));
        self.emit(HostStmt::AllocCell { to: cell });
        self.emit(HostStmt::WriteCell { cell, value });
        if let Atom::Var(v) = a {
            self.at.entry(*v).or_default().cell = Some(cell);
        }
        Ok(cell)
    }

    /// An upper bound, on the host, of the number of points of an operator's space.
    pub fn points(&mut self, op: &Op, binds: &[ValueId]) -> Lowered<HostExpr> {
        if closed_count(op, op.space.len()).is_none()
            && let Some(bound) = self.known_capacity(op, binds)
        {
            return Ok(bound);
        }
        self.count_bound(op, op.space.len())
    }

    /// The same for the space without its last dimension.
    pub fn rows(&mut self, op: &Op) -> Lowered<HostExpr> {
        self.count_bound(op, op.space.len() - 1)
    }

    fn count_bound(&mut self, op: &Op, upto: usize) -> Lowered<HostExpr> {
        let span = self.function.span;
        if upto == 0 {
            return Ok(hint(1));
        }
        // A position is below the number of points, and may equal its bound.
        let known = self.function.values[op.positions[upto - 1]].bound.as_ref().and_then(|b| self.bounded(b));
        let closed = closed_count(op, upto);
        if let Some(bound) = known
            && closed.as_ref().is_none_or(|size| self.bounded(size).is_none())
        {
            return self.size_on_host(&(bound + 1), span);
        }
        if let Some(size) = closed {
            if !only_on_device(&size) {
                let size = self.bounded(&size).unwrap_or(size);
                return self.size_on_host(&size, span);
            }
        } else if let Descriptor::Regular(m) = &op.space[upto - 1] {
            let above = self.count_bound(op, upto - 1)?;
            let m = match m {
                Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
                Atom::Var(v) => Size::var(size_var(*v)),
            };
            let m = self.bounded(&m).unwrap_or(m);
            let m = self.size_on_host(&m, span)?;
            return Ok(super::host_expr::hmul(above, m));
        }
        let key = match &op.space[upto - 1] {
            Descriptor::Irregular { off, .. } => Some(*off),
            Descriptor::PerAncestor { base, .. } => Some(*base),
            _ => None,
        };
        if let Some(slot) = key.and_then(|k| self.totals.get(&k)) {
            return Ok(HostExpr::Slot(*slot));
        }
        let slot = self.value_by_kernel("points", span, |b| count(b, op, upto))?;
        if let Some(key) = key {
            self.totals.insert(key, slot);
        }
        Ok(HostExpr::Slot(slot))
    }

    /// A size with a sum or an element of a column in it: a kernel of one thread computes it, and it is read.
    pub(super) fn size_by_kernel(&mut self, size: &Size, span: Span) -> Lowered<HostExpr> {
        self.value_by_kernel("size", span, |b| b.size(size)).map(HostExpr::Slot)
    }

    /// What one thread computes, on the host.
    fn value_by_kernel(
        &mut self,
        name: &str,
        span: Span,
        f: impl FnOnce(&mut Builder<'_>) -> Lowered<terrace_ir::kernel::Expr>,
    ) -> Lowered<SlotId> {
        let cell = self.new_slot(name, SlotType::Cell(ScalarType::I64));
        self.emit(HostStmt::AllocCell { to: cell });
        let kernel = self.kernel_name(name, &[]);
        let mut b = Builder::new(self, &kernel, 1, span);
        let n = f(&mut b)?;
        let param = b.cell_out(cell);
        b.emit(Stmt::StoreCell(param, n));
        let finished = b.finish();
        self.launch(finished, vec![hint(1)]);
        let slot = self.new_slot(name, SlotType::Host(ScalarType::I64));
        self.emit(HostStmt::Read { cells: vec![(cell, slot)] });
        Ok(slot)
    }

    /// The size with what is not on the host replaced by its bound, where a larger value only makes it larger.
    pub fn bounded(&self, size: &Size) -> Option<Size> {
        let mut size = size.clone();
        for _ in 0..4 {
            if only_on_device(&size) {
                return None;
            }
            let missing: Vec<ValueId> =
                size.vars().into_iter().map(value_of).filter(|v| !self.is_on_host(*v)).collect();
            if missing.is_empty() {
                return Some(size);
            }
            if size.terms().any(|(_, c)| c < 0) {
                return None;
            }
            for v in missing {
                let bound = self.function.values[v].bound.clone()?;
                size = size.substitute(size_var(v), &bound);
            }
        }
        None
    }

    /// A column with an element per point whose block has a known size.
    fn known_capacity(&self, op: &Op, binds: &[ValueId]) -> Option<HostExpr> {
        let per_point = match &op.kind {
            OpKind::Map { rows: None } | OpKind::Scan { form: ScanForm::Inclusive, .. } => binds.first(),
            _ => None,
        };
        if let Some(e) = per_point.and_then(|v| self.capacity(*v)) {
            return Some(e.clone());
        }
        let position = Atom::Var(*op.positions.last()?);
        for stmt in &op.body.stmts {
            match &stmt.expr {
                Expr::Read { column, at } if *at == position => {
                    if let Some(e) = self.capacity(*column) {
                        return Some(e.clone());
                    }
                }
                Expr::Check { .. } | Expr::If { .. } | Expr::Loop { .. } | Expr::Op(_) => return None,
                _ => {}
            }
        }
        None
    }
}

/// Whether a size has parts that only a kernel can compute.
pub(super) fn only_on_device(s: &Size) -> bool {
    let own = |a: &SizeAtom| matches!(a, SizeAtom::Sum(_) | SizeAtom::Apply { .. });
    s.atoms().into_iter().any(|a| own(a) || a.parts().into_iter().any(only_on_device))
}

/// The scalars that a scalar expression is computed from.
fn operands(expr: &Expr) -> Vec<ValueId> {
    let of = |list: &[&Atom]| list.iter().filter_map(|a| a.var()).collect();
    match expr {
        Expr::Atom(a) | Expr::Unary(_, a) | Expr::Convert(_, a) | Expr::Read { at: a, .. } => of(&[a]),
        Expr::Binary(_, a, b) => of(&[a, b]),
        Expr::Fma(a, b, c) | Expr::Select(a, b, c) => of(&[a, b, c]),
        Expr::Size(s) => s.vars().into_iter().map(value_of).collect(),
        _ => Vec::new(),
    }
}
