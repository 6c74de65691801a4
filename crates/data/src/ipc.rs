//! Arrow's own format, as a file with a table of contents at its end or as a stream.
//!
//! ```text
//! file     "ARROW1" pad, messages …, footer: where each message is, length of footer, "ARROW1"
//! stream   messages …, end mark
//! message  ff ff ff ff, length of head, head, body
//! ```
//!
//! Both are the same messages; the first bytes tell which it is, the name does not. Lengths are taken from the file only after a look at how
//! long the file is, and compressed buffers say how large they will be, which is asked of the budget before they are unpacked.
//!
//! The buffers of a mapped file are slices of it.
//!
//! Declines to read the first version of feather, which is another format of the same name.

use crate::budget::Budget;
use crate::column::Value;
use crate::encode::Table;
use crate::error::{DataError, damaged, unreadable};
use crate::fit::select;
use crate::gather::{Form, Gather};
use crate::opened::Opened;
use crate::progress::Steps;
use crate::save::Output;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, CompressionType, MessageHeader, RecordBatch as Head, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use terrace_plan::surface::Surface;

const MAGIC: &[u8; 6] = b"ARROW1";
const CONTINUES: [u8; 4] = [0xff; 4];
/// What marked compressed messages before the format had a place for it.
const PREVIEW: &str = "ARROW:experimental_compression";

struct Source<'a> {
    file: BufReader<File>,
    length: u64,
    mapped: Option<Buffer>,
    name: &'a str,
    budget: Budget,
}

pub(crate) fn read(
    opened: Opened,
    name: &str,
    wanted: &Surface,
    column: Option<&str>,
    budget: Budget,
    form: Form,
) -> Result<Value, DataError> {
    let mut source = Source::new(opened, name, budget);
    let start = source.bytes(0, source.length.min(8))?;
    if start.starts_with(MAGIC) {
        return source.file_format(wanted, column, form);
    }
    match start.get(..4) {
        Some(b"PAR1") => Err(damaged(name, "it is a Parquet file").hint("rename it to end in `.parquet`")),
        Some(b"\x93NUM") => Err(damaged(name, "it is a numpy file").hint("rename it to end in `.npy`")),
        Some(b"FEA1") => {
            Err(DataError::new("T0726", format!("`{name}` is in the first version of feather, long obsolete"))
                .hint("write it again with a newer pyarrow"))
        }
        _ => source.stream_format(wanted, column, form),
    }
}

/// The columns of a file and their types.
pub(crate) fn schema(file: File, name: &str, budget: Budget) -> Result<SchemaRef, DataError> {
    let opened = Opened::new(file, None).map_err(|e| unreadable(name, &e))?;
    Source::new(opened, name, budget).schema()
}

