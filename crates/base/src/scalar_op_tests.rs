//! Cases for the table at the head of `scalar_op`, and naive twins compared on every pair of 8-bit operands.

use super::*;

/// Literals in, literal out: `check("-7", BinOp::Div, "2", "-4")`.
fn check(a: &str, op: BinOp, b: &str, expected: &str) {
    let read = |text: &str| Scalar::parse(text).unwrap_or_else(|| panic!("{text} is not a literal"));
    let got = op.apply(read(a), read(b));
    assert!(got.same_bits(read(expected)), "{a} {op} {b} gave {got}, not {expected}");
}

fn check_one(op: UnOp, a: &str, expected: &str) {
    let got = op.apply(Scalar::parse(a).unwrap());
    assert!(got.same_bits(Scalar::parse(expected).unwrap()), "{op} {a} gave {got}, not {expected}");
}

#[test]
fn integer_arithmetic() {
    check("9223372036854775807", BinOp::Add, "1", "-9223372036854775808");
    check("0u8", BinOp::Sub, "1u8", "255u8");
    check("18446744073709551615u64", BinOp::Mul, "18446744073709551615u64", "1u64");
    check("-9223372036854775808", BinOp::Mul, "-1", "-9223372036854775808");
    check("-7", BinOp::Div, "2", "-4");
    check("7", BinOp::Div, "-2", "-4");
    check("-7", BinOp::Div, "-2", "3");
    check("-7", BinOp::Rem, "2", "1");
    check("7", BinOp::Rem, "-2", "-1");
    check("-8", BinOp::Rem, "2", "0");
    check("7", BinOp::Div, "0", "0");
    check("7", BinOp::Rem, "0", "0");
    check("-9223372036854775808", BinOp::Div, "-1", "-9223372036854775808");
    check("-9223372036854775808", BinOp::Rem, "-1", "0");
    check("-128i8", BinOp::Div, "-1i8", "-128i8");
    check("18446744073709551615u64", BinOp::Div, "2u64", "9223372036854775807u64");
    check("18446744073709551615u64", BinOp::Gt, "1u64", "true");
}

#[test]
fn bits_and_shifts() {
    check("1", BinOp::Shl, "64", "1");
    check("1", BinOp::Shl, "63", "-9223372036854775808");
    check("1i32", BinOp::Shl, "33i32", "2i32");
    check("1i8", BinOp::Shl, "-1i8", "-128i8");
    check("-8", BinOp::Shr, "1", "-4");
    check("248u8", BinOp::Shr, "1u8", "124u8");
    check("12", BinOp::And, "10", "8");
    check("12", BinOp::Or, "10", "14");
    check("12", BinOp::Xor, "-1", "-13");
    check("true", BinOp::Xor, "true", "false");
    check("true", BinOp::And, "false", "false");
    check_one(UnOp::Not, "0u8", "255u8");
    check_one(UnOp::Not, "true", "false");
    check_one(UnOp::Neg, "-128i8", "-128i8");
    check_one(UnOp::Neg, "1u8", "255u8");
    check_one(UnOp::Abs, "-128i8", "-128i8");
    check_one(UnOp::Abs, "-5", "5");
    check_one(UnOp::Abs, "200u8", "200u8");
}

#[test]
fn floats() {
    check("1.0", BinOp::Div, "0.0", "inf");
    check("0.0", BinOp::Div, "0.0", "nan");
    check("-7.5", BinOp::Rem, "2.0", "0.5");
    check("7.5", BinOp::Rem, "-2.0", "-0.5");
    check("-4.0", BinOp::Rem, "2.0", "0.0");
    check("4.0", BinOp::Rem, "-2.0", "-0.0");
    check("-1.0", BinOp::Rem, "inf", "inf");
    check("1.0", BinOp::Rem, "inf", "1.0");
    check("1.0", BinOp::Rem, "0.0", "nan");
    check("inf", BinOp::Rem, "2.0", "nan");
    check("-7.5f32", BinOp::Rem, "2.0f32", "0.5f32");
    check("0.1f32", BinOp::Add, "0.2f32", "0.3f32");
    check_one(UnOp::Neg, "0.0", "-0.0");
    check_one(UnOp::Abs, "-0.0", "0.0");
    check_one(UnOp::Sqrt, "2.25", "1.5");
    check_one(UnOp::Sqrt, "-1.0", "nan");
    check_one(UnOp::Exp, "0.0", "1.0");
    check_one(UnOp::Log, "1.0f32", "0.0f32");
    check_one(UnOp::Sin, "0.0", "0.0");
    check_one(UnOp::Cos, "0.0", "1.0");
}

