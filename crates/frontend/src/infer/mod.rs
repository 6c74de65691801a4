//! Names and types: the syntax trees of all modules to one typed module.
//!
//! Types are inferred after Hindley and Milner. Functions are taken in groups that call each other, callees first; what a
//! group leaves open becomes a type parameter of each function, so that it can be used at many types.
//!
//! ```text
//! def norm(xs: []f64) = sqrt(sum([x * x for x in xs]))      inferred: -> f64
//! def twice(f, x) = f(f(x))                                 inferred: twice[t](f: (t) -> t, x: t) -> t
//! ```
//!
//! An error gives its expression the type [`Ty::Error`], which fits everything: one mistake, one message. Integer literals
//! belong to `Num`, so `2 * x` works for floats too; open ones become `i64`, and reals `f64`.
//!
//! | module | idea |
//! | --- | --- |
//! | `group` | which functions are inferred together, and what stays open afterwards |
//! | `expr`, `operator`, `place`, `record`, `pattern` | expressions and patterns, form by form |
//! | `call`, `argument`, `builtin` | calls, functions as arguments, what built-in functions take |
//! | `settle` | what can only be filled in when a whole group is known |
//! | `floats` | exact comparisons in tests |

mod argument;
mod builtin;
mod call;
mod expr;
mod floats;
mod group;
mod operator;
mod pattern;
mod place;
mod record;
mod settle;

use crate::declare::declare;
use crate::declared::{Declared, TypeId};
use crate::errors;
use crate::exhaustive;
use crate::header::read_header;
use crate::modules::Loaded;
use crate::names::Names;
use crate::scope::Scope;
use crate::signature::Signature;
use crate::typed::{Arm, Checked, Expr, Local, LocalId, Pattern};
use crate::types::{Classes, Ty, Unifier};
use crate::unify::Clash;
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_base::{Diagnostic, FileId, Scalar, ScalarType, Span};
use terrace_syntax::ast::{self, ItemKind};

/// All functions of a program and the tests of its root module, with their types.
pub(crate) struct Module<'a> {
    /// Functions of all modules: the prelude's first, the root's last.
    pub(crate) headers: Vec<Signature>,
    pub(crate) functions: Vec<Function<'a>>,
    pub(crate) tests: Vec<(&'a ast::Test, Checked)>,
    pub(crate) reports: Vec<Diagnostic>,
    /// By [`TypeId`].
    pub(crate) declared: Vec<Declared>,
    pub(crate) modules: Vec<ModuleInfo>,
    pub(crate) root: usize,
    /// The prelude's enum of the ways to extend an array.
    pub(crate) border: Option<TypeId>,
    names: Names,
    type_names: Rc<[String]>,
    /// The functions being inferred together, with the types of their parameters and results so far.
    open: BTreeMap<usize, (Vec<Ty>, Ty)>,
    /// The results of functions that do not state them.
    results: Vec<Option<Ty>>,
}

/// What is known about a module as a whole.
pub(crate) struct ModuleInfo {
    /// Whether it belongs to the standard library.
    pub(crate) library: bool,
    file: FileId,
}

/// A function on its way.
pub(crate) struct Function<'a> {
    pub(crate) item: &'a ast::Item,
    source: &'a ast::Function,
    pub(crate) progress: Progress,
}

pub(crate) enum Progress {
    Open,
    Done(Box<Checked>),
}

