//! The prover never says anything false: random assumptions and claims, compared with every valuation of a small box.
//!
//! A yes must hold in every model of the assumptions and a no in none. Functions are tables, drawn at random so that the laws assumed of
//! them hold: `f` is never negative, `g` lies between -2 and 3, `h` does not fall, and `k(x) <= x` where `0 <= x`.

mod naive;

use naive::{Dice, var};
use terrace_algebra::{Answer, Assumptions, Claim, Size, SizeFun, SizeVar};

const NAMES: &[u8] = b"ijmn";

struct Model {
    vars: [i64; 4],
    seed: u64,
}

impl Model {
    fn fun(&self, fun: SizeFun, x: i64) -> i64 {
        let mut dice = Dice(self.seed ^ (x.wrapping_mul(0x9E37_79B9) as u64) ^ (u64::from(fun.0) << 40));
        dice.below(8);
        let random = dice.below(1 << 20) as i64;
        match fun.0 {
            5 => random % 4,
            6 => random % 6 - 2,
            7 => (x + (self.seed % 3) as i64).div_euclid(1 + (self.seed / 3 % 3) as i64) - (self.seed / 9 % 4) as i64,
            _ if x >= 0 => x - random % 5,
            _ => random % 9 - 4,
        }
    }

    fn value(&self, size: &Size) -> i64 {
        let vars = |v: SizeVar| NAMES.iter().position(|n| var(*n) == v).map(|at| self.vars[at]);
        size.eval_with(&vars, &|fun, args| Some(self.fun(fun, args[0]))).expect("small numbers")
    }

    fn satisfies(&self, claim: &Claim) -> bool {
        let (a, b) = claim.sides();
        let (a, b) = (self.value(a), self.value(b));
        match claim {
            Claim::Le(..) => a <= b,
            Claim::Lt(..) => a < b,
            Claim::Eq(..) => a == b,
            Claim::Ne(..) => a != b,
        }
    }
}

fn laws(known: &mut Assumptions) {
    let (p, x) = (SizeVar(99), Size::var(SizeVar(99)));
    let at = |fun: u32| Size::apply(SizeFun(fun), vec![x.clone()]);
    known.assume_fun_nonnegative(SizeFun(5));
    known.assume_fun(SizeFun(6), &[p], Claim::Le(Size::constant(-2), at(6)));
    known.assume_fun(SizeFun(6), &[p], Claim::Lt(at(6), Size::constant(4)));
    known.assume_fun_nondecreasing(SizeFun(7), 0);
    known.assume_fun_where(SizeFun(10), &[p], &[Claim::Le(Size::zero(), x.clone())], Claim::Le(at(10), x.clone()));
}

/// A small size; richer ones have functions, floors, extremes and products.
fn size(dice: &mut Dice, names: &[u8], rich: u64) -> Size {
    let variable = |dice: &mut Dice| Size::var(var(names[dice.below(names.len() as u64) as usize]));
    let mut total = Size::constant(dice.below(5) as i64 - 2);
    for _ in 0..1 + dice.below(2) {
        let factor = [1, 1, 1, -1, 2, -2, 3][dice.below(7) as usize];
        let part = match dice.below(3 + rich) {
            0..=2 => variable(dice),
            3 => variable(dice) * variable(dice),
            4 => variable(dice).minimum(&(variable(dice) + dice.below(3) as i64)),
            5 => variable(dice).maximum(&(variable(dice) - dice.below(3) as i64)),
            6 => (variable(dice) + variable(dice)).floor_div(2 + dice.below(2) as i64).expect("not zero"),
            7 => variable(dice) * variable(dice).minimum(&variable(dice)),
            8 => Size::split(&variable(dice), &variable(dice), &variable(dice), &Size::constant(1)),
            _ => {
                Size::apply(SizeFun([5, 6, 7, 10][dice.below(4) as usize]), vec![variable(dice) + dice.below(2) as i64])
            }
        };
        total = total + part * factor;
    }
    total
}

fn claim(dice: &mut Dice, names: &[u8], rich: u64) -> Claim {
    let (a, b) = (size(dice, names, rich), size(dice, names, rich));
    match dice.below(6) {
        0 | 1 => Claim::Le(a, b),
        2 | 3 => Claim::Lt(a, b),
        4 => Claim::Eq(a, b),
        _ => Claim::Ne(a, b),
    }
}

