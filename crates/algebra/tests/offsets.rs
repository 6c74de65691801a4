//! Offsets of rows in position-dependent arrays: closed forms with no sum left, against counting elements one by one.

mod naive;

use naive::{Env, Tree, eval, grid, parse, show, var};
use terrace_algebra::{Size, sum};

/// Elements before row `r`, where row `i` is an array of the given lengths that may depend on `i` and, one level down, `j`.
fn counted(lengths: &[&str], env: &Env) -> i64 {
    fn inside(lengths: &[Tree], level: usize, env: &Env) -> i64 {
        let Some(length) = lengths.get(level) else {
            return 1;
        };
        let mut inner = *env;
        let mut count = 0;
        for at in 0..length.value(env) {
            inner[usize::from(b"ijkl"[level] - b'a')] = at;
            count += inside(lengths, level + 1, &inner);
        }
        count
    }
    let all: Vec<Tree> = ["r"].iter().chain(lengths).map(|text| parse(text)).collect();
    inside(&all, 0, env)
}

/// The same as a size; the innermost dimension is a length, the others are sums.
fn offset(lengths: &[&str]) -> Size {
    let (last, outer) = lengths.split_last().expect("a length");
    let uppers: Vec<&str> = ["r"].iter().chain(outer).copied().collect();
    let levels = uppers.iter().zip(b"ijkl").rev();
    levels.fold(parse(last).size(), |body, (upper, name)| sum(var(*name), &parse(upper).size(), &body))
}

/// `names` are what the lengths depend on besides positions; with `n` among them there are at most `n` rows.
fn check(lengths: &[&str], names: &[u8], expected: &str) {
    let size = offset(lengths);
    let shown = show(&size);
    assert!(!shown.contains("sum("), "{lengths:?}: {shown}");
    if !expected.is_empty() {
        assert_eq!(shown, expected, "{lengths:?}");
    }
    let all: Vec<u8> = names.iter().copied().chain([b'r']).collect();
    for env in grid(&all, 0..=6) {
        if !names.contains(&b'n') || env[17] <= env[13] {
            assert_eq!(eval(&size, &env), Some(counted(lengths, &env)), "{lengths:?}: {shown} at {env:?}");
        }
    }
    for large in [1000, 1001, 1003] {
        let mut env = [7; 26];
        (env[13], env[17]) = (1003, large);
        if lengths.len() == 1 && !lengths[0].contains("pow") {
            assert_eq!(eval(&size, &env), Some(counted(lengths, &env)), "{lengths:?} with {large} rows");
        }
    }
}

#[test]
fn triangles() {
    check(&["i + 1"], b"", "(r^2 + r)/2");
    check(&["n - i"], b"n", "(2*n*r - r^2 + r)/2");
    check(&["m*(i + 1)"], b"m", "(m*r^2 + m*r)/2");
    check(&["i + 1", "j + 1"], b"", "(r^3 + 3*r^2 + 2*r)/6");
    check(&["n - i", "n - i - j"], b"n", "");
    check(&["i*i", "j", "2"], b"", "");
    check(&["max(i - 3, 0)"], b"", "");
    check(&["max(m - i, 0)"], b"m", "");
}

#[test]
fn bands() {
    check(&["min(i + 1, w)"], b"w", "");
    check(&["min(i, 2)"], b"", "(min(2, r)^2 + 4*r - 5*min(2, r))/2");
    check(&["min(n - i, w)"], b"nw", "");
    check(&["min(n, i + w + 1) - max(0, i - w)"], b"nw", "");
    check(&["min(n, i + 2) - max(0, i - 1)"], b"n", "");
    check(&["min(i + 1, w)", "min(j + 1, 2)"], b"w", "");
    check(&["min(2*i + 1, 3*w)"], b"w", "");
    check(&["max(min(i, w), min(m, 3))"], b"mw", "");
}

#[test]
fn blocks() {
    check(&["b"], b"b", "b*r");
    check(&["b", "c"], b"bc", "b*c*r");
    check(&["i/4 + 1"], b"", "r*floor(r/4) - 2*floor(r/4)^2 + r - 2*floor(r/4)");
    check(&["4*(i/4) + 4"], b"", "");
    check(&["i%4"], b"", "");
    check(&["(i + m)/3"], b"m", "");
    check(&["(n - i)/3"], b"n", "");
    check(&["(2*i + m)/5"], b"m", "");
    check(&["(i/2)*(i/3)"], b"", "");
    check(&["i/4 + 1", "i%4 + 1"], b"", "");
    check(&["min(4, n - 4*(i/4))"], b"n", "");
    check(&["i*(i + 1)/4"], b"", "");
    check(&["i/1000 + 1"], b"", "");
}

/// Paper 003, figure 7: a triangle whose first two rows form one group.
#[test]
fn grouped_triangle() {
    let group = "split(i, 1, 2, 1)";
    check(&[group], b"", "r + min(1, r)");
    check(&[group, "sum(k < i: split(k, 1, 2, 1)) + j + 1"], b"", "");
    check(&["split(i, m, 2, 1)", "sum(k < i: split(k, m, 2, 1)) + j + 1"], b"m", "");
    let rows = offset(&[group]);
    let elements = offset(&[group, "sum(k < i: split(k, 1, 2, 1)) + j + 1"]);
    // Grouping moves no element: they lie where the triangle has them, at every group.
    for env in grid(b"r", 0..=9) {
        let row = eval(&rows, &env).expect("a number");
        assert_eq!(eval(&elements, &env), Some(row * (row + 1) / 2));
    }
}

#[test]
fn pieces() {
    check(&["split(i, c, i, m)"], b"cm", "");
    check(&["split(i, c, split(i, b, 1, i), m)"], b"bcm", "");
    check(&["split(2*i, c, i, 1)"], b"c", "");
    check(&["split(c, i, i, 1)"], b"c", "");
    check(&["split(i, n - 1, m, 1)"], b"mn", "");
    check(&["split(i/4, c, i, 1)"], b"c", "");
    check(&["split(i, c - 3, i, 7)"], b"c", "");
    check(&["split(i, 0 - 3, i, m)"], b"m", "m*r");
    check(&["split(i, r + 2, i, m)"], b"m", "(r^2 - r)/2");
    // Three cases: a first part, a middle, a last part, as a stencil's rows are divided.
    check(&["split(i, 1, c, split(i, 2, n, c))"], b"cn", "");
}

#[test]
fn trees() {
    check(&["pow(i)"], b"", "2^r - 1");
    check(&["pow(i + 1)"], b"", "2*2^r - 2");
    check(&["pow(2*i)"], b"", "(2^(2*r) - 1)/3");
    check(&["i*pow(i)"], b"", "r*2^r - 2*2^r + 2");
    check(&["i*i*pow(i)"], b"", "");
    check(&["i*i*i*i*pow(2*i)"], b"", "");
    check(&["pow(n - i)"], b"n", "2*2^n - 2^(n - r + 1)");
    check(&["i*pow(n - i)"], b"n", "");
    check(&["pow(m)*pow(i)"], b"m", "2^(m + r) - 2^m");
    check(&["pow(i/2)"], b"", "");
    check(&["pow(min(i, c))"], b"c", "");
    check(&["pow(max(i, c) - c)"], b"c", "");
    check(&["split(i, c, pow(i), pow(c))"], b"c", "");
    check(&["i + 1", "pow(j)"], b"", "");
    check(&["pow(i)", "j + 1"], b"", "");
}
