//! Calls that one thread makes by itself, beside the wave.
//!
//! A call of a recursive function at many points is a wave (`calls.rs`): one call for all points. Where there are enough points, each can be
//! left to a thread, which runs the whole recursion of its point with memory of its own. Both are made, and a guard chooses:
//!
//! ```text
//! [quicksort(row) for row in rows]
//!
//! let alone = guard "sort_rows.call1.outer" rows_len                     … and no row much longer than the others, and memory
//! let … = if alone {
//!   let count : i64[n], held : i64[n] = map grid [n] (i | q) {
//!     let n, h = keep quicksort^alone(off[q], …, rows)                  a thread runs all of it; what it gives is kept
//!     => n, h
//!   }
//!   let off = scan grid [n] … count …                                    now it is known how long each row is
//!   let out = map grid [n] rows off (i | q) { let row = take held[q]  => row }
//! } else { call quicksort^(…) }
//! ```
//!
//! The function that a thread runs is a version of its own (`quicksort^alone`): it takes arrays as parts of their bases and gives whole ones, and its own
//! calls at many points are calls of threads again, so that a recursion goes down depth first. `choose_versions` keeps the guard, or one of the two, by
//! strategy and device; GPUs have no memory for arrays of any length within a thread.
//!
//! Declined: functions that give rows of rows, or that call one which does.

use super::build::{Scope, size_of};
use super::form::{Form, How};
use super::labels::Pattern;
use super::rep::{Arr, Context, Elem, Ix, Rep};
use super::{Env, Flattener, Result};
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::core::visit::walk;
use terrace_ir::core::{Expr, StmtKind, Type};
use terrace_ir::flat::{self, Descriptor, OpKind, Threshold};
use terrace_ir::{Atom, FuncId, ValueId};

/// What is planned for each element that a call is given, for each point, and in any case. Where there is less memory, waves are split until they fit.
const BYTES_PER_ELEMENT: i64 = 48;
const BYTES_PER_POINT: i64 = 256;
const LEAST_BYTES: i64 = 4 << 20;

/// The form of what a thread's function gives.
pub(super) fn whole_form(ty: &Type) -> Form {
    match ty {
        Type::Scalar(s) => Form::Same(*s),
        Type::Tuple(ts) => Form::Tuple(ts.iter().map(whole_form).collect()),
        Type::Array(a) => Form::Array(How::Whole, Box::new(Form::per_point(&a.elem))),
        Type::Sum(_) => unreachable!("enums were spelled out"),
    }
}

/// Whether a thread can run a function: it and all that it calls give scalars and arrays of scalars.
pub(super) fn runs_alone(program: &terrace_ir::core::Program, function: FuncId) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([function]), vec![function]);
    while let Some(next) = open.pop() {
        let next = &program.functions[next];
        if !is_plain(&next.result) {
            return false;
        }
        walk(&next.body, &mut |s| {
            if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &s.kind
                && seen.insert(*function)
            {
                open.push(*function);
            }
        });
    }
    true
}

fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Tuple(ts) => ts.iter().all(is_plain),
        Type::Array(a) => a.elem.is_flat(),
        Type::Sum(_) => false,
    }
}

/// An argument, made ready by the host: what is left are recipes for a point.
enum Ready {
    Scalar(Ix),
    Tuple(Vec<Ready>),
    /// The part of the base, and the base.
    Array(Box<Arr>, Vec<Atom>),
}

