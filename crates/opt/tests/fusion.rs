//! What fusion makes of programs: how many parallel operators are left, in the version in which everything is parallel.
//!
//! A number here is a number of kernels or of passes over memory. Each program is one sentence of the rules: see the head of
//! `crates/opt/src/optimise/fuse/engine.rs`.

use terrace_base::{SourceMap, Timings};
use terrace_ir::flat::visit::count_operators;
use terrace_opt::options::{Options, Strategy};
use terrace_opt::pipeline;

fn program(text: &str, options: Options) -> terrace_ir::flat::Program {
    let mut sources = SourceMap::new();
    let root = sources.add("f.tce", text);
    let (loaded, _) = terrace_frontend::load(&mut sources, root, &|_| Err(std::io::ErrorKind::NotFound.into()));
    let Ok(compiled) = terrace_frontend::compile(&loaded) else { panic!("the front end refuses\n{text}") };
    let mut program = compiled.program;
    pipeline::prepare_core(&mut program, &options, &mut Timings::new());
    pipeline::to_flat(&program, &options, &mut Timings::new()).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// The grid operators that are left, as `map 1, reduce 2`.
fn operators(text: &str, fusion: bool) -> String {
    let counts = count_operators(&program(text, Options { strategy: Strategy::Flat, fusion, ..Options::default() }));
    counts.iter().map(|((name, _), n)| format!("{name} {n}")).collect::<Vec<_>>().join(", ")
}

fn check(text: &str, expected: &str) {
    assert_eq!(operators(text, true), expected, "{text}");
}

#[test]
fn known_programs_are_one_operator_each() {
    check("entry saxpy(a: f64, xs: []f64, ys: []f64) -> []f64 = [a * x + y for x in xs, y in ys]", "map 1");
    check("entry dot(xs: []f64, ys: []f64) -> f64 = sum([x * y for x in xs, y in ys])", "reduce 1");
    check(
        "entry spmv(rows: [][](i32, f64), v: []f64) -> []f64 = [sum([x * v[j] for (j, x) in row]) for row in rows]",
        "reduce 1",
    );
    check(
        "def cnd(d: f64) -> f64 =
           let k = 1.0 / (1.0 + 0.2316419 * abs(d))
           let w = 0.39894228 * exp(-0.5 * d * d) * k * (0.31938153 + k * (-0.356563782 + k * 1.781477937))
           in if d > 0.0 then 1.0 - w else w
         entry black_scholes(options: [](f64, f64, f64)) -> [](f64, f64) =
           [let d1 = (log(s / x) + 0.08 * t) / (0.3 * sqrt(t))
            let d2 = d1 - 0.3 * sqrt(t)
            let e = exp(-0.02 * t)
            in (s * cnd(d1) - x * e * cnd(d2), x * e * cnd(-d2) - s * cnd(-d1))
            for (s, x, t) in options]",
        "map 1",
    );
}

#[test]
fn reductions_over_one_space_are_one_pass() {
    let norm2 = "entry norm2[n](xys: [n](f64, f64)) -> ([n]f64, [n]f64) =
       let xs = [x for (x, _) in xys]
       let ys = [y for (_, y) in xys]
       let x_sum = sum(xs)
       let y_sum = sum(ys)
       in ([x / x_sum for x in xs], [y / y_sum for y in ys])";
    check(norm2, "map 1, reduce 1");
    assert_ne!(operators(norm2, false), "map 1, reduce 1");
    check("entry f(xs: []f64) -> (f64, f64) = (sum(xs), sum([x * x for x in xs]))", "reduce 1");
    check(
        "entry f(xss: [][]f64) -> ([]f64, []f64) = ([sum(r) for r in xss], [sum([x * x for x in r]) for r in xss])",
        "reduce 1",
    );
}

#[test]
fn a_filter_is_a_mask_where_one_operator_consumes_it() {
    check("entry f(xs: []f64) -> f64 = sum(map(|x| x * 2.0, filter(|x| x > 1.0, xs)))", "reduce 1");
    check("entry f(xs: []f64) -> []f64 = map(|x| x * 2.0, filter(|x| x > 1.0, xs))", "pack 1");
    check("entry f(xs: []f64) -> f64 = let k = filter(|x| x > 1.0, xs) in sum(k) / f64(len(k))", "reduce 1");
    check(
        "entry f(xs: []f64) -> (f64, f64) = let k = filter(|x| x > 1.0, xs) in (sum(k), sum([x * x for x in k]))",
        "reduce 1",
    );
    check("entry f(xss: [][]f64) -> []f64 = [sum(filter(|x| x > 1.0, xs)) for xs in xss]", "reduce 1");
}

#[test]
fn cheap_work_may_be_done_twice_and_dear_work_never() {
    // A square is computed again where it is needed.
    check(
        "entry f(xs: []f64) -> []f64 = let t = [x * x for x in xs] let s = sum(t) in [x / s for x in t]",
        "map 1, reduce 1",
    );
    check(
        "entry f(xs: []f64) -> []f64 = let t = [exp(x) for x in xs] let s = sum(t) in [x / s for x in t]",
        "map 2, reduce 1",
    );
    check(
        "entry f(xs: []f64) -> []f64 =
           let t = [loop y = x for i < 9 do y * 0.5 + 1.0 for x in xs]
           let s = sum(t)
           in [x / s for x in t]",
        "map 2, reduce 1",
    );
    // Both maps need it at the same position: it is computed once, in one kernel.
    check(
        "entry f(xs: []f64) -> ([]f64, []f64) = let t = [exp(x) for x in xs] in ([x + 1.0 for x in t], [x * 2.0 for x in t])",
        "map 1",
    );
}

#[test]
fn elements_read_at_other_positions_are_computed_there_if_that_is_cheap() {
    check(
        "entry f(xs: []f64, at: []i64) -> f64 = let t = [x * 2.0 for x in xs] in sum([t[i] for i in at])",
        "reduce 1",
    );
    check(
        "entry f(xs: []f64, at: []i64) -> f64 = let t = [sin(x) for x in xs] in sum([t[i] for i in at])",
        "map 1, reduce 1",
    );
    check(
        "entry f(xs: []f64, ys: []f64, at: []i64) -> f64 =
           let t = [x * y for x in xs, y in ys]
           in sum([t[i] for i in at])",
        "map 1, reduce 1",
    );
}

#[test]
fn components_of_tuples_are_decided_one_by_one() {
    // The first component is consumed by the sum; the second is a result.
    check(
        "entry f(xs: []f64) -> (f64, []f64) =
           let t = [(x * 3.0, exp(x)) for x in xs]
           in (sum([a for (a, _) in t]), [b for (_, b) in t])",
        "map 1, reduce 1",
    );
    check(
        "entry f(xs: []f64) -> f64 = let t = [(x * 3.0, exp(x)) for x in xs] in sum([a for (a, _) in t])",
        "reduce 1",
    );
}

#[test]
fn invariants_are_computed_once() {
    check("entry f(xs: []f64, ys: []f64) -> []f64 = [x / sum(ys) for x in xs]", "map 1, reduce 1");
    check("entry f(xs: []f64) -> (f64, f64) = (sum(xs), sum(xs) + 1.0)", "reduce 1");
}

const PIPELINE: &str = "entry pipeline(limit: f64, rows: [][]f64) -> [](f64, i64) =
       [let kept = [x for x in row if x > limit]
        in if len(kept) == 0 then (0.0, -1) else (mean(kept), argmax(kept))
        for row in rows]";

#[test]
fn rows_that_are_filtered_and_reduced_are_one_pass() {
    check(PIPELINE, "map 1, reduce 1");
    // What else is done with what is kept needs it stored.
    check(
        "entry f(rows: [][]f64) -> [](f64, []f64) = [let kept = [x for x in row if x > 2.0] in (sum(kept), kept) for row in rows]",
        "pack 1, reduce 1",
    );
    // Only of rows of which there are as many as there is work anyway: the rows of `table` are not summed for every point.
    assert!(
        operators(
            "entry g(table: [][]f64, is: []i64) -> []f64 = [if i < 0 then 0.0 else sum(table[i]) for i in is]",
            true
        )
        .contains("pack")
    );
}

#[test]
fn a_thread_per_row_is_one_kernel_without_local_arrays() {
    let flat = program(PIPELINE, Options { strategy: Strategy::Outer, ..Options::default() });
    let counts = count_operators(&flat);
    assert_eq!(counts.values().sum::<usize>(), 2, "{counts:?}");
    for function in flat.functions.iter() {
        terrace_ir::flat::visit::walk(&function.body, &mut |stmt| {
            let Some(op) = stmt.expr.op() else { return };
            let local = terrace_ir::flat::visit::bound_values(&op.body);
            assert!(local.iter().all(|v| !function.values[*v].ty.is_column()), "an array inside {}", op.name());
        });
    }
}
