//! Random well-typed programs, run by every engine and compared with the interpreter.
//!
//! ```text
//! sample(17) ─▶ interp: = [3, 0]      flat outer: = [3, 0]      c mix:1 tiny: = [3, 1]   ← a difference: shrunk and shown
//! ```
//!
//! Many samples go into one file, so that the C compiler starts once for all of them; a file that a setup cannot run is
//! taken apart again. A sample that the compiling back ends decline (`T0801`, a stated limit) is counted with the reason, not compared.
//!
//! Every fifth sample is one that fails, where some tries find one. Engines agree on the code and the place of the error. They agree
//! on the values in its title too, unless the check stands in a loop, a function or an operator: those run in waves, all elements step by
//! step, and the interpreter element by element, so that another of several failing elements may come first.

mod arrays;
mod control;
mod functions;
pub mod generate;
mod inputs;
pub mod node;
mod operators;
pub mod sample;
mod scalars;
mod shapes;
pub mod shrink;
pub mod types;
mod writes;

use crate::answer::{Answer, call, engine, quietly};
use crate::setup::Setup;
use sample::Sample;
use std::collections::BTreeMap;
use terrace::{Backend, Data, Program};

/// What came of a batch.
#[derive(Debug, Default)]
pub struct Summary {
    /// Samples that were compared.
    pub compared: usize,
    /// Samples whose run fails, and those that are refused because it certainly would.
    pub failing: usize,
    /// Samples that the compiling back ends decline: the numbers for each reason.
    pub declined: BTreeMap<String, Vec<u64>>,
    /// Differences, as text.
    pub differences: Vec<String>,
}

impl Summary {
    /// How many samples were declined.
    pub fn declines(&self) -> usize {
        self.declined.values().map(Vec::len).sum()
    }

    /// Adds another batch.
    pub fn add(&mut self, other: Summary) {
        self.compared += other.compared;
        self.failing += other.failing;
        other.declined.into_iter().for_each(|(why, numbers)| self.declined.entry(why).or_default().extend(numbers));
        self.differences.extend(other.differences);
    }
}

/// Some samples in one file, with their arguments.
struct File<'a> {
    text: String,
    program: Program,
    samples: &'a [Sample],
    args: Vec<Result<Vec<Data>, String>>,
}

