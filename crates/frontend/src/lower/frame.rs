//! Frames: whose names and types count at the moment.
//!
//! While one Core function is written, the text that is lowered comes from several functions of the program: a function of
//! the library that is expanded at a call, a lambda that was given as an argument and is applied inside another function.
//! Each has its own names and its own types for its type names:
//!
//! ```text
//! entry main(xs: []f64) -> f64 = mean(map(|x| x + 1.0, xs))
//!
//!     frame 0   main        xs          the lambda belongs here too
//!     frame 1   mean        t = f64     under the place of the call
//! ```
//!
//! A frame also knows the chain of calls that led to its function, because a recursion must pass types and functions on
//! unchanged: otherwise there would be no end to specialisation.

use super::Lowering;
use super::closure::Closure;
use crate::typed::{Checked, LocalId};
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_base::{Diagnostic, Span};
use terrace_ir::core::Type;
use terrace_ir::{Atom, FuncId};

/// The names of one function of the program, in the Core function being written.
pub(super) struct Frame<'a> {
    pub(super) checked: &'a Checked,
    /// What its type names stand for.
    pub(super) type_args: Vec<Type>,
    pub(super) locals: BTreeMap<LocalId, Atom>,
    /// Its parameters that are functions.
    pub(super) functions: BTreeMap<LocalId, Closure<'a>>,
    /// The call in the user's program that everything in it stands for.
    pub(super) place: Option<Span>,
    /// The library function that the user calls there.
    pub(super) called: Option<&'a str>,
    /// How it was reached; tests have none.
    pub(super) chain: Option<Rc<Chain>>,
}

impl<'a> Frame<'a> {
    pub(super) fn new(checked: &'a Checked, type_args: Vec<Type>, chain: Option<Rc<Chain>>) -> Frame<'a> {
        let (locals, functions) = (BTreeMap::new(), BTreeMap::new());
        Frame { checked, type_args, locals, functions, place: None, called: None, chain }
    }
}

/// A specialised function and the call that asked for it.
#[derive(Debug)]
pub(super) struct Chain {
    pub(super) function: usize,
    pub(super) types: String,
    pub(super) given: String,
    pub(super) span: Span,
    pub(super) from: Option<Rc<Chain>>,
    pub(super) id: FuncId,
}

impl Lowering<'_> {
    /// Reports a recursion that changes its types or functions; what is returned instead fits no call.
    pub(super) fn refuse_change(
        &mut self,
        function: usize,
        types: &str,
        given: &str,
        from: Option<&Rc<Chain>>,
        span: Span,
    ) -> Option<FuncId> {
        if types.is_empty() && given.is_empty() {
            return None;
        }
        let mut links = Vec::new();
        let mut link = from;
        while let Some(chain) = link {
            if chain.function == function {
                if chain.types == types && chain.given == given {
                    return None;
                }
                break;
            }
            links.push(chain);
            link = chain.from.as_ref();
        }
        let before = link?;
        let name = |k: usize| &self.module.headers[k].name;
        let (code, what, hint) = if before.types != types {
            ("T0121", "at other types", "within a recursion, types must stay the same")
        } else {
            ("T0122", "with other functions", "within a recursion, functions must be passed on unchanged")
        };
        let title = format!("`{}` calls itself {what}", name(function));
        let mut report = Diagnostic::error(code, title).primary(span, hint);
        for chain in links.iter().rev() {
            report = report.label(chain.span, format!("it gets here by calling `{}`", name(chain.function)));
        }
        report = report.label(before.span, format!("`{}` is called here at first", name(function)));
        if !self.reports.iter().any(|r| r.code == code && r.primary_span() == report.primary_span()) {
            self.reports.push(report);
        }
        Some(before.id)
    }
}
