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
            let param = |p: &Param| {
                let star = if p.consumed.is_some() { "*" } else { "" };
                pattern(&p.pattern) + &p.ty.as_ref().map_or(String::new(), |t| format!(": {star}{}", ty(t)))
            };
            let head = format!("{docs}({word} {}{}", f.name.text, generics(&f.generics));
            let arrow = if f.constant { ": " } else { " -> " };
            let result = f.result.as_ref().map_or(String::new(), |t| format!("{arrow}{}", ty(t)));
            let params = if f.constant { String::new() } else { format!(" ({})", join(&f.params, ", ", param)) };
            format!("{head}{params}{result} {})", expr(&f.body))
        }
        ItemKind::Import(import) => {
            let alias = import.alias.as_ref().map_or(String::new(), |a| format!(" as {}", a.text));
            format!("{docs}(import {:?}{alias})", import.path)
        }
        ItemKind::Type(def) => {
            let body = match &def.body {
                TypeBody::Record(fields) => {
                    format!("{{{}}}", join(fields, ", ", |f| format!("{}: {}", f.name.text, ty(&f.ty))))
                }
                TypeBody::Abbreviation(t) => ty(t),
            };
            format!("{docs}(type {}{} {body})", def.name.text, generics(&def.generics))
        }
        ItemKind::Enum(def) => {
            let variant = |v: &Variant| match v.fields.as_slice() {
                [] => v.name.text.clone(),
                fields => format!("{}({})", v.name.text, join(fields, ", ", ty)),
            };
            let variants = join(&def.variants, " | ", variant);
            format!("{docs}(enum {}{} {variants})", def.name.text, generics(&def.generics))
        }
    }
}

fn generics(generics: &[Generic]) -> String {
    let generic = |g: &Generic| match &g.class {
        Some(class) => format!("{}: {}", g.name.text, class.text),
        None => g.name.text.clone(),
    };
    if generics.is_empty() { String::new() } else { format!("[{}]", join(generics, ", ", generic)) }
}

/// A name with its module, as it would be written.
pub fn path(p: &Path) -> String {
    p.module.as_ref().map_or(String::new(), |m| format!("{}.", m.text)) + &p.name.text
}

/// A type, as it would be written.
pub fn ty(t: &Type) -> String {
    match &t.kind {
        TypeKind::Scalar(scalar) => scalar.name().into(),
        TypeKind::Named { path: p, args } => {
            let arg = |a: &TypeArg| match a {
                TypeArg::Type(t) => ty(t),
                TypeArg::Size(size) => expr(size),
            };
            path(p) + &if args.is_empty() { String::new() } else { format!("[{}]", join(args, ", ", arg)) }
        }
        TypeKind::Exists { sizes, body } => {
            format!("?[{}]. {}", join(sizes, ", ", |n| n.text.clone()), ty(body))
        }
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
        PatternKind::Record { path: p, fields, rest } => {
            let field = |(name, p): &(Name, Pattern)| match &p.kind {
                PatternKind::Name(text) if *text == name.text => text.clone(),
                _ => format!("{} = {}", name.text, pattern(p)),
            };
            let mut parts: Vec<String> = fields.iter().map(field).collect();
            parts.extend(rest.then(|| "..".to_string()));
            format!("{}{{{}}}", path(p), parts.join(", "))
        }
        PatternKind::Variant { path: p, args } if args.is_empty() && p.module.is_some() => path(p),
        PatternKind::Variant { path: p, args } => format!("{}({})", path(p), join(args, ", ", pattern)),
        PatternKind::Literal(literal) => expr(literal),
        PatternKind::Or(parts) => join(parts, " | ", pattern),
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
        ExprKind::Index { array, place: p } => format!("(index {} {})", expr(array), place(p)),
        ExprKind::Update { array, place: p, value } => {
            format!("(update {} [{}] {})", expr(array), place(p), expr(value))
        }
        ExprKind::Record { path: p, fields } => format!("(record {}{})", path(p), spaced(fields, field)),
        ExprKind::RecordUpdate { record, fields } => format!("(with {}{})", expr(record), spaced(fields, field)),
        ExprKind::Field { value, name } => format!("(. {} {})", expr(value), name.text),
        ExprKind::Component { value, index } => format!("(. {} {index})", expr(value)),
        ExprKind::Match { value, arms } => format!("(match {}{})", expr(value), spaced(arms, arm)),
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

fn field((name, value): &(Name, Expr)) -> String {
    format!("({} {})", name.text, expr(value))
}

fn arm(a: &Arm) -> String {
    let guard = a.guard.as_ref().map_or(String::new(), |g| format!(" if {}", expr(g)));
    format!("({}{guard} => {})", pattern(&a.pattern), expr(&a.body))
}

fn place(p: &Place) -> String {
    match p {
        Place::Subscripts(subscripts) => join(subscripts, " ", subscript),
        Place::Strided { offset, dims, .. } => {
            let dim = |(count, stride): &(Expr, Expr)| format!("({} by {})", expr(count), expr(stride));
            format!("(strided {}{})", expr(offset), spaced(dims, dim))
        }
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
        BindingKind::Update { name, place: p, value } => format!("({}[{}] {})", name.text, place(p), expr(value)),
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
