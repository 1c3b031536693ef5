//! The text that a wallet shows and signs when somebody signs in.

use primitives::{PublicKey, Timestamp};

/// A sign-in, by the Sign-In-With-Solana convention. Wallets build the text
/// from the same fields, so that it must be the same byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn<'a> {
    /// Who asks: a host, perhaps with a port.
    pub domain: &'a str,
    /// Who signs.
    pub address: PublicKey,
    /// One line for the person who signs.
    pub statement: &'a str,
    /// What is signed in to.
    pub uri: &'a str,
    /// Which cluster, e.g. `mainnet`.
    pub chain_id: &'a str,
    /// Used once; eight or more letters and digits.
    pub nonce: &'a str,
    /// When the text was made.
    pub issued_at: Timestamp,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

impl SignIn<'_> {
    /// The text.
    pub fn message(&self) -> String {
        let Self {
            domain,
            address,
            statement,
            uri,
            chain_id,
            nonce,
            issued_at,
            expires_at,
        } = self;
        format!(
            "{domain} wants you to sign in with your Solana account:\n{address}\n\n{statement}\n\n\
             URI: {uri}\nVersion: 1\nChain ID: {chain_id}\nNonce: {nonce}\n\
             Issued At: {issued_at:.3}\nExpiration Time: {expires_at:.3}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_that_of_wallets() {
        let text = SignIn {
            domain: "market.example",
            address: PublicKey::from_bytes([0; 32]),
            statement: "Sign in to the lease market.",
            uri: "https://market.example",
            chain_id: "mainnet",
            nonce: "oBbLoEldZs",
            issued_at: Timestamp::from_second(1_800_000_000).unwrap(),
            expires_at: Timestamp::from_second(1_800_000_300).unwrap(),
        }
        .message();
        assert_eq!(
            text,
            "market.example wants you to sign in with your Solana account:\n\
             11111111111111111111111111111111\n\
             \n\
             Sign in to the lease market.\n\
             \n\
             URI: https://market.example\n\
             Version: 1\n\
             Chain ID: mainnet\n\
             Nonce: oBbLoEldZs\n\
             Issued At: 2027-01-15T08:00:00.000Z\n\
             Expiration Time: 2027-01-15T08:05:00.000Z"
        );
    }
}