impl Flattener<'_> {
    /// The call at every point of `cx`, by a thread each.
    pub(super) fn kept_call(&mut self, function: FuncId, args: &[Atom], env: &Env, cx: &Context) -> Result<Rep> {
        let pattern = Pattern::alone(self.core, function);
        let mut ready = Vec::new();
        for (arg, form) in args.iter().zip(&pattern.params) {
            let rep = self.rep(*arg, env);
            ready.push(self.ready(&rep, form, cx)?);
        }
        let id = self.version(function, &pattern);
        let form = whole_form(&self.core.functions[function].result);
        let mut types = Vec::new();
        kept_types(&form, &mut types);
        let points = size_of(cx.total());
        let binds: Vec<ValueId> = types.iter().map(|(name, ty)| self.column_value(name, *ty, points.clone())).collect();
        let columns = binds.clone();
        self.op(&Scope::default(), cx, binds, OpKind::Map { rows: None }, |s, scope| {
            let mut args = Vec::new();
            ready.iter().for_each(|r| s.ready_leaves(r, scope, &mut args));
            let kept: Vec<ValueId> = types.iter().map(|(name, ty)| s.scalar_value(name, *ty)).collect();
            s.push(kept.clone(), flat::Expr::Keep { function: id, args });
            Ok(kept.into_iter().map(Atom::Var).collect())
        })?;
        self.taken(&form, &mut columns.into_iter(), cx)
    }

    fn ready(&mut self, rep: &Rep, form: &Form, cx: &Context) -> Result<Ready> {
        Ok(match (rep, form) {
            (Rep::Scalar(ix, _), _) => Ready::Scalar(ix.clone()),
            (Rep::Tuple(parts), Form::Tuple(forms)) => {
                let parts = parts.iter().zip(forms).map(|(p, f)| self.ready(p, f, cx));
                Ready::Tuple(parts.collect::<Result<_>>()?)
            }
            (Rep::Array(arr), Form::Array(_, elem)) => {
                let arr = self.unzipped(cx, arr, "x")?;
                let mut base = Vec::new();
                self.base_leaves(&arr.elem, elem, arr.count, &mut base)?;
                Ready::Array(Box::new(arr), base)
            }
            _ => unreachable!("a form fits the type"),
        })
    }

    fn ready_leaves(&mut self, ready: &Ready, scope: &Scope, out: &mut Vec<Atom>) {
        match ready {
            Ready::Scalar(ix) => out.push(self.ix(ix, scope)),
            Ready::Tuple(parts) => parts.iter().for_each(|p| self.ready_leaves(p, scope, out)),
            Ready::Array(arr, base) => {
                out.extend([self.ix(&arr.start, scope), self.ix(&arr.len, scope), arr.count]);
                out.extend(base);
            }
        }
    }

    /// What was kept at every point, in columns of this function.
    fn taken(&mut self, form: &Form, kept: &mut dyn Iterator<Item = ValueId>, cx: &Context) -> Result<Rep> {
        let mut next = || kept.next().expect("one column per leaf");
        Ok(match form {
            Form::Same(s) | Form::Each(s) => Rep::Scalar(Ix::read(next(), cx.position()), *s),
            Form::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.taken(p, kept, cx));
                Rep::Tuple(parts.collect::<Result<_>>()?)
            }
            Form::Array(_, elem) => {
                let len = Ix::read(next(), cx.position());
                let mut scalars = Vec::new();
                elem_types(elem, &mut scalars);
                let held: Vec<ValueId> = scalars.iter().map(|_| next()).collect();
                let (off, total) = self.offsets(cx, &len, None)?;
                let columns: Vec<ValueId> =
                    scalars.iter().map(|ty| self.column_value("row", *ty, size_of(total))).collect();
                let position = cx.position();
                self.op(&Scope::default(), cx, columns.clone(), OpKind::Map { rows: Some(off) }, |s, scope| {
                    let length = size_of(s.ix(&len, scope));
                    let mut rows = Vec::new();
                    for (held, ty) in held.iter().zip(&scalars) {
                        let handle = s.ix(&Ix::read(*held, position.clone()), scope);
                        let row = s.column_value("row", *ty, length.clone());
                        s.push(vec![row], flat::Expr::Take(handle));
                        rows.push(Atom::Var(row));
                    }
                    Ok(rows)
                })?;
                let mut inner = cx.clone();
                inner.space.push(Descriptor::Irregular { off, start: None });
                inner.totals.push(total);
                let elem = elem_from(elem, &mut columns.into_iter());
                Rep::Array(self.collected(cx, &inner, elem))
            }
        })
    }

    /// Whether the points of `cx` are left to a thread each: there are enough, and none has much more than the others.
    pub(super) fn alone_guard(&mut self, args: &[Atom], env: &Env, cx: &Context) -> Result<Atom> {
        self.calls += 1;
        let name = format!("{}.call{}", self.core.functions[self.source].name, self.calls);
        let many = self.guard(format!("{name}.outer"), "points of a recursive call", cx.total());
        let mut len: Option<Ix> = None;
        for arg in args {
            own_lengths(&self.rep(*arg, env), &mut len);
        }
        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let (mut whole, mut balanced) = (Atom::int(0), Atom::Const(Scalar::Bool(true)));
            if let Some(len) = len {
                let lens = s.column(cx, &len, ScalarType::I64, "len")?;
                whole = s.over_points(BinOp::Add, lens, cx)?;
                let longest = s.over_points(BinOp::Max, lens, cx)?;
                let longest = s.binary("longest", BinOp::Max, longest, Atom::int(1));
                let balance = s.binary("balance", BinOp::Div, whole, longest);
                let about = "elements of a recursive call divided by those of its largest point";
                balanced = s.guard(format!("{name}.balanced"), about, balance);
            }
            let [element, point, least] = [BYTES_PER_ELEMENT, BYTES_PER_POINT, LEAST_BYTES].map(Size::constant);
            let planned = size_of(whole) * element + size_of(cx.total()) * point + least;
            let planned = s.let_scalar("planned", ScalarType::I64, flat::Expr::Size(planned));
            let limit = s.let_scalar("limit", ScalarType::I64, flat::Expr::MemoryLimit);
            let fits = s.binary("fits", BinOp::Le, planned, limit);
            Ok(vec![s.binary("fine", BinOp::And, balanced, fits)])
        })?;
        self.fun.offsets = saved;
        let otherwise = flat::Body { stmts: Vec::new(), results: vec![Atom::Const(Scalar::Bool(false))] };
        Ok(self.let_scalar("alone", ScalarType::Bool, flat::Expr::If { cond: many, then, otherwise }))
    }

    /// The elements of a column over the points of `cx`, combined.
    fn over_points(&mut self, op: BinOp, column: ValueId, cx: &Context) -> Result<Atom> {
        let (sum, operator) = (self.scalar_value("whole", ScalarType::I64), self.operator(op, ScalarType::I64));
        let kind = OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false };
        self.op(&Scope::default(), &Self::line(cx.total()), vec![sum], kind, |s, scope| {
            Ok(vec![s.ix(&Ix::read(column, Ix::Position(0)), scope)])
        })?;
        Ok(Atom::Var(sum))
    }

    fn guard(&mut self, name: String, about: &str, quantity: Atom) -> Atom {
        // What it is compared with is said where versions are chosen.
        let threshold = Threshold { name, about: about.to_string(), value: Threshold::NEVER };
        let threshold = self.thresholds.push(threshold);
        self.let_scalar("many", ScalarType::Bool, flat::Expr::Guard { threshold, quantity })
    }
}

