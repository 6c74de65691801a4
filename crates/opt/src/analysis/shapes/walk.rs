//! The walk over one function: shapes of values, facts that hold, checks that are proved.
//!
//! Bodies are walked in the order in which they run, so that what a check establishes is known to everything it dominates and to nothing
//! else: facts are released at the end of the body in which they were found. The shape of a value is found once, when it is bound:
//!
//! ```text
//! let ys = map (x) in xs { … }        ys : [len(xs)]…
//! check zip (length ys == length zs)  unproved: from here on len(zs) is len(xs)
//! let ps = map (y, z) in ys, zs …     ps : [len(xs)]…
//! ```
//!
//! Operators are in `arrays` and `parallel`, control flow in `control` and `loops`, calls in `calls`. A size that mentions what exists only inside a body
//! cannot leave it: [`Walk::export`] gives it a name outside and carries its bounds along.

use super::arrays::settled;
use super::calls::{Context, Summaries};
use super::deps::Deps;
use super::knowledge::{Knowledge, LONGEST};
use super::loops::LoopMemory;
use super::symbols::{Symbols, applied, at_place, build, is_integer, range_of, size_at, symbol_at};
use super::truth::Truth;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Claim, Size, SizeVar, sum};
use terrace_base::{BinOp, ScalarType, Span};
use terrace_ir::check::CheckId;
use terrace_ir::core::{Body, Expr, Function, Program, Role, Stmt, StmtKind, Type};
use terrace_ir::shape::{Parallel, Shape, Step, Symbol, SymbolId, as_symbol, position};
use terrace_ir::{Atom, FuncId, ValueId};

/// Which statement a verdict is about: a check by its number and condition, an ascription by the value that it binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    Check(CheckId, Option<ValueId>),
    Ascription(CheckId, ValueId),
}

/// What was found out about a check.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    /// It holds whenever it is reached.
    Proved,
    /// It may fail; what could not be shown.
    Remains(Vec<Claim>),
    /// It fails whenever it is reached: what can never hold, and whether every run of the function comes here.
    Fails { claim: Claim, always: bool },
}

/// Something that holds whenever a body has run, for all positions `p0`, `p1`, … below these lengths.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) claim: Claim,
    pub(super) ranges: Vec<Size>,
}

/// A parallel body around the place of the walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    pub(super) counter: SymbolId,
    pub(super) source: usize,
}

/// The least and the greatest that a symbol can be, where that is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    pub(super) low: Option<Size>,
    pub(super) high: Option<Size>,
}

