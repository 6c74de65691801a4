//! Forms: as which scalars and columns a value crosses a border.
//!
//! ```text
//! f64, the same at all points            Same       one scalar
//! f64                                    Each       a column over the points
//! []f64, the same at all points          Whole      length and base; a View is a part of its base: start and length too
//! []f64, everywhere equally long         Packed     the length, and the base, row after row
//!                                        Regular    a column of starts, the length, and the base
//! []f64                                  Irregular  columns of starts and lengths, and the base
//! ```
//!
//! The elements of an array have forms too: scalars are columns, rows are packed, regular or irregular. Both sides of a border
//! take the form from the labels, never from the value at hand.

use super::rep::{Elem, Inner, Rep};
use terrace_base::ScalarType;
use terrace_ir::core::Type;

/// As which scalars and columns a value crosses a border.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// A scalar that is the same at all points.
    Same(ScalarType),
    /// A scalar that may differ.
    Each(ScalarType),
    Tuple(Vec<Form>),
    /// An array, and the form of its elements.
    Array(How, Box<Form>),
}

/// Where the elements of an array lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// The same array at all points: all of its base.
    Whole,
    /// The same array at all points: a part of its base.
    View,
    /// Equally long at all points, one after the other.
    Packed,
    /// Equally long at all points, from any start on.
    Regular,
    /// Any length, from any start on.
    Irregular,
}

impl Form {
    /// What a value of which only the type is known is at every point.
    pub(super) fn per_point(ty: &Type) -> Form {
        match ty {
            Type::Scalar(s) => Form::Each(*s),
            Type::Tuple(ts) => Form::Tuple(ts.iter().map(Form::per_point).collect()),
            Type::Array(a) => Form::Array(How::Irregular, Box::new(Form::per_point(&a.elem))),
            Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    fn of_elem(elem: &Elem) -> Form {
        match elem {
            Elem::Scalar(_, s) => Form::Each(*s),
            Elem::Tuple(parts) => Form::Tuple(parts.iter().map(Form::of_elem).collect()),
            Elem::Row { inner, elem, .. } => {
                let how = match inner {
                    Inner::Regular(_) => How::Packed,
                    Inner::Rows { .. } => How::Regular,
                    _ => How::Irregular,
                };
                Form::Array(how, Box::new(Form::of_elem(elem)))
            }
            Elem::Zip(arrays) => Form::Tuple(arrays.iter().map(|a| Form::of_elem(&a.elem)).collect()),
        }
    }

    /// The form in which a value can cross a border as it is.
    pub(super) fn of(rep: &Rep) -> Form {
        match rep {
            Rep::Scalar(ix, s) if ix.uniform().is_some() => Form::Same(*s),
            Rep::Scalar(_, s) => Form::Each(*s),
            Rep::Tuple(parts) => Form::Tuple(parts.iter().map(Form::of).collect()),
            Rep::Array(arr) => {
                let how = match (arr.start.uniform(), arr.len.uniform()) {
                    (Some(_), Some(_)) => How::View,
                    (None, Some(_)) => How::Regular,
                    _ => How::Irregular,
                };
                Form::Array(how, Box::new(Form::of_elem(&arr.elem)))
            }
        }
    }

    /// The same at the host, or in a thread, where there is only one point.
    pub(super) fn once(self) -> Form {
        match self {
            Form::Same(s) | Form::Each(s) => Form::Same(s),
            Form::Tuple(parts) => Form::Tuple(parts.into_iter().map(Form::once).collect()),
            Form::Array(how, elem) => Form::Array(if how.is_same() { how } else { How::Whole }, elem),
        }
    }

    /// The same for a thread that has one of the points: an array is a part of its base.
    pub(super) fn of_one(self) -> Form {
        match self {
            Form::Same(s) | Form::Each(s) => Form::Same(s),
            Form::Tuple(parts) => Form::Tuple(parts.into_iter().map(Form::of_one).collect()),
            Form::Array(_, elem) => Form::Array(How::View, elem),
        }
    }

    /// What a value of which only the type is known is at the host.
    pub(super) fn view(ty: &Type) -> Form {
        match ty {
            Type::Scalar(s) => Form::Same(*s),
            Type::Tuple(ts) => Form::Tuple(ts.iter().map(Form::view).collect()),
            Type::Array(a) => Form::Array(How::View, Box::new(Form::per_point(&a.elem))),
            Type::Sum(_) => unreachable!("enums were spelled out"),
        }
    }

    /// Whether there are no arrays in it.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Form::Same(_) | Form::Each(_) => true,
            Form::Tuple(parts) => parts.iter().all(Form::is_flat),
            Form::Array(..) => false,
        }
    }

