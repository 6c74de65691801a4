//! Disjointness and injectivity against enumeration: with numbers the answers are exact, with variables they are true in every small model.

mod naive;
mod positions;

use naive::Dice;
use positions::{given, meet, positions, repeats};
use terrace_algebra::Answer::{self, No, Unknown, Yes};
use terrace_algebra::{Assumptions, Lmad, Size};

fn numbers(offset: i64, dims: &[(i64, i64)]) -> Lmad {
    let size = Size::constant;
    Lmad::new(size(offset), dims.iter().map(|(count, stride)| (size(*count), size(*stride))))
}

fn answer(truth: bool) -> Answer {
    if truth { Yes } else { No }
}

fn check_disjoint(a: &Lmad, b: &Lmad) {
    let expected = !meet(&positions(a, &[0; 26]), &positions(b, &[0; 26]));
    assert_eq!(a.disjoint(b, &Assumptions::new()), answer(expected), "{a}  and  {b}");
}

fn check_injective(lmad: &Lmad) {
    let expected = !repeats(&positions(lmad, &[0; 26]));
    assert_eq!(lmad.injective(&Assumptions::new()), answer(expected), "{lmad}");
}

/// All dimensions with counts up to three and strides up to four either way.
fn dims() -> Vec<(i64, i64)> {
    (0..4).flat_map(|count| (-4..=4).map(move |stride| (count, stride))).collect()
}

#[test]
fn all_small_vectors() {
    for a in dims() {
        for b in dims() {
            for offset in -9..=9 {
                check_disjoint(&numbers(offset, &[a]), &numbers(0, &[b]));
            }
            check_injective(&numbers(3, &[a, b]));
        }
        check_injective(&numbers(3, &[a]));
        check_disjoint(&numbers(1, &[a]), &numbers(0, &[]));
    }
    check_injective(&numbers(3, &[]));
}

#[test]
fn small_matrices_and_cubes() {
    for a in dims() {
        for b in dims() {
            for c in dims() {
                check_injective(&numbers(0, &[a, b, c]));
                let offset = (a.0 * 5 + b.1 * 3 + c.1) % 7;
                check_disjoint(&numbers(offset, &[a, b]), &numbers(0, &[c]));
            }
        }
    }
    let mut dice = Dice(11);
    for _ in 0..20_000 {
        let mut some = |most: u64| -> Vec<(i64, i64)> {
            (0..=dice.below(most)).map(|_| (dice.below(4) as i64, dice.below(9) as i64 - 4)).collect()
        };
        let (a, b) = (some(3), some(3));
        check_disjoint(&numbers(dice.below(21) as i64 - 10, &a), &numbers(0, &b));
    }
}

#[test]
fn larger_numbers() {
    let mut dice = Dice(12);
    for _ in 0..5_000 {
        let mut some = || -> Vec<(i64, i64)> {
            (0..=dice.below(3)).map(|_| (1 + dice.below(7) as i64, dice.below(121) as i64 - 60)).collect()
        };
        let (a, b) = (some(), some());
        check_disjoint(&numbers(dice.below(241) as i64 - 120, &a), &numbers(0, &b));
        check_injective(&numbers(0, &a));
    }
}

#[test]
fn numbers_at_the_limits() {
    let known = Assumptions::new();
    let (max, min) = (i64::MAX, i64::MIN);
    assert_eq!(numbers(max, &[(3, max)]).disjoint(&numbers(0, &[]), &known), Yes);
    assert_eq!(numbers(max, &[(3, max)]).disjoint(&numbers(0, &[(2, max)]), &known), No);
    assert_eq!(numbers(min, &[(max, min)]).disjoint(&numbers(1, &[(max, max)]), &known), Yes);
    assert!(!numbers(0, &[(max, max), (max, max - 1)]).injective(&known).is_yes());
    let huge = numbers(0, &[(max, max)]);
    let huger = huge.slice_by(&huge).and_then(|h| h.slice_by(&huge)).expect("rank one");
    assert!(!huger.disjoint(&huger, &known).is_yes());
    assert!(!huger.shift(&Size::one()).disjoint(&huger, &known).is_no());
}

