//! Calls: of functions, of function parameters, of variants, of conversions and of built-in functions.
//!
//! Arguments that are values are typed first and functions afterwards, so that the parameters of a lambda have known types
//! even where the array comes last: in `apply(|p| p.x, points)` it is `points` that says what `p` is.

use super::Infer;
use crate::builtins::Builtin;
use crate::declared::TypeId;
use crate::errors;
use crate::names::Def;
use crate::typed::{Arg, Binding, BindingKind, Expr, Kind, LocalId};
use crate::types::{Classes, Ty};
use terrace_base::{ScalarType, Span};
use terrace_syntax::ast::{self, ExprKind};

/// What something in front of parentheses stands for.
#[derive(Clone, Copy)]
pub(super) enum Callee {
    Local(LocalId),
    Function(usize),
    Variant(TypeId, usize),
    Convert(ScalarType),
    /// A declared type name: `t(x)` converts.
    ConvertTo(usize),
    Builtin(Builtin),
}

/// What is known about a callee that is looked up by name.
pub(super) enum Found {
    Callee(Callee),
    /// It was reported that there is no such thing.
    Missing,
    /// The expression is not a name.
    NoName,
}

impl Infer<'_, '_> {
    /// Looks up a function by its name, with or without a module.
    pub(super) fn callee(&mut self, function: &ast::Expr) -> Found {
        match &function.kind {
            ExprKind::Var(name) => match self.find(name) {
                Some(callee) => Found::Callee(callee),
                None => {
                    self.unknown_function(name, function.span);
                    Found::Missing
                }
            },
            ExprKind::Field { value, name } => {
                let Some((module, qualifier)) = self.qualifier(value) else {
                    return Found::NoName;
                };
                match self.module.names.value_in(module, &name.text) {
                    Some(def) => Found::Callee(of_def(def)),
                    None => {
                        let report = self.module.names.missing_value(module, &qualifier, name);
                        self.report(report);
                        Found::Missing
                    }
                }
            }
            _ => Found::NoName,
        }
    }

    /// The module that an expression before a dot names.
    pub(super) fn qualifier(&self, value: &ast::Expr) -> Option<(usize, String)> {
        match &value.kind {
            ExprKind::Var(name) if self.scope.find(name).is_none() => {
                self.module.names.import(self.here, name).map(|m| (m, name.clone()))
            }
            _ => None,
        }
    }

    pub(super) fn find(&mut self, name: &str) -> Option<Callee> {
        if let Some(id) = self.lookup(name) {
            return Some(Callee::Local(id));
        }
        if let Some(k) = self.unifier.params.iter().position(|(n, _)| n == name) {
            return Some(Callee::ConvertTo(k));
        }
        if let Some(def) = self.module.names.value(self.here, name) {
            return Some(of_def(def));
        }
        if let Some(scalar) = ScalarType::from_name(name) {
            return Some(Callee::Convert(scalar));
        }
        Builtin::named(name).map(Callee::Builtin)
    }

    fn unknown_function(&mut self, name: &str, span: Span) {
        let names = &self.module.names;
        let mut report = errors::unknown_function(name, span);
        if let Some(there) = names.value_elsewhere(self.here, name) {
            report = errors::elsewhere(report, name, &there);
        } else if names.ty(self.here, name).is_some() {
            report = report.hint(format!("`{name}` is a type: a record is written `{name}{{x = …}}`"));
        } else if let Some(hint) = errors::other_name(name) {
            report = report.hint(hint);
        } else if let Some(hint) = errors::in_library(name) {
            report = report.hint(hint);
        } else {
            let mut near: Vec<&str> = names.values(self.here).chain(self.scope.names()).collect();
            for name in Builtin::names() {
                near.push(name);
            }
            report = errors::suggest(report, name, near);
        }
        self.report(report);
    }

