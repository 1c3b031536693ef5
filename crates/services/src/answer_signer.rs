//! Signatures of answers, as published clients check them.

use chain::StarkSigner;
use primitives::{Felt, OrImpossible as _, U256, felt_to_hex};

/// Signs answers with one Stark key.
#[derive(Debug, Clone)]
pub struct AnswerSigner {
    signer: StarkSigner,
    public_key: String,
}

impl AnswerSigner {
    /// `None` for a number that is no key.
    #[must_use]
    pub fn new(private_key: Felt) -> Option<Self> {
        let signer = StarkSigner::new(private_key)?;
        let [x, y] = signer.public_point()?;
        let public_key = format!(
            "0x04{:064x}{:064x}",
            U256::from_be_bytes(x.to_bytes_be()),
            U256::from_be_bytes(y.to_bytes_be())
        );
        Some(Self { signer, public_key })
    }

    /// What a client is told, so that it can check: the uncompressed point.
    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.public_key
    }

    /// The signature of an answer's text: two numbers with a comma between them.
    #[must_use]
    pub fn signature(&self, text: &[u8]) -> Option<String> {
        let signature = self.signer.sign_text(text);
        let [r, s] = signature.or_impossible("a hash can be signed").ok()?;
        Some(format!("{},{}", felt_to_hex(r), felt_to_hex(s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_signed_as_the_published_client_checks_it() {
        let signer = AnswerSigner::new(Felt::from(0x12_3456_7890_u64)).unwrap();
        assert_eq!(
            signer.public_key(),
            "0x040191ba565383f9a62d478b0e30487dc99457213894ed8c56f6850dbee89dcacf\
             00ce2e05450955303d342f8d8ae36ad20d6ac5974607402642cd2ee9a482547f"
        );
        assert_eq!(
            signer
                .signature(br#"[{"name":"Ekubo","type":"DEX"}]"#)
                .unwrap(),
            "0x4c701f674fdde50bc108e75ab4b3962c3312135306c966a32fe0f8338d655cc,\
             0x175b85246c68679b45bfdc98b2ebac9748d4a237e130ea6e68352f24419a7f0"
        );
        assert!(AnswerSigner::new(Felt::ZERO).is_none());
    }
}
