//! The messages of the front end, one function each.
//!
//! | codes | about | module |
//! | --- | --- | --- |
//! | `T0050` to `T0060`, `T0068` to `T0079` | names | [`names`] |
//! | `T0061` to `T0066` | imports | [`imports`] |
//! | `T0100` to `T0129` | types | [`types`] |
//! | `T0150` to `T0169` | sizes | [`sizes`] |
//! | `T0180` to `T0189` | warnings | [`types`] |
//!
//! [`explain`](crate::explain) has the long form of each.

mod imports;
mod names;
mod sizes;
mod types;

pub(crate) use imports::*;
pub(crate) use names::*;
pub(crate) use sizes::*;
pub(crate) use types::*;

use terrace_base::{Diagnostic, nearest};

/// Adds the nearest of some names as a hint, if one is near.
pub(crate) fn suggest<'c>(report: Diagnostic, name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Diagnostic {
    match nearest(name, candidates) {
        Some(near) => report.hint(format!("did you mean `{near}`?")),
        None => report,
    }
}

/// Says in which imported module a name is.
pub(crate) fn elsewhere(report: Diagnostic, name: &str, there: &str) -> Diagnostic {
    let module = there.strip_suffix(name).map_or(there, |m| m.trim_end_matches('.'));
    report.hint(format!("`{name}` is in module `{module}`: write `{there}`"))
}

/// `1 argument`, `2 arguments`.
pub(crate) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// Names with backticks, in a sentence.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
