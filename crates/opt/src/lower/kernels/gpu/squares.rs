//! Maps over two regular dimensions: a rectangle of points per block, so that no thread divides to find its row.
//!
//! ```text
//! block of 256 threads, 4 items:      32 points across, 8 * 4 down
//! thread (x, y) of the block:         column  x              rows  4 * y, 4 * y + 1, 4 * y + 2, 4 * y + 3
//! ```
//!
//! Neighbouring threads have neighbouring columns. A rectangle is square enough that what neighbours read in other rows is in the cache: a
//! transposed operand is read by lines after all. The rows of a thread are below each other, so that windows of a stencil overlap, and the compiler
//! of the device loads what they share once. Where rows have fewer points than a rectangle is wide, the rectangle is narrower and longer, and where there are fewer rows
//! than it is high, wider and lower: the host says by which power of two.
//!
//! As in [`super::items`], bodies without control flow are computed for all items of a thread together, and checks that fail are found again by
//! a second walk. A rectangle that is not whole goes point by point.
//!
//! Declined: bodies that need only the position, sizes that the host does not know, short rows of known length.

use super::super::Lowered;
use super::super::body::may_fail;
use super::super::build::Builder;
use super::super::expr::{add, and, binary, convert, int, le, local, lt, max, mul, not, sub, truth};
use super::super::host::Host;
use super::super::host_expr::{hadd, hdiv, hint, hmul};
use super::super::points::Point;
use super::super::reduce::Reduction;
use super::items::{self, masked};
use super::map::store_scalars;
use super::tiles::needs_indices;
use terrace_algebra::Size;
use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::flat::{Body, Descriptor, Expr as FlatExpr, Op};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, ValueId, size_var};
use terrace_plan::host::HostExpr;

/// Points across, at most, where there are rows enough.
const WIDTH: usize = 32;

/// Rows that are known to be shorter are not cut in rectangles.
const SHORT_ROW: i64 = 16;

/// Rows of a thread: of bodies without control flow, and of such with windows.
const LIGHT_ROWS: usize = 8;
const WINDOW_ROWS: usize = 4;

/// What a body is like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Scalars and checks.
    Straight,
    /// Scalars and reductions that are written out, without checks.
    Windows,
    Other,
}

