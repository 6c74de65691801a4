//! What run-time errors say, once for every interpreter and device.
//!
//! A check that fails leaves a kind, a text that belongs to the kind, and a few integers. This module turns them into
//! words; where the program stood and how it got there is added by whoever reports the error.
//!
//! ```text
//! message("index", "", &[7, 5])   title  index 7 is out of bounds for an array of 5 elements
//!                                 label  only positions 0 to 4 exist
//! ```
//!
//! | kind | code | values | text |
//! | --- | --- | --- | --- |
//! | `index` | T0901 | index, length | |
//! | `slice` | T0902 | from, to, length | |
//! | `zip` | T0903 | first length, other length | |
//! | `division` | T0904 | dividend | |
//! | `length` | T0905 | length | |
//! | `size` | T0906 | found, wanted | the size as written |
//! | `parameter` | T0906 | found, wanted | the parameter of an entry |
//! | `assert` | T0907 | | the message |
//! | `rows` | T0908 | first row, other row | |
//! | `depth` | T0909 | limit | |
//! | `argument` | T0910 | | what is wrong with the argument |
//! | `memory` | T0911 | bytes | |
//! | `steps` | T0912 | limit | |
//! | `law` | T0706 | | which law does not hold, and for what |
//! | `strided` | T0913 | least position, greatest position, length | |
//! | `overlap` | T0914 | | |
//! | `partition` | T0915 | sum of the sizes, length | |
//! | `split` | T0915 | length of a row, length | |
//! | `empty` | T0916 | | the operation |
//! | `positive` | T0917 | number | what it is |
//! | `places` | T0918 | places, values | |
//! | `claim` | T0998 | | what the compiler claims, and what is true |
//!
//! A missing value is shown as `?`: a report must never fail. Lengths go up to [`LENGTH_LIMIT`].

use terrace_base::{Diagnostic, Span};

/// No array is longer than this.
pub const LENGTH_LIMIT: i64 = 1 << 47;

/// Calls do not nest more deeply than this, unless the caller asks for another limit.
pub const DEPTH_LIMIT: usize = 10_000;

/// The words of one run-time error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// One line that says what went wrong, with the values.
    pub title: String,
    /// What is said at the place.
    pub label: String,
    /// What to do about it, where something is likely right.
    pub hint: Option<String>,
}

/// The stable code of a kind; `T0900` for a kind that this version does not know.
pub fn code(kind: &str) -> &'static str {
    match kind {
        "index" => "T0901",
        "slice" => "T0902",
        "zip" => "T0903",
        "division" => "T0904",
        "length" => "T0905",
        "size" | "parameter" => "T0906",
        "assert" => "T0907",
        "rows" => "T0908",
        "depth" => "T0909",
        "argument" => "T0910",
        "memory" => "T0911",
        "steps" => "T0912",
        "law" => "T0706",
        "strided" => "T0913",
        "overlap" => "T0914",
        "partition" | "split" => "T0915",
        "empty" => "T0916",
        "positive" => "T0917",
        "places" => "T0918",
        "claim" => "T0998",
        _ => "T0900",
    }
}

