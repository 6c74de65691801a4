//! Sources and the trees they give. `check` parses an expression, `check_items` whole files.

use terrace_base::{SourceMap, render};
use terrace_syntax::{ast::ItemKind, dump, parse};

fn parse_clean(source: &str) -> terrace_syntax::Module {
    let mut map = SourceMap::new();
    let file = map.add("test.ter", source);
    let (module, errors) = parse(&map, file);
    let text: String = errors.iter().map(|e| render(e, &map, false)).collect();
    assert!(errors.is_empty(), "{source}\n{text}");
    module
}

fn check(expr: &str, expected: &str) {
    let module = parse_clean(&format!("test \"t\" = {expr}"));
    match &module.items[0].kind {
        ItemKind::Test(test) => assert_eq!(dump::expr(&test.body), expected, "{expr}"),
        other => panic!("{other:?}"),
    }
}

fn check_type(ty: &str, expected: &str) {
    let module = parse_clean(&format!("def f(x: {ty}) = x"));
    assert_eq!(dump::module(&module), format!("(def f (x: {expected}) x)\n"));
}

fn check_items(source: &str, expected: &str) {
    assert_eq!(dump::module(&parse_clean(source)), expected);
}

#[test]
fn literals() {
    check("42", "42");
    check("1_000_000", "1000000");
    check("0xFFu8", "255u8");
    check("0b1010i32", "10i32");
    check("0o17", "15");
    check("1.5", "1.5");
    check("1e9", "1000000000.0");
    check("2.5e-3f32", "0.0024999999441206455f32");
    check("2f32", "2.0f32");
    check("true != false", "(!= true false)");
    check("-9223372036854775808", "(- 9223372036854775808)");
    check("-128i8", "(- 128i8)");
    check("\"a\\n\\\"b\\\"\"", "\"a\\n\\\"b\\\"\"");
}

#[test]
fn precedence() {
    check("1 + 2 * 3 - 4", "(- (+ 1 (* 2 3)) 4)");
    check("(1 + 2) * 3", "(* (+ 1 2) 3)");
    check("a || b && c == d + e", "(|| a (&& b (== c (+ d e))))");
    check("a & b == c", "(== (& a b) c)");
    check("a | b ^ c & d << e + f", "(| a (^ b (& c (<< d (+ e f)))))");
    check("a ++ b ++ c == d", "(== (++ (++ a b) c) d)");
    check("-x * y", "(* (- x) y)");
    check("-x[0]", "(- (index x 0))");
    check("- - x", "(- (- x))");
    check("!a && !f(b)", "(&& (! a) (! (call f b)))");
    check("a - -1", "(- a (- 1))");
    check("0..n + 1", "(.. 0 (+ n 1))");
    check("a -- a comment\n + b", "(+ a b)");
}

#[test]
fn pipes() {
    check("xs |> filter(p) |> map(f)", "(pipe map f (pipe filter p xs))");
    check("xs |> sum", "(pipe sum xs)");
    check("0..n |> map(|i| i * i) |> sum", "(pipe sum (pipe map (lambda (i) (* i i)) (.. 0 n)))");
    check("a + b |> f", "(pipe f (+ a b))");
    check("x |> |y| y + 1", "(pipe (lambda (y) (+ y 1)) x)");
    check("xs |> reduce((+), 0)", "(pipe reduce (section +) 0 xs)");
}

#[test]
fn lambdas_and_sections() {
    check("|x, y| x + y", "(lambda (x, y) (+ x y))");
    check("|(a, _), b: []i64| a | b", "(lambda ((a, _), b: []i64) (| a b))");
    check("f(|x| x, 1)", "(call f (lambda (x) x) 1)");
    check("(-)", "(section -)");
    check("(|)", "(section |)");
    check("(||)", "(section ||)");
    check("(<=)", "(section <=)");
    check("(-1)", "(- 1)");
    check("a | |x| x", "(| a (lambda (x) x))");
}

#[test]
fn tuples_and_arrays() {
    check("()", "(tuple)");
    check("(a)", "a");
    check("(a, b, (c, d),)", "(tuple a b (tuple c d))");
    check("[]", "(array)");
    check("[1, 2, 3,]", "(array 1 2 3)");
    check("[[], [1]]", "(array (array) (array 1))");
    check("[(1, 2.0)]", "(array (tuple 1 2.0))");
}

