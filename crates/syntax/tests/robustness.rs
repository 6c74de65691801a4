//! Whatever the input, the parser answers: it never panics, never overflows the stack, and keeps its promises.
//!
//! The inputs are random tokens, real programs with damage, and towers of every kind of nesting. The random numbers come
//! from a fixed seed, so a failure can be repeated.

use terrace_base::{SourceMap, render};
use terrace_syntax::{Module, dump, parse};

/// A small xorshift generator: the tests need variety, not quality.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// Parses and renders everything; returns the tree and the codes of the errors.
fn survive(source: &str) -> (Module, Vec<&'static str>) {
    let mut map = SourceMap::new();
    let file = map.add("soup.ter", source);
    let (module, errors) = parse(&map, file);
    for error in &errors {
        assert!(terrace_syntax::explain(error.code).is_some(), "{} has no explanation", error.code);
        for label in &error.labels {
            let range = label.span.start as usize..label.span.end as usize;
            assert!(source.get(range).is_some(), "{error:?} is not a place in {source:?}");
        }
        assert!(render(error, &map, false).contains("soup.ter"));
    }
    dump::module(&module);
    (module, errors.iter().map(|e| e.code).collect())
}

const WORDS: &[&str] = &[
    "def",
    "entry",
    "test",
    "let",
    "in",
    "if",
    "then",
    "else",
    "loop",
    "while",
    "for",
    "do",
    "by",
    "assert",
    "true",
    "type",
    "match",
    "with",
    "enum",
    "import",
    "stream",
    "as",
    "=>",
    "?",
    "f",
    "x",
    "xs",
    "n",
    "i32",
    "f64",
    "_",
    "1",
    "2.5",
    "3u8",
    "1.",
    ".5",
    "0x",
    "\"s\"",
    "\"open",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ";",
    "=",
    "->",
    "|>",
    "||",
    "|",
    "&&",
    "&",
    "==",
    "<",
    "<=",
    "<<",
    "+",
    "++",
    "-",
    "*",
    "/",
    "%",
    "!",
    "..",
    "..",
    ".",
    "?",
    "#",
    "ä",
    "漢",
    "--| doc\n",
    "-- c\n",
    "\n",
    "\t",
    "\u{0}",
];

#[test]
fn token_soup() {
    let mut random = Random(0x5eed);
    for _ in 0..20_000 {
        let length = 1 + random.below(40);
        let mut source = String::from(["", "def f(x: i64) -> i64 = ", "test \"t\" = "][random.below(3)]);
        for _ in 0..length {
            source.push_str(WORDS[random.below(WORDS.len())]);
            source.push_str(["", " ", " "][random.below(3)]);
        }
        survive(&source);
    }
}

const PROGRAM: &str = "enum s = a(f64) | b type p = {x: f64} import \"m\" as k
def g(xs: *[n]f64) -> ?[m]. [m]f64 = let xs[0; 1 by 2] = 3 in match xs with [0] = 1 { a(_) | k.b => p{x = 1}.x, p{x, ..} => t.0 }
--| Doc.
entry f[n, t: Ord](m: [i < n][i + 1]f32, g: (i64) -> i64) -> [n]f32 =
  let (a, _) = loop (c, k) = (0, 1.5e3) while k != 1 do (c + 1, if k % 2 == 0 then k / 2 else 3 * k)
  assert(a > 0, \"a\\n\")
  in [sum([x * v[j, ..2 by 3] for (j, x) in row, i < 3 if x > -1]) for row in m] |> map(|x, y| x + y) |> g
test \"t ä\" = f((+), [[], [0xFFu8]]) == \"ö\"
";

#[test]
fn damaged_programs() {
    assert_eq!(survive(PROGRAM).1, [""; 0]);
    for end in (0..PROGRAM.len()).filter(|i| PROGRAM.is_char_boundary(*i)) {
        survive(&PROGRAM[..end]);
        survive(&PROGRAM[end..]);
    }
    let mut random = Random(0xbad);
    let chars: Vec<char> = PROGRAM.chars().collect();
    for _ in 0..5_000 {
        let mut chars = chars.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(chars.len());
            match random.below(3) {
                0 => drop(chars.remove(at)),
                1 => chars.insert(at, chars[random.below(chars.len())]),
                _ => chars.swap(at, random.below(at + 1)),
            }
        }
        survive(&chars.into_iter().collect::<String>());
    }
}

#[test]
fn towers_end_in_an_error() {
    let tower = |before: &str, open: &str, middle: &str, close: &str, n: usize| {
        survive(&format!("{before}{}{middle}{}", open.repeat(n), close.repeat(n))).1
    };
    let test = "test \"t\" = ";
    let cases = [
        (test, "(", "1", ")"),
        (test, "[", "1", "]"),
        (test, "f(", "1", ")"),
        (test, "x[", "1", "]"),
        (test, "- ", "1", ""),
        (test, "!", "a", ""),
        (test, "if a then b else ", "1", ""),
        (test, "let a = ", "1", " in a"),
        (test, "let a = 1 in ", "1", ""),
        (test, "|x| ", "x", ""),
        (test, "[", "x", " for x in xs]"),
        (test, "loop a = 1 while c do ", "x", ""),
        (test, "1 + ", "1", ""),
        (test, "x |> f |> ", "g", ""),
        (test, "", "f", "(1)"),
        (test, "", "f", "[1]"),
        (test, "", "f", " ++ (g)"),
        (test, "(", "1", " + 1 + 1 + 1 + 1 + 1)"),
        (test, "match x { y => ", "1", " }"),
        (test, "match ", "x", " { y => 1 }"),
        (test, "point{x = ", "1", "}"),
        (test, "xs with [", "1", "] = 2"),
        (test, "", "xs", " with [0] = 2"),
        (test, "", "p", ".x"),
        (test, "", "t", ".0"),
        (test, "xs[0; ", "1", " by 2]"),
        (test, "let xs[0] = ", "1", " in xs"),
        ("test \"t\" = match x { ", "some(", "y", ")"),
        ("test \"t\" = match x { ", "(1 | ", "y", ")"),
        ("def f(p{x = ", "p{x = ", "y", "}"),
        ("def f(x: ", "m[", "n", "]"),
        ("def f(x: ", "m[(", "n", ")]"),
        ("def f(x: ", "[]", "i64", ""),
        ("def f(x: ", "(", "i64", ")"),
        ("def f(x: ", "(i64) -> ", "i64", ""),
        ("def f(", "(", "x", ")"),
    ];
    for (before, open, middle, close) in cases {
        for n in [2_000, 100_000] {
            let codes = tower(before, open, middle, close, n);
            assert_eq!(codes, ["T0030"], "{n} times {open:?} … {close:?}");
        }
    }
    assert_eq!(tower(test, "(", "1", ")", 200), [""; 0]);
    assert_eq!(tower(test, "1 + ", "1", "", 700), [""; 0]);
}

#[test]
fn width_is_not_depth() {
    let wide = |item: &str| vec![item; 20_000].join(", ");
    assert_eq!(survive(&format!("test \"t\" = [{}]", wide("1 + f(2)[3]"))).1, [""; 0]);
    assert_eq!(survive(&format!("test \"t\" = {} in x", "let x = 1 + 2 ".repeat(20_000))).1, [""; 0]);
    assert_eq!(survive(&"def f(x: i64) -> i64 = x + 1\n".repeat(5_000)).0.items.len(), 5_000);
}
