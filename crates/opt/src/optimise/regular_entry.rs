//! A second body of an entry, for data that happen to be rectangular.
//!
//! ```text
//! entry row_sums(rows_0 : [][]f64) -> []f64            entry row_sums(rows_0 : [][m_9]f64) -> []f64 {
//!                                                        let len_5 : i64 = length rows_0
//!   …                                                    let some_6 : bool = 0 < len_5
//!                                                        let m_9 : i64 = if some_6 { …length rows_0[0]… } else { => 0 }
//!                                                        …
//! ```
//!
//! A parameter `[][]f64` promises nothing about its rows, so whatever runs over them carries offsets. Often the rows have
//! one length all the same. The copy of the entry that is made here says so in the types of its parameters: every dimension below
//! another one that states no size gets one, taken from the first row. What follows from it, regular spaces above all, is
//! the business of the passes that come later. Whoever calls the entry looks once whether the data are of that kind
//! ([`is_rectangular`]) and takes this body then, else the general one. Both mean the same.
//!
//! The result is a program of its own: the copy, under the entry's name, and the functions that it calls. Thus nobody
//! who does not need the second body ever sees it. All dimensions are stated together: one body more, and one test. And
//! it is made only where something is irregular in the general body and is no longer in this one: a parallel operator, or rows that are
//! taken in step. (An operator over zipped rows may be regular in both, since one of them is; the other is still found by offsets.)
//!
//! Declined: dimensions inside enums, which have no first value to ask, and those below a dimension that names its positions
//! (`[i < n][i + 1][]f64`): its first row may be empty where others are not.

use super::inline_calls::{callees, inline_calls};
use crate::analysis::shapes::analyse;
use std::collections::{BTreeMap, BTreeSet};
use terrace_algebra::Size;
use terrace_base::{BinOp, IdVec, ScalarType, Span};
use terrace_ir::core::visit::{walk, walk_mut};
use terrace_ir::core::{ArrayType, Body, Expr, Function, Program, Role, Stmt, StmtKind, Type, Value};
use terrace_ir::shape::{Regularity, Shape};
use terrace_ir::{Atom, FuncId, ValueId, size_var};
use terrace_plan::data::Data;

/// The program that runs an entry on rectangular data; none where all nested dimensions have a size already, or where nothing
/// in the entry becomes regular by it.
pub fn regular_entry(program: &Program, entry: FuncId) -> Option<Program> {
    let general = &program.functions[entry];
    let regular = with_callees(program, entry, stated(general)?);
    let (few, many) = (irregular(&regular), irregular(&with_callees(program, entry, general.clone())));
    (few.0 < many.0 || few.1 < many.1).then_some(regular)
}

/// How many parallel operators run over rows of any lengths, and how many such rows are taken in step with others, as the compiled back ends see
/// the program.
fn irregular(program: &Program) -> (usize, usize) {
    let mut program = program.clone();
    inline_calls(&mut program);
    let shapes = analyse(&program).shapes;
    let operators = shapes.functions.iter().flat_map(|f| &f.parallel);
    let operators = operators.filter(|p| p.regularity == Regularity::Irregular).count();
    let mut rows = 0;
    for (function, shapes) in program.functions.iter().zip(shapes.functions.iter()) {
        let zipped = zipped(&function.body);
        let looked_up =
            |v: &ValueId| shapes.values.get(v).and_then(Shape::length).is_some_and(|n| !n.funs().is_empty());
        rows += zipped.iter().filter(|v| looked_up(v)).count();
    }
    (operators, rows)
}

/// The arrays that are taken in step with others.
fn zipped(body: &Body) -> BTreeSet<ValueId> {
    let mut found = BTreeSet::new();
    walk(body, &mut |stmt| {
        if let StmtKind::Let { expr: Expr::Zip(arrays), .. } = &stmt.kind {
            found.extend(arrays.iter().filter_map(|a| a.var()));
        }
    });
    found
}

