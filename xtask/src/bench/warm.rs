//! Everything is compiled before anything is measured on a GPU, side by side.
//!
//! ```text
//! nvcc        gpu.cu of every workload                          target/bench/spmv.cuda
//! terrace     every case once, at the sizes that are measured   its kernels are in the cache; or why it failed
//! gpu.py      every case once, at the sizes of a check          what CuPy compiles is in a cache of its own
//! ```
//!
//! Kernels are compiled when they are first started, one after the other, and which are started depends on the sizes; so a program that runs alone leaves most of a machine idle for
//! seconds. A case that fails here is not tried again. The time that compiling took is that of a machine on which everything is compiled at once.

use super::measure::Terrace;
use super::peers::{Peers, cores, side_by_side};
use super::workload::Case;
use std::time::{Duration, Instant};
use terrace_base::Json;

/// What became of a case: milliseconds of compilation, or why it does not run.
pub(crate) type Warmed = Result<f64, String>;

/// Programs that hold large arrays at the same time.
const AT_ONCE: usize = 12;

/// Builds the peers and compiles what some cases need, as far as the time goes; a case that was not reached is compiled when it is measured.
pub(crate) fn warm(
    terrace: &Terrace,
    cases: &[Case],
    end: Option<Instant>,
    prepare: impl FnOnce() -> Result<Peers, String> + Send,
) -> Result<(Peers, Vec<Warmed>), String> {
    let left = || end.map_or(terrace.limit, |end| terrace.limit.min(end.saturating_duration_since(Instant::now())));
    let began = Instant::now();
    let tell = |what: &str| println!("{what}; {:.0} s", began.elapsed().as_secs_f64());
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let peers = prepare()?;
            tell("peers are built");
            let scripts: Vec<&Case> = cases.iter().filter(|c| c.file("gpu.py").is_some()).collect();
            side_by_side(&scripts, cores().div_ceil(4), |case| peers.warm_script(case, left()));
            tell("what Python compiles is compiled");
            Ok::<Peers, String>(peers)
        });
        let done = side_by_side(cases, AT_ONCE.min(cores()), |case| match left() {
            Duration::ZERO => Ok(f64::NAN),
            limit => {
                let short = Terrace { limit, binary: terrace.binary.clone(), cache: None, ..*terrace };
                match short.bench(case, &case.gpu, &["--repeat", "1"]) {
                    Ok(json) => Ok(compile_ms(&json)),
                    Err(why) if why.starts_with("stopped after") && limit < terrace.limit => Ok(f64::NAN),
                    Err(why) => Err(why),
                }
            }
        });
        tell("kernels are compiled");
        Ok((others.join().expect("a job does not panic")?, done))
    })
}

fn compile_ms(json: &Json) -> f64 {
    json.at("timings_ms").list().iter().filter_map(|t| t.at("ms").number()).sum()
}
