//! Records and variants.
//!
//! ```text
//! point{x = 1.0, y = 2.0}      (1.0, 2.0), fields in the order of the declaration
//! p with {x = 3.0}             (3.0, p.1)
//! circle(2.0)                  variant 0 of the sum
//! ```
//!
//! A declaration may state sizes, `type poly[n] = {xs: [n]f64, ys: [n]f64}`. Whoever makes a record has them checked: the
//! first field that has exactly the length `n` says what `n` is, and the others must agree.

use super::body::Lower;
use crate::declared::{Declared, DeclaredKind};
use crate::signature::{SizeExpr, SizedArray, SizedType, Step};
use crate::typed::Expr;
use crate::types::Ty;
use std::collections::BTreeMap;
use terrace_base::{Scalar, Span};
use terrace_ir::core::{self, Body, Lambda, StmtKind, Type};
use terrace_ir::{Atom, ValueId};

impl<'a> Lower<'_, 'a> {
    pub(super) fn record(&mut self, ty: &Ty, fields: &'a [(usize, Expr)], span: Span) -> Atom {
        let mut parts = vec![Atom::int(0); fields.len()];
        for (k, field) in fields {
            parts[*k] = self.expr(field);
        }
        self.check_fields(ty, 0, &parts, span);
        let ty = self.ty(ty);
        self.emit("record", ty, core::Expr::Tuple(parts), span)
    }

    pub(super) fn record_update(&mut self, ty: &Ty, record: &'a Expr, fields: &'a [(usize, Expr)], span: Span) -> Atom {
        let record = self.expr(record);
        let new: BTreeMap<usize, Atom> = fields.iter().map(|(k, field)| (*k, self.expr(field))).collect();
        let tuple = self.ty(ty);
        let count = match &tuple {
            Type::Tuple(parts) => parts.len(),
            _ => unreachable!("records are tuples"),
        };
        let parts: Vec<Atom> =
            (0..count).map(|k| new.get(&k).copied().unwrap_or_else(|| self.project(record, k, span))).collect();
        self.check_fields(ty, 0, &parts, span);
        self.emit("record", tuple, core::Expr::Tuple(parts), span)
    }

    /// A value of a declared enum, whose stated sizes are checked.
    pub(super) fn declared_variant(&mut self, ty: &Ty, tag: usize, fields: Vec<Atom>, span: Span) -> Atom {
        self.check_fields(ty, tag, &fields, span);
        let ty = self.ty(ty);
        self.variant(ty, tag, fields, span)
    }

    pub(super) fn variant(&mut self, ty: Type, tag: usize, fields: Vec<Atom>, span: Span) -> Atom {
        self.emit("variant", ty.clone(), core::Expr::Variant { ty, tag, fields }, span)
    }

    /// The fields of a value that can only be this variant.
    pub(super) fn variant_fields(&mut self, value: Atom, tag: usize, span: Span) -> Vec<Atom> {
        if let Some((_, fields)) = value.var().and_then(|v| self.variants.get(&v)) {
            return fields.clone();
        }
        let types = self.variant_types(value)[tag].clone();
        let tuple = Type::Tuple(types.clone());
        let arms = self.arms(value, |l, k, fields| {
            if k != tag {
                return l.default_value(&tuple, span);
            }
            match fields {
                [field] => *field,
                _ => l.emit("fields", tuple.clone(), core::Expr::Tuple(fields.to_vec()), span),
            }
        });
        let ty = if types.len() == 1 { types[0].clone() } else { tuple.clone() };
        let found = self.emit("fields", ty, core::Expr::Match { value, arms }, span);
        match types.len() {
            1 => vec![found],
            n => (0..n).map(|k| self.project(found, k, span)).collect(),
        }
    }

    /// The arms of a `match` on a sum: what to do with the number and the fields of each variant.
    pub(super) fn arms(&mut self, value: Atom, mut arm: impl FnMut(&mut Self, usize, &[Atom]) -> Atom) -> Vec<Lambda> {
        let variants = self.variant_types(value).into_iter().enumerate();
        variants
            .map(|(tag, types)| {
                let params = types.into_iter().map(|t| ("field".to_string(), t)).collect();
                self.lambda(params, |l, fields| arm(l, tag, fields))
            })
            .collect()
    }

    /// The types of the fields of every variant.
    pub(super) fn variant_types(&self, value: Atom) -> Vec<Vec<Type>> {
        match self.type_of(value) {
            Type::Sum(variants) => {
                variants.into_iter().map(|v| v.fields.iter().map(Type::without_sizes).collect()).collect()
            }
            _ => unreachable!("inference takes only enums apart by variants"),
        }
    }

    /// Some value of a type, where none is ever looked at.
    pub(super) fn default_value(&mut self, ty: &Type, span: Span) -> Atom {
        match ty {
            Type::Scalar(s) => Atom::Const(Scalar::zero(*s)),
            Type::Tuple(parts) => {
                let parts: Vec<Atom> = parts.iter().map(|p| self.default_value(p, span)).collect();
                self.emit("none", ty.without_sizes(), core::Expr::Tuple(parts), span)
            }
            Type::Array(array) => {
                let elem = array.elem.without_sizes();
                let empty = core::Expr::ArrayLiteral { elem: elem.clone(), elems: Vec::new() };
                self.emit("none", Type::array(elem), empty, span)
            }
            Type::Sum(variants) => {
                let fields: Vec<Atom> = variants[0].fields.iter().map(|f| self.default_value(f, span)).collect();
                self.variant(ty.without_sizes(), 0, fields, span)
            }
        }
    }

    /// Checks the sizes that a declaration states for the fields of a record or of one variant.
    fn check_fields(&mut self, ty: &Ty, tag: usize, fields: &[Atom], span: Span) {
        let Ty::Named(id, _) = self.frame().checked.unifier.head(ty) else {
            return;
        };
        let declared: &'a Declared = &self.all.module.declared[id.index()];
        let stated: Vec<&'a SizedType> = match &declared.kind {
            DeclaredKind::Record(fields) => fields.iter().map(|f| &f.ty).collect(),
            DeclaredKind::Enum(variants) => variants[tag].fields.iter().collect(),
            DeclaredKind::Abbreviation(_) => return,
        };
        if !stated.iter().any(|s| s.states_sizes(0)) {
            return;
        }
        let count = declared.generics.iter().filter(|g| g.is_size).count();
        let mut sizes: Vec<Option<Atom>> = vec![None; count];
        let mut binders = Vec::new();
        for (k, size) in sizes.iter_mut().enumerate() {
            let is = |array: &SizedArray| matches!(array.size, Some(SizeExpr::Param(p)) if p == k);
            let found = stated.iter().enumerate().find_map(|(at, s)| Some((at, super::size::path_to(s, &is)?)));
            if let Some((at, path)) = found {
                *size = Some(self.length_at(fields[at], &path, span));
                binders.push((at, path));
            }
        }
        let outer = std::mem::replace(&mut self.declared_sizes, sizes);
        for (at, (stated, field)) in stated.iter().zip(fields).enumerate() {
            let binds = |path: &[Step]| binders.iter().any(|(k, p)| *k == at && p == path);
            self.check_all_sizes(*field, stated, span, &binds);
        }
        self.declared_sizes = outer;
    }
}

/// Removes constructors whose value became known where it was taken apart.
pub(super) fn drop_unused_variants(body: &mut Body) {
    loop {
        let uses = core::visit::count_uses(body);
        let unused = |value: &ValueId| uses.get(value).copied().unwrap_or(0) == 0;
        let mut dropped = false;
        prune(body, &mut |stmt| {
            let idle =
                matches!(&stmt.kind, StmtKind::Let { value, expr: core::Expr::Variant { .. }, .. } if unused(value));
            dropped |= idle;
            !idle
        });
        if !dropped {
            return;
        }
    }
}

fn prune(body: &mut Body, keep: &mut dyn FnMut(&core::Stmt) -> bool) {
    body.stmts.retain(|s| keep(s));
    for stmt in &mut body.stmts {
        if let StmtKind::Let { expr, .. } = &mut stmt.kind {
            for inner in expr.bodies_mut() {
                prune(inner, keep);
            }
        }
    }
}
