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
//! Whoever holds the only reference may write: [`Value::element_mut`] copies the elements of a window first if anyone else
//! can see them. Arrays of tuples are kept as written, not taken apart into columns: this form is for being obviously right.

use std::rc::Rc;
use terrace_base::Scalar;
use terrace_ir::core::{Type, VariantType};
use terrace_plan::data::Data;

/// A value of any type.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Scalar(Scalar),
    Tuple(Rc<Tuple>),
    Array(Rc<Array>),
    /// A variant that holds nothing, by its number.
    Bare(usize),
    /// A variant, by its number, with what it holds.
    Variant(Rc<(usize, Vec<Value>)>),
}

const _: () = assert!(size_of::<Value>() == 16);

/// The components of a tuple; most have two, and these need one allocation.
#[derive(Debug)]
pub(super) enum Tuple {
    Pair([Value; 2]),
    Parts(Vec<Value>),
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

    pub(super) fn tuple(parts: Vec<Value>) -> Value {
        Value::Tuple(Rc::new(Tuple::Parts(parts)))
    }

    pub(super) fn pair(a: Value, b: Value) -> Value {
        Value::Tuple(Rc::new(Tuple::Pair([a, b])))
    }

    pub(super) fn variant(tag: usize, fields: Vec<Value>) -> Value {
        if fields.is_empty() { Value::Bare(tag) } else { Value::Variant(Rc::new((tag, fields))) }
    }

    pub(super) fn as_scalar(&self) -> &Scalar {
        match self {
            Value::Scalar(s) => s,
            _ => unreachable!("verified Core applies scalar operators to scalars"),
        }
    }

    pub(super) fn as_int(&self) -> i64 {
        match self.as_scalar() {
            Scalar::I64(n) => *n,
            _ => unreachable!("verified Core counts with i64"),
        }
    }

    pub(super) fn as_bool(&self) -> bool {
        self.as_scalar().as_bool().expect("verified Core decides by booleans")
    }

    pub(super) fn as_tuple(&self) -> &[Value] {
        match self {
            Value::Tuple(tuple) => match tuple.as_ref() {
                Tuple::Pair(parts) => parts,
                Tuple::Parts(parts) => parts,
            },
            _ => unreachable!("verified Core takes only tuples apart"),
        }
    }

    pub(super) fn as_array(&self) -> &Array {
        match self {
            Value::Array(array) => array,
            _ => unreachable!("verified Core applies array operators to arrays"),
        }
    }

    /// The elements of an array.
    pub(super) fn items(&self) -> &[Value] {
        self.as_array().items()
    }

    pub(super) fn as_variant(&self) -> (usize, &[Value]) {
        match self {
            Value::Bare(tag) => (*tag, &[]),
            Value::Variant(variant) => (variant.0, &variant.1),
            _ => unreachable!("verified Core matches only sums"),
        }
    }

    /// The elements of an array, to write; `copied` grows by as many as had to be copied because others see them too.
    pub(super) fn items_mut(&mut self, copied: &mut u64) -> &mut [Value] {
        let Value::Array(array) = self else { unreachable!("verified Core updates only arrays") };
        if Rc::get_mut(array).is_none_or(|own| Rc::get_mut(&mut own.items).is_none()) {
            let items = array.items().to_vec();
            *copied += items.len() as u64;
            *array = Rc::new(Array { from: 0, len: items.len(), items: Rc::new(items) });
        }
        let own = Rc::get_mut(array).expect("nobody else sees it");
        &mut Rc::get_mut(&mut own.items).expect("nobody else sees them")[own.from..own.from + own.len]
    }

    /// One element of an array, to write.
    pub(super) fn element_mut(&mut self, index: i64, copied: &mut u64) -> &mut Value {
        let items = self.items_mut(copied);
        let found = usize::try_from(index).ok().and_then(|k| items.get_mut(k));
        found.expect("a check stands before every update")
    }

    /// The value as people write it; the type has the names of variants.
    pub(super) fn to_data(&self, ty: &Type) -> Data {
        let each = |values: &[Value], types: &[Type]| values.iter().zip(types).map(|(v, ty)| v.to_data(ty)).collect();
        match (self, ty) {
            (Value::Tuple(_), Type::Tuple(types)) => Data::Tuple(each(self.as_tuple(), types)),
            (Value::Array(array), Type::Array(ty)) => {
                Data::Array(array.items().iter().map(|item| item.to_data(&ty.elem)).collect())
            }
            (Value::Bare(_) | Value::Variant(_), Type::Sum(variants)) => {
                let (tag, fields) = self.as_variant();
                let VariantType { name, fields: types } = &variants[tag];
                Data::variant(tag, name, each(fields, types))
            }
            _ => Data::Scalar(*self.as_scalar()),
        }
    }

    /// The value of an argument; says what is wrong if it is not of the type.
    pub(super) fn from_data(data: Data, ty: &Type) -> Result<Value, String> {
        let each = |parts: Vec<Data>, types: &[Type]| -> Result<Vec<Value>, String> {
            parts.into_iter().zip(types).map(|(part, ty)| Value::from_data(part, ty)).collect()
        };
        match (data, ty) {
            (Data::Scalar(s), Type::Scalar(wanted)) if s.ty() == *wanted => Ok(Value::Scalar(s)),
            (Data::Tuple(parts), Type::Tuple(types)) if parts.len() == types.len() => {
                Ok(Value::tuple(each(parts, types)?))
            }
            (Data::Array(items), Type::Array(array)) => {
                let values: Result<_, _> = items.into_iter().map(|item| Value::from_data(item, &array.elem)).collect();
                Ok(Value::array(values?))
            }
            (Data::Variant(d), Type::Sum(variants))
                if variants.get(d.tag).is_some_and(|v| v.fields.len() == d.fields.len()) =>
            {
                Ok(Value::variant(d.tag, each(d.fields, &variants[d.tag].fields)?))
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
        assert!(from <= to && to <= self.len, "a check stands before every slice");
        let (from, len) = (self.from + from, to - from);
        Value::Array(Rc::new(Array { items: Rc::clone(&self.items), from, len }))
    }
}

fn describe(data: &Data) -> String {
    match data {
        Data::Scalar(s) => format!("the {} {s}", s.ty()),
        Data::Tuple(parts) => format!("a tuple of {}", parts.len()),
        Data::Array(items) => format!("an array of {}", items.len()),
        Data::Variant(v) => format!("the variant `{}` with {} fields", v.name, v.fields.len()),
    }
}

fn describe_type(ty: &Type) -> String {
    let list = |types: &[Type]| types.iter().map(describe_type).collect::<Vec<_>>().join(", ");
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Tuple(parts) => format!("({})", list(parts)),
        Type::Array(array) => format!("[]{}", describe_type(&array.elem)),
        Type::Sum(variants) => {
            let one = |v: &VariantType| match v.fields.as_slice() {
                [] => v.name.clone(),
                fields => format!("{}({})", v.name, list(fields)),
            };
            variants.iter().map(one).collect::<Vec<_>>().join(" | ")
        }
    }
}
