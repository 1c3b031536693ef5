//! Reads the fields of a JSON body, each as it is written. What is wrong is
//! told by name, in the order in which the fields are asked for.

use super::{catalog::Slug, problem::Problem};
use crate::http::{error::shown, json::JsonText};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::BTreeMap, fmt, str::FromStr};

/// The fields of a body. `null` is the same as nothing, except where a field
/// can be emptied.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    values: BTreeMap<Cow<'a, str>, &'a RawValue>,
    /// What a field that is none of its kind is refused as.
    flaw: Slug,
}

/// What becomes of a field that may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Empty,
    Text(String),
}

impl<'a> Fields<'a> {
    /// The fields of an object.
    pub(super) fn read(text: &'a JsonText, flaw: Slug) -> Result<Self, Problem> {
        let read = serde_json::from_slice::<Object<'_>>(text.bytes());
        let wrong = |error| Problem::new(flaw, format!("request body: {error}"));
        let Object(values) = read.map_err(wrong)?;
        Ok(Self { values, flaw })
    }

    /// The fields of an object within another one.
    pub(super) fn of(value: &'a RawValue, flaw: Slug) -> Result<Self, Problem> {
        let read = serde_json::from_str::<Object<'_>>(value.get());
        let wrong = |_| {
            let told = format!(
                "must be an object, each key once, not {}",
                shown(value.get())
            );
            Problem::new(flaw, told)
        };
        let Object(values) = read.map_err(wrong)?;
        Ok(Self { values, flaw })
    }

    /// The same, if it has no fields but these.
    pub(super) fn only(self, names: &[&str]) -> Result<Self, Problem> {
        self.has_only(names)?;
        Ok(self)
    }

    /// Whether it has no fields but these.
    pub(super) fn has_only(&self, names: &[&str]) -> Result<(), Problem> {
        let unknown = self.values.keys().find(|name| !names.contains(&&***name));
        match unknown {
            Some(name) => {
                let told = format!("{}: there is no such field", shown(name));
                Err(Problem::new(self.flaw, told))
            }
            None => Ok(()),
        }
    }

    /// Whether a field is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// A list that has to be there, its items as they are written.
    pub(super) fn list(&self, name: &str) -> Result<Vec<&'a RawValue>, Problem> {
        let value = self.given(name).ok_or_else(|| self.missing(name))?;
        let list = serde_json::from_str(value.get());
        list.map_err(|_| self.wrong(name, "must be a list", value))
    }

    fn given(&self, name: &str) -> Option<&'a RawValue> {
        let value = self.values.get(name).copied();
        value.filter(|value| value.get() != "null")
    }

    fn wrong(&self, name: &str, must: impl fmt::Display, value: &RawValue) -> Problem {
        let told = format!("{name} {must}, not {}", shown(value.get()));
        Problem::new(self.flaw, told)
    }

    /// A text; `None` if it is absent or null.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Problem> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let text = serde_json::from_str::<String>(value.get());
        text.map(Some)
            .map_err(|_| self.wrong(name, "must be a text", value))
    }

    /// A text that has to be there, and that can be read as something.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(&self, name: &str) -> Result<T, Problem> {
        let text = self.required(name)?;
        let read = text.parse();
        read.map_err(|error| Problem::new(self.flaw, format!("{name} {} {error}", shown(&text))))
    }

    /// A text that has to be there.
    pub(super) fn required(&self, name: &str) -> Result<String, Problem> {
        let text = self.text(name)?;
        text.ok_or_else(|| self.missing(name))
    }

    fn missing(&self, name: &str) -> Problem {
        Problem::new(self.flaw, format!("{name} is missing"))
    }

    /// A text, or an explicit nothing.
    pub(super) fn wish(&self, name: &str) -> Result<Wish, Problem> {
        if !self.values.contains_key(name) {
            return Ok(Wish::Nothing);
        }
        Ok(self.text(name)?.map_or(Wish::Empty, Wish::Text))
    }

    /// `true` or `false`.
    pub(super) fn truth(&self, name: &str) -> Result<Option<bool>, Problem> {
        match self.given(name).map(|value| (value, value.get())) {
            None => Ok(None),
            Some((_, "true")) => Ok(Some(true)),
            Some((_, "false")) => Ok(Some(false)),
            Some((value, _)) => Err(self.wrong(name, "must be true or false", value)),
        }
    }

    /// A number that has to be there, as it is written.
    pub(super) fn number(&self, name: &str) -> Result<&'a str, Problem> {
        let value = self.given(name).ok_or_else(|| self.missing(name))?;
        if is_number(value) {
            Ok(value.get())
        } else {
            Err(self.wrong(name, "must be a number", value))
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let number = value.get().parse().map(Some);
        number.map_err(|_| self.wrong(name, "must be a whole number of 64 bits", value))
    }

    /// A decimal, written as a number or as a text; its digits as they are.
    pub(super) fn decimal(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.given(name) {
            Some(value) if is_number(value) => Ok(Some(value.get().to_owned())),
            Some(value) => {
                let text = self.text(name);
                text.map_err(|_| self.wrong(name, "must be a decimal", value))
            }
            None => Ok(None),
        }
    }
}

