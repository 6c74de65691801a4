//! Function headers: declared names, parameter types, and the sizes that types state.
//!
//! ```text
//! entry trmv[n](m: [i < n][i + 1]f32, v: [n]f32) -> [n]f32
//!     declared    n, a size, because types use it as one; in the body an i64
//!     m           array of n at positions i, of arrays of i + 1
//!     v           array of n
//! ```
//!
//! A size is an expression over integer names: declared sizes, integer parameters and positions. It is kept as a small
//! tree here and becomes a symbolic size when the function is lowered, because only then its names have values. Sizes may
//! use `+ - *`, `/` and `%` by a constant, `min` and `max`. Size functions (`k(i)`) are reported as not built yet.

use crate::errors;
use crate::typed::{Local, LocalId, Pattern, PatternKind};
use crate::types::{Classes, Ty};
use terrace_base::{BinOp, Diagnostic, ScalarType, Span};
use terrace_syntax::ast::{self, DimKind, ExprKind, TypeKind};

/// A type with the sizes it states.
#[derive(Clone, Debug)]
pub(crate) enum SizedType {
    Scalar(ScalarType),
    Param(usize),
    Tuple(Vec<SizedType>),
    Array(Box<SizedArray>),
    Error,
}

/// An array type with what it states.
#[derive(Clone, Debug)]
pub(crate) struct SizedArray {
    /// The brackets.
    pub(crate) span: Span,
    pub(crate) size: Option<SizeExpr>,
    /// The size as written.
    pub(crate) text: String,
    pub(crate) position: Option<(LocalId, String)>,
    pub(crate) elem: SizedType,
}

/// A size as written.
#[derive(Clone, Debug)]
pub(crate) enum SizeExpr {
    Const(i64),
    Name(LocalId),
    Add(Box<SizeExpr>, Box<SizeExpr>),
    Sub(Box<SizeExpr>, Box<SizeExpr>),
    Mul(Box<SizeExpr>, Box<SizeExpr>),
    Div(Box<SizeExpr>, i64),
    Rem(Box<SizeExpr>, i64),
    Min(Box<SizeExpr>, Box<SizeExpr>),
    Max(Box<SizeExpr>, Box<SizeExpr>),
}

impl SizedType {
    /// The type without its sizes.
    pub(crate) fn plain(&self) -> Ty {
        match self {
            SizedType::Scalar(s) => Ty::Scalar(*s),
            SizedType::Param(k) => Ty::Param(*k),
            SizedType::Tuple(parts) => Ty::Tuple(parts.iter().map(SizedType::plain).collect()),
            SizedType::Array(array) => Ty::array(array.elem.plain()),
            SizedType::Error => Ty::Error,
        }
    }

    /// Whether any size is stated, at least `skip` dimensions deep.
    pub(crate) fn states_sizes(&self, skip: usize) -> bool {
        match self {
            SizedType::Tuple(parts) => parts.iter().any(|p| p.states_sizes(skip)),
            SizedType::Array(array) => {
                (skip == 0 && array.size.is_some()) || array.elem.states_sizes(skip.saturating_sub(1))
            }
            _ => false,
        }
    }
}

/// A function's header.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) exported: bool,
    pub(crate) type_params: Vec<(String, Classes)>,
    /// The names that the header binds; the body's come after them.
    pub(crate) locals: Vec<Local>,
    pub(crate) sizes: Vec<LocalId>,
    pub(crate) params: Vec<Param>,
    pub(crate) result: Option<(SizedType, Span)>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) pattern: Pattern,
    pub(crate) ty: SizedType,
    pub(crate) ty_span: Span,
}

/// Reads types as written; used for headers and for annotations in bodies.
pub(crate) struct TypeReader<'a> {
    pub(crate) type_params: &'a [(String, Classes)],
    /// Names that may be sizes, innermost last.
    pub(crate) names: &'a mut Vec<(String, LocalId)>,
    pub(crate) locals: &'a mut Vec<Local>,
    pub(crate) reports: &'a mut Vec<Diagnostic>,
    /// Every name used as a size, and where.
    pub(crate) mentioned: Vec<(LocalId, Span)>,
    /// What to write to declare an unknown name; none in bodies.
    pub(crate) declare: Option<String>,
}

