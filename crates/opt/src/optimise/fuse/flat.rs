//! What Flat is to the fusion engine: operators over spaces, columns read at positions.
//!
//! ```text
//! reduce grid [n][off] (i, j | p, q) { let x = t[q]  let y = v[x] … }      t in place, v elsewhere, n and off as wholes
//! ```
//!
//! Spaces are equal if their dimensions are, whatever the formal indices are called and wherever rows lie. A map whose elements depend on
//! their position only (`t[q]` is a function of `q`) can be computed at any position: then it does not matter over which space it ran.

use super::engine::{Kind, Language, Meeting, Node, Uses, Work};
use super::refusal::{Dear, Place, Reason};
use super::{masks, rewrite};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, Span, UnOp};
use terrace_ir::flat::visit::{Part, bound_values, count_operators_of, count_uses, has_checks, walk};
use terrace_ir::flat::{Body, Descriptor, Expr, Level, Op, OpKind, Space, Stmt, Type, Value};
use terrace_ir::{Atom, ValueId, size_var};

/// More results than this would not fit into registers.
const MOST_COMBINED: usize = 8;

/// The statements of one body of Flat.
pub(super) struct Flat<'a> {
    /// The function's values.
    pub values: &'a mut IdVec<ValueId, Value>,
    /// Whether the body stands at the host level.
    pub host: bool,
}

/// The operator of a place.
pub(super) fn op_of(place: &[Stmt]) -> Option<&Op> {
    place.last().and_then(|s| s.expr.op())
}

/// What two equal spaces have in common.
fn key(space: &Space) -> String {
    let plain = space.iter().map(|d| match d {
        Descriptor::Irregular { off, .. } => Descriptor::Irregular { off: *off, start: None },
        Descriptor::Closed { around, length } => {
            let formal = |k: usize| ValueId::new(u32::MAX as usize - k);
            let length = length.substitute_all(&|v| {
                let k = around.iter().position(|a| size_var(*a) == v)?;
                Some(Size::var(size_var(formal(k))))
            });
            Descriptor::Closed { around: (0..around.len()).map(formal).collect(), length }
        }
        other => other.clone(),
    });
    format!("{:?}", plain.collect::<Space>())
}

/// Whether every point is computed by one thread: a body that takes a whole block stays a kernel of its own.
fn by_threads(op: &Op) -> bool {
    count_operators_of(&op.body).keys().all(|(_, level)| *level == Level::Thread)
}

/// Whether an element depends on nothing but its position among all.
fn depends_on_position_only(op: &Op) -> bool {
    let uses = count_uses(&op.body);
    let outer = op.positions.len() - 1;
    let indices = op.indices.iter().filter(|_| outer > 0);
    !indices.chain(&op.positions[..outer]).any(|v| uses.contains_key(v))
}

fn is_costly(expr: &Expr) -> bool {
    use UnOp::{Acos, Asin, Atan, Cos, Cosh, Exp, Log, Sin, Sinh, Tan, Tanh};
    match expr {
        Expr::Unary(op, _) => matches!(op, Exp | Log | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh),
        Expr::Binary(op, ..) => matches!(op, BinOp::Pow | BinOp::Atan2),
        _ => false,
    }
}

/// Why a statement must not be done twice.
pub(super) fn dear(stmt: &Stmt) -> Option<Dear> {
    let own = match &stmt.expr {
        Expr::Loop { .. } | Expr::Op(_) => Some(Dear::Loop),
        Expr::Call { .. } | Expr::Keep { .. } | Expr::Take(_) => Some(Dear::Call),
        e if is_costly(e) => Some(Dear::Function),
        _ => None,
    };
    own.or_else(|| stmt.expr.bodies().into_iter().flat_map(|b| &b.stmts).find_map(dear))
}

