//! Scan on a CPU: two passes over the tiles, and one over the tiles' totals between them.
//!
//! ```text
//! x       1 2 3 | 4 5 6 | 7        totals 6 15 7      carried 0 6 21
//! result  1 3 6 | 10 15 21 | 28
//! ```
//!
//! With several rows, the total of a tile is that of its last row, and a tile in which that row begins passes nothing on from
//! before. The form `offsets` gives the prefix before each point, and the total behind the last; only it asks for the total of the last tile.

use super::tiles::element_tile;
use crate::lower::kernels::body::atoms;
use crate::lower::kernels::build::Builder;
use crate::lower::kernels::expr::{add, ceil_quot, ge, int, local, lt, max, min, sub, truth};
use crate::lower::kernels::host::Host;
use crate::lower::kernels::host_expr::{hadd, hceil_div, hint, hmax};
use crate::lower::kernels::points::{Point, Run, count, for_points, for_run, locate, row_length, row_start};
use crate::lower::kernels::reduce::assign_all;
use crate::lower::kernels::scan_row::Grouped;
use crate::lower::kernels::sequential::store_all;
use crate::lower::kernels::{Lowered, limit};
use terrace_base::{ScalarType, Span};
use terrace_ir::flat::{Op, OpKind, Operator, ScanForm};
use terrace_ir::kernel::{Expr, LocalId, Stmt};
use terrace_ir::{Atom, ValueId};
use terrace_plan::host::SlotId;

pub(super) fn scan(host: &mut Host<'_>, op: &Op, binds: &[ValueId], span: Span) -> Lowered<()> {
    let OpKind::Scan { operator, neutral, form } = &op.kind else { return Ok(()) };
    if *form == ScanForm::Offsets && op.space.len() != 1 {
        return Err(limit(span, "offsets over several dimensions"));
    }
    let tiles = hceil_div(host.points(op, binds)?, host.tiles.cpu_tile);
    let totals: Vec<SlotId> = neutral
        .iter()
        .map(|a| {
            let ty = host.atom_type(a);
            host.scratch("totals", ty, tiles.clone(), span)
        })
        .collect();
    let fresh = host.scratch("fresh", ScalarType::Bool, tiles.clone(), span);
    let name = host.kernel_name("scan", binds);
    let mut b = Builder::new(host, &name, 1, span);
    let cut = Cut { op, binds, operator, neutral, form: *form, totals, fresh };
    cut.tile_totals(&mut b)?;
    b.next_phase();
    cut.carry(&mut b)?;
    b.next_phase();
    cut.results(&mut b)?;
    let finished = b.finish();
    let counted = match form {
        ScanForm::Offsets => tiles.clone(),
        ScanForm::Inclusive => hmax(hadd(tiles.clone(), hint(-1)), hint(0)),
    };
    host.launch(finished, vec![counted, hint(1), tiles]);
    Ok(())
}

struct Cut<'o> {
    op: &'o Op,
    binds: &'o [ValueId],
    operator: &'o Operator,
    neutral: &'o [Atom],
    form: ScanForm,
    totals: Vec<SlotId>,
    fresh: SlotId,
}

