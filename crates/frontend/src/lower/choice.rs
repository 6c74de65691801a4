//! Matches whose arms would be repeated too often: the number of the arm first, then the arm.
//!
//! ```text
//! let fits_0 = …
//! let choice = if fits_0 then 0 else { let fits_1 = …; if fits_1 then 1 else 2 }
//! if choice == 0 then … else if choice == 1 then … else …
//! ```
//!
//! The size is that of the arms together. An arm takes the value apart again to bind its names; the variants that it cannot
//! be then give some value that nobody looks at.

use super::body::{BOOL, I64, Lower};
use crate::typed::{Arm, Kind, Pattern, PatternKind};
use terrace_base::{BinOp, Scalar, Span, UnOp};
use terrace_ir::Atom;
use terrace_ir::core::{self, Type};

const TRUE: Atom = Atom::Const(Scalar::Bool(true));
const FALSE: Atom = Atom::Const(Scalar::Bool(false));

impl<'a> Lower<'_, 'a> {
    pub(super) fn choose(&mut self, value: Atom, arms: &'a [Arm], result: &Type, span: Span) -> Atom {
        let choice = self.choice(value, arms, 0, span);
        self.chosen(value, choice, arms, 0, result, span)
    }

    fn choice(&mut self, value: Atom, arms: &'a [Arm], k: usize, span: Span) -> Atom {
        // The arms cover everything: what fits no earlier one fits the last.
        if k + 1 == arms.len() {
            return Atom::int(k as i64);
        }
        let arm = &arms[k];
        let mut cond = self.fits(value, &arm.pattern, span);
        if let Some(guard) = &arm.guard {
            let then = self.body(|l| l.extract(vec![(value, &arm.pattern)], &BOOL, span, &mut |l| l.expr(guard)));
            let otherwise = self.body(|_| FALSE);
            cond = self.emit("fits", BOOL, core::Expr::If { cond, then, otherwise }, guard.span);
        }
        let then = self.body(|_| Atom::int(k as i64));
        let otherwise = self.body(|l| l.choice(value, arms, k + 1, span));
        self.emit("choice", I64, core::Expr::If { cond, then, otherwise }, span)
    }

    fn chosen(&mut self, value: Atom, choice: Atom, arms: &'a [Arm], k: usize, result: &Type, span: Span) -> Atom {
        let arm = &arms[k];
        let write = |l: &mut Self| l.extract(vec![(value, &arm.pattern)], result, span, &mut |l| l.expr(&arm.body));
        if k + 1 == arms.len() {
            return write(self);
        }
        let cond = self.binary("here", BinOp::Eq, choice, Atom::int(k as i64), span);
        let then = self.body(write);
        let otherwise = self.body(|l| l.chosen(value, choice, arms, k + 1, result, span));
        self.emit("t", result.clone(), core::Expr::If { cond, then, otherwise }, span)
    }

    /// Whether a pattern fits; nothing in here can fail.
    fn fits(&mut self, value: Atom, pattern: &'a Pattern, span: Span) -> Atom {
        match &pattern.kind {
            PatternKind::Name(_) | PatternKind::Wildcard => TRUE,
            PatternKind::Tuple(parts) => self.all_fit(value, parts.iter().enumerate(), span),
            PatternKind::Record(fields) => self.all_fit(value, fields.iter().map(|(k, p)| (*k, p)), span),
            PatternKind::Literal(literal) => {
                match literal.kind {
                    Kind::Bool(true) => return value,
                    Kind::Bool(false) => return self.emit("fits", BOOL, core::Expr::Unary(UnOp::Not, value), span),
                    _ => {}
                }
                let wanted = self.plain_literal(literal);
                self.compare(BinOp::Eq, value, wanted, literal.span)
            }
            PatternKind::Or(parts) => {
                let mut any = FALSE;
                for part in parts {
                    let fits = self.fits(value, part, span);
                    any = if any == FALSE { fits } else { self.binary("fits", BinOp::Or, any, fits, span) };
                }
                any
            }
            PatternKind::Variant { tag, fields } => {
                let arms = self.arms(value, |l, k, found| {
                    let mut all = if k == *tag { TRUE } else { FALSE };
                    for (field, atom) in fields.iter().zip(found).filter(|_| k == *tag) {
                        let fits = l.fits(*atom, field, span);
                        all = l.both(all, fits, span);
                    }
                    all
                });
                self.emit("fits", BOOL, core::Expr::Match { value, arms }, span)
            }
        }
    }

    fn all_fit(&mut self, value: Atom, parts: impl Iterator<Item = (usize, &'a Pattern)>, span: Span) -> Atom {
        let mut all = TRUE;
        for (k, part) in parts {
            if !matches!(part.kind, PatternKind::Name(_) | PatternKind::Wildcard) {
                let component = self.project(value, k, span);
                let fits = self.fits(component, part, span);
                all = self.both(all, fits, span);
            }
        }
        all
    }

    fn both(&mut self, a: Atom, b: Atom, span: Span) -> Atom {
        match (a, b) {
            (TRUE, _) => b,
            (_, TRUE) => a,
            _ => self.binary("fits", BinOp::And, a, b, span),
        }
    }

    /// What `write` gives with the names of patterns bound; they are known to fit.
    fn extract(
        &mut self,
        mut open: Vec<(Atom, &'a Pattern)>,
        result: &Type,
        span: Span,
        write: &mut dyn FnMut(&mut Self) -> Atom,
    ) -> Atom {
        while let Some((value, pattern)) = open.pop() {
            match &pattern.kind {
                PatternKind::Name(_) => self.bind(pattern, value, pattern.span),
                _ if !binds(pattern) => {}
                PatternKind::Tuple(parts) => {
                    for (k, part) in parts.iter().enumerate().filter(|(_, p)| binds(p)) {
                        open.push((self.project(value, k, span), part));
                    }
                }
                PatternKind::Record(fields) => {
                    for (k, part) in fields.iter().filter(|(_, p)| binds(p)) {
                        open.push((self.project(value, *k, span), part));
                    }
                }
                PatternKind::Variant { tag, fields } => {
                    let arms = self.arms(value, |l, k, found| {
                        if k != *tag {
                            return l.default_value(result, span);
                        }
                        l.may_be_named(found);
                        let inner = found.iter().copied().zip(fields);
                        let open = open.iter().copied().chain(inner).collect();
                        l.extract(open, result, span, write)
                    });
                    return self.emit("t", result.clone(), core::Expr::Match { value, arms }, span);
                }
                PatternKind::Wildcard | PatternKind::Literal(_) | PatternKind::Or(_) => {}
            }
        }
        write(self)
    }
}

/// Whether a pattern binds a name.
fn binds(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Name(_) => true,
        PatternKind::Wildcard | PatternKind::Literal(_) | PatternKind::Or(_) => false,
        PatternKind::Tuple(parts) | PatternKind::Variant { fields: parts, .. } => parts.iter().any(binds),
        PatternKind::Record(fields) => fields.iter().any(|(_, p)| binds(p)),
    }
}
