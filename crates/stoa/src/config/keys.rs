//! Every key. A new one is written here and nowhere else.

use super::{
    kinds::{
        Aggregator, Bytes, ChainId, ClaimText, Http, LogFilter, LogFormat, Migration, Plan,
        PublicUrl, Redis, Role, StakingNames, StarkKey, StarkKeys, TokenPem, WebSocket,
    },
    leaf::{Leaf, LeafReader},
    secret::{SecretText, SecretUrl, SecretUrls},
};
use api::{AddressRange, Dialect, NetworkSegment};
use leasing::Region;
use primitives::{Address, PublicKey, SolanaHash};
use services::leasing::SecureUrl;
use std::{net::SocketAddr, path::PathBuf, time::Duration};
use store::Location;

/// Keys that belong together.
#[derive(Debug)]
pub(crate) struct Section {
    /// What stands in brackets in the file.
    pub(crate) name: &'static str,
    /// Its documentation, line by line.
    pub(crate) doc: &'static [&'static str],
    /// In the order in which an example of the file has them.
    pub(crate) keys: &'static [Key],
}

/// A setting, with what the file and the command line have to know of it.
#[derive(Debug)]
pub(crate) struct Key {
    /// `section.key`.
    pub(crate) path: &'static str,
    /// Its documentation, line by line.
    pub(crate) doc: &'static [&'static str],
    /// Its value when it is written nowhere, as text; without one, it is optional.
    pub(crate) default: Option<&'static str>,
    /// The flag that sets it.
    pub(crate) flag: Option<Flag>,
    /// What a value looks like, as in "is not …".
    pub(crate) expected: &'static str,
    /// Whether a value may be, or hold, a secret.
    pub(crate) secret: bool,
}

/// How the command line sets a key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flag {
    /// `--name VALUE`.
    Takes {
        /// Without the dashes.
        name: &'static str,
        /// What stands for the value in help texts.
        value: &'static str,
    },
    /// `--name`, which sets the key to what it is not by default.
    Switch {
        /// Without the dashes.
        name: &'static str,
        /// What the key is set to.
        to: &'static str,
        /// What that does.
        help: &'static str,
    },
}

impl Flag {
    /// Without the dashes.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Takes { name, .. } | Self::Switch { name, .. } => name,
        }
    }
}

const fn takes(name: &'static str, value: &'static str) -> Flag {
    Flag::Takes { name, value }
}

const fn off(name: &'static str, help: &'static str) -> Flag {
    let to = "false";
    Flag::Switch { name, to, help }
}

const fn on(name: &'static str, help: &'static str) -> Flag {
    let to = "true";
    Flag::Switch { name, to, help }
}

impl Key {
    /// Without the section.
    pub(crate) fn name(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(_, key)| key)
    }

    /// The environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        format!("STOA__{}", self.path.replace('.', "__").to_uppercase())
    }
}

/// All keys, in the order of the file.
pub(crate) fn keys() -> impl Iterator<Item = &'static Key> {
    SECTIONS.iter().flat_map(|section| section.keys)
}

pub(crate) fn find(path: &str) -> Option<&'static Key> {
    keys().find(|key| key.path == path)
}