/// Assumptions, two sets and the answer, which is compared with all models of the named variables.
fn check(names: &str, known: &str, a: &str, b: &str, expected: Answer) {
    let given = given(known);
    let (first, second) = (given.lmad(a), given.lmad(b));
    assert_eq!(first.disjoint(&second, &given.known), expected, "{known}: {a} and {b}");
    let found = given.models(names, 4).into_iter().map(|e| !meet(&positions(&first, &e), &positions(&second, &e)));
    let (mut yes, mut no) = (0, 0);
    found.for_each(|apart| if apart { yes += 1 } else { no += 1 });
    assert_eq!((yes > 0, no > 0), (expected != No, expected != Yes), "{known}: {a} and {b}");
}

#[test]
fn symbolic_pairs() {
    // One after the other, and the last element counts.
    check("nm", "", "0 + {n : 1}", "n + {m : 1}", Yes);
    check("nm", "", "0 + {n : 1}", "n - 1 + {m : 1}", Unknown);
    check("nm", "1 <= n; 1 <= m", "0 + {n : 1}", "n - 1 + {m : 1}", No);
    check("nm", "", "0 + {n : 3}", "3*n - 2 + {m : 1}", Yes);
    check("nm", "", "0 + {n : 3}", "3*n - 3 + {m : 1}", Unknown);
    // Backwards.
    check("nm", "", "n - 1 + {n : -1}", "n + {m : 1}", Yes);
    check("nm", "", "n + {n + 1 : -1}", "n + {m : 1}", Unknown);
    check("nms", "", "0 + {n : s}", "1 + {m : 2*s}", Unknown);
    // Interleaved: by a common divisor, by a rest.
    check("nm", "", "0 + {n : 2}", "1 + {m : 4}", Yes);
    check("nm", "", "2*n + {n : 6}", "2*m + 1 + {m : 4}", Yes);
    check("nmk", "", "0 + {n : 2}", "k + {m : 2}", Unknown);
    check("nmk", "0 <= k < m", "i*m + k + {n : m}", "j*m + k + 1 + {n : m}", Unknown);
    check("nmk", "0 <= k; k + 1 < m", "i*m + k + {n : m}", "j*m + k + 1 + {n : m}", Yes);
    // Rows, columns, and tiles of a matrix.
    check("nmik", "0 <= i < k < n", "i*m + {m : 1}", "k*m + {m : 1}", Yes);
    check("nmik", "0 <= i < n; 0 <= k < n", "i*m + {m : 1}", "k*m + {m : 1}", Unknown);
    check("nmik", "0 <= i < k < m", "i + {n : m}", "k + {n : m}", Yes);
    check("nmik", "0 <= i < k <= m", "i + {n : m}", "k + {n : m}", Unknown);
    check("nmr", "0 <= r <= n", "0 + {r : m} {m : 1}", "r*m + {n - r : m} {m : 1}", Yes);
    check("nmr", "0 <= r <= m", "0 + {n : m} {r : 1}", "r + {n : m} {m - r : 1}", Yes);
    check("nmr", "0 <= r <= m", "0 + {n : m} {r : 1}", "r + {n : m} {m - r + 1 : 1}", Unknown);
    // An even and an odd row; the upper and the lower half.
    check("nm", "", "0 + {n : 2*m} {m : 1}", "m + {n : 2*m} {m : 1}", Yes);
    check("nm", "", "0 + {n : m} {m : 1}", "n*m + {n : m} {m : 1}", Yes);
    check("nm", "", "0 + {n : m} {m : 1}", "n*m - 1 + {n : m} {m : 1}", Unknown);
    // What one thread writes and what the ones before and behind it read.
    check("i", "0 <= i < 10", "9*i + 9", "9 + {i : 9}", Yes);
    check("i", "0 <= i < 10", "9*i + 9", "9*i + 18 + {9 - i : 9}", Yes);
    check("i", "0 <= i < 10", "9*i + 9", "9 + {i + 1 : 9}", No);
    check("nmi", "0 <= i < n", "i*m + {m : 1}", "0 + {i : m} {m : 1}", Yes);
    check("nmi", "0 <= i < n", "i*m + {m : 1}", "i*m + m + {n - i - 1 : m} {m : 1}", Yes);
    // Diagonals, the rest of a row and of a column, rows of a triangle.
    check("n", "", "0 + {n : n + 1}", "1 + {n - 1 : n + 1}", Yes);
    check("nk", "0 <= k < n", "k*n + k + 1 + {n - k - 1 : 1}", "k*n + n + k + {n - k - 1 : n}", Yes);
    check("nk", "0 <= k < n", "k*n + k + {n - k : 1}", "k*n + k + {n - k : n}", No);
    check("i", "0 <= i", "i*(i + 1)/2 + {i + 1 : 1}", "(i + 1)*(i + 2)/2 + {i + 2 : 1}", Yes);
    check("ik", "0 <= i < k", "i*(i + 1)/2 + {i + 1 : 1}", "k*(k + 1)/2 + {k + 1 : 1}", Yes);
    check("ik", "0 <= i <= k", "i*(i + 1)/2 + {i + 1 : 1}", "k*(k + 1)/2 + {k + 1 : 1}", Unknown);
    // Nothing meets an empty set.
    check("nm", "n <= 0", "0 + {n : 1}", "0 + {m : 1}", Yes);
    check("n", "", "0 + {0 : n}", "0 + {n : 1}", Yes);
    check("nm", "", "m + {n : 0}", "m + 1 + {n : 0}", Yes);
}

