//! Questions to a Starknet node.

use super::{
    Block, SpecVersion,
    block::{self, BlockMark, Header},
    broadcast::Broadcast,
    calls::{Said, View, ask},
    classes::{self, Forwarders},
    event_heights,
    event_pages::{self, EventPage, Wanted},
    exchange::{self, BlockGas, ExchangeAnswer, ExchangeQuestion},
    fees::{self, FeeEstimate},
    felt::WireFelt,
    holdings,
    outcome::{self, TransactionReceipt, TransactionStatus},
    pools::{self, PoolAnswer, PoolQuestion},
    readings,
    recoding::{self, Recoding},
    relaying::{self, AccountFacts},
    sending::{self, SendError},
    simulation::{self, Imagined, Simulated},
    staking::{self, Membership, StakerAnswer, StakerQuestion},
    supplies,
    takeover::{self, NumberedPool, TickedPool, TickedQuestion},
    trades::{self, Trade},
    vaults::{self, VaultReading},
};
use crate::{
    error::RpcError,
    jsonrpc::{JsonRpc, RpcOptions, parse},
};
use amm::book::{Created, Facts, Kind};
use market::{TokenReading, following::Watch};
use primitives::{Address, BlockRef, Entropy, Felt, U256};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    collections::BTreeSet,
    ops::{Range, RangeInclusive},
    sync::Arc,
};
use tokio::try_join;
use url::Url;

/// The most blocks that [`StarknetClient::blocks`] reads at once.
pub const MAX_BLOCKS: usize = 4_096;

const NO_PARAMS: [(); 0] = [];

/// A client of one Starknet node. Clones share its connections and limits.
#[derive(Debug, Clone)]
pub struct StarknetClient(Arc<JsonRpc>, Arc<Forwarders>);

#[derive(Serialize)]
struct OfBlock {
    block_id: ByNumber,
}

#[derive(Serialize)]
struct ByNumber {
    block_number: u64,
}

impl OfBlock {
    fn number(block_number: u64) -> Self {
        Self {
            block_id: ByNumber { block_number },
        }
    }
}

#[derive(Deserialize)]
struct HashAndNumber {
    block_hash: WireFelt,
    block_number: u64,
}

impl StarknetClient {
    /// A client of the node at `url`. Nothing is asked yet.
    pub fn new(url: Url, options: RpcOptions, entropy: Arc<dyn Entropy>) -> Result<Self, RpcError> {
        JsonRpc::new(url, options, entropy).map(|rpc| Self(Arc::new(rpc), Arc::default()))
    }

    /// The node's scheme, host and port, fit to be shown.
    pub fn node(&self) -> &str {
        self.0.node()
    }

    /// The version of the spec that the node speaks, if it is supported.
    pub async fn spec_version(&self) -> Result<SpecVersion, RpcError> {
        let text: String = self.0.call("starknet_specVersion", &NO_PARAMS).await?;
        SpecVersion::parse(&text)
    }

    /// Which chain the node follows.
    pub async fn chain_id(&self) -> Result<Felt, RpcError> {
        let WireFelt(id) = self.0.call("starknet_chainId", &NO_PARAMS).await?;
        Ok(id)
    }

    /// The newest accepted block.
    pub async fn head(&self) -> Result<BlockRef, RpcError> {
        let head: HashAndNumber = self
            .0
            .call("starknet_blockHashAndNumber", &NO_PARAMS)
            .await?;
        Ok(BlockRef {
            number: head.block_number,
            hash: head.block_hash.0,
        })
    }

    /// The hash of the block at a height, `None` if the node has none there.
    pub async fn block_hash(&self, number: u64) -> Result<Option<Felt>, RpcError> {
        let mark = self.block_marks(&[number]).await?.pop().flatten();
        Ok(mark.map(|mark| mark.at.hash))
    }

    /// What tells the blocks at some heights from others, in their order; `None`
    /// where the node has none.
    pub async fn block_marks(&self, numbers: &[u64]) -> Result<Vec<Option<BlockMark>>, RpcError> {
        const METHOD: &str = "starknet_getBlockWithTxHashes";
        let params: Vec<_> = numbers.iter().copied().map(OfBlock::number).collect();
        self.0
            .batch(METHOD, &params, |asked: &OfBlock, answer| match answer {
                Ok(header) => {
                    let header: Header = parse(METHOD, header)?;
                    header.mark(METHOD, asked.block_id.block_number).map(Some)
                }
                Err(error) if error.is_block_not_found() => Ok(None),
                Err(error) => Err(error),
            })
            .await
    }

