//! Core as text.
//!
//! ```text
//! def sum_of_squares(xs_0 : []f64) -> f64 {
//!   let squares_1 : []f64 = map (x_2 : f64) in xs_0 { let y_3 : f64 = x_2 * x_2; => y_3 }
//!   let total_4 : f64 = reduce (a_5 : f64, b_6 : f64) in squares_1 from 0.0 { let c_7 : f64 = a_5 + b_6; => c_7 }
//!   => total_4
//! }
//! ```
//!
//! One statement is one line, unless it has bodies. `=>` gives a body's result. The list of checks stands first. Source
//! spans are not printed: [`super::parse::erase_spans`] says exactly what the text leaves out.

use super::{
    Body, Expr, Function, Lambda, LoopForm, PadMode, Program, Role, Stmt, StmtKind, Strides, Type, Value, VariantType,
};
use crate::shape::{FunctionShapes, Shape, Shapes, Step, Symbol, as_symbol};
use crate::text::write::{block, check_name, checks, commas, data, function_name, quoted, tuple};
use crate::{Atom, ValueId, value_of};
use std::fmt;
use terrace_algebra::{Size, SizeVar};
use terrace_base::IdVec;

/// The whole program.
pub fn print(program: &Program) -> String {
    let mut parts = Vec::new();
    if !program.checks.is_empty() {
        parts.push(checks(&program.checks));
    }
    parts.extend(program.functions.iter().map(|f| print_function(program, f)));
    parts.join("\n")
}

/// The whole program, with the inferred shape of every value where else its type stands:
/// `let n_2 : i64(len(xs_0)) = length xs_0`.
pub fn print_with_shapes(program: &Program, shapes: &Shapes) -> String {
    let mut parts = Vec::new();
    if !program.checks.is_empty() {
        parts.push(checks(&program.checks));
    }
    let function =
        |(id, f)| function_text(&Printer { shapes: shapes.functions.get(id), ..Printer::new(program, f) }, f);
    parts.extend(program.functions.enumerate().map(function));
    parts.join("\n")
}

/// One function of a program.
pub fn print_function(program: &Program, function: &Function) -> String {
    function_text(&Printer::new(program, function), function)
}

fn function_text(p: &Printer, function: &Function) -> String {
    let name = function_name(&function.name);
    let params = commas(function.params.iter().enumerate(), |(k, v)| match function.consumed.get(k) {
        Some(true) => p.binder(*v).replacen(" : ", " : *", 1),
        _ => p.binder(*v),
    });
    let result = p.ty(&function.result);
    let head = match &function.role {
        Role::Internal => format!("def {name}({params}) -> {result}"),
        Role::Entry => format!("entry {name}({params}) -> {result}"),
        Role::Test { name: test, arguments } => {
            let arguments = commas(arguments, data);
            format!("test {} {name}({params}) -> {result} with ({arguments})", quoted(test))
        }
    };
    format!("{head} {{\n{}}}\n", p.lines(&function.body, 1).iter().map(|l| format!("  {l}\n")).collect::<String>())
}

/// The first line of a statement, for messages.
pub(crate) fn first_line(program: &Program, function: &Function, stmt: &Stmt) -> String {
    let text = Printer::new(program, function).stmt(stmt, 0);
    text.lines().next().unwrap_or_default().to_string()
}

/// A type, with the names of a function's values.
pub fn print_type(values: &IdVec<ValueId, Value>, ty: &Type) -> String {
    match ty {
        Type::Scalar(s) => s.to_string(),
        Type::Tuple(parts) => tuple(parts.iter(), |t| print_type(values, t)),
        Type::Sum(variants) => {
            let text = |v: &VariantType| match v.fields.as_slice() {
                [] => v.name.clone(),
                fields => format!("{}({})", v.name, commas(fields, |t| print_type(values, t))),
            };
            format!("<{}>", variants.iter().map(text).collect::<Vec<_>>().join(" | "))
        }
        Type::Array(a) => {
            let length = a.length.as_ref().map(|n| print_size(values, n));
            let dim = match (a.position, length) {
                (None, None) => String::new(),
                (None, Some(n)) => n,
                (Some(i), n) => format!("{} < {}", value_name(values, value_of(i)), n.unwrap_or_else(|| "_".into())),
            };
            format!("[{dim}]{}", print_type(values, &a.elem))
        }
    }
}

/// A size, with the names of a function's values.
pub fn print_size(values: &IdVec<ValueId, Value>, size: &Size) -> String {
    size.display(&|s: SizeVar| value_name(values, value_of(s))).to_string()
}

/// A value's name and number; one that is not in the table prints as the size variable it is.
pub fn value_name(values: &IdVec<ValueId, Value>, value: ValueId) -> String {
    match values.get(value) {
        Some(known) => format!("{}_{value}", known.name),
        None => format!("s{value}"),
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

fn check_word(proved: bool) -> &'static str {
    if proved { "proved" } else { "check" }
}

/// The name of a variant; one that the type does not have prints as its number.
fn variant_name(ty: &Type, tag: usize) -> String {
    match ty {
        Type::Sum(variants) if tag < variants.len() => variants[tag].name.clone(),
        _ => format!("unknown_{tag}"),
    }
}

struct Printer<'a> {
    program: &'a Program,
    values: &'a IdVec<ValueId, Value>,
    shapes: Option<&'a FunctionShapes>,
}

