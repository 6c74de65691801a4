//! Whoever reads an element of a view reads what the view shows.
//!
//! ```text
//! let wide = map (row) in grid { pad row … }              map (i, j) … {
//! let rows = slide (pad wide …)                             let t = generate (p) < 9 {
//! map (band) in rows { …                             →        let r = clamp (i + p / 3 - 1)   let c = clamp (j + p % 3 - 1)
//!   let joined = flatten window                               => grid[r][c]
//!   reduce add joined                                       }
//! }                                                         => reduce add t
//! ```
//!
//! A *view* is an array whose elements are elements of another array, found by a little arithmetic on positions: what `slide`, `pad`,
//! `transpose`, `rotate` and strided slices became ([`super::spell_out_views`]), slices, and the same written by hand. An index into a view becomes the
//! view's body at that index, and so on until an array is reached that is stored; a map over a view of rows becomes a `generate`; a slice of
//! a view becomes a view; `flatten` of a view with rows of one constant length becomes one. Arrays that nobody reads any more go
//! with the dead code: windows are never stored, whatever their size and however they are nested (Steuwer and others, "Lift", CGO 2017,
//! section 4, turn the same views into index arithmetic, at the very end).
//!
//! What a view is, and what is too dear to be done for every reader, is in `views.rs`: one read per element, and nothing but index
//! arithmetic before it. A view with checks stays where it is, for its checks; a reader names them (`after`), so it never runs before them.
//!
//! Declined: `flatten` of rows whose length is no constant (it would divide for every element), views that come out of branches and loops,
//! and rows that would be found again and again: in `[[dot(row, column) for column in transpose(b)] for row in a]` each column is wanted for
//! every row, so the transpose is stored, once.

mod views;

use crate::optimise::simplify::scalars;
use std::collections::{BTreeMap, BTreeSet};
use terrace_base::{BinOp, IdVec, ScalarType, Span};
use terrace_ir::check::CheckId;
use terrace_ir::core::visit::{free_values_of_expr, refresh, substitute_with_types, walk};
use terrace_ir::core::{Body, Expr, Lambda, Program, Stmt, StmtKind, Type, Value};
use terrace_ir::{Atom, ValueId};
use views::{View, needed};

const I64: Type = Type::Scalar(ScalarType::I64);

/// Reads through views in all functions.
pub fn read_through_views(program: &mut Program) {
    for function in program.functions.iter_mut() {
        let mut iterated = BTreeSet::new();
        walk(&function.body, &mut |stmt| {
            if let StmtKind::Let { expr: expr @ (Expr::Map { .. } | Expr::Reduce { .. } | Expr::Scan { .. }), .. } =
                &stmt.kind
            {
                iterated.extend(expr.operands().into_iter().filter_map(Atom::var));
            }
        });
        let mut reader = Reader {
            iterated,
            values: &mut function.values,
            views: BTreeMap::new(),
            depths: BTreeMap::new(),
            depth: 0,
            known: BTreeMap::new(),
            sums: BTreeMap::new(),
        };
        reader.body(&mut function.body);
    }
}

struct Reader<'a> {
    /// Arrays that are read from end to end.
    iterated: BTreeSet<ValueId>,
    values: &'a mut IdVec<ValueId, Value>,
    views: BTreeMap<ValueId, View>,
    /// How many operators and loops around each value it depends on, from the outermost one on; nothing is said of parameters.
    depths: BTreeMap<ValueId, usize>,
    /// How many there are around.
    depth: usize,
    /// Copies and small constants.
    known: BTreeMap<ValueId, Atom>,
    /// Integers that are the sum of two others: the length of a slice that ends there.
    sums: BTreeMap<ValueId, (Atom, Atom)>,
}

/// Where new statements stand, and what they rely on.
#[derive(Clone)]
struct Place {
    span: Span,
    after: Vec<CheckId>,
}

