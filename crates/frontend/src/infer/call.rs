//! Calls: of functions, of built-in functions, of conversions, with functions as arguments.

use super::Infer;
use super::operator::Operand;
use crate::builtins::Builtin;
use crate::errors;
use crate::typed::{Binding, BindingKind, Expr, Fun, FunKind, Kind};
use crate::types::{Classes, Ty};
use terrace_base::{BinOp, ScalarType, Span, UnOp};
use terrace_syntax::ast::{self, BinaryOp, ExprKind};

/// What a name in front of parentheses stands for.
enum Callee {
    Function(usize),
    Builtin(Builtin),
    Convert(ScalarType),
}

impl Infer<'_, '_> {
    fn callee(&mut self, name: &str, span: Span) -> Option<Callee> {
        if self.scope.iter().any(|(n, _)| n == name) {
            self.lookup(name);
            self.report(errors::value_as_function(&format!("`{name}`"), span));
            return None;
        }
        if let Some(k) = self.module.by_name.get(name) {
            return Some(Callee::Function(*k));
        }
        if let Some(scalar) = ScalarType::from_name(name) {
            return Some(Callee::Convert(scalar));
        }
        if let Some(builtin) = Builtin::named(name) {
            return Some(Callee::Builtin(builtin));
        }
        let mut names: Vec<String> = self.module.by_name.keys().cloned().collect();
        names.extend(Builtin::names().map(str::to_string));
        self.report(errors::unknown_function(name, span, &names));
        None
    }

