//! What a value is made of once its short rows are spelled out: a tree whose leaves are columns.
//!
//! ```text
//! (p : [3]f64, n : i64)      form  ([f64, f64, f64], i64)      leaves  p0, p1, p2, n
//! ```
//!
//! [`Pass::leaves`] takes a value apart, [`Pass::rebuilt`] puts it together again: whatever still wants the array finds it, and dead code
//! removes it where nothing does.

use super::super::spell_out_views::build::Build;
use super::super::state_lengths::few;
use super::{Known, Pass, Values};
use terrace_algebra::Size;
use terrace_base::Span;
use terrace_ir::Atom;
use terrace_ir::core::{ArrayType, Expr, Type};

/// What a value is made of.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Something that is not taken apart.
    Plain(Type),
    /// A tuple.
    Tuple(Vec<Form>),
    /// A short row: the type of an element, and what each one is made of.
    Row(Type, Vec<Form>),
}

impl Form {
    pub(super) fn has_rows(&self) -> bool {
        match self {
            Form::Plain(_) => false,
            Form::Tuple(parts) => parts.iter().any(Form::has_rows),
            Form::Row(..) => true,
        }
    }

    /// The type of the value; only short rows have lengths.
    pub(super) fn ty(&self) -> Type {
        match self {
            Form::Plain(ty) => ty.clone(),
            Form::Tuple(parts) => Type::Tuple(parts.iter().map(Form::ty).collect()),
            Form::Row(elem, parts) => {
                let length = Some(Size::constant(parts.len() as i64));
                Type::Array(Box::new(ArrayType { length, position: None, elem: elem.clone() }))
            }
        }
    }

    /// The types of its leaves.
    pub(super) fn leaf_types(&self) -> Vec<Type> {
        match self {
            Form::Plain(ty) => vec![ty.clone()],
            Form::Tuple(parts) | Form::Row(_, parts) => parts.iter().flat_map(Form::leaf_types).collect(),
        }
    }

    /// One type for all leaves: a tuple, unless there is only one.
    pub(super) fn packed_type(&self) -> Type {
        let mut types = self.leaf_types();
        if types.len() == 1 { types.remove(0) } else { Type::Tuple(types) }
    }

    /// What two values have in common. A row that only one of them spells out is spelled out if the other one has as many elements.
    pub(super) fn joined(&self, other: &Form) -> Form {
        match (self, other) {
            (Form::Row(elem, a), Form::Row(_, b)) if a.len() == b.len() => {
                Form::Row(elem.clone(), a.iter().zip(b).map(|(x, y)| x.joined(y)).collect())
            }
            (Form::Row(elem, a), Form::Plain(ty)) | (Form::Plain(ty), Form::Row(elem, a))
                if few(ty) == Some(a.len()) =>
            {
                let one = Form::Plain(elem.clone());
                Form::Row(elem.clone(), a.iter().map(|x| x.joined(&one)).collect())
            }
            (Form::Tuple(a), Form::Tuple(b)) => Form::Tuple(a.iter().zip(b).map(|(x, y)| x.joined(y)).collect()),
            (Form::Tuple(a), Form::Plain(Type::Tuple(types))) | (Form::Plain(Type::Tuple(types)), Form::Tuple(a)) => {
                let parts = a.iter().zip(types).map(|(x, ty)| x.joined(&Form::Plain(ty.clone())));
                Form::Tuple(parts.collect())
            }
            _ => Form::Plain(self.ty().without_sizes()),
        }
    }

    /// The form of a type: its short rows of numbers are spelled out.
    pub(super) fn of_type(ty: &Type) -> Form {
        match ty {
            Type::Tuple(types) => Form::Tuple(types.iter().map(Form::of_type).collect()),
            Type::Array(a) => match few(ty) {
                Some(n) => Form::Row(closed(&a.elem), vec![Form::of_type(&a.elem); n]),
                None => Form::Plain(closed(ty)),
            },
            _ => Form::Plain(ty.clone()),
        }
    }
}

/// The type with those sizes only that are small constants: it means the same anywhere.
pub(super) fn closed(ty: &Type) -> Type {
    match ty {
        Type::Tuple(types) => Type::Tuple(types.iter().map(closed).collect()),
        Type::Array(a) => {
            let length = few(ty).map(|n| Size::constant(n as i64));
            Type::Array(Box::new(ArrayType { length, position: None, elem: closed(&a.elem) }))
        }
        other => other.without_sizes(),
    }
}