#[test]
fn whole_numbers_and_the_library() {
    for (x, floor, ceil, round, trunc) in [
        ("2.5", "2.0", "3.0", "3.0", "2.0"),
        ("-2.5", "-3.0", "-2.0", "-3.0", "-2.0"),
        ("-0.25", "-1.0", "-0.0", "-0.0", "-0.0"),
        ("0.49999999999999994", "0.0", "1.0", "0.0", "0.0"),
        ("2251799813685249.5", "2251799813685249.0", "2251799813685250.0", "2251799813685250.0", "2251799813685249.0"),
        ("-inf", "-inf", "-inf", "-inf", "-inf"),
        ("nan", "nan", "nan", "nan", "nan"),
        ("1.5f32", "1.0f32", "2.0f32", "2.0f32", "1.0f32"),
    ] {
        check_one(UnOp::Floor, x, floor);
        check_one(UnOp::Ceil, x, ceil);
        check_one(UnOp::Round, x, round);
        check_one(UnOp::Trunc, x, trunc);
    }
    for op in [UnOp::Tan, UnOp::Asin, UnOp::Atan, UnOp::Sinh, UnOp::Tanh] {
        check_one(op, "-0.0", "-0.0");
        check_one(op, "0.0f32", "0.0f32");
    }
    check_one(UnOp::Acos, "1.0", "0.0");
    check_one(UnOp::Acos, "1.5", "nan");
    check_one(UnOp::Asin, "1.0", "1.5707963267948966");
    check_one(UnOp::Cosh, "0.0f32", "1.0f32");
    check_one(UnOp::Tanh, "inf", "1.0");
    check("2.0", BinOp::Pow, "10.0", "1024.0");
    check("-2.0", BinOp::Pow, "-3.0", "-0.125");
    check("-2.0", BinOp::Pow, "0.5", "nan");
    check("nan", BinOp::Pow, "0.0", "1.0");
    check("9.0f32", BinOp::Pow, "0.5f32", "3.0f32");
    check("0.0", BinOp::Atan2, "-1.0", "3.141592653589793");
    check("-0.0", BinOp::Atan2, "1.0", "-0.0");
    check("1.0", BinOp::Atan2, "0.0", "1.5707963267948966");
}

#[test]
fn comparisons_are_ieee_and_extrema_total() {
    for op in [BinOp::Eq, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge] {
        check("nan", op, "nan", "false");
        check("1.0f32", op, "nanf32", "false");
    }
    check("nan", BinOp::Ne, "nan", "true");
    check("-0.0", BinOp::Eq, "0.0", "true");
    check("-0.0", BinOp::Lt, "0.0", "false");
    check("-0.0", BinOp::Ge, "0.0", "true");
    check("0.0", BinOp::Min, "-0.0", "-0.0");
    check("-0.0", BinOp::Max, "0.0", "0.0");
    check("nan", BinOp::Min, "1.0", "1.0");
    check("1.0", BinOp::Max, "nan", "nan");
    check("inf", BinOp::Max, "nan", "nan");
    check("3i8", BinOp::Min, "-3i8", "-3i8");
    check("false", BinOp::Lt, "true", "true");
    check("false", BinOp::Max, "true", "true");
}

#[test]
fn fused_multiply_add_rounds_once() {
    let x = 1.0 + f64::EPSILON;
    let got = fma(x.into(), x.into(), (-1.0 - 2.0 * f64::EPSILON).into());
    assert_eq!(got, Scalar::F64(f64::EPSILON * f64::EPSILON));
    assert_eq!(fma(100u8.into(), 3u8.into(), 7u8.into()), Scalar::U8(51));
}

#[test]
fn conversions() {
    let check = |a: &str, ty: ScalarType, expected: &str| {
        let got = convert(Scalar::parse(a).unwrap(), ty);
        assert!(got.same_bits(Scalar::parse(expected).unwrap()), "{ty}({a}) gave {got}, not {expected}");
    };
    check("300", ScalarType::U8, "44u8");
    check("-1", ScalarType::U32, "4294967295u32");
    check("-1i8", ScalarType::U64, "18446744073709551615u64");
    check("18446744073709551615u64", ScalarType::I64, "-1");
    check("18446744073709551615u64", ScalarType::F64, "18446744073709552000.0");
    check("1e300", ScalarType::I32, "2147483647i32");
    check("-1e300", ScalarType::I64, "-9223372036854775808");
    check("-1.0", ScalarType::U8, "0u8");
    check("-2.9", ScalarType::I64, "-2");
    check("nan", ScalarType::I64, "0");
    check("inff32", ScalarType::U8, "255u8");
    check("true", ScalarType::I32, "1i32");
    check("true", ScalarType::F64, "1.0");
    check("-3", ScalarType::Bool, "true");
    check("0.0", ScalarType::Bool, "false");
    check("nan", ScalarType::Bool, "false");
    check("1e300", ScalarType::F32, "inff32");
    check("0.1f32", ScalarType::F64, "0.10000000149011612");
    check("16777217", ScalarType::F32, "16777216.0f32");
    check("nanf32", ScalarType::F64, "nan");
}

/// Division as the manual words it: the greatest `q` with `q * b <= a`, for a positive divisor.
fn naive_div(a: i32, b: i32) -> i32 {
    let (a, b) = if b < 0 { (-a, -b) } else { (a, b) };
    (-200..=200).rev().find(|q| q * b <= a).unwrap()
}

