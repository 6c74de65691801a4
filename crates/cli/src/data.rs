//! `terrace data`: what files hold, before a program is written for them.
//!
//! ```text
//! examples/data/matrix.parquet: Parquet, 16.7 KiB, 1000 rows
//!
//!   id: []i64
//!     [0, 1, …, 998, 999]  -- [1000]i64
//!   rows: [][]{column: i32, value: f64}
//!     1000 rows of 0 to 200 elements, median 3, mean 5.3; 205 empty
//!         0   205 ██████████████████████
//!         1   130 █████████████▉
//!
//!   taken by
//!     type row = …
//!     entry main(data: []row) = …
//! ```
//!
//! Bars are drawn with block characters on a terminal that has them, else with `#`, as wide as the terminal (`$COLUMNS`). `--json` gives the
//! same as one line per file.

use crate::output::{Messenger, Verdict, print};
use std::fmt::Write;
use std::io::IsTerminal;
use terrace::data::{Lengths, Survey, Surveyed, declarations, is_data_file, lengths, spelled, survey};
use terrace::{Failed, Surface, quoted, show};

/// How many elements of an array are shown.
const MOST: usize = 8;

pub(crate) fn data(files: &[String], messenger: Messenger) -> Result<Verdict, Failed> {
    let mut verdict = Verdict::Good;
    for (k, text) in files.iter().enumerate() {
        let (path, column) = is_data_file(text).unwrap_or_else(|| (text.into(), None));
        match survey(&path, column.as_deref()) {
            Ok(found) if messenger.is_json() => print(&json(&path.display().to_string(), &found)),
            Ok(found) => {
                let gap = if k == 0 { "" } else { "\n" };
                print(&format!(
                    "{gap}{}",
                    shown(&path.display().to_string(), column.is_some(), &found, &Canvas::of_stdout())
                ));
            }
            Err(e) => {
                messenger.failed(&Failed::from(e.to_diagnostic()));
                verdict = Verdict::Bad;
            }
        }
    }
    Ok(verdict)
}

/// What pictures are drawn with.
struct Canvas {
    width: usize,
    blocks: bool,
}

impl Canvas {
    fn of_stdout() -> Canvas {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let width = variable("COLUMNS").and_then(|text| text.parse().ok()).unwrap_or(80);
        let locale = variable("LC_ALL").or_else(|| variable("LC_CTYPE")).or_else(|| variable("LANG"));
        let letters = locale.unwrap_or_default().to_ascii_lowercase();
        let has_blocks = letters.contains("utf-8") || letters.contains("utf8");
        Canvas { width: usize::clamp(width, 40, 200), blocks: has_blocks && std::io::stdout().is_terminal() }
    }

    /// A bar of so many eighths of a character.
    fn bar(&self, eighths: usize) -> String {
        if !self.blocks {
            return "#".repeat(eighths.div_ceil(8));
        }
        const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        "█".repeat(eighths / 8) + PARTS[eighths % 8]
    }
}

fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64;
    let mut unit = None;
    for name in units {
        if amount >= 1024.0 {
            amount /= 1024.0;
            unit = Some(name);
        }
    }
    match unit {
        Some(unit) => format!("{amount:.1} {unit}"),
        None if bytes == 1 => "1 byte".to_string(),
        None => format!("{bytes} bytes"),
    }
}

fn shown(file: &str, one_column: bool, found: &Survey, canvas: &Canvas) -> String {
    let rows = match found.rows {
        None => String::new(),
        Some(1) => ", 1 row".to_string(),
        Some(rows) => format!(", {rows} rows"),
    };
    let mut out = format!("{file}: {}, {}{rows}\n", found.format, size(found.bytes));
    for column in &found.columns {
        out.push('\n');
        let name = if column.name.is_empty() { String::new() } else { format!("{}: ", column.name) };
        match (&column.surface, &column.remark) {
            (Some(surface), _) => {
                let _ = writeln!(out, "  {name}{}", spelled(surface));
            }
            (None, Some(why)) => {
                let _ = writeln!(out, "  {name}cannot be read: {why}");
            }
            (None, None) => {}
        }
        if let (Some(surface), Some(why)) = (&column.surface, &column.remark) {
            let _ = writeln!(out, "    cannot be read as {}: {why}", spelled(surface));
        }
        if let (Some(surface), Some(value)) = (&column.surface, &column.value) {
            let preview = show::column(value, &unnamed(surface), MOST);
            let _ = writeln!(out, "    {}", cut(&preview, 2 * canvas.width));
            for (depth, lengths) in lengths(value).iter().enumerate() {
                out += &raggedness(lengths, depth, canvas);
            }
        }
    }
    if !one_column {
        out += &advice(file, found);
    }
    out
}

