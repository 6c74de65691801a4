//! What each code of the front end means, at length.
//!
//! `T0050` to `T0199` belong to this crate. A code keeps its meaning for ever.

/// All codes of this crate with their explanations, in order.
pub(crate) const EXPLANATIONS: [(&str, &str); 30] = [
    (
        "T0050",
        "A name is used that nothing binds here. Names come from parameters, `let`, `loop`, `for`, lambdas and the sizes declared in brackets, and last until the end of the expression that binds them.",
    ),
    ("T0051", "A function is called that the file does not define and the language does not have."),
    (
        "T0052",
        "A type is used that does not exist. The scalar types are `bool`, `i8 i16 i32 i64`, `u8 u16 u32 u64`, `f32` and `f64`; a type name of your own is declared in the function's brackets: `def first[t](xs: []t) -> t`.",
    ),
    ("T0053", "Two functions of a file have one name. There is no overloading; give one of them another name."),
    (
        "T0055",
        "A name declared in a function's brackets must occur in the types of its parameters, which give it its meaning at each call.",
    ),
    ("T0056", "A name may be declared once in a function's brackets, be it a size or a type."),
    (
        "T0057",
        "Functions are not values: they can be called, and they can be arguments of functions such as `map` and `reduce`, but not stored, compared or returned.",
    ),
    (
        "T0058",
        "Something that is not a function stands where one is wanted: before the parentheses of a call, or as the first argument of `map`, `filter`, `reduce` or `scan`.",
    ),
    (
        "T0059",
        "A name declared in brackets is either a size (it stands between the brackets of an array type) or a type (it stands for the elements).",
    ),
    (
        "T0060",
        "The classes of types are built in: `Eq` (can be compared), `Ord` (has an order), `Num` (a number), `Int` and `Float`.",
    ),
    (
        "T0100",
        "Two types that must be equal are not. The message shows both, and where each came from. Numbers are never converted silently: write `f64(x)`, `i32(x)`.",
    ),
    (
        "T0101",
        "An operation is not defined for this type: `+` needs numbers, `<` needs an order, `sqrt` needs a floating-point number. For a declared type name, state the class: `def f[t: Num](x: t)`.",
    ),
    ("T0102", "A function gets more or fewer arguments than it takes. `x |> f(a)` counts as `f(a, x)`."),
    (
        "T0104",
        "The types of this expression could only fit if a type were a part of itself, such as an array that is its own element.",
    ),
    ("T0105", "Nothing says what the type of this is. This happens with empty arrays: state the type in a `let`."),
    ("T0106", "A literal got a type from its surroundings that cannot hold it, such as 300 among values of type `u8`."),
    (
        "T0107",
        "The type of a result is inferred from the body, which for a recursive function would have to be known first. State it: `def f(n: i64) -> i64 = …`.",
    ),
    ("T0108", "An `entry` is called from outside, where types must be fixed. Sizes may stay open."),
    ("T0109", "A `test` is an expression that must be true."),
    (
        "T0110",
        "A lambda or an operator in parentheses can only be an argument of a function, or stand on the right of `|>`.",
    ),
    (
        "T0111",
        "The function that is passed takes another number of arguments than it will be given: `map` over two arrays needs a function of two, `reduce` always one of two.",
    ),
    ("T0112", "A pattern `(a, b)` takes a tuple of exactly as many parts apart."),
    ("T0113", "Only arrays can be indexed, sliced, or gone through by `for`."),
    ("T0120", "This belongs to the language and this version of the compiler does not have it yet."),
    (
        "T0121",
        "Functions are compiled once for each list of types they are used at. A recursion that passes ever larger types, such as pairs of pairs, would need infinitely many.",
    ),
    (
        "T0150",
        "A size in a type mentions a name that is neither declared in the function's brackets nor an integer parameter.",
    ),
    ("T0151", "Sizes are made of integers, names, `+ - *`, `/` and `%` by a positive constant, `min` and `max`."),
    (
        "T0152",
        "A declared size gets its value from a parameter that has exactly this length. `[n + 1]t` alone does not say what `n` is.",
    ),
    ("T0154", "A length is stated that the value plainly does not have: this program would always stop here."),
    ("T0180", "A name is bound and never used. A name that starts with `_` may be unused."),
];

/// The explanation of a code of this crate.
pub fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
