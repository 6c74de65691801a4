//! The signature of a function: for all sizes of its parameters there exist sizes of its result.
//!
//! ```text
//! def mv(xss: [][]f64, ys: []f64) = [[x * y for x in xs, y in ys] for xs in xss]
//!
//! mv[n, m](xss: [n][m]f64, ys: [m]f64) -> [n][m]f64
//!
//! keep[n](xs: [n]f64) -> ?[m]. [m]f64
//!   where m <= n
//! ```
//!
//! It says what is known when the function has come back (000, section 3): sizes that every successful run found equal have one name. Names that the
//! program declares are kept, others are made up: `n`, `m`, … for sizes and `k`, `l`, … for the lengths of rows that may differ. Other facts
//! that every successful run establishes are the lines below, without those that hold of all sizes anyway or follow from lines above.

use super::Analysis;
use super::symbols::applied;
use super::walk::{Fact, Limits, Walk};
use super::words::{Definitions, Words};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use terrace_algebra::{Assumptions, Atom, Claim, Size, SizeFun, SizeVar};
use terrace_base::IdVec;
use terrace_ir::core::{Function, Program, Type};
use terrace_ir::shape::{POSITIONS, Shape, Step, Symbol, SymbolId, as_symbol, position, symbols_of};
use terrace_ir::{FuncId, ValueId};

const MOST_FACTS: usize = 6;

/// What is known at the end of a function: enough to write its signature when somebody asks for it.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    symbols: IdVec<SymbolId, Symbol>,
    params: Vec<Shape>,
    result: Shape,
    facts: Vec<Fact>,
    limits: Vec<(SymbolId, Limits)>,
    /// Names that the program declares for sizes.
    declared: Vec<(SymbolId, String)>,
}

impl Sketch {
    /// The declared names by the symbols of another walk over the function.
    pub(super) fn declared_in(&self, symbols: &IdVec<SymbolId, Symbol>) -> BTreeMap<SymbolId, String> {
        let names: BTreeMap<&Symbol, &String> =
            self.declared.iter().map(|(s, name)| (&self.symbols[*s], name)).collect();
        symbols.enumerate().filter_map(|(id, symbol)| Some((id, (*names.get(symbol)?).clone()))).collect()
    }
}

/// A function's type with sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    /// The name in the source.
    pub name: String,
    /// The sizes and size functions that a caller may choose.
    pub sizes: Vec<String>,
    /// Names and types.
    pub params: Vec<(String, String)>,
    /// The sizes that only the function knows.
    pub exists: Vec<String>,
    /// The type of the result.
    pub result: String,
    /// What else every successful run establishes.
    pub facts: Vec<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let brackets = if self.sizes.is_empty() { String::new() } else { format!("[{}]", self.sizes.join(", ")) };
        let params: Vec<String> = self.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let exists = if self.exists.is_empty() { String::new() } else { format!("?[{}]. ", self.exists.join(", ")) };
        write!(f, "{}{brackets}({}) -> {exists}{}", self.name, params.join(", "), self.result)?;
        self.facts.iter().try_for_each(|fact| write!(f, "\n  where {fact}"))
    }
}

