//! Pictures as text: what is in them, that they are well formed, and that odd numbers do no harm.

use super::scale::Scale;
use super::{Kind, panels, picture};
use terrace::{Program, Settings, Surface, Value};

/// The picture of what an entry without parameters gives.
fn drawn_as(source: &str, kind: Kind) -> String {
    let program = Program::from_text("f.tce", source).unwrap_or_else(|e| panic!("{source}: {e}"));
    let engine = program.engine(terrace::Backend::Interp, &Settings::default()).expect("the interpreter");
    let name = program.entries()[0].name.clone();
    let outcome = engine.call(&name, Vec::new()).unwrap_or_else(|e| panic!("{source}: {e}"));
    let column = program.result_column(&name, &Value::Data(outcome.value)).expect("flat memory");
    let svg = picture(&name, &column, &program.entries()[0].result, kind);
    well_formed(&svg);
    svg
}

fn drawn(source: &str) -> String {
    drawn_as(source, Kind::Auto)
}

/// Every tag is closed, every attribute quoted, and every number one.
fn well_formed(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    for word in ["NaN", "inf"] {
        let outside_words = svg.replace("infinite", "");
        assert!(!outside_words.contains(word), "{word} in\n{svg}");
    }
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("`<{part}` does not end"));
        assert!(!text.contains('>'), "`>` in text: {text}");
        assert!(tag.matches('"').count() % 2 == 0, "quotes: {tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// How many marks of a class there are, and the instructions of the first.
fn path<'a>(svg: &'a str, class: &str) -> &'a str {
    let at = svg.find(&format!("class=\"{class}")).unwrap_or_else(|| panic!("no {class} in\n{svg}"));
    let rest = &svg[at..];
    let from = rest.find(" d=\"").expect("a path") + 4;
    &rest[from..from + rest[from..].find('"').expect("its end")]
}

fn has(svg: &str, text: &str) {
    assert!(svg.contains(text), "no `{text}` in\n{svg}");
}

fn has_not(svg: &str, text: &str) {
    assert!(!svg.contains(text), "`{text}` in\n{svg}");
}

#[test]
fn few_elements_are_a_line_with_dots() {
    let svg = drawn("entry steps() = [1.0, 3.0, 2.0]");
    has(&svg, ">steps</text>");
    has(&svg, ">3 elements</text>");
    // From left to right, the highest value at the top, six pixels from the frame.
    assert_eq!(path(&svg, "line s0"), "M82.0 306.0L406.0 60.0L730.0 183.0");
    assert_eq!(path(&svg, "dots s0"), "M82.0 306.0h0M406.0 60.0h0M730.0 183.0h0");
    let svg = drawn_as("entry steps() = [1.0, 3.0, 2.0]", Kind::Points);
    has_not(&svg, "class=\"line");
    assert_eq!(path(&svg, "dots s0"), "M82.0 306.0h0M406.0 60.0h0M730.0 183.0h0");
}

#[test]
fn peaks_survive_however_many_elements_there_are() {
    let svg =
        drawn("entry many() = [if i == 70001 then 9.0 else if i == 30001 then -7.0 else f64(i % 2) for i < 100000]");
    has(&svg, ">100000 elements</text>");
    has_not(&svg, "class=\"dots");
    let line = path(&svg, "line s0");
    assert!(line.len() < 20_000, "{} bytes", line.len());
    let heights: Vec<&str> = line.split(['M', 'L']).filter_map(|p| p.split(' ').nth(1)).collect();
    assert_eq!(heights.iter().filter(|h| **h == "60.0").count(), 1, "the greatest value is one peak");
    assert_eq!(heights.iter().filter(|h| **h == "306.0").count(), 1, "the least value is one");
    assert!(heights.len() > 1200 && heights.len() < 1400, "{}", heights.len());
}

#[test]
fn what_is_not_finite_interrupts_and_is_counted() {
    let svg = drawn("entry gaps() = [1.0, 0.0 / 0.0, 2.0, 1.0 / 0.0, 3.0]");
    has(&svg, ">5 elements; 2 values are not finite and left out</text>");
    assert_eq!(path(&svg, "line s0").matches('M').count(), 3);
    has(&drawn("entry gone() = [0.0 / 0.0]"), "no value is finite");
    has(&drawn_as("entry gone() = [0.0 / 0.0]", Kind::Histogram), "no value is finite");
    let svg = drawn("entry map() = [[1.0, 0.0 / 0.0], [2.0, 3.0]]");
    has(&svg, "1 value is not finite and grey where alone");
    assert_eq!(path(&svg, "hole"), "M1 0h1v1h-1z");
    has(&drawn("entry p() = [(1.0, 2.0), (0.0 / 0.0, 1.0)]"), ">2 points; 1 not finite and left out</text>");
}

