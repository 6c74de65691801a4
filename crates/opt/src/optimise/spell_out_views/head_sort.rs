//! `sort` by rows of numbers, such as words: by the head of each row first, which nearly always decides.
//!
//! The head is the first elements of a row, packed into two words, zeros behind the end, and how long the row is, as far as the head can tell:
//!
//! ```text
//! "be"                   'b' 'e' 0 0 0 0 0 0     0                       2
//! "incomprehensibly"     'i' … 'e'               'h' … 'y'              16
//! "incomprehensibleness" 'i' … 'e'               'h' … 'l'              17 for "more than 16"
//! ```
//!
//! Elements are packed by their place in the order of their type, so heads are ordered as rows are: where a row ends early, its zeros stand before
//! everything, or are equal to a least element, and then the shorter row has the smaller length. Numbers are sorted by digits, without a
//! comparison. Rows with equal heads are equal themselves, or both longer than a head: these few are sorted by comparing (`merge_sort.rs`)
//! and put back in the places that they have together; sorted as a whole they are in the order of their heads as well, and equal ones stay in theirs.

use super::build::{BOOL, Build, I64};
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda, LoopForm, Type};

const WORD: Type = Type::Scalar(ScalarType::U64);
const WORDS: usize = 2;

/// The type of the elements, where keys are rows of numbers.
fn elements(key: &Type) -> Option<ScalarType> {
    key.elem()?.scalar()
}

impl Build<'_> {
    /// The positions of keys with arrays in them, in the order of the keys.
    pub(super) fn order_of(&mut self, keys: Atom, n: Atom) -> Atom {
        match elements(&self.elem(keys)) {
            Some(of) => self.order_by_heads(keys, n, of),
            None => self.order_by_merging(keys, n),
        }
    }

    fn order_by_heads(&mut self, keys: Atom, n: Atom, of: ScalarType) -> Atom {
        let in_word = 8 / of.size_bytes();
        let more = Atom::int((WORDS * in_word + 1) as i64);
        let mut parts = vec![WORD; WORDS];
        parts.push(I64);
        let head = Type::Tuple(parts);
        let heads = self.generate("i", n, |b, i| {
            let row = b.index("row", keys, i);
            let len = b.length(row);
            let mut parts: Vec<Atom> = (0..WORDS).map(|w| b.packed(row, len, w * in_word, in_word, of)).collect();
            parts.push(b.binary("known", BinOp::Min, len, more));
            b.bind("head", head.clone(), Expr::Tuple(parts))
        });
        let heads = self.bind("heads", Type::array(head.clone()), heads);
        let positions = self.bind("positions", Type::array(I64), Expr::Iota(n));
        let order = self.bind("order", Type::array(I64), Expr::Sort { keys: heads, array: positions });
        // Whether the row at a place goes on behind its head, which is that of the place before.
        let tied = self.generate("k", n, |b, k| {
            let inner = b.binary("inner", BinOp::Lt, Atom::int(0), k);
            b.choose(
                "tied",
                inner,
                |b| {
                    let before = b.sub("before", k, Atom::int(1));
                    b.tied((heads, &head), order, before, k, more)
                },
                |_| Atom::Const(Scalar::Bool(false)),
            )
        });
        let tied = self.bind("tied", Type::array(BOOL), tied);
        let predicate = self.lambda(&[("k", I64)], |b, p| {
            let next = b.add("next", p[0], Atom::int(1));
            let inner = b.binary("inner", BinOp::Lt, next, n);
            let (here, no) = (b.index("here", tied, p[0]), Atom::Const(Scalar::Bool(false)));
            let after = b.choose("after", inner, |b| b.index("after", tied, next), |_| no);
            b.binary("open", BinOp::Or, here, after)
        });
        let open = self.bind("open", Type::array(I64), Expr::Filter { predicate, array: positions });
        let m = self.length(open);
        let some = self.binary("some", BinOp::Lt, Atom::int(0), m);
        self.choose("order", some, |b| b.decided(keys, order, open, m), |_| order)
    }

    /// So many elements of a row from one on, as one number.
    fn packed(&mut self, row: Atom, len: Atom, from: usize, count: usize, of: ScalarType) -> Atom {
        let zero = self.convert("zero", ScalarType::U64, Atom::int(0));
        let place = |b: &mut Self, at: Atom| {
            let inside = b.binary("inside", BinOp::Lt, at, len);
            b.choose(
                "place",
                inside,
                |b| {
                    let x = b.index("x", row, at);
                    let place = b.ordinal(of, x);
                    b.convert("place", ScalarType::U64, place)
                },
                |_| zero,
            )
        };
        let first = Atom::int(from as i64);
        if count == 1 {
            return place(self, first);
        }
        let bits = self.convert("bits", ScalarType::U64, Atom::int(64 / count as i64));
        let Lambda { params, body } = self.lambda(&[("word", WORD), ("j", I64)], |b, p| {
            let at = b.add("at", p[1], first);
            let (moved, place) = (b.binary("moved", BinOp::Shl, p[0], bits), place(b, at));
            b.binary("word", BinOp::Or, moved, place)
        });
        let form = LoopForm::For { index: params[1], count: Atom::int(count as i64) };
        self.bind("word", WORD, Expr::Loop { state: params[0], init: zero, form, body })
    }

    /// Whether the heads at two places of the order are one, and rows go on behind it.
    fn tied(&mut self, (heads, head): (Atom, &Type), order: Atom, before: Atom, at: Atom, more: Atom) -> Atom {
        let mut head_at = |at: Atom| {
            let p = self.index("p", order, at);
            self.bind("head", head.clone(), Expr::Index { array: heads, index: p })
        };
        let (a, b) = (head_at(before), head_at(at));
        let length = self.bind("known", I64, Expr::Project(b, WORDS));
        let mut tied = self.binary("long", BinOp::Eq, length, more);
        for k in 0..=WORDS {
            let ty = if k == WORDS { I64 } else { WORD };
            let x = self.bind("a", ty.clone(), Expr::Project(a, k));
            let y = self.bind("b", ty, Expr::Project(b, k));
            let same = self.binary("same", BinOp::Eq, x, y);
            tied = self.binary("tied", BinOp::And, tied, same);
        }
        tied
    }

    /// An order in which only some places are open yet.
    fn decided(&mut self, keys: Atom, order: Atom, open: Atom, m: Atom) -> Atom {
        let positions = self.gathered(order, open, m);
        let positions = self.bind("positions", Type::array(I64), positions);
        let rows = self.gathered(keys, positions, m);
        let rows = self.bind("rows", self.ty(keys), rows);
        let among = self.order_by_merging(rows, m);
        let values = self.gathered(positions, among, m);
        let values = self.bind("values", Type::array(I64), values);
        self.bind("order", Type::array(I64), Expr::Scatter { array: order, indices: open, values })
    }
}
