//! What the prover must be able to show: index arithmetic of real programs, each question beside nearly the same one that is false.

mod naive;

use naive::{ask, assume, comparisons, parse};
use terrace_algebra::{Answer, Assumptions, Claim, Size, SizeFun};

fn known(given: &str) -> Assumptions {
    let mut known = Assumptions::new();
    known.assume_fun_nonnegative(SizeFun(5));
    known.assume_fun_nondecreasing(SizeFun(7), 0);
    let given = given.split(';').filter(|g| !g.trim().is_empty());
    given.flat_map(comparisons).for_each(|fact| assume(&mut known, &fact));
    known
}

/// Under the assumptions all of the first follow, and none of the second is shown.
fn check(given: &str, shown: &[&str], not_shown: &[&str]) {
    let known = known(given);
    for question in shown {
        for part in comparisons(question) {
            assert_eq!(ask(&known, &part), Answer::Yes, "{given}  |-  {question}");
        }
    }
    for question in not_shown {
        let all = comparisons(question).iter().all(|part| ask(&known, part) == Answer::Yes);
        assert!(!all, "{given}  |/-  {question}");
    }
}

#[test]
fn binary_search() {
    check("0 <= l < h <= n", &["l <= (l + h)/2 < h", "0 <= (l + h)/2 < n", "(l + h)/2 + 1 <= h"], &["l < (l + h)/2"]);
    check("0 <= l <= h <= n", &["l <= (l + h)/2 <= h"], &["(l + h)/2 < h"]);
}

#[test]
fn row_major() {
    let box2 = "0 <= i < n; 0 <= j < m";
    check(box2, &["0 <= i*m + j < n*m"], &["i*m + j < n*m - 1", "i*n + j < n*m", "1 <= i*m + j"]);
    let box3 = "0 <= i < n; 0 <= j < m; 0 <= k < l";
    check(box3, &["0 <= (i*m + j)*l + k < n*m*l", "0 <= i*m*l + j*l + k < n*m*l"], &["(i*m + j)*l + k + 1 < n*m*l"]);
    let box4 = "0 <= i < n; 0 <= j < m; 0 <= k < l; 0 <= a < b";
    check(box4, &["((i*m + j)*l + k)*b + a < n*m*l*b"], &["((i*m + j)*l + k)*b + a < n*m*l*a"]);
    check("0 <= i < n; 0 <= j <= i", &["0 <= i*(i + 1)/2 + j < n*(n + 1)/2"], &["i*(i + 1)/2 + j < n*(n - 1)/2"]);
    check("0 <= i < j; j < n", &["0 <= j*(j - 1)/2 + i < n*(n - 1)/2"], &["j*(j - 1)/2 + i < n*(n - 1)/2 - 1"]);
}

#[test]
fn blocks_and_tiles() {
    check("0 <= i < p; 0 <= r < b", &["0 <= i*b + r < p*b"], &["i*b + r + 1 < p*b"]);
    check("0 <= i < p; 0 <= r < b; n = p*b", &["0 <= i*b + r < n", "i*b + b <= n"], &["i*b + r < n - 1"]);
    check("n = p*b; 0 <= x < n", &["x < p*b"], &["x < p"]);
    check("", &["x/32*32 + x%32 = x", "0 <= x%32 < 32", "n/2 + (n - n/2) = n", "2*(n/2) <= n"], &["x/32*32 = x"]);
    check("0 <= n", &["n/2 <= n", "0 <= n/2", "0 <= n - n/2"], &["n/2 < n", "1 <= n - n/2"]);
    check("0 <= x < n", &["x/32 <= n/32", "x/32 < (n + 31)/32", "0 <= x/32"], &["x/32 < n/32"]);
    check("0 <= t < (n + 31)/32; 0 <= l < 32", &["0 <= 32*t + l < n + 31"], &["32*t + l < n"]);
    check("0 <= t < (n + 31)/32", &["32*t < n", "1 <= min(32, n - 32*t) <= 32"], &["32*t + 31 < n"]);
    check("0 <= x < 32*n", &["x/32 < n", "0 <= x%32"], &["x/32 < n - 1"]);
}

