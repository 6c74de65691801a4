//! `terrace devices`: what there is to run on, and what is missing.
//!
//! ```text
//! --backend c
//!   CPU
//!       2 threads, 23.4 GiB
//!       cc: cc (Debian 12.2.0-14) 12.2.0
//! --backend cuda
//!   missing: no NVIDIA driver: libcuda.so.1: cannot open shared object file
//!       run on the CPU instead, or install the driver of the GPU
//! --backend opencl
//!   --device 0  a device
//!       2 compute units, 21.5 GiB
//! ```
//!
//! What is missing is no error: the exit code is 0, and the interpreter is always there.

use crate::output::{Verdict, print};
use std::fmt::Write;
use terrace::Failed;
use terrace::runtime::{Place, devices as places};

pub(crate) fn devices() -> Result<Verdict, Failed> {
    print(&listed(&places()));
    Ok(Verdict::Good)
}

fn listed(places: &[Place]) -> String {
    let mut text = String::new();
    for place in places {
        let _ = writeln!(text, "--backend {}", place.backend);
        for (number, device) in place.devices.iter().enumerate() {
            let choice = if place.backend == "c" { String::new() } else { format!("--device {number}  ") };
            let _ = writeln!(text, "  {choice}{}", device.name);
            for fact in &device.facts {
                let _ = writeln!(text, "      {fact}");
            }
        }
        for why in &place.missing {
            let mut lines = why.lines();
            let _ = writeln!(text, "  missing: {}", lines.next().unwrap_or_default());
            for line in lines {
                let _ = writeln!(text, "      {line}");
            }
        }
    }
    text.push_str("--backend interp\n  always there: the reference interpreter, slow\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace::runtime::Found;

    #[test]
    fn devices_have_numbers_and_what_is_missing_has_reasons() {
        let found = Found { name: "a device".to_string(), facts: vec!["4 compute units".to_string()] };
        let places = [
            Place { backend: "cuda", devices: Vec::new(), missing: vec!["no driver\ninstall it".to_string()] },
            Place { backend: "opencl", devices: vec![found.clone(), found], missing: Vec::new() },
        ];
        let text = listed(&places);
        assert!(
            text.starts_with("--backend cuda\n  missing: no driver\n      install it\n--backend opencl\n"),
            "{text}"
        );
        assert!(text.contains("  --device 1  a device\n      4 compute units\n"), "{text}");
    }
}
