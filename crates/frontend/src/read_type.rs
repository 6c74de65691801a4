//! Types as written become types with sizes.
//!
//! ```text
//! type matrix[n, m, t] = [n][m]t
//! xs: matrix[k + 1, 3, f64]          Array k + 1 of Array 3 of f64
//! ```
//!
//! Used for headers, for declarations of types, and for annotations in bodies. Abbreviations are gone afterwards: their
//! sizes and types are filled in, and their positions get names of their own. Names of sizes are bound names of the function;
//! inside a declaration they are numbered instead, because each use fills in others.

use crate::builtins::Builtin;
use crate::declared::{Declared, DeclaredKind};
use crate::errors;
use crate::names::Names;
use crate::scope::Scope;
use crate::signature::{SizeExpr, SizedArray, SizedType};
use crate::substitute::{Filling, size_text};
use crate::typed::{Local, LocalId};
use crate::types::{Classes, Ty};
use terrace_base::{BinOp, Diagnostic, Span};
use terrace_syntax::ast::{self, DimKind, ExprKind, TypeArg, TypeKind};

/// Reads types as written.
pub(crate) struct TypeReader<'a> {
    pub(crate) names: &'a Names,
    pub(crate) declared: &'a [Declared],
    /// The module the type stands in.
    pub(crate) module: usize,
    pub(crate) type_params: &'a [(String, Classes)],
    /// Names that may be sizes.
    pub(crate) scope: &'a mut Scope,
    pub(crate) size_functions: &'a [LocalId],
    pub(crate) locals: &'a mut Vec<Local>,
    pub(crate) reports: &'a mut Vec<Diagnostic>,
    /// Every name used as a size, and where.
    pub(crate) mentioned: Vec<(LocalId, Span)>,
    /// What to write before an unknown name to declare it; none in bodies.
    pub(crate) declare: Option<String>,
    /// The parameters of the function whose header this is.
    pub(crate) params: &'a [ast::Param],
    /// In a declaration, how many of the first locals stand for its size names.
    pub(crate) size_params: usize,
    /// How many parts the types have had so far.
    pub(crate) parts: usize,
}

