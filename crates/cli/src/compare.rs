//! `terrace bench --compare BEFORE AFTER`: two files that `terrace bench --json` wrote, side by side.
//!
//! ```text
//! $ terrace bench --compare before.json after.json
//! saxpy on c, wall clock
//!   before.json    31.200 ms   (30.900 to 31.400, least 30.800; 40 runs)
//!   after.json     15.600 ms   (15.500 to 15.800, least 15.400; 60 runs)
//!   2.00 times as fast
//! ```
//!
//! The ratio is that of the medians. Where the quartiles of one file reach those of the other, the difference may be chance, and the last line
//! says so. What else differs (entry, arguments, back end, memory, launches, results) is said in lines of its own.

use crate::output::{Verdict, error, print};
use std::path::{Path, PathBuf};
use terrace::Json;

pub(crate) fn compare(files: &[PathBuf]) -> Verdict {
    let [before, after] = files else {
        error("`--compare` takes two files that `terrace bench --json` wrote\n");
        return Verdict::Usage;
    };
    match (read(before), read(after)) {
        (Ok(a), Ok(b)) => {
            print(&text(&shown(before), &a, &shown(after), &b));
            Verdict::Good
        }
        (a, b) => {
            [a.err(), b.err()].into_iter().flatten().for_each(|why| error(&why));
            Verdict::Bad
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn read(path: &Path) -> Result<Json, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|why| format!("cannot read `{name}`: {why}\n"))?;
    let wrong = |why: String| format!("`{name}` is not what `terrace bench --json` writes: {why}\n");
    let json = Json::parse(&text).map_err(wrong)?;
    match json.at("median_ms").number() {
        Some(_) => Ok(json),
        None => Err(wrong("it has no `median_ms`".to_string())),
    }
}

fn text(before: &str, a: &Json, after: &str, b: &Json) -> String {
    let word = |json: &Json, name: &str| json.at(name).text().unwrap_or("?").to_string();
    let mut out = format!("{} on {}, {} clock\n", word(b, "entry"), word(b, "backend"), word(b, "clock"));
    let width = before.chars().count().max(after.chars().count());
    for (name, json) in [(before, a), (after, b)] {
        let ms = |field: &str| json.at(field).number().unwrap_or(f64::NAN);
        out += &format!(
            "  {name:width$} {:10.3} ms   ({:.3} to {:.3}, least {:.3}; {} runs)\n",
            ms("median_ms"),
            ms("lower_quartile_ms"),
            ms("upper_quartile_ms"),
            ms("least_ms"),
            ms("runs"),
        );
    }
    out += &format!("  {}\n", verdict(a, b));
    for (what, field) in
        [("entries", "entry"), ("arguments", "arguments"), ("back ends", "backend"), ("clocks", "clock")]
    {
        if a.at(field) != b.at(field) {
            out += &format!("  the {what} differ: {} and {}\n", a.at(field), b.at(field));
        }
    }
    for (what, field) in [("peak bytes", "peak_bytes"), ("launches", "launches"), ("allocations", "allocations")] {
        if let (Some(x), Some(y)) = (a.at(field).number(), b.at(field).number())
            && x != y
        {
            out += &format!("  {what}: {x}, then {y}\n");
        }
    }
    let sums = (a.at("checksums"), b.at("checksums"));
    if !sums.0.list().is_empty() && !sums.1.list().is_empty() && sums.0 != sums.1 {
        out += "  the checksums differ\n";
    }
    out
}

fn verdict(a: &Json, b: &Json) -> String {
    let ms = |json: &Json, field: &str| json.at(field).number().unwrap_or(f64::NAN);
    let ratio = ms(a, "median_ms") / ms(b, "median_ms");
    let apart = ms(b, "upper_quartile_ms") < ms(a, "lower_quartile_ms")
        || ms(a, "upper_quartile_ms") < ms(b, "lower_quartile_ms");
    match (apart, ratio >= 1.0) {
        (false, _) => format!("no clear difference: {ratio:.2} times as fast, and the quartiles overlap"),
        (true, true) => format!("{ratio:.2} times as fast"),
        (true, false) => format!("{:.2} times as slow", 1.0 / ratio),
    }
}
