use super::super::{Book, Change, Created, Facts, Off, PROOF, Registry, Shape, Venue, Verdict};
use super::*;
use crate::Ticks;
use crate::ekubo::Rounding;
use primitives::Address;
use std::collections::BTreeMap;
use std::sync::Arc;

const CLASS: Felt = Felt::THREE;
const VENUE: u64 = 1;
const PAIR: u64 = 2;

/// A fee of 0.3 % of 2^128.
const FEE: u128 = u128::MAX / 1_000 * 3;

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

/// A venue without a named class and one pool of it, the class of which is known.
fn book(kind: Kind, spot: Spot, shape: Shape, price: Option<Price>) -> Book {
    let venue = Venue {
        name: "venue".to_owned(),
        kind,
        contract: address(VENUE),
        router: None,
        start_block: 0,
        classes: BTreeMap::new(),
        extensions: BTreeMap::new(),
        enabled: true,
    };
    let mut book = Book::new(Arc::new(Registry::new(vec![venue]).unwrap()));
    book.begin(1);
    let tokens = [address(10), address(11)];
    book.apply(&Change::Created {
        venue: address(VENUE),
        pool: Created {
            tokens,
            spot,
            shape,
            price,
        },
    });
    let contract = if kind.is_singleton() { VENUE } else { PAIR };
    let contract = address(contract);
    let class = CLASS;
    book.apply(&Change::Class { contract, class });
    book
}

fn pair(kind: Kind, reserves: [u128; 2]) -> Book {
    let mut book = book(kind, Spot::Contract(address(PAIR)), Shape::Usual, None);
    book.apply(&moved(Movement::Reserves(reserves)));
    book
}

const fn moved(movement: Movement) -> Change {
    let pool = PoolId(0);
    Change::Moved { pool, movement }
}

fn judgements(heard: &[Testimony]) -> Vec<(Maths, Judgement)> {
    heard.iter().map(|it| (it.maths, it.judgement)).collect()
}

/// What a trade of a pair says that leaves it with these reserves.
fn traded(book: &Book, sold: Side, amounts: [u128; 2], after: [u128; 2]) -> Vec<Testimony> {
    let mut witness = Witness::default();
    let mut book = book.clone();
    let sync = moved(Movement::Reserves(after));
    let heard = witness.hear(book.pools(), 0, &sync, None);
    assert!(heard.is_empty());
    book.apply(&sync);
    let trade = moved(Movement::Traded { sold, amounts });
    witness.hear(book.pools(), 0, &trade, Some(AskedSwap::Plain))
}

const RESERVES: [u128; 2] = [5_000_000_000_000_000, 9_000_000_000_000];

/// What x·y = k pays with a fee of 3/1000, and what the pair holds then.
fn sale(sold: Side, paid: u128) -> (u128, [u128; 2]) {
    let (held, other) = sold.of(RESERVES);
    let bought = paid * 997 * other / (held * 1_000 + paid * 997);
    let after = sold.of([held + paid, other - bought]);
    (bought, after.into())
}

#[test]
fn a_pair_that_pays_what_the_formula_says_agrees() {
    let book = pair(Kind::JediSwap, RESERVES);
    for (sold, paid) in [
        (Side::Token0, 10_u128.pow(11)),
        (Side::Token1, 10_u128.pow(9)),
    ] {
        let (bought, after) = sale(sold, paid);
        let heard = traded(&book, sold, [paid, bought], after);
        let agrees = [(Maths::Usual, Judgement::Agrees(sold))];
        assert_eq!(judgements(&heard), agrees);
        assert_eq!((heard[0].pool, heard[0].class), (PoolId(0), CLASS));
    }
}

#[test]
fn a_purchase_of_an_exact_amount_agrees_too() {
    let book = pair(Kind::JediSwap, RESERVES);
    let (bought, [x, y]) = (3_000_001_u128, RESERVES);
    let paid = x * bought * 1_000 / ((y - bought) * 997) + 1;
    let after = [x + paid, y - bought];
    let heard = traded(&book, Side::Token0, [paid, bought], after);
    let agrees = [(Maths::Usual, Judgement::Agrees(Side::Token0))];
    assert_eq!(judgements(&heard), agrees);
}

