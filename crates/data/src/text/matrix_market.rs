//! Matrix Market: sparse matrices as lists of entries, dense ones column by column.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real symmetric
//! 3 3 2
//! 1 1 4.0                 [][](i32, f64)        [[(0, 4.0)], [(2, -1.0)], [(1, -1.0)]]
//! 3 2 -1.0                [](i32, i32, f64)     [(0, 0, 4.0), (2, 1, -1.0), (1, 2, -1.0)]
//! ```
//!
//! Rows and columns count from 1 in the file and from 0 in the program. A `pattern` has no values: `[][]i32`, `[](i32, i32)`. Of symmetric matrices the
//! other half is made: each entry is followed by its mirror image, negated where skew-symmetric, conjugated where hermitian. Entries keep
//! the order of the file within their rows. Complex values are two floats more. `array` files are `[][]f64`.
//!
//! Boisvert, Pozo and Remington, The Matrix Market exchange formats, 1996.
//!
//! Declines to make dense rows of a sparse matrix.

use crate::column::Column;
use crate::error::DataError;
use crate::fit::row_of;
use crate::text::Input;
use crate::text::number::{self, put_integer};
use terrace_base::ScalarType;
use terrace_plan::surface::Surface;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symmetry {
    General,
    Symmetric,
    Skew,
    Hermitian,
}

/// What the first line says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) dense: bool,
    /// Numbers per entry: none of a pattern, two of complex values.
    pub(crate) numbers: usize,
    /// Whether numbers are integers.
    pub(crate) integer: bool,
    pub(crate) symmetry: Symmetry,
}

/// What of the matrix is wanted.
enum Shape {
    /// Rows of entries: the type of columns, the types of numbers.
    Rows(ScalarType, Vec<ScalarType>),
    /// Entries with row and column.
    Entries(ScalarType, ScalarType, Vec<ScalarType>),
    /// Rows of numbers.
    Dense(Vec<ScalarType>),
}

/// Words of a line, one after the other.
struct Words<'i, 'a> {
    input: &'i mut Input<'a>,
    at: usize,
}

impl<'a> Words<'_, 'a> {
    /// Passes blanks; line breaks too, and comments, where a new line may begin.
    #[inline]
    fn skip(&mut self, over_lines: bool) {
        while let Some(b) = self.input.bytes.get(self.at) {
            match b {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' if over_lines => {
                    self.at += 1;
                    while self.input.bytes.get(self.at) == Some(&b'%') {
                        let rest = &self.input.bytes[self.at..];
                        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                        self.at += usize::from(self.at < self.input.bytes.len());
                    }
                }
                _ => break,
            }
        }
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.input.bytes.len()
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = &self.input.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    #[inline]
    fn number(&mut self, ty: ScalarType, to: &mut Vec<u8>) -> Result<(), DataError> {
        self.skip(false);
        let before = to.len();
        let rest = &self.input.bytes[self.at..];
        if let Some(length) = number::scan(ty, rest, to) {
            if rest.get(length).is_none_or(u8::is_ascii_whitespace) {
                self.at += length;
                return Ok(());
            }
            to.truncate(before);
        }
        let start = self.at;
        let word = self.word();
        if word.is_empty() {
            return Err(self.input.damaged_at(start, "a number is missing at the end of this line"));
        }
        number::parse(ty, word, to).map_err(|why| self.input.no_number(&self.input.place(start), word, ty, why))
    }

    /// A count or an index.
    #[inline]
    fn index(&mut self, scratch: &mut Vec<u8>) -> Result<u64, DataError> {
        scratch.clear();
        self.number(ScalarType::U64, scratch)?;
        Ok(scratch.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// An index from 1 to `most`, from 0.
    #[inline]
    fn place(&mut self, most: u64, what: &str, scratch: &mut Vec<u8>) -> Result<u64, DataError> {
        let start = self.at;
        match self.index(scratch)? {
            index @ 1.. if index <= most => Ok(index - 1),
            index => {
                let what = format!("{what} {index}, and the matrix has {most} of them, counted from 1");
                Err(self.input.damaged_at(start + 1, &what))
            }
        }
    }

    fn end_of_line(&mut self) -> Result<(), DataError> {
        self.skip(false);
        match self.input.bytes.get(self.at) {
            None | Some(b'\n') => Ok(()),
            Some(_) => Err(self.input.damaged_at(self.at, "more stands in this line than belongs there")),
        }
    }
}

/// The first line.
pub(crate) fn head(input: &Input) -> Result<Head, DataError> {
    let line = input.bytes.split(|b| *b == b'\n').next().unwrap_or(&[]);
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let wrong = |what: &str| input.damaged_at(0, what);
    let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
        return Err(wrong("`%%MatrixMarket matrix` and three words are expected in the first line"));
    };
    if object != "matrix" {
        return Err(wrong(&format!("`{object}` is not known; a matrix is expected")));
    }
    let dense = match format {
        "array" => true,
        "coordinate" => false,
        _ => return Err(wrong(&format!("`{format}` is neither `coordinate` nor `array`"))),
    };
    let numbers = match field {
        "real" | "double" | "integer" | "unsigned-integer" => 1,
        "complex" => 2,
        "pattern" if !dense => 0,
        _ => return Err(wrong(&format!("values of the kind `{field}` are not known here"))),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if numbers > 0 => Symmetry::Skew,
        "hermitian" if numbers == 2 => Symmetry::Hermitian,
        _ => return Err(wrong(&format!("a matrix of the kind `{symmetry}` is not known here"))),
    };
    Ok(Head { dense, numbers, integer: field.ends_with("integer"), symmetry })
}

