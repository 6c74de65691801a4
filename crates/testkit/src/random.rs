//! Random well-typed programs, run by every engine and compared with the interpreter.
//!
//! ```text
//! sample(17) ─▶ interp: = [3, 0]      flat outer: = [3, 0]      c mix:1 tiny: = [3, 1]   ← a difference: shrunk and shown
//! ```
//!
//! Many samples go into one file, so that the C compiler starts once for all of them; a file that a setup cannot run is
//! taken apart again. A sample that the compiling back ends decline (`T0801`, a stated limit) is counted, not compared.

pub mod generate;
pub mod node;

use crate::answer::{Answer, call, engine, quietly};
use crate::setup::Setup;
use node::Sample;
use std::time::{Duration, Instant};
use terrace::{Backend, Data, Program};

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Summary {
    /// Samples that were compared.
    pub compared: usize,
    /// Samples whose run fails, and those that are refused because it certainly would.
    pub failing: usize,
    /// Samples that the compiling back ends decline.
    pub declined: usize,
    /// Differences, as text.
    pub differences: Vec<String>,
}

/// Compares the samples of some numbers under some setups with the interpreter.
pub fn compare(numbers: &[u64], setups: &[Setup]) -> Summary {
    let mut summary = Summary::default();
    let mut kept = Vec::new();
    for number in numbers {
        let sample = generate::sample(*number);
        match reference(&sample) {
            Ok(answer) => {
                summary.failing += usize::from(matches!(answer, Answer::Error { .. }));
                kept.push(sample);
            }
            Err(Refusal::Declined) => summary.declined += 1,
            Err(Refusal::Certain) => summary.failing += 1,
            Err(Refusal::Wrong(why)) => summary.differences.push(format!("sample {number}: {why}\n{sample}")),
        }
    }
    summary.compared = kept.len();
    let text: String = kept.iter().map(Sample::to_string).collect::<Vec<_>>().join("\n");
    let wanted = answers(&text, &kept, &Setup::new(Backend::Interp));
    let mut told = vec![false; kept.len()];
    for setup in setups {
        let found = answers(&text, &kept, setup);
        for (k, sample) in kept.iter().enumerate().filter(|(k, _)| !told[*k]).collect::<Vec<_>>() {
            let differs = match (&wanted, &found) {
                (Ok(w), Ok(f)) => w[k] != f[k],
                // The file as a whole is beyond the setup: which sample is it?
                _ => differs(sample, setup).is_some(),
            };
            if differs {
                told[k] = true;
                summary.differences.push(explain(sample, setup));
            }
        }
    }
    summary
}

enum Refusal {
    Declined,
    /// It fails in every run, and the compiler says so.
    Certain,
    Wrong(String),
}

/// The interpreter's answer, if the sample is one that the flattener takes.
fn reference(sample: &Sample) -> Result<Answer, Refusal> {
    let text = sample.to_string();
    let refused = |why: String| if why.contains("error[T030") { certain(sample) } else { Refusal::Wrong(why) };
    let answers = answers(&text, std::slice::from_ref(sample), &Setup::new(Backend::Interp)).map_err(refused)?;
    let program = Program::from_text("sample", &text).map_err(|f| Refusal::Wrong(f.to_string()))?;
    match engine(&program, &Setup::new(Backend::Flat)) {
        Err(why) if why.contains("[T0801]") => Err(Refusal::Declined),
        _ => match answers.into_iter().next() {
            Some(Answer::Broken(why)) => Err(Refusal::Wrong(why)),
            Some(answer) => Ok(answer),
            None => Err(Refusal::Wrong("no answer".to_string())),
        },
    }
}

/// A program that is refused because it always fails must fail when it runs all the same.
fn certain(sample: &Sample) -> Refusal {
    let text = sample.to_string();
    let program = Program::unproved("sample", &text).map_err(|f| f.to_string());
    match program.and_then(|p| answers_of(&p, &text, std::slice::from_ref(sample), &Setup::new(Backend::Interp))) {
        Ok(found) if matches!(found.as_slice(), [Answer::Error { .. }]) => Refusal::Certain,
        Ok(found) => Refusal::Wrong(format!("refused, and gives {}", found[0])),
        Err(why) => Refusal::Wrong(why),
    }
}

fn answers(text: &str, samples: &[Sample], setup: &Setup) -> Result<Vec<Answer>, String> {
    let program = quietly(|| Program::from_text("samples", text))?.map_err(|f| f.to_string())?;
    answers_of(&program, text, samples, setup)
}

fn answers_of(program: &Program, text: &str, samples: &[Sample], setup: &Setup) -> Result<Vec<Answer>, String> {
    let engine = engine(program, setup)?;
    let answer = |sample: &Sample| {
        let args = sample.args();
        let args = args.iter().enumerate().map(|(k, a)| program.argument(&sample.entry(), k, a));
        match args.collect::<Result<Vec<Data>, _>>() {
            Ok(args) => call(&engine, &sample.entry(), &args, text),
            Err(failed) => Answer::Broken(failed.to_string()),
        }
    };
    Ok(samples.iter().map(answer).collect())
}

/// The interpreter's answer and the setup's, where they differ.
fn differs(sample: &Sample, setup: &Setup) -> Option<(String, String)> {
    let one = std::slice::from_ref(sample);
    let text = sample.to_string();
    let wanted = answers(&text, one, &Setup::new(Backend::Interp)).ok()?.pop()?;
    if matches!(wanted, Answer::Broken(_)) {
        return None;
    }
    match answers(&text, one, setup) {
        Ok(found) if found.first() == Some(&wanted) => None,
        Ok(found) => Some((wanted.to_string(), found[0].to_string())),
        Err(why) if why.contains("[T0801]") => None,
        Err(why) => Some((wanted.to_string(), why)),
    }
}

/// A difference as text, on the smallest sample found in reasonable time.
fn explain(sample: &Sample, setup: &Setup) -> String {
    let number = sample.number;
    let Some(mut shown) = differs(sample, setup) else {
        return format!("sample {number} on {setup}: differs in company only\n{sample}");
    };
    let mut best = sample.clone();
    let end = Instant::now() + Duration::from_secs(20);
    'smaller: while Instant::now() < end {
        for less in best.smaller() {
            if Instant::now() > end {
                break 'smaller;
            }
            if let Some(found) = differs(&less, setup) {
                (best, shown) = (less, found);
                continue 'smaller;
            }
        }
        break;
    }
    let args = best.args().join(", ");
    let (wanted, found) = shown;
    format!("sample {number} on {setup}: {}({args})\n  interp {wanted}\n  found  {found}\n{best}", best.entry())
}
