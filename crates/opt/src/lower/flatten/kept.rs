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
//! strategy and device; GPUs have no memory for arrays of any length within a thread. The body of a map with a loop that the host would repeat is such a function,
//! too (`lone_points.rs`).
//!
//! Declined: recursive functions that give rows of rows, or that call one which does. The body of a map may give rows of rows that are equally long.

use super::build::{Scope, size_of};
use super::form::{Form, How};
use super::labels::Pattern;
use super::lifted::is_uniform;
use super::lone_points::LonePoint;
use super::private::{holds_scalars, in_rows};
use super::rep::{Arr, Context, Elem, Ix, Rep};
use super::{Env, Flattener, Result};
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::core::visit::walk;
use terrace_ir::core::{Expr, Function, Lambda, Program, StmtKind, Type};
use terrace_ir::flat::{self, Descriptor, OpKind, Rows, Threshold};
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

/// The form of what a thread gives that runs the body of a map, from the labels of its function and of the map: rows within rows must be equally long
/// at all points.
fn kept_form(own: &Form, all: &Form) -> Option<Form> {
    fn elements(own: &Form, all: &Form) -> Option<Form> {
        match (own, all) {
            (Form::Array(own, a), Form::Array(all, b)) if own.is_regular() && all.is_regular() => {
                Some(Form::Array(How::Packed, Box::new(elements(a, b)?)))
            }
            (own, _) => own.is_flat().then(|| own.as_element()),
        }
    }
    Some(match (own, all) {
        (Form::Tuple(own), Form::Tuple(all)) => {
            Form::Tuple(own.iter().zip(all).map(|(a, b)| kept_form(a, b)).collect::<Option<_>>()?)
        }
        (Form::Array(_, own), Form::Array(_, all)) => Form::Array(How::Whole, Box::new(elements(own, all)?)),
        (own, _) => own.clone().of_one(),
    })
}

/// Whether a thread can run a function: it and all that it calls give scalars and arrays of scalars.
pub(super) fn runs_alone(program: &Program, function: &Function) -> bool {
    is_plain(&function.result) && calls_alone(program, function)
}

/// Whether a thread can run what a function calls.
pub(super) fn calls_alone(program: &Program, function: &Function) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![function]);
    while let Some(next) = open.pop() {
        walk(&next.body, &mut |s| {
            if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &s.kind
                && seen.insert(*function)
            {
                open.push(&program.functions[*function]);
            }
        });
    }
    seen.iter().all(|f| is_plain(&program.functions[*f].result))
}

fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => true,
        Type::Tuple(ts) => ts.iter().all(is_plain),
        Type::Array(a) => a.elem.is_flat(),
        Type::Sum(_) => false,
    }
}

/// What a thread may do by itself at each point.
pub(super) struct Lone<'a> {
    pub(super) function: FuncId,
    /// In which the thread calls it.
    pub(super) pattern: &'a Pattern,
    pub(super) args: &'a [Atom],
    pub(super) what: Work,
}

/// What is otherwise done for all points together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A recursive call, in waves.
    Call,
    /// The body of a map with a loop that the host repeats.
    Loop,
}

/// An argument, made ready by the host: what is left are recipes for a point.
enum Ready {
    Scalar(Ix),
    Tuple(Vec<Ready>),
    /// The part of the base, and the base.
    Array(Box<Arr>, Vec<Atom>),
}

