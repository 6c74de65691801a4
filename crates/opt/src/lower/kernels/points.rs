//! Spaces inside kernels: from positions to indices, and nested loops over a range of positions.
//!
//! The points of a space are numbered row by row. Going down is cheap: row `r` of the last dimension starts at `r * m`
//! (regular), at a closed form such as `r * (r + 1) / 2` (position-dependent), or at `off[r]` (irregular). Going up is a
//! division, or one binary search over those starts:
//!
//! ```text
//! space [n][off], tile of positions lo .. hi        r0 = search(off, lo); r1 = search(off, hi - 1)
//!                                                   for r in r0 ..= r1
//!                                                     for q in max(lo, off[r]) .. min(hi, off[r + 1])   i = r, j = q - off[r]
//! ```
//!
//! So a tile searches once for its first point and once for its last, and then runs plain nested loops. A closed form may
//! depend on the indices of all dimensions around it as long as those are themselves regular or closed; below an irregular
//! dimension it is refused.

use super::build::Builder;
use super::expr::{add, as_int, int, le, local, lt, max, min, mul, quot, sub};
use super::{Lowered, limit};
use terrace_algebra::{Size, sum};
use terrace_base::{Scalar, ScalarType};
use terrace_ir::flat::{Descriptor, Op};
use terrace_ir::kernel::Expr;
use terrace_ir::{Atom, size_var};

/// The length of dimension `d` as a size over the operator's indices, if it has a closed form.
fn closed_length(op: &Op, d: usize) -> Option<Size> {
    match &op.space[d] {
        Descriptor::Regular(a) => atom_size(a),
        Descriptor::Closed { around, length } => Some(length.substitute_all(&|s| {
            let k = around.iter().position(|v| size_var(*v) == s)?;
            Some(Size::var(size_var(op.indices[k])))
        })),
        _ => None,
    }
}

fn atom_size(a: &Atom) -> Option<Size> {
    match a {
        Atom::Const(Scalar::I64(n)) => Some(Size::constant(*n)),
        Atom::Const(c) => c.as_i64().map(Size::constant),
        Atom::Var(v) => Some(Size::var(size_var(*v))),
    }
}

/// The number of points of dimensions `from .. upto`, below the indices of the dimensions before `from`.
fn closed_below(op: &Op, from: usize, upto: usize) -> Option<Size> {
    let mut total = Size::one();
    for d in (from..upto).rev() {
        total = sum(size_var(op.indices[d]), &closed_length(op, d)?, &total);
    }
    Some(total)
}

/// The number of points of the first `upto` dimensions, if it has a closed form.
pub fn closed_count(op: &Op, upto: usize) -> Option<Size> {
    closed_below(op, 0, upto)
}

/// The position in dimension `d` at which the row with these indices starts, if it has a closed form over the indices.
fn closed_start(op: &Op, d: usize) -> Option<Size> {
    let mut total = Size::zero();
    for l in 0..d {
        let i = size_var(op.indices[l]);
        total = total + sum(i, &Size::var(i), &closed_below(op, l + 1, d + 1)?);
    }
    Some(total)
}

/// The true number of points of the first `upto` dimensions.
pub fn count(b: &mut Builder<'_>, op: &Op, upto: usize) -> Lowered<Expr> {
    if upto == 0 {
        return Ok(int(1));
    }
    if let Some(size) = closed_count(op, upto) {
        let e = b.size(&size)?;
        return Ok(b.let_("count", ScalarType::I64, e));
    }
    let e = match &op.space[upto - 1] {
        Descriptor::Regular(m) => {
            let above = count(b, op, upto - 1)?;
            let m = integer(b, m)?;
            mul(above, m)
        }
        Descriptor::Irregular { off, .. } => {
            let above = count(b, op, upto - 1)?;
            b.load(*off, above)?
        }
        Descriptor::PerAncestor { depth, base, .. } => {
            let ancestors = count(b, op, *depth)?;
            b.load(*base, ancestors)?
        }
        Descriptor::Closed { .. } => return Err(limit(b.span(), "a size function below an irregular dimension")),
    };
    Ok(b.let_("count", ScalarType::I64, e))
}

/// An `i64` operand.
pub fn integer(b: &mut Builder<'_>, a: &Atom) -> Lowered<Expr> {
    let e = b.atom(a)?;
    Ok(if b.atom_type(a) == ScalarType::I64 { e } else { super::expr::convert(ScalarType::I64, e) })
}

/// A point: its index in each dimension and its position up to each dimension.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The indices.
    pub indices: Vec<Expr>,
    /// The positions.
    pub positions: Vec<Expr>,
}

impl Point {
    /// Makes the operator's indices and positions stand for this point.
    pub fn define(&self, b: &mut Builder<'_>, op: &Op) {
        for (v, e) in op.indices.iter().zip(&self.indices).chain(op.positions.iter().zip(&self.positions)) {
            b.define(*v, e.clone());
        }
    }
}