#[test]
fn every_pair_of_bytes_against_naive_twins() {
    for a in i8::MIN..=i8::MAX {
        for b in i8::MIN..=i8::MAX {
            let (wide_a, wide_b) = (i32::from(a), i32::from(b));
            let (q, r) = match b {
                0 => (0, 0),
                _ => (naive_div(wide_a, wide_b), wide_a - naive_div(wide_a, wide_b) * wide_b),
            };
            let both = |op: BinOp| (op.apply(a.into(), b.into()), op.apply((a as u8).into(), (b as u8).into()));
            assert_eq!(both(BinOp::Div).0, Scalar::I8(q as i8), "{a} / {b}");
            assert_eq!(both(BinOp::Rem).0, Scalar::I8(r as i8), "{a} % {b}");
            let (ua, ub) = (a as u8, b as u8);
            assert_eq!(both(BinOp::Div).1, Scalar::U8(ua.checked_div(ub).unwrap_or(0)));
            assert_eq!(both(BinOp::Rem).1, Scalar::U8(ua.checked_rem(ub).unwrap_or(0)));
            assert_eq!(both(BinOp::Add), (a.wrapping_add(b).into(), ua.wrapping_add(ub).into()));
            assert_eq!(both(BinOp::Sub), (a.wrapping_sub(b).into(), ua.wrapping_sub(ub).into()));
            assert_eq!(both(BinOp::Mul), (a.wrapping_mul(b).into(), ua.wrapping_mul(ub).into()));
            let (shift, ushift) = (b as u32, u32::from(ub));
            assert_eq!(both(BinOp::Shl), (a.wrapping_shl(shift).into(), ua.wrapping_shl(ushift).into()));
            assert_eq!(both(BinOp::Shr), (a.wrapping_shr(shift).into(), ua.wrapping_shr(ushift).into()));
            assert_eq!(both(BinOp::Lt), ((a < b).into(), (ua < ub).into()));
            assert_eq!(both(BinOp::Min), (a.min(b).into(), ua.min(ub).into()));
            assert_eq!(both(BinOp::Max), (a.max(b).into(), ua.max(ub).into()));
        }
    }
}

fn samples(ty: ScalarType) -> Vec<Scalar> {
    let mut all: Vec<Scalar> = [0, 1, -1, 2, 7, -8, 100].map(|x| Scalar::from_i64(ty, x)).to_vec();
    all.extend([greatest(ty), least(ty)]);
    let reals = [-0.0, 0.5, -2.25, 1e30, f64::INFINITY, f64::NAN];
    all.extend(reals.into_iter().filter_map(|x| Scalar::from_f64(ty, x)));
    all
}

#[test]
fn types_and_results_agree() {
    for ty in ScalarType::ALL {
        for a in samples(ty) {
            for b in samples(ty) {
                for op in BinOp::ALL {
                    assert_eq!(op.try_apply(a, b).map(Scalar::ty), result_type(op, ty), "{op} on {ty}");
                }
            }
            for op in UnOp::ALL {
                assert_eq!(op.try_apply(a).map(Scalar::ty), op.result_type(ty), "{op} on {ty}");
            }
            for to in ScalarType::ALL {
                assert_eq!(convert(a, to).ty(), to);
            }
        }
    }
    assert_eq!(BinOp::Add.try_apply(Scalar::I64(1), Scalar::I32(1)), None);
}

#[test]
fn neutral_elements_are_neutral() {
    let mut found = 0;
    for ty in ScalarType::ALL {
        for op in BinOp::ALL {
            let Some(e) = neutral(op, ty) else { continue };
            found += 1;
            for x in samples(ty) {
                for got in [op.apply(e, x), op.apply(x, e)] {
                    let equal = got.same_bits(x) || got == x;
                    assert!(equal && (!is_exact(op, ty) || got.same_bits(x)), "{op} on {ty}: {e}, {x} gave {got}");
                }
            }
        }
    }
    // add, mul on 10 types; min, max on 11; and, or, xor on 9.
    assert_eq!(found, 20 + 22 + 27);
}

#[test]
fn exact_operators_associate_and_commute() {
    for ty in ScalarType::ALL {
        for op in BinOp::ALL.into_iter().filter(|op| is_exact(*op, ty)) {
            let all = samples(ty);
            for &a in &all {
                for &b in &all {
                    assert!(op.apply(a, b).same_bits(op.apply(b, a)), "{a} {op} {b}");
                    for &c in &all {
                        let (left, right) = (op.apply(op.apply(a, b), c), op.apply(a, op.apply(b, c)));
                        assert!(left.same_bits(right), "{a} {op} {b} {op} {c}: {left} or {right}");
                    }
                }
            }
        }
    }
    assert!(!is_exact(BinOp::Add, ScalarType::F64));
    assert!(!is_exact(BinOp::Sub, ScalarType::I64));
    assert!(is_exact(BinOp::Min, ScalarType::F32));
}