impl TypeReader<'_> {
    pub(crate) fn read(&mut self, ty: &ast::Type) -> SizedType {
        match &ty.kind {
            TypeKind::Scalar(s) => SizedType::Scalar(*s),
            TypeKind::Named(name) => match self.type_params.iter().position(|(n, _)| *n == name.text) {
                Some(k) => SizedType::Param(k),
                None => {
                    self.reports.push(errors::unknown_type(&name.text, name.span, self.declare.as_deref()));
                    SizedType::Error
                }
            },
            TypeKind::Tuple(parts) => SizedType::Tuple(parts.iter().map(|p| self.read(p)).collect()),
            TypeKind::Array { dim, element } => self.read_array(dim, element),
            TypeKind::Function { .. } => {
                self.reports.push(errors::not_built(ty.span, "functions as parameters of `def` and `entry`"));
                SizedType::Error
            }
        }
    }

    fn read_array(&mut self, dim: &ast::Dim, element: &ast::Type) -> SizedType {
        let mut position = None;
        let (size, text) = match &dim.kind {
            DimKind::Unstated => (None, String::new()),
            DimKind::Size(size) => (self.size(size), written(size)),
            DimKind::Counted { var, bound } => {
                let size = self.size(bound);
                let id = LocalId::new(self.locals.len());
                self.locals.push(Local { name: var.text.clone(), span: var.span, ty: Ty::I64, used: true });
                self.names.push((var.text.clone(), id));
                position = Some((id, var.text.clone()));
                (size, written(bound))
            }
        };
        let elem = self.read(element);
        if position.is_some() {
            self.names.pop();
        }
        SizedType::Array(Box::new(SizedArray { span: dim.span, size, text, position, elem }))
    }

    fn size(&mut self, expr: &ast::Expr) -> Option<SizeExpr> {
        match &expr.kind {
            ExprKind::Int { value, .. } => match i64::try_from(*value) {
                Ok(n) => Some(SizeExpr::Const(n)),
                Err(_) => self.refuse(expr, "too large for a size"),
            },
            ExprKind::Var(name) => match self.names.iter().rev().find(|(n, _)| n == name) {
                Some(&(_, id)) => {
                    self.locals[id.index()].used = true;
                    self.mentioned.push((id, expr.span));
                    Some(SizeExpr::Name(id))
                }
                None => {
                    self.reports.push(errors::unknown_size(name, expr.span, self.declare.as_deref()));
                    None
                }
            },
            ExprKind::Binary { op: ast::BinaryOp::Scalar(op), left, right, .. } => {
                self.size_operation(expr, *op, left, right)
            }
            ExprKind::Call { function, args, .. } => match (&function.kind, args.as_slice()) {
                (ExprKind::Var(name), [a, b]) if name == "min" || name == "max" => {
                    let (a, b) = (self.size(a), self.size(b));
                    let make = if name == "min" { SizeExpr::Min } else { SizeExpr::Max };
                    Some(make(Box::new(a?), Box::new(b?)))
                }
                _ => {
                    self.reports.push(errors::not_built(expr.span, "size functions"));
                    None
                }
            },
            _ => self.refuse(expr, "not an expression for sizes"),
        }
    }

    fn size_operation(&mut self, expr: &ast::Expr, op: BinOp, left: &ast::Expr, right: &ast::Expr) -> Option<SizeExpr> {
        if matches!(op, BinOp::Div | BinOp::Rem) {
            let left = self.size(left);
            let divisor = match right.kind {
                ExprKind::Int { value, .. } => i64::try_from(value).ok().filter(|d| *d > 0),
                _ => None,
            };
            let Some(divisor) = divisor else {
                return self.refuse(right, "sizes are divided by positive constants only");
            };
            let left = Box::new(left?);
            let divided = if op == BinOp::Div { SizeExpr::Div(left, divisor) } else { SizeExpr::Rem(left, divisor) };
            return Some(divided);
        }
        let make = match op {
            BinOp::Add => SizeExpr::Add,
            BinOp::Sub => SizeExpr::Sub,
            BinOp::Mul => SizeExpr::Mul,
            _ => return self.refuse(expr, "not an expression for sizes"),
        };
        let (left, right) = (self.size(left), self.size(right));
        Some(make(Box::new(left?), Box::new(right?)))
    }

    fn refuse<T>(&mut self, expr: &ast::Expr, what: &str) -> Option<T> {
        self.reports.push(errors::not_a_size(expr.span, what));
        None
    }
}

