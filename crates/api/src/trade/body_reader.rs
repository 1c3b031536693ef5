//! Reads the values of a JSON body. Everything wrong with it is told at once.

use super::amount::read_positive;
use crate::http::error::{Problems, Rejection, shown};
use primitives::U256;
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt::Display, str::FromStr};

/// A caller's value, fit for a message. The quotes of a text are its spelling in JSON,
/// and not told again.
pub(super) fn given(raw: &RawValue) -> String {
    let text = serde_json::from_str::<Cow<'_, str>>(raw.get());
    shown(text.as_deref().unwrap_or(raw.get()))
}

/// What was wrong so far.
#[derive(Default)]
pub(super) struct BodyReader {
    problems: Problems,
}

impl BodyReader {
    /// Nothing was wrong, or all of it.
    pub(super) fn finish(self) -> Result<(), Rejection> {
        self.problems.none()
    }

    pub(super) fn problem(&mut self, problem: String) {
        self.problems.add(problem);
    }

    /// A value, or the problem with it.
    pub(super) fn take<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|problem| self.problem(problem)).ok()
    }

    /// Something that must be there.
    pub(super) fn required<'r>(
        &mut self,
        name: &str,
        raw: Option<&'r RawValue>,
    ) -> Option<&'r RawValue> {
        self.take(raw.ok_or_else(|| format!("{name} is required")))
    }

    /// A JSON string's content, or the problem that it is none.
    pub(super) fn text<'r>(&mut self, name: &str, raw: &'r RawValue) -> Option<Cow<'r, str>> {
        let read = serde_json::from_str(raw.get());
        self.take(read.map_err(|_| format!("{name} must be a text, not {}", shown(raw.get()))))
    }

    /// A text that means something.
    pub(super) fn parsed<T: FromStr<Err: Display>>(
        &mut self,
        name: &str,
        raw: &RawValue,
    ) -> Option<T> {
        let text = self.text(name, raw)?;
        let read = text.parse::<T>();
        self.take(read.map_err(|error| format!("{name} {} {error}", shown(&text))))
    }

    /// The same, and it must be there.
    pub(super) fn required_parsed<T: FromStr<Err: Display>>(
        &mut self,
        name: &str,
        raw: Option<&RawValue>,
    ) -> Option<T> {
        let raw = self.required(name, raw)?;
        self.parsed(name, raw)
    }

    /// An amount that is not nothing, and must be there.
    pub(super) fn amount(&mut self, name: &str, raw: Option<&RawValue>) -> Option<U256> {
        let raw = self.required(name, raw)?;
        let text = self.text(name, raw)?;
        self.take(read_positive(name, &text))
    }

    /// Whether something is so.
    pub(super) fn truth(&mut self, name: &str, raw: &RawValue) -> Option<bool> {
        let read = match raw.get() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => {
                let kind = if other.starts_with('"') {
                    "the text "
                } else {
                    ""
                };
                Err(format!(
                    "{name} must be true or false, not {kind}{}",
                    given(raw)
                ))
            }
        };
        self.take(read)
    }
}