/// Records without names print as tuples.
fn unnamed(surface: &Surface) -> Surface {
    match surface {
        Surface::Array(element) => Surface::Array(Box::new(unnamed(element))),
        Surface::Record { fields, .. } => Surface::Tuple(fields.iter().map(|(_, part)| unnamed(part)).collect()),
        Surface::Tuple(parts) => Surface::Tuple(parts.iter().map(unnamed).collect()),
        other => other.clone(),
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

fn raggedness(found: &Lengths, depth: usize, canvas: &Canvas) -> String {
    let many = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let rows = many(found.rows, "row") + &if depth == 0 { String::new() } else { format!(" at depth {}", depth + 1) };
    if found.least == found.greatest {
        return format!("    {rows} of {}\n", many(found.least, "element"));
    }
    let mut out = format!(
        "    {rows} of {} to {} elements, median {}, mean {:.1}; {} empty\n",
        found.least, found.greatest, found.median, found.mean, found.empty
    );
    let label = |from: usize, to: usize| if from == to { from.to_string() } else { format!("{from}..{to}") };
    let labels: Vec<String> = found.bars.iter().map(|bar| label(bar.from, bar.to)).collect();
    let wide = labels.iter().map(String::len).max().unwrap_or(0);
    let most = found.bars.iter().map(|bar| bar.rows).max().unwrap_or(1).max(1);
    let digits = most.to_string().len();
    let room = canvas.width.saturating_sub(6 + wide + 2 + digits + 1).max(10);
    // Of few rows, each is a character.
    let room = room.min(most);
    for (bar, label) in found.bars.iter().zip(labels) {
        // A row that is there is seen.
        let eighths = (bar.rows as u128 * room as u128 * 8 / most as u128) as usize;
        let eighths = if bar.rows > 0 { eighths.max(1) } else { 0 };
        let line = format!("      {label:>wide$}  {:>digits$} {}", bar.rows, canvas.bar(eighths));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// How a program takes the file.
fn advice(file: &str, found: &Survey) -> String {
    let Some(whole) = &found.whole else { return String::new() };
    let mut out = String::new();
    match declarations(whole) {
        Some((lines, name)) => {
            out += "\n  taken by\n";
            for line in lines.iter().chain([&format!("entry main(data: {name}) = …")]) {
                let _ = writeln!(out, "    {line}");
            }
        }
        None => {
            let column = found.columns.iter().find(|column| column.surface.is_some());
            if let Some(Surveyed { name, surface: Some(surface), .. }) = column {
                let _ = write!(
                    out,
                    "\n  taken column by column\n    entry main(data: {}) = …   with `{file}:{name}`\n",
                    spelled(surface)
                );
            }
        }
    }
    out
}

fn json(file: &str, found: &Survey) -> String {
    let optional = |text: Option<String>| text.map_or("null".to_string(), |text| quoted(&text));
    let column = |column: &Surveyed| {
        let levels = column.value.as_ref().map(lengths).unwrap_or_default();
        let levels: Vec<String> = levels.iter().map(json_lengths).collect();
        let preview = match (&column.surface, &column.value) {
            (Some(surface), Some(value)) => Some(show::column(value, &unnamed(surface), MOST)),
            _ => None,
        };
        format!(
            "{{\"name\": {}, \"type\": {}, \"preview\": {}, \"lengths\": [{}], \"remark\": {}}}",
            quoted(&column.name),
            optional(column.surface.as_ref().map(spelled)),
            optional(preview),
            levels.join(", "),
            optional(column.remark.clone()),
        )
    };
    let columns: Vec<String> = found.columns.iter().map(column).collect();
    format!(
        "{{\"file\": {}, \"format\": {}, \"bytes\": {}, \"rows\": {}, \"type\": {}, \"columns\": [{}]}}\n",
        quoted(file),
        quoted(found.format),
        found.bytes,
        found.rows.map_or("null".to_string(), |rows| rows.to_string()),
        optional(found.whole.as_ref().map(spelled)),
        columns.join(", "),
    )
}

fn json_lengths(found: &Lengths) -> String {
    let bars: Vec<String> = found.bars.iter().map(|bar| format!("[{}, {}, {}]", bar.from, bar.to, bar.rows)).collect();
    format!(
        "{{\"rows\": {}, \"least\": {}, \"median\": {}, \"mean\": {:.3}, \"greatest\": {}, \"empty\": {}, \"bars\": [{}]}}",
        found.rows,
        found.least,
        found.median,
        found.mean,
        found.greatest,
        found.empty,
        bars.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrace::data::Bar;

    #[test]
    fn bars_fill_the_width() {
        let bars =
            vec![Bar { from: 0, to: 0, rows: 1 }, Bar { from: 1, to: 1, rows: 0 }, Bar { from: 2, to: 3, rows: 800 }];
        let found = Lengths { rows: 801, least: 0, median: 2, mean: 2.0, greatest: 3, empty: 1, bars };
        let text = raggedness(&found, 0, &Canvas { width: 40, blocks: true });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "         0    1 ▏");
        assert_eq!(lines[2], "         1    0");
        assert_eq!(lines[3].chars().count(), 40);
        let plain = raggedness(&found, 1, &Canvas { width: 40, blocks: false });
        assert!(
            plain.starts_with("    801 rows at depth 2 of 0 to 3 elements, median 2, mean 2.0; 1 empty\n"),
            "{plain}"
        );
        assert!(plain.contains("         0    1 #\n"), "{plain}");
        assert_eq!((size(1), size(1023), size(1536)), ("1 byte".into(), "1023 bytes".into(), "1.5 KiB".into()));
    }
}
