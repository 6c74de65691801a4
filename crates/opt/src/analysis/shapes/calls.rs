//! Calls: what a function ensures, and what its callers show.
//!
//! A function is walked once with sizes of its own for its parameters. What is then known of its result, written over those, is its
//! *summary*: for all sizes of the parameters there exist sizes such that … (000, section 3.3). A call puts the sizes of its arguments in:
//!
//! ```text
//! def mv(xss, ys)      requires len(xss, p0) = len(ys)      result [len(xss)][len(ys)]
//! mv(a, b)             afterwards len(a, p0) is len(b), and the result is [len(a)][len(b)]
//! ```
//!
//! *Requires* are the facts that every successful run establishes: after the call they hold of the arguments. In the other direction, what all
//! calls of a function show about their arguments may be relied on inside: rows of one length, equal lengths, an index below a length
//! ([`Context`]). Entries are called by anyone and rely on nothing.

use super::arrays::settled;
use super::deps::Deps;
use super::symbols::{applied, build, places, size_at, symbol_at};
use super::walk::{Fact, Limits, Walk};
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::{Claim, Size, SizeFun, SizeVar};
use terrace_base::{IdVec, ScalarType, Span};
use terrace_ir::shape::{POSITIONS, Shape, Step, Symbol, SymbolId, as_symbol, position};
use terrace_ir::{Atom, FuncId, ValueId};

/// What is known about the functions seen so far.
pub(super) type Summaries = BTreeMap<FuncId, Summary>;

/// What a call gives.
#[derive(Clone, Debug)]
pub(super) enum Summary {
    /// Nothing comes back, as far as is known: the first guess for a recursive function.
    Never,
    Known(Box<Ensures>),
}

/// The sizes of a result over those of the parameters.
#[derive(Clone, Debug)]
pub(super) struct Ensures {
    pub(super) symbols: IdVec<SymbolId, Symbol>,
    pub(super) params: Vec<ValueId>,
    /// Stands for the result in symbols.
    pub(super) result: ValueId,
    pub(super) shape: Shape,
    pub(super) facts: Vec<Fact>,
    /// What the names of the result may depend on, and their bounds.
    pub(super) named: BTreeMap<SymbolId, (Deps, Limits)>,
    pub(super) data: Deps,
}

/// A place in a parameter: which one, the way, and whether it is an integer.
pub(super) type Site = (usize, Vec<Step>, bool);

/// What one call, or all calls, show about the arguments.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Context {
    /// Lengths that are the same for all rows.
    pub(super) even: BTreeSet<Site>,
    pub(super) equal: BTreeSet<(Site, Site)>,
    pub(super) below: BTreeSet<(Site, Site)>,
    pub(super) at_most: BTreeSet<(Site, Site)>,
    pub(super) at_least: BTreeMap<Site, i64>,
    /// Upper bounds that are numbers.
    pub(super) within: BTreeMap<Site, i64>,
    /// Which of the facts that the callee establishes hold before the call.
    pub(super) met: BTreeSet<usize>,
    /// Sizes that differ from one call to the next in parallel code.
    pub(super) varying: BTreeSet<Site>,
    /// Parameters whose elements differ from one call to the next in parallel code.
    pub(super) varying_data: BTreeSet<usize>,
    pub(super) in_parallel: bool,
}

impl Context {
    /// What both show.
    pub(super) fn meet(&mut self, other: &Context) {
        self.even.retain(|s| other.even.contains(s));
        self.equal.retain(|s| other.equal.contains(s));
        self.below.retain(|s| other.below.contains(s));
        self.at_most.retain(|s| other.at_most.contains(s));
        let both = |(site, n): (&Site, &i64)| Some((site.clone(), (*n).min(*other.at_least.get(site)?)));
        self.at_least = self.at_least.iter().filter_map(both).collect();
        let both = |(site, n): (&Site, &i64)| Some((site.clone(), (*n).max(*other.within.get(site)?)));
        self.within = self.within.iter().filter_map(both).collect();
        self.met.retain(|k| other.met.contains(k));
        self.varying.extend(other.varying.iter().cloned());
        self.varying_data.extend(&other.varying_data);
        self.in_parallel |= other.in_parallel;
    }

    /// Nothing is shown; sizes may vary as before.
    pub(super) fn forget(&mut self) {
        let varying = std::mem::take(&mut self.varying);
        let varying_data = std::mem::take(&mut self.varying_data);
        *self = Context { varying, varying_data, in_parallel: self.in_parallel, ..Context::default() };
    }
}

