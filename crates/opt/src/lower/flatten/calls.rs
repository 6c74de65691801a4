//! Calls of recursive functions, in waves.
//!
//! Called at many points, a function is called once, on all of them: its *lifted* version takes the number of points and each
//! argument in the form that its label gives, a column for a scalar that differs, the scalar itself for one that does not. It
//! is called only if there is a point. With arguments that are the same at all points there is nothing to lift: the call is
//! made once, by the host. (Other calls were inlined.)
//!
//! ```text
//! [transform(row) for row in rows]       transform^(points, len, count, base…)     rows are equally long
//! transform(row)                         transform^once(len, base…)                at the host
//! ```

use super::build::Scope;
use super::form::Form;
use super::kept::{Lone, Work, runs_alone, whole_form};
use super::labels::Pattern;
use super::rep::{Context, Rep};
use super::{Building, Env, Flattener, Result};
use terrace_base::ScalarType;
use terrace_ir::flat::{self, Role};
use terrace_ir::{Atom, FuncId};

impl Flattener<'_> {
    /// The version of a function that a call in a pattern is a call of; it is built later.
    pub(super) fn version(&mut self, function: FuncId, pattern: &Pattern) -> FuncId {
        let key = (function, pattern.clone());
        if let Some(id) = self.versions.get(&key) {
            return *id;
        }
        let id = self.functions.push(None);
        self.versions.insert(key, id);
        self.wanted.push((function, pattern.clone(), id));
        id
    }

    pub(super) fn result_form(&self, function: FuncId, pattern: &Pattern) -> Form {
        let ty = &self.core.functions[function].result;
        if let Some(form) = self.kept_forms.get(&(function, pattern.clone())) {
            return form.clone();
        }
        if pattern.alone {
            return whole_form(ty);
        }
        match self.labels.of(function, pattern).and_then(|l| l.result.clone()) {
            Some(form) => form,
            None if pattern.lifted => Form::per_point(ty),
            None => Form::view(ty),
        }
    }

    /// A call at all points of `cx`, which may be the host.
    pub(super) fn call(&mut self, function: FuncId, args: &[Atom], env: &Env, cx: &Context) -> Result<Rep> {
        let forms: Vec<Form> = args.iter().map(|a| self.form_of(*a, cx)).collect();
        let lifted = cx.depth() > 0 && !forms.iter().all(Form::is_same);
        if self.pattern.alone && lifted {
            let pattern = Pattern::alone(self.core, function);
            let wanted = Form::per_point(&self.core.functions[function].result);
            return self.kept_call(&Lone { function, pattern: &pattern, args, what: Work::Call }, &wanted, env, cx);
        }
        let pattern = match self.pattern.alone {
            true => Pattern::alone(self.core, function),
            false => self.labels.version(function, &Pattern { lifted, alone: false, params: forms }),
        };
        if !lifted || !runs_alone(self.core, &self.core.functions[function]) {
            return self.call_at_once(function, &pattern, args, env, cx);
        }
        let alone = Pattern::alone(self.core, function);
        let form = self.result_form(function, &pattern);
        self.alone_or(Lone { function, pattern: &alone, args, what: Work::Call }, &form, env, cx, |s| {
            s.call_at_once(function, &pattern, args, env, cx)
        })
    }

    /// A call of a version, at all points of `cx` at once.
    fn call_at_once(
        &mut self,
        function: FuncId,
        pattern: &Pattern,
        args: &[Atom],
        env: &Env,
        cx: &Context,
    ) -> Result<Rep> {
        let lifted = pattern.lifted;
        let around = if lifted { cx.clone() } else { Self::host() };
        let mut leaves: Vec<Atom> = lifted.then(|| cx.total()).into_iter().collect();
        for (arg, form) in args.iter().zip(&pattern.params) {
            let rep = self.rep(*arg, env);
            leaves.extend(self.border(&rep, form, cx, &Scope::default())?);
        }
        let id = self.version(function, pattern);
        let form = self.result_form(function, pattern);
        let (binds, rep) = self.fresh_border(&form, &around);
        let call = flat::Expr::Call { function: id, args: leaves };
        if cx.depth() == 0 || self.has_points(cx) {
            self.push(binds, call);
            return Ok(rep);
        }
        // A recursion may end just because a map has no elements: no call for no points.
        let any = self.any_point(cx);
        let then = self.body(|s| {
            let (binds, _) = s.fresh_border(&form, &around);
            s.push(binds.clone(), call);
            Ok(binds.into_iter().map(Atom::Var).collect())
        })?;
        let otherwise = self.body(|s| {
            let (like, _) = s.fresh_border(&form, &around);
            Ok(like.iter().map(|v| s.nothing(*v)).collect())
        })?;
        self.push(binds, flat::Expr::If { cond: any, then, otherwise });
        Ok(rep)
    }

    /// Builds a version of a function.
    pub(super) fn build_version(&mut self, source: FuncId, pattern: Pattern, id: FuncId) -> Result<()> {
        let function = &self.core.functions[source];
        self.source = source;
        self.span = function.span;
        self.fun = Building { stmts: vec![Vec::new()], ..Building::default() };
        self.pattern = pattern.clone();
        self.counters.clear();
        let mut params = Vec::new();
        let mut cx = Self::host();
        if pattern.lifted {
            let k = self.scalar_value("points", ScalarType::I64);
            self.fun.points = Some(k);
            self.fun.host_known.insert(k);
            params.push(k);
            cx = Self::line(k.into());
        }
        let mut env = Env::new();
        for (param, form) in function.params.iter().zip(&pattern.params) {
            let (binds, rep) = self.fresh_border(form, &cx);
            params.extend(binds);
            env.insert(*param, rep);
        }
        let scope = Scope::default();
        let result = match pattern.lifted {
            true => self.lifted_body(&function.body, &mut env, &cx)?,
            false => self.plain_body(&function.body, &mut env, &scope)?,
        };
        let form = self.result_form(source, &pattern);
        let leaves = self.border(&result, &form, &cx, &scope)?;
        let body = flat::Body { stmts: self.fun.stmts.pop().expect("one body"), results: leaves };
        let version = match (pattern.lifted, pattern.alone) {
            (true, _) => "",
            (false, true) => "alone",
            (false, false) => "once",
        };
        let name = format!("{}^{version}", function.name);
        let others = self.functions.iter().flatten().filter(|f| {
            f.name
                .strip_prefix(&name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        let others = others.count();
        let name = if others == 0 { name } else { format!("{name}{}", others + 1) };
        self.span = function.span;
        self.functions[id] = Some(self.finish(name, Role::Internal, params, body, Vec::new(), None));
        Ok(())
    }
}
