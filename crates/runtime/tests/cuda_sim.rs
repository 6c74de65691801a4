//! Plans written by hand, on simulated CUDA.

mod plans;

use plans::*;
use terrace_plan::Target;
use terrace_runtime::{Backend, Loaded, Options, RunError, Runtime};

fn load(plan: &terrace_plan::Plan, seed: u64) -> Result<Loaded, RunError> {
    Runtime::new(Backend::CudaSim { seed }, Options::default())?.load(plan)
}

#[test]
fn saxpy_under_several_schedules() {
    for seed in [0, 1, 2, 77] {
        let loaded = load(&saxpy(Target::Cuda), seed).expect("the kernels compile");
        for n in [0, 1, 64, 65, 1000] {
            let (args, wanted) = saxpy_case(n);
            let (result, stats) = loaded.call("saxpy", &args).expect("runs");
            assert_eq!(result, wanted);
            assert_eq!(stats.launches, u64::from(n > 0));
        }
    }
}

#[test]
fn a_barrier_that_not_all_threads_reach_is_an_error() {
    let mut plan = saxpy(Target::Cuda);
    plan.kernels[0].text =
        plan.kernels[0].text.replace("if (i < n) z", "if (threadIdx.x < 3) __syncthreads();\n if (i < n) z");
    let loaded = load(&plan, 0).expect("the kernels compile");
    let error = loaded.call("saxpy", &saxpy_case(10).0).expect_err("diverges");
    let RunError::Device(text) = &error else { panic!("{error}") };
    assert!(text.starts_with("simulated CUDA (seed 0): kernel saxpy: "), "{text}");
}

#[test]
fn cells_reads_and_failing_checks() {
    for seed in [0, 1, 5] {
        let backend = Backend::CudaSim { seed };
        evens_on(&Runtime::new(backend, Options::default()).expect("a simulator"), cuda_evens);
    }
}
