//! Few elements, always as many: the types say so.
//!
//! ```text
//! let d_4 : []f64 = map (x_1, y_2) in q_0, p_3 { … }       analysis: q_0 has 3 elements wherever this runs
//! let d_4 : [3]f64 = map …
//! ```
//!
//! What the analysis of shapes found out is gone when the program changes; what a type states stays with its value. Only small constants are
//! written down, which is what `spell_out_short_rows` asks for.
//!
//! Declined: parameters of functions, and copies, whose types would say more than those of what they copy.

use crate::analysis::shapes::Analysis;
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_ir::ValueId;
use terrace_ir::core::visit::walk;
use terrace_ir::core::{Expr, Program, StmtKind, Type};
use terrace_ir::shape::Shape;

/// The most elements that a short row has.
pub(super) const MOST: i64 = 32;

/// Writes down constant lengths in all functions.
pub fn state_lengths(program: &mut Program, analysis: &Analysis) {
    for (id, function) in program.functions.ids().zip(program.functions.iter_mut()) {
        let mut silent: BTreeSet<ValueId> = function.params.iter().copied().collect();
        walk(&function.body, &mut |stmt| {
            if let StmtKind::Let { value, expr: Expr::Atom(_), .. } = &stmt.kind {
                silent.insert(*value);
            }
        });
        for (value, shape) in &analysis.shapes.functions[id].values {
            if !silent.contains(value) {
                state(&mut function.values[*value].ty, shape);
            }
        }
    }
}

fn state(ty: &mut Type, shape: &Shape) {
    match (ty, shape) {
        (Type::Array(a), Shape::Array(length, elem)) => {
            let few = length.as_constant().filter(|n| (1..=MOST).contains(n));
            a.length = a.length.take().or(few.map(Size::constant));
            state(&mut a.elem, elem);
        }
        (Type::Tuple(types), Shape::Tuple(shapes)) => types.iter_mut().zip(shapes).for_each(|(t, s)| state(t, s)),
        _ => {}
    }
}

/// The constant length that a type states, if it is short.
pub(super) fn few(ty: &Type) -> Option<usize> {
    let Type::Array(a) = ty else { return None };
    let length = a.length.as_ref()?.as_constant()?;
    usize::try_from(length).ok().filter(|n| (1..=MOST as usize).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::prove_checks::prove_checks;
    use terrace_ir::core::parse::parse;

    #[test]
    fn constants_are_written_into_types() {
        let text = "entry f(n_0 : i64) -> []f64 {
  let xs_1 : [][]f64 = generate (i_2 : i64) < n_0 {
    let row_3 : []f64 = replicate 3 1.0f64
    => row_3
  }
  let ys_4 : []f64 = map (row_5 : []f64) in xs_1 {
    let again_6 : []f64 = row_5
    let x_7 : f64 = again_6[1]
    => x_7
  }
  => ys_4
}
";
        let mut program = parse(text).expect("a program");
        let analysis = prove_checks(&mut program);
        state_lengths(&mut program, &analysis);
        let text = program.to_string();
        for said in ["let xs_1 : [][3]f64", "let row_3 : [3]f64", "(row_5 : [3]f64)", "let again_6 : []f64"] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}