#[test]
fn extremes() {
    check(
        "0 <= i; 0 <= w",
        &["min(i + 1, w) <= w", "max(0, i - w) <= i", "0 <= max(0, i - w)"],
        &["max(0, i - w) < i"],
    );
    check("", &["min(i + 1, w) <= w"], &["max(0, i - w) <= i"]);
    check(
        "0 <= i < n",
        &["min(i, n - 1 - i) < n", "0 <= max(i - 1, 0) < n", "min(i + 1, n - 1) < n"],
        &["max(i - 1, 0) < i"],
    );
    check("a <= c; b <= c", &["max(a, b) <= c", "max(a, max(b, c)) = c"], &["max(a, b) < c"]);
    check("0 <= i < min(n, m)", &["1 <= n", "1 <= m", "0 < n + m"], &["2 <= n"]);
    check("2 <= (i + n)/2; 0 <= i", &["0 <= 2*i + n", "4 <= n + i"], &["4 <= n"]);
    check("i < max(n, m); n <= k; m <= k", &["i < k"], &["i < n"]);
}

#[test]
fn needleman_wunsch() {
    let given = "0 <= d < 2*p - 1; 1 <= b; n = p*b + 1; t = max(0, d - p + 1); c = min(d, p - 1) - t + 1; 0 <= n; \
                 a = t*b*n + (d - t)*b";
    let shown = [
        "1 <= p",
        "1 <= c",
        "0 <= t",
        "t + c <= p",
        "0 <= d - t <= p - 1",
        "0 <= a",
        "a + (c - 1)*(n*b - b) + b*n <= n*n - 1",
        "a + (c - 1)*(n*b - b) + b*n <= n*n - 1 - b",
    ];
    check(given, &shown, &["2 <= c", "t + c < p", "a + (c - 1)*(n*b - b) + b*n < n*n - 1 - b", "1 <= a"]);
}

#[test]
fn strides_and_stencils() {
    check("n = 2*h; 0 <= i < h", &["0 <= i + h < n", "2*i + 1 < n"], &["i + h + 1 < n"]);
    check("0 <= i < n - 2", &["i + 2 < n", "0 <= i + 1 < n"], &["i + 3 < n"]);
    check("1 <= i <= n - 2", &["0 <= i - 1", "i + 1 < n"], &["0 <= i - 2"]);
    check("0 <= i < n; 1 <= s", &["0 <= i*s < n*s", "i*s + s <= n*s"], &["i*s + s < n*s"]);
    check("0 <= i < n; 1 <= s; m = n*s", &["i*s < m", "0 <= m"], &["i*s + s < m"]);
    check("n = m*h; 2*h = a; 0 <= j < h; 0 <= i < m; 0 <= m", &["i*h + j < n"], &["i*a + j < n"]);
}

#[test]
fn powers_of_two() {
    let size = |text: &str| parse(text).size();
    let known = known("0 <= k < n; 0 <= i; 0 <= j");
    let (small, large) = (Size::pow2(&size("k")), Size::pow2(&size("n")));
    assert!(known.proves(&Claim::Lt(small.clone(), large.clone())));
    assert!(known.proves(&Claim::Le(&small * 2, large.clone())));
    assert!(known.proves(&Claim::Le(size("n + 1"), large.clone())));
    assert!(!known.proves(&Claim::Le(&small * 3, large.clone())));
    let mut inside = known.clone();
    inside.assume_lt(&size("i"), &small);
    assert!(inside.proves(&Claim::Lt(size("i") + &small, Size::pow2(&size("k + 1")))));
    assert!(inside.proves(&Claim::Lt(size("i") + &small, large.clone())));
    assert!(!inside.proves(&Claim::Lt(size("i + 1") + &small, large.clone())));
    inside.assume_lt(&size("j"), &Size::pow2(&size("n - k")));
    assert!(inside.proves(&Claim::Lt(size("j") * &small + size("i"), large.clone())));
    assert!(!inside.proves(&Claim::Lt(size("j") * &small + size("i") + 1, large)));
}

#[test]
fn prefix_sums() {
    check(
        "0 <= i < n; 0 <= j < f(i)",
        &["0 <= sum(a < i: f(a)) + j < sum(a < n: f(a))"],
        &["sum(a < i: f(a)) + j + 1 < sum(a < n: f(a))"],
    );
    check("0 <= i < n", &["sum(a < i: f(a)) + f(i) <= sum(a < n: f(a))"], &["sum(a < i: f(a)) < sum(a < n: f(a))"]);
    check("0 <= i < n; j < h(i + 1)", &["j < h(n)", "h(i) <= h(n)", "h(0) <= h(i)"], &["h(n) <= h(i)", "h(0) < h(n)"]);
}

