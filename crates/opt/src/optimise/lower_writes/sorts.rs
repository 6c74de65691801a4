//! `sort`: by several keys, and of rows on machines that sort only one.
//!
//! A sort keeps the order of equal keys. So sorting by the last key and then by the one before it, and so on, sorts by all:
//!
//! ```text
//! let order = sort grid [n] (q) { => a[q], b[q] }
//!
//! let by_b  = sort grid [n] (q) { => b[q] }
//! let moved = sort grid [n] (q) { => a[by_b[q]] }
//! let order = map grid [n] (q) { => by_b[moved[q]] }
//! ```
//!
//! Then a CPU sorts, and a GPU if there is one row. Rows on a GPU have merge passes over runs of 1, 2, 4, … points.
//! All points of a pass find their place at once: place `d` of two neighbouring runs takes `i` points from the first and
//! `d - i` from the second, and bisection finds the `i` (the *merge path* of Odeh, Green, Mwassi, Shmueli and Birk, "Merge
//! Path: parallel merging made simple", 2012). The order is moved, the keys stay where they are. The first run wins ties,
//! so the sort is stable.
//!
//! ```text
//! let order = sort grid [n][off] (j | q) { => k[q] }
//!
//! let first = map grid [n][off] (j | q) { => j }
//! let longest = reduce grid [n] by max of the lengths of the rows
//! let width, order = loop width = 1, order = first while width < longest do
//!   => 2 * width, map grid [n][off] { what stands at j when runs of `width` are merged }
//! ```
//!
//! Each pass goes over all points, whatever the lengths of the rows; rows of one element or none make no pass. A pass costs
//! a bisection per point: n log² n comparisons in all.

use super::build::{Point, Writer};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::flat::{Body, Descriptor, Expr, Op, OpKind, SortForm, Space, Type};
use terrace_ir::{Atom, ValueId};

fn form_of(op: &Op) -> SortForm {
    match op.kind {
        OpKind::Sort { form } => form,
        _ => SortForm::Order,
    }
}

/// Two neighbouring runs, and the place in them that is to be filled.
struct Merge<'a> {
    keys: &'a [ValueId],
    order: ValueId,
    /// Where the row starts.
    row: Atom,
    /// Where the runs start in the order.
    first: Atom,
    second: Atom,
}

