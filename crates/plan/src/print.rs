//! Plans as text, for people: one line per statement of the host program.
//!
//! ```text
//! host filter_sum(n_0 : i64, xs_1 : f64 buffer) -> (total_4 : f64 host) {
//!   kept_2 = cell i64
//!   launch pack_0 tiles [(n_0 + 1023) / 1024] (xs_1, kept_2, n_0)
//!   read kept_2 -> count_3
//!   …
//! ```
//!
//! Nothing parses this back.

use crate::capture::{self, Found};
use crate::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotType};
use crate::layout::{DimLayout, Layout};
use crate::threshold::Threshold;
use crate::{CheckText, Entry, KernelParam, Plan, Target};
use std::fmt;
use terrace_base::{BinOp, ScalarType, UnOp};

/// The whole plan: entries, checks, host program, and the text of the kernels.
pub fn print(plan: &Plan) -> String {
    let kernels: Vec<&str> = plan.kernels.iter().map(|k| k.name.as_str()).collect();
    let mut out = format!("plan {} for {}\n", plan.version, target(plan.target));
    out += &entries_and_checks(&plan.entries, &plan.functions, &plan.checks);
    out += &thresholds(&plan.thresholds);
    out += &loops(plan);
    for function in &plan.functions {
        out += &format!("\n{}", host_function(function, &plan.functions, &kernels));
    }
    if !plan.alone.is_empty() {
        out += &format!("\n{}\n", plan.alone.trim_end());
    }
    for kernel in &plan.kernels {
        let params: Vec<String> = kernel.params.iter().map(kernel_param).collect();
        let (phases, block) = (kernel.phases, kernel.block);
        out += &format!("\nkernel {}({}) phases {phases} block {block}\n", kernel.name, params.join(", "));
        out += &format!("{}\n", kernel.text.trim_end());
    }
    out
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

/// The name of a target.
pub fn target(target: Target) -> &'static str {
    match target {
        Target::C => "c",
        Target::Cuda => "cuda",
        Target::OpenCl => "opencl",
    }
}

/// What can be called, and what can fail; a line each.
pub fn entries_and_checks(entries: &[Entry], functions: &[HostFunction], checks: &[CheckText]) -> String {
    let mut out = String::new();
    for entry in entries {
        let word = if entry.is_test { "test" } else { "entry" };
        let params: Vec<String> = entry.params.iter().map(layout).collect();
        let function = functions.get(entry.function).map_or("unknown", |f| f.name.as_str());
        let (params, result) = (params.join(", "), layout(&entry.result));
        out += &format!("{word} {:?} = {function} : ({params}) -> {result}\n", entry.name);
    }
    for (id, check) in checks.iter().enumerate() {
        let text = if check.text.is_empty() { String::new() } else { format!(" {:?}", check.text) };
        out += &format!("check {id} : {} {}{text}\n", check.code, check.kind);
    }
    out
}

/// What guards compare with; a line each.
pub fn thresholds(list: &[Threshold]) -> String {
    list.iter().map(|t| format!("threshold {} = {} : {}\n", t.name, t.value, t.about)).collect()
}

/// What becomes of the loops of a plan for CUDA; a line each, in the order of the text.
pub fn loops(plan: &Plan) -> String {
    let line = |found: &Found| {
        let kernel = found.kernel.and_then(|k| plan.kernels.get(k)).map_or("nothing", |k| k.name.as_str());
        format!("loop in {} of {kernel} : {}\n", found.function, found.outcome())
    };
    capture::loops(plan).iter().map(line).collect()
}

/// A layout; the lengths of its dimensions are named by how they are stored.
pub fn layout(of: &Layout) -> String {
    match of {
        Layout::Scalar(s) => s.to_string(),
        Layout::Tuple(parts) => format!("({})", parts.iter().map(layout).collect::<Vec<_>>().join(", ")),
        Layout::Array(dim, elem) => {
            let dim = match dim {
                DimLayout::Length => "length".to_string(),
                DimLayout::Closed(size) => format!("closed {size}"),
                DimLayout::Irregular { packed: true } => "off".to_string(),
                DimLayout::Irregular { packed: false } => "off start".to_string(),
            };
            format!("[{dim}]{}", layout(elem))
        }
    }
}

