//! Calls of recursive functions, in waves.
//!
//! Called at many points, a function is called once, on all of them: its *lifted* version takes the number of points and a
//! column where the original takes a scalar, and is called only if there is a point. A call at the host is a call at one
//! point. (Other calls were inlined.)

use super::build::Scope;
use super::form::Form;
use super::rep::{Context, Ix, Rep};
use super::{Building, Env, Flattener, Result};
use terrace_base::{BinOp, ScalarType};
use terrace_ir::flat::{self, Role};
use terrace_ir::{Atom, FuncId};

impl Flattener<'_> {
    /// The lifted version of a function; it is built later.
    fn lifted_id(&mut self, function: FuncId) -> FuncId {
        if let Some(id) = self.lifted.get(&function) {
            return *id;
        }
        let id = self.functions.push(None);
        self.lifted.insert(function, id);
        self.wanted.push((function, id));
        id
    }

    pub(super) fn call_lifted(&mut self, function: FuncId, args: &[Rep], cx: &Context) -> Result<Rep> {
        let mut leaves = vec![cx.total()];
        for arg in args {
            leaves.extend(self.border(arg, &Form::of(arg), cx, &Scope::default())?);
        }
        let id = self.lifted_id(function);
        let form = Form::per_point(&self.core.functions[function].result);
        let (binds, rep) = self.fresh_border(&form, cx);
        let call = flat::Expr::Call { function: id, args: leaves };
        if cx.depth() == 1 && (cx.total() == Atom::int(1) || cx.total().var() == self.fun.points) {
            self.push(binds, call);
            return Ok(rep);
        }
        // A recursion may end just because a map has no elements: no call for no points.
        let any = self.binary("any", BinOp::Lt, Atom::int(0), cx.total());
        let then = self.body(|s| {
            let (binds, _) = s.fresh_border(&form, cx);
            s.push(binds.clone(), call);
            Ok(binds.into_iter().map(Atom::Var).collect())
        })?;
        let otherwise = self.body(|s| {
            let (like, _) = s.fresh_border(&form, cx);
            Ok(like.iter().map(|v| s.nothing(*v)).collect())
        })?;
        self.push(binds, flat::Expr::If { cond: any, then, otherwise });
        Ok(rep)
    }

    /// A call at the host.
    pub(super) fn call_once(&mut self, function: FuncId, args: Vec<Rep>) -> Result<Rep> {
        let one = Self::line(Atom::int(1));
        let rep = self.call_lifted(function, &args, &one)?;
        let first = at_first(rep);
        Ok(self.force(first, &Scope::default()))
    }

    pub(super) fn lifted_function(&mut self, source: FuncId, id: FuncId) -> Result<()> {
        let function = &self.core.functions[source];
        self.source = source;
        self.span = function.span;
        self.fun = Building { stmts: vec![Vec::new()], ..Building::default() };
        let k = self.scalar_value("points", ScalarType::I64);
        self.fun.points = Some(k);
        self.fun.host_known.insert(k);
        let cx = Self::line(k.into());
        let mut params = vec![k];
        let mut env = Env::new();
        for param in &function.params {
            let form = Form::per_point(&function.values[*param].ty);
            let (binds, rep) = self.fresh_border(&form, &cx);
            params.extend(binds);
            env.insert(*param, rep);
        }
        let result = self.lifted_body(&function.body, &mut env, &cx)?;
        let form = Form::per_point(&function.result);
        let leaves = self.border(&result, &form, &cx, &Scope::default())?;
        let body = flat::Body { stmts: self.fun.stmts.pop().expect("one body"), results: leaves };
        let name = format!("{}^", function.name);
        self.span = function.span;
        self.functions[id] = Some(self.finish(name, Role::Internal, params, body, Vec::new(), None));
        Ok(())
    }
}

/// A value at the only point of its context.
fn at_first(rep: Rep) -> Rep {
    fn first(ix: Ix) -> Ix {
        match ix {
            Ix::Position(_) | Ix::Index(_) => Ix::int(0),
            Ix::Read(c, at) => Ix::read(c, first(*at)),
            Ix::Binary(op, a, b) => Ix::Binary(op, Box::new(first(*a)), Box::new(first(*b))),
            Ix::Closed(size, var, at) => Ix::Closed(size, var, Box::new(first(*at))),
            Ix::Atom(a) => Ix::Atom(a),
        }
    }
    match rep {
        Rep::Scalar(ix, ty) => Rep::Scalar(first(ix), ty),
        Rep::Tuple(parts) => Rep::Tuple(parts.into_iter().map(at_first).collect()),
        Rep::Array(mut arr) => {
            (arr.start, arr.len, arr.dim) = (first(arr.start), first(arr.len), None);
            Rep::Array(arr)
        }
    }
}
