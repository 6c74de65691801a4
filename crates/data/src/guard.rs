//! A damaged file must not end the program, even where a library would panic over it.
//!
//! The decoders of Parquet and Arrow check what they read, and in corners that nobody tested they index out of bounds. Such a panic is
//! caught here and becomes the message of any damaged file. The process's panic hook would still print a trace for it, so a
//! hook that is silent for this thread while it decodes is put before the one that is there, once.
//!
//! ```text
//! thread 'main' panicked at …/levels.rs:120      error[T0722]: `m.parquet` is damaged, or not what its name says
//! ```
//!
//! Declines to catch what is not a panic: a failed allocation ends the process, so sizes are checked before (see `budget`).

use crate::error::{DataError, damaged};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs a decoder; its panic is a damaged file.
pub(crate) fn against_damage<T>(file: &str, decode: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |about| {
            if !DECODING.get() {
                before(about);
            }
        }));
    });
    let outer = DECODING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(outer);
    result.unwrap_or_else(|_| Err(damaged(file, "its parts contradict each other")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_damage() {
        let result: Result<(), _> = against_damage("f", || panic!("out of bounds"));
        assert_eq!(result.map_err(|e| e.code), Err("T0722"));
        assert_eq!(against_damage("f", || Ok(3)), Ok(3));
        assert!(!DECODING.get());
    }
}
