//! Expressions as OpenCL C.
//!
//! ```text
//! Binary(Add, Local(q), Const(1))        add_i64(q_3, 1)
//! Binary(Div, x, y) on f32               div_f32(x_1, y_2)         rounded to the nearest, which plain `/` need not be
//! Load(xs, Local(q))                     xs_p1[q_3]
//! LoadFresh(words, Local(w))             FRESH(int64_t, words_p2, w_5)
//! Shuffle(Up, Local(x), Const(1))        as_double(shuffle_up(terrace_exchange, as_ulong(x_4), 1))
//! ```
//!
//! There are no templates: names of helpers end with the type, as in C. Built-in functions of floats have one name for all types.
//! The accuracy of `sin` and its like is the device's, at most a few units in the last place.

use super::types::{constant, of_bits, to_bits, variable};
use crate::shared::constants::{power_of_two, sign};
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, Shuffle};

/// An expression, and whether it can stand next to any operator.
fn printed(k: &Kernel, e: &Expr) -> (String, bool) {
    let tight = |text: String| (text, true);
    let loose = |text: String| (text, false);
    match e {
        Expr::Const(c) => {
            let text = constant(*c);
            let is_tight = !text.starts_with('-');
            (text, is_tight)
        }
        Expr::Local(v) => tight(names::local(k, *v)),
        Expr::Param(p) => tight(names::param(k, *p)),
        Expr::Tile => loose("(int64_t)get_group_id(0)".into()),
        Expr::Thread => loose("(int64_t)get_local_id(0)".into()),
        Expr::Failed => tight("failed".into()),
        Expr::Unary(op, a) => unary(k, *op, a),
        Expr::Binary(op, a, b) => binary(k, *op, a, b),
        // Neither operand is negative: an unsigned division has no signs to look at.
        Expr::Quotient(a, b) if type_of(k, a) == ScalarType::I32 => {
            loose(format!("(int32_t)((uint32_t){} / (uint32_t){})", operand(k, a), operand(k, b)))
        }
        Expr::Exact(op, a, b) => loose(format!("{} {} {}", operand(k, a), sign(*op), operand(k, b))),
        Expr::Quotient(a, b) => loose(format!("{} / {}", operand(k, a), operand(k, b))),
        Expr::Fma(a, b, c) => {
            let (x, y, z) = (expr(k, a), expr(k, b), expr(k, c));
            let ty = type_of(k, a);
            tight(match ty.is_float() {
                true => format!("fma({x}, {y}, {z})"),
                false => format!("add_{ty}(mul_{ty}({x}, {y}), {z})"),
            })
        }
        Expr::Convert(to, a) => convert(k, *to, a),
        Expr::Ordinal(a) => tight(format!("ordinal_{}({})", type_of(k, a), expr(k, a))),
        Expr::Select(c, a, b) => loose(format!("{} ? {} : {}", operand(k, c), operand(k, a), operand(k, b))),
        Expr::Load(p, at) => loaded(held(k.params[*p].kind), format!("{}[{}]", names::param(k, *p), expr(k, at))),
        Expr::LoadFresh(p, at) => {
            let ty = held(k.params[*p].kind);
            let (p, at) = (names::param(k, *p), expr(k, at));
            loaded(ty, format!("FRESH({}, {p}, {at})", super::types::element(ty)))
        }
        Expr::Element(a, at) => loaded(k.arrays[*a].elem, format!("{}[{}]", names::array(k, *a), expr(k, at))),
        Expr::Shuffle(kind, value, by) => tight(shuffled(k, *kind, value, by, None)),
    }
}

/// An expression.
pub fn expr(k: &Kernel, e: &Expr) -> String {
    printed(k, e).0
}

/// An expression that can stand next to any operator.
pub fn operand(k: &Kernel, e: &Expr) -> String {
    let (text, tight) = printed(k, e);
    if tight { text } else { format!("({text})") }
}

fn loaded(ty: ScalarType, text: String) -> (String, bool) {
    if ty == ScalarType::Bool { (format!("{text} != 0"), false) } else { (text, true) }
}

/// A value whose type may have been promoted to `int`, brought back.
fn narrowed(ty: ScalarType, text: String) -> (String, bool) {
    if ty.size_bytes() < 4 { (format!("({})({text})", variable(ty)), false) } else { (text, false) }
}

