//! The calls that execute a quote.

use crate::adapter::halves;
use crate::{Exact, Params, Quote, Slippage};
use primitives::{Address, Felt, U256};
use routing::Share;

/// A call of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// The name of its function.
    pub entrypoint: &'static str,
    /// The arguments.
    pub calldata: Vec<Felt>,
}

/// The calls by which the taker executes a quote: the approval, if it is wanted,
/// and the swap. The exchange contract pays nobody but its caller, so that the
/// taker must be the one who calls.
#[must_use]
pub fn calls(
    quote: &Quote,
    taker: Address,
    slippage: Slippage,
    approve: bool,
    exchange: Address,
) -> Vec<Call> {
    let bound = match quote.exact {
        Exact::In => slippage.least(quote.buy_amount),
        Exact::Out => slippage.most(quote.sell_amount),
    };
    let approval = approve.then(|| {
        let [low, high] = halves(spent(quote, slippage));
        Call {
            to: quote.sell,
            entrypoint: "approve",
            calldata: vec![exchange.felt(), low, high],
        }
    });
    let swap = Call {
        to: exchange,
        entrypoint: match quote.exact {
            Exact::In => "multi_route_swap",
            Exact::Out => "swap_exact_token_to",
        },
        calldata: arguments(quote, taker, bound),
    };
    approval.into_iter().chain([swap]).collect()
}

/// The most that the calls of a quote take of the sold token: what the exchange
/// contract must be allowed.
#[must_use]
pub fn spent(quote: &Quote, slippage: Slippage) -> U256 {
    match quote.exact {
        Exact::In => quote.sell_amount,
        Exact::Out => slippage.most(quote.sell_amount),
    }
}

/// The arguments of either function: both have the tokens and amounts, the bound
/// beside the amount that it bounds, and then the same.
fn arguments(quote: &Quote, taker: Address, bound: U256) -> Vec<Felt> {
    let mut felts = vec![quote.sell.felt()];
    felts.extend(halves(quote.sell_amount));
    if quote.exact == Exact::Out {
        felts.extend(halves(bound));
    }
    felts.push(quote.buy.felt());
    felts.extend(halves(quote.buy_amount));
    if quote.exact == Exact::In {
        felts.extend(halves(bound));
    }
    felts.push(taker.felt());
    let integrator = quote.integrator.as_ref();
    felts.push(integrator.map_or(Felt::ZERO, |it| Felt::from(it.fee().get())));
    felts.push(integrator.map_or(Felt::ZERO, |it| it.recipient().felt()));
    felts.push(Felt::from(quote.hops.len()));
    let swaps = quote.hops.iter().flat_map(|hop| {
        let tokens = (hop.sell, hop.buy);
        swap(tokens, hop.router, hop.leg.share, &hop.params)
    });
    felts.extend(swaps);
    felts
}

/// A swap as the contract reads it.
pub(crate) fn swap(
    (sell, buy): (Address, Address),
    router: Address,
    share: Share,
    params: &Params,
) -> Vec<Felt> {
    let params = params.felts();
    let mut felts = vec![
        sell.felt(),
        buy.felt(),
        router.felt(),
        Felt::from(share.units()),
        Felt::from(params.len()),
    ];
    felts.extend(params);
    felts
}
