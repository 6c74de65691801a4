//! Values and sizes in the words of the source.
//!
//! Core has names for everything, most of them made up on the way (`t_28`, `len_24`). A person is told about what stands in the program:
//!
//! ```text
//! let j_21 = elem_20.0; let k_23 = i64(j_21); let len_24 = length v_1; check index (k_23, len_24)
//! `j`, read from `rows`, …  the length of `v`
//! ```
//!
//! So a made-up name is followed back to what it was made from. Sizes are written as expressions of the language: the length of a row is
//! `len(row)` where a row has a name, else `len(rows[i])`. Positions of parallel bodies without a name of their own get a letter that
//! nothing else in the function has.

use super::symbols::size_at;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Claim, Size, SizeFun, SizeVar};
use terrace_base::{BinOp, Span, UnOp};
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, Program, StmtKind};
use terrace_ir::shape::{Shape, Step, Symbol, SymbolId};
use terrace_ir::{Atom, ValueId};

/// Where a value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Origin<'p> {
    /// A parameter of the function.
    Parameter,
    /// A statement.
    Let(&'p Expr),
    /// An element of an array that a parallel body runs over.
    Element(Atom),
    /// The position of a parallel body.
    Position,
    /// The state of a loop.
    State,
    /// What an operator combines, the counter of a loop, a field of a variant.
    Other,
}

#[derive(Clone, Copy, Debug)]
struct Known<'p> {
    origin: Origin<'p>,
    span: Span,
    /// How many parallel bodies are around it.
    depth: usize,
}

/// Where every value of a function comes from.
pub(super) struct Definitions<'p> {
    program: &'p Program,
    pub(super) function: &'p Function,
    known: BTreeMap<ValueId, Known<'p>>,
    /// The other parameters of the body that a value is the first parameter of, itself included.
    together: BTreeMap<ValueId, &'p [ValueId]>,
    names: BTreeSet<&'p str>,
}

/// Names that the compiler makes up.
const MADE_UP: &[&str] = &[
    "t",
    "at",
    "row",
    "len",
    "total",
    "start",
    "width",
    "result",
    "range",
    "positions",
    "next",
    "kept",
    "joined",
    "fits",
    "first",
    "behind",
    "stated",
    "sized",
    "part",
    "pair",
    "column",
    "unzipped",
    "transposed",
    "out",
    "ok",
    "elem",
    "state",
    "arg",
    "record",
    "variant",
    "chosen",
    "window",
    "padded",
    "rotated",
    "prefixes",
    "k",
    "bound",
    "low",
    "high",
    "count",
];