impl Reader<'_> {
    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stmts.len());
        for stmt in std::mem::take(&mut body.stmts) {
            self.stmt(stmt, &mut out);
        }
        body.stmts = out;
    }

    /// What a value is called where it comes from.
    fn named(&self, atom: Atom) -> Atom {
        atom.var().and_then(|v| self.known.get(&v).copied()).unwrap_or(atom)
    }

    fn view(&self, array: Atom) -> Option<&View> {
        self.views.get(&self.named(array).var()?)
    }

    fn elem(&self, array: Atom) -> Option<Type> {
        self.values[array.var()?].ty.elem().map(Type::without_sizes)
    }

    fn value(&mut self, name: &str, ty: Type) -> ValueId {
        self.values.push(Value { name: name.to_string(), ty })
    }

    /// Binds a fresh value to what an expression is, seen through views.
    fn bind(&mut self, name: &str, ty: Type, expr: Expr, place: &Place, out: &mut Vec<Stmt>) -> Atom {
        let value = self.value(name, ty);
        let kind = StmtKind::Let { value, expr, after: place.after.clone() };
        self.stmt(Stmt { kind, span: place.span }, out);
        self.named(value.into())
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Vec<Stmt>) {
        let StmtKind::Let { value, expr, after } = &mut stmt.kind else { return out.push(stmt) };
        let (value, place) = (*value, Place { span: stmt.span, after: after.clone() });
        self.depths.extend(expr.binders().into_iter().map(|v| (v, self.depth + 1)));
        if !self.finds_its_rows(expr, &place) {
            let deeper = usize::from(!matches!(expr, Expr::If { .. }));
            self.depth += deeper;
            expr.bodies_mut().into_iter().for_each(|b| self.body(b));
            self.depth -= deeper;
        }
        let as_read = std::mem::replace(expr, Expr::Atom(Atom::int(0)));
        let row = self.iterated.contains(&value)
            && matches!(&as_read, Expr::Index { array, .. } if self.is_found_often(*array, &place));
        *expr = if row { as_read } else { self.through(as_read, &place, out) };
        let depth = free_values_of_expr(expr).iter().filter_map(|v| self.depths.get(v)).max();
        self.depths.extend(depth.map(|d| (value, *d)));
        self.learn(value, expr);
        out.push(stmt);
    }

    /// The same expression, without views where it can do without them.
    fn through(&mut self, expr: Expr, place: &Place, out: &mut Vec<Stmt>) -> Expr {
        match expr {
            Expr::Index { array, index } if self.view(array).is_some() => {
                Expr::Atom(self.element(array, index, place, out))
            }
            Expr::Length(array) => match self.length(array, place, out) {
                Some(length) => Expr::Atom(length),
                None => Expr::Length(array),
            },
            Expr::Slice { array, from, to } if self.is_shown(array) => {
                let count = self.slice_length(from, to, place, out);
                self.generate(count, place, |r, i, place, out| {
                    let at = r.bind("at", I64, Expr::Binary(BinOp::Add, from, i), place, out);
                    r.element(array, at, place, out)
                })
            }
            Expr::Flatten(rows) => self.flatten(rows, place, out).unwrap_or(Expr::Flatten(rows)),
            Expr::Map { lambda, arrays } => self.map(lambda, arrays, place, out),
            other => other,
        }
    }

    /// Whether an array is a view that is more than a part of a stored array.
    fn is_shown(&self, array: Atom) -> bool {
        match self.view(array) {
            Some(View::Slice { array, .. }) => self.is_shown(*array),
            Some(_) => true,
            None => false,
        }
    }

    fn learn(&mut self, value: ValueId, expr: &Expr) {
        match expr {
            Expr::Atom(a) => {
                self.known.insert(value, self.named(*a));
            }
            Expr::Ascribe { value: a, proved: true, .. } if self.view(*a).is_some() => {
                let view = self.view(*a).cloned().expect("asked above");
                self.views.insert(value, view);
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.named(*a), self.named(*b));
                if let Some(atom) = scalars::binary(*op, a, b, self.values[value].ty.scalar()) {
                    self.known.insert(value, atom);
                } else if *op == BinOp::Add {
                    self.sums.insert(value, (a, b));
                }
            }
            other => {
                if let Some(view) = self.view_of(other) {
                    self.views.insert(value, view);
                }
            }
        }
    }

    /// The element of a view at an index; the statements that find it come before.
    fn element(&mut self, array: Atom, index: Atom, place: &Place, out: &mut Vec<Stmt>) -> Atom {
        let (Some(view), Some(ty)) = (self.view(array).cloned(), self.elem(array)) else {
            let ty = self.elem(array).expect("verified Core has an array here");
            return self.bind("x", ty, Expr::Index { array, index }, place, out);
        };
        match view {
            View::Positions(_) => index,
            View::Same(_, value) => value,
            View::Slice { array, from, .. } => {
                let at = self.bind("at", I64, Expr::Binary(BinOp::Add, from, index), place, out);
                self.bind("x", ty, Expr::Index { array, index: at }, place, out)
            }
            View::Body { lambda, arrays, .. } => {
                let params = match arrays.is_empty() {
                    true => vec![index],
                    false => {
                        let each = |r: &mut Self, out: &mut Vec<Stmt>, array: Atom| {
                            let ty = r.elem(array).expect("verified Core has an array here");
                            r.bind("x", ty, Expr::Index { array, index }, place, out)
                        };
                        arrays.into_iter().map(|a| each(self, out, a)).collect()
                    }
                };
                self.written(&lambda, &params, place, out)
            }
        }
    }

    /// What a view's body gives for these parameters, written out.
    fn written(&mut self, lambda: &Lambda, params: &[Atom], place: &Place, out: &mut Vec<Stmt>) -> Atom {
        let mut body = lambda.body.clone();
        refresh(&mut body, self.values);
        let map: BTreeMap<ValueId, Atom> = lambda.params.iter().copied().zip(params.iter().copied()).collect();
        substitute_with_types(&mut body, self.values, &map);
        for mut stmt in body.stmts {
            // Whatever made the index safe makes its element safe.
            if let StmtKind::Let { after, .. } = &mut stmt.kind {
                let more: Vec<CheckId> = place.after.iter().filter(|c| !after.contains(c)).copied().collect();
                after.extend(more);
            }
            self.stmt(stmt, out);
        }
        self.named(body.result)
    }

    fn length(&mut self, array: Atom, place: &Place, out: &mut Vec<Stmt>) -> Option<Atom> {
        match self.view(array)?.clone() {
            View::Positions(count) | View::Same(count, _) => Some(count),
            View::Slice { length, .. } => Some(length),
            View::Body { count: Some(count), .. } => Some(count),
            View::Body { arrays, .. } => {
                let array = *arrays.first()?;
                Some(self.bind("n", I64, Expr::Length(array), place, out))
            }
        }
    }

    /// How many elements lie between two positions.
    fn slice_length(&mut self, from: Atom, to: Atom, place: &Place, out: &mut Vec<Stmt>) -> Atom {
        let known = self.known_slice_length(from, to);
        known.unwrap_or_else(|| self.bind("n", I64, Expr::Binary(BinOp::Sub, to, from), place, out))
    }

    fn known_slice_length(&self, from: Atom, to: Atom) -> Option<Atom> {
        let (from, to) = (self.named(from), self.named(to));
        if from == Atom::int(0) {
            return Some(to);
        }
        match self.sums.get(&to.var()?) {
            Some((a, b)) if *a == from => Some(*b),
            Some((a, b)) if *b == from => Some(*a),
            _ => None,
        }
    }

    fn generate(
        &mut self,
        count: Atom,
        place: &Place,
        f: impl FnOnce(&mut Self, Atom, &Place, &mut Vec<Stmt>) -> Atom,
    ) -> Expr {
        let i = self.value("i", I64);
        let mut stmts = Vec::new();
        self.depth += 1;
        self.depths.insert(i, self.depth);
        let result = f(self, i.into(), place, &mut stmts);
        self.depth -= 1;
        Expr::Generate { lambda: Lambda { params: vec![i], body: Body { stmts, result } }, count }
    }

    /// Rows of one constant length, one after the other.
    fn flatten(&mut self, rows: Atom, place: &Place, out: &mut Vec<Stmt>) -> Option<Expr> {
        if !self.is_shown(rows) {
            return None;
        }
        let length = self.row_length(rows, place)?;
        let count = self.length(rows, place, out)?;
        let total = self.bind("total", I64, Expr::Binary(BinOp::Mul, count, Atom::int(length)), place, out);
        Some(self.generate(total, place, |r, p, place, out| {
            let i = r.bind("i", I64, Expr::Binary(BinOp::Div, p, Atom::int(length)), place, out);
            let j = r.bind("j", I64, Expr::Binary(BinOp::Rem, p, Atom::int(length)), place, out);
            let row = r.element(rows, i, place, out);
            r.element(row, j, place, out)
        }))
    }

    /// The length of every row of a view, where that is a constant above zero and rows are views.
    fn row_length(&mut self, rows: Atom, place: &Place) -> Option<i64> {
        let index = self.value("i", I64);
        let mut unused = Vec::new();
        let row = self.element(rows, index.into(), place, &mut unused);
        self.view(row)?;
        let length = self.length(row, place, &mut unused)?;
        self.named(length).constant()?.as_i64().filter(|n| *n > 0)
    }

    /// Whether an expression is a map over views of rows.
    fn finds_its_rows(&mut self, expr: &Expr, place: &Place) -> bool {
        matches!(expr, Expr::Map { arrays, .. } if arrays.iter().any(|a| self.shows_rows(*a, place)))
    }

    fn shows_rows(&mut self, array: Atom, place: &Place) -> bool {
        let rows = self.is_shown(array) && self.elem(array).is_some_and(|t| t.elem().is_some());
        rows && !self.is_found_often(array, place)
    }

    /// Whether the rows of a view from further out are long, for all we know, and would be found again at every point here.
    fn is_found_often(&mut self, array: Atom, place: &Place) -> bool {
        let rows_of_scalars = self.elem(array).and_then(|row| row.elem().map(Type::is_flat)) == Some(true);
        let depth = self.named(array).var().and_then(|v| self.depths.get(&v)).copied().unwrap_or(0);
        rows_of_scalars && self.is_shown(array) && depth < self.depth && self.row_length(array, place).is_none()
    }

    /// A map over views of rows finds its rows itself.
    fn map(&mut self, lambda: Lambda, arrays: Vec<Atom>, place: &Place, out: &mut Vec<Stmt>) -> Expr {
        let through: Vec<bool> = arrays.iter().map(|a| self.shows_rows(*a, place)).collect();
        let Some(first) = through.iter().position(|t| *t) else { return Expr::Map { lambda, arrays } };
        let count = self.length(arrays[first], place, out).expect("a view has a length");
        let i = self.value("i", I64);
        self.depths.insert(i, self.depth + 1);
        let (mut stmts, mut known) = (Vec::new(), BTreeMap::new());
        let (mut params, mut stored) = (vec![i], Vec::new());
        for ((param, array), through) in lambda.params.into_iter().zip(arrays).zip(through) {
            if through {
                self.depth += 1;
                known.insert(param, self.element(array, i.into(), place, &mut stmts));
                self.depth -= 1;
            } else {
                params.push(param);
                stored.push(array);
            }
        }
        let mut body = lambda.body;
        substitute_with_types(&mut body, self.values, &known);
        self.known.extend(known);
        self.depth += 1;
        self.body(&mut body);
        self.depth -= 1;
        body.stmts.splice(0..0, stmts);
        let lambda = Lambda { params, body };
        match stored.is_empty() {
            true => Expr::Generate { lambda, count },
            false => {
                let positions = self.bind("positions", Type::array(I64), Expr::Iota(count), place, out);
                stored.insert(0, positions);
                Expr::Map { lambda, arrays: stored }
            }
        }
    }

    fn view_of(&self, expr: &Expr) -> Option<View> {
        match expr {
            Expr::Iota(n) => Some(View::Positions(*n)),
            Expr::Replicate { count, value } => Some(View::Same(*count, *value)),
            Expr::Slice { array, from, to } => {
                let length = self.known_slice_length(*from, *to)?;
                Some(View::Slice { array: *array, from: *from, length })
            }
            Expr::Generate { lambda, count } => self.body_view(lambda, Vec::new(), Some(*count)),
            Expr::Map { lambda, arrays } => self.body_view(lambda, arrays.clone(), None),
            _ => None,
        }
    }

    fn body_view(&self, lambda: &Lambda, arrays: Vec<Atom>, count: Option<Atom>) -> Option<View> {
        let lambda = Lambda { params: lambda.params.clone(), body: needed(&lambda.body) };
        views::is_view(&lambda, !arrays.is_empty(), self.values).then_some(View::Body { lambda, arrays, count })
    }
}