/// Resolves names and infers types.
pub(crate) fn infer(loaded: &Loaded) -> Module<'_> {
    let mut reports = Vec::new();
    let (names, sources, types) = Names::collect(loaded, &mut reports);
    let declared = declare(&names, &types, &mut reports);
    let headers: Vec<Signature> = sources.iter().map(|s| read_header(s, &names, &declared, &mut reports)).collect();
    let mut out = Module {
        results: vec![None; headers.len()],
        headers,
        functions: Vec::new(),
        tests: Vec::new(),
        reports,
        modules: loaded.modules.iter().map(|m| ModuleInfo { library: m.library, file: m.ast.file }).collect(),
        root: loaded.root,
        border: names.prelude_type("border"),
        type_names: declared.iter().map(|d| d.name.clone()).collect(),
        declared,
        names,
        open: BTreeMap::new(),
    };
    for source in sources {
        out.functions.push(Function { item: source.item, source: source.function, progress: Progress::Open });
    }
    for group in group::groups(&out) {
        out.infer_group(&group);
    }
    for item in &loaded.modules[loaded.root].ast.items {
        if let ItemKind::Test(test) = &item.kind {
            let mut infer = Infer::new(&mut out, None, loaded.root, Unifier::default());
            let checked = infer.test(test);
            out.tests.push((test, checked));
        }
    }
    out
}

/// The inference of one function or test.
struct Infer<'m, 'a> {
    module: &'m mut Module<'a>,
    /// The function; none in a test.
    header: Option<usize>,
    /// The module that names are looked up in.
    here: usize,
    locals: Vec<Local>,
    scope: Scope,
    unifier: Unifier,
    /// Integer literals, to be compared with the range of the type they get.
    literals: Vec<(Span, u64, bool, Ty)>,
    /// The matches, to be looked at when all types are known.
    matches: Vec<(Span, Vec<Arm>)>,
    /// The names that the pattern of an arm has bound so far.
    bound: Vec<(String, Span)>,
    /// Whether something must be filled in when the group is complete.
    pending: bool,
    /// What calls the function that is being typed as an argument.
    passed_by: Option<String>,
    errors: usize,
}

/// A function whose group is not complete.
struct Draft {
    function: usize,
    locals: Vec<Local>,
    from_header: usize,
    patterns: Vec<Pattern>,
    body: Expr,
    literals: Vec<(Span, u64, bool, Ty)>,
    matches: Vec<(Span, Vec<Arm>)>,
    pending: bool,
    errors: usize,
}

impl<'m, 'a> Infer<'m, 'a> {
    fn new(module: &'m mut Module<'a>, header: Option<usize>, here: usize, mut unifier: Unifier) -> Infer<'m, 'a> {
        unifier.names = module.type_names.clone();
        Infer {
            module,
            header,
            here,
            locals: Vec::new(),
            scope: Scope::default(),
            unifier,
            literals: Vec::new(),
            matches: Vec::new(),
            bound: Vec::new(),
            pending: false,
            passed_by: None,
            errors: 0,
        }
    }

    /// Infers a function; `params` and `result` are its types so far.
    fn function(mut self, function: usize, params: &[Ty], result: &Ty) -> (Draft, Unifier) {
        let source = self.module.functions[function].source;
        let header = self.module.headers[function].clone();
        self.locals = header.locals;
        self.unifier.params = header.type_params;
        for id in header.sizes.iter().chain(&header.size_functions) {
            self.scope.push(&self.locals[id.index()].name, *id);
        }
        let mut patterns = Vec::new();
        for ((param, known), ty) in source.params.iter().zip(header.params).zip(params) {
            patterns.push(match known.pattern.kind {
                crate::typed::PatternKind::Name(id) => {
                    self.scope.push(&self.locals[id.index()].name, id);
                    known.pattern
                }
                _ => self.pattern(&param.pattern, ty),
            });
        }
        let from_header = self.locals.len();
        let body = self.expr(&source.body);
        let why = match &header.result {
            Some((_, span)) => Some((*span, format!("the result of `{}` is stated here", header.name))),
            None => None,
        };
        self.expect(&body.ty, result, body.span, why);
        let draft = Draft {
            function,
            locals: self.locals,
            from_header,
            patterns,
            body,
            literals: self.literals,
            matches: self.matches,
            pending: self.pending,
            errors: self.errors,
        };
        (draft, self.unifier)
    }

