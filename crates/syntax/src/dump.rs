//! The tree as text: one line per item, a list in parentheses per node.
//!
//! ```text
//! def f(xs: []i64) -> i64 = sum(xs) + 1
//! (def f (xs: []i64) -> i64 (+ (call sum xs) 1))
//! ```
//!
//! Types and patterns print as they are written. For tests and for `--dump`; the formatter is another matter.

use crate::ast::*;
use terrace_base::ScalarType;

/// All items, each on a line of its own.
pub fn module(module: &Module) -> String {
    module.items.iter().map(|i| item(i) + "\n").collect()
}

/// One item.
pub fn item(item: &Item) -> String {
    let docs: String = item.docs.iter().map(|d| format!("--| {d}\n")).collect();
    match &item.kind {
        ItemKind::Test(test) => format!("{docs}(test {:?} {})", test.name, expr(&test.body)),
        ItemKind::Function(f) => {
            let word = if f.exported { "entry" } else { "def" };
            let generic = |g: &Generic| match &g.class {
                Some(class) => format!("{}: {}", g.name.text, class.text),
                None => g.name.text.clone(),
            };
            let generics = match f.generics.as_slice() {
                [] => String::new(),
                generics => format!("[{}]", join(generics, ", ", generic)),
            };
            let params = join(&f.params, ", ", |p| format!("{}: {}", pattern(&p.pattern), ty(&p.ty)));
            let result = f.result.as_ref().map_or(String::new(), |t| format!(" -> {}", ty(t)));
            format!("{docs}({word} {}{generics} ({params}){result} {})", f.name.text, expr(&f.body))
        }
    }
}

/// A type, as it would be written.
pub fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Scalar(scalar) => scalar.name().into(),
        TypeKind::Named(name) => name.text.clone(),
        TypeKind::Tuple(parts) => format!("({})", join(parts, ", ", ty)),
        TypeKind::Array { dim, element } => {
            let inside = match &dim.kind {
                DimKind::Unstated => String::new(),
                DimKind::Size(size) => expr(size),
                DimKind::Counted { var, bound } => format!("{} < {}", var.text, expr(bound)),
            };
            format!("[{inside}]{}", ty(element))
        }
        TypeKind::Function { params, result } => {
            format!("({}) -> {}", join(params, ", ", ty), ty(result))
        }
    }
}

/// A pattern, as it would be written.
pub fn pattern(p: &Pattern) -> String {
    match &p.kind {
        PatternKind::Name(text) => text.clone(),
        PatternKind::Wildcard => "_".into(),
        PatternKind::Tuple(parts) => format!("({})", join(parts, ", ", pattern)),
    }
}

/// An expression.
pub fn expr(e: &Expr) -> String {
    let suffixed = |text: String, suffix: &Option<ScalarType>| text + suffix.map_or("", ScalarType::name);
    match &e.kind {
        ExprKind::Int { value, suffix } => suffixed(value.to_string(), suffix),
        ExprKind::Real { value, suffix } => suffixed(format!("{value:?}"), suffix),
        ExprKind::Bool(b) => b.to_string(),
        ExprKind::Str(text) => format!("{text:?}"),
        ExprKind::Var(name) => name.clone(),
        ExprKind::Call { function, args, piped } => {
            let word = if *piped { "pipe" } else { "call" };
            format!("({word} {}{})", expr(function), spaced(args, expr))
        }
        ExprKind::Unary { op, operand } => format!("({} {})", op.symbol(), expr(operand)),
        ExprKind::Binary { op, left, right, .. } => format!("({} {} {})", op.symbol(), expr(left), expr(right)),
        ExprKind::Section(op) => format!("(section {})", op.symbol()),
        ExprKind::Tuple(parts) => format!("(tuple{})", spaced(parts, expr)),
        ExprKind::Array(parts) => format!("(array{})", spaced(parts, expr)),
        ExprKind::Comprehension { body, generators, filter } => {
            let filter = filter.as_ref().map_or(String::new(), |f| format!(" (if {})", expr(f)));
            format!("(for {}{}{filter})", expr(body), spaced(generators, generator))
        }
        ExprKind::Index { array, subscripts } => {
            format!("(index {}{})", expr(array), spaced(subscripts, subscript))
        }
        ExprKind::Range { from, to } => format!("(.. {} {})", expr(from), expr(to)),
        ExprKind::If { condition, then, otherwise } => {
            format!("(if {} {} {})", expr(condition), expr(then), expr(otherwise))
        }
        ExprKind::Let { bindings, body } => {
            format!("(let{} {})", spaced(bindings, binding), expr(body))
        }
        ExprKind::Loop { pattern: p, init, control, body } => {
            let control = match control {
                LoopControl::While(condition) => format!("(while {})", expr(condition)),
                LoopControl::Count { var, bound } => format!("({} < {})", var.text, expr(bound)),
                LoopControl::Each { pattern: p, array } => {
                    format!("({} in {})", pattern(p), expr(array))
                }
            };
            format!("(loop ({} {}) {control} {})", pattern(p), expr(init), expr(body))
        }
        ExprKind::Lambda { params, body } => {
            let param = |p: &LambdaParam| match &p.ty {
                Some(t) => format!("{}: {}", pattern(&p.pattern), ty(t)),
                None => pattern(&p.pattern),
            };
            format!("(lambda ({}) {})", join(params, ", ", param), expr(body))
        }
    }
}

fn generator(g: &Generator) -> String {
    match &g.kind {
        GeneratorKind::In { pattern: p, array } => format!("({} in {})", pattern(p), expr(array)),
        GeneratorKind::Count { var, bound } => format!("({} < {})", var.text, expr(bound)),
    }
}

fn subscript(s: &Subscript) -> String {
    let part = |e: &Option<Expr>| e.as_ref().map_or("_".into(), expr);
    match &s.kind {
        SubscriptKind::At(at) => expr(at),
        SubscriptKind::Slice { from, to, step: None } => format!("(slice {} {})", part(from), part(to)),
        SubscriptKind::Slice { from, to, step } => {
            format!("(slice {} {} {})", part(from), part(to), part(step))
        }
    }
}

fn binding(b: &Binding) -> String {
    match &b.kind {
        BindingKind::Let { pattern: p, ty: Some(t), value } => format!("({}: {} {})", pattern(p), ty(t), expr(value)),
        BindingKind::Let { pattern: p, ty: None, value } => format!("({} {})", pattern(p), expr(value)),
        BindingKind::Assert { condition, message } => {
            format!("(assert {} {message:?})", expr(condition))
        }
    }
}

fn join<T>(items: &[T], separator: &str, text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(separator)
}

fn spaced<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(|i| format!(" {}", text(i))).collect()
}
