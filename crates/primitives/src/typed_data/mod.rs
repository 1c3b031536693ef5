//! Typed data as wallets show and sign it: SNIP-12, revisions 0 and 1.
//!
//! A document has types, a domain, and a message of its primary type; what an
//! account signs is [`TypedData::hash`]. Hashes are those of starknet.js, with
//! its reading of values: a text that is a number is that number, any other text
//! is a short string, and a `selector` in hexadecimal is the selector itself.
//! Where starknet.js has no answer, this one goes by the standard: texts of
//! `string` are UTF-8, and types may contain themselves.
//!
//! Documents come from outside. They are bounded in types, in depth and in the
//! number of values, and an error says where it is.

mod encode;
mod error;
mod leaf;
mod member;
mod revision;
mod types;

#[cfg(test)]
mod tests;

pub use error::{Problem, TypedDataError};
pub use revision::Revision;

use crate::felt::short_string;
use encode::Encoder;
use error::{field, object, text};
use serde_json::Value;
use starknet_types_core::felt::Felt;
use types::Types;

/// A document whose types are well formed.
#[derive(Debug)]
pub struct TypedData<'d> {
    types: Types<'d>,
    primary_type: &'d str,
    domain: &'d Value,
    message: &'d Value,
}

impl<'d> TypedData<'d> {
    /// Reads `types`, `primaryType`, `domain` and `message` of a document.
    pub fn parse(document: &'d Value) -> Result<Self, TypedDataError> {
        let document = object(document)?;
        let types = field(document, "types")?;
        let domain = field(document, "domain")?;
        let revision = revision(domain).map_err(|error| error.within("domain"))?;
        let types = Types::parse(types, revision).map_err(|error| error.within("types"))?;
        let primary_type = text(field(document, "primaryType")?);
        Ok(Self {
            types,
            primary_type: primary_type.map_err(|error| error.within("primaryType"))?,
            domain,
            message: field(document, "message")?,
        })
    }

    /// The rules that the document goes by.
    pub fn revision(&self) -> Revision {
        self.types.revision
    }

    /// The hash of a type: the selector of its text.
    pub fn type_hash(&self, name: &str) -> Result<Felt, TypedDataError> {
        Ok(Encoder::new(&self.types).type_hash(self.types.find(name)?))
    }

    /// What ties the document's hash to its domain: a part of what is signed.
    pub fn domain_hash(&self) -> Result<Felt, TypedDataError> {
        self.hash_domain(&mut Encoder::new(&self.types))
    }

    /// What the account at this address signs.
    pub fn hash(&self, account: Felt) -> Result<Felt, TypedDataError> {
        let mut encoder = Encoder::new(&self.types);
        let domain = self.hash_domain(&mut encoder)?;
        let primary = self.types.find(self.primary_type);
        let primary = primary.map_err(|error| error.within("primaryType"))?;
        let message = encoder.structure(primary, self.message, 0);
        let message = message.map_err(|error| error.within("message"))?;
        let parts = [short_string("StarkNet Message"), domain, account, message];
        Ok(self.revision().hash_list(&parts))
    }

    fn hash_domain(&self, encoder: &mut Encoder<'_, 'd>) -> Result<Felt, TypedDataError> {
        let kind = self.types.find(self.revision().domain_type());
        let kind = kind.map_err(|error| error.within("types"))?;
        let hash = encoder.structure(kind, self.domain, 0);
        hash.map_err(|error| error.within("domain"))
    }
}

/// The revision that a domain says it is of; without a word it is the legacy one.
fn revision(domain: &Value) -> Result<Revision, TypedDataError> {
    match object(domain)?.get("revision") {
        None => Ok(Revision::Zero),
        Some(Value::String(text)) if text == "0" => Ok(Revision::Zero),
        Some(Value::String(text)) if text == "1" => Ok(Revision::One),
        Some(Value::Number(number)) if number.as_u64() == Some(0) => Ok(Revision::Zero),
        Some(Value::Number(number)) if number.as_u64() == Some(1) => Ok(Revision::One),
        Some(_) => Err(TypedDataError::from(Problem::Revision).within("revision")),
    }
}
