//! Nonces that say that something was built here.
//!
//! A nonce holds seven random bytes, the tip, and sixteen bytes of a code over
//! these and all that the user signs. Whoever has the key needs no memory of what
//! was built, and a changed byte is noticed.

use super::{
    outside::{OutsideExecution, OutsideVersion},
    request::{FeeMode, PoolFee},
    selected_call::SelectedCall,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use primitives::{Address, Felt};
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq as _;

/// What sets these codes apart from others of the same key.
const DOMAIN: &[u8] = b"stoa paymaster nonce 1";

const RANDOM: usize = 7;
const CODE: usize = 16;

/// A key of nonces: whoever has it recognises what any process with it has built.
#[derive(Clone)]
pub struct NonceKey(Hmac<Sha256>);

/// What a nonce says whose code was found to be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltNonce {
    /// The tip that was built with.
    pub tip: u64,
}

impl NonceKey {
    /// A key made of a secret, the same in every process that has it.
    #[must_use]
    pub fn new(secret: &[u8; 32]) -> Self {
        let mut block = [0; 64];
        block
            .iter_mut()
            .zip(secret)
            .for_each(|(to, from)| *to = *from);
        Self(Hmac::new(&block.into()))
    }

    /// Gives an execution its nonce, last of all: what is changed later is not recognised.
    pub fn seal(
        &self,
        execution: &mut OutsideExecution,
        user: Address,
        mode: FeeMode,
        tip: u64,
        random: [u8; RANDOM],
    ) {
        // The first byte stays zero, so that it is an element.
        let tip = tip.to_be_bytes();
        let front = [[0].as_slice(), random.as_slice(), tip.as_slice()].concat();
        let code = self.code(&front, execution, user, mode);
        execution.nonce = Felt::from_bytes_be_slice(&[front.as_slice(), code.as_slice()].concat());
    }

    /// What the nonce of an execution says; `None` if this is not what was built.
    #[must_use]
    pub fn open(
        &self,
        execution: &OutsideExecution,
        user: Address,
        mode: FeeMode,
    ) -> Option<BuiltNonce> {
        let bytes = execution.nonce.to_bytes_be();
        let (front, code) = bytes.split_at(32 - CODE);
        let expected = self.code(front, execution, user, mode);
        let tip = front.last_chunk().map(|tip| u64::from_be_bytes(*tip))?;
        bool::from(expected.ct_eq(code)).then_some(BuiltNonce { tip })
    }

    fn code(
        &self,
        front: &[u8],
        execution: &OutsideExecution,
        user: Address,
        mode: FeeMode,
    ) -> [u8; CODE] {
        let mut mac = self.0.clone();
        mac.update(DOMAIN);
        mac.update(front);
        let felts = |mac: &mut Hmac<Sha256>, felts: &[Felt]| {
            for felt in felts {
                mac.update(&felt.to_bytes_be());
            }
        };
        let bounds = execution.bounds;
        felts(
            &mut mac,
            &[
                user.felt(),
                execution.caller.felt(),
                Felt::from(matches!(execution.version, OutsideVersion::Two)),
                Felt::from(bounds.execute_after),
                Felt::from(bounds.execute_before),
                Felt::from(mode_number(mode)),
                mode.token().map_or(Felt::ZERO, Address::felt),
                Felt::from(execution.calls.len()),
            ],
        );
        for SelectedCall {
            to,
            selector,
            calldata,
        } in &execution.calls
        {
            felts(
                &mut mac,
                &[to.felt(), *selector, Felt::from(calldata.len())],
            );
            felts(&mut mac, calldata);
        }
        let whole: [u8; 32] = mac.finalize().into_bytes().into();
        whole.first_chunk().copied().unwrap_or([0; CODE])
    }
}

fn mode_number(mode: FeeMode) -> u8 {
    match mode {
        FeeMode::Default(_) => 0,
        FeeMode::Sponsored(None) => 1,
        FeeMode::Sponsored(Some(PoolFee::User(_))) => 2,
        FeeMode::Sponsored(Some(PoolFee::Sponsor)) => 3,
        FeeMode::SponsoredPrivate(_) => 4,
    }
}

impl fmt::Debug for NonceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NonceKey(..)")
    }
}
