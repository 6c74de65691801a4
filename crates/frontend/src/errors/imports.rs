//! Messages about imports.

use super::{listed, suggest};
use terrace_base::{Diagnostic, Span};

/// An imported file that cannot be read.
pub(crate) fn missing_file(file: &str, why: &std::io::Error, span: Span, guess: Option<&str>) -> Diagnostic {
    let (title, label) = match why.kind() {
        std::io::ErrorKind::NotFound => (format!("there is no file `{file}`"), "imported here".to_string()),
        _ => (format!("cannot read the file `{file}`"), format!("imported here: {why}")),
    };
    let report = Diagnostic::error("T0061", title)
        .primary(span, label)
        .note("the path of an import is relative to the file it stands in, and has no `.tce` at its end");
    match guess {
        Some(path) => report.hint(format!("there is one under another path: `import \"{path}\"`")),
        None => report,
    }
}

/// A module of the standard library that does not exist.
pub(crate) fn unknown_library(path: &str, span: Span, names: &[String]) -> Diagnostic {
    let report = Diagnostic::error("T0061", format!("the standard library has no `{path}`"))
        .primary(span, "imported here")
        .note(format!("it has {}", listed(names.iter().map(String::as_str))));
    suggest(report, path, names.iter().map(String::as_str))
}

/// A chain of imports that comes back to its beginning: each file with the import that leads to it.
pub(crate) fn import_cycle(chain: &[(String, Span)]) -> Diagnostic {
    let title = if chain.len() == 1 { "a module imports itself" } else { "modules import each other in a circle" };
    let report = Diagnostic::error("T0062", title);
    let Some(((first, closing), before)) = chain.split_last() else {
        return report;
    };
    if before.is_empty() {
        return report
            .primary(*closing, "this is the file itself")
            .hint("leave the import out: its names are here already");
    }
    let mut report = report.primary(*closing, format!("this comes back to `{first}`"));
    for (file, span) in before {
        report = report.label(*span, format!("leads to `{file}`"));
    }
    let files: Vec<String> =
        [first].into_iter().chain(chain.iter().map(|(f, _)| f)).map(|f| format!("`{f}`")).collect();
    report
        .note(format!("the circle is {}", files.join(" imports ")))
        .hint("put what both need into a module of its own, which imports neither")
}

/// Two imports of one name.
pub(crate) fn imported_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0064", format!("two modules are imported as `{name}`"))
        .primary(span, "this has the name of an earlier import")
        .label(first, "the first one is here")
        .hint("give one of them another name with `as`, or leave it out if both are the same")
}

/// A path that cannot be one.
pub(crate) fn import_path(path: &str, span: Span, problem: &str) -> Diagnostic {
    Diagnostic::error("T0065", format!("`{path}` cannot be imported"))
        .primary(span, problem.to_string())
        .hint("write the path of a file as seen from here, without its ending: `import \"shapes/circle\"`")
}

/// A path whose last part is not a name.
pub(crate) fn import_name(path: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0065", format!("`{name}` cannot be the name of a module"))
        .primary(span, "names have letters, digits and `_`")
        .hint(format!("give it a name: `import \"{path}\" as other`"))
}

/// A file that is not text.
pub(crate) fn not_text(file: &str, at: usize, span: Span) -> Diagnostic {
    Diagnostic::error("T0066", format!("`{file}` is not a text file"))
        .primary(span, "imported here")
        .note(format!("programs are UTF-8 text; byte {at} of this file does not fit"))
}
