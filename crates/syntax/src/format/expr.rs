//! Expressions: operators, calls, brackets.
//!
//! Precedence decides about parentheses, by the same numbers as in the parser. One thing more is needed: `if`, `let`, `loop`
//! and lambdas take everything to their right, so they stand bare only where nothing follows them (`tail`).
//!
//! ```text
//! 1 + if a then b else c          the tail of the sum
//! (if a then b else c) + 1        not the tail
//! ```
//!
//! Chains of one operator, of pipes and of updates break before every link at once, or nowhere.

use super::Printer;
use super::doc::{Doc, align, concat, group, nest, text};
use super::types::reads_as_slice;
use crate::ast::*;
use crate::parser::expr::{ABOVE_RANGE, COMPARISON, PIPE, POSTFIX, PREFIX, RANGE, WITH, level};

/// The levels of `|`, `^`, `&`, `<<`, and of `||` and `&&`.
const UNFAMILIAR: [u8; 6] = [8, 9, 10, 11, 4, 5];

fn level_of(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Call { piped: true, .. } => PIPE,
        ExprKind::Update { .. } | ExprKind::RecordUpdate { .. } => WITH,
        ExprKind::Range { .. } => RANGE,
        ExprKind::Binary { op, .. } => level(*op),
        ExprKind::Unary { .. } => PREFIX,
        _ if is_open(e) => PREFIX,
        _ => POSTFIX,
    }
}

/// Whether it takes everything to its right.
fn is_open(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::If { .. } | ExprKind::Let { .. } | ExprKind::Loop { .. } | ExprKind::Lambda { .. })
}

/// Whether it fits into brackets without room of its own: `sum([…])`.
fn is_bracketed(e: &Expr) -> bool {
    matches!(
        e.kind,
        ExprKind::Array(_)
            | ExprKind::Comprehension { .. }
            | ExprKind::Record { .. }
            | ExprKind::Match { .. }
            | ExprKind::Tuple(_)
    )
}

fn is_simple(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int { .. } | ExprKind::Real { .. } | ExprKind::Bool(_) | ExprKind::Str(_) | ExprKind::Var(_) => true,
        ExprKind::Unary { operand, .. } => is_simple(operand),
        _ => false,
    }
}

