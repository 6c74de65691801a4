//! The messages of the front end, one function each.
//!
//! Names have codes `T005x`, types `T01xx`, sizes `T015x`, warnings `T018x`. [`explain`] has the long form of each.

use terrace_base::{Diagnostic, Span};

/// A name that nothing binds.
pub(crate) fn unknown_name(name: &str, span: Span, candidates: &[String]) -> Diagnostic {
    let report =
        Diagnostic::error("T0050", format!("there is no `{name}` here")).primary(span, "nothing has this name");
    suggest(report, name, candidates)
}

/// A function that does not exist.
pub(crate) fn unknown_function(name: &str, span: Span, candidates: &[String]) -> Diagnostic {
    let report =
        Diagnostic::error("T0051", format!("there is no function `{name}`")).primary(span, "nothing has this name");
    suggest(report, name, candidates)
}

/// A type name that is not declared.
pub(crate) fn unknown_type(name: &str, span: Span, declare: Option<&str>) -> Diagnostic {
    let report =
        Diagnostic::error("T0052", format!("there is no type `{name}`")).primary(span, "nothing has this name");
    match (scalar_guess(name), declare) {
        (Some(guess), _) => report.hint(format!("did you mean `{guess}`?")),
        (None, Some(declare)) => report.hint(format!("declare it in brackets: `{declare}{name}](…)`")),
        (None, None) => report,
    }
}

fn scalar_guess(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "long" | "isize" | "integer" => "i64",
        "usize" | "uint" => "u64",
        "float" => "f32",
        "double" | "real" => "f64",
        "boolean" => "bool",
        "byte" | "char" => "u8",
        _ => return None,
    })
}

/// Two functions of one name.
pub(crate) fn defined_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0053", format!("`{name}` is defined twice"))
        .primary(span, "this has the name of an earlier one")
        .label(first, "the first definition is here")
}

/// A name declared in brackets and never used in the header.
pub(crate) fn unused_generic(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0055", format!("`{name}` is declared and not used"))
        .primary(span, "no parameter type and no result type mentions this")
        .hint("a size or type name gets its value from the types of the parameters; otherwise leave it out")
}

/// A name declared twice in brackets.
pub(crate) fn declared_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0056", format!("`{name}` is declared twice"))
        .primary(span, "this is the second time")
        .label(first, "the first one is here")
}

/// A function where a value is wanted.
pub(crate) fn function_as_value(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0057", format!("`{name}` is a function, and here a value is wanted"))
        .primary(span, "functions can only be called, or be arguments of functions")
        .hint(format!("call it: `{name}(…)`"))
}

/// A value where a function is wanted.
pub(crate) fn value_as_function(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0058", format!("{what} is not a function")).primary(span, "this cannot be called")
}

/// A name used both as a type and as a size.
pub(crate) fn type_and_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0059", format!("`{name}` is used both as a type and as a size"))
        .primary(span, "declared here")
        .hint("declare two names")
}

/// A class that does not exist.
pub(crate) fn unknown_class(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0060", format!("there is no class `{name}`"))
        .primary(span, "the classes are `Eq`, `Ord`, `Num`, `Int` and `Float`")
}

/// Wrong number of arguments.
pub(crate) fn argument_count(name: &str, span: Span, wanted: &str, found: usize) -> Diagnostic {
    let found = match found {
        0 => "no argument".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    };
    Diagnostic::error("T0102", format!("`{name}` takes {wanted}, and here it gets {found}"))
        .primary(span, format!("{found} here"))
}

/// A type that would contain itself.
pub(crate) fn infinite_type(span: Span) -> Diagnostic {
    Diagnostic::error("T0104", "this would have a type that contains itself")
        .primary(span, "an array cannot be an element of itself")
}

/// A type that nothing determines.
pub(crate) fn open_type(span: Span) -> Diagnostic {
    Diagnostic::error("T0105", "the type of this cannot be found out")
        .primary(span, "nothing says what the elements are")
        .hint("state it: `let xs: []i64 = []`")
}

