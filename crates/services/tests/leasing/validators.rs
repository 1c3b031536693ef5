//! Registering, changing and finding validators.

use crate::leases::rejected;
use leasing::{Amendment, Change, FieldError, ListingStatus, Mode, PayoutDraft, payout_challenge};
use primitives::{Clock as _, Lamports, PublicKey, Ulid};
use services::{
    Fault, Refused,
    leasing::{
        Browse, OnboardingStatus, PatchError, PayoutError, RegisterError, ScheduleError, Sort,
        StakeError, User, ValidatorView, ValidatorWarning,
    },
};
use simnet::FaultKind;
use std::cmp::Reverse;
use world::{Market, market::DOMAIN};

fn browse(limit: u16) -> Browse {
    Browse {
        price_min: None,
        price_max: None,
        region: None,
        tier: None,
        mode: None,
        available_epoch: None,
        sort: Sort::Price,
        after: None,
        limit,
    }
}

#[tokio::test]
async fn a_registration_is_refused_in_the_order_of_its_checks() {
    let market = Market::new(1).await;
    let owner = market.user("owner").await;
    let validator = market.chain_validator(0);
    let payout = market.wallet(1).public_key();
    let register = async |user: Option<&User>, draft: &leasing::Draft, token: Option<&str>| {
        market.leasing.validators.register(user, draft, token).await
    };
    let good = market.draft(&owner, &validator, payout, 0);
    assert_eq!(
        rejected(register(None, &good, None).await),
        RegisterError::NoOwner
    );
    let trader = market
        .user_with(
            "trader",
            leasing::Roles {
                trader: true,
                ..Default::default()
            },
        )
        .await;
    assert_eq!(
        rejected(register(Some(&trader), &good, None).await),
        RegisterError::Forbidden
    );
    let mut draft = good.clone();
    draft.tier = Some("gold".to_owned());
    let field = rejected(register(Some(&owner), &draft, None).await);
    assert_eq!(field, RegisterError::Field(FieldError::Tier));
    let mut draft = good.clone();
    draft.timestamp = draft.timestamp.map(|time| time - 301);
    market.sign_draft(&mut draft, &owner, &validator.identity);
    let skewed = rejected(register(Some(&owner), &draft, None).await);
    assert_eq!(skewed, RegisterError::TimestampSkew);
    let mut draft = good.clone();
    draft.price_sol = Some("0.1".to_owned());
    let forged = rejected(register(Some(&owner), &draft, None).await);
    assert_eq!(forged, RegisterError::Signature, "the price is signed");
    let token = rejected(register(Some(&owner), &good, Some("unknown")).await);
    assert_eq!(token, RegisterError::OnboardingToken);

    market
        .node
        .fault("getVoteAccounts", FaultKind::Http5xx, 9)
        .unwrap();
    market.advance(61);
    let silent = register(Some(&owner), &good, None).await;
    assert!(
        matches!(silent, Err(Refused::Fault(Fault::Solana(_)))),
        "{silent:?}"
    );
    market.node.clear_faults("*");
    // The same request again: nothing of the first one stayed.
    let view = register(Some(&owner), &good, None).await.unwrap();
    assert_eq!(view.status, ListingStatus::Listed);
    assert!(view.stake > Lamports::ZERO);
    let replay = rejected(register(Some(&owner), &good, None).await);
    assert_eq!(replay, RegisterError::NonceReplay);
    let again = market.draft(&owner, &validator, payout, 0);
    let again = rejected(register(Some(&owner), &again, None).await);
    assert_eq!(again, RegisterError::AlreadyRegistered);

    let stranger = simnet::SimulatedValidator {
        identity: market.wallet(5),
        vote_accounts: Vec::new(),
    };
    let unknown = market.draft(&owner, &stranger, payout, 0);
    let unknown = rejected(register(Some(&owner), &unknown, None).await);
    assert_eq!(unknown, RegisterError::NotAChainValidator);
}

