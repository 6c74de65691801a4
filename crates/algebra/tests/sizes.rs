//! Sizes against their naive twins: canonical forms as data, random trees by evaluation on grids, and numbers at the limits.

mod naive;

use naive::{Dice, Env, Tree, eval, grid, op, parse, show, var};
use terrace_algebra::{Size, SizeVar};

fn check(input: &str, expected: &str) {
    assert_eq!(show(&parse(input).size()), expected, "{input}");
}

#[test]
fn canonical_forms() {
    check("(n + 1)*(n - 1) + 1", "n^2");
    check("n - n", "0");
    check("2*n*m - m*n", "m*n");
    check("n*(n + 1)/2", "(n^2 + n)/2");
    check("n*(n + 1)/2 - n", "(n^2 - n)/2");
    check("n*(n + 1)*(n + 2)/6", "(n^3 + 3*n^2 + 2*n)/6");
    check("(6*n + k + 5)/3", "2*n + floor((k + 2)/3) + 1");
    check("(3*n + 1)/2", "n + floor((n + 1)/2)");
    check("n/2/3", "floor(n/6)");
    check("(n/2 + 1)/3", "floor((n + 2)/6)");
    check("(2*n + 1)/4", "floor(n/2)");
    check("7/2 - 9%4", "2");
    check("(4*n + 3)%4", "3");
    check("min(n, n + 1)", "n");
    check("max(n, max(m, n - 2))", "max(m, n)");
    check("min(m, n) - min(n, m)", "0");
    check("f(n + 1 - 1) - f(n)", "0");
    check("f(n)*f(m) - f(m)*f(n)", "0");
    check("0 - n + 3", "-n + 3");
}

#[test]
fn extremes() {
    check("min(n + x, m + x)", "x + min(m, n)");
    check("min(m - 3, n - 3)", "min(m, n) - 3");
    check("min(n + 1, m + 2)", "min(m + 1, n) + 1");
    check("max(0, i - w)", "max(i, w) - w");
    check("max(w - 0, i) - w - max(0, i - w)", "0");
    check("min(2*n, 4*m)", "2*min(2*m, n)");
    check("min(n*n + n, n*n + m)", "n^2 + min(m, n)");
    check("min(n, min(m, 2) + 3)", "min(m + 3, 5, n)");
    check("min(n - max(a, b), c)", "min(a + b + c, a + n, b + n) - a - b");
    check("min(2*min(a, b), c)", "min(2*a, 2*b, c)");
    check("min(a, max(a, b))", "a");
    check("max(a + 1, min(a, b))", "a + 1");
    check("min(a, max(a - 1, b))", "min(a + 1, max(b + 1, a)) - 1");
    check("min(a, max(a + 1, b))", "a");
    check("max(a, b - max(b - a, 0))", "a");
    check("min(min(a, b), min(c, a))", "min(a, b, c)");
    check("min(7, 3)", "3");
    check("min(n*(n + 1)/2, n*(n - 1)/2)", "(n^2 - n + 2*min(0, n))/2");
    check("min(n*(n + 1)/2, n*n)", "min((n^2 + n)/2, n^2)");
    check("min(n*(n + 1)/2 + n, n*n + n)", "n + min((n^2 + n)/2, n^2)");
}

#[test]
fn powers_of_two() {
    check("pow(n + 3)", "8*2^n");
    check("pow(n)*pow(m)", "2^(m + n)");
    check("pow(n)*pow(n)*pow(3)", "8*2^(2*n)");
    check("pow(n - 1)", "2^n/2");
    check("pow(n - 1)*pow(m + 1)", "2^(m + n)");
    check("pow(n - i + 1)", "2^(n - i + 1)");
    check("pow(n - i + 1)*pow(i)", "2*2^n");
    check("pow(n - i)*pow(i - n + m)", "2^m");
    check("pow(n - i)*pow(i - n)", "1");
    check("pow(0)", "1");
    check("pow(10)", "1024");
    check("pow(0 - 1)", "0");
    check("pow(n + 2)/4", "2^n");
    check("(pow(n) + 1)*(pow(n) - 1)", "2^(2*n) - 1");
    check("pow(f(n)) - pow(f(n))", "0");
}

