//! Messages about types, and warnings.

use super::count;
use terrace_base::{Diagnostic, Span};

/// Wrong number of arguments.
pub(crate) fn argument_count(name: &str, span: Span, wanted: &str, found: usize) -> Diagnostic {
    let found = match found {
        0 => "no argument".to_string(),
        n => count(n, "argument"),
    };
    let report = Diagnostic::error("T0102", format!("`{name}` takes {wanted}, and here it gets {found}"))
        .primary(span, format!("{found} here"));
    match (name, found.as_str()) {
        ("max" | "min", "1 argument") => report.hint(format!("that of a whole array is `{name}imum(xs)`")),
        _ => report,
    }
}

/// Parentheses behind a constant.
pub(crate) fn constant_called(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0058", format!("`{name}` is a constant, not a function"))
        .primary(span, "this cannot be called")
        .hint(format!("write `{name}` without parentheses"))
}

/// Parentheses behind a variant that holds nothing.
pub(crate) fn empty_variant_called(name: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error("T0058", format!("`{name}` holds nothing, so it has no parentheses"))
        .primary(span, "this is not a call")
        .label(declared, "declared here")
        .hint(format!("write `{name}`"))
}

/// A parameter that is called and used as a value.
pub(crate) fn value_and_function(name: &str, span: Span, bound: Span) -> Diagnostic {
    Diagnostic::error("T0058", format!("`{name}` is called here, and used as a value before"))
        .primary(span, "a value cannot be called, and a function is not a value")
        .label(bound, "bound here")
}

/// A type that would contain itself.
pub(crate) fn infinite_type(span: Span) -> Diagnostic {
    Diagnostic::error("T0104", "this would have a type that contains itself")
        .primary(span, "the whole would be a part of itself")
}

/// A type that nothing determines.
pub(crate) fn open_type(span: Span) -> Diagnostic {
    Diagnostic::error("T0105", "the type of this cannot be found out")
        .primary(span, "nothing says what its parts are")
        .hint("state it with a `let`, `let xs: []i64 = []`, or as the result of the function")
}

/// An array where one number is converted.
pub(crate) fn array_converted(to: &str, span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error("T0101", format!("`{to}(…)` needs a number or a truth value, found `{ty}`"))
        .primary(span, format!("this is `{ty}`"))
        .hint(format!("to convert every element: `map({to}, xs)`"))
}

/// A literal that does not fit the type it got.
pub(crate) fn literal_range(text: &str, ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0106", format!("`{text}` does not fit `{ty}`")).primary(span, format!("this is `{ty}`"))
}

