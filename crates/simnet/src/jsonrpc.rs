//! JSON-RPC 2.0 over any transport: from the bytes of a request to those of the
//! answer. What the methods do is the caller's.

use crate::objects::Objects;
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Requests in one batch.
pub(crate) const MAX_BATCH: usize = 100;

/// An error answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl RpcError {
    /// An error that needs no further data.
    pub(crate) const fn new(code: i32, message: &'static str) -> Self {
        Self {
            code,
            message: Cow::Borrowed(message),
            data: None,
        }
    }

    pub(crate) fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// Parameters that the method cannot take, and why.
    pub(crate) fn invalid_params(reason: impl Into<String>) -> Self {
        Self::new(-32602, "Invalid params").with_data(json!({ "reason": reason.into() }))
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(-32601, "Method not found").with_data(json!({ "method": method }))
    }

    /// A failure of the node itself.
    pub(crate) const INTERNAL: Self = Self::new(-32603, "Internal error");

    fn parse(reason: &serde_json::Error) -> Self {
        Self::new(-32700, "Parse error").with_data(json!({ "reason": reason.to_string() }))
    }

    fn invalid_request(reason: impl Into<String>) -> Self {
        Self::new(-32600, "Invalid Request").with_data(json!({ "reason": reason.into() }))
    }
}

/// What a method answers: JSON text, or an error.
pub(crate) type Answer = Result<String, RpcError>;

/// An answer as it is sent.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    /// An id in place of the request's: a fault that clients must notice.
    pub(crate) id: Option<&'static str>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { answer, id: None }
    }
}

/// The JSON text of a result.
pub(crate) fn result<T: Serialize + ?Sized>(value: &T) -> Answer {
    serde_json::to_string(value).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        RpcError::INTERNAL
    })
}

/// Answers a request or a batch. Notifications get no answer.
pub(crate) fn answer<R: Into<Reply>>(
    body: &[u8],
    call: impl Fn(&str, Params) -> R,
) -> Option<String> {
    let request = match serde_json::from_slice::<&RawValue>(body) {
        Ok(request) => request,
        Err(error) => return Some(envelope("null", &Err(RpcError::parse(&error)))),
    };
    if !request.get().starts_with('[') {
        return answer_one(request, &call);
    }
    let refuse = |reason: &str| Some(envelope("null", &Err(RpcError::invalid_request(reason))));
    let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(request.get()) else {
        return refuse("the batch is not an array");
    };
    if batch.is_empty() {
        return refuse("the batch is empty");
    }
    if batch.len() > MAX_BATCH {
        return refuse(&format!("the batch has more than {MAX_BATCH} requests"));
    }
    let answers: Vec<String> = batch
        .into_iter()
        .filter_map(|request| answer_one(request, &call))
        .collect();
    (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
}

#[derive(Deserialize)]
struct Request<'a> {
    jsonrpc: Option<Cow<'a, str>>,
    #[serde(default, borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<Cow<'a, str>>,
    params: Option<Value>,
}

/// `null` is an id, a missing one is a notification.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    let id = <&RawValue>::deserialize(deserializer)?;
    if id.get().starts_with(['{', '[', 't', 'f']) {
        return Err(D::Error::custom("id must be a string, a number or null"));
    }
    Ok(Some(id))
}

fn answer_one<R: Into<Reply>>(raw: &RawValue, call: &impl Fn(&str, Params) -> R) -> Option<String> {
    let refuse =
        |id: &str, reason: String| Some(envelope(id, &Err(RpcError::invalid_request(reason))));
    // A sequence would otherwise be read as a struct's fields in order.
    if !raw.get().starts_with('{') {
        return refuse("null", "a request is an object".to_owned());
    }
    let request: Request<'_> = match serde_json::from_str(raw.get()) {
        Ok(request) => request,
        Err(error) => return refuse("null", error.to_string()),
    };
    let id = request.id.map(RawValue::get);
    if request.jsonrpc.as_deref() != Some("2.0") {
        return refuse(id.unwrap_or("null"), "jsonrpc must be \"2.0\"".to_owned());
    }
    let Some(method) = request.method else {
        return refuse(id.unwrap_or("null"), "method is missing".to_owned());
    };
    let reply: Reply = call(&method, Params(request.params)).into();
    id.map(|id| envelope(reply.id.unwrap_or(id), &reply.answer))
}

fn envelope(id: &str, answer: &Answer) -> String {
    match answer {
        Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        Err(error) => {
            let error = json!(error);
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
        }
    }
}

/// The parameters of a request, by position or by name.
#[derive(Debug)]
pub(crate) struct Params(Option<Value>);

impl Params {
    /// Gives the parameters their names, which are in the order of positions.
    /// Others than these are refused.
    pub(crate) fn named(self, names: &[&str]) -> Result<Arguments, RpcError> {
        let given = match self.0 {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(given)) => given,
            Some(Value::Array(values)) if values.len() <= names.len() => names
                .iter()
                .map(|name| String::from(*name))
                .zip(values)
                .collect(),
            Some(Value::Array(values)) => {
                return Err(RpcError::invalid_params(format!(
                    "{} parameters given, at most {} taken",
                    values.len(),
                    names.len()
                )));
            }
            Some(_) => {
                return Err(RpcError::invalid_params(
                    "parameters must be an array or an object",
                ));
            }
        };
        if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(RpcError::invalid_params(format!(
                "unknown parameter {unknown:?}"
            )));
        }
        Ok(Arguments(given))
    }
}

