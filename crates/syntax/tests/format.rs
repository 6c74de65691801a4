//! The formatter: examples of its layout, and what holds for every program: the tree stays, no comment is lost, and
//! formatting twice is formatting once.

mod corpus;

use corpus::{EVERYTHING, Random, parse, programs};
use terrace_base::render;
use terrace_syntax::token::TokenKind;
use terrace_syntax::{dump, lexer};

fn format(text: &str) -> String {
    let (map, file) = corpus::map(text);
    terrace_syntax::format(&map, file).unwrap_or_else(|errors| {
        panic!("{text}\n{}", errors.iter().map(|e| render(e, &map, false)).collect::<String>())
    })
}

fn comments(text: &str) -> Vec<String> {
    let (map, file) = corpus::map(text);
    let spans = lexer::lex(file, map.text(file)).comments;
    let mut texts: Vec<String> = spans.into_iter().map(|span| map.snippet(span).to_string()).collect();
    texts.sort();
    texts
}

/// Everything that must hold for the formatted text; returns it.
fn faithful(text: &str) -> String {
    let once = format(text);
    assert_eq!(comments(&once), comments(text), "comments of\n{text}\n=>\n{once}");
    let tree = |t: &str| match parse(t) {
        (module, errors) if errors.is_empty() => dump::module(&module),
        (_, errors) => format!("{errors:#?}"),
    };
    assert_eq!(tree(&once), tree(text), "the tree of\n{text}\n=>\n{once}");
    let twice = format(&once);
    assert_eq!(twice, once, "formatting twice\n{text}");
    let neat = |line: &str| line.trim_end() == line;
    assert!(once.lines().all(neat) && !once.contains("\n\n\n") && !once.starts_with('\n'), "{once}");
    assert!(once.is_empty() || once.ends_with('\n'), "{once}");
    once
}

fn check(text: &str, expected: &str) {
    assert_eq!(faithful(text), expected);
}

#[test]
fn items_and_empty_lines() {
    check("", "");
    check("-- only a comment", "-- only a comment\n");
    check(
        "\n\n-- head\n\n\n--| Doc.\ndef  f ( x:i64,y )->i64=x\ndef g( )=1 -- one\n-- end\n",
        "-- head\n\n--| Doc.\ndef f(x: i64, y) -> i64 = x\ndef g() = 1 -- one\n-- end\n",
    );
    check(
        "import \"a/b\" import \"c\"as d type p={x:f64,y:[n]f64,} enum e[t]=a|b( t ,i64 ) def c:i64=0x_FF",
        "import \"a/b\"\nimport \"c\" as d\ntype p = {x: f64, y: [n]f64}\nenum e[t] = a | b(t, i64)\ndef c: i64 = 0x_FF\n",
    );
    // A count that nobody looks at.
    check(
        "def f( )=loop x=1 for _<3 do x  def g( )=[ 1 for _<3 ]",
        "def f() = loop x = 1 for _ < 3 do x\ndef g() = [1 for _ < 3]\n",
    );
    // An item of several lines stands apart.
    check("def f() =\n  1\ndef g() = 2\n", "def f() =\n  1\n\ndef g() = 2\n");
    check(
        "enum shape = a_long_variant_name(f64) | another_long_variant_name(f64, f64) | the_last_of_the_variants\n",
        "enum shape =\n  a_long_variant_name(f64)\n  | another_long_variant_name(f64, f64)\n  | the_last_of_the_variants\n",
    );
    check(
        "def times((a, b, c, d): (i64, i64, i64, i64), (e, f, g, h): *(i64, i64, i64, i64)) -> ?[m]. [m](i64, i64) = a",
        "def times(\n  (a, b, c, d): (i64, i64, i64, i64),\n  (e, f, g, h): *(i64, i64, i64, i64)\n) -> ?[m]. [m](i64, i64) = a\n",
    );
}

#[test]
fn lets_and_branches() {
    check("def f()=let x=1 in x", "def f() = let x = 1 in x\n");
    check(
        "def f() =\n let x=1\n\n\n let y=2 -- two\n -- before in\n in x+y",
        "def f() =\n  let x = 1\n\n  let y = 2 -- two\n  -- before in\n  in x + y\n",
    );
    check(
        "def f(xs) = if len(xs) <= 1 then xs else let p = xs[0]\n in xs",
        "def f(xs) =\n  if len(xs) <= 1 then xs\n  else\n    let p = xs[0]\n    in xs\n",
    );
    check(
        "def f() = if a_condition_that_is_long(x) then a_value_that_is_long(x) else if other then 1 else another_value(x)",
        "def f() =\n  if a_condition_that_is_long(x) then a_value_that_is_long(x)\n  else if other then 1\n  else another_value(x)\n",
    );
    check("def f() = match s { a=>1, b(x) if x>0=>2, }", "def f() = match s { a => 1, b(x) if x > 0 => 2 }\n");
    check(
        "def f() = match s {\n a=>1, -- one\n\n b(_) | m.c=>2 }",
        "def f() = match s {\n  a => 1, -- one\n\n  b(_) | m.c => 2,\n}\n",
    );
    check(
        "def f() =\n loop (c, k) = (0, n) while k != 1 do\n (c + 1, k / 2)",
        "def f() =\n  loop (c, k) = (0, n) while k != 1 do\n    (c + 1, k / 2)\n",
    );
}