/// Reads the header of a function.
pub(crate) fn read_header(function: &ast::Function, reports: &mut Vec<Diagnostic>) -> Signature {
    let mut header = Signature {
        name: function.name.text.clone(),
        name_span: function.name.span,
        exported: function.exported,
        type_params: Vec::new(),
        locals: Vec::new(),
        sizes: Vec::new(),
        params: Vec::new(),
        result: None,
    };
    let mut names: Vec<(String, LocalId)> = Vec::new();
    declare(function, &mut header, &mut names, reports);
    // Integer parameters may be sizes in the types of all parameters and of the result.
    let mut early = Vec::new();
    for param in &function.params {
        let id = match (&param.pattern.kind, &param.ty.kind) {
            (ast::PatternKind::Name(name), TypeKind::Scalar(s)) if s.is_int() => {
                let id = header.bind(name, param.pattern.span, Ty::Scalar(*s));
                names.push((name.clone(), id));
                Some(id)
            }
            _ => None,
        };
        early.push(id);
    }
    let type_params = header.type_params.clone();
    let mut reader = TypeReader {
        type_params: &type_params,
        names: &mut names,
        locals: &mut header.locals,
        reports,
        mentioned: Vec::new(),
        declare: Some(format!("{}[", function.name.text)),
    };
    let types: Vec<SizedType> = function.params.iter().map(|p| reader.read(&p.ty)).collect();
    let result = function.result.as_ref().map(|ty| (reader.read(ty), ty.span));
    header.result = result;
    for ((param, ty), id) in function.params.iter().zip(types).zip(early) {
        let pattern = match id {
            Some(id) => Pattern { kind: PatternKind::Name(id) },
            None => bind_pattern(&param.pattern, &ty.plain(), &mut header, reports),
        };
        header.params.push(Param { pattern, ty, ty_span: param.ty.span });
    }
    check_sizes_are_determined(&header, reports);
    if header.exported && !header.type_params.is_empty() {
        reports.push(errors::generic_entry(&header.name, header.name_span));
    }
    header
}

impl Signature {
    fn bind(&mut self, name: &str, span: Span, ty: Ty) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: name.to_string(), span, ty, used: false });
        id
    }
}

fn bind_pattern(pattern: &ast::Pattern, ty: &Ty, header: &mut Signature, reports: &mut Vec<Diagnostic>) -> Pattern {
    let kind = match (&pattern.kind, ty) {
        (ast::PatternKind::Wildcard, _) => PatternKind::Wildcard,
        (ast::PatternKind::Name(name), _) => PatternKind::Name(header.bind(name, pattern.span, ty.clone())),
        (ast::PatternKind::Tuple(parts), Ty::Tuple(types)) if parts.len() == types.len() => {
            let parts = parts.iter().zip(types).map(|(p, t)| bind_pattern(p, t, header, reports));
            PatternKind::Tuple(parts.collect())
        }
        (ast::PatternKind::Tuple(parts), _) => {
            if *ty != Ty::Error {
                reports.push(errors::pattern_form(pattern.span, parts.len()));
            }
            let parts = parts.iter().map(|p| bind_pattern(p, &Ty::Error, header, reports));
            PatternKind::Tuple(parts.collect())
        }
    };
    Pattern { kind }
}

/// Finds out which declared names are sizes and which are types, by their use in the header.
fn declare(
    function: &ast::Function,
    header: &mut Signature,
    names: &mut Vec<(String, LocalId)>,
    reports: &mut Vec<Diagnostic>,
) {
    let mut uses = Uses::default();
    function.params.iter().map(|p| &p.ty).chain(&function.result).for_each(|ty| uses.in_type(ty));
    let mut seen: Vec<&ast::Name> = Vec::new();
    for generic in &function.generics {
        let name = &generic.name;
        if let Some(first) = seen.iter().find(|n| n.text == name.text) {
            reports.push(errors::declared_twice(&name.text, name.span, first.span));
            continue;
        }
        seen.push(name);
        let is_type = uses.types.contains(&name.text);
        let is_size = uses.sizes.contains(&name.text);
        let class = generic.class.as_ref().and_then(|class| {
            let found = Classes::named(&class.text);
            if found.is_none() {
                reports.push(errors::unknown_class(&class.text, class.span));
            }
            found
        });
        if is_type && is_size {
            reports.push(errors::type_and_size(&name.text, name.span));
        }
        if is_type || generic.class.is_some() {
            header.type_params.push((name.text.clone(), class.unwrap_or(Classes::NONE)));
        } else if is_size {
            let id = header.bind(&name.text, name.span, Ty::I64);
            header.sizes.push(id);
            names.push((name.text.clone(), id));
        } else if !uses.functions.contains(&name.text) {
            reports.push(errors::unused_generic(&name.text, name.span));
        }
    }
}