impl Walk<'_> {
    /// What the signature is made from, when the body has been walked.
    pub(super) fn sketch(&mut self, result: &Shape) -> Sketch {
        let params: Vec<Shape> =
            self.function.params.iter().map(|p| self.known.resolve_shape(&self.shapes[p])).collect();
        let result = self.known.resolve_shape(result);
        let resolved = |fact: &Fact| Fact {
            claim: fact.claim.map(&|s| self.known.resolve(s)),
            ranges: fact.ranges.iter().map(|s| self.known.resolve(s)).collect(),
        };
        let facts = self.established.iter().map(resolved).collect();
        let mut named = BTreeSet::new();
        result.sizes(0, &mut |_, size| named.extend(symbols_of(size)));
        let limits = self.limits_of(&named);
        let declared = self.declared_names();
        Sketch { symbols: self.symbols.table.clone(), params, result, facts, limits, declared }
    }

    /// The bounds of some symbols, and of all others that turned out to be equal to one of them.
    fn limits_of(&self, named: &BTreeSet<SymbolId>) -> Vec<(SymbolId, Limits)> {
        let mut all = Vec::new();
        for (symbol, known) in &self.limits {
            let path = match &self.symbols.table[*symbol] {
                Symbol::Length(_, path) | Symbol::Integer(_, path) => path,
                _ => continue,
            };
            let resolved = self.known.resolve(&super::symbols::at_place(*symbol, path));
            let Some((stands_for, args)) = as_symbol(&resolved) else { continue };
            if named.contains(&stands_for) && args.iter().enumerate().all(|(k, a)| *a == position(k)) {
                let tidy = |bound: &Option<Size>| bound.as_ref().map(|b| self.without_surplus(&self.known.resolve(b)));
                all.push((stands_for, Limits { low: tidy(&known.low), high: tidy(&known.high) }));
            }
        }
        all
    }

    /// A minimum or maximum of which one part is known to be the one.
    fn without_surplus(&self, size: &Size) -> Size {
        let (args, least) = match size.as_atom() {
            Some(Atom::Min(args)) => (args, true),
            Some(Atom::Max(args)) => (args, false),
            _ => return size.clone(),
        };
        let wins = |a: &Size, b: &Size| {
            let claim = if least { Claim::Le(a.clone(), b.clone()) } else { Claim::Le(b.clone(), a.clone()) };
            a == b || self.known.proves_claim(&claim)
        };
        args.iter().find(|a| args.iter().all(|b| wins(a, b))).unwrap_or(size).clone()
    }

    /// The size names in the types of the parameters, and what they turned out to be.
    pub(super) fn declared_names(&mut self) -> Vec<(SymbolId, String)> {
        let mut values = Vec::new();
        for param in &self.function.params {
            names_in(&self.function.values[*param].ty, &mut values);
        }
        let mut names: Vec<(SymbolId, String)> = Vec::new();
        for (value, fun) in values {
            if self.function.params.contains(&value) {
                continue;
            }
            let name = self.function.values[value].name.clone();
            let size = match (fun, self.shapes.get(&value)) {
                (_, Some(Shape::Integer(size))) => self.known.resolve(size),
                (true, Some(Shape::Array(_, elem))) => match elem.integer() {
                    Some(size) => self.known.resolve(size),
                    None => continue,
                },
                _ => continue,
            };
            if let Some((symbol, args)) = as_symbol(&size)
                && args.iter().enumerate().all(|(k, a)| *a == position(k))
                && names.iter().all(|(s, n)| *s != symbol && *n != name)
            {
                names.push((symbol, name));
            }
        }
        names
    }
}

/// The values that the sizes of a type mention, and whether as functions.
fn names_in(ty: &Type, out: &mut Vec<(ValueId, bool)>) {
    match ty {
        Type::Scalar(_) => {}
        Type::Tuple(types) => types.iter().for_each(|t| names_in(t, out)),
        Type::Sum(variants) => variants.iter().flat_map(|v| &v.fields).for_each(|t| names_in(t, out)),
        Type::Array(array) => {
            if let Some(length) = &array.length {
                out.extend(length.vars().into_iter().map(|v| (terrace_ir::value_of(v), false)));
                out.extend(length.funs().into_iter().map(|f| (ValueId::new(f.0 as usize), true)));
            }
            names_in(&array.elem, out);
        }
    }
}

impl Analysis {
    /// The signature of a function with the sizes that were found.
    pub fn signature(&self, program: &Program, f: FuncId) -> Signature {
        let function = &program.functions[f];
        let definitions = Definitions::new(program, function);
        let mut signature = Signature {
            name: function.source.clone(),
            sizes: Vec::new(),
            params: Vec::new(),
            exists: Vec::new(),
            result: String::new(),
            facts: Vec::new(),
        };
        let Some(sketch) = self.sketches.get(&f) else { return signature };
        let mut writer = Writer::new(function, sketch, &definitions, &self.shapes.functions[f].values);
        for (param, shape) in function.params.iter().zip(&sketch.params) {
            writer.name_all(shape, &function.values[*param].ty, &mut signature.sizes);
            let ty = writer.ty(&function.values[*param].ty, shape, &mut Vec::new());
            signature.params.push((function.values[*param].name.clone(), ty));
        }
        writer.name_all(&sketch.result, &function.result, &mut signature.exists);
        signature.result = writer.ty(&function.result, &sketch.result, &mut Vec::new());
        signature.facts = writer.facts(function);
        signature
    }
}

