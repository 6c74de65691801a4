//! FASTA and FASTQ: named sequences of letters, as ragged bytes.
//!
//! ```text
//! >chr1 a name            [][]u8                            ["ACGTAC", "TT"]
//! ACGT                    []{name: []u8, sequence: []u8}    fields among name, sequence, quality, in any order
//! AC                      []([]u8, []u8)                    name and sequence
//! >chr2                   [](…, …, …)                       name, sequence and quality (FASTQ)
//! TT                      file.fa:name                      one of them
//! ```
//!
//! A name is the whole line behind `>` or `@`. Sequences of FASTA files may have any number of lines; those of FASTQ files have one, and as many
//! letters in the line of qualities.
//!
//! Declines to look at the letters: any alphabet will do.

use crate::append::Builder;
use crate::column::Column;
use crate::encode::not_of_its_type;
use crate::error::DataError;
use crate::fit::row_of;
use crate::text::print::Printer;
use crate::text::{Input, finish};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

const NAMES: [&str; 3] = ["name", "sequence", "quality"];

fn is_text(surface: &Surface) -> bool {
    matches!(surface, Surface::Array(element) if **element == Surface::Scalar(ScalarType::U8))
}

/// Which of name, sequence and quality the parts of a row are; one without parts is itself.
pub(crate) fn places(row: &Surface, column: Option<&str>, with_quality: bool) -> Option<Vec<usize>> {
    let known = if with_quality { 3 } else { 2 };
    let place = |name: &str| NAMES[..known].iter().position(|known| *known == name);
    match (row, column) {
        (_, Some(column)) if is_text(row) => Some(vec![place(column)?]),
        (_, Some(_)) => None,
        _ if is_text(row) => Some(vec![1]),
        (Surface::Record { fields, .. }, _) if fields.iter().all(|(_, part)| is_text(part)) => {
            fields.iter().map(|(name, _)| place(name)).collect()
        }
        (Surface::Tuple(parts), _) if parts.iter().all(is_text) && (2..=known).contains(&parts.len()) => {
            Some((0..parts.len()).collect())
        }
        _ => None,
    }
}

struct Lines<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.iter().position(|b| *b == b'\n').unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or(&[]);
        Some(line.trim_ascii_end())
    }
}

/// Reads a file.
pub(crate) fn read(
    input: &mut Input,
    wanted: &Surface,
    column: Option<&str>,
    with_quality: bool,
) -> Result<Column, DataError> {
    let row = row_of(wanted);
    let places = places(row, column, with_quality).ok_or_else(|| misfit(input.name, wanted, column, with_quality))?;
    let mut rows = Builder::new(row);
    let mut lines = Lines { rest: input.bytes, line: 0 };
    let mut sequence = Vec::new();
    let mut count = 0;
    let damaged = |line: usize, what: &str| crate::error::damaged(input.name, format!("line {line}: {what}"));
    let mark = if with_quality { b'@' } else { b'>' };
    let mut head: Option<&[u8]> = None;
    loop {
        let name = match head.take() {
            Some(name) => name,
            None => match lines.next() {
                None => break,
                Some([]) => continue,
                Some([b';', ..]) if !with_quality => continue,
                Some([first, name @ ..]) if *first == mark => name,
                Some(_) => {
                    return Err(damaged(lines.line, &format!("`{}` and a name are expected", char::from(mark))));
                }
            },
        };
        let mut quality: &[u8] = &[];
        sequence.clear();
        if with_quality {
            let ends = |line: usize| damaged(line, "the file ends inside of a record");
            sequence.extend_from_slice(lines.next().ok_or_else(|| ends(lines.line))?);
            if lines.next().is_none_or(|line| line.first() != Some(&b'+')) {
                let what = "`+` is expected: a record has four lines, and its sequence one of them";
                return Err(damaged(lines.line, what));
            }
            // An empty last line may be the end of the file itself.
            quality = match lines.next() {
                Some(quality) => quality,
                None if sequence.is_empty() => &[],
                None => return Err(ends(lines.line)),
            };
            if quality.len() != sequence.len() {
                let what = format!("{} qualities for {} letters", quality.len(), sequence.len());
                return Err(damaged(lines.line, &what));
            }
        } else {
            while let Some(line) = lines.next() {
                match line {
                    [b'>', name @ ..] => {
                        head = Some(name);
                        break;
                    }
                    [b';', ..] => {}
                    letters => sequence.extend(letters.iter().filter(|b| !b.is_ascii_whitespace())),
                }
            }
        }
        let name = name.trim_ascii();
        let parts = [name, &sequence, quality];
        let builders = match &mut rows {
            Builder::Parts(builders) => builders.as_mut_slice(),
            one => std::slice::from_mut(one),
        };
        for (place, to) in places.iter().zip(builders) {
            input.budget.take(1 + parts[*place].len() as u64, input.name)?;
            to.put_text(parts[*place]);
        }
        count += 1;
        input.steps.reach((input.bytes.len() - lines.rest.len()) as u64);
    }
    finish(input.name, count, rows, wanted)
}

fn misfit(name: &str, wanted: &Surface, column: Option<&str>, with_quality: bool) -> DataError {
    let fields = if with_quality { "`name`, `sequence` and `quality`" } else { "`name` and `sequence`" };
    let code = if column.is_some() { "T0724" } else { "T0723" };
    DataError::new(code, format!("`{name}` holds sequences, and {wanted} is wanted"))
        .note(format!("its columns are {fields}, each [][]u8"))
        .hint("take the sequences as [][]u8, records with such fields, or tuples in this order")
}

/// Letters in a line of a sequence.
const LINE: usize = 80;

/// Writes the rows of a column.
pub(crate) fn write(
    to: &mut Printer,
    count: usize,
    rows: &Column,
    row: &Surface,
    with_quality: bool,
) -> Result<(), DataError> {
    let wrong = || not_of_its_type(row);
    let places = places(row, None, with_quality).ok_or_else(wrong)?;
    let columns = match rows {
        Column::Parts(parts) => parts.as_slice(),
        one => std::slice::from_ref(one),
    };
    for at in 0..count {
        let part = |place: usize| places.iter().position(|p| *p == place).map(|k| columns.get(k)?.text(at));
        let refuse = |what: &str| Err(DataError::new("T0741", format!("sequence {at} cannot be written: {what}")));
        let number = (at + 1).to_string();
        let name = part(0).unwrap_or(Some(number.as_bytes())).ok_or_else(wrong)?;
        let sequence = part(1).unwrap_or(Some(&[])).ok_or_else(wrong)?;
        if name.contains(&b'\n') || name.trim_ascii() != name {
            return refuse("its name has a line break in it, or blanks around it");
        }
        if sequence.iter().any(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b';')) {
            return refuse("it has blanks, `>` or `;` in it");
        }
        to.put(if with_quality { b"@" } else { b">" });
        to.put(name);
        to.put(b"\n");
        if with_quality {
            let quality = part(2).unwrap_or(Some(&[])).ok_or_else(wrong)?;
            if quality.len() != sequence.len() || quality.iter().any(u8::is_ascii_whitespace) {
                return refuse("it needs a quality, which is no blank, for each letter");
            }
            for piece in [sequence, b"\n+\n", quality, b"\n"] {
                to.put(piece);
            }
        } else {
            for line in sequence.chunks(LINE) {
                to.put(line);
                to.put(b"\n");
            }
        }
        to.rest()?;
    }
    Ok(())
}
