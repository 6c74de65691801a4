//! The sizes of a test's arguments.
//!
//! The array literals of a test are its parameters, so that no optimiser computes the answer; their sizes may be known all the same. They
//! matter for what all calls of a function show: a function that is only ever given square matrices must not be taken to be given others by its tests.
//!
//! ```text
//! [[1, 2], [3, 4]]      [2][2], integers from 1 to 4
//! [[1], [2, 3]]         [2], rows of any length
//! ```

use super::symbols::size_at;
use super::walk::Walk;
use std::ops::RangeInclusive;
use terrace_algebra::Size;
use terrace_ir::ValueId;
use terrace_ir::shape::{Step, as_symbol};
use terrace_plan::data::Data;

impl Walk<'_> {
    /// Uses what an argument of a test shows about its sizes.
    pub(super) fn given(&mut self, param: ValueId, argument: &Data) {
        let mut places = Vec::new();
        super::symbols::places(self.type_of(param), &mut Vec::new(), &mut |path, integer| {
            places.push((path.to_vec(), integer.is_some()));
        });
        for (path, integer) in places {
            let mut found = None;
            spread(argument, &path, integer, &mut found);
            let Some(range) = found else { continue };
            if !integer && range.start() == range.end() {
                if let Some(shape) = self.shapes.get_mut(&param) {
                    super::calls::set_size(shape, &path, Size::big(*range.start()));
                }
                continue;
            }
            let own = size_at(&self.shapes[&param], &path).cloned();
            if let Some(own) = own.filter(|size| as_symbol(size).is_some()) {
                self.limit(&own, Some(Size::big(*range.start())), Some(Size::big(*range.end())));
            }
        }
    }
}

/// The least and the greatest of all lengths or integers at a place.
fn spread(data: &Data, path: &[Step], integer: bool, found: &mut Option<RangeInclusive<i128>>) {
    let mut see = |n: i128| {
        *found = Some(match found.take() {
            Some(range) => n.min(*range.start())..=n.max(*range.end()),
            None => n..=n,
        });
    };
    match (data, path.split_first()) {
        (Data::Scalar(s), None) if integer => s.as_i128().into_iter().for_each(see),
        (Data::Array(items), None) if !integer => see(items.len() as i128),
        (Data::Array(items), Some((Step::Element, rest))) => {
            items.iter().for_each(|item| spread(item, rest, integer, found));
        }
        (Data::Tuple(parts), Some((Step::Field(k), rest))) => {
            parts.get(*k).into_iter().for_each(|part| spread(part, rest, integer, found));
        }
        (Data::Variant(v), Some((Step::Variant(tag, k), rest))) if v.tag == *tag => {
            v.fields.get(*k).into_iter().for_each(|field| spread(field, rest, integer, found));
        }
        _ => {}
    }
}
