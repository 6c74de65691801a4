//! Expressions that decide: `if`, `let`, `match`, loops over scalars and arrays with counts of their own.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    pub(super) fn choice(&mut self, ty: &Ty, fuel: usize) -> Node {
        let parts = vec![self.expr(&Ty::Bool, fuel), self.expr(ty, fuel), self.expr(ty, fuel)];
        let kind = if ty.has_array() { "if with arrays" } else { "if" };
        Node::new(ty, "(if @ then @ else @)", parts).is(kind)
    }

    pub(super) fn bound(&mut self, ty: &Ty, fuel: usize) -> Node {
        let of = self.known_ty(2);
        let value = self.expr(&of, fuel);
        let name = self.name("t");
        let var = Var::of(&name, &of, &value);
        let body = self.with(vec![var], |g| g.expr(ty, fuel));
        Node::new(ty, &format!("(let {name} = @ in @)"), vec![value, body]).as_child(1)
    }

    /// A match on an enum if there is one, else on a pair.
    pub(super) fn matched(&mut self, ty: &Ty, fuel: usize) -> Node {
        let enums: Vec<Ty> = self.types.iter().filter(|t| matches!(t, Ty::Enum(..))).cloned().collect();
        let of = match enums.first() {
            Some(known) if !self.random.chance(4) => known.clone(),
            _ if self.random.chance(2) => return self.matched_pair(ty, fuel),
            _ => {
                let of = if self.random.chance(2) { self.scalar_ty() } else { self.scalar_ty().array() };
                of.option()
            }
        };
        let Ty::Enum(_, variants) = &of else { return self.choice(ty, fuel) };
        let value = self.expr(&of, fuel);
        let mut children = vec![value.clone()];
        let mut arms = Vec::new();
        for (name, fields) in variants {
            let names: Vec<String> = fields.iter().map(|_| self.name("y")).collect();
            let vars: Vec<Var> = names.iter().zip(fields).map(|(n, t)| Var::of(n, t, &value)).collect();
            let pattern = if names.is_empty() { name.clone() } else { format!("{name}({})", names.join(", ")) };
            if self.random.chance(5) {
                children.push(self.with(vars.clone(), |g| g.expr(&Ty::Bool, fuel.min(1))));
                children.push(self.with(vars.clone(), |g| g.expr(ty, fuel)));
                arms.push(format!("{pattern} if @ => @"));
            }
            children.push(self.with(vars, |g| g.expr(ty, fuel)));
            arms.push(format!("{pattern} => @"));
        }
        let kind = if of.has_array() { "match with arrays" } else { "match" };
        Node::new(ty, &format!("(match @ {{ {} }})", arms.join(", ")), children).is(kind)
    }

    fn matched_pair(&mut self, ty: &Ty, fuel: usize) -> Node {
        let of = Ty::Tuple(vec![Ty::Bool, INT]);
        let value = self.expr(&of, fuel);
        let k = self.name("k");
        let (a, b) = (self.expr(ty, fuel), self.expr(ty, fuel));
        let c = self.with(vec![Var::new(&k, &INT)], |g| g.expr(ty, fuel));
        Node::new(ty, &format!("(match @ {{ (true, 0) => @, (true, _) => @, (_, {k}) => @ }})"), vec![value, a, b, c])
            .is("match")
    }

    /// A loop that ends after a few steps.
    pub(super) fn looped(&mut self, ty: &Ty, fuel: usize) -> Node {
        let (t, k) = (self.name("t"), self.name("k"));
        let start = self.expr(ty, fuel.min(2));
        let state = Var::of(&t, ty, &start);
        let arrays = ty.has_array();
        // An array that grows at every step would be too long soon.
        let cut = |body: &str| match ty {
            Ty::Array(_) => format!("(let {t} = {body} in {t}[..min(400, len({t}))])"),
            _ => body.to_string(),
        };
        match self.random.below(4) {
            0 | 1 => {
                let steps = self.number_like(fuel);
                let vars = vec![state, Var::new(&k, &INT)];
                let body = self.in_waves(|g| g.inside(vars, None, |g| g.expr(ty, fuel.min(3))));
                let text = format!("(loop {t} = @ for {k} < (@) % 5 do {})", cut("@"));
                Node::new(ty, &text, vec![start, steps, body]).is(if arrays { "loop over arrays" } else { "loop" })
            }
            2 => {
                let (of, items) = self.source(fuel.min(2));
                let vars = vec![state, Var::of(&k, &of, &items)];
                let body = self.in_waves(|g| g.inside(vars, Some(&items), |g| g.expr(ty, fuel.min(3))));
                let text = format!("(loop {t} = @ for {k} in @ do {})", cut("@"));
                Node::new(ty, &text, vec![start, items, body]).is(if arrays { "loop over arrays" } else { "loop in" })
            }
            _ => {
                let vars = vec![state, Var::new(&k, &INT)];
                let body = |g: &mut Self| (g.expr(&Ty::Bool, fuel.min(2)), g.expr(ty, fuel.min(3)));
                let (goes, body) = self.in_waves(|g| g.inside(vars, None, body));
                let limit = 1 + self.random.below(5);
                let text = format!(
                    "(let ({t}, _) = (loop ({t}, {k}) = (@, 0) while {k} < {limit} && @ do ({}, {k} + 1)) in {t})",
                    cut("@")
                );
                Node::new(ty, &text, vec![start, goes, body]).is(if arrays { "while over arrays" } else { "while" })
            }
        }
    }
}
