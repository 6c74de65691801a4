//! Whether the arms of a match fit every value, and whether each arm is of any use.
//!
//! ```text
//! match (a, b) { (true, _) => 1, (_, true) => 2 }     leaves out (false, false)
//! match s { circle(_) => 1, _ => 2, rect(_, _) => 3 }  the last arm is never chosen
//! ```
//!
//! A pattern is *useful* after others if some value fits it and none of them. An arm must be useful after those before it,
//! and `_` must not be useful after all of them; the values that make it useful are shown. Arms with guards may decline, so
//! they count for nothing here. Numbers and strings are taken to be endless.
//!
//! Maranget, Warnings for pattern matching, section 3.

use crate::declared::{Declared, DeclaredKind};
use crate::errors;
use crate::typed::{Arm, Expr, Kind, Pattern, PatternKind};
use crate::types::{Ty, Unifier};
use terrace_base::{Diagnostic, Scalar, Span, UnOp};

/// A pattern without what does not matter here.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Any,
    /// A constructor with its parts.
    Made(Head, Vec<Shape>),
    Either(Vec<Shape>),
}

#[derive(Clone, Debug, PartialEq)]
enum Head {
    /// The only way to make a tuple or a record.
    Parts,
    Bool(bool),
    Variant(usize),
    Number(String),
    Text(Vec<u8>),
}

/// More steps than this are not worth the wait; the match is then taken to be in order.
const PATIENCE: usize = 200_000;

/// Reports values that no arm fits, and arms that are never chosen.
pub(crate) fn check(span: Span, arms: &[Arm], unifier: &Unifier, declared: &[Declared], reports: &mut Vec<Diagnostic>) {
    let Some(first) = arms.first() else { return };
    let types = vec![unifier.resolve(&first.pattern.ty)];
    if unifier.is_broken(&types[0]) {
        return;
    }
    let mut search = Search { unifier, declared, steps: 0 };
    let mut rows: Vec<Vec<Shape>> = Vec::new();
    let mut patterns: Vec<&Pattern> = Vec::new();
    for arm in arms {
        let shape = search.shape(&arm.pattern);
        if search.useful(&rows, std::slice::from_ref(&shape), &types).is_none() {
            let covers = rows.iter().position(|row| {
                search.useful(std::slice::from_ref(row), std::slice::from_ref(&shape), &types).is_none()
            });
            let report = errors::unreachable_arm(arm.pattern.span, covers.map(|k| patterns[k].span));
            reports.push(match covers.and_then(|k| search.misspelt(patterns[k], &types[0])) {
                Some(hint) => report.hint(hint),
                None => report,
            });
        }
        if arm.guard.is_none() {
            rows.push(vec![shape]);
            patterns.push(&arm.pattern);
        }
    }
    let mut missing: Vec<String> = Vec::new();
    while missing.len() < 3
        && let Some(value) = search.useful(&rows, &[Shape::Any], &types)
        && !search.tired()
    {
        missing.push(search.show(&value[0], &types[0]));
        rows.push(value);
    }
    if !missing.is_empty() {
        reports.push(errors::not_exhaustive(span, &missing));
    }
}

struct Search<'s> {
    unifier: &'s Unifier,
    declared: &'s [Declared],
    steps: usize,
}

