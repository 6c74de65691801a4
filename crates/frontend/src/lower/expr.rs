//! Scalars, tuples, operators and calls.

use super::body::Lower;
use crate::builtins::Builtin;
use crate::typed::{Expr, Kind};
use crate::types::Ty;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::Atom;
use terrace_ir::check::CheckKind;
use terrace_ir::core::{self, Type};
use terrace_syntax::ast::BinaryOp;

impl<'a> Lower<'_, 'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Atom {
        let span = expr.span;
        if let Some(argument) = self.opaque_array(expr) {
            return argument;
        }
        match &expr.kind {
            Kind::Int(value) => self.literal(&expr.ty, *value, false),
            Kind::NegativeInt(value) => self.literal(&expr.ty, *value, true),
            Kind::Real(value) => {
                let ty = self.ty(&expr.ty).scalar().expect("a real is a scalar");
                Atom::Const(Scalar::from_f64(ty, *value).expect("a real is a float"))
            }
            Kind::Bool(b) => Atom::Const(Scalar::Bool(*b)),
            Kind::Str(bytes) => {
                let elem = Type::Scalar(ScalarType::U8);
                let elems = bytes.iter().map(|b| Atom::Const(Scalar::U8(*b))).collect();
                self.emit("text", Type::array(elem.clone()), core::Expr::ArrayLiteral { elem, elems }, span)
            }
            Kind::Local(id) => self.local(*id),
            Kind::Call { function, type_args, args } => {
                let result = self.ty(&expr.ty);
                self.call_expr(*function, type_args, args, result, span)
            }
            Kind::Apply { function, args } => self.apply_local(*function, args, span),
            Kind::Builtin { which: Builtin::Pad, args, .. } => self.pad_expr(args, span),
            Kind::Builtin { which, function, args } => {
                let atoms: Vec<Atom> = args.iter().map(|a| self.argument(a, false)).collect();
                let spans: Vec<Span> = args.iter().map(|a| a.span).collect();
                match function {
                    Some(function) => {
                        let function = self.closure(function);
                        self.bulk(*which, function, &atoms, &spans, span)
                    }
                    None => self.builtin(*which, &atoms, &spans, span),
                }
            }
            Kind::Convert(to, operand) => {
                let operand = self.expr(operand);
                self.convert(*to, operand, span)
            }
            Kind::ConvertTo(operand) => {
                let operand = self.expr(operand);
                let to = self.ty(&expr.ty).scalar().expect("numbers are scalars");
                self.convert(to, operand, span)
            }
            Kind::Unary(op, operand) => {
                let operand = self.expr(operand);
                let ty = self.type_of(operand);
                self.emit("t", ty, core::Expr::Unary(*op, operand), span)
            }
            Kind::Binary(BinaryOp::AndAlso, left, right) => {
                self.short_circuit(left, span, |l| l.expr(right), |_| Atom::Const(Scalar::Bool(false)))
            }
            Kind::Binary(BinaryOp::OrElse, left, right) => {
                self.short_circuit(left, span, |_| Atom::Const(Scalar::Bool(true)), |l| l.expr(right))
            }
            Kind::Binary(BinaryOp::Concat, ..) => {
                let mut parts = Vec::new();
                self.concatenated(expr, &mut parts);
                let ty = self.type_of(parts[0]).without_sizes();
                self.emit("joined", ty, core::Expr::Concat(parts), span)
            }
            Kind::Binary(BinaryOp::Scalar(op), left, right) => {
                let (left, right) = (self.expr(left), self.expr(right));
                self.scalar_operator(*op, left, right, span)
            }
            Kind::Tuple(parts) => {
                let parts: Vec<Atom> = parts.iter().map(|p| self.expr(p)).collect();
                let ty = Type::Tuple(parts.iter().map(|p| self.type_of(*p).without_sizes()).collect());
                self.emit("pair", ty, core::Expr::Tuple(parts), span)
            }
            Kind::Array(elems) => {
                let ty = self.ty(&expr.ty);
                let elem = ty.elem().expect("a literal array is an array").clone();
                let elems = elems.iter().map(|e| self.expr(e)).collect();
                self.emit("xs", ty, core::Expr::ArrayLiteral { elem, elems }, span)
            }
            Kind::Comprehension { body, generators, filter } => {
                self.comprehension(body, generators, filter.as_deref(), span)
            }
            Kind::Index { array, place } => {
                let array = self.expr(array);
                self.read_place(array, place, span)
            }
            Kind::Update { array, place, value } => self.update(array, place, value, span),
            Kind::Record(fields) => self.record(&expr.ty, fields, span),
            Kind::RecordUpdate { record, fields } => self.record_update(&expr.ty, record, fields, span),
            Kind::Project(tuple, k) => {
                let tuple = self.expr(tuple);
                self.project(tuple, *k, span)
            }
            Kind::Variant { tag, fields } => {
                let fields: Vec<Atom> = fields.iter().map(|f| self.expr(f)).collect();
                self.declared_variant(&expr.ty, *tag, fields, span)
            }
            Kind::Match { value, arms } => self.matching(value, arms, span),
            Kind::Range { from, to } => self.range(from, to, span),
            Kind::If { condition, then, otherwise } => {
                self.short_circuit(condition, span, |l| l.expr(then), |l| l.expr(otherwise))
            }
            Kind::Let { bindings, body } => self.bindings(bindings, body),
            Kind::Loop { pattern, init, control, body } => self.repeat(pattern, init, control, body, span),
            Kind::Error => unreachable!("only modules without errors are lowered"),
        }
    }

    fn literal(&mut self, ty: &Ty, value: u64, negative: bool) -> Atom {
        let ty = self.ty(ty).scalar().expect("a number is a scalar");
        Atom::Const(super::literal::number(ty, value, negative))
    }

    /// An argument of a call; in a test, literals are opaque there.
    pub(super) fn argument(&mut self, expr: &'a Expr, whole: bool) -> Atom {
        let opaque = if whole { self.opaque_value(expr) } else { self.opaque_scalar(expr) };
        opaque.unwrap_or_else(|| self.expr(expr))
    }

    fn short_circuit(
        &mut self,
        condition: &'a Expr,
        span: Span,
        then: impl FnOnce(&mut Self) -> Atom,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        let cond = self.expr(condition);
        let then = self.body(then);
        let otherwise = self.body(otherwise);
        let ty = self.type_of(then.result).without_sizes();
        self.emit("t", ty, core::Expr::If { cond, then, otherwise }, span)
    }

    fn concatenated(&mut self, expr: &'a Expr, parts: &mut Vec<Atom>) {
        match &expr.kind {
            Kind::Binary(BinaryOp::Concat, left, right) => {
                self.concatenated(left, parts);
                self.concatenated(right, parts);
            }
            _ => {
                let part = self.expr(expr);
                parts.push(part);
            }
        }
    }

    pub(super) fn convert(&mut self, to: ScalarType, operand: Atom, span: Span) -> Atom {
        if self.scalar_type(operand) == to {
            return operand;
        }
        self.emit("t", Type::Scalar(to), core::Expr::Convert(to, operand), span)
    }

    pub(super) fn scalar_operator(&mut self, op: BinOp, a: Atom, b: Atom, span: Span) -> Atom {
        if op.is_comparison() {
            return self.compare(op, a, b, span);
        }
        let ty = self.scalar_type(a);
        let mut after = Vec::new();
        let zero = Scalar::zero(ty);
        let plainly_not_zero = matches!(b, Atom::Const(d) if d != zero);
        if matches!(op, BinOp::Div | BinOp::Rem) && ty.is_int() && !plainly_not_zero {
            let ok = self.binary("ok", BinOp::Ne, b, Atom::Const(zero), span);
            after.push(self.check(CheckKind::Division, ok, vec![a], span));
        }
        self.emit_after("t", Type::Scalar(ty), core::Expr::Binary(op, a, b), span, after)
    }
}