fn scalars(parts: &[Surface]) -> Option<Vec<ScalarType>> {
    let scalar = |part: &Surface| match part {
        Surface::Scalar(ty) if ty.is_number() => Some(*ty),
        _ => None,
    };
    parts.iter().map(scalar).collect()
}

/// What a type asks for; none if no matrix is of it.
fn shape(wanted: &Surface, numbers: usize, dense: bool) -> Option<Shape> {
    let Surface::Array(outer) = wanted else { return None };
    let (row, in_rows) = match &**outer {
        Surface::Array(element) => (&**element, true),
        other => (other, false),
    };
    let parts = match row {
        Surface::Scalar(_) => scalars(std::slice::from_ref(row))?,
        Surface::Tuple(parts) => scalars(parts)?,
        Surface::Record { fields, .. } => scalars(&fields.iter().map(|(_, part)| part.clone()).collect::<Vec<_>>())?,
        _ => return None,
    };
    match (&parts[..], in_rows) {
        (all, true) if dense && all.len() == numbers => Some(Shape::Dense(parts)),
        ([column, rest @ ..], true) if !dense && column.is_int() && rest.len() == numbers => {
            Some(Shape::Rows(*column, rest.to_vec()))
        }
        ([row, column, rest @ ..], false) if !dense && row.is_int() && column.is_int() && rest.len() == numbers => {
            Some(Shape::Entries(*row, *column, rest.to_vec()))
        }
        _ => None,
    }
}

fn misfit(input: &Input, head: &Head, wanted: &Surface) -> DataError {
    let number = if head.integer { "i64" } else { "f64" };
    let (what, as_) = match (head.dense, head.numbers) {
        (true, 2) => ("a dense matrix of complex numbers", "[][](f64, f64)".to_string()),
        (true, _) => ("a dense matrix", format!("[][]{number}")),
        (false, 0) => ("the pattern of a sparse matrix", "[][]i32 or [](i32, i32)".to_string()),
        (false, 2) => {
            ("a sparse matrix of complex numbers", "[][](i32, f64, f64) or [](i32, i32, f64, f64)".to_string())
        }
        (false, _) => ("a sparse matrix", format!("[][](i32, {number}) or [](i32, i32, {number})")),
    };
    DataError::new("T0723", format!("`{}` holds {what}, and {wanted} is wanted", input.name))
        .hint(format!("it is read as {as_}; other integers and floats will do as well"))
}

/// Reads a file.
pub(crate) fn read(input: &mut Input, wanted: &Surface) -> Result<Column, DataError> {
    let head = head(input)?;
    let shape = shape(wanted, head.numbers, head.dense).ok_or_else(|| misfit(input, &head, wanted))?;
    let (Shape::Rows(_, numbers) | Shape::Entries(_, _, numbers) | Shape::Dense(numbers)) = &shape;
    if matches!(head.symmetry, Symmetry::Skew | Symmetry::Hermitian) && !numbers.iter().all(|ty| ty.is_signed()) {
        return Err(DataError::new("T0723", format!("`{}` has negated entries, and {wanted} is wanted", input.name))
            .hint("take numbers with a sign"));
    }
    let start = input.bytes.iter().position(|b| *b == b'\n').unwrap_or(input.bytes.len());
    let mut words = Words { input, at: start };
    words.skip(true);
    let scratch = &mut Vec::new();
    let (rows, columns) = (words.index(scratch)?, words.index(scratch)?);
    let square = head.symmetry == Symmetry::General || rows == columns;
    if !square {
        return Err(words.input.damaged_at(words.at, "a symmetric matrix has as many rows as columns"));
    }
    match shape {
        Shape::Dense(types) => {
            words.end_of_line()?;
            dense(&mut words, &head, wanted, [rows, columns], &types)
        }
        _ => {
            let count = words.index(scratch)?;
            words.end_of_line()?;
            // An entry takes two digits, a blank and a line break at least.
            let left = (words.input.bytes.len() - words.at) as u64;
            if count > left / 3 {
                let what = format!("{count} entries are announced, and {left} bytes are left");
                return Err(words.input.damaged_at(words.at, &what));
            }
            sparse(&mut words, &head, wanted, [rows, columns, count], &shape)
        }
    }
}

