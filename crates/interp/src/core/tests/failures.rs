//! What a person reads when a run stops.

use super::Failure;
use terrace_base::{SourceMap, Span, render};

/// Two files, the second one a library.
fn sources() -> SourceMap {
    let mut map = SourceMap::new();
    map.add(
        "rates.tce",
        "def rate(a, b) = a / b\nentry rates(xs) = [rate(x, x - 10) for x in xs]\nentry low(xs) = lowest(xs)\n",
    );
    map.add("std/lists", "def lowest(xs) = first(sort(xs))\ndef first(xs) = xs[0]\n");
    map
}

/// Where a text stands in the files.
fn at(map: &SourceMap, file: usize, text: &str) -> Span {
    let file = terrace_base::FileId::new(file);
    let start = map.text(file).find(text).expect("the text is there");
    Span::new(file, start, start + text.len())
}

/// A failure with the functions that were running, innermost first, each with the file and the text it had reached.
fn check(kind: &'static str, values: &[i64], indices: &[i64], frames: &[(&str, usize, &str)], expected: &str) {
    let map = sources();
    let trace: Vec<(String, Span)> =
        frames.iter().map(|(name, file, text)| (name.to_string(), at(&map, *file, text))).collect();
    let failure = Failure { indices: indices.to_vec(), ..Failure::new(kind, "", values.to_vec(), trace[0].1) };
    let failure = Failure { trace, ..failure };
    let report = failure.to_diagnostic_with(&|file| map.name(file).starts_with("std/"));
    assert_eq!(render(&report, &map, false).trim_end(), expected.trim_matches('\n'));
}

#[test]
fn calls_are_shown() {
    check(
        "division",
        &[10],
        &[3],
        &[("rate", 0, "/"), ("rates", 0, "rate(x, x - 10)")],
        "
error[T0904]: division of 10 by zero
 --> rates.tce:1:20
  |
1 | def rate(a, b) = a / b
  |                    ^ the divisor is 0 here
2 | entry rates(xs) = [rate(x, x - 10) for x in xs]
  |                    --------------- `rate` was called here
  = note: at position 3 of the enclosing arrays
  = hint: test the divisor first, as in `if d == 0 then … else x / d`",
    );
}

#[test]
fn a_failure_in_the_library_is_shown_where_it_was_called() {
    check(
        "index",
        &[0, 0],
        &[],
        &[("first", 1, "xs[0]"), ("lowest", 1, "first(sort(xs))"), ("low", 0, "lowest(xs)")],
        "
error[T0901]: index 0 is out of bounds for an array of 0 elements
 --> rates.tce:3:17
  |
3 | entry low(xs) = lowest(xs)
  |                 ^^^^^^^^^^ in this call of `lowest`
  = note: it happened in `first`, which `lowest` of the standard library uses: the array is empty",
    );
    check(
        "index",
        &[0, 0],
        &[],
        &[("lowest", 1, "sort(xs)"), ("low", 0, "lowest(xs)")],
        "
error[T0901]: index 0 is out of bounds for an array of 0 elements
 --> rates.tce:3:17
  |
3 | entry low(xs) = lowest(xs)
  |                 ^^^^^^^^^^ in this call of `lowest`
  = note: it happened in `lowest`, of the standard library: the array is empty",
    );
    // A function of the program that the library runs: nothing is moved.
    check(
        "division",
        &[1],
        &[],
        &[("rate", 0, "/"), ("first", 1, "xs[0]"), ("low", 0, "lowest(xs)")],
        "
error[T0904]: division of 1 by zero
 --> rates.tce:1:20
  |
1 | def rate(a, b) = a / b
  |                    ^ the divisor is 0 here
2 | entry rates(xs) = [rate(x, x - 10) for x in xs]
3 | entry low(xs) = lowest(xs)
  |                 ---------- `first` was called here
  = hint: test the divisor first, as in `if d == 0 then … else x / d`",
    );
    // Nothing but the library: then it is shown.
    check(
        "index",
        &[0, 0],
        &[],
        &[("first", 1, "xs[0]")],
        "
error[T0901]: index 0 is out of bounds for an array of 0 elements
 --> std/lists:2:17
  |
2 | def first(xs) = xs[0]
  |                 ^^^^^ the array is empty",
    );
}

#[test]
fn a_long_recursion_is_shortened() {
    let mut frames = vec![("rate", 0, "a / b"); 9_998];
    frames.push(("rates", 0, "rate(x, x - 10)"));
    frames.push(("low", 0, "lowest(xs)"));
    check(
        "depth",
        &[10_000],
        &[],
        &frames,
        "
error[T0909]: recursion deeper than 10000 calls
 --> rates.tce:1:18
  |
1 | def rate(a, b) = a / b
  |                  ^^^^^ this call goes too deep
2 | entry rates(xs) = [rate(x, x - 10) for x in xs]
  |                    --------------- `rate` was called here
3 | entry low(xs) = lowest(xs)
  |                 ---------- `rates` was called here
  = note: … 9,991 more calls in between …
  = hint: check that the recursion ends; a `loop` has no such limit",
    );
}
