//! Operators that move elements, spelled out: the same answers and the same failures as the interpreter gives for the
//! program as written, on Core, and through to C.
//!
//! Each program is one function `f`, whose Core is the text given; what it is called with stands beside it in the text form of
//! Core.

use terrace_base::Timings;
use terrace_interp::core as interp;
use terrace_ir::FuncId;
use terrace_ir::core::{self, Program, Role};
use terrace_opt::optimise::spell_out_sums::{enter, leave};
use terrace_opt::options::{Options, Strategy, TileSizes};
use terrace_opt::{optimise, pipeline};
use terrace_plan::data::Data;
use terrace_runtime::{Backend, RunError, Runtime};

/// A value, or the kind and the numbers of a check that failed.
type Answer = Result<Data, (String, Vec<i64>)>;

fn interpreted(program: &Program, args: &[Data]) -> Answer {
    interp::call(program, FuncId::new(0), args.to_vec()).map_err(|f| (f.kind.to_string(), f.values))
}

/// What Flat means: its interpreter is stricter than the devices, and stops where a division by zero has no check.
fn flattened(program: &Program, args: &[Data]) -> Answer {
    let flat = pipeline::to_flat(program, &Options::default(), &mut Timings::new()).expect("can be flattened");
    let (found, _) = terrace_interp::flat::run(&flat, FuncId::new(0), args.to_vec(), &Default::default());
    found.map_err(|f| (f.kind.to_string(), f.values))
}

fn compiled(program: &Program, strategy: Strategy) -> Result<terrace_runtime::Loaded, String> {
    let options = Options { tiles: TileSizes::TINY, strategy, ..Options::default() };
    let mut timings = Timings::new();
    let flat = pipeline::to_flat(program, &options, &mut timings).map_err(|d| d.title.clone())?;
    let mem = pipeline::to_mem(&flat, &options, &mut timings).map_err(|d| d.title.clone())?;
    let kernels = pipeline::to_kernels(&mem, &options, &mut timings).map_err(|d| d.title.clone())?;
    let runtime = Runtime::new(Backend::Cpu { threads: 1 }, terrace_runtime::Options::default()).expect("a CPU");
    Ok(runtime.load(&terrace_codegen::c::print(&kernels)).unwrap_or_else(|e| panic!("{e}\n{flat}")))
}

/// The arguments in each text; `f` becomes an entry, and each set of arguments a call.
fn calls(text: &str, calls: &[&str]) -> (Program, Vec<Vec<Data>>) {
    let program = core::parse::parse(text.trim_start()).unwrap_or_else(|e| panic!("{e}"));
    core::verify::verify(&program).unwrap_or_else(|e| panic!("{e}"));
    let read = |call: &&str| {
        let text = format!("test \"\" t() -> bool with ({call}) {{ => true }}");
        let parsed = core::parse::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        match &parsed.functions[FuncId::new(0)].role {
            Role::Test { arguments, .. } => arguments.clone(),
            _ => unreachable!("a test was written"),
        }
    };
    (program, calls.iter().map(read).collect())
}

fn check(text: &str, arguments: &[&str]) {
    let (program, arguments) = calls(text, arguments);
    let mut spelled = program.clone();
    optimise::spell_out_sums::spell_out_sums(&mut spelled);
    optimise::spell_out_views::spell_out_views(&mut spelled);
    core::verify::verify(&spelled).unwrap_or_else(|e| panic!("{e}\n{spelled}"));
    let machines = [Strategy::Flat, Strategy::Outer, Strategy::Seq].map(|s| (s, compiled(&program, s)));
    let function = &program.functions[FuncId::new(0)];
    for args in arguments {
        let wanted = interpreted(&program, &args);
        let types = function.params.iter().map(|p| &function.values[*p].ty);
        let args: Vec<Data> = args.into_iter().zip(types).map(|(data, ty)| enter(data, ty)).collect();
        let leave = |found: Answer| found.map(|data| leave(data, &function.result));
        let same = |found: &Answer, who: &str| {
            assert!(equal(found, &wanted), "{who}: {args:?} gives {found:?}, not {wanted:?}\n{spelled}");
        };
        same(&leave(interpreted(&spelled, &args)), "spelled out");
        same(&leave(flattened(&program, &args)), "flattened");
        for (strategy, machine) in &machines {
            let machine = machine.as_ref().unwrap_or_else(|e| panic!("{strategy:?}: {e}\n{spelled}"));
            let found = machine.call(0usize, &args).map(|(data, _)| data).map_err(|e| match e {
                RunError::Check { check, values, .. } => {
                    let info = &program.checks.iter().nth(check as usize).expect("a check of the program").kind;
                    (info.word().to_string(), values[..info.value_count()].to_vec())
                }
                other => panic!("{other}"),
            });
            same(&leave(found), &format!("{strategy:?}"));
        }
    }
}

