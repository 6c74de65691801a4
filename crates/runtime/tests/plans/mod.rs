//! Plans written by hand, and short names for writing more.

#![allow(dead_code, reason = "each test file uses a part of these")]

use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_plan::data::Data;
use terrace_plan::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotInfo, SlotType};
use terrace_plan::layout::{DimLayout, Layout};
use terrace_plan::{CheckText, Entry, KernelParam, KernelText, Plan, Target, VERSION};

pub(crate) const I64: ScalarType = ScalarType::I64;
pub(crate) const F32: ScalarType = ScalarType::F32;

pub(crate) fn slot(index: usize) -> SlotId {
    SlotId::new(index)
}

pub(crate) fn get(index: usize) -> HostExpr {
    HostExpr::Slot(slot(index))
}

pub(crate) fn int(value: i64) -> HostExpr {
    HostExpr::Const(Scalar::I64(value))
}

pub(crate) fn op(op: BinOp, a: HostExpr, b: HostExpr) -> HostExpr {
    HostExpr::Binary(op, Box::new(a), Box::new(b))
}

pub(crate) fn compute(to: usize, expr: HostExpr) -> HostStmt {
    HostStmt::Compute { to: slot(to), expr }
}

pub(crate) fn alloc(to: usize, count: HostExpr) -> HostStmt {
    HostStmt::Alloc { to: slot(to), count, span: span(10) }
}

pub(crate) fn arg(index: usize) -> Argument {
    Argument::Slot(slot(index))
}

pub(crate) fn launch(kernel: usize, tiles: Vec<HostExpr>, args: Vec<Argument>) -> HostStmt {
    HostStmt::Launch { kernel, tiles, args }
}

/// A span that a message can be recognised by.
pub(crate) fn span(start: usize) -> Span {
    Span::new(terrace_base::FileId::new(0), start, start + 1)
}

/// `ceil(expr / by)`.
pub(crate) fn tiles(expr: HostExpr, by: i64) -> HostExpr {
    op(BinOp::Div, op(BinOp::Add, expr, int(by - 1)), int(by))
}

pub(crate) fn function(
    name: &str,
    slots: &[SlotType],
    params: &[usize],
    results: &[usize],
    body: Vec<HostStmt>,
) -> HostFunction {
    let info = |(i, ty): (usize, &SlotType)| SlotInfo { name: format!("s{i}"), ty: *ty };
    HostFunction {
        name: name.to_string(),
        slots: slots.iter().enumerate().map(info).collect(),
        params: params.iter().map(|&s| slot(s)).collect(),
        results: results.iter().map(|&s| slot(s)).collect(),
        body,
    }
}

pub(crate) fn kernel(name: &str, params: &[KernelParam], phases: usize, block: u32, text: &str) -> KernelText {
    let (name, text, params) = (name.to_string(), text.to_string(), params.to_vec());
    KernelText { name, text, params, phases, block, small: None, alone: false, span: span(0) }
}

pub(crate) fn check_text(kind: &str, at: usize) -> CheckText {
    CheckText { code: terrace_plan::messages::code(kind), kind: kind.to_string(), text: String::new(), span: span(at) }
}

pub(crate) fn vector(ty: ScalarType) -> Layout {
    Layout::Array(DimLayout::Length, Box::new(Layout::Scalar(ty)))
}

pub(crate) fn entry(name: &str, function: usize, params: Vec<Layout>, result: Layout) -> Entry {
    Entry { name: name.to_string(), is_test: false, function, params, consumed: Vec::new(), result }
}

