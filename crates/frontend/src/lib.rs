//! The front end: syntax tree to Core.
//!
//! ```text
//! files ──load──▶ syntax trees ──infer──▶ typed tree ──lower──▶ Core
//!        imports,                names,                specialised per use, in A-normal form,
//!        the prelude             types, headers        with a check before whatever may fail
//! ```
//!
//! [`load`] does the first step, [`compile`] the others, [`compile_file`] all. Every mistake of the program is reported by the first two steps, many per run; the third
//! only declines stated limits. What it accepts passes `terrace_ir::core::verify`.
//!
//! | module | idea |
//! | --- | --- |
//! | `modules`, `names` | which files there are, and what they define |
//! | `declare`, `declared` | records, enums, abbreviations |
//! | `header`, `signature` | function headers: declared sizes and types, sizes stated in types |
//! | `read_type`, `substitute`, `uses` | types as written |
//! | `types`, `unify` | inference variables, classes, unification |
//! | `scope` | the names in scope |
//! | `infer`, `exhaustive` | names and types of bodies, completeness of matches |
//! | `typed` | the tree between the steps |
//! | `lower` | typed tree to Core |
//! | `builtins` | the functions that every program has |
//! | `errors`, `codes` | the messages, and what each code means at length |

mod builtins;
mod codes;
mod consume;
mod declare;
mod declared;
mod errors;
mod exhaustive;
mod header;
mod infer;
mod lower;
mod modules;
mod names;
mod read_type;
mod scope;
mod signature;
mod substitute;
mod typed;
mod types;
mod unify;
mod uses;

pub use codes::explain;
pub use modules::{Loaded, LoadedModule, Read, library, load};

use terrace_base::{Diagnostic, FileId, SourceMap};
use terrace_ir::core::Program;
use terrace_plan::surface::EntrySignature;

/// A compiled program, with what is probably a mistake in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The entries of the root module, in source order.
    pub entries: Vec<EntrySignature>,
    /// The warnings, in source order.
    pub warnings: Vec<Diagnostic>,
}

/// Trees are up to 1000 high, and a level of one takes a few kilobytes of stack on its way through both steps.
const STACK: usize = 64 << 20;

/// Loads a file with everything that it imports, and compiles it; on errors, the errors in source order.
pub fn compile_file(sources: &mut SourceMap, root: FileId, read: Read<'_>) -> Result<Compiled, Vec<Diagnostic>> {
    let (loaded, mut messages) = load(sources, root, read);
    if messages.iter().any(Diagnostic::is_error) {
        messages.retain(Diagnostic::is_error);
        return Err(messages);
    }
    let mut compiled = compile(&loaded)?;
    messages.append(&mut compiled.warnings);
    Ok(Compiled { warnings: messages, ..compiled })
}

/// The functions that every program has without an import: those of the language, and those of the prelude.
pub fn known_functions() -> impl Iterator<Item = &'static str> {
    let prelude = library().iter().take(1).flat_map(|(_, text)| text.lines());
    let prelude = prelude.filter_map(|line| line.strip_prefix("def "));
    let names = prelude.filter_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
    builtins::Builtin::names().chain(names)
}

/// Compiles a text that imports nothing but the standard library.
pub fn compile_text(sources: &mut SourceMap, root: FileId) -> Result<Compiled, Vec<Diagnostic>> {
    compile_file(sources, root, &|_| Err(std::io::ErrorKind::NotFound.into()))
}

/// Checks modules that were loaded without errors and makes a Core program of them; on errors, the errors in source order.
pub fn compile(loaded: &Loaded) -> Result<Compiled, Vec<Diagnostic>> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("terrace".to_string()).stack_size(STACK);
        match thread.spawn_scoped(scope, || compile_here(loaded)) {
            Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(_) => compile_here(loaded),
        }
    })
}

fn compile_here(loaded: &Loaded) -> Result<Compiled, Vec<Diagnostic>> {
    let mut typed = infer::infer(loaded);
    let mut reports = std::mem::take(&mut typed.reports);
    let (mut program, mut entries) = (Program::default(), Vec::new());
    if !reports.iter().any(Diagnostic::is_error) {
        program = lower::lower(&typed, &mut reports);
        entries = lower::surface::entries(&typed);
    }
    if !reports.iter().any(Diagnostic::is_error) {
        reports.append(&mut consume::check(&program));
    }
    // Whoever uses the library cannot help what is unused in it.
    reports.retain(|r| r.is_error() || !typed.is_library(r.primary_span()));
    reports.sort_by_key(|r| (r.primary_span(), r.code));
    reports.dedup();
    if reports.iter().any(Diagnostic::is_error) {
        // What an error hides is not seen as used: warnings would be cascades.
        reports.retain(Diagnostic::is_error);
        return Err(reports);
    }
    debug_assert_eq!(terrace_ir::core::verify::verify(&program), Ok(()), "the front end writes valid Core");
    Ok(Compiled { program, entries, warnings: reports })
}

/// The names of the functions that every program has, and that are not written in Terrace.
pub fn builtin_names() -> impl Iterator<Item = &'static str> {
    builtins::Builtin::names()
}