    /// The blocks of at most [`MAX_BLOCKS`] heights, in order. That each is the
    /// parent of the next is not promised: the chain may change in between.
    pub async fn blocks(&self, range: RangeInclusive<u64>) -> Result<Vec<Block>, RpcError> {
        self.blocks_for(range, &Watch::default()).await
    }

    /// The blocks of at most [`MAX_BLOCKS`] heights, in the order of these, read
    /// for those who watch too.
    pub async fn blocks_for(
        &self,
        heights: impl Iterator<Item = u64> + Send,
        watch: &Watch,
    ) -> Result<Vec<Block>, RpcError> {
        const METHOD: &str = "starknet_getBlockWithReceipts";
        let params: Vec<_> = heights.take(MAX_BLOCKS + 1).map(OfBlock::number).collect();
        if params.len() > MAX_BLOCKS {
            return Err(RpcError::RangeTooLong { limit: MAX_BLOCKS });
        }
        self.0
            .batch(METHOD, &params, |asked: &OfBlock, answer| {
                block::read(METHOD, asked.block_id.block_number, answer?, watch)
            })
            .await
    }

    /// The same, and of the blocks from `recoded_from` on also which contracts they
    /// gave other code.
    pub async fn blocks_with_code(
        &self,
        heights: RangeInclusive<u64>,
        watch: &Watch,
        recoded_from: Option<u64>,
    ) -> Result<Vec<Block>, RpcError> {
        let coded = recoded_from.map_or(0..0, |from| {
            from.max(*heights.start())..heights.end().saturating_add(1)
        });
        let blocks = self.blocks_for(heights, watch);
        let (mut blocks, recodings) = try_join!(blocks, self.recodings(coded))?;
        let last = blocks.len().saturating_sub(recodings.len());
        for (block, recoding) in blocks.iter_mut().skip(last).zip(recodings) {
            if recoding.block_hash != block.at.hash {
                let number = block.at.number;
                return Err(RpcError::Torn { number });
            }
            block.recoded = recoding.contracts;
        }
        Ok(blocks)
    }

    async fn recodings(&self, heights: Range<u64>) -> Result<Vec<Recoding>, RpcError> {
        const METHOD: &str = "starknet_getStateUpdate";
        let params: Vec<_> = heights.take(MAX_BLOCKS).map(OfBlock::number).collect();
        let read = |asked: &OfBlock, answer: Result<&RawValue, RpcError>| {
            recoding::read(METHOD, asked.block_id.block_number, answer?)
        };
        self.0.batch(METHOD, &params, read).await
    }

    /// The heights between two at which a contract emitted anything, at most
    /// `limit` of them.
    pub async fn event_heights(
        &self,
        contract: Address,
        range: RangeInclusive<u64>,
        limit: usize,
    ) -> Result<BTreeSet<u64>, RpcError> {
        event_heights::find(&self.0, contract, range, limit).await
    }

    /// Some events of a contract, with one of these selectors of names, in a range of
    /// blocks: the first ones, or those from where the page before said.
    pub async fn event_page(
        &self,
        contract: Address,
        names: &[Felt],
        range: &RangeInclusive<u64>,
        next: Option<&str>,
    ) -> Result<EventPage, RpcError> {
        let wanted = Wanted {
            contract,
            names,
            range,
        };
        event_pages::events(&self.0, &wanted, next).await
    }

    /// What each of `tokens` says of itself at a block: one reading per token,
    /// sorted by address. A token's answer never fails the whole; a node that
    /// cannot answer for that block does.
    pub async fn token_readings(
        &self,
        tokens: &[Address],
        at: BlockRef,
    ) -> Result<Vec<(Address, TokenReading)>, RpcError> {
        let mut tokens = tokens.to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        let readings = readings::read(&self.0, &tokens, at.hash).await?;
        if let Some(token) = tokens.first().filter(|_| readings.any_silent) {
            // No answer to one call may be the contract's doing or the node's.
            classes::check_state(&self.0, *token, at.hash).await?;
        }
        Ok(tokens.into_iter().zip(readings.readings).collect())
    }

    /// Fails if the node cannot call contracts at a block, whatever this one says.
    pub async fn check_calls(&self, contract: Address, at: BlockRef) -> Result<(), RpcError> {
        let view = View::plain(contract, "decimals");
        for said in ask(&self.0, &[view], at.hash).await? {
            if let Said::Silence(error) = said {
                return Err(error);
            }
        }
        Ok(())
    }

    /// How much there is of each of `tokens` at a block, in their order; `None`
    /// where a token does not say. A node that cannot answer for that block
    /// fails the whole.
    pub async fn total_supplies(
        &self,
        tokens: &[Address],
        at: BlockRef,
    ) -> Result<Vec<Option<U256>>, RpcError> {
        let supplies = supplies::read(&self.0, tokens, at.hash).await?;
        if let Some(token) = tokens.first().filter(|_| supplies.any_silent) {
            // No answer to one call may be the contract's doing or the node's.
            classes::check_state(&self.0, *token, at.hash).await?;
        }
        Ok(supplies.supplies)
    }

