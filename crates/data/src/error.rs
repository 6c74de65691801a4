//! What went wrong with a data file, as data.
//!
//! ```text
//! error[T0724]: `people.parquet` has no column `hight`
//!  = note: its columns are `name`, `height` and `weight`
//!  = hint: did you mean `height`?
//! ```
//!
//! There is no place in a source text to show, so the title always names the file. Only [`terrace_base::render`] makes text of it.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use terrace_base::Diagnostic;

/// A message about a data file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// The stable code.
    pub code: &'static str,
    /// One line that says what is wrong.
    pub title: String,
    /// Further facts.
    pub notes: Vec<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl DataError {
    pub(crate) fn new(code: &'static str, title: impl Into<String>) -> Self {
        DataError { code, title: title.into(), notes: Vec::new(), hint: None }
    }

    #[must_use]
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// The same message for the one renderer of messages.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let start = Diagnostic::error(self.code, self.title.clone());
        let noted = self.notes.iter().fold(start, |message, note| message.note(note.clone()));
        match &self.hint {
            Some(hint) => noted.hint(hint.clone()),
            None => noted,
        }
    }
}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.title)?;
        for note in &self.notes {
            write!(f, "; {note}")?;
        }
        match &self.hint {
            Some(hint) => write!(f, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DataError {}

/// A file that is not what its ending says, or not whole.
pub(crate) fn damaged(file: &str, what: impl Into<String>) -> DataError {
    DataError::new("T0722", format!("`{file}` is damaged, or not what its name says"))
        .note(what)
        .hint("copy or download it again, or write it again with the program that made it")
}

/// Opens a file for reading.
pub(crate) fn open(path: &Path) -> Result<File, DataError> {
    let opened = File::open(path).and_then(|file| file.metadata().map(|about| (file, about)));
    match opened {
        Ok((_, about)) if about.is_dir() => {
            Err(DataError::new("T0720", format!("`{}` is a folder, and a file is wanted", path.display()))
                .hint("a table split over many files must be joined first"))
        }
        Ok((file, _)) => Ok(file),
        Err(e) => Err(unreadable(&path.display().to_string(), &e)),
    }
}

/// A file that cannot be opened or read from.
pub(crate) fn unreadable(file: &str, e: &std::io::Error) -> DataError {
    match e.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => DataError::new("T0720", format!("there is no file `{file}`"))
            .hint("paths are relative to the folder in which the command is run"),
        ErrorKind::PermissionDenied => DataError::new("T0720", format!("`{file}` may not be read"))
            .hint("its owner can allow it, with `chmod +r` on most systems"),
        ErrorKind::UnexpectedEof => damaged(file, "it ends too early"),
        _ => DataError::new("T0720", format!("`{file}` cannot be read: {e}")),
    }
}

/// A file that cannot be written.
pub(crate) fn unwritable(file: &str, e: &std::io::Error) -> DataError {
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            DataError::new("T0740", format!("`{file}` cannot be written: the disk is full"))
                .note("no part of it was left behind")
                .hint("make room, or write to another disk")
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            DataError::new("T0740", format!("`{file}` cannot be written: its folder does not exist"))
                .hint("make the folder first")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            DataError::new("T0740", format!("`{file}` cannot be written: no permission for this folder"))
                .hint("write to a folder of your own")
        }
        ErrorKind::IsADirectory => {
            DataError::new("T0740", format!("`{file}` cannot be written: a folder has this name"))
        }
        _ => DataError::new("T0740", format!("`{file}` cannot be written: {e}")),
    }
}

/// `a`, `a and b`, `a, b and c`; long lists are cut.
pub(crate) fn list(words: &[String]) -> String {
    const SHOWN: usize = 24;
    match words {
        [] => "none".into(),
        [one] => one.clone(),
        _ if words.len() > SHOWN => format!("{} and {} more", words[..SHOWN].join(", "), words.len() - SHOWN),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}