/// Functions that call each other, one of which has type names but not all of its types.
pub(crate) fn types_needed(name: &str, span: Span, others: &str) -> Diagnostic {
    Diagnostic::error("T0107", format!("`{name}` needs the types of all its parameters and of its result"))
        .primary(span, "declares type names and leaves types out")
        .note(format!(
            "it and {others} call each other, so the types of one cannot be found out before those of the other"
        ))
        .hint("state every parameter type and the result: `-> type`")
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

/// A function as the argument of a parameter that is a value.
pub(crate) fn function_for_value(span: Span, of: &str, wanted: &str) -> Diagnostic {
    let report = Diagnostic::error("T0110", format!("`{of}` takes a value here, and this is a function"))
        .primary(span, "a function");
    match wanted {
        "_" => report.note(format!("nothing in `{of}` calls this parameter")),
        wanted => report.note(format!("the type of the parameter is `{wanted}`")),
    }
}

/// A function argument with the wrong number of parameters.
pub(crate) fn function_arity(span: Span, wanted: usize, found: usize, of: &str) -> Diagnostic {
    let wanted = count(wanted, "argument");
    Diagnostic::error("T0111", format!("`{of}` needs a function of {wanted}, and this one takes {found}"))
        .primary(span, format!("takes {}", count(found, "argument")))
}

/// A function that takes functions, as an argument.
pub(crate) fn function_of_functions(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0111", format!("`{name}` takes a function itself, so it cannot be an argument"))
        .primary(span, "functions that are arguments take values")
        .hint(format!("write a lambda that calls it: `|x| {name}(f, x)`"))
}

/// A function type where there can be none.
pub(crate) fn stray_function_type(span: Span) -> Diagnostic {
    Diagnostic::error("T0114", "only a parameter of a `def` can be a function")
        .primary(span, "this is the type of a function")
        .note("functions cannot be stored, returned, or be arguments of functions that are arguments themselves")
}

/// An entry with a function as a parameter.
pub(crate) fn entry_takes_function(span: Span) -> Diagnostic {
    Diagnostic::error("T0116", "an entry cannot take a function")
        .primary(span, "the host can only pass values")
        .hint("make it a `def`, and add an `entry` that calls it with a function")
}

/// A field of something whose type is not known.
pub(crate) fn unknown_record(name: &str, span: Span, field: Span) -> Diagnostic {
    Diagnostic::error("T0115", format!("which record this is must be known to take its field `{name}`"))
        .primary(span, "the type of this is not known yet")
        .label(field, "needed for this")
        .hint("state the type where the name is bound: `p: point`, `|p: point| …`, `let p: point = …`")
}

/// A field of something that has none.
pub(crate) fn no_fields(name: &str, span: Span, ty: &str) -> Diagnostic {
    let report =
        Diagnostic::error("T0115", format!("`{ty}` has no field `{name}`")).primary(span, format!("this is `{ty}`"));
    if ty.starts_with('(') {
        report.hint("the parts of a tuple are numbered: `t.0`, `t.1`")
    } else if ty.starts_with('[') && name != "len" && name != "length" && name != "size" {
        report.hint(format!("take it from one element, `xs[0].{name}`, or from all, `[x.{name} for x in xs]`"))
    } else if name == "len" || name == "length" || name == "size" {
        report.hint("the length of an array is `len(xs)`")
    } else {
        report
    }
}

/// A function behind a dot.
pub(crate) fn no_method(name: &str, span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error("T0115", format!("`{ty}` has no field `{name}`"))
        .primary(span, format!("this is `{ty}`"))
        .hint(format!("functions come first: `{name}(xs)`, or `xs |> {name}`"))
}

/// A component of something that is no tuple, or has fewer.
pub(crate) fn no_component(index: usize, span: Span, ty: &str, parts: Option<usize>) -> Diagnostic {
    let report =
        Diagnostic::error("T0124", format!("`{ty}` has no part `.{index}`")).primary(span, format!("this is `{ty}`"));
    match parts {
        Some(n) if n > 0 => report.hint(format!("its parts are `.0` to `.{}`", n - 1)),
        _ if ty == "_" => report.hint("state the type where the name is bound: `t: (f64, f64)`"),
        _ if ty.starts_with('[') => report.hint(format!("an element of an array is `xs[{index}]`")),
        _ => report,
    }
}

/// A match that leaves values out.
pub(crate) fn not_exhaustive(span: Span, missing: &[String]) -> Diagnostic {
    let report = Diagnostic::error("T0117", "this match leaves values out");
    if missing.first().is_some_and(|m| m == "_") {
        return report.primary(span, "only some values fit an arm").hint("add `_ => …` for everything else");
    }
    let shown = missing.join("`, `");
    report
        .primary(span, format!("no arm fits `{shown}`"))
        .hint(format!("add `{} => …`, or `_ => …` for everything else", missing.first().map_or("_", String::as_str)))
}

/// An arm that can never be chosen.
pub(crate) fn unreachable_arm(span: Span, earlier: Option<Span>) -> Diagnostic {
    let report = Diagnostic::error("T0118", "this arm is never chosen")
        .primary(span, "the arms before it fit everything that this one fits");
    match earlier {
        Some(earlier) => report.label(earlier, "for instance this one"),
        None => report,
    }
}

/// A pattern that may fail, where it must not.
pub(crate) fn may_fail(span: Span, name: &str, of: &str, others: &str) -> Diagnostic {
    Diagnostic::error("T0119", format!("this pattern only fits `{name}`"))
        .primary(span, format!("`{of}` has other variants too: {others}"))
        .hint("take the value apart with `match`")
}

/// A name bound in one of several alternatives.
pub(crate) fn name_in_alternatives(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0125", format!("alternatives cannot bind names, and `{name}` would be one"))
        .primary(span, "bound here")
        .hint("write `_` for a part that is not needed, or one arm for each alternative")
}

/// A name bound twice in one pattern.
pub(crate) fn bound_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0123", format!("`{name}` is bound twice in this pattern"))
        .primary(span, "bound again here")
        .label(first, "bound here first")
        .hint("use two names, and compare them in a guard: `(a, b) if a == b => …`")
}

/// A literal in a pattern on something else.
pub(crate) fn literal_pattern(span: Span, ty: &str, found: &str) -> Diagnostic {
    Diagnostic::error("T0112", format!("this pattern is {found}, and what it looks at is {ty}"))
        .primary(span, format!("looks at {ty}"))
}

/// A type with too many parts.
pub(crate) fn type_too_large(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error("T0127", "this type is too large")
        .primary(span, format!("written out, it has more than {most} parts"))
}

/// A name that is bound and not used.
pub(crate) fn unused_name(name: &str, span: Span) -> Diagnostic {
    Diagnostic::warning("T0180", format!("`{name}` is not used"))
        .primary(span, "bound here")
        .hint(format!("leave it out, or write `_{name}` to say that this is meant"))
}

/// Equality of computed floating-point numbers in a test.
pub(crate) fn float_equality(span: Span, why: Span, what: &str) -> Diagnostic {
    Diagnostic::warning("T0181", "floating-point numbers are compared exactly")
        .primary(span, "both sides must agree to the last bit")
        .label(why, what.to_string())
        .hint("allow for rounding: `close(a, b, 1e-9)`")
}
