//! The whole compiler, as a list.
//!
//! ```text
//! Core ─▶ Core ─flatten─▶ Flat ─▶ Flat ─place─▶ Mem ─lower─▶ kernels and host program
//! ```
//!
//! A pass is a value: a name, a sentence, a function. Passes from a language to itself stand in [`CORE`], [`FLAT`],
//! [`VERSIONS`], [`MACHINE`], [`MEM`] and [`KERNELS`]; the lowerings between the languages are the functions [`to_flat`], [`to_mem`] and [`to_kernels`]. In debug
//! builds every language is verified after every pass. The order matters where a line says so.

use crate::analysis::shapes::{Analysis, analyse};
use crate::lower::flatten::{self, LonePoints};
use crate::lower::{kernels, place_in_memory};
use crate::optimise::{
    check_once, choose_versions, compute_before_calls, compute_in_branches, contract_fma, drop_proved, fuse,
    inline_calls, loop_tail_calls, lower_writes, memory, merge_concats, narrow_indices, one_size, prove_checks,
    read_along_rows, read_early, read_through_views, reduce_before_branches, reduce_filtered, reduce_in_turn,
    regular_entry, simplify, simplify_core, spell_out_operators, spell_out_short_rows, spell_out_sums, spell_out_views,
    state_lengths, write_through_parts,
};
use crate::options::Options;
use terrace_base::{Diagnostic, Timings};
use terrace_ir::{FuncId, core, flat, kernel, mem};
use terrace_plan::Target;

/// A pass from a language to itself.
pub struct Pass<L> {
    /// How the command line, timers and dumps call it.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Whether the options ask for it.
    pub wanted: fn(&Options) -> bool,
    /// Does it.
    pub run: fn(&mut L, &Options),
}

fn always(_: &Options) -> bool {
    true
}

fn with_fusion(options: &Options) -> bool {
    options.fusion
}

fn on_a_cpu(options: &Options) -> bool {
    options.fusion && options.target == Target::C
}

fn with_proofs(options: &Options) -> bool {
    options.prove
}

/// On Core. Contraction is part of the meaning, and so is that a call at the end needs no frame: these run before any engine does, the
/// interpreter included. [`prepare_core`] ends with `prove_checks`, whose findings its callers keep.
pub const CORE: &[Pass<core::Program>] = &[
    Pass {
        name: "contract_fma",
        about: "a product that is only added to something is rounded together with the sum",
        wanted: always,
        run: |p, _| contract_fma::contract_fma(p),
    },
    Pass {
        name: "loop_tail_calls",
        about: "functions that call themselves last become loops",
        wanted: always,
        run: |p, _| loop_tail_calls::loop_tail_calls(p),
    },
];

