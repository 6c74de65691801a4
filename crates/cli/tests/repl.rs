//! Sessions, as scripts: what is said to `terrace repl` and what it answers.

use std::io::Write;
use std::process::{Command, Stdio};

/// What a session answers on its two outputs, and its exit code.
fn session(script: &str) -> (String, String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_terrace"));
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    command.arg("repl").current_dir(root).env("NO_COLOR", "1");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("it listens");
    let output = child.wait_with_output().expect("ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (text(output.stdout), text(output.stderr), output.status.code())
}

/// A session without mistakes.
fn check(script: &str, expected: &str) {
    let (said, wrong, code) = session(script);
    assert_eq!((said.as_str(), wrong.as_str(), code), (expected, "", Some(0)), "{script}");
}

#[test]
fn expressions_and_the_last_answer() {
    check("1 + 2\nit * 2\n[it, it]\n", "3\n6\n[6, 6]\n");
    check("1.0 / 0.0\nit\n", "inf\ninf\n");
    check("-- nothing\n\n", "");
}

#[test]
fn inputs_go_on_over_lines() {
    check("[x +\n1\nfor x in [1,\n2]]\n", "[2, 3]\n");
    check("def f(x) =\n  x + 1\nf(2)\n", "3\n");
}

#[test]
fn definitions_are_kept_and_replaced() {
    check("def f(x) = x + 1\ndef g(x) = f(x) * 2\ng(1)\ndef f(x) = x + 2\ng(1)\n", "4\n6\n");
    check("type p = {x: i64, y: i64}\nlet q = p{x = 1, y = 2}\nq.y\n", "2\n");
}

#[test]
fn values_are_kept_and_definitions_see_them() {
    check("let xs = [1, 2, 3]\ndef total() = sum(xs)\ntotal()\nlet xs = [10]\ntotal()\n", "6\n10\n");
    check("let a = 1 let b = 2 in a + b\n", "3\n");
    // Too long for a literal: it is computed again for the definition, and lent to expressions.
    check("let xs = [i for i < 5000]\ndef total() = sum(xs)\ntotal() + xs[1]\n", "12497501\n");
}

#[test]
fn heavy_expressions_are_not_left_to_the_interpreter() {
    let (said, wrong, _) = session(":time sum([i % 7 for i < 3000000])\n");
    assert!(said.starts_with("8999994\ncompiled: ") && wrong.is_empty(), "{said}{wrong}");
    let (said, ..) = session(":time 1 + 1\n");
    assert!(said.starts_with("2\ninterpreted: "), "{said}");
}

#[test]
fn mistakes_end_nothing() {
    let (said, wrong, code) = session("[1, 2][5]\ndef f(x) = y\nf(1)\n1 + true\n)\n:nonsense\n:type\n2 + 2\n");
    let end = "there is no command `:nonsense`; `:help` lists them\n`:type EXPRESSION`: something is missing\n4\n";
    assert!(said.ends_with(end), "{said}");
    let codes: Vec<&str> = wrong.lines().filter_map(|l| l.strip_prefix("error[")?.split(']').next()).collect();
    assert_eq!((&codes[..3], code), (&["T0306", "T0050", "T0051"][..], Some(1)), "{wrong}");
    // A definition that lost what it needs is in nobody's way.
    let (said, ..) = session("let n = 3\ndef f() = n\n:forget n\n1 + 1\n");
    assert_eq!(said, "2\n");
}

#[test]
fn commands() {
    check(":type [1.5]\n", "[]f64\n");
    check("def f(x) = x\n:type f\n:list\n:forget f\n:list\n", "def f(x) = x\ndef f(x) = x\n");
    check(
        ":load examples/quicksort.tce\nsort_one([2, 1])\n",
        "quicksort, sort_one, sort_rows, test one array, test nothing to sort, test extreme values, test rows, test no rows\n[1, 2]\n",
    );
    check(":read m: [][](i32, f64) = examples/data/matrix.parquet:rows\nlen(m)\n", "1000\n");
    check(":backend interp\n1 + 1\n:backend auto\n:quit\n3\n", "2\n");
    let (said, ..) = session(":shapes [x + 1 for x in [1, 2]]\n");
    assert!(said.contains("regular"), "{said}");
}
