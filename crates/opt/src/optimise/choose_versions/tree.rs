//! All versions of every nest, under a tree of guards.
//!
//! ```text
//! points >= f.1.parallel ?                                  no: seq, one thread does everything
//!   rows >= f.1.outer, and total / longest >= f.1.balanced ?     yes: outer, a thread per row (on a GPU: and rows are short)
//!     rows >= f.1.block, and mean length >= f.1.long ?           yes: block, a block of threads per row
//!       flat
//! ```
//!
//! `total / longest` says how many threads could be busy if each took whole rows: as many as there are rows if all have one
//! length, one if a single row has everything. It is only computed where rows are irregular, there are enough of them, and asking costs the
//! host nothing (on a CPU) or little beside what it may gain: on a GPU, tuples are reduced, or the nest computes lengths of inner rows and a thread may run it
//! as a whole (`whole`), and nothing of it is in a loop. On a CPU every nest of sums has that version. Elsewhere irregular rows are not left to single threads.
//!
//! Declined: versions of operators over one dimension and of maps that stand alone (cut into tiles of elements, which is as good; on a GPU also of several maps), and more than one version
//! between `flat` and `seq` for nests of three or more levels (all levels but the innermost are parallel in `outer`).

use super::alone;
use super::nests::{Piece, Uses, depth, has_rows, pieces};
use super::quantities::Known;
use super::report::{Choice, Missing, NestReport};
use super::rows::Writer;
use super::whole::{Whole, Work, whole};
use super::{Homes, Strategy};
use crate::options::{Options, TileSizes};
use std::collections::BTreeSet;
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_ir::flat::print::print_body;
use terrace_ir::flat::visit::refresh;
use terrace_ir::flat::{
    Body, Descriptor, Expr, Level, Op, OpKind, Operator, Program, Space, Stmt, Threshold, ThresholdId, Type, Value,
};
use terrace_ir::{Atom, FuncId, ValueId};
use terrace_plan::Target;

/// The text of all versions of a nest is at most so many times that of the flat one.
pub const BUDGET: usize = 6;

/// From where on guards hold if nobody has tuned them.
struct Defaults {
    parallel: i64,
    outer: i64,
    balanced: i64,
    spread: i64,
    short: i64,
    block: i64,
    long: i64,
}

impl Defaults {
    fn of(options: &Options) -> Defaults {
        match (options.target, options.tiles == TileSizes::TINY) {
            (_, true) => Defaults { parallel: 4, outer: 3, balanced: 2, spread: 2, short: 2, block: 2, long: 2 },
            (Target::C, false) => {
                let (outer, block) = (1024, Threshold::NEVER);
                Defaults { parallel: 1024, outer, balanced: 256, spread: 64, short: 0, block, long: 64 }
            }
            (Target::Cuda | Target::OpenCl, false) => {
                let balanced = 1 << 14;
                Defaults { parallel: 32, outer: 1 << 16, balanced, spread: balanced, short: 1, block: 256, long: 513 }
            }
        }
    }
}

/// Makes all versions of every nest but those of functions that single threads run, and says which there are.
pub(super) fn all_versions(program: &mut Program, options: &Options, threads: &BTreeSet<FuncId>) -> Vec<NestReport> {
    let homes = Homes::of(program);
    let waves = alone::run_by_waves(program);
    let mut reports = Vec::new();
    for id in program.functions.ids().filter(|id| !threads.contains(id)) {
        let function = &mut program.functions[id];
        let mut maker = Maker {
            options,
            defaults: Defaults::of(options),
            known: Known { homes: homes.function(id) },
            uses: Uses::of(function),
            name: function.name.clone(),
            thresholds: &mut program.thresholds,
            values: &mut function.values,
            reports: &mut reports,
            seen: 0,
            in_waves: waves.contains(&id),
            repeats: false,
            budget: BUDGET,
        };
        maker.body(&mut function.body);
    }
    reports
}