#[test]
fn splits() {
    check("split(i, c, a, b)", "a*[i < c] - b*[i < c] + b");
    check("split(3, 4, a, b)", "a");
    check("split(4, 4, a, b)", "b");
    check("split(n, n + 1, a, b)", "a");
    check("split(i, c, a, a)", "a");
    check("split(i, c, a, b) + split(i, c, b, a)", "a + b");
    check("split(2*i + 1, 6, 1, 0)", "[i < 3]");
    check("split(2*i, 6*c + 1, 1, 0)", "[i < 3*c + 1]");
    check("split(i/4, c, 1, 0) - split(i, 4*c, 1, 0)", "0");
    check("split(c, i/4, 1, 0) - split(4*c + 3, i, 1, 0)", "0");
    check("split(c - 1, i, 1, 0) + split(i, c, 1, 0)", "1");
    check("split(i, c, 1, 0)*split(i, c, 1, 0)", "[i < c]");
    check("split(i, c, 1, 0)*split(i, c + 2, 1, 0)", "[i < c]");
    check("split(i, c, 1, 0)*split(c - 1, i, 1, 0)", "0");
    check("split(i, c, split(i, c, a, b), b) - split(i, c, a, b)", "0");
    check("split(n*(n + 1)/2, c, 1, 0) - split(n*n + n, 2*c, 1, 0)", "0");
}

#[test]
fn values_agree_with_the_tree() {
    let mut dice = Dice(1);
    for round in 0..3000 {
        let tree = dice.tree(b"mn", 1 + round % 4, [8, 12][round as usize % 2]);
        let size = tree.size();
        for env in grid(b"mn", -3..=6) {
            assert_eq!(eval(&size, &env), Some(tree.value(&env)), "{tree:?}\n{}", show(&size));
        }
    }
}

/// A split has a value where the branch that is not taken has none.
#[test]
fn the_other_branch_is_not_looked_at() {
    let size = parse("split(n, 3, f(n), 7) + split(m, 3, g(n), 0)").size();
    let value = |n, m| {
        let env = |v| Some(if v == var(b'n') { n } else { m });
        size.eval_with(&env, &|fun, args| (fun.0 == 5 && args[0] < 3).then_some(100))
    };
    assert_eq!([value(2, 3), value(3, 3), value(3, 2)], [Some(100), Some(7), None]);
}

/// Forms that differ by a shift, by order or by nesting meet.
#[test]
fn shifted_extremes_are_equal() {
    let mut dice = Dice(8);
    for round in 0..2000 {
        let [a, b, c, x] = [0; 4].map(|_| dice.tree(b"mn", round % 3, 3).size());
        let shifted = Size::min_of(&[&b + &x, (&c + &x).minimum(&(&a + &x))]);
        assert_eq!(Size::min_of(&[a.clone(), b.clone(), c.clone()]) + &x, shifted);
        let shifted = Size::max_of(&[(&b + &x).maximum(&(&c + &x)), &a + &x]);
        assert_eq!(Size::max_of(&[a, b, c]) + &x, shifted);
    }
}

#[test]
fn equal_polynomials_are_equal_values() {
    let mut dice = Dice(2);
    let mut equal = 0;
    for round in 0..4000 {
        let a = dice.tree(b"mn", 1 + round % 3, 3);
        let b = dice.tree(b"mn", 1 + round % 3, 3);
        let b = if round % 2 == 0 { b } else { op('-', op('+', a.clone(), b.clone()), b) };
        // Degree at most eight in each variable, so nine values in each decide.
        let same = grid(b"mn", 0..=8).iter().all(|env| a.value(env) == b.value(env));
        assert_eq!(a.size() == b.size(), same, "{a:?}\n{b:?}");
        equal += u32::from(same);
    }
    assert!((2000..3900).contains(&equal), "{equal}");
}

#[test]
fn exact_divisions_are_exactly_the_integer_valued_ones() {
    let mut dice = Dice(3);
    let mut exact = 0;
    for round in 0..4000 {
        let tree = dice.tree(b"mn", 1 + round % 3, 3);
        let by = 2 + dice.below(5) as i64;
        let divides = grid(b"mn", 0..=8).iter().all(|env| tree.value(env) % by == 0);
        let quotient = tree.size().floor_div(by).unwrap();
        let (numerator, denominator) = quotient.as_integer_form();
        for env in grid(b"mn", -3..=3) {
            let value = eval(&numerator, &env).unwrap();
            assert_eq!(value % denominator as i64, 0);
            assert_eq!(value / denominator as i64, tree.value(&env).div_euclid(by));
        }
        if divides {
            exact += 1;
            assert!(!show(&quotient).contains("floor"), "{tree:?} / {by} is {}", show(&quotient));
        }
    }
    assert!(exact > 200, "{exact}");
}

