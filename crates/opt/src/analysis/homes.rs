//! Where the scalars of the host level live: on the host or on the device.
//!
//! What an operator computes, and what is read from a column, is on the device; so is everything computed from it. Branches
//! and loops of the host program, and allocations, need numbers on the host. A number that is *demanded* there is brought
//! over as late and as rarely as possible:
//!
//! ```text
//! def wave(n, …)            n is demanded (`if n == 0`), so it is a host parameter,
//!   let k = reduce …        k is on the device,
//!   wave(k, …)              and the caller reads k once, before the call.
//! ```
//!
//! Parameters, loop states and results of branches and calls need one home on all paths; this analysis chooses it. Demand
//! only grows while it runs, and a demanded parameter, state or result of a branch is a host one, so the iteration ends. It knows nothing about
//! order: inside a straight piece of program the lowering itself remembers what it has already read.

use std::collections::BTreeSet;
use terrace_base::IdVec;
use terrace_ir::flat::{Body, Expr, Function, Program, Stmt, Type};
use terrace_ir::{Atom, FuncId, ValueId, value_of};

/// What is known about one function.
#[derive(Clone, Debug, Default)]
pub struct FunctionHomes {
    /// Scalars that are on the device where they are bound.
    pub device: BTreeSet<ValueId>,
    /// Scalars that the host needs at some point.
    pub demanded: BTreeSet<ValueId>,
    /// For each result, whether it is on the device.
    pub results: Vec<bool>,
}

/// The homes of a program's scalars.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    functions: IdVec<FuncId, FunctionHomes>,
}

impl Homes {
    /// Analyses a program of Flat or Mem.
    pub fn of<A>(program: &Program<A>) -> Homes {
        let empty =
            |f: &Function<A>| FunctionHomes { results: vec![false; f.body.results.len()], ..FunctionHomes::default() };
        let mut homes = Homes { functions: program.functions.iter().map(empty).collect() };
        // Demand does not depend on homes, but homes depend on demand: the first round finds the demand, the second starts
        // from it, so that nothing is taken for a device scalar only because a demand was not known yet.
        homes.settle(program);
        for facts in homes.functions.iter_mut() {
            facts.device.clear();
            facts.results.iter_mut().for_each(|on_device| *on_device = false);
        }
        homes.settle(program);
        homes
    }

    fn settle<A>(&mut self, program: &Program<A>) {
        let homes = self;
        let mut device_params: IdVec<FuncId, BTreeSet<ValueId>> =
            program.functions.iter().map(|_| BTreeSet::new()).collect();
        loop {
            let mut changed = false;
            for (id, function) in program.functions.enumerate() {
                let mut walk = Walk {
                    program,
                    function,
                    homes: &*homes,
                    device: &mut device_params,
                    own: FunctionHomes {
                        device: homes.functions[id].device.clone(),
                        demanded: homes.functions[id].demanded.clone(),
                        results: Vec::new(),
                    },
                    changed: false,
                };
                for p in &function.params {
                    if walk.device[id].contains(p) && !walk.own.demanded.contains(p) {
                        walk.own.device.insert(*p);
                    } else {
                        walk.own.device.remove(p);
                    }
                }
                walk.body(&function.body);
                let results = function.body.results.iter().map(|a| walk.on_device(a)).collect();
                walk.own.results = results;
                changed |= walk.changed;
                let own = walk.own;
                changed |= own.device != homes.functions[id].device
                    || own.demanded != homes.functions[id].demanded
                    || own.results != homes.functions[id].results;
                homes.functions[id] = own;
            }
            if !changed {
                return;
            }
        }
    }

    /// The facts about one function.
    pub fn function(&self, f: FuncId) -> &FunctionHomes {
        &self.functions[f]
    }
}

struct Walk<'a, A> {
    program: &'a Program<A>,
    function: &'a Function<A>,
    homes: &'a Homes,
    device: &'a mut IdVec<FuncId, BTreeSet<ValueId>>,
    own: FunctionHomes,
    changed: bool,
}

