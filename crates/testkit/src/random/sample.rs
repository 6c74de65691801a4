//! A random program: declared types, functions, one entry with its arguments.
//!
//! To make it smaller, functions, lets and parameters are dropped, stated sizes are taken back, and every expression and argument gets
//! smaller by itself (`node.rs`). Most of the results are no programs any more, since something is still used: the front end
//! says so, and the next one is tried.

use super::node::Node;
use super::types::Ty;
use std::collections::BTreeSet;
use std::fmt;

/// A function of a random program.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Everything up to the `=`, with stated sizes if it has them.
    pub head: String,
    /// The types of its parameters.
    pub params: Vec<Ty>,
    /// What it does.
    pub body: Node,
    /// Whether its arguments may have hundreds of elements.
    pub big: bool,
    /// How to call it.
    pub way: Way,
}

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// With anything.
    Plain,
    /// With a number of steps before the other arguments, which decides how deep it goes.
    Steps,
    /// With two arrays of one length.
    Equal,
    /// Only by other functions.
    Never,
}

/// A random program: definitions, and one entry with its arguments.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Distinguishes the names of several samples in one file.
    pub number: u64,
    /// The records and enums.
    pub types: Vec<Ty>,
    /// The functions beside the entry.
    pub functions: Vec<Function>,
    /// Size names of the entry.
    pub sizes: Vec<String>,
    /// Parameters of the entry: name, type as it is written, and the text of an argument.
    pub params: Vec<(String, String, Node)>,
    /// The lets of the entry.
    pub lets: Vec<(String, Node)>,
    /// The result.
    pub result: Node,
    /// Whether what fails may be met with other values on another engine, because it stands in a loop, a function or an operator.
    pub loose: bool,
}

impl Sample {
    /// The name of the entry.
    pub fn entry(&self) -> String {
        format!("main_{}", self.number)
    }

    /// The texts of the arguments.
    pub fn args(&self) -> Vec<String> {
        self.params.iter().map(|(_, _, n)| n.to_string()).collect()
    }

    fn nodes(&self) -> impl Iterator<Item = &Node> {
        let functions = self.functions.iter().map(|f| &f.body);
        let params = self.params.iter().map(|(_, _, n)| n);
        functions.chain(params).chain(self.lets.iter().map(|(_, n)| n)).chain([&self.result])
    }

    /// How large it is.
    pub fn size(&self) -> usize {
        let nodes: usize = self.nodes().map(|n| n.size() + 1).sum();
        nodes + self.types.len() + self.sizes.len()
    }

    /// The constructs in it.
    pub fn constructs(&self) -> BTreeSet<&'static str> {
        let mut out = BTreeSet::new();
        self.nodes().for_each(|n| n.constructs(&mut out));
        if !self.sizes.is_empty() {
            out.insert("stated sizes");
        }
        if self.params.iter().any(|(_, _, n)| n.big) {
            out.insert("large argument");
        }
        if self.nodes().any(|n| n.ty.depth() >= 4) {
            out.insert("nested four deep");
        }
        out
    }

    /// Smaller samples, large steps first.
    pub fn smaller(&self) -> Vec<Sample> {
        let mut out = Vec::new();
        let mut change = |f: &dyn Fn(&mut Sample)| {
            let mut copy = self.clone();
            f(&mut copy);
            out.push(copy);
        };
        for k in 0..self.functions.len() {
            change(&|s| drop(s.functions.remove(k)));
        }
        for k in (0..self.lets.len()).rev() {
            change(&|s| drop(s.lets.remove(k)));
            change(&|s| {
                s.result = self.lets[k].1.clone();
                s.lets.truncate(k);
            });
        }
        for k in 0..self.params.len() {
            change(&|s| drop(s.params.remove(k)));
        }
        for k in 0..self.types.len() {
            change(&|s| drop(s.types.remove(k)));
        }
        if !self.sizes.is_empty() {
            change(&|s| {
                s.sizes.clear();
                s.params.iter_mut().for_each(|(_, text, node)| *text = node.ty.to_string());
            });
        }
        for less in self.result.other().into_iter().chain(self.result.smaller()) {
            change(&|s| s.result = less.clone());
        }
        for (k, (_, node)) in self.lets.iter().enumerate() {
            node.smaller().iter().chain(&node.other()).for_each(|less| change(&|s| s.lets[k].1 = less.clone()));
        }
        for (k, function) in self.functions.iter().enumerate() {
            function.body.smaller().iter().for_each(|less| change(&|s| s.functions[k].body = less.clone()));
        }
        for (k, (_, _, node)) in self.params.iter().enumerate() {
            node.smaller().iter().for_each(|less| change(&|s| s.params[k].2 = less.clone()));
        }
        out.retain(|s| s.size() < self.size());
        out
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for declaration in self.types.iter().filter_map(Ty::declaration) {
            writeln!(f, "{declaration}")?;
        }
        for function in &self.functions {
            writeln!(f, "def {} =\n  {}", function.head, function.body)?;
        }
        let params: Vec<String> = self.params.iter().map(|(name, ty, _)| format!("{name}: {ty}")).collect();
        let sizes = if self.sizes.is_empty() { String::new() } else { format!("[{}]", self.sizes.join(", ")) };
        // Everything is given back: what nothing uses would not be compared.
        let names: Vec<String> = self.lets.iter().map(|(name, _)| name.clone()).collect();
        let mut types: Vec<String> = self.lets.iter().map(|(_, value)| value.ty.to_string()).collect();
        types.push(self.result.ty.to_string());
        let ty = if names.is_empty() { types.concat() } else { format!("({})", types.join(", ")) };
        writeln!(f, "entry {}{sizes}({}) -> {ty} =", self.entry(), params.join(", "))?;
        for (name, value) in &self.lets {
            writeln!(f, "  let {name} = {value}")?;
        }
        match names.as_slice() {
            [] => writeln!(f, "  {}", self.result),
            names => writeln!(f, "  in ({}, {})", names.join(", "), self.result),
        }
    }
}
