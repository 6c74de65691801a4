//! Random well-typed programs over nested, ragged data, with every construct of the language.
//!
//! An expression of a wanted type is made from smaller ones, with less fuel at every step; loops and recursion carry a number of
//! steps of their own in the program, so that every program ends. What may fail is written with a guard, so that it does not:
//!
//! ```text
//! xs[i]        if len(xs) > 0 then xs[i % len(xs)] else 1
//! a / b        a / (if b == 0 then 3 else b)
//! xs[..n]      xs[..min(n % 5, len(xs))]
//! ```
//!
//! In a quarter of the programs one guard is left out. Only one: of several checks that fail, in different operators, which is
//! met first depends on how operators are fused, and the comparison would prove nothing. Where the one that is left out
//! stands in a loop, a function or an operator (`Sample::loose`), engines agree on the check and its place but may meet it with other values:
//! element by element or step by step is a matter of the engine.
//!
//! Floats are multiples of 1/8, and what a sum adds up is brought below 8 first: any association gives the same bits.
//!
//! `scalars.rs`, `arrays.rs`, `shapes.rs`, `writes.rs`, `operators.rs` and `control.rs` make expressions, `functions.rs` definitions, `inputs.rs` types and arguments.

use super::node::Node;
use super::sample::{Function, Sample};
use super::types::Ty;

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

    /// Whether something happens that happens once in so many times.
    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    /// One of some things.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// The program of a number.
pub fn sample(number: u64) -> Sample {
    variant(number, 0)
}

/// Other programs of the number, for those who look for one that fails.
pub fn variant(number: u64, other: u64) -> Sample {
    // Neighbours must have nothing in common: their generators would be one step apart.
    let mut seed = Random::new(number.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ other.rotate_right(20));
    let random = Random::new((seed.below(1 << 31) as u64) << 31 | seed.below(1 << 31) as u64);
    let mut g = Generator {
        random,
        number,
        names: 0,
        vars: Vec::new(),
        types: Vec::new(),
        usual: Vec::new(),
        functions: Vec::new(),
        often: 1,
        budget: 0,
        small: false,
        waves: 0,
        unguarded: None,
        loose: false,
    };
    g.sample()
}

/// A name in scope.
#[derive(Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) big: bool,
}

impl Var {
    pub(super) fn new(name: &str, ty: &Ty) -> Var {
        Var { name: name.to_string(), ty: ty.clone(), big: false }
    }

    /// A name for a node or for a part of it.
    pub(super) fn of(name: &str, ty: &Ty, node: &Node) -> Var {
        Var { name: name.to_string(), ty: ty.clone(), big: node.big && ty.has_array() }
    }
}

pub(super) struct Generator {
    pub(super) random: Random,
    pub(super) number: u64,
    names: usize,
    vars: Vec<Var>,
    pub(super) types: Vec<Ty>,
    /// The types that most values of the program have, so that they fit together.
    pub(super) usual: Vec<Ty>,
    pub(super) functions: Vec<Function>,
    /// About how often the place that is written now runs.
    pub(super) often: usize,
    /// How many nodes the program may still have.
    pub(super) budget: usize,
    /// Whether values with hundreds of elements are to be avoided.
    pub(super) small: bool,
    /// How many loops, functions and operators are around.
    pub(super) waves: usize,
    /// How many guards are still to be written before one is left out.
    unguarded: Option<usize>,
    loose: bool,
}

pub(super) const INT: Ty = Ty::Int;

impl Generator {
    fn sample(&mut self) -> Sample {
        let unguarded = self.number.is_multiple_of(super::FAILING).then(|| self.random.below(4));
        self.declare_types();
        let in_functions = self.random.chance(3);
        self.unguarded = unguarded.filter(|_| in_functions);
        self.make_functions();
        // Where the functions have left one out, no other one is.
        self.unguarded = if in_functions { self.unguarded } else { unguarded };
        let (sizes, params) = self.make_params();
        self.budget = [6, 10, 16, 24][self.random.below(4)];
        let (lets, result) = if self.random.chance(2) { self.chain() } else { (Vec::new(), self.in_rows()) };
        let (types, functions) = (std::mem::take(&mut self.types), std::mem::take(&mut self.functions));
        Sample { number: self.number, types, functions, sizes, params, lets, result, loose: self.loose }
    }

    /// Some lets and what comes after them.
    fn chain(&mut self) -> (Vec<(String, Node)>, Node) {
        let before = self.vars.len();
        let mut lets = Vec::new();
        for _ in 0..self.random.below(4) {
            let ty = self.wanted_ty();
            let value = self.top(&ty, 4);
            let name = self.name("v");
            self.vars.push(Var::of(&name, &ty, &value));
            lets.push((name, value));
        }
        let ty = self.wanted_ty();
        let result = self.top(&ty, 5);
        self.vars.truncate(before);
        (lets, result)
    }

