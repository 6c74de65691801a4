//! Names and types: the syntax tree to the typed tree.
//!
//! Parameters state their types; inside a function everything is inferred. A function whose result is not stated is inferred
//! when the first call needs it, which a recursion cannot wait for: there the result must be stated.
//!
//! ```text
//! def norm(xs: []f64) = sqrt(sum([x * x for x in xs]))      inferred: -> f64
//! def fact(n: i64) = if n == 0 then 1 else n * fact(n - 1)  T0107: state the result
//! ```
//!
//! An error gives its expression the type [`Ty::Error`], which fits everything: one mistake, one message. Integer literals
//! belong to `Num`, so `2 * x` works for floats too; open ones become `i64`, and reals `f64`.

mod call;
mod expr;
mod operator;
mod pattern;

use crate::errors;
use crate::signature::{Param, Signature, read_header};
use crate::typed::{Checked, Local, LocalId};
use crate::types::{Clash, Classes, Ty, Unifier};
use std::collections::BTreeMap;
use terrace_base::{Diagnostic, Scalar, ScalarType, Span};
use terrace_syntax::ast::{self, ItemKind};

/// All functions and tests of a module with their types.
pub(crate) struct Module<'a> {
    pub(crate) headers: Vec<Signature>,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) tests: Vec<(&'a ast::Test, Checked)>,
    pub(crate) reports: Vec<Diagnostic>,
    by_name: BTreeMap<String, usize>,
    /// How many inferences wait for another one.
    waiting: usize,
}

/// A function on its way.
pub(crate) struct Function<'a> {
    pub(crate) item: &'a ast::Item,
    source: &'a ast::Function,
    pub(crate) progress: Progress,
}

pub(crate) enum Progress {
    Open,
    Started,
    Done(Box<Checked>),
}

/// Functions without a stated result may call each other this deep.
const CHAIN_LIMIT: usize = 200;

/// Resolves names and infers types.
pub(crate) fn infer(module: &ast::Module) -> Module<'_> {
    let mut out = Module {
        headers: Vec::new(),
        functions: Vec::new(),
        tests: Vec::new(),
        reports: Vec::new(),
        by_name: BTreeMap::new(),
        waiting: 0,
    };
    for item in &module.items {
        if let ItemKind::Function(source) = &item.kind {
            let header = read_header(source, &mut out.reports);
            match out.by_name.get(&source.name.text) {
                Some(first) => {
                    let first = out.headers[*first].name_span;
                    out.reports.push(errors::defined_twice(&source.name.text, source.name.span, first));
                }
                None => {
                    out.by_name.insert(source.name.text.clone(), out.headers.len());
                }
            }
            out.headers.push(header);
            out.functions.push(Function { item, source, progress: Progress::Open });
        }
    }
    for k in 0..out.functions.len() {
        out.infer_function(k);
    }
    for item in &module.items {
        if let ItemKind::Test(test) = &item.kind {
            let checked = Infer::new(&mut out, None).test(test);
            out.tests.push((test, checked));
        }
    }
    out
}

impl Module<'_> {
    fn infer_function(&mut self, k: usize) {
        if matches!(self.functions[k].progress, Progress::Open) {
            self.functions[k].progress = Progress::Started;
            self.waiting += 1;
            let source = self.functions[k].source;
            let checked = Infer::new(self, Some(k)).function(source);
            self.waiting -= 1;
            self.functions[k].progress = Progress::Done(Box::new(checked));
        }
    }

    /// The type that a call gets, over the function's declared type names.
    fn result_of(&mut self, k: usize, call: Span) -> Ty {
        if let Some((result, _)) = &self.headers[k].result {
            return result.plain();
        }
        if self.waiting < CHAIN_LIMIT {
            self.infer_function(k);
        }
        match &self.functions[k].progress {
            Progress::Done(checked) => checked.unifier.resolve(&checked.body.ty),
            _ => {
                let header = &self.headers[k];
                let report = errors::result_needed(&header.name, header.name_span, call);
                if !self.reports.iter().any(|r| r.code == report.code && r.title == report.title) {
                    self.reports.push(report);
                }
                Ty::Error
            }
        }
    }
}

/// The inference of one function or test.
struct Infer<'m, 'a> {
    module: &'m mut Module<'a>,
    header: Option<usize>,
    locals: Vec<Local>,
    /// Names in scope, innermost last.
    scope: Vec<(String, LocalId)>,
    unifier: Unifier,
    /// Integer literals, to be compared with the range of the type they get.
    literals: Vec<(Span, u64, bool, Ty)>,
}

impl<'m, 'a> Infer<'m, 'a> {
    fn new(module: &'m mut Module<'a>, header: Option<usize>) -> Infer<'m, 'a> {
        Infer {
            module,
            header,
            locals: Vec::new(),
            scope: Vec::new(),
            unifier: Unifier::default(),
            literals: Vec::new(),
        }
    }

    fn function(mut self, source: &ast::Function) -> Checked {
        let header = self.module.headers[self.header.unwrap_or_default()].clone();
        self.locals = header.locals.clone();
        self.unifier.params = header.type_params.clone();
        let params: Vec<_> = header.params.iter().map(|p: &Param| p.pattern.clone()).collect();
        self.scope.extend(header.sizes.iter().map(|id| (self.locals[id.index()].name.clone(), *id)));
        for param in &params {
            self.enter_pattern(param);
        }
        let body = self.expr(&source.body);
        if let Some((result, span)) = &header.result {
            let why = format!("the result of `{}` is stated here", header.name);
            self.expect(&body.ty, &result.plain(), body.span, Some((*span, why)));
        }
        self.finish(body, header.locals.len())
    }

