//! The naive twin of a size: a tree that is evaluated by looping, from text or at random.
//!
//! Text has one-letter variables, functions `f g h`, `+ - *`, floor division and remainder by constants, `min(a, b)`, `max(a, b)`,
//! `pow(e)` for a power of two, `split(a, b, c, d)` for `if a < b then c else d`, and `sum(i < n: body)`: `n*(n+1)/2`, `sum(i < n: f(i))`.
#![allow(dead_code, reason = "each test file uses a part")]

use terrace_algebra::{Answer, Assumptions, Size, SizeFun, SizeVar, sum};

#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Num(i64),
    /// A number of up to 128 bits; only `wide` has a value for it.
    Big(i128),
    Var(u8),
    Call(u8, Box<Tree>),
    Op(char, Box<Tree>, Box<Tree>),
    Div(Box<Tree>, i64),
    Mod(Box<Tree>, i64),
    Sum(u8, Box<Tree>, Box<Tree>),
    /// `2^e`, zero for negative `e`.
    Pow2(Box<Tree>),
    /// `if a < b then c else d`.
    Split(Box<[Tree; 4]>),
}

pub(crate) type Env = [i64; 26];

pub(crate) fn fun(fun: SizeFun, args: &[i64]) -> Option<i64> {
    let small = args[0].rem_euclid(5);
    Some((small * small + i64::from(fun.0)).rem_euclid(5))
}

impl Tree {
    pub(crate) fn size(&self) -> Size {
        match self {
            Tree::Num(value) => Size::constant(*value),
            Tree::Big(value) => Size::big(*value),
            Tree::Var(name) => Size::var(var(*name)),
            Tree::Call(name, arg) => Size::apply(SizeFun(u32::from(name - b'a')), vec![arg.size()]),
            Tree::Op('+', a, b) => a.size() + b.size(),
            Tree::Op('-', a, b) => a.size() - b.size(),
            Tree::Op('*', a, b) => a.size() * b.size(),
            Tree::Op('m', a, b) => a.size().minimum(&b.size()),
            Tree::Op(_, a, b) => a.size().maximum(&b.size()),
            Tree::Div(a, by) => a.size().floor_div(*by).expect("not zero"),
            Tree::Mod(a, by) => a.size().floor_mod(*by).expect("not zero"),
            Tree::Sum(name, upper, body) => sum(var(*name), &upper.size(), &body.size()),
            Tree::Pow2(e) => Size::pow2(&e.size()),
            Tree::Split(parts) => {
                let [subject, bound, below, above] = &**parts;
                Size::split(&subject.size(), &bound.size(), &below.size(), &above.size())
            }
        }
    }

    pub(crate) fn value(&self, env: &Env) -> i64 {
        match self {
            Tree::Num(value) => *value,
            Tree::Big(_) => panic!("a wide number"),
            Tree::Var(name) => env[usize::from(name - b'a')],
            Tree::Call(name, arg) => fun(SizeFun(u32::from(name - b'a')), &[arg.value(env)]).expect("total"),
            Tree::Op('+', a, b) => a.value(env) + b.value(env),
            Tree::Op('-', a, b) => a.value(env) - b.value(env),
            Tree::Op('*', a, b) => a.value(env) * b.value(env),
            Tree::Op('m', a, b) => a.value(env).min(b.value(env)),
            Tree::Op(_, a, b) => a.value(env).max(b.value(env)),
            Tree::Div(a, by) => (a.value(env) as f64 / *by as f64).floor() as i64,
            Tree::Mod(a, by) => a.value(env) - by * (a.value(env) as f64 / *by as f64).floor() as i64,
            Tree::Sum(name, upper, body) => {
                let mut inner = *env;
                let mut total = 0;
                for at in 0..upper.value(env) {
                    inner[usize::from(name - b'a')] = at;
                    total += body.value(&inner);
                }
                total
            }
            Tree::Pow2(e) => match e.value(env) {
                ..=-1 => 0,
                e => 2i64.checked_pow(u32::try_from(e).expect("a small exponent")).expect("a small power"),
            },
            Tree::Split(parts) => {
                let [subject, bound, below, above] = &**parts;
                if subject.value(env) < bound.value(env) { below.value(env) } else { above.value(env) }
            }
        }
    }
}

