//! What trades stand on beside pools: the exchange contract's fees and the
//! price of gas.
//!
//! The contract is asked at the newest block: for everything that was asked
//! about before, by a task, and at once for a token or an integrator that
//! nobody asked about yet. What the contract has no view for, and everything
//! where no node is at hand, is as the operator configured it.

use crate::{fault::Fault, rounds::Rounds};
use arc_swap::ArcSwap;
use chain::{ExchangeQuestion, StarknetClient};
use primitives::Address;
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use trading::{Bps, FeeTerms, GasPrices};

/// Time between two readings of everything.
const INTERVAL: Duration = Duration::from_secs(10);

/// How long a quote waits for what is not known yet.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tokens, and integrators, that are read again and again; of further ones is
/// asked each time.
const MAX_KNOWN: usize = 4_096;

/// What a trade costs beside what its pools take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwapTerms {
    /// What the exchange contract charges.
    pub fees: FeeTerms,
    /// What a unit of gas costs.
    pub gas: GasPrices,
}

/// The newest terms: one task keeps them, any number of quotes read them.
#[derive(Debug, Clone)]
pub struct ExchangeTerms(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// In the order of preference; none if there is nobody to ask.
    nodes: Vec<StarknetClient>,
    exchange: Address,
    configured: SwapTerms,
    known: ArcSwap<KnownTerms>,
}

/// What was read, and of whom.
#[derive(Debug, Clone)]
struct KnownTerms {
    terms: Arc<SwapTerms>,
    has_been_read: bool,
    tokens: BTreeSet<Address>,
    integrators: BTreeSet<Address>,
}

/// Tokens and integrators.
#[derive(Debug, Clone, Default)]
struct Subjects {
    tokens: Vec<Address>,
    integrators: Vec<Address>,
}

impl ExchangeTerms {
    /// The terms of the exchange contract, or the configured ones where it does
    /// not tell.
    pub fn new(nodes: Vec<StarknetClient>, exchange: Address, configured: SwapTerms) -> Self {
        let known = KnownTerms {
            terms: Arc::new(configured.clone()),
            has_been_read: false,
            tokens: BTreeSet::new(),
            integrators: BTreeSet::new(),
        };
        Self(Arc::new(Inner {
            nodes,
            exchange,
            configured,
            known: ArcSwap::from_pointee(known),
        }))
    }

    /// The contract.
    pub fn exchange(&self) -> Address {
        self.0.exchange
    }

    /// What counts where the contract does not tell.
    pub(crate) fn configured(&self) -> &SwapTerms {
        &self.0.configured
    }

    /// Whether there is anybody to ask.
    pub fn can_ask(&self) -> bool {
        !self.0.nodes.is_empty()
    }

    /// Who is asked, in the order of preference.
    pub(super) fn nodes(&self) -> &[StarknetClient] {
        &self.0.nodes
    }

    /// The terms of a trade with these tokens, for an integrator whose fees go
    /// to this address.
    pub async fn of(&self, tokens: [Address; 2], integrator: Option<Address>) -> Arc<SwapTerms> {
        let known = self.0.known.load_full();
        let unknown = known.unknown(&tokens, integrator);
        if self.0.nodes.is_empty() || (known.has_been_read && unknown.is_empty()) {
            return Arc::clone(&known.terms);
        }
        let asked = tokio::time::timeout(PATIENCE, self.0.ask(&unknown)).await;
        match asked {
            Ok(Ok(read)) => {
                let terms = Arc::new(read.merged_into(&known.terms));
                self.learn(&read, &unknown);
                terms
            }
            Ok(Err(fault)) => Self::missing(&known, &fault.chain_text()),
            Err(_) => Self::missing(&known, "no answer in time"),
        }
    }

    /// Goes on with what is known.
    fn missing(known: &KnownTerms, reason: &str) -> Arc<SwapTerms> {
        metrics::counter!("stoa_swap_terms_failures_total").increment(1);
        tracing::debug!(reason, "the exchange's terms cannot be read");
        Arc::clone(&known.terms)
    }

    /// Reads everything that was asked about, again and again, until told to
    /// stop.
    pub async fn run(self, stop: CancellationToken) {
        let mut rounds = Rounds::default();
        while !self.0.nodes.is_empty() {
            let Some(refreshed) = stop.run_until_cancelled(self.refresh()).await else {
                return;
            };
            if let Some(error) = rounds.ended(refreshed) {
                metrics::counter!("stoa_swap_terms_failures_total").increment(1);
                tracing::warn!(error, "the exchange's terms cannot be read");
            }
            let slept = stop.run_until_cancelled(tokio::time::sleep(INTERVAL));
            if slept.await.is_none() {
                return;
            }
        }
        stop.cancelled().await;
    }

