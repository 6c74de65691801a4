//! Flat and Mem as text.
//!
//! ```text
//! entry spmv(n_0 : i64, off_1 : i64[n_0 + 1], …) -> (f64[n_0])
//!   takes [length][off](i32, f64), [length]f64
//!   gives [length]f64
//! {
//!   let out_6 : f64[n_0] = reduce grid [n_0][off_1] (i_7, j_8 | p_9, q_10) by s_13 : f64 = a_11 + b_12 from 0.0 {
//!     …
//!     => product_17
//!   }
//!   => out_6
//! }
//! ```
//!
//! A bound follows the type where there is one (`m_3 : i64 <= n_0`), and in Mem a place follows both
//! (`@ b_20 + 0 {n_0 by 1}`). Indices and positions are `i64` and say no type. A dimension `[n_0]` is regular when `n_0` is a scalar and
//! irregular when it is a column of offsets.

use super::note::Note;
use super::{
    Body, Descriptor, Expr, Function, Level, Op, OpKind, Operator, Program, Role, Rows, ScanForm, SortForm, Stmt, Type,
    Value,
};
use crate::mem::Place;
use crate::text::write::{block, check_name, checks, commas, data, function_name, quoted, thresholds};
use crate::{Atom, ValueId, value_of};
use std::fmt;
use terrace_algebra::{Size, SizeVar};
use terrace_base::IdVec;
use terrace_plan::print::layout;

/// A longer head of a function has a line per parameter.
const LONGEST: usize = 120;

/// The whole program.
pub fn print<A: Note>(program: &Program<A>) -> String {
    let mut parts = Vec::new();
    if !program.checks.is_empty() {
        parts.push(checks(&program.checks));
    }
    if !program.thresholds.is_empty() {
        parts.push(thresholds(&program.thresholds));
    }
    parts.extend(program.functions.iter().map(|f| print_function(program, f)));
    parts.join("\n")
}

/// One function of a program.
pub fn print_function<A: Note>(program: &Program<A>, function: &Function<A>) -> String {
    let p = Printer { program, values: &function.values };
    let name = function_name(&function.name);
    let params = commas(&function.params, |v| p.binder(*v));
    let results = commas(&function.results, |t| p.ty(t));
    let (word, with) = match &function.role {
        Role::Internal => ("def".to_string(), String::new()),
        Role::Entry => ("entry".to_string(), String::new()),
        Role::Test { name, arguments } => {
            (format!("test {}", quoted(name)), format!("\n  with ({})", commas(arguments, data)))
        }
    };
    let mut head = format!("{word} {name}({params}) -> ({results}){with}");
    if head.lines().next().is_some_and(|l| l.len() > LONGEST) {
        let each: String = function.params.iter().map(|v| format!("  {},\n", p.binder(*v))).collect();
        head = format!("{word} {name}(\n{each}) -> ({results}){with}");
    }
    let mut end = " ";
    if !function.param_layouts.is_empty() {
        head += &format!("\n  takes {}", commas(&function.param_layouts, layout));
        end = "\n";
    }
    if let Some(result) = &function.result_layout {
        head += &format!("\n  gives {}", layout(result));
        end = "\n";
    }
    if !function.owned.is_empty() {
        head += &format!("\n  owns {}", commas(&function.owned, |v| value_name(&function.values, *v)));
        end = "\n";
    }
    let lines: String = p.lines(&function.body, 1).iter().map(|l| format!("  {l}\n")).collect();
    format!("{head}{end}{{\n{lines}}}\n")
}

/// A body on its own, with the names of a function's values; checks and functions are not named.
pub fn print_body<A: Note>(values: &IdVec<ValueId, Value<A>>, body: &Body) -> String {
    let program = Program { functions: IdVec::new(), checks: IdVec::new(), thresholds: IdVec::new() };
    Printer { program: &program, values }.body(body, 0)
}

/// The first line of a statement, for messages.
pub(crate) fn first_line<A: Note>(program: &Program<A>, function: &Function<A>, stmt: &Stmt) -> String {
    let text = Printer { program, values: &function.values }.stmt(stmt, 0);
    text.lines().next().unwrap_or_default().to_string()
}

/// A type, with the names of a function's values.
pub fn print_type<A>(values: &IdVec<ValueId, Value<A>>, ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.to_string(),
        Type::Column { elem, length } => format!("{elem}[{}]", print_size(values, length)),
        Type::Block => "block".into(),
    }
}

