//! The walk over a function: a label for every value, in order of the text.
//!
//! ```text
//! let m = len(row)             the same where rows are equally long
//! let ys = map f over row      as regular as row; the same array everywhere if row and all that f mentions are
//! if m < 2 then … else …       m < 2 is the same at all points: the two sides may differ
//! ```
//!
//! `parallel` says whether the code runs at many points. At the host everything is the same, and only rows have something to
//! be said about them.

use super::super::form::{Form, How};
use super::{Pattern, Search};
use std::collections::BTreeMap;
use terrace_algebra::Size;
use terrace_ir::core::visit::free_values_of_expr;
use terrace_ir::core::{Body, Expr, Function, Lambda, LoopForm, StmtKind, Type};
use terrace_ir::shape::{FunctionShapes, Shape};
use terrace_ir::{Atom, FuncId, ValueId};

/// After so many rounds the state of a loop is given up.
const ROUNDS: usize = 12;

pub(super) struct Walk<'s, 'a> {
    search: &'s mut Search<'a>,
    id: FuncId,
    function: &'a Function,
    pub(super) shapes: &'a FunctionShapes,
    pub(super) values: BTreeMap<ValueId, Form>,
    pub(super) regularity: bool,
    parallel: bool,
    alone: bool,
}

impl<'s, 'a> Walk<'s, 'a> {
    pub(super) fn new(search: &'s mut Search<'a>, f: FuncId, pattern: &Pattern) -> Walk<'s, 'a> {
        let function = &search.program.functions[f];
        let values = function.params.iter().copied().zip(pattern.params.iter().cloned()).collect();
        let shapes = &search.analysis.shapes.functions[f];
        let regularity = search.regularity;
        Walk { search, id: f, function, shapes, values, regularity, parallel: pattern.lifted, alone: pattern.alone }
    }

    fn label(&self, atom: Atom) -> Form {
        match atom {
            Atom::Const(c) => Form::Same(c.ty()),
            Atom::Var(v) => match self.values.get(&v) {
                Some(label) => label.clone(),
                None => self.unknown(&self.function.values[v].ty),
            },
        }
    }

    /// What is certain of any value of a type.
    fn unknown(&self, ty: &Type) -> Form {
        if self.parallel { Form::per_point(ty) } else { Form::view(ty) }
    }

    fn array(&self, atom: Atom) -> (How, Form) {
        match self.label(atom) {
            Form::Array(how, elem) => (how, *elem),
            _ => unreachable!("the verifier of Core wants an array here"),
        }
    }

    fn is_same(&self, atom: Atom) -> bool {
        self.label(atom).is_same()
    }

    /// Nothing if the body never comes to its end.
    pub(super) fn body(&mut self, body: &Body) -> Option<Form> {
        for stmt in &body.stmts {
            let StmtKind::Let { value, expr, .. } = &stmt.kind else { continue };
            // What an earlier round said of it must not be a reason for what it is now.
            self.values.remove(value);
            let label = self.expr(*value, expr)?;
            let label = self.refined(*value, label);
            self.values.insert(*value, label);
        }
        Some(self.label(body.result))
    }

    /// The body of a parallel operator.
    fn lambda(&mut self, lambda: &Lambda, params: Vec<Form>) -> Option<Form> {
        let parallel = std::mem::replace(&mut self.parallel, true);
        for (param, label) in lambda.params.iter().zip(params) {
            self.values.remove(param);
            let label = self.refined(*param, label);
            self.values.insert(*param, label);
        }
        let result = self.body(&lambda.body);
        if let Some(point) = self.search.points.get(self.id, lambda).filter(|_| !self.alone) {
            let pattern = Pattern::of_point(point.given.iter().map(|v| self.label(Atom::Var(*v))));
            self.search.function(point.function, &pattern);
        }
        self.parallel = parallel;
        result
    }

    /// Whether an expression has one value for all points: then it is computed once.
    fn all_same(&self, expr: &Expr) -> bool {
        !self.parallel || free_values_of_expr(expr).iter().all(|v| self.values.get(v).is_none_or(Form::is_same))
    }

