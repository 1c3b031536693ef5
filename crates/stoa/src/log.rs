//! The log, on standard error.

use crate::config::{LogFormat, Server};
use std::io::{self, IsTerminal as _};

/// Starts the log.
pub(crate) fn start(server: &Server) {
    let terminal = io::stderr().is_terminal();
    let json = match server.log_format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !terminal,
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(server.log.filter())
        .with_writer(io::stderr)
        .with_ansi(terminal);
    if json {
        log.json().flatten_event(true).with_span_list(false).init();
    } else {
        log.init();
    }
    services::tell_what_is_impossible();
}