const MOST_SITES: usize = 24;

/// Numbers that are tried as upper bounds of integers.
const MOST: [i64; 3] = [1 << 20, 1 << 31, 1 << 46];

impl<'p> Walk<'p> {
    pub(super) fn call(&mut self, value: ValueId, function: FuncId, args: &[Atom], _span: Span) -> (Shape, Deps) {
        let shapes: Vec<Shape> = args.iter().map(|a| self.shape(*a)).collect();
        let mut context = self.shown(function, &shapes, args);
        let before = self.facts_met(value, function, &shapes);
        context.met = before;
        self.sites.push((function, context));
        let ensures = match self.summaries.get(&function) {
            Some(Summary::Known(ensures)) => ensures,
            _ => {
                self.dead = true;
                self.known.assume_truth(&super::truth::Truth::Known(false));
                return (self.fresh(value, self.type_of(value), Deps::NONE), Deps::NONE);
            }
        };
        let mapped = |walk: &mut Self, deps: Deps| {
            let mut all = Deps::NONE;
            for (k, arg) in args.iter().enumerate() {
                if deps.has(Deps::shape_of(k)) {
                    all = all.and(walk.symbols.deps_of_shape(&shapes[k]));
                }
                if deps.has(Deps::data_of(k)) {
                    all = all.and(walk.data_or_size(*arg));
                }
            }
            all
        };
        let deps: BTreeMap<SymbolId, Deps> = ensures.named.iter().map(|(s, (d, _))| (*s, mapped(self, *d))).collect();
        let put = |size: &Size, walk: &mut Self| walk.put_arguments(size, ensures, &shapes, value, &deps);
        let ty = self.type_of(value).clone();
        let shape = build(&ty, &mut Vec::new(), &mut |path, integer| match size_at(&ensures.shape, path) {
            Some(size) => put(size, self),
            None => self.own(value, path, integer, Deps::NONE),
        });
        // Names get their symbols before their bounds.
        for (symbol, (_, limits)) in &ensures.named {
            let (Symbol::Length(_, path) | Symbol::Integer(_, path)) = &ensures.symbols[*symbol] else { continue };
            let here = self.put_arguments(&super::symbols::at_place(*symbol, path), ensures, &shapes, value, &deps);
            let low = limits.low.as_ref().map(|s| put(s, self));
            let high = limits.high.as_ref().map(|s| put(s, self));
            self.limit(&here, low, high);
        }
        for fact in &ensures.facts {
            let (a, b) = fact.claim.sides();
            let (a, b) = (put(a, self), put(b, self));
            let claim = with_sides(&fact.claim, a, b);
            let ranges: Vec<Size> = fact.ranges.iter().map(|s| put(s, self)).collect();
            self.assume_fact(Fact { claim, ranges });
        }
        let data = mapped(self, ensures.data);
        (self.known.resolve_shape(&shape), data)
    }

    /// Which of the facts that a callee establishes hold before the call.
    fn facts_met(&mut self, value: ValueId, function: FuncId, args: &[Shape]) -> BTreeSet<usize> {
        let Some(Summary::Known(ensures)) = self.summaries.get(&function) else { return BTreeSet::new() };
        let none = BTreeMap::new();
        let mut met = BTreeSet::new();
        for (k, fact) in ensures.facts.iter().enumerate().filter(|(_, f)| f.ranges.len() <= 1) {
            let about_result = |s: &Size| {
                terrace_ir::shape::symbols_of(s).iter().any(|s| {
                    matches!(&ensures.symbols[*s], Symbol::Length(v, _) | Symbol::Integer(v, _) if *v == ensures.result)
                })
            };
            let (a, b) = fact.claim.sides();
            if about_result(a) || about_result(b) {
                continue;
            }
            let claim = with_sides(
                &fact.claim,
                self.put_arguments(a, ensures, args, value, &none),
                self.put_arguments(b, ensures, args, value, &none),
            );
            let ranges: Vec<Size> =
                fact.ranges.iter().map(|s| self.put_arguments(s, ensures, args, value, &none)).collect();
            if self.judge_everywhere(&ranges, &claim) == super::walk::Verdict::Proved {
                met.insert(k);
            }
        }
        met
    }