#[derive(Default)]
struct Uses {
    types: Vec<String>,
    sizes: Vec<String>,
    functions: Vec<String>,
}

impl Uses {
    fn in_type(&mut self, ty: &ast::Type) {
        match &ty.kind {
            TypeKind::Scalar(_) => {}
            TypeKind::Named(name) => self.types.push(name.text.clone()),
            TypeKind::Tuple(parts) => parts.iter().for_each(|p| self.in_type(p)),
            TypeKind::Array { dim, element } => {
                match &dim.kind {
                    DimKind::Unstated => {}
                    DimKind::Size(size) | DimKind::Counted { bound: size, .. } => self.in_size(size),
                }
                self.in_type(element);
            }
            TypeKind::Function { params, result } => {
                params.iter().for_each(|p| self.in_type(p));
                self.in_type(result);
            }
        }
    }

    fn in_size(&mut self, size: &ast::Expr) {
        match &size.kind {
            ExprKind::Var(name) => self.sizes.push(name.clone()),
            ExprKind::Call { function, args, .. } => {
                if let ExprKind::Var(name) = &function.kind {
                    self.functions.push(name.clone());
                }
                args.iter().for_each(|a| self.in_size(a));
            }
            _ => terrace_syntax::visit::for_each_child(size, &mut |child| self.in_size(child)),
        }
    }
}

/// Where a declared size gets its value: a parameter, and the way to an array in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Binder {
    pub(crate) param: usize,
    pub(crate) path: Vec<Step>,
}

/// One step from a value to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A component of a tuple.
    Component(usize),
    /// The first element of an array, if there is one.
    First,
}

/// The outermost and then first place that has exactly the size `name` as its length.
pub(crate) fn binder_of(name: LocalId, params: &[Param]) -> Option<Binder> {
    let deepest = params.iter().map(|p| depth(&p.ty)).max().unwrap_or(0);
    (0..deepest).find_map(|level| {
        params.iter().enumerate().find_map(|(param, p)| {
            let mut path = Vec::new();
            find_length(name, &p.ty, level, &mut path).then_some(Binder { param, path })
        })
    })
}

fn depth(ty: &SizedType) -> usize {
    match ty {
        SizedType::Tuple(parts) => parts.iter().map(depth).max().unwrap_or(0),
        SizedType::Array(array) => 1 + depth(&array.elem),
        _ => 0,
    }
}

fn find_length(name: LocalId, ty: &SizedType, level: usize, path: &mut Vec<Step>) -> bool {
    match ty {
        SizedType::Tuple(parts) => parts.iter().enumerate().any(|(k, part)| {
            path.push(Step::Component(k));
            let found = find_length(name, part, level, path);
            if !found {
                path.pop();
            }
            found
        }),
        SizedType::Array(array) if level == 0 => {
            matches!(array.size, Some(SizeExpr::Name(id)) if id == name)
        }
        SizedType::Array(array) => {
            path.push(Step::First);
            let found = find_length(name, &array.elem, level - 1, path);
            if !found {
                path.pop();
            }
            found
        }
        _ => false,
    }
}

fn check_sizes_are_determined(header: &Signature, reports: &mut Vec<Diagnostic>) {
    for id in &header.sizes {
        if binder_of(*id, &header.params).is_none() {
            let local = &header.locals[id.index()];
            reports.push(errors::undetermined_size(&local.name, local.span));
        }
    }
}

/// A size as a person would write it.
fn written(expr: &ast::Expr) -> String {
    match &expr.kind {
        ExprKind::Int { value, .. } => value.to_string(),
        ExprKind::Var(name) => name.clone(),
        ExprKind::Binary { op, left, right, .. } => {
            let part = |e: &ast::Expr| match (&e.kind, op) {
                (ExprKind::Binary { .. }, ast::BinaryOp::Scalar(BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Sub)) => {
                    format!("({})", written(e))
                }
                _ => written(e),
            };
            format!("{} {} {}", part(left), op.symbol(), part(right))
        }
        ExprKind::Call { function, args, .. } => {
            let args: Vec<String> = args.iter().map(written).collect();
            format!("{}({})", written(function), args.join(", "))
        }
        _ => "…".to_string(),
    }
}