/// Equal, with NaN equal to NaN and zeros told apart.
fn equal(a: &Answer, b: &Answer) -> bool {
    fn data(a: &Data, b: &Data) -> bool {
        match (a, b) {
            (Data::Scalar(a), Data::Scalar(b)) => a.same_bits(*b) || (a.is_nan() && b.is_nan()),
            (Data::Tuple(a), Data::Tuple(b)) | (Data::Array(a), Data::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| data(a, b))
            }
            (
                Data::Variant { tag: a_tag, name: a_name, fields: a },
                Data::Variant { tag: b_tag, name: b_name, fields: b },
            ) => (a_tag, a_name, a.len()) == (b_tag, b_name, b.len()) && a.iter().zip(b).all(|(a, b)| data(a, b)),
            _ => false,
        }
    }
    match (a, b) {
        (Ok(a), Ok(b)) => data(a, b),
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

/// The text of a program after the pass.
fn check_text(text: &str, expected: &str) {
    let (mut program, _) = calls(text, &[]);
    optimise::spell_out_sums::spell_out_sums(&mut program);
    optimise::spell_out_views::spell_out_views(&mut program);
    assert_eq!(program.to_string().trim(), expected.trim());
}

#[test]
fn the_text_says_what_was_made() {
    check_text(
        "check 0 : length
         entry f(k_0 : i64, xs_1 : []f64) -> []f64 {
           check 0 length true (k_0)
           let ys_2 : []f64 = rotate xs_1 by k_0 after 0
           => ys_2
         }",
        "
check 0 : length

entry f(k_0 : i64, xs_1 : []f64) -> []f64 {
  check 0 length true (k_0)
  let n_3 : i64 = length xs_1 after 0
  let some_4 : i64 = n_3 max 1 after 0
  let by_5 : i64 = k_0 % some_4 after 0
  let ys_2 : []f64 = generate (i_6 : i64) < n_3 {
    let j_7 : i64 = i_6 + by_5 after 0
    let ahead_8 : bool = j_7 < n_3 after 0
    let p_10 : i64 = if ahead_8 { => j_7 } else { let p_9 : i64 = j_7 - n_3 after 0; => p_9 } after 0
    let x_11 : f64 = xs_1[p_10] after 0
    => x_11
  } after 0
  => ys_2
}
",
    );
    check_text(
        "entry f(s_0 : <circle(f64) | none>) -> <circle(f64) | none> {
           let r_1 : f64 = match s_0 { circle(x_2 : f64) { => x_2 } none { => 0.5 } }
           let t_3 : <circle(f64) | none> = variant circle(r_1) of <circle(f64) | none>
           => t_3
         }",
        "
entry f(s_0 : (i32, f64)) -> (i32, f64) {
  let tag_4 : i32 = s_0.0
  let is_5 : bool = tag_4 == 0i32
  let r_1 : f64 = if is_5 { let x_2 : f64 = s_0.1; => x_2 } else { let chosen_6 : f64 = 0.5; => chosen_6 }
  let t_3 : (i32, f64) = (0i32, r_1)
  => t_3
}
",
    );
    // Constants are folded: nothing is left to compute.
    check_text(
        "entry f(x_0 : i64) -> (i64, i64) { let e_1 : (i64, i64) = extent [5; 3 by -2, 2 by 1] => e_1 }",
        "entry f(x_0 : i64) -> (i64, i64) {\n  let e_1 : (i64, i64) = (1, 6)\n  => e_1\n}",
    );
}