/// A body for an entry and the functions that it calls.
fn with_callees(program: &Program, entry: FuncId, body: Function) -> Program {
    let mut kept = BTreeSet::new();
    let mut open = callees(&body.body);
    while let Some(id) = open.pop() {
        if kept.insert(id) {
            open.extend(callees(&program.functions[id].body));
        }
    }
    let mut functions = IdVec::new();
    let mut new_ids = BTreeMap::new();
    for id in kept {
        let mut function = program.functions[id].clone();
        function.role = Role::Internal;
        if id == entry {
            // A recursion goes on in the general body: what it is called with may have other rows.
            function.name = other_name(program, &function.name);
        }
        new_ids.insert(id, functions.push(function));
    }
    functions.push(body);
    for function in functions.iter_mut() {
        walk_mut(&mut function.body, &mut |stmt| {
            if let StmtKind::Let { expr: Expr::Call { function, .. }, .. } = &mut stmt.kind {
                *function = new_ids[function];
            }
        });
    }
    Program { functions, checks: program.checks.clone() }
}

fn other_name(program: &Program, name: &str) -> String {
    let mut other = format!("{name}_general");
    while program.functions.iter().any(|f| f.name == other) {
        other.push('_');
    }
    other
}

/// Whether an argument fits the body for rectangular data: rows of every dimension of its type that states no size have one
/// length. Only lengths are looked at. `ty` is the type of the parameter in the general body.
pub fn is_rectangular(ty: &Type, data: &Data) -> bool {
    let mut lengths = Vec::new();
    first_lengths(ty, Some(data), false, &mut lengths);
    has_lengths(ty, data, false, &mut lengths.iter())
}

/// How many dimensions of a type [`is_rectangular`] looks at.
pub fn ragged_dimensions(ty: &Type) -> usize {
    ragged(ty, false)
}

fn ragged(ty: &Type, inside: bool) -> usize {
    match ty {
        Type::Scalar(_) | Type::Sum(_) => 0,
        Type::Tuple(types) => types.iter().map(|ty| ragged(ty, inside)).sum(),
        Type::Array(array) if array.position.is_some() => usize::from(lacks_size(array, inside)),
        Type::Array(array) => usize::from(lacks_size(array, inside)) + ragged(&array.elem, true),
    }
}

fn lacks_size(array: &ArrayType, inside: bool) -> bool {
    inside && array.length.is_none()
}

/// The lengths that the prologue of the regular body finds, in the order of the type.
fn first_lengths(ty: &Type, data: Option<&Data>, inside: bool, out: &mut Vec<usize>) {
    match ty {
        Type::Scalar(_) | Type::Sum(_) => {}
        Type::Tuple(types) => {
            let parts = match data {
                Some(Data::Tuple(parts)) => parts.as_slice(),
                _ => &[],
            };
            types.iter().enumerate().for_each(|(k, ty)| first_lengths(ty, parts.get(k), inside, out));
        }
        Type::Array(array) => {
            let items = match data {
                Some(Data::Array(items)) => items.as_slice(),
                _ => &[],
            };
            if lacks_size(array, inside) {
                out.push(items.len());
            }
            if array.position.is_none() {
                first_lengths(&array.elem, items.first(), true, out);
            }
        }
    }
}

fn has_lengths(ty: &Type, data: &Data, inside: bool, lengths: &mut std::slice::Iter<'_, usize>) -> bool {
    match (ty, data) {
        (Type::Tuple(types), Data::Tuple(parts)) => {
            types.len() == parts.len()
                && types.iter().zip(parts).all(|(ty, part)| has_lengths(ty, part, inside, lengths))
        }
        (Type::Array(array), Data::Array(items)) => {
            if lacks_size(array, inside) && lengths.next() != Some(&items.len()) {
                return false;
            }
            let below = if array.position.is_some() { 0 } else { ragged(&array.elem, true) };
            let here = lengths.clone();
            for _ in 0..below {
                lengths.next();
            }
            below == 0 || items.iter().all(|item| has_lengths(&array.elem, item, true, &mut here.clone()))
        }
        (Type::Scalar(_), _) | (Type::Sum(_), _) => true,
        _ => false,
    }
}

/// One step from a parameter to a part of it.
#[derive(Clone, Copy)]
enum Step {
    Component(usize),
    First,
}