/// Which statements of a body some of its results need, directly or not.
pub(super) fn needed(body: &Body, results: &[Atom]) -> Vec<bool> {
    let mut live: BTreeSet<ValueId> = results.iter().filter_map(|a| a.var()).collect();
    let mut out = vec![false; body.stmts.len()];
    for (k, stmt) in body.stmts.iter().enumerate().rev() {
        if stmt.binds.iter().any(|b| live.contains(b)) {
            out[k] = true;
            live.extend(mentions(&stmt.expr));
        }
    }
    out
}

/// Everything that an expression mentions, bound inside or not.
pub(super) fn mentions(expr: &Expr) -> Vec<ValueId> {
    let mut out = expr.operands();
    expr.bodies().into_iter().for_each(|b| out.extend(count_uses(b).into_keys()));
    out
}

/// The results of a map that some of its columns are.
pub(super) fn results_of(stmt: &Stmt, columns: &[ValueId]) -> Vec<Atom> {
    let Some(op) = stmt.expr.op() else { return Vec::new() };
    let all = stmt.binds.iter().zip(&op.body.results);
    all.filter(|(b, _)| columns.contains(b)).map(|(_, r)| *r).collect()
}

struct Walk {
    uses: BTreeMap<ValueId, Uses>,
    relies: bool,
}

impl Walk {
    fn whole(&mut self, v: ValueId) {
        self.uses.entry(v).or_default().whole += 1;
    }

    fn expr(&mut self, expr: &Expr, own: Option<Atom>) {
        match expr {
            Expr::Read { column, at } => {
                let uses = self.uses.entry(*column).or_default();
                if Some(*at) == own {
                    uses.in_place += 1;
                } else {
                    uses.elsewhere += 1;
                    self.relies = true;
                }
                at.var().into_iter().for_each(|v| self.whole(v));
            }
            Expr::Binary(BinOp::Div | BinOp::Rem, _, by) => {
                self.relies |= by.var().is_some();
                expr.operands().into_iter().for_each(|v| self.whole(v));
            }
            _ => {
                expr.operands().into_iter().for_each(|v| self.whole(v));
                expr.bodies().into_iter().for_each(|b| self.body(b, own));
            }
        }
        self.relies |= matches!(expr, Expr::Call { .. } | Expr::Keep { .. } | Expr::Take(_) | Expr::Loop { .. });
    }

    fn body(&mut self, body: &Body, own: Option<Atom>) {
        body.stmts.iter().for_each(|s| self.expr(&s.expr, own));
        body.results.iter().filter_map(|a| a.var()).for_each(|v| self.whole(v));
    }

    fn op(&mut self, op: &Op) {
        let own = op.positions.last().map(|p| Atom::Var(*p));
        op.parts(&mut |part| match part {
            Part::Body(b) if std::ptr::eq(b, &op.body) => self.body(b, own),
            Part::Body(b) => count_uses(b).into_keys().for_each(|v| self.whole(v)),
            Part::Use(a) => a.var().into_iter().for_each(|v| self.whole(v)),
            Part::Column(v) => self.whole(*v),
            Part::Size(s) => s.vars().into_iter().for_each(|v| self.whole(terrace_ir::value_of(v))),
            Part::Around(_) | Part::Bind(_) => {}
        });
    }
}

