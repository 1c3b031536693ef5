//! The description of the marketplace.

use super::{MarketplaceState, catalog::Slug, problem::ProblemBody};
use serde_json::{Value, json};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self as description,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_axum::router::OpenApiRouter;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stoa: lease marketplace",
        description = "Leases of validator capacity by the epoch, paid with a Solana wallet. \
            Answers are in `data`, lists have `meta` beside it; what wallets ask for is flat. \
            Every refusal is a problem document (RFC 9457) whose `type` ends with a slug and \
            leads to a page that explains it; branch on the slug. Requests fail for the first of: \
            401, 429, the key of a guarded request, its body, its fields, what it is about (404), \
            whose that is (403), its state, conflicts (409), what stands behind (502, 503). \
            Amounts are whole lamports, which some readers of JSON round above 2^53; beside them \
            stands the same in SOL as an exact decimal text. Times are UTC. Ids are ULIDs. \
            Unknown query parameters are ignored, unknown fields of bodies are refused.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "Accounts", description = "Signing in with a wallet, users, API tokens."),
        (name = "Validators", description = "Finding, registering and changing validators."),
        (name = "Leases", description = "Booking, and what becomes of it."),
        (name = "Usage", description = "How much leases are used."),
        (name = "Ratings", description = "What traders say of validators."),
        (name = "Payment", description = "What wallets ask for."),
        (name = "Audit", description = "What happened."),
        (name = "Webhooks", description = "Being told of what happens: an addition."),
        (name = "Streams", description = "What happens, as it happens: an addition."),
        (name = "Administration", description = "For staff."),
    ),
    components(schemas(ProblemBody<'_>)),
    modifiers(&Bearer),
    security(("bearer" = [])),
)]
struct Description;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut description::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "A session token from signing in (`ls_`), an API token (`lm_`), the key of a lease \
                 (`lk_`), which reads that lease and mints its tokens alone, the service token of \
                 a validator (`sv_`), which reports the use of its leases alone, or a JWT of the \
                 OpenID Connect issuer that the operator trusts.",
            ));
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer.build()));
    }
}

pub(super) fn router() -> OpenApiRouter<MarketplaceState> {
    OpenApiRouter::with_openapi(Description::openapi())
}

/// All slugs with their statuses, for those who generate code and for the check
/// that each was seen.
pub(crate) fn slugs() -> Value {
    let all = Slug::ALL.iter().map(|slug| slug.entry());
    all.map(|entry| {
        json!({
            "slug": entry.slug,
            "statuses": entry.statuses,
            "title": entry.title,
            "meaning": entry.meaning,
            "remedy": entry.remedy,
        })
    })
    .collect()
}
