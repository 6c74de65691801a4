//! Expressions that are numbers and truth values.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    /// A short expression of an integer: a length, an index, a number of steps.
    pub(super) fn number_like(&mut self, fuel: usize) -> Node {
        self.expr(&INT, fuel.min(1))
    }

    fn two(&mut self, ty: &Ty, of: &Ty, template: &str, fuel: usize) -> Node {
        let parts = vec![self.expr(of, fuel), self.expr(of, fuel)];
        Node::new(ty, template, parts)
    }

    pub(super) fn int(&mut self, fuel: usize) -> Node {
        let ints = INT.array();
        match self.random.below(17) {
            0..=3 => {
                let op = self.random.one(&["+", "-", "*", "&", "|", "^", "<<", ">>"]);
                self.two(&INT, &INT, &format!("(@ {op} @)"), fuel)
            }
            4 | 5 => {
                let op = self.random.one(&["/", "%"]);
                let parts = vec![self.expr(&INT, fuel), self.expr(&INT, fuel)];
                if self.leave_out_guard() {
                    return Node::new(&INT, &format!("(@ {op} (@ % 4))"), parts);
                }
                let d = self.name("d");
                Node::new(&INT, &format!("(@ {op} (let {d} = @ in if {d} == 0 then 3 else {d}))"), parts)
            }
            6 => {
                let f = self.random.one(&["min", "max"]);
                self.two(&INT, &INT, &format!("{f}(@, @)"), fuel)
            }
            7 | 8 => {
                let (_, xs) = self.source(fuel);
                Node::new(&INT, "len(@)", vec![xs])
            }
            9 | 10 => {
                let f = self.random.one(&["sum(@)", "product(@)", "reduce((^), 0, @)", "minimum([7] ++ @)"]);
                Node::new(&INT, f, vec![self.expr(&ints, fuel)]).is("reduce")
            }
            11 => self.extreme(fuel),
            12 => Node::new(&INT, "count(@)", vec![self.expr(&Ty::Bool.array(), fuel)]).is("reduce"),
            13 => Node::new(&INT, "i64(@)", vec![self.expr(&Ty::Float, fuel)]),
            14 => Node::new(&INT, "i64(@)", vec![self.expr(&Ty::Int32, fuel)]),
            _ => {
                let ((_, a), b) = (self.source(fuel), self.expr(&INT, fuel));
                Node::new(&INT, "(len(@) * 10 + @)", vec![a, b])
            }
        }
    }

    /// The greatest element, or where it is.
    fn extreme(&mut self, fuel: usize) -> Node {
        let f = self.random.one(&["maximum", "minimum", "argmax", "argmin"]);
        let xs = self.expr(&INT.array(), fuel);
        if self.leave_out_guard() {
            return Node::new(&INT, &format!("{f}(@)"), vec![xs]).is("reduce");
        }
        let name = self.name("m");
        let other = self.leaf(&INT);
        let text = format!("(let {name} = @ in if len({name}) > 0 then {f}({name}) else @)");
        Node::new(&INT, &text, vec![xs, other]).is("reduce")
    }

    pub(super) fn int32(&mut self, fuel: usize) -> Node {
        let ty = Ty::Int32;
        match self.random.below(4) {
            0 => Node::new(&ty, "i32(@)", vec![self.expr(&INT, fuel)]),
            1 => Node::new(&ty, "sum(@)", vec![self.expr(&ty.clone().array(), fuel)]).is("reduce"),
            _ => {
                let op = self.random.one(&["+", "-", "*"]);
                self.two(&ty, &ty, &format!("(@ {op} @)"), fuel)
            }
        }
    }

    pub(super) fn float(&mut self, fuel: usize) -> Node {
        let ty = Ty::Float;
        match self.random.below(8) {
            0..=2 => {
                let op = self.random.one(&["+", "-", "*"]);
                self.two(&ty, &ty, &format!("(@ {op} @)"), fuel)
            }
            3 => Node::new(&ty, "(f64((@) % 64) / 8.0)", vec![self.expr(&INT, fuel)]),
            4 | 5 => {
                let name = self.name("x");
                let text = format!("sum([f64(i64(8.0 * {name}) % 64) / 8.0 for {name} in @])");
                Node::new(&ty, &text, vec![self.expr(&ty.clone().array(), fuel)]).is("reduce")
            }
            6 => Node::new(&ty, "maximum([0.5] ++ @)", vec![self.expr(&ty.clone().array(), fuel)]).is("reduce"),
            _ => {
                let f = self.random.one(&["min", "max"]);
                self.two(&ty, &ty, &format!("{f}(@, @)"), fuel)
            }
        }
    }

    pub(super) fn truth(&mut self, fuel: usize) -> Node {
        let ty = Ty::Bool;
        match self.random.below(8) {
            0..=2 => {
                let of = if self.random.chance(3) { Ty::Float } else { INT };
                let op = self.random.one(&["<", "<=", "==", "!=", ">", ">="]);
                self.two(&ty, &of, &format!("(@ {op} @)"), fuel)
            }
            3 => {
                let op = self.random.one(&["&&", "||"]);
                self.two(&ty, &ty, &format!("(@ {op} @)"), fuel)
            }
            4 => Node::new(&ty, "(!@)", vec![self.expr(&ty, fuel)]),
            5 | 6 => {
                let f = self.random.one(&["any", "all"]);
                Node::new(&ty, &format!("{f}(@)"), vec![self.expr(&ty.clone().array(), fuel)]).is("reduce")
            }
            _ => {
                let of = self.known_ty(2);
                let op = self.random.one(&["==", "!=", "<"]);
                self.two(&ty, &of, &format!("(@ {op} @)"), fuel).is("comparison")
            }
        }
    }

    pub(super) fn tuple(&mut self, ty: &Ty, parts: &[Ty], fuel: usize) -> Node {
        let items: Vec<Node> = parts.iter().map(|p| self.expr(p, fuel)).collect();
        Node::new(ty, &format!("({})", vec!["@"; items.len()].join(", ")), items).is("tuple")
    }

    pub(super) fn record(&mut self, ty: &Ty, name: &str, fields: &[Ty], fuel: usize) -> Node {
        if fuel > 0 && self.random.chance(3) {
            let k = self.random.below(fields.len());
            let parts = vec![self.expr(ty, fuel), self.expr(&fields[k], fuel)];
            return Node::new(ty, &format!("(@ with {{f{k} = @}})"), parts).is("record update");
        }
        let template: Vec<String> = (0..fields.len()).map(|k| format!("f{k} = @")).collect();
        let items: Vec<Node> = fields.iter().map(|p| self.expr(p, fuel)).collect();
        Node::new(ty, &format!("{name}{{{}}}", template.join(", ")), items).is("record")
    }

    pub(super) fn variant(&mut self, ty: &Ty, variants: &[(String, Vec<Ty>)], fuel: usize) -> Node {
        if let Some(n) = self.var(&INT).filter(|_| self.random.chance(2)) {
            let (a, b) = (self.one_variant(ty, variants, fuel), self.one_variant(ty, variants, fuel));
            return Node::new(ty, "(if @ % 2 == 0 then @ else @)", vec![n, a, b]).is("enum");
        }
        self.one_variant(ty, variants, fuel)
    }

    fn one_variant(&mut self, ty: &Ty, variants: &[(String, Vec<Ty>)], fuel: usize) -> Node {
        let (name, fields) = variants[self.random.below(variants.len())].clone();
        let items: Vec<Node> = fields.iter().map(|p| self.expr(p, fuel)).collect();
        if items.is_empty() {
            return Node::leaf(ty, ty.plain_variant(&name)).is("enum");
        }
        Node::new(ty, &format!("{name}({})", vec!["@"; items.len()].join(", ")), items).is("enum")
    }

    /// A component of a tuple or a record.
    pub(super) fn component(&mut self, ty: &Ty, fuel: usize) -> Node {
        let records = self.types.iter().filter_map(|t| if let Ty::Record(_, f) = t { Some((t, f)) } else { None });
        let found: Vec<(Ty, usize)> =
            records.filter_map(|(t, f)| Some((t.clone(), f.iter().position(|x| x == ty)?))).collect();
        if let Some((record, k)) = found.first().filter(|_| self.random.chance(2)) {
            return Node::new(ty, &format!("(@).f{k}"), vec![self.expr(record, fuel)]).is("field");
        }
        let other = self.scalar_ty();
        let known =
            self.types_in_scope().find(|t| matches!(t, Ty::Tuple(parts) if parts.len() == 2 && parts[0] == *ty));
        let pair = known.unwrap_or_else(|| Ty::Tuple(vec![ty.clone(), other]));
        let value = self.expr(&pair, fuel);
        if self.random.chance(2) {
            return Node::new(ty, "(@).0", vec![value]).is("tuple");
        }
        let name = self.name("c");
        Node::new(ty, &format!("(let ({name}, _) = @ in {name})"), vec![value]).is("tuple")
    }

    /// A value whose let has a claim beside it.
    pub(super) fn asserted(&mut self, ty: &Ty, fuel: usize) -> Node {
        let value = self.expr(ty, fuel);
        let (v, c) = (self.name("t"), self.name("c"));
        let var = Var::of(&v, ty, &value);
        let claim = self.with(vec![var], |g| g.expr(&INT, fuel.min(2)));
        let claim_text = if self.leave_out_guard() { format!("{c} % 3 != 0") } else { format!("{c} <= {c} + 0") };
        let text = format!("(let {v} = @ let {c} = @ assert({claim_text}, \"stated\") in {v})");
        Node::new(ty, &text, vec![value, claim]).is("assert")
    }
}