pub(super) struct Walk<'p> {
    pub(super) program: &'p Program,
    pub(super) function: &'p Function,
    pub(super) summaries: &'p Summaries,
    pub(super) symbols: Symbols,
    pub(super) known: Knowledge,
    pub(super) shapes: BTreeMap<ValueId, Shape>,
    /// What the data of a value may depend on.
    pub(super) data: BTreeMap<ValueId, Deps>,
    pub(super) truths: BTreeMap<ValueId, Truth>,
    pub(super) limits: BTreeMap<SymbolId, Limits>,
    /// Where a condition chose between two sizes.
    pub(super) choices: BTreeMap<SymbolId, (Truth, Size, Size)>,
    pub(super) chosen_here: Vec<SymbolId>,
    /// Quotients and remainders by unknowns, by operator, width and operands.
    pub(super) divided: BTreeMap<(BinOp, ScalarType, Size, Size), SymbolId>,
    pub(super) origins: BTreeMap<ValueId, Span>,
    pub(super) scope: usize,
    pub(super) around: Vec<Around>,
    /// What the current body has established so far, whenever it runs to this point.
    pub(super) established: Vec<Fact>,
    /// Whether every run of the function comes here.
    pub(super) unconditional: bool,
    noted: BTreeSet<Size>,
    noted_here: Vec<Size>,
    pub(super) loops: BTreeMap<ValueId, LoopMemory>,
    pub(super) loop_depth: usize,
    pub(super) verdicts: BTreeMap<Spot, Verdict>,
    pub(super) parallel: BTreeMap<ValueId, Parallel>,
    /// What calls show about their arguments.
    pub(super) sites: Vec<(FuncId, Context)>,
    pub(super) called_in_parallel: bool,
    /// Whether this is the walk whose verdicts count.
    pub(super) last: bool,
    /// Whether a call was met that is not known to come back.
    pub(super) dead: bool,
    /// Names of row lengths of parameters, and what they stand for.
    pub(super) first_rows: BTreeMap<SymbolId, Size>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(program: &'p Program, function: &'p Function, summaries: &'p Summaries) -> Walk<'p> {
        Walk {
            program,
            function,
            summaries,
            symbols: Symbols::new(),
            known: Knowledge::new(),
            shapes: BTreeMap::new(),
            data: BTreeMap::new(),
            truths: BTreeMap::new(),
            limits: BTreeMap::new(),
            choices: BTreeMap::new(),
            chosen_here: Vec::new(),
            divided: BTreeMap::new(),
            origins: BTreeMap::new(),
            scope: 1,
            around: Vec::new(),
            established: Vec::new(),
            unconditional: true,
            noted: BTreeSet::new(),
            noted_here: Vec::new(),
            loops: BTreeMap::new(),
            loop_depth: 0,
            verdicts: BTreeMap::new(),
            parallel: BTreeMap::new(),
            sites: Vec::new(),
            called_in_parallel: false,
            last: false,
            dead: false,
            first_rows: BTreeMap::new(),
        }
    }

    /// Parameters have the sizes that they have, and those that their types state.
    pub(super) fn parameters(&mut self) {
        for (k, param) in self.function.params.iter().enumerate() {
            let ty = &self.function.values[*param].ty;
            self.origins.insert(*param, self.function.span);
            let shape = self.fresh(*param, ty, Deps::of(Deps::shape_of(k)));
            let mut data = Deps::of(Deps::data_of(k));
            if let Shape::Integer(size) = &shape {
                // An integer parameter is a size of its own: what it is and how it is spread are one thing.
                let symbol = as_symbol(size).expect("a fresh size is a symbol").0;
                self.symbols.depend(symbol, Deps::of(Deps::data_of(k)));
                data = self.symbols.deps(size);
            }
            self.shapes.insert(*param, shape);
            self.data.insert(*param, data);
        }
        if let Role::Test { arguments, .. } = &self.function.role {
            for (param, argument) in self.function.params.iter().zip(arguments) {
                self.given(*param, argument);
            }
        }
        // The places of the result have their numbers from the start, so that summaries of several walks can be compared.
        let result = ValueId::new(self.function.values.len());
        super::symbols::places(&self.function.result, &mut Vec::new(), &mut |path, integer| {
            self.symbols.make(symbol_at(result, path, integer.is_some()), Deps::NONE, self.scope);
        });
        for param in &self.function.params {
            let ty = &self.function.values[*param].ty;
            self.state_sizes(*param, ty);
            let shape = self.shapes[param].clone();
            self.note_elements(&shape);
        }
        self.known.locals_from(self.symbols.table.next_id());
    }

    /// A shape of which nothing is known but its form.
    pub(super) fn fresh(&mut self, value: ValueId, ty: &Type, deps: Deps) -> Shape {
        build(ty, &mut Vec::new(), &mut |path, integer| self.own(value, path, integer, deps))
    }

    /// The symbol of a place in a value; `integer` is none for the length of an array.
    pub(super) fn own(&mut self, value: ValueId, path: &[Step], integer: Option<ScalarType>, deps: Deps) -> Size {
        let place = symbol_at(value, path, integer.is_some());
        let new = self.symbols.find(&place).is_none();
        let symbol = self.symbols.make(place, deps, self.scope);
        let size = at_place(symbol, path);
        let (low, high) = integer.and_then(range_of).unwrap_or((0, LONGEST));
        self.known.assume_range(symbol, &size, (low, high));
        if new && integer == Some(ScalarType::I64) {
            self.known.is_wild(symbol);
        }
        size
    }

    /// Uses the sizes that the type of a value states.
    fn state_sizes(&mut self, value: ValueId, ty: &Type) {
        let mut stated = Vec::new();
        self.stated(ty, &mut Vec::new(), &mut Vec::new(), &mut stated);
        let shape = self.shapes[&value].clone();
        for (path, size) in stated {
            if let Some(found) = size_at(&shape, &path) {
                let own: Vec<SymbolId> = as_symbol(found).map(|(s, _)| s).into_iter().collect();
                self.known.assume_everywhere(&Claim::Eq(found.clone(), size), &own);
            }
        }
    }

    /// The sizes that a type states, with the way to each array; positions of the type become `p0`, `p1`, ….
    pub(super) fn stated(
        &mut self,
        ty: &Type,
        path: &mut Vec<Step>,
        positions: &mut Vec<Option<SizeVar>>,
        out: &mut Vec<(Vec<Step>, Size)>,
    ) {
        match ty {
            Type::Scalar(_) => {}
            Type::Tuple(types) => {
                for (k, ty) in types.iter().enumerate() {
                    path.push(Step::Field(k));
                    self.stated(ty, path, positions, out);
                    path.pop();
                }
            }
            Type::Sum(variants) => {
                for (tag, variant) in variants.iter().enumerate() {
                    for (k, ty) in variant.fields.iter().enumerate() {
                        path.push(Step::Variant(tag, k));
                        self.stated(ty, path, positions, out);
                        path.pop();
                    }
                }
            }
            Type::Array(array) => {
                if let Some(length) = &array.length {
                    out.push((path.clone(), self.size_of_type(length, positions)));
                }
                path.push(Step::Element);
                positions.push(array.position);
                self.stated(&array.elem, path, positions, out);
                positions.pop();
                path.pop();
            }
        }
    }

    /// A size of a Core type, which speaks about values, as one over symbols.
    fn size_of_type(&mut self, size: &Size, positions: &[Option<SizeVar>]) -> Size {
        let mut of_var = BTreeMap::new();
        for var in size.vars() {
            let at = positions.iter().rposition(|p| *p == Some(var));
            let meant = match at {
                Some(depth) => position(depth),
                None => self.integer(Atom::Var(terrace_ir::value_of(var))),
            };
            of_var.insert(var, meant);
        }
        let mut of_fun = BTreeMap::new();
        for fun in size.funs() {
            let value = ValueId::new(fun.0 as usize);
            let arity = depth_of(&self.function.values[value].ty);
            let path = vec![Step::Element; arity];
            let symbol = symbol_at(value, &path, true);
            let id = match self.symbols.find(&symbol) {
                Some(id) => id,
                None => self.symbols.make(symbol, Deps::NONE, self.scope),
            };
            of_fun.insert(fun, id);
        }
        let vars = size.substitute_all(&|var| of_var.get(&var).cloned());
        vars.substitute_funs(&|fun, args| Some(applied(*of_fun.get(&fun)?, args.to_vec())))
    }

    /// The size that an integer operand is.
    pub(super) fn integer(&mut self, atom: Atom) -> Size {
        match atom {
            Atom::Const(c) => Size::big(c.as_i128().unwrap_or(0)),
            Atom::Var(v) => match self.shapes.get(&v) {
                Some(Shape::Integer(size)) => self.known.resolve(size),
                // A type may state a size before the statement that computes it.
                _ => self.own(v, &[], self.function.values[v].ty.scalar(), Deps::NONE),
            },
        }
    }

    pub(super) fn shape(&mut self, atom: Atom) -> Shape {
        match atom {
            Atom::Const(c) if is_integer(c.ty()) => Shape::Integer(self.integer(atom)),
            Atom::Const(_) => Shape::Other,
            Atom::Var(v) => match self.shapes.get(&v) {
                Some(shape) => self.known.resolve_shape(shape),
                None => Shape::Other,
            },
        }
    }

    /// The length of an array operand.
    pub(super) fn length(&mut self, atom: Atom) -> Size {
        self.shape(atom).length().cloned().unwrap_or_else(Size::zero)
    }

    pub(super) fn data(&self, atom: Atom) -> Deps {
        atom.var().and_then(|v| self.data.get(&v)).copied().unwrap_or(Deps::NONE)
    }

    pub(super) fn truth(&self, atom: Atom) -> Truth {
        match atom {
            Atom::Const(c) => c.as_bool().map_or(Truth::Unknown, Truth::Known),
            Atom::Var(v) => self.truths.get(&v).cloned().unwrap_or(Truth::Unknown),
        }
    }

    pub(super) fn type_of(&self, value: ValueId) -> &'p Type {
        &self.function.values[value].ty
    }

    /// Gives a value its shape, and connects names that were used for it before.
    pub(super) fn bind(&mut self, value: ValueId, shape: Shape, data: Deps, span: Span) {
        let shape = self.known.resolve_shape(&shape);
        let mut found = Vec::new();
        super::symbols::places(self.type_of(value), &mut Vec::new(), &mut |path, integer| {
            if let Some(symbol) = self.symbols.find(&symbol_at(value, path, integer.is_some()))
                && let Some(size) = size_at(&shape, path)
            {
                found.push((symbol, at_place(symbol, path), size.clone()));
            }
        });
        for (symbol, own, size) in found {
            if own != size && !terrace_ir::shape::symbols_of(&size).contains(&symbol) {
                self.symbols.depend(symbol, self.symbols.deps(&size));
                self.known.assume_everywhere(&Claim::Eq(own, size), &[symbol]);
            }
        }
        self.note_elements(&shape);
        self.origins.insert(value, span);
        self.data.insert(value, data);
        self.shapes.insert(value, shape);
    }

    /// An array that exists has at most 2^47 elements, its rows together too.
    pub(super) fn note_elements(&mut self, shape: &Shape) {
        let Shape::Array(length, elem) = shape else {
            if let Shape::Tuple(parts) = shape {
                parts.iter().for_each(|p| self.note_elements(p));
            }
            return;
        };
        let mut totals = Vec::new();
        let is_length = as_symbol(length).is_some_and(|(s, _)| matches!(self.symbols.table[s], Symbol::Length(..)));
        if !is_length {
            totals.push(length.clone());
        }
        if let Shape::Array(inner, innermost) = &**elem {
            totals.push(sum(SizeVar(0), length, inner));
            if let Shape::Array(last, _) = &**innermost {
                totals.push(sum(SizeVar(0), length, &sum(SizeVar(1), inner, last)));
            }
        }
        for total in totals {
            if total.is_constant() || self.noted.contains(&total) {
                continue;
            }
            self.known.assume(&Claim::Le(Size::zero(), total.clone()));
            self.known.assume(&Claim::Le(total.clone(), Size::big(LONGEST)));
            self.noted.insert(total.clone());
            self.noted_here.push(total);
        }
    }

    /// Some numbers of elements that arrays have here, the newest first.
    pub(super) fn noted_last(&self) -> impl Iterator<Item = &Size> {
        self.noted_here.iter().rev().chain(self.noted.iter().filter(|s| s.degree() > 1)).take(4)
    }

    /// Runs `go` with facts and symbols of its own; returns what it established.
    pub(super) fn inside<R>(&mut self, go: impl FnOnce(&mut Self) -> R) -> (R, Vec<Fact>) {
        let mark = self.known.mark();
        let noted = std::mem::take(&mut self.noted_here);
        let outer = std::mem::take(&mut self.established);
        let chosen = std::mem::take(&mut self.chosen_here);
        self.scope += 1;
        let result = go(self);
        self.scope -= 1;
        for symbol in std::mem::replace(&mut self.chosen_here, chosen) {
            self.choices.remove(&symbol);
        }
        for size in std::mem::replace(&mut self.noted_here, noted) {
            self.noted.remove(&size);
        }
        self.known.release(mark);
        (result, std::mem::replace(&mut self.established, outer))
    }

    /// The parallel bodies around, and those around the call of the function.
    pub(super) fn parallel_sources(&self) -> Deps {
        self.around.iter().map(|a| Deps::of(a.source)).collect::<Deps>().and(Deps::of(Deps::CALLER))
    }

    pub(super) fn in_parallel_code(&self) -> bool {
        !self.around.is_empty() || self.called_in_parallel
    }

    /// Runs `go` as code that not every run of the function reaches.
    pub(super) fn sometimes<R>(&mut self, go: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.unconditional, false);
        let result = go(self);
        self.unconditional = outer;
        result
    }

    /// Walks a body; the shape and the dependences of its result.
    pub(super) fn body(&mut self, body: &'p Body) -> (Shape, Deps) {
        for stmt in &body.stmts {
            self.stmt(stmt);
        }
        (self.shape(body.result), self.data_or_size(body.result))
    }

    /// What an operand depends on: an integer exactly what its size does, an array its sizes and what it holds.
    pub(super) fn data_or_size(&mut self, atom: Atom) -> Deps {
        match self.shape(atom) {
            Shape::Integer(size) => self.symbols.deps(&size),
            Shape::Other => self.data(atom),
            shape => self.data(atom).and(self.symbols.deps_of_shape(&shape)),
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Let { value, expr, .. } => {
                self.forget(*value);
                let (shape, data) = self.expr(*value, expr, stmt.span);
                self.bind(*value, shape, data, stmt.span);
            }
            StmtKind::Check { check, cond, .. } => {
                let truth = self.truth(*cond);
                let verdict = self.judge(&truth);
                self.verdicts.insert(Spot::Check(*check, cond.var()), verdict.clone());
                let truth = self.known.exact(truth);
                self.known.learn(&truth);
                self.establish(&truth);
            }
        }
    }

    /// What an earlier round over a loop found out about a value no longer counts.
    fn forget(&mut self, value: ValueId) {
        let mut known = Vec::new();
        super::symbols::places(self.type_of(value), &mut Vec::new(), &mut |path, integer| {
            known.extend(self.symbols.find(&symbol_at(value, path, integer.is_some())));
        });
        for symbol in known {
            self.limits.remove(&symbol);
            self.choices.remove(&symbol);
        }
    }

    /// What can be said about a check here.
    pub(super) fn judge(&mut self, truth: &Truth) -> Verdict {
        let mut open = Vec::new();
        self.unproved(truth, &mut open);
        if open.is_empty() && self.proves(truth) {
            return Verdict::Proved;
        }
        // Whether a check can never hold matters only for what is reported: in the last walk, and in the first for what every run comes to.
        let never = open.iter().filter(|_| self.last || self.unconditional).find(|claim| self.known.refutes(claim));
        match never {
            Some(claim) => Verdict::Fails { claim: claim.clone(), always: self.unconditional },
            None => Verdict::Remains(open),
        }
    }

    fn unproved(&mut self, truth: &Truth, out: &mut Vec<Claim>) {
        match truth {
            Truth::All(parts) => parts.iter().for_each(|p| self.unproved(p, out)),
            Truth::Claim(claim) if !self.proves(truth) => out.push(claim.map(&|size| self.known.resolve(size))),
            _ => {}
        }
    }

    /// Proves a truth, by cases where a condition chose a size in it.
    pub(super) fn proves(&mut self, truth: &Truth) -> bool {
        if self.known.proves(truth) {
            return true;
        }
        let Truth::Claim(claim) = truth else {
            return match truth {
                Truth::All(parts) => parts.iter().all(|p| self.proves(p)),
                _ => false,
            };
        };
        let claim = claim.map(&|size| self.known.resolve(size));
        let (a, b) = claim.sides();
        let mentioned = terrace_ir::shape::symbols_of(a).into_iter().chain(terrace_ir::shape::symbols_of(b));
        let mut chosen = mentioned.filter(|s| self.choices.contains_key(s));
        let Some(symbol) = chosen.next() else { return false };
        let (cond, then, otherwise) = self.choices[&symbol].clone();
        [(cond.clone(), then), (cond.negate(), otherwise)].into_iter().all(|(cond, size)| {
            if self.known.proves(&cond.negate()) {
                return true;
            }
            let mark = self.known.mark();
            self.known.assume_truth(&cond);
            self.known.assume(&Claim::Eq(applied(symbol, Vec::new()), size));
            let proved = self.known.proves_claim(&claim);
            self.known.release(mark);
            proved
        })
    }

    /// Whether two sizes are the same, by cases where need be.
    pub(super) fn equal(&mut self, a: &Size, b: &Size) -> bool {
        a == b || self.proves(&Truth::Claim(Claim::Eq(a.clone(), b.clone())))
    }

    pub(super) fn establish(&mut self, truth: &Truth) {
        match truth {
            Truth::Claim(claim) => self.established.push(Fact { claim: claim.clone(), ranges: Vec::new() }),
            Truth::All(parts) => parts.iter().for_each(|p| self.establish(p)),
            _ => {}
        }
    }

    /// The shape and the dependences of what an expression gives.
    fn expr(&mut self, value: ValueId, expr: &'p Expr, span: Span) -> (Shape, Deps) {
        let mut operands: Deps = expr.operands().into_iter().map(|a| self.data_or_size(a)).collect();
        if looks_at_lengths(expr) {
            for atom in expr.operands() {
                let shape = self.shape(atom);
                operands = operands.and(self.symbols.deps_of_shape(&shape));
            }
        }
        if let Some(found) = self.scalar(value, expr, operands) {
            return found;
        }
        if let Some(shape) = self.array(value, expr, operands) {
            return (shape, operands);
        }
        match expr {
            Expr::If { cond, then, otherwise } => self.branches(value, *cond, then, otherwise),
            Expr::Match { value: matched, arms } => self.matched(value, *matched, arms),
            Expr::Loop { state, init, form, body } => self.repeated(value, *state, *init, form, body, span),
            Expr::Call { function, args } => self.call(value, *function, args, span),
            Expr::Ascribe { value: of, ty, check, .. } => (self.ascribed(value, *of, ty, *check), operands),
            _ => self.in_parallel(value, expr, operands, span),
        }
    }

    /// A value under a type that states sizes: proved, or known from here on.
    fn ascribed(&mut self, value: ValueId, of: Atom, ty: &Type, check: CheckId) -> Shape {
        let shape = self.shape(of);
        let mut stated = Vec::new();
        self.stated(ty, &mut Vec::new(), &mut Vec::new(), &mut stated);
        let mut verdict = Verdict::Proved;
        let mut claims = Vec::new();
        for (path, size) in &stated {
            let Some(found) = size_at(&shape, path) else { continue };
            let claim = Claim::Eq(found.clone(), size.clone());
            let ranges = ranges_of(&shape, path);
            if verdict == Verdict::Proved {
                verdict = self.judge_everywhere(&ranges, &claim);
            }
            claims.push((claim, ranges));
        }
        self.verdicts.insert(Spot::Ascription(check, value), verdict);
        for (claim, ranges) in claims {
            self.assume_fact(Fact { claim, ranges });
        }
        let mut shape = self.known.resolve_shape(&shape);
        for (path, size) in stated {
            replace_length(&mut shape, &path, &self.known.resolve(&size));
        }
        shape
    }

    /// From here on, and whenever the body has run to this point, the fact holds.
    pub(super) fn assume_fact(&mut self, fact: Fact) {
        if fact.ranges.is_empty() {
            self.known.assume(&fact.claim);
        } else {
            let covered = self.covered(&fact.claim, &fact.ranges);
            self.known.assume_where(&fact.claim, &covered, &positions_below(&fact.ranges));
        }
        self.established.push(fact);
    }

    /// The symbols in a claim over positions `p0`, `p1`, … below these lengths whose own places are all among those positions.
    pub(super) fn covered(&mut self, claim: &Claim, ranges: &[Size]) -> Vec<SymbolId> {
        let (a, b) = claim.sides();
        let difference = self.known.resolve(&(a - b));
        let mut covered = Vec::new();
        for atom in difference.atoms() {
            let terrace_algebra::Atom::Apply { fun, args } = atom else { continue };
            let symbol = SymbolId::new(fun.0 as usize);
            let (Symbol::Length(value, path) | Symbol::Integer(value, path)) = &self.symbols.table[symbol] else {
                continue;
            };
            let Some(shape) = self.shapes.get(value).cloned() else { continue };
            let lengths = ranges_of(&shape, path);
            let all = args.iter().zip(&lengths).all(|(arg, length)| {
                let Some(range) = arg.as_var().and_then(|v| ranges.get(v.0 as usize)) else { return settled(arg) };
                let length = length.substitute_all(&|v| args.get(v.0 as usize).cloned());
                self.known.proves_claim(&Claim::Le(length, range.clone()))
            });
            if all && lengths.len() == args.len() {
                covered.push(symbol);
            }
        }
        covered
    }

    /// What can be said about a claim over positions `p0`, `p1`, … below these lengths.
    pub(super) fn judge_everywhere(&mut self, ranges: &[Size], claim: &Claim) -> Verdict {
        let mark = self.known.mark();
        for (depth, length) in ranges.iter().enumerate() {
            self.known.assume(&Claim::Le(Size::zero(), position(depth)));
            self.known.assume(&Claim::Lt(position(depth), length.clone()));
        }
        let outer = self.unconditional;
        self.unconditional &= ranges.is_empty();
        let verdict = self.judge(&Truth::Claim(claim.clone()));
        self.unconditional = outer;
        self.known.release(mark);
        verdict
    }
}