impl TypeReader<'_> {
    /// A type with more parts than this is a mistake.
    pub(crate) const LARGEST: usize = 10_000;

    pub(crate) fn read(&mut self, ty: &ast::Type) -> SizedType {
        match &ty.kind {
            TypeKind::Scalar(s) => SizedType::Scalar(*s),
            TypeKind::Named { path, args } => self.named(path, args, ty.span),
            TypeKind::Tuple(parts) => SizedType::Tuple(parts.iter().map(|p| self.read(p)).collect()),
            TypeKind::Array { dim, element } => self.array(dim, element),
            TypeKind::Exists { .. } => {
                self.reports.push(errors::stray_exists(ty.span));
                SizedType::Error
            }
            TypeKind::Function { .. } => {
                self.reports.push(errors::stray_function_type(ty.span));
                SizedType::Error
            }
        }
    }

    /// The type of a parameter, which may be that of a function.
    pub(crate) fn read_parameter(&mut self, ty: &ast::Type) -> SizedType {
        match &ty.kind {
            TypeKind::Function { params, result } => {
                let params = params.iter().map(|p| self.read(p)).collect();
                SizedType::Function(params, Box::new(self.read(result)))
            }
            _ => self.read(ty),
        }
    }

    fn named(&mut self, path: &ast::Path, args: &[TypeArg], span: Span) -> SizedType {
        let name = &path.name;
        if path.module.is_none()
            && let Some(k) = self.type_params.iter().position(|(n, _)| *n == name.text)
        {
            if !args.is_empty() {
                self.reports.push(errors::type_arguments(&name.text, span, 0, args.len(), None));
            }
            return SizedType::Param(k);
        }
        match self.names.type_at(self.module, path) {
            Ok(Some(id)) => self.declared_type(id, &name.text, args, span),
            Ok(None) => {
                let report = self.unknown_type(name);
                self.reports.push(report);
                SizedType::Error
            }
            Err(report) => {
                self.reports.push(report);
                SizedType::Error
            }
        }
    }

    fn unknown_type(&self, name: &ast::Name) -> Diagnostic {
        if self.scope.find(&name.text).is_some() {
            return errors::size_as_type(&name.text, name.span);
        }
        if let Some(there) = self.names.type_elsewhere(self.module, &name.text) {
            return errors::elsewhere(errors::unknown_type(&name.text, name.span, None, &[]), &name.text, &there);
        }
        let mut near: Vec<&str> = self.names.types(self.module).collect();
        near.extend(self.type_params.iter().map(|(n, _)| n.as_str()));
        errors::unknown_type(&name.text, name.span, self.declare.as_deref(), &near)
    }

    fn declared_type(&mut self, id: crate::declared::TypeId, name: &str, args: &[TypeArg], span: Span) -> SizedType {
        let all = self.declared;
        let declared = &all[id.index()];
        if matches!(declared.kind, DeclaredKind::Abbreviation(SizedType::Error)) {
            return SizedType::Error;
        }
        if declared.generics.len() != args.len() {
            let wanted = declared.generics.len();
            self.reports.push(errors::type_arguments(name, span, wanted, args.len(), Some(declared)));
            return SizedType::Error;
        }
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        let mut fine = true;
        for (generic, arg) in declared.generics.iter().zip(args) {
            if generic.is_size {
                match self.size_argument(arg, name, &generic.name) {
                    Some(size) => sizes.push(size),
                    None => fine = false,
                }
            } else {
                match self.type_argument(arg, name, &generic.name) {
                    SizedType::Error => fine = false,
                    ty => types.push(ty),
                }
            }
        }
        if !fine {
            return SizedType::Error;
        }
        let type_args: Vec<Ty> = types.iter().map(SizedType::plain).collect();
        let before = self.parts;
        let mut filling = Filling {
            types: &types,
            sizes: &sizes,
            locals: self.locals,
            renamed: Vec::new(),
            span,
            parts: &mut self.parts,
            most: Self::LARGEST,
        };
        let filled = match &declared.kind {
            DeclaredKind::Abbreviation(ty) => filling.ty(ty),
            DeclaredKind::Record(fields) => {
                let fields = fields.iter().map(|f| filling.ty(&f.ty)).collect();
                SizedType::Record { id, type_args, fields }
            }
            DeclaredKind::Enum(variants) => {
                let variants = variants.iter().map(|v| v.fields.iter().map(|f| filling.ty(f)).collect()).collect();
                SizedType::Enum { id, type_args, variants }
            }
        };
        if self.parts > Self::LARGEST {
            if before <= Self::LARGEST {
                self.reports.push(errors::type_too_large(span, Self::LARGEST));
            }
            return SizedType::Error;
        }
        filled
    }

    fn size_argument(&mut self, arg: &TypeArg, of: &str, generic: &str) -> Option<SizeExpr> {
        match arg {
            TypeArg::Size(expr) => {
                if let ExprKind::Var(name) = &expr.kind
                    && self.scope.find(name).is_none()
                    && self.is_type(name)
                {
                    self.reports.push(errors::size_wanted(expr.span, of, generic));
                    return None;
                }
                self.size(expr)
            }
            TypeArg::Type(ty) => {
                self.reports.push(errors::size_wanted(ty.span, of, generic));
                None
            }
        }
    }

    fn is_type(&self, name: &str) -> bool {
        self.type_params.iter().any(|(n, _)| n == name) || self.names.ty(self.module, name).is_some()
    }

    fn type_argument(&mut self, arg: &TypeArg, of: &str, generic: &str) -> SizedType {
        match arg {
            TypeArg::Type(ty) => self.read(ty),
            TypeArg::Size(expr) => match type_path(expr) {
                Some(path) if path.module.is_some() || self.scope.find(&path.name.text).is_none() => {
                    self.named(&path, &[], expr.span)
                }
                _ => {
                    self.reports.push(errors::type_wanted(expr.span, of, generic));
                    SizedType::Error
                }
            },
        }
    }

    fn array(&mut self, dim: &ast::Dim, element: &ast::Type) -> SizedType {
        let mut position = None;
        let outside = self.scope.depth();
        let size = match &dim.kind {
            DimKind::Unstated => None,
            DimKind::Size(size) => self.size(size),
            DimKind::Counted { var, bound } => {
                let size = self.size(bound);
                let id = LocalId::new(self.locals.len());
                self.locals.push(Local { name: var.text.clone(), span: var.span, ty: Ty::I64, used: true });
                self.scope.push(&var.text, id);
                position = Some((id, var.text.clone()));
                size
            }
        };
        let text = size.as_ref().map(|s| size_text(s, self.locals)).unwrap_or_default();
        let elem = self.read(element);
        self.scope.truncate(outside);
        SizedType::Array(Box::new(SizedArray { span: dim.span, size, text, position, elem }))
    }

    pub(crate) fn size(&mut self, expr: &ast::Expr) -> Option<SizeExpr> {
        match &expr.kind {
            ExprKind::Int { value, .. } => match i64::try_from(*value) {
                Ok(n) => Some(SizeExpr::Const(n)),
                Err(_) => self.refuse(expr.span, "too large for a size"),
            },
            ExprKind::Var(name) => self.size_name(name, expr.span),
            ExprKind::Binary { op: ast::BinaryOp::Scalar(op), left, right, .. } => {
                self.operation(expr, *op, left, right)
            }
            ExprKind::Call { function, args, piped: false } => match &function.kind {
                ExprKind::Var(name) => self.application(name, function.span, args, expr.span),
                _ => self.refuse(expr.span, "not an expression for sizes"),
            },
            ExprKind::If { condition, then, otherwise } => match &condition.kind {
                ExprKind::Binary { op: ast::BinaryOp::Scalar(op), left, right, .. } if op.is_comparison() => {
                    let parts = [self.size(left), self.size(right), self.size(then), self.size(otherwise)];
                    let [Some(a), Some(b), Some(c), Some(d)] = parts else {
                        return None;
                    };
                    Some(SizeExpr::If(*op, Box::new([a, b, c, d])))
                }
                _ => self.refuse(condition.span, "the condition of a size compares two sizes"),
            },
            ExprKind::Real { .. } => self.refuse(expr.span, "sizes are whole numbers"),
            ExprKind::Unary { .. } => self.refuse(expr.span, "a size is never negative; write `n - 1` to subtract"),
            _ => self.refuse(expr.span, "not an expression for sizes"),
        }
    }

    fn size_name(&mut self, name: &str, span: Span) -> Option<SizeExpr> {
        let Some(id) = self.scope.find(name) else {
            let param = self.params.iter().find(|p| p.pattern.names().iter().any(|(n, _)| *n == name));
            let report = if self.is_type(name) {
                errors::type_as_size(name, span)
            } else if let Some(param) = param {
                errors::parameter_as_size(name, span, param.pattern.span, param.ty.is_some())
            } else if let Some(position) = self.locals.iter().rev().find(|l| l.name == name) {
                errors::position_outside(name, span, position.span)
            } else {
                let near: Vec<&str> = self.scope.names().collect();
                errors::unknown_size(name, span, self.declare.as_deref(), &near)
            };
            self.reports.push(report);
            return None;
        };
        self.locals[id.index()].used = true;
        if let Ty::Function(params, _) = &self.locals[id.index()].ty {
            // In a header, a name that is both was reported where it is declared.
            if self.declare.is_none() {
                let report = errors::bare_size_function(name, span, params.len());
                self.reports.push(report);
            }
            return None;
        }
        self.mentioned.push((id, span));
        Some(if id.index() < self.size_params { SizeExpr::Param(id.index()) } else { SizeExpr::Name(id) })
    }

    fn application(&mut self, name: &str, name_span: Span, args: &[ast::Expr], span: Span) -> Option<SizeExpr> {
        let id = self.scope.find(name);
        if id.is_none()
            && (name == "min" || name == "max")
            && let [a, b] = args
        {
            let (a, b) = (self.size(a), self.size(b));
            let make = if name == "min" { SizeExpr::Min } else { SizeExpr::Max };
            return Some(make(Box::new(a?), Box::new(b?)));
        }
        match id {
            Some(id) if self.size_functions.contains(&id) => {
                self.locals[id.index()].used = true;
                let args: Vec<Option<SizeExpr>> = args.iter().map(|a| self.size(a)).collect();
                let args: Option<Vec<SizeExpr>> = args.into_iter().collect();
                let args = args?;
                let arity = match &self.locals[id.index()].ty {
                    Ty::Function(params, _) => params.len(),
                    _ => args.len(),
                };
                if args.len() != arity && self.declare.is_some() {
                    return None;
                }
                if args.len() != arity {
                    self.reports.push(errors::size_function_arity(name, span, arity, args.len()));
                    return None;
                }
                Some(SizeExpr::Apply(id, args))
            }
            // Reported where it is declared.
            Some(id) if id.index() < self.size_params => None,
            Some(_) => self.refuse(name_span, "this is not a size function"),
            None if Builtin::named(name).is_some() || self.names.value(self.module, name).is_some() => {
                self.refuse::<SizeExpr>(name_span, "sizes cannot call functions; name the length: `f[n](xs: [n]f64)`")
            }
            None => {
                let report = match self.size_params {
                    0 => errors::unknown_size(name, name_span, self.declare.as_deref(), &[]),
                    _ => errors::size_function_of_type(name, name_span),
                };
                self.reports.push(report);
                None
            }
        }
    }

    fn operation(&mut self, expr: &ast::Expr, op: BinOp, left: &ast::Expr, right: &ast::Expr) -> Option<SizeExpr> {
        if matches!(op, BinOp::Div | BinOp::Rem) {
            let left = self.size(left);
            let divisor = match right.kind {
                ExprKind::Int { value, .. } => i64::try_from(value).ok().filter(|d| *d > 0),
                _ => None,
            };
            let Some(divisor) = divisor else {
                return self.refuse(right.span, "sizes are divided by positive constants only");
            };
            let left = Box::new(left?);
            let divided = if op == BinOp::Div { SizeExpr::Div(left, divisor) } else { SizeExpr::Rem(left, divisor) };
            return Some(divided);
        }
        let make = match op {
            BinOp::Add => SizeExpr::Add,
            BinOp::Sub => SizeExpr::Sub,
            BinOp::Mul => SizeExpr::Mul,
            _ => return self.refuse(expr.span, "not an expression for sizes"),
        };
        let (left, right) = (self.size(left), self.size(right));
        Some(make(Box::new(left?), Box::new(right?)))
    }

    fn refuse<T>(&mut self, span: Span, what: &str) -> Option<T> {
        self.reports.push(errors::not_a_size(span, what));
        None
    }
}

/// The beginning of brackets to which a name can be added: `f[n, `.
pub(crate) fn opening(name: &str, generics: &[ast::Generic]) -> String {
    let names: Vec<String> = generics.iter().map(|g| format!("{}, ", g.name.text)).collect();
    format!("{name}[{}", names.concat())
}

/// The path that an argument of a type is, if it can be the name of a type.
pub(crate) fn type_path(expr: &ast::Expr) -> Option<ast::Path> {
    let name = |text: &str| ast::Name { span: expr.span, text: text.to_string() };
    match &expr.kind {
        ExprKind::Var(text) => Some(ast::Path { module: None, name: name(text) }),
        ExprKind::Field { value, name: field } => match &value.kind {
            ExprKind::Var(module) => {
                let module = ast::Name { span: value.span, text: module.clone() };
                Some(ast::Path { module: Some(module), name: field.clone() })
            }
            _ => None,
        },
        _ => None,
    }
}
