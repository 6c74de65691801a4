//! Core: the program after the front end, and the meaning of the language.
//!
//! Core is monomorphic, first order and in A-normal form: every operand is a value bound earlier or a constant. Arrays
//! nest to any depth. Parallelism is explicit in the operators (`map`, `generate`, `filter`, `reduce`), and whatever may
//! fail stands behind a `check` statement:
//!
//! ```text
//! entry spmv(rows_0 : [][](i32, f64), v_1 : []f64) -> []f64 {
//!   let out_2 : []f64 = map (row_3) in rows_0 {
//!     let products_4 : []f64 = map (pair_5) in row_3 {
//!       let j_6 : i32 = pair_5.0
//!       …
//!       check 0 index ok_8 (k_7, n_9)
//!       let vj_10 : f64 = v_1[k_7] after 0
//! ```
//!
//! The statements of a body run in order. A check belongs to the place where it stands: no pass may drop it, and none may
//! run it where the program would not have run it. A statement that is only safe because a check has passed names that
//! check (`after`), so that a pass that moves it knows what must come along.

pub mod parse;
mod parts;
pub mod print;
pub mod verify;
pub mod visit;

use crate::check::{CheckId, CheckInfo};
use crate::{Atom, FuncId, ValueId};
use terrace_algebra::{Size, SizeVar};
use terrace_base::IdVec;
use terrace_base::Span;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_plan::data::Data;

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A number or a boolean.
    Scalar(ScalarType),
    /// A tuple; a record becomes one.
    Tuple(Vec<Type>),
    /// An array.
    Array(Box<ArrayType>),
}

/// The type of an array. Sizes are facts: whoever makes a value of a type that states a size has checked it.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayType {
    /// The length, where the type states it, over integer values of the function and enclosing positions.
    pub length: Option<Size>,
    /// The name under which `elem` refers to an element's position, in `[i < n][i + 1]t`.
    pub position: Option<SizeVar>,
    /// The type of an element.
    pub elem: Type,
}

impl Type {
    /// `[]elem`.
    pub fn array(elem: Type) -> Type {
        Type::Array(Box::new(ArrayType { length: None, position: None, elem }))
    }

    /// The scalar type, if it is one.
    pub fn scalar(&self) -> Option<ScalarType> {
        match self {
            Type::Scalar(s) => Some(*s),
            _ => None,
        }
    }

    /// The element type, if it is an array.
    pub fn elem(&self) -> Option<&Type> {
        match self {
            Type::Array(a) => Some(&a.elem),
            _ => None,
        }
    }

    /// Equal up to the sizes that are stated.
    pub fn same_form(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Scalar(a), Type::Scalar(b)) => a == b,
            (Type::Tuple(a), Type::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same_form(y)),
            (Type::Array(a), Type::Array(b)) => a.elem.same_form(&b.elem),
            _ => false,
        }
    }

    /// The same type with every stated size forgotten.
    pub fn without_sizes(&self) -> Type {
        match self {
            Type::Scalar(s) => Type::Scalar(*s),
            Type::Tuple(ts) => Type::Tuple(ts.iter().map(Type::without_sizes).collect()),
            Type::Array(a) => Type::array(a.elem.without_sizes()),
        }
    }

    /// Whether no array occurs in it.
    pub fn is_flat(&self) -> bool {
        match self {
            Type::Scalar(_) => true,
            Type::Tuple(ts) => ts.iter().all(Type::is_flat),
            Type::Array(_) => false,
        }
    }
}

/// A whole program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// All functions, called ones and calling ones in any order.
    pub functions: IdVec<FuncId, Function>,
    /// The checks, in source order.
    pub checks: IdVec<CheckId, CheckInfo>,
}

/// Why a function is there.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// Called by other functions only.
    Internal,
    /// Exported to the host under its name.
    Entry,
    /// A `test`: its result is a `bool` that must be true. Array literals in it became parameters, so that
    /// no optimiser can compute the answer: `arguments` holds one argument per parameter.
    Test {
        /// The name as written.
        name: String,
        /// What to call it with.
        arguments: Vec<Data>,
    },
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its name in the source, made unique by specialisation.
    pub name: String,
    /// Why it is there.
    pub role: Role,
    /// Everything bound anywhere in it.
    pub values: IdVec<ValueId, Value>,
    /// The parameters.
    pub params: Vec<ValueId>,
    /// The type of the result.
    pub result: Type,
    /// What it computes.
    pub body: Body,
    /// Where it stands.
    pub span: Span,
}

