//! Plans written by hand, on the CPU.

mod plans;

use plans::*;
use terrace_base::{BinOp, ScalarType};
use terrace_plan::host::{Argument as Arg, HostStmt, SlotType};
use terrace_plan::layout::{DimLayout, Layout};
use terrace_plan::{KernelParam, Plan, Target};
use terrace_runtime::{Argument, Backend, Column, Loaded, Options, RunError, Runtime, SlotValue};

fn load_with(plan: &Plan, threads: usize, options: Options) -> Loaded {
    let runtime = Runtime::new(Backend::Cpu { threads }, options).expect("a CPU");
    runtime.load(plan).expect("the kernels compile")
}

fn load(plan: &Plan) -> Loaded {
    load_with(plan, 2, Options::default())
}

#[test]
fn saxpy_on_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let loaded = load_with(&saxpy(Target::C), threads, Options { inline_ns: 0, ..Options::default() });
        for n in [0, 1, 63, 64, 65, 1000, 100_000] {
            let (args, wanted) = saxpy_case(n);
            let (result, stats) = loaded.call("saxpy", &args).expect("runs");
            assert_eq!(result, wanted);
            assert_eq!(stats.launches, u64::from(n > 0));
            assert_eq!(stats.launches_per_kernel, [u64::from(n > 0)]);
            assert_eq!((stats.host_reads, stats.allocations), (0, 1));
            assert_eq!(stats.peak_bytes, 12 * n as u64);
            assert_eq!(stats.current_bytes, 4 * n as u64, "the arguments are gone");
            assert_eq!(stats.bytes_to_device, 0, "arguments are read where they are");
            assert_eq!(stats.result_transfers, 0, "and so are results");
        }
    }
}

#[test]
fn prepared_arguments_run_again_and_again() {
    let loaded = load(&saxpy(Target::C));
    let column = |v: &[f32]| vec![SlotValue::Scalar((v.len() as i64).into()), SlotValue::Column(Column::from_slice(v))];
    let (x, y) = (column(&[1.0, 2.0, 3.0]), column(&[10.0, 20.0, 30.0]));
    let a = float(2.0);
    let args = [Argument::Data(&a), Argument::Columns(&x), Argument::Columns(&y)];
    let args = loaded.prepare(0, &args).expect("prepared");
    for _ in 0..3 {
        let (results, stats) = loaded.run(&args).expect("runs");
        assert_eq!((stats.bytes_to_device, stats.peak_bytes), (0, 36));
        assert_eq!(loaded.fetch(&results).expect("fetched"), column(&[12.0, 24.0, 36.0]));
        assert_eq!(loaded.fetch_data(&results).expect("fetched"), floats([12.0, 24.0, 36.0]));
    }
    let short = vec![SlotValue::Scalar(4i64.into()), x[1].clone()];
    let wrong = loaded.prepare("saxpy", &[Argument::Data(&a), Argument::Columns(&short), Argument::Columns(&y)]);
    assert!(matches!(wrong, Err(RunError::Argument { param: 1, .. })));
}

#[test]
fn wrong_calls_say_what_is_wrong() {
    let loaded = load(&saxpy(Target::C));
    let (args, _) = saxpy_case(4);
    let say = |r: Result<_, RunError>| loaded.diagnose(&r.map(|_: (_, _)| ()).expect_err("fails")).title;
    assert_eq!(say(loaded.call("nothing", &args)), "wrong argument: there is no entry `nothing`; there are: saxpy");
    assert_eq!(say(loaded.call("saxpy", &args[..2])), "wrong argument: `saxpy` takes 3 arguments, not 2");
    let wrong = [args[0].clone(), args[0].clone(), args[2].clone()];
    assert_eq!(
        say(loaded.call("saxpy", &wrong)),
        "wrong argument: number 2: an array belongs here, not 2.5f32 of type f32"
    );
    // The host's check that lengths agree.
    let unequal = [args[0].clone(), args[1].clone(), floats([1.0])];
    let error = loaded.call("saxpy", &unequal).expect_err("fails");
    assert_eq!(error, RunError::Check { check: 0, index: -1, values: vec![4, 1] });
    let report = loaded.diagnose(&error);
    assert_eq!((report.code, report.primary_span()), ("T0903", span(33)));
    assert_eq!(error.kind(loaded.plan()), "zip");
}

