//! Messages about sizes.

use super::{count, suggest};
use terrace_base::{Diagnostic, Span};

/// A size name that nothing binds.
pub(crate) fn unknown_size(name: &str, span: Span, declare: Option<&str>, near: &[&str]) -> Diagnostic {
    let report =
        Diagnostic::error("T0150", format!("there is no size `{name}`")).primary(span, "nothing has this name");
    let report = match declare {
        Some(declare) => report.hint(format!("declare it in brackets: `{declare}{name}]`")),
        None => report,
    };
    if name.len() > 1 { suggest(report, name, near.iter().copied()) } else { report }
}

/// An expression that cannot be a size.
pub(crate) fn not_a_size(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("T0151", "this cannot be a size")
        .primary(span, what)
        .note("sizes use integers, names, `+ - *`, `/` and `%` by a constant, `min`, `max`, `if` and size functions")
}

/// A declared size that no parameter determines.
pub(crate) fn undetermined_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0152", format!("no parameter says what `{name}` is"))
        .primary(span, format!("needs a parameter with the length `{name}`, such as `xs: [{name}]f64`"))
}

/// A declared size function that no parameter determines.
pub(crate) fn undetermined_size_function(name: &str, span: Span, arity: usize) -> Diagnostic {
    let example = match arity {
        1 => format!("[i < n][{name}(i)]f64"),
        _ => format!("[i < n][j < m][{name}(i, j)]f64"),
    };
    Diagnostic::error("T0153", format!("no parameter says what `{name}` is"))
        .primary(span, format!("needs a parameter whose rows have these lengths, such as `xs: {example}`"))
        .note("the arguments are the positions around the row, from the outside in")
}

/// A position outside of the type it belongs to.
pub(crate) fn position_outside(name: &str, span: Span, position: Span) -> Diagnostic {
    Diagnostic::error("T0150", format!("there is no size `{name}` here"))
        .primary(span, "nothing has this name")
        .label(position, "this one is known only to the elements behind the brackets")
}

/// A parameter that is not an integer, as a size.
pub(crate) fn parameter_as_size(name: &str, span: Span, param: Span, stated: bool) -> Diagnostic {
    let report = Diagnostic::error("T0151", format!("the parameter `{name}` cannot be a size"))
        .primary(span, "a size is wanted here")
        .label(param, if stated { "this is not an integer" } else { "the type of this is not stated" });
    if stated { report } else { report.hint(format!("state that it is an integer: `{name}: i64`")) }
}

/// A size that cannot be true.
pub(crate) fn impossible_size(text: &str, wanted: i64, found: i64, stated: Span, value: Span) -> Diagnostic {
    Diagnostic::error("T0154", format!("the size `{text}` can never hold"))
        .primary(value, format!("this has length {found}"))
        .label(stated, format!("and here {wanted} is stated"))
}

/// A size function with two numbers of arguments.
pub(crate) fn two_arities(name: &str, span: Span, arity: usize, first: Span) -> Diagnostic {
    Diagnostic::error("T0155", format!("the size function `{name}` is used with different numbers of arguments"))
        .primary(span, "this number of arguments is another")
        .label(first, format!("here it has {}", count(arity, "argument")))
}

/// A size function with the wrong number of arguments.
pub(crate) fn size_function_arity(name: &str, span: Span, wanted: usize, found: usize) -> Diagnostic {
    let title = format!(
        "the size function `{name}` takes {}, and here it gets {}",
        count(wanted, "argument"),
        count(found, "argument")
    );
    Diagnostic::error("T0155", title).primary(span, format!("{} here", count(found, "argument")))
}

/// A size function without its arguments.
pub(crate) fn bare_size_function(name: &str, span: Span, arity: usize) -> Diagnostic {
    let args = ["i", "j", "k"].into_iter().cycle().take(arity).collect::<Vec<_>>().join(", ");
    Diagnostic::error("T0156", format!("`{name}` is a function, and here a size is wanted"))
        .primary(span, "it stands for one size per position")
        .hint(format!("apply it to the position: `{name}({args})`"))
}

/// A name used both as a size and as a size function.
pub(crate) fn size_and_function(name: &str, span: Span, place: Span) -> Diagnostic {
    Diagnostic::error("T0156", format!("`{name}` is used both as a size and as a size function"))
        .primary(span, "declared here")
        .label(place, "a function here")
        .hint("declare two names")
}

/// A size function as a parameter of a declared type.
pub(crate) fn size_function_of_type(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0157", "a declared type cannot use size functions")
        .primary(span, format!("`{name}` would have to be one"))
        .hint("write the type out where it is needed, in the header of a function")
}

/// `?[m]` where it has no meaning.
pub(crate) fn stray_exists(span: Span) -> Diagnostic {
    Diagnostic::error("T0158", "only a whole result can have sizes that are not known before")
        .primary(span, "this is not the beginning of a result")
}

/// A size after `?` that the result does not mention.
pub(crate) fn unused_result_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0158", format!("`{name}` is not used in the type of the result"))
        .primary(span, "nothing that follows mentions this")
        .hint("leave it out; `[]t` is an array of some length")
}

/// A size after `?` that no length of the result is.
pub(crate) fn undetermined_result_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0158", format!("no part of the result says what `{name}` is"))
        .primary(span, format!("needs a part with exactly the length `{name}`, such as `[{name}]f64`"))
}
