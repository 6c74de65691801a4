//! Every scalar operation in compiled C and in CUDA text run on the CPU, against the meaning that `base` gives it, on the values where compilers differ:
//! the ends of the range, zero divisors, shifts beyond the width, infinities, NaN, both zeros.

use terrace_base::{BinOp, Scalar, ScalarType, UnOp, convert};
use terrace_ir::flat;
use terrace_opt::lower::{kernels, place_in_memory::place_in_memory};
use terrace_opt::options::{Options, TileSizes};
use terrace_plan::Target;
use terrace_plan::data::Data;
use terrace_runtime::{Backend, Runtime};

fn specials(ty: ScalarType) -> Vec<Scalar> {
    match ty {
        ScalarType::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        ScalarType::F32 => {
            [0.0, -0.0, 1.0, -2.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 300.7, -2e9, 0.5, -0.25]
                .map(Scalar::F32)
                .to_vec()
        }
        ScalarType::F64 => {
            [0.0, -0.0, 1.5, -7.0, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 9.3e18, -65536.5, 0.5, -0.25]
                .map(Scalar::F64)
                .to_vec()
        }
        ty => {
            let ends = [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), 127, -128, 32767, -32768];
            ends.iter().chain(&[0, 1, -1, 2, 3, -7, 10, 33, 65]).map(|n| Scalar::from_i64(ty, *n)).collect()
        }
    }
}

/// An operation of the program under test: its text, its type, and what it means.
struct Case {
    text: String,
    ty: ScalarType,
    meaning: Box<dyn Fn(Scalar, Scalar) -> Scalar>,
}

fn cases(ty: ScalarType) -> Vec<Case> {
    let mut cases = Vec::new();
    for op in BinOp::ALL {
        if let Some(result) = op.result_type(ty) {
            let text = format!("a_5 {} b_6", op.symbol());
            cases.push(Case { text, ty: result, meaning: Box::new(move |a, b| op.apply(a, b)) });
        }
    }
    for op in UnOp::ALL {
        if let Some(result) = op.result_type(ty) {
            let text = format!("{} a_5", op.word());
            cases.push(Case { text, ty: result, meaning: Box::new(move |a, _| op.apply(a)) });
        }
    }
    for to in ScalarType::ALL {
        let text = format!("{to}(a_5)");
        cases.push(Case { text, ty: to, meaning: Box::new(move |a, _| convert(a, to)) });
    }
    if ty.is_float() {
        let meaning = |a, b| terrace_base::fma(a, b, a);
        cases.push(Case { text: "fma(a_5, b_6, a_5)".into(), ty, meaning: Box::new(meaning) });
    }
    cases
}

fn program(ty: ScalarType, cases: &[Case]) -> String {
    let names = |at: usize| (0..cases.len()).map(move |i| at + i);
    let list = |items: Vec<String>| items.join(", ");
    let results = list(cases.iter().map(|c| format!("i64, {}[n_0]", c.ty)).collect());
    let layouts = list(cases.iter().map(|c| format!("[length]{}", c.ty)).collect());
    let binds = list(names(100).zip(cases).map(|(v, c)| format!("o_{v} : {}[n_0]", c.ty)).collect());
    let lines: String = names(10).zip(cases).map(|(v, c)| format!("    let x_{v} : {} = {}\n", c.ty, c.text)).collect();
    let values = list(names(10).map(|v| format!("x_{v}")).collect());
    let out = list(names(100).map(|v| format!("n_0, o_{v}")).collect());
    format!(
        "entry ops(n_0 : i64, as_1 : {ty}[n_0], m_2 : i64, bs_3 : {ty}[n_0]) -> ({results})\n  \
         takes [length]{ty}, [length]{ty}\n  gives ({layouts})\n{{\n  \
         let {binds} = map grid [n_0] (i_4 | p_7) {{\n    let a_5 : {ty} = as_1[p_7]\n    \
         let b_6 : {ty} = bs_3[p_7]\n{lines}    => {values}\n  }}\n  => {out}\n}}\n"
    )
}