impl Pass {
    /// What a value is made of, as far as that is known.
    pub(super) fn form(&self, atom: Atom, build: &Build<'_>) -> Form {
        let ty = closed(&build.stated_type(atom));
        match atom.var().and_then(|v| self.known.get(&v)) {
            Some(Known::Row(elems, _)) if !elems.is_empty() => {
                let elem = ty.elem().cloned().expect("a row is an array");
                Form::Row(elem, elems.iter().map(|e| self.form(*e, build)).collect())
            }
            Some(Known::Tuple(items)) => Form::Tuple(items.iter().map(|e| self.form(*e, build)).collect()),
            _ => Form::Plain(ty),
        }
    }

    /// Whether a value certainly has the elements that a form takes it apart into.
    pub(super) fn has_form(&self, atom: Atom, form: &Form, values: &mut Values) -> bool {
        let build = Build::new(values, Span::none(), Vec::new());
        closed(&self.form(atom, &build).joined(form).ty()) == closed(&form.ty())
    }

    /// Whether a value holds rows that were computed, not only written down as constants.
    pub(super) fn is_computed(&self, atom: Atom) -> bool {
        match atom.var().and_then(|v| self.known.get(&v)) {
            Some(Known::Row(elems, computed)) => *computed || elems.iter().any(|e| self.is_computed(*e)),
            Some(Known::Tuple(items)) => items.iter().any(|e| self.is_computed(*e)),
            _ => false,
        }
    }

    /// The leaves of a value of a form.
    pub(super) fn leaves(&self, atom: Atom, form: &Form, build: &mut Build<'_>) -> Vec<Atom> {
        match form {
            Form::Plain(_) => vec![atom],
            Form::Tuple(parts) => {
                let items = match atom.var().and_then(|v| self.known.get(&v)) {
                    Some(Known::Tuple(items)) => items.clone(),
                    _ => self.components(atom, parts.iter().map(Form::ty), build),
                };
                items.into_iter().zip(parts).flat_map(|(item, part)| self.leaves(item, part, build)).collect()
            }
            Form::Row(_, parts) => {
                let elems: Vec<Atom> = (0..parts.len()).map(|k| self.element(atom, k, build)).collect();
                elems.into_iter().zip(parts).flat_map(|(elem, part)| self.leaves(elem, part, build)).collect()
            }
        }
    }

    /// The components of a tuple that nothing is known about.
    pub(super) fn components(
        &self,
        tuple: Atom,
        types: impl Iterator<Item = Type>,
        build: &mut Build<'_>,
    ) -> Vec<Atom> {
        types.enumerate().map(|(k, ty)| build.bind("part", ty, Expr::Project(tuple, k))).collect()
    }

    /// An element of an array that has it.
    pub(super) fn element(&self, array: Atom, k: usize, build: &mut Build<'_>) -> Atom {
        if let Some(Known::Row(elems, _)) = array.var().and_then(|v| self.known.get(&v)) {
            return elems[k];
        }
        let ty = closed(build.stated_type(array).elem().expect("an array has elements"));
        build.bind("x", ty, Expr::Index { array, index: Atom::int(k as i64) })
    }

    /// All leaves in one value.
    pub(super) fn packed(&self, atom: Atom, form: &Form, build: &mut Build<'_>) -> Atom {
        let leaves = self.leaves(atom, form, build);
        match leaves[..] {
            [one] => one,
            _ => build.bind("parts", form.packed_type(), Expr::Tuple(leaves)),
        }
    }

    /// The value again from all its leaves in one.
    pub(super) fn unpacked(&mut self, packed: Atom, form: &Form, build: &mut Build<'_>) -> Atom {
        let types = form.leaf_types();
        let leaves = if types.len() == 1 { vec![packed] } else { self.components(packed, types.into_iter(), build) };
        self.rebuilt(form, &mut leaves.into_iter(), build)
    }

    /// The value again from its leaves.
    pub(super) fn rebuilt(
        &mut self,
        form: &Form,
        leaves: &mut dyn Iterator<Item = Atom>,
        build: &mut Build<'_>,
    ) -> Atom {
        match form {
            Form::Plain(_) => leaves.next().expect("a form has as many leaves as it says"),
            Form::Tuple(parts) => {
                let items: Vec<Atom> = parts.iter().map(|p| self.rebuilt(p, leaves, build)).collect();
                let tuple = build.bind("t", form.ty(), Expr::Tuple(items.clone()));
                self.learn(tuple, Known::Tuple(items));
                tuple
            }
            Form::Row(elem, parts) => {
                let elems: Vec<Atom> = parts.iter().map(|p| self.rebuilt(p, leaves, build)).collect();
                let literal = Expr::ArrayLiteral { elem: elem.without_sizes(), elems: elems.clone() };
                let row = build.bind("row", form.ty(), literal);
                self.learn(row, Known::Row(elems, true));
                row
            }
        }
    }
}
