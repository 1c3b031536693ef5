//! Making a simulated history and catching up with the chain, told to whoever
//! waits: a bar on a terminal, lines in a log.

use crate::{
    console::{Bar, say_about},
    wiring::{self, HistoryProgress},
};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::{convert::Infallible, future, pin::pin, time::Duration};
use tokio::time::{Instant, MissedTickBehavior};

/// How often the state is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How often a line is logged where no bar can be drawn.
const LINE: Duration = Duration::from_secs(5);

/// The same while a history is made, which takes seconds.
const MAKING_LINE: Duration = Duration::from_secs(1);

/// While nobody knows how much there is to do, and when they do.
const WAITING: &str = "{spinner} {msg}";
const MEASURED: &str = "{msg} {wide_bar} {pos} of {len} blocks, {eta} left";

/// Shows how far a simulated history is until it is made.
pub(super) async fn while_making<T>(
    progress: &HistoryProgress,
    making: impl Future<Output = T>,
) -> T {
    let mut view = View::new("making the simulated history");
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told: Option<Instant> = None;
    let mut making = pin!(making);
    loop {
        tokio::select! {
            biased;
            made = &mut making => return made,
            _ = ticks.tick() => {}
        }
        let (block, blocks) = progress.blocks();
        let [done, all] = [block, blocks].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
        view.show(part(0, done, all));
        if view.is_hidden() && told.is_none_or(|told| told.elapsed() >= MAKING_LINE) {
            told = Some(Instant::now());
            tracing::info!(block, blocks, "making the simulated history");
        }
    }
}

/// Shows the progress until the service is ready, says so, and then waits
/// forever.
pub(super) async fn announce(health: &wiring::Health, started: Instant) -> Infallible {
    let block = caught_up(health).await;
    let seconds = started.elapsed().as_secs_f64();
    say_about("ready", format_args!("block {block} after {seconds:.1} s"));
    future::pending().await
}

/// Shows the progress until the service is ready; then answers with its block.
async fn caught_up(health: &wiring::Health) -> u64 {
    let mut view = View::new("catching up");
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told = Instant::now();
    let mut first = None;
    loop {
        ticks.tick().await;
        let report = health.report();
        let starknet = &report.starknet;
        let at = starknet.block.map_or(0, |block| block.number);
        let head = at.saturating_add(starknet.lag_blocks.unwrap_or(0));
        if report.is_ready() {
            return at;
        }
        view.show(part(*first.get_or_insert(at), at, head));
        if view.is_hidden() && told.elapsed() >= LINE {
            told = Instant::now();
            let left = HumanDuration(view.bar().eta()).to_string();
            let problem = starknet.problem;
            tracing::info!(block = at, head, left, problem, "catching up");
        }
    }
}

/// How much of the way from the first block to the head is done, if any is left.
fn part(first: u64, at: u64, head: u64) -> Option<(u64, u64)> {
    (at < head).then(|| (at.saturating_sub(first), head.saturating_sub(first)))
}

/// What is on the terminal meanwhile.
struct View {
    bar: Bar,
    is_measured: bool,
}

impl View {
    fn new(what: &'static str) -> Self {
        let view = Self {
            bar: Bar::new(),
            is_measured: false,
        };
        view.style(WAITING);
        view.bar().set_message(what);
        view
    }

    fn bar(&self) -> &ProgressBar {
        self.bar.as_progress()
    }

    fn is_hidden(&self) -> bool {
        self.bar().is_hidden()
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar().set_style(style);
        }
    }

    /// Shows a part of a whole, or that neither is known.
    fn show(&mut self, part: Option<(u64, u64)>) {
        if part.is_some() != self.is_measured {
            self.is_measured = part.is_some();
            self.style(if self.is_measured { MEASURED } else { WAITING });
            // What went before says nothing about how fast it goes now.
            self.bar().reset_eta();
        }
        match part {
            Some((done, all)) => {
                self.bar().set_length(all);
                self.bar().set_position(done);
            }
            None => self.bar().tick(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_begins_empty_and_is_never_full() {
        assert_eq!(part(0, 0, 0), None);
        assert_eq!(part(900, 900, 1000), Some((0, 100)));
        assert_eq!(part(900, 950, 1000), Some((50, 100)));
        // A reorganisation may lead below where it began.
        assert_eq!(part(900, 890, 1000), Some((0, 100)));
        assert_eq!(part(900, 1000, 1000), None);
    }
}
