//! What is said about the sizes of a program: signatures, regularity with reasons, what became of checks, and errors.

use terrace_base::{SourceMap, render};
use terrace_ir::core::Program;
use terrace_opt::analysis::shapes::{Analysis, Status, analyse, text};

fn compiled(source: &str) -> (Program, Analysis, SourceMap) {
    let mut sources = SourceMap::new();
    let root = sources.add("a.tce", source);
    let (loaded, _) = terrace_frontend::load(&mut sources, root, &|path| std::fs::read(path));
    let compiled = terrace_frontend::compile(&loaded).unwrap_or_else(|d| panic!("{}", render(&d[0], &sources, false)));
    let analysis = analyse(&compiled.program);
    (compiled.program, analysis, sources)
}

/// The first function's signature and operators.
fn check(source: &str, expected: &str) {
    let (program, analysis, sources) = compiled(source);
    let found = text::shapes(&program, &analysis, &sources, None);
    let first = found.split("\n\n").next().unwrap_or("");
    assert_eq!(first.trim_end(), expected.trim_end(), "{source}\n{found}");
}

#[test]
fn signatures() {
    check(
        "entry mv(xss: [][]f64, ys: []f64) -> [][]f64 = [[x * y for x in xs, y in ys] for xs in xss]",
        "mv[n, m](xss: [n][m]f64, ys: [m]f64) -> [n][m]f64
  line 1  map    len(xss)  regular  no parallel code is around it
  line 1    map  len(ys)   regular  all rows of `xss` have length len(ys)",
    );
    check(
        "entry mm(xss: [][]f64, yss: [][]f64) -> [][]f64 = [[x * y for x in xs, y in ys] for xs in xss, ys in yss]",
        "mm[n, k](xss: [i < n][k(i)]f64, yss: [i < n][k(i)]f64) -> [i < n][k(i)]f64
  line 1  map    len(xss)  regular    no parallel code is around it
  line 1    map  len(xs)   irregular  rows of `xss` may have any length; the rows of `yss` have the same lengths",
    );
    check(
        "entry keep(xs: []f64) -> []f64 = [x for x in xs if x > 0.0]",
        "keep[n](xs: [n]f64) -> ?[m]. [m]f64
  where m <= n
  line 1  filter  len(xs)  regular  no parallel code is around it",
    );
    check(
        "entry concat(xss: [][]f64) -> []f64 = flatten(xss)",
        "concat[n, k](xss: [i < n][k(i)]f64) -> [sum(i < n: k(i))]f64",
    );
    check("entry half(xs: []i64) -> []i64 = xs[..len(xs) / 2]", "half[n](xs: [n]i64) -> [n / 2]i64");
    check(
        "entry at(xs: []i64, i: i64) -> i64 = xs[i]",
        "at[n](xs: [n]i64, i: i64) -> i64
  where the result is xs[i]
  where 0 <= i
  where i < n",
    );
}

#[test]
fn reasons() {
    check(
        "entry f[n](m: [i < n][i + 1]f64) -> []f64 = [sum(row) for row in m]",
        "f[n](m: [i < n][i + 1]f64) -> [n]f64
  line 1  map       n      regular             no parallel code is around it
  line 1    reduce  j + 1  position-dependent  row j of `m` has j + 1 elements",
    );
    check(
        "entry f(xss: [][]f64) -> []f64 =
  let rows = [[x for x in xs if x > 0.0] for xs in xss]
  in [sum(row) for row in rows]",
        "f[n, k](xss: [i < n][k(i)]f64) -> [n]f64
  line 2  map       len(xss)      regular    no parallel code is around it
  line 2    filter  len(xs)       irregular  rows of `xss` may have any length (line 1)
  line 3  map       len(xss)      regular    no parallel code is around it
  line 3    reduce  len(rows[i])  irregular  the filter keeps a number of elements that depends on the data (line 2)",
    );
    check(
        "def f(xs: []f64) -> f64 = sum(xs)
entry g(xss: [][]f64) -> []f64 = [f(xs) for xs in xss]",
        "f[n](xs: [n]f64) -> f64
  line 1  reduce  len(xs)  irregular  called for parts of different lengths (line 2)",
    );
    // Only one of the arguments differs from call to call, and the check makes it as long as the other.
    check(
        "def f(xs: []f64, ys: []f64) -> f64 = sum([x * y for x in xs, y in ys])
entry g(xss: [][]f64, ys: []f64) -> []f64 = [f(xs, ys) for xs in xss]",
        "f[n](xs: [n]f64, ys: [n]f64) -> f64
  line 1  reduce  len(ys)  regular  it has the same length in every call
  line 1  map     len(ys)  regular  it has the same length in every call",
    );
    // The rows of the state are as long as the first, whatever the step.
    check(
        "entry f[n, m](xss: [n][m]f64) -> []f64 =
  [sum(flatten(loop rows = [xs] while len(rows) < len(xs) do
     flatten([[row[..len(row) / 2], row[..len(row) / 2]] for row in rows]))) for xs in xss]",
        "f[n, m](xss: [n][m]f64) -> [n]f64
  line 2  map       n                             regular  no parallel code is around it
  line 2    reduce  len(loop …)*len((loop …)[0])  regular  len(loop …)*len((loop …)[0]) elements at every position
  line 3    map     len(rows)                     regular  len(rows) elements at every position",
    );
}