impl<'p> Definitions<'p> {
    pub(super) fn new(program: &'p Program, function: &'p Function) -> Definitions<'p> {
        let names = function.values.iter().map(|v| v.name.as_str()).collect();
        let mut all = Definitions { program, function, known: BTreeMap::new(), together: BTreeMap::new(), names };
        for param in &function.params {
            all.note(*param, Origin::Parameter, function.span, 0);
        }
        all.body(&function.body, 0);
        all
    }

    fn note(&mut self, value: ValueId, origin: Origin<'p>, span: Span, depth: usize) {
        self.known.insert(value, Known { origin, span, depth });
    }

    fn body(&mut self, body: &'p Body, depth: usize) {
        for stmt in &body.stmts {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            self.note(*value, Origin::Let(expr), stmt.span, depth);
            let span = stmt.span;
            match expr {
                Expr::Map { lambda, arrays } => {
                    self.lambda(lambda, span, depth, &|k| arrays.get(k).map_or(Origin::Other, |a| Origin::Element(*a)))
                }
                Expr::Generate { lambda, .. } => self.lambda(lambda, span, depth, &|_| Origin::Position),
                Expr::Filter { predicate, array } => self.lambda(predicate, span, depth, &|_| Origin::Element(*array)),
                Expr::Reduce { operator, .. } | Expr::Scan { operator, .. } | Expr::Hist { operator, .. } => {
                    self.lambda(operator, span, depth, &|_| Origin::Other);
                }
                Expr::Match { arms, .. } => {
                    for arm in arms {
                        arm.params.iter().for_each(|p| self.note(*p, Origin::Other, span, depth));
                        self.body(&arm.body, depth);
                    }
                }
                Expr::Loop { state, form, body, .. } => {
                    self.note(*state, Origin::State, span, depth);
                    match form {
                        LoopForm::For { index, .. } => self.note(*index, Origin::Other, span, depth),
                        LoopForm::While(cond) => self.body(cond, depth),
                    }
                    self.body(body, depth);
                }
                Expr::If { then, otherwise, .. } => {
                    self.body(then, depth);
                    self.body(otherwise, depth);
                }
                _ => {}
            }
        }
    }

    fn lambda(&mut self, lambda: &'p Lambda, span: Span, depth: usize, origin: &dyn Fn(usize) -> Origin<'p>) {
        for (k, param) in lambda.params.iter().enumerate() {
            self.note(*param, origin(k), span, depth);
        }
        if let Some(first) = lambda.params.first() {
            self.together.insert(*first, &lambda.params);
        }
        self.body(&lambda.body, depth + 1);
    }

    pub(super) fn origin(&self, value: ValueId) -> Origin<'p> {
        self.known.get(&value).map_or(Origin::Other, |k| k.origin)
    }

    pub(super) fn expr(&self, value: ValueId) -> Option<&'p Expr> {
        match self.origin(value) {
            Origin::Let(expr) => Some(expr),
            _ => None,
        }
    }

    pub(super) fn span(&self, value: ValueId) -> Option<Span> {
        self.known.get(&value).map(|k| k.span)
    }

    fn name(&self, value: ValueId) -> &'p str {
        self.function.values.get(value).map_or("result", |v| v.name.as_str())
    }

    /// Whether the name of a value stands in the source.
    pub(super) fn has_name(&self, value: ValueId) -> bool {
        match self.origin(value) {
            Origin::Parameter => true,
            // A literal without a name is called `xs` like many other things.
            Origin::Let(Expr::ArrayLiteral { .. }) if self.name(value) == "xs" => {
                self.function.values.iter().filter(|v| v.name == "xs").count() == 1
            }
            _ => !MADE_UP.contains(&self.name(value)),
        }
    }

    /// A value as an expression of the language, short.
    pub(super) fn value(&self, value: ValueId) -> String {
        self.value_at(value, 4)
    }

    fn value_at(&self, value: ValueId, fuel: usize) -> String {
        if self.has_name(value) || fuel == 0 {
            return self.name(value).to_string();
        }
        let atom = |a: &Atom| self.atom_at(*a, fuel - 1);
        match self.origin(value) {
            Origin::Let(expr) => match expr {
                Expr::Atom(a) | Expr::Convert(_, a) | Expr::Ascribe { value: a, .. } => atom(a),
                Expr::Length(a) => format!("len({})", atom(a)),
                Expr::Project(a, k) => match a.var().and_then(|v| self.expr(v)) {
                    Some(Expr::Tuple(parts)) if *k < parts.len() => atom(&parts[*k]),
                    _ => format!("{}.{k}", atom(a)),
                },
                Expr::Index { array, index } => format!("{}[{}]", atom(array), atom(index)),
                Expr::Slice { array, from, to } => format!("{}[{}..{}]", atom(array), atom(from), atom(to)),
                Expr::Call { function, .. } => format!("{}(…)", self.program.functions[*function].source),
                Expr::Binary(op, a, b) => {
                    let (a, b) = (atom(a), atom(b));
                    match (sign(*op), op) {
                        (Some(sign @ ("*" | "/" | "%")), _) => format!("{} {sign} {}", held(&a), held(&b)),
                        (Some(sign), _) => format!("{a} {sign} {b}"),
                        (None, BinOp::Min) => format!("min({a}, {b})"),
                        (None, BinOp::Max) => format!("max({a}, {b})"),
                        _ => self.name(value).to_string(),
                    }
                }
                Expr::Transpose(a) => format!("transpose({})", atom(a)),
                Expr::Flatten(a) => format!("flatten({})", atom(a)),
                Expr::Reduce { operator, array, .. } => {
                    let adds = operator
                        .body
                        .stmts
                        .iter()
                        .any(|s| matches!(&s.kind, StmtKind::Let { expr: Expr::Binary(BinOp::Add, ..), .. }));
                    format!("{}({})", if adds { "sum" } else { "reduce" }, atom(array))
                }
                Expr::Filter { predicate, array } => {
                    let name = predicate.params.first().map_or("_", |p| self.name(*p));
                    format!("[{name} for {name} in {} if …]", atom(array))
                }
                Expr::Map { lambda, arrays } => {
                    let over =
                        lambda.params.iter().zip(arrays).map(|(p, a)| format!("{} in {}", self.name(*p), atom(a)));
                    format!("[… for {}]", over.collect::<Vec<_>>().join(", "))
                }
                Expr::Generate { lambda, count } => {
                    let name = lambda.params.first().map_or("_", |p| self.name(*p));
                    format!("[… for {name} < {}]", atom(count))
                }
                Expr::Concat(arrays) => arrays.iter().map(atom).collect::<Vec<_>>().join(" ++ "),
                Expr::ArrayLiteral { elems, .. } if elems.len() <= 2 => {
                    format!("[{}]", elems.iter().map(atom).collect::<Vec<_>>().join(", "))
                }
                Expr::ArrayLiteral { .. } => "[…]".to_string(),
                Expr::Loop { .. } => "loop …".to_string(),
                Expr::If { .. } => "if …".to_string(),
                Expr::Match { .. } => "match …".to_string(),
                Expr::Unary(UnOp::Abs, a) => format!("abs({})", atom(a)),
                Expr::Unary(UnOp::Neg, a) => format!("-{}", atom(a)),
                _ => self.name(value).to_string(),
            },
            Origin::Element(array) => format!("{}[{}]", atom(&array), self.counter(value)),
            _ => self.name(value).to_string(),
        }
    }

    fn atom_at(&self, atom: Atom, fuel: usize) -> String {
        match atom {
            Atom::Const(c) => c.as_i128().map_or_else(|| c.to_string(), |n| n.to_string()),
            Atom::Var(v) => self.value_at(v, fuel),
        }
    }

    /// An operand as an expression of the language.
    pub(super) fn atom(&self, atom: Atom) -> String {
        self.atom_at(atom, 4)
    }

    /// The array or parameter that an integer or an element was read from, if it was read from one.
    pub(super) fn read_from(&self, value: ValueId) -> Option<ValueId> {
        let mut at = value;
        let mut read = false;
        for _ in 0..32 {
            let next = match self.origin(at) {
                Origin::Let(
                    Expr::Atom(a) | Expr::Convert(_, a) | Expr::Project(a, _) | Expr::Ascribe { value: a, .. },
                ) => *a,
                Origin::Let(Expr::Index { array, .. } | Expr::Slice { array, .. }) => {
                    read = true;
                    *array
                }
                Origin::Element(array) => {
                    read = true;
                    array
                }
                _ => break,
            };
            at = next.var()?;
        }
        (read && self.has_name(at)).then_some(at)
    }

    /// The name of the position of a parallel body.
    pub(super) fn counter(&self, first: ValueId) -> String {
        if matches!(self.origin(first), Origin::Position) {
            return self.name(first).to_string();
        }
        let depth = self.known.get(&first).map_or(0, |k| k.depth);
        let letters = ["i", "j", "l", "p", "q", "r", "u", "w"];
        let mut free = letters.into_iter().filter(|l| !self.names.contains(l));
        free.nth(depth).map_or_else(|| format!("i{depth}"), str::to_string)
    }

    /// What stands for a parallel body's first parameter in the same array.
    fn together(&self, first: ValueId) -> &[ValueId] {
        self.together.get(&first).copied().unwrap_or(&[])
    }
}

