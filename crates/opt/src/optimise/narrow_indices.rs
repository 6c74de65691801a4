//! On a GPU, kernels get twins whose indices have 32 bits.
//!
//! Indices are `i64` by the rule of the language. A GPU computes in 32 bits: a 64-bit product, comparison or minimum is several instructions, a
//! quotient is a hundred. So every kernel in which something can be won gets a twin, the same statements with smaller numbers, and the executor
//! takes it where the arguments of the launch are small enough:
//!
//! ```text
//! let q : i64 = tile * 256 + thread                  let q : i32 = i32(tile) * 256i32 + i32(thread)
//! if q < n {                                 ─▶      if q < i32(n) {
//!   let row : i64 = quotient(q, m)                     let row : i32 = quotient(q, i32(m))
//!   out[q] = xs[off[row] + q]                          out[i64(q)] = xs[off[i64(row)] + i64(q)]
//! ```
//!
//! A variable or an operation becomes small if an interval holds it that is small at typical sizes ([`crate::analysis::index_ranges`]); that it is
//! small at the sizes of the launch becomes a condition of the twin. Nothing of what is narrowed wraps, so the printers write plain `+` and
//! the compilers may fold constants into addresses. Where a 64-bit number is needed, the small one is widened.
//!
//! Left wide: what is loaded from memory (only the program knows how large it is), all that is computed from it, hashes and other products that
//! do not fit at typical sizes, unsigned numbers and arrays. Kernels of one thread have no twin, nor have those that run on a CPU.
//!
//! `docs/decisions/0053-small-twins.md` tells why there are two kernels and when each is compiled.

use crate::analysis::index_ranges::IndexRanges;
use crate::lower::kernels::tidy::own_exprs_mut;
use std::collections::BTreeSet;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::kernel::{Expr, Kernel, LocalId, Program, Stmt};
use terrace_plan::ranges::{Ranges, Small};

const I32: ScalarType = ScalarType::I32;
const I64: ScalarType = ScalarType::I64;

/// Gives every kernel that gains by it a twin.
pub fn narrow_indices(program: &mut Program) {
    let mut names: BTreeSet<String> = program.kernels.iter().map(|k| k.name.clone()).collect();
    for at in 0..program.kernels.len() {
        let Some((mut twin, ranges)) = narrowed(&program.kernels[at]) else { continue };
        while !names.insert(twin.name.clone()) {
            twin.name.push('x');
        }
        program.kernels[at].small = Some(Small { kernel: program.kernels.len(), ranges });
        program.kernels.push(twin);
    }
}

/// A kernel with small indices, and when it may run; none where nothing is gained.
pub fn narrowed(kernel: &Kernel) -> Option<(Kernel, Ranges)> {
    if kernel.block == 1 {
        return None;
    }
    let mut ranges = IndexRanges::of(kernel);
    let (mut narrow, mut small) = (BTreeSet::new(), BTreeSet::new());
    for (local, _) in kernel.locals.enumerate().filter(|(_, info)| info.ty == I64) {
        if let Some(step) = ranges.small_local(local) {
            narrow.insert(local);
            small.insert(step);
        }
    }
    let mut twin = kernel.clone();
    twin.name.push_str("__small");
    for local in &narrow {
        twin.locals[*local].ty = I32;
    }
    let mut rewriter = Rewriter { kernel, ranges, narrow, small, gained: 0 };
    for phase in &mut twin.phases {
        rewriter.stmts(phase);
    }
    let Rewriter { ranges, small, gained, .. } = rewriter;
    (gained > 0).then(|| (twin, ranges.conditions(&small)))
}

struct Rewriter<'k> {
    kernel: &'k Kernel,
    ranges: IndexRanges<'k>,
    narrow: BTreeSet<LocalId>,
    small: BTreeSet<usize>,
    /// How many operations became cheaper.
    gained: usize,
}

fn convert(to: ScalarType, e: Expr) -> Expr {
    Expr::Convert(to, Box::new(e))
}

