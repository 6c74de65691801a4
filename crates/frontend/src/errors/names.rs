//! Messages about names.

use super::{count, listed, suggest};
use crate::declared::Declared;
use crate::modules::library;
use terrace_base::{Diagnostic, Span};
use terrace_syntax::ast;

/// A name that nothing binds.
pub(crate) fn unknown_name(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0050", format!("there is no `{name}` here")).primary(span, "nothing has this name")
}

/// A function that does not exist.
pub(crate) fn unknown_function(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0051", format!("there is no function `{name}`")).primary(span, "nothing has this name")
}

/// What a function with a name from another language is here.
pub(crate) fn other_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "length" | "lenght" | "size" => "the length of an array is `len(xs)`",
        "fold" | "foldl" | "foldr" => "an array is combined with `reduce(op, neutral, xs)`",
        "range" | "arange" => "the integers from 0 are `0..n`, or `iota(n)`",
        "concat" | "append" | "push" => "arrays are joined with `xs ++ ys`; `flatten` joins the rows of an array",
        "head" | "first" => "the first element is `xs[0]`",
        "last" => "the last element is `xs[len(xs) - 1]`",
        "tail" | "drop" => "the elements from the second on are `xs[1..]`",
        "take" => "the first elements are `xs[..n]`",
        "zeros" => "an array of zeros is `replicate(n, 0.0)`",
        "ones" => "an array of ones is `replicate(n, 1.0)`",
        "full" | "repeat" => "an array of equal elements is `replicate(n, x)`",
        "linspace" => "equally spaced numbers are `[a + f64(i) * step for i < n]`",
        "where" | "select" => "a choice for every element is `[if x > 0.0 then x else 0.0 for x in xs]`",
        "cumsum" => "the sums of all beginnings are `scan((+), 0, xs)`",
        "power" => "a power is `pow(x, y)`",
        "matmul" => "matrices are multiplied by `matrix.multiply(a, b)`, after `import \"std/matrix\"`",
        "std" => "the standard deviation is `stats.deviation(xs)`, after `import \"std/stats\"`",
        "split" => {
            "text is split by `text.words(s)`, `text.lines(s)` or `text.fields(44, s)`, after `import \"std/text\"`"
        }
        "topk" | "top_k" => "the largest elements are `search.greatest(k, xs)`, after `import \"std/search\"`",
        "fft" => "the Fourier transform is `fft.forward(xs)`, after `import \"std/fft\"`",
        "asarray" | "array" | "list" => "an array is written `[1, 2, 3]`, or `[f(i) for i < n]`",
        "shape" => "the length of an array is `len(xs)`, and that of its rows `[len(row) for row in xs]`",
        "ln" => "the natural logarithm is `log(x)`",
        "ceiling" => "rounding up is `ceil(x)`",
        "mod" | "rem" => "the remainder is `a % b`",
        "not" => "negation is `!x`",
        "int" | "integer" => "numbers are converted by calls: `i64(x)`",
        "float" | "double" => "numbers are converted by calls: `f64(x)`",
        "print" | "println" => {
            "a program has no output but its results; a `test` or `assert` looks at values on the way"
        }
        _ => return None,
    })
}

/// What a value with a name from another language is here.
pub(crate) fn other_value(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" | "TRUE" => "did you mean `true`?",
        "False" | "FALSE" => "did you mean `false`?",
        "None" | "null" | "nil" => "no value is `none`, and a value that may be missing is `some(x)`",
        _ => return None,
    })
}

/// A module of another language.
pub(crate) fn other_module(name: &str) -> Option<&'static str> {
    ["np", "numpy", "math", "torch", "jnp", "cp"].contains(&name).then_some(
        "most functions need no module, `sum(xs)`, `sqrt(x)`; others are in the library: `import \"std/matrix\"`",
    )
}

/// Where the standard library has a function of this name that is made for users: those have a comment with `--|`.
pub(crate) fn in_library(name: &str) -> Option<String> {
    let defines = |line: &str| {
        let rest = line.strip_prefix("def ").and_then(|l| l.strip_prefix(name));
        rest.is_some_and(|l| l.starts_with(['(', '[']))
    };
    let has = |text: &str| text.lines().zip(text.lines().skip(1)).any(|(doc, l)| doc.starts_with("--|") && defines(l));
    let modules = library().iter().skip(1).filter(|(_, text)| has(text)).map(|(path, _)| *path);
    let modules: Vec<&str> = modules.map(|path| path.trim_start_matches("std/")).collect();
    let first = modules.first()?;
    let names: Vec<String> = modules.iter().map(|m| format!("{m}.{name}")).collect();
    let names = listed(names.iter().map(String::as_str));
    Some(format!("the library has {names}: write `import \"std/{first}\"` at the top"))
}