#[test]
fn nothing_and_one_and_the_same_have_pictures() {
    for kind in Kind::ALL.map(|(_, kind)| kind) {
        for source in [
            "entry f() -> []f64 = []",
            "entry f() -> []i64 = [7]",
            "entry f() -> []f64 = [0.0, 0.0, 0.0]",
            "entry f() -> []f64 = [1e308, -1e308]",
            "entry f() -> []f64 = [1e-310, 2e-310]",
            "entry f() -> []u64 = [18446744073709551615, 0]",
            "entry f() -> []bool = [true, false]",
            "entry f() -> [][]f64 = []",
            "entry f() -> [][]f64 = [[], []]",
            "entry f() -> [][]f64 = [[3.0]]",
            "entry f() -> [][]f64 = [[3.0, 3.0], [3.0, 3.0]]",
            "entry f() -> [][]i64 = [[], [1], [2, 3]]",
            "entry f() -> [](f64, f64) = []",
            "entry f() -> [](f64, f64) = [(1.0, 1.0)]",
            "entry f() -> [][](i32, f64) = [[(1, 0.5)], []]",
        ] {
            drawn_as(source, kind);
        }
    }
    has(&drawn("entry f() -> []f64 = []"), "no elements");
    has(&drawn("entry f() -> [][]f64 = [[], []]"), "no elements");
    has(&drawn("entry f() -> [](f64, f64) = []"), "no points");
    has(&drawn_as("entry f() -> [][]f64 = []", Kind::Lengths), "no rows");
}

#[test]
fn rectangles_are_heat_maps_and_rows_are_strips() {
    let svg = drawn("entry map() = [[0, 1, 1], [2, 2, 0]]");
    has(&svg, ">2 rows of 3 elements</text>");
    // Cells of one colour are one path, neighbours one piece of it.
    has(&svg, &format!("<path fill=\"{}\" d=\"M0 0h1v1h-1zM2 1h1v1h-1z\"/>", super::heat::shade(0)));
    has(&svg, &format!("<path fill=\"{}\" d=\"M0 1h2v1h-2z\"/>", super::heat::shade(63)));
    has(&svg, "class=\"colours\"");
    has(&svg, ">row</text>");
    let svg = drawn("entry strips() = [[1.0, 2.0, 3.0], [], [1.0]]");
    has(&svg, ">3 rows of 0 to 3 elements</text>");
    has(&svg, &format!("<path fill=\"{}\" d=\"M0 0h1v1h-1zM0 2h1v1h-1z\"/>", super::heat::shade(0)));
    has_not(&svg, "class=\"hole\"");
    let svg = drawn_as("entry strips() = [[1.0, 2.0, 3.0], [], [1.0]]", Kind::Lengths);
    assert_eq!(path(&svg, "bar").matches('M').count(), 2, "an empty row has no bar");
    let svg = drawn_as("entry strips() = [[1.0, 2.0, 3.0], [], [1.0]]", Kind::Line);
    has(&svg, ">3 rows</text>");
    assert_eq!(path(&svg, "line s0").matches('L').count(), 2);
    let svg = drawn_as("entry many() = [[i, i + 1] for i < 30]", Kind::Line);
    has(&svg, ">the first 10 of 30 rows</text>");
    has(&svg, "line s9");
}

#[test]
fn large_maps_are_averaged() {
    let svg = drawn("entry large() = [[f64(i % 2) for j < 400] for i < 256]");
    has(&svg, "a cell is the mean of up to 2 × 2 elements");
    // Rows of zeros and ones alternate: every mean is a half, and one run per line.
    let half = path(&svg[svg.find("<g shape").expect("cells") - 1..], "");
    assert!(svg.len() < 30_000, "{} bytes", svg.len());
    assert!(half.is_empty() || half.starts_with('M'));
    has(&svg, "d=\"M0 0h200v1h-200zM0 1h200v1h-200z");
}