    /// A size of a summary with the sizes of the arguments put in, and names for what the call gives.
    fn put_arguments(
        &mut self,
        size: &Size,
        ensures: &Ensures,
        args: &[Shape],
        value: ValueId,
        deps: &BTreeMap<SymbolId, Deps>,
    ) -> Size {
        let mut meant: BTreeMap<u32, Option<Size>> = BTreeMap::new();
        for symbol in terrace_ir::shape::symbols_of(size) {
            let (of, path, integer) = match &ensures.symbols[symbol] {
                Symbol::Length(v, path) => (*v, path, false),
                Symbol::Integer(v, path) => (*v, path, true),
                _ => continue,
            };
            let found = match ensures.params.iter().position(|p| *p == of) {
                Some(k) => size_at(&args[k], path).cloned(),
                None => {
                    let ty = integer.then(|| super::parallel::scalar_at(self.type_of(value), path)).flatten();
                    let deps = deps.get(&symbol).copied().unwrap_or(Deps::NONE);
                    Some(self.own(value, path, ty, deps))
                }
            };
            meant.insert(symbol.index() as u32, found);
        }
        let vars = size.substitute_funs(&|SizeFun(n), args| {
            let size = meant.get(&n)?.as_ref()?;
            // The symbols of the two functions are kept apart until all are replaced.
            Some(mask(size).substitute_all(&|v| args.get(v.0 as usize).filter(|_| (v.0 as usize) < POSITIONS).cloned()))
        });
        let vars = vars.substitute_all(&|SizeVar(n)| {
            if (n as usize) < POSITIONS || n >= MASK { None } else { meant.get(&n)?.as_ref().map(mask) }
        });
        unmask(&vars)
    }

    /// What a call shows about its arguments.
    fn shown(&mut self, function: FuncId, shapes: &[Shape], args: &[Atom]) -> Context {
        let mut context = Context { in_parallel: self.in_parallel_code(), ..Context::default() };
        let callee = &self.program.functions[function];
        let mut sizes: Vec<(Site, Size)> = Vec::new();
        for (k, param) in callee.params.iter().enumerate() {
            places(&callee.values[*param].ty, &mut Vec::new(), &mut |path, integer: Option<ScalarType>| {
                if let Some(size) = size_at(&shapes[k], path) {
                    sizes.push(((k, path.to_vec(), integer.is_some()), size.clone()));
                }
            });
        }
        let around = self.parallel_sources();
        for (k, arg) in args.iter().enumerate() {
            if self.data_or_size(*arg).meets(around) {
                context.varying_data.insert(k);
            }
        }
        for (site, size) in &sizes {
            let varies = self.symbols.deps(size).meets(around);
            let data = site.2
                && site.1.contains(&Step::Element)
                && args[site.0].var().is_some_and(|v| self.data[&v].meets(around));
            if varies || data {
                context.varying.insert(site.clone());
            }
            if !site.2 && site.1.contains(&Step::Element) && settled(size) {
                context.even.insert(site.clone());
            }
        }
        let plain: Vec<&(Site, Size)> = sizes
            .iter()
            .filter(|(site, size)| settled(size) && (!site.2 || !site.1.contains(&Step::Element)))
            .take(MOST_SITES)
            .collect();
        for (k, (site, size)) in plain.iter().enumerate() {
            if let Some(n) = size.as_constant() {
                context.at_least.insert(site.clone(), n);
                context.within.insert(site.clone(), n);
            } else if site.2 {
                if let Some(most) =
                    MOST.into_iter().find(|most| self.known.fits(size, (i64::MIN.into(), (*most).into())))
                {
                    context.within.insert(site.clone(), most);
                }
                for n in [1, 0] {
                    if self.known.proves_claim(&Claim::Le(Size::constant(n), size.clone())) {
                        context.at_least.insert(site.clone(), n);
                        break;
                    }
                }
            }
            for (other, other_size) in &plain[k + 1..] {
                if self.known.equal(size, other_size) {
                    context.equal.insert((site.clone(), other.clone()));
                }
            }
            if !site.2 {
                continue;
            }
            for (other, bound) in &plain {
                if other == site || (other.2 && other.0 == site.0) {
                    continue;
                }
                if self.known.proves_claim(&Claim::Lt(size.clone(), bound.clone())) {
                    context.below.insert((site.clone(), other.clone()));
                    context.at_most.insert((site.clone(), other.clone()));
                } else if self.known.proves_claim(&Claim::Le(size.clone(), bound.clone())) {
                    context.at_most.insert((site.clone(), other.clone()));
                }
            }
        }
        context
    }