fn sign(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        _ => return None,
    })
}

/// In brackets where it is a sum.
fn held(text: &str) -> String {
    if text.contains(" + ") || text.contains(" - ") { format!("({text})") } else { text.to_string() }
}

/// Names for symbols, and what sizes look like with them.
pub(super) struct Words<'w, 'p> {
    pub(super) definitions: &'w Definitions<'p>,
    pub(super) symbols: &'w terrace_base::IdVec<SymbolId, Symbol>,
    pub(super) shapes: &'w BTreeMap<ValueId, Shape>,
    /// Names that were made up for symbols.
    pub(super) given: BTreeMap<SymbolId, String>,
    /// Those of them that are the same at all positions: they stand alone.
    pub(super) steady: BTreeSet<SymbolId>,
}

const OPEN: char = '\u{2}';
const CLOSE: char = '\u{3}';

impl Words<'_, '_> {
    /// A size as an expression of the language.
    pub(super) fn size(&self, size: &Size) -> String {
        if let Some((subject, bound, below, above)) = size.cases() {
            let [subject, bound, below, above] = [subject, bound, below, above].map(|s| self.size(&s));
            return format!("if {subject} < {bound} then {below} else {above}");
        }
        let (size, named) = self.elements_named(size);
        let symbol = |SizeVar(n): SizeVar| self.place(SymbolId::new(n as usize), &[]);
        let var = |v: SizeVar| named.get(&v).cloned().unwrap_or_else(|| symbol(v));
        // A name that was made up stands before its arguments, and the letters of sums pass over it.
        let fun = |SizeFun(n): SizeFun| match self.given.get(&SymbolId::new(n as usize)) {
            Some(name) if !self.steady.contains(&SymbolId::new(n as usize)) => name.clone(),
            _ => format!("{OPEN}{n}{CLOSE}"),
        };
        let text = size.display_with(&var, &fun).to_string();
        with_divisions(self.with_places(text))
    }

    /// `a <= b` and the like.
    pub(super) fn claim(&self, claim: &Claim) -> String {
        let (a, b) = claim.sides();
        let operator = match claim {
            Claim::Le(..) => "<=",
            Claim::Lt(..) => "<",
            Claim::Eq(..) => "==",
            Claim::Ne(..) => "!=",
        };
        format!("{} {operator} {}", self.size(a), self.size(b))
    }

