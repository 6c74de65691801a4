//! The reduction of one row, or of a part of it, by one thread.
//!
//! Exact operators may combine in any order. On a CPU all others have *one* association, whatever the version, the number of
//! threads or the tiles. The row is cut into blocks counted from its start. Of a block of a float sum or product, element `j`
//! of each whole group of `L` goes to lane `j mod L`; lanes combine pairwise (`l` with `l + L/2`, then `L/4`, …); the rest of the
//! block, fewer than `L`, combines left to right and comes last. Blocks combine left to right:
//!
//! ```text
//! row    x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 | x10 …          block of 10, L = 4
//! lanes  (x0+x4) (x1+x5) (x2+x6) (x3+x7)                rest x8 x9
//! block  (((x0+x4) + (x2+x6)) + ((x1+x5) + (x3+x7))) + (x8+x9)
//! row    (0 + block0) + block1 …
//! ```
//!
//! The lane loop has a constant trip count, so the C compiler turns it into vector code without re-associating anything; a
//! short row is a plain loop, and a row of a few points whose number is known is written out ([`super::short`]). Checks of a group are made before it is computed, so they do not stand between the lanes. Tuples combine component by component ([`super::company`]); whatever is not one operation combines left to right inside a block. On a GPU a
//! single thread combines left to right.

use super::body::{atoms, is_checked_scalars, may_fail};
use super::build::{Builder, Checks};
use super::company::{Company, Kept, own_operations};
use super::expr::{add, eq, int, le, local, lt, min, mul, not, quot, select, sub};
use super::points::Point;
use super::steady::{is_quick, is_steady};
use super::{Lowered, limit};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::Atom;
use terrace_ir::flat::{Body, Expr as FlatExpr, Op, OpKind, Operator};
use terrace_ir::kernel::{ArrayId, Expr, LocalId, Stmt};

/// How many elements are computed side by side before they are combined one by one: what rows have many of.
const GROUP: i64 = 4;

/// Rows of fewer groups of lanes than this are short.
const SHORT: i64 = 6;

/// Groups of more values do not fit into registers.
const MOST_GROUPED: usize = 6;

/// What is combined, and how.
pub struct Reduction<'o> {
    /// The operator over the space.
    pub op: &'o Op,
    /// How two values combine.
    pub operator: &'o Operator,
    /// The neutral element.
    pub neutral: &'o [Atom],
    /// Whether the body's first result says which points take part.
    pub masked: bool,
    /// Set to false where a check fails, in code that has to go on.
    pub ok: Option<LocalId>,
    /// Whether checks report the position in this operator.
    pub outermost: bool,
}

type Fold<'f, 'h> = &'f mut dyn FnMut(&mut Builder<'h>, Expr, Option<Expr>, Vec<Expr>) -> Lowered<()>;

/// One row: the point above it and the position of its first element.
#[derive(Clone, Debug)]
pub struct Row {
    /// The point of the dimensions above.
    pub parent: Point,
    /// Where it starts.
    pub start: Expr,
}

