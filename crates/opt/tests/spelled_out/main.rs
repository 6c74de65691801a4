//! Operators that move elements, spelled out: the same answers and the same failures as the interpreter gives for the
//! program as written, on Core, and through to C.
//!
//! Each program is one function `f`, whose Core is the text given; what it is called with stands beside it in the text form of
//! Core.

mod moves;
mod operators;
mod order;
mod strides;
mod sums;
mod texts;

use terrace_base::Timings;
use terrace_interp::core as interp;
use terrace_ir::FuncId;
use terrace_ir::core::{self, Program, Role};
use terrace_ir::flat;
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
    let entry = flat.functions.ids().find(|f| flat.functions[*f].role == flat::Role::Entry).expect("an entry");
    let (found, _) = terrace_interp::flat::run(&flat, entry, args.to_vec(), &Default::default());
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
    optimise::spell_out_operators::spell_out_operators(&mut spelled);
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
            (Data::Variant(a), Data::Variant(b)) => {
                (a.tag, &a.name, a.fields.len()) == (b.tag, &b.name, b.fields.len())
                    && a.fields.iter().zip(&b.fields).all(|(a, b)| data(a, b))
            }
            _ => false,
        }
    }
    match (a, b) {
        (Ok(a), Ok(b)) => data(a, b),
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}
