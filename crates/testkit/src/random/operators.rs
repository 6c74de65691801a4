//! Associative operators with their neutral elements, for `reduce`, `scan` and `hist`.
//!
//! On numbers, on tuples component by component, operators that do not commute (affine maps, the first that is there), on arrays
//! (concatenation, element by element, the product of matrices, merging), with loops and parallel code inside. Where
//! an operator is lawful on some values only, elements are brought into that form first.

use super::generate::Generator;
use super::node::Node;
use super::types::Ty;

/// An operator.
pub(super) struct Operator {
    pub(super) text: String,
    pub(super) neutral: String,
    /// How an element `x` is brought into the form that the operator is lawful on.
    normal: Option<&'static str>,
    pub(super) kind: &'static str,
}

impl Operator {
    fn new(text: &str, neutral: &str) -> Operator {
        Operator { text: text.to_string(), neutral: neutral.to_string(), normal: None, kind: "" }
    }

    fn on(mut self, normal: &'static str) -> Operator {
        self.normal = Some(normal);
        self
    }

    fn is(mut self, kind: &'static str) -> Operator {
        self.kind = kind;
        self
    }

    /// The array `xs` with its elements in that form.
    pub(super) fn normal(&self, xs: &str) -> String {
        match self.normal {
            Some(form) => format!("[{form} for x in {xs}]"),
            None => xs.to_string(),
        }
    }
}

const LEAST: &str = "(-9223372036854775807 - 1)";
const GCD: &str = "|a, b| (let (r, _) = (loop (c, d) = (a, b) while d != 0 do (d, c % d)) in r)";
const SMALL: &str = "f64(i64(8.0 * x) % 64) / 8.0";
const PRODUCT: &str = "|a, b| [a[i / 2 * 2] * b[i % 2] + a[i / 2 * 2 + 1] * b[2 + i % 2] for i < 4]";
const NESTED: &str = "|a, b| [sum([a[i / 2 * 2 + k] * b[2 * k + i % 2] for k < 2]) for i < 4]";
const CLAIM: &str = "|a, b| (let m = max(a, b) assert(a < 9 && b < 9, \"small\") in m)";
const FOUR: &str = "[if i < len(x) then x[i] else i for i < 4]";

impl Generator {
    pub(super) fn operator(&mut self, ty: &Ty) -> Option<Operator> {
        Some(match ty {
            Ty::Int => match self.random.below(9) {
                0 | 1 => Operator::new("(+)", "0"),
                2 => Operator::new("(*)", "1"),
                3 => Operator::new("max", LEAST),
                4 => Operator::new("min", "9223372036854775807"),
                5 => Operator::new("(^)", "0"),
                6 => Operator::new("(&)", "-1"),
                7 => Operator::new(GCD, "0").on("x % 1000").is("operator with a loop"),
                _ => Operator::new("|a, b| if b == 0 then a else b", "0").is("operator that does not commute"),
            },
            Ty::Int32 => Operator::new("(+)", "0i32"),
            Ty::Float => match self.random.below(3) {
                0 => Operator::new("max", "(-1.0 / 0.0)").on(SMALL),
                1 => Operator::new("min", "(1.0 / 0.0)").on(SMALL),
                _ => Operator::new("(+)", "0.0").on(SMALL),
            },
            Ty::Bool => match self.random.below(3) {
                0 => Operator::new("|a, b| a && b", "true"),
                1 => Operator::new("|a, b| a || b", "false"),
                _ => Operator::new("|a, b| a != b", "false"),
            },
            Ty::Tuple(parts) => return self.tuple_operator(&parts.clone()),
            Ty::Record(name, fields) => return self.record_operator(&name.clone(), &fields.clone()),
            Ty::Enum(name, _) if name.starts_with("option[") => {
                let text = "|a, b| match a { some(_) => a, none => b }";
                Operator::new(text, &format!("(let o: {ty} = none in o)")).is("operator that does not commute")
            }
            Ty::Enum(..) => return None,
            Ty::Array(elem) => return Some(self.array_operator(elem.as_ref(), &ty.default_text())),
        })
    }

    fn tuple_operator(&mut self, parts: &[Ty]) -> Option<Operator> {
        if parts == [Ty::Int, Ty::Int] && self.random.chance(2) {
            let affine = Operator::new("|(a, b), (c, d)| (a * c, b * c + d)", "(1, 0)");
            return Some(affine.is("operator that does not commute"));
        }
        if parts == [Ty::Bool, Ty::Int] && self.random.chance(2) {
            let segmented = Operator::new("|(f, a), (g, b)| (f || g, if g then b else a + b)", "(false, 0)");
            return Some(segmented.is("operator that does not commute"));
        }
        let each = parts.iter().map(|p| self.plain_operator(p)).collect::<Option<Vec<_>>>()?;
        let names = |stem: &str| (0..each.len()).map(|k| format!("{stem}{k}")).collect::<Vec<_>>().join(", ");
        let results: Vec<String> =
            each.iter().enumerate().map(|(k, (f, _))| f(&format!("a{k}"), &format!("b{k}"))).collect();
        let neutral: Vec<&str> = each.iter().map(|(_, neutral)| *neutral).collect();
        let text = format!("|({}), ({})| ({})", names("a"), names("b"), results.join(", "));
        Some(Operator::new(&text, &format!("({})", neutral.join(", "))).is("operator on tuples"))
    }