/// The sum of the lengths of arrays that differ from point to point.
fn own_lengths(rep: &Rep, out: &mut Option<Ix>) {
    match rep {
        Rep::Scalar(..) => {}
        Rep::Tuple(parts) => parts.iter().for_each(|p| own_lengths(p, out)),
        Rep::Array(arr) if arr.len.uniform().is_some() => {}
        Rep::Array(arr) => {
            *out = Some(match out.take() {
                Some(len) => len.add(arr.len.clone()),
                None => arr.len.clone(),
            });
        }
    }
}

/// What stands for each leaf of a value that is kept.
fn kept_types(form: &Form, out: &mut Vec<(&'static str, ScalarType)>) {
    match form {
        Form::Same(s) | Form::Each(s) => out.push(("x", *s)),
        Form::Tuple(parts) => parts.iter().for_each(|p| kept_types(p, out)),
        Form::Array(_, elem) => {
            out.push(("count", ScalarType::I64));
            let mut scalars = Vec::new();
            elem_types(elem, &mut scalars);
            out.extend(scalars.iter().map(|_| ("held", ScalarType::I64)));
        }
    }
}

fn elem_types(form: &Form, out: &mut Vec<ScalarType>) {
    match form {
        Form::Same(s) | Form::Each(s) => out.push(*s),
        Form::Tuple(parts) => parts.iter().for_each(|p| elem_types(p, out)),
        Form::Array(..) => unreachable!("rows of rows were declined"),
    }
}

fn elem_from(form: &Form, columns: &mut dyn Iterator<Item = ValueId>) -> Elem {
    match form {
        Form::Same(s) | Form::Each(s) => Elem::Scalar(columns.next().expect("one column per scalar"), *s),
        Form::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| elem_from(p, columns)).collect()),
        Form::Array(..) => unreachable!("rows of rows were declined"),
    }
}