impl<'o> Reduction<'o> {
    /// The reduction that an operator is.
    pub fn of(op: &'o Op, ok: Option<LocalId>, outermost: bool) -> Option<Reduction<'o>> {
        let OpKind::Reduce { operator, neutral, masked } = &op.kind else { return None };
        Some(Reduction { op, operator, neutral, masked: *masked, ok, outermost })
    }

    /// The types of the values.
    pub fn types(&self, b: &Builder<'_>) -> Vec<ScalarType> {
        self.neutral.iter().map(|a| b.atom_type(a)).collect()
    }

    /// Whether the order of combination cannot be seen.
    pub fn is_exact(&self, b: &Builder<'_>) -> bool {
        match (self.operator.as_binary(), self.types(b).as_slice()) {
            (Some(op), [ty]) => terrace_base::is_exact(op, *ty),
            _ => false,
        }
    }

    /// The same of several values, each combined by an operation of its own.
    fn is_exact_each(&self, b: &Builder<'_>) -> bool {
        let ops = own_operations(self.operator);
        ops.iter().zip(self.types(b)).all(|(op, ty)| op.is_some_and(|op| terrace_base::is_exact(op, ty)))
    }

    /// The operator, its type and the number of lanes, where it is one operation and has any.
    pub fn lanes(&self, b: &Builder<'_>) -> Option<(BinOp, ScalarType, i64)> {
        let company = self.company(b)?;
        match (company.ops.as_slice(), self.types(b).as_slice()) {
            ([Some(op)], [ty]) => Some((*op, *ty, company.lanes)),
            _ => None,
        }
    }

    /// Elements per block.
    pub fn block_size(&self, b: &Builder<'_>) -> i64 {
        b.host.tiles.cpu_reduce_block as i64
    }

    /// Runs the body at position `q` of a row; the closure gets the mask and the values.
    pub fn at<'h>(
        &self,
        b: &mut Builder<'h>,
        row: &Row,
        q: Expr,
        k: impl FnOnce(&mut Builder<'h>, Option<Expr>, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut point = row.parent.clone();
        let index = sub(q.clone(), row.start.clone());
        point.indices.push(b.let_("j", ScalarType::I64, index));
        point.positions.push(q.clone());
        point.define(b, self.op);
        if self.outermost {
            b.set_index(q);
        }
        let masked = self.masked;
        guarded(b, &self.op.body, self.ok, |b, mut results| {
            let mask = (masked && !results.is_empty()).then(|| results.remove(0));
            k(b, mask, results)
        })
    }

    /// Combines the elements `from .. to` of a row into variables.
    fn accumulate(&self, b: &mut Builder<'_>, row: &Row, from: Expr, to: Expr, vars: &[LocalId]) -> Lowered<()> {
        if self.is_exact(b) || self.lanes(b).is_some() {
            return self.one_by_one(b, row, from, to, vars);
        }
        b.steadily(|b| {
            let from = match self.is_worth_groups(b) && self.company(b).is_none() {
                true => self.in_groups(b, row, from, to.clone(), vars)?,
                false => from,
            };
            self.one_by_one(b, row, from, to, vars)
        })
    }

    pub(super) fn one_by_one(
        &self,
        b: &mut Builder<'_>,
        row: &Row,
        from: Expr,
        to: Expr,
        vars: &[LocalId],
    ) -> Lowered<()> {
        b.for_("q", from, to, int(1), false, |b, q| {
            let q = b.let_("q", ScalarType::I64, q);
            self.at(b, row, q, |b, mask, values| self.fold(b, vars, mask, &values))
        })
    }

    /// Whether the body is straight code with something to compute, and the operator is short.
    fn is_worth_groups(&self, b: &Builder<'_>) -> bool {
        let whole = |a: &Atom| b.is_whole(a);
        b.target_is_cpu()
            && !self.masked
            && self.neutral.len() <= MOST_GROUPED
            && self.reads_only(b)
            && self.op.body.stmts.iter().any(|s| matches!(s.expr, FlatExpr::If { .. } | FlatExpr::Select(..)))
            && self.operator.body.stmts.iter().all(|s| is_quick(&s.expr, &whole))
    }

    /// Combines as many whole groups as there are, and says where they end. What is combined is computed side by side for a group, and
    /// then combined one by one: the order is the same.
    fn in_groups(&self, b: &mut Builder<'_>, row: &Row, from: Expr, to: Expr, vars: &[LocalId]) -> Lowered<Expr> {
        let groups = mul(quot(sub(to, from.clone()), int(GROUP)), int(GROUP));
        let rest = b.let_("rest", ScalarType::I64, add(from.clone(), groups));
        let types = self.types(b);
        let constants: Vec<bool> = self.op.body.results.iter().map(|a| a.constant().is_some()).collect();
        let arrays: Vec<ArrayId> = types.iter().map(|ty| b.array("group", *ty, GROUP as usize, false)).collect();
        b.for_("c", from, rest.clone(), int(GROUP), false, |b, c| {
            b.for_("l", int(0), int(GROUP), int(1), true, |b, l| {
                let q = b.let_("q", ScalarType::I64, add(c, l.clone()));
                self.at(b, row, q, |b, _, values| {
                    for ((array, value), constant) in arrays.iter().zip(values).zip(&constants) {
                        if !constant {
                            b.emit(Stmt::SetElement(*array, l.clone(), value));
                        }
                    }
                    Ok(())
                })
            })?;
            b.for_("l", int(0), int(GROUP), int(1), false, |b, l| {
                let mut values = Vec::new();
                for ((array, result), ty) in arrays.iter().zip(&self.op.body.results).zip(&types) {
                    values.push(match result {
                        Atom::Const(c) => Expr::Const(*c),
                        Atom::Var(_) => b.let_("x", *ty, element(*array, l.clone())),
                    });
                }
                self.fold(b, vars, None, &values)
            })
        })?;
        Ok(rest)
    }

    /// `vars = vars op values`, where the mask holds.
    pub fn fold(&self, b: &mut Builder<'_>, vars: &[LocalId], mask: Option<Expr>, values: &[Expr]) -> Lowered<()> {
        if vars.len() > 1 && b.target_is_cpu() {
            return self.fold_company(b, vars, mask, values);
        }
        let left: Vec<Expr> = vars.iter().map(|v| local(*v)).collect();
        match mask {
            None => {
                let new = b.combine(self.operator, &left, values)?;
                assign_all(b, vars, new);
                Ok(())
            }
            Some(mask) if self.operator.as_binary().is_some() => {
                let new = b.combine(self.operator, &left, values)?;
                for ((v, old), new) in vars.iter().zip(left).zip(new) {
                    b.set(*v, select(mask.clone(), new, old));
                }
                Ok(())
            }
            Some(mask) if b.is_steady() && is_steady(&self.operator.body, &|a| b.is_whole(a)) => {
                let new = b.combine(self.operator, &left, values)?;
                let types = self.types(b);
                let mut next = Vec::new();
                for ((new, old), ty) in new.into_iter().zip(left).zip(types) {
                    let chosen = b.choose(ty, mask.clone(), new, old);
                    next.push(local(b.var("next", ty, chosen)));
                }
                assign_all(b, vars, next);
                Ok(())
            }
            Some(mask) => b.when(mask, |b| {
                let new = b.combine(self.operator, &left, values)?;
                assign_all(b, vars, new);
                Ok(())
            }),
        }
    }

    /// Variables that hold the neutral element.
    pub fn neutral_vars(&self, b: &mut Builder<'_>, name: &str) -> Lowered<Vec<LocalId>> {
        let values = atoms(b, self.neutral)?;
        let types = self.types(b);
        Ok(values.into_iter().zip(types).map(|(e, ty)| b.var(name, ty, e)).collect())
    }

    /// The combination of the elements `from .. to` of a row that all lie in one block starting at `from`.
    pub fn block(&self, b: &mut Builder<'_>, row: &Row, from: Expr, to: Expr) -> Lowered<Vec<Expr>> {
        self.block_of(b, row, from, to, None)
    }

    /// The same where the length may be known apart from the ends: then nothing but the loops depends on where the row is, and the C compiler sees it.
    fn block_of(
        &self,
        b: &mut Builder<'_>,
        row: &Row,
        from: Expr,
        to: Expr,
        length: Option<Expr>,
    ) -> Lowered<Vec<Expr>> {
        match self.company(b) {
            None => {
                let vars = self.neutral_vars(b, "part")?;
                self.accumulate(b, row, from, to, &vars)?;
                Ok(vars.into_iter().map(local).collect())
            }
            Some(company) if company.ops.len() == 1 => self.block_in_lanes(b, &company, row, from, to, length),
            Some(company) => b.steadily(|b| self.block_in_lanes(b, &company, row, from, to, length)),
        }
    }

    fn block_in_lanes(
        &self,
        b: &mut Builder<'_>,
        company: &Company,
        row: &Row,
        from: Expr,
        to: Expr,
        length: Option<Expr>,
    ) -> Lowered<Vec<Expr>> {
        let lanes = company.lanes;
        let neutral = atoms(b, self.neutral)?;
        let types = self.types(b);
        let arrays: Vec<ArrayId> = types.iter().map(|ty| b.array("lane", *ty, lanes as usize, false)).collect();
        let has_keep = self.masked && company.has_others();
        let keep = has_keep.then(|| b.array("keep", ScalarType::Bool, lanes as usize, false));
        let kept = Kept { arrays, keep };
        let known = length.is_some();
        let length = length.unwrap_or_else(|| sub(to.clone(), from.clone()));
        let groups = mul(quot(length.clone(), int(lanes)), int(lanes));
        // Lanes cost something at both ends; where the order cannot be seen, a short row does without.
        let groups = if company.exact { select(lt(length, int(SHORT * lanes)), int(0), groups) } else { groups };
        let groups = if known { b.let_("groups", ScalarType::I64, groups) } else { groups };
        let rest = b.let_("rest", ScalarType::I64, add(from.clone(), groups.clone()));
        let has_groups = if known { lt(int(0), groups) } else { lt(from.clone(), rest.clone()) };
        let fronts = self.neutral_vars(b, "front")?;
        let mut backs = Vec::new();
        for (i, front) in fronts.iter().enumerate() {
            let own = company.ops[i].is_some();
            // What is chosen goes on from the lanes: the order does not matter.
            backs.push(if own { b.var("back", types[i], neutral[i].clone()) } else { *front });
        }
        b.when(has_groups, |b| {
            b.for_("l", int(0), int(lanes), int(1), true, |b, l| {
                for (array, neutral) in kept.arrays.iter().zip(&neutral) {
                    b.emit(Stmt::SetElement(*array, l.clone(), neutral.clone()));
                }
                // A group that fails sets nothing.
                kept.keep.iter().for_each(|a| b.emit(Stmt::SetElement(*a, l.clone(), super::expr::truth(false))));
                Ok(())
            })?;
            b.for_("c", from, rest.clone(), int(lanes), false, |b, c| {
                self.group_of_company(b, company, row, c, &kept, &fronts)
            })?;
            let mut half = lanes / 2;
            while half > 0 {
                b.for_("l", int(0), int(half), int(1), true, |b, l| {
                    for (array, op) in kept.arrays.iter().zip(&company.ops) {
                        let x = element(*array, l.clone());
                        let y = element(*array, add(l.clone(), int(half)));
                        if let Some(op) = op {
                            b.emit(Stmt::SetElement(*array, l.clone(), super::expr::binary(*op, x, y)));
                        }
                    }
                    if !company.choices.is_empty() {
                        let mut others = Vec::new();
                        for (array, ty) in kept.arrays.iter().zip(&types) {
                            let other = element(*array, add(l.clone(), int(half)));
                            others.push(b.let_("other", *ty, other));
                        }
                        self.choose_lane(b, company, &kept.arrays, &l, None, &others);
                    }
                    Ok(())
                })?;
                half /= 2;
            }
            for (i, (front, array)) in fronts.iter().zip(&kept.arrays).enumerate() {
                if company.is_in_lanes(i) {
                    b.set(*front, element(*array, int(0)));
                }
            }
            Ok(())
        })?;
        self.accumulate(b, row, rest, to, &backs)?;
        let mut parts = Vec::new();
        for (i, op) in company.ops.iter().enumerate() {
            parts.push(match op {
                Some(op) => {
                    let part = super::expr::binary(*op, local(fronts[i]), local(backs[i]));
                    b.let_("part", types[i], part)
                }
                None => local(fronts[i]),
            });
        }
        Ok(parts)
    }

    /// A group of elements into the lanes; components that combine in turn do so behind it.
    fn group_of_company(
        &self,
        b: &mut Builder<'_>,
        company: &Company,
        row: &Row,
        c: Expr,
        kept: &Kept,
        vars: &[LocalId],
    ) -> Lowered<()> {
        let (lanes, arrays, keep) = (company.lanes, &kept.arrays, kept.keep);
        self.group(b, row, c, lanes, |b, l, mask, values| {
            for ((array, op), x) in arrays.iter().zip(&company.ops).zip(&values) {
                match op {
                    Some(op) => self.fold_lane(b, *op, *array, l.clone(), mask.clone(), std::slice::from_ref(x))?,
                    None if !company.choices.is_empty() => {}
                    None => b.emit(Stmt::SetElement(*array, l.clone(), x.clone())),
                }
            }
            self.choose_lane(b, company, arrays, &l, mask.clone(), &values);
            if let (Some(keep), Some(mask)) = (keep, mask) {
                b.emit(Stmt::SetElement(keep, l, mask));
            }
            Ok(())
        })?;
        if !company.has_others() {
            return Ok(());
        }
        b.for_("l", int(0), int(lanes), int(1), false, |b, l| {
            let mut values = Vec::new();
            for ((array, op), ty) in arrays.iter().zip(&company.ops).zip(self.types(b)) {
                values.push(match op {
                    Some(_) => super::build::zero(ty),
                    None => b.let_("x", ty, element(*array, l.clone())),
                });
            }
            let mask = keep.map(|keep| b.let_("keeps", ScalarType::Bool, element(keep, l)));
            self.fold_others(b, &company.ops, vars, mask, &values)
        })
    }

    /// The elements `c .. c + lanes`, each for its lane. Where the body has checks, they are made for the whole group before
    /// anything is computed, so that computing it is straight code: a group with a failing check is only reported.
    fn group<'h>(
        &self,
        b: &mut Builder<'h>,
        row: &Row,
        c: Expr,
        lanes: i64,
        fold: impl FnOnce(&mut Builder<'h>, Expr, Option<Expr>, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        let each = |b: &mut Builder<'h>, simd, ok, k: Fold<'_, 'h>| {
            b.for_("l", int(0), int(lanes), int(1), simd, |b, l| {
                let q = b.let_("q", ScalarType::I64, add(c.clone(), l.clone()));
                Reduction { ok, ..*self }.at(b, row, q, |b, mask, values| k(b, l, mask, values))
            })
        };
        let mut fold = Some(fold);
        let mut fold = |b: &mut Builder<'h>, l: Expr, mask: Option<Expr>, values: Vec<Expr>| match fold.take() {
            Some(fold) => fold(b, l, mask, values),
            None => Ok(()),
        };
        let body = &self.op.body;
        if b.checks() != Checks::Report || !may_fail(body) || !is_checked_scalars(body) {
            return each(b, true, self.ok, &mut fold);
        }
        // What is added after a check has failed does not matter: the sum is not used.
        let wrong = b.var("wrong", ScalarType::I64, int(0));
        b.with_checks(Checks::Note(wrong), |b| each(b, false, None, &mut |_, _, _, _| Ok(())))?;
        b.if_(
            not(eq(local(wrong), int(0))),
            |b| each(b, false, self.ok, &mut |_, _, _, _| Ok(())),
            |b| b.with_checks(Checks::Assume, |b| each(b, true, None, &mut fold)),
        )
    }

