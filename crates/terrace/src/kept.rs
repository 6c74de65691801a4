//! What the engines of one program share.
//!
//! Most of the time of a compilation goes into finding sizes, on Core, and into flattening; the outcomes depend on few of the options.
//! A program keeps them, so that its second engine is there sooner: one that runs every strategy, say, or the body for rectangular
//! data of a second back end.
//!
//! ```text
//! Core for flattening     proofs, fusion
//! Flat before versions    proofs, fusion, regularity
//! the rectangular body    proofs, the entry
//! ```
//!
//! What is kept belongs to a program and its analysis: a copy that is changed and analysed anew does not see it.

use crate::program::Program;
use std::sync::{Arc, Mutex, PoisonError};
use terrace_base::{Diagnostic, Timings};
use terrace_ir::{FuncId, flat};
use terrace_opt::analysis::shapes::Analysis;
use terrace_opt::options::Options;
use terrace_opt::pipeline::{self, Ready};

/// Things that were made, each for an analysis and the options that matter.
#[derive(Debug)]
struct Shelf<K, T>(Mutex<Vec<(Arc<Analysis>, K, T)>>);

impl<K, T> Default for Shelf<K, T> {
    fn default() -> Self {
        Shelf(Mutex::default())
    }
}

impl<K: PartialEq, T: Clone> Shelf<K, T> {
    /// What is there, or else what is made now; two that ask at once may both make it.
    fn get<E>(&self, of: &Arc<Analysis>, key: K, make: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let there = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, thing)) = there.iter().find(|(analysis, k, _)| Arc::ptr_eq(analysis, of) && *k == key) {
            return Ok(thing.clone());
        }
        drop(there);
        let thing = make()?;
        let mut there = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        there.push((of.clone(), key, thing.clone()));
        Ok(thing)
    }
}

/// What was made from a program so far.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    ready: Shelf<(bool, bool), Arc<Ready>>,
    parallel: Shelf<(bool, bool, bool), Arc<flat::Program>>,
    regular: Shelf<(bool, FuncId), Option<Arc<Program>>>,
}

impl Program {
    /// Core as flattening wants it.
    fn ready(&self, options: &Options, timings: &mut Timings) -> Arc<Ready> {
        let key = (options.prove, options.fusion);
        let make = || Ok(Arc::new(pipeline::ready(&self.proved().core, options, timings)));
        let Ok(ready) = self.kept.ready.get::<std::convert::Infallible>(&self.proved().analysis, key, make);
        ready
    }

    /// Flat, while everything is parallel.
    pub(crate) fn parallel_flat(
        &self,
        options: &Options,
        timings: &mut Timings,
    ) -> Result<Arc<flat::Program>, Box<Diagnostic>> {
        let key = (options.prove, options.fusion, options.regularity);
        self.kept.parallel.get(&self.proved().analysis, key, || {
            let ready = self.ready(options, timings);
            pipeline::to_parallel_flat(&ready, options, timings).map(Arc::new)
        })
    }

    /// The program of the body of an entry for rectangular data, if it gains anything.
    pub(crate) fn regular(&self, id: FuncId, options: &Options, timings: &mut Timings) -> Option<Arc<Program>> {
        let make = || {
            let regular = pipeline::regular_entry(&self.proved().core, id, options, timings);
            Ok(regular.map(|(core, analysis)| Arc::new(self.with_core(core, analysis))))
        };
        let Ok(regular) =
            self.kept.regular.get::<std::convert::Infallible>(&self.proved().analysis, (options.prove, id), make);
        regular
    }
}
