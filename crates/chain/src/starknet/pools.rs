//! What pools' contracts say when they are asked.

use super::{
    calls::{Said, View, ask},
    venues::Words,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use amm::book::{Created, Facts, Kind, Shape, Spot};
use primitives::{Address, Felt};

/// The most pairs that are taken over from a factory.
pub const MAX_PAIRS: usize = 10_000;

/// The one view that tokens are asked for.
const DECIMALS: &str = "decimals";

/// What a contract answers; `None` if it refuses.
pub(super) type Answer = Option<Vec<Felt>>;

/// What a pool says when it is asked; `None` where it does not answer as its
/// kind does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolAnswer {
    /// What it holds.
    pub reserves: Option<[u128; 2]>,
    /// Its settings.
    pub facts: Option<Facts>,
}

/// A pool that is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolQuestion {
    /// How its venue speaks.
    pub kind: Kind,
    /// Its venue's factory.
    pub factory: Address,
    /// The pool's own, which tells what it holds.
    pub contract: Address,
    /// Its tokens, in the pool's order.
    pub tokens: [Address; 2],
    /// Whether its tokens are meant to be worth the same.
    pub stable: bool,
}

impl PoolQuestion {
    /// The view of what a pair holds.
    const fn reserves(&self) -> View {
        let name = if in_camel_case(self.kind) {
            "getReserves"
        } else {
            "get_reserves"
        };
        View::plain(self.contract, name)
    }

    /// The views of its fees: one for both tokens, or one for either.
    const fn fees(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::SithSwap => &["fee0", "fee1"],
            Kind::StarkDefi => &["get_fee"],
            Kind::Nostra => &["swap_fee"],
            Kind::JediSwap
            | Kind::TenKSwap
            | Kind::MySwap
            | Kind::Ekubo
            | Kind::JediSwapV2
            | Kind::Endur => &[],
        }
    }

    /// The view of a fee: of the pair, or of the factory that sets it.
    fn fee(&self, name: &'static str) -> View {
        match self.kind {
            Kind::StarkDefi => View {
                contract: self.factory,
                entrypoint: name,
                calldata: vec![self.contract.felt()],
            },
            _ => View::plain(self.contract, name),
        }
    }

    /// Whether it may have an amplification, which makes it a stable one: its
    /// factory does not say.
    fn may_be_amplified(&self) -> bool {
        self.kind == Kind::Nostra
    }

    /// Whether its curve depends on its tokens' decimals.
    fn needs_decimals(&self) -> bool {
        self.stable || self.may_be_amplified()
    }

    fn views(&self) -> Vec<View> {
        let mut views: Vec<_> = self.fees().iter().map(|name| self.fee(name)).collect();
        if self.needs_decimals() {
            views.extend(self.tokens.map(|token| View::plain(token, DECIMALS)));
        }
        if self.may_be_amplified() {
            views.push(View::plain(self.contract, "amp_data"));
        }
        views
    }

    /// What an answer says of what it holds.
    fn held(&self, answer: &[Felt]) -> Option<[u128; 2]> {
        let mut words = Words::new(&[], answer);
        if self.kind == Kind::TenKSwap {
            return Some([words.u128().ok()?, words.u128().ok()?]);
        }
        Some([words.amount().ok()?, words.amount().ok()?])
    }

    /// What the answers to its views mean.
    fn facts(&self, answers: &[Answer]) -> Option<Facts> {
        let mut answers = answers.iter().map(|answer| {
            let mut words = Words::new(&[], answer.as_deref()?);
            words.u64().ok()
        });
        let mut next = || answers.next().flatten();
        let fees = match self.fees() {
            [] => [0, 0],
            [_] => next().map(|fee| [fee, fee])?,
            _ => [next()?, next()?],
        };
        let mut facts = Facts {
            fees,
            ..Facts::default()
        };
        if !self.needs_decimals() {
            return Some(facts);
        }
        let decimals = [next(), next()];
        let amplification = next();
        if self.stable || amplification.is_some() {
            let [decimals0, decimals1] = decimals;
            facts.decimals = [decimals0?.try_into().ok()?, decimals1?.try_into().ok()?];
        }
        if let Some(amplification) = amplification {
            facts.amplification = amplification.try_into().ok()?;
        }
        Some(facts)
    }
}

/// Whether a venue's contracts name their views so.
const fn in_camel_case(kind: Kind) -> bool {
    matches!(kind, Kind::TenKSwap | Kind::SithSwap)
}

pub(super) async fn facts(
    rpc: &JsonRpc,
    pools: &[PoolQuestion],
    block_hash: Felt,
) -> Result<Vec<Option<Facts>>, RpcError> {
    let answers = ask_each(rpc, pools, block_hash, PoolQuestion::views).await?;
    let told = pools.iter().zip(answers);
    Ok(told.map(|(pool, answers)| pool.facts(&answers)).collect())
}

pub(super) async fn reserves(
    rpc: &JsonRpc,
    pools: &[PoolQuestion],
    block_hash: Felt,
) -> Result<Vec<Option<[u128; 2]>>, RpcError> {
    let answers = ask_each(rpc, pools, block_hash, |pool| vec![pool.reserves()]).await?;
    let told = pools.iter().zip(answers);
    Ok(told
        .map(|(pool, answers)| pool.held(answers.first()?.as_deref()?))
        .collect())
}

