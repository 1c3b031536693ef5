//! The log, on standard error.

use crate::{
    config::{LogFilter, LogFormat, Server},
    console::LogWriter,
};
use std::io::{self, IsTerminal as _};

/// Starts the log.
pub(crate) fn start(server: &Server, quiet: bool) {
    let terminal = io::stderr().is_terminal();
    let json = match server.log_format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !terminal,
    };
    let filter = if quiet {
        LogFilter::quiet().filter()
    } else {
        server.log.filter()
    };
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| LogWriter)
        .with_ansi(terminal);
    if json {
        log.json().flatten_event(true).with_span_list(false).init();
    } else {
        log.init();
    }
    services::tell_what_is_impossible();
}