fn check(ty: ScalarType, backend: Backend) {
    let cases = cases(ty);
    let text = program(ty, &cases);
    let flat: flat::Program = flat::parse::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    flat::verify::verify(&flat).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let placed = place_in_memory(&flat).expect("can be placed");
    let options = Options { tiles: TileSizes::TINY, target: backend.target(), ..Options::default() };
    let lowered = kernels::lower(&placed, &options).expect("can be lowered");
    let plan = match backend.target() {
        Target::C => terrace_codegen::c::print(&lowered),
        Target::Cuda => terrace_codegen::cuda::print(&lowered),
        Target::OpenCl => terrace_codegen::opencl::print(&lowered),
    };
    let runtime = Runtime::new(backend, terrace_runtime::Options::default()).expect("a CPU");
    let loaded = runtime.load(&plan).unwrap_or_else(|e| panic!("{e}"));
    let mut values = specials(ty);
    if ty.is_float() && backend.target() != Target::Cuda {
        // What C and OpenCL compute by the recipe of `base` has its bits everywhere.
        values.extend((1..40).map(|i| convert(Scalar::F64(f64::from(i) * 0.377 - 5.0), ty)));
    }
    let pairs: Vec<(Scalar, Scalar)> = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
    let column = |f: fn(&(Scalar, Scalar)) -> Scalar| Data::Array(pairs.iter().map(|p| Data::Scalar(f(p))).collect());
    let (found, _) = loaded.call("ops", &[column(|p| p.0), column(|p| p.1)]).expect("runs");
    let Data::Tuple(columns) = found else { panic!("a tuple of columns") };
    for (case, column) in cases.iter().zip(columns) {
        let Data::Array(items) = column else { panic!("a column") };
        for ((a, b), item) in pairs.iter().zip(items) {
            let Data::Scalar(found) = item else { panic!("a scalar") };
            let wanted = (case.meaning)(*a, *b);
            let same = found.same_bits(wanted) || (found.is_nan() && wanted.is_nan());
            let same = same || (is_native(&case.text, backend.target()) && near(found, wanted));
            assert!(same, "{ty}: {} with a = {a}, b = {b} gives {found}, not {wanted}", case.text);
        }
    }
}

/// Whether a device computes it by a function of its own, of which only the accuracy is known. On the simulated one that is the platform's function,
/// which the interpreter calls too, but for those of which `base` has a recipe.
fn is_native(text: &str, target: Target) -> bool {
    let recipes = ["sin", "cos", "cosh"];
    let others = ["pow", "atan2", "tan", "asin", "acos", "atan", "sinh", "tanh"];
    let native = |word: &&str| match target {
        Target::C => false,
        Target::Cuda => recipes.contains(word),
        Target::OpenCl => recipes.contains(word) || others.contains(word),
    };
    text.split(' ').any(|word| native(&word))
}

/// Sixteen units in the last place, which is what OpenCL allows at most.
fn near(a: Scalar, b: Scalar) -> bool {
    let (Scalar::F64(x), Scalar::F64(y)) = (convert(a, ScalarType::F64), convert(b, ScalarType::F64)) else {
        return false;
    };
    let unit = if a.ty() == ScalarType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    x.is_finite() && y.is_finite() && (x - y).abs() <= 16.0 * unit * y.abs()
}

#[test]
fn all_types() {
    ScalarType::ALL.into_iter().for_each(|ty| check(ty, Backend::Cpu { threads: 1 }));
}

#[test]
fn all_types_in_cuda_text() {
    ScalarType::ALL.into_iter().for_each(|ty| check(ty, Backend::CudaSim { seed: 1 }));
}

/// Where there is a device; the set-up of the tests gets one.
#[test]
fn all_types_in_opencl_text() {
    let backend = Backend::OpenCl { device: 0 };
    if Runtime::new(backend, terrace_runtime::Options::default()).is_ok() {
        ScalarType::ALL.into_iter().for_each(|ty| check(ty, backend));
    }
}