/// A type name that is not declared.
pub(crate) fn unknown_type(name: &str, span: Span, declare: Option<&str>, near: &[&str]) -> Diagnostic {
    let report =
        Diagnostic::error("T0052", format!("there is no type `{name}`")).primary(span, "nothing has this name");
    if let Some(guess) = scalar_guess(name) {
        return report.hint(format!("did you mean `{guess}`?"));
    }
    if ["list", "array", "vector", "vec", "ndarray"].contains(&name.to_lowercase().as_str()) {
        return report.hint("an array of numbers is `[]f64`, and an array of rows `[][]f64`");
    }
    let report = match declare {
        Some(_) if name.len() > 1 => report.hint(format!("declare it: `type {name} = …`")),
        Some(declare) => report.hint(format!("declare it in brackets: `{declare}{name}]`")),
        None => report,
    };
    if name.len() > 1 { suggest(report, name, near.iter().copied()) } else { report }
}

fn scalar_guess(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "long" | "isize" | "integer" => "i64",
        "usize" | "uint" => "u64",
        "f16" | "half" | "single" | "float32" => "f32",
        "float" | "double" | "real" | "float64" => "f64",
        "int32" => "i32",
        "int64" => "i64",
        "boolean" => "bool",
        "byte" | "char" => "u8",
        "string" | "str" | "text" => "[]u8",
        _ => return None,
    })
}

/// Two definitions of one name.
pub(crate) fn defined_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0053", format!("`{name}` is defined twice"))
        .primary(span, "this has the name of an earlier one")
        .label(first, "the first definition is here")
}

/// A declared type with the name of a scalar.
pub(crate) fn scalar_redefined(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0053", format!("`{name}` is a type that the language has"))
        .primary(span, "this has its name")
        .hint("choose another name")
}

/// A name declared in brackets and never used.
pub(crate) fn unused_generic(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0055", format!("`{name}` is declared and not used"))
        .primary(span, "no type that follows mentions this")
        .hint("a size or type name gets its meaning from the types that mention it; otherwise leave it out")
}

/// A name declared twice.
pub(crate) fn declared_twice(name: &str, span: Span, first: Span) -> Diagnostic {
    Diagnostic::error("T0056", format!("`{name}` is declared twice"))
        .primary(span, "this is the second time")
        .label(first, "the first one is here")
}

/// A function where a value is wanted.
pub(crate) fn function_as_value(name: &str, span: Span, params: usize) -> Diagnostic {
    let args = if params == 0 { "" } else { "…" };
    Diagnostic::error("T0057", format!("`{name}` is a function, and here a value is wanted"))
        .primary(span, "functions can only be called, or be arguments of functions")
        .hint(format!("call it: `{name}({args})`"))
}

/// A variant with fields, without them.
pub(crate) fn variant_without_fields(name: &str, span: Span, fields: usize) -> Diagnostic {
    let shown = vec!["…"; fields].join(", ");
    Diagnostic::error("T0057", format!("`{name}` holds {}, and here it gets none", count(fields, "value")))
        .primary(span, "a value is wanted here")
        .hint(format!("write what it holds: `{name}({shown})`"))
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

/// A size used as a type.
pub(crate) fn size_as_type(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0059", format!("`{name}` is a size, and here a type is wanted"))
        .primary(span, "sizes stand between the brackets of an array type")
        .hint(format!("write `[{name}]f64` for an array of this length"))
}

/// A type used as a size.
pub(crate) fn type_as_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0059", format!("`{name}` is a type, and here a size is wanted"))
        .primary(span, "between these brackets stands a length")
        .hint(format!("write `[]{name}` for an array of any length"))
}

/// A class that does not exist.
pub(crate) fn unknown_class(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0060", format!("there is no class `{name}`"))
        .primary(span, "the classes are `Eq`, `Ord`, `Num`, `Int` and `Float`")
}

/// A class at the parameter of a declared type.
pub(crate) fn class_of_type(class: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0060", "the parameters of a type have no classes")
        .primary(span, format!("`{class}` has no meaning here"))
        .hint("state the class where it is needed, in the brackets of a function")
}