    /// The class that each of `contracts` runs at a block: its own, or the one
    /// behind it where that only forwards calls; `None` where nothing is deployed.
    pub async fn classes(
        &self,
        contracts: &[Address],
        at: BlockRef,
    ) -> Result<Vec<Option<Felt>>, RpcError> {
        classes::running(&self.0, &self.1, contracts, at.hash).await
    }

    /// What each of `pools` says of itself at a block; `None` where its contract
    /// does not answer as its kind does.
    pub async fn pool_facts(
        &self,
        pools: &[PoolQuestion],
        at: BlockRef,
    ) -> Result<Vec<Option<Facts>>, RpcError> {
        pools::facts(&self.0, pools, at.hash).await
    }

    /// What each of `pools` says it holds at a block; `None` where its contract
    /// does not answer as its kind does.
    pub async fn pool_reserves(
        &self,
        pools: &[PoolQuestion],
        at: BlockRef,
    ) -> Result<Vec<Option<[u128; 2]>>, RpcError> {
        pools::reserves(&self.0, pools, at.hash).await
    }

    /// What each of `pools` says of itself and of what it holds at a block.
    pub async fn pool_states(
        &self,
        pools: &[PoolQuestion],
        at: BlockRef,
    ) -> Result<Vec<PoolAnswer>, RpcError> {
        pools::states(&self.0, pools, at.hash).await
    }

    /// All pairs that a factory knows at a block, at most [`MAX_PAIRS`](crate::MAX_PAIRS) of them.
    pub async fn pairs(
        &self,
        kind: Kind,
        factory: Address,
        at: BlockRef,
    ) -> Result<Vec<Created>, RpcError> {
        pools::pairs(&self.0, kind, factory, at.hash).await
    }

    /// All pools of a contract that numbers them, at a block.
    pub async fn numbered_pools(
        &self,
        contract: Address,
        at: BlockRef,
    ) -> Result<Vec<NumberedPool>, RpcError> {
        takeover::numbered(&self.0, contract, at.hash).await
    }

    /// What each of some vaults counts at a block; `None` where its contract does not
    /// answer as vaults do.
    pub async fn vaults(
        &self,
        vaults: &[Address],
        at: BlockRef,
    ) -> Result<Vec<Option<VaultReading>>, RpcError> {
        vaults::read(&self.0, vaults, at.hash).await
    }

    /// Where each of some pools with ticks stands at a block; `None` where its
    /// contract does not answer as its kind does.
    pub async fn ticked_pools(
        &self,
        pools: &[TickedQuestion],
        at: BlockRef,
    ) -> Result<Vec<Option<TickedPool>>, RpcError> {
        takeover::ticked(&self.0, pools, at.hash).await
    }

    /// How much of a token somebody has at a block; `None` if the token does not
    /// say.
    pub async fn balance(
        &self,
        token: Address,
        owner: Address,
        at: BlockRef,
    ) -> Result<Option<U256>, RpcError> {
        holdings::balance(&self.0, token, owner, at.hash).await
    }

    /// How much of somebody's token another one may take at a block; `None` if
    /// the token does not say.
    pub async fn allowance(
        &self,
        token: Address,
        owner: Address,
        spender: Address,
        at: BlockRef,
    ) -> Result<Option<U256>, RpcError> {
        holdings::allowance(&self.0, token, owner, spender, at.hash).await
    }

    /// What gas costs in the newest block.
    pub async fn gas(&self) -> Result<BlockGas, RpcError> {
        exchange::gas(&self.0).await
    }

    /// What the exchange contract says of its terms at a block.
    pub async fn exchange_terms(
        &self,
        question: ExchangeQuestion<'_>,
        at: BlockRef,
    ) -> Result<ExchangeAnswer, RpcError> {
        exchange::terms(&self.0, question, at.hash).await
    }

    /// What the newest trades through the exchange contract cost, between two
    /// heights and at most `limit`. Transactions with several trades are left out.
    pub async fn trades(
        &self,
        exchange: Address,
        blocks: RangeInclusive<u64>,
        limit: usize,
    ) -> Result<Vec<Trade>, RpcError> {
        trades::newest(&self.0, exchange, blocks, limit).await
    }

    /// What the staking contract tells of a staker at a block; `None` if there is no
    /// such staker.
    pub async fn staker(
        &self,
        question: StakerQuestion,
        at: BlockRef,
    ) -> Result<Option<StakerAnswer>, RpcError> {
        staking::staker(&self.0, question, at.hash).await
    }