#[test]
fn comprehensions() {
    check("[x for x in xs]", "(for x (x in xs))");
    check(
        "[a * b for a in row, b in v[..len(row)]]",
        "(for (* a b) (a in row) (b in (index v (slice _ (call len row)))))",
    );
    check("[i for i < n]", "(for i (i < n))");
    check("[x + i for x in xs, i < len(xs) if x > 0]", "(for (+ x i) (x in xs) (i < (call len xs)) (if (> x 0)))");
    check("[x * v[j] for (j, x) in row]", "(for (* x (index v j)) ((j, x) in row))");
    check("[1 for _ in xs]", "(for 1 (_ in xs))");
    check("[[x for x in row] for row in rows]", "(for (for x (x in row)) (row in rows))");
    check("[let y = x in y for x in xs]", "(for (let (y x) y) (x in xs))");
    check("[x for x in let ys = zs in ys]", "(for x (x in (let (ys zs) ys)))");
    check("[loop a = x for i < 3 do a + i for x in xs]", "(for (loop (a x) (i < 3) (+ a i)) (x in xs))");
    // The inner `x` is another one, so the second source does not depend on the first.
    check("[x for x in xs, y in [x for x in zs]]", "(for x (x in xs) (y in (for x (x in zs))))");
}

#[test]
fn indexing() {
    check("xs[i]", "(index xs i)");
    check("xs[i, j + 1]", "(index xs i (+ j 1))");
    check("xs[i][j](k)", "(call (index (index xs i) j) k)");
    check("xs[a..b]", "(index xs (slice a b))");
    check("xs[..b]", "(index xs (slice _ b))");
    check("xs[a..]", "(index xs (slice a _))");
    check("xs[..]", "(index xs (slice _ _))");
    check("xs[a..b + 1 by 2]", "(index xs (slice a (+ b 1) 2))");
    check("m[a..b, ..]", "(index m (slice a b) (slice _ _))");
    check("m[.., j]", "(index m (slice _ _) j)");
    check("xs[n |> half]", "(index xs (pipe half n))");
    check("xs\n  [0]", "(index xs 0)");
    check("[1, 2][0]", "(index (array 1 2) 0)");
}

#[test]
fn control() {
    check("if a then b else if c then d else e + 1", "(if a b (if c d (+ e 1)))");
    check("1 + if a then b else c", "(+ 1 (if a b c))");
    check("let x = 1 let (a, _) = f(x) in a + x", "(let (x 1) ((a, _) (call f x)) (+ a x))");
    check("let x: i32 = 1 in x", "(let (x: i32 1) x)");
    check("let x = 1 assert(x > 0, \"positive\") let y = x in y", "(let (x 1) (assert (> x 0) \"positive\") (y x) y)");
    check("assert(c, \"m\") in 1", "(let (assert c \"m\") 1)");
    check("let a = let b = 1 in b let c = 2 in a + c", "(let (a (let (b 1) b)) (c 2) (+ a c))");
    check(
        "loop (count, n) = (0, n0) while n != 1 do (count + 1, n / 2)",
        "(loop ((count, n) (tuple 0 n0)) (while (!= n 1)) (tuple (+ count 1) (/ n 2)))",
    );
    check("loop x = 0 for i < n do x + i", "(loop (x 0) (i < n) (+ x i))");
    check("loop x = 0 for (a, b) in vs do x + a * b", "(loop (x 0) ((a, b) in vs) (+ x (* a b)))");
    check("let s = loop x = 0 for v in vs do x + v in s", "(let (s (loop (x 0) (v in vs) (+ x v))) s)");
}

#[test]
fn types() {
    check_type("f64", "f64");
    check_type("[]f64", "[]f64");
    check_type("[n]t", "[n]t");
    check_type("[3](i32, [](bool, u8))", "[3](i32, [](bool, u8))");
    check_type("[n + 1][n * m]f32", "[(+ n 1)][(* n m)]f32");
    check_type("[i < n][i + 1]f32", "[i < n][(+ i 1)]f32");
    check_type("[i < n][k(i)]t", "[i < n][(call k i)]t");
    check_type("[n / 2]t", "[(/ n 2)]t");
    check_type("(i64, i64) -> [n]i64", "(i64, i64) -> [n]i64");
    check_type("(i64)", "i64");
}

#[test]
fn items() {
    check_items(
        "--| Adds.\n--| Twice.\ndef f[n, t: Ord](xs: [n]t, (a, b): (i64, i64)) -> [n]t = xs\n-- no doc\nentry g() -> i64 = 1",
        "--| Adds.\n--| Twice.\n(def f[n, t: Ord] (xs: [n]t, (a, b): (i64, i64)) -> [n]t xs)\n(entry g () -> i64 1)\n",
    );
    check_items("test \"one\" = 1 == 1 test \"two\" = true", "(test \"one\" (== 1 1))\n(test \"two\" true)\n");
    check_items("", "");
}