    /// How an array lies that an operator makes: of one length if `regular`.
    fn made(&self, expr: &Expr, regular: bool) -> How {
        match (self.all_same(expr), regular && self.regularity) {
            (true, _) => How::Whole,
            (false, true) => How::Packed,
            (false, false) => How::Irregular,
        }
    }

    fn made_scalar(&self, expr: &Expr, ty: &Type) -> Form {
        if self.all_same(expr) { Form::view(ty) } else { Form::per_point(ty) }
    }

    fn rows(&self, elem: Form) -> Form {
        if self.regularity { elem.as_element() } else { elem.apart() }
    }

    fn expr(&mut self, value: ValueId, expr: &Expr) -> Option<Form> {
        let ty = &self.function.values[value].ty;
        Some(match expr {
            Expr::Atom(a) | Expr::Ascribe { value: a, .. } => self.label(*a),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Fma(..) | Expr::Convert(..) => self.made_scalar(expr, ty),
            Expr::Tuple(parts) => Form::Tuple(parts.iter().map(|p| self.label(*p)).collect()),
            Expr::Project(a, k) => match self.label(*a) {
                Form::Tuple(mut parts) => parts.swap_remove(*k),
                _ => unreachable!("the verifier of Core wants a tuple here"),
            },
            Expr::Length(a) => {
                let same = !self.parallel || self.array(*a).0.is_regular();
                if same { Form::view(ty) } else { Form::per_point(ty) }
            }
            Expr::Index { array, index } => {
                let (how, elem) = self.array(*array);
                if how.is_same() && self.is_same(*index) { one_of(&elem) } else { item(&elem, How::Regular) }
            }
            Expr::Slice { array, from, to } => {
                let (how, elem) = self.array(*array);
                let fixed = self.is_same(*from) && self.is_same(*to);
                let how = match how {
                    how if how.is_same() && fixed => How::View,
                    _ if fixed && self.regularity => How::Regular,
                    _ => How::Irregular,
                };
                Form::Array(how, Box::new(elem))
            }
            Expr::Zip(arrays) => {
                let (hows, elems): (Vec<How>, Vec<Form>) = arrays.iter().map(|a| self.array(*a)).unzip();
                let how = hows.into_iter().reduce(zipped).unwrap_or(How::Whole);
                Form::Array(how, Box::new(Form::Tuple(elems)))
            }
            Expr::Iota(count) => Form::Array(self.made(expr, self.is_same(*count)), Box::new(self.row_type(ty))),
            Expr::Generate { lambda, count } => {
                let how = self.made(expr, self.is_same(*count));
                let index = Form::Each(terrace_base::ScalarType::I64);
                let elem = self.lambda(lambda, vec![index])?;
                Form::Array(how, Box::new(self.rows(elem)))
            }
            Expr::Replicate { count, value } => {
                let how = self.made(expr, self.is_same(*count));
                // Copies of what differs from point to point are views of it.
                let elem = self.rows(self.label(*value)).unpacked();
                Form::Array(how, Box::new(elem))
            }
            Expr::Map { lambda, arrays } => {
                let labels: Vec<(How, Form)> = arrays.iter().map(|a| self.array(*a)).collect();
                let how = self.made(expr, labels.iter().any(|(how, _)| how.is_regular()));
                let items = labels.iter().map(|(how, elem)| item(elem, *how)).collect();
                let elem = self.lambda(lambda, items)?;
                Form::Array(how, Box::new(self.rows(elem)))
            }
            Expr::Filter { predicate, array } => {
                let (how, elem) = self.array(*array);
                self.lambda(predicate, vec![item(&elem, how)])?;
                Form::Array(self.made(expr, false), Box::new(self.rows(elem).unpacked()))
            }
            Expr::Reduce { operator, array, .. } | Expr::Scan { operator, array, .. } => {
                let (how, elem) = self.array(*array);
                let operand = Form::per_point(&self.function.values[operator.params[0]].ty);
                self.lambda(operator, vec![operand.clone(), operand])?;
                match expr {
                    Expr::Scan { .. } => {
                        let elem = if ty.elem().is_some_and(Type::is_flat) { elem } else { self.row_type(ty) };
                        Form::Array(self.made(expr, how.is_regular()), Box::new(elem))
                    }
                    _ => self.made_scalar(expr, ty),
                }
            }
            Expr::Concat(arrays) => {
                let regular = arrays.iter().all(|a| self.array(*a).0.is_regular());
                self.copied(value, Form::Array(self.made(expr, regular), Box::new(self.row_type(ty))))
            }
            Expr::ArrayLiteral { .. } => {
                self.copied(value, Form::Array(self.made(expr, true), Box::new(self.row_type(ty))))
            }
            Expr::If { cond, then, otherwise } => {
                let uniform = self.is_same(*cond);
                let (a, b) = (self.body(then), self.body(otherwise));
                match (a, b) {
                    (Some(a), Some(b)) if uniform => a.join(&b),
                    (None, None) => return None,
                    (Some(a), None) | (None, Some(a)) if uniform => a,
                    // Arrays from outside are not copied.
                    (Some(a), Some(b)) if a.is_same() && b.is_same() => self.merged(value).unpacked(),
                    _ => self.merged(value),
                }
            }
            Expr::Loop { state, init, form, body } => {
                let (label, in_step) = self.loop_(*state, *init, form, body)?;
                // Points that stop at different turns need not agree on what they do in each.
                if in_step { label } else { self.merged(value) }
            }
            Expr::Call { function, args } => {
                let args = args.iter().map(|a| self.label(*a)).collect();
                self.search.call(*function, args, self.parallel, self.alone)?
            }
            Expr::Update { array, .. } | Expr::Scatter { array, .. } | Expr::UpdateStrided { array, .. } => {
                let (how, elem) = self.array(*array);
                let how = match how {
                    _ if self.all_same(expr) => How::Whole,
                    how if how.is_regular() && self.regularity => How::Packed,
                    _ => How::Irregular,
                };
                // A row may be replaced by one of another length. Else rows stay where they are, or are copied and packed.
                let rows = if self.changes_rows(expr) { elem.apart() } else { self.rows(elem).packed() };
                Form::Array(how, Box::new(rows))
            }
            Expr::Sort { array, .. } => {
                let (how, elem) = self.array(*array);
                Form::Array(self.made(expr, how.is_regular()), Box::new(self.rows(elem).unpacked()))
            }
            Expr::Hist { operator, count, .. } => {
                let operand = Form::per_point(&self.function.values[operator.params[0]].ty);
                self.lambda(operator, vec![operand.clone(), operand])?;
                Form::Array(self.made(expr, self.is_same(*count)), Box::new(self.row_type(ty)))
            }
            Expr::Match { arms, .. } => {
                for arm in arms {
                    let params = arm.params.iter().map(|p| (*p, self.unknown(&self.function.values[*p].ty)));
                    let params: Vec<(ValueId, Form)> = params.collect();
                    self.values.extend(params);
                    self.body(&arm.body);
                }
                self.merged(value)
            }
            _ => self.unknown(ty),
        })
    }

