//! The syntax tree: what a person wrote, with the place of every part.
//!
//! ```text
//! entry sums(rows: [][]f64) -> []f64 = [sum(row) for row in rows]
//!
//! Item { Function { exported, name: sums, params: [rows: [][]f64], result: []f64, body:
//!     Comprehension { body: Call(sum, [row]), generators: [row in rows] } } }
//! ```
//!
//! The tree keeps what was written and drops only what has no meaning: parentheses, comments that document nothing, and
//! the difference between `x |> f(a)` and `f(a, x)`, of which a flag remains. Names are not resolved and types are not
//! known here. The sizes inside types are ordinary expressions; the checker says which of them may be sizes.
//!
//! The tree is never higher than [`MAX_HEIGHT`](crate::parser::MAX_HEIGHT), so that recursive walks are safe.

use terrace_base::{BinOp, FileId, ScalarType, Span};

/// A name and where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Name {
    /// Where it stands.
    pub span: Span,
    /// The name itself.
    pub text: String,
}

/// One source file.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    /// The file.
    pub file: FileId,
    /// Its definitions and tests, in source order; those with syntax errors are missing.
    pub items: Vec<Item>,
}

/// A definition or a test.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    /// The whole item, without its documentation.
    pub span: Span,
    /// The text of the `--|` lines above it, without the marks; empty if there are none.
    pub docs: Vec<String>,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Clone, PartialEq, Debug)]
pub enum ItemKind {
    /// `def` or `entry`.
    Function(Function),
    /// `test "name" = expr`.
    Test(Test),
    /// `import "path" as name`.
    Import(Import),
    /// `type name[n, t] = …`: a record or an abbreviation.
    Type(TypeDef),
    /// `enum name[t] = a(t) | b`.
    Enum(EnumDef),
}

/// `import "path" as name`.
#[derive(Clone, PartialEq, Debug)]
pub struct Import {
    /// The path between the quotes.
    pub path: String,
    /// Where the path stands.
    pub path_span: Span,
    /// The name after `as`; without it, the last part of the path.
    pub alias: Option<Name>,
}

/// `type name[n, t] = …`.
#[derive(Clone, PartialEq, Debug)]
pub struct TypeDef {
    /// Its name.
    pub name: Name,
    /// The size and type names declared in brackets.
    pub generics: Vec<Generic>,
    /// What it stands for.
    pub body: TypeBody,
}

/// What a declared type stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeBody {
    /// `{x: f64, y: f64}`: a new type.
    Record(Vec<Field>),
    /// Another way to write a type.
    Abbreviation(Type),
}

/// A field of a record type.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Type,
}

/// `enum name[t] = a(t) | b`.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumDef {
    /// Its name.
    pub name: Name,
    /// The size and type names declared in brackets.
    pub generics: Vec<Generic>,
    /// One or more.
    pub variants: Vec<Variant>,
}

/// A variant of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// What it holds; empty without parentheses.
    pub fields: Vec<Type>,
}

/// A name, perhaps of another module: `area`, `circle.area`.
#[derive(Clone, PartialEq, Debug)]
pub struct Path {
    /// The module's name in front of the dot.
    pub module: Option<Name>,
    /// The name itself.
    pub name: Name,
}

/// `def f[n, t: Ord](x: [n]t) -> [n]t = body`.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Whether it is an `entry`.
    pub exported: bool,
    /// Its name.
    pub name: Name,
    /// The size, size-function and type names declared in brackets.
    pub generics: Vec<Generic>,
    /// Whether it has no parentheses: `def tau = 6.28` is a constant.
    pub constant: bool,
    /// The parameters.
    pub params: Vec<Param>,
    /// The stated type of the result.
    pub result: Option<Type>,
    /// The body.
    pub body: Expr,
}

/// A name declared in the brackets of a function; how it is used gives its kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Generic {
    /// The name.
    pub name: Name,
    /// The class of a type name, as in `t: Ord`.
    pub class: Option<Name>,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Pattern and type together.
    pub span: Span,
    /// What it binds.
    pub pattern: Pattern,
    /// The star in front of its type, if the call consumes it.
    pub consumed: Option<Span>,
    /// Its type, without the star; may be left out in a `def`.
    pub ty: Option<Type>,
}

