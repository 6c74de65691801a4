//! Expressions as CUDA C.
//!
//! ```text
//! Binary(Add, Local(q), Const(1))        terrace_add(q_3, 1ll)
//! Binary(Lt, Local(q), Param(n))         q_3 < n_p0
//! Load(xs, Local(q))                     xs_p1[q_3]
//! Element(part, Local(q))                part_a0[(int)q_3]
//! Shuffle(Up, Local(x), Const(1))        __shfl_up_sync(0xffffffffu, x_4, 1)
//! ```
//!
//! Every expression printed has exactly the type that the kernel language gives it, so that the templates of the preamble find
//! their type by themselves.

use super::types::{constant, variable};
use crate::shared::constants::{power_of_two, sign};
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use terrace_base::{BinOp, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, ParamKind, Shuffle};

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
        Expr::Tile => loose("(long long)blockIdx.x".into()),
        Expr::Thread => loose("(long long)threadIdx.x".into()),
        Expr::Failed => tight("failed".into()),
        Expr::Unary(op, a) => unary(k, *op, a),
        Expr::Binary(op, a, b) => binary(k, *op, a, b),
        // Neither operand is negative: an unsigned division has no signs to look at.
        Expr::Quotient(a, b) if type_of(k, a) == ScalarType::I32 => {
            loose(format!("(int)((unsigned int){} / (unsigned int){})", operand(k, a), operand(k, b)))
        }
        Expr::Exact(op, a, b) => loose(format!("{} {} {}", operand(k, a), sign(*op), operand(k, b))),
        Expr::Quotient(a, b) => loose(format!("{} / {}", operand(k, a), operand(k, b))),
        Expr::Fma(a, b, c) => {
            let name = if type_of(k, a) == ScalarType::F32 { "fmaf" } else { "fma" };
            tight(format!("{name}({}, {}, {})", expr(k, a), expr(k, b), expr(k, c)))
        }
        Expr::Convert(to, a) => convert(k, *to, a),
        Expr::Ordinal(a) => tight(format!("terrace_ordinal({})", expr(k, a))),
        Expr::Select(c, a, b) => loose(match (&**a, &**b) {
            (Expr::Const(_), Expr::Const(_)) => format!("{} ? {} : {}", operand(k, c), operand(k, a), operand(k, b)),
            _ => format!("{} ? {} : {}", operand(k, c), unknown(k, a), unknown(k, b)),
        }),
        Expr::Load(p, at) if k.params[*p].once && matches!(k.params[*p].kind, ParamKind::Input(_)) => {
            let text = format!("__ldcs(&{}[{}])", names::param(k, *p), expr(k, at));
            loaded(held(k.params[*p].kind), text)
        }
        Expr::Load(p, at) => loaded(held(k.params[*p].kind), format!("{}[{}]", names::param(k, *p), expr(k, at))),
        Expr::LoadFresh(p, at) => {
            loaded(held(k.params[*p].kind), format!("__ldcg(&{}[{}])", names::param(k, *p), expr(k, at)))
        }
        Expr::Element(a, at) => loaded(k.arrays[*a].elem, format!("{}[{}]", names::array(k, *a), slot(k, at))),
        Expr::Shuffle(kind, value, by) => shuffle(k, *kind, value, by),
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

/// An operand; where it is a zero of 32 bits or fewer, one that the compiler does not know: see `terrace_zero` in the preamble.
fn unknown(k: &Kernel, e: &Expr) -> String {
    match e {
        Expr::Const(c)
            if c.ty().is_int() && c.ty().is_signed() && c.ty().size_bytes() <= 4 && c.as_i64() == Some(0) =>
        {
            format!("({})terrace_zero()", variable(c.ty()))
        }
        _ => operand(k, e),
    }
}

/// An index into an array of fixed size, which 32 bits can always hold: the compiler then computes it in 32 bits.
pub fn slot(k: &Kernel, at: &Expr) -> String {
    match at {
        Expr::Const(c) => c.as_i64().unwrap_or(0).to_string(),
        Expr::Thread => "threadIdx.x".into(),
        Expr::Convert(ScalarType::I64, inner) if type_of(k, inner) == ScalarType::I32 => expr(k, inner),
        at => format!("(int){}", operand(k, at)),
    }
}

fn loaded(ty: ScalarType, text: String) -> (String, bool) {
    if ty == ScalarType::Bool { (format!("{text} != 0"), false) } else { (text, true) }
}

