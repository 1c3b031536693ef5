//! What vaults count, read by calling them.

use super::{
    calls::View,
    pools::{Answer, answers},
    venues::Words,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use amm::Deposit;
use primitives::{Address, Felt};

const ENTRYPOINTS: [&str; 3] = ["asset", "total_assets", "total_supply"];

/// What a vault says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VaultReading {
    /// The token that it takes.
    pub asset: Address,
    /// What it has of it, and the shares of that.
    pub counted: Deposit,
}

pub(super) async fn read(
    rpc: &JsonRpc,
    vaults: &[Address],
    block_hash: Felt,
) -> Result<Vec<Option<VaultReading>>, RpcError> {
    let views: Vec<View> = vaults
        .iter()
        .flat_map(|vault| ENTRYPOINTS.map(|name| View::plain(*vault, name)))
        .collect();
    let said = answers(rpc, &views, block_hash).await?;
    let (each, _) = said.as_chunks::<{ ENTRYPOINTS.len() }>();
    Ok(each.iter().map(reading).collect())
}

fn reading([asset, assets, shares]: &[Answer; 3]) -> Option<VaultReading> {
    let [asset] = asset.as_deref()? else {
        return None;
    };
    let amount = |answer: &Answer| {
        let mut words = Words::new(&[], answer.as_deref()?);
        let amount = words.amount().ok()?;
        words.end().ok().map(|()| amount)
    };
    Some(VaultReading {
        asset: Address::new(*asset),
        counted: Deposit::new(amount(assets)?, amount(shares)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "as contracts answer")]
    fn answer(words: &[u64]) -> Answer {
        Some(words.iter().copied().map(Felt::from).collect())
    }

    #[test]
    fn a_vault_is_read_whole_or_not_at_all() {
        let whole = [answer(&[9]), answer(&[300, 0]), answer(&[200, 0])];
        let expected = VaultReading {
            asset: Address::new(Felt::from(9)),
            counted: Deposit::new(300, 200),
        };
        assert_eq!(reading(&whole), Some(expected));
        let wrong: [(usize, Answer); 5] = [
            (0, answer(&[9, 0])),
            (1, None),
            (1, answer(&[300])),
            // More than any token has.
            (2, answer(&[200, 1])),
            (2, answer(&[200, 0, 0])),
        ];
        for (place, answer) in wrong {
            let mut spoiled = whole.clone();
            spoiled[place] = answer;
            assert_eq!(reading(&spoiled), None, "{spoiled:?}");
        }
    }
}