    pub(super) fn call(&mut self, function: &ast::Expr, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        match self.callee(function) {
            Found::Callee(Callee::Local(id)) => self.call_local(id, function.span, args, span),
            Found::Callee(Callee::Function(k)) => self.call_function(k, args, span),
            Found::Callee(Callee::Variant(id, tag)) => self.call_variant(id, tag, args, span),
            Found::Callee(Callee::Convert(scalar)) => self.call_conversion(scalar, args, span),
            Found::Callee(Callee::ConvertTo(k)) => self.call_conversion_to(k, function.span, args, span),
            Found::Callee(Callee::Builtin(builtin)) => self.call_builtin(builtin, args, span),
            Found::Missing => {
                self.loose_arguments(args);
                (Kind::Error, Ty::Error)
            }
            Found::NoName => match &function.kind {
                ExprKind::Lambda { params, body } => self.call_lambda(params, body, args, span),
                ExprKind::Section(op) => match args {
                    [left, right] => {
                        let (left, right) = (self.expr(left), self.expr(right));
                        let ty = self.operator(*op, function.span, (&left.ty, left.span), (&right.ty, right.span));
                        (Kind::Binary(*op, Box::new(left), Box::new(right)), ty)
                    }
                    _ => {
                        let name = format!("({})", op.symbol());
                        self.report(errors::argument_count(&name, span, "2 arguments", args.len()));
                        (Kind::Error, Ty::Error)
                    }
                },
                _ => {
                    let what = self.expr(function);
                    if what.ty != Ty::Error {
                        self.report(errors::value_as_function("this", function.span));
                    }
                    self.loose_arguments(args);
                    (Kind::Error, Ty::Error)
                }
            },
        }
    }

    pub(super) fn values(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        args.iter().map(|a| self.expr(a)).collect()
    }

    /// Looks at the arguments of a call that is wrong already, for mistakes and uses of names.
    pub(super) fn loose_arguments(&mut self, args: &[ast::Expr]) {
        for arg in args {
            match &arg.kind {
                ExprKind::Lambda { .. } | ExprKind::Section(_) => {}
                ExprKind::Var(name) => {
                    if self.find(name).is_none() {
                        self.expr(arg);
                    }
                }
                _ => drop(self.expr(arg)),
            }
        }
    }

    // `x |> |y| body` is `let y = x in body`.
    fn call_lambda(
        &mut self,
        params: &[ast::LambdaParam],
        body: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Ty) {
        let args = self.values(args);
        if args.len() != params.len() {
            self.report(errors::argument_count("|…| …", span, &errors::count(params.len(), "argument"), args.len()));
            return (Kind::Error, Ty::Error);
        }
        let outside = self.scope.depth();
        let mut bindings = Vec::new();
        for (param, value) in params.iter().zip(args) {
            let sizes = param.ty.as_ref().map(|ty| self.read_type(ty));
            if let Some(sizes) = &sizes {
                self.expect(&value.ty, &sizes.plain(), value.span, Some((param.pattern.span, "stated here".into())));
            }
            let pattern = self.pattern(&param.pattern, &value.ty);
            let kind = BindingKind::Let { pattern, sizes, value };
            bindings.push(Binding { span: param.pattern.span, kind });
        }
        let body = Box::new(self.expr(body));
        self.scope.truncate(outside);
        let ty = body.ty.clone();
        (Kind::Let { bindings, body }, ty)
    }

    /// The types of a function's parameters and result where it is used, and what its type names stand for there.
    pub(super) fn instance(&mut self, k: usize, span: Span) -> (Vec<Ty>, Vec<Ty>, Ty) {
        if let Some((params, result)) = self.module.open.get(&k) {
            self.pending = true;
            return (Vec::new(), params.clone(), result.clone());
        }
        let header = &self.module.headers[k];
        let type_args: Vec<Ty> = header.type_params.iter().map(|(_, class)| self.unifier.fresh(*class, span)).collect();
        let params = header.params.iter().map(|p| p.ty.plain().instantiate(&type_args)).collect();
        let result = match &header.result {
            Some((result, _)) => result.plain(),
            None => self.module.results[k].clone().unwrap_or(Ty::Error),
        };
        let result = result.instantiate(&type_args);
        (type_args, params, result)
    }

