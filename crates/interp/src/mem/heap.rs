//! A heap that keeps books.
//!
//! Every element of a block knows whether it was written, and which point of which operator wrote and read it last:
//!
//! ```text
//! map grid [n] … reads xs[p + 1], writes ys[p], both in one block at offset 0
//!     point 0 reads element 1        reader of 1: point 0 of operator 7
//!     point 1 writes element 1       another point of operator 7 has read it: a race
//! ```
//!
//! Points of a parallel operator run in any order on a device, so an element that one of them writes must not be touched by
//! any other point of the same run of the operator. Operators nest at most twice with parallelism (grid, and block
//! within), so an access is stamped with the outermost parallel operator and the innermost one. What is stored when all points are done
//! (the results of reductions and packs) counts as a point of its own.

use crate::flat::{EVERYONE, Memory};
use std::cell::RefCell;
use std::rc::Rc;
use terrace_algebra::Size;
use terrace_base::{Scalar, ScalarType};
use terrace_ir::mem::Place;
use terrace_plan::messages::LENGTH_LIMIT;

/// A run of a parallel operator, numbered from 1, and a point of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Actor {
    run: u64,
    point: u64,
}

/// Who did something: the outermost parallel operator and the innermost one.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    outer: Actor,
    inner: Actor,
}

impl Actor {
    /// Whether another point of the same run did what `self` says.
    fn differs(self, now: Actor) -> bool {
        now.run != 0 && self.run == now.run && self.point != now.point
    }

    /// Both, where they are of one run.
    fn joined(self, now: Actor) -> Actor {
        match self.differs(now) {
            true => Actor { run: now.run, point: EVERYONE },
            false => now,
        }
    }
}

impl Stamp {
    fn meets(self, now: Stamp) -> bool {
        self.outer.differs(now.outer) || self.inner.differs(now.inner)
    }
}

#[derive(Clone, Copy, Default)]
struct Cell {
    value: Option<Scalar>,
    written: Stamp,
    read: Stamp,
}

/// A block of memory.
pub(crate) struct Block {
    elem: ScalarType,
    length: i64,
    /// Up to the last element that was ever written: blocks are made for upper bounds.
    cells: RefCell<Vec<Cell>>,
}

impl Block {
    fn cell<T>(&self, element: usize, act: impl FnOnce(&mut Cell) -> T) -> T {
        let mut cells = self.cells.borrow_mut();
        match cells.get_mut(element) {
            Some(cell) => act(cell),
            None => act(&mut Cell::default()),
        }
    }
}

/// Where a column lives; `None` where only its users know.
pub(crate) type Spot = Option<Rc<Located>>;

/// A block, and an index function with numbers in it.
pub(crate) struct Located {
    block: Rc<Block>,
    offset: i64,
    /// Count and stride, outer to inner; the outermost count plays no part.
    dims: Vec<(i64, i64)>,
}

impl Located {
    /// The element of the block that a position of the column is.
    fn element(&self, at: usize) -> Option<i64> {
        let mut rest = at as i64;
        let mut element = self.offset;
        let (outer, inner) = self.dims.split_first()?;
        for (count, stride) in inner.iter().rev() {
            let index = rest.checked_rem(*count)?;
            element = element.checked_add(index.checked_mul(*stride)?)?;
            rest /= count;
        }
        element.checked_add(rest.checked_mul(outer.1)?)
    }

    fn within(&self, at: usize) -> Result<usize, String> {
        let length = self.block.length;
        let element = self.element(at).ok_or("the index function overflows")?;
        match (0..length).contains(&element) {
            true => Ok(element as usize),
            false => Err(format!("element {element} of a block of {length}")),
        }
    }
}

/// The memory of a run.
#[derive(Default)]
pub(crate) struct Heap {
    /// The operators that are running; sequential ones have no number.
    running: Vec<Actor>,
    runs: u64,
}

