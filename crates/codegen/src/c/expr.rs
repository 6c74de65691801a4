//! Expressions as C.
//!
//! ```text
//! Binary(Add, Local(q), Const(1))     add_i64(q_3, 1)           wraps, as plain `+` on signed integers may not
//! Binary(Lt, Local(q), Param(n))      q_3 < n_p0
//! Binary(Div, x, 2)                   x_1 >> 1                  rounds towards minus infinity
//! And(0 <= k, k < n)                  within(k_4, n_p0)         one comparison
//! Load(xs, Local(q))                  xs_p1[q_3]
//! Load(copies, base + k)              copies_p0_at_base_2[k_4]  where the base is the tile's own
//! Unary(Exp, x)                       exp_f64(x_1)              the interpreter's, and no call; so for log, sin, cos, cosh
//! ```
//!
//! Floats, comparisons and unsigned 32- and 64-bit integers are plain C. The helpers are in the preamble.

use super::types::{constant, variable};
use crate::shared::constants::power_of_two;
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, LocalId, ParamId, ParamKind, Stmt};

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
        Expr::Tile => tight("tile".into()),
        Expr::Thread => tight("0".into()),
        Expr::Failed => tight("failed".into()),
        Expr::Unary(op, a) => unary(k, *op, a),
        Expr::Binary(op, a, b) => binary(k, *op, a, b),
        Expr::Quotient(a, b) => loose(format!("{} / {}", operand(k, a), operand(k, b))),
        Expr::Exact(op, a, b) => binary(k, *op, a, b),
        Expr::Fma(a, b, c) => {
            let (x, y, z) = (expr(k, a), expr(k, b), expr(k, c));
            tight(match type_of(k, a) {
                ScalarType::F32 => format!("fmaf({x}, {y}, {z})"),
                ScalarType::F64 => format!("fma({x}, {y}, {z})"),
                ty => format!("add_{ty}(mul_{ty}({x}, {y}), {z})"),
            })
        }
        Expr::Convert(to, a) => convert(k, *to, a),
        Expr::Ordinal(a) => tight(format!("ordinal_{}({})", type_of(k, a), expr(k, a))),
        Expr::Select(c, a, b) => loose(format!("{} ? {} : {}", operand(k, c), operand(k, a), operand(k, b))),
        Expr::Load(p, at) | Expr::LoadFresh(p, at) => loaded(held(k.params[*p].kind), place(k, *p, at)),
        Expr::Element(a, at) => loaded(k.arrays[*a].elem, format!("{}[{}]", names::array(k, *a), expr(k, at))),
        // There is one lane.
        Expr::Shuffle(_, value, _) => printed(k, value),
    }
}

/// An element of a buffer. What a phase computes before its loops is where the tile's own part of a scratch buffer begins; that place has
/// a pointer of its own ([`own_part`]).
pub fn place(k: &Kernel, p: ParamId, at: &Expr) -> String {
    let name = names::param(k, p);
    if let Expr::Binary(BinOp::Add, base, more) = at
        && let Expr::Local(v) = **base
        && let Some(part) = own_part(k, p, v)
    {
        return format!("{part}[{}]", expr(k, more));
    }
    format!("{name}[{}]", expr(k, at))
}

/// The name of the pointer to the tile's own part of a scratch buffer, where it has one.
pub fn own_part(k: &Kernel, p: ParamId, base: LocalId) -> Option<String> {
    let is_scratch = matches!(k.params[p].kind, ParamKind::Scratch(_));
    let is_first = || k.phases.iter().flatten().any(|s| matches!(s, Stmt::Let(v, _) if *v == base));
    (is_scratch && is_first()).then(|| format!("{}_at_{}", names::param(k, p), names::local(k, base)))
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
        UnOp::Neg => (format!("neg_{ty}({})", expr(k, a)), true),
        UnOp::Not if ty == ScalarType::Bool => (format!("!{}", operand(k, a)), true),
        UnOp::Not => narrowed(ty, format!("~{}", operand(k, a))),
        UnOp::Abs if ty.is_float() => function("fabs"),
        UnOp::Abs if ty.is_signed() => (format!("abs_{ty}({})", expr(k, a)), true),
        UnOp::Abs => printed(k, a),
        UnOp::Exp | UnOp::Log | UnOp::Sin | UnOp::Cos | UnOp::Cosh => {
            (format!("{}_{ty}({})", op.word(), expr(k, a)), true)
        }
        // The words are the names of the C library.
        _ => function(op.word()),
    }
}

fn binary(k: &Kernel, op: BinOp, a: &Expr, b: &Expr) -> (String, bool) {
    let ty = type_of(k, a);
    let infix = |sign: &str| (format!("{} {sign} {}", operand(k, a), operand(k, b)), false);
    let call = |name: &str| (format!("{name}_{ty}({}, {})", expr(k, a), expr(k, b)), true);
    if let Some(text) = range(k, op, a, b) {
        return (text, true);
    }
    let plain = ty.is_float() || matches!(ty, ScalarType::U32 | ScalarType::U64);
    match op {
        BinOp::Add if plain => infix("+"),
        BinOp::Sub if plain => infix("-"),
        BinOp::Mul if plain => infix("*"),
        BinOp::Div if ty.is_float() => infix("/"),
        BinOp::Div => match power_of_two(b) {
            Some(bits) => narrowed(ty, format!("{} >> {bits}", operand(k, a))),
            None => call("div"),
        },
        BinOp::Rem if !ty.is_float() && power_of_two(b).is_some() => {
            let mask = Expr::Binary(BinOp::Sub, Box::new(b.clone()), Box::new(Expr::Const(Scalar::one(ty))));
            narrowed(ty, format!("{} & {}", operand(k, a), operand(k, &folded(mask))))
        }
        BinOp::Add => call("add"),
        BinOp::Sub => call("sub"),
        BinOp::Mul => call("mul"),
        BinOp::Rem => call("rem"),
        BinOp::Min | BinOp::And if ty == ScalarType::Bool => infix("&&"),
        BinOp::Max | BinOp::Or if ty == ScalarType::Bool => infix("||"),
        BinOp::Xor if ty == ScalarType::Bool => infix("!="),
        BinOp::Min => call("min"),
        BinOp::Max => call("max"),
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

/// `0 <= x && x < y` in one comparison.
fn range(k: &Kernel, op: BinOp, a: &Expr, b: &Expr) -> Option<String> {
    let (Expr::Binary(BinOp::Le, zero, x), Expr::Binary(BinOp::Lt, again, y)) = (a, b) else { return None };
    let fits = op == BinOp::And && **zero == Expr::Const(Scalar::I64(0)) && x == again;
    fits.then(|| format!("within({}, {})", expr(k, x), expr(k, y)))
}

fn folded(e: Expr) -> Expr {
    match &e {
        Expr::Binary(op, a, b) => match (&**a, &**b) {
            (Expr::Const(x), Expr::Const(y)) => op.try_apply(*x, *y).map_or(e, Expr::Const),
            _ => e,
        },
        _ => e,
    }
}

fn convert(k: &Kernel, to: ScalarType, a: &Expr) -> (String, bool) {
    let from = type_of(k, a);
    match to {
        _ if to == from => printed(k, a),
        ScalarType::Bool if from.is_float() => (format!("bool_of_f64({})", expr(k, a)), true),
        ScalarType::Bool => (format!("{} != 0", operand(k, a)), false),
        to if to.is_int() && from.is_float() => (format!("{to}_of_f64({})", expr(k, a)), true),
        to => (format!("({}){}", variable(to), operand(k, a)), false),
    }
}