    /// Relies on what all calls show.
    pub(super) fn rely_on(&mut self, context: &Context, itself: FuncId) {
        if let Some(Summary::Known(ensures)) = self.summaries.get(&itself) {
            // Parameters have the same symbols in every walk.
            let met = context.met.iter().filter_map(|k| ensures.facts.get(*k));
            for fact in met.cloned().collect::<Vec<_>>() {
                self.assume_fact(fact);
            }
        }
        let own = |walk: &Self, site: &Site| -> Option<Size> {
            let param = walk.function.params.get(site.0)?;
            size_at(walk.shapes.get(param)?, &site.1).cloned()
        };
        for site in &context.varying {
            if let Some((symbol, _)) = own(self, site).as_ref().and_then(as_symbol) {
                self.symbols.depend(symbol, Deps::of(Deps::CALLER));
                self.known.is_unsteady(symbol);
            }
            if site.2 {
                let param = self.function.params[site.0];
                let data = self.data[&param].and(Deps::of(Deps::CALLER));
                self.data.insert(param, data);
            }
        }
        for site in &context.even {
            // The first row stands for all of them.
            if let Some((symbol, args)) = own(self, site).as_ref().and_then(as_symbol) {
                let first = applied(symbol, vec![Size::zero(); args.len()]);
                let param = self.function.params[site.0];
                if let Some(shape) = self.shapes.get_mut(&param) {
                    set_size(shape, &site.1, first);
                }
            }
        }
        for k in &context.varying_data {
            let param = self.function.params[*k];
            let data = self.data[&param].and(Deps::of(Deps::CALLER));
            self.data.insert(param, data);
        }
        // A length of rows for which a type states a name is that name, also where there are no rows: nothing more is said about it.
        let own = |walk: &Self, site: &Site| {
            let size = own(walk, site)?;
            let stated = site.1.contains(&Step::Element) && walk.known.resolve(&size) != size;
            (!stated).then_some(size)
        };
        let mut claims = Vec::new();
        for (a, b) in &context.equal {
            claims.extend(own(self, a).zip(own(self, b)).map(|(a, b)| Claim::Eq(a, b)));
        }
        for (a, b) in &context.below {
            claims.extend(own(self, a).zip(own(self, b)).map(|(a, b)| Claim::Lt(a, b)));
        }
        for (a, b) in &context.at_most {
            claims.extend(own(self, a).zip(own(self, b)).map(|(a, b)| Claim::Le(a, b)));
        }
        for (a, n) in &context.at_least {
            claims.extend(own(self, a).map(|a| Claim::Le(Size::constant(*n), a)));
        }
        for (a, n) in &context.within {
            let fixed = context.at_least.get(a) == Some(n);
            let bound = |a, n| if fixed { Claim::Eq(a, n) } else { Claim::Le(a, n) };
            claims.extend(own(self, a).map(|a| bound(a, Size::constant(*n))));
        }
        claims.iter().filter(|c| settled(c.sides().0) && settled(c.sides().1)).for_each(|c| self.known.assume(c));
        for param in &self.function.params {
            let shape = self.known.resolve_shape(&self.shapes[param]);
            self.shapes.insert(*param, shape);
        }
    }

    /// The summary of the function, whose body has been walked.
    pub(super) fn summary(&mut self, shape: &Shape, data: Deps) -> Ensures {
        let result = ValueId::new(self.function.values.len());
        let mut named = BTreeMap::new();
        let ty = self.function.result.clone();
        let shape = build(&ty, &mut Vec::new(), &mut |path, integer| {
            let size = size_at(shape, path).map(|s| self.over_parameters(&self.known.resolve(s)));
            if let Some(size) = &size
                && self.of_parameters(size)
            {
                return size.clone();
            }
            let deps = size.as_ref().map_or(data, |s| self.symbols.deps(s));
            let symbol = self.symbols.make(symbol_at(result, path, integer.is_some()), deps, self.scope);
            let mut limits = Limits::default();
            if let Some(size) = size {
                let known = as_symbol(&size).and_then(|(s, _)| self.limits.get(&s).cloned()).unwrap_or_default();
                let said = |bound: Option<Size>| {
                    let bound = self.over_parameters(&self.known.resolve(&bound?));
                    self.of_parameters(&bound).then_some(bound)
                };
                limits = Limits { low: said(known.low), high: said(known.high) };
                if limits.low.is_none() && self.known.never_negative(&size) {
                    limits.low = Some(Size::zero());
                }
            }
            named.insert(symbol, (deps, limits));
            super::symbols::at_place(symbol, path)
        });
        let mut facts = Vec::new();
        for fact in std::mem::take(&mut self.established) {
            let claim = fact.claim.map(&|s| self.over_parameters(s));
            let ranges: Vec<Size> = fact.ranges.iter().map(|s| self.over_parameters(s)).collect();
            let (a, b) = claim.sides();
            if a != b && self.of_parameters(a) && self.of_parameters(b) && ranges.iter().all(|s| self.of_parameters(s))
            {
                facts.push(Fact { claim, ranges });
            }
        }
        facts.truncate(64);
        let params = self.function.params.clone();
        Ensures { symbols: self.symbols.table.clone(), params, result, shape, facts, named, data }
    }

