//! One of everything that a plan can hold, written and read; and bytes that are no plan.

use super::*;
use crate::VERSION;
use terrace_algebra::{Size, SizeVar};

fn slot(k: usize) -> SlotId {
    SlotId::new(k)
}

fn span(at: usize) -> Span {
    Span::new(FileId::new(1), at, at + 300)
}

fn constant(value: Scalar) -> HostExpr {
    HostExpr::Const(value)
}

/// One of every statement, expression and layout.
fn plan() -> Plan {
    let n = Size::var(SizeVar(100));
    let i = Size::var(SizeVar(0));
    let half = (&(&n * &n) + &n).floor_div(2).expect("two is above one");
    let closed = &(&half + &n.floor_div(3).expect("above one")) + &Size::min_of(&[i.clone(), Size::pow2(&i)]);
    let scalar = |ty| Box::new(Layout::Scalar(ty));
    let layout = Layout::Tuple(vec![
        Layout::Array(DimLayout::Closed(closed), scalar(ScalarType::F32)),
        Layout::Array(DimLayout::Irregular { packed: false }, scalar(ScalarType::Bool)),
        Layout::Array(
            DimLayout::Length,
            Box::new(Layout::Array(DimLayout::Irregular { packed: true }, scalar(ScalarType::I8))),
        ),
    ]);
    let boxed = |value: i64| Box::new(constant(Scalar::I64(value)));
    let (a, b, c) = (boxed(i64::MIN), boxed(-1), boxed(300));
    let exprs = [
        constant(Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0123))),
        constant(Scalar::F64(-0.0)),
        constant(Scalar::F32(f32::MIN_POSITIVE)),
        constant(Scalar::U64(u64::MAX)),
        constant(Scalar::Bool(true)),
        HostExpr::Unary(UnOp::Neg, a.clone()),
        HostExpr::Binary(BinOp::Ge, a.clone(), b.clone()),
        HostExpr::Fma(a.clone(), b.clone(), c.clone()),
        HostExpr::Convert(ScalarType::U16, a.clone()),
        HostExpr::Select(a, b, c),
        HostExpr::MemoryLimit,
        HostExpr::Workers,
        HostExpr::Slot(slot(300)),
    ];
    let e = || HostExpr::Slot(slot(1));
    let mut body: Vec<HostStmt> = exprs.into_iter().map(|expr| HostStmt::Compute { to: slot(0), expr }).collect();
    body.extend([
        HostStmt::Guard { to: slot(0), threshold: 1, quantity: e() },
        HostStmt::Alloc { to: slot(1), count: e(), span: span(4) },
        HostStmt::AllocCell { to: slot(2) },
        HostStmt::Alias { to: slot(3), from: slot(4) },
        HostStmt::Free { slot: slot(5) },
        HostStmt::Zero { buffer: slot(6) },
        HostStmt::Copies { bytes: e() },
        HostStmt::WriteCell { cell: slot(7), value: e() },
        HostStmt::Launch { kernel: 0, tiles: vec![e()], args: vec![Argument::Slot(slot(1)), Argument::Value(e())] },
        HostStmt::Read { cells: vec![(slot(1), slot(2))] },
        HostStmt::Check { check: 9, cond: e(), values: vec![e()] },
        HostStmt::If { cond: e(), then: vec![HostStmt::Free { slot: slot(1) }], otherwise: vec![] },
        HostStmt::While { cond: vec![], test: e(), body: vec![HostStmt::Free { slot: slot(1) }] },
        HostStmt::Call { function: 0, args: vec![slot(1)], results: vec![], span: Span::none() },
    ]);
    let ty = ScalarType::F64;
    let info = |ty| SlotInfo { name: "größe".to_string(), ty };
    let slots = vec![info(SlotType::Host(ty)), info(SlotType::Cell(ty)), info(SlotType::Buffer(ty))];
    let steps = vec![
        Step::Between(-1, i64::MAX),
        Step::Param(3),
        Step::Tile,
        Step::Binary(BinOp::Mul, ty, 0, 2),
        Step::Either(1, 3),
        Step::Fit(ScalarType::I32, 4),
    ];
    let ranges = Ranges { steps, small: vec![5], within: vec![(0, 4)] };
    Plan {
        version: VERSION,
        target: Target::Cuda,
        functions: vec![HostFunction {
            name: "f".to_string(),
            slots,
            params: vec![slot(0)],
            results: vec![slot(2)],
            body,
        }],
        kernels: vec![KernelText {
            name: "k".to_string(),
            text: "void k() {}\n".repeat(40),
            params: vec![KernelParam::Buffer(ty), KernelParam::Cell(ty), KernelParam::Scalar(ty)],
            phases: 2,
            block: 256,
            small: Some(Small { kernel: 0, ranges }),
            alone: true,
            span: span(7),
        }],
        preamble: "// starts\n".to_string(),
        alone: "// functions\n".to_string(),
        entries: vec![Entry {
            name: "f".to_string(),
            is_test: true,
            function: 0,
            params: vec![layout.clone()],
            consumed: vec![2, 7],
            result: layout,
        }],
        checks: vec![CheckText {
            code: messages::code("assert"),
            kind: "assert".to_string(),
            text: "sorted".to_string(),
            span: span(1),
        }],
        thresholds: vec![Threshold {
            name: "f.1.outer".to_string(),
            about: "rows".to_string(),
            value: Threshold::NEVER,
        }],
    }
}

#[test]
fn what_is_written_is_read() {
    let plan = plan();
    let bytes = encode(&plan).expect("everything has an encoding");
    let read = decode(&bytes).expect("reads");
    // By their text, because a float that is no number equals nothing; and the bits of those.
    assert_eq!(format!("{read:?}"), format!("{plan:?}"));
    let nan = HostStmt::Compute { to: slot(0), expr: constant(Scalar::F64(f64::from_bits(0x7ff8_0000_0000_0123))) };
    let bits = |s: &HostStmt| match s {
        HostStmt::Compute { expr: HostExpr::Const(value), .. } => value.raw_bits(),
        _ => 0,
    };
    assert_eq!(bits(&read.functions[0].body[0]), bits(&nan));
}

#[test]
fn damage_gives_nothing_or_something_else_but_no_panic() {
    let bytes = encode(&plan()).expect("everything has an encoding");
    for cut in 0..bytes.len() {
        assert_eq!(decode(&bytes[..cut]), None, "cut to {cut} bytes");
    }
    let longer = [bytes.clone(), vec![0]].concat();
    assert_eq!(decode(&longer), None, "a byte too many");
    for at in 0..bytes.len() {
        for flip in [1, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            let _ = decode(&changed);
        }
    }
    let other_version = Plan { version: VERSION + 1, ..plan() };
    assert_eq!(encode(&other_version), None);
}

#[test]
fn endless_nesting_is_no_plan() {
    // Version, target, one function without anything but a body: `if` in `if` in `if`.
    let mut bytes = vec![VERSION as u8, 0, 1, 0, 0, 0, 0, 1];
    for _ in 0..100_000 {
        bytes.extend([12, 8, 1]);
    }
    assert_eq!(decode(&bytes), None);
}

#[test]
fn a_size_without_an_encoding_makes_none() {
    let mut plan = plan();
    let sum = Size::apply(terrace_algebra::SizeFun(3), vec![Size::one()]);
    plan.entries[0].result = Layout::Array(DimLayout::Closed(sum), Box::new(Layout::Scalar(ScalarType::I8)));
    assert_eq!(encode(&plan), None);
}