/// On Core, for the compiling back ends.
pub const CORE_TO_FLATTEN: &[Pass<core::Program>] = &[
    // Before anything compares or moves values of enums.
    Pass {
        name: "spell_out_sums",
        about: "enums become tuples with a tag",
        wanted: always,
        run: |p, _| spell_out_sums::spell_out_sums(p),
    },
    Pass {
        name: "inline_calls",
        about: "calls of functions that are not recursive are replaced by their bodies",
        wanted: always,
        run: |p, _| inline_calls::inline_calls(p),
    },
    // After inlining, which brings what is passed together with what is done with it.
    Pass {
        name: "prove_again",
        about: "checks that always hold are marked, once more, and types state small lengths that are known",
        wanted: with_proofs,
        run: |p, _| {
            let found = prove_checks::prove_checks(p);
            state_lengths::state_lengths(p, &found);
        },
    },
    // After the last proof, and before anything turns operators into others: there is less of everything.
    Pass {
        name: "drop_proved",
        about: "what only proved checks need goes",
        wanted: always,
        run: |p, _| drop_proved::drop_proved(p),
    },
    Pass {
        name: "simplify_core",
        about: "constants, copies, common expressions, dead code, invariants",
        wanted: always,
        run: |p, _| simplify_core::simplify_core(p),
    },
    // After lengths are stated; before fusion, which has less to do where rows are no arrays.
    Pass {
        name: "spell_out_short_rows",
        about: "in parallel code, arrays of a few elements, always as many, become their elements",
        wanted: with_fusion,
        run: |p, _| spell_out_short_rows::spell_out_short_rows(p),
    },
    Pass {
        name: "simplify_rows",
        about: "what spelled out rows became is simplified",
        wanted: with_fusion,
        run: |p, _| simplify_core::simplify_core(p),
    },
    Pass {
        name: "fuse_core",
        about: "maps move into the maps that read them",
        wanted: with_fusion,
        run: |p, _| fuse::fuse_core(p),
    },
    // After fusion, which leaves one map between a filter and a reduction; before the total order is spelled out, which it looks for.
    Pass {
        name: "reduce_before_branches",
        about: "reductions of rows that cannot fail leave the branches that they stand in",
        wanted: with_fusion,
        run: |p, _| reduce_before_branches::reduce_before_branches(p),
    },
    // After reductions have left branches: then a filter and all that is asked of it stand side by side.
    Pass {
        name: "reduce_filtered",
        about: "rows that are filtered and then only reduced are reduced in one pass, and what is kept is not stored",
        wanted: with_fusion,
        run: |p, _| reduce_filtered::reduce_filtered(p),
    },
    // After reductions have left branches: they leave what was made before a branch, and stay with what is made in it.
    Pass {
        name: "compute_in_branches",
        about: "what only branches want is computed in them",
        wanted: with_fusion,
        run: |p, _| compute_in_branches::compute_in_branches(p),
    },
    // After inlining, which shows what operators do; before views are spelled out, of which it makes some.
    Pass {
        name: "spell_out_operators",
        about: "reductions, scans and histograms whose operator is no scalar code become waves, or work on elements",
        wanted: always,
        run: |p, _| spell_out_operators::spell_out_operators(p),
    },
    // After inlining, which tells what runs in parallel code; before merging concatenations, of which it makes some.
    Pass {
        name: "spell_out_views",
        about: "operators that move elements become generates",
        wanted: always,
        run: |p, _| spell_out_views::spell_out_views(p),
    },
    // After views are spelled out: what they are is seen.
    Pass {
        name: "read_through_views",
        about: "elements of views are read from what the views show",
        wanted: with_fusion,
        run: |p, _| read_through_views::read_through_views(p),
    },
    // After inlining, which brings concatenations together.
    Pass {
        name: "merge_concats",
        about: "concatenations of concatenations become one",
        wanted: always,
        run: |p, _| merge_concats::merge_concats(p),
    },
    Pass {
        name: "simplify_views",
        about: "what views became is simplified",
        wanted: always,
        run: |p, _| simplify_core::simplify_core(p),
    },
    // After inlining, which leaves only recursive calls.
    Pass {
        name: "compute_before_calls",
        about: "what does not need the result of a recursive call is computed before it",
        wanted: always,
        run: |p, _| compute_before_calls::compute_before_calls(p),
    },
];

/// On Flat, while everything is parallel.
pub const FLAT: &[Pass<flat::Program>] = &[
    // Before fusion, which counts uses: what nothing uses must be gone.
    Pass {
        name: "simplify",
        about: "constants, copies, common scalars, dead code",
        wanted: always,
        run: |p, _| simplify::simplify(p),
    },
    // Before fusion, which moves nothing that has a check over another check.
    Pass {
        name: "check_once",
        about: "checks that say the same at all points leave operators",
        wanted: always,
        run: |p, _| check_once::check_once(p),
    },
    Pass {
        name: "fuse",
        about: "producers move into consumers, neighbours over equal spaces become one",
        wanted: with_fusion,
        run: |p, _| fuse::fuse(p),
    },
    Pass {
        name: "simplify_fused",
        about: "what fusion made superfluous goes",
        wanted: always,
        run: |p, _| simplify::simplify(p),
    },
    // After fusion, which brings the starts of rows to where they are read.
    Pass {
        name: "write_through_parts",
        about: "updates of a part of an array are written to the array",
        wanted: always,
        run: |p, _| write_through_parts::write_through_parts(p),
    },
    Pass {
        name: "simplify_written",
        about: "what only copies needed goes",
        wanted: always,
        run: |p, _| simplify::simplify(p),
    },
];