    /// A chain of lets for every element of an array, or for every element of its rows: everything in it is lifted.
    fn in_rows(&mut self) -> Node {
        let (of, xs) = self.source(1);
        let x = self.name("x");
        let row = Var::of(&x, &of, &xs);
        let body = |g: &mut Self| {
            if let (Some(elem), true) = (of.elem(), g.random.chance(3)) {
                let (y, mut over) = (g.name("y"), Node::leaf(&of, x.clone()));
                over.big = xs.big;
                let inner = g.inside(vec![Var::of(&y, elem, &over)], Some(&over), |g| g.row_body());
                let rows = Node::new(&inner.ty.clone().array(), &format!("[@ for {y} in @]"), vec![inner, over]);
                return rows.is("map").as_array_of(0);
            }
            g.row_body()
        };
        let body = self.inside(vec![row], Some(&xs), body);
        Node::new(&body.ty.clone().array(), &format!("[@ for {x} in @]"), vec![body, xs]).is("map").as_array_of(0)
    }

    fn row_body(&mut self) -> Node {
        let (lets, result) = self.chain();
        if lets.is_empty() {
            return result;
        }
        let ty = Ty::Tuple(lets.iter().map(|(_, n)| n.ty.clone()).chain([result.ty.clone()]).collect());
        let mut items: Vec<Node> = lets.iter().map(|(name, n)| Node::leaf(&n.ty, name.clone())).collect();
        items.push(result);
        let mut body = Node::new(&ty, &format!("({})", vec!["@"; items.len()].join(", ")), items);
        for (name, value) in lets.into_iter().rev() {
            body = Node::new(&ty, &format!("(let {name} = @ in @)"), vec![value, body]).as_child(1);
        }
        body
    }

    /// The value of a let or the result: mostly parallel code, so that most other things stand inside of it.
    fn top(&mut self, ty: &Ty, fuel: usize) -> Node {
        match ty {
            Ty::Array(elem) if self.random.chance(2) => self.map(ty, &elem.as_ref().clone(), fuel),
            _ => self.expr(ty, fuel),
        }
    }

    /// A type for a let or for the result: often one that a function gives.
    fn wanted_ty(&mut self) -> Ty {
        if !self.functions.is_empty() && self.random.chance(2) {
            let k = self.random.below(self.functions.len());
            let ty = self.functions[k].body.ty.clone();
            return if ty.depth() < 3 && self.random.chance(2) { ty.array() } else { ty };
        }
        let ty = self.ty(3);
        if ty.has_array() || self.random.chance(4) { ty } else { ty.array() }
    }

