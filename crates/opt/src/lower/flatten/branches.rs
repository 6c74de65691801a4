//! Conditionals over arrays and calls, inside parallel code; and waves that are too large.
//!
//! Each branch runs only on the points that take it: they are packed into a context of their own, with what the branch
//! mentions packed along (scalars by value, arrays as views), and the results are merged in the order of the points. A branch
//! that is just a value needs no packing, unless the other one recurses: then its rows are copied first, so that the recursion
//! does not keep all of them alive.
//!
//! ```text
//! if len(xs) <= 1 then xs else …         taken : bool[k]
//!   subset of the others                 pack [k]: (start, len) of xs, where not taken; rank = scanned numbers
//!   if no point is left, nothing         a host read: how many points, how many elements
//!   the branch, on the subset            a function of its own: `quicksort^wave`
//!   merged                               row p: xs if taken, else row rank[p] of the branch's result
//! ```
//!
//! A branch that calls a recursive function is a function of its own, so that it can be called on parts: where the bytes
//! that a wave plans for exceed the limit, it calls itself on the two halves of the points and joins the results. The plan is
//! an estimate: [`BYTES_PER_ELEMENT`] for each element of the arrays that it is given,
//! [`BYTES_PER_MADE`] for each that it makes (see `planned`), [`BYTES_PER_POINT`] for each point.

use super::build::{Scope, size_of};
use super::form::Form;
use super::formulas::index_var;
use super::lifted::is_uniform;
use super::rep::{Arr, Context, Dim, Elem, Ix, Rep};
use super::{Building, Env, Flattener, Result};
use terrace_base::{BinOp, ScalarType, Span, UnOp};
use terrace_ir::core::visit::{free_values, walk};
use terrace_ir::core::{Body, Expr, StmtKind};
use terrace_ir::flat::{self, Descriptor, OpKind, Role, ScanForm};
use terrace_ir::{Atom, FuncId, ValueId};

/// What a wave plans for each element of its arrays: six copies of eight bytes.
const BYTES_PER_ELEMENT: i64 = 48;
/// What a wave plans for each element that it makes by itself: it is stored, and something is made of it.
const BYTES_PER_MADE: i64 = 16;
/// What a wave plans for each of its points.
const BYTES_PER_POINT: i64 = 128;

/// Whether a call is left in the body, at any depth.
pub(super) fn has_calls(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |s| {
        found |= matches!(&s.kind, StmtKind::Let { expr: Expr::Call { .. }, .. });
    });
    found
}

