//! Programs that start from a kept plan, as another process meets them: each start is a process of its own with a cache of its own.

#![allow(clippy::print_stdout, reason = "a process tells the test that started it what happened")]

use std::path::{Path, PathBuf};
use std::process::Command;
use terrace::{Backend, Data, Program, Settings, Strategy, Taken};
use terrace_base::Scalar;

const TEXT: &str = "import \"helper\"
entry sums(rows: [][]f64) -> []f64 = [sum(row) + helper.twice(0.1) for row in rows]
entry pick(xs: []f64, i: i64) -> f64 =
  let unused = len(xs)
  in xs[i]
";
const HELPER: &str = "def twice(x: f64) -> f64 = x + x\n";

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("terrace-start-test-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("f.tce"), TEXT).expect("written");
    std::fs::write(path.join("helper.tce"), HELPER).expect("written");
    path
}

fn rows(lengths: &[usize]) -> Data {
    let row = |n: &usize| Data::Array((0..*n).map(|i| Data::Scalar(Scalar::F64(i as f64 / 3.0))).collect());
    Data::Array(lengths.iter().map(row).collect())
}

/// Compiles and calls; says which bodies were compiled, and everything that a user would see.
#[test]
#[ignore = "the other tests of this file start it"]
fn in_a_process() {
    let program = Program::from_file(Path::new("f.tce")).unwrap_or_else(|e| panic!("{e}"));
    println!("\n{}", program.render_warnings(false));
    let mut settings = Settings { threads: 1, ..Settings::default() };
    if std::env::var_os("START_OUTER").is_some() {
        settings.options.strategy = Strategy::Outer;
    }
    let engine = program.engine(Backend::C, &settings).unwrap_or_else(|e| panic!("{e}"));
    for lengths in [&[3, 0, 1][..], &[2, 2]] {
        println!("value {:?}", engine.call("sums", vec![rows(lengths)]).expect("runs").value);
    }
    let row = Data::Array(vec![Data::Scalar(Scalar::F64(1.0))]);
    let failed = engine.call("pick", vec![row, Data::Scalar(Scalar::I64(5))]).expect_err("there is no fifth");
    println!("{}", failed.render(false));
    let regular = engine.that_ran("sums", Taken::Regular);
    assert!(!std::ptr::eq(regular, &engine), "there is a regular body");
    for (of, engine) in [("general", &engine), ("regular", regular)] {
        let flattened = engine.timings().entries().iter().any(|t| t.name == "flatten");
        let proved = engine.timings().entries().iter().any(|t| t.name == "prove_checks");
        println!("passes: {of} {}", if flattened || proved { "compiled" } else { "kept" });
    }
}

/// What a start says; and apart from it, what was compiled.
fn start(folder: &Path, outer: bool) -> (String, Vec<String>) {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "in_a_process", "--ignored", "--nocapture"]).current_dir(folder);
    command.env("TERRACE_CACHE", folder.join("cache"));
    if outer {
        command.env("START_OUTER", "1");
    }
    let output = command.output().expect("ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let (passes, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("passes: "));
    let rest = rest.into_iter().filter(|l| !l.contains("finished in")).collect::<Vec<_>>().join("\n");
    (rest, passes.iter().map(|p| p.trim_start_matches("passes: ").to_string()).collect())
}

const COMPILED: [&str; 2] = ["general compiled", "regular compiled"];
const KEPT: [&str; 2] = ["general kept", "regular kept"];

fn check(found: (String, Vec<String>), said: &str, passes: [&str; 2]) {
    assert_eq!((found.0.as_str(), found.1), (said, passes.map(str::to_string).to_vec()));
}

#[test]
fn the_second_start_says_the_same_and_compiles_nothing() {
    let folder = folder("second");
    let (first, passes) = start(&folder, false);
    assert_eq!(passes, COMPILED);
    assert!(first.contains("index 5 is out of bounds") && first.contains("f.tce:5:"), "{first}");
    assert!(first.contains("unused"), "a warning of the front end: {first}");
    check(start(&folder, false), &first, KEPT);
    // Another way to compile is another plan, and another text is another program.
    let (outer, passes) = start(&folder, true);
    assert_eq!((outer.as_str(), passes[0].as_str()), (first.as_str(), COMPILED[0]));
    std::fs::write(folder.join("helper.tce"), HELPER.replace("x + x", "x * 2.5")).expect("written");
    let (changed, passes) = start(&folder, false);
    assert_eq!(passes, COMPILED);
    assert_ne!(changed, first);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn damaged_plans_are_made_again() {
    let folder = folder("damaged");
    let (first, _) = start(&folder, false);
    let plans = || {
        let all = std::fs::read_dir(folder.join("cache")).expect("the folder").map(|e| e.expect("an entry").path());
        all.filter(|p| p.extension().is_some_and(|e| e == "plan")).collect::<Vec<_>>()
    };
    assert_eq!(plans().len(), 3, "two bodies, and that there was nothing to say about sizes");
    type Damage = fn(&Path) -> std::io::Result<()>;
    let damages: [Damage; 4] = [
        |p| std::fs::read(p).and_then(|bytes| std::fs::write(p, &bytes[..bytes.len() / 2])),
        |p| {
            let mut bytes = std::fs::read(p)?;
            let middle = bytes.len() / 2;
            bytes.get_mut(middle).into_iter().for_each(|b| *b ^= 4);
            std::fs::write(p, bytes)
        },
        |p| std::fs::write(p.with_extension("key"), "0 of another program"),
        |p| std::fs::remove_file(p),
    ];
    for damage in damages {
        plans().iter().for_each(|p| damage(p).expect("damaged"));
        check(start(&folder, false), &first, COMPILED);
        check(start(&folder, false), &first, KEPT);
    }
    let _ = std::fs::remove_dir_all(&folder);
}