/// Parameters by name.
#[derive(Debug)]
pub(crate) struct Arguments(Map<String, Value>);

impl Arguments {
    /// A parameter that must be there.
    pub(crate) fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, RpcError> {
        self.optional(name)?
            .ok_or_else(|| RpcError::invalid_params(format!("{name} is missing")))
    }

    /// A parameter that may be missing or `null`.
    pub(crate) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, RpcError> {
        let value = self.0.remove(name).unwrap_or_default();
        Option::deserialize(Objects(value))
            .map_err(|error| RpcError::invalid_params(format!("{name}: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A method that answers with its first parameter.
    fn echo(method: &str, params: Params) -> Answer {
        match method {
            "echo" => result(&params.named(&["value"])?.required::<u64>("value")?),
            _ => Err(RpcError::method_not_found(method)),
        }
    }

    fn ask(body: &str) -> Option<Value> {
        answer(body.as_bytes(), echo).map(|text| serde_json::from_str(&text).unwrap())
    }

    fn code(body: &str) -> i64 {
        ask(body).unwrap()["error"]["code"].as_i64().unwrap()
    }

    #[test]
    fn parameters_come_by_position_or_by_name() {
        for params in ["[7]", r#"{"value":7}"#] {
            let answer = ask(&format!(
                r#"{{"jsonrpc":"2.0","id":"a","method":"echo","params":{params}}}"#
            ));
            assert_eq!(answer, Some(json!({"jsonrpc":"2.0","id":"a","result":7})));
        }
    }

    #[test]
    fn parameters_that_do_not_fit_are_refused_with_the_reason() {
        for (params, reason) in [
            ("[]", "value is missing"),
            ("[1,2]", "2 parameters given, at most 1 taken"),
            (r#"{"valeu":7}"#, "unknown parameter \"valeu\""),
            ("7", "parameters must be an array or an object"),
        ] {
            let answer = ask(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{params}}}"#
            ))
            .unwrap();
            assert_eq!(answer["error"]["code"], -32602, "{params}");
            assert_eq!(answer["error"]["data"]["reason"], reason, "{params}");
        }
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":["x"]}"#),
            -32602
        );
    }

    #[test]
    fn a_parameter_that_is_an_object_is_not_read_from_an_array() {
        #[derive(Deserialize)]
        struct Filter {
            from: u64,
        }
        let filtered = |value: Value| {
            let mut arguments = Params(Some(json!([value]))).named(&["filter"]).unwrap();
            arguments.required::<Filter>("filter").map(|it| it.from)
        };
        assert_eq!(filtered(json!({"from": 7})), Ok(7));
        for (value, reason) in [
            (json!([7]), "filter: must be an object, not an array"),
            (json!(7), "filter: must be an object"),
        ] {
            assert_eq!(filtered(value), Err(RpcError::invalid_params(reason)));
        }
    }

    #[test]
    fn each_kind_of_bad_request_has_its_code() {
        assert_eq!(code("{"), -32700);
        assert_eq!(code(""), -32700);
        assert_eq!(code("[]"), -32600);
        assert_eq!(code("7"), -32600);
        assert_eq!(code(r#"{"id":1,"method":"echo"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":{},"method":"echo"}"#), -32600);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#), -32601);
        let long = vec!["1"; MAX_BATCH + 1].join(",");
        assert_eq!(code(&format!("[{long}]")), -32600);
    }

    #[test]
    fn ids_come_back_exactly_as_they_were_sent() {
        for id in ["null", "12345678901234567890123", "1.50", "\"\\u00e9\""] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":[1]}}"#);
            let text = answer(body.as_bytes(), echo).unwrap();
            assert!(text.contains(&format!(r#""id":{id},"#)), "{text}");
        }
    }

    #[test]
    fn a_batch_is_answered_in_order_without_its_notifications() {
        let one =
            |id: u8| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":[{id}]}}"#);
        let note = r#"{"jsonrpc":"2.0","method":"echo","params":[1]}"#;
        let answers = ask(&format!("[{},{note},7,[],{}]", one(1), one(2))).unwrap();
        let answers = answers.as_array().unwrap();
        assert_eq!(answers.len(), 4);
        assert_eq!(
            (&answers[0]["result"], &answers[3]["result"]),
            (&json!(1), &json!(2))
        );
        for bad in &answers[1..3] {
            assert_eq!(
                (&bad["id"], &bad["error"]["code"]),
                (&Value::Null, &json!(-32600))
            );
        }
        assert_eq!(ask(note), None);
        assert_eq!(ask(&format!("[{note},{note}]")), None);
    }

    proptest! {
        #[test]
        fn no_body_makes_the_protocol_panic(body in ".{0,200}") {
            let _ = answer(body.as_bytes(), echo);
        }
    }
}
