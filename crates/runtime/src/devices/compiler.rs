//! The host's C and C++ compilers, and the libraries they make.
//!
//! ```text
//! cc FLAGS -x c unit.c -o unit.so          looked up in the cache first, then opened
//! ```
//!
//! The variable that names a compiler may hold flags as well: `TERRACE_CC="cc -fsanitize=undefined"`. They come last, so that they count: with `-O1` kernels are slower and
//! compiled in half the time. The key of an entry holds the compiler's version and the processor's features, because `-march=native` means something else on
//! another machine that shares the cache.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::cache::{self, Remark};

/// How the message begins where there is none.
const NO_COMPILER: &str = "no compiler for kernels";

/// How units of one language are compiled.
pub(super) struct Compiler {
    /// The variable that names another compiler.
    pub(super) variable: &'static str,
    /// The compiler.
    pub(super) default: &'static str,
    /// `c` or `c++`.
    pub(super) language: &'static str,
    /// The flags before the file.
    pub(super) flags: Vec<String>,
    /// The flags after the file.
    pub(super) libraries: &'static [&'static str],
}

impl Compiler {
    fn program(&self) -> String {
        std::env::var(self.variable).ok().filter(|v| !v.trim().is_empty()).unwrap_or_else(|| self.default.to_string())
    }

    /// The compiler with these flags, and those of its variable behind them.
    fn command(program: &str, flags: &[String]) -> Command {
        let mut words = program.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(flags).args(words);
        command
    }

    /// What the compiler says it is; asked once per process, and once per compiler where the answer can be kept.
    fn version(&self, program: &str) -> Result<String, String> {
        static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = known.get(program) {
            return Ok(version.clone());
        }
        let identity = identity(program);
        let kept = identity.as_ref().and_then(|i| cache::recall(i));
        let version = match kept.filter(|v| !v.is_empty()) {
            Some(version) => version,
            None => {
                let output = Self::command(program, &[]).arg("--version").output().map_err(|e| {
                    format!(
                        "{NO_COMPILER}: `{program}` cannot be run: {e}\ninstall a {} compiler, or name one in {}",
                        self.language.to_uppercase(),
                        self.variable
                    )
                })?;
                let version = String::from_utf8_lossy(&output.stdout).into_owned();
                if let Some(identity) = identity {
                    cache::remember(&identity, &version);
                }
                version
            }
        };
        known.insert(program.to_string(), version.clone());
        Ok(version)
    }

    /// Whether it can be run at all; else why not.
    pub(super) fn found(&self) -> Result<(), String> {
        self.version(&self.program()).map(|_| ())
    }

    /// What it is called and what it says it is, in a line.
    pub(super) fn described(&self) -> Result<String, String> {
        let program = self.program();
        let version = self.version(&program)?;
        Ok(format!("{program}: {}", version.lines().next().unwrap_or_default().trim()))
    }

    /// Compiles a unit, or finds it in the cache, and opens it; with a remark where it could not be kept.
    pub(super) fn load(&self, text: &str) -> Result<(Library, Remark), String> {
        let program = self.program();
        let version = self.version(&program)?;
        let flags = self.flags.join(" ");
        let key = format!("{program}\n{version}\n{flags}\n{}\n{text}", processor());
        let build = |to: &Path| self.compile(&program, text, to);
        let made = cache::find_or_build(&key, "so", &build)?;
        // SAFETY: the library holds compiled kernels, which have no initialisers.
        if let Ok(library) = unsafe { Library::new(&made.path) } {
            return Ok((library, made.remark.clone()));
        }
        // Another process let it go a moment ago, or it makes no sense: once more from the start.
        cache::forget(&made.path);
        let made = cache::find_or_build(&key, "so", &build)?;
        // SAFETY: as above.
        let library = unsafe { Library::new(&made.path) };
        let library = library.map_err(|e| format!("compiled kernels cannot be opened: {e}"))?;
        Ok((library, made.remark.clone()))
    }

    /// Compiles a unit to a file; whatever the compiler needs besides goes to the folder of that file.
    fn compile(&self, program: &str, text: &str, to: &Path) -> Result<(), String> {
        let source = to.with_extension("source");
        std::fs::write(&source, text).map_err(|e| format!("kernels cannot be written: {}: {e}", source.display()))?;
        let mut command = Self::command(program, &self.flags);
        if let Some(folder) = to.parent() {
            command.env("TMPDIR", folder);
        }
        command.args(["-x", self.language]).arg(&source).arg("-o").arg(to);
        let output = command.args(["-x", "none"]).args(self.libraries).output();
        let _ = std::fs::remove_file(&source);
        let output = output.map_err(|e| format!("`{program}` cannot be run: {e}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).replace(&source.display().to_string(), "kernels");
        Err(format!("`{program}` cannot compile the kernels:\n{}", first_lines(&said, 40)))
    }
}

/// What changes when another compiler is installed under the name: its place, size and date.
fn identity(program: &str) -> Option<String> {
    let word = program.split_whitespace().next()?;
    let paths = std::env::var_os("PATH")?;
    let file = match word.contains('/') {
        true => Some(PathBuf::from(word)),
        false => std::env::split_paths(&paths).map(|p| p.join(word)).find(|p| p.is_file()),
    };
    let file = file?.canonicalize().ok()?;
    let data = file.metadata().ok()?;
    let date = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{program} {} {} {}", file.display(), data.len(), date.as_nanos()))
}

fn first_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().take(count).collect();
    lines.join("\n")
}

/// What `-march=native` depends on.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = |name: &str| info.lines().find(|l| l.starts_with(name)).unwrap_or_default().to_string();
    format!("{} {} {}", std::env::consts::ARCH, first("model name"), first("flags"))
}
