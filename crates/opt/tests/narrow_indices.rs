//! Twins with indices of 32 bits: what becomes small, what must not, and when the twin may run.
//!
//! Every kernel here has a block of 256 threads and the parameters `n : i64, m : i64, xs : in i64[], out : out i64[], sizes : in i64 cell`.

use terrace_base::{BinOp, IdVec, Scalar, ScalarType, Span};
use terrace_ir::kernel::print::print_kernel;
use terrace_ir::kernel::verify::verify_kernel;
use terrace_ir::kernel::{Expr, Kernel, Local, LocalId, Param, ParamId, ParamKind, Stmt};
use terrace_opt::optimise::narrow_indices::narrowed;
use terrace_plan::ranges::{INDEX_LIMIT, Ranges};

const I64: ScalarType = ScalarType::I64;

struct Body {
    locals: IdVec<LocalId, Local>,
    stmts: Vec<Stmt>,
}

impl Body {
    fn local(&mut self, name: &str) -> LocalId {
        self.locals.push(Local { name: name.to_string(), ty: I64 })
    }

    fn set(&mut self, name: &str, e: Expr) -> Expr {
        let id = self.local(name);
        self.stmts.push(Stmt::Let(id, e));
        Expr::Local(id)
    }

    /// `tile * 256 + thread`.
    fn position(&mut self) -> Expr {
        self.set("q", add(mul(Expr::Tile, int(256)), Expr::Thread))
    }

    fn store(&mut self, at: Expr, e: Expr) {
        self.stmts.push(Stmt::Store(ParamId::new(3), at, e));
    }
}

fn int(n: i64) -> Expr {
    Expr::Const(Scalar::I64(n))
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

fn add(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Add, a, b)
}

fn sub(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Sub, a, b)
}

fn mul(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Mul, a, b)
}

fn lt(a: Expr, b: Expr) -> Expr {
    binary(BinOp::Lt, a, b)
}

fn quotient(a: Expr, b: Expr) -> Expr {
    Expr::Quotient(Box::new(a), Box::new(b))
}

fn param(k: usize) -> Expr {
    Expr::Param(ParamId::new(k))
}

fn xs(at: Expr) -> Expr {
    Expr::Load(ParamId::new(2), Box::new(at))
}

fn convert(to: ScalarType, e: Expr) -> Expr {
    Expr::Convert(to, Box::new(e))
}

fn twin(make: impl FnOnce(&mut Body)) -> Option<(Kernel, Ranges)> {
    let mut body = Body { locals: IdVec::new(), stmts: Vec::new() };
    make(&mut body);
    let param = |name: &str, kind| Param { name: name.to_string(), kind, once: false };
    let params = [
        param("n", ParamKind::Scalar(I64)),
        param("m", ParamKind::Scalar(I64)),
        param("xs", ParamKind::Input(I64)),
        param("out", ParamKind::Output(I64)),
        param("size", ParamKind::CellIn(I64)),
    ];
    let kernel = Kernel {
        name: "k".to_string(),
        params: params.into_iter().collect(),
        locals: body.locals,
        arrays: IdVec::new(),
        phases: vec![body.stmts],
        block: 256,
        resident: 1,
        small: None,
        span: Span::none(),
    };
    verify_kernel(&kernel, 0).expect("the kernel obeys the rules");
    let found = narrowed(&kernel);
    if let Some((twin, _)) = &found {
        verify_kernel(twin, 0).expect("the twin obeys the rules");
    }
    found
}

/// The lines of the twin's body.
fn check(make: impl FnOnce(&mut Body), expected: &[&str]) {
    let (twin, _) = twin(make).expect("something becomes small");
    let text = print_kernel(&twin);
    let lines: Vec<&str> = text.lines().skip(1).map(str::trim).filter(|l| *l != "}").collect();
    assert_eq!(lines, expected, "{text}");
}

#[test]
fn a_map_over_rows_becomes_small_and_what_memory_holds_does_not() {
    check(
        |b| {
            let q = b.position();
            let row = b.set("row", quotient(q.clone(), param(1)));
            let x = b.set("x", xs(row.clone()));
            let i = b.set("i", sub(q.clone(), mul(row, param(1))));
            b.stmts.push(Stmt::If(lt(q.clone(), param(0)), vec![], vec![]));
            b.stmts.push(Stmt::If(lt(x.clone(), param(0)), vec![], vec![]));
            b.store(add(x, i), q);
        },
        &[
            "let q_0 : i32 = i32(tile) * 256i32 + i32(thread)",
            "let row_1 : i32 = quotient(q_0, i32(m))",
            "let x_2 : i64 = xs[i64(row_1)]",
            "let i_3 : i32 = q_0 - row_1 * i32(m)",
            "if q_0 < i32(n) {",
            "if x_2 < n {",
            "out[x_2 + i64(i_3)] = i64(q_0)",
        ],
    );
}

