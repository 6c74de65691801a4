//! Sequential loops of the host program that become kernels: what they compute, that they are launched once, and what they report.
//!
//! The interpreter says what is right. That a loop is a kernel is seen from the counts: one launch however many rounds, and a plan without a loop.

use terrace::{Backend, Data, Engine, Program, Stage, Strategy};
use terrace_testkit::setup::Setup;

struct Case {
    text: &'static str,
    args: &'static [&'static [&'static str]],
    /// Whether the host keeps a loop.
    host: bool,
}

const CASES: &[Case] = &[
    // Scalars alone; no round leaves the state as it was.
    Case {
        text: "entry f(n: i64) -> i64 = loop x = 1 for i < n do (31 * x + i) % 1000003",
        args: &[&["0"], &["1"], &["1000"]],
        host: false,
    },
    // Several states that exchange their values, one of them a float.
    Case {
        text: "entry f(n: i64) -> (i64, i64, f64) =
                 loop (a, b, t) = (0, 1, 0.5) for i < n do (b, (a + b) % 1009, t * 0.75 + f64(a) / f64(i + 1))",
        args: &[&["0"], &["1"], &["77"]],
        host: false,
    },
    // A loop in a loop, whose rounds depend on the outer one, with a branch.
    Case {
        text: "entry f(n: i64) -> i64 =
                 loop x = 3 for i < n do
                   loop y = x + 1 while y % 7 != i % 7 do (if y % 2 == 0 then y + 1 else y + 3)",
        args: &[&["0"], &["6"]],
        host: false,
    },
    // An array of the caller is read, and another is changed in place.
    Case {
        text: "entry f(xs: []i64, n: i64) -> []i64 =
                 loop t = [0 for _ < 8] for i < n do t with [xs[i % len(xs)] % 8] = t[(i * 3) % 8] + xs[i % len(xs)]",
        args: &[&["[3, 1, 4, 1, 5, 9, 2, 6]", "0"], &["[3, 1, 4, 1, 5, 9, 2, 6]", "100"]],
        host: false,
    },
    // A new array in every round: the host has to allocate.
    Case {
        text: "entry f(n: i64, m: i64) -> []i64 = loop xs = iota(m) for i < n do [(x * 5 + i) % 97 for x in xs]",
        args: &[&["0", "6"], &["9", "6"]],
        host: true,
    },
];

/// The entry fails; what the message says is the interpreter's.
const FAILURES: &[(&str, &[&str])] = &[
    // The third round is the first that fails, and the index is checked before the division.
    ("entry f(xs: []i64) -> i64 = loop s = 0 for i < 9 do s + xs[i] / (2 - i)", &["[7, 8]"]),
    ("entry f(xs: []i64) -> i64 = loop s = 0 for i < 9 do s + xs[i] / (2 - i)", &["[7, 8, 9, 9]"]),
    // What the failing round would have done to the array must not be seen by a later check.
    (
        "entry f(n: i64) -> []i64 = loop t = [1 for _ < 4] for i < n do t with [i] = 10 / (t[(i + 3) % 4] - i / 2)",
        &["9"],
    ),
    ("entry f(n: i64) -> i64 = loop x = n while x != 1 do (if x % 2 == 0 then x / (x - 16) else 3 * x + 1)", &["5"]),
];

fn program(text: &str) -> Program {
    Program::from_text("loops.tce", text).unwrap_or_else(|e| panic!("{e}"))
}

fn engine(program: &Program, setup: &Setup) -> Engine {
    program.engine(setup.backend, &setup.settings).unwrap_or_else(|e| panic!("{e}"))
}

fn arguments(program: &Program, args: &[&str]) -> Vec<Data> {
    let one = |(k, text): (usize, &&str)| program.argument("f", k, text).unwrap_or_else(|e| panic!("{e}"));
    args.iter().enumerate().map(one).collect()
}

fn setups() -> [Setup; 3] {
    [Setup::new(Backend::C), Setup::new(Backend::C).tiny(), Setup::new(Backend::C).strategy(Strategy::Auto)]
}

#[test]
fn loops_are_kernels_and_right() {
    for case in CASES {
        let program = program(case.text);
        let wanted = engine(&program, &Setup::new(Backend::Interp));
        for setup in setups() {
            let engine = engine(&program, &setup);
            let plan = program.show(Stage::Plan, Backend::C, &setup.settings).unwrap_or_else(|e| panic!("{e}"));
            let host = plan.split("\nkernel ").next().unwrap_or_default();
            assert_eq!(host.contains("while"), case.host, "{setup}: {}\n{plan}", case.text);
            let mut launches = Vec::new();
            for args in case.args {
                let data = arguments(&program, args);
                let found = engine.call("f", data.clone()).unwrap_or_else(|e| panic!("{setup}: {e}"));
                let right = wanted.call("f", data).unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(found.value, right.value, "{setup}: {} of {args:?}", case.text);
                launches.push(found.stats.expect("a device").launches);
            }
            let same = launches.iter().all(|l| *l == launches[0]);
            assert_eq!(same, !case.host, "{setup}: {launches:?} launches of {}", case.text);
        }
    }
}

#[test]
fn the_first_failure_is_reported() {
    for (text, args) in FAILURES {
        let program = program(text);
        let fail = |engine: &Engine| {
            let failed = engine.call("f", arguments(&program, args)).map(|o| o.value).expect_err(text);
            let first = &failed.diagnostics[0];
            let place = first.labels.iter().find(|l| l.primary).map(|l| l.span);
            (first.code, first.title.clone(), place)
        };
        let wanted = fail(&engine(&program, &Setup::new(Backend::Interp)));
        for setup in setups() {
            assert_eq!(fail(&engine(&program, &setup)), wanted, "{setup}: {text}");
        }
    }
}