impl Flattener<'_> {
    pub(super) fn lifted_if(
        &mut self,
        cond: &Ix,
        [then, otherwise]: [&Body; 2],
        value: ValueId,
        env: &Env,
        cx: &Context,
    ) -> Result<Rep> {
        let name = &self.source().values[value].name;
        let form = self.form_of(Atom::Var(value), cx);
        let taken = self.column(cx, cond, ScalarType::Bool, "taken")?;
        let recursive = has_calls(then) || has_calls(otherwise);
        // Both subsets first: one host read then brings the sizes of both.
        let first = self.subset(then, taken, true, recursive, name, env, cx)?;
        let second = self.subset(otherwise, taken, false, recursive, name, env, cx)?;
        // What has calls comes last, so that as little as possible is held while it runs.
        let (first, second) = if has_calls(then) {
            let second = self.branch(second, name, cx)?;
            (self.branch(first, name, cx)?, second)
        } else {
            (self.branch(first, name, cx)?, self.branch(second, name, cx)?)
        };
        let here = Ix::read(taken, cx.position());
        let (first, second) = (self.with_totals(first, cx), self.with_totals(second, cx));
        let alternatives = [(Some(here), first), (None, second)];
        let elem = self.merge_as(cx, &Scope::default(), &alternatives, name, Some(&form))?;
        Ok(self.element(&elem, &cx.position(), Some(cx.depth())))
    }

    /// The points that take a branch, with what the branch mentions.
    #[allow(clippy::too_many_arguments)]
    fn subset<'b>(
        &mut self,
        body: &'b Body,
        taken: ValueId,
        when: bool,
        recursive: bool,
        name: &str,
        env: &Env,
        cx: &Context,
    ) -> Result<Subset<'b>> {
        if body.stmts.is_empty() {
            let rep = self.rep(body.result, env);
            // Beside a recursion a view would keep all rows alive while it runs: copy the few that are meant.
            if !recursive || is_uniform(&rep) || !has_arrays(&rep) {
                return Ok(Subset::Direct(rep));
            }
        }
        let rank = self.rank(taken, when, cx)?;
        let used: Vec<(ValueId, Rep)> = free_values(body)
            .into_iter()
            .filter_map(|v| env.get(&v).map(|rep| (v, rep.clone())))
            .filter(|(_, rep)| !is_uniform(rep))
            .collect();
        let mut whole = Vec::new();
        let mut packed = Vec::new();
        for (_, rep) in &used {
            let rep = self.without_zips(rep, cx)?;
            varying(&rep, &mut packed);
            whole.push(rep);
        }
        let all = Rep::Tuple(packed);
        let at = Ix::read(taken, cx.position());
        let (count, _, elem) = self.pack(&Scope::default(), cx, &all, name, |s, scope| {
            let taken = s.ix(&at, scope);
            Ok(if when { taken } else { s.let_scalar("keep", ScalarType::Bool, flat::Expr::Unary(UnOp::Not, taken)) })
        })?;
        let sub = Self::line(count);
        let Rep::Tuple(reps) = self.element(&elem, &Ix::Position(0), None) else { unreachable!("packed a tuple") };
        let mut env = env.clone();
        let mut reps = reps.into_iter();
        for ((v, _), old) in used.iter().zip(whole) {
            let new = with_varying(&old, &mut reps);
            let new = with_totals(new, &self.with_totals(old, cx));
            if recursive {
                self.measure(&new, &sub)?;
            }
            env.insert(*v, new);
        }
        Ok(Subset::Packed { body, rank, used, env, sub })
    }

    /// Computes the offsets of all arrays in a value.
    fn measure(&mut self, rep: &Rep, sub: &Context) -> Result<()> {
        match rep {
            Rep::Scalar(..) => Ok(()),
            Rep::Tuple(parts) => parts.iter().try_for_each(|p| self.measure(p, sub)),
            Rep::Array(arr) if arr.len.uniform().is_some() => Ok(()),
            Rep::Array(arr) => self.offsets(sub, &arr.len, None).map(|_| ()),
        }
    }

    /// The value of a branch, at the points that take it.
    fn branch(&mut self, subset: Subset<'_>, name: &str, cx: &Context) -> Result<Rep> {
        let (body, rank, used, mut env, sub) = match subset {
            Subset::Direct(rep) => return Ok(rep),
            Subset::Packed { body, rank, used, env, sub } => (body, rank, used, env, sub),
        };
        let shape = self.form_of(body.result, &sub);
        // Positions and indices are those of the points that were picked.
        let counters = std::mem::take(&mut self.counters);
        let leaves: Vec<Atom> = if has_calls(body) {
            self.wave(body, &shape, &used, name, &env, &sub)?
        } else {
            let mut rep = self.lifted_body(body, &mut env, &sub)?;
            if body.stmts.is_empty() {
                rep = self.copied(&rep, &sub)?;
            }
            self.border(&rep, &shape, &sub, &Scope::default())?
        };
        self.counters = counters;
        Ok(self.rep_at(&shape, &leaves, cx, &Ix::read(rank, cx.position())))
    }

    /// The same value with rows of its own.
    fn copied(&mut self, rep: &Rep, cx: &Context) -> Result<Rep> {
        Ok(match rep {
            Rep::Scalar(..) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.copied(p, cx)).collect::<Result<_>>()?),
            Rep::Array(arr) => {
                let scope = Scope::default();
                let inner = self.iterate(cx, &scope, arr)?;
                let item = self.item_in(&inner, arr, cx.depth());
                let elem = self.stored(&inner, &scope, &item, "x")?;
                Rep::Array(self.collected(cx, &inner, elem))
            }
        })
    }

    /// The same value, each of its arrays with one base.
    pub(super) fn without_zips(&mut self, rep: &Rep, cx: &Context) -> Result<Rep> {
        Ok(match rep {
            Rep::Scalar(..) => rep.clone(),
            Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.without_zips(p, cx)).collect::<Result<_>>()?),
            Rep::Array(arr) => Rep::Array(self.unzipped(cx, arr, "x")?),
        })
    }

    /// How many points before each one take the branch.
    fn rank(&mut self, taken: ValueId, when: bool, cx: &Context) -> Result<ValueId> {
        let line = Self::line(cx.total());
        let rank = self.column_value("rank", ScalarType::I64, size_of(cx.total()) + 1);
        let operator = self.operator(BinOp::Add, ScalarType::I64);
        let kind = OpKind::Scan { operator, neutral: vec![Atom::int(0)], form: ScanForm::Offsets };
        self.op(&Scope::default(), &line, vec![rank], kind, |s, scope| {
            let mut flag = s.ix(&Ix::read(taken, Ix::Position(0)), scope);
            if !when {
                flag = s.let_scalar("keep", ScalarType::Bool, flat::Expr::Unary(UnOp::Not, flag));
            }
            Ok(vec![s.let_scalar("one", ScalarType::I64, flat::Expr::Convert(ScalarType::I64, flag))])
        })?;
        Ok(rank)
    }

    /// A branch with recursive calls, on the points of `sub`: nothing if there is none, else a call of the branch's function.
    fn wave(
        &mut self,
        body: &Body,
        shape: &Form,
        used: &[(ValueId, Rep)],
        name: &str,
        env: &Env,
        sub: &Context,
    ) -> Result<Vec<Atom>> {
        let uniform: Vec<ValueId> = free_values(body)
            .into_iter()
            .filter(|v| env.contains_key(v) && !used.iter().any(|(u, _)| u == v))
            .collect();
        let host = Self::host();
        let scope = Scope::default();
        let mut args = vec![sub.total()];
        let mut shapes = Vec::new();
        for v in &uniform {
            let form = self.form_of(Atom::Var(*v), &host);
            args.extend(self.border(&env[v].clone(), &form, &host, &scope)?);
            shapes.push(form);
        }
        let mut forms = Vec::new();
        for (v, _) in used {
            forms.push(self.wave_leaves(&env[v].clone(), sub, &mut args)?);
        }
        let branch = Wave { body, uniform: &uniform, shapes: &shapes, used, forms: &forms, shape };
        let id = self.wave_function(&branch, env)?;
        let any = self.binary("any", BinOp::Lt, Atom::int(0), sub.total());
        let then = self.body(|s| {
            let (binds, _) = s.fresh_border(shape, sub);
            // If it is too deep, the recursive call is to blame.
            let here = s.span;
            s.span = first_call(body).unwrap_or(here);
            s.push(binds.clone(), flat::Expr::Call { function: id, args });
            s.span = here;
            Ok(binds.into_iter().map(Atom::Var).collect())
        })?;
        let otherwise = self.body(|s| {
            let (like, _) = s.fresh_border(shape, sub);
            Ok(like.iter().map(|v| s.nothing(*v)).collect())
        })?;
        let (binds, _) = self.fresh_border(shape, sub);
        for v in &binds {
            self.fun.values[*v].name.push_str(if name.is_empty() { "" } else { "_" });
            self.fun.values[*v].name.push_str(name);
        }
        self.push(binds.clone(), flat::Expr::If { cond: any, then, otherwise });
        Ok(binds.into_iter().map(Atom::Var).collect())
    }

    /// An empty column, or zero, in place of a value.
    pub(super) fn nothing(&mut self, like: ValueId) -> Atom {
        match self.fun.values[like].ty.clone() {
            flat::Type::Column { elem, .. } => {
                let v = self.column_value("none", elem, terrace_algebra::Size::zero());
                self.push(vec![v], flat::Expr::Literal(Vec::new()));
                v.into()
            }
            flat::Type::Scalar(ty) => self.zero(ty),
            flat::Type::Block => unreachable!("Flat has no blocks"),
        }
    }

    /// What a wave's function takes for a value: columns for scalars; for an array its starts, its offsets, their total, and
    /// the base.
    fn wave_leaves(&mut self, rep: &Rep, sub: &Context, out: &mut Vec<Atom>) -> Result<Form> {
        match rep {
            Rep::Array(arr) if arr.len.uniform().is_none() => {
                let (off, total) = self.offsets(sub, &arr.len, None)?;
                let start = self.column(sub, &arr.start, ScalarType::I64, "start")?;
                out.extend([start.into(), off.into(), total]);
                let form = Form::of(rep);
                let leaves = self.border(rep, &form, sub, &Scope::default())?;
                out.extend(&leaves[2..]);
                Ok(form)
            }
            Rep::Tuple(parts) => {
                Ok(Form::Tuple(parts.iter().map(|p| self.wave_leaves(p, sub, out)).collect::<Result<_>>()?))
            }
            Rep::Scalar(..) | Rep::Array(_) => {
                let form = Form::of(rep);
                out.extend(self.border(rep, &form, sub, &Scope::default())?);
                Ok(form)
            }
        }
    }

    /// Fresh parameters for what [`Self::wave_leaves`] passes, and the value that they make up.
    fn wave_params(&mut self, shape: &Form, sub: &Context, params: &mut Vec<ValueId>, totals: &mut Vec<Atom>) -> Rep {
        match shape {
            Form::Same(_) | Form::Each(_) => {
                let (binds, rep) = self.fresh_border(shape, sub);
                params.extend(binds);
                rep
            }
            Form::Array(how, _) if how.is_regular() => {
                let (binds, rep) = self.fresh_border(shape, sub);
                self.fun.host_known.extend(binds.iter().filter(|b| !self.fun.values[**b].ty.is_column()));
                params.extend(binds);
                if let Rep::Array(Arr { len: Ix::Atom(len), .. }) = &rep {
                    totals.push(self.host_product(sub.total(), *len));
                }
                rep
            }
            Form::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| self.wave_params(p, sub, params, totals)).collect()),
            Form::Array(..) => {
                let points = size_of(sub.total());
                let start = self.column_value("start", ScalarType::I64, points.clone());
                let off = self.column_value("off", ScalarType::I64, points + 1);
                let total = self.scalar_value("total", ScalarType::I64);
                self.fun.host_known.insert(total);
                self.fun.totals.insert(off, total.into());
                totals.push(total.into());
                let (binds, rep) = self.fresh_border(shape, sub);
                params.extend([start, off, total]);
                params.extend(&binds[2..]);
                let Rep::Array(arr) = rep else { unreachable!("an array was asked for") };
                Rep::Array(self.wave_array(&arr, start, off, total.into()))
            }
        }
    }

    fn wave_array(&self, arr: &Arr, start: ValueId, off: ValueId, total: Atom) -> Arr {
        let at = Ix::Position(0);
        let len = super::rep::Inner::Packed(off).len(at.clone());
        let descriptor = Descriptor::Irregular { off, start: None };
        Arr {
            start: Ix::read(start, at),
            len,
            dim: Some(Dim { depth: 1, descriptor }),
            count: arr.count,
            total: Some(size_of(total)),
            elem: arr.elem.clone(),
        }
    }

    fn wave_function(&mut self, branch: &Wave<'_>, outside: &Env) -> Result<FuncId> {
        let id = self.functions.push(None);
        let saved = std::mem::replace(&mut self.fun, Building { stmts: vec![Vec::new()], ..Building::default() });
        let (source, span) = (self.source, self.span);
        let k = self.scalar_value("points", ScalarType::I64);
        self.fun.points = Some(k);
        self.fun.host_known.insert(k);
        let sub = Self::line(k.into());
        let mut params = vec![k];
        let mut env = Env::new();
        for (v, shape) in branch.uniform.iter().zip(branch.shapes) {
            debug_assert!(outside.contains_key(v));
            let (binds, rep) = self.fresh_border(shape, &Self::host());
            let scalars = binds.iter().filter(|b| !self.fun.values[**b].ty.is_column());
            self.fun.host_known.extend(scalars);
            params.extend(binds);
            env.insert(*v, rep);
        }
        let shared = params.len();
        let mut totals = Vec::new();
        for ((v, _), shape) in branch.used.iter().zip(branch.forms) {
            let rep = self.wave_params(shape, &sub, &mut params, &mut totals);
            env.insert(*v, rep);
        }
        let large = self.is_large(k.into(), &totals, &env);
        let kept = self.fun.offsets.clone();
        let split = self.body(|s| s.halves(id, branch, &params[..shared], &env, &sub))?;
        self.fun.offsets = kept;
        let whole = self.body(|s| {
            let rep = s.lifted_body(branch.body, &mut env, &sub)?;
            s.border(&rep, branch.shape, &sub, &Scope::default())
        })?;
        let (binds, _) = self.fresh_border(branch.shape, &sub);
        self.push(binds.clone(), flat::Expr::If { cond: large, then: split, otherwise: whole });
        let results = binds.into_iter().map(Atom::Var).collect();
        let body = flat::Body { stmts: self.fun.stmts.pop().expect("one body"), results };
        // A function with several conditionals has several waves.
        let name = format!("{}^wave", self.source().name);
        let waves = self.functions.iter().flatten().filter(|f| f.name.starts_with(&name)).count();
        let name = if waves == 0 { name } else { format!("{name}_{}", waves + 1) };
        let built = self.finish(name, Role::Internal, params, body, Vec::new(), None);
        self.functions[id] = Some(built);
        (self.fun, self.source, self.span) = (saved, source, span);
        Ok(id)
    }

    /// Whether a wave has several points and plans for more bytes than it may.
    fn is_large(&mut self, points: Atom, totals: &[Atom], env: &Env) -> Atom {
        let elements = totals.iter().fold(terrace_algebra::Size::zero(), |sum, t| sum + size_of(*t));
        let at_a_point = self.made_at_a_point(env) * BYTES_PER_MADE + BYTES_PER_POINT;
        let planned = elements * BYTES_PER_ELEMENT + &size_of(points) * &at_a_point;
        let planned = self.let_scalar("planned", ScalarType::I64, flat::Expr::Size(planned));
        let limit = self.let_scalar("limit", ScalarType::I64, flat::Expr::MemoryLimit);
        for v in [planned, limit].into_iter().filter_map(Atom::var) {
            self.fun.host_known.insert(v);
        }
        let over = self.binary("over", BinOp::Lt, limit, planned);
        let several = self.binary("several", BinOp::Lt, Atom::int(1), points);
        self.binary("large", BinOp::And, over, several)
    }

    /// The wave's function on the first and on the second half of the points, joined.
    fn halves(
        &mut self,
        id: FuncId,
        branch: &Wave<'_>,
        shared: &[ValueId],
        env: &Env,
        sub: &Context,
    ) -> Result<Vec<Atom>> {
        let points = sub.total();
        let half = self.binary("half", BinOp::Div, points, Atom::int(2));
        let other = self.binary("other", BinOp::Sub, points, half);
        self.fun.host_known.extend([half, other].into_iter().filter_map(Atom::var));
        let mut parts = Vec::new();
        for (count, from) in [(half, Ix::int(0)), (other, Ix::Atom(half))] {
            let part = Self::line(count);
            let mut args = vec![count];
            args.extend(shared[1..].iter().map(|v| Atom::Var(*v)));
            for (v, _) in branch.used {
                let moved = shifted(&env[v], &from);
                self.wave_leaves(&moved, &part, &mut args)?;
            }
            let (binds, _) = self.fresh_border(branch.shape, &part);
            self.push(binds.clone(), flat::Expr::Call { function: id, args });
            parts.push(binds.into_iter().map(Atom::Var).collect::<Vec<_>>());
        }
        let at = Ix::Position(0);
        let first = self.rep_at(branch.shape, &parts[0], sub, &at);
        let second = self.rep_at(branch.shape, &parts[1], sub, &at.clone().sub(Ix::Atom(half)));
        let (first, second) = (self.with_totals(first, sub), self.with_totals(second, sub));
        let here = Ix::Binary(BinOp::Lt, Box::new(at.clone()), Box::new(Ix::Atom(half)));
        let alternatives = [(Some(here), first), (None, second)];
        let elem = self.merge_as(sub, &Scope::default(), &alternatives, "joined", Some(branch.shape))?;
        let rep = self.element(&elem, &at, Some(1));
        self.border(&rep, branch.shape, sub, &Scope::default())
    }
}