/// On Flat, after which operators have the versions that the strategy asks for.
pub const VERSIONS: &[Pass<flat::Program>] = &[
    // Before whatever compares spaces.
    Pass {
        name: "one_size",
        about: "on a CPU, sizes that a check has found equal are one size behind it",
        wanted: on_a_cpu,
        run: |p, _| one_size::one_size(p),
    },
    Pass {
        name: "simplify_sizes",
        about: "places that are positions now are seen as such",
        wanted: on_a_cpu,
        run: |p, _| simplify::simplify(p),
    },
    Pass { name: "fuse_sizes", about: "what has one space now is fused", wanted: on_a_cpu, run: |p, _| fuse::fuse(p) },
    // After fusion, which brings reads to the reduction that they are for; before anything is turned, so that nothing is turned twice.
    Pass {
        name: "reduce_in_turn",
        about: "on a CPU, rows whose results are only read in turned order are reduced in that order",
        wanted: on_a_cpu,
        run: |p, _| reduce_in_turn::reduce_in_turn(p),
    },
    // After fusion, which brings reads to the reduction that they are for.
    Pass {
        name: "read_along_rows",
        about: "on a CPU, matrices that products read column by column are turned first",
        wanted: on_a_cpu,
        run: |p, _| read_along_rows::read_along_rows(p),
    },
    // After fusion: a version is made from the whole of a nest.
    Pass {
        name: "choose_versions",
        about: "each operator gets the version that the strategy asks for, where it exists",
        wanted: always,
        run: choose_versions::choose_versions,
    },
    Pass {
        name: "fuse_versions",
        about: "what the versions put side by side is fused",
        wanted: with_fusion,
        run: |p, _| fuse::fuse(p),
    },
    Pass {
        name: "simplify_versions",
        about: "constants, copies, common scalars, dead code",
        wanted: always,
        run: |p, _| simplify::simplify(p),
    },
];

/// On Flat, before memory is planned: what no machine has becomes what machines have.
pub const MACHINE: &[Pass<flat::Program>] = &[
    // Before scatters and sorts, of which it makes some.
    Pass {
        name: "lower_hists",
        about: "where a device needs it, histograms that depend on the order of the points become sorts and reductions",
        wanted: always,
        run: lower_writes::lower_hists,
    },
    Pass {
        name: "lower_scatters",
        about: "where a device needs it, scatters whose positions may repeat become histograms and maps",
        wanted: always,
        run: lower_writes::lower_scatters,
    },
    Pass {
        name: "lower_sorts",
        about: "sorts by several keys become several; of rows, where a device does not sort those, merge passes",
        wanted: always,
        run: lower_writes::lower_sorts,
    },
    Pass {
        name: "fuse_lowered",
        about: "producers move into their only consumer",
        wanted: with_fusion,
        run: |p, _| fuse::fuse(p),
    },
    Pass {
        name: "simplify_lowered",
        about: "constants, copies, common scalars, dead code",
        wanted: always,
        run: |p, _| simplify::simplify(p),
    },
    // Last, where nothing moves any more: what is read late keeps arrays from being updated in place.
    Pass {
        name: "read_early",
        about: "scalars are read before what may be written over them",
        wanted: always,
        run: |p, _| read_early::read_early(p),
    },
];

/// On Mem: which block a column lives in.
pub const MEM: &[Pass<mem::Program>] = &[
    Pass {
        name: "take_places",
        about: "maps write over what they are the last to read",
        wanted: always,
        run: |p, _| memory::take_places(p),
    },
    // After maps have taken places: there is less to find room for.
    Pass {
        name: "reuse_blocks",
        about: "blocks that nothing needs any more serve again",
        wanted: always,
        run: |p, _| memory::reuse(p),
    },
    // Last: within a round blocks are shared first.
    Pass {
        name: "hoist_blocks",
        about: "blocks that every round of a loop allocates are allocated once",
        wanted: always,
        run: |p, _| memory::hoist(p),
    },
];

/// On kernels.
pub const KERNELS: &[Pass<kernel::Program>] = &[Pass {
    name: "narrow_indices",
    about: "on a GPU, kernels get twins with indices of 32 bits, which run where the sizes are small enough",
    wanted: |options| options.target == Target::Cuda,
    run: |p, _| narrow_indices::narrow_indices(p),
}];

/// Core as every engine runs it, and what is known about its sizes. Without proofs nothing is marked.
pub fn prepare_core(program: &mut core::Program, options: &Options, timings: &mut Timings) -> Analysis {
    finish_core(program, options, timings);
    prove_core(program, options, timings)
}

/// The passes of [`prepare_core`] before its proofs.
pub fn finish_core(program: &mut core::Program, options: &Options, timings: &mut Timings) {
    run(CORE, program, options, timings, core::verify::verify);
}

/// The proofs of [`prepare_core`]: its last step, and the only costly one.
pub fn prove_core(program: &mut core::Program, options: &Options, timings: &mut Timings) -> Analysis {
    let analysis = timings.measure("prove_checks", || match options.prove {
        true => prove_checks::prove_checks(program),
        false => analyse(program),
    });
    check("prove_checks", core::verify::verify(program));
    analysis
}