    /// Combines a value into its lane.
    pub fn fold_lane(
        &self,
        b: &mut Builder<'_>,
        op: BinOp,
        array: ArrayId,
        l: Expr,
        mask: Option<Expr>,
        values: &[Expr],
    ) -> Lowered<()> {
        let [x] = values else { return Err(limit(b.span(), "this reduction")) };
        let old = element(array, l.clone());
        let new = super::expr::binary(op, old.clone(), x.clone());
        let new = match mask {
            Some(mask) => select(mask, new, old),
            None => new,
        };
        b.emit(Stmt::SetElement(array, l, new));
        Ok(())
    }

    /// The combination of a whole row that is not empty and not longer than a block: the same as [`Reduction::row`] gives.
    pub fn row_of_one_block(&self, b: &mut Builder<'_>, row: &Row, length: Expr) -> Lowered<Vec<Expr>> {
        let total = self.neutral_vars(b, "total")?;
        let end = b.let_("end", ScalarType::I64, add(row.start.clone(), length.clone()));
        let part = self.block_of(b, row, row.start.clone(), end, Some(length))?;
        self.fold(b, &total, None, &part)?;
        Ok(total.into_iter().map(local).collect())
    }

    /// Combines the blocks of a row.
    fn blocks(&self, b: &mut Builder<'_>, row: &Row, end: Expr, total: &[LocalId]) -> Lowered<()> {
        let size = self.block_size(b);
        b.for_("from", row.start.clone(), end.clone(), int(size), false, |b, from| {
            let to = min(add(from.clone(), int(size)), end);
            let to = b.let_("to", ScalarType::I64, to);
            let part = self.block(b, row, from, to)?;
            self.fold(b, total, None, &part)
        })
    }

