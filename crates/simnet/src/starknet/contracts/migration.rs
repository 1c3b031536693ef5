//! A token's old form for its new one, unit for unit, as long as the contract
//! has some of the other.

use super::arithmetic::ensure;
use super::erc20::{collect, pay};
use crate::starknet::class::{ADDRESS, Class, EventSignature, Interface, Typed, U256 as U256_TYPE};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, Returned, halves};
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

type Entry = Function<Migration>;

const AMOUNT: &[Typed] = &[("amount", U256_TYPE)];

#[rustfmt::skip]
const FUNCTIONS: &[Entry] = &[
    Entry::view("get_legacy_token", &[], &[ADDRESS], Migration::get_legacy_token),
    Entry::view("get_new_token", &[], &[ADDRESS], Migration::get_new_token),
    Entry::external("swap_to_new", AMOUNT, &[], Migration::swap_to_new),
    Entry::external("swap_to_legacy", AMOUNT, &[], Migration::swap_to_legacy),
];

const EVENTS: &[EventSignature] = &[EventSignature {
    name: "TokenSwapped",
    keys: &[("user", ADDRESS)],
    data: &[
        ("from_token", ADDRESS),
        ("to_token", ADDRESS),
        ("amount", U256_TYPE),
    ],
}];

static KIND: LazyLock<Kind<Migration>> = LazyLock::new(|| {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("Token migration", FUNCTIONS, interface)
});

/// A contract that changes two tokens into each other.
#[derive(Debug)]
pub(crate) struct Migration {
    pub(crate) legacy: Felt,
    pub(crate) new: Felt,
}

impl Contract for Migration {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// Changes an amount, of which the contract may spend as much, to the new form
/// or back.
pub(crate) fn migrate_call(migration: Felt, amount: U256, to_new: bool) -> Call {
    let name = if to_new {
        "swap_to_new"
    } else {
        "swap_to_legacy"
    };
    Call {
        to: migration,
        selector: selector(name),
        calldata: halves(amount).to_vec(),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the shape of all entrypoints")]
impl Migration {
    fn get_legacy_token(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![self.legacy])
    }

    fn get_new_token(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![self.new])
    }

    fn swap_to_new(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        change(env, calldata.u256()?, self.legacy, self.new)
    }

    fn swap_to_legacy(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        change(env, calldata.u256()?, self.new, self.legacy)
    }
}

fn change(env: &mut Env<'_, '_>, amount: U256, sold: Felt, bought: Felt) -> Returned {
    ensure(!amount.is_zero(), "amount is zero")?;
    let (user, own) = (env.caller(), env.address());
    collect(env, sold, (user, own), amount)?;
    pay(env, bought, user, amount)?;
    let data = [&[sold, bought][..], &halves(amount)].concat();
    env.emit(&[selector("TokenSwapped"), user], &data);
    Ok(vec![])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::erc20::transfer_call;
    use crate::starknet::contracts::lab::{ALICE, BOB, DAI, Lab, USDC, event};
    use std::sync::Arc;

    #[test]
    fn a_unit_is_a_unit_while_there_are_any() {
        let place = Felt::from(0x777);
        let contract = Migration {
            legacy: USDC,
            new: DAI,
        };
        let mut lab = Lab::new(|contracts| contracts.insert(place, Arc::new(contract)));
        assert_eq!(lab.view(place, "get_legacy_token", &[]), [USDC]);
        assert_eq!(lab.view(place, "get_new_token", &[]), [DAI]);
        lab.approve(BOB, place, &[USDC, DAI]);
        lab.run(ALICE, &transfer_call(DAI, place, U256::from(100)));
        let before = lab.balance(DAI, BOB);
        let (_, events) = lab.run(BOB, &migrate_call(place, U256::from(60), true));
        assert_eq!(lab.balance(DAI, BOB) - before, U256::from(60));
        assert_eq!(event(&events, "TokenSwapped").data.len(), 4);
        let more = migrate_call(place, U256::from(41), true);
        lab.refuses(BOB, &more, "ERC20: insufficient balance");
        lab.run(BOB, &migrate_call(place, U256::from(60), false));
        assert_eq!(lab.balance(DAI, BOB), before);
        let nothing = migrate_call(place, U256::ZERO, false);
        lab.refuses(BOB, &nothing, "amount is zero");
    }
}