/// `test "name" = expr`.
#[derive(Clone, PartialEq, Debug)]
pub struct Test {
    /// The name between the quotes.
    pub name: String,
    /// Where the name stands.
    pub name_span: Span,
    /// What must hold.
    pub body: Expr,
}

/// A type as written.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: TypeKind,
}

/// What a type is.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeKind {
    /// `f64` and the other scalars.
    Scalar(ScalarType),
    /// A type name declared in brackets, a record, an enum or an abbreviation: `t`, `m.matrix[n, 3, f64]`.
    Named {
        /// The name.
        path: Path,
        /// What stands in brackets behind it.
        args: Vec<TypeArg>,
    },
    /// `?[m, n]. t`: sizes of a result that are not known before.
    Exists {
        /// The sizes.
        sizes: Vec<Name>,
        /// The type that mentions them.
        body: Box<Type>,
    },
    /// `(a, b)`; never of one part.
    Tuple(Vec<Type>),
    /// `[dim]element`.
    Array {
        /// What is said about the length.
        dim: Dim,
        /// The type of the elements; it may mention the position of a [`DimKind::Counted`].
        element: Box<Type>,
    },
    /// `(a, b) -> c`.
    Function {
        /// Types of the arguments.
        params: Vec<Type>,
        /// Type of the result.
        result: Box<Type>,
    },
}

/// What stands in the brackets behind the name of a type.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// Something that can only be a type.
    Type(Type),
    /// A size, or a name that may be a size or a type.
    Size(Expr),
}

/// The brackets of an array type.
#[derive(Clone, PartialEq, Debug)]
pub struct Dim {
    /// The brackets with what is between them.
    pub span: Span,
    /// What is between them.
    pub kind: DimKind,
}

/// What is between the brackets of an array type.
#[derive(Clone, PartialEq, Debug)]
pub enum DimKind {
    /// `[]t`: not stated.
    Unstated,
    /// `[n]t`, `[n + 1]t`, `[k(i)]t`.
    Size(Box<Expr>),
    /// `[i < n]t`: `n` elements, and `t` may mention `i`.
    Counted {
        /// The position.
        var: Name,
        /// The length.
        bound: Box<Expr>,
    },
}

/// A pattern: what a binding takes apart.
#[derive(Clone, PartialEq, Debug)]
pub struct Pattern {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: PatternKind,
}