/// A value whose C type may have been promoted to `int`, brought back.
fn narrowed(ty: ScalarType, text: String) -> (String, bool) {
    if ty.size_bytes() < 4 { (format!("({})({text})", variable(ty)), false) } else { (text, false) }
}

fn unary(k: &Kernel, op: UnOp, a: &Expr) -> (String, bool) {
    let ty = type_of(k, a);
    let function = |name: &str| {
        let suffix = if ty == ScalarType::F32 { "f" } else { "" };
        (format!("{name}{suffix}({})", expr(k, a)), true)
    };
    match op {
        UnOp::Neg if ty.is_float() => (format!("-{}", operand(k, a)), false),
        UnOp::Neg => (format!("terrace_neg({})", expr(k, a)), true),
        UnOp::Not if ty == ScalarType::Bool => (format!("!{}", operand(k, a)), true),
        UnOp::Not => narrowed(ty, format!("~{}", operand(k, a))),
        UnOp::Abs if ty.is_float() => function("fabs"),
        UnOp::Abs if ty.is_signed() => (format!("terrace_abs({})", expr(k, a)), true),
        UnOp::Abs => printed(k, a),
        // The words are the names of the C library.
        _ => function(op.word()),
    }
}

fn binary(k: &Kernel, op: BinOp, a: &Expr, b: &Expr) -> (String, bool) {
    let ty = type_of(k, a);
    let infix = |sign: &str| (format!("{} {sign} {}", operand(k, a), operand(k, b)), false);
    let call = |name: &str| (format!("terrace_{name}({}, {})", expr(k, a), expr(k, b)), true);
    let plain = ty.is_float() || matches!(ty, ScalarType::U32 | ScalarType::U64);
    match op {
        BinOp::Add if plain => infix("+"),
        BinOp::Sub if plain => infix("-"),
        BinOp::Mul if plain => infix("*"),
        BinOp::Div if ty.is_float() => infix("/"),
        // The compiler sees the same in the template, but only after the tests for 0 and -1.
        BinOp::Div if power_of_two(b).is_some() => {
            narrowed(ty, format!("{} >> {}", operand(k, a), power_of_two(b).unwrap_or(0)))
        }
        BinOp::Add => call("add"),
        BinOp::Sub => call("sub"),
        BinOp::Mul => call("mul"),
        BinOp::Div => call("div"),
        BinOp::Rem => call("rem"),
        BinOp::Min | BinOp::And if ty == ScalarType::Bool => infix("&&"),
        BinOp::Max | BinOp::Or if ty == ScalarType::Bool => infix("||"),
        BinOp::Xor if ty == ScalarType::Bool => infix("!="),
        BinOp::Min => call("min"),
        BinOp::Max => (format!("terrace_max({}, {})", unknown(k, a), unknown(k, b)), true),
        BinOp::Pow | BinOp::Atan2 => {
            let suffix = if ty == ScalarType::F32 { "f" } else { "" };
            (format!("{}{suffix}({}, {})", op.word(), expr(k, a), expr(k, b)), true)
        }
        BinOp::And => narrowed(ty, infix("&").0),
        BinOp::Or => narrowed(ty, infix("|").0),
        BinOp::Xor => narrowed(ty, infix("^").0),
        BinOp::Shl => call("shl"),
        BinOp::Shr => call("shr"),
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
        ScalarType::Bool if from.is_float() => (format!("terrace_to_bool({})", expr(k, a)), true),
        ScalarType::Bool => (format!("{} != 0", operand(k, a)), false),
        to if to.is_int() && from.is_float() => (format!("terrace_to_int<{}>({})", variable(to), expr(k, a)), true),
        to => (format!("({}){}", variable(to), operand(k, a)), false),
    }
}

fn shuffle(k: &Kernel, kind: Shuffle, value: &Expr, by: &Expr) -> (String, bool) {
    let name = match kind {
        Shuffle::Up => "__shfl_up_sync",
        Shuffle::Down => "__shfl_down_sync",
        Shuffle::Lane => "__shfl_sync",
    };
    let lane = match by {
        Expr::Const(c) => c.as_i64().unwrap_or(0).to_string(),
        by => format!("(int){}", operand(k, by)),
    };
    let x = expr(k, value);
    match type_of(k, value) {
        ScalarType::Bool => (format!("{name}(0xffffffffu, (int)({x}), {lane}) != 0"), false),
        ty if ty.size_bytes() < 4 => (format!("({}){name}(0xffffffffu, (int)({x}), {lane})", variable(ty)), false),
        _ => (format!("{name}(0xffffffffu, {x}, {lane})"), true),
    }
}