/// The words for a failure of some kind.
pub fn message(kind: &str, text: &str, values: &[i64]) -> Message {
    let value = |k: usize| values.get(k).map_or("?".to_string(), i64::to_string);
    let number = |k: usize| values.get(k).copied().unwrap_or(0);
    match kind {
        "index" => words(
            format!("index {} is out of bounds for an array of {}", value(0), elements(values.get(1))),
            match number(1) {
                0 => "the array is empty".to_string(),
                1 => "only position 0 exists".to_string(),
                n => format!("only positions 0 to {} exist", n.wrapping_sub(1)),
            },
            if number(0) < 0 {
                Some("positions count from 0; the last element of `xs` is `xs[len(xs) - 1]`".to_string())
            } else if number(0) == number(1) && number(1) > 0 {
                Some(format!("positions count from 0, so the last one is {}", number(1).wrapping_sub(1)))
            } else {
                None
            },
        ),
        "slice" => words(
            format!("slice {}..{} does not fit an array of {}", value(0), value(1), elements(values.get(2))),
            if number(0) < 0 {
                "the slice starts before position 0".to_string()
            } else if number(0) > number(1) {
                "the slice ends before it starts".to_string()
            } else {
                format!("the slice ends after position {}", value(2))
            },
            Some("a slice `xs[a..b]` needs 0 <= a <= b <= len(xs)".to_string()),
        ),
        "zip" => words(
            format!(
                "arrays of different lengths run in step: {} and {}",
                elements(values.first()),
                elements(values.get(1))
            ),
            "these must have one length".to_string(),
            Some("cut the longer one with a slice, such as `ys[..len(xs)]`".to_string()),
        ),
        "division" => words(
            format!("division of {} by zero", value(0)),
            "the divisor is 0 here".to_string(),
            Some("test the divisor first, as in `if d == 0 then … else x / d`".to_string()),
        ),
        "length" if number(0) < 0 => words(
            format!("{} is not a length", value(0)),
            "this is negative".to_string(),
            Some("where it may be negative and no elements are meant, write `max(n, 0)`".to_string()),
        ),
        "length" => {
            words(format!("{} is not a length", value(0)), "an array has at most 2^47 elements".to_string(), None)
        }
        "size" => words(
            format!("the size `{text}` does not hold: found {} where {} is stated", value(0), value(1)),
            format!("this should have {}", elements(values.get(1))),
            None,
        ),
        "parameter" => words(
            format!(
                "the type of `{text}` states other sizes: found a row of {} where {} is stated",
                value(0),
                value(1)
            ),
            "of this entry".to_string(),
            None,
        ),
        "assert" => words(format!("assertion failed: {text}"), "this does not hold".to_string(), None),
        "rows" => words(
            format!("rows of different lengths, {} and {}, where all must be equal", value(0), value(1)),
            "this needs rows of one length".to_string(),
            None,
        ),
        "depth" => words(
            format!("recursion deeper than {} calls", value(0)),
            "this call goes too deep".to_string(),
            Some("check that the recursion ends; a `loop` has no such limit".to_string()),
        ),
        "argument" => words(format!("wrong argument: {text}"), "of this entry".to_string(), None),
        "memory" => words(format!("no memory for {} bytes", value(0)), "this array is too large".to_string(), None),
        "strided" => {
            let outside = if number(0) < 0 { value(0) } else { value(1) };
            words(
                format!("the slice reaches position {outside} of an array of {}", elements(values.get(2))),
                match number(2) {
                    0 => "the array is empty".to_string(),
                    n => format!(
                        "it takes positions {} to {}; only 0 to {} exist",
                        value(0),
                        value(1),
                        n.wrapping_sub(1)
                    ),
                },
                Some(
                    "`xs[start; count by stride]` takes positions start, start + stride, …; all of them must exist"
                        .to_string(),
                ),
            )
        }
        "overlap" => words(
            "the slice that is replaced overlaps itself".to_string(),
            "two new elements could go to one position".to_string(),
            Some("each stride must be larger than what the smaller ones span together".to_string()),
        ),
        "partition" => words(
            format!("rows of {} in all are cut from an array of {}", elements(values.first()), elements(values.get(1))),
            "the sizes of the rows must add up to the length".to_string(),
            None,
        ),
        "split" => words(
            format!("an array of {} cannot be cut into rows of {}", elements(values.get(1)), value(0)),
            "the length must be a multiple of the length of a row".to_string(),
            Some("cut the rest off first, as in `xs[..len(xs) / m * m]`".to_string()),
        ),
        "empty" => words(
            format!("`{text}` of an empty array"),
            "this array has no elements".to_string(),
            Some("test the length first, as in `if len(xs) == 0 then … else …`".to_string()),
        ),
        "places" => words(
            format!("an update of {} with {}", counted(number(0), "place"), counted(number(1), "value")),
            "there must be one value for every place".to_string(),
            None,
        ),
        "positive" => {
            words(format!("{text} is {}, but must be at least 1", value(0)), "this is too small".to_string(), None)
        }
        "law" => words(
            text.to_string(),
            "this combines elements in any grouping".to_string(),
            Some("an operator must be associative, and its neutral element must change nothing".to_string()),
        ),
        "claim" => words(
            text.to_string(),
            "this was wrong here".to_string(),
            Some("the mistake is in the compiler, not in the program: please report it".to_string()),
        ),
        "steps" => words(format!("stopped after {} steps", value(0)), "the program was here".to_string(), None),
        _ => words(format!("the program stopped: {kind} {text}"), "here".to_string(), None),
    }
}