    /// The combination of a whole row.
    pub fn row(&self, b: &mut Builder<'_>, row: &Row, length: Expr) -> Lowered<Vec<Expr>> {
        if let Some(points) = self.few_points(b, &length) {
            return self.written_out(b, row, points);
        }
        let total = self.neutral_vars(b, "total")?;
        let end = b.let_("end", ScalarType::I64, add(row.start.clone(), length));
        if let Some(group) = self.reads_ahead(b) {
            let rest = self.with_reads_ahead(b, row, (row.start.clone(), end.clone()), group, &total)?;
            self.one_by_one(b, row, rest, end, &total)?;
        } else if !b.target_is_cpu() || self.is_exact(b) {
            self.accumulate(b, row, row.start.clone(), end, &total)?;
        } else if self.is_exact_each(b) {
            b.steadily(|b| self.one_by_one(b, row, row.start.clone(), end, &total))?;
        } else if self.is_worth_groups(b) {
            // Without the loop over blocks, the loop over groups is tighter.
            let size = int(self.block_size(b));
            let short = le(sub(end.clone(), row.start.clone()), size);
            b.if_(
                short,
                |b| {
                    let part = self.block(b, row, row.start.clone(), end.clone())?;
                    b.steadily(|b| self.fold(b, &total, None, &part))
                },
                |b| self.blocks(b, row, end.clone(), &total),
            )?;
        } else {
            self.blocks(b, row, end, &total)?;
        }
        Ok(total.into_iter().map(local).collect())
    }
}

