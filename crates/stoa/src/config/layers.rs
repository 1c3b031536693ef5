//! The layers of a configuration, laid over each other: what is written for
//! each key, and where. Unknown keys are refused here.

use super::{
    flags::Flags,
    keys::{self, Key, SECTIONS},
    problem::{Origin, Problem},
};
use serde::Deserialize as _;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};
use toml::{
    Spanned, Value,
    de::{DeTable, DeValue, ValueDeserializer},
};

/// Names of our environment variables begin so.
const PREFIX: &str = "STOA__";

/// A key further away than this from what was written is no suggestion.
const MIN_LIKENESS: f64 = 0.75;

/// Everything a configuration is made of.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    /// The file, if one was named.
    pub(crate) file: Option<PathBuf>,
    /// The environment of the process.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// What the command line says.
    pub(crate) flags: Flags,
}

impl Sources {
    /// An environment variable.
    pub(super) fn variable(&self, name: &str) -> Option<OsString> {
        let mut named = self.environment.iter().filter(|(key, _)| key == name);
        named.next().map(|(_, value)| value.clone())
    }
}

/// What was written for a key.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub(super) raw: Raw,
    pub(super) origin: Origin,
}

/// In which form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    /// As everything is in the environment and in flags.
    Text(String),
    /// As it stands in the file.
    Toml(Value),
}

/// What is written for each key by the highest layer that has it.
#[derive(Debug, Default)]
pub(super) struct Layers {
    pub(super) written: BTreeMap<&'static str, Written>,
    pub(super) problems: Vec<Problem>,
}

impl Layers {
    /// Reads and lays over each other: file, environment, flags.
    pub(super) fn read(sources: &Sources) -> Self {
        let mut layers = Self::default();
        if let Some(path) = &sources.file {
            layers.file(path);
        }
        layers.environment(&sources.environment);
        for (key, flag, text) in sources.flags.iter() {
            layers.set(key, Raw::Text(text.clone()), Origin::Flag(flag));
        }
        layers
    }

    fn set(&mut self, key: &'static Key, raw: Raw, origin: Origin) {
        self.written.insert(key.path, Written { raw, origin });
    }

    fn problem(&mut self, key: impl Into<String>, message: impl Into<String>, origin: Origin) {
        self.problems.push(Problem {
            key: key.into(),
            message: message.into(),
            origin,
        });
    }

    fn file(&mut self, path: &Path) {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("cannot read {}: {error}", path.display());
                return self.problem("--config", message, Origin::Flag("config"));
            }
        };
        let at = |offset: usize| Origin::File {
            path: path.to_owned(),
            line: 1 + text
                .bytes()
                .take(offset)
                .filter(|byte| *byte == b'\n')
                .count(),
        };
        let (table, errors) = DeTable::parse_recoverable(&text);
        for error in &errors {
            let offset = error.span().map_or(0, |span| span.start);
            self.problem("not TOML", error.message(), at(offset));
        }
        if errors.is_empty() {
            self.sections(table.into_inner(), &at);
        }
    }

    fn sections(&mut self, table: DeTable<'_>, at: &impl Fn(usize) -> Origin) {
        for (name, value) in table {
            let origin = at(name.span().start);
            let name = name.into_inner();
            let Some(section) = SECTIONS.iter().find(|section| section.name == name) else {
                let known = SECTIONS.iter().map(|section| section.name);
                let message = format!("unknown section{}", suggestion(&name, known));
                self.problem(name, message, origin);
                continue;
            };
            match value.into_inner() {
                DeValue::Table(table) => self.section(section.name, table, at),
                _ => self.problem(name, "is a section, not a value", origin),
            }
        }
    }

    fn section(&mut self, section: &str, table: DeTable<'_>, at: &impl Fn(usize) -> Origin) {
        for (name, value) in table {
            let origin = at(name.span().start);
            let path = format!("{section}.{}", name.get_ref());
            let Some(key) = keys::find(&path) else {
                let message = format!("unknown key{}", nearest_key(&path));
                self.problem(path, message, origin);
                continue;
            };
            match read_value(value) {
                Ok(value) => self.set(key, Raw::Toml(value), origin),
                Err(error) => self.problem(key.path, error.message(), origin),
            }
        }
    }

    fn environment(&mut self, environment: &[(OsString, OsString)]) {
        let ours = environment
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value)))
            .filter(|(name, _)| name.starts_with(PREFIX));
        for (name, value) in ours {
            let origin = Origin::Environment(name.to_owned());
            let Some(key) = keys::keys().find(|key| key.variable() == name) else {
                let known: Vec<String> = keys::keys().map(Key::variable).collect();
                let nearest = suggestion(name, known.iter().map(String::as_str));
                let path = name.trim_start_matches(PREFIX).replace("__", ".");
                self.problem(path.to_lowercase(), format!("unknown key{nearest}"), origin);
                continue;
            };
            match value.to_str() {
                Some(text) => self.set(key, Raw::Text(text.to_owned()), origin),
                None => self.problem(key.path, "is not text", origin),
            }
        }
    }
}

fn read_value(value: Spanned<DeValue<'_>>) -> Result<Value, toml::de::Error> {
    Value::deserialize(ValueDeserializer::from(value))
}

fn nearest_key(path: &str) -> String {
    suggestion(path, keys::keys().map(|key| key.path))
}

/// `; did you mean …?`, if something known is near.
fn suggestion<'known>(written: &str, known: impl Iterator<Item = &'known str>) -> String {
    known
        .map(|known| (strsim::jaro_winkler(written, known), known))
        .filter(|(likeness, _)| *likeness >= MIN_LIKENESS)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| format!("; did you mean {known}?"))
        .unwrap_or_default()
}