#[test]
fn rotations() {
    check(
        "entry f(k_0 : i64, xs_1 : []f64) -> []f64 { let ys_2 : []f64 = rotate xs_1 by k_0 => ys_2 }",
        &[
            "0, [1.0, 2.0, 3.0]",
            "1, [1.0, 2.0, 3.0]",
            "-1, [1.0, 2.0, 3.0]",
            "8, [1.0, 2.0, 3.0]",
            "9223372036854775807, [1.0, 2.0, 3.0]",
            "-9223372036854775808, [1.0, 2.0, 3.0, 4.0, 5.0]",
            "3, []",
            "1, [4.0]",
        ],
    );
}

#[test]
fn rotations_of_rows_and_inside_a_map() {
    check(
        "entry f(k_0 : i64, xss_1 : [][]f64) -> ([][]f64, [][]f64) {
           let a_2 : [][]f64 = rotate xss_1 by k_0
           let b_3 : [][]f64 = map (xs_4 : []f64) in xss_1 { let ys_5 : []f64 = rotate xs_4 by k_0 => ys_5 }
           let c_6 : ([][]f64, [][]f64) = (a_2, b_3)
           => c_6
         }",
        &["1, [[1.0, 2.0, 3.0], [], [4.0]]", "-2, [[1.0, 2.0, 3.0], [], [4.0]]", "2, []"],
    );
}

#[test]
fn windows() {
    check(
        "entry f(n_0 : i64, k_1 : i64, xs_2 : []i64) -> ([][]i64, []i64) {
           let w_3 : [][]i64 = slide xs_2 size n_0 step k_1
           let s_4 : []i64 = map (r_5 : []i64) in w_3 {
             let t_6 : i64 = reduce (a_7 : i64, b_8 : i64) in r_5 from 0 { let c_9 : i64 = a_7 + b_8 => c_9 }
             => t_6
           }
           let p_10 : ([][]i64, []i64) = (w_3, s_4)
           => p_10
         }",
        &[
            "3, 1, [1, 2, 3, 4, 5]",
            "2, 2, [1, 2, 3, 4, 5]",
            "5, 9, [1, 2, 3, 4, 5]",
            "6, 1, [1, 2, 3, 4, 5]",
            "9223372036854775807, 9223372036854775807, [1, 2, 3]",
            "1, 1, []",
        ],
    );
}

#[test]
fn rows_in_step_with_rows_further_out() {
    // Each row of `a` runs beside every row of `b`: together they are more than `a` has elements.
    check(
        "entry f(a_0 : [][]i64, b_1 : [][]i64) -> [][][]i64 {
           let r_2 : [][][]i64 = map (x_3 : []i64) in a_0 {
             let s_4 : [][]i64 = map (y_5 : []i64) in b_1 {
               let t_6 : []i64 = map (p_7 : i64, q_8 : i64) in x_3, y_5 { let u_9 : i64 = p_7 * q_8 => u_9 }
               => t_6
             }
             => s_4
           }
           => r_2
         }",
        &["[[1, 2], [3, 4]], [[0, 1], [1, 2], [5, 6]]", "[[1], [2], [3]], [[4], [5]]", "[[]], [[], []]"],
    );
}

#[test]
fn padding() {
    for mode in ["clamp", "wrap", "mirror", "constant 7"] {
        check(
            &format!(
                "entry f(l_0 : i64, r_1 : i64, xs_2 : []i64) -> []i64 {{
                   let p_3 : []i64 = pad xs_2 left l_0 right r_1 {mode} => p_3
                 }}"
            ),
            &["0, 0, []", "0, 0, [1, 2]", "2, 3, [1, 2, 3]", "7, 8, [1, 2, 3]", "5, 4, [1]"],
        );
        let mode = mode.replace("constant 7", "constant new_9");
        check(
            &format!(
                "entry f(l_0 : i64, xss_2 : [][]i64, new_9 : []i64) -> [][]i64 {{
                   let p_3 : [][]i64 = pad xss_2 left l_0 right 2 {mode} => p_3
                 }}"
            ),
            &["1, [[1, 2], []], [5]", "4, [[1], [2, 3], [4]], []"],
        );
    }
}