#[test]
fn operators_and_brackets() {
    check("def f() = ((a)) + (b * c) - (d - e)", "def f() = a + b * c - (d - e)\n");
    check("def f() = (a < b) == c && !(d)", "def f() = (a < b) == c && !d\n");
    check("def f() = -(-x) + - 1", "def f() = - -x + -1\n");
    check("def f() = (a & b) == 0 || (c && d)", "def f() = (a & b) == 0 || (c && d)\n");
    check("def f() = a & b == 0 || c && d", "def f() = a & b == 0 || c && d\n");
    check("def f() = 1 + (if a then b else c)", "def f() = 1 + (if a then b else c)\n");
    check("def f() = 1 + if a then b else c", "def f() = 1 + if a then b else c\n");
    check("def f() = (xs with [i] = (v)) with {x = 1}", "def f() = xs with [i] = v with {x = 1}\n");
    check("def f() = xs with [i] = (p with {x = 1})", "def f() = xs with [i] = (p with {x = 1})\n");
    check("def f() = xs[(0..n)] ++ xs[0 .. n by 2]", "def f() = xs[(0..n)] ++ xs[0..n by 2]\n");
    check("def f() = (x |> (g)()) |> (|y| y) |> h", "def f() = x |> g |> (|y| y) |> h\n");
    check("def f() = ((t).0).1 + (1_000) + 0xFFu8", "def f() = t.0.1 + 1_000 + 0xFFu8\n");
    check(
        "def f() = [sum([x * weights[j] for (j, x) in row]) for row in rows_of_the_matrix, i < len(rows) if i % 2 == 0]",
        "def f() =\n  [sum([x * weights[j] for (j, x) in row])\n   for row in rows_of_the_matrix, i < len(rows)\n   if i % 2 == 0]\n",
    );
    check(
        "def f() = a_function_with_a_name(the_first_argument_of_it, the_second_argument_of_it, the_third_argument_of_it)",
        "def f() =\n  a_function_with_a_name(\n    the_first_argument_of_it,\n    the_second_argument_of_it,\n    the_third_argument_of_it\n  )\n",
    );
    check(
        "def f() = zip(first_names, second_names) |> filter(|(a, b)| a != b) |> map(|(a, b)| distance(a, b)) |> maximum",
        "def f() =\n  zip(first_names, second_names)\n    |> filter(|(a, b)| a != b)\n    |> map(|(a, b)| distance(a, b))\n    |> maximum\n",
    );
    let numbers = ["1234567890"; 12].join(", ");
    let (first, second) = (["1234567890"; 8].join(", "), ["1234567890"; 4].join(", "));
    check(&format!("def f() = [{numbers}]"), &format!("def f() =\n  [{first},\n   {second}]\n"));
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "def f() = g(a, -- the first\n b -- the second\n)",
        "def f() =\n  g(\n    a, -- the first\n    b -- the second\n  )\n",
    );
    check("def f() = [ -- open\n 1,\n -- own\n 2]", "def f() =\n  [ -- open\n   1,\n   -- own\n   2]\n");
    check("def f() = (a -- inside\n) + b", "def f() =\n  a -- inside\n    + b\n");
    check("def f() = 1 -- one\n-- two\ndef g() = 2", "def f() = 1 -- one\n-- two\ndef g() = 2\n");
}

#[test]
fn mistakes_are_returned() {
    let (map, file) = corpus::map("def f() = ");
    assert_eq!(terrace_syntax::format(&map, file).map_err(|e| e.len()), Err(1));
}

#[test]
fn programs_of_the_repository() {
    for (name, text) in programs() {
        let formatted = faithful(&text);
        for line in formatted.lines().filter(|l| l.chars().count() > terrace_syntax::format::WIDTH) {
            let cut = line.find("--").or(line.find('"')).is_some();
            assert!(cut, "{name}: a long line\n{line}");
        }
    }
    faithful(EVERYTHING);
}