impl Tree {
    /// The value in 128 bits, unless some step leaves them.
    pub(crate) fn wide(&self, env: &Env) -> Option<i128> {
        let floor = |a: &Tree, by: i64| a.wide(env)?.checked_div_euclid(i128::from(by));
        Some(match self {
            Tree::Num(value) => i128::from(*value),
            Tree::Big(value) => *value,
            Tree::Var(name) => i128::from(env[usize::from(name - b'a')]),
            Tree::Call(name, arg) => {
                let arg = i64::try_from(arg.wide(env)?).ok()?;
                i128::from(fun(SizeFun(u32::from(name - b'a')), &[arg])?)
            }
            Tree::Op('+', a, b) => a.wide(env)?.checked_add(b.wide(env)?)?,
            Tree::Op('-', a, b) => a.wide(env)?.checked_sub(b.wide(env)?)?,
            Tree::Op('*', a, b) => a.wide(env)?.checked_mul(b.wide(env)?)?,
            Tree::Op('m', a, b) => a.wide(env)?.min(b.wide(env)?),
            Tree::Op(_, a, b) => a.wide(env)?.max(b.wide(env)?),
            Tree::Div(a, by) => floor(a, *by)?,
            Tree::Mod(a, by) => a.wide(env)?.rem_euclid(i128::from(*by)),
            Tree::Sum(name, upper, body) => {
                let mut inner = *env;
                let mut total: i128 = 0;
                for at in 0..i64::try_from(upper.wide(env)?).ok().filter(|n| *n < 1000)? {
                    inner[usize::from(name - b'a')] = at;
                    total = total.checked_add(body.wide(&inner)?)?;
                }
                total
            }
            Tree::Pow2(e) => match e.wide(env)? {
                ..=-1 => 0,
                e => 2i128.checked_pow(u32::try_from(e).ok()?)?,
            },
            Tree::Split(parts) => {
                let [subject, bound, below, above] = &**parts;
                if subject.wide(env)? < bound.wide(env)? { below.wide(env)? } else { above.wide(env)? }
            }
        })
    }
}

pub(crate) fn var(name: u8) -> SizeVar {
    SizeVar(u32::from(name - b'a'))
}

pub(crate) fn eval(size: &Size, env: &Env) -> Option<i64> {
    size.eval_with(&|v| env.get(v.0 as usize).copied(), &fun)
}

pub(crate) fn show(size: &Size) -> String {
    let letter = |number: u32| char::from(b'a' + number as u8).to_string();
    size.display_with(&|v| letter(v.0), &|k| letter(k.0)).to_string()
}

/// All assignments of the named variables to values of the range.
pub(crate) fn grid(names: &[u8], values: std::ops::RangeInclusive<i64>) -> Vec<Env> {
    let mut all = vec![[0; 26]];
    for name in names {
        let old = std::mem::take(&mut all);
        for env in old {
            for value in values.clone() {
                let mut env = env;
                env[usize::from(name - b'a')] = value;
                all.push(env);
            }
        }
    }
    all
}

pub(crate) fn parse(text: &str) -> Tree {
    let bytes: Vec<u8> = text.bytes().filter(|b| *b != b' ').collect();
    let mut parser = Parser { text: bytes, at: 0 };
    let tree = parser.sum();
    assert_eq!(parser.at, parser.text.len(), "rest of {text}");
    tree
}

struct Parser {
    text: Vec<u8>,
    at: usize,
}

impl Parser {
    fn eat(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word.as_bytes());
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn expect(&mut self, word: &str) {
        assert!(self.eat(word), "expected {word} at {}", self.at);
    }

    fn sum(&mut self) -> Tree {
        let mut left = if self.eat("-") { op('-', Tree::Num(0), self.product()) } else { self.product() };
        loop {
            left = match () {
                _ if self.eat("+") => op('+', left, self.product()),
                _ if self.eat("-") => op('-', left, self.product()),
                _ => return left,
            }
        }
    }

    fn product(&mut self) -> Tree {
        let mut left = self.leaf();
        loop {
            left = match () {
                _ if self.eat("*") => op('*', left, self.leaf()),
                _ if self.eat("/") => Tree::Div(Box::new(left), self.number()),
                _ if self.eat("%") => Tree::Mod(Box::new(left), self.number()),
                _ => return left,
            }
        }
    }

    fn number(&mut self) -> i64 {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.text[start..self.at]).parse().expect("a number")
    }

    fn name(&mut self) -> u8 {
        self.at += 1;
        self.text[self.at - 1]
    }

    fn leaf(&mut self) -> Tree {
        for (word, which) in [("min(", 'm'), ("max(", 'M')] {
            if self.eat(word) {
                let first = self.sum();
                self.expect(",");
                let both = op(which, first, self.sum());
                self.expect(")");
                return both;
            }
        }
        if self.eat("pow(") {
            let exponent = self.sum();
            self.expect(")");
            return Tree::Pow2(Box::new(exponent));
        }
        if self.eat("split(") {
            let mut part = |after: &str| {
                let part = self.sum();
                self.expect(after);
                part
            };
            return Tree::Split(Box::new([part(","), part(","), part(","), part(")")]));
        }
        if self.eat("sum(") {
            let name = self.name();
            self.expect("<");
            let upper = self.sum();
            self.expect(":");
            let body = self.sum();
            self.expect(")");
            return Tree::Sum(name, Box::new(upper), Box::new(body));
        }
        if self.eat("(") {
            let inner = self.sum();
            self.expect(")");
            return inner;
        }
        if self.text[self.at].is_ascii_digit() {
            return Tree::Num(self.number());
        }
        let name = self.name();
        if self.eat("(") {
            let arg = self.sum();
            self.expect(")");
            return Tree::Call(name, Box::new(arg));
        }
        Tree::Var(name)
    }
}