    /// What a delegation pool tells of somebody at a block.
    pub async fn pool_member(
        &self,
        pool: Address,
        member: Address,
        at: BlockRef,
    ) -> Result<Membership, RpcError> {
        staking::member(&self.0, pool, member, at.hash).await
    }

    /// What transactions would do, each alone on the state of a block.
    pub async fn simulate(
        &self,
        imagined: &[Imagined],
        at: BlockRef,
    ) -> Result<Vec<Simulated>, RpcError> {
        simulation::simulate(&self.0, imagined, at.hash).await
    }

    /// Accounts that sent the transactions of a block, each once and at most
    /// `limit`.
    pub async fn senders(&self, at: BlockRef, limit: usize) -> Result<Vec<Address>, RpcError> {
        simulation::senders(&self.0, at.hash, limit).await
    }

    /// How many transactions each of `accounts` has sent at a block; `None`
    /// where there is no account.
    pub async fn nonces(
        &self,
        accounts: &[Address],
        at: BlockRef,
    ) -> Result<Vec<Option<u64>>, RpcError> {
        simulation::nonces(&self.0, accounts, at.hash).await
    }

    /// What a transaction is expected to cost on top of a block, whoever signed
    /// it. A transaction that fails there is an error of the node
    /// ([`RpcError::is_execution_failure`]).
    pub async fn estimate_fee(
        &self,
        broadcast: &Broadcast,
        at: BlockRef,
    ) -> Result<FeeEstimate, RpcError> {
        fees::estimate(&self.0, broadcast, at).await
    }

    /// The same for transactions that come one after the other.
    pub async fn estimate_fees(
        &self,
        broadcasts: &[&Broadcast],
        at: BlockRef,
    ) -> Result<Vec<FeeEstimate>, RpcError> {
        fees::estimate_all(&self.0, broadcasts, at).await
    }

    /// An account as a relayer sees it at a block; `None` where there is none.
    pub async fn account_facts(
        &self,
        account: Address,
        at: BlockRef,
    ) -> Result<Option<AccountFacts>, RpcError> {
        relaying::account(&self.0, account, at).await
    }

    /// Which versions of outside execution accounts of a class have, the second
    /// first; `None` if the node does not know the class.
    pub async fn outside_execution_of(
        &self,
        class_hash: Felt,
        at: BlockRef,
    ) -> Result<Option<[bool; 2]>, RpcError> {
        relaying::class(&self.0, class_hash, at).await
    }

    /// Whether an account says at a block that its owner signed a hash.
    pub async fn is_valid_signature(
        &self,
        account: Address,
        hash: Felt,
        signature: &[Felt],
        at: BlockRef,
    ) -> Result<bool, RpcError> {
        relaying::is_valid_signature(&self.0, account, hash, signature, at).await
    }

    /// What a pool of private transactions takes at a block, in the smallest unit
    /// of STRK; `None` if it does not say.
    pub async fn pool_fee(&self, pool: Address, at: BlockRef) -> Result<Option<u128>, RpcError> {
        relaying::pool_fee(&self.0, pool, at).await
    }

    /// Who receives what users pay a forwarder; `None` if it does not say.
    pub async fn gas_fees_recipient(
        &self,
        forwarder: Address,
        at: BlockRef,
    ) -> Result<Option<Address>, RpcError> {
        relaying::gas_fees_recipient(&self.0, forwarder, at).await
    }

    /// What the transactions of a block offer for each unit of gas, in order.
    pub async fn tips(&self, at: BlockRef) -> Result<Vec<u64>, RpcError> {
        relaying::tips(&self.0, at).await
    }

    /// The time of a block, in seconds since 1970.
    pub async fn block_time(&self, at: BlockRef) -> Result<u64, RpcError> {
        relaying::time(&self.0, at).await
    }

    /// Gives the transaction of this hash to the node, once, however often
    /// answers are lost.
    pub async fn send(&self, broadcast: &Broadcast, hash: Felt) -> Result<(), SendError> {
        sending::send(&self.0, broadcast, hash).await
    }

    /// What the node knows of a transaction; `None` if nothing.
    pub async fn transaction_status(
        &self,
        hash: Felt,
    ) -> Result<Option<TransactionStatus>, RpcError> {
        outcome::status(&self.0, hash).await
    }

    /// What transactions cost and where they are; `None` before one is executed.
    pub async fn transaction_receipts(
        &self,
        hashes: &[Felt],
    ) -> Result<Vec<Option<TransactionReceipt>>, RpcError> {
        outcome::receipts(&self.0, hashes).await
    }
}