    /// Where an application is the size of an element that has a name, the name stands for it.
    fn elements_named(&self, size: &Size) -> (Size, BTreeMap<SizeVar, String>) {
        let found = std::cell::RefCell::new(BTreeMap::new());
        let changed = size.substitute_funs(&|fun, args| {
            let text = self.element_named(fun, args)?;
            let mut found = found.borrow_mut();
            let fresh = SizeVar(u32::MAX - found.len() as u32);
            found.insert(fresh, text);
            Some(Size::var(fresh))
        });
        (changed, found.into_inner())
    }

    fn element_named(&self, fun: SizeFun, args: &[Size]) -> Option<String> {
        let symbol = SymbolId::new(fun.0 as usize);
        if self.given.contains_key(&symbol) {
            return None;
        }
        let whole = Size::apply(fun, args.to_vec());
        let counter = args.last()?.as_var()?;
        let Some(Symbol::Counter(first)) = self.symbols.get(SymbolId::new(counter.0 as usize)) else { return None };
        let (Symbol::Length(_, path) | Symbol::Integer(_, path)) = &self.symbols[symbol] else { return None };
        let below = path.iter().rposition(|s| *s == Step::Element)? + 1;
        let rest = &path[below..];
        let length = matches!(self.symbols[symbol], Symbol::Length(..));
        self.definitions.together(*first).iter().find_map(|p| {
            let shape = self.shapes.get(p)?;
            let named = self.definitions.has_name(*p) && size_at(shape, rest) == Some(&whole);
            named.then(|| written(self.definitions.name(*p), rest, &[], length))
        })
    }

    /// Puts places where applications of symbols stand.
    fn with_places(&self, mut text: String) -> String {
        // The last application has no other one in its arguments.
        while let Some(open) = text.rfind(OPEN) {
            let Some(close) = text[open..].find(CLOSE).map(|at| open + at) else { return text };
            let number: usize = text[open + OPEN.len_utf8()..close].parse().unwrap_or(0);
            let after = close + CLOSE.len_utf8();
            let (args, end) = arguments(&text[after..]);
            let place = self.place(SymbolId::new(number), &args);
            text.replace_range(open..after + end, &place);
        }
        text
    }

    /// A symbol at a place, with its arguments as text.
    fn place(&self, symbol: SymbolId, args: &[String]) -> String {
        if let Some(name) = self.given.get(&symbol) {
            return if args.is_empty() || self.steady.contains(&symbol) {
                name.clone()
            } else {
                format!("{name}({})", args.join(", "))
            };
        }
        match self.symbols.get(symbol) {
            Some(Symbol::Position(k)) => {
                ["i", "j", "l", "p"].get(*k).map_or_else(|| format!("p{k}"), |s| s.to_string())
            }
            Some(Symbol::Counter(first)) => self.definitions.counter(*first),
            Some(Symbol::Length(value, path)) => written(&self.definitions.value(*value), path, args, true),
            Some(Symbol::Integer(value, path)) => written(&self.definitions.value(*value), path, args, false),
            None => format!("s{}", symbol.index()),
        }
    }
}

/// `n / 2` for `floor(n/2)`.
fn with_divisions(mut text: String) -> String {
    while let Some(at) = text.rfind("floor(") {
        let open = at + "floor".len();
        let (_, length) = arguments(&text[open..]);
        let inner = &text[open + 1..open + length - 1];
        let Some((dividend, divisor)) = inner.rsplit_once('/') else { return text };
        let quotient = format!("{} / {}", dividend.trim(), divisor.trim());
        let beside = |c: Option<char>| matches!(c, Some('*' | '^' | '/'));
        let factor = beside(text[..at].chars().next_back()) || beside(text[open + length..].chars().next());
        text.replace_range(at..open + length, &if factor { format!("({quotient})") } else { quotient });
    }
    text
}

/// `len(rows[i].0)`.
fn written(name: &str, path: &[Step], args: &[String], length: bool) -> String {
    let mut args = args.iter();
    let mut text = if path.is_empty() || !name.contains(' ') || name.starts_with('[') {
        name.to_string()
    } else {
        format!("({name})")
    };
    for step in path {
        match step {
            Step::Field(k) => text += &format!(".{k}"),
            Step::Element => text += &format!("[{}]", args.next().map_or("…", String::as_str)),
            Step::Variant(tag, k) => text += &format!(".{tag}.{k}"),
        }
    }
    if length { format!("len({text})") } else { text }
}

/// The arguments of an application at the start of a text, and where it ends.
fn arguments(text: &str) -> (Vec<String>, usize) {
    let mut args = Vec::new();
    let mut depth = 0;
    let mut from = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 1 => {
                args.push(text[from..at].trim().to_string());
                from = at + 1;
            }
            _ => {}
        }
        if depth == 0 {
            if at > from {
                args.push(text[from..at].trim().to_string());
            }
            return (args, at + c.len_utf8());
        }
    }
    (args, text.len())
}