#[cfg(test)]
mod tests {
    use super::read_through_views;
    use crate::optimise::simplify_core::simplify_core;
    use terrace_ir::core::parse::parse;
    use terrace_ir::core::print::print;
    use terrace_ir::core::verify::verify;
    use terrace_ir::core::visit::count_operators;

    /// The text of a function of `xs_0`, `ks_1` and `i_2` afterwards, and how many operators it has.
    fn read(body: &str) -> (String, usize) {
        let text = format!(
            "check 0 : index\n\ndef f(xs_0 : []f64, ks_1 : []i64, i_2 : i64, rows_3 : [][]f64) -> f64 {{\n{body}}}\n"
        );
        let mut program = parse(&text).expect("the text of a test is Core");
        verify(&program).expect("the text of a test keeps the rules");
        read_through_views(&mut program);
        verify(&program).expect("the result keeps the rules");
        simplify_core(&mut program);
        verify(&program).expect("and after simplification");
        (print(&program), count_operators(&program).values().sum())
    }

    /// Element `i_2` of `v_4`.
    const READ: &str = "let y_9 : f64 = v_4[i_2]\n=> y_9";

    #[test]
    fn an_element_of_a_view_is_read_from_what_it_shows() {
        let (text, operators) = read(&format!(
            "let n_5 : i64 = length xs_0
             let v_4 : []f64 = generate (j_6 : i64) < n_5 {{ let k_7 : i64 = n_5 - j_6; let x_8 : f64 = xs_0[k_7]; => x_8 }}
             {READ}"
        ));
        assert!(operators == 0 && text.contains("- i_2"), "{text}");
    }

