//! A file appears whole or not at all.
//!
//! The bytes go to a hidden file beside the target, which takes its name when everything is on the disk. A run that is interrupted,
//! or a disk that is full, leaves the older file of that name as it was.
//!
//! ```text
//! write out.parquet:  .out.parquet.4711-0.part … complete … renamed to out.parquet
//! ```
//!
//! Writers of other libraries wrap errors of the disk in their own; [`Output`] remembers the first one, so that a full disk is
//! called a full disk.

use crate::error::{DataError, unwritable};
use crate::progress::Steps;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where bytes go, and what went wrong with that.
pub(crate) struct Output<'a> {
    to: Box<dyn Write + Send + 'a>,
    failed: Option<io::Error>,
    written: u64,
    steps: Steps<'a>,
}

impl<'a> Output<'a> {
    pub(crate) fn new(to: impl Write + Send + 'a, name: &'a str) -> Self {
        Output { to: Box::new(to), failed: None, written: 0, steps: Steps::writing(name) }
    }

    fn remember<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|e| {
            let copy = io::Error::new(e.kind(), e.to_string());
            if e.kind() != io::ErrorKind::Interrupted {
                self.failed.get_or_insert(e);
            }
            copy
        })
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.to.write(bytes);
        self.written += *result.as_ref().unwrap_or(&0) as u64;
        self.steps.reach(self.written);
        self.remember(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.to.flush();
        self.remember(result)
    }
}

/// Whether the folder of a file exists.
pub(crate) fn check_folder(path: &Path) -> Result<(), DataError> {
    let name = path.display().to_string();
    if path.is_dir() {
        return Err(unwritable(&name, &io::ErrorKind::IsADirectory.into()));
    }
    match fs::metadata(folder(path)) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(unwritable(&name, &io::ErrorKind::NotADirectory.into())),
        Err(e) => Err(unwritable(&name, &e)),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The unfinished file, which vanishes unless it is moved to its place.
struct Unfinished {
    path: PathBuf,
    placed: bool,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.placed {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Keeps two writers of one process apart.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// Lets `produce` write a file and puts it in its place.
pub(crate) fn save(path: &Path, produce: impl FnOnce(&mut Output) -> Result<(), DataError>) -> Result<(), DataError> {
    let name = path.display().to_string();
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let stem = target.file_name().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let part = folder(&target).join(format!(".{stem}.{}-{count}.part", std::process::id()));
    let file = File::create(&part).map_err(|e| unwritable(&name, &e))?;
    let mut unfinished = Unfinished { path: part, placed: false };

    let mut output = Output::new(BufWriter::new(&file), &name);
    fill(&mut output, &name, produce)?;
    drop(output);
    file.sync_all().map_err(|e| unwritable(&name, &e))?;
    fs::rename(&unfinished.path, &target).map_err(|e| unwritable(&name, &e))?;
    unfinished.placed = true;
    Ok(())
}

fn fill(
    output: &mut Output,
    name: &str,
    produce: impl FnOnce(&mut Output) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let produced = produce(output);
    if produced.is_ok() {
        let _ = output.flush();
    }
    match &output.failed {
        Some(e) => Err(unwritable(name, e)),
        None => produced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_called_so_whatever_the_writer_says() {
        let mut output = Output::new(BufWriter::with_capacity(4, Full), "out.npy");
        let result = fill(&mut output, "out.npy", |out| {
            out.write_all(b"0123456789").map_err(|_| DataError::new("T0741", "the library says something else"))
        });
        let error = result.expect_err("the disk is full");
        assert_eq!((error.code, error.title.as_str()), ("T0740", "`out.npy` cannot be written: the disk is full"));
    }

    #[test]
    fn a_disk_that_is_full_only_at_the_end() {
        let mut output = Output::new(BufWriter::new(Full), "out.npy");
        let result = fill(&mut output, "out.npy", |out| out.write_all(b"0123").map_err(|e| unwritable("x", &e)));
        assert_eq!(result.map_err(|e| e.code), Err("T0740"));
    }
}
