//! Kernels as text, for people: nearly the C that comes of them.
//!
//! ```text
//! kernel saxpy(x : out f32[], a : f32, xs : in f32[], n : i64) block 256 {
//!   let q_0 : i64 = tile * 1024 + thread
//!   if q_0 < n {
//!     x[q_0] = fma(a, xs[q_0], ys[q_0])
//!   }
//! }
//! ```
//!
//! Parameters and arrays are unique by name where the lowering made them so; local variables carry their number.
//! The host program follows, as `terrace_plan` prints it. Nothing parses this back.

use super::{ArrayId, Expr, Kept, Kernel, LocalId, ParamId, ParamKind, Program, RunArg, Shuffle, Stmt};
use std::fmt;
use terrace_base::ScalarType;
use terrace_plan::print::{ATOM, binary, conversion, entries_and_checks, host_function, target, thresholds, unary};

/// The whole program: entries, checks, kernels, host functions.
pub fn print(program: &Program) -> String {
    let names: Vec<&str> = program.kernels.iter().map(|k| k.name.as_str()).collect();
    let mut out = format!("kernels for {}\n", target(program.target));
    out += &entries_and_checks(&program.entries, &program.functions, &program.checks);
    out += &thresholds(&program.thresholds);
    let twins: Vec<usize> = program.kernels.iter().filter_map(|k| k.small.as_ref().map(|s| s.kernel)).collect();
    for (_, kernel) in program.kernels.iter().enumerate().filter(|(at, _)| !twins.contains(at)) {
        let mark = if kernel.small.is_some() { "// also with 32-bit indices\n" } else { "" };
        out += &format!("\n{mark}{}", print_kernel(kernel));
    }
    for function in &program.functions {
        out += &format!("\n{}", host_function(function, &program.functions, &names));
    }
    out
}

/// One kernel.
pub fn print_kernel(kernel: &Kernel) -> String {
    let p = Printer { kernel };
    let params: Vec<String> = kernel.params.ids().map(|id| p.typed_param(id)).collect();
    let mut out = format!("kernel {}({}) block {} {{\n", kernel.name, params.join(", "), kernel.block);
    for array in &kernel.arrays {
        let place = if array.shared { "shared" } else { "private" };
        out += &format!("  {place} {} : {}[{}]\n", array.name, array.elem, array.count);
    }
    for (number, phase) in kernel.phases.iter().enumerate() {
        if kernel.phases.len() > 1 {
            out += &format!("phase {number}:\n");
        }
        p.stmts(phase, 1, &mut out);
    }
    out + "}\n"
}

/// The first line of a statement, for messages.
pub(crate) fn first_line(kernel: &Kernel, stmt: &Stmt) -> String {
    let mut text = String::new();
    Printer { kernel }.stmt(stmt, 0, &mut text);
    text.lines().next().unwrap_or_default().to_string()
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

struct Printer<'a> {
    kernel: &'a Kernel,
}

