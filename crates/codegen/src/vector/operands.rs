//! What lanes of reductions are made of is loaded into registers, and once where several share it.
//!
//! Sixteen sums of products of four rows and four columns need eight loads per group of elements. The C compiler takes the rows and columns
//! from memory again for each product, because it thinks that an operand in memory costs nothing; then loads are what the loop waits for. So
//! the groups are written as vectors, and every operand is said to be in a register:
//!
//! ```text
//! for l { q = c + l; lane0_x[l] = a[i + q] * b[j + q]; … }      const l = 0; q = c + l; s0 = a[i + q ..]; s1 = b[j + q ..]; …
//! lane0_v = lane0_v + lane0_x; …                                lane0_v = lane0_v + s0 * s1; …
//! ```
//!
//! A sum of elements that lie anywhere, `values[q] * v[columns[q]]`, is written so too, however few there are: loads one by one, or the processor's
//! instruction for it where that is faster, which the C compiler does not know (the preamble's `GATHERED`).
//!
//! ```text
//! s0 = values[q ..]; s1 = gathered v, columns[q ..], { v[columns[0 + q]], v[columns[1 + q]], … }; lane0_v = lane0_v + s0 * s1
//! ```
//!
//! The operations are the same on the same elements. Declined: fewer reductions than share enough; whatever is not arithmetic on floats.

use super::registers::{Register, added};
use crate::c::expr::{operand, place};
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use std::collections::BTreeMap;
use terrace_base::{BinOp, Scalar, ScalarType, UnOp};
use terrace_ir::kernel::{ArrayId, Expr, Kernel, LocalId, ParamKind, Stmt};

/// Fewer reductions in one loop are left as they are.
const SEVERAL: usize = 4;

/// A vector of elements.
#[derive(Clone, PartialEq)]
pub enum Operand {
    /// Side by side in memory: the place of the first one.
    Run(String),
    /// Anywhere: the place of each, and where their indices are, if these lie side by side.
    Gathered(Vec<String>, Option<Indices>),
}

/// Indices side by side in memory.
#[derive(Clone, PartialEq)]
pub struct Indices {
    /// What they are positions in.
    pub base: String,
    /// Where the first one is.
    pub first: String,
    /// Their type.
    pub elem: ScalarType,
}

/// A loop over lanes as vector code.
pub struct Shared {
    /// What is loaded, under which name.
    pub operands: Vec<(String, Operand)>,
    /// What is added, or multiplied, to which lanes.
    pub sums: Vec<(ArrayId, BinOp, String)>,
}

impl Shared {
    /// The body of a loop over lanes, all of which are values of vector types.
    pub fn of(k: &Kernel, lane: LocalId, body: &[Stmt], vectors: &[Register]) -> Option<Shared> {
        let mut reader = Reader {
            k,
            slopes: BTreeMap::from([(lane, 1)]),
            named: BTreeMap::new(),
            lanes: 0,
            shared: Shared { operands: Vec::new(), sums: Vec::new() },
        };
        for stmt in body {
            if let Stmt::Let(v, e) = stmt {
                match reader.slope(e).filter(|_| k.locals[*v].ty == ScalarType::I64) {
                    Some(slope) => reader.slopes.insert(*v, slope).map_or((), |_| ()),
                    None => reader.named.insert(*v, e).map_or((), |_| ()),
                }
                continue;
            }
            let is_sum = |a: &ArrayId, op: &BinOp| {
                matches!(op, BinOp::Add | BinOp::Mul)
                    && k.arrays[*a].elem.is_float()
                    && vectors.iter().any(|r| r.array == *a)
            };
            let (array, op, value) = added(stmt, lane).filter(|(a, op, _)| is_sum(a, op))?;
            let elem = k.arrays[array].elem;
            if reader.shared.sums.first().is_some_and(|(first, ..)| k.arrays[*first].elem != elem) {
                return None;
            }
            reader.lanes = k.arrays[array].count as i64;
            let value = reader.value(value, elem)?;
            reader.shared.sums.push((array, op, value));
        }
        let gathers = reader.shared.operands.iter().any(|(_, o)| matches!(o, Operand::Gathered(..)));
        (gathers || reader.shared.is_crowded()).then_some(reader.shared)
    }

    /// Whether operands are used often enough that they must be in registers.
    pub fn is_crowded(&self) -> bool {
        self.sums.len() >= SEVERAL
    }
}

struct Reader<'k> {
    k: &'k Kernel,
    /// What stands for a variable that does not grow evenly.
    named: BTreeMap<LocalId, &'k Expr>,
    lanes: i64,
    /// By how much variables grow from one lane to the next; others do not.
    slopes: BTreeMap<LocalId, i64>,
    shared: Shared,
}

