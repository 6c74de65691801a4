//! Living with the prover: scopes of facts, laws of functions, explanations, and the budget of steps.

mod naive;

use naive::{Dice, comparisons, parse, var};
use terrace_algebra::{Answer, Assumptions, Claim, Size, SizeFun, SizeVar};

fn claim(text: &str) -> Claim {
    let (a, operator, b) = comparisons(text).remove(0);
    match operator.as_str() {
        "<=" => Claim::Le(a.size(), b.size()),
        "<" => Claim::Lt(a.size(), b.size()),
        "=" => Claim::Eq(a.size(), b.size()),
        _ => Claim::Ne(a.size(), b.size()),
    }
}

fn letter(number: u32) -> String {
    char::from(b'a' + number as u8).to_string()
}

fn show(claim: &Claim) -> String {
    claim.display(&|v| letter(v.0), &|f| letter(f.0))
}

#[test]
fn claims() {
    for (text, opposite) in [("i <= n", "n < i"), ("i < n", "n <= i"), ("i = n", "i != n"), ("i != n", "i = n")] {
        assert_eq!(show(&claim(text)), text);
        assert_eq!(show(&claim(text).negate()), opposite);
        assert_eq!(claim(text).negate().negate(), claim(text));
    }
    let moved = claim("i < n").map(&|size| size.substitute(var(b'i'), &(Size::var(var(b'j')) + 1)));
    assert_eq!(show(&moved), "j + 1 < n");
}

#[test]
fn released_facts_are_gone() {
    let mut known = Assumptions::new();
    known.assume(&claim("0 <= i"));
    let outer = known.mark();
    known.assume(&claim("i < n"));
    assert_eq!(known.prove(&claim("0 < n")), Answer::Yes);
    let inner = known.mark();
    known.assume(&claim("n <= 0"));
    known.assume(&claim("m = 3"));
    known.assume_fun_nonnegative(SizeFun(5));
    assert_eq!(known.prove(&claim("a < b")), Answer::Yes, "dead code");
    known.release(inner);
    assert_eq!(known.prove(&claim("a < b")), Answer::Unknown);
    assert_eq!(known.prove(&claim("m = 3")), Answer::Unknown);
    assert_eq!(known.prove(&claim("0 <= f(i)")), Answer::Unknown);
    assert_eq!(known.prove(&claim("0 < n")), Answer::Yes);
    known.release(outer);
    assert_eq!(known.prove(&claim("0 < n")), Answer::Unknown);
    assert_eq!(known.prove(&claim("0 <= i")), Answer::Yes);
}

#[test]
fn a_release_restores_every_answer() {
    let mut dice = Dice(5);
    let facts = ["0 <= i", "i < n", "n <= m", "m = 2*k", "i != 3", "f(i) <= n", "n = 4", "m < n", "k <= f(i)"];
    let questions = ["i < m", "n <= 2*k", "i = 3", "f(i) <= m", "k = 2", "0 < n", "i <= 3", "f(n) <= m", "a < b"];
    let mut known = Assumptions::new();
    let mut marks = Vec::new();
    let answers = |known: &Assumptions| questions.map(|q| known.prove(&claim(q)));
    for _ in 0..400 {
        if dice.below(2) == 0 || marks.is_empty() {
            marks.push((known.mark(), answers(&known)));
            for _ in 0..1 + dice.below(2) {
                known.assume(&claim(facts[dice.below(9) as usize]));
            }
        } else if let Some((mark, before)) = marks.pop() {
            known.release(mark);
            assert_eq!(answers(&known), before);
            assert_eq!(answers(&known.clone()), before);
        }
    }
}

#[test]
fn laws_of_functions() {
    let (p, x) = (SizeVar(90), Size::var(SizeVar(90)));
    let at = |fun: u8, arg: &Size| Size::apply(SizeFun(u32::from(fun - b'a')), vec![arg.clone()]);
    let fun = |name: u8| SizeFun(u32::from(name - b'a'));
    let mut known = Assumptions::new();
    known.assume_fun(fun(b'f'), &[p], Claim::Le(Size::zero(), at(b'f', &x)));
    known.assume_fun(fun(b'f'), &[p], Claim::Le(at(b'f', &x), parse("m").size()));
    known.assume_fun_nondecreasing(fun(b'h'), 0);
    known.assume_fun_where(fun(b'g'), &[p], &[claim("0 <= n")], Claim::Eq(at(b'g', &x), x.clone() + 1));
    let ask = |known: &Assumptions, text: &str| known.prove(&claim(text));
    assert_eq!(ask(&known, "0 <= f(3*a + b) <= m"), Answer::Yes);
    assert_eq!(ask(&known, "f(a) + f(b) <= 2*m"), Answer::Yes);
    assert_eq!(ask(&known, "f(a) < m"), Answer::Unknown);
    assert_eq!(ask(&known, "0 <= sum(i < n: f(i))"), Answer::Yes);
    assert_eq!(ask(&known, "h(a) <= h(a + 1)"), Answer::Yes);
    assert_eq!(ask(&known, "h(a + 1) <= h(a)"), Answer::Unknown);
    assert_eq!(ask(&known, "g(a) = a + 1"), Answer::Unknown);
    known.assume(&claim("2 <= n"));
    assert_eq!(ask(&known, "g(a) = a + 1"), Answer::Yes);
    assert_eq!(ask(&known, "g(a) = a"), Answer::No);
    // A law that guards itself is of no use, and no harm.
    known.assume_fun_where(
        fun(b'l'),
        &[p],
        &[Claim::Le(Size::zero(), at(b'l', &x))],
        Claim::Le(at(b'l', &x), x.clone()),
    );
    assert_eq!(ask(&known, "l(a) <= a"), Answer::Unknown);
    known.assume(&claim("3 <= l(a)"));
    assert_eq!(ask(&known, "l(a) <= a"), Answer::Yes);
    known.assume(&claim("a = b"));
    known.assume(&claim("h(b) <= 7"));
    assert_eq!(ask(&known, "h(a) <= 7"), Answer::Yes);
    assert_eq!(ask(&known, "h(a + 1) <= 7"), Answer::Unknown);
}

