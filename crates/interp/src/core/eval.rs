//! Evaluation, one statement after the other.
//!
//! A call has one frame, with a place for every value of its function. The functions written inside operators share the frame
//! of the function around them: each value is bound in one place, and nothing outlives the operator.
//!
//! ```text
//! let ys = map (x) in xs { let y = x * x; y }
//!     for each element: frame[x] := element, run the statements, take frame[y]
//! ```
//!
//! Everything is strict and runs in index order. When a check fails in one element of a map or a filter, the other elements
//! still run, and the failure with the least check, then the least position, is the one reported: what a back end that runs
//! elements side by side finds. `reduce` and `scan` combine from left to right, starting with the neutral element.

use super::failure::Failure;
use super::shape::{bind_sizes, check_shape};
use super::value::Value;
use super::{Counts, Options};
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_base::{BinOp, Scalar, Span, convert, fma};
use terrace_ir::check::CheckId;
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, Program, Stmt, StmtKind};
use terrace_ir::{Atom, FuncId, ValueId, size_var, value_of};
use terrace_plan::data::Data;

type Outcome<T> = Result<T, Box<Failure>>;

/// Bodies that may be open at once for each call that may: what the native stack is made for.
pub(super) const BODIES_PER_CALL: usize = 16;

pub(super) struct Machine<'p> {
    program: &'p Program,
    options: &'p Options,
    pub(super) counts: Counts,
    /// Positions in the operators that are running.
    nest: Vec<i64>,
    /// The functions that are running, each with the place it was called from.
    calls: Vec<(FuncId, Span)>,
    bodies: usize,
}

struct Frame {
    slots: Vec<Value>,
}

impl Frame {
    fn new(function: &Function) -> Frame {
        Frame { slots: vec![Value::NOTHING; function.values.len()] }
    }

    fn set(&mut self, id: ValueId, value: Value) {
        self.slots[id.index()] = value;
    }

    fn get(&self, atom: Atom) -> Value {
        match atom {
            Atom::Var(v) => self.slots[v.index()].clone(),
            Atom::Const(s) => Value::Scalar(s),
        }
    }

    fn scalar(&self, atom: Atom) -> Scalar {
        match atom {
            Atom::Var(v) => self.slots[v.index()].as_scalar(),
            Atom::Const(s) => s,
        }
    }

    fn int(&self, atom: Atom) -> i64 {
        self.scalar(atom).as_i64().expect("verified Core counts with integers")
    }

    fn bool(&self, atom: Atom) -> bool {
        self.scalar(atom).as_bool().expect("verified Core decides by booleans")
    }

