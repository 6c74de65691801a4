//! What the engines of one program share.
//!
//! Most of the time of a compilation goes into finding sizes, on Core, and the outcome depends on nothing that engines differ in but
//! whether they want proofs. A program keeps it, so that its second engine is there sooner: one that runs every strategy, say, or
//! the body for rectangular data of a second back end.
//!
//! What is kept belongs to a program and its analysis: a copy that is changed and analysed anew does not see it.

use crate::program::Program;
use std::sync::{Arc, Mutex, PoisonError};
use terrace_base::Timings;
use terrace_ir::FuncId;
use terrace_opt::analysis::shapes::Analysis;
use terrace_opt::options::Options;
use terrace_opt::pipeline::{self, Ready};

type Of<T> = (Arc<Analysis>, bool, T);
type Regular = (FuncId, Option<Arc<Program>>);

/// What was made from a program so far.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    ready: Mutex<Vec<Of<Arc<Ready>>>>,
    regular: Mutex<Vec<Of<Regular>>>,
}

impl Program {
    /// Core as flattening wants it.
    pub(crate) fn ready(&self, options: &Options, timings: &mut Timings) -> Arc<Ready> {
        let known = self.kept.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = |of: &Of<Arc<Ready>>| Arc::ptr_eq(&of.0, &self.proved().analysis) && of.1 == options.prove;
        if let Some((_, _, ready)) = known.iter().find(|of| mine(of)) {
            return ready.clone();
        }
        drop(known);
        let ready = Arc::new(pipeline::ready(&self.proved().core, options, timings));
        let mut known = self.kept.ready.lock().unwrap_or_else(PoisonError::into_inner);
        known.push((self.proved().analysis.clone(), options.prove, ready.clone()));
        ready
    }

    /// The program of the body of an entry for rectangular data, if it gains anything.
    pub(crate) fn regular(&self, id: FuncId, options: &Options, timings: &mut Timings) -> Option<Arc<Program>> {
        let known = self.kept.regular.lock().unwrap_or_else(PoisonError::into_inner);
        let mine =
            |of: &Of<Regular>| Arc::ptr_eq(&of.0, &self.proved().analysis) && of.1 == options.prove && of.2.0 == id;
        if let Some((_, _, (_, regular))) = known.iter().find(|of| mine(of)) {
            return regular.clone();
        }
        drop(known);
        let regular = pipeline::regular_entry(&self.proved().core, id, options, timings);
        let regular = regular.map(|(core, analysis)| Arc::new(self.with_core(core, analysis)));
        let mut known = self.kept.regular.lock().unwrap_or_else(PoisonError::into_inner);
        known.push((self.proved().analysis.clone(), options.prove, (id, regular.clone())));
        regular
    }
}