#[test]
fn reshaping_and_transposing() {
    check(
        "entry f(n_0 : i64, m_1 : i64, xs_2 : []f64) -> ([][]f64, [][]f64, [][][]f64) {
           let a_3 : [][]f64 = reshape xs_2 to (n_0, m_1)
           let b_4 : [][]f64 = transpose a_3
           let c_5 : [][][]f64 = reshape xs_2 to (m_1, 1, n_0)
           let d_6 : ([][]f64, [][]f64, [][][]f64) = (a_3, b_4, c_5)
           => d_6
         }",
        &["2, 3, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "6, 1, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "0, 4, []", "3, 0, []"],
    );
    check(
        "check 0 : rows
         entry f(xsss_0 : [][][]i64) -> [][][]i64 {
           let t_1 : [][][]i64 = map (m_2 : [][]i64) in xsss_0 { let u_3 : [][]i64 = transpose m_2 => u_3 }
           => t_1
         }",
        &["[[[1, 2, 3], [4, 5, 6]], [], [[7]], [[], []]]", "[]"],
    );
}

#[test]
fn rows_and_elements() {
    check(
        "entry f(sizes_0 : []i64, xs_1 : []f64) -> ([][]f64, []f64) {
           let rows_2 : [][]f64 = partition xs_1 by sizes_0
           let back_3 : []f64 = flatten rows_2
           let both_4 : ([][]f64, []f64) = (rows_2, back_3)
           => both_4
         }",
        &["[2, 0, 3, 1], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", "[], []", "[0, 0], []", "[4], [1.0, 2.0, 3.0, 4.0]"],
    );
    check(
        "entry f(xsss_0 : [][][]i64) -> ([][]i64, [][]i64) {
           let a_1 : [][]i64 = flatten xsss_0
           let b_2 : [][]i64 = map (xss_3 : [][]i64) in xsss_0 { let c_4 : []i64 = flatten xss_3 => c_4 }
           let d_5 : ([][]i64, [][]i64) = (a_1, b_2)
           => d_5
         }",
        &["[[[1, 2], [], [3]], [], [[4]], [[], [5, 6, 7]]]", "[]", "[[], [[]]]"],
    );
}

const STRIDED: &str = "
check 0 : strided

entry f(o_0 : i64, a_1 : i64, s_2 : i64, xs_3 : []i64) -> []i64 {
  let e_4 : (i64, i64) = extent [o_0; a_1 by s_2]
  let low_5 : i64 = e_4.0
  let high_6 : i64 = e_4.1
  let n_7 : i64 = length xs_3
  let left_8 : bool = 0 <= low_5
  let right_9 : bool = high_6 < n_7
  let ok_10 : bool = left_8 & right_9
  check 0 strided ok_10 (low_5, high_6, n_7)
  let ys_11 : []i64 = strided xs_3[o_0; a_1 by s_2] after 0
  => ys_11
}
";

#[test]
fn strided_slices() {
    check(
        STRIDED,
        &[
            "0, 3, 2, [1, 2, 3, 4, 5]",
            "4, 3, -2, [1, 2, 3, 4, 5]",
            "0, 3, 3, [1, 2, 3, 4, 5]",
            "1, 3, -1, [1, 2, 3, 4, 5]",
            "2, 4, 0, [1, 2, 3]",
            "99, 0, 5, [1, 2, 3]",
            "99, 1, 5, [1, 2, 3]",
            "-9223372036854775808, 2, 9223372036854775807, [1]",
            "1, 9223372036854775807, 9223372036854775807, [1]",
            "-1, 9223372036854775807, -9223372036854775808, [1]",
            "1, 1, -9223372036854775808, [1, 7]",
            "5, 2, -9223372036854775808, [1, 7]",
            "-5, 4611686018427387905, 2, [1, 7]",
            "-4611686018427387904, 4611686018427387905, 2, [1, 7]",
        ],
    );
}