impl Writer<'_> {
    /// One sort per key.
    pub(super) fn sort_key_by_key(&mut self, op: Op, binds: Vec<ValueId>) {
        let like = Op { body: Body::default(), ..op.clone() };
        let form = form_of(&op);
        let Some(sorted) = binds.first().copied() else { return };
        let Type::Column { length, .. } = self.values[sorted].ty.clone() else { unreachable!("a sort binds columns") };
        let keys = self.columns_of(op, &length, self.values[sorted].bound.clone());
        let mut order: Option<ValueId> = None;
        for (k, key) in keys.iter().enumerate().rev() {
            let moved = self.column_like("order", ScalarType::I64, sorted);
            let kind = OpKind::Sort { form: SortForm::Order };
            self.over(&like, kind, vec![moved], |w, point| {
                let at = order.map_or(point.position(), |order| w.taken_from(order, point));
                vec![w.read("key", *key, at)]
            });
            order = Some(match order {
                None => moved,
                Some(before) => {
                    let last = k == 0 && form == SortForm::Order;
                    let both = if last { sorted } else { self.column_like("order", ScalarType::I64, sorted) };
                    self.over(&like, OpKind::Map { rows: None }, vec![both], |w, point| {
                        let at = w.taken_from(moved, point);
                        vec![w.read("k", before, at)]
                    });
                    both
                }
            });
        }
        if let (Some(order), SortForm::Keys) = (order, form) {
            self.in_order(&like, &keys, order, binds);
        }
    }

    /// The position that an order takes a point's element from.
    fn taken_from(&mut self, order: ValueId, point: &Point) -> Atom {
        let row = self.binary("row", BinOp::Sub, point.position(), point.index());
        let k = self.read("k", order, point.position());
        self.binary("at", BinOp::Add, row, k)
    }

    /// Columns in another order.
    fn in_order(&mut self, like: &Op, columns: &[ValueId], order: ValueId, binds: Vec<ValueId>) {
        self.over(like, OpKind::Map { rows: None }, binds, |w, point| {
            let at = w.taken_from(order, point);
            columns.iter().map(|c| w.read("key", *c, at)).collect()
        });
    }

    /// Merge passes.
    pub(super) fn sort(&mut self, op: Op, binds: Vec<ValueId>) {
        let Some(first) = binds.first().copied() else { return };
        let like = Op { body: Body::default(), ..op.clone() };
        let keyed = form_of(&op) == SortForm::Keys;
        let order_of = if keyed { self.column_like("order", ScalarType::I64, first) } else { first };
        let sorted = &order_of;
        let Type::Column { length, .. } = self.values[*sorted].ty.clone() else {
            unreachable!("a sort binds a column")
        };
        let keys = self.columns_of(op, &length, self.values[*sorted].bound.clone());
        let first = self.column_like("order", ScalarType::I64, *sorted);
        self.over(&like, OpKind::Map { rows: None }, vec![first], |_, point| vec![point.index()]);
        let longest = self.longest(&like);
        let (width, order) = (self.int("width"), self.column_like("order", ScalarType::I64, *sorted));
        let cond = self.body(|w| vec![w.binary("more", BinOp::Lt, width.into(), longest)]);
        let body = self.body(|w| {
            let both = w.binary("both", BinOp::Add, width.into(), width.into());
            let merged = w.column_like("order", ScalarType::I64, *sorted);
            w.over(&like, OpKind::Map { rows: None }, vec![merged], |w, point| {
                vec![w.merged(&like.space, point, &keys, order, width.into(), both)]
            });
            vec![both, merged.into()]
        });
        let state = vec![(width, Atom::int(1)), (order, first.into())];
        let last = self.int("width");
        self.push(vec![last, *sorted], Expr::Loop { state, cond, body });
        if keyed {
            self.in_order(&like, &keys, order_of, binds);
        }
    }

    /// The length of the longest row.
    fn longest(&mut self, op: &Op) -> Atom {
        let last = op.space.len() - 1;
        if let Descriptor::Regular(n) = &op.space[last] {
            return *n;
        }
        if last == 0 {
            return self.row_length(&op.space, &[], &[]);
        }
        let outer: Space = op.space[..last].to_vec();
        let operator = self.combining(BinOp::Max, ScalarType::I64);
        let kind = OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false };
        let longest = self.int("longest");
        if last == 1 {
            self.over_space(op.level, outer, kind, vec![longest], |w, point| {
                vec![w.row_length(&op.space, &point.indices, &point.positions)]
            });
            return longest.into();
        }
        let rows = self.points(&outer, &op.positions[..last]);
        let lengths = self.column("len", ScalarType::I64, rows);
        self.over_space(op.level, outer, OpKind::Map { rows: None }, vec![lengths], |w, point| {
            vec![w.row_length(&op.space, &point.indices, &point.positions)]
        });
        let line = Space::from([Descriptor::Regular(rows)]);
        self.over_space(op.level, line, kind, vec![longest], |w, point| vec![w.read("n", lengths, point.position())]);
        longest.into()
    }

    /// What stands at a point when neighbouring runs of `width` are merged.
    fn merged(
        &mut self,
        space: &Space,
        point: &Point,
        keys: &[ValueId],
        order: ValueId,
        width: Atom,
        both: Atom,
    ) -> Atom {
        let length = self.row_length(space, &point.indices, &point.positions);
        let (j, q) = (point.index(), point.position());
        let row = self.binary("row", BinOp::Sub, q, j);
        let d = self.binary("d", BinOp::Rem, j, both);
        let base = self.binary("base", BinOp::Sub, j, d);
        let rest = self.binary("rest", BinOp::Sub, length, base);
        let ones = self.binary("ones", BinOp::Min, width, rest);
        let others = self.binary("others", BinOp::Sub, rest, ones);
        let others = self.binary("others", BinOp::Min, width, others);
        let first = self.binary("first", BinOp::Add, row, base);
        let second = self.binary("second", BinOp::Add, first, ones);
        let merge = Merge { keys, order, row, first, second };
        let low = self.binary("low", BinOp::Sub, d, others);
        let low = self.binary("low", BinOp::Max, low, Atom::int(0));
        let high = self.binary("high", BinOp::Min, d, ones);
        let i = self.bisected(low, high, |w, i| {
            let before = w.binary("before", BinOp::Sub, d, Atom::int(1));
            let j = w.binary("j", BinOp::Sub, before, i);
            w.second_first(&merge, i, j)
        });
        let j = self.binary("j", BinOp::Sub, d, i);
        let left = self.binary("left", BinOp::Lt, i, ones);
        let right = self.binary("right", BinOp::Lt, j, others);
        let open = self.binary("open", BinOp::And, left, right);
        let from_second = self.choose(
            "behind",
            ScalarType::Bool,
            open,
            |w| w.second_first(&merge, i, j),
            |w| w.bind("behind", ScalarType::Bool, Expr::Unary(UnOp::Not, left)),
        );
        let in_first = self.binary("at", BinOp::Add, first, i);
        let in_second = self.binary("at", BinOp::Add, second, j);
        let at = self.bind("at", ScalarType::I64, Expr::Select(from_second, in_second, in_first));
        self.read("k", order, at)
    }

    /// Whether point `j` of the second run stands strictly before point `i` of the first.
    fn second_first(&mut self, merge: &Merge<'_>, i: Atom, j: Atom) -> Atom {
        let mut place = |start: Atom, i: Atom| {
            let at = self.binary("at", BinOp::Add, start, i);
            let k = self.read("k", merge.order, at);
            self.binary("at", BinOp::Add, merge.row, k)
        };
        let (one, other) = (place(merge.first, i), place(merge.second, j));
        let mut found = Atom::Const(Scalar::Bool(false));
        for (n, key) in merge.keys.iter().enumerate().rev() {
            let a = self.read("a", *key, other);
            let b = self.read("b", *key, one);
            let before = self.precedes(a, b);
            if n + 1 == merge.keys.len() {
                found = before;
                continue;
            }
            let behind = self.precedes(b, a);
            let level = self.bind("level", ScalarType::Bool, Expr::Unary(UnOp::Not, behind));
            let later = self.binary("later", BinOp::And, level, found);
            found = self.binary("before", BinOp::Or, before, later);
        }
        found
    }

    /// The first number from `low` to `high` for which a test holds, or `high`; from there on it must hold for all.
    fn bisected(&mut self, low: Atom, high: Atom, test: impl FnOnce(&mut Self, Atom) -> Atom) -> Atom {
        let (from, to) = (self.int("from"), self.int("to"));
        let cond = self.body(|w| vec![w.binary("open", BinOp::Lt, from.into(), to.into())]);
        let body = self.body(|w| {
            let both = w.binary("both", BinOp::Add, from.into(), to.into());
            let middle = w.binary("middle", BinOp::Shr, both, Atom::int(1));
            let holds = test(w, middle);
            let next = w.binary("next", BinOp::Add, middle, Atom::int(1));
            let low = w.bind("from", ScalarType::I64, Expr::Select(holds, from.into(), next));
            let high = w.bind("to", ScalarType::I64, Expr::Select(holds, middle, to.into()));
            vec![low, high]
        });
        let (found, end) = (self.int("found"), self.int("end"));
        self.push(vec![found, end], Expr::Loop { state: vec![(from, low), (to, high)], cond, body });
        found.into()
    }
}
