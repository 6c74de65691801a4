//! Peers on a GPU: CUDA by hand and NVIDIA's libraries, compiled by `nvcc`, and what the GPU can do at most.
//!
//! ```text
//! spmv/gpu.cu    nvcc -O3 -arch=native … -lcusparse      target/bench/spmv.cuda
//! ```
//!
//! A source that includes the header of a library is linked with it; where the toolkit lacks it, other places of the machine are searched (packages of Python carry the libraries), and at
//! last it is compiled with `NO_CUSPARSE` or the like and does without. The machine needs no Rust: `TERRACE_BIN` names the binary, and `xtask` runs from the repository's root.

use super::Device;
use super::limit::Limit;
use super::peers::{Peers, cores, folder, side_by_side, workloads_with};
use super::process::run;
use super::workload::Case;
use crate::root;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const SETS: &[(&str, &str)] = &[("cuda", "")];
const FLAGS: &str = "-O3 -std=c++17 -arch=native --extended-lambda";
/// Libraries and their headers.
const LIBRARIES: &[(&str, &str)] =
    &[("cusparse", "cusparse.h"), ("cublas", "cublas_v2.h"), ("cufft", "cufft.h"), ("curand", "curand.h")];

/// Builds the peers; what does not compile is said and left out.
pub(crate) fn prepare(cases: &[Case], seconds: f64) -> Result<Peers, String> {
    let folder = folder()?;
    let mut built = workloads_with(cases, "gpu.cu");
    side_by_side(&built, cores(), |name| {
        let binary = folder.join(format!("{name}.cuda"));
        let _ = std::fs::remove_file(&binary);
        let done = compile(&root().join(format!("benchmarks/workloads/{name}/gpu.cu")), &binary);
        done.unwrap_or_else(|why| println!("{why}"));
    });
    built.retain(|name| folder.join(format!("{name}.cuda")).exists());
    let python = which("python3").ok_or_else(|| "there is no python3".to_string());
    Ok(Peers { folder, device: Device::Cuda, flags: SETS, built, python, seconds, limit: Duration::from_secs(60) })
}

/// Bytes and operations per second.
pub(crate) fn limit() -> Result<Limit, String> {
    let binary = folder()?.join("limit.cuda");
    compile(&root().join("benchmarks/peers/limit.cu"), &binary)?;
    Limit::said_by(&binary)
}

/// The GPU's name and driver.
pub(crate) fn machine() -> String {
    let asked = ["--query-gpu=name,driver_version", "--format=csv,noheader"];
    let said = run(Command::new("nvidia-smi").args(asked), Duration::from_secs(30)).out;
    let nvcc = run(Command::new(nvcc()).arg("--version"), Duration::from_secs(30)).out;
    let release = nvcc.lines().find_map(|l| l.split("release ").nth(1)?.split(',').next()).unwrap_or("unknown");
    format!("{}, CUDA {release}", said.lines().next().unwrap_or("an unknown GPU").trim().replace(", ", ", driver "))
}

fn nvcc() -> PathBuf {
    std::env::var_os("NVCC").map_or_else(|| PathBuf::from("nvcc"), PathBuf::from)
}

fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|p| p.join(name)).find(|p| p.exists())
}

fn compile(source: &Path, binary: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(source).map_err(|why| format!("{}: {why}", source.display()))?;
    let needed = LIBRARIES.iter().find(|(_, header)| text.contains(&format!("<{header}>")));
    let attempts: Vec<Vec<String>> = match needed {
        None => vec![Vec::new()],
        Some((library, header)) => {
            let elsewhere = elsewhere(library, header);
            let without = vec![format!("-DNO_{}", library.to_uppercase())];
            [Some(vec![format!("-l{library}")]), elsewhere, Some(without)].into_iter().flatten().collect()
        }
    };
    let mut why = String::new();
    for more in attempts {
        let mut command = Command::new(nvcc());
        command.args(FLAGS.split(' ')).arg("-I").arg(root().join("benchmarks/peers")).arg(source);
        let said = run(command.arg("-o").arg(binary).args(more), Duration::from_secs(300));
        match said.failed {
            None => return Ok(()),
            Some(failed) => why = failed,
        }
    }
    Err(format!("{} does not compile: {why}", source.display()))
}

/// Flags for a library that lies outside the toolkit.
fn elsewhere(library: &str, header: &str) -> Option<Vec<String>> {
    let find = |name: &str| {
        let places = ["/usr/local", "/opt", "/usr/lib", "/usr/include", "/root"];
        let said = run(Command::new("find").args(places).args(["-name", name]), Duration::from_secs(60));
        let mut found: Vec<PathBuf> = said.out.lines().map(PathBuf::from).collect();
        found.sort();
        found.into_iter().next()
    };
    let (header, shared) = (find(header)?, find(&format!("lib{library}.so.*"))?);
    let folder = shared.parent()?.display().to_string();
    Some(vec![
        format!("-I{}", header.parent()?.display()),
        shared.display().to_string(),
        format!("-Xlinker=-rpath={folder}"),
        format!("-Xlinker=-rpath={folder}/../../nvjitlink/lib"),
    ])
}
