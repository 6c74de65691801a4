//! Functions of random programs, and calls of them.
//!
//! ```text
//! f1_17(x2: []i64, x3: f64) -> i64                            plain: called from anywhere, with whatever is there
//! walk_17(n: i64, x: i64)                                     recursive: `n` steps at most, given by the caller
//! tree_17(n: i64, xs: []i64)                                  calls itself on parts of `xs`, in parallel
//! ping_17, pong_17                                            call each other
//! even_17[n](xs: [n]i64, ys: [n]f64) -> [n]i64                states sizes; its arguments are cut to one length
//! ```

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::sample::{Function, Way};
use super::types::Ty;

impl Generator {
    /// Up to three functions.
    pub(super) fn make_functions(&mut self) {
        self.often = 16;
        self.waves += 1;
        for _ in 0..[0, 1, 1, 2, 2, 3][self.random.below(6)] {
            self.budget = 4;
            match self.random.below(10) {
                0..=3 => self.plain_function(),
                4 | 5 => self.recursive_function(),
                6 => self.tree_function(),
                7 => self.mutual_functions(),
                _ => self.sized_function(),
            }
        }
        self.waves -= 1;
        self.often = 1;
    }

    fn function_name(&self, stem: &str) -> String {
        format!("{stem}{}_{}", self.functions.len(), self.number)
    }

    fn plain_function(&mut self) {
        let name = self.function_name("f");
        let big = self.random.chance(4);
        let params: Vec<Ty> = (0..1 + self.random.below(2)).map(|_| self.ty(2)).collect();
        let names: Vec<String> = params.iter().map(|_| self.name("x")).collect();
        let vars = names.iter().zip(&params);
        let vars = vars.map(|(n, t)| Var { big: big && t.has_array(), ..Var::new(n, t) }).collect();
        let result = self.ty(2);
        let mut body = self.alone(vars, |g| g.expr(&result, 3));
        body.big &= big;
        let texts: Vec<String> = names.iter().zip(&params).map(|(n, t)| format!("{n}: {t}")).collect();
        let head = format!("{name}({}) -> {result}", texts.join(", "));
        self.functions.push(Function { name, head, params, body, big, way: Way::Plain });
    }

    fn recursive_function(&mut self) {
        let name = self.function_name("walk");
        let of = if self.random.chance(2) { self.scalar_ty() } else { self.ty(2) };
        let result = if self.random.chance(2) { of.clone() } else { self.ty(2) };
        let vars = vec![Var::new("n", &INT), Var::new("x", &of)];
        let (end, step) = self.alone(vars.clone(), |g| (g.expr(&result, 2), g.expr(&of, 2)));
        let step = self.cut(step);
        let body = match self.random.below(4) {
            0 => Node::new(&result, &format!("if n <= 0 then @ else {name}(n - 1, @)"), vec![end, step]),
            1 => {
                let stop = self.alone(vars, |g| g.expr(&Ty::Bool, 2));
                let text = format!("if n <= 0 || @ then @ else {name}(n - 1, @)");
                Node::new(&result, &text, vec![stop, end, step])
            }
            _ => {
                let vars = [vars, vec![Var::new("r", &result)]].concat();
                let after = self.alone(vars, |g| g.expr(&result, 2));
                let after = self.cut(after);
                let text = format!("if n <= 0 then @ else (let r = {name}(n - 1, @) in @)");
                Node::new(&result, &text, vec![end, step, after])
            }
        };
        let head = format!("{name}(n: i64, x: {of}) -> {result}");
        let body = body.is("recursion");
        self.functions.push(Function { name, head, params: vec![of], body, big: false, way: Way::Steps });
    }

    /// Arrays that a recursion hands on stay short.
    fn cut(&mut self, node: Node) -> Node {
        let ty = node.ty.clone();
        let t = self.name("t");
        match ty {
            Ty::Array(_) => Node::new(&ty, &format!("(let {t} = @ in {t}[..min(20, len({t}))])"), vec![node]),
            _ => node,
        }
    }

    /// A function that calls itself on parts of its argument.
    fn tree_function(&mut self) {
        let name = self.function_name("tree");
        let of = if self.random.chance(2) { INT } else { self.ty(1) }.array();
        let result = if self.random.chance(2) { of.clone() } else { self.ty(1) };
        let vars = vec![Var::new("n", &INT), Var::new("x", &of)];
        let (end, parts) = self.alone(vars.clone(), |g| (g.expr(&result, 2), g.expr(&of.clone().array(), 2)));
        let both = Var::new("r", &result.clone().array());
        let after = self.alone([vars, vec![both]].concat(), |g| g.expr(&result, 2));
        let after = self.cut(after);
        let parts = match self.random.below(3) {
            0 => Node::leaf(&of.clone().array(), "[x[..len(x) / 2], x[len(x) / 2..]]"),
            1 => Node::new(
                &of.clone().array(),
                "[@ ++ x[..len(x) / 2], x[len(x) / 2..]]",
                vec![self.alone(vec![], |g| g.leaf(&of))],
            ),
            _ => parts,
        };
        let text = format!(
            "if n <= 0 || len(x) < 2 || len(x) > 60 then @ else (let p = @ let r = [{name}(n - 1, q) for q in p[..min(3, len(p))]] in @)"
        );
        let body = Node::new(&result, &text, vec![end, parts, after]).is("recursion on parts");
        let head = format!("{name}(n: i64, x: {of}) -> {result}");
        self.functions.push(Function { name, head, params: vec![of], body, big: false, way: Way::Steps });
    }

