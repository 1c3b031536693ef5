//! Help for people who register a validator by hand: signs the challenge with
//! the identity's key and prints the body to send.

use crate::{
    cli::{OfferArgs, ValidatorAction},
    console::say,
    registration, wiring,
};
use anyhow::{Context as _, bail};
use ed25519_dalek::{Signer as _, SigningKey};
use leasing::{
    Region, RegisterChallenge, Shared, ValidatorTerms, payout_challenge, reclaim_challenge,
};
use primitives::{PublicKey, Signature};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A key file is a list of 64 numbers; more is something else.
const MAX_KEY_FILE_BYTES: u64 = 4_096;

pub(super) fn run(action: ValidatorAction) -> anyhow::Result<()> {
    let now = wiring::clock().now().as_second();
    let nonce = registration::nonce(&*wiring::entropy());
    let body = match action {
        ValidatorAction::SignChallenge {
            keypair,
            domain,
            account,
            payout_wallet,
            offer,
        } => {
            let key = read_key(&keypair)?;
            let terms = terms(&offer)?;
            let challenge = RegisterChallenge {
                domain: &domain,
                account,
                identity: public_key(&key),
                payout_wallet,
                // As the market shows it.
                name: offer.name.as_deref().map(str::trim),
                endpoint: offer.tee_endpoint.as_deref(),
                terms: &terms,
                timestamp: now,
                nonce: &nonce,
            };
            registration::body(&challenge, |text| sign(&key, text))
        }
        ValidatorAction::Reclaim {
            keypair,
            domain,
            account,
            payout_wallet,
        } => {
            let key = read_key(&keypair)?;
            let identity = public_key(&key);
            let text = reclaim_challenge(&domain, account, identity, payout_wallet, now, &nonce);
            wallet_body(&key, payout_wallet, now, &nonce, &text)
        }
        ValidatorAction::SignPayoutWallet {
            keypair,
            domain,
            payout_wallet,
        } => {
            let key = read_key(&keypair)?;
            let identity = public_key(&key);
            let text = payout_challenge(&domain, identity, payout_wallet, now, &nonce);
            wallet_body(&key, payout_wallet, now, &nonce, &text)
        }
    };
    say(serde_json::to_string_pretty(&body)?);
    Ok(())
}

/// The body of what is signed about a wallet.
fn wallet_body(
    key: &SigningKey,
    payout_wallet: PublicKey,
    timestamp: i64,
    nonce: &str,
    text: &str,
) -> Value {
    json!({
        "identity_pubkey": public_key(key),
        "payout_wallet": payout_wallet,
        "timestamp": timestamp,
        "nonce": nonce,
        "signature": sign(key, text.as_bytes()),
    })
}

fn terms(offer: &OfferArgs) -> anyhow::Result<ValidatorTerms> {
    let region: Region = offer.region.parse()?;
    let shared = match (offer.shared_price_sol, offer.seats) {
        (Some(price), Some(seats)) => Some(Shared { price, seats }),
        (None, None) => None,
        _ => bail!("seats need both --shared-price-sol and --seats"),
    };
    Ok(ValidatorTerms {
        price: offer.price_sol,
        shared,
        tier: offer.tier,
        region,
    })
}

fn public_key(key: &SigningKey) -> PublicKey {
    PublicKey::from_bytes(key.verifying_key().to_bytes())
}

fn sign(key: &SigningKey, text: &[u8]) -> Signature {
    Signature::from_bytes(key.sign(text).to_bytes())
}

/// Reads a key as `solana-keygen` writes it.
fn read_key(path: &Path) -> anyhow::Result<SigningKey> {
    let context = || format!("cannot read the key in {}", path.display());
    let length = fs::metadata(path).with_context(context)?.len();
    if length > MAX_KEY_FILE_BYTES {
        bail!("{} is no key file: it is too long", path.display());
    }
    let text = fs::read_to_string(path).with_context(context)?;
    let bytes: Vec<u8> = serde_json::from_str(&text).with_context(context)?;
    let bytes: [u8; 64] = bytes
        .try_into()
        .ok()
        .with_context(|| format!("{} is no key file: it has not 64 numbers", path.display()))?;
    SigningKey::from_keypair_bytes(&bytes)
        .with_context(|| format!("the halves of the key in {} do not fit", path.display()))
}
