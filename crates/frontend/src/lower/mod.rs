//! The typed tree to Core: specialised, first order, every intermediate value named.
//!
//! ```text
//! [x * v[j] for (j, x) in row]
//!
//! map (elem_3) in row_0 {
//!   let j_4 : i32 = elem_3.0
//!   let x_5 : f64 = elem_3.1
//!   let k_6 : i64 = convert i64 j_4
//!   …
//!   check 0 index ok_10 (k_6, len_7)
//!   let t_11 : f64 = v_1[k_6] after 0
//!   let t_12 : f64 = mul x_5 t_11
//! ```
//!
//! Each function is lowered once per list of types and functions it is used with; functions that are arguments are written
//! in place, and what a lambda mentions from outside becomes a parameter of the function that it is given to:
//!
//! ```text
//! def apply(f: (i64) -> i64, x: i64) -> i64 = f(x)
//! entry main(a: i64) -> i64 = apply(|x| x + a, 1)
//!
//! apply_fn(x_0 : i64, a_1 : i64) -> i64 { add x_0 a_1 }
//! main(a_0 : i64) -> i64 { apply_fn(1, a_0) }
//! ```
//!
//! Functions of the library that do not call themselves are expanded at the call, under the place of the call. Statements
//! come in the order of evaluation, so the numbers of checks are in that order too within each function, and functions come
//! in source order, followed by the tests and then the instances. Only what the root module reaches is lowered.
//!
//! | module | idea |
//! | --- | --- |
//! | `body` | the function being written |
//! | `frame`, `closure`, `call` | whose names count, functions as arguments, calls |
//! | `expr`, `control`, `matching`, `choice`, `array`, `place`, `record` | the forms of expressions |
//! | `builtin`, `shape`, `compare` | built-in functions, comparisons |
//! | `size`, `size_check`, `size_function` | sizes that types state |
//! | `literal`, `surface`, `types` | literals of tests, entries as their callers see them, types |

mod array;
mod body;
mod builtin;
mod call;
mod choice;
mod closure;
mod compare;
mod control;
mod expr;
mod frame;
mod free;
mod literal;
mod matching;
mod place;
mod record;
mod shape;
mod size;
mod size_check;
mod size_function;
pub(crate) mod surface;
mod types;

use crate::infer::{Module, Progress};
use crate::signature::{Param, SizedType};
use crate::typed::{Checked, Kind};
use crate::types::Ty;
use body::Lower;
use closure::Portable;
use frame::{Chain, Frame};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use terrace_base::{Diagnostic, IdVec, ScalarType, Span};
use terrace_ir::FuncId;
use terrace_ir::check::{CheckId, CheckInfo};
use terrace_ir::core::visit::walk;
use terrace_ir::core::{Body, Expr, Function, Program, Role, StmtKind, Type};

/// The whole program while it is made.
struct Lowering<'a> {
    module: &'a Module<'a>,
    functions: Vec<Function>,
    checks: IdVec<CheckId, CheckInfo>,
    /// Which functions exist, with what they were specialised for.
    instances: BTreeMap<(usize, String), FuncId>,
    /// What is still to be lowered, by number.
    waiting: BTreeMap<FuncId, Instance<'a>>,
    names: Names,
    /// Which functions of the library can reach themselves.
    recursive: BTreeMap<usize, bool>,
    reports: Vec<Diagnostic>,
}

/// A function with what it is specialised for.
struct Instance<'a> {
    function: usize,
    type_args: Vec<Type>,
    functions: Vec<Portable<'a>>,
    chain: Rc<Chain>,
}

/// The names of functions: each is given once.
#[derive(Default)]
struct Names {
    /// Names of the root module, to which a made-up name gives way.
    declared: BTreeSet<String>,
    taken: BTreeSet<String>,
    next: BTreeMap<String, usize>,
}

impl Names {
    fn give(&mut self, name: String) -> String {
        let mut unique = name.clone();
        while self.taken.contains(&unique) || unique != name && self.declared.contains(&unique) {
            let next = self.next.entry(name.clone()).or_insert(2);
            unique = format!("{name}_{next}");
            *next += 1;
        }
        self.taken.insert(unique.clone());
        unique
    }
}

/// Makes Core of a module without errors.
pub(crate) fn lower(module: &Module<'_>, reports: &mut Vec<Diagnostic>) -> Program {
    let root = |k: &usize| module.headers[*k].module == module.root;
    let mut all = Lowering {
        module,
        functions: Vec::new(),
        checks: IdVec::new(),
        instances: BTreeMap::new(),
        waiting: BTreeMap::new(),
        names: Names::default(),
        recursive: BTreeMap::new(),
        reports: Vec::new(),
    };
    all.names.declared = (0..module.headers.len()).filter(root).map(|k| module.headers[k].name.clone()).collect();
    for k in (0..module.headers.len()).filter(root) {
        let header = &module.headers[k];
        if header.type_params.is_empty() && !header.params.iter().any(is_function) && !all.is_literal(k) {
            all.instance(k, Vec::new(), Vec::new(), None, header.name_span);
        }
    }
    let (first_test, mut done) = (all.functions.len(), 0);
    for k in 0..module.tests.len() {
        all.reserve(format!("test_{}", k + 1), "a test", Role::Internal, module.tests[k].0.body.span);
    }
    while done < all.functions.len() {
        let function = if (first_test..first_test + module.tests.len()).contains(&done) {
            all.lower_test(done - first_test, done)
        } else {
            all.lower_instance(FuncId::new(done))
        };
        all.functions[done] = function;
        done += 1;
    }
    reports.append(&mut all.reports);
    let mut program = Program { functions: IdVec::from_vec(all.functions), checks: all.checks };
    own_literals(&mut program);
    program
}

