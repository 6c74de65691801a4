//! How many messages a mistake gives. A table of programs, and every program of the repository with one token missing,
//! doubled, or changed.

mod corpus;

use corpus::{EVERYTHING, Random, parse, programs};
use terrace_base::render;
use terrace_syntax::lexer::lex;

/// Every how-manyeth token is damaged. With 1 it takes minutes: of 133000 deletions 125 gave more than one message, none
/// more than three.
const STEP: usize = 23;

fn check(source: &str, codes: &[&str]) {
    let (map, file) = corpus::map(source);
    let (_, errors) = terrace_syntax::parse(&map, file);
    let found: Vec<&str> = errors.iter().map(|e| e.code).collect();
    let text: String = errors.iter().map(|e| render(e, &map, false)).collect();
    assert_eq!(found, codes, "{source}\n{text}");
}

#[test]
fn independent_mistakes_are_all_reported() {
    check("def f() = let a = 1 + * 2 let b = * 3 in a + b", &["T0010", "T0010"]);
    check("def f() = let a = g(1 2) let b 3 in a * / b", &["T0012", "T0010", "T0010"]);
    check("def f() = g(1 2, 3 4, 5)", &["T0012", "T0012"]);
    check("def f() = [1 2, 3, 4 5]", &["T0012", "T0012"]);
    check("def f() = (a + , b - )", &["T0010", "T0010"]);
    check("def f() = [g(x y) for x in h(1 2)]", &["T0012", "T0012"]);
    check("def f() = [* for x in]", &["T0010", "T0010"]);
    check("def f() = if a b then c d else e *", &["T0023", "T0010", "T0010"]);
    check("def f() = if a then b * else if c < d < e then 1 else 2", &["T0010", "T0014"]);
    check("def f(x: , y: [n m]i64) -> i64 = x + + 1", &["T0010", "T0012", "T0010"]);
    check("def f(x: i64) -> = x *", &["T0010", "T0010"]);
    check("def f() = xs[1 2] + ys[3 4]", &["T0012", "T0012"]);
    check("def f() = match x { a -> 1, b => , c => 3 }", &["T0010", "T0010"]);
    check("def f() = point{x: 1, y = * 2}", &["T0010", "T0010"]);
    check("type p = {x = f64, y: } enum e = a() | b", &["T0010", "T0010", "T0010"]);
    check("def f() = map(|x y| x + , xs)", &["T0012", "T0010"]);
    check("def f() = let x = assert(a) in b let y = |a a2| c in d *", &["T0010", "T0012", "T0010"]);
    check("def f() = assert(a) let y = 1 2 in d *", &["T0010", "T0011", "T0010"]);
    check("def f() = let x = (1 + ) let y = [2 3] in x", &["T0010", "T0012"]);
    check("def f() = 1 + def g() = 2 * test \"t\" = ", &["T0010", "T0010", "T0010"]);
}

#[test]
fn one_mistake_is_reported_once() {
    check("def f() = let a = let b = 1 b let c = 2 in a + c", &["T0011"]);
    check("def f() = let a = let b = * in b let c = 2 in a + c", &["T0010"]);
    check("def f() = let x = f(a let y = g(b) in x + y", &["T0012"]);
    check("def f() = (let x = f(a let y = g(b) in x + y)", &["T0012"]);
    check("def f() = let x = 1 lte y = 3 in x", &["T0011"]);
    check("def f() = let x = 1 y = 2 in x + y", &["T0011"]);
    check("def f() = if if a b else c then d else e", &["T0010"]);
    check("def f() = if a then let x = 1 else 2", &["T0011"]);
    check("def f() = let x = if a then b in x", &["T0023"]);
    check("def f() = [loop a = for i < 3 do a for x in xs]", &["T0010"]);
    check("def f() = g(|x y, z: i64| x, 1)", &["T0012"]);
    check("def f() = [x for row in rows for x in row]", &["T0018"]);
    check("def f() = let p = xs[0] [x for x in xs if x < p]", &["T0011"]);
    check("def f(x: i64, y: i64 -> i64 = x", &["T0012"]);
    check("def f(x: [n, m]f64) = x", &["T0012"]);
    check("def f() = (x + [1, 2) + [", &["T0012"]);
    check("def f() = g(x # y, z)", &["T0001"]);
    check("def f() = \"open", &["T0002"]);
    check("def f() = let x = 5 in in x", &["T0010"]);
    check("def f() = a + b) * c", &["T0010"]);
    check("def f(x: i64) -> i64 x + 1", &["T0010"]);
    check("f(x: i64) -> i64 = x + 1", &["T0013"]);
    check("def f() = match x { a => 1, b 2, c => 3 }", &["T0010"]);
    check("def f() = match x a => 1, b => 2 }", &["T0010"]);
    check("def f() = (1,,2)", &["T0010"]);
    check("def f() = if x then 1 else", &["T0010"]);
    check("def f() = let x = if a then 1 let y = 2 in x", &["T0023"]);
}

#[test]
fn damaged_programs_give_few_messages() {
    let mut worst = (0, String::new());
    let mut counts = [0usize; 8];
    let mut random = Random(0xfeed);
    let mut texts: Vec<String> = programs().into_iter().map(|(_, text)| text).collect();
    texts.push(EVERYTHING.into());
    assert_eq!(parse(EVERYTHING).1, []);
    for text in &texts {
        let (map, file) = corpus::map(text);
        let tokens = lex(file, map.text(file)).tokens;
        for (i, token) in tokens.iter().enumerate().filter(|(i, _)| i % STEP == tokens.len() % STEP) {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            let deleted = format!("{} {}", &text[..start], &text[end..]);
            let found = parse(&deleted).1.len();
            counts[found.min(7)] += 1;
            if found > worst.0 {
                worst = (found, format!("without token {i} `{}`:\n{deleted}", &text[start..end]));
            }
            let doubled = format!("{} {}", &text[..end], &text[start..]);
            let other = &tokens[random.below(tokens.len())].span;
            let other = &text[other.start as usize..other.end as usize];
            let inserted = format!("{} {other} {}", &text[..start], &text[start..]);
            let replaced = format!("{} {other} {}", &text[..start], &text[end..]);
            for damaged in [doubled, inserted, replaced] {
                assert!(parse(&damaged).1.len() <= 4, "{damaged}");
            }
        }
    }
    let several: usize = counts[2..].iter().sum();
    assert!(worst.0 <= 3 && several * 500 <= counts.iter().sum::<usize>(), "{counts:?} {}", worst.1);
}
