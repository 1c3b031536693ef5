//! When something that waits is sent again for more, and for how much more. Pure.

use super::{SenderOptions, admission::max_fee};
use primitives::transaction_hash::{Bound, ResourceBounds, Terms};
use store::SendRow;

/// Tip and prices rise by so many per cent each time; nodes want ten at least.
const RISE_PERCENT: u128 = 25;

/// Whether the newest of `attempts` transactions with one nonce, which waits, is to be
/// replaced at a height: it has the account's next nonce, so that it waits for nothing
/// else, has waited for long enough, and was not replaced too often.
pub(super) fn is_stuck(
    newest: &SendRow,
    attempts: usize,
    (height, next_nonce): (u64, u64),
    options: &SenderOptions,
) -> bool {
    let waited = height.saturating_sub(newest.head);
    newest.nonce == next_nonce && waited >= options.stuck_blocks && attempts <= options.replacements
}

/// The same for more: with a tip of what most offer at least, and with prices that a
/// node takes in the place of the old ones. `None` if that may cost more than is
/// allowed.
pub(super) fn risen(terms: &Terms, market_tip: u64, allowed: u128) -> Option<Terms> {
    let ResourceBounds {
        l1_gas,
        l2_gas,
        l1_data_gas,
    } = terms.bounds;
    let dearer = |bound: Bound| {
        Some(Bound {
            max_price_per_unit: rise(bound.max_price_per_unit)?,
            ..bound
        })
    };
    let bounds = ResourceBounds {
        l1_gas: dearer(l1_gas)?,
        l2_gas: dearer(l2_gas)?,
        l1_data_gas: dearer(l1_data_gas)?,
    };
    let tip = u64::try_from(rise(terms.tip.into())?).ok()?;
    let tip = tip.max(market_tip);
    let affordable = max_fee(&bounds, tip)? <= allowed;
    affordable.then(|| Terms {
        tip,
        bounds,
        ..terms.clone()
    })
}

/// More by one at least.
fn rise(number: u128) -> Option<u128> {
    let more = number.checked_mul(RISE_PERCENT)?.div_ceil(100);
    number.checked_add(more.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::{Address, Felt, SignedDuration, Timestamp};
    use proptest::prelude::*;
    use store::{SendState, SendingAccount};

    fn options() -> SenderOptions {
        SenderOptions {
            fee_token: Address::new(Felt::ONE),
            max_fee: 1_000,
            reserve: 0,
            in_flight: 4,
            room_percent: 50,
            patience: SignedDuration::from_secs(1),
            depth: 1,
            stuck_blocks: 5,
            replacements: 2,
        }
    }

    fn row(nonce: u64, head: u64) -> SendRow {
        SendRow {
            account: SendingAccount {
                chain_id: Felt::ONE,
                address: Address::new(Felt::TWO),
            },
            nonce,
            attempt: 0,
            purpose: None,
            superseded: false,
            head,
            hash: Felt::THREE,
            broadcast: Vec::new(),
            max_fee: 1,
            paid: None,
            created_at: Timestamp::UNIX_EPOCH,
            state: SendState::Open,
        }
    }

    #[test]
    fn only_the_next_in_line_that_waited_and_was_not_replaced_too_often_is_stuck() {
        let stuck =
            |nonce, attempts, height| is_stuck(&row(nonce, 100), attempts, (height, 7), &options());
        assert!(stuck(7, 1, 105) && stuck(7, 2, 105));
        assert!(!stuck(7, 1, 104), "too early");
        assert!(!stuck(7, 3, 105), "too often");
        assert!(!stuck(8, 1, 105), "another one is before it");
        assert!(!stuck(7, 1, 90), "after a reorganisation");
        let never = SenderOptions {
            replacements: 0,
            ..options()
        };
        assert!(!is_stuck(&row(7, 100), 1, (200, 7), &never));
    }

    fn bound() -> impl Strategy<Value = Bound> {
        (0..1_u64 << 40, 0..1_u128 << 60).prop_map(|(max_amount, max_price_per_unit)| Bound {
            max_amount,
            max_price_per_unit,
        })
    }

    proptest! {
        #[test]
        fn what_rises_rises_by_a_tenth_at_least_and_never_above_what_is_allowed(
            bounds in (bound(), bound(), bound()),
            tip in 0..1_u64 << 50,
            market in 0..1_u64 << 51,
            allowed in 0..1_u128 << 105,
        ) {
            let (l1_gas, l2_gas, l1_data_gas) = bounds;
            let terms = Terms {
                nonce: 3,
                tip,
                bounds: ResourceBounds { l1_gas, l2_gas, l1_data_gas },
                ..Terms::default()
            };
            let Some(next) = risen(&terms, market, allowed) else {
                let free = risen(&terms, market, u128::MAX).unwrap();
                prop_assert!(max_fee(&free.bounds, free.tip).unwrap() > allowed);
                return Ok(());
            };
            prop_assert!(max_fee(&next.bounds, next.tip).unwrap() <= allowed);
            prop_assert!(next.tip > tip && next.tip >= market && next.nonce == 3);
            prop_assert!(u128::from(next.tip) * 10 >= u128::from(tip) * 11);
            for (old, new) in [
                (l1_gas, next.bounds.l1_gas),
                (l2_gas, next.bounds.l2_gas),
                (l1_data_gas, next.bounds.l1_data_gas),
            ] {
                prop_assert_eq!(old.max_amount, new.max_amount);
                prop_assert!(new.max_price_per_unit * 10 >= old.max_price_per_unit * 11);
            }
        }
    }
}