/// The entry with sizes in the types of its parameters.
fn stated(entry: &Function) -> Option<Function> {
    let mut function = entry.clone();
    let mut prologue = Prologue { values: &mut function.values, stmts: Vec::new(), span: entry.span };
    for param in &entry.params {
        let ty = prologue.stated(*param, &entry.values[*param].ty, false, &mut Vec::new());
        prologue.values[*param].ty = ty;
    }
    let stmts = prologue.stmts;
    if stmts.is_empty() {
        return None;
    }
    function.body.stmts.splice(0..0, stmts);
    Some(function)
}

/// The statements that find the sizes.
struct Prologue<'f> {
    values: &'f mut IdVec<ValueId, Value>,
    stmts: Vec<Stmt>,
    span: Span,
}

impl Prologue<'_> {
    fn stated(&mut self, param: ValueId, ty: &Type, inside: bool, path: &mut Vec<Step>) -> Type {
        match ty {
            Type::Scalar(_) | Type::Sum(_) => ty.clone(),
            Type::Tuple(types) => {
                let mut parts = Vec::new();
                for (k, ty) in types.iter().enumerate() {
                    path.push(Step::Component(k));
                    parts.push(self.stated(param, ty, inside, path));
                    path.pop();
                }
                Type::Tuple(parts)
            }
            Type::Array(array) => {
                let length = match lacks_size(array, inside) {
                    true => Some(Size::var(size_var(self.size(param, path)))),
                    false => array.length.clone(),
                };
                if array.position.is_some() {
                    return Type::Array(Box::new(ArrayType { length, ..(**array).clone() }));
                }
                path.push(Step::First);
                let elem = self.stated(param, &array.elem, true, path);
                path.pop();
                Type::Array(Box::new(ArrayType { length, position: array.position, elem }))
            }
        }
    }

    fn size(&mut self, param: ValueId, path: &[Step]) -> ValueId {
        let mut stmts = std::mem::take(&mut self.stmts);
        let size = self.length_at(param, path, &mut stmts);
        self.stmts = stmts;
        self.values[size].name = "m".to_string();
        size
    }

    /// The length of the array at the end of a path; 0 where there is no first element to go through.
    fn length_at(&mut self, value: ValueId, path: &[Step], out: &mut Vec<Stmt>) -> ValueId {
        const I64: Type = Type::Scalar(ScalarType::I64);
        let ty = self.values[value].ty.without_sizes();
        match (path.split_first(), ty) {
            (Some((Step::Component(k), rest)), Type::Tuple(parts)) => {
                let part = self.bind("part", parts[*k].clone(), Expr::Project(value.into(), *k), out);
                self.length_at(part, rest, out)
            }
            (Some((Step::First, rest)), Type::Array(array)) => {
                let len = self.bind("len", I64, Expr::Length(value.into()), out);
                let positive = Expr::Binary(BinOp::Lt, Atom::int(0), len.into());
                let some = self.bind("some", Type::Scalar(ScalarType::Bool), positive, out);
                let mut stmts = Vec::new();
                let index = Expr::Index { array: value.into(), index: Atom::int(0) };
                let first = self.bind("first", array.elem, index, &mut stmts);
                let result = self.length_at(first, rest, &mut stmts).into();
                let then = Body { stmts, result };
                let otherwise = Body { stmts: Vec::new(), result: Atom::int(0) };
                self.bind("len", I64, Expr::If { cond: some.into(), then, otherwise }, out)
            }
            _ => self.bind("len", I64, Expr::Length(value.into()), out),
        }
    }

    fn bind(&mut self, name: &str, ty: Type, expr: Expr, out: &mut Vec<Stmt>) -> ValueId {
        let value = self.values.push(Value { name: name.to_string(), ty });
        let kind = StmtKind::Let { value, expr, after: Vec::new() };
        out.push(Stmt { kind, span: self.span });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::pipeline;
    use terrace_base::Timings;
    use terrace_interp::core as interp;
    use terrace_ir::core::{parse::parse, verify::verify};

    fn program(text: &str) -> Program {
        let program = parse(text.trim_start()).unwrap_or_else(|e| panic!("{e}"));
        verify(&program).unwrap_or_else(|e| panic!("{e}"));
        program
    }

    /// The regular body of the last function, which is an entry, whether it is of use or not.
    fn regular(text: &str) -> Option<Program> {
        let program = program(text);
        let entry = FuncId::new(program.functions.len() - 1);
        let regular = with_callees(&program, entry, stated(&program.functions[entry])?);
        verify(&regular).unwrap_or_else(|e| panic!("{e}\n{regular}"));
        Some(regular)
    }

    fn data(text: &str) -> Vec<Data> {
        let text = format!("test \"\" t() -> bool with ({text}) {{ => true }}");
        match &parse(&text).unwrap_or_else(|e| panic!("{e}")).functions[FuncId::new(0)].role {
            Role::Test { arguments, .. } => arguments.clone(),
            _ => unreachable!("a test was written"),
        }
    }

    const ROWS: &str = "
entry sizes(rows_0 : [][]i64) -> []i64 {
  let out_1 : []i64 = map (row_2 : []i64) in rows_0 { let n_3 : i64 = length row_2; => n_3 }
  => out_1
}
";

    const SUMS: &str = "
entry sums(rows_0 : [][](i64, i64), v_1 : []i64) -> []i64 {
  let out_2 : []i64 = map (row_3 : [](i64, i64)) in rows_0 {
    let xs_4 : []i64 = map (x_5 : (i64, i64)) in row_3 { let y_6 : i64 = x_5.1; => y_6 }
    let sum_7 : i64 = reduce (a_8 : i64, b_9 : i64) in xs_4 from 0 { let c_10 : i64 = a_8 + b_9; => c_10 }
    => sum_7
  }
  => out_2
}
";

    #[test]
    fn the_first_row_says_how_long_rows_are() {
        let expected = "
entry sizes(rows_0 : [][m_8]i64) -> []i64 {
  let len_4 : i64 = length rows_0
  let some_5 : bool = 0 < len_4
  let m_8 : i64 = if some_5 {
    let first_6 : []i64 = rows_0[0]
    let len_7 : i64 = length first_6
    => len_7
  } else { => 0 }
  let out_1 : []i64 = map (row_2 : []i64) in rows_0 { let n_3 : i64 = length row_2; => n_3 }
  => out_1
}
";
        assert_eq!(regular(ROWS).map(|p| p.to_string()).as_deref(), Some(expected.trim_start()));
    }

    /// The types of the parameters of the regular body, with sizes called by their order.
    fn check_types(params: &str, expected: Option<&str>) {
        let text = format!("entry f({params}) -> i64 {{ let n_1 : i64 = length a_0; => n_1 }}");
        let found = regular(&text).map(|program| {
            let text = program.to_string();
            let head = text.lines().next().unwrap_or_default();
            let head = head.split_once('(').and_then(|(_, rest)| rest.split_once(") -> ")).map_or("", |(p, _)| p);
            let mut shown = head.to_string();
            for k in 0..9 {
                let Some(at) = shown.find("m_") else { break };
                let digits = shown[at + 2..].chars().take_while(char::is_ascii_digit).count();
                shown.replace_range(at..at + 2 + digits, &format!("%{k}"));
            }
            shown
        });
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn every_nested_dimension_without_a_size_gets_one() {
        check_types("a_0 : []f64", None);
        check_types("a_0 : [n_1][n_1]f64", None);
        check_types("a_0 : [i_7 < n_1][i_7 + 1]f64, b_2 : f64", None);
        check_types("a_0 : []<none | some([]f64)>", None);
        check_types("a_0 : []f64, b_2 : [][]f64", Some("a_0 : []f64, b_2 : [][%0]f64"));
        check_types("a_0 : [n_1][](i32, f64)", Some("a_0 : [n_1][%0](i32, f64)"));
        check_types("a_0 : [][][]f64", Some("a_0 : [][%0][%1]f64"));
        check_types("a_0 : [n_1][n_1][]f64", Some("a_0 : [n_1][n_1][%0]f64"));
        check_types("a_0 : [][]<none | some([]f64)>", Some("a_0 : [][%0]<none | some([]f64)>"));
        check_types("a_0 : []([]f64, [][]i32)", Some("a_0 : []([%0]f64, [%1][%2]i32)"));
        check_types("a_0 : []f64, b_2 : ([][]f64, f64)", Some("a_0 : []f64, b_2 : ([][%0]f64, f64)"));
        check_types("a_0 : [i_7 < n_1][i_7 + 1][]f64", None);
    }

    fn check_data(ty: &str, value: &str, expected: bool) {
        let program = program(&format!("entry f(a_0 : {ty}, n_1 : i64) -> i64 {{ => n_1 }}"));
        let ty = &program.functions[FuncId::new(0)].values[ValueId::new(0)].ty;
        assert_eq!(is_rectangular(ty, &data(value)[0]), expected, "{value}");
    }

    #[test]
    fn what_is_rectangular() {
        check_data("[][]i64", "[]", true);
        check_data("[][]i64", "[[]]", true);
        check_data("[][]i64", "[[], []]", true);
        check_data("[][]i64", "[[1, 2]]", true);
        check_data("[][]i64", "[[1, 2], [3, 4], [5, 6]]", true);
        check_data("[][]i64", "[[1, 2], [3, 4], [5]]", false);
        check_data("[][]i64", "[[], [3]]", false);
        check_data("[][][]i64", "[[[1], [2]], [[3], [4]]]", true);
        check_data("[][][]i64", "[[[1], [2]], [[3]]]", false);
        check_data("[][][]i64", "[[[1], [2]], [[3], [4, 5]]]", false);
        check_data("[][][]i64", "[[], []]", true);
        check_data("[]([]i64, i64)", "[([1], 1), ([2], 1)]", true);
        check_data("[]([]i64, i64)", "[([1], 1), ([], 1)]", false);
        check_data("([][]i64, [][]i64)", "([[1]], [[1, 2], [3, 4]])", true);
        check_data("([][]i64, [][]i64)", "([[1]], [[1, 2], [3]])", false);
        // What no size is stated for need not have one.
        check_data("[i_5 < n_1][i_5][]i64", "[[], [[1]]]", true);
        check_data("[][]<none | some([]i64)>", "[[some@1([1])], [some@1([])]]", true);
        // A value of another type is left to the border.
        check_data("[][]i64", "[1, 2]", false);
    }

    #[test]
    fn a_recursion_goes_on_in_the_general_body() {
        let text = "
entry other(rows_0 : [][]i64) -> i64 { let n_1 : i64 = length rows_0; => n_1 }

entry down(rows_0 : [][]i64) -> i64 {
  let n_1 : i64 = length rows_0
  let more_2 : bool = 1 < n_1
  let out_3 : i64 = if more_2 {
    let last_4 : i64 = n_1 - 1
    let fewer_5 : [][]i64 = rows_0[0..last_4]
    let deep_6 : i64 = call down(fewer_5)
    => deep_6
  } else {
    let same_7 : i64 = call other(rows_0)
    => same_7
  }
  => out_3
}
";
        let regular = regular(text).expect("has rows");
        let heads: Vec<String> =
            regular.functions.iter().map(|f| format!("{} {}", f.name, f.role == Role::Entry)).collect();
        assert_eq!(heads, ["other false", "down_general false", "down true"]);
        let found = interp::call(&regular, FuncId::new(2), data("[[1, 2], [3, 4], [5, 6]]"));
        assert_eq!(found.ok(), data("1").pop());
    }

    #[test]
    fn a_body_without_gain_is_not_made() {
        let check = |text: &str, expected: bool| {
            let program = program(text);
            let entry = FuncId::new(program.functions.len() - 1);
            assert_eq!(regular_entry(&program, entry).is_some(), expected, "{text}");
        };
        check(ROWS, false);
        check(SUMS, true);
    }

    #[test]
    fn no_offsets_are_left() {
        let flat = |program: &Program| {
            let flat = pipeline::to_flat(program, &Options::default(), &mut Timings::new());
            flat.unwrap_or_else(|e| panic!("{e:?}")).to_string()
        };
        assert!(flat(&program(SUMS)).contains("_off_"));
        let text = flat(&regular(SUMS).expect("has rows"));
        assert!(!text.contains("_off_") && text.contains("reduce grid [rows_len_0][rows_row_len_1]"), "{text}");
    }
}
