//! What became of the checks of a program: proved, left to the run, or certain to fail.
//!
//! ```text
//! v[j] for (j, x) in row      remains: nothing says that `j`, read from `rows`, is at least 0 and below the length of `v`
//! zip of n and n + 1          fails: refused before anything runs
//! xs: [n]f64 of an entry      tested once when the entry is called
//! ```
//!
//! The front end writes a check once, but it may stand in several functions (a generic function for several types): it is proved only where all
//! of them are. A check that always fails is an error where every run of a function comes to it whatever the arguments are, and a
//! warning where a branch, a loop, an array that may be empty, or the callers decide about that. An assertion is never refused: stopping may be what it is for.

use super::walk::{Spot, Verdict};
use super::words::{Definitions, Words};
use super::{Analysis, spot};
use std::collections::BTreeMap;
use terrace_algebra::{Claim, Size};
use terrace_base::{Diagnostic, Span};
use terrace_ir::check::{CheckId, CheckKind};
use terrace_ir::core::{Body, Expr, Function, Program, Role, Stmt, StmtKind};
use terrace_ir::shape::{Symbol, symbols_of};
use terrace_ir::{Atom, FuncId};

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It always holds: nobody tests it.
    Proved,
    /// Sizes of an entry's arguments, tested once when it is called.
    AtEntry,
    /// It is tested when the program runs.
    Remains,
    /// It fails whenever it is reached.
    Fails,
}

/// One check of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport {
    /// Which one.
    pub check: CheckId,
    /// What it guards against.
    pub kind: CheckKind,
    /// Where it stands.
    pub span: Span,
    /// The function that it stands in, by its name in the source.
    pub function: String,
    /// What became of it.
    pub status: Status,
    /// Why, in a sentence.
    pub why: String,
}

/// A check statement, wherever it stands.
struct Instance<'p> {
    stmt: &'p Stmt,
    check: CheckId,
    values: &'p [Atom],
    /// Whether it stands in no body inside the function's.
    outermost: bool,
}

fn instances<'p>(body: &'p Body, outermost: bool, out: &mut Vec<Instance<'p>>) {
    for stmt in &body.stmts {
        match &stmt.kind {
            StmtKind::Check { check, values, .. } => out.push(Instance { stmt, check: *check, values, outermost }),
            StmtKind::Let { expr, .. } => {
                if let Expr::Ascribe { check, .. } = expr {
                    out.push(Instance { stmt, check: *check, values: &[], outermost });
                }
                expr.bodies().into_iter().for_each(|b| instances(b, false, out));
            }
        }
    }
}

impl Analysis {
    /// What became of every check that occurs outside of tests, in source order.
    pub fn checks(&self, program: &Program) -> Vec<CheckReport> {
        let mut reports: BTreeMap<CheckId, CheckReport> = BTreeMap::new();
        for (f, function) in program.functions.enumerate() {
            if matches!(function.role, Role::Test { .. }) {
                continue;
            }
            let mut all = Vec::new();
            instances(&function.body, true, &mut all);
            if all.is_empty() {
                continue;
            }
            let definitions = Definitions::new(program, function);
            let words = self.words(f, &definitions);
            for instance in all {
                let status = self.status(f, function, program, &instance);
                if reports.get(&instance.check).is_some_and(|known| known.status >= status) {
                    continue;
                }
                let info = &program.checks[instance.check];
                let why = self.why_check(f, &instance, &info.kind, status, &words);
                let report = CheckReport {
                    check: instance.check,
                    kind: info.kind.clone(),
                    span: info.span,
                    function: function.source.clone(),
                    status,
                    why,
                };
                reports.insert(instance.check, report);
            }
        }
        reports.into_values().collect()
    }

    /// The words for the sizes of a function, with the names that it declares.
    pub(super) fn words<'w, 'p>(&'w self, f: FuncId, definitions: &'w Definitions<'p>) -> Words<'w, 'p> {
        let shapes = &self.shapes.functions[f];
        let declared = self.sketches.get(&f).map(|sketch| sketch.declared_in(&shapes.symbols));
        Words {
            definitions,
            symbols: &shapes.symbols,
            shapes: &shapes.values,
            given: declared.unwrap_or_default(),
            steady: Default::default(),
        }
    }

    fn verdict(&self, f: FuncId, stmt: &Stmt) -> Option<&Verdict> {
        self.verdicts.get(&f)?.get(&spot(stmt)?)
    }

    fn status(&self, f: FuncId, function: &Function, program: &Program, instance: &Instance) -> Status {
        match self.verdict(f, instance.stmt) {
            Some(Verdict::Proved) => Status::Proved,
            Some(Verdict::Fails { .. }) => Status::Fails,
            Some(Verdict::Remains(claims)) => {
                let stated = matches!(program.checks[instance.check].kind, CheckKind::Size(_));
                let about_arguments = claims.iter().all(|c| {
                    let (a, b) = c.sides();
                    self.is_about_parameters(f, function, a) && self.is_about_parameters(f, function, b)
                });
                let tested_once = stated && instance.outermost && function.role == Role::Entry;
                if tested_once && about_arguments && !claims.is_empty() { Status::AtEntry } else { Status::Remains }
            }
            None => Status::Remains,
        }
    }