#[test]
fn a_pair_that_pays_a_unit_more_differs_and_one_that_pays_less_says_nothing() {
    let book = pair(Kind::JediSwap, RESERVES);
    let (sold, paid) = (Side::Token0, 10_u128.pow(12));
    let (bought, [x, y]) = sale(sold, paid);
    let more = traded(&book, sold, [paid, bought + 1], [x, y - 1]);
    assert_eq!(judgements(&more), [(Maths::Usual, Judgement::Differs)]);
    for less in [1, 1_000] {
        let heard = traded(&book, sold, [paid, bought - less], [x, y + less]);
        assert_eq!(heard, []);
    }
}

#[test]
fn a_trade_that_cannot_be_told_says_nothing() {
    let book = pair(Kind::JediSwap, RESERVES);
    let (sold, paid) = (Side::Token0, 10_u128.pow(12));
    let (bought, after) = sale(sold, paid);
    // Too little to tell one rule from another.
    let (little, left) = sale(sold, 10_000_000);
    assert_eq!(traded(&book, sold, [10_000_000, little], left), []);
    // Something else happened as well.
    let [x, y] = after;
    let amounts = [paid, bought + 1];
    assert_eq!(traded(&book, sold, amounts, [x, y - 2]), []);
    assert_eq!(traded(&book, sold, amounts, [x + 1, y - 1]), []);
    // The reserves before it were told in another transaction, or never.
    let (sync, trade) = (
        moved(Movement::Reserves([x, y - 1])),
        moved(Movement::Traded { sold, amounts }),
    );
    let mut witness = Witness::default();
    let plain = Some(AskedSwap::Plain);
    assert_eq!(witness.hear(book.pools(), 0, &trade, plain), []);
    witness.hear(book.pools(), 0, &sync, None);
    let mut moved_on = book.clone();
    moved_on.apply(&sync);
    assert_eq!(witness.hear(moved_on.pools(), 1, &trade, plain), []);
    // It is more than an exchange of one token for the other.
    witness.hear(book.pools(), 1, &sync, None);
    assert_eq!(witness.hear(moved_on.pools(), 1, &trade, None), []);
}

#[test]
fn settings_must_be_known_and_a_stable_curve_may_give_a_little_more() {
    let mut book = book(
        Kind::SithSwap,
        Spot::Contract(address(PAIR)),
        Shape::Stable,
        None,
    );
    let reserves = [10_u128.pow(24), 10_u128.pow(24)];
    book.apply(&moved(Movement::Reserves(reserves)));
    let facts = Facts {
        fees: [4, 4],
        decimals: [18, 18],
        amplification: 0,
    };
    let asked = Change::Asked {
        pool: PoolId(0),
        facts,
    };
    let mut known = book.clone();
    known.apply(&asked);
    let view = known.pools().get(PoolId(0)).unwrap();
    let paid = 10_u128.pow(21);
    let fill = view.of_reserves(reserves).unwrap();
    let fill = fill.exact_in(Side::Token0, U256::from(paid)).unwrap();
    let bought = u128::try_from(fill.bought).unwrap();
    let tell = |book: &Book, bought: u128| {
        let after = [reserves[0] + paid, reserves[1] - bought];
        judgements(&traded(book, Side::Token0, [paid, bought], after))
    };
    let agrees = (Maths::Usual, Judgement::Agrees(Side::Token0));
    assert_eq!(tell(&book, bought), []);
    assert_eq!(tell(&known, bought), [agrees]);
    assert_eq!(tell(&known, bought + bought / 2_000_000), []);
    let differs = (Maths::Usual, Judgement::Differs);
    assert_eq!(tell(&known, bought + bought / 500_000), [differs]);
}

/// An Ekubo pool with one wide position, by a contract that rounds like this.
fn core(rounding: Rounding, fee: u128, extension: u64) -> (Book, ekubo::Pool) {
    let spot = Spot::Keyed {
        fee,
        tick_spacing: 1_000,
        extension: address(extension),
    };
    let price = Price {
        sqrt_ratio: ekubo::sqrt_ratio_at(1_234_567).unwrap(),
        tick: 1_234_567,
    };
    let mut book = book(Kind::Ekubo, spot, Shape::Usual, Some(price));
    let liquidity = 987_654_321_987_654_321_987;
    book.apply(&moved(Movement::Position {
        lower: -20_000_000,
        upper: 20_000_000,
        liquidity: Signed::positive(liquidity),
        delta: [Signed::positive(u128::MAX / 4); 2],
    }));
    let mut pool = ekubo::Pool {
        rules: ekubo::EkuboTerms { fee, rounding },
        tick_spacing: 1_000,
        sqrt_ratio: price.sqrt_ratio,
        tick: price.tick,
        liquidity: 0,
        ticks: Ticks::default(),
    };
    let liquidity = i128::try_from(liquidity).unwrap();
    pool.update_position(-20_000_000, 20_000_000, liquidity)
        .unwrap();
    (book, pool)
}

