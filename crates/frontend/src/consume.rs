//! Consumption: a value that a call has consumed is gone.
//!
//! A parameter written `*[n]t` hands its memory to the function that is called, which may then write into it:
//!
//! ```text
//! def bump(xs: *[]i64) -> []i64 = xs with [0] = 1
//!
//! let ys = bump(xs)         consumes xs, and whatever shares memory with it
//! in xs[0] + ys[0]          T0191: xs is used after it was consumed
//! ```
//!
//! The check walks each function of Core in the order of evaluation, with a set of *roots* for every value: the parameters and
//! fresh arrays whose memory the value may share. Slices, rows, fields, transposed and reshaped views share; so do picked and
//! repeated rows. Everything else is fresh. Tuples are followed component by component. What a call's result shares with its
//! arguments is a summary of the function, found by iteration, so nobody has to write it down.
//!
//! | rule | code |
//! | --- | --- |
//! | what is consumed belongs to the function: it is fresh, or a parameter with a star | T0190 |
//! | nothing that shares memory with it is used afterwards, on any path | T0191 |
//! | nothing from outside is consumed inside a loop or a parallel operator, where it would be consumed many times | T0192 |
//! | only what holds an array can be consumed | T0193 |

mod shares;

use shares::{Root, Shares, Summaries, is_view, keeps_rows};
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{Diagnostic, Span};
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, Program, StmtKind, Type};
use terrace_ir::{Atom, ValueId};

/// Reports what is used after it was consumed, or consumed by somebody who does not own it.
pub(crate) fn check(program: &Program) -> Vec<Diagnostic> {
    if !program.functions.iter().any(|f| f.consumed.contains(&true)) {
        return Vec::new();
    }
    let mut summaries = Summaries::new(program);
    // Sharing only grows, and there are finitely many parameters to share with.
    loop {
        let before = summaries.clone();
        for (id, function) in program.functions.enumerate() {
            let mut walk = Walk::new(program, function, &before);
            let result = walk.function();
            summaries.grow(id, &walk.summary(result));
        }
        if before == summaries {
            break;
        }
    }
    let mut reports = Vec::new();
    for function in program.functions.iter() {
        let mut walk = Walk::new(program, function, &summaries);
        walk.unfit_stars();
        walk.function();
        reports.append(&mut walk.reports);
    }
    reports
}

/// Where a root was consumed, and by which function.
type Gone = BTreeMap<Root, (Span, String)>;

