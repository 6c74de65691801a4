//! Evaluation, one statement after the other.
//!
//! A call has one frame, with a slot for every value of its function; the frames of all open calls lie one behind the other.
//! The functions written inside operators share the frame of the function around them: each value is bound in one place,
//! and nothing outlives the operator.
//!
//! ```text
//! let ys = map (x) in xs { let y = x * x; y }
//!     for each element: slot[x] := element, run the statements, take slot[y]
//! ```
//!
//! Everything is strict and runs in index order. Operators that run a function on elements are in `operators`, those that
//! only move elements in `rearrange`, the total order in `order`. A value is taken out of its slot where it is used for the
//! last time (`last_use`), so that an update need not copy what nobody else sees.

use super::arithmetic::short;
use super::failure::Failure;
use super::last_use::{Code, DROPPED, LAST};
use super::order::compare;
use super::shape::{Sizes, bind_sizes, check_shape};
use super::strides::Positions;
use super::value::Value;
use super::verify_shapes::Checking;
use super::{Counts, Options};
use terrace_base::{IdVec, Scalar, ScalarType, Span, convert, fma};
use terrace_ir::check::CheckId;
use terrace_ir::core::{Body, Expr, Function, LoopForm, Program, Stmt, StmtKind, Strides, Type};
use terrace_ir::{Atom, FuncId, ValueId, size_var};
use terrace_plan::data::Data;

pub(super) type Outcome<T> = Result<T, Box<Failure>>;

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    code: &'p IdVec<FuncId, Option<Code>>,
    pub(super) options: &'p Options,
    pub(super) counts: Counts,
    /// Positions in the operators that are running.
    pub(super) nest: Vec<i64>,
    /// The functions that are running, each with the place it was called from.
    calls: Vec<(FuncId, Span)>,
    /// The frames of these functions.
    slots: Vec<Value>,
    /// Where the frame of the innermost function begins.
    base: usize,
    /// The address that the native stack must not grow beyond.
    floor: usize,
    /// In checking mode: what the run is compared with.
    pub(super) checking: Option<Box<Checking<'p>>>,
}

/// How far a machine is: what a failed element is taken back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    nest: usize,
    calls: usize,
    slots: usize,
    base: usize,
    loops: usize,
}

