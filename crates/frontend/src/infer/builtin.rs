//! What built-in functions take and give.

use super::Infer;
use super::operator::Operand;
use crate::builtins::Builtin;
use crate::errors;
use crate::typed::{Expr, Kind};
use crate::types::{Classes, Ty};
use terrace_base::{BinOp, Diagnostic, Span, UnOp};
use terrace_syntax::ast::{self, BinaryOp, ExprKind};

impl Infer<'_, '_> {
    pub(super) fn call_builtin(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> (Kind, Ty) {
        let (enough, wanted) = match builtin.arity() {
            Some(n) => (args.len() == n, errors::count(n, "argument")),
            None => (args.len() >= 2, "2 arguments or more".to_string()),
        };
        if !enough {
            self.report(errors::argument_count(builtin.name(), span, &wanted, args.len()));
            self.loose_arguments(args);
            return (Kind::Error, Ty::Error);
        }
        if builtin.takes_function() {
            return self.call_with_function(builtin, args);
        }
        let args = self.values(args);
        let operands: Vec<Operand<'_>> = args.iter().map(|a| (&a.ty, a.span)).collect();
        let ty = self.builtin_type(builtin, &operands, span);
        (Kind::Builtin { which: builtin, function: None, args }, ty)
    }

    fn call_with_function(&mut self, builtin: Builtin, args: &[ast::Expr]) -> (Kind, Ty) {
        let name = builtin.name();
        if let ExprKind::Var(local) = &args[0].kind
            && let Some(id) = self.scope.find(local)
            && !matches!(self.unifier.head(&self.locals[id.index()].ty), Ty::Function(..) | Ty::Var(_) | Ty::Error)
        {
            self.lookup(local);
            let report = errors::value_as_function(&format!("`{local}`"), args[0].span);
            self.report(report.hint(format!("the function comes first: `{name}(f, …)`")));
            self.loose_arguments(&args[1..]);
            return (Kind::Error, Ty::Error);
        }
        let rest = self.values(&args[1..]);
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
            Builtin::Hist => {
                self.require(&rest[1].ty, Classes::INT, rest[1].span, "the number of bins of `hist`");
                self.integers(&rest[2].ty, rest[2].span, "an index of `hist`");
                let elem = self.combined(&rest[0], &rest[3], &who);
                (vec![elem.clone(), elem.clone()], elem.clone(), Ty::array(elem))
            }
            _ => {
                let elem = self.combined(&rest[0], &rest[1], &who);
                let ty = if builtin == Builtin::Reduce { elem.clone() } else { Ty::array(elem.clone()) };
                (vec![elem.clone(), elem.clone()], elem, ty)
            }
        };
        match self.function_argument(&args[0], &wanted, &result, name) {
            Some(fun) => (Kind::Builtin { which: builtin, function: Some(Box::new(fun)), args: rest }, ty),
            None => (Kind::Error, if builtin == Builtin::Map { Ty::array(Ty::Error) } else { ty }),
        }
    }

    /// The type that an operator combines: of a neutral element and of the elements of an array.
    fn combined(&mut self, neutral: &Expr, array: &Expr, who: &str) -> Ty {
        let elem = self.element_type(&array.ty, array.span, who);
        let why = "the elements of this array have another type".to_string();
        self.expect(&neutral.ty, &elem, neutral.span, Some((array.span, why)));
        elem
    }

    /// An array of integers.
    fn integers(&mut self, ty: &Ty, span: Span, who: &str) {
        let elem = self.element_type(ty, span, who);
        self.require(&elem, Classes::INT, span, who);
    }

