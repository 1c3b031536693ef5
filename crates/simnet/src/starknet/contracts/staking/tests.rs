//! Rules of staking, on a chain with nothing else.

use super::*;
use crate::starknet::contracts::erc20::{Erc20, Fashion, mint_call};
use crate::starknet::contracts::manner::Manner;
use crate::starknet::contracts::test_chain::{ALICE, BOB, TestChain, call, event};
use crate::starknet::contracts::text::Text;
use crate::starknet::network::{DEPLOYER, STRK, WBTC};
use crate::starknet::transaction::Call;
use proptest::prelude::*;
use terms::{EPOCH_SECONDS, EXIT_SECONDS, PoolTerms, SUPPLIER};

const START: u64 = 1_800_000_000;
const DAY: u64 = 86_400;
const PERSON: Felt = Felt::from_hex_unchecked("0x9e4");

/// A chain on which PERSON is a member of both pools from the beginning, and
/// others have something to stake.
fn test_chain() -> TestChain {
    let mut chain = TestChain::new(|contracts| {
        for (token, decimals) in [(STRK, 18), (WBTC, 8)] {
            let contract = Erc20 {
                name: Ok(Text::Short.encode("token")),
                symbol: Ok(Text::Short.encode("T")),
                decimals: Ok(vec![Felt::from(decimals)]),
                fashion: Fashion::Modern,
                text: Text::Short,
                minter: DEPLOYER,
                manner: Manner::Plain,
            };
            contracts.insert(token, Arc::new(contract));
        }
        install(contracts);
    });
    for (token, pool) in [(STRK, POOLS[0].pool), (WBTC, POOLS[1].pool)] {
        let people = [ALICE, BOB].map(|person| (person, 10_u128.pow(24)));
        for (whose, amount) in holdings(token).into_iter().chain(people) {
            chain.run(DEPLOYER, &mint_call(token, whose, U256::from(amount)));
        }
        for person in [ALICE, BOB] {
            chain.approve(person, pool, &[token]);
        }
    }
    for (key, value) in first_state(&[PERSON], START) {
        chain.write(key, value);
    }
    chain.time = START;
    chain
}

fn strk() -> &'static PoolTerms {
    &POOLS[0]
}

fn enter(terms: &PoolTerms, person: Felt, amount: u128) -> Call {
    let calldata = [person, Felt::from(amount)];
    call(terms.pool, "enter_delegation_pool", &calldata)
}

/// Amount, unclaimed rewards, what is to be withdrawn, and when.
fn member(chain: &TestChain, terms: &PoolTerms, person: Felt) -> Option<([u128; 3], Option<u64>)> {
    let felts = chain.view(terms.pool, "get_pool_member_info_v1", &[person]);
    let number = |index: usize| u128::try_from(felts[index]).unwrap();
    if felts[0] == Felt::ONE {
        return None;
    }
    assert_eq!(number(4), 500);
    let time = (felts[6] == Felt::ZERO).then(|| u64::try_from(number(7)).unwrap());
    Some(([number(2), number(3), number(5)], time))
}

#[test]
fn a_stake_earns_its_share_without_the_commission() {
    let mut chain = test_chain();
    let (amount, terms) = (1_000_000_000_000_000_000_u128, strk());
    let (_, events) = chain.run(ALICE, &enter(terms, ALICE, amount));
    let told = event(&events, "NewPoolMember");
    assert_eq!(told.keys[1..], [ALICE, STAKER]);
    assert_eq!(*told.data, [ALICE, Felt::from(amount)]);
    let told = event(&events, "PoolMemberBalanceChanged");
    assert_eq!(*told.data, [Felt::ZERO, Felt::from(amount)]);
    assert_eq!(member(&chain, terms, ALICE), Some(([amount, 0, 0], None)));
    chain.time += 10 * DAY;
    let power = chain.view(STAKING, "get_current_total_staking_power", &[]);
    let rewards = chain.view(SUPPLIER, "calculate_current_epoch_rewards", &[]);
    let [power, rewards] = [power[0], rewards[0]].map(|it| U256::from(u128::try_from(it).unwrap()));
    let epochs = U256::from(10 * DAY / EPOCH_SECONDS);
    let expected = rewards * epochs * U256::from(95) * U256::from(amount) / power / U256::from(100);
    let ([_, unclaimed, _], _) = member(&chain, terms, ALICE).unwrap();
    let missing = expected - U256::from(unclaimed);
    assert!(missing <= U256::ONE, "{expected} {unclaimed}");
    // Claiming pays exactly that, and a second time nothing.
    let before = chain.balance(STRK, ALICE);
    for paid in [unclaimed, 0] {
        let (returned, events) = chain.run(ALICE, &call(terms.pool, "claim_rewards", &[ALICE]));
        assert_eq!(returned, [Felt::from(paid)]);
        let told = event(&events, "PoolMemberRewardClaimed");
        assert_eq!(told.keys[1..], [ALICE, ALICE]);
        assert_eq!(*told.data, [Felt::from(paid)]);
    }
    assert_eq!(chain.balance(STRK, ALICE), before + U256::from(unclaimed));
}

