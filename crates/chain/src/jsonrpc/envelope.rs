//! The JSON around questions and answers.
//!
//! Answers borrow from the body. A batch may be answered in any order; each id
//! must come exactly once.

use crate::error::{NodeError, RpcError};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// What one call came to: the raw result, or the node's error.
pub(super) type Reply<'a> = Result<&'a RawValue, NodeError>;

#[derive(Serialize)]
pub(super) struct Request<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: &'a P,
}

impl<'a, P> Request<'a, P> {
    pub(super) fn new(id: u64, method: &'static str, params: &'a P) -> Self {
        Self {
            jsonrpc: "2.0",
            id,
            method,
            params,
        }
    }
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<ErrorObject<'a>>,
}

/// A result that is there, `null` included: that can be an answer.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct ErrorObject<'a> {
    code: i64,
    #[serde(borrow, default)]
    message: Cow<'a, str>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl<'a> Response<'a> {
    fn id(&self) -> Option<u64> {
        self.id.and_then(|id| id.get().parse().ok())
    }

    fn reply(self, method: &'static str) -> Result<Reply<'a>, RpcError> {
        match (self.error, self.result) {
            (Some(error), _) => Ok(Err(error.into())),
            (None, Some(result)) => Ok(Ok(result)),
            (None, None) => Err(RpcError::malformed(
                method,
                serde::de::Error::custom("neither result nor error"),
            )),
        }
    }
}

impl From<ErrorObject<'_>> for NodeError {
    fn from(error: ErrorObject<'_>) -> Self {
        Self::new(error.code, &error.message, error.data.map(RawValue::get))
    }
}

/// The answer to the call `id`. An error may lack the id: the node may not have
/// understood so much of the question.
pub(super) fn read_single<'a>(
    method: &'static str,
    id: u64,
    body: &'a [u8],
) -> Result<Reply<'a>, RpcError> {
    let response: Response<'a> =
        serde_json::from_slice(body).map_err(|source| RpcError::malformed(method, source))?;
    match response.id() {
        Some(found) if found == id => response.reply(method),
        None if response.error.is_some() => response.reply(method),
        _ => Err(RpcError::WrongId { method }),
    }
}

/// The answers to the calls `first_id..first_id + count`, in that order.
pub(super) fn read_batch<'a>(
    method: &'static str,
    first_id: u64,
    count: usize,
    body: &'a [u8],
) -> Result<Vec<Reply<'a>>, RpcError> {
    if body.trim_ascii_start().first() != Some(&b'[') {
        return Err(match read_single(method, first_id, body)? {
            Err(error) => refused(method, error),
            Ok(_) => RpcError::WrongId { method },
        });
    }
    let mut json = serde_json::Deserializer::from_slice(body);
    let responses = AtMost(count)
        .deserialize(&mut json)
        .and_then(|responses| json.end().map(|()| responses))
        .map_err(|source| RpcError::malformed(method, source))?
        .ok_or(RpcError::WrongId { method })?;

    let mut replies: Vec<Option<Reply<'a>>> = vec![None; count];
    for response in responses {
        let slot = response
            .id()
            .and_then(|id| usize::try_from(id.checked_sub(first_id)?).ok())
            .and_then(|index| replies.get_mut(index));
        match (slot, response.reply(method)?) {
            (Some(slot @ None), reply) => *slot = Some(reply),
            (None, Err(error)) => return Err(refused(method, error)),
            _ => return Err(RpcError::WrongId { method }),
        }
    }
    replies
        .into_iter()
        .collect::<Option<_>>()
        .ok_or(RpcError::WrongId { method })
}

/// A busy node would be busier with the same calls one by one.
fn refused(method: &'static str, source: NodeError) -> RpcError {
    if source.is_overload() {
        RpcError::Node { method, source }
    } else {
        RpcError::BatchRefused { method, source }
    }
}

/// Reads an array of that many responses; of a longer one only as many are
/// kept in memory before it is given up.
struct AtMost(usize);

impl<'de> DeserializeSeed<'de> for AtMost {
    type Value = Option<Vec<Response<'de>>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for AtMost {
    type Value = Option<Vec<Response<'de>>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of {} answers", self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut responses = Vec::with_capacity(self.0);
        while responses.len() < self.0 {
            match items.next_element()? {
                Some(response) => responses.push(response),
                None => return Ok(Some(responses)),
            }
        }
        let mut surplus = false;
        while items.next_element::<IgnoredAny>()?.is_some() {
            surplus = true;
        }
        Ok((!surplus).then_some(responses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn batch(body: &str) -> Result<Vec<String>, RpcError> {
        read_batch("m", 7, 3, body.as_bytes()).map(|replies| {
            replies
                .into_iter()
                .map(|reply| reply.map_or_else(|e| e.message, |raw| raw.get().to_owned()))
                .collect()
        })
    }

    #[test]
    fn a_batch_is_put_in_order_by_its_ids() {
        let body = r#" [{"id":9,"result":"c"},{"id":7,"result":"a"},
            {"id":8,"error":{"code":20,"message":"b","data":{"x":1}}}]"#;
        assert_eq!(batch(body).unwrap(), ["\"a\"", "b", "\"c\""]);
    }

    #[test]
    fn missing_repeated_and_foreign_ids_are_refused() {
        for body in [
            "[]",
            r#"[{"id":7,"result":1},{"id":8,"result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"id":8,"result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"id":10,"result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"id":6,"result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"id":"9","result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"result":1}]"#,
            r#"[{"id":7,"result":1},{"id":8,"result":1},{"id":9,"result":1},{"id":9,"result":1}]"#,
            r#"{"id":7,"result":1}"#,
        ] {
            let error = batch(body).unwrap_err();
            assert!(
                matches!(error, RpcError::WrongId { .. }),
                "{body}: {error:?}"
            );
        }
    }

    #[test]
    fn one_error_for_a_whole_batch_is_its_refusal_unless_the_node_is_busy() {
        for body in [
            r#"{"id":null,"error":{"code":-32600,"message":"no batches"}}"#,
            r#"[{"id":null,"error":{"code":-32600,"message":"no batches"}}]"#,
        ] {
            let error = batch(body).unwrap_err();
            assert!(matches!(error, RpcError::BatchRefused { .. }), "{error:?}");
        }
        let error = batch(r#"{"id":null,"error":{"code":-32005}}"#).unwrap_err();
        assert!(matches!(error, RpcError::Node { .. }), "{error:?}");
    }

    #[test]
    fn null_is_a_result_unless_there_is_an_error() {
        let reply = read_single("m", 1, br#"{"id":1,"result":null,"error":null}"#).unwrap();
        assert_eq!(reply.unwrap().get(), "null");
        let reply = read_single("m", 1, br#"{"id":1,"result":null,"error":{"code":7}}"#).unwrap();
        assert_eq!(reply.unwrap_err().code, 7);
    }

    #[test]
    fn an_answer_without_result_and_error_is_malformed() {
        let error = read_single("m", 1, br#"{"id":1}"#).unwrap_err();
        assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
    }

    proptest! {
        #[test]
        fn no_body_makes_the_reader_panic(body in "[\\[\\]{}\":,a-z0-9 ]{0,200}") {
            let _ = read_batch("m", 7, 3, body.as_bytes());
            let _ = read_single("m", 7, body.as_bytes());
        }
    }
}
