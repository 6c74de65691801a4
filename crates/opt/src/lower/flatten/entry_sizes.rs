//! What parameter types of an entry say about rows, checked where the entry begins.
//!
//! ```text
//! entry product[n, m](a: [n][m]f64, v: [m]f64)
//!
//! a_len, a_row_len, a : f64[a_len * a_row_len], v_len, v : f64[v_len]
//! check parameter (a_len == 0 or a_row_len == v_len)
//! ```
//!
//! Everything behind believes the types: an index below `m` is within `v` and within every row of `a`. That the rows of *one* argument have one length is a
//! matter of its layout, and the border sees to it; what several arguments, or an argument and a number, have in common only the entry knows.
//! Outermost lengths are compared by the function itself, as in any function.
//!
//! A size is what the outermost dimension that has it is long, else what the first row that has it is long, and 0 where there is no row: the same rule by
//! which the interpreter binds sizes. Where there are no rows, nothing can be wrong with them.

use super::Flattener;
use super::build::size_of;
use std::collections::BTreeMap;
use terrace_algebra::{Size, SizeVar};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::Atom;
use terrace_ir::check::{CheckInfo, CheckKind};
use terrace_ir::flat::{Body, Expr};

/// What the types of an entry's parameters state.
#[derive(Default)]
pub(super) struct StatedSizes {
    /// Sizes whose values are known: integer parameters and outermost lengths.
    known: BTreeMap<SizeVar, Atom>,
    rows: Vec<StatedRows>,
}

/// Rows of one stated length.
struct StatedRows {
    /// The parameter.
    name: String,
    stated: Size,
    found: Atom,
    /// How many rows there are.
    count: Atom,
    depth: usize,
}

impl StatedSizes {
    /// An integer parameter may be a size.
    pub(super) fn is(&mut self, var: SizeVar, value: Atom) {
        self.known.insert(var, value);
    }

    /// An outermost dimension has `n` elements.
    pub(super) fn outermost(&mut self, size: &Size, n: Atom) {
        if let Some(var) = size.as_var() {
            self.known.entry(var).or_insert(n);
        }
    }

    /// `count` rows below `depth` dimensions have `found` elements each.
    pub(super) fn rows(&mut self, name: &str, stated: &Size, found: Atom, count: Atom, depth: usize) {
        self.rows.push(StatedRows { name: name.to_string(), stated: stated.clone(), found, count, depth });
    }
}

impl Flattener<'_> {
    /// Checks what is stated, in the order of the parameters.
    pub(super) fn check_stated(&mut self, mut stated: StatedSizes) {
        let mut binders: Vec<&StatedRows> = stated.rows.iter().filter(|r| r.stated.as_var().is_some()).collect();
        binders.sort_by_key(|r| r.depth);
        let mut bound_here = Vec::new();
        for rows in binders {
            let var = rows.stated.as_var().expect("filtered");
            if !stated.known.contains_key(&var) {
                bound_here.push(rows.found);
                // Where nobody else states it, what it is without rows does not matter.
                let shared = stated.rows.iter().any(|r| r.found != rows.found && r.stated.vars().contains(&var));
                let value = if shared { self.length_or_none(rows) } else { rows.found };
                stated.known.insert(var, value);
            }
        }
        for rows in stated.rows.iter().filter(|r| !bound_here.contains(&r.found)) {
            self.check_rows(rows, &stated.known);
        }
    }

    /// The length of rows, 0 where there are none.
    fn length_or_none(&mut self, rows: &StatedRows) -> Atom {
        let cond = self.binary("some", BinOp::Lt, Atom::int(0), rows.count);
        let then = Body { stmts: Vec::new(), results: vec![rows.found] };
        let otherwise = Body { stmts: Vec::new(), results: vec![Atom::int(0)] };
        self.let_scalar("len", ScalarType::I64, Expr::If { cond, then, otherwise })
    }

    fn check_rows(&mut self, rows: &StatedRows, known: &BTreeMap<SizeVar, Atom>) {
        let size = rows.stated.substitute_all(&|var| known.get(&var).map(|atom| size_of(*atom)));
        let wanted = match (size.as_constant(), size.as_var()) {
            (Some(n), _) => Atom::int(n),
            (None, Some(var)) => Atom::Var(terrace_ir::value_of(var)),
            (None, None) => self.let_scalar("size", ScalarType::I64, Expr::Size(size)),
        };
        let none = self.binary("none", BinOp::Eq, rows.count, Atom::int(0));
        let same = self.binary("same", BinOp::Eq, rows.found, wanted);
        let cond = self.binary("fits", BinOp::Or, none, same);
        let check = self.checks.push(CheckInfo { kind: CheckKind::Parameter(rows.name.clone()), span: self.span });
        self.push(Vec::new(), Expr::Check { check, cond, values: vec![rows.found, wanted] });
    }
}