    pub(super) fn call_function(&mut self, k: usize, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let (type_args, params, result) = self.instance(k, span);
        let header = &self.module.headers[k];
        let (name, place) = (header.name.clone(), header.name_span);
        if header.constant {
            self.report(errors::constant_called(&name, span).label(place, "defined here"));
            self.loose_arguments(args);
            return (Kind::Error, result);
        }
        if args.len() != params.len() {
            let report = errors::argument_count(&name, span, &errors::count(params.len(), "argument"), args.len());
            self.report(report.label(place, "defined here"));
            self.loose_arguments(args);
            return (Kind::Error, if type_args.is_empty() { result } else { Ty::Error });
        }
        match self.arguments(k, args, &params, type_args.is_empty()) {
            Some(args) => (Kind::Call { function: k, type_args, args }, result),
            // What the type names stand for is in doubt: more messages would be guesses.
            None if !type_args.is_empty() => (Kind::Error, Ty::Error),
            None => (Kind::Error, result),
        }
    }

    /// A constant where it is used.
    pub(super) fn constant(&mut self, k: usize, span: Span) -> (Kind, Ty) {
        let (type_args, _, result) = self.instance(k, span);
        (Kind::Call { function: k, type_args, args: Vec::new() }, result)
    }

    /// The arguments of a call; `all` says whether to go on after one that does not fit.
    fn arguments(&mut self, k: usize, args: &[ast::Expr], params: &[Ty], all: bool) -> Option<Vec<Arg>> {
        let mut typed: Vec<Option<Arg>> = vec![None; args.len()];
        let mut functions = Vec::new();
        for (n, (arg, param)) in args.iter().zip(params).enumerate() {
            match self.unifier.head(param) {
                Ty::Function(..) => functions.push(n),
                _ if self.unifier.may_be_function(param) && self.is_function(arg) => {
                    let arity = self.arity_of(arg)?;
                    let wanted: Vec<Ty> = (0..arity).map(|_| self.fresh(arg.span)).collect();
                    let result = self.fresh(arg.span);
                    self.expect(&Ty::Function(wanted, Box::new(result)), param, arg.span, None);
                    functions.push(n);
                }
                head => {
                    let value = self.value_argument(k, arg, param, &head)?;
                    let (place, stated) = self.parameter(k, n);
                    let why = if stated {
                        "the type of the parameter is stated here".to_string()
                    } else {
                        let name = &self.module.headers[k].name;
                        format!("`{name}` uses this parameter as {}", self.unifier.describe(param))
                    };
                    if self.expect(&value.ty, param, value.span, Some((place, why))) {
                        typed[n] = Some(Arg::Value(value));
                    } else if !all {
                        self.loose_arguments(&args[n + 1..]);
                        return None;
                    }
                }
            }
        }
        for n in functions {
            if let Ty::Function(wanted, result) = self.unifier.head(&params[n]) {
                let name = self.module.headers[k].name.clone();
                typed[n] = Some(Arg::Function(self.function_argument(&args[n], &wanted, &result, &name)?));
            }
        }
        typed.into_iter().collect()
    }

    /// Where a parameter stands, and whether its type is stated there.
    fn parameter(&self, k: usize, n: usize) -> (Span, bool) {
        let stated = self.module.functions[k].source.params.get(n).is_some_and(|p| p.ty.is_some());
        (self.module.headers[k].params[n].ty_span, stated)
    }