    /// Whether an update may change how long the rows of its array are, and where they lie.
    fn changes_rows(&self, expr: &Expr) -> bool {
        let (array, value, above, below) = match expr {
            Expr::Update { array, indices, value } => (array, value, indices.len(), 0),
            Expr::UpdateStrided { array, strides, values } => (array, values, 1, strides.dims.len()),
            Expr::Scatter { array, values, .. } => (array, values, 1, 1),
            _ => return false,
        };
        let Atom::Var(v) = value else { return false };
        let mut ty = &self.function.values[*v].ty;
        for _ in 0..below {
            ty = ty.elem().unwrap_or(ty);
        }
        if ty.is_flat() {
            return false;
        }
        let old = array.var().and_then(|a| self.row_length(a, above));
        let new = self.row_length(*v, below);
        let regular = matches!(self.array(*array).1, Form::Array(how, rows) if how.is_regular() && rows.is_flat());
        !(regular && above == 1 && old.is_some() && old == new)
    }

    /// The length of the arrays so many dimensions below a value, where all of them have one.
    fn row_length(&self, value: ValueId, depth: usize) -> Option<&Size> {
        let mut shape = self.shapes.values.get(&value)?;
        for _ in 0..depth {
            let Shape::Array(_, elem) = shape else { return None };
            shape = elem;
        }
        match shape {
            Shape::Array(length, _) if self.is_same_size(length) => Some(length),
            _ => None,
        }
    }

