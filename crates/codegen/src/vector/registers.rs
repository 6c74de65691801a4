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
//! The additions are the same in the same order. The least and the greatest float of a lane are found among integers ([`super::least`]): while the loop
//! runs, the lane is a key. Declined: lanes that a mask may skip, lanes that the loop mentions anywhere else, and operations that vectors do not have.

use crate::shared::used::Used;
use terrace_base::{BinOp, Scalar, ScalarType};
use terrace_ir::kernel::{ArrayId, Expr, Kernel, LocalId, Stmt};

/// The bytes of all lanes of an array together: one register of the largest size.
const BYTES: usize = 64;

/// Lanes that are a value of a vector type.
#[derive(Clone, Copy, PartialEq)]
pub struct Register {
    /// The array that they are outside of the loop.
    pub array: ArrayId,
    /// The type of a group of elements.
    pub group: &'static str,
    /// The type of the lanes: of keys, where they are.
    pub ty: &'static str,
    op: BinOp,
}

impl Register {
    fn of(k: &Kernel, array: ArrayId, op: BinOp) -> Option<Register> {
        let info = &k.arrays[array];
        let fits = info.count * info.elem.size_bytes() == BYTES && !info.shared;
        let orders = matches!(op, BinOp::Min | BinOp::Max);
        let (group, ty) = match info.elem {
            ScalarType::F32 => ("f32x16", if orders { "i32x16" } else { "f32x16" }),
            ScalarType::F64 => ("f64x8", if orders { "i64x8" } else { "f64x8" }),
            // Sums wrap.
            ScalarType::I32 | ScalarType::U32 if op == BinOp::Add => ("u32x16", "u32x16"),
            ScalarType::I64 | ScalarType::U64 if op == BinOp::Add => ("u64x8", "u64x8"),
            ScalarType::I32 if orders => ("i32x16", "i32x16"),
            ScalarType::I64 if orders => ("i64x8", "i64x8"),
            _ => return None,
        };
        fits.then_some(Register { array, group, ty, op })
    }

    /// A group as lanes are.
    pub fn as_lanes(&self, group: &str) -> String {
        if self.group == self.ty { group.into() } else { format!("key_{}({group})", self.group) }
    }

    /// Lanes as elements are.
    pub fn as_elements(&self, lanes: &str) -> String {
        if self.group == self.ty { lanes.into() } else { format!("{}_of_key({lanes})", self.group) }
    }

    /// Lanes and a group together.
    pub fn combined(&self, lanes: &str, group: &str) -> String {
        match self.op {
            BinOp::Add => format!("{lanes} + {group}"),
            BinOp::Mul => format!("{lanes} * {group}"),
            op => format!("{}_{}({lanes}, {})", op.word(), self.ty, self.as_lanes(group)),
        }
    }
}

/// What a statement adds to a lane: the array, the operator and the value.
pub fn added(stmt: &Stmt, lane: LocalId) -> Option<(ArrayId, BinOp, &Expr)> {
    use BinOp::{Add, Max, Min, Mul};
    let Stmt::SetElement(array, at, Expr::Binary(op @ (Add | Mul | Min | Max), old, value)) = stmt else {
        return None;
    };
    let own = Expr::Local(lane);
    let reads_itself = matches!(&**old, Expr::Element(a, at) if a == array && **at == own);
    (*at == own && reads_itself).then_some((*array, *op, &**value))
}

/// The arrays that the groups of a loop, all in one inner loop, are added to.
pub fn arrays(k: &Kernel, body: &[Stmt]) -> Vec<Register> {
    let mut groups = Vec::new();
    find(body, &mut groups);
    let [(lane, to, group)] = groups.as_slice() else { return Vec::new() };
    let mut out = Vec::new();
    for stmt in *group {
        if let Some((array, op, _)) = added(stmt, *lane)
            && let Some(register) = Register::of(k, array, op)
            && **to == Expr::Const(Scalar::I64(k.arrays[array].count as i64))
        {
            out.push(register);
        }
    }
    // Once set and once read, in that one statement.
    out.retain(|r| Used::count_of_array(body, r.array) == 2);
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