struct Maker<'a> {
    options: &'a Options,
    defaults: Defaults,
    known: Known<'a>,
    uses: Uses,
    name: String,
    thresholds: &'a mut IdVec<ThresholdId, Threshold>,
    values: &'a mut IdVec<ValueId, Value>,
    reports: &'a mut Vec<NestReport>,
    seen: usize,
    /// Where there are many points, threads run the whole function instead.
    in_waves: bool,
    /// Within a loop of the host, which should not wait for the device in every turn.
    repeats: bool,
    /// How many times the text of a nest's flat version all its versions may be; less where a version of more than the nest stands beside them.
    budget: usize,
}

/// A version of a nest: its name and its statements, which bind what the flat ones bind.
struct Version {
    name: &'static str,
    stmts: Vec<Stmt>,
}

/// A test: guards that must all hold. What a guard needs is computed right before it.
struct Test {
    guards: Vec<(ThresholdId, Quantity)>,
}

enum Quantity {
    /// A size that the host knows.
    Size(Size),
    /// One size divided by another.
    Mean(Size, Size),
    /// Elements of all rows, which offsets say where the host does not know, divided by the longest of the rows that these offsets describe.
    Balance { total: Option<Size>, rows: Size, offsets: Vec<ValueId> },
    /// A sum divided by the greatest part of it, both computed by these statements.
    Spread { stmts: Vec<Stmt>, total: ValueId, most: ValueId },
}

enum Tree {
    Leaf(Version),
    Test(Test, Box<Tree>, Box<Tree>),
}