impl<'p> Machine<'p> {
    /// A machine for a program with its last uses marked, that uses at most `stack` bytes of the native stack from here on.
    pub(super) fn new(
        program: &'p Program,
        code: &'p IdVec<FuncId, Option<Code>>,
        options: &'p Options,
        stack: usize,
    ) -> Machine<'p> {
        let (counts, floor) = (Counts::default(), stack_address().saturating_sub(stack));
        let (nest, calls, slots) = (Vec::new(), Vec::new(), Vec::new());
        let checking = options.verify.as_deref().map(|shapes| Box::new(Checking::new(shapes)));
        Machine { program, code, options, counts, nest, calls, slots, base: 0, floor, checking }
    }

    #[inline]
    pub(super) fn set(&mut self, id: ValueId, value: Value) {
        let k = id.index();
        if k & LAST == 0 {
            self.slots[self.base + k] = value;
        }
    }

    #[inline]
    pub(super) fn get(&mut self, atom: Atom) -> Value {
        match atom {
            Atom::Var(v) if v.index() & LAST == 0 => self.slots[self.base + v.index()].clone(),
            Atom::Var(v) => self.take(v),
            Atom::Const(s) => Value::Scalar(s),
        }
    }

    /// Looks at a value where it is.
    #[inline(always)]
    pub(super) fn with<T>(&mut self, atom: &Atom, look: impl FnOnce(&Value) -> T) -> T {
        match atom {
            Atom::Var(v) if v.index() & LAST == 0 => look(&self.slots[self.base + v.index()]),
            _ => look(&self.get(*atom)),
        }
    }

    #[inline]
    fn take(&mut self, v: ValueId) -> Value {
        std::mem::replace(&mut self.slots[self.base + (v.index() & !LAST)], Value::NOTHING)
    }

    // By reference: copying a scalar of unknown type costs more than most operators.
    #[inline(always)]
    pub(super) fn scalar<'a>(&'a self, atom: &'a Atom) -> &'a Scalar {
        match atom {
            Atom::Var(v) => self.slots[self.base + v.index()].as_scalar(),
            Atom::Const(s) => s,
        }
    }

    pub(super) fn int(&self, atom: Atom) -> i64 {
        match self.scalar(&atom) {
            Scalar::I64(n) => *n,
            _ => unreachable!("verified Core counts with i64"),
        }
    }

    pub(super) fn bool(&self, atom: Atom) -> bool {
        match self.scalar(&atom) {
            Scalar::Bool(b) => *b,
            _ => unreachable!("verified Core decides by booleans"),
        }
    }

    pub(super) fn positions(&self, strides: &Strides) -> Positions {
        let dims = strides.dims.iter().map(|(count, stride)| (self.int(*count), self.int(*stride))).collect();
        Positions { offset: self.int(strides.offset), dims }
    }

    /// Calls a function from outside: arguments are checked against the types and the sizes of the parameters.
    pub(super) fn enter(&mut self, id: FuncId, args: Vec<Data>) -> Outcome<Data> {
        let function = &self.program.functions[id];
        let wrong = |text: String| Box::new(Failure::new("argument", &text, Vec::new(), function.span));
        if args.len() != function.params.len() {
            let (name, wanted, found) = (&function.name, function.params.len(), args.len());
            return Err(wrong(format!("`{name}` takes {wanted}, not {found}")));
        }
        let mut values = Vec::new();
        for (arg, param) in args.into_iter().zip(&function.params) {
            let info = &function.values[*param];
            let value = Value::from_data(arg, &info.ty).map_err(|e| wrong(format!("`{}` is {e}", info.name)))?;
            values.push(value);
        }
        check_border(function, &values)?;
        let code = self.open(id, function.span)?;
        for (param, value) in code.params.iter().zip(values) {
            self.set(*param, value);
        }
        self.bound(&code.params, function.span)?;
        Ok(self.body(&code.body)?.to_data(&function.result))
    }

    /// Opens the frame of a call.
    fn open(&mut self, id: FuncId, from: Span) -> Outcome<&'p Code> {
        let limit = self.options.depth_limit;
        if self.calls.len() >= limit {
            return Err(self.fail(Failure::new("depth", "", vec![limit as i64], from)));
        }
        let code = self.code[id].as_ref().expect("every function that is called has been marked");
        self.calls.push((id, from));
        self.counts.calls += 1;
        self.base = self.slots.len();
        self.slots.resize(self.base + code.slots, Value::NOTHING);
        if let Some(checking) = &mut self.checking {
            checking.open(id, code.slots);
        }
        Ok(code)
    }

    fn call(&mut self, id: FuncId, args: &[Atom], from: Span) -> Outcome<Value> {
        let outer = self.base;
        let code = self.open(id, from)?;
        let inner = self.base;
        for (param, arg) in code.params.iter().zip(args) {
            self.base = outer;
            let value = self.get(*arg);
            self.base = inner;
            self.set(*param, value);
        }
        self.bound(&code.params, from)?;
        let result = self.body(&code.body)?;
        self.calls.pop();
        if let Some(checking) = &mut self.checking {
            checking.back_to(self.calls.len(), usize::MAX);
        }
        self.slots.truncate(inner);
        self.base = outer;
        Ok(result)
    }

    pub(super) fn body(&mut self, body: &'p Body) -> Outcome<Value> {
        if stack_address() < self.floor {
            return Err(self.too_deep(body));
        }
        self.start(body);
        for stmt in &body.stmts {
            self.stmt(stmt)?;
        }
        Ok(self.get(body.result))
    }

    #[cold]
    fn too_deep(&self, body: &Body) -> Box<Failure> {
        let span = body.stmts.iter().map(|s| s.span).find(|s| !s.is_none());
        let span = span.unwrap_or_else(|| self.calls.last().map_or(Span::none(), |(_, from)| *from));
        self.fail(Failure::new("depth", "", vec![self.calls.len() as i64], span))
    }

    fn stmt(&mut self, stmt: &'p Stmt) -> Outcome<()> {
        self.counts.statements += 1;
        if self.counts.statements > self.options.step_limit {
            return Err(self.too_long(stmt.span));
        }
        if self.checking.is_some() {
            return self.checked_stmt(stmt);
        }
        match &stmt.kind {
            StmtKind::Let { value, expr: Expr::Binary(op, a, b), .. } => {
                let (x, y) = (self.scalar(a), self.scalar(b));
                match short(*op, x, y) {
                    Some(result) => result.put(&mut self.slots[self.base + value.index()]),
                    None => self.slots[self.base + value.index()] = Value::Scalar(op.apply(*x, *y)),
                }
                Ok(())
            }
            StmtKind::Let { value, expr, .. } => {
                let result = self.expr(expr, stmt.span)?;
                self.counts.statements -= u64::from(value.index() == DROPPED);
                self.set(*value, result);
                Ok(())
            }
            StmtKind::Check { proved: true, .. } => Ok(()),
            StmtKind::Check { cond, .. } if self.bool(*cond) => Ok(()),
            StmtKind::Check { check, values, .. } => Err(self.failed_check(*check, values)),
        }
    }

    #[cold]
    pub(super) fn failed_check(&self, check: CheckId, values: &[Atom]) -> Box<Failure> {
        let values = values.iter().map(|v| shown(*self.scalar(v))).collect();
        self.fail_check(check, values)
    }

    #[cold]
    fn too_long(&self, span: Span) -> Box<Failure> {
        let limit = self.options.step_limit.min(i64::MAX as u64) as i64;
        self.fail(Failure::new("steps", "", vec![limit], span))
    }

    // What is short, and apart from it what is long: a small native frame for the deep recursions.
    pub(super) fn expr(&mut self, expr: &'p Expr, span: Span) -> Outcome<Value> {
        Ok(match expr {
            Expr::Atom(a) => self.get(*a),
            Expr::Unary(op, a) => Value::Scalar(op.apply(*self.scalar(a))),
            Expr::Fma(a, b, c) => Value::Scalar(fma(*self.scalar(a), *self.scalar(b), *self.scalar(c))),
            Expr::Convert(ty, a) => Value::Scalar(convert(*self.scalar(a), *ty)),
            Expr::Tuple(parts) => match parts[..] {
                [a, b] => Value::pair(self.get(a), self.get(b)),
                _ => Value::tuple(self.all(parts)),
            },
            Expr::Project(a, k) => self.with(a, |tuple| tuple.as_tuple()[*k].clone()),
            Expr::Length(a) => self.with(a, |array| Value::int(array.as_array().len() as i64)),
            Expr::Index { array, index } => {
                let k = usize::try_from(self.int(*index)).expect("a check stands before every index");
                self.with(array, |array| array.items()[k].clone())
            }
            Expr::If { cond, then, otherwise } => {
                let chosen = if self.bool(*cond) { then } else { otherwise };
                self.body(chosen)?
            }
            Expr::Match { value, arms } => {
                let value = self.get(*value);
                let (tag, fields) = value.as_variant();
                let arm = &arms[tag];
                for (param, field) in arm.params.iter().zip(fields) {
                    self.set(*param, field.clone());
                }
                drop(value);
                self.start(&arm.body);
                self.bound(&arm.params, span)?;
                self.body(&arm.body)?
            }
            Expr::Call { function, args } => self.call(*function, args, span)?,
            Expr::Loop { state, init, form, body } => self.repeat(*state, *init, form, body, span)?,
            _ => return self.whole(expr, span),
        })
    }

    fn repeat(&mut self, state: ValueId, init: Atom, form: &'p LoopForm, body: &'p Body, span: Span) -> Outcome<Value> {
        let mut current = self.get(init);
        self.open_loop();
        match form {
            LoopForm::While(cond) => loop {
                self.start(cond);
                self.start(body);
                self.set(state, current);
                self.bound(&[state], span)?;
                if !self.body(cond)?.as_bool() {
                    current = self.take(state);
                    break;
                }
                current = self.body(body)?;
                self.next_iteration();
            },
            LoopForm::For { index, count } => {
                for k in 0..self.int(*count) {
                    self.start(body);
                    self.set(state, current);
                    self.set(*index, Value::int(k));
                    self.bound(&[state, *index], span)?;
                    current = self.body(body)?;
                    self.next_iteration();
                }
            }
        }
        self.close_loop();
        Ok(current)
    }

    /// Expressions that make or change a whole value.
    #[inline(never)]
    fn whole(&mut self, expr: &'p Expr, span: Span) -> Outcome<Value> {
        Ok(match expr {
            Expr::ArrayLiteral { elems, .. } => Value::array(self.all(elems)),
            Expr::Variant { tag, fields, .. } => Value::variant(*tag, self.all(fields)),
            Expr::Precedes(a, b) => {
                let (a, b) = (self.get(*a), self.get(*b));
                Value::Scalar(Scalar::Bool(compare(&a, &b).is_lt()))
            }
            Expr::Extent(strides) => {
                let (low, high) = self.positions(strides).extent();
                Value::pair(Value::int(low), Value::int(high))
            }
            Expr::Disjoint(strides) => Value::Scalar(Scalar::Bool(self.positions(strides).are_disjoint())),
            Expr::Update { array, indices, value } => {
                let (mut array, value) = (self.get(*array), self.get(*value));
                let mut place = &mut array;
                for index in indices {
                    let k = self.int(*index);
                    place = place.element_mut(k, &mut self.counts.copied);
                }
                *place = value;
                array
            }
            Expr::Ascribe { value, proved: true, .. } if self.checking.is_none() => self.get(*value),
            Expr::Ascribe { value, ty, check, proved } => {
                let value = self.get(*value);
                if let Err(miss) = check_shape(&value, ty, &self.slots[self.base..], 0) {
                    if *proved {
                        return Err(self.sizes_are_wrong(*check, &miss, span));
                    }
                    let mut failure = self.fail_check(*check, vec![miss.found, miss.wanted]);
                    failure.indices.extend(miss.position);
                    return Err(failure);
                }
                value
            }
            Expr::Map { .. }
            | Expr::Generate { .. }
            | Expr::Filter { .. }
            | Expr::Reduce { .. }
            | Expr::Scan { .. }
            | Expr::Hist { .. } => return self.operator(expr, span),
            _ => return self.rearrange(expr, span),
        })
    }

    pub(super) fn all(&mut self, atoms: &[Atom]) -> Vec<Value> {
        atoms.iter().map(|a| self.get(*a)).collect()
    }

    /// The type of a value of the function that runs.
    pub(super) fn type_of(&self, value: ValueId) -> &'p Type {
        let (running, _) = self.calls.last().expect("a function runs");
        &self.program.functions[*running].values[ValueId::new(value.index() & !LAST)].ty
    }

    pub(super) fn mark(&self) -> Mark {
        let loops = self.checking.as_ref().map_or(0, |c| c.loops());
        Mark { nest: self.nest.len(), calls: self.calls.len(), slots: self.slots.len(), base: self.base, loops }
    }

    /// Closes what was opened after the mark.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.nest.truncate(mark.nest);
        self.calls.truncate(mark.calls);
        self.slots.truncate(mark.slots);
        self.base = mark.base;
        if let Some(checking) = &mut self.checking {
            checking.back_to(mark.calls, mark.loops);
        }
    }

    /// The values of the innermost function.
    pub(super) fn frame_slots(&self) -> &[Value] {
        &self.slots[self.base..]
    }

    /// Room for so many elements.
    pub(super) fn room(&self, count: i64, span: Span) -> Outcome<Vec<Value>> {
        let mut out = Vec::new();
        let count = usize::try_from(count).expect("a check stands before every length");
        if count > self.options.element_limit || out.try_reserve_exact(count).is_err() {
            let bytes = (count as u64).saturating_mul(size_of::<Value>() as u64).min(i64::MAX as u64);
            return Err(self.fail(Failure::new("memory", "", vec![bytes as i64], span)));
        }
        Ok(out)
    }

    fn fail_check(&self, id: CheckId, values: Vec<i64>) -> Box<Failure> {
        let info = &self.program.checks[id];
        let mut failure = Failure::new(info.kind.word(), info.kind.text(), values, info.span);
        failure.check = Some(id);
        self.fail(failure)
    }

    #[cold]
    pub(super) fn fail(&self, mut failure: Failure) -> Box<Failure> {
        failure.indices = self.nest.clone();
        let mut reached = failure.span;
        for (function, from) in self.calls.iter().rev() {
            failure.trace.push((self.program.functions[*function].source.clone(), reached));
            reached = *from;
        }
        Box::new(failure)
    }
}