    /// Elements of which only the type is known.
    fn row_type(&self, ty: &Type) -> Form {
        ty.elem().map(Form::per_point).unwrap_or_else(|| Form::Tuple(Vec::new()))
    }

    /// What may come from different places at different points: where the shape analysis knows one length, it is regular.
    fn merged(&self, value: ValueId) -> Form {
        let ty = &self.function.values[value].ty;
        match self.parallel {
            true => self.refined(value, Form::per_point(ty)).packed(),
            false => Form::view(ty),
        }
    }

    /// An array whose rows were copied, one after the other.
    fn copied(&self, value: ValueId, label: Form) -> Form {
        match self.refined(value, label) {
            Form::Array(how, elem) => Form::Array(how, Box::new(elem.packed())),
            other => other,
        }
    }

    /// The label of a loop's state, and whether all points stop at the same turn.
    fn loop_(&mut self, state: ValueId, init: Atom, form: &LoopForm, body: &Body) -> Option<(Form, bool)> {
        let ty = self.function.values[state].ty.clone();
        let mut label = self.label(init);
        let mut in_step = true;
        for round in 0..ROUNDS {
            if round + 1 == ROUNDS {
                label = self.unknown(&ty);
            }
            self.values.remove(&state);
            label = self.refined(state, label);
            self.values.insert(state, label.clone());
            let same = match form {
                LoopForm::While(cond) => self.body(cond)?.is_same(),
                LoopForm::For { index, count } => {
                    let same = self.is_same(*count);
                    // All points are in the same iteration; those that have finished take no part.
                    self.values.insert(*index, Form::Same(terrace_base::ScalarType::I64));
                    same
                }
            };
            in_step = same || !self.parallel;
            let Some(next) = self.body(body) else { break };
            self.values.remove(&state);
            let next = if in_step { next } else { self.refined(state, next.apart()).packed() };
            let new = self.refined(state, after(&label, &next));
            self.values.insert(state, label.clone());
            if new == label || round + 1 == ROUNDS {
                break;
            }
            label = new;
        }
        Some((label, in_step))
    }
}

/// The state of a loop that has one form and then another: rows that the body makes anew are packed from the start.
fn after(state: &Form, next: &Form) -> Form {
    match (state, next) {
        (Form::Tuple(a), Form::Tuple(b)) => Form::Tuple(a.iter().zip(b).map(|(x, y)| after(x, y)).collect()),
        (Form::Array(a, x), Form::Array(b, y)) => {
            let how = match (a, b) {
                (a, How::Packed) if a.is_regular() => How::Packed,
                (How::View, How::Whole) => How::Whole,
                _ => match Form::Array(*a, x.clone()).join(&Form::Array(*b, y.clone())) {
                    Form::Array(how, _) => how,
                    _ => unreachable!("arrays were joined"),
                },
            };
            Form::Array(how, Box::new(after(x, y)))
        }
        _ => state.join(next),
    }
}

/// An element of an array, another one at each point.
fn item(elem: &Form, array: How) -> Form {
    match elem {
        Form::Each(s) | Form::Same(s) => Form::Each(*s),
        Form::Tuple(parts) => Form::Tuple(parts.iter().map(|p| item(p, array)).collect()),
        Form::Array(how, below) => {
            let how = match (array, how) {
                (_, How::Irregular) => How::Irregular,
                (How::Whole | How::Packed, How::Packed) => How::Packed,
                _ => How::Regular,
            };
            Form::Array(how, below.clone())
        }
    }
}

/// The same element of the same array.
fn one_of(elem: &Form) -> Form {
    match elem {
        Form::Each(s) | Form::Same(s) => Form::Same(*s),
        Form::Tuple(parts) => Form::Tuple(parts.iter().map(one_of).collect()),
        Form::Array(_, below) => Form::Array(How::View, below.clone()),
    }
}

/// Arrays of one length side by side.
fn zipped(a: How, b: How) -> How {
    match (a, b) {
        (a, b) if a.is_same() && b.is_same() => How::View,
        (How::Packed, How::Packed) => How::Packed,
        (How::Irregular, How::Irregular) => How::Irregular,
        _ => How::Regular,
    }
}
