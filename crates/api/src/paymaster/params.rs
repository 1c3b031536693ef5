//! Params: an object, or a list of that one object.

use super::envelope::{RpcError, is_list, is_object, without_position};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The object that a method takes.
pub(super) fn one_object<'b, T: Deserialize<'b>>(
    params: Option<&'b RawValue>,
) -> Result<T, RpcError> {
    let object = one(params).filter(|one| is_object(one.get()));
    read(
        object.ok_or_else(|| {
            RpcError::invalid_params("params must be an object, or a list of one")
        })?,
    )
}

/// Params themselves, or what a list of one has.
pub(super) fn one(params: Option<&RawValue>) -> Option<&RawValue> {
    match params {
        Some(list) if is_list(list.get()) => read::<[&RawValue; 1]>(list).ok().map(|[one]| one),
        other => other,
    }
}

/// A value that is to be of this form.
pub(super) fn read<'b, T: Deserialize<'b>>(value: &'b RawValue) -> Result<T, RpcError> {
    serde_json::from_str(value.get())
        .map_err(|error| RpcError::invalid_params(&without_position(&error)))
}
