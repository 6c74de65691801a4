//! Types and arguments of random programs.
//!
//! Arguments are small, with rows of 0, 1, 2 and more elements: rectangles, ragged rows, empty rows at every level. Now and then one has
//! a row of 300 beside empty ones, so that tiles are crossed. Sizes may be stated: `main_17[n, m](p1: [n][m]i64, p2: [n]bool)`.

use super::generate::{Generator, INT, Var};
use super::node::Node;
use super::types::Ty;

impl Generator {
    /// The records and enums of the program.
    pub(super) fn declare_types(&mut self) {
        if self.random.chance(3) {
            let count = 1 + self.random.below(3);
            let fields = (0..count).map(|_| self.ty(1)).collect();
            self.types.push(Ty::Record(format!("record_{}", self.number), fields));
        }
        if self.random.chance(2) {
            let arrays = self.random.chance(2);
            let variant = |g: &mut Self, k: usize| {
                let fields = (0..g.random.below(3)).map(|_| if arrays { g.ty(1) } else { g.scalar_ty() }).collect();
                (format!("kind_{}_{k}", g.number), fields)
            };
            let variants = (0..2 + self.random.below(2)).map(|k| variant(self, k)).collect();
            self.types.push(Ty::Enum(format!("kind_{}", self.number), variants));
        }
        let (scalar, other) = (self.scalar_ty(), self.ty(1));
        let mut usual = vec![INT, INT.array(), INT.array().array(), scalar.clone(), scalar.clone().array()];
        usual.extend([scalar.array().array(), other.clone(), other.clone().array()]);
        usual.extend(self.types.iter().flat_map(|t| [t.clone(), t.clone().array()]).collect::<Vec<_>>());
        if self.random.chance(3) {
            usual.push(INT.array().array().array());
        }
        if self.random.chance(3) {
            usual.push(Ty::Tuple(vec![INT, other.array()]));
        }
        self.usual = usual;
    }

    /// A random type in which arrays nest at most so deep.
    pub(super) fn ty(&mut self, depth: usize) -> Ty {
        if !self.usual.is_empty() && !self.random.chance(5) {
            let k = self.random.below(self.usual.len());
            if self.usual[k].depth() <= depth {
                return self.usual[k].clone();
            }
        }
        if !self.types.is_empty() && self.random.chance(6) {
            let k = self.random.below(self.types.len());
            if self.types[k].depth() <= depth {
                return self.types[k].clone();
            }
        }
        match self.random.below(if depth == 0 { 5 } else { 12 }) {
            0 | 1 => Ty::Int,
            2 => Ty::Float,
            3 => self.scalar_ty(),
            4 => Ty::Tuple(vec![self.scalar_ty(), self.scalar_ty()]),
            5 => Ty::Tuple(vec![self.ty(depth - 1), self.ty(depth - 1)]),
            6 if self.random.chance(2) => {
                let ty = self.ty(depth - 1);
                // An option of an option is an enum inside an enum: rare and slow to print, left out.
                if matches!(ty, Ty::Enum(..)) { ty } else { ty.option() }
            }
            _ => self.ty(depth - 1).array(),
        }
    }

    /// A random type, often that of a name in scope.
    pub(super) fn known_ty(&mut self, depth: usize) -> Ty {
        let known: Vec<Ty> = self.types_in_scope().filter(|t| t.depth() <= depth).collect();
        if known.is_empty() || self.random.chance(3) {
            return self.ty(depth);
        }
        known[self.random.below(known.len())].clone()
    }

    /// An array to go through: often one that has a name already.
    pub(super) fn source(&mut self, fuel: usize) -> (Ty, Node) {
        let known: Vec<Ty> = self.types_in_scope().filter_map(|t| t.elem().cloned()).collect();
        if fuel > 0 && self.random.chance(5) {
            let of = known.iter().find(|t| t.elem().is_some()).cloned().unwrap_or(INT.array());
            if let Some(rows) = self.shaped(&of.clone().array(), &of, fuel) {
                return (of, rows);
            }
        }
        if fuel > 0 && self.random.chance(12) {
            let of = known.first().cloned().unwrap_or(INT);
            let key = self.scalar_ty();
            let pair = Ty::Tuple(vec![key, of.array()]);
            return (pair.clone(), self.sorted(&pair.clone().array(), &pair, fuel));
        }
        if !known.is_empty() && !self.random.chance(5) {
            let of = known[self.random.below(known.len())].clone();
            let fuel = if self.random.chance(2) { 0 } else { fuel };
            return (of.clone(), self.expr(&of.array(), fuel));
        }
        let of = self.ty(2);
        (of.clone(), self.expr(&of.array(), fuel))
    }

    pub(super) fn scalar_ty(&mut self) -> Ty {
        match self.random.below(6) {
            0 => Ty::Float,
            1 => Ty::Bool,
            2 => Ty::Int32,
            _ => Ty::Int,
        }
    }

