//! Statements as C, one per line.
//!
//! ```text
//! Let(q, …)                  int64_t q_3 = …;
//! Check { check: 4, … }      if (UNLIKELY(!(q_3 < n_p0))) terrace_fail(err, launch, 4, q_3, q_3, n_p0, 0);
//! For { simd: true, … }      #pragma omp simd, where the body is straight-line code
//! ```
//!
//! Loops over points have two more forms: [`crate::vector::lanes`] and [`crate::vector::stream`]; the lanes of a reduction are in registers while its loop runs
//! ([`crate::vector::registers`]).
//!
//! `While` is a plain loop: lowering leaves a loop whose check has failed by itself. The bound of a `For` is computed once.

use super::expr::{expr, operand, own_part, place};
use super::types::{element, variable};
use crate::alone;
use crate::shared::names;
use crate::shared::typing::{held, type_of};
use crate::shared::used::Used;
use crate::vector::lanes::Lanes;
use crate::vector::least;
use crate::vector::operands::{Indices, Operand, Shared};
use crate::vector::registers::{self, Register};
use crate::vector::stages::{self, Stage};
use crate::vector::stream;
use crate::vector::totals::{self, Totals};
use crate::vector::turning;
use std::collections::BTreeSet;
use terrace_base::{BinOp, ScalarType};
use terrace_ir::kernel::{Expr, Given, Kept, Kernel, LocalId, ParamId, RunArg, Stmt};

/// Lines of text with indentation.
pub struct Lines {
    text: String,
    /// How far lines are indented.
    pub depth: usize,
    /// A failing check sets the variable `failed`.
    marks_failure: bool,
    streams: bool,
    /// The results that go to a buffer first, and where the buffer begins.
    parted: Option<(Vec<ParamId>, String)>,
    /// The arrays of lanes that are in registers.
    vectors: Vec<Register>,
    /// The variable of the loop over lanes.
    lane: Option<LocalId>,
    /// Variables that are keys while their loop runs.
    keyed: Vec<LocalId>,
    /// How many loops are around.
    loops: usize,
    /// Buffers that are read or written at a variable plus something.
    parts: BTreeSet<(LocalId, ParamId)>,
}

impl Lines {
    /// Nothing yet. With `streams`, the variable of that name says whether results go past the cache.
    pub fn new(used: &Used, streams: bool) -> Lines {
        Lines {
            text: String::new(),
            depth: 1,
            marks_failure: used.failed,
            streams,
            parted: None,
            vectors: Vec::new(),
            lane: None,
            keyed: Vec::new(),
            loops: 0,
            parts: used.parts.clone(),
        }
    }

    /// One more line.
    pub fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn nested(&mut self, k: &Kernel, stmts: &[Stmt]) {
        self.depth += 1;
        self.stmts(k, stmts);
        self.depth -= 1;
    }

    fn in_loop(&mut self, k: &Kernel, stmts: &[Stmt]) {
        self.loops += 1;
        self.nested(k, stmts);
        self.loops -= 1;
    }

    /// Statements in order.
    pub fn stmts(&mut self, k: &Kernel, stmts: &[Stmt]) {
        stmts.iter().for_each(|s| self.stmt(k, s));
    }

    fn adds_to_vector(&self, stmt: &Stmt) -> bool {
        let added = self.lane.and_then(|l| registers::added(stmt, l));
        added.is_some_and(|(array, ..)| self.vectors.iter().any(|r| r.array == array))
    }

    /// From here on these arrays of lanes are values of vector types.
    fn load_vectors(&mut self, k: &Kernel, registers: &[Register]) {
        for r in registers {
            let (a, group, ty) = (names::array(k, r.array), r.group, r.ty);
            self.line(&format!("{group} {a}_g;"));
            self.line(&format!("memcpy(&{a}_g, {a}, sizeof {a}_g);"));
            self.line(&format!("{ty} {a}_v = {};", r.as_lanes(&format!("{a}_g"))));
        }
        self.vectors.extend(registers);
    }