impl Reader<'_> {
    /// By how much an index grows from one lane to the next, where it is the same everywhere.
    fn slope(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile => Some(0),
            Expr::Local(v) if self.named.contains_key(v) => None,
            Expr::Local(v) => Some(self.slopes.get(v).copied().unwrap_or(0)),
            Expr::Binary(BinOp::Add, a, b) => Some(self.slope(a)? + self.slope(b)?),
            Expr::Binary(BinOp::Sub, a, b) => Some(self.slope(a)? - self.slope(b)?),
            Expr::Binary(_, a, b) | Expr::Quotient(a, b) => {
                (self.slope(a) == Some(0) && self.slope(b) == Some(0)).then_some(0)
            }
            Expr::Load(_, a) => self.slope(a).filter(|s| *s == 0),
            _ => None,
        }
    }

    /// An index as a later lane has it, where it can be computed without more than integers and elements.
    fn of_lane(&self, e: &Expr, lane: i64) -> Option<Expr> {
        let of = |e: &Expr| self.of_lane(e, lane).map(Box::new);
        Some(match e {
            Expr::Const(_) | Expr::Param(_) | Expr::Tile => e.clone(),
            Expr::Local(v) => match (self.named.get(v), self.slopes.get(v)) {
                (Some(named), _) => self.of_lane(named, lane)?,
                (None, None | Some(0)) => e.clone(),
                // The constant first: a variable plus something may have a name of its own.
                (None, Some(slope)) => {
                    let behind = Expr::Const(Scalar::I64(slope * lane));
                    Expr::Binary(BinOp::Add, Box::new(behind), Box::new(e.clone()))
                }
            },
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) => Expr::Binary(*op, of(a)?, of(b)?),
            Expr::Convert(to, a) => Expr::Convert(*to, of(a)?),
            Expr::Load(p, a) if matches!(self.k.params[*p].kind, ParamKind::Input(_)) => Expr::Load(*p, of(a)?),
            _ => return None,
        })
    }

    /// Where the elements lie that an index is, lane by lane, if they lie side by side.
    fn indices(&self, at: &Expr) -> Option<(String, ScalarType)> {
        match at {
            Expr::Local(v) => self.indices(self.named.get(v)?),
            Expr::Convert(ScalarType::I64, index) => self.indices(index),
            Expr::Load(p, from) if self.slope(from) == Some(1) => match self.k.params[*p].kind {
                ParamKind::Input(elem @ (ScalarType::I32 | ScalarType::I64)) => Some((place(self.k, *p, from), elem)),
                _ => None,
            },
            _ => None,
        }
    }

    fn operand(&mut self, operand: Operand) -> String {
        let operands = &mut self.shared.operands;
        if let Some((name, _)) = operands.iter().find(|(_, other)| *other == operand) {
            return name.clone();
        }
        let name = format!("shared_{}", operands.len());
        operands.push((name.clone(), operand));
        name
    }

    /// The text of a value of all lanes.
    fn value(&mut self, e: &Expr, ty: ScalarType) -> Option<String> {
        match e {
            Expr::Local(v) if self.named.contains_key(v) => {
                let named = self.named[v];
                self.value(named, ty)
            }
            Expr::Load(p, at) if self.slope(at) != Some(0) => {
                if !matches!(self.k.params[*p].kind, ParamKind::Input(_)) || held(self.k.params[*p].kind) != ty {
                    return None;
                }
                if self.slope(at) == Some(1) {
                    return Some(self.operand(Operand::Run(place(self.k, *p, at))));
                }
                let at_lane = |lane| self.of_lane(at, lane).map(|at| place(self.k, *p, &at));
                let places = (0..self.lanes).map(at_lane).collect::<Option<Vec<String>>>()?;
                let indices =
                    self.indices(at).map(|(first, elem)| Indices { base: names::param(self.k, *p), first, elem });
                Some(self.operand(Operand::Gathered(places, indices)))
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div), a, b) => {
                let sign = match op {
                    BinOp::Add => "+",
                    BinOp::Sub => "-",
                    BinOp::Mul => "*",
                    _ => "/",
                };
                Some(format!("({} {sign} {})", self.value(a, ty)?, self.value(b, ty)?))
            }
            Expr::Unary(UnOp::Neg, a) => Some(format!("(-{})", self.value(a, ty)?)),
            Expr::Const(_) | Expr::Local(_) | Expr::Param(_) | Expr::Load(..) => {
                (type_of(self.k, e) == ty && self.slope(e) == Some(0)).then(|| operand(self.k, e))
            }
            _ => None,
        }
    }
}