/// A canonical form is canonical for its own parts: built anew, it is the same.
#[test]
fn building_anew_changes_nothing() {
    let check = |size: &Size| {
        let renamed = size.substitute(var(b'm'), &Size::var(var(b'z')));
        assert_eq!(renamed.substitute(var(b'z'), &Size::var(var(b'm'))), *size);
    };
    check(&parse("min(n - min(m, k), c)").size());
    check(&parse("max(n - max(m, k), c - min(m, 2*k))").size());
    let mut dice = Dice(11);
    for round in 0..3000 {
        check(&dice.tree(b"mn", 1 + round % 4, [7, 8, 12][round as usize % 3]).size());
    }
}

#[test]
fn substitution_is_evaluation_in_two_steps() {
    let mut dice = Dice(4);
    for round in 0..2000 {
        let tree = dice.tree(b"mn", 1 + round % 4, 8);
        let value = dice.tree(b"mn", 1 + round % 2, 8);
        let result = tree.size().substitute(var(b'n'), &value.size());
        let swapped =
            tree.size().substitute_all(&|v| Some(Size::var(if v == var(b'n') { var(b'm') } else { var(b'n') })));
        for env in grid(b"mn", -3..=3) {
            let mut inner = env;
            inner[usize::from(b'n' - b'a')] = value.value(&env);
            assert_eq!(eval(&result, &env), Some(tree.value(&inner)), "{tree:?} at {value:?}");
            let mut mirror = env;
            mirror.swap(usize::from(b'n' - b'a'), usize::from(b'm' - b'a'));
            assert_eq!(eval(&swapped, &env), Some(tree.value(&mirror)), "{tree:?} mirrored");
        }
    }
}

const EDGES: [i64; 8] =
    [1 << 31, (1 << 31) - 1, -(1 << 31), 3_037_000_500, i64::MAX, i64::MAX - 1, i64::MIN, i64::MIN + 1];

/// Values near the limits: an answer is exact or absent.
#[test]
fn values_at_the_limits() {
    let mut dice = Dice(9);
    let mut agreed = 0;
    for round in 0..4000 {
        let tree = dice.tree(b"mn", 1 + round % 3, 12);
        if format!("{tree:?}").contains("Sum") {
            continue;
        }
        let size = tree.size();
        for _ in 0..4 {
            let mut env: Env = [0; 26];
            env[12] = EDGES[dice.below(8) as usize];
            env[13] = EDGES[dice.below(8) as usize] / (1 + dice.below(3) as i64);
            let (value, expected) = (eval(&size, &env), tree.wide(&env));
            if let (Some(value), Some(expected)) = (value, expected) {
                assert_eq!(i128::from(value), expected, "{tree:?}\n{}", show(&size));
                agreed += 1;
            }
        }
    }
    assert!(agreed > 3000, "{agreed}");
}

/// Constants near 2^31, 2^63 and 2^127 in every operation.
#[test]
fn constants_at_the_limits() {
    const WIDE: [i128; 6] = [i128::MAX, i128::MIN, i128::MIN + 1, 1 << 126, 1 << 63, -(1 << 63)];
    fn widen(tree: Tree, dice: &mut Dice) -> Tree {
        let mut again = |t: Box<Tree>| Box::new(widen(*t, dice));
        match tree {
            Tree::Op(which, a, b) => Tree::Op(which, again(a), again(b)),
            Tree::Div(a, by) => Tree::Div(again(a), by),
            Tree::Mod(a, by) => Tree::Mod(again(a), by),
            Tree::Split(parts) => Tree::Split(Box::new(parts.map(|t| *again(Box::new(t))))),
            Tree::Var(_) if dice.below(2) == 0 => Tree::Big(WIDE[dice.below(6) as usize]),
            Tree::Var(_) => Tree::Num(EDGES[dice.below(8) as usize]),
            other => other,
        }
    }
    let mut dice = Dice(10);
    let mut agreed = 0;
    for round in 0..20_000 {
        let plain = dice.tree(b"mn", 1 + round % 3, 7);
        let plain = if round % 5 == 0 { Tree::Split(Box::new([0; 4].map(|_| plain.clone()))) } else { plain };
        let tree = widen(plain, &mut dice);
        let env = [0; 26];
        if let (Some(value), Some(expected)) = (tree.size().as_i128(), tree.wide(&env)) {
            assert_eq!(value, expected, "{tree:?}");
            agreed += 1;
        }
    }
    assert!(agreed > 5000, "{agreed}");
}