/// Launches it; false where rectangles are not for it.
pub(super) fn lower(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<bool> {
    let [Descriptor::Regular(rows), Descriptor::Regular(columns)] = op.space.as_slice() else { return Ok(false) };
    if !needs_indices(&Builder::new(host, "", 1, span), op) || columns.constant().is_some_and(is_short) {
        return Ok(false);
    }
    let sizes = [size_of(rows), size_of(columns)].map(|s| host.bounded(&s));
    let [Some(rows_on_host), Some(columns_on_host)] = sizes else { return Ok(false) };
    let (n, m) = (host.size_on_host(&rows_on_host, span)?, host.size_on_host(&columns_on_host, span)?);
    let kind = kind_of(&Builder::new(host, "", 1, span), &op.body);
    let wanted = match kind {
        Kind::Straight => items::per_thread(&op.body).min(LIGHT_ROWS),
        Kind::Windows => WINDOW_ROWS,
        Kind::Other => 1,
    };
    let shape = Shape {
        block: host.tiles.gpu_block as i64,
        widest: (host.tiles.gpu_block / 4).clamp(1, WIDTH).ilog2(),
        items: wanted.min(host.tiles.gpu_items).max(1) as i64,
    };
    let log = host.computed("log_of_width", shape.log_of_width(&n, &m));
    let width = host.computed("width", shape.width(&log));
    let high = hdiv(hint(shape.block * shape.items), width.clone());
    let across = hdiv(hadd(m, hadd(width.clone(), hint(-1))), width);
    let down = hdiv(hadd(n, hadd(high.clone(), hint(-1))), high);
    let name = host.kernel_name("map", binds);
    let mut b = Builder::new(host, &name, shape.block as u32, span);
    let log = b.scalar("log_of_width", ScalarType::I64, log);
    let counts = [b.atom(rows)?, b.atom(columns)?];
    rectangle(&mut b, op, binds, &shape, kind, Expr::Param(log), &counts)?;
    let finished = b.finish();
    host.launch(finished, vec![hmul(across, down)]);
    Ok(true)
}

fn size_of(a: &Atom) -> Size {
    match a {
        Atom::Const(c) => Size::constant(c.as_i64().unwrap_or(0)),
        Atom::Var(v) => Size::var(size_var(*v)),
    }
}

fn is_short(c: Scalar) -> bool {
    c.as_i64().is_some_and(|n| n < SHORT_ROW)
}

fn kind_of(b: &Builder<'_>, body: &Body) -> Kind {
    if items::is_straight(body) {
        return Kind::Straight;
    }
    let window = |e: &FlatExpr| match e {
        FlatExpr::Op(op) => {
            let [Descriptor::Regular(Atom::Const(n))] = op.space.as_slice() else { return false };
            let length = int(n.as_i64().unwrap_or(0));
            Reduction::of(op, None, false).is_some_and(|r| r.few_points(b, &length).is_some())
        }
        e => super::super::body::is_scalar(e),
    };
    let windows = !may_fail(body) && body.stmts.iter().all(|s| window(&s.expr));
    if windows { Kind::Windows } else { Kind::Other }
}

/// How a block is divided.
struct Shape {
    block: i64,
    /// The greatest logarithm of the width.
    widest: u32,
    /// Rows of a thread.
    items: i64,
}

impl Shape {
    /// The logarithm of the width for so many rows of so many points: not more than there are, and at most `widest` unless rows are few.
    fn log_of_width(&self, rows: &HostExpr, points: &HostExpr) -> HostExpr {
        let test = |op, a: &HostExpr, b: i64| {
            let holds = HostExpr::Binary(op, Box::new(a.clone()), Box::new(hint(b)));
            HostExpr::Convert(ScalarType::I64, Box::new(holds))
        };
        (1..=self.block.ilog2()).fold(hint(0), |sum, k| {
            let wide = test(BinOp::Ge, points, 1 << k);
            let high = (self.block * self.items) >> k;
            hadd(sum, if k <= self.widest { wide } else { hmul(wide, test(BinOp::Le, rows, high)) })
        })
    }

    fn width(&self, log: &HostExpr) -> HostExpr {
        HostExpr::Binary(BinOp::Shl, Box::new(hint(1)), Box::new(log.clone()))
    }
}

fn narrow(e: Expr) -> Expr {
    convert(ScalarType::I32, e)
}

fn wide(e: Expr) -> Expr {
    convert(ScalarType::I64, e)
}

fn rectangle(
    b: &mut Builder<'_>,
    op: &Op,
    binds: &[ValueId],
    shape: &Shape,
    kind: Kind,
    log: Expr,
    [n, m]: &[Expr; 2],
) -> Lowered<()> {
    let i32s = |b: &mut Builder<'_>, name: &str, e: Expr| b.let_(name, ScalarType::I32, e);
    let i64s = |b: &mut Builder<'_>, name: &str, e: Expr| b.let_(name, ScalarType::I64, e);
    let u32s = |e: Expr| convert(ScalarType::U32, e);
    let width = i64s(b, "width", binary(BinOp::Shl, int(1), log.clone()));
    let across = binary(BinOp::Shr, add(m.clone(), sub(width.clone(), int(1))), log.clone());
    // There are fewer tiles than 2^31, and so are those of a row.
    let across = b.let_("across", ScalarType::U32, max(u32s(across), u32s(int(1))));
    let tile = b.let_("tile", ScalarType::U32, u32s(Expr::Tile));
    let down = b.let_("down", ScalarType::U32, binary(BinOp::Div, tile.clone(), across.clone()));
    let right = b.let_("right", ScalarType::U32, binary(BinOp::Rem, tile, across));
    let small = i32s(b, "log", narrow(log));
    let thread = i32s(b, "thread", narrow(Expr::Thread));
    let y = i32s(b, "y", binary(BinOp::Shr, thread.clone(), small.clone()));
    let x = binary(BinOp::And, thread, binary(BinOp::Sub, narrow(width), Expr::Const(Scalar::I32(1))));
    let high = binary(BinOp::Shr, Expr::Const(Scalar::I32((shape.block * shape.items) as i32)), small.clone());
    let high = i32s(b, "high", high);
    let first = i64s(b, "first_row", mul(wide(down), wide(high.clone())));
    let row = i64s(b, "row", add(first.clone(), mul(wide(y), int(shape.items))));
    let column = i64s(b, "column", add(binary(BinOp::Shl, wide(right.clone()), wide(small.clone())), wide(x)));
    let define = |b: &mut Builder<'_>, i: Expr, j: Expr| {
        let q = b.let_("q", ScalarType::I64, add(mul(i.clone(), m.clone()), j.clone()));
        b.set_index(q.clone());
        Point { indices: vec![i.clone(), j], positions: vec![i, q.clone()] }.define(b, op);
        q
    };
    let exists = |i: &Expr| and(lt(i.clone(), n.clone()), lt(column.clone(), m.clone()));
    let one_by_one = |b: &mut Builder<'_>, stores: bool| {
        b.for_("item", int(0), int(shape.items), int(1), false, |b, item| {
            let i = b.let_("i", ScalarType::I64, add(row.clone(), item));
            b.when(exists(&i), |b| {
                let q = define(b, i, column.clone());
                b.body(&op.body, |b, results| if stores { store_scalars(b, op, binds, q, results) } else { Ok(()) })
            })
        })
    };
    b.when(lt(first.clone(), n.clone()), |b| {
        if kind == Kind::Other {
            return one_by_one(b, true);
        }
        let last_column = binary(BinOp::Shl, add(wide(right), int(1)), wide(small));
        let whole = and(le(add(first, wide(high)), n.clone()), le(last_column, m.clone()));
        let together = |b: &mut Builder<'_>| {
            let fine = may_fail(&op.body).then(|| b.var("fine", ScalarType::Bool, truth(true)));
            b.for_("item", int(0), int(shape.items), int(1), true, |b, item| {
                let i = b.let_("i", ScalarType::I64, add(row.clone(), item));
                let q = define(b, i, column.clone());
                let (ok, results) = match kind {
                    Kind::Straight => masked(b, &op.body, &[], None)?,
                    _ => (truth(true), b.body_values(&op.body, &[])?),
                };
                let Some(fine) = fine else { return store_scalars(b, op, binds, q, results) };
                b.set(fine, and(local(fine), ok.clone()));
                b.when(ok, |b| store_scalars(b, op, binds, q, results))
            })?;
            match fine {
                Some(fine) => b.when(not(local(fine)), |b| one_by_one(b, false)),
                None => Ok(()),
            }
        };
        b.if_(whole, together, |b| one_by_one(b, true))
    })
}