/// A literal belongs to the test that it stands in, so a call may consume it; the others stay the caller's, as arrays are elsewhere.
fn own_literals(program: &mut Program) {
    for id in program.functions.ids() {
        if !matches!(program.functions[id].role, Role::Test { .. }) {
            continue;
        }
        let mut gone = BTreeSet::new();
        walk(&program.functions[id].body, &mut |stmt| {
            if let StmtKind::Let { expr: Expr::Call { function, args }, .. } = &stmt.kind {
                let consumed = &program.functions[*function].consumed;
                gone.extend(args.iter().zip(consumed).filter(|(_, c)| **c).filter_map(|(a, _)| a.var()));
            }
        });
        let test = &mut program.functions[id];
        test.consumed = test.params.iter().map(|p| gone.contains(p)).collect();
    }
}

/// Whether a parameter is a function.
fn is_function(param: &Param) -> bool {
    matches!(&param.ty, SizedType::Function(..) | SizedType::Plain(Ty::Function(..)))
}

impl<'a> Lowering<'a> {
    fn checked(&self, function: usize) -> &'a Checked {
        match &self.module.functions[function].progress {
            Progress::Done(checked) => checked,
            _ => unreachable!("every function was inferred"),
        }
    }

    /// Whether a function is a constant that is written as one literal.
    fn is_literal(&self, function: usize) -> bool {
        let literal = |kind: &Kind| matches!(kind, Kind::Int(_) | Kind::NegativeInt(_) | Kind::Real(_) | Kind::Bool(_));
        self.module.headers[function].constant && literal(&self.checked(function).body.kind)
    }

    /// The function at these types and with these functions, to be lowered when its turn comes.
    fn instance(
        &mut self,
        function: usize,
        type_args: Vec<Type>,
        functions: Vec<Portable<'a>>,
        from: Option<&Rc<Chain>>,
        span: Span,
    ) -> FuncId {
        let types: Vec<String> = type_args.iter().map(types::key_of).collect();
        let given: Vec<&str> = functions.iter().map(|f| f.key.as_str()).collect();
        let (types, given) = (types.join(","), given.join(","));
        if let Some(id) = self.refuse_change(function, &types, &given, from, span) {
            return id;
        }
        let key = (function, format!("{types}|{given}"));
        if let Some(id) = self.instances.get(&key) {
            return *id;
        }
        let header = &self.module.headers[function];
        let mut name = header.name.clone();
        for word in type_args.iter().map(types::word_of).chain(functions.iter().map(|f| f.word.clone())) {
            if name.len() + word.len() < 60 {
                name.push_str(&format!("_{word}"));
            }
        }
        let role = if header.exported && header.module == self.module.root { Role::Entry } else { Role::Internal };
        let id = self.reserve(name, &header.name, role, self.module.functions[function].item.span);
        let chain = Rc::new(Chain { function, types, given, span, from: from.cloned(), id });
        self.instances.insert(key, id);
        self.waiting.insert(id, Instance { function, type_args, functions, chain });
        id
    }

    fn reserve(&mut self, name: String, source: &str, role: Role, span: Span) -> FuncId {
        let name = self.names.give(name);
        self.functions.push(Function {
            name,
            source: source.to_string(),
            role,
            values: IdVec::new(),
            params: Vec::new(),
            consumed: Vec::new(),
            result: Type::Tuple(Vec::new()),
            body: Body { stmts: Vec::new(), result: terrace_ir::Atom::int(0) },
            span,
        });
        FuncId::new(self.functions.len() - 1)
    }

    fn lower_instance(&mut self, id: FuncId) -> Function {
        let instance = self.waiting.remove(&id).expect("reserved functions are instances");
        let reserved = &self.functions[id.index()];
        let (name, source, role, span) =
            (reserved.name.clone(), reserved.source.clone(), reserved.role.clone(), reserved.span);
        let header = &self.module.headers[instance.function];
        let frame = Frame::new(self.checked(instance.function), instance.type_args, Some(instance.chain));
        let mut lower = Lower::new(self, frame);
        let (params, consumed, result, body) = lower.function(header, &instance.functions);
        Function { name, source, role, values: lower.values, params, consumed, result, body, span }
    }

    fn lower_test(&mut self, test: usize, at: usize) -> Function {
        let (written, checked) = &self.module.tests[test];
        let (name, source) = (self.functions[at].name.clone(), self.functions[at].source.clone());
        let mut lower = Lower::new(self, Frame::new(checked, Vec::new(), None));
        lower.arguments = Some(Vec::new());
        let mut body = lower.body(|l| l.expr(&checked.body));
        if !lower.variants.is_empty() {
            record::drop_unused_variants(&mut body);
        }
        let (params, arguments): (Vec<_>, Vec<_>) = lower.arguments.take().unwrap_or_default().into_iter().unzip();
        let role = Role::Test { name: written.name.clone(), arguments };
        let consumed = vec![false; params.len()];
        let result = Type::Scalar(ScalarType::Bool);
        let span = written.body.span;
        Function { name, source, role, values: lower.values, params, consumed, result, body, span }
    }
}