#[test]
fn histograms_have_round_bars() {
    let svg = drawn_as("entry dice() = [1, 2, 2, 6]", Kind::Histogram);
    has(&svg, ">4 values; a bar for each number</text>");
    assert_eq!(path(&svg, "bar").matches('M').count(), 3);
    has(&svg, ">how many</text>");
    // Tenths from 0 to 10: ten bars of one, the last with 10.0 itself.
    let svg = drawn_as("entry even() = [f64(i) / 10.0 for i < 101]", Kind::Histogram);
    has(&svg, ">101 values; bars of 1</text>");
    let bars = path(&svg, "bar");
    assert_eq!(bars.matches('M').count(), 10);
    let tops: Vec<&str> = bars.split('V').skip(1).step_by(2).map(|p| p.split('H').next().unwrap_or("")).collect();
    assert!(tops[..9].iter().all(|t| *t == tops[0]) && tops[9] == "60.0", "{tops:?}");
    let svg = drawn_as("entry rows() = [[1], [1, 2]]", Kind::Histogram);
    has(&svg, ">3 values; a bar for each number</text>");
}

#[test]
fn tuples_and_records_are_panels() {
    let svg = drawn("entry both() = ([1, 2], [[1.0], [2.0]], 2.5)");
    has(&svg, ">both.0</text>");
    has(&svg, ">both.1</text>");
    has(&svg, ">both.2 = 2.5</text>");
    has(&svg, "height=\"740\"");
    let svg = drawn("type fit = {slope: f64, line: []f64} entry fitted() -> fit = fit{slope = 0.5, line = [1.0]}");
    has(&svg, ">fitted.line</text>");
    has(&svg, ">fitted.slope = 0.5</text>");
    let svg = drawn(
        "type point = {east: f64, north: f64} entry way() = [point{east = 1.0, north = 2.0}, point{east = 3.0, north = 0.0}]",
    );
    has(&svg, ">2 points</text>");
    has(&svg, ">east</text>");
    has(&svg, ">north</text>");
    assert_eq!(path(&svg, "dots s0"), "M82.0 60.0h0M730.0 306.0h0");
    let svg = drawn_as("entry way() = [(1.0, 2.0), (3.0, 0.0)]", Kind::Histogram);
    has(&svg, ">way.0</text>");
    has(&drawn("entry sparse() = [[(1, 0.5)], []]"), ">sparse.1</text>");
}

#[test]
fn types_without_a_picture_are_refused() {
    let refuses = |source: &str, why: &str| {
        let program = Program::from_text("f.tce", source).expect("a program");
        let surface: &Surface = &program.entries()[0].result;
        assert_eq!(panels::drawable(surface).err().map(|e| e.0), Some(why), "{source}");
    };
    refuses("entry f() = 3", "it is no array");
    refuses("entry f() = (3, 4.0)", "it is no array");
    refuses("entry f() = [[[1]]]", "it has arrays of three dimensions");
    refuses("enum e = a | b(i64) entry f() = [a, b(1)]", "it has values of an enum");
}

#[test]
fn ticks_are_round() {
    let check = |low: f64, high: f64, whole: bool, expected: &[&str]| {
        let ticks = Scale::new(low, high, whole).ticks(5.0);
        let labels: Vec<&str> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, expected, "{low} to {high}");
    };
    check(0.013, 0.987, false, &["0.2", "0.4", "0.6", "0.8"]);
    check(0.0, 1.0, false, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    check(-10.0, 10.0, false, &["−10", "−5", "0", "5", "10"]);
    check(0.0, 3.0, true, &["0", "1", "2", "3"]);
    check(3.0, 3.0, true, &["2", "3", "4"]);
    check(0.0, 0.0, false, &["−1.0", "−0.5", "0", "0.5", "1.0"]);
    check(0.0, 2.5e9, false, &["0", "5e8", "1.0e9", "1.5e9", "2.0e9", "2.5e9"]);
    check(1e-9, 3e-9, false, &["1.0e−9", "1.5e−9", "2.0e−9", "2.5e−9", "3.0e−9"]);
    check(f64::MIN, f64::MAX, false, &["−1e308", "0", "1e308"]);
    check(1e300, 1e300, false, &["6e299", "8e299", "1.0e300", "1.2e300", "1.4e300"]);
}
