//! The paymaster: builds what users sign, relays what they signed, and charges
//! them or their sponsors.
//!
//! It remembers nothing of what it built: the nonce says so. What it relays has a
//! row in the ledger before it leaves, and a sponsor's credits are reserved with
//! that row. Any number of processes build and relay for the same accounts.

mod accounts;
mod audit;
mod books;
mod build;
mod error;
mod execute;
mod nodes;
mod options;
mod per_block;
mod pools;
mod prices;
mod sponsors;
mod tips;

pub use audit::{SponsorAudit, audit_sponsor};
pub use build::{BuildRequest, BuiltTransaction, FeeAction};
pub use error::PaymasterError;
pub use execute::{ExecuteRequest, Executed, SignedExecution, Tracked, TrackedStatus};
pub use options::PaymasterOptions;
pub use sponsors::{NewSponsor, Sponsor, SponsorError, SponsorReport, Sponsors};

use crate::{fee_token::STRK, sender::SenderPool, snapshot::Snapshot, swap::Swaps};
use accounts::Accounts;
use chain::StarknetClient;
use futures_util::future::join_all;
use nodes::AskedNodes;
use pools::Pools;
use prices::Prices;
use primitives::{Address, Clock, Entropy, U256};
use std::sync::Arc;
use store::Store;
use tips::Tips;
use trading::paymaster::{FeeMode, NonceKey, Refusal, SelectedCall, Verdict};

/// Tokens that are offered to pay in, where the operator names none.
const MAX_TOKENS: usize = 32;

/// A whole STRK, for which tokens are priced that nobody pays with yet.
const ONE_STRK: u128 = 1_000_000_000_000_000_000;

/// A token that fees can be paid in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupportedToken {
    /// The contract that keeps its balances.
    pub address: Address,
    /// Its digits after the point.
    pub decimals: u8,
    /// What a whole one is worth, in the smallest unit of STRK.
    pub price_in_strk: U256,
}

/// Builds and relays. Clones share everything.
#[derive(Debug, Clone)]
pub struct Paymaster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: PaymasterOptions,
    store: Store,
    nodes: AskedNodes,
    swaps: Swaps,
    /// None where nobody relays.
    relayers: Option<SenderPool>,
    key: NonceKey,
    sponsors: Sponsors,
    accounts: Accounts,
    prices: Prices,
    pools: Pools,
    tips: Tips,
    entropy: Arc<dyn Entropy>,
}

/// All that [`Paymaster::new`] needs beside the operator's options.
#[derive(Debug)]
pub struct PaymasterGround {
    /// Its ledger has sponsors, their credits, and what was relayed.
    pub store: Store,
    /// Nodes that are asked, the preferred one first.
    pub nodes: Vec<StarknetClient>,
    /// Who says what tokens are worth.
    pub swaps: Swaps,
    /// The accounts that relay, if there are any.
    pub relayers: Option<SenderPool>,
    /// What makes nonces recognisable; the same in every process.
    pub key: NonceKey,
    /// Sponsors and their keys go by it; bounds are held against the newest block's time.
    pub clock: Arc<dyn Clock>,
    /// For what is random in nonces, and for ids and keys of sponsors.
    pub entropy: Arc<dyn Entropy>,
}

impl Paymaster {
    /// A paymaster as the operator decided.
    pub fn new(options: PaymasterOptions, ground: PaymasterGround) -> Self {
        let nodes = AskedNodes(ground.nodes);
        let (clock, entropy) = (ground.clock, Arc::clone(&ground.entropy));
        Self(Arc::new(Inner {
            options,
            sponsors: Sponsors::new(ground.store.clone(), clock, entropy),
            accounts: Accounts::new(nodes.clone()),
            prices: Prices::new(ground.swaps.clone()),
            pools: Pools::new(nodes.clone()),
            tips: Tips::new(nodes.clone()),
            store: ground.store,
            nodes,
            swaps: ground.swaps,
            relayers: ground.relayers,
            key: ground.key,
            entropy: ground.entropy,
        }))
    }

    /// The sponsors whose keys it takes.
    pub fn sponsors(&self) -> &Sponsors {
        &self.0.sponsors
    }

    /// The network's id as a text, which users see in what they sign.
    pub fn chain_name(&self) -> &str {
        &self.0.options.chain_name
    }

    /// Whether something can be built and relayed now.
    pub fn is_available(&self) -> bool {
        self.0.relayers.is_some() && self.0.swaps.fresh().is_ok()
    }

    /// The tokens that fees can be paid in, and what they are worth.
    pub async fn supported_tokens(&self) -> Result<Vec<SupportedToken>, PaymasterError> {
        let snapshot = self.fresh()?;
        let named = &self.0.options.tokens;
        let offered: Vec<Address> = if named.is_empty() {
            let verified = snapshot.tokens.tokens().iter();
            let verified = verified.filter(|token| token.is_verified());
            let others = verified.map(|token| token.address);
            let others = others.filter(|token| *token != STRK);
            [STRK].into_iter().chain(others).take(MAX_TOKENS).collect()
        } else {
            named.clone()
        };
        let priced = offered.into_iter().map(|address| {
            let snapshot = &snapshot;
            async move {
                let price = self.0.prices.of(address, ONE_STRK, snapshot).await?;
                Ok::<_, Refusal>(price.map(|price| SupportedToken {
                    address,
                    decimals: price.decimals,
                    price_in_strk: price.in_strk,
                }))
            }
        });
        let mut tokens = Vec::new();
        for token in join_all(priced).await {
            tokens.extend(token?);
        }
        Ok(tokens)
    }

    /// The newest snapshot, if it may be built on.
    fn fresh(&self) -> Result<Arc<Snapshot>, Refusal> {
        self.0.swaps.fresh().map_err(|_| Refusal::Unavailable)
    }

    /// Whoever pays, if a sponsor should.
    async fn sponsor(
        &self,
        mode: FeeMode,
        key: Option<&str>,
    ) -> Result<Option<Arc<Sponsor>>, PaymasterError> {
        if !mode.is_sponsored() {
            return Ok(None);
        }
        let sponsor = match key {
            Some(key) => self.0.sponsors.recognise(key).await?,
            None => None,
        };
        Ok(Some(sponsor.ok_or(Refusal::InvalidKey)?))
    }

    /// What the operator and the sponsor say of calls.
    fn judge(&self, calls: &[SelectedCall], sponsor: Option<&Sponsor>) -> Result<(), Refusal> {
        let of_sponsor = sponsor.map(|sponsor| sponsor.rules.judge(calls));
        for verdict in [Some(self.0.options.rules.judge(calls)), of_sponsor] {
            match verdict {
                None | Some(Verdict::Allowed) => {}
                Some(Verdict::Denied { .. }) => return Err(Refusal::Blacklisted),
                Some(Verdict::Unlisted { .. }) => {
                    return Err(Refusal::NotSponsored("a call is not among those allowed"));
                }
            }
        }
        Ok(())
    }
}