struct Writer<'s, 'p> {
    sketch: &'s Sketch,
    words: Words<'s, 'p>,
    taken: BTreeSet<String>,
}

impl<'s, 'p> Writer<'s, 'p> {
    fn new(
        function: &'p Function,
        sketch: &'s Sketch,
        definitions: &'s Definitions<'p>,
        shapes: &'s BTreeMap<ValueId, Shape>,
    ) -> Writer<'s, 'p> {
        let mut taken: BTreeSet<String> = function.params.iter().map(|p| function.values[*p].name.clone()).collect();
        taken.extend(sketch.declared.iter().map(|(_, name)| name.clone()));
        let words =
            Words { definitions, symbols: &sketch.symbols, shapes, given: BTreeMap::new(), steady: Default::default() };
        Writer { sketch, words, taken }
    }

    /// Names the symbols in the lengths of a shape that have no name yet.
    fn name_all(&mut self, shape: &Shape, ty: &Type, out: &mut Vec<String>) {
        let mut lengths = Vec::new();
        lengths_of(shape, ty, &mut lengths);
        self.find_steady(&lengths);
        for size in lengths {
            for symbol in symbols_of(size) {
                if symbol.index() < POSITIONS
                    || self.words.given.contains_key(&symbol)
                    || self.is_integer_parameter(symbol)
                {
                    continue;
                }
                let name = self.new_name(symbol, size);
                out.push(name.clone());
                self.words.given.insert(symbol, name);
            }
        }
    }

    /// Size functions that are only ever asked about the first row: it stands for all of them.
    fn find_steady(&mut self, lengths: &[&Size]) {
        let mut first: BTreeMap<SymbolId, bool> = BTreeMap::new();
        for size in lengths {
            applications(size, &mut |fun, args| {
                *first.entry(SymbolId::new(fun.0 as usize)).or_insert(true) &= args.iter().all(Size::is_zero);
            });
        }
        let new = first.into_iter().filter(|(s, steady)| *steady && !self.words.given.contains_key(s));
        self.words.steady.extend(new.map(|(s, _)| s));
    }

    fn is_integer_parameter(&self, symbol: SymbolId) -> bool {
        match &self.sketch.symbols[symbol] {
            Symbol::Integer(value, path) => {
                self.words.definitions.function.params.contains(value)
                    && path.iter().all(|s| !matches!(s, Step::Variant(..)))
            }
            _ => false,
        }
    }

