//! `update`: the array again, with one element from elsewhere.
//!
//! ```text
//! update m[i, j] = v      generate (a) < n { generate (b) < length m[a] { if a == i and b == j then v else m[a][b] } }
//! update m[i] = row       concat(m[0 .. i], [row], m[i + 1 .. n])
//! ```
//!
//! The first form is for numbers and tuples of them: it is one pass, and fuses. A row that is replaced is the second form, which
//! chooses nothing per element.

use super::build::Build;
use terrace_base::{BinOp, Scalar};
use terrace_ir::Atom;
use terrace_ir::core::Expr;

impl Build<'_> {
    pub(super) fn update(&mut self, array: Atom, indices: &[Atom], value: Atom) -> Expr {
        if self.ty(value).is_flat() {
            return self.replaced(array, indices, value, Atom::Const(Scalar::Bool(true)));
        }
        let [index, rest @ ..] = indices else { unreachable!("verified Core has an index here") };
        let row = match rest {
            [] => value,
            rest => {
                let row = self.index("row", array, *index);
                let ty = self.ty(row);
                let new = self.update(row, rest, value);
                self.bind("row", ty, new)
            }
        };
        let ty = self.ty(array);
        let n = self.length(array);
        let next = self.add("next", *index, Atom::int(1));
        let before = self.bind("before", ty.clone(), Expr::Slice { array, from: Atom::int(0), to: *index });
        let behind = self.bind("behind", ty.clone(), Expr::Slice { array, from: next, to: n });
        let elem = self.elem(array);
        let new = self.bind("new", ty, Expr::ArrayLiteral { elem, elems: vec![row] });
        Expr::Concat(vec![before, new, behind])
    }

    /// The array with the value at the indices, where `here` says that all outer indices are the right ones.
    fn replaced(&mut self, array: Atom, indices: &[Atom], value: Atom, here: Atom) -> Expr {
        let [index, rest @ ..] = indices else { unreachable!("verified Core has an index here") };
        let elem = self.elem(array);
        let n = self.length(array);
        self.generate("k", n, |b, k| {
            let same = b.binary("same", BinOp::Eq, k, *index);
            let here = b.binary("here", BinOp::And, here, same);
            if rest.is_empty() {
                return b.choose("x", here, |_| value, |b| b.index("x", array, k));
            }
            let row = b.index("row", array, k);
            let new = b.replaced(row, rest, value, here);
            b.bind("row", elem, new)
        })
    }
}