fn is_number(value: &RawValue) -> bool {
    value
        .get()
        .starts_with(|first: char| first == '-' || first.is_ascii_digit())
}

/// An object of which no key is repeated: whoever reads the first one and
/// whoever reads the last one must see the same.
struct Object<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut values = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<Cow<'de, str>, &'de RawValue>()? {
            if values.contains_key(&name) {
                let told = format_args!("{} is there twice", shown(&name)).to_string();
                return Err(A::Error::custom(told));
            }
            values.insert(name, value);
        }
        Ok(Object(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(body: &str) -> JsonText {
        JsonText::from(bytes::Bytes::copy_from_slice(body.as_bytes()))
    }

    #[test]
    fn values_are_read_as_they_are_written() {
        let body = text(r#"{"t": "\u0041", "n": 1.50, "y": true, "w": -7, "z": null}"#);
        let fields = Fields::read(&body, Slug::MalformedRequest).unwrap();
        assert_eq!(fields.text("t").unwrap().as_deref(), Some("A"));
        assert_eq!(fields.decimal("n").unwrap().as_deref(), Some("1.50"));
        assert_eq!(fields.decimal("t").unwrap().as_deref(), Some("A"));
        assert_eq!(fields.truth("y").unwrap(), Some(true));
        assert_eq!(fields.whole("w").unwrap(), Some(-7));
        assert_eq!(fields.number("w").unwrap(), "-7");
        assert_eq!(fields.text("z").unwrap(), None);
        assert_eq!(fields.wish("z").unwrap(), Wish::Empty);
        assert_eq!(fields.wish("absent").unwrap(), Wish::Nothing);
    }

    #[test]
    fn values_of_another_kind_are_refused_by_name() {
        let body = text(r#"{"t": 1, "n": [], "y": "true", "w": 1.5}"#);
        let fields = Fields::read(&body, Slug::MalformedRequest).unwrap();
        assert!(fields.text("t").is_err());
        assert!(fields.required("absent").is_err());
        assert!(fields.decimal("n").is_err());
        assert!(fields.truth("y").is_err());
        assert!(fields.whole("w").is_err());
        assert!(fields.number("y").is_err());
        assert!(fields.only(&["t", "n", "y"]).is_err());
    }

    #[test]
    fn only_objects_without_repeated_keys_are_read() {
        for body in [
            "",
            "[]",
            "1",
            "null",
            "{",
            "{}x",
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":1}"#,
        ] {
            assert!(
                Fields::read(&text(body), Slug::MalformedRequest).is_err(),
                "{body}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_it_panic(body in ".{0,60}", value in r#"null|"[a-z]{0,5}"|-?(0|[1-9][0-9]{0,24})|\[\]"#) {
            let _ = Fields::read(&text(&body), Slug::MalformedRequest);
            let body = text(&format!("{{\"a\": {value}}}"));
            let fields = Fields::read(&body, Slug::MalformedRequest).unwrap();
            let _ = (fields.text("a").is_ok(), fields.whole("a").is_ok(), fields.number("a").is_ok());
            let _ = (fields.decimal("a").is_ok(), fields.truth("a").is_ok(), fields.wish("a").is_ok());
        }
    }
}
