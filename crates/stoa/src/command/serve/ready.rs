//! Catching up, told to whoever waits: a bar on a terminal, lines in a log.

use crate::{console::say_about, wiring};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    convert::Infallible,
    future,
    io::{self, IsTerminal as _},
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};

/// How often the state is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How often a line is logged where no bar can be drawn.
const LINE: Duration = Duration::from_secs(5);

const STYLE: &str = "catching up {wide_bar} block {pos} of {len}, {eta} left";

/// Shows the progress until the service is ready, says so, and then waits
/// forever.
pub(super) async fn announce(health: &wiring::Health, started: Instant) -> Infallible {
    let bar = bar();
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = Instant::now();
    let block = loop {
        ticks.tick().await;
        let report = health.report();
        let part = report.starknet;
        let at = part.block.map_or(0, |block| block.number);
        let head = at.saturating_add(part.lag_blocks.unwrap_or(0));
        if report.ready {
            break at;
        }
        bar.set_length(head);
        bar.set_position(at);
        if bar.is_hidden() && told.elapsed() >= LINE {
            told = Instant::now();
            let left = HumanDuration(bar.eta()).to_string();
            tracing::info!(
                block = at,
                head,
                left,
                problem = part.problem,
                "catching up"
            );
        }
    };
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    say_about("ready", format_args!("block {block} after {seconds:.1} s"));
    future::pending().await
}

fn bar() -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    match ProgressStyle::with_template(STYLE) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