impl Cut<'_> {
    fn vars(&self, b: &mut Builder<'_>, values: Vec<Expr>) -> Vec<LocalId> {
        let types: Vec<ScalarType> = self.neutral.iter().map(|a| b.atom_type(a)).collect();
        values.into_iter().zip(types).map(|(e, ty)| b.var("acc", ty, e)).collect()
    }

    /// Visits the runs of the tile in order; `enter` runs at the start of a row that begins in the tile.
    fn walk<'h>(
        &self,
        b: &mut Builder<'h>,
        enter: impl FnOnce(&mut Builder<'h>) -> Lowered<()>,
        each: impl FnOnce(&mut Builder<'h>, &Run) -> Lowered<()>,
    ) -> Lowered<()> {
        let op = self.op;
        let d = op.space.len() - 1;
        let (lo, hi) = element_tile(b, op)?;
        b.when(lt(lo.clone(), hi.clone()), |b| {
            if d == 0 {
                let begins = crate::lower::kernels::expr::eq(lo.clone(), int(0));
                b.when(begins, enter)?;
                return each(b, &Run { above: Point::default(), start: int(0), from: lo, to: hi });
            }
            let first = locate(b, op, d + 1, lo.clone())?.positions[d - 1].clone();
            let last = locate(b, op, d + 1, sub(hi.clone(), int(1)))?.positions[d - 1].clone();
            for_points(b, op, d, first, add(last, int(1)), |b, parent| {
                let start = row_start(b, op, d, parent)?;
                let length = row_length(b, op, d, parent)?;
                b.when(ge(start.clone(), lo.clone()), enter)?;
                let from = max(lo, start.clone());
                let to = min(hi, add(start.clone(), length));
                each(b, &Run { above: parent.clone(), start, from, to })
            })
        })
    }

    fn visit<'h>(
        &self,
        b: &mut Builder<'h>,
        point: &Point,
        each: impl FnOnce(&mut Builder<'h>, Expr, Vec<Expr>) -> Lowered<()>,
    ) -> Lowered<()> {
        let q = point.positions[self.op.space.len() - 1].clone();
        b.set_index(q.clone());
        b.body(&self.op.body, |b, values| each(b, q, values))
    }

    fn advance(&self, b: &mut Builder<'_>, vars: &[LocalId], values: &[Expr]) -> Lowered<()> {
        let left: Vec<Expr> = vars.iter().map(|v| local(*v)).collect();
        let new = b.combine(self.operator, &left, values)?;
        assign_all(b, vars, new);
        Ok(())
    }

    fn tile_totals(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let neutral = atoms(b, self.neutral)?;
        let vars = self.vars(b, neutral.clone());
        let fresh = b.var("begins", ScalarType::Bool, truth(false));
        self.walk(
            b,
            |b| {
                b.set(fresh, truth(true));
                assign_all(b, &vars, neutral);
                Ok(())
            },
            |b, run| for_run(b, self.op, run, |b, p| self.visit(b, p, |b, _, values| self.advance(b, &vars, &values))),
        )?;
        let flag = b.scratch(self.fresh);
        b.emit(Stmt::Store(flag, Expr::Tile, local(fresh)));
        for (slot, v) in self.totals.iter().zip(&vars) {
            let p = b.scratch(*slot);
            b.emit(Stmt::Store(p, Expr::Tile, local(*v)));
        }
        Ok(())
    }

    fn carry(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let neutral = atoms(b, self.neutral)?;
        let vars = self.vars(b, neutral);
        let n = count(b, self.op, self.op.space.len())?;
        let tiles = ceil_quot(n.clone(), b.host.tiles.cpu_tile as i64);
        let tiles = b.let_("tiles", ScalarType::I64, tiles);
        let counted = match self.form {
            ScanForm::Offsets => tiles.clone(),
            ScanForm::Inclusive => max(sub(tiles.clone(), int(1)), int(0)),
        };
        let params: Vec<_> = self.totals.iter().map(|s| b.scratch(*s)).collect();
        let flag = b.scratch(self.fresh);
        b.for_("t", int(0), counted, int(1), false, |b, t| {
            let types: Vec<ScalarType> = vars.iter().map(|v| b.local_type(*v)).collect();
            let own: Vec<Expr> = params
                .iter()
                .zip(types)
                .map(|(p, ty)| b.let_("own", ty, Expr::Load(*p, Box::new(t.clone()))))
                .collect();
            for (p, v) in params.iter().zip(&vars) {
                b.emit(Stmt::Store(*p, t.clone(), local(*v)));
            }
            b.if_(
                Expr::Load(flag, Box::new(t)),
                |b| {
                    assign_all(b, &vars, own.clone());
                    Ok(())
                },
                |b| self.advance(b, &vars, &own),
            )
        })?;
        match self.form {
            ScanForm::Offsets => store_all(b, self.binds, n, vars.iter().map(|v| local(*v)).collect()),
            ScanForm::Inclusive => b.when(lt(int(0), tiles.clone()), |b| {
                let last = sub(tiles, int(1));
                for (p, v) in params.iter().zip(&vars) {
                    b.emit(Stmt::Store(*p, last.clone(), local(*v)));
                }
                Ok(())
            }),
        }
    }

    fn results(&self, b: &mut Builder<'_>) -> Lowered<()> {
        let carried: Vec<Expr> = self
            .totals
            .iter()
            .map(|s| {
                let p = b.scratch(*s);
                Expr::Load(p, Box::new(Expr::Tile))
            })
            .collect();
        let vars = self.vars(b, carried);
        let neutral = atoms(b, self.neutral)?;
        let grouped = match self.form {
            ScanForm::Inclusive => Grouped::of(b, self.op, self.operator, self.binds),
            ScanForm::Offsets => None,
        };
        self.walk(
            b,
            |b| {
                assign_all(b, &vars, neutral);
                Ok(())
            },
            |b, run| {
                let each = |b: &mut Builder<'_>, p: &Point| {
                    self.visit(b, p, |b, q, values| {
                        let current = || vars.iter().map(|v| local(*v)).collect();
                        if self.form == ScanForm::Offsets {
                            store_all(b, self.binds, q.clone(), current())?;
                        }
                        self.advance(b, &vars, &values)?;
                        if self.form == ScanForm::Inclusive {
                            store_all(b, self.binds, q, current())?;
                        }
                        Ok(())
                    })
                };
                match grouped {
                    Some(grouped) => grouped.run(b, run, vars[0], each),
                    None => for_run(b, self.op, run, each),
                }
            },
        )
    }
}