#[test]
fn extents_of_several_dimensions() {
    let (low, high) = (i64::MIN, i64::MAX);
    let calls: Vec<String> = [
        (0, [(3, 8), (2, 1)]),
        (10, [(3, -4), (2, 1)]),
        (10, [(3, -4), (0, 1)]),
        (-9, [(high, high), (high, low)]),
        (high, [(2, low), (2, low)]),
        (low, [(2, high), (3, 1)]),
        (low, [(2, high), (4, 1)]),
        (7, [(1, low), (1, high)]),
        (0, [(1 << 40, 1 << 40), (2, -1)]),
    ]
    .into_iter()
    .map(|(o, [(a, s), (b, t)])| format!("{o}, {a}, {s}, {b}, {t}"))
    .collect();
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, b_3 : i64, t_4 : i64) -> (i64, i64) {
           let e_5 : (i64, i64) = extent [o_0; a_1 by s_2, b_3 by t_4]
           => e_5
         }",
        &calls.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    check(
        "entry f(xs_0 : []i64) -> ((i64, i64), (i64, i64), bool, bool) {
           let a_1 : (i64, i64) = extent [1; 2 by 4, 3 by 1]
           let b_2 : (i64, i64) = extent [9; 0 by 4]
           let c_3 : bool = disjoint [9; 2 by 0]
           let d_4 : bool = disjoint [9; 2 by -3]
           let e_5 : ((i64, i64), (i64, i64), bool, bool) = (a_1, b_2, c_3, d_4)
           => e_5
         }",
        &["[1]"],
    );
}

#[test]
fn strided_slices_of_several_dimensions() {
    check(
        "entry f(n_0 : i64, s_1 : i64, xs_2 : []f64) -> ([][]f64, []f64, [][][]f64) {
           let a_3 : [][]f64 = strided xs_2[1; 2 by s_1, n_0 by 1]
           let b_4 : []f64 = strided xs_2[0; n_0 by 3]
           let c_5 : [][][]f64 = strided xs_2[5; n_0 by -1, 2 by 1, 1 by 7]
           let d_6 : ([][]f64, []f64, [][][]f64) = (a_3, b_4, c_5)
           => d_6
         }",
        &["2, 4, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]", "0, 4, []", "2, -1, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]"],
    );
}

#[test]
fn updates() {
    check(
        "entry f(i_0 : i64, v_1 : f64, xs_2 : []f64, ps_3 : [](f64, i64)) -> ([]f64, [](f64, i64)) {
           let a_4 : []f64 = update xs_2[i_0] = v_1
           let t_5 : (f64, i64) = (v_1, i_0)
           let b_6 : [](f64, i64) = update ps_3[i_0] = t_5
           let c_7 : ([]f64, [](f64, i64)) = (a_4, b_6)
           => c_7
         }",
        &["0, 9.0, [1.0], [(2.0, 3)]", "2, -0.0, [1.0, 2.0, 3.0], [(2.0, 3), (3.0, 4), (5.0, 6), (7.0, 8)]"],
    );
    check(
        "entry f(i_0 : i64, j_1 : i64, v_2 : i64, row_3 : []i64, m_4 : [][]i64) -> ([][]i64, [][]i64) {
           let a_5 : [][]i64 = update m_4[i_0, j_1] = v_2
           let b_6 : [][]i64 = update m_4[i_0] = row_3
           let c_7 : ([][]i64, [][]i64) = (a_5, b_6)
           => c_7
         }",
        &["0, 1, 9, [], [[1, 2], [3], []]", "1, 0, 9, [7, 7, 7], [[1, 2], [3], []]", "2, 0, 5, [1], [[], [], [4]]"],
    );
    check(
        "entry f(i_0 : i64, row_1 : []i64, c_2 : [][][]i64) -> [][][]i64 {
           let a_3 : [][][]i64 = update c_2[i_0, 1] = row_1
           => a_3
         }",
        &["0, [9, 9], [[[1], [2], [3]], [[4], [5]]]", "1, [], [[[1], [2], [3]], [[4], [5]]]"],
    );
    check(
        "entry f(xss_0 : [][]i64) -> [][]i64 {
           let r_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let u_3 : []i64 = update xs_2[0] = 7 => u_3 }
           => r_1
         }",
        &["[[1, 2], [3]]", "[]"],
    );
}

#[test]
fn strided_updates() {
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, vs_3 : []i64, xs_4 : []i64) -> []i64 {
           let r_5 : []i64 = update xs_4[o_0; a_1 by s_2] = vs_3
           => r_5
         }",
        &[
            "0, 2, 2, [8, 9], [1, 2, 3, 4, 5]",
            "4, 2, -3, [8, 9], [1, 2, 3, 4, 5]",
            "1, 3, 1, [7, 8, 9], [1, 2, 3, 4, 5]",
            "2, 1, 0, [9], [1, 2, 3]",
            "77, 0, 3, [], [1, 2, 3]",
        ],
    );
    check(
        "entry f(vs_0 : [][]i64, xs_1 : [][]i64) -> [][]i64 {
           let n_2 : i64 = length vs_0
           let r_3 : [][]i64 = update xs_1[1; n_2 by 1] = vs_0
           => r_3
         }",
        &["[[8], [9, 9]], [[1], [2, 2], [], [3]]", "[], [[1]]"],
    );
}