/// A literal that does not fit the type it got.
pub(crate) fn literal_range(text: &str, ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0106", format!("`{text}` does not fit `{ty}`")).primary(span, format!("this is `{ty}`"))
}

/// A recursive function without a stated result.
pub(crate) fn result_needed(name: &str, span: Span, call: Span) -> Diagnostic {
    Diagnostic::error("T0107", format!("`{name}` is recursive and needs the type of its result"))
        .primary(span, "state it after the parameters: `-> type`")
        .label(call, "called here before its result is known")
}

/// An entry with type names.
pub(crate) fn generic_entry(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0108", format!("the entry `{name}` has types that are not fixed"))
        .primary(span, "the host needs to know what to pass")
        .hint("make it a `def`, and add an `entry` for each type that is needed")
}

/// A test that is not a truth value.
pub(crate) fn test_type(ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0109", "a test must be true or false")
        .primary(span, format!("this is `{ty}`"))
        .hint("compare it with what it should be: `test \"…\" = f(x) == y`")
}

/// A lambda where there can be none.
pub(crate) fn stray_lambda(span: Span) -> Diagnostic {
    Diagnostic::error("T0110", "a function cannot be stored or returned")
        .primary(span, "functions can only be arguments of functions")
        .hint("name it with `def`, or write it where it is used: `map(|x| x + 1, xs)`")
}

/// A function argument with the wrong number of parameters.
pub(crate) fn function_arity(span: Span, wanted: usize, found: usize, of: &str) -> Diagnostic {
    Diagnostic::error("T0111", format!("`{of}` needs a function of {wanted}, and this one takes {found}"))
        .primary(span, format!("takes {found}"))
}

/// A tuple pattern on something else.
pub(crate) fn pattern_form(span: Span, parts: usize) -> Diagnostic {
    Diagnostic::error("T0112", format!("this pattern takes apart a tuple of {parts}, and its type is another"))
        .primary(span, format!("{parts} parts"))
}

/// A part of the language that this version does not have.
pub(crate) fn not_built(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("T0120", format!("not built yet: {what}")).primary(span, "this version cannot compile this")
}

/// Specialisation that does not end.
pub(crate) fn endless_instances(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0121", format!("`{name}` calls itself at ever new types"))
        .primary(span, "within a recursion, types must stay the same")
}

/// A size name that nothing binds.
pub(crate) fn unknown_size(name: &str, span: Span, declare: Option<&str>) -> Diagnostic {
    let report =
        Diagnostic::error("T0150", format!("there is no size `{name}`")).primary(span, "nothing has this name");
    match declare {
        Some(declare) => report.hint(format!("declare it in brackets: `{declare}{name}](…)`")),
        None => report,
    }
}

/// An expression that cannot be a size.
pub(crate) fn not_a_size(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("T0151", "this cannot be a size")
        .primary(span, what)
        .note("sizes use integers, names, `+ - *`, `/` and `%` by a constant, `min` and `max`")
}

/// A declared size that no parameter determines.
pub(crate) fn undetermined_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0152", format!("no parameter says what `{name}` is"))
        .primary(span, format!("needs a parameter with the length `{name}`, such as `xs: [{name}]f64`"))
}

/// A size that cannot be true.
pub(crate) fn impossible_size(text: &str, wanted: i64, found: i64, stated: Span, value: Span) -> Diagnostic {
    Diagnostic::error("T0154", format!("the size `{text}` can never hold"))
        .primary(value, format!("this has length {found}"))
        .label(stated, format!("and here {wanted} is stated"))
}

/// A name that is bound and not used.
pub(crate) fn unused_name(name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning("T0180", format!("`{name}` is not used"))
        .primary(span, "bound here")
        .hint(format!("leave it out, or write `_{name}` to say that this is meant"))
}

fn suggest(report: Diagnostic, name: &str, candidates: &[String]) -> Diagnostic {
    let near = candidates.iter().map(|c| (distance(name, c), c)).min();
    match near {
        Some((d, c)) if d <= 1 + name.len() / 4 && d < name.len() => report.hint(format!("did you mean `{c}`?")),
        _ => report,
    }
}

/// How many single-character edits lead from one name to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = cost.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