/// The negative of the number that lies last.
fn negate_last(ty: ScalarType, bytes: &mut [u8]) {
    let at = bytes.len() - ty.size_bytes();
    let last = &mut bytes[at..];
    if ty.is_float() {
        if let Some(sign) = last.last_mut() {
            *sign ^= 0x80;
        }
        return;
    }
    let mut carry = true;
    for byte in last {
        let (sum, over) = (!*byte).overflowing_add(u8::from(carry));
        (*byte, carry) = (sum, over);
    }
}

/// The mirror image of the entry that was appended last to columns of numbers.
fn mirror(symmetry: Symmetry, types: &[ScalarType], values: &mut [Vec<u8>]) {
    for (k, (ty, bytes)) in types.iter().zip(values).enumerate() {
        let start = bytes.len() - ty.size_bytes();
        bytes.extend_from_within(start..);
        let negated = match symmetry {
            Symmetry::Skew => true,
            Symmetry::Hermitian => k == 1,
            _ => false,
        };
        if negated {
            negate_last(*ty, bytes);
        }
    }
}

fn sparse(
    words: &mut Words,
    head: &Head,
    wanted: &Surface,
    [rows, columns, count]: [u64; 3],
    shape: &Shape,
) -> Result<Column, DataError> {
    let (row_type, column_type, types) = match shape {
        Shape::Rows(column, types) => (ScalarType::I64, *column, types),
        Shape::Entries(row, column, types) => (*row, *column, types),
        Shape::Dense(_) => return Err(words.input.damaged_at(0, "it is not dense")),
    };
    for (ty, length) in [(row_type, rows), (column_type, columns)] {
        if length > 0 && put_integer(ty, i128::from(length) - 1, &mut Vec::new()).is_err() {
            let title = format!("`{}` has {length} rows or columns, out of the range of {ty}", words.input.name);
            return Err(DataError::new("T0730", title).hint("declare the parameter with a wider type"));
        }
    }
    let (mut at_row, mut at_column): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    let mut values: Vec<Vec<u8>> = vec![Vec::new(); types.len()];
    let scratch = &mut Vec::new();
    for _ in 0..count {
        words.skip(true);
        if words.is_at_end() {
            let what = format!("it ends after {} of {count} entries", at_row.len());
            return Err(words.input.damaged_at(words.at, &what));
        }
        let row = words.place(rows, "row", scratch)?;
        let column = words.place(columns, "column", scratch)?;
        for (ty, bytes) in types.iter().zip(&mut values) {
            words.number(*ty, bytes)?;
        }
        words.end_of_line()?;
        words.input.take(2 + types.len())?;
        at_row.push(row);
        at_column.push(column);
        if head.symmetry != Symmetry::General && row != column {
            words.input.take(2 + types.len())?;
            mirror(head.symmetry, types, &mut values);
            at_row.push(column);
            at_column.push(row);
        }
        words.input.steps.reach(words.at as u64);
    }
    words.skip(true);
    if !words.is_at_end() {
        return Err(words.input.damaged_at(words.at, "more entries than the file announces"));
    }
    let index = |ty: ScalarType, all: &mut dyn Iterator<Item = u64>| {
        let mut bytes = Vec::new();
        for index in all {
            let _ = put_integer(ty, i128::from(index), &mut bytes);
        }
        bytes
    };
    match shape {
        Shape::Entries(..) => {
            let mut parts =
                vec![index(row_type, &mut at_row.iter().copied()), index(column_type, &mut at_column.iter().copied())];
            parts.extend(values);
            let types = [row_type, column_type].into_iter().chain(types.iter().copied());
            Ok(Column::Equal(at_row.len(), Box::new(joined(types, parts))))
        }
        _ => {
            // Where rows begin is held twice while entries are put in order.
            words.input.take(usize::try_from(rows.saturating_mul(2)).unwrap_or(usize::MAX))?;
            let (offsets, order) = by_rows(&at_row, rows as usize);
            let mut parts = vec![index(column_type, &mut order.iter().map(|k| at_column[*k]))];
            for (ty, bytes) in types.iter().zip(&values) {
                let width = ty.size_bytes();
                parts.push(order.iter().flat_map(|k| bytes[k * width..][..width].iter().copied()).collect());
            }
            let types = std::iter::once(column_type).chain(types.iter().copied());
            let inner = joined(types, parts);
            let inner = alone(inner, wanted);
            Ok(Column::Equal(rows as usize, Box::new(Column::Rows(offsets.into(), Box::new(inner)))))
        }
    }
}

