//! Function headers: declared names, parameter types, and the sizes that types state.
//!
//! ```text
//! entry trmv[n](m: [i < n][i + 1]f32, v: [n]f32) -> [n]f32
//!     declared    n, a size, because types use it as one; in the body an i64
//!     m           array of n at positions i, of arrays of i + 1
//!     v           array of n
//! ```
//!
//! A size is an expression over integer names: declared sizes, integer parameters and positions. It is kept as a small
//! tree here and becomes a symbolic size when the function is lowered, because only then its names have values.
//!
//! A declared size gets its value from the first parameter that has it alone as a length ([`binder_of`]), a size function
//! from the first one that has it alone as the length of its rows ([`function_binder_of`]). How headers are read is in
//! [`crate::header`].

use crate::declared::TypeId;
use crate::typed::{Local, LocalId, Pattern};
use crate::types::{Classes, Ty};
use terrace_base::{BinOp, ScalarType, Span};

/// A type with the sizes it states.
#[derive(Clone, Debug)]
pub(crate) enum SizedType {
    Scalar(ScalarType),
    Param(usize),
    Tuple(Vec<SizedType>),
    Array(Box<SizedArray>),
    /// A record; its fields are components, like those of a tuple.
    Record {
        id: TypeId,
        type_args: Vec<Ty>,
        fields: Vec<SizedType>,
    },
    /// An enum, with the fields of each variant.
    Enum {
        id: TypeId,
        type_args: Vec<Ty>,
        variants: Vec<Vec<SizedType>>,
    },
    /// A function; only of parameters.
    Function(Vec<SizedType>, Box<SizedType>),
    /// A type that was inferred: it states no sizes.
    Plain(Ty),
    Error,
}

/// An array type with what it states.
#[derive(Clone, Debug)]
pub(crate) struct SizedArray {
    /// The brackets.
    pub(crate) span: Span,
    pub(crate) size: Option<SizeExpr>,
    /// The size as written.
    pub(crate) text: String,
    pub(crate) position: Option<(LocalId, String)>,
    pub(crate) elem: SizedType,
}

/// A size as written.
#[derive(Clone, Debug)]
pub(crate) enum SizeExpr {
    Const(i64),
    Name(LocalId),
    Add(Box<SizeExpr>, Box<SizeExpr>),
    Sub(Box<SizeExpr>, Box<SizeExpr>),
    Mul(Box<SizeExpr>, Box<SizeExpr>),
    Div(Box<SizeExpr>, i64),
    Rem(Box<SizeExpr>, i64),
    Min(Box<SizeExpr>, Box<SizeExpr>),
    Max(Box<SizeExpr>, Box<SizeExpr>),
    /// `if a < b then c else d`; the operator compares.
    If(BinOp, Box<[SizeExpr; 4]>),
    /// `k(i, j)`, where `k` is a declared size function.
    Apply(LocalId, Vec<SizeExpr>),
    /// A size name declared by a type, by its position among the type's sizes; only inside [`Declared`](crate::declared::Declared).
    Param(usize),
}

impl SizedType {
    /// The type without its sizes.
    pub(crate) fn plain(&self) -> Ty {
        match self {
            SizedType::Scalar(s) => Ty::Scalar(*s),
            SizedType::Param(k) => Ty::Param(*k),
            SizedType::Tuple(parts) => Ty::Tuple(parts.iter().map(SizedType::plain).collect()),
            SizedType::Array(array) => Ty::array(array.elem.plain()),
            SizedType::Record { id, type_args, .. } | SizedType::Enum { id, type_args, .. } => {
                Ty::Named(*id, type_args.clone())
            }
            SizedType::Function(params, result) => {
                Ty::Function(params.iter().map(SizedType::plain).collect(), Box::new(result.plain()))
            }
            SizedType::Plain(ty) => ty.clone(),
            SizedType::Error => Ty::Error,
        }
    }

    /// Whether any size is stated, at least `skip` dimensions deep.
    pub(crate) fn states_sizes(&self, skip: usize) -> bool {
        match self {
            SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
                parts.iter().any(|p| p.states_sizes(skip))
            }
            SizedType::Enum { variants, .. } => variants.iter().flatten().any(|p| p.states_sizes(skip)),
            SizedType::Array(array) => {
                (skip == 0 && array.size.is_some()) || array.elem.states_sizes(skip.saturating_sub(1))
            }
            _ => false,
        }
    }
}