fn kernel_param(param: &KernelParam) -> String {
    match param {
        KernelParam::Buffer(s) => format!("{s} buffer"),
        KernelParam::Cell(s) => format!("{s} cell"),
        KernelParam::Scalar(s) => s.to_string(),
    }
}

/// One function of a host program; launches and calls are shown by name.
pub fn host_function(function: &HostFunction, functions: &[HostFunction], kernels: &[&str]) -> String {
    let p = Printer { function, functions, kernels };
    let list = |slots: &[SlotId]| slots.iter().map(|s| p.typed(*s)).collect::<Vec<_>>().join(", ");
    let mut out = format!("host {}({}) -> ({}) {{\n", function.name, list(&function.params), list(&function.results));
    p.stmts(&function.body, 1, &mut out);
    out + "}\n"
}

/// The first line of a statement, for messages.
pub fn host_statement(
    stmt: &HostStmt,
    function: &HostFunction,
    functions: &[HostFunction],
    kernels: &[&str],
) -> String {
    let mut text = String::new();
    Printer { function, functions, kernels }.stmt(stmt, 0, &mut text);
    text.lines().next().unwrap_or_default().to_string()
}

/// How tightly an operator binds; larger is tighter.
pub fn strength(op: BinOp) -> u8 {
    match op {
        BinOp::Or => 1,
        BinOp::Xor => 2,
        BinOp::And => 3,
        op if op.is_comparison() => 4,
        BinOp::Shl | BinOp::Shr => 5,
        BinOp::Add | BinOp::Sub => 6,
        BinOp::Min | BinOp::Max | BinOp::Pow | BinOp::Atan2 => ATOM,
        _ => 7,
    }
}

/// The strength of what needs no parentheses.
pub const ATOM: u8 = 9;

/// An operation from its operands' text and strength.
pub fn binary(op: BinOp, left: (String, u8), right: (String, u8)) -> (String, u8) {
    let own = strength(op);
    if own == ATOM {
        return (format!("{}({}, {})", op.word(), left.0, right.0), ATOM);
    }
    let wrap = |(text, strength): (String, u8), least: u8| {
        if strength < least { format!("({text})") } else { text }
    };
    // Comparisons do not chain.
    let left_least = if op.is_comparison() { own + 1 } else { own };
    (format!("{} {} {}", wrap(left, left_least), op.symbol(), wrap(right, own + 1)), own)
}

/// An operation from its operand's text and strength.
pub fn unary(op: UnOp, operand: (String, u8)) -> (String, u8) {
    match op {
        UnOp::Neg | UnOp::Not if operand.1 == ATOM => (format!("{}{}", op.symbol(), operand.0), 8),
        UnOp::Neg | UnOp::Not => (format!("{}({})", op.symbol(), operand.0), 8),
        _ => (format!("{}({})", op.word(), operand.0), ATOM),
    }
}

/// A conversion.
pub fn conversion(to: ScalarType, operand: (String, u8)) -> (String, u8) {
    (format!("{to}({})", operand.0), ATOM)
}

struct Printer<'a> {
    function: &'a HostFunction,
    functions: &'a [HostFunction],
    kernels: &'a [&'a str],
}