#[test]
fn hashes_powers_and_sizes_on_the_device_stay_wide() {
    check(
        |b| {
            let q = b.position();
            let hash = b.set("hash", add(mul(q.clone(), int(1_103_515_245)), int(12345)));
            let low = b.set("low", binary(BinOp::Rem, hash.clone(), int(1000)));
            let cube = b.set("square", mul(q.clone(), q.clone()));
            b.stmts.push(Stmt::If(lt(q.clone(), param(4)), vec![], vec![]));
            b.store(q, add(add(low, cube), binary(BinOp::Shr, hash, int(3))));
        },
        &[
            "let q_0 : i32 = i32(tile) * 256i32 + i32(thread)",
            "let hash_1 : i64 = i64(q_0) * 1103515245 + 12345",
            // A remainder is small whatever it is the remainder of.
            "let low_2 : i32 = i32(hash_1 % 1000)",
            "let square_3 : i64 = i64(q_0) * i64(q_0)",
            "if i64(q_0) < size {",
            "out[i64(q_0)] = i64(low_2) + square_3 + (hash_1 >> 3)",
        ],
    );
}

#[test]
fn floats_and_narrow_integers_are_made_of_small_numbers() {
    check(
        |b| {
            let q = b.position();
            let x = b.locals.push(Local { name: "x".to_string(), ty: ScalarType::F32 });
            b.stmts.push(Stmt::Let(x, convert(ScalarType::F32, sub(param(0), q.clone()))));
            let y = b.locals.push(Local { name: "y".to_string(), ty: ScalarType::I32 });
            b.stmts.push(Stmt::Let(y, convert(ScalarType::I32, sub(xs(q.clone()), q.clone()))));
            b.store(q, convert(I64, Expr::Local(y)));
        },
        &[
            "let q_0 : i32 = i32(tile) * 256i32 + i32(thread)",
            "let x_1 : f32 = f32(i32(n) - q_0)",
            "let y_2 : i32 = i32(xs[i64(q_0)] - i64(q_0))",
            "out[i64(q_0)] = i64(y_2)",
        ],
    );
}

/// `lo = 0; hi = n; while lo < hi { mid = (lo + hi) / 2; hi = mid; … }` and a sum beside it.
fn search(b: &mut Body) {
    let (lo, hi, sum) = (b.local("lo"), b.local("hi"), b.local("sum"));
    let mid = b.local("mid");
    let l = Expr::Local;
    b.stmts.push(Stmt::Let(lo, int(0)));
    b.stmts.push(Stmt::Let(hi, param(0)));
    b.stmts.push(Stmt::Let(sum, int(0)));
    b.stmts.push(Stmt::While(
        lt(l(lo), l(hi)),
        vec![
            Stmt::Let(mid, quotient(add(l(lo), l(hi)), int(2))),
            Stmt::If(lt(xs(l(mid)), int(5)), vec![Stmt::Assign(lo, l(mid))], vec![Stmt::Assign(hi, l(mid))]),
            Stmt::Assign(sum, add(l(sum), l(mid))),
        ],
    ));
    b.store(l(lo), l(sum));
}

#[test]
fn a_search_is_small_and_a_sum_is_not() {
    check(
        search,
        &[
            "let lo_0 : i32 = 0i32",
            "let hi_1 : i32 = i32(n)",
            "let sum_2 : i64 = 0",
            "while lo_0 < hi_1 {",
            "let mid_3 : i32 = quotient(lo_0 + hi_1, 2i32)",
            "if xs[i64(mid_3)] < 5 {",
            "lo_0 = mid_3",
            "} else {",
            "hi_1 = mid_3",
            "sum_2 = sum_2 + i64(mid_3)",
            "out[i64(lo_0)] = sum_2",
        ],
    );
    let (_, ranges) = twin(search).expect("there is one");
    let holds = |n: i64| ranges.hold(INDEX_LIMIT, 1, &|k| (k == 0).then_some(n));
    assert!(holds(0) && holds(1 << 29) && !holds(1 << 30), "lo + hi is up to 2 n");
    assert!(holds(-5), "the loop has no rounds");
}

