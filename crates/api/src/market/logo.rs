//! `GET /logo/{address}.svg`: a picture for every token, drawn from its address
//! and its symbol, so that no page has to ask anybody else for one.

use super::{MarketState, reading::RequestReader, token_price::ETH};
use crate::http::{
    entity_tag::{EntityTag, KnownTags},
    error::{FreeAnswers, Rejection, shown},
};
use axum::{
    extract::{Path, State, rejection::PathRejection},
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG},
    },
    response::{IntoResponse, Response},
};
use primitives::Address;
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Letters of a picture.
const LETTERS: usize = 3;

/// A token keeps its address and its symbol.
const FOR_GOOD: &str = "public, max-age=31536000, immutable";

/// One that nobody knows yet may become known.
const FOR_NOW: &str = "public, max-age=60";

/// It is a picture and nothing else, whoever opens it.
const POLICY: &str = "default-src 'none'; sandbox";

pub(super) fn route() -> UtoipaMethodRouter<MarketState> {
    routes!(token_logo)
}

/// The picture of a path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "only describes the parameter")]
struct LogoFile {
    /// The token's address, padded or not, and `.svg`.
    #[param(example = json!([ETH, ".svg"].concat()))]
    file: String,
}

/// A token's picture
///
/// Drawn from its address and its symbol, and always the same; any address has
/// one. What somebody else drew for the token is its `logoUri`.
#[utoipa::path(
    get,
    path = "/logo/{file}",
    operation_id = "tokenLogo",
    tag = "Tokens",
    params(LogoFile),
    responses(
        (status = 200, description = "The picture.", body = String, content_type = "image/svg+xml"),
        (status = 304, description = "The caller has it."),
        FreeAnswers,
    ),
)]
async fn token_logo(
    State(state): State<MarketState>,
    file: Result<Path<String>, PathRejection>,
    known: KnownTags,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    let address = file.strip_suffix(".svg").and_then(|it| it.parse().ok());
    if address.is_none() {
        reading.problems.add(format!(
            "a picture is the address of a token and .svg, not {}",
            shown(&file)
        ));
    }
    let (view, address) = reading.finish::<Address>(address)?;
    let listed = view.snapshot.tokens.by_address(address);
    let symbol = listed.map(|(_, token)| token.metadata.symbol.as_str());
    let picture = draw(address, symbol.unwrap_or_default());
    let tag = EntityTag::of(picture.as_bytes());
    let caching = if symbol.is_some() { FOR_GOOD } else { FOR_NOW };
    let caching = (CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(tag) = known.find(tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag), caching]).into_response());
    }
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("image/svg+xml")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (ETAG, tag.header()),
        caching,
    ];
    Ok((headers, picture).into_response())
}

/// A round picture: two colours and an angle by the address, letters by the
/// symbol.
fn draw(address: Address, symbol: &str) -> String {
    let bytes = address.to_bytes();
    let mixed = |salt: u32| {
        let sum = bytes.iter().fold(salt, |sum, byte| {
            sum.wrapping_mul(16_777_619) ^ u32::from(*byte)
        });
        sum % 360
    };
    let (hue, angle) = (mixed(2_166_136_261), mixed(40_503));
    let other = (hue + 40 + mixed(7) % 100) % 360;
    let letters = letters(symbol, address);
    let size = match letters.chars().count() {
        1 => 32,
        2 => 26,
        _ => 20,
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" width=\"64\" \
         height=\"64\"><defs><linearGradient id=\"g\" gradientTransform=\"rotate({angle} 0.5 \
         0.5)\"><stop stop-color=\"hsl({hue},60%,38%)\"/><stop offset=\"1\" \
         stop-color=\"hsl({other},65%,30%)\"/></linearGradient></defs><circle cx=\"32\" cy=\"32\" \
         r=\"32\" fill=\"url(#g)\"/><text x=\"32\" y=\"32\" dy=\"0.35em\" text-anchor=\"middle\" \
         font-family=\"system-ui,sans-serif\" font-weight=\"600\" font-size=\"{size}\" \
         fill=\"#fff\">{letters}</text></svg>\n"
    )
}

/// The first letters and digits of a symbol, which no markup is among; of an
/// address, if a symbol has none.
fn letters(symbol: &str, address: Address) -> String {
    let named = symbol.chars().filter(|it| it.is_alphanumeric());
    let named: String = named.take(LETTERS).collect();
    if !named.is_empty() {
        return named;
    }
    let digits = address.to_string();
    digits.chars().skip(2).take(LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap()
    }

    #[test]
    fn a_picture_is_of_its_address_and_its_symbol() {
        let picture = draw(address(ETH), "ETH");
        assert_eq!(picture, draw(address(ETH), "ETH"));
        assert_ne!(picture, draw(address("0x1"), "ETH"));
        assert_ne!(picture, draw(address(ETH), "USDC"));
        assert!(picture.contains(">ETH</text>"));
    }

    #[test]
    fn whoever_has_no_letters_has_those_of_the_address() {
        assert_eq!(letters("🐸", address("0xabcd")), "abc");
        assert_eq!(letters("", address("0x7")), "7");
        assert_eq!(letters("<$W>", address("0x7")), "W");
    }

    proptest! {
        #[test]
        fn no_symbol_makes_markup_and_every_picture_is_short(symbol in "\\PC{0,32}", number: u64) {
            let picture = draw(address(&format!("{number:#x}")), &symbol);
            prop_assert_eq!(picture.matches('<').count(), 11);
            prop_assert!(!picture.contains('&') && picture.len() < 1_024);
        }
    }
}