    fn lookup(&self, var: terrace_algebra::SizeVar) -> Option<i64> {
        match self.slots.get(value_of(var).index())? {
            Value::Scalar(s) => s.as_i64(),
            _ => None,
        }
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, options: &'p Options) -> Machine<'p> {
        Machine { program, options, counts: Counts::default(), nest: Vec::new(), calls: Vec::new(), bodies: 0 }
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
        self.check_border(function, &values)?;
        Ok(self.call(id, values, function.span)?.to_data())
    }

    /// The nested sizes that parameter types state; the outermost ones are checked by the function itself.
    fn check_border(&self, function: &Function, args: &[Value]) -> Outcome<()> {
        let mut known = BTreeMap::new();
        for (param, value) in function.params.iter().zip(args) {
            if let Value::Scalar(s) = value
                && let Some(n) = s.as_i64()
            {
                known.insert(size_var(*param), n);
            }
        }
        let types: Vec<_> = function.params.iter().map(|p| &function.values[*p].ty).collect();
        let pairs: Vec<_> = types.iter().copied().zip(args).collect();
        bind_sizes(&pairs, &mut known);
        for (param, (ty, value)) in function.params.iter().zip(pairs) {
            check_shape(value, ty, &|var| known.get(&var).copied(), 1).map_err(|miss| {
                let name = &function.values[*param].name;
                let mut failure = Failure::new("size", name, vec![miss.found, miss.wanted], function.span);
                failure.indices = miss.position;
                Box::new(failure)
            })?;
        }
        Ok(())
    }

    fn call(&mut self, id: FuncId, args: Vec<Value>, from: Span) -> Outcome<Value> {
        let limit = self.options.depth_limit;
        if self.calls.len() >= limit {
            return Err(self.fail(Failure::new("depth", "", vec![limit as i64], from)));
        }
        let function = &self.program.functions[id];
        let mut frame = Frame::new(function);
        for (param, arg) in function.params.iter().zip(args) {
            frame.set(*param, arg);
        }
        self.calls.push((id, from));
        self.counts.calls += 1;
        let result = self.body(&mut frame, &function.body)?;
        self.calls.pop();
        Ok(result)
    }

    fn body(&mut self, frame: &mut Frame, body: &'p Body) -> Outcome<Value> {
        let limit = self.options.depth_limit;
        if self.bodies >= limit.saturating_mul(BODIES_PER_CALL).saturating_add(1000) {
            let span = body.stmts.first().map_or(Span::none(), |s| s.span);
            return Err(self.fail(Failure::new("depth", "", vec![limit as i64], span)));
        }
        self.bodies += 1;
        for stmt in &body.stmts {
            self.stmt(frame, stmt)?;
        }
        self.bodies -= 1;
        Ok(frame.get(body.result))
    }

    fn stmt(&mut self, frame: &mut Frame, stmt: &'p Stmt) -> Outcome<()> {
        self.counts.statements += 1;
        if self.counts.statements > self.options.step_limit {
            let limit = self.options.step_limit.min(i64::MAX as u64) as i64;
            return Err(self.fail(Failure::new("steps", "", vec![limit], stmt.span)));
        }
        match &stmt.kind {
            StmtKind::Let { value, expr, .. } => {
                let result = self.expr(frame, expr, stmt.span)?;
                frame.set(*value, result);
                Ok(())
            }
            StmtKind::Check { check, cond, values } => {
                if frame.bool(*cond) {
                    return Ok(());
                }
                let values = values.iter().map(|v| shown(frame.scalar(*v))).collect();
                Err(self.fail_check(*check, values))
            }
        }
    }

    // Scalars first and the rest apart: a small native frame for the deep recursions.
    fn expr(&mut self, frame: &mut Frame, expr: &'p Expr, span: Span) -> Outcome<Value> {
        Ok(match expr {
            Expr::Atom(a) => frame.get(*a),
            Expr::Unary(op, a) => Value::Scalar(op.apply(frame.scalar(*a))),
            Expr::Binary(op, a, b) => Value::Scalar(binary(*op, frame.scalar(*a), frame.scalar(*b))),
            Expr::Fma(a, b, c) => Value::Scalar(fma(frame.scalar(*a), frame.scalar(*b), frame.scalar(*c))),
            Expr::Convert(ty, a) => Value::Scalar(convert(frame.scalar(*a), *ty)),
            Expr::Tuple(parts) => Value::Tuple(Rc::new(parts.iter().map(|p| frame.get(*p)).collect())),
            Expr::Project(a, k) => frame.get(*a).as_tuple()[*k].clone(),
            Expr::Length(a) => Value::int(frame.get(*a).as_array().len() as i64),
            Expr::Index { array, index } => {
                let (array, k) = (frame.get(*array), frame.int(*index));
                let item = usize::try_from(k).ok().and_then(|k| array.as_array().items().get(k));
                item.expect("a check stands before every index").clone()
            }
            Expr::If { cond, then, otherwise } => {
                let chosen = if frame.bool(*cond) { then } else { otherwise };
                self.body(frame, chosen)?
            }
            Expr::Call { function, args } => {
                let args = args.iter().map(|a| frame.get(*a)).collect();
                self.call(*function, args, span)?
            }
            Expr::Loop { state, init, form, body } => self.repeat(frame, *state, *init, form, body)?,
            _ => self.bulk(frame, expr, span)?,
        })
    }

    fn repeat(
        &mut self,
        frame: &mut Frame,
        state: ValueId,
        init: Atom,
        form: &'p LoopForm,
        body: &'p Body,
    ) -> Outcome<Value> {
        let mut current = frame.get(init);
        match form {
            LoopForm::While(cond) => loop {
                frame.set(state, current.clone());
                if self.body(frame, cond)?.as_scalar().as_bool() != Some(true) {
                    return Ok(current);
                }
                current = self.body(frame, body)?;
            },
            LoopForm::For { index, count } => {
                for k in 0..frame.int(*count) {
                    frame.set(state, current);
                    frame.set(*index, Value::int(k));
                    current = self.body(frame, body)?;
                }
                Ok(current)
            }
        }
    }

    fn bulk(&mut self, frame: &mut Frame, expr: &'p Expr, span: Span) -> Outcome<Value> {
        match expr {
            Expr::ArrayLiteral { elems, .. } => Ok(Value::array(elems.iter().map(|e| frame.get(*e)).collect())),
            Expr::Slice { array, from, to } => {
                let (from, to) = (frame.int(*from), frame.int(*to));
                Ok(frame.get(*array).as_array().slice(from as usize, to as usize))
            }
            Expr::Iota(count) => {
                let n = frame.int(*count);
                let mut out = self.room(n, span)?;
                out.extend((0..n).map(Value::int));
                Ok(Value::array(out))
            }
            Expr::Replicate { count, value } => {
                let n = frame.int(*count);
                let mut out = self.room(n, span)?;
                out.resize(n as usize, frame.get(*value));
                Ok(Value::array(out))
            }
            Expr::Concat(arrays) => {
                let arrays: Vec<Value> = arrays.iter().map(|a| frame.get(*a)).collect();
                let total = arrays.iter().map(|a| a.as_array().len()).sum::<usize>();
                let mut out = self.room(total as i64, span)?;
                for array in &arrays {
                    out.extend_from_slice(array.as_array().items());
                }
                Ok(Value::array(out))
            }
            Expr::Zip(arrays) => {
                let arrays: Vec<Value> = arrays.iter().map(|a| frame.get(*a)).collect();
                let n = arrays.first().map_or(0, |a| a.as_array().len());
                let mut out = self.room(n as i64, span)?;
                for k in 0..n {
                    let parts = arrays.iter().map(|a| a.as_array().items()[k].clone()).collect();
                    out.push(Value::Tuple(Rc::new(parts)));
                }
                Ok(Value::array(out))
            }
            Expr::Map { lambda, arrays } => {
                let arrays: Vec<Value> = arrays.iter().map(|a| frame.get(*a)).collect();
                let n = arrays.first().map_or(0, |a| a.as_array().len());
                let mut out = self.room(n as i64, span)?;
                self.each(n as i64, |machine, k| {
                    for (param, array) in lambda.params.iter().zip(&arrays) {
                        frame.set(*param, array.as_array().items()[k as usize].clone());
                    }
                    out.push(machine.body(frame, &lambda.body)?);
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Generate { lambda, count } => {
                let n = frame.int(*count);
                let mut out = self.room(n, span)?;
                self.each(n, |machine, k| {
                    frame.set(lambda.params[0], Value::int(k));
                    out.push(machine.body(frame, &lambda.body)?);
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Filter { predicate, array } => {
                let array = frame.get(*array);
                let items = array.as_array().items();
                let mut out = Vec::new();
                self.each(items.len() as i64, |machine, k| {
                    let item = &items[k as usize];
                    frame.set(predicate.params[0], item.clone());
                    if machine.body(frame, &predicate.body)?.as_scalar().as_bool() == Some(true) {
                        out.push(item.clone());
                    }
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Reduce { operator, neutral, array } => self.combine(frame, operator, *neutral, *array, |_| {}),
            Expr::Scan { operator, neutral, array } => {
                let mut out = self.room(frame.get(*array).as_array().len() as i64, span)?;
                self.combine(frame, operator, *neutral, *array, |prefix| out.push(prefix.clone()))?;
                Ok(Value::array(out))
            }
            Expr::Ascribe { value, ty, check } => {
                let value = frame.get(*value);
                match check_shape(&value, ty, &|var| frame.lookup(var), 0) {
                    Ok(()) => Ok(value),
                    Err(miss) => {
                        let mut failure = self.fail_check(*check, vec![miss.found, miss.wanted]);
                        failure.indices.extend(miss.position);
                        Err(failure)
                    }
                }
            }
            _ => unreachable!("scalar expressions and control are handled before"),
        }
    }

    fn combine(
        &mut self,
        frame: &mut Frame,
        operator: &'p Lambda,
        neutral: Atom,
        array: Atom,
        mut seen: impl FnMut(&Value),
    ) -> Outcome<Value> {
        let array = frame.get(array);
        let items = array.as_array().items();
        let mut current = frame.get(neutral);
        self.in_turn(items.len() as i64, |machine, k| {
            frame.set(operator.params[0], std::mem::replace(&mut current, Value::NOTHING));
            frame.set(operator.params[1], items[k as usize].clone());
            current = machine.body(frame, &operator.body)?;
            seen(&current);
            Ok(())
        })?;
        Ok(current)
    }

    /// Runs a step for every position; the least failure of all is the outcome.
    fn each(&mut self, n: i64, mut step: impl FnMut(&mut Self, i64) -> Outcome<()>) -> Outcome<()> {
        self.counts.elements += n.max(0) as u64;
        let (level, calls, bodies) = (self.nest.len(), self.calls.len(), self.bodies);
        let mut least: Option<Box<Failure>> = None;
        self.nest.push(0);
        for k in 0..n {
            self.nest[level] = k;
            if let Err(failure) = step(self, k) {
                self.nest.truncate(level + 1);
                self.calls.truncate(calls);
                self.bodies = bodies;
                if failure.check.is_none() {
                    return Err(least.unwrap_or(failure));
                }
                if least.as_ref().is_none_or(|l| failure.check < l.check) {
                    least = Some(failure);
                }
            }
        }
        self.nest.truncate(level);
        least.map_or(Ok(()), Err)
    }

    /// Runs a step for every position, up to the first that fails.
    fn in_turn(&mut self, n: i64, mut step: impl FnMut(&mut Self, i64) -> Outcome<()>) -> Outcome<()> {
        self.counts.elements += n.max(0) as u64;
        let level = self.nest.len();
        self.nest.push(0);
        for k in 0..n {
            self.nest[level] = k;
            step(self, k)?;
        }
        self.nest.truncate(level);
        Ok(())
    }

    fn room(&self, count: i64, span: Span) -> Outcome<Vec<Value>> {
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

    fn fail(&self, mut failure: Failure) -> Box<Failure> {
        failure.indices = self.nest.clone();
        let mut reached = failure.span;
        for (function, from) in self.calls.iter().rev() {
            failure.trace.push((self.program.functions[*function].name.clone(), reached));
            reached = *from;
        }
        Box::new(failure)
    }
}

// `apply` computes every integer type in 128 bits; the two types that most elements have are worth a shorter way.
#[inline]
fn binary(op: BinOp, a: Scalar, b: Scalar) -> Scalar {
    match (op, a, b) {
        (BinOp::Add, Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.wrapping_add(b)),
        (BinOp::Sub, Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.wrapping_sub(b)),
        (BinOp::Mul, Scalar::I64(a), Scalar::I64(b)) => Scalar::I64(a.wrapping_mul(b)),
        (BinOp::Lt, Scalar::I64(a), Scalar::I64(b)) => Scalar::Bool(a < b),
        (BinOp::Le, Scalar::I64(a), Scalar::I64(b)) => Scalar::Bool(a <= b),
        (BinOp::Eq, Scalar::I64(a), Scalar::I64(b)) => Scalar::Bool(a == b),
        _ => op.apply(a, b),
    }
}

// What a message shows must be an integer: floats and large unsigned ones are brought to the nearest.
fn shown(value: Scalar) -> i64 {
    match value {
        Scalar::U64(x) => x.min(i64::MAX as u64) as i64,
        other => convert(other, terrace_base::ScalarType::I64).as_i64().unwrap_or(0),
    }
}
