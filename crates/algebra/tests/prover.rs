//! The prover: what it can show, as data, and that it never says anything false, by evaluation over small boxes.

mod naive;

use std::time::Instant;

use naive::{Dice, ask, assume, comparisons, eval, grid, holds};
use terrace_algebra::{Answer, Assumptions, Claim, Size, SizeFun, SizeVar};

/// Assumptions, separated by `;`, then the question and the answer. The functions `f`, `g` are never negative.
fn check(given: &str, question: &str, expected: Answer) {
    let given: Vec<_> = given.split(';').filter(|g| !g.trim().is_empty()).flat_map(comparisons).collect();
    let mut known = Assumptions::new();
    known.assume_fun_nonnegative(SizeFun(5));
    known.assume_fun_nonnegative(SizeFun(6));
    given.iter().for_each(|g| assume(&mut known, g));
    let asked = comparisons(question).remove(0);
    let start = Instant::now();
    let answer = ask(&known, &asked);
    assert_eq!(answer, expected, "{given:?}\n{question} ({:?})", start.elapsed());
}

use Answer::{No, Unknown, Yes};

#[test]
fn linear_questions() {
    check("0 <= i < n", "i + 1 <= n", Yes);
    check("0 <= i < n", "i < n", Yes);
    check("0 <= i < n", "0 < n", Yes);
    check("0 <= i < n", "i = n", No);
    check("0 <= i < n", "n <= i", No);
    check("0 <= i < n", "i != n", Yes);
    check("0 <= i < n", "i + 2 <= n", Unknown);
    check("0 <= i < n; n <= m", "i < m", Yes);
    check("0 <= i < n; n = m", "i < m", Yes);
    check("a <= b; b <= c; c <= d; d <= e", "a <= e + 1", Yes);
    check("0 <= i; 2*i <= n; n <= 7", "i <= 3", Yes);
    check("2*i < n; n <= 2*m", "i < m", Yes);
    check("", "n <= n", Yes);
    check("", "n < n", No);
    check("", "n <= m", Unknown);
    check("", "2*n + 1 = 2*m", No);
    check("", "2*n + 4 = 2*m", Unknown);
    check("a = b; b = c", "a = c", Yes);
    check("a = b + 1; b = c", "a != c", Yes);
    check("n = 3", "n*n = 9", Yes);
}

#[test]
fn products_and_powers() {
    check("0 <= i < n; 0 <= j < m", "i*m + j < n*m", Yes);
    check("0 <= i < n; 0 <= j < m", "i*m + j < n*m - 1", Unknown);
    check("0 <= i < n; 0 <= j < m; 0 <= k < l", "(i*m + j)*l + k < n*m*l", Yes);
    check("0 <= i < n; 0 <= j <= i", "i*(i + 1)/2 + j < n*(n + 1)/2", Yes);
    check("0 <= i < n; 0 <= j <= i", "0 <= i*(i + 1)/2 + j", Yes);
    check("0 <= i < n; 0 <= j <= i", "i*(i + 1)/2 + j < n*(n + 1)/2 - 1", Unknown);
    check("0 <= i < n; 0 <= j <= i + 1", "i*(i + 1)/2 + j < n*(n + 1)/2", Unknown);
    check("0 <= n", "0 <= n*(n - 1)", Yes);
    check("", "0 <= n*n", Yes);
    check("1 <= m; 0 <= n", "n <= n*m", Yes);
    check("0 <= i < n", "i*i < n*n", Yes);
    check("0 <= i < n", "i*i*i < n*n*n", Yes);
    check("i < n", "i*i < n*n", Unknown);
    check("a*b <= c; c < d", "a*b < d", Yes);
    check("0 <= i < n; 1 <= b", "i*b + b <= n*b", Yes);
}

