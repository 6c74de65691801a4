//! `rotate`, `slide`, `pad`, `transpose`: one index from another.
//!
//! ```text
//! pad xs left l right r mirror       p = i - l, q = p mod 2n            element min(q, 2n - 1 - q)
//! slide xs size s step k             window i is xs[i*k .. i*k + s]     max(0, (n - s) / k + 1) of them
//! ```

use super::build::{Build, I64};
use terrace_base::BinOp;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, PadMode, Type};

impl Build<'_> {
    pub(super) fn rotate(&mut self, by: Atom, array: Atom) -> Expr {
        let n = self.length(array);
        // An empty array is not rotated, but nothing may be divided by its length.
        let some = self.binary("some", BinOp::Max, n, Atom::int(1));
        let by = self.binary("by", BinOp::Rem, by, some);
        self.generate("i", n, |b, i| {
            let j = b.add("j", i, by);
            let ahead = b.binary("ahead", BinOp::Lt, j, n);
            let p = b.choose("p", ahead, |_| j, |b| b.sub("p", j, n));
            b.index("x", array, p)
        })
    }

    pub(super) fn slide(&mut self, size: Atom, step: Atom, array: Atom) -> Expr {
        let n = self.length(array);
        let room = self.sub("room", n, size);
        // Division rounds down: less room than nothing makes no window.
        let steps = self.binary("steps", BinOp::Div, room, step);
        let count = self.add("count", steps, Atom::int(1));
        let count = self.binary("count", BinOp::Max, count, Atom::int(0));
        let row = self.ty(array);
        self.generate("i", count, |b, i| {
            let from = b.mul("from", i, step);
            let to = b.add("to", from, size);
            b.bind("window", row, Expr::Slice { array, from, to })
        })
    }

    pub(super) fn pad(&mut self, left: Atom, right: Atom, mode: PadMode, array: Atom) -> Expr {
        let elem = self.elem(array);
        if let PadMode::Constant(value) = mode
            && !elem.is_flat()
        {
            let ty = Type::array(elem);
            let before = self.bind("before", ty.clone(), Expr::Replicate { count: left, value });
            let behind = self.bind("behind", ty, Expr::Replicate { count: right, value });
            return Expr::Concat(vec![before, array, behind]);
        }
        let n = self.length(array);
        let longer = self.add("longer", n, left);
        let total = self.add("total", longer, right);
        self.generate("i", total, |b, i| {
            let p = b.sub("p", i, left);
            match mode {
                PadMode::Constant(value) => {
                    let inside = b.within(p, n);
                    b.choose("x", inside, |b| b.index("x", array, p), |_| value)
                }
                PadMode::Clamp => {
                    let last = b.sub("last", n, Atom::int(1));
                    let p = b.binary("p", BinOp::Min, p, last);
                    let p = b.binary("p", BinOp::Max, p, Atom::int(0));
                    b.index("x", array, p)
                }
                PadMode::Wrap => {
                    let p = b.binary("p", BinOp::Rem, p, n);
                    b.index("x", array, p)
                }
                PadMode::Mirror => {
                    let period = b.add("period", n, n);
                    let q = b.binary("q", BinOp::Rem, p, period);
                    let last = b.sub("last", period, Atom::int(1));
                    let back = b.sub("back", last, q);
                    let p = b.binary("p", BinOp::Min, q, back);
                    b.index("x", array, p)
                }
            }
        })
    }

    pub(super) fn transpose(&mut self, rows: Atom) -> Expr {
        let n = self.length(rows);
        let empty = self.binary("empty", BinOp::Eq, n, Atom::int(0));
        let columns = self.choose(
            "columns",
            empty,
            |_| Atom::int(0),
            |b| {
                let row = b.index("row", rows, Atom::int(0));
                b.bind("columns", I64, Expr::Length(row))
            },
        );
        let column = self.elem(rows);
        self.generate("j", columns, |b, j| {
            let body = b.generate("i", n, |b, i| {
                let row = b.index("row", rows, i);
                b.index("x", row, j)
            });
            b.bind("column", column, body)
        })
    }
}
