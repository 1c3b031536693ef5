//! Reads JSON values more strictly than they would be: where an object is
//! meant, only an object is taken. A structure would otherwise be read from an
//! array of its values without their names, and whatever else is there would be
//! refused with the name of the structure.

use serde::de::{
    Deserializer, Error as _, IntoDeserializer, Visitor,
    value::{MapDeserializer, SeqDeserializer},
};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Value};

/// A value whose structures are objects, at every depth.
#[derive(Debug)]
pub(crate) struct Objects(pub(crate) Value);

impl IntoDeserializer<'_, Error> for Objects {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Objects {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut items = SeqDeserializer::new(items.into_iter().map(Self));
                let read = visitor.visit_seq(&mut items)?;
                items.end().map(|()| read)
            }
            Value::Object(members) => {
                let members = members.into_iter().map(|(name, it)| (name, Self(it)));
                let mut members = MapDeserializer::new(members);
                let read = visitor.visit_map(&mut members)?;
                members.end().map(|()| read)
            }
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            Value::Array(_) => Err(Error::custom("must be an object, not an array")),
            _ => Err(Error::custom("must be an object")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        a: u64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        inner: Option<Inner>,
        list: Vec<Inner>,
        word: String,
    }

    fn read(value: Value) -> Result<Outer, String> {
        Outer::deserialize(Objects(value)).map_err(|error| error.to_string())
    }

    #[test]
    fn objects_are_read_at_every_depth() {
        let value = json!({"inner": {"a": 1}, "list": [{"a": 2}, {"a": 3}], "word": "x"});
        let expected = Outer {
            inner: Some(Inner { a: 1 }),
            list: vec![Inner { a: 2 }, Inner { a: 3 }],
            word: "x".to_owned(),
        };
        assert_eq!(read(value), Ok(expected));
        let value = json!({"inner": null, "list": [], "word": ""});
        assert!(read(value).unwrap().inner.is_none());
    }

    #[test]
    fn arrays_and_other_values_are_no_objects_at_any_depth() {
        for value in [
            json!([{"a": 1}, [], "x"]),
            json!({"inner": [1], "list": [], "word": "x"}),
            json!({"inner": null, "list": [[2]], "word": "x"}),
        ] {
            assert_eq!(read(value), Err("must be an object, not an array".into()));
        }
        for value in [json!(7), json!("x"), json!({"inner": 7, "list": []})] {
            assert_eq!(read(value), Err("must be an object".into()));
        }
    }
}