/// All values of the names in a box, with three choices of functions, where the claims hold.
fn models(names: &[u8], (low, high): (i64, i64), seed: u64, given: &[Claim]) -> Vec<Model> {
    let width = (high - low + 1) as u64;
    let model = |number: u64| {
        let mut vars = [0; 4];
        let mut rest = number;
        for name in names {
            vars[NAMES.iter().position(|n| n == name).expect("a known name")] = low + (rest % width) as i64;
            rest /= width;
        }
        Model { vars, seed: seed + number % 3 * 7919 }
    };
    let all = (0..width.pow(names.len() as u32)).map(model);
    all.filter(|model| given.iter().all(|g| model.satisfies(g))).collect()
}

/// Questions about `names`, all compared with the box of values from `low` to `high`; how many were answered.
fn compare(seed: u64, rounds: u32, names: &[u8], (low, high): (i64, i64), rich: u64) -> [u32; 3] {
    let mut dice = Dice(seed);
    let mut counts = [0; 3];
    for round in 0..rounds {
        let mut known = Assumptions::new();
        known.set_budget(100);
        laws(&mut known);
        let mut given = Vec::new();
        for name in names.iter().filter(|_| round % 2 == 0) {
            given.push(Claim::Le(Size::zero(), Size::var(var(*name))));
        }
        for _ in 0..dice.below(4) {
            given.push(claim(&mut dice, names, rich / 2));
        }
        given.iter().for_each(|g| known.assume(g));
        let models = models(names, (low, high), seed.wrapping_mul(31) + u64::from(round), &given);
        for _ in 0..6 {
            let asked = claim(&mut dice, names, rich);
            let answer = known.prove(&asked);
            counts[answer as usize] += 1;
            let explained = if round % 16 == 0 { known.explain(&asked).is_some() } else { answer == Answer::Yes };
            assert_eq!(explained, answer == Answer::Yes, "{given:?}\n{asked}");
            for model in models.iter().filter(|_| answer != Answer::Unknown) {
                assert_eq!(
                    model.satisfies(&asked),
                    answer == Answer::Yes,
                    "{given:?}\n{asked} at {:?} with {}\n{:?}",
                    model.vars,
                    model.seed,
                    known.explain(&asked)
                );
            }
        }
    }
    counts
}

#[test]
fn linear_answers_are_true() {
    let counts = compare(1, 1000, b"ijn", (-3, 5), 0);
    assert!(counts.iter().all(|c| *c > 500), "{counts:?}");
}

#[test]
fn rich_answers_are_true() {
    let counts = compare(2, 700, b"in", (-3, 5), 9);
    assert!(counts.iter().all(|c| *c > 150), "{counts:?}");
    let counts = compare(3, 200, b"ijn", (-3, 5), 9);
    assert!(counts.iter().all(|c| *c > 40), "{counts:?}");
}

#[test]
fn answers_about_four_variables_are_true() {
    let counts = compare(4, 80, b"ijmn", (-2, 4), 6);
    assert!(counts.iter().all(|c| *c > 10), "{counts:?}");
}

/// One set of assumptions that grows and shrinks: what was done for facts that are gone leaves nothing behind.
#[test]
fn answers_in_scopes_are_true() {
    let (names, limits, rich) = (b"ijn", (-2, 4), 9);
    let mut counts = [0; 3];
    for seed in 0..12 {
        let mut dice = Dice(100 + seed);
        let mut known = Assumptions::new();
        known.set_budget(80);
        laws(&mut known);
        let mut given: Vec<Claim> = Vec::new();
        let mut scopes = Vec::new();
        for _ in 0..60 {
            if scopes.len() < 5 && (scopes.is_empty() || dice.below(5) < 3) {
                scopes.push((known.mark(), given.len()));
                for _ in 0..1 + dice.below(2) {
                    let fact = claim(&mut dice, names, rich / 3);
                    known.assume(&fact);
                    given.push(fact);
                }
            } else if let Some((mark, before)) = scopes.pop() {
                known.release(mark);
                given.truncate(before);
            }
            let models = models(names, limits, seed, &given);
            for _ in 0..4 {
                let asked = claim(&mut dice, names, rich);
                let answer = known.prove(&asked);
                counts[answer as usize] += 1;
                for model in models.iter().filter(|_| answer != Answer::Unknown) {
                    assert_eq!(
                        model.satisfies(&asked),
                        answer == Answer::Yes,
                        "{given:?}\n{asked} at {:?}",
                        model.vars
                    );
                }
            }
        }
    }
    assert!(counts.iter().all(|c| *c > 60), "{counts:?}");
}