/// The program that runs an entry on data that happen to be rectangular, from Core as every engine runs it; none where the options
/// do not want one or where nothing is gained.
pub fn regular_entry(
    program: &core::Program,
    entry: FuncId,
    options: &Options,
    timings: &mut Timings,
) -> Option<(core::Program, Analysis)> {
    if !options.regularity {
        return None;
    }
    let mut regular = timings.measure("regular_entry", || regular_entry::regular_entry(program, entry))?;
    check("regular_entry", core::verify::verify(&regular));
    // Once more: there is more to prove now.
    let analysis = prepare_core(&mut regular, options, timings);
    Some((regular, analysis))
}

/// Core to Flat.
pub fn to_flat(
    program: &core::Program,
    options: &Options,
    timings: &mut Timings,
) -> Result<flat::Program, Box<Diagnostic>> {
    let parallel = to_parallel_flat(&ready(program, options, timings), options, timings)?;
    Ok(with_versions(&parallel, options, timings))
}

/// Core that can be flattened, and what is known about its sizes.
#[derive(Clone, Debug)]
pub struct Ready {
    program: core::Program,
    analysis: Analysis,
    points: LonePoints,
}

/// Core as flattening wants it. Of the options only `prove` and `fusion` matter here: engines that differ in others may share it.
pub fn ready(program: &core::Program, options: &Options, timings: &mut Timings) -> Ready {
    let mut program = program.clone();
    run(CORE_TO_FLATTEN, &mut program, options, timings, core::verify::verify);
    let mut analysis = timings.measure("analyse", || analyse(&program));
    let points = timings.measure("find_lone_points", || LonePoints::find(&mut program, &analysis));
    check("find_lone_points", core::verify::verify(&program));
    if !points.is_empty() {
        analysis.add(timings.measure("analyse_points", || analyse(&points.with_calls(&program))));
    }
    Ready { program, analysis, points }
}

/// Core that is ready to Flat, while everything is parallel. Here `regularity` matters too, and still no strategy and no target.
pub fn to_parallel_flat(
    ready: &Ready,
    options: &Options,
    timings: &mut Timings,
) -> Result<flat::Program, Box<Diagnostic>> {
    let mut flat =
        timings.measure("flatten", || flatten::flatten(&ready.program, &ready.analysis, &ready.points, options))?;
    check("flatten", flat::verify::verify(&flat));
    run(FLAT, &mut flat, options, timings, flat::verify::verify);
    Ok(flat)
}

/// Parallel Flat to Flat with the versions that the strategy asks for.
pub fn with_versions(parallel: &flat::Program, options: &Options, timings: &mut Timings) -> flat::Program {
    let mut flat = parallel.clone();
    run(VERSIONS, &mut flat, options, timings, flat::verify::verify);
    flat
}

/// The fusions that were refused while everything is parallel, and why.
pub fn refused_fusions(
    program: &core::Program,
    options: &Options,
    timings: &mut Timings,
) -> Result<Vec<fuse::Refusal>, Box<Diagnostic>> {
    to_parallel_flat(&ready(program, options, timings), options, timings).map(|flat| fuse::refusals(&flat))
}

/// Flat to Mem.
pub fn to_mem(
    program: &flat::Program,
    options: &Options,
    timings: &mut Timings,
) -> Result<mem::Program, Box<Diagnostic>> {
    let mut program = program.clone();
    run(MACHINE, &mut program, options, timings, flat::verify::verify);
    let mut mem = timings.measure("place_in_memory", || place_in_memory::place_in_memory(&program))?;
    check("place_in_memory", mem::verify::verify(&mem));
    run(MEM, &mut mem, options, timings, mem::verify::verify);
    Ok(mem)
}

/// Mem to kernels and their host program.
pub fn to_kernels(
    program: &mem::Program,
    options: &Options,
    timings: &mut Timings,
) -> Result<kernel::Program, Box<Diagnostic>> {
    let mut kernels = timings.measure("lower_kernels", || kernels::lower(program, options))?;
    check("lower_kernels", kernel::verify::verify(&kernels));
    run(KERNELS, &mut kernels, options, timings, kernel::verify::verify);
    Ok(kernels)
}

fn run<L>(
    passes: &[Pass<L>],
    program: &mut L,
    options: &Options,
    timings: &mut Timings,
    verify: fn(&L) -> Result<(), String>,
) {
    for pass in passes.iter().filter(|p| (p.wanted)(options)) {
        timings.measure(pass.name, || (pass.run)(program, options));
        check(pass.name, verify(program));
    }
}

/// A program that breaks the rules of its language is a bug in the pass that made it.
fn check(pass: &str, verified: Result<(), String>) {
    if cfg!(debug_assertions)
        && let Err(rule) = verified
    {
        panic!("after {pass}: {rule}");
    }
}
