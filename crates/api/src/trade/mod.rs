//! The trading API: the token list, and swaps.

mod amount;
mod body_reader;
mod built;
mod dca;
mod rendered;
mod rendered_orders;
mod rendered_staker;
mod sponsor_activity;
mod staking;
mod state;
mod swap;
mod token;
mod token_query;
mod tokens;

use crate::{http::error::ErrorBody, network::NetworkSegment};
pub(crate) use state::TradeState;
pub(crate) use swap::{ADDED, ADDED_SCHEMA};
pub(crate) use token::TagName;
pub(crate) use token_query::{read_search, read_tags};
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stoa: trading",
        description = "Tokens of a Starknet network, swaps between them, and orders that swap again and again. Addresses are \
            hexadecimal, padded or not; amounts are whole numbers of a token's smallest unit; \
            USD values are JSON numbers. Unknown query parameters are ignored. Every refusal is \
            `{\"messages\": [...]}`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "Token list", description = "A paged list of tokens with metadata and tags."),
        (name = "Recurring orders", description = "Orders that buy again and again: the calls that create and end them, and what became of them."),
        (name = "Staking", description = "The staker, its pools and their members, and the calls that stake, withdraw and claim."),
        (name = "Sponsors", description = "What a sponsor of others' fees paid."),
        (name = "Swap", description = "Quotes through all pools, and the calls that execute them."),
    ),
    components(schemas(ErrorBody)),
)]
struct Description;

pub(crate) fn routes(network: &NetworkSegment) -> OpenApiRouter<TradeState> {
    let routes = tokens::routes().into_iter();
    let routes = routes.chain(swap::routes()).chain(dca::routes());
    let routes = routes
        .chain(staking::routes())
        .chain(sponsor_activity::routes());
    routes.fold(
        OpenApiRouter::with_openapi(Description::openapi()),
        |router, route| router.routes(at_network(route, network)),
    )
}

/// Puts the network's name where the path has `{network}`: it is a fixed word
/// of this service, not a parameter.
fn at_network<S>(
    (schemas, mut paths, methods): UtoipaMethodRouter<S>,
    network: &NetworkSegment,
) -> UtoipaMethodRouter<S> {
    paths.paths = paths
        .paths
        .into_iter()
        .map(|(path, item)| (path.replace("{network}", network.as_str()), item))
        .collect();
    (schemas, paths, methods)
}