impl Maker<'_> {
    fn body(&mut self, body: &mut Body) {
        let stmts = std::mem::take(&mut body.stmts);
        let upto = stmts.len();
        self.wholes(stmts, upto, &mut body.stmts);
    }

    /// All versions of statements, of which one of the first may end a nest that threads can run as a whole.
    fn wholes(&mut self, mut stmts: Vec<Stmt>, upto: usize, out: &mut Vec<Stmt>) {
        let on_cpu = self.options.target == Target::C;
        let wanted = (!self.repeats || on_cpu) && !self.in_waves && self.budget > 2;
        let taken = super::taken(self.options);
        for end in (0..upto).rev().filter(|_| wanted) {
            let Some(op) = stmts[end].expr.op().filter(|op| op.space.len() > 1) else { continue };
            let Some(points) = self.known.points(op, op.space.len() - 1, self.values) else { continue };
            let Some((begin, nest)) = whole(&stmts[..=end], taken, &self.uses, self.values) else { continue };
            let after = stmts.split_off(end + 1);
            stmts.truncate(begin);
            stmts.extend(nest.others.iter().cloned());
            let upto = stmts.len();
            self.wholes(stmts, upto, out);
            self.whole(nest, points, out);
            return self.by_nests(after, out);
        }
        self.by_nests(stmts, out);
    }

    /// A thread per outer point where there are many and none has much more to do than the others, or else the operators one by one.
    fn whole(&mut self, nest: Whole, points: Size, out: &mut Vec<Stmt>) {
        self.seen += 1;
        let (number, span) = (self.seen, nest.map.span);
        // Of several results some may be of no use.
        let leaving = self.uses.leaving(&nest.group, self.values);
        let operators = nest.group.iter().filter_map(|s| s.expr.op()).map(|op| self.describe(op)).collect();
        let mut parts = Vec::new();
        let upto = nest.group.len() - 1;
        let budget = self.budget;
        if self.options.target == Target::C {
            let work = nest.work.as_ref().map_or(0, |w| self.text(&w.stmts));
            let beside = self.text(std::slice::from_ref(&nest.map)) + work;
            self.budget = budget.saturating_sub(beside.div_ceil(self.text(&nest.group).max(1))).max(1);
        }
        self.wholes(nest.group, upto, &mut parts);
        self.budget = budget;
        let wide = self.threshold(number, "outer", "outer points", self.defaults.outer);
        let mut guards = vec![(wide, Quantity::Size(points))];
        if let Some(Work { stmts, total, most }) = nest.work {
            let about = "inner points divided by those of the outer point that has most";
            let balanced = self.threshold(number, "balanced", about, self.defaults.spread);
            guards.push((balanced, Quantity::Spread { stmts, total, most }));
        }
        let test = Test { guards };
        let whole = Tree::Leaf(Version { name: "whole", stmts: vec![nest.map] });
        let parts = Tree::Leaf(Version { name: "operator by operator", stmts: parts });
        let tree = Tree::Test(test, Box::new(whole), Box::new(parts));
        let name = format!("{}.{number}", self.name);
        self.reports.push(NestReport { name, span, operators, missing: Vec::new(), tree: self.choice(&tree) });
        out.extend(self.spell(tree, &leaving, span).stmts);
    }

    fn by_nests(&mut self, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        for piece in pieces(stmts, self.options.target == Target::C) {
            match piece {
                Piece::Stmt(mut stmt) => {
                    let repeats = self.repeats;
                    self.repeats |= matches!(stmt.expr, Expr::Loop { .. });
                    if !matches!(stmt.expr, Expr::Op(_)) {
                        stmt.expr.bodies_mut().into_iter().for_each(|b| self.body(b));
                    }
                    self.repeats = repeats;
                    out.push(stmt);
                }
                Piece::Nest(stmts) => self.nest(stmts, out),
            }
        }
    }

    fn nest(&mut self, stmts: Vec<Stmt>, out: &mut Vec<Stmt>) {
        self.seen += 1;
        let (number, span) = (self.seen, stmts[0].span);
        let leaving = self.uses.leaving(&stmts, self.values);
        let operators = stmts.iter().filter_map(|s| s.expr.op()).map(|op| self.describe(op)).collect();
        let mut missing = Vec::new();
        let tree = self.tree(number, stmts, &mut missing);
        self.reports.push(NestReport {
            name: format!("{}.{number}", self.name),
            span,
            operators,
            missing,
            tree: self.choice(&tree),
        });
        match tree {
            Tree::Leaf(version) => out.extend(version.stmts),
            tree => {
                let body = self.spell(tree, &leaving, span);
                out.extend(body.stmts);
            }
        }
    }

    fn describe(&self, op: &Op) -> String {
        let name = |v: &ValueId| self.values[*v].name.clone();
        let dimension = |d: &Descriptor| match d {
            Descriptor::Regular(Atom::Const(c)) => format!("[{c}]"),
            Descriptor::Regular(Atom::Var(v)) => format!("[{}]", name(v)),
            Descriptor::Closed { .. } => "[closed form]".to_string(),
            Descriptor::PerAncestor { lengths, .. } => format!("[per {}]", name(lengths)),
            Descriptor::Irregular { off, .. } => format!("[{}]", name(off)),
        };
        format!("{} {}", op.name(), op.space.iter().map(dimension).collect::<String>())
    }

    /// The versions that there are, in their tree.
    fn tree(&mut self, number: usize, flat: Vec<Stmt>, missing: &mut Vec<Missing>) -> Tree {
        let mut lacks = |version: &'static str, why: &str| missing.push(Missing { version, why: why.to_string() });
        let ops: Vec<&Op> = flat.iter().filter_map(|s| s.expr.op()).collect();
        let total = self.largest(&ops);
        let rows = self.fewest_rows(&flat);
        let irregular = irregular_rows(&ops);
        let inner: BTreeSet<ValueId> = flat.iter().flat_map(|s| s.binds.clone()).collect();
        let seen_before = irregular.iter().all(|off| !inner.contains(off));

        let deep = ops.iter().filter(|op| op.space.len() > 1);
        if let ([op], true) = (deep.collect::<Vec<_>>().as_slice(), ops.len() == 1)
            && matches!(op.kind, OpKind::Map { .. })
        {
            lacks("outer, block and seq", "a map alone is cut into tiles of elements, and that is as good");
            return Tree::Leaf(Version { name: "flat", stmts: flat });
        }
        if self.options.target != Target::C
            && ops.iter().filter(|op| op.space.len() > 1).all(|op| matches!(op.kind, OpKind::Map { .. }))
        {
            lacks("outer, block and seq", "threads that take a row each would read and write far from each other");
            return Tree::Leaf(Version { name: "flat", stmts: flat });
        }
        if let ([op], Target::Cuda) = (ops.as_slice(), self.options.target)
            && matches!(op.kind, OpKind::Scan { .. })
            && matches!(op.space.as_slice(), [.., _, Descriptor::Regular(_)])
            && op.body.stmts.iter().all(|s| s.expr.bodies().is_empty())
        {
            lacks("outer and seq", "a scan of equally long rows is cut into tiles of elements, and that is as good");
            return Tree::Leaf(Version { name: "flat", stmts: flat });
        }
        let beside = self.options.target != Target::C && ops.iter().any(|op| reads_rows(op));
        let waits = !self.repeats && !self.in_waves && reduces_tuples(&ops);
        let asks = (self.options.target == Target::C || waits && total.is_some()) && seen_before;
        let mut outer = self.version("outer", Strategy::Outer, &flat);
        let mut block = None;
        let mut seq = self.version("seq", Strategy::Seq, &flat);
        if rows.is_none() {
            outer = None;
            lacks("outer", "the host does not know how many rows there are");
        } else if self.in_waves && depth(&ops) == 2 {
            outer = None;
            lacks("outer", "where there are enough points, each is left to a thread with all of its recursion");
        } else if outer.is_none() {
            lacks("outer", "none of its operators can be left to one thread per row");
        } else if !irregular.is_empty() && !asks {
            outer = None;
            lacks("outer", "one row may be much longer than the others, and the host cannot see that at no cost");
        } else if let ([op], true) = (ops.as_slice(), beside)
            && matches!(op.space.last(), Some(Descriptor::Regular(_)))
            && commutes(op)
        {
            outer = None;
            lacks("outer", "rows of one length are left to single threads by the flat one, too, where they are short");
        } else if beside && total.is_none() {
            outer = None;
            lacks("outer", "threads would read far from each other if rows are long, and the host does not know that");
        }
        match self.options.target {
            Target::C => lacks("block", "a CPU has no blocks of threads"),
            Target::Cuda | Target::OpenCl if rows.is_none() || total.is_none() => {
                lacks("block", "the host does not know how many rows there are, or how long they are");
            }
            Target::Cuda | Target::OpenCl if !irregular.is_empty() => {
                lacks("block", "one row may be much longer than the others, and would keep one block busy");
            }
            Target::Cuda | Target::OpenCl if !ops.iter().all(|op| commutes(op)) => {
                lacks(
                    "block",
                    "the threads of a block would read runs, far from each other: it is not known whether the operator commutes",
                );
            }
            Target::Cuda | Target::OpenCl => {
                block = self.version("block", Strategy::Block, &flat);
                if block.is_none() {
                    lacks("block", "only reductions of rows are spread over the threads of a block");
                }
            }
        }
        if total.is_none() {
            seq = None;
            lacks("seq", "the host does not know how many points there are");
        }
        let one = self.text(&flat).max(1);
        let mut left = self.budget * one - one;
        for version in [&mut outer, &mut block, &mut seq] {
            let text = version.as_ref().map_or(0, |v| self.text(&v.stmts));
            match left.checked_sub(text) {
                Some(rest) => left = rest,
                None => {
                    if let Some(v) = version.take() {
                        lacks(v.name, "the text of all versions would be more than six times that of one");
                    }
                }
            }
        }

        let mut tree = Tree::Leaf(Version { name: "flat", stmts: flat });
        if let (Some(block), Some(total), Some(rows)) = (block, &total, &rows) {
            let wide = self.threshold(number, "block", "rows", self.defaults.block);
            let long = self.threshold(number, "long", "mean length of a row", self.defaults.long);
            let mean = Quantity::Mean(total.clone(), rows.clone());
            let test = Test { guards: vec![(wide, Quantity::Size(rows.clone())), (long, mean)] };
            tree = Tree::Test(test, Box::new(Tree::Leaf(block)), Box::new(tree));
        }
        if let (Some(outer), Some(rows)) = (outer, rows) {
            let wide = self.threshold(number, "outer", "rows", self.defaults.outer);
            let mut guards = vec![(wide, Quantity::Size(rows.clone()))];
            if !irregular.is_empty() {
                if let (Some(total), true) = (&total, self.options.target != Target::C) {
                    let about = "rows for every 64 elements";
                    let short = self.threshold(number, "short", about, self.defaults.short);
                    let mean = Quantity::Mean(rows.clone() * Size::constant(64), total.clone());
                    guards.push((short, mean));
                }
                let about = "elements divided by the length of the longest row";
                let balanced = self.threshold(number, "balanced", about, self.defaults.balanced);
                guards.push((balanced, Quantity::Balance { total: total.clone(), rows, offsets: irregular }));
            } else if let (true, Some(total)) = (beside, &total) {
                let about = "rows for every eight elements";
                let short = self.threshold(number, "short", about, self.defaults.short);
                guards.push((short, Quantity::Mean(rows * Size::constant(8), total.clone())));
            }
            tree = Tree::Test(Test { guards }, Box::new(Tree::Leaf(outer)), Box::new(tree));
        }
        if let (Some(seq), Some(total)) = (seq, total) {
            let many = self.threshold(number, "parallel", "points, or rows if there are more", self.defaults.parallel);
            let test = Test { guards: vec![(many, Quantity::Size(total))] };
            tree = Tree::Test(test, Box::new(tree), Box::new(Tree::Leaf(seq)));
        }
        tree
    }

    fn threshold(&mut self, number: usize, what: &str, about: &str, value: i64) -> ThresholdId {
        let name = format!("{}.{number}.{what}", self.name);
        self.thresholds.push(Threshold { name, about: about.to_string(), value })
    }

    fn text(&self, stmts: &[Stmt]) -> usize {
        print_body(self.values, &Body { stmts: stmts.to_vec(), results: Vec::new() }).len()
    }

    /// The nest in another version; none where that is the flat one.
    fn version(&mut self, name: &'static str, strategy: Strategy, flat: &[Stmt]) -> Option<Version> {
        let depth = depth(&flat.iter().filter_map(|s| s.expr.op()).collect::<Vec<_>>());
        let mut writer = Writer { values: self.values, out: Vec::new(), span: Span::none() };
        for stmt in flat {
            writer.span = stmt.span;
            if let Expr::Op(op) = &stmt.expr {
                let strategy = match strategy {
                    Strategy::Outer if !has_rows(op, depth) => Strategy::Flat,
                    other => other,
                };
                writer.version((**op).clone(), stmt.binds.clone(), strategy);
            }
        }
        let stmts = writer.out;
        (stmts != flat).then_some(Version { name, stmts })
    }

    fn largest(&self, ops: &[&Op]) -> Option<Size> {
        // Empty rows are work too.
        let levels = ops.iter().flat_map(|op| [(op, op.space.len()), (op, op.space.len() - 1)]);
        let sizes: Option<Vec<Size>> = levels.map(|(op, upto)| self.known.points(op, upto, self.values)).collect();
        sizes.map(|mut s| {
            s.retain(|s| *s != Size::one());
            distinct(s, &Size::max_of)
        })
    }

    /// The fewest rows among the operators that a thread per row would do otherwise; what stays as it is has no say.
    fn fewest_rows(&mut self, stmts: &[Stmt]) -> Option<Size> {
        let ops: Vec<&Op> = stmts.iter().filter_map(|s| s.expr.op()).collect();
        let depth = depth(&ops);
        let mut deep: Vec<&Op> = ops.iter().copied().filter(|op| has_rows(op, depth)).collect();
        let others: Vec<&Op> = stmts
            .iter()
            .filter(|s| self.version("outer", Strategy::Outer, std::slice::from_ref(s)).is_some())
            .filter_map(|s| s.expr.op())
            .filter(|op| has_rows(op, depth))
            .collect();
        if !others.is_empty() {
            deep = others;
        }
        let deep = deep.into_iter();
        let sizes: Option<Vec<Size>> = deep.map(|op| self.known.points(op, op.space.len() - 1, self.values)).collect();
        sizes.filter(|s| !s.is_empty()).map(|s| distinct(s, &Size::min_of))
    }

    // From trees to statements.

    /// A body that binds what leaves the nest under its own names.
    fn spell(&mut self, tree: Tree, leaving: &[ValueId], span: Span) -> Body {
        let results: Vec<Atom> = leaving.iter().map(|v| Atom::Var(*v)).collect();
        match tree {
            Tree::Leaf(version) => Body { stmts: version.stmts, results },
            Tree::Test(test, then, otherwise) => {
                let mut then = self.spell(*then, leaving, span);
                let mut otherwise = self.spell(*otherwise, leaving, span);
                refresh(&mut then, self.values);
                refresh(&mut otherwise, self.values);
                let mut stmts = Vec::new();
                let cond = self.cond(test, span, &mut stmts);
                let choice = Expr::If { cond, then, otherwise };
                stmts.push(Stmt { binds: leaving.to_vec(), expr: choice, span });
                Body { stmts, results }
            }
        }
    }

    /// Writes the guards of a test; a later one only runs where the earlier ones hold.
    fn cond(&mut self, test: Test, span: Span, out: &mut Vec<Stmt>) -> Atom {
        let mut guards = test.guards.into_iter().rev();
        let Some((threshold, quantity)) = guards.next() else { return Atom::Const(Scalar::Bool(true)) };
        let mut body = self.guard(threshold, quantity, span);
        for (threshold, quantity) in guards {
            let first = self.guard(threshold, quantity, span);
            let no = Body { stmts: Vec::new(), results: vec![Atom::Const(Scalar::Bool(false))] };
            let holds = self.values.push(boolean("holds"));
            let both = Expr::If { cond: first.results[0], then: body, otherwise: no };
            let mut stmts = first.stmts;
            stmts.push(Stmt { binds: vec![holds], expr: both, span });
            body = Body { stmts, results: vec![holds.into()] };
        }
        out.extend(body.stmts);
        body.results[0]
    }

    fn guard(&mut self, threshold: ThresholdId, quantity: Quantity, span: Span) -> Body {
        let what = self.thresholds[threshold].name.rsplit('.').next().unwrap_or("holds").to_string();
        let mut writer = Writer { values: self.values, out: Vec::new(), span };
        let quantity = match quantity {
            Quantity::Size(size) => writer.atom_of(&size),
            Quantity::Mean(total, rows) => {
                let total = writer.atom_of(&total);
                let rows = writer.atom_of(&rows);
                writer.quotient(total, rows)
            }
            Quantity::Spread { stmts, total, most } => {
                writer.out.extend(stmts);
                writer.quotient(total.into(), most.into())
            }
            Quantity::Balance { total, rows, offsets } => {
                let longest = writer.longest_row(&rows, &offsets);
                let total = match total {
                    Some(total) => writer.atom_of(&total),
                    None => writer.elements(&offsets),
                };
                writer.quotient(total, longest)
            }
        };
        let holds = writer.values.push(boolean(&what));
        writer.push(vec![holds], Expr::Guard { threshold, quantity });
        Body { stmts: writer.out, results: vec![holds.into()] }
    }

    // From trees to words.

    fn choice(&self, tree: &Tree) -> Choice {
        match tree {
            Tree::Leaf(version) => Choice::Version(version.name),
            Tree::Test(test, then, otherwise) => {
                let mut choice = self.choice(then);
                for (threshold, _) in test.guards.iter().rev() {
                    choice = Choice::Test {
                        threshold: self.thresholds[*threshold].clone(),
                        then: Box::new(choice),
                        otherwise: Box::new(self.choice(otherwise)),
                    };
                }
                choice
            }
        }
    }
}

