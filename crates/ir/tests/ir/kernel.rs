//! Kernels: what they look like, and the rules bite.

use terrace_base::{BinOp, Scalar, ScalarType, Span};
use terrace_ir::check::CheckId;
use terrace_ir::kernel::print::{print, print_kernel};
use terrace_ir::kernel::verify::{verify, verify_kernel};
use terrace_ir::kernel::*;
use terrace_plan::Target;
use terrace_plan::host::{Argument, HostExpr, HostFunction, HostStmt, SlotId, SlotInfo, SlotType};

const F: ScalarType = ScalarType::F64;
const I: ScalarType = ScalarType::I64;

fn int(n: i64) -> Expr {
    Expr::Const(Scalar::I64(n))
}

fn local(i: usize) -> Expr {
    Expr::Local(LocalId::new(i))
}

fn bin(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn load(p: usize, at: Expr) -> Expr {
    Expr::Load(ParamId::new(p), Box::new(at))
}

fn lt(a: Expr, b: Expr) -> Expr {
    bin(BinOp::Lt, a, b)
}

fn set(i: usize, x: Expr) -> Stmt {
    Stmt::Let(LocalId::new(i), x)
}

/// Parameters: 0 xs in, 1 out, 2 n, 3 flags (scratch), 4 kept (cell written), 5 off in i64; locals: q, i, k (i64), x (f64).
fn kernel(body: Vec<Stmt>) -> Kernel {
    let param = |(name, kind): (&str, ParamKind)| Param { name: name.into(), kind, once: false };
    let params = [
        ("xs", ParamKind::Input(F)),
        ("out", ParamKind::Output(F)),
        ("n", ParamKind::Scalar(I)),
        ("flags", ParamKind::Scratch(I)),
        ("kept", ParamKind::CellOut(I)),
        ("off", ParamKind::Input(I)),
    ];
    let locals = [("q", I), ("i", I), ("k", I), ("x", F)];
    Kernel {
        name: "k".into(),
        params: params.into_iter().map(param).collect(),
        locals: locals.into_iter().map(|(name, ty)| Local { name: name.into(), ty }).collect(),
        arrays: [
            ("tile_sums", I, 32, true),
            ("own", F, 32, false),
            ("keep", ScalarType::Bool, 32, false),
            ("few", F, 8, false),
        ]
        .into_iter()
        .map(|(name, elem, count, shared)| Array { name: name.into(), elem, count, shared })
        .collect(),
        phases: vec![body],
        resident: 1,
        small: None,
        block: 32,
        span: Span::none(),
    }
}

fn everything() -> Vec<Stmt> {
    let q = bin(BinOp::Add, bin(BinOp::Mul, Expr::Tile, int(32)), Expr::Thread);
    let twice = bin(BinOp::Mul, load(0, local(0)), bin(BinOp::Add, Expr::Const(Scalar::F64(1.5)), load(0, int(0))));
    vec![
        set(0, q),
        Stmt::If(
            lt(local(0), Expr::Param(ParamId::new(2))),
            vec![Stmt::Store(ParamId::new(1), local(0), twice)],
            vec![],
        ),
        Stmt::SetElement(ArrayId::new(0), Expr::Thread, local(0)),
        Stmt::Barrier,
        Stmt::For {
            var: LocalId::new(1),
            from: int(0),
            to: load(5, Expr::Tile),
            step: int(2),
            body: vec![
                set(2, Expr::Shuffle(Shuffle::Up, Box::new(local(0)), Box::new(int(1)))),
                Stmt::Barrier,
                Stmt::Assign(LocalId::new(2), bin(BinOp::Min, local(2), local(1))),
            ],
            simd: false,
        },
        Stmt::Check {
            check: CheckId::new(0),
            cond: Expr::Unary(terrace_base::UnOp::Not, Box::new(Expr::Failed)),
            index: local(0),
            values: vec![int(1)],
        },
        Stmt::AtomicAdd { into: LocalId::new(2), buffer: ParamId::new(3), at: int(0), value: int(1) },
        Stmt::Publish { flags: ParamId::new(3), at: int(1), value: int(1) },
        Stmt::Await { into: LocalId::new(1), flags: ParamId::new(3), at: int(1) },
        Stmt::StoreCell(ParamId::new(4), local(1)),
    ]
}

#[test]
fn a_kernel_reads_like_c() {
    let kernel = kernel(everything());
    verify_kernel(&kernel, 1).unwrap();
    assert_eq!(
        print_kernel(&kernel),
        "kernel k(xs : in f64[], out : out f64[], n : i64, flags : scratch i64[], kept : out i64 cell, off : in i64[]) block 32 {
  shared tile_sums : i64[32]
  private own : f64[32]
  private keep : bool[32]
  private few : f64[8]
  let q_0 : i64 = tile * 32 + thread
  if q_0 < n {
    out[q_0] = xs[q_0] * (1.5 + xs[0])
  }
  tile_sums[thread] = q_0
  barrier
  for i_1 = 0 .. off[tile] step 2 {
    let k_2 : i64 = shuffle_up(q_0, 1)
    barrier
    k_2 = min(k_2, i_1)
  }
  check 0 !failed at q_0 (1)
  let k_2 : i64 = atomic flags[0] += 1
  publish flags[1] = 1
  let i_1 : i64 = await flags[1]
  kept = i_1
}
"
    );
}

