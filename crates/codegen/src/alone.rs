//! Functions of the host program as C: what one thread runs by itself.
//!
//! A thread that is left with a whole point runs the host program of a function, just as the executor would: allocations, launches, branches,
//! loops, calls. Printed as C, a launch is a call of what the kernel does for a tile, and memory comes from the thread's own arena:
//!
//! ```text
//! alloc kept : i64[n]               if (!terrace_alloc(w, &kept_b4, n_0, 8, …)) goto failed;
//! launch k_pack(…)                  for (int64_t tile = 0; tile < 1; tile++) k_pack_tile(…);
//! call quicksort^alone(…)           if (!terrace_deeper(w, …) || !alone_2(w, …, &x)) goto failed;
//! ```
//!
//! Cells are plain variables here: nothing is asked for ahead of its time. Buffers are counted as they are by the executor, and go back to the arena with their
//! last holder, so a loop holds no more than it needs. A failing check is recorded with the worker and comes out through every call; whoever
//! runs the outermost function passes it on ([`Stmt::Run`]).
//!
//! The whole text stands once in the plan; the kernels that run such functions share a unit with it. Declined: guards (threads have no versions) and limits of waves.

use crate::c::types::{element, variable};
use crate::c::{Tile, expr::expr};
use crate::shared::names;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{IdVec, Scalar, ScalarType, Span};
use terrace_ir::kernel::{Expr, Kernel, Local, LocalId, ParamId, ParamKind, Program, Stmt};
use terrace_plan::Plan;
use terrace_plan::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotType};

/// The name of a function in the text.
pub fn name(function: usize) -> String {
    format!("alone_{function}")
}

/// A place in the source, as three numbers.
pub fn span(span: Span) -> String {
    format!("{}u, {}u, {}u", span.file.index(), span.start, span.end)
}

/// Gives the plan the functions that threads run, and marks the kernels that run them; kernels that only they launch go.
pub fn write(program: &Program, plan: &mut Plan) {
    let mut functions = BTreeSet::new();
    for kernel in &program.kernels {
        kernel.phases.iter().for_each(|p| run_by(p, &mut functions));
    }
    if functions.is_empty() {
        return;
    }
    loop {
        let before = functions.len();
        for f in functions.clone() {
            called_by(&program.functions[f].body, &mut functions);
        }
        if functions.len() == before {
            break;
        }
    }
    let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
    for (id, function) in program.functions.iter().enumerate() {
        let list = if functions.contains(&id) { &mut inside } else { &mut outside };
        launched_by(&function.body, list);
    }
    plan.alone = text_of(program, &functions, &inside);
    for (id, kernel) in plan.kernels.iter_mut().enumerate() {
        if inside.contains(&id) && !outside.contains(&id) {
            kernel.text.clear();
            continue;
        }
        kernel.alone = program.kernels[id].phases.iter().any(|p| uses_worker(p));
    }
}

fn run_by(stmts: &[Stmt], out: &mut BTreeSet<usize>) {
    for s in stmts {
        if let Stmt::Run { function, .. } = s {
            out.insert(*function);
        }
        s.bodies().into_iter().for_each(|b| run_by(b, out));
    }
}

fn uses_worker(stmts: &[Stmt]) -> bool {
    stmts
        .iter()
        .any(|s| matches!(s, Stmt::Run { .. } | Stmt::Take { .. }) || s.bodies().into_iter().any(|b| uses_worker(b)))
}

fn below(stmt: &HostStmt) -> Vec<&Vec<HostStmt>> {
    match stmt {
        HostStmt::If { then: a, otherwise: b, .. } | HostStmt::While { cond: a, body: b, .. } => vec![a, b],
        _ => Vec::new(),
    }
}

fn called_by(stmts: &[HostStmt], out: &mut BTreeSet<usize>) {
    for s in stmts {
        if let HostStmt::Call { function, .. } = s {
            out.insert(*function);
        }
        below(s).into_iter().for_each(|b| called_by(b, out));
    }
}

fn launched_by(stmts: &[HostStmt], out: &mut BTreeSet<usize>) {
    for s in stmts {
        if let HostStmt::Launch { kernel, .. } = s {
            out.insert(*kernel);
        }
        below(s).into_iter().for_each(|b| launched_by(b, out));
    }
}