/// The tokens of a text with other white space and comments between them.
fn shaken(text: &str, random: &mut Random, comment_every: usize) -> String {
    let (map, file) = corpus::map(text);
    let tokens = lexer::lex(file, map.text(file)).tokens;
    let mut out = String::new();
    for (i, token) in tokens.iter().enumerate() {
        out.push_str(map.snippet(token.span));
        // Documentation inside an item is that of the next one; where the item ends in `)`, that may vanish.
        let item_follows =
            tokens.get(i + 1).is_some_and(|t| matches!(t.kind, TokenKind::Fixed("def" | "test" | "type")));
        let word = ["c", "longer comment", "- dashes --", "| doc"][random.below(if item_follows { 4 } else { 3 })];
        out.push_str(&match random.below(comment_every) {
            0 => format!(" -- {word} {i}\n"),
            1 => format!("\n  --{word} {i}  \n"),
            2 => format!("\n\n\n-- {word} {i}\n\n"),
            3 => "\n\n\n".into(),
            n => [" ", "\n", " ", "   ", "\n\t"][n % 5].to_string(),
        });
    }
    out
}

#[test]
fn any_white_space_and_comments() {
    let mut random = Random(0xf0f0);
    faithful(&shaken(EVERYTHING, &mut random, 100));
    for _ in 0..100 {
        faithful(&shaken(EVERYTHING, &mut random, 8));
        faithful(&shaken(EVERYTHING, &mut random, 60));
    }
    for (_, text) in programs() {
        faithful(&shaken(&text, &mut random, 20));
    }
}

/// Random programs, with parentheses around every part, so that any tree can come out.
struct Generator(Random);

