//! Random well-typed programs, run by every engine and compared with the interpreter.
//!
//! ```text
//! sample(17) ─▶ interp: = [3, 0]      flat outer: = [3, 0]      c mix:1 tiny: = [3, 1]   ← a difference: shrunk and shown
//! ```
//!
//! Many samples go into one file, so that the C compiler starts once for all of them; a file that a setup cannot run is
//! taken apart again. A sample that the compiling back ends decline (`T0801`, a stated limit) is counted with the reason, not compared.
//!
//! Every fourth sample is one that fails, where some tries find one: a fifth of all. Engines agree on the code and the place of the error. They agree
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
struct File {
    text: String,
    program: Program,
    samples: Vec<Sample>,
    args: Vec<Result<Vec<Data>, String>>,
}

impl File {
    fn new(samples: &[Sample]) -> Result<File, String> {
        let text = samples.iter().map(Sample::to_string).collect::<Vec<_>>().join("\n");
        let program = quietly(|| Program::from_text("samples", &text))?.map_err(|f| f.to_string())?;
        Ok(File::of(text, program, samples))
    }

    /// Without a word about what certainly fails.
    fn unproved(samples: &[Sample]) -> Result<File, String> {
        let text = samples.iter().map(Sample::to_string).collect::<Vec<_>>().join("\n");
        let program = quietly(|| Program::unproved("samples", &text))?.map_err(|f| f.to_string())?;
        Ok(File::of(text, program, samples))
    }

    fn of(text: String, program: Program, samples: &[Sample]) -> File {
        let data = |sample: &Sample| {
            let args = sample.args();
            let args = args.iter().enumerate().map(|(k, a)| program.argument(&sample.entry(), k, a));
            args.collect::<Result<Vec<Data>, _>>().map_err(|failed| failed.to_string())
        };
        let args = samples.iter().map(data).collect();
        File { text, program, samples: samples.to_vec(), args }
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
        match number.is_multiple_of(FAILING) {
            true => take(choose(*number), &mut kept, &mut summary),
            false => kept.push(generate::sample(*number)),
        }
    }
    let mut file = File::new(&kept);
    if file.is_err() {
        for sample in std::mem::take(&mut kept) {
            take(judge(sample), &mut kept, &mut summary);
        }
        file = File::new(&kept);
    }
    let (mut file, mut wanted) = match file.and_then(|f| without_long(f, &mut summary)) {
        Ok(both) => both,
        Err(why) => {
            summary.differences.push(format!("samples {numbers:?} in one file: {why}"));
            return summary;
        }
    };
    let mut told = vec![false; file.samples.len()];
    for setup in setups {
        let mut found = file.answers(setup);
        if matches!(&found, Err(why) if why.contains("[T0801]")) {
            // One that is declined stands in the way of the others: they go on without it.
            let reasons: Vec<Option<String>> = file.samples.iter().map(|s| shrink::declines(s, setup)).collect();
            for (sample, why) in file.samples.iter().zip(&reasons).filter_map(|(s, why)| Some((s, why.as_ref()?))) {
                summary.declined.entry(format!("{}: {why}", setup.backend.name())).or_default().push(sample.number);
            }
            let stays: Vec<usize> = (0..reasons.len()).filter(|k| reasons[*k].is_none()).collect();
            kept = stays.iter().map(|k| file.samples[*k].clone()).collect();
            told = stays.iter().map(|k| told[*k]).collect();
            wanted = stays.iter().map(|k| wanted[*k].clone()).collect();
            file = match File::new(&kept) {
                Ok(file) => file,
                Err(_) => break,
            };
            // Places in the text have changed.
            wanted = file.answers(&interpreter()).unwrap_or(wanted);
            found = file.answers(setup);
        }
        for (k, sample) in file.samples.iter().enumerate().filter(|(k, _)| !told[*k]).collect::<Vec<_>>() {
            let same = found.as_ref().is_ok_and(|found| agree(&wanted[k], &found[k], sample.loose));
            // If the file as a whole is beyond the setup: which sample is it?
            if !same && (found.is_ok() || !matches!(shrink::verdict(sample, setup), shrink::Verdict::Same)) {
                told[k] = true;
                summary.differences.push(shrink::explain(sample, setup));
            }
        }
    }
    let errors = wanted.iter().filter(|answer| matches!(answer, Answer::Error { .. })).count();
    summary.compared += file.samples.len();
    summary.failing += errors;
    summary
}

fn interpreter() -> Setup {
    let mut interp = Setup::new(Backend::Interp);
    interp.settings.step_limit = STEPS;
    interp
}

fn take(chosen: Chosen, kept: &mut Vec<Sample>, summary: &mut Summary) {
    match chosen {
        Chosen::Compare(sample, _) => kept.push(*sample),
        Chosen::Certain => summary.failing += 1,
        Chosen::Long => {}
        Chosen::Wrong(why) => summary.differences.push(why),
    }
}

/// The file without what takes too many steps, and what the interpreter says about the rest.
fn without_long(file: File, summary: &mut Summary) -> Result<(File, Vec<Answer>), String> {
    let wanted = file.answers(&interpreter())?;
    let mut kept = Vec::new();
    for (sample, answer) in file.samples.iter().zip(&wanted) {
        match answer {
            Answer::Error { code, .. } if code == "T0912" => {}
            Answer::Broken(why) => summary.differences.push(format!("sample {}: {why}\n{sample}", sample.number)),
            _ => kept.push(sample.clone()),
        }
    }
    if kept.len() == file.samples.len() {
        return Ok((file, wanted));
    }
    let file = File::new(&kept)?;
    let wanted = file.answers(&interpreter())?;
    Ok((file, wanted))
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

/// One sample in so many fails.
const FAILING: u64 = 4;

enum Chosen {
    /// To compare; whether it fails.
    Compare(Box<Sample>, bool),
    /// It fails in every run, and the compiler says so.
    Certain,
    /// It takes too many steps to be compared, or is refused for a function that it does not call.
    Long,
    Wrong(String),
}

/// The first variant of a number that fails when it runs, if one does.
fn choose(number: u64) -> Chosen {
    let mut last = Chosen::Long;
    for other in 0..8 {
        match judge(generate::variant(number, other)) {
            Chosen::Long => {}
            Chosen::Compare(sample, false) => last = Chosen::Compare(sample, false),
            Chosen::Certain => last = Chosen::Certain,
            found => return found,
        }
    }
    last
}

/// What the interpreter and the front end say about a sample.
fn judge(sample: Sample) -> Chosen {
    let wrong = |why: String| Chosen::Wrong(format!("sample {}: {why}\n{sample}", sample.number));
    let file = match File::new(std::slice::from_ref(&sample)) {
        Ok(file) => file,
        Err(why) if why.contains("error[T030") => return certain(&sample).unwrap_or_else(wrong),
        Err(why) => return wrong(why),
    };
    match file.answers(&interpreter()).map(|mut answers| answers.pop()) {
        Ok(Some(Answer::Error { code, .. })) if code == "T0912" => Chosen::Long,
        Ok(Some(Answer::Broken(why))) | Err(why) => wrong(why),
        Ok(answer) => Chosen::Compare(Box::new(sample), matches!(answer, Some(Answer::Error { .. }))),
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
