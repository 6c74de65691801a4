//! The points of a space, in order.
//!
//! A cursor goes through the dimensions like nested loops and counts the points of every prefix of them; the counts are the
//! positions. It says where each row of the last dimension ends, empty rows included:
//!
//! ```text
//! [2][off = 0, 1, 1]     point (0, 0 | 0, 0), end of row, end of row
//! ```
//!
//! Descriptors that contradict the counting (offsets that do not start where the row before ended, a base that is not the
//! scanned total) are bugs: flat positions would mean different things to different operators.

use super::frame::Frame;
use super::machine::{Machine, Outcome, bug};
use super::memory::{EVERYONE, Memory};
use terrace_ir::ValueId;
use terrace_ir::flat::note::Note;
use terrace_ir::flat::print::print_size;
use terrace_ir::flat::{Descriptor, Op};

/// What comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A point; indices and positions are bound.
    Point,
    /// A row of the last dimension is complete.
    Row,
    /// There are no more points.
    End,
}

/// One dimension of the cursor.
#[derive(Default)]
struct Place {
    index: i64,
    length: i64,
    position: i64,
    /// Points met in the dimensions up to this one.
    count: i64,
    /// The ancestor whose base was compared last.
    ancestor: Option<i64>,
}

/// A cursor over the points of an operator's space.
pub(crate) struct Points<'p> {
    op: &'p Op,
    places: Vec<Place>,
    /// The dimension to move in, and whether a row of it is to be entered first.
    at: Option<(usize, bool)>,
    /// Where this operator's indices stand in the nest.
    nest: usize,
}

impl<'p> Points<'p> {
    pub(crate) fn new(op: &'p Op, nest: usize) -> Points<'p> {
        let places = op.space.iter().map(|_| Place::default()).collect();
        Points { op, places, at: Some((0, true)), nest }
    }

    /// The position of the current point among all.
    pub(crate) fn position(&self) -> i64 {
        self.places.last().map_or(0, |p| p.position)
    }

    /// How many points there were.
    pub(crate) fn count(&self) -> i64 {
        self.places.last().map_or(0, |p| p.count)
    }

    /// Moves on.
    pub(crate) fn next<A: Note, M: Memory>(
        &mut self,
        machine: &mut Machine<'p, A, M>,
        frame: &mut Frame<'p, A, M>,
    ) -> Outcome<Step> {
        let last = self.places.len() - 1;
        while let Some((d, enter)) = self.at {
            if enter {
                let length = self.length(d, machine, frame)?;
                if length < 0 {
                    return Err(bug(format!("dimension {d} has a row of length {length}")));
                }
                self.places[d].length = length;
                self.places[d].index = 0;
            } else {
                self.places[d].index += 1;
            }
            let place = &mut self.places[d];
            if place.index < place.length {
                place.position = place.count;
                place.count += 1;
                frame.set_int(self.op.indices[d], place.index);
                frame.set_int(self.op.positions[d], place.position);
                machine.nest[self.nest + d] = place.index;
                if d == last {
                    self.at = Some((d, false));
                    return Ok(Step::Point);
                }
                self.at = Some((d + 1, true));
            } else {
                self.at = d.checked_sub(1).map(|outer| (outer, false));
                if d == last {
                    return Ok(Step::Row);
                }
            }
        }
        self.finish(machine, frame)?;
        Ok(Step::End)
    }

    /// The number of points in the first `depth` dimensions met so far.
    fn rows(&self, depth: usize) -> i64 {
        depth.checked_sub(1).map_or(1, |d| self.places[d].count)
    }

    /// The position of the current element of the first `depth` dimensions.
    fn current(&self, depth: usize) -> i64 {
        depth.checked_sub(1).map_or(0, |d| self.places[d].position)
    }

    fn length<A: Note, M: Memory>(
        &mut self,
        d: usize,
        machine: &mut Machine<'p, A, M>,
        frame: &Frame<'p, A, M>,
    ) -> Outcome<i64> {
        let parent = self.current(d);
        let met = self.places[d].count;
        // Whoever needs the shape of the space reads its descriptors: that may be any point.
        machine.memory.point(EVERYONE);
        match &self.op.space[d] {
            Descriptor::Regular(length) => frame.int(*length),
            Descriptor::Closed { around, length } => {
                let indices: Vec<(ValueId, i64)> =
                    around.iter().zip(&self.places[..d]).map(|(v, p)| (*v, p.index)).collect();
                frame.size_with(length, &indices).ok_or_else(|| {
                    let text = print_size(&frame.function.values, length);
                    bug(format!("the length {text} has no value"))
                })
            }
            Descriptor::PerAncestor { depth, lengths, base } => {
                if *depth > d {
                    return Err(bug(format!("dimension {d} depends on {depth} dimensions")));
                }
                let ancestor = self.current(*depth);
                if self.places[d].ancestor != Some(ancestor) {
                    let found = read_int(machine, frame, *base, ancestor)?;
                    agree(frame, *base, ancestor, found, met)?;
                    self.places[d].ancestor = Some(ancestor);
                }
                read_int(machine, frame, *lengths, ancestor)
            }
            Descriptor::Irregular { off, .. } => {
                let from = read_int(machine, frame, *off, parent)?;
                agree(frame, *off, parent, from, met)?;
                Ok(read_int(machine, frame, *off, parent + 1)? - from)
            }
        }
    }

    /// Whether the columns of the descriptors have one more element than there are rows, and the last one is the total.
    fn finish<A: Note, M: Memory>(&self, machine: &mut Machine<'p, A, M>, frame: &Frame<'p, A, M>) -> Outcome<()> {
        machine.memory.point(EVERYONE);
        for (d, descriptor) in self.op.space.iter().enumerate() {
            let (column, rows) = match descriptor {
                Descriptor::PerAncestor { depth, base, .. } => (*base, self.rows(*depth)),
                Descriptor::Irregular { off, .. } => (*off, self.rows(d)),
                _ => continue,
            };
            let length = frame.column(column)?.0.len() as i64;
            if length != rows + 1 {
                let name = frame.name(column);
                return Err(bug(format!("{name} has {length} elements for {rows} rows")));
            }
            let total = read_int(machine, frame, column, rows)?;
            agree(frame, column, rows, total, self.places[d].count)?;
        }
        Ok(())
    }
}

pub(crate) fn read_int<'p, A: Note, M: Memory>(
    machine: &mut Machine<'p, A, M>,
    frame: &Frame<'p, A, M>,
    column: ValueId,
    at: i64,
) -> Outcome<i64> {
    let value = machine.read(frame, column, at)?;
    value.as_i64().ok_or_else(|| bug(format!("{} has no integers", frame.name(column))))
}

fn agree<A, M: Memory>(frame: &Frame<'_, A, M>, column: ValueId, at: i64, found: i64, met: i64) -> Outcome<()> {
    if found == met {
        return Ok(());
    }
    let name = frame.name(column);
    Err(bug(format!("{name} is {found} at {at}, but {met} points come before")))
}