/// What became of the checks that are not proved.
fn left(source: &str, expected: &[(&str, Status, &str)]) {
    let (program, analysis, _) = compiled(source);
    let all = analysis.checks(&program);
    let found: Vec<(&str, Status, &str)> =
        all.iter().filter(|c| c.status != Status::Proved).map(|c| (c.kind.word(), c.status, c.why.as_str())).collect();
    assert_eq!(found, expected, "{source}");
}

#[test]
fn checks_that_are_left() {
    left("entry f(xs: []f64) -> []f64 = [xs[i] + x for x in xs, i < len(xs)]", &[]);
    left(
        "entry f(rows: [][](i32, f64), v: []f64) -> []f64 = [sum([x * v[j] for (j, x) in row]) for row in rows]",
        &[(
            "index",
            Status::Remains,
            "nothing says that `j`, read from `rows`, is at least 0 and below the length of `v`",
        )],
    );
    left(
        "entry f[n](xs: [n]f64, ys: [n]f64) -> []f64 = [x * y for x in xs, y in ys]",
        &[("size", Status::AtEntry, "whoever calls the entry must see to it that the length of `ys` is `n`")],
    );
    left(
        "entry f(xs: []f64, i: i64) -> f64 = assert(i < len(xs), \"i\") in xs[i]",
        &[
            ("assert", Status::Remains, "nothing says that `i < len(xs)`"),
            ("index", Status::Remains, "nothing says that `i` is at least 0"),
        ],
    );
}

/// The codes of errors and warnings, and what the first one points at.
fn refused(source: &str, codes: &[&str], says: &str) {
    let (program, analysis, _) = compiled(source);
    let all = analysis.errors(&program);
    assert_eq!(all.iter().map(|d| d.code).collect::<Vec<_>>(), codes, "{source}");
    let text = all.first().and_then(|d| d.labels.first()).map_or("", |l| l.text.as_str());
    assert_eq!(text, says, "{source}");
}

#[test]
fn errors_before_anything_runs() {
    refused(
        "entry f(xs: []f64) -> []f64 = [b - a for a in xs, b in xs[1..]]",
        &["T0301"],
        "`xs` has len(xs) elements, and `xs[1..len(xs)]` has len(xs) - 1 elements",
    );
    refused("entry f[n](xs: [n]f64) -> [n + 1]f64 = xs", &["T0302"], "this has n elements, the type says n + 1");
    refused("entry f(xs: []f64) -> f64 = xs[len(xs)]", &["T0306"], "position len(xs) of len(xs) elements");
    refused("entry f(xs: []f64) -> f64 = xs[-1]", &["T0306"], "position -1 does not exist: they begin with 0");
    refused("entry f(xs: []f64) -> []f64 = xs[..-1]", &["T0306"], "position -1 does not exist: they begin with 0");
    refused("entry f(xs: []i64) -> []i64 = xs with [0..2] = [1, 2, 3]", &["T0304"], "2 against 3");
}

#[test]
fn what_may_not_run_is_a_warning_and_what_cannot_run_is_nothing() {
    let unequal = "[a * b for a in xs, b in xs ++ [1.0]]";
    let says = "`xs` has len(xs) elements, and `xs ++ [1.0]` has len(xs) + 1 elements";
    refused(&format!("entry f(c: bool, xs: []f64) -> []f64 = if c then {unequal} else xs"), &["T0310"], says);
    refused(&format!("entry f(n: i64, xs: []f64) -> [][]f64 = [{unequal} for i < n]"), &["T0310"], says);
    refused(&format!("entry f(xs: []f64) -> []f64 = if len(xs) < 0 then {unequal} else xs"), &[], "");
    refused("entry f(x: i64) -> i64 = assert(false, \"never\") in x", &[], "");
    // A call may be wrong; what it calls is not.
    refused(
        "def g(xs: []f64, ys: []f64) -> []f64 = [x * y for x in xs, y in ys]
entry f(c: bool, xs: []f64) -> []f64 = if c then g(xs, xs ++ [1.0]) else xs",
        &[],
        "",
    );
}

#[test]
fn json_holds_what_the_text_says() {
    let (program, analysis, sources) = compiled("entry f(xs: []f64) -> []f64 = [x for x in xs if x > 0.0]");
    let json = text::shapes_json(&program, &analysis, &sources, Some("f"));
    for part in [
        "\"signature\": \"f[n](xs: [n]f64) -> ?[m]. [m]f64\\n  where m <= n\"",
        "\"exists\": [\"m\"]",
        "\"operator\": \"filter\", \"place\": {\"file\": \"a.tce\", \"line\": 1, \"column\": 31}",
        "\"regularity\": \"regular\"",
    ] {
        assert!(json.contains(part), "{part}\n{json}");
    }
    assert_eq!(text::shapes_json(&program, &analysis, &sources, Some("g")), "[]\n");
}