#[test]
fn symbolic_writes() {
    let check = |names: &str, known: &str, text: &str, expected: Answer| {
        let given = given(known);
        let lmad = given.lmad(text);
        assert_eq!(lmad.injective(&given.known), expected, "{known}: {text}");
        let found = given.models(names, 4).into_iter().map(|e| !repeats(&positions(&lmad, &e)));
        let (mut yes, mut no) = (0, 0);
        found.for_each(|once| if once { yes += 1 } else { no += 1 });
        assert_eq!((yes > 0, no > 0), (expected != No, expected != Yes), "{known}: {text}");
    };
    check("nmk", "", "0 + {n : m*k} {m : k} {k : 1}", Yes);
    check("nmk", "", "3 + {k : 1} {n : m*k} {m : -k}", Yes);
    check("nmk", "k <= m", "0 + {n : m} {k : 1}", Yes);
    check("nmk", "k <= m + 1", "0 + {n : m} {k : 1}", Unknown);
    check("n", "2 <= n", "0 + {n : 0}", No);
    check("n", "", "0 + {n : 0}", Unknown);
    check("n", "n <= 1", "0 + {n : 0}", Yes);
    check("nm", "1 <= m", "0 + {n : m + 1} {m : 1}", Yes);
    check("nm", "2 <= n; 1 <= m", "0 + {n : m} {m + 1 : 1}", No);
    check("ns", "1 <= s", "0 + {n : s}", Yes);
    check("ns", "s <= 3", "0 + {n : s - 4}", Yes);
    check("ns", "", "0 + {n : s}", Unknown);
}

#[test]
fn answers_hold_in_every_model() {
    let sizes =
        ["0", "1", "2", "3", "n", "m", "b", "n + 1", "m - 1", "n*m", "n*b", "n*b - b", "2*n", "m*b + 1", "min(n, m)"];
    let strides = ["1", "1", "2", "n", "m", "b", "n*m", "m*b", "n*b - b", "-1", "-n", "m + 1", "2*b", "n - m"];
    let facts =
        ["1 <= n", "n <= m", "m <= n", "b <= n", "2 <= b", "n = m*b", "n = m*b + 1", "m < b", "n < m", "1 <= m"];
    let mut dice = Dice(13);
    let (mut counts, mut writes) = ([0; 3], [0; 3]);
    for _ in 0..1000 {
        let known: Vec<&str> = (0..dice.below(4)).map(|_| facts[dice.below(10) as usize]).collect();
        let given = given(&known.join("; "));
        let mut some = || {
            let mut text = format!("{} + ", sizes[dice.below(15) as usize]);
            for _ in 0..dice.below(4) {
                let (count, stride) = (sizes[dice.below(15) as usize], strides[dice.below(14) as usize]);
                text += &format!("{{{count} : {stride}}} ");
            }
            text
        };
        let (a, b) = (some(), some());
        let (first, second) = (given.lmad(&a), given.lmad(&b));
        let apart = first.disjoint(&second, &given.known);
        let once = first.injective(&given.known);
        counts[apart as usize] += 1;
        writes[once as usize] += 1;
        for env in given.models("nmb", 3).iter().filter(|e| e[usize::from(b'm' - b'a')] > 0) {
            let (p, q) = (positions(&first, env), positions(&second, env));
            assert!(apart == Unknown || meet(&p, &q) == (apart == No), "{known:?}: {a} and {b} {apart:?} {env:?}");
            assert!(once == Unknown || repeats(&p) == (once == No), "{known:?}: {a} {once:?} {env:?}");
        }
    }
    assert!(counts[0] > 100 && counts[1] > 5 && writes[0] > 200, "{counts:?} {writes:?}");
}
