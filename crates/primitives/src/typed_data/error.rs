//! What is wrong with a document, and where.

use serde_json::{Map, Value};
use thiserror::Error;

/// Why a document is not hashed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}: {problem}")]
pub struct TypedDataError {
    /// The place in the document, such as `message.Calls[2].To`.
    pub path: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with a part of a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// A member is not there, or is null.
    #[error("is missing")]
    Missing,
    /// A value is of another kind.
    #[error("must be {0}")]
    Expected(&'static str),
    /// A number is too large or too small.
    #[error("is out of the range of {0}")]
    OutOfRange(&'static str),
    /// A text is neither a number nor up to 31 ASCII characters.
    #[error("is neither a number nor a text of up to 31 ASCII characters")]
    ShortString,
    /// There is no such revision.
    #[error("must be 0 or 1")]
    Revision,
    /// A type that nothing defines, or that cannot be used like this.
    #[error("has the type {0:?}, which is not known here")]
    UnknownType(String),
    /// A type has a name that the standard or the syntax of types needs.
    #[error("is not a name that a type may have")]
    ReservedName,
    /// An enum has no such variant.
    #[error("has no variant {0:?}")]
    UnknownVariant(String),
    /// A variant has another number of values.
    #[error("must have {expected} values and has {given}")]
    VariantLength {
        /// The values that its type names.
        expected: usize,
        /// The values that there are.
        given: usize,
    },
    /// A tree without leaves has no root.
    #[error("has no leaves")]
    NoLeaves,
    /// A limit of what is read.
    #[error("has more than {most} {what}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// As much as may be.
        most: usize,
    },
}

impl From<Problem> for TypedDataError {
    fn from(problem: Problem) -> Self {
        Self {
            path: String::new(),
            problem,
        }
    }
}

impl TypedDataError {
    /// The same, in a member of this name.
    pub(super) fn within(self, name: &str) -> Self {
        let path = if self.path.is_empty() || self.path.starts_with('[') {
            format!("{name}{}", self.path)
        } else {
            format!("{name}.{}", self.path)
        };
        Self { path, ..self }
    }

    /// The same, in an item of a list.
    pub(super) fn within_item(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }
}

pub(super) fn object(value: &Value) -> Result<&Map<String, Value>, TypedDataError> {
    Ok(value.as_object().ok_or(Problem::Expected("an object"))?)
}

pub(super) fn list(value: &Value) -> Result<&[Value], TypedDataError> {
    let list = value.as_array().ok_or(Problem::Expected("a list"))?;
    Ok(list)
}

pub(super) fn text(value: &Value) -> Result<&str, TypedDataError> {
    Ok(value.as_str().ok_or(Problem::Expected("a text"))?)
}

/// A member that must be there.
pub(super) fn field<'v>(
    object: &'v Map<String, Value>,
    name: &str,
) -> Result<&'v Value, TypedDataError> {
    match object.get(name) {
        None | Some(Value::Null) => Err(TypedDataError::from(Problem::Missing).within(name)),
        Some(value) => Ok(value),
    }
}
