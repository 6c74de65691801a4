//! The built-in functions as Core.
//!
//! ```text
//! sum(xs)         reduce (a, b) { add a b } from 0 in xs
//! count(bs)       sum of map (b) { convert i64 b }
//! minimum(xs)     check: not empty; reduce (a, b) { min a b } from the greatest value in xs
//! ```

use super::body::{BOOL, I64, Lower};
use crate::builtins::Builtin;
use crate::typed::Fun;
use terrace_base::{BinOp, ScalarType, Span, neutral};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{self, Expr, Type};

impl Lower<'_, '_> {
    /// A built-in function without function arguments.
    pub(super) fn builtin(&mut self, which: Builtin, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        match which {
            Builtin::Sum => self.combined(BinOp::Add, args[0], Vec::new(), span),
            Builtin::Product => self.combined(BinOp::Mul, args[0], Vec::new(), span),
            Builtin::Any => self.combined(BinOp::Or, args[0], Vec::new(), span),
            Builtin::All => self.combined(BinOp::And, args[0], Vec::new(), span),
            Builtin::Minimum | Builtin::Maximum => {
                let len = self.length(args[0], span);
                let some = self.binary("some", BinOp::Lt, Atom::int(0), len, span);
                let kind = CheckKind::Assert(format!("{} of an empty array", which.name()));
                let check = self.check(kind, some, Vec::new(), span);
                let op = if which == Builtin::Minimum { BinOp::Min } else { BinOp::Max };
                self.combined(op, args[0], vec![check], span)
            }
            Builtin::Count => {
                let lambda = self.lambda(vec![("b".to_string(), BOOL)], |l, b| l.convert(ScalarType::I64, b[0], span));
                let map = Expr::Map { lambda, arrays: vec![args[0]] };
                let ones = self.emit("ones", Type::array(I64), map, span);
                self.combined(BinOp::Add, ones, Vec::new(), span)
            }
            Builtin::Len => self.length(args[0], span),
            Builtin::Iota => {
                let (count, after) = self.count(args[0], spans[0]);
                self.emit_after("ids", Type::array(I64), Expr::Iota(count), span, after)
            }
            Builtin::Replicate => {
                let (count, after) = self.count(args[0], spans[0]);
                let ty = Type::array(self.type_of(args[1]).without_sizes());
                self.emit_after("copies", ty, Expr::Replicate { count, value: args[1] }, span, after)
            }
            Builtin::Zip => {
                let after = self.same_lengths(args, spans);
                let elem = Type::Tuple(args.iter().map(|a| self.elem_type(*a)).collect());
                self.emit_after("zipped", Type::array(elem), Expr::Zip(args.to_vec()), span, after)
            }
            Builtin::Min => self.binary("t", BinOp::Min, args[0], args[1], span),
            Builtin::Max => self.binary("t", BinOp::Max, args[0], args[1], span),
            Builtin::Unary(op) => {
                let ty = self.type_of(args[0]);
                self.emit("t", ty, Expr::Unary(op, args[0]), span)
            }
            Builtin::Map | Builtin::Filter | Builtin::Reduce | Builtin::Scan => {
                unreachable!("these take a function and are lowered with it")
            }
        }
    }

    /// A reduction by a scalar operator.
    pub(super) fn combined(&mut self, op: BinOp, array: Atom, after: Vec<CheckId>, span: Span) -> Atom {
        let elem = self.elem_type(array);
        let scalar = elem.scalar().expect("inference reduces arrays of scalars by scalar operators");
        let start = neutral(op, scalar).expect("the operators used here have neutral elements");
        let params = vec![("a".to_string(), elem.clone()), ("b".to_string(), elem.clone())];
        let operator = self.lambda(params, |l, p| l.binary("t", op, p[0], p[1], span));
        let reduce = Expr::Reduce { operator, neutral: Atom::Const(start), array };
        self.emit_after("total", elem, reduce, span, after)
    }

    /// A built-in function with a function argument.
    pub(super) fn bulk(&mut self, which: Builtin, fun: &Fun, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        match which {
            Builtin::Map => {
                let after = self.same_lengths(args, spans);
                let params = args.iter().map(|a| ("x".to_string(), self.elem_type(*a))).collect();
                let lambda = self.lambda(params, |l, p| l.apply(fun, p));
                let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
                self.emit_after("out", ty, Expr::Map { lambda, arrays: args.to_vec() }, span, after)
            }
            Builtin::Filter => {
                let elem = self.elem_type(args[0]);
                let predicate = self.lambda(vec![("x".to_string(), elem.clone())], |l, p| l.apply(fun, p));
                self.emit("kept", Type::array(elem), Expr::Filter { predicate, array: args[0] }, span)
            }
            _ => {
                let (neutral, array) = (args[0], args[1]);
                let elem = self.elem_type(array);
                let params = vec![("a".to_string(), elem.clone()), ("b".to_string(), elem.clone())];
                let operator: core::Lambda = self.lambda(params, |l, p| l.apply(fun, p));
                if which == Builtin::Reduce {
                    self.emit("total", elem, Expr::Reduce { operator, neutral, array }, span)
                } else {
                    self.emit("prefixes", Type::array(elem), Expr::Scan { operator, neutral, array }, span)
                }
            }
        }
    }
}
