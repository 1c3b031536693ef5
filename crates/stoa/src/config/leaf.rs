//! How one value is read from text and from TOML, and written back.

use jiff::SignedDuration;
use std::{net::SocketAddr, path::PathBuf, time::Duration};
use toml::Value;

/// A value's type. The environment and flags write it as text; in the file it
/// is text too unless the type says otherwise.
pub(crate) trait Leaf: Sized {
    /// What a value looks like, as in "is not …".
    const EXPECTED: &'static str;

    /// Whether it may be, or hold, a secret: it can be given by reference, and
    /// no message repeats it.
    const SECRET: bool = false;

    /// The value of a text. An error says more than that it is not what was
    /// expected, if there is more to say.
    fn from_text(text: &str) -> Result<Self, Option<String>>;

    /// The value of what stands in the file.
    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        Self::from_text(value.as_str().ok_or(None)?)
    }

    /// The value as it is shown, without secrets; nothing if it is not set.
    fn shown(&self) -> Option<Value>;

    /// The value of a key that is written nowhere and has no default.
    fn absent() -> Option<Self> {
        None
    }
}

/// Gives the values of keys one after the other.
pub(super) trait LeafReader {
    /// The value of a key; nothing when there is a problem with it.
    fn leaf<T: Leaf>(&mut self, path: &'static str) -> Option<T>;
}

impl<T: Leaf> Leaf for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    const SECRET: bool = T::SECRET;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        T::from_text(text).map(Some)
    }

    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        T::from_toml(value).map(Some)
    }

    fn shown(&self) -> Option<Value> {
        self.as_ref().and_then(T::shown)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// A type that can be an item of a list.
pub(crate) trait Item: Leaf {
    /// What the list looks like.
    const EXPECTED_LIST: &'static str;
}

impl<T: Item> Leaf for Vec<T> {
    const EXPECTED: &'static str = T::EXPECTED_LIST;

    /// Comma-separated; an empty text is an empty list.
    fn from_text(text: &str) -> Result<Self, Option<String>> {
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        text.split(',')
            .map(|item| T::from_text(item.trim()).map_err(|more| Some(in_item(item.trim(), more))))
            .collect()
    }

    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        let items = value.as_array().ok_or(None)?;
        items
            .iter()
            .map(|item| T::from_toml(item).map_err(|more| Some(in_item(&item.to_string(), more))))
            .collect()
    }

    fn shown(&self) -> Option<Value> {
        Some(Value::Array(self.iter().filter_map(T::shown).collect()))
    }
}

/// Says which item it is.
fn in_item(item: &str, more: Option<String>) -> String {
    let more = more.map(|more| format!(": {more}")).unwrap_or_default();
    format!("see {item}{more}")
}

impl Leaf for bool {
    const EXPECTED: &'static str = "true or false";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        text.parse().map_err(|_| None)
    }

    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        value.as_bool().ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(Value::Boolean(*self))
    }
}

macro_rules! whole_number {
    ($type:ty, $expected:literal) => {
        impl Leaf for $type {
            const EXPECTED: &'static str = $expected;

            fn from_text(text: &str) -> Result<Self, Option<String>> {
                text.parse().map_err(|_| None)
            }

            fn from_toml(value: &Value) -> Result<Self, Option<String>> {
                let number = value.as_integer().ok_or(None)?;
                Self::try_from(number).map_err(|_| None)
            }

            fn shown(&self) -> Option<Value> {
                // What does not fit TOML's integers can only come from text.
                Some(i64::try_from(*self).map_or_else(|_| self.to_string().into(), Value::Integer))
            }
        }
    };
}

whole_number!(u32, "a whole number from 0 to 4294967295");
whole_number!(u64, "a whole number from 0");

impl Leaf for SocketAddr {
    const EXPECTED: &'static str = "an address and port such as 127.0.0.1:8080 or [::1]:8080";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        text.parse().map_err(|_| None)
    }

    fn shown(&self) -> Option<Value> {
        Some(self.to_string().into())
    }
}

impl Leaf for PathBuf {
    const EXPECTED: &'static str = "a path";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        if text.is_empty() {
            return Err(None);
        }
        Ok(text.into())
    }

    fn shown(&self) -> Option<Value> {
        Some(self.display().to_string().into())
    }
}

impl Leaf for Duration {
    const EXPECTED: &'static str = "a duration such as 500ms, 2s or 5m";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let duration: SignedDuration = text.parse().map_err(|_| None)?;
        Self::try_from(duration).map_err(|_| None)
    }

    fn shown(&self) -> Option<Value> {
        let text = SignedDuration::try_from(*self).map_or_else(
            |_| format!("{}s", self.as_secs()),
            |duration| format!("{duration:#}"),
        );
        Some(text.into())
    }
}