/// Whether what an element of the result is depends on how long the operands are: the sum of `[k for k < i]` does on `i`.
fn looks_at_lengths(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Reduce { .. }
            | Expr::Hist { .. }
            | Expr::Filter { .. }
            | Expr::Sort { .. }
            | Expr::Rotate { .. }
            | Expr::Pad { .. }
            | Expr::Concat(_)
            | Expr::Flatten(_)
            | Expr::Precedes(..)
    )
}

/// That `p0`, `p1`, … lie below these lengths.
pub(super) fn positions_below(ranges: &[Size]) -> Vec<Claim> {
    let each =
        |(k, length): (usize, &Size)| [Claim::Le(Size::zero(), position(k)), Claim::Lt(position(k), length.clone())];
    ranges.iter().enumerate().flat_map(each).collect()
}

/// The lengths of the arrays on the way to a place.
fn ranges_of(shape: &Shape, path: &[Step]) -> Vec<Size> {
    let steps = path.iter().enumerate().filter(|(_, step)| **step == Step::Element);
    steps.map(|(k, _)| size_at(shape, &path[..k]).cloned().unwrap_or_else(Size::zero)).collect()
}

fn replace_length(shape: &mut Shape, path: &[Step], length: &Size) {
    match (shape, path.split_first()) {
        (Shape::Array(old, _), None) => *old = length.clone(),
        (Shape::Array(_, elem), Some((Step::Element, rest))) => replace_length(elem, rest, length),
        (Shape::Tuple(parts), Some((Step::Field(k), rest))) => replace_length(&mut parts[*k], rest, length),
        (Shape::Sum(variants), Some((Step::Variant(tag, k), rest))) => {
            if let Some(field) = variants[*tag].get_mut(*k) {
                replace_length(field, rest, length);
            }
        }
        _ => {}
    }
}

/// How many arrays are around the scalars of a type.
fn depth_of(ty: &Type) -> usize {
    match ty {
        Type::Array(array) => 1 + depth_of(&array.elem),
        _ => 0,
    }
}