impl<'a> Printer<'a> {
    fn new(program: &'a Program, function: &'a Function) -> Printer<'a> {
        Printer { program, values: &function.values, shapes: None }
    }

    fn name(&self, v: ValueId) -> String {
        value_name(self.values, v)
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

    fn binder(&self, v: ValueId) -> String {
        let Some(known) = self.values.get(v) else { return self.name(v) };
        let shape = self.shapes.and_then(|shapes| Some((shapes, shapes.values.get(&v)?)));
        let ty = match shape {
            Some((shapes, shape)) => self.shape(shapes, (v, &mut Vec::new()), &known.ty, shape),
            None => self.ty(&known.ty),
        };
        format!("{} : {ty}", self.name(v))
    }

    /// A type with the sizes of a shape. An integer of which only its name is known prints as its type.
    fn shape(&self, shapes: &FunctionShapes, at: (ValueId, &mut Vec<Step>), ty: &Type, shape: &Shape) -> String {
        let (value, path) = at;
        let size = |size: &Size| shapes.show(size, &|v| self.name(v));
        let mut below = |step: Step, ty: &Type, shape: &Shape| {
            path.push(step);
            let text = self.shape(shapes, (value, &mut *path), ty, shape);
            path.pop();
            text
        };
        match (ty, shape) {
            (Type::Scalar(scalar), Shape::Integer(known)) => {
                let own = as_symbol(known).and_then(|(symbol, _)| shapes.symbols.get(symbol));
                match own == Some(&Symbol::Integer(value, path.clone())) {
                    true => scalar.to_string(),
                    false => format!("{scalar}({})", size(known)),
                }
            }
            (Type::Tuple(types), Shape::Tuple(parts)) => {
                let fields = types.iter().zip(parts).enumerate();
                let texts: Vec<String> = fields.map(|(k, (ty, shape))| below(Step::Field(k), ty, shape)).collect();
                tuple(texts.into_iter(), |text| text)
            }
            (Type::Array(array), Shape::Array(length, elem)) => {
                format!("[{}]{}", size(length), below(Step::Element, &array.elem, elem))
            }
            (Type::Sum(variants), Shape::Sum(known)) => {
                let mut texts = Vec::new();
                for (tag, (variant, fields)) in variants.iter().zip(known).enumerate() {
                    let fields: Vec<String> = (variant.fields.iter().zip(fields).enumerate())
                        .map(|(k, (ty, shape))| below(Step::Variant(tag, k), ty, shape))
                        .collect();
                    let none = fields.is_empty();
                    texts.push(if none {
                        variant.name.clone()
                    } else {
                        format!("{}({})", variant.name, fields.join(", "))
                    });
                }
                format!("<{}>", texts.join(" | "))
            }
            _ => self.ty(ty),
        }
    }

    fn params(&self, lambda: &Lambda) -> String {
        format!("({})", commas(&lambda.params, |v| self.binder(*v)))
    }

    fn lines(&self, body: &Body, depth: usize) -> Vec<String> {
        let mut lines: Vec<String> = body.stmts.iter().map(|s| self.stmt(s, depth)).collect();
        lines.push(format!("=> {}", self.atom(&body.result)));
        lines
    }

    fn body(&self, body: &Body, depth: usize) -> String {
        block(&self.lines(body, depth + 1), depth)
    }

    fn stmt(&self, stmt: &Stmt, depth: usize) -> String {
        match &stmt.kind {
            StmtKind::Let { value, expr, after } => {
                let after = match after.as_slice() {
                    [] => String::new(),
                    checks => format!(" after {}", commas(checks, |c| c.to_string())),
                };
                format!("let {} = {}{after}", self.binder(*value), self.expr(expr, depth))
            }
            StmtKind::Check { check, cond, values, proved } => {
                let (word, name) = (check_word(*proved), check_name(&self.program.checks, *check));
                format!("{word} {name} {} ({})", self.atom(cond), self.atoms(values))
            }
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
            Expr::Tuple(parts) => tuple(parts.iter(), a),
            Expr::Project(x, field) => format!("{}.{field}", a(x)),
            Expr::ArrayLiteral { elem, elems } => {
                format!("[{}] of {}", self.atoms(elems), self.ty(elem))
            }
            Expr::Length(x) => format!("length {}", a(x)),
            Expr::Index { array, index } => format!("{}[{}]", a(array), a(index)),
            Expr::Slice { array, from, to } => format!("{}[{} .. {}]", a(array), a(from), a(to)),
            Expr::Iota(n) => format!("iota {}", a(n)),
            Expr::Replicate { count, value } => format!("replicate {} {}", a(count), a(value)),
            Expr::Strided { array, strides } => format!("strided {}{}", a(array), self.strides(strides)),
            Expr::Extent(strides) => format!("extent {}", self.strides(strides)),
            Expr::Disjoint(strides) => format!("disjoint {}", self.strides(strides)),
            Expr::Update { array, indices, value } => {
                format!("update {}[{}] = {}", a(array), self.atoms(indices), a(value))
            }
            Expr::UpdateStrided { array, strides, values } => {
                format!("update {}{} = {}", a(array), self.strides(strides), a(values))
            }
            Expr::Scatter { array, indices, values } => {
                format!("scatter {} {} {}", a(array), a(indices), a(values))
            }
            Expr::Hist { operator, neutral, count, indices, values } => format!(
                "hist {} in {}, {} < {} from {} {}",
                self.params(operator),
                a(indices),
                a(values),
                a(count),
                a(neutral),
                self.body(&operator.body, depth)
            ),
            Expr::Sort { keys, array } => format!("sort {} by {}", a(array), a(keys)),
            Expr::Precedes(x, y) => format!("precedes {} {}", a(x), a(y)),
            Expr::Flatten(x) => format!("flatten {}", a(x)),
            Expr::Partition { sizes, array } => format!("partition {} by {}", a(array), a(sizes)),
            Expr::Reshape { array, dims } => format!("reshape {} to {}", a(array), tuple(dims.iter(), a)),
            Expr::Slide { size, step, array } => format!("slide {} size {} step {}", a(array), a(size), a(step)),
            Expr::Pad { left, right, mode, array } => {
                let mode = match mode {
                    PadMode::Clamp => "clamp".to_string(),
                    PadMode::Wrap => "wrap".to_string(),
                    PadMode::Mirror => "mirror".to_string(),
                    PadMode::Constant(x) => format!("constant {}", a(x)),
                };
                format!("pad {} left {} right {} {mode}", a(array), a(left), a(right))
            }
            Expr::Rotate { by, array } => format!("rotate {} by {}", a(array), a(by)),
            Expr::Transpose(x) => format!("transpose {}", a(x)),
            Expr::Variant { ty, tag, fields } => {
                let fields = if fields.is_empty() { String::new() } else { format!("({})", self.atoms(fields)) };
                format!("variant {}{fields} of {}", variant_name(ty, *tag), self.ty(ty))
            }
            Expr::Match { value, arms } => {
                let unknown = Type::Sum(Vec::new());
                let ty = value.var().and_then(|v| self.values.get(v)).map_or(&unknown, |known| &known.ty);
                let arm = |(tag, arm): (usize, &Lambda)| {
                    let params = if arm.params.is_empty() { String::new() } else { self.params(arm) };
                    format!("{}{params} {}", variant_name(ty, tag), self.body(&arm.body, depth + 1))
                };
                let arms: Vec<String> = arms.iter().enumerate().map(arm).collect();
                format!("match {} {}", a(value), block(&arms, depth))
            }
            Expr::Concat(parts) => format!("concat({})", self.atoms(parts)),
            Expr::Zip(parts) => format!("zip({})", self.atoms(parts)),
            Expr::Map { lambda, arrays } => {
                format!("map {} in {} {}", self.params(lambda), self.atoms(arrays), self.body(&lambda.body, depth))
            }
            Expr::Generate { lambda, count } => {
                format!("generate {} < {} {}", self.params(lambda), a(count), self.body(&lambda.body, depth))
            }
            Expr::Filter { predicate, array } => {
                format!("filter {} in {} {}", self.params(predicate), a(array), self.body(&predicate.body, depth))
            }
            Expr::Reduce { operator, neutral, array } => self.combine("reduce", operator, neutral, array, depth),
            Expr::Scan { operator, neutral, array } => self.combine("scan", operator, neutral, array, depth),
            Expr::If { cond, then, otherwise } => {
                format!("if {} {} else {}", a(cond), self.body(then, depth), self.body(otherwise, depth))
            }
            Expr::Loop { state, init, form, body } => {
                let form = match form {
                    LoopForm::While(cond) => format!("while {}", self.body(cond, depth)),
                    LoopForm::For { index, count } => {
                        format!("for {} < {}", self.name(*index), a(count))
                    }
                };
                format!("loop {} = {} {form} do {}", self.binder(*state), a(init), self.body(body, depth))
            }
            Expr::Call { function, args } => {
                let name = self.program.functions.get(*function).map_or("unknown", |f| f.name.as_str());
                format!("call {}({})", function_name(name), self.atoms(args))
            }
            Expr::Ascribe { value, ty, check, proved } => {
                format!("ascribe {} : {} {} {check}", a(value), self.ty(ty), check_word(*proved))
            }
        }
    }

    fn strides(&self, strides: &Strides) -> String {
        let dims = commas(&strides.dims, |(count, stride)| format!("{} by {}", self.atom(count), self.atom(stride)));
        format!("[{}; {dims}]", self.atom(&strides.offset))
    }

    fn combine(&self, word: &str, operator: &Lambda, neutral: &Atom, array: &Atom, depth: usize) -> String {
        format!(
            "{word} {} in {} from {} {}",
            self.params(operator),
            self.atom(array),
            self.atom(neutral),
            self.body(&operator.body, depth)
        )
    }
}
