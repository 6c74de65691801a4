//! Ids that cannot be mixed up.
//!
//! A `u32` that names a value and a `u32` that names a function add up without complaint. A newtype per kind of thing
//! costs nothing and makes the mistake a type error:
//!
//! ```
//! use terrace_base::{define_id, Id, IdVec};
//! define_id!(
//!     /// A value of some IR.
//!     ValueId
//! );
//! let mut names: IdVec<ValueId, &str> = IdVec::new();
//! let xs = names.push("xs");
//! assert_eq!(format!("{}_{}", names[xs], xs), "xs_0");
//! ```
//!
//! An id says nothing about which table it belongs to; two programs use the same numbers.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A newtype over `u32` made by [`define_id!`](crate::define_id).
pub trait Id: Copy + Ord + fmt::Debug {
    /// The id with this number.
    fn new(index: usize) -> Self;
    /// The number of this id.
    fn index(self) -> usize;
}

/// Defines a public id type: `define_id!(/** doc */ ValueId);`
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(unreachable_pub)]
        pub struct $name(u32);

        #[allow(unreachable_pub)]
        impl $name {
            /// The id with this number.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 ids of one kind"))
            }

            /// The number of this id.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl $crate::ids::Id for $name {
            fn new(index: usize) -> Self {
                Self::new(index)
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}
pub use define_id;

/// Hands out the ids 0, 1, 2, … of one kind.
#[derive(Clone, Debug)]
pub struct IdGen<I> {
    next: usize,
    kind: PhantomData<I>,
}

impl<I: Id> IdGen<I> {
    /// A generator whose first id is 0.
    pub fn new() -> Self {
        Self::starting_at(0)
    }

    /// A generator whose first id is `next`.
    pub fn starting_at(next: usize) -> Self {
        IdGen { next, kind: PhantomData }
    }

    /// An id that this generator has not given before.
    pub fn fresh(&mut self) -> I {
        let id = I::new(self.next);
        self.next += 1;
        id
    }

    /// Makes sure that `id` will not be given.
    pub fn skip_past(&mut self, id: I) {
        self.next = self.next.max(id.index() + 1);
    }

    /// How many ids, from 0, may have been given.
    pub fn count(&self) -> usize {
        self.next
    }
}

impl<I: Id> Default for IdGen<I> {
    fn default() -> Self {
        Self::new()
    }
}

/// A vector indexed by ids: the table that a kind of id points into.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    kind: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::from_vec(Vec::new())
    }

    /// The table whose item `i` is `items[i]`.
    pub fn from_vec(items: Vec<T>) -> Self {
        IdVec { items, kind: PhantomData }
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The id that the next `push` will return.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item of an id, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// The item of an id, if there is one, to change.
    pub fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All items with their ids, in order.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, item)| (I::new(i), item))
    }

    /// The items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items without their ids.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.enumerate()).finish()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(items: It) -> Self {
        Self::from_vec(items.into_iter().collect())
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    define_id!(
        /// Only for these tests.
        NodeId
    );

    #[test]
    fn generators_do_not_repeat() {
        let mut ids: IdGen<NodeId> = IdGen::new();
        assert_eq!(ids.fresh().index(), 0);
        ids.skip_past(NodeId::new(5));
        assert_eq!(ids.fresh(), NodeId::new(6));
        ids.skip_past(NodeId::new(2));
        assert_eq!(ids.fresh(), NodeId::new(7));
        assert_eq!(ids.count(), 8);
    }

    #[test]
    fn tables() {
        let mut table: IdVec<NodeId, &str> = IdVec::new();
        assert_eq!(table.next_id(), NodeId::new(0));
        let a = table.push("a");
        let b = table.push("b");
        table[a] = "A";
        assert_eq!((table[a], table[b], table.len()), ("A", "b", 2));
        assert_eq!(table.get(NodeId::new(2)), None);
        assert_eq!(table.enumerate().map(|(id, s)| format!("{s}_{id}")).collect::<Vec<_>>(), ["A_0", "b_1"]);
        assert_eq!(format!("{table:?}"), r#"{NodeId(0): "A", NodeId(1): "b"}"#);
    }
}
