//! Expressions that rearrange: slices of every kind, flattening, partitions, windows, borders, transposition, order.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    pub(super) fn slice(&mut self, ty: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        let n = self.number_like(fuel);
        let s = self.name("s");
        match self.random.below(6) {
            0 | 1 => {
                if self.leave_out_guard() {
                    return Node::new(ty, "(@)[..(@) % 6]", vec![xs, n]).is("slice");
                }
                let form = self.random.one(&["..min((@) % 5, len(S))", "min((@) % 4, len(S)).."]).replace('S', &s);
                Node::new(ty, &format!("(let {s} = @ in {s}[{form}])"), vec![xs, n]).is("slice")
            }
            2 => {
                if self.leave_out_guard() {
                    return Node::new(ty, "(@)[(@) % 3..2]", vec![xs, n]).is("slice");
                }
                let form = "min((@) % 3, len(S) / 2)..len(S)".replace('S', &s);
                Node::new(ty, &format!("(let {s} = @ in {s}[{form}])"), vec![xs, n]).is("slice")
            }
            3 => {
                let form = format!("(let {s} = @ in {s}[0..len({s}) by 1 + (@) % 3])");
                Node::new(ty, &form, vec![xs, n]).is("slice by")
            }
            _ => {
                let m = self.name("m");
                if self.leave_out_guard() {
                    let form = format!("(let {m} = (@) % 3 in (@)[1; {m} by 2])");
                    return Node::new(ty, &form, vec![n, xs]).is("strided slice");
                }
                let form = match self.random.below(3) {
                    0 => format!("(let {s} = @ let {m} = 1 + (@) % 3 in {s}[0; (len({s}) + {m} - 1) / {m} by {m}])"),
                    1 => format!("(let {s} = @ let {m} = (@) % (len({s}) + 1) in {s}[len({s}) - 1; {m} by -1])"),
                    _ => format!("(let {s} = @ let {m} = (@) % 4 in {s}[0; min({m}, len({s})) by 1])"),
                };
                Node::new(ty, &form, vec![xs, n]).is("strided slice")
            }
        }
    }

    pub(super) fn flattened(&mut self, ty: &Ty, fuel: usize) -> Node {
        let rows = self.expr(&ty.clone().array(), fuel);
        let f = self.random.one(&["flatten", "join"]);
        Node::new(ty, &format!("{f}(@)"), vec![rows]).is("flatten")
    }

    /// An operator that changes the shape; for arrays of arrays mostly.
    pub(super) fn shaped(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Option<Node> {
        let Some(inner) = elem.elem().cloned() else {
            return self.random.chance(2).then(|| self.padded(ty, elem, fuel));
        };
        let xs = self.expr(elem, fuel);
        let (x, h, n) = (self.name("x"), self.name("h"), self.number_like(fuel));
        Some(match self.random.below(8) {
            0 => {
                if self.leave_out_guard() {
                    return Some(Node::new(ty, "partition_by([(@) % 4, 0, 1], @)", vec![n, xs]).is("partition"));
                }
                let text = format!(
                    "(let {x} = @ let {h} = (@) % (len({x}) + 1) in partition_by([{h}, 0, len({x}) - {h}], {x}))"
                );
                Node::new(ty, &text, vec![xs, n]).is("partition")
            }
            1 => {
                let (q, i) = (self.name("q"), self.name("i"));
                let body = self.inside(vec![Var::new(&q, &INT)], None, |g| g.expr(&inner, fuel));
                let text =
                    format!("(let {h} = (@) % 4 in partition({h}, |{i}| {i} + 1, [@ for {q} < {h} * ({h} + 1) / 2]))");
                Node::new(ty, &text, vec![n, body]).is("partition")
            }
            2 => {
                let (z, q) = (self.name("z"), self.name("q"));
                let sizes = self.expr(&INT.array(), fuel);
                let body = self.inside(vec![Var::new(&q, &INT)], None, |g| g.expr(&inner, fuel));
                let text = format!("(let {z} = [{q} % 3 for {q} in @] in partition_by({z}, [@ for {q} < sum({z})]))");
                Node::new(ty, &text, vec![sizes, body]).is("partition")
            }
            3 => {
                if self.leave_out_guard() {
                    return Some(Node::new(ty, "split(1 + (@) % 3, @)", vec![n, xs]).is("split"));
                }
                let text = format!("(let {h} = 1 + (@) % 3 let {x} = @ in split({h}, {x}[..len({x}) / {h} * {h}]))");
                Node::new(ty, &text, vec![n, xs]).is("split")
            }
            4 => self.transposed(ty, elem, fuel),
            5 => {
                if self.leave_out_guard() {
                    return Some(Node::new(ty, "slide((@) % 3, 1, @)", vec![n, xs]).is("slide"));
                }
                let step = 1 + self.random.below(2);
                Node::new(ty, &format!("slide(1 + (@) % 3, {step}, @)"), vec![n, xs]).is("slide")
            }
            6 => {
                if self.leave_out_guard() {
                    return Some(Node::new(ty, "(@)[0; (@) % 3 by 2, 2 by 1]", vec![xs, n]).is("strided slice 2d"));
                }
                let text = format!("(let {x} = @ let {h} = 1 + (@) % 3 in {x}[0; len({x}) / {h} by {h}, {h} by 1])");
                Node::new(ty, &text, vec![xs, n]).is("strided slice 2d")
            }
            _ => self.padded(ty, elem, fuel),
        })
    }

    fn transposed(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let n = self.number_like(fuel);
        if self.leave_out_guard() {
            return Node::new(ty, "transpose(@)", vec![self.expr(ty, fuel)]).is("transpose");
        }
        if self.random.chance(2) {
            let (rows, m, i) = (self.name("r"), self.name("m"), self.name("i"));
            let xs = self.expr(ty, fuel);
            let text = format!(
                "(let {rows} = [{i} for {i} in @ if len({i}) > 0] let {m} = minimum([2] ++ [len({i}) for {i} in {rows}]) in transpose([{i}[..{m}] for {i} in {rows}]))"
            );
            return Node::new(ty, &text, vec![xs]).is("transpose");
        }
        let (i, row) = (self.name("i"), self.name("r"));
        let xs = self.expr(elem, fuel);
        let text = format!("(let {row} = @ in transpose([{row} for {i} < (@) % 4]))");
        Node::new(ty, &text, vec![xs, n]).is("transpose")
    }

    fn padded(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        let (n, first) = (self.number_like(fuel), self.expr(elem, fuel.min(1)));
        let mode = self.random.one(&["clamp", "wrap", "mirror"]);
        let side = self.random.one(&["(@) % 3, 1", "0, (@) % 4", "1, (@) % 2"]);
        if self.random.chance(3) {
            return Node::new(ty, &format!("pad({side}, constant(@), @)"), vec![n, first, xs]).is("pad");
        }
        Node::new(ty, &format!("pad({side}, {mode}, [@] ++ @)"), vec![n, first, xs]).is("pad")
    }

    /// The elements in another order.
    pub(super) fn moved(&mut self, ty: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        if self.random.chance(2) {
            return Node::new(ty, "reverse(@)", vec![xs]).is("reverse");
        }
        let n = self.number_like(fuel);
        Node::new(ty, "rotate((@) % 7, @)", vec![n, xs]).is("rotate")
    }

    pub(super) fn sorted(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        if let Ty::Tuple(parts) = elem
            && let [key, Ty::Array(of)] = parts.as_slice()
        {
            let x = self.name("x");
            let xs = self.expr(&of.as_ref().clone().array(), fuel);
            let var = Var::of(&x, of, &xs);
            let key = self.inside(vec![var], Some(&xs), |g| g.expr(key, fuel.min(2)));
            return Node::new(ty, &format!("group_by(|{x}| @, @)"), vec![key, xs]).is("group_by");
        }
        let keys = if self.random.chance(3) { self.known_ty(1) } else { self.scalar_ty() };
        match self.random.below(6) {
            0 | 1 => Node::new(ty, "sort(@)", vec![self.expr(ty, fuel)]).is("sort"),
            2 if *elem == INT => {
                let of = keys.array();
                Node::new(ty, "argsort(@)", vec![self.expr(&of, fuel)]).is("sort")
            }
            3 if !elem.has_array() => Node::new(ty, "unique(@)", vec![self.expr(ty, fuel)]).is("sort"),
            4 => {
                let x = self.name("x");
                let xs = self.expr(ty, fuel);
                let var = Var::of(&x, elem, &xs);
                let key = self.inside(vec![var], Some(&xs), |g| g.expr(&keys, fuel.min(2)));
                Node::new(ty, &format!("sort_by(|{x}| @, @)"), vec![key, xs]).is("sort by keys")
            }
            _ => {
                let (a, b, n) = (self.name("a"), self.name("b"), self.name("n"));
                let (ks, xs) = (self.expr(&keys.array(), fuel), self.expr(ty, fuel));
                if self.leave_out_guard() {
                    return Node::new(ty, "sort_by_keys(@, @)", vec![ks, xs]).is("sort by keys");
                }
                let text = format!(
                    "(let {a} = @ let {b} = @ let {n} = min(len({a}), len({b})) in sort_by_keys({a}[..{n}], {b}[..{n}]))"
                );
                Node::new(ty, &text, vec![ks, xs]).is("sort by keys")
            }
        }
    }
}
