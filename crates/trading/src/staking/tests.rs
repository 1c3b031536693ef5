//! Calls, checks, earnings and history of staking.

use super::*;
use crate::Call;
use primitives::{Address, Felt, Timestamp, U256, selector};
use proptest::prelude::*;

const POOL: Address = Address::new(Felt::from_hex_unchecked("0x9001"));
const TOKEN: Address = Address::new(Felt::from_hex_unchecked("0x70ce"));
const USER: Address = Address::new(Felt::from_hex_unchecked("0xa11ce"));

fn time(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn member(amount: u128, unclaimed_rewards: u128, unpool_amount: u128) -> Member {
    Member {
        reward_address: USER,
        amount,
        unclaimed_rewards,
        unpool_amount,
        unpool_time: (unpool_amount > 0).then(|| time(1_800_000_000)),
    }
}

fn call(to: Address, entrypoint: &'static str, calldata: &[Felt]) -> Call {
    Call {
        to,
        entrypoint,
        calldata: calldata.to_vec(),
    }
}

#[test]
fn a_stake_is_approved_and_entered_or_added() {
    let (user, amount) = (USER.felt(), Felt::from(7));
    let approval = call(TOKEN, "approve", &[POOL.felt(), amount, Felt::ZERO]);
    let entry = call(POOL, "enter_delegation_pool", &[user, amount]);
    assert_eq!(
        stake_calls([POOL, TOKEN], USER, 7, false),
        [approval.clone(), entry]
    );
    let addition = call(POOL, "add_to_delegation_pool", &[user, amount]);
    let stake = [approval, addition];
    assert_eq!(stake_calls([POOL, TOKEN], USER, 7, true), stake);
    let claim = call(POOL, "claim_rewards", &[user]);
    let restaked = claim_rewards_calls([POOL, TOKEN], USER, Some(7));
    assert_eq!(restaked, [&[claim.clone()][..], &stake].concat());
    assert_eq!(claim_rewards_calls([POOL, TOKEN], USER, None), [claim]);
}

#[test]
fn withdrawals_are_called_as_configured() {
    let (large, two) = (u128::MAX, [Felt::from(u128::MAX), Felt::ZERO]);
    let documented = initiate_withdrawal_call(WithdrawalNames::Documented, POOL, large);
    assert_eq!(documented, call(POOL, "initiate_withdraw", &two));
    let chain = initiate_withdrawal_call(WithdrawalNames::Chain, POOL, large);
    assert_eq!(chain, call(POOL, "exit_delegation_pool_intent", &two[..1]));
    let documented = claim_withdrawal_call(WithdrawalNames::Documented, POOL, USER);
    assert_eq!(documented, call(POOL, "claim_withdraw", &[]));
    let chain = claim_withdrawal_call(WithdrawalNames::Chain, POOL, USER);
    assert_eq!(
        chain,
        call(POOL, "exit_delegation_pool_action", &[USER.felt()])
    );
}

#[test]
fn no_more_than_the_stake_is_withdrawn() {
    let both = member(60, 0, 40);
    assert_eq!(withdrawal_amount(Some(&both), U256::from(100)), Ok(100));
    let problem = withdrawal_amount(Some(&both), U256::from(101)).unwrap_err();
    assert_eq!(
        problem.to_string(),
        "amount 0x65 is more than the stake, which is 0x64"
    );
    let most = member(u128::MAX, 0, 0);
    assert_eq!(
        withdrawal_amount(Some(&most), U256::from(u128::MAX)),
        Ok(u128::MAX)
    );
    assert!(withdrawal_amount(Some(&most), U256::MAX).is_err());
    for nobody in [None, Some(&member(0, 5, 0))] {
        let problem = withdrawal_amount(nobody, U256::ONE);
        assert_eq!(problem, Err(BadWithdrawal::NoStake));
    }
}

#[test]
fn a_withdrawal_is_claimed_from_its_time_on() {
    let waiting = member(0, 0, 1);
    let due = 1_800_000_000;
    let early = check_withdrawal(Some(&waiting), time(due - 1)).unwrap_err();
    let words = "the withdrawal can be claimed from 2027-01-15T08:00:00Z on";
    assert_eq!(early.to_string(), words);
    assert_eq!(check_withdrawal(Some(&waiting), time(due)), Ok(()));
    for nobody in [None, Some(&member(1, 0, 0))] {
        let missing = check_withdrawal(nobody, time(due));
        assert_eq!(missing, Err(EarlyClaim::NoWithdrawal));
    }
}

#[test]
fn only_rewards_of_the_pools_own_token_are_staked_again() {
    let restaked = |member: Option<&Member>| restaked_rewards(member, USER, [TOKEN, TOKEN]);
    assert_eq!(restaked(Some(&member(1, 5, 0))), Ok(Some(5)));
    assert_eq!(restaked(Some(&member(1, 0, 0))), Ok(None));
    assert_eq!(restaked(None), Ok(None));
    let other = restaked_rewards(None, USER, [TOKEN, POOL]);
    assert_eq!(other, Err(BadRestake::OtherToken));
    let elsewhere = Member {
        reward_address: POOL,
        ..member(1, 5, 0)
    };
    assert_eq!(
        restaked(Some(&elsewhere)),
        Err(BadRestake::PaidElsewhere(POOL))
    );
}

/// 365 epochs of a day, 1,000 STRK for all of 10,000.
fn earnings(decimals: u8) -> Earnings {
    Earnings {
        epoch_rewards: 1_000 * 10_u128.pow(18),
        epoch_seconds: 86_400,
        all_stakes: 10_000 * 10_u128.pow(18),
        decimals,
        commission: 500,
    }
}

#[test]
fn a_stake_earns_its_share_without_the_commission() {
    let one = 10_u128.pow(18);
    let expected = U256::from(one) * U256::from(36_500 * 95) / U256::from(10 * 100 * 100);
    assert_eq!(earnings(18).yearly(one), expected);
    assert_eq!(earnings(8).yearly(10_u128.pow(8)), expected);
    assert_eq!(earnings(18).yearly(0), U256::ZERO);
    assert!((earnings(18).rate(1.0) - 34.675).abs() < 1e-12);
    assert!((earnings(8).rate(0.000_01) - 0.000_346_75).abs() < 1e-15);
}

#[test]
fn where_nothing_is_staked_or_told_nothing_is_earned() {
    let empty = Earnings {
        all_stakes: 0,
        ..earnings(18)
    };
    let timeless = Earnings {
        epoch_seconds: 0,
        ..earnings(18)
    };
    for none in [empty, timeless, earnings(19)] {
        assert_eq!(none.yearly(1_000), U256::ZERO);
        assert!(none.rate(1.0).abs() < f64::EPSILON);
    }
}

proptest! {
    #[test]
    fn stakes_never_earn_more_apart_than_together(a in 0_u128..1 << 100, b in 0_u128..1 << 100) {
        let earnings = earnings(18);
        let apart = earnings.yearly(a) + earnings.yearly(b);
        let together = earnings.yearly(a + b);
        prop_assert!(apart <= together);
        prop_assert!(together - apart <= U256::ONE);
    }

    #[test]
    fn whatever_a_chain_says_nothing_panics(
        epoch_rewards: u128,
        epoch_seconds: u64,
        all_stakes: u128,
        decimals: u8,
        commission: u16,
        stake: u128,
    ) {
        let earnings = Earnings { epoch_rewards, epoch_seconds, all_stakes, decimals, commission };
        let _ = (earnings.yearly(stake), earnings.rate(1.0));
    }

    #[test]
    fn whatever_an_event_has_nothing_panics(
        name in 0_usize..4,
        keys in prop::collection::vec(any::<u64>(), 0..4),
        data in prop::collection::vec(any::<u128>(), 0..4),
    ) {
        let names = ["PoolMemberBalanceChanged", "PoolMemberExitIntent", "PoolMemberExitAction", "PoolMemberRewardClaimed"];
        let mut all = vec![selector(names[name])];
        all.extend(keys.into_iter().map(Felt::from));
        let data: Vec<Felt> = data.into_iter().map(Felt::from).collect();
        let _ = DeedReader::default().read(Felt::ONE, &all, &data);
    }
}

#[test]
fn what_was_realised_is_all_rewards_over_what_was_staked_while_it_was() {
    const DAY: i64 = 86_400;
    let staked = |old, new| Action::Staked { old, new };
    let actions = [
        (time(0), staked(0, 1_000)),
        (
            time(10 * DAY),
            Action::ClaimedRewards {
                to: USER,
                amount: 30,
            },
        ),
        (time(10 * DAY), staked(1_000, 1_030)),
        (
            time(20 * DAY),
            Action::InitiatedWithdrawal {
                exit: time(41 * DAY),
                amount: 1_030,
                old: 1_030,
                new: 0,
            },
        ),
        (time(41 * DAY), Action::Withdrew { amount: 1_030 }),
    ];
    let realised = Realised::new(actions, &member(0, 10, 0), time(100 * DAY)).unwrap();
    assert_eq!(realised.rewards, U256::from(40));
    let days = U256::from(10 * 1_000 + 10 * 1_030);
    assert_eq!(realised.stake_seconds, days * U256::from(86_400));
    let rate = realised.rate(18, 1.0).unwrap();
    assert!((rate - 40.0 / 20_300.0 * 365.0).abs() < 1e-9, "{rate}");
    // A token of 8 decimals that is worth 1,000 STRK.
    let other = realised.rate(8, 0.001).unwrap() * 1e10;
    assert!((other * 1_000.0 - rate).abs() < 1e-9, "{other}");
}

#[test]
fn nothing_is_realised_before_a_stake_and_nothing_known_of_one_from_before() {
    let nobody = Realised::new([], &member(0, 0, 0), time(5)).unwrap();
    assert_eq!(nobody.rate(18, 1.0), None);
    let earlier = Action::Staked { old: 7, new: 9 };
    let known = |stake| Realised::new([(time(0), earlier)], &member(stake, 0, 0), time(5));
    assert_eq!(known(9), None);
    let first = Action::Staked { old: 0, new: 9 };
    let known = |stake| Realised::new([(time(0), first)], &member(stake, 0, 0), time(5));
    assert_eq!(known(8), None, "something is missing at the end");
    assert_eq!(known(9).unwrap().stake_seconds, U256::from(45));
}

#[test]
fn restaked_rewards_earn_their_gas_back_after_a_while() {
    // A tenth a year, before a commission of a half.
    let earnings = Earnings {
        epoch_rewards: 100,
        epoch_seconds: YEAR_SECONDS,
        all_stakes: 1_000,
        decimals: 18,
        commission: 5_000,
    };
    let year = YEAR_SECONDS;
    assert_eq!(earnings.break_even_seconds(100, 5), Some(year));
    assert_eq!(earnings.break_even_seconds(100, 1), Some(year.div_ceil(5)));
    assert_eq!(earnings.break_even_seconds(200, 1), Some(year.div_ceil(10)));
    assert_eq!(earnings.break_even_seconds(100, 0), Some(0));
    assert_eq!(earnings.break_even_seconds(1, 5), None, "it earns nothing");
}

fn told(reader: &mut DeedReader, transaction: u64, name: &str, data: &[u64]) -> Option<Action> {
    let keys = [selector(name), USER.felt(), POOL.felt()];
    let data: Vec<Felt> = data.iter().copied().map(Felt::from).collect();
    let deed = reader.read(Felt::from(transaction), &keys, &data)?;
    assert_eq!(deed.member, USER);
    Some(deed.action)
}

#[test]
fn events_tell_what_members_did() {
    let mut reader = DeedReader::default();
    let mut told = |transaction, name, data: &[u64]| told(&mut reader, transaction, name, data);
    let (balance, intent) = ("PoolMemberBalanceChanged", "PoolMemberExitIntent");
    assert_eq!(told(1, "NewPoolMember", &[1, 5]), None);
    assert_eq!(
        told(1, balance, &[0, 5]),
        Some(Action::Staked { old: 0, new: 5 })
    );
    assert_eq!(told(2, intent, &[1_800_000_000, 3]), None);
    let initiated = Action::InitiatedWithdrawal {
        exit: time(1_800_000_000),
        amount: 3,
        old: 5,
        new: 2,
    };
    assert_eq!(told(2, balance, &[5, 2]), Some(initiated));
    assert_eq!(told(3, intent, &[0, 0]), None);
    let cancelled = Action::CancelledWithdrawal { old: 2, new: 5 };
    assert_eq!(told(3, balance, &[2, 5]), Some(cancelled));
    // A balance that is told in another transaction belongs to no withdrawal.
    assert_eq!(told(4, intent, &[1_800_000_000, 3]), None);
    assert_eq!(
        told(5, balance, &[5, 6]),
        Some(Action::Staked { old: 5, new: 6 })
    );
    let withdrew = Action::Withdrew { amount: 3 };
    assert_eq!(told(6, "PoolMemberExitAction", &[3]), Some(withdrew));
    let claimed = Action::ClaimedRewards {
        to: POOL,
        amount: 9,
    };
    assert_eq!(told(7, "PoolMemberRewardClaimed", &[9]), Some(claimed));
    assert_eq!(told(8, "PoolMemberRewardClaimed", &[]), None);
}
