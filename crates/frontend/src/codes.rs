//! What each code of the front end means, at length.
//!
//! `T0050` to `T0199` belong to this crate. A code keeps its meaning for ever.

/// All codes of this crate with their explanations, in order.
pub(crate) const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "T0050",
        "A name is used that nothing binds here. Names come from parameters, `let`, `loop`, `for`, `match`, lambdas, the sizes declared in brackets, and the definitions of the file; what an imported module defines is written with the module in front, `circle.area`.",
    ),
    (
        "T0051",
        "A function is called that the file does not define and the language does not have. Functions of imported modules are called with the module in front: `circle.area(r)`.",
    ),
    (
        "T0052",
        "A type is used that does not exist. The scalar types are `bool`, `i8 i16 i32 i64`, `u8 u16 u32 u64`, `f32` and `f64`; records and enums are declared by `type` and `enum`; a type name that may stand for any type is declared in the function's brackets: `def first[t](xs: []t) -> t`.",
    ),
    (
        "T0053",
        "Two definitions of a file have one name. Functions, constants and variants share one set of names, types another. There is no overloading; give one of them another name.",
    ),
    (
        "T0055",
        "A name declared in brackets must occur in the types that follow, which give it its meaning at each use.",
    ),
    ("T0056", "A name may be declared once in brackets, be it a size or a type."),
    (
        "T0057",
        "Functions are not values: they can be called, and they can be arguments of functions such as `map` and `reduce`, but not stored, compared or returned. A variant that holds something is a function in this sense: `some(3)` is a value, `some` alone is not.",
    ),
    (
        "T0058",
        "Something that is not a function stands where one is wanted: before the parentheses of a call, or as an argument of a function that will call it. A constant is used without parentheses.",
    ),
    (
        "T0059",
        "A name is either a size (it stands between the brackets of an array type) or a type (it stands for the elements).",
    ),
    (
        "T0060",
        "The classes of types are built in: `Eq` (can be compared), `Ord` (has an order), `Num` (a number), `Int` and `Float`. They are stated in the brackets of a function, for type names only: `def f[n, t: Ord](xs: [n]t)`.",
    ),
    (
        "T0061",
        "An imported file cannot be read. `import \"shapes/circle\"` in `src/main.tce` reads `src/shapes/circle.tce`; `import \"std/…\"` names a module of the standard library.",
    ),
    (
        "T0062",
        "A module cannot need itself, not even through others: the message shows the imports that lead back to the beginning. Put what the modules share into one that imports none of them.",
    ),
    (
        "T0063",
        "Nothing in the module has this name, or no module is imported under this name. Only what a module itself defines is visible to importers, not what it imports.",
    ),
    (
        "T0064",
        "Each import gives a module a name in the file, the last part of its path or what follows `as`; two modules cannot have one name.",
    ),
    (
        "T0065",
        "The path of an import is relative to the file, with `/` between its parts and without `.tce`. Its last part becomes a name; if it cannot be one, give a name with `as`.",
    ),
    ("T0066", "Programs are text in UTF-8. The imported file has bytes that are not."),
    (
        "T0067",
        "A record or enum cannot hold a value of its own type, not even through other types or arrays: all data is laid out in flat arrays. Keep the parts in an array and let them refer to each other by index.",
    ),
    (
        "T0068",
        "A declared type with parameters is used with a size or type for each of them: `type matrix[n, m, t] = [n][m]t` as `matrix[3, k, f64]`.",
    ),
    (
        "T0069",
        "How a declared type uses its parameters says which are sizes and which are types; each argument must be of that kind.",
    ),
    (
        "T0070",
        "Braces make, change or take apart a record, which is declared with `type name = {x: f64, y: f64}`. Enums and abbreviations of other types have no fields.",
    ),
    ("T0071", "The record has no field of this name. The message shows the fields it has."),
    (
        "T0072",
        "A record is made with all its fields, in any order. In a pattern, `..` at the end stands for the fields that are not needed.",
    ),
    (
        "T0073",
        "A pattern with parentheses takes a variant of an enum apart. Functions cannot be taken apart, and there is no variant of this name.",
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
        "The types of this expression could only fit if a type were a part of itself, such as an array that is its own element, or a function that is its own argument.",
    ),
    (
        "T0105",
        "Nothing says what the type of this is. This happens with empty arrays and with variants that hold nothing: state the type in a `let`.",
    ),
    ("T0106", "A literal got a type from its surroundings that cannot hold it, such as 300 among values of type `u8`."),
    (
        "T0107",
        "Functions that call each other get their types together, and a type name declared by one has no meaning in another. State all types of the function that declares type names.",
    ),
    ("T0108", "An `entry` is called from outside, where types must be fixed. Sizes may stay open."),
    ("T0109", "A `test` is an expression that must be true."),
    (
        "T0110",
        "A lambda or an operator in parentheses can only be an argument of a function that calls it, or stand on the right of `|>`. It cannot be stored, returned, or given to a parameter that is a value.",
    ),
    (
        "T0111",
        "The function that is passed takes another number of arguments than it will be given: `map` over two arrays needs a function of two, `reduce` always one of two. A function that takes functions itself cannot be passed; write a lambda around it.",
    ),
    (
        "T0112",
        "A pattern takes apart values of one type: `(a, b)` a tuple of two, `point{x, y}` a record, `circle(r)` a variant of its enum, a literal a value of its type.",
    ),
    (
        "T0113",
        "Only arrays can be indexed, sliced, changed with `with [i] = …`, or gone through by `for`. `flatten` and `transpose` need arrays of arrays, `unzip` an array of tuples.",
    ),
    (
        "T0114",
        "Functions are not values, so only a whole parameter of a `def` can have the type of a function: `def apply(f: (i64) -> i64, x: i64) -> i64`.",
    ),
    (
        "T0115",
        "`p.x` takes a field of a record, and which record it is must be known by then: it is never guessed from the name of the field. State the type of `p` where it is bound.",
    ),
    ("T0116", "An `entry` is called from outside, with values only."),
    (
        "T0117",
        "Every value must fit an arm of a `match`. The message shows values that fit none. Arms with an `if` do not count, because they may decline; numbers and strings need an arm that takes all others.",
    ),
    (
        "T0118",
        "The arms of a `match` are tried in order, and every value that would fit this arm fits an earlier one. Put it before them, or leave it out.",
    ),
    (
        "T0119",
        "In `let`, `for`, parameters and lambdas a pattern must fit every value. A variant may stand there only if its enum has no other; use `match`.",
    ),
    (
        "T0121",
        "Functions are compiled once for each list of types they are used at. Within a recursion the types must stay the same: one that passes ever larger types, such as pairs of pairs, would need infinitely many. The message shows the chain of calls.",
    ),
    (
        "T0122",
        "Functions are compiled once for each list of functions they are given. Within a recursion, functions that are arguments must be passed on unchanged; the message shows the chain of calls.",
    ),
    (
        "T0123",
        "A pattern binds each name once. To demand that two parts are equal, bind two names and compare them in a guard.",
    ),
    (
        "T0124",
        "The parts of a tuple are numbered from 0: `t.0`, `t.1`. Elements of arrays are `xs[0]`, fields of records `p.x`.",
    ),
    (
        "T0125",
        "In `a | b => …` either side may have matched, so neither may bind names. Use `_`, or write an arm for each.",
    ),
    (
        "T0127",
        "Declared types are written out where they are used, and this one becomes too large. Types that use each other twice in a row double at every step.",
    ),
    (
        "T0150",
        "A size in a type mentions a name that is neither declared in the function's brackets, nor an integer parameter, nor a position `[i < n]` around it. A position is known only inside the element type.",
    ),
    (
        "T0151",
        "Sizes are made of integers, names, `+ - *`, `/` and `%` by a positive constant, `min`, `max`, `if a < b then c else d`, and size functions of positions.",
    ),
    (
        "T0152",
        "A declared size gets its value from a parameter that has exactly this length. `[n + 1]t` alone does not say what `n` is.",
    ),
    (
        "T0153",
        "A declared size function gets its values from a parameter whose rows have exactly these lengths: `xs: [i < n][k(i)]t`. `[i < n][k(i) + 1]t` alone does not say what `k` is.",
    ),
    ("T0154", "A length is stated that the value plainly does not have: this program would always stop here."),
    ("T0155", "A size function has one number of arguments, wherever it is used."),
    (
        "T0156",
        "A size function such as `k` in `[i < n][k(i)]t` stands for one size per position. A name is either a size or a size function.",
    ),
    (
        "T0157",
        "The parameters of a declared type are sizes and types. Size functions are declared in the brackets of functions only.",
    ),
    (
        "T0158",
        "`-> ?[m]. ([m]a, [m]b)` names a size that the function decides. It may stand before a whole result only, and a part of the result must have exactly this length.",
    ),
    ("T0180", "A name is bound and never used. A name that starts with `_` may be unused."),
    (
        "T0181",
        "Floating-point numbers are rounded, so a test that asks for equality to the last bit may fail for a program that is right. `close(a, b, tolerance)` allows a relative difference. Numbers such as 0.5 and 3.0 are exact and are not warned about, unless a division or a function such as `sqrt` computes them.",
    ),
    (
        "T0190",
        "A parameter with a star is consumed by the call: its memory is handed over. What is consumed must belong to the function that hands it over: a value it has made, or a parameter of its own that has a star.",
    ),
    (
        "T0191",
        "After a call has consumed a value, neither it nor anything that may share its memory (a slice, a row, a field, a transposed view) can be used.",
    ),
    (
        "T0192",
        "Inside a loop, a comprehension or a function that is an argument, a value from outside would be consumed at every step, and after the first it is gone.",
    ),
    (
        "T0193",
        "A star says that the memory of a parameter is handed over. Scalars, and tuples and records of scalars, have none.",
    ),
];

/// The explanation of a code of this crate.
pub fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(c, _)| *c == code).map(|(_, text)| *text)
}
