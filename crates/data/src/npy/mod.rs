//! Numpy's format: a line of text that says type, order and shape, and then the numbers.
//!
//! ```text
//! \x93NUMPY 1 0, length, {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }, 48 bytes
//! ```
//!
//! Declines structured types, text, dates and objects: an array of the language is made of numbers, and objects would be programs
//! to run. See the format's description in numpy's manual, `numpy.lib.format`.

mod header;
pub(crate) mod read;
pub(crate) mod write;