/// Where the row below `parent` (a point of the first `d` dimensions) starts among the points of the first `d + 1`.
pub fn row_start(b: &mut Builder<'_>, op: &Op, d: usize, parent: &Point) -> Lowered<Expr> {
    if d == 0 {
        return Ok(int(0));
    }
    let p = parent.positions[d - 1].clone();
    let e = match &op.space[d] {
        Descriptor::Regular(m) => mul(p, integer(b, m)?),
        Descriptor::Irregular { off, .. } => b.load(*off, p)?,
        Descriptor::Closed { .. } => {
            let Some(size) = closed_start(op, d) else {
                return Err(limit(b.span(), "a size function below an irregular dimension"));
            };
            let with: Vec<_> = op.indices.iter().copied().zip(parent.indices.iter().cloned()).collect();
            b.size_with(&size, &with)?
        }
        Descriptor::PerAncestor { depth, lengths, base } => {
            let a = parent.positions[*depth - 1].clone();
            let first = first_below(b, op, *depth, d, parent)?;
            let (length, base) = (b.load(*lengths, a.clone())?, b.load(*base, a)?);
            add(base, mul(sub(p, first), length))
        }
    };
    Ok(b.let_("start", ScalarType::I64, e))
}

/// The position, among the points of the first `d` dimensions, of the first one below an ancestor of `depth` dimensions.
fn first_below(b: &mut Builder<'_>, op: &Op, depth: usize, d: usize, parent: &Point) -> Lowered<Expr> {
    let mut point = Point { indices: parent.indices[..depth].to_vec(), positions: parent.positions[..depth].to_vec() };
    for l in depth..d {
        let start = row_start(b, op, l, &point)?;
        point.indices.push(int(0));
        point.positions.push(start);
    }
    Ok(point.positions[d - 1].clone())
}

/// How long that row is.
pub fn row_length(b: &mut Builder<'_>, op: &Op, d: usize, parent: &Point) -> Lowered<Expr> {
    let e = match &op.space[d] {
        Descriptor::Regular(m) => integer(b, m)?,
        Descriptor::Irregular { off, .. } => {
            let p = parent.positions[d - 1].clone();
            let (from, to) = (b.load(*off, p.clone())?, b.load(*off, add(p, int(1)))?);
            sub(to, from)
        }
        Descriptor::Closed { .. } => {
            let Some(size) = closed_length(op, d) else { return Ok(int(0)) };
            let with: Vec<_> = op.indices.iter().copied().zip(parent.indices.iter().cloned()).collect();
            max(b.size_with(&size, &with)?, int(0))
        }
        Descriptor::PerAncestor { depth, lengths, .. } => {
            let a = parent.positions[*depth - 1].clone();
            b.load(*lengths, a)?
        }
    };
    Ok(b.let_("length", ScalarType::I64, e))
}

/// The largest `r` in `lo .. hi` with `start(r) <= x`; `lo` where there is none.
pub fn search<'h>(
    b: &mut Builder<'h>,
    lo: Expr,
    hi: Expr,
    x: Expr,
    start: impl FnOnce(&mut Builder<'h>, Expr) -> Lowered<Expr>,
) -> Lowered<Expr> {
    let low = b.var("lo", ScalarType::I64, lo);
    let high = b.var("hi", ScalarType::I64, hi);
    b.while_(lt(add(local(low), int(1)), local(high)), |b| {
        let middle = quot(add(local(low), local(high)), int(2));
        let middle = b.let_("mid", ScalarType::I64, middle);
        let at = start(b, middle.clone())?;
        b.if_(
            le(at, x),
            |b| {
                b.set(low, middle.clone());
                Ok(())
            },
            |b| {
                b.set(high, middle.clone());
                Ok(())
            },
        )
    })?;
    Ok(local(low))
}

/// The point at position `q` among the points of the first `upto` dimensions; `q` must be one of them.
pub fn locate(b: &mut Builder<'_>, op: &Op, upto: usize, q: Expr) -> Lowered<Point> {
    if upto == 0 {
        return Ok(Point::default());
    }
    let d = upto - 1;
    if d == 0 {
        return Ok(Point { indices: vec![q.clone()], positions: vec![q] });
    }
    let row = match &op.space[d] {
        Descriptor::Regular(m) => {
            let m = integer(b, m)?;
            let e = quot(q.clone(), m);
            b.let_("row", ScalarType::I64, e)
        }
        _ => {
            let rows = count(b, op, d)?;
            search(b, int(0), rows, q.clone(), |b, mid| start_at(b, op, d, mid))?
        }
    };
    let mut point = locate(b, op, d, row)?;
    let start = row_start(b, op, d, &point)?;
    let index = b.let_("i", ScalarType::I64, sub(q.clone(), start));
    point.indices.push(index);
    point.positions.push(q);
    Ok(point)
}

/// [`row_start`] of the row at a position, whose indices are found first where the start depends on them.
pub fn start_at(b: &mut Builder<'_>, op: &Op, d: usize, row: Expr) -> Lowered<Expr> {
    if d == 0 {
        return Ok(int(0));
    }
    let parent = match &op.space[d] {
        Descriptor::Closed { .. } | Descriptor::PerAncestor { .. } => locate(b, op, d, row)?,
        _ => Point { indices: Vec::new(), positions: vec![row; d] },
    };
    row_start(b, op, d, &parent)
}