/// A class at a size.
pub(crate) fn class_of_size(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0060", format!("`{name}` is a size, and sizes have no classes"))
        .primary(span, "classes are for types")
        .hint(format!("declare it as `{name}` alone"))
}

/// Something that an imported module does not have.
pub(crate) fn not_in_module(module: &str, what: &str, name: &ast::Name, names: &[&str]) -> Diagnostic {
    let report = Diagnostic::error("T0063", format!("the module `{module}` has no {what} `{}`", name.text))
        .primary(name.span, format!("not in `{module}`"));
    suggest(report, &name.text, names.iter().copied())
}

/// The name of a module that is not imported.
pub(crate) fn unknown_module(name: &str, span: Span, imports: &[&str]) -> Diagnostic {
    let report = Diagnostic::error("T0063", format!("there is no module `{name}` here"))
        .primary(span, "nothing is imported under this name")
        .hint(format!("import it: `import \"{name}\"`"));
    suggest(report, name, imports.iter().copied())
}

/// A type that contains itself: the types on the way, each with the place that mentions it.
pub(crate) fn endless_type(name: &str, span: Span, steps: &[(String, Span)]) -> Diagnostic {
    let mut report = Diagnostic::error("T0067", format!("the type `{name}` contains itself"))
        .primary(span, "a value of this type would never end");
    let mut from = name;
    for (to, place) in steps {
        report = report.label(*place, format!("`{from}` contains `{to}`"));
        from = to;
    }
    report.hint("keep the parts in an array and refer to them by index")
}

/// A declared type with too many or too few arguments.
pub(crate) fn type_arguments(
    name: &str,
    span: Span,
    wanted: usize,
    found: usize,
    declared: Option<&Declared>,
) -> Diagnostic {
    let title =
        format!("the type `{name}` takes {}, and here it gets {}", count(wanted, "argument"), count(found, "argument"));
    let mut report = Diagnostic::error("T0068", title).primary(span, format!("{} here", count(found, "argument")));
    if let Some(declared) = declared {
        report = report.label(declared.span, "declared here");
        if wanted > 0 {
            let names: Vec<&str> = declared.generics.iter().map(|g| g.name.as_str()).collect();
            report = report.hint(format!("write `{name}[{}]`, with a value for each", names.join(", ")));
        }
    }
    report
}

/// A type argument where a size is wanted.
pub(crate) fn size_wanted(span: Span, of: &str, generic: &str) -> Diagnostic {
    Diagnostic::error("T0069", format!("`{of}` wants a size here, and this is a type"))
        .primary(span, format!("`{generic}` of `{of}` is a size"))
}

/// A size argument where a type is wanted.
pub(crate) fn type_wanted(span: Span, of: &str, generic: &str) -> Diagnostic {
    Diagnostic::error("T0069", format!("`{of}` wants a type here, and this is a size"))
        .primary(span, format!("`{generic}` of `{of}` is a type"))
}

/// Braces behind a name that is not a record.
pub(crate) fn not_a_record(name: &str, span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("T0070", format!("`{name}` is {what}, not a record")).primary(span, "only records have fields")
}

/// A field that a record does not have.
pub(crate) fn unknown_field(record: &str, name: &str, span: Span, fields: &[&str], declared: Span) -> Diagnostic {
    let report = Diagnostic::error("T0071", format!("`{record}` has no field `{name}`"))
        .primary(span, "no field has this name")
        .label(declared, format!("its fields are {}", listed(fields.iter().copied())));
    suggest(report, name, fields.iter().copied())
}

/// A record without some of its fields.
pub(crate) fn missing_fields(record: &str, span: Span, missing: &[&str], pattern: bool) -> Diagnostic {
    let word = if missing.len() == 1 { "field" } else { "fields" };
    let names = listed(missing.iter().copied());
    let report = Diagnostic::error(
        "T0072",
        format!("the {word} {names} of `{record}` are missing")
            .replace(&format!("the field {names} of `{record}` are"), &format!("the field {names} of `{record}` is")),
    );
    if pattern {
        report.primary(span, "a pattern names all fields").hint("write `..` at the end to leave the others out")
    } else {
        report.primary(span, "all fields get a value").hint("to change some fields of a record `r`: `r with {…}`")
    }
}

/// A pattern whose name is not a variant.
pub(crate) fn not_a_variant(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("T0073", format!("there is no variant `{name}`"))
        .primary(span, "no enum has a variant of this name")
}