impl Flat<'_> {
    fn kind(&self, place: &[Stmt]) -> Kind {
        match op_of(place) {
            Some(op) => match op.kind {
                _ if keeps_or_takes(&op.body) => Kind::Consumer,
                OpKind::Map { rows: None } if place.len() == 1 && by_threads(op) => Kind::Map,
                OpKind::Pack if place.len() == 1 => Kind::Filter,
                OpKind::Reduce { .. } if place.len() == 1 => Kind::Reduce,
                _ => Kind::Consumer,
            },
            None if self.host => Kind::Other,
            None => Kind::Consumer,
        }
    }

    fn family(&self, kind: Kind, place: &[Stmt]) -> Option<String> {
        let op = op_of(place)?;
        let few = place[0].binds.len() <= MOST_COMBINED;
        match (kind, &op.kind) {
            (Kind::Map, _) => Some(format!("map {:?} {}", op.level, key(&op.space))),
            (Kind::Reduce, OpKind::Reduce { masked: false, .. }) if few && by_threads(op) => {
                Some(format!("reduce {:?} {}", op.level, key(&op.space)))
            }
            _ => None,
        }
    }

    /// Whether a consumer has no more points than a producer has elements.
    fn no_more_points(&self, producer: &Stmt, consumer: &Op) -> bool {
        let last = consumer.positions.last().and_then(|p| self.values[*p].bound.as_ref());
        let elements = producer.binds.first().map(|b| &self.values[*b].ty);
        match (last, elements) {
            (Some(last), Some(Type::Column { length, .. })) => last.clone() + Size::constant(1) == *length,
            _ => false,
        }
    }
}

/// Whether a thread makes calls there, or takes what calls gave: such a body is run once, where it stands.
fn keeps_or_takes(body: &Body) -> bool {
    let mut found = false;
    walk(body, &mut |s| found |= matches!(s.expr, Expr::Keep { .. } | Expr::Take(_)));
    found
}

/// Whether a statement may stop the program.
fn stops(stmt: &Stmt, host: bool) -> bool {
    let keeps = |s: &Stmt| matches!(s.expr, Expr::Keep { .. } | Expr::Take(_));
    let mut found = matches!(stmt.expr, Expr::Check { .. } | Expr::Call { .. }) || keeps(stmt);
    found |= host && matches!(stmt.expr, Expr::Loop { .. });
    for b in stmt.expr.bodies() {
        found |= has_checks(b);
        let host = host && stmt.expr.op().is_none();
        walk(b, &mut |s| found |= keeps(s) || host && matches!(s.expr, Expr::Call { .. } | Expr::Loop { .. }));
    }
    found
}