    /// Whether a size mentions nothing but the parameters.
    fn of_parameters(&self, size: &Size) -> bool {
        terrace_ir::shape::symbols_of(size).iter().all(|s| match &self.symbols.table[*s] {
            Symbol::Position(_) => true,
            Symbol::Counter(_) => false,
            Symbol::Length(v, _) | Symbol::Integer(v, _) => self.function.params.contains(v),
        })
    }

    /// A size with names that the function gives to row lengths of its parameters, `m` of `[n][m]`, replaced by those: `m` is
    /// the length of the first row, 0 where there is none.
    fn over_parameters(&self, size: &Size) -> Size {
        if self.of_parameters(size) {
            return size.clone();
        }
        size.substitute_all(&|SizeVar(n)| {
            if (n as usize) < POSITIONS {
                return None;
            }
            self.first_rows.get(&SymbolId::new(n as usize)).cloned()
        })
    }

    /// Notes which parameters' row lengths a name computed in the prologue stands for.
    pub(super) fn find_first_rows(&mut self) {
        let mut found = BTreeMap::new();
        for param in &self.function.params {
            let Some(row) = self.symbols.find(&symbol_at(*param, &[Step::Element], false)) else { continue };
            let Some(outer) = self.symbols.find(&symbol_at(*param, &[], false)) else { continue };
            let name = self.known.resolve(&applied(row, vec![position(0)]));
            let Some((symbol, args)) = as_symbol(&name) else { continue };
            if !args.is_empty() || symbol == row {
                continue;
            }
            let Some((super::truth::Truth::Claim(Claim::Lt(zero, rows)), then, otherwise)) = self.choices.get(&symbol)
            else {
                continue;
            };
            let outer = applied(outer, Vec::new());
            if zero.is_zero() && otherwise.is_zero() && *then == name && self.known.equal(rows, &outer) {
                let first = applied(row, vec![Size::zero()]);
                found.insert(symbol, Size::split(&outer, &Size::one(), &Size::zero(), &first));
            }
        }
        self.first_rows = found;
    }
}

fn with_sides(claim: &Claim, a: Size, b: Size) -> Claim {
    match claim {
        Claim::Le(..) => Claim::Le(a, b),
        Claim::Lt(..) => Claim::Lt(a, b),
        Claim::Eq(..) => Claim::Eq(a, b),
        Claim::Ne(..) => Claim::Ne(a, b),
    }
}

// Symbols of the caller above this number, while those of the callee are being replaced.
const MASK: u32 = 1 << 30;

fn mask(size: &Size) -> Size {
    shift_symbols(size, |n| if n < MASK { n + MASK } else { n })
}

fn unmask(size: &Size) -> Size {
    shift_symbols(size, |n| if n >= MASK { n - MASK } else { n })
}

fn shift_symbols(size: &Size, change: impl Fn(u32) -> u32) -> Size {
    let positions = |n: u32| (n as usize) < POSITIONS;
    let vars = size.substitute_all(&|SizeVar(n)| if positions(n) { None } else { Some(Size::var(SizeVar(change(n)))) });
    vars.substitute_funs(&|SizeFun(n), args| Some(Size::apply(SizeFun(change(n)), args.to_vec())))
}

impl Ensures {
    /// Whether two summaries of one function say the same.
    pub(super) fn same(a: &Ensures, b: &Ensures) -> bool {
        let deps = |e: &Ensures| e.named.values().map(|(deps, _)| *deps).collect::<Vec<_>>();
        a.shape == b.shape && a.data == b.data && a.claims() == b.claims() && deps(a) == deps(b)
    }