fn check_fault(body: Vec<Stmt>, words: &str) {
    let message = verify_kernel(&kernel(body), 1).unwrap_err();
    assert!(message.contains(words), "{message:?} does not say {words:?}");
}

#[test]
fn rules() {
    let p = ParamId::new;
    check_fault(vec![Stmt::Store(p(0), int(0), Expr::Const(Scalar::F64(1.0)))], "xs is not written");
    check_fault(vec![Stmt::Store(p(1), int(0), int(1))], "what is stored: found i64, wanted f64");
    let run = |to, count| Stmt::StoreRun { buffer: p(to), at: int(0), array: ArrayId::new(0), from: int(0), count };
    check_fault(vec![run(0, 8)], "xs is not written");
    check_fault(vec![run(1, 8)], "what is stored: found i64, wanted f64");
    check_fault(vec![run(3, 33)], "tile_sums has no run of 33");
    check_fault(vec![run(3, 8)], "tile_sums is not private");
    let kept_from = |to, from, keep| Stmt::StoreKept {
        into: LocalId::new(0),
        buffer: p(to),
        at: int(0),
        end: int(8),
        from,
        keep: ArrayId::new(keep),
        count: int(8),
    };
    let kept = |to, array, keep| kept_from(to, Kept::Array(ArrayId::new(array)), keep);
    verify_kernel(&kernel(vec![kept(1, 1, 2)]), 1).unwrap();
    check_fault(vec![kept(0, 1, 2)], "xs is not written");
    check_fault(vec![kept(3, 1, 2)], "what is stored: found f64, wanted i64");
    check_fault(vec![kept(1, 1, 1)], "what stays: found f64, wanted bool");
    check_fault(vec![kept(1, 3, 2)], "few and keep differ in length");
    check_fault(vec![kept(3, 0, 2)], "tile_sums is not private");
    verify_kernel(&kernel(vec![kept_from(1, Kept::Buffer(p(0), int(0)), 2)]), 1).unwrap();
    check_fault(vec![kept_from(3, Kept::Buffer(p(0), int(0)), 2)], "what is stored: found f64, wanted i64");
    let load_wide = |from, array, count| Stmt::LoadWide {
        array: ArrayId::new(array),
        into: int(0),
        buffer: p(from),
        at: int(0),
        count,
    };
    let store_wide = |to, array, count| Stmt::StoreWide {
        buffer: p(to),
        at: int(0),
        array: ArrayId::new(array),
        from: int(0),
        count,
    };
    verify_kernel(&kernel(vec![load_wide(0, 1, 2), store_wide(1, 1, 2)]), 1).unwrap();
    check_fault(vec![load_wide(0, 1, 4)], "4 elements of f64 are not one load or store");
    check_fault(vec![load_wide(3, 0, 2)], "tile_sums is not private");
    check_fault(vec![load_wide(5, 1, 2)], "a wide element: found f64, wanted i64");
    check_fault(vec![store_wide(0, 1, 2)], "xs is not written");
    check_fault(vec![store_wide(1, 1, 3)], "3 elements of f64 are not one load or store");
    let flag = Expr::Const(Scalar::I32(1));
    let send = |words| Stmt::Send { words: p(words), at: int(0), value: int(7), flag: flag.clone() };
    let receive = Stmt::Receive { value: LocalId::new(0), flag: LocalId::new(1), words: p(3), at: int(0), wait: true };
    check_fault(vec![send(1)], "out is not a scratch buffer");
    check_fault(vec![send(3)], "words: found i64, wanted i32");
    check_fault(vec![receive], "words: found i64, wanted i32");
    check_fault(vec![Stmt::StoreCell(p(3), int(1))], "flags is not a cell that is written");
    check_fault(vec![set(0, Expr::Param(p(0)))], "xs is not an operand");
    check_fault(vec![set(0, load(2, int(0)))], "n is not a buffer");
    check_fault(vec![set(0, Expr::LoadFresh(p(5), Box::new(int(0))))], "off is not a scratch buffer");
    check_fault(vec![Stmt::Publish { flags: p(1), at: int(0), value: int(1) }], "out is not a scratch buffer");
    check_fault(vec![Stmt::Await { into: LocalId::new(0), flags: p(5), at: int(0) }], "off is not a scratch buffer");
    check_fault(vec![set(0, local(1))], "i_1 is used before it is declared");
    check_fault(vec![Stmt::Assign(LocalId::new(0), int(1))], "q_0 is assigned before it is declared");
    check_fault(vec![set(0, int(1)), set(0, int(2))], "q_0 is declared again");
    check_fault(vec![set(3, int(1))], "what is assigned: found i64, wanted f64");
    check_fault(vec![Stmt::While(int(1), vec![])], "a condition: found i64, wanted bool");
    let always = Expr::Const(Scalar::Bool(true));
    let scoped = Stmt::If(always.clone(), vec![set(0, int(1))], vec![]);
    check_fault(vec![scoped, set(1, local(0))], "q_0 is used before it is declared");
    let check = |check, count| Stmt::Check {
        check: CheckId::new(check),
        cond: always.clone(),
        index: int(0),
        values: vec![int(0); count],
    };
    check_fault(vec![check(1, 0)], "there is no check 1");
    check_fault(vec![check(0, 4)], "three values at most");
    let count =
        |step, body| Stmt::For { var: LocalId::new(1), from: int(0), to: int(3), step: int(step), body, simd: false };
    check_fault(vec![count(0, vec![])], "a step is positive");
    check_fault(vec![count(1, vec![Stmt::Assign(LocalId::new(1), int(2))])], "the counter i_1 is assigned");
}

