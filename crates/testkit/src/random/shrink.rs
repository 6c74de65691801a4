//! From a difference to the smallest program that shows it.
//!
//! Candidates (`Sample::smaller`) are tried in order, large steps first; one that still differs in the same way (a wrong value, another error,
//! the same panic) is taken, and the search goes on from there. `TERRACE_SHRINK=60` gives it so many seconds.

use super::sample::Sample;
use super::{File, agree};
use crate::answer::{Answer, engine};
use crate::setup::Setup;
use std::time::{Duration, Instant};
use terrace::Backend;

/// What a setup makes of a sample.
pub enum Verdict {
    /// The interpreter's answer.
    Same,
    /// It is declined, for a reason.
    Declined(String),
    /// The interpreter's answer and another one.
    Differs(String, String),
}

/// The interpreter's answer and the setup's.
pub fn verdict(sample: &Sample, setup: &Setup) -> Verdict {
    let Ok(file) = File::new(std::slice::from_ref(sample)) else { return Verdict::Same };
    let wanted = match file.answers(&Setup::new(Backend::Interp)).map(|mut answers| answers.pop()) {
        Ok(Some(Answer::Broken(_)) | None) | Err(_) => return Verdict::Same,
        Ok(Some(wanted)) => wanted,
    };
    match file.answers(setup) {
        Ok(found) if found.first().is_some_and(|f| agree(&wanted, f, sample.loose)) => Verdict::Same,
        Ok(found) => Verdict::Differs(wanted.to_string(), found[0].to_string()),
        Err(why) if why.contains("[T0801]") => Verdict::Declined(super::reason(&why)),
        Err(why) => Verdict::Differs(wanted.to_string(), format!("broken: {why}")),
    }
}

/// Why a setup declines a sample, if it does.
pub fn declines(sample: &Sample, setup: &Setup) -> Option<String> {
    let file = File::new(std::slice::from_ref(sample)).ok()?;
    match engine(&file.program, setup) {
        Err(why) if why.contains("[T0801]") => Some(super::reason(&why)),
        _ => None,
    }
}

/// The kind of a difference: what it is, without the values.
fn kind(wanted: &str, found: &str) -> (String, String) {
    let short = |text: &str| match text.chars().next() {
        Some('=') => "=".to_string(),
        Some('!') => text.chars().take(7).collect(),
        _ => text.chars().filter(|c| !c.is_ascii_digit()).take(60).collect(),
    };
    (short(wanted), short(found))
}

/// A difference as text, on the smallest sample found in reasonable time.
pub fn explain(sample: &Sample, setup: &Setup) -> String {
    let number = sample.number;
    let Verdict::Differs(mut wanted, mut found) = verdict(sample, setup) else {
        return format!("sample {number} on {setup}: differs in company only\n{sample}");
    };
    let mut best = sample.clone();
    let seconds = std::env::var("TERRACE_SHRINK").ok().and_then(|s| s.parse().ok()).unwrap_or(20);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut candidates = best.smaller();
    let (mut next, mut since) = (0, 0);
    while since < candidates.len() && Instant::now() < end {
        let less = &candidates[next % candidates.len()];
        match verdict(less, setup) {
            Verdict::Differs(w, f) if kind(&w, &f) == kind(&wanted, &found) => {
                (best, wanted, found) = (less.clone(), w, f);
                candidates = best.smaller();
                since = 0;
            }
            _ => {
                next += 1;
                since += 1;
            }
        }
    }
    let args = best.args().join(", ");
    format!("sample {number} on {setup}: {}({args})\n  interp {wanted}\n  found  {found}\n{best}", best.entry())
}
