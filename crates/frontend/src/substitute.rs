//! Filling in the parameters of a declared type.
//!
//! ```text
//! type matrix[n, m, t] = [n][m]t       declared   Array Param 0 of Array Param 1 of Param 0
//! matrix[k + 1, 3, f64]                filled     Array k + 1   of Array 3       of f64
//! ```
//!
//! A position inside the declaration (`[i < n]`) becomes a new name at each use, so that two uses do not share one.

use crate::signature::{SizeExpr, SizedArray, SizedType};
use crate::typed::{Local, LocalId};
use crate::types::Ty;
use terrace_base::Span;

/// What the parameters of a declared type stand for at one use.
pub(crate) struct Filling<'f> {
    pub(crate) types: &'f [SizedType],
    pub(crate) sizes: &'f [SizeExpr],
    pub(crate) locals: &'f mut Vec<Local>,
    pub(crate) renamed: Vec<(LocalId, LocalId)>,
    /// The use.
    pub(crate) span: Span,
    /// Counts the parts; beyond the most, the result is not complete.
    pub(crate) parts: &'f mut usize,
    pub(crate) most: usize,
}

impl Filling<'_> {
    pub(crate) fn ty(&mut self, ty: &SizedType) -> SizedType {
        *self.parts += 1;
        if *self.parts > self.most {
            return SizedType::Error;
        }
        match ty {
            SizedType::Param(k) => self.types.get(*k).cloned().unwrap_or(SizedType::Error),
            SizedType::Tuple(parts) => SizedType::Tuple(parts.iter().map(|p| self.ty(p)).collect()),
            SizedType::Array(array) => {
                let size = array.size.as_ref().map(|s| self.size(s));
                let position = array.position.as_ref().map(|(old, name)| {
                    let id = LocalId::new(self.locals.len());
                    self.locals.push(Local { name: name.clone(), span: self.span, ty: Ty::I64, used: true });
                    self.renamed.push((*old, id));
                    (id, name.clone())
                });
                let text = size.as_ref().map(|s| size_text(s, self.locals)).unwrap_or_default();
                let elem = self.ty(&array.elem);
                if position.is_some() {
                    self.renamed.pop();
                }
                SizedType::Array(Box::new(SizedArray { span: self.span, size, text, position, elem }))
            }
            SizedType::Record { id, type_args, fields } => {
                let type_args = self.type_args(type_args);
                SizedType::Record { id: *id, type_args, fields: fields.iter().map(|f| self.ty(f)).collect() }
            }
            SizedType::Enum { id, type_args, variants } => {
                let type_args = self.type_args(type_args);
                let variants = variants.iter().map(|v| v.iter().map(|f| self.ty(f)).collect()).collect();
                SizedType::Enum { id: *id, type_args, variants }
            }
            other => other.clone(),
        }
    }

    fn type_args(&self, args: &[Ty]) -> Vec<Ty> {
        let types: Vec<Ty> = self.types.iter().map(SizedType::plain).collect();
        args.iter().map(|a| a.instantiate(&types)).collect()
    }

    fn size(&self, size: &SizeExpr) -> SizeExpr {
        let of = |s: &SizeExpr| Box::new(self.size(s));
        match size {
            SizeExpr::Const(n) => SizeExpr::Const(*n),
            SizeExpr::Param(k) => self.sizes.get(*k).cloned().unwrap_or(SizeExpr::Const(0)),
            SizeExpr::Name(id) => {
                let renamed = self.renamed.iter().rev().find(|(old, _)| old == id);
                SizeExpr::Name(renamed.map_or(*id, |(_, new)| *new))
            }
            SizeExpr::Add(a, b) => SizeExpr::Add(of(a), of(b)),
            SizeExpr::Sub(a, b) => SizeExpr::Sub(of(a), of(b)),
            SizeExpr::Mul(a, b) => SizeExpr::Mul(of(a), of(b)),
            SizeExpr::Div(a, d) => SizeExpr::Div(of(a), *d),
            SizeExpr::Rem(a, d) => SizeExpr::Rem(of(a), *d),
            SizeExpr::Min(a, b) => SizeExpr::Min(of(a), of(b)),
            SizeExpr::Max(a, b) => SizeExpr::Max(of(a), of(b)),
            SizeExpr::If(op, parts) => SizeExpr::If(*op, Box::new(parts.each_ref().map(|p| self.size(p)))),
            SizeExpr::Apply(id, args) => SizeExpr::Apply(*id, args.iter().map(|a| self.size(a)).collect()),
        }
    }
}

/// A size as a person would write it.
pub(crate) fn size_text(size: &SizeExpr, locals: &[Local]) -> String {
    written(size, locals, 0)
}

// Sums bind at 1, products at 2; whatever binds weaker than its place gets parentheses.
fn written(size: &SizeExpr, locals: &[Local], place: u8) -> String {
    let name = |id: &LocalId| locals.get(id.index()).map_or("?", |l| l.name.as_str());
    let of = |s: &SizeExpr, place| written(s, locals, place);
    let (text, strength) = match size {
        SizeExpr::Const(n) => (n.to_string(), 3),
        SizeExpr::Name(id) => (name(id).to_string(), 3),
        SizeExpr::Param(k) => (name(&LocalId::new(*k)).to_string(), 3),
        SizeExpr::Add(a, b) => (format!("{} + {}", of(a, 1), of(b, 1)), 1),
        SizeExpr::Sub(a, b) => (format!("{} - {}", of(a, 1), of(b, 2)), 1),
        SizeExpr::Mul(a, b) => (format!("{} * {}", of(a, 2), of(b, 3)), 2),
        SizeExpr::Div(a, d) => (format!("{} / {d}", of(a, 2)), 2),
        SizeExpr::Rem(a, d) => (format!("{} % {d}", of(a, 2)), 2),
        SizeExpr::Min(a, b) => (format!("min({}, {})", of(a, 0), of(b, 0)), 3),
        SizeExpr::Max(a, b) => (format!("max({}, {})", of(a, 0), of(b, 0)), 3),
        SizeExpr::If(op, parts) => {
            let [a, b, c, d] = parts.each_ref().map(|p| of(p, 1));
            (format!("if {a} {} {b} then {c} else {d}", op.symbol()), 0)
        }
        SizeExpr::Apply(id, args) => {
            let args: Vec<String> = args.iter().map(|a| of(a, 0)).collect();
            (format!("{}({})", name(id), args.join(", ")), 3)
        }
    };
    if strength < place { format!("({text})") } else { text }
}