    fn store_vectors(&mut self, k: &Kernel, registers: &[Register]) {
        for r in registers {
            let a = names::array(k, r.array);
            self.line(&format!("{a}_g = {};", r.as_elements(&format!("{a}_v"))));
            self.line(&format!("memcpy({a}, &{a}_g, sizeof {a}_g);"));
        }
        self.vectors.retain(|v| !registers.contains(v));
    }

    /// Room for the group that a loop over lanes computes; the lanes it will be added to.
    fn group(&mut self, k: &Kernel, lane: LocalId, body: &[Stmt]) -> Vec<Register> {
        let added = body.iter().filter_map(|s| registers::added(s, lane));
        let group: Vec<Register> =
            added.filter_map(|(a, ..)| self.vectors.iter().find(|r| r.array == a).copied()).collect();
        for r in &group {
            let info = &k.arrays[r.array];
            let (ty, a) = (element(info.elem), names::array(k, r.array));
            self.line(&format!("{ty} {a}_x[{}] __attribute__((aligned(64)));", info.count));
        }
        self.lane = (!group.is_empty()).then_some(lane);
        group
    }

    fn add_group(&mut self, k: &Kernel, group: &[Register]) {
        for r in group {
            let (ty, a) = (r.group, names::array(k, r.array));
            self.line(&format!("{ty} {a}_w;"));
            self.line(&format!("memcpy(&{a}_w, {a}_x, sizeof {a}_w);"));
            self.line(&format!("{a}_v = {};", r.combined(&format!("{a}_v"), &format!("{a}_w"))));
        }
        if !group.is_empty() {
            self.lane = None;
        }
    }

    /// A loop over lanes as vector code.
    fn shared(&mut self, k: &Kernel, lane: LocalId, body: &[Stmt], shared: &Shared) {
        self.line("{");
        self.depth += 1;
        self.line(&format!("const int64_t {} = 0;", names::local(k, lane)));
        body.iter().filter(|s| matches!(s, Stmt::Let(..))).for_each(|s| self.stmt(k, s));
        let first = shared.sums.first().map(|(a, ..)| *a);
        let ty = self.vectors.iter().find(|r| Some(r.array) == first).map_or("", |r| r.group);
        for (name, operand) in &shared.operands {
            match operand {
                Operand::Run(place) => {
                    self.line(&format!("{ty} {name};"));
                    self.line(&format!("memcpy(&{name}, &{place}, sizeof {name});"));
                }
                Operand::Gathered(places, None) => self.line(&format!("{ty} {name} = {{{}}};", places.join(", "))),
                Operand::Gathered(places, Some(Indices { base, first, elem })) => {
                    let way = format!("{ty}_{elem}");
                    self.line(&format!("{ty} {name} = GATHERED({way}, {base}, &{first}, {{{}}});", places.join(", ")));
                }
            }
            if shared.is_crowded() {
                self.line(&format!("IN_REGISTER({name});"));
            }
        }
        for (array, op, value) in &shared.sums {
            let (a, sign) = (names::array(k, *array), if *op == BinOp::Add { "+" } else { "*" });
            self.line(&format!("{a}_v = {a}_v {sign} {value};"));
        }
        self.depth -= 1;
        self.line("}");
    }

    /// A loop that keeps the least or the greatest floats as keys.
    fn with_keys(&mut self, k: &Kernel, keyed: &[LocalId], head: &str, body: &[Stmt]) {
        self.line("{");
        self.depth += 1;
        for v in keyed {
            let (ty, v) = (k.locals[*v].ty, names::local(k, *v));
            self.line(&format!("{} {v}_k = key_{ty}({v});", variable(least::key_type(ty))));
        }
        self.line(head);
        self.keyed.extend(keyed);
        self.in_loop(k, body);
        self.keyed.clear();
        self.line("}");
        for v in keyed {
            let (ty, v) = (k.locals[*v].ty, names::local(k, *v));
            self.line(&format!("{v} = {ty}_of_key({v}_k);"));
        }
        self.depth -= 1;
        self.line("}");
    }