#[test]
fn blocks_and_warps_count_where_they_may() {
    let (a, p, into) = (ArrayId::new, ParamId::new, LocalId::new);
    let u32s = |name: &str, count| Array { name: name.into(), elem: ScalarType::U32, count, shared: true };
    let with = |body: Vec<Stmt>| {
        let mut k = kernel(body);
        k.arrays.push(u32s("counts", 32));
        k.arrays.push(u32s("marks", 32));
        k.arrays.push(u32s("short", 8));
        k.locals.push(Local { name: "rank".into(), ty: ScalarType::U32 });
        k.params.push(Param { name: "words".into(), kind: ParamKind::Scratch(ScalarType::I32), once: false });
        verify_kernel(&k, 1)
    };
    let fault = |body: Vec<Stmt>, words: &str| {
        let message = with(body).unwrap_err();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
    };
    let gather = |operator, array, value| Stmt::AtomicElement { operator, array: a(array), at: int(0), value };
    with(vec![gather(BinOp::Add, 0, int(1))]).unwrap();
    fault(vec![gather(BinOp::Sub, 0, int(1))], "there is no atomic sub of i64");
    fault(vec![gather(BinOp::Min, 1, Expr::Const(Scalar::F64(1.0)))], "own is not in shared memory");
    let rank = |counts, marks, at| Stmt::Rank { into: into(4), counts: a(counts), marks: a(marks), at };
    with(vec![rank(4, 5, Expr::Thread)]).unwrap();
    fault(vec![rank(4, 6, Expr::Thread)], "counts and short differ in length");
    fault(vec![rank(0, 5, Expr::Thread)], "what is counted: found i64, wanted u32");
    let apart = Stmt::If(lt(Expr::Thread, int(3)), vec![rank(4, 5, int(0))], vec![]);
    fault(vec![apart], "lanes are ranked where not all threads");
    let small = Expr::Const(Scalar::I32(1));
    let announce = |words, count| Stmt::Announce { words: p(words), at: int(0), count };
    let earlier = |words, tops, own| Stmt::Earlier {
        into: into(0),
        words: p(words),
        tops: p(tops),
        tiles: int(9),
        tile: Expr::Tile,
        column: Expr::Thread,
        own,
    };
    with(vec![announce(6, small.clone()), earlier(6, 3, small.clone())]).unwrap();
    fault(vec![announce(5, small.clone())], "off is not a scratch buffer");
    fault(vec![announce(3, small.clone())], "what is announced: found i64, wanted i32");
    fault(vec![earlier(6, 6, small)], "a sum of many tiles: found i32, wanted i64");
    fault(vec![earlier(6, 3, int(1))], "what was announced: found i64, wanted i32");
    // What earlier tiles had differs between the threads.
    let uses = Stmt::If(lt(local(0), int(3)), vec![Stmt::Barrier], vec![]);
    fault(vec![earlier(6, 3, Expr::Const(Scalar::I32(1))), uses], "a barrier stands where not all threads");
}