    #[test]
    fn what_computes_or_reads_twice_is_no_view() {
        for body in [
            "let x_7 : f64 = xs_0[j_6]; let x_8 : f64 = x_7 * x_7",
            "let k_7 : i64 = ks_1[j_6]; let x_8 : f64 = xs_0[k_7]",
        ] {
            let (text, operators) = read(&format!(
                "let n_5 : i64 = length xs_0
                 let v_4 : []f64 = generate (j_6 : i64) < n_5 {{ {body}; => x_8 }}
                 {READ}"
            ));
            assert_eq!(operators, 1, "{text}");
        }
    }

    #[test]
    fn windows_go_and_flattening_them_is_arithmetic() {
        let (text, operators) = read(
            "let n_4 : i64 = length rows_3
             let w_5 : [][]f64 = generate (a_6 : i64) < 2 {
               let row_7 : []f64 = rows_3[a_6]
               let to_8 : i64 = i_2 + 3
               let part_9 : []f64 = row_7[i_2 .. to_8]
               => part_9
             }
             let all_10 : []f64 = flatten w_5
             let s_11 : f64 = reduce (a_12 : f64, b_13 : f64) in all_10 from 0.0f64 { let c_14 : f64 = a_12 + b_13; => c_14 }
             => s_11",
        );
        assert!(operators == 2 && text.contains("< 6") && text.contains("/ 3"), "{text}");
    }

