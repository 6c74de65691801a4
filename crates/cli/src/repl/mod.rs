//! `terrace repl`: expressions, definitions and values, as they come to mind.
//!
//! ```text
//! > def square(x) = x * x                   kept, in place of an earlier `square`
//! > let rows = [[i * j for j < i] for i < 4]      computed once, and kept
//! > [sum(map(square, row)) for row in rows]
//! [0, 0, 4, 45]
//! > it[3] + 1                               `it` is the last answer
//! 46
//! > :shapes [sum(row) for row in rows]
//! ```
//!
//! An input is finished when its brackets are closed and it does not end in the middle of something ([`input`]). What is kept, and how an expression becomes a
//! program, is [`session`]'s; lines come from a terminal with history and completion ([`editor`]), or from a pipe. No mistake ends it.

mod commands;
mod editor;
mod input;
mod session;

use crate::output::{Messenger, Verdict, error, print};
use editor::Lines;
use session::Session;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use terrace::Failed;

const GREETING: &str = "Terrace. An expression gives its value; `:help` lists what else there is, Ctrl-D ends.\n";

/// Whether an input is being worked on.
static BUSY: AtomicBool = AtomicBool::new(false);
/// How often Ctrl-C was pressed during it.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Ctrl-C ends an expression and not the session, unless a kernel does not come to an end: then the second one does.
pub(crate) fn stop_on_interrupt() {
    terrace::runtime::on_interrupt(|| {
        if BUSY.load(Ordering::Relaxed) && ASKED.fetch_add(1, Ordering::Relaxed) > 0 {
            error("stopped\n");
            std::process::exit(i32::from(Verdict::Stopped.code()));
        }
    });
}

pub(crate) fn repl(files: &[PathBuf]) -> Result<Verdict, Failed> {
    let messenger = Messenger::default();
    let mut session = Session::default();
    let mut lines = Lines::open();
    if lines.is_terminal() {
        print(GREETING);
    }
    let mut good = true;
    for file in files {
        if let Err(failed) = session.load(file) {
            messenger.failed(&failed);
            good = false;
        }
    }
    while let Some(text) = lines.next(&session) {
        terrace::runtime::request_stop(false);
        ASKED.store(0, Ordering::Relaxed);
        BUSY.store(true, Ordering::Relaxed);
        // A mistake of Terrace's own has been reported when it arrives here.
        let reply = catch_unwind(AssertUnwindSafe(|| commands::obey(&mut session, &text)));
        BUSY.store(false, Ordering::Relaxed);
        let Ok(reply) = reply else {
            good = false;
            continue;
        };
        match reply {
            Ok(commands::Reply::Say(text)) => print(&text),
            Ok(commands::Reply::Quit) => break,
            Err(failed) if failed.is_stop() => error("stopped\n"),
            Err(failed) => {
                messenger.failed(&failed);
                good = false;
            }
        }
    }
    // At a terminal somebody saw the messages; a script wants to know.
    Ok(Verdict::of(good || lines.is_terminal()))
}
