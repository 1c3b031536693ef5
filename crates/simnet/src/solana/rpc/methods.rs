//! Every method by its name.

use super::{accounts, cluster, control, history, send, spoil};
use crate::caller::Caller;
use crate::fault::FaultKind;
use crate::jsonrpc::{Answer, Params, RpcError};
use crate::solana::node::SolanaNode;

/// The answer to the bytes of a request, if it asks for one, and the fault with
/// which it is to be sent.
pub(crate) fn answer(
    node: &SolanaNode,
    caller: Caller,
    body: &[u8],
) -> (Option<String>, Option<FaultKind>) {
    spoil::answer(node, body, |method, params, behind| {
        caller.check(method)?;
        call(node, method, params, behind)
    })
}

/// `behind` says by how many slots a head is to be stale.
pub(super) fn call(node: &SolanaNode, method: &str, params: Params, behind: u64) -> Answer {
    match method {
        "getHealth" => without(params, || cluster::health(node)),
        "getVersion" => without(params, cluster::version),
        "getGenesisHash" => without(params, || cluster::genesis_hash(node)),
        "getSlot" => cluster::slot(node, params, behind),
        "getBlockHeight" => cluster::block_height(node, params, behind),
        "getBlockTime" => cluster::block_time(node, params),
        "getEpochInfo" => cluster::epoch_info(node, params, behind),
        "getEpochSchedule" => without(params, || cluster::epoch_schedule(node)),
        "getVoteAccounts" => cluster::vote_accounts(node, params),
        "getBlockProduction" => cluster::block_production(node, params),
        "getLeaderSchedule" => cluster::leader_schedule(node, params),
        "getTransactionCount" => cluster::transaction_count(node, params),
        "getBalance" => accounts::balance(node, params),
        "getAccountInfo" => accounts::account_info(node, params),
        "getMultipleAccounts" => accounts::multiple_accounts(node, params),
        "getMinimumBalanceForRentExemption" => accounts::minimum_balance_for(params),
        "getSignaturesForAddress" => history::signatures_for_address(node, params),
        "getSignatureStatuses" => history::signature_statuses(node, params),
        "getTransaction" => history::transaction(node, params),
        "getLatestBlockhash" => send::latest_blockhash(node, params, behind),
        "isBlockhashValid" => send::is_blockhash_valid(node, params),
        "getFeeForMessage" => send::fee_for_message(node, params),
        "getRecentPrioritizationFees" => send::recent_fees(node, params),
        "sendTransaction" => send::send(node, params),
        "simulateTransaction" => send::simulate(node, params),
        "requestAirdrop" => send::airdrop(node, params),
        "sim_accounts" => without(params, || control::accounts(node)),
        "sim_mine" => control::mine(node, params),
        "sim_advance" => control::advance(node, params),
        "sim_advanceEpochs" => control::advance_epochs(node, params),
        "sim_pause" => without(params, || control::pause(node)),
        "sim_resume" => without(params, || control::resume(node)),
        "sim_reorg" => control::reorg(node, params),
        "sim_fault" => control::fault(node, params),
        _ => Err(RpcError::method_not_found(method)),
    }
}

/// A method that takes no parameters.
fn without(params: Params, method: impl FnOnce() -> Answer) -> Answer {
    params.named(&[]).and_then(|_| method())
}