#[tokio::test]
async fn an_onboarding_token_registers_one_validator_for_its_user() {
    let market = Market::new(2).await;
    let owner = market.user("owner").await;
    let onboarding = market.leasing.onboarding.open(owner.id).await.unwrap();
    let look = async || {
        market
            .leasing
            .onboarding
            .find(&onboarding.token)
            .await
            .unwrap()
    };
    assert_eq!(look().await.unwrap().status, OnboardingStatus::Pending);
    let payout = market.wallet(1).public_key();
    let draft = market.draft(&owner, &market.chain_validator(0), payout, 0);
    let register = async |draft: &leasing::Draft| {
        market
            .leasing
            .validators
            .register(None, draft, Some(&onboarding.token))
            .await
    };
    let view = register(&draft).await.unwrap();
    assert_eq!(view.owner, owner.id);
    let found = look().await.unwrap();
    assert_eq!(
        (found.status, found.validator),
        (OnboardingStatus::Listed, Some(view.id))
    );
    let second = market.draft(&owner, &market.chain_validator(1), payout, 0);
    assert_eq!(
        rejected(register(&second).await),
        RegisterError::OnboardingToken
    );
    assert_eq!(
        market.leasing.onboarding.find("unknown").await.unwrap(),
        None
    );

    let unused = market.leasing.onboarding.open(owner.id).await.unwrap();
    market.advance(24 * 3_600);
    assert_eq!(
        market.leasing.onboarding.find(&unused.token).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn an_owner_is_warned_of_a_wallet_that_the_chain_would_not_pay() {
    let market = Market::new(3).await;
    let owner = market.user("owner").await;
    let validator = market.chain_validator(0);
    let never_funded = PublicKey::from_bytes([77; 32]);
    let mut draft = market.draft(&owner, &validator, never_funded, 0);
    draft.price_sol = Some("0.0001".to_owned());
    market.sign_draft(&mut draft, &owner, &validator.identity);
    let view = market
        .leasing
        .validators
        .register(Some(&owner), &draft, None)
        .await
        .unwrap();
    let [ValidatorWarning::PayoutBelowRent(below)] = view.warnings[..] else {
        panic!("{:?}", view.warnings);
    };
    assert_eq!(below.wallet, never_funded);
}

#[tokio::test]
async fn a_payout_wallet_is_changed_by_the_owner_with_the_identitys_signature() {
    let market = Market::new(4).await;
    let owner = market.user("owner").await;
    let view = market.validator(&owner, 0, 0).await;
    let validator = market.chain_validator(0);
    let wallet = market.wallet(6).public_key();
    let draft = || {
        let (timestamp, nonce) = (market.clock.now().as_second(), market.nonce());
        let text = payout_challenge(DOMAIN, view.identity, wallet, timestamp, &nonce);
        PayoutDraft {
            identity_pubkey: Some(view.identity.to_string()),
            payout_wallet: Some(wallet.to_string()),
            timestamp: Some(timestamp),
            nonce: Some(nonce),
            signature: Some(validator.identity.sign(text.as_bytes()).to_string()),
        }
    };
    let change = async |user: &User, draft: &PayoutDraft| {
        market
            .leasing
            .validators
            .change_payout_wallet(user, draft)
            .await
    };
    let stranger = market.user("stranger").await;
    assert_eq!(
        rejected(change(&stranger, &draft()).await),
        PayoutError::Forbidden
    );
    let mut forged = draft();
    forged.payout_wallet = Some(market.wallet(7).public_key().to_string());
    assert_eq!(
        rejected(change(&owner, &forged).await),
        PayoutError::Signature
    );
    let trader = market.user("trader").await;
    let booking = market.booking(view.id, 1, 1, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let good = draft();
    assert_eq!(change(&owner, &good).await.unwrap().payout_wallet, wallet);
    assert_eq!(
        rejected(change(&owner, &good).await),
        PayoutError::NonceReplay
    );
    // What was asked for keeps its wallet.
    let lease = market
        .store
        .ledger()
        .lease(booked.lease.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(lease.payment.payout().wallet, market.wallet(1).public_key());
}

#[tokio::test]
async fn an_offer_is_changed_by_its_owner_alone() {
    let market = Market::new(5).await;
    let owner = market.user("owner").await;
    let view = market.validator(&owner, 0, 0).await;
    let patch = async |user: &User, amendment: &Amendment| {
        market
            .leasing
            .validators
            .patch(user, view.id, amendment)
            .await
    };
    assert_eq!(
        rejected(patch(&owner, &Amendment::default()).await),
        PatchError::Empty
    );
    let named = Amendment {
        name: Change::Set("Nine Lives".to_owned()),
        ..Amendment::default()
    };
    let stranger = market.user("stranger").await;
    assert_eq!(
        rejected(patch(&stranger, &named).await),
        PatchError::Forbidden
    );
    assert_eq!(
        patch(&owner, &named).await.unwrap().name.as_deref(),
        Some("Nine Lives")
    );
    let half = Amendment {
        max_concurrent_shared_leases: Some(3),
        ..Amendment::default()
    };
    let refused = rejected(patch(&owner, &half).await);
    assert_eq!(refused, PatchError::Field(FieldError::SharedIncomplete));
    let paused = Amendment {
        status: Some("paused".to_owned()),
        ..Amendment::default()
    };
    patch(&owner, &paused).await.unwrap();
    // What is paused is there for its owner alone.
    assert_eq!(
        rejected(patch(&stranger, &named).await),
        PatchError::NotFound
    );
    assert_eq!(
        market
            .leasing
            .validators
            .find(view.id, Some(&stranger))
            .await
            .unwrap(),
        None
    );
    assert!(
        market
            .leasing
            .validators
            .find(view.id, Some(&owner))
            .await
            .unwrap()
            .is_some()
    );
    assert!(
        market
            .leasing
            .validators
            .browse(&browse(9))
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

const SORTS: [Sort; 6] = [
    Sort::Price,
    Sort::Stake,
    Sort::Rating,
    Sort::Uptime,
    Sort::Effectiveness,
    Sort::Newest,
];

/// Finds out how well validators do.
async fn watch_blocks(market: &Market, views: &mut [ValidatorView]) {
    market.node.mine(600).unwrap();
    market.leasing.block_watch().round().await.unwrap();
    for view in views {
        let found = market.leasing.validators.find(view.id, None).await;
        *view = found.unwrap().unwrap();
    }
}

/// The ids of validators in an order. Nobody is rated.
fn in_order(views: &[ValidatorView], sort: Sort) -> Vec<Ulid> {
    let mut views = views.to_vec();
    match sort {
        Sort::Price => views.sort_by_key(|view| (view.terms.price, view.id)),
        Sort::Stake => views.sort_by_key(|view| Reverse((view.stake, view.id))),
        Sort::Uptime => views.sort_by_key(|view| Reverse((view.performance.uptime, view.id))),
        Sort::Effectiveness => {
            views.sort_by_key(|view| Reverse((view.performance.effectiveness, view.id)));
        }
        Sort::Rating | Sort::Newest => views.sort_by_key(|view| Reverse(view.id)),
    }
    views.iter().map(|view| view.id).collect()
}

#[tokio::test]
async fn browsing_filters_sorts_and_goes_on_where_it_stopped() {
    let market = Market::new(6).await;
    let owner = market.user("owner").await;
    let mut views = Vec::new();
    for number in 0..7_u32 {
        let at = usize::try_from(number).unwrap();
        let seats = if number % 2 == 0 { 3 } else { 0 };
        let view = market.validator(&owner, at, seats).await;
        market.advance(1);
        let amendment = Amendment {
            // Two of each price.
            price_sol: Some(format!("{}", 10 - number / 2)),
            region: (number == 3).then(|| "us-east-1".to_owned()),
            ..Amendment::default()
        };
        views.push(
            market
                .leasing
                .validators
                .patch(&owner, view.id, &amendment)
                .await
                .unwrap(),
        );
    }
    watch_blocks(&market, &mut views).await;
    for sort in SORTS {
        let expected = in_order(&views, sort);
        let mut seen = Vec::new();
        let mut query = Browse { sort, ..browse(3) };
        for _ in 0..4 {
            let page = market.leasing.validators.browse(&query).await.unwrap();
            seen.extend(page.items.iter().map(|view| view.id));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{sort:?}");
    }
    let count = async |query: Browse| {
        market
            .leasing
            .validators
            .browse(&query)
            .await
            .unwrap()
            .items
            .len()
    };
    let sol = |amount: u64| Some(Lamports::new(amount * 1_000_000_000));
    assert_eq!(
        count(Browse {
            price_min: sol(9),
            ..browse(50)
        })
        .await,
        4
    );
    assert_eq!(
        count(Browse {
            price_max: sol(8),
            ..browse(50)
        })
        .await,
        3
    );
    assert_eq!(
        count(Browse {
            mode: Some(Mode::Shared),
            ..browse(50)
        })
        .await,
        4
    );
    let east = "us-east-1".parse().ok();
    assert_eq!(
        count(Browse {
            region: east,
            ..browse(50)
        })
        .await,
        1
    );

    // Two of them are booked in an epoch: one whole, one seat of three.
    let trader = market.user("trader").await;
    let whole = market.booking(views[1].id, 2, 1, Mode::Exclusive);
    market.book(&trader, &whole).await.unwrap();
    let seat = market.booking(views[0].id, 2, 1, Mode::Shared);
    market.book(&trader, &seat).await.unwrap();
    let epoch = Some(whole.window.start());
    let free = |mode| Browse {
        mode,
        available_epoch: epoch,
        ..browse(50)
    };
    assert_eq!(count(free(None)).await, 6);
    assert_eq!(count(free(Some(Mode::Exclusive))).await, 5);
    assert_eq!(count(free(Some(Mode::Shared))).await, 4);
}

#[tokio::test]
async fn stakes_and_leaders_are_what_the_cluster_says() {
    let market = Market::new(7).await;
    let owner = market.user("owner").await;
    let view = market.validator(&owner, 0, 0).await;
    let stake = market.leasing.stakes.of_validator(view.id).await.unwrap();
    assert_eq!(stake.stake, view.stake);
    assert!(stake.cluster_stake > stake.stake);
    let nobody = market.wallet(3).public_key();
    let unknown = market.leasing.stakes.of_identity(nobody).await;
    assert_eq!(rejected(unknown), StakeError::NotAChainValidator);
    let unknown = market.leasing.stakes.of_validator(market.key()).await;
    assert_eq!(rejected(unknown), StakeError::NotFound);

    let epoch = market.epoch();
    let schedule = async |epoch, id| market.leasing.stakes.leader_schedule(epoch, id).await;
    let now = schedule(None, Some(view.id)).await.unwrap();
    assert_eq!(i64::try_from(now.epoch).unwrap(), epoch);
    let slots = &now.leaders[0].slots;
    assert!(!slots.is_empty());
    let all = now.first_slot..now.first_slot + now.slots_in_epoch;
    assert!(slots.iter().all(|slot| all.contains(slot)));
    let next = schedule(Some(epoch + 1), None).await.unwrap();
    assert_eq!(next.first_slot, all.end);
    assert_eq!(next.leaders.len(), 1);
    for far in [-1, 0, epoch + 2, i64::MAX] {
        assert_eq!(
            rejected(schedule(Some(far), None).await),
            ScheduleError::Epoch,
            "{far}"
        );
    }
    let unknown = schedule(None, Some(market.key())).await;
    assert_eq!(rejected(unknown), ScheduleError::NotFound);
    market.node.fault("*", FaultKind::Http5xx, 9).unwrap();
    let silent = schedule(None, None).await;
    assert!(matches!(silent, Err(Refused::Fault(Fault::Solana(_)))));
}