struct Walk<'p> {
    program: &'p Program,
    function: &'p Function,
    summaries: &'p Summaries,
    shares: BTreeMap<ValueId, Shares>,
    gone: Gone,
    /// The roots that exist in each body that may run many times, innermost last.
    inside: Vec<BTreeSet<Root>>,
    reports: Vec<Diagnostic>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program, function: &'p Function, summaries: &'p Summaries) -> Walk<'p> {
        let (shares, gone) = (BTreeMap::new(), Gone::new());
        Walk { program, function, summaries, shares, gone, inside: Vec::new(), reports: Vec::new() }
    }

    fn unfit_stars(&mut self) {
        for (param, consumed) in self.function.params.iter().zip(&self.function.consumed) {
            let value = &self.function.values[*param];
            if *consumed && value.ty.is_flat() {
                let report = Diagnostic::error(
                    "T0193",
                    format!("`{}` holds no array, so there is nothing to consume", value.name),
                )
                .primary(self.function.span, "in this function")
                .hint("leave the star out: numbers are copied");
                self.reports.push(report);
            }
        }
    }

    fn function(&mut self) -> Shares {
        for param in &self.function.params {
            self.fresh(*param);
        }
        self.body(&self.function.body, self.function.span)
    }

    /// The result in terms of parameters; what was consumed is the result's own.
    fn summary(&self, result: Shares) -> Shares {
        let position = |root: &Root| {
            let at = self.function.params.iter().position(|p| *p == root.value)?;
            (!self.function.consumed[at]).then(|| Root { value: ValueId::new(at), path: root.path.clone() })
        };
        result.mapped(&|root| position(root).into_iter().collect())
    }

    fn ty(&self, value: ValueId) -> &'p Type {
        &self.function.values[value].ty
    }

    fn fresh(&mut self, value: ValueId) -> Shares {
        let shares = Shares::own(value, self.ty(value));
        if let Some(inside) = self.inside.last_mut() {
            inside.extend(shares.roots());
        }
        self.shares.insert(value, shares.clone());
        shares
    }

    fn of(&self, atom: Atom) -> Shares {
        match atom {
            Atom::Var(v) => self.shares.get(&v).cloned().unwrap_or_default(),
            Atom::Const(_) => Shares::default(),
        }
    }

    fn body(&mut self, body: &'p Body, span: Span) -> Shares {
        let mut last = span;
        for stmt in &body.stmts {
            last = stmt.span;
            match &stmt.kind {
                StmtKind::Check { cond, values, .. } => {
                    values.iter().chain([cond]).for_each(|a| self.used(*a, stmt.span));
                }
                StmtKind::Let { value, expr, .. } => {
                    let found = self.expr(*value, expr, stmt.span);
                    self.shares.insert(*value, found);
                }
            }
        }
        self.used(body.result, last);
        self.of(body.result)
    }

    fn used(&mut self, atom: Atom, span: Span) {
        self.used_part(atom, &self.of(atom), span);
    }

    fn used_part(&mut self, atom: Atom, part: &Shares, span: Span) {
        let found = part.roots().into_iter().find_map(|r| Some((r.clone(), self.gone.get(&r)?.clone())));
        let (Some((root, (at, callee))), Atom::Var(value)) = (found, atom) else {
            return;
        };
        let (name, owner) = (&self.function.values[value].name, &self.function.values[root.value].name);
        let title = match (self.is_made_up(value), self.is_made_up(root.value)) {
            (_, true) => "an array is used after it was consumed".to_string(),
            (false, false) if name != owner => {
                format!("`{name}` shares memory with `{owner}`, which was consumed before")
            }
            _ => format!("`{owner}` is used after it was consumed"),
        };
        let shown = if self.is_made_up(root.value) { "it".to_string() } else { format!("`{owner}`") };
        let report = Diagnostic::error("T0191", title)
            .primary(span, "used here")
            .label(at, format!("consumed by this call of `{callee}`"))
            .hint(format!("use what is needed of {shown} before the call{}", self.or_a_copy(root.value)));
        self.report_once(report);
        // One message per consumed value.
        self.gone.remove(&root);
    }

    /// The other way out. Rows that a comprehension hands on unchanged are still shared, so only an array of numbers has a short one.
    fn or_a_copy(&self, value: ValueId) -> String {
        let name = if self.is_made_up(value) { "xs" } else { &self.function.values[value].name };
        match self.ty(value).elem().is_some_and(Type::is_flat) {
            true => format!(", or call with a copy of it: `[x for x in {name}]`"),
            false => String::new(),
        }
    }

    /// Whether the name was chosen by the compiler; those it chooses for arrays.
    fn is_made_up(&self, value: ValueId) -> bool {
        const CHOSEN: [&str; 13] = [
            "t", "part", "stated", "row", "copies", "result", "out", "kept", "zipped", "ids", "elem", "state", "total",
        ];
        !self.function.params.contains(&value) && CHOSEN.contains(&self.function.values[value].name.as_str())
    }

    fn report_once(&mut self, report: Diagnostic) {
        let known = |r: &Diagnostic| r.code == report.code && r.primary_span() == report.primary_span();
        if !self.reports.iter().any(known) {
            self.reports.push(report);
        }
    }

    fn expr(&mut self, value: ValueId, expr: &'p Expr, span: Span) -> Shares {
        match expr {
            // What is consumed and what is only read differs by argument.
            Expr::Call { .. } => {}
            // The other components do not matter.
            Expr::Project(a, k) => self.used_part(*a, &self.of(*a).part(*k), span),
            _ => expr.operands().into_iter().for_each(|a| self.used(a, span)),
        }
        match expr {
            Expr::Atom(a) | Expr::Ascribe { value: a, .. } => self.of(*a),
            Expr::Tuple(parts) => Shares::Parts(parts.iter().map(|a| self.of(*a)).collect()),
            Expr::Project(a, k) => self.of(*a).part(*k),
            Expr::Call { function, args } => self.call(value, *function, args, span),
            Expr::If { then, otherwise, .. } => self.branches(value, &[then, otherwise], span),
            Expr::Match { value: looked_at, arms } => {
                let from = self.of(*looked_at);
                for param in arms.iter().flat_map(|arm| &arm.params) {
                    let within = from.within(self.ty(*param));
                    self.shares.insert(*param, within);
                }
                let bodies: Vec<_> = arms.iter().map(|arm| &arm.body).collect();
                self.branches(value, &bodies, span)
            }
            Expr::Loop { state, init, form, body } => self.repeat(*state, *init, form, body, span),
            _ if is_view(expr) => {
                let all = expr.operands().into_iter().map(|a| self.of(a));
                let shared = all.fold(Shares::default(), |x, y| x.or(y.flat()));
                shared.within(self.ty(value))
            }
            _ => self.operator(value, expr, span),
        }
    }

    /// A parallel operator: its result is fresh, but rows that are only handed on are still those of their owner.
    fn operator(&mut self, value: ValueId, expr: &'p Expr, span: Span) -> Shares {
        let sources = expr.operands().into_iter().fold(Shares::default(), |x, a| x.or(self.of(a).flat()));
        let mut handed_on = if keeps_rows(expr) { sources.clone() } else { Shares::default() };
        for lambda in lambdas(expr) {
            for param in &lambda.params {
                let within = sources.within(self.ty(*param));
                self.shares.insert(*param, within);
            }
            handed_on = handed_on.or(self.many_times(&lambda.body, span).flat());
        }
        let own = self.fresh(value);
        // Numbers are copied into the result. What a reduction gives may be one of the rows itself.
        let copies = !matches!(expr, Expr::Reduce { .. }) && self.ty(value).elem().is_some_and(Type::is_flat);
        let rows = if copies { Shares::default() } else { handed_on.within(self.ty(value)) };
        own.or(rows)
    }

    /// A body that may run many times; what it makes itself is nobody else's.
    fn many_times(&mut self, body: &'p Body, span: Span) -> Shares {
        self.inside.push(BTreeSet::new());
        let result = self.body(body, span);
        let own = self.inside.pop().unwrap_or_default();
        result.mapped(&|root| (!own.contains(root)).then(|| root.clone()).into_iter().collect())
    }

    /// One of several bodies. What one of them hands on and another one consumes is gone afterwards under its old name; the
    /// result has it, and is its owner.
    fn branches(&mut self, value: ValueId, bodies: &[&'p Body], span: Span) -> Shares {
        let before = self.gone.clone();
        let mut ends: Vec<(Shares, Gone)> = Vec::new();
        for body in bodies {
            self.gone = before.clone();
            let result = self.body(body, span);
            ends.push((result, std::mem::take(&mut self.gone)));
        }
        self.gone = ends.iter().flat_map(|(_, gone)| gone.clone()).collect();
        let mut whole = self.fresh(value);
        for (result, gone) in ends {
            let moved = |root: &Root| self.gone.contains_key(root) && !gone.contains_key(root);
            whole = whole.or(result.mapped(&|root| (!moved(root)).then(|| root.clone()).into_iter().collect()));
        }
        whole
    }

    /// The state is a value of its own in every round: who consumes it consumes what the loop started with, and what each
    /// round hands on.
    fn repeat(&mut self, state: ValueId, init: Atom, form: &'p LoopForm, body: &'p Body, span: Span) -> Shares {
        self.inside.push(BTreeSet::new());
        let own = self.fresh(state);
        if let LoopForm::While(condition) = form {
            self.body(condition, span);
        }
        let next = self.body(body, span);
        let made = self.inside.pop().unwrap_or_default();
        let eaten: Vec<(Root, (Span, String))> =
            own.roots().into_iter().filter_map(|r| Some((r.clone(), self.gone.remove(&r)?))).collect();
        let outer = next.mapped(&|root| (!made.contains(root)).then(|| root.clone()).into_iter().collect());
        let entering = self.of(init).or(outer);
        for (root, (at, callee)) in eaten {
            let entering = root.path.iter().fold(entering.clone(), |s, k| s.part(*k));
            self.consume(&entering, at, &callee);
        }
        // What was consumed went into the state, and comes out as the loop's own.
        let entering = entering.mapped(&|r| (!self.gone.contains_key(r)).then(|| r.clone()).into_iter().collect());
        let ended = Shares::own(state, self.ty(state));
        if let Some(inside) = self.inside.last_mut() {
            inside.extend(ended.roots());
        }
        ended.or(entering)
    }

    fn call(&mut self, value: ValueId, callee: terrace_ir::FuncId, args: &'p [Atom], span: Span) -> Shares {
        let function = &self.program.functions[callee];
        // What is only read is read before anything is consumed, unless it is the same memory.
        for (arg, consumed) in args.iter().zip(&function.consumed) {
            if *consumed {
                self.used(*arg, span);
                let shares = self.of(*arg);
                self.consume(&shares, span, &function.source);
            }
        }
        for (arg, consumed) in args.iter().zip(&function.consumed) {
            if !consumed {
                self.used(*arg, span);
            }
        }
        let own = self.fresh(value);
        let of_argument = |root: &Root| {
            let arg = args.get(root.value.index()).map_or(Shares::default(), |a| self.of(*a));
            root.path.iter().fold(arg, |s, k| s.part(*k)).roots()
        };
        own.or(self.summaries.of(callee).mapped(&of_argument))
    }

    fn consume(&mut self, shares: &Shares, span: Span, callee: &str) {
        for root in shares.roots() {
            let name = self.function.values[root.value].name.clone();
            let param = self.function.params.iter().position(|p| *p == root.value);
            if let Some(at) = param
                && !self.function.consumed[at]
            {
                let report =
                    Diagnostic::error("T0190", format!("`{callee}` consumes `{name}`, which belongs to the caller"))
                        .primary(span, format!("consumes `{name}`"))
                        .note(format!(
                            "`{name}` is a parameter without a star: whoever calls `{}` may use it again",
                            self.function.source
                        ))
                        .hint(format!("write a star before the type of `{name}`{}", self.or_a_copy(root.value)));
                self.report_once(report);
                continue;
            }
            if self.inside.last().is_some_and(|inside| !inside.contains(&root)) {
                let report = Diagnostic::error("T0192", format!("`{name}` would be consumed more than once"))
                    .primary(span, "this runs many times")
                    .note(format!("`{name}` comes from outside of the loop or comprehension around the call"))
                    .hint("hand it from round to round as the state of a `loop`, or consume a copy of it");
                self.report_once(report);
                continue;
            }
            self.gone.insert(root, (span, callee.to_string()));
        }
    }
}

/// The functions written inside an operator.
fn lambdas(expr: &Expr) -> Vec<&Lambda> {
    match expr {
        Expr::Map { lambda, .. } | Expr::Generate { lambda, .. } => vec![lambda],
        Expr::Filter { predicate: lambda, .. } => vec![lambda],
        Expr::Reduce { operator, .. } | Expr::Scan { operator, .. } | Expr::Hist { operator, .. } => vec![operator],
        _ => Vec::new(),
    }
}
