//! Secrets in every setting that has some, and where they are looked for.

use crate::{
    cluster::{Daemon, free_address, redis},
    harness::{Home, Service},
};
use ::simnet::{SolanaKeypair, StarknetNode};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use primitives::{Felt, felt_to_hex};
use serde_json::Value;
use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::Command,
};

/// DER of a private key of the curve P-256 (PKCS#8), up to the 32 bytes of the key.
const PKCS8: [u8; 35] = [
    0x30, 0x41, 2, 1, 0, 0x30, 0x13, 6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1, 6, 8, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 3, 1, 7, 4, 0x27, 0x30, 0x25, 2, 1, 1, 4, 0x20,
];

/// What must not be in the log, with what it is.
#[derive(Default)]
pub(crate) struct Secrets(pub(crate) Vec<(&'static str, String)>);

impl Secrets {
    /// A made-up one, for a setting.
    pub(crate) fn invent(&mut self, what: &'static str) -> String {
        let secret = format!("{:x}", self.0.len() + 0xa5e_c3e7_0000);
        self.0.push((what, secret.clone()));
        secret
    }

    /// One that the service gave. Of `kind_name_secret` and of a JWT only the last
    /// part is secret; a part of the rest may well be logged.
    pub(crate) fn given(&mut self, what: &'static str, secret: &Value) -> String {
        let whole = secret.as_str().unwrap();
        let last = match whole.rsplit_once('.') {
            Some((_, signature)) => signature,
            None => whole.splitn(3, '_').last().unwrap(),
        };
        assert!(last.len() > 15, "{what}: {whole}");
        self.0.push((what, last.to_owned()));
        whole.to_owned()
    }

    /// A private key, by its digits.
    pub(crate) fn key(&mut self, what: &'static str, key: Felt) -> String {
        let text = felt_to_hex(key);
        let digits = text.trim_start_matches("0x");
        self.0.push((what, digits.to_owned()));
        self.0.push((what, key.to_string()));
        text
    }

    /// Those that are found, as they are or in base64, which headers have, each with
    /// the line that tells it.
    pub(crate) fn found_in(&self, log: &str) -> Vec<String> {
        let told = |(what, secret): &(&str, String)| {
            let encoded = STANDARD.encode(secret);
            let place = log.find(secret).or_else(|| log.find(&encoded))?;
            let (before, after) = log.split_at(place);
            let begin = before.rsplit('\n').next().unwrap();
            let end = after.lines().next().unwrap();
            Some(format!("{what}: {begin}{end}"))
        };
        self.0.iter().filter_map(told).collect()
    }
}

/// A Redis that wants a password, and its address.
pub(crate) fn start_redis(password: &str) -> (Daemon, String) {
    let address = free_address();
    let mut command = redis(address);
    command.args(["--requirepass", password]);
    (
        Daemon::start(command),
        format!("redis://:{password}@{address}"),
    )
}

/// Nodes whose addresses have keys, as those of providers do.
pub(crate) fn name_nodes(command: &mut Command, nodes: &Service, secrets: &mut Secrets) {
    let mut name = |setting: &str, word: &str, what: &'static str| {
        let address = format!("{}?key={}", nodes.line(word), secrets.invent(what));
        command.env(setting, address);
    };
    name("STOA__STARKNET__RPC", "node", "key of the Starknet node");
    name("STOA__STARKNET__WS", "heads", "key of the WebSocket");
    name("STOA__SOLANA__RPC", "solana", "key of the Solana node");
    let key = secrets.invent("key of the aggregator");
    command
        .env("STOA__GLOBAL__URL", nodes.line("global"))
        .env("STOA__GLOBAL__KEY", key)
        .env(
            "STOA__LEASING__PLATFORM_WALLET",
            SolanaKeypair::platform().public_key().to_string(),
        );
}

/// Private keys of everything that signs.
pub(crate) fn name_keys(command: &mut Command, home: &Home, secrets: &mut Secrets) {
    let keeper = StarknetNode::keeper();
    let relayers = StarknetNode::relayers();
    let keys = relayers
        .each_ref()
        .map(|it| secrets.key("key of a relayer", it.private_key));
    let relayers = relayers.map(|it| felt_to_hex(it.address.felt()));
    let signing = Felt::from(0x7a11_5ec3_e7ab_cdef_u64);
    command
        .env(
            "STOA__DCA__KEEPER_ADDRESS",
            felt_to_hex(keeper.address.felt()),
        )
        .env(
            "STOA__DCA__KEEPER_KEY",
            secrets.key("key of the keeper", keeper.private_key),
        )
        .env("STOA__PAYMASTER__RELAYERS", relayers.join(","))
        .env("STOA__PAYMASTER__RELAYER_KEYS", keys.join(","))
        .env(
            "STOA__API__SIGNING_KEY",
            secrets.key("key of answers", signing),
        )
        .env(
            "STOA__LEASING__TOKEN_KEY",
            format!("file:{}", token_key(home, secrets).display()),
        );
}

/// The key that signs lease tokens, in a file.
fn token_key(home: &Home, secrets: &mut Secrets) -> PathBuf {
    let encoded = STANDARD.encode([&PKCS8[..], &[0x5a; 32]].concat());
    // A line of such a file is no longer.
    let (first, second) = encoded.split_at(64);
    let file = home.path("token.pem");
    let pem =
        format!("-----BEGIN PRIVATE KEY-----\n{first}\n{second}\n-----END PRIVATE KEY-----\n");
    fs::write(&file, pem).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    // The first line is mostly that of every such file.
    secrets.0.push(("key of lease tokens", second.to_owned()));
    secrets.0.push(("key of lease tokens", "5a".repeat(32)));
    file
}