pub(crate) const C_PREAMBLE: &str = r"
#include <stdint.h>
static void fail(uint64_t *err, int64_t launch, uint64_t check, int64_t index, int64_t a, int64_t b) {
    while (__atomic_exchange_n(&err[0], 1, __ATOMIC_ACQUIRE)) {}
    if (err[1] == 0 || ((int64_t)err[1] == launch && (check < err[2] || (check == err[2] && index < (int64_t)err[3])))) {
        err[2] = check; err[3] = (uint64_t)index; err[4] = (uint64_t)a; err[5] = (uint64_t)b;
        __atomic_store_n(&err[1], (uint64_t)launch, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&err[0], 0, __ATOMIC_RELEASE);
}
#define START if (err[1] != 0 && (int64_t)err[1] < launch) return;
";

pub(crate) fn plan(
    functions: Vec<HostFunction>,
    kernels: Vec<KernelText>,
    entries: Vec<Entry>,
    checks: Vec<CheckText>,
) -> Plan {
    Plan {
        version: VERSION,
        target: Target::C,
        functions,
        kernels,
        preamble: C_PREAMBLE.to_string(),
        alone: String::new(),
        entries,
        checks,
        thresholds: Vec::new(),
    }
}

pub(crate) const SAXPY_TILE: i64 = 64;

/// `def saxpy(a: f32, x: [n]f32, y: [n]f32) -> [n]f32`, with a check that the lengths agree.
pub(crate) fn saxpy(target: Target) -> Plan {
    let host = [
        SlotType::Host(F32),
        SlotType::Host(I64),
        SlotType::Buffer(F32),
        SlotType::Host(I64),
        SlotType::Buffer(F32),
        SlotType::Buffer(F32),
    ];
    let body = vec![
        HostStmt::Check { check: 0, cond: op(BinOp::Eq, get(1), get(3)), values: vec![get(1), get(3)] },
        alloc(5, get(1)),
        launch(
            0,
            vec![tiles(get(1), SAXPY_TILE)],
            vec![Argument::Value(get(0)), Argument::Value(get(1)), arg(2), arg(4), arg(5)],
        ),
    ];
    let main = function("saxpy", &host, &[0, 1, 2, 3, 4], &[1, 5], body);
    let params = [
        KernelParam::Scalar(F32),
        KernelParam::Scalar(I64),
        KernelParam::Buffer(F32),
        KernelParam::Buffer(F32),
        KernelParam::Buffer(F32),
    ];
    let (text, block, preamble) = match target {
        Target::C => (
            r"
void saxpy(uint64_t *err, int64_t launch, int64_t lo, int64_t hi, void *const *args) {
    START
    float a = *(const float *)args[0];
    int64_t n = *(const int64_t *)args[1];
    const float *x = args[2], *y = args[3];
    float *z = args[4];
    int64_t end = hi * 64 < n ? hi * 64 : n;
    for (int64_t i = lo * 64; i < end; i++) z[i] = a * x[i] + y[i];
}",
            1,
            C_PREAMBLE,
        ),
        Target::Cuda => (
            r#"
extern "C" __global__ void saxpy(unsigned long long *err, long long launch, float a, long long n, const float *x, const float *y, float *z) {
    if (err[1] != 0 && err[1] < (unsigned long long)launch) return;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) z[i] = a * x[i] + y[i];
}"#,
            64,
            "",
        ),
        Target::OpenCl => (
            r"
__kernel void saxpy(__global ulong *err, long launch, float a, long n, __global const float *x, __global const float *y, __global float *z) {
    if (err[1] != 0 && err[1] < (ulong)launch) return;
    long i = get_global_id(0);
    if (i < n) z[i] = a * x[i] + y[i];
}",
            64,
            "",
        ),
    };
    let entries = vec![entry("saxpy", 0, vec![Layout::Scalar(F32), vector(F32), vector(F32)], vector(F32))];
    let mut plan =
        plan(vec![main], vec![kernel("saxpy", &params, 1, block, text)], entries, vec![check_text("zip", 33)]);
    plan.target = target;
    plan.preamble = preamble.to_string();
    plan
}

pub(crate) fn floats(values: impl IntoIterator<Item = f32>) -> Data {
    Data::Array(values.into_iter().map(|v| Data::Scalar(Scalar::F32(v))).collect())
}

pub(crate) fn ints(values: impl IntoIterator<Item = i64>) -> Data {
    Data::Array(values.into_iter().map(|v| Data::Scalar(Scalar::I64(v))).collect())
}

pub(crate) fn float(value: f32) -> Data {
    Data::Scalar(Scalar::F32(value))
}

pub(crate) fn integer(value: i64) -> Data {
    Data::Scalar(Scalar::I64(value))
}

/// Arguments and result of saxpy on `n` elements.
pub(crate) fn saxpy_case(n: usize) -> (Vec<Data>, Data) {
    let x = (0..n).map(|i| (i % 61) as f32 / 8.0);
    let y = (0..n).map(|i| (i % 7) as f32 - 3.0);
    let z: Vec<f32> = x.clone().zip(y.clone()).map(|(x, y)| 2.5 * x + y).collect();
    (vec![float(2.5), floats(x), floats(y)], floats(z))
}

