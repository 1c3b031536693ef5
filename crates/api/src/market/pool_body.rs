//! A pool and a page of them, as they are sent and described.

use super::{
    pool_board::{PoolBoard, RankedPool},
    pool_id::pool_name,
    rounded::rounded,
    token_price::ETH,
};
use amm::{
    Side,
    book::{AnyCurve, PoolView},
};
use primitives::Address;
use serde::Serialize;
use utoipa::ToSchema;

/// Significant digits of depths, which are found to a part in a million.
const DIGITS: usize = 6;

/// The parts of a unit of a basis point that fees are told in.
const FEE_PARTS: f64 = 10_000.0;

/// A pool of an exchange, with what lies in it and what moves its price.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PoolBody<'a> {
    /// Its name, which it keeps: its address, or what tells it from the other
    /// pools of its contract.
    #[schema(example = "a1f0c2d4e5b697887766554433221100")]
    id: String,
    /// The contract that holds its tokens.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    #[schema(example = "Ekubo")]
    venue: &'a str,
    token0: PoolToken<'a>,
    token1: PoolToken<'a>,
    /// What it takes of what is sold, in hundredths of a per cent, the larger of
    /// both directions; null while its contract's rules are not known.
    #[schema(required, example = 30.0)]
    fee_bps: Option<f64>,
    /// What lies in it, as far as it counts as TVL; null without a price.
    #[schema(required, example = 1_250_000.5)]
    tvl_usd: Option<f64>,
    /// Whether routes pass it.
    tradable: bool,
    /// Why not, or null.
    #[schema(required, example = "its contract's class is not proven yet")]
    reason: Option<String>,
    /// What moves its price; null while its contract's rules are not known, and for
    /// vaults, whose rate no deposit moves.
    #[schema(required)]
    depth: Option<Depths>,
}

/// One of the two tokens that a pool trades.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PoolToken<'a> {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    /// Null if the token is not in the list, as its decimals.
    #[schema(required, example = "ETH", max_length = 32)]
    symbol: Option<&'a str>,
    #[schema(required, example = 18, maximum = 36)]
    decimals: Option<u8>,
}

/// What moves a pool's price by half a per cent, one and two.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Depths {
    #[serde(rename = "0.5")]
    half: Depth,
    #[serde(rename = "1")]
    one: Depth,
    #[serde(rename = "2")]
    two: Depth,
}

/// Sales after which the price of the next unit has fallen by so much, in USD by
/// the price of the token that is sold; all that the pool takes, if it never
/// falls so far. Null without a price.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Depth {
    /// Of the first token.
    #[schema(required, example = 12_345.6)]
    sell0_usd: Option<f64>,
    /// Of the second token.
    #[schema(required, example = 12_300.5)]
    sell1_usd: Option<f64>,
}

/// A page of the pools that match, the largest by TVL first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PoolPage<'a> {
    /// The pools of this page.
    pub(super) content: Vec<PoolBody<'a>>,
    /// Pools on a full page.
    #[schema(example = 20)]
    pub(super) size: u64,
    /// This page, from 0.
    #[schema(example = 0)]
    pub(super) number: u64,
    /// Matching pools on all pages.
    #[schema(example = 61)]
    pub(super) total_elements: u64,
    /// Pages that have content.
    #[schema(example = 4)]
    pub(super) total_pages: u64,
}

impl PoolBoard {
    pub(super) fn told(&self, pool: &RankedPool) -> Option<PoolBody<'_>> {
        let view = self.snapshot.pools.get(pool.id)?;
        let (curve, reason) = self.standing(&view);
        let [token0, token1] = view.tokens().map(|token| self.token(token));
        Some(PoolBody {
            id: pool_name(&view),
            address: view.contract(),
            venue: &view.venue.name,
            token0,
            token1,
            fee_bps: curve.as_ref().map(fee_bps),
            tvl_usd: pool.tvl,
            tradable: reason.is_none(),
            reason,
            depth: curve
                .filter(|curve| !matches!(curve, AnyCurve::Deposit(_)))
                .map(|curve| self.depths(&view, &curve)),
        })
    }

    fn token(&self, address: Address) -> PoolToken<'_> {
        let listed = self.snapshot.tokens.by_address(address);
        let metadata = listed.map(|(_, token)| &token.metadata);
        PoolToken {
            address,
            symbol: metadata.map(|it| it.symbol.as_str()),
            decimals: metadata.map(|it| it.decimals),
        }
    }

    fn depths(&self, view: &PoolView<'_>, curve: &AnyCurve) -> Depths {
        let [token0, token1] = view.tokens();
        let usd = |sold: Side, token: Address, share: f64| {
            let units = f64::from(curve.sale_until(sold, share));
            let usd = self.snapshot.figures.worth(token, units);
            usd.map(|usd| rounded(usd, DIGITS))
        };
        let at = |share: f64| Depth {
            sell0_usd: usd(Side::Token0, token0, share),
            sell1_usd: usd(Side::Token1, token1, share),
        };
        Depths {
            half: at(0.005),
            one: at(0.01),
            two: at(0.02),
        }
    }
}

fn fee_bps(curve: &AnyCurve) -> f64 {
    let [fee0, fee1] = Side::BOTH.map(|side| curve.fee(side));
    // What floating point adds to a fee is far behind these digits.
    (fee0.max(fee1) * 10_000.0 * FEE_PARTS).round() / FEE_PARTS
}