    /// A new name.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        // `i32` and `u8` are taken.
        while matches!(stem, "i" | "u" | "f") && [8, 16, 32, 64].contains(&self.names) {
            self.names += 1;
        }
        format!("{stem}{}", self.names)
    }

    /// Brings a name into scope for good.
    pub(super) fn bind(&mut self, var: Var) {
        self.vars.push(var);
    }

    /// Something with names in scope.
    pub(super) fn with<T>(&mut self, vars: Vec<Var>, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.vars.len();
        self.vars.extend(vars);
        let out = f(self);
        self.vars.truncate(before);
        out
    }

    /// Something in which no other names are in scope.
    pub(super) fn alone<T>(&mut self, vars: Vec<Var>, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.vars, vars);
        let out = f(self);
        self.vars = outside;
        out
    }

    /// The body of something that runs once for each element of a node, or a few times without one.
    pub(super) fn inside<T>(&mut self, vars: Vec<Var>, over: Option<&Node>, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.often;
        self.often *= if over.is_some_and(|n| n.big) { 300 } else { 4 };
        let out = self.with(vars, f);
        self.often = before;
        out
    }

    /// The body of something whose runs may be in another order on another engine.
    pub(super) fn in_waves<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.waves += 1;
        let out = f(self);
        self.waves -= 1;
        out
    }

    /// Something without values of hundreds of elements.
    pub(super) fn without_big<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.small, true);
        let out = f(self);
        self.small = before;
        out
    }

    /// Whether the guard that would be written here is left out.
    pub(super) fn leave_out_guard(&mut self) -> bool {
        match self.unguarded {
            Some(0) => {
                self.unguarded = None;
                self.loose |= self.waves > 0;
                true
            }
            Some(n) => {
                self.unguarded = Some(n - 1);
                false
            }
            None => false,
        }
    }

    /// A name of a type.
    pub(super) fn var(&mut self, ty: &Ty) -> Option<Node> {
        let no_big = self.small || self.often > 64;
        let fitting = self.vars.iter().filter(|v| v.ty == *ty && !(v.big && no_big));
        let fitting: Vec<Var> = fitting.cloned().collect();
        // Later names stand further in: they make more interesting programs.
        let from = if fitting.len() > 2 && self.random.chance(2) { fitting.len() / 2 } else { 0 };
        (!fitting.is_empty()).then(|| {
            let var = &fitting[from + self.random.below(fitting.len() - from)];
            let mut node = Node::leaf(ty, var.name.clone());
            node.big = var.big;
            node
        })
    }

    /// The types of the names in scope.
    pub(super) fn types_in_scope(&self) -> impl Iterator<Item = Ty> {
        let no_big = self.small || self.often > 64;
        self.vars.iter().filter(move |v| !(v.big && no_big)).map(|v| v.ty.clone())
    }

    /// A value made from a name of another type by one step.
    fn derived(&mut self, ty: &Ty) -> Option<Node> {
        if let Some(xs) = self.var(&ty.clone().array())
            && self.random.chance(2)
        {
            let (other, a) = (Node::leaf(ty, ty.default_text()), self.name("a"));
            let text = format!("(let {a} = @ in if len({a}) > 0 then {a}[len({a}) / 2] else @)");
            return Some(Node::new(ty, &text, vec![xs, other]));
        }
        let from_int = match ty {
            Ty::Bool => "(@ % 2 == 0)",
            Ty::Float => "(f64(@ % 64) / 8.0)",
            Ty::Int32 => "i32(@)",
            _ => "",
        };
        if !from_int.is_empty() {
            let n = self.var(&INT).or_else(|| self.length_of_something())?;
            return Some(Node::new(ty, from_int, vec![n]));
        }
        if *ty == INT {
            return self.length_of_something();
        }
        let elem = ty.elem()?;
        if *elem == INT && self.random.chance(2) {
            let n = self.var(elem)?;
            return Some(Node::new(ty, "iota(@ % 5)", vec![n]));
        }
        Some(Node::list(ty, vec![self.var(elem)?]))
    }

    fn length_of_something(&mut self) -> Option<Node> {
        let arrays: Vec<Ty> = self.types_in_scope().filter(|t| t.elem().is_some()).collect();
        let of = arrays.get(self.random.below(arrays.len().max(1)))?.clone();
        Some(Node::new(&INT, "len(@)", vec![self.var(&of)?]))
    }

    /// A name, what is one step from a name, or a short value.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Node {
        if let Some(var) = self.var(ty) {
            return var;
        }
        if !self.random.chance(8)
            && let Some(node) = self.derived(ty)
        {
            return node;
        }
        match ty {
            Ty::Tuple(parts) => self.tuple(ty, &parts.clone(), 0),
            Ty::Record(name, fields) => self.record(ty, &name.clone(), &fields.clone(), 0),
            Ty::Enum(_, variants) => self.variant(ty, &variants.clone(), 0),
            Ty::Array(_) => self.short_data(ty),
            _ => self.literal(ty),
        }
    }

    /// An expression of a type.
    pub(super) fn expr(&mut self, ty: &Ty, fuel: usize) -> Node {
        if fuel == 0 || self.budget == 0 || self.often > 2000 || self.random.chance(7) {
            return self.leaf(ty);
        }
        let fuel = fuel - 1;
        self.budget -= 1;
        if let Some(node) = self.anything(ty, fuel) {
            return node;
        }
        match ty {
            Ty::Int => self.int(fuel),
            Ty::Int32 => self.int32(fuel),
            Ty::Float => self.float(fuel),
            Ty::Bool => self.truth(fuel),
            Ty::Tuple(parts) => self.tuple(ty, &parts.clone(), fuel),
            Ty::Record(name, fields) => self.record(ty, &name.clone(), &fields.clone(), fuel),
            Ty::Enum(_, variants) => self.variant(ty, &variants.clone(), fuel),
            Ty::Array(elem) => self.array(ty, &elem.as_ref().clone(), fuel),
        }
    }

    /// What gives a value of any type.
    fn anything(&mut self, ty: &Ty, fuel: usize) -> Option<Node> {
        Some(match self.random.below(100) {
            0..=4 => self.choice(ty, fuel),
            5..=8 => self.bound(ty, fuel),
            9..=12 => self.element(ty, fuel),
            13..=18 => self.matched(ty, fuel),
            19..=24 => self.looped(ty, fuel),
            25..=28 => self.component(ty, fuel),
            29 | 30 => self.asserted(ty, fuel),
            31..=50 => return self.call(ty, fuel),
            51..=56 => return self.reduced(ty, fuel),
            _ => return None,
        })
    }
}
