//! Kernels as C.
//!
//! A phase of a kernel becomes two functions: what one tile does, with parameters that the compiler knows not to overlap,
//! and the loop over a range of tiles that the runtime calls:
//!
//! ```text
//! static void saxpy_map_tile(uint64_t *err, int64_t launch, int64_t tile, float *restrict x_p0, float a_p1, …) { … }
//! void saxpy_map(uint64_t *err, int64_t launch, int64_t tile_lo, int64_t tile_hi, void *const *args) {
//!     if (terrace_stopped(err, launch)) return;
//!     for (int64_t tile = tile_lo; tile < tile_hi; tile++) saxpy_map_tile(err, launch, tile, args[0], …);
//! }
//! ```
//!
//! A cell is read once, when the tile starts. The text is compiled with contraction off: a fused multiply-add is written as
//! one.

pub mod expr;
pub mod preamble;
pub mod stmt;
pub mod types;

use crate::alone;
use crate::shared::names;
use crate::shared::plan;
use crate::shared::used::Used;
use stmt::Lines;
use terrace_ir::kernel::{Kernel, ParamId, ParamKind, Program, Stmt};
use terrace_plan::{KernelText, Plan, Target};

/// The plan of a program for CPUs.
pub fn print(program: &Program) -> Plan {
    let mut plan = plan::of(program, Target::C, preamble::text(), kernel);
    alone::write(program, &mut plan);
    plan
}

/// The text of one kernel.
pub fn kernel(k: &Kernel) -> KernelText {
    plan::kernel(k, phase)
}

fn phase(k: &Kernel, name: &str, stmts: &[Stmt]) -> String {
    let tile = Tile::of(k, name, stmts);
    let used = &tile.used;
    let unused = if used.params.is_empty() && !used.alone { "    (void)args;\n" } else { "" };
    let actual = tile.arguments("err", "launch", "(tile_hi - tile_lo)", &format!("args[{}]", k.params.len()), &|id| {
        parameter(k, id).1
    });
    format!(
        "{}void {name}(uint64_t *err, int64_t launch, int64_t tile_lo, int64_t tile_hi, void *const *args) {{\n\
         {unused}    if (terrace_stopped(err, launch)) return;\n    \
         for (int64_t tile = tile_lo; tile < tile_hi; tile++) {name}_tile({actual});\n{}}}\n",
        tile.text,
        tile.end(),
    )
}

/// The function that does one tile of a phase.
pub(crate) struct Tile {
    pub(crate) text: String,
    pub(crate) used: Used,
    streamed: Option<i64>,
}

impl Tile {
    pub(crate) fn of(k: &Kernel, name: &str, stmts: &[Stmt]) -> Tile {
        let used = Used::of(stmts);
        let streamed = crate::vector::stream::bytes_per_tile(k, stmts);
        let mut formal: Vec<String> = Vec::new();
        if used.checks {
            formal.extend(["uint64_t *err".into(), "int64_t launch".into()]);
        }
        if used.alone {
            formal.push("terrace_worker *worker".into());
        }
        if used.tile {
            formal.push("int64_t tile".into());
        }
        if streamed.is_some() {
            formal.push("bool streams".into());
        }
        formal.extend(used.params.iter().map(|id| parameter(k, *id).0));
        let mut lines = Lines::new(&used, streamed.is_some());
        if used.failed {
            lines.line("bool failed = false;");
        }
        for id in &used.arrays {
            let array = &k.arrays[*id];
            let count = array.count.max(1);
            let aligned = if count * array.elem.size_bytes() < 64 { "" } else { " __attribute__((aligned(64)))" };
            lines.line(&format!("{} {}[{count}]{aligned};", types::element(array.elem), names::array(k, *id)));
        }
        lines.stmts(k, stmts);
        let formal = if formal.is_empty() { "void".to_string() } else { formal.join(", ") };
        let text = format!("static void {name}_tile({formal}) {{\n{}}}\n", lines.finish());
        Tile { text, used, streamed }
    }

    /// What the function gets; `tile` is the number of the tile.
    pub(crate) fn arguments(
        &self,
        err: &str,
        launch: &str,
        tiles: &str,
        worker: &str,
        param: &dyn Fn(ParamId) -> String,
    ) -> String {
        let mut actual: Vec<String> = Vec::new();
        if self.used.checks {
            actual.extend([err.to_string(), launch.to_string()]);
        }
        if self.used.alone {
            actual.push(worker.to_string());
        }
        if self.used.tile {
            actual.push("tile".into());
        }
        if let Some(bytes) = self.streamed {
            actual.push(format!("{tiles} * {bytes} >= TERRACE_STREAM"));
        }
        actual.extend(self.used.params.iter().map(|id| param(*id)));
        actual.join(", ")
    }

    /// What follows after all tiles.
    pub(crate) fn end(&self) -> &'static str {
        if self.streamed.is_some() || self.used.runs { "    streamed();\n" } else { "" }
    }
}

/// A parameter of the function for one tile, and what it gets.
fn parameter(k: &Kernel, id: ParamId) -> (String, String) {
    let name = names::param(k, id);
    let i = id.index();
    match k.params[id].kind {
        ParamKind::Input(ty) => (format!("const {} *restrict {name}", types::element(ty)), format!("args[{i}]")),
        ParamKind::Output(ty) | ParamKind::Scratch(ty) => {
            (format!("{} *restrict {name}", types::element(ty)), format!("args[{i}]"))
        }
        ParamKind::CellOut(ty) => (format!("{} *{name}", types::element(ty)), format!("args[{i}]")),
        ParamKind::CellIn(ty) | ParamKind::Scalar(ty) => {
            let is = if ty == terrace_base::ScalarType::Bool { " != 0" } else { "" };
            (format!("{} {name}", types::variable(ty)), format!("*(const {} *)args[{i}]{is}", types::element(ty)))
        }
    }
}
