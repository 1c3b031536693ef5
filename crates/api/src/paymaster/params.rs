//! Params: an object, or a list of that one object.

use super::envelope::RpcError;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The object that a method takes.
pub(super) fn one_object<T: DeserializeOwned>(params: Option<Value>) -> Result<T, RpcError> {
    let object = match params {
        Some(object @ Value::Object(_)) => object,
        Some(Value::Array(list)) => match <[Value; 1]>::try_from(list) {
            Ok([object @ Value::Object(_)]) => object,
            _ => return Err(missing()),
        },
        _ => return Err(missing()),
    };
    serde_json::from_value(object).map_err(|error| RpcError::invalid_params(&error.to_string()))
}

fn missing() -> RpcError {
    RpcError::invalid_params("params must be an object, or a list of one")
}