/// A function's header.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) exported: bool,
    pub(crate) type_params: Vec<(String, Classes)>,
    /// The names that the header binds; the body's come after them.
    pub(crate) locals: Vec<Local>,
    pub(crate) sizes: Vec<LocalId>,
    /// Declared size functions: locals of type `(i64, …) -> i64`.
    pub(crate) size_functions: Vec<LocalId>,
    pub(crate) params: Vec<Param>,
    pub(crate) result: Option<(SizedType, Span)>,
    /// The sizes after `?` in the result.
    pub(crate) result_sizes: Vec<LocalId>,
    /// Whether it has no parentheses.
    pub(crate) constant: bool,
    /// The module it stands in.
    pub(crate) module: usize,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) pattern: Pattern,
    pub(crate) ty: SizedType,
    pub(crate) ty_span: Span,
    /// Whether a call consumes it.
    pub(crate) consumed: bool,
}

/// Where a declared size gets its value: a parameter, and the way to an array in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binder {
    pub(crate) param: usize,
    pub(crate) path: Vec<Step>,
}

/// One step from a value to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A component of a tuple or a field of a record.
    Component(usize),
    /// The first element of an array, if there is one.
    First,
}

/// The outermost and then first place that has exactly the size `name` as its length.
pub(crate) fn binder_of(name: LocalId, params: &[Param]) -> Option<Binder> {
    let deepest = params.iter().map(|p| depth(&p.ty)).max().unwrap_or(0);
    (0..deepest).find_map(|level| {
        params.iter().enumerate().find_map(|(param, p)| {
            let mut path = Vec::new();
            find_length(name, &p.ty, level, &mut path).then_some(Binder { param, path })
        })
    })
}

fn depth(ty: &SizedType) -> usize {
    match ty {
        SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => parts.iter().map(depth).max().unwrap_or(0),
        SizedType::Array(array) => 1 + depth(&array.elem),
        _ => 0,
    }
}

fn find_length(name: LocalId, ty: &SizedType, level: usize, path: &mut Vec<Step>) -> bool {
    match ty {
        SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
            parts.iter().enumerate().any(|(k, part)| {
                path.push(Step::Component(k));
                let found = find_length(name, part, level, path);
                if !found {
                    path.pop();
                }
                found
            })
        }
        SizedType::Array(array) if level == 0 => {
            matches!(array.size, Some(SizeExpr::Name(id)) if id == name)
        }
        SizedType::Array(array) => {
            path.push(Step::First);
            let found = find_length(name, &array.elem, level - 1, path);
            if !found {
                path.pop();
            }
            found
        }
        _ => false,
    }
}

/// Where a size function gets its values: a parameter, and the way to the array whose lengths they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionBinder {
    pub(crate) param: usize,
    pub(crate) path: Vec<RowStep>,
}

/// One step from a value to a part of it, for given arguments of a size function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowStep {
    /// A component of a tuple or a field of a record.
    Component(usize),
    /// The element of an array at this argument of the size function.
    Argument(usize),
}

/// The first place that has exactly `name(i, j, …)` as its length, where `i`, `j`, … are the positions around it.
pub(crate) fn function_binder_of(name: LocalId, params: &[Param]) -> Option<FunctionBinder> {
    params.iter().enumerate().find_map(|(param, p)| {
        let mut path = Vec::new();
        find_rows(name, &p.ty, &mut Vec::new(), &mut path).then_some(FunctionBinder { param, path })
    })
}

fn find_rows(name: LocalId, ty: &SizedType, positions: &mut Vec<LocalId>, path: &mut Vec<RowStep>) -> bool {
    match ty {
        SizedType::Tuple(parts) | SizedType::Record { fields: parts, .. } => {
            parts.iter().enumerate().any(|(k, part)| {
                path.push(RowStep::Component(k));
                let found = find_rows(name, part, positions, path);
                if !found {
                    path.pop();
                }
                found
            })
        }
        SizedType::Array(array) => {
            if let Some(SizeExpr::Apply(id, args)) = &array.size
                && *id == name
                && args.len() == positions.len()
                && args.iter().zip(&*positions).all(|(a, p)| matches!(a, SizeExpr::Name(n) if n == p))
            {
                return true;
            }
            let Some((position, _)) = array.position else {
                return false;
            };
            path.push(RowStep::Argument(positions.len()));
            positions.push(position);
            let found = find_rows(name, &array.elem, positions, path);
            positions.pop();
            if !found {
                path.pop();
            }
            found
        }
        _ => false,
    }
}
