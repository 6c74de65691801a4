//! Calls: of functions of the program, of functions that are arguments.
//!
//! ```text
//! f(x)              f has no function parameters: a call of its instance
//! f(|y| y + a, x)   a call of the instance for this lambda, with a as a further argument
//! mean(xs)          a library function: its body, here
//! ```
//!
//! What belongs to one call is expanded in one frame; its checks and statements carry the place of the call in the
//! user's program, because that is where the user can do something about them.

use super::body::Lower;
use super::closure::Closure;
use super::frame::Frame;
use super::free::Mentioned;
use super::{Lowering, is_function};
use crate::typed::{Arg, Expr, Fun, FunKind, LocalId, PatternKind};
use crate::types::Ty;
use std::collections::BTreeSet;
use terrace_base::{BinOp, Span};
use terrace_ir::Atom;
use terrace_ir::core::{self, Type};
use terrace_syntax::ast::BinaryOp;

impl Lowering<'_> {
    /// Whether calls of a function are replaced by its body.
    pub(super) fn is_expanded(&mut self, function: usize) -> bool {
        let header = &self.module.headers[function];
        if self.is_literal(function) {
            return true;
        }
        self.module.modules[header.module].library && !self.is_recursive(function)
    }

    fn is_recursive(&mut self, function: usize) -> bool {
        if let Some(known) = self.recursive.get(&function) {
            return *known;
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![function];
        let mut found = false;
        while let Some(k) = open.pop() {
            let mut mentioned = Mentioned::default();
            mentioned.expr(&self.checked(k).body);
            found |= mentioned.calls.contains(&function);
            open.extend(mentioned.calls.into_iter().filter(|c| seen.insert(*c)));
        }
        self.recursive.insert(function, found);
        found
    }
}

impl<'a> Lower<'_, 'a> {
    /// A call as written.
    pub(super) fn call_expr(
        &mut self,
        function: usize,
        type_args: &[Ty],
        args: &'a [Arg],
        result: Type,
        span: Span,
    ) -> Atom {
        let opaque = !self.all.is_expanded(function);
        let (mut values, mut functions) = (Vec::new(), Vec::new());
        for arg in args {
            match arg {
                Arg::Value(e) => {
                    let atom = self.argument(e, opaque);
                    values.push(atom);
                }
                Arg::Function(f) => functions.push(self.closure(f)),
            }
        }
        let type_args: Vec<Type> = type_args.iter().map(|t| self.ty(t)).collect();
        self.call(function, type_args, values, functions, result, span)
    }

    fn call(
        &mut self,
        function: usize,
        type_args: Vec<Type>,
        values: Vec<Atom>,
        functions: Vec<Closure<'a>>,
        result: Type,
        span: Span,
    ) -> Atom {
        let header = &self.all.module.headers[function];
        let mut values = values.into_iter();
        let mut args: Vec<Option<Atom>> =
            header.params.iter().map(|p| if is_function(p) { None } else { values.next() }).collect();
        self.ascribe_arguments(header, &mut args, &type_args, span);
        if self.all.is_expanded(function) {
            return self.expand(function, type_args, &args, &functions, span);
        }
        let mut atoms: Vec<Atom> = args.into_iter().flatten().collect();
        let mut given = Vec::new();
        for closure in functions {
            let (portable, captured) = self.portable(closure);
            given.push(portable);
            atoms.extend(captured);
        }
        let chain = self.frame().chain.clone();
        let id = self.all.instance(function, type_args, given, chain.as_ref(), span);
        self.emit("t", result, core::Expr::Call { function: id, args: atoms }, span)
    }

    /// The body of a function in place of its call.
    fn expand(
        &mut self,
        function: usize,
        type_args: Vec<Type>,
        args: &[Option<Atom>],
        functions: &[Closure<'a>],
        span: Span,
    ) -> Atom {
        let header = &self.all.module.headers[function];
        let caller = self.frame();
        let mut frame = Frame::new(self.all.checked(function), type_args, caller.chain.clone());
        let library = self.all.module.modules[header.module].library;
        (frame.place, frame.called) = match library {
            true => (Some(caller.place.unwrap_or(span)), caller.called.or(Some(&header.name))),
            false => (caller.place, caller.called),
        };
        let given = header.params.iter().filter(|p| is_function(p)).zip(functions);
        for (param, closure) in given {
            if let PatternKind::Name(id) = param.pattern.kind {
                frame.functions.insert(id, *closure);
            }
        }
        let outside = self.at;
        self.frames.push(frame);
        self.at = self.frames.len() - 1;
        let (result, _) = self.run(header, args, false);
        self.at = outside;
        result
    }

    /// A function that is an argument, applied in place.
    pub(super) fn apply(&mut self, fun: Closure<'a>, args: &[Atom], span: Span) -> Atom {
        match fun {
            Closure::Sizes(array) => self.size_function_at(array, args, span),
            Closure::Written { fun, frame } => {
                let outside = std::mem::replace(&mut self.at, frame);
                let result = self.apply_written(fun, args);
                self.at = outside;
                result
            }
        }
    }

    fn apply_written(&mut self, fun: &'a Fun, args: &[Atom]) -> Atom {
        match &fun.kind {
            FunKind::Lambda { params, body } => {
                for (param, arg) in params.iter().zip(args) {
                    self.bind(param, *arg, fun.span);
                }
                self.expr(body)
            }
            FunKind::Section(op) => self.operator(*op, args[0], args[1], fun.span),
            FunKind::Function { function, type_args } => {
                let result = self.ty(&fun.result);
                let type_args: Vec<Type> = type_args.iter().map(|t| self.ty(t)).collect();
                self.call(*function, type_args, args.to_vec(), Vec::new(), result, fun.span)
            }
            FunKind::Builtin(builtin) => {
                let spans = vec![fun.span; args.len()];
                self.builtin(*builtin, args, &spans, fun.span)
            }
            FunKind::Convert(to) => self.convert(*to, args[0], fun.span),
            FunKind::Variant { tag } => {
                let ty = self.ty(&fun.result);
                self.variant(ty, *tag, args.to_vec(), fun.span)
            }
            FunKind::Param(id) => {
                let closure = self.callable(*id);
                self.apply(closure, args, fun.span)
            }
        }
    }

    /// A call of a function parameter or of a size function.
    pub(super) fn apply_local(&mut self, function: LocalId, args: &'a [Expr], span: Span) -> Atom {
        let args: Vec<Atom> = args.iter().map(|a| self.expr(a)).collect();
        let closure = self.callable(function);
        self.apply(closure, &args, span)
    }

    fn operator(&mut self, op: BinaryOp, a: Atom, b: Atom, span: Span) -> Atom {
        match op {
            BinaryOp::Scalar(op) => self.scalar_operator(op, a, b, span),
            // Both operands are values already: there is nothing left to skip.
            BinaryOp::AndAlso => self.binary("t", BinOp::And, a, b, span),
            BinaryOp::OrElse => self.binary("t", BinOp::Or, a, b, span),
            BinaryOp::Concat => {
                let ty = self.type_of(a).without_sizes();
                self.emit("joined", ty, core::Expr::Concat(vec![a, b]), span)
            }
        }
    }
}