/// The event of a swap, as a contract would tell it.
fn event(sold: Side, swapped: &Swapped) -> Change {
    let (paid, bought) = (
        Signed::positive(swapped.sold),
        Signed::new(swapped.bought, true),
    );
    moved(Movement::Swapped {
        delta: sold.of([paid, bought]).into(),
        price: Price {
            sqrt_ratio: swapped.sqrt_ratio_after,
            tick: swapped.tick_after,
        },
        liquidity: swapped.liquidity_after,
    })
}

fn order(sold: Side, amount: Amount, limit: U256) -> AskedSwap {
    let (amount, token) = match amount {
        Amount::In(amount) => (Signed::positive(amount), sold),
        Amount::Out(amount) => (Signed::new(amount, true), sold.other()),
    };
    AskedSwap::Order {
        amount,
        token,
        limit,
        skip_ahead: 3,
    }
}

/// Swaps both ways, sales and purchases, until a class is judged.
fn many_swaps(book: &mut Book, pool: &mut ekubo::Pool) {
    for round in 0..u128::from(PROOF) {
        for sold in Side::BOTH {
            for amount in [Amount::In, Amount::Out] {
                let amount = amount(10_u128.pow(17) + round * 98_765_432_123_457);
                let limit = ekubo::EkuboTerms::widest_limit(sold);
                let swapped = pool.swap(sold, amount, limit, 3).unwrap();
                let change = event(sold, &swapped);
                let asked = Some(order(sold, amount, limit));
                let heard = Witness::default().hear(book.pools(), 0, &change, asked);
                book.apply(&change);
                for Testimony {
                    class,
                    maths,
                    judgement,
                    ..
                } in heard
                {
                    book.apply(&Change::Judged {
                        venue: address(VENUE),
                        class,
                        maths,
                        judgement,
                    });
                }
                pool.apply(&swapped);
            }
        }
    }
}

#[test]
fn the_rounding_of_an_ekubo_core_is_found_out() {
    for (rounding, maths) in [
        (Rounding::Older, Maths::EkuboOlder),
        (Rounding::Exact, Maths::EkuboExact),
    ] {
        let (mut book, mut pool) = core(rounding, FEE, 0);
        let off = |book: &Book| book.pools().get(PoolId(0)).unwrap().off();
        assert_eq!(off(&book), Some(Off::Class));
        book.begin(2);
        many_swaps(&mut book, &mut pool);
        let venue = book.pools().get(PoolId(0)).unwrap().pool.venue();
        let verdict = |book: &Book| book.pools().verdict(venue, CLASS);
        assert_eq!(verdict(&book), Verdict::Learned(maths));
        assert_eq!(off(&book), None);
        // It is kept, and taken back with its block.
        let registry = book.pools().registry().clone();
        let kept = Book::from_bytes(Arc::new(registry), 2, &book.to_bytes()).unwrap();
        assert_eq!(verdict(&kept), Verdict::Learned(maths));
        book.rollback(Some(1)).unwrap();
        assert_eq!(verdict(&book), Verdict::Undecided);
        assert_eq!(off(&book), Some(Off::Class));
    }
}

