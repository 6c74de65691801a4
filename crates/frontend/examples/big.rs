//! A large program, to see how long the front end takes.
//!
//! ```text
//! cargo run --release -p terrace-frontend --example big             writes the program
//! cargo run --release -p terrace-frontend --example big -- time     compiles it and says how long that took
//! ```
//!
//! About 3,000 functions on 20,000 lines: records, enums, comprehensions, loops, calls of earlier functions, generic and
//! inferred ones, tests. Nothing in it is random, so two runs can be compared.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;
use terrace_base::SourceMap;

/// How many blocks of functions there are.
const BLOCKS: usize = 500;

fn program() -> String {
    let mut out =
        String::from("type point = {x: f64, y: f64}\nenum shape = circle(f64) | rect(f64, f64) | nothing\n\n");
    for k in 0..BLOCKS {
        let before = k.saturating_sub(1);
        let call = if k == 0 { "p.x".to_string() } else { format!("length{before}(p)") };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            r#"--| The length of a vector, number {k}.
def length{k}(p: point) -> f64 =
  let dx = p.x - {k}.0
  let dy = p.y + 1.5
  let scale = if dx < dy then 2.0 else 0.5
  in if scale > 1.0
     then sqrt(dx * dx + dy * dy)
     else {call}

--| Moves points, number {k}.
def moved{k}[n](ps: [n]point, step: point) -> [n]point =
  [point{{x = p.x + step.x, y = p.y + step.y}} for p in ps]

--| An inferred function, number {k}.
def folded{k}(f, start, xs) =
  loop acc = start for x in xs do
    f(acc, x)

--| A generic one, number {k}.
def largest{k}[t: Ord](xs: []t, least: t) -> t =
  let best = loop best = least for x in xs do
    if x > best then x else best
  in best

--| Areas, number {k}.
def area{k}(s: shape) -> f64 =
  match s {{
    circle(r) => 3.0 * r * r,
    rect(a, b) if a > b => a * b,
    rect(a, b) => b * a,
    nothing => 0.0,
  }}

--| An entry, number {k}.
entry run{k}(ps: []point, shapes: []shape, v: []f64) -> f64 =
  let placed = moved{k}(ps, point{{x = 1.0, y = 2.0}})
  let lengths = [length{k}(p) for p in placed if p.x > 0.0]
  let areas = map(area{k}, shapes)
  let total = folded{k}(|a, b| a + b, 0.0, areas)
  let table = [[x * y for y in v] for x in lengths]
  let sums = [sum(row) for row in table]
  let most = largest{k}(sums, 0.0)
  let count = len([s for s in sums if s < most])
  in total + most + f64(count)

test "number {k}" =
  run{before}([], [nothing], [1.0, 2.0]) == 0.0

"#
        );
    }
    out
}

fn main() -> std::io::Result<()> {
    let text = program();
    if std::env::args().nth(1).as_deref() != Some("time") {
        return std::io::stdout().write_all(text.as_bytes());
    }
    let mut sources = SourceMap::new();
    let lines = text.lines().count();
    let file = sources.add("big.tce", text);
    let start = Instant::now();
    let (loaded, messages) = terrace_frontend::load(&mut sources, file, &|_| Err(std::io::ErrorKind::NotFound.into()));
    let parsed = start.elapsed();
    let result = terrace_frontend::compile(&loaded);
    let all = start.elapsed();
    let outcome = match result {
        Ok(compiled) => format!("{} functions of Core", compiled.program.functions.len()),
        Err(reports) => reports.first().map_or(String::new(), |r| terrace_base::render(r, &sources, false)),
    };
    let messages = messages.len();
    writeln!(
        std::io::stdout(),
        "{lines} lines: parsed in {parsed:?} ({messages} messages), compiled in {all:?}: {outcome}"
    )
}