/// What a pattern is.
#[derive(Clone, PartialEq, Debug)]
pub enum PatternKind {
    /// Binds a name.
    Name(String),
    /// `_`.
    Wildcard,
    /// `(p, q)`; never of one part.
    Tuple(Vec<Pattern>),
    /// `point{x, y = p, ..}`.
    Record {
        /// The record's name.
        path: Box<Path>,
        /// Fields and what they are taken apart into; `x` alone is `x = x`.
        fields: Vec<(Name, Pattern)>,
        /// Whether `..` stands at the end.
        rest: bool,
    },
    /// `circle(r)`, `m.nothing`. A bare name is a [`PatternKind::Name`] here; the checker knows which names are variants.
    Variant {
        /// The variant's name.
        path: Box<Path>,
        /// What it holds.
        args: Vec<Pattern>,
    },
    /// `3`, `-1`, `2.5`, `true`, `"text"`.
    Literal(Box<Expr>),
    /// `a | b`; two or more.
    Or(Vec<Pattern>),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Where it stands, with the parentheses around it if there are any.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `5`, `0xFFu8`. The value fits the suffix, or is 2^(bits-1) directly under a unary minus.
    Int {
        /// The digits.
        value: u64,
        /// The stated integer type.
        suffix: Option<ScalarType>,
    },
    /// `1.5`, `1e9`, `2.5f32`, `2f32`; already rounded to the stated type.
    Real {
        /// The digits.
        value: f64,
        /// The stated float type.
        suffix: Option<ScalarType>,
    },
    /// `true`, `false`.
    Bool(bool),
    /// `"text"`: a `[]u8`.
    Str(String),
    /// A name, which may be that of a function.
    Var(String),
    /// `f(x, y)` and `y |> f(x)`.
    Call {
        /// What is called.
        function: Box<Expr>,
        /// The arguments, a piped one last.
        args: Vec<Expr>,
        /// Whether the last argument came through `|>`.
        piped: bool,
    },
    /// `-x`, `!x`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `x + y`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where the operator stands.
        op_span: Span,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `(+)`: the operator as a function of two arguments.
    Section(BinaryOp),
    /// `()`, `(a, b)`; never of one part.
    Tuple(Vec<Expr>),
    /// `[a, b, c]`.
    Array(Vec<Expr>),
    /// `[body for generators if filter]`.
    Comprehension {
        /// The element.
        body: Box<Expr>,
        /// One or more; all run in step.
        generators: Vec<Generator>,
        /// Which elements stay.
        filter: Option<Box<Expr>>,
    },
    /// `xs[i]`, `xs[i, j]`, `m[a..b, ..]`, `xs[off; c by s]`.
    Index {
        /// What is indexed.
        array: Box<Expr>,
        /// Where.
        place: Place,
    },
    /// `xs with [i] = v`.
    Update {
        /// The old array.
        array: Box<Expr>,
        /// Where it changes.
        place: Place,
        /// What stands there afterwards.
        value: Box<Expr>,
    },
    /// `point{x = 1.0, y = 2.0}`.
    Record {
        /// The record's name.
        path: Path,
        /// Fields and values; `x` alone is `x = x`.
        fields: Vec<(Name, Expr)>,
    },
    /// `p with {x = 3.0}`.
    RecordUpdate {
        /// The old record.
        record: Box<Expr>,
        /// Fields and their new values; one or more.
        fields: Vec<(Name, Expr)>,
    },
    /// `p.x`, and `circle.area`, where `circle` is a module.
    Field {
        /// The record or module.
        value: Box<Expr>,
        /// What is taken from it.
        name: Name,
    },
    /// `t.0`.
    Component {
        /// The tuple.
        value: Box<Expr>,
        /// Counted from 0.
        index: usize,
    },
    /// `match e { p => a, q if c => b }`.
    Match {
        /// What is looked at.
        value: Box<Expr>,
        /// One or more.
        arms: Vec<Arm>,
    },
    /// `from..to`: the integers from `from` up to but without `to`.
    Range {
        /// First.
        from: Box<Expr>,
        /// One past the last.
        to: Box<Expr>,
    },
    /// `if c then a else b`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Where it holds.
        then: Box<Expr>,
        /// Where it does not.
        otherwise: Box<Expr>,
    },
    /// `let p = e let q = f in body`, with asserts among the lets.
    Let {
        /// One or more, in order.
        bindings: Vec<Binding>,
        /// The value of the whole.
        body: Box<Expr>,
    },
    /// `loop p = init … do body`.
    Loop {
        /// What is carried from step to step.
        pattern: Pattern,
        /// Its first value.
        init: Box<Expr>,
        /// How long to go on.
        control: LoopControl,
        /// Its next value.
        body: Box<Expr>,
    },
    /// `|x, y| body`.
    Lambda {
        /// One or more.
        params: Vec<LambdaParam>,
        /// The body.
        body: Box<Expr>,
    },
}

/// A prefix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`: negation of truth values, complement of integers.
    Not,
}

/// An infix operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    /// An operator on scalars (never `Min` or `Max`); comparisons also work on tuples and arrays.
    Scalar(BinOp),
    /// `&&`: the right side is evaluated only if the left side holds.
    AndAlso,
    /// `||`: the right side is evaluated only if the left side does not hold.
    OrElse,
    /// `++`
    Concat,
}

/// One of the sources of a comprehension.
#[derive(Clone, PartialEq, Debug)]
pub struct Generator {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: GeneratorKind,
}

/// What a generator is.
#[derive(Clone, PartialEq, Debug)]
pub enum GeneratorKind {
    /// `p in xs`
    In {
        /// Takes each element apart.
        pattern: Pattern,
        /// Where the elements come from.
        array: Expr,
    },
    /// `i < n`
    Count {
        /// Counts from 0.
        var: Name,
        /// One past its last value.
        bound: Expr,
    },
}