/// The points that take a branch.
#[allow(clippy::large_enum_variant)] // two exist at a time
enum Subset<'b> {
    /// The branch is just a value: no need to pick its points.
    Direct(Rep),
    /// The branch's points, packed, with what it mentions there.
    Packed { body: &'b Body, rank: ValueId, used: Vec<(ValueId, Rep)>, env: Env, sub: Context },
}

fn has_arrays(rep: &Rep) -> bool {
    match rep {
        Rep::Scalar(..) => false,
        Rep::Tuple(parts) => parts.iter().any(has_arrays),
        Rep::Array(_) => true,
    }
}

/// Where the first call in a body stands.
fn first_call(body: &Body) -> Option<Span> {
    let mut found = None;
    walk(body, &mut |s| {
        if matches!(&s.kind, StmtKind::Let { expr: Expr::Call { .. }, .. }) {
            found = found.or(Some(s.span));
        }
    });
    found
}

struct Wave<'w> {
    body: &'w Body,
    /// Values that are the same at every point, and their forms.
    uniform: &'w [ValueId],
    shapes: &'w [Form],
    /// Values that differ, and their forms.
    used: &'w [(ValueId, Rep)],
    forms: &'w [Form],
    /// The form of the result.
    shape: &'w Form,
}

/// The scalars and arrays in a value that differ from point to point.
fn varying(rep: &Rep, out: &mut Vec<Rep>) {
    match rep {
        Rep::Tuple(parts) => parts.iter().for_each(|p| varying(p, out)),
        rep if is_uniform(rep) => {}
        rep => out.push(rep.clone()),
    }
}