#[test]
fn declarations() {
    check_items("import \"shapes/circle\"", "(import \"shapes/circle\")\n");
    check_items("import \"a\" as b import \"c\"", "(import \"a\" as b)\n(import \"c\")\n");
    check_items("type point = {x: f64, y: f64,}", "(type point {x: f64, y: f64})\n");
    check_items("type matrix[n, m, t] = [n][m]t", "(type matrix[n, m, t] [n][m]t)\n");
    check_items(
        "enum shape = circle(f64) | rect(f64, f64) | nothing enum option[t] = none | some(t)",
        "(enum shape circle(f64) | rect(f64, f64) | nothing)\n(enum option[t] none | some(t))\n",
    );
    check_items("def square(x) = x * x", "(def square (x) (* x x))\n");
    check_items("def tau = 6.28 def two: i32 = 2", "(def tau 6.28)\n(def two: i32 2)\n");
    check_items("def unit() = tau", "(def unit () tau)\n");
    check_items("def push(xs: *[n]f64, x) = xs", "(def push (xs: *[n]f64, x) xs)\n");
    check_items("def f(xs) -> ?[m, k]. ([m]i64, [k]bool) = xs", "(def f (xs) -> ?[m, k]. ([m]i64, [k]bool) xs)\n");
    check_items("def as(as: as) = as", "(def as (as: as) as)\n");
    check_items(
        "def f(circle(r): shape, point{x, y = (a, b), ..}) = r",
        "(def f (circle(r): shape, point{x, y = (a, b), ..}) r)\n",
    );
}

#[test]
fn named_types() {
    check_type("matrix[3, n + 1, f64]", "matrix[3, (+ n 1), f64]");
    check_type("m.pair[i64, []t]", "m.pair[i64, []t]");
    check_type("pair[m.t, pair[a, m.pair[b, c]]]", "pair[(. m t), pair[a, m.pair[b, c]]]");
    check_type("pair[(a, b), (n + 1) * 2]", "pair[(a, b), (* (+ n 1) 2)]");
    check_type("pair[(n), (a) -> b]", "pair[n, (a) -> b]");
    check_type("list[(f64)]", "list[f64]");
    check_type("[n]pair[min(n, 2), t]", "[n]pair[(call min n 2), t]");
    check_type("[if a < b then c else d]t", "[(if (< a b) c d)]t");
}

#[test]
fn records_and_updates() {
    check("point{x = 1.0, y}", "(record point (x 1.0) (y y))");
    check("m.point{x, y}.x", "(. (record m.point (x x) (y y)) x)");
    check("p with {x = 3.0, y = 1.0}", "(with p (x 3.0) (y 1.0))");
    check("t.0.1.x.2", "(. (. (. (. t 0) 1) x) 2)");
    check("f(x).0 + t.0..t.1", "(.. (+ (. (call f x) 0) (. t 0)) (. t 1))");
    check("t.0.5", "(. (. t 0) 5)");
    check("xs[0].1", "(. (index xs 0) 1)");
    check("m.f(x)", "(call (. m f) x)");
    check("x |> m.f |> m.g(1)", "(pipe (. m g) 1 (pipe (. m f) x))");
    check("xs with [i] = v + 1", "(update xs [i] (+ v 1))");
    check("xs with [i, a..b] = v", "(update xs [i (slice a b)] v)");
    check("xs with [a..b by s] = ys |> f", "(pipe f (update xs [(slice a b s)] ys))");
    check("a ++ b with [i] = v with [j] = w", "(update (update (++ a b) [i] v) [j] w)");
    check("xs with [i] = 0..n", "(update xs [i] (.. 0 n))");
    check("xs with [i] = p with {x = 1}", "(with (update xs [i] p) (x 1))");
    check("xs with [0; 2 by n, m by 1] = yss", "(update xs [(strided 0 (2 by n) (m by 1))] yss)");
    check("xs[off + 1; c by -s]", "(index xs (strided (+ off 1) (c by (- s))))");
    check("let xs[i] = v let m[i, j] = w in xs", "(let (xs[i] v) (m[i j] w) xs)");
    check("let xs\n[i] = v in xs", "(let (xs[i] v) xs)");
    check("let xs[0; 1 by 2] = v in xs", "(let (xs[(strided 0 (1 by 2))] v) xs)");
    check("[p with {x = i} for i < n]", "(for (with p (x i)) (i < n))");
    check("if a then xs with [0] = 1 else xs", "(if a (update xs [0] 1) xs)");
}