impl Writer<'_> {
    /// `a / max(b, 1)`.
    fn quotient(&mut self, a: Atom, b: Atom) -> Atom {
        let (least, q) = (self.int("least"), self.int("quotient"));
        self.push(vec![least], Expr::Binary(BinOp::Max, b, Atom::int(1)));
        self.push(vec![q], Expr::Binary(BinOp::Div, a, least.into()));
        q.into()
    }

    /// The length of the longest row that some offsets describe; there are at most so many rows.
    fn longest_row(&mut self, rows: &Size, offsets: &[ValueId]) -> Atom {
        let mut most = Atom::int(0);
        for off in offsets {
            let one = self.longest_of(rows, *off);
            let more = self.int("longest");
            self.push(vec![more], Expr::Binary(BinOp::Max, most, one));
            most = more.into();
        }
        most
    }

    /// How many elements there are in all rows that offsets describe: most by one of them.
    fn elements(&mut self, offsets: &[ValueId]) -> Atom {
        let mut most = Atom::int(0);
        for off in offsets {
            let Type::Column { length, .. } = self.values[*off].ty.clone() else { continue };
            let last = self.atom_of(&(length - 1));
            let (all, more) = (self.int("all"), self.int("elements"));
            self.push(vec![all], Expr::Read { column: *off, at: last });
            self.push(vec![more], Expr::Binary(BinOp::Max, most, all.into()));
            most = more.into();
        }
        most
    }

    fn longest_of(&mut self, rows: &Size, off: ValueId) -> Atom {
        let Type::Column { length, .. } = self.values[off].ty.clone() else { return Atom::int(0) };
        // The true number of rows, which may be on the device.
        let count = self.atom_of(&(length - 1));
        let (i, p, next) = (self.int("i"), self.int("p"), self.int("next"));
        self.values[p].bound = Some(rows.clone() - 1);
        let (start, end, length) = (self.int("start"), self.int("end"), self.int("length"));
        let stmts = vec![
            self.stmt(next, Expr::Binary(BinOp::Add, p.into(), Atom::int(1))),
            self.stmt(start, Expr::Read { column: off, at: p.into() }),
            self.stmt(end, Expr::Read { column: off, at: next.into() }),
            self.stmt(length, Expr::Binary(BinOp::Sub, end.into(), start.into())),
        ];
        let (a, b, c) = (self.int("a"), self.int("b"), self.int("c"));
        let more = self.stmt(c, Expr::Binary(BinOp::Max, a.into(), b.into()));
        let operator =
            Operator { left: vec![a], right: vec![b], body: Body { stmts: vec![more], results: vec![c.into()] } };
        let op = Op {
            level: Level::Grid,
            space: Space::from([Descriptor::Regular(count)]),
            indices: vec![i],
            positions: vec![p],
            body: Body { stmts, results: vec![length.into()] },
            kind: OpKind::Reduce { operator, neutral: vec![Atom::int(0)], masked: false },
        };
        let longest = self.int("longest");
        self.push(vec![longest], Expr::Op(Box::new(op)));
        longest.into()
    }
}