    fn record_operator(&mut self, name: &str, fields: &[Ty]) -> Option<Operator> {
        let each = fields.iter().map(|p| self.plain_operator(p)).collect::<Option<Vec<_>>>()?;
        let field = |k: usize, value: String| format!("f{k} = {value}");
        let results = each.iter().enumerate().map(|(k, (f, _))| field(k, f(&format!("a.f{k}"), &format!("b.f{k}"))));
        let results: Vec<String> = results.collect();
        let neutral: Vec<String> = each.iter().enumerate().map(|(k, (_, n))| field(k, n.to_string())).collect();
        let text = format!("|a, b| {name}{{{}}}", results.join(", "));
        Some(Operator::new(&text, &format!("{name}{{{}}}", neutral.join(", "))).is("operator on tuples"))
    }

    /// An operator that is lawful on all values of a scalar type, as a way to combine two texts.
    #[allow(clippy::type_complexity)]
    fn plain_operator(&mut self, ty: &Ty) -> Option<(fn(&str, &str) -> String, &'static str)> {
        Some(match ty {
            Ty::Int if self.random.chance(2) => (|a, b| format!("max({a}, {b})"), LEAST),
            Ty::Int => (|a, b| format!("{a} + {b}"), "0"),
            Ty::Int32 => (|a, b| format!("{a} + {b}"), "0i32"),
            Ty::Bool => (|a, b| format!("({a} != {b})"), "false"),
            Ty::Float => (|a, b| format!("(if precedes({a}, {b}) then {b} else {a})"), "(-1.0 / 0.0)"),
            _ => return None,
        })
    }

    fn array_operator(&mut self, elem: &Ty, empty: &str) -> Operator {
        let kind = "operator on arrays";
        match self.random.below(if *elem == Ty::Int { 9 } else { 4 }) {
            0 | 1 => Operator::new("(++)", empty).is(kind),
            2 => Operator::new("|a, b| if len(a) > 0 then a else b", empty).is(kind),
            3 => Operator::new("|a, b| if len(b) > len(a) then b else a", empty).is(kind),
            4 | 5 => {
                let three = "[if i < len(x) then x[i] else 0 for i < 3]";
                Operator::new("|a, b| [c + d for c in a, d in b]", "[0, 0, 0]").on(three).is("parallel operator")
            }
            6 => Operator::new(PRODUCT, "[1, 0, 0, 1]").on(FOUR).is("parallel operator"),
            7 => Operator::new(NESTED, "[1, 0, 0, 1]").on(FOUR).is("parallel operator"),
            _ => Operator::new("|a, b| sort(a ++ b)", empty).on("sort(x)").is("parallel operator"),
        }
    }

    /// All elements combined.
    pub(super) fn reduced(&mut self, ty: &Ty, fuel: usize) -> Option<Node> {
        let operator = self.operator(ty)?;
        let xs = self.expr(&ty.clone().array(), fuel);
        Some(self.combined(ty, "reduce", operator, xs))
    }

    /// All prefixes combined.
    pub(super) fn scanned(&mut self, ty: &Ty, elem: &Ty, fuel: usize) -> Node {
        let Some(operator) = self.operator(elem) else { return self.map(ty, elem, fuel) };
        let xs = self.without_big(|g| g.expr(ty, fuel));
        let f = if self.random.chance(4) { "exscan" } else { "scan" };
        self.combined(ty, f, operator, xs)
    }

    fn combined(&mut self, ty: &Ty, f: &'static str, operator: Operator, xs: Node) -> Node {
        let name = self.name("e");
        let normal = operator.normal(&name);
        // A claim about both sides is met in every grouping, if there are two elements at least.
        let elem = if f == "reduce" { Some(ty) } else { ty.elem() };
        if operator.text == "max" && elem == Some(&Ty::Int) && self.in_waves(|g| g.leave_out_guard()) {
            let text = format!("(let {name} = [1, 2] ++ @ in {f}({CLAIM}, {LEAST}, {name}))");
            return Node::new(ty, &text, vec![xs]).is(if f == "reduce" { "reduce" } else { "scan" });
        }
        let text = format!("(let {name} = @ in {f}({}, {}, {normal}))", operator.text, operator.neutral);
        let outer = Node::new(ty, &text, vec![xs]).is(if f == "reduce" { "reduce" } else { "scan" });
        match operator.kind {
            "" => outer,
            kind => Node::new(ty, "@", vec![outer]).is(kind),
        }
    }
}
