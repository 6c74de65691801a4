//! The proofs of non-overlap that paper 004 leaves to a solver, by the algebra alone; and that their near misses are not proved.
//!
//! Every check is also a naive one. A pair that is proved is compared position by position in every small model of the assumptions. A
//! pair that is not must overlap in one of them, so that nothing is refused out of weakness.

mod naive;
mod positions;

use naive::Dice;
use positions::{given, meet, positions, repeats};
use terrace_algebra::Effort;

const MOST: i64 = 4;

fn check_effort(effort: Effort, what: &str) {
    assert!(effort.sums <= 10 && effort.questions <= 40 && effort.steps <= 200, "{what}: {effort:?}");
}

/// Whether two sets are proved apart; `names` are the variables of the small models.
fn check(names: &str, known: &str, a: &str, b: &str, expected: bool) {
    let given = given(known);
    let (first, second) = (given.lmad(a), given.lmad(b));
    let (answer, effort) = first.disjoint_with_effort(&second, &given.known);
    let models = given.models(names, MOST);
    assert!(models.len() > 3, "too few models");
    let overlap = models.iter().find(|env| meet(&positions(&first, env), &positions(&second, env)));
    assert_eq!(overlap.is_none(), expected, "{known}\n{a}\n{b}\n{overlap:?}");
    assert_eq!(answer.is_yes(), expected, "{known}\n{a}\n{b}\n{answer:?} {effort:?}");
    if expected {
        check_effort(effort, a);
        assert!(second.disjoint(&first, &given.known).is_yes(), "the other way round: {a}\n{b}");
    }
}

/// Whether a set is proved to reach every position once.
fn check_injective(names: &str, known: &str, text: &str, expected: bool) {
    let given = given(known);
    let lmad = given.lmad(text);
    let (answer, effort) = lmad.injective_with_effort(&given.known);
    let twice = given.models(names, MOST).into_iter().find(|env| repeats(&positions(&lmad, env)));
    assert_eq!(twice.is_none(), expected, "{known}\n{text}\n{twice:?}");
    assert_eq!(answer.is_yes(), expected, "{known}\n{text}\n{answer:?} {effort:?}");
    if expected {
        check_effort(effort, text);
    }
}

const WRITTEN: &str = "o + n + 1 + {c : n*b - b} {b : n} {b : 1}";
const LEFT: &str = "o + {c : n*b - b} {b + 1 : n}";
const ABOVE: &str = "o + 1 + {c : n*b - b} {b : 1}";

#[test]
fn needleman_wunsch() {
    // The number of blocks of an anti-diagonal as a bounded variable, the row length as an equation, and everything as the program has it.
    let bounded = "n := p*b + 1; c <= p";
    let equation = "n = p*b + 1; c <= p";
    let program = "c := min(d, p - 1) - max(0, d - p + 1) + 1; n := p*b + 1; 0 <= d < 2*p - 1";
    for (names, known) in [("pbc", bounded), ("pbc", equation), ("pbd", program)] {
        check(names, known, WRITTEN, LEFT, true);
        check(names, known, WRITTEN, ABOVE, true);
        check_injective(names, known, WRITTEN, true);
    }
}

#[test]
fn near_misses_of_needleman_wunsch() {
    let known = "n := p*b + 1; c <= p";
    let check = |known: &str, written: &str, read: &str| check("pbc", known, written, read, false);
    check(known, "o + n + {c : n*b - b} {b : n} {b : 1}", LEFT);
    check(known, "o + 1 + {c : n*b - b} {b : n} {b : 1}", ABOVE);
    check(known, WRITTEN, "o + {c : n*b - b} {b + 2 : n + 1}");
    check(known, WRITTEN, "o + {c + 1 : n*b - b} {b + 2 : n}");
    check(known, WRITTEN, "o + 1 + {c : n*b - b} {b + 1 : n}");
    check(known, "o + n + 1 + {c : n*b - b} {b : n} {b + 1 : 1}", "o + {c : n*b - b} {b + 2 : n}");
    check(known, "o + n + 1 + {c : n*b - b} {b : n} {b : 1}", "o + n + {c : n*b - b} {b : n} {2 : 1}");
    check(known, "o + n + 1 + {c : n*b} {b : n} {b : 1}", "o + {c : n*b} {b + 1 : n} {2 : 1}");
    check("n := p*b + 1; c <= p + 1", WRITTEN, LEFT);
    check("n := p*b", WRITTEN, LEFT);
    check("n := p*b + 1", WRITTEN, LEFT);
    check("", WRITTEN, LEFT);
    check_injective("pbc", known, "o + {c : n*b - b} {b + 1 : n} {b + 1 : 1}", false);
    check_injective("pbc", "n := p*b", WRITTEN, false);
}