    /// Whether it is the same at all points.
    pub(super) fn is_same(&self) -> bool {
        match self {
            Form::Same(_) => true,
            Form::Each(_) => false,
            Form::Tuple(parts) => parts.iter().all(Form::is_same),
            Form::Array(how, _) => how.is_same(),
        }
    }

    /// A form that a value of either form can take without copying rows.
    pub(super) fn join(&self, other: &Form) -> Form {
        match (self, other) {
            (Form::Same(s), Form::Same(_)) => Form::Same(*s),
            (Form::Same(s) | Form::Each(s), _) => Form::Each(*s),
            (Form::Tuple(a), Form::Tuple(b)) => Form::Tuple(a.iter().zip(b).map(|(x, y)| x.join(y)).collect()),
            (Form::Array(a, x), Form::Array(b, y)) => Form::Array(a.join(*b), Box::new(x.join(y))),
            _ => unreachable!("forms of one type are joined"),
        }
    }

    /// The form that elements take which are values of this form: what was the same is a row like others.
    pub(super) fn as_element(&self) -> Form {
        match self {
            Form::Same(s) | Form::Each(s) => Form::Each(*s),
            Form::Tuple(parts) => Form::Tuple(parts.iter().map(Form::as_element).collect()),
            Form::Array(how, elem) => Form::Array(if how.is_same() { How::Regular } else { *how }, elem.clone()),
        }
    }

    /// The same where rows that are equally long are not known to lie one after the other.
    pub(super) fn unpacked(self) -> Form {
        match self {
            Form::Tuple(parts) => Form::Tuple(parts.into_iter().map(Form::unpacked).collect()),
            Form::Array(How::Packed, elem) => Form::Array(How::Regular, elem),
            other => other,
        }
    }

    /// The same after everything in it was copied, row by row.
    pub(super) fn packed(self) -> Form {
        match self {
            Form::Tuple(parts) => Form::Tuple(parts.into_iter().map(Form::packed).collect()),
            Form::Array(how, elem) => {
                Form::Array(if how == How::Regular { How::Packed } else { how }, Box::new(elem.packed()))
            }
            other => other,
        }
    }

    /// What is left where points have come from different places: only the type.
    pub(super) fn apart(self) -> Form {
        match self {
            Form::Same(s) | Form::Each(s) => Form::Each(s),
            Form::Tuple(parts) => Form::Tuple(parts.into_iter().map(Form::apart).collect()),
            Form::Array(_, elem) => Form::Array(How::Irregular, Box::new(elem.apart())),
        }
    }
}

impl How {
    /// Whether it is the same array at all points.
    pub(super) fn is_same(self) -> bool {
        matches!(self, How::Whole | How::View)
    }

    /// Whether it has one length at all points.
    pub(super) fn is_regular(self) -> bool {
        self != How::Irregular
    }

    fn join(self, other: How) -> How {
        match (self, other) {
            (a, b) if a == b => a,
            (How::Irregular, _) | (_, How::Irregular) => How::Irregular,
            (a, b) if a.is_same() && b.is_same() => How::View,
            _ => How::Regular,
        }
    }
}
