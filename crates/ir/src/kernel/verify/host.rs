//! Rules 8 to 10: the host program.

use crate::fault::{Fault, require};
use crate::kernel::{ParamKind, Program};
use terrace_base::ScalarType;
use terrace_plan::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotType};
use terrace_plan::layout::{Layout, Slot};
use terrace_plan::print::host_statement;

/// Checks all host functions and entries.
pub(super) fn verify(program: &Program) -> Result<(), String> {
    for function in &program.functions {
        let host = Host { program, function };
        host.stmts(&function.body).map_err(|f| f.in_function(&function.name))?;
    }
    for entry in &program.entries {
        let Some(function) = program.functions.get(entry.function) else {
            return Err(format!("entry {} has no function", entry.name));
        };
        let host = Host { program, function };
        let params = host.fits(&function.params, &entry.params, false);
        let results = host.fits(&function.results, std::slice::from_ref(&entry.result), true);
        params.and(results).map_err(|f| f.in_function(&function.name))?;
    }
    Ok(())
}

struct Host<'a> {
    program: &'a Program,
    function: &'a HostFunction,
}

impl Host<'_> {
    fn fits(&self, slots: &[SlotId], layouts: &[Layout], cells: bool) -> Result<(), Fault> {
        let wanted: Vec<Slot> = layouts.iter().flat_map(Layout::slots).collect();
        require(slots.len() == wanted.len(), || "an entry's slots are not those of its layouts".into())?;
        for (slot, wanted) in slots.iter().zip(&wanted) {
            let fits = match (self.slot(*slot)?, wanted) {
                (SlotType::Host(a), Slot::Scalar(b)) | (SlotType::Buffer(a), Slot::Column(b)) => a == *b,
                (SlotType::Cell(a), Slot::Scalar(b)) => cells && a == *b,
                _ => false,
            };
            require(fits, || format!("slot {slot} is not what the layout of the entry says"))?;
        }
        Ok(())
    }

    fn slot(&self, slot: SlotId) -> Result<SlotType, Fault> {
        let info = self.function.slots.get(slot.index());
        info.map(|s| s.ty).ok_or_else(|| Fault::from(format!("there is no slot {slot}")))
    }

    fn host(&self, slot: SlotId) -> Result<ScalarType, Fault> {
        match self.slot(slot)? {
            SlotType::Host(s) => Ok(s),
            _ => Err(format!("slot {slot} is not a host scalar").into()),
        }
    }

    fn cell(&self, slot: SlotId) -> Result<ScalarType, Fault> {
        match self.slot(slot)? {
            SlotType::Cell(s) => Ok(s),
            _ => Err(format!("slot {slot} is not a cell").into()),
        }
    }

    fn buffer(&self, slot: SlotId) -> Result<ScalarType, Fault> {
        match self.slot(slot)? {
            SlotType::Buffer(s) => Ok(s),
            _ => Err(format!("slot {slot} is not a buffer").into()),
        }
    }

    fn expect(&self, expr: &HostExpr, wanted: ScalarType, what: &str) -> Result<(), Fault> {
        let found = self.expr(expr)?;
        require(found == wanted, || format!("{what}: found {found}, wanted {wanted}"))
    }

    fn expr(&self, expr: &HostExpr) -> Result<ScalarType, Fault> {
        Ok(match expr {
            HostExpr::Const(c) => c.ty(),
            HostExpr::Slot(s) => self.host(*s)?,
            HostExpr::Unary(op, x) => {
                let s = self.expr(x)?;
                op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?
            }
            HostExpr::Binary(op, x, y) => {
                let s = self.expr(x)?;
                self.expect(y, s, "the second operand")?;
                op.result_type(s).ok_or_else(|| format!("there is no {op} of {s}"))?
            }
            HostExpr::Fma(x, y, z) => {
                let s = self.expr(x)?;
                require(s.is_float(), || "fma is for floats".into())?;
                self.expect(y, s, "the second operand")?;
                self.expect(z, s, "the third operand")?;
                s
            }
            HostExpr::Convert(to, x) => {
                self.expr(x)?;
                *to
            }
            HostExpr::Select(c, x, y) => {
                self.expect(c, ScalarType::Bool, "a condition")?;
                let s = self.expr(x)?;
                self.expect(y, s, "the second choice")?;
                s
            }
            HostExpr::MemoryLimit | HostExpr::Workers => ScalarType::I64,
        })
    }

    fn stmts(&self, stmts: &[HostStmt]) -> Result<(), Fault> {
        let kernels: Vec<&str> = self.program.kernels.iter().map(|k| k.name.as_str()).collect();
        let text = |s: &HostStmt| host_statement(s, self.function, &self.program.functions, &kernels);
        stmts.iter().try_for_each(|s| self.stmt(s).map_err(|f| f.in_stmt(|| text(s))))
    }

    fn stmt(&self, stmt: &HostStmt) -> Result<(), Fault> {
        match stmt {
            HostStmt::Compute { to, expr } => self.expect(expr, self.host(*to)?, "what is computed"),
            HostStmt::Guard { to, threshold, quantity } => {
                let known = *threshold < self.program.thresholds.len();
                require(known, || format!("there is no threshold {threshold}"))?;
                require(self.host(*to)? == ScalarType::Bool, || "a guard gives a bool".into())?;
                self.expect(quantity, ScalarType::I64, "the quantity of a guard")
            }
            HostStmt::Alloc { to, count, .. } => {
                self.buffer(*to)?;
                self.expect(count, ScalarType::I64, "a count")
            }
            HostStmt::AllocCell { to } => self.cell(*to).map(|_| ()),
            HostStmt::Alias { to, from } => {
                let same = self.slot(*to)? == self.slot(*from)?;
                require(same, || "both slots have one type".into())
            }
            HostStmt::Free { slot } => self.slot(*slot).map(|_| ()),
            HostStmt::Zero { buffer } => self.buffer(*buffer).map(|_| ()),
            HostStmt::Copies { bytes } => self.expect(bytes, ScalarType::I64, "a number of bytes"),
            HostStmt::WriteCell { cell, value } => self.expect(value, self.cell(*cell)?, "what is written"),
            HostStmt::Launch { kernel, tiles, args } => self.launch(*kernel, tiles, args),
            HostStmt::Read { cells } => cells.iter().try_for_each(|(cell, to)| {
                let same = self.cell(*cell)? == self.host(*to)?;
                require(same, || "a cell is read to a scalar of its type".into())
            }),
            HostStmt::Check { check, cond, values } => {
                require((*check as usize) < self.program.checks.len(), || format!("there is no check {check}"))?;
                self.expect(cond, ScalarType::Bool, "a check's condition")?;
                values.iter().try_for_each(|v| {
                    let integer = self.expr(v)?.is_int();
                    require(integer, || "a check shows integers".into())
                })
            }
            HostStmt::If { cond, then, otherwise } => {
                self.expect(cond, ScalarType::Bool, "a condition")?;
                self.stmts(then)?;
                self.stmts(otherwise)
            }
            HostStmt::While { cond, test, body } => {
                self.stmts(cond)?;
                self.expect(test, ScalarType::Bool, "a condition")?;
                self.stmts(body)
            }
            HostStmt::Call { function, args, results, .. } => {
                let Some(callee) = self.program.functions.get(*function) else {
                    return Err(format!("there is no function {function}").into());
                };
                let callee = Host { program: self.program, function: callee };
                self.agree(args, &callee, &callee.function.params, "the arguments")?;
                self.agree(results, &callee, &callee.function.results, "the results")
            }
        }
    }

    fn agree(&self, own: &[SlotId], callee: &Host<'_>, theirs: &[SlotId], what: &str) -> Result<(), Fault> {
        require(own.len() == theirs.len(), || format!("{what}: found {}, wanted {}", own.len(), theirs.len()))?;
        for (a, b) in own.iter().zip(theirs) {
            let same = self.slot(*a)? == callee.slot(*b)?;
            require(same, || format!("{what}: slot {a} has another type"))?;
        }
        Ok(())
    }

    fn launch(&self, kernel: usize, tiles: &[HostExpr], args: &[Argument]) -> Result<(), Fault> {
        let Some(kernel) = self.program.kernels.get(kernel) else {
            return Err(format!("there is no kernel {kernel}").into());
        };
        require(tiles.len() == kernel.phases.len(), || "a launch has one count of tiles per phase".into())?;
        tiles.iter().try_for_each(|t| self.expect(t, ScalarType::I64, "a count of tiles"))?;
        let (found, wanted) = (args.len(), kernel.params.len());
        require(found == wanted, || format!("{} takes {wanted} arguments, not {found}", kernel.name))?;
        for (param, arg) in kernel.params.iter().zip(args) {
            let fits = match (param.kind, arg) {
                (ParamKind::Input(s) | ParamKind::Output(s) | ParamKind::Scratch(s), Argument::Slot(slot)) => {
                    self.slot(*slot)? == SlotType::Buffer(s)
                }
                (ParamKind::CellIn(s) | ParamKind::CellOut(s), Argument::Slot(slot)) => {
                    self.slot(*slot)? == SlotType::Cell(s)
                }
                (ParamKind::Scalar(s), Argument::Value(value)) => self.expr(value)? == s,
                (ParamKind::Scalar(s), Argument::Slot(slot)) => self.slot(*slot)? == SlotType::Host(s),
                _ => false,
            };
            require(fits, || format!("the argument for {} is of another kind or type", param.name))?;
        }
        Ok(())
    }
}
