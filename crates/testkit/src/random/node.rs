//! Program text as a tree, so that it can be taken apart again.
//!
//! ```text
//! Node { i64, "(", Node { i64, "x" }, " + ", Node { i64, "len(", Node { []i64, "xs" }, ")" }, ")" }     prints as  (x + len(xs))
//! ```
//!
//! A node knows its type and nothing else about the language. To make a program smaller, a node is replaced by a part of
//! itself that has the same type, or by a literal; whether names are still bound is left to the front end, which refuses
//! what is not. That is all the shrinker needs.

use std::fmt;

/// The types that random programs use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `i64`
    Int,
    /// `i32`
    Int32,
    /// `f64`
    Float,
    /// `bool`
    Bool,
    /// A tuple.
    Tuple(Vec<Ty>),
    /// An array.
    Array(Box<Ty>),
}

impl Ty {
    /// The array of this.
    pub fn array(self) -> Ty {
        Ty::Array(Box::new(self))
    }

    /// A small value of the type.
    pub fn default_text(&self) -> String {
        match self {
            Ty::Int => "1".to_string(),
            Ty::Int32 => "1i32".to_string(),
            Ty::Float => "0.5".to_string(),
            Ty::Bool => "true".to_string(),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(Ty::default_text).collect::<Vec<_>>().join(", ")),
            Ty::Array(elem) => format!("replicate(0, {})", elem.default_text()),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int => f.write_str("i64"),
            Ty::Int32 => f.write_str("i32"),
            Ty::Float => f.write_str("f64"),
            Ty::Bool => f.write_str("bool"),
            Ty::Tuple(parts) => {
                write!(f, "({})", parts.iter().map(Ty::to_string).collect::<Vec<_>>().join(", "))
            }
            Ty::Array(elem) => write!(f, "[]{elem}"),
        }
    }
}

/// A piece of program text with a type.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its type.
    pub ty: Ty,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Child(Node),
}

impl Node {
    /// A node that is this text.
    pub fn leaf(ty: &Ty, text: impl Into<String>) -> Node {
        Node { ty: ty.clone(), parts: vec![Part::Text(text.into())] }
    }

    /// A node from a template in which every `@` stands for the next child.
    pub fn new(ty: &Ty, template: &str, children: Vec<Node>) -> Node {
        let mut parts = Vec::new();
        let mut children = children.into_iter();
        for (k, text) in template.split('@').enumerate() {
            if k > 0 {
                parts.push(Part::Child(children.next().expect("one child for each @")));
            }
            parts.push(Part::Text(text.to_string()));
        }
        Node { ty: ty.clone(), parts }
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    fn children(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().filter_map(|p| match p {
            Part::Child(c) => Some(c),
            Part::Text(_) => None,
        })
    }

    /// Smaller nodes of the same type: every way to replace one node in it by a part of that node or by a literal.
    /// Large steps come first.
    pub fn smaller(&self) -> Vec<Node> {
        let mut out = Vec::new();
        let mut inside = Vec::new();
        self.children().for_each(|c| c.of_type(&self.ty, &mut inside));
        inside.sort_by_key(|n| n.size());
        out.extend(inside);
        if self.size() > 1 {
            out.insert(0, Node::leaf(&self.ty, self.ty.default_text()));
        }
        for (k, part) in self.parts.iter().enumerate() {
            if let Part::Child(child) = part {
                for less in child.smaller() {
                    let mut copy = self.clone();
                    copy.parts[k] = Part::Child(less);
                    out.push(copy);
                }
            }
        }
        out
    }

    fn of_type(&self, ty: &Ty, out: &mut Vec<Node>) {
        if self.ty == *ty {
            out.push(self.clone());
        }
        self.children().for_each(|c| c.of_type(ty, out));
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|p| match p {
            Part::Text(t) => f.write_str(t),
            Part::Child(c) => c.fmt(f),
        })
    }
}

/// A random program: definitions, and one entry with its arguments.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Distinguishes the names of several samples in one file.
    pub number: u64,
    /// The helper functions: everything up to the `=`, and the body.
    pub helpers: Vec<(String, Node)>,
    /// Parameters of the entry, and the text of an argument for each.
    pub params: Vec<(String, Node)>,
    /// The lets of the entry.
    pub lets: Vec<(String, Node)>,
    /// The result.
    pub result: Node,
}

impl Sample {
    /// The name of the entry.
    pub fn entry(&self) -> String {
        format!("main_{}", self.number)
    }

    /// The texts of the arguments.
    pub fn args(&self) -> Vec<String> {
        self.params.iter().map(|(_, n)| n.to_string()).collect()
    }

    /// How large it is.
    pub fn size(&self) -> usize {
        let nodes = self.helpers.iter().chain(&self.params).chain(&self.lets).map(|(_, n)| n.size() + 1);
        nodes.sum::<usize>() + self.result.size()
    }

    /// Smaller samples, large steps first.
    pub fn smaller(&self) -> Vec<Sample> {
        let mut out = Vec::new();
        for k in 0..self.helpers.len() {
            let mut copy = self.clone();
            copy.helpers.remove(k);
            out.push(copy);
        }
        for k in (0..self.lets.len()).rev() {
            let mut copy = self.clone();
            copy.lets.remove(k);
            out.push(copy);
            let mut early = self.clone();
            early.result = Node::leaf(&self.lets[k].1.ty, self.lets[k].0.clone());
            early.lets.truncate(k + 1);
            out.push(early);
        }
        for k in 0..self.params.len() {
            let mut copy = self.clone();
            copy.params.remove(k);
            out.push(copy);
        }
        for less in self.result.smaller() {
            out.push(Sample { result: less, ..self.clone() });
        }
        for (k, (_, node)) in self.lets.iter().enumerate() {
            for less in node.smaller() {
                let mut copy = self.clone();
                copy.lets[k].1 = less;
                out.push(copy);
            }
        }
        for (k, (_, node)) in self.helpers.iter().enumerate() {
            for less in node.smaller() {
                let mut copy = self.clone();
                copy.helpers[k].1 = less;
                out.push(copy);
            }
        }
        for (k, (_, node)) in self.params.iter().enumerate() {
            for less in node.smaller() {
                let mut copy = self.clone();
                copy.params[k].1 = less;
                out.push(copy);
            }
        }
        out.retain(|s| s.size() < self.size());
        out
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (head, body) in &self.helpers {
            writeln!(f, "def {head} =\n  {body}")?;
        }
        let params: Vec<String> = self.params.iter().map(|(name, n)| format!("{name}: {}", n.ty)).collect();
        writeln!(f, "entry {}({}) -> {} =", self.entry(), params.join(", "), self.result.ty)?;
        for (name, value) in &self.lets {
            writeln!(f, "  let {name} = {value}")?;
        }
        let lead = if self.lets.is_empty() { "" } else { "in " };
        writeln!(f, "  {lead}{}", self.result)
    }
}
