//! What each code of a lexical or syntax error means, at length.
//!
//! `T0001` to `T0049` belong to this crate. A code keeps its meaning for ever; a code that is no longer used stays
//! here with a word about that.

/// All codes of this crate with their explanations, in order.
pub const EXPLANATIONS: [(&str, &str); 29] = [
    (
        "T0001",
        "A character that no part of the language uses. Names are made of ASCII letters, digits and `_`; other letters may stand in strings and comments. Comments start with `--`.",
    ),
    ("T0002", "A string must end on the line on which it begins. Write `\\n` for a line break inside it."),
    (
        "T0003",
        "A decimal point needs a digit on both sides: `1.0` and `0.5`, not `1.` and `.5`. This leaves `0..n` free to be a range. A base prefix (`0x`, `0b`, `0o`) also needs digits.",
    ),
    ("T0004", "An integer literal must fit its type: that of its suffix, or `i64` without one. Reals must be finite."),
    (
        "T0005",
        "The letters directly behind a number are its type: `i8 i16 i32 i64`, `u8 u16 u32 u64`, `f32` or `f64`. Numbers with a fraction or exponent cannot be integers; numbers with a base prefix cannot be reals.",
    ),
    ("T0006", "The escapes in strings are `\\n`, `\\t`, `\\r`, `\\0`, `\\\\` and `\\\"`."),
    (
        "T0010",
        "The parser found something else than the grammar allows at this place. The message says what it expected.",
    ),
    (
        "T0011",
        "A chain of lets ends with `in` and the expression that uses the names: `let x = 1 let y = 2 in x + y`. Newlines do not end a `let`; a `(` or `[` on the next line still belongs to its value, as a call or an index.",
    ),
    (
        "T0012",
        "A bracket is not closed where it should be, or a comma is missing between two parts. The message points at both ends.",
    ),
    (
        "T0013",
        "A file is made of `def`, `entry`, `type`, `enum`, `import` and `test` items; expressions stand inside them.",
    ),
    ("T0014", "`a < b < c` would compare a truth value with a number. Write `a < b && b < c`."),
    (
        "T0015",
        "An `entry` is called from outside, so its parameters have types. Lengths need not be stated: `xs: []f64`. Parameters of `def` and of lambdas need no type.",
    ),
    (
        "T0016",
        "The commas of a comprehension take their sources in step, so two counters would always be equal. For every pair, nest: `[[f(i, j) for j < m] for i < n]`.",
    ),
    (
        "T0017",
        "The commas of a comprehension take their sources in step, so a source cannot depend on an element of another one. Nest: `[[f(x) for x in row] for row in rows]`.",
    ),
    (
        "T0018",
        "`for … for …` in one comprehension is reserved. Nest comprehensions for every pair, use commas to go in step.",
    ),
    ("T0019", "A word or form that a later version of the language will use."),
    (
        "T0020",
        "A name may be bound only once by the parameters of one function or lambda, by one pattern, and by one `for`. Write `_` for a part that is not needed.",
    ),
    ("T0021", "`x |> f(a)` is `f(a, x)`: on the right of `|>` stands a function, a call, or a lambda."),
    ("T0022", "A lambda has at least one parameter; `||` is the operator \"or\"."),
    ("T0023", "`if` is an expression and gives a value in both cases, so it needs an `else`."),
    (
        "T0024",
        "A `[` that follows an expression opens an index, also on a new line. If a new array was meant, something is missing before it.",
    ),
    ("T0025", "A tuple has no part or at least two; `(a,)` is not a tuple of one."),
    (
        "T0030",
        "Expressions, types and patterns may nest 256 deep, and long chains of operators count as well. Name parts with `let`, or use functions.",
    ),
    (
        "T0031",
        "A `*` says that a call consumes its argument, so that the function may write into it. It stands between the colon and the type of a parameter, `xs: *[n]f64`, and nowhere else.",
    ),
    (
        "T0032",
        "`?[m]. t` names a size that only running the function tells. It can only be the whole result of a function: `def f(xs: []i64) -> ?[m]. ([m]i64, [m]i64) = …`. In a parameter, `[]t` takes an array of any size.",
    ),
    (
        "T0033",
        "A `let`, a `for`, a parameter or a lambda binds whatever value comes, so its pattern must match every value: names, `_`, tuples and records. Literals and alternatives `a | b` can fail to match and belong into the arms of a `match`.",
    ),
    ("T0034", "A record has each field once, in its declaration, in a value, in an update and in a pattern."),
    (
        "T0035",
        "A `match` gives one value for every case, so it needs at least one arm: `match e { pattern => value, _ => other }`.",
    ),
    (
        "T0036",
        "In a strided slice `xs[off; c1 by s1, c2 by s2]` one position stands before the `;`: that of the first element. Element `[i, j]` is `xs[off + i * s1 + j * s2]`.",
    ),
];

/// The explanation of a code of this crate.
pub fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
