//! Regular, position-dependent or irregular: how long parallel operators are.

use super::walk::Walk;
use terrace_algebra::Size;
use terrace_base::Span;
use terrace_ir::ValueId;

impl Walk<'_> {
    pub(super) fn found_parallel(&mut self, _value: ValueId, _operator: &'static str, _length: &Size, _span: Span) {}
}