#[test]
fn floors_and_extremes() {
    check("0 <= n", "n/2 <= n", Yes);
    check("", "n/2 <= n", Unknown);
    check("0 < n", "n/2 < n", Yes);
    check("", "n%4 < 4", Yes);
    check("", "0 <= n%4", Yes);
    check("0 <= i < n/2", "2*i + 1 < n", Yes);
    check("0 <= i < (n + 1)/2", "2*i < n", Yes);
    check("0 <= i < (n + 1)/2", "2*i + 1 < n", Unknown);
    check("", "min(n, m) <= m", Yes);
    check("", "m <= min(n, m)", Unknown);
    check("i <= n; i <= m", "i <= min(n, m)", Yes);
    check("i < min(n, m)", "i < m", Yes);
    check("", "min(n + i, m + i) - i = min(n, m)", Yes);
    check("", "min(n, m) + max(n, m) = n + m", Yes);
    check("n <= m", "max(n, m) = m", Yes);
    check("n < m", "max(n, m) = n", No);
}

#[test]
fn functions_and_sums() {
    check("", "0 <= f(n)", Yes);
    check("", "0 <= h(n)", Unknown);
    check("0 <= n", "0 <= sum(i < n: f(i))", Yes);
    check("", "0 <= sum(i < n: f(i)*i)", Yes);
    check("", "0 <= sum(i < n: h(i))", Unknown);
    check("0 <= i < n", "sum(j < i: f(j)) <= sum(j < n: f(j))", Yes);
    check("0 <= i < n", "sum(j < i: f(j)) + f(i) <= sum(j < n: f(j))", Yes);
    check("0 <= i", "sum(j < i: f(j)) + f(i) = sum(j < i + 1: f(j))", Yes);
    check("0 <= i < n; 0 <= a < f(i)", "sum(j < i: f(j)) + a < sum(j < n: f(j))", Yes);
    check("0 <= i < n; 0 <= a <= f(i)", "sum(j < i: f(j)) + a < sum(j < n: f(j))", Unknown);
    check("0 <= i < n", "sum(j < i: h(j)) <= sum(j < n: h(j))", Unknown);
    check("0 <= i <= n", "sum(j < i: f(j)) + f(i) <= sum(j < n: f(j))", Unknown);
    check("i < n", "sum(j < i: f(j)) + f(i) <= sum(j < n: f(j))", Unknown);
    check("i < n", "sum(j < i: f(j)) <= sum(j < n: f(j))", Yes);
    check("f(i) <= m; a < f(i)", "a < m", Yes);
}

#[test]
fn guards_refine() {
    check("0 < n; i = 0", "i < n", Yes);
    check("0 <= i < n; i + 1 < n", "i + 1 <= n - 1", Yes);
    check("0 <= i < n; n <= 0", "m <= n", Yes);
    check("0 <= i < n; n <= 0", "a <= b", Yes);
    check("0 <= i < n; 0 <= j < n; i < j", "i != j", Yes);
    check("0 <= i; i <= 10; n = 3*i", "n <= 30", Yes);
}

#[test]
fn numbers_at_the_limits() {
    let max = "9223372036854775807";
    let cube = format!("{max}*{max}*{max}");
    check(&format!("0 <= n <= {max}"), &format!("n*n <= {max}*{max}"), Yes);
    check(&format!("0 <= n <= {max}"), &format!("n*n < {max}*{max}"), Unknown);
    check(&format!("0 <= n <= {max}; 0 <= m <= n"), &format!("n*n*m <= {max}*{max}"), Unknown);
    check(&format!("n <= {cube}"), &format!("n <= {cube}"), Yes);
    check(&format!("n <= {cube}"), &format!("{max}*n*n <= {cube}"), Unknown);
    check(&format!("{max}*n <= m; m < {max}"), "n <= 0", Yes);
    check(&format!("{max}*n <= {max}*m; {max}*{max}*a <= n"), &format!("{cube}*a <= {max}*m"), Unknown);
}

#[test]
fn bounds_beyond_every_number() {
    let n = Size::var(SizeVar(0));
    let mut known = Assumptions::new();
    for ends in [(i128::MIN, i128::MAX), (i128::MIN, 7), (0, i128::MIN), (i128::MAX, i128::MIN)] {
        assert!(!known.fits(&n, ends.0, ends.1));
    }
    known.assume_range(SizeVar(0), &Size::zero(), &Size::constant(9));
    for (ends, fits) in [((i128::MIN, i128::MAX), true), ((i128::MIN, 8), false), ((-1, i128::MAX), true)] {
        assert_eq!(known.fits(&n, ends.0, ends.1), fits, "{ends:?}");
    }
    known.assume(&Claim::Le(Size::big(i128::MIN), -&n));
    assert!((Size::big(i128::MIN) - &n + Size::big(i128::MAX)).eval(&|_| Some(1)).is_some());
    assert_eq!(known.prove(&Claim::Lt(Size::big(i128::MIN), Size::big(i128::MAX))), Yes);
    assert_ne!(known.prove(&Claim::Eq(Size::big(i128::MIN), n)), Yes);
}