#[test]
fn strided_updates_of_two_dimensions() {
    check(
        "entry f(o_0 : i64, a_1 : i64, s_2 : i64, b_3 : i64, t_4 : i64, vss_5 : [][]i64, xs_6 : []i64) -> []i64 {
           let r_7 : []i64 = update xs_6[o_0; a_1 by s_2, b_3 by t_4] = vss_5
           => r_7
         }",
        &[
            "1, 2, 4, 2, 1, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "1, 2, 1, 2, 4, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "8, 2, -5, 2, 1, [[50, 51], [60, 61]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "2, 3, 3, 2, -2, [[50, 51], [60, 61], [70, 71]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "9, 3, -1, 2, -4, [[50, 51], [60, 61], [70, 71]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 1, 0, 2, 2, [[50, 51]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 2, 2, 1, 77, [[50], [51]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "3, 1, 5, 1, -7, [[50]], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "30, 0, 5, 3, 7, [], [0, 1, 2]",
            "30, 2, 5, 0, 7, [[], []], [0, 1, 2]",
        ],
    );
    let numbers = ["0", "1", "2", "3", "-2", "4", "-9223372036854775808", "9223372036854775807"];
    let counts = ["0", "1", "2", "3", "9223372036854775807"];
    let mut calls = Vec::new();
    for a in counts {
        for b in counts {
            for s in numbers {
                calls.extend(numbers.iter().map(|t| format!("{a}, {s}, {b}, {t}")));
            }
        }
    }
    // All at once: each pair of dimensions is an element.
    let all = calls.iter().map(|c| format!("({c})")).collect::<Vec<_>>().join(", ");
    check(
        "entry f(cs_0 : [](i64, i64, i64, i64)) -> [](bool, bool) {
           let r_1 : [](bool, bool) = map (c_2 : (i64, i64, i64, i64)) in cs_0 {
             let a_3 : i64 = c_2.0
             let s_4 : i64 = c_2.1
             let b_5 : i64 = c_2.2
             let t_6 : i64 = c_2.3
             let x_7 : bool = disjoint [0; a_3 by s_4, b_5 by t_6]
             let y_8 : bool = disjoint [0; a_3 by s_4]
             let z_9 : (bool, bool) = (x_7, y_8)
             => z_9
           }
           => r_1
         }",
        &[&format!("[{all}]")],
    );
}

#[test]
fn the_total_order() {
    let all = ["-inf", "-1.5", "-0.0", "0.0", "5e-324", "1.5", "inf", "nan"];
    let pairs: Vec<String> =
        all.iter().flat_map(|a| all.iter().map(move |b| format!("({a}, {b}, -0.0f32, nanf32, 3, 3)"))).collect();
    check(
        "entry f(ps_0 : [](f64, f64, f32, f32, i64, i64)) -> [](bool, bool, bool) {
           let r_1 : [](bool, bool, bool) = map (p_2 : (f64, f64, f32, f32, i64, i64)) in ps_0 {
             let a_3 : f64 = p_2.0
             let b_4 : f64 = p_2.1
             let x_5 : bool = precedes a_3 b_4
             let c_6 : f32 = p_2.2
             let d_7 : f32 = p_2.3
             let i_8 : i64 = p_2.4
             let t_9 : (i64, f64, f32) = (i_8, a_3, c_6)
             let u_10 : (i64, f64, f32) = (i_8, b_4, d_7)
             let y_11 : bool = precedes t_9 u_10
             let v_12 : (i64, f64) = (i_8, a_3)
             let w_13 : (i64, f64) = (4, b_4)
             let z_14 : bool = precedes w_13 v_12
             let all_15 : (bool, bool, bool) = (x_5, y_11, z_14)
             => all_15
           }
           => r_1
         }",
        &[&format!("[{}]", pairs.join(", "))],
    );
}