const DIAGONAL: &str = "k*b*n + k*b + {b : n} {b : 1}";
const ROW: &str = "k*b*n + k*b + b + {p - k - 1 : b} {b : n} {b : 1}";
const COLUMN: &str = "k*b*n + b*n + k*b + {p - k - 1 : b*n} {b : n} {b : 1}";
const INTERIOR: &str = "k*b*n + b*n + k*b + b + {p - k - 1 : b*n} {p - k - 1 : b} {b : n} {b : 1}";

#[test]
fn blocks_of_lu_decomposition() {
    for known in ["n := p*b; 0 <= k < p", "n = p*b; 0 <= k < p", "p*b <= n; 0 <= k < p"] {
        let names = if known.contains("<= n") { "pbkn" } else { "pbk" };
        let blocks = [DIAGONAL, ROW, COLUMN, INTERIOR];
        for (at, a) in blocks.iter().enumerate() {
            check_injective(names, known, a, true);
            for b in &blocks[at + 1..] {
                check(names, known, a, b, true);
            }
        }
    }
}

#[test]
fn near_misses_of_lu_decomposition() {
    let known = "n := p*b; 0 <= k < p";
    let check = |known: &str, a: &str, b: &str| check("pbk", known, a, b, false);
    check(known, DIAGONAL, "k*b*n + k*b + b - 1 + {p - k - 1 : b} {b : n} {b : 1}");
    check(known, "k*b*n + k*b + {b : n} {b + 1 : 1}", ROW);
    check(known, "k*b*n + k*b + {b + 1 : n} {b : 1}", COLUMN);
    check(known, ROW, "k*b*n + b*n - n + k*b + b + {p - k - 1 : b*n} {p - k - 1 : b} {b : n} {b : 1}");
    check(known, COLUMN, "k*b*n + b*n + k*b + b + {p - k - 1 : b*n} {p - k : b} {b : n} {b : 1}");
    check(known, COLUMN, "k*b*n + b*n + k*b + b - 1 + {p - k - 1 : b*n} {p - k - 1 : b} {b : n} {b : 1}");
    check("n := p*b; 0 <= p", DIAGONAL, "n + k*b*n + {p : b} {b : n} {b : 1}");
    check("n := p*b - 1; 0 <= k < p", COLUMN, INTERIOR);
    check_injective("pbk", "n := p*b - b; 0 <= k < p", "k*b + {b : n} {p : b} {b : 1}", false);
    check_injective("pbk", known, "0 + {p - k : b*n} {p - k : b} {b + 1 : n} {b : 1}", false);
}

#[test]
fn changed_blocks_are_proved_only_where_they_stay_apart() {
    let moves = ["", "", " + 1", " - 1", " + b", " - b", " + n", " - n", " + n*b - b"];
    let counts = ["", "", "", " + 1", " - 1"];
    let mut dice = Dice(17);
    let mut proved = 0;
    for _ in 0..400 {
        let (known, names) =
            [("n := p*b + 1; c <= p", "pbc"), ("n := p*b; c <= p", "pbc"), ("c <= p; p*b <= n", "pbcn")]
                [dice.below(3) as usize];
        let given = given(known);
        let mut set = |written: bool| {
            let mut offset = String::from(if written { "n + 1" } else { "0" });
            offset += moves[dice.below(9) as usize];
            let mut dims = vec![("c", "n*b - b"), ("b", "n"), ("b", "1")];
            if !written {
                dims.remove(dice.below(4) as usize % dims.len());
            }
            let mut dim =
                |(count, stride): (&str, &str)| format!(" {{{count}{} : {stride}}}", counts[dice.below(5) as usize]);
            format!("{offset} +{}", dims.into_iter().map(&mut dim).collect::<String>())
        };
        let (a, b) = (set(true), set(false));
        let (first, second) = (given.lmad(&a), given.lmad(&b));
        if !first.disjoint(&second, &given.known).is_yes() {
            continue;
        }
        proved += 1;
        for env in given.models(names, 3) {
            assert!(!meet(&positions(&first, &env), &positions(&second, &env)), "{known}: {a} and {b} {env:?}");
        }
    }
    assert!(proved > 20, "{proved}");
}