/// The value with others in their place.
fn with_varying(rep: &Rep, new: &mut impl Iterator<Item = Rep>) -> Rep {
    match rep {
        Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| with_varying(p, new)).collect()),
        rep if is_uniform(rep) => rep.clone(),
        _ => new.next().expect("one for each that was taken out"),
    }
}

/// Rows picked from rows: no more elements than before.
fn with_totals(new: Rep, old: &Rep) -> Rep {
    match (new, old) {
        (Rep::Array(mut arr), Rep::Array(of)) => {
            arr.total = of.total.clone();
            Rep::Array(arr)
        }
        (Rep::Tuple(parts), Rep::Tuple(of)) => {
            Rep::Tuple(parts.into_iter().zip(of).map(|(p, o)| with_totals(p, o)).collect())
        }
        (new, _) => new,
    }
}

/// The value `from` points further on.
fn shifted(rep: &Rep, from: &Ix) -> Rep {
    fn moved(ix: &Ix, from: &Ix) -> Ix {
        match ix {
            Ix::Position(_) | Ix::Index(_) => ix.clone().add(from.clone()),
            Ix::Read(c, at) => Ix::read(*c, moved(at, from)),
            Ix::Binary(op, a, b) => Ix::Binary(*op, Box::new(moved(a, from)), Box::new(moved(b, from))),
            Ix::Closed(size, vars) => {
                let vars = vars.iter().map(|(v, at)| (*v, moved(at, from)));
                let first = index_var(0);
                Ix::closed(size, vars.chain([(first, Ix::Index(0).add(from.clone()))]).collect())
            }
            Ix::Atom(a) => Ix::Atom(*a),
        }
    }
    match rep {
        Rep::Scalar(ix, ty) => Rep::Scalar(moved(ix, from), *ty),
        Rep::Tuple(parts) => Rep::Tuple(parts.iter().map(|p| shifted(p, from)).collect()),
        Rep::Array(arr) => {
            let mut out = arr.clone();
            (out.start, out.len, out.dim) = (moved(&arr.start, from), moved(&arr.len, from), None);
            if let Elem::Zip(arrays) = &arr.elem {
                let parts = arrays.iter().map(|a| match shifted(&Rep::Array(a.clone()), from) {
                    Rep::Array(a) => a,
                    _ => unreachable!("an array stays one"),
                });
                out.elem = Elem::Zip(parts.collect());
            }
            Rep::Array(out)
        }
    }
}
