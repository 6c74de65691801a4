//! The values that the interpreter computes with.
//!
//! A value takes 16 bytes: a scalar in place, or a counted reference. An array is a window on shared elements, so a slice
//! costs nothing and a value is copied by counting:
//!
//! ```text
//! xs          Array { items ─▶ [1, 2, 3, 4, 5], from 0, len 5 }
//! xs[1..3]    Array { items ─▶ (the same),      from 1, len 2 }
//! ```
//!
//! Arrays of tuples are kept as written, not taken apart into columns: this form is for being obviously right.

use std::rc::Rc;
use terrace_base::{Scalar, ScalarType};
use terrace_ir::core::Type;
use terrace_plan::data::Data;

/// A value of any type.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    Tuple(Rc<Vec<Value>>),
    Array(Rc<Array>),
}

/// A window on shared elements.
#[derive(Debug)]
pub(super) struct Array {
    items: Rc<Vec<Value>>,
    from: usize,
    len: usize,
}

impl Value {
    pub(super) const NOTHING: Value = Value::Scalar(Scalar::Bool(false));

    pub(super) fn array(items: Vec<Value>) -> Value {
        let len = items.len();
        Value::Array(Rc::new(Array { items: Rc::new(items), from: 0, len }))
    }

    pub(super) fn int(n: i64) -> Value {
        Value::Scalar(Scalar::I64(n))
    }

    pub(super) fn as_scalar(&self) -> Scalar {
        match self {
            Value::Scalar(s) => *s,
            _ => unreachable!("verified Core applies scalar operators to scalars"),
        }
    }

    pub(super) fn as_tuple(&self) -> &[Value] {
        match self {
            Value::Tuple(parts) => parts,
            _ => unreachable!("verified Core takes only tuples apart"),
        }
    }

    pub(super) fn as_array(&self) -> &Rc<Array> {
        match self {
            Value::Array(array) => array,
            _ => unreachable!("verified Core applies array operators to arrays"),
        }
    }

    pub(super) fn to_data(&self) -> Data {
        match self {
            Value::Scalar(s) => Data::Scalar(*s),
            Value::Tuple(parts) => Data::Tuple(parts.iter().map(Value::to_data).collect()),
            Value::Array(array) => Data::Array(array.items().iter().map(Value::to_data).collect()),
        }
    }

    /// The value of an argument; says what is wrong if it is not of the type.
    pub(super) fn from_data(data: Data, ty: &Type) -> Result<Value, String> {
        match (data, ty) {
            (Data::Scalar(s), Type::Scalar(wanted)) if s.ty() == *wanted => Ok(Value::Scalar(s)),
            (Data::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                let values: Result<_, _> =
                    parts.into_iter().zip(types).map(|(part, ty)| Value::from_data(part, ty)).collect();
                Ok(Value::Tuple(Rc::new(values?)))
            }
            (Data::Array(items), Type::Array(array)) => {
                let values: Result<_, _> = items.into_iter().map(|item| Value::from_data(item, &array.elem)).collect();
                Ok(Value::array(values?))
            }
            (data, ty) => Err(format!("{} where {} is wanted", describe(&data), describe_type(ty))),
        }
    }
}

impl Array {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn items(&self) -> &[Value] {
        &self.items[self.from..self.from + self.len]
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> Value {
        let (from, len) = (self.from + from, to - from);
        Value::Array(Rc::new(Array { items: Rc::clone(&self.items), from, len }))
    }
}

fn describe(data: &Data) -> String {
    match data {
        Data::Scalar(s) => format!("the {} {s}", s.ty()),
        Data::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Data::Array(items) => format!("an array of {}", items.len()),
    }
}

fn describe_type(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => scalar_name(*s).to_string(),
        Type::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(describe_type).collect();
            format!("({})", parts.join(", "))
        }
        Type::Array(array) => format!("[]{}", describe_type(&array.elem)),
    }
}

fn scalar_name(ty: ScalarType) -> &'static str {
    ty.name()
}
