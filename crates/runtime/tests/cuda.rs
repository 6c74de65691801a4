//! CUDA: what can be tested without a GPU, and the rest where there is one.

mod plans;

use plans::*;
use terrace_plan::Target;
use terrace_runtime::{Backend, Options, RunError, Runtime, compile_cubin, nvrtc_available};

#[test]
fn kernels_compile_without_a_gpu() {
    let plan = saxpy(Target::Cuda);
    if let Err(reason) = nvrtc_available() {
        assert!(reason.starts_with("no CUDA compiler: "), "{reason}");
        assert!(compile_cubin(&plan.kernels[0].text, "sm_90").is_err());
        return;
    }
    for arch in ["sm_80", "sm_90"] {
        for _ in 0..2 {
            let cubin = compile_cubin(&plan.kernels[0].text, arch).expect("compiles");
            assert!(cubin.starts_with(b"\x7fELF") && cubin.windows(5).any(|w| w == b"saxpy"));
        }
    }
    let error = compile_cubin("extern \"C\" __global__ void k() { undeclared_name; }", "sm_90").expect_err("wrong");
    assert!(error.contains("undeclared_name"), "{error}");
    assert!(compile_cubin("", "sm_1").is_err());
}

#[test]
fn saxpy_on_a_gpu_or_a_clear_reason() {
    let runtime = match Runtime::new(Backend::Cuda { device: 0 }, Options { profile: true, ..Options::default() }) {
        Ok(runtime) => runtime,
        Err(error) => {
            let RunError::Device(text) = &error else { panic!("{error}") };
            let clear = ["no NVIDIA driver: ", "there is no GPU", "CUDA failed at starting the NVIDIA driver: "];
            assert!(clear.iter().any(|c| text.starts_with(c)), "{text}");
            return;
        }
    };
    let loaded = runtime.load(&saxpy(Target::Cuda)).expect("compiles and loads");
    for n in [0, 1, 64, 65, 1000, 100_000] {
        let (args, wanted) = saxpy_case(n);
        let (result, stats) = loaded.call("saxpy", &args).expect("runs");
        assert_eq!(result, wanted);
        assert_eq!(stats.launches, u64::from(n > 0));
        assert_eq!(stats.peak_bytes, 12 * n as u64);
        assert!(stats.kernel_ms[0] <= stats.device_ms);
    }
    let [resources] = &loaded.resources()[..] else { panic!("one kernel") };
    assert!(resources.registers > 0 && resources.local_bytes == 0);
    evens_on(&runtime, cuda_evens);
    let missing = Runtime::new(Backend::Cuda { device: 1000 }, Options::default());
    assert!(missing.is_err_and(|e| e.to_string().starts_with("there is no GPU number 1000")));
}
