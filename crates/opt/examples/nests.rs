//! How the time of every pass grows with the number of parallel nests in a program.
//!
//! ```text
//! cargo run --release --package terrace-opt --example nests              all families
//! cargo run --release --package terrace-opt --example nests -- chain     those whose name contains `chain`
//!
//! rows        10 nests   100 nests   1000 nests    grows like
//! simplify      0.1 ms      1.2 ms       13 ms      nests^1.0
//! ```
//!
//! Every family makes programs with more and more parallel nests: apart from each other, each reading the one before, or all reading one array.
//! The exponent is that of time over the number of nests, between the two largest programs. A pass that takes less than a millisecond
//! has none. The front end is not measured. A family stops where a program takes more than twenty seconds.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::time::Duration;
use terrace_base::{SourceMap, Timings};
use terrace_opt::options::Options;
use terrace_opt::pipeline;

type Family = (&'static str, fn(usize) -> String);

const FAMILIES: [Family; 4] = [("rows", rows), ("chain", chain), ("fan", fan), ("filters", filters)];
const COUNTS: [usize; 3] = [10, 100, 1000];

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(|k| line(k) + "\n").collect()
}

/// Sums of rows, apart from each other.
fn rows(n: usize) -> String {
    let body = lines(n, |k| {
        format!("  let s{k} = sum([sum([x * {k}.0 for x in row]) for row in rows])\n  let t{k} = t{} + s{k}", k - 1)
    });
    format!("entry f(rows: [][]f64) -> f64 =\n  let t0 = 0.0\n{body}  in t{n}\n")
}

/// Each nest reads the rows of the one before.
fn chain(n: usize) -> String {
    let body = lines(n, |k| format!("  let x{k} = [[x * 0.5 + sum(row) for x in row] for row in x{}]", k - 1));
    format!("entry f(x0: [][]f64) -> [][]f64 =\n{body}  in x{n}\n")
}

/// All nests read one array that is dear to compute.
fn fan(n: usize) -> String {
    let body = lines(n, |k| format!("  let s{k} = s{} + sum([y * {k}.0 for y in ys])", k - 1));
    format!("entry f(xs: []f64) -> f64 =\n  let ys = [exp(x) for x in xs]\n  let s0 = 0.0\n{body}  in s{n}\n")
}

/// Filters with a consumer each.
fn filters(n: usize) -> String {
    let body = lines(n, |k| format!("  let s{k} = s{} + sum([x + 1.0 for x in filter(|x| x > {k}.0, xs)])", k - 1));
    format!("entry f(xs: []f64) -> f64 =\n  let s0 = 0.0\n{body}  in s{n}\n")
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for (name, program) in FAMILIES.into_iter().filter(|(name, _)| name.contains(&wanted)) {
        let mut order: Vec<String> = Vec::new();
        let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for count in COUNTS {
            let timings = compile(&program(count));
            let slow = timings.total() > Duration::from_secs(20);
            for entry in timings.entries() {
                if !order.contains(&entry.name) {
                    order.push(entry.name.clone());
                }
                times.entry(entry.name.clone()).or_insert_with(|| vec![Duration::ZERO; COUNTS.len()]);
                let at = COUNTS.iter().position(|c| *c == count).expect("one of them");
                times.get_mut(&entry.name).expect("just put there")[at] += entry.duration;
            }
            if slow {
                break;
            }
        }
        print!("{name:<24}");
        COUNTS.iter().for_each(|c| print!("{:>14}", format!("{c} nests")));
        println!("    grows like");
        for pass in order {
            let row = &times[&pass];
            print!("{pass:<24}");
            row.iter().for_each(|t| print!("{:>14}", format!("{:.1} ms", t.as_secs_f64() * 1e3)));
            let measured: Vec<(usize, f64)> =
                COUNTS.into_iter().zip(row.iter().map(Duration::as_secs_f64)).filter(|(_, t)| *t > 1e-3).collect();
            match measured.as_slice() {
                [.., (n, before), (m, last)] => {
                    println!("    nests^{:.1}", (last / before).ln() / (*m as f64 / *n as f64).ln())
                }
                _ => println!(),
            }
        }
        println!();
    }
}

fn compile(text: &str) -> Timings {
    let mut sources = SourceMap::new();
    let root = sources.add("nests.tce", text);
    let (loaded, _) = terrace_frontend::load(&mut sources, root, &|_| Err(std::io::ErrorKind::NotFound.into()));
    let Ok(compiled) = terrace_frontend::compile(&loaded) else { panic!("the front end refuses\n{text}") };
    let mut program = compiled.program;
    let options = Options::default();
    let mut timings = Timings::new();
    pipeline::prepare_core(&mut program, &options, &mut timings);
    let done = pipeline::to_flat(&program, &options, &mut timings).and_then(|flat| {
        let mem = pipeline::to_mem(&flat, &options, &mut timings)?;
        pipeline::to_kernels(&mem, &options, &mut timings)
    });
    if let Err(limit) = done {
        println!("declined: {limit:?}");
    }
    timings
}