pub(super) async fn states(
    rpc: &JsonRpc,
    pools: &[PoolQuestion],
    block_hash: Felt,
) -> Result<Vec<PoolAnswer>, RpcError> {
    let views = |pool: &PoolQuestion| [vec![pool.reserves()], pool.views()].concat();
    let answers = ask_each(rpc, pools, block_hash, views).await?;
    let told = pools.iter().zip(answers);
    Ok(told
        .map(|(pool, answers)| match answers.split_first() {
            Some((reserves, facts)) => PoolAnswer {
                reserves: reserves.as_deref().and_then(|felts| pool.held(felts)),
                facts: pool.facts(facts),
            },
            None => PoolAnswer::default(),
        })
        .collect())
}

/// Asks all views of all pools at once; the answers are those of each pool.
async fn ask_each(
    rpc: &JsonRpc,
    pools: &[PoolQuestion],
    block_hash: Felt,
    views: impl Fn(&PoolQuestion) -> Vec<View>,
) -> Result<Vec<Vec<Answer>>, RpcError> {
    let views: Vec<Vec<View>> = pools.iter().map(views).collect();
    let mut answers = answers(rpc, &views.concat(), block_hash).await?.into_iter();
    Ok(views
        .iter()
        .map(|views| answers.by_ref().take(views.len()).collect())
        .collect())
}

pub(super) async fn pairs(
    rpc: &JsonRpc,
    kind: Kind,
    factory: Address,
    block_hash: Felt,
) -> Result<Vec<Created>, RpcError> {
    let contracts = if in_camel_case(kind) {
        counted_pairs(rpc, factory, block_hash).await?
    } else {
        listed_pairs(rpc, kind, factory, block_hash).await?
    };
    let names: &[&str] = match kind {
        Kind::SithSwap => &["getToken0", "getToken1", "getStable"],
        Kind::StarkDefi => &["token0", "token1", "is_stable"],
        Kind::Nostra => &["token_0", "token_1"],
        _ => &["token0", "token1"],
    };
    let views: Vec<_> = contracts
        .iter()
        .flat_map(|pair| names.iter().map(|name| View::plain(*pair, name)))
        .collect();
    let answers = answers(rpc, &views, block_hash).await?;
    let one = |answer: &Answer| answer.as_deref()?.first().copied();
    let pairs = contracts.into_iter().zip(answers.chunks(names.len()));
    Ok(pairs
        .filter_map(|(pair, answers)| {
            let [token0, token1, rest @ ..] = answers else {
                return None;
            };
            let stable = rest.first().and_then(one) == Some(Felt::ONE);
            Some(Created {
                tokens: [one(token0)?.into(), one(token1)?.into()],
                spot: Spot::Contract(pair),
                shape: if stable { Shape::Stable } else { Shape::Usual },
                price: None,
            })
        })
        .collect())
}

/// The pairs of a factory that gives a list of all of them. Lists are long, so
/// that they are read apart from other views.
async fn listed_pairs(
    rpc: &JsonRpc,
    kind: Kind,
    factory: Address,
    block_hash: Felt,
) -> Result<Vec<Address>, RpcError> {
    let name = match kind {
        Kind::JediSwap => "get_all_pairs",
        _ => "all_pairs",
    };
    let view = View::plain(factory, name);
    let felts = super::calls::ask_for_list::<{ MAX_PAIRS + 2 }>(rpc, &view, block_hash).await?;
    // Some say how many there are before the list does.
    let pairs = match felts.as_slice() {
        [count, length, pairs @ ..] if count == length => pairs,
        [_, pairs @ ..] => pairs,
        [] => &[],
    };
    Ok(pairs.iter().copied().map(Address::new).collect())
}

/// The pairs of a factory that gives them one by one.
async fn counted_pairs(
    rpc: &JsonRpc,
    factory: Address,
    block_hash: Felt,
) -> Result<Vec<Address>, RpcError> {
    let length = View::plain(factory, "allPairsLength");
    let count = answers(rpc, &[length], block_hash).await?;
    let count = count
        .first()
        .and_then(|answer| Words::new(&[], answer.as_deref()?).u64().ok());
    let count = count.unwrap_or(0).min(MAX_PAIRS as u64);
    let views: Vec<_> = (0..count)
        .map(|index| View {
            contract: factory,
            entrypoint: "allPairs",
            calldata: vec![Felt::from(index)],
        })
        .collect();
    let answers = answers(rpc, &views, block_hash).await?;
    let felts = answers.iter().filter_map(|felts| felts.as_deref()?.first());
    Ok(felts.copied().map(Address::new).collect())
}

/// What contracts answer, `None` where one refuses. Silence is the node's
/// failure: a pool must not change because a node is slow. Tokens are strangers'
/// contracts, and may be silent themselves.
pub(super) async fn answers(
    rpc: &JsonRpc,
    views: &[View],
    block_hash: Felt,
) -> Result<Vec<Answer>, RpcError> {
    if views.is_empty() {
        return Ok(Vec::new());
    }
    let said = ask(rpc, views, block_hash).await?;
    said.into_iter()
        .zip(views)
        .map(|(said, view)| match said {
            Said::Felts(felts) => Ok(Some(felts)),
            Said::Nothing | Said::TooMuch => Ok(None),
            Said::Silence(_) if view.entrypoint == DECIMALS => Ok(None),
            Said::Silence(error) => Err(error),
        })
        .collect()
}