    fn new_name(&mut self, symbol: SymbolId, size: &Size) -> String {
        if let Some((_, name)) = self.sketch.declared.iter().find(|(s, _)| *s == symbol) {
            return name.clone();
        }
        let function = size.funs().contains(&SizeFun(symbol.index() as u32)) && !self.words.steady.contains(&symbol);
        let letters: &[&str] = if function { &["k", "h", "g", "f"] } else { &["n", "m", "p", "q", "r", "s", "u", "v"] };
        let mut names = letters.iter().map(|l| l.to_string()).chain((1..).map(|k| format!("{}{k}", letters[0])));
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A type with its lengths; `positions` are the names of the positions of the arrays around.
    fn ty(&self, ty: &Type, shape: &Shape, positions: &mut Vec<String>) -> String {
        match (ty, shape) {
            (Type::Scalar(s), _) => s.name().to_string(),
            (Type::Tuple(types), Shape::Tuple(parts)) => {
                let all: Vec<String> = types.iter().zip(parts).map(|(t, s)| self.ty(t, s, positions)).collect();
                format!("({})", all.join(", "))
            }
            (Type::Array(array), Shape::Array(length, elem)) => {
                let depth = positions.len();
                let mut mentioned = false;
                let mut inner = Vec::new();
                lengths_of(elem, &array.elem, &mut inner);
                inner.iter().for_each(|size| mentioned |= size.vars().contains(&SizeVar(depth as u32)));
                let length = self.size(length, positions);
                let letter = self.letter(positions);
                positions.push(letter.clone());
                let elem = self.ty(&array.elem, elem, positions);
                positions.pop();
                if mentioned { format!("[{letter} < {length}]{elem}") } else { format!("[{length}]{elem}") }
            }
            (Type::Sum(variants), Shape::Sum(shapes)) => {
                let mut all = Vec::new();
                for (variant, fields) in variants.iter().zip(shapes) {
                    let fields: Vec<String> =
                        variant.fields.iter().zip(fields).map(|(t, s)| self.ty(t, s, positions)).collect();
                    let held = if fields.is_empty() { String::new() } else { format!("({})", fields.join(", ")) };
                    all.push(format!("{}{held}", variant.name));
                }
                all.join(" | ")
            }
            _ => "_".to_string(),
        }
    }

    fn letter(&self, positions: &[String]) -> String {
        let letters = ["i", "j", "p", "q", "r"].iter().map(|l| l.to_string()).chain((0..).map(|k| format!("i{k}")));
        let mut free = letters.filter(|l| !self.taken.contains(l) && !positions.contains(l));
        free.next().unwrap_or_default()
    }

    fn size(&self, size: &Size, positions: &[String]) -> String {
        let words = Words {
            definitions: self.words.definitions,
            symbols: self.words.symbols,
            shapes: self.words.shapes,
            given: self
                .words
                .given
                .clone()
                .into_iter()
                .chain(positions.iter().enumerate().map(|(k, name)| (SymbolId::new(k), name.clone())))
                .collect(),
            steady: self.words.steady.clone(),
        };
        words.size(size)
    }

    /// Bounds of the sizes of the result, and facts about the parameters.
    fn facts(&self, function: &Function) -> Vec<String> {
        let mut facts: Vec<Fact> = self.result_claims();
        facts.extend(self.sketch.facts.iter().cloned());
        facts.retain(|fact| self.is_worth_saying(fact));
        facts.dedup_by(|a, b| a.claim == b.claim);
        facts.truncate(4 * MOST_FACTS);
        // Of several facts that follow from each other the stronger ones stay.
        let mut kept: Vec<usize> = (0..facts.len()).collect();
        for at in 0..facts.len() {
            let others = kept.iter().filter(|k| **k != at).map(|k| &facts[*k]);
            if self.follows(&facts[at], others) {
                kept.retain(|k| *k != at);
            }
        }
        let mut lines = Vec::new();
        if let (Type::Scalar(_), Shape::Integer(size)) = (&function.result, &self.sketch.result)
            && self.is_said(size)
        {
            lines.push(format!("the result is {}", self.size(size, &[])));
        }
        lines.extend(kept.into_iter().take(MOST_FACTS).map(|k| self.line(&facts[k])));
        lines
    }

    /// Whether a fact is about names of the signature, and about more than positions.
    fn is_worth_saying(&self, fact: &Fact) -> bool {
        let (a, b) = fact.claim.sides();
        let said = [a, b].iter().all(|s| self.is_said(s) && s.as_i128().is_none_or(|n| n.abs() < 1 << 40));
        let positions = [a, b].iter().any(|s| s.vars().iter().any(|v| (v.0 as usize) < POSITIONS));
        let looks_up = !a.funs().is_empty() || !b.funs().is_empty();
        let cases = a.cases().is_some() || b.cases().is_some();
        said && a != b && !cases && (looks_up || !positions)
    }

    /// Whether a fact holds of all sizes anyway, or because of others.
    fn follows<'f>(&self, fact: &Fact, others: impl Iterator<Item = &'f Fact>) -> bool {
        let mut known = Assumptions::new();
        for (symbol, what) in self.sketch.symbols.enumerate() {
            match what {
                Symbol::Length(_, path) if path.contains(&Step::Element) => {
                    known.assume_fun_nonnegative(SizeFun(symbol.index() as u32));
                }
                Symbol::Length(..) => known.assume_nonnegative(&applied(symbol, Vec::new())),
                _ => {}
            }
        }
        for (symbol, _) in &self.sketch.declared {
            known.assume_nonnegative(&applied(*symbol, Vec::new()));
        }
        for (depth, length) in fact.ranges.iter().enumerate() {
            known.assume_index(SizeVar(depth as u32), length);
        }
        for other in others {
            match at_positions(other) {
                Some((fun, params)) => known.assume_fun(fun, &params, other.claim.clone()),
                None if other.ranges.is_empty() => known.assume(&other.claim),
                None => {}
            }
        }
        known.proves(&fact.claim)
    }