#[test]
fn answers_are_true() {
    let mut dice = Dice(8);
    let envs = grid(b"imn", -3..=4);
    let mut counts = [0; 3];
    for round in 0..6000 {
        let kinds = [3, 7, 9][round % 3];
        let mut known = Assumptions::new();
        known.set_budget(60);
        known.assume_fun_nonnegative(SizeFun(5));
        let mut given = Vec::new();
        for _ in 0..dice.below(5) {
            let operator = ["<=", "<", "="][dice.below(3) as usize].to_string();
            let depth = dice.below(2) as u32;
            let fact = (dice.tree(b"imn", depth, 3), operator, dice.tree(b"imn", 1 - depth, 3));
            assume(&mut known, &fact);
            given.push(fact);
        }
        let operator = ["<=", "<", "=", "!="][dice.below(4) as usize].to_string();
        let depth = dice.below(3) as u32;
        let question = (dice.tree(b"imn", depth, kinds), operator, dice.tree(b"imn", depth, kinds));
        let answer = ask(&known, &question);
        counts[answer as usize] += 1;
        // Closed forms are about upper ends of at least zero: questions with sums are compared on sizes.
        let least = if kinds == 9 { 0 } else { -3 };
        for env in envs.iter().filter(|env| [8, 12, 13].iter().all(|v| env[*v] >= least)) {
            if answer != Unknown && given.iter().all(|g| holds(g, env)) {
                assert_eq!(holds(&question, env), answer == Yes, "{given:?}\n{question:?} at {env:?}");
                assert!(eval(&question.0.size(), env).is_some());
            }
        }
    }
    assert!(counts.iter().all(|c| *c > 300), "{counts:?}");
}

#[test]
fn dense_questions_are_answered_truly() {
    // Boxed variables and quadratic questions close to the border, where a wrong bound would show.
    let mut dice = Dice(9);
    let envs = grid(b"ijn", 0..=5);
    let mut shown = 0;
    for _ in 0..4000 {
        let chains =
            ["0 <= i < n", "0 <= i <= n", "i <= j", "0 <= j <= i", "0 <= j < n", "i + j <= n", "1 <= n", "0 <= n"];
        let given: Vec<_> = (0..3).flat_map(|_| comparisons(chains[dice.below(8) as usize])).collect();
        let mut known = Assumptions::new();
        given.iter().for_each(|g| assume(&mut known, g));
        let products = ["i*i", "i*j", "n*n", "n*i", "i", "j", "n", "1", "j*n", "i*(i+1)/2", "n*(n+1)/2"];
        let side = |dice: &mut Dice| {
            let text: Vec<_> = (0..2).map(|_| products[dice.below(11) as usize]).collect();
            format!("{} {} {}", text[0], ["+", "-"][dice.below(2) as usize], text[1])
        };
        let text = format!("{} {} {}", side(&mut dice), ["<=", "<"][dice.below(2) as usize], side(&mut dice));
        let question = comparisons(&text).remove(0);
        let answer = ask(&known, &question);
        shown += u32::from(answer != Unknown);
        for env in envs.iter().filter(|env| given.iter().all(|g| holds(g, env))) {
            assert!(answer == Unknown || holds(&question, env) == (answer == Yes), "{given:?}\n{text} at {env:?}");
        }
    }
    assert!(shown > 400, "{shown}");
}

#[test]
fn many_facts_do_not_slow_a_question() {
    let mut known = Assumptions::new();
    for v in 0..4000u32 {
        let var = SizeVar(v);
        known.assume_index(var, &Size::var(SizeVar(v + 1)));
    }
    let size = |v| Size::var(SizeVar(v));
    assert_eq!(known.prove_lt(&size(10), &size(14)), Yes);
    assert_eq!(known.prove_lt(&size(14), &size(10)), No);
}
