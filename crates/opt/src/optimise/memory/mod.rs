//! Passes on Mem: less memory, and fewer allocations.
//!
//! ```text
//! take_places    a map writes over what it is the last to read, element by element
//! reuse          a block that nothing needs any more serves again, instead of a new one
//! hoist          a block that every round of a loop allocates is allocated once, before it
//! ```
//!
//! None of them changes what a program computes: they change which block a column says it lives in, and the interpreter's two readings
//! find out if that was wrong. What they ask is the same (`Facts`): which blocks may be one (`Classes`), what is used later, what must stay.
//!
//! Short-circuiting (Munksgaard's thesis, chapters 4 to 6) has its place after `take_places`. Its short-circuit points are statements here: a scatter
//! whose values are a column that dies with it, and a `concat` of columns that do. The aliases that it follows backwards are the places, and [`Classes`]
//! where a block comes out of a branch or a loop. What it has to move up, so that an index function can be stated earlier, are the scalars that
//! [`mem::Place::values`] lists.

mod hoist;
mod reuse;
mod take_places;

pub use hoist::hoist;
pub use reuse::reuse;
pub use take_places::take_places;

use crate::analysis::sharing::{Apart, Borders, Classes, live_after};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_ir::flat::visit::{bound_values, substitute, walk};
use terrace_ir::flat::{Body, Expr, Stmt, Type};
use terrace_ir::{Atom, ValueId, mem};

/// In larger functions nothing is looked for.
const LARGEST: usize = 20_000;

/// What is known about the blocks of a function, and which ones were given up for others.
struct Facts<'f> {
    function: &'f mem::Function,
    classes: Classes,
    /// What is used after a statement, by the first value that it binds.
    live: BTreeMap<ValueId, BTreeSet<ValueId>>,
    /// Blocks that someone else owns, or whose elements are sizes.
    kept: BTreeSet<ValueId>,
    instead: BTreeMap<ValueId, ValueId>,
}

impl<'f> Facts<'f> {
    /// Nothing where the function is too large.
    fn of(function: &'f mem::Function, borders: &Borders, wanted: &dyn Fn(&Stmt) -> bool) -> Option<Facts<'f>> {
        let mut count = 0;
        walk(&function.body, &mut |_| count += 1);
        if count > LARGEST {
            return None;
        }
        let classes = Classes::of(function, borders, &Apart::default());
        let live = live_after(function, wanted);
        let mut facts = Facts { function, classes, live, kept: BTreeSet::new(), instead: BTreeMap::new() };
        let owned: BTreeSet<ValueId> = function.owned.iter().filter_map(|v| facts.block(*v)).collect();
        let params = function.params.iter().copied().filter(|p| facts.is_block(*p) && !owned.contains(p));
        facts.kept = params.chain(blocks_of_sizes(function)).collect();
        Some(facts)
    }

    fn is_block(&self, v: ValueId) -> bool {
        self.function.values.get(v).is_some_and(|value| value.ty == Type::Block)
    }

    /// The block that a column lives in, as far as this pass has come.
    fn block(&self, column: ValueId) -> Option<ValueId> {
        self.function.values.get(column)?.at.as_ref().map(|place| self.now(place.block))
    }

    fn now(&self, block: ValueId) -> ValueId {
        self.instead.get(&block).copied().unwrap_or(block)
    }

    /// The class of a block, or of the block of a column.
    fn class(&self, v: ValueId) -> Option<ValueId> {
        let block = if self.is_block(v) { Some(self.now(v)) } else { self.block(v) };
        block.map(|b| self.classes.find(b))
    }

    /// Whether something in a class must stay as it is, or is used after the statement that binds `key`, apart from `new` itself.
    fn is_needed(&self, class: ValueId, key: ValueId, new: ValueId) -> bool {
        let is_kept = self.kept.iter().any(|b| self.classes.find(self.now(*b)) == class);
        let Some(live) = self.live.get(&key) else { return true };
        is_kept || live.iter().any(|v| *v != new && self.class(*v) == Some(class))
    }

    /// From now on `old` stands for `new`.
    fn replace(&mut self, new: ValueId, old: ValueId) {
        self.classes.join(new, old);
        self.instead.values_mut().filter(|b| **b == new).for_each(|b| *b = old);
        self.instead.insert(new, old);
    }
}

/// The blocks that a statement of the host level writes to, by itself or in the body of its operator.
fn written(facts: &Facts<'_>, stmt: &Stmt) -> Vec<ValueId> {
    let mut columns = stmt.binds.clone();
    if let Expr::Op(op) = &stmt.expr {
        columns.extend(bound_values(&op.body));
    }
    columns.into_iter().filter_map(|v| facts.block(v)).collect()
}

/// Whether a column is a block from its start on.
fn is_whole(function: &mem::Function, column: ValueId) -> bool {
    function.values[column].at.as_ref().is_some_and(|place| {
        let [dim] = place.index.dims.as_slice() else { return false };
        place.index.offset == Size::zero() && dim.stride == Size::one()
    })
}

fn length(function: &mem::Function, column: ValueId) -> Option<&Size> {
    match &function.values[column].ty {
        Type::Column { length, .. } => Some(length),
        _ => None,
    }
}

/// The blocks of columns whose elements are sizes.
fn blocks_of_sizes(function: &mem::Function) -> Vec<ValueId> {
    let mut sizes: Vec<Size> = Vec::new();
    for value in function.values.iter() {
        sizes.extend(value.bound.clone());
        if let Type::Column { length, .. } = &value.ty {
            sizes.push(length.clone());
        }
    }
    walk(&function.body, &mut |stmt| match &stmt.expr {
        Expr::Size(s) | Expr::Alloc { count: s, .. } => sizes.push(s.clone()),
        Expr::Op(op) => sizes.extend(op.space.iter().filter_map(|d| match d {
            terrace_ir::flat::Descriptor::Closed { length, .. } => Some(length.clone()),
            _ => None,
        })),
        _ => {}
    });
    let columns = sizes.iter().flat_map(|s| s.funs()).map(|f| ValueId::new(f.0 as usize));
    columns.filter_map(|c| Some(function.values.get(c)?.at.as_ref()?.block)).collect()
}

/// The function with blocks replaced; the `alloc` statements of those that went go too.
fn with_blocks(function: &mem::Function, instead: &BTreeMap<ValueId, ValueId>) -> mem::Function {
    let mut function = function.clone();
    for value in function.values.iter_mut() {
        if let Some(place) = &mut value.at
            && let Some(block) = instead.get(&place.block)
        {
            place.block = *block;
        }
    }
    remove_allocs(&mut function.body, &|b| instead.contains_key(&b));
    let map = instead.iter().map(|(from, to)| (*from, Atom::Var(*to))).collect();
    substitute(&mut function.body, &map);
    function
}

fn remove_allocs(body: &mut Body, gone: &dyn Fn(ValueId) -> bool) {
    body.stmts.retain(|s| !(matches!(s.expr, Expr::Alloc { .. }) && s.binds.iter().all(|b| gone(*b))));
    for stmt in &mut body.stmts {
        if !matches!(stmt.expr, Expr::Op(_)) {
            stmt.expr.bodies_mut().into_iter().for_each(|b| remove_allocs(b, gone));
        }
    }
}
