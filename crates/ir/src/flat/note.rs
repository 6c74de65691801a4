//! What a value may be annotated with: nothing in Flat, a place in Mem.
//!
//! Printer, parser, walks and rules are written once, for both languages; this trait is all that they need to know.

use crate::ValueId;
use crate::mem::Place;
use std::fmt::Debug;

/// An annotation of a value.
pub trait Note: Clone + PartialEq + Debug {
    /// Whether this is the language with places.
    const PLACES: bool;

    /// The place, if there is one.
    fn place(&self) -> Option<&Place>;

    /// The place, if there is one, to change.
    fn place_mut(&mut self) -> Option<&mut Place>;

    /// The annotation that says this; `None` where the language has no places.
    fn of(place: Option<Place>) -> Option<Self>;
}

impl Note for () {
    const PLACES: bool = false;

    fn place(&self) -> Option<&Place> {
        None
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        None
    }

    fn of(place: Option<Place>) -> Option<()> {
        place.is_none().then_some(())
    }
}

impl Note for Option<Place> {
    const PLACES: bool = true;

    fn place(&self) -> Option<&Place> {
        self.as_ref()
    }

    fn place_mut(&mut self) -> Option<&mut Place> {
        self.as_mut()
    }

    fn of(place: Option<Place>) -> Option<Option<Place>> {
        Some(place)
    }
}

impl Place {
    /// The values that it mentions: the block, and those in the index function.
    pub fn values(&self) -> Vec<ValueId> {
        let dims = self.index.dims.iter().flat_map(|d| [&d.count, &d.stride]);
        let sizes = std::iter::once(&self.index.offset).chain(dims);
        let vars = sizes.flat_map(|s| s.vars()).map(crate::value_of);
        std::iter::once(self.block).chain(vars).collect()
    }
}