impl Heap {
    fn now(&self) -> Stamp {
        let mut parallel = self.running.iter().filter(|a| a.run != 0);
        let outer = parallel.next().copied().unwrap_or_default();
        let inner = parallel.next_back().copied().unwrap_or_default();
        Stamp { outer, inner }
    }
}

fn compare(found: Option<Scalar>, value: Scalar) -> Result<(), String> {
    match found {
        Some(found) if found.same_bits(value) => Ok(()),
        Some(found) => Err(format!("memory holds {found} where the value is {value}")),
        None => Err(format!("memory was never written where the value is {value}")),
    }
}

impl Memory for Heap {
    type Block = Rc<Block>;
    type Place = Spot;

    fn begin(&mut self, parallel: bool) {
        let mut actor = Actor::default();
        if parallel {
            self.runs += 1;
            actor = Actor { run: self.runs, point: EVERYONE };
        }
        self.running.push(actor);
    }

    fn point(&mut self, point: u64) {
        if let Some(actor) = self.running.last_mut() {
            actor.point = point;
        }
    }

    fn end(&mut self) {
        self.running.pop();
    }

    fn alloc(&mut self, elem: ScalarType, count: i64) -> Result<Rc<Block>, String> {
        if !(0..=LENGTH_LIMIT).contains(&count) {
            return Err(format!("a block of {count} elements"));
        }
        Ok(Rc::new(Block { elem, length: count, cells: RefCell::default() }))
    }

    fn place(
        &self,
        place: Option<&Place>,
        block: Option<&Rc<Block>>,
        size: &dyn Fn(&Size) -> Option<i64>,
    ) -> Result<Spot, String> {
        let Some(place) = place else {
            return Ok(None);
        };
        let block = block.ok_or("its block is not bound")?;
        let value = |what: &Size| size(what).ok_or(format!("{what} has no value"));
        let mut dims = Vec::new();
        for (d, dim) in place.index.dims.iter().enumerate() {
            let count = if d == 0 { 1 } else { value(&dim.count)? };
            dims.push((count, value(&dim.stride)?));
        }
        Ok(Some(Rc::new(Located { block: Rc::clone(block), offset: value(&place.index.offset)?, dims })))
    }

    fn same_place(&self, one: &Spot, other: &Spot) -> bool {
        let (Some(one), Some(other)) = (one, other) else {
            return false;
        };
        Rc::ptr_eq(&one.block, &other.block) && one.offset == other.offset && one.dims == other.dims
    }

    fn write(&mut self, place: &Spot, at: usize, value: Scalar) -> Result<(), String> {
        let Some(located) = place else {
            return Err("a column without a place is written".to_string());
        };
        if located.block.elem != value.ty() {
            return Err(format!("{value} in a block of {}", located.block.elem));
        }
        let element = located.within(at)?;
        let now = self.now();
        let mut cells = located.block.cells.borrow_mut();
        if element >= cells.len() {
            cells.resize(element + 1, Cell::default());
        }
        let cell = &mut cells[element];
        if cell.written.meets(now) {
            return Err(format!("a race: two points write element {element}"));
        }
        if cell.read.meets(now) {
            return Err(format!("a race: element {element} is written, and read by another point"));
        }
        cell.value = Some(value);
        cell.written = now;
        Ok(())
    }

    fn read(&mut self, place: &Spot, at: usize, value: Scalar) -> Result<(), String> {
        let Some(located) = place else {
            return Ok(());
        };
        let element = located.within(at)?;
        let now = self.now();
        located.block.cell(element, |cell| {
            if cell.written.meets(now) {
                return Err(format!("a race: element {element} is read, and written by another point"));
            }
            cell.read = Stamp { outer: cell.read.outer.joined(now.outer), inner: cell.read.inner.joined(now.inner) };
            compare(cell.value, value)
        })
    }

    fn holds(&self, place: &Spot, at: usize, value: Scalar) -> Result<(), String> {
        let Some(located) = place else {
            return Ok(());
        };
        let element = located.within(at)?;
        located.block.cell(element, |cell| compare(cell.value, value))
    }
}