/// Nested loops over the points of the first `upto` dimensions with positions `lo .. hi`. The operator's indices and
/// positions are defined inside.
pub fn for_points<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    upto: usize,
    lo: Expr,
    hi: Expr,
    f: impl FnOnce(&mut Builder<'h>, &Point) -> Lowered<()>,
) -> Lowered<()> {
    if upto <= 1 {
        return for_level(b, op, upto, Point::default(), Some((&[lo], &[hi])), f);
    }
    b.when(lt(lo.clone(), hi.clone()), |b| {
        let first = locate(b, op, upto, lo)?;
        let last = locate(b, op, upto, sub(hi, int(1)))?;
        let ends: Vec<Expr> = last.positions.into_iter().map(|e| add(e, int(1))).collect();
        for_level(b, op, upto, Point::default(), Some((&first.positions, &ends)), f)
    })
}

/// Nested loops over all points of the first `upto` dimensions.
pub fn for_all<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    upto: usize,
    f: impl FnOnce(&mut Builder<'h>, &Point) -> Lowered<()>,
) -> Lowered<()> {
    for_level(b, op, upto, Point::default(), None, f)
}

fn for_level<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    upto: usize,
    parent: Point,
    range: Option<(&[Expr], &[Expr])>,
    f: impl FnOnce(&mut Builder<'h>, &Point) -> Lowered<()>,
) -> Lowered<()> {
    let d = parent.positions.len();
    if d == upto {
        parent.define(b, op);
        return f(b, &parent);
    }
    let run = run_below(b, op, &parent, range)?;
    for_run(b, op, &run, |b, point| for_level(b, op, upto, point.clone(), range, f))
}

/// A loop over the points of a run. The operator's indices and positions are defined inside.
pub fn for_run<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    run: &Run,
    f: impl FnOnce(&mut Builder<'h>, &Point) -> Lowered<()>,
) -> Lowered<()> {
    let d = run.above.positions.len();
    let name = b.host.function.values[op.positions[d]].name.clone();
    b.for_(&name, run.from.clone(), run.to.clone(), int(1), false, |b, q| {
        let index = if as_int(&run.start) == Some(0) {
            q.clone()
        } else {
            let name = b.host.function.values[op.indices[d]].name.clone();
            b.let_(&name, ScalarType::I64, sub(q.clone(), run.start.clone()))
        };
        let point = run.point(index, q);
        point.define(b, op);
        f(b, &point)
    })
}

/// Neighbouring points: a part of one row, or of the only one.
pub struct Run {
    /// The point above the row.
    pub above: Point,
    /// The position of the row's first point.
    pub start: Expr,
    /// The position of the first point of the part.
    pub from: Expr,
    /// Behind the last one.
    pub to: Expr,
}

impl Run {
    /// The point at a position, whose index is known.
    pub fn point(&self, index: Expr, position: Expr) -> Point {
        let mut point = self.above.clone();
        point.indices.push(index);
        point.positions.push(position);
        point
    }
}

/// The points below `parent` that are in a range, if there is one.
pub fn run_below(b: &mut Builder<'_>, op: &Op, parent: &Point, range: Option<(&[Expr], &[Expr])>) -> Lowered<Run> {
    let d = parent.positions.len();
    let above = parent.clone();
    if d == 0 {
        let (from, to) = match range {
            Some((lo, hi)) => (lo[0].clone(), hi[0].clone()),
            None => (int(0), count(b, op, 1)?),
        };
        return Ok(Run { above, start: int(0), from, to });
    }
    let start = row_start(b, op, d, parent)?;
    let length = row_length(b, op, d, parent)?;
    let end = add(start.clone(), length);
    let (from, to) = match range {
        Some((lo, hi)) => {
            let from = b.let_("from", ScalarType::I64, max(lo[d].clone(), start.clone()));
            (from, b.let_("to", ScalarType::I64, min(hi[d].clone(), end)))
        }
        None => (start.clone(), end),
    };
    Ok(Run { above, start, from, to })
}

/// Nested loops over the rows that the points of the first `upto` dimensions with positions `lo .. hi` are in, without the loop over
/// the points themselves. The indices and positions above are defined inside.
pub fn for_runs<'h>(
    b: &mut Builder<'h>,
    op: &Op,
    upto: usize,
    lo: Expr,
    hi: Expr,
    f: impl FnOnce(&mut Builder<'h>, &Run) -> Lowered<()>,
) -> Lowered<()> {
    if upto <= 1 {
        return f(b, &Run { above: Point::default(), start: int(0), from: lo, to: hi });
    }
    b.when(lt(lo.clone(), hi.clone()), |b| {
        let first = locate(b, op, upto, lo)?;
        let last = locate(b, op, upto, sub(hi, int(1)))?;
        let ends: Vec<Expr> = last.positions.into_iter().map(|e| add(e, int(1))).collect();
        let range = Some((first.positions.as_slice(), ends.as_slice()));
        for_level(b, op, upto - 1, Point::default(), range, |b, above| {
            let run = run_below(b, op, above, range)?;
            f(b, &run)
        })
    })
}