#[test]
fn sorting() {
    let text = "entry f(ks_0 : []f64, xs_1 : []i64) -> ([]i64, []f64) {
                  let a_2 : []i64 = sort xs_1 by ks_0
                  let b_3 : []f64 = sort ks_0 by ks_0
                  let c_4 : ([]i64, []f64) = (a_2, b_3)
                  => c_4
                }";
    let many: Vec<i64> = (0..100).map(|i| (i * 37 + 11) % 23).collect();
    let keys: Vec<String> = many.iter().map(|k| format!("{k}.5")).collect();
    let places: Vec<String> = (0..many.len()).map(|k| k.to_string()).collect();
    check(
        text,
        &[
            "[], []",
            "[1.0], [7]",
            "[2.0, 1.0], [0, 1]",
            "[0.0, -0.0, nan, -inf, inf, nan, 0.0, -0.0, 1.0], [0, 1, 2, 3, 4, 5, 6, 7, 8]",
            &format!("[{}], [{}]", keys.join(", "), places.join(", ")),
        ],
    );
    check(
        "entry f(ks_0 : [](i64, bool), rows_1 : [][]i64) -> [][]i64 {
           let a_2 : [][]i64 = sort rows_1 by ks_0
           => a_2
         }",
        &["[(2, true), (1, true), (2, false), (1, true)], [[1], [], [2, 3], [4]]"],
    );
}

#[test]
fn scattering_and_counting() {
    check(
        "entry f(xs_0 : []f64, is_1 : []i64, vs_2 : []f64) -> []f64 {
           let a_3 : []f64 = scatter xs_0 is_1 vs_2
           => a_3
         }",
        &[
            "[0.0, 1.0, 2.0, 3.0], [1, 3, 1], [7.0, 8.0, 9.0]",
            "[0.0, 1.0], [], []",
            "[], [], []",
            "[0.0, 1.0, 2.0], [2, 1, 0, 2, 1, 0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]",
        ],
    );
    check(
        "entry f(n_0 : i64, is_1 : []i64, vs_2 : []i64) -> ([]i64, []f64) {
           let a_3 : []i64 = hist (x_4 : i64, y_5 : i64) in is_1, vs_2 < n_0 from 0 { let z_6 : i64 = x_4 + y_5 => z_6 }
           let fs_7 : []f64 = map (v_8 : i64) in vs_2 { let g_9 : f64 = f64(v_8) => g_9 }
           let b_10 : []f64 = hist (x_11 : f64, y_12 : f64) in is_1, fs_7 < n_0 from -inf {
             let z_13 : f64 = x_11 max y_12 => z_13
           }
           let c_14 : ([]i64, []f64) = (a_3, b_10)
           => c_14
         }",
        &["4, [1, 3, 1, 0], [7, 8, 9, 5]", "3, [], []", "0, [], []", "2, [1, 1, 1, 1, 1], [1, 2, 3, 4, 5]"],
    );
}

#[test]
fn enums_of_numbers() {
    let shape = "<circle(f64) | rect(f64, f64) | nothing>";
    check(
        &format!(
            "entry f(ss_0 : []{shape}, k_1 : i64) -> ([]f64, []{shape}, []bool) {{
               let areas_2 : []f64 = map (s_3 : {shape}) in ss_0 {{
                 let a_4 : f64 = match s_3 {{
                   circle(r_5 : f64) {{ let b_6 : f64 = r_5 * r_5 => b_6 }}
                   rect(w_7 : f64, h_8 : f64) {{ let c_9 : f64 = w_7 * h_8 => c_9 }}
                   nothing {{ => -1.0 }}
                 }}
                 => a_4
               }}
               let all_10 : []{shape} = map (x_11 : f64) in areas_2 {{
                 let big_12 : bool = x_11 > 4.0
                 let t_13 : {shape} = if big_12 {{
                   let c_14 : {shape} = variant circle(x_11) of {shape}
                   => c_14
                 }} else {{
                   let n_15 : bool = x_11 < 0.0
                   let u_16 : {shape} = if n_15 {{
                     let v_17 : {shape} = variant nothing of {shape} => v_17
                   }} else {{
                     let w_18 : {shape} = variant rect(x_11, 1.0) of {shape} => w_18
                   }}
                   => u_16
                 }}
                 => t_13
               }}
               let turned_19 : []{shape} = rotate ss_0 by k_1
               let order_20 : []bool = map (a_21 : {shape}, b_22 : {shape}) in ss_0, turned_19 {{
                 let p_23 : bool = precedes a_21 b_22
                 => p_23
               }}
               let r_24 : ([]f64, []{shape}, []bool) = (areas_2, all_10, order_20)
               => r_24
             }}"
        ),
        &[
            "[circle@0(1.5), rect@1(2.0, 3.0), nothing@2, circle@0(4.0), rect@1(2.0, -0.0), rect@1(2.0, 0.0)], 1",
            "[circle@0(nan), nothing@2, nothing@2], -1",
            "[], 3",
        ],
    );
}

