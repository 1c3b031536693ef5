//! What cannot happen is counted and logged when it does.

use primitives::{Impossible, SourceLocation, report_impossible_to};
use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

/// Places that were logged. There are as many as our source has, at most.
static LOGGED: Mutex<BTreeSet<SourceLocation>> = Mutex::new(BTreeSet::new());

/// From now on, whatever cannot happen is told to those who run the program.
pub fn tell_what_is_impossible() {
    report_impossible_to(report);
}

/// Counts every time, and logs the first one of each place.
fn report(met: Impossible) {
    let place = met.place.to_string();
    metrics::counter!("stoa_impossible_total", "place" => place.clone()).increment(1);
    let mut logged = LOGGED.lock().unwrap_or_else(PoisonError::into_inner);
    if logged.insert(met.place) {
        let what = met.what;
        tracing::error!(
            place,
            what,
            "something impossible happened; please report it"
        );
    }
}