impl<'a> Source<'a> {
    fn new(opened: Opened, name: &'a str, budget: Budget) -> Source<'a> {
        let Opened { file, length, mapped } = opened;
        Source { file: BufReader::new(file), length, mapped, name, budget }
    }

    /// So many bytes from a place, if the file has them.
    fn bytes(&mut self, at: u64, count: u64) -> Result<Vec<u8>, DataError> {
        if at.checked_add(count).is_none_or(|end| end > self.length) {
            return Err(damaged(self.name, "it ends too early"));
        }
        self.budget.allows_bytes(count, self.name)?;
        let mut bytes = vec![0; usize::try_from(count).map_err(|_| damaged(self.name, "it is too large"))?];
        let found = self.file.seek(SeekFrom::Start(at)).and_then(|_| self.file.read_exact(&mut bytes));
        found.map_err(|e| unreadable(self.name, &e))?;
        Ok(bytes)
    }

    fn says(&self, e: &ArrowError) -> DataError {
        damaged(self.name, format!("the decoder says: {e}"))
    }

    /// The table of contents.
    fn footer(&mut self) -> Result<Vec<u8>, DataError> {
        let name = self.name;
        let early = || damaged(name, "its table of contents is missing: it was not written to its end");
        let tail = self.bytes(self.length.checked_sub(10).ok_or_else(early)?, 10)?;
        let (size, magic) = tail.split_at(4);
        let size = i32::from_le_bytes([size[0], size[1], size[2], size[3]]);
        let size = u64::try_from(size).map_err(|_| early())?;
        if magic != MAGIC {
            return Err(early());
        }
        self.bytes((self.length - 10).checked_sub(size).ok_or_else(early)?, size)
    }

    /// The columns and their types.
    fn schema(&mut self) -> Result<SchemaRef, DataError> {
        let name = self.name;
        let start = self.bytes(0, self.length.min(8))?;
        let wrong = |what: String| damaged(name, format!("it states no types: {what}"));
        let schema = if start.starts_with(MAGIC) {
            let bytes = self.footer()?;
            let footer = root_as_footer(&bytes).map_err(|e| wrong(e.to_string()))?;
            try_fb_to_schema(footer.schema().ok_or_else(|| wrong("none".into()))?)
        } else {
            let Some((first, _)) = self.message(&mut 0)? else { return Err(damaged(name, "it holds nothing")) };
            let head = root_as_message(head_of(&first)).map_err(|e| wrong(e.to_string()))?;
            try_fb_to_schema(head.header_as_schema().ok_or_else(|| wrong("none".into()))?)
        };
        schema.map(Arc::new).map_err(|e| self.says(&e))
    }

    fn file_format(&mut self, wanted: &Surface, column: Option<&str>, form: Form) -> Result<Value, DataError> {
        let name = self.name;
        let bytes = self.footer()?;
        let footer =
            root_as_footer(&bytes).map_err(|e| damaged(name, format!("its table of contents is wrong: {e}")))?;
        let schema = footer.schema().ok_or_else(|| damaged(name, "it states no types"))?;
        let schema = Arc::new(try_fb_to_schema(schema).map_err(|e| self.says(&e))?);
        let selection = select(&schema, wanted, column, name)?;
        let columns = selection.columns();

        let mut decoder = FileDecoder::new(schema.clone(), footer.version()).with_projection(columns.clone());
        for block in footer.dictionaries().iter().flatten() {
            let message = self.block(block)?;
            decoder.read_dictionary(block, &message).map_err(|e| self.says(&e))?;
        }
        let mut gather = Gather::new(name, &schema, wanted, &selection, columns, self.budget, form);
        gather.mapped = self.mapped.is_some();
        let mut steps = Steps::reading(name, self.length);
        for block in footer.recordBatches().iter().flatten() {
            let message = self.block(block)?;
            steps.reach(u64::try_from(block.offset()).unwrap_or(0));
            if let Some(batch) = decoder.read_record_batch(block, &message).map_err(|e| self.says(&e))? {
                gather.push(&batch)?;
            }
        }
        gather.finish()
    }

    /// A message that the footer points to.
    fn block(&mut self, block: &Block) -> Result<Buffer, DataError> {
        let wrong = || damaged(self.name, "its table of contents is wrong");
        let at = u64::try_from(block.offset()).map_err(|_| wrong())?;
        let head = usize::try_from(block.metaDataLength()).map_err(|_| wrong())?;
        let body = u64::try_from(block.bodyLength()).map_err(|_| wrong())?;
        let whole = body.checked_add(head as u64).ok_or_else(wrong)?;
        let bytes = self.buffer(at, whole)?;
        let start = if bytes.starts_with(&CONTINUES) { 8 } else { 4 };
        let text = bytes.get(start..head).ok_or_else(|| damaged(self.name, "its table of contents is wrong"))?;
        self.check_message(text, &bytes[head..])?;
        Ok(bytes)
    }

    /// So many bytes from a place: those of the file itself, where it is mapped.
    fn buffer(&mut self, at: u64, count: u64) -> Result<Buffer, DataError> {
        let place = usize::try_from(at).ok().zip(usize::try_from(count).ok());
        match (&self.mapped, place) {
            (Some(file), Some((at, count))) if at.checked_add(count).is_some_and(|end| end <= file.len()) => {
                Ok(file.slice_with_length(at, count))
            }
            _ => self.bytes(at, count).map(Buffer::from_vec),
        }
    }

    /// Asks the budget about every compressed buffer of a message.
    fn check_message(&self, head: &[u8], body: &[u8]) -> Result<(), DataError> {
        let message =
            root_as_message(head).map_err(|e| damaged(self.name, format!("a message in it is wrong: {e}")))?;
        // The numbers would be read as they stand, compressed.
        if message.custom_metadata().iter().flatten().any(|pair| pair.key() == Some(PREVIEW)) {
            let title = format!("`{}` is compressed as only a preview in Arrow 0.17 did it", self.name);
            return Err(DataError::new("T0726", title).hint("write it again with a newer pyarrow"));
        }
        match message.header_type() {
            MessageHeader::RecordBatch => self.check_batch(message.header_as_record_batch(), body),
            MessageHeader::DictionaryBatch => {
                self.check_batch(message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data()), body)
            }
            _ => Ok(()),
        }
    }

