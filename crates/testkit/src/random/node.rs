//! Program text as a tree, so that it can be taken apart again.
//!
//! ```text
//! Node { i64, "(", Node { i64, "x" }, " + ", Node { i64, "len(", Node { []i64, "xs" }, ")" }, ")" }     prints as  (x + len(xs))
//! ```
//!
//! A node knows its type, which construct it is an example of, and nothing else about the language. To make a program
//! smaller, a node is replaced by a part of itself that has the same type, or by a literal, and lists lose elements; whether
//! names are still bound is left to the front end, which refuses what is not. That is all the shrinker needs.

use super::types::Ty;
use std::collections::BTreeSet;
use std::fmt;

/// A piece of program text with a type.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its type.
    pub ty: Ty,
    /// The construct that it is an example of; empty for what is not counted.
    pub kind: &'static str,
    /// Whether it may have hundreds of elements.
    pub big: bool,
    /// How its type follows from that of a child.
    follows: Follows,
    parts: Vec<Part>,
}

/// How the type of a node follows from the type of one of its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// It does not.
    No,
    /// It is that of the child.
    Same(usize),
    /// It is an array of that.
    Array(usize),
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Child(Node),
    /// Any number of nodes with commas between.
    Items(Vec<Node>),
}

impl Node {
    /// A node that is this text.
    pub fn leaf(ty: &Ty, text: impl Into<String>) -> Node {
        Node { ty: ty.clone(), kind: "", big: false, follows: Follows::No, parts: vec![Part::Text(text.into())] }
    }

    /// A node from a template in which every `@` stands for the next child.
    pub fn new(ty: &Ty, template: &str, children: Vec<Node>) -> Node {
        let mut parts = Vec::new();
        let big = ty.has_array() && children.iter().any(|c| c.big);
        let mut children = children.into_iter();
        for (k, text) in template.split('@').enumerate() {
            if k > 0 {
                parts.push(Part::Child(children.next().expect("one child for each @")));
            }
            if !text.is_empty() {
                parts.push(Part::Text(text.to_string()));
            }
        }
        Node { ty: ty.clone(), kind: "", big, follows: Follows::No, parts }
    }

    /// An array of these elements.
    pub fn list(ty: &Ty, items: Vec<Node>) -> Node {
        if items.is_empty() {
            return Node::leaf(ty, ty.default_text());
        }
        let big = items.len() > 40 || items.iter().any(|i| i.big);
        let bracket = |text: &str| Part::Text(text.to_string());
        Node {
            ty: ty.clone(),
            kind: "",
            big,
            follows: Follows::No,
            parts: vec![bracket("["), Part::Items(items), bracket("]")],
        }
    }

    /// The same, as an example of a construct.
    pub fn is(mut self, kind: &'static str) -> Node {
        self.kind = kind;
        self
    }

    /// The same; its type is that of a child.
    pub fn as_child(mut self, child: usize) -> Node {
        self.follows = Follows::Same(child);
        self
    }

    /// The same; it is an array of what a child is.
    pub fn as_array_of(mut self, child: usize) -> Node {
        self.follows = Follows::Array(child);
        self
    }

    /// Nodes of other types that are left where parts of it are: for places where any type will do.
    pub fn other(&self) -> Vec<Node> {
        let mut out: Vec<Node> = self.children().cloned().collect();
        out.sort_by_key(Node::size);
        let at = match self.follows {
            Follows::No => return out,
            Follows::Same(k) | Follows::Array(k) => k,
        };
        let places = self.parts.iter().enumerate().filter(|(_, p)| matches!(p, Part::Child(_)));
        let Some(place) = places.map(|(k, _)| k).nth(at) else { return out };
        if let Part::Child(child) = &self.parts[place] {
            for less in child.other() {
                let ty = if self.follows == Follows::Same(at) { less.ty.clone() } else { less.ty.clone().array() };
                let mut copy = self.clone();
                copy.parts[place] = Part::Child(less);
                out.push(Node { ty, ..copy });
            }
        }
        out
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    /// The constructs in it.
    pub fn constructs(&self, out: &mut BTreeSet<&'static str>) {
        if !self.kind.is_empty() {
            out.insert(self.kind);
        }
        self.children().for_each(|c| c.constructs(out));
    }

    fn children(&self) -> impl Iterator<Item = &Node> {
        self.parts.iter().flat_map(|p| match p {
            Part::Child(c) => std::slice::from_ref(c),
            Part::Items(items) => items.as_slice(),
            Part::Text(_) => &[],
        })
    }

    /// Smaller nodes of the same type: every way to replace one node in it by a part of that node or by a literal, or to
    /// take elements out of a list. Large steps come first.
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
            let mut replace = |part: Part| {
                let mut copy = self.clone();
                copy.parts[k] = part;
                out.push(copy);
            };
            match part {
                Part::Text(_) => {}
                Part::Child(child) => child.smaller().into_iter().for_each(|less| replace(Part::Child(less))),
                Part::Items(items) => {
                    fewer(items).into_iter().for_each(|less| replace(Part::Items(less)));
                    for (i, item) in items.iter().enumerate().filter(|_| items.len() <= 12) {
                        for less in item.smaller() {
                            let mut items = items.clone();
                            items[i] = less;
                            replace(Part::Items(items));
                        }
                    }
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

/// The list without some of its elements, at least one of which stays: halves, quarters, … and single ones.
fn fewer(items: &[Node]) -> Vec<Vec<Node>> {
    let mut out = Vec::new();
    let mut step = items.len() / 2;
    while step > 0 && (step > 1 || items.len() <= 12) {
        for from in (0..items.len()).step_by(step) {
            let to = (from + step).min(items.len());
            out.push([&items[..from], &items[to..]].concat());
        }
        step /= 2;
    }
    out.retain(|left| !left.is_empty());
    out
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|p| match p {
            Part::Text(t) => f.write_str(t),
            Part::Child(c) => c.fmt(f),
            Part::Items(items) => items.iter().enumerate().try_for_each(|(k, item)| {
                let comma = if k > 0 { ", " } else { "" };
                write!(f, "{comma}{item}")
            }),
        })
    }
}
