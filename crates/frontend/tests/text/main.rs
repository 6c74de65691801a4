//! The front end as text: programs in, Core, answers and messages out.
//!
//! Expected texts live in files beside the programs; `UPDATE=1 cargo test -p terrace-frontend` writes them anew.

mod constructs;
mod examples;
mod library;
mod mutants;
mod programs;
mod rejected;
mod support;