#[test]
fn barriers_stand_in_uniform_control() {
    let barrier = || vec![Stmt::Barrier];
    let ok = |body: Vec<Stmt>| verify_kernel(&kernel(body), 1).unwrap();
    let apart = "a barrier stands where not all threads";
    let n = || Expr::Param(ParamId::new(2));
    ok(vec![Stmt::If(lt(Expr::Tile, n()), barrier(), vec![])]);
    ok(vec![Stmt::If(lt(load(5, Expr::Tile), n()), barrier(), vec![])]);
    ok(vec![Stmt::If(lt(Expr::Element(ArrayId::new(0), Box::new(int(0))), n()), barrier(), vec![])]);
    ok(vec![set(0, int(0)), Stmt::While(lt(local(0), n()), barrier())]);
    check_fault(vec![Stmt::If(lt(Expr::Thread, n()), barrier(), vec![])], apart);
    check_fault(vec![Stmt::If(lt(load(5, Expr::Thread), n()), vec![], barrier())], apart);
    check_fault(vec![set(0, load(3, int(0))), Stmt::If(lt(local(0), n()), barrier(), vec![])], apart);
    let by_thread =
        Stmt::For { var: LocalId::new(1), from: Expr::Thread, to: n(), step: int(32), body: barrier(), simd: false };
    check_fault(vec![by_thread], apart);
    // Assigned to a constant, but only by some threads; found although the use comes first.
    let late = vec![
        set(0, int(0)),
        Stmt::While(
            lt(local(0), n()),
            vec![Stmt::Barrier, Stmt::If(lt(Expr::Thread, n()), vec![Stmt::Assign(LocalId::new(0), int(9))], vec![])],
        ),
    ];
    check_fault(late, apart);
    // A thread that fails leaves the loop.
    let check =
        Stmt::Check { check: CheckId::new(0), cond: Expr::Const(Scalar::Bool(false)), index: int(0), values: vec![] };
    check_fault(vec![check, Stmt::While(lt(Expr::Tile, n()), barrier())], apart);
    let shuffle = Expr::Shuffle(Shuffle::Lane, Box::new(int(1)), Box::new(int(0)));
    let chosen = Expr::Select(Box::new(lt(Expr::Thread, n())), Box::new(shuffle), Box::new(int(0)));
    check_fault(vec![set(0, chosen)], "a shuffle stands where not all threads");
}

