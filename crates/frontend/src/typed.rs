//! The typed tree: names resolved, every expression with its type, every call with its instance.
//!
//! It has the form of the syntax tree. Types may mention inference variables, which the function's [`Unifier`] resolves, and
//! declared type names, which lowering replaces per use.

use crate::builtins::Builtin;
use crate::signature::SizedType;
use crate::types::{Ty, Unifier};
use terrace_base::{ScalarType, Span, UnOp, define_id};
use terrace_syntax::ast::BinaryOp;

define_id!(
    /// A name bound in a function.
    LocalId
);

/// What is known about a bound name.
#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) ty: Ty,
    pub(crate) used: bool,
}

/// A function or test after inference.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub(crate) locals: Vec<Local>,
    pub(crate) unifier: Unifier,
    pub(crate) body: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) ty: Ty,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Int(u64),
    /// A literal directly under a minus, which reaches one further.
    NegativeInt(u64),
    Real(f64),
    Bool(bool),
    Str(Vec<u8>),
    Local(LocalId),
    Call {
        function: usize,
        type_args: Vec<Ty>,
        args: Vec<Arg>,
    },
    /// A call of a function parameter or of a declared size function.
    Apply {
        function: LocalId,
        args: Vec<Expr>,
    },
    Builtin {
        which: Builtin,
        function: Option<Box<Fun>>,
        args: Vec<Expr>,
    },
    Convert(ScalarType, Box<Expr>),
    /// A conversion to the type of the expression, a declared type name: `t(x)`.
    ConvertTo(Box<Expr>),
    Unary(UnOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Tuple(Vec<Expr>),
    Array(Vec<Expr>),
    Comprehension {
        body: Box<Expr>,
        generators: Vec<Generator>,
        filter: Option<Box<Expr>>,
    },
    Index {
        array: Box<Expr>,
        place: Place,
    },
    Update {
        array: Box<Expr>,
        place: Place,
        value: Box<Expr>,
    },
    /// Fields by their number in the declaration, in the order written.
    Record(Vec<(usize, Expr)>),
    RecordUpdate {
        record: Box<Expr>,
        fields: Vec<(usize, Expr)>,
    },
    /// A field of a record or a component of a tuple.
    Project(Box<Expr>, usize),
    /// A value of the enum that is the expression's type.
    Variant {
        tag: usize,
        fields: Vec<Expr>,
    },
    /// Exhaustive; the first arm that fits counts.
    Match {
        value: Box<Expr>,
        arms: Vec<Arm>,
    },
    Range {
        from: Box<Expr>,
        to: Box<Expr>,
    },
    If {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Let {
        bindings: Vec<Binding>,
        body: Box<Expr>,
    },
    Loop {
        pattern: Pattern,
        init: Box<Expr>,
        control: Control,
        body: Box<Expr>,
    },
    /// Something wrong that was reported already.
    Error,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Value(Expr),
    Function(Fun),
}

/// An arm of a match.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) span: Span,
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Expr,
}

/// A function where one is an argument.
#[derive(Clone, Debug)]
pub(crate) struct Fun {
    pub(crate) span: Span,
    pub(crate) result: Ty,
    pub(crate) kind: FunKind,
}

#[derive(Clone, Debug)]
// Trees are small and short-lived; plain fields match better than boxes.
#[allow(clippy::large_enum_variant)]
pub(crate) enum FunKind {
    Lambda {
        params: Vec<Pattern>,
        body: Expr,
    },
    Section(BinaryOp),
    Function {
        function: usize,
        type_args: Vec<Ty>,
    },
    Builtin(Builtin),
    Convert(ScalarType),
    /// A function parameter handed on.
    Param(LocalId),
    /// A variant with fields, as the function that makes one.
    Variant {
        tag: usize,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) span: Span,
    pub(crate) ty: Ty,
    pub(crate) kind: PatternKind,
}

#[derive(Clone, Debug)]
pub(crate) enum PatternKind {
    Name(LocalId),
    Wildcard,
    Tuple(Vec<Pattern>),
    /// Fields by their number in the declaration.
    Record(Vec<(usize, Pattern)>),
    /// A variant of an enum.
    Variant {
        tag: usize,
        fields: Vec<Pattern>,
    },
    /// A literal; only in matches.
    Literal(Box<Expr>),
    /// One of several, which bind no names; only in matches.
    Or(Vec<Pattern>),
}

#[derive(Clone, Debug)]
pub(crate) struct Generator {
    pub(crate) span: Span,
    pub(crate) kind: GeneratorKind,
}

#[derive(Clone, Debug)]
pub(crate) enum GeneratorKind {
    In { pattern: Pattern, array: Expr },
    Count { var: LocalId, bound: Expr },
}

/// What stands between the brackets of an index or an update.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    Subscripts(Vec<Subscript>),
    Strided { span: Span, offset: Box<Expr>, dims: Vec<(Expr, Expr)> },
}

#[derive(Clone, Debug)]
pub(crate) struct Subscript {
    pub(crate) span: Span,
    pub(crate) kind: SubscriptKind,
}

#[derive(Clone, Debug)]
// Trees are small and short-lived; plain fields match better than boxes.
#[allow(clippy::large_enum_variant)]
pub(crate) enum SubscriptKind {
    At(Expr),
    Slice { from: Option<Box<Expr>>, to: Option<Box<Expr>>, step: Option<Box<Expr>> },
}

#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) span: Span,
    pub(crate) kind: BindingKind,
}

#[derive(Clone, Debug)]
pub(crate) enum BindingKind {
    Let { pattern: Pattern, sizes: Option<SizedType>, value: Expr },
    Assert { condition: Expr, message: String },
}

#[derive(Clone, Debug)]
pub(crate) enum Control {
    While(Box<Expr>),
    Count { var: LocalId, bound: Box<Expr> },
    Each { pattern: Pattern, array: Box<Expr> },
}
