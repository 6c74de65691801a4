//! Loops inside parallel code that a thread cannot run by itself: parallel work or calls in the body, arrays that do not stay in place
//! (`private` has those that do).
//!
//! The loop moves out of the parallel code: the host repeats, and each turn does the body once for all points together.
//!
//! *In step*: where the number of turns is the same at all points, the state of all points crosses from turn to turn.
//!
//! ```text
//! [loop (xs) for i < 3 { step(xs) } for xs in rows]        loop (i, start, len, base) while i < 3 { step^(…) over [n] }
//! ```
//!
//! *Apart*: otherwise every point stops when it wants to. The loop holds the points that still run, densely, with the number that
//! each had at first (`ids`). A turn tests them all; those that are done are written to where the results are collected
//! (`stores.rs`), the others are packed, and the body runs on them. So the work is the sum of the turns that the points take,
//! and never their number times the longest. The host learns one number per turn: how many points are done.
//!
//! ```text
//! k, ids, state = n, 0 … n - 1, first
//! while k > 0
//!   go = condition, over [k]                    values of the surroundings are read at ids[p]
//!   if not all go: the done ones' state to results[ids[p]], pack ids and state of the others
//!   if any is left: state = body, over [k]
//! ```
//!
//! A loop over no points takes no turn. Rows in the state stay views of whatever base the body gives them.

use super::build::{Scope, size_of};
use super::form::Form;
use super::lifted::is_uniform;
use super::rep::{Context, Elem, Inner, Ix, Rep};
use super::{Env, Flattener, Result};
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::core::visit::free_values;
use terrace_ir::core::{Body, LoopForm};
use terrace_ir::flat::{self, OpKind, Type};
use terrace_ir::{Atom, ValueId};

/// A loop of Core.
pub(super) struct Turns<'b> {
    /// What it binds.
    pub(super) value: ValueId,
    pub(super) state: ValueId,
    pub(super) form: &'b LoopForm,
    pub(super) body: &'b Body,
}

impl Turns<'_> {
    /// What the condition and the body mention.
    fn mentioned(&self) -> BTreeSet<ValueId> {
        let mut all = free_values(self.body);
        match self.form {
            LoopForm::While(cond) => all.extend(free_values(cond)),
            LoopForm::For { count, .. } => all.extend(count.var()),
        }
        all
    }
}

/// A value of the surroundings that differs from point to point, as it crosses into the loop.
struct Outside {
    value: ValueId,
    form: Form,
    leaves: Vec<Atom>,
}

