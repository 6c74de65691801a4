//! Running other programs, with a limit on their time.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a program said.
pub(crate) struct Said {
    pub(crate) out: String,
    /// What went wrong, in a line or a few.
    pub(crate) failed: Option<String>,
    pub(crate) took: Duration,
}

/// Runs a program to its end, or ends it when its time is over.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Said {
    let began = Instant::now();
    let failed = |why: String| Said { out: String::new(), failed: Some(why), took: began.elapsed() };
    let name = command.get_program().to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(why) => return failed(format!("{name}: {why}")),
    };
    let read = |pipe: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            if let Some(mut pipe) = pipe {
                let _ = pipe.read_to_end(&mut bytes);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(child.stdout.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let errors = read(child.stderr.take().map(|p| Box::new(p) as Box<dyn Read + Send>));
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            // A look now and then must not add much to a short time.
            Ok(None) if began.elapsed() < limit => {
                let pause = began.elapsed() / 50;
                std::thread::sleep(pause.clamp(Duration::from_micros(100), Duration::from_millis(20)));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let took = began.elapsed();
    let (out, errors) = (out.join().unwrap_or_default(), errors.join().unwrap_or_default());
    let failed = match status {
        Some(status) if status.success() => None,
        Some(status) => {
            Some(format!("{status}: {}", last_lines(if errors.trim().is_empty() { &out } else { &errors })))
        }
        None => Some(format!("stopped after {} s", limit.as_secs())),
    };
    Said { out, failed, took }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(6)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_failure_and_time() {
        let said = run(Command::new("sh").args(["-c", "echo yes"]), Duration::from_secs(10));
        assert_eq!((said.out.as_str(), said.failed), ("yes\n", None));
        let said = run(Command::new("sh").args(["-c", "echo why >&2; exit 3"]), Duration::from_secs(10));
        assert_eq!(said.failed, Some("exit status: 3: why".to_string()));
        let said = run(Command::new("sleep").arg("5"), Duration::from_millis(50));
        assert_eq!(said.failed, Some("stopped after 0 s".to_string()));
        assert!(said.took < Duration::from_secs(4));
    }
}