impl Printer<'_> {
    fn param(&self, id: ParamId) -> &str {
        self.kernel.params.get(id).map_or("unknown", |p| p.name.as_str())
    }

    fn typed_param(&self, id: ParamId) -> String {
        let (before, s, after): (&str, ScalarType, &str) = match self.kernel.params[id].kind {
            ParamKind::Input(s) => ("in ", s, "[]"),
            ParamKind::Output(s) => ("out ", s, "[]"),
            ParamKind::Scratch(s) => ("scratch ", s, "[]"),
            ParamKind::Scalar(s) => ("", s, ""),
            ParamKind::CellIn(s) => ("in ", s, " cell"),
            ParamKind::CellOut(s) => ("out ", s, " cell"),
        };
        format!("{} : {before}{s}{after}", self.param(id))
    }

    fn array(&self, id: ArrayId) -> &str {
        self.kernel.arrays.get(id).map_or("unknown", |a| a.name.as_str())
    }

    fn local(&self, id: LocalId) -> String {
        format!("{}_{id}", self.kernel.locals.get(id).map_or("unknown", |l| l.name.as_str()))
    }

    fn typed_local(&self, id: LocalId) -> String {
        let ty = self.kernel.locals.get(id).map_or("unknown", |l| l.ty.name());
        format!("{} : {ty}", self.local(id))
    }

    fn expr(&self, expr: &Expr) -> String {
        self.tree(expr).0
    }

    fn tree(&self, expr: &Expr) -> (String, u8) {
        let e = |x: &Expr| self.expr(x);
        let text = match expr {
            Expr::Unary(op, x) => return unary(*op, self.tree(x)),
            Expr::Binary(op, x, y) => return binary(*op, self.tree(x), self.tree(y)),
            Expr::Convert(to, x) => return conversion(*to, self.tree(x)),
            Expr::Const(c) => c.to_string(),
            Expr::Local(l) => self.local(*l),
            Expr::Param(p) => self.param(*p).to_string(),
            Expr::Tile => "tile".into(),
            Expr::Thread => "thread".into(),
            Expr::Failed => "failed".into(),
            Expr::Ordinal(x) => format!("ordinal({})", e(x)),
            Expr::Quotient(x, y) => format!("quotient({}, {})", e(x), e(y)),
            Expr::Exact(op, x, y) => return binary(*op, self.tree(x), self.tree(y)),
            Expr::Fma(x, y, z) => format!("fma({}, {}, {})", e(x), e(y), e(z)),
            Expr::Select(c, x, y) => format!("select({}, {}, {})", e(c), e(x), e(y)),
            Expr::Load(p, at) => format!("{}[{}]", self.param(*p), e(at)),
            Expr::LoadFresh(p, at) => format!("fresh {}[{}]", self.param(*p), e(at)),
            Expr::Element(a, at) => format!("{}[{}]", self.array(*a), e(at)),
            Expr::Shuffle(from, x, lane) => {
                let word = match from {
                    Shuffle::Up => "shuffle_up",
                    Shuffle::Down => "shuffle_down",
                    Shuffle::Lane => "shuffle",
                };
                format!("{word}({}, {})", e(x), e(lane))
            }
        };
        (text, ATOM)
    }

    fn stmts(&self, stmts: &[Stmt], depth: usize, out: &mut String) {
        stmts.iter().for_each(|s| self.stmt(s, depth, out));
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let e = |x: &Expr| self.expr(x);
        let line = match stmt {
            Stmt::Let(l, x) => format!("let {} = {}", self.typed_local(*l), e(x)),
            Stmt::Assign(l, x) => format!("{} = {}", self.local(*l), e(x)),
            Stmt::Store(p, at, x) => format!("{}[{}] = {}", self.param(*p), e(at), e(x)),
            Stmt::StoreCell(p, x) => format!("{} = {}", self.param(*p), e(x)),
            Stmt::SetElement(a, at, x) => format!("{}[{}] = {}", self.array(*a), e(at), e(x)),
            Stmt::StoreRun { buffer, at, array, from, count } => {
                format!(
                    "{}[{} ..+ {count}] = {}[{} ..+ {count}]",
                    self.param(*buffer),
                    e(at),
                    self.array(*array),
                    e(from)
                )
            }
            Stmt::LoadWide { array, into, buffer, at, count } => {
                format!("{}[{} ..+ {count}] = wide {}[{}]", self.array(*array), e(into), self.param(*buffer), e(at))
            }
            Stmt::StoreWide { buffer, at, array, from, count } => {
                format!("wide {}[{}] = {}[{} ..+ {count}]", self.param(*buffer), e(at), self.array(*array), e(from))
            }
            Stmt::StoreKept { into, buffer, at, end, from, keep, count } => {
                let (from, position) = match from {
                    Kept::Array(array) => (self.array(*array), "0".to_string()),
                    Kept::Buffer(buffer, position) => (self.param(*buffer), e(position)),
                };
                format!(
                    "let {} = {}[{} .. {}] = {from}[{position} ..+ {}] where {}",
                    self.typed_local(*into),
                    self.param(*buffer),
                    e(at),
                    e(end),
                    e(count),
                    self.array(*keep)
                )
            }
            Stmt::If(c, then, otherwise) => {
                *out += &format!("{indent}if {} {{\n", e(c));
                self.stmts(then, depth + 1, out);
                if !otherwise.is_empty() {
                    *out += &format!("{indent}}} else {{\n");
                    self.stmts(otherwise, depth + 1, out);
                }
                "}".into()
            }
            Stmt::While(c, body) => {
                *out += &format!("{indent}while {} {{\n", e(c));
                self.stmts(body, depth + 1, out);
                "}".into()
            }
            Stmt::For { var, from, to, step, body, simd } => {
                let simd = if *simd { "simd " } else { "" };
                let step = if matches!(step, Expr::Const(c) if c.as_i64() == Some(1)) {
                    String::new()
                } else {
                    format!(" step {}", e(step))
                };
                let var = match self.kernel.locals.get(*var).map(|l| l.ty) {
                    Some(ScalarType::I64) | None => self.local(*var),
                    Some(_) => self.typed_local(*var),
                };
                *out += &format!("{indent}{simd}for {var} = {} .. {}{step} {{\n", e(from), e(to));
                self.stmts(body, depth + 1, out);
                "}".into()
            }
            Stmt::Barrier => "barrier".into(),
            Stmt::Check { check, cond, index, values } => {
                let values: Vec<String> = values.iter().map(e).collect();
                format!("check {check} {} at {} ({})", e(cond), e(index), values.join(", "))
            }
            Stmt::AtomicAdd { into, buffer, at, value } => {
                let (into, buffer) = (self.typed_local(*into), self.param(*buffer));
                format!("let {into} = atomic {buffer}[{}] += {}", e(at), e(value))
            }
            Stmt::Atomic { operator, buffer, at, value } => {
                format!("atomic {}[{}] {}= {}", self.param(*buffer), e(at), operator.word(), e(value))
            }
            Stmt::AtomicElement { operator, array, at, value } => {
                format!("atomic {}[{}] {}= {}", self.array(*array), e(at), operator.word(), e(value))
            }
            Stmt::Rank { into, counts, marks, at } => {
                let (counts, marks) = (self.array(*counts), self.array(*marks));
                format!("let {} = rank {counts}[{}] by {marks}", self.typed_local(*into), e(at))
            }
            Stmt::Announce { words, at, count } => format!("announce {}[{}] = {}", self.param(*words), e(at), e(count)),
            Stmt::Earlier { into, words, tops, tiles, tile, column, own } => {
                let (into, words, tops) = (self.typed_local(*into), self.param(*words), self.param(*tops));
                let args: Vec<String> = [tiles, tile, column, own].into_iter().map(e).collect();
                format!("let {into} = earlier {words} {tops} ({})", args.join(", "))
            }
            Stmt::Publish { flags, at, value } => {
                format!("publish {}[{}] = {}", self.param(*flags), e(at), e(value))
            }
            Stmt::Send { words, at, value, flag } => {
                format!("send {}[{}] = {}, {}", self.param(*words), e(at), e(value), e(flag))
            }
            Stmt::Receive { value, flag, words, at, wait } => {
                let word = if *wait { "receive" } else { "peek" };
                let (value, flag) = (self.local(*value), self.local(*flag));
                format!("{value}, {flag} = {word} {}[{}]", self.param(*words), e(at))
            }
            Stmt::Run { function, args, into, ok, .. } => {
                let args = args.iter().map(|a| match a {
                    RunArg::Value(x) => e(x),
                    RunArg::Buffer(p) => self.param(*p).to_string(),
                });
                let args = args.collect::<Vec<_>>().join(", ");
                let into: Vec<String> = into.iter().map(|g| self.typed_local(g.local())).collect();
                format!("let {}, {} = run {function}({args})", self.typed_local(*ok), into.join(", "))
            }
            Stmt::Take { buffer, at, handle, count } => {
                format!("{}[{} ..] = take {} ({})", self.param(*buffer), e(at), e(handle), e(count))
            }
            Stmt::Await { into, flags, at } => {
                format!("let {} = await {}[{}]", self.typed_local(*into), self.param(*flags), e(at))
            }
        };
        *out += &format!("{indent}{line}\n");
    }
}