impl Search<'_> {
    /// A name that fits everything may be meant as a variant.
    fn misspelt(&self, pattern: &Pattern, ty: &Ty) -> Option<String> {
        let (PatternKind::Name(_), Ty::Named(id, _)) = (&pattern.kind, ty) else { return None };
        let DeclaredKind::Enum(variants) = &self.declared[id.index()].kind else { return None };
        let names: Vec<String> = variants.iter().map(|v| format!("`{}`", v.name)).collect();
        Some(format!("a name that is no variant fits everything; the variants are {}", names.join(", ")))
    }

    fn tired(&self) -> bool {
        self.steps > PATIENCE
    }

    fn shape(&self, pattern: &Pattern) -> Shape {
        match &pattern.kind {
            PatternKind::Name(_) | PatternKind::Wildcard => Shape::Any,
            PatternKind::Tuple(parts) => Shape::Made(Head::Parts, parts.iter().map(|p| self.shape(p)).collect()),
            PatternKind::Record(fields) => {
                let count = self.parts(&Head::Parts, &self.unifier.resolve(&pattern.ty)).len();
                let mut parts = vec![Shape::Any; count];
                for (k, field) in fields {
                    parts[*k] = self.shape(field);
                }
                Shape::Made(Head::Parts, parts)
            }
            PatternKind::Variant { tag, fields } => {
                Shape::Made(Head::Variant(*tag), fields.iter().map(|p| self.shape(p)).collect())
            }
            PatternKind::Literal(literal) => self.literal(literal),
            PatternKind::Or(parts) => Shape::Either(parts.iter().map(|p| self.shape(p)).collect()),
        }
    }

    fn literal(&self, literal: &Expr) -> Shape {
        let float = matches!(self.unifier.head(&literal.ty), Ty::Scalar(s) if s.is_float());
        let number = |text: String| Head::Number(text);
        let head = match &literal.kind {
            Kind::Bool(b) => Head::Bool(*b),
            Kind::Str(text) => Head::Text(text.clone()),
            Kind::Int(n) if float => number(Scalar::from(*n as f64).to_string()),
            Kind::NegativeInt(n) if float => number(Scalar::from(-(*n as f64)).to_string()),
            Kind::Int(n) => number(n.to_string()),
            Kind::NegativeInt(0) => number("0".to_string()),
            Kind::NegativeInt(n) => number(format!("-{n}")),
            Kind::Real(x) => number(Scalar::from(*x).to_string()),
            Kind::Unary(UnOp::Neg, inner) => match inner.kind {
                Kind::Real(x) => number(Scalar::from(-x).to_string()),
                _ => return Shape::Any,
            },
            _ => return Shape::Any,
        };
        Shape::Made(head, Vec::new())
    }

    /// The types of the parts of a constructor.
    fn parts(&self, head: &Head, ty: &Ty) -> Vec<Ty> {
        match (head, ty) {
            (Head::Parts, Ty::Tuple(parts)) => parts.clone(),
            (Head::Parts, Ty::Named(id, args)) => match &self.declared[id.index()].kind {
                DeclaredKind::Record(fields) => fields.iter().map(|f| f.ty.plain().instantiate(args)).collect(),
                _ => Vec::new(),
            },
            (Head::Variant(tag), Ty::Named(id, args)) => match &self.declared[id.index()].kind {
                DeclaredKind::Enum(variants) => variants
                    .get(*tag)
                    .map_or(Vec::new(), |v| v.fields.iter().map(|f| f.plain().instantiate(args)).collect()),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// All constructors of a type; none if they are endless.
    fn heads(&self, ty: &Ty) -> Option<Vec<Head>> {
        match ty {
            Ty::Tuple(_) => Some(vec![Head::Parts]),
            Ty::Scalar(terrace_base::ScalarType::Bool) => Some(vec![Head::Bool(false), Head::Bool(true)]),
            Ty::Named(id, _) => match &self.declared[id.index()].kind {
                DeclaredKind::Record(_) => Some(vec![Head::Parts]),
                DeclaredKind::Enum(variants) => Some((0..variants.len()).map(Head::Variant).collect()),
                DeclaredKind::Abbreviation(_) => None,
            },
            _ => None,
        }
    }

    /// A row of values that fits `row` and none of `rows`.
    fn useful(&mut self, rows: &[Vec<Shape>], row: &[Shape], types: &[Ty]) -> Option<Vec<Shape>> {
        self.steps += 1;
        let Some((first, rest)) = row.split_first() else {
            return if rows.is_empty() || self.tired() { Some(Vec::new()) } else { None };
        };
        if self.tired() {
            return Some(vec![Shape::Any; row.len()]);
        }
        let ty = types[0].clone();
        match first {
            Shape::Either(parts) => parts.iter().find_map(|part| {
                let row: Vec<Shape> = [part.clone()].into_iter().chain(rest.iter().cloned()).collect();
                self.useful(rows, &row, types)
            }),
            Shape::Made(head, parts) => self.useful_made(rows, head, parts, rest, &ty, types),
            Shape::Any => {
                let mut used = Vec::new();
                rows.iter().for_each(|r| heads_of(&r[0], &mut used));
                if let Some(all) = self.heads(&ty)
                    && all.iter().all(|h| used.contains(h))
                {
                    return all.iter().find_map(|head| {
                        let parts = vec![Shape::Any; self.parts(head, &ty).len()];
                        self.useful_made(rows, head, &parts, rest, &ty, types)
                    });
                }
                let others: Vec<Vec<Shape>> = rows.iter().filter_map(|r| without_first(r)).flatten().collect();
                let found = self.useful(&others, rest, &types[1..])?;
                let absent = self.absent(&ty, &used);
                Some([absent].into_iter().chain(found).collect())
            }
        }
    }

    fn useful_made(
        &mut self,
        rows: &[Vec<Shape>],
        head: &Head,
        parts: &[Shape],
        rest: &[Shape],
        ty: &Ty,
        types: &[Ty],
    ) -> Option<Vec<Shape>> {
        let mut part_types = self.parts(head, ty);
        // Broken patterns may have another number of parts; they were reported.
        part_types.resize(parts.len(), Ty::Error);
        let taken: Vec<Vec<Shape>> = rows.iter().flat_map(|r| with_head(r, head, parts.len())).collect();
        let row: Vec<Shape> = parts.iter().chain(rest).cloned().collect();
        let types: Vec<Ty> = part_types.into_iter().chain(types[1..].iter().cloned()).collect();
        let mut found = self.useful(&taken, &row, &types)?;
        let tail = found.split_off(parts.len());
        Some([Shape::Made(head.clone(), found)].into_iter().chain(tail).collect())
    }

    /// A value whose constructor none of the rows uses.
    fn absent(&self, ty: &Ty, used: &[Head]) -> Shape {
        if used.is_empty() {
            return Shape::Any;
        }
        match self.heads(ty) {
            Some(all) => match all.into_iter().find(|h| !used.contains(h)) {
                Some(head) => {
                    let parts = vec![Shape::Any; self.parts(&head, ty).len()];
                    Shape::Made(head, parts)
                }
                None => Shape::Any,
            },
            None => Shape::Any,
        }
    }

    /// A value as a pattern that fits it.
    fn show(&self, shape: &Shape, ty: &Ty) -> String {
        let list = |parts: &[Shape], types: Vec<Ty>| -> Vec<String> {
            parts.iter().zip(types).map(|(p, t)| self.show(p, &t)).collect()
        };
        match shape {
            Shape::Any => "_".to_string(),
            Shape::Either(parts) => parts.first().map_or("_".to_string(), |p| self.show(p, ty)),
            Shape::Made(head, parts) => {
                let shown = list(parts, self.parts(head, ty));
                match (head, ty) {
                    (Head::Bool(b), _) => b.to_string(),
                    (Head::Number(text), _) => text.clone(),
                    (Head::Text(bytes), _) => format!("{:?}", String::from_utf8_lossy(bytes)),
                    (Head::Variant(tag), Ty::Named(id, _)) => {
                        let name = match &self.declared[id.index()].kind {
                            DeclaredKind::Enum(variants) => variants[*tag].name.clone(),
                            _ => "_".to_string(),
                        };
                        if shown.is_empty() { name } else { format!("{name}({})", shown.join(", ")) }
                    }
                    (Head::Parts, Ty::Named(id, _)) => {
                        let declared = &self.declared[id.index()];
                        let DeclaredKind::Record(fields) = &declared.kind else {
                            return "_".to_string();
                        };
                        let mut named: Vec<String> = fields
                            .iter()
                            .zip(&shown)
                            .filter(|(_, text)| *text != "_")
                            .map(|(f, text)| format!("{} = {text}", f.name))
                            .collect();
                        if named.len() < fields.len() {
                            named.push("..".to_string());
                        }
                        format!("{}{{{}}}", declared.name, named.join(", "))
                    }
                    _ => format!("({})", shown.join(", ")),
                }
            }
        }
    }
}

fn heads_of(shape: &Shape, found: &mut Vec<Head>) {
    match shape {
        Shape::Any => {}
        Shape::Made(head, _) => {
            if !found.contains(head) {
                found.push(head.clone());
            }
        }
        Shape::Either(parts) => parts.iter().for_each(|p| heads_of(p, found)),
    }
}

/// What rows say about the parts of a constructor; nothing if the row has another one.
fn with_head(row: &[Shape], head: &Head, count: usize) -> Vec<Vec<Shape>> {
    let with = |parts: Vec<Shape>| parts.into_iter().chain(row[1..].iter().cloned()).collect();
    match &row[0] {
        Shape::Any => vec![with(vec![Shape::Any; count])],
        Shape::Made(h, parts) if h == head && parts.len() == count => vec![with(parts.clone())],
        Shape::Made(..) => Vec::new(),
        Shape::Either(parts) => parts
            .iter()
            .flat_map(|p| {
                let row: Vec<Shape> = [p.clone()].into_iter().chain(row[1..].iter().cloned()).collect();
                with_head(&row, head, count)
            })
            .collect(),
    }
}

/// What a row says about the rest if its first pattern fits everything.
fn without_first(row: &[Shape]) -> Option<Vec<Vec<Shape>>> {
    match &row[0] {
        Shape::Any => Some(vec![row[1..].to_vec()]),
        Shape::Made(..) => None,
        Shape::Either(parts) if parts.contains(&Shape::Any) => Some(vec![row[1..].to_vec()]),
        Shape::Either(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a pair of truth values fits a shape.
    fn fits(shape: &Shape, values: &[bool]) -> bool {
        match (shape, values) {
            (Shape::Any, _) => true,
            (Shape::Either(parts), _) => parts.iter().any(|p| fits(p, values)),
            (Shape::Made(Head::Bool(b), _), [value]) => b == value,
            (Shape::Made(Head::Parts, parts), [a, b]) => fits(&parts[0], &[*a]) && fits(&parts[1], &[*b]),
            _ => false,
        }
    }

    #[test]
    fn agrees_with_trying_every_value() {
        let truth = |b| Shape::Made(Head::Bool(b), Vec::new());
        let parts = [Shape::Any, truth(true), truth(false), Shape::Either(vec![truth(true), truth(false)])];
        let pair = |a: &Shape, b: &Shape| Shape::Made(Head::Parts, vec![a.clone(), b.clone()]);
        let mut shapes: Vec<Shape> = parts.iter().flat_map(|a| parts.iter().map(|b| pair(a, b))).collect();
        shapes.push(Shape::Any);
        shapes.push(Shape::Either(vec![pair(&parts[1], &parts[2]), pair(&parts[2], &parts[1])]));
        let values = [[false, false], [false, true], [true, false], [true, true]];
        let types = [Ty::Tuple(vec![Ty::BOOL, Ty::BOOL])];
        let unifier = Unifier::default();
        let mut search = Search { unifier: &unifier, declared: &[], steps: 0 };
        for a in &shapes {
            for b in &shapes {
                let rows = [vec![a.clone()], vec![b.clone()]];
                for last in &shapes {
                    search.steps = 0;
                    let found = search.useful(&rows, std::slice::from_ref(last), &types);
                    let left = |v: &&[bool; 2]| fits(last, *v) && !fits(a, *v) && !fits(b, *v);
                    assert_eq!(found.is_some(), values.iter().any(|v| left(&v)), "{last:?} after {a:?} and {b:?}");
                    if let Some(value) = found {
                        assert!(values.iter().filter(left).any(|v| fits(&value[0], v)), "{value:?}");
                    }
                }
            }
        }
    }
}