#[test]
fn bitcoin_earns_strk() {
    let mut chain = test_chain();
    let terms = &POOLS[1];
    chain.run(ALICE, &enter(terms, BOB, 100_000_000));
    chain.time += DAY;
    let before = chain.balance(STRK, BOB);
    chain.refuses(
        PERSON,
        &call(terms.pool, "claim_rewards", &[ALICE]),
        "Claim rewards must be called from pool member address or reward address",
    );
    // Where rewards go may claim them too.
    let (returned, _) = chain.run(BOB, &call(terms.pool, "claim_rewards", &[ALICE]));
    let paid = u128::try_from(returned[0]).unwrap();
    assert!(paid > 10_u128.pow(18), "{paid}");
    assert_eq!(chain.balance(STRK, BOB), before + U256::from(paid));
}

#[test]
fn a_withdrawal_takes_twenty_one_days_and_earns_nothing() {
    for (begin, end) in [
        ("exit_delegation_pool_intent", "exit_delegation_pool_action"),
        ("initiate_withdraw", "claim_withdraw"),
    ] {
        let documented = begin == "initiate_withdraw";
        let mut chain = test_chain();
        let terms = strk();
        let before = chain.balance(STRK, ALICE);
        chain.run(ALICE, &enter(terms, ALICE, 1_000));
        let initiate = |amount: u128| {
            let mut calldata = vec![Felt::from(amount)];
            calldata.extend(documented.then_some(Felt::ZERO));
            call(terms.pool, begin, &calldata)
        };
        let calldata: &[Felt] = if documented { &[] } else { &[ALICE] };
        let claim = call(terms.pool, end, calldata);
        chain.refuses(ALICE, &claim, "Undelegate intent is missing");
        chain.refuses(ALICE, &initiate(1_001), "Amount is too high");
        chain.refuses(BOB, &initiate(1), "Pool member does not exist");
        let (_, events) = chain.run(ALICE, &initiate(400));
        let exit = START + EXIT_SECONDS;
        let told = event(&events, "PoolMemberExitIntent");
        assert_eq!(*told.data, [Felt::from(exit), Felt::from(400)]);
        let told = event(&events, "PoolMemberBalanceChanged");
        assert_eq!(*told.data, [Felt::from(1_000), Felt::from(600)]);
        // Another amount takes its place, and waits as long; nothing ends it.
        chain.time += DAY;
        chain.run(ALICE, &initiate(1_000));
        let exit = exit + DAY;
        let all = Some(([0, 0, 1_000], Some(exit)));
        assert_eq!(member(&chain, terms, ALICE), all);
        chain.run(ALICE, &initiate(0));
        chain.refuses(ALICE, &claim, "Undelegate intent is missing");
        chain.run(ALICE, &initiate(1_000));
        chain.time = exit - 1;
        chain.refuses(ALICE, &claim, "Intent window is not finished");
        chain.time = exit;
        assert_eq!(member(&chain, terms, ALICE), all);
        let (returned, events) = chain.run(ALICE, &claim);
        assert_eq!(returned, [Felt::from(1_000)]);
        let told = event(&events, "PoolMemberExitAction");
        assert_eq!(*told.data, [Felt::from(1_000)]);
        assert_eq!(chain.balance(STRK, ALICE), before);
        assert_eq!(member(&chain, terms, ALICE), Some(([0, 0, 0], None)));
    }
}

#[test]
fn members_enter_once_and_add() {
    let mut chain = test_chain();
    let terms = strk();
    let add = |amount: u128| {
        let calldata = [ALICE, Felt::from(amount)];
        call(terms.pool, "add_to_delegation_pool", &calldata)
    };
    chain.refuses(ALICE, &add(1), "Pool member does not exist");
    chain.refuses(ALICE, &enter(terms, ALICE, 0), "Amount is zero");
    chain.refuses(
        ALICE,
        &enter(terms, STRK, 1),
        "Reward address is a token address",
    );
    chain.refuses(ALICE, &enter(terms, Felt::ZERO, 1), "Address is zero");
    chain.run(ALICE, &enter(terms, ALICE, 5));
    let words = "Pool member exists, use add_to_delegation_pool instead";
    chain.refuses(ALICE, &enter(terms, ALICE, 5), words);
    let words = "Caller address should be pool member address or reward address";
    chain.refuses(BOB, &add(1), words);
    let (returned, events) = chain.run(ALICE, &add(7));
    assert_eq!(returned, [Felt::from(12)]);
    let told = event(&events, "PoolMemberBalanceChanged");
    assert_eq!(*told.data, [Felt::from(5), Felt::from(12)]);
    // Who is paid may add too, once they are named.
    let change = call(terms.pool, "change_reward_address", &[BOB]);
    let (_, events) = chain.run(ALICE, &change);
    let told = event(&events, "PoolMemberRewardAddressChanged");
    assert_eq!(*told.data, [BOB, ALICE]);
    chain.run(BOB, &add(1));
    chain.refuses(BOB, &change, "Pool member does not exist");
    assert_eq!(
        chain.view(terms.pool, "contract_parameters_v1", &[])[3],
        STRK
    );
}

