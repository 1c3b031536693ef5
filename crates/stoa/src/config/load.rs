//! From what is written to typed values.

use super::{
    check::check,
    keys::{self, Config, Key},
    layers::{Layers, Raw, Sources},
    leaf::{Leaf, LeafReader},
    problem::{Origin, Problem, Problems},
    secret,
};
use toml::Value;

/// A configuration, and what is to be said about it.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    /// The configuration.
    pub(crate) config: Config,
    /// The value of each key as it may be shown, in the order of the table.
    pub(super) shown: Vec<Shown>,
}

/// One key's value as it may be shown.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) key: &'static Key,
    /// Nothing when the key is not set.
    pub(super) value: Option<Value>,
    pub(super) origin: Origin,
    /// The reference through which a secret was given.
    pub(super) through: Option<String>,
}

/// Reads everything. Either the configuration is sound, or all problems are
/// told.
pub(crate) fn load(sources: &Sources) -> Result<Loaded, Problems> {
    let mut reader = Reader {
        sources,
        layers: Layers::read(sources),
        shown: Vec::new(),
    };
    let config = Config::read(&mut reader);
    if let Some(config) = &config {
        let broken = check(config).into_iter().map(|(key, message)| Problem {
            key: key.to_owned(),
            message,
            origin: reader.origin(key),
        });
        let broken: Vec<Problem> = broken.collect();
        reader.layers.problems.extend(broken);
    }
    match config {
        Some(config) if reader.layers.problems.is_empty() => Ok(Loaded {
            config,
            shown: reader.shown,
        }),
        _ => Err(Problems(reader.layers.problems)),
    }
}

/// Reads one key after the other and notes what is wrong.
struct Reader<'a> {
    sources: &'a Sources,
    layers: Layers,
    shown: Vec<Shown>,
}

impl LeafReader for Reader<'_> {
    fn leaf<T: Leaf>(&mut self, path: &'static str) -> Option<T> {
        let origin = self.origin(path);
        match self.value::<T>(path) {
            Ok((value, through)) => {
                self.shown.extend(keys::find(path).map(|key| Shown {
                    key,
                    value: value.shown(),
                    origin,
                    through,
                }));
                Some(value)
            }
            Err(message) => {
                self.layers.problems.push(Problem {
                    key: path.to_owned(),
                    message,
                    origin,
                });
                None
            }
        }
    }
}

impl Reader<'_> {
    fn origin(&self, path: &str) -> Origin {
        let written = self.layers.written.get(path);
        written.map_or(Origin::Default, |written| written.origin.clone())
    }

    /// The value, and the reference through which it was given.
    fn value<T: Leaf>(&self, path: &str) -> Result<(T, Option<String>), String> {
        let text = match self.layers.written.get(path).map(|written| &written.raw) {
            Some(Raw::Toml(Value::String(text))) if T::SECRET => text,
            Some(Raw::Toml(value)) => {
                return T::from_toml(value)
                    .map(|read| (read, None))
                    .map_err(|more| refusal::<T>(value, more));
            }
            Some(Raw::Text(text)) => text,
            None => return Ok((unwritten(path)?, None)),
        };
        let (resolved, through) = if T::SECRET {
            let resolved = secret::resolve(text, |name| self.sources.variable(name))?;
            (resolved, secret::reference(text).map(str::to_owned))
        } else {
            (text.into(), None)
        };
        T::from_text(&resolved)
            .map(|read| (read, through))
            .map_err(|more| refusal::<T>(&Value::String(resolved.into_owned()), more))
    }
}

fn unwritten<T: Leaf>(path: &str) -> Result<T, String> {
    match keys::find(path).and_then(|key| key.default) {
        Some(text) => T::from_text(text).map_err(|more| refusal::<T>(&text.into(), more)),
        None => T::absent().ok_or_else(|| "is required".to_owned()),
    }
}

/// Says what was expected; repeats the value unless it may be a secret.
fn refusal<T: Leaf>(value: &Value, more: Option<String>) -> String {
    let what = if T::SECRET {
        "is".to_owned()
    } else {
        format!("{value} is")
    };
    let more = more.map(|more| format!(": {more}")).unwrap_or_default();
    format!("{what} not {}{more}", T::EXPECTED)
}