    /// What the size at a place of the result may depend on.
    fn deps_at(&self, path: &[Step]) -> Deps {
        let Some(size) = size_at(&self.shape, path) else { return self.data };
        let of = |symbol: SymbolId| {
            if let Some((deps, _)) = self.named.get(&symbol) {
                return *deps;
            }
            let (value, integer) = match &self.symbols[symbol] {
                Symbol::Length(value, _) => (value, false),
                Symbol::Integer(value, _) => (value, true),
                Symbol::Position(_) => return Deps::NONE,
                Symbol::Counter(_) => return self.data,
            };
            match self.params.iter().position(|p| p == value) {
                Some(k) if integer => Deps::of(Deps::shape_of(k)).and(Deps::of(Deps::data_of(k))),
                Some(k) => Deps::of(Deps::shape_of(k)),
                None => self.data,
            }
        };
        terrace_ir::shape::symbols_of(size).into_iter().map(of).collect()
    }

    fn claims(&self) -> Vec<&Claim> {
        self.facts.iter().map(|f| &f.claim).collect()
    }
}

/// The summary of a recursive function after one more round: what differs from the round before is given up. Symbols of parameters and
/// results have the same numbers in every walk.
pub(super) fn widen(old: &Ensures, mut new: Ensures, everything: bool) -> Ensures {
    if everything {
        let params = 0..new.params.len();
        new.data = params.map(|k| Deps::of(Deps::shape_of(k)).and(Deps::of(Deps::data_of(k)))).collect();
    }
    let mut given_up: Vec<Vec<Step>> = Vec::new();
    collect(&new.shape, &mut Vec::new(), &mut |path, size| {
        if everything || size_at(&old.shape, path) != Some(size) {
            given_up.push(path.to_vec());
        }
    });
    for path in given_up {
        let integer = matches!(new.shape.part(&path), Some(Shape::Integer(_)));
        let symbol = symbol_at(new.result, &path, integer);
        let Some(id) = new.symbols.enumerate().find(|(_, s)| **s == symbol).map(|(id, _)| id) else { continue };
        // Until the last rounds a size depends on what its sizes so far depended on; then on all that the result does.
        let mut deps = new.deps_at(&path).and(old.deps_at(&path));
        if everything {
            deps = deps.and(new.data);
        }
        new.named.insert(id, (deps, Limits::default()));
        set_size(&mut new.shape, &path, super::symbols::at_place(id, &path));
    }
    let before = old.claims();
    new.facts.retain(|f| !everything && before.contains(&&f.claim));
    for (id, (deps, limits)) in &mut new.named {
        let (before, known) = old.named.get(id).cloned().unwrap_or_default();
        *deps = deps.and(before);
        limits.low.take_if(|low| everything || known.low.as_ref() != Some(low));
        limits.high.take_if(|high| everything || known.high.as_ref() != Some(high));
    }
    new.data = new.data.and(old.data);
    new
}

fn collect(shape: &Shape, path: &mut Vec<Step>, see: &mut dyn FnMut(&[Step], &Size)) {
    match shape {
        Shape::Integer(size) => see(path, size),
        Shape::Other => {}
        Shape::Tuple(parts) => {
            for (k, part) in parts.iter().enumerate() {
                super::symbols::within(path, Step::Field(k), |path| collect(part, path, see));
            }
        }
        Shape::Array(length, elem) => {
            see(path, length);
            super::symbols::within(path, Step::Element, |path| collect(elem, path, see));
        }
        Shape::Sum(variants) => {
            for (tag, fields) in variants.iter().enumerate() {
                for (k, field) in fields.iter().enumerate() {
                    super::symbols::within(path, Step::Variant(tag, k), |path| collect(field, path, see));
                }
            }
        }
    }
}

pub(super) fn set_size(shape: &mut Shape, path: &[Step], size: Size) {
    match (shape, path.split_first()) {
        (Shape::Integer(old) | Shape::Array(old, _), None) => *old = size,
        (Shape::Array(_, elem), Some((Step::Element, rest))) => set_size(elem, rest, size),
        (Shape::Tuple(parts), Some((Step::Field(k), rest))) => set_size(&mut parts[*k], rest, size),
        (Shape::Sum(variants), Some((Step::Variant(tag, k), rest))) => set_size(&mut variants[*tag][*k], rest, size),
        _ => {}
    }
}
