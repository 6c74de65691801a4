//! Operators that run a function on elements: `map`, `generate`, `filter`, `reduce`, `scan`, `hist`.
//!
//! When a check fails in one element of a map, a generate or a filter, the other elements still run, and the failure with
//! the least check, then the least position, is the one reported: what a back end that runs elements side by side finds.
//! `reduce`, `scan` and `hist` combine from left to right, starting with the neutral element, up to the first failure:
//!
//! ```text
//! hist (+) 0 into 3 buckets, indices [2, 0, 2], values [5, 6, 7]
//!     [0, 0, 0]   [0, 0, 0+5]   [0+6, 0, 5]   [6, 0, 5+7]
//! ```
//!
//! An accumulator is moved into the function and out again, so that one that is an array may be updated in place.

use super::eval::{Machine, Outcome};
use super::failure::Failure;
use super::value::Value;
use terrace_base::Span;
use terrace_ir::Atom;
use terrace_ir::core::{Expr, Lambda};

impl<'p> Machine<'p> {
    #[inline(never)]
    pub(super) fn operator(&mut self, expr: &'p Expr, span: Span) -> Outcome<Value> {
        match expr {
            Expr::Map { lambda, arrays } => {
                let arrays = self.all(arrays);
                let columns: Vec<&[Value]> = arrays.iter().map(Value::items).collect();
                let n = columns.first().map_or(0, |c| c.len());
                let mut out = self.room(n as i64, span)?;
                self.each(n as i64, lambda, |machine, k| {
                    for (param, column) in lambda.params.iter().zip(&columns) {
                        machine.set(*param, column[k as usize].clone());
                    }
                    machine.bound(&lambda.params, span)?;
                    out.push(machine.body(&lambda.body)?);
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Generate { lambda, count } => {
                let n = self.int(*count);
                let mut out = self.room(n, span)?;
                self.each(n, lambda, |machine, k| {
                    machine.set(lambda.params[0], Value::int(k));
                    machine.bound(&lambda.params, span)?;
                    out.push(machine.body(&lambda.body)?);
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Filter { predicate, array } => {
                let array = self.get(*array);
                let items = array.items();
                let mut out = Vec::new();
                self.each(items.len() as i64, predicate, |machine, k| {
                    let item = &items[k as usize];
                    machine.set(predicate.params[0], item.clone());
                    machine.bound(&predicate.params, span)?;
                    if machine.body(&predicate.body)?.as_bool() {
                        out.push(item.clone());
                    }
                    Ok(())
                })?;
                Ok(Value::array(out))
            }
            Expr::Reduce { operator, neutral, array } => {
                let array = self.get(*array);
                self.combine(operator, *neutral, array.items(), span, |_| {})
            }
            Expr::Scan { operator, neutral, array } => {
                let array = self.get(*array);
                let mut out = self.room(array.as_array().len() as i64, span)?;
                self.combine(operator, *neutral, array.items(), span, |prefix| out.push(prefix.clone()))?;
                Ok(Value::array(out))
            }
            Expr::Hist { operator, neutral, count, indices, values } => {
                let (neutral, indices, values) = (self.get(*neutral), self.get(*indices), self.get(*values));
                self.try_laws(operator, &neutral, values.items(), span)?;
                let n = self.int(*count);
                let mut buckets = self.room(n, span)?;
                buckets.resize(n as usize, neutral);
                let items = values.items();
                self.in_turn(items.len() as i64, operator, |machine, k| {
                    let bucket = usize::try_from(indices.items()[k as usize].as_int()).ok();
                    let place = bucket.and_then(|b| buckets.get_mut(b)).expect("a check stands before every bucket");
                    let before = std::mem::replace(place, Value::NOTHING);
                    *place = machine.apply(operator, before, items[k as usize].clone(), span)?;
                    Ok(())
                })?;
                Ok(Value::array(buckets))
            }
            _ => unreachable!("only operators with a function come here"),
        }
    }

    pub(super) fn apply(&mut self, operator: &'p Lambda, left: Value, right: Value, span: Span) -> Outcome<Value> {
        self.set(operator.params[0], left);
        self.set(operator.params[1], right);
        self.bound(&operator.params, span)?;
        self.body(&operator.body)
    }

    fn combine(
        &mut self,
        operator: &'p Lambda,
        neutral: Atom,
        items: &[Value],
        span: Span,
        mut seen: impl FnMut(&Value),
    ) -> Outcome<Value> {
        let mut current = self.get(neutral);
        self.try_laws(operator, &current, items, span)?;
        self.in_turn(items.len() as i64, operator, |machine, k| {
            let before = std::mem::replace(&mut current, Value::NOTHING);
            current = machine.apply(operator, before, items[k as usize].clone(), span)?;
            seen(&current);
            Ok(())
        })?;
        Ok(current)
    }

    /// Runs a step for every position; the least failure of all is the outcome.
    fn each(&mut self, n: i64, body: &Lambda, mut step: impl FnMut(&mut Self, i64) -> Outcome<()>) -> Outcome<()> {
        self.counts.elements += n.max(0) as u64;
        let level = self.nest.len();
        let mut least: Option<Box<Failure>> = None;
        self.nest.push(0);
        let mark = self.mark();
        for k in 0..n {
            self.nest[level] = k;
            self.start(&body.body);
            self.at(body.params[0], k);
            if let Err(failure) = step(self, k) {
                self.back_to(mark);
                if failure.check.is_none() {
                    let broken = failure.is_false_claim();
                    return Err(least.filter(|_| !broken).unwrap_or(failure));
                }
                if least.as_ref().is_none_or(|l| failure.check < l.check) {
                    least = Some(failure);
                }
            }
        }
        self.at(body.params[0], -1);
        self.nest.truncate(level);
        least.map_or(Ok(()), Err)
    }

    /// Runs a step for every position, up to the first that fails.
    fn in_turn(&mut self, n: i64, body: &Lambda, mut step: impl FnMut(&mut Self, i64) -> Outcome<()>) -> Outcome<()> {
        self.counts.elements += n.max(0) as u64;
        let level = self.nest.len();
        self.nest.push(0);
        for k in 0..n {
            self.nest[level] = k;
            self.start(&body.body);
            self.at(body.params[0], k);
            step(self, k)?;
        }
        self.at(body.params[0], -1);
        self.nest.truncate(level);
        Ok(())
    }
}
