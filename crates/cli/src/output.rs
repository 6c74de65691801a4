//! What goes to the terminal, and how a run ends.
//!
//! Results go to standard output, everything said about them to standard error, for people or as JSON. A reader that stops
//! reading (`terrace run … | head`) ends the run quietly.

use crate::arguments::Messages;
use crate::progress::wipe;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use terrace::{Failed, Program};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is right.
    Good,
    /// The program or its data is wrong.
    Bad,
    /// The command was used wrongly.
    Usage,
    /// Terrace is wrong.
    Bug,
    /// Ctrl-C was pressed.
    Stopped,
}

impl Verdict {
    pub(crate) fn of(good: bool) -> Verdict {
        if good { Verdict::Good } else { Verdict::Bad }
    }

    /// The exit code.
    pub(crate) fn code(self) -> u8 {
        match self {
            Verdict::Good => 0,
            Verdict::Bad => 1,
            Verdict::Usage => 2,
            Verdict::Bug => 101,
            Verdict::Stopped => 130,
        }
    }
}

/// Writes messages, for people or for tools.
#[derive(Clone, Copy, Default)]
pub(crate) struct Messenger {
    json: bool,
}

impl Messenger {
    pub(crate) fn new(messages: Messages) -> Messenger {
        Messenger { json: messages.json }
    }

    /// Whether tools read what is written.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    pub(crate) fn failed(self, failed: &Failed) {
        error(&if self.json { failed.render_json() } else { failed.render(colour()) });
    }

    pub(crate) fn warnings(self, program: &Program) {
        error(&if self.json { program.warnings_json() } else { program.render_warnings(colour()) });
    }
}

/// Whether messages may be coloured.
pub(crate) fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Writes to standard output.
pub(crate) fn print(text: &str) {
    wipe();
    let mut out = std::io::stdout().lock();
    if let Err(why) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Nobody reads any more: that is how pipes end.
        let broken = why.kind() == std::io::ErrorKind::BrokenPipe;
        if !broken {
            error(&format!("cannot write the result: {why}\n"));
        }
        std::process::exit(i32::from(!broken));
    }
}

/// Writes to standard error; there is nobody to tell if that fails.
pub(crate) fn error(text: &str) {
    wipe();
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// What is said where Terrace itself goes wrong.
pub(crate) fn report_bug(panic: &std::panic::PanicHookInfo<'_>) {
    let text = panic.payload().downcast_ref::<&str>().map(|s| s.to_string());
    let text = text.or_else(|| panic.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
    let place = panic.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
    error(&format!(
        "bug: Terrace {} made a mistake of its own: {text}{place}\n  \
         Your program may be right. Please report this message with the program and the command that led here;\n  \
         until it is mended, `--backend interp` may get you further.\n",
        env!("CARGO_PKG_VERSION")
    ));
}

/// How long a run has to stop by itself after Ctrl-C, before the process just ends.
const GRACE: Duration = Duration::from_millis(300);

/// Lets Ctrl-C end the process soon, with a message and the code that shells expect; whatever runs then.
pub(crate) fn stop_on_interrupt() {
    terrace::runtime::on_interrupt(|| {
        std::thread::sleep(GRACE);
        stopped();
        std::process::exit(i32::from(Verdict::Stopped.code()));
    });
}

/// Says once that the run was stopped.
pub(crate) fn stopped() {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        error("stopped\n");
    }
}