    fn line(&self, fact: &Fact) -> String {
        let positions: Vec<String> = fact.ranges.iter().fold(Vec::new(), |mut all, _| {
            let letter = self.letter(&all);
            all.push(letter);
            all
        });
        let (a, b) = fact.claim.sides();
        let (a, b) = (self.size(a, &positions), self.size(b, &positions));
        let operator = match &fact.claim {
            Claim::Le(..) => "<=",
            Claim::Lt(..) => "<",
            Claim::Eq(..) => "==",
            Claim::Ne(..) => "!=",
        };
        let all = if positions.is_empty() { String::new() } else { format!(" for all {}", positions.join(", ")) };
        format!("{a} {operator} {b}{all}")
    }

    fn result_claims(&self) -> Vec<Fact> {
        let mut out = Vec::new();
        for (symbol, limits) in &self.sketch.limits {
            if !self.words.given.contains_key(symbol) {
                continue;
            }
            let path = match &self.sketch.symbols[*symbol] {
                Symbol::Length(_, path) | Symbol::Integer(_, path) => path,
                _ => continue,
            };
            let depth = path.iter().filter(|s| **s == Step::Element).count();
            let steady = self.words.steady.contains(symbol);
            let own = if steady {
                applied(*symbol, vec![Size::zero(); depth])
            } else {
                super::symbols::at_place(*symbol, path)
            };
            let ranges = if steady { Vec::new() } else { vec![Size::big(super::knowledge::LONGEST); depth] };
            let low = limits.low.iter().map(|low| Claim::Le(low.clone(), own.clone()));
            let high = limits.high.iter().map(|high| Claim::Le(own.clone(), high.clone()));
            out.extend(low.chain(high).map(|claim| Fact { claim, ranges: ranges.clone() }));
        }
        out
    }

    /// Whether everything in a size has a name outside of the function.
    fn is_said(&self, size: &Size) -> bool {
        symbols_of(size)
            .into_iter()
            .all(|s| s.index() < POSITIONS || self.words.given.contains_key(&s) || self.is_integer_parameter(s))
    }
}

/// The size function that a fact about all positions is about, if it is about one.
fn at_positions(fact: &Fact) -> Option<(SizeFun, Vec<SizeVar>)> {
    let (a, b) = fact.claim.sides();
    let mut found = None;
    for side in [a, b] {
        applications(side, &mut |fun, args| {
            let params: Option<Vec<SizeVar>> = args.iter().map(Size::as_var).collect();
            if let Some(params) = params.filter(|p| p.len() == fact.ranges.len()) {
                found = found.take().or(Some((fun, params)));
            }
        });
    }
    found
}

/// Gives `see` every application of a size function.
fn applications(size: &Size, see: &mut dyn FnMut(SizeFun, &[Size])) {
    for atom in size.atoms() {
        if let Atom::Apply { fun, args } = atom {
            see(*fun, args);
        }
        atom.parts().into_iter().for_each(|part| applications(part, see));
    }
}

/// The lengths in a shape, outer ones first.
fn lengths_of<'s>(shape: &'s Shape, ty: &Type, out: &mut Vec<&'s Size>) {
    match (shape, ty) {
        (Shape::Array(length, elem), Type::Array(array)) => {
            out.push(length);
            lengths_of(elem, &array.elem, out);
        }
        (Shape::Tuple(parts), Type::Tuple(types)) => parts.iter().zip(types).for_each(|(s, t)| lengths_of(s, t, out)),
        (Shape::Sum(variants), Type::Sum(types)) => {
            for (fields, variant) in variants.iter().zip(types) {
                fields.iter().zip(&variant.fields).for_each(|(s, t)| lengths_of(s, t, out));
            }
        }
        _ => {}
    }
}
