//! From Flat to Mem: every column gets a place.
//!
//! ```text
//! let ys_3 : f64[n_0] = map grid …        let ys_mem_9 : block = alloc f64 n_0
//!                                         let ys_3 : f64[n_0] @ ys_mem_9 + 0 {n_0 by 1} = map grid …
//! ```
//!
//! At the host level a column has a block to itself and lies there whole. Where columns cross a border (parameters,
//! arguments, results, branches, loop states), the block crosses with it: right before each column stands a value of type
//! block. So blocks out of branches and loops are existential, as in Munksgaard's thesis, chapter 4, and nothing is copied.
//!
//! A block is allocated for the column's length if the host knows it, else for its bound, else the length is brought to the
//! host: see [`crate::analysis::homes`]. Arrays inside parallel bodies are the business of `local.rs`.
//!
//! A scatter whose destination nobody needs any more writes over it (`writes.rs`).
//!
//! Declined here: other sharing of blocks, and building results in place. Passes on Mem do that.

mod local;
mod writes;

pub(crate) use writes::is_one_point;

use crate::analysis::homes::{FunctionHomes, Homes};
use crate::analysis::in_place::{InPlace, in_place};
use crate::lower::kernels::points::closed_count;
use crate::lower::kernels::{Lowered, limit};
use std::collections::BTreeSet;
use terrace_algebra::{Atom as SizeAtom, Lmad, Size, SizeFun};
use terrace_base::{IdVec, ScalarType, Span};
use terrace_ir::flat::{self, Body, Descriptor, Expr, Function, Op, OpKind, Role, Stmt, Type};
use terrace_ir::mem::{self, Place, Value};
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// Gives every column a place.
pub fn place_in_memory(program: &flat::Program) -> Lowered<mem::Program> {
    let homes = Homes::of(program);
    let in_place = in_place(program);
    let mut functions = IdVec::new();
    for ((id, function), facts) in program.functions.enumerate().zip(in_place.iter()) {
        functions.push(Placer::new(function, homes.function(id), facts).function(function)?);
    }
    Ok(mem::Program { functions, checks: program.checks.clone(), thresholds: program.thresholds.clone() })
}

struct Placer<'a> {
    homes: &'a FunctionHomes,
    in_place: &'a InPlace,
    values: IdVec<ValueId, Value>,
    /// Values added here that are on the device.
    device: BTreeSet<ValueId>,
    stmts: Vec<Stmt>,
}

