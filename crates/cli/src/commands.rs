//! What each command does.

use crate::arguments::How;
use crate::output::{Messenger, Verdict, error, print};
use std::path::{Path, PathBuf};
use terrace::{Backend, Engine, Failed, Program, Settings, Stage};

pub(crate) fn load(path: &Path, messenger: Messenger) -> Result<Program, Failed> {
    let program = Program::from_file(path)?;
    messenger.warnings(&program);
    Ok(program)
}

pub(crate) fn check(paths: &[PathBuf], messenger: Messenger) -> Result<Verdict, Failed> {
    let Some(files) = files_of(paths) else { return Ok(Verdict::Usage) };
    let mut good = true;
    for file in files {
        if let Err(failed) = load(&file, messenger) {
            messenger.failed(&failed);
            good = false;
        }
    }
    Ok(Verdict::of(good))
}

/// Whether the interpreter may run; says so where another back end was asked for.
pub(crate) fn runs_interpreted(option: &str, what: &str, how: &How) -> bool {
    let fine = how.backend.is_none_or(|b| b == Backend::Interp);
    if !fine {
        error(&format!("`{option}` {what} in the interpreter: leave `--backend` out, or say `--backend interp`\n"));
    }
    fine
}

/// The engine that was asked for; without a wish, compiled C or, where that cannot be, the interpreter with the reason.
pub(crate) fn engine(program: &Program, how: &How, settings: &Settings) -> Result<(Engine, Option<String>), Failed> {
    match how.backend {
        Some(backend) => program.engine(backend, settings).map(|e| (e, None)),
        None => program.default_engine(settings),
    }
}

/// The entry that was named, or the only one; says what is wrong where there is no such.
pub(crate) fn chosen_entry(program: &Program, file: &Path, entry: Option<&str>) -> Option<String> {
    match (entry, program.entries()) {
        (Some(name), _) => return Some(name.to_string()),
        (None, [only]) => return Some(only.name.clone()),
        (None, []) => {
            let what = "an `entry` is a `def` that can be called from outside: write `entry` in place of `def`";
            error(&format!("`{}` has no entry to run; {what}\n", file.display()));
        }
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|e| e.name.as_str()).collect();
            let names = names.join(", ");
            error(&format!("`{}` has several entries; choose one with --entry: {names}\n", file.display()));
        }
    }
    None
}

/// The values of the arguments of an entry, each made by `make`; says what is wrong where their number is.
pub(crate) fn arguments<V>(
    program: &Program,
    name: &str,
    args: &[String],
    make: impl Fn(usize, &str) -> Result<V, Failed>,
) -> Result<Option<Vec<V>>, Failed> {
    if let Some(info) = program.entries().iter().find(|e| e.name == name)
        && info.params.len() != args.len()
    {
        let params: Vec<String> = info.params.iter().map(|p| format!("{}: {}", p.name, p.text)).collect();
        let (params, wanted, found) = (params.join(", "), info.params.len(), args.len());
        let s = if wanted == 1 { "" } else { "s" };
        let were = if found == 1 { "was" } else { "were" };
        error(&format!("`{name}({params})` takes {wanted} argument{s}, and {found} {were} given\n"));
        if found > wanted && args.iter().any(|a| a.ends_with(',') || a.matches('[').count() != a.matches(']').count()) {
            error("hint: a shell cuts arguments at spaces: put each into quotes, '[1, 2, 3]'\n");
        }
        return Ok(None);
    }
    args.iter().enumerate().map(|(k, text)| make(k, text)).collect::<Result<Vec<_>, Failed>>().map(Some)
}

/// The files that are named, and the `.tce` files of the folders that are; says so where there are none.
pub(crate) fn files_of(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, &mut files);
    }
    if files.is_empty() {
        error("there are no `.tce` files there\n");
    }
    (!files.is_empty()).then_some(files)
}

/// The `.tce` files of a folder and of those inside it, in order of their names.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return;
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() || path.extension().is_some_and(|e| e == "tce") {
            collect(&path, files);
        }
    }
}

pub(crate) fn ir(file: &Path, stage: Stage, all: bool, json: bool, how: &How) -> Result<Verdict, Failed> {
    let program = load(file, Messenger::default())?;
    let backend = how.backend.unwrap_or(Backend::C);
    let settings = how.settings_to_show()?;
    if json {
        if all || stage != Stage::Versions {
            error("`--json` is for `--stage versions`\n");
            return Ok(Verdict::Usage);
        }
        print(&program.versions_json(backend, &settings)?);
        return Ok(Verdict::Good);
    }
    let stages = if all { Stage::ALL.to_vec() } else { vec![stage] };
    for stage in stages {
        if all {
            print(&format!("──── {} ────\n", stage.name()));
        }
        print(&program.show(stage, backend, &settings)?);
    }
    Ok(Verdict::Good)
}

/// What `ir` shows of a program at one stage.
pub(crate) fn ir_text(file: &Path, stage: Stage, how: &How) -> Result<String, Failed> {
    let backend = how.backend.unwrap_or(Backend::C);
    Program::from_file(file)?.show(stage, backend, &how.settings_to_show()?)
}

pub(crate) fn explain(code: &str) -> Result<Verdict, Failed> {
    let code = code.to_ascii_uppercase();
    match terrace::explain(&code) {
        Some(text) => print(&format!("{code}: {text}\n")),
        None => error(&format!("there is no message with the code `{code}`; codes look like `T0901`\n")),
    }
    Ok(if terrace::explain(&code).is_some() { Verdict::Good } else { Verdict::Usage })
}
