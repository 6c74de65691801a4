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
//!
//! A check that is known to hold is written `proved 0 index ok_8 (k_7, n_9)`. It holds at its place, perhaps because of a branch or
//! of another check: nobody needs to test it, but what names it still must not move away from there.

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
    /// One of several variants; an enum becomes one.
    Sum(Vec<VariantType>),
}

/// One variant of a sum.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantType {
    /// Its name in the source.
    pub name: String,
    /// What it holds.
    pub fields: Vec<Type>,
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
            (Type::Sum(a), Type::Sum(b)) => {
                let same = |x: &VariantType, y: &VariantType| {
                    x.name == y.name
                        && x.fields.len() == y.fields.len()
                        && x.fields.iter().zip(&y.fields).all(|(f, g)| f.same_form(g))
                };
                a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y))
            }
            _ => false,
        }
    }

    /// The same type with every stated size forgotten.
    pub fn without_sizes(&self) -> Type {
        match self {
            Type::Scalar(s) => Type::Scalar(*s),
            Type::Tuple(ts) => Type::Tuple(ts.iter().map(Type::without_sizes).collect()),
            Type::Array(a) => Type::array(a.elem.without_sizes()),
            Type::Sum(variants) => Type::Sum(
                variants
                    .iter()
                    .map(|v| VariantType {
                        name: v.name.clone(),
                        fields: v.fields.iter().map(Type::without_sizes).collect(),
                    })
                    .collect(),
            ),
        }
    }

    /// Whether no array occurs in it.
    pub fn is_flat(&self) -> bool {
        match self {
            Type::Scalar(_) => true,
            Type::Tuple(ts) => ts.iter().all(Type::is_flat),
            Type::Array(_) => false,
            Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).all(Type::is_flat),
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
    /// Its name in the source, for messages.
    pub source: String,
    /// Why it is there.
    pub role: Role,
    /// Everything bound anywhere in it.
    pub values: IdVec<ValueId, Value>,
    /// The parameters.
    pub params: Vec<ValueId>,
    /// Which parameters a call consumes, as many as there are parameters.
    pub consumed: Vec<bool>,
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
        /// Whether the compiler has proved that the condition holds whenever this runs; then nobody needs to look.
        proved: bool,
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
    /// The elements at `offset + i * stride_1 + j * stride_2 + …`, nested as deep as there are dimensions.
    Strided {
        /// The array.
        array: Atom,
        /// The positions.
        strides: Strides,
    },
    /// The least and the greatest position that `strides` reach, `(i64, i64)`, kept within `i64`; `(0, -1)` if they reach none.
    Extent(Strides),
    /// Whether no two of the positions that `strides` reach are one: sorted by size, each stride exceeds what the smaller ones span.
    Disjoint(Strides),
    /// The array with one element, or one element of a row of it, replaced.
    Update {
        /// The array.
        array: Atom,
        /// One index per dimension from the outermost one on; `i64`s within bounds.
        indices: Vec<Atom>,
        /// What stands there afterwards.
        value: Atom,
    },
    /// The array with the elements at several positions replaced.
    UpdateStrided {
        /// The array.
        array: Atom,
        /// The positions; within bounds, and no two are one.
        strides: Strides,
        /// What stands there afterwards, nested as deep as there are dimensions.
        values: Atom,
    },
    /// The array with `values[k]` at position `indices[k]`; where positions repeat, the last one wins.
    Scatter {
        /// The array.
        array: Atom,
        /// An array of `i64`s within bounds.
        indices: Atom,
        /// As many as indices.
        values: Atom,
    },
    /// `count` elements, each the combination of the values with its index, in order, beginning with the neutral element.
    Hist {
        /// Two parameters; associative.
        operator: Lambda,
        /// Its neutral element.
        neutral: Atom,
        /// How many, an `i64`.
        count: Atom,
        /// An array of `i64`s from 0 to `count`.
        indices: Atom,
        /// As many as indices.
        values: Atom,
    },
    /// The array in the order of its keys, which are sorted stably by the total order.
    Sort {
        /// As many as elements.
        keys: Atom,
        /// The array.
        array: Atom,
    },
    /// Whether one value stands strictly before another in the total order.
    Precedes(Atom, Atom),
    /// The rows of an array one after the other.
    Flatten(Atom),
    /// An array cut into rows.
    Partition {
        /// The lengths of the rows, `i64`s; together the length of the array.
        sizes: Atom,
        /// The array.
        array: Atom,
    },
    /// A flat array as rows of rows.
    Reshape {
        /// The array.
        array: Atom,
        /// The new lengths, `i64`s from the outermost one on; their product is the length of the array.
        dims: Vec<Atom>,
    },
    /// The windows of `size` elements that start at multiples of `step`.
    Slide {
        /// How long a window is, at least 1.
        size: Atom,
        /// How far apart they start, at least 1.
        step: Atom,
        /// The array.
        array: Atom,
    },
    /// The array, longer at both ends.
    Pad {
        /// How many elements come before it, an `i64`.
        left: Atom,
        /// How many come behind it, an `i64`.
        right: Atom,
        /// Which.
        mode: PadMode,
        /// The array; not empty unless the mode is a constant or nothing is added.
        array: Atom,
    },
    /// Element `i` is element `(i + by) mod n`.
    Rotate {
        /// How far, an `i64` of either sign.
        by: Atom,
        /// The array.
        array: Atom,
    },
    /// Rows become columns; all rows have one length.
    Transpose(Atom),
    /// A value of a sum.
    Variant {
        /// The sum.
        ty: Type,
        /// Which variant.
        tag: usize,
        /// One value per field.
        fields: Vec<Atom>,
    },
    /// One body per variant of a sum.
    Match {
        /// The value.
        value: Atom,
        /// One per variant, in order; the parameters are its fields.
        arms: Vec<Lambda>,
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
        /// Whether the compiler has proved that the sizes hold.
        proved: bool,
    },
}

/// A set of positions in a flat array: a first one, and counts and strides from the outermost dimension on.
#[derive(Clone, Debug, PartialEq)]
pub struct Strides {
    /// The position of element `(0, 0, …)`, an `i64`.
    pub offset: Atom,
    /// Counts and strides, `i64`s; counts are not negative, strides have either sign. One or more.
    pub dims: Vec<(Atom, Atom)>,
}

/// What an array is continued with beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PadMode {
    /// Its first and its last element.
    Clamp,
    /// The array again and again.
    Wrap,
    /// The array mirrored, again and again; the end stands twice.
    Mirror,
    /// One value.
    Constant(Atom),
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