impl<'a> Placer<'a> {
    fn new(function: &Function, homes: &'a FunctionHomes, in_place: &'a InPlace) -> Placer<'a> {
        let values = function.values.iter().map(|v| Value {
            name: v.name.clone(),
            ty: v.ty.clone(),
            bound: v.bound.clone(),
            at: None,
        });
        Placer { homes, in_place, values: values.collect(), device: BTreeSet::new(), stmts: Vec::new() }
    }

    fn function(mut self, function: &Function) -> Lowered<mem::Function> {
        let params = self.bind_with_blocks(&function.params);
        let body = self.host_body(&function.body)?;
        let owned = match function.role {
            Role::Internal => self.in_place.owned.iter().copied().collect(),
            _ => function.owned.clone(),
        };
        let results = function
            .results
            .iter()
            .flat_map(|t| if t.is_column() { vec![Type::Block, t.clone()] } else { vec![t.clone()] })
            .collect();
        Ok(mem::Function {
            name: function.name.clone(),
            role: function.role.clone(),
            values: self.values,
            params,
            owned,
            param_layouts: function.param_layouts.clone(),
            results,
            result_layout: function.result_layout.clone(),
            body,
            span: function.span,
        })
    }

    // Values.

    fn fresh(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty, bound: None, at: None })
    }

    fn fresh_int(&mut self, name: &str) -> ValueId {
        self.fresh(name, Type::Scalar(ScalarType::I64))
    }

    fn push(&mut self, binds: Vec<ValueId>, expr: Expr, span: Span) {
        self.stmts.push(Stmt { binds, expr, span });
    }

    fn is_column(&self, a: &Atom) -> bool {
        matches!(a, Atom::Var(v) if self.values[*v].ty.is_column())
    }

    fn length(&self, column: ValueId) -> Size {
        match &self.values[column].ty {
            Type::Column { length, .. } => length.clone(),
            _ => Size::one(),
        }
    }

    fn place_of(&self, column: ValueId, span: Span) -> Lowered<Place> {
        self.values[column].at.clone().ok_or_else(|| {
            let name = &self.values[column].name;
            limit(span, format!("the column `{name}_{column}` has no place"))
        })
    }

    /// The column lies in the block from its start on.
    fn place_whole(&mut self, column: ValueId, block: ValueId) {
        let index = Lmad::row_major(&[self.length(column)]);
        self.values[column].at = Some(Place { block, index });
    }

    /// Binds a block before each column, in which it lies whole.
    fn bind_with_blocks(&mut self, binds: &[ValueId]) -> Vec<ValueId> {
        let mut out = Vec::new();
        for v in binds {
            if self.values[*v].ty.is_column() {
                let block = self.fresh(&format!("{}_mem", self.values[*v].name), Type::Block);
                self.place_whole(*v, block);
                out.push(block);
            }
            out.push(*v);
        }
        out
    }

    /// The operands, with the block before each column.
    fn with_blocks(&self, atoms: &[Atom], span: Span) -> Lowered<Vec<Atom>> {
        let mut out = Vec::new();
        for a in atoms {
            if let Atom::Var(v) = a
                && self.is_column(a)
            {
                out.push(Atom::Var(self.place_of(*v, span)?.block));
            }
            out.push(*a);
        }
        Ok(out)
    }

    // The host level.

    fn host_body(&mut self, body: &Body) -> Lowered<Body> {
        let saved = std::mem::take(&mut self.stmts);
        body.stmts.iter().try_for_each(|s| self.host_stmt(s))?;
        let span = body.stmts.last().map_or(Span::none(), |s| s.span);
        let results = self.with_blocks(&body.results, span)?;
        let stmts = std::mem::replace(&mut self.stmts, saved);
        Ok(Body { stmts, results })
    }

    fn host_stmt(&mut self, stmt: &Stmt) -> Lowered<()> {
        let span = stmt.span;
        match &stmt.expr {
            Expr::Op(op) if matches!(op.kind, OpKind::Scatter { .. }) => self.host_scatter(stmt, op)?,
            Expr::Op(op) => {
                self.bound_kept(op, &stmt.binds);
                self.alloc_results(stmt, Some(op))?;
                let op = self.expand(op, &stmt.binds, span)?;
                self.push(stmt.binds.clone(), Expr::Op(Box::new(op)), span);
            }
            Expr::Literal(_) | Expr::Concat(_) => {
                self.alloc_results(stmt, None)?;
                self.stmts.push(stmt.clone());
            }
            Expr::Atom(Atom::Var(from)) if self.values[*from].ty.is_column() => {
                let place = self.place_of(*from, span)?;
                if let [to] = stmt.binds.as_slice() {
                    self.values[*to].at = Some(place);
                }
                self.stmts.push(stmt.clone());
            }
            Expr::If { cond, then, otherwise } => {
                let then = self.host_body(then)?;
                let otherwise = self.host_body(otherwise)?;
                let binds = self.bind_with_blocks(&stmt.binds);
                self.push(binds, Expr::If { cond: *cond, then, otherwise }, span);
            }
            Expr::Loop { state, cond, body } => {
                let (vars, mut inits): (Vec<ValueId>, Vec<Atom>) = state.iter().copied().unzip();
                self.copy_inits(&vars, &mut inits, span)?;
                let inits = self.with_blocks(&inits, span)?;
                let vars = self.bind_with_blocks(&vars);
                let cond = self.host_body(cond)?;
                let body = self.host_body(body)?;
                let state = vars.into_iter().zip(inits).collect();
                let binds = self.bind_with_blocks(&stmt.binds);
                self.push(binds, Expr::Loop { state, cond, body }, span);
            }
            Expr::Call { function, args } => {
                let mut args = args.clone();
                self.copy_arguments(stmt, &mut args)?;
                let args = self.with_blocks(&args, span)?;
                let binds = self.bind_with_blocks(&stmt.binds);
                self.push(binds, Expr::Call { function: *function, args }, span);
            }
            _ => self.stmts.push(stmt.clone()),
        }
        Ok(())
    }

    fn alloc_results(&mut self, stmt: &Stmt, op: Option<&Op>) -> Lowered<()> {
        for v in &stmt.binds {
            if !self.values[*v].ty.is_column() {
                continue;
            }
            let count = self.count_for(*v, &stmt.binds, op, stmt.span)?;
            let block = self.alloc(*v, count, stmt.span);
            self.place_whole(*v, block);
        }
        Ok(())
    }

    fn alloc(&mut self, column: ValueId, count: Size, span: Span) -> ValueId {
        let elem = self.values[column].ty.elem().unwrap_or(ScalarType::I64);
        let block = self.fresh(&format!("{}_mem", self.values[column].name), Type::Block);
        self.push(vec![block], Expr::Alloc { elem, count }, span);
        block
    }

    fn on_device(&self, v: ValueId) -> bool {
        self.homes.device.contains(&v) || self.device.contains(&v)
    }

    fn on_host(&self, size: &Size, together: &[ValueId]) -> bool {
        // A size function is an element of a column, `off[n]`: only the device knows it.
        size.funs().is_empty()
            && size.vars().into_iter().map(value_of).all(|v| !self.on_device(v) && !together.contains(&v))
    }

    /// How many elements to allocate for a column that is bound together with others.
    fn count_for(&mut self, column: ValueId, together: &[ValueId], op: Option<&Op>, span: Span) -> Lowered<Size> {
        let length = self.length(column);
        if self.on_host(&length, together) {
            return Ok(length);
        }
        let candidates = self.values[column].bound.iter().cloned().chain([length.clone()]).collect::<Vec<_>>();
        for size in &candidates {
            if let Some(size) = self.host_bound(size, together) {
                return Ok(size);
            }
        }
        let before = |size: &Size| {
            let vars = size.vars().into_iter().map(value_of);
            let columns = size.funs().into_iter().map(|f| ValueId::new(f.0 as usize));
            vars.chain(columns).all(|v| !together.contains(&v))
        };
        match (candidates.into_iter().find(before), op) {
            (Some(size), _) => Ok(self.without_columns(&size, span)),
            (None, Some(op)) if op.kind == OpKind::Pack => self.points(op, span),
            _ => Err(limit(span, "an array whose length is not known before it is computed, and has no bound")),
        }
    }

    /// What a filter keeps is no more than it is given. A length that a loop carried was not known to be steady when the filter was made.
    fn bound_kept(&mut self, op: &Op, binds: &[ValueId]) {
        let Some(points) = closed_count(op, op.space.len()).filter(|_| op.kind == OpKind::Pack) else { return };
        // The first is how many are kept, or where the rows of what is kept begin.
        let offsets = usize::from(op.space.len() > 1);
        for v in binds.iter().skip(offsets) {
            let bound = &mut self.values[*v].bound;
            if bound.is_none() {
                *bound = Some(points.clone());
            }
        }
    }

    /// The size with what the host does not know replaced by its bound, where a larger value only makes it larger.
    fn host_bound(&self, size: &Size, together: &[ValueId]) -> Option<Size> {
        let mut size = size.clone();
        for _ in 0..4 {
            if self.on_host(&size, together) {
                return Some(size);
            }
            if !size.funs().is_empty() || size.terms().any(|(_, c)| c < 0) {
                return None;
            }
            for v in size.vars().into_iter().map(value_of) {
                if self.on_device(v) || together.contains(&v) {
                    size = size.substitute(size_var(v), self.values[v].bound.as_ref()?);
                }
            }
        }
        None
    }

    /// The size with elements of columns replaced by values that are read from them first.
    fn without_columns(&mut self, size: &Size, span: Span) -> Size {
        let mut found: Vec<(SizeFun, Size)> = Vec::new();
        for a in size.atoms() {
            if let SizeAtom::Apply { fun, args } = a
                && let [at] = args.as_slice()
            {
                found.push((*fun, at.clone()));
            }
        }
        let mut size = size.clone();
        for (fun, at) in found {
            let index = self.int_value("at", at.clone(), span);
            let v = self.fresh_int("length");
            self.device.insert(v);
            self.push(vec![v], Expr::Read { column: ValueId::new(fun.0 as usize), at: index }, span);
            let value = Size::var(size_var(v));
            size = size.substitute_funs(&|f, args| (f == fun && args == [at.clone()]).then(|| value.clone()));
        }
        size
    }

    /// The number of points of an operator's space.
    fn points(&mut self, op: &Op, span: Span) -> Lowered<Size> {
        self.points_upto(op, op.space.len(), span)
    }

    fn points_upto(&mut self, op: &Op, upto: usize, span: Span) -> Lowered<Size> {
        if let Some(size) = closed_count(op, upto) {
            return Ok(size);
        }
        let (column, depth) = match &op.space[upto - 1] {
            Descriptor::Regular(a) => {
                let above = self.points_upto(op, upto - 1, span)?;
                let m = match a {
                    Atom::Var(v) => Size::var(size_var(*v)),
                    Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
                };
                return Ok(above * m);
            }
            Descriptor::Irregular { off, .. } => (*off, upto - 1),
            Descriptor::PerAncestor { base, depth, .. } => (*base, *depth),
            Descriptor::Closed { .. } => return Err(limit(span, "a size function below an irregular dimension")),
        };
        let above = self.points_upto(op, depth, span)?;
        let at = self.int_value("rows", above, span);
        let total = self.fresh_int("total");
        self.device.insert(total);
        // A position is below the number of points, and may equal its bound.
        self.values[total].bound = self.values[op.positions[upto - 1]].bound.clone().map(|b| b + 1);
        self.push(vec![total], Expr::Read { column, at }, span);
        Ok(Size::var(size_var(total)))
    }

    /// An operand with the value of a size.
    fn int_value(&mut self, name: &str, size: Size, span: Span) -> Atom {
        if let Some(n) = size.as_constant() {
            return Atom::int(n);
        }
        if let Some(v) = size.as_var() {
            return Atom::Var(value_of(v));
        }
        let v = self.fresh_int(name);
        if !self.on_host(&size, &[]) {
            self.device.insert(v);
        }
        self.push(vec![v], Expr::Size(size), span);
        Atom::Var(v)
    }
}
