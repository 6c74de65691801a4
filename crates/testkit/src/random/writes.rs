//! Expressions that write: updates of one or several places, scatter, histograms.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    pub(super) fn update(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let xs = self.expr(ty, fuel);
        let (x, i) = (self.name("u"), self.number_like(fuel));
        match self.random.below(if elem.elem().is_some() { 10 } else { 6 }) {
            0..=2 => {
                let v = self.expr(elem, fuel);
                if self.leave_out_guard() {
                    return Node::new(ty, "(@ with [@ % 4] = @)", vec![xs, i, v]).is("update");
                }
                let text = format!("(let {x} = @ in if len({x}) > 0 then {x} with [@ % len({x})] = @ else {x})");
                Node::new(ty, &text, vec![xs, i, v]).is("update")
            }
            3 | 4 => {
                let ys = self.expr(ty, fuel);
                let (y, n) = (self.name("y"), self.name("n"));
                if self.leave_out_guard() {
                    let text = format!("(let {y} = @ in @ with [(@) % 2..2] = {y})");
                    return Node::new(ty, &text, vec![ys, xs, i]).is("update of a slice");
                }
                let text = format!(
                    "(let {x} = @ let {y} = @ let {n} = min(len({x}), len({y})) let {i} = (@) % (len({x}) - {n} + 1) in {x} with [{i}..{i} + {n}] = {y}[..{n}])",
                    i = format!("{n}i")
                );
                Node::new(ty, &text, vec![xs, ys, i]).is("update of a slice")
            }
            5 => {
                let ys = self.expr(ty, fuel);
                let (y, n, m) = (self.name("y"), self.name("n"), self.name("m"));
                let text = format!(
                    "(let {x} = @ let {y} = @ let {m} = 1 + (@) % 3 let {n} = min((len({x}) + {m} - 1) / {m}, len({y})) in {x} with [0; {n} by {m}] = {y}[..{n}])"
                );
                Node::new(ty, &text, vec![xs, ys, i]).is("update of a strided slice")
            }
            _ => {
                let Some(inner) = elem.elem().cloned() else { return xs };
                let v = self.expr(&inner, fuel);
                if self.leave_out_guard() {
                    return Node::new(ty, "(@ with [0, @ % 3] = @)", vec![xs, i, v]).is("update inside a row");
                }
                let k = self.name("k");
                let text = format!(
                    "(let {x} = @ let {k} = @ in if len({x}) > 0 && len({x}[{k} % len({x})]) > 0 then {x} with [{k} % len({x}), {k} % len({x}[{k} % len({x})])] = @ else {x})"
                );
                Node::new(ty, &text, vec![xs, i, v]).is("update inside a row")
            }
        }
    }

    pub(super) fn scatter(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let (dest, vs) = (self.expr(ty, fuel), self.expr(ty, fuel));
        let (d, v, x, q) = (self.name("d"), self.name("v"), self.name("x"), self.name("q"));
        let vars = vec![Var::of(&x, elem, &vs), Var::new(&q, &INT)];
        let place = self.inside(vars, Some(&vs), |g| g.expr(&INT, fuel.min(2)));
        let children = vec![dest, vs, place];
        if self.leave_out_guard() {
            let text =
                format!("(let {d} = @ let {v} = @ in scatter({d}, [@ % 5 for {x} in {v}, {q} < len({v})], {v}))");
            return Node::new(ty, &text, children).is("scatter");
        }
        let text = match self.random.below(3) {
            0 => format!(
                "(let {d} = @ let {v} = @ in scatter_skip({d}, [(@) % (len({d}) + 1) - 1 for {x} in {v}, {q} < len({v})], {v}))"
            ),
            _ => format!(
                "(let {d} = @ let {v} = @ in if len({d}) == 0 then {d} else scatter({d}, [(@) % len({d}) for {x} in {v}, {q} < len({v})], {v}))"
            ),
        };
        Node::new(ty, &text, children).is("scatter")
    }

    pub(super) fn hist(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let Some(operator) = self.operator(elem) else { return self.scatter(ty, elem, fuel) };
        let vs = self.expr(ty, fuel);
        let (v, x, q, n) = (self.name("v"), self.name("x"), self.name("q"), self.name("n"));
        let vars = vec![Var::of(&x, elem, &vs), Var::new(&q, &INT)];
        let place = self.inside(vars, Some(&vs), |g| g.expr(&INT, fuel.min(2)));
        let bins = self.number_like(fuel);
        let extra = if self.leave_out_guard() { " + 1" } else { "" };
        let normal = operator.normal(&v);
        let text = format!(
            "(let {v} = @ let {n} = 1 + (@) % 5 in hist({}, {}, {n}, [(@) % ({n}{extra}) for {x} in {v}, {q} < len({v})], {normal}))",
            operator.text, operator.neutral
        );
        let kind = if elem.has_array() { "hist of arrays" } else { "hist" };
        Node::new(ty, &text, vec![vs, bins, place]).is(kind)
    }
}
