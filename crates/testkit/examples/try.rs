//! Runs the tests of files under some setups, for hunting: `cargo run --example try -- flat FILE…`.

use std::path::Path;
use terrace::{Backend, Strategy};
use terrace_testkit::corpus::run_file;
use terrace_testkit::setup::{STRATEGIES, Setup, cover};

#[allow(clippy::print_stdout)]
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((backend, files)) = args.split_first() else { return };
    let (backend, which) = backend.split_once(':').unwrap_or((backend, "all"));
    let Some(backend) = Backend::from_name(backend) else { return };
    let setups = match which {
        "one" => vec![Setup::new(backend)],
        "tiny" => vec![Setup::new(backend).tiny()],
        "base" => vec![Setup::new(backend).regularity(false).fusion(false)],
        "seq" => vec![Setup::new(backend).strategy(Strategy::Seq)],
        _ => STRATEGIES.iter().map(|s| Setup::new(backend).strategy(*s)).chain(cover(backend)).collect(),
    };
    for file in files {
        for setup in &setups {
            let start = std::time::Instant::now();
            let report = run_file(Path::new(file), setup);
            println!("{file} {setup}: {} hold, {} fail, {:?}", report.passed, report.failures.len(), start.elapsed());
            report.failures.iter().for_each(|f| println!("{f}"));
        }
    }
}
