//! Sizes against their naive twins: canonical forms as data, random trees by evaluation on grids, and numbers at the limits.

mod naive;

use naive::{Dice, eval, grid, op, parse, show, var};
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
fn values_agree_with_the_tree() {
    let mut dice = Dice(1);
    for round in 0..3000 {
        let tree = dice.tree(b"mn", 1 + round % 4, 8);
        let size = tree.size();
        for env in grid(b"mn", -4..=4) {
            assert_eq!(eval(&size, &env), Some(tree.value(&env)), "{tree:?}\n{}", show(&size));
        }
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
    assert_eq!(size.to_string(), "3*s13^2 + sum(i' < s13: k5(s12 + i')) + 1");
    assert_eq!(parse("3 + 4").size().as_constant(), Some(7));
    assert_eq!(parse("n + m - n").size().as_var(), Some(var(b'm')));
}
