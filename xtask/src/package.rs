//! `cargo xtask package [--check] [--debug]`: one archive from which Terrace is installed without a network.
//!
//! ```text
//! target/package/terrace-0.1.0.tar.gz
//!   terrace-0.1.0/            the files of the repository
//!     vendor/                 the crates that Cargo.lock names
//!     .cargo/config.toml      says that they are there
//!     INSTALL                 the line to type
//! ```
//!
//! `--check` does what a stranger would: unpacks the archive into an empty folder, installs from it with an empty `CARGO_HOME` and offline, and runs
//! the installed program from a third folder on a program that imports the standard library, so nothing of this repository is in sight. With
//! `--debug` the installed program is not optimised, which takes a fraction of the time.

use crate::{cargo, root, run, target};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const INSTALL: &str = "Terrace, with everything that building it needs but Rust and a C compiler.

    cargo install --offline --locked --path crates/cli

in this folder builds the command `terrace` and puts it where Cargo puts programs; `--root DIR` puts it into DIR/bin.
Then, for the shell and for man:

    terrace completions bash > ~/.local/share/bash-completion/completions/terrace
    terrace man > ~/.local/share/man/man1/terrace.1

README.md says what Terrace is, docs/reference/README.md how it is used.
";

/// A program that needs the embedded library, and what it must give.
const PROGRAM: &str = "import \"std/stats\" as stats

entry middle(xs: []f64) -> f64 = stats.median(xs)
";

pub(crate) fn package(args: &[String]) -> ExitCode {
    let has = |word: &str| args.iter().any(|a| a == word);
    if let Some(other) = args.iter().find(|a| !["--check", "--debug"].contains(&a.as_str())) {
        eprintln!("`{other}` is not one of --check, --debug");
        return ExitCode::from(2);
    }
    let done = make().and_then(|archive| {
        println!("{}", archive.display());
        if has("--check") { check(&archive, has("--debug")) } else { Ok(()) }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(1)
        }
    }
}

fn make() -> Result<PathBuf, String> {
    let name = format!("terrace-{}", env!("CARGO_PKG_VERSION"));
    let home = target().join("package");
    let stage = home.join(&name);
    let failed = |what: &Path, why: std::io::Error| format!("{}: {why}", what.display());
    let _ = std::fs::remove_dir_all(&stage);
    for file in files()? {
        let (from, to) = (root().join(&file), stage.join(&file));
        // What was removed and not yet said so is no part of it.
        if !from.is_file() {
            continue;
        }
        let folder = to.parent().unwrap_or(&stage);
        std::fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
        std::fs::copy(&from, &to).map_err(|why| failed(&from, why))?;
    }
    let vendor = cargo()
        .current_dir(&stage)
        .args(["vendor", "--quiet", "--locked", "--versioned-dirs", "vendor"])
        .output()
        .map_err(|why| format!("cargo vendor: {why}"))?;
    if !vendor.status.success() {
        return Err(format!("cargo vendor: {}", String::from_utf8_lossy(&vendor.stderr).trim()));
    }
    let config = stage.join(".cargo/config.toml");
    let kept = std::fs::read_to_string(&config).unwrap_or_default();
    let told = "[source.crates-io]\nreplace-with = \"vendored-sources\"\n\n[source.vendored-sources]\ndirectory = \"vendor\"\n";
    std::fs::write(&config, format!("{kept}\n{told}")).map_err(|why| failed(&config, why))?;
    std::fs::write(stage.join("INSTALL"), INSTALL).map_err(|why| failed(&stage, why))?;
    let archive = home.join(format!("{name}.tar.gz"));
    // The same files give the same archive, whoever packs them.
    let plain = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"];
    run(Command::new("tar").args(plain).arg("-C").arg(&home).arg("-czf").arg(&archive).arg(&name))?;
    let _ = std::fs::remove_dir_all(&stage);
    Ok(archive)
}

/// The files of the repository, from its root.
fn files() -> Result<Vec<PathBuf>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(list).current_dir(root()).output().map_err(|why| format!("git: {why}"))?;
    if !output.status.success() {
        return Err(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

fn check(archive: &Path, debug: bool) -> Result<(), String> {
    let place = std::env::temp_dir().join(format!("terrace-package-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    let done = check_in(archive, &place, debug);
    let _ = std::fs::remove_dir_all(&place);
    done
}

fn check_in(archive: &Path, place: &Path, debug: bool) -> Result<(), String> {
    let (sources, home, installed, elsewhere) =
        (place.join("sources"), place.join("home"), place.join("installed"), place.join("elsewhere"));
    for folder in [&sources, &home, &installed, &elsewhere] {
        std::fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
    }
    run(Command::new("tar").arg("-C").arg(&sources).arg("-xzf").arg(archive).arg("--strip-components=1"))?;
    let mut install = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    install.current_dir(&sources).env("CARGO_HOME", &home).env_remove("CARGO_TARGET_DIR");
    install.args(["install", "--offline", "--locked", "--path", "crates/cli", "--root"]).arg(&installed);
    if debug {
        install.arg("--debug");
    }
    run(&mut install)?;
    // Nothing may be read from where it was built.
    std::fs::remove_dir_all(&sources).map_err(|why| format!("{}: {why}", sources.display()))?;
    let program = elsewhere.join("middle.tce");
    std::fs::write(&program, PROGRAM).map_err(|why| format!("{}: {why}", program.display()))?;
    let terrace = installed.join("bin/terrace");
    for (args, wanted) in [
        (vec!["--version"], format!("terrace {}\n", env!("CARGO_PKG_VERSION"))),
        (vec!["run", "middle.tce", "[3.0, 1.0, 2.0]"], "2.0\n".to_string()),
        (vec!["run", "middle.tce", "[3.0, 1.0, 2.0]", "--backend", "interp"], "2.0\n".to_string()),
    ] {
        let mut command = Command::new(&terrace);
        command.args(&args).current_dir(&elsewhere).env("TERRACE_CACHE", place.join("cache"));
        let output = command.output().map_err(|why| format!("{}: {why}", terrace.display()))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        if said != wanted {
            return Err(format!("the installed `terrace {}` says {said:?} and {errors:?}", args.join(" ")));
        }
        println!("installed: terrace {} gives {}", args.join(" "), said.trim());
    }
    Ok(())
}