/// `def down(n) = if n == 0 then 0 else down(n - 1) + n`, every level holding a buffer of 8 bytes.
fn recursion() -> Plan {
    let slots = [SlotType::Host(I64), SlotType::Host(I64), SlotType::Host(I64), SlotType::Buffer(I64)];
    let body = vec![HostStmt::If {
        cond: op(BinOp::Eq, get(0), int(0)),
        then: vec![compute(1, int(0))],
        otherwise: vec![
            alloc(3, int(1)),
            compute(2, op(BinOp::Sub, get(0), int(1))),
            HostStmt::Call { function: 0, args: vec![slot(2)], results: vec![slot(1)], span: span(44) },
            compute(1, op(BinOp::Add, get(1), get(0))),
        ],
    }];
    let i64s = || Layout::Scalar(I64);
    plan(vec![function("down", &slots, &[0], &[1], body)], vec![], vec![entry("down", 0, vec![i64s()], i64s())], vec![])
}

#[test]
fn recursion_lives_on_the_heap_and_has_a_limit() {
    let loaded = load(&recursion());
    let (result, stats) = loaded.call("down", &[integer(10_000)]).expect("runs");
    assert_eq!(result, integer(50_005_000));
    assert_eq!((stats.calls, stats.deepest, stats.peak_bytes, stats.current_bytes), (10_000, 10_000, 80_000, 0));
    let error = loaded.call("down", &[integer(10_001)]).expect_err("too deep");
    assert_eq!(error, RunError::DepthLimit { span: span(44), limit: 10_000 });
    assert_eq!(loaded.diagnose(&error).code, "T0909");
    let deep = load_with(&recursion(), 1, Options { depth_limit: 1_000_000, ..Options::default() });
    assert!(deep.call("down", &[integer(500_000)]).is_ok());
}

/// `sum i * i for i < n`, in a loop on the host that allocates in every round.
fn host_loop() -> Plan {
    let slots = [
        SlotType::Host(I64),
        SlotType::Host(I64),
        SlotType::Host(I64),
        SlotType::Buffer(I64),
        SlotType::Host(ScalarType::Bool),
    ];
    let body = vec![
        compute(1, int(0)),
        compute(2, int(0)),
        HostStmt::While {
            cond: vec![compute(4, op(BinOp::Lt, get(1), get(0)))],
            test: get(4),
            body: vec![
                alloc(3, int(100)),
                compute(2, op(BinOp::Add, get(2), op(BinOp::Mul, get(1), get(1)))),
                compute(1, op(BinOp::Add, get(1), int(1))),
            ],
        },
        HostStmt::Free { slot: slot(3) },
    ];
    let i64s = || Layout::Scalar(I64);
    plan(
        vec![function("squares", &slots, &[0], &[2], body)],
        vec![],
        vec![entry("squares", 0, vec![i64s()], i64s())],
        vec![],
    )
}

#[test]
fn loops_reuse_memory() {
    let loaded = load(&host_loop());
    for (n, wanted) in [(0, 0), (1, 0), (5, 30)] {
        let (result, stats) = loaded.call("squares", &[integer(n)]).expect("runs");
        assert_eq!(result, integer(wanted));
        assert_eq!((stats.allocations, stats.current_bytes), (n as u64, 0));
        assert_eq!(stats.peak_bytes, if n == 0 { 0 } else { 800 });
    }
}

