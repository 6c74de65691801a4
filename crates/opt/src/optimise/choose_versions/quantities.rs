//! What guards compare: integers that the host knows at no cost.
//!
//! ```text
//! points of [n][off], q <= count - 1      count        the position of the innermost dimension is bounded by what the host knows
//! points of [n]                           n
//! mean row length                         count / max(n, 1)
//! longest row                             a reduction over `off`, read by the host: where the device is the host, or much work may be saved
//! ```
//!
//! Where a size is on the device, its bound stands for it, if that is on the host. A quantity that cannot be had this way does not
//! exist, and the versions that need it do not either. That the host waits for a GPU is an exception, which `tree` explains.

use crate::analysis::homes::FunctionHomes;
use crate::lower::kernels::points::closed_count;
use terrace_algebra::{Atom as SizeAtom, Size};
use terrace_base::IdVec;
use terrace_ir::flat::{Descriptor, Op, Value};
use terrace_ir::{Atom, ValueId, size_var, value_of};

/// What the host knows in a function.
pub(super) struct Known<'a> {
    /// Where scalars live.
    pub homes: &'a FunctionHomes,
}

impl Known<'_> {
    /// The number of points of the first dimensions of an operator, or a bound of it.
    pub(super) fn points(&self, op: &Op, upto: usize, values: &IdVec<ValueId, Value>) -> Option<Size> {
        if upto == 0 {
            return Some(Size::one());
        }
        if let Some(size) = closed_count(op, upto).and_then(|s| self.on_host(&s, values)) {
            return Some(size);
        }
        // A position is below the number of points, and may equal its bound.
        let bound = values[op.positions[upto - 1]].bound.as_ref();
        if let Some(size) = bound.and_then(|b| self.on_host(&(b.clone() + 1), values)) {
            return Some(size);
        }
        let Descriptor::Regular(m) = &op.space[upto - 1] else { return None };
        let m = match m {
            Atom::Const(c) => Size::constant(c.as_i64()?),
            Atom::Var(v) => Size::var(size_var(*v)),
        };
        Some(self.points(op, upto - 1, values)? * self.on_host(&m, values)?)
    }

    /// The size, with what is on the device replaced by its bound where a larger value only makes it larger.
    fn on_host(&self, size: &Size, values: &IdVec<ValueId, Value>) -> Option<Size> {
        let mut size = size.clone();
        for _ in 0..4 {
            if only_on_device(&size) {
                return None;
            }
            let missing: Vec<ValueId> =
                size.vars().into_iter().map(value_of).filter(|v| self.homes.device.contains(v)).collect();
            if missing.is_empty() {
                return Some(size);
            }
            if size.terms().any(|(_, c)| c < 0) {
                return None;
            }
            for v in missing {
                size = size.substitute(size_var(v), values[v].bound.as_ref()?);
            }
        }
        None
    }
}

/// Whether a size has parts that only a kernel can compute.
fn only_on_device(s: &Size) -> bool {
    let own = |a: &SizeAtom| matches!(a, SizeAtom::Sum(_) | SizeAtom::Apply { .. });
    s.atoms().into_iter().any(|a| own(a) || a.parts().into_iter().any(only_on_device))
}