fn text_of(program: &Program, functions: &BTreeSet<usize>, kernels: &BTreeSet<usize>) -> String {
    let mut text = String::from(ARENA);
    for f in functions {
        text.push_str(&format!("{};\n", head(*f, &program.functions[*f])));
    }
    let mut tiles: BTreeMap<usize, Vec<Tile>> = BTreeMap::new();
    for id in kernels {
        let kernel = &program.kernels[*id];
        let phases = kernel.phases.iter().enumerate();
        let phases: Vec<Tile> = phases.map(|(p, stmts)| Tile::of(kernel, &inner_name(kernel, p), stmts)).collect();
        phases.iter().for_each(|t| text.push_str(&t.text));
        tiles.insert(*id, phases);
    }
    for f in functions {
        let function = &program.functions[*f];
        let mut printer =
            Printer { program, function, tiles: &tiles, slots: slots_of(function), out: String::new(), depth: 1 };
        printer.function();
        text.push_str(&format!("{} {{\n{}}}\n", head(*f, function), printer.out));
    }
    text
}

/// A kernel may also be launched by the executor, under its own name.
fn inner_name(kernel: &Kernel, phase: usize) -> String {
    format!("alone_{}", names::phase(kernel, phase))
}

/// The slots of a function as the local variables of a kernel, for the printer of expressions.
fn slots_of(function: &HostFunction) -> Kernel {
    let locals: IdVec<LocalId, Local> = function
        .slots
        .iter()
        .map(|s| {
            let (SlotType::Host(ty) | SlotType::Cell(ty) | SlotType::Buffer(ty)) = s.ty;
            Local { name: s.name.clone(), ty }
        })
        .collect();
    Kernel {
        name: function.name.clone(),
        params: IdVec::new(),
        locals,
        arrays: IdVec::new(),
        phases: Vec::new(),
        block: 1,
        resident: 1,
        small: None,
        span: Span::none(),
    }
}

fn is_buffer(function: &HostFunction, slot: SlotId) -> bool {
    matches!(function.slots[slot.index()].ty, SlotType::Buffer(_))
}

fn elem(function: &HostFunction, slot: SlotId) -> ScalarType {
    let (SlotType::Host(ty) | SlotType::Cell(ty) | SlotType::Buffer(ty)) = function.slots[slot.index()].ty;
    ty
}

fn head(id: usize, function: &HostFunction) -> String {
    let mut list = vec!["terrace_worker *w".to_string()];
    for (i, p) in function.params.iter().enumerate() {
        let ty = if is_buffer(function, *p) { "terrace_slot" } else { variable(elem(function, *p)) };
        list.push(format!("{ty} given_{i}"));
    }
    for (i, r) in function.results.iter().enumerate() {
        let ty = if is_buffer(function, *r) { "terrace_slot" } else { variable(elem(function, *r)) };
        list.push(format!("{ty} *gives_{i}"));
    }
    format!("static bool {}({})", name(id), list.join(", "))
}

