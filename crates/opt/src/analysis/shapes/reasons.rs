//! Why an operator is regular, position-dependent or irregular: one sentence, and the place that caused it.
//!
//! ```text
//! all rows of `xss` have length len(ys)                              the zip that says so
//! row i of `m` has i + 1 elements                                    the type of `m`
//! the filter keeps a number of elements that depends on the data     the filter
//! called for parts of different lengths                              the call
//! ```
//!
//! For an irregular length the sentence is about the first symbol in it that varies, followed back to what made it vary: the rows of a
//! comprehension differ because the filter that makes each of them does.

use super::deps::Deps;
use super::walk::Walk;
use super::words::{Definitions, Origin, Words};
use std::collections::BTreeMap;
use terrace_algebra::{Atom as SizeAtom, Size, SizeFun, SizeVar};
use terrace_base::Span;
use terrace_ir::core::{Body, Expr, LoopForm, StmtKind, visit};
use terrace_ir::shape::{Parallel, Regularity, Step, Symbol, SymbolId, position};
use terrace_ir::{Atom, ValueId};

type Why = (String, Option<Span>);

impl Walk<'_> {
    /// Gives every parallel operator its reason.
    pub(super) fn give_reasons(&mut self) {
        let definitions = Definitions::new(self.program, self.function);
        let given: BTreeMap<SymbolId, String> = self.declared_names().into_iter().collect();
        let mut parallel = std::mem::take(&mut self.parallel);
        for entry in parallel.values_mut() {
            let words = Words {
                definitions: &definitions,
                symbols: &self.symbols.table,
                shapes: &self.shapes,
                given: given.clone(),
                steady: Default::default(),
            };
            let (reason, cause) = match entry.regularity {
                Regularity::Regular => self.why_regular(entry, &words),
                Regularity::PositionDependent => self.why_by_position(entry, &words),
                Regularity::Irregular => self.why_irregular(entry, &words),
            };
            entry.reason = reason;
            entry.cause = cause;
        }
        self.parallel = parallel;
    }

    fn why_regular(&self, entry: &Parallel, words: &Words) -> Why {
        if entry.depth == 0 {
            let why = if self.called_in_parallel {
                "it has the same length in every call"
            } else {
                "no parallel code is around it"
            };
            return (why.to_string(), None);
        }
        if let Some((row, of)) = self.rows_of(entry.value, words.definitions)
            && !self.is_own_length(&entry.length, of)
        {
            let why =
                format!("all rows of `{}` have length {}", words.definitions.value(of), words.size(&entry.length));
            return (why, self.length_check(row, words.definitions));
        }
        if let Some((row, of)) = self.rows_of(entry.value, words.definitions) {
            let why = format!("all rows of `{}` have one length", words.definitions.value(of));
            return (why, self.length_check(row, words.definitions));
        }
        (format!("{} at every position", counted(&words.size(&entry.length), "element")), None)
    }

    fn why_by_position(&self, entry: &Parallel, words: &Words) -> Why {
        let length = counted(&words.size(&entry.length), "element");
        match self.rows_of(entry.value, words.definitions) {
            Some((row, of)) => {
                let at = self.position_of(row, words.definitions);
                let why = format!("row {at} of `{}` has {length}", words.definitions.value(of));
                (why, words.definitions.span(of))
            }
            None => (format!("{length}, a formula over the positions around"), None),
        }
    }

    fn why_irregular(&self, entry: &Parallel, words: &Words) -> Why {
        let Some(symbol) = self.varying_symbol(&entry.length, entry.depth) else {
            return (format!("runs over {}", counted(&words.size(&entry.length), "element")), None);
        };
        let (mut why, cause) = self.why_varies(symbol, words.definitions, 8);
        let sharing = self.sharing(&entry.length, symbol, words.definitions);
        if !sharing.is_empty() {
            why += &format!("; the rows of {} have the same lengths", listed(&sharing));
        }
        (why, cause)
    }

    /// The array whose row an operator runs over, and the value that stands for the row.
    fn rows_of(&self, value: ValueId, definitions: &Definitions) -> Option<(ValueId, ValueId)> {
        let operand = match definitions.expr(value)? {
            Expr::Map { arrays, .. } => *arrays.first()?,
            Expr::Filter { array, .. } | Expr::Reduce { array, .. } | Expr::Scan { array, .. } => *array,
            Expr::Hist { indices, .. } => *indices,
            _ => return None,
        };
        let row = operand.var()?;
        let of = match definitions.origin(row) {
            Origin::Element(array) => array.var()?,
            Origin::Let(Expr::Index { array, .. }) => array.var()?,
            _ => return None,
        };
        definitions.has_name(of).then_some((row, of))
    }

    /// Whether a length is that of the rows of the array itself and of nothing else.
    fn is_own_length(&self, length: &Size, of: ValueId) -> bool {
        terrace_ir::shape::symbols_of(length).iter().any(|s| match &self.symbols.table[*s] {
            Symbol::Length(v, path) => *v == of && path.contains(&Step::Element),
            _ => false,
        })
    }

    fn position_of(&self, row: ValueId, definitions: &Definitions) -> String {
        match definitions.expr(row) {
            Some(Expr::Index { index, .. }) => definitions.atom(*index),
            _ => definitions.counter(row),
        }
    }

    /// The check that says how long a row is.
    fn length_check(&self, row: ValueId, definitions: &Definitions) -> Option<Span> {
        let mut found = None;
        visit::walk(&self.function.body, &mut |stmt| {
            let StmtKind::Check { values, .. } = &stmt.kind else { return };
            let about = |a: &Atom| match a.var().and_then(|v| definitions.expr(v)) {
                Some(Expr::Length(of)) => *of == Atom::Var(row),
                _ => false,
            };
            if found.is_none() && values.iter().any(about) {
                found = Some(stmt.span);
            }
        });
        found
    }

    /// The first symbol of a length because of which it is irregular.
    fn varying_symbol(&self, length: &Size, depth: usize) -> Option<SymbolId> {
        let bodies = (0..depth).map(|d| Deps::of(Deps::body(self.function.params.len(), d)));
        let sources = bodies.collect::<Deps>().and(Deps::of(Deps::CALLER));
        let varies = |s: SymbolId| self.symbols.deps_of_symbol(s).meets(sources);
        let counter = |s: SymbolId| matches!(self.symbols.table[s], Symbol::Counter(_));
        let mut found = None;
        each_atom(length, &mut |atom| {
            let symbol = match atom {
                SizeAtom::Var(SizeVar(n)) => SymbolId::new(*n as usize),
                SizeAtom::Apply { fun: SizeFun(n), .. } => SymbolId::new(*n as usize),
                _ => return,
            };
            let looked_up = match atom {
                SizeAtom::Apply { args, .. } => args.iter().any(|a| self.symbols.deps(a).meets(sources)),
                _ => false,
            };
            if !counter(symbol) && (varies(symbol) || looked_up) {
                found = found.or(Some(symbol));
            }
        });
        found.or_else(|| {
            terrace_ir::shape::symbols_of(length)
                .into_iter()
                .find(|s| !counter(*s) && s.index() >= terrace_ir::shape::POSITIONS)
        })
    }

    /// Why a symbol differs from position to position.
    fn why_varies(&self, symbol: SymbolId, definitions: &Definitions, fuel: usize) -> Why {
        match &self.symbols.table[symbol] {
            Symbol::Length(value, path) => self.why_length_varies(*value, path, definitions, fuel),
            Symbol::Integer(value, path) => self.why_number_varies(*value, path, definitions),
            _ => ("its length depends on the position".to_string(), None),
        }
    }

    fn why_length_varies(&self, value: ValueId, path: &[Step], definitions: &Definitions, fuel: usize) -> Why {
        let span = definitions.span(value);
        let rows = path.contains(&Step::Element);
        let generic = || {
            let name = definitions.value(value);
            let why = if rows {
                format!("rows of `{name}` may have any length")
            } else {
                format!("`{name}` may have any length")
            };
            (why, span)
        };
        match definitions.origin(value) {
            Origin::Parameter if !rows => {
                ("called for parts of different lengths".to_string(), self.call_in_parallel().or(span))
            }
            Origin::State => {
                ("the loop changes the length from step to step in a way that depends on the data".to_string(), span)
            }
            Origin::Let(expr) if fuel > 0 => {
                self.why_result_varies(value, expr, path, span, definitions, fuel).unwrap_or_else(generic)
            }
            _ => generic(),
        }
    }

    fn why_result_varies(
        &self,
        value: ValueId,
        expr: &Expr,
        path: &[Step],
        span: Option<Span>,
        definitions: &Definitions,
        fuel: usize,
    ) -> Option<Why> {
        let plain = |why: &str| Some((why.to_string(), span));
        match (expr, path) {
            (Expr::Filter { .. }, []) => plain("the filter keeps a number of elements that depends on the data"),
            (Expr::Loop { form: LoopForm::While(_), .. }, _) => {
                plain("the loop runs a number of times that depends on the data, and its lengths change")
            }
            (Expr::Loop { .. }, _) => plain("the loop changes the length in a way that depends on the data"),
            (Expr::If { .. }, _) => plain("the branches give different lengths, and the data say which one is taken"),
            (Expr::Match { .. }, _) => plain("the cases give different lengths, and the data say which one is taken"),
            (Expr::Call { function, .. }, _) => {
                let name = &self.program.functions[*function].source;
                Some((format!("the length of what `{name}` gives depends on the data"), span))
            }
            (Expr::Map { lambda, .. } | Expr::Generate { lambda, .. }, [Step::Element, rest @ ..]) => {
                self.why_of_body(&lambda.body, rest, definitions, fuel - 1)
            }
            (Expr::Atom(Atom::Var(v)) | Expr::Ascribe { value: Atom::Var(v), .. }, _) => {
                Some(self.why_length_varies(*v, path, definitions, fuel - 1))
            }
            (Expr::Partition { sizes, .. }, [Step::Element]) => Some((
                format!("the lengths of the rows are read from `{}`", definitions.atom(*sizes)),
                definitions.span(value),
            )),
            _ => None,
        }
    }

    /// Why the result of a parallel body varies at a place.
    fn why_of_body(&self, body: &Body, path: &[Step], definitions: &Definitions, fuel: usize) -> Option<Why> {
        let mut result = body.result.var()?;
        let mut path = path;
        // A tuple is put together from what varies.
        while let ([Step::Field(k), rest @ ..], Some(Expr::Tuple(parts))) = (path, definitions.expr(result)) {
            result = parts.get(*k)?.var()?;
            path = rest;
        }
        match self
            .shapes
            .get(&result)
            .and_then(|s| super::symbols::size_at(s, path))
            .and_then(terrace_ir::shape::as_symbol)
        {
            Some((symbol, _)) if fuel > 0 => Some(self.why_varies(symbol, definitions, fuel)),
            _ => None,
        }
    }

    fn why_number_varies(&self, value: ValueId, path: &[Step], definitions: &Definitions) -> Why {
        let span = definitions.span(value);
        if path.contains(&Step::Element) || definitions.read_from(value).is_some() {
            let from = definitions.read_from(value).unwrap_or(value);
            return (format!("its length is read from `{}`", definitions.value(from)), span);
        }
        match definitions.origin(value) {
            Origin::Parameter => (
                format!("called with different values of `{}`", definitions.value(value)),
                self.call_in_parallel().or(span),
            ),
            Origin::State => ("its length changes from step to step of a loop".to_string(), span),
            Origin::Let(Expr::Loop { form: LoopForm::While(_), .. }) => (
                "its length is counted by a loop that runs a number of times that depends on the data".to_string(),
                span,
            ),
            Origin::Let(Expr::Call { function, .. }) => {
                (format!("its length is what `{}` gives", self.program.functions[*function].source), span)
            }
            _ => ("its length is computed from the data".to_string(), span),
        }
    }

    /// Parameters whose rows have the lengths that the rows of another array have.
    fn sharing(&self, length: &Size, symbol: SymbolId, definitions: &Definitions) -> Vec<String> {
        let Some((_, args)) = terrace_ir::shape::as_symbol(length) else { return Vec::new() };
        if args.is_empty() {
            return Vec::new();
        }
        let own = self.known.resolve(&super::symbols::applied(symbol, (0..args.len()).map(position).collect()));
        let mut names = Vec::new();
        for (other, what) in self.symbols.table.enumerate() {
            let Symbol::Length(value, path) = what else { continue };
            let arity = path.iter().filter(|s| **s == Step::Element).count();
            if other == symbol || arity != args.len() || !definitions.has_name(*value) {
                continue;
            }
            let same = self.known.resolve(&super::symbols::at_place(other, path)) == own;
            let name = definitions.value(*value);
            if same && !names.contains(&name) && matches!(definitions.origin(*value), Origin::Parameter) {
                names.push(name);
            }
        }
        names
    }

    /// Where the function is called in parallel code.
    fn call_in_parallel(&self) -> Option<Span> {
        let mut inside = None;
        let mut anywhere = None;
        for function in self.program.functions.iter() {
            visit::walk(&function.body, &mut |stmt| {
                let StmtKind::Let { expr, .. } = &stmt.kind else { return };
                let calls = |expr: &Expr| match expr {
                    Expr::Call { function, .. } => std::ptr::eq(&self.program.functions[*function], self.function),
                    _ => false,
                };
                if calls(expr) {
                    anywhere = anywhere.or(Some(stmt.span));
                }
                if matches!(expr, Expr::Map { .. } | Expr::Generate { .. }) {
                    for body in expr.bodies() {
                        visit::walk(body, &mut |stmt| {
                            if let StmtKind::Let { expr, .. } = &stmt.kind
                                && calls(expr)
                            {
                                inside = inside.or(Some(stmt.span));
                            }
                        });
                    }
                }
            });
        }
        inside.or(anywhere)
    }
}

fn each_atom(size: &Size, see: &mut dyn FnMut(&SizeAtom)) {
    for atom in size.atoms() {
        see(atom);
        atom.parts().into_iter().for_each(|part| each_atom(part, see));
    }
}

/// `3 elements`.
fn counted(size: &str, what: &str) -> String {
    if size == "1" { format!("1 {what}") } else { format!("{size} {what}s") }
}

fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    quoted.join(" and ")
}