pub(crate) fn op(which: char, a: Tree, b: Tree) -> Tree {
    Tree::Op(which, Box::new(a), Box::new(b))
}

/// A repeatable source of small random numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// A random tree over `names`; `kinds` counts the forms allowed: 3 polynomials, 7 also division and extremes, 8 functions, 9
    /// sums, 10 splits, 11 powers of two, 12 the same with upper ends that are zero where a variable is negative.
    pub(crate) fn tree(&mut self, names: &[u8], depth: u32, kinds: u64) -> Tree {
        if depth == 0 {
            return match self.below(3) {
                0 => Tree::Num(self.below(7) as i64 - 3),
                _ => Tree::Var(names[self.below(names.len() as u64) as usize]),
            };
        }
        let part = |dice: &mut Dice| Box::new(dice.tree(names, depth - 1, kinds));
        match self.below(kinds) {
            which @ 0..=2 => Tree::Op(['+', '-', '*'][which as usize], part(self), part(self)),
            3 => Tree::Div(part(self), 2 + self.below(4) as i64),
            4 => Tree::Mod(part(self), 2 + self.below(4) as i64),
            5 => Tree::Op('m', part(self), part(self)),
            6 => Tree::Op('M', part(self), part(self)),
            7 => Tree::Call(b'f' + self.below(2) as u8, part(self)),
            8 => {
                // Closed forms assume an upper end of at least zero: a variable of the grid, or a constant.
                let upper = match self.below(3) {
                    0 => Tree::Num(self.below(12) as i64 - 2),
                    _ if kinds > 11 => op('M', Tree::Num(0), Tree::Var(names[self.below(names.len() as u64) as usize])),
                    _ => Tree::Var(names[self.below(names.len() as u64) as usize]),
                };
                let index = b'r' + depth as u8;
                let inner: Vec<u8> = names.iter().copied().chain([index, index]).collect();
                Tree::Sum(index, Box::new(upper), Box::new(self.tree(&inner, depth - 1, kinds)))
            }
            9 => Tree::Split(Box::new([0; 4].map(|_| self.tree(names, depth - 1, kinds)))),
            // An exponent that is never negative and never large.
            _ => Tree::Pow2(Box::new(op('+', Tree::Mod(part(self), 3), Tree::Num(self.below(2) as i64)))),
        }
    }
}

/// `a <= b < c` as its neighbouring comparisons.
pub(crate) fn comparisons(chain: &str) -> Vec<(Tree, String, Tree)> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in chain.chars().filter(|c| *c != ' ') {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let operator = "<=!".contains(c) && depth == 0;
        let after = parts.len().is_multiple_of(2);
        if operator != after {
            parts.push(String::new());
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let sides: Vec<Tree> = parts.iter().step_by(2).map(|p| parse(p)).collect();
    let operators = parts.iter().skip(1).step_by(2);
    sides.windows(2).zip(operators).map(|(s, o)| (s[0].clone(), o.clone(), s[1].clone())).collect()
}

pub(crate) fn assume(known: &mut Assumptions, (a, operator, b): &(Tree, String, Tree)) {
    match operator.as_str() {
        "<=" => known.assume_le(&a.size(), &b.size()),
        "<" => known.assume_lt(&a.size(), &b.size()),
        "=" => known.assume_eq(&a.size(), &b.size()),
        _ => known.assume_ne(&a.size(), &b.size()),
    }
}

pub(crate) fn ask(known: &Assumptions, (a, operator, b): &(Tree, String, Tree)) -> Answer {
    match operator.as_str() {
        "<=" => known.prove_le(&a.size(), &b.size()),
        "<" => known.prove_lt(&a.size(), &b.size()),
        "=" => known.prove_eq(&a.size(), &b.size()),
        "!=" => known.prove_ne(&a.size(), &b.size()),
        other => panic!("cannot ask {other}"),
    }
}

pub(crate) fn holds((a, operator, b): &(Tree, String, Tree), env: &Env) -> bool {
    let (a, b) = (a.value(env), b.value(env));
    match operator.as_str() {
        "<=" => a <= b,
        "<" => a < b,
        "=" => a == b,
        _ => a != b,
    }
}