    fn test(mut self, test: &ast::Test) -> Checked {
        let body = self.expr(&test.body);
        if self.unifier.unify(&body.ty, &Ty::BOOL, body.span).is_err() {
            let shown = self.unifier.show(&body.ty);
            self.report(errors::test_type(&shown, body.span));
        }
        self.finish(body, 0)
    }

    fn finish(mut self, body: crate::typed::Expr, from_header: usize) -> Checked {
        let had_errors = self.module.reports.iter().any(Diagnostic::is_error);
        for span in self.unifier.default_all() {
            // Something wrong elsewhere often leaves types open: then this would be a cascade.
            if !had_errors {
                self.report(errors::open_type(span));
                break;
            }
        }
        for (span, value, negative, ty) in std::mem::take(&mut self.literals) {
            if let Ty::Scalar(s) = self.unifier.head(&ty)
                && !fits(value, negative, s)
            {
                let text = format!("{}{value}", if negative { "-" } else { "" });
                self.report(errors::literal_range(&text, s.name(), span));
            }
        }
        for local in &self.locals[from_header..] {
            if !local.used && !local.name.starts_with('_') {
                self.module.reports.push(errors::unused_name(&local.name, local.span));
            }
        }
        Checked { locals: self.locals, unifier: self.unifier, body }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.module.reports.push(diagnostic);
    }

    fn fresh(&mut self, span: Span) -> Ty {
        self.unifier.fresh(Classes::NONE, span)
    }

    fn bind(&mut self, name: &str, span: Span, ty: Ty) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: name.to_string(), span, ty, used: false });
        self.scope.push((name.to_string(), id));
        id
    }

    fn lookup(&mut self, name: &str) -> Option<LocalId> {
        let id = self.scope.iter().rev().find(|(n, _)| n == name).map(|(_, id)| *id)?;
        self.locals[id.index()].used = true;
        Some(id)
    }

    /// Demands that an expression has a type; `why` says where the demand comes from.
    fn expect(&mut self, found: &Ty, wanted: &Ty, span: Span, why: Option<(Span, String)>) -> bool {
        match self.unifier.unify(found, wanted, span) {
            Ok(()) => true,
            Err(clash) => {
                self.clash(clash, found, wanted, span, why);
                false
            }
        }
    }

    fn clash(&mut self, clash: Clash, found: &Ty, wanted: &Ty, span: Span, why: Option<(Span, String)>) {
        if clash == Clash::Infinite {
            return self.report(errors::infinite_type(span));
        }
        let (found_text, wanted_text) = (self.unifier.show(found), self.unifier.show(wanted));
        let mut report = Diagnostic::error("T0100", format!("expected `{wanted_text}`, found `{found_text}`"))
            .primary(span, format!("this is `{found_text}`"));
        let mut shown = vec![span];
        if let Some((place, text)) = why {
            report = report.label(place, text);
            shown.push(place);
        }
        for (ty, text) in [(found, &found_text), (wanted, &wanted_text)] {
            if let Some(origin) = self.unifier.origin(ty)
                && !shown.contains(&origin)
            {
                report = report.label(origin, format!("`{text}` because of this"));
                shown.push(origin);
            }
        }
        if let (Ty::Scalar(a), Ty::Scalar(b)) = (self.unifier.head(found), self.unifier.head(wanted))
            && a != ScalarType::Bool
            && b != ScalarType::Bool
        {
            report = report.hint(format!("convert it: `{b}(…)`"));
        }
        self.report(report);
    }

    /// Demands that the type of an operand belongs to a class.
    fn require(&mut self, ty: &Ty, classes: Classes, span: Span, who: &str) -> bool {
        match self.unifier.require(ty, classes) {
            Ok(()) => true,
            Err(Clash::Class(missing, _)) => {
                let shown = self.unifier.show(ty);
                let title = format!("{who} needs {}, found `{shown}`", missing.wanted());
                let mut report = Diagnostic::error("T0101", title).primary(span, format!("this is `{shown}`"));
                report = match (self.unifier.head(ty), missing.name()) {
                    (Ty::Param(_), Some(class)) => {
                        report.hint(format!("state what `{shown}` must be: `{shown}: {class}`"))
                    }
                    (Ty::Scalar(s), _) if s.is_int() && missing.has(Classes::FLOAT) => {
                        report.hint("numbers are converted by calls: `f64(…)` or `f32(…)` around it")
                    }
                    (Ty::Scalar(s), _) if s.is_float() && missing.has(Classes::INT) => {
                        report.hint("numbers are converted by calls: `i64(…)` around it drops the fraction")
                    }
                    _ => report,
                };
                self.report(report);
                false
            }
            Err(_) => false,
        }
    }
}

fn fits(value: u64, negative: bool, ty: ScalarType) -> bool {
    if ty.is_float() {
        return true;
    }
    let wide = if negative { -i128::from(value) } else { i128::from(value) };
    ty.is_int() && Scalar::from_i64(ty, wide as i64).as_i128() == Some(wide)
}