/// One arm of a match.
#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    /// Where it stands.
    pub span: Span,
    /// What the value must look like.
    pub pattern: Pattern,
    /// What must hold besides.
    pub guard: Option<Expr>,
    /// The value of the match.
    pub body: Expr,
}

/// What stands between the brackets of an index or an update.
#[derive(Clone, PartialEq, Debug)]
pub enum Place {
    /// `[i, a..b]`: one or more, outermost dimension first.
    Subscripts(Vec<Subscript>),
    /// `[off; c1 by s1, c2 by s2]`: element `(i, j)` is at `off + i * s1 + j * s2`.
    Strided {
        /// The brackets with what is between them.
        span: Span,
        /// The first position.
        offset: Box<Expr>,
        /// Counts and strides, outermost dimension first; one or more.
        dims: Vec<(Expr, Expr)>,
    },
}

/// One place between the brackets of an index.
#[derive(Clone, PartialEq, Debug)]
pub struct Subscript {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: SubscriptKind,
}

/// What a subscript is.
#[derive(Clone, PartialEq, Debug)]
// Trees are small and short-lived; plain fields match better than boxes.
#[allow(clippy::large_enum_variant)]
pub enum SubscriptKind {
    /// `i`
    At(Expr),
    /// `from..to by step`, of which every part may be missing.
    Slice {
        /// First position; 0 if missing.
        from: Option<Expr>,
        /// One past the last position; the length if missing.
        to: Option<Expr>,
        /// Distance between positions; 1 if missing.
        step: Option<Expr>,
    },
}

/// One link of a chain of lets.
#[derive(Clone, PartialEq, Debug)]
pub struct Binding {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: BindingKind,
}

/// What a link of a chain of lets is.
#[derive(Clone, PartialEq, Debug)]
pub enum BindingKind {
    /// `let p: t = e`
    Let {
        /// What it binds.
        pattern: Pattern,
        /// The stated type.
        ty: Option<Type>,
        /// The value.
        value: Expr,
    },
    /// `let xs[i] = v`: rebinds `xs`.
    Update {
        /// The array that gets a new value.
        name: Name,
        /// Where it changes.
        place: Place,
        /// What stands there afterwards.
        value: Expr,
    },
    /// `assert(c, "message")`
    Assert {
        /// What must hold.
        condition: Expr,
        /// What is said if it does not.
        message: String,
    },
}

/// How long a loop goes on.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopControl {
    /// `while c`
    While(Box<Expr>),
    /// `for i < n`
    Count {
        /// Counts from 0.
        var: Name,
        /// One past its last value.
        bound: Box<Expr>,
    },
    /// `for p in xs`
    Each {
        /// Takes each element apart.
        pattern: Pattern,
        /// Where the elements come from.
        array: Box<Expr>,
    },
}

/// A parameter of a lambda.
#[derive(Clone, PartialEq, Debug)]
pub struct LambdaParam {
    /// What it binds.
    pub pattern: Pattern,
    /// The stated type.
    pub ty: Option<Type>,
}

impl UnaryOp {
    /// How it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }
}

impl BinaryOp {
    /// How it is written.
    pub const fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Scalar(op) => op.symbol(),
            BinaryOp::AndAlso => "&&",
            BinaryOp::OrElse => "||",
            BinaryOp::Concat => "++",
        }
    }
}

impl Pattern {
    /// The names this pattern binds, from left to right.
    pub fn names(&self) -> Vec<(&str, Span)> {
        match &self.kind {
            PatternKind::Name(text) => vec![(text, self.span)],
            PatternKind::Wildcard | PatternKind::Literal(_) => Vec::new(),
            PatternKind::Tuple(parts) | PatternKind::Variant { args: parts, .. } | PatternKind::Or(parts) => {
                parts.iter().flat_map(Pattern::names).collect()
            }
            PatternKind::Record { fields, .. } => fields.iter().flat_map(|(_, p)| p.names()).collect(),
        }
    }
}