    fn is_about_parameters(&self, f: FuncId, function: &Function, size: &Size) -> bool {
        let symbols = &self.shapes.functions[f].symbols;
        symbols_of(size).into_iter().all(|s| match symbols.get(s) {
            Some(Symbol::Length(v, _) | Symbol::Integer(v, _)) => function.params.contains(v),
            Some(Symbol::Position(_)) => true,
            _ => false,
        })
    }

    fn why_check(&self, f: FuncId, instance: &Instance, kind: &CheckKind, status: Status, words: &Words) -> String {
        let open: &[Claim] = match self.verdict(f, instance.stmt) {
            Some(Verdict::Remains(claims)) => claims,
            Some(Verdict::Fails { claim, .. }) => std::slice::from_ref(claim),
            _ => &[],
        };
        let wanted = wanted(kind, instance.values, open, words);
        match status {
            Status::Proved => format!("always {wanted}"),
            Status::AtEntry => format!("whoever calls the entry must see to it that {wanted}"),
            Status::Remains if matches!(kind, CheckKind::Assert(_)) && open.is_empty() => {
                "only a run can tell whether the assertion holds".to_string()
            }
            Status::Remains => format!("nothing says that {wanted}"),
            Status::Fails => format!("it can never be that {wanted}"),
        }
    }

    /// Checks that always fail: errors where every run comes to them, else warnings.
    pub fn errors(&self, program: &Program) -> Vec<Diagnostic> {
        let mut found: BTreeMap<CheckId, Diagnostic> = BTreeMap::new();
        for (f, function) in program.functions.enumerate() {
            if matches!(function.role, Role::Test { .. }) {
                continue;
            }
            let definitions = Definitions::new(program, function);
            let words = self.words(f, &definitions);
            let mut all = Vec::new();
            instances(&function.body, true, &mut all);
            for instance in all {
                let Some(Verdict::Fails { claim, always }) = self.verdict(f, instance.stmt) else { continue };
                let info = &program.checks[instance.check];
                let Some((code, title, what)) = message(&info.kind) else { continue };
                let certain =
                    spot(instance.stmt).is_some_and(|s| self.certain.get(&f).is_some_and(|all| all.contains(&s)));
                let sizes = sides(claim, &instance, &words);
                let diagnostic = if *always && certain {
                    Diagnostic::error(code, title)
                } else {
                    Diagnostic::warning("T0310", format!("this fails whenever it runs: {title}"))
                };
                let mut diagnostic = diagnostic.primary(info.span, compared(&info.kind, claim, &sizes, &words));
                for (span, text) in &sizes {
                    if let Some(span) = span.filter(|s| !s.is_none() && !within(*s, info.span)) {
                        diagnostic = diagnostic.label(span, text.clone());
                    }
                }
                found.entry(instance.check).or_insert(diagnostic.note(what));
            }
        }
        found.into_values().collect()
    }
}

/// The code, the title and what to do about a check that always fails; none for those that are left alone.
fn message(kind: &CheckKind) -> Option<(&'static str, String, &'static str)> {
    Some(match kind {
        CheckKind::Zip => (
            "T0301",
            "arrays that are taken in step have different lengths".to_string(),
            "elements are taken from all arrays at one position: cut the longer one, as in `ys[..len(xs)]`, or pad the shorter one",
        ),
        CheckKind::Size(text) => (
            "T0302",
            format!("the size `{text}` of the type cannot be right"),
            "a size stated in a type must be the length that the value has: correct the type, or the expression",
        ),
        CheckKind::Rows => {
            ("T0303", "the rows have different lengths".to_string(), "all rows must have one length here")
        }
        CheckKind::Places => (
            "T0304",
            "an update has another number of values than places".to_string(),
            "`xs with [a..b] = ys` replaces `b - a` elements by as many",
        ),
        CheckKind::Split | CheckKind::Partition => (
            "T0305",
            "the array cannot be cut like this".to_string(),
            "the rows must have the length of the array together",
        ),
        CheckKind::Index | CheckKind::Slice => (
            "T0306",
            "this lies outside of the array".to_string(),
            "positions count from 0: the last element of `xs` is `xs[len(xs) - 1]`, and `xs[a..b]` ends before `b`",
        ),
        _ => return None,
    })
}

/// The two sizes that do not fit, and where each one comes from.
fn sides(claim: &Claim, instance: &Instance, words: &Words) -> [(Option<Span>, String); 2] {
    let (a, b) = claim.sides();
    let of = |k: usize| {
        let length = instance.values.get(k)?.var()?;
        match words.definitions.expr(length)? {
            Expr::Length(Atom::Var(of)) => Some(*of),
            _ => None,
        }
    };
    let said = |size: &Size, k: usize| {
        let text = words.size(size);
        match of(k) {
            Some(value) => {
                let name = words.definitions.value(value);
                let whole = words.definitions.function.params.contains(&value);
                let span = if whole { None } else { words.definitions.span(value) };
                (span, format!("`{name}` has {}", elements(&text)))
            }
            None => (None, format!("`{text}`")),
        }
    };
    [said(a, 0), said(b, 1)]
}

