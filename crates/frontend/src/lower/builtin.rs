//! The built-in functions as Core.
//!
//! ```text
//! sum(xs)         reduce (a, b) { add a b } from 0 in xs
//! count(bs)       sum of map (b) { convert i64 b }
//! minimum(xs)     check: not empty; reduce (a, b) { min a b } from the greatest value in xs
//! ```
//!
//! What is no number is compared by the total order: `if b precedes a then b else a`, from the last value of the type, or
//! from the first element where there is none. Operators that
//! change shapes stand in `shape.rs`.

use super::body::{BOOL, I64, Lower};
use super::closure::Closure;
use crate::builtins::Builtin;
use terrace_base::{BinOp, ScalarType, Span, neutral};
use terrace_ir::Atom;
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{self, Expr, Type};

impl<'a> Lower<'_, 'a> {
    /// A built-in function without function arguments.
    pub(super) fn builtin(&mut self, which: Builtin, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        match which {
            Builtin::Sum => self.combined(BinOp::Add, args[0], Vec::new(), span),
            Builtin::Product => self.combined(BinOp::Mul, args[0], Vec::new(), span),
            Builtin::Any => self.combined(BinOp::Or, args[0], Vec::new(), span),
            Builtin::All => self.combined(BinOp::And, args[0], Vec::new(), span),
            Builtin::Minimum | Builtin::Maximum => self.extreme(which, args[0], span),
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
            Builtin::Min | Builtin::Max => self.extreme_of_two(which == Builtin::Min, args[0], args[1], span),
            Builtin::Precedes => self.precedes(args[0], args[1], span),
            Builtin::Binary(op) => self.binary("t", op, args[0], args[1], span),
            Builtin::Unary(op) => {
                let ty = self.type_of(args[0]);
                self.emit("t", ty, Expr::Unary(op, args[0]), span)
            }
            Builtin::Unzip => {
                let Type::Tuple(parts) = self.elem_type(args[0]) else {
                    unreachable!("inference gives `unzip` an array of tuples")
                };
                let columns: Vec<Atom> = (0..parts.len()).map(|k| self.column(args[0], k, span)).collect();
                let ty = Type::Tuple(parts.into_iter().map(Type::array).collect());
                self.emit("unzipped", ty, Expr::Tuple(columns), span)
            }
            Builtin::Scatter => self.scatter(args, spans, span),
            Builtin::SortByKeys => {
                let after = self.same_lengths(args, spans);
                let ty = self.type_of(args[1]).without_sizes();
                self.emit_after("sorted", ty, Expr::Sort { keys: args[0], array: args[1] }, span, after)
            }
            Builtin::Flatten => {
                let ty = self.elem_type(args[0]);
                self.emit("joined", ty, Expr::Flatten(args[0]), span)
            }
            Builtin::PartitionBy => self.partition_by(args, spans, span),
            Builtin::Split => self.split(args, spans, span),
            Builtin::Slide => self.slide(args, spans, span),
            Builtin::Pad => self.pad(args, spans, span),
            Builtin::Rotate => {
                let by = self.as_i64(args[0], spans[0]);
                let ty = self.type_of(args[1]).without_sizes();
                self.emit("rotated", ty, Expr::Rotate { by, array: args[1] }, span)
            }
            Builtin::Transpose => self.transpose(args[0], span),
            Builtin::Map | Builtin::Filter | Builtin::Reduce | Builtin::Scan | Builtin::Hist => {
                unreachable!("these take a function and are lowered with it")
            }
        }
    }

    fn column(&mut self, array: Atom, k: usize, span: Span) -> Atom {
        let elem = self.elem_type(array);
        let lambda = self.lambda(vec![("x".to_string(), elem)], |l, x| l.project(x[0], k, span));
        let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
        self.emit("column", ty, Expr::Map { lambda, arrays: vec![array] }, span)
    }

    /// Whether one value stands strictly before another in the total order.
    pub(super) fn precedes(&mut self, a: Atom, b: Atom, span: Span) -> Atom {
        match self.type_of(a).scalar() {
            Some(s) if !s.is_float() => self.binary("t", BinOp::Lt, a, b, span),
            _ => self.emit("t", BOOL, Expr::Precedes(a, b), span),
        }
    }

    fn extreme(&mut self, which: Builtin, array: Atom, span: Span) -> Atom {
        let check = self.check_not_empty(array, which.name(), span);
        let (elem, least) = (self.elem_type(array), which == Builtin::Minimum);
        if elem.scalar().is_some() {
            let op = if least { BinOp::Min } else { BinOp::Max };
            return self.combined(op, array, vec![check], span);
        }
        let neutral = self.outermost(&elem, !least, span).unwrap_or_else(|| {
            let first = Expr::Index { array, index: Atom::int(0) };
            self.emit_after("first", elem.clone(), first, span, vec![check])
        });
        let params = vec![("a".to_string(), elem.clone()), ("b".to_string(), elem.clone())];
        let operator = self.lambda(params, |l, p| l.extreme_of_two(least, p[0], p[1], span));
        self.emit_after("total", elem, Expr::Reduce { operator, neutral, array }, span, vec![check])
    }

    /// The first or the last value of a type in the total order; no array is the last of all.
    fn outermost(&mut self, ty: &Type, first: bool, span: Span) -> Option<Atom> {
        match ty {
            Type::Scalar(s) => neutral(if first { BinOp::Max } else { BinOp::Min }, *s).map(Atom::Const),
            Type::Array(_) if first => Some(self.default_value(ty, span)),
            Type::Array(_) => None,
            Type::Tuple(parts) => {
                let parts: Option<Vec<Atom>> = parts.iter().map(|p| self.outermost(p, first, span)).collect();
                Some(self.emit("bound", ty.clone(), Expr::Tuple(parts?), span))
            }
            Type::Sum(variants) => {
                let tag = if first { 0 } else { variants.len() - 1 };
                let fields = variants[tag].fields.iter().map(|f| self.outermost(f, first, span));
                let fields: Option<Vec<Atom>> = fields.collect();
                Some(self.variant(ty.clone(), tag, fields?, span))
            }
        }
    }

    fn extreme_of_two(&mut self, least: bool, a: Atom, b: Atom, span: Span) -> Atom {
        let ty = self.type_of(a).without_sizes();
        if ty.scalar().is_some() {
            return self.binary("t", if least { BinOp::Min } else { BinOp::Max }, a, b, span);
        }
        let cond = if least { self.precedes(b, a, span) } else { self.precedes(a, b, span) };
        let (then, otherwise) = (self.body(|_| b), self.body(|_| a));
        self.emit("t", ty, Expr::If { cond, then, otherwise }, span)
    }

    /// Checks that an array has an element; `what` is the function that needs one.
    fn check_not_empty(&mut self, array: Atom, what: &str, span: Span) -> CheckId {
        let len = self.length(array, span);
        let some = self.binary("some", BinOp::Lt, Atom::int(0), len, span);
        let kind = self.empty_kind(what);
        self.check(kind, some, Vec::new(), span)
    }

    /// The kind of check for an empty array; it names the function that the user called.
    pub(super) fn empty_kind(&self, what: &str) -> CheckKind {
        CheckKind::Empty(self.frame().called.unwrap_or(what).to_string())
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
    pub(super) fn bulk(&mut self, which: Builtin, fun: Closure<'a>, args: &[Atom], spans: &[Span], span: Span) -> Atom {
        match which {
            Builtin::Map => {
                let after = self.same_lengths(args, spans);
                let params = args.iter().map(|a| ("x".to_string(), self.elem_type(*a))).collect();
                let lambda = self.lambda(params, |l, p| l.apply(fun, p, span));
                let ty = Type::array(self.type_of(lambda.body.result).without_sizes());
                self.emit_after("out", ty, Expr::Map { lambda, arrays: args.to_vec() }, span, after)
            }
            Builtin::Filter => {
                let elem = self.elem_type(args[0]);
                let predicate = self.lambda(vec![("x".to_string(), elem.clone())], |l, p| l.apply(fun, p, span));
                self.emit("kept", Type::array(elem), Expr::Filter { predicate, array: args[0] }, span)
            }
            Builtin::Hist => self.hist(fun, args, spans, span),
            _ => {
                let (neutral, array) = (args[0], args[1]);
                let elem = self.elem_type(array);
                let params = vec![("a".to_string(), elem.clone()), ("b".to_string(), elem.clone())];
                let operator: core::Lambda = self.lambda(params, |l, p| l.apply(fun, p, span));
                if which == Builtin::Reduce {
                    self.emit("total", elem, Expr::Reduce { operator, neutral, array }, span)
                } else {
                    self.emit("prefixes", Type::array(elem), Expr::Scan { operator, neutral, array }, span)
                }
            }
        }
    }
}