    pub(super) fn call(&mut self, function: &ast::Expr, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        match &function.kind {
            ExprKind::Var(name) => match self.callee(name, function.span) {
                Some(Callee::Function(k)) => self.call_function(k, args, span),
                Some(Callee::Builtin(builtin)) => self.call_builtin(builtin, args, span),
                Some(Callee::Convert(scalar)) => self.call_conversion(scalar, args, span),
                None => {
                    self.arguments(args);
                    (Kind::Error, Ty::Error)
                }
            },
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
                self.report(errors::value_as_function("this", function.span));
                self.arguments(args);
                (Kind::Error, Ty::Error)
            }
        }
    }

    fn arguments(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        args.iter().map(|a| self.expr(a)).collect()
    }

    // `x |> |y| body` is `let y = x in body`.
    fn call_lambda(
        &mut self,
        params: &[ast::LambdaParam],
        body: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
    ) -> (Kind, Ty) {
        let args = self.arguments(args);
        if args.len() != params.len() {
            self.report(errors::argument_count("|…| …", span, &count(params.len()), args.len()));
            return (Kind::Error, Ty::Error);
        }
        let outside = self.scope.len();
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

    /// Fresh types for the declared type names of a function, with its parameter types and its result.
    fn instance(&mut self, k: usize, span: Span) -> (Vec<Ty>, Vec<Ty>, Ty) {
        let declared = self.module.headers[k].type_params.clone();
        let type_args: Vec<Ty> = declared.iter().map(|(_, class)| self.unifier.fresh(*class, span)).collect();
        let params = self.module.headers[k].params.iter().map(|p| p.ty.plain().instantiate(&type_args)).collect();
        let result = self.module.result_of(k, span).instantiate(&type_args);
        (type_args, params, result)
    }

    fn call_function(&mut self, k: usize, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let args = self.arguments(args);
        let (type_args, params, result) = self.instance(k, span);
        let header = &self.module.headers[k];
        if args.len() != params.len() {
            let (name, place) = (header.name.clone(), header.name_span);
            let report = errors::argument_count(&name, span, &count(params.len()), args.len());
            self.report(report.label(place, "defined here"));
            return (Kind::Error, result);
        }
        let places: Vec<Span> = header.params.iter().map(|p| p.ty_span).collect();
        for ((arg, param), place) in args.iter().zip(&params).zip(places) {
            let why = "the type of the parameter is stated here".to_string();
            let fits = self.expect(&arg.ty, param, arg.span, Some((place, why)));
            if !fits && !type_args.is_empty() {
                // What the type names stand for is in doubt: more messages would be guesses.
                return (Kind::Error, Ty::Error);
            }
        }
        (Kind::Call { function: k, type_args, args }, result)
    }

    fn call_conversion(&mut self, to: ScalarType, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let mut args = self.arguments(args);
        if args.len() != 1 {
            self.report(errors::argument_count(to.name(), span, "1 argument", args.len()));
            return (Kind::Error, Ty::Scalar(to));
        }
        let arg = args.remove(0);
        self.require(&arg.ty, Classes::SCALAR, arg.span, &format!("`{to}(…)`"));
        (Kind::Convert(to, Box::new(arg)), Ty::Scalar(to))
    }

    fn call_builtin(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let (enough, wanted) = match builtin.arity() {
            Some(n) => (args.len() == n, count(n)),
            None => (args.len() >= 2, "2 arguments or more".to_string()),
        };
        if !enough {
            self.report(errors::argument_count(builtin.name(), span, &wanted, args.len()));
            self.arguments(if builtin.takes_function() { args.get(1..).unwrap_or_default() } else { args });
            return (Kind::Error, Ty::Error);
        }
        if !builtin.takes_function() {
            let args = self.arguments(args);
            let operands: Vec<Operand<'_>> = args.iter().map(|a| (&a.ty, a.span)).collect();
            let ty = self.builtin_type(builtin, &operands, span);
            return (Kind::Builtin { which: builtin, function: None, args }, ty);
        }
        let name = builtin.name();
        if let ExprKind::Var(local) = &args[0].kind
            && self.lookup(local).is_some()
        {
            let report = errors::value_as_function(&format!("`{local}`"), args[0].span);
            self.report(report.hint(format!("the function comes first: `{name}(f, …)`")));
            return (Kind::Error, Ty::Error);
        }
        let rest = self.arguments(&args[1..]);
        let who = format!("`{name}`");
        let (wanted, result, ty) = match builtin {
            Builtin::Map => {
                let elems: Vec<Ty> = rest.iter().map(|a| self.element_type(&a.ty, a.span, &who)).collect();
                let result = self.fresh(args[0].span);
                (elems, result.clone(), Ty::array(result))
            }
            Builtin::Filter => {
                let elem = self.element_type(&rest[0].ty, rest[0].span, &who);
                (vec![elem], Ty::BOOL, rest[0].ty.clone())
            }
            _ => {
                let elem = self.element_type(&rest[1].ty, rest[1].span, &who);
                let why = "the elements of this array have another type".to_string();
                self.expect(&rest[0].ty, &elem, rest[0].span, Some((rest[1].span, why)));
                let ty = if builtin == Builtin::Reduce { elem.clone() } else { Ty::array(elem.clone()) };
                (vec![elem.clone(), elem.clone()], elem, ty)
            }
        };
        match self.function_argument(&args[0], &wanted, &result, name) {
            Some(fun) => (Kind::Builtin { which: builtin, function: Some(Box::new(fun)), args: rest }, ty),
            None => (Kind::Error, if builtin == Builtin::Map { Ty::array(Ty::Error) } else { ty }),
        }
    }

    /// A function where one is an argument, at the types it is used at.
    fn function_argument(&mut self, expr: &ast::Expr, wanted: &[Ty], result: &Ty, of: &str) -> Option<Fun> {
        let span = expr.span;
        let arity = |infer: &mut Self, found: usize| {
            if found != wanted.len() {
                infer.report(errors::function_arity(span, wanted.len(), found, of));
            }
            found == wanted.len()
        };
        let (kind, found, place) = match &expr.kind {
            ExprKind::Lambda { params, body } => {
                if !arity(self, params.len()) {
                    return None;
                }
                let outside = self.scope.len();
                let mut patterns = Vec::new();
                for (param, ty) in params.iter().zip(wanted) {
                    if let Some(stated) = &param.ty {
                        let stated = self.read_type(stated).plain();
                        self.expect(ty, &stated, param.pattern.span, None);
                    }
                    patterns.push(self.pattern(&param.pattern, ty));
                }
                let body = self.expr(body);
                self.scope.truncate(outside);
                let (ty, place) = (body.ty.clone(), body.span);
                (FunKind::Lambda { params: patterns, body }, ty, place)
            }
            ExprKind::Section(op) => {
                if !arity(self, 2) {
                    return None;
                }
                let ty = self.operator(*op, span, (&wanted[0], span), (&wanted[1], span));
                (FunKind::Section(*op), ty, span)
            }
            ExprKind::Var(name) => match self.callee(name, span)? {
                Callee::Function(k) => {
                    let (type_args, params, ty) = self.instance(k, span);
                    if !arity(self, params.len()) {
                        return None;
                    }
                    for (wanted, param) in wanted.iter().zip(&params) {
                        let why = format!("this is what `{of}` passes");
                        self.expect(param, wanted, span, Some((span, why)));
                    }
                    (FunKind::Function { function: k, type_args }, ty, span)
                }
                Callee::Builtin(builtin) if !builtin.takes_function() => {
                    if !arity(self, builtin.arity().unwrap_or(wanted.len())) {
                        return None;
                    }
                    let operands: Vec<Operand<'_>> = wanted.iter().map(|ty| (ty, span)).collect();
                    (FunKind::Builtin(builtin), self.builtin_type(builtin, &operands, span), span)
                }
                Callee::Builtin(builtin) => {
                    self.report(errors::not_built(span, &format!("`{}` as an argument", builtin.name())));
                    return None;
                }
                Callee::Convert(to) => {
                    if !arity(self, 1) {
                        return None;
                    }
                    self.require(&wanted[0], Classes::SCALAR, span, &format!("`{to}(…)`"));
                    (FunKind::Convert(to), Ty::Scalar(to), span)
                }
            },
            _ => {
                self.expr(expr);
                self.report(errors::value_as_function("this", span).hint(format!("`{of}` takes a function first")));
                return None;
            }
        };
        let why = format!("the function that `{of}` applies");
        self.expect(&found, result, place, (place != span).then_some((span, why)));
        Some(Fun { span, result: found, kind })
    }

    /// The type of a built-in function without function arguments.
    fn builtin_type(&mut self, builtin: Builtin, args: &[Operand<'_>], span: Span) -> Ty {
        let who = format!("`{}`", builtin.name());
        let (ty, place) = args[0];
        match builtin {
            Builtin::Sum | Builtin::Product | Builtin::Minimum | Builtin::Maximum => {
                let classes = match builtin {
                    Builtin::Sum | Builtin::Product => Classes::NUM,
                    _ => Classes::SCALAR,
                };
                let elem = self.element_type(ty, place, &who);
                if self.require(&elem, classes, place, &format!("the elements: {who}")) { elem } else { Ty::Error }
            }
            Builtin::Any | Builtin::All | Builtin::Count => {
                let elem = self.element_type(ty, place, &who);
                let why = format!("{who} looks at truth values");
                self.expect(&elem, &Ty::BOOL, place, Some((span, why)));
                if builtin == Builtin::Count { Ty::I64 } else { Ty::BOOL }
            }
            Builtin::Len => {
                self.element_type(ty, place, &who);
                Ty::I64
            }
            Builtin::Iota | Builtin::Replicate => {
                self.require(ty, Classes::INT, place, &format!("the length of {who}"));
                Ty::array(args.get(1).map_or(Ty::I64, |a| a.0.clone()))
            }
            Builtin::Zip => {
                Ty::array(Ty::Tuple(args.iter().map(|(ty, at)| self.element_type(ty, *at, &who)).collect()))
            }
            Builtin::Min | Builtin::Max => {
                let op = if builtin == Builtin::Min { BinOp::Min } else { BinOp::Max };
                self.operator(BinaryOp::Scalar(op), span, args[0], args[1])
            }
            Builtin::Unary(op) => {
                let classes = if op == UnOp::Abs { Classes::NUM } else { Classes::FLOAT };
                if self.require(ty, classes, place, &who) { ty.clone() } else { Ty::Error }
            }
            Builtin::Map | Builtin::Filter | Builtin::Reduce | Builtin::Scan => {
                unreachable!("these take a function and are typed with it")
            }
        }
    }
}

fn count(n: usize) -> String {
    match n {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    }
}