impl<A> Walk<'_, A> {
    fn on_device(&self, a: &Atom) -> bool {
        matches!(a, Atom::Var(v) if self.own.device.contains(v))
    }

    fn is_scalar(&self, v: ValueId) -> bool {
        matches!(self.function.values[v].ty, Type::Scalar(_))
    }

    fn mark(&mut self, v: ValueId, device: bool) {
        if device && self.is_scalar(v) {
            self.own.device.insert(v);
        }
    }

    fn demand(&mut self, a: &Atom) {
        if let Atom::Var(v) = a
            && self.is_scalar(*v)
        {
            self.own.demanded.insert(*v);
        }
    }

    fn body(&mut self, body: &Body) {
        for stmt in &body.stmts {
            self.forward(stmt);
        }
        for stmt in body.stmts.iter().rev() {
            self.backward(stmt);
        }
    }

    fn forward(&mut self, stmt: &Stmt) {
        let device = match &stmt.expr {
            Expr::Atom(a) | Expr::Unary(_, a) | Expr::Convert(_, a) => self.on_device(a),
            Expr::Binary(_, a, b) => self.on_device(a) || self.on_device(b),
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) => self.on_device(a) || self.on_device(b) || self.on_device(c),
            Expr::Size(s) => s.vars().into_iter().any(|s| self.own.device.contains(&value_of(s))),
            Expr::Read { .. } | Expr::Op(_) => true,
            Expr::Guard { quantity, .. } => {
                self.demand(quantity);
                false
            }
            Expr::If { cond, then, otherwise } => {
                self.demand(cond);
                self.body(then);
                self.body(otherwise);
                for ((v, a), b) in stmt.binds.iter().zip(&then.results).zip(&otherwise.results) {
                    if self.own.demanded.contains(v) {
                        // The branch that has it on the host already need not ask.
                        self.demand(a);
                        self.demand(b);
                    } else {
                        self.mark(*v, self.on_device(a) || self.on_device(b));
                    }
                }
                false
            }
            Expr::Loop { state, cond, body } => {
                self.looped(&stmt.binds, state, cond, body);
                false
            }
            Expr::Call { function, args } => {
                let callee = &self.program.functions[*function];
                for (p, a) in callee.params.iter().zip(args) {
                    if self.on_device(a) && self.device[*function].insert(*p) {
                        self.changed = true;
                    }
                }
                let results = self.homes.functions[*function].results.clone();
                for (v, device) in stmt.binds.iter().zip(results) {
                    self.mark(*v, device);
                }
                false
            }
            _ => false,
        };
        for v in &stmt.binds {
            self.mark(*v, device);
        }
    }

    fn looped(&mut self, binds: &[ValueId], state: &[(ValueId, Atom)], cond: &Body, body: &Body) {
        for result in &cond.results {
            self.demand(result);
        }
        loop {
            let before = self.own.device.len();
            for ((v, init), result) in state.iter().zip(&body.results) {
                if self.own.demanded.contains(v) {
                    self.own.device.remove(v);
                    self.demand(init);
                    self.demand(result);
                } else if self.on_device(init) || self.on_device(result) {
                    self.mark(*v, true);
                }
            }
            self.body(cond);
            self.body(body);
            if self.own.device.len() == before {
                break;
            }
        }
        for (b, (v, _)) in binds.iter().zip(state) {
            self.mark(*b, self.own.device.contains(v));
        }
    }

    fn backward(&mut self, stmt: &Stmt) {
        let wanted = stmt.binds.iter().any(|v| self.own.demanded.contains(v));
        match &stmt.expr {
            Expr::Atom(a) | Expr::Unary(_, a) | Expr::Convert(_, a) if wanted => self.demand(a),
            Expr::Binary(_, a, b) if wanted => {
                self.demand(a);
                self.demand(b);
            }
            Expr::Fma(a, b, c) | Expr::Select(a, b, c) if wanted => {
                self.demand(a);
                self.demand(b);
                self.demand(c);
            }
            Expr::Size(s) | Expr::Alloc { count: s, .. } if wanted || matches!(stmt.expr, Expr::Alloc { .. }) => {
                for v in s.vars() {
                    self.demand(&Atom::Var(value_of(v)));
                }
            }
            Expr::Call { function, args } => {
                let callee = &self.program.functions[*function];
                let demanded = &self.homes.functions[*function].demanded;
                let wanted: Vec<Atom> =
                    callee.params.iter().zip(args).filter(|(p, _)| demanded.contains(p)).map(|(_, a)| *a).collect();
                for a in wanted {
                    self.demand(&a);
                }
            }
            _ => {}
        }
    }
}
