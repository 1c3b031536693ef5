//! What cannot happen, and is loud when it does.
//!
//! Where assertions are compiled in, as in every test, it panics. Otherwise it is
//! reported with its place, and whoever met it goes on with a fault, or with what
//! does the least harm.

use std::{fmt, panic::Location, sync::OnceLock};
use thiserror::Error;

/// Something that cannot happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{what} (at {place})")]
pub struct Impossible {
    /// In words, for whoever reads the report.
    pub what: &'static str,
    /// Where in our source.
    pub place: SourceLocation,
}

/// A place in our source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceLocation(&'static Location<'static>);

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.0.file(), self.0.line())
    }
}

static REPORTER: OnceLock<fn(Impossible)> = OnceLock::new();

/// Whom it is reported to from now on, if nobody was named before: this crate
/// neither logs nor counts.
pub fn report_impossible_to(reporter: fn(Impossible)) {
    REPORTER.get_or_init(|| reporter);
}

/// Reports that something happened that cannot.
///
/// # Panics
///
/// Where assertions are compiled in.
#[track_caller]
pub fn impossible(what: &'static str) -> Impossible {
    let met = Impossible {
        what,
        place: SourceLocation(Location::caller()),
    };
    if let Some(report) = REPORTER.get() {
        report(met);
    }
    debug_assert!(false, "impossible: {met}");
    met
}

/// What must be there.
pub trait OrImpossible<T> {
    /// The value; if there is none, that is [`impossible`].
    #[track_caller]
    fn or_impossible(self, what: &'static str) -> Result<T, Impossible>;
}

impl<T> OrImpossible<T> for Option<T> {
    fn or_impossible(self, what: &'static str) -> Result<T, Impossible> {
        match self {
            Some(value) => Ok(value),
            None => Err(impossible(what)),
        }
    }
}

impl<T, E> OrImpossible<T> for Result<T, E> {
    fn or_impossible(self, what: &'static str) -> Result<T, Impossible> {
        match self {
            Ok(value) => Ok(value),
            Err(_) => Err(impossible(what)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static REPORTED: Mutex<Vec<Impossible>> = Mutex::new(Vec::new());

    #[test]
    fn what_cannot_happen_is_reported_with_its_place_and_panics_in_tests() {
        report_impossible_to(|met| REPORTED.lock().unwrap().push(met));
        assert_eq!(Some(1).or_impossible("nothing"), Ok(1));
        let line = line!() + 1;
        let met = std::panic::catch_unwind(|| None::<()>.or_impossible("no one"));
        let text = met.unwrap_err().downcast::<String>().unwrap();
        let place = format!("{}:{line}", file!());
        assert_eq!(*text, format!("impossible: no one (at {place})"));
        let reported = REPORTED.lock().unwrap();
        assert_eq!(reported.len(), 1);
        assert_eq!(reported[0].place.to_string(), place);
    }
}