impl Generator {
    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.0.below(texts.len())]
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["x", "y", "xs", "f", "point", "circle", "accumulated_total", "n"])
    }

    fn part(&mut self, depth: usize) -> String {
        let inside = self.expr(depth);
        let plain = inside.chars().all(|c| c.is_ascii_alphanumeric());
        if plain && self.0.below(2) == 0 { inside } else { format!("({inside})") }
    }

    fn list(&mut self, least: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let count = least + self.0.below(4);
        (0..count).map(|_| item(self)).collect::<Vec<_>>().join(", ")
    }

    fn place(&mut self, d: usize) -> String {
        match self.0.below(4) {
            0 => format!("[{}; {}]", self.part(d), self.list(1, |g| format!("{} by {}", g.part(d), g.part(d)))),
            _ => format!(
                "[{}]",
                self.list(1, |g| {
                    let (a, b, c) = (g.part(d), g.part(d), g.part(d));
                    match g.0.below(5) {
                        0 => format!("{a}..{b}"),
                        1 => format!("..{b} by {c}"),
                        2 => format!("{a}.."),
                        _ => a,
                    }
                })
            ),
        }
    }

    fn pattern(&mut self, d: usize, arm: bool) -> String {
        let fresh = format!("v{}", self.0.below(1_000_000_000));
        if d == 0 {
            return fresh;
        }
        match self.0.below(if arm { 9 } else { 6 }) {
            0 => "_".into(),
            1 => format!("({}, {})", self.pattern(d - 1, arm), self.pattern(d - 1, arm)),
            2 => format!("point{{x = {}, y = {}, ..}}", self.pattern(d - 1, arm), self.pattern(d - 1, arm)),
            3 => format!("m.circle({})", self.list(0, |g| g.pattern(d - 1, arm))),
            4 => format!("(({}))", self.pattern(d - 1, arm)),
            6 => self.pick(&["1", "-2.5f32", "true", "\"t\"", "0xFF"]).into(),
            7 => format!("({} | {})", self.pattern(d - 1, arm), self.pattern(d - 1, arm)),
            8 => format!("m.{} | _", self.name()),
            _ => fresh,
        }
    }

    fn fields(&mut self, d: usize) -> String {
        format!("{{first = {}, second = {}}}", self.part(d), self.part(d))
    }

    fn size(&mut self, d: usize) -> String {
        match d {
            0 => self.pick(&["n", "3", "k(i)", "m.n"]).into(),
            _ => format!("({} {} {})", self.size(d - 1), self.pick(&["+", "*", "-"]), self.size(d - 1)),
        }
    }

    fn ty(&mut self, d: usize) -> String {
        if d == 0 {
            return self.pick(&["f64", "t", "m.t", "bool"]).into();
        }
        match self.0.below(7) {
            0 => format!("[{}]{}", self.part(d - 1), self.ty(d - 1)),
            1 => format!("[i < {}]{}", self.part(d - 1), self.ty(d - 1)),
            2 => format!("({}, {})", self.ty(d - 1), self.ty(d - 1)),
            3 => format!("({}) -> {}", self.list(1, |g| g.ty(d - 1)), self.ty(d - 1)),
            4 => format!("matrix[{}]", self.list(1, |g| if g.0.below(2) == 0 { g.ty(d - 1) } else { g.size(d) })),
            5 => format!("({})", self.ty(d - 1)),
            _ => format!("[]{}", self.ty(d - 1)),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        let leaves = ["1", "0xFFu8", "1_000", "2.5f32", "1e9", "x", "xs", "\"text\"", "true", "(+)", "()", "-3"];
        let Some(d) = depth.checked_sub(1) else {
            return self.pick(&leaves).into();
        };
        match self.0.below(22) {
            0..4 => {
                let op = self.pick(&["+", "-", "*", "%", "==", "<", "&&", "||", "++", "|", "^", "&", "<<", "|", "<"]);
                format!("{} {op} {}", self.part(d), self.part(d))
            }
            4 => format!("{} {}", self.pick(&["-", "!"]), self.part(d)),
            5 => format!("{}..{}", self.part(d), self.part(d)),
            6 => format!("if {} then {} else {}", self.part(d), self.part(d), self.part(d)),
            7 => {
                let pattern = self.pattern(2, false);
                let ty = self.ty(2);
                format!("let {pattern} = {} let y: {ty} = {} in {}", self.part(d), self.part(d), self.part(d))
            }
            8 => {
                let (name, place) = (self.name(), self.place(d));
                format!("let {name}{place} = {} assert({}, \"m\") in {}", self.part(d), self.part(d), self.part(d))
            }
            9 => {
                let pattern = self.pattern(2, false);
                let control = match self.0.below(3) {
                    0 => format!("while {}", self.part(d)),
                    1 => format!("for i < {}", self.part(d)),
                    _ => format!("for {} in {}", self.pattern(1, false), self.part(d)),
                };
                format!("loop {pattern} = {} {control} do {}", self.part(d), self.part(d))
            }
            10 => format!("|{}, y: {}| {}", self.pattern(2, false), self.ty(1), self.part(d)),
            11 => format!("{}({})", self.part(d), self.list(0, |g| g.part(d))),
            12 => format!("{}{}", self.part(d), self.place(d)),
            13 => format!("({}).{}", self.expr(d), self.pick(&["x", "0", "12"])),
            14 => format!("{} with {} = {}", self.part(d), self.place(d), self.part(d)),
            15 => format!("{} with {}", self.part(d), self.fields(d)),
            16 => format!("{}{}", self.pick(&["point", "m.point"]), self.fields(d)),
            17 => {
                let target = match self.0.below(4) {
                    0 => "(-)".into(),
                    1 => format!("(|z| {})", self.part(d)),
                    2 => format!("{}({})", self.part(d), self.list(0, |g| g.part(d))),
                    _ => self.name().to_string(),
                };
                format!("{} |> {target}", self.part(d))
            }
            18 => format!("[{}]", self.list(0, |g| g.part(d))),
            19 => format!("({}, {})", self.part(d), self.part(d)),
            20 => {
                let filter = if self.0.below(2) == 0 { String::new() } else { format!(" if {}", self.part(d)) };
                format!("[{} for {} in {}, q < 3{filter}]", self.part(d), self.pattern(1, false), self.part(d))
            }
            _ => {
                let arms = self.list(1, |g| {
                    let guard = if g.0.below(3) == 0 { format!(" if {}", g.part(d)) } else { String::new() };
                    format!("{}{guard} => {}", g.pattern(2, true), g.part(d))
                });
                format!("match {} {{ {arms} }}", self.part(d))
            }
        }
    }
}

#[test]
fn random_trees() {
    let mut generator = Generator(Random(0x7ea));
    for round in 0..2_000 {
        let depth = 1 + round % 5;
        let text = match generator.0.below(3) {
            0 => format!("def f(x: {}) -> {} = {}", generator.ty(depth), generator.ty(2), generator.part(depth)),
            _ => format!("test \"t\" = {}", generator.expr(depth)),
        };
        faithful(&text);
    }
}

#[test]
fn towers_do_not_overflow() {
    let tower = |open: &str, middle: &str, close: &str, n: usize| {
        faithful(&format!("test \"t\" = {}{middle}{}", open.repeat(n), close.repeat(n)))
    };
    tower("[", "1", "]", 240);
    tower("f(", "1", ")", 240);
    tower("x[", "1", "]", 120);
    tower("", "f", "(1)", 700);
    tower("", "1", " + 1", 700);
    tower("let a = ", "1", " in a", 120);
    tower("let a = 1 in ", "1", "", 120);
    tower("if a then b else ", "1", "", 120);
    tower("match a { b => ", "1", " }", 80);
    tower("|x| ", "x", "", 120);
    tower("- ", "x", "", 240);
    tower("x |> f |> ", "g", "", 300);
    tower("", "x", " with [0] = 1", 600);
}