    fn keep(&mut self, k: &Kernel, stmt: &Stmt) {
        let Some(kept) = least::kept(k, stmt) else { return };
        let (ty, v) = (k.locals[kept.of].ty, names::local(k, kept.of));
        let (word, key) = (kept.op.word(), least::key_type(ty));
        let new = format!("{word}_{key}({v}_k, key_{ty}({}))", expr(k, kept.value));
        self.line(&match kept.only {
            Some(only) => format!("{v}_k = {} ? {new} : {v}_k;", operand(k, only)),
            None => format!("{v}_k = {new};"),
        });
    }

    /// A loop over points whose results go to memory through a small buffer each.
    fn in_parts(&mut self, k: &Kernel, v: &str, from: &str, end: &str, results: Vec<ParamId>, body: &[Stmt]) {
        let (part, size) = (format!("{v}_part"), stream::PART);
        self.line(&format!("for (int64_t {part} = {from}; {part} < {end}; {part} += {size}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {part}_end = min_i64({part} + {size}, {end});"));
        for p in &results {
            let ty = element(held(k.params[*p].kind));
            self.line(&format!("{ty} {}_part[{size}] __attribute__((aligned(64)));", names::param(k, *p)));
        }
        self.parted = Some((results.clone(), part.clone()));
        self.points(k, &format!("for (int64_t {v} = {part}; {v} < {part}_end; {v} += 1) {{"), body, false);
        self.parted = None;
        for p in &results {
            let p = names::param(k, *p);
            self.line(&format!("stream_to({p} + {part}, {p}_part, (size_t)({part}_end - {part}) * sizeof *{p});"));
        }
        self.depth -= 1;
        self.line("}");
    }

    /// A loop over points; twice where it computes sines and cosines, see [`turning`].
    fn points(&mut self, k: &Kernel, head: &str, body: &[Stmt], simd: bool) {
        if !turning::looks_later(body) {
            return self.loop_of(k, head, body, simd);
        }
        self.line("{");
        self.depth += 1;
        self.line("int64_t is_far = 0;");
        self.line("{");
        self.depth += 1;
        self.line("int64_t *const far = &is_far;");
        self.loop_of(k, head, body, false);
        self.depth -= 1;
        self.line("}");
        self.line("if (UNLIKELY(is_far)) {");
        self.depth += 1;
        self.loop_of(k, head, body, false);
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.line("}");
    }

    /// A loop that keeps running totals.
    fn with_totals(&mut self, k: &Kernel, head: &str, totals: &Totals<'_>) {
        let (v, own) = (names::local(k, totals.of), variable(k.locals[totals.of].ty));
        let ty = totals.ty(k);
        let (wide, value) = (variable(ty), operand(k, totals.value));
        self.line("{");
        self.depth += 1;
        self.line(&format!("{wide} {v}_t = ({wide}){v};"));
        self.line(&format!("#pragma omp simd reduction(inscan, {} : {v}_t)", totals.word()));
        self.line(head);
        self.loops += 1;
        self.depth += 1;
        self.line("{");
        self.nested(k, totals.before);
        self.line(&match totals.op {
            BinOp::Add => format!("    {v}_t += ({wide}){value};"),
            op => format!("    {v}_t = {}_{ty}({v}_t, {value});", op.word()),
        });
        self.line("}");
        self.line(&format!("#pragma omp scan inclusive({v}_t)"));
        self.line("{");
        self.depth += 1;
        self.line(&format!("const {own} {v} = ({own}){v}_t;"));
        self.stmt(k, totals.store);
        self.depth -= 1;
        self.line("}");
        self.depth -= 1;
        self.loops -= 1;
        self.line("}");
        self.line(&format!("{v} = ({own}){v}_t;"));
        self.depth -= 1;
        self.line("}");
    }

    fn loop_of(&mut self, k: &Kernel, head: &str, body: &[Stmt], simd: bool) {
        if let Some(totals) = totals::totals(k, body) {
            return self.with_totals(k, head, &totals);
        }
        if simd {
            self.line("#pragma omp simd");
        }
        self.line(head);
        self.in_loop(k, body);
        self.line("}");
    }

