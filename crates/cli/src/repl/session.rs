//! What a session keeps, and how an expression becomes a program.
//!
//! ```text
//! kept:  def square(x) = x * x          answer_ is compiled with what is kept behind it:
//!        rows: [][]i64, a value             entry answer_(rows: [][]i64) =
//! input: [sum(map(square, row)) …]          [sum(map(square, row)) for row in rows]
//!                                           def square(x) = x * x
//! ```
//!
//! Values are parameters, so that what was computed once stays computed. A definition that mentions a value gets it as a constant: its literal where that is short,
//! else the expression again, which gives the same, because nothing here has effects.
//!
//! Light expressions run in the interpreter, which starts at once; what takes it more than [`LIGHT`] statements is compiled.

use super::input::{definitions, words};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use terrace::{Backend, Failed, Outcome, Program, Settings, Surface, Value, read_source, show};

/// Statements that the interpreter may run before an expression is compiled: a fraction of a second.
const LIGHT: u64 = 300_000;
/// Elements of an array of the interpreter.
const FEW: usize = 1 << 20;
/// What the interpreter says when it has done as much, or is asked for a larger array.
const HEAVY: [&str; 2] = ["T0911", "T0912"];
/// Letters of a literal that is written into a program.
const SHORT: usize = 2000;
/// Elements of an array that are shown.
const MOST: usize = 40;
/// What an input is called in messages.
const HERE: &str = "input";
const ANSWER: &str = "answer_";

struct Definition {
    name: String,
    text: String,
}

struct Binding {
    name: String,
    surface: Surface,
    value: Value,
    /// What it was computed from; none if it was read from a file.
    from: Option<String>,
}

/// Where an expression ran, and how long it took.
pub(super) struct Ran {
    pub(super) how: &'static str,
    pub(super) compiling: Duration,
    pub(super) running: Duration,
}

/// A value with its text.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) ran: Ran,
}

/// What a text needs of what is kept.
struct Needed<'s> {
    definitions: String,
    /// Values, and whether definitions mention them.
    values: Vec<(&'s Binding, bool)>,
}

impl Needed<'_> {
    /// The values that definitions mention, or all of them, as constants.
    fn constants(&self, all: bool) -> String {
        self.values.iter().filter(|(_, fixed)| all || *fixed).filter_map(|(b, _)| b.constant()).collect()
    }
}

/// What is kept.
#[derive(Default)]
pub(super) struct Session {
    definitions: Vec<Definition>,
    bindings: Vec<Binding>,
    /// Where imports are looked for, if a file was loaded.
    folder: Option<PathBuf>,
    /// The back end that was asked for.
    pub(super) backend: Option<Backend>,
}

impl Session {
    /// Adds definitions in place of those with their names; nothing changes where they are wrong.
    pub(super) fn define(&mut self, text: &str) -> Result<Vec<String>, Failed> {
        let new = definitions(text);
        let names: Vec<String> = new.iter().map(|(name, _)| name.clone()).collect();
        let needed = self.needed(text, &names);
        self.check(&format!("{text}\n\n{}{}", needed.definitions, needed.constants(true)))?;
        for name in &names {
            self.forget(name);
        }
        self.definitions.extend(new.into_iter().map(|(name, text)| Definition { name, text }));
        Ok(names)
    }

    /// Adds the definitions of a file, and reads imports beside it from now on.
    pub(super) fn load(&mut self, path: &Path) -> Result<Vec<String>, Failed> {
        let text = read_source(path)?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let before = self.folder.replace(folder);
        self.define(&text).inspect_err(|_| self.folder = before)
    }