/// `def pick(xs: [n]i64, is: [m]i64) -> [m]i64`, whose kernel checks every index.
fn pick() -> Plan {
    let slots =
        [SlotType::Host(I64), SlotType::Buffer(I64), SlotType::Host(I64), SlotType::Buffer(I64), SlotType::Buffer(I64)];
    let all = || vec![Arg::Value(get(0)), arg(1), Arg::Value(get(2)), arg(3), arg(4)];
    let body = vec![
        alloc(4, get(2)),
        launch(0, vec![tiles(get(2), 4)], all()),
        launch(0, vec![tiles(get(2), 4)], all()),
        HostStmt::Check { check: 2, cond: op(BinOp::Lt, get(2), int(100)), values: vec![] },
    ];
    let params = [
        KernelParam::Scalar(I64),
        KernelParam::Buffer(I64),
        KernelParam::Scalar(I64),
        KernelParam::Buffer(I64),
        KernelParam::Buffer(I64),
    ];
    let text = r"
void pick(uint64_t *err, int64_t launch, int64_t lo, int64_t hi, void *const *args) {
    START
    int64_t n = *(const int64_t *)args[0], m = *(const int64_t *)args[2];
    const int64_t *xs = args[1], *is = args[3];
    int64_t *out = args[4];
    for (int64_t i = lo * 4; i < hi * 4 && i < m; i++) {
        int64_t at = is[i];
        if (at < 0 || at >= n) { fail(err, launch, 1, i, at, n); at = 0; }
        out[i] = n > 0 ? xs[at] : 0;
    }
}";
    let entries = vec![entry(
        "pick",
        0,
        vec![vector(I64), vector(I64)],
        Layout::Array(DimLayout::Length, Box::new(Layout::Scalar(I64))),
    )];
    let checks = vec![check_text("zip", 1), check_text("index", 2), check_text("length", 3)];
    plan(
        vec![function("pick", &slots, &[0, 1, 2, 3], &[2, 4], body)],
        vec![kernel("pick", &params, 1, 1, text)],
        entries,
        checks,
    )
}

#[test]
fn the_first_failing_check_is_reported() {
    let loaded = load_with(&pick(), 4, Options { inline_ns: 0, ..Options::default() });
    let (result, _) = loaded.call("pick", &[ints([5, 6, 7]), ints([2, 0, 2])]).expect("runs");
    assert_eq!(result, ints([7, 5, 7]));
    for _ in 0..50 {
        let mut indices: Vec<i64> = (0..90).map(|i| i % 3).collect();
        for wrong in [80, 61, 34, 33] {
            indices[wrong] = wrong as i64;
        }
        let error = loaded.call("pick", &[ints([5, 6, 7]), ints(indices)]).expect_err("fails");
        assert_eq!(error, RunError::Check { check: 1, index: 33, values: vec![33, 3, 0, 0] });
        let report = loaded.diagnose(&error);
        assert_eq!(report.title, "index 33 is out of bounds for an array of 3 elements");
        assert_eq!((report.code, report.primary_span()), ("T0901", span(2)));
    }
    // The device's failure is earlier in the program than the host's.
    let error = loaded.call("pick", &[ints([1]), ints(vec![9; 200])]).expect_err("fails");
    assert!(matches!(error, RunError::Check { check: 1, index: 0, .. }));
    let error = loaded.call("pick", &[ints([1]), ints(vec![0; 200])]).expect_err("fails");
    assert!(matches!(error, RunError::Check { check: 2, .. }));
}