/// An element of an array of fixed size.
pub fn element(array: ArrayId, at: Expr) -> Expr {
    Expr::Element(array, Box::new(at))
}

/// New values for several variables at once.
pub fn assign_all(b: &mut Builder<'_>, vars: &[LocalId], new: Vec<Expr>) {
    let simple = vars.len() == 1 || new.iter().all(|e| !matches!(e, Expr::Local(l) if vars.contains(l)));
    let new: Vec<Expr> = if simple {
        new
    } else {
        new.into_iter()
            .zip(vars)
            .map(|(e, v)| {
                let ty = b.local_type(*v);
                local(b.var("next", ty, e))
            })
            .collect()
    };
    for (v, e) in vars.iter().zip(new) {
        b.set(*v, e);
    }
}

/// A body at one point of a sequential operator: with `ok`, nothing runs after a check has failed, and `ok` says so.
pub fn guarded<'h>(
    b: &mut Builder<'h>,
    body: &Body,
    ok: Option<LocalId>,
    k: impl FnOnce(&mut Builder<'h>, Vec<Expr>) -> Lowered<()>,
) -> Lowered<()> {
    let Some(ok) = ok else { return b.body(body, k) };
    b.when(local(ok), |b| {
        b.set(ok, super::expr::truth(false));
        b.body(body, |b, results| {
            k(b, results)?;
            b.set(ok, super::expr::truth(true));
            Ok(())
        })
    })
}

/// Whether a row is empty.
pub fn is_empty(from: Expr, to: Expr) -> Expr {
    not(lt(from, to))
}