impl<'a> File<'a> {
    fn new(samples: &'a [Sample]) -> Result<File<'a>, String> {
        let text = samples.iter().map(Sample::to_string).collect::<Vec<_>>().join("\n");
        let program = quietly(|| Program::from_text("samples", &text))?.map_err(|f| f.to_string())?;
        Ok(File::of(text, program, samples))
    }

    /// Without a word about what certainly fails.
    fn unproved(samples: &'a [Sample]) -> Result<File<'a>, String> {
        let text = samples.iter().map(Sample::to_string).collect::<Vec<_>>().join("\n");
        let program = quietly(|| Program::unproved("samples", &text))?.map_err(|f| f.to_string())?;
        Ok(File::of(text, program, samples))
    }

    fn of(text: String, program: Program, samples: &'a [Sample]) -> File<'a> {
        let data = |sample: &Sample| {
            let args = sample.args();
            let args = args.iter().enumerate().map(|(k, a)| program.argument(&sample.entry(), k, a));
            args.collect::<Result<Vec<Data>, _>>().map_err(|failed| failed.to_string())
        };
        let args = samples.iter().map(data).collect();
        File { text, program, samples, args }
    }

    fn answers(&self, setup: &Setup) -> Result<Vec<Answer>, String> {
        let engine = engine(&self.program, setup)?;
        let answer = |(sample, args): (&Sample, &Result<Vec<Data>, String>)| match args {
            Ok(args) => call(&engine, &sample.entry(), args, &self.text),
            Err(why) => Answer::Broken(why.clone()),
        };
        Ok(self.samples.iter().zip(&self.args).map(answer).collect())
    }
}

/// Compares the samples of some numbers under some setups with the interpreter.
pub fn compare(numbers: &[u64], setups: &[Setup]) -> Summary {
    let mut summary = Summary::default();
    let mut kept = Vec::new();
    for number in numbers {
        match choose(*number) {
            Chosen::Compare(sample, fails) => {
                summary.failing += usize::from(fails);
                kept.push(*sample);
            }
            Chosen::Declined(why, _) => summary.declined.entry(why).or_default().push(*number),
            Chosen::Certain => summary.failing += 1,
            Chosen::Long => {}
            Chosen::Wrong(why) => summary.differences.push(why),
        }
    }
    summary.compared = kept.len();
    let interp = Setup::new(Backend::Interp);
    let file = File::new(&kept);
    let wanted = file.as_ref().map_err(String::clone).and_then(|f| f.answers(&interp));
    let mut told = vec![false; kept.len()];
    for setup in setups {
        let found = file.as_ref().map_err(String::clone).and_then(|f| f.answers(setup));
        for (k, sample) in kept.iter().enumerate() {
            if told[k] {
                continue;
            }
            if let (Ok(wanted), Ok(found)) = (&wanted, &found)
                && agree(&wanted[k], &found[k], sample.loose)
            {
                continue;
            }
            // Either this one is wrong, or the file as a whole is beyond the setup: which sample is it?
            match shrink::verdict(sample, setup) {
                shrink::Verdict::Same if found.is_err() => {}
                shrink::Verdict::Declined(why) => {
                    let why = format!("{}: {why}", setup.backend.name());
                    let numbers = summary.declined.entry(why).or_default();
                    if numbers.last() != Some(&sample.number) {
                        numbers.push(sample.number);
                    }
                }
                _ => {
                    told[k] = true;
                    summary.differences.push(shrink::explain(sample, setup));
                }
            }
        }
    }
    summary
}

/// Whether two answers are the same, as far as they must be.
pub fn agree(wanted: &Answer, found: &Answer, loose: bool) -> bool {
    match (wanted, found) {
        (
            Answer::Error { code, line, column, .. },
            Answer::Error { code: other_code, line: other_line, column: other_column, .. },
        ) if loose => (code, line, column) == (other_code, other_line, other_column),
        _ => wanted == found,
    }
}

/// How many statements a sample may run.
const STEPS: u64 = 200_000;

enum Chosen {
    /// To compare; whether it fails.
    Compare(Box<Sample>, bool),
    /// Declined, why, and whether it fails.
    Declined(String, bool),
    /// It fails in every run, and the compiler says so.
    Certain,
    /// It takes too many steps to be compared, or is refused for a function that it does not call.
    Long,
    Wrong(String),
}

/// The sample of a number; of every fifth the first variant that fails when it runs, if one does.
fn choose(number: u64) -> Chosen {
    let wants = number.is_multiple_of(5);
    let mut last = Chosen::Long;
    for other in 0..8 {
        match judge(generate::variant(number, other)) {
            Chosen::Long => {}
            Chosen::Compare(sample, fails) if wants && !fails => last = Chosen::Compare(sample, false),
            Chosen::Declined(why, false) if wants => last = Chosen::Declined(why, false),
            Chosen::Certain => last = Chosen::Certain,
            found => return found,
        }
    }
    last
}

/// What the interpreter and the front end say about a sample.
fn judge(sample: Sample) -> Chosen {
    let number = sample.number;
    let wrong = |why: String| Chosen::Wrong(format!("sample {number}: {why}\n{sample}"));
    let file = match File::new(std::slice::from_ref(&sample)) {
        Ok(file) => file,
        Err(why) if why.contains("error[T030") => return certain(&sample).unwrap_or_else(wrong),
        Err(why) => return wrong(why),
    };
    let mut interp = Setup::new(Backend::Interp);
    interp.settings.step_limit = STEPS;
    let fails = match file.answers(&interp).map(|mut answers| answers.pop()) {
        Ok(Some(Answer::Error { code, .. })) if code == "T0912" => return Chosen::Long,
        Ok(Some(Answer::Broken(why))) | Err(why) => return wrong(why),
        Ok(answer) => matches!(answer, Some(Answer::Error { .. })),
    };
    match engine(&file.program, &Setup::new(Backend::Flat)) {
        Err(why) if why.contains("[T0801]") => Chosen::Declined(reason(&why), fails),
        _ => Chosen::Compare(Box::new(sample), fails),
    }
}

/// The first line of a message that declines a program.
fn reason(why: &str) -> String {
    why.lines().find(|line| line.contains("[T0801]")).unwrap_or("T0801").trim().to_string()
}

/// A program that is refused because it always fails must fail when it runs all the same, unless what fails is a function that is not called.
fn certain(sample: &Sample) -> Result<Chosen, String> {
    let file = File::unproved(std::slice::from_ref(sample))?;
    match file.answers(&Setup::new(Backend::Interp))?.pop() {
        Some(Answer::Error { .. }) => Ok(Chosen::Certain),
        Some(Answer::Value(_)) if !sample.functions.is_empty() => Ok(Chosen::Long),
        Some(found) => Err(format!("refused, and gives {found}")),
        None => Err("no answer".to_string()),
    }
}
