//! Which sizes are the same at all points.
//!
//! ```text
//! len(row) / 2        where the label of row says that all rows have one length
//! at(i) + 1           no: it differs from position to position
//! ```

use super::super::form::{Form, How};
use super::walk::Walk;
use terrace_algebra::{Atom, Size, SizeFun, SizeVar};
use terrace_ir::ValueId;
use terrace_ir::shape::{Shape, Step, Symbol, SymbolId};

impl Walk<'_, '_> {
    /// A label made better by what the shape analysis knows of the value.
    pub(super) fn refined(&self, value: ValueId, label: Form) -> Form {
        match self.shapes.values.get(&value) {
            Some(shape) => self.refined_by(shape, label),
            None => label,
        }
    }

    fn refined_by(&self, shape: &Shape, label: Form) -> Form {
        match (shape, label) {
            (Shape::Integer(size), Form::Each(s)) if self.is_same_size(size) => Form::Same(s),
            (Shape::Tuple(shapes), Form::Tuple(parts)) => {
                Form::Tuple(shapes.iter().zip(parts).map(|(s, p)| self.refined_by(s, p)).collect())
            }
            (Shape::Array(length, elem), Form::Array(how, form)) => {
                let better = self.regularity && how == How::Irregular && self.is_same_size(length);
                let form = self.refined_rows(elem, *form);
                Form::Array(if better { How::Regular } else { how }, Box::new(form))
            }
            (_, label) => label,
        }
    }

    /// The same for elements: their scalars are columns, whatever is known of them.
    fn refined_rows(&self, shape: &Shape, label: Form) -> Form {
        match (shape, label) {
            (Shape::Tuple(shapes), Form::Tuple(parts)) => {
                Form::Tuple(shapes.iter().zip(parts).map(|(s, p)| self.refined_rows(s, p)).collect())
            }
            (shape @ Shape::Array(..), label) => self.refined_by(shape, label),
            (_, label) => label,
        }
    }

    /// Whether a size is the same at all points and, inside a shape, at all positions.
    pub(super) fn is_same_size(&self, size: &Size) -> bool {
        size.atoms().into_iter().all(|atom| match atom {
            Atom::Var(SizeVar(n)) => self.is_same_symbol(*n, &[]),
            Atom::Bound(_) => true,
            Atom::Apply { fun: SizeFun(n), args } => self.is_same_symbol(*n, args),
            _ => atom.parts().iter().all(|part| self.is_same_size(part)),
        })
    }

    fn is_same_symbol(&self, symbol: u32, args: &[Size]) -> bool {
        let (value, path, length) = match self.shapes.symbols.get(SymbolId::new(symbol as usize)) {
            Some(Symbol::Length(value, path)) => (value, path, true),
            Some(Symbol::Integer(value, path)) => (value, path, false),
            _ => return false,
        };
        let Some(mut label) = self.values.get(value) else { return false };
        // Within one and the same array, a place is the same where the indices are.
        let mut same_place = true;
        let mut below = false;
        let mut args = args.iter();
        for step in path {
            label = match (label, step) {
                (Form::Tuple(parts), Step::Field(k)) => &parts[*k],
                (Form::Array(how, elem), Step::Element) => {
                    let fixed = args.next().is_some_and(|a| self.is_same_size(a));
                    // Only the outermost array can be the same one everywhere: below it there are rows.
                    same_place &= fixed && (how.is_same() || below);
                    below = true;
                    elem
                }
                _ => return false,
            };
        }
        let elements = path.contains(&Step::Element);
        match label {
            Form::Array(how, _) if length => how.is_regular() || (elements && same_place),
            Form::Same(_) => true,
            Form::Each(_) => elements && same_place,
            _ => false,
        }
    }
}
