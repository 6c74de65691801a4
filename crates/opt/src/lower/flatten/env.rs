//! What each value of Core is known as, while the flattener walks: a map that costs little to copy.
//!
//! Every operator body starts from a copy of what is known around it, and a program may have thousands of both. So most of the map is in
//! layers that all copies share; only the newest entries are a copy's own.
//!
//! ```text
//! layers   [ 900 entries ] [ 60 ]      shared
//! own      [ 7 ]                       copied
//! ```
//!
//! When there are too many of its own they become a layer, and layers that are not smaller than what comes on top of them melt into it: there
//! are never more than a logarithm of them.

use super::rep::Rep;
use std::collections::BTreeMap;
use std::ops::Index;
use std::rc::Rc;
use terrace_ir::ValueId;

type Layer = BTreeMap<ValueId, Rep>;

/// How many entries a copy copies at most.
const OWN: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct Env {
    own: Layer,
    /// Oldest first.
    layers: Vec<Rc<Layer>>,
}

impl Env {
    pub(super) fn new() -> Env {
        Env::default()
    }

    pub(super) fn get(&self, value: &ValueId) -> Option<&Rep> {
        self.own.get(value).or_else(|| self.layers.iter().rev().find_map(|layer| layer.get(value)))
    }

    pub(super) fn contains_key(&self, value: &ValueId) -> bool {
        self.get(value).is_some()
    }

    pub(super) fn insert(&mut self, value: ValueId, rep: Rep) {
        self.own.insert(value, rep);
        if self.own.len() < OWN {
            return;
        }
        let mut newest = std::mem::take(&mut self.own);
        while let Some(below) = self.layers.pop_if(|below| below.len() <= newest.len()) {
            let mut all = Rc::unwrap_or_clone(below);
            all.append(&mut newest);
            newest = all;
        }
        self.layers.push(Rc::new(newest));
    }

    pub(super) fn extend(&mut self, more: impl IntoIterator<Item = (ValueId, Rep)>) {
        more.into_iter().for_each(|(value, rep)| self.insert(value, rep));
    }
}

impl Index<&ValueId> for Env {
    type Output = Rep;

    fn index(&self, value: &ValueId) -> &Rep {
        self.get(value).expect("a value is known before it is used")
    }
}