#[test]
fn enums_in_enums_and_arms_with_arrays() {
    let inner = "<a | b((i64, bool))>";
    let outer = format!("<one({inner}) | two(i64, {inner})>");
    check(
        &format!(
            "entry f(x_0 : {outer}, xs_1 : []i64) -> (i64, []i64, {outer}, <only(i64)>) {{
               let n_2 : i64 = match x_0 {{
                 one(y_3 : {inner}) {{
                   let k_4 : i64 = match y_3 {{ a {{ => 1 }} b(t_5 : (i64, bool)) {{ let j_6 : i64 = t_5.0 => j_6 }} }}
                   => k_4
                 }}
                 two(i_7 : i64, z_8 : {inner}) {{ => i_7 }}
               }}
               let ys_9 : []i64 = match x_0 {{
                 one(y_10 : {inner}) {{ => xs_1 }}
                 two(i_11 : i64, z_12 : {inner}) {{ let r_13 : []i64 = replicate 2 i_11 => r_13 }}
               }}
               let flag_14 : (i64, bool) = (n_2, true)
               let in_15 : {inner} = variant b(flag_14) of {inner}
               let new_16 : {outer} = variant two(n_2, in_15) of {outer}
               let only_17 : <only(i64)> = variant only(n_2) of <only(i64)>
               let m_18 : i64 = match only_17 {{ only(v_19 : i64) {{ let w_20 : i64 = v_19 + 1 => w_20 }} }}
               let r_21 : (i64, []i64, {outer}, <only(i64)>) = (m_18, ys_9, new_16, only_17)
               => r_21
             }}"
        ),
        &["one@0(a@0), [1, 2, 3]", "one@0(b@1((7, true))), []", "two@1(5, b@1((7, false))), [1]"],
    );
}

#[test]
fn what_is_not_spelled_out_is_refused() {
    for (text, words) in [
        (
            "entry f(xss_0 : [][]f64) -> [][]f64 { let y_1 : [][]f64 = sort xss_0 by xss_0 => y_1 }",
            "sorting inside parallel code, or by keys that contain arrays, cannot be flattened yet",
        ),
        (
            "entry f(xss_0 : [][]i64) -> [][]i64 {
               let y_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let z_3 : []i64 = scatter xs_2 xs_2 xs_2 => z_3 }
               => y_1
             }",
            "`scatter` inside parallel code cannot be flattened yet",
        ),
        (
            "def g(xs_0 : []i64) -> []i64 { let y_1 : []i64 = sort xs_0 by xs_0 => y_1 }
             entry f(xss_0 : [][]i64) -> [][]i64 {
               let y_1 : [][]i64 = map (xs_2 : []i64) in xss_0 { let z_3 : []i64 = call g(xs_2) => z_3 }
               => y_1
             }",
            "sorting inside parallel code",
        ),
        (
            "entry f(xs_0 : []i64, ys_1 : [][][]i64) -> []i64 {
               let y_2 : []i64 = update xs_0[0; 2 by 4, 2 by 2, 2 by 1] = ys_1
               => y_2
             }",
            "an update of a slice with more than two dimensions",
        ),
        ("entry f(x_0 : <a([]f64) | b>) -> bool { => true }", "an enum that holds arrays"),
    ] {
        let (program, _) = calls(text, &[]);
        let refused = compiled(&program, Strategy::Flat).err().unwrap_or_default();
        assert!(refused.contains(words), "{refused:?} does not say {words:?}");
    }
    let unused = "def g(xs_0 : []f64) -> []f64 { let y_1 : []f64 = sort xs_0 by xs_0 => y_1 }
                  entry f(x_0 : i64) -> i64 { => x_0 }";
    assert!(compiled(&calls(unused, &[]).0, Strategy::Flat).is_ok());
}
