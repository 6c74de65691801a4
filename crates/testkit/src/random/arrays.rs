//! Expressions that are arrays: comprehensions of every kind, and which of the other files' constructs is taken.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    pub(super) fn array(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        match self.random.below(100) {
            0..=17 => self.map(ty, elem, fuel),
            18..=22 => self.kept(ty, elem, fuel),
            23..=31 => self.counted(ty, elem, fuel),
            32..=39 => self.zipped(ty, elem, fuel),
            40..=43 => Node::new(ty, "(@ ++ @)", vec![self.expr(ty, fuel), self.expr(ty, fuel)]).is("concat"),
            44..=49 => self.slice(ty, fuel),
            50..=51 => {
                let items: Vec<Node> = (0..1 + self.random.below(3)).map(|_| self.expr(elem, fuel)).collect();
                Node::list(ty, items)
            }
            52..=54 => self.repeated(ty, elem, fuel),
            55..=57 => self.picked(ty, elem, fuel),
            58..=62 => self.scanned(ty, elem, fuel),
            63..=65 => self.hist(ty, elem, fuel),
            66..=68 => self.scatter(ty, elem, fuel),
            69..=73 => self.sorted(ty, elem, fuel),
            74..=79 => self.update(ty, elem, fuel),
            80..=82 => self.flattened(ty, fuel),
            83..=92 => self.shaped(ty, elem, fuel).unwrap_or_else(|| self.map(ty, elem, fuel)),
            93..=94 => self.sized(ty, elem, fuel),
            95..=96 => self.moved(ty, fuel),
            _ => self.map(ty, elem, fuel),
        }
    }

    /// A pattern for elements of a type, and the names in it.
    fn pattern(&mut self, of: &Ty, over: &Node) -> (String, Vec<Var>) {
        if self.random.chance(2) {
            match of {
                Ty::Tuple(parts) => {
                    let names: Vec<String> = parts.iter().map(|_| self.name("x")).collect();
                    let vars = names.iter().zip(parts).map(|(n, t)| Var::of(n, t, over)).collect();
                    return (format!("({})", names.join(", ")), vars);
                }
                Ty::Record(record, fields) => {
                    let names: Vec<String> = fields.iter().map(|_| self.name("x")).collect();
                    let vars = names.iter().zip(fields).map(|(n, t)| Var::of(n, t, over)).collect();
                    let text: Vec<String> = names.iter().enumerate().map(|(k, n)| format!("f{k} = {n}")).collect();
                    return (format!("{record}{{{}}}", text.join(", ")), vars);
                }
                _ => {}
            }
        }
        let name = self.name("x");
        let vars = vec![Var::of(&name, of, over)];
        (name, vars)
    }

    pub(super) fn map(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let (of, xs) = self.source(fuel);
        let (pattern, vars) = self.pattern(&of, &xs);
        if self.random.chance(4) {
            let (body, keep) = self.inside(vars, Some(&xs), |g| (g.expr(elem, fuel), g.expr(&Ty::Bool, fuel.min(2))));
            return Node::new(ty, &format!("[@ for {pattern} in @ if @]"), vec![body, xs, keep])
                .is("filter")
                .as_array_of(0);
        }
        let body = self.inside(vars, Some(&xs), |g| g.expr(elem, fuel));
        Node::new(ty, &format!("[@ for {pattern} in @]"), vec![body, xs]).is("map").as_array_of(0)
    }

    /// The elements that a condition holds for.
    fn kept(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let x = self.name("x");
        let xs = self.expr(ty, fuel);
        let var = Var::of(&x, elem, &xs);
        let keep = self.inside(vec![var], Some(&xs), |g| g.expr(&Ty::Bool, fuel.min(2)));
        if self.random.chance(3) {
            return Node::new(ty, &format!("filter(|{x}| @, @)"), vec![keep, xs]).is("filter");
        }
        Node::new(ty, &format!("[{x} for {x} in @ if @]"), vec![xs, keep]).is("filter")
    }

    /// An array made from positions.
    fn counted(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let i = self.name("i");
        let n = self.number_like(fuel);
        if self.leave_out_guard() {
            let body = self.inside(vec![Var::new(&i, &INT)], None, |g| g.expr(elem, fuel));
            return Node::new(ty, &format!("[@ for {i} < (@) % 7 - 1]"), vec![body, n]).is("generate");
        }
        let var = Var::new(&i, &INT);
        if self.random.chance(4) {
            let (body, keep) = self.inside(vec![var], None, |g| (g.expr(elem, fuel), g.expr(&Ty::Bool, fuel.min(2))));
            return Node::new(ty, &format!("[@ for {i} < (@) % 6 if @]"), vec![body, n, keep]).is("generate");
        }
        let body = self.inside(vec![var], None, |g| g.expr(elem, fuel));
        Node::new(ty, &format!("[@ for {i} < (@) % 5]"), vec![body, n]).is("generate").as_array_of(0)
    }

    /// Several generators in step: over arrays of one length by construction, or cut to one length.
    fn zipped(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let (a, xs) = self.source(fuel);
        let b = self.known_ty(1);
        let (x, y, i, l, r, n) =
            (self.name("x"), self.name("y"), self.name("i"), self.name("l"), self.name("r"), self.name("n"));
        let vars = vec![Var::of(&x, &a, &xs), Var::new(&y, &b), Var::new(&i, &INT)];
        let keep = if self.random.chance(5) { Some(self.leaf(&Ty::Bool)) } else { None };
        let (tail, keep) = match keep {
            Some(keep) => (" if @", vec![keep]),
            None => ("", vec![]),
        };
        if self.random.chance(3) {
            let row = Var::of(&x, &a, &xs);
            let other = self.inside(vec![row], Some(&xs), |g| g.expr(&b, fuel.min(2)));
            let body = self.inside(vars, Some(&xs), |g| g.expr(elem, fuel));
            let text = format!(
                "(let {l} = @ let {r} = [@ for {x} in {l}] in [@ for {x} in {l}, {y} in {r}, {i} < len({l}){tail}])"
            );
            return Node::new(ty, &text, [vec![xs, other, body], keep].concat()).is("zip");
        }
        let ys = self.expr(&b.clone().array(), fuel);
        let body = self.inside(vars, Some(&xs), |g| g.expr(elem, fuel));
        if self.leave_out_guard() {
            let text = format!("(let {l} = @ in [@ for {x} in {l}, {y} in @, {i} < len({l}){tail}])");
            return Node::new(ty, &text, [vec![xs, body, ys], keep].concat()).is("zip");
        }
        let text = format!(
            "(let {l} = @ let {r} = @ let {n} = min(len({l}), len({r})) in [@ for {x} in {l}[..{n}], {y} in {r}[..{n}], {i} < {n}{tail}])"
        );
        Node::new(ty, &text, [vec![xs, ys, body], keep].concat()).is("zip")
    }

    /// One value, several times.
    fn repeated(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let n = self.number_like(fuel);
        let x = self.expr(elem, fuel);
        let kind = if elem.has_array() { "rows repeated" } else { "replicate" };
        if self.leave_out_guard() {
            return Node::new(ty, "replicate((@) % 9 - 2, @)", vec![n, x]).is(kind);
        }
        Node::new(ty, "replicate((@) % 4, @)", vec![n, x]).is(kind)
    }

    /// Elements taken by their positions, some of them several times.
    fn picked(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        let (name, i) = (self.name("a"), self.name("i"));
        let kind = if elem.has_array() { "rows picked" } else { "gather" };
        let places = self.expr(&INT.array(), fuel);
        if self.leave_out_guard() {
            let text = format!("(let {name} = @ in [{name}[{i} % 5] for {i} in @])");
            return Node::new(ty, &text, vec![xs, places]).is(kind);
        }
        let text = format!("(let {name} = @ in [{name}[{i} % len({name})] for {i} in @ if len({name}) > 0])");
        Node::new(ty, &text, vec![xs, places]).is(kind)
    }

    /// An element of an array.
    pub(super) fn element(&mut self, ty: &Ty, fuel: usize) -> Node {
        let deep = ty.depth() < 2 && self.random.chance(4);
        let of = if deep { ty.clone().array().array() } else { ty.clone().array() };
        let xs = self.expr(&of, fuel);
        let i = self.number_like(fuel);
        if self.leave_out_guard() {
            let text = if deep { "(@)[0, @ % 3]" } else { "(@)[@ % 5]" };
            return Node::new(ty, text, vec![xs, i]).is("index");
        }
        let name = self.name("a");
        let other = self.leaf(ty);
        let a = &name;
        let text = match deep {
            true => format!("(let {a} = @ in if len({a}) > 0 && len({a}[0]) > 0 then {a}[0, @ % len({a}[0])] else @)"),
            false => format!("(let {a} = @ in if len({a}) > 0 then {a}[@ % len({a})] else @)"),
        };
        Node::new(ty, &text, vec![xs, i, other]).is("index")
    }

    /// Rows made from a descriptor: counts of their own, or a triangle.
    fn sized(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let (i, j) = (self.name("i"), self.name("j"));
        let Some(inner) = elem.elem().cloned() else { return self.counted(ty, elem, fuel) };
        let n = self.number_like(fuel);
        let vars = vec![Var::new(&i, &INT), Var::new(&j, &INT)];
        let body = self.inside(vars, None, |g| g.expr(&inner, fuel));
        let rows = self.random.one(&["i + 1", "4 - i", "(i * 7) % 3", "2"]).replace('i', &i);
        Node::new(ty, &format!("[[@ for {j} < {rows}] for {i} < (@) % 5]"), vec![body, n]).is("rows by formula")
    }
}