/// What is known about a bound value.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The name it prints under, before its number.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// Statements in order, and a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The result.
    pub result: Atom,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it came from.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Binds a value.
    Let {
        /// The value bound.
        value: ValueId,
        /// What it is.
        expr: Expr,
        /// The checks without which evaluating `expr` would be wrong.
        after: Vec<CheckId>,
    },
    /// Stops the program unless the condition holds.
    Check {
        /// Which check of the program this is.
        check: CheckId,
        /// Must be true.
        cond: Atom,
        /// The integers that the message shows (see [`crate::check::CheckKind`]).
        values: Vec<Atom>,
    },
}

/// A function of a few values, written in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// The parameters.
    pub params: Vec<ValueId>,
    /// What it computes; it may mention any value bound outside.
    pub body: Body,
}

/// What a value can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// The operand itself.
    Atom(Atom),
    /// A scalar operation.
    Unary(UnOp, Atom),
    /// A scalar operation. Integer division is safe only after its check.
    Binary(BinOp, Atom, Atom),
    /// `a * b + c`, rounded once.
    Fma(Atom, Atom, Atom),
    /// A conversion.
    Convert(ScalarType, Atom),
    /// A tuple.
    Tuple(Vec<Atom>),
    /// A component of a tuple.
    Project(Atom, usize),
    /// An array written out.
    ArrayLiteral {
        /// The element type.
        elem: Type,
        /// The elements; they have one type, and rows may differ in length.
        elems: Vec<Atom>,
    },
    /// The length of an array, an `i64`.
    Length(Atom),
    /// An element.
    Index {
        /// The array.
        array: Atom,
        /// An `i64`, within bounds.
        index: Atom,
    },
    /// Elements `from` to `to`, exclusive.
    Slice {
        /// The array.
        array: Atom,
        /// An `i64`.
        from: Atom,
        /// An `i64`.
        to: Atom,
    },
    /// `0, 1, …, n - 1`.
    Iota(Atom),
    /// `n` copies.
    Replicate {
        /// How many, an `i64`.
        count: Atom,
        /// Of what.
        value: Atom,
    },
    /// Arrays one after the other.
    Concat(Vec<Atom>),
    /// One array of tuples from several arrays of one length.
    Zip(Vec<Atom>),
    /// The function applied to every element; several arrays have one length.
    Map {
        /// One parameter per array.
        lambda: Lambda,
        /// The arrays.
        arrays: Vec<Atom>,
    },
    /// The function applied to `0, …, count - 1`.
    Generate {
        /// One parameter, an `i64`.
        lambda: Lambda,
        /// How many, an `i64` that is a length.
        count: Atom,
    },
    /// The elements for which the predicate holds, in order.
    Filter {
        /// One parameter; a `bool`.
        predicate: Lambda,
        /// The array.
        array: Atom,
    },
    /// All elements combined.
    Reduce {
        /// Two parameters; associative.
        operator: Lambda,
        /// Its neutral element.
        neutral: Atom,
        /// The array.
        array: Atom,
    },
    /// All prefixes combined: element `i` is the combination of elements `0` to `i`.
    Scan {
        /// Two parameters; associative.
        operator: Lambda,
        /// Its neutral element.
        neutral: Atom,
        /// The array.
        array: Atom,
    },
    /// One of two.
    If {
        /// A `bool`.
        cond: Atom,
        /// If it holds.
        then: Body,
        /// If not.
        otherwise: Body,
    },
    /// Repetition with state.
    Loop {
        /// The state, a tuple where there are several.
        state: ValueId,
        /// Its first value.
        init: Atom,
        /// How long.
        form: LoopForm,
        /// The next state.
        body: Body,
    },
    /// A call.
    Call {
        /// The function.
        function: FuncId,
        /// One argument per parameter.
        args: Vec<Atom>,
    },
    /// The same value under a type that states more sizes; the check stops the program where they do not hold.
    Ascribe {
        /// The value.
        value: Atom,
        /// The type; equal to the value's up to sizes.
        ty: Type,
        /// What is reported.
        check: CheckId,
    },
}

/// How long a loop runs.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopForm {
    /// While the body, which may mention the state, gives true.
    While(Body),
    /// For `index` from 0 to `count`, exclusive.
    For {
        /// The counter, an `i64`.
        index: ValueId,
        /// How often, an `i64`.
        count: Atom,
    },
}
