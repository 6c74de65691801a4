//! How the time of shape analysis grows with a program.
//!
//! ```text
//! cargo run --release --package terrace-opt --example shape_scaling            all families
//! cargo run --release --package terrace-opt --example shape_scaling loops      those whose name contains `loops`
//!
//! statements      64: 3 ms   128: 6 ms   256: 13 ms   grows like size^1.1
//! ```
//!
//! Every family makes programs in which one thing grows: statements, branches, depth of maps and of loops, calls, parameters, facts.
//! The exponent is that of time over the size of the program, fitted to all but the smallest programs; the size is the number of
//! lengths and integers in all its values, so an array of twelve dimensions counts for twelve. Sorting facts costs a
//! logarithm, which looks like an exponent of 1.1 or 1.2 at these sizes. The front end is not measured.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};
use terrace_base::SourceMap;
use terrace_opt::analysis::shapes::analyse;

/// A family of programs, and the sizes at which it is measured.
struct Family {
    name: &'static str,
    sizes: &'static [usize],
    program: fn(usize) -> String,
}

const FAMILIES: [Family; 12] = [
    Family { name: "statements", sizes: &[32, 64, 128, 256, 512], program: statements },
    Family { name: "scalars", sizes: &[32, 64, 128, 256, 512], program: scalars },
    Family { name: "branches", sizes: &[16, 32, 64, 128, 256], program: branches },
    Family { name: "nested branches", sizes: &[4, 8, 16, 32], program: nested_branches },
    Family { name: "facts", sizes: &[8, 16, 32, 64, 128], program: facts },
    Family { name: "functions", sizes: &[16, 32, 64, 128, 256], program: functions },
    Family { name: "chain of calls", sizes: &[16, 32, 64, 128, 256], program: calls },
    Family { name: "recursive group", sizes: &[4, 8, 16, 32], program: group },
    Family { name: "parameters", sizes: &[4, 8, 16, 32, 64], program: parameters },
    Family { name: "state of a loop", sizes: &[4, 8, 16, 32], program: state },
    Family { name: "nested maps", sizes: &[2, 3, 4, 6, 8, 12], program: maps },
    Family { name: "nested loops", sizes: &[1, 2, 3, 4, 5, 6], program: loops },
];

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(|k| line(k) + "\n").collect()
}

/// Arrays made from arrays, in step with the first one.
fn statements(n: usize) -> String {
    let body = lines(n, |k| format!("  let x{k} = [a + b * {k}.0 for a in x{}, b in x0]", k - 1));
    format!("entry f(x0: []f64) -> []f64 =\n{body}  in x{n}\n")
}

/// Integers and indices under a guard.
fn scalars(n: usize) -> String {
    let body = lines(n, |k| {
        format!("  let i{k} = if i{0} + 1 < len(xs) then i{0} + 1 else 0\n  let s{k} = s{0} + xs[i{k}]", k - 1)
    });
    format!(
        "entry f(xs: []f64) -> f64 =\n  assert(len(xs) > 0, \"not empty\")\n  let i0 = 0\n  let s0 = 0.0\n{body}  in s{n}\n"
    )
}

/// Conditionals one after the other, with arms of one shape and of two.
fn branches(n: usize) -> String {
    let body = lines(n, |k| {
        let other = if k % 2 == 0 { format!("[a + 1 for a in x{}]", k - 1) } else { format!("x{} ++ [{k}]", k - 1) };
        format!("  let x{k} = if c[{k}] > 0 then x{} else {other}", k - 1)
    });
    format!("entry f(c: []i64, x0: []i64) -> []i64 =\n  assert(len(c) > {n}, \"long enough\")\n{body}  in x{n}\n")
}

fn nested_branches(n: usize) -> String {
    let open: String = (0..n).map(|k| format!("  if len(xs) > {k} && xs[{k}] > 0 then xs[{k}] else\n")).collect();
    format!("entry f(xs: []i64) -> i64 =\n{open}  0\n")
}

/// Facts about many numbers, and an index that needs a chain of them.
fn facts(n: usize) -> String {
    let params: String = (0..=n).map(|k| format!("i{k}: i64, ")).collect();
    let body = lines(n, |k| format!("  assert(i{} <= i{k}, \"in order\")", k - 1));
    let uses: String = (0..=n).map(|k| format!(" + xs[i{k}]")).collect();
    format!(
        "entry f({params}xs: []f64) -> f64 =\n  assert(0 <= i0, \"not negative\")\n{body}  assert(i{n} < len(xs), \"in range\")\n  in 0.0{uses}\n"
    )
}

fn functions(n: usize) -> String {
    lines(n, |k| {
        format!(
            "entry f{k}[n](xs: [n]f64, ys: []f64) -> f64 = sum([x * y for x in xs, y in ys]) + (if n > {k} then xs[{k}] else 0.0)"
        )
    })
}

