//! Damaged programs: words removed, replaced and swapped.
//!
//! Whatever comes out must be rejected with a message, or compile to valid Core that runs or stops with an error. Nothing may
//! panic.

use crate::support::{compile_text, texts};
use terrace_interp::core::{Options, run};
use terrace_ir::core::Role;

/// A small generator of numbers, so that every run is the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % below
    }
}

fn words(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut in_word = false;
    for ch in text.chars() {
        let part = ch.is_alphanumeric() || ch == '_';
        match out.last_mut() {
            Some(last) if part && in_word => last.push(ch),
            _ => out.push(ch.to_string()),
        }
        in_word = part;
    }
    out
}

fn damage(words: &mut Vec<String>, all: &[String], dice: &mut Dice) {
    let at = dice.roll(words.len());
    match dice.roll(3) {
        0 => drop(words.remove(at)),
        1 => words[at] = all[dice.roll(all.len())].clone(),
        _ => {
            let other = dice.roll(words.len());
            words.swap(at, other);
        }
    }
}

/// Whether the text compiles; runs its tests if so.
fn survive(text: &str) -> bool {
    let (result, _) = compile_text("mutant", text);
    let program = match result {
        Ok(compiled) => compiled.program,
        Err(reports) => {
            assert!(!reports.is_empty(), "rejected without a word:\n{text}");
            return false;
        }
    };
    if let Err(fault) = terrace_ir::core::verify::verify(&program) {
        panic!("{fault}\n{text}");
    }
    let options = Options { step_limit: 20_000, depth_limit: 100, element_limit: 1 << 16, ..Options::default() };
    for (id, function) in program.functions.enumerate() {
        if let Role::Test { arguments, .. } = &function.role
            && let (Err(failure), _) = run(&program, id, arguments.clone(), &options)
        {
            assert!(!failure.to_diagnostic().title.is_empty());
        }
    }
    true
}

#[test]
fn damaged_programs_are_rejected_or_run() {
    let sources: Vec<String> =
        ["programs", "failing", "rejected", "../../../examples"].into_iter().flat_map(texts).collect();
    let all: Vec<String> = sources.iter().flat_map(|t| words(t)).collect();
    let mut dice = Dice(1);
    let mut compiled = 0;
    for _ in 0..2000 {
        let mut mutant = words(&sources[dice.roll(sources.len())]);
        for _ in 0..=dice.roll(2) {
            damage(&mut mutant, &all, &mut dice);
        }
        compiled += usize::from(survive(&mutant.concat()));
    }
    assert!(compiled > 50, "only {compiled} mutants compiled: the damage is too great to test anything");
}

#[test]
fn tall_programs_compile() {
    let parts = |open: &str, middle: &str, close: &str, n: usize| {
        format!("entry f(x: i64) -> i64 = {}{middle}{}", open.repeat(n), close.repeat(n))
    };
    for text in [
        parts("x + ", "x", "", 900),
        parts("(-", "x", ")", 100),
        parts("if x == 0 then 1 else ", "x", "", 80),
        parts("sum([y for y in [", "x", "]])", 30),
    ] {
        assert!(survive(&text), "{text}");
    }
}