#[test]
fn every_part_of_what_an_ekubo_swap_leaves_counts() {
    let (book, pool) = core(Rounding::Exact, FEE, 0);
    let (sold, amount) = (Side::Token0, Amount::In(10_u128.pow(18)));
    let limit = ekubo::EkuboTerms::widest_limit(sold);
    let right = pool.swap(sold, amount, limit, 3).unwrap();
    let exactly = |swapped: &Swapped| {
        let asked = Some(order(sold, amount, limit));
        let heard = Witness::default().hear(book.pools(), 0, &event(sold, swapped), asked);
        let mut exact = heard.iter().filter(|it| it.maths == Maths::EkuboExact);
        exact.next().map(|it| it.judgement)
    };
    assert_eq!(exactly(&right), Some(Judgement::Agrees(sold)));
    for wrong in [
        Swapped {
            bought: right.bought - 1,
            ..right
        },
        Swapped {
            sold: right.sold - 1,
            ..right
        },
        Swapped {
            sqrt_ratio_after: right.sqrt_ratio_after + U256::ONE,
            ..right
        },
        Swapped {
            tick_after: right.tick_after - 1,
            ..right
        },
        Swapped {
            liquidity_after: right.liquidity_after + 1,
            ..right
        },
    ] {
        assert_eq!(exactly(&wrong), Some(Judgement::Differs), "{wrong:?}");
    }
}

#[test]
fn an_ekubo_swap_that_something_else_decides_says_nothing() {
    let (sold, amount) = (Side::Token1, Amount::In(10_u128.pow(18)));
    let heard = |fee, extension, limit: Option<U256>| {
        let (book, pool) = core(Rounding::Exact, fee, extension);
        let widest = ekubo::EkuboTerms::widest_limit(sold);
        let limit = limit.unwrap_or(widest);
        let swapped = pool.swap(sold, amount, limit, 3).unwrap();
        // What it paid is not what the rule says.
        let wrong = Swapped {
            bought: swapped.bought - 1,
            ..swapped
        };
        let asked = Some(order(sold, amount, limit));
        Witness::default().hear(book.pools(), 0, &event(sold, &wrong), asked)
    };
    assert_eq!(heard(FEE, 0, None).len(), 2);
    // An extension, no fee, a limit that stopped it.
    assert_eq!(heard(FEE, 9, None), []);
    assert_eq!(heard(0, 0, None), []);
    let near = ekubo::sqrt_ratio_at(1_234_600).unwrap();
    assert_eq!(heard(FEE, 0, Some(near)), []);
}

#[test]
fn swaps_of_the_v3_type_are_replayed_both_ways() {
    let spot = Spot::Contract(address(PAIR));
    let (fee, tick_spacing) = (3_000, 60);
    let shape = Shape::Tiered { fee, tick_spacing };
    let mut book = book(Kind::JediSwapV2, spot, shape, None);
    let price = Price {
        sqrt_ratio: v3::sqrt_ratio_at(-1_000).unwrap(),
        tick: -1_000,
    };
    let liquidity = 10_u128.pow(20);
    for movement in [
        Movement::Priced(price),
        Movement::Position {
            lower: -6_000,
            upper: 6_000,
            liquidity: Signed::positive(liquidity),
            delta: [Signed::positive(u128::MAX / 4); 2],
        },
    ] {
        book.apply(&moved(movement));
    }
    let view = book.pools().get(PoolId(0)).unwrap();
    let State::Concentrated(ranges) = view.pool.state() else {
        panic!("it has ticks")
    };
    let pool = ranges.pool(v3::V3Terms { fee }, tick_spacing);
    let hear = |sold, swapped: &Swapped| {
        let event = event(sold, swapped);
        let heard = Witness::default().hear(book.pools(), 0, &event, Some(AskedSwap::Plain));
        judgements(&heard)
    };
    for sold in Side::BOTH {
        let widest = v3::V3Terms::widest_limit(sold);
        for amount in [Amount::In, Amount::Out] {
            let swapped = pool.swap(sold, amount(10_u128.pow(17)), widest).unwrap();
            let agrees = (Maths::Usual, Judgement::Agrees(sold));
            assert_eq!(hear(sold, &swapped), [agrees]);
            let wrong = Swapped {
                bought: swapped.bought + 1,
                ..swapped
            };
            assert_eq!(hear(sold, &wrong), [(Maths::Usual, Judgement::Differs)]);
        }
        // Stopped by a limit.
        let tick = if sold == Side::Token0 { -1_010 } else { -990 };
        let limit = v3::sqrt_ratio_at(tick).unwrap() + U256::ONE;
        let stopped = pool.swap(sold, Amount::In(10_u128.pow(22)), limit).unwrap();
        let heard = hear(sold, &stopped);
        assert!(!heard.iter().any(|(_, it)| *it == Judgement::Differs));
    }
}