impl Flattener<'_> {
    pub(super) fn lifted_loop(&mut self, turns: &Turns<'_>, init: Rep, env: &Env, cx: &Context) -> Result<Rep> {
        if let Some(rep) = self.private_loop(turns, &init, env, cx)? {
            return Ok(rep);
        }
        if let LoopForm::For { index, count } = turns.form
            && let Rep::Scalar(ix, _) = self.rep(*count, env)
            && let Some(count) = ix.uniform()
        {
            return self.loop_in_step(turns, Some((*index, count)), &init, env, cx);
        }
        if let LoopForm::While(cond) = turns.form
            && self.form_of(cond.result, cx).is_same()
        {
            return self.loop_in_step(turns, None, &init, env, cx);
        }
        // Positions and indices in the loop are those of the points that it holds.
        let counters = std::mem::take(&mut self.counters);
        let result = self.loop_apart(turns, &init, env, cx);
        self.counters = counters;
        result
    }

    fn loop_in_step(
        &mut self,
        turns: &Turns<'_>,
        counted: Option<(ValueId, Atom)>,
        init: &Rep,
        env: &Env,
        cx: &Context,
    ) -> Result<Rep> {
        let scope = Scope::default();
        let form = self.form_of(Atom::Var(turns.state), cx);
        let mut first = self.border(init, &form, cx, &scope)?;
        let any = self.any_point(cx);
        let counted = counted.map(|(index, count)| {
            let turns = self.scalar_value("turns", ScalarType::I64);
            self.push(vec![turns], flat::Expr::Select(any, count, Atom::int(0)));
            if self.is_host_known(any) && self.is_host_known(count) {
                self.fun.host_known.insert(turns);
            }
            (index, Atom::Var(turns))
        });
        let (mut slots, rep) = self.fresh_border(&form, cx);
        let i = self.counter();
        let mut env = env.clone();
        env.insert(turns.state, rep);
        env.extend(counted.map(|(index, _)| (index, Rep::Scalar(Ix::Atom(i.into()), ScalarType::I64))));
        slots.insert(0, i);
        first.insert(0, Atom::int(0));
        let saved = self.fun.offsets.clone();
        let cond = self.body(|s| {
            Ok(vec![match (turns.form, counted) {
                (_, Some((_, count))) => s.binary("go", BinOp::Lt, i.into(), count),
                (LoopForm::While(cond), None) => {
                    let Rep::Scalar(go, ty) = s.lifted_body(cond, &mut env.clone(), cx)? else {
                        unreachable!("a condition is a scalar")
                    };
                    let go = s.at_any(&go, ty, cx, &scope)?;
                    s.binary("go", BinOp::And, any, go)
                }
                (LoopForm::For { .. }, None) => unreachable!("a counted loop has a count"),
            }])
        })?;
        self.fun.offsets = saved.clone();
        let body = self.body(|s| {
            let next = s.lifted_body(turns.body, &mut env, cx)?;
            let mut leaves = vec![s.binary("next", BinOp::Add, i.into(), Atom::int(1))];
            leaves.extend(s.border(&next, &form, cx, &scope)?);
            Ok(leaves)
        })?;
        self.fun.offsets = saved;
        let (mut binds, result) = self.fresh_border(&form, cx);
        binds.insert(0, self.scalar_value("i", ScalarType::I64));
        let state = slots.into_iter().zip(first).collect();
        self.push(binds, flat::Expr::Loop { state, cond, body });
        Ok(result)
    }

    /// An integer of the host that a loop holds.
    fn counter(&mut self) -> ValueId {
        let i = self.scalar_value("i", ScalarType::I64);
        self.fun.host_known.insert(i);
        i
    }

    fn loop_apart(&mut self, turns: &Turns<'_>, init: &Rep, env: &Env, cx: &Context) -> Result<Rep> {
        let scope = Scope::default();
        let n = cx.total();
        let mut outside = Vec::new();
        for value in turns.mentioned() {
            if let Some(rep) = env.get(&value).filter(|rep| !is_uniform(rep)).cloned() {
                let form = self.form_of(Atom::Var(value), cx).unpacked();
                let leaves = self.border(&rep, &form, cx, &scope)?;
                outside.push(Outside { value, form, leaves });
            }
        }
        let ids = self.column(cx, &cx.position(), ScalarType::I64, "ids")?;
        // Points that stop at different turns have nothing in common but lengths.
        let form = self.form_of(Atom::Var(turns.state), cx).as_element().unpacked();
        let mut first = vec![Atom::int(0), n, ids.into()];
        first.extend(self.border(init, &form, cx, &scope)?);
        let store = self.first_store(&form, n)?;
        first.extend(store.leaves());

        let held = self.fresh_held(&form, n);
        let mut slots = vec![self.counter()];
        slots.extend(&held.binds);
        let counter = slots[0];
        let saved = self.fun.offsets.clone();
        let cond = self.body(|s| Ok(vec![s.binary("any", BinOp::Lt, Atom::int(0), held.k.into())]))?;
        let body = self.body(|s| {
            let mut leaves = vec![s.binary("next", BinOp::Add, counter.into(), Atom::int(1))];
            leaves.extend(s.turn(turns, &outside, counter, &held, &form, env, n)?);
            Ok(leaves)
        })?;
        self.fun.offsets = saved;
        let last = self.fresh_held(&form, n);
        let mut binds = vec![self.scalar_value("i", ScalarType::I64)];
        binds.extend(&last.binds);
        let state = slots.into_iter().zip(first).collect();
        self.push(binds, flat::Expr::Loop { state, cond, body });
        let result = self.stored_at(&form, &last.store, &cx.position());
        let form = self.form_of(Atom::Var(turns.value), cx);
        self.with_one_length(result, &form, cx)
    }

    /// Rows that are known to be equally long have one length.
    fn with_one_length(&mut self, rep: Rep, form: &Form, cx: &Context) -> Result<Rep> {
        Ok(match (rep, form) {
            (Rep::Array(mut arr), Form::Array(how, _)) if how.is_regular() => {
                arr.len = Ix::Atom(self.at_any(&arr.len, ScalarType::I64, cx, &Scope::default())?);
                Rep::Array(arr)
            }
            (Rep::Tuple(parts), Form::Tuple(forms)) => {
                let parts = parts.into_iter().zip(forms).map(|(p, f)| self.with_one_length(p, f, cx));
                Rep::Tuple(parts.collect::<Result<_>>()?)
            }
            (rep, _) => rep,
        })
    }

    /// The points that a loop holds, as fresh values.
    fn fresh_held(&mut self, form: &Form, n: Atom) -> Held {
        let k = self.scalar_value("k", ScalarType::I64);
        self.fun.host_known.insert(k);
        let ids = self.column_value("ids", ScalarType::I64, size_of(k.into()));
        let (live, rep) = self.fresh_border(form, &Self::line(k.into()));
        let store: Vec<ValueId> = self.fresh_store(form, n);
        let mut binds = vec![k, ids];
        binds.extend(live);
        binds.extend(&store);
        Held { k, ids, rep, binds, store: store.into_iter().map(Atom::Var).collect() }
    }

    /// The surroundings, seen from the points that a loop holds.
    fn inside(&self, outside: &[Outside], env: &Env, ids: ValueId, sub: &Context) -> Env {
        let mut env = env.clone();
        let at = Ix::read(ids, Ix::Position(0));
        for o in outside {
            env.insert(o.value, self.rep_at(&o.form, &o.leaves, sub, &at));
        }
        env
    }

    /// One turn: what is held after it.
    #[allow(clippy::too_many_arguments)]
    fn turn(
        &mut self,
        turns: &Turns<'_>,
        outside: &[Outside],
        counter: ValueId,
        held: &Held,
        form: &Form,
        env: &Env,
        n: Atom,
    ) -> Result<Vec<Atom>> {
        let scope = Scope::default();
        let sub = Self::line(held.k.into());
        let mut inner = self.inside(outside, env, held.ids, &sub);
        inner.insert(turns.state, held.rep.clone());
        let go = match turns.form {
            LoopForm::While(cond) => match self.lifted_body(cond, &mut inner, &sub)? {
                Rep::Scalar(ix, _) => ix,
                _ => unreachable!("a condition is a scalar"),
            },
            LoopForm::For { count, .. } => {
                let count = match self.rep(*count, &inner) {
                    Rep::Scalar(ix, _) => ix,
                    _ => unreachable!("a count is a scalar"),
                };
                Ix::Binary(BinOp::Lt, Box::new(Ix::Atom(counter.into())), Box::new(count))
            }
        };
        let go = self.column(&sub, &go, ScalarType::Bool, "go")?;
        let done = self.number_done(go, &sub)?;
        let some = self.binary("some", BinOp::Lt, Atom::int(0), done);

        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let left = s.binary("left", BinOp::Sub, held.k.into(), done);
            s.fun.host_known.extend(left.var());
            let store = s.finish_points(go, done, held, form)?;
            let (ids, rep) = s.packed_points(go, true, left, held)?;
            let mut leaves = vec![left, ids.into()];
            leaves.extend(s.border(&rep, form, &Self::line(left), &scope)?);
            leaves.extend(store);
            Ok(leaves)
        })?;
        self.fun.offsets = saved;
        let otherwise = flat::Body { stmts: Vec::new(), results: held.binds.iter().map(|v| Atom::Var(*v)).collect() };
        let now = self.fresh_held(form, n);
        self.push(now.binds.clone(), flat::Expr::If { cond: some, then, otherwise });

        let sub = Self::line(now.k.into());
        let any = self.binary("any", BinOp::Lt, Atom::int(0), now.k.into());
        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let mut inner = s.inside(outside, env, now.ids, &sub);
            inner.insert(turns.state, now.rep.clone());
            if let LoopForm::For { index, .. } = turns.form {
                inner.insert(*index, Rep::Scalar(Ix::Atom(counter.into()), ScalarType::I64));
            }
            let next = s.lifted_body(turns.body, &mut inner, &sub)?;
            s.border(&next, form, &sub, &scope)
        })?;
        self.fun.offsets = saved;
        let otherwise = self.body(|s| {
            let (like, _) = s.fresh_border(form, &sub);
            Ok(like.iter().map(|v| s.nothing(*v)).collect())
        })?;
        let (next, _) = self.fresh_border(form, &sub);
        self.push(next.clone(), flat::Expr::If { cond: any, then, otherwise });
        let mut leaves = vec![Atom::Var(now.k), Atom::Var(now.ids)];
        leaves.extend(next.into_iter().map(Atom::Var));
        leaves.extend(now.store);
        Ok(leaves)
    }

    /// At how many points the loop is over.
    fn number_done(&mut self, go: ValueId, sub: &Context) -> Result<Atom> {
        let done = self.scalar_value("done", ScalarType::I64);
        let operator = self.operator(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false };
        let at = Ix::read(go, Ix::Position(0));
        self.op(&Scope::default(), sub, vec![done], kind, |s, scope| {
            let go = s.ix(&at, scope);
            let over = s.let_scalar("over", ScalarType::Bool, flat::Expr::Unary(UnOp::Not, go));
            Ok(vec![s.let_scalar("one", ScalarType::I64, flat::Expr::Convert(ScalarType::I64, over))])
        })?;
        self.set_bound(done, Some(size_of(sub.total())));
        Ok(done.into())
    }

    /// The points where `go` is `when`, of which there are `count`: their numbers and their state.
    fn packed_points(&mut self, go: ValueId, when: bool, count: Atom, held: &Held) -> Result<(ValueId, Rep)> {
        let sub = Self::line(held.k.into());
        let here = Ix::Position(0);
        let ids = Rep::Scalar(Ix::read(held.ids, here.clone()), ScalarType::I64);
        let all = Rep::Tuple(vec![ids, held.rep.clone()]);
        let at = Ix::read(go, here.clone());
        let (_, _, elem) = self.pack(&Scope::default(), &sub, &all, "x", |s, scope| {
            let go = s.ix(&at, scope);
            Ok(if when { go } else { s.let_scalar("over", ScalarType::Bool, flat::Expr::Unary(UnOp::Not, go)) })
        })?;
        self.set_lengths(&elem, count);
        let Elem::Tuple(parts) = &elem else { unreachable!("packed a tuple") };
        let Elem::Scalar(ids, _) = parts[0] else { unreachable!("numbers of points are scalars") };
        Ok((ids, with_lengths(self.element(&parts[1], &here, None), &held.rep)))
    }

    /// The host knows how many were packed.
    fn set_lengths(&mut self, elem: &Elem, count: Atom) {
        let set = |s: &mut Self, column: ValueId| {
            if let Type::Column { length, .. } = &mut s.fun.values[column].ty {
                *length = size_of(count);
            }
        };
        match elem {
            Elem::Scalar(column, _) => set(self, *column),
            Elem::Tuple(parts) => parts.iter().for_each(|p| self.set_lengths(p, count)),
            Elem::Row { inner: Inner::Views { start, len }, .. } => {
                set(self, *start);
                set(self, *len);
            }
            Elem::Row { inner: Inner::Rows { start, .. }, .. } => set(self, *start),
            Elem::Row { .. } | Elem::Zip(_) => unreachable!("packed rows are views"),
        }
    }

    /// Where the loop is over: the state becomes the result.
    fn finish_points(&mut self, go: ValueId, done: Atom, held: &Held, form: &Form) -> Result<Vec<Atom>> {
        let (ids, rep) = self.packed_points(go, false, done, held)?;
        let line = Self::line(done);
        let elem = self.merge(&line, &Scope::default(), &[(None, rep)], "done")?;
        let store = self.store_of(form, &held.store);
        let store = self.put(&store, &elem, &line, &Ix::read(ids, Ix::Position(0)))?;
        Ok(store.leaves())
    }
}

/// What a loop holds between two turns.
struct Held {
    /// How many points still run.
    k: ValueId,
    /// Which.
    ids: ValueId,
    /// Their state.
    rep: Rep,
    /// All values, the stored results last.
    binds: Vec<ValueId>,
    store: Vec<Atom>,
}

/// Rows picked from rows that are equally long.
fn with_lengths(new: Rep, old: &Rep) -> Rep {
    match (new, old) {
        (Rep::Array(mut arr), Rep::Array(of)) => {
            if of.len.uniform().is_some() {
                arr.len = of.len.clone();
            }
            Rep::Array(arr)
        }
        (Rep::Tuple(parts), Rep::Tuple(of)) => {
            Rep::Tuple(parts.into_iter().zip(of).map(|(p, o)| with_lengths(p, o)).collect())
        }
        (new, _) => new,
    }
}
