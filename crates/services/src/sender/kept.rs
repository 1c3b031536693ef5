//! A signed transaction as its row keeps it.

use chain::{Broadcast, BroadcastAction};
use primitives::transaction_hash::{Bound, Invoke, ResourceBounds, Terms};
use primitives::{Felt, Impossible, OrImpossible as _};
use serde::{Deserialize, Serialize};

/// The form of what follows it.
const FORM: u8 = 1;

/// What a sender's transaction says; the rest is as ever.
#[derive(Serialize, Deserialize)]
struct KeptTransaction {
    sender: [u8; 32],
    calldata: Vec<[u8; 32]>,
    nonce: u64,
    tip: u64,
    bounds: [(u64, u128); 3],
    signature: Vec<[u8; 32]>,
}

pub(super) fn to_bytes(broadcast: &Broadcast) -> Result<Vec<u8>, Impossible> {
    let BroadcastAction::Invoke(invoke) = &broadcast.action else {
        return Err(primitives::impossible("a sender makes calls alone"));
    };
    let ResourceBounds {
        l1_gas,
        l2_gas,
        l1_data_gas,
    } = broadcast.terms.bounds;
    let bytes = |felts: &[Felt]| felts.iter().map(Felt::to_bytes_be).collect();
    let kept = KeptTransaction {
        sender: invoke.sender.to_bytes_be(),
        calldata: bytes(&invoke.calldata),
        nonce: broadcast.terms.nonce,
        tip: broadcast.terms.tip,
        bounds: [l1_gas, l2_gas, l1_data_gas]
            .map(|bound| (bound.max_amount, bound.max_price_per_unit)),
        signature: bytes(&broadcast.signature),
    };
    postcard::to_extend(&kept, vec![FORM]).or_impossible("numbers and lists of them can be written")
}

/// `None` for bytes that were not written here.
pub(super) fn from_bytes(bytes: &[u8]) -> Option<Broadcast> {
    let (&FORM, rest) = bytes.split_first()? else {
        return None;
    };
    let kept: KeptTransaction = postcard::from_bytes(rest).ok()?;
    let felts = |bytes: &[[u8; 32]]| bytes.iter().map(Felt::from_bytes_be).collect();
    let [l1_gas, l2_gas, l1_data_gas] = kept.bounds.map(|(max_amount, max_price_per_unit)| Bound {
        max_amount,
        max_price_per_unit,
    });
    Some(Broadcast {
        action: BroadcastAction::Invoke(Invoke {
            sender: Felt::from_bytes_be(&kept.sender),
            calldata: felts(&kept.calldata),
            account_deployment_data: Vec::new(),
        }),
        terms: Terms {
            nonce: kept.nonce,
            tip: kept.tip,
            bounds: ResourceBounds {
                l1_gas,
                l2_gas,
                l1_data_gas,
            },
            ..Terms::default()
        },
        signature: felts(&kept.signature),
    })
}