#[test]
fn matches() {
    check("match e { a => 1, _ => 2, }", "(match e (a => 1) (_ => 2))");
    check("match e{x if x > 0 => x, y => -y}", "(match e (x if (> x 0) => x) (y => (- y)))");
    check("match p { point{x, y = (a, b), ..} => a }", "(match p (point{x, y = (a, b), ..} => a))");
    check("match point{x = 1} { point{x} => x }", "(match (record point (x 1)) (point{x} => x))");
    check(
        "match s { circle(r) | m.rect(r, _) => r, m.nothing => 0 }",
        "(match s (circle(r) | m.rect(r, _) => r) (m.nothing => 0))",
    );
    check(
        "match n { 3 | -1 | 2.5 | -2.5 => a, true => b, \"t\" => c }",
        "(match n (3 | (- 1) | 2.5 | (- 2.5) => a) (true => b) (\"t\" => c))",
    );
    check("match t { (1 | 2, some(3 | x)) => x }", "(match t ((1 | 2, some(3 | x)) => x))");
    check("match t { (none, none) => 1 }", "(match t ((none, none) => 1))");
    check(
        "match f { g => |x| x | 1, h => |a, b| a }",
        "(match f (g => (lambda (x) (| x 1))) (h => (lambda (a, b) a)))",
    );
    check("match a { b => match c { d => 1 } } + 2", "(+ (match a (b => (match c (d => 1)))) 2)");
    check(
        "match a { b => let c = 1 in c, d => xs with [0] = 1 }",
        "(match a (b => (let (c 1) c)) (d => (update xs [0] 1)))",
    );
    check("match f(point{x}) { b => 1 }", "(match (call f (record point (x x))) (b => 1))");
    check("let x = match a { b => 1 } in x", "(let (x (match a (b => 1))) x)");
    check("match t.0 { x => 1 }", "(match (. t 0) (x => 1))");
}

#[test]
fn the_first_look() {
    let source = r#"
-- Sparse matrix times vector. Each row lists (column, value), and rows have any lengths.
entry spmv(rows: [][](i32, f64), v: []f64) -> []f64 =
  [sum([x * v[j] for (j, x) in row]) for row in rows]

def quicksort(xs: []i64) -> []i64 =
  if len(xs) <= 1 then xs
  else
    let p = xs[len(xs) / 2]
    let parts = [[x for x in xs if x < p], [x for x in xs if x > p]]
    let sorted = [quicksort(part) for part in parts]
    in sorted[0] ++ [x for x in xs if x == p] ++ sorted[1]

entry trmv[n](m: [i < n][i + 1]f32, v: [n]f32) -> [n]f32 =
  [sum([a * b for a in row, b in v[..len(row)]]) for row in m]

def steps(n0: i64) -> i64 =
  let (count, _) =
    loop (count, n) = (0, n0) while n != 1 do
      (count + 1, if n % 2 == 0 then n / 2 else 3 * n + 1)
  in count

entry collatz(ns: []i64) -> []i64 = [steps(n) for n in ns]

test "spmv of the 2x2 identity" = spmv([[(0, 1.0)], [(1, 1.0)]], [3.0, 4.0]) == [3.0, 4.0]
"#;
    let expected = "\
(entry spmv (rows: [][](i32, f64), v: []f64) -> []f64 (for (call sum (for (* x (index v j)) ((j, x) in row))) (row in rows)))
(def quicksort (xs: []i64) -> []i64 (if (<= (call len xs) 1) xs (let (p (index xs (/ (call len xs) 2))) (parts (array (for x (x in xs) (if (< x p))) (for x (x in xs) (if (> x p))))) (sorted (for (call quicksort part) (part in parts))) (++ (++ (index sorted 0) (for x (x in xs) (if (== x p)))) (index sorted 1)))))
(entry trmv[n] (m: [i < n][(+ i 1)]f32, v: [n]f32) -> [n]f32 (for (call sum (for (* a b) (a in row) (b in (index v (slice _ (call len row)))))) (row in m)))
(def steps (n0: i64) -> i64 (let ((count, _) (loop ((count, n) (tuple 0 n0)) (while (!= n 1)) (tuple (+ count 1) (if (== (% n 2) 0) (/ n 2) (+ (* 3 n) 1))))) count))
(entry collatz (ns: []i64) -> []i64 (for (call steps n) (n in ns)))
(test \"spmv of the 2x2 identity\" (== (call spmv (array (array (tuple 0 1.0)) (array (tuple 1 1.0))) (array 3.0 4.0)) (array 3.0 4.0)))
";
    check_items(source, expected);
}

#[test]
fn spans_cover_what_was_written() {
    let source = "test \"t\" = (a + f(x)[1..2]) * 3";
    let mut map = SourceMap::new();
    let file = map.add("t.ter", source);
    let (module, _) = parse(&map, file);
    let ItemKind::Test(test) = &module.items[0].kind else { panic!() };
    let mut seen = Vec::new();
    fn walk(e: &terrace_syntax::ast::Expr, map: &SourceMap, seen: &mut Vec<String>) {
        seen.push(map.snippet(e.span).to_string());
        terrace_syntax::visit::for_each_child(e, &mut |c| walk(c, map, seen));
    }
    walk(&test.body, &map, &mut seen);
    let expected = ["(a + f(x)[1..2]) * 3", "(a + f(x)[1..2])", "a", "f(x)[1..2]", "f(x)", "f", "x", "1", "2", "3"];
    assert_eq!(seen, expected);
    assert_eq!(map.snippet(module.items[0].span), source);
}
