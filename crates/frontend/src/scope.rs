//! The names in scope inside a function, innermost last.
//!
//! ```text
//! let x = 1 let x = x + 1 in x      x: [first, second]; the last one counts, leaving the let takes both away
//! ```
//!
//! A name is found without going through the others, however many a function binds.

use crate::typed::LocalId;
use std::collections::BTreeMap;

/// The names in scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    names: BTreeMap<String, Vec<LocalId>>,
    order: Vec<String>,
}

impl Scope {
    pub(crate) fn push(&mut self, name: &str, id: LocalId) {
        self.names.entry(name.to_string()).or_default().push(id);
        self.order.push(name.to_string());
    }

    pub(crate) fn find(&self, name: &str) -> Option<LocalId> {
        self.names.get(name).and_then(|ids| ids.last()).copied()
    }

    /// How many bindings there are, to come back to with [`Scope::truncate`].
    pub(crate) fn depth(&self) -> usize {
        self.order.len()
    }

    pub(crate) fn truncate(&mut self, depth: usize) {
        while self.order.len() > depth {
            if let Some(name) = self.order.pop()
                && let Some(ids) = self.names.get_mut(&name)
            {
                ids.pop();
                if ids.is_empty() {
                    self.names.remove(&name);
                }
            }
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }
}
