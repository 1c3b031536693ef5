//! What sponsors pay for, and what not.

use crate::stage::{ONE, Stage, execute, nobody, payment, signed};
use primitives::{Address, SignedDuration, selector};
use services::STRK;
use services::paymaster::SponsorError;
use trading::paymaster::{CallRule, FeeMode, Refusal, Rules};
use world::Engine::Sqlite;

const SPONSORED: FeeMode = FeeMode::Sponsored(None);

fn rule(contract: Address, function: Option<&str>) -> CallRule {
    CallRule {
        contract,
        selector: function.map(selector),
    }
}

#[tokio::test]
async fn a_key_works_until_it_is_rotated_or_disabled() {
    let stage = Stage::new(Sqlite, 11).await;
    let (paymaster, user) = (stage.paymaster(), stage.user(0));
    let (id, key) = stage.sponsor(ONE).await;
    let calls = [payment(nobody(1), 5)];
    let build = async |key: Option<&str>| {
        let built = stage.build(&paymaster, &user, &calls, SPONSORED, key);
        built.await.map(drop)
    };
    assert_eq!(build(Some(&key)).await, Ok(()));
    for wrong in [None, Some("x"), Some("demo-sponsor-key")] {
        assert_eq!(build(wrong).await, Err(Refusal::InvalidKey));
    }
    let sponsors = paymaster.sponsors();
    let next = sponsors.rotate(&id).await.unwrap();
    let forget = || stage.world.clock.advance(SignedDuration::from_secs(11));
    forget();
    assert_eq!(build(Some(&key)).await, Err(Refusal::InvalidKey));
    assert_eq!(build(Some(&next)).await, Ok(()));
    assert_eq!(sponsors.credit(&id, 5).await.unwrap(), ONE + 5);
    sponsors.disable(&id).await.unwrap();
    forget();
    assert_eq!(build(Some(&next)).await, Err(Refusal::InvalidKey));
    let again = sponsors.disable(&id).await;
    assert!(matches!(again, Err(SponsorError::Unknown)));
    let too_much = sponsors.credit(&id, u128::MAX).await;
    assert!(matches!(too_much, Err(SponsorError::TooMuch)));
}

#[tokio::test]
async fn only_allowed_calls_are_paid_for() {
    let mut stage = Stage::new(Sqlite, 12).await;
    let user = stage.user(0);
    let rules = Rules {
        allowed: vec![rule(STRK, Some("transfer"))],
        denied: Vec::new(),
    };
    let (_, allowing) = stage.sponsor_with(ONE, None, rules).await;
    let rules = Rules {
        allowed: Vec::new(),
        denied: vec![rule(STRK, None)],
    };
    let (_, denying) = stage.sponsor_with(ONE, None, rules).await;
    let paymaster = stage.paymaster();
    let build = async |calls: &[_], key: &str| {
        let built = stage.build(&paymaster, &user, calls, SPONSORED, Some(key));
        built.await.map(drop)
    };
    let (good, mut bad) = (payment(nobody(1), 5), payment(nobody(1), 5));
    bad.selector = selector("approve");
    assert_eq!(build(std::slice::from_ref(&good), &allowing).await, Ok(()));
    let refused = build(&[good.clone(), bad], &allowing).await;
    assert!(
        matches!(refused, Err(Refusal::NotSponsored(_))),
        "{refused:?}"
    );
    let refused = build(std::slice::from_ref(&good), &denying).await;
    assert_eq!(refused, Err(Refusal::Blacklisted));
    // What the operator does not call, nobody pays for.
    stage.options.rules.denied.push(rule(STRK, None));
    let (paymaster, mode) = (stage.paymaster(), FeeMode::Default(STRK));
    let refused = stage.build(&paymaster, &user, &[good], mode, None).await;
    assert_eq!(refused.unwrap_err(), Refusal::Blacklisted);
}

#[tokio::test]
async fn a_user_has_so_much_in_a_day() {
    let mut stage = Stage::new(Sqlite, 13).await;
    let (user, other) = (stage.user(0), stage.user(1));
    // Enough for what one transaction may cost, not for two.
    let daily = Some(ONE / 50);
    let (_, key) = stage.sponsor_with(ONE, daily, Rules::default()).await;
    let paymaster = stage.paymaster();
    let mut outcomes = Vec::new();
    for (number, who) in [&user, &user, &other].into_iter().enumerate() {
        let amount = 5 + u128::try_from(number).unwrap();
        let calls = [payment(nobody(1), amount)];
        let built = stage.build(&paymaster, who, &calls, SPONSORED, Some(&key));
        let request = signed(who, &built.await.unwrap(), SPONSORED);
        let sent = execute(&paymaster, &request, Some(&key)).await;
        outcomes.push(sent.map(drop));
    }
    let refused = Refusal::NotSponsored("the user's budget of today is used up");
    assert_eq!(outcomes, [Ok(()), Err(refused), Ok(())]);
    stage.settle(&paymaster).await;
    // Tomorrow is another day.
    stage.world.clock.advance(SignedDuration::from_hours(24));
    stage.world.node.advance(86_400, 1).unwrap();
    stage.station.sync().await;
    let calls = [payment(nobody(1), 9)];
    let built = stage.build(&paymaster, &user, &calls, SPONSORED, Some(&key));
    let request = signed(&user, &built.await.unwrap(), SPONSORED);
    execute(&paymaster, &request, Some(&key)).await.unwrap();
}