#[test]
fn what_is_decided_is_not_news_any_more() {
    let mut book = pair(Kind::JediSwap, RESERVES);
    let (sold, paid) = (Side::Token0, 10_u128.pow(12));
    let (bought, [x, y]) = sale(sold, paid);
    let judged = |judgement| Change::Judged {
        venue: address(VENUE),
        class: CLASS,
        maths: Maths::Usual,
        judgement,
    };
    for _ in 0..PROOF {
        assert_eq!(traded(&book, sold, [paid, bought], [x, y]).len(), 1);
        book.apply(&judged(Judgement::Agrees(sold)));
    }
    assert_eq!(traded(&book, sold, [paid, bought], [x, y]), []);
    let more = traded(&book, sold, [paid, bought + 1], [x, y - 1]);
    assert_eq!(judgements(&more), [(Maths::Usual, Judgement::Differs)]);
    book.apply(&judged(Judgement::Differs));
    let off = book.pools().get(PoolId(0)).unwrap().off();
    assert_eq!(off, Some(Off::Refuted));
    assert_eq!(traded(&book, sold, [paid, bought + 1], [x, y - 1]), []);
}

/// A vault that counts this.
fn vault(counted: Deposit) -> Book {
    let spot = Spot::Contract(address(VENUE));
    let mut book = book(Kind::Endur, spot, Shape::Usual, None);
    book.apply(&moved(Movement::Counted(counted)));
    book
}

#[test]
fn a_deposit_speaks_for_its_vault_only_if_nothing_else_happened() {
    let (assets, shares) = (7_000_000_000, 5_000_000_000);
    let book = vault(Deposit::new(assets, shares));
    let view = book.pools().get(PoolId(0)).unwrap();
    let after = |paid: u128, minted: u128| Deposit::new(assets + paid, shares + minted);
    let judged = |deposit: [u128; 2], after| {
        let heard = view.hear_deposit(deposit, after);
        heard.map(|testimony| testimony.judgement)
    };
    let deposit = [10_000_000, 7_142_857];
    let [paid, minted] = deposit;
    let agrees = Some(Judgement::Agrees(Side::Token0));
    assert_eq!(judged(deposit, after(paid, minted)), agrees);
    // A unit more or less is another rule.
    for minted in [minted - 1, minted + 1] {
        let differs = Some(Judgement::Differs);
        assert_eq!(judged([paid, minted], after(paid, minted)), differs);
    }
    // Rewards, gifts, withdrawals, and amounts that no rule shows in.
    for (deposit, after) in [
        (deposit, after(paid + 1, minted)),
        (deposit, after(paid - 1, minted)),
        (deposit, after(paid, minted - 1)),
        (deposit, Deposit::new(0, 0)),
        ([1_000, 715], after(1_000, 715)),
    ] {
        assert_eq!(judged(deposit, after), None, "{deposit:?} {after:?}");
    }
    // The first one has no rate to be held against.
    let empty = vault(Deposit::new(0, 0));
    let view = empty.pools().get(PoolId(0)).unwrap();
    assert_eq!(view.hear_deposit(deposit, Deposit::new(paid, minted)), None);
}

#[test]
fn deposits_prove_a_vault_and_one_that_differs_switches_it_off() {
    let mut book = vault(Deposit::new(7_000_000_000, 5_000_000_000));
    let off = |book: &Book| book.pools().get(PoolId(0)).unwrap().off();
    for turn in 0..=PROOF {
        let view = book.pools().get(PoolId(0)).unwrap();
        let State::Vault(before) = *view.pool.state() else {
            panic!("a vault");
        };
        let differs = u128::from(turn == PROOF);
        let minted = before.exact_in(Side::Token0, U256::from(9_000_001));
        let minted = u128::try_from(minted.unwrap().bought).unwrap() + differs;
        let made = Fill {
            sold: U256::from(9_000_001),
            bought: U256::from(minted),
            ticks: 0,
        };
        let after = before.after(Side::Token0, &made).unwrap();
        let heard = view.hear_deposit([9_000_001, minted], after).unwrap();
        assert_eq!(off(&book), (turn < PROOF).then_some(Off::Class));
        book.apply(&Change::Judged {
            venue: address(VENUE),
            class: heard.class,
            maths: heard.maths,
            judgement: heard.judgement,
        });
        book.apply(&moved(Movement::Counted(after)));
    }
    assert_eq!(off(&book), Some(Off::Refuted));
}