    /// A loop over points, each part of which goes through one stage after the other.
    fn in_stages(&mut self, k: &Kernel, v: &str, from: &str, end: &str, stages: &[Stage<'_>]) {
        let (part, size) = (format!("{v}_part"), stages::PART);
        self.line(&format!("for (int64_t {part} = {from}; {part} < {end}; {part} += {size}) {{"));
        self.depth += 1;
        self.line(&format!("const int64_t {part}_end = min_i64({part} + {size}, {end});"));
        let kept: BTreeSet<LocalId> = stages.iter().flat_map(|s| s.kept.iter().copied()).collect();
        for x in kept {
            let ty = element(k.locals[x].ty);
            self.line(&format!("{ty} {}_s[{size}] __attribute__((aligned(64)));", names::local(k, x)));
        }
        for stage in stages {
            self.line(&format!("for (int64_t {v} = {part}; {v} < {part}_end; {v} += 1) {{"));
            self.depth += 1;
            for x in &stage.taken {
                let (ty, x) = (variable(k.locals[*x].ty), names::local(k, *x));
                self.line(&format!("{ty} {x} = {x}_s[{v} - {part}];"));
            }
            stage.again.iter().for_each(|s| self.stmt(k, s));
            self.stmts(k, stage.stmts);
            for x in &stage.kept {
                let x = names::local(k, *x);
                self.line(&format!("{x}_s[{v} - {part}] = {x};"));
            }
            self.depth -= 1;
            self.line("}");
        }
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, k: &Kernel, stmt: &Stmt) {
        match stmt {
            Stmt::Let(v, e) => {
                self.line(&format!("{} {} = {};", variable(k.locals[*v].ty), names::local(k, *v), expr(k, e)));
                let parts: Vec<ParamId> = self.parts.iter().filter(|(w, _)| w == v).map(|(_, p)| *p).collect();
                for p in parts {
                    if let Some(part) = own_part(k, p, *v) {
                        let (ty, p, v) = (element(held(k.params[p].kind)), names::param(k, p), names::local(k, *v));
                        self.line(&format!("{ty} *{part} = {p} + {v};"));
                        self.line(&format!("KEPT({part});"));
                    }
                }
            }
            Stmt::Assign(v, _) if self.keyed.contains(v) => self.keep(k, stmt),
            Stmt::Assign(v, e) => self.line(&format!("{} = {};", names::local(k, *v), expr(k, e))),
            Stmt::Store(p, at, e) => {
                let to = match &self.parted {
                    Some((results, part)) if results.contains(p) => {
                        format!("{}_part[{} - {part}]", names::param(k, *p), expr(k, at))
                    }
                    _ => place(k, *p, at),
                };
                self.line(&format!("{to} = {};", expr(k, e)));
            }
            Stmt::StoreCell(p, e) => self.line(&format!("*{} = {};", names::param(k, *p), expr(k, e))),
            Stmt::SetElement(a, ..) if self.adds_to_vector(stmt) => {
                let lane = self.lane.and_then(|l| registers::added(stmt, l));
                if let (Some((.., value)), Some(l)) = (lane, self.lane) {
                    self.line(&format!("{}_x[{}] = {};", names::array(k, *a), names::local(k, l), expr(k, value)));
                }
            }
            // Lanes are combined without a branch.
            Stmt::SetElement(a, at, Expr::Binary(op @ (BinOp::Min | BinOp::Max), x, y)) if type_of(k, x).is_float() => {
                let (a, ty, word) = (names::array(k, *a), type_of(k, x), op.word());
                self.line(&format!("{a}[{}] = {word}_of_keys_{ty}({}, {});", expr(k, at), expr(k, x), expr(k, y)));
            }
            Stmt::SetElement(a, at, e) => {
                self.line(&format!("{}[{}] = {};", names::array(k, *a), expr(k, at), expr(k, e)));
            }
            Stmt::StoreRun { buffer, at, array, from, count } => self.line(&format!(
                "stream_run(&{}[{}], &{}[{}], {count} * sizeof *{});",
                names::param(k, *buffer),
                expr(k, at),
                names::array(k, *array),
                expr(k, from),
                names::param(k, *buffer)
            )),
            Stmt::LoadWide { array, into, buffer, at, count } => {
                let (to, from) = (operand(k, into), operand(k, at));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {array}[{to} + i] = {buffer}[{from} + i];"));
            }
            Stmt::StoreWide { buffer, at, array, from, count } => {
                let (to, from) = (operand(k, at), operand(k, from));
                let (buffer, array) = (names::param(k, *buffer), names::array(k, *array));
                self.line(&format!("for (int i = 0; i < {count}; i++) {buffer}[{to} + i] = {array}[{from} + i];"));
            }
            Stmt::StoreKept { into, buffer, at, end, from, keep, count } => {
                let (kept, at) = (names::local(k, *into), expr(k, at));
                let room = format!("sub_i64({}, {at})", expr(k, end));
                let (from, elem) = match from {
                    Kept::Array(array) => (names::array(k, *array), k.arrays[*array].elem),
                    Kept::Buffer(buffer, position) => {
                        let elem = k.params[*buffer].kind.elem().expect("verified to be a buffer");
                        (format!("&{}[{}]", names::param(k, *buffer), expr(k, position)), elem)
                    }
                };
                let (bits, buffer) = (8 * elem.size_bytes(), names::param(k, *buffer));
                let (keep, count) = (names::array(k, *keep), expr(k, count));
                self.line(&format!(
                    "const int64_t {kept} = store_kept_{bits}(&{buffer}[{at}], {room}, {from}, {keep}, {count});"
                ));
            }
            Stmt::If(c, then, otherwise) => {
                let cond = expr(k, c);
                let rare = only_reports(then) && !otherwise.is_empty();
                self.line(&if rare { format!("if (UNLIKELY({cond})) {{") } else { format!("if ({cond}) {{") });
                self.nested(k, then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested(k, otherwise);
                }
                self.line("}");
            }
            Stmt::While(c, body) => {
                self.line(&format!("while ({}) {{", expr(k, c)));
                self.in_loop(k, body);
                self.line("}");
            }
            Stmt::For { var, from, to, step, body, simd } => {
                let v = names::local(k, *var);
                let (init, end) = match to {
                    Expr::Const(_) | Expr::Local(_) | Expr::Param(_) => (String::new(), expr(k, to)),
                    to => (format!("const int64_t {v}_end = {};", expr(k, to)), format!("{v}_end")),
                };
                let by = expr(k, step);
                if !init.is_empty() {
                    self.line(&init);
                }
                if let (Some(lanes), "1") = (Lanes::of(k, *var, body), by.as_str()) {
                    lanes.print(self, k, *var, &expr(k, from), &end);
                    return;
                }
                if self.loops == 0
                    && let Some(stages) = stages::stages(k, *var, step, body)
                {
                    self.in_stages(k, &v, &expr(k, from), &end, &stages);
                    return;
                }
                let results =
                    if self.streams { stream::results(k, *var, from, step, body, self.loops > 0) } else { Vec::new() };
                let is_streamed = !results.is_empty();
                if is_streamed {
                    let long = format!(" && {end} - {} >= {}", operand(k, from), stream::LONG);
                    self.line(&format!("if (streams{}) {{", if self.loops > 0 { &long } else { "" }));
                    self.depth += 1;
                    self.in_parts(k, &v, &expr(k, from), &end, results, body);
                    self.depth -= 1;
                    self.line("} else {");
                    self.depth += 1;
                }
                let head = format!("for (int64_t {v} = {}; {v} < {end}; {v} += {by}) {{", expr(k, from));
                let keyed = if self.keyed.is_empty() { least::variables(k, body) } else { Vec::new() };
                if !keyed.is_empty() {
                    self.with_keys(k, &keyed, &head, body);
                    if is_streamed {
                        self.depth -= 1;
                        self.line("}");
                    }
                    return;
                }
                let vectors = if self.vectors.is_empty() { registers::arrays(k, body) } else { Vec::new() };
                self.load_vectors(k, &vectors);
                if *simd && let Some(shared) = Shared::of(k, *var, body, &self.vectors) {
                    self.shared(k, *var, body, &shared);
                    return;
                }
                let around = self.lane;
                let group = if *simd { self.group(k, *var, body) } else { Vec::new() };
                let is_simd = *simd && is_straight(body);
                match by.as_str() {
                    "1" if vectors.is_empty() && group.is_empty() => self.points(k, &head, body, is_simd),
                    _ => self.loop_of(k, &head, body, is_simd),
                }
                self.lane = around;
                self.add_group(k, &group);
                self.store_vectors(k, &vectors);
                if is_streamed {
                    self.depth -= 1;
                    self.line("}");
                }
            }
            // A tile has one thread.
            Stmt::Barrier => {}
            Stmt::Check { check, cond, index, values } => {
                let mut shown: Vec<String> = values.iter().take(3).map(|e| as_i64(k, e)).collect();
                shown.resize(3, "0".into());
                let mark = if self.marks_failure { "failed = true, " } else { "" };
                self.line(&format!(
                    "if (UNLIKELY(!{})) {mark}terrace_fail(err, launch, {}, {}, {});",
                    operand(k, cond),
                    check.index(),
                    expr(k, index),
                    shown.join(", ")
                ));
            }
            Stmt::AtomicAdd { into, buffer, at, value } => self.line(&format!(
                "{} {} = __atomic_fetch_add(&{}[{}], {}, __ATOMIC_SEQ_CST);",
                variable(k.locals[*into].ty),
                names::local(k, *into),
                names::param(k, *buffer),
                expr(k, at),
                expr(k, value)
            )),
            Stmt::Atomic { operator, buffer, at, value } => {
                let elem = held(k.params[*buffer].kind);
                // A `bool` is a byte that holds 0 or 1.
                let (word, ty) = match (operator, elem) {
                    (BinOp::Min, ScalarType::Bool) => ("and", "u8"),
                    (BinOp::Max, ScalarType::Bool) => ("or", "u8"),
                    (operator, ScalarType::Bool) => (operator.word(), "u8"),
                    (operator, ty) => (operator.word(), ty.name()),
                };
                let (p, at, value) = (names::param(k, *buffer), expr(k, at), expr(k, value));
                self.line(&format!("atomic_{word}_{ty}(&{p}[{at}], {value});"));
            }
            // A block is one thread here.
            Stmt::AtomicElement { operator, array, at, value } => {
                let element = Expr::Element(*array, Box::new(at.clone()));
                let new = Expr::Binary(*operator, Box::new(element), Box::new(value.clone()));
                self.stmt(k, &Stmt::SetElement(*array, at.clone(), new));
            }
            Stmt::Rank { into, counts, at, .. } => self.line(&format!(
                "{} {} = {}[{}]++;",
                variable(k.locals[*into].ty),
                names::local(k, *into),
                names::array(k, *counts),
                expr(k, at)
            )),
            // Tiles come in order, one after the other: the words of a column's first tile hold the sum so far.
            Stmt::Announce { .. } => {}
            Stmt::Earlier { into, tops, column, own, .. } => {
                let (v, tops, column) = (names::local(k, *into), names::param(k, *tops), expr(k, column));
                self.line(&format!("{} {v} = {tops}[{column}];", variable(ScalarType::I64)));
                self.line(&format!("{tops}[{column}] += {};", expr(k, own)));
            }
            Stmt::Publish { flags, at, value } => self.line(&format!(
                "__atomic_store_n(&{}[{}], {}, __ATOMIC_RELEASE);",
                names::param(k, *flags),
                expr(k, at),
                expr(k, value)
            )),
            Stmt::Send { words, at, value, flag } => {
                let ty = variable(type_of(k, value));
                let word = format!("(uint64_t *)&{}[{}]", names::param(k, *words), expr(k, at));
                self.line(&format!("{{ const {ty} sent = {};", expr(k, value)));
                self.line("uint32_t half[2] = {0, 0}; memcpy(half, &sent, sizeof sent);");
                self.line(&format!("const uint64_t tag = (uint64_t)(uint32_t){} << 32;", operand(k, flag)));
                self.line("for (size_t i = 0; i < (sizeof sent + 3) / 4; i++)");
                self.line(&format!("    __atomic_store_n({word} + i, tag | half[i], __ATOMIC_RELAXED); }}"));
            }
            Stmt::Receive { value, flag, words, at, wait } => {
                let (v, f) = (names::local(k, *value), names::local(k, *flag));
                let word = format!("(uint64_t *)&{}[{}]", names::param(k, *words), expr(k, at));
                self.line("{ uint32_t half[2] = {0, 0}; uint64_t word = 0;");
                self.line(&format!("for (size_t i = 0; i < (sizeof {v} + 3) / 4; i++) {{"));
                self.line(&format!("    do word = __atomic_load_n({word} + i, __ATOMIC_RELAXED);"));
                self.line(&format!("    while ({} && word == 0);", i32::from(*wait)));
                self.line(&format!("    half[i] = (uint32_t)word; {f} = (int32_t)(word >> 32); if (!{f}) break; }}"));
                self.line(&format!("memcpy(&{v}, half, sizeof {v}); }}"));
            }
            Stmt::Run { function, args, into, ok, index, span } => {
                let ok = names::local(k, *ok);
                for given in into {
                    let v = given.local();
                    self.line(&format!("{} {} = 0;", variable(k.locals[v].ty), names::local(k, v)));
                    if let Given::Held(..) = given {
                        self.line(&format!("terrace_slot {}_slot = {{0, 0}};", names::local(k, v)));
                    }
                }
                let mut list = vec!["worker".to_string()];
                list.extend(args.iter().map(|a| match a {
                    RunArg::Value(e) => expr(k, e),
                    RunArg::Buffer(p) => format!("(terrace_slot){{(void *){}, 0}}", names::param(k, *p)),
                }));
                list.extend(into.iter().map(|g| match g {
                    Given::Scalar(v) => format!("&{}", names::local(k, *v)),
                    Given::Held(v, ..) => format!("&{}_slot", names::local(k, *v)),
                }));
                let mut held = String::new();
                for given in into {
                    if let Given::Held(v, ty, count) = given {
                        let (v, count) = (names::local(k, *v), names::local(k, *count));
                        let bytes = ty.size_bytes();
                        held += &format!(" && terrace_hold(worker, &{v}_slot, {count} * {bytes}, &{v})");
                    }
                }
                let call = format!("{}({})", alone::name(*function), list.join(", "));
                self.line(&format!("uint64_t {ok}_before[8];"));
                self.line(&format!("terrace_begin(worker, {ok}_before);"));
                self.line(&format!("bool {ok} = terrace_deeper(worker, {}) && {call}{held};", alone::span(*span)));
                let mark = if self.marks_failure { format!("failed |= !{ok}, ") } else { String::new() };
                let index = expr(k, index);
                self.line(&format!("if (UNLIKELY(!{ok} || {ok}_before[1] != 0)) {mark}terrace_pass_on(worker, err, launch, {index}, {ok}_before);"));
            }
            Stmt::Take { buffer, at, handle, count } => {
                let p = names::param(k, *buffer);
                self.line(&format!(
                    "terrace_take(worker, &{p}[{}], {}, {} * sizeof *{p});",
                    expr(k, at),
                    expr(k, handle),
                    operand(k, count)
                ));
            }
            Stmt::Await { into, flags, at } => {
                let v = names::local(k, *into);
                self.line(&format!("{} {v};", variable(k.locals[*into].ty)));
                self.line(&format!(
                    "while (({v} = __atomic_load_n(&{}[{}], __ATOMIC_ACQUIRE)) == 0) {{ }}",
                    names::param(k, *flags),
                    expr(k, at)
                ));
            }
        }
    }
}

fn as_i64(k: &Kernel, e: &Expr) -> String {
    if type_of(k, e) == ScalarType::I64 { expr(k, e) } else { format!("(int64_t){}", operand(k, e)) }
}

/// Whether it makes checks and does nothing else: it is there for what rarely happens.
fn only_reports(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::Let(..) | Stmt::Check { .. } => true,
        Stmt::If(_, a, b) => only_reports(a) && only_reports(b),
        Stmt::For { body, .. } => only_reports(body),
        _ => false,
    })
}

fn is_straight(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::Let(..) | Stmt::Assign(..) | Stmt::Store(..) | Stmt::SetElement(..) => true,
        Stmt::If(_, a, b) => is_straight(a) && is_straight(b),
        _ => false,
    })
}
