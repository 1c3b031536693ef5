//! What deliveries are signed with, as the specification of Standard Webhooks
//! has it, so that receivers verify them with what they have.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use primitives::{Impossible, OrImpossible as _, Timestamp};
use sha2::Sha256;
use std::fmt;

/// What the text of a secret begins with.
const PREFIX: &str = "whsec_";

/// What an endpoint's deliveries are signed with. It is not shown by accident.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WebhookSecret([u8; 32]);

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret(…)")
    }
}

impl WebhookSecret {
    /// The secret of these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 secret bytes, without the form that receivers keep.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The secret as receivers keep it.
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", BASE64_STANDARD.encode(self.0))
    }

    /// The signature of a message's body, sent at this time.
    pub fn signature(&self, id: &str, at: Timestamp, body: &str) -> Result<String, Impossible> {
        signature(&self.0, id, at.as_second(), body)
    }
}

fn signature(key: &[u8], id: &str, second: i64, body: &str) -> Result<String, Impossible> {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.or_impossible("a key of any length is a key")?;
    mac.update(format!("{id}.{second}.{body}").as_bytes());
    let code = mac.finalize().into_bytes();
    Ok(format!("v1,{}", BASE64_STANDARD.encode(code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_signed_as_the_specifications_own_example() {
        let key = BASE64_STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signed = signature(
            &key.unwrap(),
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signed.unwrap(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn a_secret_is_told_once_and_not_by_debugging() {
        let secret = WebhookSecret::from_bytes([7; 32]);
        let text = secret.text();
        assert_eq!(text.strip_prefix(PREFIX).map(str::len), Some(44));
        assert!(!format!("{secret:?}").contains('7'));
        let at = Timestamp::from_second(1).unwrap();
        let other = WebhookSecret::from_bytes([8; 32]);
        assert_ne!(
            secret.signature("a", at, "{}").unwrap(),
            other.signature("a", at, "{}").unwrap()
        );
    }
}
