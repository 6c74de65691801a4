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
//! Each function is lowered once per list of types it is used at; functions that are arguments are written in place.
//! Statements come in the order of evaluation, so the numbers of checks are in that order too within each function, and
//! functions come in source order, followed by the tests and then the instances.

mod array;
mod body;
mod builtin;
mod compare;
mod control;
mod expr;
mod literal;
mod size;

use crate::errors;
use crate::infer::{Module, Progress};
use crate::typed::Checked;
use crate::types::{Ty, Unifier};
use body::Lower;
use terrace_base::{Diagnostic, IdVec, Span};
use terrace_ir::FuncId;
use terrace_ir::check::{CheckId, CheckInfo};
use terrace_ir::core::{Body, Function, Program, Role, Type};

/// An instance needs at least one more call than the one before; programs have far fewer.
const INSTANCE_LIMIT: usize = 2000;

/// The whole program while it is made.
struct Lowering<'a> {
    module: &'a Module<'a>,
    functions: Vec<Function>,
    checks: IdVec<CheckId, CheckInfo>,
    /// Which functions exist at which types.
    instances: Vec<Instance>,
    reports: Vec<Diagnostic>,
}

struct Instance {
    function: usize,
    type_args: Vec<Type>,
    id: FuncId,
}

/// Makes Core of a module without errors.
pub(crate) fn lower(module: &Module<'_>, reports: &mut Vec<Diagnostic>) -> Program {
    let mut all =
        Lowering { module, functions: Vec::new(), checks: IdVec::new(), instances: Vec::new(), reports: Vec::new() };
    for (k, header) in module.headers.iter().enumerate() {
        if header.type_params.is_empty() {
            all.instance(k, Vec::new(), header.name_span);
        }
    }
    let (first_test, mut done) = (all.functions.len(), 0);
    for k in 0..module.tests.len() {
        all.reserve(format!("test_{}", k + 1), Role::Internal, module.tests[k].0.body.span);
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
    Program { functions: IdVec::from_vec(all.functions), checks: all.checks }
}

impl<'a> Lowering<'a> {
    fn checked(&self, function: usize) -> &'a Checked {
        match &self.module.functions[function].progress {
            Progress::Done(checked) => checked,
            _ => unreachable!("every function was inferred"),
        }
    }

    /// The function at these types, to be lowered when its turn comes.
    fn instance(&mut self, function: usize, type_args: Vec<Type>, from: Span) -> FuncId {
        let known = self.instances.iter().find(|i| i.function == function && i.type_args == type_args);
        if let Some(instance) = known {
            return instance.id;
        }
        let header = &self.module.headers[function];
        if self.instances.len() >= INSTANCE_LIMIT {
            if self.reports.iter().all(|r| r.code != "T0121") {
                self.reports.push(errors::endless_instances(&header.name, from));
            }
            return self.instances.last().expect("the limit is not zero").id;
        }
        let mut name = header.name.clone();
        for ty in &type_args {
            name.push_str(&format!("_{}", word_of(ty)));
        }
        let role = if header.exported { Role::Entry } else { Role::Internal };
        let id = self.reserve(name, role, self.module.functions[function].item.span);
        self.instances.push(Instance { function, type_args, id });
        id
    }

    fn reserve(&mut self, name: String, role: Role, span: Span) -> FuncId {
        let mut unique = name.clone();
        let mut k = 2;
        // Names of the module come first; a made-up name gives way.
        while self.functions.iter().any(|f| f.name == unique)
            || unique != name && self.module.headers.iter().any(|h| h.name == unique)
        {
            unique = format!("{name}_{k}");
            k += 1;
        }
        self.functions.push(Function {
            name: unique,
            role,
            values: IdVec::new(),
            params: Vec::new(),
            result: Type::Tuple(Vec::new()),
            body: Body { stmts: Vec::new(), result: terrace_ir::Atom::int(0) },
            span,
        });
        FuncId::new(self.functions.len() - 1)
    }

    fn lower_instance(&mut self, id: FuncId) -> Function {
        let instance = self.instances.iter().find(|i| i.id == id).expect("reserved functions are instances");
        let (function, type_args) = (instance.function, instance.type_args.clone());
        let reserved = &self.functions[id.index()];
        let (name, role, span) = (reserved.name.clone(), reserved.role.clone(), reserved.span);
        let header = &self.module.headers[function];
        let mut lower = Lower::new(self, self.checked(function), type_args);
        let (params, result, body) = lower.function(header);
        Function { name, role, values: lower.values, params, result, body, span }
    }

    fn lower_test(&mut self, test: usize, at: usize) -> Function {
        let (source, checked) = &self.module.tests[test];
        let name = self.functions[at].name.clone();
        let mut lower = Lower::new(self, checked, Vec::new());
        lower.arguments = Some(Vec::new());
        let body = lower.body(|l| l.expr(&checked.body));
        let (params, arguments) = lower.arguments.take().unwrap_or_default().into_iter().unzip();
        let role = Role::Test { name: source.name.clone(), arguments };
        let result = Type::Scalar(terrace_base::ScalarType::Bool);
        Function { name, role, values: lower.values, params, result, body, span: source.body.span }
    }
}

/// The Core type of a type that is fully known.
fn core_type(unifier: &Unifier, ty: &Ty, type_args: &[Type]) -> Type {
    match unifier.head(ty) {
        Ty::Scalar(s) => Type::Scalar(s),
        Ty::Tuple(parts) => Type::Tuple(parts.iter().map(|p| core_type(unifier, p, type_args)).collect()),
        Ty::Array(elem) => Type::array(core_type(unifier, &elem, type_args)),
        Ty::Param(k) => type_args[k].clone(),
        Ty::Var(_) | Ty::Error => unreachable!("inference without errors leaves no type open"),
    }
}

fn word_of(ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.name().to_string(),
        Type::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(word_of).collect();
            format!("t{}_{}", parts.len(), parts.join("_"))
        }
        Type::Array(array) => format!("a_{}", word_of(&array.elem)),
    }
}