/// `def evens(xs: [n]i64) -> ?[m]. [m]i64`: the kernel counts, the host reads the count only if asked to.
fn evens(read: bool) -> Plan {
    let slots = [
        SlotType::Host(I64),
        SlotType::Buffer(I64),
        SlotType::Buffer(I64),
        SlotType::Cell(I64),
        SlotType::Host(I64),
        SlotType::Cell(I64),
    ];
    let mut body = vec![
        HostStmt::AllocCell { to: slot(5) },
        HostStmt::AllocCell { to: slot(3) },
        HostStmt::WriteCell { cell: slot(3), value: int(0) },
        alloc(2, get(0)),
        HostStmt::Zero { buffer: slot(2) },
        launch(0, vec![int(1), int(1)], vec![Arg::Value(get(0)), arg(1), arg(2), arg(3)]),
    ];
    if read {
        body.push(HostStmt::Read { cells: vec![(slot(3), slot(4))] });
    }
    let params = [KernelParam::Scalar(I64), KernelParam::Buffer(I64), KernelParam::Buffer(I64), KernelParam::Cell(I64)];
    let text = r"
void evens(uint64_t *err, int64_t launch, int64_t lo, int64_t hi, void *const *args) {
    START
    int64_t n = *(const int64_t *)args[0], m = 0;
    const int64_t *xs = args[1];
    for (int64_t i = 0; i < n; i++) m += xs[i] % 2 == 0;
    *(int64_t *)args[3] += m;
}
void evens_1(uint64_t *err, int64_t launch, int64_t lo, int64_t hi, void *const *args) {
    START
    int64_t n = *(const int64_t *)args[0], m = 0;
    const int64_t *xs = args[1];
    int64_t *out = args[2];
    for (int64_t i = 0; i < n; i++) if (xs[i] % 2 == 0) out[m++] = xs[i];
}";
    let results = if read { [4, 2] } else { [3, 2] };
    let entries = vec![entry("evens", 0, vec![vector(I64)], vector(I64))];
    plan(
        vec![function("evens", &slots, &[0, 1], &results, body)],
        vec![kernel("evens", &params, 2, 1, text)],
        entries,
        vec![],
    )
}

#[test]
fn sizes_stay_on_the_device_unless_read() {
    for read in [false, true] {
        let loaded = load(&evens(read));
        let (result, stats) = loaded.call("evens", &[ints([1, 2, 3, 4, 6, 7])]).expect("runs");
        assert_eq!(result, ints([2, 4, 6]));
        assert_eq!(stats.host_reads, u64::from(read));
        assert_eq!(stats.result_transfers, 1 - u64::from(read));
        assert_eq!((stats.launches, stats.zeroed_bytes), (1, 48));
        let (result, _) = loaded.call("evens", &[ints([])]).expect("runs");
        assert_eq!(result, ints([]));
    }
}

#[test]
fn memory_has_a_limit() {
    let limited = |limit| load_with(&saxpy(Target::C), 2, Options { memory_limit: Some(limit), ..Options::default() });
    let (args, wanted) = saxpy_case(100);
    assert_eq!(limited(1200).call("saxpy", &args).expect("just fits").0, wanted);
    let tight = limited(1199);
    for _ in 0..2 {
        let error = tight.call("saxpy", &args).expect_err("too much");
        assert_eq!(error, RunError::OutOfMemory { span: span(10), bytes: 400, in_use: 800, limit: 1199 });
        let report = tight.diagnose(&error);
        assert_eq!((report.code, report.primary_span()), ("T0911", span(10)));
        assert_eq!(report.title, "no memory for 400 bytes");
    }
    assert_eq!(tight.call("saxpy", &saxpy_case(99).0).expect("nothing leaked").0, saxpy_case(99).1);
    assert!(matches!(limited(10).call("saxpy", &args), Err(RunError::OutOfMemory { bytes: 400, in_use: 0, .. })));
}

#[test]
fn waves_plan_with_a_quarter_of_what_is_free() {
    let slots = [SlotType::Host(I64), SlotType::Buffer(I64), SlotType::Host(I64)];
    let body = vec![alloc(1, get(0)), compute(2, terrace_plan::host::HostExpr::MemoryLimit)];
    let i64s = || Layout::Scalar(I64);
    let plan =
        plan(vec![function("f", &slots, &[0], &[2], body)], vec![], vec![entry("f", 0, vec![i64s()], i64s())], vec![]);
    let loaded = load_with(&plan, 1, Options { memory_limit: Some(1000), ..Options::default() });
    for (count, wanted) in [(0, 250), (50, 150), (125, 1)] {
        assert_eq!(loaded.call("f", &[integer(count)]).expect("runs").0, integer(wanted));
    }
    for count in [-1, (1 << 47) + 1] {
        let error = loaded.call("f", &[integer(count)]).expect_err("no length");
        assert_eq!(error, RunError::Length { span: span(10), count });
    }
}

