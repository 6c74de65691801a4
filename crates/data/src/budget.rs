//! How many values may be made before the machine is out of memory.
//!
//! A file of a hundred bytes can claim, rightly or not, to hold a thousand million zeros. Whoever is about to make values asks
//! first, and a refusal is a message instead of the end of the process.
//!
//! ```text
//! shape (1152921504606846976, 0)   asks for 2^60 rows, each empty   refused
//! ```
//!
//! Declines to be exact: it counts values, not the bytes of the vectors around them.

use crate::error::DataError;
use terrace_plan::data::Data;

/// What is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    bytes: u64,
    /// What a value takes.
    each: u64,
    left: u64,
}

/// The widest number.
const IN_COLUMNS: u64 = 8;

const WITHOUT_KNOWLEDGE: u64 = 16 << 30;

impl Budget {
    /// Three quarters of the memory that is free now.
    pub(crate) fn of_this_machine() -> Budget {
        let free = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
        Budget::of_bytes(free.unwrap_or(WITHOUT_KNOWLEDGE) / 4 * 3)
    }

    pub(crate) fn of_bytes(bytes: u64) -> Budget {
        let each = size_of::<Data>() as u64;
        Budget { bytes, each, left: bytes / each }
    }

    /// The same for values that are kept as flat memory.
    pub(crate) fn in_columns(self) -> Budget {
        Budget { each: IN_COLUMNS, left: self.bytes / IN_COLUMNS, ..self }
    }

    /// Takes room for so many values.
    pub(crate) fn take(&mut self, values: u64, file: &str) -> Result<(), DataError> {
        match self.left.checked_sub(values) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.refuse(file)),
        }
    }

    /// Asks whether a buffer of so many bytes is within reason.
    pub(crate) fn allows_bytes(&self, bytes: u64, file: &str) -> Result<(), DataError> {
        if bytes <= self.bytes { Ok(()) } else { Err(self.refuse(file)) }
    }

    fn refuse(&self, file: &str) -> DataError {
        let values = self.bytes / self.each;
        DataError::new("T0727", format!("`{file}` holds more values than fit in memory"))
            .note(format!("there is room for about {values} of them on this machine"))
            .hint("read only one column with `file.parquet:column`, or split the file")
    }
}

fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:   12 kB\n"), Some(12 * 1024));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }

    #[test]
    fn taking() {
        let mut budget = Budget::of_bytes(10 * size_of::<Data>() as u64);
        assert_eq!(budget.take(10, "f"), Ok(()));
        assert_eq!(budget.take(1, "f").map_err(|e| e.code), Err("T0727"));
        assert_eq!(budget.take(u64::MAX, "f").map_err(|e| e.code), Err("T0727"));
        assert!(budget.allows_bytes(1, "f").is_ok() && budget.allows_bytes(u64::MAX, "f").is_err());
    }
}
