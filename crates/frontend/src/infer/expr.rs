//! The types of expressions, form by form.

use super::Infer;
use crate::errors;
use crate::typed::{Binding, BindingKind, Control, Expr, Generator, GeneratorKind, Kind, Pattern, PatternKind};
use crate::types::{Classes, Ty};
use terrace_base::{Diagnostic, Span, UnOp};
use terrace_syntax::ast::{self, ExprKind};

impl Infer<'_, '_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let span = expr.span;
        let (kind, ty) = match &expr.kind {
            ExprKind::Int { value, suffix } => self.integer(*value, *suffix, false, span),
            ExprKind::Real { value, suffix } => {
                let ty = match suffix {
                    Some(s) => Ty::Scalar(*s),
                    None => self.unifier.fresh(Classes::FLOAT, span),
                };
                (Kind::Real(*value), ty)
            }
            ExprKind::Bool(b) => (Kind::Bool(*b), Ty::BOOL),
            ExprKind::Str(text) => (Kind::Str(text.as_bytes().to_vec()), Ty::array(Ty::U8)),
            ExprKind::Var(name) => self.variable(name, span),
            ExprKind::Call { function, args, .. } => self.call(function, args, span),
            ExprKind::Unary { op, operand } => self.unary(*op, operand, span),
            ExprKind::Binary { op, op_span, left, right } => {
                let (left, right) = (self.expr(left), self.expr(right));
                let ty = self.operator(*op, *op_span, (&left.ty, left.span), (&right.ty, right.span));
                (Kind::Binary(*op, Box::new(left), Box::new(right)), ty)
            }
            ExprKind::Section(_) | ExprKind::Lambda { .. } => {
                self.report(errors::stray_lambda(span));
                (Kind::Error, Ty::Error)
            }
            ExprKind::Tuple(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|p| self.expr(p)).collect();
                let ty = Ty::Tuple(parts.iter().map(|p| p.ty.clone()).collect());
                (Kind::Tuple(parts), ty)
            }
            ExprKind::Array(elems) => self.array(elems, span),
            ExprKind::Comprehension { body, generators, filter } => {
                self.comprehension(body, generators, filter.as_deref())
            }
            ExprKind::Index { array, place } => self.index(array, place),
            ExprKind::Update { array, place, value } => {
                let array = self.expr(array);
                self.update(array, place, value)
            }
            ExprKind::Record { path, fields } => self.record(path, fields, span),
            ExprKind::RecordUpdate { record, fields } => self.record_update(record, fields),
            ExprKind::Field { value, name } => self.field(expr, value, name),
            ExprKind::Component { value, index } => self.component(value, *index),
            ExprKind::Match { value, arms } => self.match_(value, arms, span),
            ExprKind::Range { from, to } => {
                let (from, to) = (self.expr(from), self.expr(to));
                let why = "a range has two ends of one type".to_string();
                let fits = self.require(&from.ty, Classes::INT, from.span, "a range")
                    && self.expect(&to.ty, &from.ty, to.span, Some((from.span, why)));
                let ty = if fits { Ty::array(from.ty.clone()) } else { Ty::Error };
                let (from, to) = (Box::new(from), Box::new(to));
                (Kind::Range { from, to }, ty)
            }
            ExprKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition, "a condition is true or false");
                let (then, otherwise) = (self.expr(then), self.expr(otherwise));
                let why = "both branches have one type, and this one comes first".to_string();
                self.expect(&otherwise.ty, &then.ty, otherwise.span, Some((then.span, why)));
                let ty = then.ty.clone();
                let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
                (Kind::If { condition, then, otherwise }, ty)
            }
            ExprKind::Let { bindings, body } => self.bindings(bindings, body),
            ExprKind::Loop { pattern, init, control, body } => self.repeat(pattern, init, control, body),
        };
        Expr { span, ty, kind }
    }

    fn integer(
        &mut self,
        value: u64,
        suffix: Option<terrace_base::ScalarType>,
        negative: bool,
        span: Span,
    ) -> (Kind, Ty) {
        let ty = match suffix {
            Some(s) => Ty::Scalar(s),
            None => self.unifier.fresh(Classes::NUM, span),
        };
        self.literals.push((span, value, negative, ty.clone()));
        (if negative { Kind::NegativeInt(value) } else { Kind::Int(value) }, ty)
    }

    fn unary(&mut self, op: ast::UnaryOp, operand: &ast::Expr, span: Span) -> (Kind, Ty) {
        if let (ast::UnaryOp::Neg, ExprKind::Int { value, suffix }) = (op, &operand.kind) {
            return self.integer(*value, *suffix, true, span);
        }
        let operand = self.expr(operand);
        let (op, classes) = match op {
            ast::UnaryOp::Neg => (UnOp::Neg, Classes::NUM),
            ast::UnaryOp::Not => (UnOp::Not, Classes::BITS),
        };
        let fits = self.require(&operand.ty, classes, operand.span, &format!("`{}`", op.symbol()));
        let ty = if fits { operand.ty.clone() } else { Ty::Error };
        (Kind::Unary(op, Box::new(operand)), ty)
    }

    fn array(&mut self, elems: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let elem = self.fresh(span);
        let elems: Vec<Expr> = elems.iter().map(|e| self.expr(e)).collect();
        if let Some(first) = elems.first() {
            for e in &elems {
                let why = "the elements of an array have one type, and this one comes first".to_string();
                self.expect(&e.ty, &elem, e.span, (e.span != first.span).then_some((first.span, why)));
            }
        }
        (Kind::Array(elems), Ty::array(elem))
    }

    pub(super) fn condition(&mut self, condition: &ast::Expr, why: &str) -> Expr {
        let condition = self.expr(condition);
        if let Err(clash) = self.unifier.unify(&condition.ty, &Ty::BOOL, condition.span)
            && clash != crate::unify::Clash::Infinite
        {
            let shown = self.unifier.show(&condition.ty);
            let report = Diagnostic::error("T0100", format!("expected `bool`, found `{shown}`"))
                .primary(condition.span, format!("this is `{shown}`"))
                .note(why);
            self.report(report);
        }
        condition
    }

    fn count(&mut self, bound: &ast::Expr) -> Expr {
        let bound = self.expr(bound);
        self.require(&bound.ty, Classes::INT, bound.span, "a count");
        bound
    }

    /// An expression that must be an array, and the type of its elements.
    fn elements_of(&mut self, array: &ast::Expr, what: &str) -> (Expr, Ty) {
        let array = self.expr(array);
        let elem = self.element_type(&array.ty, array.span, what);
        (array, elem)
    }

    fn comprehension(
        &mut self,
        body: &ast::Expr,
        generators: &[ast::Generator],
        filter: Option<&ast::Expr>,
    ) -> (Kind, Ty) {
        let outside = self.scope.depth();
        // Sources are outside the names that the comprehension binds.
        let sources: Vec<(Expr, Ty)> = generators
            .iter()
            .map(|g| match &g.kind {
                ast::GeneratorKind::In { array, .. } => self.elements_of(array, "`for … in`"),
                ast::GeneratorKind::Count { bound, .. } => (self.count(bound), Ty::I64),
            })
            .collect();
        let mut typed = Vec::new();
        for (generator, (source, elem)) in generators.iter().zip(sources) {
            let kind = match &generator.kind {
                ast::GeneratorKind::In { pattern, .. } => {
                    GeneratorKind::In { pattern: self.pattern(pattern, &elem), array: source }
                }
                ast::GeneratorKind::Count { var, .. } => {
                    GeneratorKind::Count { var: self.bind(&var.text, var.span, Ty::I64), bound: source }
                }
            };
            typed.push(Generator { span: generator.span, kind });
        }
        let filter = filter.map(|f| Box::new(self.condition(f, "a filter is true or false")));
        let body = Box::new(self.expr(body));
        self.scope.truncate(outside);
        let ty = Ty::array(body.ty.clone());
        (Kind::Comprehension { body, generators: typed, filter }, ty)
    }

    fn bindings(&mut self, bindings: &[ast::Binding], body: &ast::Expr) -> (Kind, Ty) {
        let outside = self.scope.depth();
        let mut typed = Vec::new();
        for binding in bindings {
            let kind = match &binding.kind {
                ast::BindingKind::Let { pattern, ty, value } => {
                    let value = self.expr(value);
                    let sizes = ty.as_ref().map(|ty| (self.read_type(ty), ty.span));
                    let mut bound = value.ty.clone();
                    if let Some((sizes, span)) = &sizes {
                        bound = sizes.plain();
                        let why = "the type is stated here".to_string();
                        self.expect(&value.ty, &bound, value.span, Some((*span, why)));
                    }
                    let sizes = sizes.map(|s| s.0);
                    BindingKind::Let { pattern: self.pattern(pattern, &bound), sizes, value }
                }
                ast::BindingKind::Update { name, place, value } => self.rebinding(name, place, value),
                ast::BindingKind::Assert { condition, message } => BindingKind::Assert {
                    condition: self.condition(condition, "an assertion is true or false"),
                    message: message.clone(),
                },
            };
            typed.push(Binding { span: binding.span, kind });
        }
        let body = Box::new(self.expr(body));
        self.scope.truncate(outside);
        let ty = body.ty.clone();
        (Kind::Let { bindings: typed, body }, ty)
    }

    /// `let xs[i] = v` is `let xs = xs with [i] = v`.
    fn rebinding(&mut self, name: &ast::Name, place: &ast::Place, value: &ast::Expr) -> BindingKind {
        let (kind, ty) = self.variable(&name.text, name.span);
        let array = Expr { span: name.span, ty, kind };
        let span = name.span.to(value.span);
        let (kind, ty) = self.update(array, place, value);
        let id = self.bind(&name.text, name.span, ty.clone());
        let pattern = Pattern { span: name.span, ty: ty.clone(), kind: PatternKind::Name(id) };
        BindingKind::Let { pattern, sizes: None, value: Expr { span, ty, kind } }
    }

    fn repeat(
        &mut self,
        pattern: &ast::Pattern,
        init: &ast::Expr,
        control: &ast::LoopControl,
        body: &ast::Expr,
    ) -> (Kind, Ty) {
        let outside = self.scope.depth();
        let init = self.expr(init);
        let source = match control {
            ast::LoopControl::While(_) => None,
            ast::LoopControl::Count { bound, .. } => Some((self.count(bound), Ty::I64)),
            ast::LoopControl::Each { array, .. } => Some(self.elements_of(array, "`for … in`")),
        };
        let pattern = self.pattern(pattern, &init.ty);
        let control = match (control, source) {
            (ast::LoopControl::Count { var, .. }, Some((bound, _))) => {
                Control::Count { var: self.bind(&var.text, var.span, Ty::I64), bound: Box::new(bound) }
            }
            (ast::LoopControl::Each { pattern, .. }, Some((array, elem))) => {
                Control::Each { pattern: self.pattern(pattern, &elem), array: Box::new(array) }
            }
            (ast::LoopControl::While(condition), _) => {
                Control::While(Box::new(self.condition(condition, "a loop goes on while this is true")))
            }
            (_, None) => unreachable!("counts and arrays were typed above"),
        };
        let body = Box::new(self.expr(body));
        let why = "the state of a loop keeps its type, and this is where it starts".to_string();
        self.expect(&body.ty, &init.ty, body.span, Some((init.span, why)));
        self.scope.truncate(outside);
        let ty = init.ty.clone();
        (Kind::Loop { pattern, init: Box::new(init), control, body }, ty)
    }
}
