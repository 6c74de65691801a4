//! Flat programs through places, kernels and C, on the CPU: what they compute, what they cost, what they report.
//!
//! Every program runs with tile sizes so small that a few elements cross every boundary, and with the normal ones.

use terrace_base::Scalar;
use terrace_ir::{flat, kernel, mem};
use terrace_opt::lower::{kernels, place_in_memory::place_in_memory};
use terrace_opt::options::{Options, TileSizes};
use terrace_plan::Plan;
use terrace_plan::data::Data;
use terrace_runtime::{Backend, Loaded, RunError, Runtime, Stats};

fn plan(text: &str, tiles: TileSizes) -> Plan {
    let program: flat::Program = flat::parse::parse(text.trim_start()).expect("parses");
    flat::verify::verify(&program).expect("valid Flat");
    let placed = place_in_memory(&program).expect("can be placed");
    mem::verify::verify(&placed).unwrap_or_else(|e| panic!("{e}\n{placed}"));
    let options = Options { tiles, ..Options::default() };
    let kernels = kernels::lower(&placed, &options).unwrap_or_else(|e| panic!("{e:?}\n{placed}"));
    kernel::verify::verify(&kernels).unwrap_or_else(|e| panic!("{e}\n{kernels}"));
    terrace_codegen::c::print(&kernels)
}

fn load(text: &str, tiles: TileSizes) -> Loaded {
    let runtime = Runtime::new(Backend::Cpu { threads: 2 }, terrace_runtime::Options::default()).expect("a CPU");
    let plan = plan(text, tiles);
    match runtime.load(&plan) {
        Ok(loaded) => loaded,
        Err(e) => {
            let texts: String = plan.kernels.iter().map(|k| k.text.as_str()).collect();
            panic!("{e}\n{texts}")
        }
    }
}

fn run(text: &str, tiles: TileSizes, args: &[Data]) -> Result<(Data, Stats), RunError> {
    load(text, tiles).call(0usize, args)
}

fn check(text: &str, args: &[Data], expected: &Data) -> Stats {
    let (tiny, _) = run(text, TileSizes::TINY, args).expect("runs with tiny tiles");
    assert_eq!(&tiny, expected, "with tiny tiles");
    let (normal, stats) = run(text, TileSizes::NORMAL, args).expect("runs");
    assert_eq!(&normal, expected);
    stats
}

fn array<T: Into<Scalar> + Copy>(items: &[T]) -> Data {
    Data::Array(items.iter().map(|x| Data::Scalar((*x).into())).collect())
}

fn rows<T: Into<Scalar> + Copy>(items: &[Vec<T>]) -> Data {
    Data::Array(items.iter().map(|r| array(r)).collect())
}

fn scalar(x: impl Into<Scalar>) -> Data {
    Data::Scalar(x.into())
}

const SAXPY: &str = "
entry saxpy(a_0 : f32, n_1 : i64, xs_2 : f32[n_1], m_3 : i64, ys_4 : f32[n_1]) -> (i64, f32[n_1])
  takes f32, [length]f32, [length]f32
  gives [length]f32
{
  let out_5 : f32[n_1] = map grid [n_1] (i_6 | p_7) {
    let x_8 : f32 = xs_2[p_7]
    let y_9 : f32 = ys_4[p_7]
    let z_10 : f32 = fma(a_0, x_8, y_9)
    => z_10
  }
  => n_1, out_5
}
";

#[test]
fn saxpy() {
    let xs: Vec<f32> = (0..100).map(|i| i as f32 / 8.0).collect();
    let ys: Vec<f32> = (0..100).map(|i| (i % 7) as f32).collect();
    let expected: Vec<f32> = xs.iter().zip(&ys).map(|(x, y)| 2.0 * x + y).collect();
    let stats = check(SAXPY, &[scalar(2.0f32), array(&xs), array(&ys)], &array(&expected));
    assert_eq!((stats.launches, stats.host_reads), (1, 0));
    check(SAXPY, &[scalar(2.0f32), array::<f32>(&[]), array::<f32>(&[])], &array::<f32>(&[]));
}