fn calls(n: usize) -> String {
    let body = lines(n, |k| format!("def f{k}(xs: []f64, i: i64) -> []f64 = [x + xs[i] for x in f{}(xs, i)]", k - 1));
    format!(
        "def f0(xs: []f64, i: i64) -> []f64 = [x * xs[i] for x in xs]\n{body}entry f(xs: []f64) -> []f64 = if len(xs) > 0 then f{n}(xs, 0) else xs\n"
    )
}

/// Functions that call each other in a ring.
fn group(n: usize) -> String {
    let body = lines(n, |k| {
        format!(
            "def f{k}(xs: []f64, d: i64) -> []f64 = if d <= 0 then xs else [x + 1.0 for x in f{}(xs, d - 1)]",
            k % n + 1
        )
    });
    format!("{body}entry f(xs: []f64) -> []f64 = [x + y for x in f1(xs, 9), y in xs]\n")
}

fn parameters(n: usize) -> String {
    let params: Vec<String> = (1..=n).map(|k| format!("x{k}: []f64")).collect();
    let names: Vec<String> = (1..=n).map(|k| format!("a{k} in x{k}")).collect();
    let sum: Vec<String> = (1..=n).map(|k| format!("a{k}")).collect();
    let args: Vec<String> = (1..=n).map(|k| format!("x{k}")).collect();
    format!(
        "def g({}) -> []f64 = [{} for {}]\nentry f({}) -> []f64 = g({})\n",
        params.join(", "),
        sum.join(" + "),
        names.join(", "),
        params.join(", "),
        args.join(", ")
    )
}

/// A loop that hands its arrays round.
fn state(n: usize) -> String {
    let params: Vec<String> = (1..=n).map(|k| format!("x{k}: []f64")).collect();
    let list = |shift: usize, letter: char| {
        (0..n).map(|k| format!("{letter}{}", (k + shift) % n + 1)).collect::<Vec<_>>().join(", ")
    };
    format!(
        "entry f({}, steps: i64) -> []f64 =\n  let ({}) = loop ({}) = ({}) for _ < steps do ({})\n  in {}\n",
        params.join(", "),
        list(0, 'z'),
        list(0, 'y'),
        list(0, 'x'),
        list(1, 'y'),
        (1..=n).map(|k| format!("z{k}")).collect::<Vec<_>>().join(" ++ ")
    )
}

/// Two arrays of `d` dimensions, element by element.
fn maps(d: usize) -> String {
    let ty = format!("{}f64", "[]".repeat(d));
    let heads = "[".repeat(d);
    let tails: String = (0..d).rev().map(|k| format!(" for x{} in x{k}, y{} in y{k}]", k + 1, k + 1)).collect();
    format!("entry f(x0: {ty}, y0: {ty}) -> {ty} = {heads}x{d} + y{d}{tails}\n")
}

/// Loops in loops that write into an array.
fn loops(d: usize) -> String {
    let heads: String = (1..=d).map(|k| format!("  loop xs = xs for i{k} < n do\n")).collect();
    let at: Vec<String> = (1..=d).map(|k| format!("i{k}")).collect();
    format!("entry f[n](xs: [n]i64) -> [n]i64 =\n{heads}  xs with [i1] = xs[i{d}] + {}\n", at.join(" + "))
}

/// The least time of some runs, and the size of the program.
fn measure(text: &str) -> (usize, Duration) {
    let mut sources = SourceMap::default();
    let root = sources.add("generated.tce".to_string(), text.to_string());
    let (loaded, _) = terrace_frontend::load(&mut sources, root, &|_| Err(std::io::ErrorKind::NotFound.into()));
    let Ok(compiled) = terrace_frontend::compile(&loaded) else { panic!("the front end refuses\n{text}") };
    let (mut best, mut size) = (Duration::MAX, 0);
    let begin = Instant::now();
    while best == Duration::MAX || begin.elapsed() < Duration::from_millis(50) {
        let start = Instant::now();
        let analysis = std::hint::black_box(analyse(&compiled.program));
        best = best.min(start.elapsed());
        size = 0;
        for shape in analysis.shapes.functions.iter().flat_map(|f| f.values.values()) {
            shape.sizes(0, &mut |_, _| size += 1);
        }
    }
    (size, best)
}

/// The slope of time over size on logarithmic axes, by least squares.
fn exponent(points: &[(usize, Duration)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, t)| ((*n as f64).ln(), t.as_secs_f64().ln())).collect();
    let mean = |get: fn(&(f64, f64)) -> f64| logs.iter().map(get).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let across: f64 = logs.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    across / logs.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>()
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for family in FAMILIES.iter().filter(|f| f.name.contains(&wanted)) {
        let mut points = Vec::new();
        print!("{:<16}", family.name);
        for size in family.sizes {
            let (all, time) = measure(&(family.program)(*size));
            points.push((all, time));
            print!("  {size}: {:.1} ms", time.as_secs_f64() * 1000.0);
            // A family that explodes has said enough.
            if time > Duration::from_secs(20) {
                break;
            }
        }
        let fitted = if points.len() > 3 { &points[1..] } else { &points };
        println!("   grows like size^{:.1}", exponent(fitted));
    }
}