struct Printer<'a> {
    program: &'a Program,
    function: &'a HostFunction,
    tiles: &'a BTreeMap<usize, Vec<Tile>>,
    slots: Kernel,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(&"    ".repeat(self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn slot(&self, slot: SlotId) -> String {
        names::local(&self.slots, LocalId::new(slot.index()))
    }

    fn expr(&self, e: &HostExpr) -> String {
        expr(&self.slots, &plain(e))
    }

    fn function(&mut self) {
        let function = self.function;
        for i in 0..function.slots.len() {
            let slot = SlotId::new(i);
            let name = self.slot(slot);
            match function.slots[i].ty {
                SlotType::Buffer(_) => self.line(&format!("terrace_slot {name} = {{0, 0}};")),
                SlotType::Host(ty) | SlotType::Cell(ty) => self.line(&format!("{} {name} = 0;", variable(ty))),
            }
        }
        self.line("bool fine = false;");
        self.line("w->depth++;");
        for (i, p) in function.params.iter().enumerate() {
            let name = self.slot(*p);
            match is_buffer(function, *p) {
                true => self.line(&format!("terrace_share(w, &{name}, given_{i});")),
                false => self.line(&format!("{name} = given_{i};")),
            }
        }
        self.stmts(&function.body);
        for (i, r) in function.results.iter().enumerate() {
            let name = self.slot(*r);
            match is_buffer(function, *r) {
                true => self.line(&format!("terrace_share(w, gives_{i}, {name});")),
                false => self.line(&format!("*gives_{i} = {name};")),
            }
        }
        self.line("fine = true;");
        self.out.push_str("failed: __attribute__((unused));\n");
        self.line("w->depth--;");
        for i in 0..function.slots.len() {
            let slot = SlotId::new(i);
            if is_buffer(function, slot) {
                self.line(&format!("terrace_drop(w, &{});", self.slot(slot)));
            }
        }
        self.line("return fine;");
    }

    fn nested(&mut self, stmts: &[HostStmt]) {
        self.depth += 1;
        self.stmts(stmts);
        self.depth -= 1;
    }

    fn stmts(&mut self, stmts: &[HostStmt]) {
        stmts.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &HostStmt) {
        match stmt {
            HostStmt::Compute { to, expr } | HostStmt::WriteCell { cell: to, value: expr } => {
                self.line(&format!("{} = {};", self.slot(*to), self.expr(expr)));
            }
            HostStmt::Guard { to, .. } => self.line(&format!("{} = false;", self.slot(*to))),
            HostStmt::Alloc { to, count, span: place } => {
                let (to, bytes) = (self.slot(*to), elem(self.function, *to).size_bytes());
                let (count, place) = (self.expr(count), span(*place));
                self.line(&format!("if (UNLIKELY(!terrace_alloc(w, &{to}, {count}, {bytes}, {place}))) goto failed;"));
            }
            HostStmt::AllocCell { .. } | HostStmt::Copies { .. } => {}
            HostStmt::Alias { to, from } => match is_buffer(self.function, *to) {
                true => self.line(&format!("terrace_share(w, &{}, {});", self.slot(*to), self.slot(*from))),
                false => self.line(&format!("{} = {};", self.slot(*to), self.slot(*from))),
            },
            HostStmt::Free { slot } => {
                if is_buffer(self.function, *slot) {
                    self.line(&format!("terrace_drop(w, &{});", self.slot(*slot)));
                }
            }
            HostStmt::Zero { buffer } => self.line(&format!("terrace_zero({});", self.slot(*buffer))),
            HostStmt::Launch { kernel, tiles, args } => self.launch(*kernel, tiles, args),
            HostStmt::Read { cells } => {
                for (cell, to) in cells {
                    self.line(&format!("{} = {};", self.slot(*to), self.slot(*cell)));
                }
            }
            HostStmt::Check { check, cond, values } => {
                let mut shown: Vec<String> = values.iter().take(3).map(|v| self.expr(v)).collect();
                shown.resize(3, "0".into());
                let (cond, shown) = (self.expr(cond), shown.join(", "));
                self.line(&format!("if (UNLIKELY(!({cond}))) {{"));
                self.line(&format!("    terrace_fail(w->err, 1, {check}, -1, {shown});"));
                self.line("    goto failed;");
                self.line("}");
            }
            HostStmt::If { cond, then, otherwise } => {
                self.line(&format!("if ({}) {{", self.expr(cond)));
                self.nested(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.nested(otherwise);
                }
                self.line("}");
            }
            HostStmt::While { cond, test, body } => {
                self.line("for (;;) {");
                self.nested(cond);
                self.line(&format!("    if (!({})) break;", self.expr(test)));
                self.nested(body);
                self.line("}");
            }
            HostStmt::Call { function, args, results, span: place } => self.call(*function, args, results, *place),
        }
    }

    fn launch(&mut self, kernel: usize, tiles: &[HostExpr], args: &[Argument]) {
        let k = &self.program.kernels[kernel];
        let mut checks = false;
        for (phase, (tile, count)) in self.tiles[&kernel].iter().zip(tiles).enumerate() {
            checks |= tile.used.checks;
            let actual = |id: ParamId| match (k.params[id].kind, &args[id.index()]) {
                (ParamKind::Input(ty) | ParamKind::Output(ty) | ParamKind::Scratch(ty), Argument::Slot(slot)) => {
                    format!("({} *){}.data", element(ty), self.slot(*slot))
                }
                // A `bool` is a byte in memory.
                (ParamKind::CellOut(ty), Argument::Slot(slot)) => format!("({} *)&{}", element(ty), self.slot(*slot)),
                (_, Argument::Slot(slot)) => self.slot(*slot),
                (_, Argument::Value(e)) => self.expr(e),
            };
            let list = tile.arguments("w->err", "1", "tiles", "w", &actual);
            let count = self.expr(count);
            let call = format!("{}_tile({list});", inner_name(k, phase));
            self.line(&format!(
                "for (int64_t tile = 0, tiles = {count}; tile < tiles; tile++) {call}{}",
                tile.end().trim_end()
            ));
        }
        if checks {
            self.line("if (UNLIKELY(w->err[1] != 0)) goto failed;");
        }
    }

    fn call(&mut self, function: usize, args: &[SlotId], results: &[SlotId], place: Span) {
        let callee = &self.program.functions[function];
        self.line("{");
        self.depth += 1;
        let mut list = vec!["w".to_string()];
        list.extend(args.iter().map(|a| self.slot(*a)));
        for (i, r) in callee.results.iter().enumerate() {
            match is_buffer(callee, *r) {
                true => self.line(&format!("terrace_slot got_{i} = {{0, 0}};")),
                false => self.line(&format!("{} got_{i} = 0;", variable(elem(callee, *r)))),
            }
            list.push(format!("&got_{i}"));
        }
        let call = format!("{}({})", name(function), list.join(", "));
        self.line(&format!("if (UNLIKELY(!terrace_deeper(w, {}) || !{call})) goto failed;", span(place)));
        for (i, to) in results.iter().enumerate() {
            let to_name = self.slot(*to);
            if is_buffer(self.function, *to) {
                self.line(&format!("terrace_drop(w, &{to_name});"));
            }
            self.line(&format!("{to_name} = got_{i};"));
        }
        self.depth -= 1;
        self.line("}");
    }
}

fn plain(e: &HostExpr) -> Expr {
    let boxed = |e: &HostExpr| Box::new(plain(e));
    match e {
        HostExpr::Const(c) => Expr::Const(*c),
        HostExpr::Slot(s) => Expr::Local(LocalId::new(s.index())),
        HostExpr::Unary(op, a) => Expr::Unary(*op, boxed(a)),
        HostExpr::Binary(op, a, b) => Expr::Binary(*op, boxed(a), boxed(b)),
        HostExpr::Fma(a, b, c) => Expr::Fma(boxed(a), boxed(b), boxed(c)),
        HostExpr::Convert(ty, a) => Expr::Convert(*ty, boxed(a)),
        HostExpr::Select(c, a, b) => Expr::Select(boxed(c), boxed(a), boxed(b)),
        // A thread's own waves are small, and nobody shares them.
        HostExpr::MemoryLimit => Expr::Const(Scalar::I64(1 << 60)),
        HostExpr::Workers => Expr::Const(Scalar::I64(1)),
    }
}

/// The memory of a thread. The runtime has the same structure (`devices/arena.rs`).
const ARENA: &str = r#"/* Blocks are cut from the chunks that the runtime gives, and serve again by their size class. */
typedef struct terrace_block {
    int64_t refs, bytes, class;
    struct terrace_block *next;
} terrace_block;
typedef struct { void *data; terrace_block *block; } terrace_slot;
enum { TERRACE_NO_MEMORY = 0x7ffffff0, TERRACE_TOO_DEEP, TERRACE_NO_LENGTH };
typedef struct terrace_worker {
    uint64_t err[8];
    char *at, *end, *floor;
    int64_t depth, depth_limit, held;
    bool (*more)(struct terrace_worker *, uint64_t);
    void *owner;
    terrace_block *spare[192];
} terrace_worker;

static __attribute__((unused, noinline, cold)) void terrace_machine(
    terrace_worker *w, uint64_t what, int64_t value, uint64_t file, uint64_t start, uint64_t end) {
    terrace_fail(w->err, 1, what, -1, value, (int64_t)file, (int64_t)(start << 32 | end));
}
/* Four classes for every power of two. */
HELPER uint64_t terrace_class(uint64_t bytes, int64_t *class) {
    if (bytes <= 256) {
        *class = (int64_t)((bytes + 31) / 32);
        return (uint64_t)*class * 32;
    }
    const int k = 63 - __builtin_clzll(bytes - 1);
    const uint64_t quarter = (bytes - 1) >> (k - 2);
    *class = 9 + (int64_t)(k - 8) * 4 + (int64_t)(quarter - 4);
    return (quarter + 1) << (k - 2);
}
HELPER void terrace_drop(terrace_worker *w, terrace_slot *slot) {
    terrace_block *b = slot->block;
    slot->data = 0;
    slot->block = 0;
    if (b && --b->refs == 0) {
        b->next = w->spare[b->class];
        w->spare[b->class] = b;
    }
}
HELPER void terrace_share(terrace_worker *w, terrace_slot *to, terrace_slot from) {
    if (from.block) from.block->refs++;
    terrace_drop(w, to);
    *to = from;
}
HELPER bool terrace_get(terrace_worker *w, terrace_slot *slot, uint64_t bytes) {
    int64_t class;
    const uint64_t room = terrace_class(bytes + sizeof(terrace_block), &class);
    terrace_block *b = w->spare[class];
    if (b) {
        w->spare[class] = b->next;
    } else {
        if (UNLIKELY((uint64_t)(w->end - w->at) < room) && !w->more(w, room)) return false;
        b = (terrace_block *)w->at;
        w->at += room;
    }
    b->refs = 1;
    b->bytes = (int64_t)bytes;
    b->class = class;
    slot->data = b + 1;
    slot->block = b;
    return true;
}
HELPER bool terrace_alloc(terrace_worker *w, terrace_slot *slot, int64_t count, int64_t size, uint64_t file, uint64_t start, uint64_t end) {
    terrace_drop(w, slot);
    if (UNLIKELY((uint64_t)count > (UINT64_C(1) << 47))) {
        terrace_machine(w, TERRACE_NO_LENGTH, count, file, start, end);
        return false;
    }
    if (UNLIKELY(!terrace_get(w, slot, (uint64_t)(count * size)))) {
        terrace_machine(w, TERRACE_NO_MEMORY, count * size, file, start, end);
        return false;
    }
    return true;
}
HELPER void terrace_zero(terrace_slot slot) {
    if (slot.block) memset(slot.data, 0, (size_t)slot.block->bytes);
}
HELPER bool terrace_deeper(terrace_worker *w, uint64_t file, uint64_t start, uint64_t end) {
    if (UNLIKELY(w->depth >= w->depth_limit || (char *)__builtin_frame_address(0) < w->floor)) {
        terrace_machine(w, TERRACE_TOO_DEEP, w->depth_limit, file, start, end);
        return false;
    }
    return true;
}
/* What a function gave, as a number. What is not of this worker is copied: its owner may let go of it. */
HELPER bool terrace_hold(terrace_worker *w, terrace_slot *slot, int64_t bytes, int64_t *handle) {
    if (!slot->block) {
        const void *from = slot->data;
        if (!terrace_get(w, slot, (uint64_t)bytes)) {
            terrace_machine(w, TERRACE_NO_MEMORY, bytes, UINT32_MAX, 0, 0);
            return false;
        }
        if (bytes) memcpy(slot->data, from, (size_t)bytes);
    }
    w->held++;
    *handle = (int64_t)(intptr_t)slot->block;
    return true;
}
HELPER void terrace_take(terrace_worker *w, void *to, int64_t handle, int64_t bytes) {
    terrace_slot slot = {0, (terrace_block *)(intptr_t)handle};
    if (bytes > 0) memcpy(to, slot.block + 1, (size_t)bytes);
    w->held--;
    terrace_drop(w, &slot);
}
/* Points run whether or not another one has failed: what failed before is put aside meanwhile. */
HELPER void terrace_begin(terrace_worker *w, uint64_t *before) {
    before[1] = w->err[1];
    if (UNLIKELY(before[1] != 0)) {
        memcpy(before, w->err, sizeof w->err);
        memset(w->err, 0, sizeof w->err);
    }
}
/* A failure inside is a failure of the point; of several the least check counts, and then the first point. */
static __attribute__((unused, noinline, cold)) void terrace_pass_on(
    terrace_worker *w, uint64_t *err, int64_t launch, int64_t index, const uint64_t *before) {
    if (err != w->err) {
        terrace_fail(err, launch, w->err[2], index, (int64_t)w->err[4], (int64_t)w->err[5], (int64_t)w->err[6]);
        memset(w->err, 0, sizeof w->err);
    } else if (before[1] != 0 && (w->err[1] == 0 || before[2] <= w->err[2])) {
        memcpy(w->err, before, sizeof w->err);
    }
}
"#;