    /// The type of a built-in function without function arguments.
    pub(super) fn builtin_type(&mut self, builtin: Builtin, args: &[Operand<'_>], span: Span) -> Ty {
        let who = format!("`{}`", builtin.name());
        let (ty, place) = args[0];
        match builtin {
            Builtin::Sum | Builtin::Product | Builtin::Minimum | Builtin::Maximum => {
                let classes = match builtin {
                    Builtin::Sum | Builtin::Product => Classes::NUM,
                    _ => Classes::ORD,
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
            Builtin::Unzip => self.unzip(ty, place),
            Builtin::Min | Builtin::Max => {
                let op = if builtin == Builtin::Min { BinOp::Min } else { BinOp::Max };
                self.operator(BinaryOp::Scalar(op), span, args[0], args[1])
            }
            Builtin::Binary(op) => self.operator(BinaryOp::Scalar(op), span, args[0], args[1]),
            Builtin::Precedes => self.operator(BinaryOp::Scalar(BinOp::Lt), span, args[0], args[1]),
            Builtin::Unary(op) => {
                let classes = if op == UnOp::Abs { Classes::NUM } else { Classes::FLOAT };
                if self.require(ty, classes, place, &who) { ty.clone() } else { Ty::Error }
            }
            Builtin::Flatten => {
                let elem = self.rows(ty, place, &who);
                Ty::array(elem)
            }
            Builtin::Transpose => {
                let elem = self.rows(ty, place, &who);
                Ty::array(Ty::array(elem))
            }
            Builtin::Scatter => {
                self.integers(args[1].0, args[1].1, &format!("an index of {who}"));
                self.element_type(ty, place, &who);
                let why = format!("{who} writes into an array of the same type");
                self.expect(args[2].0, ty, args[2].1, Some((place, why)));
                ty.clone()
            }
            Builtin::SortByKeys => {
                let key = self.element_type(ty, place, &who);
                self.require(&key, Classes::ORD, place, &format!("a key of {who}"));
                self.array_of(args[1], &who)
            }
            Builtin::PartitionBy => {
                self.integers(ty, place, &format!("a size for {who}"));
                Ty::array(self.array_of(args[1], &who))
            }
            Builtin::Split => {
                self.require(ty, Classes::INT, place, &format!("the length of the rows of {who}"));
                Ty::array(self.array_of(args[1], &who))
            }
            Builtin::Slide => {
                self.require(ty, Classes::INT, place, &format!("the size of the windows of {who}"));
                self.require(args[1].0, Classes::INT, args[1].1, &format!("the step of {who}"));
                Ty::array(self.array_of(args[2], &who))
            }
            Builtin::Rotate => {
                self.require(ty, Classes::INT, place, &format!("the distance of {who}"));
                self.array_of(args[1], &who)
            }
            Builtin::Pad => {
                self.require(ty, Classes::INT, place, &format!("the left side of {who}"));
                self.require(args[1].0, Classes::INT, args[1].1, &format!("the right side of {who}"));
                let elem = self.element_type(args[3].0, args[3].1, &who);
                let Some(border) = self.module.border else {
                    return Ty::array(elem);
                };
                let why = format!("{who} extends this array: `clamp`, `wrap`, `mirror` or `constant(v)`");
                self.expect(args[2].0, &Ty::Named(border, vec![elem.clone()]), args[2].1, Some((args[3].1, why)));
                Ty::array(elem)
            }
            Builtin::Map | Builtin::Filter | Builtin::Reduce | Builtin::Scan | Builtin::Hist => {
                unreachable!("these take a function and are typed with it")
            }
        }
    }

    /// The type of an operand that must be an array.
    fn array_of(&mut self, operand: Operand<'_>, who: &str) -> Ty {
        Ty::array(self.element_type(operand.0, operand.1, who))
    }

    /// The type of the elements of the rows of an array.
    fn rows(&mut self, ty: &Ty, span: Span, who: &str) -> Ty {
        let row = self.element_type(ty, span, who);
        match self.unifier.head(&row) {
            Ty::Array(_) | Ty::Var(_) | Ty::Error => self.element_type(&row, span, who),
            _ => {
                let shown = self.unifier.show(ty);
                let report = Diagnostic::error("T0113", format!("{who} needs an array of arrays, found `{shown}`"))
                    .primary(span, format!("this is `{shown}`"));
                self.report(report);
                Ty::Error
            }
        }
    }

    fn unzip(&mut self, ty: &Ty, span: Span) -> Ty {
        let elem = self.element_type(ty, span, "`unzip`");
        match self.unifier.head(&elem) {
            Ty::Tuple(parts) if !parts.is_empty() => Ty::Tuple(parts.into_iter().map(Ty::array).collect()),
            Ty::Error => Ty::Error,
            other => {
                let shown = self.unifier.show(&other);
                let mut report =
                    Diagnostic::error("T0113", format!("`unzip` needs an array of tuples, found `[]{shown}`"))
                        .primary(span, format!("the elements are `{shown}`"));
                if matches!(other, Ty::Var(_)) {
                    report = report.hint("how many parts the elements have must be known: state the type of the array");
                }
                self.report(report);
                Ty::Error
            }
        }
    }
}