#[test]
fn plans_that_make_no_sense_are_bugs_and_not_crashes() {
    let mut wrong = Vec::new();
    let mut add = |change: &dyn Fn(&mut Plan)| {
        let mut plan = saxpy(Target::C);
        change(&mut plan);
        wrong.push(plan);
    };
    add(&|p| p.functions[0].body.insert(1, compute(4, int(1))));
    add(&|p| p.functions[0].body.insert(1, compute(77, int(1))));
    add(&|p| p.functions[0].body[2] = launch(3, vec![], vec![]));
    add(&|p| p.functions[0].body[2] = launch(0, vec![], vec![]));
    add(&|p| p.functions[0].body.truncate(1));
    add(&|p| p.functions[0].results[1] = slot(0));
    add(&|p| p.functions[0].params.truncate(2));
    add(&|p| p.functions[0].body.insert(0, HostStmt::Free { slot: slot(2) }));
    add(&|p| p.functions[0].body.insert(0, compute(1, int(1_000_000))));
    for (i, plan) in wrong.iter().enumerate() {
        let result = load(plan).call("saxpy", &saxpy_case(if i == 8 { 0 } else { 10 }).0);
        let error = result.map(|_| ()).expect_err("makes no sense");
        let sensible = matches!(&error, RunError::Plan(_)) || i == 8 && matches!(error, RunError::Check { .. });
        assert!(sensible, "{i}: {error}");
    }
    let mut old = saxpy(Target::C);
    old.version += 1;
    let runtime = Runtime::new(Backend::Cpu { threads: 1 }, Options::default()).expect("a CPU");
    assert!(matches!(runtime.load(&old).map(|_| ()), Err(RunError::Plan(_))));
    assert!(matches!(runtime.load(&saxpy(Target::Cuda)).map(|_| ()), Err(RunError::Plan(_))));
}

#[test]
fn a_kernel_that_does_not_compile_shows_the_compilers_words() {
    let mut plan = saxpy(Target::C);
    plan.kernels[0].text.push_str("\nint broken = undeclared_name;\n");
    let runtime = Runtime::new(Backend::Cpu { threads: 1 }, Options::default()).expect("a CPU");
    // Kernels are compiled when they are first wanted.
    let loaded = runtime.load(&plan).expect("a plan");
    let error = loaded.call("saxpy", &saxpy_case(3).0).expect_err("does not compile");
    let text = error.to_string();
    assert!(text.contains("cannot compile the kernels") && text.contains("undeclared_name"), "{text}");
}

/// `outer(xs)` calls `inner(xs)` and frees `xs` right after; `inner` lets go of it before it allocates as much.
#[test]
fn what_dies_with_a_call_is_released_by_the_callee() {
    let slots = [SlotType::Host(I64), SlotType::Buffer(I64), SlotType::Buffer(I64)];
    let outer = vec![
        HostStmt::Call { function: 1, args: vec![slot(0), slot(1)], results: vec![slot(2)], span: span(1) },
        HostStmt::Free { slot: slot(1) },
    ];
    let inner = vec![HostStmt::Free { slot: slot(1) }, alloc(2, get(0)), HostStmt::Zero { buffer: slot(2) }];
    let functions =
        vec![function("outer", &slots, &[0, 1], &[0, 2], outer), function("inner", &slots, &[0, 1], &[2], inner)];
    let plan = plan(functions, vec![], vec![entry("outer", 0, vec![vector(I64)], vector(I64))], vec![]);
    let (result, stats) = load(&plan).call("outer", &[ints([1, 2, 3])]).expect("runs");
    assert_eq!(result, ints([0, 0, 0]));
    assert_eq!(stats.peak_bytes, 24);
}
