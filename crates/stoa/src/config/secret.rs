//! Values that may hold a secret: given by reference, shown masked.

use super::leaf::Leaf;
use std::{borrow::Cow, ffi::OsString, fmt, fs, io::Read as _, marker::PhantomData};
use toml::Value;
use url::Url;

pub(super) const MASK: &str = "***";

/// A larger file is not a secret.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

/// What a text stands for: itself, the content of a file (`file:/path`) or of
/// an environment variable (`env:NAME`).
pub(super) fn resolve(
    text: &str,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Cow<'_, str>, String> {
    if let Some(path) = text.strip_prefix("file:") {
        let cannot = |reason: &dyn fmt::Display| format!("cannot read {path}: {reason}");
        let file = fs::File::open(path).map_err(|error| cannot(&error))?;
        let mut content = String::new();
        // What a device says of its length is 0, however much it gives.
        let mut beginning = file.take(MAX_SECRET_BYTES + 1);
        let read = beginning.read_to_string(&mut content);
        read.map_err(|error| cannot(&error))?;
        if beginning.limit() == 0 {
            return Err(cannot(&format_args!(
                "it is larger than {MAX_SECRET_BYTES} bytes"
            )));
        }
        return Ok(content.trim_end_matches(['\r', '\n']).to_owned().into());
    }
    if let Some(name) = text.strip_prefix("env:") {
        let value =
            variable(name).ok_or_else(|| format!("the environment variable {name} is not set"))?;
        return value
            .to_str()
            .map(|value| value.to_owned().into())
            .ok_or_else(|| format!("the environment variable {name} is not text"));
    }
    Ok(text.into())
}

/// The reference that a text is, for people.
pub(super) fn reference(text: &str) -> Option<&str> {
    (text.starts_with("file:") || text.starts_with("env:")).then_some(text)
}

/// A key that a header can carry.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretText(String);

impl SecretText {
    /// The text itself.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Leaf for SecretText {
    const EXPECTED: &'static str = "a text without spaces, of at most 256 characters";
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let fits = (1..=256).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
        fits.then(|| Self(text.to_owned())).ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(MASK.into())
    }
}

/// Which addresses a key takes.
pub(crate) trait Scheme {
    /// What a value looks like.
    const EXPECTED: &'static str;
    /// What it begins with.
    const SCHEMES: &'static [&'static str];
    /// Whether the path may hold a key, as it does with hosted nodes.
    const PATH_IS_SECRET: bool;
}

/// An address whose user part, query and perhaps path are not shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretUrl<S> {
    url: Url,
    scheme: PhantomData<S>,
}

impl<S> SecretUrl<S> {
    /// The address with its secrets.
    pub(crate) fn expose(&self) -> &Url {
        &self.url
    }
}

impl<S: Scheme> fmt::Display for SecretUrl<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.url;
        write!(f, "{}://", url.scheme())?;
        if !url.username().is_empty() || url.password().is_some() {
            write!(f, "{MASK}@")?;
        }
        f.write_str(url.host_str().unwrap_or_default())?;
        if let Some(port) = url.port() {
            write!(f, ":{port}")?;
        }
        let bare = matches!(url.path(), "" | "/");
        match (bare, S::PATH_IS_SECRET) {
            (true, _) => {}
            (false, true) => write!(f, "/{MASK}")?,
            (false, false) => f.write_str(url.path())?,
        }
        if url.query().is_some() {
            write!(f, "?{MASK}")?;
        }
        Ok(())
    }
}

impl<S: Scheme> fmt::Debug for SecretUrl<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<S: Scheme> Leaf for SecretUrl<S> {
    const EXPECTED: &'static str = S::EXPECTED;
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let url = Url::parse(text).map_err(|error| Some(error.to_string()))?;
        if !S::SCHEMES.contains(&url.scheme()) || !url.has_host() {
            return Err(None);
        }
        Ok(Self {
            url,
            scheme: PhantomData,
        })
    }

    fn shown(&self) -> Option<Value> {
        Some(self.to_string().into())
    }
}

/// Addresses in a list, at most.
const MAX_URLS: usize = 8;

/// One or more addresses, the preferred one first.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretUrls<S>(Vec<SecretUrl<S>>);

impl<S> SecretUrls<S> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SecretUrl<S>> {
        self.0.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<S: Scheme> SecretUrls<S> {
    fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Self, Option<String>> {
        let urls: Vec<_> = texts
            .map(|text| SecretUrl::from_text(text.trim()))
            .collect::<Result<_, _>>()?;
        match urls.len() {
            1..=MAX_URLS => Ok(Self(urls)),
            count => Err(Some(format!("{count} addresses, not 1 to {MAX_URLS}"))),
        }
    }
}

impl<S: Scheme> fmt::Display for SecretUrls<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&shown.join(", "))
    }
}

impl<S: Scheme> fmt::Debug for SecretUrls<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<S: Scheme> Leaf for SecretUrls<S> {
    const EXPECTED: &'static str = S::EXPECTED;
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        Self::of(text.split(','))
    }

    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        let items = value.as_array().ok_or(None)?;
        let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
        Self::of(texts.ok_or(None)?.into_iter())
    }

    fn shown(&self) -> Option<Value> {
        match self.0.as_slice() {
            [only] => only.shown(),
            several => Some(Value::Array(
                several.iter().filter_map(SecretUrl::shown).collect(),
            )),
        }
    }
}
