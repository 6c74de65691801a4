//! Sums against loops.

mod naive;

use naive::{Dice, Tree, eval, grid, parse, show, var};
use terrace_algebra::{Size, SizeFun, sum, sum_between};

fn check(input: &str, expected: &str) {
    let tree = parse(input);
    let size = tree.size();
    assert_eq!(show(&size), expected, "{input}");
    for env in grid(b"mn", 0..=7) {
        assert_eq!(eval(&size, &env), Some(tree.value(&env)), "{input} at {env:?}");
    }
}

#[test]
fn closed_forms() {
    check("sum(i < n: 1)", "n");
    check("sum(i < n: i)", "(n^2 - n)/2");
    check("sum(i < n: i + 1)", "(n^2 + n)/2");
    check("sum(i < n: i*i)", "(2*n^3 - 3*n^2 + n)/6");
    check("sum(i < n: i*i*i)", "(n^4 - 2*n^3 + n^2)/4");
    check("sum(i < n: i*i*i*i)", "(6*n^5 - 15*n^4 + 10*n^3 - n)/30");
    check("sum(i < n: i*(i + 1)/2)", "(n^3 - n)/6");
    check("sum(i < n: sum(j < i + 1: m))", "(m*n^2 + m*n)/2");
    check("sum(i < n: sum(j < i: sum(h < j: h)))", "(n^4 - 6*n^3 + 11*n^2 - 6*n)/24");
    check("sum(i < 100: i)", "4950");
    check("sum(i < 0: f(i))", "0");
    check("sum(i < 0 - 3: i)", "0");
}

#[test]
fn sums_that_stay() {
    check("sum(i < n: f(i))", "sum(i < n: f(i))");
    check("sum(i < n: m*f(i) + 2)", "m*sum(i < n: f(i)) + 2*n");
    check("sum(i < 3: f(i))", "f(0) + f(1) + f(2)");
    check("sum(i < n: f(i)) - sum(j < n: f(j))", "0");
    check("sum(i < n: f(i) + g(i)) - sum(i < n: f(i)) - sum(m < n: g(m))", "0");
    check("sum(i < n: sum(j < n: f(i*j))) - sum(m < n: sum(i < n: f(i*m)))", "0");
    check("sum(i < n: f(i)*sum(j < i: f(j)))", "sum(i < n: f(i)*sum(j < i: f(j)))");
    check("sum(i < n: i*i*i*i*i)", "sum(i < n: i^5)");
    check("sum(i < n: min(i*i, m))", "sum(i < n: min(m, i^2))");
    check("sum(i < n: m*i/13)", "sum(i < n: floor((m*i)/13))");
    check("sum(i < n: pow(i*i))", "sum(i < n: 2^(i^2))");
    check("sum(i < n: sum(j < i: f(j)))", "sum(i < n: sum(j < i: f(j)))");
    // Letters that name something else are passed over.
    check("sum(a < n: f(a + 0*i) + g(m)) - n*g(m)", "sum(i < n: f(i))");
    assert_eq!(show(&parse("sum(m < n: f(m + i))").size()), "sum(j < n: f(i + j))");
}

#[test]
fn split_points() {
    let low = "sum(i < min(n, max(0, m)): ";
    check("sum(i < n: split(i, m, f(i), g(i)))", &format!("sum(i < n: g(i)) + {low}f(i)) - {low}g(i))"));
    check("sum(i < n: split(i, 3, f(i), 0))", "sum(i < min(3, n): f(i))");
    check("sum(i < n: split(i, n - 2, f(i), 0))", "sum(i < max(2, n) - 2: f(i))");
    check("sum(i < n: f(min(i, m))) - sum(i < min(n, max(0, m)): f(i))", "n*f(m) - f(m)*min(n, max(0, m))");
    check("sum(i < n: split(i, m, f(i), f(i)))", "sum(i < n: f(i))");
    check("sum(i < 3: split(i, m, f(i), 0)) - sum(i < min(3, max(0, m)): f(i))", "0");
}

#[test]
fn values_agree_with_loops() {
    let mut dice = Dice(5);
    for round in 0..3000 {
        let body = dice.tree(b"imn", 1 + round % 4, [9, 11][round as usize % 2]);
        let tree = Tree::Sum(b'i', Box::new(Tree::Var(b'n')), Box::new(body));
        let size = tree.size();
        assert!(!size.vars().contains(&var(b'i')), "{tree:?}");
        for env in grid(b"mn", 0..=4) {
            assert_eq!(eval(&size, &env), Some(tree.value(&env)), "{tree:?}\n{}", show(&size));
        }
    }
}

