//! The front end: syntax tree to Core.
//!
//! ```text
//! syntax tree ──infer──▶ typed tree ──lower──▶ Core
//!              names,                specialised per use, in A-normal form,
//!              types, headers        with a check before whatever may fail
//! ```
//!
//! [`compile`] does both steps. Every mistake of the program is reported by the first step, many per run; the second one
//! only declines stated limits. What it accepts passes `terrace_ir::core::verify`.
//!
//! | module | idea |
//! | --- | --- |
//! | `signature` | function headers: declared sizes and types, sizes stated in types |
//! | `types` | inference variables, classes, unification |
//! | `infer` | names and types of bodies |
//! | `typed` | the tree between the steps |
//! | `lower` | typed tree to Core |
//! | `builtins` | the functions that every program has |
//! | `errors`, `codes` | the messages, and what each code means at length |

mod builtins;
mod codes;
mod errors;
mod infer;
mod lower;
mod signature;
mod typed;
mod types;

pub use codes::explain;

use terrace_base::Diagnostic;
use terrace_ir::core::Program;
use terrace_syntax::ast;

/// A compiled module, with what is probably a mistake in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The warnings, in source order.
    pub warnings: Vec<Diagnostic>,
}

/// Trees are up to 1000 high, and a level of one takes a few kilobytes of stack on its way through both steps.
const STACK: usize = 64 << 20;

/// Checks a module and makes a Core program of it; on errors, the errors in source order.
pub fn compile(module: &ast::Module) -> Result<Compiled, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("terrace".to_string()).stack_size(STACK);
        match thread.spawn_scoped(scope, || compile_here(module)) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => compile_here(module),
        }
    })
}

fn compile_here(module: &ast::Module) -> Result<Compiled, Vec<Diagnostic>> {
    let mut typed = infer::infer(module);
    let mut reports = std::mem::take(&mut typed.reports);
    let mut program = Program::default();
    if !reports.iter().any(Diagnostic::is_error) {
        program = lower::lower(&typed, &mut reports);
    }
    reports.sort_by_key(|r| (r.primary_span(), r.code));
    if reports.iter().any(Diagnostic::is_error) {
        // What an error hides is not seen as used: warnings would be cascades.
        reports.retain(Diagnostic::is_error);
        return Err(reports);
    }
    debug_assert_eq!(terrace_ir::core::verify::verify(&program), Ok(()), "the front end writes valid Core");
    Ok(Compiled { program, warnings: reports })
}