impl Rewriter<'_> {
    fn stmts(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(l, e) | Stmt::Assign(l, e) if self.narrow.contains(l) => *e = self.narrow(e),
                Stmt::For { var, from, to, step, .. } if self.narrow.contains(var) => {
                    for e in [from, to, step] {
                        *e = self.narrow(e);
                    }
                    self.gained += 1;
                }
                _ => own_exprs_mut(stmt).into_iter().for_each(|e| *e = self.value(e)),
            }
            stmt.bodies_mut().into_iter().for_each(|body| self.stmts(body));
        }
    }

    fn fits(&mut self, e: &Expr) -> bool {
        self.ranges.may_be_small(e).is_some()
    }

    fn both_fit(&mut self, a: &Expr, b: &Expr) -> bool {
        self.fits(a) && self.fits(b)
    }

    /// The same value in 32 bits; the expression is one that fits.
    fn narrow(&mut self, e: &Expr) -> Expr {
        if let Some(step) = self.ranges.may_be_small(e) {
            self.small.insert(step);
        }
        match e {
            Expr::Const(c) => Expr::Const(Scalar::from_i64(I32, c.as_i64().unwrap_or(0))),
            Expr::Local(l) if self.narrow.contains(l) => e.clone(),
            Expr::Convert(_, x) if self.kernel.type_of(x) == I32 => self.value(x),
            Expr::Convert(_, x) if self.kernel.type_of(x).size_bytes() <= 4 && !self.kernel.type_of(x).is_float() => {
                convert(I32, self.value(x))
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) if self.both_fit(a, b) => {
                self.gained += 1;
                Expr::Exact(*op, Box::new(self.narrow(a)), Box::new(self.narrow(b)))
            }
            Expr::Binary(op @ (BinOp::Shl | BinOp::Shr), a, by) if self.both_fit(a, by) => {
                let amount = self.ranges.range(by);
                self.ranges.shift_is_short(amount);
                self.gained += 1;
                Expr::Binary(*op, Box::new(self.narrow(a)), Box::new(self.narrow(by)))
            }
            Expr::Binary(op, a, b) if self.both_fit(a, b) => {
                self.gained += 1;
                Expr::Binary(*op, Box::new(self.narrow(a)), Box::new(self.narrow(b)))
            }
            Expr::Quotient(a, b) if self.both_fit(a, b) => {
                self.gained += 1;
                Expr::Quotient(Box::new(self.narrow(a)), Box::new(self.narrow(b)))
            }
            Expr::Unary(op @ (UnOp::Neg | UnOp::Not | UnOp::Abs), x) if self.fits(x) => {
                Expr::Unary(*op, Box::new(self.narrow(x)))
            }
            Expr::Select(c, x, y) if self.both_fit(x, y) => {
                Expr::Select(Box::new(self.value(c)), Box::new(self.narrow(x)), Box::new(self.narrow(y)))
            }
            Expr::Shuffle(from, x, lane) if self.fits(x) => {
                self.gained += 1;
                Expr::Shuffle(*from, Box::new(self.narrow(x)), Box::new(self.lane(lane)))
            }
            e => convert(I32, self.parts(e)),
        }
    }

    /// The same value in the same type.
    fn value(&mut self, e: &Expr) -> Expr {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile | Expr::Thread | Expr::Failed => e.clone(),
            Expr::Load(..) | Expr::LoadFresh(..) | Expr::Element(..) | Expr::Convert(..) => self.parts(e),
            Expr::Local(l) if !self.narrow.contains(l) => e.clone(),
            e if self.fits(e) => convert(I64, self.narrow(e)),
            Expr::Binary(op, a, b) if op.is_comparison() && self.both_fit(a, b) => {
                self.gained += 1;
                Expr::Binary(*op, Box::new(self.narrow(a)), Box::new(self.narrow(b)))
            }
            e => self.parts(e),
        }
    }

    fn lane(&mut self, lane: &Expr) -> Expr {
        if self.fits(lane) { self.narrow(lane) } else { self.value(lane) }
    }

    /// The same operation on operands that may have become small on their way.
    fn parts(&mut self, e: &Expr) -> Expr {
        // Narrower integers take the low bits, floats the value: both are in the small number.
        if let Expr::Convert(to, x) = e
            && !matches!(*to, I64 | ScalarType::U64)
            && self.fits(x)
        {
            self.gained += usize::from(to.is_float());
            let x = self.narrow(x);
            return if *to == I32 { x } else { convert(*to, x) };
        }
        let mut of = |x: &Expr| Box::new(self.value(x));
        match e {
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Tile | Expr::Thread | Expr::Failed => e.clone(),
            Expr::Unary(op, x) => Expr::Unary(*op, of(x)),
            Expr::Binary(op, a, b) => Expr::Binary(*op, of(a), of(b)),
            Expr::Quotient(a, b) => Expr::Quotient(of(a), of(b)),
            Expr::Exact(op, a, b) => Expr::Exact(*op, of(a), of(b)),
            Expr::Fma(a, b, c) => Expr::Fma(of(a), of(b), of(c)),
            Expr::Convert(to, x) => Expr::Convert(*to, of(x)),
            Expr::Ordinal(x) => Expr::Ordinal(of(x)),
            Expr::Select(c, x, y) => Expr::Select(of(c), of(x), of(y)),
            Expr::Load(p, at) => Expr::Load(*p, of(at)),
            Expr::LoadFresh(p, at) => Expr::LoadFresh(*p, of(at)),
            Expr::Element(a, at) => Expr::Element(*a, of(at)),
            Expr::Shuffle(from, x, lane) => {
                let x = of(x);
                Expr::Shuffle(*from, x, Box::new(self.lane(lane)))
            }
        }
    }
}