impl Flattener<'_> {
    /// The call at every point of `cx`, by a thread each; what it gives is wanted in this form.
    pub(super) fn kept_call(&mut self, lone: &Lone<'_>, wanted: &Form, env: &Env, cx: &Context) -> Result<Rep> {
        let mut ready = Vec::new();
        for (arg, form) in lone.args.iter().zip(&lone.pattern.params) {
            let rep = self.rep(*arg, env);
            ready.push(self.ready(&rep, form, cx)?);
        }
        let id = self.version(lone.function, lone.pattern);
        let form = self.result_form(lone.function, lone.pattern);
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
        self.taken(&form, wanted, &mut columns.into_iter(), cx)
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

    /// What was kept at every point, in columns of this function. Arrays that are wanted equally long lie one after the other.
    fn taken(
        &mut self,
        form: &Form,
        wanted: &Form,
        kept: &mut dyn Iterator<Item = ValueId>,
        cx: &Context,
    ) -> Result<Rep> {
        let mut next = || kept.next().expect("one column per leaf");
        Ok(match (form, wanted) {
            (Form::Same(s) | Form::Each(s), _) => Rep::Scalar(Ix::read(next(), cx.position()), *s),
            (Form::Tuple(parts), Form::Tuple(wanted)) => {
                let parts = parts.iter().zip(wanted).map(|(p, w)| self.taken(p, w, kept, cx));
                Rep::Tuple(parts.collect::<Result<_>>()?)
            }
            (Form::Array(_, elem), Form::Array(how, _)) => {
                let own = |column| Ix::read(column, cx.position());
                let (len, mut all) = (own(next()), None);
                let (mut elem, mut within) = (elem, Vec::new());
                while let Form::Array(_, below) = &**elem {
                    within.push(own(next()));
                    all = Some(own(next()));
                    elem = below;
                }
                let mut scalars = Vec::new();
                elem_types(elem, &mut scalars);
                let held: Vec<ValueId> = scalars.iter().map(|_| next()).collect();

                let any = |s: &mut Self, ix: &Ix| s.at_any(ix, ScalarType::I64, cx, &Scope::default());
                let within = within.iter().map(|len| any(self, len)).collect::<Result<Vec<Atom>>>()?;
                let mut inner = cx.clone();
                let off = if how.is_regular() && self.options.regularity {
                    let len = any(self, &len)?;
                    inner.totals.push(self.host_product(cx.total(), len));
                    inner.space.push(Descriptor::Regular(len));
                    let by = within.iter().fold(len, |by, len| self.host_product(by, *len));
                    let ends = self.ix(&Ix::Atom(cx.total()).add(Ix::int(1)), &Scope::default());
                    let starts = Ix::Position(0).mul(Ix::Atom(by));
                    self.column(&Self::line(ends), &starts, ScalarType::I64, "start")?
                } else {
                    let (off, total) = self.offsets(cx, &len, None)?;
                    inner.totals.push(total);
                    inner.space.push(Descriptor::Irregular { off, start: None });
                    match &all {
                        Some(all) => self.offsets(cx, all, None)?.0,
                        None => off,
                    }
                };
                let all = all.unwrap_or(len);
                let mut totals = vec![inner.total()];
                for len in &within {
                    totals.push(self.host_product(totals[totals.len() - 1], *len));
                }
                let length = size_of(totals[totals.len() - 1]);
                let columns: Vec<ValueId> =
                    scalars.iter().map(|ty| self.column_value("row", *ty, length.clone())).collect();
                self.op(
                    &Scope::default(),
                    cx,
                    columns.clone(),
                    OpKind::Map { rows: Some(Rows::From(off)) },
                    |s, scope| {
                        let length = size_of(s.ix(&all, scope));
                        let mut rows = Vec::new();
                        for (held, ty) in held.iter().zip(&scalars) {
                            let handle = s.ix(&Ix::read(*held, cx.position()), scope);
                            let row = s.column_value("row", *ty, length.clone());
                            s.push(vec![row], flat::Expr::Take(handle));
                            rows.push(Atom::Var(row));
                        }
                        Ok(rows)
                    },
                )?;
                let elem = in_rows(elem_from(elem, &mut columns.into_iter()), &within, &totals[1..]);
                Rep::Array(self.collected(cx, &inner, elem))
            }
            _ => unreachable!("a form fits the type"),
        })
    }

    /// What threads give, one per point of `cx`, or what all points together give, as the guard says.
    pub(super) fn alone_or(
        &mut self,
        lone: Lone<'_>,
        form: &Form,
        env: &Env,
        cx: &Context,
        together: impl FnOnce(&mut Self) -> Result<Rep>,
    ) -> Result<Rep> {
        let alone = self.alone_guard(&lone, env, cx)?;
        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let rep = s.kept_call(&lone, form, env, cx)?;
            s.border(&rep, form, cx, &Scope::default())
        })?;
        self.fun.offsets = saved.clone();
        let otherwise = self.body(|s| {
            let rep = together(s)?;
            s.border(&rep, form, cx, &Scope::default())
        })?;
        self.fun.offsets = saved;
        let (binds, rep) = self.fresh_border(form, cx);
        self.push(binds, flat::Expr::If { cond: alone, then, otherwise });
        Ok(rep)
    }

    /// Whether the points of `cx` are left to a thread each: there are enough, none has much more than the others, and each is worth a thread's while.
    fn alone_guard(&mut self, lone: &Lone<'_>, env: &Env, cx: &Context) -> Result<Atom> {
        self.lone += 1;
        let (short, long) = match lone.what {
            Work::Call => ("call", "recursive call"),
            Work::Loop => ("loop", "loop"),
        };
        let name = format!("{}.{short}{}", self.core.functions[self.source].name, self.lone);
        let many = self.guard(format!("{name}.outer"), format!("points of a {long}"), cx.total());
        let (mut len, mut even, mut deep) = (None, Vec::new(), false);
        for arg in lone.args {
            let rep = self.rep(*arg, env);
            own_lengths(&rep, &mut len, &mut even);
            deep |= has_rows(&rep);
        }
        let saved = self.fun.offsets.clone();
        let then = self.body(|s| {
            let (mut whole, mut fine) = (Atom::int(0), Atom::Const(Scalar::Bool(true)));
            if let Some(len) = &len {
                let lens = s.column(cx, len, ScalarType::I64, "len")?;
                whole = s.over_points(BinOp::Add, lens, cx)?;
                let longest = s.over_points(BinOp::Max, lens, cx)?;
                let longest = s.binary("longest", BinOp::Max, longest, Atom::int(1));
                let balance = s.binary("balance", BinOp::Div, whole, longest);
                let about = format!("elements of a {long} divided by those of its largest point");
                fine = s.guard(format!("{name}.balanced"), about, balance);
            }
            if lone.what == Work::Loop && !deep && !(len.is_none() && even.is_empty()) {
                let points = s.binary("points", BinOp::Max, cx.total(), Atom::int(1));
                let mean = s.binary("mean", BinOp::Div, whole, points);
                let elements = even.iter().fold(mean, |sum, len| s.binary("elements", BinOp::Add, sum, *len));
                let worth =
                    s.guard(format!("{name}.long"), format!("elements that a point of a {long} is given"), elements);
                fine = s.binary("worth", BinOp::And, fine, worth);
            }
            let [element, point, least] = [BYTES_PER_ELEMENT, BYTES_PER_POINT, LEAST_BYTES].map(Size::constant);
            let planned = size_of(whole) * element + size_of(cx.total()) * point + least;
            let planned = s.let_scalar("planned", ScalarType::I64, flat::Expr::Size(planned));
            let limit = s.let_scalar("limit", ScalarType::I64, flat::Expr::MemoryLimit);
            let fits = s.binary("fits", BinOp::Le, planned, limit);
            Ok(vec![s.binary("fine", BinOp::And, fine, fits)])
        })?;
        self.fun.offsets = saved;
        let otherwise = flat::Body { stmts: Vec::new(), results: vec![Atom::Const(Scalar::Bool(false))] };
        Ok(self.let_scalar("alone", ScalarType::Bool, flat::Expr::If { cond: many, then, otherwise }))
    }

    /// The body of a map at every point of `cx`, whose elements `env` has.
    pub(super) fn point_body(&mut self, lambda: &Lambda, env: &mut Env, cx: &Context) -> Result<Rep> {
        let point = self.points.get(self.source, lambda).filter(|_| !self.pattern.alone);
        let Some(LonePoint { function, given }) = point else { return self.lifted_body(&lambda.body, env, cx) };
        let args: Vec<Atom> = given.iter().map(|v| Atom::Var(*v)).collect();
        let forms = args.iter().map(|a| self.form_of(*a, cx));
        let pattern = Pattern::of_point(forms);
        let form = self.form_of(lambda.body.result, cx);
        let own = self.labels.of(*function, &pattern).and_then(|l| l.result.clone());
        let Some(kept) = own.and_then(|own| kept_form(&own, &form)) else {
            return self.lifted_body(&lambda.body, env, cx);
        };
        self.kept_forms.insert((*function, pattern.clone()), kept);
        let lone = Lone { function: *function, pattern: &pattern, args: &args, what: Work::Loop };
        let mut inside = env.clone();
        self.alone_or(lone, &form, env, cx, |s| s.lifted_body(&lambda.body, &mut inside, cx))
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

    fn guard(&mut self, name: String, about: String, quantity: Atom) -> Atom {
        // What it is compared with is said where versions are chosen.
        let threshold = Threshold { name, about, value: Threshold::NEVER };
        let threshold = self.thresholds.push(threshold);
        self.let_scalar("many", ScalarType::Bool, flat::Expr::Guard { threshold, quantity })
    }
}

