//! Regular, position-dependent or irregular: how long parallel operators are.
//!
//! Code inside a parallel body runs at many positions. What an operator in it runs over is
//!
//! ```text
//! regular               [[x * y for y in ys] for x in xs]          len(ys) everywhere: depends on no body around
//! position-dependent    [[j for j < i + 1] for i < n]              i + 1: a formula over the positions around
//! irregular             [sum(row) for row in rows]                 len(rows[i]): whatever the data say
//! ```
//!
//! A formula is closed: it does not look up what a position holds (`len(rows[i])` does). What depends on the code around a *call* of the
//! function is irregular too, since here nothing is known of positions there.
//!
//! Only lengths are judged. A loop that runs longer for some rows than for others may well be regular inside (002, section 4).

use super::deps::Deps;
use super::walk::Walk;
use terrace_algebra::{Atom, Size, SizeVar};
use terrace_base::Span;
use terrace_ir::ValueId;
use terrace_ir::shape::{Parallel, Regularity, SymbolId};

impl Walk<'_> {
    /// Notes a parallel operator; of several walks over a loop the last one counts.
    pub(super) fn found_parallel(&mut self, value: ValueId, operator: &'static str, length: &Size, span: Span) {
        let length = self.known.resolve(length);
        let regularity = self.regularity(&length);
        let depth = self.around.len();
        let reason = String::new();
        self.parallel.insert(value, Parallel { value, operator, span, depth, length, regularity, reason, cause: None });
    }

    /// The parallel code around that something here may depend on.
    fn sources_here(&self) -> Deps {
        let bodies = self.around.iter().map(|a| Deps::of(a.source)).collect::<Deps>();
        if self.called_in_parallel { bodies.and(Deps::of(Deps::CALLER)) } else { bodies }
    }

    fn regularity(&self, length: &Size) -> Regularity {
        let sources = self.sources_here();
        if !self.symbols.deps(length).meets(sources) {
            Regularity::Regular
        } else if self.is_formula(length, sources) {
            Regularity::PositionDependent
        } else {
            Regularity::Irregular
        }
    }

    /// Whether a size depends on these sources through positions only, and looks nothing up there.
    fn is_formula(&self, size: &Size, sources: Deps) -> bool {
        size.atoms().into_iter().all(|atom| match atom {
            Atom::Var(SizeVar(n)) => {
                let symbol = SymbolId::new(*n as usize);
                self.is_counter(symbol) || !self.symbols.deps_of_symbol(symbol).meets(sources)
            }
            Atom::Bound(_) => true,
            Atom::Apply { fun, args } => !self.symbols.deps(&Size::apply(*fun, args.clone())).meets(sources),
            // A sum of what must be looked up has as many terms as the position says.
            Atom::Sum(sum) if !sum.body_at(&Size::zero()).funs().is_empty() => {
                atom.parts().iter().all(|part| !self.symbols.deps(part).meets(sources))
            }
            _ => atom.parts().iter().all(|part| self.is_formula(part, sources)),
        })
    }

    fn is_counter(&self, symbol: SymbolId) -> bool {
        self.around.iter().any(|a| a.counter == symbol)
    }
}