/// A size, with the names of a function's values.
pub fn print_size<A>(values: &IdVec<ValueId, Value<A>>, size: &Size) -> String {
    size.display(&|s: SizeVar| value_name(values, value_of(s))).to_string()
}

/// A value's name and number; one that is not in the table prints as the size variable it is.
pub fn value_name<A>(values: &IdVec<ValueId, Value<A>>, value: ValueId) -> String {
    match values.get(value) {
        Some(known) => format!("{}_{value}", known.name),
        None => format!("s{value}"),
    }
}

impl<A: Note> fmt::Display for Program<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Grid => "grid",
            Level::Block => "block",
            Level::Thread => "thread",
        })
    }
}

struct Printer<'a, A> {
    program: &'a Program<A>,
    values: &'a IdVec<ValueId, Value<A>>,
}

impl<A: Note> Printer<'_, A> {
    fn name(&self, v: ValueId) -> String {
        value_name(self.values, v)
    }

    fn names(&self, vs: &[ValueId]) -> String {
        commas(vs, |v| self.name(*v))
    }

    fn atom(&self, a: &Atom) -> String {
        match a {
            Atom::Var(v) => self.name(*v),
            Atom::Const(c) => c.to_string(),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        commas(atoms, |a| self.atom(a))
    }

    fn ty(&self, ty: &Type) -> String {
        print_type(self.values, ty)
    }

    fn size(&self, size: &Size) -> String {
        print_size(self.values, size)
    }

    fn place(&self, place: &Place) -> String {
        let dims = commas(&place.index.dims, |d| format!("{} by {}", self.size(&d.count), self.size(&d.stride)));
        format!("{} + {} {{{dims}}}", self.name(place.block), self.size(&place.index.offset))
    }

    fn bound_and_place(&self, v: ValueId) -> String {
        let Some(value) = self.values.get(v) else {
            return String::new();
        };
        let bound = value.bound.as_ref().map(|b| format!(" <= {}", self.size(b)));
        let place = value.at.place().map(|p| format!(" @ {}", self.place(p)));
        bound.into_iter().chain(place).collect()
    }

    fn binder(&self, v: ValueId) -> String {
        let ty = self.values.get(v).map(|value| format!(" : {}", self.ty(&value.ty))).unwrap_or_default();
        format!("{}{ty}{}", self.name(v), self.bound_and_place(v))
    }

    fn binders(&self, vs: &[ValueId]) -> String {
        commas(vs, |v| self.binder(*v))
    }

    fn index_binders(&self, vs: &[ValueId]) -> String {
        commas(vs, |v| format!("{}{}", self.name(*v), self.bound_and_place(*v)))
    }

    fn lines(&self, body: &Body, depth: usize) -> Vec<String> {
        let mut lines: Vec<String> = body.stmts.iter().map(|s| self.stmt(s, depth)).collect();
        if !body.results.is_empty() {
            lines.push(format!("=> {}", self.atoms(&body.results)));
        }
        lines
    }

    fn body(&self, body: &Body, depth: usize) -> String {
        block(&self.lines(body, depth + 1), depth)
    }

    fn stmt(&self, stmt: &Stmt, depth: usize) -> String {
        let expr = self.expr(&stmt.expr, depth);
        match stmt.binds.as_slice() {
            [] if matches!(stmt.expr, Expr::Check { .. }) => expr,
            [] => format!("let () = {expr}"),
            binds => format!("let {} = {expr}", self.binders(binds)),
        }
    }

    fn expr(&self, expr: &Expr, depth: usize) -> String {
        let a = |atom: &Atom| self.atom(atom);
        match expr {
            Expr::Atom(x) => a(x),
            Expr::Unary(op, x) => format!("{} {}", op.word(), a(x)),
            Expr::Binary(op, x, y) => format!("{} {} {}", a(x), op.symbol(), a(y)),
            Expr::Fma(x, y, z) => format!("fma({}, {}, {})", a(x), a(y), a(z)),
            Expr::Convert(to, x) => format!("{to}({})", a(x)),
            Expr::Select(c, x, y) => format!("select({}, {}, {})", a(c), a(x), a(y)),
            Expr::Size(size) => format!("size {}", self.size(size)),
            Expr::Read { column, at } => format!("{}[{}]", self.name(*column), a(at)),
            Expr::Check { check, cond, values } => {
                let name = check_name(&self.program.checks, *check);
                format!("check {name} {} ({})", a(cond), self.atoms(values))
            }
            Expr::If { cond, then, otherwise } => {
                format!("if {} {} else {}", a(cond), self.body(then, depth), self.body(otherwise, depth))
            }
            Expr::Loop { state, cond, body } => {
                let state = commas(state, |(v, init)| format!("{} = {}", self.binder(*v), a(init)));
                let space = if state.is_empty() { "" } else { " " };
                format!("loop {state}{space}while {} do {}", self.body(cond, depth), self.body(body, depth))
            }
            Expr::Call { function, args } => {
                let name = self.program.functions.get(*function).map_or("unknown", |f| f.name.as_str());
                format!("call {}({})", function_name(name), self.atoms(args))
            }
            Expr::Keep { function, args } => {
                let name = self.program.functions.get(*function).map_or("unknown", |f| f.name.as_str());
                format!("keep {}({})", function_name(name), self.atoms(args))
            }
            Expr::Take(x) => format!("take {}", a(x)),
            Expr::MemoryLimit => "memory_limit".into(),
            Expr::Guard { threshold, quantity } => {
                let name = self.program.thresholds.get(*threshold).map_or("unknown", |t| t.name.as_str());
                format!("guard {threshold} {} {}", quoted(name), a(quantity))
            }
            Expr::Literal(items) => format!("[{}]", self.atoms(items)),
            Expr::Concat(columns) => format!("concat({})", self.names(columns)),
            Expr::Op(op) => self.op(op, depth),
            Expr::Alloc { elem, count } => format!("alloc {elem} {}", self.size(count)),
        }
    }

    fn op(&self, op: &Op, depth: usize) -> String {
        let space: String = op.space.iter().map(|d| format!("[{}]", self.dimension(d))).collect();
        let (indices, positions) = (self.index_binders(&op.indices), self.index_binders(&op.positions));
        let kind = match &op.kind {
            OpKind::Map { rows: None } | OpKind::Pack | OpKind::Sort { form: SortForm::Order } => String::new(),
            OpKind::Sort { form: SortForm::Keys } => " keys".into(),
            OpKind::Map { rows: Some(Rows::From(rows)) } => format!(" rows {}", self.name(*rows)),
            OpKind::Map { rows: Some(Rows::Apart(length)) } => format!(" rows of {}", self.atom(length)),
            OpKind::Reduce { operator, neutral, masked } => {
                let masked = if *masked { " masked" } else { "" };
                format!("{}{masked}", self.combine(operator, neutral, depth))
            }
            OpKind::Scan { operator, neutral, form } => {
                let form = match form {
                    ScanForm::Inclusive => "inclusive",
                    ScanForm::Offsets => "offsets",
                };
                format!("{} {form}", self.combine(operator, neutral, depth))
            }
            OpKind::Scatter { dest, distinct } => {
                let distinct = if *distinct { " distinct" } else { "" };
                format!(" into {}{distinct}", self.names(dest)).trim_end().to_string()
            }
            OpKind::Hist { operator, neutral, count } => {
                format!(" bins {}{}", self.atom(count), self.combine(operator, neutral, depth))
            }
        };
        let head = format!("{} {} {space} ({indices} | {positions}){kind}", op.name(), op.level);
        format!("{head} {}", self.body(&op.body, depth))
    }

    fn combine(&self, operator: &Operator, neutral: &[Atom], depth: usize) -> String {
        if let (Some(_), [stmt]) = (operator.as_binary(), operator.body.stmts.as_slice()) {
            // Operands have the type of the result.
            let plain = [operator.left[0], operator.right[0]].iter().all(|v| {
                let (operand, result) = (&self.values[*v], &self.values[stmt.binds[0]]);
                operand.ty == result.ty && operand.bound.is_none() && operand.at.place().is_none()
            });
            if plain {
                let (bind, expr) = (self.binders(&stmt.binds), self.expr(&stmt.expr, depth));
                return format!(" by {bind} = {expr} from {}", self.atoms(neutral));
            }
        }
        let (left, right) = (self.binders(&operator.left), self.binders(&operator.right));
        format!(" by ({left} | {right}) {} from {}", self.body(&operator.body, depth), self.atoms(neutral))
    }

    fn dimension(&self, d: &Descriptor) -> String {
        match d {
            Descriptor::Regular(a) => self.atom(a),
            Descriptor::Closed { around, length } => {
                format!("({}) {}", self.names(around), self.size(length))
            }
            Descriptor::PerAncestor { depth, lengths, base } => {
                format!("per {depth} {} from {}", self.name(*lengths), self.name(*base))
            }
            Descriptor::Irregular { off, start: None } => self.name(*off),
            Descriptor::Irregular { off, start: Some(start) } => {
                format!("{} at {}", self.name(*off), self.name(*start))
            }
        }
    }
}
