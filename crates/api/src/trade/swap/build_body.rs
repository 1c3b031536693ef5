//! A request to build a quote, on the wire.

use super::super::body_reader::{BodyReader, given};
use crate::http::error::Rejection;
use primitives::{Address, Felt};
use serde::Deserialize;
use serde_json::value::RawValue;
use services::{BuildRequest, Taker};
use std::borrow::Cow;
use trading::Slippage;
use utoipa::ToSchema;
use uuid::Uuid;

/// Which quote is built, and how.
#[derive(ToSchema)]
#[schema(as = BuildRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct BuildBodyDescription {
    /// The `quoteId` of a quote that has not expired.
    #[schema(format = "uuid", example = "6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60")]
    quote_id: String,
    /// Who will execute the calls; not needed if the quote was asked for with
    /// it, and not allowed with `private`. `0x0` is nobody.
    #[schema(example = "0x1234")]
    taker_address: Option<String>,
    /// How much worse than quoted the trade may be, as a part of 1.
    #[schema(minimum = 0.0, maximum = 1.0, default = 0.05, example = 0.005)]
    slippage: Option<f64>,
    /// Whether the exchange must be allowed to take what is sold. The approval
    /// is left out if the taker's allowance is known to be enough.
    #[schema(default = true)]
    include_approve: Option<bool>,
    /// Whether the private executor is to be the taker.
    #[schema(default = false)]
    private: Option<bool>,
}

/// The same as it is sent: whatever a value is, the others are read too.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildBody<'a> {
    #[serde(borrow)]
    quote_id: Option<&'a RawValue>,
    #[serde(borrow)]
    taker_address: Option<&'a RawValue>,
    #[serde(borrow)]
    slippage: Option<&'a RawValue>,
    #[serde(borrow)]
    include_approve: Option<&'a RawValue>,
    #[serde(borrow)]
    private: Option<&'a RawValue>,
}

impl BuildBody<'_> {
    pub(super) fn read(&self) -> Result<BuildRequest, Rejection> {
        let mut body = BodyReader::default();
        let quote = self.quote(&mut body);
        let slippage = self.slippage(&mut body);
        let approve = self.include_approve;
        let approve = approve.map(|raw| body.truth("includeApprove", raw));
        let taker = self.taker(&mut body);
        body.finish()?;
        let (Some(quote), Some(slippage)) = (quote, slippage) else {
            // What is missing is a problem that was told.
            return Err(Rejection::Internal);
        };
        Ok(BuildRequest {
            quote,
            taker,
            slippage,
            approve: approve.flatten().unwrap_or(true),
        })
    }

    fn quote(&self, body: &mut BodyReader) -> Option<Uuid> {
        let raw = body.required("quoteId", self.quote_id)?;
        let text = serde_json::from_str::<Cow<'_, str>>(raw.get()).ok();
        let id = text.as_deref().and_then(|text| Uuid::parse_str(text).ok());
        body.take(id.ok_or_else(|| format!("quoteId must be a UUID, not {}", given(raw))))
    }

    /// The number exactly as it is written.
    fn slippage(&self, body: &mut BodyReader) -> Option<Slippage> {
        let Some(raw) = self.slippage else {
            return Some(Slippage::DEFAULT);
        };
        let read = raw.get().parse::<Slippage>();
        let told = |error| {
            format!(
                "slippage must be a number from 0 to 1, {} {error}",
                given(raw)
            )
        };
        body.take(read.map_err(told))
    }

    fn taker(&self, body: &mut BodyReader) -> Taker {
        let given = self.taker_address;
        let given = given.and_then(|raw| body.parsed::<Address>("takerAddress", raw));
        let given = given.filter(|taker| taker.felt() != Felt::ZERO);
        let is_private = self.private.and_then(|raw| body.truth("private", raw));
        match (given, is_private.unwrap_or(false)) {
            (Some(_), true) => {
                let problem = "takerAddress and private exclude each other: the taker of a private \
                     swap is the executor";
                body.problem(problem.to_owned());
                Taker::Private
            }
            (None, true) => Taker::Private,
            (Some(taker), false) => Taker::Is(taker),
            (None, false) => Taker::OfQuote,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_wrong_is_quoted_once() {
        let id = "\"6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60\"";
        for (written, told) in [("\"abc\"", "\"abc\""), ("7", "\"7\""), ("[]", "\"[]\"")] {
            let kind = if written == told { "the text " } else { "" };
            for (fields, message) in [
                (
                    format!("\"quoteId\": {written}"),
                    "quoteId must be a UUID, not ".to_owned(),
                ),
                (
                    format!("\"quoteId\": {id}, \"private\": {written}"),
                    format!("private must be true or false, not {kind}"),
                ),
            ] {
                let text = format!("{{{fields}}}");
                let body: BuildBody<'_> = serde_json::from_str(&text).unwrap();
                let messages = body.read().unwrap_err().into_messages();
                assert_eq!(messages, [format!("{message}{told}")]);
            }
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_it_panic(
            fields in proptest::collection::vec((
                "quoteId|takerAddress|slippage|includeApprove|private|x",
                r#"null|true|-?[0-9]{1,3}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?|"[ -!#-\[\]-~]{0,12}"|\[\]|\{\}"#,
            ), 0..6),
        ) {
            let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{key:?}: {value}")).collect();
            let text = format!("{{{}}}", fields.join(", "));
            if let Ok(body) = serde_json::from_str::<BuildBody<'_>>(&text) {
                let _ = body.read();
            }
        }
    }
}