impl Language for Flat<'_> {
    type Stmt = Stmt;

    fn node(&self, place: &[Stmt]) -> Node {
        let mut walk = Walk { uses: BTreeMap::new(), relies: false };
        let mut bound = Vec::new();
        for stmt in place {
            bound.extend(&stmt.binds);
            bound.extend(stmt.expr.binders());
            stmt.expr.bodies().into_iter().for_each(|b| bound.extend(bound_values(b)));
            match &stmt.expr {
                Expr::Op(op) => walk.op(op),
                Expr::Read { .. } => walk.expr(&stmt.expr, None),
                other if self.host => {
                    walk.relies = true;
                    mentions(other).into_iter().for_each(|v| walk.whole(v));
                }
                other => walk.expr(other, None),
            }
        }
        for b in &bound {
            for v in self.values[*b].mentioned() {
                walk.uses.entry(v).or_default().in_type = true;
            }
        }
        for b in &bound {
            walk.uses.remove(b);
        }
        let kind = self.kind(place);
        Node {
            binds: place.iter().flat_map(|s| s.binds.iter().copied()).collect(),
            uses: walk.uses,
            kind,
            stops: place.iter().any(|s| stops(s, self.host)),
            relies: walk.relies,
            family: self.family(kind, place),
        }
    }

    fn meeting(&self, producer: &[Stmt], consumer: &[Stmt]) -> Meeting {
        let Some(from) = op_of(producer) else { return Meeting::Apart(Reason::NoOperator) };
        let anywhere = depends_on_position_only(from);
        match op_of(consumer) {
            None if anywhere && (consumer.is_empty() || from.level == Level::Thread) => Meeting::AnyPosition,
            None => Meeting::Apart(Reason::OtherPosition),
            Some(to) if to.level != from.level => Meeting::Apart(Reason::Levels),
            Some(to) if key(&to.space) == key(&from.space) => Meeting::Equal,
            Some(to) if anywhere && self.no_more_points(&producer[0], to) => Meeting::SamePositions,
            Some(_) if anywhere => Meeting::AnyPosition,
            Some(_) => Meeting::Apart(Reason::Spaces),
        }
    }

    fn work(&self, producer: &[Stmt], results: &[ValueId]) -> Work {
        let mut out = Work { dear: None, reads: 0, gathers: 0 };
        let Some(op) = op_of(producer) else { return out };
        let own = op.positions.last().map(|p| Atom::Var(*p));
        let used = needed(&op.body, &results_of(&producer[0], results));
        for (stmt, _) in op.body.stmts.iter().zip(used).filter(|(_, used)| *used) {
            out.dear = out.dear.or(dear(stmt).map(|d| Reason::Dear(d, Place::OtherPositions)));
            let mut count = |expr: &Expr| {
                if let Expr::Read { at, .. } = expr {
                    out.reads += 1;
                    out.gathers += usize::from(Some(*at) != own);
                }
            };
            count(&stmt.expr);
            stmt.expr.bodies().into_iter().for_each(|b| walk(b, &mut |s| count(&s.expr)));
        }
        out
    }

    fn shared(&self, producer: &[Stmt], some: &[ValueId], others: &[ValueId]) -> Option<Reason> {
        let op = op_of(producer)?;
        let one = needed(&op.body, &results_of(&producer[0], some));
        let two = needed(&op.body, &results_of(&producer[0], others));
        let both = op.body.stmts.iter().zip(one.into_iter().zip(two)).filter(|(_, (a, b))| *a && *b);
        let both: Vec<&Stmt> = both.map(|(s, _)| s).collect();
        let reads = both.iter().filter(|s| matches!(s.expr, Expr::Read { .. })).count();
        let dear = both.into_iter().find_map(dear).map(|d| Reason::Dear(d, Place::OtherResults));
        // A read that both need is done twice; that is no more than storing the result and reading it.
        dear.or((reads > 2 * some.len()).then_some(Reason::Traffic))
    }

    fn absorb(&mut self, producer: &[Stmt], results: &[ValueId], consumer: &mut Vec<Stmt>, copy: bool) {
        let meeting = self.meeting(producer, consumer);
        let in_place = matches!(meeting, Meeting::Equal | Meeting::SamePositions);
        rewrite::absorb(&producer[0], results, consumer, copy, in_place, self.values);
    }

    fn forget(&mut self, producer: &mut Vec<Stmt>, results: &[ValueId]) {
        producer.iter_mut().for_each(|stmt| rewrite::forget(stmt, results));
    }

    fn join(&mut self, first: &[Stmt], second: &[Stmt]) -> Vec<Stmt> {
        vec![rewrite::join(&first[0], &second[0], self.values)]
    }

    fn masks(&self, filter: &[Stmt], consumer: &[Stmt]) -> Result<bool, Reason> {
        match (op_of(filter), op_of(consumer)) {
            (Some(_), Some(op)) if !by_threads(op) => Err(Reason::Levels),
            (Some(filter_op), Some(op)) if consumer.len() == 1 => masks::fits(&filter[0], filter_op, op),
            _ => Err(Reason::NoOperator),
        }
    }

    fn counts(&self, filter: &[Stmt], consumer: &[Stmt]) -> bool {
        let reduces = op_of(consumer).is_some_and(|op| matches!(op.kind, OpKind::Reduce { .. }));
        reduces && op_of(filter).is_some_and(|op| op.space.len() == 1)
    }

    fn mask(&mut self, filter: &[Stmt], consumer: &[Stmt], count: bool) -> Vec<Stmt> {
        let mut one = masks::mask(&filter[0], &consumer[0], self.values);
        if count {
            masks::count_along(&mut one, filter[0].binds[0], self.values);
        }
        vec![one]
    }

    fn name(&self, value: ValueId) -> String {
        self.values[value].name.clone()
    }

    fn span(&self, place: &[Stmt]) -> Span {
        place.last().map_or(Span::none(), |s| s.span)
    }
}