    fn test(&mut self, test: &ast::Test) -> Checked {
        let body = self.expr(&test.body);
        if self.unifier.unify(&body.ty, &Ty::BOOL, body.span).is_err() {
            let shown = self.unifier.show(&body.ty);
            self.report(errors::test_type(&shown, body.span));
        }
        let draft = Draft {
            function: 0,
            locals: std::mem::take(&mut self.locals),
            from_header: 0,
            patterns: Vec::new(),
            body,
            literals: std::mem::take(&mut self.literals),
            matches: std::mem::take(&mut self.matches),
            pending: false,
            errors: self.errors,
        };
        let checked = self.module.finish(draft, std::mem::take(&mut self.unifier));
        floats::warn(&checked, &mut self.module.reports);
        checked
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.module.reports.push(diagnostic);
    }

    fn fresh(&mut self, span: Span) -> Ty {
        self.unifier.fresh(Classes::NONE, span)
    }

    fn bind(&mut self, name: &str, span: Span, ty: Ty) -> LocalId {
        let id = LocalId::new(self.locals.len());
        self.locals.push(Local { name: name.to_string(), span, ty, used: false });
        self.scope.push(name, id);
        id
    }

    fn lookup(&mut self, name: &str) -> Option<LocalId> {
        let id = self.scope.find(name)?;
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
        // What is wrong already was reported.
        if self.unifier.is_broken(found) || self.unifier.is_broken(wanted) {
            self.errors += 1;
            return;
        }
        let (found_text, wanted_text) = (self.unifier.show(found), self.unifier.show(wanted));
        let (is, must_be) = (self.unifier.describe(found), self.unifier.describe(wanted));
        let here = match &self.passed_by {
            Some(of) => format!("`{of}` passes {is} to this"),
            None => format!("this is {is}"),
        };
        let mut report = Diagnostic::error("T0100", format!("expected {must_be}, found {is}")).primary(span, here);
        let mut shown = vec![span];
        if let Some((place, text)) = why {
            report = report.label(place, text);
            shown.push(place);
        }
        for (ty, text) in [(found, &is), (wanted, &must_be)] {
            if let Some(origin) = self.unifier.origin(ty)
                && !shown.contains(&origin)
            {
                report = report.label(origin, format!("{text} because of this"));
                shown.push(origin);
            }
        }
        report = match (self.unifier.head(found), self.unifier.head(wanted), clash) {
            (.., Clash::Class(missing, at @ Ty::Param(_))) if let Some(class) = missing.name() => {
                let at = self.unifier.show(&at);
                report
                    .note(format!("`{at}` would have to be {}", missing.wanted()))
                    .hint(format!("state it in the header: `{at}: {class}`"))
            }
            (Ty::Scalar(a), Ty::Scalar(b), _) if a != ScalarType::Bool && b != ScalarType::Bool => {
                report.hint(format!("convert it: `{b}(…)`"))
            }
            (Ty::Scalar(a), Ty::Var(_), Clash::Class(missing, _)) if a.is_int() && missing.has(Classes::FLOAT) => {
                report.hint("convert it: `f64(…)` or `f32(…)`")
            }
            (Ty::Param(_), Ty::Param(_), _) if found_text != wanted_text => {
                report.hint(format!("`{found_text}` and `{wanted_text}` may be different types; use one name for both"))
            }
            (Ty::Param(_), ..) => report.hint(format!("`{found_text}` may be any type here: state one in the header")),
            (_, Ty::Param(_), _) => {
                report.hint(format!("`{wanted_text}` may be any type here: state one in the header"))
            }
            (.., Clash::Class(missing, at))
                if missing != Classes::VALUE && (found_text == "_" || wanted_text == "_") =>
            {
                let at = self.unifier.show(&at);
                report.note(format!("this must be {}, and `{at}` is not", missing.wanted()))
            }
            _ => report,
        };
        self.report(report);
    }