    /// Reads everything that was asked about once more.
    pub async fn refresh(&self) -> Result<(), Fault> {
        let known = self.0.known.load_full();
        let subjects = Subjects {
            tokens: known.tokens.iter().copied().collect(),
            integrators: known.integrators.iter().copied().collect(),
        };
        let read = self.0.ask(&subjects).await?;
        self.learn(&read, &subjects);
        Ok(())
    }

    fn learn(&self, read: &ContractTerms, subjects: &Subjects) {
        self.0.known.rcu(|known| known.with(read, subjects));
    }
}

impl KnownTerms {
    fn unknown(&self, tokens: &[Address], integrator: Option<Address>) -> Subjects {
        let new = |all: &BTreeSet<Address>, asked: &[Address]| {
            let new = asked.iter().filter(|it| !all.contains(it));
            new.copied().collect()
        };
        Subjects {
            tokens: new(&self.tokens, tokens),
            integrators: new(&self.integrators, integrator.as_slice()),
        }
    }

    fn with(&self, read: &ContractTerms, subjects: &Subjects) -> Self {
        let mut known = self.clone();
        remember(&mut known.tokens, &subjects.tokens);
        remember(&mut known.integrators, &subjects.integrators);
        let mut terms = read.merged_into(&self.terms);
        terms.fees.weights.retain(|it, _| known.tokens.contains(it));
        terms
            .fees
            .waived_for
            .retain(|it| known.integrators.contains(it));
        known.terms = Arc::new(terms);
        known.has_been_read = true;
        known
    }
}

fn remember(known: &mut BTreeSet<Address>, new: &[Address]) {
    let room = MAX_KNOWN.saturating_sub(known.len());
    known.extend(new.iter().take(room));
}

impl Subjects {
    fn is_empty(&self) -> bool {
        self.tokens.is_empty() && self.integrators.is_empty()
    }
}

/// What the contract said; of what it does not tell, what is configured.
#[derive(Debug, Clone)]
struct ContractTerms {
    one: Bps,
    many: Bps,
    exact_out: Bps,
    weights: Vec<(Address, u32)>,
    waived: Vec<(Address, bool)>,
    gas: GasPrices,
}

impl ContractTerms {
    /// These terms with what was read.
    fn merged_into(&self, terms: &SwapTerms) -> SwapTerms {
        let mut fees = terms.fees.clone();
        (fees.one, fees.many, fees.exact_out) = (self.one, self.many, self.exact_out);
        fees.weights.extend(self.weights.iter().copied());
        for (integrator, is_waived) in &self.waived {
            if *is_waived {
                fees.waived_for.insert(*integrator);
            } else {
                fees.waived_for.remove(integrator);
            }
        }
        SwapTerms {
            fees,
            gas: self.gas,
        }
    }
}

impl Inner {
    /// Asks the first node that answers.
    async fn ask(&self, subjects: &Subjects) -> Result<ContractTerms, Fault> {
        let mut last = Fault::NoNode;
        for node in &self.nodes {
            match self.ask_node(node, subjects).await {
                Ok(read) => return Ok(read),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    async fn ask_node(
        &self,
        node: &StarknetClient,
        about: &Subjects,
    ) -> Result<ContractTerms, Fault> {
        let gas = node.gas().await?;
        let question = ExchangeQuestion {
            exchange: self.exchange,
            tokens: &about.tokens,
            integrators: &about.integrators,
        };
        let answer = node.exchange_terms(question, gas.at).await?;
        let fees = &self.configured.fees;
        let bps = |read: Option<u64>, configured| {
            let read = read.and_then(|points| Bps::new(u32::try_from(points).ok()?));
            read.unwrap_or(configured)
        };
        let weight = |(token, read): (&Address, Option<u64>)| {
            let configured = || fees.weights.get(token).copied().unwrap_or_default();
            let read = read.and_then(|weight| u32::try_from(weight).ok());
            (*token, read.unwrap_or_else(configured))
        };
        let waived = |(integrator, read): (&Address, Option<bool>)| {
            let configured = || fees.waived_for.contains(integrator);
            (*integrator, read.unwrap_or_else(configured))
        };
        Ok(ContractTerms {
            one: bps(answer.one, fees.one),
            many: bps(answer.many, fees.many),
            exact_out: bps(answer.exact_out, fees.exact_out),
            weights: about
                .tokens
                .iter()
                .zip(answer.weights)
                .map(weight)
                .collect(),
            waived: about
                .integrators
                .iter()
                .zip(answer.waived)
                .map(waived)
                .collect(),
            gas: GasPrices {
                l1: gas.l1,
                l1_data: gas.l1_data,
                l2: gas.l2,
            },
        })
    }
}