    #[test]
    fn rows_that_every_point_would_find_again_are_stored() {
        let (text, _) = read(
            "let n_5 : i64 = length rows_3
             let t_6 : [][]f64 = generate (j_7 : i64) < i_2 {
               let c_8 : []f64 = generate (k_9 : i64) < n_5 { let r_10 : []f64 = rows_3[k_9]; let x_11 : f64 = r_10[j_7]; => x_11 }
               => c_8
             }
             let all_12 : []f64 = map (row_13 : []f64) in rows_3 {
               let each_14 : []f64 = map (col_15 : []f64) in t_6 {
                 let p_16 : []f64 = map (a_17 : f64, b_18 : f64) in row_13, col_15 { let m_19 : f64 = a_17 * b_18; => m_19 }
                 let s_20 : f64 = reduce (a_21 : f64, b_22 : f64) in p_16 from 0.0f64 { let c_23 : f64 = a_21 + b_22; => c_23 }
                 => s_20
               }
               let s_24 : f64 = reduce (a_25 : f64, b_26 : f64) in each_14 from 0.0f64 { let c_27 : f64 = a_25 + b_26; => c_27 }
               => s_24
             }
             let s_28 : f64 = reduce (a_29 : f64, b_30 : f64) in all_12 from 0.0f64 { let c_31 : f64 = a_29 + b_30; => c_31 }
             => s_28",
        );
        assert!(text.contains("in t_6") || text.contains("map (col"), "{text}");
    }

    #[test]
    fn checks_of_a_view_stay_and_come_first() {
        let (text, operators) = read(
            "let n_5 : i64 = length xs_0
             let v_4 : []f64 = generate (j_6 : i64) < n_5 {
               let ok_7 : bool = j_6 < i_2
               check 0 index ok_7 (j_6, i_2)
               let x_8 : f64 = xs_0[j_6] after 0
               => x_8
             }
             let y_9 : f64 = v_4[i_2]
             => y_9",
        );
        assert!(operators == 1 && text.contains("xs_0[i_2] after 0"), "{text}");
    }
}
