//! OpenCL: the words where it is missing, and everything else where there is a device. The set-up of the tests gets a driver for CPUs.

mod plans;

use plans::*;
use terrace_plan::Target;
use terrace_runtime::{Backend, Options, RunError, Runtime, devices};

/// The first device; where there is none, the reason must be clear.
fn device() -> Option<Runtime> {
    match Runtime::new(Backend::OpenCl { device: 0 }, Options { profile: true, ..Options::default() }) {
        Ok(runtime) => Some(runtime),
        Err(error) => {
            let RunError::Device(text) = &error else { panic!("{error}") };
            let clear = ["no OpenCL: the loader was not found: ", "no OpenCL driver: ", "no OpenCL device: "];
            assert!(clear.iter().any(|c| text.starts_with(c)), "{text}");
            None
        }
    }
}

#[test]
fn saxpy_on_a_device_or_a_clear_reason() {
    let Some(runtime) = device() else { return };
    // The second time from the cache.
    for _ in 0..2 {
        let loaded = runtime.load(&saxpy(Target::OpenCl)).expect("compiles and loads");
        for n in [0, 1, 64, 65, 1000, 100_000] {
            let (args, wanted) = saxpy_case(n);
            let (result, stats) = loaded.call("saxpy", &args).expect("runs");
            assert_eq!(result, wanted);
            assert_eq!(stats.launches, u64::from(n > 0));
            assert_eq!(stats.peak_bytes, 12 * n as u64);
            assert!(stats.kernel_ms[0] <= stats.device_ms);
        }
    }
}

#[test]
fn cells_reads_and_checks() {
    if let Some(runtime) = device() {
        evens_on(&runtime, opencl_evens);
    }
}

#[test]
fn what_cannot_be_is_said() {
    let Some(runtime) = device() else { return };
    let missing = Runtime::new(Backend::OpenCl { device: 1000 }, Options::default());
    assert!(missing.is_err_and(|e| e.to_string().starts_with("there is no OpenCL device number 1000")));

    let loading = |text: &str| {
        let mut plan = saxpy(Target::OpenCl);
        plan.kernels[0].text = text.to_string();
        runtime.load(&plan)
    };
    // Kernels are compiled when they are wanted, and a kernel that cannot be compiled is no better the second time.
    let running = |text: &str| {
        let loaded = loading(text).expect("compiles nothing yet");
        let call = || loaded.call("saxpy", &saxpy_case(65).0).map(|_| ()).expect_err("cannot run").to_string();
        let error = call();
        assert_eq!(error, call());
        error
    };
    let error = running("__kernel void saxpy(__global float *x) { undeclared_name; }");
    assert!(error.contains("the build failed") && error.contains("undeclared_name"), "{error}");
    let lacking = "#pragma OPENCL EXTENSION cl_khr_fp1024 : enable\n__kernel void saxpy(__global float *x) { }";
    let error = loading(lacking).map(|_| ()).expect_err("cannot be loaded").to_string();
    let wanted = format!("the device {} lacks cl_khr_fp1024", runtime.device_name());
    assert!(error.starts_with(&wanted), "{error}");
    let error = running("__kernel void other(__global float *x) { }");
    assert!(error.contains("finding kernel saxpy"), "{error}");
}

#[test]
fn every_back_end_is_listed_with_devices_or_reasons() {
    let places = devices();
    let names: Vec<&str> = places.iter().map(|p| p.backend).collect();
    assert_eq!(names, ["c", "cuda", "opencl"]);
    for place in &places {
        assert!(!place.devices.is_empty() || !place.missing.is_empty(), "{place:?}");
        assert!(place.devices.iter().all(|d| !d.name.is_empty() && !d.facts.is_empty()), "{place:?}");
    }
    assert_eq!(!places[2].devices.is_empty(), device().is_some());
}