fn unary(k: &Kernel, op: UnOp, a: &Expr) -> (String, bool) {
    let ty = type_of(k, a);
    let call = |name: &str| (format!("{name}({})", expr(k, a)), true);
    match op {
        UnOp::Neg if ty.is_float() => (format!("-{}", operand(k, a)), false),
        UnOp::Not if ty == ScalarType::Bool => (format!("!{}", operand(k, a)), true),
        UnOp::Not => narrowed(ty, format!("~{}", operand(k, a))),
        UnOp::Abs if ty.is_float() => call("fabs"),
        UnOp::Abs if !ty.is_signed() => printed(k, a),
        UnOp::Neg | UnOp::Abs | UnOp::Exp | UnOp::Log | UnOp::Sqrt => call(&format!("{}_{ty}", op.word())),
        // The words are the names of the built-in functions.
        _ => call(op.word()),
    }
}

fn binary(k: &Kernel, op: BinOp, a: &Expr, b: &Expr) -> (String, bool) {
    let ty = type_of(k, a);
    let infix = |sign: &str| (format!("{} {sign} {}", operand(k, a), operand(k, b)), false);
    let call = |name: &str| (format!("{name}_{ty}({}, {})", expr(k, a), expr(k, b)), true);
    let plain = ty.is_float() || matches!(ty, ScalarType::U32 | ScalarType::U64);
    match op {
        BinOp::Add if plain => infix("+"),
        BinOp::Sub if plain => infix("-"),
        BinOp::Mul if plain => infix("*"),
        BinOp::Div if ty == ScalarType::F64 => infix("/"),
        // The compiler sees the same in the helper, but only after the tests for 0 and -1.
        BinOp::Div if power_of_two(b).is_some() => {
            narrowed(ty, format!("{} >> {}", operand(k, a), power_of_two(b).unwrap_or(0)))
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => call(op.word()),
        BinOp::Min | BinOp::And if ty == ScalarType::Bool => infix("&&"),
        BinOp::Max | BinOp::Or if ty == ScalarType::Bool => infix("||"),
        BinOp::Xor if ty == ScalarType::Bool => infix("!="),
        BinOp::Min | BinOp::Max => call(op.word()),
        BinOp::Pow | BinOp::Atan2 => (format!("{}({}, {})", op.word(), expr(k, a), expr(k, b)), true),
        BinOp::And => narrowed(ty, infix("&").0),
        BinOp::Or => narrowed(ty, infix("|").0),
        BinOp::Xor => narrowed(ty, infix("^").0),
        BinOp::Eq => infix("=="),
        BinOp::Ne => infix("!="),
        BinOp::Lt => infix("<"),
        BinOp::Le => infix("<="),
        BinOp::Gt => infix(">"),
        BinOp::Ge => infix(">="),
    }
}

fn convert(k: &Kernel, to: ScalarType, a: &Expr) -> (String, bool) {
    let from = type_of(k, a);
    match to {
        _ if to == from => printed(k, a),
        to if from.is_float() && !to.is_float() => (format!("{to}_of_{from}({})", expr(k, a)), true),
        ScalarType::Bool => (format!("{} != 0", operand(k, a)), false),
        to => (format!("({}){}", variable(to), operand(k, a)), false),
    }
}

/// A value from another lane; where the guard does not hold, nothing is computed and any value comes back.
pub fn shuffled(k: &Kernel, kind: Shuffle, value: &Expr, by: &Expr, guard: Option<&str>) -> String {
    let name = match kind {
        Shuffle::Up => "shuffle_up",
        Shuffle::Down => "shuffle_down",
        Shuffle::Lane => "shuffle_lane",
    };
    let guarded = |e: &Expr, text: String| match (guard, e) {
        (None, _) | (_, Expr::Local(_) | Expr::Const(_)) => text,
        (Some(guard), _) => format!("{guard} ? {text} : 0"),
    };
    let ty = type_of(k, value);
    let bits = guarded(value, to_bits(ty, &expr(k, value)));
    of_bits(ty, &format!("{name}(terrace_exchange, {bits}, {})", guarded(by, operand(k, by))))
}
