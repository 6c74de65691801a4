//! Random well-typed programs over nested, ragged data.
//!
//! An expression of a wanted type is made from smaller ones, with less fuel at every step; loops and recursion carry fuel
//! of their own in the program, so that every program ends. What may fail is written with a guard, so that it does not:
//!
//! ```text
//! xs[i]        if len(xs) > 0 then xs[i % len(xs)] else 1
//! a / b        a / (if b == 0 then 3 else b)
//! xs[..n]      xs[..min(n % 5, len(xs))]
//! ```
//!
//! In a fifth of the programs one guard is left out. Only one: of several checks that fail, in different operators, which is
//! met first depends on how operators are fused, and the comparison would prove nothing.
//!
//! Floats are multiples of 1/8, and what a sum adds up is brought below 8 first: any association gives the same bits.

use super::node::{Node, Sample, Ty};

/// A small generator of numbers (the finaliser of MurmurHash3 on a counter).
pub struct Random(u64);

impl Random {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        x = (x ^ (x >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        ((x ^ (x >> 33)) % n as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// The program of a number.
pub fn sample(number: u64) -> Sample {
    let random = Random::new(number);
    let mut g = Generator {
        random,
        number,
        names: 0,
        vars: Vec::new(),
        nest: 0,
        fails: number.is_multiple_of(5),
        walk: false,
        grow: false,
    };
    g.sample()
}

struct Generator {
    random: Random,
    number: u64,
    names: usize,
    vars: Vec<(String, Ty)>,
    /// How many comprehensions are around.
    nest: usize,
    /// Whether a guard may be left out.
    fails: bool,
    /// Which helpers exist.
    walk: bool,
    grow: bool,
}

const INT: Ty = Ty::Int;

impl Generator {
    fn sample(&mut self) -> Sample {
        let mut helpers = Vec::new();
        let fails = std::mem::replace(&mut self.fails, false);
        if self.random.chance(3) {
            let x = ("x".to_string(), INT);
            let end = self.with(vec![x.clone()], |g| g.expr(&INT, 1));
            let step = self.with(vec![x], |g| g.expr(&INT, 2));
            let name = format!("walk_{}", self.number);
            let template = format!("if n <= 0 then @ else {name}(n - 1, @)");
            helpers.push((format!("{name}(n: i64, x: i64) -> i64"), Node::new(&INT, &template, vec![end, step])));
            self.walk = true;
        }
        if self.random.chance(4) {
            let ints = INT.array();
            let step = self.with(vec![("xs".to_string(), ints.clone())], |g| g.expr(&ints, 2));
            let name = format!("grow_{}", self.number);
            let template = format!("if n <= 0 || len(xs) > 20 then xs else {name}(n - 1, @)");
            helpers.push((format!("{name}(n: i64, xs: []i64) -> []i64"), Node::new(&ints, &template, vec![step])));
            self.grow = true;
        }
        self.fails = fails;
        let mut params = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let ty = self.ty(3);
            let name = self.name("p");
            let data = self.data(&ty, true);
            self.vars.push((name.clone(), ty));
            params.push((name, data));
        }
        let mut lets = Vec::new();
        for _ in 0..self.random.below(4) {
            let ty = self.ty(2);
            let value = self.expr(&ty, 4);
            let name = self.name("v");
            self.vars.push((name.clone(), ty));
            lets.push((name, value));
        }
        let ty = self.ty(2);
        let result = self.expr(&ty, 4);
        Sample { number: self.number, helpers, params, lets, result }
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn with<T>(&mut self, vars: Vec<(String, Ty)>, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.vars.len();
        self.vars.extend(vars);
        let out = f(self);
        self.vars.truncate(before);
        out
    }

    fn ty(&mut self, depth: usize) -> Ty {
        match self.random.below(if depth == 0 { 5 } else { 10 }) {
            0 | 1 => Ty::Int,
            2 => Ty::Float,
            3 => {
                if self.random.chance(2) {
                    Ty::Bool
                } else {
                    Ty::Int32
                }
            }
            4 => Ty::Tuple(vec![self.scalar_ty(), self.scalar_ty()]),
            5 => Ty::Tuple(vec![self.ty(depth - 1), self.ty(depth - 1)]),
            _ => self.ty(depth - 1).array(),
        }
    }

    fn scalar_ty(&mut self) -> Ty {
        match self.random.below(5) {
            0 => Ty::Float,
            1 => Ty::Bool,
            2 => Ty::Int32,
            _ => Ty::Int,
        }
    }

    fn literal(&mut self, ty: &Ty) -> Node {
        let text = match ty {
            Ty::Int => match self.random.below(12) {
                0 => "2147483648".to_string(),
                1 => "9223372036854775807".to_string(),
                2 => "(-9223372036854775807)".to_string(),
                _ => format!("({})", self.random.below(12) as i64 - 3),
            },
            Ty::Int32 => match self.random.below(8) {
                0 => "2147483647i32".to_string(),
                _ => format!("{}i32", self.random.below(9)),
            },
            Ty::Float => format!("({:?})", self.random.below(128) as f64 / 8.0 - 8.0),
            Ty::Bool => if self.random.chance(2) { "true" } else { "false" }.to_string(),
            other => other.default_text(),
        };
        Node::leaf(ty, text)
    }

    /// A value for a parameter.
    fn data(&mut self, ty: &Ty, outermost: bool) -> Node {
        match ty {
            Ty::Array(elem) => {
                let n = match self.random.below(8) {
                    0 => 0,
                    1 if outermost => 30 + self.random.below(20),
                    _ => self.random.below(5),
                };
                let items: Vec<Node> = (0..n).map(|_| self.data(elem, false)).collect();
                match n {
                    0 => Node::leaf(ty, ty.default_text()),
                    _ => Node::new(ty, &format!("[{}]", vec!["@"; n].join(", ")), items),
                }
            }
            Ty::Tuple(parts) => {
                let items: Vec<Node> = parts.iter().map(|p| self.data(p, false)).collect();
                Node::new(ty, &format!("({})", vec!["@"; items.len()].join(", ")), items)
            }
            scalar => self.literal(scalar),
        }
    }

    fn var(&mut self, ty: &Ty) -> Option<Node> {
        let fitting: Vec<String> = self.vars.iter().filter(|(_, t)| t == ty).map(|(n, _)| n.clone()).collect();
        // Later names stand further in: they make more interesting programs.
        let from = if fitting.len() > 2 && self.random.chance(2) { fitting.len() / 2 } else { 0 };
        (!fitting.is_empty()).then(|| {
            let k = from + self.random.below(fitting.len() - from);
            Node::leaf(ty, fitting[k].clone())
        })
    }

    /// An expression of a type.
    fn expr(&mut self, ty: &Ty, fuel: usize) -> Node {
        if (fuel == 0 || self.random.chance(5))
            && let Some(var) = self.var(ty)
        {
            return var;
        }
        if fuel == 0 {
            return match ty {
                Ty::Tuple(parts) => self.tuple(ty, &parts.clone(), 0),
                Ty::Array(_) => self.data(ty, false),
                _ => self.literal(ty),
            };
        }
        let fuel = fuel - 1;
        if self.random.chance(8) {
            return self.choice(ty, fuel);
        }
        if self.random.chance(8) {
            return self.bound(ty, fuel);
        }
        if self.random.chance(6) {
            return self.element(ty, fuel);
        }
        match ty {
            Ty::Int => self.int(fuel),
            Ty::Int32 => self.int32(fuel),
            Ty::Float => self.float(fuel),
            Ty::Bool => self.truth(fuel),
            Ty::Tuple(parts) => self.tuple(ty, &parts.clone(), fuel),
            Ty::Array(elem) => self.array(ty, &elem.as_ref().clone(), fuel),
        }
    }

    fn choice(&mut self, ty: &Ty, fuel: usize) -> Node {
        let parts = vec![self.expr(&Ty::Bool, fuel), self.expr(ty, fuel), self.expr(ty, fuel)];
        Node::new(ty, "(if @ then @ else @)", parts)
    }

    fn bound(&mut self, ty: &Ty, fuel: usize) -> Node {
        let of = self.ty(1);
        let value = self.expr(&of, fuel);
        let name = self.name("t");
        let body = self.with(vec![(name.clone(), of)], |g| g.expr(ty, fuel));
        Node::new(ty, &format!("(let {name} = @ in @)"), vec![value, body])
    }

    /// An element of an array.
    fn element(&mut self, ty: &Ty, fuel: usize) -> Node {
        let xs = self.expr(&ty.clone().array(), fuel);
        let i = self.expr(&INT, fuel.min(1));
        if self.leave_out_guard() {
            return Node::new(ty, "(@)[@]", vec![xs, i]);
        }
        let name = self.name("a");
        let text = format!("(let {name} = @ in if len({name}) > 0 then {name}[@ % len({name})] else @)");
        let other = Node::leaf(ty, ty.default_text());
        Node::new(ty, &text, vec![xs, i, other])
    }

    fn leave_out_guard(&mut self) -> bool {
        let out = self.fails && !self.random.chance(4);
        self.fails &= !out;
        out
    }

    fn tuple(&mut self, ty: &Ty, parts: &[Ty], fuel: usize) -> Node {
        let items: Vec<Node> = parts.iter().map(|p| self.expr(p, fuel)).collect();
        Node::new(ty, &format!("({})", vec!["@"; items.len()].join(", ")), items)
    }

    fn int(&mut self, fuel: usize) -> Node {
        let ints = INT.array();
        match self.random.below(16) {
            0..=3 => {
                let op = ["+", "-", "*", "&", "|", "^", "<<", ">>"][self.random.below(8)];
                let parts = vec![self.expr(&INT, fuel), self.expr(&INT, fuel)];
                Node::new(&INT, &format!("(@ {op} @)"), parts)
            }
            4 => {
                let op = ["/", "%"][self.random.below(2)];
                let parts = vec![self.expr(&INT, fuel), self.expr(&INT, fuel)];
                if self.leave_out_guard() {
                    return Node::new(&INT, &format!("(@ {op} @)"), parts);
                }
                let d = self.name("d");
                Node::new(&INT, &format!("(@ {op} (let {d} = @ in if {d} == 0 then 3 else {d}))"), parts)
            }
            5 => {
                let f = ["min", "max"][self.random.below(2)];
                let parts = vec![self.expr(&INT, fuel), self.expr(&INT, fuel)];
                Node::new(&INT, &format!("{f}(@, @)"), parts)
            }
            6 => {
                let of = self.ty(1).array();
                Node::new(&INT, "len(@)", vec![self.expr(&of, fuel)])
            }
            7 | 8 => {
                let f = ["sum(@)", "product(@)", "reduce(max, -9, @)", "reduce((^), 0, @)", "minimum([7] ++ @)"];
                Node::new(&INT, f[self.random.below(5)], vec![self.expr(&ints, fuel)])
            }
            9 => Node::new(&INT, "count(@)", vec![self.expr(&Ty::Bool.array(), fuel)]),
            10 => Node::new(&INT, "i64(@)", vec![self.expr(&Ty::Float, fuel)]),
            11 => Node::new(&INT, "i64(@)", vec![self.expr(&Ty::Int32, fuel)]),
            12 | 13 => self.scalar_loop(&INT, fuel),
            14 if self.walk => {
                let text = format!("walk_{}((@) % 4, @)", self.number);
                Node::new(&INT, &text, vec![self.expr(&INT, fuel), self.expr(&INT, fuel)])
            }
            _ => {
                let of = self.scalar_ty();
                let pair = Ty::Tuple(vec![INT, of]);
                let name = self.name("c");
                Node::new(&INT, &format!("(let ({name}, _) = @ in {name})"), vec![self.expr(&pair, fuel)])
            }
        }
    }

    fn int32(&mut self, fuel: usize) -> Node {
        let ty = Ty::Int32;
        match self.random.below(4) {
            0 => Node::new(&ty, "i32(@)", vec![self.expr(&INT, fuel)]),
            1 => Node::new(&ty, "sum(@)", vec![self.expr(&ty.clone().array(), fuel)]),
            _ => {
                let op = ["+", "-", "*"][self.random.below(3)];
                let parts = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
                Node::new(&ty, &format!("(@ {op} @)"), parts)
            }
        }
    }

    fn float(&mut self, fuel: usize) -> Node {
        let ty = Ty::Float;
        match self.random.below(8) {
            0..=2 => {
                let op = ["+", "-", "*"][self.random.below(3)];
                let parts = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
                Node::new(&ty, &format!("(@ {op} @)"), parts)
            }
            3 => Node::new(&ty, "(f64((@) % 64) / 8.0)", vec![self.expr(&INT, fuel)]),
            4 => {
                let name = self.name("x");
                let text = format!("sum([f64(i64(8.0 * {name}) % 64) / 8.0 for {name} in @])");
                Node::new(&ty, &text, vec![self.expr(&ty.clone().array(), fuel)])
            }
            5 => Node::new(&ty, "maximum([0.5] ++ @)", vec![self.expr(&ty.clone().array(), fuel)]),
            6 => self.scalar_loop(&ty, fuel),
            _ => {
                let f = ["min", "max"][self.random.below(2)];
                let parts = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
                Node::new(&ty, &format!("{f}(@, @)"), parts)
            }
        }
    }

    fn truth(&mut self, fuel: usize) -> Node {
        let ty = Ty::Bool;
        match self.random.below(7) {
            0..=2 => {
                let of = if self.random.chance(3) { Ty::Float } else { INT };
                let op = ["<", "<=", "==", "!=", ">", ">="][self.random.below(6)];
                let parts = vec![self.expr(&of, fuel), self.expr(&of, fuel)];
                Node::new(&ty, &format!("(@ {op} @)"), parts)
            }
            3 => {
                let op = ["&&", "||"][self.random.below(2)];
                let parts = vec![self.expr(&ty, fuel), self.expr(&ty, fuel)];
                Node::new(&ty, &format!("(@ {op} @)"), parts)
            }
            4 => Node::new(&ty, "(!@)", vec![self.expr(&ty, fuel)]),
            5 => {
                let f = ["any", "all"][self.random.below(2)];
                Node::new(&ty, &format!("{f}(@)"), vec![self.expr(&ty.clone().array(), fuel)])
            }
            _ => {
                let of = self.ty(1);
                let op = ["==", "!="][self.random.below(2)];
                let parts = vec![self.expr(&of, fuel), self.expr(&of, fuel)];
                Node::new(&ty, &format!("(@ {op} @)"), parts)
            }
        }
    }

    /// A loop over scalars that ends after a few steps.
    fn scalar_loop(&mut self, ty: &Ty, fuel: usize) -> Node {
        let (t, k) = (self.name("t"), self.name("k"));
        let start = self.expr(ty, fuel.min(1));
        if self.random.chance(2) {
            let steps = self.expr(&INT, fuel.min(1));
            let body = self.with(vec![(t.clone(), ty.clone()), (k.clone(), INT)], |g| g.expr(ty, fuel.min(2)));
            let text = format!("(loop {t} = @ for {k} < (@) % 5 do @)");
            return Node::new(ty, &text, vec![start, steps, body]);
        }
        let vars = vec![(t.clone(), ty.clone()), (k.clone(), INT)];
        let (goes, body) = self.with(vars, |g| (g.expr(&Ty::Bool, fuel.min(1)), g.expr(ty, fuel.min(2))));
        let text = format!("(let ({t}, _) = (loop ({t}, {k}) = (@, 0) while {k} < 4 && @ do (@, {k} + 1)) in {t})");
        Node::new(ty, &text, vec![start, goes, body])
    }

    fn array(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        match self.random.below(16) {
            0..=3 => self.map(ty, elem, fuel),
            4 | 5 => {
                let x = self.name("x");
                let xs = self.expr(ty, fuel);
                let keep = self.inside(vec![(x.clone(), elem.clone())], |g| g.expr(&Ty::Bool, fuel.min(2)));
                Node::new(ty, &format!("[{x} for {x} in @ if @]"), vec![xs, keep])
            }
            6 | 7 => {
                let i = self.name("i");
                let n = self.expr(&INT, fuel.min(1));
                let body = self.inside(vec![(i.clone(), INT)], |g| g.expr(elem, fuel));
                Node::new(ty, &format!("[@ for {i} < (@) % 5]"), vec![body, n])
            }
            8 => Node::new(ty, "(@ ++ @)", vec![self.expr(ty, fuel), self.expr(ty, fuel)]),
            9 => self.slice(ty, fuel),
            10 => {
                let items: Vec<Node> = (0..1 + self.random.below(3)).map(|_| self.expr(elem, fuel)).collect();
                Node::new(ty, &format!("[{}]", vec!["@"; items.len()].join(", ")), items)
            }
            11 => {
                let n = self.expr(&INT, fuel.min(1));
                let x = self.expr(elem, fuel);
                if self.leave_out_guard() {
                    return Node::new(ty, "replicate((@) % 9 - 1, @)", vec![n, x]);
                }
                Node::new(ty, "replicate((@) % 4, @)", vec![n, x])
            }
            12 if *elem == INT => {
                let f = ["(+), 0", "max, -9", "(^), 0"][self.random.below(3)];
                Node::new(ty, &format!("scan({f}, @)"), vec![self.expr(ty, fuel)])
            }
            13 if *elem == INT && self.grow => {
                let text = format!("grow_{}((@) % 3, @)", self.number);
                Node::new(ty, &text, vec![self.expr(&INT, fuel.min(1)), self.expr(ty, fuel)])
            }
            14 if self.nest == 0 => {
                let (t, k) = (self.name("t"), self.name("k"));
                let start = self.expr(ty, fuel.min(1));
                let body = self.with(vec![(t.clone(), ty.clone()), (k.clone(), INT)], |g| g.expr(ty, fuel.min(2)));
                Node::new(
                    ty,
                    &format!("(loop {t} = @ for {k} < 3 do (@)[..0] ++ {t}[..min(9, len({t}))])"),
                    vec![start, body],
                )
            }
            _ => self.zipped(ty, elem, fuel),
        }
    }

    fn inside<T>(&mut self, vars: Vec<(String, Ty)>, f: impl FnOnce(&mut Self) -> T) -> T {
        self.nest += 1;
        let out = self.with(vars, f);
        self.nest -= 1;
        out
    }

    fn map(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let of = self.ty(1);
        let xs = self.expr(&of.clone().array(), fuel);
        let x = self.name("x");
        let vars = vec![(x.clone(), of)];
        if self.random.chance(3) {
            let (body, keep) = self.inside(vars, |g| (g.expr(elem, fuel), g.expr(&Ty::Bool, fuel.min(1))));
            return Node::new(ty, &format!("[@ for {x} in @ if @]"), vec![body, xs, keep]);
        }
        let body = self.inside(vars, |g| g.expr(elem, fuel));
        Node::new(ty, &format!("[@ for {x} in @]"), vec![body, xs])
    }

    fn zipped(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let (a, b) = (self.scalar_ty(), self.ty(1));
        let (xs, ys) = (self.expr(&a.clone().array(), fuel), self.expr(&b.clone().array(), fuel));
        let (x, y, l, r) = (self.name("x"), self.name("y"), self.name("l"), self.name("r"));
        let body = self.inside(vec![(x.clone(), a), (y.clone(), b)], |g| g.expr(elem, fuel));
        if self.leave_out_guard() {
            return Node::new(ty, &format!("[@ for {x} in @, {y} in @]"), vec![body, xs, ys]);
        }
        let n = self.name("n");
        let text = format!(
            "(let {l} = @ let {r} = @ let {n} = min(len({l}), len({r})) in [@ for {x} in {l}[..{n}], {y} in {r}[..{n}]])"
        );
        Node::new(ty, &text, vec![xs, ys, body])
    }

    fn slice(&mut self, ty: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        let n = self.expr(&INT, fuel.min(1));
        if self.leave_out_guard() {
            return Node::new(ty, "(@)[..(@) % 6]", vec![xs, n]);
        }
        let name = self.name("s");
        let form = if self.random.chance(2) { "..min((@) % 5, len(S))" } else { "min((@) % 4, len(S)).." };
        Node::new(ty, &format!("(let {name} = @ in {name}[{}])", form.replace('S', &name)), vec![xs, n])
    }
}