#[test]
fn the_host_program_fits_its_kernels() {
    let slot = SlotId::new;
    let types = [
        SlotType::Buffer(F),
        SlotType::Buffer(F),
        SlotType::Host(I),
        SlotType::Buffer(I),
        SlotType::Cell(I),
        SlotType::Buffer(I),
    ];
    let program = |body: Vec<HostStmt>| Program {
        target: Target::Cuda,
        kernels: vec![kernel(vec![])],
        functions: vec![HostFunction {
            name: "main".into(),
            slots: types.iter().map(|ty| SlotInfo { name: "s".into(), ty: *ty }).collect(),
            params: vec![],
            results: vec![],
            body,
        }],
        entries: vec![],
        checks: vec![],
        thresholds: vec![],
    };
    let launch =
        |args: Vec<Argument>| HostStmt::Launch { kernel: 0, tiles: vec![HostExpr::Const(Scalar::I64(1))], args };
    let args = |order: [usize; 6]| order.map(|i| Argument::Slot(slot(i))).to_vec();
    let good = program(vec![launch(args([0, 1, 2, 3, 4, 5]))]);
    verify(&good).unwrap();
    assert!(print(&good).contains("  launch k tiles [1] (s_0, s_1, s_2, s_3, s_4, s_5)\n"));
    let read = |cell, to| HostStmt::Read { cells: vec![(slot(cell), slot(to))] };
    let call = HostStmt::Call { function: 0, args: vec![slot(0)], results: vec![], span: Span::none() };
    for (stmt, words) in [
        (launch(args([0, 1, 2, 3, 2, 5])), "the argument for kept"),
        (launch(args([3, 1, 2, 3, 4, 5])), "the argument for xs"),
        (launch(vec![]), "k takes 6 arguments, not 0"),
        (HostStmt::Launch { kernel: 0, tiles: vec![], args: vec![] }, "one count of tiles per phase"),
        (HostStmt::Launch { kernel: 1, tiles: vec![], args: vec![] }, "there is no kernel 1"),
        (HostStmt::Alloc { to: slot(2), count: HostExpr::MemoryLimit, span: Span::none() }, "slot 2 is not a buffer"),
        (HostStmt::Compute { to: slot(9), expr: HostExpr::MemoryLimit }, "there is no slot 9"),
        (HostStmt::Compute { to: slot(2), expr: HostExpr::Const(Scalar::F64(1.0)) }, "found f64, wanted i64"),
        (read(2, 2), "slot 2 is not a cell"),
        (HostStmt::Alias { to: slot(0), from: slot(3) }, "both slots have one type"),
        (
            HostStmt::Check { check: 0, cond: HostExpr::Const(Scalar::Bool(true)), values: vec![] },
            "there is no check 0",
        ),
        (call, "the arguments: found 1, wanted 0"),
    ] {
        let message = verify(&program(vec![stmt])).unwrap_err();
        assert!(message.starts_with("in main") && message.contains(words), "{message:?} does not say {words:?}");
    }
}