/// The whole report; `indices` are the positions in the enclosing parallel expressions, outermost first.
pub fn diagnostic(kind: &str, text: &str, values: &[i64], span: Span, indices: &[i64]) -> Diagnostic {
    let words = message(kind, text, values);
    let mut report = Diagnostic::error(code(kind), words.title).primary(span, words.label);
    if !indices.is_empty() {
        let list: Vec<String> = indices.iter().map(i64::to_string).collect();
        report = report.note(format!("at position {} of the enclosing arrays", list.join(", ")));
    }
    match words.hint {
        Some(hint) => report.hint(hint),
        None => report,
    }
}

fn words(title: String, label: String, hint: Option<String>) -> Message {
    Message { title, label, hint }
}

/// A number of things.
fn counted(number: i64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn elements(count: Option<&i64>) -> String {
    match count {
        Some(1) => "1 element".to_string(),
        Some(n) => format!("{n} elements"),
        None => "? elements".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, text: &str, values: &[i64], title: &str, label: &str) {
        let found = message(kind, text, values);
        assert_eq!((found.title.as_str(), found.label.as_str()), (title, label));
    }

    #[test]
    fn every_kind_shows_its_values() {
        check(
            "index",
            "",
            &[7, 5],
            "index 7 is out of bounds for an array of 5 elements",
            "only positions 0 to 4 exist",
        );
        check("index", "", &[0, 0], "index 0 is out of bounds for an array of 0 elements", "the array is empty");
        check(
            "slice",
            "",
            &[3, 2, 9],
            "slice 3..2 does not fit an array of 9 elements",
            "the slice ends before it starts",
        );
        check(
            "zip",
            "",
            &[1, 4],
            "arrays of different lengths run in step: 1 element and 4 elements",
            "these must have one length",
        );
        check("division", "", &[12], "division of 12 by zero", "the divisor is 0 here");
        check("length", "", &[-1], "-1 is not a length", "this is negative");
        check(
            "size",
            "n + 1",
            &[3, 5],
            "the size `n + 1` does not hold: found 3 where 5 is stated",
            "this should have 5 elements",
        );
        check("assert", "sorted", &[], "assertion failed: sorted", "this does not hold");
    }

    #[test]
    fn slices_and_rows_show_their_values() {
        check(
            "strided",
            "",
            &[0, 12, 10],
            "the slice reaches position 12 of an array of 10 elements",
            "it takes positions 0 to 12; only 0 to 9 exist",
        );
        check(
            "strided",
            "",
            &[-3, 12, 10],
            "the slice reaches position -3 of an array of 10 elements",
            "it takes positions -3 to 12; only 0 to 9 exist",
        );
        check(
            "strided",
            "",
            &[0, 4, 0],
            "the slice reaches position 4 of an array of 0 elements",
            "the array is empty",
        );
        check(
            "overlap",
            "",
            &[],
            "the slice that is replaced overlaps itself",
            "two new elements could go to one position",
        );
        check(
            "partition",
            "",
            &[7, 1],
            "rows of 7 elements in all are cut from an array of 1 element",
            "the sizes of the rows must add up to the length",
        );
        check("empty", "minimum", &[], "`minimum` of an empty array", "this array has no elements");
        check(
            "positive",
            "the size of a window",
            &[0],
            "the size of a window is 0, but must be at least 1",
            "this is too small",
        );
        let codes = ["strided", "overlap", "partition", "empty", "positive"].map(code);
        assert_eq!(codes, ["T0913", "T0914", "T0915", "T0916", "T0917"]);
    }

    #[test]
    fn missing_values_and_unknown_kinds_still_report() {
        check("index", "", &[], "index ? is out of bounds for an array of ? elements", "the array is empty");
        check("later", "x", &[], "the program stopped: later x", "here");
        assert_eq!(code("later"), "T0900");
    }
}
