//! From Mem to kernels and a host program.
//!
//! A host-level operator becomes a launch; everything around it becomes the host program:
//!
//! ```text
//! let b_7 : block = alloc f32 n_0                      alloc b_7, n_0
//! let out_8 : f32[n_0] @ b_7 = map grid [n_0] (…) { }   launch saxpy_map tiles ceil(n_0 / 16384) (b_7, …)
//! ```
//!
//! What all devices share is here: [`host`] (the host program, where scalars live, reads back to the host), [`build`] (a
//! kernel under construction), [`body`] and [`sequential`] (what one thread does), [`points`] (from positions to indices).
//! How an operator is cut into tiles is the [`Target`]'s business: [`cpu`] and [`gpu`]. What cannot be lowered yet is
//! refused with a message ([`limit`]), never compiled to something wrong.

mod ahead;
pub mod body;
pub mod borders;
pub mod build;
mod carried;
pub mod choice;
pub mod company;
pub mod cpu;
pub mod expr;
mod foreseen;
pub mod free;
pub mod gpu;
pub mod host;
pub mod host_expr;
mod host_loop;
pub mod overwrite;
mod pack_row;
pub mod points;
pub mod products;
pub mod reduce;
pub mod scalars;
mod scan_row;
pub mod sequential;
pub mod short;
pub mod side_by_side;
pub mod sizes;
pub mod steady;
mod straighten;
pub mod tidy;
pub mod writes;

use crate::analysis::homes::Homes;
use crate::analysis::sharing::Borders;
use crate::options::{Options, TileSizes};
use host::Host;
use std::collections::BTreeMap;
use terrace_base::{Diagnostic, Span};
use terrace_ir::ValueId;
use terrace_ir::flat::{Op, Role, Stmt, Type};
use terrace_ir::kernel::{self, Kernel};
use terrace_ir::mem;
use terrace_plan::host::{HostFunction, HostStmt};
use terrace_plan::layout::Layout;
use terrace_plan::{CheckText, Entry, Target as Device};

/// What a lowering gives: a result, or a stated limit of the compiler.
pub type Lowered<T> = Result<T, Box<Diagnostic>>;

/// How a kind of device runs an operator.
pub trait Target {
    /// Emits the scratch memory and the launches of a host-level operator. The blocks of column results exist already.
    fn operator(&self, host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()>;

    /// Emits the launch that puts whole columns one after the other.
    fn concat(&self, host: &mut Host<'_>, bind: ValueId, columns: &[ValueId], span: Span) -> Lowered<()>;

    /// Emits the first few statements together where that is better; their number, or 0 where each is on its own.
    fn several(&self, _host: &mut Host<'_>, _stmts: &[Stmt]) -> Lowered<usize> {
        Ok(0)
    }
}

/// The message for something that is not supported yet.
pub fn limit(span: Span, what: impl Into<String>) -> Box<Diagnostic> {
    let d = Diagnostic::error("T0801", "this program needs something that is not supported yet");
    Box::new(d.primary(span, what.into()))
}

/// What the functions of a program share while they are lowered.
pub struct Shared<'a> {
    /// The program.
    pub program: &'a mem::Program,
    /// Where scalars live.
    pub homes: Homes,
    /// What of their parameters and results may share a block.
    pub borders: Borders,
    /// How work is cut.
    pub tiles: TileSizes,
    /// For which kind of device.
    pub device: Device,
    /// The kernels so far.
    pub kernels: Vec<Kernel>,
    texts: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
}

/// A name for a kernel that no other has.
fn unique(names: &mut BTreeMap<String, usize>, wanted: &str) -> String {
    let clean: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let count = names.entry(clean.clone()).or_insert(0);
    *count += 1;
    // A phase is called `name_p`, so a bare number after one underscore is taken; so is a name that ends in one.
    let number = *count;
    if number == 1 && !clean.ends_with(|c: char| c.is_ascii_digit()) {
        format!("k_{clean}")
    } else {
        format!("k_{clean}__v{number}")
    }
}

/// Lowers a program for `options.target`.
pub fn lower(program: &mem::Program, options: &Options) -> Lowered<kernel::Program> {
    let target: &dyn Target = match options.target {
        Device::C => &cpu::Cpu,
        Device::Cuda | Device::OpenCl => &gpu::Gpu,
    };
    let mut shared = Shared {
        program,
        homes: Homes::of(program),
        borders: Borders::of(program),
        tiles: options.tiles,
        device: options.target,
        kernels: Vec::new(),
        texts: BTreeMap::new(),
        names: BTreeMap::new(),
    };
    let mut functions: Vec<HostFunction> = Vec::new();
    let mut entries = Vec::new();
    for (id, function) in program.functions.enumerate() {
        functions.push(host::lower_function(&mut shared, target, id)?);
        let (name, is_test) = match &function.role {
            Role::Internal => continue,
            Role::Entry => (function.name.clone(), false),
            Role::Test { name, .. } => (name.clone(), true),
        };
        entries.push(Entry {
            name,
            is_test,
            function: id.index(),
            params: function.param_layouts.clone(),
            consumed: consumed(function),
            result: function.result_layout.clone().unwrap_or(Layout::Tuple(Vec::new())),
        });
    }
    let kernels = drop_unlaunched(shared.kernels, &mut functions);
    let checks = program.checks.iter().map(check_text).collect();
    let thresholds = program.thresholds.iter().cloned().collect();
    Ok(kernel::Program { target: options.target, kernels, functions, entries, checks, thresholds })
}

/// Without the kernels that became parts of others; launches are numbered anew.
fn drop_unlaunched(kernels: Vec<Kernel>, functions: &mut [HostFunction]) -> Vec<Kernel> {
    fn launches<'a>(stmts: &'a mut [HostStmt], found: &mut Vec<&'a mut usize>) {
        for stmt in stmts {
            match stmt {
                HostStmt::Launch { kernel, .. } => found.push(kernel),
                HostStmt::If { then: a, otherwise: b, .. } | HostStmt::While { cond: a, body: b, .. } => {
                    launches(a, found);
                    launches(b, found);
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    functions.iter_mut().for_each(|f| launches(&mut f.body, &mut found));
    let mut new: Vec<Option<usize>> = vec![None; kernels.len()];
    found.iter().for_each(|k| new[**k] = Some(0));
    new.iter_mut().flatten().enumerate().for_each(|(k, number)| *number = k);
    for kernel in found {
        *kernel = new[*kernel].expect("it is launched");
    }
    kernels.into_iter().zip(new).filter_map(|(k, number)| number.map(|_| k)).collect()
}

/// The slots that an entry consumes: its parameters without the blocks.
fn consumed(function: &mem::Function) -> Vec<usize> {
    let slots = function.params.iter().filter(|p| function.values[**p].ty != Type::Block);
    slots.enumerate().filter(|(_, p)| function.owned.contains(p)).map(|(slot, _)| slot).collect()
}

fn check_text(info: &terrace_ir::check::CheckInfo) -> CheckText {
    CheckText { code: info.kind.code(), kind: info.kind.word().into(), text: info.kind.text().into(), span: info.span }
}