/// A number by itself is no tuple.
fn alone(inner: Column, wanted: &Surface) -> Column {
    let is_number = |row: &Surface| matches!(row, Surface::Array(element) if matches!(**element, Surface::Scalar(_)));
    match inner {
        Column::Parts(mut parts) if is_number(row_of(wanted)) && parts.len() == 1 => parts.remove(0),
        inner => inner,
    }
}

fn joined(types: impl Iterator<Item = ScalarType>, parts: Vec<Vec<u8>>) -> Column {
    Column::Parts(types.zip(parts).map(|(ty, bytes)| Column::Numbers(ty, bytes.into())).collect())
}

/// Where rows begin, and the entries in the order of their rows (counting sort).
fn by_rows(rows: &[u64], count: usize) -> (Vec<i64>, Vec<usize>) {
    let mut offsets = vec![0i64; count + 1];
    for row in rows {
        offsets[*row as usize + 1] += 1;
    }
    for k in 0..count {
        offsets[k + 1] += offsets[k];
    }
    let mut next = offsets.clone();
    let mut order = vec![0; rows.len()];
    for (entry, row) in rows.iter().enumerate() {
        let place = &mut next[*row as usize];
        order[*place as usize] = entry;
        *place += 1;
    }
    (offsets, order)
}

fn dense(
    words: &mut Words,
    head: &Head,
    wanted: &Surface,
    [rows, columns]: [u64; 2],
    types: &[ScalarType],
) -> Result<Column, DataError> {
    let too_large =
        || DataError::new("T0722", format!("`{}` announces {rows} times {columns} values", words.input.name));
    let left = (words.input.bytes.len() - words.at) as u64;
    let given = match head.symmetry {
        Symmetry::General => rows.checked_mul(columns),
        Symmetry::Skew => rows.checked_mul(rows.saturating_sub(1)).map(|n| n / 2),
        _ => rows.checked_add(1).and_then(|n| rows.checked_mul(n)).map(|n| n / 2),
    };
    if given.is_none_or(|given| given > left) {
        return Err(too_large().note(format!("{left} bytes are left in the file")));
    }
    let cells = rows.checked_mul(columns).ok_or_else(too_large)?;
    words.input.take(usize::try_from(cells.saturating_mul(types.len() as u64)).unwrap_or(usize::MAX))?;
    words.input.take(usize::try_from(rows).unwrap_or(usize::MAX))?;
    let (rows, columns) = (rows as usize, columns as usize);
    let mut values: Vec<Vec<u8>> = types.iter().map(|ty| vec![0; rows * columns * ty.size_bytes()]).collect();
    let mut put = |k: usize, ty: ScalarType, row: usize, column: usize, bytes: &[u8]| {
        let at = (row * columns + column) * ty.size_bytes();
        values[k][at..at + ty.size_bytes()].copy_from_slice(bytes);
    };
    let mut scratch = Vec::new();
    for column in 0..columns {
        let first = match head.symmetry {
            Symmetry::General => 0,
            Symmetry::Skew => column + 1,
            _ => column,
        };
        for row in first..rows {
            words.skip(true);
            if words.is_at_end() {
                return Err(words.input.damaged_at(words.at, "it ends before all values are there"));
            }
            for (k, ty) in types.iter().enumerate() {
                scratch.clear();
                words.number(*ty, &mut scratch)?;
                put(k, *ty, row, column, &scratch);
                if head.symmetry != Symmetry::General && row != column {
                    if head.symmetry == Symmetry::Skew || (head.symmetry == Symmetry::Hermitian && k == 1) {
                        negate_last(*ty, &mut scratch);
                    }
                    put(k, *ty, column, row, &scratch);
                }
            }
            words.end_of_line()?;
            words.input.steps.reach(words.at as u64);
        }
    }
    words.skip(true);
    if !words.is_at_end() {
        return Err(words.input.damaged_at(words.at, "more values than the file announces"));
    }
    let inner = alone(joined(types.iter().copied(), values), wanted);
    Ok(Column::Equal(rows, Box::new(Column::Equal(columns, Box::new(inner)))))
}
