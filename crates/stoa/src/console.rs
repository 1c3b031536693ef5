//! Lines for the person who started the program.

use std::{
    fmt,
    io::{self, Write as _},
};

/// Says a line on standard output. A closed one is no reason to stop.
pub(crate) fn say(line: impl fmt::Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

/// Says a line that begins with what it is about. Programs may read these.
pub(crate) fn say_about(what: &str, line: impl fmt::Display) {
    say(format_args!("{what:<10} {line}"));
}

/// Says why the program failed, with its causes in one line.
pub(crate) fn complain(error: &anyhow::Error) {
    let _ = writeln!(io::stderr(), "error: {error:#}");
}
