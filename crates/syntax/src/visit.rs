//! Walks over expressions.
//!
//! [`for_each_child`] is the one place that knows the children of every kind of expression; [`mentions`] is the one
//! question that the parser itself asks, and it minds shadowing: in `[x for x in ys]` nothing mentions an outer `x`.
//!
//! Neither looks into the types that annotate lets and lambdas.

use crate::ast::*;
use terrace_base::Span;

/// Calls `visit` on every direct child, in source order.
pub fn for_each_child<'a>(expr: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    match &expr.kind {
        ExprKind::Int { .. }
        | ExprKind::Real { .. }
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Section(_) => {}
        ExprKind::Call { function, args, .. } => {
            visit(function);
            args.iter().for_each(visit);
        }
        ExprKind::Unary { operand, .. } => visit(operand),
        ExprKind::Binary { left, right, .. } => {
            visit(left);
            visit(right);
        }
        ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().for_each(visit),
        ExprKind::Comprehension { body, generators, filter } => {
            visit(body);
            generators.iter().map(Generator::source).for_each(&mut *visit);
            filter.iter().for_each(|f| visit(f));
        }
        ExprKind::Index { array, place } => {
            visit(array);
            for_each_in_place(place, visit);
        }
        ExprKind::Update { array, place, value } => {
            visit(array);
            for_each_in_place(place, visit);
            visit(value);
        }
        ExprKind::Record { fields, .. } => fields.iter().for_each(|(_, value)| visit(value)),
        ExprKind::RecordUpdate { record, fields } => {
            visit(record);
            fields.iter().for_each(|(_, value)| visit(value));
        }
        ExprKind::Field { value, .. } | ExprKind::Component { value, .. } => visit(value),
        ExprKind::Match { value, arms } => {
            visit(value);
            for arm in arms {
                arm.guard.iter().for_each(&mut *visit);
                visit(&arm.body);
            }
        }
        ExprKind::Range { from, to } => {
            visit(from);
            visit(to);
        }
        ExprKind::If { condition, then, otherwise } => {
            visit(condition);
            visit(then);
            visit(otherwise);
        }
        ExprKind::Let { bindings, body } => {
            for binding in bindings {
                match &binding.kind {
                    BindingKind::Let { value, .. } => visit(value),
                    BindingKind::Update { place, value, .. } => {
                        for_each_in_place(place, visit);
                        visit(value);
                    }
                    BindingKind::Assert { condition, .. } => visit(condition),
                }
            }
            visit(body);
        }
        ExprKind::Loop { init, control, body, .. } => {
            visit(init);
            match control {
                LoopControl::While(condition) => visit(condition),
                LoopControl::Count { bound, .. } => visit(bound),
                LoopControl::Each { array, .. } => visit(array),
            }
            visit(body);
        }
        ExprKind::Lambda { body, .. } => visit(body),
    }
}

/// Calls `visit` on every expression between the brackets of an index or update, in source order.
pub fn for_each_in_place<'a>(place: &'a Place, visit: &mut dyn FnMut(&'a Expr)) {
    match place {
        Place::Subscripts(subscripts) => {
            for subscript in subscripts {
                match &subscript.kind {
                    SubscriptKind::At(at) => visit(at),
                    SubscriptKind::Slice { from, to, step } => {
                        [from, to, step].into_iter().flatten().for_each(&mut *visit);
                    }
                }
            }
        }
        Place::Strided { offset, dims, .. } => {
            visit(offset);
            for (count, stride) in dims {
                visit(count);
                visit(stride);
            }
        }
    }
}

impl Generator {
    /// The expression that the elements or the bound come from.
    pub fn source(&self) -> &Expr {
        match &self.kind {
            GeneratorKind::In { array, .. } => array,
            GeneratorKind::Count { bound, .. } => bound,
        }
    }

    /// The names it binds.
    pub fn names(&self) -> Vec<(&str, Span)> {
        match &self.kind {
            GeneratorKind::In { pattern, .. } => pattern.names(),
            GeneratorKind::Count { var, .. } => vec![(&var.text, var.span)],
        }
    }
}

/// The first place where one of `names` occurs free in `expr`.
pub fn mentions(expr: &Expr, names: &[&str]) -> Option<Span> {
    if names.is_empty() {
        return None;
    }
    let without = |names: &[&'_ str], bound: Vec<(&str, Span)>| -> Vec<String> {
        let kept = names.iter().filter(|n| bound.iter().all(|(b, _)| b != *n));
        kept.map(|n| n.to_string()).collect()
    };
    let within = |e: &Expr, names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        mentions(e, &names)
    };
    match &expr.kind {
        ExprKind::Var(name) => names.contains(&name.as_str()).then_some(expr.span),
        ExprKind::Comprehension { body, generators, filter } => {
            let inner = without(names, generators.iter().flat_map(Generator::names).collect());
            within(body, &inner)
                .or_else(|| generators.iter().find_map(|g| mentions(g.source(), names)))
                .or_else(|| filter.as_ref().and_then(|f| within(f, &inner)))
        }
        ExprKind::Let { bindings, body } => {
            let mut inner = without(names, Vec::new());
            for binding in bindings {
                let mut found = None;
                let (value, bound) = match &binding.kind {
                    BindingKind::Let { value, pattern, .. } => (value, pattern.names()),
                    BindingKind::Update { name, place, value } => {
                        found = inner.contains(&name.text).then_some(name.span);
                        for_each_in_place(place, &mut |e| found = found.or_else(|| within(e, &inner)));
                        (value, vec![(name.text.as_str(), name.span)])
                    }
                    BindingKind::Assert { condition, .. } => (condition, Vec::new()),
                };
                let found = found.or_else(|| within(value, &inner));
                if found.is_some() {
                    return found;
                }
                inner.retain(|n| bound.iter().all(|(b, _)| b != n));
            }
            within(body, &inner)
        }
        ExprKind::Loop { pattern, init, control, body } => {
            let mut bound = pattern.names();
            let inner = without(names, bound.clone());
            let control = match control {
                LoopControl::While(condition) => within(condition, &inner),
                LoopControl::Count { var, bound: end } => {
                    bound.push((&var.text, var.span));
                    mentions(end, names)
                }
                LoopControl::Each { pattern, array } => {
                    bound.extend(pattern.names());
                    mentions(array, names)
                }
            };
            let inner = without(names, bound);
            mentions(init, names).or(control).or_else(|| within(body, &inner))
        }
        ExprKind::Match { value, arms } => mentions(value, names).or_else(|| {
            arms.iter().find_map(|arm| {
                let inner = without(names, arm.pattern.names());
                arm.guard.as_ref().and_then(|g| within(g, &inner)).or_else(|| within(&arm.body, &inner))
            })
        }),
        ExprKind::Lambda { params, body } => {
            let inner = without(names, params.iter().flat_map(|p| p.pattern.names()).collect());
            within(body, &inner)
        }
        _ => {
            let mut found = None;
            for_each_child(expr, &mut |child| {
                if found.is_none() {
                    found = mentions(child, names);
                }
            });
            found
        }
    }
}