macro_rules! or_none {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Makes [`Config`] with its sections, the table of keys, and the function that
/// reads the one by the other.
macro_rules! settings {
    ($(
        $(#[doc = $section_doc:literal])*
        $section:ident: $Section:ident {
            $(
                $(#[doc = $doc:literal])*
                $key:ident: $type:ty $(= $default:literal)? $(, $flag:expr)?;
            )*
        }
    )*) => {
        /// The whole configuration, typed.
        #[derive(Debug, Clone)]
        pub(crate) struct Config {
            $($(#[doc = $section_doc])* pub(crate) $section: $Section,)*
        }

        $(
            $(#[doc = $section_doc])*
            #[derive(Debug, Clone)]
            pub(crate) struct $Section {
                $($(#[doc = $doc])* pub(crate) $key: $type,)*
            }
        )*

        pub(crate) const SECTIONS: &[Section] = &[$(Section {
            name: stringify!($section),
            doc: &[$($section_doc),*],
            keys: &[$(Key {
                path: concat!(stringify!($section), ".", stringify!($key)),
                doc: &[$($doc),*],
                default: or_none!($($default)?),
                flag: or_none!($($flag)?),
                expected: <$type as Leaf>::EXPECTED,
                secret: <$type as Leaf>::SECRET,
            }),*],
        }),*];

        impl Config {
            /// Reads every key, so that every problem is met, and only then
            /// gives up.
            pub(super) fn read(reader: &mut impl LeafReader) -> Option<Self> {
                $(let $section = {
                    $(let $key = reader.leaf::<$type>(
                        concat!(stringify!($section), ".", stringify!($key)),
                    );)*
                    (|| Some($Section { $($key: $key?),* }))()
                };)*
                Some(Self { $($section: $section?),* })
            }
        }
    };
}

settings! {
    /// The HTTP server and the log.
    server: Server {
        /// Where everything is served. Port 0 takes a free port, which is printed.
        listen: SocketAddr = "127.0.0.1:8080", takes("listen", "ADDR");
        /// A further address, for the trading API alone.
        listen_trade: Option<SocketAddr>, takes("listen-trade", "ADDR");
        /// A further address, for the market API alone.
        listen_market: Option<SocketAddr>, takes("listen-market", "ADDR");
        /// A further address, for the lease marketplace alone.
        listen_leasing: Option<SocketAddr>, takes("listen-leasing", "ADDR");
        /// A further address, for the paymaster alone.
        listen_paymaster: Option<SocketAddr>, takes("listen-paymaster", "ADDR");
        /// A further address for those who run the program: /readyz with the addresses of
        /// nodes and the texts of errors, and /metrics, which then is nowhere else.
        listen_operations: Option<SocketAddr>, takes("listen-operations", "ADDR");
        /// Connections at once. Beyond, idle ones are closed, then others wait. Never
        /// more than three quarters of the files that the system lets the program open.
        max_connections: u32 = "10000";
        /// Connections at once of one client address, proxies that are trusted excepted.
        max_connections_per_address: u32 = "256";
        /// Streams of events that are open at once, at most half of all connections.
        max_streams: u32 = "1000";
        /// Streams of one client address.
        max_streams_per_address: u32 = "32";
        /// How long the program goes on after it was told to end, while `/readyz` says so:
        /// behind a load balancer, longer than that takes to notice.
        notice: Duration = "0s";
        /// How long requests in flight may take to end when the program stops.
        drain: Duration = "10s";
        /// How long one request may take.
        request_timeout: Duration = "10s";
        /// The largest body of a request.
        max_body: Bytes = "256KiB";
        /// Networks of proxies whose forwarded headers name the client.
        trusted_proxies: Vec<AddressRange> = "";
        /// What is logged: off, error, warn, info, debug (a line for every request, too),
        /// trace, or a filter by module. Libraries log no more than info unless it names them.
        log: LogFilter = "info", takes("log", "LEVEL");
        /// Form of the log: text, json, or auto (text on a terminal, otherwise json).
        log_format: LogFormat = "auto";
    }
    /// What the APIs look like.
    api: Api {
        /// The {network} of paths such as /v1/{network}/tokens.
        network: NetworkSegment = "starknet";
        /// Names of fields: plain, or avnu, which the published SDKs expect.
        dialect: Dialect = "plain", takes("dialect", "NAME");
        /// The private key that signs answers of the trading and market APIs for callers
        /// who send `ask-signature: true`. Without it, nothing is signed; simulated
        /// networks have a key that everybody knows.
        signing_key: Option<StarkKey>;
    }
    /// How many requests a caller may make.
    limits: Limits {
        /// Whether requests are limited.
        enabled: bool = "true", off("no-rate-limit", "Answer every caller, however much they ask");
        /// Requests of one client address in a window.
        public_requests: u32 = "300";
        /// Length of that window.
        public_window: Duration = "5m";
        /// Requests of one API key in a window.
        key_requests: u32 = "3000";
        /// Length of that window.
        key_window: Duration = "5m";
    }
    /// What must last.
    store: Store {
        /// The folder of everything the program keeps.
        data: PathBuf = "./data", takes("data", "DIR");
        /// The database: sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE.
        /// Without it, SQLite in the folder above.
        location: Option<Location>, takes("store", "STORE");
        /// Who brings the store to the program's version: auto (whatever opens it to
        /// write) or never (`stoa migrate` alone; others refuse an older one).
        migrate: Migration = "auto";
        /// How long trades, and what else only old blocks tell, are kept, such as 2160h,
        /// seen from the newest block; 0s keeps everything. Candles stay.
        keep_trades: Duration = "0s";
        /// Connections of PostgreSQL, for each of the two halves of the store.
        connections: u32 = "8";
        /// How long PostgreSQL may work on one statement.
        statement_timeout: Duration = "60s";
    }
    /// What replicas share but may lose.
    shared: Shared {
        /// The Redis that counts requests for all replicas. Without it, each counts by itself.
        redis: Option<SecretUrl<Redis>>, takes("redis", "URL");
    }
    /// The chain.
    starknet: Starknet {
        /// The node to follow, or several, the preferred one first, separated by commas.
        /// Without it, the program runs a simulated one.
        rpc: Option<SecretUrls<Http>>, takes("starknet-rpc", "URL");
        /// How many of the nodes must have a block before it is accepted.
        agreement: u32 = "1";
        /// A node's WebSocket that announces new blocks. Without it, only the poll
        /// below finds them; a simulated node's is used by itself.
        ws: Option<SecretUrl<WebSocket>>;
        /// The first block that an empty store begins with.
        start_block: u64 = "0";
        /// Further behind than so many blocks at its start, the program takes pools over
        /// near the chain's head and serves from there while it indexes the rest. 0 for
        /// never.
        head_start: u64 = "50000";
        /// How often the node is asked for a new block.
        poll: Duration = "500ms";
        /// How long one answer of the node may take.
        timeout: Duration = "10s";
        /// How old the newest block may be before the service is not ready.
        max_head_age: Duration = "60s";
        /// A token list in the token-lists convention: tags, logos, extensions.
        /// Without it, the built-in one on the simulated network, none elsewhere.
        token_list: Option<PathBuf>, takes("token-list", "FILE");
        /// A list of the exchanges to follow, in the form of `docs/venues.md`.
        /// Without it, the built-in one on the simulated network and on `SN_MAIN`,
        /// none elsewhere.
        venues: Option<PathBuf>;
        /// A list of the tokens that prices hang on, in the form of `docs/market-data.md`.
        /// Without it, the built-in one on the simulated network and on `SN_MAIN`,
        /// none elsewhere.
        anchors: Option<PathBuf>;
        /// The chain id that the node must have, such as `SN_MAIN`. Needed only for
        /// a chain that is neither `SN_MAIN`, `SN_SEPOLIA` nor `SN_STOA`.
        expect_chain_id: Option<ChainId>;
    }
    /// Swaps: quotes, and the calls that execute them.
    swap: Swap {
        /// The exchange contract that executes routes. Without it, the known one on the
        /// simulated network, on `SN_MAIN` and on `SN_SEPOLIA`; elsewhere there are no quotes.
        exchange: Option<Address>;
        /// The contract that executes private swaps. Without it, the simulated network's own
        /// there; elsewhere private swaps are refused.
        executor: Option<Address>;
        /// How long a quote can be built.
        quote_lifetime: Duration = "30s";
        /// How long the search for a quote may take, from when it begins.
        deadline: Duration = "250ms";
        /// Blocks that may be missing up to the node's newest one; with more, nothing is quoted
        /// or built.
        max_lag_blocks: u64 = "5";
        /// How long the node may not have answered; after that, nothing is quoted or built. A
        /// chain that stands still is fine as long as its node answers.
        max_silence: Duration = "10s";
        /// Threads that search for quotes; 0 is one for each processor.
        workers: u32 = "0";
        /// Quotes that may wait for a thread; further ones are refused.
        queue: u32 = "256";
        /// The most swaps of one route.
        max_swaps: u32 = "12";
        /// The exchange contract's fee for a route of one swap, in basis points. This and the
        /// next three count only where the contract does not say, or no node can be asked.
        fee_single: u32 = "2";
        /// The same for a route of more swaps.
        fee_several: u32 = "15";
        /// The same where the bought amount is given.
        fee_exact_out: u32 = "5";
        /// What a unit of L2 gas costs, in FRI.
        gas_price: u64 = "3000000000";
    }
    /// Recurring orders, and the keeper that executes them.
    dca: Dca {
        /// The factory that deploys orders. Without it, the simulated network's own there;
        /// elsewhere there are no recurring orders.
        factory: Option<Address>;
        /// The account that executes cycles, which the factory must allow to. Without it, the
        /// simulated network's own there; elsewhere no cycles are executed by this service.
        keeper_address: Option<Address>;
        /// The Stark key that owns it.
        keeper_key: Option<StarkKey>;
        /// The most STRK that one cycle may cost in fees, in its smallest unit.
        keeper_max_fee: u64 = "5000000000000000000";
        /// Whether simulated people order, on a simulated network of our own.
        people: bool = "true";
    }
    /// Staking with one staker: the calls of its members, and what became of them.
    staking: Staking {
        /// The staker. Without it, the simulated network's own there; elsewhere there is no
        /// staking.
        staker: Option<Address>;
        /// The network's staking contract. Without it, the known one on the simulated network,
        /// on `SN_MAIN` and on `SN_SEPOLIA`; elsewhere there is no staking.
        contract: Option<Address>;
        /// What pools call the beginning and the end of a withdrawal: documented
        /// (`initiate_withdraw`, `claim_withdraw`) or chain (`exit_delegation_pool_intent`,
        /// `exit_delegation_pool_action`). Without it, documented on the simulated network,
        /// whose pools know both; chain elsewhere, where pools know nothing else.
        entrypoints: Option<StakingNames>;
        /// The staker's pools whose events are followed, for what members did so far; those of
        /// the simulated network's own staker are in any case.
        pools: Vec<Address> = "";
        /// The block from which on these pools are followed.
        pools_from: u64 = "0";
    }
    /// The paymaster: transactions whose fees a sponsor pays, or their user in another token.
    paymaster: Paymaster {
        /// The contract through which transactions are relayed. Without it, the simulated
        /// network's own there; elsewhere there is no paymaster.
        forwarder: Option<Address>;
        /// The contract that deploys accounts whose `sigdata` is given. Without it, the
        /// simulated network's own there; elsewhere they are deployed like all others.
        factory: Option<Address>;
        /// The accounts that relay, which the forwarder must know. Without any, the simulated
        /// network's own there; elsewhere nothing is relayed, nor built unless `build_only` is set.
        relayers: Vec<Address> = "";
        /// The Stark keys that own them, in the same order, separated by commas. What is built
        /// is recognised by the first one, so that it must be the same in every process.
        relayer_keys: Option<StarkKeys>;
        /// Whether transactions are built although nobody here relays them.
        build_only: bool = "false";
        /// The most STRK that one transaction may cost, in its smallest unit.
        max_fee: u64 = "5000000000000000000";
        /// Blocks on top of which make a transaction final, and its sponsor charged.
        depth: u64 = "10";
        /// Blocks after which a transaction that waits is sent again with a higher tip.
        stuck_blocks: u64 = "5";
        /// How often that is done at most for one; 0 to 6.
        replacements: u32 = "3";
        /// The tokens that users are told they can pay in; any other with a route is taken,
        /// too. Without any, the verified ones.
        tokens: Vec<Address> = "";
        /// Contracts that are not called, whoever pays.
        blacklist: Vec<Address> = "";
        /// Pools of private transactions that are built for. Without any, the simulated
        /// network's own there.
        pools: Vec<Address> = "";
        /// What a pool takes that does not say so itself, in the smallest unit of STRK.
        pool_fee: u64 = "0";
        /// What users pay above what their transaction costs, in thousandths of it.
        margin: u32 = "30";
        /// What users sign at most, in thousandths of what is expected.
        most: u32 = "3000";
        /// L2 gas that relaying needs beside the user's calls.
        relay_gas: u64 = "1500000";
        /// Units of published data that it needs.
        relay_data_gas: u64 = "256";
        /// L2 gas that accounts with several signers need beside that.
        signers_gas: u64 = "46640000";
        /// L2 gas that private actions need.
        private_gas: u64 = "80000000";
        /// Whether simulated people use it, on a simulated network of our own.
        people: bool = "true";
    }
    /// The chain whose validators lease out their capacity.
    solana: Solana {
        /// The node to follow, or several, the preferred one first, separated by commas.
        /// Without it, a simulated one beside the simulated Starknet node; beside a real
        /// Starknet node there is no marketplace then.
        rpc: Option<SecretUrls<Http>>, takes("solana-rpc", "URL");
        /// The genesis hash that the nodes must have. Without it, that of the first node that
        /// answers at the start.
        genesis: Option<SolanaHash>;
        /// How often the node is asked where its epoch is and what was paid.
        poll: Duration = "2s";
        /// How long one answer of the node may take.
        timeout: Duration = "10s";
    }
    /// The lease marketplace.
    leasing: Leasing {
        /// Whether there is one.
        enabled: bool = "true", off("no-leasing", "Run without the lease market");
        /// Where wallets and people reach it, such as `https://leases.example`. Wallets pay
        /// only where this is https: put a proxy with a certificate in front, and name its
        /// network in `server.trusted_proxies`. Without it, links lead to the listener.
        public_url: Option<PublicUrl>, takes("public-url", "URL");
        /// The wallet that receives the platform's fee, and by which payments are found.
        /// Needed with a real node; a simulated one has a wallet for it.
        platform_wallet: Option<PublicKey>;
        /// The platform's part of every payment, in basis points, at most 5000.
        fee: u32 = "100";
        /// Where validators may say that they are. Without any, the usual regions of the
        /// cloud whose enclaves they use.
        regions: Vec<Region> = "";
        /// How long a wallet stays signed in.
        session: Duration = "24h";
        /// The key that signs lease tokens: a PKCS#8 file of the curve P-256, best written as
        /// `file:/path`. Without it, keys are made and replaced in the ledger.
        token_key: Option<TokenPem>;
        /// The key that will sign after it: published, so that everybody knows it by then.
        next_token_key: Option<TokenPem>;
        /// A service that signs lease tokens instead: GET URL/jwks, POST URL/sign.
        token_signer: Option<SecretUrl<Http>>;
        /// How long a key of the ledger signs before the next one does, at least 1h.
        token_rotation: Duration = "720h";
        /// Bookings that a trader may have without having paid for them, at least 1.
        max_unpaid_bookings: u32 = "50";
        /// Whether simulated people lease from each other on a simulated network.
        people: bool = "true", off("no-sim-people", "Leave the simulated lease market to real callers");
    }
    /// An external issuer (OIDC) whose tokens are sessions of the lease marketplace, beside
    /// those of wallets. Without `issuer` there is none.
    oidc: Oidc {
        /// The issuer, exactly as its tokens name it in `iss`: https, or http on this machine.
        issuer: Option<SecureUrl>;
        /// For whom its tokens must be: one of their `aud`.
        audience: Option<ClaimText>;
        /// Where its keys are. Without it, where
        /// `issuer/.well-known/openid-configuration` says.
        jwks_url: Option<SecureUrl>;
        /// The claim that lists the groups or roles of somebody: a name, or a path with dots
        /// such as `realm_access.roles`.
        groups_claim: ClaimText = "groups";
        /// The group whose members are staff, as long as their token says so. Without it,
        /// nobody is by their token alone.
        staff_group: Option<ClaimText>;
    }
    /// Webhooks of the lease marketplace.
    webhooks: Webhooks {
        /// Whether they may lead to private addresses: to networks of one's own.
        allow_private: bool = "false";
        /// Whether they may lead to this very machine, without TLS too. Without it, where the
        /// network is simulated, the listener is on loopback and there is no public URL.
        allow_loopback: Option<bool>;
        /// How long one attempt at a delivery may take, at most 60s.
        timeout: Duration = "10s";
    }
    /// What the wider market says of tokens, by their `aggregatorId` in the token list.
    global: Global {
        /// An API of the shape of `CoinGecko`'s, such as `https://api.coingecko.com/api/v3`.
        /// Without it, a simulated node's own on the simulated network, none elsewhere.
        url: Option<SecretUrl<Aggregator>>;
        /// The key that it wants.
        key: Option<SecretText>;
        /// Which account the key is of: demo or pro, each with a header of its own.
        plan: Plan = "demo";
        /// Time between two polls.
        interval: Duration = "60s";
        /// How long one answer may take.
        timeout: Duration = "10s";
        /// How long an answer is shown when no newer one comes.
        max_age: Duration = "5m";
    }
    /// The simulated nodes, which run when no other node is given.
    simnet: Simnet {
        /// Where the simulated nodes listen; JSON-RPC at /starknet and /solana.
        listen: SocketAddr = "127.0.0.1:8090", takes("sim-listen", "ADDR");
        /// What determines the simulated accounts and everything that happens.
        seed: u64 = "0", takes("sim-seed", "N");
        /// Time between its blocks.
        block_time: Duration = "2s";
        /// Transactions in a block, on average.
        transactions_per_block: u32 = "5";
        /// Pools of its exchanges, at most 1000; none with 0.
        pools: u32 = "320";
        /// Whether prices jump, dollars leave their peg, attackers trade around others and
        /// nobody keeps the prices of its pools together: a market to try the worst on.
        wild: bool = "false", on("sim-wild", "Make the simulated market jump, and put an attacker in it");
        /// Time between the slots of the simulated Solana node, in whole milliseconds.
        slot_time: Duration = "400ms";
        /// Slots of its epochs, 64 to 432000. A chain that was begun keeps its own.
        epoch_slots: u64 = "1200";
    }
    /// This process.
    process: Process {
        /// What this process does: api answers requests, indexer follows the chain, jobs
        /// settles payments of leases and ends what is over.
        roles: Vec<Role> = "api,indexer,jobs", takes("roles", "LIST");
    }
}
