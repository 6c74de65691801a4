//! From a language to itself: the same meaning, less work.

pub mod check_once;
pub mod choose_versions;
pub mod compute_before_calls;
pub mod contract_fma;
pub mod drop_proved;
pub mod fuse;
pub mod inline_calls;
pub mod loop_tail_calls;
pub mod lower_writes;
pub mod memory;
pub mod merge_concats;
pub mod narrow_indices;
pub mod prove_checks;
pub mod read_along_rows;
pub mod read_early;
pub mod read_through_views;
pub mod reduce_before_branches;
pub mod reduce_filtered;
pub mod reduce_in_turn;
pub mod regular_entry;
pub mod simplify;
pub mod simplify_core;
pub mod spell_out_operators;
pub mod spell_out_sums;
pub mod spell_out_views;
mod total;
pub mod write_through_parts;