/// `def evens(xs: [n]i64) -> i64`, how many are even, in CUDA; a negative element is an error. Where `read`, the host brings the count and
/// adds nothing to it.
pub(crate) fn cuda_evens(read: bool) -> Plan {
    let slots =
        [SlotType::Host(I64), SlotType::Buffer(I64), SlotType::Cell(I64), SlotType::Host(I64), SlotType::Buffer(I64)];
    let mut body = vec![
        HostStmt::AllocCell { to: slot(2) },
        HostStmt::WriteCell { cell: slot(2), value: int(0) },
        alloc(4, int(100)),
        HostStmt::Zero { buffer: slot(4) },
        launch(0, vec![tiles(get(0), 64)], vec![Argument::Value(get(0)), arg(1), arg(2), arg(4)]),
    ];
    if read {
        body.push(HostStmt::Read { cells: vec![(slot(2), slot(3))] });
    }
    let params = [KernelParam::Scalar(I64), KernelParam::Buffer(I64), KernelParam::Cell(I64), KernelParam::Buffer(I64)];
    let text = r#"
typedef unsigned long long u64;
static __device__ void fail(u64 *err, long long launch, u64 check, long long index, long long value) {
    while (atomicCAS(&err[0], 0ull, 1ull) != 0ull) __nanosleep(64);
    if (err[1] == 0 || (err[1] == (u64)launch && (check < err[2] || (check == err[2] && index < (long long)err[3])))) {
        err[2] = check; err[3] = (u64)index; err[4] = (u64)value;
        __threadfence();
        err[1] = (u64)launch;
    }
    __threadfence();
    atomicExch(&err[0], 0ull);
}
extern "C" __global__ void evens(u64 *err, long long launch, long long n, const long long *xs, long long *count, const long long *zeros) {
    if (err[1] != 0 && err[1] < (u64)launch) return;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (xs[i] < 0) fail(err, launch, 1, i, xs[i]);
        else if (xs[i] % 2 == zeros[i % 100]) atomicAdd((u64 *)count, 1ull);
    }
}"#;
    let function = function("evens", &slots, &[0, 1], &[if read { 3 } else { 2 }], body);
    let entries = vec![entry("evens", 0, vec![vector(I64)], Layout::Scalar(I64))];
    let checks = vec![check_text("zip", 1), check_text("length", 2)];
    let kernels = vec![kernel("evens", &params, 1, 64, text)];
    let mut plan = plan(vec![function], kernels, entries, checks);
    plan.target = Target::Cuda;
    plan.preamble = String::new();
    plan
}

/// The same in OpenCL, with atomic operations on 32 bits: a cell is a buffer and a place in it.
pub(crate) fn opencl_evens(read: bool) -> Plan {
    let mut plan = cuda_evens(read);
    plan.target = Target::OpenCl;
    plan.kernels[0].text = r"
void fail(volatile __global ulong *err, long launch, ulong check, long index, long value) {
    volatile __global uint *lock = (volatile __global uint *)err;
    for (bool done = false; !done;) {
        if (atomic_cmpxchg(lock, 0u, 1u) == 0u) {
            if (err[1] == 0 || (err[1] == (ulong)launch && (check < err[2] || (check == err[2] && index < (long)err[3])))) {
                err[2] = check; err[3] = (ulong)index; err[4] = (ulong)value;
                mem_fence(CLK_GLOBAL_MEM_FENCE);
                err[1] = (ulong)launch;
            }
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock, 0u);
            done = true;
        }
    }
}
__kernel void evens(volatile __global ulong *err, long launch, long n, __global const long *xs, __global uchar *cells, long at, __global const long *zeros) {
    if (err[1] != 0 && err[1] < (ulong)launch) return;
    long i = get_global_id(0);
    if (i < n) {
        if (xs[i] < 0) fail(err, launch, 1, i, xs[i]);
        else if (xs[i] % 2 == zeros[i % 100]) atomic_inc((volatile __global uint *)(cells + at));
    }
}"
    .to_string();
    plan
}

/// Cells, reads and failing checks on a GPU.
pub(crate) fn evens_on(runtime: &terrace_runtime::Runtime, evens: fn(bool) -> Plan) {
    for read in [false, true] {
        let loaded = runtime.load(&evens(read)).expect("compiles");
        for n in [0, 1, 1000] {
            let (result, stats) = loaded.call("evens", &[ints(0..n)]).expect("runs");
            assert_eq!(result, integer((n + 1) / 2));
            assert_eq!(stats.host_reads, u64::from(read));
            assert_eq!((stats.allocations, stats.zeroed_bytes), (1, 800));
        }
        for _ in 0..10 {
            let negative = |i| {
                if [999, 500, 333, 332].contains(&i) { -i } else { i }
            };
            let error = loaded.call("evens", &[ints((0..1000).map(negative))]).expect_err("fails");
            let values = vec![-332, 0, 0, 0];
            let wanted = terrace_runtime::RunError::Check { check: 1, index: 332, values };
            assert_eq!(error, wanted);
        }
    }
}
