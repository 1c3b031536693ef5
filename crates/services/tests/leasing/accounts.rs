//! Signing in, users, tokens.

use crate::leases::rejected;
use leasing::Roles;
use services::leasing::{Caller, Profile, ProfileError, Session, TokenError, TokenRevokeError};
use world::Market;

#[tokio::test]
async fn whoever_signs_the_text_is_signed_in_once() {
    let market = Market::new(1).await;
    let wallet = market.wallet(3);
    let address = wallet.public_key();
    let challenge = market.leasing.accounts.challenge(address).await.unwrap();
    let first =
        format!("market.example wants you to sign in with your Solana account:\n{address}\n");
    assert!(
        challenge.message.starts_with(&first),
        "{}",
        challenge.message
    );
    let signature = wallet.sign(challenge.message.as_bytes());
    let signed_in = market
        .leasing
        .accounts
        .sign_in(address, &challenge.nonce, signature)
        .await
        .unwrap();
    assert_eq!(signed_in.user, None);
    let again = market
        .leasing
        .accounts
        .sign_in(address, &challenge.nonce, signature)
        .await;
    rejected(again);

    let caller = market
        .leasing
        .accounts
        .recognise(&signed_in.token)
        .await
        .unwrap()
        .unwrap();
    assert!(
        matches!(&caller, Caller::Unprovisioned(Session::Wallet { address: known, .. }) if *known == address),
        "{caller:?}"
    );
    let profile = Profile {
        display_name: Some("Thales".to_owned()),
        email: None,
    };
    let user = market
        .leasing
        .accounts
        .provision(&caller, &profile)
        .await
        .unwrap();
    assert!(user.roles.trader && user.roles.validator && !user.roles.staff);
    let twice = market
        .leasing
        .accounts
        .provision(&caller, &Profile::default())
        .await
        .unwrap();
    assert_eq!(twice, user, "a user stays as they are");
    let caller = market
        .leasing
        .accounts
        .recognise(&signed_in.token)
        .await
        .unwrap()
        .unwrap();
    assert!(
        matches!(&caller, Caller::User { user: known, session: Some(_) } if *known == user),
        "{caller:?}"
    );

    market.advance(24 * 3_600);
    assert_eq!(
        market
            .leasing
            .accounts
            .recognise(&signed_in.token)
            .await
            .unwrap(),
        None
    );
}

#[tokio::test]
async fn another_key_another_nonce_or_too_late_proves_nothing() {
    let market = Market::new(2).await;
    let (wallet, other) = (market.wallet(3), market.wallet(4));
    let address = wallet.public_key();
    let sign_in = async |address, nonce: &str, signature| {
        market
            .leasing
            .accounts
            .sign_in(address, nonce, signature)
            .await
    };
    let challenge = market.leasing.accounts.challenge(address).await.unwrap();
    let message = challenge.message.as_bytes();
    rejected(sign_in(address, &challenge.nonce, other.sign(message)).await);
    // One guess is all that there is.
    rejected(sign_in(address, &challenge.nonce, wallet.sign(message)).await);
    let challenge = market.leasing.accounts.challenge(address).await.unwrap();
    let message = challenge.message.as_bytes();
    rejected(sign_in(address, "unknown", wallet.sign(message)).await);
    rejected(sign_in(other.public_key(), &challenge.nonce, wallet.sign(message)).await);
    let challenge = market.leasing.accounts.challenge(address).await.unwrap();
    market.advance(5 * 60);
    let signature = wallet.sign(challenge.message.as_bytes());
    rejected(sign_in(address, &challenge.nonce, signature).await);
}

#[tokio::test]
async fn a_token_stands_for_its_user_until_it_is_revoked_or_over() {
    let market = Market::new(3).await;
    let user = market.user("trader").await;
    let now = market.clock.as_ref() as &dyn primitives::Clock;
    let until = now.now() + primitives::SignedDuration::from_secs(10);
    let create = async |name: &str, until| market.leasing.tokens.create(user.id, name, until).await;
    let token = create("bot", None).await.unwrap();
    let brief = create("brief", Some(until)).await.unwrap();
    let recognised = async |text: &str| {
        market
            .leasing
            .accounts
            .recognise(text)
            .await
            .unwrap()
            .is_some()
    };
    assert!(recognised(&token.token).await && recognised(&brief.token).await);
    let mut forged = token.token.clone();
    forged.pop();
    forged.push(if token.token.ends_with('A') { 'B' } else { 'A' });
    for text in ["", "nonsense", &forged, &token.id, "lm_aaaaaaaa_short"] {
        assert!(!recognised(text).await, "{text}");
    }
    market.advance(10);
    assert!(!recognised(&brief.token).await);
    let other = market.user("other").await;
    let revoke = async |user, id: &str| market.leasing.tokens.revoke(user, id).await;
    let refused = revoke(other.id, &token.id).await;
    assert_eq!(rejected(refused), TokenRevokeError::NotOwner);
    revoke(user.id, &token.id).await.unwrap();
    assert!(!recognised(&token.token).await);
    assert_eq!(
        rejected(revoke(user.id, &token.id).await),
        TokenRevokeError::Unknown
    );
    assert_eq!(rejected(create(" ", None).await), TokenError::Name);
    assert_eq!(
        rejected(create("old", Some(until)).await),
        TokenError::Expiry
    );
    let listed = market.leasing.tokens.list(user.id).await.unwrap();
    assert_eq!(listed.len(), 2);
}