#[test]
fn differences() {
    check("0 <= n; n != 0", &["1 <= n", "0 < n"], &["2 <= n"]);
    check("i <= k; i != k", &["i < k", "i + 1 <= k"], &["i + 2 <= k"]);
    check("i <= k; i != k; k <= n", &["i < n", "i != n"], &["i < n - 1"]);
    check("i != k", &["i != k", "k != i", "2*i != 2*k", "i + 3 != k + 3"], &["i < k", "i != k + 1"]);
    check("n != 0", &["1 <= n*n"], &["1 <= n"]);
    check("n = 2*a; m = 2*b + 1", &["n != m"], &["n < m"]);
}

#[test]
fn combinations() {
    check("0 <= x + y; 0 <= x - y", &["0 <= x"], &["0 <= y"]);
    check("x + y <= 10; x - y <= 0", &["x <= 5"], &["x <= 4", "y <= 5"]);
    check("0 <= a <= b; 0 <= c <= d", &["a*c <= b*d"], &["a*c < b*d"]);
    check("a <= b; 0 <= c", &["a*c <= b*c"], &["b*c <= a*c"]);
    check("a = b + c; 0 <= b; 1 <= c", &["1 <= a", "b < a"], &["c < a"]);
    check("a*b = c*d; 0 <= c; 0 <= d", &["0 <= a*b", "c*d <= a*b"], &["1 <= a*b"]);
    check("0 <= n; n + 5 <= j + (j + n)/2", &["0 <= j", "4 <= j"], &["5 <= j"]);
    check("2*x + 3*y <= 12; 0 <= y; 3 <= x", &["y <= 2", "x <= 6"], &["y <= 1", "x <= 5"]);
}

#[test]
fn bounds_through_others() {
    check("c <= p; 1 <= c; 1 <= b", &["b <= p*b + 1", "b <= p*b", "1 <= p*b + 2 - b"], &["b < p*b"]);
    check("c <= p; 1 <= b; 2 <= c", &["2*b + 1 <= p*b + 1"], &["2*b + 1 <= p*b"]);
    check("c <= p; 1 <= b; 3 <= c", &["(p*b + 1)*b + b + 1 <= 2*((p*b + 1)*b - b)"], &[]);
    check("p*b <= n; 0 <= k < p; 1 <= b", &["b <= n", "k*b + b <= n"], &["b < n", "k*b + b < n"]);
    check(
        "0 <= k < p; 2 <= b; 1 <= p - k - 1; n = p*b",
        &["k*b + b < n", "(k + 1)*b*n + b <= n*n"],
        &["k*b + 3*b <= n"],
    );
}

#[test]
fn contradictions_prove_everything() {
    check("a < b; b < a", &["c < d", "c = d", "c != d", "a = b"], &[]);
    check("0 <= i < n; n <= 0", &["x <= y"], &[]);
    check("i = 2*n; i = 2*m + 1", &["x <= y", "x != y"], &[]);
    check("f(i) < 0", &["x = y"], &[]);
    check("a <= b; b <= a", &["a = b"], &["c < d", "a != b"]);
}

#[test]
fn no_wrapping() {
    let limit = i128::from(i64::MAX);
    let least = i128::from(i64::MIN);
    let fits = |given: &str, size: &str| known(given).fits(&parse(size).size(), least, limit);
    let square = "0 <= n; 0 <= t; 0 <= b; n*n <= 140737488355328; t*b <= n";
    assert!(fits(square, "t*b*n"));
    assert!(fits(square, "n*n + t*b*n"));
    assert!(!fits("0 <= n; 0 <= t; 0 <= b; n*n <= 140737488355328", "t*b*n"));
    assert!(!fits(square, "t*b*n*n"));
    let matrix = "0 <= i < n; 0 <= j < m; n*m <= 140737488355328";
    assert!(fits(matrix, "i*m + j"));
    assert!(fits(matrix, "i*m + j + 1"));
    assert!(!fits(matrix, "i*n + j"));
    assert!(fits("0 <= x <= 9223372036854775806", "x + 1"));
    assert!(!fits("0 <= x <= 9223372036854775807", "x + 1"));
    assert!(!fits("", "x"));
}
