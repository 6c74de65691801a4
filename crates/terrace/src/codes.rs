//! The longer explanations of errors that come after the front end: using the library, limits of the back ends, and run time.

const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "T0301",
        "The generators of one `for`, and the arguments of `zip`, run in step, so their arrays must have the same length. Here the \
         lengths differ in every run. Nothing is cut off or repeated: take a slice of the longer one, as in `ys[..len(xs)]`, if \
         that is meant.",
    ),
    (
        "T0302",
        "A type states a size, such as `[n]f64`, and the value has another one in every run. The message shows both. Correct \
         whichever is wrong, or leave the size out: `[]f64`.",
    ),
    ("T0303", "The rows must be equally long here, and can never be."),
    (
        "T0304",
        "`xs with [a..b] = ys` replaces `b - a` elements, and `ys` must have exactly as many. Here it has another number in \
         every run.",
    ),
    ("T0305", "The rows that an array is cut into must have the length of the array together. Here they never do."),
    (
        "T0306",
        "An index must be at least 0 and less than the length of the array, and a slice `xs[a..b]` needs `0 <= a <= b <= len(xs)`. \
         This one lies outside in every run. The last element of `xs` is `xs[len(xs) - 1]`.",
    ),
    (
        "T0310",
        "The compiler found that this fails whenever it runs. It is a warning, because the program may never come here: it stands in \
         a branch, in a loop that may have no rounds, or in a function that depends on its callers.",
    ),
    ("T0700", "The file could not be read. The rest of the message is the reason that the operating system gives."),
    ("T0701", "A Terrace program is a text in UTF-8. This file holds other bytes."),
    (
        "T0702",
        "Only functions declared with `entry` can be called from outside. The message lists those of this program.",
    ),
    ("T0703", "An entry is called with one argument per parameter."),
    ("T0704", "A `test` is an expression that must be true. This one was evaluated without an error, and is false."),
    (
        "T0705",
        "A file could not be written. The rest of the message is the reason that the operating system gives. The old file, if \
         there was one, is as it was.",
    ),
    (
        "T0708",
        "A file of thresholds has one on a line, its name and its value: `spmv.1.outer 4096`. Empty lines, and what follows `#`, are \
         left out.",
    ),
    (
        "T0710",
        "An array that was handed to the library does not fit: its type is another one, it has missing values, or its columns are of a \
         kind that Terrace does not know.",
    ),
    (
        "T0711",
        "`terrace run --plot FILE.svg` draws arrays of numbers and of truth values, arrays of rows of them, and tuples, records and arrays of \
         tuples that are made of these. Enums, single numbers and arrays of three and more dimensions have no picture, and not every \
         `--plot-kind` fits every array. The message says what the entry gives.",
    ),
    (
        "T0709",
        "A threshold belongs to a nest of parallel operators. Its name says the function, the number of the nest and what it decides. \
         `terrace ir --stage versions` lists those of a program, each with its value.",
    ),
    (
        "T0706",
        "`terrace test --laws` combines sampled elements with the operator of a `reduce`, `scan` or `hist` in different orders, and \
         with the neutral element. Parallel code may combine in any grouping, so the results must agree: `op(op(a, b), c)` with \
         `op(a, op(b, c))`, and `op(ne, a)` and `op(a, ne)` with `a`. Floating-point numbers are compared with a tolerance.",
    ),
    (
        "T0801",
        "The program is correct, but the compiling back ends cannot translate this part of it yet. The interpreter runs \
         every program: use `--backend interp`.",
    ),
    (
        "T0900",
        "Terrace noticed a mistake of its own: a later stage broke a promise of an earlier one. Please report it.",
    ),
    (
        "T0901",
        "An index must be at least 0 and less than the length of the array; negative indices do not count from the end. \
         The last element of `xs` is `xs[len(xs) - 1]`.",
    ),
    (
        "T0902",
        "A slice `xs[a..b]` needs `0 <= a <= b <= len(xs)`; it has `b - a` elements. `xs[a..a]` is empty, and `a > b` is an \
         error rather than empty.",
    ),
    (
        "T0903",
        "The generators of one `for` run in step, so their arrays must have the same length: `[x + y for x in xs, y in ys]`. \
         Nothing is cut off or repeated. Take a slice of the longer one if that is meant.",
    ),
    (
        "T0904",
        "An integer divided by zero has no value. (Floating-point division by zero gives an infinity or NaN, and is no \
         error.)",
    ),
    ("T0905", "A length is between 0 and 2^47. A negative one is usually a subtraction that went below zero."),
    (
        "T0906",
        "A type states a size, such as `[n]f64` or `[i < n][i + 1]f64`, and the value does not have it. The message shows \
         the size that was found and the one that was stated.",
    ),
    ("T0907", "`assert(condition, \"message\")`: the condition is false."),
    ("T0908", "The rows must be equally long here, and are not."),
    (
        "T0909",
        "Calls are nested more deeply than the limit allows. Usually a recursion does not come closer to its end; look at \
         the condition that ends it.",
    ),
    ("T0910", "An argument does not have the type, or the sizes, that the entry's parameter states."),
    ("T0911", "There is not enough memory for this array, or more than `--memory` allows."),
    ("T0912", "The run was stopped after the number of steps that it was allowed."),
    (
        "T0913",
        "A strided slice `xs[off; c1 by s1, c2 by s2]` takes the elements at `off + i * s1 + j * s2` for `i < c1` and `j < c2`. One of \
         these positions lies outside of the array.",
    ),
    (
        "T0914",
        "`xs with [off; …] = ys` writes each position once. This slice reaches some position twice: sorted by size, each stride must \
         exceed what the smaller ones span.",
    ),
    ("T0915", "The rows that an array is cut into must have the length of the array together."),
    ("T0916", "An empty array has no least element, no first one to repeat, and so on. Test `len(xs) > 0` before."),
    ("T0917", "This number must be at least 1."),
    (
        "T0918",
        "`xs with [a..b] = ys` replaces `b - a` elements, and `ys` must have exactly as many. In a nested update the values are \
         nested in the same way.",
    ),
    ("T0950", "The device or its compiler reported an error. The message has its words."),
    ("T0951", "Ctrl-C was pressed, or the program that runs this one asked for an end. There is no result."),
    (
        "T0998",
        "With `--verify` the interpreter compares everything that the compiler claims to know about sizes with what happens: the shape of \
         every value, the checks that it proved, and which lengths are equal everywhere. One of these claims is false. The program may be \
         right; the compiler is not. Please report it.",
    ),
    ("T0999", "The compiler made a program that its own runtime cannot execute. Please report it."),
];

/// The explanation of a code.
pub(crate) fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