/// Where the native stack is now.
#[inline]
fn stack_address() -> usize {
    let here = 0_u8;
    &raw const here as usize
}

// What a message shows must be an integer: floats and large unsigned ones are brought to the nearest.
fn shown(value: Scalar) -> i64 {
    match value {
        Scalar::U64(x) => x.min(i64::MAX as u64) as i64,
        other => convert(other, ScalarType::I64).as_i64().unwrap_or(0),
    }
}

/// The nested sizes that parameter types state; the outermost ones are checked by the function itself.
pub(super) fn check_border(function: &Function, args: &[Value]) -> Outcome<()> {
    let mut known = Sizes::default();
    for (param, value) in function.params.iter().zip(args) {
        if let Value::Scalar(s) = value
            && let Some(n) = s.as_i64()
        {
            known.vars.insert(size_var(*param), n);
        }
    }
    let types = function.params.iter().map(|p| &function.values[*p].ty);
    let pairs: Vec<_> = types.zip(args).collect();
    bind_sizes(&pairs, &mut known);
    for (param, (ty, value)) in function.params.iter().zip(pairs) {
        check_shape(value, ty, &known, 1).map_err(|miss| {
            let name = &function.values[*param].name;
            let mut failure = Failure::new("parameter", name, vec![miss.found, miss.wanted], function.span);
            failure.indices = miss.position;
            Box::new(failure)
        })?;
    }
    Ok(())
}
