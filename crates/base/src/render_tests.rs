//! Rendered messages, whole. `check` finds each place by the text it covers.

use crate::{Diagnostic, SourceMap, Span, render};

/// Renders the message that `build` makes; it is given a function from a snippet to its span in `source`.
fn check(source: &str, build: impl Fn(&dyn Fn(&str) -> Span) -> Diagnostic, expected: &str) {
    let mut map = SourceMap::new();
    let file = map.add("a.ter", source);
    let find = |snippet: &str| {
        let at = source.find(snippet).expect("the snippet occurs in the source");
        Span::new(file, at, at + snippet.len())
    };
    let got = render(&build(&find), &map, false);
    assert_eq!(got, expected.strip_prefix('\n').unwrap_or(expected), "got:\n{got}");
}

#[test]
fn one_label() {
    check(
        "def f(x: i64) -> i64 =\n  x + y\n",
        |at| {
            Diagnostic::error("T0100", "unknown name `y`").primary(at("y"), "not bound here").hint("did you mean `x`?")
        },
        "
error[T0100]: unknown name `y`
 --> a.ter:2:7
  |
2 |   x + y
  |       ^ not bound here
  = hint: did you mean `x`?
",
    );
}

#[test]
fn labels_on_one_line_hang_in_order() {
    check(
        "[x * y for x in xs, y in ys]",
        |at| {
            Diagnostic::error("T0103", "different lengths")
                .primary(at("ys"), "this one has 4")
                .label(at("xs"), "this one has 3")
                .label(at("[x"), "zipped here")
                .note("commas zip\nall arrays")
        },
        "
error[T0103]: different lengths
 --> a.ter:1:26
  |
1 | [x * y for x in xs, y in ys]
  | --              --       ^^ this one has 4
  | |               |
  | |               this one has 3
  | |
  | zipped here
  = note: commas zip
          all arrays
",
    );
}

#[test]
fn far_lines_and_numbers_of_two_digits() {
    check(
        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj k\n",
        |at| Diagnostic::warning("T0200", "far").primary(at("k"), "used").label(at("b"), "defined"),
        "
warning[T0200]: far
  --> a.ter:10:3
   |
 2 | b
   | - defined
...
10 | j k
   |   ^ used
",
    );
}

#[test]
fn one_line_between_is_shown() {
    check(
        "a\nb\nc\n",
        |at| Diagnostic::error("T0200", "near").primary(at("c"), "").label(at("a"), "first"),
        "
error[T0200]: near
 --> a.ter:3:1
  |
1 | a
  | - first
2 | b
3 | c
  | ^
",
    );
}

#[test]
fn several_lines() {
    check(
        "let a =\n  if c\n  then 1\nin a\n",
        |at| Diagnostic::error("T0023", "no `else`").primary(at("if c\n  then 1"), "this `if`"),
        "
error[T0023]: no `else`
 --> a.ter:2:3
  |
2 | /   if c
3 | |   then 1
  | |________^ this `if`
",
    );
}

#[test]
fn long_span_and_a_mark_inside() {
    check(
        "(\n1,\n2,\n3,\n4,\n5,\n6\n]\n",
        |at| {
            Diagnostic::error("T0012", "wrong bracket")
                .primary(at("]"), "closes")
                .label(at("(\n1,\n2,\n3,\n4,\n5,\n6"), "all this")
        },
        "
error[T0012]: wrong bracket
 --> a.ter:8:1
  |
1 | / (
2 | | 1,
... |
6 | | 5,
7 | | 6
  | |_- all this
8 |   ]
  |   ^ closes
",
    );
}

#[test]
fn overlapping_rails_have_lanes() {
    check(
        "(a\nb\nc)\nd\n",
        |at| Diagnostic::error("T0001", "x").primary(at("(a\nb\nc)"), "outer").label(at("b\nc"), "inner"),
        "
error[T0001]: x
 --> a.ter:1:1
  |
1 | /  (a
2 | |/ b
3 | || c)
  | ||_- inner
  | |___^ outer
",
    );
}

#[test]
fn tabs_and_wide_letters() {
    check(
        "\tlet ä = \"漢\" + z",
        |at| Diagnostic::error("T0100", "unknown").primary(at("z"), "here").label(at("\"漢\""), "text"),
        "
error[T0100]: unknown
 --> a.ter:1:16
  |
1 |     let ä = \"漢\" + z
  |             ----   ^ here
  |             |
  |             text
",
    );
}

#[test]
fn end_of_file_and_no_place() {
    check(
        "abc",
        |_| {
            let end = Span::new(crate::FileId::new(0), 3, 3);
            Diagnostic::error("T0010", "more expected")
                .primary(end, "the file ends here")
                .label(Span::none(), "elsewhere")
        },
        "
error[T0010]: more expected
 --> a.ter:1:4
  |
1 | abc
  |    ^ the file ends here
  = note: elsewhere
",
    );
    check("", |_| Diagnostic::error("T0300", "no place at all"), "error[T0300]: no place at all\n");
}

#[test]
fn two_labels_at_one_place() {
    check(
        "f(x)",
        |at| {
            Diagnostic::error("T0104", "mismatch")
                .primary(at("x"), "is `i64`")
                .label(at("x"), "wanted `f64`")
                .label(at("f"), "of this")
        },
        "
error[T0104]: mismatch
 --> a.ter:1:3
  |
1 | f(x)
  | - ^
  | | |
  | | wanted `f64`
  | | is `i64`
  | |
  | of this
",
    );
}

#[test]
fn other_files_follow() {
    let mut map = SourceMap::new();
    let a = map.add("a.ter", "use b\n");
    let b = map.add("b.ter", "def b\n");
    let d = Diagnostic::error("T0400", "clash").primary(Span::new(b, 4, 5), "here").label(Span::new(a, 4, 5), "there");
    let expected = "error[T0400]: clash
 --> b.ter:1:5
  |
1 | def b
  |     ^ here
 ::: a.ter:1:5
  |
1 | use b
  |     - there
";
    assert_eq!(render(&d, &map, false), expected);
}

#[test]
fn colours_only_add_codes() {
    let mut map = SourceMap::new();
    let a = map.add("a.ter", "let x\n= 1");
    let d = Diagnostic::error("T0011", "t").primary(Span::new(a, 0, 3), "m").label(Span::new(a, 4, 9), "r").hint("h");
    let coloured = render(&d, &map, true);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, r)| r);
    }
    plain.push_str(rest);
    assert!(coloured.contains("\x1b[1;31merror[T0011]\x1b[0m"));
    assert_eq!(plain, render(&d, &map, false));
}
