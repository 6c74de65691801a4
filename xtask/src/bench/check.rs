//! Do all back ends give what the reference gives? At sizes that an interpreter can do.
//!
//! ```text
//! python3 reference.py power 500 300          {"checksums": [{"count": 500, …}]}
//! terrace bench … --backend interp | flat | mem | c | cuda-sim | opencl | cuda
//! ```
//!
//! The reference's checksums must be among those of each back end, in order. A back end that is not on this machine is left out, and the page says which ran; one
//! that fails is a mistake.

use super::measure::{Terrace, agree, checksums};
use super::object;
use super::process::run;
use super::workload::Case;
use crate::root;
use std::process::Command;
use std::time::Duration;
use terrace_base::Json;

/// What a back end gave.
pub(crate) struct Check {
    pub(crate) backend: String,
    /// Nothing if it agrees with the reference; else why not.
    pub(crate) wrong: Option<String>,
}

impl Check {
    pub(crate) fn json(&self) -> Json {
        let wrong = self.wrong.as_deref().map_or(Json::Null, Json::from);
        object([("backend", self.backend.as_str().into()), ("agrees", self.wrong.is_none().into()), ("wrong", wrong)])
    }
}

/// Codes of what is not on this machine: no loader of OpenCL, no device of it, no driver of CUDA.
const NOT_HERE: &[&str] = &["T0950", "T0951", "no OpenCL", "no CUDA"];

/// Runs a case on some back ends at its quick sizes.
pub(crate) fn check(terrace: &Terrace, case: &Case, backends: &[&str]) -> Result<Vec<Check>, String> {
    let wanted = reference(case)?;
    let mut all = Vec::new();
    for backend in backends {
        let wrong = match terrace.bench_on(backend, case, &case.quick, &["--repeat", "1", "--checksum"]) {
            Ok(json) if agree(&checksums(&json), &wanted, case.tolerance) => None,
            Ok(json) => Some(format!("{:?}, and the reference has {wanted:?}", checksums(&json))),
            Err(why) if NOT_HERE.iter().any(|code| why.contains(code)) => continue,
            Err(why) => Some(why),
        };
        all.push(Check { backend: backend.to_string(), wrong });
    }
    Ok(all)
}

/// The checksums that plain Python computes.
fn reference(case: &Case) -> Result<Vec<[f64; 3]>, String> {
    let Some(file) = case.file("reference.py") else {
        return Err(format!("{}: there is no reference.py", case.workload()));
    };
    let mut command = Command::new("python3");
    command.arg("-B").arg(&file).arg(&case.own_name).args(case.quick.iter().map(i64::to_string));
    let said = run(command.env("PYTHONPATH", root().join("benchmarks/peers")), Duration::from_secs(120));
    let failed = |why: String| format!("{} {}: {why}", file.display(), case.own_name);
    said.failed.map_or(Ok(()), Err).map_err(failed)?;
    let found = checksums(&Json::parse(said.out.trim()).map_err(failed)?);
    if found.is_empty() { Err(failed("it prints no checksums".to_string())) } else { Ok(found) }
}
