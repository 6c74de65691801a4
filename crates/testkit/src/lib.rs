//! What the tests of the whole chain share: one program, many engines, one answer.
//!
//! ```text
//! program text ─▶ every Setup (back end, strategy, tiles, …) ─▶ Answer ─▶ equal to the expected one, or to the interpreter's
//! ```
//!
//! | module | idea |
//! | --- | --- |
//! | [`setup`] | an engine and everything it can be asked to do differently without changing the answer |
//! | [`answer`] | what a call gave: a value, or a run-time error with its code, place and words |
//! | [`corpus`] | files with `test` blocks, run under a setup |
//! | [`mod@reference`] | cases that something else than Terrace computed, beside a program |
//! | [`expected_shapes`] | signatures that a program's author expects, above each function |
//! | [`mutant`] | a program with one operator or constant changed, which its tests must notice |
//! | [`manual`] | the examples of the manual |
//! | [`library`] | the page about the standard library |
//! | [`found`] | programs that an engine once got wrong |
//! | [`fuzz`] | inputs that nobody would write |
//! | [`table`] | the table of cases that says what the language means |
//! | [`costs`] | programs on growing inputs, and how fast what they take grows |
//! | [`random`] | random well-typed programs, run under all setups and compared |
//!
//! A pass or a back end that panics is an answer too (`Answer::Broken`): one bad program does not hide the others.

pub mod answer;
pub mod corpus;
pub mod costs;
pub mod expected_shapes;
pub mod found;
pub mod fuzz;
pub mod library;
pub mod manual;
pub mod mutant;
pub mod outcome;
pub mod random;
pub mod reference;
pub mod rounding;
pub mod setup;
pub mod table;

pub use answer::Answer;
pub use setup::Setup;