#[test]
fn substitution_under_sums_captures_nothing() {
    let mut dice = Dice(6);
    for round in 0..1000 {
        let body = dice.tree(b"imn", 1 + round % 3, [9, 11][round as usize % 2]);
        let tree = Tree::Sum(b'i', Box::new(Tree::Var(b'n')), Box::new(body));
        // A value that is never negative, with sums of its own.
        let value = parse("sum(i < m: sum(j < i + 1: f(j + m)))");
        let result = tree.size().substitute(var(b'm'), &value.size());
        let direct = tree.size().substitute_funs(&|fun, args| {
            (fun == SizeFun(5)).then(|| sum(var(b'z'), &Size::constant(9), &(Size::var(var(b'z')) * &args[0])))
        });
        for env in grid(b"mn", 0..=3) {
            let mut inner = env;
            inner[usize::from(b'm' - b'a')] = value.value(&env);
            assert_eq!(eval(&result, &env), Some(tree.value(&inner)), "{tree:?}\n{}", show(&result));
            let expected = tree.size().eval_with(&|v| Some(env[v.0 as usize]), &|fun, args| match fun {
                SizeFun(5) => Some(36 * args[0]),
                _ => naive::fun(fun, args),
            });
            assert_eq!(eval(&direct, &env), expected, "{tree:?}");
        }
    }
}

#[test]
fn alpha_equivalent_nests_are_equal() {
    let mut dice = Dice(7);
    for round in 0..500 {
        let body = dice.tree(b"imn", 1 + round % 4, [9, 11][round as usize % 2]).size();
        let renamed = body.substitute(var(b'i'), &Size::var(var(b'a')));
        let n = parse("n").size();
        assert_eq!(sum(var(b'i'), &n, &body), sum(var(b'a'), &n, &renamed));
    }
}

#[test]
fn sums_between_bounds() {
    for text in ["i", "i*m + 1", "f(i)", "i*i*f(m)", "pow(i)", "i/3", "min(i, m + 2)", "split(i, 2, f(i), 3)"] {
        let tree = parse(text);
        let between =
            |low: &str, high: &str| sum_between(var(b'i'), &parse(low).size(), &parse(high).size(), &tree.size());
        let (size, negative) = (between("m", "m + n"), between("0 - 2", "n"));
        let own = sum_between(var(b'm'), &parse("m").size(), &parse("m + 2").size(), &Size::var(var(b'm')));
        for env in grid(b"mn", 0..=5) {
            let (m, n) = (env[12], env[13]);
            let at = |i| {
                let mut inner = env;
                inner[8] = i;
                tree.value(&inner)
            };
            assert_eq!(eval(&size, &env), Some((m..m + n).map(at).sum()), "{text}");
            if text != "pow(i)" {
                assert_eq!(eval(&negative, &env), Some((-2..n).map(at).sum()), "{text}");
            }
            assert_eq!(eval(&own, &env), Some(2 * m + 1));
        }
        assert_eq!(between("0", "m") + between("m", "n"), between("0", "n"), "{text}");
        assert_eq!(between("k", "m") + between("m", "n"), between("k", "n"), "{text}");
        assert_eq!(between("m", "m"), Size::zero(), "{text}");
    }
}

/// The contract at its edge: no rows at all, and upper ends that are kept from being negative.
#[test]
fn empty_sums_are_zero() {
    let bodies = [
        "i + 1",
        "pow(i)",
        "i*pow(i)",
        "i/3",
        "i%4",
        "(n - i)/3",
        "min(i, m)",
        "max(i, m)",
        "split(i, m, i, 7)",
        "f(i)",
        "pow(n - i)",
    ];
    for body in bodies {
        for upper in ["n", "max(n, 0)", "max(n - 2, 0)"] {
            let tree = Tree::Sum(b'i', Box::new(parse(upper)), Box::new(parse(body)));
            let size = tree.size();
            for env in grid(b"mn", -3..=6) {
                if upper != "n" && !body.contains("pow(n") || env[13] >= 0 {
                    assert_eq!(
                        eval(&size, &env),
                        Some(tree.value(&env)),
                        "sum(i < {upper}: {body}) is {}",
                        show(&size)
                    );
                }
            }
            let none = size.substitute(var(b'n'), &Size::zero());
            for env in grid(b"m", -3..=6) {
                assert_eq!(eval(&none, &env), Some(0), "{body}");
            }
        }
    }
}

/// Sums of large numbers are exact or have no value.
#[test]
fn large_sums() {
    let check = |text: &str, n: i64, expected: Option<i64>| {
        let mut env = [0; 26];
        env[13] = n;
        assert_eq!(eval(&parse(text).size(), &env), expected, "{text} at {n}");
    };
    check("sum(i < n: i)", 4_000_000_000, Some(7_999_999_998_000_000_000));
    check("sum(i < n: i)", 5_000_000_000, None);
    check("sum(i < n: i/2)", 4_000_000_000, Some(3_999_999_998_000_000_000));
    check("sum(i < n: min(i, 5))", i64::MAX / 5, Some(i64::MAX / 5 * 5 - 15));
    check("sum(i < n: min(i, 5))", i64::MAX, None);
    check("sum(i < n: pow(i))", 62, Some((1 << 62) - 1));
    check("sum(i < n: pow(i))", 63, Some(i64::MAX));
    check("sum(i < n: pow(i))", 64, None);
    check("sum(i < n: pow(i))", i64::MAX, None);
}
