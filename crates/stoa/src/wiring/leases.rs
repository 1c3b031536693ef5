//! The lease market put together: its cluster, its options, its work.

use super::{
    cluster::{ClusterNodes, LateNodes, Reached},
    stores::location,
};
use crate::{
    ambient::{clock, entropy},
    config::{ClaimText, Config, TokenPem},
};
use anyhow::{Context as _, ensure};
use api::{MarketplaceConfig, MarketplaceLimits};
pub(crate) use leasing::Roles;
use leasing::{FeeRate, Networks, Regions};
use primitives::{Lamports, PublicKey, SignedDuration, SolanaHash};
use services::leasing::{
    Issuer, IssuerOptions, LeasingOptions, RemoteSigner, SolanaNodes, TokenSigner, WebhookOptions,
};
pub(crate) use services::{
    Refused,
    leasing::{
        Accounts, ApiTokens, AuditBreak, Leasing, Profile, ProfileError, RotateError, TokenError,
        TokenRevokeError, User,
    },
};
use simnet::SolanaKeypair;
use std::net::SocketAddr;
use store::{Store, StoreError};
use url::Url;

/// Public clusters by the beginning of their genesis hashes, and what wallets
/// call them.
const CLUSTERS: [(&str, &str); 3] = [
    ("5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "mainnet"),
    ("EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "devnet"),
    ("4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z", "testnet"),
];

/// What wallets call any other.
const OTHER_CLUSTER: &str = "localnet";

/// What the key of cursors is kept under.
const CURSORS: &str = "cursors";

/// Bearer tokens that everybody knows, where nothing is worth anything.
const DEMO_TOKENS: [(&str, Roles); 3] = [
    (
        "demo-trader-token",
        Roles {
            trader: true,
            validator: false,
            staff: false,
        },
    ),
    (
        "demo-validator-token",
        Roles {
            trader: false,
            validator: true,
            staff: false,
        },
    ),
    (
        "demo-staff-token",
        Roles {
            trader: false,
            validator: false,
            staff: true,
        },
    ),
];

/// Bearer tokens that work on simulated networks, and what they may do.
pub(crate) fn demo_tokens() -> impl Iterator<Item = (&'static str, Roles)> {
    DEMO_TOKENS.into_iter()
}

/// Where the market is paid.
#[derive(Debug)]
pub(crate) struct Cluster {
    reached: Reached,
    platform: PublicKey,
    /// Whether what is paid there is worth nothing.
    is_simulated: bool,
}

/// How a cluster and the platform's wallet stand.
#[derive(Debug)]
pub(crate) struct Standing {
    /// What wallets call the cluster.
    pub(crate) name: &'static str,
    pub(crate) epoch: u64,
    /// What the wallet holds.
    pub(crate) holds: Lamports,
}

/// The market, and how people reach it.
#[derive(Debug)]
pub(crate) struct LeaseMarket {
    pub(crate) leasing: Leasing,
    pub(crate) face: MarketplaceConfig,
    /// What people sign for.
    pub(crate) domain: String,
    /// Where no node has answered yet: who asks again.
    pub(crate) late: Option<LateNodes>,
}

impl Cluster {
    /// The cluster of the configured nodes, one of which must answer; none where there
    /// is no market.
    pub(crate) async fn connect(config: &Config) -> anyhow::Result<Option<Self>> {
        match ClusterNodes::of(config, None).filter(|_| config.leasing.enabled) {
            Some(nodes) => Ok(Some(Self::new(config, nodes.reach().await?))),
            None => Ok(None),
        }
    }

    /// The cluster of the configured nodes, or else the one of a `simulated` node.
    /// While none answers, it is the one that the ledger is of.
    pub(crate) async fn open(
        config: &Config,
        store: &Store,
        simulated: Option<&Url>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(nodes) = ClusterNodes::of(config, simulated).filter(|_| config.leasing.enabled)
        else {
            return Ok(None);
        };
        let is_simulated = config.solana.rpc.is_none();
        let reached = nodes.reach_or_remember(store, is_simulated).await?;
        Ok(Some(Self::new(config, reached)))
    }

    fn new(config: &Config, reached: Reached) -> Self {
        let own = || SolanaKeypair::platform().public_key();
        Self {
            reached,
            platform: config.leasing.platform_wallet.unwrap_or_else(own),
            is_simulated: config.solana.rpc.is_none(),
        }
    }

    /// How the cluster and the wallet stand. A wallet that holds too little to
    /// exist cannot be paid little: that is an error.
    pub(crate) async fn standing(&self) -> anyhow::Result<Standing> {
        let client = self.reached.nodes.client()?;
        let position = client.epoch_position().await?;
        let holds = client.balance(self.platform).await?;
        let minimum = client.rent_minimum(0).await?;
        ensure!(
            holds >= minimum,
            "leasing.platform_wallet {} holds {holds} lamports and must hold {minimum} for the \
             chain to let it be paid: send it some",
            self.platform
        );
        Ok(Standing {
            name: wallets_name(self.reached.genesis),
            epoch: position.epoch,
            holds,
        })
    }

    /// Refuses a ledger of another cluster: what is published for a simulated network
    /// must never be a way into a real one.
    pub(crate) async fn check_ledger(&self, config: &Config, store: &Store) -> anyhow::Result<()> {
        let (ledger, given) = (store.ledger(), self.reached.genesis);
        let location = location(config);
        let context = || format!("cannot use the store {location} for this market");
        let bound = ledger.cluster().await.with_context(context)?;
        let is_published = ledger.has_published_tokens().await.with_context(context)?;
        ensure!(
            bound.is_some() || self.is_simulated || !is_published,
            "the store {location} was used on a simulated network: its users and validators are \
             everybody's. Give this market a store of its own, with --data or --store"
        );
        match bound.filter(|stored| *stored != given) {
            Some(stored) => Err(StoreError::OtherCluster { stored, given }).with_context(context),
            None => Ok(()),
        }
    }

    /// Ties the ledger to this cluster.
    async fn bind(&self, config: &Config, store: &Store) -> anyhow::Result<()> {
        self.check_ledger(config, store).await?;
        let bound = store.ledger().bind_cluster(self.reached.genesis).await;
        bound.with_context(|| format!("cannot use the store {} for this market", location(config)))
    }

    /// Where webhooks may lead. What nobody else can reach may send to its own
    /// machine, where nothing is worth anything.
    fn webhooks(&self, config: &Config, listener: SocketAddr) -> WebhookOptions {
        let is_ours = || {
            self.is_simulated && listener.ip().is_loopback() && config.leasing.public_url.is_none()
        };
        WebhookOptions {
            networks: Networks {
                private: config.webhooks.allow_private,
                loopback: config.webhooks.allow_loopback.unwrap_or_else(is_ours),
                ..Networks::PUBLIC
            },
            timeout: config.webhooks.timeout,
        }
    }

    /// The market of this cluster, reached at `listener` unless the
    /// configuration says where else.
    pub(crate) async fn market(
        self,
        config: &Config,
        store: &Store,
        listener: SocketAddr,
    ) -> anyhow::Result<LeaseMarket> {
        self.bind(config, store).await?;
        let site = site(config, listener)?;
        let domain = domain(&site)?;
        let base_url = site.as_str().trim_end_matches('/').to_owned();
        let chain_id = wallets_name(self.reached.genesis);
        let fee = u16::try_from(config.leasing.fee)?;
        let regions = &config.leasing.regions;
        let options = LeasingOptions {
            uri: base_url.clone(),
            chain_id: chain_id.to_owned(),
            fee: FeeRate::new(fee).context("a fee of more than everything")?,
            regions: if regions.is_empty() {
                Regions::default()
            } else {
                regions.iter().cloned().collect()
            },
            session_lifetime: SignedDuration::try_from(config.leasing.session)?,
            max_unpaid: config.leasing.max_unpaid_bookings,
            token_signer: token_signer(config)?,
            token_rotation: SignedDuration::try_from(config.leasing.token_rotation)?,
            issuer: issuer(config)?,
            webhooks: self.webhooks(config, listener),
            published_tokens: self.is_simulated,
            ..LeasingOptions::new(&domain, self.platform)
        };
        let Reached { nodes, late, .. } = self.reached;
        let leasing = Leasing::new(store.clone(), nodes, clock(), entropy(), options);
        if self.is_simulated {
            for (token, roles) in DEMO_TOKENS {
                let name = token.trim_end_matches("-token");
                leasing
                    .accounts
                    .ensure_published(name, roles, token)
                    .await?;
            }
        }
        let face = MarketplaceConfig {
            base_url,
            cursor_key: Some(leasing.kept_secret(CURSORS).await?),
            limits: config.limits.enabled.then(MarketplaceLimits::default),
            ..MarketplaceConfig::default()
        };
        Ok(LeaseMarket {
            leasing,
            face,
            domain,
            late,
        })
    }
}

/// Who signs lease tokens.
fn token_signer(config: &Config) -> anyhow::Result<TokenSigner> {
    let leasing = &config.leasing;
    if let Some(url) = &leasing.token_signer {
        let remote = RemoteSigner::new(url.expose().clone());
        return Ok(TokenSigner::Remote(
            remote.context("see leasing.token_signer")?,
        ));
    }
    let Some(TokenPem(secret)) = leasing.token_key.clone() else {
        return Ok(TokenSigner::Ledger);
    };
    let next = leasing.next_token_key.as_ref().map(|next| next.0.public());
    Ok(TokenSigner::Given {
        secret,
        next: next.transpose()?,
    })
}

/// Who signs people in beside their wallets.
pub(crate) fn issuer(config: &Config) -> anyhow::Result<Option<Issuer>> {
    let oidc = &config.oidc;
    let (Some(issuer), Some(ClaimText(audience))) = (&oidc.issuer, &oidc.audience) else {
        return Ok(None);
    };
    let staff_group = oidc.staff_group.as_ref().map(|group| group.0.clone());
    let issuer = Issuer::new(IssuerOptions {
        issuer: issuer.clone(),
        audience: audience.clone(),
        jwks_url: oidc.jwks_url.clone(),
        groups_claim: oidc.groups_claim.0.clone(),
        staff_group,
    });
    issuer.map(Some).context("see oidc.issuer")
}

/// The market for chores that need no node.
pub(crate) fn market_without_node(store: &Store) -> Leasing {
    let nobody = PublicKey::from_bytes([0; 32]);
    let options = LeasingOptions::new("", nobody);
    Leasing::new(
        store.clone(),
        SolanaNodes::default(),
        clock(),
        entropy(),
        options,
    )
}

/// Where people reach the market.
fn site(config: &Config, listener: SocketAddr) -> anyhow::Result<Url> {
    match &config.leasing.public_url {
        Some(url) => Ok(url.0.clone()),
        None => Ok(format!("http://{listener}").parse()?),
    }
}

/// Host and, if it is not the usual one, port: what wallets show.
fn domain(site: &Url) -> anyhow::Result<String> {
    let host = site.host_str().context("leasing.public_url has no host")?;
    Ok(match site.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn wallets_name(genesis: SolanaHash) -> &'static str {
    let genesis = genesis.to_string();
    CLUSTERS
        .into_iter()
        .find(|(beginning, _)| genesis.starts_with(beginning))
        .map_or(OTHER_CLUSTER, |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_what_stands_between_the_scheme_and_the_path() {
        for (site, shown) in [
            ("https://leases.example", "leases.example"),
            ("https://leases.example:443/market", "leases.example"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(domain(&site.parse().unwrap()).unwrap(), shown);
        }
    }

    #[test]
    fn wallets_have_names_for_public_clusters() {
        let mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d";
        assert_eq!(wallets_name(mainnet.parse().unwrap()), "mainnet");
        assert_eq!(wallets_name(SolanaHash::from_bytes([7; 32])), "localnet");
    }
}