#[test]
fn the_twin_runs_only_where_every_number_fits() {
    let product = |b: &mut Body| {
        let q = b.position();
        b.stmts.push(Stmt::If(lt(q.clone(), mul(param(0), param(1))), vec![], vec![]));
        b.store(q.clone(), q);
    };
    let (_, ranges) = twin(product).expect("there is one");
    let holds = |limit, tiles, n: i64, m: i64| ranges.hold(limit, tiles, &|k| [n, m].get(k).copied());
    assert!(holds(INDEX_LIMIT, 100, 46340, 46340) && !holds(INDEX_LIMIT, 100, 46341, 46341));
    assert!(holds(INDEX_LIMIT, 1 << 23, 1, 1) && !holds(INDEX_LIMIT, (1 << 23) + 1, 1, 1));
    assert!(holds(INDEX_LIMIT, 1, -46340, 46340) && !holds(INDEX_LIMIT, 1, i64::MIN, 1));
    assert!(!holds(INDEX_LIMIT, 1, 1 << 32, 1 << 32), "a product that wraps to zero is not zero here");
    assert!(holds(300, 1, 10, 10) && !holds(300, 2, 10, 10) && !holds(0, 1, 0, 0));
}

#[test]
fn a_counter_fits_with_the_step_behind_its_end() {
    let count = |b: &mut Body| {
        let k = b.local("k");
        let body = vec![Stmt::Store(ParamId::new(3), Expr::Local(k), int(1))];
        b.stmts.push(Stmt::For { var: k, from: int(0), to: param(0), step: param(1), body, simd: false });
    };
    check(count, &["for k_0 : i32 = 0i32 .. i32(n) step i32(m) {", "out[i64(k_0)] = 1"]);
    let (_, ranges) = twin(count).expect("there is one");
    let holds = |n: i64, m: i64| ranges.hold(INDEX_LIMIT, 1, &|k| [n, m].get(k).copied());
    assert!(holds(i64::from(i32::MAX), 1) && !holds(i64::from(i32::MAX), 2), "the counter itself would wrap");
}

#[test]
fn shifts_are_small_only_by_small_amounts() {
    let shift = |b: &mut Body| {
        let q = b.position();
        b.store(q.clone(), binary(BinOp::Shr, q, param(0)));
    };
    check(shift, &["let q_0 : i32 = i32(tile) * 256i32 + i32(thread)", "out[i64(q_0)] = i64(q_0 >> i32(n))"]);
    let (_, ranges) = twin(shift).expect("there is one");
    let holds = |n: i64| ranges.hold(INDEX_LIMIT, 1, &|k| (k == 0).then_some(n));
    assert!(holds(31) && !holds(32) && !holds(-1), "a shift by 32 is by nothing in 32 bits");
}

#[test]
fn nothing_to_gain_is_no_twin() {
    let copied = |b: &mut Body| b.store(Expr::Thread, xs(Expr::Thread));
    assert!(twin(copied).is_none());
}

#[test]
fn what_cancels_does_not_count_unless_it_may_have_changed() {
    check(
        |b| {
            let q = b.position();
            let start = b.set("start", mul(q.clone(), q.clone()));
            let p = b.set("p", add(start, Expr::Thread));
            let i = b.set("i", sub(p, mul(q.clone(), q.clone())));
            b.store(q, i);
        },
        &[
            "let q_0 : i32 = i32(tile) * 256i32 + i32(thread)",
            "let start_1 : i64 = i64(q_0) * i64(q_0)",
            "let p_2 : i64 = start_1 + thread",
            "let i_3 : i32 = i32(p_2 - i64(q_0) * i64(q_0))",
            "out[i64(q_0)] = i64(i_3)",
        ],
    );
    check(
        |b| {
            let q = b.position();
            let sum = b.local("sum");
            b.stmts.push(Stmt::Let(sum, int(0)));
            let before = b.set("before", add(Expr::Local(sum), Expr::Thread));
            let more = Stmt::Assign(sum, add(Expr::Local(sum), xs(q.clone())));
            b.stmts.push(Stmt::While(lt(Expr::Local(sum), param(0)), vec![more]));
            let grown = b.set("grown", sub(Expr::Local(sum), before));
            b.store(q, grown);
        },
        &[
            "let q_0 : i32 = i32(tile) * 256i32 + i32(thread)",
            "let sum_1 : i64 = 0",
            "let before_2 : i64 = sum_1 + thread",
            "while sum_1 < n {",
            "sum_1 = sum_1 + xs[i64(q_0)]",
            "let grown_3 : i64 = sum_1 - before_2",
            "out[i64(q_0)] = grown_3",
        ],
    );
}