impl Printer<'_> {
    /// An expression where anything may stand and a word or bracket ends it.
    pub(super) fn whole(&mut self, e: &Expr) -> Doc {
        self.expr(e, 0, true)
    }

    pub(super) fn in_parentheses(&mut self, e: &Expr) -> Doc {
        let open = self.fixed("(");
        let inside = self.whole(e);
        concat([open, align(inside), self.fixed(")")])
    }

    /// An expression whose operators are at least as tight as `min`; `tail` if nothing follows it.
    pub(super) fn expr(&mut self, e: &Expr, min: u8, tail: bool) -> Doc {
        if level_of(e) < min || (is_open(e) && !tail) {
            return self.in_parentheses(e);
        }
        match &e.kind {
            ExprKind::Int { .. } | ExprKind::Real { .. } | ExprKind::Str(_) | ExprKind::Var(_) => self.leaf(),
            ExprKind::Bool(value) => self.fixed(if *value { "true" } else { "false" }),
            ExprKind::Section(op) => concat([self.fixed("("), self.fixed(op.symbol()), self.fixed(")")]),
            ExprKind::Unary { op, operand } => {
                let sign = self.fixed(op.symbol());
                // Two minus signs without a space would begin a comment.
                let double = *op == UnaryOp::Neg && matches!(operand.kind, ExprKind::Unary { op: UnaryOp::Neg, .. });
                let space = if double { Doc::Space } else { text("") };
                concat([sign, space, self.expr(operand, PREFIX, tail)])
            }
            ExprKind::Binary { op, .. } => self.operators(e, level(*op), tail),
            ExprKind::Range { from, to } => {
                let from = self.expr(from, ABOVE_RANGE, false);
                concat([from, self.fixed(".."), self.expr(to, ABOVE_RANGE, tail)])
            }
            ExprKind::Call { piped: true, .. } => self.pipes(e, tail),
            ExprKind::Update { .. } | ExprKind::RecordUpdate { .. } => self.updates(e, tail),
            ExprKind::Call { .. } | ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::Component { .. } => {
                self.postfixes(e)
            }
            ExprKind::Tuple(parts) => self.aligned("(", parts, ")", Self::whole),
            ExprKind::Array(parts) => self.array(parts),
            ExprKind::Comprehension { body, generators, filter } => {
                self.comprehension(body, generators, filter.as_deref())
            }
            ExprKind::Record { path, fields } => {
                let path = self.path(path);
                concat([path, self.listed("{", fields, "}", Self::field)])
            }
            ExprKind::Match { value, arms } => self.match_expr(e, value, arms),
            ExprKind::If { condition, then, otherwise } => self.if_expr(condition, then, otherwise),
            ExprKind::Let { bindings, body } => self.let_expr(bindings, body),
            ExprKind::Loop { pattern, init, control, body } => self.loop_expr(pattern, init, control, body),
            ExprKind::Lambda { params, body } => self.lambda(params, body),
        }
    }

    /// A chain of operators of one level.
    fn operators(&mut self, e: &Expr, level: u8, tail: bool) -> Doc {
        let mut links = Vec::new();
        let mut first = e;
        while let ExprKind::Binary { op, left, right, .. } = &first.kind
            && level == crate::parser::expr::level(*op)
        {
            links.push((op, right));
            first = left;
            if level == COMPARISON {
                break;
            }
        }
        let above = if level == COMPARISON { level + 1 } else { level };
        let mut parts = vec![self.operand(first, above, level, false)];
        let mut rest = Vec::new();
        let count = links.len();
        for (i, (op, right)) in links.into_iter().rev().enumerate() {
            let last = i + 1 == count;
            rest.extend([Doc::Line, self.fixed(op.symbol()), Doc::Space]);
            rest.push(self.operand(right, level + 1, level, last && tail));
        }
        parts.push(nest(2, concat(rest)));
        group(concat(parts))
    }

    /// An operand of an operator of level `around`. Few people know how the bit operators, `&&` and `||` mix with others, or
    /// where an `if` inside a sum ends: what the author put into parentheses there stays in them.
    fn operand(&mut self, e: &Expr, min: u8, around: u8, tail: bool) -> Doc {
        let explained = match &e.kind {
            ExprKind::Binary { op, left, .. } => {
                let unfamiliar = UNFAMILIAR.contains(&level(*op)) || UNFAMILIAR.contains(&around);
                e.span.start < left.span.start && unfamiliar && level(*op) != around
            }
            _ => is_open(e) && self.slice(e.span).starts_with('('),
        };
        if explained { self.in_parentheses(e) } else { self.expr(e, min, tail) }
    }

    fn pipes(&mut self, e: &Expr, tail: bool) -> Doc {
        let mut links = Vec::new();
        let mut first = e;
        while let ExprKind::Call { function, args, piped: true } = &first.kind
            && let Some((value, args)) = args.split_last()
        {
            links.push((function, args));
            first = value;
        }
        let mut parts = vec![self.expr(first, PIPE + 1, false)];
        let mut rest = Vec::new();
        let count = links.len();
        for (i, (function, args)) in links.into_iter().rev().enumerate() {
            let last = i + 1 == count;
            rest.extend([Doc::Line, self.fixed("|>"), Doc::Space]);
            let bare = matches!(
                function.kind,
                ExprKind::Var(_) | ExprKind::Field { .. } | ExprKind::Lambda { .. } | ExprKind::Section(_)
            );
            if bare && args.is_empty() {
                rest.push(self.expr(function, WITH, last && tail));
            } else {
                rest.push(self.expr(function, POSTFIX, false));
                rest.push(self.arguments(args));
            }
        }
        parts.push(nest(2, concat(rest)));
        group(concat(parts))
    }

    fn updates(&mut self, e: &Expr, tail: bool) -> Doc {
        let mut links = Vec::new();
        let mut first = e;
        while let ExprKind::Update { array: old, .. } | ExprKind::RecordUpdate { record: old, .. } = &first.kind {
            links.push(first);
            first = old;
        }
        let mut parts = vec![self.expr(first, WITH, false)];
        let mut rest = Vec::new();
        let count = links.len();
        for (i, link) in links.into_iter().rev().enumerate() {
            rest.extend([Doc::Line, self.fixed("with"), Doc::Space]);
            match &link.kind {
                ExprKind::Update { place, value, .. } => {
                    rest.extend([self.place(place), Doc::Space, self.fixed("="), Doc::Space]);
                    rest.push(self.expr(value, RANGE, i + 1 == count && tail));
                }
                ExprKind::RecordUpdate { fields, .. } => rest.push(self.listed("{", fields, "}", Self::field)),
                _ => {}
            }
        }
        parts.push(nest(2, concat(rest)));
        group(concat(parts))
    }

    /// Calls, indices and parts behind an expression.
    fn postfixes(&mut self, e: &Expr) -> Doc {
        let mut links = Vec::new();
        let mut first = e;
        loop {
            let inner = match &first.kind {
                ExprKind::Call { function, piped: false, .. } => function,
                ExprKind::Index { array, .. } => array,
                ExprKind::Field { value, .. } | ExprKind::Component { value, .. } => value,
                _ => break,
            };
            links.push(first);
            first = inner;
        }
        // The dot behind a number would be read as a decimal point.
        let number = matches!(first.kind, ExprKind::Int { .. } | ExprKind::Real { .. });
        let dotted = matches!(links.last().map(|e| &e.kind), Some(ExprKind::Field { .. } | ExprKind::Component { .. }));
        let first = if number && dotted { self.in_parentheses(first) } else { self.expr(first, POSTFIX, false) };
        let mut parts = vec![first];
        for link in links.into_iter().rev() {
            match &link.kind {
                ExprKind::Call { args, .. } => parts.push(self.arguments(args)),
                ExprKind::Index { place, .. } => parts.push(self.place(place)),
                _ => parts.extend([self.fixed("."), self.leaf()]),
            }
        }
        concat(parts)
    }

    fn arguments(&mut self, args: &[Expr]) -> Doc {
        match args {
            [only] if is_bracketed(only) => self.aligned("(", args, ")", Self::whole),
            _ => self.listed("(", args, ")", Self::whole),
        }
    }

    pub(super) fn place(&mut self, place: &Place) -> Doc {
        match place {
            Place::Subscripts(subscripts) => self.aligned("[", subscripts, "]", Self::subscript),
            Place::Strided { offset, dims, .. } => {
                let open = self.fixed("[");
                let offset = self.position(offset);
                let semicolon = self.fixed(";");
                let dims = self.separated(dims, |p, (count, stride)| {
                    let count = p.whole(count);
                    concat([count, Doc::Space, p.fixed("by"), Doc::Space, p.whole(stride)])
                });
                let inside = concat([offset, semicolon, Doc::Line, dims]);
                group(concat([open, align(inside), self.fixed("]")]))
            }
        }
    }

    fn position(&mut self, e: &Expr) -> Doc {
        if reads_as_slice(e) { self.in_parentheses(e) } else { self.whole(e) }
    }

    fn subscript(&mut self, subscript: &Subscript) -> Doc {
        match &subscript.kind {
            SubscriptKind::At(at) => self.position(at),
            SubscriptKind::Slice { from, to, step } => {
                let mut parts = Vec::new();
                if let Some(from) = from {
                    parts.push(self.expr(from, ABOVE_RANGE, false));
                }
                parts.push(self.fixed(".."));
                if let Some(to) = to {
                    parts.push(self.expr(to, ABOVE_RANGE, true));
                }
                if let Some(step) = step {
                    parts.extend([Doc::Space, self.fixed("by"), Doc::Space, self.expr(step, ABOVE_RANGE, true)]);
                }
                concat(parts)
            }
        }
    }

    pub(super) fn field(&mut self, (name, value): &(Name, Expr)) -> Doc {
        let label = self.leaf();
        if name.span == value.span {
            return label;
        }
        concat([label, Doc::Space, self.fixed("="), group(nest(2, concat([Doc::Line, self.whole(value)])))])
    }

    /// Numbers and names fill their lines; anything larger has a line of its own where they do not fit on one.
    fn array(&mut self, parts: &[Expr]) -> Doc {
        if !parts.iter().all(is_simple) {
            return self.aligned("[", parts, "]", Self::whole);
        }
        let open = self.fixed("[");
        let mut filled = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let part = self.whole(part);
            filled.push(if i == 0 { part } else { group(concat([Doc::Line, part])) });
            if i + 1 < parts.len() {
                filled.push(self.fixed(","));
            }
        }
        filled.push(self.dangling("]"));
        concat([open, align(concat(filled)), self.fixed("]")])
    }

    fn comprehension(&mut self, body: &Expr, generators: &[Generator], filter: Option<&Expr>) -> Doc {
        let open = self.fixed("[");
        let mut parts = vec![self.whole(body), Doc::Line, self.fixed("for"), Doc::Space];
        let generators = self.separated(generators, |p, generator| match &generator.kind {
            GeneratorKind::In { pattern, array } => {
                let pattern = p.pattern(pattern);
                concat([pattern, Doc::Space, p.fixed("in"), Doc::Space, p.whole(array)])
            }
            GeneratorKind::Count { bound, .. } => {
                concat([p.leaf(), Doc::Space, p.fixed("<"), Doc::Space, p.whole(bound)])
            }
        });
        parts.push(group(align(generators)));
        if let Some(filter) = filter {
            parts.extend([Doc::Line, self.fixed("if"), Doc::Space, align(self.whole(filter))]);
        }
        parts.push(self.dangling("]"));
        group(concat([open, align(concat(parts)), self.fixed("]")]))
    }
}
