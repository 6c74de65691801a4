//! The host's C and C++ compilers, and the libraries they make.
//!
//! ```text
//! cc FLAGS -x c unit.c -o unit.so          looked up in the cache first, then opened
//! ```
//!
//! The variable that names a compiler may hold flags as well: `TERRACE_CC="cc -fsanitize=undefined"`. The key of an entry holds the compiler's version and the processor's features, because `-march=native` means something else on
//! another machine that shares the cache.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

use super::cache;

/// How the message begins where there is none.
pub const NO_COMPILER: &str = "no compiler for kernels";

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

    fn command(program: &str) -> Command {
        let mut words = program.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or("cc"));
        command.args(words);
        command
    }

    /// What the compiler says it is; asked once per process.
    fn version(&self, program: &str) -> Result<String, String> {
        static KNOWN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = known.get(program) {
            return Ok(version.clone());
        }
        let output = Self::command(program).arg("--version").output().map_err(|e| {
            format!(
                "{NO_COMPILER}: `{program}` cannot be run: {e}\ninstall a {} compiler, or name one in {}",
                self.language.to_uppercase(),
                self.variable
            )
        })?;
        let version = String::from_utf8_lossy(&output.stdout).into_owned();
        known.insert(program.to_string(), version.clone());
        Ok(version)
    }

    /// Compiles a unit, or finds it in the cache, and opens it.
    pub(super) fn load(&self, text: &str) -> Result<Library, String> {
        let program = self.program();
        let version = self.version(&program)?;
        let flags = self.flags.join(" ");
        let key = format!("{program}\n{version}\n{flags}\n{}\n{text}", processor());
        let build = |to: &Path| self.compile(&program, text, to);
        let mut path = cache::find_or_build(&key, "so", &build)?;
        // SAFETY: the library holds compiled kernels, which have no initialisers.
        let first = unsafe { Library::new(&path) };
        first.or_else(|_| {
            // Damaged on disk: once more from the start.
            cache::forget(&path);
            path = cache::find_or_build(&key, "so", &build)?;
            // SAFETY: as above.
            unsafe { Library::new(&path) }.map_err(|e| format!("compiled kernels cannot be opened: {e}"))
        })
    }

    fn compile(&self, program: &str, text: &str, to: &Path) -> Result<(), String> {
        let source = to.with_extension("source");
        std::fs::write(&source, text).map_err(|e| {
            let _ = std::fs::remove_file(&source);
            cache::cannot_write(&source, &e)
        })?;
        let output = Self::command(program)
            .args(&self.flags)
            .args(["-x", self.language])
            .arg(&source)
            .arg("-o")
            .arg(to)
            .args(["-x", "none"])
            .args(self.libraries)
            .output();
        let _ = std::fs::remove_file(&source);
        let output = output.map_err(|e| format!("`{program}` cannot be run: {e}"))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).replace(&source.display().to_string(), "kernels");
        Err(format!("`{program}` cannot compile the kernels:\n{}", first_lines(&said, 40)))
    }
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