/// The sum of the lengths of arrays that differ in length from point to point, and the lengths of others of which each point has its own.
fn own_lengths(rep: &Rep, out: &mut Option<Ix>, even: &mut Vec<Atom>) {
    match rep {
        Rep::Scalar(..) => {}
        Rep::Tuple(parts) => parts.iter().for_each(|p| own_lengths(p, out, even)),
        Rep::Array(arr) => match arr.len.uniform() {
            Some(_) if is_uniform(rep) => {}
            Some(len) => even.push(len),
            None => {
                *out = Some(match out.take() {
                    Some(len) => len.add(arr.len.clone()),
                    None => arr.len.clone(),
                });
            }
        },
    }
}

/// Whether there are rows of rows of which each point has its own.
fn has_rows(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(..) => false,
        Rep::Tuple(parts) => parts.iter().any(has_rows),
        Rep::Array(arr) => !is_uniform(rep) && !holds_scalars(&arr.elem),
    }
}

/// What stands for each leaf of a value that is kept.
fn kept_types(form: &Form, out: &mut Vec<(&'static str, ScalarType)>) {
    match form {
        Form::Same(s) | Form::Each(s) => out.push(("x", *s)),
        Form::Tuple(parts) => parts.iter().for_each(|p| kept_types(p, out)),
        Form::Array(_, elem) => {
            out.push(("count", ScalarType::I64));
            let mut elem = elem;
            while let Form::Array(_, below) = &**elem {
                out.extend([("len", ScalarType::I64), ("count", ScalarType::I64)]);
                elem = below;
            }
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
        Form::Array(..) => unreachable!("rows within rows were taken apart"),
    }
}

fn elem_from(form: &Form, columns: &mut dyn Iterator<Item = ValueId>) -> Elem {
    match form {
        Form::Same(s) | Form::Each(s) => Elem::Scalar(columns.next().expect("one column per scalar"), *s),
        Form::Tuple(parts) => Elem::Tuple(parts.iter().map(|p| elem_from(p, columns)).collect()),
        Form::Array(..) => unreachable!("rows within rows were taken apart"),
    }
}