    /// Demands that the type of an operand belongs to a class.
    fn require(&mut self, ty: &Ty, classes: Classes, span: Span, who: &str) -> bool {
        match self.unifier.require(ty, classes) {
            Ok(()) => true,
            Err(Clash::Class(missing, at)) => {
                let (shown, inner) = (self.unifier.describe(ty), self.unifier.show(&at));
                let title = format!("{who} needs {}, found {shown}", missing.wanted());
                let here = match &self.passed_by {
                    Some(of) => format!("`{of}` passes {shown} to this"),
                    None => format!("this is {shown}"),
                };
                let mut report = Diagnostic::error("T0101", title).primary(span, here);
                if let Some(origin) = self.unifier.origin(ty)
                    && origin != span
                {
                    report = report.label(origin, format!("{shown} because of this"));
                }
                report = match (at, missing.name()) {
                    (Ty::Param(_), Some(class)) => {
                        report.hint(format!("state what `{inner}` must be: `{inner}: {class}`"))
                    }
                    (Ty::Scalar(s), _) if s.is_int() && missing.has(Classes::FLOAT) => {
                        report.hint("numbers are converted by calls: `f64(…)` or `f32(…)` around it")
                    }
                    (Ty::Scalar(s), _) if s.is_float() && who == "`^`" => {
                        report.hint("`^` combines bits; a power is `pow(x, y)`, and a square `x * x`")
                    }
                    (Ty::Scalar(s), _) if s.is_float() && missing.has(Classes::INT) => {
                        report.hint("numbers are converted by calls: `i64(…)` around it drops the fraction")
                    }
                    (Ty::Array(_), _) if who == "a count" => {
                        report.hint("elements are taken by `for x in xs`, and positions counted by `for i < len(xs)`")
                    }
                    (Ty::Array(_), _) if who == "`+`" => report.hint(
                        "numbers are added: `[x + y for x in xs, y in ys]` adds element by element; `xs ++ ys` joins arrays",
                    ),
                    (Ty::Array(_), _) if who.starts_with("the elements: ") && missing.has(Classes::NUM) => {
                        let f = who.trim_start_matches("the elements: ").trim_matches('`');
                        report.hint(format!("of every row: `[{f}(row) for row in rows]`; of all elements: `{f}(flatten(rows))`"))
                    }
                    (Ty::Array(_), _) if missing.has(Classes::NUM) => {
                        report.hint("to compute with every element: `[x + 1 for x in xs]`, `map(f, xs)`, or `sum(xs)`")
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

impl Module<'_> {
    /// The name under which the root module knows another one.
    pub(crate) fn qualifier(&self, module: usize) -> Option<&str> {
        self.names.import_of(self.root, module)
    }

    /// Whether a place is in the standard library, and not in what is being compiled.
    pub(crate) fn is_library(&self, span: Span) -> bool {
        let root = &self.modules[self.root];
        root.file != span.file && self.modules.iter().any(|m| m.library && m.file == span.file)
    }

    /// What is left to look at when all types of a function are known.
    fn finish(&mut self, draft: Draft, mut unifier: Unifier) -> Checked {
        for span in unifier.default_all() {
            // Something wrong elsewhere often leaves types open: then this would be a cascade.
            if draft.errors == 0 {
                self.reports.push(errors::open_type(span));
                break;
            }
        }
        for (span, value, negative, ty) in draft.literals {
            if let Ty::Scalar(s) = unifier.head(&ty)
                && !fits(value, negative, s)
            {
                let text = format!("{}{value}", if negative { "-" } else { "" });
                self.reports.push(errors::literal_range(&text, s.name(), span));
            }
        }
        if draft.errors == 0 {
            for (span, arms) in &draft.matches {
                exhaustive::check(*span, arms, &unifier, &self.declared, &mut self.reports);
            }
        }
        for local in &draft.locals[draft.from_header..] {
            if !local.used && !local.name.starts_with('_') {
                self.reports.push(errors::unused_name(&local.name, local.span));
            }
        }
        Checked { locals: draft.locals, unifier, body: draft.body }
    }
}

fn fits(value: u64, negative: bool, ty: ScalarType) -> bool {
    if ty.is_float() {
        return true;
    }
    let wide = if negative { -i128::from(value) } else { i128::from(value) };
    ty.is_int() && Scalar::from_i64(ty, wide as i64).as_i128() == Some(wide)
}