/// The explanation with notes; facts are numbered from zero.
fn explained(given: &[&str], question: &str) -> (Vec<u32>, String) {
    let mut known = Assumptions::new();
    known.assume_fun_nonnegative(SizeFun(5));
    for (note, fact) in given.iter().enumerate() {
        known.assume_because(&claim(fact), note as u32);
    }
    match known.explain(&claim(question)) {
        Some(explanation) => (explanation.notes(), explanation.display(&|v| letter(v.0), &|f| letter(f.0))),
        None => (Vec::new(), "none".to_string()),
    }
}

#[test]
fn explanations() {
    let (notes, text) = explained(&["0 <= i", "i < n", "n <= m", "m <= k", "0 <= j"], "i < m");
    assert_eq!(notes, [1, 2]);
    let expected = "i < m\n  because i < n\n  and     n <= m\n  it is enough that m - i - 1 >= 0, with n - i - 1 >= 0\n  \
                    it is enough that m - n >= 0, with m - n >= 0";
    assert_eq!(text, expected);
    assert_eq!(explained(&["n = p*b", "0 <= i", "i < p", "0 <= r", "r < b", "r <= 9"], "i*b + r < n").0, [0, 2, 3, 4]);
    assert_eq!(explained(&["0 <= i", "i < n"], "i + 2 <= n").1, "none");
    assert_eq!(explained(&["i != k", "i <= k", "k <= n"], "i < n").0, [0, 1, 2]);
    let (notes, text) = explained(&["0 <= i", "i < n", "n <= 0", "j <= 3"], "a < b");
    assert_eq!(notes, [0, 1, 2]);
    assert!(text.starts_with("a < b\n  because nothing gets here"), "{text}");
    let (notes, text) = explained(&["f(i) <= n"], "0 <= n");
    assert_eq!(notes, [0]);
    assert!(text.contains("f is never negative"), "{text}");
    assert_eq!(explained(&["0 <= i"], "0 <= n%4").0, []);
}

#[test]
fn a_question_costs_what_it_touches() {
    let mut known = Assumptions::new();
    let size = |v: u32| Size::var(SizeVar(v));
    for v in 0..50_000u32 {
        known.assume_index(SizeVar(3 * v), &size(3 * v + 1));
        known.assume_le(&size(3 * v + 1), &size(3 * v + 2));
    }
    let before = known.steps_taken();
    for v in 40_000..40_200 {
        let mark = known.mark();
        known.assume(&Claim::Le(size(3 * v + 2), Size::constant(i64::from(v))));
        assert!(known.prove(&Claim::Lt(size(3 * v), Size::constant(i64::from(v)))).is_yes());
        assert!(known.prove(&Claim::Le(size(3 * v), size(3 * v + 2))).is_yes());
        known.release(mark);
    }
    assert!(known.steps_taken() - before < 2_000, "{}", known.steps_taken() - before);
}

#[test]
fn every_question_ends_within_its_budget() {
    let ask = |known: &Assumptions, question: &Claim, budget: u64| {
        let before = known.steps_taken();
        let answer = known.prove(question);
        let steps = known.steps_taken() - before;
        // A yes, a no, and a look at each new fact.
        assert!(steps <= 2 * budget + 64 * 60, "{steps} steps for {question}");
        answer
    };
    let size = |v: u32| Size::var(SizeVar(v));
    let mut extremes = Assumptions::new();
    extremes.set_budget(200);
    let pairs = (0..12).map(|v| size(2 * v).minimum(&(size(2 * v + 1) + 1)).maximum(&size(v + 7)));
    let total = pairs.fold(Size::zero(), |sum, pair| sum + pair);
    ask(&extremes, &Claim::Le(Size::zero(), total.clone()), 200);
    (0..24).for_each(|v| extremes.assume_nonnegative(&size(v)));
    ask(&extremes, &Claim::Le(total.clone(), size(3) * &total), 200);

    let mut many = Assumptions::new();
    for v in 0..50 {
        for w in 1..6 {
            many.assume_le(&(size(v) * w), &(size((v + w as u32) % 50) + i64::from(v)));
        }
    }
    let sum = (0..50).fold(Size::zero(), |sum, v| sum + size(v));
    ask(&many, &Claim::Le(sum.clone(), Size::constant(100_000)), 400);
    ask(&many, &Claim::Le(size(0), size(25)), 400);
    ask(&many, &Claim::Ne(size(0), size(25)), 400);

    let mut powers = Assumptions::new();
    (0..4).for_each(|v| powers.assume_index(SizeVar(v), &size(v + 1)));
    let polynomial = (size(0) + size(1) - size(2)).pow(4) * (size(3) - size(1)).pow(3) + size(4).pow(6);
    ask(&powers, &Claim::Le(Size::zero(), polynomial.clone()), 400);
    ask(&powers, &Claim::Le(polynomial.pow(3), polynomial), 400);
}