    /// What a text needs of what is kept, directly or through definitions; the names it defines itself are none of it.
    fn needed(&self, text: &str, own: &[String]) -> Needed<'_> {
        let mut known: Vec<String> = words(text);
        let mut taken: Vec<&Definition> = Vec::new();
        loop {
            // Types of values have names too.
            let types = self.bindings.iter().filter(|b| known.contains(&b.name)).map(|b| b.surface.to_string());
            let types: Vec<String> = types.flat_map(|ty| words(&ty)).collect();
            known.extend(types);
            let is_new = |d: &&Definition| {
                known.contains(&d.name) && !own.contains(&d.name) && !taken.iter().any(|t| t.name == d.name)
            };
            let Some(next) = self.definitions.iter().find(is_new) else { break };
            known.extend(words(&next.text));
            taken.push(next);
        }
        let text: String = taken.iter().map(|d| d.text.as_str()).collect();
        let there = words(&text);
        let values = self.bindings.iter().filter(|b| known.contains(&b.name) && !own.contains(&b.name));
        let values = values.map(|b| (b, there.contains(&b.name))).collect();
        Needed { definitions: text, values }
    }

    fn check(&self, text: &str) -> Result<Program, Failed> {
        // Imports are looked for beside the file of this name.
        let name =
            self.folder.as_ref().filter(|_| text.contains("import ")).map(|f| f.join(HERE).display().to_string());
        Program::from_text(name.as_deref().unwrap_or(HERE), text)
    }

    /// The program in which an expression is an entry, and its arguments.
    fn program(&self, expression: &str) -> Result<(Program, Vec<Value>), Failed> {
        let needed = self.needed(expression, &[]);
        let arguments: Vec<&Binding> = needed.values.iter().filter(|(_, fixed)| !fixed).map(|(b, _)| *b).collect();
        let list: Vec<String> = arguments.iter().map(|b| format!("{}: {}", b.name, b.surface)).collect();
        let (list, constants) = (list.join(", "), needed.constants(false));
        let text = format!("entry {ANSWER}({list}) =\n{expression}\n\n{}{constants}", needed.definitions);
        Ok((self.check(&text)?, arguments.iter().map(|b| b.value.clone()).collect()))
    }

    /// The value of an expression, kept under a name.
    pub(super) fn evaluate(&mut self, name: &str, expression: &str) -> Result<Answer, Failed> {
        let start = Instant::now();
        let (program, arguments) = self.program(expression)?;
        let (how, running, outcome) = match self.backend {
            None => match run(&program, Backend::Interp, &light(), arguments.clone()) {
                Err(failed) if failed.diagnostics.iter().any(|d| HEAVY.contains(&d.code)) => {
                    let (engine, why) = program.default_engine(&Settings::default())?;
                    let begun = Instant::now();
                    let how = if why.is_none() { "compiled" } else { "interpreted" };
                    (how, begun, engine.call_values(ANSWER, arguments)?)
                }
                Err(failed) => return Err(failed),
                Ok((begun, outcome)) => ("interpreted", begun, outcome),
            },
            Some(backend) => {
                let (begun, outcome) = run(&program, backend, &Settings::default(), arguments)?;
                (backend.name(), begun, outcome)
            }
        };
        let ran = Ran { how, compiling: running - start, running: running.elapsed() };
        let text = program.show_result(ANSWER, &outcome.value, MOST)?;
        let surface = program.signature(ANSWER)?.result.clone();
        self.keep(Binding { name: name.into(), surface, value: outcome.value, from: Some(expression.trim().into()) });
        Ok(Answer { text, ran })
    }

    fn keep(&mut self, new: Binding) {
        self.bindings.retain(|b| b.name != new.name);
        self.definitions.retain(|d| d.name != new.name);
        self.bindings.push(new);
    }

    /// Reads a value of a type from a file, and keeps it.
    pub(super) fn read(&mut self, name: &str, ty: &str, file: &str) -> Result<(), Failed> {
        let needed = self.needed(ty, &[]);
        let program = self.check(&format!("entry {ANSWER}({name}: {ty}) = {name}\n\n{}", needed.definitions))?;
        let value = program.argument_value(ANSWER, 0, file)?;
        let surface = program.signature(ANSWER)?.result.clone();
        self.keep(Binding { name: name.into(), surface, value, from: None });
        Ok(())
    }

    /// The type of an expression.
    pub(super) fn type_of(&self, expression: &str) -> Result<String, Failed> {
        let (program, _) = self.program(expression)?;
        Ok(program.signature(ANSWER)?.result.to_string())
    }

    /// What is known about the sizes of an expression.
    pub(super) fn shapes(&self, expression: &str) -> Result<String, Failed> {
        let (program, _) = self.program(expression)?;
        Ok(program.shapes_text(Some(ANSWER)))
    }

    /// Forgets a definition or a value; false if there is none of that name.
    pub(super) fn forget(&mut self, name: &str) -> bool {
        let count = self.definitions.len() + self.bindings.len();
        self.definitions.retain(|d| d.name != name);
        self.bindings.retain(|b| b.name != name);
        count > self.definitions.len() + self.bindings.len()
    }

    /// What is kept, for people.
    pub(super) fn listed(&self) -> String {
        let values = self.bindings.iter().map(|b| format!("{}: {}\n", b.name, b.surface));
        let definitions = self.definitions.iter().map(|d| format!("{}\n", d.text.trim_end()));
        values.chain(definitions).collect()
    }

    /// The text of a definition.
    pub(super) fn definition(&self, name: &str) -> Option<&str> {
        self.definitions.iter().find(|d| d.name == name).map(|d| d.text.trim_end())
    }

    /// The names of everything that is kept.
    pub(super) fn names(&self) -> Vec<&str> {
        let definitions = self.definitions.iter().map(|d| d.name.as_str()).filter(|n| !n.starts_with("test "));
        definitions.chain(self.bindings.iter().map(|b| b.name.as_str())).collect()
    }
}

/// The interpreter's limits for what is light: an end by one of them means that the rest is for compiled code.
fn light() -> Settings {
    Settings { step_limit: LIGHT, element_limit: FEW, ..Settings::default() }
}

/// Runs an expression, and says when it began to.
fn run(
    program: &Program,
    backend: Backend,
    settings: &Settings,
    arguments: Vec<Value>,
) -> Result<(Instant, Outcome<Value>), Failed> {
    let engine = program.engine(backend, settings)?;
    let begun = Instant::now();
    Ok((begun, engine.call_values(ANSWER, arguments)?))
}

impl Binding {
    /// The value as a definition: its literal if that is short, else where it came from. A value from a file that is not short has none.
    fn constant(&self) -> Option<String> {
        let literal = match &self.value {
            Value::Data(data) => Some(show::value(data, &self.surface, SHORT)),
            Value::Columns(_) => None,
        };
        // Infinities and NaN have no literal, and long arrays are shown abbreviated.
        let fits = |l: &String| l.len() <= SHORT && !["inf", "nan", "…"].iter().any(|w| l.contains(w));
        let literal = literal.filter(fits);
        let text = literal.map(|l| l.split("  -- ").next().unwrap_or_default().to_string());
        let text = text.or_else(|| self.from.clone())?;
        Some(format!("def {}: {} =\n{text}\n", self.name, self.surface))
    }
}