    fn check_batch(&self, head: Option<Head>, body: &[u8]) -> Result<(), DataError> {
        let Some(head) = head else { return Ok(()) };
        let (Some(compression), Some(buffers)) = (head.compression(), head.buffers()) else { return Ok(()) };
        // A block of zstd has 128 KiB at most and takes 4 bytes at least; a byte of lz4 stands for 255 at most.
        let factor = if compression.codec() == CompressionType::ZSTD { 1 << 15 } else { 255 };
        let mut total: u64 = 0;
        for buffer in buffers {
            let prefix = usize::try_from(buffer.offset()).ok().and_then(|at| body.get(at..)?.first_chunk::<8>());
            // An empty buffer has no prefix; -1 says that it is not compressed.
            let size = prefix
                .filter(|_| buffer.length() > 0)
                .and_then(|prefix| u64::try_from(i64::from_le_bytes(*prefix)).ok());
            let size = size.unwrap_or(0);
            if size > u64::try_from(buffer.length()).unwrap_or(0).saturating_mul(factor) {
                return Err(damaged(self.name, "it says of compressed data that they are larger than they can be"));
            }
            total = total.saturating_add(size);
            self.budget.allows_bytes(total, self.name)?;
        }
        Ok(())
    }

    fn stream_format(&mut self, wanted: &Surface, column: Option<&str>, form: Form) -> Result<Value, DataError> {
        let name = self.name;
        let mut at = 0;
        let Some((first, _)) = self.message(&mut at)? else { return Err(damaged(name, "it holds nothing")) };
        let head =
            root_as_message(head_of(&first)).map_err(|e| damaged(name, format!("its first message is wrong: {e}")))?;
        let schema = head.header_as_schema().ok_or_else(|| damaged(name, "it does not begin like an Arrow file"))?;
        let schema = Arc::new(try_fb_to_schema(schema).map_err(|e| self.says(&e))?);
        let selection = select(&schema, wanted, column, name)?;
        let columns = selection.columns();

        let mut decoder = FileDecoder::new(schema.clone(), head.version()).with_projection(columns.clone());
        let mut gather = Gather::new(name, &schema, wanted, &selection, columns, self.budget, form);
        gather.mapped = self.mapped.is_some();
        let mut steps = Steps::reading(name, self.length);
        while let Some((message, block)) = self.message(&mut at)? {
            steps.reach(at);
            let kind = root_as_message(head_of(&message)).map(|head| head.header_type());
            if kind == Ok(MessageHeader::DictionaryBatch) {
                decoder.read_dictionary(&block, &message).map_err(|e| self.says(&e))?;
            } else if let Some(batch) = decoder.read_record_batch(&block, &message).map_err(|e| self.says(&e))? {
                gather.push(&batch)?;
            }
        }
        gather.finish()
    }

    /// The message at a place, which moves behind it; none at the end of the stream.
    fn message(&mut self, at: &mut u64) -> Result<Option<(Buffer, Block)>, DataError> {
        if *at == self.length {
            return Ok(None);
        }
        let mut size = self.bytes(*at, 4)?;
        let mut head_at = *at + 4;
        if size == CONTINUES {
            size = self.bytes(head_at, 4)?;
            head_at += 4;
        }
        let size = i32::from_le_bytes([size[0], size[1], size[2], size[3]]);
        if size == 0 {
            return Ok(None);
        }
        let name = self.name;
        let wrong = |e: String| damaged(name, format!("a message in it is wrong: {e}"));
        let size = u64::try_from(size).map_err(|e| wrong(e.to_string()))?;
        let head = self.bytes(head_at, size)?;
        let body = root_as_message(&head).map_err(|e| wrong(e.to_string()))?.bodyLength();
        let prefix = (head_at - *at + size) as i32;
        let block = Block::new(*at as i64, prefix, body);
        let message = self.block(&block)?;
        *at += message.len() as u64;
        Ok(Some((message, block)))
    }
}

/// The head of a message, which may be followed by more.
fn head_of(message: &[u8]) -> &[u8] {
    message.get(if message.starts_with(&CONTINUES) { 8 } else { 4 }..).unwrap_or(&[])
}

pub(crate) fn write(out: &mut Output, table: &Table) -> Result<(), DataError> {
    let failed = |e: ArrowError| DataError::new("T0741", format!("this value cannot be written as Arrow: {e}"));
    let mut writer = FileWriter::try_new(out, &table.schema()).map_err(failed)?;
    for batch in table.batches() {
        writer.write(&batch?).map_err(failed)?;
    }
    writer.finish().map_err(failed)
}
