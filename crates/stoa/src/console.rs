//! Lines for the person who started the program, and the progress bar below
//! them. Whatever is written to the terminal goes through here, so that lines
//! and the bar never share one.

use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::Value;
use std::{
    fmt,
    io::{self, IsTerminal as _, Write},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Whether nothing is said.
static HUSHED: AtomicBool = AtomicBool::new(false);

/// The bar that is on the terminal.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// From now on nothing is said but warnings and errors.
pub(crate) fn hush() {
    HUSHED.store(true, Ordering::Relaxed);
}

/// Says a line on standard output. A closed one is no reason to stop.
pub(crate) fn say(line: impl fmt::Display) {
    if HUSHED.load(Ordering::Relaxed) {
        return;
    }
    without_bar(|| {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    });
}

/// Says a line that begins with what it is about. Programs may read these.
pub(crate) fn say_about(what: &str, line: impl fmt::Display) {
    say(format_args!("{what:<10} {line}"));
}

/// Says a list for programs, as a JSON array.
pub(crate) fn say_json(items: impl Iterator<Item = Value>) -> anyhow::Result<()> {
    let items: Vec<Value> = items.collect();
    say(serde_json::to_string_pretty(&items)?);
    Ok(())
}

/// Says why the program failed, with its causes in one line.
pub(crate) fn complain(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "error: {error:#}");
}

/// Where log lines go: standard error, above the bar. A line that cannot be
/// written, on a full disk say, is lost: whoever logs has something better to do
/// than to fail for it.
#[derive(Debug)]
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let _ = without_bar(|| io::stderr().write_all(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// A bar on the terminal, if there is one; taken away when dropped.
#[derive(Debug)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Begins without a length: nothing is known of what lies ahead.
    pub(crate) fn new() -> Self {
        let target = if io::stderr().is_terminal() && !HUSHED.load(Ordering::Relaxed) {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
        Self(bar)
    }

    pub(crate) fn as_progress(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.finish_and_clear();
    }
}

/// Writes while no bar is on the terminal.
fn without_bar<T>(write: impl FnOnce() -> T) -> T {
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}