fn within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The sizes beside each other.
fn compared(kind: &CheckKind, claim: &Claim, sizes: &[(Option<Span>, String); 2], words: &Words) -> String {
    let (a, b) = claim.sides();
    let (found, wanted) = (words.size(a), words.size(b));
    match kind {
        CheckKind::Index | CheckKind::Slice if wanted.parse::<i64>().is_ok_and(|n| n < 0) => {
            format!("position {wanted} does not exist: they begin with 0")
        }
        CheckKind::Index => format!("position {found} of {}", elements(&wanted)),
        CheckKind::Slice => format!("`{}` does not hold", words.claim(claim)),
        CheckKind::Size(_) => format!("this has {}, the type says {wanted}", elements(&found)),
        CheckKind::Places | CheckKind::Split | CheckKind::Partition => format!("{found} against {wanted}"),
        _ => format!("{}, and {}", sizes[0].1, sizes[1].1),
    }
}

fn elements(count: &str) -> String {
    match count {
        "1" => "1 element".to_string(),
        _ => format!("{count} elements"),
    }
}

/// What a check wants, in words: only what is open where that is known.
fn wanted(kind: &CheckKind, values: &[Atom], open: &[Claim], words: &Words) -> String {
    let definitions = words.definitions;
    let number = |k: usize| match values.get(k) {
        Some(atom) => spoken(*atom, definitions),
        None => "it".to_string(),
    };
    let is_low = |c: &&Claim| matches!(c, Claim::Le(a, _) if a.is_zero());
    let low = open.is_empty() || open.iter().any(|c| is_low(&c));
    let high = open.is_empty() || open.iter().any(|c| !is_low(&c));
    let claims = || open.iter().map(|c| format!("`{}`", words.claim(c))).collect::<Vec<_>>().join(" and ");
    match (kind, values) {
        (CheckKind::Index, [_, _]) => {
            let index = match values[0].var().and_then(|v| definitions.read_from(v)) {
                Some(from) => format!("{}, read from `{}`,", number(0), definitions.value(from)),
                None => number(0),
            };
            match (low, high) {
                (true, false) => format!("{index} is at least 0"),
                (false, true) => format!("{index} is below {}", number(1)),
                _ => format!("{index} is at least 0 and below {}", number(1)),
            }
        }
        (CheckKind::Slice, [_, _, _]) if open.is_empty() || open.len() > 1 => {
            format!("{} and {} are in order and at most {}", number(0), number(1), number(2))
        }
        (CheckKind::Zip | CheckKind::Rows, [_, _]) => format!("{} and {} are equal", number(0), number(1)),
        (CheckKind::Size(text), [_, _]) => format!("{} is `{text}`", number(0)),
        (CheckKind::Size(_), _) if !open.is_empty() => claims(),
        (CheckKind::Size(text), _) => format!("the length is `{text}`"),
        (CheckKind::Length, [_]) if open.is_empty() || (low && high) => {
            format!("{} is a length, from 0 to 2^47", number(0))
        }
        (CheckKind::Length, [_]) if low => format!("{} is at least 0", number(0)),
        (CheckKind::Length, [_]) => format!("{} is at most 2^47", number(0)),
        (CheckKind::Partition | CheckKind::Places, [_, _]) => format!("{} and {} are equal", number(0), number(1)),
        (CheckKind::Split, [_, _]) => format!("{} divides {}", number(0), number(1)),
        (CheckKind::Positive(_), [_]) => format!("{} is at least 1", number(0)),
        (CheckKind::Empty(_), _) => "the array is not empty".to_string(),
        (CheckKind::Overlap, _) => "no two of the positions are one".to_string(),
        (CheckKind::Division, _) if open.is_empty() => "the divisor is not 0".to_string(),
        (CheckKind::Assert(_), _) if open.is_empty() => "the assertion holds".to_string(),
        _ if open.is_empty() => "it holds".to_string(),
        _ => claims(),
    }
}

/// An operand in words: `` `i` ``, or `` the length of `v` ``.
fn spoken(atom: Atom, definitions: &Definitions) -> String {
    match atom.var().and_then(|v| definitions.expr(v)) {
        Some(Expr::Length(of)) if atom.var().is_some_and(|v| !definitions.has_name(v)) => {
            format!("the length of `{}`", definitions.atom(*of))
        }
        _ => format!("`{}`", definitions.atom(atom)),
    }
}

/// The checks that fail in every run of a function, whatever its arguments are.
pub(super) fn certain(verdicts: &BTreeMap<Spot, Verdict>) -> Vec<Spot> {
    let fails = |verdict: &Verdict| matches!(verdict, Verdict::Fails { always: true, .. });
    verdicts.iter().filter(|(_, v)| fails(v)).map(|(s, _)| *s).collect()
}
