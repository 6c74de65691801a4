//! What of Core the flattener does not know yet, found before it starts.
//!
//! ```text
//! let ys_2 : [][]f64 = transpose xss_0       `transpose` cannot be flattened yet
//! ```
//!
//! A function is looked through before it is translated, so that the translation itself meets only what it knows. A function
//! that no entry needs is not looked at.

use super::{Flattener, Result};
use terrace_ir::core::{Expr, Function, StmtKind, Type, visit};

const ENUMS: &str = "an enum that holds arrays";

/// What an expression is, where the flattener has no translation.
fn unknown(expr: &Expr) -> Option<&'static str> {
    Some(match expr {
        Expr::Strided { .. } | Expr::Extent(_) => "a strided slice",
        Expr::Disjoint(_) => "an update of a strided slice",
        Expr::Precedes(..) => "comparing arrays by the total order",
        Expr::Flatten(_) => "`flatten`",
        Expr::Partition { .. } => "cutting an array into rows of given sizes",
        Expr::Reshape { .. } => "cutting an array into equal rows",
        Expr::Slide { .. } => "`slide`",
        Expr::Pad { .. } => "`pad`",
        Expr::Rotate { .. } => "`rotate`",
        Expr::Transpose(_) => "`transpose`",
        Expr::Variant { .. } | Expr::Match { .. } => ENUMS,
        _ => return None,
    })
}

fn has_sum(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) => false,
        Type::Tuple(parts) => parts.iter().any(has_sum),
        Type::Array(a) => has_sum(&a.elem),
        Type::Sum(_) => true,
    }
}

impl Flattener<'_> {
    /// Refuses a function that contains something without translation.
    pub(super) fn refuse_unknown(&mut self, function: &Function) -> Result<()> {
        self.span = function.span;
        if function.params.iter().any(|p| has_sum(&function.values[*p].ty)) || has_sum(&function.result) {
            return self.limit(ENUMS);
        }
        let mut found = None;
        visit::walk(&function.body, &mut |stmt| {
            if let StmtKind::Let { value, expr, .. } = &stmt.kind
                && found.is_none()
            {
                let bound = std::iter::once(*value).chain(expr.binders());
                let sum = bound.into_iter().any(|v| has_sum(&function.values[v].ty)).then_some(ENUMS);
                found = unknown(expr).or(sum).map(|what| (what, stmt.span));
            }
        });
        match found {
            Some((what, span)) => {
                self.span = span;
                self.limit(what)
            }
            None => Ok(()),
        }
    }
}