#[test]
fn the_staking_contract_tells_what_is_in_the_pools() {
    let mut chain = test_chain();
    chain.run(ALICE, &enter(strk(), ALICE, 77));
    let info = chain.view(STAKING, "staker_pool_info", &[STAKER]);
    let [strk_pool, bitcoin] = &POOLS;
    let stake = |terms: &PoolTerms| terms.first_stakes().next().unwrap();
    let expected = [
        [Felt::ZERO, Felt::from(500), Felt::from(2)],
        [strk_pool.pool, STRK, Felt::from(stake(strk_pool) + 77)],
        [bitcoin.pool, WBTC, Felt::from(stake(bitcoin))],
    ];
    assert_eq!(info, expected.concat());
    let parameters = chain.view(STAKING, "contract_parameters_v1", &[]);
    assert_eq!(parameters[4..], [SUPPLIER, Felt::from(21 * DAY)]);
    let some = chain.view(STAKING, "get_staker_info_v1", &[STAKER]);
    assert_eq!(some[0], Felt::ZERO);
    assert_eq!(some[1..], chain.view(STAKING, "staker_info_v1", &[STAKER]));
    assert_eq!(
        chain.view(STAKING, "get_staker_info_v1", &[BOB]),
        [Felt::ONE]
    );
    let all = chain.view(STAKING, "get_current_total_staking_power", &[]);
    assert_eq!(chain.view(STAKING, "get_total_stake", &[]), all[..1]);
    for view in ["staker_pool_info", "staker_info_v1"] {
        chain.refuses(ALICE, &call(STAKING, view, &[BOB]), "Staker does not exist");
    }
    let claim = call(SUPPLIER, "claim_rewards", &[Felt::ONE]);
    chain.refuses(ALICE, &claim, "Caller is not a pool");
}

/// What somebody does, and the days until then.
fn deeds() -> impl Strategy<Value = Vec<(bool, u8, u128, u64)>> {
    let deed = (any::<bool>(), 0_u8..4, 1_u128..10_u128.pow(21), 0_u64..30);
    prop::collection::vec(deed, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pools_hold_every_stake_and_never_owe_more_than_was_earned(deeds in deeds()) {
        let mut chain = test_chain();
        let terms = strk();
        let supplied = chain.balance(STRK, SUPPLIER);
        for (who, what, amount, days) in deeds {
            chain.time += days * DAY;
            let person = if who { ALICE } else { BOB };
            let amount = Felt::from(amount);
            let call = match what {
                0 if member(&chain, terms, person).is_none() => {
                    call(terms.pool, "enter_delegation_pool", &[person, amount])
                }
                0 => call(terms.pool, "add_to_delegation_pool", &[person, amount]),
                1 => call(terms.pool, "exit_delegation_pool_intent", &[amount]),
                2 => call(terms.pool, "exit_delegation_pool_action", &[person]),
                _ => call(terms.pool, "claim_rewards", &[person]),
            };
            // What cannot be done changes nothing.
            let _ = chain.try_run(person, &call);
        }
        let people = [PERSON, ALICE, BOB].map(|person| member(&chain, terms, person));
        let people = people.map(|it| it.unwrap_or_default().0);
        let staked: u128 = people.iter().map(|[amount, _, _]| amount).sum();
        let leaving: u128 = people.iter().map(|[_, _, unpool]| unpool).sum();
        prop_assert_eq!(chain.view(terms.pool, "get_delegated_stake", &[]), [Felt::from(staked)]);
        // The others of the beginning hold stakes that nobody here has.
        let unheld = terms.first_stake() - terms.first_stakes().next().unwrap();
        let held = chain.balance(STRK, terms.pool);
        prop_assert_eq!(held, U256::from(staked + leaving + unheld));
        let paid = supplied - chain.balance(STRK, SUPPLIER);
        let owed: u128 = people.iter().map(|[_, unclaimed, _]| unclaimed).sum();
        let epochs = U256::from((chain.time - START) / EPOCH_SECONDS);
        let all = U256::from(terms.epoch_rewards) * epochs;
        prop_assert!(paid + U256::from(owed) <= all);
    }
}
