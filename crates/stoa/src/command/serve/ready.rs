//! Making a simulated history and catching up with the chain, told to whoever
//! waits: a bar on a terminal, lines in a log.

use crate::{
    console::say_about,
    wiring::{self, HistoryProgress},
};
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    convert::Infallible,
    future,
    io::{self, IsTerminal as _},
    pin::pin,
    time::Duration,
};
use tokio::time::{Instant, MissedTickBehavior};

/// How often the state is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How often a line is logged where no bar can be drawn.
const LINE: Duration = Duration::from_secs(5);

/// The same while a history is made, which takes seconds.
const MAKING_LINE: Duration = Duration::from_secs(1);

const STYLE: &str = "{msg} {wide_bar} block {pos} of {len}, {eta} left";

/// Shows how far a simulated history is until it is made.
pub(super) async fn while_making<T>(
    progress: &HistoryProgress,
    making: impl Future<Output = T>,
) -> T {
    let bar = bar("making the simulated history");
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told: Option<Instant> = None;
    let mut making = pin!(making);
    loop {
        tokio::select! {
            biased;
            made = &mut making => {
                bar.finish_and_clear();
                return made;
            }
            _ = ticks.tick() => {}
        }
        let (block, blocks) = progress.blocks();
        bar.set_length(u64::try_from(blocks).unwrap_or(u64::MAX));
        bar.set_position(u64::try_from(block).unwrap_or(u64::MAX));
        if bar.is_hidden() && told.is_none_or(|told| told.elapsed() >= MAKING_LINE) {
            told = Some(Instant::now());
            tracing::info!(block, blocks, "making the simulated history");
        }
    }
}

/// Shows the progress until the service is ready, says so, and then waits
/// forever.
pub(super) async fn announce(health: &wiring::Health, started: Instant) -> Infallible {
    let bar = bar("catching up");
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = Instant::now();
    let block = loop {
        ticks.tick().await;
        let report = health.report();
        let part = &report.starknet;
        let at = part.block.map_or(0, |block| block.number);
        let head = at.saturating_add(part.lag_blocks.unwrap_or(0));
        if report.is_ready() {
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

fn bar(what: &'static str) -> ProgressBar {
    let target = if io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    match ProgressStyle::with_template(STYLE) {
        Ok(style) => bar.with_style(style).with_message(what),
        Err(_) => bar,
    }
}