fn boolean(name: &str) -> Value {
    Value { name: name.to_string(), ty: Type::Scalar(ScalarType::Bool), bound: None, at: () }
}

/// The offsets of the irregular rows that the outer version would leave to single threads.
fn irregular_rows(ops: &[&Op]) -> Vec<ValueId> {
    let mut out = Vec::new();
    let depth = depth(ops);
    for op in ops.iter().filter(|op| has_rows(op, depth)) {
        if let Some(Descriptor::Irregular { off, .. }) = op.space.last()
            && !out.contains(off)
        {
            out.push(*off);
        }
    }
    out
}

/// Whether an operator reduces rows whose elements lie one beside the other: the threads of a warp, each in its own row, would read far
/// from each other.
fn reads_rows(op: &Op) -> bool {
    let Some(here) = op.positions.last() else { return false };
    let is_read = |e: &Expr| matches!(e, Expr::Read { at, .. } if *at == Atom::Var(*here));
    op.space.len() > 1 && matches!(op.kind, OpKind::Reduce { .. }) && any_expr(&op.body, &is_read)
}

/// Whether all that has rows is a reduction, and one of them of several values together: the flat version carries them all through shared
/// memory, and that is worth asking the device how long the rows are.
fn reduces_tuples(ops: &[&Op]) -> bool {
    let depth = depth(ops);
    let operator = |op: &Op| match &op.kind {
        OpKind::Reduce { operator, .. } => Some(operator.as_binary()),
        _ => None,
    };
    let mut deep = ops.iter().filter(|op| has_rows(op, depth)).map(|op| operator(op));
    deep.clone().all(|o| o.is_some()) && deep.any(|o| o == Some(None))
}

fn commutes(op: &Op) -> bool {
    match &op.kind {
        OpKind::Reduce { operator, .. } => operator.commutes(),
        _ => true,
    }
}

fn any_expr(body: &Body, is: &dyn Fn(&Expr) -> bool) -> bool {
    body.stmts.iter().any(|s| is(&s.expr) || s.expr.bodies().into_iter().any(|b| any_expr(b, is)))
}

fn distinct(mut sizes: Vec<Size>, of: &dyn Fn(&[Size]) -> Size) -> Size {
    sizes.sort();
    sizes.dedup();
    match sizes.as_slice() {
        [] => Size::one(),
        [one] => one.clone(),
        several => of(several),
    }
}