#[tokio::test]
async fn a_text_that_everybody_knows_stands_for_one_user_at_every_start() {
    let market = Market::new(4).await;
    let publish = async |roles| {
        let user = market
            .leasing
            .accounts
            .ensure_published("Demo", roles, "demo-trader-token")
            .await;
        user.unwrap()
    };
    let first = publish(Roles::default()).await;
    let staff = Roles {
        staff: true,
        ..Roles::default()
    };
    let second = publish(staff).await;
    assert_eq!(first.id, second.id);
    let caller = market
        .leasing
        .accounts
        .recognise("demo-trader-token")
        .await
        .unwrap();
    let known = Caller::User {
        user: second,
        session: None,
    };
    assert_eq!(caller, Some(known));
}

#[tokio::test]
async fn profiles_and_wallets_are_checked() {
    let market = Market::new(5).await;
    let add = async |address, name: Option<&str>, email: Option<&str>| {
        let profile = Profile {
            display_name: name.map(str::to_owned),
            email: email.map(str::to_owned),
        };
        market
            .leasing
            .accounts
            .add_user(address, &profile, Roles::default())
            .await
    };
    let wallet = Some(market.wallet(3).public_key());
    add(wallet, Some("Zeno"), Some("zeno@stoa.example"))
        .await
        .unwrap();
    assert_eq!(
        rejected(add(wallet, None, None).await),
        ProfileError::WalletTaken
    );
    assert_eq!(
        rejected(add(None, Some(""), None).await),
        ProfileError::DisplayName
    );
    for email in ["zeno", "@", "a@b@c", "a b@c", "zeno@"] {
        assert_eq!(
            rejected(add(None, None, Some(email)).await),
            ProfileError::Email,
            "{email}"
        );
    }
}

#[tokio::test]
async fn a_kept_secret_is_made_once() {
    let market = Market::new(6).await;
    let first = market.leasing.kept_secret("cursor").await.unwrap();
    assert_eq!(market.leasing.kept_secret("cursor").await.unwrap(), first);
    assert_ne!(market.leasing.kept_secret("other").await.unwrap(), first);
}

#[tokio::test]
async fn tokens_that_everybody_knows_are_nothing_on_a_real_cluster() {
    let market = Market::new(6).await;
    let accounts = &market.leasing.accounts;
    let token = "demo-staff-token";
    let published = accounts.ensure_published("Demo", Roles::default(), token);
    published.await.unwrap();
    let options = services::leasing::LeasingOptions {
        published_tokens: false,
        ..market.leasing.options().clone()
    };
    let real = services::leasing::Leasing::new(
        market.store.clone(),
        market.nodes.clone(),
        market.clock.clone(),
        market.entropy.clone(),
        options,
    );
    assert!(accounts.recognise(token).await.unwrap().is_some());
    assert_eq!(real.accounts.recognise(token).await.unwrap(), None);
    assert!(market.store.ledger().has_published_tokens().await.unwrap());
}

#[tokio::test]
async fn signing_out_ends_a_session_and_nothing_else() {
    let market = Market::new(7).await;
    let accounts = &market.leasing.accounts;
    let wallet = market.wallet(3);
    let sign_in = async || {
        let challenge = accounts.challenge(wallet.public_key()).await.unwrap();
        let signature = wallet.sign(challenge.message.as_bytes());
        let signed_in = accounts
            .sign_in(wallet.public_key(), &challenge.nonce, signature)
            .await;
        signed_in.unwrap().token
    };
    let (first, second) = (sign_in().await, sign_in().await);
    let caller = accounts.recognise(&first).await.unwrap().unwrap();
    accounts.sign_out(&caller).await.unwrap();
    accounts.sign_out(&caller).await.unwrap();
    assert_eq!(accounts.recognise(&first).await.unwrap(), None);
    assert!(accounts.recognise(&second).await.unwrap().is_some());
    let user = market.user("trader").await;
    let token = market.token(&user).await;
    let caller = accounts.recognise(&token).await.unwrap().unwrap();
    let refused = accounts.sign_out(&caller).await;
    assert!(matches!(
        refused,
        Err(services::Refused::Rejected(
            services::leasing::NoSession::Lasting
        ))
    ));
}