    pub(super) fn literal(&mut self, ty: &Ty) -> Node {
        let text = match ty {
            Ty::Int => match self.random.below(20) {
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

    /// A short array that is written down.
    pub(super) fn short_data(&mut self, ty: &Ty) -> Node {
        let shape = Shape::new(self, false);
        self.data(ty, &shape, 1)
    }

    /// A value for a parameter.
    fn data(&mut self, ty: &Ty, shape: &Shape, level: usize) -> Node {
        match ty {
            Ty::Array(elem) => {
                let n = shape.length(self, level, elem);
                let items: Vec<Node> = (0..n).map(|_| self.data(elem, shape, level + 1)).collect();
                Node::list(ty, items)
            }
            Ty::Tuple(parts) => {
                let items: Vec<Node> = parts.iter().map(|p| self.data(p, shape, level)).collect();
                Node::new(ty, &format!("({})", vec!["@"; items.len()].join(", ")), items)
            }
            Ty::Record(name, fields) => {
                let template: Vec<String> = (0..fields.len()).map(|k| format!("f{k} = @")).collect();
                let items: Vec<Node> = fields.iter().map(|p| self.data(p, shape, level)).collect();
                Node::new(ty, &format!("{name}{{{}}}", template.join(", ")), items)
            }
            Ty::Enum(_, variants) => {
                let (name, fields) = variants[self.random.below(variants.len())].clone();
                let items: Vec<Node> = fields.iter().map(|p| self.data(p, shape, level)).collect();
                if items.is_empty() {
                    return Node::leaf(ty, ty.plain_variant(&name));
                }
                Node::new(ty, &format!("{name}({})", vec!["@"; items.len()].join(", ")), items)
            }
            scalar => self.literal(scalar),
        }
    }

    /// Size names, and the parameters of the entry with their arguments.
    pub(super) fn make_params(&mut self) -> (Vec<String>, Vec<(String, String, Node)>) {
        let mut params = Vec::new();
        if self.random.chance(6) {
            return self.sized_params();
        }
        for k in 0..1 + self.random.below(3) {
            let mut ty = match self.random.below(20) {
                0 => self.scalar_ty().array().array().array().array(),
                _ => self.ty(3),
            };
            if k == 0 && !ty.has_array() {
                ty = ty.array();
            }
            let large = self.random.chance(10);
            let shape = Shape::new(self, large);
            let name = self.name("p");
            let data = self.data(&ty, &shape, 0);
            self.bind(Var::of(&name, &ty, &data));
            params.push((name, ty.to_string(), data));
        }
        (Vec::new(), params)
    }

    /// Two or three parameters whose types state their sizes.
    fn sized_params(&mut self) -> (Vec<String>, Vec<(String, String, Node)>) {
        let (n, m) = (self.random.below(5), self.random.below(4));
        let wrong = self.leave_out_guard();
        let mut params = Vec::new();
        let matrix = self.random.chance(2);
        for k in 0..2 + self.random.below(2) {
            let elem = self.scalar_ty();
            let name = self.name("p");
            let n = if wrong && k == 1 { n + 1 } else { n };
            let rows = matrix && k == 0;
            let (ty, text) = match rows {
                true => (elem.clone().array().array(), format!("[n][m]{elem}")),
                false => (elem.clone().array(), format!("[n]{elem}")),
            };
            let shape = Shape { lengths: Some(vec![n, m]), large: false, sparse: false };
            let data = self.data(&ty, &shape, 0);
            self.bind(Var::of(&name, &ty, &data));
            params.push((name, text, data));
        }
        let sizes: Vec<String> = if matrix { vec!["n".to_string(), "m".to_string()] } else { vec!["n".to_string()] };
        sizes.iter().for_each(|s| self.bind(Var::new(s, &INT)));
        (sizes, params)
    }
}

/// How long the arrays in an argument are.
pub(super) struct Shape {
    /// One length for each level: a rectangle.
    lengths: Option<Vec<usize>>,
    /// Whether one row has hundreds of elements.
    large: bool,
    /// Whether most rows are empty.
    sparse: bool,
}

impl Shape {
    fn new(g: &mut Generator, large: bool) -> Shape {
        let regular = !large && g.random.chance(3);
        let lengths = regular.then(|| (0..4).map(|_| g.random.below(4)).collect());
        Shape { lengths, large, sparse: g.random.chance(4) }
    }

    fn length(&self, g: &mut Generator, level: usize, elem: &Ty) -> usize {
        if let Some(lengths) = &self.lengths {
            return lengths[level.min(3)];
        }
        if self.large && !elem.has_array() {
            return match g.random.below(if level == 0 { 1 } else { 4 }) {
                0 => 257 + g.random.below(80),
                1 | 2 => 0,
                _ => g.random.below(4),
            };
        }
        match g.random.below(8) {
            0 => 0,
            1 if level == 0 => 6 + g.random.below(12),
            1 | 2 if self.sparse && level > 0 => 0,
            _ if level >= 2 => g.random.below(3),
            _ => g.random.below(5),
        }
    }
}