impl Printer<'_> {
    fn slot(&self, slot: SlotId) -> String {
        let name = self.function.slots.get(slot.index()).map_or("unknown", |s| s.name.as_str());
        format!("{name}_{slot}")
    }

    fn slots(&self, slots: &[SlotId]) -> String {
        slots.iter().map(|s| self.slot(*s)).collect::<Vec<_>>().join(", ")
    }

    fn slot_type(&self, slot: SlotId) -> String {
        match self.function.slots.get(slot.index()).map(|s| s.ty) {
            Some(SlotType::Host(s)) => s.to_string(),
            Some(SlotType::Cell(s)) => format!("{s} cell"),
            Some(SlotType::Buffer(s)) => format!("{s} buffer"),
            None => "unknown".into(),
        }
    }

    fn typed(&self, slot: SlotId) -> String {
        format!("{} : {}", self.slot(slot), self.slot_type(slot))
    }

    fn elem(&self, slot: SlotId) -> String {
        match self.function.slots.get(slot.index()).map(|s| s.ty) {
            Some(SlotType::Host(s) | SlotType::Cell(s) | SlotType::Buffer(s)) => s.to_string(),
            None => "unknown".into(),
        }
    }

    fn expr(&self, expr: &HostExpr) -> String {
        self.tree(expr).0
    }

    fn exprs(&self, exprs: &[HostExpr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn tree(&self, expr: &HostExpr) -> (String, u8) {
        let e = |x: &HostExpr| self.expr(x);
        match expr {
            HostExpr::Const(c) => (c.to_string(), ATOM),
            HostExpr::Slot(s) => (self.slot(*s), ATOM),
            HostExpr::Unary(op, x) => unary(*op, self.tree(x)),
            HostExpr::Binary(op, x, y) => binary(*op, self.tree(x), self.tree(y)),
            HostExpr::Fma(x, y, z) => (format!("fma({}, {}, {})", e(x), e(y), e(z)), ATOM),
            HostExpr::Convert(to, x) => conversion(*to, self.tree(x)),
            HostExpr::Select(c, x, y) => (format!("select({}, {}, {})", e(c), e(x), e(y)), ATOM),
            HostExpr::MemoryLimit => ("memory_limit".into(), ATOM),
            HostExpr::Workers => ("workers".into(), ATOM),
        }
    }

    fn stmts(&self, stmts: &[HostStmt], depth: usize, out: &mut String) {
        stmts.iter().for_each(|s| self.stmt(s, depth, out));
    }

    fn stmt(&self, stmt: &HostStmt, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let mut line = |text: String| *out += &format!("{indent}{text}\n");
        match stmt {
            HostStmt::Compute { to, expr } => {
                line(format!("{} : {} = {}", self.slot(*to), self.slot_type(*to), self.expr(expr)))
            }
            HostStmt::Guard { to, threshold, quantity } => {
                line(format!("{} : bool = guard {threshold} ({})", self.slot(*to), self.expr(quantity)))
            }
            HostStmt::Alloc { to, count, .. } => {
                line(format!("{} = alloc {} {}", self.slot(*to), self.elem(*to), self.expr(count)))
            }
            HostStmt::AllocCell { to } => line(format!("{} = cell {}", self.slot(*to), self.elem(*to))),
            HostStmt::Alias { to, from } => line(format!("{} = {}", self.slot(*to), self.slot(*from))),
            HostStmt::Free { slot } => line(format!("free {}", self.slot(*slot))),
            HostStmt::Zero { buffer } => line(format!("zero {}", self.slot(*buffer))),
            HostStmt::Copies { bytes } => line(format!("copies {} bytes", self.expr(bytes))),
            HostStmt::WriteCell { cell, value } => line(format!("write {} <- {}", self.slot(*cell), self.expr(value))),
            HostStmt::Launch { kernel, tiles, args } => {
                let name = self.kernels.get(*kernel).copied().unwrap_or("unknown");
                let args: Vec<String> = args.iter().map(|a| self.argument(a)).collect();
                line(format!("launch {name} tiles [{}] ({})", self.exprs(tiles), args.join(", ")))
            }
            HostStmt::Read { cells } => {
                let pairs = cells.iter().map(|(c, h)| format!("{} -> {}", self.slot(*c), self.slot(*h)));
                line(format!("read {}", pairs.collect::<Vec<_>>().join(", ")))
            }
            HostStmt::Check { check, cond, values } => {
                line(format!("check {check} {} ({})", self.expr(cond), self.exprs(values)))
            }
            HostStmt::If { cond, then, otherwise } => {
                line(format!("if {} {{", self.expr(cond)));
                self.stmts(then, depth + 1, out);
                if !otherwise.is_empty() {
                    *out += &format!("{indent}}} else {{\n");
                    self.stmts(otherwise, depth + 1, out);
                }
                *out += &format!("{indent}}}\n");
            }
            HostStmt::While { cond, test, body } => {
                line("loop {".into());
                self.stmts(cond, depth + 1, out);
                *out += &format!("{indent}}} while {} do {{\n", self.expr(test));
                self.stmts(body, depth + 1, out);
                *out += &format!("{indent}}}\n");
            }
            HostStmt::Call { function, args, results, .. } => {
                let name = self.functions.get(*function).map_or("unknown", |f| f.name.as_str());
                let results = if results.is_empty() { String::new() } else { format!("{} = ", self.slots(results)) };
                line(format!("{results}call {name}({})", self.slots(args)))
            }
        }
    }

    fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Slot(s) => self.slot(*s),
            Argument::Value(e) => self.expr(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::SlotInfo;
    use terrace_base::{Scalar, Span};

    fn slot(i: usize) -> SlotId {
        SlotId::new(i)
    }

    fn int(n: i64) -> HostExpr {
        HostExpr::Const(Scalar::I64(n))
    }

    fn bin(op: BinOp, a: HostExpr, b: HostExpr) -> HostExpr {
        HostExpr::Binary(op, Box::new(a), Box::new(b))
    }

    fn check(body: Vec<HostStmt>, expected: &str) {
        let info = |name: &str, ty| SlotInfo { name: name.into(), ty };
        let function = HostFunction {
            name: "f".into(),
            slots: vec![
                info("n", SlotType::Host(ScalarType::I64)),
                info("xs", SlotType::Buffer(ScalarType::F64)),
                info("kept", SlotType::Cell(ScalarType::I64)),
            ],
            params: vec![slot(0), slot(1)],
            results: vec![slot(2)],
            body,
        };
        let text = host_function(&function, std::slice::from_ref(&function), &["pack"]);
        assert_eq!(text, format!("host f(n_0 : i64, xs_1 : f64 buffer) -> (kept_2 : i64 cell) {{\n{expected}}}\n"));
    }

    #[test]
    fn expressions_keep_their_shape() {
        let n = || HostExpr::Slot(slot(0));
        let tiles = bin(BinOp::Div, bin(BinOp::Add, n(), int(1023)), int(1024));
        let minus = bin(BinOp::Sub, n(), bin(BinOp::Sub, n(), int(1)));
        let least = bin(BinOp::Min, bin(BinOp::Mul, n(), int(2)), HostExpr::MemoryLimit);
        check(
            [tiles, minus, least].map(|expr| HostStmt::Compute { to: slot(0), expr }).to_vec(),
            "  n_0 : i64 = (n_0 + 1023) / 1024\n  n_0 : i64 = n_0 - (n_0 - 1)\n  n_0 : i64 = min(n_0 * 2, memory_limit)\n",
        );
    }

    #[test]
    fn a_line_per_statement() {
        let launch = HostStmt::Launch {
            kernel: 0,
            tiles: vec![int(4)],
            args: vec![Argument::Slot(slot(1)), Argument::Slot(slot(2)), Argument::Value(HostExpr::Slot(slot(0)))],
        };
        let call = HostStmt::Call { function: 0, args: vec![slot(0)], results: vec![slot(2)], span: Span::none() };
        let body = vec![
            HostStmt::AllocCell { to: slot(2) },
            HostStmt::Alloc { to: slot(1), count: int(7), span: Span::none() },
            launch,
            HostStmt::Read { cells: vec![(slot(2), slot(0))] },
            HostStmt::While {
                cond: vec![HostStmt::Zero { buffer: slot(1) }],
                test: bin(BinOp::Lt, int(0), HostExpr::Slot(slot(0))),
                body: vec![call],
            },
            HostStmt::If { cond: HostExpr::Const(Scalar::Bool(true)), then: vec![], otherwise: vec![] },
            HostStmt::Free { slot: slot(1) },
        ];
        check(
            body,
            "  kept_2 = cell i64
  xs_1 = alloc f64 7
  launch pack tiles [4] (xs_1, kept_2, n_0)
  read kept_2 -> n_0
  loop {
    zero xs_1
  } while 0 < n_0 do {
    kept_2 = call f(n_0)
  }
  if true {
  }
  free xs_1
",
        );
    }
}