#[test]
fn powers_beyond_the_limits_are_held() {
    let n = Size::var(SizeVar(0));
    let power = |e: i64| Size::pow2(&Size::constant(e));
    assert_eq!(power(126).as_i128(), Some(1 << 126));
    for e in [127, 128, 1000, i64::MAX] {
        assert!(power(e).is_held() && power(e).as_i128().is_none(), "{e}");
        assert_eq!(power(e).eval(&|_| None), None);
        assert_ne!(power(e), power(e - 1));
    }
    assert_eq!(power(i64::MIN), Size::zero());
    assert_eq!(Size::pow2(&Size::big(i128::MIN)).eval(&|_| None), Some(0));
    assert!(Size::pow2(&(&n + 127)).is_held());
    assert!(!Size::pow2(&(&n + 126)).is_held());
    assert!((Size::pow2(&(&n + 100)) * Size::pow2(&(&n + 100))).is_held());
    assert_eq!(power(200) * Size::pow2(&n), Size::pow2(&(&n + 200)));
    assert_eq!(Size::pow2(&n).eval(&|_| Some(62)), Some(1 << 62));
    assert_eq!(Size::pow2(&n).eval(&|_| Some(63)), None);
    assert_eq!(Size::pow2(&n).eval(&|_| Some(i64::MAX)), None);
    assert_eq!(Size::pow2(&n).eval(&|_| Some(-1)), Some(0));
    assert_eq!((Size::pow2(&n) - Size::pow2(&(&n - 1))).eval(&|_| Some(63)), Some(1 << 62));
}

#[test]
fn wide_constants() {
    for value in [0, 1, -1, 1 << 63, -(1 << 64), i128::MAX, i128::MIN + 1] {
        assert_eq!(Size::big(value).as_i128(), Some(value));
        assert_eq!(Size::big(value).as_constant().map(i128::from), Some(value).filter(|v| v.unsigned_abs() < 1 << 63));
    }
    let least = Size::big(i128::MIN);
    assert!(least.as_i128().is_none() && least.is_held());
    assert_eq!(&least - &least, Size::zero());
    assert_eq!(Size::var(SizeVar(0)).as_i128(), None);
}

#[test]
fn nothing_wraps() {
    let n = Size::var(SizeVar(0));
    let big = Size::constant(i64::MAX);
    let huge = big.pow(4);
    assert!(huge.is_held() && huge.checked_mul(&big).is_none_or(|s| s.is_held()));
    assert_eq!(huge.eval(&|_| None), None);
    assert_eq!(&huge - &huge, Size::zero());
    assert_ne!(huge, &huge + 1);
    assert_ne!(huge, &huge * 2);
    assert_eq!((&n * &huge).eval(&|_| Some(0)), None, "an unknown number is not assumed finite");
    let wide = &n * &big.pow(2);
    assert_eq!(wide.eval(&|_| Some(0)), Some(0));
    assert_eq!(wide.eval(&|_| Some(i64::MAX)), None);
    assert_eq!((&n + 1).eval(&|_| Some(i64::MAX)), None);
    assert_eq!((&n + 1).eval_wrapping(&|_| Some(i64::MAX)), None);
    let small = (&n - n.floor_div(3).unwrap() * 3).pow(4);
    assert_eq!(small.eval(&|_| Some(i64::MIN + 3)), None);
    assert_eq!(small.eval_wrapping(&|_| Some(i64::MIN + 3)), Some(1));
    assert_eq!(Size::constant(i64::MIN).floor_div(-1).unwrap().eval(&|_| None), None);
    assert_eq!(Size::constant(i64::MIN).floor_div(i64::MIN), Some(Size::one()));
    assert_eq!(n.floor_div(i64::MIN).unwrap().eval(&|_| Some(1)), Some(-1));
    assert_eq!(n.floor_div(0), None);
    let triangle = (&n * (&n + 1)).floor_div(2).unwrap();
    assert_eq!(triangle.eval(&|_| Some(4_000_000_000)), Some(8_000_000_002_000_000_000));
    let deep = (0..200).fold(n.clone(), |product, _| &product * &n);
    assert_eq!(deep.eval(&|_| Some(1)), Some(1));
    let broad = (0..12).fold(Size::one(), |product, v| product * (Size::var(SizeVar(v)) + 1));
    assert!(broad.is_held());
    assert_eq!(broad.eval(&|_| Some(1)), Some(4096));
}

#[test]
fn what_a_size_is_made_of() {
    let size = parse("sum(i < n: f(i + m)) + 3*n*n/1 + 1").size();
    assert_eq!(size.vars().into_iter().collect::<Vec<_>>(), [var(b'm'), var(b'n')]);
    assert_eq!(size.degree(), 2);
    assert_eq!(size.to_string(), "3*s13^2 + sum(i < s13: k5(s12 + i)) + 1");
    assert_eq!(parse("3 + 4").size().as_constant(), Some(7));
    assert_eq!(parse("n + m - n").size().as_var(), Some(var(b'm')));
}
