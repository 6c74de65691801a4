//! The lanes of a reduction in a register.
//!
//! A float reduction adds group after group of elements into an array of lanes. Left to itself, the C compiler makes vector code of a
//! group, and stores the lanes behind it and loads them before the next: every addition waits for memory. So the lanes are a value of a
//! vector type while the loop runs, and a group is computed first and added as a whole:
//!
//! ```text
//! for c { for l { lane[l] = lane[l] + x[c + l]; } }       f32x16 lane_v = lane;
//!                                                         for c { float lane_x[16]; for l { lane_x[l] = x[c + l]; } lane_v = lane_v + lane_x; }
//!                                                         lane = lane_v;
//! ```
//!
//! The additions are the same in the same order. Declined: lanes that a mask may skip, and lanes that the loop mentions anywhere else.

use crate::shared::used::Used;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::kernel::{ArrayId, Expr, Kernel, LocalId, Stmt};

/// The bytes of all lanes of an array together: one register of the largest size.
const BYTES: usize = 64;

/// The vector type of an array of lanes: its element and how many.
pub fn vector_type(k: &Kernel, array: ArrayId) -> Option<&'static str> {
    let info = &k.arrays[array];
    let fits = info.count * info.elem.size_bytes() == BYTES && !info.shared;
    match info.elem {
        ScalarType::F32 if fits => Some("f32x16"),
        ScalarType::F64 if fits => Some("f64x8"),
        _ => None,
    }
}

/// What a statement adds to a lane: the array, the operator and the value.
pub fn added(stmt: &Stmt, lane: LocalId) -> Option<(ArrayId, BinOp, &Expr)> {
    let Stmt::SetElement(array, at, Expr::Binary(op @ (BinOp::Add | BinOp::Mul), old, value)) = stmt else {
        return None;
    };
    let own = Expr::Local(lane);
    let reads_itself = matches!(&**old, Expr::Element(a, at) if a == array && **at == own);
    (*at == own && reads_itself).then_some((*array, *op, &**value))
}

/// The arrays that the groups of a loop, all in one inner loop, are added to.
pub fn arrays(k: &Kernel, body: &[Stmt]) -> Vec<ArrayId> {
    let mut groups = Vec::new();
    find(body, &mut groups);
    let [(lane, to, group)] = groups.as_slice() else { return Vec::new() };
    let mut out = Vec::new();
    for stmt in *group {
        if let Some((array, ..)) = added(stmt, *lane)
            && vector_type(k, array).is_some()
            && **to == Expr::Const(Scalar::I64(k.arrays[array].count as i64))
        {
            out.push(array);
        }
    }
    // Once set and once read, in that one statement.
    out.retain(|a| Used::count_of_array(body, *a) == 2);
    out
}

type Group<'s> = (LocalId, &'s Expr, &'s [Stmt]);

fn find<'s>(body: &'s [Stmt], out: &mut Vec<Group<'s>>) {
    for stmt in body {
        match stmt {
            Stmt::For { var, from, to, body, simd: true, .. } if *from == Expr::Const(Scalar::I64(0)) => {
                out.push((*var, to, body));
            }
            Stmt::If(_, a, b) => {
                find(a, out);
                find(b, out);
            }
            _ => {}
        }
    }
}
