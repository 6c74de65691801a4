//! Names in the printed text: what the program called a thing, and its number.
//!
//! A number always follows, so a name never meets a keyword, a header's function or another name.

use terrace_ir::kernel::{ArrayId, Kernel, LocalId, ParamId};

fn identifier(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let clean = clean.trim_matches('_');
    match clean.chars().next() {
        None => "v".to_string(),
        Some(c) if c.is_ascii_digit() => format!("v{clean}"),
        Some(_) => clean.to_string(),
    }
}

/// A local variable.
pub fn local(kernel: &Kernel, id: LocalId) -> String {
    format!("{}_{id}", identifier(&kernel.locals[id].name))
}

/// A parameter.
pub fn param(kernel: &Kernel, id: ParamId) -> String {
    format!("{}_p{id}", identifier(&kernel.params[id].name))
}

/// An array of fixed size.
pub fn array(kernel: &Kernel, id: ArrayId) -> String {
    format!("{}_a{id}", identifier(&kernel.arrays[id].name))
}

/// The function of a phase.
pub fn phase(kernel: &Kernel, phase: usize) -> String {
    if phase == 0 { kernel.name.clone() } else { format!("{}_{phase}", kernel.name) }
}