    fn mutual_functions(&mut self) {
        let (ping, pong) = (self.function_name("ping"), self.function_name("pong"));
        let of = if self.random.chance(2) { INT } else { self.ty(1) };
        let result = if self.random.chance(2) { of.clone() } else { self.ty(1) };
        let vars = vec![Var::new("n", &INT), Var::new("x", &of)];
        for (name, other, way) in [(&ping, &pong, Way::Steps), (&pong, &ping, Way::Never)] {
            self.budget = 4;
            let (end, step) = self.alone(vars.clone(), |g| (g.expr(&result, 2), g.expr(&of, 2)));
            let step = self.cut(step);
            let again = self.alone([vars.clone(), vec![Var::new("r", &result)]].concat(), |g| g.expr(&result, 1));
            let again = self.cut(again);
            let text = format!("if n <= 0 then @ else (let r = {other}(n - 1, @) in @)");
            let body = Node::new(&result, &text, vec![end, step, again]).is("mutual recursion");
            let head = format!("{name}(n: i64, x: {of}) -> {result}");
            let params = vec![of.clone()];
            // Neither may be called before both exist.
            self.functions.push(Function { name: name.clone(), head, params, body, big: false, way: Way::Never });
            if way == Way::Never {
                let k = self.functions.len() - 2;
                self.functions[k].way = Way::Steps;
            }
        }
    }

    fn sized_function(&mut self) {
        let name = self.function_name("even");
        let (a, b, c) = (self.ty(1), self.scalar_ty(), self.ty(1));
        let (x, y, i) = (self.name("x"), self.name("y"), self.name("i"));
        let (of, result) = (a.clone().array(), c.clone().array());
        let vars =
            vec![Var::new("n", &INT), Var::new("xs", &of), Var::new(&x, &a), Var::new(&y, &b), Var::new(&i, &INT)];
        let body = self.alone(vars, |g| g.expr(&c, 3));
        let text = match self.random.below(3) {
            0 => format!("[@ for {x} in xs, {y} in ys, {i} < n]"),
            1 => format!("[(let {x} = xs[{i}] let {y} = ys[n - 1 - {i}] in @) for {i} < n]"),
            _ => format!("[@ for ({x}, {y}) in zip(xs, ys), {i} < len(xs)]"),
        };
        let body = Node::new(&result, &text, vec![body]).is("stated sizes of a function");
        let wrong = if self.leave_out_guard() { "n / 2 * 2" } else { "n" };
        let head = format!("{name}[n](xs: [n]{a}, ys: [n]{b}) -> [{wrong}]{c}");
        let params = vec![of, b.array()];
        self.functions.push(Function { name, head, params, body, big: false, way: Way::Equal });
    }

    /// A call of a function that gives a type, if there is one.
    pub(super) fn call(&mut self, ty: &Ty, fuel: usize) -> Option<Node> {
        let fitting = self.functions.iter().filter(|f| f.body.ty == *ty && f.way != Way::Never);
        let fitting: Vec<Function> = fitting.cloned().collect();
        if fitting.is_empty() || self.often > 300 {
            return None;
        }
        let f = &fitting[self.random.below(fitting.len())];
        let small = self.small || !f.big;
        let before = std::mem::replace(&mut self.small, small);
        let args: Vec<Node> = f.params.iter().map(|p| self.expr(p, fuel)).collect();
        let steps = (f.way == Way::Steps).then(|| self.number_like(fuel));
        self.small = before;
        let name = &f.name;
        Some(match f.way {
            Way::Plain | Way::Never => {
                Node::new(ty, &format!("{name}({})", vec!["@"; args.len()].join(", ")), args).is("call")
            }
            Way::Steps => {
                let args = [steps.into_iter().collect(), args].concat();
                Node::new(ty, &format!("{name}((@) % 4, @)"), args).is("recursive call")
            }
            Way::Equal if self.leave_out_guard() => Node::new(ty, &format!("{name}(@, @)"), args).is("call with sizes"),
            Way::Equal => {
                let (l, r, n) = (self.name("l"), self.name("r"), self.name("n"));
                let text = format!(
                    "(let {l} = @ let {r} = @ let {n} = min(len({l}), len({r})) in {name}({l}[..{n}], {r}[..{n}]))"
                );
                Node::new(ty, &text, args).is("call with sizes")
            }
        })
    }
}