    /// An argument for a parameter that is not known to be a function.
    fn value_argument(&mut self, k: usize, arg: &ast::Expr, param: &Ty, head: &Ty) -> Option<Expr> {
        // A parameter handed on to a parameter: both may still turn out to be functions.
        if let ExprKind::Var(name) = &arg.kind
            && self.unifier.may_be_function(param)
            && let Some(id) = self.scope.find(name)
            && self.unifier.may_be_function(&self.locals[id.index()].ty)
        {
            self.lookup(name);
            self.pending = true;
            let ty = self.locals[id.index()].ty.clone();
            return Some(Expr { span: arg.span, ty, kind: Kind::Local(id) });
        }
        if self.is_function(arg) {
            let name = self.module.headers[k].name.clone();
            let shown = match head {
                Ty::Var(_) => "_".to_string(),
                _ => self.unifier.show(head),
            };
            self.report(errors::function_for_value(arg.span, &name, &shown));
            return None;
        }
        Some(self.expr(arg))
    }

    /// A call of a function parameter or of a size function.
    fn call_local(&mut self, id: LocalId, at: Span, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let local = &self.locals[id.index()];
        let (name, ty, place) = (local.name.clone(), local.ty.clone(), local.span);
        if self.unifier.may_be_function(&ty) {
            let wanted: Vec<Ty> = args.iter().map(|a| self.fresh(a.span)).collect();
            let result = self.fresh(span);
            self.expect(&Ty::Function(wanted, Box::new(result)), &ty, at, None);
        }
        let Ty::Function(wanted, result) = self.unifier.head(&ty) else {
            if matches!(self.unifier.head(&ty), Ty::Var(_)) {
                self.report(errors::value_and_function(&name, at, place));
            } else if self.unifier.head(&ty) != Ty::Error {
                let shown = self.unifier.show(&ty);
                let report = errors::value_as_function(&format!("`{name}`"), at);
                self.report(report.label(place, format!("`{name}` is `{shown}`")));
            }
            self.loose_arguments(args);
            return (Kind::Error, Ty::Error);
        };
        if args.len() != wanted.len() {
            let takes = errors::count(wanted.len(), "argument");
            self.report(errors::argument_count(&name, span, &takes, args.len()).label(place, "bound here"));
            self.loose_arguments(args);
            return (Kind::Error, *result);
        }
        let args = self.values(args);
        for (arg, wanted) in args.iter().zip(&wanted) {
            let why = format!("`{name}` is a function of these types");
            self.expect(&arg.ty, wanted, arg.span, Some((place, why)));
        }
        (Kind::Apply { function: id, args }, *result)
    }

    fn call_conversion(&mut self, to: ScalarType, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let mut args = self.values(args);
        if args.len() != 1 {
            self.report(errors::argument_count(to.name(), span, "1 argument", args.len()));
            return (Kind::Error, Ty::Scalar(to));
        }
        let arg = args.remove(0);
        if let Ty::Array(_) = self.unifier.head(&arg.ty) {
            let shown = self.unifier.show(&arg.ty);
            self.report(errors::array_converted(to.name(), arg.span, &shown));
            return (Kind::Error, Ty::Error);
        }
        let fits = self.require(&arg.ty, Classes::SCALAR, arg.span, &format!("`{to}(…)`"));
        (Kind::Convert(to, Box::new(arg)), if fits { Ty::Scalar(to) } else { Ty::Error })
    }

    /// `t(x)`, where `t` is a declared type name of a class of numbers.
    fn call_conversion_to(&mut self, k: usize, at: Span, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let (to, name) = (Ty::Param(k), self.unifier.params[k].0.clone());
        let fits = self.require(&to, Classes::NUM, at, &format!("`{name}(…)`"));
        let mut args = self.values(args);
        if args.len() != 1 {
            self.report(errors::argument_count(&name, span, "1 argument", args.len()));
            return (Kind::Error, to);
        }
        let arg = args.remove(0);
        if fits && self.require(&arg.ty, Classes::SCALAR, arg.span, &format!("`{name}(…)`")) {
            (Kind::ConvertTo(Box::new(arg)), to)
        } else {
            (Kind::Error, to)
        }
    }
}

fn of_def(def: Def) -> Callee {
    match def {
        Def::Function(k) => Callee::Function(k),
        Def::Variant(id, tag) => Callee::Variant(id, tag),
    }
}
